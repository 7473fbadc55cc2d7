//! Atoms in fragments: the pieces make the value, whatever the cut, and take no memory to speak of.

mod harness;

use allocation_counter::measure;
use harness::gather::{Gather, check_fragments};
use harness::{Event, all_cuts, decode, rows};
use sexp_codec::nonblocking::{Decode, Decoder};
use sexp_codec::{Options, Span, Syntax, blocking};

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
