//! The layout for people: where lines end in each dialect, that the size of the windows does not matter, that what was laid out stays so
//! and reads back the same, and that no more than a line is held.

mod harness;

use harness::rows;
use proptest::prelude::*;
use proptest::sample::select;
use sexp_codec::nonblocking::{Decode, Decoder, Encode, Encoder, Input};
use sexp_codec::{EncodeOptions, Kind, Layout, Lexeme, Options, Syntax, blocking};

type Owned = (Kind, Vec<u8>);

fn options(width: u16) -> EncodeOptions {
    EncodeOptions::new().layout(Layout::Indent).width(width)
}

/// The lexemes of a text, comments included, if there is no error in it and no list is open at its end.
fn read(syntax: &'static Syntax, text: &[u8]) -> Option<Vec<Owned>> {
    let mut lexemes = Vec::new();
    let mut take = |mut input: Input<'_, '_>| loop {
        match input.decode() {
            Decode::Lexeme(lexeme) => lexemes.push((lexeme.kind, lexeme.bytes.to_vec())),
            Decode::Await | Decode::End => return true,
            _ => return false,
        }
    };
    let mut decoder = Decoder::with_options(syntax, Options::default().comments(true));
    (take(decoder.feed(text)) && take(decoder.finish())).then_some(lexemes)
}

/// Writes lexemes into windows of that size; those that are refused are left out, and so is what they leave open at the end.
fn write(syntax: &'static Syntax, width: u16, lexemes: &[Owned], size: usize) -> (Vec<u8>, Vec<Owned>) {
    let mut encoder = Encoder::with_options(syntax, options(width));
    let (mut text, mut window, mut written) = (Vec::new(), vec![0; size], Vec::new());
    for (kind, bytes) in lexemes {
        loop {
            let mut output = encoder.window(&mut window);
            let outcome = output.encode(Lexeme::new(*kind, bytes));
            text.extend_from_slice(output.bytes());
            match outcome {
                Encode::Ok => written.push((*kind, bytes.clone())),
                Encode::Partial => {
                    assert_eq!(output.remaining(), 0, "a window of {size} is not filled");
                    continue;
                }
                Encode::Error(_) => assert_eq!(output.written(), 0, "an error has written something"),
            }
            break;
        }
    }
    (text, written)
}

/// Lays out a text, in windows of several sizes.
#[track_caller]
fn lay_out(syntax: &'static Syntax, width: u16, text: &str) -> String {
    let lexemes = read(syntax, text.as_bytes()).unwrap_or_else(|| panic!("{}: {text}", syntax.name()));
    let (whole, written) = write(syntax, width, &lexemes, 4096);
    assert_eq!(written, lexemes, "{}: something was refused", syntax.name());
    for size in [1, 2, 3, 7, 16, 80] {
        assert!(write(syntax, width, &lexemes, size).0 == whole, "{} in windows of {size}", syntax.name());
    }
    String::from_utf8(whole).unwrap()
}

#[track_caller]
fn assert_layout(syntax: &'static Syntax, width: u16, text: &str, expected: &str) {
    let laid_out = lay_out(syntax, width, text);
    assert!(laid_out == expected, "{}:\n{laid_out}instead of\n{expected}", syntax.name());
    assert!(lay_out(syntax, width, expected) == expected, "{}: a second time it is laid out otherwise", syntax.name());
}

#[test]
fn boards() {
    let text = r#"(footprint "R" (layer "F.Cu") (at 1 2 90) (property "Reference" "R1" (effects (font (size 1 1)) hide)) (pts))"#;
    let expected = "(footprint \"R\"
\t(layer \"F.Cu\")
\t(at 1 2 90)
\t(property \"Reference\" \"R1\"
\t\t(effects
\t\t\t(font
\t\t\t\t(size 1 1)
\t\t\t)
\t\t\thide
\t\t)
\t)
\t(pts)
)
";
    assert_layout(&Syntax::KICAD, 80, text, expected);
    let text = r#"(pcb x (parser (string_quote ") (space_in_quoted_tokens on)) (place (component R1 (place "R-1" 1 2 front))))"#;
    let expected = r#"(pcb x
  (parser
    (string_quote ")
    (space_in_quoted_tokens on)
  )
  (place
    (component R1 (place "R-1" 1 2 front))
  )
)
"#;
    assert_layout(&Syntax::DSN, 44, text, expected);
}

#[test]
fn stanzas() {
    let text =
        "(library (name a) (libraries b c) (preprocess (pps d)) (foreign_stubs (language c) (flags (:standard (e)))))(lang dune 3.0)";
    let expected = "(library
 (name a)
 (libraries b c)
 (preprocess (pps d))
 (foreign_stubs
  (language c)
  (flags
   (:standard (e)))))
