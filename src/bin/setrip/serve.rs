//! Recodes on the network: what a client sends comes back in the other syntax, a form a line.

use crate::drive::Stop;
use crate::failure::Failure;
use crate::flags::Flags;
use crate::report::say;
use crate::way::{Put, Trouble, Way};
use sexp_codec::event_loop::{Address, Closed, Finished, Id, Listener, Outbox, ServeOptions, Server, Service, Taken};
use sexp_codec::nonblocking::{Decode, Decoder, Encoder};
use sexp_codec::{Converter, EncodeOptions, Kind, Layout, Lexeme, Options, Syntax, blocking};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// An address as it is written: `HOST:PORT`, or `unix:PATH`, or a path with a slash in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Tcp(String),
    Unix(PathBuf),
}

impl Place {
    pub fn of(text: &str) -> Place {
        match text.strip_prefix("unix:") {
            Some(path) => Place::Unix(path.into()),
            None if text.contains('/') => Place::Unix(text.into()),
            None => Place::Tcp(text.to_owned()),
        }
    }
}

/// How connections are recoded.
#[derive(Clone, Copy)]
pub struct Recoding {
    pub from: &'static Syntax,
    pub options: Options,
    pub to: &'static Syntax,
    pub merge: bool,
    pub encode_options: EncodeOptions,
}

impl Recoding {
    /// As the flags have it, but that each answer ends with its line.
    pub fn of(flags: &Flags) -> Recoding {
        let mut encode_options = flags.encode_options();
        if encode_options.layout == Layout::Compact {
            encode_options.layout = Layout::Lines;
        }
        Recoding { from: flags.from(), options: flags.options(), to: flags.to(), merge: flags.merge, encode_options }
    }

    pub fn encoder(&self) -> Encoder {
        Encoder::with_options(self.to, self.encode_options)
    }

    /// What stands between a decoder and an encoder.
    fn way(&self) -> Way {
        Way::new(Converter::new(self.from, self.to).merge_atoms(self.merge))
    }
}

/// What was wrong, of all connections: the first faults are told, all are counted.
#[derive(Default)]
struct Faults(AtomicU64);

/// How many are told.
const TOLD: u64 = 20;

impl Faults {
    fn tell(&self, id: u64, what: &dyn std::fmt::Display) {
        if self.0.fetch_add(1, Relaxed) < TOLD {
            say(&format!("setrip: connection {id}: {what}\n"));
        }
    }

    fn count(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Serves until SIGINT or SIGTERM.
pub fn serve(flags: &Flags, address: &str) -> Result<(), Failure> {
    raise_descriptors();
    let place = Place::of(address);
    let recoding = Recoding::of(flags);
    if flags.serve_threads { Threads::serve(place, recoding) } else { in_event_loop(place, recoding, options(flags)) }
        .map_err(Failure::Network)
}

fn options(flags: &Flags) -> ServeOptions {
    let seconds = |seconds: Option<u64>| seconds.map(Duration::from_secs);
    let mut options = ServeOptions::default();
    (options.idle, options.message) = (seconds(flags.idle_timeout), seconds(flags.message_timeout));
    options
}

/// Allows as many descriptors as may be had.
pub fn raise_descriptors() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where that is refused there are fewer, and connections wait.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// Says where it listens, on stdout: whoever started it may wait for that.
fn announce(address: &Address) -> io::Result<()> {
    let mut out = io::stdout();
    match writeln!(out, "{address}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn in_event_loop(place: Place, recoding: Recoding, options: ServeOptions) -> io::Result<()> {
    let listener = match place {
        Place::Tcp(address) => Listener::tcp(&address[..])?,
        Place::Unix(path) => Listener::unix(path)?,
    };
    let mut server = Server::new(Recoder { recoding, faults: Faults::default(), connections: 0 }, options)?;
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let handle = server.handle();
    thread::Builder::new().name("signals".into()).spawn(move || {
        if signals.forever().next().is_some() {
            let _ = handle.stop();
        }
    })?;
    let address = server.listen(listener)?;
    announce(&address)?;
    server.run()?;
    summary(server.service().connections, server.service().faults.count());
    Ok(())
}

fn summary(connections: u64, faults: u64) {
    say(&format!("setrip: {connections} connections, {faults} faults\n"));
}

/// The service of the event loop.
struct Recoder {
    recoding: Recoding,
    faults: Faults,
    connections: u64,
}

struct Recoded {
    id: u64,
    decoder: Decoder,
    way: Way,
    encoder: Encoder,
    /// How many bytes were decoded when no form was open.
    between: u64,
}

impl Recoded {
    /// Does what a step asks for, if there was one; its kind, if it was a lexeme.
    fn put(step: Decode<'_>, way: &mut Way, out: &mut Answer<'_>, fault: impl Fn(&dyn std::fmt::Display)) -> Option<Option<Kind>> {
        match step {
            Decode::Lexeme(lexeme) => {
                if way.is_straight(lexeme) {
                    if let Err(Trouble::Refused(why)) = out.put(lexeme) {
                        fault(&why);
                    }
                } else if let Ok(Some(Stop::Refused(_, why))) = way.put(lexeme, out) {
                    fault(&why);
                }
                Some(Some(lexeme.kind))
            }
            Decode::Error(error) => {
                way.after_error();
                fault(&error);
                Some(None)
            }
            _ => None,
        }
    }
}

/// What a connection sends back.
struct Answer<'a> {
    encoder: &'a mut Encoder,
    out: &'a mut Outbox,
}

impl Put for Answer<'_> {
    #[inline]
    fn put(&mut self, lexeme: Lexeme<'_>) -> Result<(), Trouble> {
        self.out.encode(self.encoder, lexeme).map_err(Trouble::Refused)
    }
}

impl Service for Recoder {
    type Connection = Recoded;

