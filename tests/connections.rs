//! The driver of many connections in a simulation: no sockets and no clock, and every schedule can be run again by its seed.

use sexp_codec::Syntax;
use sexp_codec::event_loop::{Closed, Connections, Finished, Id, Outbox, Readiness, ServeOptions, Service, Taken, Transport};
use sexp_codec::nonblocking::{Decode, Decoder, Encoder};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A small generator, so that a seed is a schedule.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % limit.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// What is between a peer and the driver.
struct Wire {
    random: Random,
    input: Vec<u8>,
    arrived: usize,
    read: usize,
    ended: bool,
    reset: bool,
    /// Whether a short read left something behind, of which the driver is to be told.
    told: bool,
    room: usize,
    output: Vec<u8>,
    shut: bool,
}

#[derive(Clone)]
struct Simulated(Rc<RefCell<Wire>>);

impl Read for Simulated {
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        let wire = &mut *self.0.borrow_mut();
        if wire.random.one_in(20) {
            return Err(ErrorKind::Interrupted.into());
        }
        if wire.reset {
            return Err(ErrorKind::ConnectionReset.into());
        }
        let there = (wire.arrived - wire.read).min(chunk.len());
        if there == 0 {
            return if wire.ended && wire.arrived == wire.input.len() { Ok(0) } else { Err(ErrorKind::WouldBlock.into()) };
        }
        let n = 1 + wire.random.below(there);
        chunk[..n].copy_from_slice(&wire.input[wire.read..wire.read + n]);
        wire.read += n;
        wire.told = false;
        Ok(n)
    }
}

