//! Lexemes that are written at once: delimiters, and atoms whose spelling is seen at a glance, where there is room whatever their bytes are.
//!
//! The [machine](super::machine) would write the same, step by step. This is for speed, and may leave to it what it likes.

use super::between::Last;
use super::machine::Machine;
use super::spelling::{Digits, Spelling, bit, not_plain};
use crate::lexeme::Kind;
use crate::syntax::{Quote, Write};

impl Machine {
    /// Writes a lexeme, if it can be written at once; how many bytes that took, or none.
    #[inline(never)]
    pub(super) fn write_at_once(&mut self, kind: Kind, bytes: &[u8], window: &mut [u8]) -> usize {
        let written = if self.short.is_allowed() {
            match self.atom_at_once(kind, bytes, window, false) {
                // Where short lexemes have their own way, it ends a form.
                None if kind == Kind::Close => self.any_at_once(kind, bytes, window),
                written => written,
            }
        } else {
            self.any_at_once(kind, bytes, window)
        };
        written.unwrap_or(0)
    }

    #[inline(never)]
    fn any_at_once(&mut self, kind: Kind, bytes: &[u8], window: &mut [u8]) -> Option<usize> {
        if !self.at_once {
            return None;
        }
        let written = match kind {
            Kind::Open => self.open_at_once(bytes, window)?,
            Kind::Close => self.close_at_once(bytes, window)?,
            _ if !self.atoms_at_once => return None,
            _ => self.atom_at_once(kind, bytes, window, self.speller.syntax.separators)?,
        };
        if self.speller.syntax.writes_short {
            self.rest();
        } else {
            // All else stays as it is.
            self.atoms_at_once = self.depth as i64 >= self.short.floor;
        }
        Some(written)
    }

    #[inline]
    fn open_at_once(&mut self, bytes: &[u8], window: &mut [u8]) -> Option<usize> {
        let &[byte] = bytes else { return None };
        let pair = self.pairs().iter().position(|&(open, _)| open == byte)?;
        let mut room = self.room(window, Kind::Open, byte, 1)?;
        room.push(byte);
        if self.pairs().len() > 1 {
            self.brackets.open(self.depth, pair as u8);
        }
        self.depth += 1;
        self.last = Last::Open;
        Some(room.at)
    }

    #[inline]
    fn close_at_once(&mut self, bytes: &[u8], window: &mut [u8]) -> Option<usize> {
        let level = self.depth.checked_sub(1)?;
        let ends_line = (level as i64) < self.short.floor;
        let several = self.pairs().len() > 1;
        let pair = if several { self.brackets.kind(level) } else { 0 };
        let (_, byte) = self.pairs()[pair as usize];
        if bytes != [byte] {
            return None;
        }
        let mut room = self.room(window, Kind::Close, byte, 2)?;
        room.push(byte);
        if ends_line {
            room.push(b'\n');
            self.begun = true;
        }
        if several {
            self.brackets.close(level);
        }
        self.depth = level;
        self.last = if ends_line { Last::Nothing } else { Last::Whole };
        Some(room.at)
    }

    fn pairs(&self) -> &'static [(u8, u8)] {
        &self.speller.syntax.pairs[..self.speller.syntax.pair_count]
    }

    /// `apart`: whether nothing but brackets may touch it.
    #[inline(always)]
    fn atom_at_once(&mut self, kind: Kind, bytes: &[u8], window: &mut [u8], apart: bool) -> Option<usize> {
        let room = match self.speller.at_a_glance(kind, bytes)? {
            Spelling::AsIs => {
                let mut room = self.room(window, kind, *bytes.first()?, bytes.len())?;
                if !room.copy_while(bytes, &self.speller.inside, bit(Kind::Bare)).is_empty() {
                    return None;
                }
                self.last = if apart { Last::Quoted } else { Last::Bare };
                room
            }
            // It is shown to be whole by what comes after it.
            Spelling::Quoted(quote) if quote.doubled => return None,
            Spelling::Quoted(quote) => {
                let mut room = self.room(window, kind, quote.open, bytes.len().checked_mul(quote.longest_escape())?.checked_add(2)?)?;
                room.push(quote.open);
                room.text(quote, &self.speller.inside, bytes);
                room.push(quote.close);
                self.last = if apart { Last::Quoted } else { Last::Whole };
                room
            }
            Spelling::Counted => {
                let digits = Digits::of(bytes.len() as u64);
                let mut room = self.room(window, kind, digits.bytes()[0], bytes.len().checked_add(21)?)?;
                digits.bytes().iter().for_each(|&digit| room.push(digit));
                room.push(b':');
                room.copy(bytes);
                self.last = Last::Whole;
                room
            }
            _ => return None,
        };
        Some(room.at)
    }

    /// The room for the bytes of a lexeme, behind the separator; that is written.
    #[inline]
    fn room<'w>(&self, window: &'w mut [u8], kind: Kind, first: u8, most: usize) -> Option<Room<'w>> {
        let separator = self.separator(kind, first);
        if window.len() < most.checked_add(separator.len())? {
            return None;
        }
        let mut room = Room { window, at: 0 };
        match separator {
            [] => {}
            [byte] => room.push(*byte),
            bytes => room.copy(bytes),
        }
        Some(room)
    }
}

/// A window with room for what comes.
struct Room<'w> {
    window: &'w mut [u8],
    at: usize,
}

