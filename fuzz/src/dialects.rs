//! Any bytes in any syntax: the cut does not matter, all text comes back, and what was read is written so that it reads the same.
//!
//! | byte of the data | |
//! |---|---|
//! | 0 | the syntax, by its number among all |
//! | 1 | where the input is cut |
//! | … | the input |

use sexp_codec::nonblocking::{Decode, Decoder, Input};
use sexp_codec::{EncodeOptions, Kind, Lexeme, Options, Syntax, blocking};

/// A lexeme with its place, or an error in words.
#[derive(Debug, PartialEq)]
enum Event {
    Lexeme(Kind, Vec<u8>, u64, u64),
    Error(String),
}

/// Checks what the data says.
pub fn check(data: &[u8]) {
    let Some((&[syntax, cut], input)) = data.split_first_chunk() else { return };
    let syntax = Syntax::ALL[usize::from(syntax) % Syntax::ALL.len()];
    let (one, other) = input.split_at(usize::from(cut) % (input.len() + 1));
    for options in [Options::default(), Options::default().comments(true), Options::default().verbatim(true)] {
        let whole = decode(syntax, options, [input].into_iter());
        assert_eq!(decode(syntax, options, [one, other].into_iter()), whole, "{} {options:?}", syntax.name());
        assert_eq!(decode(syntax, options, input.chunks(1)), whole, "{} {options:?}, byte by byte", syntax.name());
        if whole.iter().any(|event| matches!(event, Event::Error(_))) {
            continue;
        }
        if options.verbatim && syntax.name() != "transport" {
            let text: Vec<u8> =
                whole.iter().flat_map(|event| if let Event::Lexeme(_, text, ..) = event { &text[..] } else { &[] }).copied().collect();
            assert!(text == input, "{}: {}", syntax.name(), text.escape_ascii());
        }
        if options == Options::default() {
            write_again(syntax, &whole);
        }
    }
}

fn decode<'b>(syntax: &'static Syntax, options: Options, pieces: impl Iterator<Item = &'b [u8]>) -> Vec<Event> {
    let mut decoder = Decoder::with_options(syntax, options);
    let mut events = Vec::new();
    for piece in pieces {
        drain(&mut decoder.feed(piece), &mut events);
    }
    drain(&mut decoder.finish(), &mut events);
    events
}

fn drain(input: &mut Input<'_, '_>, events: &mut Vec<Event>) {
    loop {
        events.push(match input.decode() {
            Decode::Lexeme(lexeme) => Event::Lexeme(lexeme.kind, lexeme.bytes.to_vec(), lexeme.span.start, lexeme.span.end),
            Decode::Error(error) => Event::Error(format!("{error:?}")),
            Decode::Await | Decode::End => return,
            Decode::Fragment(_) => panic!("nobody asked for fragments"),
        });
    }
}

/// What cannot be written is refused; what is written reads the same, but for quotes where strings and bare atoms are one.
fn write_again(syntax: &'static Syntax, events: &[Event]) {
    let mut encoder = blocking::Encoder::with_capacity(Vec::new(), 64, syntax, EncodeOptions::default());
    for event in events {
        if let Event::Lexeme(kind, bytes, ..) = event
            && encoder.encode(Lexeme::new(*kind, bytes)).is_err()
        {
            return;
        }
    }
    if encoder.finish().is_err() {
        return;
    }
    let text = encoder.into_inner();
    let again = decode(syntax, Options::default(), [&text[..]].into_iter());
    let values = |events: &[Event]| -> Vec<_> {
        let value = |event: &Event| match event {
            Event::Lexeme(Kind::Open | Kind::Close, bytes, ..) => (true, bytes.clone()),
            // An atom that cannot be written bare may be written with escapes.
            Event::Lexeme(Kind::Escaped, bytes, ..) => {
                let mut name = Vec::new();
                syntax.unescape(bytes, &mut name);
                (false, name)
            }
            Event::Lexeme(_, bytes, ..) => (false, bytes.clone()),
            Event::Error(error) => (true, error.clone().into_bytes()),
        };
        events.iter().map(value).collect()
    };
    assert_eq!(values(&again), values(events), "{} written as {}", syntax.name(), text.escape_ascii());
}
