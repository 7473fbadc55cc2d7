//! Rows of test data: `SYNTAX`, `INPUT` and `EXPECTED`, apart by tabs, with a `NUMBER` before them in some files.
//!
//! `SYNTAX` is a name, perhaps with options after it (`single`, `comments`, `depth=4`, `atom=10`, `total=10`); several are separated by
//! commas.
//!
//! `INPUT` is the input as it stands, a backslash being a backslash, but for `⏎` LF, `␍` CR, `⇥` TAB, `␀` NUL, `␠` a space that matters,
//! `⟨HH⟩` a byte, `‖` a cut between two pieces, and `∅` for an empty one.
//!
//! `EXPECTED` are all events up to the end:
//!
//! | | |
//! |---|---|
//! | `(` `)` `[` `]` `{` `}` | list start and end |
//! | `A"x"` `S"x"` `O"x"` | bare atom, string, octets, decoded; inside quotes `\\ \" \n \r \t \xHH` |
//! | `B"x"` | symbol in bars, decoded |
//! | `E"x"` `C"x"` `P"x"` `T"x"` | atom with escapes, character, prefix, template, as written |
//! | `H"x"` `K"x"` `W"x"` | display hint, comment, white space |
//! | `…@3-5` | where a lexeme stands, if given |
//! | `!Kind@3` | an error and its offset; `!UnclosedList(2)@3` with the number of lists; `!Kind@3:1:4` with line and column |
//! | `…^0` | where something left open was opened, its offset or all three; without it, nothing was |
//! | `‖` | what stands before it has been delivered before the next piece is fed |
//! | `.` | nothing at all |

use super::{Event, Subject};
use sexp_codec::{Error, Kind, Options, Position, Span};
use std::fmt::Write;

/// A row of test data.
pub struct Row {
    /// File and line.
    pub place: String,
    /// The number of the case, if it has one.
    pub number: Option<String>,
    pub subjects: Vec<(Subject, Options)>,
    pub input: Vec<u8>,
    /// Offsets of the cuts.
    pub cuts: Vec<usize>,
    pub expected: Vec<Want>,
}

/// What is expected next.
pub enum Want {
    Lexeme { kind: Kind, value: Vec<u8>, span: Option<Span> },
    Error { kind: String, position: Place, opened: Option<Place> },
    Cut,
}

/// An offset, perhaps with line and column.
#[derive(Clone, Copy)]
pub struct Place {
    offset: u64,
    line_and_column: Option<(u64, u64)>,
}

/// The files and what is in them.
const FILES: [(&str, &str); 26] = [
    ("se.rows", include_str!("../data/se.rows")),
    ("rfc9804.rows", include_str!("../data/rfc9804.rows")),
    ("sexplib.rows", include_str!("../data/sexplib.rows")),
    ("csexp.rows", include_str!("../data/csexp.rows")),
    ("dune.rows", include_str!("../data/dune.rows")),
    ("r7rs.rows", include_str!("../data/r7rs.rows")),
    ("r6rs.rows", include_str!("../data/r6rs.rows")),
    ("guile.rows", include_str!("../data/guile.rows")),
    ("scheme.rows", include_str!("../data/scheme.rows")),
    ("racket.rows", include_str!("../data/racket.rows")),
    ("commonlisp.rows", include_str!("../data/commonlisp.rows")),
    ("elisp.rows", include_str!("../data/elisp.rows")),
    ("smtlib.rows", include_str!("../data/smtlib.rows")),
    ("kicad.rows", include_str!("../data/kicad.rows")),
    ("dsn.rows", include_str!("../data/dsn.rows")),
    ("wat.rows", include_str!("../data/wat.rows")),
    ("edn.rows", include_str!("../data/edn.rows")),
    ("clojure.rows", include_str!("../data/clojure.rows")),
    ("treebank.rows", include_str!("../data/treebank.rows")),
    ("pddl.rows", include_str!("../data/pddl.rows")),
    ("edif.rows", include_str!("../data/edif.rows")),
    ("gimprc.rows", include_str!("../data/gimprc.rows")),
    ("plain.rows", include_str!("../data/plain.rows")),
    ("libgcrypt.rows", include_str!("../data/libgcrypt.rows")),
    ("limits.rows", include_str!("../data/limits.rows")),
    ("cases.rows", include_str!("../data/cases.rows")),
];

/// All rows of all files.
pub fn all() -> Vec<Row> {
    FILES.into_iter().flat_map(|(name, _)| file(name)).collect()
}