    fn open(&mut self, id: Id) -> Recoded {
        self.connections += 1;
        let decoder = Decoder::with_options(self.recoding.from, self.recoding.options);
        Recoded { id: id.0, decoder, way: self.recoding.way(), encoder: self.recoding.encoder(), between: 0 }
    }

    fn receive(&mut self, connection: &mut Recoded, chunk: &[u8], out: &mut Outbox) -> Taken {
        let Recoded { id, decoder, way, encoder, between } = connection;
        let mut input = decoder.feed(chunk);
        let mut depth = input.depth();
        while !out.is_full() {
            match Recoded::put(input.decode(), way, &mut Answer { encoder, out }, |what| self.faults.tell(*id, what)) {
                None => return Taken::all(chunk),
                Some(Some(Kind::Open)) => depth += 1,
                Some(Some(Kind::Close)) => depth -= 1,
                Some(Some(_)) => {}
                Some(None) => depth = input.depth(),
            }
            if depth == 0 {
                *between = input.position();
            }
        }
        Taken::all_but(chunk, input.remaining())
    }

    fn finish(&mut self, connection: &mut Recoded, out: &mut Outbox) -> Finished {
        let Recoded { id, decoder, way, encoder, .. } = connection;
        let mut input = decoder.finish();
        while !out.is_full() {
            if Recoded::put(input.decode(), way, &mut Answer { encoder, out }, |what| self.faults.tell(*id, what)).is_none() {
                return Finished::Yes;
            }
        }
        Finished::NotYet
    }

    fn unfinished(&self, connection: &Recoded) -> Option<u64> {
        (!connection.decoder.is_between_forms()).then_some(connection.between)
    }

