//! Whole forms: those that the lexemes make up, whatever the cuts; what is incomplete, malformed and too large; nothing copied or decoded twice.

mod framed;

use bytes::{Bytes, BytesMut};
use framed::{all_cuts, cut, forms};
use proptest::prelude::*;
use sexp_codec::forms::{Error, Form, Forms};
use sexp_codec::nonblocking::{Decode, Decoder};
use sexp_codec::{ErrorKind, Kind, Lexeme, Options, Span, Syntax};
use std::fs;

/// Forms as text, faults as `!kind`, of which one that the end of the input makes has a `?`.
fn show(all: &[Result<(Vec<u8>, Span), Error>]) -> String {
    let each = all.iter().map(|form| match form {
        Ok((bytes, _)) => String::from_utf8_lossy(bytes).into_owned(),
        Err(Error::Malformed(error)) => format!("!{:?}@{}", error.kind, error.position.offset),
        Err(Error::Incomplete(error)) => format!("?{:?}", error.kind),
        Err(Error::TooLarge(offset)) => format!("!TooLarge@{offset}"),
        Err(other) => format!("{other:?}"),
    });
    each.collect::<Vec<_>>().join(" | ")
}

fn check_with(syntax: &'static Syntax, options: Options, input: &[u8]) -> String {
    let expected = forms(syntax, options, &[input]);
    for cuts in all_cuts(input.len()) {
        let found = forms(syntax, options, &cut(input, &cuts));
        assert_eq!(found, expected, "{syntax:?} {options:?} cut at {cuts:?}: {}", input.escape_ascii());
    }
    for (bytes, span) in expected.iter().flatten() {
        assert_eq!(*bytes, input[span.start as usize..span.end as usize], "the span is the form's");
    }
    show(&expected)
}

fn check(syntax: &'static Syntax, input: &str) -> String {
    check_with(syntax, Options::default(), input.as_bytes())
}

#[test]
fn known_forms() {
    assert_eq!(check(&Syntax::SEXPLIB, "(a b)c \"d e\"()\n x"), "(a b) | c | \"d e\" | () | x");
    assert_eq!(check(&Syntax::CSEXP, "(3:foo)3:bar()0:"), "(3:foo) | 3:bar | () | 0:");
    assert_eq!(check(&Syntax::EDN, "{:tag :ret, :val \"3\"}\n{:a #{1}} ,"), "{:tag :ret, :val \"3\"} | {:a #{1}}");
    assert_eq!(
        check(&Syntax::SMTLIB, "success\n(\n(define-fun |x y| () Int (- 1))\n)\n\"he said \"\"hi\"\"\"\nsat"),
        "success | (\n(define-fun |x y| () Int (- 1))\n) | \"he said \"\"hi\"\"\" | sat"
    );
    assert_eq!(check(&Syntax::SE, ""), "");
    assert_eq!(check(&Syntax::SE, "  \n "), "");
}

/// Prefixes, hints and datum comments belong to the form after them.
#[test]
fn what_belongs_to_a_form() {
    assert_eq!(check(&Syntax::GUILE, "'a '(b) #;c d #u8(1) ,@ x"), "'a | '(b) | d | #u8(1) | ,@ x");
    assert_eq!(check(&Syntax::ADVANCED, "[text/plain] abc([a]b)"), "[text/plain] abc | ([a]b)");
    assert_eq!(check(&Syntax::EDN, "#_ a b #inst \"1985\" #_#_ c d e"), "b | #inst \"1985\" | e");
    assert_eq!(check(&Syntax::SEXPLIB, "; one\na #| two |# (b ; three\n) #;"), "a | (b ; three\n) | ?CommentWithoutDatum");
    assert_eq!(check_with(&Syntax::SEXPLIB, Options::default().comments(true), b" ; one\na #;b (c) "), "; one\na | #;b (c)");
    assert_eq!(check_with(&Syntax::SEXPLIB, Options::default().verbatim(true), b" ; one\na (c)\n"), " ; one\na |  (c)");
}

