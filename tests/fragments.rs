//! Atoms in fragments: the pieces make the value, whatever the cut, and take no memory to speak of.

mod harness;

use allocation_counter::measure;
use harness::{Event, Subject, all_cuts, cut, decode, rows};
use sexp_codec::nonblocking::{Decode, Decoder, Input};
use sexp_codec::{Fragment, Kind, Lexeme, Options, Span, Syntax, blocking};

/// Puts pieces together again, and checks that they say of themselves what is true.
#[derive(Default)]
struct Gather {
    events: Vec<Event>,
    /// What has been read of an atom.
    open: Option<(Kind, Vec<u8>, Span, Option<u64>)>,
    /// Atoms that came in pieces, and how many pieces.
    cut: Vec<usize>,
    most: usize,
}

impl Gather {
    fn new(options: Options) -> Gather {
        Gather { most: options.fragments.expect("fragments"), ..Gather::default() }
    }

    fn take_all(&mut self, input: &mut Input<'_>) {
        loop {
            match input.decode() {
                Decode::Lexeme(lexeme) => self.lexeme(lexeme),
                Decode::Fragment(fragment) => self.fragment(fragment),
                Decode::Error(error) => self.error(error),
                Decode::Await => return,
                Decode::End => {
                    assert!(self.open.is_none(), "the end between two pieces");
                    return self.events.push(Event::End);
                }
            }
        }
    }

    fn lexeme(&mut self, lexeme: Lexeme<'_>) {
        assert!(self.open.is_none(), "{lexeme:?} between two pieces");
        self.events.push(harness::drivers::owned(lexeme));
    }

    /// After an error no further piece of its atom comes.
    fn error(&mut self, error: sexp_codec::Error) {
        self.open = None;
        self.events.push(Event::Error(error));
    }

    fn fragment(&mut self, fragment: Fragment<'_>) {
        let Fragment { kind, bytes, first, last, total, span } = fragment;
        assert_eq!(first, self.open.is_none(), "{fragment:?} says whether it is the first");
        if first {
            self.open = Some((kind, Vec::new(), span, total));
            self.cut.push(0);
        }
        *self.cut.last_mut().unwrap() += 1;
        let (open_kind, value, open_span, open_total) = self.open.as_mut().unwrap();
        assert_eq!((kind, span.start, total), (*open_kind, open_span.start, *open_total), "the same in all pieces");
        assert!(span.end >= open_span.end, "the span grows");
        *open_span = span;
        value.extend_from_slice(bytes);
        if last {
            let (kind, value, span, total) = self.open.take().unwrap();
            assert!(value.len() > self.most, "an atom of {} bytes comes whole", value.len());
            assert!(total.is_none_or(|total| total == value.len() as u64), "the length is that which was announced");
            self.events.push(Event::Lexeme { kind, value, span });
        }
    }
}

fn check_fragments(subject: Subject, options: Options, input: &[u8], cuts: &[usize], expected: &[Event]) {
    let mut decoder = Decoder::with_options(subject.syntax, options);
    let mut gather = Gather::new(options);
    for chunk in cut(input, cuts) {
        gather.take_all(&mut decoder.feed(chunk));
        gather.take_all(&mut decoder.feed(&[]));
    }
    gather.take_all(&mut decoder.finish());
    assert!(
        gather.events == expected,
        "{subject:?}, {options:?}, cuts {cuts:?}: {}\n  naive: {}\n  fast:  {}",
        input.escape_ascii(),
        rows::show(expected),
        rows::show(&gather.events)
    );
}

#[test]
fn pieces_make_the_same_events_over_all_cuts() {
    for row in rows::all() {
        for &(subject, options) in &row.subjects {
            let expected = decode(subject.rules, options, &row.input);
            for most in [0, 1, 3] {
                for cuts in all_cuts(row.input.len()) {
                    check_fragments(subject, options.fragments(most), &row.input, &cuts, &expected);
                }
            }
        }
    }
}

