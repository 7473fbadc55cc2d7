//! What connections go over: TCP, Unix sockets, pipes.

use super::Endpoint;
use mio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use mio::{Interest, Registry, Token, event};
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// A way to a peer that never blocks.
///
/// A read that gives less than it was asked for has emptied it: it is not read again before it is told to be
/// [ready](super::Connections::ready).
pub trait Transport: Read + Write {
    /// Ends what we write, so that the peer reads to the end; we can still read.
    ///
    /// # Errors
    ///
    /// Whatever the system says.
    fn shut_down_write(&mut self) -> io::Result<()>;
}

/// A connection of a [`Server`](super::Server).
#[derive(Debug)]
pub enum Stream {
    /// Over TCP.
    Tcp(TcpStream),
    /// Over a Unix socket.
    Unix(UnixStream),
    /// Over two pipes, or anything else with a descriptor: one to read from, one to write to.
    Pipes {
        /// What the peer writes.
        input: Endpoint<OwnedFd>,
        /// What the peer reads; none after we have ended.
        output: Option<Endpoint<OwnedFd>>,
    },
}

impl Stream {
    /// Over two descriptors, one to read from and one to write to.
    ///
    /// # Errors
    ///
    /// Where they cannot be made non-blocking; or for a regular file, which nothing can wait for.
    pub fn pipes(input: OwnedFd, output: OwnedFd) -> io::Result<Stream> {
        let (input, output) = (Endpoint::new(input)?, Endpoint::new(output)?);
        if input.always_ready() || output.always_ready() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "a regular file is no connection"));
        }
        Ok(Stream::Pipes { input, output: Some(output) })
    }
}

impl Read for Stream {
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.read(chunk),
            Stream::Unix(stream) => stream.read(chunk),
            Stream::Pipes { input, .. } => input.read(chunk),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.write(bytes),
            Stream::Unix(stream) => stream.write(bytes),
            Stream::Pipes { output: Some(output), .. } => output.write(bytes),
            Stream::Pipes { .. } => Err(ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Transport for Stream {
    fn shut_down_write(&mut self) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.shutdown(Shutdown::Write),
            Stream::Unix(stream) => stream.shutdown(Shutdown::Write),
            Stream::Pipes { output, .. } => {
                *output = None;
                Ok(())
            }
        }
    }
}

/// A stream is registered for both directions at once, and told edges: no further call is needed while it lives.
impl event::Source for Stream {
    fn register(&mut self, registry: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.register(registry, token, interests),
            Stream::Unix(stream) => stream.register(registry, token, interests),
            Stream::Pipes { input, output } => {
                input.register(registry, token, Interest::READABLE)?;
                output.as_mut().map_or(Ok(()), |output| output.register(registry, token, Interest::WRITABLE))
            }
        }
    }

    fn reregister(&mut self, registry: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.reregister(registry, token, interests),
            Stream::Unix(stream) => stream.reregister(registry, token, interests),
            Stream::Pipes { input, output } => {
                input.reregister(registry, token, Interest::READABLE)?;
                output.as_mut().map_or(Ok(()), |output| output.reregister(registry, token, Interest::WRITABLE))
            }
        }
    }

    fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.deregister(registry),
            Stream::Unix(stream) => stream.deregister(registry),
            Stream::Pipes { input, output } => {
                input.deregister(registry)?;
                output.as_mut().map_or(Ok(()), |output| output.deregister(registry))
            }
        }
    }
}

/// Where connections come in.
#[derive(Debug)]
pub struct Listener {
    pub(super) socket: Socket,
    address: Address,
}

#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// Where a listener listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Over TCP.
    Tcp(SocketAddr),
    /// At a path.
    Unix(PathBuf),
}

impl Address {
    /// The address, if it is one of TCP.
    pub fn tcp(&self) -> Option<SocketAddr> {
        if let Address::Tcp(address) = self { Some(*address) } else { None }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Address::Tcp(address) => address.fmt(f),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// How many clients may have connected and not be accepted yet; the system may have a lower limit. Of a burst of more, each beyond that would
/// try again only after a second.
const WAITING: i32 = 4096;

impl Listener {
    /// Listens to TCP; port 0 is one of the system's choosing.
    ///
    /// # Errors
    ///
    /// Where the address is unknown or in use.
    pub fn tcp(address: impl ToSocketAddrs) -> io::Result<Listener> {
        let mut failure = ErrorKind::AddrNotAvailable.into();
        for address in address.to_socket_addrs()? {
            match TcpListener::bind(address) {
                Ok(socket) => {
                    rustix::net::listen(&socket, WAITING)?;
                    return Ok(Listener { address: Address::Tcp(socket.local_addr()?), socket: Socket::Tcp(socket) });
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Listens at a path. A socket that nobody listens to any more is replaced; the path is removed when the listener is dropped.
    ///
    /// # Errors
    ///
    /// Where something else is at the path, or the socket cannot be made.
    pub fn unix(path: impl AsRef<Path>) -> io::Result<Listener> {
        let path = path.as_ref();
        let left_over = fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_socket())
            && std::os::unix::net::UnixStream::connect(path).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused);
        if left_over {
            fs::remove_file(path)?;
        }
        let socket = UnixListener::bind(path)?;
        rustix::net::listen(&socket, WAITING)?;
        let socket = Socket::Unix(socket);
        Ok(Listener { socket, address: Address::Unix(path.to_owned()) })
    }

    /// Where it listens.
    pub fn address(&self) -> &Address {
        &self.address
    }

    pub(super) fn accept(&self) -> io::Result<Stream> {
        match &self.socket {
            Socket::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                // An answer is not to wait for more to be sent with it. Where that cannot be set it is only slower.
                let _ = stream.set_nodelay(true);
                Ok(Stream::Tcp(stream))
            }
            Socket::Unix(listener) => Ok(Stream::Unix(listener.accept()?.0)),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Address::Unix(path) = &self.address {
            let _ = fs::remove_file(path);
        }
    }
}
