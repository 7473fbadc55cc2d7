//! The bytes that a peer has not taken yet.

use crate::encode::{Encode, EncodeError, Encoder, Output};
use crate::lexeme::{Fragment, Lexeme};
use std::io;

/// Answers on their way to the peer.
///
/// It takes whatever it is given; a service looks whether it [is full](Outbox::is_full) before it makes more. So it never holds more than its
/// limit and what is made in one go after the last look: a lexeme, or a fragment of one.
///
/// ```
/// use sexp_codec::event_loop::Outbox;
/// use sexp_codec::nonblocking::Encoder;
/// use sexp_codec::{Lexeme, Syntax};
///
/// let mut out = Outbox::new(4);
/// let mut encoder = Encoder::new(&Syntax::CANONICAL);
/// out.encode(&mut encoder, Lexeme::octets(b"abc"))?;
/// assert_eq!(out.bytes(), b"3:abc");
/// assert!(out.is_full());
/// # Ok::<(), sexp_codec::EncodeError>(())
/// ```
#[derive(Debug)]
pub struct Outbox {
    /// All of it may be written to: it grows, and is never cleared for the sake of the zeros.
    buffer: Vec<u8>,
    /// What has been filled, and how much of that is sent.
    filled: usize,
    sent: usize,
    limit: usize,
    closed: bool,
}

/// By how much a buffer grows at least.
const GRAIN: usize = 256;

impl Outbox {
    /// An empty one that is full with that many bytes.
    pub fn new(limit: usize) -> Outbox {
        Outbox { buffer: Vec::new(), filled: 0, sent: 0, limit, closed: false }
    }

    /// Whether the service should stop making answers.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.filled - self.sent >= self.limit
    }

    /// Writes a lexeme, all of it.
    ///
    /// # Errors
    ///
    /// Where it cannot be written in that place or syntax; then nothing is.
    #[inline]
    pub fn encode(&mut self, encoder: &mut Encoder, lexeme: Lexeme<'_>) -> Result<(), EncodeError> {
        self.step(encoder, |output| output.encode(lexeme))
    }

    /// Writes a piece of an atom, all of it.
    ///
    /// # Errors
    ///
    /// As [`encode`](Outbox::encode).
    pub fn fragment(&mut self, encoder: &mut Encoder, fragment: Fragment<'_>) -> Result<(), EncodeError> {
        self.step(encoder, |output| output.fragment(fragment))
    }

    /// Puts bytes down as they are, between lexemes.
    pub fn extend(&mut self, bytes: &[u8]) {
        if self.filled + bytes.len() > self.buffer.len() {
            self.grow(bytes.len());
        }
        // To grow moves what is there.
        let end = self.filled + bytes.len();
        self.buffer[self.filled..end].copy_from_slice(bytes);
        self.filled = end;
    }

    /// Nothing more is to be read from this peer: what is in the outbox is still sent, and then the connection is closed.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// What is not sent yet.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.sent..self.filled]
    }

    /// How many bytes that is.
    pub fn len(&self) -> usize {
        self.filled - self.sent
    }

    /// Whether all is sent.
    pub fn is_empty(&self) -> bool {
        self.filled == self.sent
    }

    /// So many bytes are sent.
    pub(super) fn advance(&mut self, count: usize) {
        self.sent += count;
        if self.sent == self.filled {
            (self.sent, self.filled) = (0, 0);
        }
    }

    /// Has it use that buffer, if it is empty: so one buffer serves all connections whose peers take their answers at once.
    pub(super) fn borrow(&mut self, spare: &mut Vec<u8>) {
        if self.is_empty() {
            std::mem::swap(&mut self.buffer, spare);
        }
    }

    /// Gives the buffer back. What is not sent is kept in one of its own, no larger than that.
    pub(super) fn give_back(&mut self, spare: &mut Vec<u8>) {
        if spare.capacity() == 0 {
            let rest = self.bytes().to_vec();
            *spare = std::mem::replace(&mut self.buffer, rest);
            (self.sent, self.filled) = (0, self.buffer.len());
        } else if self.is_empty() {
            self.buffer = Vec::new();
        }
        // One huge answer is not to be paid for ever after.
        spare.truncate(2 * self.limit.max(GRAIN));
        spare.shrink_to(4 * self.limit.max(GRAIN));
    }

    /// How many bytes of memory it has.
    pub(super) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    #[inline]
    fn step(&mut self, encoder: &mut Encoder, step: impl Fn(&mut Output<'_>) -> Encode) -> Result<(), EncodeError> {
        loop {
            let mut output = encoder.window(&mut self.buffer[self.filled..]);
            let outcome = step(&mut output);
            self.filled += output.written();
            match outcome {
                Encode::Ok => return Ok(()),
                Encode::Partial => self.grow(GRAIN),
                Encode::Error(error) => return Err(error),
            }
        }
    }

    /// Makes room for so many bytes at least, at a cost that is linear in all that is ever put in.
    #[cold]
    fn grow(&mut self, room: usize) {
        if self.sent > 0 {
            self.buffer.copy_within(self.sent..self.filled, 0);
            (self.sent, self.filled) = (0, self.filled - self.sent);
        }
        let wanted = (self.filled + room).max(2 * self.filled).max(GRAIN);
        if wanted > self.buffer.len() {
            self.buffer.resize(wanted, 0);
        }
    }
}

/// Takes all bytes.
impl io::Write for Outbox {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
