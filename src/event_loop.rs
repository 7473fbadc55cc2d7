//! The event-loop driver: pipes, sockets and terminals are read and written without blocking, and waited for in a poll of [`mio`].
//!
//! | what | is |
//! |---|---|
//! | [`Endpoint`] | a file descriptor that never blocks; can be registered with a [`mio::Poll`] of one's own, beside many others |
//! | [`Source`] | an endpoint to read from that waits in a poll of its own while there is nothing to read |
//! | [`Sink`] | an endpoint to write to that waits in a poll of its own while nothing can be written |
//! | [`Decoder`] | decodes what a source gives; used as the [blocking one](crate::blocking::Decoder) is |
//!
//! A regular file is always ready: epoll refuses it, so it is read and written at once. Calls that a signal interrupts are resumed.
//! Reads go straight into the caller's chunk.
//!
//! Many connections on one thread are as many endpoints in one [`mio::Poll`], each with a [`nonblocking::Decoder`] that it feeds.

pub use crate::blocking::{Error, Item};
use crate::decode::Step;
use crate::lexeme::{Lexeme, Position};
use crate::nonblocking::{self, Advanced, Decode};
use crate::options::Options;
use crate::syntax::Syntax;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Registry, Token, event};
use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// A file descriptor that never blocks.
///
/// The status flag `O_NONBLOCK` belongs to the open file, which other descriptors and other processes may share: a shell and the programs
/// it starts share a terminal. So the endpoint sets the flag only where it is not set already, and dropping the endpoint clears it again.
///
/// ```
/// use sexp_codec::event_loop::Endpoint;
/// use std::io::{ErrorKind, Write};
/// use std::os::unix::net::UnixStream;
///
/// let (ours, mut theirs) = UnixStream::pair()?;
/// let mut endpoint = Endpoint::new(ours)?;
/// let mut chunk = [0; 64];
/// assert_eq!(endpoint.read(&mut chunk).unwrap_err().kind(), ErrorKind::WouldBlock);
/// theirs.write_all(b"(a)")?;
/// assert_eq!(endpoint.read(&mut chunk)?, 3);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Endpoint<F: AsFd> {
    fd: F,
    always_ready: bool,
    /// Whether this endpoint has set the flag, and so clears it.
    set: bool,
    calls: u64,
}

impl<F: AsFd> Endpoint<F> {
    /// Makes the descriptor non-blocking.
    ///
    /// # Errors
    ///
    /// Where the descriptor's flags cannot be read or set.
    pub fn new(fd: F) -> io::Result<Self> {
        let always_ready = FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode).is_file();
        let flags = rustix::fs::fcntl_getfl(&fd)?;
        let set = !always_ready && !flags.contains(OFlags::NONBLOCK);
        if set {
            rustix::fs::fcntl_setfl(&fd, flags | OFlags::NONBLOCK)?;
        }
        Ok(Endpoint { fd, always_ready, set, calls: 0 })
    }

    /// Reads into the chunk what is there; 0 is the end.
    ///
    /// # Errors
    ///
    /// [`WouldBlock`](io::ErrorKind::WouldBlock) where nothing is there yet, and whatever the system says.
    pub fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        self.resumed(|fd| rustix::io::read(fd, &mut *chunk))
    }

    /// Writes of the bytes what can be taken, and says how many.
    ///
    /// # Errors
    ///
    /// [`WouldBlock`](io::ErrorKind::WouldBlock) where nothing can be taken yet, and whatever the system says.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.resumed(|fd| rustix::io::write(fd, bytes))
    }

    fn resumed(&mut self, mut call: impl FnMut(&F) -> rustix::io::Result<usize>) -> io::Result<usize> {
        loop {
            self.calls += 1;
            match call(&self.fd) {
                Err(Errno::INTR) => {}
                result => return Ok(result?),
            }
        }
    }

    /// Whether it is a regular file, which is never waited for: a poll says nothing about it.
    pub fn always_ready(&self) -> bool {
        self.always_ready
    }

    /// How many calls to read or write were made.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// The descriptor.
    pub fn get_ref(&self) -> &F {
        &self.fd
    }
}

/// Registers the descriptor; a regular file needs no registration, and gets none.
impl<F: AsFd> event::Source for Endpoint<F> {
    fn register(&mut self, registry: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        if self.always_ready { Ok(()) } else { SourceFd(&self.fd.as_fd().as_raw_fd()).register(registry, token, interests) }
    }

    fn reregister(&mut self, registry: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        if self.always_ready { Ok(()) } else { SourceFd(&self.fd.as_fd().as_raw_fd()).reregister(registry, token, interests) }
    }

    fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
        if self.always_ready { Ok(()) } else { SourceFd(&self.fd.as_fd().as_raw_fd()).deregister(registry) }
    }
}