    fn closed(&mut self, id: Id, _: Recoded, why: Closed) {
        if why.is_fault() {
            self.faults.tell(id.0, &why);
        }
    }
}

/// The other server: a thread a connection, and the blocking codec.
struct Threads {
    recoding: Recoding,
    faults: Faults,
    open: Mutex<HashMap<u64, Arc<Peer>>>,
}

enum Peer {
    Tcp(TcpStream),
    Unix(UnixStream),
}

enum Acceptor {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

/// How many bytes a thread reads and writes at a time.
const BUFFER: usize = 16 * 1024;

/// How long a stop waits for the threads.
const GRACE: Duration = Duration::from_secs(10);

impl Threads {
    fn serve(place: Place, recoding: Recoding) -> io::Result<()> {
        let (acceptor, address) = match place {
            Place::Tcp(address) => {
                let listener = TcpListener::bind(&address[..])?;
                // As the other server has it.
                rustix::net::listen(&listener, 4096)?;
                let address = Address::Tcp(listener.local_addr()?);
                (Acceptor::Tcp(listener), address)
            }
            Place::Unix(path) => (Acceptor::Unix(UnixListener::bind(&path)?, path.clone()), Address::Unix(path)),
        };
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let threads = Arc::new(Threads { recoding, faults: Faults::default(), open: Mutex::default() });
        let accepting = Arc::clone(&threads);
        let acceptor = Arc::new(acceptor);
        let accepts = Arc::clone(&acceptor);
        let connections = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&connections);
        thread::Builder::new().name("accept".into()).spawn(move || accepting.accept(&accepts, &counter))?;
        announce(&address)?;
        signals.forever().next();
        // Who reads is told that there is nothing more; it answers what it has, and ends.
        threads.open().values().for_each(|peer| peer.shut_down(Shutdown::Read));
        let started = Instant::now();
        while !threads.open().is_empty() && started.elapsed() < GRACE {
            thread::sleep(Duration::from_millis(5));
        }
        if let Acceptor::Unix(_, path) = &*acceptor {
            let _ = std::fs::remove_file(path);
        }
        summary(connections.load(Relaxed), threads.faults.count());
        Ok(())
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, Arc<Peer>>> {
        self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn accept(self: &Arc<Self>, acceptor: &Acceptor, connections: &AtomicU64) {
        loop {
            let peer = match acceptor {
                Acceptor::Tcp(listener) => listener.accept().map(|(stream, _)| {
                    let _ = stream.set_nodelay(true);
                    Peer::Tcp(stream)
                }),
                Acceptor::Unix(listener, _) => listener.accept().map(|(stream, _)| Peer::Unix(stream)),
            };
            let Ok(peer) = peer else {
                thread::sleep(Duration::from_millis(20));
                continue;
            };
            let id = connections.fetch_add(1, Relaxed);
            let peer = Arc::new(peer);
            self.open().insert(id, Arc::clone(&peer));
            let threads = Arc::clone(self);
            let started = thread::Builder::new().stack_size(256 * 1024).spawn(move || {
                if let Err(error) = threads.recode(id, &peer) {
                    threads.faults.tell(id, &error);
                }
                threads.open().remove(&id);
            });
            if let Err(error) = started {
                self.faults.tell(id, &format!("no thread: {error}"));
                self.open().remove(&id);
            }
        }
    }

    fn recode(&self, id: u64, peer: &Arc<Peer>) -> io::Result<()> {
        let Recoding { from, options, to, encode_options, .. } = self.recoding;
        let mut way = self.recoding.way();
        let encoder = blocking::Encoder::with_capacity(Sink(Arc::clone(peer)), BUFFER, to, encode_options);
        let encoder = Rc::new(RefCell::new(encoder));
        let source = io::BufReader::with_capacity(BUFFER, Answering { peer: Arc::clone(peer), encoder: Rc::clone(&encoder) });
        let mut decoder = blocking::Decoder::with_options(source, from, options);
        loop {
            match decoder.decode() {
                Ok(None) => break,
                Ok(Some(lexeme)) if way.is_straight(lexeme) => match encoder.borrow_mut().put(lexeme) {
                    Ok(()) => {}
                    Err(Trouble::Refused(why)) => self.faults.tell(id, &why),
                    Err(Trouble::Failed(failure)) => return Err(of_output(failure)),
                },
                Ok(Some(lexeme)) => match way.put(lexeme, &mut *encoder.borrow_mut()) {
                    Ok(Some(Stop::Refused(_, why))) => self.faults.tell(id, &why),
                    Err(failure) => return Err(of_output(failure)),
                    _ => {}
                },
                Err(blocking::Error::Io(error)) => return Err(error),
                Err(error) => {
                    way.after_error();
                    self.faults.tell(id, &error);
                }
            }
        }
        flush(&encoder)?;
        peer.shut_down(Shutdown::Write);
        Ok(())
    }
}

/// The error of the output in it.
fn of_output(failure: Failure) -> io::Error {
    match failure {
        Failure::Output(error) => error,
        other => other.into(),
    }
}

fn flush(encoder: &RefCell<blocking::Encoder<Sink>>) -> io::Result<()> {
    match encoder.borrow_mut().flush() {
        Err(blocking::EncodeError::Io(error)) => Err(error),
        _ => Ok(()),
    }
}

/// Sends the answers whenever it is about to wait for more.
struct Answering {
    peer: Arc<Peer>,
    encoder: Rc<RefCell<blocking::Encoder<Sink>>>,
}

impl Read for Answering {
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        flush(&self.encoder)?;
        match &*self.peer {
            Peer::Tcp(stream) => (&*stream).read(chunk),
            Peer::Unix(stream) => (&*stream).read(chunk),
        }
    }
}

struct Sink(Arc<Peer>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &*self.0 {
            Peer::Tcp(stream) => (&*stream).write(bytes),
            Peer::Unix(stream) => (&*stream).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Peer {
    fn shut_down(&self, how: Shutdown) {
        // A peer that has gone has nothing left to be shut.
        let _ = match self {
            Peer::Tcp(stream) => stream.shutdown(how),
            Peer::Unix(stream) => stream.shutdown(how),
        };
    }
}