(lang dune 3.0)
";
    assert_layout(&Syntax::DUNE, 80, text, expected);
    assert_layout(&Syntax::DUNE, 12, "(libraries aaa bbb ccc ddd eee)", "(libraries\n aaa bbb ccc\n ddd eee)\n");
    assert_layout(
        &Syntax::SEXPLIB,
        20,
        "((name foo) (values (1 2 3)) (more (4 5 6)))",
        "((name foo)\n (values (1 2 3))\n (more (4 5 6)))\n",
    );
}

#[test]
fn code() {
    let text = "(defun f (a b) \"Add.\" (let ((c (+ a b))) (print c) '(1 2 3)) c)";
    let expected = "(defun f (a b)
  \"Add.\"
  (let ((c (+ a b)))
    (print c)
    '(1 2 3))
  c)
";
    assert_layout(&Syntax::ELISP, 24, text, expected);
    assert_layout(&Syntax::ELISP, 80, text, "(defun f (a b) \"Add.\" (let ((c (+ a b))) (print c) '(1 2 3)) c)\n");
    assert_layout(&Syntax::EDN, 16, "{:a 1 :b [1 2 3] :c #{4 5}}", "{:a 1 :b [1 2 3]\n :c #{4 5}}\n");
    assert_layout(
        &Syntax::CLOJURE,
        16,
        "(defn f [x y] (let [a 1] [x y a {:b 1}]))",
        "(defn f [x y]\n  (let [a 1]\n    [x y a\n     {:b 1}]))\n",
    );
    let text = "(module (func $f (param i32) (i32.add (local.get 0) (i32.const 1))))";
    let expected = "(module
  (func $f
    (param i32)
    (i32.add
      (local.get 0)
      (i32.const 1))))
";
    assert_layout(&Syntax::WAT, 24, text, expected);
}

#[test]
fn commands() {
    let text = "(set-logic QF_LIA)(assert (and (= x 1) (or (< y 2) (> y 3))))(check-sat)";
    assert_layout(&Syntax::SMTLIB, 80, text, "(set-logic QF_LIA)\n(assert (and (= x 1) (or (< y 2) (> y 3))))\n(check-sat)\n");
    let expected = "(set-logic QF_LIA)
(assert
  (and
    (= x 1)
    (or
      (< y 2)
      (> y 3))))
(check-sat)
";
    assert_layout(&Syntax::SMTLIB, 20, text, expected);
    assert_layout(&Syntax::PDDL, 80, "(define (domain d) (:types a b))", "(define (domain d)\n  (:types a b))\n");
    assert_layout(&Syntax::GIMPRC, 80, "(info \"cm\" (factor 2.5) (digits 2))", "(info \"cm\"\n    (factor 2.5)\n    (digits 2))\n");
}

/// A line comment ends its line, and what it is in takes several; one with a byte more has a line of its own.
#[test]
fn comments() {
    let text = "; top\n(a ; one\n b (c) ;; two\n (d ; three\n) #|four|# e;five\n)";
    let expected = "; top
(a ; one
  b (c)
  ;; two
  (d ; three
  ) #|four|#
  e ;five
)
";
    assert_layout(&Syntax::R7RS, 80, text, expected);
    assert_layout(&Syntax::KICAD, 80, "# top\n(a\n# one\nb (c d)\n# two\n)\n", "# top\n(a\n\t# one\n\tb\n\t(c d)\n\t# two\n)\n");
    assert_layout(&Syntax::WAT, 80, "(a ;; one\n b (; two ;) c)", "(a ;; one\n  b (; two ;) c)\n");
}

/// Whatever stands in the rows of test data, at several widths: laid out, it reads back the same, and a second time it does not change.
#[test]
fn the_rows_stay_as_they_are_laid_out() {
    let mut count = 0;
    for row in rows::all() {
        for &(subject, _) in &row.subjects {
            let Some(lexemes) = read(subject.syntax, &row.input) else { continue };
            for width in [0, 1, 7, 20, 80] {
                let (text, written) = write(subject.syntax, width, &lexemes, 4096);
                if written.len() < lexemes.len() {
                    continue;
                }
                let context = || format!("{} {}: {}", row.place, subject.name, text.escape_ascii());
                let back = read(subject.syntax, &text).unwrap_or_else(|| panic!("{}", context()));
                assert_eq!(values(&back), values(&lexemes), "{}", context());
                assert_eq!(
                    write(subject.syntax, width, &back, 5).0.escape_ascii().to_string(),
                    text.escape_ascii().to_string(),
                    "{}",
                    context()
                );
                count += 1;
            }
        }
    }
    assert!(count > 3_000, "{count}");
}

