//! The ways of driving the decoder: it is fed, or reads by itself, and then it may block or be awaited.

use crate::direct::Direct;
use crate::failure::Failure;
use crate::follow::{Follow, Piece};
use crate::input::{Source, Watch};
use crate::report::Report;
use crate::way::Refusal;
use sexp_codec::blocking::{self, Item};
use sexp_codec::nonblocking::{self, Decode, Input};
use sexp_codec::{Error, Lexeme, Options, Position, Syntax};
use std::io::{self, BufRead};

/// What comes instead of a lexeme.
pub enum Stop {
    /// A piece of a large atom, the last one or not.
    Piece { last: bool },
    /// More input is needed.
    Await,
    /// There is no more.
    End,
    /// The input is malformed.
    Malformed(Error),
    /// The lexeme that starts there cannot be encoded.
    Refused(u64, Refusal),
    /// It cannot be read.
    Failed(Failure),
}

/// Lexemes, one after the other.
pub trait Lexemes {
    fn next(&mut self) -> Result<Lexeme<'_>, Stop>;

    /// Hands all lexemes to `each`, up to the first thing that is none.
    fn for_each(&mut self, mut each: impl FnMut(Lexeme<'_>)) -> Stop {
        loop {
            match self.next() {
                Ok(lexeme) => each(lexeme),
                Err(stop) => return stop,
            }
        }
    }
}

/// Lexemes that were read somewhere.
pub trait Decoded: Lexemes {
    /// Line and column of the last lexeme's start.
    fn location(&mut self, offset: u64) -> Result<Position, Failure>;
    /// How many bytes are consumed.
    fn position(&self) -> u64;
}

/// A decoder that reads by itself.
trait Pulled: Decoded {
    /// Line and column of the end of the input, which has been reached.
    fn end(&mut self) -> Result<Position, Failure>;
    /// What is kept for those who look on.
    fn watch(&self) -> &Watch;
}

/// Takes lexemes.
pub trait Take {
    /// Takes lexemes until something else comes.
    fn take(&mut self, lexemes: &mut impl Decoded) -> Result<Stop, Failure>;
}

/// What is done with the input.
pub trait Work: Take {
    /// Something is wrong between the lexemes taken before and those to come.
    fn malformed(&mut self, error: &Error) -> Result<(), Failure>;
    /// Writes out everything so far.
    fn flush(&mut self) -> Result<(), Failure>;
    /// The input ends there.
    fn end(&mut self, at: Position) -> Result<(), Failure>;
    /// What comes next belongs to another input.
    fn restart(&mut self) -> Result<(), Failure> {
        self.flush()
    }
    /// Nothing more comes, be it that the input ended or that the run did: writes out everything.
    fn finish(&mut self) -> Result<(), Failure>;
}

impl Lexemes for Input<'_, '_> {
    #[inline(always)]
    fn next(&mut self) -> Result<Lexeme<'_>, Stop> {
        match self.decode() {
            Decode::Lexeme(lexeme) => Ok(lexeme),
            other => Err(stop(other)),
        }
    }

    fn for_each(&mut self, each: impl FnMut(Lexeme<'_>)) -> Stop {
        stop(Input::for_each(self, each))
    }
}

fn stop(decode: Decode<'_>) -> Stop {
    match decode {
        Decode::Await => Stop::Await,
        Decode::End => Stop::End,
        Decode::Error(error) => Stop::Malformed(error),
        Decode::Fragment(piece) => Stop::Piece { last: piece.last },
        Decode::Lexeme(_) => unreachable!("a lexeme stops nothing"),
    }
}

impl Decoded for Input<'_, '_> {
    fn location(&mut self, offset: u64) -> Result<Position, Failure> {
        Ok(Input::location(self, offset))
    }

    fn position(&self) -> u64 {
        Input::position(self)
    }
}

impl<R: BufRead> Lexemes for blocking::Decoder<R> {
    #[inline(always)]
    fn next(&mut self) -> Result<Lexeme<'_>, Stop> {
        match blocking::Decoder::next(self) {
            Ok(Item::Lexeme(lexeme)) => Ok(lexeme),
            other => Err(stop_of(other)),
        }
    }
}

/// What it is to the run that a decoder that reads by itself gave.
pub fn stop_of(item: io::Result<Item<'_>>) -> Stop {
    match item {
        Ok(Item::Fragment(piece)) => Stop::Piece { last: piece.last },
        Ok(Item::End) => Stop::End,
        Ok(Item::Error(error)) => Stop::Malformed(error),
        Ok(Item::Lexeme(_)) => unreachable!("a lexeme stops nothing"),
        // The source says so before it waits.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Stop::Await,
        Err(error) => Stop::Failed(Failure::of_input(error)),
    }
}

impl<R: BufRead> Decoded for blocking::Decoder<R> {
    fn location(&mut self, offset: u64) -> Result<Position, Failure> {
        blocking::Decoder::location(self, offset).map_err(Failure::of_input)
    }

    fn position(&self) -> u64 {
        blocking::Decoder::position(self)
    }
}

impl Pulled for blocking::Decoder<&mut Source> {
    fn end(&mut self) -> Result<Position, Failure> {
        let end = self.position();
        Decoded::location(self, end)
    }

