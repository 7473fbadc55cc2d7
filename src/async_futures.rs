//! The [async driver](crate::async_io) over the traits of the crate `futures-io`.
//!
//! [`Decoder`] and [`Encoder`] are those of [`async_io`], which tells what they promise.

use crate::async_io::{self, CAPACITY, Chunk, Fill, Read, Write};
use crate::encode::EncodeOptions;
use crate::options::Options;
use crate::syntax::Syntax;
use futures_io::{AsyncBufRead, AsyncRead, AsyncWrite};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The world of readers and writers with the traits of `futures-io`, which are those of `futures`, `smol` and `async-std`, too.
#[derive(Clone, Copy, Debug)]
pub enum Futures {}

/// Decodes what a reader gives.
///
/// ```
/// use sexp_codec::async_futures::Decoder;
/// use sexp_codec::{Lexeme, Syntax};
///
/// # pollster::block_on(async {
/// let mut decoder = Decoder::new(&b"(a) rest"[..], &Syntax::SEXPLIB);
/// assert_eq!(decoder.decode().await?, Some(Lexeme::open()));
/// assert_eq!(decoder.decode().await?, Some(Lexeme::bare(b"a")));
/// assert_eq!(decoder.decode().await?, Some(Lexeme::close()));
/// assert_eq!(decoder.into_inner(), b" rest");
/// # Ok::<(), sexp_codec::async_io::Error>(())
/// # }).unwrap();
/// ```
pub type Decoder<R> = async_io::Decoder<R, Futures>;

/// Writes lexemes to a sink.
///
/// ```
/// use sexp_codec::async_futures::Encoder;
/// use sexp_codec::{Lexeme, Syntax};
///
/// # pollster::block_on(async {
/// let mut encoder = Encoder::new(Vec::new(), &Syntax::SEXPLIB);
/// for lexeme in [Lexeme::open(), Lexeme::bare(b"a"), Lexeme::string(b"b c"), Lexeme::close()] {
///     encoder.encode(lexeme).await?;
/// }
/// encoder.finish().await?;
/// assert_eq!(encoder.into_inner(), b"(a\"b c\")");
/// # Ok::<(), sexp_codec::async_io::EncodeError>(())
/// # }).unwrap();
/// ```
pub type Encoder<T> = async_io::Encoder<T, Futures>;

impl<R: AsyncRead + Unpin> Decoder<Chunk<R>> {
    /// A decoder of a reader without a buffer; it reads up to [`CAPACITY`] bytes at once.
    pub fn from_read(source: R, syntax: &'static Syntax) -> Self {
        Decoder::from_read_with(source, CAPACITY, syntax, Options::default())
    }

    /// A decoder of a reader without a buffer that reads up to `capacity` bytes at once, at least 1.
    pub fn from_read_with(source: R, capacity: usize, syntax: &'static Syntax, options: Options) -> Self {
        async_io::Decoder::of(Chunk::new(source, capacity), syntax, options)
    }
}

impl<R: AsyncBufRead + Unpin> Decoder<R> {
    /// A decoder of a reader with a buffer, or of a slice of bytes.
    pub fn new(source: R, syntax: &'static Syntax) -> Self {
        Decoder::with_options(source, syntax, Options::default())
    }

    /// A decoder of a reader with a buffer, with these options.
    pub fn with_options(source: R, syntax: &'static Syntax, options: Options) -> Self {
        async_io::Decoder::of(source, syntax, options)
    }
}

impl<T: AsyncWrite + Unpin> Encoder<T> {
    /// An encoder with a window of 64 KiB.
    pub fn new(sink: T, syntax: &'static Syntax) -> Self {
        Encoder::with_capacity(sink, CAPACITY, syntax, EncodeOptions::default())
    }

    /// An encoder with a window of that many bytes, at least one.
    pub fn with_capacity(sink: T, capacity: usize, syntax: &'static Syntax, options: EncodeOptions) -> Self {
        async_io::Encoder::of(sink, capacity, syntax, options)
    }
}

impl<R: AsyncBufRead + Unpin> Fill<Futures> for R {
    #[inline]
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        Pin::new(self).poll_fill_buf(context)
    }

    #[inline]
    fn consume(&mut self, amount: usize) {
        AsyncBufRead::consume(Pin::new(self), amount);
    }
}

impl<R: AsyncRead + Unpin> Read<Futures> for R {
    fn poll_read(&mut self, context: &mut Context<'_>, chunk: &mut [u8]) -> Poll<io::Result<usize>> {
        AsyncRead::poll_read(Pin::new(self), context, chunk)
    }
}

impl<T: AsyncWrite + Unpin> Write<Futures> for T {
    fn poll_write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        AsyncWrite::poll_write(Pin::new(self), context, bytes)
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        AsyncWrite::poll_flush(Pin::new(self), context)
    }
}
