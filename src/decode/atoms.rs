//! Atoms: where they run on over chunks, where they end, and what becomes of their bytes.

use super::hints::Hint;
use super::tokens::Token;
use super::utf8::Utf8;
use super::{Chunk, Found, Machine, Piece, State, Step, unknown};
use crate::error::ErrorKind;
use crate::lexeme::{Kind, Span};
use crate::syntax::{Cont, Written};
use core::ops::Range;

impl Machine {
    #[inline(always)]
    pub(super) fn begin_token(&mut self, offset: u64) {
        self.token.offset = offset;
        self.token.line = 0;
        if !self.options.verbatim || !self.is_in_hint() {
            self.kept = offset;
            // What is left of a faulty token.
            if self.options.verbatim {
                self.forget_value();
            }
        }
    }

    /// From the byte `from` on a bare atom runs, of which `at` is the next byte to look at.
    #[inline(always)]
    pub(super) fn in_atom(&mut self, chunk: &Chunk<'_>, at: &mut usize, from: usize, last: u8) -> Option<Step> {
        let bytes = chunk.bytes;
        let mut i = *at;
        loop {
            let Some(&byte) = bytes.get(i) else {
                *at = i;
                let last = if i > from { bytes[i - 1] } else { last };
                if i > from && self.syntax.cont[last as usize] == Cont::Guard {
                    self.part = self.lines.place(chunk.source, chunk.source_base, chunk.offset(i - 1));
                }
                if self.token.line == 0 {
                    self.token = self.lines.place(chunk.source, chunk.source_base, self.token.offset);
                }
                self.state = State::InAtom(last);
                if self.special || self.dropped || self.options.fragments.is_some() {
                    return self.pause(chunk, Kind::Bare, from..i);
                }
                self.length += (i - from) as u64;
                self.store(&bytes[from..i]);
                return Some(Step::Await);
            };
            match self.syntax.cont[byte as usize] {
                Cont::Atom => i += 1,
                Cont::Guard => {
                    let before = if i > from { bytes[i - 1] } else { last };
                    if self.syntax.guard.is_some_and(|(a, b)| (before, byte) == (a, b) || (before, byte) == (b, a)) && !self.dropped {
                        *at = i + 1;
                        self.state = State::InAtom(byte);
                        let first = if i > from { unknown(chunk.offset(i - 1)) } else { self.part };
                        let (kind, place) = self.keep(&bytes[from..i]).map_or((ErrorKind::CommentInAtom, first), |kind| (kind, self.token));
                        self.drop_atom();
                        return Some(self.fault_at(chunk, kind, place, None));
                    }
                    i += 1;
                }
                Cont::Escape | Cont::Bars | Cont::Variable => {
                    *at = i;
                    self.atom_turns(chunk, from, i);
                    return None;
                }
                Cont::WideSpace => {
                    let second = self.syntax.wide_space.map(|[_, second]| second);
                    match bytes.get(i + 1) {
                        None => {
                            *at = i + 1;
                            self.state = State::AfterWideSpace(None);
                            return self.keep(&bytes[from..i]).map(|kind| self.fault_at(chunk, kind, self.token, None));
                        }
                        next if next != second.as_ref() => i += 1,
                        _ => {
                            *at = i;
                            return self.atom_is_whole(chunk, at, Kind::Bare, from..i, 0);
                        }
                    }
                }
                Cont::End => {
                    *at = i;
                    if self.special || self.dropped || self.pieces || self.syntax.quote_switch.is_some() {
                        return self.bare_is_whole(chunk, at, from..i);
                    }
                    self.state = State::Between;
                    self.any = true;
                    let span = Span { start: self.token.offset, end: chunk.offset(i) };
                    if self.length == 0 {
                        return Some(self.found(Kind::Bare, Some((from, i)), span));
                    }
                    self.length = 0;
                    self.spent = true;
                    self.store(&bytes[from..i]);
                    return Some(self.found(Kind::Bare, None, span));
                }
            }
        }
    }

    /// What was a bare atom up to `i` goes on with something that makes another token of it.
    #[cold]
    fn atom_turns(&mut self, chunk: &Chunk<'_>, from: usize, i: usize) {
        let token = match self.syntax.cont[chunk.bytes[i] as usize] {
            Cont::Variable => Token::Template,
            _ => Token::Escaped,
        };
        self.in_quotes = false;
        self.block_escapes = None;
        self.variable = false;
        self.atom_becomes(chunk, from, State::InToken(token));
    }

