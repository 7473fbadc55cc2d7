//! The decoder machine: explicit states, one step a lexeme, any cut.
//!
//! A step reads the chunk from where the last one stopped, until a lexeme or a fault is complete or the chunk is used up. What must outlive
//! the chunk is in [`State`] and in the few fields beside it: no byte is ever looked at again. An atom that lies in one chunk and needs no
//! decoding is handed out where it stands; of any other the decoded bytes gather in `value`.

mod atoms;
mod comments;
mod faults;
mod hints;
mod lists;
mod octets;
mod quotes;

pub(crate) use octets::{Base64, Digit};

use comments::{Comment, Dispatched};
use hints::{Gate, Hint};

use crate::discard::Discard;
use crate::error::{Error, ErrorKind};
use crate::lexeme::{Kind, Position, Span};
use crate::nesting::{Nesting, Places};
use crate::options::Options;
use crate::place::{self, Lines};
use crate::syntax::{Cont, Number, Start, Syntax};
use alloc::vec::Vec;
use core::mem;

/// Where the machine stands between two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// At the very start of an input that may begin with a byte order mark, of which so many bytes were there.
    AtStart(u8),
    /// Between lexemes.
    Between,
    /// After an illegal byte, whose like directly after it are skipped.
    AmongIllegal,
    /// After a carriage return that a line feed must follow.
    AfterReturn,
    /// In a bare atom, after the byte given.
    InAtom(u8),
    /// After the byte that begins comments, or an atom.
    AfterDispatch,
    /// In the digits of a length.
    InLength { value: u64, first_zero: bool },
    /// In the digits of a length that is too large.
    InLargeLength,
    /// In counted octets.
    InCounted { left: u64 },
    /// In quotes.
    InQuotes,
    /// After the escape character.
    AfterEscape,
    /// In a numeric escape.
    InNumber { number: Number, left: u8, value: u16 },
    /// After escape character and CR.
    AfterEscapedReturn,
    /// After escape character and LF, where a CR still belongs to the line end.
    AfterEscapedLineFeed,
    /// Among the blanks that begin a continued line.
    AmongBlanks,
    /// In hexadecimal octets, after an odd digit if one is given.
    InHex(Option<u8>),
    /// In base64 octets.
    InBase64(Base64),
    /// In a line comment.
    InLineComment,
    /// In a line comment, after a carriage return that a line feed must follow.
    AfterReturnInComment,
    /// In a block comment.
    InBlock,
    /// In a block comment, after the first byte of its opening delimiter.
    AfterLeadInBlock,
    /// In a block comment, after the first byte of its closing delimiter.
    AfterBarInBlock,
    /// Nothing that comes matters any more.
    Ignoring,
    /// The end was delivered.
    Ended,
}

/// What a step came to. What there is to tell of it is in [`Machine::found`] or [`Machine::error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A lexeme.
    Lexeme,
    /// A piece of an atom.
    Fragment,
    /// The armour of a form was opened.
    Armour,
    /// The chunk is used up.
    Await,
    /// The input is over.
    End,
    /// A fault.
    Error,
}

/// A lexeme, or a piece of an atom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) kind: Kind,
    /// Where its bytes are in the chunk; else they are in [`Machine::value`], until the next step.
    pub(crate) run: Option<(usize, usize)>,
    pub(crate) span: Span,
}

/// What there is to tell of a piece of an atom beside that.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Piece {
    /// Whether it is the first.
    pub(crate) first: bool,
    /// Whether it is the last.
    pub(crate) last: bool,
    /// The length of the atom, where it was announced.
    pub(crate) total: Option<u64>,
}

