//! Comments: to the end of the line, in block delimiters, and before a datum.

use super::hints::Hint;
use super::{Chunk, Machine, State, Step, unknown};
use crate::error::ErrorKind;
use crate::lexeme::{Kind, Position, Span};
use crate::syntax::{Block, Start};

/// A comment that is gathered as it is written, in `value` if not in one chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment {
    /// Where it begins.
    pub(super) place: Position,
    /// Where in the chunk it goes on.
    pub(super) from: usize,
    /// Whether it is larger than an atom may be.
    pub(super) too_large: bool,
}

impl Machine {
    /// A comment begins at that place; if it is to be delivered it is gathered.
    pub(super) fn begin_comment(&mut self, chunk: &Chunk<'_>, place: Position) {
        self.ill = false;
        if !self.options.comments || self.hint != Hint::No || self.too_deep > 0 || self.discard.active() {
            return;
        }
        let from = match place.offset.checked_sub(chunk.base) {
            Some(from) => from as usize,
            None => {
                // Its first bytes went with the chunk before.
                self.value.clear();
                self.value.extend_from_slice(self.tag.bytes());
                0
            }
        };
        self.comment = Some(Comment { place, from, too_large: false });
    }

    /// The comment goes on beyond the chunk.
    pub(super) fn keep_comment(&mut self, comment: Comment, bytes: &[u8]) {
        let length = (self.value.len() + bytes.len()) as u64;
        let too_large = comment.too_large || self.options.atom.is_some_and(|limit| length > limit);
        if too_large {
            self.value.clear();
        } else if !self.silent {
            self.value.extend_from_slice(bytes);
        }
        self.comment = Some(Comment { from: 0, too_large, ..comment });
    }

    /// A comment is over, before `end`; so many bytes before that belong to the line end. It is delivered if it was gathered, and is no part
    /// of what is dropped.
    pub(super) fn end_comment(&mut self, chunk: &Chunk<'_>, end: usize, line_end: usize) -> Option<Step> {
        if self.discard.active() {
            return None;
        }
        let comment = self.comment.take()?;
        let run = comment.from..end - line_end.min(end - comment.from);
        let length = (self.value.len() + run.len()) as u64;
        self.token = comment.place;
        if comment.too_large || self.options.atom.is_some_and(|limit| length > limit) {
            self.value.clear();
            return Some(self.fault_at(chunk, ErrorKind::AtomTooLarge, comment.place, None));
        }
        let in_chunk = if self.value.is_empty() {
            Some((run.start, run.end))
        } else {
            self.value.extend_from_slice(&chunk.bytes[run]);
            self.spent = true;
            None
        };
        Some(self.found(Kind::Comment, in_chunk, Span { start: comment.place.offset, end: chunk.offset(end) - line_end as u64 }))
    }

    pub(super) fn in_line_comment(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let rest = &chunk.bytes[*at..];
        let returns = self.syntax.start[b'\r' as usize] == Start::Return;
        let found =
            if returns || self.syntax.return_ends_comments { memchr::memchr2(b'\n', b'\r', rest) } else { memchr::memchr(b'\n', rest) };
        let end = found.map_or(chunk.bytes.len(), |found| *at + found);
        if let Some(step) = self.check_comment(chunk, at, end, found.is_some()) {
            return Some(step);
        }
        *at = end;
        found?;
        // Where all text is delivered, a carriage return belongs to the white space behind the comment.
        if chunk.bytes[*at] == b'\n' || !returns || self.options.verbatim && self.comment.is_some() && !self.discard.active() {
            if self.annotations > 0 {
                self.state = State::InAnnotation { illegal: false };
                return None;
            }
            self.state = State::Between;
            return self.end_comment(chunk, *at, 0);
        }
        self.part = unknown(chunk.offset(*at));
        *at += 1;
        self.state = State::AfterReturnInComment;
        None
    }

    pub(super) fn after_return_in_comment(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        self.state = State::Between;
        if chunk.bytes[*at] == b'\n' {
            return self.end_comment(chunk, *at, 1);
        }
        self.abandon_line_comment();
        Some(self.fault_at(chunk, ErrorKind::ReturnWithoutLineFeed, self.part, None))
    }

    pub(super) fn abandon_line_comment(&mut self) {
        if !self.discard.active() {
            self.token = self.comment.take().map_or(self.part, |comment| comment.place);
            self.forget_value();
        }
    }

    pub(super) fn in_block(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let block = self.block();
        let rest = &chunk.bytes[*at..];
        let found = match self.syntax.quotes.first() {
            Some(quote) if block.strings => memchr::memchr3(block.open[0], block.close[0], quote.open, rest),
            _ => memchr::memchr2(block.open[0], block.close[0], rest),
        };
        let end = found.map_or(chunk.bytes.len(), |found| *at + found);
        if let Some(step) = self.check_comment(chunk, at, end, found.is_some()) {
            return Some(step);
        }
        let Some(found) = found else {
            *at = chunk.bytes.len();
            return None;
        };
        let byte = rest[found];
        *at += found + 1;
        if byte == block.open[0] {
            self.state = State::AfterLeadInBlock;
        } else if byte == block.close[0] {
            self.state = State::AfterBarInBlock;
        } else {
            self.quote = 0;
            self.state = State::InQuotes;
        }
        None
    }

    fn block(&self) -> Block {
        let Some(block) = self.syntax.block else { unreachable!("no block comment without delimiters") };
        block
    }

    pub(super) fn after_lead_in_block(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let byte = chunk.bytes[*at];
        let block = self.block();
        if byte == block.open[1] {
            *at += 1;
            self.blocks += 1;
            self.state = State::InBlock;
        } else if byte == block.open[0] {
            *at += 1;
        } else {
            self.state = State::InBlock;
        }
        None
    }

    pub(super) fn after_bar_in_block(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let byte = chunk.bytes[*at];
        let block = self.block();
        if byte == block.close[1] {
            *at += 1;
            self.blocks -= 1;
            if self.blocks > 0 {
                self.state = State::InBlock;
            } else if self.annotations > 0 {
                self.state = State::InAnnotation { illegal: false };
            } else {
                self.state = State::Between;
                return self.end_comment(chunk, *at, 0);
            }
        } else if byte == block.close[0] {
            *at += 1;
        } else {
            self.state = State::InBlock;
        }
        None
    }
}
