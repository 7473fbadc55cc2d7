//! Solvers, circuits, WebAssembly and others.

use super::*;

fn is_control(byte: u8) -> bool {
    byte < 0x20 && !b"\t\n\r".contains(&byte) || byte == 0x7f
}

static SMTLIB_STRING: Quote = Quote { doubled: true, illegal: is_control, ..QUOTE };
static SMTLIB_SYMBOL: Quote = Quote { kind: Kind::Symbol, close: b"|", illegal: |byte| is_control(byte) || byte == b'\\', ..QUOTE };

pub static SMTLIB: Rules = Rules {
    spaces: b" \t\r\n",
    marks: &[mark(b"\"", What::Quote(&SMTLIB_STRING)), mark(b"|", What::Quote(&SMTLIB_SYMBOL)), mark(b";", What::LineComment)],
    bare: |byte| byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/:#".contains(&byte),
    return_ends_comments: true,
    byte_order_mark: true,
    ..NOTHING
};

static KICAD_STRING: Quote = Quote {
    escapes: Some(&Escapes {
        simple: &[
            (b'"', b'"'),
            (b'\\', b'\\'),
            (b'a', 7),
            (b'b', 8),
            (b'f', 0x0c),
            (b'n', b'\n'),
            (b'r', b'\r'),
            (b't', b'\t'),
            (b'v', 0x0b),
        ],
        numbers: &[Number { or_lead: true, ..number(b"x", 16, 1, 2, Value::Byte) }, number(b"", 8, 1, 3, Value::LowBits)],
        unknown: Unknown::Both,
        ..ESCAPES
    }),
    line_ends: LineEnds::Illegal,
    ..QUOTE
};

pub static KICAD: Rules = Rules {
    spaces: b" \t\r\n\0",
    marks: &[mark(b"\"", What::Quote(&KICAD_STRING))],
    bare: |byte| !b" \t\r\n\0()".contains(&byte),
    line_start_comments: true,
    byte_order_mark: true,
    ..NOTHING
};

pub static SPECCTRA_STRINGS: [Quote; 3] = [
    Quote { line_ends: LineEnds::Illegal, ..QUOTE },
    Quote { line_ends: LineEnds::Illegal, close: b"'", ..QUOTE },
    Quote { line_ends: LineEnds::Illegal, close: b"$", ..QUOTE },
];

pub static DSN: Rules = Rules {
    spaces: b" \t\r\n\0",
    bare: |byte| !b" \t\r\n\0()".contains(&byte),
    line_start_comments: true,
    specctra: true,
    byte_order_mark: true,
    ..NOTHING
};

const WAT_STRING: Quote = Quote {
    escapes: Some(&Escapes {
        simple: &[(b't', b'\t'), (b'n', b'\n'), (b'r', b'\r'), (b'"', b'"'), (b'\'', b'\''), (b'\\', b'\\')],
        numbers: &[
            number(b"", 16, 2, 2, Value::Byte),
            Number { end: Some((b'}', true)), underscores: true, ..number(b"u{", 16, 1, usize::MAX, Value::Code) },
        ],
        ..ESCAPES
    }),
    illegal: |byte| byte < 0x20 || byte == 0x7f,
    ..QUOTE
};
static WAT_NAME: Quote = Quote { kind: Kind::Symbol, before: b"$", ..WAT_STRING };

pub static WAT: Rules = Rules {
    spaces: b" \t\r\n",
    marks: &[
        mark(b"\"", What::Quote(&WAT_STRING)),
        mark(b"$\"", What::Quote(&WAT_NAME)),
        mark(b";", What::Illegal),
        mark(b";;", What::LineComment),
        mark(b"(", What::Open),
        mark(b"(;", What::BlockComment),
        mark(b"(@", What::Annotation),
    ],
    block: Some((b"(;", b";)", None)),
    bare: |byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-./:<=>?@\\^_~`|".contains(&byte),
    return_ends_comments: true,
    separators: true,
    utf8: true,
    may_follow: |byte| !byte.is_ascii_alphanumeric() && !b"\"!#$%&'*+-./:<=>?@\\^_~`|".contains(&byte),
    byte_order_mark: true,
    ..NOTHING
};

pub static TREEBANK: Rules =
    Rules { spaces: b" \t\r\n\x0b\x0c", bare: |byte| !b" \t\r\n\x0b\x0c()".contains(&byte), byte_order_mark: true, ..NOTHING };

pub static PDDL: Rules = Rules {
    spaces: b" \t\r\n\x0b\x0c\x1c\x1d\x1e\x1f",
    marks: &[mark(b";", What::LineComment), mark(b"?", What::Token)],
    bare: |byte| matches!(byte, 0x21..=0x7e) && !b"();?".contains(&byte),
    byte_order_mark: true,
    ..NOTHING
};

static EDIF_STRING: Quote = Quote { codes: true, ..QUOTE };

pub static EDIF: Rules = Rules {
    spaces: b" \t\r\n\x0c",
    marks: &[mark(b"\"", What::Quote(&EDIF_STRING))],
    bare: |byte| byte.is_ascii_alphanumeric() || b"_&+-".contains(&byte),
    byte_order_mark: true,
    ..NOTHING
};

static GIMP_STRING: Quote = Quote {
    escapes: Some(&Escapes {
        simple: &[(b'n', b'\n'), (b't', b'\t'), (b'r', b'\r'), (b'b', 8), (b'f', 0x0c)],
        numbers: &[number(b"", 8, 1, 3, Value::LowBits)],
        unknown: Unknown::Byte,
        ..ESCAPES
    }),
    ..QUOTE
};

pub static GIMPRC: Rules = Rules {
    spaces: b" \t\r\n\x0b\x0c",
    marks: &[mark(b"\"", What::Quote(&GIMP_STRING)), mark(b"#", What::LineComment)],
    bare: |byte| !b" \t\r\n\x0b\x0c()\"#".contains(&byte),
    byte_order_mark: true,
    ..NOTHING
};

static PLAIN_STRING: Quote = Quote {
    escapes: Some(&Escapes {
        simple: &[(b'n', b'\n'), (b't', b'\t'), (b'r', b'\r'), (b'a', 7), (b'b', 8), (b'f', 0x0c), (b'v', 0x0b), (b'0', 0)],
        numbers: &[
            Number { end: Some((b'}', true)), ..number(b"u{", 16, 1, usize::MAX, Value::Code) },
            number(b"x", 16, 2, 2, Value::Byte),
            number(b"u", 16, 4, 4, Value::Code),
        ],
        line: Continuation::LineFeed,
        unknown: Unknown::Byte,
        ..ESCAPES
    }),
    ..QUOTE
};

pub static PLAIN: Rules = Rules {
    spaces: b" \x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f",
    marks: &[mark(b"\"", What::Quote(&PLAIN_STRING)), mark(b";", What::LineComment)],
    bare: |byte| !(0x01..=0x20).contains(&byte) && !b"()\";".contains(&byte),
    byte_order_mark: true,
    ..NOTHING
};
