//! Solvers, planners, trees, settings, and a forgiving syntax for whatever has none of its own.

use super::{Habit, Number, Quote, Syntax, UnknownEscape};

/// Bytes that may stand neither in strings nor in quoted symbols: controls that are no white space.
const CONTROLS: &[(u8, u8)] = &[(0x00, 0x08), (0x0b, 0x0c), (0x0e, 0x1f), (0x7f, 0x7f)];

const PLAIN_STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b'n', b'\n'), (b't', b'\t'), (b'r', b'\r')])
    .reads_as(&[(b'a', 0x07), (b'b', 0x08), (b'f', 0x0c), (b'v', 0x0b), (b'0', 0x00)])
    .number(Number::Hex)
    .number(Number::MaybeBraced)
    .vanish_escaped(b"\n")
    .unknown(UnknownEscape::KeepByte);

const GIMP_STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b'n', b'\n'), (b't', b'\t'), (b'r', b'\r'), (b'b', 0x08), (b'f', 0x0c)])
    .number(Number::ShortOctal)
    .unknown(UnknownEscape::KeepByte);

impl Syntax {
    /// What is taken for an s-expression where nothing more is known: bare atoms, strings with the usual escapes, `;` comments.
    ///
    /// White space is all up to the blank; any other byte but `( ) " ;` belongs to atoms; an escape that is not known stands for the byte
    /// after it.
    pub const PLAIN: Syntax = Syntax::builder("plain", "bare atoms, strings with the usual escapes, ; comments")
        .spaces(b" \t\r\n\x0c\x0b\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f")
        .spaces(b"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f")
        .list(b'(', b')')
        .quotes(&[PLAIN_STRING])
        .line_comment(b';')
        .other_bytes_are_atoms()
        .dots_are_left_open()
        .byte_order_mark()
        .files(&[".sexp", ".sexpr"])
        .build();

    /// SMT-LIB scripts. Source: the standard, version 2.7, sections 3.1 and 3.2.
    ///
    /// In a string the quote is doubled, so a string shows by the byte after it that it has ended; in a symbol in bars there are no escapes.
    /// Comments end at LF or CR.
    ///
    /// Left to the reader above: numerals, reserved words, whether `#x` is followed by hexadecimal digits.
    pub const SMTLIB: Syntax = Syntax::builder("smtlib", "SMT-LIB 2, for solvers")
        .spaces(b" \t\r\n")
        .list(b'(', b')')
        .quotes(&[Quote::string(b'"').doubled().illegal(CONTROLS), Quote::symbol(b'|').illegal(CONTROLS).illegal(&[(b'\\', b'\\')])])
        .line_comment(b';')
        .return_ends_comments()
        .atoms(&[
            (b'a', b'z'),
            (b'A', b'Z'),
            (b'0', b'9'),
            (b'~', b'~'),
            (b'!', b'!'),
            (b'#', b'&'),
            (b'*', b'+'),
            (b'-', b'/'),
            (b':', b':'),
        ])
        .atoms(&[(b'<', b'@'), (b'^', b'_')])
        .strings_are_apart()
        .byte_order_mark()
        .files(&[".smt2", ".smt"])
        .build();

    /// Planning domains and problems. Source: PDDL as Fast Downward reads it.
    ///
    /// `?` starts a token wherever it stands. Bytes beyond ASCII may stand in comments only. Letters keep their case.
    pub const PDDL: Syntax = Syntax::builder("pddl", "PDDL, for planners")
        .spaces(b" \t\r\n\x0b\x0c\x1c\x1d\x1e\x1f")
        .list(b'(', b')')
        .line_comment(b';')
        .begins_atoms(b'?')
        .atoms(&[(0x21, 0x27), (0x2a, 0x3a), (0x3c, 0x7e)])
        .byte_order_mark()
        .files(&[".pddl"])
        .habit(Habit::new().lists_follow_atoms().forms_nest(0))
        .build();

    /// Trees of the Penn Treebank. Source: NLTK's `bracket_parse`.
    ///
    /// Whatever is neither white space nor a parenthesis belongs to an atom. The data write a parenthesis in a word as `-LRB-` or `-RRB-`,
    /// which is left to the reader above.
    pub const TREEBANK: Syntax = Syntax::builder("treebank", "trees of the Penn Treebank")
        .spaces(b" \t\r\n\x0b\x0c")
        .list(b'(', b')')
        .other_bytes_are_atoms()
        .byte_order_mark()
        .files(&[".mrg"])
        .build();

    /// Settings and resources of GIMP (`gimprc`, `sessionrc`, …). Source: GLib's `GScanner` as GIMP sets it up.
    pub const GIMPRC: Syntax = Syntax::builder("gimprc", "settings of GIMP")
        .spaces(b" \t\r\n\x0b\x0c")
        .list(b'(', b')')
        .quotes(&[GIMP_STRING])
        .line_comment(b'#')
        .other_bytes_are_atoms()
        .byte_order_mark()
        .files(&[
            "gimprc",
            "sessionrc",
            "toolrc",
            "menurc",
            "pluginrc",
            "templaterc",
            "unitrc",
            "controllerrc",
            "contextrc",
            "colorrc",
            "parasiterc",
        ])
        .habit(Habit::new().steps(4).nest(0).forms_nest(0))
        .build();
}
