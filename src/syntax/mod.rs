//! A dialect as plain data: what each byte does, and the rules of its strings, comments and lengths.
//!
//! A [`Syntax`] is `const`: it is made by a [`Builder`] when the program is compiled, and nothing of it is code. The decoder and the
//! encoder read its tables and never ask for its name.

mod builder;
mod characters;
mod circuits;
mod clojure;
mod habit;
mod lead;
mod lisp;
mod meaning;
mod ocaml;
mod original;
mod others;
mod quote;
mod rfc9804;
mod scheme;
mod web;

pub use builder::Builder;
pub use characters::{Characters, Code};
pub use habit::Habit;
pub use lead::Lead;
pub(crate) use lead::Next;
pub use meaning::Meaning;
pub(crate) use meaning::{Row, label};
pub use quote::{Continuation, Number, Quote, UnknownEscape};
pub(crate) use quote::{Escape, LONGEST_ESCAPE, Text, Value, Write, Written};

use crate::scan::classes::Classes;
use core::fmt;

/// What may stand at the very start of a text, and is no part of it.
pub(crate) const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// What a byte does between lexemes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// White space.
    Space,
    /// It begins a bare atom.
    Atom,
    /// It starts a list.
    Open,
    /// It ends a list.
    Close,
    /// It opens the quote of that number.
    Quote(u8),
    /// A digit of a length.
    Length,
    /// It opens hexadecimal octets.
    Hex,
    /// It opens base64 octets.
    Base64,
    /// It opens a display hint.
    Hint,
    /// It opens a comment to the end of the line.
    LineComment,
    /// The byte after it decides, by the lead of that number.
    Lead(u8),
    /// It is a prefix.
    Prefix,
    /// It begins a character.
    Char,
    /// It escapes the first character of a bare atom.
    Escape,
    /// It begins a part of a bare atom in which anything may stand.
    Bars,
    /// It begins a bare atom, perhaps with a variable.
    Variable,
    /// At the start of a line it opens a comment to its end; else it begins a bare atom.
    FirstOnLine,
    /// Directly after something else it is a bare atom by itself; else it begins one.
    Dash,
    /// A carriage return that a line feed must follow.
    Return,
    /// It opens the base64 armour of a whole form.
    Armour,
    /// It may not stand here.
    Illegal,
}

/// What a byte does inside a bare atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cont {
    /// It belongs to the atom.
    Atom,
    /// It belongs to the atom, but not beside the other guarded byte.
    Guard,
    /// It escapes the character after it.
    Escape,
    /// It begins a part of the atom in which anything may stand.
    Bars,
    /// With an opening brace after it, it begins a variable, which makes a template of the atom.
    Variable,
    /// With the second byte of a space after it, it ends the atom; else it belongs to it.
    WideSpace,
    /// It does not belong to the atom, which ends before it.
    End,
}

/// What may follow a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chars {
    /// Where it is a delimiter, anything.
    Free,
    /// A delimiter.
    Delimited,
    /// A character is one code point, or an escape, and a delimiter follows.
    CodePoint,
}

/// How long an escape in a bare atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomEscape {
    /// Any one byte.
    Any,
    /// `x`, hexadecimal digits and `;`.
    Hex,
}

/// How octets may be announced by a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    /// Whether lengths may begin with zeros.
    pub(crate) leading_zeros: bool,
    /// Whether a length may also stand before strings, hexadecimal and base64 octets.
    pub(crate) before_others: bool,
    /// Whether it is checked there.
    pub(crate) checked: bool,
    /// Whether a length may be 0.
    pub(crate) zero: bool,
}

/// A comment between two-byte delimiters that nests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) open: [u8; 2],
    pub(crate) close: [u8; 2],
    /// Whether strings in it are read as strings.
    pub(crate) strings: bool,
}

