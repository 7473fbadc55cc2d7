//! Tokens that are delivered as they are written: bare atoms with escapes, tagged tokens, templates.

use super::{Chunk, Machine, State, Step, unknown};
use crate::error::ErrorKind;
use crate::lexeme::Kind;
use crate::syntax::{AtomEscape, Chars, Cont, Start, Written};

/// What a token is, or may turn out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A bare atom, or a prefix, if a list or string follows directly and its text is among the tags.
    Tagged,
    /// A prefix.
    Name,
    /// A bare atom with an escape in it.
    Escaped,
    /// A character.
    Char,
    /// A bare atom with a variable in it, or with what may yet become one.
    Template,
    /// A comment.
    Directive,
    /// None: it is over and was too large, as is the datum comment that drops it, whose fault comes next.
    Over { char: bool },
}

/// The first bytes of a token.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Text {
    bytes: [u8; 16],
    len: usize,
}

impl Text {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len.min(16)]
    }

    /// Adds bytes, as far as there is room; where there is none, it is too long to be any tag.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if let Some(place) = self.bytes.get_mut(self.len) {
                *place = byte;
            }
            self.len = self.len.saturating_add(1).min(17);
        }
    }

    fn is_whole(&self) -> bool {
        self.len <= 16
    }
}

impl Machine {
    /// The token at `token` is delivered as it is written.
    pub(super) fn begin_text(&mut self) {
        self.raw = true;
        self.special = true;
        self.adopt();
    }

    /// What of its text went with the chunks before belongs to the value.
    pub(super) fn adopt(&mut self) {
        if self.kept > self.token.offset && self.stores() && self.value.is_empty() {
            let text = self.tag;
            self.value.extend_from_slice(text.bytes());
        }
    }

    /// The chunk goes away: what of the token's text is in it is kept.
    pub(super) fn keep_text(&mut self, chunk: &Chunk<'_>, at: usize) {
        let Some(from) = self.kept.checked_sub(chunk.base) else { return };
        let mut text = &chunk.bytes[(from as usize).min(at)..at];
        if let (State::AfterWideSpace(_), [before @ .., _]) = (self.state, text) {
            text = before;
        }
        match self.state {
            State::AfterLead(_) | State::BeforeScript { .. } | State::BeforeAnnotation | State::BeforeHere => self.tag.extend(text),
            State::InLabel | State::InToken(Token::Tagged) | State::AfterWideSpace(Some(Token::Tagged)) => {
                self.tag.extend(text);
                self.keep_raw(text);
            }
            _ if self.raw => self.keep_raw(text),
            _ => {}
        }
        self.kept = chunk.offset(at);
    }

    fn keep_raw(&mut self, text: &[u8]) {
        let between = matches!(
            self.state,
            State::AtStart(_)
                | State::Between
                | State::AmongIllegal
                | State::AfterReturn
                | State::AfterToken
                | State::AfterWideAtom
                | State::AfterBlock { .. }
                | State::BeforeQuoteSwitch
                | State::InLargeLength
        );
        if self.raw && self.stores() && (!between || self.is_in_hint()) && self.blocks == 0 && self.comment.is_none() {
            self.value.extend_from_slice(text);
        }
    }

    /// The text of the token, up to `end`: where it is in the chunk, else in the value.
    pub(super) fn text(&mut self, chunk: &Chunk<'_>, end: usize) -> Option<(usize, usize)> {
        let from = (self.kept - chunk.base) as usize;
        if self.value.is_empty() {
            return Some((from, end));
        }
        self.value.extend_from_slice(&chunk.bytes[from..end]);
        None
    }

    /// Whether the token's text, up to `end`, is too long.
    pub(super) fn count_text(&mut self, chunk: &Chunk<'_>, end: usize) -> Option<Step> {
        self.count_text_to(chunk, chunk.offset(end))
    }

    /// Whether what stands in quotes, up to `end`, is too long where it is delivered as it is written: less was counted of it.
    #[cold]
    pub(super) fn count_written(&mut self, chunk: &Chunk<'_>, end: usize) -> Option<Step> {
        if !self.in_quotes || !(self.variable || self.rules().written == Written::Always) {
            return None;
        }
        self.count_text_to(chunk, if self.block_escapes.is_some() { self.block_end } else { chunk.offset(end) })
    }

    fn count_text_to(&mut self, chunk: &Chunk<'_>, end: u64) -> Option<Step> {
        let length = end - self.token.offset - self.behind;
        if self.dropped || self.options.atom.is_none_or(|limit| length <= limit) {
            return None;
        }
        self.drop_atom();
        Some(self.fault_at(chunk, ErrorKind::AtomTooLarge, self.token, None))
    }

