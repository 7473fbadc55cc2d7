//! Where the bytes come from: a file or stdin, read in one of the ways that the flags choose, chunk by chunk.

use crate::direct::Waiting;
use crate::failure::Failure;
use crate::flags::Flags;
use crate::progress::{Progress, Unit};
use crate::report::Seen;
use sexp_codec::event_loop;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Seek};
use std::os::fd::AsFd;
use std::path::Path;

/// The input, chunk by chunk.
pub struct Source {
    from: From,
    chunk: Vec<u8>,
    /// What of the chunk has not been consumed.
    start: usize,
    end: usize,
    /// Whether the input has come to its end.
    over: bool,
    /// Whether [`fill_buf`](BufRead::fill_buf) has said that it is going to wait.
    warned: bool,
    watch: Watch,
}

enum From {
    /// Blocking reads: the standard library's, or straight from the descriptor, or from memory.
    Read(Box<dyn Read>),
    /// Reads that never block, in an event loop.
    Loop(event_loop::Source<File>),
    /// Reads that never block, and are waited for by the executor.
    Direct(Waiting),
}

/// What is kept for those who look on.
pub struct Watch {
    pub seen: Seen,
    pub progress: Progress,
}

impl Watch {
    /// Of an input of so many bytes, if that is known; without a progress bar if it is to be quiet.
    pub fn new(total: Option<u64>, quiet: bool) -> Watch {
        Watch { seen: Seen::new(), progress: Progress::start(Unit::Bytes, total, quiet) }
    }

    /// The next chunk.
    #[inline]
    pub fn push(&mut self, chunk: &[u8]) {
        self.seen.push(chunk);
        self.progress.advance(chunk.len() as u64);
    }
}

impl Source {
    /// Opens the input that the flags name.
    pub fn open(flags: &Flags) -> Result<Source, Failure> {
        Source::try_open(flags, flags.enb && !flags.sin).map_err(Failure::Input)
    }

    /// Opens it; if it is awaited, reading may say that it would block.
    fn try_open(flags: &Flags, awaited: bool) -> io::Result<Source> {
        let mut file = open(flags.file.as_deref())?;
        let total = rest(&mut file);
        let from = match (flags.unix, flags.b) {
            (true, false) if awaited => From::Direct(Waiting::reader(file)?),
            (true, false) => From::Loop(event_loop::Source::new(file)?),
            (true, true) => From::Read(Box::new(file)),
            (false, _) if flags.reads_stdin() => From::Read(Box::new(io::stdin().lock())),
            (false, _) => From::Read(Box::new(BufReader::new(file))),
        };
        // A bar that runs through text helps nobody.
        let quiet = flags.writes_data() && io::stdout().is_terminal();
        let watch = Watch::new(total, quiet);
        let mut source = Source { from, chunk: vec![0; flags.usize], start: 0, end: 0, over: false, warned: false, watch };
        if flags.sin {
            source.from = From::Read(Box::new(io::Cursor::new(source.read_all()?)));
        }
        Ok(source)
    }

    /// Opens the input that the flags name, and reads all of it.
    pub fn read_whole(flags: &Flags) -> Result<Vec<u8>, Failure> {
        Source::try_open(flags, false).and_then(|mut source| source.read_all()).map_err(Failure::Input)
    }

    fn read_all(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            match self.read(|| Ok(()))? {
                0 => return Ok(bytes),
                n => bytes.extend_from_slice(&self.chunk[..n]),
            }
        }
    }

    /// What of the input has not been consumed, up to the end of a chunk; nothing at the end of the input.
    ///
    /// `before_wait` is called whenever the input may have to be waited for.
    pub fn chunk(&mut self, before_wait: impl FnMut() -> Result<(), Failure>) -> Result<(&[u8], &Watch), Failure> {
        if self.start == self.end {
            self.refill(before_wait).map_err(Failure::of_input)?;
        }
        Ok((&self.chunk[self.start..self.end], &self.watch))
    }

    /// What is kept for those who look on.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    fn refill(&mut self, before_wait: impl FnMut() -> Result<(), Failure>) -> io::Result<()> {
        if !self.over {
            let n = self.read(before_wait)?;
            (self.start, self.end, self.over) = (0, n, n == 0);
            self.watch.push(&self.chunk[..n]);
        }
        Ok(())
    }

    #[cold]
    fn warn_or_refill(&mut self) -> io::Result<()> {
        // One that is awaited says so by itself.
        self.warned = !self.warned && !matches!(self.from, From::Direct(_));
        if self.warned { Err(io::ErrorKind::WouldBlock.into()) } else { self.refill(|| Ok(())) }
    }

    fn read(&mut self, mut before_wait: impl FnMut() -> Result<(), Failure>) -> io::Result<usize> {
        match &mut self.from {
            From::Loop(source) => source.read_or_wait(&mut self.chunk, || Ok(before_wait()?)),
            From::Direct(source) => source.read(&mut self.chunk),
            From::Read(source) => {
                before_wait()?;
                loop {
                    match source.read(&mut self.chunk) {
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        result => return result,
                    }
                }
            }
        }
    }
}

/// For the codecs that read by themselves. So that the output can be flushed first, it says once that it would block before it does.
impl BufRead for Source {
    #[inline(always)]
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end && !self.over {
            self.warn_or_refill()?;
        }
        Ok(&self.chunk[self.start..self.end])
    }

    fn consume(&mut self, amount: usize) {
        self.start += amount;
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buffer)?;
        self.consume(n);
        Ok(n)
    }
}

fn is_stdin(path: Option<&Path>) -> bool {
    path.is_none_or(|path| path == Path::new("-"))
}

/// What the input is called in messages.
pub fn name(path: Option<&Path>) -> String {
    if is_stdin(path) { "<stdin>".to_owned() } else { path.unwrap_or(Path::new("")).display().to_string() }
}

fn open(path: Option<&Path>) -> io::Result<File> {
    match path {
        Some(path) if !is_stdin(Some(path)) => File::open(path),
        _ => Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?)),
    }
}

/// How many bytes are left in a regular file.
fn rest(file: &mut File) -> Option<u64> {
    let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
    Some(metadata.len().saturating_sub(file.stream_position().ok()?))
}
