//! Schemes: the two standards, Guile, Racket, and a tolerant union of them.

use super::meaning::{NUMBERS, QUOTES, SYNTAXES, rows};
use super::{Chars, Continuation, Habit, Lead, Meaning, Next, Number, Quote, Row, Syntax, UnknownEscape, characters};
use crate::syntax::AtomEscape;

/// `,` and `,@`.
pub(super) const COMMA: Lead = Lead::new(b',').alone_a_prefix().prefixes(b"@");

/// The escapes that R6RS (section 4.2.7) and R7RS (section 7.1.1) share.
const STANDARD_STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b'a', 0x07), (b'b', 0x08), (b't', b'\t'), (b'n', b'\n'), (b'r', b'\r')])
    .number(Number::Terminated)
    .continuation(Continuation::Blanks)
    .any_line_end_reads_as_line_feed()
    .escape_when_written(&[(0x00, 0x1f), (0x7f, 0x7f)]);

/// `#` as both standards have it.
const HASH: Lead = Lead::new(b'#').prefix_before(b"(").characters(b"\\").block_comment(b'|').datum_comment(b';').directives(b'!');

const HASH_R7RS: Lead = HASH.labels().tags(b"u");
const HASH_R6RS: Lead = HASH.prefixes(b"'`").prefixes_with_at(b",").tags(b"v");

/// What begins the names of vectors of numbers.
const VECTORS: &[u8] = b"uscvf";
const TAGS: &[&[u8]] =
    &[b"#", b"#u8", b"#s8", b"#vu8", b"#u16", b"#s16", b"#u32", b"#s32", b"#u64", b"#s64", b"#f32", b"#f64", b"#c32", b"#c64", b"#*"];

const HASH_GUILE: Lead = HASH
    .tags(VECTORS)
    .before(b"0123456789", Next::Tag)
    .prefixes(b"'`")
    .prefixes_with_at(b",")
    .before(b"!", Next::Script)
    .prefix_before(b"\"[")
    .quotes(b'{', 1);

const HASH_SCHEME: Lead = HASH
    .before(b"!", Next::Header)
    .prefix_before(b"\"")
    .labels()
    .tags(VECTORS)
    .tags(b"*")
    .prefix_before(b"[")
    .prefixes(b"'`")
    .prefixes_with_at(b",")
    .quotes(b'{', 1);

const HASH_RACKET: Lead = HASH
    .labels()
    .tags(b"sfhrp")
    .prefix_before(b"[{\"")
    .prefixes(b"'`&")
    .prefixes_with_at(b",")
    .line_comments(b"!l")
    .before(b"<", Next::Here);

const R7RS_MEANINGS: [Row; 7] = rows(QUOTES, [("#(", Meaning::Vector), ("#u8(", Meaning::Bytes), ("#=", Meaning::Label)]);
const R6RS_MEANINGS: [Row; 12] = rows(
    rows::<4, 4, 8>(QUOTES, SYNTAXES),
    [("#(", Meaning::Vector), ("#vu8(", Meaning::Bytes), ("(", Meaning::List), ("[", Meaning::List)],
);
const GUILE_MEANINGS: [Row; 24] = rows(rows::<12, 11, 23>(R6RS_MEANINGS, NUMBERS), [("#u8(", Meaning::Bytes)]);
const SCHEME_MEANINGS: [Row; 27] = rows(GUILE_MEANINGS, [("{", Meaning::List), ("#=", Meaning::Label), ("#[", Meaning::Vector)]);
const RACKET_MEANINGS: [Row; 15] = rows(
    rows::<4, 4, 8>(QUOTES, SYNTAXES),
    [
        ("#(", Meaning::Vector),
        ("#[", Meaning::Vector),
        ("#{", Meaning::Vector),
        ("(", Meaning::List),
        ("[", Meaning::List),
        ("{", Meaning::List),
        ("#=", Meaning::Label),
    ],
);

const GUILE_STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b'a', 0x07), (b'b', 0x08), (b't', b'\t'), (b'n', b'\n'), (b'v', 0x0b), (b'f', 0x0c), (b'r', b'\r'), (b'0', 0)])
    .reads_escaped(b"|(")
    .number(Number::HexCode)
    .number(Number::Unicode4)
    .number(Number::Unicode6)
    .vanish_escaped(b"\n");

