//! One descriptor that is waited for: to read from, or to write to.

use super::Endpoint;
use mio::{Events, Interest, Poll, Token};
use std::io;
use std::os::fd::AsFd;

/// An endpoint to read from, with a poll of its own.
///
/// ```
/// use sexp_codec::event_loop::Source;
/// use sexp_codec::nonblocking::{Decode, Decoder};
/// use sexp_codec::{Lexeme, Syntax};
/// use std::io::Write;
/// use std::os::unix::net::UnixStream;
///
/// let (ours, mut theirs) = UnixStream::pair()?;
/// let client = std::thread::spawn(move || theirs.write_all(b"(a)"));
///
/// let mut source = Source::new(ours)?;
/// let mut decoder = Decoder::new(&Syntax::SEXPLIB);
/// let mut chunk = [0; 64];
/// let mut lexemes = 0;
/// 'stream: loop {
///     let n = source.read_or_wait(&mut chunk, || Ok(()))?;
///     let mut input = if n == 0 { decoder.finish() } else { decoder.feed(&chunk[..n]) };
///     loop {
///         match input.decode() {
///             Decode::Lexeme(_) => lexemes += 1,
///             Decode::Await => break,
///             Decode::End => break 'stream,
///             other => panic!("{other:?}"),
///         }
///     }
/// }
/// assert_eq!(lexemes, 3);
/// # client.join().unwrap()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Source<F: AsFd> {
    endpoint: Endpoint<F>,
    wait: Wait,
}

impl<F: AsFd> Source<F> {
    /// Makes the descriptor non-blocking.
    ///
    /// # Errors
    ///
    /// Where the descriptor's flags cannot be read or set.
    pub fn new(fd: F) -> io::Result<Self> {
        Ok(Source { endpoint: Endpoint::new(fd)?, wait: Wait::default() })
    }

    /// Reads into the chunk, straight, as soon as something is there; 0 is the end.
    ///
    /// Whenever it has to be waited for, `before_wait` is called first: the place to write out what has piled up.
    ///
    /// # Errors
    ///
    /// Whatever the system or `before_wait` says, but never that the call would block or was interrupted.
    pub fn read_or_wait(&mut self, chunk: &mut [u8], mut before_wait: impl FnMut() -> io::Result<()>) -> io::Result<usize> {
        loop {
            match self.endpoint.read(chunk) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    before_wait()?;
                    self.wait.until_ready(&mut self.endpoint, Interest::READABLE)?;
                }
                result => return result,
            }
        }
    }

    /// How many calls to read were made.
    pub fn reads(&self) -> u64 {
        self.endpoint.calls()
    }

    /// How many times something was waited for.
    pub fn waits(&self) -> u64 {
        self.wait.count
    }

    /// The descriptor.
    pub fn get_ref(&self) -> &F {
        self.endpoint.get_ref()
    }
}

/// Waits when nothing is there.
impl<F: AsFd> io::Read for Source<F> {
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        self.read_or_wait(chunk, || Ok(()))
    }
}

/// An endpoint to write to, with a poll of its own: `write` waits while nothing can be taken.
///
/// It keeps no bytes back, so there is nothing to flush. [`blocking::Encoder`](crate::blocking::Encoder) writes to it as to anything else.
///
/// ```
/// use sexp_codec::event_loop::Sink;
/// use std::io::{Read, Write};
/// use std::os::unix::net::UnixStream;
///
/// let (ours, mut theirs) = UnixStream::pair()?;
/// let client = std::thread::spawn(move || {
///     let mut text = Vec::new();
///     theirs.read_to_end(&mut text).map(|_| text.len())
/// });
/// let mut sink = Sink::new(ours)?;
/// sink.write_all(&[b'a'; 1 << 20])?; // more than the socket holds
/// drop(sink);
/// assert_eq!(client.join().unwrap()?, 1 << 20);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Sink<F: AsFd> {
    endpoint: Endpoint<F>,
    wait: Wait,
}

impl<F: AsFd> Sink<F> {
    /// Makes the descriptor non-blocking.
    ///
    /// # Errors
    ///
    /// Where the descriptor's flags cannot be read or set.
    pub fn new(fd: F) -> io::Result<Self> {
        Ok(Sink { endpoint: Endpoint::new(fd)?, wait: Wait::default() })
    }

    /// How many calls to write were made.
    pub fn writes(&self) -> u64 {
        self.endpoint.calls()
    }

    /// How many times room was waited for.
    pub fn waits(&self) -> u64 {
        self.wait.count
    }

    /// The descriptor.
    pub fn get_ref(&self) -> &F {
        self.endpoint.get_ref()
    }
}

impl<F: AsFd> io::Write for Sink<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.endpoint.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait.until_ready(&mut self.endpoint, Interest::WRITABLE)?;
                }
                result => return result,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A poll for one endpoint, made when it is needed first: what never says that it would block is never registered.
#[derive(Debug, Default)]
struct Wait {
    poll: Option<(Poll, Events)>,
    count: u64,
}

impl Wait {
    /// Waits until the endpoint, which has just said that it would block, may be tried again.
    fn until_ready<F: AsFd>(&mut self, endpoint: &mut Endpoint<F>, interest: Interest) -> io::Result<()> {
        self.count += 1;
        let (poll, events) = match &mut self.poll {
            Some(both) => both,
            none => {
                let poll = Poll::new()?;
                // Readiness from before the registration is reported as well, so nothing is missed.
                poll.registry().register(endpoint, Token(0), interest)?;
                none.insert((poll, Events::with_capacity(1)))
            }
        };
        loop {
            match poll.poll(events, None) {
                Ok(()) if events.iter().any(|event| event.token() == Token(0)) => return Ok(()),
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
