//! The async encoder: a window of its own, and a sink to write it to.

use crate::async_io::{Write, resumed};
use crate::blocking::EncodeError;
use crate::encode::{Encode, EncodeOptions, Encoder as NonBlocking, Output};
use crate::lexeme::{Fragment, Lexeme};
use crate::syntax::Syntax;
use alloc::boxed::Box;
use core::marker::PhantomData;
use std::fmt;
use std::future::poll_fn;
use std::io;

/// Writes lexemes to a sink, and awaits it.
///
/// Its constructors are those of the two worlds: [`async_futures::Encoder`](crate::async_futures::Encoder) and
/// [`async_tokio::Encoder`](crate::async_tokio::Encoder). It has a window of its own, which is written out when it is full, on
/// [`flush`](Encoder::flush) and on [`finish`](Encoder::finish); to put a buffer in between would gain nothing. It is not written out when the
/// encoder is dropped.
///
/// A call that was [cancelled](crate::async_io#cancelling), or met an error of the sink, may be repeated, and goes on where it was.
pub struct Encoder<T, W> {
    encoder: NonBlocking,
    window: Box<[u8]>,
    /// What of the window has been filled, and what of that has not been written out.
    filled: usize,
    start: usize,
    sink: T,
    world: PhantomData<fn() -> W>,
}

impl<T: Write<W>, W> Encoder<T, W> {
    pub(crate) fn of(sink: T, capacity: usize, syntax: &'static Syntax, options: EncodeOptions) -> Self {
        let window = vec![0; capacity.max(1)].into_boxed_slice();
        Encoder { encoder: NonBlocking::with_options(syntax, options), window, filled: 0, start: 0, sink, world: PhantomData }
    }

    /// Writes a lexeme. Awaits the sink, but only if the window is full.
    ///
    /// # Errors
    ///
    /// A lexeme that cannot be written here, which changes nothing; or an error of the sink.
    #[inline]
    pub async fn encode(&mut self, lexeme: Lexeme<'_>) -> Result<(), EncodeError> {
        let written = self.encoder.encode_short(lexeme, &mut self.window[self.filled..]);
        self.filled += written;
        if written > 0 { Ok(()) } else { self.step(|output| output.encode_apart(lexeme.kind, lexeme.bytes)).await }
    }

    /// Writes a piece of an atom.
    ///
    /// # Errors
    ///
    /// As [`encode`](Encoder::encode).
    pub async fn fragment(&mut self, fragment: Fragment<'_>) -> Result<(), EncodeError> {
        self.step(|output| output.fragment(fragment)).await
    }

    /// Writes what [`Layout::Indent`](crate::Layout::Indent) holds back, at most a line, as if it did not fit: for a client that stops inside a form.
    /// [`flush`](Encoder::flush) does not, since where lines end would depend on when it is called.
    ///
    /// # Errors
    ///
    /// An error of the sink.
    pub async fn release(&mut self) -> Result<(), EncodeError> {
        self.step(|output| output.release()).await
    }

    /// Writes everything out that is laid out, and flushes the sink.
    ///
    /// # Errors
    ///
    /// An error of the sink.
    pub async fn flush(&mut self) -> Result<(), EncodeError> {
        self.write_out().await?;
        Ok(poll_fn(|context| resumed(self.sink.poll_flush(context), context)).await?)
    }

    /// Ends the data, and flushes. The sink is not closed.
    ///
    /// # Errors
    ///
    /// A list or an atom that is still open, in which case nothing is flushed; or an error of the sink.
    pub async fn finish(&mut self) -> Result<(), EncodeError> {
        self.step(|output| output.finish()).await?;
        self.flush().await
    }

    /// How many lists are open.
    pub fn depth(&self) -> u64 {
        self.encoder.depth()
    }

    /// The sink. What was not flushed has not reached it.
    pub fn into_inner(self) -> T {
        self.sink
    }

    /// The sink.
    pub fn get_ref(&self) -> &T {
        &self.sink
    }

    /// The sink. To write to it between lexemes, [`flush`](Encoder::flush) first.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.sink
    }

    async fn step(&mut self, step: impl Fn(&mut Output<'_>) -> Encode) -> Result<(), EncodeError> {
        loop {
            let mut output = self.encoder.window(&mut self.window[self.filled..]);
            let outcome = step(&mut output);
            self.filled += output.written();
            match outcome {
                Encode::Ok => return Ok(()),
                Encode::Partial => self.write_out().await?,
                Encode::Error(error) => return Err(EncodeError::Refused(error)),
            }
        }
    }

    /// What was written is counted at once, so that it is not written twice where this is cancelled.
    async fn write_out(&mut self) -> io::Result<()> {
        while self.start < self.filled {
            let rest = &self.window[self.start..self.filled];
            match poll_fn(|context| resumed(self.sink.poll_write(context, rest), context)).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => self.start += count,
            }
        }
        (self.start, self.filled) = (0, 0);
        Ok(())
    }
}

impl<T: fmt::Debug, W> fmt::Debug for Encoder<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("encoder", &self.encoder).field("sink", &self.sink).finish_non_exhaustive()
    }
}