impl Room<'_> {
    #[inline]
    fn push(&mut self, byte: u8) {
        self.window[self.at] = byte;
        self.at += 1;
    }

    #[inline]
    fn copy(&mut self, bytes: &[u8]) {
        self.window[self.at..][..bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// Copies bytes, if the table has the `good` bit for all of them, else at most those before the first without; the rest.
    ///
    /// A few bytes take the same way whatever their number: see [`Output::encode`](super::Output::encode).
    #[inline]
    fn copy_while<'b>(&mut self, mut bytes: &'b [u8], inside: &[u8; 256], good: u8) -> &'b [u8] {
        let all = |bytes: &[u8]| bytes.iter().fold(good, |all, &byte| all & inside[byte as usize]);
        while let Some((eight, rest)) = bytes.split_first_chunk::<8>() {
            if all(eight) == 0 {
                return bytes;
            }
            self.copy(eight);
            bytes = rest;
        }
        let len = bytes.len();
        if let (Some(head), Some(tail)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            if all(head) & all(tail) == 0 {
                return bytes;
            }
            let room = &mut self.window[self.at..][..len];
            room[..4].copy_from_slice(head);
            room[len - 4..].copy_from_slice(tail);
        } else if len > 0 {
            let few = [bytes[0], bytes[len / 2], bytes[len - 1]];
            if all(&few) == 0 {
                return bytes;
            }
            let room = &mut self.window[self.at..][..len];
            (room[0], room[len / 2], room[len - 1]) = few.into();
        }
        self.at += len;
        &[]
    }

    /// Writes what stands in quotes.
    #[inline(always)]
    fn text(&mut self, quote: &Quote, inside: &[u8; 256], mut bytes: &[u8]) {
        loop {
            bytes = self.copy_while(bytes, inside, bit(Kind::String));
            if bytes.is_empty() {
                return;
            }
            // One that is written otherwise is among the next eight.
            while let [byte, rest @ ..] = bytes {
                match quote.write[*byte as usize] {
                    Write::Plain => self.push(*byte),
                    write => {
                        let (text, len, taken) = not_plain(quote, bytes, write);
                        text[..len].iter().for_each(|&byte| self.push(byte));
                        bytes = &bytes[taken..];
                        break;
                    }
                }
                bytes = rest;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::encode::{Encode, EncodeOptions, Encoder, Layout};
    use crate::lexeme::{Kind, Lexeme};
    use crate::scan::Kernel;
    use crate::syntax::Syntax;
    use alloc::vec::Vec;

    /// What is written when there is room, and when the machine has to stop at every byte.
    fn both_ways(mut encoder: Encoder, lexemes: &[Lexeme<'_>]) -> [Vec<u8>; 2] {
        let mut stopping = encoder.clone();
        let mut window = [0; 4096];
        let mut output = encoder.window(&mut window);
        let mut text = Vec::new();
        for &lexeme in lexemes {
            let outcome = output.encode(lexeme);
            loop {
                let mut window = [0];
                let mut output = stopping.window(&mut window);
                let step = output.encode(lexeme);
                text.extend_from_slice(output.bytes());
                if step != Encode::Partial {
                    assert_eq!(step, outcome, "{lexeme:?}");
                    break;
                }
            }
        }
        [output.bytes().to_vec(), text]
    }

    /// Atoms of all lengths, with each of some bytes in each place: the short ways come to the same as the machine.
    #[test]
    fn the_machine_would_write_the_same() {
        let kernels: Vec<_> = [Kernel::Portable].into_iter().chain(Some(Kernel::best()).filter(|&best| best != Kernel::Portable)).collect();
        for (&syntax, &kernel) in Syntax::ALL.iter().flat_map(|syntax| kernels.iter().map(move |kernel| (syntax, kernel))) {
            for layout in [Layout::Compact, Layout::Lines, Layout::Indent] {
                for respell in [false, true] {
                    let encoder = Encoder::with_kernel(syntax, EncodeOptions::new().layout(layout).respell(respell), kernel);
                    for len in (0..=9).chain([12, 16, 17, 20, 31, 32, 33]) {
                        for place in 0..len.max(1) {
                            for byte in *b"a1:#|;\"\\() \n\0\x7f\xef\xff" {
                                let mut atom = [b'x'; 33];
                                atom[place] = byte;
                                let atom = &atom[..len];
                                let kinds =
                                    [Kind::Bare, Kind::String, Kind::Octets, Kind::Symbol, Kind::Bare].map(|kind| Lexeme::new(kind, atom));
                                let [a, b, c, d, e] = kinds;
                                let pairs = &syntax.pairs[..syntax.pair_count];
                                let [open, close] = [pairs[len % pairs.len()], pairs[place % pairs.len()]].map(|(open, _)| open);
                                let closes = |open: u8| pairs.iter().find(|pair| pair.0 == open).map_or(b')', |pair| pair.1);
                                let (inner, outer) = ([closes(close)], [closes(open)]);
                                let (open, close) = ([open], [close]);
                                let (outer_open, inner_open) = (Lexeme::new(Kind::Open, &open), Lexeme::new(Kind::Open, &close));
                                let (outer, inner) = (Lexeme::new(Kind::Close, &outer), Lexeme::new(Kind::Close, &inner));
                                // Those that the syntax does not have are refused both ways.
                                let others =
                                    [(Kind::Char, &b"#\\a"[..]), (Kind::Prefix, b"'"), (Kind::Comment, b"; c"), (Kind::Symbol, b"a b")];
                                let [character, prefix, comment, symbol] = others.map(|(kind, text)| Lexeme::new(kind, text));
                                let lexemes = [
                                    outer_open, a, b, inner_open, c, d, inner, e, a, character, a, inner_open, outer, inner, symbol,
                                    inner_open, prefix, a, comment, outer_open, b, outer, inner, character, outer, outer, a, b,
                                ];
                                let [at_once, stopping] = both_ways(encoder.clone(), &lexemes);
                                assert_eq!(at_once, stopping, "{} {layout:?} {atom:?}", syntax.name());
                            }
                        }
                    }
                }
            }
        }
    }
}
