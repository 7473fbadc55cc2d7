//! The codec of a client that awaits: the calls of the [blocking](crate::blocking) codec, as `async` functions.
//!
//! One driver for all worlds of `async`. What it reads and writes is wrapped once, by [`async_futures`](crate::async_futures) for the traits
//! of the crate `futures-io`, by [`async_tokio`](crate::async_tokio) for those of tokio; these are the modules to begin with. It needs no
//! runtime, starts nothing, and is [`Send`] where the reader is.
//!
//! # Cancelling
//!
//! A future of this module may be dropped at any point at which it waits, by a timeout or in a `select!`, and nothing is lost: all that was
//! read stays in the decoder, and the next call goes on there. A call that had to wait has delivered nothing. Of the encoder, a call that was
//! cancelled is to be made again with the same lexeme, as it would be after an error of the sink.

pub use crate::async_encode::Encoder;
pub use crate::blocking::{CAPACITY, EncodeError, Error, Item};
use crate::decode::Step;
use crate::lexeme::{Lexeme, Position};
use crate::nonblocking::{self, Advanced, Decode};
use crate::options::Options;
use crate::syntax::Syntax;
use alloc::boxed::Box;
use core::marker::PhantomData;
pub(crate) use poll::{Fill, Read, Write};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

/// What is asked of the readers and writers of a world `W`. A type may belong to both.
mod poll {
    use std::io;
    use std::task::{Context, Poll};

    /// A reader that has a buffer.
    pub trait Fill<W> {
        /// What of the buffer is not consumed; where that is nothing, it is filled first. Nothing is there at the end of the input only.
        fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<&[u8]>>;
        /// So many bytes of the buffer will not be asked for again.
        fn consume(&mut self, amount: usize);
    }

    /// A reader that has none.
    pub trait Read<W> {
        /// Reads into the chunk what is there; 0 is the end.
        fn poll_read(&mut self, context: &mut Context<'_>, chunk: &mut [u8]) -> Poll<io::Result<usize>>;
    }

    /// A writer.
    pub trait Write<W> {
        /// Writes of the bytes what can be taken.
        fn poll_write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>>;
        /// Has what was written reach its destination.
        fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>>;
    }
}

/// Decodes what a reader gives, and awaits it.
///
/// Its constructors are those of the two worlds: [`async_futures::Decoder`](crate::async_futures::Decoder) and
/// [`async_tokio::Decoder`](crate::async_tokio::Decoder). It allocates nothing but the chunk of a reader without a buffer, and the buffer of
/// its [`nonblocking::Decoder`].
#[derive(Debug)]
pub struct Decoder<R, W> {
    source: R,
    decoder: nonblocking::Decoder,
    /// How long the chunk is that the decoder was given last, and that has not been consumed.
    held: usize,
    /// What the machine came to and nobody has taken yet.
    found: Option<Step>,
    /// Whether the reader has come to its end.
    over: bool,
    world: PhantomData<fn() -> W>,
}

impl<R: Fill<W>, W> Decoder<R, W> {
    pub(crate) fn of(source: R, syntax: &'static Syntax, options: Options) -> Self {
        let decoder = nonblocking::Decoder::with_options(syntax, options);
        Decoder { source, decoder, held: 0, found: None, over: false, world: PhantomData }
    }

    /// The next lexeme, or none at the end of the input. Awaits the reader, but only if no lexeme is complete.
    ///
    /// Nothing is lost where it is [cancelled](self#cancelling).
    ///
    /// # Errors
    ///
    /// A fault in the input or of the reader. The next call goes on after it.
    ///
    /// # Panics
    ///
    /// If [`Options::fragments`] are asked for: then [`next`](Decoder::next) is to be called.
    #[inline]
    pub async fn decode(&mut self) -> Result<Option<Lexeme<'_>>, Error> {
        match self.next().await? {
            Item::Lexeme(lexeme) => Ok(Some(lexeme)),
            Item::End => Ok(None),
            Item::Error(error) => Err(Error::Malformed(error)),
            Item::Fragment(_) => panic!("fragments were asked for, and come by `next`"),
        }
    }