/// What more input can mend, and what it cannot.
#[test]
fn incomplete_and_malformed() {
    assert_eq!(check(&Syntax::SEXPLIB, "(a) (b"), "(a) | ?UnclosedList(1)");
    assert_eq!(check(&Syntax::SEXPLIB, "\"ab"), "?UnterminatedString");
    assert_eq!(check(&Syntax::CSEXP, "(1:a)5:ab"), "(1:a) | ?PrematureEnd");
    assert_eq!(check(&Syntax::GUILE, "a '"), "a | ?PrefixWithoutDatum");
    assert_eq!(check(&Syntax::SEXPLIB, "a) (b)"), "a | !UnbalancedClose(41)@1 | (b)");
    assert_eq!(check(&Syntax::DUNE, "(a \"\\q\" \"\\q\" (c)) (b)"), "!UnknownEscape(113)@4 | (b)");
    assert_eq!(check(&Syntax::DUNE, "\"\\q\" (b)"), "!UnknownEscape(113)@1 | (b)");
    // What is wrong in a hint is wrong in the form that it belongs to.
    assert_eq!(check(&Syntax::ADVANCED, "[\u{1}text] abc (d)"), "!IllegalByte(1)@1 | (d)");
    assert_eq!(
        check(&Syntax::ADVANCED, "[te\u{1}xt] abc (d)"),
        "!MisplacedHint@3 | !IllegalByte(1)@3 | xt | !IllegalByte(93)@6 | abc | (d)"
    );
    assert_eq!(check(&Syntax::EDN, "[a)] (b)"), "!MismatchedClose(41)@2 | (b)");
    assert_eq!(check(&Syntax::GUILE, "(') 'x"), "!PrefixWithoutDatum@2 | 'x");
    assert_eq!(check(&Syntax::SEXPLIB, "(a \"\\999\""), "!EscapeOutOfRange@4");
}

#[test]
fn limits() {
    let limit = |input: &str| check_with(&Syntax::SEXPLIB, Options::default().limit_frame(5), input.as_bytes());
    assert_eq!(limit("(abc) (abcd) (a)"), "(abc) | !TooLarge@6 | (a)");
    assert_eq!(limit("abcde abcdef g"), "abcde | !TooLarge@6 | g");
    assert_eq!(limit("\"abc\" \"abcd\" g"), "\"abc\" | !TooLarge@6 | g");
    assert_eq!(limit("         a ; a comment that is long\n#| and another |# #; (and a third) b"), "a | b");
    assert_eq!(limit("(a b c d) (e) (f g h (\"\\999\"))(i)"), "!TooLarge@0 | (e) | !TooLarge@14 | (i)");
    let depth = check_with(&Syntax::SEXPLIB, Options::default().limit_depth(1), b"(a) (a (b) c) (d)");
    assert_eq!(depth, "(a) | !TooDeep@7 | (d)");
    assert_eq!(check_with(&Syntax::SEXPLIB, Options::default().single(true), b"(a) b"), "(a) | !TrailingData@4");
}

/// The text of a form in armour is not in the stream: it is refused, and no piece of base64 taken for it.
#[test]
fn forms_in_armour_are_refused() {
    let shown = check(&Syntax::TRANSPORT, "(3:foo){KDM6Zm9vKQ==} (3:bar)");
    assert!(shown.starts_with("(3:foo) | !IllegalByte(123)@7 | ") && shown.ends_with(" | (3:bar)"), "{shown}");
    assert_eq!(shown.matches(" | (").count(), 1, "{shown}");
    let mut forms = Forms::new(&Syntax::TRANSPORT);
    forms.restart();
    let mut buffer = BytesMut::from("{MzpmA}");
    assert!(matches!(forms.next(&mut buffer), Err(Error::Malformed(error)) if error.kind == ErrorKind::IllegalByte(b'{')));
}

