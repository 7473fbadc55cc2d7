//! Short steps: over what needs no decision, in chunks of few bytes, for which looking ahead does not pay.

use super::{Chunk, Machine, State, Step};
use crate::lexeme::{Kind, Span};
use crate::place;
use crate::syntax::{Cont, Start};
use core::mem;

impl Machine {
    /// A step over what needs no decision: delimiters, spaces, and bare atoms, be they cut or not. None where the step is for
    /// [`step`](Machine::step), which then goes on as if it had begun it. There must be no armour, and no fragments to be delivered.
    #[inline(always)]
    pub(crate) fn short_step(&mut self, bytes: &[u8], base: u64, at: &mut usize) -> Option<Step> {
        if self.special {
            return None;
        }
        if self.spent {
            self.spent = false;
            self.value.clear();
        }
        if let State::InAtom(_) = self.state {
            if self.dropped {
                return None;
            }
            let from = *at;
            let Some((to, cont)) = self.atom_end(bytes, from) else {
                return Some(self.cut_atom(bytes, base, at));
            };
            if cont != Cont::End {
                return None;
            }
            *at = to;
            self.any = true;
            self.state = State::Between;
            let end = base + to as u64;
            if self.length == 0 {
                return Some(self.found(Kind::Bare, Some((from, to)), Span { start: self.token.offset, end }));
            }
            return Some(self.end_atom(&bytes[from..to], end));
        }
        if !matches!(self.state, State::Between) {
            return None;
        }
        while let Some(&byte) = bytes.get(*at) {
            let from = *at;
            let offset = base + from as u64;
            match self.syntax.start[byte as usize] {
                Start::Space => *at += 1,
                Start::Atom => {
                    let Some((to, cont)) = self.atom_end(bytes, from + 1) else {
                        if matches!(self.syntax.cont[byte as usize], Cont::Guard | Cont::WideSpace) {
                            return None;
                        }
                        self.begin_token(offset);
                        self.state = State::InAtom(0);
                        return Some(self.cut_atom(bytes, base, at));
                    };
                    if cont != Cont::End {
                        return None;
                    }
                    *at = to;
                    self.any = true;
                    return Some(self.found(Kind::Bare, Some((from, to)), Span { start: offset, end: base + to as u64 }));
                }
                // Of other pairs something is to be kept.
                Start::Open if self.nesting.depth < self.nesting.limit && byte == self.syntax.pairs[0].0 => {
                    *at += 1;
                    self.any = true;
                    self.nesting.open(offset);
                    return Some(self.found(Kind::Open, Some((from, from + 1)), Span { start: offset, end: offset + 1 }));
                }
                Start::Close if self.nesting.depth > self.brackets.bound && byte == self.syntax.pairs[0].1 => {
                    *at += 1;
                    self.nesting.close();
                    return Some(self.found(Kind::Close, Some((from, from + 1)), Span { start: offset, end: offset + 1 }));
                }
                _ => return None,
            }
        }
        let quiet = !self.nesting.opened_since(base) && !self.syntax.looks_back && place::few_in_one_line(bytes);
        Some(if quiet { Step::Await } else { self.leave(bytes, base) })
    }

    /// Where a bare atom that goes on with the byte at `from` ends, or may end, if it does in these bytes, and what the byte there is to it.
    #[inline(always)]
    fn atom_end(&self, bytes: &[u8], from: usize) -> Option<(usize, Cont)> {
        let mut to = from;
        loop {
            match self.syntax.cont[*bytes.get(to)? as usize] {
                Cont::Atom => to += 1,
                cont => return Some((to, cont)),
            }
        }
    }

    /// A bare atom goes on to the end of the bytes, or beyond.
    #[inline(always)]
    fn cut_atom(&mut self, bytes: &[u8], base: u64, at: &mut usize) -> Step {
        let from = mem::replace(at, bytes.len());
        match *bytes {
            // Byte by byte there is nothing else in the chunk.
            [byte] if from == 0 && byte != b'\n' && self.value.len() < self.value.capacity() && !self.syntax.looks_back => {
                if self.token.line == 0 {
                    self.token = self.lines.place_in_first_line(self.token.offset);
                }
                self.state = State::InAtom(byte);
                self.length += 1;
                self.value.push(byte);
                Step::Await
            }
            _ => self.keep_cut_atom(bytes, base, from),
        }
    }

    // Not inlined, as what follows: so a short step mostly calls nothing, and what it calls comes last; it has nothing to save.
    #[inline(never)]
    fn keep_cut_atom(&mut self, bytes: &[u8], base: u64, from: usize) -> Step {
        if self.token.line == 0 {
            let (offset, simple) = (self.token.offset, place::few_in_one_line(bytes));
            self.token = if simple { self.lines.place_in_first_line(offset) } else { self.lines.place(bytes, base, offset) };
        }
        if let Some(&last) = bytes[from..].last() {
            self.state = State::InAtom(last);
            self.length += (bytes.len() - from) as u64;
            self.value.extend_from_slice(&bytes[from..]);
        }
        self.leave(bytes, base)
    }

    /// A bare atom that was cut ends with these bytes.
    #[inline(never)]
    fn end_atom(&mut self, bytes: &[u8], end: u64) -> Step {
        if !bytes.is_empty() {
            self.value.extend_from_slice(bytes);
        }
        self.length = 0;
        self.spent = true;
        self.found(Kind::Bare, None, Span { start: self.token.offset, end })
    }

    /// The bytes are used up: works out the places that they are needed for.
    #[inline(never)]
    fn leave(&mut self, bytes: &[u8], base: u64) -> Step {
        self.places.leave(&self.nesting, &mut self.lines, bytes, base);
        if !place::few_in_one_line(bytes) {
            self.lines.leave(bytes, base, base + bytes.len() as u64);
        }
        if self.syntax.looks_back {
            self.look_back(&Chunk::new(bytes, base), bytes.len());
        }
        Step::Await
    }
}
