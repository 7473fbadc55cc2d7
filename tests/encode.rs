//! The encoder: how things are spelled, that the size of the windows does not matter, and what is refused.

use sexp_codec::nonblocking::{Encode, Encoder};
use sexp_codec::{EncodeError, EncodeOptions, Fragment, Kind, Layout, Lead, Lexeme, Quote, Span, Syntax};

/// The syntaxes whose every byte is accounted for here; what holds for all is in `dialects.rs`.
const BASE: [&Syntax; 6] = [&Syntax::SE, &Syntax::SEXPLIB, &Syntax::CANONICAL, &Syntax::CSEXP, &Syntax::TRANSPORT, &Syntax::ADVANCED];

const COMPACT: EncodeOptions = EncodeOptions::new();
const LINES: EncodeOptions = EncodeOptions::new().layout(Layout::Lines);
const INDENT: EncodeOptions = EncodeOptions::new().layout(Layout::Indent);
const RESPELL: EncodeOptions = EncodeOptions::new().respell(true);

/// Something to be written: a lexeme, or a piece of an atom.
#[derive(Clone, Copy, Debug)]
enum Item<'a> {
    Lexeme(Lexeme<'a>),
    Fragment(Fragment<'a>),
}

impl<'a> From<Lexeme<'a>> for Item<'a> {
    fn from(lexeme: Lexeme<'a>) -> Self {
        Item::Lexeme(lexeme)
    }
}

impl<'a> From<Fragment<'a>> for Item<'a> {
    fn from(fragment: Fragment<'a>) -> Self {
        Item::Fragment(fragment)
    }
}

/// Writes the items into windows of that size, and checks that each window but the last is filled.
fn write_in_windows(encoder: &mut Encoder, items: &[Item<'_>], size: usize) -> Result<Vec<u8>, EncodeError> {
    let (mut text, mut window) = (Vec::new(), vec![0xaa; size]);
    let mut items = items.iter();
    let mut item = items.next();
    while item.is_some() {
        let mut output = encoder.window(&mut window);
        while let Some(&this) = item {
            let before = output.written();
            let outcome = match this {
                Item::Lexeme(lexeme) => output.encode(lexeme),
                Item::Fragment(fragment) => output.fragment(fragment),
            };
            match outcome {
                Encode::Ok => item = items.next(),
                Encode::Partial => {
                    assert_eq!(output.remaining(), 0, "a window of {size} is not filled");
                    break;
                }
                Encode::Error(error) => {
                    assert_eq!(output.written(), before, "an error has written something");
                    return Err(error);
                }
            }
        }
        text.extend_from_slice(output.bytes());
    }
    match encoder.window(&mut []).finish() {
        Encode::Ok => Ok(text),
        Encode::Error(error) => Err(error),
        Encode::Partial => panic!("finish has nothing to write"),
    }
}

/// Writes the items, in every size of window, and returns the text that is always the same.
#[track_caller]
fn text(syntax: &'static Syntax, options: EncodeOptions, items: &[Item<'_>]) -> Result<Vec<u8>, EncodeError> {
    let whole = write_in_windows(&mut Encoder::with_options(syntax, options), items, 1 << 20);
    for size in 1..=80 {
        let pieces = write_in_windows(&mut Encoder::with_options(syntax, options), items, size);
        assert_eq!(pieces, whole, "{} in windows of {size}", syntax.name());
    }
    whole
}

/// A shorthand for lexemes: `(`, `)`, or a letter for the kind and the bytes.
fn lexemes<'a>(items: &[&'a [u8]]) -> Vec<Item<'a>> {
    let lexeme = |item: &'a [u8]| match item {
        b"(" => Lexeme::open(),
        b")" => Lexeme::close(),
        [b'A', bytes @ ..] => Lexeme::bare(bytes),
        [b'S', bytes @ ..] => Lexeme::string(bytes),
        [b'B', bytes @ ..] => Lexeme::new(Kind::Symbol, bytes),
        [b'O', bytes @ ..] => Lexeme::octets(bytes),
        [b'H', bytes @ ..] => Lexeme::hint(bytes),
        [b'P', bytes @ ..] => Lexeme::new(Kind::Prefix, bytes),
        [b'K', bytes @ ..] => Lexeme::new(Kind::Comment, bytes),
        _ => panic!("{item:?}"),
    };
    items.iter().map(|item| lexeme(item).into()).collect()
}

macro_rules! lexemes {
    ($($item:expr),* $(,)?) => { lexemes(&[$(&$item[..]),*]) };
}

#[track_caller]
fn assert_text(syntax: &'static Syntax, options: EncodeOptions, items: &[Item<'_>], expected: &[u8]) {
    match text(syntax, options, items) {
        Ok(text) => {
            assert!(text == expected, "{}: {}\ninstead of {}\nfor {items:?}", syntax.name(), text.escape_ascii(), expected.escape_ascii())
        }
        Err(error) => panic!("{}: {error} ({error:?}), for {items:?}", syntax.name()),
    }
}

#[track_caller]
fn assert_refused(syntax: &'static Syntax, options: EncodeOptions, items: &[Item<'_>], expected: EncodeError) {
    assert_eq!(text(syntax, options, items), Err(expected), "{}: {items:?}", syntax.name());
}

