//! The encoder of framed streams: it collects a frame's lexemes, and puts the frame around them.

use super::encode::FrameError;
use super::{Framing, Rule};
use crate::encode::{Encode, EncodeError as Refusal, EncodeOptions, Encoder as NonBlocking, Layout, Output};
use crate::lexeme::{Fragment, Lexeme};
use crate::syntax::Syntax;
use alloc::vec::Vec;
use bytes::{Buf, BytesMut};
use core::fmt;

/// Why something cannot be written. Nothing changed by it.
///
/// ```
/// use sexp_codec::framing::{EncodeError, Encoder, FrameError, Framing};
/// use sexp_codec::{Lexeme, Syntax};
///
/// // A line feed in an atom that is written as it is would end the line.
/// let mut encoder = Encoder::new(&Framing::LINES, &Syntax::CSEXP);
/// encoder.encode(Lexeme::octets(b"a\nb"))?;
/// assert_eq!(encoder.end_of_frame(), Err(EncodeError::Frame(FrameError::Terminator(3))));
/// encoder.drop_frame();
/// encoder.encode(Lexeme::octets(b"c"))?;
/// encoder.end_of_frame()?;
/// assert_eq!(encoder.bytes(), b"1:c\n");
/// # Ok::<(), EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodeError {
    /// The lexeme cannot be written here.
    Refused(Refusal),
    /// The payload, or the line, cannot be framed.
    Frame(FrameError),
    /// A line cannot stand inside a payload.
    Unfinished,
}

/// Writes frames of lexemes.
///
/// The header of a frame needs its length, so a frame is collected in a buffer, which is kept for the next one. [`end_of_frame`] moves it to
/// the bytes to be sent, from which they are taken into windows ([`fill`]), into a [`BytesMut`] ([`append_to`]), or as from any [`Buf`].
///
/// How much waits to be sent is [`remaining`](Buf::remaining): a client that keeps it small, and reads no more while it is not, does not run out
/// of memory for a peer that is slow.
///
/// ```
/// use sexp_codec::framing::{Encoder, Framing};
/// use sexp_codec::{Lexeme, Syntax};
///
/// let mut encoder = Encoder::new(&Framing::LINES, &Syntax::EDN);
/// encoder.encode(Lexeme::string(b"a\nb"))?;
/// encoder.end_of_frame()?;
/// let mut window = [0; 5];
/// assert_eq!(encoder.fill(&mut window), 5);
/// assert_eq!(&window, b"\"a\\nb");
/// assert_eq!(encoder.fill(&mut window), 2);
/// assert_eq!(&window[..2], b"\"\n");
/// # Ok::<(), sexp_codec::framing::EncodeError>(())
/// ```
///
/// [`end_of_frame`]: Encoder::end_of_frame
/// [`fill`]: Encoder::fill
/// [`append_to`]: Encoder::append_to
#[derive(Clone)]
pub struct Encoder {
    framing: Framing,
    inner: NonBlocking,
    /// The payload so far, and how much of the buffer it is.
    payload: Vec<u8>,
    length: usize,
    /// What is to be sent, from `sent` on.
    stream: Vec<u8>,
    sent: usize,
}

impl Encoder {
    /// An encoder that writes the most compact payload. Without framing, or where a line is a frame, a form is written on its line.
    pub fn new(framing: &Framing, syntax: &'static Syntax) -> Encoder {
        let layout = if matches!(framing.rule, Rule::Bare | Rule::Terminated(_)) { Layout::Lines } else { Layout::Compact };
        Encoder::with_options(framing, syntax, EncodeOptions::default().layout(layout))
    }

    /// An encoder that writes the payload as it is told.
    pub fn with_options(framing: &Framing, syntax: &'static Syntax, options: EncodeOptions) -> Encoder {
        let inner = NonBlocking::with_options(syntax, options);
        Encoder { framing: *framing, inner, payload: Vec::new(), length: 0, stream: Vec::new(), sent: 0 }
    }

    /// Writes a lexeme of the payload.
    ///
    /// # Errors
    ///
    /// A lexeme that cannot be written here.
    pub fn encode(&mut self, lexeme: Lexeme<'_>) -> Result<(), EncodeError> {
        self.step(lexeme.bytes.len(), |output| output.encode(lexeme))
    }

    /// Writes a piece of an atom.
    ///
    /// # Errors
    ///
    /// As [`encode`](Encoder::encode).
    pub fn fragment(&mut self, fragment: Fragment<'_>) -> Result<(), EncodeError> {
        self.step(fragment.bytes.len(), |output| output.fragment(fragment))
    }

