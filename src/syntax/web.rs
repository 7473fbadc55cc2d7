//! WebAssembly's text.

use super::{Lead, Next, Number, Quote, Syntax};

const STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b't', b'\t'), (b'n', b'\n'), (b'r', b'\r')])
    .reads_escaped(b"'")
    .number(Number::Pair)
    .number(Number::Braced)
    .illegal(&[(0x00, 0x1f), (0x7f, 0x7f)])
    .escape_when_written(&[(0x80, 0xff)]);

/// An identifier in quotes.
const NAME: Quote = STRING.after(b'$').a_symbol_with_its_lead();

const OPEN: Lead = Lead::new(b'(').otherwise(Next::Open).block_comment(b';').before(b"@", Next::Annotation);
const SEMICOLON: Lead = Lead::new(b';').else_illegal().line_comments(b";");
const DOLLAR: Lead = Lead::new(b'$').quotes(b'"', 1);

impl Syntax {
    /// WebAssembly's text format (`.wat`, `.wast`). Source: its specification, version 3.0, chapter 6.
    ///
    /// `(` and `;` show what they are only by the byte after them, so a list start is delivered with that. Annotations `(@name …)` count as
    /// comments. Atoms and strings must not touch each other. `$"…"` is a symbol, whose value begins with
    /// the `$`.
    ///
    /// Strings and comments must be UTF-8; what is beyond ASCII in a string is written in escapes of two digits, as `wasm2wat` does, since a string
    /// can hold any bytes.
    ///
    /// Left to the reader above: numbers, and whether a name in quotes is UTF-8 after its escapes.
    pub const WAT: Syntax = Syntax::builder("wat", "WebAssembly text")
        .spaces(b" \t\r\n")
        .leads(&[OPEN, SEMICOLON, DOLLAR])
        .list(b'(', b')')
        .quotes(&[STRING, NAME])
        .line_comment_by_lead(b';')
        .return_ends_comments()
        .block_comment([b'(', b';'], [b';', b')'], false)
        .separators()
        .utf8()
        .strings_are_apart()
        .atoms(&[(b'a', b'z'), (b'A', b'Z'), (b'0', b'9'), (b'!', b'!'), (b'#', b'\''), (b'*', b'+'), (b'-', b'/'), (b':', b':')])
        .atoms(&[(b'<', b'@'), (b'\\', b'\\'), (b'^', b'`'), (b'|', b'|'), (b'~', b'~')])
        .byte_order_mark()
        .files(&[".wat", ".wast"])
        .build();
}
