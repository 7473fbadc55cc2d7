//! How an encoder writes: layout and spelling.

/// How an encoder writes. The default: compact, and kinds are kept.
///
/// ```
/// use sexp_codec::{EncodeOptions, Layout};
///
/// let options = EncodeOptions::default().layout(Layout::Indent).respell(true);
/// assert_eq!((options.layout, options.respell), (Layout::Indent, true));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EncodeOptions {
    /// Where white space goes.
    pub layout: Layout,
    /// Whether atoms are spelled in the shortest natural way, whatever their kind: bare if that is possible, else in quotes. Octets
    /// of which some would need a number in quotes stay octets, where the syntax has them.
    pub respell: bool,
}

impl EncodeOptions {
    /// The default, for a `const`.
    pub const fn new() -> Self {
        EncodeOptions { layout: Layout::Compact, respell: false }
    }

    /// Where white space goes.
    pub const fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
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
    /// For people: each list on a line of its own, indented, unless it is the first in its list; a space between other elements.
    Indent,
}
