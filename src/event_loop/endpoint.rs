//! A descriptor that never blocks.

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token, event};
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
