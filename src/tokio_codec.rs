//! Codecs for tokio's framed streams: `tokio_util::codec`.
//!
//! | codec | items | to be sent |
//! |---|---|---|
//! | [`FormCodec`] | whole [forms](Form) | forms, or the lexemes of one |
//! | [`FrameCodec`] | whole [frames](Frame) | frames |
//!
//! ```
//! use futures_util::{SinkExt, StreamExt};
//! use sexp_codec::Syntax;
//! use sexp_codec::tokio_codec::FormCodec;
//! use tokio_util::codec::Framed;
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let (ours, theirs) = tokio::io::duplex(64);
//! let mut client = Framed::new(ours, FormCodec::new(&Syntax::CSEXP));
//! let mut server = Framed::new(theirs, FormCodec::new(&Syntax::CSEXP));
//! client.send(&[sexp_codec::Lexeme::octets(b"ping")][..]).await?;
//! let form = server.next().await.unwrap()?;
//! assert_eq!(form.bytes, "4:ping");
//! server.send(form).await?;
//! assert_eq!(client.next().await.unwrap()?.bytes, "4:ping");
//! # Ok::<(), sexp_codec::tokio_codec::Error>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! All state is in the codec and in the buffers of the framed stream, so a future that waits for the next item can be dropped at any time, and
//! nothing is lost. After an error the stream ends once, as tokio's framed streams do; polled again, it goes on after the fault.
//!
//! Limits ([`Options::limit_frame`]) bound what is kept for a form or a frame that is not whole.

use crate::encode::{Encode, EncodeError, EncodeOptions, Encoder as NonBlocking, Layout};
use crate::forms::{self, Form, Forms};
use crate::framing::{self, Frame, FrameError, Frames, Framing};
use crate::lexeme::Lexeme;
use crate::options::Options;
use crate::syntax::Syntax;
use bytes::{BufMut, BytesMut};
use core::fmt;
use std::io;
use tokio_util::codec::{Decoder, Encoder};

/// What a codec reports.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The stream failed.
    Io(io::Error),
    /// A fault in a form.
    Form(forms::Error),
    /// A fault in the framing.
    Framing(framing::Error),
    /// A lexeme that cannot be written, or lexemes that are not one form.
    Refused(EncodeError),
    /// A frame that cannot be written.
    Frame(FrameError),
}

/// One form is one item.
///
/// What is sent is separated by line ends, where the syntax has white space.
#[derive(Clone, Debug)]
pub struct FormCodec {
    forms: Forms,
    encoder: NonBlocking,
    window: Vec<u8>,
}

impl FormCodec {
    /// Forms of that syntax.
    pub fn new(syntax: &'static Syntax) -> FormCodec {
        FormCodec::with_options(syntax, Options::default())
    }

    /// Forms of that syntax, decoded with these options.
    pub fn with_options(syntax: &'static Syntax, options: Options) -> FormCodec {
        let encoder = NonBlocking::with_options(syntax, EncodeOptions::default().layout(Layout::Lines));
        FormCodec { forms: Forms::with_options(syntax, options), encoder, window: vec![0; 64] }
    }

    /// The syntax of the forms.
    pub fn syntax(&self) -> &'static Syntax {
        self.forms.syntax()
    }
}

impl Decoder for FormCodec {
    type Item = Form;
    type Error = Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Form>, Error> {
        Ok(self.forms.next(buffer)?)
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Form>, Error> {
        Ok(self.forms.finish(buffer)?)
    }
}

/// Sends a form as it was read.
impl Encoder<Form> for FormCodec {
    type Error = Error;

