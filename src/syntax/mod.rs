//! A dialect as plain data: what each byte does, and the rules of its strings, comments and lengths.
//!
//! A [`Syntax`] is `const`: it is made by a [`Builder`] when the program is compiled, and nothing of it is code. The decoder and the
//! encoder read its tables and never ask for its name.

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

pub use characters::{Characters, Code};
pub use habit::Habit;
pub use lead::Lead;
pub(crate) use lead::Next;
pub use meaning::Meaning;
pub(crate) use meaning::{Row, label};
pub use quote::{Continuation, Number, Quote, UnknownEscape};
pub(crate) use quote::{Escape, LONGEST_ESCAPE, Text, Value, Write, Written};

use crate::scan::classes::{self, Beside, Classes};
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

/// Makes a [`Syntax`], when the program is compiled.
///
/// Each call gives a meaning to bytes that have none yet; to give a byte two meanings is an error of compilation.
#[derive(Clone, Copy, Debug)]
pub struct Builder {
    syntax: Syntax,
    given: [bool; 256],
    /// Bytes that begin an atom and go on with none.
    alone: [bool; 256],
}

impl Builder {
    const fn new(name: &'static str, about: &'static str) -> Builder {
        Builder {
            syntax: Syntax {
                name,
                about,
                start: [Start::Illegal; 256],
                cont: [Cont::End; 256],
                pairs: [(b'(', b')'); 3],
                pair_count: 0,
                quotes: &[],
                line_comment: None,
                return_ends_comments: false,
                leads: &[],
                block: None,
                tags: &[],
                atom_escape: AtomEscape::Any,
                escapes_in_bars: true,
                chars: Chars::Free,
                separators: false,
                may_touch: &[],
                wide_space: None,
                atoms_turn: false,
                looks_back: false,
                block_strings: false,
                base64_spaces: true,
                quote_switch: None,
                touchy: false,
                writes_at_once: true,
                writes_short: true,
                strings_are_apart: false,
                files: &[],
                meanings: &[],
                characters: None,
                dots: Some(false),
                small_letters_are_capitals: false,
                habit: Habit::new(),
                utf8: false,
                guard: None,
                lengths: None,
                hex: None,
                base64: None,
                hint: None,
                armour: None,
                byte_order_mark: false,
                bare: false,
                plain: [false; 256],
                quote_and_escape: None,
                classes: Classes::new([0; 256], Beside::NOTHING, &[], false),
            },
            given: [false; 256],
            alone: [false; 256],
        }
    }

    /// Gives a byte its meaning between lexemes; inside a bare atom it ends it.
    const fn give(mut self, byte: u8, start: Start) -> Builder {
        assert!(!self.given[byte as usize], "a byte of the syntax has two meanings");
        self.given[byte as usize] = true;
        self.syntax.start[byte as usize] = start;
        self
    }

    /// Makes a byte part of bare atoms.
    const fn atom(mut self, byte: u8) -> Builder {
        self.syntax.bare = true;
        self.syntax.plain[byte as usize] = true;
        if self.alone[byte as usize] {
            return self;
        }
        self.syntax.cont[byte as usize] = Cont::Atom;
        self.syntax.plain[byte as usize] = true;
        if !self.given[byte as usize] {
            self.given[byte as usize] = true;
            self.syntax.start[byte as usize] = Start::Atom;
        }
        self
    }

    /// These bytes are white space.
    pub const fn spaces(mut self, bytes: &[u8]) -> Builder {
        let mut i = 0;
        while i < bytes.len() {
            self = self.give(bytes[i], Start::Space);
            i += 1;
        }
        self
    }

    /// A carriage return is white space before a line feed, and an error elsewhere, line comments included.
    pub const fn return_needs_line_feed(self) -> Builder {
        self.give(b'\r', Start::Return)
    }

