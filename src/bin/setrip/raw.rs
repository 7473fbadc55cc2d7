//! `-raw`: all text as it was, once it has been read.

use crate::drive::{Decoded, Stop, Take, Work};
use crate::failure::Failure;
use crate::output::Sink;
use sexp_codec::{Error, Position};
use std::io::Write;

/// Writes each lexeme as it was written, white space and comments included.
pub struct Raw {
    sink: Sink,
    text: Vec<u8>,
    /// How many bytes are written out at a time.
    window: usize,
}

impl Raw {
    pub fn new(sink: Sink, window: usize) -> Raw {
        Raw { sink, text: Vec::new(), window }
    }

    fn write_out(&mut self) -> Result<(), Failure> {
        self.sink.write_all(&self.text).map_err(Failure::Output)?;
        self.text.clear();
        Ok(())
    }
}

impl Take for Raw {
    fn take(&mut self, lexemes: &mut impl Decoded) -> Result<Stop, Failure> {
        loop {
            match lexemes.next() {
                Ok(lexeme) => self.text.extend_from_slice(lexeme.bytes),
                Err(stop) => return Ok(stop),
            }
            if self.text.len() >= self.window {
                self.write_out()?;
            }
        }
    }
}

impl Work for Raw {
    fn malformed(&mut self, _: &Error) -> Result<(), Failure> {
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.write_out()?;
        self.sink.flush().map_err(Failure::Output)
    }

    fn end(&mut self, _: Position) -> Result<(), Failure> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Failure> {
        self.write_out()?;
        self.sink.finish()
    }
}
