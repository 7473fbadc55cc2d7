//! What every test of framed streams goes through: the same events whatever the cuts, and those of a naive deframer that sees all at once.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod naive;

use bytes::BytesMut;
use sexp_codec::forms::{self, Forms};
use sexp_codec::framing::{Decode, Decoder, Deframe, Deframer, Error, ErrorKind, Frame, Frames, Framing};
use sexp_codec::{Kind, Options, Span, Syntax, nonblocking};

/// What a deframer says, pieces of payload put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Payload(Vec<u8>),
    Octets(Vec<u8>),
    Line(Vec<u8>),
    EndOfFrame,
    Error(Error),
    End,
}

/// What a decoder says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Lexeme(Kind, Vec<u8>, Span),
    Octets(Vec<u8>),
    Line(Vec<u8>),
    EndOfFrame,
    Error(Error),
    End,
}

/// Adds a piece; those of one payload become one.
pub fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), piece) {
        (Some(Piece::Payload(last)), Piece::Payload(more)) | (Some(Piece::Octets(last)), Piece::Octets(more)) => last.extend(more),
        (_, piece) => pieces.push(piece),
    }
}

fn pieces_of(deframer: &mut Deframer, chunk: Option<&[u8]>, pieces: &mut Vec<Piece>) {
    let mut input = match chunk {
        Some(chunk) => deframer.feed(chunk),
        None => deframer.finish(),
    };
    loop {
        push(
            pieces,
            match input.deframe() {
                Deframe::Payload(bytes) => Piece::Payload(bytes.to_vec()),
                Deframe::Octets(bytes) => Piece::Octets(bytes.to_vec()),
                Deframe::Line(bytes) => Piece::Line(bytes.to_vec()),
                Deframe::EndOfFrame => Piece::EndOfFrame,
                Deframe::Error(error) => Piece::Error(error),
                Deframe::End => Piece::End,
                Deframe::Await => return assert!(input.remaining().is_empty()),
            },
        );
        if pieces.last() == Some(&Piece::End) {
            return;
        }
    }
}

/// All that a deframer says of these chunks.
pub fn deframe(framing: &Framing, options: Options, chunks: &[&[u8]]) -> Vec<Piece> {
    let mut deframer = Deframer::with_options(framing, options);
    let mut pieces = Vec::new();
    for chunk in chunks {
        pieces_of(&mut deframer, Some(chunk), &mut pieces);
    }
    pieces_of(&mut deframer, None, &mut pieces);
    pieces
}

/// The events up to the end of the chunk; whether it was the end. Where `stop` says so, the client leaves the chunk and feeds the rest of it.
pub fn events_of(decoder: &mut Decoder, chunk: Option<&[u8]>, stop: usize, events: &mut Vec<Event>) -> bool {
    let mut at = 0;
    let mut steps = 0;
    loop {
        let mut input = match chunk {
            Some(chunk) => decoder.feed(&chunk[at..]),
            None => decoder.finish(),
        };
        loop {
            let event = match input.decode() {
                Decode::Lexeme(lexeme) => Event::Lexeme(lexeme.kind, lexeme.bytes.to_vec(), lexeme.span),
                Decode::Octets(more) => {
                    if let Some(Event::Octets(bytes)) = events.last_mut() {
                        bytes.extend_from_slice(more);
                        continue;
                    }
                    Event::Octets(more.to_vec())
                }
                Decode::Line(line) => Event::Line(line.to_vec()),
                Decode::EndOfFrame => Event::EndOfFrame,
                Decode::Error(error) => Event::Error(error),
                Decode::Fragment(_) => panic!("nobody asked for it"),
                Decode::Await => return false,
                Decode::End => {
                    events.push(Event::End);
                    return true;
                }
            };
            events.push(event);
            steps += 1;
            if stop > 0 && steps % stop == 0 && chunk.is_some() {
                break;
            }
        }
        let (left, consumed) = (input.remaining().len(), input.position());
        at = chunk.map_or(0, |chunk| chunk.len() - left);
        assert_eq!(decoder.position(), consumed);
    }
}

