//! What lies between a decoder and an encoder: the converter, and what is kept back until it is known to be wanted.

use crate::drive::Stop;
use crate::failure::Failure;
use sexp_codec::{ConvertError, Converter, EncodeError, Kind, Lexeme, blocking};
use std::fmt;
use std::io::{self, Write};

/// What lies between the decoder and the encoder.
pub struct Way {
    converter: Converter,
    hint: Hint,
    prefixes: Prefixes,
    /// The kinds of lexemes that can be encoded as they come: bit `kind as u16`.
    straight: u16,
}

/// Prefixes that were read. They are written with the datum after them: without it the list around them could not be closed.
#[derive(Default)]
struct Prefixes {
    bytes: Vec<u8>,
    /// Where each ends in the bytes, and where it starts in the input.
    ends: Vec<(usize, u64)>,
}

/// A display hint that was read. It is written with the atom after it: where a fault comes instead, nothing must be left behind.
#[derive(Default)]
struct Hint {
    held: bool,
    bytes: Vec<u8>,
}

/// Takes one lexeme.
pub trait Put {
    fn put(&mut self, lexeme: Lexeme<'_>) -> Result<(), Trouble>;
}

impl<W: Write> Put for blocking::Encoder<W> {
    #[inline]
    fn put(&mut self, lexeme: Lexeme<'_>) -> Result<(), Trouble> {
        Ok(self.encode(lexeme)?)
    }
}

/// Why a lexeme was not written.
pub enum Trouble {
    Refused(EncodeError),
    Failed(Failure),
}

/// Why a lexeme cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The other syntax has nothing of the kind.
    Convert(ConvertError),
    /// The encoder says so.
    Encode(EncodeError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Convert(error) => error.fmt(f),
            Refusal::Encode(error) => error.fmt(f),
        }
    }
}

impl Way {
    pub fn new(converter: Converter) -> Way {
        let mut way = Way { converter, hint: Hint::default(), prefixes: Prefixes::default(), straight: 0 };
        way.look();
        way
    }

    #[inline]
    pub fn is_straight(&self, lexeme: Lexeme<'_>) -> bool {
        self.straight >> lexeme.kind as u16 & 1 != 0
    }

    /// Finds out which kinds of lexemes can be encoded as they come.
    fn look(&mut self) {
        let waits = self.hint.held || !self.prefixes.ends.is_empty();
        let straight = |kind: &Kind| !waits && !matches!(kind, Kind::Hint | Kind::Prefix) && self.converter.passes(*kind);
        self.straight = Kind::ALL.into_iter().filter(straight).fold(0, |all, kind| all | 1 << kind as u16);
    }

    /// Writes what a lexeme becomes; or what stops that.
    #[cold]
    pub fn put(&mut self, lexeme: Lexeme<'_>, encoder: &mut impl Put) -> Result<Option<Stop>, Failure> {
        let mut stop = None;
        match self.converter.convert(lexeme) {
            Ok(lexemes) => {
                for lexeme in lexemes {
                    if lexeme.kind == Kind::Prefix {
                        self.prefixes.hold(lexeme);
                        continue;
                    }
                    // What cannot be written is no reason to lose what comes with it.
                    if let Err((start, trouble)) = self.prefixes.put(lexeme.kind, encoder) {
                        stop = stop.or(Some(trouble.at(start)?));
                    }
                    if let Err(trouble) = self.hint.put(lexeme, encoder) {
                        stop = stop.or(Some(trouble.at(lexeme.span.start)?));
                    }
                }
            }
            Err(error) => {
                self.hint.held = false;
                if lexeme.kind != Kind::Prefix {
                    self.prefixes.drop();
                }
                stop = Some(Stop::Refused(error.span.start, Refusal::Convert(error)));
            }
        }
        self.look();
        Ok(stop)
    }

    /// What comes next belongs to another input.
    pub fn restart(&mut self) {
        self.hint.held = false;
        self.prefixes.drop();
        self.converter.reset();
        self.look();
    }

    /// Something is wrong with the input here.
    pub fn after_error(&mut self) {
        self.hint.held = false;
        self.prefixes.drop();
        self.converter.after_error();
        self.look();
    }
}

impl Prefixes {
    fn hold(&mut self, lexeme: Lexeme<'_>) {
        self.bytes.extend_from_slice(lexeme.bytes);
        self.ends.push((self.bytes.len(), lexeme.span.start));
    }

    fn drop(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Writes them, before a lexeme of that kind; or where the first that could not be written starts.
    fn put(&mut self, before: Kind, encoder: &mut impl Put) -> Result<(), (u64, Trouble)> {
        let (mut from, mut outcome) = (0, Ok(()));
        // That there is no datum has been reported.
        for &(end, start) in self.ends.iter().filter(|_| before != Kind::Close) {
            if let Err(trouble) = encoder.put(Lexeme::new(Kind::Prefix, &self.bytes[from..end])) {
                outcome = outcome.and(Err((start, trouble)));
            }
            from = end;
        }
        self.drop();
        outcome
    }
}

impl Hint {
    /// Keeps a hint; writes the one that was kept, and the atom after it; or just the lexeme.
    fn put(&mut self, lexeme: Lexeme<'_>, encoder: &mut impl Put) -> Result<(), Trouble> {
        if lexeme.kind == Kind::Hint {
            self.held = true;
            self.bytes.clear();
            self.bytes.extend_from_slice(lexeme.bytes);
            return Ok(());
        }
        if !self.held {
            return encoder.put(lexeme);
        }
        self.held = false;
        let hinted = encoder.put(Lexeme::hint(&self.bytes));
        // A hint that cannot be written is no reason to lose the atom.
        encoder.put(lexeme).and(hinted)
    }
}

impl Trouble {
    /// What it is to the run, where it happened to the lexeme that starts there.
    pub fn at(self, start: u64) -> Result<Stop, Failure> {
        match self {
            Trouble::Refused(why) => Ok(Stop::Refused(start, Refusal::Encode(why))),
            Trouble::Failed(failure) => Err(failure),
        }
    }
}

impl From<blocking::EncodeError> for Trouble {
    fn from(error: blocking::EncodeError) -> Trouble {
        match error {
            blocking::EncodeError::Io(error) => Trouble::Failed(Failure::Output(error)),
            blocking::EncodeError::Refused(error) => Trouble::Refused(error),
            error => Trouble::Failed(Failure::Output(io::Error::other(error))),
        }
    }
}
