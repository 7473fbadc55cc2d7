//! The blocking encoder: a window of its own, and a sink to write it to.

use crate::encode::{Encode, EncodeError as Refusal, EncodeOptions, Encoder as NonBlocking, Output};
use crate::lexeme::{Fragment, Kind, Lexeme};
use crate::syntax::Syntax;
use alloc::vec::Vec;
use std::fmt;
use std::io::{self, Write};

/// Writes lexemes to a [`Write`].
///
/// It has a window of its own, which is written out when it is full, on [`flush`](Encoder::flush) and on [`finish`](Encoder::finish);
/// to put a buffer in between would gain nothing. It is not written out when the encoder is dropped.
///
/// ```
/// use sexp_codec::{Lexeme, Syntax, blocking};
///
/// let mut encoder = blocking::Encoder::new(Vec::new(), &Syntax::SEXPLIB);
/// for lexeme in [Lexeme::open(), Lexeme::bare(b"a"), Lexeme::string(b"b c"), Lexeme::close()] {
///     encoder.encode(lexeme)?;
/// }
/// encoder.finish()?;
/// assert_eq!(encoder.into_inner(), b"(a\"b c\")");
/// # Ok::<(), blocking::EncodeError>(())
/// ```
///
/// After an error of the sink the call may be repeated, and goes on where it was.
pub struct Encoder<W: Write> {
    encoder: NonBlocking,
    window: Vec<u8>,
    /// What of the window has been filled, and what of that has not been written out.
    filled: usize,
    start: usize,
    sink: W,
}

impl<W: Write> Encoder<W> {
    /// An encoder with a window of 64 KiB.
    pub fn new(sink: W, syntax: &'static Syntax) -> Self {
        Self::with_capacity(sink, 64 * 1024, syntax, EncodeOptions::default())
    }

    /// An encoder with a window of that many bytes, at least one.
    ///
    /// ```
    /// use sexp_codec::{EncodeOptions, Layout, Lexeme, Syntax, blocking};
    ///
    /// let options = EncodeOptions::default().layout(Layout::Lines);
    /// let mut encoder = blocking::Encoder::with_capacity(Vec::new(), 1, &Syntax::ADVANCED, options);
    /// encoder.encode(Lexeme::bare(b"abc"))?;
    /// encoder.finish()?;
    /// assert_eq!(encoder.get_ref(), b"abc\n");
    /// # Ok::<(), blocking::EncodeError>(())
    /// ```
    pub fn with_capacity(sink: W, capacity: usize, syntax: &'static Syntax, options: EncodeOptions) -> Self {
        Encoder { encoder: NonBlocking::with_options(syntax, options), window: vec![0; capacity.max(1)], filled: 0, start: 0, sink }
    }

    /// Writes a lexeme.
    ///
    /// # Errors
    ///
    /// A lexeme that cannot be written here, which changes nothing; or an error of the sink.
    #[inline]
    pub fn encode(&mut self, lexeme: Lexeme<'_>) -> Result<(), EncodeError> {
        let written = self.encoder.encode_short(lexeme, &mut self.window[self.filled..]);
        self.filled += written;
        if written > 0 { Ok(()) } else { self.encode_apart(lexeme.kind, lexeme.bytes) }
    }

    #[cold]
    fn encode_apart(&mut self, kind: Kind, bytes: &[u8]) -> Result<(), EncodeError> {
        self.step(|output| output.encode_apart(kind, bytes))
    }

    /// Writes a piece of an atom.
    ///
    /// # Errors
    ///
    /// As [`encode`](Encoder::encode).
    pub fn fragment(&mut self, fragment: Fragment<'_>) -> Result<(), EncodeError> {
        self.step(|output| output.fragment(fragment))
    }

    /// Writes what [`Layout::Indent`](crate::Layout::Indent) holds back, at most a line, as if it did not fit: for a client that stops inside a form.
    /// [`flush`](Encoder::flush) does not, since where lines end would depend on when it is called.
    ///
    /// # Errors
    ///
    /// An error of the sink.
    pub fn release(&mut self) -> Result<(), EncodeError> {
        self.step(|output| output.release())
    }

    /// Writes out everything that is laid out, and flushes the sink.
    ///
    /// # Errors
    ///
    /// An error of the sink.
    pub fn flush(&mut self) -> Result<(), EncodeError> {
        self.write_out()?;
        Ok(self.sink.flush()?)
    }

    /// Ends the data, and flushes.
    ///
    /// # Errors
    ///
    /// A list or an atom that is still open, in which case nothing is flushed; or an error of the sink.
    pub fn finish(&mut self) -> Result<(), EncodeError> {
        self.step(|output| output.finish())?;
        self.flush()
    }

    /// How many lists are open.
    pub fn depth(&self) -> u64 {
        self.encoder.depth()
    }

    /// The sink. What was not flushed has not reached it.
    pub fn into_inner(self) -> W {
        self.sink
    }

    /// The sink.
    pub fn get_ref(&self) -> &W {
        &self.sink
    }

    /// The sink. To write to it between lexemes, [`flush`](Encoder::flush) first.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.sink
    }

    #[inline]
    fn step(&mut self, step: impl Fn(&mut Output<'_>) -> Encode) -> Result<(), EncodeError> {
        loop {
            let mut output = self.encoder.window(&mut self.window[self.filled..]);
            let outcome = step(&mut output);
            self.filled += output.written();
            match outcome {
                Encode::Ok => return Ok(()),
                Encode::Partial => self.write_out()?,
                Encode::Error(error) => return Err(EncodeError::Refused(error)),
            }
        }
    }

    #[cold]
    fn write_out(&mut self) -> io::Result<()> {
        while self.start < self.filled {
            match self.sink.write(&self.window[self.start..self.filled]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.start += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        (self.start, self.filled) = (0, 0);
        Ok(())
    }
}

impl<W: Write + fmt::Debug> fmt::Debug for Encoder<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("encoder", &self.encoder).field("sink", &self.sink).finish_non_exhaustive()
    }
}

/// What can go wrong when lexemes are written to a sink.
#[derive(Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// The sink failed.
    Io(io::Error),
    /// The lexeme cannot be written here.
    Refused(Refusal),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::Io(error) => error.fmt(f),
            EncodeError::Refused(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EncodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            EncodeError::Io(error) => Some(error),
            EncodeError::Refused(error) => Some(error),
        }
    }
}

impl From<io::Error> for EncodeError {
    fn from(error: io::Error) -> Self {
        EncodeError::Io(error)
    }
}

impl From<Refusal> for EncodeError {
    fn from(error: Refusal) -> Self {
        EncodeError::Refused(error)
    }
}