    /// These bytes delimit lists. There may be up to three such pairs, whose brackets must then match.
    pub const fn list(mut self, open: u8, close: u8) -> Builder {
        assert!(self.syntax.pair_count < 3, "more than three pairs of brackets");
        self.syntax.pairs[self.syntax.pair_count] = (open, close);
        self.syntax.pair_count += 1;
        // A bracket may be the lead of something else.
        if !self.given[open as usize] {
            self = self.give(open, Start::Open);
        }
        self.give(close, Start::Close)
    }

    /// Each of these bytes is a prefix of the datum after it, such as `'`. Inside a bare atom it ends it.
    pub const fn prefixes(mut self, bytes: &[u8]) -> Builder {
        let mut i = 0;
        while i < bytes.len() {
            self = self.give(bytes[i], Start::Prefix);
            i += 1;
        }
        self
    }

    /// Bytes whose meaning the byte after them decides. Inside a bare atom they end it, unless [`atoms`](Builder::atoms) names them.
    pub const fn leads(mut self, leads: &'static [Lead]) -> Builder {
        self.syntax.leads = leads;
        let mut i = 0;
        while i < leads.len() {
            self = self.give(leads[i].byte, Start::Lead(i as u8));
            i += 1;
        }
        self
    }

    /// The delimiters of the block comment that a [`Lead`] begins, such as `#|` and `|#`. It nests; with `strings`, strings in it are read
    /// as strings, in which delimiters mean nothing.
    pub const fn block_comment(mut self, open: [u8; 2], close: [u8; 2], strings: bool) -> Builder {
        self.syntax.block = Some(Block { open, close, strings });
        self
    }

    /// Neither delimiter of the block comment may stand inside a bare atom, where its bytes belong.
    pub const fn guard_block_comment(mut self) -> Builder {
        if let Some(Block { open: [one, other], .. }) = self.syntax.block {
            self = self.atom(one).atom(other);
            self.syntax.guard = Some((one, other));
            self.syntax.cont[one as usize] = Cont::Guard;
            self.syntax.cont[other as usize] = Cont::Guard;
        }
        self
    }