/// Lexemes of a syntax, of each kind that its rows have, for sequences in which anything may stand beside anything.
fn vocabulary(syntax: &'static Syntax) -> Vec<Owned> {
    let mut words = Vec::new();
    for row in rows::all() {
        if row.subjects.iter().any(|(subject, _)| subject.syntax.name() == syntax.name()) {
            words.extend(read(syntax, &row.input).unwrap_or_default());
        }
    }
    words.sort();
    words.dedup();
    words.retain(|(_, bytes)| bytes.len() < 40);
    words
}

fn values(lexemes: &[Owned]) -> Vec<&[u8]> {
    lexemes.iter().map(|(_, bytes)| &bytes[..]).collect()
}

/// What of the lexemes can be written, and what makes a whole of it: what is left open is closed, and a prefix or hint at the end gets
/// something to stand before.
fn whole(syntax: &'static Syntax, width: u16, lexemes: &[Owned]) -> Option<Vec<Owned>> {
    let (_, mut all) = write(syntax, width, lexemes, 4096);
    let mut open = Vec::new();
    for (kind, bytes) in &all {
        match kind {
            Kind::Open => open.push(match bytes[0] {
                b'(' => b')',
                b'[' => b']',
                _ => b'}',
            }),
            Kind::Close => _ = open.pop(),
            _ => {}
        }
    }
    all.extend([Kind::Bare, Kind::String, Kind::Octets].map(|kind| (kind, b"e".to_vec())));
    all.extend(open.iter().rev().map(|&close| (Kind::Close, vec![close])));
    let (_, written) = write(syntax, width, &all, 4096);
    blocking_finish(syntax, width, &written).map(|_| written)
}

fn syntaxes() -> Vec<(&'static Syntax, Vec<Owned>)> {
    Syntax::ALL.iter().map(|&syntax| (syntax, vocabulary(syntax))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

    #[test]
    fn anything_stays_as_it_is_laid_out(
        (syntax, lexemes) in select(syntaxes()).prop_flat_map(|(syntax, words)| {
            let brackets = words.iter().filter(|(kind, _)| matches!(kind, Kind::Open | Kind::Close)).cloned().collect::<Vec<_>>();
            let lexeme = prop_oneof![1 => select(brackets), 1 => select(words)];
            (Just(syntax), prop::collection::vec(lexeme, 0..40))
        }),
        width in prop_oneof![Just(0), 1..30_u16, Just(80)],
        size in prop_oneof![1..9_usize, Just(64)],
    ) {
        let Some(written) = whole(syntax, width, &lexemes) else { return Ok(()) };
        let (text, _) = write(syntax, width, &written, 4096);
        prop_assert_eq!(&write(syntax, width, &written, size).0, &text, "windows of {}", size);
        let context = format!("{} {width}: {written:?}: {}", syntax.name(), text.escape_ascii());
        let back = read(syntax, &text).unwrap_or_default();
        prop_assert_eq!(values(&back), values(&written), "{}", context);
        prop_assert_eq!(&write(syntax, width, &back, 4096).0, &text, "{}", context);
        // Comments and all else are understood in the other layouts, too.
        for layout in [Layout::Compact, Layout::Lines] {
            let mut encoder = blocking::Encoder::with_capacity(Vec::new(), 64, syntax, EncodeOptions::new().layout(layout));
            if written.iter().all(|(kind, bytes)| encoder.encode(Lexeme::new(*kind, bytes)).is_ok()) && encoder.finish().is_ok() {
                let text = encoder.into_inner();
                let context = format!("{} {layout:?}: {written:?}: {}", syntax.name(), text.escape_ascii());
                let back = read(syntax, &text).unwrap_or_default();
                prop_assert_eq!(values(&back), values(&written), "{}", context);
            }
        }
    }

    /// A line is longer than the width only where nothing in it can be parted.
    #[test]
    fn lines_are_as_wide_as_they_may_be(
        shape in prop::collection::vec((0..3_u8, 1..12_usize), 0..60),
        syntax in select(vec![&Syntax::PLAIN, &Syntax::SEXPLIB, &Syntax::KICAD, &Syntax::DUNE, &Syntax::SCHEME, &Syntax::EDIF]),
        width in 0..40_u16,
    ) {
        let mut lexemes = vec![(Kind::Open, b"(".to_vec())];
        let mut depth = 1;
        for (what, len) in shape {
            match what {
                0 => lexemes.push((Kind::Open, b"(".to_vec())),
                1 if depth > 1 => lexemes.push((Kind::Close, b")".to_vec())),
                _ => lexemes.push((Kind::Bare, vec![b'x'; len])),
            }
            depth += match lexemes.last().unwrap().0 { Kind::Open => 1, Kind::Close => -1, _ => 0 };
        }
        lexemes.extend((0..depth).map(|_| (Kind::Close, b")".to_vec())));
        let (text, _) = write(syntax, width, &lexemes, 64);
        for line in String::from_utf8(text).unwrap().lines().filter(|line| line.len() > usize::from(width)) {
            prop_assert!(!line.trim_start().contains(' '), "{}: {:?} is wider than {}", syntax.name(), line, width);
        }
    }
}

/// Whether the lexemes are all of something.
fn blocking_finish(syntax: &'static Syntax, width: u16, lexemes: &[Owned]) -> Option<Vec<u8>> {
    let mut encoder = blocking::Encoder::with_capacity(Vec::new(), 8, syntax, options(width));
    for (kind, bytes) in lexemes {
        encoder.encode(Lexeme::new(*kind, bytes)).ok()?;
    }
    encoder.finish().ok()?;
    Some(encoder.into_inner())
}

/// How many bytes are held after each lexeme: never more than a line, and none after a form.
#[test]
fn no_more_than_a_line_is_held() {
    for syntax in [&Syntax::SEXPLIB, &Syntax::SCHEME, &Syntax::WAT] {
        for width in [0, 1, 10, 80, 300] {
            let mut encoder = Encoder::with_options(syntax, options(width));
            let (mut window, mut given, mut written) = (vec![0; 1 << 16], 0, 0);
            let mut random = 1_u32;
            for i in 0..3_000 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let atom = vec![b'x'; 1 + random as usize % 7919 % 30];
                let lexeme = match random >> 28 {
                    0..=4 => Lexeme::open(),
                    5..=8 if encoder.depth() > 0 => Lexeme::close(),
                    _ => Lexeme::bare(&atom),
                };
                let mut output = encoder.window(&mut window);
                assert_eq!(output.encode(lexeme), Encode::Ok);
                // White space of the layout counts as written only.
                written += output.bytes().iter().filter(|byte| !byte.is_ascii_whitespace()).count();
                given += lexeme.bytes.len();
                let held = given - written;
                assert!(held <= usize::from(width) + 1, "{}: {held} bytes are held, {i} lexemes on", syntax.name());
                assert!(encoder.depth() > 0 || held == 0, "{}: {held} bytes are held after a form", syntax.name());
            }
        }
    }
}

