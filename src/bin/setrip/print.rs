//! `-print`: a lexeme a line.

use crate::drive::{Decoded, Stop, Take, Work};
use crate::failure::Failure;
use crate::output::Sink;
use sexp_codec::{Error, Kind, Position, Span};
use std::io::Write;

/// Prints each lexeme: `START-END`, `LINE:COLUMN`, kind and text, separated by tabs.
pub struct Print {
    sink: Sink,
    /// Lines that are not written out.
    lines: Vec<u8>,
    /// How many bytes of lines are written out at a time.
    window: usize,
    /// The text of the lexeme at hand: its place cannot be asked for before it has been looked at.
    text: Vec<u8>,
}

impl Print {
    pub fn new(sink: Sink, window: usize) -> Print {
        Print { sink, lines: Vec::new(), window, text: Vec::new() }
    }

    fn line(&mut self, span: Span, at: Position, kind: &str) -> Result<(), Failure> {
        for (number, after) in [(span.start, b'-'), (span.end, b'\t'), (at.line, b':'), (at.column, b'\t')] {
            write_number(&mut self.lines, number);
            self.lines.push(after);
        }
        self.lines.extend_from_slice(kind.as_bytes());
        self.lines.push(b'\t');
        self.lines.append(&mut self.text);
        self.lines.push(b'\n');
        if self.lines.len() >= self.window { self.write_out() } else { Ok(()) }
    }

    fn write_out(&mut self) -> Result<(), Failure> {
        self.sink.write_all(&self.lines).map_err(Failure::Output)?;
        self.lines.clear();
        Ok(())
    }
}

impl Take for Print {
    fn take(&mut self, lexemes: &mut impl Decoded) -> Result<Stop, Failure> {
        loop {
            let (span, kind) = match lexemes.next() {
                Ok(lexeme) => {
                    write_text(&mut self.text, lexeme.bytes);
                    (lexeme.span, lexeme.kind)
                }
                Err(stop) => return Ok(stop),
            };
            let at = lexemes.location(span.start)?;
            self.line(span, at, Kind::name(kind))?;
        }
    }
}

impl Work for Print {
    fn malformed(&mut self, error: &Error) -> Result<(), Failure> {
        write_text(&mut self.text, error.kind.to_string().as_bytes());
        let offset = error.position.offset;
        self.line(Span { start: offset, end: offset }, error.position, "error")?;
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.write_out()?;
        self.sink.flush().map_err(Failure::Output)
    }

    fn end(&mut self, at: Position) -> Result<(), Failure> {
        self.line(Span { start: at.offset, end: at.offset }, at, "end")
    }

    fn finish(&mut self) -> Result<(), Failure> {
        self.write_out()?;
        self.sink.finish()
    }
}

/// In decimal. The formatting of the standard library takes longer than all the rest of a line.
fn write_number(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[first..]);
}

/// The bytes 20 to 7E as they are, but `\` twice; LF, CR and HT as `\n`, `\r` and `\t`; any other byte as `\xHH`.
fn write_text(text: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        match byte {
            b'\\' => text.extend_from_slice(br"\\"),
            b'\n' => text.extend_from_slice(br"\n"),
            b'\r' => text.extend_from_slice(br"\r"),
            b'\t' => text.extend_from_slice(br"\t"),
            0x20..=0x7e => text.push(byte),
            _ => {
                let _ = write!(text, "\\x{byte:02X}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_decimal() {
        for number in [0, 9, 10, 1234567890, u64::MAX] {
            let mut text = Vec::new();
            super::write_number(&mut text, number);
            assert_eq!(text, number.to_string().as_bytes());
        }
    }

    #[test]
    fn text_is_printable() {
        let mut text = Vec::new();
        super::write_text(&mut text, b"a b\\\n\r\t\x00\x7f\xff~");
        assert_eq!(text, br"a b\\\n\r\t\x00\x7F\xFF~");
    }
}
