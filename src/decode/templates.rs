//! What dune's files have: variables in atoms and strings, and strings in blocks of lines.

use super::tokens::Token;
use super::{Chunk, Machine, State, Step};
use crate::error::ErrorKind;
use crate::lexeme::{Kind, Position};
use crate::syntax::{Cont, Quote};
use alloc::vec::Vec;

impl Machine {
    /// After the byte that may begin a variable.
    pub(super) fn after_variable_lead(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        if chunk.bytes[*at] == b'{' {
            *at += 1;
            self.variable = true;
            self.state = State::InVariable { payload: false, any: false };
            return if self.in_quotes { self.push(chunk, b"{") } else { None };
        }
        self.state = self.around_variable();
        None
    }

    /// Where a variable stands.
    pub(super) fn around_variable(&self) -> State {
        match (self.in_quotes, self.block_escapes) {
            (false, _) => State::InToken(Token::Template),
            (true, None) => State::InQuotes,
            (true, Some(escapes)) => State::InBlockLine { escapes },
        }
    }

    pub(super) fn in_variable(&mut self, chunk: &Chunk<'_>, at: &mut usize, payload: bool, any: bool) -> Option<Step> {
        let from = *at;
        let (mut payload, mut any) = (payload, any);
        while let Some(&byte) = chunk.bytes.get(*at) {
            let belongs = self.syntax.cont[byte as usize] != Cont::End;
            match byte {
                b'}' if any => {
                    *at += 1;
                    self.state = self.around_variable();
                    return self.count_variable(chunk, from, *at);
                }
                b':' if any && !payload => (payload, any) = (true, false),
                b':' if payload => any = true,
                b'%' | b'{' | b'}' | b':' => return self.fault_in_variable(chunk, from, *at, byte),
                _ if belongs => any = true,
                _ => return self.fault_in_variable(chunk, from, *at, byte),
            }
            *at += 1;
        }
        self.state = State::InVariable { payload, any };
        self.count_variable(chunk, from, *at)
    }

    /// Whether the token is too large with that part of a variable.
    fn count_variable(&mut self, chunk: &Chunk<'_>, from: usize, at: usize) -> Option<Step> {
        if self.in_quotes { self.push(chunk, &chunk.bytes[from..at]) } else { self.count_text(chunk, at) }
    }

    /// The token is skipped to its end.
    fn fault_in_variable(&mut self, chunk: &Chunk<'_>, from: usize, at: usize, byte: u8) -> Option<Step> {
        self.state = self.around_variable();
        if self.dropped {
            return None;
        }
        if let Some(fault) = self.count_variable(chunk, from, at) {
            return Some(fault);
        }
        self.drop_atom();
        Some(self.fault(chunk, ErrorKind::IllegalInTemplate(byte), chunk.offset(at), None))
    }

    /// A bare atom in which there was a variable, or the byte that begins one, is over.
    pub(super) fn template_is_whole(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let kind = if self.variable { Kind::Template } else { Kind::Bare };
        self.token_is_whole(chunk, at, kind)
    }

    /// After the mark with which a line of a block begins: a blank, or the end of the line.
    pub(super) fn after_block_mark(&mut self, chunk: &Chunk<'_>, at: &mut usize, escapes: bool) -> Option<Step> {
        self.block_escapes = Some(escapes);
        self.state = State::InBlockLine { escapes };
        match chunk.bytes[*at] {
            b' ' => {
                *at += 1;
                None
            }
            b'\n' => None,
            b'\r' => {
                *at += 1;
                self.state = State::AfterReturnBehindMark { escapes };
                None
            }
            _ => self.no_mark_end(chunk, chunk.offset(*at)),
        }
    }

    /// After a mark something else stands than it should.
    pub(super) fn no_mark_end(&mut self, chunk: &Chunk<'_>, offset: u64) -> Option<Step> {
        if self.dropped {
            return None;
        }
        self.drop_atom();
        Some(self.fault(chunk, ErrorKind::MissingSeparator, offset, None))
    }

    /// After a mark and a carriage return: a line feed, or it was none.
    pub(super) fn after_return_behind_mark(&mut self, chunk: &Chunk<'_>, at: &mut usize, escapes: bool) -> Option<Step> {
        if chunk.bytes[*at] == b'\n' {
            return self.after_return_in_block_line(chunk, at, escapes);
        }
        self.state = State::InBlockLine { escapes };
        self.no_mark_end(chunk, chunk.offset(*at) - 1)
    }

    pub(super) fn in_block_line(&mut self, chunk: &Chunk<'_>, at: &mut usize, escapes: bool) -> Option<Step> {
        let from = *at;
        while let Some(&byte) = chunk.bytes.get(*at) {
            let run = from..*at;
            match byte {
                b'\n' => {
                    *at += 1;
                    self.block_line_is_whole(chunk, *at);
                    return self.push(chunk, &chunk.bytes[from..*at]);
                }
                b'\r' => {
                    *at += 1;
                    self.state = State::AfterReturnInBlockLine { escapes };
                    return self.push(chunk, &chunk.bytes[run]);
                }
                b'\\' if escapes => {
                    self.part = super::unknown(chunk.offset(*at));
                    *at += 1;
                    self.state = State::AfterEscape;
                    return self.push(chunk, &chunk.bytes[run]);
                }
                b'%' if escapes => {
                    *at += 1;
                    self.state = State::AfterVariableLead;
                    return self.push(chunk, &chunk.bytes[from..*at]);
                }
                _ => *at += 1,
            }
        }
        self.push(chunk, &chunk.bytes[from..*at])
    }