/// Whatever the width, the cost is linear: deep lists, long lists, and lists in which every point is looked at again.
#[test]
fn the_cost_is_linear() {
    const COUNT: usize = 100_000;
    for (width, forms) in [(80, &[&b"("[..], b"(a ", b"(a b)", b"'(", b"((a) "][..]), (u16::MAX, &[b"(a b)", b"a ", b"((((a))))"])] {
        for form in forms {
            let mut text = form.repeat(COUNT);
            text.extend(b")".repeat(text.iter().filter(|&&byte| byte == b'(').count() - text.iter().filter(|&&byte| byte == b')').count()));
            let text = [b"(", &text[..], b")"].concat();
            let lexemes = read(&Syntax::SCHEME, &text).unwrap();
            let laid_out = blocking_finish(&Syntax::SCHEME, width, &lexemes).unwrap();
            assert!(laid_out.len() <= text.len() * (2 + 80 / 2), "{}", laid_out.len());
        }
    }
}

/// What is released is written at once, and the rest goes on as if it had not fitted.
#[test]
fn release() {
    let mut encoder = Encoder::with_options(&Syntax::SCHEME, options(80));
    let mut text = Vec::new();
    let mut step = |step: &dyn Fn(&mut sexp_codec::nonblocking::Output<'_>) -> Encode| {
        loop {
            let mut window = [0];
            let mut output = encoder.window(&mut window);
            let outcome = step(&mut output);
            text.extend_from_slice(output.bytes());
            if outcome == Encode::Ok {
                return text.len();
            }
        }
    };
    for lexeme in [Lexeme::open(), Lexeme::bare(b"a"), Lexeme::open(), Lexeme::bare(b"b"), Lexeme::new(Kind::Prefix, b"'")] {
        assert_eq!(step(&|output| output.encode(lexeme)), 0);
    }
    assert!(step(&|output| output.release()) > 0);
    for lexeme in [Lexeme::open(), Lexeme::bare(b"c"), Lexeme::close(), Lexeme::open(), Lexeme::close(), Lexeme::close(), Lexeme::close()] {
        step(&|output| output.encode(lexeme));
    }
    assert_eq!(text.escape_ascii().to_string(), r"(a\n  (b \'(c)\n    ()))\n");
}

/// Fragments of an atom that is longer than a line are not held.
#[test]
fn long_atoms_are_not_held() {
    let mut encoder = Encoder::with_options(&Syntax::SEXPLIB, options(10));
    let mut window = [0; 4096];
    let mut output = encoder.window(&mut window);
    let atom = [b'x'; 1000];
    for lexeme in [Lexeme::open(), Lexeme::bare(b"a"), Lexeme::string(&atom)] {
        assert_eq!(output.encode(lexeme), Encode::Ok);
    }
    assert_eq!(output.written(), b"(a\n \"\"".len() + atom.len());
}
