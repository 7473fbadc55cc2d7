//! How an encoder writes: layout and spelling.

/// How an encoder writes. The default: compact, and kinds are kept.
///
/// ```
/// use sexp_codec::{EncodeOptions, Layout};
///
/// let options = EncodeOptions::default().layout(Layout::Indent).respell(true);
/// assert_eq!((options.layout, options.respell), (Layout::Indent, true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EncodeOptions {
    /// Where white space goes.
    pub layout: Layout,
    /// How wide a line is for [`Layout::Indent`], in columns of a byte each.
    pub width: u16,
    /// Whether atoms are spelled in the shortest natural way, whatever their kind: bare if that is possible, else in quotes. Octets
    /// of which some would need a number in quotes stay octets, where the syntax has them.
    pub respell: bool,
}

impl EncodeOptions {
    /// The default, for a `const`.
    pub const fn new() -> Self {
        EncodeOptions { layout: Layout::Compact, width: 80, respell: false }
    }

    /// Where white space goes.
    pub const fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// How wide a line is for [`Layout::Indent`], in columns of a byte each; 80 if nothing is said. A tab is one column.
    ///
    /// A list that fits on the rest of its line stays on it, as far as the [habit](crate::Habit) of the syntax allows. Only what cannot be
    /// parted goes beyond: an atom with its prefixes, and list ends behind it. Lines are indented by at most half of the width. The encoder
    /// allocates 60 to 120 bytes a column for it, once.
    ///
    /// ```
    /// use sexp_codec::nonblocking::{Encode, Encoder};
    /// use sexp_codec::{EncodeOptions, Layout, Lexeme, Syntax};
    ///
    /// for (width, text) in [(8, "(a (bc))\n"), (7, "(a\n (bc))\n")] {
    ///     let mut encoder = Encoder::with_options(&Syntax::SEXPLIB, EncodeOptions::default().layout(Layout::Indent).width(width));
    ///     let mut window = [0; 64];
    ///     let mut output = encoder.window(&mut window);
    ///     for lexeme in [Lexeme::open(), Lexeme::bare(b"a"), Lexeme::open(), Lexeme::bare(b"bc"), Lexeme::close(), Lexeme::close()] {
    ///         assert_eq!(output.encode(lexeme), Encode::Ok);
    ///     }
    ///     assert_eq!(output.bytes(), text.as_bytes());
    /// }
    /// ```
    pub const fn width(mut self, columns: u16) -> Self {
        self.width = columns;
        self
    }

    /// Spells atoms anew, as text for people: for data from a syntax that knows but one kind of atom.
    ///
    /// ```
    /// use sexp_codec::nonblocking::{Encode, Encoder};
    /// use sexp_codec::{EncodeOptions, Lexeme, Syntax};
    ///
    /// let mut encoder = Encoder::with_options(&Syntax::ADVANCED, EncodeOptions::default().respell(true));
    /// let mut window = [0; 64];
    /// let mut output = encoder.window(&mut window);
    /// for octets in [&b"abc"[..], b"a b", b"\0\x01"] {
    ///     assert_eq!(output.encode(Lexeme::octets(octets)), Encode::Ok);
    /// }
    /// assert_eq!(output.bytes(), b"abc\"a b\"#0001#");
    /// ```
    pub const fn respell(mut self, respell: bool) -> Self {
        self.respell = respell;
        self
    }
}

impl Default for EncodeOptions {
    fn default() -> Self {
        EncodeOptions::new()
    }
}

/// Where white space goes.
///
/// A syntax without white space, such as the canonical form, is always written compact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Only where it is needed.
    #[default]
    Compact,
    /// As in [`Layout::Compact`], and a line end after each top-level form and nowhere else: a line feed in a string is escaped.
    Lines,
    /// For people: in lines of at most the [width](EncodeOptions::width), indented as is the [habit](crate::Habit) of the syntax, and each
    /// top-level form on lines of its own.
    ///
    /// Whether a list fits on its line shows only at its end, so the encoder holds back at most a line of text, until it shows or until the
    /// top-level form ends; [`release`](crate::nonblocking::Output::release) writes it before. What was written in this layout and is read and
    /// written again does not change.
    ///
    /// A line comment stays behind what comes before it, if it fits; one that begins with its byte twice, such as `;;`, has a line of its own.
    Indent,
}
