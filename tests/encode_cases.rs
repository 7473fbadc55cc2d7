//! Data on which writers of s-expressions failed, under their numbers. How things are spelled in general is in `encode.rs`.

mod harness;

use allocation_counter::measure;
use harness::{Event, Subject, decode};
use sexp_codec::nonblocking::{Encode, Encoder};
use sexp_codec::{EncodeOptions, Kind, Layout, Lexeme, Options, Syntax, blocking};

fn write(syntax: &'static Syntax, layout: Layout, lexemes: &[Lexeme<'_>]) -> Vec<u8> {
    let mut encoder = blocking::Encoder::with_capacity(Vec::new(), 64, syntax, EncodeOptions::default().layout(layout));
    lexemes.iter().for_each(|lexeme| encoder.encode(*lexeme).unwrap());
    encoder.finish().unwrap();
    encoder.into_inner()
}

fn compact(syntax: &'static Syntax, lexemes: &[Lexeme<'_>]) -> String {
    write(syntax, Layout::Compact, lexemes).escape_ascii().to_string().replace("\\\"", "\"").replace("\\\\", "\\").replace("\\'", "'")
}

/// The lexemes of a text, read by the naive decoder.
fn read(name: &str, text: &[u8]) -> Vec<(Kind, Vec<u8>)> {
    let lexeme = |event| match event {
        Event::Lexeme { kind, value, .. } => Some((kind, value)),
        Event::End => None,
        Event::Error(error) => panic!("{error} in {}", text.escape_ascii()),
    };
    decode(Subject::named(name).rules, Options::default().comments(true), text).into_iter().filter_map(lexeme).collect()
}

/// Decodes a text and encodes what it has.
fn recode(name: &str, text: &str) -> String {
    let lexemes = read(name, text.as_bytes());
    let lexemes: Vec<_> = lexemes.iter().map(|(kind, bytes)| Lexeme::new(*kind, bytes)).collect();
    compact(Subject::named(name).syntax, &lexemes)
}

#[test]
fn d35_long_and_deep_data() {
    const COUNT: usize = 500_000;
    for subject in Subject::all().into_iter().filter(Subject::is_exact_about_size) {
        let (mut encoder, mut window, mut written) = (Encoder::new(subject.syntax), vec![0; 4096], 0);
        let info = measure(|| {
            for lexeme in std::iter::repeat_n(Lexeme::open(), COUNT).chain(std::iter::repeat_n(Lexeme::close(), COUNT)) {
                loop {
                    let mut output = encoder.window(&mut window);
                    let outcome = output.encode(lexeme);
                    written += output.written();
                    if outcome == Encode::Ok {
                        break;
                    }
                    assert_eq!(outcome, Encode::Partial);
                }
            }
        });
        assert_eq!(info.count_total, 0);
        let text = 2 * COUNT;
        assert_eq!(written, if subject.name == "transport" { text.div_ceil(3) * 4 + 2 } else { text });
    }
}

