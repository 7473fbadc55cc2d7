//! The shell around the connections: one poll, listeners, and a clock.

use super::stream::Socket;
use super::{Address, Connections, Listener, Readiness, ServeOptions, Service, Stream};
use mio::{Events, Interest, Poll, Token, Waker};
use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Serves many connections on one thread. See the example of the [module](super).
pub struct Server<S: Service> {
    poll: Poll,
    events: Events,
    listeners: Vec<Listening>,
    connections: Connections<S, Stream>,
    handle: Handle,
}

struct Listening {
    listener: Listener,
    /// Whether connections may be waiting.
    ready: bool,
    /// Until when not to try, after the system had no room for another one.
    rests_until: Option<Instant>,
}

/// Stops a server, from any thread.
///
/// ```
/// use sexp_codec::event_loop::{Id, Listener, Outbox, ServeOptions, Server, Service, Taken};
/// use std::io::{Read, Write};
///
/// struct Echo;
///
/// impl Service for Echo {
///     type Connection = ();
///
///     fn open(&mut self, _: Id) {}
///
///     fn receive(&mut self, _: &mut (), chunk: &[u8], out: &mut Outbox) -> Taken {
///         out.extend(chunk);
///         Taken::all(chunk)
///     }
/// }
///
/// let mut server = Server::new(Echo, ServeOptions::default())?;
/// let address = server.listen(Listener::tcp("127.0.0.1:0")?)?.tcp().expect("a TCP address");
/// let handle = server.handle();
/// let thread = std::thread::spawn(move || server.run());
///
/// let mut client = std::net::TcpStream::connect(address)?;
/// client.write_all(b"(a)")?;
/// client.read_exact(&mut [0; 3])?;
/// client.write_all(b"(b)")?;
/// handle.stop()?;
/// // What was on its way is answered; then the server ends.
/// let mut rest = Vec::new();
/// client.read_to_end(&mut rest)?;
/// assert_eq!(rest, b"(b)");
/// drop(client);
/// thread.join().unwrap()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Handle {
    waker: Arc<Waker>,
    stop: Arc<AtomicBool>,
}

const WAKER: Token = Token(usize::MAX);

/// The tokens of listeners count from there; those of connections are their keys.
const LISTENERS: usize = usize::MAX / 2;

/// How many connections a listener gives before those that are open have a turn.
const ACCEPTED_AT_ONCE: usize = 128;

/// How long a listener is left alone after the system had no room.
const REST: Duration = Duration::from_millis(50);

impl<S: Service> Server<S> {
    /// A server without listeners and connections.
    ///
    /// # Errors
    ///
    /// Where the system gives no poll.
    pub fn new(service: S, options: ServeOptions) -> io::Result<Self> {
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
        Ok(Server {
            poll,
            events: Events::with_capacity(1024),
            listeners: Vec::new(),
            connections: Connections::new(service, options),
            handle: Handle { waker, stop: Arc::default() },
        })
    }

    /// Accepts connections from that listener, too; returns its address.
    ///
    /// # Errors
    ///
    /// Where it cannot be registered.
    pub fn listen(&mut self, mut listener: Listener) -> io::Result<Address> {
        let token = Token(LISTENERS + self.listeners.len());
        match &mut listener.socket {
            Socket::Tcp(socket) => self.poll.registry().register(socket, token, Interest::READABLE)?,
            Socket::Unix(socket) => self.poll.registry().register(socket, token, Interest::READABLE)?,
        }
        let address = listener.address().clone();
        self.listeners.push(Listening { listener, ready: true, rests_until: None });
        Ok(address)
    }

    /// Serves a connection that was made elsewhere.
    ///
    /// # Errors
    ///
    /// Where it cannot be registered.
    pub fn add(&mut self, stream: Stream) -> io::Result<()> {
        let key = self.connections.insert(stream, Instant::now());
        let Some(stream) = self.connections.transport_mut(key) else { return Ok(()) };
        let registered = self.poll.registry().register(stream, Token(key), Interest::READABLE | Interest::WRITABLE);
        if let Err(error) = registered {
            self.connections.fail(key, io::Error::from(error.kind()));
            return Err(error);
        }
        Ok(())
    }

