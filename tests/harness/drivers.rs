//! All the ways to drive the decoder, as functions from pieces of an input to owned events.

use super::Event;
use super::naive::{Lines, rules};
use bytes::Buf;
use sexp_codec::nonblocking::{Compact, Decode, Decoder};
use sexp_codec::{Error, ErrorKind, Kind, Lexeme, Options, Span, Syntax, blocking};
use std::io::{self, Read};
#[cfg(any(feature = "futures-io", feature = "tokio"))]
use std::pin::{Pin, pin};
#[cfg(any(feature = "futures-io", feature = "tokio"))]
use std::task::{Context, Poll, Waker};

/// Takes all that an async decoder gives, to the end and beyond it. Futures that have to wait are polled again, or dropped if they are to be
/// cancelled, and another one is made.
#[cfg(any(feature = "futures-io", feature = "tokio"))]
macro_rules! await_all {
    ($decoder:expr, $cancel:expr) => {{
        let mut decoder = $decoder;
        let mut events = Vec::new();
        let mut context = Context::from_waker(Waker::noop());
        loop {
            let outcome = 'ready: loop {
                let mut future = pin!(async {
                    match decoder.decode().await {
                        Ok(Some(lexeme)) => Some(owned(lexeme)),
                        Ok(None) => None,
                        Err(blocking::Error::Malformed(error)) => Some(Event::Error(error)),
                        Err(error) => panic!("{error}"),
                    }
                });
                loop {
                    match future.as_mut().poll(&mut context) {
                        Poll::Ready(outcome) => break 'ready outcome,
                        Poll::Pending if $cancel => break,
                        Poll::Pending => {}
                    }
                }
            };
            let Some(event) = outcome else { break };
            check_position(decoder.position(), &event);
            events.push(event);
            check_depth(decoder.depth(), &events);
        }
        events.push(Event::End);
        events
    }};
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Driver {
    /// Non-blocking, lexeme by lexeme.
    Pull,
    /// Non-blocking, by a client that stops after so many events and hands over what remains of the chunk again.
    Stop(usize),
    /// Non-blocking, by a client that looks at what remains after each event, and goes on.
    Peek,
    /// Non-blocking, from a buffer that is not contiguous.
    Buffer,
    /// Non-blocking, by a decoder that has read a part of the input before, and was reset.
    Reset,
    /// Non-blocking, asking for the line and column of each lexeme.
    Locate,
    /// Non-blocking, internal iteration.
    ForEach,
    /// Non-blocking, that many compact lexemes at once, and one by one where there is none.
    Bulk(usize),
    /// Blocking, from memory.
    Memory,
    /// Blocking, from a reader that gives the pieces one by one, through a buffer of that size.
    Reader(usize),
    /// The event loop, from a pipe, in chunks of that size.
    #[cfg(all(feature = "mio", unix))]
    EventLoop(usize),
    /// Async, from a reader that has to be awaited before each piece, through a chunk of that size.
    #[cfg(feature = "futures-io")]
    Await(usize),
    /// As that, but each future is dropped wherever it has to wait, and another one goes on.
    #[cfg(feature = "futures-io")]
    Cancel(usize),
    /// Async, from a reader that has a buffer: it shows one piece after the other.
    #[cfg(feature = "futures-io")]
    CancelBuffered,
    /// As [`Driver::Cancel`], over tokio's traits.
    #[cfg(feature = "tokio")]
    CancelTokio(usize),
}

impl Driver {
    pub const ALL: &[Driver] = &[
        Driver::Pull,
        Driver::Stop(1),
        Driver::Stop(2),
        Driver::Peek,
        Driver::Buffer,
        Driver::Reset,
        Driver::Locate,
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
        #[cfg(all(feature = "mio", unix))]
        Driver::EventLoop(1),
        #[cfg(all(feature = "mio", unix))]
        Driver::EventLoop(5),
        #[cfg(feature = "futures-io")]
        Driver::Await(2),
        #[cfg(feature = "futures-io")]
        Driver::Cancel(1),
        #[cfg(feature = "futures-io")]
        Driver::Cancel(64),
        #[cfg(feature = "futures-io")]
        Driver::CancelBuffered,
        #[cfg(feature = "tokio")]
        Driver::CancelTokio(3),
    ];