/// A dialect of s-expressions, as plain data.
///
/// Take one of the constants, or make one with [`Syntax::builder`].
///
/// ```
/// use sexp_codec::Syntax;
///
/// assert_eq!(Syntax::by_name("sexplib").unwrap().name(), "sexplib");
/// assert!(Syntax::ALL.iter().any(|syntax| syntax.name() == "canonical"));
/// ```
#[derive(Clone, Copy)]
pub struct Syntax {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) start: [Start; 256],
    pub(crate) cont: [Cont; 256],
    /// The pairs of brackets, of which there are `pair_count`.
    pub(crate) pairs: [(u8, u8); 3],
    pub(crate) pair_count: usize,
    pub(crate) quotes: &'static [Quote],
    pub(crate) line_comment: Option<u8>,
    /// Whether a carriage return ends line comments, too.
    pub(crate) return_ends_comments: bool,
    pub(crate) leads: &'static [Lead],
    pub(crate) block: Option<Block>,
    /// The tokens after a lead that are prefixes before a list or string, digits left out.
    pub(crate) tags: &'static [&'static [u8]],
    pub(crate) atom_escape: AtomEscape,
    /// Whether they are read between bars, too.
    pub(crate) escapes_in_bars: bool,
    pub(crate) chars: Chars,
    /// Whether atoms and strings must not touch; a byte of these may touch a character nevertheless.
    pub(crate) separators: bool,
    pub(crate) may_touch: &'static [u8],
    /// A space of two bytes.
    pub(crate) wide_space: Option<[u8; 2]>,
    /// Whether what begins as a bare atom can turn out to be something else.
    pub(crate) atoms_turn: bool,
    /// Whether what stands before a byte on its line matters.
    pub(crate) looks_back: bool,
    /// Whether a string may be a block of lines.
    pub(crate) block_strings: bool,
    /// Whether base64 may hold white space.
    pub(crate) base64_spaces: bool,
    /// After this atom the next byte is one, and of the quotes the one it opens is the only one.
    pub(crate) quote_switch: Option<&'static [u8]>,
    /// Whether what stands between two tokens depends on more than whether the second could go on with the first.
    pub(crate) touchy: bool,
    /// Whether delimiters and plain atoms may be written with no more than a separator.
    pub(crate) writes_at_once: bool,
    /// Whether that separator is a space between bare atoms, and else nothing.
    pub(crate) writes_short: bool,
    /// Whether a bare atom is never to be written as a string.
    pub(crate) strings_are_apart: bool,
    /// The files that hold it: ends of names with the dot, or whole names.
    pub(crate) files: &'static [&'static str],
    /// What prefixes and brackets mean.
    pub(crate) meanings: &'static [Row],
    pub(crate) characters: Option<&'static Characters>,
    /// Whether a lone dot in a list belongs to a pair; none if that is left open.
    pub(crate) dots: Option<bool>,
    /// Whether a reader takes small letters in a bare atom for capitals, unless they are escaped.
    pub(crate) small_letters_are_capitals: bool,
    /// How it is laid out for people.
    pub(crate) habit: Habit,
    /// Whether strings and comments must be UTF-8.
    pub(crate) utf8: bool,
    pub(crate) guard: Option<(u8, u8)>,
    pub(crate) lengths: Option<Lengths>,
    pub(crate) hex: Option<u8>,
    pub(crate) base64: Option<u8>,
    pub(crate) hint: Option<(u8, u8)>,
    pub(crate) armour: Option<(u8, u8)>,
    pub(crate) byte_order_mark: bool,
    /// Whether bare atoms exist.
    pub(crate) bare: bool,
    /// Whether the byte may be written in a bare atom.
    pub(crate) plain: [bool; 256],
    /// The closing quote and the escape character of the first quotes, where these are all that does not stand for itself in them.
    pub(crate) quote_and_escape: Option<(u8, u8)>,
    /// What the scanner is told.
    pub(crate) classes: Classes,
}

