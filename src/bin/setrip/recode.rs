//! Writes lexemes: those of the input, or random ones.

use crate::drive::{Decoded, Lexemes, Stop, Take, Work};
use crate::failure::Failure;
use crate::output::Sink;
use crate::random::Documents;
use crate::rounds::Codec;
use sexp_codec::nonblocking::{self, Encode};
use sexp_codec::{EncodeError, EncodeOptions, Error, Kind, Lexeme, Position, Syntax, blocking};
use std::io::{self, Write};

/// Encodes lexemes, with the one or the other encoder.
pub struct Recode<W: Write> {
    encoder: Encoder<W>,
    hint: Hint,
}

enum Encoder<W: Write> {
    Blocking(blocking::Encoder<W>),
    NonBlocking(Windows<W>),
}

/// The non-blocking encoder, and the window that it is given again and again.
struct Windows<W> {
    encoder: nonblocking::Encoder,
    window: Vec<u8>,
    filled: usize,
    sink: W,
    /// How many times the window was full.
    partials: u64,
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

impl<W: Write> Recode<W> {
    /// Encodes in that syntax, and writes `window` bytes at a time.
    pub fn new(codec: Codec, syntax: &'static Syntax, options: EncodeOptions, window: usize, sink: W) -> Self {
        let encoder = match codec {
            Codec::Blocking => Encoder::Blocking(blocking::Encoder::with_capacity(sink, window, syntax, options)),
            Codec::NonBlocking => {
                let encoder = nonblocking::Encoder::with_options(syntax, options);
                Encoder::NonBlocking(Windows { encoder, window: vec![0; window], filled: 0, sink, partials: 0 })
            }
        };
        Recode { encoder, hint: Hint::default() }
    }

    /// Where the bytes go.
    pub fn sink(&mut self) -> &mut W {
        match &mut self.encoder {
            Encoder::Blocking(encoder) => encoder.get_mut(),
            Encoder::NonBlocking(windows) => &mut windows.sink,
        }
    }

    /// How many times the client was asked for another window.
    pub fn partials(&self) -> u64 {
        match &self.encoder {
            Encoder::Blocking(_) => 0,
            Encoder::NonBlocking(windows) => windows.partials,
        }
    }

    /// Writes out everything so far.
    pub fn flush(&mut self) -> Result<(), Failure> {
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

    /// Writes lexemes until something else comes, or one that cannot be written.
    pub fn encode(&mut self, lexemes: &mut impl Lexemes) -> Result<Stop, Failure> {
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

impl<W: Write> Windows<W> {
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

impl<W: Write> Put for blocking::Encoder<W> {
    #[inline]
    fn put(&mut self, lexeme: Lexeme<'_>) -> Result<(), Trouble> {
        Ok(self.encode(lexeme)?)
    }
}

impl<W: Write> Put for Windows<W> {
    fn put(&mut self, lexeme: Lexeme<'_>) -> Result<(), Trouble> {
        loop {
            let mut output = self.encoder.window(&mut self.window[self.filled..]);
            let outcome = output.encode(lexeme);
            self.filled += output.written();
            match outcome {
                Encode::Ok => return Ok(()),
                Encode::Partial => {
                    self.partials += 1;
                    self.write_out().map_err(Trouble::Failed)?;
                }
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

impl<W: Write> Take for Recode<W> {
    fn take(&mut self, lexemes: &mut impl Decoded) -> Result<Stop, Failure> {
        self.encode(lexemes)
    }
}

impl Work for Recode<Sink> {
    fn malformed(&mut self, _: &Error) -> Result<(), Failure> {
        self.hint.held = false;
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Failure> {
        Recode::flush(self)
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

impl Recode<Sink> {
    /// Writes random documents: one, or until `size` bytes are written.
    pub fn documents(&mut self, mut documents: Documents, size: u64, window: usize) -> Result<(), Failure> {
        loop {
            documents.start();
            match self.encode(&mut documents)? {
                Stop::Refused(_, why) => return Err(Failure::Data(why)),
                _ if self.has_written(size, window)? => return self.finish(),
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
}
