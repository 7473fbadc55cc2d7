//! Bytes whose meaning the byte after them decides, prefixes and labels.

use super::chars::Char;
use super::tokens::Token;
use super::{Chunk, Machine, State, Step, unknown};
use crate::error::ErrorKind;
use crate::lexeme::{Kind, Position, Span};
use crate::syntax::{Next, Start};

/// What became of a byte that begins something.
pub(super) enum Led {
    /// The state says how it goes on.
    On,
    /// A bare atom begins with it.
    Atom,
    /// It came to a step, or to nothing that is delivered.
    Step(Option<Step>),
}

impl Machine {
    pub(super) fn after_lead(&mut self, chunk: &Chunk<'_>, at: &mut usize, lead: u8) -> Option<Step> {
        self.state = State::Between;
        let next = chunk.bytes[*at];
        match self.lead(chunk, at, lead, Some(next)) {
            Led::On => None,
            Led::Atom => self.late_atom(chunk),
            Led::Step(step) => step,
        }
    }

    /// The lead is the last byte of the input.
    pub(super) fn end_after_lead(&mut self, chunk: &Chunk<'_>, lead: u8) -> Option<Step> {
        self.state = State::Between;
        match self.lead(chunk, &mut 0, lead, None) {
            Led::On => None,
            Led::Atom => self.late_atom(chunk),
            Led::Step(step) => step,
        }
    }

    /// The lead, in a chunk that is gone, begins a bare atom.
    fn late_atom(&mut self, chunk: &Chunk<'_>) -> Option<Step> {
        let text = self.tag;
        let lead = text.bytes().last().copied().unwrap_or_default();
        self.state = State::InAtom(lead);
        self.part = self.token;
        if self.raw {
            self.adopt();
        }
        self.keep(text.bytes()).map(|kind| self.fault_at(chunk, kind, self.token, None))
    }

    /// What a lead, at `token`, and the byte after it are. `at` stands at that byte.
    pub(super) fn lead(&mut self, chunk: &Chunk<'_>, at: &mut usize, lead: u8, next: Option<u8>) -> Led {
        let row = &self.syntax.leads[lead as usize];
        let next = next.map_or(row.alone, |byte| row.next[byte as usize]);
        if self.complete && !self.discard.active() && !next.is_comment() {
            return Led::Step(Some(self.trailing(chunk)));
        }
        *at += usize::from(next.takes_both());
        match next {
            Next::Atom => return Led::Atom,
            Next::Tag => self.begin_token_text(State::InToken(Token::Tagged)),
            Next::Name => self.begin_token_text(State::InToken(Token::Name)),
            Next::Digits => self.begin_token_text(State::InLabel),
            Next::PrefixBefore | Next::Prefix => {
                self.begin_text();
                return Led::Step(self.prefix(chunk, *at));
            }
            Next::PrefixAt => self.begin_token_text(State::AfterPrefix),
            Next::Alone | Next::Both | Next::BothEscaped => {
                self.begin_text();
                let kind = if next != Next::BothEscaped { Kind::Bare } else { Kind::Escaped };
                return Led::Step(self.token_is_whole(chunk, at, kind));
            }
            Next::Char => self.begin_token_text(State::BeforeChar(Char::Plain)),
            Next::Quote(quote) => {
                self.begin_quotes(quote);
                if self.raw {
                    self.adopt();
                }
                if self.rules().keeps_lead {
                    return Led::Step(self.push(chunk, &[row.byte]));
                }
            }
            Next::Block => {
                self.outer = self.token;
                self.begin_comment(chunk, self.token);
                self.blocks = 1;
                self.state = State::InBlock;
            }
            Next::Datum if self.too_deep == 0 => {
                self.begin_comment(chunk, self.token);
                // In a list that is dropped, the datum of a prefix before it is one more that is wanted.
                let prefixed = core::mem::take(&mut self.dropped_prefix) && self.discard.pending == 0;
                self.discard.pending += 1 + u64::from(prefixed);
                self.note();
            }
            Next::Datum => {}
            Next::Line => {
                self.begin_comment(chunk, self.token);
                self.state = State::InLineComment;
            }
            Next::Directive => {
                self.begin_comment(chunk, self.token);
                self.state = State::InToken(Token::Directive);
            }
            Next::Script => self.state = State::BeforeScript { line: false },
            Next::Header => self.state = State::BeforeScript { line: true },
            Next::Annotation => self.state = State::BeforeAnnotation,
            Next::Here => self.state = State::BeforeHere,
            Next::Skip => {
                if self.options.verbatim {
                    self.begin_comment(chunk, self.token);
                }
                self.state = State::InSkipLength { value: 0, zeros: 0 };
            }
            Next::Space if self.shows_space() => self.begin_token_text(State::InSpace),
            Next::Space => {}
            Next::Open => {
                let here = self.token.offset;
                return Led::Step(match here.checked_sub(chunk.base) {
                    Some(here) => self.open(chunk, here as usize),
                    None => self.late_open(chunk),
                });
            }
            Next::Illegal => {
                return Led::Step(Some(self.fault_at(chunk, ErrorKind::IllegalDispatch(row.byte), self.token, None)));
            }
        }
        Led::On
    }

