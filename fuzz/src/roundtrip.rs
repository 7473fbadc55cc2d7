//! Any lexemes, in any syntax and layout, through windows of any size: what was accepted reads back the same, what a syntax cannot carry
//! is refused and leaves no trace, and nothing else is refused.
//!
//! | byte of the data | |
//! |---|---|
//! | 0 | the syntax, by its number among the subjects of the tests |
//! | 1 | the layout (2 bits), whether atoms are spelled anew, and how many sizes of windows follow, less one (2 bits), and the width of lines (3 bits) |
//! | 2… | those sizes, less one |
//! | … | lexemes |
//!
//! A lexeme is a letter, the length of its bytes and its bytes. `A`, `S`, `B`, `O`, `H`, `K`, `C` and `P` are bare atom, string, symbol, octets, hint,
//! comment, character and prefix; in lower case the first four come in pieces, and one more byte before their length says how: the size
//! of the pieces (3 bits), and whether the first announces how long the atom is (the highest bit). `(` and `)` stand for themselves. Any
//! other letter is a bare atom.

use crate::harness::Subject;
use crate::harness::round_trip::{Owned, carries, kind_read, read, write};
use sexp_codec::nonblocking::{Encode, Encoder, Output};
use sexp_codec::{EncodeError, EncodeOptions, Fragment, Kind, Layout, Lexeme, Span};

/// Checks what the data say.
pub fn check(data: &[u8]) {
    let Some((mut test, mut data)) = Test::read(data) else { return };
    while let Some((item, rest)) = Item::read(data) {
        test.write(item);
        data = rest;
    }
    test.end();
}

/// Something to be written.
struct Item<'a> {
    kind: Kind,
    bytes: &'a [u8],
    pieces: Option<Pieces>,
}

/// How an atom is cut.
#[derive(Clone, Copy)]
struct Pieces {
    size: usize,
    announced: bool,
}

impl<'a> Item<'a> {
    fn read(data: &'a [u8]) -> Option<(Item<'a>, &'a [u8])> {
        let (&letter, mut rest) = data.split_first()?;
        let kind = match letter {
            b'(' => return Some((Item { kind: Kind::Open, bytes: b"(", pieces: None }, rest)),
            b')' => return Some((Item { kind: Kind::Close, bytes: b")", pieces: None }, rest)),
            b'S' | b's' => Kind::String,
            b'B' | b'b' => Kind::Symbol,
            b'O' | b'o' => Kind::Octets,
            b'H' => Kind::Hint,
            b'K' => Kind::Comment,
            b'C' => Kind::Char,
            b'P' => Kind::Prefix,
            _ => Kind::Bare,
        };
        let mut pieces = None;
        if matches!(letter, b'a' | b's' | b'b' | b'o') {
            let (&how, after) = rest.split_first()?;
            rest = after;
            pieces = Some(Pieces { size: usize::from(how & 7), announced: how & 0x80 != 0 });
        }
        let (&length, rest) = rest.split_first()?;
        let (bytes, rest) = rest.split_at(rest.len().min(length.into()));
        Some((Item { kind, bytes, pieces }, rest))
    }
}

/// An encoder that is tested.
struct Test {
    subject: Subject,
    options: EncodeOptions,
    encoder: Encoder,
    sizes: Vec<usize>,
    /// The window that is being filled, and how far it is.
    window: Vec<u8>,
    filled: usize,
    windows: usize,
    text: Vec<u8>,
    plain: Plain,
    depth: usize,
    hinted: bool,
    /// Whether an atom was written in pieces.
    pieces: bool,
    /// What was accepted, and the kinds that it may have when it is read back.
    written: Vec<(Owned, Vec<Kind>)>,
}

/// An encoder that has all the room it needs, and never comes to know of what is refused.
struct Plain {
    encoder: Encoder,
    text: Vec<u8>,
}

impl Plain {
    fn step(&mut self, step: &dyn Fn(&mut Output<'_>) -> Encode) -> Encode {
        let mut encoder = self.encoder.clone();
        let mut window = [0; 4096];
        let mut output = encoder.window(&mut window);
        let outcome = step(&mut output);
        if outcome == Encode::Ok {
            self.text.extend_from_slice(output.bytes());
            self.encoder = encoder;
        }
        outcome
    }
}

impl Test {
    fn read(data: &[u8]) -> Option<(Test, &[u8])> {
        let (&[syntax, how], rest) = data.split_first_chunk()?;
        let (sizes, rest) = rest.split_at_checked(1 + usize::from(how >> 3 & 3))?;
        // The rest are for the target `dialects`.
        let subjects: Vec<Subject> = Subject::all().into_iter().filter(Subject::is_exact_about_size).collect();
        let subject = subjects[usize::from(syntax) % subjects.len()];
        let layout = [Layout::Compact, Layout::Lines, Layout::Indent, Layout::Compact][usize::from(how & 3)];
        let width = [80, 0, 1, 5, 12, 20, 40, 200][usize::from(how >> 5)];
        let options = EncodeOptions::default().layout(layout).width(width).respell(how & 4 != 0);
        let encoder = Encoder::with_options(subject.syntax, options);
        let plain = Plain { encoder: encoder.clone(), text: Vec::new() };
        let test = Test {
            subject,
            options,
            encoder,
            sizes: sizes.iter().map(|&size| 1 + usize::from(size)).collect(),
            window: Vec::new(),
            filled: 0,
            windows: 0,
            text: Vec::new(),
            plain,
            depth: 0,
            hinted: false,
            pieces: false,
            written: Vec::new(),
        };
        Some((test, rest))
    }