#[test]
fn spellings() {
    let atom = |atom: &[u8], spellings: [&[u8]; 4]| {
        for (syntax, expected) in [&Syntax::SE, &Syntax::SEXPLIB, &Syntax::CANONICAL, &Syntax::ADVANCED].into_iter().zip(spellings) {
            let items = lexemes(&[atom]);
            match expected {
                b"-" => assert!(text(syntax, COMPACT, &items).is_err(), "{}: {items:?}", syntax.name()),
                _ => assert_text(syntax, COMPACT, &items, expected),
            }
        }
    };
    // What is written in se, sexplib, canonical and advanced. `-`: it is refused.
    atom(b"Aabc", [b"abc", b"abc", b"3:abc", b"abc"]);
    atom(b"Aabcdefgh", [b"abcdefgh", b"abcdefgh", b"8:abcdefgh", b"abcdefgh"]);
    atom(b"Aabcdefghijkl", [b"abcdefghijkl", b"abcdefghijkl", b"12:abcdefghijkl", b"abcdefghijkl"]);
    atom(b"A", [b"-", b"\"\"", b"0:", b"\"\""]);
    atom(b"A1997", [b"1997", b"1997", b"4:1997", b"\"1997\""]);
    atom(b"A+", [b"+", b"+", b"1:+", b"+"]);
    atom(b"Aa b", [b"-", b"\"a b\"", b"3:a b", b"\"a b\""]);
    atom(b"Aa'b", [b"a'b", b"a'b", b"3:a'b", b"\"a'b\""]);
    atom(b"A\"", [b"\"", b"\"\\\"\"", b"1:\"", b"\"\\\"\""]);
    atom(b"A\\", [b"\\", b"\"\\\\\"", b"1:\\", b"\"\\\\\""]);
    atom(b"A#", [b"#", b"#", b"1:#", b"\"#\""]);
    atom(b"A|", [b"|", b"|", b"1:|", b"\"|\""]);
    atom(b"A#|", [b"#|", b"\"#|\"", b"2:#|", b"\"#|\""]);
    atom(b"A|#", [b"|#", b"\"|#\"", b"2:|#", b"\"|#\""]);
    atom(b"Aa#|b", [b"a#|b", b"\"a#|b\"", b"4:a#|b", b"\"a#|b\""]);
    atom(b"A#;x", [b"#;x", b"\"#;x\"", b"3:#;x", b"\"#;x\""]);
    atom(b"Aa#b|c", [b"a#b|c", b"a#b|c", b"5:a#b|c", b"\"a#b|c\""]);
    atom(b"Aa;b", [b"a;b", b"\"a;b\"", b"3:a;b", b"\"a;b\""]);
    atom(b"A(", [b"-", b"\"(\"", b"1:(", b"\"(\""]);
    atom(b"A[x]", [b"[x]", b"[x]", b"3:[x]", b"\"[x]\""]);
    atom(b"A\xc3\xa9", [b"-", b"\"\\195\\169\"", b"2:\xc3\xa9", b"\"\\xc3\\xa9\""]);
    atom(b"A\xef\xbb\xbf", [b"-", b"\"\\239\\187\\191\"", b"3:\xef\xbb\xbf", b"\"\\xef\\xbb\\xbf\""]);
    atom(b"A\0\n\r\t", [b"-", b"\"\\000\\n\\r\\t\"", b"4:\0\n\r\t", b"\"\\x00\\n\\r\\t\""]);
    atom(b"Sabc", [b"abc", b"\"abc\"", b"3:abc", b"\"abc\""]);
    atom(b"S", [b"-", b"\"\"", b"0:", b"\"\""]);
    atom(b"Sa\x07\x0b\x0c\x7f", [b"-", b"\"a\\007\\011\\012\\127\"", b"5:a\x07\x0b\x0c\x7f", b"\"a\\a\\v\\f\\x7f\""]);
    atom(b"Babc", [b"abc", b"abc", b"3:abc", b"abc"]);
    atom(b"Ba b", [b"-", b"\"a b\"", b"3:a b", b"\"a b\""]);
    atom(b"Oabc", [b"abc", b"abc", b"3:abc", b"3:abc"]);
    atom(b"O", [b"-", b"\"\"", b"0:", b"0:"]);
    atom(b"O\x03", [b"-", b"\"\\003\"", b"1:\x03", b"#03#"]);
    atom(b"O\xab\xcd\xef\0", [b"-", b"\"\\171\\205\\239\\000\"", b"4:\xab\xcd\xef\0", b"#abcdef00#"]);
    atom(b"Oabcd\n", [b"-", b"\"abcd\\n\"", b"5:abcd\n", b"|YWJjZAo=|"]);
    atom(b"Oabcde\n", [b"-", b"\"abcde\\n\"", b"6:abcde\n", b"|YWJjZGUK|"]);
    atom(b"Oabcdef\n", [b"-", b"\"abcdef\\n\"", b"7:abcdef\n", b"|YWJjZGVmCg==|"]);
}

#[test]
fn respelled() {
    let items = lexemes![b"(", b"Oabc", b"O1 a", b"O\n", b"O\0", b"O\0\0\0\0\0", b"Sdef", b")"];
    assert_text(&Syntax::ADVANCED, RESPELL, &items, b"(abc\"1 a\"\"\\n\"#00#|AAAAAAA=|def)");
    assert_text(&Syntax::SEXPLIB, RESPELL, &items, b"(abc\"1 a\"\"\\n\"\"\\000\"\"\\000\\000\\000\\000\\000\"def)");
    assert_text(&Syntax::CSEXP, RESPELL, &items, b"(3:abc3:1 a1:\n1:\x005:\0\0\0\0\x003:def)");
    let items = lexemes![b"Htext/plain", b"Oabc"];
    assert_text(&Syntax::ADVANCED, RESPELL, &items, b"[text/plain]abc");
}

#[test]
fn separators() {
    let items = lexemes![b"(", b"Aa", b"Sb c", b"Ad", b"Ae", b"(", b")", b"Af", b")", b"Ag"];
    assert_text(&Syntax::SEXPLIB, COMPACT, &items, b"(a\"b c\"d e()f)g");
    let items = lexemes![b"Aa", b"O\0", b"Ab", b"Oc", b"Od", b"Ae", b"Sf", b"Ag"];
    assert_text(&Syntax::ADVANCED, COMPACT, &items, b"a#00#b 1:c1:de\"f\"g");
    let items = lexemes![b"Aa", b"Hh", b"Ab", b"H", b"S", b"H\0", b"Oc"];
    assert_text(&Syntax::ADVANCED, COMPACT, &items, b"a[h]b[\"\"]\"\"[\"\\x00\"]1:c");
    assert_text(&Syntax::CANONICAL, COMPACT, &items, b"1:a[1:h]1:b[0:]0:[1:\0]1:c");
    // A comment directly after a lone `#` would not be one.
    let items = lexemes![b"(", b"A#", b"K;c", b"A#", b"K#|b|#", b"Aa#", b"K;c", b"Aa", b"A#", b"Sx", b"A#", b"(", b")", b")"];
    assert_text(&Syntax::SEXPLIB, COMPACT, &items, b"(# ;c\n# #|b|#a#;c\na #\"x\"#())");
}

#[test]
fn the_examples_of_rfc_9804() {
    let items = lexemes![b"(", b"Oicon", b"Himage/bitmap", b"Oxxxxxxxxx", b")"];
    assert_text(&Syntax::CANONICAL, COMPACT, &items, b"(4:icon[12:image/bitmap]9:xxxxxxxxx)");
    let items = lexemes![b"(", b"Oa", b"Ob", b"Oc", b")"];
    assert_text(&Syntax::TRANSPORT, COMPACT, &items, b"{KDE6YTE6YjE6Yyk=}");
    let items = lexemes![b"(", b"Asnicker", b"Sabc", b"(", b"O\x03", b"Oabc", b")", b")"];
    assert_text(&Syntax::ADVANCED, COMPACT, &items, b"(snicker\"abc\"(#03#3:abc))");
}

#[test]
fn armour() {
    // Forms of every length modulo three, and what is around them.
    let items = lexemes![b"Oa", b"(", b")", b"Oab", b"Hh", b"Oabc", b"(", b"(", b"Ox", b")", b")"];
    assert_text(&Syntax::TRANSPORT, COMPACT, &items, b"{MTph}{KCk=}{MjphYg==}{WzE6aF0zOmFiYw==}{KCgxOngpKQ==}");
    assert_text(&Syntax::TRANSPORT, LINES, &items, b"{MTph}{KCk=}{MjphYg==}{WzE6aF0zOmFiYw==}{KCgxOngpKQ==}");
}

