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

/// The kinds of the open brackets, where a syntax has several: two bits each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Brackets {
    words: Vec<u64>,
    count: u64,
}

impl Brackets {
    const EACH: u64 = 32;

    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.count = 0;
    }

    /// A bracket of that kind, of 0 to 3, is opened.
    pub(crate) fn push(&mut self, kind: u8) {
        let (word, shift) = ((self.count / Self::EACH) as usize, self.count % Self::EACH * 2);
        if word == self.words.len() {
            self.words.push(0);
        }
        self.words[word] = self.words[word] & !(3 << shift) | u64::from(kind) << shift;
        self.count += 1;
    }

    /// The kind of the innermost.
    pub(crate) fn last(&self) -> u8 {
        let last = self.count.wrapping_sub(1);
        self.words.get((last / Self::EACH) as usize).map_or(0, |word| (word >> (last % Self::EACH * 2) & 3) as u8)
    }

    /// The innermost is closed.
    pub(crate) fn pop(&mut self) {
        self.count -= 1;
    }
}
