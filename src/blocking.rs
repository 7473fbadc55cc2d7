//! The codec of a client that may wait: it reads from a [`BufRead`] and writes to a [`Write`](std::io::Write).
//!
//! A thin shell over [`nonblocking`]: the reader's buffer is the chunk, so nothing is copied in between.
//!
//! ```
//! use sexp_codec::blocking::Decoder;
//! use sexp_codec::{Kind, Syntax};
//!
//! let mut decoder = Decoder::new(&b"(one (two))"[..], &Syntax::SEXPLIB);
//! let mut atoms = 0;
//! while let Some(lexeme) = decoder.decode()? {
//!     if lexeme.kind == Kind::Bare {
//!         atoms += 1;
//!     }
//! }
//! assert_eq!(atoms, 2);
//! # Ok::<(), sexp_codec::blocking::Error>(())
//! ```

pub use crate::blocking_encode::{EncodeError, Encoder};
use crate::decode::Step;
use crate::lexeme::{Fragment, Lexeme, Position};
use crate::nonblocking::{self, Advanced, Decode};
use crate::options::Options;
use crate::scan::Queued;
use crate::syntax::Syntax;
use core::fmt;
use std::io::{self, BufRead, BufReader, Read};

/// The bytes a decoder reads at once, where it has a buffer of its own.
pub const CAPACITY: usize = 64 * 1024;

/// Why there is no lexeme.
#[derive(Debug)]
pub enum Error {
    /// The input could not be read. What was read before is not lost: one may try again.
    Io(io::Error),
    /// The input is faulty. One may go on after the fault.
    Malformed(crate::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => error.fmt(f),
            Error::Malformed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => Some(error),
            Error::Malformed(error) => Some(error),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}

/// What a blocking step came to, where atoms may come in fragments.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// A lexeme.
    Lexeme(Lexeme<'a>),
    /// A piece of a large atom.
    Fragment(Fragment<'a>),
    /// The input is over.
    End,
    /// A fault in the input. The next step goes on after it.
    Error(crate::Error),
}

/// Decodes what a reader gives.
///
/// Of a reader it is given, exactly the bytes up to the end of the last lexeme are consumed: who takes it back finds the rest there. It
/// allocates nothing but the buffers of its reader and of its [`nonblocking::Decoder`].
///
/// ```
/// use sexp_codec::blocking::{Decoder, Error};
/// use sexp_codec::{ErrorKind, Lexeme, Syntax};
///
/// let mut decoder = Decoder::new(&b"a) b"[..], &Syntax::SE);
/// assert_eq!(decoder.decode()?, Some(Lexeme::bare(b"a")));
/// let Err(Error::Malformed(error)) = decoder.decode() else { panic!() };
/// assert_eq!(error.kind, ErrorKind::UnbalancedClose(b')'));
/// assert_eq!(decoder.decode()?, Some(Lexeme::bare(b"b")));
/// assert_eq!(decoder.decode()?, None);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder<R> {
    inner: Box<Inner<R>>,
    /// As in the queue of the inner decoder. Here it can stay in a register: nobody else is given its address.
    head: usize,
}

#[derive(Debug)]
struct Inner<R> {
    source: R,
    decoder: nonblocking::Decoder,
    /// Whether the reader has come to its end.
    over: bool,
}

impl<R: Read> Decoder<BufReader<R>> {
    /// A decoder of a reader without a buffer; it reads up to [`CAPACITY`] bytes at once.
    pub fn from_read(source: R, syntax: &'static Syntax) -> Self {
        Decoder::from_read_with(source, CAPACITY, syntax, Options::default())
    }

    /// A decoder of a reader without a buffer that reads up to `capacity` bytes at once, at least 1.
    pub fn from_read_with(source: R, capacity: usize, syntax: &'static Syntax, options: Options) -> Self {
        Decoder::with_options(BufReader::with_capacity(capacity.max(1), source), syntax, options)
    }
}

impl<R: BufRead> Decoder<R> {
    /// A decoder of a reader with a buffer, or of a slice of bytes.
    pub fn new(source: R, syntax: &'static Syntax) -> Self {
        Decoder::with_options(source, syntax, Options::default())
    }

    /// A decoder of a reader with a buffer, with these options.
    pub fn with_options(source: R, syntax: &'static Syntax, options: Options) -> Self {
        let decoder = nonblocking::Decoder::with_options(syntax, options);
        Decoder { inner: Box::new(Inner { source, decoder, over: false }), head: 0 }
    }

    /// The next lexeme, or none at the end of the input. Waits for the reader, but only if no lexeme is complete.
    ///
    /// # Errors
    ///
    /// A fault in the input or of the reader. The next call goes on after it.
    ///
    /// # Panics
    ///
    /// If [`Options::fragments`] are asked for: then [`next`](Decoder::next) is to be called.
    #[inline(always)]
    pub fn decode(&mut self) -> Result<Option<Lexeme<'_>>, Error> {
        let advanced = match self.pop_or_advance()? {
            Popped::Plain(queued) => return Ok(Some(self.inner.lexeme(queued)?)),
            Popped::Advanced(advanced) => advanced,
        };
        // Taken apart and put together again, so that a lexeme need not pass through memory.
        match self.inner.deliver(advanced)? {
            Item::Lexeme(Lexeme { kind, bytes, span }) => Ok(Some(Lexeme { kind, bytes, span })),
            Item::End => Ok(None),
            Item::Error(error) => Err(Error::Malformed(error)),
            Item::Fragment(_) => panic!("fragments were asked for, and come by `next`"),
        }
    }

