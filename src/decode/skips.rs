//! What is skipped: scripts between `#!` and `!#`, and a number of bytes.

use super::tokens::Token;
use super::{Chunk, Machine, State, Step};

impl Machine {
    /// After the two bytes that begin a script or the first line of one, or with a letter after them a directive.
    pub(super) fn before_script(&mut self, chunk: &Chunk<'_>, at: &mut usize, line: bool) -> Option<Step> {
        self.outer = self.token;
        self.begin_comment(chunk, self.token);
        self.state = match chunk.bytes[*at].is_ascii_alphabetic() {
            true => State::InToken(Token::Directive),
            false if line => State::InLineComment,
            false => State::InScript { seen: false },
        };
        None
    }

    pub(super) fn in_script(&mut self, chunk: &Chunk<'_>, at: &mut usize, seen: bool) -> Option<Step> {
        let mut seen = seen;
        while let Some(&byte) = chunk.bytes.get(*at) {
            *at += 1;
            if seen && byte == b'#' {
                self.state = State::Between;
                return self.end_comment(chunk, *at, 0);
            }
            seen = byte == b'!';
        }
        self.state = State::InScript { seen };
        None
    }

    pub(super) fn in_skip_length(&mut self, chunk: &Chunk<'_>, at: &mut usize, value: u64, zeros: u8) -> Option<Step> {
        let (mut value, mut zeros) = (value, zeros);
        while let Some(&byte) = chunk.bytes.get(*at) {
            if !byte.is_ascii_digit() {
                // Two zeros, and no other digit, skip all that follows. The byte after the digits is the first that is skipped.
                self.state = if zeros == 2 && value == 0 { State::Skipping } else { State::InSkipped { left: value } };
                return None;
            }
            zeros = (zeros + u8::from(byte == b'0')).min(2);
            value = value.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
            *at += 1;
        }
        self.state = State::InSkipLength { value, zeros };
        None
    }

    pub(super) fn in_skipped(&mut self, chunk: &Chunk<'_>, at: &mut usize, left: u64) -> Option<Step> {
        let here = (chunk.bytes.len() - *at) as u64;
        if left > here {
            *at = chunk.bytes.len();
            self.state = State::InSkipped { left: left - here };
            return None;
        }
        *at += left as usize;
        self.state = State::Between;
        self.end_comment(chunk, *at, 0)
    }
}
