//! What stands in quotes, and its escapes.

use super::atoms::Value;
use super::rules::{Continuation, Escapes, LineEnds, Number, Quote, Unknown, Value as Stands};
use super::{Naive, Read};
use sexp_codec::{ErrorKind, Kind};

impl Naive<'_> {
    /// Reads something in quotes, from behind the opening one; says whether its end was seen, and of what kind it is.
    pub(super) fn quoted(&mut self, quote: &Quote, value: &mut Value) -> Read<(Kind, bool)> {
        let first = value.first;
        for &byte in quote.before {
            self.push(value, byte);
        }
        let mut variables = false;
        while let Some(byte) = self.peek()? {
            if self.closes(quote)? {
                self.tape.next += quote.close.len();
                let kind = if variables { Kind::Template } else { quote.kind };
                if variables || quote.as_written {
                    self.as_written(value, first);
                }
                return Ok((kind, true));
            }
            match (byte, quote.escapes) {
                (b'\\', _) if quote.as_written => {
                    self.tape.next += 1;
                    // In full it is known when it is whole.
                    if let Some(after) = self.peek()? {
                        if !matches!(after, b'"' | b'\\') {
                            self.push(value, byte);
                        }
                        self.push(value, after);
                        self.tape.next += 1;
                    }
                }
                (b'\\', Some(escapes)) => self.escape(escapes, value)?,
                (b'%', _) if self.rules.variables && self.peek_at(1)? == Some(b'{') => {
                    variables = true;
                    self.variable(value)?;
                }
                (b'%', _) if quote.codes => self.codes(value)?,
                (b'\n' | b'\r', _) if quote.line_ends == LineEnds::Illegal => {
                    let (at, start) = (self.place(), value.start);
                    self.fault_opened(value, ErrorKind::UnterminatedString, at, start);
                    return Ok((quote.kind, true));
                }
                (b'\n' | b'\r', _) if quote.line_ends == LineEnds::LineFeed => {
                    self.line_end()?;
                    self.push(value, b'\n');
                }
                _ => {
                    let mut len = if self.rules.utf8 { self.code_point_len()? } else { 1 };
                    if len == 0 && self.is_cut_code_point() {
                        // The string does not end either.
                        len = self.tape.bytes.len() - self.tape.next;
                    }
                    if len == 0 {
                        // What is right of it is read before it shows that the rest is not.
                        for i in 0..self.right_of_code_point() {
                            self.push(value, self.tape.bytes[self.tape.next + i]);
                        }
                    }
                    if (quote.illegal)(byte) || len == 0 {
                        self.fault(value, ErrorKind::IllegalInString(byte), self.place());
                    }
                    for _ in 0..len.max(1) {
                        let byte = self.tape.bytes[self.tape.next];
                        self.push(value, byte);
                        self.tape.next += 1;
                    }
                }
            }
        }
        Ok((quote.kind, false))
    }

    /// Whether the closing quote stands here. One that is doubled is skipped but for its second half, which is text.
    fn closes(&mut self, quote: &Quote) -> Read<bool> {
        for (i, &byte) in quote.close.iter().enumerate() {
            if self.peek_at(i)? != Some(byte) {
                return Ok(false);
            }
        }
        if quote.doubled && self.peek_at(1)? == Some(quote.close[0]) {
            self.tape.next += 1;
            return Ok(false);
        }
        Ok(true)
    }

    /// The value is what stands in the input from `first` on.
    pub(super) fn as_written(&mut self, value: &mut Value, first: usize) {
        if value.good {
            value.bytes.clear();
            for i in first..self.tape.next {
                self.push(value, self.tape.bytes[i]);
            }
        }
    }

    /// Skips LF, CR or CR LF.
    fn line_end(&mut self) -> Read<()> {
        let byte = self.peek()?;
        self.tape.next += 1;
        if byte == Some(b'\r') && self.peek()? == Some(b'\n') {
            self.tape.next += 1;
        }
        Ok(())
    }

    pub(super) fn skip_blanks(&mut self) -> Read<()> {
        while let Some(b' ' | b'\t') = self.peek()? {
            self.tape.next += 1;
        }
        Ok(())
    }

    /// Reads an escape. Where the input ends in it, there is none.
    pub(super) fn escape(&mut self, escapes: &Escapes, value: &mut Value) -> Read<()> {
        self.escape_from(self.place(), escapes, value)
    }

    /// Reads an escape that begins at that place, perhaps with modifiers.
    fn escape_from(&mut self, lead: u64, escapes: &Escapes, value: &mut Value) -> Read<()> {
        self.tape.next += 1;
        let Some(byte) = self.peek()? else { return Ok(()) };
        if escapes.modifiers && b"CMSHA^".contains(&byte) {
            return self.modified(escapes, value, lead);
        }
        if let Some((_, stands)) = escapes.simple.iter().find(|(name, _)| *name == byte) {
            self.tape.next += 1;
            self.push(value, *stands);
            return Ok(());
        }
        for number in escapes.numbers {
            if self.stands_here(number)? {
                return self.number(number, value, lead);
            }
        }
        if byte == b'N' && escapes.modifiers {
            // The names of characters are not known.
            self.fault(value, ErrorKind::UnknownEscape(byte), lead);
            self.tape.next += 1;
            return Ok(());
        }
        if self.continuation(escapes.line, value)? {
            return Ok(());
        }
        match escapes.unknown {
            Unknown::Error => {
                self.fault(value, ErrorKind::UnknownEscape(byte), lead);
                self.tape.next += 1;
                return Ok(());
            }
            Unknown::Byte => (),
            Unknown::Both if self.one_line && matches!(byte, b'\n' | b'\r') => (),
            Unknown::Both => self.push(value, b'\\'),
        }
        // What ends a string whose lines may not end is left for it to find.
        if !(self.one_line && matches!(byte, b'\n' | b'\r')) {
            self.tape.next += 1;
            self.push(value, byte);
        }
        Ok(())
    }

    /// Whether a number is what stands here, behind the backslash.
    fn stands_here(&self, number: &Number) -> Read<bool> {
        for (i, &byte) in number.lead.iter().enumerate() {
            match self.peek_at(i)? {
                Some(found) if found == byte => (),
                // The input ends in it.
                None if i > 0 => return Ok(true),
                _ => return Ok(false),
            }
        }
        let first = self.peek()?.unwrap_or_default();
        Ok(!number.lead.is_empty() || (first as char).is_digit(number.radix))
    }

    fn number(&mut self, number: &Number, value: &mut Value, lead: u64) -> Read<()> {
        let from = self.tape.next;
        self.tape.next = (from + number.lead.len()).min(self.tape.bytes.len());
        let mut code = 0u64;
        let mut count = 0;
        while count < number.most {
            let Some(byte) = self.peek()? else { return Ok(()) };
            if let Some(digit) = (byte as char).to_digit(number.radix) {
                code = (code * u64::from(number.radix) + u64::from(digit)).min(u64::from(u32::MAX));
                count += 1;
            } else if byte == b'_' && number.underscores && count > 0 {
                match self.peek_at(1)? {
                    None => {
                        self.tape.next += 1;
                        return Ok(());
                    }
                    Some(after) if (after as char).is_digit(number.radix) => (),
                    Some(_) => break,
                }
            } else {
                break;
            }
            self.tape.next += 1;
        }
        let enough = count >= number.least || number.or_zero && count == 1 && self.tape.bytes[from] == b'0';
        if !enough && number.or_lead {
            self.push(value, number.lead[number.lead.len() - 1]);
            return Ok(());
        }
        if !enough {
            self.fault(value, ErrorKind::IncompleteEscape, lead);
            return Ok(());
        }
        if let Some((end, needed)) = number.end {
            match self.peek()? {
                None => return Ok(()),
                Some(byte) if byte == end => self.tape.next += 1,
                Some(_) if needed => {
                    self.fault(value, ErrorKind::IncompleteEscape, lead);
                    return Ok(());
                }
                Some(_) => (),
            }
        }
        let raw = match number.value {
            Stands::Byte => Some(code),
            Stands::LowBits => Some(code & 255),
            Stands::Code => None,
            Stands::Latin if code > 255 => {
                self.fault(value, ErrorKind::EscapeOutOfRange, lead);
                return Ok(());
            }
            Stands::Latin => None,
            Stands::Emacs => (matches!(code, 128..=255) && (number.radix == 8 || count <= 2)).then_some(code),
        };
        match raw {
            Some(code) if code > 255 => self.fault(value, ErrorKind::EscapeOutOfRange, lead),
            Some(code) => self.push(value, code as u8),
            None => self.code_point(code, value, lead),
        }
        Ok(())
    }

    fn code_point(&mut self, code: u64, value: &mut Value, lead: u64) {
        match u32::try_from(code).ok().and_then(char::from_u32) {
            Some(c) => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| self.push(value, byte)),
            None => self.fault(value, ErrorKind::EscapeOutOfRange, lead),
        }
    }

    /// Reads a line end behind the backslash, where it means something.
    fn continuation(&mut self, line: Continuation, value: &mut Value) -> Read<bool> {
        let byte = self.peek()?;
        match (line, byte) {
            (Continuation::LineFeed | Continuation::LineFeedOrBlank, Some(b'\n')) | (Continuation::LineFeedOrBlank, Some(b' ')) => {
                self.tape.next += 1;
            }
            (Continuation::Sexplib | Continuation::Dune, Some(b'\n')) => {
                self.tape.next += 1;
                self.skip_blanks()?;
            }
            (Continuation::Sexplib | Continuation::Dune, Some(b'\r')) => match self.peek_at(1)? {
                Some(b'\n') => {
                    self.tape.next += 2;
                    self.skip_blanks()?;
                }
                Some(_) if line == Continuation::Sexplib => {
                    self.tape.next += 1;
                    self.push(value, b'\r');
                }
                Some(_) => return Ok(false),
                None => self.tape.next += 1,
            },
            (Continuation::Rfc9804, Some(first @ (b'\n' | b'\r'))) => {
                let other = if first == b'\r' { b'\n' } else { b'\r' };
                self.tape.next += 1;
                if self.peek()? == Some(other) {
                    self.tape.next += 1;
                }
            }
            (Continuation::Blanks, Some(b' ' | b'\t' | b'\n' | b'\r')) => {
                let mut blanks = 0;
                while matches!(self.peek_at(blanks)?, Some(b' ' | b'\t')) {
                    blanks += 1;
                }
                match self.peek_at(blanks)? {
                    Some(b'\n' | b'\r') => {
                        self.tape.next += blanks;
                        self.line_end()?;
                        self.skip_blanks()?;
                    }
                    // The string does not end anyway.
                    None => self.tape.next += blanks,
                    Some(_) => return Ok(false),
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads the modifiers of Emacs and what they modify, from behind the backslash.
    fn modified(&mut self, escapes: &Escapes, value: &mut Value, lead: u64) -> Read<()> {
        let (mut controls, mut meta, mut shift, mut other) = (0, false, false, false);
        loop {
            let Some(name) = self.peek()? else { return Ok(()) };
            self.tape.next += 1;
            if name != b'^' {
                match self.peek()? {
                    None => return Ok(()),
                    Some(b'-') => self.tape.next += 1,
                    // `\M` without its dash.
                    Some(_) => {
                        self.fault(value, ErrorKind::IncompleteEscape, lead);
                        return Ok(());
                    }
                }
            }
            match name {
                b'C' | b'^' => controls += 1,
                b'M' => meta = true,
                b'S' => shift = true,
                // No string can have what hyper, alt and super make of a character.
                _ => other = true,
            }
            match (self.peek()?, self.peek_at(1)) {
                (Some(b'\\'), Ok(Some(byte))) if b"CMSHA^".contains(&byte) => self.tape.next += 1,
                (Some(b'\\'), Err(more)) => return Err(more),
                _ => break,
            }
        }
        let mut inner = Value::new(lead, self.tape.next, None);
        match self.peek()? {
            None => return Ok(()),
            Some(b'"') => {
                self.fault(value, ErrorKind::IncompleteEscape, lead);
                return Ok(());
            }
            // A line end vanishes even here; a blank does not.
            Some(b'\\') if self.peek_at(1)? == Some(b'\n') => {
                self.tape.next += 2;
                return Ok(());
            }
            Some(b'\\') if self.peek_at(1)? == Some(b' ') => {
                self.push(&mut inner, b' ');
                self.tape.next += 2;
            }
            Some(b'\\') if value.good => {
                self.escape_from(lead, escapes, &mut inner)?;
                if !inner.good {
                    value.good = false;
                    return Ok(());
                }
            }
            Some(b'\\') => {
                self.tape.next += 2;
                return Ok(());
            }
            Some(byte) => {
                self.push(&mut inner, byte);
                self.tape.next += 1;
            }
        }
        if inner.bytes.is_empty() && self.peek()?.is_none() {
            // The input ends in the escape, and so does the string.
            return Ok(());
        }
        let [byte] = inner.bytes[..] else {
            self.fault(value, ErrorKind::EscapeOutOfRange, lead);
            return Ok(());
        };
        let mut byte = byte;
        // What a control character is changed into is none that a string can have.
        let mut good = byte < 0x80 && controls <= 1 && !other;
        if shift {
            good &= byte.is_ascii_alphabetic() && controls == 0;
            byte = byte.to_ascii_uppercase();
        }
        if controls > 0 {
            match byte {
                b'?' => byte = 0x7f,
                b' ' if !meta => byte = 0,
                0x40..=0x5f | b'a'..=b'z' => byte &= 0x1f,
                _ => good = false,
            }
        }
        if meta {
            byte |= 0x80;
        }
        if good {
            self.push(value, byte)
        } else {
            self.fault(value, ErrorKind::EscapeOutOfRange, lead)
        }
        Ok(())
    }

    /// Reads codes between two `%`.
    fn codes(&mut self, value: &mut Value) -> Read<()> {
        let lead = self.place();
        self.tape.next += 1;
        let mut code = None;
        loop {
            let Some(byte) = self.peek()? else { return Ok(()) };
            match byte {
                b'0'..=b'9' => code = Some((code.unwrap_or(0u64) * 10 + u64::from(byte - b'0')).min(1000)),
                b'"' => {
                    self.fault(value, ErrorKind::IncompleteEscape, lead);
                    return Ok(());
                }
                _ => {
                    match code.take() {
                        Some(code) if code > 255 => self.fault(value, ErrorKind::EscapeOutOfRange, lead),
                        Some(code) => self.push(value, code as u8),
                        None => (),
                    }
                    if byte != b'%' && !self.rules.spaces.contains(&byte) {
                        self.fault(value, ErrorKind::UnknownEscape(byte), lead);
                    }
                }
            }
            self.tape.next += 1;
            if byte == b'%' {
                return Ok(());
            }
        }
    }
}
