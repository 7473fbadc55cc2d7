//! Where the encoder writes to: the window, through the armour where the syntax has one, or laid out for people.

use super::indent::Indenter;

/// The window, as far as it has been filled.
pub(super) struct Sink<'a> {
    pub(super) window: &'a mut [u8],
    pub(super) at: usize,
    pub(super) armour: Option<&'a mut Armour>,
    /// No syntax has both.
    pub(super) indenter: Option<&'a mut Indenter>,
}

impl Sink<'_> {
    /// Takes as many of the bytes as it can, and says how many. Where it takes fewer than all, the window is full.
    #[inline]
    pub(super) fn copy(&mut self, bytes: &[u8]) -> usize {
        if let Some(indenter) = &mut self.indenter {
            return indenter.copy(bytes, self.window, &mut self.at);
        }
        if !self.drain() {
            return 0;
        }
        if self.armour.as_ref().is_some_and(|armour| armour.open) { self.copy_armoured(bytes) } else { self.copy_raw(bytes) }
    }

    #[inline]
    fn copy_raw(&mut self, bytes: &[u8]) -> usize {
        let room = &mut self.window[self.at..];
        let count = bytes.len().min(room.len());
        room[..count].copy_from_slice(&bytes[..count]);
        self.at += count;
        count
    }

    fn copy_armoured(&mut self, mut bytes: &[u8]) -> usize {
        let len = bytes.len();
        while self.drain()
            && let Some(armour) = &mut self.armour
            && let [byte, rest @ ..] = bytes
        {
            if let (Some((octets, rest)), Some(room)) = (bytes.split_first_chunk::<3>(), self.window[self.at..].first_chunk_mut::<4>())
                && armour.carry.is_empty()
            {
                *room = digits(*octets);
                self.at += 4;
                bytes = rest;
            } else {
                if let Some(digits) = armour.carry.push(*byte) {
                    armour.ready.set(&digits);
                }
                bytes = rest;
            }
        }
        len - bytes.len()
    }

    /// More bytes than this cannot be taken before the next window.
    pub(super) fn limit(&self) -> usize {
        // Through the armour, a full window still takes the bytes that are held back.
        let held = self.indenter.as_ref().map_or(0, |indenter| indenter.room());
        self.window.len() - self.at + held + if self.armour.is_some() { 3 } else { 0 }
    }

    /// Writes what the armour has ready, or what the indenter does not hold; whether that is all of it.
    #[inline]
    pub(super) fn drain(&mut self) -> bool {
        if let Some(indenter) = &mut self.indenter {
            return indenter.drain(self.window, &mut self.at);
        }
        let Some(armour) = &mut self.armour else { return true };
        while let Some(&byte) = armour.ready.bytes().first() {
            let Some(place) = self.window.get_mut(self.at) else { return false };
            *place = byte;
            self.at += 1;
            armour.ready.at += 1;
        }
        true
    }

    /// A top-level form begins.
    pub(super) fn begin_form(&mut self) {
        if let Some(armour) = &mut self.armour {
            armour.open = true;
            armour.ready.set(&[armour.delimiters.0]);
        }
    }

    /// A top-level form ends.
    pub(super) fn end_form(&mut self) {
        if let Some(indenter) = &mut self.indenter {
            indenter.end_form();
        }
        if let Some(armour) = &mut self.armour {
            let (digits, close) = (armour.carry.end(), armour.delimiters.1);
            armour.open = false;
            match digits {
                Some([a, b, c, d]) => armour.ready.set(&[a, b, c, d, close]),
                None => armour.ready.set(&[close]),
            }
        }
    }
}

/// Base64 around each top-level form.
#[derive(Clone)]
pub(super) struct Armour {
    delimiters: (u8, u8),
    /// Whether the bytes that come belong to a form.
    open: bool,
    carry: Base64,
    ready: Ready,
}

impl Armour {
    pub(super) fn new(delimiters: (u8, u8)) -> Armour {
        Armour { delimiters, open: false, carry: Base64::default(), ready: Ready::default() }
    }
}

/// The few bytes that come next.
#[derive(Clone, Default)]
struct Ready {
    text: [u8; 5],
    at: u8,
    len: u8,
}

impl Ready {
    fn set(&mut self, bytes: &[u8]) {
        debug_assert!(self.bytes().is_empty());
        self.text[..bytes.len()].copy_from_slice(bytes);
        (self.at, self.len) = (0, bytes.len() as u8);
    }

    fn bytes(&self) -> &[u8] {
        &self.text[self.at as usize..self.len as usize]
    }
}

/// The octets that do not yet make four base64 digits.
#[derive(Clone, Copy, Default)]
pub(super) struct Base64 {
    octets: [u8; 2],
    count: u8,
}

impl Base64 {
    /// Takes one more octet; four digits where it was the third.
    #[inline]
    pub(super) fn push(&mut self, octet: u8) -> Option<[u8; 4]> {
        if self.count < 2 {
            self.octets[self.count as usize] = octet;
            self.count += 1;
            return None;
        }
        self.count = 0;
        Some(digits([self.octets[0], self.octets[1], octet]))
    }

    /// Whether nothing is held back.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The last digits, with padding, where there are any.
    pub(super) fn end(&mut self) -> Option<[u8; 4]> {
        let [a, b] = self.octets;
        let last = match core::mem::take(&mut self.count) {
            0 => return None,
            1 => {
                let [one, two, ..] = digits([a, 0, 0]);
                [one, two, b'=', b'=']
            }
            _ => {
                let [one, two, three, _] = digits([a, b, 0]);
                [one, two, three, b'=']
            }
        };
        Some(last)
    }
}

/// Three octets in base64. (RFC 4648, section 4.)
#[inline]
pub(super) fn digits([a, b, c]: [u8; 3]) -> [u8; 4] {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let octets = u32::from_be_bytes([0, a, b, c]);
    [18, 12, 6, 0].map(|shift| DIGITS[(octets >> shift & 63) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_rfc() {
        for (octets, expected) in [
            (&b""[..], &b""[..]),
            (b"f", b"Zg=="),
            (b"fo", b"Zm8="),
            (b"foo", b"Zm9v"),
            (b"foob", b"Zm9vYg=="),
            (b"fooba", b"Zm9vYmE="),
            (b"foobar", b"Zm9vYmFy"),
        ] {
            let mut base64 = Base64::default();
            let mut text = octets.iter().filter_map(|&octet| base64.push(octet)).flatten().collect::<Vec<_>>();
            text.extend(base64.end().into_iter().flatten());
            assert_eq!(text, expected);
            assert!(base64.is_empty());
        }
    }

    /// No window takes more than was promised, wherever the last one stopped.
    #[test]
    fn the_limit_is_one() {
        for first in 0..20 {
            for second in 0..20 {
                let mut armour = Armour::new((b'{', b'}'));
                let (mut one, mut other) = ([0; 20], [0; 20]);
                let mut sink = Sink { window: &mut one[..first], at: 0, armour: Some(&mut armour), indenter: None };
                sink.begin_form();
                let limit = sink.limit();
                assert!(sink.copy(&[7; 64]) <= limit);
                assert_eq!(sink.at, first);
                let mut sink = Sink { window: &mut other[..second], at: 0, armour: Some(&mut armour), indenter: None };
                let limit = sink.limit();
                assert!(sink.copy(&[7; 64]) <= limit);
                assert_eq!(sink.at, second);
            }
        }
    }
}