    fn watch(&self) -> &Watch {
        self.get_ref().watch()
    }
}

impl Pulled for Direct<&mut Source> {
    fn end(&mut self) -> Result<Position, Failure> {
        let end = self.position();
        self.location(end)
    }

    fn watch(&self) -> &Watch {
        self.get_ref().watch()
    }
}

/// Feeds the decoder chunk by chunk.
pub fn feed(
    source: &mut Source,
    syntax: &'static Syntax,
    options: Options,
    work: &mut impl Work,
    report: &mut Report,
) -> Result<(), Failure> {
    let mut decoder = nonblocking::Decoder::with_options(syntax, options);
    loop {
        let (chunk, watch) = source.chunk(|| work.flush())?;
        let fed = chunk.len();
        let mut input = if chunk.is_empty() { decoder.finish() } else { decoder.feed(chunk) };
        if take_all(&mut input, watch, work, report)? == After::Over {
            return Ok(());
        }
        source.consume(fed);
    }
}

/// Feeds the decoder with a file that grows, until somebody interrupts.
pub fn follow(
    file: &mut Follow,
    syntax: &'static Syntax,
    options: Options,
    work: &mut impl Work,
    report: &mut Report,
) -> Result<(), Failure> {
    let mut decoder = nonblocking::Decoder::with_options(syntax, options);
    loop {
        match file.next(|| work.flush())? {
            Piece::Chunk(chunk, watch) => {
                take_all(&mut decoder.feed(chunk), watch, work, report)?;
            }
            Piece::Restart(watch) => {
                take_all(&mut decoder.finish(), watch, work, report)?;
                decoder.reset();
                work.restart()?;
                file.forget();
            }
            Piece::Over => return Ok(()),
        }
        if report.stops() {
            return Ok(());
        }
    }
}

/// What follows when all lexemes of a chunk were taken.
#[derive(PartialEq, Eq)]
enum After {
    Chunk,
    Over,
}

/// Has all lexemes of a chunk taken, and the faults between them reported.
fn take_all(input: &mut Input<'_, '_>, watch: &Watch, work: &mut impl Work, report: &mut Report) -> Result<After, Failure> {
    loop {
        match work.take(input)? {
            Stop::Await => return Ok(After::Chunk),
            Stop::End => {
                let end = input.position();
                work.end(input.location(end))?;
                return Ok(After::Over);
            }
            Stop::Malformed(error) => {
                work.malformed(&error)?;
                watch.progress.aside(|| report.malformed(&error, &watch.seen));
            }
            Stop::Refused(start, why) => {
                work.flush()?;
                let at = input.location(start);
                watch.progress.aside(|| report.refused(at, &why, &watch.seen));
            }
            Stop::Failed(failure) => return Err(failure),
            Stop::Piece { .. } => {}
        }
        if report.stops() {
            return Ok(After::Over);
        }
    }
}

/// Lets the decoder read, and block.
pub fn pull(
    source: &mut Source,
    syntax: &'static Syntax,
    options: Options,
    work: &mut impl Work,
    report: &mut Report,
) -> Result<(), Failure> {
    pull_from(blocking::Decoder::with_options(source, syntax, options), work, report)
}

/// Lets the decoder read, and awaits it.
pub fn direct(
    source: &mut Source,
    syntax: &'static Syntax,
    options: Options,
    work: &mut impl Work,
    report: &mut Report,
) -> Result<(), Failure> {
    pull_from(Direct::new(source, syntax, options), work, report)
}

fn pull_from(mut decoder: impl Pulled, work: &mut impl Work, report: &mut Report) -> Result<(), Failure> {
    loop {
        match work.take(&mut decoder)? {
            Stop::Await => work.flush()?,
            Stop::End => {
                let end = decoder.end()?;
                return work.end(end);
            }
            Stop::Malformed(error) => {
                work.malformed(&error)?;
                let watch = decoder.watch();
                watch.progress.aside(|| report.malformed(&error, &watch.seen));
            }
            Stop::Refused(start, why) => {
                work.flush()?;
                let at = decoder.location(start)?;
                let watch = decoder.watch();
                watch.progress.aside(|| report.refused(at, &why, &watch.seen));
            }
            Stop::Failed(failure) => return Err(failure),
            Stop::Piece { .. } => {}
        }
        if report.stops() {
            return Ok(());
        }
    }
}

/// Only counts the lexemes: `-dec`.
#[derive(Default)]
pub struct Check {
    lexemes: u64,
}

impl Check {
    /// Atoms above that size come in pieces, so that memory stays bounded.
    pub const WHOLE: usize = 1 << 20;
}

impl Take for Check {
    fn take(&mut self, lexemes: &mut impl Decoded) -> Result<Stop, Failure> {
        loop {
            match lexemes.for_each(|_| self.lexemes += 1) {
                Stop::Piece { last } => self.lexemes += u64::from(last),
                stop => return Ok(stop),
            }
        }
    }
}

impl Work for Check {
    fn malformed(&mut self, _: &Error) -> Result<(), Failure> {
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn end(&mut self, _: Position) -> Result<(), Failure> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Failure> {
        // Nobody asks for the number; the work shall be done all the same.
        std::hint::black_box(self.lexemes);
        Ok(())
    }
}
