//! Comments: to the end of the line, in block delimiters, and before a datum.

use super::hints::Hint;
use super::{Chunk, Machine, State, Step, unknown};
use crate::error::ErrorKind;
use crate::lexeme::{Kind, Position, Span};
use crate::syntax::{Dispatch, Start};

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

/// What became of a dispatch byte.
pub(super) enum Dispatched {
    /// A comment begins.
    Comment,
    /// An atom begins.
    Atom,
    /// An atom begins after the only form.
    Late,
}

impl Machine {
    pub(super) fn after_dispatch(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        self.state = State::Between;
        match self.dispatch(chunk, at, chunk.bytes[*at]) {
            Dispatched::Comment => None,
            Dispatched::Late => Some(self.trailing(chunk)),
            Dispatched::Atom => self.late_dispatch_atom(chunk),
        }
    }

    /// The byte that could have begun a comment, in a chunk that is gone, begins an atom.
    pub(super) fn late_dispatch_atom(&mut self, chunk: &Chunk<'_>) -> Option<Step> {
        let lead = self.syntax.dispatch.map_or(0, |dispatch| dispatch.lead);
        self.state = State::InAtom(lead);
        self.part = self.token;
        self.keep(&[lead]).map(|kind| self.fault_at(chunk, kind, self.token, None))
    }

    /// What the byte after the dispatch byte, at `token`, makes of both.
    pub(super) fn dispatch(&mut self, chunk: &Chunk<'_>, at: &mut usize, next: u8) -> Dispatched {
        let dispatch = self.syntax.dispatch;
        let block = dispatch.is_some_and(|dispatch| dispatch.block == Some(next));
        let datum = dispatch.is_some_and(|dispatch| dispatch.datum == Some(next));
        if !block && !datum {
            return if self.complete && !self.discard.active() { Dispatched::Late } else { Dispatched::Atom };
        }
        *at += 1;
        if block {
            self.outer = self.token;
            self.begin_comment(chunk, self.token);
            self.blocks = 1;
            self.state = State::InBlock;
        } else if self.too_deep == 0 {
            self.begin_comment(chunk, self.token);
            self.discard.pending += 1;
            self.note();
        }
        Dispatched::Comment
    }

    /// A comment begins at that place; if it is to be delivered it is gathered.
    pub(super) fn begin_comment(&mut self, chunk: &Chunk<'_>, place: Position) {
        if !self.options.comments || self.hint != Hint::No || self.too_deep > 0 || self.discard.active() {
            return;
        }
        let from = match place.offset.checked_sub(chunk.base) {
            Some(from) => from as usize,
            None => {
                // Its first byte went with the chunk before.
                self.value.extend(self.syntax.dispatch.map(|dispatch| dispatch.lead));
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
        } else {
            self.value.extend_from_slice(bytes);
        }
        self.comment = Some(Comment { from: 0, too_large, ..comment });
    }

    /// A comment is over, before `end`; so many bytes before that belong to the line end. It is delivered if it was gathered.
    pub(super) fn end_comment(&mut self, chunk: &Chunk<'_>, end: usize, line_end: usize) -> Option<Step> {
        let comment = self.comment.take()?;
        let run = comment.from..end - line_end.min(end - comment.from);
        let length = (self.value.len() + run.len()) as u64;
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
        self.token = comment.place;
        Some(self.found(Kind::Comment, in_chunk, Span { start: comment.place.offset, end: chunk.offset(end) - line_end as u64 }))
    }

    pub(super) fn in_line_comment(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let rest = &chunk.bytes[*at..];
        let returns = self.syntax.start[b'\r' as usize] == Start::Return;
        let found = if returns { memchr::memchr2(b'\n', b'\r', rest) } else { memchr::memchr(b'\n', rest) };
        let Some(found) = found else {
            *at = chunk.bytes.len();
            return None;
        };
        *at += found;
        if chunk.bytes[*at] == b'\n' {
            self.state = State::Between;
            return self.end_line_comment(chunk, *at, 0);
        }
        self.part = unknown(chunk.offset(*at));
        *at += 1;
        self.state = State::AfterReturnInComment;
        None
    }

    pub(super) fn after_return_in_comment(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        self.state = State::Between;
        if chunk.bytes[*at] == b'\n' {
            return self.end_line_comment(chunk, *at, 1);
        }
        self.abandon_line_comment();
        Some(self.fault_at(chunk, ErrorKind::ReturnWithoutLineFeed, self.part, None))
    }

    pub(super) fn abandon_line_comment(&mut self) {
        if !self.discard.active() {
            self.comment = None;
            self.forget_value();
        }
    }

    /// A line comment is over before `end`; so many bytes before that belong to the line end.
    pub(super) fn end_line_comment(&mut self, chunk: &Chunk<'_>, end: usize, line_end: usize) -> Option<Step> {
        if self.discard.active() { None } else { self.end_comment(chunk, end, line_end) }
    }

    pub(super) fn in_block(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let Some(Dispatch { lead, block: Some(bar), .. }) = self.syntax.dispatch else {
            unreachable!("no block comment without a delimiter")
        };
        let rest = &chunk.bytes[*at..];
        let found = match self.syntax.quotes.first() {
            Some(quote) => memchr::memchr3(lead, bar, quote.open, rest),
            None => memchr::memchr2(lead, bar, rest),
        };
        let Some(found) = found else {
            *at = chunk.bytes.len();
            return None;
        };
        let byte = rest[found];
        *at += found + 1;
        if byte == lead {
            self.state = State::AfterLeadInBlock;
        } else if byte == bar {
            self.state = State::AfterBarInBlock;
        } else {
            self.quote = 0;
            self.state = State::InQuotes;
        }
        None
    }

    pub(super) fn after_lead_in_block(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let byte = Some(chunk.bytes[*at]);
        let dispatch = self.syntax.dispatch;
        if byte == dispatch.and_then(|dispatch| dispatch.block) {
            *at += 1;
            self.blocks += 1;
            self.state = State::InBlock;
        } else if byte == dispatch.map(|dispatch| dispatch.lead) {
            *at += 1;
        } else {
            self.state = State::InBlock;
        }
        None
    }

    pub(super) fn after_bar_in_block(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let byte = Some(chunk.bytes[*at]);
        let dispatch = self.syntax.dispatch;
        if byte == dispatch.map(|dispatch| dispatch.lead) {
            *at += 1;
            self.blocks -= 1;
            self.state = if self.blocks == 0 { State::Between } else { State::InBlock };
            if self.blocks == 0 && !self.discard.active() {
                return self.end_comment(chunk, *at, 0);
            }
        } else if byte == dispatch.and_then(|dispatch| dispatch.block) {
            *at += 1;
        } else {
            self.state = State::InBlock;
        }
        None
    }
}
