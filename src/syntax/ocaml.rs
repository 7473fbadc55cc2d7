//! The syntaxes of OCaml's libraries.

use super::{Continuation, Number, Quote, Syntax, UnknownEscape};

/// sexplib's strings: an unknown escape stands for itself, numbers are decimal, a line can go on.
const STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b'n', b'\n'), (b'r', b'\r'), (b't', b'\t'), (b'b', 0x08)])
    .reads_escaped(b"'")
    .number(Number::Decimal)
    .number(Number::Hex)
    .continuation(Continuation::SkipBlanks)
    .unknown(UnknownEscape::KeepBoth)
    .escape_when_written(&[(0x00, 0x1f), (0x7f, 0xff)]);

impl Syntax {
    /// The syntax of OCaml's sexplib and parsexp.
    ///
    /// Any byte may stand in an atom, but for white space, parentheses, `"`, `;` and CR; CR is white space before LF and an error elsewhere.
    /// Comments are `;` to the end of the line, `#| |#` (nested, strings in it are read as strings) and `#;` before a datum. Neither `#|` nor `|#` may
    /// stand in a bare atom. Source: the reader of parsexp, and the printer of sexplib0 for what is written in quotes.
    ///
    /// A byte order mark at the start is skipped; parsexp takes it for an atom. Where parsexp and the older lexer of sexplib differ
    /// (`\` before a blank, before fewer than three digits, before CR) parsexp is followed.
    pub const SEXPLIB: Syntax = Syntax::builder("sexplib", "OCaml's sexplib and parsexp")
        .spaces(b" \t\x0c\n")
        .return_needs_line_feed()
        .list(b'(', b')')
        .quotes(&[STRING])
        .line_comment(b';')
        .hash_comments(b'#', b'|', Some(b';'), true)
        .other_bytes_are_atoms()
        .byte_order_mark()
        .quote_when_written(&[(0x00, 0x20), (b'\\', b'\\'), (0x7f, 0xff)])
        .build();
}
