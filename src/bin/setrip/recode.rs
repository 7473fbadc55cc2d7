//! Writes lexemes: those of the input, converted if need be, or random ones.

use crate::direct::{Async, block_on};
use crate::drive::{Decoded, Lexemes, Stop, Take, Work};
use crate::failure::Failure;
use crate::output::Sink;
use crate::random::Documents;
use crate::rounds::Codec;
use crate::way::{Put, Trouble, Way};
use sexp_codec::async_futures;
use sexp_codec::nonblocking::{self, Decode, Encode};
use sexp_codec::{Converter, EncodeOptions, Error, Lexeme, Position, blocking};
use std::io::Write;

/// Encodes lexemes, with one of the encoders.
pub struct Recode<W: Write + Unpin> {
    encoder: Encoder<W>,
    way: Way,
}

enum Encoder<W: Write + Unpin> {
    Blocking(blocking::Encoder<W>),
    NonBlocking(Windows<W>),
    Direct(async_futures::Encoder<Async<W>>),
}

/// The non-blocking encoder, and the window that it is given again and again.
struct Windows<W> {
    encoder: nonblocking::Encoder,
    window: Vec<u8>,
    filled: usize,
    sink: W,
    /// How many times the window was full.
    partials: u64,
    /// The last byte that was written out.
    last: u8,
}

impl<W: Write + Unpin> Recode<W> {
    /// Converts, encodes, and writes `window` bytes at a time.
    pub fn new(codec: Codec, converter: Converter, options: EncodeOptions, window: usize, sink: W) -> Self {
        let syntax = converter.to();
        let encoder = match codec {
            Codec::Blocking => Encoder::Blocking(blocking::Encoder::with_capacity(sink, window, syntax, options)),
            Codec::NonBlocking => {
                let encoder = nonblocking::Encoder::with_options(syntax, options);
                Encoder::NonBlocking(Windows { encoder, window: vec![0; window], filled: 0, sink, partials: 0, last: b'\n' })
            }
            Codec::Direct => Encoder::Direct(async_futures::Encoder::with_capacity(Async(sink), window, syntax, options)),
        };
        Recode { encoder, way: Way::new(converter) }
    }

    /// Where the bytes go.
    pub fn sink(&mut self) -> &mut W {
        match &mut self.encoder {
            Encoder::Blocking(encoder) => encoder.get_mut(),
            Encoder::NonBlocking(windows) => &mut windows.sink,
            Encoder::Direct(encoder) => &mut encoder.get_mut().0,
        }
    }

    /// How many times the client was asked for another window.
    pub fn partials(&self) -> u64 {
        match &self.encoder {
            Encoder::Blocking(_) | Encoder::Direct(_) => 0,
            Encoder::NonBlocking(windows) => windows.partials,
        }
    }

    /// Writes out everything so far.
    pub fn flush(&mut self) -> Result<(), Failure> {
        match &mut self.encoder {
            Encoder::Blocking(encoder) => flushed(encoder.flush()),
            Encoder::Direct(encoder) => flushed(block_on(encoder.flush()).map_err(Failure::Output)?),
            Encoder::NonBlocking(windows) => {
                windows.write_out()?;
                windows.sink.flush().map_err(Failure::Output)
            }
        }
    }

    /// Writes what the layout holds back, where the data stop inside a form.
    fn release(&mut self) -> Result<(), Failure> {
        match &mut self.encoder {
            Encoder::Blocking(encoder) => flushed(encoder.release()),
            Encoder::Direct(encoder) => flushed(block_on(encoder.release()).map_err(Failure::Output)?),
            Encoder::NonBlocking(windows) => {
                while !windows.release() {
                    windows.write_out()?;
                }
                Ok(())
            }
        }
    }

    /// Writes lexemes until something else comes, or one that cannot be written.
    pub fn encode(&mut self, lexemes: &mut impl Lexemes) -> Result<Stop, Failure> {
        match &mut self.encoder {
            Encoder::Blocking(encoder) => encode_each(encoder, lexemes, &mut self.way),
            Encoder::Direct(encoder) => encode_each(encoder, lexemes, &mut self.way),
            Encoder::NonBlocking(windows) => windows.encode(lexemes, &mut self.way),
        }
    }
}