#[test]
fn the_blocking_decoder_gives_fragments() {
    for row in rows::all() {
        for &(subject, options) in &row.subjects {
            let options = options.fragments(2);
            let expected = decode(subject.rules, options, &row.input);
            for capacity in [1, 2, 3, 7, 64] {
                let mut decoder = blocking::Decoder::from_read_with(&row.input[..], capacity, subject.syntax, options);
                let mut gather = Gather::new(options);
                loop {
                    match decoder.next().unwrap() {
                        blocking::Item::Lexeme(lexeme) => gather.lexeme(lexeme),
                        blocking::Item::Fragment(fragment) => gather.fragment(fragment),
                        blocking::Item::Error(error) => gather.error(error),
                        blocking::Item::End => break,
                    }
                }
                gather.events.push(Event::End);
                assert!(gather.events == expected, "{}: {}", row.place, rows::show(&gather.events));
            }
        }
    }
}

#[test]
fn a_counted_atom_announces_its_length_with_the_first_piece() {
    for syntax in [&Syntax::CANONICAL, &Syntax::CSEXP, &Syntax::TRANSPORT, &Syntax::ADVANCED] {
        let mut decoder = Decoder::with_options(syntax, Options::default().fragments(4));
        let mut input = decoder.feed(b"1000000:abcdefgh");
        let Decode::Fragment(piece) = input.decode() else { panic!("no piece") };
        assert_eq!((piece.first, piece.last, piece.total, piece.bytes), (true, false, Some(1_000_000), &b"abcdefgh"[..]));
        assert_eq!(piece.span, Span { start: 0, end: 16 });
        assert_eq!(input.position(), 16);
    }
}

#[test]
fn an_atom_that_is_not_cut_comes_whole() {
    for (syntax, input) in [(&Syntax::SEXPLIB, &b"(abcdefgh \"abcdefgh\") "[..]), (&Syntax::CANONICAL, b"(8:abcdefgh)")] {
        let mut decoder = Decoder::with_options(syntax, Options::default().fragments(4));
        let mut gather = Gather::new(Options::default().fragments(4));
        gather.take_all(&mut decoder.feed(input));
        assert!(gather.cut.is_empty(), "{:?}", gather.cut);
    }
}

/// The pieces of an atom of 64 MiB are as large as the chunks they come in.
#[test]
fn memory_does_not_grow_with_the_atom() {
    const SIZE: usize = 64 << 20;
    let forms: [(&Syntax, String, &[u8], &[u8]); 8] = [
        (&Syntax::SE, String::new(), b"abcd", b" "),
        (&Syntax::SEXPLIB, "\"".into(), b"abcd", b"\""),
        (&Syntax::SEXPLIB, "\"".into(), b"ab\\n", b"\""),
        (&Syntax::SEXPLIB, "\"\\".into(), b"nab\\", b"n\""),
        (&Syntax::SEXPLIB, "\"\\0".into(), b"41\\0", b"41\""),
        (&Syntax::CANONICAL, format!("{SIZE}:"), b"abcd", b""),
        (&Syntax::ADVANCED, "#".into(), b"6162", b"#"),
        (&Syntax::ADVANCED, "|".into(), b"YWJj", b"|"),
    ];
    for (syntax, open, text, close) in forms {
        let chunk = text.repeat(1024);
        let mut decoder = Decoder::with_options(syntax, Options::default().fragments(1000));
        let mut count = |chunk: &[u8]| {
            let mut input = decoder.feed(chunk);
            loop {
                match input.decode() {
                    Decode::Fragment(piece) => assert!(piece.bytes.len() <= 2 * 4096, "a piece of {} bytes", piece.bytes.len()),
                    Decode::Await => break,
                    Decode::Lexeme(lexeme) => panic!("an atom of {} bytes comes whole", lexeme.bytes.len()),
                    other => panic!("{other:?}"),
                }
            }
        };
        let info = measure(|| {
            count(open.as_bytes());
            (0..SIZE / chunk.len()).for_each(|_| count(&chunk));
            count(close);
        });
        assert!(info.bytes_max < 40_000, "{syntax:?}: {info:?}");
    }
}
