//! Characters, which are delivered as they are written: the code point, and what may stand before and behind it.

use super::tokens::Token;
use super::{Chunk, Machine, State, Step};
use crate::lexeme::Kind;
use crate::syntax::{Chars, Cont, Start};

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

impl Machine {
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
        match self.state {
            State::Between if self.syntax.chars != Chars::Free => self.state = State::AfterToken,
            State::InToken(Token::Over { .. }) => self.state = State::InToken(Token::Over { char: true }),
            _ => {}
        }
        step
    }

    /// After the escape character in a character: a modifier, a number, a name, or what is escaped.
    pub(super) fn after_char_escape(&mut self, chunk: &Chunk<'_>, at: &mut usize, byte: u8) -> Option<Step> {
        self.state = match byte {
            b'^' => State::BeforeChar(Char::Modified),
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

    /// In the digits of an escaped character.
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

    /// In the name of an escaped character, which stands in braces.
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

    /// Whether a character ends where the next one can begin: those that begin with `#` do.
    pub(super) fn chars_end_at_hash(&self) -> bool {
        self.syntax.chars != Chars::CodePoint && self.syntax.start[b'\\' as usize] != Start::Char
    }
}
