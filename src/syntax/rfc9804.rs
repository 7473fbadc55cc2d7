//! RFC 9804: the canonical, the basic transport and the advanced form.

use super::{Continuation, Habit, Number, Quote, Syntax};

/// RFC 9804 section 3: the bytes of tokens.
const TOKEN: &[(u8, u8)] = &[
    (b'a', b'z'),
    (b'A', b'Z'),
    (b'0', b'9'),
    (b'-', b'-'),
    (b'.', b'.'),
    (b'/', b'/'),
    (b'_', b'_'),
    (b':', b':'),
    (b'*', b'*'),
    (b'+', b'+'),
    (b'=', b'='),
];

/// RFC 9804 section 4.2: only 20 to 7E stand in a string as they are.
const STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b'a', 0x07), (b'b', 0x08), (b't', b'\t'), (b'n', b'\n'), (b'v', 0x0b), (b'f', 0x0c), (b'r', b'\r')])
    .reads_escaped(b"'?")
    .number(Number::Hex)
    .number(Number::Octal)
    .continuation(Continuation::LineEnd)
    .illegal(&[(0x00, 0x1f), (0x7f, 0xff)]);

/// libgcrypt's strings: any byte, fewer escapes, octal numbers cut to eight bits.
const LIBGCRYPT_STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b'b', 0x08), (b't', b'\t'), (b'n', b'\n'), (b'v', 0x0b), (b'f', 0x0c), (b'r', b'\r')])
    .reads_escaped(b"'")
    .number(Number::Hex)
    .number(Number::WrappedOctal)
    .continuation(Continuation::LineEnd)
    .escape_when_written(&[(0x00, 0x1f), (0x7f, 0xff)]);

impl Syntax {
    /// RFC 9804, canonical form (sections 6.2 and 7.2): parentheses, counted octets and display hints, and nothing between them.
    pub const CANONICAL: Syntax =
        Syntax::builder("canonical", "RFC 9804, canonical form: counted octets").list(b'(', b')').lengths(false).hints(b'[', b']').build();

    /// The canonical form as OCaml's csexp has it: lengths may begin with zeros, and there are no display hints.
    pub const CSEXP: Syntax = Syntax::builder("csexp", "OCaml's csexp: canonical, leading zeros allowed, no hints")
        .list(b'(', b')')
        .lengths(false)
        .build()
        .with_leading_zeros();

    /// RFC 9804, basic transport form (sections 6.3 and 7.3): forms that are canonical, or canonical in base64 in braces.
    ///
    /// White space may follow a closing brace: the grammar has none there, but files end with a line end, and other readers take it.
    ///
    /// The span of a lexeme inside braces reaches from the base64 digit that completes its first byte to behind the one that completes
    /// its last.
    pub const TRANSPORT: Syntax = Syntax::builder("transport", "RFC 9804, basic transport form: canonical in base64 in braces")
        .list(b'(', b')')
        .lengths(false)
        .hints(b'[', b']')
        .armour(b'{', b'}')
        .build();

    /// RFC 9804, advanced form (sections 4 and 7.1): tokens, strings, counted, hexadecimal and base64 octets, and display hints.
    ///
    /// A byte order mark at the start is skipped. Unused bits of base64 are not looked at; its padding may lack.
    pub const ADVANCED: Syntax = Syntax::builder("advanced", "RFC 9804, advanced form: what people read and write")
        .spaces(b" \t\x0b\r\n\x0c")
        .list(b'(', b')')
        .quotes(&[STRING])
        .lengths(true)
        .hex(b'#')
        .base64(b'|')
        .hints(b'[', b']')
        .atoms(TOKEN)
        .byte_order_mark()
        .habit(Habit::new().steps(1))
        .build();

    /// What libgcrypt's `gcry_sexp_sscan` reads. Source: its `sexp.c`.
    ///
    /// As [`ADVANCED`](Syntax::ADVANCED), but: a length may not begin with 0, not even to be 0; before strings, hexadecimal and base64 octets a
    /// length is not checked; base64 holds no white space; strings hold any byte and know fewer escapes. The brackets of display hints are
    /// passed over as white space, so that a hint is one more string, as there; that they match is not checked.
    pub const LIBGCRYPT: Syntax = Syntax::builder("libgcrypt", "what libgcrypt and gpg-agent read")
        .spaces(b" \t\x0b\r\n\x0c[]")
        .list(b'(', b')')
        .quotes(&[LIBGCRYPT_STRING])
        .lengths(true)
        .lengths_without_zero()
        .hex(b'#')
        .base64(b'|')
        .base64_without_spaces()
        .atoms(TOKEN)
        .byte_order_mark()
        .habit(Habit::new().steps(1))
        .build();
}