/// A form that is both too large and malformed is reported as what shows first, byte by byte; whatever the cuts.
#[test]
fn too_large_and_malformed() {
    let limit = |syntax, input: &str| check_with(syntax, Options::default().limit_frame(5), input.as_bytes());
    assert_eq!(limit(&Syntax::SEXPLIB, "\"abc\\999\" g"), "!TooLarge@0 | g");
    assert_eq!(limit(&Syntax::SEXPLIB, "\"\\999abc\" g"), "!EscapeOutOfRange@1 | g");
    assert_eq!(limit(&Syntax::SEXPLIB, "(a \"\\999\") g"), "!TooLarge@0 | g");
    assert_eq!(limit(&Syntax::SEXPLIB, "(abcd) ) g"), "!TooLarge@0 | !UnbalancedClose(41)@7 | g");
    assert_eq!(limit(&Syntax::SEXPLIB, "#| a comment |# ) g"), "!UnbalancedClose(41)@16 | g");
    assert_eq!(limit(&Syntax::GUILE, "(abc ') g"), "!TooLarge@0 | g");
    assert_eq!(limit(&Syntax::GUILE, "'abc) g"), "'abc | !UnbalancedClose(41)@4 | g");
    assert_eq!(limit(&Syntax::ADVANCED, "[abcdef(g)"), "!TooLarge@0 | (g)");
    assert_eq!(limit(&Syntax::WAT, "(@a \"a comment, too\") g"), "g");
    assert_eq!(limit(&Syntax::DUNE, "\"\\| abc\n\"\\q\" g"), "!TooLarge@0 | !UnknownEscape(113)@9 | g");
    assert_eq!(limit(&Syntax::ELISP, "'abcd\u{a0}'abcde\u{a0}g"), "'abcd | !TooLarge@7 | g");
    // As many bytes as the atom may have show first where there are no escapes.
    let both = |input: &str| check_with(&Syntax::SEXPLIB, Options::default().limit_frame(5).limit_atom(3), input.as_bytes());
    assert_eq!(
        both("abcdefgh (ab cd) (a bcde) \"\\065\\065\\065\\065\" g"),
        "!AtomTooLarge@0 | !TooLarge@9 | !TooLarge@17 | !AtomTooLarge@26 | g"
    );
}

/// A form of one token is refused as soon as it is too large, whatever the token, and nothing more of it is kept.
#[test]
fn large_tokens_are_refused_at_once() {
    let comments = Options::default().comments(true);
    for (syntax, options, start, more) in [
        (&Syntax::SEXPLIB, Options::default(), "", "abc"),
        (&Syntax::SEXPLIB, Options::default(), "\"", "\\n"),
        (&Syntax::SEXPLIB, Options::default(), "\"", "\\\n   "),
        (&Syntax::SEXPLIB, comments, "", "abc"),
        (&Syntax::SEXPLIB, comments, "#|", "abc"),
        (&Syntax::SEXPLIB, comments, "#;(", "abc "),
        (&Syntax::SEXPLIB, comments, ";", "abc"),
        (&Syntax::GUILE, Options::default(), "|", "abc"),
        (&Syntax::GUILE, Options::default(), "'#\\", "abc"),
        (&Syntax::RACKET, Options::default(), "#<<", "abc"),
        (&Syntax::RACKET, Options::default(), "#<<A\n", "abc\n"),
        (&Syntax::ELISP, Options::default(), "?\\N{", "abc"),
        (&Syntax::DUNE, Options::default(), "\"\\| ", "abc%"),
        (&Syntax::DUNE, Options::default(), "%{", "abc"),
        (&Syntax::ADVANCED, Options::default(), "[", "abc"),
        (&Syntax::ADVANCED, Options::default(), "#", "61 "),
        (&Syntax::CSEXP, Options::default(), "10000000:", "abc"),
    ] {
        let mut forms = Forms::with_options(syntax, options.limit_frame(100));
        let mut buffer = BytesMut::from(start);
        let mut faults = Vec::new();
        for _ in 0..1_000 {
            buffer.extend_from_slice(more.as_bytes());
            while let Some(fault) = forms.next(&mut buffer).transpose() {
                faults.push((fault, forms.position()));
            }
            assert!(buffer.len() <= 100, "{syntax:?} {start:?} {more:?}: {} are kept", buffer.len());
        }
        assert!(matches!(faults[..], [(Err(Error::TooLarge(0)), 101..120)]), "{syntax:?} {start:?} {more:?}: {faults:?}");
    }
}

/// What follows a form is left in the buffer, and may be something else.
#[test]
fn d28_what_follows_is_left() {
    let mut forms = Forms::new(&Syntax::SEXPLIB);
    let mut buffer = BytesMut::from("(one) (two)\0\x01raw");
    assert_eq!(forms.next(&mut buffer).unwrap().unwrap().bytes, "(one)");
    assert_eq!(buffer, " (two)\0\x01raw");
    assert_eq!(forms.next(&mut buffer).unwrap().unwrap().bytes, "(two)");
    assert_eq!(buffer, "\0\x01raw");
    let _ = buffer.split_to(2);
    forms.restart();
    buffer.extend_from_slice(b" x");
    assert_eq!(forms.next(&mut buffer).unwrap(), Some(Form { bytes: "raw".into(), span: Span { start: 11, end: 14 } }));
}

