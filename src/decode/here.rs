//! Here-strings of Racket: `#<<NAME`, and the lines up to one that is `NAME`.

use super::{Chunk, Machine, State, Step};
use crate::error::ErrorKind;
use crate::lexeme::Kind;

impl Machine {
    /// After `#<`: only another `<` makes a here-string of it.
    pub(super) fn before_here(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        if chunk.bytes[*at] != b'<' {
            return self.no_here(chunk);
        }
        *at += 1;
        self.name.clear();
        if self.raw {
            self.adopt();
        }
        self.state = State::InHereName;
        None
    }

    /// `#<` is not allowed; the `<` begins an atom.
    pub(super) fn no_here(&mut self, chunk: &Chunk<'_>) -> Option<Step> {
        self.illegal_lead(chunk, b'#', b'<')
    }

    pub(super) fn in_here_name(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let rest = &chunk.bytes[*at..];
        let end = memchr::memchr(b'\n', rest);
        self.name.extend_from_slice(&rest[..end.unwrap_or(rest.len())]);
        *at += end.map_or(rest.len(), |end| end + 1);
        if end.is_some() {
            self.state = State::InHereLine { matched: 0 };
        }
        if self.options.atom.is_some_and(|limit| self.name.len() as u64 > limit) && !self.dropped {
            self.drop_atom();
            return Some(self.fault_at(chunk, ErrorKind::AtomTooLarge, self.token, None));
        }
        None
    }

    /// At the start of a line, or behind a part of it that is the name so far.
    pub(super) fn in_here_line(&mut self, chunk: &Chunk<'_>, at: &mut usize, matched: u32) -> Option<Step> {
        let byte = chunk.bytes[*at];
        let matched = matched as usize;
        if self.name.get(matched) == Some(&byte) {
            *at += 1;
            self.state = State::InHereLine { matched: matched as u32 + 1 };
            return None;
        }
        if byte == b'\n' && matched == self.name.len() {
            return self.here_is_whole(chunk, at);
        }
        self.state = State::InHereText;
        let name = core::mem::take(&mut self.name);
        let step = self.here_line(chunk, &name[..matched]);
        self.name = name;
        step
    }

    /// A line that begins like this is not the last. The line end before it belongs to the value.
    fn here_line(&mut self, chunk: &Chunk<'_>, head: &[u8]) -> Option<Step> {
        let first = !core::mem::replace(&mut self.here_lines, true);
        let step = if first { None } else { self.push(chunk, b"\n") };
        step.or(self.push(chunk, head))
    }

    pub(super) fn in_here_text(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let from = *at;
        let rest = &chunk.bytes[from..];
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        *at += end;
        if end < rest.len() {
            *at += 1;
            self.state = State::InHereLine { matched: 0 };
        }
        self.push(chunk, &chunk.bytes[from..from + end])
    }

    /// The last line is there, up to its end, which is not part of it.
    pub(super) fn here_is_whole(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        self.here_lines = false;
        // An empty value is nowhere in the chunk.
        self.atom_is_whole(chunk, at, Kind::String, *at..*at, 0)
    }
}