    /// The next lexeme, fragment or fault, or the end.
    ///
    /// # Errors
    ///
    /// Those of the reader. An interrupted call is made again.
    #[expect(clippy::should_implement_trait, reason = "what it gives is borrowed, which an iterator cannot")]
    #[inline(always)]
    pub fn next(&mut self) -> io::Result<Item<'_>> {
        let advanced = match self.pop_or_advance()? {
            Popped::Plain(queued) => return Ok(Item::Lexeme(self.inner.lexeme(queued)?)),
            Popped::Advanced(advanced) => advanced,
        };
        Ok(match self.inner.deliver(advanced)? {
            Item::Lexeme(Lexeme { kind, bytes, span }) => Item::Lexeme(Lexeme { kind, bytes, span }),
            item => item,
        })
    }

    /// Takes the next of the plain lexemes that were found, or has the decoder go on.
    #[inline(always)]
    fn pop_or_advance(&mut self) -> io::Result<Popped> {
        if let Some(queued) = self.inner.decoder.pop(&mut self.head) {
            return Ok(Popped::Plain(queued));
        }
        let advanced = self.inner.advance()?;
        self.head = self.inner.decoder.head();
        if advanced == Advanced::Queued
            && let Some(queued) = self.inner.decoder.pop(&mut self.head)
        {
            return Ok(Popped::Plain(queued));
        }
        Ok(Popped::Advanced(advanced))
    }

    /// How many bytes were consumed: up to the end of the last lexeme, or of what the last error is about.
    pub fn position(&self) -> u64 {
        self.inner.decoder.position()
    }

    /// How many lists are open.
    pub fn depth(&self) -> u64 {
        self.inner.decoder.depth()
    }

    /// Line and column of a place in the last lexeme, or of [`position`](Decoder::position).
    ///
    /// # Errors
    ///
    /// Those of the reader, if it cannot show its buffer again.
    pub fn location(&mut self, offset: u64) -> io::Result<Position> {
        let inner = &mut *self.inner;
        let chunk = if inner.over { &[] } else { inner.source.fill_buf()? };
        Ok(inner.decoder.resume(chunk).location(offset))
    }

    /// The reader.
    pub fn get_ref(&self) -> &R {
        &self.inner.source
    }

    /// The reader, at the end of the last lexeme: what follows can be read from it.
    ///
    /// ```
    /// use sexp_codec::Syntax;
    /// use sexp_codec::blocking::Decoder;
    ///
    /// let mut decoder = Decoder::new(&b"(a)rest"[..], &Syntax::SE);
    /// for _ in 0..3 {
    ///     decoder.decode().unwrap();
    /// }
    /// assert_eq!(decoder.into_inner(), b"rest");
    /// ```
    pub fn into_inner(self) -> R {
        let mut inner = *self.inner;
        if !inner.over {
            inner.source.consume(inner.decoder.consumed());
        }
        inner.source
    }
}

/// What comes next.
enum Popped {
    Plain(Queued),
    Advanced(Advanced),
}

impl<R: BufRead> Inner<R> {
    /// Has the decoder make steps, over as many chunks as it takes.
    #[cold]
    #[inline(never)]
    fn advance(&mut self) -> io::Result<Advanced> {
        loop {
            let chunk = if self.over { &[] } else { fill(&mut self.source)? };
            if chunk.is_empty() && !self.over {
                self.over = true;
                self.decoder.finish();
            }
            let length = chunk.len();
            match self.decoder.advance(chunk) {
                Advanced::Step(Step::Await) => {
                    self.source.consume(length);
                    self.decoder.leave();
                }
                advanced => return Ok(advanced),
            }
        }
    }

    /// A plain lexeme of what was read and is not used up yet: it is there without reading.
    #[inline(always)]
    fn lexeme(&mut self, queued: Queued) -> io::Result<Lexeme<'_>> {
        Ok(self.decoder.lexeme(self.source.fill_buf()?, queued))
    }

    #[cold]
    #[inline(never)]
    fn deliver(&mut self, advanced: Advanced) -> io::Result<Item<'_>> {
        let chunk = if self.over { &[] } else { self.source.fill_buf()? };
        Ok(match self.decoder.deliver(chunk, advanced) {
            Decode::Lexeme(lexeme) => Item::Lexeme(lexeme),
            Decode::Fragment(fragment) => Item::Fragment(fragment),
            Decode::Error(error) => Item::Error(error),
            Decode::End | Decode::Await => Item::End,
        })
    }
}

/// The reader's buffer, filled if it was empty. Interrupted calls are made again.
fn fill<R: BufRead>(source: &mut R) -> io::Result<&[u8]> {
    loop {
        match source.fill_buf() {
            // The end is not asked for twice: at a terminal it can be followed by more.
            Ok([]) => return Ok(&[]),
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    source.fill_buf()
}