/// All that a decoder says of these chunks.
pub fn decode(framing: &Framing, syntax: &'static Syntax, options: Options, chunks: &[&[u8]], stop: usize) -> Vec<Event> {
    let mut decoder = Decoder::with_options(framing, syntax, options);
    let mut events = Vec::new();
    for chunk in chunks {
        events_of(&mut decoder, Some(chunk), stop, &mut events);
    }
    assert_eq!(decoder.position(), chunks.iter().map(|chunk| chunk.len() as u64).sum::<u64>());
    assert!(events_of(&mut decoder, None, 0, &mut events));
    events
}

/// The whole frames.
pub fn frames(framing: &Framing, options: Options, chunks: &[&[u8]]) -> Vec<Result<Frame, Error>> {
    let (mut frames, mut buffer, mut all) = (Frames::with_options(framing, options), BytesMut::new(), Vec::new());
    for chunk in chunks {
        buffer.extend_from_slice(chunk);
        while let Some(frame) = frames.next(&mut buffer).transpose() {
            all.push(frame);
        }
    }
    while let Some(frame) = frames.finish(&mut buffer).transpose() {
        all.push(frame);
    }
    assert!(buffer.is_empty(), "{buffer:?} is left");
    all
}

/// The whole forms.
pub fn forms(syntax: &'static Syntax, options: Options, chunks: &[&[u8]]) -> Vec<Result<(Vec<u8>, Span), forms::Error>> {
    let (mut forms, mut buffer, mut all) = (Forms::with_options(syntax, options), BytesMut::new(), Vec::new());
    for chunk in chunks {
        buffer.extend_from_slice(chunk);
        while let Some(form) = forms.next(&mut buffer).transpose() {
            all.push(form.map(|form| (form.bytes.to_vec(), form.span)));
        }
    }
    while let Some(form) = forms.finish(&mut buffer).transpose() {
        all.push(form.map(|form| (form.bytes.to_vec(), form.span)));
    }
    all
}

/// Checks one way to cut a stream: the deframer and the frames against the naive deframer, the decoder against itself.
pub fn check_cuts(framing: &Framing, syntax: &'static Syntax, options: Options, input: &[u8], cuts: &[usize]) {
    let chunks = cut(input, cuts);
    let expected = naive::deframe(framing, options, input);
    let context = || format!("{framing:?} {:?} cut at {cuts:?}: {}", options.frame, input.escape_ascii());
    assert_eq!(deframe(framing, options, &chunks), expected, "{}", context());
    if framing.name() != "forms" {
        assert_eq!(frames(framing, options, &chunks), whole(&expected), "frames: {}", context());
    }
    let events = decode(framing, syntax, options, &[input], 0);
    if framing.name() != "forms" {
        assert_eq!(without_offsets(events.clone()), of_pieces(&expected, syntax, options), "{}", context());
    }
    for stop in [0, 1, 3] {
        assert_eq!(decode(framing, syntax, options, &chunks, stop), events, "stop {stop}: {}", context());
    }
}

/// Checks all ways to cut a stream that are tried. Gives the events.
pub fn check(framing: &Framing, syntax: &'static Syntax, options: Options, input: &[u8]) -> Vec<Event> {
    for cuts in all_cuts(input.len()) {
        check_cuts(framing, syntax, options, input, &cuts);
    }
    check_prompt(framing, syntax, options, input);
    decode(framing, syntax, options, &[input], 0)
}

/// Checks that what a prefix of the stream completes is delivered with it: byte by byte nothing comes later than in one chunk.
pub fn check_prompt(framing: &Framing, syntax: &'static Syntax, options: Options, input: &[u8]) {
    let mut decoder = Decoder::with_options(framing, syntax, options);
    let mut events = Vec::new();
    for len in 1..=input.len() {
        events_of(&mut decoder, Some(&input[len - 1..len]), 0, &mut events);
        let mut once = Vec::new();
        events_of(&mut Decoder::with_options(framing, syntax, options), Some(&input[..len]), 0, &mut once);
        assert_eq!(events, once, "{framing:?} {}", input[..len].escape_ascii());
    }
}

