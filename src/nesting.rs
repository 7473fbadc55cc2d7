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
    /// Line and column of those that were opened in a chunk that is gone.
    placed: [Position; REMEMBERED],
}

impl Nesting {
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Nesting { depth: 0, limit: limit.unwrap_or(u64::MAX), opened: [0; REMEMBERED + 1], placed: [Position::default(); REMEMBERED] }
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

    /// The chunk goes away: works out the places of the lists that were opened in it and are still open.
    #[inline]
    pub(crate) fn leave(&mut self, lines: &mut Lines, chunk: &[u8], base: u64) {
        let known = self.depth.min(REMEMBERED as u64) as usize;
        if known > 0 && self.opened[known - 1] >= base {
            let mut first = known - 1;
            while first > 0 && self.opened[first - 1] >= base {
                first -= 1;
            }
            for level in first..known {
                self.placed[level] = lines.place(chunk, base, self.opened[level]);
            }
        }
    }

    /// Where the innermost list was opened whose place is remembered.
    pub(crate) fn innermost(&self, lines: &mut Lines, chunk: &[u8], base: u64) -> Option<Position> {
        let level = (self.depth.min(REMEMBERED as u64) as usize).checked_sub(1)?;
        Some(if self.opened[level] >= base { lines.place(chunk, base, self.opened[level]) } else { self.placed[level] })
    }
}