    /// A bare atom is complete; some want to know more of it than that.
    #[cold]
    fn bare_is_whole(&mut self, chunk: &Chunk<'_>, at: &mut usize, run: Range<usize>) -> Option<Step> {
        let keeps = self.stores();
        let switches = keeps
            && self.syntax.quote_switch.is_some_and(|word| {
                let head = word.len().checked_sub(run.len()).map(|len| word.split_at(len));
                head.is_some_and(|(head, tail)| {
                    (self.length == 0 && head.is_empty() || self.value == head) && tail == &chunk.bytes[run.clone()]
                })
            });
        let step = self.atom_is_whole(chunk, at, Kind::Bare, run, 0);
        if matches!(self.state, State::Between) {
            if switches {
                self.state = State::BeforeQuoteSwitch;
            } else if self.syntax.separators {
                self.state = State::AfterToken;
            }
        }
        step
    }

    /// An atom is complete: its last bytes are that run of the chunk, and a delimiter of so many bytes follows, of which `at` stands at the first.
    ///
    /// If it turns out to be faulty the machine stays in the atom, which is then dropped when its end is seen again.
    #[inline]
    pub(super) fn atom_is_whole(
        &mut self,
        chunk: &Chunk<'_>,
        at: &mut usize,
        kind: Kind,
        run: Range<usize>,
        delimiter: usize,
    ) -> Option<Step> {
        let in_chunk = if self.length == 0 && !self.dropped {
            if self.options.atom.is_some_and(|limit| run.len() as u64 > limit) {
                self.drop_atom();
                return Some(self.fault_at(chunk, ErrorKind::AtomTooLarge, self.token, None));
            }
            if self.announced.is_some_and(|length| length != run.len() as u64) {
                self.drop_atom();
                return Some(self.fault_at(chunk, ErrorKind::LengthMismatch, self.token, None));
            }
            Some((run.start, run.end))
        } else {
            if let Some(kind) = self.keep(&chunk.bytes[run]) {
                return Some(self.fault_at(chunk, kind, self.token, None));
            }
            if !self.dropped && self.announced.is_some_and(|length| length != self.length) {
                self.drop_atom();
                return Some(self.fault_at(chunk, ErrorKind::LengthMismatch, self.token, None));
            }
            None
        };
        self.state = if self.syntax.separators && delimiter > 0 { State::AfterToken } else { State::Between };
        *at += delimiter;
        if self.dropped {
            self.forget_atom();
            self.forget_value();
            return self.datum_is_whole(chunk, *at);
        }
        self.hand_out(chunk, kind, in_chunk, *at)
    }

    /// Delivers an atom, or keeps it for its hint, or drops it with its comment.
    #[inline]
    pub(super) fn hand_out(&mut self, chunk: &Chunk<'_>, kind: Kind, run: Option<(usize, usize)>, end: usize) -> Option<Step> {
        let behind = if self.block_escapes.is_some() { self.block_end } else { chunk.offset(end) };
        let span = Span { start: self.token.offset, end: behind };
        self.has_datum();
        if self.hint == Hint::Inside {
            if let Some((from, to)) = run
                && self.stores()
                && !self.raw
            {
                self.value.extend_from_slice(&chunk.bytes[from..to]);
            }
            self.forget_atom();
            self.set_hint(Hint::Held { whole: true });
            return None;
        }
        if self.too_deep > 0 || self.discard.active() {
            self.forget_atom();
            self.forget_value();
            return self.datum_is_whole(chunk, end);
        }
        if self.hint != Hint::No {
            self.set_hint(Hint::No);
        }
        let (kind, run) = if self.raw { self.written(chunk, kind, end) } else { (kind, run) };
        self.complete |= self.options.single && self.nesting.depth == 0;
        self.any = true;
        self.spent = run.is_none();
        let step = if self.pieces { self.piece(kind, run, true, span) } else { self.found(kind, run, span) };
        self.forget_atom();
        Some(step)
    }

    /// The text of an atom that is complete before `end`, and its kind.
    #[cold]
    fn written(&mut self, chunk: &Chunk<'_>, kind: Kind, end: usize) -> (Kind, Option<(usize, usize)>) {
        // Behind the last line of a block something was read that does not belong to it.
        let more = if self.block_escapes.is_some() { (chunk.offset(end) - self.block_end) as usize } else { 0 };
        let run = match self.text(chunk, end) {
            Some((from, to)) => Some((from, to - more)),
            None => {
                self.value.truncate(self.value.len() - more);
                None
            }
        };
        let quoted = self.in_quotes && self.rules().written == Written::WithVariable;
        if quoted { self.decode_text(chunk, kind, run) } else { (kind, run) }
    }

