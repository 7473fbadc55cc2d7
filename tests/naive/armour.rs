//! The transport form: forms in base64 in braces.

use super::{Event, More, Naive, Read, Tape};
use sexp_codec::{Error, ErrorKind};

impl Naive<'_> {
    /// Reads forms in base64 in braces: decodes the base64, and reads the octets as if they were the input.
    pub(super) fn armour(&mut self) -> Read<()> {
        let opened = self.place();
        self.tape.next += 1;
        let mut octets = Vec::new();
        let mut places = Vec::new();
        let mut digits = Base64::default();
        let mut fault = None;
        let mut closed = None;
        while closed.is_none() && self.tape.next < self.tape.bytes.len() {
            let byte = self.tape.bytes[self.tape.next];
            let at = self.tape.next as u64;
            self.tape.next += 1;
            if byte == b'}' {
                closed = Some(at);
            } else if fault.is_none() && !b" \t\n\x0b\x0c\r".contains(&byte) {
                match digits.next(byte) {
                    Ok(None) => (),
                    Ok(Some(octet)) => {
                        octets.push(octet);
                        places.push(at);
                    }
                    Err(kind) => fault = Some((kind, at)),
                }
            }
        }

        let end = closed.unwrap_or(self.tape.end);
        let octets = Tape { bytes: octets, places: Some(places), next: 0, ends: false, end };
        let outer = std::mem::replace(&mut self.tape, octets);
        let mut complete = self.clone();
        let _ = complete.lexemes();
        if complete.swallows {
            *self = complete;
        } else if closed.is_some() && fault.is_none() {
            // The end of the armour is an end like that of the input.
            self.tape.ends = true;
            let _ = self.lexemes();
            if !digits.is_whole() {
                let position = self.lines.position(end);
                self.events.insert(complete.events.len(), Event::Error(Error { kind: ErrorKind::BadBase64, position, opened: None }));
            }
        } else {
            // The octets break off: what they do not complete is dropped, but for the lists.
            *self = complete;
            if let Some((kind, at)) = fault {
                self.error(kind, at);
            }
            if closed.is_none() && !outer.ends {
                return Err(More);
            }
            if closed.is_none() {
                self.error_opened(ErrorKind::PrematureEnd, end, opened);
            }
            self.close_all();
        }
        self.tape = outer;
        // Files end with a line end.
        while closed.is_some() && self.tape.bytes.get(self.tape.next).is_some_and(|byte| b" \t\n\x0b\x0c\r".contains(byte)) {
            self.tape.next += 1;
        }
        Ok(())
    }
}

/// Base64 digits, the bits that are not yet an octet, and the pads.
#[derive(Default)]
pub(super) struct Base64 {
    digits: u64,
    pads: u64,
    bits: u32,
}

impl Base64 {
    /// Takes a digit or pad; gives the octet that it completes.
    pub(super) fn next(&mut self, byte: u8) -> Result<Option<u8>, ErrorKind> {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                self.pads += 1;
                return Ok(None);
            }
            _ => return Err(ErrorKind::IllegalInOctets(byte)),
        };
        if self.pads > 0 {
            return Err(ErrorKind::BadBase64);
        }
        self.digits += 1;
        self.bits = self.bits << 6 | u32::from(digit);
        Ok(match self.digits % 4 {
            2 => Some((self.bits >> 4) as u8),
            3 => Some((self.bits >> 2) as u8),
            0 => Some(self.bits as u8),
            _ => None,
        })
    }

    /// Whether the digits make whole octets, and there is not more padding than they need.
    pub(super) fn is_whole(&self) -> bool {
        match self.digits % 4 {
            0 => self.pads == 0,
            2 => self.pads <= 2,
            3 => self.pads <= 1,
            _ => false,
        }
    }
}
