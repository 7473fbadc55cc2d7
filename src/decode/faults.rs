//! Faults, and the end of the input, where what is unfinished becomes one.

use super::hints::Hint;
use super::tokens::Token;
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
                State::AfterLead(lead) => self.end_after_lead(chunk, lead),
                State::AfterPrefix => self.prefix(chunk, 0),
                State::InLabel => self.end_in_token(chunk, Token::Tagged),
                State::InToken(token) => self.end_in_token(chunk, token),
                State::BeforeChar(_) | State::AfterTokenEscape(Token::Char) => self.unterminated_token(chunk, ErrorKind::PrematureEnd),
                State::AfterTokenEscape(token) => self.end_in_token_escape(chunk, token),
                State::InTokenNumber { .. } => self.end_in_token_escape(chunk, Token::Escaped),
                State::AfterWideSpace(token) => self.wide_space_is_none(chunk, token),
                State::InChar { .. } | State::InCharDigits { .. } | State::InCharName { .. } | State::AfterCharModifier => {
                    self.end_in_token(chunk, Token::Char)
                }
                State::InBars | State::AfterBarsEscape => self.unterminated_token(chunk, ErrorKind::UnterminatedString),
                State::AfterToken | State::AfterWideAtom => {
                    self.state = State::Between;
                    None
                }
                State::InSpace => self.space_is_whole(chunk, 0),
                State::BeforeQuoteSwitch => {
                    self.state = State::Between;
                    None
                }
                State::AfterVariableLead => {
                    self.state = self.around_variable();
                    None
                }
                State::InVariable { .. } => {
                    self.state = self.around_variable();
                    if self.dropped || self.in_quotes && self.block_escapes.is_none() {
                        None
                    } else {
                        self.drop_atom();
                        Some(self.fault(chunk, ErrorKind::IllegalInTemplate(b'{'), chunk.base, None))
                    }
                }
                State::AfterBlockMark { .. } => {
                    self.block_escapes = Some(false);
                    self.block_end = chunk.base;
                    self.block_is_whole(chunk, &mut 0, 0)
                }
                State::AfterReturnBehindMark { escapes } => {
                    self.state = State::InBlockLine { escapes };
                    self.no_mark_end(chunk, chunk.base - 1)
                }
                State::InBlockLine { .. } => {
                    self.block_end = chunk.base;
                    self.block_is_whole(chunk, &mut 0, 0)
                }
                State::AfterReturnInBlockLine { .. } => {
                    self.block_end = chunk.base;
                    self.push(chunk, b"\r").or(self.block_is_whole(chunk, &mut 0, 0))
                }
                State::BetweenBlockLines { seen } => self.block_is_whole(chunk, &mut 0, seen),
                State::AfterBlock { seen } => self.after_block(chunk, 0, seen),
                State::BeforeScript { line: true } => {
                    self.state = State::Between;
                    self.begin_comment(chunk, self.token);
                    self.end_comment(chunk, 0, 0)
                }
                State::BeforeScript { line: false } => {
                    self.outer = self.token;
                    Some(self.unterminated_comment(chunk))
                }
                State::InScript { .. } => Some(self.unterminated_comment(chunk)),
                State::InSkipLength { .. } | State::InSkipped { .. } | State::Skipping => {
                    self.state = State::Between;
                    if !self.options.verbatim {
                        self.abandon_line_comment();
                    }
                    self.end_comment(chunk, 0, 0)
                }
                State::BeforeAnnotation => self.no_annotation(chunk),
                State::InAnnotation { .. } | State::AfterLeadInAnnotation(_) => Some(self.unterminated_comment(chunk)),
                State::BeforeHere => self.no_here(chunk),
                State::InHereLine { matched } if matched as usize == self.name.len() => self.here_is_whole(chunk, &mut 0),
                State::InHereName | State::InHereLine { .. } | State::InHereText => self.unterminated(chunk, ErrorKind::UnterminatedString),
                State::AfterQuote if self.rules().doubled => self.atom_is_whole(chunk, &mut 0, self.rules().kind, 0..0, 0),
                // The first byte of two that close it, but the second does not follow: it belongs to the text, which does not end.
                State::AfterQuote => {
                    self.state = State::InQuotes;
                    self.push(chunk, &[self.rules().close])
                }
                State::AfterReturn => {
                    self.state = State::Between;
                    self.token = self.part;
                    Some(self.fault_at(chunk, ErrorKind::ReturnWithoutLineFeed, self.part, None))
                }
                State::AfterReturnInComment => {
                    self.state = State::Between;
                    self.abandon_line_comment();
                    Some(self.fault_at(chunk, ErrorKind::ReturnWithoutLineFeed, self.part, None))
                }
                State::InLineComment if self.annotations > 0 => Some(self.unterminated_comment(chunk)),
                State::InLineComment => {
                    self.state = State::Between;
                    self.check_end_of_comment(chunk).or_else(|| self.end_comment(chunk, 0, 0))
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
                | State::AmongBlanks
                | State::AfterReturnInQuotes
                | State::BeforeEscapedLineEnd { .. }
                | State::InNumberName { .. }
                | State::InCodes { .. }
                | State::InModifier { .. } => {
                    if self.blocks > 0 || self.annotations > 0 {
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
        if hint != Hint::No {
            self.set_hint(Hint::No);
            self.token = self.outer;
        }
        match hint {
            Hint::Inside | Hint::Held { .. } => {
                self.forget_value();
                return self.fault(chunk, ErrorKind::UnterminatedHint, chunk.base, Some(self.outer));
            }
            Hint::Done => return self.fault(chunk, ErrorKind::MisplacedHint, chunk.base, None),
            Hint::No => {}
        }
        if self.lacks_datum() {
            return self.prefix_without_datum(chunk, chunk.base);
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
            self.brackets.clear();
            self.prefixed = false;
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
    fn unterminated(&mut self, chunk: &Chunk<'_>, kind: ErrorKind) -> Option<Step> {
        // The comment that drops the atom does not come to its end either.
        self.comment = None;
        self.breaks_off(chunk, kind, 0)
    }

    /// The atom breaks off before that place.
    pub(super) fn breaks_off(&mut self, chunk: &Chunk<'_>, kind: ErrorKind, at: usize) -> Option<Step> {
        self.state = State::Between;
        let (token, dropped) = (self.token, self.dropped);
        self.forget_atom();
        self.forget_value();
        let datum = self.datum_is_whole(chunk, at);
        if dropped { datum } else { Some(self.fault(chunk, kind, chunk.offset(at), Some(token))) }
    }

    /// The input ended in a token that needs more. What drops it comes to its end nevertheless.
    fn unterminated_token(&mut self, chunk: &Chunk<'_>, kind: ErrorKind) -> Option<Step> {
        self.state = State::InToken(Token::Escaped);
        if self.dropped {
            return None;
        }
        self.drop_atom();
        Some(self.fault(chunk, kind, chunk.base, Some(self.token)))
    }

    /// The input ended in an escape of a token, which is the token's fault.
    fn end_in_token_escape(&mut self, chunk: &Chunk<'_>, token: Token) -> Option<Step> {
        self.state = State::InToken(token);
        self.escape_fault(chunk, ErrorKind::IncompleteEscape)
    }

    pub(super) fn unterminated_comment(&mut self, chunk: &Chunk<'_>) -> Step {
        self.state = State::Between;
        self.blocks = 0;
        self.annotations = 0;
        self.forget_atom();
        if !self.discard.active() {
            self.comment = None;
            self.forget_value();
        }
        self.fault(chunk, ErrorKind::UnterminatedComment, chunk.base, Some(self.outer))
    }

    /// The input goes on beyond its limit, where the chunk ends.
    pub(crate) fn input_too_large(&mut self, chunk: &Chunk<'_>) -> Step {
        let end = chunk.offset(chunk.bytes.len());
        let unfinished = self.unfinished(end);
        self.state = State::Ignoring;
        let step = self.fault(chunk, ErrorKind::InputTooLarge, end, None);
        self.faulty = (unfinished.start < end).then_some(unfinished.start);
        step
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
        self.faulty = self.faulty(kind);
        let mut known = |mark: Position| if mark.line == 0 { self.lines.place(chunk.source, chunk.source_base, mark.offset) } else { mark };
        let opened = opened.map(&mut known);
        self.error = Error { kind, position: known(position), opened };
        Step::Error
    }
}
