//! How people lay out a dialect: how far lists are indented, and what stays on a line.

/// How a dialect is laid out for people, by [`Layout::Indent`](crate::Layout::Indent).
///
/// A list that fits on the rest of its line stays on it, unless it has more lists in it than the habit lets stand on a line. Else its
/// elements follow: atoms as long as they fit on the line, lists on lines of their own, and atoms behind a list on the next line.
///
/// ```
/// use sexp_codec::nonblocking::{Encode, Encoder};
/// use sexp_codec::{EncodeOptions, Habit, Layout, Lexeme, Syntax};
///
/// static MINE: Syntax = Syntax::builder("mine", "")
///     .spaces(b" \n")
///     .list(b'(', b')')
///     .other_bytes_are_atoms()
///     .habit(Habit::new().steps(4).closes_apart().forms_nest(0))
///     .build();
/// let mut encoder = Encoder::with_options(&MINE, EncodeOptions::new().layout(Layout::Indent));
/// let mut window = [0; 64];
/// let mut output = encoder.window(&mut window);
/// for lexeme in [Lexeme::open(), Lexeme::bare(b"a"), Lexeme::open(), Lexeme::bare(b"b"), Lexeme::close(), Lexeme::close()] {
///     assert_eq!(output.encode(lexeme), Encode::Ok);
/// }
/// assert_eq!(output.bytes(), b"(a\n    (b)\n)\n");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habit {
    /// The byte that indents: a blank or a tab.
    pub(crate) indent: u8,
    /// How many of them each pair of brackets takes.
    pub(crate) steps: [u8; 3],
    /// Whether the end of a list that has lists in it stands on a line of its own, if the list takes several.
    pub(crate) closes_apart: bool,
    /// Whether a list may stay on the line of the atom before it.
    pub(crate) lists_follow_atoms: bool,
    /// How deep the lists in a list on one line may be nested, and those in a top-level form; none if at will.
    pub(crate) nested: Option<u8>,
    pub(crate) nested_in_forms: Option<u8>,
}

impl Habit {
    /// The deepest that [`nest`](Habit::nest) can be asked for.
    pub(crate) const MOST_NESTED: u8 = 3;

    /// Two blanks a level, list ends one behind the other, whatever fits on the line.
    pub const fn new() -> Habit {
        Habit { indent: b' ', steps: [2; 3], closes_apart: false, lists_follow_atoms: false, nested: None, nested_in_forms: None }
    }

    /// So many blanks, or tabs, a level.
    pub const fn steps(mut self, count: u8) -> Habit {
        self.steps = [count; 3];
        self
    }

    /// So many for lists in the pair of brackets of that number, from 0, as the syntax [names](super::Builder::list) them.
    ///
    /// # Panics
    ///
    /// If the number is not below 3.
    pub const fn steps_of(mut self, pair: usize, count: u8) -> Habit {
        self.steps[pair] = count;
        self
    }

    /// Tabs instead of blanks. A tab counts as one column.
    pub const fn tabs(mut self) -> Habit {
        self.indent = b'\t';
        self
    }

    /// The end of a list that has lists in it and takes several lines stands on a line of its own.
    pub const fn closes_apart(mut self) -> Habit {
        self.closes_apart = true;
        self
    }

    /// A list that fits stays on the line of an atom before it, such as `(defun f (x)`, though the list around it takes several lines.
    pub const fn lists_follow_atoms(mut self) -> Habit {
        self.lists_follow_atoms = true;
        self
    }

    /// A list on one line has lists nested in it at most so deep (0: none), whether it would fit or not. The most is 3.
    ///
    /// # Panics
    ///
    /// If it is more.
    pub const fn nest(mut self, levels: u8) -> Habit {
        assert!(levels <= Habit::MOST_NESTED, "lists on one line nested deeper than that");
        self.nested = Some(levels);
        self
    }

    /// The same for top-level forms, which must not nest deeper than other lists.
    ///
    /// # Panics
    ///
    /// If it is more than 3.
    pub const fn forms_nest(mut self, levels: u8) -> Habit {
        assert!(levels <= Habit::MOST_NESTED, "lists on one line nested deeper than that");
        self.nested_in_forms = Some(levels);
        self
    }
}

impl Default for Habit {
    fn default() -> Self {
        Habit::new()
    }
}
