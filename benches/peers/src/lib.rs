//! This crate beside other readers and writers: the same document, the same run, the same clock.
//!
//! Each [`Run`] reads or writes a whole [`Document`] and says how long it took and what it saw. How to start them, and how to read the
//! table, is told in `README.md`.

mod document;
mod json;
mod lexers;
mod ours;
// The tool makes the same documents.
#[path = "../../../src/bin/setrip/random.rs"]
mod random;
mod sfsexp;
mod trees;
mod writers;

use cpu_time::ThreadTime;
pub use document::{Document, Lexemes};
use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

/// The bytes that are handed to a push parser at once.
pub const CHUNK: usize = 64 * 1024;

/// What is done to a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// S-expressions are read.
    Read,
    /// The same data is read as JSON.
    ReadJson,
    /// The data is written.
    Write,
}

/// One reader or writer, driven in one way.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// What it does.
    pub job: Job,
    /// Whose code it is, and how it is driven.
    pub name: &'static str,
    /// Does it.
    pub run: fn(&Document) -> Result<Outcome, Failure>,
}

/// Why a peer could not do it.
pub type Failure = Box<dyn Error>;

/// What a run came to.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The time on the processor, system calls included, that this thread took. What had to be prepared does not count.
    pub time: Duration,
    /// How many bytes were read or written.
    pub size: usize,
    /// What was seen; none where nothing is delivered.
    pub count: Option<Count>,
}

/// What a client makes of lexemes: how many there are, how many of them open a list, and how long they are together.
///
/// So all that is delivered is used, and two readers that saw the same counted the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Count {
    /// Parentheses and atoms.
    pub lexemes: u64,
    /// Those that open a list.
    pub lists: u64,
    /// Their bytes, as they were delivered; one for a parenthesis.
    pub bytes: u64,
}

impl Count {
    #[inline(always)]
    fn open(&mut self) {
        self.lexemes += 1;
        self.lists += 1;
        self.bytes += 1;
    }

    #[inline(always)]
    fn close(&mut self) {
        self.lexemes += 1;
        self.bytes += 1;
    }

    #[inline(always)]
    fn atom(&mut self, length: usize) {
        self.lexemes += 1;
        self.bytes += length as u64;
    }
}

/// All of them, in the order of the table. The first is the one that the others are compared with.
pub fn runs() -> Vec<Run> {
    [ours::READERS, lexers::RUNS, sfsexp::RUNS, trees::RUNS, json::RUNS, ours::WRITERS, writers::RUNS].concat()
}

/// Reads, and counts what was seen.
fn read(size: usize, reader: impl FnOnce() -> Result<Count, Failure>) -> Result<Outcome, Failure> {
    let (time, count) = timed(reader);
    Ok(Outcome { time, size, count: Some(count?) })
}

/// Reads without looking at anything.
fn skip(size: usize, reader: impl FnOnce() -> Result<(), Failure>) -> Result<Outcome, Failure> {
    let (time, result) = timed(reader);
    result?;
    Ok(Outcome { time, size, count: None })
}

/// Writes, and says how many bytes it was.
fn write(writer: impl FnOnce() -> Result<usize, Failure>) -> Result<Outcome, Failure> {
    let (time, size) = timed(writer);
    Ok(Outcome { time, size: size?, count: None })
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = ThreadTime::now();
    let result = black_box(work());
    (start.elapsed(), result)
}
