//! Lists, and data that are complete: open lists, lists that are too deep, and what is dropped.

use super::hints::Hint;
use super::{Chunk, Machine, Step, unknown};
use crate::error::ErrorKind;
use crate::lexeme::{Kind, Span};

impl Machine {
    pub(super) fn open(&mut self, chunk: &Chunk<'_>, here: usize) -> Option<Step> {
        let offset = chunk.offset(here);
        self.has_datum();
        if self.too_deep > 0 {
            self.too_deep += 1;
            return None;
        }
        if self.nesting.depth >= self.nesting.limit {
            self.too_deep = 1;
            self.note();
            return Some(self.fault(chunk, ErrorKind::TooDeep, offset, None));
        }
        if self.syntax.pair_count > 1 {
            self.brackets.open(self.nesting.depth, self.pair(chunk.bytes[here]));
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
        if self.lacks_datum() {
            *at = here;
            return Some(self.prefix_without_datum(chunk, offset));
        }
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
            if let Some(step) = self.close_bracket(chunk, here) {
                return Some(step);
            }
            self.discard.close();
            self.nesting.close();
            return self.datum_is_whole(chunk, *at);
        }
        if self.nesting.depth == 0 {
            return Some(self.fault(chunk, ErrorKind::UnbalancedClose(chunk.bytes[here]), offset, None));
        }
        if let Some(step) = self.close_bracket(chunk, here) {
            return Some(step);
        }
        self.nesting.close();
        self.complete |= self.options.single && self.nesting.depth == 0;
        Some(self.found(Kind::Close, Some((here, here + 1)), Span { start: offset, end: offset + 1 }))
    }

    pub(super) fn comment_without_datum(&mut self, chunk: &Chunk<'_>, offset: u64) -> Step {
        self.discard.pending = 0;
        self.note();
        if self.discard.inner == 0 {
            self.token = self.comment.take().map_or(unknown(offset), |comment| comment.place);
            self.forget_value();
        }
        self.fault(chunk, ErrorKind::CommentWithoutDatum, offset, None)
    }

    /// An atom or list is complete that is not delivered: what wanted a datum has it.
    pub(super) fn datum_is_whole(&mut self, chunk: &Chunk<'_>, at: usize) -> Option<Step> {
        self.has_datum();
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

    /// Which pair of brackets the byte belongs to.
    fn pair(&self, byte: u8) -> u8 {
        self.syntax.pairs.iter().position(|&(open, close)| open == byte || close == byte).unwrap_or_default() as u8
    }

    /// Closes the bracket that is open, or tells that it is another.
    fn close_bracket(&mut self, chunk: &Chunk<'_>, here: usize) -> Option<Step> {
        if self.syntax.pair_count <= 1 {
            return None;
        }
        let byte = chunk.bytes[here];
        let level = self.nesting.depth - 1;
        if self.brackets.kind(level) != self.pair(byte) {
            let opened = self.places.innermost(&self.nesting, &mut self.lines, chunk.source, chunk.source_base);
            return Some(self.fault(chunk, ErrorKind::MismatchedClose(byte), chunk.offset(here), opened));
        }
        self.brackets.close(level);
        None
    }

    /// A list start that shows only by the byte after it, in a chunk that is gone.
    pub(super) fn late_open(&mut self, chunk: &Chunk<'_>) -> Option<Step> {
        let place = self.token;
        let lead = self.tag;
        let source = Chunk { bytes: lead.bytes(), base: place.offset, ..*chunk };
        let depth = self.nesting.depth;
        let step = self.open(&source, 0);
        if self.nesting.depth > depth {
            self.places.set(&self.nesting, place);
        }
        if step == Some(Step::Lexeme) {
            self.value.clear();
            self.value.extend_from_slice(lead.bytes());
            self.spent = true;
            self.found.run = None;
        }
        step
    }

    /// A prefix is followed by the end of its list, or of the input.
    pub(super) fn prefix_without_datum(&mut self, chunk: &Chunk<'_>, offset: u64) -> Step {
        self.has_datum();
        self.fault(chunk, ErrorKind::PrefixWithoutDatum, offset, None)
    }

    /// A prefix was delivered past the machine.
    pub(crate) fn lacks_datum_of_prefix(&mut self) {
        self.prefixed = true;
        self.note();
    }

    /// Whether a prefix was there, and its datum not yet. What is dropped has prefixes of its own.
    #[inline]
    pub(super) fn lacks_datum(&self) -> bool {
        if self.discard.active() { self.dropped_prefix } else { self.prefixed }
    }

    /// The datum of a prefix is there, or begins, if one was wanted.
    #[inline]
    pub(super) fn has_datum(&mut self) {
        if self.lacks_datum() {
            if self.discard.active() {
                self.dropped_prefix = false;
            } else {
                self.prefixed = false;
                self.note();
            }
        }
    }
}