    pub(super) fn after_return_in_block_line(&mut self, chunk: &Chunk<'_>, at: &mut usize, escapes: bool) -> Option<Step> {
        if chunk.bytes[*at] == b'\n' {
            *at += 1;
            self.block_line_is_whole(chunk, *at);
            return self.push(chunk, b"\r\n");
        }
        self.state = State::InBlockLine { escapes };
        self.push(chunk, b"\r")
    }

    /// A line of a block is over, before `end`.
    pub(super) fn block_line_is_whole(&mut self, chunk: &Chunk<'_>, end: usize) {
        self.block_end = chunk.offset(end);
        self.state = State::BetweenBlockLines { seen: 0 };
    }

    /// After the end of a line of a block: blanks, and a mark if it goes on.
    pub(super) fn between_block_lines(&mut self, chunk: &Chunk<'_>, at: &mut usize, seen: u8) -> Option<Step> {
        let byte = chunk.bytes[*at];
        match (seen, byte) {
            (0, b' ' | b'\t') => *at += 1,
            (0, b'"') => {
                self.part = super::unknown(chunk.offset(*at));
                *at += 1;
                self.state = State::BetweenBlockLines { seen: 1 };
            }
            (1, b'\\') => {
                *at += 1;
                self.state = State::BetweenBlockLines { seen: 2 };
            }
            (2, b'|' | b'>') => {
                *at += 1;
                self.state = State::AfterBlockMark { escapes: byte == b'|' };
            }
            _ => return self.block_is_whole(chunk, at, seen),
        }
        None
    }

    /// A block of lines is over. Of what follows so many bytes were read, which begin a string if there are any.
    pub(super) fn block_is_whole(&mut self, chunk: &Chunk<'_>, at: &mut usize, seen: u8) -> Option<Step> {
        if self.options.verbatim {
            // The blanks behind it are nowhere else.
            self.block_end = chunk.offset(*at) - u64::from(seen);
        }
        if let Some(fault) = self.count_written(chunk, *at) {
            return Some(fault);
        }
        let step = self.atom_is_whole(chunk, at, Kind::String, 0..0, 0);
        if matches!(self.state, State::Between) {
            self.block_escapes = None;
            // What was read behind it is read again, as far as it is still there.
            match self.block_end.checked_sub(chunk.base) {
                Some(end) => *at = end as usize,
                None => {
                    let gone = usize::from(seen).saturating_sub(*at);
                    *at = 0;
                    if gone > 0 {
                        self.state = State::AfterBlock { seen: gone as u8 };
                    }
                }
            }
        }
        step
    }

    /// A block of lines was delivered, behind which these bytes were read already: a quote, and perhaps an escape character.
    pub(super) fn after_block(&mut self, chunk: &Chunk<'_>, at: usize, seen: u8) -> Option<Step> {
        let offset = chunk.offset(at) - u64::from(seen);
        let place = self.part;
        self.begin_token(offset);
        self.token = place;
        self.tag.clear();
        if offset < chunk.base {
            self.tag.extend(&b"\"\\"[..usize::from(seen) - at.min(usize::from(seen))]);
            self.kept = chunk.base;
        }
        self.begin_quotes(0);
        self.adopt();
        if seen == 2 {
            // Its line and column are known, if it went with an earlier chunk.
            let column = place.column + u64::from(place.line != 0);
            self.part = Position { offset: offset + 1, column, ..place };
            self.state = State::AfterEscape;
        }
        None
    }

    /// The text of a token that may be a template is complete in `value` or in the chunk: decodes it, if it is none.
    pub(super) fn decode_text(&mut self, chunk: &Chunk<'_>, kind: Kind, run: Option<(usize, usize)>) -> (Kind, Option<(usize, usize)>) {
        if self.variable {
            return (Kind::Template, run);
        }
        let block = self.block_escapes.is_some();
        if self.options.verbatim {
            return (kind, run);
        }
        match run {
            Some((from, to)) if !self.escaped && !block => return (kind, Some((from + 1, to - 1))),
            Some((from, to)) => self.value.extend_from_slice(&chunk.bytes[from..to]),
            None => {}
        }
        if block {
            let rules = self.rules();
            unblock(&mut self.value, rules);
        } else {
            let end = self.value.len() - 1;
            let rules = self.rules();
            let len = rules.decode_in_place(&mut self.value, 1, end, 0);
            self.value.truncate(len);
        }
        (kind, None)
    }
}

/// Takes the marks off the lines of a block, and decodes those that have escapes.
fn unblock(text: &mut Vec<u8>, quote: &Quote) {
    let (mut read, mut written) = (0, 0);
    while let Some(mark) = text[read..].iter().position(|&byte| byte == b'"') {
        let escapes = text.get(read + mark + 2) == Some(&b'|');
        read += mark + 3;
        read += usize::from(text.get(read) == Some(&b' '));
        let end = text[read..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |end| read + end + 1);
        if escapes {
            written = quote.decode_in_place(text, read, end, written);
        } else {
            text.copy_within(read..end, written);
            written += end - read;
        }
        read = end;
    }
    text.truncate(written);
}