    /// Whether the driver is handed the pieces as they are cut; else it sees the input as a whole, or cuts it by itself.
    pub fn sees_cuts(self) -> bool {
        match self {
            Driver::Memory => false,
            #[cfg(all(feature = "mio", unix))]
            Driver::EventLoop(_) => false,
            _ => true,
        }
    }

    /// Drives a decoder over the pieces, to the end and beyond it.
    pub fn run(self, syntax: &'static Syntax, options: Options, chunks: &[&[u8]]) -> Vec<Event> {
        match self {
            Driver::Memory => memory(syntax, options, &chunks.concat()),
            Driver::Reader(capacity) => reader(syntax, options, chunks, capacity),
            #[cfg(all(feature = "mio", unix))]
            Driver::EventLoop(capacity) => pipe(syntax, options, &chunks.concat(), capacity),
            #[cfg(feature = "futures-io")]
            Driver::Await(capacity) => {
                let source = AwaitedPieces::new(chunks);
                await_all!(sexp_codec::async_futures::Decoder::from_read_with(source, capacity, syntax, options), false)
            }
            #[cfg(feature = "futures-io")]
            Driver::Cancel(capacity) => {
                let source = AwaitedPieces::new(chunks);
                await_all!(sexp_codec::async_futures::Decoder::from_read_with(source, capacity, syntax, options), true)
            }
            #[cfg(feature = "futures-io")]
            Driver::CancelBuffered => {
                await_all!(sexp_codec::async_futures::Decoder::with_options(AwaitedPieces::new(chunks), syntax, options), true)
            }
            #[cfg(feature = "tokio")]
            Driver::CancelTokio(capacity) => {
                let source = AwaitedPieces::new(chunks);
                await_all!(sexp_codec::async_tokio::Decoder::from_read_with(source, capacity, syntax, options), true)
            }
            // Bytes beyond the limit are not looked at: whether they end lines is not known.
            Driver::Locate if options.total.is_some() => Driver::Pull.run(syntax, options, chunks),
            Driver::Pull => nonblocking(syntax, options, chunks, pull_chunk),
            Driver::Peek => nonblocking(syntax, options, chunks, peek_chunk),
            Driver::Buffer => buffer(syntax, options, chunks),
            Driver::Reset => {
                let mut decoder = Decoder::with_options(syntax, options);
                pull_chunk(&mut decoder, &chunks.concat()[chunks.concat().len() / 3..], 0, &mut Vec::new());
                drive(decoder, chunks, pull_chunk)
            }
            Driver::Locate => {
                let input = chunks.concat();
                let lines = Lines::of(rules::named(syntax.name()).byte_order_mark, &input);
                nonblocking(syntax, options, chunks, |decoder, chunk, base, events| locate_chunk(decoder, chunk, base, events, &lines))
            }
            Driver::Stop(events) => {
                nonblocking(syntax, options, chunks, |decoder, chunk, base, all| stop_chunk(decoder, chunk, base, all, events))
            }
            Driver::ForEach => nonblocking(syntax, options, chunks, for_each_chunk),
            Driver::Bulk(size) => nonblocking(syntax, options, chunks, |decoder, chunk, base, events| {
                bulk_chunk(decoder, chunk, base, events, size);
            }),
        }
    }
}

fn nonblocking(
    syntax: &'static Syntax,
    options: Options,
    chunks: &[&[u8]],
    chunk: impl Fn(&mut Decoder, &[u8], u64, &mut Vec<Event>),
) -> Vec<Event> {
    drive(Decoder::with_options(syntax, options), chunks, chunk)
}

