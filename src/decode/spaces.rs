//! White space: where it is delivered, and where it takes two bytes.

use super::tokens::Token;
use super::{Chunk, Machine, State, Step};
use crate::lexeme::{Kind, Span};
use crate::syntax::Start;

impl Machine {
    /// Whether white space is delivered here.
    pub(super) fn shows_space(&self) -> bool {
        self.options.verbatim && !self.is_in_hint() && !self.discard.active() && self.too_deep == 0
    }

    pub(super) fn in_space(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        while let Some(&byte) = chunk.bytes.get(*at) {
            if !matches!(self.syntax.start[byte as usize], Start::Space | Start::Return) {
                return self.space_is_whole(chunk, *at);
            }
            *at += 1;
        }
        None
    }

    pub(super) fn space_is_whole(&mut self, chunk: &Chunk<'_>, end: usize) -> Option<Step> {
        self.state = if core::mem::take(&mut self.switching) { State::BeforeQuoteSwitch } else { State::Between };
        let run = self.text(chunk, end);
        self.spent = run.is_none();
        self.forget_atom();
        Some(self.found(Kind::Space, run, Span { start: self.token.offset, end: chunk.offset(end) }))
    }

    /// In an atom, after the first byte of a space of two bytes, with which the chunk before ended.
    pub(super) fn after_wide_space(&mut self, chunk: &Chunk<'_>, at: &mut usize, token: Option<Token>) -> Option<Step> {
        let Some([_, second]) = self.syntax.wide_space else { unreachable!("no such space") };
        if chunk.bytes[*at] != second {
            return self.wide_space_is_none(chunk, token);
        }
        // The atom ended before its first byte.
        self.ends_before_wide_space(chunk, token)
    }

    /// Behind such an atom: the space, of which the first byte is gone.
    pub(super) fn after_wide_atom(&mut self, chunk: &Chunk<'_>, at: usize) -> Option<Step> {
        let first = self.syntax.wide_space.map_or(0, |[first, _]| first);
        let lead = self.syntax.leads.iter().position(|lead| lead.byte == first).unwrap_or_default();
        self.begin_token(chunk.offset(at) - 1);
        self.tag.clear();
        self.tag.extend(&[first]);
        self.kept = chunk.offset(at);
        self.state = State::AfterLead(lead as u8);
        None
    }

    /// What could have been the first byte of a space belongs to the atom.
    pub(super) fn wide_space_is_none(&mut self, chunk: &Chunk<'_>, token: Option<Token>) -> Option<Step> {
        let first = self.syntax.wide_space.map_or(0, |[first, _]| first);
        if self.raw && self.stores() {
            self.value.push(first);
        }
        let Some(token) = token else {
            self.state = State::InAtom(first);
            return self.keep(&[first]).map(|kind| self.fault_at(chunk, kind, self.token, None));
        };
        if token == Token::Tagged {
            self.tag.extend(&[first]);
        }
        self.state = State::InToken(token);
        None
    }

    /// The atom ended one byte before the chunk.
    pub(super) fn ends_before_wide_space(&mut self, chunk: &Chunk<'_>, token: Option<Token>) -> Option<Step> {
        let mut end = 0;
        self.behind = 1;
        let step = match token {
            Some(token) => self.token_ends(chunk, &mut end, token, b' '),
            None => self.atom_is_whole(chunk, &mut end, Kind::Bare, 0..0, 0),
        };
        self.behind = 0;
        if step == Some(Step::Lexeme) {
            self.found.span.end -= 1;
        }
        if matches!(self.state, State::Between) {
            self.state = State::AfterWideAtom;
        }
        step
    }
}
