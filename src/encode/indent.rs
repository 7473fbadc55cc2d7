//! The layout for people: where lines end, decided with no more of the text at hand than fits on one.
//!
//! Between the machine and the window, as the armour of the transport form is. The machine says what begins and ends; its bytes are held
//! back in a ring until it is clear where they go: a list that fits on the rest of the line stays on it, else its elements are put down one
//! by one, and each of them has the same choice. More than a line never has to be held for that, since what is longer does not fit.
//!
//! This is Oppen's algorithm ("Prettyprinting", 1980), with the room for a line as its only memory. A [`Point`] is put down where a line may
//! end. Its element ends where the next point at its level or further out comes; points whose end has not come are linked, the innermost
//! first, and the outer ones are at lower levels. So each point is looked at a fixed number of times, and the whole takes linear time.

use crate::syntax::Habit;
use alloc::boxed::Box;
use alloc::vec;

/// How many bytes are held beyond a line: the blank before an element, and the byte that shows that it does not fit.
const BEYOND: usize = 8;

/// Lays out text.
#[derive(Clone)]
pub(super) struct Indenter {
    habit: Habit,
    width: usize,
    /// The text that is held, a ring; which part of it that is, counted in all of the text.
    text: Box<[u8]>,
    read: u64,
    end: u64,
    /// The points in it, a ring, and which these are. It is as long as that of the text, since there is some text behind each point.
    points: Box<[Point]>,
    front: u64,
    next: u64,
    /// The innermost point whose end has not come, if that is still there: its number, counted from 1.
    open: u64,
    /// The text up to there stays on the line.
    flat: u64,
    /// How many bytes the line has, and what is still to be written before the text goes on: a line end, and indentation.
    column: usize,
    line_end: bool,
    indentation: usize,
    /// Whether it is decided on which line the front point is, and only not whether its list stays on that.
    placed: bool,
    /// Whether nothing may be held.
    rushed: bool,
    /// Where the next element stands: how many lists are open, and how far to the right.
    level: u64,
    indent: u64,
    /// Whether the element before it is a list, and whether any is.
    after_list: bool,
    has_lists: bool,
}

/// What stands before an element, unless its line ends there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing, and the line does not end there.
    Touch,
    /// A blank.
    Blank,
    /// A line end, which is written already.
    Written,
    /// A line end, in any case.
    Line,
    /// Nothing.
    Nothing,
}

/// What an element is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    Atom,
    List,
    /// A prefix or hint: an atom or a list, as what follows.
    Prefix,
    Comment,
    /// The end of a list.
    Close,
}

/// A place where a line may end, before an element.
#[derive(Clone, Copy)]
struct Point {
    start: u64,
    /// Where the text ends that belongs on the same line, once that is known.
    end: Option<u64>,
    level: u64,
    /// The point that was [`open`](Indenter::open) before.
    outer: u64,
    indent: usize,
    gap: Gap,
    element: Element,
    after_list: bool,
    /// Whether it is known that its list does not stay on one line.
    broken: bool,
}

impl Indenter {
    pub(super) fn new(habit: Habit, width: u16) -> Indenter {
        let width = usize::from(width);
        let len = (width + BEYOND).next_power_of_two();
        let point = Point {
            start: 0,
            end: None,
            level: 0,
            outer: 0,
            indent: 0,
            gap: Gap::Touch,
            element: Element::Atom,
            after_list: false,
            broken: false,
        };
        Indenter {
            habit,
            width,
            text: vec![0; len].into_boxed_slice(),
            read: 0,
            end: 0,
            points: vec![point; len].into_boxed_slice(),
            front: 0,
            next: 0,
            open: 0,
            flat: 0,
            column: 0,
            line_end: false,
            indentation: 0,
            placed: false,
            rushed: false,
            level: 0,
            indent: 0,
            after_list: false,
            has_lists: false,
        }
    }

