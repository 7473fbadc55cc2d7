//! What can be wrong with the input, and where.

use crate::lexeme::Position;
use core::fmt;

/// A fault in the input. Decoding goes on after it.
///
/// | kind | example | what is skipped | what follows |
/// |---|---|---|---|
/// | [`IllegalByte`](ErrorKind::IllegalByte) | a zero byte in `se` | it and the illegal bytes directly after it | as if they were not there |
/// | [`UnbalancedClose`](ErrorKind::UnbalancedClose) | `)` | the delimiter | the next lexeme |
/// | [`MismatchedClose`](ErrorKind::MismatchedClose) | `[a)` | the delimiter | the list goes on |
/// | [`IllegalDispatch`](ErrorKind::IllegalDispatch) | `#<` in Lisp | the `#` | the byte after it |
/// | [`PrefixWithoutDatum`](ErrorKind::PrefixWithoutDatum) | `(')` | nothing; the prefix was delivered | the close, or the end |
/// | [`MissingSeparator`](ErrorKind::MissingSeparator) | `"a""b"` in WebAssembly | nothing | the second token |
/// | [`IllegalInTemplate`](ErrorKind::IllegalInTemplate) | `%{a b}` in dune | the token | what follows it |
/// | [`UnclosedList`](ErrorKind::UnclosedList) | `(a` | nothing | the end |
/// | [`UnterminatedString`](ErrorKind::UnterminatedString), [`UnterminatedOctets`](ErrorKind::UnterminatedOctets), [`UnterminatedHint`](ErrorKind::UnterminatedHint) | `"a` | the atom | the end |
/// | [`UnterminatedComment`](ErrorKind::UnterminatedComment) | `#\| a` | the comment | the end |
/// | [`PrematureEnd`](ErrorKind::PrematureEnd) | `5:ab` | the atom | the end |
/// | [`CommentWithoutDatum`](ErrorKind::CommentWithoutDatum) | `(#;)` | the `#;` | the close, or the end |
/// | [`CommentInAtom`](ErrorKind::CommentInAtom) | `a#\|b` | the whole atom | the byte that ends the atom |
/// | [`ReturnWithoutLineFeed`](ErrorKind::ReturnWithoutLineFeed) | CR alone | the CR | as after white space; a line comment is over |
/// | [`IllegalInString`](ErrorKind::IllegalInString), [`UnknownEscape`](ErrorKind::UnknownEscape), [`IncompleteEscape`](ErrorKind::IncompleteEscape), [`EscapeOutOfRange`](ErrorKind::EscapeOutOfRange) | `"\q"` | the whole string, to its closing quote; in a comment, the escape | what follows the string |
/// | [`IllegalInOctets`](ErrorKind::IllegalInOctets) | `#6x#` | the octets to their closing delimiter | what follows them |
/// | [`OddHex`](ErrorKind::OddHex), [`BadBase64`](ErrorKind::BadBase64) | `#616#` | the octets | what follows them |
/// | [`LengthMismatch`](ErrorKind::LengthMismatch) | `4"abc"` | the atom | what follows it |
/// | [`LengthWithoutBody`](ErrorKind::LengthWithoutBody) | `(12)` | the digits | the byte after them |
/// | [`LeadingZero`](ErrorKind::LeadingZero) | `03:abc` | nothing | the atom, as if the zeros were not there |
/// | [`LengthTooLarge`](ErrorKind::LengthTooLarge) | `18446744073709551619:` | the digits and the `:` | the byte after them |
/// | [`MisplacedHint`](ErrorKind::MisplacedHint) | `[a](b)`, `[a][b]c` | the first hint, if it was whole, was delivered; else it is skipped | the delimiter that was misplaced |
/// | [`TrailingData`](ErrorKind::TrailingData) | `(a) b`, one form wanted | all that follows | the end |
/// | [`NoForm`](ErrorKind::NoForm) | nothing, one form wanted | nothing | the end |
/// | [`TooDeep`](ErrorKind::TooDeep) | a limit on depth | the list | what follows its close |
/// | [`AtomTooLarge`](ErrorKind::AtomTooLarge) | a limit on atoms | the atom | what follows it |
/// | [`InputTooLarge`](ErrorKind::InputTooLarge) | a limit on the input | all that follows | the end |
///
/// An atom gives one error at the most.
///
/// ```
/// use sexp_codec::nonblocking::{Decode, Decoder};
/// use sexp_codec::{ErrorKind, Syntax};
///
/// let mut decoder = Decoder::new(&Syntax::SEXPLIB);
/// let mut input = decoder.feed(b"\n )");
/// let Decode::Error(error) = input.decode() else { panic!() };
/// assert_eq!(error.kind, ErrorKind::UnbalancedClose(b')'));
/// assert_eq!((error.position.offset, error.position.line, error.position.column), (2, 2, 2));
/// assert_eq!(error.to_string(), "2:2: ')' without a list to close");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where it was noticed; for an escape, where the escape starts; for a length, where its digits start; for a comment token in an
    /// atom, its first byte.
    pub position: Position,
    /// For something left open, where it was opened. The places of the outermost 32 open lists are remembered: for a list
    /// deeper than that, the place of the 32nd.
    pub opened: Option<Position>,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A byte that may not stand between lexemes, or not begin one.
    IllegalByte(u8),
    /// A list end without a list start.
    UnbalancedClose(u8),
    /// A list end of another kind than the list start.
    MismatchedClose(u8),
    /// A byte that cannot be followed by what follows it.
    IllegalDispatch(u8),
    /// A prefix at the end of a list or of the input.
    PrefixWithoutDatum,
    /// Tokens that touch where something must stand between them.
    MissingSeparator,
    /// A byte that may not stand in a variable of a template.
    IllegalInTemplate(u8),
    /// The input ended in that many open lists.
    UnclosedList(u64),
    /// The input ended in a string.
    UnterminatedString,
    /// The input ended in hexadecimal or base64 octets.
    UnterminatedOctets,
    /// The input ended in a display hint.
    UnterminatedHint,
    /// The input ended in a block comment.
    UnterminatedComment,
    /// The input ended in a counted atom, or in the braces of the transport form.
    PrematureEnd,
    /// A datum comment at the end of a list or of the input.
    CommentWithoutDatum,
    /// A block comment's delimiter inside a bare atom.
    CommentInAtom,
    /// A carriage return that no line feed follows.
    ReturnWithoutLineFeed,
    /// A byte that may not stand in a string as it is.
    IllegalInString(u8),
    /// An escape that the syntax does not know.
    UnknownEscape(u8),
    /// A numeric escape with too few digits.
    IncompleteEscape,
    /// A numeric escape beyond 255.
    EscapeOutOfRange,
    /// A byte that is neither a digit of the octets, nor white space, nor their end.
    IllegalInOctets(u8),
    /// An odd number of hexadecimal digits.
    OddHex,
    /// Base64 whose digits or padding do not make whole octets.
    BadBase64,
    /// An atom of another length than announced.
    LengthMismatch,
    /// Digits that announce a length, and no atom after them.
    LengthWithoutBody,
    /// A length that begins with zeros.
    LeadingZero,
    /// A length that needs more than 64 bits.
    LengthTooLarge,
    /// A display hint that stands before something else than an atom, or that holds something else than an atom.
    MisplacedHint,
    /// Something after the one form that was asked for.
    TrailingData,
    /// The input ended without the one form that was asked for.
    NoForm,
    /// A list deeper than the limit.
    TooDeep,
    /// An atom larger than the limit.
    AtomTooLarge,
    /// An input larger than the limit.
    InputTooLarge,
}