/// Feeds the pieces, an empty one between them, and finishes.
fn drive(mut decoder: Decoder, chunks: &[&[u8]], chunk: impl Fn(&mut Decoder, &[u8], u64, &mut Vec<Event>)) -> Vec<Event> {
    decoder.reset();
    let mut events = Vec::new();
    let mut base = 0;
    for piece in chunks {
        chunk(&mut decoder, piece, base, &mut events);
        chunk(&mut decoder, &[], base + piece.len() as u64, &mut events);
        base += piece.len() as u64;
    }
    finish(&mut decoder, &mut events);
    events
}

/// Says that the input is over, and takes what that gives.
pub fn finish(decoder: &mut Decoder, events: &mut Vec<Event>) {
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
}

/// Feeds one piece that begins at `base`, and takes what it gives lexeme by lexeme. `events` has all that came before.
pub fn pull_chunk(decoder: &mut Decoder, chunk: &[u8], base: u64, events: &mut Vec<Event>) {
    let mut input = decoder.feed(chunk);
    loop {
        let event = match input.decode() {
            Decode::Lexeme(lexeme) => owned(lexeme),
            Decode::Error(error) => Event::Error(error),
            Decode::End => return end(events),
            Decode::Await => {
                assert_eq!(input.position(), base + chunk.len() as u64, "position when all is used up");
                return;
            }
            Decode::Fragment(fragment) => panic!("{fragment:?} was not asked for"),
        };
        check_position(input.position(), &event);
        events.push(event);
        check_depth(input.depth(), events);
    }
}

/// As [`pull_chunk`], but what remains is fed again after so many events.
fn stop_chunk(decoder: &mut Decoder, chunk: &[u8], base: u64, all: &mut Vec<Event>, count: usize) {
    let mut left = chunk;
    loop {
        let mut input = decoder.feed(left);
        let fed = base + (chunk.len() - left.len()) as u64;
        for _ in 0..count {
            let event = match input.decode() {
                Decode::Lexeme(lexeme) => owned(lexeme),
                Decode::Error(error) => Event::Error(error),
                Decode::End => return end(all),
                Decode::Await => {
                    assert_eq!(input.remaining(), b"", "what remains when all is used up");
                    return;
                }
                Decode::Fragment(fragment) => panic!("{fragment:?} was not asked for"),
            };
            check_position(input.position(), &event);
            all.push(event);
        }
        let consumed = (input.position() - fed) as usize;
        assert_eq!(input.remaining(), &left[consumed..], "what remains after {:?}", all.last());
        left = &left[consumed..];
    }
}

fn peek_chunk(decoder: &mut Decoder, chunk: &[u8], base: u64, all: &mut Vec<Event>) {
    let mut input = decoder.feed(chunk);
    loop {
        let event = match input.decode() {
            Decode::Lexeme(lexeme) => owned(lexeme),
            Decode::Error(error) => Event::Error(error),
            Decode::End => return end(all),
            Decode::Await => {
                assert_eq!(input.remaining(), b"", "what remains when all is used up");
                assert!(matches!(input.decode(), Decode::Await), "nothing more comes of a chunk that is used up");
                return;
            }
            Decode::Fragment(fragment) => panic!("{fragment:?} was not asked for"),
        };
        check_position(input.position(), &event);
        let position = (input.position() - base) as usize;
        assert_eq!(input.remaining(), &chunk[position..], "what remains after {event:?}");
        all.push(event);
    }
}

fn buffer(syntax: &'static Syntax, options: Options, chunks: &[&[u8]]) -> Vec<Event> {
    let mut decoder = Decoder::with_options(syntax, options);
    let mut events = Vec::new();
    let (first, rest) = chunks.split_at(chunks.len() / 2);
    let (first, rest) = (first.concat(), rest.concat());
    let mut source = Buf::chain(&first[..], &rest[..]);
    while source.has_remaining() {
        let mut input = decoder.feed_buf(&source);
        // Not more than three events at once, so that what is left of the contiguous bytes is handed over again.
        for _ in 0..3 {
            match input.decode() {
                Decode::Lexeme(lexeme) => events.push(owned(lexeme)),
                Decode::Error(error) => events.push(Event::Error(error)),
                Decode::Await => break,
                other => panic!("{other:?} from a buffer"),
            }
        }
        input.remaining();
        let consumed = input.consumed();
        source.advance(consumed);
    }
    finish(&mut decoder, &mut events);
    events
}

