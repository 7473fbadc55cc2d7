//! Lines and columns, worked out only when somebody asks, and never twice for the same bytes.

use crate::lexeme::Position;

/// Knows the line where the chunk begins, and of one place further on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    /// The line where the chunk begins.
    chunk: Line,
    /// The line where the next chunk begins, as far as that is known.
    next: Line,
    /// The line at `reached`, which counts if that is in the chunk.
    line: Line,
    reached: u64,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    /// Its number, from 1.
    number: u64,
    /// Offset of its first byte.
    start: u64,
}

impl Lines {
    pub(crate) const fn new() -> Self {
        let first = Line { number: 1, start: 0 };
        Lines { chunk: first, next: first, line: first, reached: 0 }
    }

    /// The place of an offset in the chunk that begins at `base`.
    #[inline]
    pub(crate) fn place(&mut self, chunk: &[u8], base: u64, offset: u64) -> Position {
        let line = self.reach(chunk, base, offset);
        Position { offset, line: line.number, column: offset.saturating_sub(line.start) + 1 }
    }

    /// The place of an offset in a chunk that has no line end before it.
    #[inline]
    pub(crate) fn place_in_first_line(&self, offset: u64) -> Position {
        Position { offset, line: self.chunk.number, column: offset.saturating_sub(self.chunk.start) + 1 }
    }

    /// The chunk is used up to that offset, where the next one will begin.
    #[inline]
    pub(crate) fn leave(&mut self, chunk: &[u8], base: u64, offset: u64) {
        if chunk.len() > 16 {
            self.next = self.reach(chunk, base, offset);
            return;
        }
        let used = offset.saturating_sub(base) as usize;
        self.next = self.chunk;
        for (i, &byte) in chunk.iter().enumerate().take(used) {
            if byte == b'\n' {
                self.next = Line { number: self.next.number + 1, start: base + i as u64 + 1 };
            }
        }
    }

    /// The chunk has gone away.
    #[inline]
    pub(crate) fn next_chunk(&mut self) {
        self.chunk = self.next;
        self.reached = 0;
    }

    /// The first column of the first line is at that offset: what is before it does not count.
    pub(crate) fn begin(&mut self, offset: u64) {
        self.chunk.start = offset;
        self.next.start = offset;
        self.line.start = offset;
    }

    #[inline]
    fn reach(&mut self, chunk: &[u8], base: u64, offset: u64) -> Line {
        if self.reached <= base || self.reached > offset {
            self.reached = base;
            self.line = self.chunk;
        }
        let (from, to) = ((self.reached - base) as usize, offset.saturating_sub(base) as usize);
        if let Some(bytes) = chunk.get(from..to) {
            self.line.count(bytes, self.reached);
        }
        self.reached = offset;
        self.line
    }
}

/// Whether these are few bytes, and no line ends among them. [`Lines::leave`] would find nothing new in them.
#[inline(always)]
pub(crate) fn few_in_one_line(bytes: &[u8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Whether none of eight bytes is a line feed: for none a one can be borrowed through to its highest bit.
    let none = |eight: &[u8; 8]| {
        let differs = u64::from_le_bytes(*eight) ^ (ONES * b'\n' as u64);
        differs.wrapping_sub(ONES) & !differs & (ONES << 7) == 0
    };
    match bytes {
        [byte] => *byte != b'\n',
        _ if bytes.len() > 16 => false,
        _ => match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => none(first) && none(last),
            _ => bytes.iter().all(|&byte| byte != b'\n'),
        },
    }
}

impl Line {
    /// Passes bytes, the first of which is at `offset`.
    #[inline]
    fn count(&mut self, bytes: &[u8], offset: u64) {
        if bytes.len() > 16 {
            self.count_many(bytes, offset);
            return;
        }
        for (i, &byte) in bytes.iter().enumerate() {
            if byte == b'\n' {
                self.number += 1;
                self.start = offset + i as u64 + 1;
            }
        }
    }

    #[inline(never)]
    fn count_many(&mut self, bytes: &[u8], offset: u64) {
        if let Some(last) = memchr::memrchr(b'\n', bytes) {
            self.number += memchr::memchr_iter(b'\n', &bytes[..=last]).count() as u64;
            self.start = offset + last as u64 + 1;
        }
    }
}