    fn encode(&mut self, form: Form, buffer: &mut BytesMut) -> Result<(), Error> {
        buffer.extend_from_slice(&form.bytes);
        if self.encoder.writes_line_ends() {
            buffer.put_u8(b'\n');
        }
        Ok(())
    }
}

/// Sends lexemes, which must make up whole forms. If they do not, nothing is sent.
impl Encoder<&[Lexeme<'_>]> for FormCodec {
    type Error = Error;

    fn encode(&mut self, lexemes: &[Lexeme<'_>], buffer: &mut BytesMut) -> Result<(), Error> {
        let before = buffer.len();
        let result = lexemes.iter().try_for_each(|lexeme| self.encode_lexeme(*lexeme, buffer));
        let result = result.and_then(|()| match self.encoder.window(&mut []).finish() {
            Encode::Error(error) => Err(error),
            _ => Ok(()),
        });
        if result.is_err() {
            buffer.truncate(before);
            self.encoder.reset();
        }
        Ok(result?)
    }
}

impl FormCodec {
    fn encode_lexeme(&mut self, lexeme: Lexeme<'_>, buffer: &mut BytesMut) -> Result<(), EncodeError> {
        loop {
            let mut output = self.encoder.window(&mut self.window);
            let outcome = output.encode(lexeme);
            buffer.extend_from_slice(output.bytes());
            match outcome {
                Encode::Ok => return Ok(()),
                Encode::Partial => {}
                Encode::Error(error) => return Err(error),
            }
        }
    }
}

/// One frame is one item, and so is a line that is no payload.
///
/// ```
/// use bytes::BytesMut;
/// use sexp_codec::framing::{Frame, Framing};
/// use sexp_codec::tokio_codec::FrameCodec;
/// use tokio_util::codec::{Decoder, Encoder};
///
/// let mut codec = FrameCodec::new(&Framing::SWANK);
/// let mut buffer = BytesMut::new();
/// codec.encode(Frame::Payload("(:ping 1)".into()), &mut buffer)?;
/// assert_eq!(buffer, "000009(:ping 1)");
/// assert_eq!(codec.decode(&mut buffer)?, Some(Frame::Payload("(:ping 1)".into())));
/// # Ok::<(), sexp_codec::tokio_codec::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FrameCodec {
    framing: Framing,
    frames: Frames,
}

impl FrameCodec {
    /// Frames of any size.
    pub fn new(framing: &Framing) -> FrameCodec {
        FrameCodec::with_options(framing, Options::default())
    }

    /// Frames up to the [limit](Options::limit_frame) of these options.
    pub fn with_options(framing: &Framing, options: Options) -> FrameCodec {
        FrameCodec { framing: *framing, frames: Frames::with_options(framing, options) }
    }
}

impl Decoder for FrameCodec {
    type Item = Frame;
    type Error = Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, Error> {
        Ok(self.frames.next(buffer)?)
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, Error> {
        Ok(self.frames.finish(buffer)?)
    }
}

impl Encoder<Frame> for FrameCodec {
    type Error = Error;

    fn encode(&mut self, frame: Frame, buffer: &mut BytesMut) -> Result<(), Error> {
        Ok(match frame {
            Frame::Payload(payload) => self.framing.frame(&payload, buffer),
            Frame::Octets(payload) => self.framing.octets(&payload, buffer),
            Frame::Line(line) => self.framing.line(&line, buffer),
        }?)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => error.fmt(f),
            Error::Form(error) => error.fmt(f),
            Error::Framing(error) => error.fmt(f),
            Error::Refused(error) => error.fmt(f),
            Error::Frame(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match self {
            Error::Io(error) => error,
            Error::Form(error) => error,
            Error::Framing(error) => error,
            Error::Refused(error) => error,
            Error::Frame(error) => error,
        })
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}

impl From<forms::Error> for Error {
    fn from(error: forms::Error) -> Self {
        Error::Form(error)
    }
}

impl From<framing::Error> for Error {
    fn from(error: framing::Error) -> Self {
        Error::Framing(error)
    }
}

impl From<EncodeError> for Error {
    fn from(error: EncodeError) -> Self {
        Error::Refused(error)
    }
}

impl From<FrameError> for Error {
    fn from(error: FrameError) -> Self {
        Error::Frame(error)
    }
}