/// The machine.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) syntax: &'static Syntax,
    options: Options,
    pub(crate) state: State,
    pub(crate) nesting: Nesting,
    places: Places,
    pub(crate) lines: Lines,
    /// The decoded bytes of an atom that could not be handed out where it stood.
    pub(crate) value: Vec<u8>,
    /// The last lexeme or piece.
    pub(crate) found: Found,
    pub(crate) piece: Piece,
    /// The last fault.
    pub(crate) error: Error,
    /// Whether `value` was handed out and is free again.
    spent: bool,
    /// How many bytes the value of the atom has so far, in `value` or handed out in fragments.
    length: u64,
    /// The length that was announced for the atom.
    announced: Option<u64>,
    /// Whether the rest of the atom, or comment, is skipped.
    dropped: bool,
    /// Whether fragments of the atom were handed out.
    pieces: bool,
    /// Which quote the machine is in.
    quote: u8,
    /// How many block comments are open.
    blocks: u64,
    /// Where the atom begins; its line is 0 until it is known.
    token: Position,
    /// Where the escape begins, or the carriage return is.
    part: Position,
    /// Where the display hint, the block comment or the armour begins.
    pub(crate) outer: Position,
    hint: Hint,
    discard: Discard,
    /// How many lists are open that are skipped because they are too deep.
    too_deep: u64,
    /// The comment that is gathered, to be delivered.
    comment: Option<Comment>,
    /// Whether anything but comments was delivered.
    any: bool,
    /// Whether the single form that is wanted is complete.
    complete: bool,
    /// Whether the bytes come out of the armour of a form.
    armoured: bool,
    /// Whether there is something to be done for each lexeme beyond delivering it: a limit, a hint, data to be dropped, a single form.
    special: bool,
}

const fn unknown(offset: u64) -> Position {
    Position { offset, line: 0, column: 0 }
}

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// The bytes of a step, and where they stand in the input.
#[derive(Clone, Copy)]
pub(crate) struct Chunk<'c> {
    /// The bytes.
    pub(crate) bytes: &'c [u8],
    /// Offset of the first of them.
    pub(crate) base: u64,
    /// The chunk of the input they were taken from: themselves, or what they were decoded from.
    source: &'c [u8],
    /// Offset of its first byte.
    source_base: u64,
    /// Whether the chunk of the input goes on after them.
    goes_on: bool,
}

impl<'c> Chunk<'c> {
    pub(crate) fn new(bytes: &'c [u8], base: u64) -> Self {
        Chunk { bytes, base, source: bytes, source_base: base, goes_on: false }
    }

    /// Bytes that were decoded from this chunk, and stand for its byte at that offset.
    pub(crate) fn decoded(&self, bytes: &'c [u8], base: u64) -> Self {
        Chunk { bytes, base, goes_on: true, ..*self }
    }

    #[inline]
    fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }
}

impl Machine {
    pub(crate) fn new(syntax: &'static Syntax, options: Options) -> Self {
        let mut machine = Machine {
            syntax,
            options,
            state: State::Between,
            nesting: Nesting::new(options.depth),
            places: Places::new(),
            lines: Lines::new(),
            value: Vec::new(),
            found: Found { kind: Kind::Open, run: None, span: Span { start: 0, end: 0 } },
            piece: Piece::default(),
            error: Error { kind: ErrorKind::NoForm, position: Position { offset: 0, line: 1, column: 1 }, opened: None },
            spent: false,
            length: 0,
            announced: None,
            dropped: false,
            pieces: false,
            quote: 0,
            blocks: 0,
            token: unknown(0),
            part: unknown(0),
            outer: unknown(0),
            hint: Hint::No,
            discard: Discard::default(),
            too_deep: 0,
            comment: None,
            any: false,
            complete: false,
            armoured: false,
            special: false,
        };
        machine.reset();
        machine
    }

    /// Ready for a new input. The buffers are kept.
    pub(crate) fn reset(&mut self) {
        self.state = if self.syntax.byte_order_mark { State::AtStart(0) } else { State::Between };
        self.nesting = Nesting::new(self.options.depth);
        self.lines = Lines::new();
        self.value.clear();
        self.spent = false;
        self.forget_atom();
        self.blocks = 0;
        self.set_hint(Hint::No);
        self.discard.clear();
        self.too_deep = 0;
        self.comment = None;
        self.any = false;
        self.complete = false;
        self.armoured = false;
        self.note();
    }

    /// To be called where what makes lexemes special changes.
    pub(crate) fn note(&mut self) {
        self.special =
            self.options.single || self.options.atom.is_some() || self.hint != Hint::No || self.too_deep > 0 || self.discard.active();
    }