    /// An element begins, or a list ends, of the pair of brackets of that number. Its text follows.
    pub(super) fn element(&mut self, gap: Gap, element: Element, pair: usize) {
        let step = u64::from(self.habit.steps[pair]);
        match element {
            Element::Close => {
                self.indent = self.indent.saturating_sub(step);
                match gap {
                    Gap::Written => self.point(gap, element),
                    _ if self.habit.closes_apart && self.has_lists => self.point(Gap::Nothing, element),
                    _ => {}
                }
                self.level -= 1;
                (self.after_list, self.has_lists) = (true, true);
            }
            Element::List => {
                self.put(gap, element);
                self.break_deep();
                self.level += 1;
                self.indent = self.indent.saturating_add(step);
                (self.after_list, self.has_lists) = (false, false);
            }
            Element::Comment => self.put(gap, element),
            Element::Atom | Element::Prefix => {
                self.put(gap, element);
                self.after_list = false;
            }
        }
    }

    /// A form ends: none of it is held any longer.
    pub(super) fn end_form(&mut self) {
        self.end_elements(0);
        (self.after_list, self.has_lists) = (false, false);
    }

    /// Nothing that came so far is held any longer, as if it did not fit.
    pub(super) fn rush(&mut self) {
        self.break_open();
        self.rushed = true;
    }

    /// Takes as many bytes as it can, and writes what is not held; how many it took. Where these are fewer than all, the window is full.
    pub(super) fn copy(&mut self, bytes: &[u8], window: &mut [u8], at: &mut usize) -> usize {
        let mut taken = 0;
        loop {
            let rest = &bytes[taken..];
            let start = self.place(self.end);
            let count = rest.len().min(self.room()).min(self.text.len() - start);
            self.text[start..start + count].copy_from_slice(&rest[..count]);
            self.end += count as u64;
            taken += count;
            if memchr::memchr(b'\n', &rest[..count]).is_some() {
                self.break_open();
            }
            if !self.drain(window, at) || taken == bytes.len() {
                return taken;
            }
        }
    }

    /// How many more bytes can be held.
    pub(super) fn room(&self) -> usize {
        self.text.len() - (self.end - self.read) as usize
    }

    /// Writes what is not held; whether that is all of it.
    pub(super) fn drain(&mut self, window: &mut [u8], at: &mut usize) -> bool {
        loop {
            if self.line_end || self.indentation > 0 {
                let Some(place) = window.get_mut(*at) else { return false };
                *place = if self.line_end { b'\n' } else { self.habit.indent };
                self.indentation -= usize::from(!self.line_end);
                self.line_end = false;
                *at += 1;
                continue;
            }
            while self.front < self.next && self.point_at(self.front).start < self.flat {
                self.front += 1;
            }
            let stop = if self.front < self.next { self.point_at(self.front).start.max(self.read) } else { self.end };
            while self.read < stop {
                let start = self.place(self.read);
                let count = ((stop - self.read) as usize).min(self.text.len() - start).min(window.len() - *at);
                if count == 0 {
                    return false;
                }
                let text = &self.text[start..start + count];
                window[*at..*at + count].copy_from_slice(text);
                self.column = match memchr::memrchr(b'\n', text) {
                    Some(line_end) => count - 1 - line_end,
                    None => self.column + count,
                };
                self.read += count as u64;
                *at += count;
            }
            if self.front == self.next {
                self.rushed = false;
                return true;
            }
            if !self.decide() {
                return true;
            }
        }
    }

