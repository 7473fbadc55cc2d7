//! All the ways to drive the decoder, as functions from pieces of an input to owned events.

use super::Event;
use sexp_codec::nonblocking::{Compact, Decode, Decoder};
use sexp_codec::{Kind, Lexeme, Options, Span, Syntax, blocking};
use std::io::{self, Read};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Driver {
    /// Non-blocking, lexeme by lexeme.
    Pull,
    /// Non-blocking, internal iteration.
    ForEach,
    /// Non-blocking, that many compact lexemes at once, and one by one where there is none.
    Bulk(usize),
    /// Blocking, from memory.
    Memory,
    /// Blocking, from a reader that gives the pieces one by one, through a buffer of that size.
    Reader(usize),
}

impl Driver {
    pub const ALL: [Driver; 11] = [
        Driver::Pull,
        Driver::ForEach,
        Driver::Bulk(1),
        Driver::Bulk(3),
        Driver::Bulk(64),
        Driver::Memory,
        Driver::Reader(1),
        Driver::Reader(2),
        Driver::Reader(3),
        Driver::Reader(7),
        Driver::Reader(64),
    ];

    /// Drives a decoder over the pieces, to the end and beyond it.
    pub fn run(self, syntax: &'static Syntax, options: Options, chunks: &[&[u8]]) -> Vec<Event> {
        match self {
            Driver::Memory => memory(syntax, options, &chunks.concat()),
            Driver::Reader(capacity) => {
                let pieces = Pieces { chunks, interrupted: false };
                read(blocking::Decoder::from_read_with(pieces, capacity, syntax, options))
            }
            Driver::Pull => nonblocking(syntax, options, chunks, pull_chunk),
            Driver::ForEach => nonblocking(syntax, options, chunks, for_each_chunk),
            Driver::Bulk(size) => nonblocking(syntax, options, chunks, |decoder, chunk, base, events| {
                bulk_chunk(decoder, chunk, base, events, size);
            }),
        }
    }
}

/// Feeds the pieces, an empty one between them, and finishes.
fn nonblocking(
    syntax: &'static Syntax,
    options: Options,
    chunks: &[&[u8]],
    chunk: impl Fn(&mut Decoder, &[u8], u64, &mut Vec<Event>),
) -> Vec<Event> {
    let mut decoder = Decoder::with_options(syntax, options);
    let mut events = Vec::new();
    let mut base = 0;
    for piece in chunks {
        chunk(&mut decoder, piece, base, &mut events);
        chunk(&mut decoder, &[], base + piece.len() as u64, &mut events);
        base += piece.len() as u64;
    }
    if events.last() == Some(&Event::End) {
        events.pop();
    }
    loop {
        let event = match decoder.finish().decode() {
            Decode::Lexeme(lexeme) => owned(lexeme),
            Decode::Error(error) => Event::Error(error),
            Decode::End => break,
            other => panic!("{other:?} after the end of the input"),
        };
        events.push(event);
    }
    events.push(Event::End);
    for _ in 0..2 {
        assert!(matches!(decoder.finish().decode(), Decode::End), "the end is not the end");
    }
    events
}

/// Feeds one piece that begins at `base`, and takes what it gives lexeme by lexeme.
pub fn pull_chunk(decoder: &mut Decoder, chunk: &[u8], base: u64, events: &mut Vec<Event>) {
    let mut input = decoder.feed(chunk);
    loop {
        let event = match input.decode() {
            Decode::Lexeme(lexeme) => owned(lexeme),
            Decode::Error(error) => Event::Error(error),
            Decode::End => return end(events),
            Decode::Await => {
                assert_eq!(input.position(), base + chunk.len() as u64, "position when all is used up");
                assert_eq!(input.remaining(), b"", "what remains when all is used up");
                return;
            }
            Decode::Fragment(fragment) => panic!("{fragment:?} was not asked for"),
        };
        if let Event::Lexeme { span, .. } = &event {
            assert_eq!(input.position(), span.end, "position after {event:?}");
            assert_eq!(input.remaining(), &chunk[(span.end - base) as usize..], "what remains after {event:?}");
        }
        events.push(event);
    }
}

fn for_each_chunk(decoder: &mut Decoder, chunk: &[u8], base: u64, events: &mut Vec<Event>) {
    let mut input = decoder.feed(chunk);
    loop {
        match input.for_each(|lexeme| events.push(owned(lexeme))) {
            Decode::Error(error) => events.push(Event::Error(error)),
            Decode::End => return end(events),
            Decode::Await => break,
            other => panic!("for_each stopped with {other:?}"),
        }
    }
    assert_eq!(input.position(), base + chunk.len() as u64, "position when all is used up");
}

fn bulk_chunk(decoder: &mut Decoder, chunk: &[u8], base: u64, events: &mut Vec<Event>, size: usize) {
    let mut input = decoder.feed(chunk);
    let mut compact = vec![Compact::default(); size];
    loop {
        let count = input.bulk(&mut compact);
        for lexeme in &compact[..count] {
            let span = Span { start: base + lexeme.span().start as u64, end: base + lexeme.span().end as u64 };
            events.push(Event::Lexeme { kind: lexeme.kind(), value: chunk[lexeme.value()].to_vec(), span });
        }
        if let Some(Event::Lexeme { span, .. }) = events.last()
            && count > 0
        {
            assert_eq!(input.position(), span.end, "position after {count} lexemes at once");
            continue;
        }
        match input.decode() {
            Decode::Lexeme(lexeme) => events.push(owned(lexeme)),
            Decode::Error(error) => events.push(Event::Error(error)),
            Decode::End => return end(events),
            Decode::Await => break,
            Decode::Fragment(fragment) => panic!("{fragment:?} was not asked for"),
        }
    }
    assert_eq!(input.position(), base + chunk.len() as u64, "position when all is used up");
}

/// The end comes once, however often the decoder says so.
fn end(events: &mut Vec<Event>) {
    if events.last() != Some(&Event::End) {
        events.push(Event::End);
    }
}

fn memory(syntax: &'static Syntax, options: Options, input: &[u8]) -> Vec<Event> {
    read(blocking::Decoder::with_options(input, syntax, options))
}

fn read(mut decoder: blocking::Decoder<impl io::BufRead>) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        let event = match decoder.decode() {
            Ok(Some(lexeme)) => owned(lexeme),
            Ok(None) => break,
            Err(blocking::Error::Malformed(error)) => Event::Error(error),
            Err(error) => panic!("{error}"),
        };
        if let Event::Lexeme { span, .. } = &event {
            assert_eq!(decoder.position(), span.end, "position after {event:?}");
        }
        events.push(event);
    }
    assert!(matches!(decoder.decode(), Ok(None)), "the end is not the end");
    events.push(Event::End);
    events
}

/// A reader that gives one piece at a time, and is interrupted before each.
struct Pieces<'a> {
    chunks: &'a [&'a [u8]],
    interrupted: bool,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        while let [first, rest @ ..] = self.chunks
            && first.is_empty()
        {
            self.chunks = rest;
        }
        let [mut first, rest @ ..] = self.chunks else { return Ok(0) };
        let count = first.read(buffer)?;
        // The shortened piece cannot be put back into the slice; the rest of it is given by itself.
        if first.is_empty() {
            self.chunks = rest;
        }
        Ok(count)
    }
}

pub fn owned(lexeme: Lexeme<'_>) -> Event {
    assert!(lexeme.kind != Kind::Open || lexeme.bytes == b"(", "{lexeme:?}");
    Event::Lexeme { kind: lexeme.kind, value: lexeme.bytes.to_vec(), span: lexeme.span }
}
