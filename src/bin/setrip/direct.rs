//! `-enb`: the codec in direct style, which in 2012 wanted a language with effects. Here it is the async one, and this is its executor.

use crate::drive::{self, Decoded, Lexemes, Stop};
use crate::failure::Failure;
use futures_io::{AsyncBufRead, AsyncRead, AsyncWrite};
use mio::{Events, Interest, Poll, Token};
use sexp_codec::async_futures::Decoder;
use sexp_codec::async_io::Item;
use sexp_codec::event_loop::Endpoint;
use sexp_codec::{Options, Position, Syntax};
use std::cell::RefCell;
use std::fs::File;
use std::future::Future;
use std::io::{self, BufRead, Read, Write};
use std::pin::{Pin, pin};
use std::task::{self, Context, Waker};

/// The poll of this thread, in which descriptors are waited for.
#[derive(Default)]
struct Reactor {
    poll: Option<(Poll, Events)>,
    registered: usize,
    /// Whether a descriptor has said that it would block since the poll was last waited for.
    blocked: bool,
}

thread_local! {
    static REACTOR: RefCell<Reactor> = RefCell::default();
}

impl Reactor {
    fn register(&mut self, endpoint: &mut Endpoint<File>, interest: Interest) -> io::Result<()> {
        let (poll, _) = match &mut self.poll {
            Some(both) => both,
            none => none.insert((Poll::new()?, Events::with_capacity(4))),
        };
        // Readiness from before the registration is reported as well, so nothing is missed.
        poll.registry().register(endpoint, Token(self.registered), interest)?;
        self.registered += 1;
        Ok(())
    }

    /// Waits until a descriptor may be tried again.
    fn wait(&mut self) -> io::Result<()> {
        // Who is pending for another reason is not waited for.
        if !std::mem::take(&mut self.blocked) {
            return Ok(());
        }
        let Some((poll, events)) = &mut self.poll else { return Ok(()) };
        match poll.poll(events, None) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            result => result,
        }
    }
}

/// Runs a future to its end. There is one only, so it needs no waker: it is polled again after each wait.
pub fn block_on<F: Future>(future: F) -> io::Result<F::Output> {
    let mut future = pin!(future);
    loop {
        if let task::Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Ok(output);
        }
        REACTOR.with_borrow_mut(Reactor::wait)?;
    }
}

/// A descriptor that is waited for in the poll of the executor, and says until then that it would block.
pub struct Waiting {
    endpoint: Endpoint<File>,
    interest: Interest,
    registered: bool,
}

impl Waiting {
    /// One to be read.
    pub fn reader(file: File) -> io::Result<Waiting> {
        Ok(Waiting { endpoint: Endpoint::new(file)?, interest: Interest::READABLE, registered: false })
    }

    /// One to be written.
    pub fn writer(file: File) -> io::Result<Waiting> {
        Ok(Waiting { endpoint: Endpoint::new(file)?, interest: Interest::WRITABLE, registered: false })
    }

    fn watched(&mut self, result: io::Result<usize>) -> io::Result<usize> {
        if result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock) {
            REACTOR.with_borrow_mut(|reactor| {
                reactor.blocked = true;
                if self.registered { Ok(()) } else { reactor.register(&mut self.endpoint, self.interest) }
            })?;
            self.registered = true;
        }
        result
    }
}

impl Read for Waiting {
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        let result = self.endpoint.read(chunk);
        self.watched(result)
    }
}

impl Write for Waiting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.endpoint.write(bytes);
        self.watched(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is pending where the reader or writer in it says that it would block.
pub struct Async<T>(pub T);

impl<T: BufRead + Unpin> AsyncRead for Async<T> {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut [u8]) -> task::Poll<io::Result<usize>> {
        pending(self.0.read(buffer))
    }
}

impl<T: BufRead + Unpin> AsyncBufRead for Async<T> {
    #[inline]
    fn poll_fill_buf(self: Pin<&mut Self>, _: &mut Context<'_>) -> task::Poll<io::Result<&[u8]>> {
        pending(self.get_mut().0.fill_buf())
    }

    #[inline]
    fn consume(mut self: Pin<&mut Self>, amount: usize) {
        self.0.consume(amount);
    }
}

impl<T: Write + Unpin> AsyncWrite for Async<T> {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> task::Poll<io::Result<usize>> {
        pending(self.0.write(bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> task::Poll<io::Result<()>> {
        pending(self.0.flush())
    }

    fn poll_close(self: Pin<&mut Self>, context: &mut Context<'_>) -> task::Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

#[inline]
fn pending<T>(result: io::Result<T>) -> task::Poll<io::Result<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => task::Poll::Pending,
        result => task::Poll::Ready(result),
    }
}

/// The async decoder, each call of which is run to its end.
pub struct Direct<R> {
    decoder: Decoder<Async<R>>,
    /// Whether it has said that it is going to wait.
    told: bool,
}

impl<R: BufRead + Unpin> Direct<R> {
    pub fn new(source: R, syntax: &'static Syntax, options: Options) -> Self {
        Direct { decoder: Decoder::with_options(Async(source), syntax, options), told: false }
    }

    pub fn get_ref(&self) -> &R {
        &self.decoder.get_ref().0
    }
}

impl<R: BufRead + Unpin> Lexemes for Direct<R> {
    /// It says once that it has to wait, so that the output can be flushed: the call is cancelled, and another one made, which loses nothing.
    #[inline]
    fn next(&mut self) -> Result<sexp_codec::Lexeme<'_>, Stop> {
        let item = if self.told {
            self.told = false;
            block_on(self.decoder.next()).and_then(|item| item)
        } else {
            match pin!(self.decoder.next()).poll(&mut Context::from_waker(Waker::noop())) {
                task::Poll::Ready(item) => item,
                task::Poll::Pending => {
                    self.told = true;
                    return Err(Stop::Await);
                }
            }
        };
        match item {
            Ok(Item::Lexeme(lexeme)) => Ok(lexeme),
            other => Err(drive::stop_of(other)),
        }
    }
}

impl<R: BufRead + Unpin> Decoded for Direct<R> {
    fn location(&mut self, offset: u64) -> Result<Position, Failure> {
        self.decoder.location(offset).map_err(Failure::of_input)
    }

    fn position(&self) -> u64 {
        self.decoder.position()
    }
}