#[test]
fn layouts() {
    let items = lexemes![b"(", b"Aa", b"(", b"Ab", b"S\n", b"(", b"(", b")", b"(", b")", b")", b")", b"Ac", b")", b"Ad", b"Ae", b"(", b")"];
    assert_text(&Syntax::SEXPLIB, LINES, &items, b"(a(b\"\\n\"(()()))c)\nd\ne\n()\n");
    assert_text(&Syntax::SEXPLIB, INDENT, &items, b"(a (b \"\\n\" (() ())) c)\nd\ne\n()\n");
    assert_text(&Syntax::CANONICAL, INDENT, &items, b"(1:a(1:b1:\n(()()))1:c)1:d1:e()");
    let items = lexemes![b"(", b"Aa", b"Hh", b"Sb", b"(", b"Hi", b"Oc", b")", b")", b"Hj", b"Sd", b"Se"];
    assert_text(&Syntax::ADVANCED, LINES, &items, b"(a[h]\"b\"([i]1:c))\n[j]\"d\"\n\"e\"\n");
    assert_text(&Syntax::ADVANCED, INDENT, &items, b"(a [h]\"b\" ([i]1:c))\n[j]\"d\"\n\"e\"\n");
}

#[test]
fn comments() {
    let items = lexemes![b"K; one", b"(", b"K#| two |#", b"Aa", b"K; three", b"K;four", b"(", b"Ab", b"K;", b")", b")", b"K#|\n|#"];
    assert_text(&Syntax::SEXPLIB, COMPACT, &items, b"; one\n(#| two |#a; three\n;four\n(b;\n))#|\n|#");
    assert_text(&Syntax::SEXPLIB, INDENT, &items, b"; one\n(#| two |# a ; three\n ;four\n (b ;\n ))\n#|\n|#\n".as_slice());
    let items = lexemes![b"K; one", b"(", b"K#| two |#", b")", b"K#||#", b"Aa"];
    assert_text(&Syntax::SEXPLIB, LINES, &items, b"; one\n(#| two |#)\n#||#\na\n");
    assert_refused(&Syntax::SEXPLIB, LINES, &lexemes![b"(", b"K; one"], EncodeError::LineBreak);
    assert_refused(&Syntax::SEXPLIB, LINES, &lexemes![b"K#|\n|#"], EncodeError::LineBreak);
    for text in [
        &b"K"[..],
        b"K;a\n",
        b"K;a\r",
        b"Ka",
        b"K#",
        b"K#|",
        b"K#|#",
        b"K#|#|#",
        b"K#||#a",
        b"K#|#||#",
        b"K#|\"|#",
        b"K#|\"\\999\"|#",
        b"K#;",
        b"K#;a ",
        b"K#; ;a",
        b"K#;(a",
        b"K#;a)",
        b"K#;a b",
        b"K#;#;a",
        b"K#;(#;)",
        b"K#;a#|b",
        b"K#;\"a",
        b"K#;\ra",
        b"K#;;\r\ra\na",
        b"K#;)",
    ] {
        assert_refused(&Syntax::SEXPLIB, COMPACT, &lexemes(&[text]), EncodeError::NotAComment);
    }
    for text in [&b"K#|#||#|#"[..], b"K#|\"|#\"|#", b"K#|||#", b"K#|\"\\\"|#\\065\\x41\\q\"|#"] {
        assert_text(&Syntax::SEXPLIB, COMPACT, &lexemes(&[text]), &text[1..]);
    }
    for text in
        [&b"K#;a"[..], b"K#; a", b"K#;()", b"K#;\"a b\"", b"K#;#;a b", b"K#;(#;a)", b"K#;(a #;(b #;#;c d) \"\" #|)|# ;)\r\n)", b"K#;\r\n#"]
    {
        assert_text(&Syntax::SEXPLIB, COMPACT, &lexemes(&[text]), &text[1..]);
    }
    let deep = [b"K#;", &b"(".repeat(1000)[..], &b")".repeat(1000)].concat();
    assert_text(&Syntax::SEXPLIB, COMPACT, &lexemes(&[&deep]), &deep[1..]);
    let deep = [b"K#;", &b"(".repeat(40)[..], b"#;a", &b")".repeat(40)].concat();
    assert_text(&Syntax::SEXPLIB, COMPACT, &lexemes(&[&deep]), &deep[1..]);
    let items = lexemes![b"(", b"Aa", b"K#;b", b"Ac", b"K#;#", b"K;d", b"K#;()", b"Ae", b")", b"K#;f", b"Ag"];
    assert_text(&Syntax::SEXPLIB, COMPACT, &items, b"(a #;b c #;# ;d\n#;()e)#;f g");
    assert_text(&Syntax::SEXPLIB, INDENT, &items, b"(a #;b c #;# ;d\n #;() e)\n#;f\ng\n");
    for syntax in [&Syntax::SE, &Syntax::CANONICAL, &Syntax::TRANSPORT, &Syntax::ADVANCED] {
        assert_refused(syntax, COMPACT, &lexemes![b"K;a"], EncodeError::NoSuchKind(Kind::Comment));
    }
}

#[test]
fn refused() {
    for syntax in BASE {
        for options in [COMPACT, LINES, INDENT, RESPELL] {
            assert_refused(syntax, options, &lexemes![b")"], EncodeError::UnbalancedClose);
            assert_refused(syntax, options, &lexemes![b"(", b")", b")"], EncodeError::UnbalancedClose);
            assert_refused(syntax, options, &lexemes![b"(", b"(", b")"], EncodeError::UnclosedList(1));
            assert_refused(syntax, options, &lexemes![b"(", b"(", b"Aabc"], EncodeError::UnclosedList(2));
            for kind in [Kind::Char, Kind::Prefix] {
                assert_refused(syntax, options, &[Lexeme::new(kind, b"x").into()], EncodeError::NoSuchKind(kind));
            }
            for bytes in [&b"["[..], b"", b"((", b")"] {
                assert_refused(syntax, options, &[Lexeme::new(Kind::Open, bytes).into()], EncodeError::NoSuchDelimiter);
            }
            for bytes in [&b"]"[..], b"", b"))", b"("] {
                let items = [Lexeme::open().into(), Lexeme::new(Kind::Close, bytes).into()];
                assert_refused(syntax, options, &items, EncodeError::NoSuchDelimiter);
            }
        }
    }
    for syntax in [&Syntax::SE, &Syntax::SEXPLIB, &Syntax::CSEXP] {
        assert_refused(syntax, COMPACT, &lexemes![b"Ha", b"Ab"], EncodeError::NoSuchKind(Kind::Hint));
    }
    for syntax in [&Syntax::CANONICAL, &Syntax::TRANSPORT, &Syntax::ADVANCED] {
        for after in [&b"("[..], b")", b"Hb"] {
            assert_refused(syntax, COMPACT, &lexemes![b"(", b"Ha", after], EncodeError::MisplacedHint);
        }
        assert_refused(syntax, COMPACT, &lexemes![b"Ha"], EncodeError::MisplacedHint);
    }
    assert_refused(&Syntax::SE, COMPACT, &lexemes![b"A"], EncodeError::EmptyAtom);
    assert_refused(&Syntax::SE, COMPACT, &lexemes![b"Sabc)"], EncodeError::Unrepresentable { byte: b')', index: 3 });
    assert_refused(&Syntax::SE, COMPACT, &lexemes![b"Aabcdefghi\xff"], EncodeError::Unrepresentable { byte: 0xff, index: 9 });
}