/// The rows of one file.
pub fn file(name: &str) -> Vec<Row> {
    let (_, text) = FILES.into_iter().find(|(file, _)| *file == name).unwrap_or_else(|| panic!("no file {name}"));
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with("# ") && *line != "#");
    lines.map(|(i, line)| row(format!("{name}:{}", i + 1), line)).collect()
}

fn row(place: String, line: &str) -> Row {
    let mut fields: Vec<&str> = line.split('\t').collect();
    let number = (fields.len() == 4).then(|| fields.remove(0).to_owned());
    let [subjects, input, expected] = fields[..] else { panic!("{place}: {} fields", fields.len()) };
    let (input, cuts) = read_input(input);
    let subjects = subjects.split(',').map(subject).collect();
    let mut reader = Reader { place: &place, text: expected };
    let mut wants = Vec::new();
    while let Some(want) = reader.want() {
        wants.push(want);
    }
    Row { number, subjects, input, cuts, expected: wants, place }
}

fn subject(text: &str) -> (Subject, Options) {
    let mut words = text.split(' ');
    let subject = Subject::named(words.next().unwrap_or_default());
    let options = words.fold(Options::default(), |options, word| match word.split_once('=') {
        None if word == "single" => options.single(true),
        None if word == "comments" => options.comments(true),
        Some(("depth", value)) => options.limit_depth(number(value)),
        Some(("atom", value)) => options.limit_atom(number(value)),
        Some(("total", value)) => options.limit_total(number(value)),
        _ => panic!("{word} is no option"),
    });
    (subject, options)
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

fn read_input(text: &str) -> (Vec<u8>, Vec<usize>) {
    let mut bytes = Vec::new();
    let mut cuts = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '⏎' => bytes.push(b'\n'),
            '␍' => bytes.push(b'\r'),
            '⇥' => bytes.push(b'\t'),
            '␀' => bytes.push(0),
            '␠' => bytes.push(b' '),
            '∅' => (),
            '‖' => cuts.push(bytes.len()),
            '⟨' => {
                let digits: String = chars.by_ref().take_while(|c| *c != '⟩').collect();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap_or_else(|_| panic!("⟨{digits}⟩ is no byte")));
            }
            c => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    (bytes, cuts)
}

