//! What holds for every syntax, whatever it is: random inputs made of the bytes that mean something in it.

use sexp_codec::blocking::{self, Item};
use sexp_codec::nonblocking::{Decode, Decoder, Input};
use sexp_codec::{EncodeOptions, Kind, Layout, Options, Syntax};

/// What came out: a lexeme with its place, or an error in words.
#[derive(Clone, Debug, PartialEq)]
enum Event {
    Lexeme(Kind, Vec<u8>, u64, u64),
    Error(String),
}

/// A small generator, so that each run tries the same inputs.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }
}

/// What inputs are made of: delimiters, leads and what may follow them, escapes, line ends, bytes beyond ASCII.
const PIECES: &[&str] = &[
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    " ",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\"",
    "\"",
    "\\",
    "|",
    "#",
    "#",
    ";",
    ";;",
    "'",
    "`",
    ",",
    "@",
    "~",
    "^",
    "?",
    ".",
    "-",
    "%{",
    "%",
    "}",
    "$\"",
    "a",
    "b",
    "x41",
    "1",
    "12",
    "#|",
    "|#",
    "#;",
    "#_",
    "(;",
    ";)",
    "(@a",
    "#\\",
    "#u8",
    "#1=",
    "#1#",
    "#!",
    "!#",
    "#{",
    "}#",
    "#<<A\n",
    "\nA\n",
    "#@2",
    "#&3",
    "u0041",
    "u{41}",
    "C-",
    "\\C-",
    "\\^",
    "\\\n",
    "\\ \n ",
    "\\101",
    "\\x41;",
    "\"\\|",
    "\"\\>",
    "3:",
    "abc",
    "|YWI=|",
    "é",
    "\u{a0}",
    "\u{feff}",
    "string_quote",
    "\0",
    "\x7f",
    "//",
    "::",
    "#\"",
    "#?@",
    "Z",
    "#s",
    "&",
    "=",
    "_",
];

fn input(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..random.below(14) {
        bytes.extend_from_slice(PIECES[random.below(PIECES.len())].as_bytes());
    }
    if random.below(16) == 0 && !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] = random.below(256) as u8;
    }
    bytes
}

fn drain(input: &mut Input<'_, '_>, events: &mut Vec<Event>) {
    loop {
        events.push(match input.decode() {
            Decode::Lexeme(lexeme) => Event::Lexeme(lexeme.kind, lexeme.bytes.to_vec(), lexeme.span.start, lexeme.span.end),
            Decode::Error(error) => Event::Error(format!("{:?} {:?} {:?}", error.kind, error.position, error.opened)),
            Decode::Await | Decode::End => return,
            Decode::Fragment(_) => panic!("nobody asked for fragments"),
        });
        assert!(events.len() < 10_000, "it does not come to the end");
    }
}

fn decode<'b>(syntax: &'static Syntax, options: Options, pieces: impl Iterator<Item = &'b [u8]>) -> Vec<Event> {
    let mut decoder = Decoder::with_options(syntax, options);
    let mut events = Vec::new();
    for piece in pieces {
        drain(&mut decoder.feed(piece), &mut events);
    }
    drain(&mut decoder.finish(), &mut events);
    events
}

fn for_each_input(rounds: usize, mut check: impl FnMut(&'static Syntax, &[u8], &mut Random)) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for &syntax in Syntax::ALL {
        for _ in 0..rounds {
            let bytes = input(&mut random);
            check(syntax, &bytes, &mut random);
        }
    }
}

#[test]
fn the_cut_does_not_matter() {
    for_each_input(3_000, |syntax, bytes, random| {
        let limits = Options::default().limit_atom(4).limit_depth(2);
        let single = Options::default().single(true).comments(true);
        for options in [Options::default(), Options::default().comments(true), Options::default().verbatim(true), limits, single] {
            let whole = decode(syntax, options, [bytes].into_iter());
            let each = decode(syntax, options, bytes.chunks(1));
            assert_eq!(each, whole, "{} {options:?}, byte by byte: {}", syntax.name(), bytes.escape_ascii());
            let cut = random.below(bytes.len() + 1);
            let (one, other) = bytes.split_at(cut);
            let two = decode(syntax, options, [one, other].into_iter());
            assert_eq!(two, whole, "{} {options:?}, cut at {cut}: {}", syntax.name(), bytes.escape_ascii());
        }
    });
}