    /// Writes a lexeme if the syntax can carry it, and checks that it is refused if not.
    fn write(&mut self, Item { kind, bytes, pieces }: Item<'_>) {
        if let Some(pieces) = pieces {
            return self.write_pieces(kind, bytes, pieces);
        }
        let owned = (kind, bytes.to_vec());
        let carried = carries(self.subject, self.options.layout, &owned, self.depth, self.hinted);
        let outcome = self.step(&|output| output.encode(Lexeme::new(kind, bytes)));
        assert_eq!(outcome.is_ok(), carried, "{:?}: {kind:?} \"{}\": {outcome:?}", self.subject, bytes.escape_ascii());
        if carried {
            let kinds = kind_read(self.subject, &owned);
            self.accepted(owned, kinds);
        }
    }

    /// Writes an atom in pieces. One that is refused is replaced by another that the syntax can carry.
    fn write_pieces(&mut self, kind: Kind, bytes: &[u8], Pieces { size, announced }: Pieces) {
        let mut pieces: Vec<&[u8]> = if size == 0 { vec![b"", bytes] } else { bytes.chunks(size).collect() };
        if pieces.is_empty() {
            pieces.push(b"");
        }
        let last = pieces.len() - 1;
        let mut value = Vec::new();
        for (i, piece) in pieces.into_iter().enumerate() {
            let total = announced.then_some(bytes.len() as u64);
            let mut fragment = Fragment { kind, bytes: piece, first: i == 0, last: i == last, total, span: Span::default() };
            if let Err(error) = self.step(&|output| output.fragment(fragment)) {
                match error {
                    EncodeError::TotalNeeded if !announced && i == 0 => return,
                    EncodeError::EmptyAtom if bytes.is_empty() && i == 0 => return,
                    EncodeError::Unrepresentable { index, .. } => assert!(value.len() as u64 <= index),
                    EncodeError::EmptyAtom => assert!(bytes.is_empty()),
                    error => panic!("{:?}: {error} ({error:?}): {fragment:?}", self.subject),
                }
                let replaced = b"x".repeat(piece.len().max(usize::from(bytes.is_empty())));
                fragment.bytes = &replaced;
                self.step(&|output| output.fragment(fragment)).unwrap();
                value.extend_from_slice(&replaced);
            } else {
                value.extend_from_slice(piece);
            }
        }
        // Whether it needs quotes could not be known.
        let owned = (kind, value);
        let mut kinds = kind_read(self.subject, &owned);
        if kinds.contains(&Kind::Bare) && self.subject.name != "se" {
            kinds.push(Kind::String);
        }
        self.pieces = true;
        self.accepted(owned, kinds);
    }

    fn accepted(&mut self, lexeme: Owned, kinds: Vec<Kind>) {
        match lexeme.0 {
            Kind::Open => self.depth += 1,
            Kind::Close => self.depth -= 1,
            Kind::Hint => self.hinted = true,
            Kind::Comment => {}
            _ => self.hinted = false,
        }
        self.written.push((lexeme, kinds));
    }

    /// A step through windows, each of which is filled to its last byte. What it comes to does not depend on them.
    fn step(&mut self, step: &dyn Fn(&mut Output<'_>) -> Encode) -> Result<(), EncodeError> {
        let outcome = loop {
            if self.filled == self.window.len() {
                self.text.append(&mut self.window);
                self.window.resize(self.sizes[self.windows % self.sizes.len()], 0xaa);
                self.windows += 1;
                self.filled = 0;
            }
            let mut output = self.encoder.window(&mut self.window[self.filled..]);
            match step(&mut output) {
                Encode::Partial => {
                    assert_eq!(output.remaining(), 0, "a window is not filled");
                    self.filled = self.window.len();
                }
                Encode::Ok => {
                    self.filled += output.written();
                    break Ok(());
                }
                Encode::Error(error) => {
                    assert_eq!(output.written(), 0, "{error:?} has written something");
                    break Err(error);
                }
            }
            // A copy goes on as the original would.
            self.encoder = self.encoder.clone();
        };
        let expected = outcome.map_or_else(Encode::Error, |()| Encode::Ok);
        assert_eq!(self.plain.step(step), expected);
        assert_eq!(self.encoder.depth(), self.plain.encoder.depth());
        outcome
    }

    /// Ends what is open, and reads all that was written.
    fn end(mut self) {
        if self.hinted {
            assert_eq!(self.finish(), Encode::Error(EncodeError::MisplacedHint));
            self.write(Item { kind: Kind::Bare, bytes: b"end", pieces: None });
        }
        while self.depth > 0 {
            assert_eq!(self.finish(), Encode::Error(EncodeError::UnclosedList(self.depth as u64)));
            self.write(Item { kind: Kind::Close, bytes: b")", pieces: None });
        }
        assert_eq!(self.finish(), Encode::Ok);
        self.text.extend_from_slice(&self.window[..self.filled]);
        let text = &self.text;
        assert_eq!(text.escape_ascii().to_string(), self.plain.text.escape_ascii().to_string(), "windows do not matter");
        let back = read(self.subject, text);
        let right = |((written, kinds), back): (&(Owned, Vec<Kind>), &Owned)| {
            written.1 == back.1 && (kinds.contains(&back.0) || self.options.respell && written.0.is_atom())
        };
        assert!(
            self.written.len() == back.len() && self.written.iter().zip(&back).all(right),
            "{:?}, {:?}: {}\n  written {:?}\n  read    {back:?}",
            self.subject,
            self.options,
            text.escape_ascii(),
            self.written
        );
        if !self.pieces {
            let (again, _) = write(self.subject, self.options, &back, &[4096]);
            assert_eq!(again.escape_ascii().to_string(), text.escape_ascii().to_string(), "what was read is written as it was");
        }
    }

    fn finish(&mut self) -> Encode {
        self.encoder.window(&mut []).finish()
    }
}
