//! Datum comments: which data are still to be dropped.

use alloc::vec::Vec;

/// What is left to drop, level by level.
///
/// `#; #; a b` drops two data, and `#;(x #;y)` one whose list drops one itself. What a level still wants when a list in it is entered is kept
/// in unary: a zero bit, and a one for each datum. A level costs one bit, and each `#;` one more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Discard {
    /// How many data are to be dropped at this level. While none is at the level where dropping began, nothing is dropped.
    pub(crate) pending: u64,
    /// How many lists are open inside what is dropped.
    pub(crate) inner: u64,
    words: Vec<u64>,
    bits: u64,
}

impl Discard {
    /// Whether data are being dropped.
    #[inline]
    pub(crate) fn active(&self) -> bool {
        self.pending > 0 || self.inner > 0
    }

    /// A list starts in what is dropped.
    pub(crate) fn open(&mut self) {
        self.push(false);
        for _ in 0..self.pending {
            self.push(true);
        }
        self.pending = 0;
        self.inner += 1;
    }

    /// A list ends in what is dropped.
    pub(crate) fn close(&mut self) {
        self.inner -= 1;
        while self.pop() {
            self.pending += 1;
        }
    }

    /// A datum is complete at this level.
    pub(crate) fn datum(&mut self) {
        self.pending = self.pending.saturating_sub(1);
    }

    /// Nothing is dropped any more.
    pub(crate) fn clear(&mut self) {
        self.pending = 0;
        self.inner = 0;
        self.bits = 0;
        self.words.clear();
    }

    fn push(&mut self, bit: bool) {
        let (word, shift) = ((self.bits / 64) as usize, self.bits % 64);
        if word == self.words.len() {
            self.words.push(0);
        }
        self.words[word] = self.words[word] & !(1 << shift) | u64::from(bit) << shift;
        self.bits += 1;
    }

    fn pop(&mut self) -> bool {
        self.bits -= 1;
        let (word, shift) = ((self.bits / 64) as usize, self.bits % 64);
        let bit = self.words[word] >> shift & 1 == 1;
        self.words.truncate(word + 1);
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_gets_back_what_it_wanted() {
        let mut discard = Discard::default();
        for level in 0..500 {
            discard.pending = level % 7 + u64::from(level == 0);
            discard.open();
            assert_eq!((discard.pending, discard.inner), (0, level + 1));
        }
        for level in (0..500).rev() {
            discard.close();
            assert_eq!((discard.pending, discard.inner), (level % 7 + u64::from(level == 0), level));
            discard.pending = 0;
        }
        assert!(!discard.active());
    }
}