/// What a decoder has to say of these pieces, but for the offsets of faults in the payload.
fn of_pieces(pieces: &[Piece], syntax: &'static Syntax, options: Options) -> Vec<Event> {
    let mut decoder = nonblocking::Decoder::with_options(syntax, options);
    let mut events = Vec::new();
    let mut octets = false;
    for piece in pieces {
        match piece {
            Piece::Payload(bytes) => payload(decoder.feed(bytes), ErrorKind::Payload, &mut events),
            Piece::Octets(bytes) => {
                octets = true;
                events.push(Event::Octets(bytes.clone()));
            }
            Piece::Line(line) => events.push(Event::Line(line.clone())),
            Piece::EndOfFrame => {
                if !std::mem::take(&mut octets) {
                    payload(decoder.finish(), ErrorKind::InForm, &mut events);
                }
                decoder.reset();
                events.push(Event::EndOfFrame);
            }
            Piece::Error(error) => {
                decoder.reset();
                octets = false;
                events.push(Event::Error(*error));
            }
            Piece::End => events.push(Event::End),
        }
    }
    events
}

fn payload(mut input: nonblocking::Input<'_, '_>, kind: fn(sexp_codec::ErrorKind) -> ErrorKind, events: &mut Vec<Event>) {
    loop {
        match input.decode() {
            nonblocking::Decode::Lexeme(lexeme) => events.push(Event::Lexeme(lexeme.kind, lexeme.bytes.to_vec(), lexeme.span)),
            nonblocking::Decode::Error(error) => {
                let sexp_codec::Error { position, opened, .. } = error;
                events.push(Event::Error(Error { kind: kind(error.kind), offset: 0, payload: Some(position), opened }));
            }
            nonblocking::Decode::Await | nonblocking::Decode::End => return,
            nonblocking::Decode::Fragment(_) => panic!("nobody asked for it"),
        }
    }
}

fn without_offsets(mut events: Vec<Event>) -> Vec<Event> {
    for event in &mut events {
        if let Event::Error(Error { offset, payload: Some(_), .. }) = event {
            *offset = 0;
        }
    }
    events
}

/// Frames and faults, of what a deframer says.
fn whole(pieces: &[Piece]) -> Vec<Result<Frame, Error>> {
    let (mut all, mut payload) = (Vec::new(), Frame::Payload(Default::default()));
    let mut bytes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Payload(more) => bytes.extend_from_slice(more),
            Piece::Octets(more) => {
                bytes.extend_from_slice(more);
                payload = Frame::Octets(Default::default());
            }
            Piece::Line(line) => all.push(Ok(Frame::Line(line.clone().into()))),
            Piece::EndOfFrame => {
                let bytes = std::mem::take(&mut bytes).into();
                all.push(Ok(match std::mem::replace(&mut payload, Frame::Payload(Default::default())) {
                    Frame::Octets(_) => Frame::Octets(bytes),
                    _ => Frame::Payload(bytes),
                }));
            }
            Piece::Error(error) => {
                bytes.clear();
                payload = Frame::Payload(Default::default());
                all.push(Err(*error));
            }
            Piece::End => {}
        }
    }
    all
}

/// Not at all, chunks of some sizes, each cut in two, and for short ones each in three.
pub fn all_cuts(len: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    all.extend([1, 2, 3, 7, 64].iter().filter(|size| **size < len).map(|size| (*size..len).step_by(*size).collect()));
    all.extend((0..=len).map(|first| vec![first]));
    if len <= 32 {
        all.extend((1..len).flat_map(|first| (first..len).map(move |second| vec![first, second])));
    }
    all
}

/// The pieces of a stream. A cut at the ends or twice at the same place makes an empty piece.
pub fn cut<'a>(input: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([input.len()]);
    starts.zip(ends).map(|(start, end)| &input[start..end]).collect()
}
