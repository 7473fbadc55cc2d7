//! Writes lexemes: those of the input, or random ones.

use crate::drive::{Decoded, Lexemes, Stop, Work};
use crate::failure::Failure;
use crate::flags::Flags;
use crate::output::Sink;
use crate::random::Documents;
use sexp_codec::nonblocking::{self, Encode};
use sexp_codec::{EncodeError, Error, Kind, Lexeme, Position, blocking};
use std::io::{self, Write};

/// Encodes lexemes, with the one or the other encoder.
pub struct Recode {
    encoder: Encoder,
    hint: Hint,
}

enum Encoder {
    Blocking(blocking::Encoder<Sink>),
    NonBlocking(Windows),
}

/// The non-blocking encoder, and the window that it is given again and again.
struct Windows {
    encoder: nonblocking::Encoder,
    window: Vec<u8>,
    filled: usize,
    sink: Sink,
}

/// Why a lexeme was not written.
enum Trouble {
    Refused(EncodeError),
    Failed(Failure),
}

/// A display hint that was read. It is written with the atom after it: where a fault comes instead, nothing must be left behind.
#[derive(Default)]
struct Hint {
    held: bool,
    bytes: Vec<u8>,
}

impl Recode {
    pub fn new(flags: &Flags, sink: Sink) -> Recode {
        let (syntax, options) = (flags.to(), flags.encode_options());
        let encoder = if flags.b {
            Encoder::Blocking(blocking::Encoder::with_capacity(sink, flags.usize, syntax, options))
        } else {
            let encoder = nonblocking::Encoder::with_options(syntax, options);
            Encoder::NonBlocking(Windows { encoder, window: vec![0; flags.usize], filled: 0, sink })
        };
        Recode { encoder, hint: Hint::default() }
    }

    /// Writes random documents: one, or until that many bytes are written.
    pub fn documents(&mut self, mut documents: Documents, flags: &Flags) -> Result<(), Failure> {
        loop {
            documents.start();
            match self.encode(&mut documents)? {
                Stop::Refused(_, why) => return Err(Failure::Data(why)),
                _ if self.has_written(flags.size.unwrap_or(0), flags.usize)? => return self.finish(),
                _ => {}
            }
        }
    }

    /// Whether so much is written, what is in the window included.
    fn has_written(&mut self, size: u64, window: usize) -> Result<bool, Failure> {
        if self.sink().written() + (window as u64) < size {
            return Ok(false);
        }
        self.flush()?;
        Ok(self.sink().written() >= size)
    }

    fn sink(&mut self) -> &mut Sink {
        match &mut self.encoder {
            Encoder::Blocking(encoder) => encoder.get_mut(),
            Encoder::NonBlocking(windows) => &mut windows.sink,
        }
    }

    /// Writes lexemes until something else comes, or one that cannot be written.
    fn encode(&mut self, lexemes: &mut impl Lexemes) -> Result<Stop, Failure> {
        match &mut self.encoder {
            Encoder::Blocking(encoder) => loop {
                let lexeme = match lexemes.next() {
                    Ok(lexeme) => lexeme,
                    Err(stop) => return Ok(stop),
                };
                let start = lexeme.span.start;
                let written = if self.hint.concerns(lexeme) { self.hint.put(lexeme, encoder) } else { encoder.put(lexeme) };
                if let Err(trouble) = written {
                    return trouble.at(start);
                }
            },
            Encoder::NonBlocking(windows) => windows.encode(lexemes, &mut self.hint),
        }
    }
}

impl Windows {
    fn encode(&mut self, lexemes: &mut impl Lexemes, hint: &mut Hint) -> Result<Stop, Failure> {
        let mut before = self.filled;
        let mut output = self.encoder.window(&mut self.window[before..]);
        loop {
            let lexeme = match lexemes.next() {
                Ok(lexeme) => lexeme,
                Err(stop) => {
                    self.filled = before + output.written();
                    return Ok(stop);
                }
            };
            if !hint.concerns(lexeme) && output.encode(lexeme) == Encode::Ok {
                continue;
            }
            // Seldom: the window is full, a hint is to be kept or written, or there is trouble.
            let start = lexeme.span.start;
            self.filled = before + output.written();
            if let Err(trouble) = if hint.concerns(lexeme) { hint.put(lexeme, self) } else { self.put(lexeme) } {
                return trouble.at(start);
            }
            before = self.filled;
            output = self.encoder.window(&mut self.window[before..]);
        }
    }

