//! What a decoder is asked for beyond its syntax: limits, comments, fragments, a single form.

/// Options of a decoder. The default: no limit, any number of forms, no comments, atoms always whole.
///
/// ```
/// use sexp_codec::Options;
///
/// let options = Options::default().limit_depth(1_000).limit_atom(1 << 20).limit_total(1 << 30);
/// assert_eq!(options.depth, Some(1_000));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {
    /// How deep lists may be nested: 1 allows `(a)` and refuses `((a))`.
    pub depth: Option<u64>,
    /// How many bytes an atom's value may have.
    pub atom: Option<u64>,
    /// How many bytes the input may have.
    pub total: Option<u64>,
    /// Whether comments are delivered. A line comment comes without its line end; a datum comment with the datum in it, as written.
    pub comments: bool,
    /// Whether everything comes as it is written, white space and comments included.
    pub verbatim: bool,
    /// Whether the input is exactly one form.
    pub single: bool,
    /// Up to how many bytes an atom that is cut always comes whole; a larger one may come in fragments.
    pub fragments: Option<usize>,
    /// How many bytes the payload of a frame may have, or a form that is delivered whole. Of concern to [`framing`](crate::framing) and
    /// [`forms`](crate::forms) only.
    pub frame: Option<u64>,
}

impl Options {
    /// Limits the depth of lists.
    pub const fn limit_depth(mut self, depth: u64) -> Self {
        self.depth = Some(depth);
        self
    }

    /// Limits the size of atoms, in bytes of their value.
    ///
    /// What is delivered as it is written (characters, escaped atoms, templates, labels, tags, comments) counts as it is written, and so does
    /// the name of a here-string. Prefixes such as `#,@` are never too large. However the input is cut, the same atoms are too large.
    pub const fn limit_atom(mut self, bytes: u64) -> Self {
        self.atom = Some(bytes);
        self
    }

    /// Limits the size of the input, in bytes.
    pub const fn limit_total(mut self, bytes: u64) -> Self {
        self.total = Some(bytes);
        self
    }

    /// Limits the size of frames, in bytes of their payload, and of forms that are delivered whole.
    pub const fn limit_frame(mut self, bytes: u64) -> Self {
        self.frame = Some(bytes);
        self
    }

    /// Asks for comments.
    pub const fn comments(mut self, comments: bool) -> Self {
        self.comments = comments;
        self
    }

    /// Asks for all text as it is written: white space comes as [`Kind::Space`](crate::Kind::Space), comments too, and the bytes of every
    /// lexeme are its text, quotes and escapes included. What comes, put together, is the input, but for what is in error.
    ///
    /// Of a syntax with armour (`transport`) the lexemes in the armour come without it. No atom comes in fragments.
    ///
    /// ```
    /// use sexp_codec::nonblocking::{Decode, Decoder};
    /// use sexp_codec::{Options, Syntax};
    ///
    /// let text = b"; one\n(\"a\\n\"  b)\n";
    /// let mut decoder = Decoder::with_options(&Syntax::SEXPLIB, Options::default().verbatim(true));
    /// let mut copy = Vec::new();
    /// let mut input = decoder.feed(text);
    /// while let Decode::Lexeme(lexeme) = input.decode() {
    ///     copy.extend_from_slice(lexeme.bytes);
    /// }
    /// while let Decode::Lexeme(lexeme) = decoder.finish().decode() {
    ///     copy.extend_from_slice(lexeme.bytes);
    /// }
    /// assert_eq!(copy, text);
    /// ```
    pub const fn verbatim(mut self, verbatim: bool) -> Self {
        self.verbatim = verbatim;
        self.comments |= verbatim;
        self
    }

    /// Asks for exactly one form: none, or something after it, is an error.
    pub const fn single(mut self, single: bool) -> Self {
        self.single = single;
        self
    }

    /// Asks for atoms of more than that many bytes to come in fragments, so that memory stays constant whatever an atom's size.
    pub const fn fragments(mut self, bytes: usize) -> Self {
        self.fragments = Some(bytes);
        self
    }
}
