//! This crate, in all its ways.

use crate::{CHUNK, Count, Document, Failure, Job, Outcome, Run, read, write};
use sexp_codec::nonblocking::{Compact, Decode, Decoder, Encode, Encoder, Input, Output};
use sexp_codec::{Kind, Lexeme, blocking};
use std::io;

/// Reading; the pull comes first, since all is compared with it.
pub const READERS: &[Run] = &[
    Run { job: Job::Read, name: "sexp-codec, pull", run: pull },
    Run { job: Job::Read, name: "sexp-codec, pull, matched", run: pull_matched },
    Run { job: Job::Read, name: "sexp-codec, for_each", run: for_each },
    Run { job: Job::Read, name: "sexp-codec, bulk", run: bulk },
    Run { job: Job::Read, name: "sexp-codec, blocking", run: blocking },
];

/// Writing, and both at once.
pub const WRITERS: &[Run] = &[
    Run { job: Job::Write, name: "sexp-codec, encode", run: encode },
    Run { job: Job::Write, name: "sexp-codec, blocking encode", run: blocking_encode },
    Run { job: Job::Write, name: "sexp-codec, recode", run: recode },
];

impl Count {
    /// Without a branch: which kind comes next cannot be foretold.
    #[inline(always)]
    fn add(&mut self, kind: Kind, length: usize) {
        self.lexemes += 1;
        self.lists += u64::from(kind == Kind::Open);
        self.bytes += length as u64;
    }
}

fn pull(document: &Document) -> Result<Outcome, Failure> {
    in_chunks(document, |input, count| {
        // Here the sums can stay in registers.
        let mut sums = *count;
        let stop = loop {
            match input.decode() {
                Decode::Lexeme(lexeme) => sums.add(lexeme.kind, lexeme.bytes.len()),
                Decode::Await | Decode::End => break Ok(()),
                Decode::Error(error) => break Err(error.into()),
                Decode::Fragment(_) => break Err("there is a fragment".into()),
            }
        };
        *count = sums;
        stop
    })
}

/// For the client of the peers, which takes another way for each kind.
fn pull_matched(document: &Document) -> Result<Outcome, Failure> {
    in_chunks(document, |input, count| {
        let mut sums = *count;
        let stop = loop {
            match input.decode() {
                Decode::Lexeme(Lexeme { kind: Kind::Open, .. }) => sums.open(),
                Decode::Lexeme(Lexeme { kind: Kind::Close, .. }) => sums.close(),
                Decode::Lexeme(lexeme) => sums.atom(lexeme.bytes.len()),
                Decode::Await | Decode::End => break Ok(()),
                Decode::Error(error) => break Err(error.into()),
                Decode::Fragment(_) => break Err("there is a fragment".into()),
            }
        };
        *count = sums;
        stop
    })
}

fn for_each(document: &Document) -> Result<Outcome, Failure> {
    in_chunks(document, |input, count| {
        let mut sums = *count;
        let stop = stopped(input.for_each(|lexeme| sums.add(lexeme.kind, lexeme.bytes.len())));
        *count = sums;
        stop
    })
}

fn bulk(document: &Document) -> Result<Outcome, Failure> {
    let mut lexemes = [Compact::default(); 512];
    in_chunks(document, |input, count| {
        let mut sums = *count;
        let stop = loop {
            let filled = input.bulk(&mut lexemes);
            for lexeme in &lexemes[..filled] {
                sums.add(lexeme.kind(), lexeme.value().len());
            }
            if filled == 0 {
                match input.decode() {
                    Decode::Lexeme(lexeme) => sums.add(lexeme.kind, lexeme.bytes.len()),
                    Decode::Await | Decode::End => break Ok(()),
                    Decode::Error(error) => break Err(error.into()),
                    Decode::Fragment(_) => break Err("there is a fragment".into()),
                }
            }
        };
        *count = sums;
        stop
    })
}

/// The bytes are copied to the decoder's buffer, as from a file.
fn blocking(document: &Document) -> Result<Outcome, Failure> {
    read(document.text.len(), || {
        let mut decoder = blocking::Decoder::from_read(document.text.as_bytes(), document.syntax);
        let mut count = Count::default();
        while let Some(lexeme) = decoder.decode()? {
            count.add(lexeme.kind, lexeme.bytes.len());
        }
        Ok(count)
    })
}

/// Feeds the text in chunks to a decoder, which `each` takes the lexemes from.
#[inline(always)]
fn in_chunks(document: &Document, mut each: impl FnMut(&mut Input<'_, '_>, &mut Count) -> Result<(), Failure>) -> Result<Outcome, Failure> {
    read(document.text.len(), || {
        let mut decoder = Decoder::new(document.syntax);
        let mut count = Count::default();
        for chunk in document.text.as_bytes().chunks(CHUNK) {
            each(&mut decoder.feed(chunk), &mut count)?;
        }
        each(&mut decoder.finish(), &mut count)?;
        Ok(count)
    })
}

/// What stops a decoder in a good document is the end of the chunk.
fn stopped(decode: Decode<'_>) -> Result<(), Failure> {
    match decode {
        Decode::Await | Decode::End => Ok(()),
        Decode::Error(error) => Err(error.into()),
        other => Err(format!("{other:?}").into()),
    }
}

fn encode(document: &Document) -> Result<Outcome, Failure> {
    let mut window = vec![0; CHUNK];
    write(|| {
        let mut encoder = Encoder::new(document.syntax);
        let mut lexemes = document.lexemes.iter();
        let mut next = lexemes.next();
        let mut size = 0;
        while next.is_some() {
            let mut output = encoder.window(&mut window);
            while let Some(lexeme) = next {
                if !put(&mut output, lexeme)? {
                    break;
                }
                next = lexemes.next();
            }
            size += output.written();
        }
        Ok(size)
    })
}

fn blocking_encode(document: &Document) -> Result<Outcome, Failure> {
    write(|| {
        let mut encoder = blocking::Encoder::new(Total(0), document.syntax);
        for lexeme in document.lexemes.iter() {
            encoder.encode(lexeme)?;
        }
        encoder.finish()?;
        Ok(encoder.into_inner().0)
    })
}

/// Decodes, and encodes what was decoded.
fn recode(document: &Document) -> Result<Outcome, Failure> {
    let mut window = vec![0; CHUNK];
    write(|| {
        let mut decoder = Decoder::new(document.syntax);
        let mut encoder = Encoder::new(document.syntax);
        let mut output = encoder.window(&mut window);
        let mut size = 0;
        for chunk in document.text.as_bytes().chunks(CHUNK) {
            let mut input = decoder.feed(chunk);
            loop {
                match input.decode() {
                    Decode::Lexeme(lexeme) => {
                        while !put(&mut output, lexeme)? {
                            size += output.written();
                            output = encoder.window(&mut window);
                        }
                    }
                    other => break stopped(other)?,
                }
            }
        }
        stopped(decoder.finish().decode())?;
        Ok(size + output.written())
    })
}

/// Whether there was room for it in the window.
#[inline(always)]
fn put(output: &mut Output<'_>, lexeme: Lexeme<'_>) -> Result<bool, Failure> {
    match output.encode(lexeme) {
        Encode::Ok => Ok(true),
        Encode::Partial => Ok(false),
        Encode::Error(error) => Err(error.into()),
    }
}

/// A sink that only counts.
struct Total(usize);

impl io::Write for Total {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
