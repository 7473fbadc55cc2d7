//! Faults, and the end of the input, where what is unfinished becomes one.

use super::hints::Hint;
use super::{Chunk, Machine, State, Step, unknown};
use crate::error::{Error, ErrorKind};
use crate::lexeme::{Kind, Position};

impl Machine {
    /// One step after the input is over: what is unfinished, a fault at a time, and then the end.
    ///
    /// `chunk` has no bytes; it tells where the end is.
    pub(crate) fn end(&mut self, chunk: &Chunk<'_>) -> Step {
        if self.spent {
            self.spent = false;
            self.value.clear();
        }
        loop {
            let step = match self.state {
                State::Ended => return Step::End,
                State::Ignoring => {
                    self.state = State::Ended;
                    return Step::End;
                }
                State::Between | State::AmongIllegal | State::InLargeLength | State::AtStart(0) => return self.end_between(chunk),
                State::AtStart(seen) => self.no_mark(chunk, seen as usize),
                State::InAtom(_) => self.atom_is_whole(chunk, &mut 0, Kind::Bare, 0..0, 0),
                State::AfterDispatch if self.complete && !self.discard.active() => return self.trailing(chunk),
                State::AfterDispatch => self.late_dispatch_atom(chunk),
                State::AfterReturn => {
                    self.state = State::Between;
                    Some(self.fault_at(chunk, ErrorKind::ReturnWithoutLineFeed, self.part, None))
                }
                State::AfterReturnInComment => {
                    self.state = State::Between;
                    self.abandon_line_comment();
                    Some(self.fault_at(chunk, ErrorKind::ReturnWithoutLineFeed, self.part, None))
                }
                State::InLineComment => {
                    self.state = State::Between;
                    self.end_line_comment(chunk, 0, 0)
                }
                State::InLength { .. } => {
                    self.state = State::Between;
                    Some(self.fault_at(chunk, ErrorKind::LengthWithoutBody, self.token, None))
                }
                State::InCounted { .. } => self.unterminated(chunk, ErrorKind::PrematureEnd),
                State::InHex(_) | State::InBase64(_) => self.unterminated(chunk, ErrorKind::UnterminatedOctets),
                State::InBlock | State::AfterLeadInBlock | State::AfterBarInBlock => Some(self.unterminated_comment(chunk)),
                State::InQuotes
                | State::AfterEscape
                | State::InNumber { .. }
                | State::AfterEscapedReturn
                | State::AfterEscapedLineFeed
                | State::AmongBlanks => {
                    if self.blocks > 0 {
                        Some(self.unterminated_comment(chunk))
                    } else {
                        self.unterminated(chunk, ErrorKind::UnterminatedString)
                    }
                }
            };
            if let Some(step) = step {
                return step;
            }
        }
    }

    /// The input ended between lexemes.
    pub(super) fn end_between(&mut self, chunk: &Chunk<'_>) -> Step {
        let hint = self.hint;
        self.set_hint(Hint::No);
        match hint {
            Hint::Inside | Hint::Held { .. } => {
                self.forget_value();
                return self.fault(chunk, ErrorKind::UnterminatedHint, chunk.base, Some(self.outer));
            }
            Hint::Done => return self.fault(chunk, ErrorKind::MisplacedHint, chunk.base, None),
            Hint::No => {}
        }
        if self.discard.pending > 0 && self.too_deep == 0 {
            return self.comment_without_datum(chunk, chunk.base);
        }
        self.discard.clear();
        self.note();
        self.comment = None;
        let open = self.nesting.depth + self.too_deep;
        if open > 0 {
            let opened = self.places.innermost(&self.nesting, &mut self.lines, chunk.source, chunk.source_base);
            self.nesting.depth = 0;
            self.too_deep = 0;
            self.note();
            return self.fault(chunk, ErrorKind::UnclosedList(open), chunk.base, opened);
        }
        self.state = State::Ended;
        if self.options.single && !self.any && !self.armoured {
            return self.fault(chunk, ErrorKind::NoForm, chunk.base, None);
        }
        Step::End
    }

    /// The input ended in an atom.
    pub(super) fn unterminated(&mut self, chunk: &Chunk<'_>, kind: ErrorKind) -> Option<Step> {
        self.state = State::Between;
        let dropped = self.dropped;
        let token = self.token;
        // The comment that drops the atom does not come to its end either.
        self.comment = None;
        self.forget_atom();
        self.forget_value();
        let datum = self.datum_is_whole(chunk, 0);
        debug_assert!(datum.is_none());
        if dropped { None } else { Some(self.fault(chunk, kind, chunk.base, Some(token))) }
    }

    pub(super) fn unterminated_comment(&mut self, chunk: &Chunk<'_>) -> Step {
        self.state = State::Between;
        self.blocks = 0;
        self.forget_atom();
        if !self.discard.active() {
            self.comment = None;
            self.forget_value();
        }
        self.fault(chunk, ErrorKind::UnterminatedComment, chunk.base, Some(self.outer))
    }

    /// The input goes on beyond its limit, where the chunk ends.
    pub(crate) fn input_too_large(&mut self, chunk: &Chunk<'_>) -> Step {
        self.state = State::Ignoring;
        self.fault(chunk, ErrorKind::InputTooLarge, chunk.offset(chunk.bytes.len()), None)
    }

    /// Something begins, at `token`, after the only form.
    pub(super) fn trailing(&mut self, chunk: &Chunk<'_>) -> Step {
        self.state = State::Ignoring;
        self.fault_at(chunk, ErrorKind::TrailingData, self.token, None)
    }

    pub(crate) fn fault(&mut self, chunk: &Chunk<'_>, kind: ErrorKind, offset: u64, opened: Option<Position>) -> Step {
        self.fault_at(chunk, kind, unknown(offset), opened)
    }

    #[cold]
    pub(crate) fn fault_at(&mut self, chunk: &Chunk<'_>, kind: ErrorKind, position: Position, opened: Option<Position>) -> Step {
        self.any = true;
        let mut known = |mark: Position| if mark.line == 0 { self.lines.place(chunk.source, chunk.source_base, mark.offset) } else { mark };
        let opened = opened.map(&mut known);
        self.error = Error { kind, position: known(position), opened };
        Step::Error
    }
}