/// `#{any}#`.
const EXTENDED_SYMBOL: Quote = Quote::symbol(b'{')
    .after(b'#')
    .closed_by(b'}', b'#')
    .escape_with(b'\\')
    .number(Number::Terminated)
    .numbers_only()
    .escape_when_written(&[(0x00, 0x1f), (b'}', b'}')]);

const TOLERANT_STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b'a', 0x07), (b'b', 0x08), (b't', b'\t'), (b'n', b'\n'), (b'v', 0x0b), (b'f', 0x0c), (b'r', b'\r'), (b'e', 0x1b)])
    .number(Number::MaybeTerminated)
    .number(Number::Unicode4)
    .number(Number::LongOctalCode)
    .reads_as(&[(b'0', 0)])
    .continuation(Continuation::Blanks)
    .unknown(UnknownEscape::KeepByte);

const RACKET_STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b'a', 0x07), (b'b', 0x08), (b't', b'\t'), (b'n', b'\n'), (b'v', 0x0b), (b'f', 0x0c), (b'r', b'\r'), (b'e', 0x1b)])
    .reads_escaped(b"'")
    .number(Number::ShortHexCode)
    .number(Number::ShortUnicode4)
    .number(Number::ShortUnicode8)
    .number(Number::OctalCode)
    .vanish_escaped(b"\n");

impl Syntax {
    /// R7RS, small language. Source: sections 2, 6.7 and 7.1.1.
    ///
    /// Symbols may stand in bars; `'`, `` ` ``, `,`, `,@`, `#`, `#u8` and labels `#1=` are prefixes; `#\x` are characters; comments are `;`,
    /// `#| |#`, `#;` and directives `#!fold-case`. A line end in a string, however written, reads as LF.
    ///
    /// Left to the reader above: numbers, dots, the case of symbols, what a character's name means. `[ ] { }` are reserved and an error.
    pub const R7RS: Syntax = Syntax::builder("r7rs", "Scheme, R7RS small")
        .spaces(b" \t\r\n")
        .list(b'(', b')')
        .illegal(b"[]{}\\")
        .quotes(&[STANDARD_STRING.reads_escaped(b"|"), STANDARD_STRING.reads_escaped(b"\"").delimited_by(b'|')])
        .line_comment(b';')
        .return_ends_comments()
        .prefixes(b"'`")
        .leads(&[HASH_R7RS, COMMA])
        .block_comment([b'#', b'|'], [b'|', b'#'], false)
        .tags(&[b"#u8"])
        .atoms(&[(b'#', b'#')])
        .other_bytes_are_atoms()
        .meanings(&R7RS_MEANINGS)
        .spells_characters(&characters::R7RS)
        .pairs_have_dots()
        .strings_are_apart()
        .byte_order_mark()
        .files(&[".sld"])
        .habit(Habit::new().lists_follow_atoms())
        .build();

    /// R6RS. Source: section 4.2.
    ///
    /// As [`R7RS`](Syntax::R7RS), but: `[ ]` are lists; `#` ends a bare atom; there are no bars and no labels; a bare atom may hold `\x41;`;
    /// `#'`, `` #` ``, `#,` and `#,@` are prefixes; a character must be followed by a delimiter. White space beyond ASCII (section 4.2.1)
    /// belongs to atoms here.
    pub const R6RS: Syntax = Syntax::builder("r6rs", "Scheme, R6RS")
        .spaces(b" \t\r\n\x0b\x0c")
        .list(b'(', b')')
        .list(b'[', b']')
        .illegal(b"{}|")
        .quotes(&[STANDARD_STRING.escapes(&[(b'v', 0x0b), (b'f', 0x0c)])])
        .line_comment(b';')
        .return_ends_comments()
        .prefixes(b"'`")
        .leads(&[HASH_R6RS, COMMA])
        .block_comment([b'#', b'|'], [b'|', b'#'], false)
        .tags(&[b"#vu8"])
        .escape_in_atoms(b'\\')
        .escapes_in_atoms_are(AtomEscape::Hex)
        .characters_are(Chars::Delimited)
        .other_bytes_are_atoms()
        .meanings(&R6RS_MEANINGS)
        .spells_characters(&characters::R6RS)
        .pairs_have_dots()
        .strings_are_apart()
        .byte_order_mark()
        .files(&[".sls"])
        .habit(Habit::new().lists_follow_atoms())
        .build();

