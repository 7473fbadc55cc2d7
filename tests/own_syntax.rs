//! Syntaxes of one's own, from the builder: what the named ones do not have, in all drivers and over all cuts.

mod harness;

use harness::drivers::Driver;
use harness::{Event, all_cuts, cut, rows};
use sexp_codec::{Continuation, Lead, Number, Options, Quote, Syntax, UnknownEscape};

/// Symbols in bars beside strings; an unknown escape stands for the byte after it.
static BARS: Syntax = Syntax::builder("bars", "strings, and symbols in bars")
    .spaces(b" \n")
    .list(b'(', b')')
    .quotes(&[
        Quote::string(b'"').escape_with(b'\\').escapes(&[(b'n', b'\n')]).unknown(UnknownEscape::KeepByte),
        Quote::symbol(b'|').escape_with(b'\\').number(Number::Octal).continuation(Continuation::LineEnd),
    ])
    .line_comment(b';')
    .other_bytes_are_atoms()
    .build();

/// Brackets, strings without escapes, comments without a guard, and no Return: a CR belongs to a line comment.
static BRACKETS: Syntax = Syntax::builder("brackets", "brackets, and comments in #| |#")
    .spaces(b" \r\n")
    .list(b'[', b']')
    .quotes(&[Quote::string(b'\'')])
    .line_comment(b'%')
    .leads(&[Lead::new(b'#').block_comment(b'|').datum_comment(b'_')])
    .block_comment([b'#', b'|'], [b'|', b'#'], true)
    .atoms(&[(b'#', b'#')])
    .other_bytes_are_atoms()
    .build();

/// Everything at once that the machine knows.
static ALL: Syntax = Syntax::builder("all", "counted octets, hints and comments")
    .spaces(b" \t\n")
    .return_needs_line_feed()
    .list(b'(', b')')
    .quotes(&[Quote::string(b'"').escape_with(b'\\').number(Number::Hex).illegal(&[(0, 31)])])
    .line_comment(b';')
    .leads(&[Lead::new(b'#').block_comment(b'|').datum_comment(b';')])
    .block_comment([b'#', b'|'], [b'|', b'#'], true)
    .guard_block_comment()
    .lengths(true)
    .hex(b'$')
    .base64(b'~')
    .hints(b'[', b']')
    .atoms(&[(b'a', b'z'), (b'0', b'9')])
    .byte_order_mark()
    .build();

/// The syntax of b0's serialk: `^` escapes, and only in strings.
static SERIALK: Syntax = Syntax::builder("serialk", "atoms, strings with ^, comments")
    .spaces(b" \t\n\x0b\x0c\r")
    .list(b'(', b')')
    .quotes(&[Quote::string(b'"')
        .escape_with(b'^')
        .escapes(&[(b'n', b'\n'), (b'r', b'\r')])
        .reads_escaped(b" ")
        .number(Number::Braced)
        .continuation(Continuation::SkipBlanks)])
    .line_comment(b';')
    .return_ends_comments()
    .atoms(&[(0x21, 0x21), (0x23, 0x27), (0x2a, 0x3a), (0x3c, 0x5d), (0x5f, 0x7e), (0x80, 0xff)])
    .build();

/// The syntax of sexpm: `\` escapes, in strings and in bare atoms.
static SEXPM: Syntax = Syntax::builder("sexpm", "atoms and strings with \\, comments")
    .spaces(b" \t\n\r")
    .list(b'(', b')')
    .quotes(&[Quote::string(b'"')
        .escape_with(b'\\')
        .escapes(&[(b'n', b'\n'), (b'r', b'\r'), (b't', b'\t')])
        .reads_escaped(b" ();")
        .number(Number::Braced)
        .continuation(Continuation::SkipBlanks)])
    .line_comment(b';')
    .return_ends_comments()
    .escape_in_atoms(b'\\')
    .atoms(&[(0x21, 0x21), (0x23, 0x27), (0x2a, 0x3a), (0x3c, 0x5b), (0x5d, 0x7f), (0x80, 0xff)])
    .byte_order_mark()
    .build();

/// Checks what an input reads as, shown as rows are, with comments.
fn check(syntax: &'static Syntax, input: &[u8], expected: &str) {
    let options = Options::default().comments(true);
    for cuts in all_cuts(input.len()) {
        for driver in Driver::ALL.iter().filter(|driver| **driver != Driver::Locate && (cuts.is_empty() || driver.sees_cuts())) {
            let events = driver.run(syntax, options, &cut(input, &cuts));
            let shown: Vec<String> = events.iter().map(brief).collect();
            assert_eq!(shown.join(" "), expected, "{driver:?}, cuts {cuts:?}: {}", input.escape_ascii());
        }
    }
}

