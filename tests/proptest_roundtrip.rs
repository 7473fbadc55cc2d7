//! Round trips: what was encoded reads back as the same lexemes, in each syntax and from each to each other; what a syntax cannot carry
//! is refused, and nothing else. It is read back by the naive decoder, so that the encoder and the decoder cannot err together.

mod harness;

use harness::round_trip::{Owned, carries, kind_read, read, write};
use harness::{Event, Subject, decode};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use sexp_codec::nonblocking::{Encode, Encoder};
use sexp_codec::{EncodeError, EncodeOptions, Fragment, Kind, Layout, Options, Span, blocking};

/// Follows what a syntax carries of a sequence: which lexemes are refused. The sequence is made whole at its end.
fn follow(subject: Subject, layout: Layout, lexemes: &mut Vec<Owned>) -> Vec<usize> {
    let (mut depth, mut hinted, mut refused) = (0, false, Vec::new());
    let mut i = 0;
    loop {
        if i == lexemes.len() {
            match (hinted, depth) {
                (true, _) => lexemes.push((Kind::Bare, b"end".to_vec())),
                (false, 0) => return refused,
                (false, _) => lexemes.push((Kind::Close, b")".to_vec())),
            }
        }
        let lexeme = &lexemes[i];
        if carries(subject, layout, lexeme, depth, hinted) {
            match lexeme.0 {
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                Kind::Hint => hinted = true,
                Kind::Comment => (),
                _ => hinted = false,
            }
        } else {
            refused.push(i);
        }
        i += 1;
    }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&[u8]> = vec![
        b"a",
        b"bc",
        b"x",
        b"1",
        b"12",
        b"(",
        b")",
        b"\"",
        b"\\",
        b"#",
        b"|",
        b"#|",
        b"|#",
        b"#;",
        b";",
        b"[",
        b"]",
        b"{",
        b"}",
        b":",
        b" ",
        b"\n",
        b"\r",
        b"\t",
        b"\0",
        b"\x7f",
        b"\xc3\xa9",
        b"\xff",
        b"=",
        b"-",
        b"\xef\xbb\xbf",
        b"'",
        b",",
    ];
    let piece = prop_oneof![8 => select(pieces).prop_map(<[u8]>::to_vec), 1 => any::<u8>().prop_map(|byte| vec![byte])];
    let short = || prop::collection::vec(piece.clone(), 0..6).prop_map(|pieces| pieces.concat());
    prop_oneof![8 => short(), 4 => "[a-z]{1,12}".prop_map(String::into_bytes), 1 => prop::collection::vec(any::<u8>(), 0..300)]
}

fn lexemes() -> impl Strategy<Value = Vec<Owned>> {
    let comments: Vec<&[u8]> =
        vec![b";a", b";", b"; b ", b"#||#", b"#| a |#", b"#|#| \"|#\" |#|#", b"#|\n|#", b";\n", b"#|", b"a", b"", b"#|\"|#"];
    let lexeme = prop_oneof![
        5 => Just((Kind::Open, b"(".to_vec())),
        5 => Just((Kind::Close, b")".to_vec())),
        8 => bytes().prop_map(|bytes| (Kind::Bare, bytes)),
        8 => bytes().prop_map(|bytes| (Kind::String, bytes)),
        5 => bytes().prop_map(|bytes| (Kind::Octets, bytes)),
        3 => bytes().prop_map(|bytes| (Kind::Hint, bytes)),
        1 => bytes().prop_map(|bytes| (Kind::Symbol, bytes)),
        2 => select(comments).prop_map(|text| (Kind::Comment, text.to_vec())),
        1 => select(vec![Kind::Char, Kind::Prefix]).prop_map(|kind| (kind, b"x".to_vec())),
    ];
    prop::collection::vec(lexeme, 0..16)
}

fn options() -> impl Strategy<Value = EncodeOptions> {
    select(vec![Layout::Compact, Layout::Compact, Layout::Lines, Layout::Indent]).prop_map(|layout| EncodeOptions::default().layout(layout))
}

fn sizes() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![3 => 1..8_usize, 2 => 1..80_usize, 1 => Just(4096)], 1..4)
}

fn subjects() -> impl Strategy<Value = Subject> {
    select(Subject::all().into_iter().filter(Subject::is_exact_about_size).collect::<Vec<_>>())
}

