//! Octets: counted, hexadecimal and base64.

use super::{Chunk, Machine, State, Step};
use crate::error::ErrorKind;
use crate::lexeme::Kind;
use crate::syntax::Start;

/// Base64 digits on their way to octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Base64 {
    bits: u16,
    digits: u8,
    pads: u8,
}

/// What a base64 digit did.
pub(crate) enum Digit {
    Octet(u8),
    Nothing,
    AfterPad,
    Other,
}

impl Base64 {
    /// Takes one byte of base64.
    pub(crate) fn take(&mut self, byte: u8) -> Digit {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                self.pads = self.pads.saturating_add(1);
                return Digit::Nothing;
            }
            _ => return Digit::Other,
        };
        if self.pads > 0 {
            return Digit::AfterPad;
        }
        self.bits = self.bits << 6 & 0xfff | u16::from(value);
        self.digits = (self.digits + 1) % 4;
        match self.digits {
            2 => Digit::Octet((self.bits >> 4) as u8),
            3 => Digit::Octet((self.bits >> 2) as u8),
            0 => Digit::Octet(self.bits as u8),
            _ => Digit::Nothing,
        }
    }

    /// Whether digits and padding make whole octets. Padding may lack.
    pub(crate) fn whole(self) -> bool {
        match self.digits {
            0 => self.pads == 0,
            2 => self.pads <= 2,
            3 => self.pads <= 1,
            _ => false,
        }
    }
}

impl Machine {
    pub(super) fn in_length(&mut self, chunk: &Chunk<'_>, at: &mut usize, value: u64, first_zero: bool) -> Option<Step> {
        let Some(lengths) = self.syntax.lengths else { unreachable!("a syntax without lengths has no digits that begin one") };
        let (mut value, mut first_zero) = (value, first_zero);
        while let Some(&byte) = chunk.bytes.get(*at) {
            if byte.is_ascii_digit() {
                *at += 1;
                if first_zero && !lengths.leading_zeros {
                    self.state = State::InLength { value: u64::from(byte - b'0'), first_zero: false };
                    return Some(self.fault_at(chunk, ErrorKind::LeadingZero, self.token, None));
                }
                first_zero = false;
                match value.checked_mul(10).and_then(|value| value.checked_add(u64::from(byte - b'0'))) {
                    Some(larger) => value = larger,
                    None => {
                        self.state = State::InLargeLength;
                        return Some(self.fault_at(chunk, ErrorKind::LengthTooLarge, self.token, None));
                    }
                }
                continue;
            }
            let start = self.syntax.start[byte as usize];
            if byte == b':' {
                *at += 1;
                self.announced = Some(value);
                self.state = State::InCounted { left: value };
                if self.options.atom.is_some_and(|limit| value > limit) {
                    self.drop_atom();
                    return Some(self.fault_at(chunk, ErrorKind::AtomTooLarge, self.token, None));
                }
                return self.in_counted(chunk, at, value);
            }
            self.state = match start {
                Start::Quote(quote) if lengths.before_others => {
                    self.begin_quotes(quote);
                    State::InQuotes
                }
                Start::Hex if lengths.before_others => State::InHex(None),
                Start::Base64 if lengths.before_others => State::InBase64(Base64::default()),
                _ => {
                    self.state = State::Between;
                    return Some(self.fault_at(chunk, ErrorKind::LengthWithoutBody, self.token, None));
                }
            };
            *at += 1;
            self.announced = lengths.checked.then_some(value);
            return None;
        }
        self.state = State::InLength { value, first_zero };
        None
    }

    pub(super) fn in_large_length(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        while let Some(&byte) = chunk.bytes.get(*at) {
            if !byte.is_ascii_digit() {
                *at += usize::from(byte == b':');
                self.state = State::Between;
                return None;
            }
            *at += 1;
        }
        None
    }

    #[inline]
    pub(super) fn in_counted(&mut self, chunk: &Chunk<'_>, at: &mut usize, left: u64) -> Option<Step> {
        let from = *at;
        let here = (chunk.bytes.len() - from) as u64;
        if left <= here {
            *at = from + left as usize;
            return self.atom_is_whole(chunk, at, Kind::Octets, from..from + left as usize, 0);
        }
        *at = chunk.bytes.len();
        self.state = State::InCounted { left: left - here };
        self.pause(chunk, Kind::Octets, from..chunk.bytes.len())
    }

    pub(super) fn in_hex(&mut self, chunk: &Chunk<'_>, at: &mut usize, high: Option<u8>) -> Option<Step> {
        let mut high = high;
        while let Some(&byte) = chunk.bytes.get(*at) {
            let here = *at;
            *at += 1;
            if let Some(digit) = (byte as char).to_digit(16) {
                let digit = digit as u8;
                let Some(first) = high.take() else {
                    high = Some(digit);
                    continue;
                };
                if let Some(kind) = self.keep(&[first << 4 | digit]) {
                    self.state = State::InHex(high);
                    return Some(self.fault_at(chunk, kind, self.token, None));
                }
            } else if Some(byte) == self.syntax.hex {
                *at = here;
                if high.is_some() && !self.dropped {
                    self.drop_atom();
                    self.state = State::InHex(None);
                    return Some(self.fault(chunk, ErrorKind::OddHex, chunk.offset(here), None));
                }
                return self.atom_is_whole(chunk, at, Kind::Octets, here..here, 1);
            } else if self.syntax.start[byte as usize] != Start::Space && !self.dropped {
                self.state = State::InHex(high);
                self.drop_atom();
                return Some(self.fault(chunk, ErrorKind::IllegalInOctets(byte), chunk.offset(here), None));
            }
        }
        self.state = State::InHex(high);
        self.pause(chunk, Kind::Octets, 0..0)
    }

    pub(super) fn in_base64(&mut self, chunk: &Chunk<'_>, at: &mut usize, base64: Base64) -> Option<Step> {
        let mut base64 = base64;
        while let Some(&byte) = chunk.bytes.get(*at) {
            let here = *at;
            *at += 1;
            let fault = match base64.take(byte) {
                Digit::Nothing => continue,
                Digit::Octet(octet) => match self.keep(&[octet]) {
                    None => continue,
                    Some(kind) => {
                        self.state = State::InBase64(base64);
                        return Some(self.fault_at(chunk, kind, self.token, None));
                    }
                },
                Digit::AfterPad => ErrorKind::BadBase64,
                Digit::Other if Some(byte) == self.syntax.base64 => {
                    *at = here;
                    if !base64.whole() && !self.dropped {
                        self.drop_atom();
                        self.state = State::InBase64(base64);
                        return Some(self.fault(chunk, ErrorKind::BadBase64, chunk.offset(here), None));
                    }
                    return self.atom_is_whole(chunk, at, Kind::Octets, here..here, 1);
                }
                Digit::Other if self.syntax.start[byte as usize] == Start::Space && self.syntax.base64_spaces => continue,
                Digit::Other => ErrorKind::IllegalInOctets(byte),
            };
            if !self.dropped {
                self.state = State::InBase64(base64);
                self.drop_atom();
                return Some(self.fault(chunk, fault, chunk.offset(here), None));
            }
        }
        self.state = State::InBase64(base64);
        self.pause(chunk, Kind::Octets, 0..0)
    }
}
