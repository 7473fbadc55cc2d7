//! Lexemes that are written at once: their spelling is seen at a glance, and there is room for them whatever their bytes are.
//!
//! The [machine](super::machine) would write the same, step by step. This is for speed, and may leave to it what it likes.

use super::machine::{Last, Machine};
use super::spelling::{Digits, Spelling, escape};
use crate::lexeme::Kind;
use crate::syntax::{Quote, Write};

impl Machine {
    /// Writes a lexeme to the window behind `at`, if it can be written at once; the place behind it.
    pub(super) fn write_at_once(&mut self, kind: Kind, bytes: &[u8], window: &mut [u8], at: usize) -> Option<usize> {
        if !self.at_once {
            return None;
        }
        let room = match self.speller.at_a_glance(kind, bytes)? {
            Spelling::AsIs => {
                let mut room = self.room(window, at, kind, bytes[0], bytes.len())?;
                room.copy(bytes);
                self.last = Last::Bare;
                room
            }
            Spelling::Quoted(quote) => {
                let mut room = self.room(window, at, kind, quote.open, bytes.len().checked_mul(4)? + 2)?;
                room.push(quote.open);
                room.text(quote, bytes);
                room.push(quote.close);
                self.last = Last::Whole;
                room
            }
            Spelling::Counted => {
                let digits = Digits::of(bytes.len() as u64);
                let mut room = self.room(window, at, kind, digits.bytes()[0], bytes.len().checked_add(21)?)?;
                digits.bytes().iter().for_each(|&digit| room.push(digit));
                room.push(b':');
                room.copy(bytes);
                self.last = Last::Whole;
                room
            }
            Spelling::Hex(_) | Spelling::Base64(_) => return None,
        };
        Some(room.at)
    }

    /// The room for the bytes of a lexeme, behind the separator; that is written.
    #[inline]
    fn room<'w>(&self, window: &'w mut [u8], at: usize, kind: Kind, first: u8, most: usize) -> Option<Room<'w>> {
        let separator = self.separator(kind, first);
        if window.len() - at < most.checked_add(separator.len())? {
            return None;
        }
        let mut room = Room { window, at };
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

    /// Writes what stands in quotes.
    #[inline]
    fn text(&mut self, quote: &Quote, mut bytes: &[u8]) {
        let plain = |byte: u8| quote.write[byte as usize] == Write::Plain;
        loop {
            if let Some((eight, rest)) = bytes.split_first_chunk::<8>()
                && eight.iter().fold(true, |all, &byte| all & plain(byte))
            {
                self.copy(eight);
                bytes = rest;
            } else if let [byte, rest @ ..] = bytes {
                if plain(*byte) {
                    self.push(*byte);
                } else {
                    let (escape, len) = escape(quote, *byte, quote.write[*byte as usize]);
                    escape[..len].iter().for_each(|&byte| self.push(byte));
                }
                bytes = rest;
            } else {
                return;
            }
        }
    }
}
