//! sexplib and dune.

use super::*;

static SEXPLIB_STRING: Quote = Quote { escapes: Some(&SEXPLIB_ESCAPES), ..QUOTE };

static SEXPLIB_ESCAPES: Escapes = Escapes {
    simple: &[(b'n', b'\n'), (b'r', b'\r'), (b't', b'\t'), (b'b', 0x08), (b'\\', b'\\'), (b'"', b'"'), (b'\'', b'\'')],
    numbers: &[number(b"", 10, 3, 3, Value::Byte), number(b"x", 16, 2, 2, Value::Byte)],
    line: Continuation::Sexplib,
    unknown: Unknown::Both,
    ..ESCAPES
};

pub static SEXPLIB: Rules = Rules {
    spaces: b" \t\x0c\n",
    return_needs_line_feed: true,
    marks: &[
        mark(b"\"", What::Quote(&SEXPLIB_STRING)),
        mark(b";", What::LineComment),
        mark(b"#|", What::BlockComment),
        mark(b"#;", What::DatumComment),
    ],
    block: Some((b"#|", b"|#", Some(&SEXPLIB_STRING))),
    bare: |byte| !b" \t\x0c\n\r()\";".contains(&byte),
    guard: true,
    byte_order_mark: true,
    ..NOTHING
};

static DUNE_STRING: Quote = Quote { escapes: Some(&DUNE_ESCAPES), ..QUOTE };

pub const DUNE_ESCAPES: Escapes = Escapes {
    simple: &[(b'n', b'\n'), (b'r', b'\r'), (b't', b'\t'), (b'b', 0x08), (b'\\', b'\\'), (b'"', b'"'), (b'\'', b'\''), (b'%', b'%')],
    numbers: &[number(b"", 10, 3, 3, Value::Byte), number(b"x", 16, 2, 2, Value::Byte)],
    line: Continuation::Dune,
    ..ESCAPES
};

pub static DUNE: Rules = Rules {
    spaces: b" \t\x0c\n",
    return_needs_line_feed: true,
    marks: &[
        mark(b"\"", What::Quote(&DUNE_STRING)),
        mark(b"\"\\|", What::Block(true)),
        mark(b"\"\\>", What::Block(false)),
        mark(b";", What::LineComment),
    ],
    bare: |byte| matches!(byte, 0x21..=0x7e) && !b"()\";".contains(&byte),
    variables: true,
    byte_order_mark: true,
    ..NOTHING
};
