//! Strings that are made of lines: dune's blocks, and Racket's here-strings.

use super::atoms::{Atom, Value};
use super::rules::{Continuation, Escapes};
use super::{Naive, Read};
use sexp_codec::{ErrorKind, Kind};

/// dune's escapes, but for the line end, which is the block's affair.
static ESCAPES: Escapes = Escapes { line: Continuation::None, ..ESCAPES_OF_STRINGS };

const ESCAPES_OF_STRINGS: Escapes = Escapes {
    simple: super::rules::DUNE_ESCAPES.simple,
    numbers: super::rules::DUNE_ESCAPES.numbers,
    line: Continuation::Dune,
    unknown: super::rules::Unknown::Error,
    modifiers: false,
};

impl Naive<'_> {
    /// Reads lines that begin with `"\|` or `"\>`.
    pub(super) fn block(&mut self, escapes: bool) -> Read<Atom> {
        let mut value = self.value();
        let (start, first) = (value.start, value.first);
        let mut escapes = escapes;
        let mut template = false;
        loop {
            self.tape.next += 3;
            template |= self.block_line(escapes, &mut value)?;
            let mut blanks = 0;
            while matches!(self.peek_at(blanks)?, Some(b' ' | b'\t')) {
                blanks += 1;
            }
            if self.peek_at(blanks)? != Some(b'"') || self.peek_at(blanks + 1)? != Some(b'\\') {
                break;
            }
            escapes = match self.peek_at(blanks + 2)? {
                Some(b'|') => true,
                Some(b'>') => false,
                _ => break,
            };
            self.tape.next += blanks;
        }
        if template {
            self.as_written(&mut value, first);
        }
        let kind = if template { Kind::Template } else { Kind::String };
        Ok(Atom { kind, value: value.good.then_some(value.bytes), start, end: Some(self.behind()) })
    }

    /// Reads what stands behind the mark, and the line end; whether there is a variable in it.
    fn block_line(&mut self, escapes: bool, value: &mut Value) -> Read<bool> {
        match self.peek()? {
            Some(b' ') => self.tape.next += 1,
            None | Some(b'\n') => (),
            Some(b'\r') if self.peek_at(1)? == Some(b'\n') => (),
            Some(_) => self.fault(value, ErrorKind::MissingSeparator, self.place()),
        }
        let mut template = false;
        while let Some(byte) = self.peek()? {
            match byte {
                b'\\' if escapes && self.peek_at(1)? == Some(b'\n') => {
                    self.tape.next += 2;
                    return Ok(template);
                }
                b'\\' if escapes && self.peek_at(1)? == Some(b'\r') && self.peek_at(2)? == Some(b'\n') => {
                    self.tape.next += 3;
                    return Ok(template);
                }
                b'\\' if escapes => self.escape(&ESCAPES, value)?,
                b'%' if escapes && self.peek_at(1)? == Some(b'{') => {
                    template = true;
                    self.in_quotes = false;
                    self.variable(value)?;
                }
                _ => {
                    self.push(value, byte);
                    self.tape.next += 1;
                    if byte == b'\n' {
                        return Ok(template);
                    }
                }
            }
        }
        Ok(template)
    }

    /// Reads the lines between `#<<NAME` and `NAME`.
    pub(super) fn here(&mut self) -> Read<Atom> {
        let mut value = self.value();
        let start = value.start;
        self.tape.next += 3;
        let first_of_name = self.tape.next;
        let name = self.line();
        // It has to be remembered.
        let longest = self.options.atom.unwrap_or(u64::MAX);
        let length = name.as_ref().ok().and_then(Option::as_ref).map_or(self.tape.bytes.len() - first_of_name, Vec::len);
        if length as u64 > longest {
            self.fault(&mut value, ErrorKind::AtomTooLarge, start);
        }
        let name = name?;
        let mut any = false;
        let mut closed = false;
        while let Some(name) = &name
            && !(self.tape.next >= self.tape.bytes.len() && self.tape.ends)
        {
            let first = self.tape.next;
            let line = self.line();
            let whole = line.as_ref().ok().and_then(Clone::clone);
            let text = whole.clone().unwrap_or_else(|| self.tape.bytes[first..].to_vec());
            if line.is_ok() && text == *name {
                self.tape.next = first + text.len();
                closed = true;
                break;
            }
            // What may yet be the last line is not.
            if whole.is_some() || !name.starts_with(&text) {
                if any {
                    self.push(&mut value, b'\n');
                }
                text.iter().for_each(|&byte| self.push(&mut value, byte));
            }
            any = true;
            line?;
        }
        if !closed {
            let end = self.tape.end;
            self.fault_opened(&mut value, ErrorKind::UnterminatedString, end, start);
        }
        let end = closed.then(|| self.behind());
        Ok(Atom { kind: Kind::String, value: value.good.then_some(value.bytes), start, end })
    }

    /// Reads a line and its LF; nothing where the input ends before.
    fn line(&mut self) -> Read<Option<Vec<u8>>> {
        let first = self.tape.next;
        while let Some(byte) = self.peek()? {
            self.tape.next += 1;
            if byte == b'\n' {
                return Ok(Some(self.tape.bytes[first..self.tape.next - 1].to_vec()));
            }
        }
        Ok(None)
    }
}
