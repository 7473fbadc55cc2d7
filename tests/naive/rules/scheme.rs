//! Scheme.

use super::*;

const STANDARD_NUMBERS: &[Number] = &[Number { end: Some((b';', true)), ..number(b"x", 16, 1, usize::MAX, Value::Code) }];

static R7RS_ESCAPES: Escapes = Escapes {
    simple: &[(b'a', 7), (b'b', 8), (b't', b'\t'), (b'n', b'\n'), (b'r', b'\r'), (b'"', b'"'), (b'\\', b'\\'), (b'|', b'|')],
    numbers: STANDARD_NUMBERS,
    line: Continuation::Blanks,
    ..ESCAPES
};

const R7RS_STRING: Quote = Quote { escapes: Some(&R7RS_ESCAPES), line_ends: LineEnds::LineFeed, ..QUOTE };
const R7RS_SYMBOL: Quote = Quote { kind: Kind::Symbol, close: b"|", ..R7RS_STRING };

pub static R7RS: Rules = Rules {
    spaces: b" \t\r\n",
    marks: &[
        mark(b"\"", What::Quote(&R7RS_STRING)),
        mark(b"|", What::Quote(&R7RS_SYMBOL)),
        mark(b";", What::LineComment),
        mark(b"#|", What::BlockComment),
        mark(b"#;", What::DatumComment),
        mark(b"#!", What::Directive),
        mark(b"#\\", What::Character),
        before(b"#(", What::Prefix),
        mark(b"'", What::Prefix),
        mark(b"`", What::Prefix),
        mark(b",", What::Prefix),
        mark(b",@", What::Prefix),
    ],
    block: Some((b"#|", b"|#", None)),
    bare: |byte| !b" \t\r\n()\";|[]{}\\'`,".contains(&byte),
    labels: true,
    tags: &[b"#u8"],
    return_ends_comments: true,
    byte_order_mark: true,
    ..NOTHING
};

static R6RS_STRING: Quote = Quote {
    escapes: Some(&Escapes {
        simple: &[
            (b'a', 7),
            (b'b', 8),
            (b't', b'\t'),
            (b'n', b'\n'),
            (b'v', 0x0b),
            (b'f', 0x0c),
            (b'r', b'\r'),
            (b'"', b'"'),
            (b'\\', b'\\'),
        ],
        numbers: STANDARD_NUMBERS,
        line: Continuation::Blanks,
        ..ESCAPES
    }),
    line_ends: LineEnds::LineFeed,
    ..QUOTE
};

pub static R6RS: Rules = Rules {
    spaces: b" \t\r\n\x0b\x0c",
    lists: &[*b"()", *b"[]"],
    marks: &[
        mark(b"\"", What::Quote(&R6RS_STRING)),
        mark(b";", What::LineComment),
        mark(b"#|", What::BlockComment),
        mark(b"#;", What::DatumComment),
        mark(b"#!", What::Directive),
        mark(b"#\\", What::Character),
        mark(b"#", What::Token),
        before(b"#(", What::Prefix),
        mark(b"#'", What::Prefix),
        mark(b"#`", What::Prefix),
        mark(b"#,", What::Prefix),
        mark(b"#,@", What::Prefix),
        mark(b"'", What::Prefix),
        mark(b"`", What::Prefix),
        mark(b",", What::Prefix),
        mark(b",@", What::Prefix),
    ],
    block: Some((b"#|", b"|#", None)),
    bare: |byte| !b" \t\r\n\x0b\x0c()[]\";#{}|\\'`,".contains(&byte),
    atom_escape: AtomEscape::Hex,
    tags: &[b"#vu8"],
    return_ends_comments: true,
    may_follow: |byte| b" \t\r\n\x0b\x0c()[]\";#'`,{}|".contains(&byte),
    byte_order_mark: true,
    ..NOTHING
};

const TAGS: &[&[u8]] =
    &[b"#", b"#u8", b"#s8", b"#vu8", b"#u16", b"#s16", b"#u32", b"#s32", b"#u64", b"#s64", b"#f32", b"#f64", b"#c32", b"#c64"];

static BRACES: Quote =
    Quote { kind: Kind::Symbol, close: b"}#", escapes: Some(&Escapes { numbers: STANDARD_NUMBERS, ..ESCAPES }), ..QUOTE };

static GUILE_STRING: Quote = Quote {
    escapes: Some(&Escapes {
        simple: &[
            (b'0', 0),
            (b'a', 7),
            (b'b', 8),
            (b't', b'\t'),
            (b'n', b'\n'),
            (b'v', 0x0b),
            (b'f', 0x0c),
            (b'r', b'\r'),
            (b'\\', b'\\'),
            (b'"', b'"'),
            (b'|', b'|'),
            (b'(', b'('),
        ],
        numbers: &[number(b"x", 16, 2, 2, Value::Code), number(b"u", 16, 4, 4, Value::Code), number(b"U", 16, 6, 6, Value::Code)],
        line: Continuation::LineFeed,
        ..ESCAPES
    }),
    ..QUOTE
};

