//! The encoder: lexemes in, bytes out, into windows of any size.
//!
//! Most lexemes are a delimiter or a short bare atom, with room for it in the window. [`Output::encode`] writes these by itself. All else is
//! left to the [machine], which can stop and go on at any byte.

mod comment;
mod error;
mod machine;
mod options;
mod sink;
mod spelling;

pub use error::EncodeError;
pub use options::{EncodeOptions, Layout};

use crate::lexeme::{Fragment, Kind, Lexeme};
use crate::syntax::{Syntax, written};
use core::fmt;
use machine::{Last, Machine};
use sink::{Armour, Sink};

/// Writes lexemes in a syntax, without ever blocking.
///
/// The encoder keeps what it must know of the data so far; the bytes go to the windows the client hands over. A clone is a checkpoint.
///
/// ```
/// use sexp_codec::nonblocking::{Encode, Encoder};
/// use sexp_codec::{Lexeme, Syntax};
///
/// let mut encoder = Encoder::new(&Syntax::SEXPLIB);
/// let mut window = [0; 64];
/// let mut output = encoder.window(&mut window);
/// for lexeme in [Lexeme::open(), Lexeme::bare(b"title"), Lexeme::string(b"a \"b\""), Lexeme::close()] {
///     assert_eq!(output.encode(lexeme), Encode::Ok);
/// }
/// assert_eq!(output.finish(), Encode::Ok);
/// assert_eq!(output.bytes(), br#"(title"a \"b\"")"#);
/// ```
#[derive(Clone)]
pub struct Encoder {
    machine: Machine,
    armour: Option<Armour>,
}

impl Encoder {
    /// An encoder that writes the most compact text.
    pub fn new(syntax: &'static Syntax) -> Encoder {
        Encoder::with_options(syntax, EncodeOptions::default())
    }

    /// An encoder that writes as it is told.
    ///
    /// ```
    /// use sexp_codec::nonblocking::{Encode, Encoder};
    /// use sexp_codec::{EncodeOptions, Layout, Lexeme, Syntax};
    ///
    /// let mut encoder = Encoder::with_options(&Syntax::SE, EncodeOptions::default().layout(Layout::Lines));
    /// let mut window = [0; 64];
    /// let mut output = encoder.window(&mut window);
    /// assert_eq!(output.encode(Lexeme::bare(b"a")), Encode::Ok);
    /// assert_eq!(output.encode(Lexeme::bare(b"b")), Encode::Ok);
    /// assert_eq!(output.bytes(), b"a\nb\n");
    /// ```
    pub fn with_options(syntax: &'static Syntax, options: EncodeOptions) -> Encoder {
        Encoder { machine: Machine::new(syntax, options), armour: syntax.armour.map(Armour::new) }
    }

    /// Hands over a window to be filled.
    #[inline]
    pub fn window<'e>(&'e mut self, window: &'e mut [u8]) -> Output<'e> {
        Output { encoder: self, window, at: 0 }
    }

    /// Forgets the data so far, a lexeme that is partly written included: ready to write from the start.
    pub fn reset(&mut self) {
        *self = Encoder::with_options(self.machine.speller.syntax, self.machine.speller.options);
    }

    /// How many lists are open.
    #[inline]
    pub fn depth(&self) -> u64 {
        self.machine.depth
    }

    /// The syntax it writes.
    pub fn syntax(&self) -> &'static Syntax {
        self.machine.speller.syntax
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine { speller, depth, .. } = &self.machine;
        f.debug_struct("Encoder")
            .field("syntax", speller.syntax)
            .field("options", &speller.options)
            .field("depth", depth)
            .finish_non_exhaustive()
    }
}

/// A window, and the encoder that fills it.
///
/// Bytes of the window behind those that are [written](Output::written) may be changed as well.
pub struct Output<'e> {
    encoder: &'e mut Encoder,
    window: &'e mut [u8],
    at: usize,
}

