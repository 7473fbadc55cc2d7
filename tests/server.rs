//! The server of many connections on real sockets: peers that misbehave, a stop, pipes, framings, and ten thousand at once.
#![cfg(unix)]

use sexp_codec::event_loop::{Closed, Finished, Id, Listener, Outbox, ServeOptions, Server, Service, Stream, Taken};
use sexp_codec::framing::{self, Framing};
use sexp_codec::nonblocking::{Decode, Decoder, Encoder};
use sexp_codec::{EncodeOptions, Layout, Options, Syntax};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Nothing here may take longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends each form back on a line of its own, and notes what becomes of connections.
struct Echo {
    syntax: &'static Syntax,
    ends: BTreeMap<Id, Vec<String>>,
    faults: usize,
}

struct Echoed {
    decoder: Decoder,
    encoder: Encoder,
    forms: u64,
}

impl Echo {
    fn new(syntax: &'static Syntax) -> Echo {
        Echo { syntax, ends: BTreeMap::new(), faults: 0 }
    }

    /// Does what a step asks for; whether there was one.
    fn put(step: Decode<'_>, encoder: &mut Encoder, forms: &mut u64, faults: &mut usize, out: &mut Outbox) -> bool {
        match step {
            Decode::Lexeme(lexeme) => {
                out.encode(encoder, lexeme).unwrap();
                *forms += u64::from(encoder.depth() == 0);
            }
            Decode::Error(_) => *faults += 1,
            _ => return false,
        }
        true
    }
}

impl Service for Echo {
    type Connection = Echoed;

    fn open(&mut self, id: Id) -> Echoed {
        assert!(self.ends.insert(id, Vec::new()).is_none(), "{id:?} twice");
        let options = EncodeOptions::default().layout(Layout::Lines);
        let decoder = Decoder::with_options(self.syntax, Options::default().limit_atom(32 << 20));
        Echoed { decoder, encoder: Encoder::with_options(self.syntax, options), forms: 0 }
    }

    fn receive(&mut self, Echoed { decoder, encoder, forms }: &mut Echoed, chunk: &[u8], out: &mut Outbox) -> Taken {
        let mut input = decoder.feed(chunk);
        while !out.is_full() {
            if !Echo::put(input.decode(), encoder, forms, &mut self.faults, out) {
                return Taken::all(chunk);
            }
        }
        Taken::all_but(chunk, input.remaining())
    }

    fn finish(&mut self, Echoed { decoder, encoder, forms }: &mut Echoed, out: &mut Outbox) -> Finished {
        let mut input = decoder.finish();
        while !out.is_full() {
            if !Echo::put(input.decode(), encoder, forms, &mut self.faults, out) {
                return Finished::Yes;
            }
        }
        Finished::NotYet
    }

    fn unfinished(&self, connection: &Echoed) -> Option<u64> {
        (!connection.decoder.is_between_forms()).then_some(connection.forms)
    }

    fn closed(&mut self, id: Id, _: Echoed, why: Closed) {
        self.ends.get_mut(&id).expect("it was opened").push(format!("{why:?}"));
    }
}

/// What a server was in the end: its service, and the most that it kept in buffers.
type Ended<S> = (S, usize);

/// A server in a thread of its own. It ends by [`Running::stop`], or when patience is at an end.
struct Running<S> {
    address: SocketAddr,
    handle: sexp_codec::event_loop::Handle,
    thread: JoinHandle<Ended<S>>,
}

