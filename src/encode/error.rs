//! Why a lexeme cannot be written.

use crate::lexeme::Kind;
use core::fmt;

/// Why a lexeme cannot be written.
///
/// ```
/// use sexp_codec::nonblocking::{Encode, Encoder};
/// use sexp_codec::{EncodeError, Lexeme, Syntax};
///
/// let mut encoder = Encoder::new(&Syntax::SE);
/// let mut window = [0; 8];
/// let Encode::Error(error) = encoder.window(&mut window).encode(Lexeme::bare(b"a b")) else { panic!() };
/// assert_eq!(error, EncodeError::Unrepresentable { byte: b' ', index: 1 });
/// assert_eq!(error.to_string(), "the syntax cannot write byte 0x20, at 1 in this atom");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodeError {
    /// A list end without a list start.
    UnbalancedClose,
    /// The data end in that many open lists.
    UnclosedList(u64),
    /// A list end of another kind than the list start.
    MismatchedClose,
    /// A list start or end with another delimiter than the syntax has.
    NoSuchDelimiter,
    /// The syntax has no lexeme of that kind, or it cannot come in fragments.
    NoSuchKind(Kind),
    /// The syntax cannot write an empty atom.
    EmptyAtom,
    /// The syntax cannot write the atom because of a byte.
    Unrepresentable {
        /// The byte.
        byte: u8,
        /// Where it is in the atom, from 0.
        index: u64,
    },
    /// A comment whose text is not one comment of the syntax.
    NotAComment,
    /// A prefix, character, escaped atom or template whose text is not one in the syntax.
    NotA(Kind),
    /// A prefix before something that cannot follow it.
    MisplacedPrefix,
    /// A comment with a line end in a form that must stay on its line.
    LineBreak,
    /// A display hint before something else than an atom.
    MisplacedHint,
    /// An atom of which pieces have been written is not whole yet.
    FragmentExpected,
    /// A piece of an atom without the first.
    FirstFragmentExpected,
    /// The syntax has to know how long the atom is, and the first piece does not say it.
    TotalNeeded,
    /// The pieces of an atom do not make up the length that the first one announced.
    TotalMismatch,
    /// Another lexeme is partly written.
    Unfinished,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            EncodeError::UnbalancedClose => f.write_str("there is no list to close"),
            EncodeError::UnclosedList(1) => f.write_str("the list is not closed"),
            EncodeError::UnclosedList(count) => write!(f, "{count} lists are not closed"),
            EncodeError::MismatchedClose => f.write_str("another delimiter closes the list that is open"),
            EncodeError::NotA(kind) => write!(f, "the text is not one {} of the syntax", kind.name()),
            EncodeError::MisplacedPrefix => f.write_str("the prefix cannot stand before this"),
            EncodeError::NoSuchDelimiter => f.write_str("the syntax has no such delimiter"),
            EncodeError::NoSuchKind(kind) => write!(f, "the syntax cannot write a {} here", kind.name()),
            EncodeError::EmptyAtom => f.write_str("the syntax cannot write an empty atom"),
            EncodeError::Unrepresentable { byte, index } => {
                write!(f, "the syntax cannot write byte 0x{byte:02X}, at {index} in this atom")
            }
            EncodeError::NotAComment => f.write_str("the text is not one comment of the syntax"),
            EncodeError::LineBreak => f.write_str("the comment would break the line"),
            EncodeError::MisplacedHint => f.write_str("a display hint needs an atom after it"),
            EncodeError::FragmentExpected => f.write_str("an atom of which pieces are written is not whole yet"),
            EncodeError::FirstFragmentExpected => f.write_str("the first piece of the atom is missing"),
            EncodeError::TotalNeeded => f.write_str("the syntax has to know the length of the whole atom first"),
            EncodeError::TotalMismatch => f.write_str("the pieces do not make up the length that was announced"),
            EncodeError::Unfinished => f.write_str("another lexeme is partly written"),
        }
    }
}

impl core::error::Error for EncodeError {}
