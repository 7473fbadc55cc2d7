//! Circuits and boards: KiCad, Specctra and EDIF.

use super::{Habit, Number, Quote, Syntax, UnknownEscape};

const KICAD_STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b'n', b'\n'), (b'r', b'\r')])
    .reads_as(&[(b'a', 0x07), (b'b', 0x08), (b'f', 0x0c), (b't', b'\t'), (b'v', 0x0b)])
    .number(Number::ShortHex)
    .number(Number::ShortOctal)
    .unknown(UnknownEscape::KeepBoth)
    .on_one_line();

const fn specctra_string(delimiter: u8) -> Quote {
    Quote::string(delimiter).on_one_line()
}

impl Syntax {
    /// KiCad's files: boards, schematics, symbols, footprints, work sheets, design rules, tables. Source: KiCad's `DSNLEXER`.
    ///
    /// A string is one only where a token can start: `a"b"` is one atom. A line whose first byte but for blanks is `#` is a comment. Strings end
    /// on their line. Bars are no tokens of their own (newer boards have base64 between bars, whose atoms come one by one).
    ///
    /// What is written: the escapes of today's writer, `\n`, `\r`, `\\` and `\"`; strings stay quoted and bare atoms bare.
    pub const KICAD: Syntax = Syntax::builder("kicad", "KiCad's files")
        .spaces(b" \t\r\n\0")
        .list(b'(', b')')
        .quotes(&[KICAD_STRING])
        .comment_at_line_start(b'#')
        .atoms(&[(b'"', b'"')])
        .other_bytes_are_atoms()
        .byte_order_mark()
        .files(&[".kicad_pcb", ".kicad_sch", ".kicad_sym", ".kicad_mod", ".kicad_wks", ".kicad_dru", "fp-lib-table", "sym-lib-table"])
        .habit(Habit::new().tabs().steps(1).closes_apart().nest(0).forms_nest(0))
        .build();

    /// Specctra design and session files (`.dsn`, `.ses`). Source: KiCad's `DSNLEXER` in its Specctra mode.
    ///
    /// There are no escapes. The quote is `"`, until the atom `string_quote` names another: `'` or `$`. `-` directly after another token is an
    /// atom of its own (`"U1"-"2"`).
    ///
    /// Where freerouting's reader differs (both quotes always, `/* */`, line ends in strings), KiCad's is followed.
    pub const DSN: Syntax = Syntax::builder("dsn", "Specctra designs and sessions")
        .spaces(b" \t\r\n\0")
        .list(b'(', b')')
        .quotes(&[specctra_string(b'"'), specctra_string(b'\''), specctra_string(b'$')])
        .comment_at_line_start(b'#')
        .quote_switch(b"string_quote")
        .dash(b'-')
        .atoms(&[(b'"', b'"'), (b'\'', b'\''), (b'$', b'$')])
        .other_bytes_are_atoms()
        .byte_order_mark()
        .files(&[".dsn", ".ses"])
        .habit(Habit::new().closes_apart().nest(1).forms_nest(0))
        .build();

    /// EDIF 2 0 0. Source: the readers of ghdl and spydrnet.
    ///
    /// Atoms are made of letters, digits, `_`, `&`, `+` and `-`. In a string bytes may be given by their codes, in decimal between two `%`; line
    /// ends in it are kept.
    pub const EDIF: Syntax = Syntax::builder("edif", "EDIF 2 0 0 netlists")
        .spaces(b" \t\r\n\x0c")
        .list(b'(', b')')
        .quotes(&[Quote::string(b'"').codes(b'%')])
        .atoms(&[(b'a', b'z'), (b'A', b'Z'), (b'0', b'9'), (b'_', b'_'), (b'&', b'&'), (b'+', b'+'), (b'-', b'-')])
        .strings_are_apart()
        .byte_order_mark()
        .files(&[".edf", ".edif"])
        .habit(Habit::new().forms_nest(0))
        .build();
}