    /// Tokens that are prefixes where a list or string follows directly, such as `#u8`. The digits after the first byte (or two, if the
    /// second is no letter) are to be left out: `#A` is for `#2A`, too.
    pub const fn tags(mut self, tags: &'static [&'static [u8]]) -> Builder {
        self.syntax.tags = tags;
        self
    }

    /// Such a byte begins a character: any code point after it, and then what may be in an atom.
    pub const fn characters(self, byte: u8) -> Builder {
        self.give(byte, Start::Char)
    }

    /// In a bare atom such a byte escapes the one after it.
    pub const fn escape_in_atoms(mut self, byte: u8) -> Builder {
        self.syntax.cont[byte as usize] = Cont::Escape;
        self.give(byte, Start::Escape)
    }

    /// In a bare atom such a byte begins and ends a part in which anything may stand.
    pub const fn bars_in_atoms(mut self, byte: u8) -> Builder {
        self.syntax.cont[byte as usize] = Cont::Bars;
        self.give(byte, Start::Bars)
    }

    /// How escapes in bare atoms are written.
    pub(crate) const fn escapes_in_atoms_are(mut self, escape: AtomEscape) -> Builder {
        self.syntax.atom_escape = escape;
        self
    }

    /// Between bars there are no escapes.
    pub const fn no_escapes_in_bars(mut self) -> Builder {
        self.syntax.escapes_in_bars = false;
        self
    }

    /// What may follow a character.
    pub(crate) const fn characters_are(mut self, chars: Chars) -> Builder {
        self.syntax.chars = chars;
        self
    }

    /// What belongs to atoms may nevertheless follow a character directly.
    pub(crate) const fn may_touch(mut self, bytes: &'static [u8]) -> Builder {
        self.syntax.may_touch = bytes;
        self
    }

    /// These two bytes are a space, though the first has a [`Lead`] and belongs to atoms where the second does not follow.
    pub(crate) const fn wide_space(mut self, bytes: [u8; 2]) -> Builder {
        self = self.atom(bytes[0]);
        self.syntax.cont[bytes[0] as usize] = Cont::WideSpace;
        self.syntax.wide_space = Some(bytes);
        self
    }

    /// What stands in strings and comments must be UTF-8: bytes that are not are an error. What escapes stand for need not be.
    pub const fn utf8(mut self) -> Builder {
        self.syntax.utf8 = true;
        self
    }

    /// Atoms and strings must not touch each other.
    pub const fn separators(mut self) -> Builder {
        self.syntax.separators = true;
        self
    }

    /// These bytes may stand nowhere but in quotes and comments.
    pub const fn illegal(mut self, bytes: &[u8]) -> Builder {
        let mut i = 0;
        while i < bytes.len() {
            self = self.give(bytes[i], Start::Illegal);
            i += 1;
        }
        self
    }

    /// Such a byte begins an atom, and ends one that has begun.
    pub const fn begins_atoms(mut self, byte: u8) -> Builder {
        self = self.give(byte, Start::Atom);
        self.alone[byte as usize] = true;
        self
    }

    /// Where such a byte is the first of a line but for blanks, it opens a comment to the end of the line.
    pub const fn comment_at_line_start(mut self, byte: u8) -> Builder {
        self.syntax.line_comment = Some(byte);
        self.syntax.looks_back = true;
        self.give(byte, Start::FirstOnLine).atom(byte)
    }

    /// A comment to the end of the line begins with two of this byte, which is a [`Lead`].
    pub const fn line_comment_by_lead(mut self, byte: u8) -> Builder {
        self.syntax.line_comment = Some(byte);
        self
    }

    /// After this atom the next byte is one, too, and from then on its quotes, if it opens any, are the only ones. Before, the first are.
    pub(crate) const fn quote_switch(mut self, atom: &'static [u8]) -> Builder {
        self.syntax.quote_switch = Some(atom);
        self
    }

    /// Directly after another token such a byte is an atom of its own.
    pub(crate) const fn dash(mut self, byte: u8) -> Builder {
        self.syntax.looks_back = true;
        self.give(byte, Start::Dash).atom(byte)
    }

    /// A bare atom with a variable `%{name}` in it is a template.
    pub(crate) const fn variables(mut self) -> Builder {
        self = self.atom(b'%');
        self.syntax.cont[b'%' as usize] = Cont::Variable;
        self.syntax.start[b'%' as usize] = Start::Variable;
        self
    }

    /// A string may be written as a block of lines, each of which begins with `"\|` or `"\>`.
    pub(crate) const fn block_strings(mut self) -> Builder {
        self.syntax.block_strings = true;
        self
    }

    /// A length may not begin with 0, not even to be 0.
    pub(crate) const fn lengths_without_zero(mut self) -> Builder {
        if let Some(lengths) = &mut self.syntax.lengths {
            lengths.zero = false;
            lengths.checked = false;
        }
        self
    }

    /// Base64 holds no white space.
    pub(crate) const fn base64_without_spaces(mut self) -> Builder {
        self.syntax.base64_spaces = false;
        self
    }

    /// Line comments end at a carriage return, too.
    pub const fn return_ends_comments(mut self) -> Builder {
        self.syntax.return_ends_comments = true;
        self
    }

    /// Strings mean something else than bare atoms: an atom that cannot be written bare is not written as a string.
    pub const fn strings_are_apart(mut self) -> Builder {
        self.syntax.strings_are_apart = true;
        self
    }

    /// What prefixes and opening brackets mean, for a [`Converter`](crate::Converter): each row has the text of a prefix, of a bracket, or of
    /// both. A meaning that has several rows is written as the first of them. The first pair of brackets is of lists, if no row says otherwise.
    ///
    /// ```
    /// use sexp_codec::{Meaning, Syntax};
    ///
    /// static MINE: Syntax = Syntax::builder("mine", "lists, vectors and '")
    ///     .spaces(b" \t\r\n")
    ///     .list(b'(', b')')
    ///     .list(b'[', b']')
    ///     .prefixes(b"'")
    ///     .meanings(&[("[", Meaning::Vector), ("'", Meaning::Quote)])
    ///     .other_bytes_are_atoms()
    ///     .build();
    /// # let _ = &MINE;
    /// ```
    pub const fn meanings(mut self, rows: &'static [(&'static str, Meaning)]) -> Builder {
        self.syntax.meanings = rows;
        self
    }

    /// How the characters that the syntax has are spelled, for a [`Converter`](crate::Converter).
    pub const fn spells_characters(mut self, characters: &'static Characters) -> Builder {
        self.syntax.characters = Some(characters);
        self
    }

    /// A lone dot in a list belongs to a pair, such as `(a . b)`, and is no atom. Without this call it is one like any other.
    pub const fn pairs_have_dots(mut self) -> Builder {
        self.syntax.dots = Some(true);
        self
    }

    /// Whether a lone dot belongs to a pair is left to the reader above.
    pub(crate) const fn dots_are_left_open(mut self) -> Builder {
        self.syntax.dots = None;
        self
    }

    /// A reader takes the small letters of a bare atom for capitals, unless they are escaped.
    pub const fn small_letters_are_capitals(mut self) -> Builder {
        self.syntax.small_letters_are_capitals = true;
        self
    }

    /// Files with these names, or names that end so if there is a dot first, hold it.
    pub const fn files(mut self, files: &'static [&'static str]) -> Builder {
        self.syntax.files = files;
        self
    }

    /// How people lay it out.
    pub const fn habit(mut self, habit: Habit) -> Builder {
        self.syntax.habit = habit;
        self
    }

    /// These bytes, from the first to the second of each pair, make bare atoms. One that has a meaning between lexemes already keeps
    /// it there, and belongs to an atom once that has begun.
    pub const fn atoms(mut self, ranges: &[(u8, u8)]) -> Builder {
        let mut i = 0;
        while i < ranges.len() {
            let mut byte = ranges[i].0 as usize;
            while byte <= ranges[i].1 as usize {
                self = self.atom(byte as u8);
                byte += 1;
            }
            i += 1;
        }
        self
    }

    /// All bytes without a meaning so far make bare atoms.
    pub const fn other_bytes_are_atoms(mut self) -> Builder {
        let mut byte = 0;
        while byte < 256 {
            if !self.given[byte] {
                self = self.atom(byte as u8);
            }
            byte += 1;
        }
        self
    }

    /// Strings and the like: what is written in quotes.
    pub const fn quotes(mut self, quotes: &'static [Quote]) -> Builder {
        self.syntax.quotes = quotes;
        let mut i = 0;
        while i < quotes.len() {
            if quotes[i].after.is_none() && !self.given[quotes[i].open as usize] {
                self = self.give(quotes[i].open, Start::Quote(i as u8));
            }
            i += 1;
        }
        self
    }

    /// A comment from this byte to the end of the line.
    pub const fn line_comment(mut self, byte: u8) -> Builder {
        self.syntax.line_comment = Some(byte);
        self.give(byte, Start::LineComment)
    }

    /// Octets may be counted: digits, a colon, and that many octets. With `before_others`, a length may also stand before a string,
    /// hexadecimal and base64 octets, and is checked. (RFC 9804, sections 4.1, 4.2, 4.4 and 4.5.)
    pub const fn lengths(mut self, before_others: bool) -> Builder {
        self.syntax.lengths = Some(Lengths { leading_zeros: false, before_others, checked: true, zero: true });
        let mut digit = b'0';
        while digit <= b'9' {
            self = self.give(digit, Start::Length);
            digit += 1;
        }
        self
    }

    /// Octets may be written in hexadecimal between two of this byte. (RFC 9804, section 4.4.)
    pub const fn hex(mut self, delimiter: u8) -> Builder {
        self.syntax.hex = Some(delimiter);
        self.give(delimiter, Start::Hex)
    }

    /// Octets may be written in base64 between two of this byte. (RFC 9804, section 4.5.)
    pub const fn base64(mut self, delimiter: u8) -> Builder {
        self.syntax.base64 = Some(delimiter);
        self.give(delimiter, Start::Base64)
    }

    /// An atom may have a display hint before it, between these bytes. (RFC 9804, section 4.6.)
    pub const fn hints(mut self, open: u8, close: u8) -> Builder {
        self.syntax.hint = Some((open, close));
        self.give(open, Start::Hint)
    }

    /// At the top level a whole form may be written in base64 between these bytes. (RFC 9804, section 6.1.)
    pub const fn armour(mut self, open: u8, close: u8) -> Builder {
        self.syntax.armour = Some((open, close));
        self.give(open, Start::Armour)
    }

    /// A byte order mark (EF BB BF) at the very start of the input is skipped.
    pub const fn byte_order_mark(mut self) -> Builder {
        self.syntax.byte_order_mark = true;
        self
    }

    /// These bytes, from the first to the second of each pair, are read in bare atoms, but an atom that has one is written in quotes.
    pub const fn quote_when_written(mut self, ranges: &[(u8, u8)]) -> Builder {
        let mut i = 0;
        while i < ranges.len() {
            let mut byte = ranges[i].0 as usize;
            while byte <= ranges[i].1 as usize {
                self.syntax.plain[byte] = false;
                byte += 1;
            }
            i += 1;
        }
        self
    }

    /// The syntax.
    ///
    /// # Panics
    ///
    /// Where the parts contradict each other; in a `const` or `static` that is an error of compilation.
    pub const fn build(mut self) -> Syntax {
        let mut flags = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            flags[byte] = self.flags(byte);
            if matches!(self.syntax.cont[byte], Cont::Escape | Cont::Bars | Cont::Variable) {
                self.syntax.atoms_turn = true;
            }
            byte += 1;
        }
        self.syntax.atoms_turn |= self.syntax.quote_switch.is_some();
        let doubled = matches!(self.syntax.quotes, [first, ..] if first.doubled);
        let lead_opens = !matches!(self.syntax.start[self.syntax.pairs[0].0 as usize], Start::Open);
        let dash = self.syntax.has_start(Start::Dash);
        self.syntax.writes_at_once = !(lead_opens || dash || self.syntax.quote_switch.is_some());
        self.syntax.writes_short = self.syntax.writes_at_once && self.syntax.pair_count == 1 && !(self.syntax.separators || doubled);
        self.syntax.touchy = self.syntax.atoms_turn
            || self.syntax.separators
            || doubled
            || lead_opens
            || dash
            || !self.syntax.tags.is_empty()
            || self.syntax.has_start(Start::Char)
            || self.syntax.has_start(Start::Prefix);
        let indexable = self.syntax.bare && self.is_plain_enough();
        let pairs = self.syntax.pairs.split_at(self.syntax.pair_count).0;
        self.syntax.classes = Classes::new(flags, self.beside(), pairs, indexable);
        if let [first, ..] = self.syntax.quotes
            && first.is_plain_but_for(first.close, first.lead)
        {
            self.syntax.quote_and_escape = Some((first.close, first.lead));
        }
        self.syntax
    }

    /// Whether what the scanner takes for plain lexemes is so, if what stands beside it is as it has to be.
    const fn is_plain_enough(&self) -> bool {
        let quotes = match self.syntax.quotes {
            [] => true,
            [first, ..] => first.second.is_none() && matches!(first.written, Written::Never | Written::WithVariable),
        };
        quotes && self.syntax.quote_switch.is_none()
    }

    /// What has to stand beside plain lexemes.
    const fn beside(&self) -> Beside {
        const fn all(condition: bool) -> u64 {
            if condition { !0 } else { 0 }
        }
        let syntax = &self.syntax;
        let (in_atoms, doubled) = match syntax.quotes {
            [first, ..] => (!matches!(syntax.cont[first.open as usize], Cont::End), first.doubled),
            [] => (false, false),
        };
        let mut beside = Beside::NOTHING;
        beside.quote_after_atom = all(in_atoms || syntax.separators);
        beside.quote_after_string = all(doubled || syntax.separators);
        beside.atom_after_string = all(syntax.separators);
        let mut i = 0;
        while i < syntax.leads.len() {
            match self.usually(&syntax.leads[i]) {
                Some(Next::Open) => beside.second_after_open = !0,
                Some(Next::PrefixBefore) => beside.second_after_prefix = !0,
                Some(_) if self.counts_seconds(&syntax.leads[i]) > 0 => beside.second_after_first = !0,
                _ => {}
            }
            i += 1;
        }
        beside
    }

    /// What a lead is, but before few bytes, if the scanner knows it: the start of a list, a prefix, or the first byte of an atom.
    const fn usually(&self, lead: &Lead) -> Option<Next> {
        let in_atoms = matches!(self.syntax.cont[lead.byte as usize], Cont::Atom);
        match lead.alone {
            Next::Open | Next::PrefixBefore if !in_atoms => Some(lead.alone),
            Next::Atom if in_atoms && self.counts_seconds(lead) <= 1 => Some(Next::Atom),
            _ => None,
        }
    }

    /// How many bytes make something else of the lead, but for a quote that the scanner does not pass after an atom.
    const fn counts_seconds(&self, lead: &Lead) -> usize {
        let (mut count, mut byte) = (0, 0);
        while byte < 256 {
            count += self.is_second(lead, byte) as usize;
            byte += 1;
        }
        count
    }

    const fn is_second(&self, lead: &Lead, byte: usize) -> bool {
        let quote = self.syntax.separators && matches!(self.syntax.start[byte], Start::Quote(0));
        !(lead::same(lead.next[byte], lead.alone) || quote && matches!(lead.alone, Next::Atom))
    }

    const fn flags(&self, byte: usize) -> u8 {
        let syntax = &self.syntax;
        let in_atoms = !matches!(syntax.cont[byte], Cont::End);
        // Where nothing else is said the machine is needed: for the first byte of an atom, or for any.
        let machine = match syntax.cont[byte] {
            Cont::Atom | Cont::Guard => classes::STOP_FIRST,
            Cont::End | Cont::Escape | Cont::Bars | Cont::Variable | Cont::WideSpace => classes::STOP,
        };
        let of_first_pair = syntax.pairs[0].0 as usize == byte || syntax.pairs[0].1 as usize == byte;
        let mut flags = match syntax.start[byte] {
            Start::Atom if !in_atoms => classes::STOP,
            Start::Space | Start::Atom => 0,
            Start::Open if of_first_pair => classes::OPEN,
            Start::Open => classes::OTHER_OPEN,
            Start::Close if of_first_pair => classes::CLOSE,
            Start::Close => classes::OTHER_CLOSE,
            Start::Quote(0) if syntax.quotes[0].open == syntax.quotes[0].close => classes::QUOTE,
            Start::Prefix if !in_atoms => classes::PREFIX,
            Start::Lead(lead) => match self.usually(&syntax.leads[lead as usize]) {
                Some(Next::Open) => classes::OPEN,
                Some(Next::PrefixBefore) => classes::PREFIX,
                Some(_) => 0,
                None => machine,
            },
            _ => machine,
        };
        if in_atoms {
            assert!(flags & (classes::OPEN | classes::CLOSE) == 0, "a delimiter inside bare atoms");
            flags |= classes::ATOM;
        }
        if !matches!(syntax.cont[byte], Cont::Atom | Cont::Guard | Cont::End) {
            flags |= classes::STOP;
        }
        if let Some((_, second)) = syntax.guard
            && second as usize == byte
        {
            flags |= classes::STOP;
        }
        let mut i = 0;
        while i < syntax.leads.len() {
            if self.usually(&syntax.leads[i]).is_some() && self.is_second(&syntax.leads[i], byte) {
                flags |= classes::SECOND;
            }
            i += 1;
        }
        if !syntax.quotes.is_empty() && (!matches!(syntax.quotes[0].text[byte], Text::Plain | Text::Close) || syntax.utf8 && byte >= 0x80) {
            flags |= classes::STOP_IN_STRING;
        }
        flags
    }
}