/// What was refused leaves no trace: the rest is written as without it.
#[test]
fn an_error_changes_nothing() {
    let good = lexemes![b"Hh", b"Aa", b"(", b"Ab", b"Ac", b"(", b"Oa b", b")", b"Ad", b")", b"Ae", b"Sf"];
    let bad = [
        Lexeme::open(),
        Lexeme::close(),
        Lexeme::hint(b"h"),
        Lexeme::bare(b"a b"),
        Lexeme::bare(b""),
        Lexeme::new(Kind::Open, b"["),
        Lexeme::new(Kind::Close, b"]"),
        Lexeme::new(Kind::Prefix, b"'"),
        Lexeme::new(Kind::Comment, b"!"),
    ];
    for syntax in BASE {
        for options in [COMPACT, LINES, INDENT, RESPELL] {
            let expected = {
                let mut encoder = Encoder::with_options(syntax, options);
                let mut window = [0; 256];
                let mut output = encoder.window(&mut window);
                for &item in &good {
                    let Item::Lexeme(lexeme) = item else { panic!() };
                    let _ = output.encode(lexeme);
                }
                output.bytes().to_vec()
            };
            for size in [1, 2, 3, 5, 8, 13, 256] {
                let (mut encoder, mut text) = (Encoder::with_options(syntax, options), Vec::new());
                for &item in &good {
                    let Item::Lexeme(lexeme) = item else { panic!() };
                    let mut window = vec![0; size];
                    for bad in bad {
                        // Only what is an error here: a clone tells.
                        if let Encode::Error(error) = encoder.clone().window(&mut [0; 256]).encode(bad) {
                            assert_eq!(encoder.window(&mut window).encode(bad), Encode::Error(error));
                            assert_eq!(encoder.window(&mut []).encode(bad), Encode::Error(error));
                        }
                    }
                    loop {
                        let mut output = encoder.window(&mut window);
                        let outcome = output.encode(lexeme);
                        text.extend_from_slice(output.bytes());
                        if outcome != Encode::Partial {
                            break;
                        }
                        let expected = if lexeme == Lexeme::string(b"other") { Encode::Ok } else { Encode::Error(EncodeError::Unfinished) };
                        assert_eq!(encoder.window(&mut window).encode(Lexeme::string(b"other")), expected);
                        assert_eq!(encoder.window(&mut window).finish(), Encode::Error(EncodeError::Unfinished));
                    }
                }
                assert_eq!(text, expected, "{} in windows of {size}", syntax.name());
            }
        }
    }
}