    /// The chunk ends in an atom, of which it holds that run.
    #[inline]
    pub(super) fn pause(&mut self, chunk: &Chunk<'_>, kind: Kind, run: Range<usize>) -> Option<Step> {
        if !self.stores() {
            return match self.keep(&chunk.bytes[run]) {
                Some(kind) => Some(self.fault_at(chunk, kind, self.token, None)),
                None => Some(Step::Await),
            };
        }
        let whole = self.hint == Hint::Inside || self.raw || kind == Kind::Bare && self.syntax.atoms_turn;
        let most = if whole { None } else { self.options.fragments };
        let due = |length: usize| most.is_some_and(|most| length > most);
        if self.value.is_empty() && due(run.len()) {
            // Large enough to be handed out from where it stands.
            if let Some(kind) = self.count(run.len()) {
                return Some(self.fault_at(chunk, kind, self.token, None));
            }
            let span = Span { start: self.token.offset, end: chunk.offset(run.end) };
            return Some(self.piece(kind, Some((run.start, run.end)), false, span));
        }
        let end = chunk.offset(run.end);
        if let Some(kind) = self.keep(&chunk.bytes[run]) {
            return Some(self.fault_at(chunk, kind, self.token, None));
        }
        if due(self.value.len()) {
            self.spent = true;
            let span = Span { start: self.token.offset, end };
            return Some(self.piece(kind, None, false, span));
        }
        Some(Step::Await)
    }

    /// A lexeme is delivered.
    #[inline]
    pub(super) fn found(&mut self, kind: Kind, run: Option<(usize, usize)>, span: Span) -> Step {
        self.found = Found { kind, run, span };
        Step::Lexeme
    }

    /// A piece of an atom is delivered.
    #[cold]
    pub(super) fn piece(&mut self, kind: Kind, run: Option<(usize, usize)>, last: bool, span: Span) -> Step {
        self.found = Found { kind, run, span };
        self.piece = Piece { first: !self.pieces, last, total: self.announced };
        self.pieces = true;
        self.any = true;
        Step::Fragment
    }

    /// Whether the atom's bytes are wanted.
    #[inline]
    pub(super) fn stores(&self) -> bool {
        !(self.dropped || self.too_deep > 0 || self.blocks > 0 || self.annotations > 0 || self.discard.active() || self.silent)
    }

    /// Adds bytes to the value, of which there are mostly few.
    #[inline(always)]
    fn store(&mut self, bytes: &[u8]) {
        match *bytes {
            [] => {}
            [byte] => self.value.push(byte),
            _ => self.value.extend_from_slice(bytes),
        }
    }

    /// Counts bytes of the atom's value; comes to a fault where there are too many.
    #[inline]
    pub(super) fn count(&mut self, bytes: usize) -> Option<ErrorKind> {
        if self.dropped || self.blocks > 0 || self.annotations > 0 {
            return None;
        }
        self.length += bytes as u64;
        if self.options.atom.is_some_and(|limit| self.length > limit) {
            self.drop_atom();
            return Some(ErrorKind::AtomTooLarge);
        }
        None
    }

    /// Adds bytes to the atom's value.
    #[inline]
    pub(super) fn keep(&mut self, bytes: &[u8]) -> Option<ErrorKind> {
        let fault = self.count(bytes.len());
        if fault.is_none() && self.stores() && !self.raw {
            self.value.extend_from_slice(bytes);
        }
        fault
    }

    /// The rest of the atom is skipped.
    pub(super) fn drop_atom(&mut self) {
        self.dropped = true;
        self.utf8 = Utf8::default();
        self.forget_value();
    }

    pub(super) fn forget_value(&mut self) {
        if self.comment.is_none() {
            self.value.clear();
        }
    }

    #[inline]
    pub(super) fn forget_atom(&mut self) {
        self.length = 0;
        self.announced = None;
        self.dropped = false;
        self.pieces = false;
        if self.raw {
            self.raw = self.options.verbatim;
            self.in_quotes = false;
            self.block_escapes = None;
            self.note();
        }
    }
}
