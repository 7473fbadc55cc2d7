//! Comments, and what counts as one.

use super::atoms::Value;
use super::rules::Quote;
use super::{Drop, Naive, Read};
use sexp_codec::{ErrorKind, Kind};

impl Naive<'_> {
    pub(super) fn line_comment(&mut self) -> Read<()> {
        let start = self.tape.next;
        let mut good = true;
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
                Some(_) => good &= self.text(good, true)?,
            }
        }
        if good {
            self.comment(start, self.tape.next);
        }
        Ok(())
    }

    /// Passes over a code point of a comment, or a byte; whether it is right. A fault is reported if it is the first; that the input ends in it,
    /// only where a comment may end so.
    fn text(&mut self, first: bool, ends: bool) -> Read<bool> {
        let at = self.place();
        let byte = self.tape.bytes[self.tape.next];
        let len = if self.rules.utf8 { self.code_point_len()? } else { 1 };
        let cut = len == 0 && self.is_cut_code_point();
        if len == 0 && first && (ends || !cut) {
            self.error(ErrorKind::IllegalByte(byte), at);
        }
        self.tape.next = if cut { self.tape.bytes.len() } else { self.tape.next + len.max(1) };
        Ok(len > 0)
    }

    /// Whether the input ends in the code point that begins here.
    pub(super) fn is_cut_code_point(&self) -> bool {
        std::str::from_utf8(&self.tape.bytes[self.tape.next..]).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    }

    /// How many bytes the code point has that begins here; none if it is not UTF-8.
    pub(super) fn code_point_len(&self) -> Read<usize> {
        let rest = &self.tape.bytes[self.tape.next..];
        let rest = &rest[..rest.len().min(4)];
        let right = match std::str::from_utf8(rest) {
            Ok(_) => rest.len(),
            Err(error) if error.valid_up_to() == 0 && error.error_len().is_none() && !self.tape.ends => return Err(super::More),
            Err(error) => error.valid_up_to(),
        };
        let text = std::str::from_utf8(&rest[..right]).unwrap_or_default();
        Ok(text.chars().next().map_or(0, char::len_utf8))
    }

    /// How many bytes of an ill-formed code point could be one.
    pub(super) fn right_of_code_point(&self) -> usize {
        let rest = &self.tape.bytes[self.tape.next..];
        let begins = matches!(rest, [0xc2..=0xf4, ..]);
        let wrong = std::str::from_utf8(&rest[..rest.len().min(4)]).err().and_then(|error| error.error_len());
        if begins { wrong.unwrap_or(rest.len()) } else { 0 }
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
        let mut good = true;
        if self.inside_block(&mut good)? {
            if good {
                self.comment(start, self.tape.next);
            }
        } else {
            self.error_opened(ErrorKind::UnterminatedComment, self.tape.end, start as u64);
        }
        Ok(())
    }

    /// Reads a block comment; whether it ends, and whether it is good.
    fn inside_block(&mut self, good: &mut bool) -> Read<bool> {
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
                _ => *good &= self.text(*good, false)?,
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
        let mut good = true;
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
                    let mut right = true;
                    let ends = self.inside_block(&mut right)?;
                    good &= right;
                    if !ends {
                        self.error_opened(ErrorKind::UnterminatedComment, self.tape.end, start as u64);
                        return Ok(());
                    }
                }
                b';' if self.peek_at(1)? == Some(b';') => {
                    let mut right = true;
                    while self.peek()?.is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
                        right &= self.text(right, false)?;
                    }
                    good &= right;
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
        if good {
            self.comment(start, self.tape.next);
        }
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