impl<F: AsFd> Drop for Endpoint<F> {
    fn drop(&mut self) {
        if self.set
            && let Ok(flags) = rustix::fs::fcntl_getfl(&self.fd)
        {
            // Nobody is left to hear of a failure.
            let _ = rustix::fs::fcntl_setfl(&self.fd, flags - OFlags::NONBLOCK);
        }
    }
}

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
        self.endpoint.calls
    }

    /// How many times something was waited for.
    pub fn waits(&self) -> u64 {
        self.wait.count
    }

    /// The descriptor.
    pub fn get_ref(&self) -> &F {
        &self.endpoint.fd
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
        self.endpoint.calls
    }

    /// How many times room was waited for.
    pub fn waits(&self) -> u64 {
        self.wait.count
    }

    /// The descriptor.
    pub fn get_ref(&self) -> &F {
        &self.endpoint.fd
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

/// Decodes what a descriptor gives, and waits for it in a poll.
///
/// It reads into one chunk of a fixed size, and allocates nothing but that and the buffer of its [`nonblocking::Decoder`].
///
/// ```
/// use sexp_codec::event_loop::Decoder;
/// use sexp_codec::{Lexeme, Options, Syntax};
/// use std::io::Write;
/// use std::os::unix::net::UnixStream;
///
/// let (ours, mut theirs) = UnixStream::pair()?;
/// let mut decoder = Decoder::new(ours, 4096, &Syntax::SEXPLIB, Options::default())?;
/// theirs.write_all(b"(a)")?;
/// assert_eq!(decoder.decode()?, Some(Lexeme::open()));
/// assert_eq!(decoder.decode()?, Some(Lexeme::bare(b"a")));
/// assert_eq!(decoder.decode()?, Some(Lexeme::close())); // though the connection is still open
/// drop(theirs);
/// assert_eq!(decoder.decode()?, None);
/// # Ok::<(), sexp_codec::event_loop::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder<F: AsFd> {
    source: Source<F>,
    chunk: Vec<u8>,
    /// How many bytes were read into the chunk.
    filled: usize,
    decoder: nonblocking::Decoder,
}

impl<F: AsFd> Decoder<F> {
    /// A decoder that reads up to `capacity` bytes at once, at least 1.
    ///
    /// # Errors
    ///
    /// Where the descriptor cannot be made non-blocking.
    pub fn new(fd: F, capacity: usize, syntax: &'static Syntax, options: Options) -> io::Result<Self> {
        let decoder = nonblocking::Decoder::with_options(syntax, options);
        Ok(Decoder { source: Source::new(fd)?, chunk: vec![0; capacity.max(1)], filled: 0, decoder })
    }

    /// The next lexeme, or none at the end of the input. Waits for the descriptor, but only if no lexeme is complete.
    ///
    /// # Errors
    ///
    /// A fault in the input or of the descriptor. The next call goes on after it.
    ///
    /// # Panics
    ///
    /// If [`Options::fragments`] are asked for: then [`next`](Decoder::next) is to be called.
    #[inline]
    pub fn decode(&mut self) -> Result<Option<Lexeme<'_>>, Error> {
        match self.next()? {
            Item::Lexeme(lexeme) => Ok(Some(lexeme)),
            Item::End => Ok(None),
            Item::Error(error) => Err(Error::Malformed(error)),
            Item::Fragment(_) => panic!("fragments were asked for, and come by `next`"),
        }
    }

    /// The next lexeme, fragment or fault, or the end.
    ///
    /// # Errors
    ///
    /// Those of the descriptor.
    #[expect(clippy::should_implement_trait, reason = "what it gives is borrowed, which an iterator cannot")]
    #[inline]
    pub fn next(&mut self) -> io::Result<Item<'_>> {
        let advanced = loop {
            let mut head = self.decoder.head();
            if let Some(queued) = self.decoder.pop(&mut head) {
                return Ok(Item::Lexeme(self.decoder.lexeme(&self.chunk[..self.filled], queued)));
            }
            match self.advance()? {
                Advanced::Queued => {}
                advanced => break advanced,
            }
        };
        Ok(match self.decoder.deliver(&self.chunk[..self.filled], advanced) {
            Decode::Lexeme(lexeme) => Item::Lexeme(lexeme),
            Decode::Fragment(fragment) => Item::Fragment(fragment),
            Decode::Error(error) => Item::Error(error),
            Decode::End | Decode::Await => Item::End,
        })
    }

    /// Has the decoder make steps, over as many chunks as it takes.
    #[inline(never)]
    fn advance(&mut self) -> io::Result<Advanced> {
        loop {
            match self.decoder.advance(&self.chunk[..self.filled]) {
                Advanced::Step(Step::Await) => {
                    self.decoder.leave();
                    self.filled = 0;
                    self.filled = self.source.read_or_wait(&mut self.chunk, || Ok(()))?;
                    if self.filled == 0 {
                        self.decoder.finish();
                    }
                }
                advanced => return Ok(advanced),
            }
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
    pub fn location(&mut self, offset: u64) -> Position {
        self.decoder.resume(&self.chunk[..self.filled]).location(offset)
    }

    /// What was read and not consumed: what follows the last lexeme.
    pub fn remaining(&self) -> &[u8] {
        &self.chunk[self.decoder.consumed()..self.filled]
    }

    /// Where it reads from.
    pub fn source(&self) -> &Source<F> {
        &self.source
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
