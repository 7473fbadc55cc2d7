//! Framings: how protocols cut a stream into messages, in front of the codec, without waiting.
//!
//! A [`Framing`] is data, as a [`Syntax`](crate::Syntax) is. The [`Decoder`] takes frames apart and decodes their payload to lexemes; the
//! [`Encoder`] collects the lexemes of a frame and puts the frame around them. Below them, [`Deframer`] and [`Framing::frame`] do the same
//! with the payload as plain bytes, and [`Frames`] takes whole frames out of a buffer.
//!
//! ```
//! use sexp_codec::framing::{Decode, Decoder, Encoder, Framing};
//! use sexp_codec::{Kind, Lexeme, Syntax};
//!
//! let mut decoder = Decoder::new(&Framing::SWANK, &Syntax::COMMONLISP);
//! let (mut atoms, mut frames) = (Vec::new(), 0);
//! for chunk in [&b"00000"[..], b"9(:ping 1)000003(a", b")"] {
//!     let mut input = decoder.feed(chunk);
//!     loop {
//!         match input.decode() {
//!             Decode::Lexeme(lexeme) if lexeme.kind.is_atom() => atoms.push(lexeme.bytes.to_vec()),
//!             Decode::Lexeme(_) => {}
//!             Decode::EndOfFrame => frames += 1,
//!             Decode::Await => break,
//!             other => panic!("{other:?}"),
//!         }
//!     }
//! }
//! assert_eq!((atoms, frames), (vec![b":ping".to_vec(), b"1".to_vec(), b"a".to_vec()], 2));
//!
//! let mut encoder = Encoder::new(&Framing::SWANK, &Syntax::COMMONLISP);
//! for lexeme in [Lexeme::open(), Lexeme::bare(b":pong"), Lexeme::close()] {
//!     encoder.encode(lexeme)?;
//! }
//! encoder.end_of_frame()?;
//! assert_eq!(encoder.bytes(), b"000007(:pong)");
//! # Ok::<(), sexp_codec::framing::EncodeError>(())
//! ```
//!
//! | framing | a frame is | sources |
//! |---|---|---|
//! | [`Framing::FORMS`] | a form; nothing stands between frames but white space | csexp of dune RPC and Merlin, Shepherd, solvers |
//! | [`Framing::SWANK`] | six hexadecimal digits, which count the bytes of the payload | Slime, `swank/rpc.lisp` |
//! | [`Framing::IDRIS`] | the same; a line without digits is a message, too | Idris 2, `ide-protocol.rst` |
//! | [`Framing::LINES`] | a line | Clojure's prepl |
//! | [`Framing::NUL`] | what a zero byte ends | |
//! | [`Framing::SERAPI`] | a line, or what the line `byte-length: N` before it announces | Coq SerAPI, `sertop_sexp.ml` |
//! | [`Framing::ASSUAN`] | the data lines up to a status line that ends them, unescaped | libassuan, `assuan.texi` |
//! | [`Framing::FESTIVAL`] | what follows a tag, up to a key text | Festival, speech tools' `EST_socket` |
//!
//! # Promises
//!
//! Those of the crate: what is complete is delivered at once, the cut does not matter, no step allocates, time is linear, and errors
//! go on. A length that was announced reserves nothing; [`Options::limit_frame`](crate::Options::limit_frame) refuses it at once.

mod decoder;
mod deframer;
mod encode;
mod encoder;
mod error;
mod frames;

pub use decoder::{Decode, Decoder, Input};
pub use deframer::{Deframe, Deframer, Pieces};
pub use encode::FrameError;
pub use encoder::{EncodeError, Encoder};
pub use error::{Error, ErrorKind};
pub use frames::{Frame, Frames};

use core::fmt;

/// How a protocol cuts its stream into frames, as plain data.
///
/// The constants are those of real protocols; the methods change them, in a `const` too.
///
/// ```
/// use sexp_codec::framing::{Framing, Unit};
///
/// /// What a Swank server written in Lisp sends: capital digits.
/// const SERVER: Framing = Framing::SWANK.capitals(true);
/// /// What an Idris that counts characters sends.
/// const IDRIS: Framing = Framing::IDRIS.counting(Unit::Characters);
/// assert_eq!((SERVER.name(), IDRIS.name()), ("swank", "idris"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Framing {
    name: &'static str,
    pub(crate) rule: Rule,
    pub(crate) empty: Empty,
}

