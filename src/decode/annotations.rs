//! Annotations of WebAssembly: `(@name …)`, which count as comments.

use super::{Chunk, Machine, State, Step};
use crate::error::ErrorKind;
use crate::syntax::{Cont, Start};

impl Machine {
    /// After `(@`: the byte that begins the name.
    pub(super) fn before_annotation(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let byte = chunk.bytes[*at];
        let quote = matches!(self.syntax.start[byte as usize], Start::Quote(_));
        if self.syntax.cont[byte as usize] == Cont::End && !quote {
            return self.no_annotation(chunk);
        }
        self.outer = self.token;
        self.begin_comment(chunk, self.token);
        self.annotations = 1;
        self.state = State::InAnnotation { illegal: false };
        None
    }

    /// `(@` without a name: the `@` begins an atom.
    pub(super) fn no_annotation(&mut self, chunk: &Chunk<'_>) -> Option<Step> {
        if self.complete && !self.discard.active() {
            return Some(self.trailing(chunk));
        }
        self.illegal_lead(chunk, b'(', b'@')
    }

    pub(super) fn in_annotation(&mut self, chunk: &Chunk<'_>, at: &mut usize, illegal: bool) -> Option<Step> {
        let mut illegal = illegal;
        while let Some(&byte) = chunk.bytes.get(*at) {
            *at += 1;
            match byte {
                b'(' | b';' => {
                    self.state = State::AfterLeadInAnnotation(byte);
                    return None;
                }
                b')' => {
                    self.annotations -= 1;
                    if self.annotations == 0 {
                        self.state = State::Between;
                        return self.end_comment(chunk, *at, 0);
                    }
                }
                b'"' => {
                    self.quote = 0;
                    self.state = State::InQuotes;
                    return None;
                }
                b'\t' | b'\n' | b'\r' | 0x20..=0x7e => illegal = false,
                _ if illegal => {}
                _ => {
                    self.state = State::InAnnotation { illegal: true };
                    return Some(self.fault(chunk, ErrorKind::IllegalByte(byte), chunk.offset(*at - 1), None));
                }
            }
        }
        self.state = State::InAnnotation { illegal };
        None
    }

    pub(super) fn after_lead_in_annotation(&mut self, chunk: &Chunk<'_>, at: &mut usize, lead: u8) -> Option<Step> {
        let byte = chunk.bytes[*at];
        self.state = State::InAnnotation { illegal: false };
        match (lead, byte) {
            (b'(', b';') => {
                *at += 1;
                self.ill = false;
                self.blocks = 1;
                self.state = State::InBlock;
            }
            (b'(', _) => self.annotations += 1,
            (_, b';') => {
                *at += 1;
                self.ill = false;
                self.state = State::InLineComment;
            }
            _ => {}
        }
        None
    }
}
