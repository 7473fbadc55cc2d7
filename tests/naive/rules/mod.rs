//! The rules of each syntax, made by hand: nothing here is taken from the crate's own tables.

mod data;
mod lisp;
mod ocaml;
mod rfc9804;
mod scheme;

pub use data::SPECCTRA_STRINGS;
pub use ocaml::DUNE_ESCAPES;
use sexp_codec::Kind;

/// What a syntax has.
pub struct Rules {
    pub spaces: &'static [u8],
    /// CR is white space before LF, and an error elsewhere.
    pub return_needs_line_feed: bool,
    /// The delimiters of lists.
    pub lists: &'static [[u8; 2]],
    /// What begins something else than a bare atom; the longest one counts.
    pub marks: &'static [Mark],
    /// Which bytes make bare atoms; between lexemes, every other meaning of a byte goes first.
    pub bare: fn(u8) -> bool,
    pub atom_escape: AtomEscape,
    /// In a bare atom, what stands between two of `|` stands for itself; whether `\` is an escape there.
    pub bars: Option<bool>,
    /// Neither `#|` nor `|#` may stand in a bare atom.
    pub guard: bool,
    /// `#1=` and `#1#`.
    pub labels: bool,
    /// What is a prefix directly before a bracket or a string, digits left out.
    pub tags: &'static [&'static [u8]],
    /// Line comments end at CR too.
    pub return_ends_comments: bool,
    /// Whether a `#` that is the last byte of the input is illegal.
    pub lone_hash_is_illegal: bool,
    /// `#` begins a comment where nothing but white space stands before it on its line.
    pub line_start_comments: bool,
    /// Both ends of a block comment, and the strings that are looked at in it.
    pub block: Option<(&'static [u8; 2], &'static [u8; 2], Option<&'static Quote>)>,
    /// A character ends at `#`.
    pub character_ends_at_hash: bool,
    /// What may follow a character directly, and, where atoms and strings may not touch, these.
    pub may_follow: fn(u8) -> bool,
    /// Atoms and strings may not touch.
    pub separators: bool,
    /// Whether strings and comments must be UTF-8.
    pub utf8: bool,
    /// C2 A0 is white space.
    pub wide_space: bool,
    /// `%{name}`.
    pub variables: bool,
    /// Specctra: the quote is named by `string_quote`, and `-` can be an atom of its own.
    pub specctra: bool,
    /// `3:abc`.
    pub counted: bool,
    /// `03:abc`.
    pub leading_zeros: bool,
    /// Not even `0:`.
    pub no_zero: bool,
    /// `#616263#` and `|YWJj|`, and lengths before these and before strings.
    pub octets: bool,
    /// Those lengths do not matter, and there is no white space in base64.
    pub careless_octets: bool,
    /// `[hint]`.
    pub hints: bool,
    /// `{KDE6YSk=}`.
    pub armour: bool,
    /// EF BB BF at the start is skipped.
    pub byte_order_mark: bool,
}

/// Bytes that begin something: `LETTER` in them is any letter.
pub struct Mark {
    pub bytes: &'static [u8],
    /// How many of them belong to it.
    pub take: usize,
    pub what: What,
}

/// Any letter, in a mark.
pub const LETTER: u8 = 0xfe;

pub const fn mark(bytes: &'static [u8], what: What) -> Mark {
    Mark { bytes, take: bytes.len(), what }
}

/// A mark of which one byte is taken: what follows only tells what it is.
pub const fn before(bytes: &'static [u8], what: What) -> Mark {
    Mark { bytes, take: 1, what }
}

