//! Escapes in quotes.

use super::{Chunk, Machine, State, Step};
use crate::error::ErrorKind;
use crate::syntax::{Continuation, Escape, Number, Text, Value};

/// Beside the number of digits: an underscore is the last byte.
const GAP: u8 = 0x80;

const CONTROL: u8 = 1;
const META: u8 = 2;
const SHIFT: u8 = 4;
const OTHER: u8 = 8;

impl Machine {
    pub(super) fn after_escape(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let quote = self.rules();
        let byte = chunk.bytes[*at];
        *at += 1;
        if quote.text[byte as usize] == Text::LineEnd {
            // The string is over there, whatever stands before it.
            *at -= 1;
            self.state = State::InQuotes;
            return None;
        }
        self.escaped = true;
        // With the first escape of a string a block of lines may begin.
        let first = self.part.offset == self.token.offset + 1 && self.in_quotes && self.block_escapes.is_none();
        if first && self.syntax.block_strings && matches!(byte, b'|' | b'>') && self.blocks == 0 {
            self.state = State::AfterBlockMark { escapes: byte == b'|' };
            return None;
        }
        self.go_on_in_quotes();
        match quote.escape[byte as usize] {
            Escape::Byte(value) if self.modifiers != 0 => self.push_modified(chunk, u32::from(value)),
            Escape::Byte(value) => self.push(chunk, &[value]),
            Escape::Both => self.push(chunk, &[quote.lead, byte]),
            // A line end vanishes with its modifiers; anything else can be modified.
            Escape::Nothing if self.modifiers != 0 && byte != b'\n' => self.push_modified(chunk, u32::from(byte)),
            Escape::Nothing => None,
            Escape::Unknown => self.escape_fault(chunk, ErrorKind::UnknownEscape(byte)),
            Escape::Blank => {
                self.state = State::BeforeEscapedLineEnd { blanks: 1, tabs: u32::from(byte == b'\t') };
                None
            }
            Escape::Modifier => self.begin_modifier(byte),
            Escape::LineEnd if self.block_escapes.is_some() => {
                // In a line of a block the line end vanishes, and the line is over.
                self.end_block_line(chunk, at, byte)
            }
            Escape::Number(number) => {
                let rule = number.digits();
                self.state = match rule.name {
                    [] => State::InNumber { number, digits: 1, value: (byte as char).to_digit(16).unwrap_or_default() },
                    [_] => State::InNumber { number, digits: 0, value: 0 },
                    _ => State::InNumberName { number, seen: 1 },
                };
                None
            }
            Escape::LineEnd => {
                self.state = match (byte, quote.continuation) {
                    (b'\r', _) => State::AfterEscapedReturn,
                    (_, Continuation::SkipBlanks) => State::AmongBlanks,
                    (_, Continuation::LineEnd) => State::AfterEscapedLineFeed,
                    (_, Continuation::Blanks) => State::AmongBlanks,
                };
                None
            }
        }
    }

    /// In what announces the digits of a numeric escape, of which so many bytes were there.
    pub(super) fn in_number_name(&mut self, chunk: &Chunk<'_>, at: &mut usize, number: Number, seen: u8) -> Option<Step> {
        let name = number.digits().name;
        if name.get(seen as usize) != Some(&chunk.bytes[*at]) {
            self.go_on_in_quotes();
            return self.escape_fault(chunk, ErrorKind::UnknownEscape(name[0]));
        }
        *at += 1;
        let seen = seen + 1;
        self.state = if seen as usize == name.len() {
            State::InNumber { number, digits: 0, value: 0 }
        } else {
            State::InNumberName { number, seen }
        };
        None
    }

    /// In the digits of a numeric escape, after so many.
    pub(super) fn in_number(&mut self, chunk: &Chunk<'_>, at: &mut usize, number: Number, digits: u8, value: u32) -> Option<Step> {
        let rule = number.digits();
        let byte = chunk.bytes[*at];
        if number == Number::MaybeBraced && byte == b'{' && digits == 0 {
            *at += 1;
            self.state = State::InNumber { number: Number::Braced, digits: 0, value: 0 };
            return None;
        }
        // After an underscore there must be another digit.
        let (gap, digits) = (digits & GAP != 0, digits & !GAP);
        if gap && !byte.is_ascii_hexdigit() {
            self.go_on_in_quotes();
            return self.escape_fault(chunk, ErrorKind::IncompleteEscape);
        }
        if digits < rule.most
            && let Some(digit) = (byte as char).to_digit(u32::from(rule.radix))
        {
            *at += 1;
            let (digits, value) = ((digits + 1).min(GAP - 1), value.saturating_mul(u32::from(rule.radix)).saturating_add(digit));
            self.state = State::InNumber { number, digits, value };
            // What can have neither more digits nor an end is complete.
            return if digits == rule.most && rule.end.is_none() { self.number_is_whole(chunk, number, digits, value) } else { None };
        }
        if number == Number::Braced && byte == b'_' && digits > 0 {
            *at += 1;
            self.state = State::InNumber { number, digits: digits | GAP, value };
            return None;
        }
        match rule.end {
            Some((end, _)) if end == byte && digits >= rule.least => *at += 1,
            Some((_, true)) => {
                self.go_on_in_quotes();
                return self.escape_fault(chunk, ErrorKind::IncompleteEscape);
            }
            _ => {}
        }
        self.number_is_whole(chunk, number, digits, value)
    }

