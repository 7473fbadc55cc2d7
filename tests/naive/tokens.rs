//! Bare atoms and what looks like them: with escapes, with bars, prefixes, characters, variables.

use super::atoms::{Atom, Value};
use super::rules::{AtomEscape, Escapes, Rules};
use super::{Naive, Read};
use sexp_codec::{ErrorKind, Kind};

impl Rules {
    /// Whether a byte belongs to a bare atom that has begun.
    pub(super) fn continues(&self, byte: u8) -> bool {
        (self.bare)(byte) || byte == b'\\' && self.atom_escape != AtomEscape::None || byte == b'|' && self.bars.is_some()
    }
}

impl Naive<'_> {
    /// Reads a bare atom. Its first byte belongs to it, whatever it is.
    pub(super) fn token(&mut self, value: &mut Value) -> Read<Kind> {
        let first = value.first;
        let mut last = None;
        let mut escaped = false;
        let mut template = false;
        while let Some(byte) = self.peek()? {
            let begins = self.tape.next == first;
            if self.rules.labels && matches!(byte, b'=' | b'#') && is_label(&self.tape.bytes[first..self.tape.next]) {
                self.push(value, byte);
                self.tape.next += 1;
                return Ok(if byte == b'=' { Kind::Prefix } else { Kind::Bare });
            }
            if !begins && !self.rules.continues(byte) {
                break;
            }
            if self.rules.wide_space && byte == 0xc2 && self.peek_at(1)? == Some(0xa0) {
                break;
            }
            // In Emacs Lisp a dot directly before a character is that of a pair.
            if self.rules.wide_space && byte == b'?' && self.tape.bytes[first..self.tape.next] == *b"." {
                break;
            }
            if self.rules.guard && matches!((last, byte), (Some(b'#'), b'|') | (Some(b'|'), b'#')) {
                self.fault(value, ErrorKind::CommentInAtom, self.place() - 1);
            }
            last = Some(byte);
            match byte {
                b'\\' if self.rules.atom_escape == AtomEscape::Any => {
                    escaped = true;
                    self.escape_in_token(value)?;
                }
                b'\\' if self.rules.atom_escape == AtomEscape::Hex => {
                    escaped = true;
                    let from = self.tape.next;
                    // What is read until it shows whether the escape is right counts.
                    let is_digit = |byte: &&u8| byte.is_ascii_hexdigit();
                    let right = match &self.tape.bytes[from + 1..] {
                        [b'x', digits @ ..] => 2 + digits.iter().take_while(is_digit).count(),
                        _ => 1,
                    };
                    for i in from..from + right {
                        self.push(value, self.tape.bytes[i]);
                    }
                    let mut trial = self.clone();
                    let mut code = Value::new(self.place(), from, None);
                    trial.escape(&HEX, &mut code)?;
                    let ended = trial.tape.next == self.tape.bytes.len() && !self.tape.bytes.ends_with(b";");
                    if code.good && !ended {
                        for i in from + right..trial.tape.next {
                            self.push(value, self.tape.bytes[i]);
                        }
                    }
                    code.good = value.good;
                    self.escape(&HEX, &mut code)?;
                    if ended {
                        self.fault(&mut code, ErrorKind::IncompleteEscape, from as u64);
                    }
                    value.good &= code.good;
                }
                b'|' if let Some(escapes) = self.rules.bars => {
                    escaped = true;
                    self.bars(escapes, value)?;
                }
                b'%' if self.rules.variables && self.peek_at(1)? == Some(b'{') => {
                    template = true;
                    self.variable(value)?;
                }
                _ => {
                    self.push(value, byte);
                    self.tape.next += 1;
                }
            }
        }
        let text = &self.tape.bytes[first..self.tape.next];
        let before = self.peek()?.is_some_and(|byte| byte == b'"' || self.rules.lists.iter().any(|list| list[0] == byte));
        Ok(if before && !escaped && is_tag(self.rules.tags, text) {
            Kind::Prefix
        } else if escaped {
            Kind::Escaped
        } else if template {
            Kind::Template
        } else {
            Kind::Bare
        })
    }

    /// `\` and the byte after it.
    fn escape_in_token(&mut self, value: &mut Value) -> Read<()> {
        let lead = self.place();
        self.push(value, b'\\');
        self.tape.next += 1;
        match self.peek()? {
            Some(byte) => {
                self.push(value, byte);
                self.tape.next += 1;
            }
            None => self.fault(value, ErrorKind::IncompleteEscape, lead),
        }
        Ok(())
    }

    /// Two bars and what is between them.
    fn bars(&mut self, escapes: bool, value: &mut Value) -> Read<()> {
        self.push(value, b'|');
        self.tape.next += 1;
        while let Some(byte) = self.peek()? {
            self.push(value, byte);
            self.tape.next += 1;
            if byte == b'|' {
                return Ok(());
            }
            if byte == b'\\'
                && escapes
                && let Some(byte) = self.peek()?
            {
                self.push(value, byte);
                self.tape.next += 1;
            }
        }
        let (end, start) = (self.tape.end, value.start);
        self.fault_opened(value, ErrorKind::UnterminatedString, end, start);
        Ok(())
    }

    /// `%{name}` or `%{name:payload}`.
    pub(super) fn variable(&mut self, value: &mut Value) -> Read<()> {
        self.push(value, b'%');
        self.push(value, b'{');
        self.tape.next += 2;
        let mut payload = false;
        let mut any = false;
        while let Some(byte) = self.peek()? {
            match byte {
                b'}' if any => {
                    self.push(value, byte);
                    self.tape.next += 1;
                    return Ok(());
                }
                b':' if payload => any = true,
                b':' if any => (payload, any) = (true, false),
                _ if (self.rules.bare)(byte) && !b"%{}:".contains(&byte) => any = true,
                _ => {
                    self.fault(value, ErrorKind::IllegalInTemplate(byte), self.place());
                    return Ok(());
                }
            }
            self.push(value, byte);
            self.tape.next += 1;
        }
        if !self.in_quotes {
            self.fault(value, ErrorKind::IllegalInTemplate(b'{'), self.tape.end);
        }
        Ok(())
    }

    /// Reads a character, from behind its mark.
    pub(super) fn character(&mut self, value: &mut Value) -> Read<Kind> {
        self.push_written(value);
        let whatever = self.code_point_here(value)?;
        if whatever.is_some_and(|byte| self.rules.continues(byte)) {
            while let Some(byte) = self.peek()? {
                if !self.rules.continues(byte) || byte == b'#' && self.rules.character_ends_at_hash {
                    break;
                }
                self.push(value, byte);
                self.tape.next += 1;
            }
        }
        self.separate = Some((self.behind(), self.rules.may_follow));
        Ok(Kind::Char)
    }

    /// Reads a character of Emacs, from behind the `?`.
    pub(super) fn emacs_character(&mut self, value: &mut Value) -> Read<Kind> {
        self.push_written(value);
        if self.peek()? != Some(b'\\') {
            // Anything may follow a blank.
            if !matches!(self.code_point_here(value)?, Some(b' ' | b'\t')) {
                self.separate = Some((self.behind(), self.rules.may_follow));
            }
            return Ok(Kind::Char);
        }
        while self.peek()? == Some(b'\\') {
            self.push(value, b'\\');
            self.tape.next += 1;
            let name = self.code_point_here(value)?;
            let modifier = match name {
                Some(b'^') => true,
                Some(b'C' | b'M' | b'S' | b'H' | b'A' | b's') if self.peek()? == Some(b'-') => {
                    self.push(value, b'-');
                    self.tape.next += 1;
                    true
                }
                _ => false,
            };
            if !modifier {
                let (digits, radix) = match name {
                    Some(b'x') => (usize::MAX, 16),
                    Some(b'u') => (4, 16),
                    Some(b'U') => (8, 16),
                    Some(b'0'..=b'7') => (2, 8),
                    _ => (0, 8),
                };
                for _ in 0..digits {
                    let Some(digit) = self.peek()?.filter(|&byte| (byte as char).is_digit(radix)) else { break };
                    self.push(value, digit);
                    self.tape.next += 1;
                }
                if name == Some(b'N') && self.peek()? == Some(b'{') {
                    while let Some(byte) = self.peek()? {
                        self.push(value, byte);
                        self.tape.next += 1;
                        if byte == b'}' {
                            break;
                        }
                    }
                }
                break;
            }
            if self.peek()? != Some(b'\\') {
                self.code_point_here(value)?;
                break;
            }
        }
        self.separate = Some((self.behind(), self.rules.may_follow));
        Ok(Kind::Char)
    }

    /// What stands before the next byte belongs to the value.
    pub(super) fn push_written(&mut self, value: &mut Value) {
        for i in value.first..self.tape.next {
            self.push(value, self.tape.bytes[i]);
        }
    }

    /// Takes one code point, as far as there is one; gives its first byte.
    fn code_point_here(&mut self, value: &mut Value) -> Read<Option<u8>> {
        let Some(first) = self.peek()? else {
            self.fault_opened(value, ErrorKind::PrematureEnd, self.tape.end, value.start);
            return Ok(None);
        };
        self.push(value, first);
        self.tape.next += 1;
        let more = match first {
            0xc2..=0xdf => 1,
            0xe0..=0xef => 2,
            0xf0..=0xf7 => 3,
            0xf8 => 4,
            _ => 0,
        };
        for _ in 0..more {
            match self.peek()? {
                Some(byte @ 0x80..=0xbf) => {
                    self.push(value, byte);
                    self.tape.next += 1;
                }
                _ => break,
            }
        }
        Ok(Some(first))
    }

    /// The atom that a token is.
    pub(super) fn token_atom(&mut self, read: impl FnOnce(&mut Self, &mut Value) -> Read<Kind>, take: usize) -> Read<Atom> {
        let mut value = self.value();
        let start = value.start;
        self.tape.next += take;
        let kind = read(self, &mut value)?;
        Ok(Atom { kind, value: value.good.then_some(value.bytes), start, end: Some(self.behind()) })
    }
}

/// `\x41;`.
static HEX: Escapes = Escapes {
    numbers: &[super::rules::Number {
        end: Some((b';', true)),
        ..super::rules::number(b"x", 16, 1, usize::MAX, super::rules::Value::Code)
    }],
    ..super::rules::ESCAPES
};

/// `#` and at least one digit.
fn is_label(text: &[u8]) -> bool {
    matches!(text, [b'#', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// Whether the text, digits directly after `#` or `#&` left out, is in the list.
fn is_tag(tags: &[&[u8]], text: &[u8]) -> bool {
    let lead = if text.starts_with(b"#&") { 2 } else { 1 };
    if !text.starts_with(b"#") {
        return false;
    }
    let digits = text[lead..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest: Vec<u8> = [&text[..lead], &text[lead + digits..]].concat();
    tags.contains(&&rest[..])
}