/// An event as rows show it, without spans, lines and columns.
fn brief(event: &Event) -> String {
    let shown = rows::show(std::slice::from_ref(event));
    match event {
        Event::Lexeme { .. } => shown[..shown.rfind('@').unwrap()].to_owned(),
        Event::Error(error) => format!("!{:?}@{}", error.kind, error.position.offset),
        Event::End => "END".to_owned(),
    }
}

#[test]
fn symbols_are_kept_apart_from_strings() {
    check(&BARS, br#"(a |b "c| "d |e" ||)"#, r##"( A"a" B"b \"c" S"d |e" B"" ) END"##);
    check(&BARS, br#"a|b|"c"d"#, r##"A"a" B"b" S"c" A"d" END"##);
    check(&BARS, br#""\q\n\"" |\101\|\q| e"#, r##"S"q\n\"" !UnknownEscape(113)@16 A"e" END"##);
    check(&BARS, b"\"\\\n\" |a\\\n\\\r\\\r\nb|", r##"S"\n" B"ab" END"##);
    check(&BARS, b"|a", "!UnterminatedString@2 END");
    check(&BARS, b"a;\"|\r\n\"b\"", r##"A"a" K";\"|\r" S"b" END"##);
}

#[test]
fn delimiters_of_all_kinds() {
    check(&BRACKETS, b"[a(b) 'c\\' d]", r##"[ A"a(b)" S"c\\" A"d" ] END"##);
    check(&BRACKETS, b"a#|b |# #|c#|d|#e|#f", r##"A"a#|b" A"|#" K"#|c#|d|#e|#" A"f" END"##);
    check(&BRACKETS, b"#|'|#'|#a", r##"K"#|\'|#\'|#" A"a" END"##);
    check(&BRACKETS, b"#_[a b]c #_ #_ d e f", r##"K"#_[a b]" A"c" K"#_ #_ d e" A"f" END"##);
    check(&BRACKETS, b"a %b\r\nc]", r##"A"a" K"%b\r" A"c" !UnbalancedClose(93)@7 END"##);
}

#[test]
fn everything_at_once() {
    check(&ALL, b"[h]3:abc [ 2\"ab\" ]$61$ 1~YQ~", r##"H"h" O"abc" H"ab" O"a" O"a" END"##);
    check(&ALL, b"#;[h]a b", r##"K"#;[h]a" A"b" END"##);
    check(&ALL, b"(#;3:a)b c)", r##"( K"#;3:a)b" A"c" ) END"##);
    check(&ALL, b"#;4:ab", "!PrematureEnd@6 END");
    check(&ALL, b"#;12 a b", r##"!LengthWithoutBody@2 K"#;12 a" A"b" END"##);
    check(&ALL, b"(#;[h](a) b)", r##"( !MisplacedHint@6 K"#;[h](a)" A"b" ) END"##);
    check(&ALL, b"#;(a [b]c #;\"\\x\" d) e", r##"!IncompleteEscape@13 K"#;(a [b]c #;\"\\x\" d)" A"e" END"##);
}

/// The rows that serialk and sexpm were seen to read so. A bare atom of sexpm with an escape comes as it is written, so that a line that goes
/// on in one, and an escape of more than one character, are left to the reader above.
#[test]
fn the_later_syntaxes_of_the_author_of_the_first() {
    check(&SERIALK, br#"(("a"list)(^x))"#, r##"( ( S"a" A"list" ) ( !IllegalByte(94)@11 A"x" ) ) END"##);
    check(&SERIALK, br#""C:\dir^n""#, r##"S"C:\\dir\n" END"##);
    check(&SERIALK, br#""a^u{e9}" "^q""#, r##"S"a\xc3\xa9" !UnknownEscape(113)@11 END"##);
    check(&SERIALK, b"\"a^\n  b^ ^^^\"\" a\x0bb\x0cc", r##"S"ab ^\"" A"a" A"b" A"c" END"##);
    check(&SERIALK, b"\x7f\xef\xbb\xbfa", r##"!IllegalByte(127)@0 A"\xef\xbb\xbfa" END"##);
    check(&SEXPM, b"\xef\xbb\xbfa\x7f", r##"A"a\x7f" END"##);
    check(&SEXPM, b"a\x0bb", r##"A"a" !IllegalByte(11)@1 A"b" END"##);
    check(&SEXPM, br"a\ b \(", r##"E"a\\ b" E"\\(" END"##);
    check(&SEXPM, b"\"a\\\n  b\\u{e9}\\(\"", r##"S"ab\xc3\xa9(" END"##);
    for syntax in [&SERIALK, &SEXPM] {
        check(syntax, b"a;c\nb;d\re", r##"A"a" K";c" A"b" K";d" A"e" END"##);
        check(syntax, b"\"a\nb\"a\"b\"", r##"S"a\nb" A"a" S"b" END"##);
    }
}
