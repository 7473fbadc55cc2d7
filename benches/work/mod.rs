//! The work that is measured, by the clock and by counting instructions.

#![allow(dead_code, reason = "each program measures a part of it")]

pub mod document;

use document::Document;
use sexp_codec::nonblocking::{Compact, Decode, Decoder, Encode, Encoder, Output};
use sexp_codec::{Kind, Lexeme, blocking};
use std::hint::black_box;
use std::io;

const CHUNK: usize = 64 * 1024;

/// What is done with a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Decode, non-blocking, from chunks of that size, lexeme by lexeme.
    Pull(usize),
    /// Decode, non-blocking, lexeme by lexeme, and ask for the depth after each.
    Depth,
    /// Decode, non-blocking, internal iteration.
    ForEach,
    /// Decode, non-blocking, many compact lexemes at once.
    Bulk,
    /// Decode, blocking, from a reader.
    Blocking,
    /// Decode, blocking, from memory.
    Memory,
    /// Encode, non-blocking.
    Encode,
    /// Encode, blocking.
    EncodeBlocking,
    /// Decode and encode, non-blocking.
    Recode,
    /// Decode and encode, blocking.
    RecodeBlocking,
}

impl Work {
    pub const ALL: [(&str, Work); 13] = [
        ("decode", Work::Pull(CHUNK)),
        ("decode-4096", Work::Pull(4096)),
        ("decode-16", Work::Pull(16)),
        ("decode-1", Work::Pull(1)),
        ("decode-depth", Work::Depth),
        ("for_each", Work::ForEach),
        ("bulk", Work::Bulk),
        ("decode-blocking", Work::Blocking),
        ("decode-memory", Work::Memory),
        ("encode", Work::Encode),
        ("encode-blocking", Work::EncodeBlocking),
        ("recode", Work::Recode),
        ("recode-blocking", Work::RecodeBlocking),
    ];

    /// Does it, and counts.
    pub fn run(self, document: &Document) -> Count {
        match self {
            Work::Pull(size) => pull(document, size),
            Work::Depth => depth(document),
            Work::ForEach => for_each(document),
            Work::Bulk => bulk(document),
            Work::Blocking => decode_blocking(blocking::Decoder::from_read(&document.text[..], document.syntax)),
            Work::Memory => decode_blocking(blocking::Decoder::new(&document.text[..], document.syntax)),
            Work::Encode => encode(document),
            Work::EncodeBlocking => encode_blocking(document),
            Work::Recode => recode(document),
            Work::RecodeBlocking => recode_blocking(document),
        }
    }

    /// What it has to count.
    pub fn expected(self, document: &Document) -> Count {
        match self {
            Work::Encode | Work::EncodeBlocking | Work::Recode | Work::RecodeBlocking => {
                Count { bytes: document.written as u64, ..Count::default() }
            }
            _ => document.count,
        }
    }
}

/// A sum over all lexemes, so that none of the work is left out; or of the bytes that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    pub lexemes: u64,
    pub lists: u64,
    pub bytes: u64,
}

impl Count {
    /// Without a branch: which kind comes next cannot be foretold.
    #[inline(always)]
    fn add(&mut self, kind: Kind, length: usize) {
        self.lexemes += 1;
        self.lists += u64::from(kind == Kind::Open);
        self.bytes += length as u64;
    }
}

fn pull(document: &Document, size: usize) -> Count {
    let mut decoder = Decoder::new(document.syntax);
    let mut count = Count::default();
    for chunk in document.text.chunks(size) {
        let mut input = decoder.feed(chunk);
        while let Decode::Lexeme(lexeme) = input.decode() {
            count.add(lexeme.kind, lexeme.bytes.len());
        }
    }
    while let Decode::Lexeme(lexeme) = decoder.finish().decode() {
        count.add(lexeme.kind, lexeme.bytes.len());
    }
    count
}

fn depth(document: &Document) -> Count {
    let mut decoder = Decoder::new(document.syntax);
    let mut count = Count::default();
    for chunk in document.text.chunks(CHUNK) {
        let mut input = decoder.feed(chunk);
        while let Decode::Lexeme(lexeme) = input.decode() {
            count.add(lexeme.kind, lexeme.bytes.len());
            black_box(input.depth());
        }
    }
    while let Decode::Lexeme(lexeme) = decoder.finish().decode() {
        count.add(lexeme.kind, lexeme.bytes.len());
    }
    count
}