/// All ways to cut the bytes into pieces: one bit a place between two bytes. An empty piece goes before, between or behind on top.
fn pieces(kind: Kind, bytes: &[u8], announced: bool, mut each: impl FnMut(&[Fragment<'_>])) {
    let total = announced.then_some(bytes.len() as u64);
    let places = bytes.len().saturating_sub(1);
    for cuts in 0..1u32 << places {
        let mut parts = Vec::new();
        let mut start = 0;
        for place in 0..places {
            if cuts >> place & 1 == 1 {
                parts.push(&bytes[start..=place]);
                start = place + 1;
            }
        }
        parts.push(&bytes[start..]);
        for empty in 0..=parts.len() {
            let mut parts = parts.clone();
            parts.insert(empty, b"");
            let last = parts.len() - 1;
            let fragment = |(index, &bytes): (usize, &_)| Fragment {
                kind,
                bytes,
                first: index == 0,
                last: index == last,
                total,
                span: Span::default(),
            };
            each(&parts.iter().enumerate().map(fragment).collect::<Vec<_>>());
        }
    }
}

#[test]
fn fragments() {
    let check = |syntax: &'static Syntax, options, kind, bytes: &[u8], announced, expected: &[u8]| {
        pieces(kind, bytes, announced, |fragments| {
            let mut items = lexemes![b"(", b"Aa"];
            items.extend(fragments.iter().map(|&fragment| Item::from(fragment)));
            items.extend(lexemes![b"Ab", b")"]);
            let line_end: &[u8] = if options == COMPACT { b"" } else { b"\n" };
            let expected = [b"(a", expected, b"b)", line_end].concat();
            for size in [1, 2, 3, 7, 80] {
                let text = write_in_windows(&mut Encoder::with_options(syntax, options), &items, size);
                assert_eq!(text.as_deref(), Ok(&expected[..]), "{}: {fragments:?}", syntax.name());
            }
        });
    };
    for announced in [false, true] {
        for kind in [Kind::Bare, Kind::String, Kind::Octets, Kind::Symbol] {
            check(&Syntax::SE, COMPACT, kind, b"abcde", announced, b" abcde ");
            check(&Syntax::SEXPLIB, COMPACT, kind, b"a#|b\n", announced, b"\"a#|b\\n\"");
        }
        for kind in [Kind::Bare, Kind::String, Kind::Symbol] {
            check(&Syntax::ADVANCED, COMPACT, kind, b"a#|b\n", announced, b"\"a#|b\\n\"");
        }
        check(&Syntax::SEXPLIB, INDENT, Kind::Bare, b"xyz", announced, b" \"xyz\" ");
    }
    check(&Syntax::ADVANCED, COMPACT, Kind::Octets, b"abc\n", true, b" 4:abc\n");
    check(&Syntax::ADVANCED, COMPACT, Kind::Octets, b"", true, b" 0:");
    for (octets, base64) in
        [(&b"a"[..], &b"YQ=="[..]), (b"ab", b"YWI="), (b"abc", b"YWJj"), (b"abcd", b"YWJjZA=="), (b"abcdefg", b"YWJjZGVmZw==")]
    {
        check(&Syntax::ADVANCED, COMPACT, Kind::Octets, octets, false, &[b"|", base64, b"|"].concat());
        check(&Syntax::ADVANCED, LINES, Kind::Octets, octets, true, &[b"|", base64, b"|"].concat());
    }
}

#[test]
fn fragments_counted() {
    for kind in [Kind::Bare, Kind::String, Kind::Octets, Kind::Symbol] {
        pieces(kind, b"abcde", true, |fragments| {
            let mut items = lexemes![b"(", b"Aa"];
            items.extend(fragments.iter().map(|&fragment| Item::from(fragment)));
            items.extend(lexemes![b"Ab", b")"]);
            for size in [1, 2, 3, 7, 80] {
                let write = |syntax| write_in_windows(&mut Encoder::new(syntax), &items, size);
                assert_eq!(write(&Syntax::CANONICAL).as_deref(), Ok(&b"(1:a5:abcde1:b)"[..]));
                assert_eq!(write(&Syntax::CSEXP).as_deref(), Ok(&b"(1:a5:abcde1:b)"[..]));
                assert_eq!(write(&Syntax::TRANSPORT).as_deref(), Ok(&b"{KDE6YTU6YWJjZGUxOmIp}"[..]));
            }
        });
    }
}

/// A fragmented atom at the top level, in the layouts, and after a hint.
#[test]
fn fragments_are_forms() {
    let piece = Fragment { kind: Kind::String, bytes: b"a", first: true, last: false, total: Some(2), span: Span::default() };
    let end = Fragment { first: false, last: true, ..piece };
    let items = [Lexeme::hint(b"h").into(), piece.into(), end.into(), piece.into(), end.into()];
    assert_text(&Syntax::ADVANCED, LINES, &items, b"[h]\"aa\"\n\"aa\"\n");
    assert_text(&Syntax::ADVANCED, INDENT, &items, b"[h]\"aa\"\n\"aa\"\n");
    assert_text(&Syntax::TRANSPORT, COMPACT, &items, b"{WzE6aF0yOmFh}{MjphYQ==}");
    // A single piece is the whole: its spelling is known.
    let whole = Fragment { kind: Kind::Bare, bytes: b"ab", first: true, last: true, total: None, span: Span::default() };
    assert_text(&Syntax::SEXPLIB, LINES, &[whole.into(), whole.into()], b"ab\nab\n");
    assert_text(&Syntax::CANONICAL, COMPACT, &[whole.into()], b"2:ab");
}

#[test]
fn fragments_refused() {
    let first = Fragment { kind: Kind::Bare, bytes: b"ab", first: true, last: false, total: None, span: Span::default() };
    let middle = Fragment { first: false, ..first };
    let last = Fragment { last: true, ..middle };
    let whole = Fragment { last: true, ..first };
    let refused = |syntax, fragments: &[Fragment<'_>], error| {
        let items = fragments.iter().map(|&fragment| fragment.into()).collect::<Vec<_>>();
        assert_refused(syntax, COMPACT, &items, error);
    };
    for syntax in BASE {
        refused(syntax, &[last], EncodeError::FirstFragmentExpected);
        refused(syntax, &[whole, middle], EncodeError::FirstFragmentExpected);
        for kind in [Kind::Open, Kind::Close, Kind::Hint, Kind::Prefix, Kind::Char, Kind::Comment] {
            refused(syntax, &[Fragment { kind, ..first }], EncodeError::NoSuchKind(kind));
            refused(syntax, &[Fragment { kind, ..whole }], EncodeError::NoSuchKind(kind));
        }
        let announced = Fragment { total: Some(3), ..first };
        refused(syntax, &[announced, middle], EncodeError::TotalMismatch);
        refused(syntax, &[announced, last], EncodeError::TotalMismatch);
        refused(syntax, &[Fragment { total: Some(1), ..first }], EncodeError::TotalMismatch);
        refused(syntax, &[Fragment { total: Some(5), ..first }, last], EncodeError::TotalMismatch);
        refused(syntax, &[Fragment { total: Some(5), ..whole }], EncodeError::TotalMismatch);
        refused(syntax, &[announced, announced], EncodeError::FragmentExpected);
        refused(syntax, &[announced], EncodeError::FragmentExpected);
        assert_refused(syntax, COMPACT, &[announced.into(), Lexeme::open().into()], EncodeError::FragmentExpected);
    }
    for syntax in [&Syntax::CANONICAL, &Syntax::CSEXP, &Syntax::TRANSPORT] {
        refused(syntax, &[first], EncodeError::TotalNeeded);
    }
    refused(&Syntax::SE, &[first, Fragment { bytes: b"c d", ..last }], EncodeError::Unrepresentable { byte: b' ', index: 3 });
    refused(&Syntax::SE, &[Fragment { bytes: b"", ..first }, Fragment { bytes: b"", ..last }], EncodeError::EmptyAtom);
    refused(&Syntax::SE, &[Fragment { bytes: b"", total: Some(0), ..first }], EncodeError::EmptyAtom);
}

/// A syntax with comments and guarded bytes but without quotes: pieces must not make a comment together.
#[test]
fn pieces_of_bare_atoms_are_checked_across_cuts() {
    const HASH: Lead = Lead::new(b'#').block_comment(b'|').datum_comment(b'_');
    static GUARDED: Syntax = Syntax::builder("guarded", "")
        .spaces(b" \n")
        .list(b'(', b')')
        .leads(&[HASH])
        .block_comment([b'#', b'|'], [b'|', b'#'], true)
        .guard_block_comment()
        .other_bytes_are_atoms()
        .build();
    static LOOSE: Syntax = Syntax::builder("loose", "")
        .spaces(b" \n")
        .list(b'(', b')')
        .leads(&[HASH])
        .block_comment([b'#', b'|'], [b'|', b'#'], true)
        .atoms(&[(b'#', b'#')])
        .other_bytes_are_atoms()
        .build();
    let outcome = |syntax, bytes: &[u8]| {
        let whole = text(syntax, COMPACT, &[Lexeme::bare(bytes).into()]);
        pieces(Kind::Bare, bytes, false, |fragments| {
            let items = fragments.iter().map(|&fragment| fragment.into()).collect::<Vec<_>>();
            assert_eq!(text(syntax, COMPACT, &items), whole, "{fragments:?}");
        });
        whole.map(|text| assert_eq!(text, bytes))
    };
    let refused = |byte, index| Err(EncodeError::Unrepresentable { byte, index });
    assert_eq!(outcome(&GUARDED, b"a#|b"), refused(b'|', 2));
    assert_eq!(outcome(&GUARDED, b"a|#b"), refused(b'#', 2));
    assert_eq!(outcome(&GUARDED, b"#_b"), refused(b'_', 1));
    assert_eq!(outcome(&GUARDED, b"a#_b|"), Ok(()));
    assert_eq!(outcome(&LOOSE, b"a#|b|#"), Ok(()));
    assert_eq!(outcome(&LOOSE, b"#|b"), refused(b'|', 1));
    assert_eq!(outcome(&LOOSE, b"|#"), Ok(()));
    assert_eq!(outcome(&LOOSE, b"##|"), Ok(()));
}

/// The pieces of an atom, as items.
fn in_pieces<'a>(kind: Kind, parts: &[&'a [u8]]) -> Vec<Item<'a>> {
    let last = parts.len() - 1;
    let fragment = |(i, &bytes): (usize, &&'a [u8])| {
        Item::from(Fragment { kind, bytes, first: i == 0, last: i == last, total: None, span: Span::default() })
    };
    parts.iter().enumerate().map(fragment).collect()
}

