//! Frames around payloads that are at hand as bytes.

use super::{Body, Counted, DIGITS, DataLines, Framing, Rule, Tagged, Terminated, Unit};
use bytes::BufMut;
use core::fmt;

/// Why a payload cannot be a frame. Nothing was written.
///
/// ```
/// use sexp_codec::framing::{FrameError, Framing};
///
/// let mut stream = Vec::new();
/// assert_eq!(Framing::LINES.frame(b"(a\nb)", &mut stream), Err(FrameError::Terminator(2)));
/// assert_eq!(Framing::SWANK.frame(&vec![b' '; 1 << 24], &mut stream), Err(FrameError::TooLarge));
/// assert_eq!(Framing::ASSUAN.line(b"D looks like data", &mut stream), Err(FrameError::Line));
/// assert!(stream.is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameError {
    /// The length does not go into the header.
    TooLarge,
    /// The payload has a byte that ends the frame, at that index.
    Terminator(u64),
    /// The protocol has no empty frames.
    Empty,
    /// The protocol has no such line: it is empty, too long, has a line end in it, or would be read as payload.
    Line,
    /// The protocol has no payload that is no s-expression.
    Octets,
}

impl Framing {
    /// Writes a frame with that payload.
    ///
    /// With [`Framing::FORMS`] the payload is written as it is: a bare atom in the end needs something behind it to be seen as complete.
    ///
    /// What comes before and after the payload is given by the framing. An Assuan payload goes without the line that ends it, and a
    /// Festival payload comes with its tag.
    ///
    /// ```
    /// use sexp_codec::framing::Framing;
    ///
    /// let mut stream = Vec::new();
    /// Framing::SWANK.frame("(:write-string \"λ\")".as_bytes(), &mut stream)?;
    /// assert_eq!(stream, "000014(:write-string \"λ\")".as_bytes());
    /// stream.clear();
    /// Framing::ASSUAN.frame(b"(1:\n)", &mut stream)?;
    /// Framing::ASSUAN.line(b"OK", &mut stream)?;
    /// assert_eq!(stream, b"D (1:%0A)\nOK\n");
    /// # Ok::<(), sexp_codec::framing::FrameError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A payload that the framing cannot carry.
    pub fn frame(&self, payload: &[u8], stream: &mut impl BufMut) -> Result<(), FrameError> {
        match self.rule {
            Rule::Bare => stream.put_slice(payload),
            Rule::Counted(rule) => {
                if payload.is_empty() {
                    return Err(FrameError::Empty);
                }
                stream.put_slice(&rule.header(payload)?);
                stream.put_slice(payload);
            }
            Rule::Terminated(rule) => rule.frame(payload, stream, self.empty == super::Empty::Frame)?,
            Rule::DataLines(rule) => rule.frame(payload, stream),
            Rule::Tagged(rule) => rule.frame(payload, stream, Body::Forms)?,
        }
        Ok(())
    }

    /// Writes a frame with a payload that is no s-expression: a waveform of Festival.
    ///
    /// # Errors
    ///
    /// That the protocol has none such.
    pub fn octets(&self, payload: &[u8], stream: &mut impl BufMut) -> Result<(), FrameError> {
        match self.rule {
            Rule::Tagged(rule) => rule.frame(payload, stream, Body::Octets),
            _ => Err(FrameError::Octets),
        }
    }

    /// Writes a line that is no payload, and its end: a status line of Assuan, `OK` or `ER` of Festival, a message of Idris without a header.
    ///
    /// # Errors
    ///
    /// That the protocol has no such line.
    pub fn line(&self, line: &[u8], stream: &mut impl BufMut) -> Result<(), FrameError> {
        let sound = match self.rule {
            Rule::DataLines(rule) => line.len() <= rule.limit && !line.starts_with(rule.data) && !line.ends_with(b"\r"),
            Rule::Tagged(rule) => rule.tags.contains(&(line, Body::Nothing)),
            Rule::Counted(rule) => rule.or_line && !line.get(..DIGITS).is_some_and(|header| header.iter().all(u8::is_ascii_hexdigit)),
            Rule::Bare | Rule::Terminated(_) => false,
        };
        if !sound || line.is_empty() || line.contains(&b'\n') {
            return Err(FrameError::Line);
        }
        stream.put_slice(line);
        stream.put_u8(b'\n');
        Ok(())
    }
}

