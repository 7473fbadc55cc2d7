//! The syntaxes of OCaml's libraries.

use super::{Continuation, Habit, Lead, Number, Quote, Syntax, UnknownEscape};

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

/// Where it begins no comment it begins an atom.
const HASH: Lead = Lead::new(b'#').block_comment(b'|').datum_comment(b';');

/// dune's strings: an unknown escape is an error, and a variable makes a template of the string.
const DUNE_STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b'n', b'\n'), (b'r', b'\r'), (b't', b'\t'), (b'b', 0x08)])
    .reads_escaped(b"'%")
    .number(Number::Decimal)
    .number(Number::Hex)
    .continuation(Continuation::SkipBlanks)
    .escape_when_written(&[(0x00, 0x1f), (0x7f, 0xff)])
    .utf8_stays()
    .variables();

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
        .leads(&[HASH])
        .block_comment([b'#', b'|'], [b'|', b'#'], true)
        .guard_block_comment()
        .other_bytes_are_atoms()
        .byte_order_mark()
        .quote_when_written(&[(0x00, 0x20), (b'\\', b'\\'), (0x7f, 0xff)])
        .habit(Habit::new().steps(1))
        .build();

    /// dune's files. Source: dune's lexer, and its page on lexical conventions.
    ///
    /// Bare atoms are ASCII; `#`, `|`, `\` and `'` mean nothing in them. Comments are `;` to the end of the line. A token, bare or in quotes, with
    /// a variable `%{…}` in it is a [template](crate::Kind::Template), as written. Strings may be written in blocks of lines that begin with
    /// `"\|` or `"\>`.
    pub const DUNE: Syntax = Syntax::builder("dune", "dune's files")
        .spaces(b" \t\x0c\n")
        .return_needs_line_feed()
        .list(b'(', b')')
        .quotes(&[DUNE_STRING])
        .line_comment(b';')
        .variables()
        .block_strings()
        .atoms(&[(0x21, 0x21), (0x23, 0x24), (0x26, 0x27), (0x2a, 0x3a), (0x3c, 0x7e)])
        .byte_order_mark()
        .files(&["dune", "dune-project", "dune-workspace", "dune.inc"])
        .habit(Habit::new().steps(1).nest(1).forms_nest(0))
        .build();
}