#[test]
fn d44_octets_with_a_zero() {
    let atom = b"a\0b";
    assert_eq!(compact(&Syntax::ADVANCED, &[Lexeme::octets(atom)]), "#610062#");
    assert_eq!(compact(&Syntax::ADVANCED, &[Lexeme::string(atom)]), r#""a\x00b""#);
    assert_eq!(compact(&Syntax::CANONICAL, &[Lexeme::octets(atom)]), r"3:a\x00b");
    for name in ["sexplib", "canonical", "csexp", "transport", "advanced"] {
        let text = write(Subject::named(name).syntax, Layout::Compact, &[Lexeme::octets(atom)]);
        assert_eq!(read(name, &text)[0].1, atom);
    }
}

#[test]
fn d53_line_end_and_backslash_in_a_string() {
    for syntax in [&Syntax::SEXPLIB, &Syntax::ADVANCED] {
        assert_eq!(compact(syntax, &[Lexeme::string(b"a\nb"), Lexeme::string(b"a\\b")]), r#""a\nb""a\\b""#);
    }
}

#[test]
fn d55_what_needs_quotes_gets_them() {
    let atoms = [Lexeme::bare(b""), Lexeme::bare(b"#x"), Lexeme::bare(b"a b")];
    assert_eq!(compact(&Syntax::SEXPLIB, &atoms), r##"""#x"a b""##);
    assert_eq!(compact(&Syntax::ADVANCED, &atoms), r##""""#x""a b""##);
}

#[test]
fn d91_what_is_a_prefix_elsewhere_is_escaped_there() {
    let atoms = [Lexeme::bare(b","), Lexeme::bare(b"`")];
    assert_eq!(compact(&Syntax::SEXPLIB, &atoms), ", `");
    assert_eq!(compact(&Syntax::ELISP, &atoms), r"\, \`");
    assert_eq!(compact(&Syntax::COMMONLISP, &atoms), "|,| |`|");
    assert_eq!(compact(&Syntax::R7RS, &atoms), "|,||`|");
    assert_eq!(compact(&Syntax::SCHEME, &atoms), "#{,}##{`}#");
}

#[test]
fn d92_kinds_are_kept() {
    assert_eq!(
        compact(&Syntax::SEXPLIB, &[Lexeme::open(), Lexeme::bare(b"S"), Lexeme::string("é x".as_bytes()), Lexeme::close()]),
        r#"(S"\195\169 x")"#
    );
}

#[test]
fn d93_an_atom_with_a_blank_is_quoted() {
    assert_eq!(compact(&Syntax::DUNE, &[Lexeme::bare(b"str gsl")]), r#""str gsl""#);
}

#[test]
fn d94_atoms_that_look_like_something_else_read_back() {
    let atoms: [&[u8]; 9] = [b"", b"#|", b"|#", b"a#|b", b"#;x", b"a;b", b"(", b"\"", b"a\nb"];
    for name in ["sexplib", "canonical", "csexp", "transport", "advanced"] {
        let lexemes = atoms.map(Lexeme::bare);
        let text = write(Subject::named(name).syntax, Layout::Compact, &lexemes);
        let back = read(name, &text);
        assert_eq!(back.iter().map(|(_, value)| &value[..]).collect::<Vec<_>>(), atoms, "{name}: {}", text.escape_ascii());
        // All of them need quotes, where there are any.
        assert!(back.iter().all(|(kind, _)| *kind != Kind::Bare), "{name}: {}", text.escape_ascii());
    }
}

#[test]
fn d95_symbols_that_look_like_something_else_are_put_in_bars() {
    let symbols = [&b"."[..], b"-2", b"a|b"].map(|name| Lexeme::new(Kind::Symbol, name));
    assert_eq!(compact(&Syntax::R7RS, &symbols), r"|.||-2||a\|b|");
    assert_eq!(compact(&Syntax::COMMONLISP, &symbols), r"|.| |-2| |a\|b|");
}

#[test]
fn d96_symbols_that_begin_like_something_else_are_put_in_bars() {
    let symbols = [&b";"[..], b"`x"].map(|name| Lexeme::new(Kind::Symbol, name));
    assert_eq!(compact(&Syntax::RACKET, &symbols), "|;| |`x|");
}

#[test]
fn d97_d98_d99_d101_d104_what_was_read_is_written_unchanged() {
    for (name, text) in [
        ("kicad", "(layers\"F.Cu\"F.Mask)"),
        ("dsn", "(layers\"F.Cu\"F.Mask)"),
        ("kicad", "(host pcbnew 5.1.6)(tedit 5F199470)(module 0402)"),
        ("elisp", "(a . b)(a.c b)"),
        ("kicad", r"(field abc\def)"),
        ("dsn", "(net N1)"),
    ] {
        assert_eq!(recode(name, text), text, "{name}");
    }
    let mut symbol = Vec::new();
    Syntax::ELISP.unescape(br"path\.join", &mut symbol);
    assert_eq!(symbol, b"path.join");

    for text in ["(layers\"F.Cu\"F.Mask)", "(a . b)", "(a.c b)", "(S\"a b\"\"c\")", "(Feedback())"] {
        assert_eq!(recode("sexplib", text), text);
        assert_eq!(recode("advanced", text), text);
    }
    for text in ["(host pcbnew 5.1.6)(tedit 5F199470)(module 0402)", "(field abc[def])", "(a,`b 'c)"] {
        assert_eq!(recode("sexplib", text), text);
        assert_eq!(recode("se", text), text);
    }
}

/// Characters stay as they are; bytes that are none are escaped, at whatever place a window or a piece ends.
#[test]
fn d100_text_stays_text() {
    let text = "(synopsis \"caf\u{e9} \u{20ac} \u{1f989}\")".as_bytes();
    let lexemes = read("dune", text);
    let lexemes: Vec<_> = lexemes.iter().map(|(kind, bytes)| Lexeme::new(*kind, bytes)).collect();
    assert_eq!(write(&Syntax::DUNE, Layout::Compact, &lexemes), "(synopsis\"caf\u{e9} \u{20ac} \u{1f989}\")".as_bytes());
    let broken = b"a\xc3\xe2\x82\xed\xa0\x80\xff";
    assert_eq!(compact(&Syntax::DUNE, &[Lexeme::string(broken)]), r#""a\195\226\130\237\160\128\255""#);
    let long = ["x\u{e9}".repeat(100).as_bytes(), b"\xc3"].concat();
    for size in 1..20 {
        let (mut encoder, mut window, mut text) = (Encoder::new(&Syntax::DUNE), vec![0; size], Vec::new());
        loop {
            let mut output = encoder.window(&mut window);
            let outcome = output.encode(Lexeme::string(&long));
            text.extend_from_slice(output.bytes());
            if outcome == Encode::Ok {
                break;
            }
        }
        assert_eq!(text, ["\"", &"x\u{e9}".repeat(100), "\\195\""].concat().as_bytes());
    }
}

/// Lines break between forms, never inside a string, and no line is longer than its form.
#[test]
fn d127_two_megabytes_of_lists_are_not_one_line() {
    let form = [Lexeme::open(), Lexeme::bare(b"segment"), Lexeme::string(b"a\nb"), Lexeme::close()];
    let lexemes = form.repeat(130_000);
    for syntax in [&Syntax::SEXPLIB, &Syntax::ADVANCED] {
        let text = write(syntax, Layout::Lines, &lexemes);
        assert!(text.len() > 2_000_000);
        assert!(text.split_inclusive(|byte| *byte == b'\n').all(|line| line == b"(segment\"a\\nb\")\n"));
    }
}

/// EDN's specification lets only brackets touch what stands beside them, and readers split elsewhere each in its own way.
#[test]
fn a_character_does_not_touch_the_name_before_it() {
    for name in ["edn", "clojure"] {
        assert_eq!(recode(name, r"(a \b #tag \newline 1 \c)[x]"), r"(a \b #tag \newline 1 \c)[x]");
    }
}

/// It matters at the start of the text only, whichever way the forms before it were written.
#[test]
fn a_byte_order_mark_after_a_form_is_none() {
    let atom = Lexeme::bare("\u{feff}x".as_bytes());
    for size in [1, 2, 64] {
        let options = EncodeOptions::default().layout(Layout::Lines);
        let mut encoder = blocking::Encoder::with_capacity(Vec::new(), size, &Syntax::R6RS, options);
        [Lexeme::open(), Lexeme::close(), atom].into_iter().for_each(|lexeme| encoder.encode(lexeme).unwrap());
        encoder.finish().unwrap();
        assert_eq!(String::from_utf8(encoder.into_inner()).unwrap(), "()\n\u{feff}x\n", "windows of {size}");
    }
}
