//! What is in quotes, and its escapes.

use super::{Chunk, Machine, State, Step, unknown};
use crate::error::ErrorKind;
use crate::syntax::{Continuation, Escape, Number, Quote, Text};

/// So many bytes are faster looked at one by one.
const FEW: usize = 16;

impl Machine {
    pub(super) fn rules(&self) -> &'static Quote {
        &self.syntax.quotes[self.quote as usize]
    }

    pub(super) fn in_quotes(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let quote = self.rules();
        let from = *at;
        let rest = &chunk.bytes[from..];
        let skip = match self.syntax.quote_and_escape {
            Some((close, lead)) if self.quote == 0 && rest.len() > FEW => memchr::memchr2(close, lead, rest),
            _ => rest.iter().position(|&byte| quote.text[byte as usize] != Text::Plain),
        };
        let Some(skip) = skip else {
            *at = chunk.bytes.len();
            return self.pause(chunk, quote.kind, from..chunk.bytes.len());
        };
        let here = from + skip;
        *at = here + 1;
        let byte = chunk.bytes[here];
        match quote.text[byte as usize] {
            Text::Close if self.blocks > 0 => {
                self.forget_atom();
                self.state = State::InBlock;
                None
            }
            Text::Close => {
                *at = here;
                self.atom_is_whole(chunk, at, quote.kind, from..here, 1)
            }
            Text::Escape => {
                self.part = unknown(chunk.offset(here));
                self.state = State::AfterEscape;
                self.keep(&chunk.bytes[from..here]).map(|kind| self.fault_at(chunk, kind, self.token, None))
            }
            Text::Illegal if self.dropped => None,
            Text::Illegal | Text::Plain => {
                let too_large = self.keep(&chunk.bytes[from..here]);
                self.drop_atom();
                Some(match too_large {
                    Some(kind) => self.fault_at(chunk, kind, self.token, None),
                    None => self.fault(chunk, ErrorKind::IllegalInString(byte), chunk.offset(here), None),
                })
            }
        }
    }

    pub(super) fn after_escape(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let quote = self.rules();
        let byte = chunk.bytes[*at];
        *at += 1;
        self.state = State::InQuotes;
        match quote.escape[byte as usize] {
            Escape::Byte(value) => self.push(chunk, &[value]),
            Escape::Both => self.push(chunk, &[quote.lead, byte]),
            Escape::Unknown => self.escape_fault(chunk, ErrorKind::UnknownEscape(byte)),
            Escape::Number(number) => {
                let (left, value) = match number {
                    Number::Hex => (number.digits(), 0),
                    Number::Decimal | Number::Octal => (number.digits() - 1, u16::from(byte - b'0')),
                };
                self.state = State::InNumber { number, left, value };
                None
            }
            Escape::LineEnd => {
                self.state = match (byte, quote.continuation) {
                    (b'\r', _) => State::AfterEscapedReturn,
                    (_, Continuation::SkipBlanks) => State::AmongBlanks,
                    (_, Continuation::LineEnd) => State::AfterEscapedLineFeed,
                };
                None
            }
        }
    }

    pub(super) fn in_number(&mut self, chunk: &Chunk<'_>, at: &mut usize, number: Number, left: u8, value: u16) -> Option<Step> {
        self.state = State::InQuotes;
        let Some(digit) = (chunk.bytes[*at] as char).to_digit(number.radix()) else {
            return self.escape_fault(chunk, ErrorKind::IncompleteEscape);
        };
        *at += 1;
        let value = value * number.radix() as u16 + digit as u16;
        if left > 1 {
            self.state = State::InNumber { number, left: left - 1, value };
            return None;
        }
        match u8::try_from(value) {
            Ok(byte) => self.push(chunk, &[byte]),
            Err(_) => self.escape_fault(chunk, ErrorKind::EscapeOutOfRange),
        }
    }

    pub(super) fn after_escaped_return(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let line_feed = chunk.bytes[*at] == b'\n';
        *at += usize::from(line_feed);
        self.state = State::InQuotes;
        match self.rules().continuation {
            Continuation::LineEnd => None,
            Continuation::SkipBlanks if line_feed => {
                self.state = State::AmongBlanks;
                None
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

    /// Whether the machine is in a string, or an escape in it, which may be due to be handed out in pieces.
    pub(super) fn is_in_quotes(&self) -> bool {
        matches!(
            self.state,
            State::InQuotes
                | State::AfterEscape
                | State::InNumber { .. }
                | State::AfterEscapedReturn
                | State::AfterEscapedLineFeed
                | State::AmongBlanks
        )
    }

    /// Adds what an escape stands for.
    pub(super) fn push(&mut self, chunk: &Chunk<'_>, bytes: &[u8]) -> Option<Step> {
        self.keep(bytes).map(|kind| self.fault_at(chunk, kind, self.token, None))
    }

    pub(super) fn escape_fault(&mut self, chunk: &Chunk<'_>, kind: ErrorKind) -> Option<Step> {
        if self.dropped {
            return None;
        }
        self.drop_atom();
        Some(self.fault_at(chunk, kind, self.part, None))
    }
}
