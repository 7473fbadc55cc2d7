//! The encoder: lexemes in, bytes out, into windows of any size.
//!
//! Most lexemes are [short], with room for them in the window, and have a way of their own. So have longer ones that are written [at once](at_once).
//! All else is left to the [machine], which can stop and go on at any byte. The layout for people is a [layer](indent) behind that.

mod at_once;
mod between;
mod comment;
mod error;
mod indent;
mod machine;
mod options;
mod short;
mod sink;
mod spelling;

pub use error::EncodeError;
pub use options::{EncodeOptions, Layout};

use crate::lexeme::{Fragment, Kind, Lexeme};
use crate::scan::Kernel;
use crate::syntax::Syntax;
use alloc::boxed::Box;
use core::fmt;
use indent::Indenter;
use machine::Machine;
use sink::{Armour, Sink};

/// Writes lexemes in a syntax, without ever blocking.
///
/// The encoder keeps what it must know of the data so far; the bytes go to the windows the client hands over. A clone is a checkpoint. It
/// allocates nothing, but for [`Layout::Indent`] the line that this holds back, when it is made.
///
/// It writes what reads back as the same lexemes, or refuses. How a lexeme is written:
///
/// | kind | is written | else |
/// |---|---|---|
/// | [`Open`](Kind::Open), [`Close`](Kind::Close) | as the syntax has it | [refused](EncodeError::NoSuchDelimiter) |
/// | [`Bare`](Kind::Bare) | bare | in quotes, else counted |
/// | [`String`](Kind::String) | in quotes | as octets, else bare |
/// | [`Symbol`](Kind::Symbol) | in the quotes of symbols | like a bare atom |
/// | [`Octets`](Kind::Octets) | counted; where the syntax has hexadecimal and base64, only if all are text (20 to 7E), else up to four in hexadecimal, and more in base64 | like a bare atom |
/// | [`Hint`](Kind::Hint) | in its delimiters, like a bare atom | [refused](EncodeError::NoSuchKind) |
/// | [`Comment`](Kind::Comment) | as it is, if it is one comment of the syntax; with its line end | [refused](EncodeError::NotAComment) |
/// | [`Prefix`](Kind::Prefix), [`Char`](Kind::Char), [`Escaped`](Kind::Escaped), [`Template`](Kind::Template) | as it is, if it is one in the syntax | [refused](EncodeError::NotA) |
///
/// The third column is taken where the second is not possible, be it because the syntax has nothing of the kind or because of a byte; and
/// where that is not possible either, the lexeme is refused.
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
    indenter: Option<Box<Indenter>>,
    /// Why the last lexeme was refused that was.
    refusal: EncodeError,
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
        Encoder::with_kernel(syntax, options, Kernel::best())
    }

    fn with_kernel(syntax: &'static Syntax, options: EncodeOptions, kernel: Kernel) -> Encoder {
        let machine = Machine::new(syntax, options, kernel);
        let indented = machine.layout() == Layout::Indent;
        Encoder {
            machine,
            armour: syntax.armour.map(Armour::new),
            indenter: indented.then(|| Box::new(Indenter::new(syntax.habit, options.width))),
            refusal: EncodeError::Unfinished,
        }
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

    /// Whether forms are ended by line ends.
    #[cfg(feature = "tokio-util")]
    pub(crate) fn writes_line_ends(&self) -> bool {
        self.machine.layout() != Layout::Compact
    }

    /// Writes a lexeme that is short, if nothing about it needs a closer look; how many bytes that took, or none.
    #[inline]
    pub(crate) fn encode_short(&mut self, lexeme: Lexeme<'_>, window: &mut [u8]) -> usize {
        self.machine.write_short(lexeme.kind, lexeme.bytes, window)
    }

    /// Writes a lexeme that is not short, or goes on with it; how many bytes were written, and whether that is all.
    #[inline]
    fn encode_any(&mut self, kind: Kind, bytes: &[u8], window: &mut [u8]) -> (usize, Outcome) {
        match self.machine.write_at_once(kind, bytes, window) {
            0 => self.drive(window, |machine, sink| machine.lexeme(kind, bytes, sink)),
            written => (written, Outcome::Written),
        }
    }

    fn fragment(&mut self, fragment: Fragment<'_>, window: &mut [u8]) -> (usize, Outcome) {
        self.drive(window, |machine, sink| machine.fragment(fragment, sink))
    }

    #[inline]
    fn drive(
        &mut self,
        window: &mut [u8],
        step: impl FnOnce(&mut Machine, &mut Sink<'_>) -> Result<bool, EncodeError>,
    ) -> (usize, Outcome) {
        let mut sink = Sink { window, at: 0, armour: self.armour.as_mut(), indenter: self.indenter.as_deref_mut() };
        let outcome = match step(&mut self.machine, &mut sink) {
            Ok(true) => Outcome::Written,
            Ok(false) => Outcome::Full,
            Err(error) => {
                self.refusal = error;
                Outcome::Refused
            }
        };
        (sink.at, outcome)
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
        let written = self.encoder.encode_short(lexeme, &mut self.window[self.at..]);
        if written > 0 {
            self.at += written;
            return Encode::Ok;
        }
        self.encode_apart(lexeme.kind, lexeme.bytes)
    }

    /// Writes a lexeme that is not short, or goes on with it. Out of the way of the client's loop, which has few registers to spare.
    #[cold]
    #[inline(never)]
    pub(crate) fn encode_apart(&mut self, kind: Kind, bytes: &[u8]) -> Encode {
        self.step(|encoder, window| encoder.encode_any(kind, bytes, window))
    }

    /// Writes a piece of an atom that is not at hand as a whole, or goes on with it.
    ///
    /// As long as only pieces are known, so is not whether quotes are needed: bare atoms and strings are written in quotes where the syntax has them,
    /// unless these would make something else of a bare atom. Where it has only counted atoms, the first piece has to say how long the whole is.
    /// What is written as it is (characters, escaped atoms, templates) comes in one piece, which is written like a lexeme.
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
        self.step(|encoder, window| encoder.fragment(fragment, window))
    }

    /// Writes what [`Layout::Indent`] holds back, at most a line: [`Encode::Ok`] if that was all, [`Encode::Partial`] if the window is full.
    ///
    /// For a client that stops inside a form for a while, and wants to see what it wrote. What is held is laid out as if it did not fit on its
    /// line, so the layout is another than without. Other layouts hold nothing back; nor is anything held at the end of a top-level form.
    ///
    /// ```
    /// use sexp_codec::nonblocking::{Encode, Encoder};
    /// use sexp_codec::{EncodeOptions, Layout, Lexeme, Syntax};
    ///
    /// let mut encoder = Encoder::with_options(&Syntax::SEXPLIB, EncodeOptions::default().layout(Layout::Indent));
    /// let mut window = [0; 64];
    /// let mut output = encoder.window(&mut window);
    /// for lexeme in [Lexeme::open(), Lexeme::bare(b"a")] {
    ///     assert_eq!(output.encode(lexeme), Encode::Ok);
    /// }
    /// assert_eq!(output.bytes(), b"");
    /// assert_eq!(output.release(), Encode::Ok);
    /// assert_eq!(output.bytes(), b"(a");
    /// ```
    pub fn release(&mut self) -> Encode {
        match &mut self.encoder.indenter {
            Some(indenter) => {
                indenter.rush();
                if indenter.drain(self.window, &mut self.at) { Encode::Ok } else { Encode::Partial }
            }
            None => Encode::Ok,
        }
    }

    /// Ends the data: an error where a list or an atom is still open. Writes nothing: no layout holds anything back then.
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

    #[inline]
    fn step(&mut self, step: impl FnOnce(&mut Encoder, &mut [u8]) -> (usize, Outcome)) -> Encode {
        let (written, outcome) = step(self.encoder, &mut self.window[self.at..]);
        self.at += written;
        match outcome {
            Outcome::Written => Encode::Ok,
            Outcome::Full => Encode::Partial,
            Outcome::Refused => Encode::Error(self.encoder.refusal),
        }
    }
}

/// What became of a lexeme, in a byte; why it was refused is in the encoder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Written,
    Full,
    Refused,
}
