//! Inputs on which readers and writers of s-expressions failed, under their numbers: those that a row cannot tell. The others are in
//! `data/cases.rows`; those about cost, depth and memory in `linear.rs` and `hostile.rs`.

mod harness;

use harness::{Event, Subject, check, decode, drivers};
use sexp_codec::nonblocking::{Decode, Decoder};
use sexp_codec::{Error, ErrorKind, Kind, Lexeme, Options, Position, Syntax, blocking};

const TEXT: [&Syntax; 3] = [&Syntax::SE, &Syntax::SEXPLIB, &Syntax::ADVANCED];

fn lexeme<'a>(decode: Decode<'a>) -> Lexeme<'a> {
    match decode {
        Decode::Lexeme(lexeme) => lexeme,
        other => panic!("{other:?} is no lexeme"),
    }
}

fn error(decode: Decode<'_>) -> Error {
    match decode {
        Decode::Error(error) => error,
        other => panic!("{other:?} is no error"),
    }
}

/// Line and column of the last lexeme, when the pieces are fed one by one.
fn place_of_last(syntax: &'static Syntax, pieces: &[&[u8]]) -> (u64, u64) {
    let mut decoder = Decoder::new(syntax);
    let mut last = None;
    for piece in pieces.iter().chain([&&b" "[..]]) {
        let mut input = decoder.feed(piece);
        while let Decode::Lexeme(Lexeme { span, .. }) = input.decode() {
            last = Some(input.location(span.start));
        }
    }
    let Position { line, column, .. } = last.expect("a lexeme");
    (line, column)
}

/// All ways to cut a text in two.
fn halves(text: &[u8]) -> impl Iterator<Item = [&[u8]; 2]> {
    (0..=text.len()).map(|cut| [&text[..cut], &text[cut..]])
}

#[test]
fn d09_a_line_end_that_is_cut_counts_once() {
    for syntax in TEXT {
        assert!(halves(b"a\r\nb").all(|pieces| place_of_last(syntax, &pieces) == (2, 1)));
        assert!(halves(b"a\r\n\r\n b").all(|pieces| place_of_last(syntax, &pieces) == (3, 2)));
    }
    assert!(halves(b"a ;c\r\nb").all(|pieces| place_of_last(&Syntax::SEXPLIB, &pieces) == (2, 1)));
}

/// Lines end with LF only, so the CR is a byte of the line like any other.
#[test]
fn d10_a_carriage_return_alone_ends_no_line() {
    for syntax in [&Syntax::SE, &Syntax::ADVANCED] {
        assert!(halves(b"\rx").all(|pieces| place_of_last(syntax, &pieces) == (1, 2)));
        assert!(halves(b"\rx\ny").all(|pieces| place_of_last(syntax, &pieces) == (2, 1)));
    }
}

#[test]
fn d11_an_empty_chunk_is_not_the_end() {
    // In WebAssembly's text a parenthesis shows what it is by the byte after it.
    for subject in Subject::all().into_iter().filter(|subject| subject.name != "wat") {
        let mut decoder = Decoder::new(subject.syntax);
        for _ in 0..3 {
            assert!(matches!(decoder.feed(b"").decode(), Decode::Await));
        }
        assert_eq!(lexeme(decoder.feed(b"(").decode()).kind, Kind::Open);
        for _ in 0..3 {
            assert!(matches!(decoder.feed(b"").decode(), Decode::Await));
        }
        assert_eq!(lexeme(decoder.feed(b")").decode()).kind, Kind::Close);
        assert!(matches!(decoder.finish().decode(), Decode::End));
    }
}

#[test]
fn d13_d22_the_end_stays_the_end() {
    for subject in Subject::all() {
        for input in [&b"(a \xc3"[..], b"0\n1x!\ntru", b"", b"(", b"(5:hel", b"\"a", b"#|", b"#;", b"[", b"{KDE"] {
            let mut decoder = Decoder::new(subject.syntax);
            drivers::pull_chunk(&mut decoder, input, 0, &mut Vec::new());
            let mut calls = 0;
            while !matches!(decoder.finish().decode(), Decode::End) {
                calls += 1;
                assert!(calls < 10, "{subject:?}: {}", input.escape_ascii());
            }
            for _ in 0..5 {
                assert!(matches!(decoder.finish().decode(), Decode::End));
                assert!(matches!(decoder.feed(b"(").decode(), Decode::End), "nothing comes after the end");
            }
        }
    }
}

