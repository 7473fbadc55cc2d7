//! Display hints: what may stand in them, and after them. (RFC 9804, section 4.6.)

use super::{Chunk, Machine, Step, unknown};
use crate::error::ErrorKind;
use crate::lexeme::{Kind, Span};
use crate::syntax::Start;

/// Which part of a display hint was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    /// There is none.
    No,
    /// It was opened.
    Inside,
    /// Its atom was read, and is kept unless it was malformed.
    Held { whole: bool },
    /// It was delivered; its atom is to come.
    Done,
}

/// What a pending hint, or a form that was to be the only one, makes of a byte.
pub(super) enum Gate {
    /// Nothing.
    Pass,
    /// It was taken.
    Taken,
    /// Something is complete.
    Step(Step),
}

impl Machine {
    pub(super) fn set_hint(&mut self, hint: Hint) {
        self.hint = hint;
        self.note();
    }

    /// What a pending hint, or a form that is complete and was to be the only one, makes of a byte between lexemes.
    #[cold]
    pub(super) fn gate(&mut self, chunk: &Chunk<'_>, at: &mut usize, byte: u8, start: Start) -> Gate {
        if self.complete && !self.discard.active() {
            if matches!(start, Start::LineComment | Start::Lead(_) | Start::Return | Start::Space)
                || start == Start::FirstOnLine && self.is_blank_before(chunk, *at)
            {
                return Gate::Pass;
            }
            self.token = unknown(chunk.offset(*at));
            return Gate::Step(self.trailing(chunk));
        }
        let offset = chunk.offset(*at);
        let closes = self.syntax.hint.is_some_and(|(_, close)| byte == close);
        let misplaced = match self.hint {
            Hint::Held { whole } if closes => {
                *at += 1;
                return self.hint_is_whole(chunk, *at, whole);
            }
            Hint::Held { .. } => true,
            Hint::Inside if closes => {
                *at += 1;
                true
            }
            Hint::Inside | Hint::Done => matches!(start, Start::Open | Start::Close | Start::Hint),
            Hint::No => false,
        };
        if !misplaced {
            return Gate::Pass;
        }
        self.set_hint(Hint::No);
        self.forget_value();
        self.token = self.outer;
        Gate::Step(self.fault(chunk, ErrorKind::MisplacedHint, offset, None))
    }

    pub(super) fn hint_is_whole(&mut self, chunk: &Chunk<'_>, end: usize, whole: bool) -> Gate {
        if !whole {
            self.set_hint(Hint::No);
            return Gate::Taken;
        }
        self.set_hint(Hint::Done);
        if self.too_deep > 0 || self.discard.active() {
            self.forget_value();
            return Gate::Taken;
        }
        let run = if self.raw { self.text(chunk, end) } else { None };
        self.spent = run.is_none();
        self.any = true;
        self.token = self.outer;
        let span = Span { start: self.outer.offset, end: chunk.offset(end) };
        Gate::Step(self.found(Kind::Hint, run, span))
    }

    /// Whether what is read belongs to a display hint.
    #[inline]
    pub(super) fn is_in_hint(&self) -> bool {
        matches!(self.hint, Hint::Inside | Hint::Held { .. })
    }
}