fn flushed(outcome: Result<(), blocking::EncodeError>) -> Result<(), Failure> {
    match outcome {
        Err(blocking::EncodeError::Io(error)) => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

#[inline]
fn encode_each(encoder: &mut impl Put, lexemes: &mut impl Lexemes, way: &mut Way) -> Result<Stop, Failure> {
    loop {
        let lexeme = match lexemes.next() {
            Ok(lexeme) => lexeme,
            Err(stop) => return Ok(stop),
        };
        let start = lexeme.span.start;
        // What stops it is large, and is not to be moved for each lexeme.
        if way.is_straight(lexeme) {
            if let Err(trouble) = encoder.put(lexeme) {
                return trouble.at(start);
            }
        } else if let Some(stop) = way.put(lexeme, encoder)? {
            return Ok(stop);
        }
    }
}

impl<W: Write> Windows<W> {
    fn encode(&mut self, lexemes: &mut impl Lexemes, way: &mut Way) -> Result<Stop, Failure> {
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
            let straight = way.is_straight(lexeme);
            if straight && output.encode(lexeme) == Encode::Ok {
                continue;
            }
            // Seldom: the window is full, the lexeme is to be converted, a hint is to be kept or written, or there is trouble.
            let start = lexeme.span.start;
            self.filled = before + output.written();
            if !straight {
                if let Some(stop) = way.put(lexeme, self)? {
                    return Ok(stop);
                }
            } else if let Err(trouble) = self.put(lexeme) {
                return trouble.at(start);
            }
            before = self.filled;
            output = self.encoder.window(&mut self.window[before..]);
        }
    }

    /// Writes to the window what the layout holds back; whether that is all of it.
    fn release(&mut self) -> bool {
        let mut output = self.encoder.window(&mut self.window[self.filled..]);
        let all = output.release() == Encode::Ok;
        self.filled += output.written();
        all
    }

    #[cold]
    fn write_out(&mut self) -> Result<(), Failure> {
        self.sink.write_all(&self.window[..self.filled]).map_err(Failure::Output)?;
        self.last = self.window[..self.filled].last().copied().unwrap_or(self.last);
        self.filled = 0;
        Ok(())
    }

    /// Begins anew, on a new line if the syntax has lines: what was left open stays so, and what follows is no part of it.
    fn restart(&mut self) -> Result<(), Failure> {
        self.write_out()?;
        let has_lines = matches!(nonblocking::Decoder::new(self.encoder.syntax()).feed(b"\n").decode(), Decode::Await);
        if has_lines && self.last != b'\n' {
            self.sink.write_all(b"\n").map_err(Failure::Output)?;
        }
        self.encoder.reset();
        Ok(())
    }
}

impl<W: Write + Unpin> Put for async_futures::Encoder<Async<W>> {
    #[inline]
    fn put(&mut self, lexeme: Lexeme<'_>) -> Result<(), Trouble> {
        Ok(block_on(self.encode(lexeme)).map_err(blocking::EncodeError::Io)??)
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

impl Lexemes for Documents {
    #[inline]
    fn next(&mut self) -> Result<Lexeme<'_>, Stop> {
        Documents::next(self).ok_or(Stop::End)
    }
}

impl<W: Write + Unpin> Take for Recode<W> {
    fn take(&mut self, lexemes: &mut impl Decoded) -> Result<Stop, Failure> {
        self.encode(lexemes)
    }
}

impl Work for Recode<Sink> {
    fn malformed(&mut self, _: &Error) -> Result<(), Failure> {
        self.way.after_error();
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Failure> {
        Recode::flush(self)
    }

    fn end(&mut self, _: Position) -> Result<(), Failure> {
        Ok(())
    }

    fn restart(&mut self) -> Result<(), Failure> {
        self.release()?;
        self.way.restart();
        if let Encoder::NonBlocking(windows) = &mut self.encoder {
            windows.restart()?;
        }
        self.flush()
    }

    /// The encoder is not asked whether the data are whole: where a list is still open, that has been reported.
    fn finish(&mut self) -> Result<(), Failure> {
        self.release()?;
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