impl<S: Service + Send + 'static> Running<S>
where
    S::Connection: Send,
{
    fn start(service: S, options: ServeOptions, take: fn(&mut S) -> S) -> Running<S> {
        let mut server = Server::new(service, options).unwrap();
        let address = server.listen(Listener::tcp("127.0.0.1:0").unwrap()).unwrap().tcp().unwrap();
        let handle = server.handle();
        let thread = thread::spawn(move || {
            let (begin, mut most) = (Instant::now(), 0);
            while server.run_once(Some(Duration::from_millis(100))).unwrap() {
                // To ask costs a look at each.
                if server.connections().len() < 1000 {
                    most = most.max(server.connections().buffered());
                }
                assert!(begin.elapsed() < PATIENCE, "the server does not end");
            }
            (take(server.service_mut()), most)
        });
        Running { address, handle, thread }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn stop(self) -> Ended<S> {
        self.handle.stop().unwrap();
        self.thread.join().unwrap()
    }
}

fn take_echo(service: &mut Echo) -> Echo {
    let syntax = service.syntax;
    std::mem::replace(service, Echo::new(syntax))
}

/// Sends a form, and waits for it to come back.
fn ask(stream: &mut TcpStream, form: &str) {
    stream.write_all(form.as_bytes()).unwrap();
    expect(stream, &format!("{form}\n"));
}

fn expect(stream: &mut TcpStream, answer: &str) {
    let mut got = vec![0; answer.len()];
    stream.read_exact(&mut got).unwrap();
    assert_eq!(String::from_utf8_lossy(&got), answer);
}

fn rest_of(stream: &mut TcpStream) -> String {
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    rest
}

#[test]
fn peers_that_misbehave_disturb_nobody() {
    let options =
        ServeOptions::default().chunk(4096).outbox(4096).message_timeout(Duration::from_millis(700)).linger(Duration::from_millis(100));
    let server = Running::start(Echo::new(&Syntax::SEXPLIB), options.grace(Duration::from_secs(1)), take_echo);
    let mut good = server.connect();
    let mut still_served = |number: usize| ask(&mut good, &format!("(good {number})"));

    // Takes no answers: at some time nothing more is read from it.
    let mut deaf = server.connect();
    deaf.set_nonblocking(true).unwrap();
    let forms = "(a string of some length)".repeat(1000);
    let (begin, mut sent) = (Instant::now(), 0);
    let mut refused = 0;
    while refused < 20 {
        match deaf.write(forms.as_bytes()) {
            Ok(count) => sent += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                refused += 1;
                thread::sleep(Duration::from_millis(10));
            }
            Err(error) => panic!("{error}"),
        }
        assert!(begin.elapsed() < PATIENCE);
    }
    assert!(sent > 10_000);
    still_served(1);

    // A byte at a time, answered as soon as the form is whole.
    let mut slow = server.connect();
    for byte in b"(one byte" {
        slow.write_all(&[*byte]).unwrap();
        thread::sleep(Duration::from_millis(5));
    }
    slow.write_all(b")").unwrap();
    expect(&mut slow, "(one byte)\n");
    still_served(2);

    // Garbage is told once, and what follows it is served.
    let mut bad = server.connect();
    bad.write_all(b") (after)").unwrap();
    expect(&mut bad, "(after)\n");

    // Ends in the middle of a form: an error, and the end.
    let mut cut = server.connect();
    cut.write_all(b"(whole)(cut").unwrap();
    cut.shutdown(Shutdown::Write).unwrap();
    assert!(rest_of(&mut cut).starts_with("(whole)\n"));
    still_served(3);

    // A storm of clients that leave at once.
    for _ in 0..200 {
        drop(TcpStream::connect(server.address).unwrap());
    }
    still_served(4);

    // Begins a form, and says nothing more.
    let mut silent = server.connect();
    silent.write_all(b"(begun ").unwrap();
    assert_eq!(rest_of(&mut silent), "(begun");
    still_served(5);

    drop(deaf);
    let (service, most) = server.stop();
    assert!(service.ends.len() >= 206, "{}", service.ends.len());
    for (id, ends) in &service.ends {
        assert_eq!(ends.len(), 1, "{id:?}: {ends:?}");
    }
    let unfinished = service.ends.values().filter(|ends| ends[0] == "Unfinished").count();
    // The one that says nothing more, and the one that takes nothing, of which a form was begun.
    assert_eq!((unfinished, service.faults), (2, 2));
    // Of each connection a chunk and an outbox at the most, and what the largest lexeme may be over.
    assert!(most < 3 * 16 * 1024, "{most}");
}

/// A length of 16 MB reserves nothing, and whoever only announces it is left.
#[test]
fn an_announced_atom_that_does_not_come() {
    let options = ServeOptions::default().message_timeout(Duration::from_millis(200)).linger(Duration::from_millis(50));
    let server = Running::start(Echo::new(&Syntax::CANONICAL), options, take_echo);
    let mut peers: Vec<TcpStream> = (0..50).map(|_| server.connect()).collect();
    peers.iter_mut().for_each(|peer| peer.write_all(b"(16777216:").unwrap());
    peers.iter_mut().for_each(|peer| assert_eq!(rest_of(peer), "("));
    let (service, most) = server.stop();
    assert!(service.ends.values().all(|ends| ends == &["Unfinished"]), "{:?}", service.ends);
    assert!(most < 50 * 1024, "{most}");
}

#[test]
fn idle_connections_are_closed() {
    let options = ServeOptions::default().idle_timeout(Duration::from_millis(200)).linger(Duration::from_millis(50));
    let server = Running::start(Echo::new(&Syntax::SE), options, take_echo);
    let mut peer = server.connect();
    ask(&mut peer, "(a)");
    assert_eq!(rest_of(&mut peer), "");
    assert!(server.stop().0.ends.values().all(|ends| ends == &["Idle"]));
}

/// What was sent before the stop is answered, to the last form.
#[test]
fn a_stop_loses_nothing() {
    let server = Running::start(Echo::new(&Syntax::SE), ServeOptions::default().outbox(64).chunk(100), take_echo);
    let mut peers: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    let forms: String = (0..500).map(|i| format!("(form {i})")).collect();
    peers.iter_mut().for_each(|peer| peer.write_all(forms.as_bytes()).unwrap());
    peers.iter_mut().for_each(|peer| expect(peer, "(form 0)\n"));
    server.handle.stop().unwrap();
    let answers: String = (1..500).map(|i| format!("(form {i})\n")).collect();
    peers.iter_mut().for_each(|peer| assert_eq!(rest_of(peer), answers));
    let (service, _) = server.stop();
    assert!(service.ends.values().all(|ends| ends == &["ByUs"]), "{:?}", service.ends);
}