    fn number_is_whole(&mut self, chunk: &Chunk<'_>, number: Number, digits: u8, value: u32) -> Option<Step> {
        let rule = number.digits();
        self.go_on_in_quotes();
        if digits < rule.least {
            return self.escape_fault(chunk, ErrorKind::IncompleteEscape);
        }
        if digits == 0 {
            // Without digits the escape is none, and stands for the byte that would have announced them.
            return self.push(chunk, rule.name);
        }
        match rule.value {
            Value::Low => self.push(chunk, &[value as u8]),
            Value::ByteOrCode if value < 0x80 || value <= 0xff && (rule.radix == 8 || digits <= 2) => {
                self.push_character(chunk, value, true)
            }
            Value::Byte if value <= 0xff => self.push(chunk, &[value as u8]),
            Value::Latin if value > 0xff => self.escape_fault(chunk, ErrorKind::EscapeOutOfRange),
            Value::Code | Value::Latin | Value::ByteOrCode => self.push_character(chunk, value, false),
            Value::Byte => self.escape_fault(chunk, ErrorKind::EscapeOutOfRange),
        }
    }

    /// Adds a code point to the value, or a byte, changed by the modifiers before it.
    fn push_character(&mut self, chunk: &Chunk<'_>, value: u32, byte: bool) -> Option<Step> {
        if self.modifiers != 0 {
            return self.push_modified(chunk, value);
        }
        if byte {
            return self.push(chunk, &[value as u8]);
        }
        match char::from_u32(value) {
            Some(c) => self.push(chunk, c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => self.escape_fault(chunk, ErrorKind::EscapeOutOfRange),
        }
    }

    /// The escape is over.
    fn go_on_in_quotes(&mut self) {
        self.state = match self.block_escapes {
            Some(escapes) if self.in_quotes => State::InBlockLine { escapes },
            _ => State::InQuotes,
        };
    }

    /// The line end of a line of a block is escaped.
    fn end_block_line(&mut self, chunk: &Chunk<'_>, at: &mut usize, byte: u8) -> Option<Step> {
        if byte == b'\n' {
            self.block_line_is_whole(chunk, *at);
        } else {
            self.state = State::AfterEscapedReturn;
        }
        None
    }

    /// After an escaped blank, among those before the line end.
    pub(super) fn before_escaped_line_end(&mut self, chunk: &Chunk<'_>, at: &mut usize, blanks: u8, tabs: u32) -> Option<Step> {
        let byte = chunk.bytes[*at];
        // Of how many blanks it is known which are tabs: those that may have to be put down after all.
        const KNOWN: u8 = 32;
        let is_fault = self.rules().escape[0x01] == Escape::Unknown;
        match byte {
            b' ' | b'\t' if blanks < KNOWN => {
                *at += 1;
                self.state = State::BeforeEscapedLineEnd { blanks: blanks + 1, tabs: tabs | u32::from(byte == b'\t') << blanks };
            }
            b' ' | b'\t' if is_fault => *at += 1,
            b'\n' => {
                *at += 1;
                self.state = State::AmongBlanks;
            }
            b'\r' => {
                *at += 1;
                self.state = State::AfterEscapedReturn;
            }
            _ => {
                self.state = State::InQuotes;
                if is_fault {
                    let first = if tabs & 1 == 1 { b'\t' } else { b' ' };
                    return self.escape_fault(chunk, ErrorKind::UnknownEscape(first));
                }
                // Where an unknown escape stands for its byte, they were just blanks.
                let mut text = [b' '; KNOWN as usize];
                for (blank, byte) in text.iter_mut().enumerate() {
                    if tabs >> blank & 1 == 1 {
                        *byte = b'\t';
                    }
                }
                return self.push(chunk, &text[..blanks as usize]);
            }
        }
        None
    }

    /// In a list of codes.
    pub(super) fn in_codes(&mut self, chunk: &Chunk<'_>, at: &mut usize, value: u16, any: bool) -> Option<Step> {
        let byte = chunk.bytes[*at];
        *at += 1;
        self.state = match byte {
            b'0'..=b'9' => State::InCodes { value: value.saturating_mul(10).saturating_add(u16::from(byte - b'0')), any: true },
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => State::InCodes { value: 0, any: false },
            _ if self.rules().text[byte as usize] == Text::Codes => State::InQuotes,
            _ => {
                *at -= 1;
                self.state = State::InQuotes;
                let closes = self.rules().text[byte as usize] == Text::Close;
                let kind = if closes { ErrorKind::IncompleteEscape } else { ErrorKind::UnknownEscape(byte) };
                return self.escape_fault(chunk, kind);
            }
        };
        match u8::try_from(value) {
            _ if byte.is_ascii_digit() || !any => None,
            Ok(value) => self.push(chunk, &[value]),
            Err(_) => {
                self.state = State::InQuotes;
                self.escape_fault(chunk, ErrorKind::EscapeOutOfRange)
            }
        }
    }

    pub(super) fn after_escaped_return(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let line_feed = chunk.bytes[*at] == b'\n';
        *at += usize::from(line_feed);
        if self.block_escapes.is_some() && self.in_quotes && line_feed {
            self.block_line_is_whole(chunk, *at);
            return None;
        }
        self.go_on_in_quotes();
        match self.rules().continuation {
            Continuation::LineEnd => None,
            Continuation::Blanks => {
                self.state = State::AmongBlanks;
                None
            }
            Continuation::SkipBlanks if line_feed => {
                self.state = State::AmongBlanks;
                None
            }
            // Where unknown escapes are errors, so is this one.
            Continuation::SkipBlanks if self.rules().escape[0x01] == Escape::Unknown => {
                self.escape_fault(chunk, ErrorKind::UnknownEscape(b'\r'))
            }
            Continuation::SkipBlanks => self.push(chunk, b"\r"),
        }
    }

    pub(super) fn after_escaped_line_feed(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        *at += usize::from(chunk.bytes[*at] == b'\r');
        self.state = State::InQuotes;
        None
    }

    pub(super) fn among_blanks(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        while let Some(&byte) = chunk.bytes.get(*at) {
            if byte != b' ' && byte != b'\t' {
                self.state = State::InQuotes;
                return None;
            }
            *at += 1;
        }
        None
    }

    pub(super) fn escape_fault(&mut self, chunk: &Chunk<'_>, kind: ErrorKind) -> Option<Step> {
        if self.dropped {
            return None;
        }
        self.drop_atom();
        Some(self.fault_at(chunk, kind, self.part, None))
    }

    /// A modifier begins.
    fn begin_modifier(&mut self, byte: u8) -> Option<Step> {
        let (modifier, dash) = match byte {
            b'^' => (CONTROL, false),
            b'C' => (CONTROL, true),
            b'M' => (META, true),
            b'S' => (SHIFT, true),
            _ => (OTHER, true),
        };
        // A control character has no control character of its own.
        let modifier = if self.modifiers & modifier & CONTROL != 0 { OTHER } else { modifier };
        self.state = State::InModifier { modifiers: self.modifiers | modifier, dash };
        self.modifiers = 0;
        None
    }

    /// After a modifier: its dash, or the character that it changes.
    pub(super) fn in_modifier(&mut self, chunk: &Chunk<'_>, at: &mut usize, modifiers: u8, dash: bool) -> Option<Step> {
        let byte = chunk.bytes[*at];
        self.state = State::InQuotes;
        match byte {
            b'-' if dash => {
                *at += 1;
                self.state = State::InModifier { modifiers, dash: false };
                None
            }
            _ if dash => self.escape_fault(chunk, ErrorKind::IncompleteEscape),
            b'\\' => {
                *at += 1;
                self.modifiers = modifiers;
                self.state = State::AfterEscape;
                None
            }
            _ if self.rules().text[byte as usize] == Text::Close => self.escape_fault(chunk, ErrorKind::IncompleteEscape),
            _ => {
                *at += 1;
                self.modifiers = modifiers;
                self.push_modified(chunk, u32::from(byte))
            }
        }
    }

    /// Adds a character to the value, changed by the modifiers before it. What of them an octet cannot carry is an error.
    fn push_modified(&mut self, chunk: &Chunk<'_>, value: u32) -> Option<Step> {
        let mut modifiers = core::mem::take(&mut self.modifiers);
        let Ok(mut byte) = u8::try_from(value) else { return self.escape_fault(chunk, ErrorKind::EscapeOutOfRange) };
        if modifiers & (SHIFT | CONTROL) == SHIFT && byte.is_ascii_alphabetic() {
            byte = byte.to_ascii_uppercase();
            modifiers &= !SHIFT;
        }
        if modifiers & CONTROL != 0 {
            byte = match byte {
                b'?' => 0x7f,
                b'@'..=b'_' | b'a'..=b'z' => byte & 0x1f,
                b' ' if modifiers == CONTROL => 0,
                _ => return self.escape_fault(chunk, ErrorKind::EscapeOutOfRange),
            };
            modifiers &= !CONTROL;
        }
        if modifiers & META != 0 && byte < 0x80 {
            byte |= 0x80;
            modifiers &= !META;
        }
        if modifiers != 0 {
            return self.escape_fault(chunk, ErrorKind::EscapeOutOfRange);
        }
        self.push(chunk, &[byte])
    }
}