/// Characters, escaped atoms and templates are written in one piece or not at all: only as a whole can they be looked at.
#[test]
fn what_is_written_as_it_is_comes_in_one_piece() {
    for (syntax, kind, bytes) in [
        (&Syntax::SCHEME, Kind::Char, &b"#\\space"[..]),
        (&Syntax::COMMONLISP, Kind::Escaped, b"a|b c|"),
        (&Syntax::DUNE, Kind::Template, b"a%{b}"),
        (&Syntax::CLOJURE, Kind::Template, b"#\"\\d+\""),
    ] {
        assert_text(syntax, COMPACT, &in_pieces(kind, &[bytes]), bytes);
        assert_refused(syntax, COMPACT, &in_pieces(kind, &[&bytes[..2], &bytes[2..]]), EncodeError::NoSuchKind(kind));
        assert_refused(syntax, COMPACT, &in_pieces(kind, &[b"", bytes]), EncodeError::NoSuchKind(kind));
    }
    for syntax in Syntax::ALL {
        assert_refused(syntax, COMPACT, &in_pieces(Kind::Char, &[b"x", b"y"]), EncodeError::NoSuchKind(Kind::Char));
    }
}

/// A piece satisfies a prefix as a whole atom does, and is refused where the prefix wants something else.
#[test]
fn pieces_follow_prefixes() {
    let after = |prefix: &'static [u8], kind, parts: &[&'static [u8]]| {
        let mut items = vec![Item::from(Lexeme::open()), Lexeme::new(Kind::Prefix, prefix).into()];
        items.extend(in_pieces(kind, parts));
        items.push(Lexeme::close().into());
        items
    };
    for syntax in [&Syntax::SCHEME, &Syntax::ELISP, &Syntax::COMMONLISP] {
        assert_text(syntax, COMPACT, &after(b"'", Kind::String, &[b"a", b"b"]), b"('\"ab\")");
        assert_text(syntax, COMPACT, &after(b"'", Kind::Bare, &[b"a", b"b"]), b"('ab)");
        assert_text(syntax, COMPACT, &after(b"'", Kind::Bare, &[b"", b"a", b"b"]), b"('ab)");
    }
    // `,@` would be another prefix.
    assert_text(&Syntax::R7RS, COMPACT, &after(b",", Kind::Bare, &[b"@", b"b"]), b"(, @b)");
    let items = [Lexeme::new(Kind::Prefix, b"#u8"), Lexeme::new(Kind::Symbol, b"")].map(Item::from);
    assert_refused(&Syntax::R7RS, COMPACT, &items, EncodeError::MisplacedPrefix);
    for prefix in [&b"#u8"[..], b"#"] {
        assert_refused(&Syntax::R7RS, COMPACT, &after(prefix, Kind::Bare, &[b"a", b"b"]), EncodeError::MisplacedPrefix);
        assert_refused(&Syntax::R7RS, COMPACT, &after(prefix, Kind::Bare, &[b"", b"ab"]), EncodeError::MisplacedPrefix);
    }
}

/// A symbol in quotes whose lead is its first byte has it once; without the lead nothing is written.
#[test]
fn pieces_keep_the_lead_of_their_quotes() {
    pieces(Kind::Symbol, b"$a b", false, |fragments| {
        let items = fragments.iter().map(|&fragment| fragment.into()).collect::<Vec<_>>();
        assert_text(&Syntax::WAT, COMPACT, &items, b"$\"a b\"");
    });
    let refused = EncodeError::Unrepresentable { byte: b'a', index: 0 };
    assert_refused(&Syntax::WAT, COMPACT, &in_pieces(Kind::Symbol, &[b"", b"a", b"b"]), refused);
    assert_refused(&Syntax::WAT, COMPACT, &in_pieces(Kind::Symbol, &[b"", b""]), EncodeError::EmptyAtom);
}

#[test]
fn pieces_switch_quotes() {
    let mut items = lexemes![b"(", b"Astring_quote", b"A'"];
    items.extend(in_pieces(Kind::String, &[b"a\"", b"b"]));
    items.extend(in_pieces(Kind::Bare, &[b"c", b" d"]));
    items.extend(lexemes![b")"]);
    assert_text(&Syntax::DSN, COMPACT, &items, b"(string_quote ' 'a\"b''c d')");
    let mut items = lexemes![b"Astring_quote"];
    items.extend(in_pieces(Kind::Bare, &[b"'", b""]));
    assert_refused(&Syntax::DSN, COMPACT, &items, EncodeError::NoSuchKind(Kind::Bare));
    for (next, kind) in [(&b"K# c"[..], Kind::Comment), (b"S'", Kind::String)] {
        assert_refused(&Syntax::DSN, COMPACT, &lexemes(&[b"(", b"Astring_quote", next]), EncodeError::NoSuchKind(kind));
    }
}

/// What stands after an atom depends on its first byte, not on that of its last piece.
#[test]
fn pieces_end_like_the_whole() {
    for (syntax, atom) in [
        (&Syntax::SCHEME, &b"#xa"[..]),
        (&Syntax::SCHEME, b"a#"),
        (&Syntax::ELISP, b".a"),
        (&Syntax::ELISP, b"a."),
        (&Syntax::R7RS, b"#e1"),
    ] {
        for next in [Lexeme::open(), Lexeme::string(b"x"), Lexeme::bare(b"y")] {
            let written = |atom: Vec<Item<'_>>| {
                let items = [&lexemes![b"("][..], &atom, &[next.into()]].concat();
                let mut window = [0; 64];
                let mut encoder = Encoder::new(syntax);
                let mut output = encoder.window(&mut window);
                for item in items {
                    let outcome = match item {
                        Item::Lexeme(lexeme) => output.encode(lexeme),
                        Item::Fragment(fragment) => output.fragment(fragment),
                    };
                    assert_eq!(outcome, Encode::Ok);
                }
                output.bytes().to_vec()
            };
            let whole = written(vec![Lexeme::bare(atom).into()]);
            let (one, other) = atom.split_at(atom.len() - 1);
            assert_eq!(written(in_pieces(Kind::Bare, &[one, other])), whole, "{}", syntax.name());
        }
    }
}

