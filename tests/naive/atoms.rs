//! Atoms: counted, hexadecimal and base64 octets, and what they share with the others.

use super::armour::Base64;
use super::rules::{LineEnds, Mark, Quote, What};
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
    pub(super) bytes: Vec<u8>,
    pub(super) good: bool,
    /// Where it begins, and at which index.
    pub(super) start: u64,
    pub(super) first: usize,
    limit: u64,
}

impl Value {
    pub(super) fn new(start: u64, first: usize, limit: Option<u64>) -> Value {
        Value { bytes: Vec::new(), good: true, start, first, limit: limit.unwrap_or(u64::MAX) }
    }
}

impl Naive<'_> {
    /// The value of an atom that begins here.
    pub(super) fn value(&self) -> Value {
        Value::new(self.place(), self.tape.next, self.options.atom)
    }

    /// Reads an atom; a length that announces none is nothing at all.
    pub(super) fn atom(&mut self) -> Read<Option<Atom>> {
        let first = self.tape.bytes[self.tape.next];
        if first.is_ascii_digit() && self.rules.counted {
            return self.after_length(self.value());
        }
        if matches!(first, b'#' | b'|') && self.rules.octets {
            return self.octets(self.value()).map(Some);
        }
        self.token_atom(Self::token, 0).map(Some)
    }

    /// Reads something in quotes, whose mark is `take` bytes long.
    pub(super) fn quoted_atom(&mut self, quote: &Quote, take: usize, mut value: Value) -> Read<Atom> {
        let start = value.start;
        self.tape.next += take;
        self.in_quotes = true;
        self.one_line = quote.line_ends == LineEnds::Illegal;
        let (kind, closed) = self.quoted(quote, &mut value)?;
        self.in_quotes = false;
        self.one_line = false;
        self.atom_ends(kind, closed, value, start)
    }

    /// Reads hexadecimal or base64 octets.
    fn octets(&mut self, mut value: Value) -> Read<Atom> {
        let start = value.start;
        let closed = if self.tape.bytes[self.tape.next] == b'#' { self.hex(&mut value)? } else { self.base64(&mut value)? };
        self.atom_ends(Kind::Octets, closed, value, start)
    }

    fn atom_ends(&mut self, kind: Kind, closed: bool, mut value: Value, start: u64) -> Read<Atom> {
        if !closed {
            let error = if kind == Kind::Octets { ErrorKind::UnterminatedOctets } else { ErrorKind::UnterminatedString };
            let (end, start) = (self.tape.end, value.start);
            self.fault_opened(&mut value, error, end, start);
        }
        Ok(Atom { kind, value: value.good.then_some(value.bytes), start, end: closed.then(|| self.behind()) })
    }

    /// Reads digits and what they announce.
    fn after_length(&mut self, value: Value) -> Read<Option<Atom>> {
        let first = self.tape.next;
        let start = value.start;
        let mut length = 0u64;
        while let Some(byte @ b'0'..=b'9') = self.peek()? {
            let zero = self.tape.bytes[first] == b'0' && !self.rules.leading_zeros;
            if zero && self.tape.next == first + usize::from(!self.rules.no_zero) {
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
            Some(byte @ (b'"' | b'#' | b'|')) if self.rules.octets => {
                // What is left open was opened where its length begins.
                let mut atom = match self.rules.marks {
                    [Mark { what: What::Quote(quote), .. }, ..] if byte == b'"' => self.quoted_atom(quote, 1, value)?,
                    _ => self.octets(value)?,
                };
                if !self.rules.careless_octets && atom.value.as_ref().is_some_and(|value| value.len() as u64 != length) {
                    self.error(ErrorKind::LengthMismatch, start);
                    atom.value = None;
                }
                Ok(Some(atom))
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
                _ if self.rules.spaces.contains(&byte) && !self.rules.careless_octets => (),
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
    pub(super) fn fault(&mut self, value: &mut Value, kind: ErrorKind, at: u64) {
        if value.good {
            value.good = false;
            self.error(kind, at);
        }
    }

    pub(super) fn fault_opened(&mut self, value: &mut Value, kind: ErrorKind, at: u64, opened: u64) {
        if value.good {
            value.good = false;
            self.error_opened(kind, at, opened);
        }
    }

    pub(super) fn push(&mut self, value: &mut Value, byte: u8) {
        if value.good {
            value.bytes.push(byte);
            if value.bytes.len() as u64 > value.limit {
                self.fault(value, ErrorKind::AtomTooLarge, value.start);
            }
        }
    }
}