    /// What the lead and that byte could have begun, they do not: the lead is an error, and the byte begins an atom.
    pub(super) fn illegal_lead(&mut self, chunk: &Chunk<'_>, lead: u8, next: u8) -> Option<Step> {
        let place = self.token;
        self.begin_token(place.offset + 1);
        if place.line != 0 {
            self.token = Position { offset: place.offset + 1, line: place.line, column: place.column + 1 };
        }
        self.state = State::InAtom(next);
        if self.raw && self.token.offset < chunk.base {
            self.kept = chunk.base;
            self.value.push(next);
        }
        // If one byte is too large, that is told when the atom goes on or ends.
        self.length += 1;
        if self.stores() && !self.raw {
            self.value.push(next);
        }
        Some(self.fault_at(chunk, ErrorKind::IllegalDispatch(lead), place, None))
    }

    /// A token begins that is delivered as written.
    fn begin_token_text(&mut self, state: State) {
        self.begin_text();
        self.state = state;
    }

    /// What begins with a byte that begins neither atoms nor quotes nor a lead. `at` stands behind it.
    pub(super) fn begin_other(&mut self, chunk: &Chunk<'_>, at: &mut usize, here: usize, start: Start) -> Led {
        match start {
            Start::Prefix => {
                self.begin_text();
                return Led::Step(self.prefix(chunk, *at));
            }
            Start::Char => self.begin_token_text(State::BeforeChar(Char::Plain)),
            Start::Escape => {
                self.part = unknown(chunk.offset(here));
                self.begin_token_text(State::AfterTokenEscape(Token::Escaped));
            }
            Start::Bars => self.begin_token_text(State::InBars),
            Start::Variable => {
                *at = here;
                return Led::Atom;
            }
            Start::FirstOnLine if self.is_blank_before(chunk, here) => {
                let place = unknown(chunk.offset(here));
                self.begin_comment(chunk, place);
                self.state = State::InLineComment;
            }
            Start::Dash if self.touches(chunk, here) => {
                self.begin_text();
                return Led::Step(self.token_is_whole(chunk, at, Kind::Bare));
            }
            _ => return Led::Atom,
        }
        Led::On
    }

    /// A prefix is complete, before `end`.
    pub(super) fn prefix(&mut self, chunk: &Chunk<'_>, end: usize) -> Option<Step> {
        if self.dropped {
            self.state = State::Between;
            self.forget_atom();
            self.forget_value();
            return None;
        }
        // What is but one or two marks is never too large.
        let marks = matches!(self.state, State::Between | State::AfterPrefix);
        self.state = State::Between;
        if !marks && let Some(fault) = self.count_text(chunk, end) {
            self.forget_atom();
            self.forget_value();
            return Some(fault);
        }
        if self.discard.active() {
            self.dropped_prefix = true;
            self.forget_atom();
            return None;
        }
        self.prefixed = true;
        if self.too_deep > 0 {
            self.forget_atom();
            return None;
        }
        let run = self.text(chunk, end);
        self.spent = run.is_none();
        self.forget_atom();
        self.any = true;
        Some(self.found(Kind::Prefix, run, Span { start: self.token.offset, end: chunk.offset(end) }))
    }

    pub(super) fn after_prefix(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        *at += usize::from(chunk.bytes[*at] == b'@');
        self.prefix(chunk, *at)
    }

    pub(super) fn in_label(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        while let Some(&byte) = chunk.bytes.get(*at) {
            if !byte.is_ascii_digit() {
                match byte {
                    b'=' => {
                        *at += 1;
                        return self.prefix(chunk, *at);
                    }
                    b'#' => {
                        *at += 1;
                        return self.token_is_whole(chunk, at, Kind::Bare);
                    }
                    _ => {
                        self.state = State::InToken(Token::Tagged);
                        return None;
                    }
                }
            }
            *at += 1;
        }
        None
    }

    /// Whether a blank line, as far as it goes, ends with these bytes and those before the chunk.
    pub(super) fn is_blank_before(&self, chunk: &Chunk<'_>, end: usize) -> bool {
        let bytes = &chunk.bytes[..end];
        match bytes.iter().rposition(|&byte| byte == b'\n' || self.syntax.start[byte as usize] != Start::Space) {
            Some(last) => bytes[last] == b'\n' || self.marked && chunk.offset(last) == 2,
            None => self.blank_line,
        }
    }

    /// Whether something directly before the place is neither white space nor the start of a list.
    fn touches(&self, chunk: &Chunk<'_>, here: usize) -> bool {
        let before = chunk.bytes[..here].last().copied().unwrap_or(self.before);
        !(self.marked && chunk.offset(here) == 3 || matches!(self.syntax.start[before as usize], Start::Space | Start::Open))
    }

    /// The chunk goes away.
    pub(super) fn look_back(&mut self, chunk: &Chunk<'_>, end: usize) {
        self.blank_line = self.is_blank_before(chunk, end);
        if let Some(&last) = chunk.bytes[..end].last() {
            self.before = last;
        }
    }
}