#[test]
fn pipes_are_served() {
    let (theirs_in, ours_out) = rustix::pipe::pipe().unwrap();
    let (ours_in, theirs_out) = rustix::pipe::pipe().unwrap();
    let mut server = Server::new(Echo::new(&Syntax::SE), ServeOptions::default()).unwrap();
    server.add(Stream::pipes(theirs_in, theirs_out).unwrap()).unwrap();
    let client = thread::spawn(move || {
        let (mut to, mut from) = (std::fs::File::from(ours_out), std::fs::File::from(ours_in));
        to.write_all(b"(a (b)) c").unwrap();
        drop(to);
        let mut answers = String::new();
        from.read_to_string(&mut answers).unwrap();
        answers
    });
    let begin = Instant::now();
    while !server.connections().is_empty() {
        server.run_once(Some(Duration::from_millis(100))).unwrap();
        assert!(begin.elapsed() < PATIENCE);
    }
    assert_eq!(client.join().unwrap(), "(a(b))\nc\n");
}

/// A service whose connections hold a framing's decoder and encoder: each frame comes back as it was read.
struct Framed;

impl Service for Framed {
    type Connection = (framing::Decoder, framing::Encoder);

    fn open(&mut self, _: Id) -> Self::Connection {
        (framing::Decoder::new(&Framing::SWANK, &Syntax::COMMONLISP), framing::Encoder::new(&Framing::SWANK, &Syntax::COMMONLISP))
    }

    fn receive(&mut self, (decoder, encoder): &mut Self::Connection, chunk: &[u8], out: &mut Outbox) -> Taken {
        let mut input = decoder.feed(chunk);
        while !out.is_full() {
            match input.decode() {
                framing::Decode::Lexeme(lexeme) => encoder.encode(lexeme).unwrap(),
                framing::Decode::EndOfFrame => {
                    encoder.end_of_frame().unwrap();
                    out.extend(encoder.bytes());
                    bytes::Buf::advance(encoder, encoder.bytes().len());
                }
                framing::Decode::Await => return Taken::all(chunk),
                // Who has lost count does not find it again.
                _ => {
                    out.close();
                    return Taken::all(chunk);
                }
            }
        }
        Taken::all_but(chunk, input.remaining())
    }
}

#[test]
fn a_framing_in_a_connection() {
    let server = Running::start(Framed, ServeOptions::default().outbox(10).chunk(37), |_| Framed);
    let mut peer = server.connect();
    let mut frames = Vec::new();
    for i in 0..1000 {
        Framing::SWANK.frame(format!("(:return(:ok\"{i}\"){i})").as_bytes(), &mut frames).unwrap();
    }
    let mut writer = peer.try_clone().unwrap();
    let sent = frames.clone();
    let writes = thread::spawn(move || writer.write_all(&sent).unwrap());
    let mut got = vec![0; frames.len()];
    peer.read_exact(&mut got).unwrap();
    assert!(got == frames);
    writes.join().unwrap();
    peer.write_all(b"00000g").unwrap();
    assert_eq!(rest_of(&mut peer), "");
    server.stop();
}

/// The memory of this process that is resident, in bytes.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// Ten thousand connections on one thread, or as many as there may be descriptors, each with messages in flight at once. `--nocapture` shows
/// what an idle one costs, and how long answers take.
#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_connections() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let count = 10_000.min(allowed.saturating_sub(500) / 2) as usize;
    let server = Running::start(Echo::new(&Syntax::SE), ServeOptions::default(), take_echo);
    ask(&mut server.connect(), "(warm)");
    let before = resident();
    let mut peers: Vec<TcpStream> = (0..count).map(|_| server.connect()).collect();
    for (i, peer) in peers.iter_mut().enumerate() {
        ask(peer, &format!("(first {i})"));
    }
    let idle = resident().saturating_sub(before) / count as u64;
    // All have three messages on their way before the first answer is taken.
    let begin = Instant::now();
    let mut begun = Vec::with_capacity(count);
    for (i, peer) in peers.iter_mut().enumerate() {
        begun.push(begin.elapsed());
        for k in 0..3 {
            peer.write_all(format!("(message {i} {k})").as_bytes()).unwrap();
        }
    }
    let mut times = Vec::with_capacity(count);
    for (i, peer) in peers.iter_mut().enumerate() {
        expect(peer, &(0..3).map(|k| format!("(message {i} {k})\n")).collect::<String>());
        times.push(begin.elapsed() - begun[i]);
    }
    times.sort();
    println!(
        "{count} connections: {idle} bytes for an idle one, answered in {:?} (median), {:?} (99 %)",
        times[count / 2],
        times[count * 99 / 100]
    );
    drop(peers);
    let (service, _) = server.stop();
    assert_eq!(service.ends.len(), count + 1);
    assert!(service.ends.values().all(|ends| ends.len() == 1));
    assert!(idle <= 16 * 1024, "{idle} bytes for an idle connection");
}