fn locate_chunk(decoder: &mut Decoder, chunk: &[u8], base: u64, events: &mut Vec<Event>, lines: &Lines) {
    let mut input = decoder.feed(chunk);
    loop {
        let event = match input.decode() {
            Decode::Lexeme(lexeme) => owned(lexeme),
            Decode::Error(error) => Event::Error(error),
            Decode::End => return end(events),
            Decode::Await => break,
            Decode::Fragment(fragment) => panic!("{fragment:?} was not asked for"),
        };
        if let Event::Lexeme { span, .. } = &event {
            for offset in [span.start, span.end] {
                assert_eq!(input.location(offset), lines.position(offset), "location of {event:?}");
            }
        }
        let position = input.position();
        assert_eq!(input.location(position), lines.position(position), "location of the position after {event:?}");
        events.push(event);
    }
    let position = input.position();
    assert_eq!(position, base + chunk.len() as u64, "position when all is used up");
    // A byte order mark has no column, which is known when it is whole.
    if position >= 3 {
        assert_eq!(input.location(position), lines.position(position), "location of the position when all is used up");
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

/// As [`pull_chunk`], many compact lexemes at once where there are.
pub fn bulk_chunk(decoder: &mut Decoder, chunk: &[u8], base: u64, events: &mut Vec<Event>, size: usize) {
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
            check_depth(input.depth(), events);
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

/// After a lexeme the position is its end. Only the CR of a CR LF that ends a line comment, which is no part of it, has been read too; the
/// first byte of a space of two bytes, if it went with an earlier chunk; and so the blanks and marks behind a block of lines.
fn check_position(position: u64, event: &Event) {
    if let Event::Lexeme { kind, span, value } = event {
        // With its marks and blanks a block is longer than what it says, but for a template, which comes with its marks.
        let block = *kind == Kind::String && span.len() > value.len() as u64 + 2 || *kind == Kind::Template && value.starts_with(b"\"\\");
        let next = matches!(kind, Kind::Comment | Kind::Bare | Kind::Escaped | Kind::Char) && position == span.end + 1;
        let good = position == span.end || next || block && position > span.end;
        assert!(good, "position {position} after {event:?}");
    }
}

/// After a lexeme as many lists are open as were delivered: of those that are dropped none can be.
fn check_depth(depth: u64, events: &[Event]) {
    if events.len() > 200 || !matches!(events.last(), Some(Event::Lexeme { .. })) {
        return;
    }
    let open = events.iter().fold(0, |open, event| match event {
        Event::Lexeme { kind: Kind::Open, .. } => open + 1,
        Event::Lexeme { kind: Kind::Close, .. } => open - 1,
        Event::Error(Error { kind: ErrorKind::UnclosedList(_), .. }) => 0,
        _ => open,
    });
    assert_eq!(depth, open, "depth after {:?}", events.last());
}

/// The end comes once, however often the decoder says so.
fn end(events: &mut Vec<Event>) {
    if events.last() != Some(&Event::End) {
        events.push(Event::End);
    }
}

/// Takes all that a decoder gives that reads by itself, to the end and beyond it.
macro_rules! read_all {
    ($decoder:expr) => {{
        let mut decoder = $decoder;
        let mut events = Vec::new();
        loop {
            let event = match decoder.decode() {
                Ok(Some(lexeme)) => owned(lexeme),
                Ok(None) => break,
                Err(blocking::Error::Malformed(error)) => Event::Error(error),
                Err(error) => panic!("{error}"),
            };
            check_position(decoder.position(), &event);
            events.push(event);
            check_depth(decoder.depth(), &events);
        }
        assert!(matches!(decoder.decode(), Ok(None)), "the end is not the end");
        events.push(Event::End);
        events
    }};
}

fn memory(syntax: &'static Syntax, options: Options, input: &[u8]) -> Vec<Event> {
    read_all!(blocking::Decoder::with_options(input, syntax, options))
}

fn reader(syntax: &'static Syntax, options: Options, chunks: &[&[u8]], capacity: usize) -> Vec<Event> {
    read_all!(blocking::Decoder::from_read_with(Pieces::new(chunks), capacity, syntax, options))
}

/// The input has to fit into a pipe.
#[cfg(all(feature = "mio", unix))]
fn pipe(syntax: &'static Syntax, options: Options, input: &[u8], capacity: usize) -> Vec<Event> {
    let (reader, mut writer) = io::pipe().unwrap();
    io::Write::write_all(&mut writer, input).unwrap();
    drop(writer);
    read_all!(sexp_codec::event_loop::Decoder::new(reader, capacity, syntax, options).unwrap())
}

/// A reader that gives one piece at a time, and is interrupted before each.
pub struct Pieces<'a> {
    /// What is left, the next one last.
    left: Vec<&'a [u8]>,
    interrupted: bool,
}

impl<'a> Pieces<'a> {
    pub fn new(chunks: &[&'a [u8]]) -> Self {
        Pieces { left: chunks.iter().rev().copied().filter(|chunk| !chunk.is_empty()).collect(), interrupted: false }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let Some(piece) = self.left.last_mut() else { return Ok(0) };
        let count = piece.read(buffer)?;
        if piece.is_empty() {
            self.left.pop();
        }
        Ok(count)
    }
}

/// A reader that gives one piece at a time, and has to be awaited before each and before the end.
#[cfg(any(feature = "futures-io", feature = "tokio"))]
pub struct AwaitedPieces<'a> {
    left: Vec<&'a [u8]>,
    ready: bool,
}

#[cfg(any(feature = "futures-io", feature = "tokio"))]
impl<'a> AwaitedPieces<'a> {
    pub fn new(chunks: &[&'a [u8]]) -> Self {
        AwaitedPieces { left: Pieces::new(chunks).left, ready: false }
    }

    /// The piece at hand, if it is its turn.
    fn poll_piece(&mut self, context: &Context<'_>) -> Poll<io::Result<&'a [u8]>> {
        self.ready = !self.ready;
        if self.ready {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Ok(self.left.last().copied().unwrap_or_default()))
    }

    fn take(&mut self, amount: usize) {
        if let Some(piece) = self.left.last_mut() {
            *piece = &piece[amount..];
            if piece.is_empty() {
                self.left.pop();
            }
        }
    }
}

#[cfg(feature = "futures-io")]
impl futures_io::AsyncRead for AwaitedPieces<'_> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut piece = std::task::ready!(self.poll_piece(context))?;
        let count = piece.read(buffer)?;
        self.take(count);
        Poll::Ready(Ok(count))
    }
}

/// It has to be awaited only when what was shown is consumed, as the trait has it.
#[cfg(feature = "futures-io")]
impl futures_io::AsyncBufRead for AwaitedPieces<'_> {
    fn poll_fill_buf(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        if !this.ready {
            std::task::ready!(this.poll_piece(context))?;
        }
        Poll::Ready(Ok(this.left.last().copied().unwrap_or_default()))
    }

    fn consume(mut self: Pin<&mut Self>, amount: usize) {
        let left = self.left.len();
        self.take(amount);
        self.ready = self.left.len() == left;
    }
}

#[cfg(feature = "tokio")]
impl tokio::io::AsyncRead for AwaitedPieces<'_> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut tokio::io::ReadBuf<'_>) -> Poll<io::Result<()>> {
        let piece = std::task::ready!(self.poll_piece(context))?;
        let count = piece.len().min(buffer.remaining());
        buffer.put_slice(&piece[..count]);
        self.take(count);
        Poll::Ready(Ok(()))
    }
}

pub fn owned(lexeme: Lexeme<'_>) -> Event {
    assert!(!matches!(lexeme.kind, Kind::Open | Kind::Close) || lexeme.bytes.len() == 1, "{lexeme:?}");
    Event::Lexeme { kind: lexeme.kind, value: lexeme.bytes.to_vec(), span: lexeme.span }
}