/// Where a cut hides what the whole would be read as, the piece that makes it so is refused.
#[test]
fn pieces_of_bare_atoms_are_not_taken_for_something_else() {
    let unrepresentable = |byte, index| EncodeError::Unrepresentable { byte, index };
    let refused = |syntax, parts: &[&[u8]], error| assert_refused(syntax, COMPACT, &in_pieces(Kind::Bare, parts), error);
    let carried = |syntax, parts: &[&[u8]]| assert_text(syntax, COMPACT, &in_pieces(Kind::Bare, parts), &parts.concat());
    // A vector of bytes, a label, a character, a comment.
    refused(&Syntax::GUILE, &[b"#u", b"8"], unrepresentable(b'u', 1));
    refused(&Syntax::R7RS, &[b"#1", b"="], unrepresentable(b'1', 1));
    refused(&Syntax::R7RS, &[b"#", b"\\a"], unrepresentable(b'\\', 1));
    refused(&Syntax::R7RS, &[b"#", b"|a"], unrepresentable(b'|', 1));
    carried(&Syntax::R7RS, &[b"#", b"true"]);
    refused(&Syntax::R7RS, &[b",", b""], unrepresentable(b',', 0));
    // `?` begins another token of PDDL.
    refused(&Syntax::PDDL, &[b"a", b"?b"], unrepresentable(b'?', 1));
    carried(&Syntax::PDDL, &[b"?", b"b"]);
    // U+00A0 is white space to Emacs, `?` begins a character.
    refused(&Syntax::ELISP, &[b"a\xc2", b"\xa0"], unrepresentable(0xa0, 2));
    refused(&Syntax::ELISP, &[b"\xc2", b"\xa0"], unrepresentable(0xa0, 1));
    carried(&Syntax::ELISP, &[b"a\xc2", b"\xa3"]);
    refused(&Syntax::ELISP, &[b"?", b"a"], unrepresentable(b'?', 0));
    // A byte order mark, where no blank can stand before it.
    refused(&NO_BLANKS, &[b"\xef\xbb", b"\xbf"], unrepresentable(0xbf, 2));
    carried(&NO_BLANKS, &[b"\xef\xbb\xbe", b"a"]);
    // A comment, at the start of a line.
    static LINED: Syntax =
        Syntax::builder("lined", "").spaces(b" \n").list(b'(', b')').comment_at_line_start(b'#').other_bytes_are_atoms().build();
    refused(&LINED, &[b"#", b"a"], unrepresentable(b'#', 0));
    refused(&LINED, &[b"", b"#a"], unrepresentable(b'#', 0));
    let items = [&lexemes![b"("][..], &in_pieces(Kind::Bare, &[b"#", b"a"]), &lexemes![b")"]].concat();
    assert_text(&LINED, COMPACT, &items, b"(#a)");
}

static NO_BLANKS: Syntax =
    Syntax::builder("no blanks", "").spaces(b"\n").list(b'(', b')').byte_order_mark().other_bytes_are_atoms().build();

/// An atom that begins with U+FEFF is not taken for a byte order mark: at the start of the text a blank stands before it, and only there.
#[test]
fn atoms_that_begin_like_a_byte_order_mark() {
    let mark = b"A\xef\xbb\xbfa";
    for syntax in [&Syntax::PLAIN, &Syntax::R6RS, &Syntax::R7RS, &Syntax::EDN, &Syntax::TREEBANK, &Syntax::KICAD, &Syntax::ELISP] {
        for (layout, end) in [(COMPACT, &b""[..]), (LINES, b"\n")] {
            let expected = [b" \xef\xbb\xbfa", end].concat();
            assert_text(syntax, layout, &lexemes![mark], &expected);
            // Elsewhere pieces are put in quotes.
            if !["plain", "kicad"].contains(&syntax.name()) {
                assert_text(syntax, layout, &in_pieces(Kind::Bare, &[b"\xef\xbb", b"\xbfa"]), &expected);
                assert_text(syntax, layout, &in_pieces(Kind::Bare, &[b"", b"\xef", b"\xbb\xbfa"]), &expected);
            }
        }
        assert_text(syntax, LINES, &lexemes![b"Aa", mark], b"a\n\xef\xbb\xbfa\n");
        assert_text(syntax, COMPACT, &lexemes![b"(", mark, b")"], b"(\xef\xbb\xbfa)");
        // What only begins like one needs none.
        assert_text(syntax, COMPACT, &lexemes![b"A\xef\xbb\xbea"], b"\xef\xbb\xbea");
    }
    assert_text(&Syntax::R6RS, COMPACT, &lexemes![b"B\xef\xbb\xbf("], b" \xef\xbb\xbf\\x28;");
    let escaped = [Item::from(Lexeme::new(Kind::Escaped, b"\xef\xbb\xbf\\,"))];
    assert_text(&Syntax::COMMONLISP, COMPACT, &escaped, b" \xef\xbb\xbf\\,");
    assert!(text(&NO_BLANKS, COMPACT, &lexemes![mark]).is_err());
}

/// The byte that names Specctra's quote is the next that is neither white space nor a parenthesis; these cannot be written as it. What would
/// be a comment is put in the quotes that are named.
#[test]
fn what_names_the_quote() {
    for byte in *b" \0\n()" {
        let named = [b'A', byte];
        let items = lexemes![b"(", b"Astring_quote", named];
        assert_refused(&Syntax::DSN, COMPACT, &items, EncodeError::Unrepresentable { byte, index: 0 });
    }
    let items = lexemes![b"Astring_quote", b"A'", b"A#c"];
    assert_text(&Syntax::DSN, LINES, &items, b"string_quote\n'\n'#c'\n");
}

/// The last line of a block of lines ends with its line feed, or nothing could come after it.
#[test]
fn a_block_of_lines_that_does_not_end() {
    let template = |text| [Item::from(Lexeme::new(Kind::Template, text))];
    assert_refused(&Syntax::DUNE, COMPACT, &template(b"\"\\| %{a}"), EncodeError::NotA(Kind::Template));
    // A blank line shows that no further line of the block follows.
    assert_text(&Syntax::DUNE, COMPACT, &template(b"\"\\| %{a}\n"), b"\"\\| %{a}\n\n");
    assert_text(&Syntax::DUNE, COMPACT, &template(b"\"\\n%{a}\""), b"\"\\n%{a}\"");
}

/// Where only the next byte shows what a prefix is, a blank stands before the comment.
#[test]
fn comments_behind_prefixes() {
    let items = lexemes![b"P,", b"K#;a", b"Ab"];
    assert_text(&Syntax::R7RS, COMPACT, &items, b",#;a b");
    assert_text(&Syntax::EDN, COMPACT, &lexemes![b"P#inst", b"K#_a", b"Sb"], b"#inst #_a \"b\"");
    assert_refused(&Syntax::R7RS, COMPACT, &lexemes![b"P#u8", b"K;a"], EncodeError::MisplacedPrefix);
}

/// A symbol in pieces is not written as a string where that is something else.
#[test]
fn pieces_of_symbols() {
    for syntax in [&Syntax::COMMONLISP, &Syntax::SCHEME] {
        let quoted = syntax.name() == "scheme";
        let expected: &[u8] = if quoted { b"#{a|b}#" } else { b"|a\\|b|" };
        assert_text(syntax, COMPACT, &in_pieces(Kind::Symbol, &[b"a|", b"b"]), expected);
    }
    assert_text(&Syntax::SMTLIB, COMPACT, &in_pieces(Kind::Symbol, &[b"a ", b"b"]), b"|a b|");
    for syntax in [&Syntax::ELISP, &Syntax::RACKET, &Syntax::R6RS] {
        assert_refused(syntax, COMPACT, &in_pieces(Kind::Symbol, &[b"a ", b"b"]), EncodeError::NoSuchKind(Kind::Symbol));
    }
}

