//! RFC 9804 and what comes from it.

use super::*;

pub static CANONICAL: Rules = Rules { counted: true, hints: true, ..NOTHING };

pub static CANONICAL_WITH_LEADING_ZEROS: Rules = Rules { counted: true, hints: true, leading_zeros: true, ..NOTHING };

pub static CSEXP: Rules = Rules { counted: true, leading_zeros: true, ..NOTHING };

pub static TRANSPORT: Rules = Rules { counted: true, hints: true, armour: true, ..NOTHING };

static STRING: Quote = Quote { escapes: Some(&RFC_ESCAPES), illegal: |byte| !(0x20..0x7f).contains(&byte), ..QUOTE };

static RFC_ESCAPES: Escapes = Escapes {
    simple: &[
        (b'n', b'\n'),
        (b'r', b'\r'),
        (b't', b'\t'),
        (b'b', 0x08),
        (b'a', 0x07),
        (b'v', 0x0b),
        (b'f', 0x0c),
        (b'?', b'?'),
        (b'\\', b'\\'),
        (b'"', b'"'),
        (b'\'', b'\''),
    ],
    numbers: &[number(b"", 8, 3, 3, Value::Byte), number(b"x", 16, 2, 2, Value::Byte)],
    line: Continuation::Rfc9804,
    ..ESCAPES
};

pub static ADVANCED: Rules = Rules {
    spaces: b" \t\x0b\r\n\x0c",
    marks: &[mark(b"\"", What::Quote(&STRING))],
    bare: |byte| byte.is_ascii_alphanumeric() || b"-./_:*+=".contains(&byte),
    counted: true,
    octets: true,
    hints: true,
    byte_order_mark: true,
    ..NOTHING
};

static LIBGCRYPT_STRING: Quote = Quote { escapes: Some(&LIBGCRYPT_ESCAPES), ..QUOTE };

static LIBGCRYPT_ESCAPES: Escapes = Escapes {
    simple: &[
        (b'n', b'\n'),
        (b'r', b'\r'),
        (b't', b'\t'),
        (b'b', 0x08),
        (b'v', 0x0b),
        (b'f', 0x0c),
        (b'\\', b'\\'),
        (b'"', b'"'),
        (b'\'', b'\''),
    ],
    numbers: &[number(b"", 8, 3, 3, Value::LowBits), number(b"x", 16, 2, 2, Value::Byte)],
    line: Continuation::Rfc9804,
    ..ESCAPES
};

pub static LIBGCRYPT: Rules = Rules {
    spaces: b" \t\x0b\r\n\x0c[]",
    marks: &[mark(b"\"", What::Quote(&LIBGCRYPT_STRING))],
    bare: |byte| byte.is_ascii_alphanumeric() || b"-./_:*+=".contains(&byte),
    counted: true,
    no_zero: true,
    octets: true,
    careless_octets: true,
    byte_order_mark: true,
    ..NOTHING
};
