//! Lexemes: what the codec deals in.

use core::fmt;
use core::hash::{Hash, Hasher};

/// What a lexeme is.
///
/// The kinds of atoms are kept apart, so that what was read can be written as it was.
///
/// ```
/// use sexp_codec::Kind;
///
/// assert!(Kind::Octets.is_atom());
/// assert!(!Kind::Open.is_atom());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A list starts; the bytes are its delimiter.
    Open = 0,
    /// A list ends; the bytes are its delimiter.
    Close = 1,
    /// An atom without quotes.
    Bare = 2,
    /// A string in quotes, decoded.
    String = 3,
    /// A symbol in bars, decoded.
    Symbol = 4,
    /// Octets that were counted, hexadecimal or base64, decoded.
    Octets = 5,
    /// A character, as written.
    Char = 6,
    /// A mark that belongs to the next datum, as written.
    Prefix = 7,
    /// A display hint: says how the next atom is to be shown.
    Hint = 8,
    /// A comment, as written with its delimiters. Delivered on request only.
    Comment = 9,
    /// A bare atom with an escape in it, or with a part between bars, as it is written: `\1` is not `1`.
    Escaped = 10,
    /// A token with something in it to be filled in or read by others, as it is written, quotes included: dune's `%{name}`, Clojure's
    /// regular expressions.
    Template = 11,
    /// White space, where [`Options::verbatim`](crate::Options::verbatim) asks for it.
    Space = 12,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Kind; 13] = [
        Kind::Open,
        Kind::Close,
        Kind::Bare,
        Kind::String,
        Kind::Symbol,
        Kind::Octets,
        Kind::Char,
        Kind::Prefix,
        Kind::Hint,
        Kind::Comment,
        Kind::Escaped,
        Kind::Template,
        Kind::Space,
    ];

    /// Whether a lexeme of this kind is a datum by itself: a bare atom, string, symbol, octets or character.
    #[inline]
    pub const fn is_atom(self) -> bool {
        matches!(self, Kind::Bare | Kind::String | Kind::Symbol | Kind::Octets | Kind::Char | Kind::Escaped | Kind::Template)
    }

    /// The name of the kind in lower case, as `setrip -print` shows it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Open => "open",
            Kind::Close => "close",
            Kind::Bare => "bare",
            Kind::String => "string",
            Kind::Symbol => "symbol",
            Kind::Octets => "octets",
            Kind::Char => "char",
            Kind::Prefix => "prefix",
            Kind::Hint => "hint",
            Kind::Comment => "comment",
            Kind::Escaped => "escaped",
            Kind::Template => "template",
            Kind::Space => "space",
        }
    }
}

/// Where a lexeme stands in the input: from `start` up to and without `end`, in bytes from 0.
///
/// ```
/// use sexp_codec::Span;
///
/// assert_eq!(Span { start: 3, end: 5 }.len(), 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset of the byte after the last.
    pub end: u64,
}

impl Span {
    /// The number of bytes.
    #[inline]
    pub const fn len(self) -> u64 {
        self.end - self.start
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.end == self.start
    }
}

/// A place in the input.
///
/// The line is worked out only when a place is asked for. Lines end with a line feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Bytes from the start of the input, from 0.
    pub offset: u64,
    /// Line, from 1.
    pub line: u64,
    /// Column in bytes, from 1.
    pub column: u64,
}

impl Default for Position {
    fn default() -> Self {
        Position { offset: 0, line: 1, column: 1 }
    }
}

impl fmt::Display for Position {
    /// `LINE:COLUMN`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One lexeme, borrowed from the chunk it was read from where that is possible, else from the decoder.
///
/// Two lexemes are equal when their kinds and bytes are; where they stand does not matter.
///
/// ```
/// use sexp_codec::{Kind, Lexeme};
///
/// let lexeme = Lexeme::bare(b"abc");
/// assert_eq!((lexeme.kind, lexeme.bytes), (Kind::Bare, &b"abc"[..]));
/// ```
#[derive(Clone, Copy)]
pub struct Lexeme<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its bytes: the value of an atom, decoded; the text of anything else.
    pub bytes: &'a [u8],
    /// Where it was read, quotes and delimiters included. The encoder does not look at it.
    pub span: Span,
}

impl<'a> Lexeme<'a> {
    /// A lexeme to be encoded.
    #[inline]
    pub const fn new(kind: Kind, bytes: &'a [u8]) -> Self {
        Lexeme { kind, bytes, span: Span { start: 0, end: 0 } }
    }

    /// The start of a list in parentheses.
    #[inline]
    pub const fn open() -> Lexeme<'static> {
        Lexeme::new(Kind::Open, b"(")
    }

    /// The end of a list in parentheses.
    #[inline]
    pub const fn close() -> Lexeme<'static> {
        Lexeme::new(Kind::Close, b")")
    }

    /// An atom without quotes.
    #[inline]
    pub const fn bare(bytes: &'a [u8]) -> Self {
        Lexeme::new(Kind::Bare, bytes)
    }

    /// A string.
    #[inline]
    pub const fn string(bytes: &'a [u8]) -> Self {
        Lexeme::new(Kind::String, bytes)
    }

    /// Octets.
    #[inline]
    pub const fn octets(bytes: &'a [u8]) -> Self {
        Lexeme::new(Kind::Octets, bytes)
    }

    /// A display hint for the atom after it.
    #[inline]
    pub const fn hint(bytes: &'a [u8]) -> Self {
        Lexeme::new(Kind::Hint, bytes)
    }
}

impl PartialEq for Lexeme<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.bytes == other.bytes
    }
}

impl Eq for Lexeme<'_> {}

impl Hash for Lexeme<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
        self.bytes.hash(state);
    }
}

impl fmt::Debug for Lexeme<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}(\"{}\" @{}..{})", self.kind, self.bytes.escape_ascii(), self.span.start, self.span.end)
    }
}

/// A piece of an atom that is larger than the size up to which atoms come whole.
///
/// Asked for with [`Options::fragments`](crate::Options::fragments). The pieces of one atom follow each other; nothing comes between
/// them but an error, after which no further piece of that atom comes.
///
/// ```
/// use sexp_codec::nonblocking::{Decode, Decoder};
/// use sexp_codec::{Options, Syntax};
///
/// let mut decoder = Decoder::with_options(&Syntax::CANONICAL, Options::default().fragments(4));
/// let mut input = decoder.feed(b"1000000:abcdefgh");
/// let Decode::Fragment(piece) = input.decode() else { panic!() };
/// assert_eq!((piece.first, piece.last, piece.total), (true, false, Some(1_000_000)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fragment<'a> {
    /// What the whole atom is.
    pub kind: Kind,
    /// The bytes of this piece, decoded; there may be none.
    pub bytes: &'a [u8],
    /// Whether this is the first piece.
    pub first: bool,
    /// Whether this is the last piece.
    pub last: bool,
    /// The length of the whole atom in bytes, where it was announced. The same in every piece.
    pub total: Option<u64>,
    /// Where the atom stands as far as it has been read: from its first byte to the end of this piece.
    pub span: Span,
}