    /// What follows comes out of armour, or does no longer. What is unfinished is forgotten.
    pub(crate) fn set_armoured(&mut self, armoured: bool) {
        self.armoured = armoured;
        self.state = State::Between;
        self.set_hint(Hint::No);
        self.forget_atom();
        if !self.spent {
            self.value.clear();
        }
    }

    /// The bytes of a lexeme are about to go away: keeps them until the next step.
    pub(crate) fn own(&mut self, bytes: &[u8]) {
        if let Some((from, to)) = self.found.run.take() {
            self.value.extend_from_slice(&bytes[from..to]);
            self.spent = true;
        }
    }

    /// Line and column of a place.
    pub(crate) fn location(&mut self, chunk: &Chunk<'_>, offset: u64) -> Position {
        if offset < chunk.source_base && offset == self.token.offset && self.token.line != 0 {
            return self.token;
        }
        self.lines.place(chunk.source, chunk.source_base, offset)
    }

    /// The chunk goes away, of which the bytes before `at` are used up: whatever concerns it is worked out.
    #[inline(always)]
    pub(crate) fn stop(&mut self, chunk: &Chunk<'_>, at: usize) {
        if self.special || !matches!(self.state, State::Between | State::InAtom(_)) || self.comment.is_some() {
            self.stop_unfinished(chunk, at);
        }
        if !chunk.goes_on {
            self.places.leave(&self.nesting, &mut self.lines, chunk.source, chunk.source_base);
            self.lines.leave(chunk.source, chunk.source_base, chunk.offset(at));
        }
    }

    /// Works out the places that may have to be told later, and keeps what was read of a comment.
    #[inline(never)]
    fn stop_unfinished(&mut self, chunk: &Chunk<'_>, at: usize) {
        let mut place = |mark: &mut Position| {
            if mark.line == 0 && mark.offset >= chunk.source_base {
                *mark = self.lines.place(chunk.source, chunk.source_base, mark.offset);
            }
        };
        place(&mut self.token);
        place(&mut self.part);
        place(&mut self.outer);
        if let Some(comment) = &mut self.comment {
            place(&mut comment.place);
            let comment = *comment;
            // A CR may be half of the line end, which is no part of a line comment.
            let line_end = self.state == State::AfterReturnInComment && !self.discard.active() && at > comment.from;
            self.keep_comment(comment, &chunk.bytes[comment.from..at - usize::from(line_end)]);
            self.comment = self.comment.map(|comment| Comment { from: at, ..comment });
        }
    }

    /// What was used up of the chunk has gone away; another one follows.
    #[inline]
    pub(crate) fn next_chunk(&mut self) {
        self.lines.next_chunk();
        if let Some(comment) = &mut self.comment {
            comment.from = 0;
        }
    }

    /// The first byte of the input shows whether it can begin with a byte order mark.
    #[inline]
    pub(crate) fn begin(&mut self, byte: u8) {
        if self.state == State::AtStart(0) && byte != BYTE_ORDER_MARK[0] {
            self.state = State::Between;
        }
    }