impl fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Output { encoder, window, at } = self;
        f.debug_struct("Output").field("encoder", encoder).field("written", at).field("of", &window.len()).finish()
    }
}

/// What became of a lexeme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Encode {
    /// It is written.
    Ok,
    /// The window is full: to be handed over again, with another window.
    Partial,
    /// It cannot be written here. Nothing has been written of it, and the encoder is as it was.
    Error(EncodeError),
}

impl Output<'_> {
    /// Writes a lexeme, or goes on with it.
    ///
    /// After [`Encode::Partial`] the window is full to its last byte; the encoder goes on with the same lexeme in another window. To hand over
    /// another lexeme instead is a mistake: [`EncodeError::Unfinished`] where it is noticed, and useless output where it is not, because
    /// kind and length are the same.
    ///
    /// ```
    /// use sexp_codec::nonblocking::{Encode, Encoder};
    /// use sexp_codec::{Lexeme, Syntax};
    ///
    /// let mut encoder = Encoder::new(&Syntax::CANONICAL);
    /// let (mut first, mut second) = ([0; 4], [0; 4]);
    /// let lexeme = Lexeme::octets(b"abcd");
    /// assert_eq!(encoder.window(&mut first).encode(lexeme), Encode::Partial);
    /// let mut output = encoder.window(&mut second);
    /// assert_eq!(output.encode(lexeme), Encode::Ok);
    /// assert_eq!((output.bytes(), output.remaining()), (&b"cd"[..], 2));
    /// assert_eq!(&first, b"4:ab");
    /// ```
    #[inline]
    pub fn encode(&mut self, lexeme: Lexeme<'_>) -> Encode {
        if self.encode_short(lexeme) { Encode::Ok } else { self.encode_any(lexeme) }
    }

    /// Writes a piece of an atom that is not at hand as a whole, or goes on with it.
    ///
    /// As long as only pieces are known, so is not whether quotes are needed: bare atoms and strings are written in quotes where the syntax has them.
    /// Where it has only counted atoms, the first piece has to say how long the whole is.
    ///
    /// ```
    /// use sexp_codec::nonblocking::{Encode, Encoder};
    /// use sexp_codec::{Fragment, Kind, Span, Syntax};
    ///
    /// let mut encoder = Encoder::new(&Syntax::CANONICAL);
    /// let mut window = [0; 64];
    /// let mut output = encoder.window(&mut window);
    /// let piece = Fragment { kind: Kind::Octets, bytes: b"ab", first: true, last: false, total: Some(5), span: Span::default() };
    /// assert_eq!(output.fragment(piece), Encode::Ok);
    /// assert_eq!(output.fragment(Fragment { bytes: b"cde", first: false, last: true, ..piece }), Encode::Ok);
    /// assert_eq!(output.bytes(), b"5:abcde");
    /// ```
    pub fn fragment(&mut self, fragment: Fragment<'_>) -> Encode {
        self.drive(|machine, sink| machine.fragment(fragment, sink))
    }

    /// Ends the data: an error where a list or an atom is still open. Writes nothing.
    ///
    /// ```
    /// use sexp_codec::nonblocking::{Encode, Encoder};
    /// use sexp_codec::{EncodeError, Lexeme, Syntax};
    ///
    /// let mut encoder = Encoder::new(&Syntax::SE);
    /// let mut window = [0; 8];
    /// let mut output = encoder.window(&mut window);
    /// assert_eq!(output.encode(Lexeme::open()), Encode::Ok);
    /// assert_eq!(output.finish(), Encode::Error(EncodeError::UnclosedList(1)));
    /// assert_eq!(output.encode(Lexeme::close()), Encode::Ok);
    /// assert_eq!(output.finish(), Encode::Ok);
    /// ```
    pub fn finish(&mut self) -> Encode {
        match self.encoder.machine.finish() {
            Ok(()) => Encode::Ok,
            Err(error) => Encode::Error(error),
        }
    }

    /// How many bytes have been written to the window.
    #[inline]
    pub fn written(&self) -> usize {
        self.at
    }

    /// What has been written to the window.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.window[..self.at]
    }

    /// How many bytes of the window are left.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.window.len() - self.at
    }

    /// Writes a delimiter or a bare atom of at most eight bytes, if nothing about it needs a closer look.
    ///
    /// The three kinds, and all lengths, take the same way: what comes next cannot be foretold, so a branch on it would cost more than
    /// all the rest. The bytes are looked at and written as one word of eight, filled up with copies of the first.
    #[inline]
    fn encode_short(&mut self, lexeme: Lexeme<'_>) -> bool {
        const LONGEST: [usize; Kind::ALL.len()] = [1, 1, 8, 0, 0, 0, 0, 0, 0, 0];
        const WANTED: [u8; Kind::ALL.len()] = {
            let mut wanted = [written::NONE; Kind::ALL.len()];
            wanted[Kind::Open as usize] = written::OPEN;
            wanted[Kind::Close as usize] = written::CLOSE;
            wanted[Kind::Bare as usize] = written::PLAIN;
            wanted
        };
        const DEEPER: [u64; Kind::ALL.len()] = [1, u64::MAX, 0, 0, 0, 0, 0, 0, 0, 0];

        let machine = &mut self.encoder.machine;
        let (kind, bytes) = (lexeme.kind as usize, lexeme.bytes);
        if !machine.short || bytes.len().wrapping_sub(1) >= LONGEST[kind] {
            return false;
        }
        let Some(room) = self.window[self.at..].first_chunk_mut::<9>() else { return false };
        let flags = &machine.speller.syntax.written;
        let word = word(bytes);
        let first = flags[word as u8 as usize];
        let common = word.to_le_bytes().into_iter().fold(first, |common, byte| common & flags[byte as usize]);
        // Less than no list is open: that is below any floor.
        let depth = machine.depth.wrapping_add(DEEPER[kind]);
        if common & WANTED[kind] == 0 || first & written::FIRST == 0 || (depth as i64) < machine.floor {
            return false;
        }
        let space = usize::from(machine.last == Last::Bare) & usize::from(first & written::CONTINUES != 0);
        room[0] = b' ';
        room[space..space + 8].copy_from_slice(&word.to_le_bytes());
        self.at += space + bytes.len();
        machine.depth = depth;
        machine.last = match lexeme.kind {
            Kind::Open => Last::Open,
            Kind::Close => Last::Whole,
            _ => Last::Bare,
        };
        true
    }

    #[inline(never)]
    fn encode_any(&mut self, lexeme: Lexeme<'_>) -> Encode {
        self.drive(|machine, sink| machine.lexeme(lexeme, sink))
    }

    #[inline]
    fn drive(&mut self, step: impl FnOnce(&mut Machine, &mut Sink<'_>) -> Result<bool, EncodeError>) -> Encode {
        let mut sink = Sink { window: self.window, at: self.at, armour: self.encoder.armour.as_mut() };
        let outcome = step(&mut self.encoder.machine, &mut sink);
        self.at = sink.at;
        match outcome {
            Ok(true) => Encode::Ok,
            Ok(false) => Encode::Partial,
            Err(error) => Encode::Error(error),
        }
    }
}

/// One to eight bytes as a word, the first in the lowest place, filled up with copies of the first.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let (first, middle, last) = (bytes[0], bytes[len / 2], bytes[len - 1]);
    let few = u64::from(first) | u64::from(middle) << (8 * (len / 2)) | u64::from(last) << (8 * (len - 1));
    let head = u32::from_le_bytes(*bytes.first_chunk().unwrap_or(&[0; 4]));
    let tail = u32::from_le_bytes(*bytes.last_chunk().unwrap_or(&[0; 4]));
    let many = u64::from(head) | u64::from(tail) << (8 * (len.wrapping_sub(4) & 7));
    let known = u64::MAX >> (64 - 8 * len);
    (if len < 4 { few } else { many }) | (u64::from(first) * 0x0101_0101_0101_0101) & !known
}