/// Strings whose line feeds are not escaped otherwise stay on their line where they can, and are refused where they cannot.
#[test]
fn a_form_stays_on_its_line() {
    static QUOTES: [Quote; 1] = [Quote::string(b'"').escape_with(b'\\')];
    static NUMBERED: [Quote; 1] = [Quote::string(b'"').escape_with(b'\\').number(sexp_codec::Number::Octal)];
    static RAW: Syntax = Syntax::builder("raw", "").spaces(b" \n").list(b'(', b')').quotes(&QUOTES).other_bytes_are_atoms().build();
    static ESCAPED: Syntax =
        Syntax::builder("escaped", "").spaces(b" \n").list(b'(', b')').quotes(&NUMBERED).other_bytes_are_atoms().build();
    let items = lexemes![b"Sa\nb"];
    assert_text(&RAW, COMPACT, &items, b"\"a\nb\"");
    assert_refused(&RAW, LINES, &items, EncodeError::Unrepresentable { byte: b'\n', index: 1 });
    assert_text(&ESCAPED, COMPACT, &items, b"\"a\nb\"");
    assert_text(&ESCAPED, LINES, &items, b"\"a\\012b\"\n");
}

/// Symbols in bars, and delimiters of another shape.
#[test]
fn a_syntax_of_ones_own() {
    static QUOTES: [Quote; 2] = [Quote::string(b'"').escape_with(b'\\'), Quote::symbol(b'|').escape_with(b'\\')];
    static MINE: Syntax = Syntax::builder("mine", "").spaces(b" \n").list(b'[', b']').quotes(&QUOTES).other_bytes_are_atoms().build();
    let items = [
        Lexeme::new(Kind::Open, b"["),
        Lexeme::bare(b"a"),
        Lexeme::new(Kind::Symbol, b"b|"),
        Lexeme::string(b"\""),
        Lexeme::bare(b"c d"),
        Lexeme::new(Kind::Close, b"]"),
    ]
    .map(Item::from);
    assert_text(&MINE, COMPACT, &items, b"[a|b\\||\"\\\"\"\"c d\"]");
    assert_refused(&MINE, COMPACT, &lexemes![b"("], EncodeError::NoSuchDelimiter);
}

/// Every window size, for a long and mixed sequence in every syntax and layout.
#[test]
fn windows_of_every_size() {
    let long = vec![b'x'; 300];
    let mixed = (0..=255).collect::<Vec<u8>>();
    let long_atom = [b"A", &long[..]].concat();
    let mixed_string = [b"S", &mixed[..]].concat();
    let mixed_octets = [b"O", &mixed[..]].concat();
    let mut items = lexemes![b"(", b"Aa", b"Abc", b"(", b"(", b"Adefg", b")", b"Ahijklmnop", b")", b"Aq", b")", b"(", b")", b"Arst"];
    items.extend(lexemes(&[&long_atom, &long_atom]));
    for syntax in BASE {
        let mut items = items.clone();
        if syntax.name() != "se" {
            items.extend(lexemes(&[&mixed_string, b"(", &mixed_octets, &long_atom, b"Sx", b"A!", b"A#", b")", b"A "]));
        }
        if ["canonical", "transport", "advanced"].contains(&syntax.name()) {
            items.extend(lexemes(&[b"Htext", &mixed_octets, b"(", &mixed_string, b")"]));
        }
        for options in [COMPACT, LINES, INDENT, RESPELL, INDENT.respell(true)] {
            text(syntax, options, &items).unwrap();
        }
    }
}

#[test]
fn deep_lists_are_linear() {
    const DEPTH: usize = 200_000;
    for options in [COMPACT, LINES, INDENT] {
        let mut encoder = Encoder::with_options(&Syntax::SEXPLIB, options);
        let (mut window, mut sum) = (vec![0; 4096], 0);
        let a = Lexeme::bare(b"a");
        let lexemes = (0..DEPTH).flat_map(|_| [Lexeme::open(), a]).chain((0..DEPTH).map(|_| Lexeme::close()));
        for lexeme in lexemes {
            loop {
                let mut output = encoder.window(&mut window);
                let outcome = output.encode(lexeme);
                sum += output.written();
                if outcome == Encode::Ok {
                    break;
                }
            }
        }
        assert_eq!(encoder.depth(), 0);
        assert!(sum <= DEPTH * (3 + 1 + 2 * 64), "{sum}");
    }
}

#[test]
fn reset_forgets() {
    let mut encoder = Encoder::with_options(&Syntax::SEXPLIB, LINES);
    assert_eq!(encoder.window(&mut [0; 3]).encode(Lexeme::open()), Encode::Ok);
    assert_eq!(encoder.window(&mut [0; 3]).encode(Lexeme::string(b"abc")), Encode::Partial);
    let checkpoint = encoder.clone();
    encoder.reset();
    assert_eq!(encoder.depth(), 0);
    let mut window = [0; 8];
    let mut output = encoder.window(&mut window);
    assert_eq!(output.encode(Lexeme::bare(b"a")), Encode::Ok);
    assert_eq!(output.bytes(), b"a\n");
    encoder = checkpoint;
    let mut output = encoder.window(&mut window);
    assert_eq!(output.encode(Lexeme::string(b"abc")), Encode::Ok);
    assert_eq!(output.bytes(), b"c\"");
}

#[cfg(feature = "std")]
mod blocking {
    use super::*;
    use sexp_codec::blocking;
    use std::io;

    /// Takes few bytes at a time, and fails every other time.
    struct Reluctant {
        text: Vec<u8>,
        fails: bool,
    }

    impl io::Write for Reluctant {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.fails = !self.fails;
            if self.fails {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let count = bytes.len().min(2);
            self.text.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn goes_on_after_errors_of_the_sink() {
        for capacity in 0..20 {
            let sink = Reluctant { text: Vec::new(), fails: false };
            let mut encoder = blocking::Encoder::with_capacity(sink, capacity, &Syntax::SEXPLIB, COMPACT);
            let again = |outcome: Result<(), blocking::EncodeError>| match outcome {
                Ok(()) => false,
                Err(blocking::EncodeError::Io(error)) => error.kind() == io::ErrorKind::WouldBlock,
                Err(error) => panic!("{error}"),
            };
            for lexeme in [Lexeme::open(), Lexeme::bare(b"abc"), Lexeme::bare(b"def"), Lexeme::string(b"\0 a long string"), Lexeme::close()]
            {
                while again(encoder.encode(lexeme)) {}
            }
            while again(encoder.finish()) {}
            assert_eq!(encoder.into_inner().text, b"(abc def\"\\000 a long string\")");
        }
    }

    #[test]
    fn refuses() {
        let mut encoder = blocking::Encoder::new(Vec::new(), &Syntax::SE);
        assert!(matches!(encoder.encode(Lexeme::close()), Err(blocking::EncodeError::Refused(EncodeError::UnbalancedClose))));
        encoder.encode(Lexeme::open()).unwrap();
        assert!(matches!(encoder.finish(), Err(blocking::EncodeError::Refused(EncodeError::UnclosedList(1)))));
        assert!(encoder.get_ref().is_empty());
        encoder.flush().unwrap();
        assert_eq!(encoder.into_inner(), b"(");
    }
}