    /// A handle to stop it.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Serves until it is stopped and all connections have come to their end, or the deadline.
    ///
    /// # Errors
    ///
    /// Where the poll fails.
    pub fn run(&mut self) -> io::Result<()> {
        while self.run_once(None)? {}
        Ok(())
    }

    /// Waits until something happens, up to that time, and does what is to be done; whether there may be more.
    ///
    /// # Errors
    ///
    /// Where the poll fails.
    pub fn run_once(&mut self, timeout: Option<Duration>) -> io::Result<bool> {
        let busy = self.connections.has_work() || self.may_accept();
        let alarm = self.connections.next_alarm().into_iter().chain(self.retry()).min();
        let until_alarm = alarm.map(|at| at.saturating_duration_since(Instant::now()));
        let timeout = if busy { Some(Duration::ZERO) } else { timeout.into_iter().chain(until_alarm).min() };
        match self.poll.poll(&mut self.events, timeout) {
            Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
        for event in &self.events {
            match event.token() {
                WAKER => {}
                Token(token) if token >= LISTENERS => {
                    if let Some(listening) = self.listeners.get_mut(token - LISTENERS) {
                        listening.ready = true;
                    }
                }
                Token(key) => {
                    let failed = event.is_error() || event.is_read_closed() || event.is_write_closed();
                    let readiness = Readiness { readable: event.is_readable(), writable: event.is_writable() || failed, ended: failed };
                    self.connections.ready(key, readiness);
                }
            }
        }
        let now = Instant::now();
        if self.handle.stop.load(Ordering::Acquire) && !self.connections.is_stopping() {
            // Who has connected is served, though not accepted yet.
            while self.may_accept() {
                self.accept(now);
            }
            self.listeners.clear();
            self.connections.stop(now);
        }
        self.accept(now);
        self.connections.turn(now);
        Ok(!(self.connections.is_stopping() && self.connections.is_empty()))
    }

    /// The connections.
    pub fn connections(&self) -> &Connections<S, Stream> {
        &self.connections
    }

    /// The service.
    pub fn service(&self) -> &S {
        self.connections.service()
    }

    /// The service.
    pub fn service_mut(&mut self) -> &mut S {
        self.connections.service_mut()
    }

    fn may_accept(&self) -> bool {
        !self.connections.is_full() && self.listeners.iter().any(|listening| listening.ready && listening.rests_until.is_none())
    }

    /// When a listener is to be tried again.
    fn retry(&self) -> Option<Instant> {
        self.listeners.iter().filter_map(|listening| listening.rests_until).min()
    }

    fn accept(&mut self, now: Instant) {
        for index in 0..self.listeners.len() {
            for _ in 0..ACCEPTED_AT_ONCE {
                let listening = &mut self.listeners[index];
                if listening.rests_until.is_some_and(|until| now >= until) {
                    listening.rests_until = None;
                }
                if !listening.ready || listening.rests_until.is_some() || self.connections.is_full() {
                    break;
                }
                match listening.listener.accept() {
                    // One that cannot be registered is closed, and the service told.
                    Ok(stream) => drop(self.add(stream)),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => listening.ready = false,
                    Err(error) if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::Interrupted) => {}
                    // No descriptors or no memory: there may be, when others have gone.
                    Err(_) => listening.rests_until = Some(now + REST),
                }
            }
        }
    }
}

impl Handle {
    /// Has the server stop: it accepts no more connections, brings those it has to their end, and returns from [`Server::run`].
    ///
    /// # Errors
    ///
    /// Where the server cannot be woken.
    pub fn stop(&self) -> io::Result<()> {
        self.stop.store(true, Ordering::Release);
        self.waker.wake()
    }
}

impl<S: Service> fmt::Debug for Server<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("listeners", &self.listeners.len()).field("connections", &self.connections).finish_non_exhaustive()
    }
}
