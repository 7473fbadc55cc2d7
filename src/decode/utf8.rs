//! Whether text is UTF-8, where a syntax wants it to be: code point by code point, over any cut.

use super::{Chunk, Machine, Step, unknown};
use crate::error::ErrorKind;

/// What of a code point is still to come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Utf8 {
    /// How many bytes.
    left: u8,
    /// What the next one can be.
    low: u8,
    high: u8,
    /// The first one.
    lead: u8,
}

/// A code point that is not UTF-8.
pub(super) struct IllFormed {
    /// Its first byte.
    lead: u8,
    /// Up to where what stands before it, and what of it was right, reaches in the chunk.
    kept: usize,
    /// Where the text goes on.
    behind: usize,
}

impl Utf8 {
    /// What comes after a first byte; none if a code point does not begin with it. (RFC 3629, section 4.)
    fn after(lead: u8) -> Option<Utf8> {
        let (left, low, high) = match lead {
            0x00..=0x7f => (0, 0x80, 0xbf),
            0xc2..=0xdf => (1, 0x80, 0xbf),
            0xe0 => (2, 0xa0, 0xbf),
            0xed => (2, 0x80, 0x9f),
            0xe1..=0xef => (2, 0x80, 0xbf),
            0xf0 => (3, 0x90, 0xbf),
            0xf1..=0xf3 => (3, 0x80, 0xbf),
            0xf4 => (3, 0x80, 0x8f),
            _ => return None,
        };
        Some(Utf8 { left, low, high, lead })
    }

    /// Takes the next byte of the code point; whether it belongs to it.
    fn take(&mut self, byte: u8) -> bool {
        if !(self.low..=self.high).contains(&byte) {
            return false;
        }
        *self = Utf8 { left: self.left - 1, low: 0x80, high: 0xbf, lead: self.lead };
        true
    }
}

impl Machine {
    /// The first code point that is not UTF-8, up to `end`; where in the input it stands is in `part`. One that goes on behind `end` is looked
    /// at on the next call, unless the text ends there.
    pub(super) fn ill_formed(&mut self, chunk: &Chunk<'_>, from: usize, end: usize, ends: bool) -> Option<IllFormed> {
        for (i, &byte) in chunk.bytes[from..end].iter().enumerate() {
            if self.utf8.left > 0 {
                if self.utf8.take(byte) {
                    continue;
                }
                return self.cut_code_point().map(|lead| IllFormed { lead, kept: from + i, behind: from + i });
            }
            if byte >= 0x80 {
                self.part = unknown(chunk.offset(from + i));
                match Utf8::after(byte) {
                    Some(utf8) => self.utf8 = utf8,
                    None => return Some(IllFormed { lead: byte, kept: from + i, behind: from + i + 1 }),
                }
            }
        }
        if ends { self.cut_code_point().map(|lead| IllFormed { lead, kept: end, behind: end }) } else { None }
    }

    /// The first byte of a code point that has begun and does not go on.
    pub(super) fn cut_code_point(&mut self) -> Option<u8> {
        let utf8 = core::mem::take(&mut self.utf8);
        (utf8.left > 0).then_some(utf8.lead)
    }

    /// What is in a comment, up to `end`, is looked at; `ends` says whether the comment ends there. After the first fault of a comment no other is
    /// reported, and it is not delivered.
    pub(super) fn check_comment(&mut self, chunk: &Chunk<'_>, at: &mut usize, end: usize, ends: bool) -> Option<Step> {
        if !self.syntax.utf8 || self.ill {
            return None;
        }
        let IllFormed { lead, behind, .. } = self.ill_formed(chunk, *at, end, ends)?;
        *at = behind;
        Some(self.fault_in_comment(chunk, lead))
    }

    /// What is in quotes is looked at, as with comments.
    pub(super) fn check_quotes(&mut self, chunk: &Chunk<'_>, at: &mut usize, end: usize, ends: bool) -> Option<Step> {
        if self.dropped {
            return None;
        }
        let from = *at;
        let IllFormed { lead, kept, behind } = self.ill_formed(chunk, from, end, ends)?;
        *at = behind;
        let too_large = self.keep(&chunk.bytes[from..kept]);
        self.drop_atom();
        Some(match too_large {
            Some(kind) => self.fault_at(chunk, kind, self.token, None),
            None => self.fault_at(chunk, ErrorKind::IllegalInString(lead), self.part, None),
        })
    }

    /// The input ends in a comment to the end of the line: perhaps in the middle of a code point.
    pub(super) fn check_end_of_comment(&mut self, chunk: &Chunk<'_>) -> Option<Step> {
        let lead = self.cut_code_point().filter(|_| !self.ill)?;
        Some(self.fault_in_comment(chunk, lead))
    }

    fn fault_in_comment(&mut self, chunk: &Chunk<'_>, lead: u8) -> Step {
        self.ill = true;
        self.token = self.part;
        if let Some(comment) = self.comment.take() {
            self.token = comment.place;
            self.forget_value();
        }
        self.fault_at(chunk, ErrorKind::IllegalByte(lead), self.part, None)
    }
}
