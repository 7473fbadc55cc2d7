//! Lines and columns, worked out only when somebody asks, and never twice for the same bytes.

use crate::lexeme::Position;

/// Knows the line at one place of the input, and counts on from there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    /// Where the chunk begins, and the line there.
    chunk: Mark,
    /// Where the next chunk begins, as far as that is known.
    next: Mark,
    /// Up to where has been counted, and the line there.
    reached: Mark,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    offset: u64,
    line: u64,
    /// Offset of the first byte of the line.
    start: u64,
}

impl Lines {
    pub(crate) const fn new() -> Self {
        let mark = Mark { offset: 0, line: 1, start: 0 };
        Lines { chunk: mark, next: mark, reached: mark }
    }

    /// The place of an offset in the chunk that begins at `base`.
    pub(crate) fn place(&mut self, chunk: &[u8], base: u64, offset: u64) -> Position {
        if offset < self.reached.offset {
            self.reached = self.chunk;
        }
        self.reached = self.reached.to(chunk, base, offset);
        Position { offset, line: self.reached.line, column: offset.saturating_sub(self.reached.start) + 1 }
    }

    /// The chunk is used up to that offset, where the next one will begin.
    #[inline]
    pub(crate) fn leave(&mut self, chunk: &[u8], base: u64, offset: u64) {
        if offset < self.reached.offset {
            self.reached = self.chunk;
        }
        self.reached = self.reached.to(chunk, base, offset);
        self.next = self.reached;
    }

    /// The chunk has gone away.
    #[inline]
    pub(crate) fn next_chunk(&mut self) {
        self.chunk = self.next;
        self.reached = self.next;
    }

    /// The first column of the first line is at that offset: what is before it does not count.
    pub(crate) fn begin(&mut self, offset: u64) {
        self.chunk.start = offset;
        self.reached.start = offset;
    }
}

impl Mark {
    #[inline]
    fn to(mut self, chunk: &[u8], base: u64, offset: u64) -> Mark {
        let from = self.offset.saturating_sub(base) as usize;
        let to = (offset.saturating_sub(base) as usize).min(chunk.len());
        if from < to {
            self.count(&chunk[from..to], base + from as u64);
        }
        self.offset = offset;
        self
    }

    #[inline]
    fn count(&mut self, bytes: &[u8], base: u64) {
        if bytes.len() < 16 {
            for (i, &byte) in bytes.iter().enumerate() {
                if byte == b'\n' {
                    self.line += 1;
                    self.start = base + i as u64 + 1;
                }
            }
        } else if let Some(last) = memchr::memrchr(b'\n', bytes) {
            self.line += memchr::memchr_iter(b'\n', &bytes[..=last]).count() as u64;
            self.start = base + last as u64 + 1;
        }
    }
}
