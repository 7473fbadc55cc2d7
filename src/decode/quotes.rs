//! What is in quotes, and where the quotes end.

use super::{Chunk, Machine, State, Step, unknown};
use crate::error::ErrorKind;
use crate::lexeme::Kind;
use crate::syntax::{Quote, Start, Text, Written};

/// So many bytes are faster looked at one by one.
const FEW: usize = 16;

impl Machine {
    /// What stands in the quotes of that number begins.
    #[inline]
    pub(super) fn begin_quotes(&mut self, quote: u8) {
        self.quote = quote;
        self.state = State::InQuotes;
        if self.syntax.quotes[quote as usize].written != Written::Never || self.raw {
            self.begin_written_quotes();
        }
    }

    #[cold]
    fn begin_written_quotes(&mut self) {
        self.in_quotes = true;
        self.escaped = false;
        self.variable = false;
        self.block_escapes = None;
        self.raw = true;
        self.special = true;
    }

    pub(super) fn rules(&self) -> &'static Quote {
        &self.syntax.quotes[self.quote as usize]
    }

    pub(super) fn in_quotes(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let quote = self.rules();
        let from = *at;
        let rest = &chunk.bytes[from..];
        let skip = match self.syntax.quote_and_escape {
            Some((close, lead)) if self.quote == 0 && rest.len() > FEW => memchr::memchr2(close, lead, rest),
            _ => rest.iter().position(|&byte| quote.text[byte as usize] != Text::Plain),
        };
        if self.syntax.utf8
            && let Some(step) = self.check_quotes(chunk, at, skip.map_or(chunk.bytes.len(), |skip| from + skip), skip.is_some())
        {
            return Some(step);
        }
        let Some(skip) = skip else {
            *at = chunk.bytes.len();
            return self.pause(chunk, quote.kind, from..chunk.bytes.len());
        };
        let here = from + skip;
        *at = here + 1;
        let byte = chunk.bytes[here];
        match quote.text[byte as usize] {
            Text::Close if self.blocks > 0 || self.annotations > 0 => {
                self.forget_atom();
                self.state = if self.blocks > 0 { State::InBlock } else { State::InAnnotation { illegal: false } };
                None
            }
            Text::Close if quote.doubled || quote.second.is_some() => {
                let second = quote.second.unwrap_or(quote.close);
                match chunk.bytes.get(*at) {
                    None => {
                        self.state = State::AfterQuote;
                        self.push(chunk, &chunk.bytes[from..here])
                    }
                    Some(&next) if next == second && quote.doubled => {
                        *at += 1;
                        self.push(chunk, &chunk.bytes[from..=here])
                    }
                    Some(&next) if next == second || quote.doubled => {
                        *at = here;
                        self.atom_is_whole(chunk, at, quote.kind, from..here, 1 + usize::from(!quote.doubled))
                    }
                    Some(_) => self.push(chunk, &chunk.bytes[from..=here]),
                }
            }
            Text::Close => {
                *at = here;
                if self.raw
                    && let Some(fault) = self.count_written(chunk, here + 1)
                {
                    return Some(fault);
                }
                self.atom_is_whole(chunk, at, quote.kind, from..here, 1)
            }
            Text::Return => {
                self.state = State::AfterReturnInQuotes;
                let step = self.push(chunk, &chunk.bytes[from..here]);
                step.or(self.push(chunk, b"\n"))
            }
            Text::Codes => {
                self.part = unknown(chunk.offset(here));
                self.state = State::InCodes { value: 0, any: false };
                self.push(chunk, &chunk.bytes[from..here])
            }
            Text::Variable => {
                self.state = State::AfterVariableLead;
                self.push(chunk, &chunk.bytes[from..=here])
            }
            Text::LineEnd => {
                *at = here;
                if let Some(kind) = self.keep(&chunk.bytes[from..here]) {
                    return Some(self.fault_at(chunk, kind, self.token, None));
                }
                self.breaks_off(chunk, ErrorKind::UnterminatedString, here)
            }
            Text::Escape => {
                self.part = unknown(chunk.offset(here));
                self.modifiers = 0;
                self.state = State::AfterEscape;
                self.keep(&chunk.bytes[from..here]).map(|kind| self.fault_at(chunk, kind, self.token, None))
            }
            Text::Illegal if self.dropped => None,
            Text::Illegal | Text::Plain => {
                let too_large = self.keep(&chunk.bytes[from..here]);
                self.drop_atom();
                Some(match too_large {
                    Some(kind) => self.fault_at(chunk, kind, self.token, None),
                    None => self.fault(chunk, ErrorKind::IllegalInString(byte), chunk.offset(here), None),
                })
            }
        }
    }

    /// After a closing quote with which the chunk ended: the byte after it shows whether it was one.
    pub(super) fn after_quote(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let quote = self.rules();
        let second = chunk.bytes[*at] == quote.second.unwrap_or(quote.close);
        self.state = State::InQuotes;
        if second && quote.doubled {
            *at += 1;
            return self.push(chunk, &[quote.close]);
        }
        if second || quote.doubled {
            return self.atom_is_whole(chunk, at, quote.kind, 0..0, usize::from(!quote.doubled));
        }
        self.push(chunk, &[quote.close])
    }

    /// After a carriage return that was read as a line feed.
    pub(super) fn after_return_in_quotes(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        *at += usize::from(chunk.bytes[*at] == b'\n');
        self.state = State::InQuotes;
        None
    }

    /// Whether the machine is in a string, or an escape in it, which may be due to be handed out in pieces.
    pub(super) fn is_in_quotes(&self) -> bool {
        matches!(
            self.state,
            State::InQuotes
                | State::AfterEscape
                | State::InNumber { .. }
                | State::AfterEscapedReturn
                | State::AfterEscapedLineFeed
                | State::AmongBlanks
                | State::AfterQuote
                | State::AfterReturnInQuotes
                | State::BeforeEscapedLineEnd { .. }
                | State::InNumberName { .. }
                | State::InCodes { .. }
                | State::InModifier { .. }
        )
    }

    /// Adds what an escape stands for.
    pub(super) fn push(&mut self, chunk: &Chunk<'_>, bytes: &[u8]) -> Option<Step> {
        self.keep(bytes).map(|kind| self.fault_at(chunk, kind, self.token, None))
    }

    /// The byte after the atom that switches quotes: an atom, and perhaps the quote from then on.
    pub(super) fn before_quote_switch(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let here = *at;
        let byte = chunk.bytes[here];
        match self.syntax.start[byte as usize] {
            Start::Space => {
                *at += 1;
                if self.shows_space() {
                    self.switching = true;
                    self.begin_token(chunk.offset(here));
                    self.begin_text();
                    self.state = State::InSpace;
                }
                return None;
            }
            // It is nothing special where a form is complete that must be the only one.
            _ if self.complete => {
                self.state = State::Between;
                return None;
            }
            Start::Open | Start::Close => {
                self.state = State::Between;
                return None;
            }
            Start::Quote(quote) => self.only_quote = quote,
            _ => {}
        }
        *at += 1;
        self.begin_token(chunk.offset(here));
        self.begin_text();
        self.token_is_whole(chunk, at, Kind::Bare)
    }
}