    /// The next lexeme, fragment or fault, or the end.
    ///
    /// Nothing is lost where it is [cancelled](self#cancelling).
    ///
    /// # Errors
    ///
    /// Those of the reader. An interrupted call is made again.
    #[expect(clippy::should_implement_trait, reason = "what it gives is borrowed, which an iterator cannot")]
    #[inline]
    pub fn next(&mut self) -> impl Future<Output = io::Result<Item<'_>>> {
        Next(Some(self))
    }

    /// Finds what comes next, over as many chunks as it takes. What was found stays here until it is delivered.
    #[inline(never)]
    fn poll_find(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.decoder.is_queued() && self.found.is_none() {
            let chunk = if self.over { &[] } else { ready!(resumed(self.source.poll_fill(context), context))? };
            if chunk.is_empty() && !self.over {
                self.over = true;
                self.decoder.finish();
            }
            self.held = chunk.len();
            match self.decoder.advance(chunk) {
                Advanced::Step(Step::Await) => {
                    self.source.consume(self.held);
                    self.held = 0;
                    self.decoder.leave();
                }
                Advanced::Step(step) => self.found = Some(step),
                Advanced::Queued => {}
            }
        }
        Poll::Ready(Ok(()))
    }

    /// What was found. It is in the buffer that the reader has just shown.
    #[inline(never)]
    fn deliver(&mut self, context: &mut Context<'_>) -> io::Result<Item<'_>> {
        if self.decoder.is_queued() {
            return self.deliver_queued(context);
        }
        let chunk = shown(self.source.poll_fill(context), self.held)?;
        let step = self.found.take().unwrap_or(Step::End);
        Ok(match self.decoder.deliver(chunk, Advanced::Step(step)) {
            Decode::Lexeme(lexeme) => Item::Lexeme(lexeme),
            Decode::Fragment(fragment) => Item::Fragment(fragment),
            Decode::Error(error) => Item::Error(error),
            Decode::End | Decode::Await => Item::End,
        })
    }

    /// The next of the plain lexemes that were found.
    #[inline(always)]
    fn deliver_queued(&mut self, context: &mut Context<'_>) -> io::Result<Item<'_>> {
        let chunk = shown(self.source.poll_fill(context), self.held)?;
        let mut head = self.decoder.head();
        match self.decoder.pop(&mut head) {
            Some(queued) => Ok(Item::Lexeme(self.decoder.lexeme(chunk, queued))),
            None => Ok(Item::End),
        }
    }

    /// How many bytes were consumed: up to the end of the last lexeme, or of what the last error is about.
    pub fn position(&self) -> u64 {
        self.decoder.position()
    }

    /// How many lists are open.
    pub fn depth(&self) -> u64 {
        self.decoder.depth()
    }

    /// Line and column of a place in the last lexeme, or of [`position`](Decoder::position).
    ///
    /// # Errors
    ///
    /// Those of the reader, if it cannot show its buffer again.
    pub fn location(&mut self, offset: u64) -> io::Result<Position> {
        let chunk = match self.held {
            0 => &[],
            held => match self.source.poll_fill(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(chunk) => chunk?.get(..held).unwrap_or_default(),
                Poll::Pending => return Err(io::ErrorKind::WouldBlock.into()),
            },
        };
        Ok(self.decoder.resume(chunk).location(offset))
    }

    /// The reader.
    pub fn get_ref(&self) -> &R {
        &self.source
    }

    /// The reader, at the end of the last lexeme: what follows can be read from it.
    pub fn into_inner(mut self) -> R {
        if self.held > 0 {
            self.source.consume(self.decoder.consumed());
        }
        self.source
    }
}

/// The future of the next item.
///
/// It owns its borrow of the decoder for as long as nothing was found, and then lets the item have it.
struct Next<'a, R, W>(Option<&'a mut Decoder<R, W>>);

impl<'a, R: Fill<W>, W> Future for Next<'a, R, W> {
    type Output = io::Result<Item<'a>>;

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let decoder = self.0.take().expect("it is not polled again after it was ready");
        // Mostly so; what is seldom is called, so that this is small enough for the client's loop.
        if decoder.decoder.is_queued() {
            return Poll::Ready(decoder.deliver_queued(context));
        }
        match decoder.poll_find(context) {
            Poll::Ready(Ok(())) => Poll::Ready(decoder.deliver(context)),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                self.0 = Some(decoder);
                Poll::Pending
            }
        }
    }
}

/// The chunk that the reader has just shown.
#[inline(always)]
fn shown(chunk: Poll<io::Result<&[u8]>>, held: usize) -> io::Result<&[u8]> {
    match chunk {
        // Nothing is held at the end of the input, where the reader need not be asked.
        _ if held == 0 => Ok(&[]),
        Poll::Ready(Ok(chunk)) if chunk.len() >= held => Ok(&chunk[..held]),
        Poll::Ready(Err(error)) => Err(error),
        _ => Err(io::Error::other("the reader does not show its buffer again")),
    }
}

/// A call that was interrupted is made again, when it is its turn.
pub(crate) fn resumed<T>(outcome: Poll<io::Result<T>>, context: &Context<'_>) -> Poll<io::Result<T>> {
    match outcome {
        Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
        outcome => outcome,
    }
}

/// A reader without a buffer, and a buffer for it.
///
/// [`Decoder::into_inner`] gives it back with what was read and not consumed.
#[derive(Debug)]
pub struct Chunk<R> {
    source: R,
    bytes: Box<[u8]>,
    /// What of the bytes is not consumed.
    start: usize,
    end: usize,
}

impl<R> Chunk<R> {
    pub(crate) fn new(source: R, capacity: usize) -> Self {
        Chunk { source, bytes: vec![0; capacity.max(1)].into_boxed_slice(), start: 0, end: 0 }
    }

    /// What was read and is not consumed.
    pub fn buffer(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// The reader, behind what was read.
    pub fn get_ref(&self) -> &R {
        &self.source
    }

    /// The reader, behind what was read: the buffer is lost.
    pub fn into_inner(self) -> R {
        self.source
    }
}

impl<R: Read<W>, W> Fill<W> for Chunk<R> {
    #[inline]
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        if self.start == self.end {
            self.end = 0;
            self.start = 0;
            self.end = ready!(self.source.poll_read(context, &mut self.bytes))?;
        }
        Poll::Ready(Ok(&self.bytes[self.start..self.end]))
    }

    fn consume(&mut self, amount: usize) {
        self.start += amount;
    }
}
