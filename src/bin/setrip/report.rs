//! Says what is wrong with the input, and where.

use sexp_codec::{Error, Position};
use std::fmt::{Display, Write as _};
use std::io::{self, IsTerminal, Write as _};
use std::time::Duration;

/// Says what is wrong, on stderr: `FILE:LINE:COLUMN: error: MESSAGE`, and on a terminal the line with the place marked.
pub struct Report {
    name: String,
    fail_fast: bool,
    errors: u64,
}

impl Report {
    pub fn new(name: String, fail_fast: bool) -> Report {
        Report { name, fail_fast, errors: 0 }
    }

    /// The input is malformed.
    pub fn malformed(&mut self, error: &Error, seen: &Seen) {
        let mut text = self.entry(error.position, "error", &error.kind, seen);
        if let Some(opened) = error.opened {
            text += &self.entry(opened, "note", &"opened here", seen);
        }
        self.errors += 1;
        say(&text);
    }

    /// The output's syntax cannot carry a lexeme of the input.
    pub fn refused(&mut self, at: Position, why: &dyn Display, seen: &Seen) {
        self.errors += 1;
        say(&self.entry(at, "error", why, seen));
    }

    /// How many errors there were.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// Whether the run is over.
    pub fn stops(&self) -> bool {
        self.fail_fast && self.errors > 0
    }

    fn entry(&self, at: Position, level: &str, message: &dyn Display, seen: &Seen) -> String {
        let mut text = format!("{}:{at}: {level}: {message}\n", self.name);
        if let Some((line, mark)) = seen.line(at).filter(|(line, _)| !line.is_empty()) {
            let number = at.line.to_string();
            let _ = write!(text, " {number} | {line}\n {:1$} | {2:mark$}^\n", "", number.len(), "");
        }
        text
    }
}

/// Writes to stderr, all of it: the event loop may have made the terminal non-blocking that stderr shares with stdin.
pub fn say(text: &str) {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        match io::stderr().write(rest) {
            Ok(n) => rest = &rest[n..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(1)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Nobody listens.
            Err(_) => return,
        }
    }
}

/// The end of the input that was read so far, of which lines can be shown. On a terminal only: else it keeps nothing.
pub struct Seen {
    kept: Option<Vec<u8>>,
    /// The offset of the first byte kept.
    start: u64,
}

impl Seen {
    /// How many bytes before the last chunk are kept at least.
    const KEEP: usize = 4 * 1024;
    /// How many bytes may pile up before some are let go.
    const PILE: usize = 64 * 1024;
    /// How many bytes of a line are shown before the place, and after it.
    const BEFORE: usize = 60;
    const AFTER: usize = 40;

    pub fn new() -> Seen {
        Seen { kept: io::stderr().is_terminal().then(Vec::new), start: 0 }
    }

    /// The next chunk.
    #[inline]
    pub fn push(&mut self, chunk: &[u8]) {
        if let Some(kept) = &mut self.kept {
            if kept.len() > Seen::PILE {
                self.start += (kept.len() - Seen::KEEP) as u64;
                kept.drain(..kept.len() - Seen::KEEP);
            }
            kept.extend_from_slice(chunk);
        }
    }

    /// The line of that place, fit to be shown, and how far to the right in it the place is.
    fn line(&self, at: Position) -> Option<(String, usize)> {
        let kept = self.kept.as_ref()?;
        let place = usize::try_from(at.offset.checked_sub(self.start)?).ok().filter(|place| *place <= kept.len())?;
        let line = place.saturating_sub(usize::try_from(at.column - 1).ok()?);
        let from = line.max(place.saturating_sub(Seen::BEFORE));
        let rest = &kept[place..kept.len().min(place + Seen::AFTER + 1)];
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let clipped_before = at.column - 1 > (place - from) as u64;
        let clipped_after = length > Seen::AFTER;
        let before = (if clipped_before { "…" } else { "" }).to_owned() + &shown(&kept[from..place]);
        let after = shown(&rest[..length.min(Seen::AFTER)]) + if clipped_after { "…" } else { "" };
        let mark = before.chars().count();
        Some((before + &after, mark))
    }
}

/// Text that does nothing to a terminal.
fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| {
            if c == '\t' {
                ' '
            } else if c.is_control() {
                '.'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(chunks: &[&[u8]]) -> Seen {
        let mut seen = Seen { kept: Some(Vec::new()), start: 0 };
        for chunk in chunks {
            seen.push(chunk);
        }
        seen
    }

    fn at(offset: u64, column: u64) -> Position {
        Position { offset, line: 1, column }
    }

    #[test]
    fn the_place_is_marked_in_its_line() {
        let seen = seen(&[b"(a)\n(b\t\x1bc", b" d)\n(e)"]);
        assert_eq!(seen.line(at(7, 4)), Some(("(b .c d)".into(), 3)));
        assert_eq!(seen.line(at(16, 4)), Some(("(e)".into(), 3)));
        assert_eq!(seen.line(at(17, 5)), None);
    }

    #[test]
    fn long_lines_are_clipped_on_both_sides() {
        let seen = seen(&[&[b'x'; 500]]);
        let (line, mark) = seen.line(at(250, 251)).unwrap();
        assert_eq!((line.chars().count(), mark), (1 + 60 + 40 + 1, 61));
        assert!(line.starts_with('…') && line.ends_with('…'));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut seen = seen(&[]);
        for _ in 0..300_000 {
            seen.push(b"x");
        }
        assert!(seen.kept.as_ref().unwrap().len() <= Seen::PILE + 1);
        assert!(seen.line(at(299_999, 300_000)).is_some());
        assert!(seen.line(at(5, 6)).is_none());
    }
}