    #[cold]
    fn write_out(&mut self) -> Result<(), Failure> {
        self.sink.write_all(&self.window[..self.filled]).map_err(Failure::Output)?;
        self.filled = 0;
        Ok(())
    }
}

/// Takes one lexeme.
trait Put {
    fn put(&mut self, lexeme: Lexeme<'_>) -> Result<(), Trouble>;
}

impl Put for blocking::Encoder<Sink> {
    #[inline]
    fn put(&mut self, lexeme: Lexeme<'_>) -> Result<(), Trouble> {
        Ok(self.encode(lexeme)?)
    }
}

impl Put for Windows {
    fn put(&mut self, lexeme: Lexeme<'_>) -> Result<(), Trouble> {
        loop {
            let mut output = self.encoder.window(&mut self.window[self.filled..]);
            let outcome = output.encode(lexeme);
            self.filled += output.written();
            match outcome {
                Encode::Ok => return Ok(()),
                Encode::Partial => self.write_out().map_err(Trouble::Failed)?,
                Encode::Error(error) => return Err(Trouble::Refused(error)),
            }
        }
    }
}

impl Hint {
    #[inline]
    fn concerns(&self, lexeme: Lexeme<'_>) -> bool {
        self.held || lexeme.kind == Kind::Hint
    }

    /// Keeps a hint; or writes the one that was kept, and the atom after it.
    #[cold]
    fn put(&mut self, lexeme: Lexeme<'_>, encoder: &mut impl Put) -> Result<(), Trouble> {
        if lexeme.kind == Kind::Hint {
            self.held = true;
            self.bytes.clear();
            self.bytes.extend_from_slice(lexeme.bytes);
            return Ok(());
        }
        self.held = false;
        let hinted = encoder.put(Lexeme::hint(&self.bytes));
        // A hint that cannot be written is no reason to lose the atom.
        encoder.put(lexeme).and(hinted)
    }
}

impl Trouble {
    /// What it is to the run, where it happened to the lexeme that starts there.
    fn at(self, start: u64) -> Result<Stop, Failure> {
        match self {
            Trouble::Refused(why) => Ok(Stop::Refused(start, why)),
            Trouble::Failed(failure) => Err(failure),
        }
    }
}

impl From<blocking::EncodeError> for Trouble {
    fn from(error: blocking::EncodeError) -> Trouble {
        match error {
            blocking::EncodeError::Io(error) => Trouble::Failed(Failure::Output(error)),
            blocking::EncodeError::Refused(error) => Trouble::Refused(error),
            error => Trouble::Failed(Failure::Output(io::Error::other(error))),
        }
    }
}

impl Lexemes for Documents {
    #[inline]
    fn next(&mut self) -> Result<Lexeme<'_>, Stop> {
        Documents::next(self).ok_or(Stop::End)
    }
}

impl Work for Recode {
    fn take(&mut self, lexemes: &mut impl Decoded) -> Result<Stop, Failure> {
        self.encode(lexemes)
    }

    fn malformed(&mut self, _: &Error) -> Result<(), Failure> {
        self.hint.held = false;
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Failure> {
        match &mut self.encoder {
            Encoder::Blocking(encoder) => match encoder.flush() {
                Err(blocking::EncodeError::Io(error)) => Err(Failure::Output(error)),
                _ => Ok(()),
            },
            Encoder::NonBlocking(windows) => {
                windows.write_out()?;
                windows.sink.flush().map_err(Failure::Output)
            }
        }
    }

    fn end(&mut self, _: Position) -> Result<(), Failure> {
        Ok(())
    }

    /// The encoder is not asked whether the data are whole: where a list is still open, that has been reported.
    fn finish(&mut self) -> Result<(), Failure> {
        self.flush()?;
        self.sink().finish()
    }
}
