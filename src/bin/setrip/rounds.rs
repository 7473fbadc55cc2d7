//! The same work in memory, by the one codec or the other: what is compared and profiled.

use sexp_codec::blocking::{self, Item};
use sexp_codec::nonblocking::{self, Decode, Encode};
use sexp_codec::{EncodeOptions, Lexeme, Options, Syntax};
use std::hint::black_box;
use std::io::{self, BufReader, Read, Write};

/// The work: an input, and how it is to be read and written.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    pub input: &'a [u8],
    pub from: &'static Syntax,
    pub options: Options,
    pub to: &'static Syntax,
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
    /// Decodes, and shows each lexeme.
    #[inline]
    pub fn decode(&self, codec: Codec, mut each: impl FnMut(Lexeme<'_>)) -> Tally {
        let mut tally = Tally::default();
        match codec {
            Codec::Blocking => {
                let mut decoder = self.blocking_decoder();
                loop {
                    match decoder.next() {
                        Ok(Item::Lexeme(lexeme)) => {
                            tally.lexemes += 1;
                            each(lexeme);
                        }
                        Ok(Item::Error(_)) => tally.errors += 1,
                        Ok(Item::End) => break,
                        Ok(Item::Fragment(_)) | Err(_) => unreachable!("memory does not fail, and fragments were not asked for"),
                    }
                }
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
                        match input.decode() {
                            Decode::Lexeme(lexeme) => {
                                tally.lexemes += 1;
                                each(lexeme);
                            }
                            Decode::Await => break,
                            Decode::Error(_) => tally.errors += 1,
                            Decode::End => break 'input,
                            Decode::Fragment(_) => unreachable!("fragments were not asked for"),
                        }
                    }
                    tally.awaits += 1;
                }
                tally.reads = memory.reads;
            }
        }
        tally
    }

    /// Decodes and looks at each lexeme.
    #[inline(never)]
    pub fn decode_only(&self, codec: Codec) -> Tally {
        let mut sum = 0;
        let tally = self.decode(codec, |lexeme| sum += lexeme.kind as u64 + lexeme.bytes.len() as u64);
        black_box(sum);
        tally
    }

    /// Decodes, and encodes each lexeme.
    #[inline(never)]
    pub fn recode(&self, codec: Codec) -> Tally {
        let mut encoder = self.encoder(codec);
        let mut tally = self.decode(codec, |lexeme| encoder.put(lexeme));
        encoder.finish(&mut tally);
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

    pub fn encoder(&self, codec: Codec) -> Encoder<Nowhere> {
        self.encoder_to(codec, Nowhere::default())
    }

    /// An encoder that writes there.
    pub fn encoder_to<W: Write>(&self, codec: Codec, sink: W) -> Encoder<W> {
        let encode = match codec {
            Codec::Blocking => With::Blocking(blocking::Encoder::with_capacity(sink, self.buffer, self.to, self.encode_options)),
            Codec::NonBlocking => With::NonBlocking {
                encoder: nonblocking::Encoder::with_options(self.to, self.encode_options),
                window: vec![0; self.buffer],
                filled: 0,
                sink,
            },
        };
        Encoder { encode, refused: 0, partials: 0 }
    }
}

/// The one encoder or the other.
pub struct Encoder<W: Write> {
    encode: With<W>,
    refused: u64,
    partials: u64,
}

enum With<W: Write> {
    Blocking(blocking::Encoder<W>),
    NonBlocking { encoder: nonblocking::Encoder, window: Vec<u8>, filled: usize, sink: W },
}

impl<W: Write> Encoder<W> {
    /// Encodes a lexeme. Sinks in memory do not fail.
    #[inline]
    pub fn put(&mut self, lexeme: Lexeme<'_>) {
        match &mut self.encode {
            With::Blocking(encoder) => {
                if encoder.encode(lexeme).is_err() {
                    self.refused += 1;
                }
            }
            With::NonBlocking { encoder, window, filled, sink } => loop {
                let mut output = encoder.window(&mut window[*filled..]);
                let outcome = output.encode(lexeme);
                *filled += output.written();
                match outcome {
                    Encode::Ok => break,
                    Encode::Partial => {
                        let _ = sink.write_all(&window[..*filled]);
                        *filled = 0;
                        self.partials += 1;
                    }
                    Encode::Error(_) => {
                        self.refused += 1;
                        break;
                    }
                }
            },
        }
    }

    /// Writes out what is in the window.
    pub fn flush(&mut self) {
        match &mut self.encode {
            With::Blocking(encoder) => drop(encoder.flush()),
            With::NonBlocking { window, filled, sink, .. } => {
                let _ = sink.write_all(&window[..*filled]);
                *filled = 0;
            }
        }
    }

    pub fn sink(&mut self) -> &mut W {
        match &mut self.encode {
            With::Blocking(encoder) => encoder.get_mut(),
            With::NonBlocking { sink, .. } => sink,
        }
    }

    pub fn refused(&self) -> u64 {
        self.refused
    }
}

impl Encoder<Nowhere> {
    /// Writes out the rest, and adds up.
    pub fn finish(&mut self, tally: &mut Tally) {
        self.flush();
        tally.refused = self.refused;
        tally.partials = self.partials;
        tally.writes = self.sink().writes;
        tally.written = self.sink().bytes;
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