impl Syntax {
    /// The syntaxes that have a name here.
    pub const ALL: &'static [&'static Syntax] = &[
        &Syntax::PLAIN,
        &Syntax::SE,
        &Syntax::SEXPLIB,
        &Syntax::DUNE,
        &Syntax::CANONICAL,
        &Syntax::CSEXP,
        &Syntax::TRANSPORT,
        &Syntax::ADVANCED,
        &Syntax::LIBGCRYPT,
        &Syntax::R7RS,
        &Syntax::R6RS,
        &Syntax::GUILE,
        &Syntax::SCHEME,
        &Syntax::RACKET,
        &Syntax::COMMONLISP,
        &Syntax::ELISP,
        &Syntax::EDN,
        &Syntax::CLOJURE,
        &Syntax::SMTLIB,
        &Syntax::PDDL,
        &Syntax::KICAD,
        &Syntax::DSN,
        &Syntax::EDIF,
        &Syntax::WAT,
        &Syntax::TREEBANK,
        &Syntax::GIMPRC,
    ];

    /// The syntax of that name.
    ///
    /// ```
    /// use sexp_codec::Syntax;
    ///
    /// assert!(Syntax::by_name("advanced").is_some());
    /// assert!(Syntax::by_name("esperanto").is_none());
    /// ```
    pub fn by_name(name: &str) -> Option<&'static Syntax> {
        Syntax::ALL.iter().copied().find(|syntax| syntax.name == name)
    }

    /// The syntax of a file of that name, as far as names tell: by its end or, for files that are always called the same, by all of it.
    ///
    /// ```
    /// use sexp_codec::Syntax;
    ///
    /// assert_eq!(Syntax::for_file("board.kicad_pcb").unwrap().name(), "kicad");
    /// assert_eq!(Syntax::for_file("dune").unwrap().name(), "dune");
    /// assert!(Syntax::for_file("README.md").is_none());
    /// ```
    pub fn for_file(name: &str) -> Option<&'static Syntax> {
        let holds =
            |syntax: &Syntax| syntax.files.iter().any(|file| if file.starts_with('.') { name.ends_with(file) } else { name == *file });
        Syntax::ALL.iter().copied().find(|syntax| holds(syntax))
    }

    /// The names of the files that hold it: ends, if they begin with a dot, else whole names.
    pub const fn files(&self) -> &'static [&'static str] {
        self.files
    }

    /// Its name, as `setrip` takes it.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What it is, in a line.
    pub const fn about(&self) -> &'static str {
        self.about
    }

    /// Starts a syntax of one's own: no byte has a meaning yet.
    ///
    /// ```
    /// use sexp_codec::{Quote, Syntax};
    ///
    /// static QUOTES: [Quote; 1] = [Quote::string(b'"').escape_with(b'\\').escapes(&[(b'n', b'\n')])];
    /// static MINE: Syntax = Syntax::builder("mine", "atoms, strings and ; comments")
    ///     .spaces(b" \t\r\n")
    ///     .list(b'(', b')')
    ///     .quotes(&QUOTES)
    ///     .line_comment(b';')
    ///     .other_bytes_are_atoms()
    ///     .build();
    /// # use sexp_codec::nonblocking::{Decode, Decoder};
    /// # use sexp_codec::Lexeme;
    /// let mut decoder = Decoder::new(&MINE);
    /// assert!(matches!(decoder.feed(b"\"a\\nb\"").decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::string(b"a\nb")));
    /// ```
    pub const fn builder(name: &'static str, about: &'static str) -> Builder {
        Builder::new(name, about)
    }

    /// The same syntax, with lengths that may begin with zeros (`03:abc`).
    ///
    /// RFC 9804 section 4.1 forbids them; OCaml's csexp reads them.
    pub const fn with_leading_zeros(mut self) -> Syntax {
        if let Some(lengths) = &mut self.lengths {
            lengths.leading_zeros = true;
        }
        self
    }

    /// The name that a bare atom with escapes in it stands for, whose text is that of an [`Escaped`](crate::Kind::Escaped) lexeme: without
    /// escape characters and bars. It is appended to `name`.
    ///
    /// What is not escaped keeps its case, though a reader above may change it.
    ///
    /// ```
    /// use sexp_codec::Syntax;
    ///
    /// let mut name = Vec::new();
    /// Syntax::COMMONLISP.unescape(br"a|b c|\(", &mut name);
    /// assert_eq!(name, b"ab c(");
    /// name.clear();
    /// Syntax::R6RS.unescape(br"H\x65;llo", &mut name);
    /// assert_eq!(name, b"Hello");
    /// ```
    pub fn unescape(&self, text: &[u8], name: &mut alloc::vec::Vec<u8>) {
        let (mut rest, mut bars) = (text, false);
        if self
            .leads
            .iter()
            .any(|lead| matches!(text, [byte, other] if lead.byte == *byte && lead.next[*other as usize] == Next::BothEscaped))
        {
            return;
        }
        while let [byte, after @ ..] = rest {
            rest = after;
            match (self.cont[*byte as usize], rest) {
                (Cont::Bars, _) => bars = !bars,
                (Cont::Escape, [b'x', digits @ ..]) if self.atom_escape == AtomEscape::Hex => {
                    let end = memchr::memchr(b';', digits).unwrap_or(digits.len());
                    let value = digits[..end].iter().fold(0u32, |value, &digit| {
                        value.saturating_mul(16).saturating_add((digit as char).to_digit(16).unwrap_or_default())
                    });
                    name.extend_from_slice(
                        char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut [0; 4]).as_bytes(),
                    );
                    rest = digits.get(end + 1..).unwrap_or_default();
                }
                (Cont::Escape, [escaped, after @ ..]) if !bars || self.escapes_in_bars => {
                    name.push(*escaped);
                    rest = after;
                }
                _ => name.push(*byte),
            }
        }
    }

    /// Whether all atoms are of one kind, so that it does not say of any whether another syntax should put it in quotes.
    pub(crate) const fn has_one_kind_of_atom(&self) -> bool {
        !self.bare && self.quotes.is_empty()
    }

    /// Whether it has octets: counted, hexadecimal or in base64.
    pub(crate) const fn has_octets(&self) -> bool {
        self.lengths.is_some() || self.hex.is_some() || self.base64.is_some()
    }

    /// Whether a byte has that meaning, which is one without a number.
    const fn has_start(&self, start: Start) -> bool {
        let mut byte = 0;
        while byte < 256 {
            match (self.start[byte], start) {
                (Start::Char, Start::Char) | (Start::Prefix, Start::Prefix) | (Start::Dash, Start::Dash) => return true,
                _ => {}
            }
            byte += 1;
        }
        false
    }

    /// Whether a text, at the start of the data, would be taken for a byte order mark and what follows it, and there is no white space that
    /// could stand before it.
    pub(crate) fn takes_for_a_mark(&self, text: &[u8]) -> bool {
        self.byte_order_mark && self.start[b' ' as usize] != Start::Space && text.starts_with(&BYTE_ORDER_MARK)
    }

    /// Whether a bare atom may begin with the byte, when it is written, without a look at what it begins with. What could be taken for a byte
    /// order mark may not.
    pub(crate) const fn plain_first(&self, byte: u8) -> bool {
        self.plain[byte as usize]
            && matches!(self.start[byte as usize], Start::Atom | Start::Lead(_))
            && !(self.byte_order_mark && byte == 0xef)
    }
}

impl fmt::Debug for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Syntax").field(&self.name).finish()
    }
}
