//! What can be wrong with a framed stream, and where.

use crate::lexeme::Position;
use core::fmt;

/// A fault in a framed stream. Decoding goes on after it.
///
/// | kind | example | what is skipped | what follows |
/// |---|---|---|---|
/// | [`Header`](ErrorKind::Header) | `00000g` in Swank, `byte-length: x` | in Swank, up to the next six hexadecimal digits, which may be the wrong ones; else the line | the next frame |
/// | [`EmptyFrame`](ErrorKind::EmptyFrame) | `000000` in Swank | the header | the next frame |
/// | [`FrameTooLarge`](ErrorKind::FrameTooLarge) | a limit on frames | the rest of the frame | the next frame |
/// | [`LineTooLong`](ErrorKind::LineTooLong) | 1,001 bytes in Assuan | the line, and the rest of a frame that it stands in | the next line |
/// | [`Escape`](ErrorKind::Escape) | `D %4x` in Assuan | the line, and the rest of the frame | the line that ends it |
/// | [`Tag`](ErrorKind::Tag) | `XX` in Festival | the line | the next tag |
/// | [`Terminator`](ErrorKind::Terminator) | `byte-length: 3` and then a longer line | up to the next end of a line | the next frame |
/// | [`Truncated`](ErrorKind::Truncated) | `00000e(` and nothing more | the frame | the end |
/// | [`InForm`](ErrorKind::InForm) | a frame `(a` | what was not complete | the end of the frame |
/// | [`Payload`](ErrorKind::Payload) | a frame `)` | see [`Error`](crate::Error) | the payload goes on |
///
/// The last two belong to the payload: the frame goes on, and its end is told. After any other the frame is lost, and its end is not told.
///
/// ```
/// use sexp_codec::framing::{Decode, Decoder, ErrorKind, Framing};
/// use sexp_codec::{Syntax, ErrorKind as Fault};
///
/// let mut decoder = Decoder::new(&Framing::SWANK, &Syntax::COMMONLISP);
/// let mut input = decoder.feed(b"000004(a )000002))");
/// let error = loop {
///     if let Decode::Error(error) = input.decode() {
///         break error;
///     }
/// };
/// assert_eq!(error.kind, ErrorKind::Payload(Fault::UnbalancedClose(b')')));
/// assert_eq!((error.offset, error.payload.unwrap().column), (16, 1));
/// assert_eq!(error.to_string(), "byte 16 (1:1 of the frame): ')' without a list to close");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where, in bytes from the start of the stream, from 0: where the fault is; for a frame that is too large or not whole, where it begins.
    ///
    /// In a payload that does not stand in the stream as it is (escapes, several lines) this is exact from the last break before the fault was
    /// noticed on; a place before that is given as that break.
    pub offset: u64,
    /// The place in the payload of the frame, for a fault in there.
    pub payload: Option<Position>,
    /// For something left open in the payload, where it was opened there.
    pub opened: Option<Position>,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// What should announce a length does not.
    Header,
    /// A frame without payload, in a protocol that has none such.
    EmptyFrame,
    /// A payload larger than the limit.
    FrameTooLarge,
    /// A line longer than the protocol allows.
    LineTooLong,
    /// An escape without two hexadecimal digits.
    Escape,
    /// A tag that the protocol does not have.
    Tag,
    /// The announced length does not end where the frame does.
    Terminator,
    /// The input ended in a frame.
    Truncated,
    /// The frame ended inside a form, or the input did where there is no framing.
    InForm(crate::ErrorKind),
    /// The payload is faulty.
    Payload(crate::ErrorKind),
}

impl ErrorKind {
    /// Whether the frame is lost: what was delivered of it is not all, and its end is not told.
    pub const fn is_frame_lost(self) -> bool {
        !matches!(self, ErrorKind::InForm(_) | ErrorKind::Payload(_))
    }
}

impl Error {
    pub(crate) const fn at(kind: ErrorKind, offset: u64) -> Error {
        Error { kind, offset, payload: None, opened: None }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Header => f.write_str("the header is not a length"),
            ErrorKind::EmptyFrame => f.write_str("the frame is empty"),
            ErrorKind::FrameTooLarge => f.write_str("the frame is larger than the limit"),
            ErrorKind::LineTooLong => f.write_str("the line is longer than the protocol allows"),
            ErrorKind::Escape => f.write_str("two hexadecimal digits must follow the percent sign"),
            ErrorKind::Tag => f.write_str("the protocol has no such tag"),
            ErrorKind::Terminator => f.write_str("the frame does not end where its header says"),
            ErrorKind::Truncated => f.write_str("the input ends inside a frame"),
            ErrorKind::InForm(kind) => write!(f, "the frame ends inside a form: {kind}"),
            ErrorKind::Payload(kind) => kind.fmt(f),
        }
    }
}

impl fmt::Display for Error {
    /// `byte OFFSET (LINE:COLUMN of the frame): what is wrong`, and where it was opened.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}", self.offset)?;
        if let Some(place) = self.payload {
            write!(f, " ({place} of the frame)")?;
        }
        write!(f, ": {}", self.kind)?;
        if let Some(opened) = self.opened {
            write!(f, " (opened at {opened})")?;
        }
        Ok(())
    }
}

impl core::error::Error for Error {}