fn for_each(document: &Document) -> Count {
    let mut decoder = Decoder::new(document.syntax);
    let mut count = Count::default();
    for chunk in document.text.chunks(CHUNK) {
        _ = black_box(decoder.feed(chunk).for_each(|lexeme| count.add(lexeme.kind, lexeme.bytes.len())));
    }
    _ = black_box(decoder.finish().for_each(|lexeme| count.add(lexeme.kind, lexeme.bytes.len())));
    count
}

fn bulk(document: &Document) -> Count {
    let mut decoder = Decoder::new(document.syntax);
    let mut count = Count::default();
    let mut lexemes = [Compact::default(); 512];
    for chunk in document.text.chunks(CHUNK) {
        let mut input = decoder.feed(chunk);
        loop {
            let found = input.bulk(&mut lexemes);
            for lexeme in &lexemes[..found] {
                count.add(lexeme.kind(), lexeme.value().len());
            }
            if found == 0 {
                match input.decode() {
                    Decode::Lexeme(lexeme) => count.add(lexeme.kind, lexeme.bytes.len()),
                    _ => break,
                }
            }
        }
    }
    while let Decode::Lexeme(lexeme) = decoder.finish().decode() {
        count.add(lexeme.kind, lexeme.bytes.len());
    }
    count
}

#[inline(always)]
fn decode_blocking(mut decoder: blocking::Decoder<impl io::BufRead>) -> Count {
    let mut count = Count::default();
    while let Ok(Some(lexeme)) = decoder.decode() {
        count.add(lexeme.kind, lexeme.bytes.len());
    }
    count
}

fn encode(document: &Document) -> Count {
    let mut encoder = Encoder::new(document.syntax);
    let mut window = vec![0; CHUNK];
    let mut bytes = 0;
    let mut output = encoder.window(&mut window);
    for lexeme in document.lexemes() {
        while !put(&mut output, lexeme) {
            bytes += black_box(output.bytes()).len();
            output = encoder.window(&mut window);
        }
    }
    bytes += black_box(output.bytes()).len();
    Count { bytes: bytes as u64, ..Count::default() }
}

/// Whether there was room for it.
#[inline(always)]
fn put(output: &mut Output<'_>, lexeme: Lexeme<'_>) -> bool {
    match output.encode(lexeme) {
        Encode::Ok => true,
        Encode::Partial => false,
        Encode::Error(error) => panic!("{error}"),
    }
}

fn encode_blocking(document: &Document) -> Count {
    let mut encoder = blocking::Encoder::new(Total(0), document.syntax);
    for lexeme in document.lexemes() {
        encoder.encode(lexeme).expect("the document can be written");
    }
    encoder.finish().expect("the document is whole");
    Count { bytes: encoder.into_inner().0, ..Count::default() }
}

fn recode(document: &Document) -> Count {
    let mut decoder = Decoder::new(document.syntax);
    let mut encoder = Encoder::new(document.syntax);
    let mut window = vec![0; CHUNK];
    let mut bytes = 0;
    let mut output = encoder.window(&mut window);
    for chunk in document.text.chunks(CHUNK) {
        let mut input = decoder.feed(chunk);
        while let Decode::Lexeme(lexeme) = input.decode() {
            while !put(&mut output, lexeme) {
                bytes += black_box(output.bytes()).len();
                output = encoder.window(&mut window);
            }
        }
    }
    while let Decode::Lexeme(lexeme) = decoder.finish().decode() {
        while !put(&mut output, lexeme) {
            bytes += black_box(output.bytes()).len();
            output = encoder.window(&mut window);
        }
    }
    bytes += black_box(output.bytes()).len();
    Count { bytes: bytes as u64, ..Count::default() }
}

fn recode_blocking(document: &Document) -> Count {
    let mut decoder = blocking::Decoder::from_read(&document.text[..], document.syntax);
    let mut encoder = blocking::Encoder::new(Total(0), document.syntax);
    while let Ok(Some(lexeme)) = decoder.decode() {
        encoder.encode(lexeme).expect("what was read can be written");
    }
    encoder.finish().expect("the document is whole");
    Count { bytes: encoder.into_inner().0, ..Count::default() }
}

/// A sink that only counts.
struct Total(u64);

impl io::Write for Total {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += black_box(bytes).len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
