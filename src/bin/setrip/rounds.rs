//! The same work in memory, by the one codec or the other: what is compared and profiled.

use crate::direct::Direct;
use crate::drive::{Decoded, Lexemes, Stop, Take};
use crate::failure::Failure;
use crate::recode::Recode;
use sexp_codec::{Converter, EncodeOptions, Lexeme, Options, Syntax, blocking, nonblocking};
use std::hint::black_box;
use std::io::{self, BufReader, Read, Write};

/// The work: an input, and how it is to be read and written.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    pub input: &'a [u8],
    pub from: &'static Syntax,
    pub options: Options,
    pub to: &'static Syntax,
    /// Whether strings and other atoms may become one.
    pub merge: bool,
    pub encode_options: EncodeOptions,
    /// How many bytes are read and written at a time.
    pub buffer: usize,
    /// How many times the input comes, one after the other.
    pub passes: u32,
}

/// Who does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    Blocking,
    NonBlocking,
    /// The async one, in direct style.
    Direct,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub lexemes: u64,
    /// Faults of the input.
    pub errors: u64,
    /// Lexemes that could not be encoded.
    pub refused: u64,
    /// Calls to read and to write.
    pub reads: u64,
    pub writes: u64,
    /// How many times the client was asked for a chunk, or for a window.
    pub awaits: u64,
    pub partials: u64,
    /// Bytes written.
    pub written: u64,
}

/// Input in memory, read as from a file: copied, and so many bytes at a time as the caller asks for.
pub struct Memory<'a> {
    rest: &'a [u8],
    input: &'a [u8],
    /// How many times the input comes again.
    more: u32,
    pub reads: u64,
}

/// Output to nowhere, counted.
#[derive(Default)]
pub struct Nowhere {
    pub writes: u64,
    pub bytes: u64,
}

impl Job<'_> {
    /// Has the lexemes of the input taken.
    #[inline]
    pub fn run(&self, codec: Codec, work: &mut impl Take) -> Tally {
        let mut tally = Tally::default();
        match codec {
            Codec::Blocking => {
                let mut decoder = self.blocking_decoder();
                while tally.goes_on(work.take(&mut decoder)) != Next::Over {}
                tally.reads = decoder.get_ref().get_ref().reads;
            }
            Codec::Direct => {
                let reader = BufReader::with_capacity(self.buffer, self.memory());
                let mut decoder = Direct::new(reader, self.from, self.options);
                while tally.goes_on(work.take(&mut decoder)) != Next::Over {}
                tally.reads = decoder.get_ref().get_ref().reads;
            }
            Codec::NonBlocking => {
                let mut decoder = nonblocking::Decoder::with_options(self.from, self.options);
                let mut chunk = vec![0; self.buffer];
                let mut memory = self.memory();
                'input: loop {
                    let n = memory.fill(&mut chunk);
                    let mut input = if n == 0 { decoder.finish() } else { decoder.feed(&chunk[..n]) };
                    loop {
                        match tally.goes_on(work.take(&mut input)) {
                            Next::Lexemes => {}
                            Next::Chunk => break,
                            Next::Over => break 'input,
                        }
                    }
                }
                tally.reads = memory.reads;
            }
        }
        tally
    }

    /// Decodes and looks at each lexeme.
    #[inline(never)]
    pub fn decode(&self, codec: Codec) -> Tally {
        let mut look = Look::default();
        let mut tally = self.run(codec, &mut look);
        tally.lexemes = look.lexemes;
        black_box(look.sum);
        tally
    }

    /// Decodes, and encodes each lexeme.
    #[inline(never)]
    pub fn recode(&self, codec: Codec) -> Tally {
        let mut encoder = self.encoder(codec, Nowhere::default());
        let mut tally = self.run(codec, &mut encoder);
        tally.add(encoder);
        tally
    }

    /// The same work on the input twice.
    pub fn twice(&self) -> Self {
        Job { passes: 2, ..*self }
    }

    pub fn memory(&self) -> Memory<'_> {
        Memory { rest: self.input, input: self.input, more: self.passes - 1, reads: 0 }
    }

    pub fn blocking_decoder(&self) -> blocking::Decoder<BufReader<Memory<'_>>> {
        blocking::Decoder::from_read_with(self.memory(), self.buffer, self.from, self.options)
    }

    /// An encoder that writes there.
    pub fn encoder<W: Write + Unpin>(&self, codec: Codec, sink: W) -> Recode<W> {
        let converter = Converter::new(self.from, self.to).merge_atoms(self.merge);
        Recode::new(codec, converter, self.encode_options, self.buffer, sink)
    }
}

/// What comes after something that was no lexeme.
#[derive(PartialEq, Eq)]
enum Next {
    Lexemes,
    Chunk,
    Over,
}

impl Tally {
    fn goes_on(&mut self, stop: Result<Stop, Failure>) -> Next {
        match stop {
            Ok(Stop::End) => return Next::Over,
            Ok(Stop::Await) => {
                self.awaits += 1;
                return Next::Chunk;
            }
            Ok(Stop::Malformed(_)) => self.errors += 1,
            Ok(Stop::Refused(..)) => self.refused += 1,
            Ok(Stop::Piece { .. }) => {}
            Ok(Stop::Failed(_)) | Err(_) => unreachable!("memory does not fail"),
        }
        Next::Lexemes
    }

    /// Adds what the encoder did, after it has written out the rest.
    pub fn add(&mut self, mut encoder: Recode<Nowhere>) {
        encoder.flush().expect("memory does not fail");
        self.partials = encoder.partials();
        self.writes = encoder.sink().writes;
        self.written = encoder.sink().bytes;
    }
}

/// Looks at each lexeme, so that none can be left out.
#[derive(Default)]
struct Look {
    lexemes: u64,
    sum: u64,
}

impl Take for Look {
    #[inline]
    fn take(&mut self, lexemes: &mut impl Decoded) -> Result<Stop, Failure> {
        loop {
            match lexemes.next() {
                Ok(lexeme) => {
                    self.lexemes += 1;
                    self.sum += lexeme.kind as u64 + lexeme.bytes.len() as u64;
                }
                Err(stop) => return Ok(stop),
            }
        }
    }
}

/// Shows each lexeme to a function.
pub struct Each<F>(pub F);

impl<F: FnMut(Lexeme<'_>)> Take for Each<F> {
    #[inline]
    fn take(&mut self, lexemes: &mut impl Decoded) -> Result<Stop, Failure> {
        Ok(lexemes.for_each(&mut self.0))
    }
}

/// One lexeme.
pub struct Once<'a>(pub Option<Lexeme<'a>>);

impl Lexemes for Once<'_> {
    fn next(&mut self) -> Result<Lexeme<'_>, Stop> {
        self.0.take().ok_or(Stop::End)
    }
}

impl Memory<'_> {
    /// Reads as much as there is room for.
    pub fn fill(&mut self, chunk: &mut [u8]) -> usize {
        if self.rest.is_empty() && self.more > 0 {
            self.more -= 1;
            self.rest = self.input;
        }
        let n = chunk.len().min(self.rest.len());
        chunk[..n].copy_from_slice(&self.rest[..n]);
        self.rest = &self.rest[n..];
        self.reads += 1;
        n
    }
}

impl Read for Memory<'_> {
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        Ok(self.fill(chunk))
    }
}

impl Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        black_box(bytes);
        self.writes += 1;
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
