//! The event-loop driver: on sockets, pipes and files, one at a time and many on one thread.
#![cfg(unix)]

mod harness;

use harness::naive::Event;
use harness::{Subject, decode, rows};
use mio::{Events, Interest, Poll, Token};
use rustix::fs::{OFlags, fcntl_getfl};
use sexp_codec::event_loop::{Decoder, Endpoint, Error, Sink, Source};
use sexp_codec::nonblocking::{self, Decode};
use sexp_codec::{ErrorKind, Kind, Options, Syntax};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::thread;
use std::time::Duration;

fn is_nonblocking(fd: impl AsFd) -> bool {
    fcntl_getfl(fd).unwrap().contains(OFlags::NONBLOCK)
}

/// A large text, and how many lexemes it has.
fn text() -> (Vec<u8>, usize) {
    let text = b"(define (f x) \"a string\\n\" (g x 12345))\n".repeat(20_000);
    (text, 13 * 20_000)
}

fn file_of(bytes: &[u8]) -> File {
    let path = std::env::temp_dir().join(format!("sexp-codec-{}-{:?}", std::process::id(), thread::current().id()));
    std::fs::write(&path, bytes).unwrap();
    let file = File::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    file
}

/// What the driver delivers of an input that comes in these pieces: each datagram is read by one call, and an empty one is the end.
fn events(Subject { syntax, .. }: Subject, options: Options, pieces: &[&[u8]], capacity: usize) -> Vec<Event> {
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    for piece in pieces.iter().filter(|piece| !piece.is_empty()).chain([&&b""[..]]) {
        theirs.send(piece).unwrap();
    }
    all_of(Decoder::new(ours, capacity, syntax, options).unwrap())
}

fn all_of(mut decoder: Decoder<impl AsFd>) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        events.push(match decoder.decode() {
            Ok(Some(lexeme)) => harness::drivers::owned(lexeme),
            Err(Error::Malformed(error)) => Event::Error(error),
            Err(error) => panic!("{error}"),
            Ok(None) => break,
        });
    }
    events.push(Event::End);
    events
}

#[test]
fn the_rows_read_the_same_over_all_cuts_in_two() {
    for row in rows::all() {
        for &(subject, options) in &row.subjects {
            let expected = decode(subject.rules, options, &row.input);
            for cut in 0..=row.input.len() {
                let (first, second) = row.input.split_at(cut);
                assert_eq!(events(subject, options, &[first, second], 4096), expected, "{} cut at {cut}", row.place);
            }
        }
    }
}

#[test]
fn the_rows_read_the_same_in_chunks_of_all_sizes() {
    for row in rows::all() {
        let file = file_of(&row.input);
        for &(subject, options) in &row.subjects {
            let expected = decode(subject.rules, options, &row.input);
            for capacity in [1, 2, 3, 7, 64] {
                (&file).rewind().unwrap();
                let decoder = Decoder::new(&file, capacity, subject.syntax, options).unwrap();
                assert_eq!(all_of(decoder), expected, "{} in chunks of {capacity}", row.place);
            }
        }
    }
}

fn count(mut decoder: Decoder<impl AsFd>) -> usize {
    let mut lexemes = 0;
    while decoder.decode().unwrap().is_some() {
        lexemes += 1;
    }
    assert!(decoder.decode().unwrap().is_none(), "the end comes again and again");
    lexemes
}

#[test]
fn a_lexeme_is_delivered_while_the_peer_keeps_the_connection_open() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let mut decoder = Decoder::new(ours, 64, &Syntax::SEXPLIB, Options::default()).unwrap();
    theirs.write_all(b"(a) \"b").unwrap();
    let kinds: Vec<Kind> = (0..3).map(|_| decoder.decode().unwrap().unwrap().kind).collect();
    assert_eq!(kinds, [Kind::Open, Kind::Bare, Kind::Close]);
    assert_eq!(decoder.source().waits(), 0);
    let peer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        theirs.write_all(b"c\" ").unwrap();
        theirs
    });
    assert_eq!(decoder.decode().unwrap().unwrap().bytes, b"bc");
    assert_eq!(decoder.source().waits(), 1);
    assert_eq!(decoder.position(), 8);
    drop(peer.join().unwrap());
    assert!(decoder.decode().unwrap().is_none());
}

#[test]
fn every_chunk_size_gives_the_same() {
    let (text, lexemes) = text();
    for capacity in [0, 1, 7, 4096, 1 << 20] {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let decoder = Decoder::new(ours, capacity, &Syntax::SEXPLIB, Options::default()).unwrap();
        let part = if capacity < 2 { &text[..40_000] } else { &text[..] };
        let expected = lexemes * part.len() / text.len();
        thread::scope(|scope| {
            scope.spawn(move || theirs.write_all(part).unwrap());
            assert_eq!(count(decoder), expected, "{capacity}");
        });
    }
}

#[test]
fn a_regular_file_is_always_ready() {
    let (text, lexemes) = text();
    let file = file_of(&text);
    assert!(Endpoint::new(&file).unwrap().always_ready());
    assert!(!is_nonblocking(&file));
    let decoder = Decoder::new(&file, 64 * 1024, &Syntax::SEXPLIB, Options::default()).unwrap();
    assert_eq!(count(decoder), lexemes);

    let mut poll = Poll::new().unwrap();
    poll.registry().register(&mut Endpoint::new(&file).unwrap(), Token(0), Interest::READABLE).unwrap();
    poll.poll(&mut Events::with_capacity(1), Some(Duration::ZERO)).unwrap();
}

#[test]
fn a_device_that_a_poll_refuses_is_read_at_once() {
    let null = File::open("/dev/null").unwrap();
    assert_eq!(count(Decoder::new(null, 64, &Syntax::SE, Options::default()).unwrap()), 0);
}