#[test]
fn verbatim_text_is_the_input() {
    for_each_input(6_000, |syntax, bytes, _| {
        if syntax.name() == "transport" {
            return;
        }
        let events = decode(syntax, Options::default().verbatim(true), bytes.chunks(3));
        let mut copy = Vec::new();
        for event in &events {
            match event {
                Event::Lexeme(_, text, ..) => copy.extend_from_slice(text),
                Event::Error(_) => return,
            }
        }
        assert_eq!(copy.escape_ascii().to_string(), bytes.escape_ascii().to_string(), "{}: {events:?}", syntax.name());
    });
}

#[test]
fn what_verbatim_text_says_is_what_is_read_without() {
    for_each_input(6_000, |syntax, bytes, _| {
        let kinds = |options: Options| -> Vec<_> {
            let events = decode(syntax, options, [bytes].into_iter());
            let shown = |event: &Event| match event {
                Event::Lexeme(Kind::Space | Kind::Comment, ..) => None,
                Event::Lexeme(kind, _, start, end) => Some(format!("{kind:?} {start} {end}")),
                Event::Error(error) => Some(error.clone()),
            };
            events.iter().filter_map(shown).collect()
        };
        let verbatim = kinds(Options::default().verbatim(true));
        // A lone carriage return is white space there.
        if bytes.contains(&b'\r') || syntax.name() == "dune" {
            return;
        }
        assert_eq!(verbatim, kinds(Options::default()), "{}: {}", syntax.name(), bytes.escape_ascii());
    });
}

#[test]
fn what_was_read_is_written_so_that_it_reads_the_same() {
    for_each_input(10_000, |syntax, bytes, _| {
        let events = decode(syntax, Options::default(), [bytes].into_iter());
        if events.iter().any(|event| matches!(event, Event::Error(_))) {
            return;
        }
        for layout in [Layout::Compact, Layout::Lines, Layout::Indent] {
            let mut encoder = blocking::Encoder::with_capacity(Vec::new(), 64, syntax, EncodeOptions::default().layout(layout));
            let mut refused = None;
            for event in &events {
                let Event::Lexeme(kind, bytes, ..) = event else { continue };
                if let Err(error) = encoder.encode(sexp_codec::Lexeme::new(*kind, bytes)) {
                    refused = Some(error.to_string());
                    break;
                }
            }
            if let Some(why) = refused {
                // A line end may stand where no form can be kept on its line, and a comment's first byte where a line begins. A block of
                // lines may have ended with the input only.
                let open_block = syntax.name() == "dune" && why.contains("template");
                assert!(
                    layout != Layout::Compact || why.contains("0x23") || open_block,
                    "{} {layout:?}: {why}: {}",
                    syntax.name(),
                    bytes.escape_ascii()
                );
                continue;
            }
            encoder.finish().unwrap_or_else(|error| panic!("{}: {error}: {}", syntax.name(), bytes.escape_ascii()));
            let text = encoder.into_inner();
            let again = decode(syntax, Options::default(), [&text[..]].into_iter());
            let bare = |events: &[Event]| -> Vec<_> {
                // Where strings and bare atoms are one, quotes are put where they are safer.
                let one = ["sexplib", "dune", "kicad", "dsn", "plain", "gimprc", "advanced", "libgcrypt"].contains(&syntax.name());
                let short = |event: &Event| match event {
                    Event::Lexeme(Kind::Bare, bytes, ..) if one => (Some(Kind::String), bytes.clone()),
                    Event::Lexeme(kind, bytes, ..) => (Some(*kind), bytes.clone()),
                    Event::Error(error) => (None, error.clone().into_bytes()),
                };
                events.iter().map(short).collect()
            };
            let context = format!("{} {layout:?}: {} written as {}", syntax.name(), bytes.escape_ascii(), text.escape_ascii());
            assert_eq!(bare(&again), bare(&events), "{context}");
            let has_spaces = !["canonical", "csexp", "transport"].contains(&syntax.name());
            if layout == Layout::Lines && has_spaces {
                let forms = text.iter().filter(|&&byte| byte == b'\n').count();
                assert!(text.is_empty() || text.ends_with(b"\n"), "{context}");
                assert!(forms <= events.len(), "{context}");
            }
        }
    });
}

#[test]
fn the_blocking_decoder_reads_the_same() {
    for_each_input(500, |syntax, bytes, _| {
        let whole = decode(syntax, Options::default(), [bytes].into_iter());
        let mut decoder = blocking::Decoder::new(bytes, syntax);
        let mut events = Vec::new();
        loop {
            events.push(match decoder.next().expect("memory can be read") {
                Item::Lexeme(lexeme) => Event::Lexeme(lexeme.kind, lexeme.bytes.to_vec(), lexeme.span.start, lexeme.span.end),
                Item::Error(error) => Event::Error(format!("{:?} {:?} {:?}", error.kind, error.position, error.opened)),
                Item::Fragment(_) => panic!("nobody asked for fragments"),
                Item::End => break,
            });
        }
        assert_eq!(events, whole, "{}: {}", syntax.name(), bytes.escape_ascii());
    });
}