    /// Decides something about the front point, if enough is known: on which line its element stands, and then whether that is a list that
    /// stays on it.
    fn decide(&mut self) -> bool {
        let point = *self.point_at(self.front);
        if self.placed {
            if matches!(point.element, Element::List | Element::Prefix) && !point.broken {
                match self.fits(point, self.read) {
                    None => return false,
                    Some(true) => self.flat = point.end.unwrap_or(self.flat),
                    Some(false) => {}
                }
            }
            self.placed = false;
            self.front += 1;
            return true;
        }
        let stays = match (point.gap, point.element) {
            (Gap::Touch, _) => Some(true),
            (Gap::Written | Gap::Line | Gap::Nothing, _) => Some(false),
            (Gap::Blank, Element::List) if point.broken || point.after_list || !self.habit.lists_follow_atoms => Some(false),
            (Gap::Blank, Element::Atom) if point.after_list => Some(false),
            (Gap::Blank, _) => self.fits(point, point.start),
        };
        if stays == Some(false) {
            self.line_end = point.gap != Gap::Written;
            self.indentation = point.indent;
            self.column = point.indent;
            self.read = point.start + u64::from(point.gap == Gap::Blank);
        }
        self.placed = stays.is_some();
        self.placed
    }

    /// Whether the element of a point, from that place of the text on, fits on the line, as far as that can be told.
    fn fits(&self, point: Point, start: u64) -> Option<bool> {
        let room = self.width.saturating_sub(self.column) as u64;
        match point.end {
            Some(end) => Some(end - start <= room),
            None if self.end - start > room => Some(false),
            None => self.rushed.then_some(true),
        }
    }

    /// Puts down a point before an element, if it needs one.
    fn put(&mut self, gap: Gap, element: Element) {
        if gap != Gap::Touch {
            return self.point(gap, element);
        }
        // What touches a prefix is one element with it.
        let level = self.level;
        match self.innermost(self.open) {
            Some(point) if point.level == level && point.element == Element::Prefix => point.element = element,
            _ if element == Element::List => self.point(gap, element),
            _ => {}
        }
    }

    fn point(&mut self, gap: Gap, element: Element) {
        self.end_elements(self.level);
        if gap == Gap::Line {
            self.break_open();
        }
        let point = Point {
            start: self.end,
            end: None,
            level: self.level,
            outer: self.open,
            indent: self.indent.min(self.width as u64 / 2) as usize,
            gap,
            element,
            after_list: self.after_list,
            broken: false,
        };
        *self.point_at(self.next) = point;
        self.next += 1;
        self.open = self.next;
        if gap == Gap::Blank {
            let place = self.place(self.end);
            self.text[place] = b' ';
            self.end += 1;
        }
    }

    /// The elements at that level and deeper end here.
    fn end_elements(&mut self, level: u64) {
        let end = self.end;
        while let Some(point) = self.innermost(self.open)
            && point.level >= level
        {
            point.end = Some(end);
            self.open = point.outer;
        }
    }

    /// The lists that are open do not stay on one line.
    fn break_open(&mut self) {
        self.break_from(self.open);
    }

    /// Nor do those around the element of the point of that number, itself included. Where one is broken, those around it are.
    fn break_from(&mut self, mut number: u64) {
        while let Some(point) = self.innermost(number)
            && !(point.broken && point.element == Element::List)
        {
            point.broken = true;
            number = point.outer;
        }
    }

    /// A list begins: the lists around it that may not have it in them do not stay on one line.
    fn break_deep(&mut self) {
        let (habit, level) = (self.habit, self.level);
        let mut number = self.open;
        // Only the list around that which the last one was too many for can be it now, so it is near.
        for _ in 0..=usize::from(Habit::MOST_NESTED) + 1 {
            let Some(point) = self.innermost(number) else { return };
            let most = if point.level == 0 { habit.nested_in_forms } else { habit.nested };
            if most.is_some_and(|most| level - point.level > u64::from(most)) {
                return self.break_from(number);
            }
            number = point.outer;
        }
    }

    /// The point of that number, counted from 1, if it is still there.
    fn innermost(&mut self, number: u64) -> Option<&mut Point> {
        (number > self.front).then(|| self.point_at(number - 1))
    }

    fn point_at(&mut self, number: u64) -> &mut Point {
        let place = self.place(number);
        &mut self.points[place]
    }

    /// Where something is in its ring. Both have the same length, a power of two.
    fn place(&self, number: u64) -> usize {
        number as usize & (self.text.len() - 1)
    }
}
