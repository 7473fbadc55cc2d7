//! A dialect as plain data: what each byte does, and the rules of its strings, comments and lengths.
//!
//! A [`Syntax`] is `const`: it is made by a [`Builder`] when the program is compiled, and nothing of it is code. The decoder and the
//! encoder read its tables and never ask for its name.

mod ocaml;
mod original;
mod quote;
mod rfc9804;

pub use quote::{Continuation, Number, Quote, UnknownEscape};
pub(crate) use quote::{Escape, Text, Write};

use crate::scan::classes::{self, Classes};
use core::fmt;

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
    /// The byte after it decides: block comment, datum comment, or bare atom.
    Dispatch,
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
    /// It does not belong to the atom, which ends before it.
    End,
}

/// How octets may be announced by a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    /// Whether lengths may begin with zeros.
    pub(crate) leading_zeros: bool,
    /// Whether a length may also stand before strings, hexadecimal and base64 octets.
    pub(crate) before_others: bool,
}

/// A comment in a pair of two-byte delimiters, such as `#|` and `|#`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dispatch {
    /// The first byte of the delimiters, `#`.
    pub(crate) lead: u8,
    /// The byte that makes a block comment of it, `|`.
    pub(crate) block: Option<u8>,
    /// The byte that makes a datum comment of it, `;`.
    pub(crate) datum: Option<u8>,
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
    pub(crate) open: u8,
    pub(crate) close: u8,
    pub(crate) quotes: &'static [Quote],
    pub(crate) line_comment: Option<u8>,
    pub(crate) dispatch: Option<Dispatch>,
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
    pub const ALL: &'static [&'static Syntax] =
        &[&Syntax::SE, &Syntax::SEXPLIB, &Syntax::CANONICAL, &Syntax::CSEXP, &Syntax::TRANSPORT, &Syntax::ADVANCED];

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

    /// Whether a bare atom may begin with the byte, when it is written. What could be taken for a byte order mark may not.
    pub(crate) const fn plain_first(&self, byte: u8) -> bool {
        self.plain[byte as usize]
            && matches!(self.start[byte as usize], Start::Atom | Start::Dispatch)
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
}

impl Builder {
    const fn new(name: &'static str, about: &'static str) -> Builder {
        Builder {
            syntax: Syntax {
                name,
                about,
                start: [Start::Illegal; 256],
                cont: [Cont::End; 256],
                open: b'(',
                close: b')',
                quotes: &[],
                line_comment: None,
                dispatch: None,
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
                classes: Classes::new([0; 256], false),
            },
            given: [false; 256],
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

    /// These bytes delimit lists.
    pub const fn list(mut self, open: u8, close: u8) -> Builder {
        self.syntax.open = open;
        self.syntax.close = close;
        self.give(open, Start::Open).give(close, Start::Close)
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
            self = self.give(quotes[i].open, Start::Quote(i as u8));
            i += 1;
        }
        self
    }

    /// A comment from this byte to the end of the line.
    pub const fn line_comment(mut self, byte: u8) -> Builder {
        self.syntax.line_comment = Some(byte);
        self.give(byte, Start::LineComment)
    }

    /// Comments between `lead block` and `block lead` that nest, and in which strings are read as strings; and, with `datum`, a comment
    /// `lead datum` that swallows the next datum. The lead byte also begins atoms.
    ///
    /// With `guard`, neither delimiter of the block comment may stand inside a bare atom.
    pub const fn hash_comments(mut self, lead: u8, block: u8, datum: Option<u8>, guard: bool) -> Builder {
        self = self.give(lead, Start::Dispatch).atom(lead).atom(block);
        self.syntax.dispatch = Some(Dispatch { lead, block: Some(block), datum });
        if guard {
            self.syntax.guard = Some((lead, block));
            self.syntax.cont[lead as usize] = Cont::Guard;
            self.syntax.cont[block as usize] = Cont::Guard;
        }
        self
    }

    /// Octets may be counted: digits, a colon, and that many octets. With `before_others`, a length may also stand before a string,
    /// hexadecimal and base64 octets, and is checked. (RFC 9804, sections 4.1, 4.2, 4.4 and 4.5.)
    pub const fn lengths(mut self, before_others: bool) -> Builder {
        self.syntax.lengths = Some(Lengths { leading_zeros: false, before_others });
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
            byte += 1;
        }
        self.syntax.classes = Classes::new(flags, self.syntax.bare);
        if let [first, ..] = self.syntax.quotes
            && first.is_plain_but_for(first.close, first.lead)
        {
            self.syntax.quote_and_escape = Some((first.close, first.lead));
        }
        self.syntax
    }

    const fn flags(&self, byte: usize) -> u8 {
        let mut flags = match self.syntax.start[byte] {
            Start::Space | Start::Atom => 0,
            Start::Open => classes::OPEN,
            Start::Close => classes::CLOSE,
            Start::Quote(0) if self.syntax.quotes[0].open == self.syntax.quotes[0].close => classes::QUOTE,
            _ => match self.syntax.cont[byte] {
                Cont::End => classes::STOP,
                Cont::Atom | Cont::Guard => classes::STOP_FIRST,
            },
        };
        if !matches!(self.syntax.cont[byte], Cont::End) {
            assert!(flags & (classes::OPEN | classes::CLOSE | classes::QUOTE) == 0, "a delimiter inside bare atoms");
            flags |= classes::ATOM;
        }
        if let Some((_, second)) = self.syntax.guard
            && second as usize == byte
        {
            flags |= classes::STOP;
        }
        if !self.syntax.quotes.is_empty() && !matches!(self.syntax.quotes[0].text[byte], Text::Plain | Text::Close) {
            flags |= classes::STOP_IN_STRING;
        }
        flags
    }
}
