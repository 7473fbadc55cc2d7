//! Where the bytes go: to stdout in one of the ways that the flags choose, or to memory first.

use crate::direct::Waiting;
use crate::failure::Failure;
use crate::flags::Flags;
use crate::progress::{Progress, Unit};
use crate::rounds::Codec;
use sexp_codec::event_loop;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;

/// The output.
pub struct Sink {
    to: To,
    /// With `-sout`, all of the output.
    memory: Option<Vec<u8>>,
    written: u64,
    progress: Progress,
}

enum To {
    /// Blocking writes: the standard library's, or straight to the descriptor.
    Write(Box<dyn Write>),
    /// Writes that never block, in an event loop.
    Loop(event_loop::Sink<File>),
    /// Writes that never block, and are waited for by the executor.
    Direct(Waiting),
}

impl Sink {
    /// Opens stdout as the flags say.
    pub fn open(flags: &Flags) -> Result<Sink, Failure> {
        // A bar that runs through text helps nobody; and where there is input, it is that which is counted.
        let quiet = !flags.enc || io::stdout().is_terminal();
        let progress = Progress::start(Unit::Bytes, flags.size, quiet);
        Ok(Sink { to: To::open(flags).map_err(Failure::Output)?, memory: flags.sout.then(Vec::new), written: 0, progress })
    }

    /// How many bytes were written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Writes out what was kept in memory.
    pub fn finish(&mut self) -> Result<(), Failure> {
        let memory = self.memory.take().unwrap_or_default();
        self.write_all(&memory).and_then(|()| self.flush()).map_err(Failure::Output)
    }
}

impl To {
    fn open(flags: &Flags) -> io::Result<To> {
        if !flags.unix {
            return Ok(To::Write(Box::new(io::stdout().lock())));
        }
        let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        match flags.codec() {
            Codec::Blocking => Ok(To::Write(Box::new(file))),
            Codec::Direct if flags.streams() => Waiting::writer(file).map(To::Direct),
            Codec::Direct | Codec::NonBlocking => event_loop::Sink::new(file).map(To::Loop),
        }
    }

    fn get(&mut self) -> &mut dyn Write {
        match self {
            To::Write(write) => write,
            To::Loop(sink) => sink,
            To::Direct(sink) => sink,
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = match &mut self.memory {
            Some(memory) => memory.write(bytes)?,
            None => self.to.get().write(bytes)?,
        };
        self.written += n as u64;
        self.progress.advance(n as u64);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.memory.is_some() { Ok(()) } else { self.to.get().flush() }
    }
}