    /// A token is complete, before `at`.
    pub(super) fn token_is_whole(&mut self, chunk: &Chunk<'_>, at: &mut usize, kind: Kind) -> Option<Step> {
        let fault = self.count_text(chunk, *at);
        if fault.is_some() && self.comment.is_some() {
            self.state = State::InToken(Token::Over { char: false });
            return fault;
        }
        self.state = State::Between;
        if fault.is_some() {
            self.forget_atom();
            self.forget_value();
            return self.datum_is_whole(chunk, *at).and(fault).or(fault);
        }
        if self.dropped {
            self.forget_atom();
            self.forget_value();
            return self.datum_is_whole(chunk, *at);
        }
        self.hand_out(chunk, kind, None, *at)
    }

    pub(super) fn in_token(&mut self, chunk: &Chunk<'_>, at: &mut usize, token: Token) -> Option<Step> {
        if let Token::Over { .. } = token {
            return self.token_ends(chunk, at, token, 0);
        }
        // Only characters that are one code point have escapes.
        let plain_char = token == Token::Char && self.syntax.chars != Chars::CodePoint;
        while let Some(&byte) = chunk.bytes.get(*at) {
            match self.syntax.cont[byte as usize] {
                Cont::Escape | Cont::Bars if plain_char => *at += 1,
                Cont::Atom | Cont::Guard if !(token == Token::Char && byte == b'#' && self.chars_end_at_hash()) => *at += 1,
                Cont::Escape if !matches!(token, Token::Directive) => {
                    self.part = unknown(chunk.offset(*at));
                    *at += 1;
                    self.state = State::AfterTokenEscape(if token == Token::Char { token } else { Token::Escaped });
                    return None;
                }
                Cont::Bars if !matches!(token, Token::Char | Token::Directive) => {
                    *at += 1;
                    self.state = State::InBars;
                    return None;
                }
                Cont::Variable if token == Token::Template => {
                    *at += 1;
                    self.state = State::AfterVariableLead;
                    return None;
                }
                Cont::WideSpace => {
                    let second = self.syntax.wide_space.map(|[_, second]| second);
                    match chunk.bytes.get(*at + 1) {
                        Some(&next) if Some(next) == second => return self.token_ends(chunk, at, token, byte),
                        Some(_) => *at += 1,
                        None => {
                            *at += 1;
                            self.state = State::AfterWideSpace(Some(token));
                            return None;
                        }
                    }
                }
                _ => return self.token_ends(chunk, at, token, byte),
            }
        }
        None
    }

    /// A token is over before `at`, where that byte stands.
    pub(super) fn token_ends(&mut self, chunk: &Chunk<'_>, at: &mut usize, token: Token, byte: u8) -> Option<Step> {
        match token {
            Token::Directive => {
                self.state = State::Between;
                self.end_comment(chunk, *at, 0)
            }
            Token::Name => self.prefix(chunk, *at),
            Token::Tagged => {
                let opens = match self.syntax.start[byte as usize] {
                    Start::Open => true,
                    Start::Quote(quote) => self.syntax.quotes[quote as usize].kind == Kind::String,
                    _ => false,
                };
                if opens && self.is_tag(chunk, *at) { self.prefix(chunk, *at) } else { self.token_is_whole(chunk, at, Kind::Bare) }
            }
            Token::Char => self.token_is_whole(chunk, at, Kind::Char),
            Token::Escaped => self.token_is_whole(chunk, at, Kind::Escaped),
            Token::Template => self.template_is_whole(chunk, at),
            Token::Over { char: true } => self.char_is_whole(chunk, at),
            Token::Over { char: false } => self.token_is_whole(chunk, at, Kind::Bare),
        }
    }

    /// The input ends in a token.
    pub(super) fn end_in_token(&mut self, chunk: &Chunk<'_>, token: Token) -> Option<Step> {
        self.token_ends(chunk, &mut 0, token, 0)
    }

    /// Whether the token's text is among the tags, digits left out.
    fn is_tag(&mut self, chunk: &Chunk<'_>, end: usize) -> bool {
        let from = (self.kept - chunk.base) as usize;
        let mut text = self.tag;
        if self.kept == self.token.offset {
            text.clear();
        }
        text.extend(&chunk.bytes[from..end]);
        let is = |tag: &[u8]| {
            let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let whole = text.bytes();
            let after = |head: usize| {
                let rest = &whole[head..];
                whole[..head] == tag[..head] && rest[digits(rest)..] == tag[head..]
            };
            let heads = 1 + usize::from(tag.get(1).is_some_and(|byte| !byte.is_ascii_alphanumeric()));
            whole == tag || tag.len() <= whole.len() && (1..=heads).any(after)
        };
        text.is_whole() && self.syntax.tags.iter().any(|tag| is(tag))
    }