/// A form is the buffer's own memory.
#[test]
fn forms_are_not_copied() {
    let mut buffer = BytesMut::from("(one)(two)");
    let address = buffer.as_ptr();
    let mut forms = Forms::new(&Syntax::SE);
    let first = forms.next(&mut buffer).unwrap().unwrap();
    let second = forms.next(&mut buffer).unwrap().unwrap();
    assert_eq!((first.bytes.as_ptr(), second.bytes.as_ptr()), (address, address.wrapping_add(5)));
}

/// A large form in small pieces: no byte is decoded again. Two million calls with a look at all that is there would not end.
#[test]
fn a_large_form_in_small_pieces() {
    let mut forms = Forms::new(&Syntax::SE);
    let mut buffer = BytesMut::new();
    buffer.extend_from_slice(b"(");
    for _ in 0..1_000_000 {
        buffer.extend_from_slice(b"a ");
        assert!(forms.next(&mut buffer).unwrap().is_none());
    }
    buffer.extend_from_slice(b")");
    assert_eq!(forms.next(&mut buffer).unwrap().unwrap().bytes.len(), 2_000_002);
}

/// White space, comments and what is dropped are not kept.
#[test]
fn what_is_no_form_is_not_kept() {
    for piece in ["   \n", "; a comment\n", "#| x |#", "#;(a b)", "(a \"\\999\" x"] {
        let mut forms = Forms::new(&Syntax::SEXPLIB);
        let mut buffer = BytesMut::new();
        for _ in 0..10_000 {
            buffer.extend_from_slice(piece.as_bytes());
            while !matches!(forms.next(&mut buffer), Ok(None)) {}
        }
        assert!(buffer.len() <= 16, "{piece}: {}", buffer.len());
    }
    // What is left of a token in which there was a fault.
    for (syntax, start) in [(&Syntax::DUNE, "\"\\q"), (&Syntax::DUNE, "\"\\| \\q"), (&Syntax::ADVANCED, "[\"\\q"), (&Syntax::R6RS, "a\\q")]
    {
        let mut forms = Forms::new(syntax);
        let mut buffer = BytesMut::from(start);
        for _ in 0..10_000 {
            buffer.extend_from_slice(b"abc");
            while !matches!(forms.next(&mut buffer), Ok(None)) {}
        }
        assert!(buffer.len() <= 16, "{start}: {}", buffer.len());
    }
    let mut forms = Forms::with_options(&Syntax::SE, Options::default().limit_frame(1_000));
    let mut buffer = BytesMut::from("(");
    let mut faults = 0;
    for _ in 0..10_000 {
        buffer.extend_from_slice(b"abc ");
        faults += u32::from(forms.next(&mut buffer).is_err());
        assert!(buffer.len() <= 1_000);
    }
    assert_eq!(faults, 1);
}

#[test]
fn lexemes_of_a_form() {
    for text in ["(a \"b\\n\" c)", "abc", "'(x)", "((((deep)))) "] {
        let form = Form { bytes: Bytes::from(text), span: Span::default() };
        let mut lexemes = form.lexemes(&Syntax::GUILE);
        let mut found = Vec::new();
        while let Some(lexeme) = lexemes.next() {
            let Lexeme { kind, bytes, span } = lexeme.unwrap();
            found.push((kind, bytes.to_vec(), span));
        }
        assert_eq!(found, of(&Syntax::GUILE, text.as_bytes()), "{text}");
    }
}

fn of(syntax: &'static Syntax, text: &[u8]) -> Vec<(Kind, Vec<u8>, Span)> {
    let mut decoder = Decoder::new(syntax);
    let mut found = Vec::new();
    let mut input = decoder.feed(text);
    while let Decode::Lexeme(Lexeme { kind, bytes, span }) = input.decode() {
        found.push((kind, bytes.to_vec(), span));
    }
    while let Decode::Lexeme(Lexeme { kind, bytes, span }) = decoder.finish().decode() {
        found.push((kind, bytes.to_vec(), span));
    }
    found
}

