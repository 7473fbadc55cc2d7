//! Common Lisp, Emacs Lisp, EDN and Clojure.

use super::*;

static LISP_STRING: Quote = Quote { escapes: Some(&Escapes { unknown: Unknown::Byte, ..ESCAPES }), ..QUOTE };

pub static COMMONLISP: Rules = Rules {
    spaces: b" \t\r\n\x0c",
    marks: &[
        mark(b"\"", What::Quote(&LISP_STRING)),
        mark(b";", What::LineComment),
        mark(b"#|", What::BlockComment),
        mark(b"#!", What::LineComment),
        mark(b"#\\", What::Character),
        mark(b"#<", What::Illegal),
        mark(b"#)", What::Illegal),
        mark(b"# ", What::Illegal),
        mark(b"#\t", What::Illegal),
        mark(b"#\r", What::Illegal),
        mark(b"#\n", What::Illegal),
        mark(b"#\x0c", What::Illegal),
        mark(b"#\x08", What::Illegal),
        mark(b"#\x7f", What::Illegal),
        mark(b"#;", What::Illegal),
        mark(b"#\"", What::Illegal),
        mark(b"#,", What::Illegal),
        mark(b"#`", What::Illegal),
        before(b"#(", What::Prefix),
        mark(b"#'", What::Prefix),
        mark(b"#+", What::Prefix),
        mark(b"#-", What::Prefix),
        mark(b"#.", What::Prefix),
        mark(b"'", What::Prefix),
        mark(b"`", What::Prefix),
        mark(b",", What::Prefix),
        mark(b",@", What::Prefix),
        mark(b",.", What::Prefix),
    ],
    block: Some((b"#|", b"|#", None)),
    bare: |byte| !b" \t\r\n\x0c()\";'`,\\|\x08\x7f".contains(&byte),
    atom_escape: AtomEscape::Any,
    bars: Some(true),
    labels: true,
    tags: &[b"#", b"#A", b"#a", b"#S", b"#s", b"#C", b"#c", b"#P", b"#p"],
    byte_order_mark: true,
    lone_hash_is_illegal: true,
    ..NOTHING
};

static EMACS_STRING: Quote = Quote {
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
            (b'd', 0x7f),
            (b's', b' '),
        ],
        numbers: &[
            number(b"", 8, 1, 3, Value::Emacs),
            number(b"x", 16, 1, usize::MAX, Value::Emacs),
            number(b"u", 16, 4, 4, Value::Code),
            number(b"U", 16, 8, 8, Value::Code),
            Number { end: Some((b'}', true)), ..number(b"N{U+", 16, 1, usize::MAX, Value::Code) },
        ],
        line: Continuation::LineFeedOrBlank,
        unknown: Unknown::Byte,
        modifiers: true,
    }),
    ..QUOTE
};

pub static ELISP: Rules = Rules {
    spaces: b" \x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f",
    lists: &[*b"()", *b"[]"],
    marks: &[
        mark(b"\"", What::Quote(&EMACS_STRING)),
        mark(b"\xc2\xa0", What::Space),
        mark(b";", What::LineComment),
        mark(b"#!", What::LineComment),
        mark(b"?", What::EmacsCharacter),
        mark(b"#", What::Token),
        mark(b"##", What::Whole(Kind::Escaped)),
        mark(b"#$", What::Whole(Kind::Bare)),
        mark(b"#@", What::Skip),
        before(b"#(", What::Prefix),
        before(b"#[", What::Prefix),
        mark(b"#'", What::Prefix),
        mark(b"'", What::Prefix),
        mark(b"`", What::Prefix),
        mark(b",", What::Prefix),
        mark(b",@", What::Prefix),
    ],
    bare: |byte| byte > 0x20 && !b"()[]\";'`,#\\".contains(&byte),
    atom_escape: AtomEscape::Any,
    labels: true,
    tags: &[b"#s", b"#^", b"#^^", b"#&"],
    may_follow: |byte| byte <= 0x20 || byte == 0xc2 || b"\"';()[]#?`,.".contains(&byte),
    wide_space: true,
    byte_order_mark: true,
    ..NOTHING
};

static EDN_STRING: Quote = Quote {
    escapes: Some(&Escapes {
        simple: &[(b't', b'\t'), (b'r', b'\r'), (b'n', b'\n'), (b'\\', b'\\'), (b'"', b'"'), (b'b', 8), (b'f', 0x0c)],
        numbers: &[number(b"u", 16, 4, 4, Value::Code), number(b"", 8, 1, 3, Value::Latin)],
        ..ESCAPES
    }),
    ..QUOTE
};

const EDN_RULES: Rules = Rules {
    spaces: b" \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f,",
    lists: &[*b"()", *b"[]", *b"{}"],
    bare: |byte| !b" \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f,()[]{}\";\\@~`^".contains(&byte),
    return_ends_comments: true,
    character_ends_at_hash: false,
    byte_order_mark: true,
    ..NOTHING
};

pub static EDN: Rules = Rules {
    marks: &[
        mark(b"\"", What::Quote(&EDN_STRING)),
        mark(b";", What::LineComment),
        mark(b"#", What::Illegal),
        mark(b"#_", What::DatumComment),
        before(b"#{", What::Prefix),
        mark(b"##", What::Token),
        mark(b"#:", What::Tag),
        mark(b"#\xfe", What::Tag),
        mark(b"\\", What::Character),
    ],
    ..EDN_RULES
};

static REGEX: Quote =
    Quote { kind: Kind::Template, escapes: Some(&Escapes { unknown: Unknown::Both, ..ESCAPES }), as_written: true, ..QUOTE };

pub static CLOJURE: Rules = Rules {
    marks: &[
        mark(b"\"", What::Quote(&EDN_STRING)),
        mark(b";", What::LineComment),
        mark(b"#!", What::LineComment),
        mark(b"#", What::Illegal),
        mark(b"#_", What::DatumComment),
        before(b"#{", What::Prefix),
        before(b"#(", What::Prefix),
        mark(b"#\"", What::Quote(&REGEX)),
        mark(b"##", What::Token),
        mark(b"#:", What::Tag),
        mark(b"#\xfe", What::Tag),
        mark(b"#'", What::Prefix),
        mark(b"#^", What::Prefix),
        mark(b"#=", What::Prefix),
        mark(b"#?", What::Prefix),
        mark(b"#?@", What::Prefix),
        mark(b"'", What::Prefix),
        mark(b"`", What::Prefix),
        mark(b"~", What::Prefix),
        mark(b"~@", What::Prefix),
        mark(b"@", What::Prefix),
        mark(b"^", What::Prefix),
        mark(b"\\", What::Character),
    ],
    ..EDN_RULES
};