    /// Whether plain lexemes may be handed out as they come: between lexemes, and nothing asked for or pending that concerns each.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.state, State::Between)
            && (!self.special || self.hint == Hint::No && self.too_deep == 0 && !self.options.single && !self.discard.active())
    }

    /// How far plain lexemes may be looked for at once, so that no atom in it is beyond the limit.
    pub(crate) fn plain_window(&self) -> usize {
        self.options.atom.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
    }

    /// Whether large atoms are delivered in fragments.
    pub(crate) fn has_fragments(&self) -> bool {
        self.options.fragments.is_some()
    }

    /// Lexemes were delivered past the machine.
    #[inline]
    pub(crate) fn delivered(&mut self) {
        self.any = true;
    }

    /// One step: from `at` on, until something is complete or the chunk is used up. `at` is then where it stopped.
    #[inline(always)]
    pub(crate) fn step(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Step {
        if self.spent {
            self.spent = false;
            self.value.clear();
        }
        // Where in the chunk the bare atom begins, or goes on.
        let mut from = *at;
        let step = loop {
            let step = match self.state {
                State::Between => self.between(chunk, at, &mut from),
                State::InAtom(last) => self.in_atom(chunk, at, from, last),
                _ => {
                    let step = self.step_elsewhere(chunk, at);
                    from = *at;
                    step
                }
            };
            if let Some(step) = step {
                break step;
            }
        };
        if step == Step::Await {
            self.stop(chunk, chunk.bytes.len());
        }
        step
    }

    /// A step over what needs no decision: delimiters, spaces, and bare atoms, be they cut or not. None where the step is for
    /// [`step`](Machine::step), which then goes on as if it had begun it. There must be no armour, and no fragments to be delivered.
    #[inline(always)]
    pub(crate) fn short_step(&mut self, bytes: &[u8], base: u64, at: &mut usize) -> Option<Step> {
        if self.special {
            return None;
        }
        if self.spent {
            self.spent = false;
            self.value.clear();
        }
        if let State::InAtom(_) = self.state {
            if self.dropped {
                return None;
            }
            let from = *at;
            let Some((to, cont)) = self.atom_end(bytes, from) else {
                return Some(self.cut_atom(bytes, base, at));
            };
            if cont == Cont::Guard {
                return None;
            }
            *at = to;
            self.any = true;
            self.state = State::Between;
            let end = base + to as u64;
            if self.length == 0 {
                return Some(self.found(Kind::Bare, Some((from, to)), Span { start: self.token.offset, end }));
            }
            return Some(self.end_atom(&bytes[from..to], end));
        }
        if self.state != State::Between {
            return None;
        }
        while let Some(&byte) = bytes.get(*at) {
            let from = *at;
            let offset = base + from as u64;
            match self.syntax.start[byte as usize] {
                Start::Space => *at += 1,
                Start::Atom => {
                    let Some((to, cont)) = self.atom_end(bytes, from + 1) else {
                        if self.syntax.cont[byte as usize] == Cont::Guard {
                            return None;
                        }
                        self.begin_token(offset);
                        self.state = State::InAtom(0);
                        return Some(self.cut_atom(bytes, base, at));
                    };
                    if cont == Cont::Guard {
                        return None;
                    }
                    *at = to;
                    self.any = true;
                    return Some(self.found(Kind::Bare, Some((from, to)), Span { start: offset, end: base + to as u64 }));
                }
                Start::Open if self.nesting.depth < self.nesting.limit => {
                    *at += 1;
                    self.any = true;
                    self.nesting.open(offset);
                    return Some(self.found(Kind::Open, Some((from, from + 1)), Span { start: offset, end: offset + 1 }));
                }
                Start::Close if self.nesting.depth > 0 => {
                    *at += 1;
                    self.nesting.close();
                    return Some(self.found(Kind::Close, Some((from, from + 1)), Span { start: offset, end: offset + 1 }));
                }
                _ => return None,
            }
        }
        let quiet = !self.nesting.opened_since(base) && place::few_in_one_line(bytes);
        Some(if quiet { Step::Await } else { self.leave(bytes, base) })
    }

    /// Where a bare atom that goes on with the byte at `from` ends, or may end, if it does in these bytes, and what the byte there is to it.
    #[inline(always)]
    fn atom_end(&self, bytes: &[u8], from: usize) -> Option<(usize, Cont)> {
        let mut to = from;
        loop {
            match self.syntax.cont[*bytes.get(to)? as usize] {
                Cont::Atom => to += 1,
                cont => return Some((to, cont)),
            }
        }
    }

    /// A bare atom goes on to the end of the bytes, or beyond.
    #[inline(always)]
    fn cut_atom(&mut self, bytes: &[u8], base: u64, at: &mut usize) -> Step {
        let from = mem::replace(at, bytes.len());
        match *bytes {
            // Byte by byte there is nothing else in the chunk.
            [byte] if from == 0 && byte != b'\n' && self.value.len() < self.value.capacity() => {
                if self.token.line == 0 {
                    self.token = self.lines.place_in_first_line(self.token.offset);
                }
                self.state = State::InAtom(byte);
                self.length += 1;
                self.value.push(byte);
                Step::Await
            }
            _ => self.keep_cut_atom(bytes, base, from),
        }
    }

    // Not inlined, as what follows: so a short step mostly calls nothing, and what it calls comes last; it has nothing to save.
    #[inline(never)]
    fn keep_cut_atom(&mut self, bytes: &[u8], base: u64, from: usize) -> Step {
        if self.token.line == 0 {
            let (offset, simple) = (self.token.offset, place::few_in_one_line(bytes));
            self.token = if simple { self.lines.place_in_first_line(offset) } else { self.lines.place(bytes, base, offset) };
        }
        if let Some(&last) = bytes[from..].last() {
            self.state = State::InAtom(last);
            self.length += (bytes.len() - from) as u64;
            self.value.extend_from_slice(&bytes[from..]);
        }
        self.leave(bytes, base)
    }

    /// A bare atom that was cut ends with these bytes.
    #[inline(never)]
    fn end_atom(&mut self, bytes: &[u8], end: u64) -> Step {
        if !bytes.is_empty() {
            self.value.extend_from_slice(bytes);
        }
        self.length = 0;
        self.spent = true;
        self.found(Kind::Bare, None, Span { start: self.token.offset, end })
    }

    /// The bytes are used up: works out the places that they are needed for.
    #[inline(never)]
    fn leave(&mut self, bytes: &[u8], base: u64) -> Step {
        self.places.leave(&self.nesting, &mut self.lines, bytes, base);
        if !place::few_in_one_line(bytes) {
            self.lines.leave(bytes, base, base + bytes.len() as u64);
        }
        Step::Await
    }

    /// As [`step`](Machine::step).
    #[inline(never)]
    pub(crate) fn step_out_of_line(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Step {
        self.step(chunk, at)
    }

    /// In the states that are neither between lexemes nor in a bare atom.
    #[inline(never)]
    fn step_elsewhere(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        if *at >= chunk.bytes.len() && self.state != State::Ended {
            return if self.is_in_quotes() { self.pause(chunk, self.rules().kind, *at..*at) } else { Some(Step::Await) };
        }
        match self.state {
            State::Between | State::InAtom(_) => None,
            State::InQuotes => self.in_quotes(chunk, at),
            State::InCounted { left } => self.in_counted(chunk, at, left),
            State::AtStart(seen) => self.at_start(chunk, at, seen),
            State::AmongIllegal => self.among_illegal(chunk, at),
            State::AfterReturn => self.after_return(chunk, at),
            State::AfterDispatch => self.after_dispatch(chunk, at),
            State::InLength { value, first_zero } => self.in_length(chunk, at, value, first_zero),
            State::InLargeLength => self.in_large_length(chunk, at),
            State::AfterEscape => self.after_escape(chunk, at),
            State::InNumber { number, left, value } => self.in_number(chunk, at, number, left, value),
            State::AfterEscapedReturn => self.after_escaped_return(chunk, at),
            State::AfterEscapedLineFeed => self.after_escaped_line_feed(chunk, at),
            State::AmongBlanks => self.among_blanks(chunk, at),
            State::InHex(high) => self.in_hex(chunk, at, high),
            State::InBase64(base64) => self.in_base64(chunk, at, base64),
            State::InLineComment => self.in_line_comment(chunk, at),
            State::AfterReturnInComment => self.after_return_in_comment(chunk, at),
            State::InBlock => self.in_block(chunk, at),
            State::AfterLeadInBlock => self.after_lead_in_block(chunk, at),
            State::AfterBarInBlock => self.after_bar_in_block(chunk, at),
            State::Ignoring => {
                *at = chunk.bytes.len();
                None
            }
            State::Ended => Some(Step::End),
        }
    }

    #[inline(always)]
    fn between(&mut self, chunk: &Chunk<'_>, at: &mut usize, from: &mut usize) -> Option<Step> {
        let bytes = chunk.bytes;
        while let Some(&byte) = bytes.get(*at) {
            let start = self.syntax.start[byte as usize];
            if start == Start::Space {
                *at += 1;
                continue;
            }
            if self.hint != Hint::No || self.complete {
                match self.gate(chunk, at, byte, start) {
                    Gate::Pass => {}
                    Gate::Taken => continue,
                    Gate::Step(step) => return Some(step),
                }
            }
            let here = *at;
            *at += 1;
            match start {
                Start::Atom => {
                    self.begin_token(chunk.offset(here));
                    self.state = State::InAtom(0);
                    *from = here;
                    return None;
                }
                Start::Open => return self.open(chunk, here),
                Start::Close => return self.close(chunk, at),
                Start::Quote(quote) => {
                    self.begin_token(chunk.offset(here));
                    self.quote = quote;
                    self.state = State::InQuotes;
                }
                Start::Length => {
                    self.begin_token(chunk.offset(here));
                    self.state = State::InLength { value: u64::from(byte - b'0'), first_zero: byte == b'0' };
                }
                Start::Hex => {
                    self.begin_token(chunk.offset(here));
                    self.state = State::InHex(None);
                }
                Start::Base64 => {
                    self.begin_token(chunk.offset(here));
                    self.state = State::InBase64(Base64::default());
                }
                Start::Hint => {
                    self.outer = unknown(chunk.offset(here));
                    self.set_hint(Hint::Inside);
                    continue;
                }
                Start::LineComment => {
                    self.begin_comment(chunk, unknown(chunk.offset(here)));
                    self.state = State::InLineComment;
                }
                Start::Dispatch => {
                    self.begin_token(chunk.offset(here));
                    let Some(&next) = bytes.get(*at) else {
                        self.state = State::AfterDispatch;
                        return None;
                    };
                    match self.dispatch(chunk, at, next) {
                        Dispatched::Comment => {}
                        Dispatched::Late => return Some(self.trailing(chunk)),
                        Dispatched::Atom => {
                            self.state = State::InAtom(0);
                            *from = here;
                        }
                    }
                }
                Start::Return => {
                    self.part = unknown(chunk.offset(here));
                    self.state = State::AfterReturn;
                }
                Start::Armour if self.nesting.depth == 0 && self.too_deep == 0 && self.hint == Hint::No && !self.armoured => {
                    self.outer = unknown(chunk.offset(here));
                    return Some(Step::Armour);
                }
                Start::Armour | Start::Illegal => {
                    self.state = State::AmongIllegal;
                    return Some(self.fault(chunk, ErrorKind::IllegalByte(byte), chunk.offset(here), None));
                }
                Start::Space => {}
            }
            if self.state != State::Between {
                return None;
            }
        }
        Some(Step::Await)
    }

    fn among_illegal(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let close = if self.hint == Hint::Inside { self.syntax.hint.map(|(_, close)| close) } else { None };
        let skip = chunk.bytes[*at..].iter().position(|&byte| self.syntax.start[byte as usize] != Start::Illegal || Some(byte) == close);
        match skip {
            Some(count) => {
                *at += count;
                self.state = State::Between;
            }
            None => *at = chunk.bytes.len(),
        }
        None
    }

    fn after_return(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        self.state = State::Between;
        if chunk.bytes[*at] == b'\n' {
            return None;
        }
        Some(self.fault_at(chunk, ErrorKind::ReturnWithoutLineFeed, self.part, None))
    }

    fn at_start(&mut self, chunk: &Chunk<'_>, at: &mut usize, seen: u8) -> Option<Step> {
        let entered = *at;
        let mut matched = seen as usize;
        while matched < 3 && chunk.bytes.get(*at) == Some(&BYTE_ORDER_MARK[matched]) {
            matched += 1;
            *at += 1;
        }
        if matched == 3 {
            self.lines.begin(3);
            self.state = State::Between;
        } else if *at == chunk.bytes.len() {
            self.state = State::AtStart(matched as u8);
        } else if seen == 0 {
            *at = entered;
            self.state = State::Between;
        } else {
            return self.no_mark(chunk, matched);
        }
        None
    }

    /// Those bytes of a byte order mark are gone, but it was none: they are what they are.
    fn no_mark(&mut self, chunk: &Chunk<'_>, matched: usize) -> Option<Step> {
        self.token = Position::default();
        self.state = State::Between;
        match self.syntax.start[BYTE_ORDER_MARK[0] as usize] {
            Start::Atom => {
                self.state = State::InAtom(BYTE_ORDER_MARK[matched - 1]);
                self.keep(&BYTE_ORDER_MARK[..matched]).map(|kind| self.fault_at(chunk, kind, self.token, None))
            }
            Start::Illegal => {
                self.state = State::AmongIllegal;
                Some(self.fault_at(chunk, ErrorKind::IllegalByte(BYTE_ORDER_MARK[0]), self.token, None))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::collections::BTreeMap;
    use std::vec::Vec;

    /// A number for each state; a new one does not compile until it has its own.
    fn number(state: State) -> usize {
        match state {
            State::AtStart(_) => 0,
            State::Between => 1,
            State::AmongIllegal => 2,
            State::AfterReturn => 3,
            State::InAtom(_) => 4,
            State::AfterDispatch => 5,
            State::InLength { .. } => 6,
            State::InLargeLength => 7,
            State::InCounted { .. } => 8,
            State::InQuotes => 9,
            State::AfterEscape => 10,
            State::InNumber { .. } => 11,
            State::AfterEscapedReturn => 12,
            State::AfterEscapedLineFeed => 13,
            State::AmongBlanks => 14,
            State::InHex(_) => 15,
            State::InBase64(_) => 16,
            State::InLineComment => 17,
            State::AfterReturnInComment => 18,
            State::InBlock => 19,
            State::AfterLeadInBlock => 20,
            State::AfterBarInBlock => 21,
            State::Ignoring => 22,
            State::Ended => 23,
        }
    }

    const STATES: usize = 24;

    /// Inputs, byte by byte to the end: which state follows which.
    fn transitions() -> BTreeMap<usize, Vec<usize>> {
        let single = Options::default().single(true);
        let inputs: [(&'static Syntax, Options, &[u8]); 9] = [
            (&Syntax::SE, Options::default(), b"a \x00\x00b"),
            (&Syntax::SEXPLIB, Options::default(), b"a\r\n\rb # c \"\\n\\065\\\r\n  \\\nx\\\rz\" ;d\r\n;e\n;f\rg"),
            (&Syntax::SEXPLIB, Options::default(), b"#|a#|b|#\"c\"#x|y|#z #;a b"),
            (&Syntax::SEXPLIB, Options::default(), b"\xef\xbb\xbfa"),
            (&Syntax::CANONICAL, Options::default(), b"12:abcdefghijkl99999999999999999999:1:a"),
            (&Syntax::ADVANCED, Options::default(), b"#61 62# |YWJj| \"\\\n\r\\\r\n\\x41\" 2\"ab\""),
            (&Syntax::TRANSPORT, Options::default(), b"3:abc"),
            (&Syntax::SE, single, b"a b c"),
            (&Syntax::SE, Options::default(), b""),
        ];
        let mut after: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (syntax, options, input) in inputs {
            let mut machine = Machine::new(syntax, options);
            let mut last = number(machine.state);
            let mut note = |state: State| {
                let now = number(state);
                after.entry(last).or_default().push(now);
                last = now;
            };
            for (offset, byte) in input.iter().enumerate() {
                let mut at = 0;
                while machine.step_out_of_line(&Chunk::new(core::slice::from_ref(byte), offset as u64), &mut at) != Step::Await {
                    note(machine.state);
                }
                note(machine.state);
                machine.next_chunk();
            }
            while machine.end(&Chunk::new(&[], input.len() as u64)) != Step::End {
                note(machine.state);
            }
            note(machine.state);
        }
        after
    }

    #[test]
    fn every_state_is_entered_and_left() {
        let after = transitions();
        let ended = number(State::Ended);
        for state in 0..STATES {
            let entered = state == 0 || after.iter().any(|(&from, to)| from != state && to.contains(&state));
            let left = state == ended || after.get(&state).is_some_and(|to| to.iter().any(|&to| to != state));
            assert!(entered, "state {state} is never entered");
            assert!(left, "state {state} is never left");
        }
    }
}
