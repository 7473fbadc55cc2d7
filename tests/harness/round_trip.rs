//! What a syntax carries, and what that reads back as.

use super::{Event, Subject, decode};
use sexp_codec::nonblocking::{Encode, Encoder};
use sexp_codec::{EncodeError, EncodeOptions, Kind, Layout, Lexeme, Options};

/// A lexeme: its kind and its bytes.
pub type Owned = (Kind, Vec<u8>);

/// Writes lexemes, and leaves out those that are refused, which come back with what they were refused for. Each window is filled.
pub fn write(subject: Subject, options: EncodeOptions, lexemes: &[Owned], sizes: &[usize]) -> (Vec<u8>, Vec<(usize, EncodeError)>) {
    let mut encoder = Encoder::with_options(subject.syntax, options);
    let (mut text, mut refused) = (Vec::new(), Vec::new());
    let mut sizes = sizes.iter().cycle();
    let mut window = vec![0; *sizes.next().unwrap()];
    let mut output = encoder.window(&mut window);
    for (i, (kind, bytes)) in lexemes.iter().enumerate() {
        loop {
            let before = output.written();
            match output.encode(Lexeme::new(*kind, bytes)) {
                Encode::Ok => break,
                Encode::Error(error) => {
                    assert_eq!(output.written(), before, "{error:?} has written something");
                    refused.push((i, error));
                    break;
                }
                Encode::Partial => {
                    assert_eq!(output.remaining(), 0, "a window is filled to its last byte");
                    text.extend_from_slice(output.bytes());
                    window = vec![0; *sizes.next().unwrap()];
                    output = encoder.window(&mut window);
                }
            }
        }
    }
    text.extend_from_slice(output.bytes());
    assert_eq!(output.finish(), Encode::Ok, "all lists were closed");
    (text, refused)
}

/// What the naive decoder reads: kinds and values, and no error.
pub fn read(subject: Subject, text: &[u8]) -> Vec<Owned> {
    let events = decode(subject.rules, Options::default().comments(true), text);
    let lexeme = |event: &Event| match event {
        Event::Lexeme { kind, value, .. } => Some((*kind, value.clone())),
        Event::End => None,
        Event::Error(error) => panic!("{subject:?}: {error} in {}", text.escape_ascii()),
    };
    events.iter().filter_map(lexeme).collect()
}

/// Whether the syntax can carry a lexeme at a depth, perhaps after a hint, in a layout.
pub fn carries(subject: Subject, layout: Layout, (kind, bytes): &Owned, depth: usize, hinted: bool) -> bool {
    match kind {
        Kind::Open => !hinted,
        Kind::Close => !hinted && depth > 0,
        Kind::Hint => subject.rules.hints && !hinted,
        Kind::Comment => {
            let events = decode(subject.rules, Options::default().comments(true), bytes);
            let line = bytes.first() == Some(&b';');
            let broken = layout == Layout::Lines && (bytes.contains(&b'\n') || line && depth > 0);
            matches!(&events[..], [Event::Lexeme { kind: Kind::Comment, value, .. }, Event::End] if value == bytes) && !broken
        }
        Kind::Char | Kind::Prefix => false,
        _ if subject.name == "se" => !bytes.is_empty() && bytes.iter().all(|byte| (subject.rules.bare)(*byte)),
        _ => true,
    }
}

/// What an atom reads back as. A kind is kept where the syntax has it and the atom can be written so.
pub fn kind_read(subject: Subject, (kind, bytes): &Owned) -> Vec<Kind> {
    let plain = !bytes.is_empty()
        && bytes.iter().all(|byte| (0x21..0x7f).contains(byte) && *byte != b'\\' && (subject.rules.bare)(*byte))
        && !bytes.windows(2).any(|pair| pair == b"#|" || pair == b"|#");
    match (subject.name, kind) {
        ("se", Kind::Bare | Kind::String | Kind::Symbol | Kind::Octets) => vec![Kind::Bare],
        ("sexplib", Kind::Bare) if plain => vec![Kind::Bare],
        ("sexplib", Kind::Bare | Kind::String) => vec![Kind::String],
        ("advanced", Kind::Bare) if plain && !bytes[0].is_ascii_digit() => vec![Kind::Bare],
        ("advanced", Kind::Bare | Kind::String) => vec![Kind::String],
        ("advanced", Kind::Octets) => vec![Kind::Octets],
        ("sexplib" | "advanced", Kind::Symbol | Kind::Octets) => vec![Kind::Bare, Kind::String],
        (_, Kind::Bare | Kind::String | Kind::Symbol | Kind::Octets) => vec![Kind::Octets],
        (_, kind) => vec![*kind],
    }
}
