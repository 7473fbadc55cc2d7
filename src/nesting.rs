//! Open lists: how many there are, and where the outermost of them were opened.

use crate::lexeme::Position;
use crate::place::Lines;

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