/// A byte for people: itself in quotes, or its number.
struct Byte(u8);

impl fmt::Display for Byte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0x21..=0x7e => write!(f, "'{}'", self.0 as char),
            byte => write!(f, "byte 0x{byte:02X}"),
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ErrorKind::IllegalByte(byte) => write!(f, "{} is not allowed here", Byte(byte)),
            ErrorKind::UnbalancedClose(byte) => write!(f, "{} without a list to close", Byte(byte)),
            ErrorKind::MismatchedClose(byte) => write!(f, "{} does not close the list that is open", Byte(byte)),
            ErrorKind::IllegalDispatch(byte) => write!(f, "{} cannot be followed by this", Byte(byte)),
            ErrorKind::PrefixWithoutDatum => f.write_str("no datum follows the prefix"),
            ErrorKind::MissingSeparator => f.write_str("something must stand between the two tokens"),
            ErrorKind::IllegalInTemplate(byte) => write!(f, "{} is not allowed in a variable", Byte(byte)),
            ErrorKind::UnclosedList(1) => f.write_str("the list is not closed"),
            ErrorKind::UnclosedList(count) => write!(f, "{count} lists are not closed"),
            ErrorKind::UnterminatedString => f.write_str("the string does not end"),
            ErrorKind::UnterminatedOctets => f.write_str("the octets do not end"),
            ErrorKind::UnterminatedHint => f.write_str("the display hint does not end"),
            ErrorKind::UnterminatedComment => f.write_str("the comment does not end"),
            ErrorKind::PrematureEnd => f.write_str("the input ends before the announced length"),
            ErrorKind::CommentWithoutDatum => f.write_str("no datum follows the datum comment"),
            ErrorKind::CommentInAtom => f.write_str("comment delimiter inside a bare atom"),
            ErrorKind::ReturnWithoutLineFeed => f.write_str("carriage return without line feed"),
            ErrorKind::IllegalInString(byte) => write!(f, "{} is not allowed in a string", Byte(byte)),
            ErrorKind::UnknownEscape(byte) => write!(f, "unknown escape: {} after the escape character", Byte(byte)),
            ErrorKind::IncompleteEscape => f.write_str("the numeric escape has too few digits"),
            ErrorKind::EscapeOutOfRange => f.write_str("the numeric escape is beyond 255"),
            ErrorKind::IllegalInOctets(byte) => write!(f, "{} is not allowed in octets", Byte(byte)),
            ErrorKind::OddHex => f.write_str("odd number of hexadecimal digits"),
            ErrorKind::BadBase64 => f.write_str("the base64 digits do not make whole octets"),
            ErrorKind::LengthMismatch => f.write_str("the atom has another length than announced"),
            ErrorKind::LengthWithoutBody => f.write_str("a length without an atom after it"),
            ErrorKind::LeadingZero => f.write_str("the length begins with a zero"),
            ErrorKind::LengthTooLarge => f.write_str("the length is beyond 64 bits"),
            ErrorKind::MisplacedHint => f.write_str("a display hint needs an atom in it and an atom after it"),
            ErrorKind::TrailingData => f.write_str("something follows the form"),
            ErrorKind::NoForm => f.write_str("there is no form"),
            ErrorKind::TooDeep => f.write_str("the list is nested beyond the limit"),
            ErrorKind::AtomTooLarge => f.write_str("the atom is larger than the limit"),
            ErrorKind::InputTooLarge => f.write_str("the input is larger than the limit"),
        }
    }
}

impl fmt::Display for Error {
    /// `LINE:COLUMN: what is wrong`, and where it was opened.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.kind)?;
        if let Some(opened) = self.opened {
            write!(f, " (opened at {opened})")?;
        }
        Ok(())
    }
}

impl core::error::Error for Error {}
