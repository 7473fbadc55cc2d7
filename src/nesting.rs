//! Open lists: how many there are, and where the outermost of them were opened.

use crate::lexeme::Position;
use crate::place::Lines;
use alloc::vec::Vec;

/// Of how many open lists the place is remembered.
pub(crate) const REMEMBERED: usize = 32;

/// The open lists. Depth costs nothing beyond a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nesting {
    /// How many lists are open.
    pub(crate) depth: u64,
    /// How many may be.
    pub(crate) limit: u64,
    /// Where the list of each level was opened; only the levels up to `depth` count. The last entry takes those that are deeper.
    pub(crate) opened: [u64; REMEMBERED + 1],
}

/// Line and column of open lists that were opened in a chunk that is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places([Position; REMEMBERED]);

impl Nesting {
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Nesting { depth: 0, limit: limit.unwrap_or(u64::MAX), opened: [0; REMEMBERED + 1] }
    }

    #[inline]
    pub(crate) fn open(&mut self, offset: u64) {
        self.opened[self.depth.min(REMEMBERED as u64) as usize] = offset;
        self.depth += 1;
    }

    #[inline]
    pub(crate) fn close(&mut self) {
        self.depth -= 1;
    }

    /// Whether the innermost list whose place is remembered was opened at that offset or later.
    #[inline]
    pub(crate) fn opened_since(&self, offset: u64) -> bool {
        let known = self.depth.min(REMEMBERED as u64) as usize;
        known > 0 && self.opened[known - 1] >= offset
    }
}

impl Places {
    /// The innermost list was opened there, in a chunk that is gone.
    pub(crate) fn set(&mut self, nesting: &Nesting, place: Position) {
        if let Some(level) = nesting.depth.checked_sub(1)
            && let Some(known) = self.0.get_mut(level as usize)
        {
            *known = place;
        }
    }

    pub(crate) const fn new() -> Self {
        Places([Position { offset: 0, line: 1, column: 1 }; REMEMBERED])
    }

    /// The chunk goes away: works out the places of the lists that were opened in it and are still open.
    #[inline]
    pub(crate) fn leave(&mut self, nesting: &Nesting, lines: &mut Lines, chunk: &[u8], base: u64) {
        if nesting.opened_since(base) {
            let known = nesting.depth.min(REMEMBERED as u64) as usize;
            self.work_out(&nesting.opened[..known], lines, chunk, base);
        }
    }

    #[inline(never)]
    fn work_out(&mut self, opened: &[u64], lines: &mut Lines, chunk: &[u8], base: u64) {
        let first = opened.iter().rposition(|&offset| offset < base).map_or(0, |last| last + 1);
        for (place, &offset) in self.0.iter_mut().zip(opened).skip(first) {
            *place = lines.place(chunk, base, offset);
        }
    }

    /// Where the innermost list was opened whose place is remembered.
    pub(crate) fn innermost(&self, nesting: &Nesting, lines: &mut Lines, chunk: &[u8], base: u64) -> Option<Position> {
        let level = (nesting.depth.min(REMEMBERED as u64) as usize).checked_sub(1)?;
        let offset = nesting.opened[level];
        Some(if offset >= base { lines.place(chunk, base, offset) } else { self.0[level] })
    }
}

/// The kinds of the open brackets, where a syntax has several: two bits a level. Those of the first pair, 0, need no place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Brackets {
    /// The levels that are not open are 0.
    words: Vec<u64>,
    /// From that level on there are brackets of the first pair only.
    pub(crate) bound: u64,
}

impl Brackets {
    /// How many of them a word tells of.
    pub(crate) const EACH: u64 = 32;

    /// The kinds of the outermost of them: two bits each, from the lowest.
    pub(crate) fn outermost(&self) -> u64 {
        self.words.first().copied().unwrap_or_default()
    }

    /// Those are open, and no others.
    pub(crate) fn set_outermost(&mut self, word: u64) {
        match self.words.first_mut() {
            Some(first) => *first = word,
            None => self.words.push(word),
        }
        self.bound = Self::bound_of(word);
    }

    /// From which level of a word on there are brackets of the first pair only.
    fn bound_of(word: u64) -> u64 {
        u64::from((u64::BITS - word.leading_zeros()).div_ceil(2))
    }

    const fn place(level: u64) -> (usize, u64) {
        ((level / Self::EACH) as usize, level % Self::EACH * 2)
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.bound = 0;
    }

    /// A bracket of that kind, of 0 to 3, is open at that level, which was not.
    #[inline]
    pub(crate) fn open(&mut self, level: u64, kind: u8) {
        if kind > 0 {
            self.put(level, kind);
        }
    }

    fn put(&mut self, level: u64, kind: u8) {
        let (word, shift) = Self::place(level);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= u64::from(kind) << shift;
        self.bound = self.bound.max(level + 1);
    }

    /// The kind of the one at that level.
    #[inline]
    pub(crate) fn kind(&self, level: u64) -> u8 {
        let (word, shift) = Self::place(level);
        self.words.get(word).map_or(0, |word| (word >> shift & 3) as u8)
    }

    /// The one at that level, the innermost, is not open any more.
    #[inline]
    pub(crate) fn close(&mut self, level: u64) {
        self.bound = self.bound.min(level);
        let (place, shift) = Self::place(level);
        if let Some(word) = self.words.get_mut(place)
            && *word >> shift != 0
        {
            *word &= !(3 << shift);
            // Whether there are others further out is seen in this word only.
            self.bound = place as u64 * Self::EACH + Self::bound_of(*word);
        }
    }
}
