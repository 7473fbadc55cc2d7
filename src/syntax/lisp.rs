//! Common Lisp and Emacs Lisp.

use super::meaning::{QUOTES, rows};
use super::{Chars, Habit, Lead, Meaning, Next, Number, Quote, Row, Syntax, UnknownEscape, characters};

const HASH: Lead = Lead::new(b'#')
    .prefix_before(b"(")
    .prefixes(b"'+-.")
    .characters(b"\\")
    .labels()
    .tags(b"AaSsCcPp")
    .block_comment(b'|')
    .line_comments(b"!")
    .illegal_before(b"<) \t\r\n\x0c\x08\x7f;\",`")
    .illegal_at_the_end();

const MEANINGS: [Row; 7] = rows(QUOTES, [("#'", Meaning::Function), ("#=", Meaning::Label), ("#(", Meaning::Vector)]);
const MEANINGS_EMACS: [Row; 7] = rows(QUOTES, [("#'", Meaning::Function), ("#=", Meaning::Label), ("[", Meaning::Vector)]);

const COMMA: Lead = Lead::new(b',').alone_a_prefix().prefixes(b"@.");

const HASH_EMACS: Lead = Lead::new(b'#')
    .prefix_before(b"([")
    .prefixes(b"'")
    .before(b"#", Next::BothEscaped)
    .before(b"$", Next::Both)
    .labels()
    .tags(b"s^&")
    .line_comments(b"!")
    .before(b"@", Next::Skip);

/// A dot directly before a character is that of a pair.
const DOT: Lead = Lead::new(b'.').before(b"?", Next::Alone);

/// U+00A0 in UTF-8.
const WIDE_SPACE: Lead = Lead::new(0xc2).before(&[0xa0], Next::Space);

const EMACS_STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[])
    .reads_as(&[
        (b'a', 0x07),
        (b'b', 0x08),
        (b't', b'\t'),
        (b'n', b'\n'),
        (b'v', 0x0b),
        (b'f', 0x0c),
        (b'r', b'\r'),
        (b'e', 0x1b),
        (b'd', 0x7f),
        (b's', b' '),
    ])
    .number(Number::EmacsOctal)
    .number(Number::EmacsHex)
    .number(Number::Unicode4)
    .number(Number::Unicode8)
    .number(Number::Named)
    .vanish_escaped(b" \n")
    .emacs_modifiers()
    .unknown(UnknownEscape::KeepByte);

impl Syntax {
    /// Common Lisp with the standard readtable. Source: the standard's sections 2.1 to 2.4.
    ///
    /// A token with `\` or bars in it is delivered [as written](crate::Kind::Escaped), since what is escaped keeps its case. Prefixes are `'`,
    /// `` ` ``, `,`, `,@`, `,.`, `#'`, `#+`, `#-`, `#.`, labels and the `#A`, `#S`, `#C` and `#P` of arrays, structures, complex numbers
    /// and paths. A line that begins with `#!` is a comment.
    ///
    /// Left to the reader above: numbers, packages, feature conditionals (whose datum comes), dots, read-time evaluation.
    pub const COMMONLISP: Syntax = Syntax::builder("commonlisp", "Common Lisp")
        .spaces(b" \t\r\n\x0c")
        .list(b'(', b')')
        .illegal(b"\x08\x7f")
        .quotes(&[Quote::string(b'"').escape_with(b'\\').unknown(UnknownEscape::KeepByte)])
        .line_comment(b';')
        .prefixes(b"'`")
        .leads(&[HASH, COMMA])
        .block_comment([b'#', b'|'], [b'|', b'#'], false)
        .tags(&[b"#", b"#A", b"#a", b"#S", b"#s", b"#C", b"#c", b"#P", b"#p"])
        .escape_in_atoms(b'\\')
        .bars_in_atoms(b'|')
        .atoms(&[(b'#', b'#')])
        .other_bytes_are_atoms()
        .meanings(&MEANINGS)
        .spells_characters(&characters::COMMONLISP)
        .pairs_have_dots()
        .small_letters_are_capitals()
        .strings_are_apart()
        .byte_order_mark()
        .files(&[".lisp", ".lsp", ".cl", ".asd"])
        .habit(Habit::new().lists_follow_atoms())
        .build();

    /// Emacs Lisp. Source: Emacs' `lread.c`, versions 28 to 31.
    ///
    /// Symbols with `\` in them are delivered [as written](crate::Kind::Escaped); so are characters. Code points are written in UTF-8, raw
    /// bytes (`\200` to `\377`) as themselves. `#@N` skips N bytes, as in a file that Emacs loads.
    ///
    /// Left to the reader above: numbers, dots, the names of characters (`\N{NAME}` is an error, `\N{U+41}` is not).
    pub const ELISP: Syntax = Syntax::builder("elisp", "Emacs Lisp")
        .spaces(b" \t\r\n\x0c\x0b\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f")
        .spaces(b"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f")
        .list(b'(', b')')
        .list(b'[', b']')
        .quotes(&[EMACS_STRING])
        .line_comment(b';')
        .prefixes(b"'`")
        .leads(&[HASH_EMACS, super::scheme::COMMA, WIDE_SPACE, DOT])
        .wide_space([0xc2, 0xa0])
        .tags(&[b"#s", b"#^", b"#^^", b"#&"])
        .escape_in_atoms(b'\\')
        .characters(b'?')
        .characters_are(Chars::CodePoint)
        .may_touch(b"?.")
        .atoms(&[(b'?', b'?'), (b'.', b'.')])
        .other_bytes_are_atoms()
        .meanings(&MEANINGS_EMACS)
        .spells_characters(&characters::ELISP)
        .pairs_have_dots()
        .strings_are_apart()
        .byte_order_mark()
        .files(&[".el", ".eld"])
        .habit(Habit::new().lists_follow_atoms())
        .build();
}