/// What is left when the refused lexemes are left out.
fn carried(lexemes: &[Owned], refused: &[usize]) -> Vec<Owned> {
    lexemes.iter().enumerate().filter(|(i, _)| !refused.contains(i)).map(|(_, lexeme)| lexeme.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6_000) })]

    #[test]
    fn what_was_written_reads_back(subject in subjects(), options in options(), lexemes in lexemes(), sizes in sizes()) {
        let mut lexemes = lexemes;
        let expected_refused = follow(subject, options.layout, &mut lexemes);
        let (text, refused) = write(subject, options, &lexemes, &sizes);
        let refused: Vec<usize> = refused.iter().map(|(i, _)| *i).collect();
        prop_assert_eq!(&refused, &expected_refused, "what is refused: {}", text.escape_ascii());
        let (whole, _) = write(subject, options, &lexemes, &[1 << 20]);
        prop_assert_eq!(&text, &whole, "the size of the windows does not matter");
        let written = carried(&lexemes, &refused);
        let back = read(subject, &text);
        let same = written.len() == back.len()
            && written.iter().zip(&back).all(|(written, back)| written.1 == back.1 && kind_read(subject, written).contains(&back.0));
        prop_assert!(same, "{}\n  written {written:?}\n  read    {back:?}", text.escape_ascii());
    }

    /// Between two lexemes stands nothing that could be left out.
    #[test]
    fn the_compact_layout_has_no_separator_too_many(subject in subjects(), lexemes in lexemes()) {
        let mut lexemes = lexemes;
        lexemes.retain(|(kind, _)| *kind != Kind::Comment);
        follow(subject, Layout::Compact, &mut lexemes);
        let (text, _) = write(subject, EncodeOptions::default(), &lexemes, &[1 << 20]);
        let events = decode(subject.rules, Options::default(), &text);
        let spans: Vec<Span> = events.iter().filter_map(|event| match event {
            Event::Lexeme { span, .. } => Some(*span),
            _ => None,
        }).collect();
        if subject.name != "transport" {
            for at in (0..text.len() as u64).filter(|at| !spans.iter().any(|span| (span.start..span.end).contains(at))) {
                let mut less = text.clone();
                less.remove(at as usize);
                let same = decode(subject.rules, Options::default(), &less).iter().zip(&events).all(|(a, b)| match (a, b) {
                    (Event::Lexeme { kind, value, .. }, Event::Lexeme { kind: k, value: v, .. }) => kind == k && value == v,
                    (a, b) => a == b,
                });
                prop_assert!(!same, "the byte at {at} is not needed: {}", text.escape_ascii());
            }
        }
    }

    /// One form a line, and the line ends nowhere else.
    #[test]
    fn lines_have_a_form_each(subject in select(vec!["se", "sexplib", "advanced"]).prop_map(Subject::named), lexemes in lexemes()) {
        let mut lexemes = lexemes;
        lexemes.retain(|(kind, _)| *kind != Kind::Comment);
        follow(subject, Layout::Lines, &mut lexemes);
        let (text, _) = write(subject, EncodeOptions::default().layout(Layout::Lines), &lexemes, &[1 << 20]);
        prop_assert!(text.is_empty() || text.ends_with(b"\n"));
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let events = decode(subject.rules, Options::default().single(true), line);
            prop_assert!(!events.iter().any(|event| matches!(event, Event::Error(_))), "{}", line.escape_ascii());
        }
    }

    /// From each syntax to each other: what the second cannot carry is refused, the rest is the same.
    #[test]
    fn from_syntax_to_syntax(from in subjects(), to in subjects(), lexemes in lexemes()) {
        let mut lexemes = lexemes;
        follow(from, Layout::Compact, &mut lexemes);
        let (text, _) = write(from, EncodeOptions::default(), &lexemes, &[1 << 20]);
        let mut decoder = blocking::Decoder::with_options(&text[..], from.syntax, Options::default().comments(true));
        let mut decoded = Vec::new();
        while let Some(lexeme) = decoder.decode().unwrap() {
            decoded.push((lexeme.kind, lexeme.bytes.to_vec()));
        }
        prop_assert_eq!(&decoded, &read(from, &text));
        let expected_refused = follow(to, Layout::Compact, &mut decoded);
        let (text, refused) = write(to, EncodeOptions::default(), &decoded, &[7, 100]);
        prop_assert_eq!(refused.iter().map(|(i, _)| *i).collect::<Vec<_>>(), expected_refused.clone());
        let values = |lexemes: Vec<Owned>| lexemes.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        prop_assert_eq!(values(read(to, &text)), values(carried(&decoded, &expected_refused)), "{}", text.escape_ascii());
        // What came from a syntax is written in it as it was.
        if from.name == to.name {
            prop_assert_eq!(read(to, &text), decoded);
        }
    }

    /// Spelled anew, the values are the same; and doing so again changes nothing.
    #[test]
    fn respelling_keeps_values(subject in subjects(), lexemes in lexemes()) {
        let mut lexemes = lexemes;
        let refused = follow(subject, Layout::Compact, &mut lexemes);
        let respell = EncodeOptions::default().respell(true);
        let (text, _) = write(subject, respell, &lexemes, &[5, 50]);
        let back = read(subject, &text);
        let values = |lexemes: &[Owned]| lexemes.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
        prop_assert_eq!(values(&back), values(&carried(&lexemes, &refused)));
        prop_assert_eq!(write(subject, respell, &back, &[1 << 20]).0, text);
    }

    /// An atom in pieces is the same atom.
    #[test]
    fn fragments_make_the_atom(
        subject in subjects(),
        kind in select(vec![Kind::Bare, Kind::String, Kind::Octets]),
        bytes in bytes(),
        cuts in prop::collection::vec(any::<Index>(), 0..4),
        size in 1..20_usize,
    ) {
        if !carries(subject, Layout::Compact, &(kind, bytes.clone()), 0, false) {
            return Ok(());
        }
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let pieces = harness::cut(&bytes, &cuts);
        let mut encoder = Encoder::new(subject.syntax);
        let (mut text, mut window) = (Vec::new(), vec![0; size]);
        for (i, piece) in pieces.iter().enumerate() {
            let (first, last) = (i == 0, i + 1 == pieces.len());
            let fragment = Fragment { kind, bytes: piece, first, last, total: Some(bytes.len() as u64), span: Span::default() };
            loop {
                let mut output = encoder.window(&mut window);
                let outcome = output.fragment(fragment);
                text.extend_from_slice(output.bytes());
                match outcome {
                    Encode::Ok => break,
                    Encode::Partial => prop_assert_eq!(output.remaining(), 0),
                    Encode::Error(error) => panic!("{error}"),
                }
            }
        }
        prop_assert_eq!(encoder.window(&mut []).finish(), Encode::Ok);
        let back = read(subject, &text);
        prop_assert!(back.len() == 1 && back[0].1 == bytes, "{}: {back:?}", text.escape_ascii());
    }
}