    pub(super) fn after_token_escape(&mut self, chunk: &Chunk<'_>, at: &mut usize, token: Token) -> Option<Step> {
        let byte = chunk.bytes[*at];
        *at += 1;
        if token == Token::Char {
            self.state = State::InToken(token);
            return self.after_char_escape(chunk, at, byte);
        }
        match self.syntax.atom_escape {
            AtomEscape::Any => self.state = State::InToken(token),
            AtomEscape::Hex if byte == b'x' => self.state = State::InTokenNumber { digits: 0, value: 0 },
            AtomEscape::Hex => {
                self.state = State::InToken(token);
                if let Some(fault) = self.count_text(chunk, *at - 1) {
                    return Some(fault);
                }
                if !self.dropped {
                    self.drop_atom();
                    return Some(self.fault_at(chunk, ErrorKind::UnknownEscape(byte), self.part, None));
                }
            }
        }
        None
    }

    pub(super) fn in_token_number(&mut self, chunk: &Chunk<'_>, at: &mut usize, digits: u8, value: u32) -> Option<Step> {
        let (mut digits, mut value) = (digits, value);
        while let Some(&byte) = chunk.bytes.get(*at) {
            let Some(digit) = (byte as char).to_digit(16) else {
                let fault = match byte {
                    b';' if digits > 0 && char::from_u32(value).is_some() => None,
                    b';' if digits > 0 => Some(ErrorKind::EscapeOutOfRange),
                    _ => Some(ErrorKind::IncompleteEscape),
                };
                let (Some(fault), false) = (fault, self.dropped) else {
                    *at += usize::from(byte == b';');
                    self.state = State::InToken(Token::Escaped);
                    return None;
                };
                if let Some(fault) = self.count_text(chunk, *at) {
                    return Some(fault);
                }
                *at += usize::from(byte == b';');
                self.state = State::InToken(Token::Escaped);
                self.drop_atom();
                return Some(self.fault_at(chunk, fault, self.part, None));
            };
            digits = 1;
            value = value.saturating_mul(16).saturating_add(digit);
            *at += 1;
        }
        self.state = State::InTokenNumber { digits, value };
        None
    }

    pub(super) fn in_bars(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        while let Some(&byte) = chunk.bytes.get(*at) {
            *at += 1;
            match self.syntax.cont[byte as usize] {
                Cont::Bars => {
                    self.state = State::InToken(Token::Escaped);
                    return None;
                }
                Cont::Escape if self.syntax.escapes_in_bars => {
                    self.state = State::AfterBarsEscape;
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    pub(super) fn after_bars_escape(&mut self, at: &mut usize) -> Option<Step> {
        *at += 1;
        self.state = State::InBars;
        None
    }

    /// A bare atom, which was so far of the run from `from` and what is in the value, turns out to be another token, whose state is given.
    #[cold]
    pub(super) fn atom_becomes(&mut self, chunk: &Chunk<'_>, from: usize, state: State) {
        // Where all text is kept anyway, it is known from where on.
        if !self.raw {
            self.kept = chunk.offset(from);
        }
        self.raw = true;
        self.special = true;
        self.state = state;
    }

    /// A token was delivered that nothing may touch.
    pub(super) fn after_token(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        self.state = State::Between;
        if self.complete && !self.discard.active() {
            // Whatever follows is too much.
            return None;
        }
        let byte = chunk.bytes[*at];
        let touches = self.syntax.cont[byte as usize] != Cont::End
            || self.syntax.separators && matches!(self.syntax.start[byte as usize], Start::Quote(_));
        let wide = self.syntax.wide_space.is_some_and(|[first, _]| first == byte);
        if touches && !wide && !self.syntax.may_touch.contains(&byte) {
            self.token = unknown(chunk.offset(*at));
            return Some(self.fault(chunk, ErrorKind::MissingSeparator, chunk.offset(*at), None));
        }
        None
    }

    /// The chunk ends in a token: whether that is too long already.
    pub(super) fn pause_elsewhere(&mut self, chunk: &Chunk<'_>, at: usize) -> Option<Step> {
        let is_text = match self.state {
            State::AfterVariableLead | State::InVariable { .. } => !self.in_quotes,
            State::InToken(Token::Directive) => false,
            State::InLabel
            | State::InToken(_)
            | State::AfterTokenEscape(_)
            | State::InTokenNumber { .. }
            | State::InBars
            | State::AfterBarsEscape
            | State::BeforeChar(_)
            | State::AfterCharModifier
            | State::InChar { .. }
            | State::InCharDigits { .. }
            | State::InCharName { .. } => true,
            _ => false,
        };
        let fault = if is_text { self.count_text(chunk, at) } else { None };
        fault.or(Some(Step::Await))
    }
}
