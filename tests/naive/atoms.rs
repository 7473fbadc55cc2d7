//! Atoms: bare, strings with their escapes, counted, hexadecimal and base64 octets.

use super::armour::Base64;
use super::rules::Strings;
use super::{More, Naive, Read};
use sexp_codec::{ErrorKind, Kind};

pub(super) struct Atom {
    pub(super) kind: Kind,
    /// Nothing where the atom is malformed.
    pub(super) value: Option<Vec<u8>>,
    pub(super) start: u64,
    /// Nothing where the input ended in it.
    pub(super) end: Option<u64>,
}

/// The value of an atom while it is read, until something is wrong with it.
pub(super) struct Value {
    bytes: Vec<u8>,
    good: bool,
    start: u64,
    limit: u64,
}

impl Value {
    pub(super) fn new(start: u64, limit: Option<u64>) -> Value {
        Value { bytes: Vec::new(), good: true, start, limit: limit.unwrap_or(u64::MAX) }
    }
}

impl Naive<'_> {
    /// Reads an atom; a length that announces none is nothing at all.
    pub(super) fn atom(&mut self) -> Read<Option<Atom>> {
        let first = self.tape.bytes[self.tape.next];
        let start = self.place();
        let mut value = Value::new(start, self.options.atom);
        if first.is_ascii_digit() && self.rules.counted {
            return self.after_length(value);
        }
        let (kind, closed) = self.quoted_or_bare(&mut value)?;
        Ok(Some(Atom { kind, value: value.good.then_some(value.bytes), start, end: closed.then(|| self.behind()) }))
    }

    /// Reads an atom without a length, and says of what kind it is and whether its end was seen.
    fn quoted_or_bare(&mut self, value: &mut Value) -> Read<(Kind, bool)> {
        let (kind, closed) = match self.tape.bytes[self.tape.next] {
            b'"' if self.rules.strings.is_some() => (Kind::String, self.string(value)?),
            b'#' if self.rules.octets => (Kind::Octets, self.hex(value)?),
            b'|' if self.rules.octets => (Kind::Octets, self.base64(value)?),
            _ => {
                self.bare(value)?;
                (Kind::Bare, true)
            }
        };
        if !closed {
            let kind = if kind == Kind::String { ErrorKind::UnterminatedString } else { ErrorKind::UnterminatedOctets };
            if value.good {
                self.error_opened(kind, self.tape.end, value.start);
                value.good = false;
            }
        }
        Ok((kind, closed))
    }

    fn bare(&mut self, value: &mut Value) -> Read<()> {
        let mut last = None;
        while let Some(byte) = self.peek()? {
            if !(self.rules.bare)(byte) {
                break;
            }
            if self.rules.comments && matches!((last, byte), (Some(b'#'), b'|') | (Some(b'|'), b'#')) {
                self.fault(value, ErrorKind::CommentInAtom, self.place() - 1);
            }
            self.push(value, byte);
            last = Some(byte);
            self.tape.next += 1;
        }
        Ok(())
    }

    /// Reads digits and what they announce.
    fn after_length(&mut self, mut value: Value) -> Read<Option<Atom>> {
        let first = self.tape.next;
        let start = value.start;
        let mut length = 0u64;
        while let Some(byte @ b'0'..=b'9') = self.peek()? {
            if self.tape.next == first + 1 && self.tape.bytes[first] == b'0' && !self.rules.leading_zeros {
                self.error(ErrorKind::LeadingZero, start);
            }
            match length.checked_mul(10).and_then(|length| length.checked_add(u64::from(byte - b'0'))) {
                Some(longer) => length = longer,
                None => {
                    self.error(ErrorKind::LengthTooLarge, start);
                    while self.peek()?.is_some_and(|byte| byte.is_ascii_digit()) {
                        self.tape.next += 1;
                    }
                    if self.peek()? == Some(b':') {
                        self.tape.next += 1;
                    }
                    return Ok(None);
                }
            }
            self.tape.next += 1;
        }
        match self.peek()? {
            Some(b':') => {
                self.tape.next += 1;
                self.counted(length, value).map(Some)
            }
            Some(b'"' | b'#' | b'|') if self.rules.octets => {
                let (kind, closed) = self.quoted_or_bare(&mut value)?;
                if value.good && value.bytes.len() as u64 != length {
                    self.fault(&mut value, ErrorKind::LengthMismatch, start);
                }
                Ok(Some(Atom { kind, value: value.good.then_some(value.bytes), start, end: closed.then(|| self.behind()) }))
            }
            _ => {
                self.error(ErrorKind::LengthWithoutBody, start);
                Ok(None)
            }
        }
    }

    fn counted(&mut self, length: u64, mut value: Value) -> Read<Atom> {
        if length > value.limit {
            let start = value.start;
            self.fault(&mut value, ErrorKind::AtomTooLarge, start);
        }
        let left = (self.tape.bytes.len() - self.tape.next) as u64;
        let whole = length <= left;
        if !whole && !self.tape.ends {
            return Err(More);
        }
        if !whole && value.good {
            self.error_opened(ErrorKind::PrematureEnd, self.tape.end, value.start);
            value.good = false;
        }
        let taken = length.min(left) as usize;
        let bytes = self.tape.bytes[self.tape.next..self.tape.next + taken].to_vec();
        self.tape.next += taken;
        Ok(Atom { kind: Kind::Octets, value: value.good.then_some(bytes), start: value.start, end: whole.then(|| self.behind()) })
    }

    /// Reads a string; whether its end was seen.
    pub(super) fn string(&mut self, value: &mut Value) -> Read<bool> {
        self.tape.next += 1;
        while let Some(byte) = self.peek()? {
            if byte == b'\\' {
                self.escape(value)?;
                continue;
            }
            if byte != b'"' {
                if self.rules.strings == Some(Strings::Rfc9804) && !(0x20..0x7f).contains(&byte) {
                    self.fault(value, ErrorKind::IllegalInString(byte), self.place());
                }
                self.push(value, byte);
            }
            self.tape.next += 1;
            if byte == b'"' {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn escape(&mut self, value: &mut Value) -> Read<()> {
        let lead = self.place();
        let sexplib = self.rules.strings == Some(Strings::Sexplib);
        self.tape.next += 1;
        let Some(byte) = self.peek()? else { return Ok(()) };
        let numeric = |digits, radix| Some((digits, radix));
        let number = match byte {
            b'0'..=b'9' if sexplib => numeric(3, 10),
            b'0'..=b'7' if !sexplib => numeric(3, 8),
            b'x' => numeric(2, 16),
            _ => None,
        };
        if let Some((digits, radix)) = number {
            if byte == b'x' {
                self.tape.next += 1;
            }
            let mut code = 0;
            for _ in 0..digits {
                let Some(byte) = self.peek()? else { return Ok(()) };
                let Some(digit) = (byte as char).to_digit(radix) else {
                    self.fault(value, ErrorKind::IncompleteEscape, lead);
                    return Ok(());
                };
                code = code * radix + digit;
                self.tape.next += 1;
            }
            if code > 255 {
                self.fault(value, ErrorKind::EscapeOutOfRange, lead);
            }
            self.push(value, code as u8);
            return Ok(());
        }
        self.tape.next += 1;
        match byte {
            b'n' => self.push(value, b'\n'),
            b'r' => self.push(value, b'\r'),
            b't' => self.push(value, b'\t'),
            b'b' => self.push(value, 0x08),
            b'\\' | b'"' | b'\'' => self.push(value, byte),
            b'a' if !sexplib => self.push(value, 0x07),
            b'v' if !sexplib => self.push(value, 0x0b),
            b'f' if !sexplib => self.push(value, 0x0c),
            b'?' if !sexplib => self.push(value, b'?'),
            b'\r' if sexplib => match self.peek()? {
                Some(b'\n') => {
                    self.tape.next += 1;
                    self.skip_blanks()?;
                }
                Some(_) => self.push(value, b'\r'),
                None => (),
            },
            b'\n' if sexplib => self.skip_blanks()?,
            b'\n' | b'\r' => {
                let other = if byte == b'\r' { b'\n' } else { b'\r' };
                if self.peek()? == Some(other) {
                    self.tape.next += 1;
                }
            }
            _ if sexplib => {
                self.push(value, b'\\');
                self.push(value, byte);
            }
            _ => self.fault(value, ErrorKind::UnknownEscape(byte), lead),
        }
        Ok(())
    }

    fn skip_blanks(&mut self) -> Read<()> {
        while let Some(b' ' | b'\t') = self.peek()? {
            self.tape.next += 1;
        }
        Ok(())
    }

    /// Reads hexadecimal octets; whether their end was seen.
    fn hex(&mut self, value: &mut Value) -> Read<bool> {
        self.tape.next += 1;
        let mut high = None;
        while let Some(byte) = self.peek()? {
            let at = self.place();
            self.tape.next += 1;
            match (byte as char).to_digit(16) {
                _ if self.rules.spaces.contains(&byte) => (),
                Some(digit) => match high.take() {
                    None => high = Some(digit),
                    Some(high) => self.push(value, (high * 16 + digit) as u8),
                },
                None if byte == b'#' => {
                    if high.is_some() {
                        self.fault(value, ErrorKind::OddHex, at);
                    }
                    return Ok(true);
                }
                None => self.fault(value, ErrorKind::IllegalInOctets(byte), at),
            }
        }
        Ok(false)
    }

    /// Reads base64 octets; whether their end was seen.
    fn base64(&mut self, value: &mut Value) -> Read<bool> {
        self.tape.next += 1;
        let mut digits = Base64::default();
        while let Some(byte) = self.peek()? {
            let at = self.place();
            self.tape.next += 1;
            match byte {
                _ if self.rules.spaces.contains(&byte) => (),
                b'|' => {
                    if !digits.is_whole() {
                        self.fault(value, ErrorKind::BadBase64, at);
                    }
                    return Ok(true);
                }
                _ => match digits.next(byte) {
                    Ok(octet) => {
                        if let Some(octet) = octet {
                            self.push(value, octet);
                        }
                    }
                    Err(kind) => self.fault(value, kind, at),
                },
            }
        }
        Ok(false)
    }

    /// Something is wrong with an atom; only the first such thing counts.
    fn fault(&mut self, value: &mut Value, kind: ErrorKind, at: u64) {
        if value.good {
            value.good = false;
            self.error(kind, at);
        }
    }

    fn push(&mut self, value: &mut Value, byte: u8) {
        if value.good {
            value.bytes.push(byte);
            if value.bytes.len() as u64 > value.limit {
                self.fault(value, ErrorKind::AtomTooLarge, value.start);
            }
        }
    }
}
