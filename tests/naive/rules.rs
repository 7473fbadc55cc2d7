//! The rules of each syntax, made by hand: nothing here is taken from the crate's own tables.

/// What a syntax has.
pub struct Rules {
    pub spaces: &'static [u8],
    /// CR is white space before LF, and an error elsewhere.
    pub return_needs_line_feed: bool,
    /// Which bytes make bare atoms; between lexemes, every other meaning of a byte goes first.
    pub bare: fn(u8) -> bool,
    pub strings: Option<Strings>,
    /// `;`, `#| |#` and `#;`, and none of `#|` and `|#` in a bare atom.
    pub comments: bool,
    /// `3:abc`.
    pub counted: bool,
    /// `03:abc`.
    pub leading_zeros: bool,
    /// `#616263#` and `|YWJj|`, and lengths before these and before strings.
    pub octets: bool,
    /// `[hint]`.
    pub hints: bool,
    /// `{KDE6YSk=}`.
    pub armour: bool,
    /// EF BB BF at the start is skipped.
    pub byte_order_mark: bool,
}

/// Whose escapes strings have.
#[derive(Clone, Copy, PartialEq)]
pub enum Strings {
    Sexplib,
    Rfc9804,
}

const NOTHING: Rules = Rules {
    spaces: b"",
    return_needs_line_feed: false,
    bare: |_| false,
    strings: None,
    comments: false,
    counted: false,
    leading_zeros: false,
    octets: false,
    hints: false,
    armour: false,
    byte_order_mark: false,
};

static SE: Rules = Rules { spaces: b" \t\n\r", bare: |byte| matches!(byte, 0x21..=0x27 | 0x2a..=0x7e), ..NOTHING };

static SEXPLIB: Rules = Rules {
    spaces: b" \t\x0c\n",
    return_needs_line_feed: true,
    bare: |byte| !b" \t\x0c\n\r()\";".contains(&byte),
    strings: Some(Strings::Sexplib),
    comments: true,
    byte_order_mark: true,
    ..NOTHING
};

static CANONICAL: Rules = Rules { counted: true, hints: true, ..NOTHING };

static CANONICAL_WITH_LEADING_ZEROS: Rules = Rules { counted: true, hints: true, leading_zeros: true, ..NOTHING };

static CSEXP: Rules = Rules { counted: true, leading_zeros: true, ..NOTHING };

static TRANSPORT: Rules = Rules { counted: true, hints: true, armour: true, ..NOTHING };

static ADVANCED: Rules = Rules {
    spaces: b" \t\x0b\r\n\x0c",
    bare: |byte| byte.is_ascii_alphanumeric() || b"-./_:*+=".contains(&byte),
    strings: Some(Strings::Rfc9804),
    counted: true,
    octets: true,
    hints: true,
    byte_order_mark: true,
    ..NOTHING
};

/// The rules of the syntax of that name.
pub fn named(name: &str) -> &'static Rules {
    match name {
        "se" => &SE,
        "sexplib" => &SEXPLIB,
        "canonical" => &CANONICAL,
        "canonical+zeros" => &CANONICAL_WITH_LEADING_ZEROS,
        "csexp" => &CSEXP,
        "transport" => &TRANSPORT,
        "advanced" => &ADVANCED,
        _ => panic!("no rules for the syntax {name}"),
    }
}