impl Counted {
    fn header(self, payload: &[u8]) -> Result<[u8; DIGITS], FrameError> {
        let mut left = match self.unit {
            Unit::Bytes => payload.len() as u64,
            Unit::Characters => self.unit.count(payload),
        };
        let digits = if self.capitals { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
        let mut header = [0; DIGITS];
        for place in header.iter_mut().rev() {
            *place = digits[(left & 15) as usize];
            left >>= 4;
        }
        if left == 0 { Ok(header) } else { Err(FrameError::TooLarge) }
    }
}

impl Unit {
    /// How many characters these bytes are.
    fn count(self, bytes: &[u8]) -> u64 {
        let (mut at, mut count) = (0, 0);
        while at < bytes.len() {
            at += self.pass(1, 0, &bytes[at..]).0;
            count += 1;
        }
        count
    }
}

impl Terminated {
    fn frame(self, payload: &[u8], stream: &mut impl BufMut, empty: bool) -> Result<(), FrameError> {
        if payload.is_empty() && !empty {
            return Err(FrameError::Empty);
        }
        if let Some(index) = memchr::memchr(self.end, payload) {
            return Err(FrameError::Terminator(index as u64));
        }
        // It would be taken for a part of the end, or the line for a header.
        if self.returns && payload.ends_with(b"\r") || self.header.is_some_and(|text| payload.starts_with(text)) {
            return Err(FrameError::Terminator(payload.len() as u64 - 1));
        }
        stream.put_slice(payload);
        stream.put_u8(self.end);
        Ok(())
    }
}

impl DataLines {
    fn frame(self, payload: &[u8], stream: &mut impl BufMut) {
        let mut length = 0;
        let mut rest = payload;
        loop {
            if length == 0 {
                stream.put_slice(self.data);
                length = self.data.len();
            }
            let Some(&first) = rest.first() else { break };
            let plain = memchr::memchr3(b'%', b'\r', b'\n', rest).unwrap_or(rest.len()).min(self.limit - length);
            if plain > 0 {
                stream.put_slice(&rest[..plain]);
                length += plain;
                rest = &rest[plain..];
                continue;
            }
            if length + 3 > self.limit || !matches!(first, b'%' | b'\r' | b'\n') {
                stream.put_u8(b'\n');
                length = 0;
                continue;
            }
            stream.put_slice(match first {
                b'%' => b"%25",
                b'\r' => b"%0D",
                _ => b"%0A",
            });
            length += 3;
            rest = &rest[1..];
        }
        stream.put_u8(b'\n');
    }
}

impl Tagged {
    fn frame(self, payload: &[u8], stream: &mut impl BufMut, body: Body) -> Result<(), FrameError> {
        let Some((tag, _)) = self.tags.iter().find(|(_, other)| *other == body) else {
            return Err(FrameError::Octets);
        };
        stream.put_slice(tag);
        stream.put_u8(b'\n');
        let (last, almost) = self.key.split_last().unwrap_or((&0, &[]));
        let mut rest = payload;
        while let Some(index) = memchr::memmem::find(rest, almost) {
            let (text, others) = rest.split_at(index + almost.len());
            stream.put_slice(text);
            // What would complete the key, or be taken for what is put in.
            if others.first().is_some_and(|next| next == last || *next == self.stuffing) {
                stream.put_u8(self.stuffing);
            }
            rest = others;
        }
        stream.put_slice(rest);
        stream.put_slice(self.key);
        Ok(())
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::TooLarge => f.write_str("the length of the payload does not go into the header"),
            FrameError::Terminator(index) => write!(f, "the payload would end too early, at {index}"),
            FrameError::Empty => f.write_str("the protocol has no empty frames"),
            FrameError::Line => f.write_str("the protocol has no such line"),
            FrameError::Octets => f.write_str("the protocol has no payload but s-expressions"),
        }
    }
}

impl core::error::Error for FrameError {}