/// Real streams, at every cut in two and byte by byte.
#[test]
fn captures() {
    for (name, syntax, count) in [
        ("dune-describe.csexp", &Syntax::CSEXP, 1),
        ("smt-cvc5.out", &Syntax::SMTLIB, 17),
        ("prepl-server.bin", &Syntax::CLOJURE, 7),
        ("prepl-client.bin", &Syntax::CLOJURE, 6),
    ] {
        let input = fs::read(format!("{}/tests/data/captures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let whole = forms(syntax, Options::default(), &[&input]);
        let sound = whole.iter().filter(|form| form.is_ok()).count();
        assert_eq!(sound, count, "{name}: {}", show(&whole));
        for cut_at in 0..input.len() {
            assert_eq!(forms(syntax, Options::default(), &[&input[..cut_at], &input[cut_at..]]), whole);
        }
        let bytes: Vec<&[u8]> = input.chunks(1).collect();
        assert_eq!(forms(syntax, Options::default(), &bytes), whole);
    }
}

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let pieces = vec![
        "(", ")", "[", "]", "a", "bc", " ", "\n", "\"s\"", "\"", "\\q", "'", "#;", "#|", "|#", "; c\n", "#u8(", "|x y|", "3:abc", "12",
        "#_", ",", "\u{1}", "é",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..16).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever the cuts, the same forms; and each by itself is exactly one, with the lexemes that it has in the stream.
    #[test]
    fn any_text_over_any_cuts(text in texts(), which in 0_usize..6) {
        let syntax = [&Syntax::SEXPLIB, &Syntax::GUILE, &Syntax::COMMONLISP, &Syntax::EDN, &Syntax::ADVANCED, &Syntax::CSEXP][which];
        let whole = forms(syntax, Options::default(), &[&text]);
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        prop_assert_eq!(&forms(syntax, Options::default(), &bytes), &whole);
        for cut_at in 0..text.len() {
            prop_assert_eq!(&forms(syntax, Options::default(), &[&text[..cut_at], &text[cut_at..]]), &whole);
        }
        for (form, _) in whole.iter().flatten() {
            let again = forms(syntax, Options::default().single(true), &[form]);
            prop_assert!(matches!(&again[..], [Ok((bytes, _))] if bytes == form), "{} {:?}", form.escape_ascii(), again);
        }
        prop_assert!(whole.iter().all(|form| !matches!(form, Err(Error::Malformed(error)) if error.kind == ErrorKind::NoForm)));
    }
}

/// Pieces that make forms which are large, faulty, or both, in many ways.
const PIECES: [&str; 45] = [
    "(",
    ")",
    "[",
    "]",
    "a",
    "bc",
    "defghi",
    " ",
    "\n",
    "\r\n",
    "\"s\"",
    "\"",
    "\"stuvwx",
    "\\q",
    "\\x41;",
    "\\999",
    "\\\n  ",
    "'",
    "#;",
    "#|",
    "|#",
    "; c\n",
    "; comment\n",
    "#u8(",
    "|x y|",
    "3:abc",
    "9:",
    "4\"abcdef\"",
    "#6 1 6",
    "#",
    "|YW Jj",
    "#_",
    ",",
    "\"\\| b\n",
    "\"\\> cdef\n",
    "\u{a0}",
    "\u{a0}x",
    "%{",
    "}",
    "(; c ;)",
    "(@a \"long string\")",
    "#<<A\n",
    "\nA\n",
    "#\\",
    "#@3",
];

fn syntaxes() -> impl Strategy<Value = &'static Syntax> {
    prop::sample::select(Syntax::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// What is too large and what is malformed is the same whatever the cuts, of forms that are both, too.
    #[test]
    fn limits_over_any_cuts(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..8),
        syntax in syntaxes(),
        limit in 0_u64..16,
        atom in prop::option::of(0_u64..8),
        (depth, total) in (prop::option::of(0_u64..3), prop::option::of(0_u64..24)),
        (comments, verbatim) in (prop::bool::ANY, prop::bool::ANY),
    ) {
        let mut options = Options::default().limit_frame(limit).comments(comments).verbatim(verbatim);
        (options.depth, options.total) = (depth, total);
        options.atom = atom.filter(|_| !options.comments);
        check_with(syntax, options, pieces.concat().as_bytes());
    }
}
