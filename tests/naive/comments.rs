//! Comments, and what counts as one.

use super::atoms::Value;
use super::rules::Quote;
use super::{Drop, Naive, Read};
use sexp_codec::{ErrorKind, Kind};

impl Naive<'_> {
    pub(super) fn line_comment(&mut self) -> Read<()> {
        let start = self.tape.next;
        loop {
            match self.peek()? {
                None | Some(b'\n') => break,
                Some(b'\r') if self.rules.return_ends_comments => break,
                Some(b'\r') if self.rules.return_needs_line_feed => {
                    if self.peek_at(1)? == Some(b'\n') {
                        break;
                    }
                    self.error(ErrorKind::ReturnWithoutLineFeed, self.place());
                    self.tape.next += 1;
                    return Ok(());
                }
                Some(_) => self.tape.next += 1,
            }
        }
        self.comment(start, self.tape.next);
        Ok(())
    }

    pub(super) fn directive(&mut self, take: usize) -> Read<()> {
        let start = self.tape.next;
        self.tape.next += take;
        while self.peek()?.is_some_and(|byte| (self.rules.bare)(byte)) {
            self.tape.next += 1;
        }
        self.comment(start, self.tape.next);
        Ok(())
    }

    pub(super) fn script(&mut self) -> Read<()> {
        let start = self.tape.next;
        self.tape.next += 2;
        loop {
            match (self.peek()?, self.peek_at(1)) {
                (None, _) => {
                    self.error_opened(ErrorKind::UnterminatedComment, self.tape.end, start as u64);
                    return Ok(());
                }
                (Some(b'!'), Ok(Some(b'#'))) => break,
                _ => self.tape.next += 1,
            }
        }
        self.tape.next += 2;
        self.comment(start, self.tape.next);
        Ok(())
    }

    pub(super) fn block_comment(&mut self) -> Read<()> {
        let start = self.tape.next;
        if self.inside_block()? {
            self.comment(start, self.tape.next);
        } else {
            self.error_opened(ErrorKind::UnterminatedComment, self.tape.end, start as u64);
        }
        Ok(())
    }

    /// Reads a block comment; whether it ends.
    fn inside_block(&mut self) -> Read<bool> {
        let Some((open, close, strings)) = self.rules.block else { unreachable!("no block comments") };
        let mut depth = 0u64;
        loop {
            let second = self.peek_at(1);
            let second = |wanted| second.as_ref().is_ok_and(|byte| *byte == Some(wanted));
            match self.peek()? {
                None => return Ok(false),
                Some(b'"') if let Some(quote) = strings => self.string_in_comment(quote)?,
                Some(byte) if byte == open[0] && second(open[1]) => {
                    self.tape.next += 2;
                    depth += 1;
                }
                Some(byte) if byte == close[0] && second(close[1]) => {
                    self.tape.next += 2;
                    depth -= 1;
                    if depth == 0 {
                        return Ok(true);
                    }
                }
                _ => self.tape.next += 1,
            }
        }
    }

    fn string_in_comment(&mut self, quote: &Quote) -> Read<()> {
        let mut value = Value::new(0, self.tape.next, None);
        self.tape.next += 1;
        self.quoted(quote, &mut value)?;
        Ok(())
    }

    /// `(@name …)`: brackets that match, strings and comments in it; or `(@` without a name, which is none.
    pub(super) fn annotation(&mut self) -> Read<()> {
        let start = self.tape.next;
        if !self.peek_at(2)?.is_some_and(|byte| (self.rules.bare)(byte) || byte == b'"') {
            self.error(ErrorKind::IllegalDispatch(b'('), self.place());
            self.tape.next += 1;
            return Ok(());
        }
        let mut depth = 0u64;
        let mut illegal = false;
        loop {
            let Some(byte) = self.peek()? else {
                self.error_opened(ErrorKind::UnterminatedComment, self.tape.end, start as u64);
                return Ok(());
            };
            let after_illegal = std::mem::replace(&mut illegal, false);
            match byte {
                b'"' => {
                    let Some(super::rules::What::Quote(quote)) =
                        self.rules.marks.iter().find(|mark| mark.bytes == b"\"").map(|mark| mark.what)
                    else {
                        unreachable!("there are strings")
                    };
                    self.string_in_comment(quote)?;
                }
                b'(' if self.peek_at(1)? == Some(b';') => {
                    if !self.inside_block()? {
                        self.error_opened(ErrorKind::UnterminatedComment, self.tape.end, start as u64);
                        return Ok(());
                    }
                }
                b';' if self.peek_at(1)? == Some(b';') => {
                    while self.peek()?.is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
                        self.tape.next += 1;
                    }
                }
                b'(' => {
                    depth += 1;
                    self.tape.next += 1;
                }
                b')' => {
                    depth -= 1;
                    self.tape.next += 1;
                    if depth == 0 {
                        break;
                    }
                }
                _ => {
                    if !matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e) {
                        if !after_illegal {
                            self.error(ErrorKind::IllegalByte(byte), self.place());
                        }
                        illegal = true;
                    }
                    self.tape.next += 1;
                }
            }
        }
        self.comment(start, self.tape.next);
        Ok(())
    }

    /// `#@5` and five bytes; `#@00` and all the rest.
    pub(super) fn skip(&mut self) -> Read<()> {
        self.tape.next += 2;
        let first = self.tape.next;
        while self.peek()?.is_some_and(|byte| byte.is_ascii_digit()) {
            self.tape.next += 1;
        }
        let digits = &self.tape.bytes[first..self.tape.next];
        let count = if digits == b"00" {
            u64::MAX
        } else {
            digits.iter().fold(0u64, |n, byte| n.saturating_mul(10).saturating_add(u64::from(byte - b'0')))
        };
        let mut left = count;
        while left > 0 && self.peek()?.is_some() {
            self.tape.next += 1;
            left -= 1;
        }
        Ok(())
    }

    pub(super) fn datum_comment(&mut self, take: usize) {
        if self.skipped == 0 {
            if self.drops.is_empty() {
                self.comment = self.tape.next;
            }
            match self.drops.last_mut() {
                Some(drop) if drop.depth == self.lists.len() => drop.wanted += 1,
                // In a list that is dropped, the datum of the prefix is one more to be dropped.
                Some(_) => self.drops.push(Drop { depth: self.lists.len(), wanted: 1 + u64::from(self.prefixed), prefixed: false }),
                None => self.drops.push(Drop { depth: self.lists.len(), wanted: 1, prefixed: self.prefixed }),
            }
            self.prefixed = false;
        }
        self.tape.next += take;
    }

    /// Hands out a comment, if comments are wanted and it is no part of another.
    pub(super) fn comment(&mut self, start: usize, end: usize) {
        if self.options.comments && self.drops.is_empty() && self.skipped == 0 {
            if (end - start) as u64 > self.options.atom.unwrap_or(u64::MAX) {
                self.error(ErrorKind::AtomTooLarge, start as u64);
            } else {
                self.deliver(Kind::Comment, self.tape.bytes[start..end].to_vec(), start as u64, end as u64);
            }
        }
    }
}