/// What the length in a header counts.
///
/// ```
/// use sexp_codec::framing::{Framing, Unit};
///
/// let (mut bytes, mut characters) = (Vec::new(), Vec::new());
/// Framing::IDRIS.frame("(λ)".as_bytes(), &mut bytes)?;
/// Framing::IDRIS.counting(Unit::Characters).frame("(λ)".as_bytes(), &mut characters)?;
/// assert_eq!(bytes, "000004(λ)".as_bytes());
/// assert_eq!(characters, "000003(λ)".as_bytes());
/// # Ok::<(), sexp_codec::framing::FrameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Characters of UTF-8: bytes that do not continue one. A byte that belongs to no character counts as one.
    Characters,
}

/// Where a frame begins and ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// There are no frames but forms.
    Bare,
    /// A header of hexadecimal digits counts the payload.
    Counted(Counted),
    /// A byte ends the payload.
    Terminated(Terminated),
    /// Some lines carry the payload, in pieces.
    DataLines(DataLines),
    /// A tag on a line of its own says what follows, and a key ends it.
    Tagged(Tagged),
}

/// How many digits the header of [`Rule::Counted`] has.
pub(crate) const DIGITS: usize = 6;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Whether the digits are written in capitals.
    capitals: bool,
    unit: Unit,
    /// Whether blanks around the number, and a plus before it, are read.
    blanks: bool,
    /// Whether a line that does not begin with digits is a message.
    or_line: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Terminated {
    end: u8,
    /// Whether a carriage return before the end belongs to it.
    returns: bool,
    /// What begins the header line that may announce the length, its end included.
    header: Option<&'static [u8]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct DataLines {
    /// What a line of data begins with.
    data: &'static [u8],
    /// The first words of lines that end the data.
    ends: &'static [&'static [u8]],
    /// How many bytes a line may have, its end not counted.
    limit: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tagged {
    tags: &'static [(&'static [u8], Body)],
    key: &'static [u8],
    /// What is put before the last byte of a key in the payload.
    stuffing: u8,
}

/// What follows a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    Nothing,
    Forms,
    Octets,
}

/// What becomes of an empty frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Empty {
    /// It is one.
    Frame,
    /// It is passed over.
    Skipped,
    /// It is an error.
    Error,
}

impl Framing {
    /// No framing: forms back to back. A frame is a form, and complete as soon as the codec knows that: a list with its last byte.
    ///
    /// dune RPC and Merlin (canonical forms), Shepherd, SMT-LIB solvers, and the requests of Festival and SerAPI.
    pub const FORMS: Framing = Framing { name: "forms", rule: Rule::Bare, empty: Empty::Frame };

    /// Swank: six hexadecimal digits, then as many bytes of UTF-8.
    ///
    /// Emacs writes small digits, as this does, and a line feed in the end, which counts; Lisp writes [capitals](Framing::capitals) and no line
    /// feed. What is read: either, and what SBCL reads as well: blanks around a shorter number, and a plus before it. An empty frame is an
    /// error, since neither side can read one.
    pub const SWANK: Framing = Framing {
        name: "swank",
        rule: Rule::Counted(Counted { capitals: false, unit: Unit::Bytes, blanks: true, or_line: false }),
        empty: Empty::Error,
    };

    /// The protocol of Idris' editors: the header of Swank, or a line without one.
    ///
    /// A server that counts characters reads a header of [characters](Framing::counting) and writes such; what is right is bytes.
    pub const IDRIS: Framing = Framing {
        name: "idris",
        rule: Rule::Counted(Counted { capitals: false, unit: Unit::Bytes, blanks: false, or_line: true }),
        empty: Empty::Skipped,
    };

    /// A frame is a line; empty lines are none. It ends with a line feed, or a carriage return and a line feed, or the end of the input.
    pub const LINES: Framing =
        Framing { name: "lines", rule: Rule::Terminated(Terminated { end: b'\n', returns: true, header: None }), empty: Empty::Skipped };

