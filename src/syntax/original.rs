//! The grammar of the codec of 2012: bare atoms in parentheses, and nothing else.

use super::Syntax;

impl Syntax {
    /// The syntax of the s-expression codec of 2012 (`se`).
    ///
    /// White space is SP, HT, LF and CR; atoms are made of the bytes 21 to 27 and 2A to 7E. There are no strings, escapes or comments, so
    /// an atom that is empty or has another byte cannot be written.
    ///
    /// The original left 2A to 2F out of the atoms, so that `a-b` and `1.5` could not be read; here they belong to them.
    pub const SE: Syntax = Syntax::builder("se", "the codec of 2012: bare atoms in parentheses")
        .spaces(b" \t\n\r")
        .list(b'(', b')')
        .atoms(&[(0x21, 0x27), (0x2a, 0x7e)])
        .build();
}
