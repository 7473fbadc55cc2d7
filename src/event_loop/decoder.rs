//! The decoder of one descriptor.

use super::{Error, Item, Source};
use crate::decode::Step;
use crate::lexeme::{Lexeme, Position};
use crate::nonblocking::{self, Advanced, Decode};
use crate::options::Options;
use crate::syntax::Syntax;
use std::io;
use std::os::fd::AsFd;

/// Decodes what a descriptor gives, and waits for it in a poll.
///
/// It reads into one chunk of a fixed size, and allocates nothing but that and the buffer of its [`nonblocking::Decoder`].
///
/// ```
/// use sexp_codec::event_loop::Decoder;
/// use sexp_codec::{Lexeme, Options, Syntax};
/// use std::io::Write;
/// use std::os::unix::net::UnixStream;
///
/// let (ours, mut theirs) = UnixStream::pair()?;
/// let mut decoder = Decoder::new(ours, 4096, &Syntax::SEXPLIB, Options::default())?;
/// theirs.write_all(b"(a)")?;
/// assert_eq!(decoder.decode()?, Some(Lexeme::open()));
/// assert_eq!(decoder.decode()?, Some(Lexeme::bare(b"a")));
/// assert_eq!(decoder.decode()?, Some(Lexeme::close())); // though the connection is still open
/// drop(theirs);
/// assert_eq!(decoder.decode()?, None);
/// # Ok::<(), sexp_codec::event_loop::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder<F: AsFd> {
    source: Source<F>,
    chunk: Vec<u8>,
    /// How many bytes were read into the chunk.
    filled: usize,
    decoder: nonblocking::Decoder,
}

impl<F: AsFd> Decoder<F> {
    /// A decoder that reads up to `capacity` bytes at once, at least 1.
    ///
    /// # Errors
    ///
    /// Where the descriptor cannot be made non-blocking.
    pub fn new(fd: F, capacity: usize, syntax: &'static Syntax, options: Options) -> io::Result<Self> {
        let decoder = nonblocking::Decoder::with_options(syntax, options);
        Ok(Decoder { source: Source::new(fd)?, chunk: vec![0; capacity.max(1)], filled: 0, decoder })
    }

    /// The next lexeme, or none at the end of the input. Waits for the descriptor, but only if no lexeme is complete.
    ///
    /// # Errors
    ///
    /// A fault in the input or of the descriptor. The next call goes on after it.
    ///
    /// # Panics
    ///
    /// If [`Options::fragments`] are asked for: then [`next`](Decoder::next) is to be called.
    #[inline]
    pub fn decode(&mut self) -> Result<Option<Lexeme<'_>>, Error> {
        match self.next()? {
            Item::Lexeme(lexeme) => Ok(Some(lexeme)),
            Item::End => Ok(None),
            Item::Error(error) => Err(Error::Malformed(error)),
            Item::Fragment(_) => panic!("fragments were asked for, and come by `next`"),
        }
    }

    /// The next lexeme, fragment or fault, or the end.
    ///
    /// # Errors
    ///
    /// Those of the descriptor.
    #[expect(clippy::should_implement_trait, reason = "what it gives is borrowed, which an iterator cannot")]
    #[inline]
    pub fn next(&mut self) -> io::Result<Item<'_>> {
        let advanced = loop {
            let mut head = self.decoder.head();
            if let Some(queued) = self.decoder.pop(&mut head) {
                return Ok(Item::Lexeme(self.decoder.lexeme(&self.chunk[..self.filled], queued)));
            }
            match self.advance()? {
                Advanced::Queued => {}
                advanced => break advanced,
            }
        };
        Ok(match self.decoder.deliver(&self.chunk[..self.filled], advanced) {
            Decode::Lexeme(lexeme) => Item::Lexeme(lexeme),
            Decode::Fragment(fragment) => Item::Fragment(fragment),
            Decode::Error(error) => Item::Error(error),
            Decode::End | Decode::Await => Item::End,
        })
    }

    /// Has the decoder make steps, over as many chunks as it takes.
    #[inline(never)]
    fn advance(&mut self) -> io::Result<Advanced> {
        loop {
            match self.decoder.advance(&self.chunk[..self.filled]) {
                Advanced::Step(Step::Await) => {
                    self.decoder.leave();
                    self.filled = 0;
                    self.filled = self.source.read_or_wait(&mut self.chunk, || Ok(()))?;
                    if self.filled == 0 {
                        self.decoder.finish();
                    }
                }
                advanced => return Ok(advanced),
            }
        }
    }

    /// How many bytes were consumed: up to the end of the last lexeme, or of what the last error is about.
    pub fn position(&self) -> u64 {
        self.decoder.position()
    }

    /// How many lists are open.
    pub fn depth(&self) -> u64 {
        self.decoder.depth()
    }

    /// Line and column of a place in the last lexeme, or of [`position`](Decoder::position).
    pub fn location(&mut self, offset: u64) -> Position {
        self.decoder.resume(&self.chunk[..self.filled]).location(offset)
    }

    /// What was read and not consumed: what follows the last lexeme.
    pub fn remaining(&self) -> &[u8] {
        &self.chunk[self.decoder.consumed()..self.filled]
    }

    /// Where it reads from.
    pub fn source(&self) -> &Source<F> {
        &self.source
    }
}