#[test]
fn faults_come_with_their_place_and_the_rest_after_them() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    theirs.write_all(b"a\n ) (b").unwrap();
    drop(theirs);
    let mut decoder = Decoder::new(ours, 3, &Syntax::SEXPLIB, Options::default()).unwrap();
    assert_eq!(decoder.decode().unwrap().unwrap().bytes, b"a");
    let Err(Error::Malformed(error)) = decoder.decode() else { panic!() };
    assert_eq!((error.kind, error.position.line, error.position.column), (ErrorKind::UnbalancedClose(b')'), 2, 2));
    assert_eq!(decoder.decode().unwrap().unwrap().kind, Kind::Open);
    assert_eq!(decoder.depth(), 1);
    let lexeme = decoder.decode().unwrap().unwrap();
    assert_eq!((lexeme.bytes, lexeme.span.start), (&b"b"[..], 6));
    assert_eq!(decoder.location(6).column, 5);
    let Err(Error::Malformed(error)) = decoder.decode() else { panic!() };
    assert_eq!((error.kind, error.opened.unwrap().offset), (ErrorKind::UnclosedList(1), 5));
    assert!(decoder.decode().unwrap().is_none());
}

#[test]
fn what_follows_the_last_lexeme_is_not_lost() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    theirs.write_all(b"(a)rest").unwrap();
    let mut decoder = Decoder::new(ours, 64, &Syntax::SEXPLIB, Options::default()).unwrap();
    for _ in 0..3 {
        decoder.decode().unwrap().unwrap();
    }
    assert_eq!(decoder.remaining(), b"rest");
}

#[test]
fn status_flags_are_put_back() {
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let shared = ours.try_clone().unwrap();
    let source = Source::new(&ours).unwrap();
    assert!(is_nonblocking(&shared), "the flag belongs to the open file");
    // Found set, so the first one to set it clears it.
    drop(Sink::new(&shared).unwrap());
    assert!(is_nonblocking(&shared));
    drop(source);
    assert!(!is_nonblocking(&shared));

    ours.set_nonblocking(true).unwrap();
    drop(Source::new(&ours).unwrap());
    assert!(is_nonblocking(&ours), "it was so before");
}

#[test]
fn before_waiting_the_caller_is_told() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut source = Source::new(ours).unwrap();
    let mut told = 0;
    let mut chunk = [0; 8];
    let mut peer = &theirs;
    let n = source
        .read_or_wait(&mut chunk, || {
            told += 1;
            peer.write_all(b"abc")
        })
        .unwrap();
    assert_eq!((n, told, source.waits(), source.reads()), (3, 1, 1, 2));
    let error = source.read_or_wait(&mut chunk, || Err(io::Error::other("full"))).unwrap_err();
    assert_eq!(error.to_string(), "full");
}

#[test]
fn a_sink_waits_for_a_slow_reader_and_loses_nothing() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let (text, _) = text();
    let mut sink = Sink::new(ours).unwrap();
    thread::scope(|scope| {
        let reader = scope.spawn(move || {
            thread::sleep(Duration::from_millis(50));
            let mut all = Vec::new();
            theirs.read_to_end(&mut all).unwrap();
            all
        });
        sink.write_all(&text).unwrap();
        assert!(sink.waits() > 0 && sink.writes() > sink.waits());
        drop(sink);
        assert!(reader.join().unwrap() == text);
    });
}

#[test]
fn a_peer_that_has_gone_is_an_error_of_the_sink() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    drop(theirs);
    assert_eq!(Sink::new(ours).unwrap().write_all(b"a").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}

/// What the single-connection driver does, for many at once: the decoders wait as they are.
#[test]
fn many_connections_on_one_thread() {
    const CONNECTIONS: usize = 50;
    const FORMS: usize = 20;
    struct Connection {
        endpoint: Endpoint<UnixStream>,
        decoder: nonblocking::Decoder,
        lexemes: usize,
        open: bool,
    }
    let mut poll = Poll::new().unwrap();
    let mut peers = Vec::new();
    let mut connections: Vec<Connection> = (0..CONNECTIONS)
        .map(|token| {
            let (ours, theirs) = UnixStream::pair().unwrap();
            peers.push(theirs);
            let mut endpoint = Endpoint::new(ours).unwrap();
            poll.registry().register(&mut endpoint, Token(token), Interest::READABLE).unwrap();
            Connection { endpoint, decoder: nonblocking::Decoder::new(&Syntax::SEXPLIB), lexemes: 0, open: true }
        })
        .collect();
    let writer = thread::spawn(move || {
        // In two pieces each, in turn, so that every form is cut and the connections are mixed.
        for _ in 0..FORMS {
            for piece in [&b"(one \"tw"[..], b"o\" three)"] {
                peers.iter_mut().for_each(|peer| peer.write_all(piece).unwrap());
            }
        }
    });
    let mut chunk = [0; 16];
    let mut events = Events::with_capacity(64);
    while connections.iter().any(|connection| connection.open) {
        poll.poll(&mut events, None).unwrap();
        for event in &events {
            let connection = &mut connections[event.token().0];
            // Edges are told, not levels: each is read until it would block.
            while connection.open {
                let n = match connection.endpoint.read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    n => n.unwrap(),
                };
                let mut input = if n == 0 { connection.decoder.finish() } else { connection.decoder.feed(&chunk[..n]) };
                match input.for_each(|_| connection.lexemes += 1) {
                    Decode::Await => {}
                    Decode::End => connection.open = false,
                    other => panic!("{other:?}"),
                }
            }
        }
    }
    writer.join().unwrap();
    assert!(connections.iter().all(|connection| connection.lexemes == FORMS * 5));
}