#[test]
fn d28_what_follows_the_lexeme_is_not_read() {
    for syntax in TEXT {
        let mut decoder = Decoder::new(syntax);
        let mut input = decoder.feed(b"one (two)");
        assert_eq!(lexeme(input.decode()), Lexeme::bare(b"one"));
        assert_eq!(input.position(), 3);
        assert_eq!(input.remaining(), b" (two)");

        let mut decoder = blocking::Decoder::new(&b"one (two)"[..], syntax);
        assert_eq!(decoder.decode().unwrap(), Some(Lexeme::bare(b"one")));
        assert_eq!(decoder.position(), 3);
        assert_eq!(decoder.into_inner(), b" (two)");
    }
}

/// The same for every lexeme of every syntax, of a reader too.
#[test]
fn d28_exactly_what_was_decoded_is_consumed() {
    let inputs: [(&Syntax, &[u8]); 4] = [
        (&Syntax::SEXPLIB, b"(a \"b\\n\" #;x c)rest of it, long enough to be looked at ahead of time (((("),
        (&Syntax::CANONICAL, b"(1:a[1:h]1:b)rest"),
        (&Syntax::TRANSPORT, b"(1:a[1:h]1:b)rest"),
        (&Syntax::ADVANCED, b"(a \"b\" #61# |YQ==| [h]c 2:xy)rest of it, long enough to be looked at ahead of time (((("),
    ];
    for (syntax, text) in inputs {
        let events = decode(harness::naive::rules::named(syntax.name()), Options::default(), text);
        let count = events.iter().take_while(|event| matches!(event, Event::Lexeme { .. })).count();
        for stop in 1..=count {
            let mut decoder = Decoder::new(syntax);
            let mut input = decoder.feed(text);
            let end = (0..stop).map(|_| lexeme(input.decode()).span.end).last().unwrap() as usize;
            assert_eq!(input.remaining(), &text[end..], "{syntax:?} after {stop} lexemes");
            let mut decoder = blocking::Decoder::new(text, syntax);
            (0..stop).for_each(|_| assert!(decoder.decode().unwrap().is_some()));
            assert_eq!(decoder.into_inner(), &text[end..], "{syntax:?} after {stop} lexemes");
        }
    }
}

#[test]
fn d106_a_byte_order_mark_has_no_column() {
    for syntax in [&Syntax::SEXPLIB, &Syntax::ADVANCED] {
        let text = b"\xef\xbb\xbf(a)";
        assert!(halves(text).all(|pieces| place_of_last(syntax, &pieces) == (1, 3)), "the ) is the third column");
        let mut decoder = Decoder::new(syntax);
        let fault = error(decoder.feed(b"\xef\xbb\xbf)").decode());
        assert_eq!((fault.position.offset, fault.position.line, fault.position.column), (3, 1, 1));
    }
}

#[test]
fn d113_nothing_of_a_fault_survives_a_reset() {
    for subject in Subject::all().into_iter().filter(|subject| subject.name != "wat") {
        for junk in
            [&b"((("[..], b"(a \"\\q", b"(5:hel", b"#| \"", b"#; (", b"[1:a", b"{KDE6", b"\xef\xbb", b"12", b"a#", b"\r", b"#6", b"|Y"]
        {
            for options in [Options::default(), Options::default().comments(true), Options::default().limit_depth(1).single(true)] {
                let mut decoder = Decoder::with_options(subject.syntax, options);
                drivers::pull_chunk(&mut decoder, junk, 0, &mut Vec::new());
                decoder.reset();
                assert_eq!((decoder.position(), decoder.depth()), (0, 0));
                let mut events = Vec::new();
                drivers::pull_chunk(&mut decoder, b"()", 0, &mut events);
                let mut fresh = Vec::new();
                drivers::pull_chunk(&mut Decoder::with_options(subject.syntax, options), b"()", 0, &mut fresh);
                assert_eq!(events, fresh, "{subject:?} after {}", junk.escape_ascii());
                assert!(matches!(decoder.finish().decode(), Decode::End));
                decoder.reset();
                assert_eq!(lexeme(decoder.feed(b"(").decode()).span.start, 0);
            }
        }
    }
}

/// What the levels of dropped data wanted is forgotten too, however deep they were.
#[test]
fn d113_deep_data_that_were_dropped_leave_nothing_behind() {
    let mut decoder = Decoder::new(&Syntax::SEXPLIB);
    for depth in [1, 63, 64, 65, 100, 1000] {
        drivers::pull_chunk(&mut decoder, &[b"#;", &b"(#;".repeat(depth)[..]].concat(), 0, &mut Vec::new());
        decoder.reset();
        let input = [b"#;", &b"(#;".repeat(depth)[..], &b"a)".repeat(depth), b"(b)"].concat();
        let mut events = Vec::new();
        drivers::pull_chunk(&mut decoder, &input, 0, &mut events);
        assert_eq!(events, decode(Subject::named("sexplib").rules, Options::default(), &input)[..3]);
        decoder.reset();
        // The same where the input ended there.
        drivers::pull_chunk(&mut decoder, &b"#;(".repeat(depth), 0, &mut Vec::new());
        drivers::finish(&mut decoder, &mut Vec::new());
        decoder.reset();
    }
}

