//! Tokens that are delivered as they are written: bare atoms with escapes, characters, tagged tokens, templates, white space.

use super::{Chunk, Machine, State, Step, unknown};
use crate::error::ErrorKind;
use crate::lexeme::{Kind, Span};
use crate::syntax::{AtomEscape, Chars, Cont, Start};

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
}

/// What stands before the code point that a character is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Char {
    /// What begins the character.
    Plain,
    /// A modifier.
    Modified,
    /// An escape character, with which it belongs together.
    Escaped,
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
        let length = chunk.offset(end) - self.token.offset - self.behind;
        if self.dropped || self.options.atom.is_none_or(|limit| length <= limit) {
            return None;
        }
        self.drop_atom();
        Some(self.fault_at(chunk, ErrorKind::AtomTooLarge, self.token, None))
    }

    /// A token is complete, before `at`.
    pub(super) fn token_is_whole(&mut self, chunk: &Chunk<'_>, at: &mut usize, kind: Kind) -> Option<Step> {
        let fault = self.count_text(chunk, *at);
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
        // Emacs Lisp alone has escapes in characters.
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
        if token == Token::Directive { None } else { self.count_text(chunk, *at) }
    }

    /// Whether a character ends where the next one can begin: those that begin with `#` do.
    fn chars_end_at_hash(&self) -> bool {
        self.syntax.chars != Chars::CodePoint && self.syntax.start[b'\\' as usize] != Start::Char
    }

    /// A token is over before `at`, where that byte stands.
    fn token_ends(&mut self, chunk: &Chunk<'_>, at: &mut usize, token: Token, byte: u8) -> Option<Step> {
        match token {
            Token::Directive => {
                self.state = State::Between;
                if self.discard.active() { None } else { self.end_comment(chunk, *at, 0) }
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
        self.count_text(chunk, *at)
    }

    pub(super) fn after_bars_escape(&mut self, at: &mut usize) -> Option<Step> {
        *at += 1;
        self.state = State::InBars;
        None
    }

    /// A bare atom, which was so far of the run from `from` and what is in the value, turns out to be another token, whose state is given.
    #[cold]
    pub(super) fn atom_becomes(&mut self, chunk: &Chunk<'_>, from: usize, state: State) {
        self.kept = chunk.offset(from);
        self.raw = true;
        self.special = true;
        self.state = state;
    }

    pub(super) fn before_char(&mut self, chunk: &Chunk<'_>, at: &mut usize, char: Char) -> Option<Step> {
        let byte = chunk.bytes[*at];
        *at += 1;
        let left = match byte {
            0xc2..=0xdf => 1,
            0xe0..=0xef => 2,
            0xf0..=0xf7 => 3,
            0xf8 => 4,
            _ => 0,
        };
        if left > 0 {
            self.state = State::InChar { left };
            return None;
        }
        let delimits = self.syntax.cont[byte as usize] == Cont::End;
        self.state = State::InToken(Token::Char);
        match (self.syntax.chars, byte) {
            (Chars::CodePoint, b'\\') if char != Char::Escaped => {
                self.state = State::AfterTokenEscape(Token::Char);
                None
            }
            // Anything may follow a blank.
            (Chars::CodePoint, b' ' | b'\t') if char == Char::Plain => self.token_is_whole(chunk, at, Kind::Char),
            (Chars::CodePoint, _) => self.char_is_whole(chunk, at),
            // Nothing more can belong to a character that is a delimiter.
            (Chars::Free | Chars::Delimited, _) if delimits => self.char_is_whole(chunk, at),
            (Chars::Free | Chars::Delimited, _) => None,
        }
    }

    pub(super) fn in_char(&mut self, chunk: &Chunk<'_>, at: &mut usize, left: u8) -> Option<Step> {
        let more = matches!(chunk.bytes[*at], 0x80..=0xbf);
        *at += usize::from(more);
        if more && left > 1 {
            self.state = State::InChar { left: left - 1 };
            return None;
        }
        self.state = State::InToken(Token::Char);
        if self.syntax.chars == Chars::CodePoint { self.char_is_whole(chunk, at) } else { None }
    }

    /// A character is complete, which nothing may touch in some syntaxes.
    pub(super) fn char_is_whole(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let step = self.token_is_whole(chunk, at, Kind::Char);
        if self.syntax.chars != Chars::Free && self.state == State::Between {
            self.state = State::AfterToken;
        }
        step
    }

    /// After the escape character in a character of Emacs Lisp: a modifier, a number, a name, or what is escaped.
    fn after_char_escape(&mut self, chunk: &Chunk<'_>, at: &mut usize, byte: u8) -> Option<Step> {
        self.state = match byte {
            b'^' => State::BeforeChar(Char::Escaped),
            b'C' | b'M' | b'S' | b'H' | b'A' | b's' => State::AfterCharModifier,
            b'x' => State::InCharDigits { left: u8::MAX, octal: false },
            b'u' => State::InCharDigits { left: 4, octal: false },
            b'U' => State::InCharDigits { left: 8, octal: false },
            b'0'..=b'7' => State::InCharDigits { left: 2, octal: true },
            b'N' => State::InCharName { begun: false },
            0xc2..=0xf8 => {
                *at -= 1;
                State::BeforeChar(Char::Escaped)
            }
            _ => return self.char_is_whole(chunk, at),
        };
        None
    }

    /// After a modifier of a character: its dash, before what it modifies; else the modifier was the character.
    pub(super) fn after_char_modifier(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        if chunk.bytes[*at] != b'-' {
            return self.char_is_whole(chunk, at);
        }
        *at += 1;
        self.state = State::BeforeChar(Char::Modified);
        None
    }

    /// In the digits of a character of Emacs Lisp.
    pub(super) fn in_char_digits(&mut self, chunk: &Chunk<'_>, at: &mut usize, left: u8, octal: bool) -> Option<Step> {
        let digit = (chunk.bytes[*at] as char).is_digit(if octal { 8 } else { 16 });
        if left == 0 || !digit {
            return self.char_is_whole(chunk, at);
        }
        *at += 1;
        if left == 1 {
            return self.char_is_whole(chunk, at);
        }
        self.state = State::InCharDigits { left: if left == u8::MAX { left } else { left - 1 }, octal };
        None
    }

    /// In the name of a character of Emacs Lisp, which stands in braces.
    pub(super) fn in_char_name(&mut self, chunk: &Chunk<'_>, at: &mut usize, begun: bool) -> Option<Step> {
        match (begun, chunk.bytes[*at]) {
            (true, b'}') => {
                *at += 1;
                self.char_is_whole(chunk, at)
            }
            (false, b'{') | (true, _) => {
                *at += 1;
                self.state = State::InCharName { begun: true };
                None
            }
            _ => self.char_is_whole(chunk, at),
        }
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
            return Some(self.fault(chunk, ErrorKind::MissingSeparator, chunk.offset(*at), None));
        }
        None
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
        if self.state == State::Between {
            self.state = State::AfterWideAtom;
        }
        step
    }

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

    /// The byte after the atom that switches quotes: an atom, and perhaps the quote from then on.
    pub(super) fn before_quote_switch(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let here = *at;
        let byte = chunk.bytes[here];
        match self.syntax.start[byte as usize] {
            Start::Space => {
                *at += 1;
                if self.shows_space() {
                    self.switching = true;
                    self.begin_token(chunk.offset(here));
                    self.begin_text();
                    self.state = State::InSpace;
                }
                return None;
            }
            Start::Open | Start::Close => {
                self.state = State::Between;
                return None;
            }
            Start::Quote(quote) => self.only_quote = quote,
            _ => {}
        }
        *at += 1;
        self.begin_token(chunk.offset(here));
        self.begin_text();
        self.token_is_whole(chunk, at, Kind::Bare)
    }
}