/// Every row that is sound is written again, and reads back the same: nothing of it is lost.
#[test]
fn rows_are_written_as_they_were() {
    for row in harness::rows::all() {
        for &(subject, _) in row.subjects.iter().filter(|(subject, _)| subject.is_exact_about_size()) {
            let events = decode(subject.rules, Options::default().comments(true), &row.input);
            if events.iter().any(|event| matches!(event, Event::Error(_))) {
                continue;
            }
            let lexemes = read(subject, &row.input);
            for layout in [Layout::Compact, Layout::Indent] {
                let (text, refused) = write(subject, EncodeOptions::default().layout(layout), &lexemes, &[1, 2, 3]);
                // A comment that swallows a datum is read, but cannot be written.
                let datum_comments = refused.iter().filter(|(i, error)| {
                    *error == EncodeError::NotAComment && lexemes[*i].0 == Kind::Comment && lexemes[*i].1.starts_with(b"#;")
                });
                assert_eq!(datum_comments.count(), refused.len(), "{}: {refused:?}", row.place);
                let refused: Vec<usize> = refused.iter().map(|(i, _)| *i).collect();
                let lexemes = carried(&lexemes, &refused);
                let values = |lexemes: Vec<Owned>| lexemes.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
                assert_eq!(values(read(subject, &text)), values(lexemes), "{}", row.place);
            }
        }
    }
}
