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
    /// Whether the input is exactly one form.
    pub single: bool,
    /// Up to how many bytes an atom that is cut always comes whole; a larger one may come in fragments.
    pub fragments: Option<usize>,
}

impl Options {
    /// Limits the depth of lists.
    pub const fn limit_depth(mut self, depth: u64) -> Self {
        self.depth = Some(depth);
        self
    }

    /// Limits the size of atoms, in bytes of their value.
    pub const fn limit_atom(mut self, bytes: u64) -> Self {
        self.atom = Some(bytes);
        self
    }

    /// Limits the size of the input, in bytes.
    pub const fn limit_total(mut self, bytes: u64) -> Self {
        self.total = Some(bytes);
        self
    }

    /// Asks for comments.
    pub const fn comments(mut self, comments: bool) -> Self {
        self.comments = comments;
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