/// What follows a lead that may not stand there is not lost where all text is asked for.
#[test]
fn what_follows_an_illegal_lead_comes_whole() {
    for (syntax, bytes) in [
        (&Syntax::RACKET, &b"#<\x0e|/b|x"[..]),
        (&Syntax::RACKET, b"#<a\\b"),
        (&Syntax::COMMONLISP, b"\xef\xbb|a|"),
        (&Syntax::DUNE, b"\xef\xbb%{a}"),
        (&Syntax::ADVANCED, b"8!\xff[a]"),
        (&Syntax::ADVANCED, b"1\"ab[a]"),
    ] {
        let options = Options::default().verbatim(true);
        let whole = decode(syntax, options, [bytes].into_iter());
        assert_eq!(whole, decode(syntax, options, bytes.chunks(1)), "{}", bytes.escape_ascii());
        let Some(Event::Lexeme(_, text, start, end)) = whole.last() else { continue };
        assert_eq!(text, &bytes[*start as usize..*end as usize]);
    }
}

/// Atoms of the collected cases, as they have to be written: D60, D81, D91, D93, D95 and D96.
#[test]
fn d60_d81_d91_d93_d95_d96_atoms_are_written_so_that_others_read_them() {
    for (case, syntax, kind, bytes, text) in [
        ("D60", &Syntax::R7RS, Kind::String, &b"\0\x1b\x7f"[..], r#""\x0;\x1b;\x7f;""#),
        ("D81", &Syntax::SMTLIB, Kind::Symbol, b"S\"", "|S\"|"),
        ("D91", &Syntax::ELISP, Kind::Bare, b",", "\\,"),
        ("D91", &Syntax::COMMONLISP, Kind::Bare, b"`", "|`|"),
        ("D91", &Syntax::R7RS, Kind::Bare, b",", "|,|"),
        ("D91", &Syntax::SEXPLIB, Kind::Bare, b",", ","),
        ("D93", &Syntax::DUNE, Kind::Bare, b"str gsl", "\"str gsl\""),
        ("D95", &Syntax::R7RS, Kind::Symbol, b".", "|.|"),
        ("D95", &Syntax::R7RS, Kind::Symbol, b"-2", "|-2|"),
        ("D95", &Syntax::R7RS, Kind::Symbol, b"a|b", "|a\\|b|"),
        ("D96", &Syntax::R7RS, Kind::Symbol, b";", "|;|"),
        ("D96", &Syntax::R7RS, Kind::Bare, b"`x", "|`x|"),
    ] {
        let mut encoder = blocking::Encoder::new(Vec::new(), syntax);
        encoder.encode(sexp_codec::Lexeme::new(kind, bytes)).unwrap();
        encoder.finish().unwrap();
        assert_eq!(String::from_utf8(encoder.into_inner()).unwrap(), text, "{case}");
    }
}

/// Strings of nothing but bytes that need the longest escapes, in windows that have room for them or not.
#[test]
fn no_escape_is_too_long_for_the_room_it_has() {
    const WIDE: sexp_codec::Quote =
        sexp_codec::Quote::string(b'"').escape_with(b'\\').number(sexp_codec::Number::Unicode8).escape_when_written(&[(0x00, 0x1f)]);
    static OWN: Syntax =
        Syntax::builder("own", "long escapes").spaces(b" \n").list(b'(', b')').quotes(&[WIDE]).other_bytes_are_atoms().build();
    for &syntax in Syntax::ALL.iter().chain([&&OWN]) {
        for byte in [0u8, 0x16, 0x7f, b'"', b'%', 0xff] {
            let string = [byte; 9];
            for window in 1..120 {
                let mut encoder = blocking::Encoder::with_capacity(Vec::new(), window, syntax, EncodeOptions::default());
                if encoder.encode(sexp_codec::Lexeme::string(&string)).is_err() {
                    continue;
                }
                encoder.finish().unwrap();
                let text = encoder.into_inner();
                let events = decode(syntax, Options::default(), [&text[..]].into_iter());
                assert!(
                    matches!(&events[..], [Event::Lexeme(_, value, ..)] if value == &string),
                    "{} {byte}: {}",
                    syntax.name(),
                    text.escape_ascii()
                );
            }
        }
    }
}
