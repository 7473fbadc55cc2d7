//! Lists, and data that are complete: open lists, lists that are too deep, and what is dropped.

use super::hints::Hint;
use super::{Chunk, Machine, Step};
use crate::error::ErrorKind;
use crate::lexeme::{Kind, Span};

impl Machine {
    pub(super) fn open(&mut self, chunk: &Chunk<'_>, here: usize) -> Option<Step> {
        let offset = chunk.offset(here);
        if self.too_deep > 0 {
            self.too_deep += 1;
            return None;
        }
        if self.nesting.depth >= self.nesting.limit {
            self.too_deep = 1;
            self.note();
            return Some(self.fault(chunk, ErrorKind::TooDeep, offset, None));
        }
        if self.discard.active() {
            self.discard.open();
            self.nesting.open(offset);
            return None;
        }
        self.nesting.open(offset);
        self.any = true;
        Some(self.found(Kind::Open, Some((here, here + 1)), Span { start: offset, end: offset + 1 }))
    }

    pub(super) fn close(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let here = *at - 1;
        let offset = chunk.offset(here);
        if self.too_deep > 0 {
            self.too_deep -= 1;
            self.note();
            return if self.too_deep == 0 { self.datum_is_whole(chunk, *at) } else { None };
        }
        if self.discard.active() {
            if self.discard.pending > 0 {
                *at = here;
                return Some(self.comment_without_datum(chunk, offset));
            }
            self.discard.close();
            self.nesting.close();
            return self.datum_is_whole(chunk, *at);
        }
        if self.nesting.depth == 0 {
            return Some(self.fault(chunk, ErrorKind::UnbalancedClose(chunk.bytes[here]), offset, None));
        }
        self.nesting.close();
        self.complete |= self.options.single && self.nesting.depth == 0;
        Some(self.found(Kind::Close, Some((here, here + 1)), Span { start: offset, end: offset + 1 }))
    }

    pub(super) fn comment_without_datum(&mut self, chunk: &Chunk<'_>, offset: u64) -> Step {
        self.discard.pending = 0;
        self.note();
        if self.discard.inner == 0 {
            self.comment = None;
            self.forget_value();
        }
        self.fault(chunk, ErrorKind::CommentWithoutDatum, offset, None)
    }

    /// An atom or list is complete that is not delivered: what wanted a datum has it.
    pub(super) fn datum_is_whole(&mut self, chunk: &Chunk<'_>, at: usize) -> Option<Step> {
        match self.hint {
            Hint::Inside => {
                self.set_hint(Hint::Held { whole: false });
                return None;
            }
            Hint::Done => self.set_hint(Hint::No),
            _ => {}
        }
        if self.too_deep > 0 {
            return None;
        }
        if self.discard.active() {
            self.discard.datum();
            self.note();
            if !self.discard.active() {
                return self.end_comment(chunk, at, 0);
            }
        } else {
            self.complete |= self.options.single && self.nesting.depth == 0;
        }
        None
    }
}