pub static GUILE: Rules = Rules {
    spaces: b" \t\r\n\x0c",
    lists: &[*b"()", *b"[]"],
    marks: &[
        mark(b"\"", What::Quote(&GUILE_STRING)),
        mark(b"#{", What::Quote(&BRACES)),
        mark(b";", What::LineComment),
        mark(b"#|", What::BlockComment),
        mark(b"#;", What::DatumComment),
        Mark { take: 2, ..mark(b"#!\xfe", What::Directive) },
        mark(b"#!", What::Script),
        mark(b"#\\", What::Character),
        before(b"#(", What::Prefix),
        before(b"#[", What::Prefix),
        before(b"#\"", What::Prefix),
        mark(b"#'", What::Prefix),
        mark(b"#`", What::Prefix),
        mark(b"#,", What::Prefix),
        mark(b"#,@", What::Prefix),
        mark(b"'", What::Prefix),
        mark(b"`", What::Prefix),
        mark(b",", What::Prefix),
        mark(b",@", What::Prefix),
    ],
    block: Some((b"#|", b"|#", None)),
    bare: |byte| !b" \t\r\n\x0c()[]\";".contains(&byte),
    tags: TAGS,
    byte_order_mark: true,
    ..NOTHING
};

static SCHEME_STRING: Quote = Quote {
    escapes: Some(&Escapes {
        simple: &[(b'a', 7), (b'b', 8), (b't', b'\t'), (b'n', b'\n'), (b'v', 0x0b), (b'f', 0x0c), (b'r', b'\r'), (b'e', 0x1b)],
        numbers: &[
            Number { end: Some((b';', false)), ..number(b"x", 16, 1, usize::MAX, Value::Code) },
            number(b"u", 16, 4, 4, Value::Code),
            Number { or_zero: true, ..number(b"", 8, 3, 3, Value::Code) },
        ],
        line: Continuation::Blanks,
        unknown: Unknown::Byte,
        ..ESCAPES
    }),
    ..QUOTE
};

pub static SCHEME: Rules = Rules {
    spaces: b" \t\r\n\x0b\x0c",
    lists: &[*b"()", *b"[]", *b"{}"],
    marks: &[
        mark(b"\"", What::Quote(&SCHEME_STRING)),
        mark(b"#{", What::Quote(&BRACES)),
        mark(b";", What::LineComment),
        mark(b"#|", What::BlockComment),
        mark(b"#;", What::DatumComment),
        Mark { take: 2, ..mark(b"#!\xfe", What::Directive) },
        mark(b"#!", What::LineComment),
        mark(b"#\\", What::Character),
        before(b"#(", What::Prefix),
        before(b"#[", What::Prefix),
        before(b"#\"", What::Prefix),
        mark(b"#'", What::Prefix),
        mark(b"#`", What::Prefix),
        mark(b"#,", What::Prefix),
        mark(b"#,@", What::Prefix),
        mark(b"'", What::Prefix),
        mark(b"`", What::Prefix),
        mark(b",", What::Prefix),
        mark(b",@", What::Prefix),
    ],
    block: Some((b"#|", b"|#", None)),
    bare: |byte| !b" \t\r\n\x0b\x0c()[]{}\";'`,\\|".contains(&byte),
    atom_escape: AtomEscape::Any,
    bars: Some(true),
    labels: true,
    tags: &[b"#", b"#*", b"#u8", b"#s8", b"#vu8", b"#u16", b"#s16", b"#u32", b"#s32", b"#u64", b"#s64", b"#f32", b"#f64", b"#c32", b"#c64"],
    return_ends_comments: true,
    byte_order_mark: true,
    ..NOTHING
};

static RACKET_STRING: Quote = Quote {
    escapes: Some(&Escapes {
        simple: &[
            (b'a', 7),
            (b'b', 8),
            (b't', b'\t'),
            (b'n', b'\n'),
            (b'v', 0x0b),
            (b'f', 0x0c),
            (b'r', b'\r'),
            (b'e', 0x1b),
            (b'"', b'"'),
            (b'\'', b'\''),
            (b'\\', b'\\'),
        ],
        numbers: &[
            number(b"", 8, 1, 3, Value::Latin),
            number(b"x", 16, 1, 2, Value::Code),
            number(b"u", 16, 1, 4, Value::Code),
            number(b"U", 16, 1, 8, Value::Code),
        ],
        line: Continuation::LineFeed,
        ..ESCAPES
    }),
    ..QUOTE
};

pub static RACKET: Rules = Rules {
    marks: &[
        mark(b"\"", What::Quote(&RACKET_STRING)),
        mark(b";", What::LineComment),
        mark(b"#|", What::BlockComment),
        mark(b"#;", What::DatumComment),
        mark(b"#!", What::LineComment),
        mark(b"#l", What::LineComment),
        mark(b"#\\", What::Character),
        mark(b"#<<", What::Here),
        mark(b"#<", What::Illegal),
        before(b"#(", What::Prefix),
        before(b"#[", What::Prefix),
        before(b"#{", What::Prefix),
        before(b"#\"", What::Prefix),
        mark(b"#'", What::Prefix),
        mark(b"#`", What::Prefix),
        mark(b"#&", What::Prefix),
        mark(b"#,", What::Prefix),
        mark(b"#,@", What::Prefix),
        mark(b"'", What::Prefix),
        mark(b"`", What::Prefix),
        mark(b",", What::Prefix),
        mark(b",@", What::Prefix),
    ],
    bars: Some(false),
    tags: &[b"#", b"#s", b"#fl", b"#fx", b"#hash", b"#hasheq", b"#hasheqv", b"#hashalw", b"#rx", b"#px", b"#rx#", b"#px#"],
    return_ends_comments: true,
    ..SCHEME_RULES
};

/// What Racket shares with [`SCHEME`].
const SCHEME_RULES: Rules = Rules {
    spaces: b" \t\r\n\x0b\x0c",
    lists: &[*b"()", *b"[]", *b"{}"],
    block: Some((b"#|", b"|#", None)),
    bare: |byte| !b" \t\r\n\x0b\x0c()[]{}\";'`,\\|".contains(&byte),
    atom_escape: AtomEscape::Any,
    labels: true,
    byte_order_mark: true,
    ..NOTHING
};
