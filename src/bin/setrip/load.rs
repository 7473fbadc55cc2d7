//! Puts a server under load: many connections from one thread, and every answer is checked.

use crate::failure::Failure;
use crate::flags::Flags;
use crate::progress::{Progress, Unit};
use crate::serve::{Place, Recoding, raise_descriptors};
use mio::{Events, Interest, Poll, Token};
use sexp_codec::event_loop::Stream;
use sexp_codec::nonblocking::{Encode, Encoder};
use sexp_codec::{EncodeOptions, Layout, Lexeme};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How long the last answers may take, once no more is sent.
const GRACE: Duration = Duration::from_secs(5);

/// What is asked of the server.
#[derive(Clone, Copy)]
pub struct Load {
    pub connections: usize,
    pub messages: u64,
    /// How many messages of a connection are on their way at once.
    pub window: u64,
    /// After what time no more are sent.
    pub time: Duration,
}

/// What came of it.
#[derive(Clone, Default)]
pub struct Loaded {
    pub answered: u64,
    /// Connections that failed, ended early or gave a wrong answer.
    pub faults: u64,
    /// The first fault.
    pub why: Option<String>,
    pub elapsed: Duration,
    /// Whether the time was over before all was sent.
    pub capped: bool,
    times: Histogram,
}

impl Loaded {
    pub fn rate(&self) -> f64 {
        self.answered as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// The time of an answer that so many of a thousand do not exceed.
    pub fn time(&self, permille: u64) -> Duration {
        self.times.quantile(permille)
    }
}

/// Runs the client.
pub fn load(flags: &Flags, address: &str) -> Result<ExitCode, Failure> {
    let load = Load { connections: flags.conns, messages: flags.msgs, window: flags.window, time: Duration::from_secs(flags.seconds) };
    let mut progress = Progress::start(Unit::Rounds, Some(load.messages.saturating_mul(load.connections as u64)), false);
    let loaded = run(&Place::of(address), &Recoding::of(flags), load, |count| progress.advance(count)).map_err(Failure::Network)?;
    progress.clear();
    let text = format!(
        "{} answers of {} connections in {:.3} s: {:.0} a second; median {:.3} ms, 99% within {:.3} ms; {} faults{}\n",
        loaded.answered,
        load.connections,
        loaded.elapsed.as_secs_f64(),
        loaded.rate(),
        loaded.time(500).as_secs_f64() * 1e3,
        loaded.time(990).as_secs_f64() * 1e3,
        loaded.faults,
        if loaded.capped { "; capped by time" } else { "" },
    );
    io::stdout().write_all(text.as_bytes()).map_err(Failure::Output)?;
    if let Some(why) = &loaded.why {
        crate::report::say(&format!("setrip: {why}\n"));
    }
    Ok(ExitCode::from(u8::from(loaded.faults > 0)))
}

/// Makes the connections, sends, checks.
pub fn run(place: &Place, recoding: &Recoding, load: Load, mut progress: impl FnMut(u64)) -> io::Result<Loaded> {
    raise_descriptors();
    let request = Template::new(Encoder::with_options(recoding.from, EncodeOptions::default().layout(Layout::Lines)))?;
    let answer = Template::new(recoding.encoder())?;
    let mut poll = Poll::new()?;
    let mut peers = Vec::with_capacity(load.connections);
    for number in 0..load.connections {
        let mut stream = connect(place)?;
        poll.registry().register(&mut stream, Token(number), Interest::READABLE | Interest::WRITABLE)?;
        let expected = answer.message(number as u64, 0);
        peers.push(Peer {
            stream,
            open: true,
            sent: 0,
            answered: 0,
            out: Vec::new(),
            written: 0,
            expected,
            matched: 0,
            since: VecDeque::new(),
        });
    }
    let mut client = Client { load, request, answer, loaded: Loaded::default(), chunk: vec![0; 64 * 1024], left: load.connections };
    let started = Instant::now();
    for (number, peer) in peers.iter_mut().enumerate() {
        client.serve(number as u64, peer);
    }
    let mut events = Events::with_capacity(1024);
    let mut told = 0;
    while client.left > 0 {
        let elapsed = started.elapsed();
        if elapsed >= load.time && !client.loaded.capped {
            // No more is sent, but what was sent is to be answered.
            client.loaded.capped = true;
            for (number, peer) in peers.iter_mut().enumerate() {
                client.serve(number as u64, peer);
            }
        }
        if elapsed >= load.time + GRACE {
            client.give_up(&peers);
            break;
        }
        match poll.poll(&mut events, Some(Duration::from_millis(100))) {
            Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
        for event in &events {
            let Token(number) = event.token();
            client.serve(number as u64, &mut peers[number]);
        }
        progress(client.loaded.answered - std::mem::replace(&mut told, client.loaded.answered));
    }
    client.loaded.elapsed = started.elapsed();
    Ok(client.loaded)
}

fn connect(place: &Place) -> io::Result<Stream> {
    match place {
        Place::Tcp(address) => {
            let stream = std::net::TcpStream::connect(&address[..])?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            Ok(Stream::Tcp(mio::net::TcpStream::from_std(stream)))
        }
        Place::Unix(path) => {
            let stream = std::os::unix::net::UnixStream::connect(path)?;
            stream.set_nonblocking(true)?;
            Ok(Stream::Unix(mio::net::UnixStream::from_std(stream)))
        }
    }
}

struct Client {
    load: Load,
    request: Template,
    answer: Template,
    loaded: Loaded,
    chunk: Vec<u8>,
    /// How many connections are not done.
    left: usize,
}

struct Peer {
    stream: Stream,
    open: bool,
    sent: u64,
    answered: u64,
    out: Vec<u8>,
    written: usize,
    /// The answer that comes next, and how much of it has come.
    expected: Vec<u8>,
    matched: usize,
    since: VecDeque<Instant>,
}

impl Client {
    /// Those that are still open have not been answered.
    fn give_up(&mut self, peers: &[Peer]) {
        let silent = peers.iter().enumerate().filter(|(_, peer)| peer.open);
        self.loaded.faults += silent.clone().count() as u64;
        if let Some((number, peer)) = { silent }.next() {
            let why =
                || format!("connection {number}: {} messages are not answered after {} s", peer.sent - peer.answered, GRACE.as_secs());
            self.loaded.why.get_or_insert_with(why);
        }
    }

    fn serve(&mut self, number: u64, peer: &mut Peer) {
        if !peer.open {
            return;
        }
        match self.go_on(number, peer) {
            Ok(false) => return,
            Ok(true) => {}
            Err(error) => {
                self.loaded.faults += 1;
                self.loaded.why.get_or_insert_with(|| format!("connection {number}: {error}"));
            }
        }
        peer.open = false;
        self.left -= 1;
    }

    /// Reads and writes what can be; whether this connection is done.
    fn go_on(&mut self, number: u64, peer: &mut Peer) -> io::Result<bool> {
        loop {
            let now = Instant::now();
            while !self.loaded.capped && peer.sent < self.load.messages && peer.sent - peer.answered < self.load.window {
                self.request.append(number, peer.sent, &mut peer.out);
                peer.sent += 1;
                peer.since.push_back(now);
            }
            while peer.written < peer.out.len() {
                match peer.stream.write(&peer.out[peer.written..]) {
                    Ok(count) => peer.written += count,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error),
                }
            }
            if peer.written == peer.out.len() {
                peer.out.clear();
                peer.written = 0;
            }
            if peer.answered == self.load.messages || self.loaded.capped && peer.answered == peer.sent {
                return Ok(true);
            }
            match peer.stream.read(&mut self.chunk) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.check(number, peer, count)?,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    fn check(&mut self, number: u64, peer: &mut Peer, count: usize) -> io::Result<()> {
        let now = Instant::now();
        let mut bytes = &self.chunk[..count];
        while !bytes.is_empty() {
            let length = bytes.len().min(peer.expected.len() - peer.matched);
            if bytes[..length] != peer.expected[peer.matched..][..length] {
                return Err(io::Error::new(ErrorKind::InvalidData, format!("answer {} is wrong", peer.answered)));
            }
            peer.matched += length;
            bytes = &bytes[length..];
            if peer.matched == peer.expected.len() {
                peer.matched = 0;
                peer.answered += 1;
                self.loaded.answered += 1;
                if let Some(since) = peer.since.pop_front() {
                    self.loaded.times.add(now.duration_since(since));
                }
                self.answer.number(number, peer.answered, &mut peer.expected);
            }
        }
        Ok(())
    }
}

/// A message with two numbers in it: that of the connection, and its own.
struct Template {
    text: Vec<u8>,
    places: [usize; 2],
}

/// How many digits a number has.
const DIGITS: usize = 8;

impl Template {
    fn new(mut encoder: Encoder) -> io::Result<Template> {
        let (first, second) = (b"c00000000", b"m00000000");
        let (open, close) = (Lexeme::open(), Lexeme::close());
        let head = [open, Lexeme::bare(b"request"), Lexeme::bare(first), Lexeme::bare(second)];
        let body = [open, Lexeme::bare(b"file"), Lexeme::bare(b"src/lib.rs"), open, Lexeme::bare(b"range"), Lexeme::bare(b"12")];
        let end = [Lexeme::bare(b"80"), close, close, open, Lexeme::bare(b"text"), Lexeme::bare(b"let"), close, close];
        let mut window = [0; 512];
        let mut output = encoder.window(&mut window);
        for lexeme in head.into_iter().chain(body).chain(end) {
            if output.encode(lexeme) != Encode::Ok {
                return Err(io::Error::other("the message cannot be written in that syntax"));
            }
        }
        let text = output.bytes().to_vec();
        let place = |atom: &[u8]| text.windows(atom.len()).position(|window| window == atom).map(|at| at + 1);
        let places = [place(first), place(second)].map(|place| place.ok_or_else(|| io::Error::other("numbers are written otherwise")));
        let [connection, message] = places;
        Ok(Template { places: [connection?, message?], text })
    }

    fn number(&self, connection: u64, message: u64, text: &mut [u8]) {
        for (at, mut number) in self.places.into_iter().zip([connection, message]) {
            for digit in text[at..at + DIGITS].iter_mut().rev() {
                *digit = b'0' + (number % 10) as u8;
                number /= 10;
            }
        }
    }

    fn message(&self, connection: u64, message: u64) -> Vec<u8> {
        let mut text = self.text.clone();
        self.number(connection, message, &mut text);
        text
    }

    fn append(&self, connection: u64, message: u64, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.text);
        self.number(connection, message, &mut out[start..]);
    }
}

/// Times, to 6% each: the powers of two of a microsecond, in 16 parts.
#[derive(Clone, Default)]
struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Histogram {
    fn add(&mut self, time: Duration) {
        let micros = time.as_micros() as u64;
        let power = micros.max(16).ilog2() - 4;
        let index = (power as usize) * 16 + (micros >> power) as usize;
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
        self.total += 1;
    }

    fn quantile(&self, permille: u64) -> Duration {
        let mut left = (self.total * permille).div_ceil(1000);
        for (index, count) in self.counts.iter().enumerate() {
            if left <= *count {
                let power = (index / 16).saturating_sub(1);
                return Duration::from_micros(((index - power * 16) as u64) << power);
            }
            left -= count;
        }
        Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_sixteenth() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|micros| histogram.add(Duration::from_micros(micros * 100)));
        for (permille, micros) in [(500, 50_000.0), (990, 99_000.0), (1, 100.0)] {
            let found = histogram.quantile(permille).as_micros() as f64;
            assert!((found / micros - 1.0).abs() < 1.0 / 15.0, "{permille}: {found}");
        }
    }
}