/// Reads `EXPECTED`.
struct Reader<'a> {
    place: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn want(&mut self) -> Option<Want> {
        self.text = self.text.trim_start();
        let first = self.text.chars().next()?;
        self.text = &self.text[first.len_utf8()..];
        let (kind, value) = match first {
            '.' => return self.want(),
            '‖' => return Some(Want::Cut),
            '!' => return Some(self.error()),
            '(' | '[' | '{' => (Kind::Open, vec![first as u8]),
            ')' | ']' | '}' => (Kind::Close, vec![first as u8]),
            'A' => (Kind::Bare, self.quoted()),
            'B' => (Kind::Symbol, self.quoted()),
            'C' => (Kind::Char, self.quoted()),
            'E' => (Kind::Escaped, self.quoted()),
            'P' => (Kind::Prefix, self.quoted()),
            'T' => (Kind::Template, self.quoted()),
            'W' => (Kind::Space, self.quoted()),
            'S' => (Kind::String, self.quoted()),
            'O' => (Kind::Octets, self.quoted()),
            'H' => (Kind::Hint, self.quoted()),
            'K' => (Kind::Comment, self.quoted()),
            _ => self.fail("nothing begins with this", first),
        };
        let span = self.skip('@').then(|| {
            let start = self.number();
            if !self.skip('-') {
                self.fail("a span needs -", "");
            }
            Span { start, end: self.number() }
        });
        Some(Want::Lexeme { kind, value, span })
    }

    fn error(&mut self) -> Want {
        let Some(end) = self.text.find('@') else { self.fail("an error needs @", "") };
        let kind = self.text[..end].to_owned();
        self.text = &self.text[end + 1..];
        let position = self.position();
        let opened = self.skip('^').then(|| self.position());
        Want::Error { kind, position, opened }
    }

    fn position(&mut self) -> Place {
        let offset = self.number();
        let line_and_column = self.skip(':').then(|| {
            let line = self.number();
            (line, if self.skip(':') { self.number() } else { self.fail("a line needs a column", "") })
        });
        Place { offset, line_and_column }
    }

    fn number(&mut self) -> u64 {
        let end = self.text.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.text.len());
        let (digits, rest) = self.text.split_at(end);
        self.text = rest;
        number(digits)
    }

    fn quoted(&mut self) -> Vec<u8> {
        if !self.skip('"') {
            self.fail("a value needs quotes", "");
        }
        let mut bytes = Vec::new();
        loop {
            let Some(c) = self.text.chars().next() else { self.fail("a value does not end", "") };
            self.text = &self.text[c.len_utf8()..];
            match c {
                '"' => return bytes,
                '\\' => {
                    let name = self.text.as_bytes()[0];
                    self.text = &self.text[1..];
                    match name {
                        b'n' => bytes.push(b'\n'),
                        b'r' => bytes.push(b'\r'),
                        b't' => bytes.push(b'\t'),
                        b'\\' | b'"' => bytes.push(name),
                        b'x' => {
                            let (digits, rest) = self.text.split_at(2);
                            self.text = rest;
                            bytes.push(u8::from_str_radix(digits, 16).unwrap_or_else(|_| self.fail("no byte", digits)));
                        }
                        _ => self.fail("no such escape", name as char),
                    }
                }
                c => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
    }

    fn skip(&mut self, wanted: char) -> bool {
        let found = self.text.strip_prefix(wanted);
        self.text = found.unwrap_or(self.text);
        found.is_some()
    }

    fn fail(&self, what: &str, which: impl std::fmt::Display) -> ! {
        panic!("{}: {what}: {which} before {:?}", self.place, self.text)
    }
}

impl Row {
    /// What is wrong, if the events are not those of the row.
    pub fn differs(&self, subject: Subject, events: &[Event]) -> Option<String> {
        let wanted: Vec<_> = self.expected.iter().filter(|want| !matches!(want, Want::Cut)).collect();
        let same = wanted.len() + 1 == events.len() && wanted.iter().zip(events).all(|(want, event)| want.is(event));
        (!same).then(|| format!("{}, {}: got {}", self.place, subject.name, show(events)))
    }

    /// How many events are to be delivered before each cut.
    pub fn before_cuts(&self) -> Vec<usize> {
        let cuts = self.expected.iter().enumerate().filter(|(_, want)| matches!(want, Want::Cut));
        cuts.enumerate().map(|(earlier, (i, _))| i - earlier).collect()
    }
}

impl Want {
    fn is(&self, event: &Event) -> bool {
        match (self, event) {
            (Want::Lexeme { kind, value, span }, Event::Lexeme { kind: k, value: v, span: s }) => {
                kind == k && value == v && span.is_none_or(|span| span == *s)
            }
            (Want::Error { kind, position, opened }, Event::Error(error)) => {
                let name = name(error);
                (*kind == name || kind.split('(').next() == Some(&name))
                    && kind.contains('(') == name.contains('(')
                    && position.is(error.position)
                    && opened.is_some() == error.opened.is_some()
                    && opened.zip(error.opened).is_none_or(|(opened, position)| opened.is(position))
            }
            _ => false,
        }
    }
}

impl Place {
    fn is(self, position: Position) -> bool {
        self.offset == position.offset && self.line_and_column.is_none_or(|pair| pair == (position.line, position.column))
    }
}

/// The name of an error's kind; the bytes that some have are in the input anyway.
fn name(error: &Error) -> String {
    let name = format!("{:?}", error.kind);
    if name.starts_with("UnclosedList") { name } else { name.split('(').next().unwrap_or_default().to_owned() }
}

/// Events as rows have them, with everything that is known.
pub fn show(events: &[Event]) -> String {
    let mut out = String::new();
    for event in events {
        let _ = match event {
            Event::Lexeme { kind, value, span } => {
                let text = value.escape_ascii();
                let mark = match kind {
                    Kind::Open | Kind::Close => text.to_string(),
                    Kind::Bare => format!("A\"{text}\""),
                    Kind::String => format!("S\"{text}\""),
                    Kind::Symbol => format!("B\"{text}\""),
                    Kind::Octets => format!("O\"{text}\""),
                    Kind::Char => format!("C\"{text}\""),
                    Kind::Prefix => format!("P\"{text}\""),
                    Kind::Hint => format!("H\"{text}\""),
                    Kind::Comment => format!("K\"{text}\""),
                    Kind::Escaped => format!("E\"{text}\""),
                    Kind::Template => format!("T\"{text}\""),
                    Kind::Space => format!("W\"{text}\""),
                };
                write!(out, "{mark}@{}-{} ", span.start, span.end)
            }
            Event::Error(error) => {
                let place = |position: Position| format!("{}:{}:{}", position.offset, position.line, position.column);
                let opened = error.opened.map(|opened| format!("^{}", place(opened))).unwrap_or_default();
                write!(out, "!{:?}@{}{opened} ", error.kind, place(error.position))
            }
            Event::End => write!(out, "END "),
        };
    }
    out
}