/// What a mark begins.
#[derive(Clone, Copy)]
pub enum What {
    Prefix,
    /// A prefix that goes on as a bare atom.
    Tag,
    /// A bare atom.
    Token,
    /// An atom that is nothing but the mark.
    Whole(Kind),
    Quote(&'static Quote),
    /// Lines that begin with `"\|` or `"\>`; whether with escapes and variables.
    Block(bool),
    /// `#<<NAME`.
    Here,
    Character,
    /// `?a`.
    EmacsCharacter,
    LineComment,
    BlockComment,
    DatumComment,
    /// A comment up to the end of the word.
    Directive,
    /// A comment up to `!#`.
    Script,
    /// `(@name …)`.
    Annotation,
    /// `#@5`, and five bytes.
    Skip,
    Space,
    Open,
    Illegal,
}

/// What `\` does in a bare atom.
#[derive(Clone, Copy, PartialEq)]
pub enum AtomEscape {
    None,
    /// The byte after it stands for itself.
    Any,
    /// `\x41;` and no other.
    Hex,
}

/// Something in quotes.
pub struct Quote {
    pub kind: Kind,
    /// What is put before the value.
    pub before: &'static [u8],
    pub close: &'static [u8],
    pub escapes: Option<&'static Escapes>,
    /// The closing quote twice is one quote.
    pub doubled: bool,
    pub illegal: fn(u8) -> bool,
    pub line_ends: LineEnds,
    /// The value is the text, quotes and all.
    pub as_written: bool,
    /// `%34 35%`.
    pub codes: bool,
}

pub const QUOTE: Quote = Quote {
    kind: Kind::String,
    before: b"",
    close: b"\"",
    escapes: None,
    doubled: false,
    illegal: |_| false,
    line_ends: LineEnds::Kept,
    as_written: false,
    codes: false,
};

/// What LF, CR and CR LF are in a string.
#[derive(Clone, Copy, PartialEq)]
pub enum LineEnds {
    Kept,
    /// All read as LF.
    LineFeed,
    /// An error, after which the string is over.
    Illegal,
}

/// The escapes after `\`.
pub struct Escapes {
    /// The byte after `\` and what it stands for. Goes before numbers.
    pub simple: &'static [(u8, u8)],
    pub numbers: &'static [Number],
    pub line: Continuation,
    pub unknown: Unknown,
    /// `\C-a`, `\^a`, `\M-a`, `\S-a`.
    pub modifiers: bool,
}

pub const ESCAPES: Escapes = Escapes { simple: &[], numbers: &[], line: Continuation::None, unknown: Unknown::Error, modifiers: false };

/// `\` before a line end.
#[derive(Clone, Copy, PartialEq)]
pub enum Continuation {
    None,
    /// LF vanishes.
    LineFeed,
    /// LF and a blank vanish.
    LineFeedOrBlank,
    /// LF or CR LF and the blanks after it vanish; before CR alone `\` vanishes.
    Sexplib,
    /// LF or CR LF and the blanks after it vanish.
    Dune,
    /// LF, CR, LF CR or CR LF vanishes.
    Rfc9804,
    /// A line end, and the blanks on both sides of it, vanish.
    Blanks,
}

/// `\` before another byte.
#[derive(Clone, Copy, PartialEq)]
pub enum Unknown {
    Error,
    /// It stands for itself.
    Byte,
    /// Both are kept.
    Both,
}

/// A number after `\`.
pub struct Number {
    /// What stands before the digits.
    pub lead: &'static [u8],
    pub radix: u32,
    pub least: usize,
    pub most: usize,
    /// What stands after them, and whether it has to.
    pub end: Option<(u8, bool)>,
    /// `_` may stand between two digits.
    pub underscores: bool,
    /// Without digits the last byte of `lead` stands for itself.
    pub or_lead: bool,
    /// `0` alone is enough.
    pub or_zero: bool,
    pub value: Value,
}

pub const fn number(lead: &'static [u8], radix: u32, least: usize, most: usize, value: Value) -> Number {
    Number { lead, radix, least, most, end: None, underscores: false, or_lead: false, or_zero: false, value }
}

/// What a number stands for.
#[derive(Clone, Copy, PartialEq)]
pub enum Value {
    /// A byte, up to 255.
    Byte,
    /// The low 8 bits.
    LowBits,
    /// A code point.
    Code,
    /// A code point up to 255.
    Latin,
    /// A byte from 128 to 255 if so written with up to 2 digits of base 16 or 3 of base 8, else a code point.
    Emacs,
}

const NOTHING: Rules = Rules {
    spaces: b"",
    return_needs_line_feed: false,
    lists: &[*b"()"],
    marks: &[],
    bare: |_| false,
    atom_escape: AtomEscape::None,
    bars: None,
    guard: false,
    labels: false,
    tags: &[],
    return_ends_comments: false,
    lone_hash_is_illegal: false,
    line_start_comments: false,
    block: None,
    character_ends_at_hash: true,
    may_follow: |_| true,
    separators: false,
    utf8: false,
    wide_space: false,
    variables: false,
    specctra: false,
    counted: false,
    leading_zeros: false,
    no_zero: false,
    octets: false,
    careless_octets: false,
    hints: false,
    armour: false,
    byte_order_mark: false,
};

static SE: Rules = Rules { spaces: b" \t\n\r", bare: |byte| matches!(byte, 0x21..=0x27 | 0x2a..=0x7e), ..NOTHING };

/// All syntaxes.
pub const NAMES: [&str; 27] = [
    "se",
    "sexplib",
    "canonical",
    "csexp",
    "transport",
    "advanced",
    "dune",
    "r7rs",
    "r6rs",
    "guile",
    "scheme",
    "racket",
    "commonlisp",
    "elisp",
    "smtlib",
    "kicad",
    "dsn",
    "wat",
    "edn",
    "clojure",
    "treebank",
    "pddl",
    "edif",
    "gimprc",
    "plain",
    "libgcrypt",
    "canonical+zeros",
];

/// The rules of the syntax of that name.
pub fn named(name: &str) -> &'static Rules {
    match name {
        "se" => &SE,
        "sexplib" => &ocaml::SEXPLIB,
        "dune" => &ocaml::DUNE,
        "canonical" => &rfc9804::CANONICAL,
        "canonical+zeros" => &rfc9804::CANONICAL_WITH_LEADING_ZEROS,
        "csexp" => &rfc9804::CSEXP,
        "transport" => &rfc9804::TRANSPORT,
        "advanced" => &rfc9804::ADVANCED,
        "libgcrypt" => &rfc9804::LIBGCRYPT,
        "r7rs" => &scheme::R7RS,
        "r6rs" => &scheme::R6RS,
        "guile" => &scheme::GUILE,
        "scheme" => &scheme::SCHEME,
        "racket" => &scheme::RACKET,
        "commonlisp" => &lisp::COMMONLISP,
        "elisp" => &lisp::ELISP,
        "edn" => &lisp::EDN,
        "clojure" => &lisp::CLOJURE,
        "smtlib" => &data::SMTLIB,
        "kicad" => &data::KICAD,
        "dsn" => &data::DSN,
        "wat" => &data::WAT,
        "treebank" => &data::TREEBANK,
        "pddl" => &data::PDDL,
        "edif" => &data::EDIF,
        "gimprc" => &data::GIMPRC,
        "plain" => &data::PLAIN,
        _ => panic!("no rules for the syntax {name}"),
    }
}