    /// The payload is complete: puts the frame around it. Of a line end after the last form none is left where it would end the frame.
    ///
    /// # Errors
    ///
    /// An open list, or a payload that the framing cannot carry, which can be [dropped](Encoder::drop_frame).
    pub fn end_of_frame(&mut self) -> Result<(), EncodeError> {
        if let Encode::Error(error) = self.inner.window(&mut []).finish() {
            return Err(EncodeError::Refused(error));
        }
        let payload = &self.payload[..self.length];
        let payload = match self.framing.rule {
            Rule::Terminated(rule) => payload.strip_suffix(&[rule.end]).or(payload.strip_suffix(b"\n")).unwrap_or(payload),
            _ => payload,
        };
        self.framing.frame(payload, &mut self.stream)?;
        self.length = 0;
        // Without framing what follows a bare atom must not touch it.
        if self.framing.rule != Rule::Bare {
            self.inner.reset();
        }
        Ok(())
    }

    /// Forgets the payload so far.
    pub fn drop_frame(&mut self) {
        self.length = 0;
        self.inner.reset();
    }

    /// Writes a whole frame with that payload, as it is.
    ///
    /// # Errors
    ///
    /// A payload that the framing cannot carry, or one that is under way.
    pub fn frame(&mut self, payload: &[u8]) -> Result<(), EncodeError> {
        self.between_frames()?;
        Ok(self.framing.frame(payload, &mut self.stream)?)
    }

    /// Writes a whole frame with a payload that is no s-expression.
    ///
    /// # Errors
    ///
    /// As [`Framing::octets`], or a payload that is under way.
    pub fn octets(&mut self, payload: &[u8]) -> Result<(), EncodeError> {
        self.between_frames()?;
        Ok(self.framing.octets(payload, &mut self.stream)?)
    }

    /// Writes a line that is no payload.
    ///
    /// # Errors
    ///
    /// As [`Framing::line`], or a payload that is under way.
    pub fn line(&mut self, line: &[u8]) -> Result<(), EncodeError> {
        self.between_frames()?;
        Ok(self.framing.line(line, &mut self.stream)?)
    }

    /// What waits to be sent.
    pub fn bytes(&self) -> &[u8] {
        &self.stream[self.sent..]
    }

    /// Moves what waits to be sent into a window: how many bytes.
    pub fn fill(&mut self, window: &mut [u8]) -> usize {
        let count = window.len().min(self.remaining());
        self.copy_to_slice(&mut window[..count]);
        count
    }

    /// Moves what waits to be sent to the end of a buffer.
    pub fn append_to(&mut self, buffer: &mut BytesMut) {
        buffer.extend_from_slice(self.bytes());
        self.advance(self.remaining());
    }

    /// How many lists are open in the payload.
    pub fn depth(&self) -> u64 {
        self.inner.depth()
    }

    /// The framing that it puts on.
    pub fn framing(&self) -> &Framing {
        &self.framing
    }

    fn between_frames(&self) -> Result<(), EncodeError> {
        if self.length == 0 { Ok(()) } else { Err(EncodeError::Unfinished) }
    }

    fn step(&mut self, size: usize, step: impl Fn(&mut Output<'_>) -> Encode) -> Result<(), EncodeError> {
        loop {
            let mut output = self.inner.window(&mut self.payload[self.length..]);
            let outcome = step(&mut output);
            self.length += output.written();
            match outcome {
                Encode::Ok => return Ok(()),
                Encode::Partial => self.payload.resize(self.payload.len().max(64) * 2 + size, 0),
                Encode::Error(error) => return Err(EncodeError::Refused(error)),
            }
        }
    }
}

/// The bytes that wait to be sent.
impl Buf for Encoder {
    fn remaining(&self) -> usize {
        self.stream.len() - self.sent
    }

    fn chunk(&self) -> &[u8] {
        self.bytes()
    }

    fn advance(&mut self, count: usize) {
        assert!(count <= self.remaining(), "more than there is");
        self.sent += count;
        if self.sent == self.stream.len() {
            self.stream.clear();
            self.sent = 0;
        } else if self.sent > self.stream.len() / 2 {
            // Moves at most as many bytes as were sent since it did so last.
            self.stream.drain(..self.sent);
            self.sent = 0;
        }
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder")
            .field("framing", &self.framing)
            .field("encoder", &self.inner)
            .field("payload", &self.length)
            .field("waiting", &self.remaining())
            .finish()
    }
}

impl From<Refusal> for EncodeError {
    fn from(error: Refusal) -> Self {
        EncodeError::Refused(error)
    }
}

impl From<FrameError> for EncodeError {
    fn from(error: FrameError) -> Self {
        EncodeError::Frame(error)
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::Refused(error) => error.fmt(f),
            EncodeError::Frame(error) => error.fmt(f),
            EncodeError::Unfinished => f.write_str("another frame is not complete yet"),
        }
    }
}

impl core::error::Error for EncodeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            EncodeError::Refused(error) => Some(error),
            EncodeError::Frame(error) => Some(error),
            EncodeError::Unfinished => None,
        }
    }
}