    /// GNU Guile's reader with its default options. Source: its `ice-9/read`, version 3.0.
    ///
    /// In a token `'`, `` ` ``, `,`, `|`, `#`, `{`, `}` and `\` mean nothing. `#! !#` is a comment unless a letter follows `#!`, which
    /// begins a directive (Guile knows a list of directives instead). `#{any}#` is a symbol. Byte and number vectors, arrays: prefixes.
    pub const GUILE: Syntax = Syntax::builder("guile", "GNU Guile")
        .spaces(b" \t\r\n\x0c")
        .list(b'(', b')')
        .list(b'[', b']')
        .quotes(&[GUILE_STRING, EXTENDED_SYMBOL])
        .line_comment(b';')
        .prefixes(b"'`")
        .leads(&[HASH_GUILE, COMMA])
        .block_comment([b'#', b'|'], [b'|', b'#'], false)
        .tags(TAGS)
        .atoms(&[(b'#', b'#'), (b'\'', b'\''), (b'`', b'`'), (b',', b',')])
        .other_bytes_are_atoms()
        .meanings(&GUILE_MEANINGS)
        .spells_characters(&characters::GUILE)
        .pairs_have_dots()
        .strings_are_apart()
        .byte_order_mark()
        .habit(Habit::new().lists_follow_atoms())
        .build();

    /// Scheme files of mixed origin: what Chez, CHICKEN, Guile, MIT, Sagittarius and scsh read, as far as it agrees.
    ///
    /// `[ ]` and `{ }` are lists; bars and `\` may stand anywhere in a token; an escape in a string that is not known stands for the byte
    /// after it; after `#!` a letter begins a directive, anything else a comment to the end of the line.
    pub const SCHEME: Syntax = Syntax::builder("scheme", "Scheme of any kind, tolerant")
        .spaces(b" \t\r\n\x0b\x0c")
        .list(b'(', b')')
        .list(b'[', b']')
        .list(b'{', b'}')
        .quotes(&[TOLERANT_STRING, EXTENDED_SYMBOL])
        .line_comment(b';')
        .return_ends_comments()
        .prefixes(b"'`")
        .leads(&[HASH_SCHEME, COMMA])
        .block_comment([b'#', b'|'], [b'|', b'#'], false)
        .tags(TAGS)
        .escape_in_atoms(b'\\')
        .bars_in_atoms(b'|')
        .atoms(&[(b'#', b'#')])
        .other_bytes_are_atoms()
        .meanings(&SCHEME_MEANINGS)
        .spells_characters(&characters::SCHEME)
        .pairs_have_dots()
        .strings_are_apart()
        .byte_order_mark()
        .files(&[".scm", ".ss", ".sch"])
        .habit(Habit::new().lists_follow_atoms())
        .build();

    /// Racket, as it is read without a reader extension. Source: the Racket Reference, section 1.3.
    ///
    /// `#lang` and `#!` lines are comments. Regular expressions and byte strings are prefix and string, here-strings are strings. White space
    /// beyond ASCII belongs to atoms here; so does what follows `#ci` and `#cs`.
    pub const RACKET: Syntax = Syntax::builder("racket", "Racket")
        .spaces(b" \t\r\n\x0b\x0c")
        .list(b'(', b')')
        .list(b'[', b']')
        .list(b'{', b'}')
        .quotes(&[RACKET_STRING])
        .line_comment(b';')
        .return_ends_comments()
        .prefixes(b"'`")
        .leads(&[HASH_RACKET, COMMA])
        .block_comment([b'#', b'|'], [b'|', b'#'], false)
        .tags(&[b"#", b"#s", b"#fl", b"#fx", b"#hash", b"#hasheq", b"#hasheqv", b"#hashalw", b"#rx", b"#px", b"#rx#", b"#px#"])
        .escape_in_atoms(b'\\')
        .bars_in_atoms(b'|')
        .no_escapes_in_bars()
        .atoms(&[(b'#', b'#')])
        .other_bytes_are_atoms()
        .meanings(&RACKET_MEANINGS)
        .spells_characters(&characters::RACKET)
        .pairs_have_dots()
        .strings_are_apart()
        .byte_order_mark()
        .files(&[".rkt", ".rktl", ".rktd"])
        .habit(Habit::new().lists_follow_atoms())
        .build();
}