#[test]
fn d118_places_count_from_the_input_not_from_the_buffer() {
    for syntax in TEXT {
        let buffer = b"zz(a";
        let mut decoder = Decoder::new(syntax);
        let mut input = decoder.feed(&buffer[2..4]);
        assert_eq!(lexeme(input.decode()).span.start, 0);
        assert!(matches!(input.decode(), Decode::Await));
        let mut input = decoder.feed(b"b)");
        let atom = lexeme(input.decode());
        assert_eq!((atom.bytes, atom.span.start, atom.span.end), (&b"ab"[..], 1, 3));
    }
}

#[test]
fn d82_d119_lines_and_columns_are_of_bytes() {
    assert!(halves("(é x".as_bytes()).all(|pieces| place_of_last(&Syntax::SEXPLIB, &pieces) == (1, 5)));
    assert!(halves(b"(a \"x\ny\" b").all(|pieces| place_of_last(&Syntax::SEXPLIB, &pieces) == (2, 4)));
}

#[test]
fn d131_a_long_form_in_parts_is_one_form() {
    let form = [&b"("[..], &b"(key \"value\") ".repeat(7_200), b")"].concat();
    assert!(form.len() > 100_000);
    let mut decoder = Decoder::with_options(&Syntax::SEXPLIB, Options::default().single(true));
    let mut events = Vec::new();
    for (i, chunk) in form.chunks(4096).enumerate() {
        drivers::pull_chunk(&mut decoder, chunk, i as u64 * 4096, &mut events);
    }
    assert!(events.iter().all(|event| matches!(event, Event::Lexeme { .. })), "no error before it is whole");
    assert_eq!(decoder.depth(), 0);
    assert!(matches!(decoder.finish().decode(), Decode::End));
}

/// A copy of the decoder goes its own way.
#[test]
fn a_clone_is_a_checkpoint() {
    for subject in Subject::all() {
        for text in [&b"(a \"b\\n c\" #;(x y) d)"[..], b"([1:a]3:abc(5:hello))", b"{KDE6YSk=}", b"(#6 16 2# |YW Jj|)"] {
            let expected = decode(subject.rules, Options::default(), text);
            for cut in 0..=text.len() {
                let mut decoder = Decoder::new(subject.syntax);
                let mut events = Vec::new();
                drivers::pull_chunk(&mut decoder, &text[..cut], 0, &mut events);
                let checkpoint = (decoder.clone(), events.clone());
                // What is done to the one does not matter to the other.
                drivers::pull_chunk(&mut decoder, b")\"|#;", cut as u64, &mut events.clone());
                let (mut decoder, mut events) = checkpoint;
                drivers::pull_chunk(&mut decoder, &text[cut..], cut as u64, &mut events);
                drivers::finish(&mut decoder, &mut events);
                assert_eq!(events, expected, "{subject:?}: {} cut at {cut}", text.escape_ascii());
            }
        }
    }
}

#[test]
fn an_error_says_where_it_is_and_where_it_was_opened() {
    let mut input = blocking::Decoder::new(&b"(a\n  \"bc"[..], &Syntax::SEXPLIB);
    let faults: Vec<String> = std::iter::from_fn(|| match input.decode() {
        Ok(Some(_)) => Some(None),
        Err(error) => Some(Some(error.to_string())),
        Ok(None) => None,
    })
    .flatten()
    .collect();
    assert_eq!(faults, ["2:6: the string does not end (opened at 2:3)", "2:6: the list is not closed (opened at 1:1)"]);
}

/// For the outermost 32 lists the place is remembered, wherever the input is cut.
#[test]
fn the_place_of_the_innermost_list_is_remembered_up_to_32() {
    for depth in [1, 2, 31, 32, 33, 40] {
        let text = b"(\n".repeat(depth);
        let events = check(Subject::named("se"), Options::default(), &text);
        let Some(Event::Error(error)) = events.iter().rev().nth(1) else { panic!("no error") };
        let line = depth.min(32) as u64;
        assert_eq!(error.kind, ErrorKind::UnclosedList(depth as u64));
        assert_eq!(error.opened, Some(Position { offset: 2 * (line - 1), line, column: 1 }));
    }
}