    /// A frame ends with a zero byte, or the end of the input.
    pub const NUL: Framing =
        Framing { name: "nul", rule: Rule::Terminated(Terminated { end: 0, returns: false, header: None }), empty: Empty::Frame };

    /// Answers of SerAPI: lines, or any text after a line `byte-length: N`, where `N` counts it with its line feed.
    ///
    /// What is written has no header. For `--print0` the end is a zero byte: `Framing::SERAPI.ended_by(0)`.
    pub const SERAPI: Framing = Framing {
        name: "serapi",
        rule: Rule::Terminated(Terminated { end: b'\n', returns: false, header: Some(b"byte-length: ") }),
        empty: Empty::Skipped,
    };

    /// Assuan, as gpg-agent speaks it: lines of up to 1,000 bytes, of which those that begin with `D ` carry the payload, percent-escaped.
    ///
    /// `OK`, `ERR`, `END` and `CAN` end a payload. They, and all other lines (`S `, `INQUIRE`, `#`, commands), are delivered as
    /// [`Decode::Line`], after the end of the frame if they ended one. Empty lines are passed over.
    pub const ASSUAN: Framing = Framing {
        name: "assuan",
        rule: Rule::DataLines(DataLines { data: b"D ", ends: &[b"OK", b"ERR", b"END", b"CAN"], limit: 1_000 }),
        empty: Empty::Frame,
    };

    /// Answers of Festival's server: `LP` and a form, `WV` and a waveform, each up to the text `ft_StUfF_key`; `OK` and `ER`.
    ///
    /// The tags are delivered as [`Decode::Line`], before what follows them; a waveform as [`Decode::Octets`].
    pub const FESTIVAL: Framing = Framing {
        name: "festival",
        rule: Rule::Tagged(Tagged {
            tags: &[(b"LP", Body::Forms), (b"WV", Body::Octets), (b"OK", Body::Nothing), (b"ER", Body::Nothing)],
            key: b"ft_StUfF_key",
            stuffing: b'X',
        }),
        empty: Empty::Frame,
    };

    /// All of them, as they are without changes.
    pub const ALL: [Framing; 8] =
        [Framing::FORMS, Framing::SWANK, Framing::IDRIS, Framing::LINES, Framing::NUL, Framing::SERAPI, Framing::ASSUAN, Framing::FESTIVAL];

    /// The name of the constant in lower case.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The framing of that name.
    ///
    /// ```
    /// use sexp_codec::framing::Framing;
    ///
    /// assert_eq!(Framing::by_name("swank"), Some(Framing::SWANK));
    /// assert_eq!(Framing::by_name("Swank"), None);
    /// ```
    pub fn by_name(name: &str) -> Option<Framing> {
        Framing::ALL.into_iter().find(|framing| framing.name == name)
    }

    /// Whether the digits of a header are written in capitals. No effect on others.
    pub const fn capitals(mut self, capitals: bool) -> Framing {
        if let Rule::Counted(counted) = &mut self.rule {
            counted.capitals = capitals;
        }
        self
    }

    /// What the number in a header counts. No effect on framings without such a header.
    pub const fn counting(mut self, unit: Unit) -> Framing {
        if let Rule::Counted(counted) = &mut self.rule {
            counted.unit = unit;
        }
        self
    }

    /// The byte that ends a frame. No effect on framings that do not end so.
    ///
    /// ```
    /// use sexp_codec::framing::{Decode, Decoder, Framing};
    /// use sexp_codec::{Lexeme, Syntax};
    ///
    /// const PRINT0: Framing = Framing::SERAPI.ended_by(0);
    /// let mut decoder = Decoder::new(&PRINT0, &Syntax::SEXPLIB);
    /// let mut input = decoder.feed(b"Ack\0");
    /// assert!(matches!(input.decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::bare(b"Ack")));
    /// assert!(matches!(input.decode(), Decode::EndOfFrame));
    /// ```
    pub const fn ended_by(mut self, end: u8) -> Framing {
        if let Rule::Terminated(terminated) = &mut self.rule {
            terminated.end = end;
        }
        self
    }
}

impl fmt::Debug for Framing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Framing").field(&self.name).finish()
    }
}