impl Write for Simulated {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let wire = &mut *self.0.borrow_mut();
        assert!(!wire.shut, "written after the end");
        if wire.reset {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let n = wire.room.min(bytes.len());
        if n == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let n = 1 + wire.random.below(n);
        wire.output.extend_from_slice(&bytes[..n]);
        wire.room -= n;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Transport for Simulated {
    fn shut_down_write(&mut self) -> io::Result<()> {
        self.0.borrow_mut().shut = true;
        Ok(())
    }
}

/// Recodes what it gets; a fault is answered with `!` and the offset.
#[derive(Default)]
struct Recoder {
    closed: BTreeMap<u64, (usize, bool, Closed)>,
}

struct Recoded {
    decoder: Decoder,
    encoder: Encoder,
    received: usize,
    finished: bool,
}

const SYNTAX: &Syntax = &Syntax::SEXPLIB;

impl Recoded {
    fn new() -> Recoded {
        Recoded { decoder: Decoder::new(SYNTAX), encoder: Encoder::new(SYNTAX), received: 0, finished: false }
    }

    /// One step; whether there was one.
    fn put(step: &Decode<'_>, encoder: &mut Encoder, out: &mut Outbox) -> bool {
        match step {
            Decode::Lexeme(lexeme) => out.encode(encoder, *lexeme).unwrap(),
            Decode::Error(error) => out.extend(format!("!{}!", error.position.offset).as_bytes()),
            _ => return false,
        }
        true
    }
}

impl Service for Recoder {
    type Connection = Recoded;

    fn open(&mut self, _: Id) -> Recoded {
        Recoded::new()
    }

    fn receive(&mut self, connection: &mut Recoded, chunk: &[u8], out: &mut Outbox) -> Taken {
        let Recoded { decoder, encoder, received, finished } = connection;
        assert!(!*finished && !chunk.is_empty());
        let mut input = decoder.feed(chunk);
        while !out.is_full() {
            if !Recoded::put(&input.decode(), encoder, out) {
                *received += chunk.len();
                return Taken::all(chunk);
            }
        }
        let rest = input.remaining();
        *received += chunk.len() - rest.len();
        Taken::all_but(chunk, rest)
    }

    fn finish(&mut self, connection: &mut Recoded, out: &mut Outbox) -> Finished {
        let Recoded { decoder, encoder, finished, .. } = connection;
        let mut input = decoder.finish();
        while !out.is_full() {
            if !Recoded::put(&input.decode(), encoder, out) {
                *finished = true;
                return Finished::Yes;
            }
        }
        Finished::NotYet
    }

    fn unfinished(&self, connection: &Recoded) -> Option<u64> {
        (!connection.decoder.is_between_forms()).then_some(0)
    }

    fn closed(&mut self, id: Id, connection: Recoded, why: Closed) {
        let before = self.closed.insert(id.0, (connection.received, connection.finished, why));
        assert!(before.is_none(), "closed twice");
    }
}

/// What the service makes of an input that comes at once and is answered without limit.
fn expected(input: &[u8], finished: bool) -> Vec<u8> {
    let (mut service, mut connection, mut out) = (Recoder::default(), Recoded::new(), Outbox::new(usize::MAX));
    if !input.is_empty() {
        service.receive(&mut connection, input, &mut out);
    }
    if finished {
        service.finish(&mut connection, &mut out);
    }
    out.bytes().to_vec()
}

fn input(random: &mut Random) -> Vec<u8> {
    let pieces: [&[u8]; 10] = [b"(a b)", b" ", b"(", b")", b"\"x\\n y\"", b"atom", b"; note\n", b"\"\\q\"", b"(((d) e) f)", b"\n"];
    (0..random.below(40)).flat_map(|_| pieces[random.below(pieces.len())]).copied().collect()
}

/// A schedule; says what was seen.
fn schedule(seed: u64, seen: &mut BTreeMap<&'static str, u32>) {
    let random = &mut Random(seed);
    let (chunk, outbox, share) = (1 + random.below(60), 1 + random.below(60), 1 + random.below(90));
    let options = ServeOptions::default().chunk(chunk).outbox(outbox).share(share);
    let mut connections = Connections::new(Recoder::default(), options);
    let mut now = Instant::now();
    let count = 1 + random.below(5);
    let (resets, stops) = (random.one_in(2), random.one_in(3));
    let mut wires = Vec::new();
    for _ in 0..count {
        let (input, random) = (input(random), Random(random.below(usize::MAX) as u64));
        let wire =
            Wire { random, input, arrived: 0, read: 0, ended: false, reset: false, told: true, room: 0, output: Vec::new(), shut: false };
        let wire = Simulated(Rc::new(RefCell::new(wire)));
        let key = connections.insert(wire.clone(), now);
        wires.push((key, wire));
    }
    let mut steps = 0;
    while !connections.is_empty() {
        steps += 1;
        assert!(steps < 20_000, "seed {seed}: it does not end");
        now += Duration::from_micros(1);
        let (key, wire) = &wires[random.below(count)];
        let mut readiness = Readiness::default();
        {
            let wire = &mut *wire.0.borrow_mut();
            match random.below(6) {
                0 | 1 => {
                    wire.arrived = (wire.arrived + random.below(30)).min(wire.input.len());
                    wire.ended |= wire.arrived == wire.input.len() && random.one_in(3);
                    wire.told = false;
                }
                2 | 3 => {
                    wire.room += random.below(40);
                    readiness.writable = wire.room > 0;
                }
                4 if resets && random.one_in(30) => {
                    wire.reset = true;
                    readiness = Readiness { readable: true, writable: true, ended: true };
                }
                _ => {}
            }
            if !std::mem::replace(&mut wire.told, true) || wire.ended {
                readiness.readable = true;
                readiness.ended = wire.ended;
            }
        }
        connections.ready(*key, readiness);
        if stops && random.one_in(150) {
            connections.stop(now);
        }
        connections.turn(now);
        // A lexeme has up to 10 bytes here, a buffer twice what is in it and 256 at least.
        assert!(connections.buffered() <= count * (chunk + 2 * (outbox + 16) + 256), "seed {seed}");
        if connections.is_stopping() {
            // Peers end in the end.
            wires.iter().for_each(|(_, wire)| wire.0.borrow_mut().room += 1);
        }
    }
    assert_eq!(connections.service().closed.len(), count, "seed {seed}");
    for (id, (_, wire)) in wires.iter().enumerate() {
        let wire = wire.0.borrow();
        let (received, finished, why) = &connections.service().closed[&(id as u64)];
        let whole = expected(&wire.input[..*received], *finished);
        match why {
            Closed::Finished => {
                assert_eq!((*received, *finished), (wire.input.len(), true), "seed {seed}");
                assert_eq!(wire.output, whole, "seed {seed}");
                *seen.entry("finished").or_default() += 1;
            }
            Closed::ByUs => {
                assert!(*finished && wire.shut, "seed {seed}");
                assert_eq!(wire.output, whole, "seed {seed}");
                *seen.entry("stopped").or_default() += 1;
            }
            Closed::Io(error) => {
                assert!(wire.reset, "seed {seed}: {error}");
                assert!(whole.starts_with(&wire.output), "seed {seed}");
                *seen.entry("reset").or_default() += 1;
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
}

#[test]
fn ten_thousand_schedules() {
    let mut seen = BTreeMap::new();
    (0..10_000).for_each(|seed| schedule(seed, &mut seen));
    println!("{seen:?}");
    assert!(["finished", "stopped", "reset"].iter().all(|end| seen[end] > 1_000), "{seen:?}");
}

fn wire(input: &[u8]) -> Simulated {
    let arrived = input.len();
    let (input, random) = (input.to_vec(), Random(1));
    Simulated(Rc::new(RefCell::new(Wire {
        random,
        input,
        arrived,
        read: 0,
        ended: false,
        reset: false,
        told: true,
        room: usize::MAX / 2,
        output: Vec::new(),
        shut: false,
    })))
}

/// Runs until nobody has more to do.
fn settle(connections: &mut Connections<Recoder, Simulated>, now: Instant) {
    for key in 0..8 {
        connections.ready(key, Readiness { readable: true, ..Readiness::default() });
    }
    while connections.turn(now) {}
}

/// Takes from the wire until it would block.
fn drain(connections: &mut Connections<Recoder, Simulated>, now: Instant) {
    (0..100).for_each(|_| settle(connections, now));
}

#[test]
fn time_outs() {
    let start = Instant::now();
    let options = ServeOptions::default().idle_timeout(Duration::from_secs(60)).message_timeout(Duration::from_secs(10));
    let mut connections = Connections::new(Recoder::default(), options);
    for input in [&b"(a)"[..], b"(a", b"\"a"] {
        connections.insert(wire(input), start);
    }
    drain(&mut connections, start);
    assert_eq!(connections.next_alarm(), Some(start + Duration::from_secs(10)));
    connections.turn(start + Duration::from_millis(9_999));
    assert_eq!(connections.len(), 3);
    connections.turn(start + Duration::from_secs(10));
    assert_eq!(connections.len(), 1);
    connections.turn(start + Duration::from_millis(59_999));
    assert_eq!(connections.len(), 1);
    connections.turn(start + Duration::from_secs(60));
    let closed: Vec<String> = connections.service().closed.values().map(|(_, _, why)| format!("{why:?}")).collect();
    assert_eq!(closed, ["Idle", "Unfinished", "Unfinished"]);
    assert_eq!(connections.next_alarm(), None);
}

#[test]
fn a_message_that_trickles_in_is_not_complete_in_time_either() {
    let start = Instant::now();
    let mut connections = Connections::new(Recoder::default(), ServeOptions::default().message_timeout(Duration::from_secs(10)));
    let wire = wire(&[b'('; 100]);
    wire.0.borrow_mut().arrived = 0;
    connections.insert(wire.clone(), start);
    for second in 0..20 {
        wire.0.borrow_mut().arrived += 1;
        drain(&mut connections, start + Duration::from_secs(second));
        assert_eq!(connections.len(), usize::from(second < 10), "{second}");
    }
}

#[test]
fn a_stop_waits_for_the_rest_of_a_message_up_to_the_deadline() {
    for comes in [true, false] {
        let start = Instant::now();
        let mut connections = Connections::new(Recoder::default(), ServeOptions::default().grace(Duration::from_secs(3)));
        let wire = wire(b"(a b)");
        wire.0.borrow_mut().arrived = 3;
        connections.insert(wire.clone(), start);
        drain(&mut connections, start);
        connections.stop(start);
        drain(&mut connections, start);
        assert!(!wire.0.borrow().shut);
        if comes {
            wire.0.borrow_mut().arrived = 5;
            drain(&mut connections, start);
            assert!(wire.0.borrow().shut);
            assert_eq!(wire.0.borrow().output, b"(a b)");
        }
        connections.turn(start + Duration::from_secs(3));
        let why = &connections.service().closed[&0].2;
        assert!(matches!((comes, why), (true, Closed::ByUs) | (false, Closed::Deadline)), "{why:?}");
    }
}

#[test]
fn nobody_has_more_than_a_share_before_the_others_have_theirs() {
    let start = Instant::now();
    let mut connections = Connections::new(Recoder::default(), ServeOptions::default().share(100).chunk(10));
    let wires: Vec<Simulated> = [100_000, 200, 200].map(|bytes| wire(&b"(a)".repeat(bytes / 3))).into();
    wires.iter().for_each(|wire| _ = connections.insert(wire.clone(), start));
    for _ in 0..40 {
        for key in 0..3 {
            connections.ready(key, Readiness { readable: true, ..Readiness::default() });
        }
        connections.turn(start);
        let moved = wires[0].0.borrow();
        assert!(moved.read <= 40 * 110);
    }
    let read: Vec<usize> = wires.iter().map(|wire| wire.0.borrow().read).collect();
    assert!(read[0] <= 4_400 && read[1..] == [198, 198], "{read:?}");
}

#[test]
fn a_peer_that_takes_no_answers_is_not_read() {
    let start = Instant::now();
    let mut connections = Connections::new(Recoder::default(), ServeOptions::default().outbox(1_000).chunk(500));
    let wire = wire(&b"(a)".repeat(100_000));
    wire.0.borrow_mut().room = 0;
    connections.insert(wire.clone(), start);
    drain(&mut connections, start);
    assert!(wire.0.borrow().read <= 1_500);
    assert!(connections.buffered() <= 3_000, "{}", connections.buffered());
    for _ in 0..1_000 {
        wire.0.borrow_mut().room = 1_000;
        connections.ready(0, Readiness { writable: true, ..Readiness::default() });
        drain(&mut connections, start);
    }
    let wire = wire.0.borrow();
    assert!(wire.output.len() > 100_000 && wire.input.starts_with(&wire.output));
}

#[test]
fn what_an_idle_connection_costs() {
    let start = Instant::now();
    let mut connections = Connections::new(Recoder::default(), ServeOptions::default());
    connections.insert(wire(b"(a)(b)(c)"), start);
    drain(&mut connections, start);
    assert_eq!(connections.buffered(), 0, "buffers are kept");
    let codec = size_of::<Decoder>() + size_of::<Encoder>();
    println!("decoder {} bytes, encoder {} bytes", size_of::<Decoder>(), size_of::<Encoder>());
    assert!(codec <= 12 * 1024, "{codec}");
}
