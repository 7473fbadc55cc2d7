//! Finds runs of plain lexemes: single delimiters, bare atoms and strings that need no decoding, each whole in the bytes at hand.

use super::classes::{self, Classes};
use crate::lexeme::Kind;
use crate::nesting::Nesting;
use core::ops::Range;

/// A plain lexeme in eight bytes: where it starts (32 bits), its kind (8 bits) and its length with quotes (24 bits).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Record(u64);

/// The longest lexeme a record can tell of.
const LONGEST: usize = (1 << 24) - 1;

impl Record {
    #[inline]
    pub(crate) const fn new(start: usize, end: usize, kind: Kind) -> Self {
        Record(start as u64 | (kind as u64) << 32 | ((end - start) as u64) << 40)
    }

    #[inline]
    pub(crate) const fn kind(self) -> Kind {
        match (self.0 >> 32) as u8 {
            0 => Kind::Open,
            1 => Kind::Close,
            2 => Kind::Bare,
            _ => Kind::String,
        }
    }

    #[inline]
    pub(crate) const fn start(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline]
    pub(crate) const fn end(self) -> usize {
        self.start() + (self.0 >> 40) as usize
    }

    /// The bytes of the value: without quotes.
    #[inline]
    pub(crate) const fn value(self) -> Range<usize> {
        let quote = ((self.0 >> 32) as u8 == Kind::String as u8) as usize;
        self.start() + quote..self.end() - quote
    }
}

/// What an index found.
pub(crate) struct Index {
    /// How many records were filled.
    pub(crate) count: usize,
    /// Up to where the bytes are done with: nothing is pending there.
    pub(crate) end: usize,
}

impl Index {
    /// Fills records with the plain lexemes from `from` on, where nothing is pending, and stops before anything else.
    ///
    /// The records must have room for the lexemes of a block beyond those that are wanted.
    pub(crate) fn fill(classes: &Classes, bytes: &[u8], from: usize, base: u64, records: &mut [Record], nesting: &mut Nesting) -> Index {
        let flags = &classes.flags;
        let mut count = 0;
        let mut at = from;
        while count < records.len() {
            let Some(&byte) = bytes.get(at) else { break };
            let flag = flags[byte as usize];
            let record = if flag & classes::ATOM != 0 {
                if flag & (classes::STOP | classes::STOP_FIRST) != 0 {
                    break;
                }
                let mut end = at + 1;
                while end < bytes.len() && flags[bytes[end] as usize] & (classes::ATOM | classes::STOP) == classes::ATOM {
                    end += 1;
                }
                if end == bytes.len() || flags[bytes[end] as usize] & classes::ATOM != 0 || end - at > LONGEST {
                    break;
                }
                Record::new(at, end, Kind::Bare)
            } else if flag == 0 {
                at += 1;
                continue;
            } else if flag & classes::OPEN != 0 {
                if nesting.depth >= nesting.limit {
                    break;
                }
                nesting.open(base + at as u64);
                Record::new(at, at + 1, Kind::Open)
            } else if flag & classes::CLOSE != 0 {
                if nesting.depth == 0 {
                    break;
                }
                nesting.close();
                Record::new(at, at + 1, Kind::Close)
            } else if flag & classes::QUOTE != 0 {
                let mut end = at + 1;
                while end < bytes.len() && flags[bytes[end] as usize] & (classes::QUOTE | classes::STOP_IN_STRING) == 0 {
                    end += 1;
                }
                if end == bytes.len() || flags[bytes[end] as usize] & classes::QUOTE == 0 || end - at > LONGEST {
                    break;
                }
                Record::new(at, end + 1, Kind::String)
            } else {
                break;
            };
            records[count] = record;
            count += 1;
            at = record.end();
        }
        Index { count, end: at }
    }
}
