//! The decoder machine: explicit states, one step a lexeme, any cut.
//!
//! A step reads the chunk from where the last one stopped, until a lexeme or a fault is complete or the chunk is used up. What must outlive
//! the chunk is in [`State`] and in the few fields beside it: no byte is ever looked at again. An atom that lies in one chunk and needs no
//! decoding is handed out where it stands; of any other the decoded bytes gather in `value`.

use crate::discard::Discard;
use crate::error::{Error, ErrorKind};
use crate::lexeme::{Kind, Position, Span};
use crate::nesting::Nesting;
use crate::options::Options;
use crate::place::Lines;
use crate::syntax::{Cont, Continuation, Dispatch, Escape, Number, Quote, Start, Syntax, Text};
use alloc::vec::Vec;
use core::ops::Range;

/// Where the machine stands between two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// At the very start of an input that may begin with a byte order mark, of which so many bytes were there.
    AtStart(u8),
    /// Between lexemes.
    Between,
    /// After an illegal byte, whose like directly after it are skipped.
    AmongIllegal,
    /// After a carriage return that a line feed must follow.
    AfterReturn,
    /// In a bare atom, after the byte given.
    InAtom(u8),
    /// After the byte that begins comments, or an atom.
    AfterDispatch,
    /// In the digits of a length.
    InLength { value: u64, first_zero: bool },
    /// In the digits of a length that is too large.
    InLargeLength,
    /// In counted octets.
    InCounted { left: u64 },
    /// In quotes.
    InQuotes,
    /// After the escape character.
    AfterEscape,
    /// In a numeric escape.
    InNumber { number: Number, left: u8, value: u16 },
    /// After escape character and CR.
    AfterEscapedReturn,
    /// After escape character and LF, where a CR still belongs to the line end.
    AfterEscapedLineFeed,
    /// Among the blanks that begin a continued line.
    AmongBlanks,
    /// In hexadecimal octets, after an odd digit if one is given.
    InHex(Option<u8>),
    /// In base64 octets.
    InBase64(Base64),
    /// In a line comment.
    InLineComment,
    /// In a line comment, after a carriage return that a line feed must follow.
    AfterReturnInComment,
    /// In a block comment.
    InBlock,
    /// In a block comment, after the first byte of its opening delimiter.
    AfterLeadInBlock,
    /// In a block comment, after the first byte of its closing delimiter.
    AfterBarInBlock,
    /// Nothing that comes matters any more.
    Ignoring,
    /// The end was delivered.
    Ended,
}

/// Base64 digits on their way to octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Base64 {
    bits: u16,
    digits: u8,
    pads: u8,
}

/// What a base64 digit did.
pub(crate) enum Digit {
    Octet(u8),
    Nothing,
    AfterPad,
    Other,
}

impl Base64 {
    /// Takes one byte of base64.
    pub(crate) fn take(&mut self, byte: u8) -> Digit {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                self.pads = self.pads.saturating_add(1);
                return Digit::Nothing;
            }
            _ => return Digit::Other,
        };
        if self.pads > 0 {
            return Digit::AfterPad;
        }
        self.bits = self.bits << 6 & 0xfff | u16::from(value);
        self.digits = (self.digits + 1) % 4;
        match self.digits {
            2 => Digit::Octet((self.bits >> 4) as u8),
            3 => Digit::Octet((self.bits >> 2) as u8),
            0 => Digit::Octet(self.bits as u8),
            _ => Digit::Nothing,
        }
    }

    /// Whether digits and padding make whole octets. Padding may lack.
    pub(crate) fn whole(self) -> bool {
        match self.digits {
            0 => self.pads == 0,
            2 => self.pads <= 2,
            3 => self.pads <= 1,
            _ => false,
        }
    }
}

/// What a step came to. What there is to tell of it is in [`Machine::found`] or [`Machine::error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A lexeme.
    Lexeme,
    /// A piece of an atom.
    Fragment,
    /// The armour of a form was opened.
    Armour,
    /// The chunk is used up.
    Await,
    /// The input is over.
    End,
    /// A fault.
    Error,
}

/// A lexeme, or a piece of an atom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) kind: Kind,
    /// Where its bytes are in the chunk; else they are in [`Machine::value`], until the next step.
    pub(crate) run: Option<(usize, usize)>,
    pub(crate) span: Span,
}

/// What there is to tell of a piece of an atom beside that.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Piece {
    /// Whether it is the first.
    pub(crate) first: bool,
    /// Whether it is the last.
    pub(crate) last: bool,
    /// The length of the atom, where it was announced.
    pub(crate) total: Option<u64>,
}

/// Which part of a display hint was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hint {
    /// There is none.
    No,
    /// It was opened.
    Inside,
    /// Its atom was read, and is kept unless it was malformed.
    Held { whole: bool },
    /// It was delivered; its atom is to come.
    Done,
}

/// The machine.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) syntax: &'static Syntax,
    options: Options,
    pub(crate) state: State,
    pub(crate) nesting: Nesting,
    pub(crate) lines: Lines,
    /// The decoded bytes of an atom that could not be handed out where it stood.
    pub(crate) value: Vec<u8>,
    /// The last lexeme or piece.
    pub(crate) found: Found,
    pub(crate) piece: Piece,
    /// The last fault.
    pub(crate) error: Error,
    /// Whether `value` was handed out and is free again.
    spent: bool,
    /// How many bytes the value of the atom has so far, in `value` or handed out in fragments.
    length: u64,
    /// The length that was announced for the atom.
    announced: Option<u64>,
    /// Whether the rest of the atom, or comment, is skipped.
    dropped: bool,
    /// Whether fragments of the atom were handed out.
    pieces: bool,
    /// Which quote the machine is in.
    quote: u8,
    /// How many block comments are open.
    blocks: u64,
    /// Where the atom begins; its line is 0 until it is known.
    token: Position,
    /// Where the escape begins, or the carriage return is.
    part: Position,
    /// Where the display hint, the block comment or the armour begins.
    pub(crate) outer: Position,
    hint: Hint,
    discard: Discard,
    /// How many lists are open that are skipped because they are too deep.
    too_deep: u64,
    /// The comment that is gathered, to be delivered.
    comment: Option<Comment>,
    /// Whether anything but comments was delivered.
    any: bool,
    /// Whether the single form that is wanted is complete.
    complete: bool,
    /// Whether the bytes come out of the armour of a form.
    armoured: bool,
    /// Whether there is something to be done for each lexeme beyond delivering it: a limit, a hint, data to be dropped, a single form.
    special: bool,
}

/// A comment that is gathered as it is written, in `value` if not in one chunk.
#[derive(Clone, Copy, Debug)]
struct Comment {
    /// Where it begins.
    place: Position,
    /// Where in the chunk it goes on.
    from: usize,
    /// Whether it is larger than an atom may be.
    too_large: bool,
}

/// What a pending hint, or a form that was to be the only one, makes of a byte.
enum Gate {
    /// Nothing.
    Pass,
    /// It was taken.
    Taken,
    /// Something is complete.
    Step(Step),
}

const fn unknown(offset: u64) -> Position {
    Position { offset, line: 0, column: 0 }
}

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// The bytes of a step, and where they stand in the input.
#[derive(Clone, Copy)]
pub(crate) struct Chunk<'c> {
    /// The bytes.
    pub(crate) bytes: &'c [u8],
    /// Offset of the first of them.
    pub(crate) base: u64,
    /// The chunk of the input they were taken from: themselves, or what they were decoded from.
    source: &'c [u8],
    /// Offset of its first byte.
    source_base: u64,
    /// Whether the chunk of the input goes on after them.
    goes_on: bool,
}

impl<'c> Chunk<'c> {
    pub(crate) fn new(bytes: &'c [u8], base: u64) -> Self {
        Chunk { bytes, base, source: bytes, source_base: base, goes_on: false }
    }

    /// Bytes that were decoded from this chunk, and stand for its byte at that offset.
    pub(crate) fn decoded(&self, bytes: &'c [u8], base: u64) -> Self {
        Chunk { bytes, base, goes_on: true, ..*self }
    }

    #[inline]
    fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }
}

impl Machine {
    pub(crate) fn new(syntax: &'static Syntax, options: Options) -> Self {
        let mut machine = Machine {
            syntax,
            options,
            state: State::Between,
            nesting: Nesting::new(options.depth),
            lines: Lines::new(),
            value: Vec::new(),
            found: Found { kind: Kind::Open, run: None, span: Span { start: 0, end: 0 } },
            piece: Piece::default(),
            error: Error { kind: ErrorKind::NoForm, position: Position { offset: 0, line: 1, column: 1 }, opened: None },
            spent: false,
            length: 0,
            announced: None,
            dropped: false,
            pieces: false,
            quote: 0,
            blocks: 0,
            token: unknown(0),
            part: unknown(0),
            outer: unknown(0),
            hint: Hint::No,
            discard: Discard::default(),
            too_deep: 0,
            comment: None,
            any: false,
            complete: false,
            armoured: false,
            special: false,
        };
        machine.reset();
        machine
    }

    /// Ready for a new input. The buffers are kept.
    pub(crate) fn reset(&mut self) {
        self.state = if self.syntax.byte_order_mark { State::AtStart(0) } else { State::Between };
        self.nesting = Nesting::new(self.options.depth);
        self.lines = Lines::new();
        self.value.clear();
        self.spent = false;
        self.forget_atom();
        self.blocks = 0;
        self.set_hint(Hint::No);
        self.discard.clear();
        self.too_deep = 0;
        self.comment = None;
        self.any = false;
        self.complete = false;
        self.armoured = false;
        self.note();
    }

    fn set_hint(&mut self, hint: Hint) {
        self.hint = hint;
        self.note();
    }

    /// To be called where what makes lexemes special changes.
    fn note(&mut self) {
        self.special =
            self.options.single || self.options.atom.is_some() || self.hint != Hint::No || self.too_deep > 0 || self.discard.active();
    }

    /// What follows comes out of armour, or does no longer. What is unfinished is forgotten.
    pub(crate) fn set_armoured(&mut self, armoured: bool) {
        self.armoured = armoured;
        self.state = State::Between;
        self.set_hint(Hint::No);
        self.forget_atom();
        if !self.spent {
            self.value.clear();
        }
    }

    /// The bytes of a lexeme are about to go away: keeps them until the next step.
    pub(crate) fn own(&mut self, bytes: &[u8]) {
        if let Some((from, to)) = self.found.run.take() {
            self.value.extend_from_slice(&bytes[from..to]);
            self.spent = true;
        }
    }

    /// Line and column of a place.
    pub(crate) fn location(&mut self, chunk: &Chunk<'_>, offset: u64) -> Position {
        if offset < chunk.source_base && offset == self.token.offset && self.token.line != 0 {
            return self.token;
        }
        self.lines.place(chunk.source, chunk.source_base, offset)
    }

    /// The chunk goes away, of which the bytes before `at` are used up: whatever concerns it is worked out.
    #[inline(always)]
    pub(crate) fn stop(&mut self, chunk: &Chunk<'_>, at: usize) {
        if self.special || !matches!(self.state, State::Between | State::InAtom(_)) || self.comment.is_some() {
            self.stop_unfinished(chunk, at);
        }
        if !chunk.goes_on {
            self.nesting.leave(&mut self.lines, chunk.source, chunk.source_base);
            self.lines.leave(chunk.source, chunk.source_base, chunk.offset(at));
        }
    }

    /// Works out the places that may have to be told later, and keeps what was read of a comment.
    #[inline(never)]
    fn stop_unfinished(&mut self, chunk: &Chunk<'_>, at: usize) {
        let mut place = |mark: &mut Position| {
            if mark.line == 0 && mark.offset >= chunk.source_base {
                *mark = self.lines.place(chunk.source, chunk.source_base, mark.offset);
            }
        };
        place(&mut self.token);
        place(&mut self.part);
        place(&mut self.outer);
        if let Some(comment) = &mut self.comment {
            place(&mut comment.place);
            let comment = *comment;
            // A CR may be half of the line end, which is no part of a line comment.
            let line_end = self.state == State::AfterReturnInComment && !self.discard.active() && at > comment.from;
            self.keep_comment(comment, &chunk.bytes[comment.from..at - usize::from(line_end)]);
            self.comment = self.comment.map(|comment| Comment { from: at, ..comment });
        }
    }

    /// What was used up of the chunk has gone away; another one follows.
    #[inline]
    pub(crate) fn next_chunk(&mut self) {
        self.lines.next_chunk();
        if let Some(comment) = &mut self.comment {
            comment.from = 0;
        }
    }

    /// The first byte of the input shows whether it can begin with a byte order mark.
    #[inline]
    pub(crate) fn begin(&mut self, byte: u8) {
        if self.state == State::AtStart(0) && byte != BYTE_ORDER_MARK[0] {
            self.state = State::Between;
        }
    }

    /// Whether plain lexemes may be handed out as they come: between lexemes, and nothing asked for or pending that concerns each.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.state, State::Between)
            && (!self.special || self.hint == Hint::No && self.too_deep == 0 && !self.options.single && !self.discard.active())
    }

    /// How far plain lexemes may be looked for at once, so that no atom in it is beyond the limit.
    pub(crate) fn plain_window(&self) -> usize {
        self.options.atom.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
    }

    /// Lexemes were delivered past the machine.
    #[inline]
    pub(crate) fn delivered(&mut self) {
        self.any = true;
    }

    /// One step: from `at` on, until something is complete or the chunk is used up. `at` is then where it stopped.
    #[inline(always)]
    pub(crate) fn step(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Step {
        if self.spent {
            self.spent = false;
            self.value.clear();
        }
        // Where in the chunk the bare atom begins, or goes on.
        let mut from = *at;
        let step = loop {
            let step = match self.state {
                State::Between => self.between(chunk, at, &mut from),
                State::InAtom(last) => self.in_atom(chunk, at, from, last),
                _ => {
                    let step = self.step_elsewhere(chunk, at);
                    from = *at;
                    step
                }
            };
            if let Some(step) = step {
                break step;
            }
        };
        if step == Step::Await {
            self.stop(chunk, chunk.bytes.len());
        }
        step
    }

    /// As [`step`](Machine::step).
    #[inline(never)]
    pub(crate) fn step_out_of_line(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Step {
        self.step(chunk, at)
    }

    /// In the states that are neither between lexemes nor in a bare atom.
    #[inline(never)]
    fn step_elsewhere(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        if *at >= chunk.bytes.len() && self.state != State::Ended {
            return if self.is_in_quotes() { self.pause(chunk, self.rules().kind, *at..*at) } else { Some(Step::Await) };
        }
        match self.state {
            State::Between | State::InAtom(_) => None,
            State::InQuotes => self.in_quotes(chunk, at),
            State::InCounted { left } => self.in_counted(chunk, at, left),
            State::AtStart(seen) => self.at_start(chunk, at, seen),
            State::AmongIllegal => self.among_illegal(chunk, at),
            State::AfterReturn => self.after_return(chunk, at),
            State::AfterDispatch => self.after_dispatch(chunk, at),
            State::InLength { value, first_zero } => self.in_length(chunk, at, value, first_zero),
            State::InLargeLength => self.in_large_length(chunk, at),
            State::AfterEscape => self.after_escape(chunk, at),
            State::InNumber { number, left, value } => self.in_number(chunk, at, number, left, value),
            State::AfterEscapedReturn => self.after_escaped_return(chunk, at),
            State::AfterEscapedLineFeed => self.after_escaped_line_feed(chunk, at),
            State::AmongBlanks => self.among_blanks(chunk, at),
            State::InHex(high) => self.in_hex(chunk, at, high),
            State::InBase64(base64) => self.in_base64(chunk, at, base64),
            State::InLineComment => self.in_line_comment(chunk, at),
            State::AfterReturnInComment => self.after_return_in_comment(chunk, at),
            State::InBlock => self.in_block(chunk, at),
            State::AfterLeadInBlock => self.after_lead_in_block(chunk, at),
            State::AfterBarInBlock => self.after_bar_in_block(chunk, at),
            State::Ignoring => {
                *at = chunk.bytes.len();
                None
            }
            State::Ended => Some(Step::End),
        }
    }

    // Between lexemes.

    #[inline(always)]
    fn between(&mut self, chunk: &Chunk<'_>, at: &mut usize, from: &mut usize) -> Option<Step> {
        let bytes = chunk.bytes;
        while let Some(&byte) = bytes.get(*at) {
            let start = self.syntax.start[byte as usize];
            if start == Start::Space {
                *at += 1;
                continue;
            }
            if self.hint != Hint::No || self.complete {
                match self.gate(chunk, at, byte, start) {
                    Gate::Pass => {}
                    Gate::Taken => continue,
                    Gate::Step(step) => return Some(step),
                }
            }
            let here = *at;
            *at += 1;
            match start {
                Start::Atom => {
                    self.begin_token(chunk.offset(here));
                    self.state = State::InAtom(0);
                    *from = here;
                    return None;
                }
                Start::Open => return self.open(chunk, here),
                Start::Close => return self.close(chunk, at),
                Start::Quote(quote) => {
                    self.begin_token(chunk.offset(here));
                    self.quote = quote;
                    self.state = State::InQuotes;
                }
                Start::Length => {
                    self.begin_token(chunk.offset(here));
                    self.state = State::InLength { value: u64::from(byte - b'0'), first_zero: byte == b'0' };
                }
                Start::Hex => {
                    self.begin_token(chunk.offset(here));
                    self.state = State::InHex(None);
                }
                Start::Base64 => {
                    self.begin_token(chunk.offset(here));
                    self.state = State::InBase64(Base64::default());
                }
                Start::Hint => {
                    self.outer = unknown(chunk.offset(here));
                    self.set_hint(Hint::Inside);
                    continue;
                }
                Start::LineComment => {
                    self.begin_comment(chunk, unknown(chunk.offset(here)));
                    self.state = State::InLineComment;
                }
                Start::Dispatch => {
                    self.begin_token(chunk.offset(here));
                    let Some(&next) = bytes.get(*at) else {
                        self.state = State::AfterDispatch;
                        return None;
                    };
                    match self.dispatch(chunk, at, next) {
                        Dispatched::Comment => {}
                        Dispatched::Late => return Some(self.trailing(chunk)),
                        Dispatched::Atom => {
                            self.state = State::InAtom(0);
                            *from = here;
                        }
                    }
                }
                Start::Return => {
                    self.part = unknown(chunk.offset(here));
                    self.state = State::AfterReturn;
                }
                Start::Armour if self.nesting.depth == 0 && self.too_deep == 0 && self.hint == Hint::No && !self.armoured => {
                    self.outer = unknown(chunk.offset(here));
                    return Some(Step::Armour);
                }
                Start::Armour | Start::Illegal => {
                    self.state = State::AmongIllegal;
                    return Some(self.fault(chunk, ErrorKind::IllegalByte(byte), chunk.offset(here), None));
                }
                Start::Space => {}
            }
            if self.state != State::Between {
                return None;
            }
        }
        Some(Step::Await)
    }

    #[cold]
    fn gate(&mut self, chunk: &Chunk<'_>, at: &mut usize, byte: u8, start: Start) -> Gate {
        if self.complete && !self.discard.active() {
            if matches!(start, Start::LineComment | Start::Dispatch | Start::Return) {
                return Gate::Pass;
            }
            self.token = unknown(chunk.offset(*at));
            return Gate::Step(self.trailing(chunk));
        }
        let offset = chunk.offset(*at);
        let closes = self.syntax.hint.is_some_and(|(_, close)| byte == close);
        let misplaced = match self.hint {
            Hint::Held { whole } if closes => {
                *at += 1;
                return self.hint_is_whole(chunk, *at, whole);
            }
            Hint::Held { .. } => true,
            Hint::Inside if closes => {
                *at += 1;
                true
            }
            Hint::Inside | Hint::Done => matches!(start, Start::Open | Start::Close | Start::Hint),
            Hint::No => false,
        };
        if !misplaced {
            return Gate::Pass;
        }
        self.set_hint(Hint::No);
        self.forget_value();
        Gate::Step(self.fault(chunk, ErrorKind::MisplacedHint, offset, None))
    }

    fn hint_is_whole(&mut self, chunk: &Chunk<'_>, end: usize, whole: bool) -> Gate {
        if !whole {
            self.set_hint(Hint::No);
            return Gate::Taken;
        }
        self.set_hint(Hint::Done);
        if self.too_deep > 0 || self.discard.active() {
            self.forget_value();
            return Gate::Taken;
        }
        self.spent = true;
        self.any = true;
        self.token = self.outer;
        let span = Span { start: self.outer.offset, end: chunk.offset(end) };
        Gate::Step(self.found(Kind::Hint, None, span))
    }

    fn among_illegal(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let close = if self.hint == Hint::Inside { self.syntax.hint.map(|(_, close)| close) } else { None };
        let skip = chunk.bytes[*at..].iter().position(|&byte| self.syntax.start[byte as usize] != Start::Illegal || Some(byte) == close);
        match skip {
            Some(count) => {
                *at += count;
                self.state = State::Between;
            }
            None => *at = chunk.bytes.len(),
        }
        None
    }

    fn after_return(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        self.state = State::Between;
        if chunk.bytes[*at] == b'\n' {
            return None;
        }
        Some(self.fault_at(chunk, ErrorKind::ReturnWithoutLineFeed, self.part, None))
    }

    fn at_start(&mut self, chunk: &Chunk<'_>, at: &mut usize, seen: u8) -> Option<Step> {
        let entered = *at;
        let mut matched = seen as usize;
        while matched < 3 && chunk.bytes.get(*at) == Some(&BYTE_ORDER_MARK[matched]) {
            matched += 1;
            *at += 1;
        }
        if matched == 3 {
            self.lines.begin(3);
            self.state = State::Between;
        } else if *at == chunk.bytes.len() {
            self.state = State::AtStart(matched as u8);
        } else if seen == 0 {
            *at = entered;
            self.state = State::Between;
        } else {
            return self.no_mark(chunk, matched);
        }
        None
    }

    /// Those bytes of a byte order mark are gone, but it was none: they are what they are.
    fn no_mark(&mut self, chunk: &Chunk<'_>, matched: usize) -> Option<Step> {
        self.token = Position::default();
        self.state = State::Between;
        match self.syntax.start[BYTE_ORDER_MARK[0] as usize] {
            Start::Atom => {
                self.state = State::InAtom(BYTE_ORDER_MARK[matched - 1]);
                self.keep(&BYTE_ORDER_MARK[..matched]).map(|kind| self.fault_at(chunk, kind, self.token, None))
            }
            Start::Illegal => {
                self.state = State::AmongIllegal;
                Some(self.fault_at(chunk, ErrorKind::IllegalByte(BYTE_ORDER_MARK[0]), self.token, None))
            }
            _ => None,
        }
    }

    // Lists.

    fn open(&mut self, chunk: &Chunk<'_>, here: usize) -> Option<Step> {
        let offset = chunk.offset(here);
        if self.too_deep > 0 {
            self.too_deep += 1;
            return None;
        }
        if self.nesting.depth >= self.nesting.limit {
            self.too_deep = 1;
            self.note();
            return Some(self.fault(chunk, ErrorKind::TooDeep, offset, None));
        }
        if self.discard.active() {
            self.discard.open();
            self.nesting.open(offset);
            return None;
        }
        self.nesting.open(offset);
        self.any = true;
        Some(self.found(Kind::Open, Some((here, here + 1)), Span { start: offset, end: offset + 1 }))
    }

    fn close(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let here = *at - 1;
        let offset = chunk.offset(here);
        if self.too_deep > 0 {
            self.too_deep -= 1;
            self.note();
            return if self.too_deep == 0 { self.datum_is_whole(chunk, *at) } else { None };
        }
        if self.discard.active() {
            if self.discard.pending > 0 {
                *at = here;
                return Some(self.comment_without_datum(chunk, offset));
            }
            self.discard.close();
            self.nesting.close();
            return self.datum_is_whole(chunk, *at);
        }
        if self.nesting.depth == 0 {
            return Some(self.fault(chunk, ErrorKind::UnbalancedClose(chunk.bytes[here]), offset, None));
        }
        self.nesting.close();
        self.complete |= self.options.single && self.nesting.depth == 0;
        Some(self.found(Kind::Close, Some((here, here + 1)), Span { start: offset, end: offset + 1 }))
    }

    fn comment_without_datum(&mut self, chunk: &Chunk<'_>, offset: u64) -> Step {
        self.discard.pending = 0;
        self.note();
        if self.discard.inner == 0 {
            self.comment = None;
            self.forget_value();
        }
        self.fault(chunk, ErrorKind::CommentWithoutDatum, offset, None)
    }

    /// An atom or list is complete that is not delivered: what wanted a datum has it.
    fn datum_is_whole(&mut self, chunk: &Chunk<'_>, at: usize) -> Option<Step> {
        match self.hint {
            Hint::Inside => {
                self.set_hint(Hint::Held { whole: false });
                return None;
            }
            Hint::Done => self.set_hint(Hint::No),
            _ => {}
        }
        if self.too_deep > 0 {
            return None;
        }
        if self.discard.active() {
            self.discard.datum();
            self.note();
            if !self.discard.active() {
                return self.end_comment(chunk, at, 0);
            }
        } else {
            self.complete |= self.options.single && self.nesting.depth == 0;
        }
        None
    }

    // Atoms.

    #[inline(always)]
    fn begin_token(&mut self, offset: u64) {
        self.token.offset = offset;
        self.token.line = 0;
    }

    /// From the byte `from` on a bare atom runs, of which `at` is the next byte to look at.
    #[inline(always)]
    fn in_atom(&mut self, chunk: &Chunk<'_>, at: &mut usize, from: usize, last: u8) -> Option<Step> {
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
                match bytes[from..i] {
                    [byte] => self.value.push(byte),
                    ref bytes => self.value.extend_from_slice(bytes),
                }
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
                Cont::End => {
                    *at = i;
                    if self.special || self.dropped || self.length > 0 {
                        return self.atom_is_whole(chunk, at, Kind::Bare, from..i, 0);
                    }
                    self.state = State::Between;
                    self.any = true;
                    return Some(self.found(Kind::Bare, Some((from, i)), Span { start: self.token.offset, end: chunk.offset(i) }));
                }
            }
        }
    }

    /// An atom is complete: its last bytes are that run of the chunk, and a delimiter of so many bytes follows, of which `at` stands at the first.
    ///
    /// If it turns out to be faulty the machine stays in the atom, which is then dropped when its end is seen again.
    #[inline]
    fn atom_is_whole(&mut self, chunk: &Chunk<'_>, at: &mut usize, kind: Kind, run: Range<usize>, delimiter: usize) -> Option<Step> {
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
        self.state = State::Between;
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
    fn hand_out(&mut self, chunk: &Chunk<'_>, kind: Kind, run: Option<(usize, usize)>, end: usize) -> Option<Step> {
        let span = Span { start: self.token.offset, end: chunk.offset(end) };
        if self.hint == Hint::Inside {
            if let Some((from, to)) = run
                && self.stores()
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
        self.complete |= self.options.single && self.nesting.depth == 0;
        self.any = true;
        self.spent = run.is_none();
        let step = if self.pieces { self.piece(kind, run, true, span) } else { self.found(kind, run, span) };
        self.forget_atom();
        Some(step)
    }

    /// The chunk ends in an atom, of which it holds that run.
    #[inline]
    fn pause(&mut self, chunk: &Chunk<'_>, kind: Kind, run: Range<usize>) -> Option<Step> {
        if !self.stores() {
            return match self.keep(&chunk.bytes[run]) {
                Some(kind) => Some(self.fault_at(chunk, kind, self.token, None)),
                None => Some(Step::Await),
            };
        }
        let most = if self.hint == Hint::Inside { None } else { self.options.fragments };
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
    fn found(&mut self, kind: Kind, run: Option<(usize, usize)>, span: Span) -> Step {
        self.found = Found { kind, run, span };
        Step::Lexeme
    }

    /// A piece of an atom is delivered.
    #[cold]
    fn piece(&mut self, kind: Kind, run: Option<(usize, usize)>, last: bool, span: Span) -> Step {
        self.found = Found { kind, run, span };
        self.piece = Piece { first: !self.pieces, last, total: self.announced };
        self.pieces = true;
        self.any = true;
        Step::Fragment
    }

    /// Whether the atom's bytes are wanted.
    #[inline]
    fn stores(&self) -> bool {
        !(self.dropped || self.too_deep > 0 || self.blocks > 0 || self.discard.active())
    }

    /// Counts bytes of the atom's value; comes to a fault where there are too many.
    #[inline]
    fn count(&mut self, bytes: usize) -> Option<ErrorKind> {
        if self.dropped || self.blocks > 0 {
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
    fn keep(&mut self, bytes: &[u8]) -> Option<ErrorKind> {
        let fault = self.count(bytes.len());
        if fault.is_none() && self.stores() {
            self.value.extend_from_slice(bytes);
        }
        fault
    }

    /// The rest of the atom is skipped.
    fn drop_atom(&mut self) {
        self.dropped = true;
        self.forget_value();
    }

    fn forget_value(&mut self) {
        if self.comment.is_none() {
            self.value.clear();
        }
    }

    #[inline]
    fn forget_atom(&mut self) {
        self.length = 0;
        self.announced = None;
        self.dropped = false;
        self.pieces = false;
    }

    // Octets.

    fn in_length(&mut self, chunk: &Chunk<'_>, at: &mut usize, value: u64, first_zero: bool) -> Option<Step> {
        let Some(lengths) = self.syntax.lengths else { unreachable!("a syntax without lengths has no digits that begin one") };
        let (mut value, mut first_zero) = (value, first_zero);
        while let Some(&byte) = chunk.bytes.get(*at) {
            if byte.is_ascii_digit() {
                *at += 1;
                if first_zero && !lengths.leading_zeros {
                    self.state = State::InLength { value: u64::from(byte - b'0'), first_zero: false };
                    return Some(self.fault_at(chunk, ErrorKind::LeadingZero, self.token, None));
                }
                first_zero = false;
                match value.checked_mul(10).and_then(|value| value.checked_add(u64::from(byte - b'0'))) {
                    Some(larger) => value = larger,
                    None => {
                        self.state = State::InLargeLength;
                        return Some(self.fault_at(chunk, ErrorKind::LengthTooLarge, self.token, None));
                    }
                }
                continue;
            }
            let start = self.syntax.start[byte as usize];
            if byte == b':' {
                *at += 1;
                self.announced = Some(value);
                self.state = State::InCounted { left: value };
                if self.options.atom.is_some_and(|limit| value > limit) {
                    self.drop_atom();
                    return Some(self.fault_at(chunk, ErrorKind::AtomTooLarge, self.token, None));
                }
                return self.in_counted(chunk, at, value);
            }
            self.state = match start {
                Start::Quote(quote) if lengths.before_others => {
                    self.quote = quote;
                    State::InQuotes
                }
                Start::Hex if lengths.before_others => State::InHex(None),
                Start::Base64 if lengths.before_others => State::InBase64(Base64::default()),
                _ => {
                    self.state = State::Between;
                    return Some(self.fault_at(chunk, ErrorKind::LengthWithoutBody, self.token, None));
                }
            };
            *at += 1;
            self.announced = Some(value);
            return None;
        }
        self.state = State::InLength { value, first_zero };
        None
    }

    fn in_large_length(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        while let Some(&byte) = chunk.bytes.get(*at) {
            if !byte.is_ascii_digit() {
                *at += usize::from(byte == b':');
                self.state = State::Between;
                return None;
            }
            *at += 1;
        }
        None
    }

    #[inline]
    fn in_counted(&mut self, chunk: &Chunk<'_>, at: &mut usize, left: u64) -> Option<Step> {
        let from = *at;
        let here = (chunk.bytes.len() - from) as u64;
        if left <= here {
            *at = from + left as usize;
            return self.atom_is_whole(chunk, at, Kind::Octets, from..from + left as usize, 0);
        }
        *at = chunk.bytes.len();
        self.state = State::InCounted { left: left - here };
        self.pause(chunk, Kind::Octets, from..chunk.bytes.len())
    }

    fn in_hex(&mut self, chunk: &Chunk<'_>, at: &mut usize, high: Option<u8>) -> Option<Step> {
        let mut high = high;
        while let Some(&byte) = chunk.bytes.get(*at) {
            let here = *at;
            *at += 1;
            if let Some(digit) = (byte as char).to_digit(16) {
                let digit = digit as u8;
                let Some(first) = high.take() else {
                    high = Some(digit);
                    continue;
                };
                if let Some(kind) = self.keep(&[first << 4 | digit]) {
                    self.state = State::InHex(high);
                    return Some(self.fault_at(chunk, kind, self.token, None));
                }
            } else if Some(byte) == self.syntax.hex {
                *at = here;
                if high.is_some() && !self.dropped {
                    self.drop_atom();
                    self.state = State::InHex(None);
                    return Some(self.fault(chunk, ErrorKind::OddHex, chunk.offset(here), None));
                }
                return self.atom_is_whole(chunk, at, Kind::Octets, here..here, 1);
            } else if self.syntax.start[byte as usize] != Start::Space && !self.dropped {
                self.state = State::InHex(high);
                self.drop_atom();
                return Some(self.fault(chunk, ErrorKind::IllegalInOctets(byte), chunk.offset(here), None));
            }
        }
        self.state = State::InHex(high);
        self.pause(chunk, Kind::Octets, 0..0)
    }

    fn in_base64(&mut self, chunk: &Chunk<'_>, at: &mut usize, base64: Base64) -> Option<Step> {
        let mut base64 = base64;
        while let Some(&byte) = chunk.bytes.get(*at) {
            let here = *at;
            *at += 1;
            let fault = match base64.take(byte) {
                Digit::Nothing => continue,
                Digit::Octet(octet) => match self.keep(&[octet]) {
                    None => continue,
                    Some(kind) => {
                        self.state = State::InBase64(base64);
                        return Some(self.fault_at(chunk, kind, self.token, None));
                    }
                },
                Digit::AfterPad => ErrorKind::BadBase64,
                Digit::Other if Some(byte) == self.syntax.base64 => {
                    *at = here;
                    if !base64.whole() && !self.dropped {
                        self.drop_atom();
                        self.state = State::InBase64(base64);
                        return Some(self.fault(chunk, ErrorKind::BadBase64, chunk.offset(here), None));
                    }
                    return self.atom_is_whole(chunk, at, Kind::Octets, here..here, 1);
                }
                Digit::Other if self.syntax.start[byte as usize] == Start::Space => continue,
                Digit::Other => ErrorKind::IllegalInOctets(byte),
            };
            if !self.dropped {
                self.state = State::InBase64(base64);
                self.drop_atom();
                return Some(self.fault(chunk, fault, chunk.offset(here), None));
            }
        }
        self.state = State::InBase64(base64);
        self.pause(chunk, Kind::Octets, 0..0)
    }

    // Quotes.

    fn rules(&self) -> &'static Quote {
        &self.syntax.quotes[self.quote as usize]
    }

    fn in_quotes(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let quote = self.rules();
        let from = *at;
        let skip = chunk.bytes[from..].iter().position(|&byte| quote.text[byte as usize] != Text::Plain);
        let Some(skip) = skip else {
            *at = chunk.bytes.len();
            return self.pause(chunk, quote.kind, from..chunk.bytes.len());
        };
        let here = from + skip;
        *at = here + 1;
        let byte = chunk.bytes[here];
        match quote.text[byte as usize] {
            Text::Close if self.blocks > 0 => {
                self.forget_atom();
                self.state = State::InBlock;
                None
            }
            Text::Close => {
                *at = here;
                self.atom_is_whole(chunk, at, quote.kind, from..here, 1)
            }
            Text::Escape => {
                self.part = unknown(chunk.offset(here));
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

    fn after_escape(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let quote = self.rules();
        let byte = chunk.bytes[*at];
        *at += 1;
        self.state = State::InQuotes;
        match quote.escape[byte as usize] {
            Escape::Byte(value) => self.push(chunk, &[value]),
            Escape::Both => self.push(chunk, &[quote.lead, byte]),
            Escape::Unknown => self.escape_fault(chunk, ErrorKind::UnknownEscape(byte)),
            Escape::Number(number) => {
                let (left, value) = match number {
                    Number::Hex => (number.digits(), 0),
                    Number::Decimal | Number::Octal => (number.digits() - 1, u16::from(byte - b'0')),
                };
                self.state = State::InNumber { number, left, value };
                None
            }
            Escape::LineEnd => {
                self.state = match (byte, quote.continuation) {
                    (b'\r', _) => State::AfterEscapedReturn,
                    (_, Continuation::SkipBlanks) => State::AmongBlanks,
                    (_, Continuation::LineEnd) => State::AfterEscapedLineFeed,
                };
                None
            }
        }
    }

    fn in_number(&mut self, chunk: &Chunk<'_>, at: &mut usize, number: Number, left: u8, value: u16) -> Option<Step> {
        self.state = State::InQuotes;
        let Some(digit) = (chunk.bytes[*at] as char).to_digit(number.radix()) else {
            return self.escape_fault(chunk, ErrorKind::IncompleteEscape);
        };
        *at += 1;
        let value = value * number.radix() as u16 + digit as u16;
        if left > 1 {
            self.state = State::InNumber { number, left: left - 1, value };
            return None;
        }
        match u8::try_from(value) {
            Ok(byte) => self.push(chunk, &[byte]),
            Err(_) => self.escape_fault(chunk, ErrorKind::EscapeOutOfRange),
        }
    }

    fn after_escaped_return(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let line_feed = chunk.bytes[*at] == b'\n';
        *at += usize::from(line_feed);
        self.state = State::InQuotes;
        match self.rules().continuation {
            Continuation::LineEnd => None,
            Continuation::SkipBlanks if line_feed => {
                self.state = State::AmongBlanks;
                None
            }
            Continuation::SkipBlanks => self.push(chunk, b"\r"),
        }
    }

    fn after_escaped_line_feed(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        *at += usize::from(chunk.bytes[*at] == b'\r');
        self.state = State::InQuotes;
        None
    }

    fn among_blanks(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        while let Some(&byte) = chunk.bytes.get(*at) {
            if byte != b' ' && byte != b'\t' {
                self.state = State::InQuotes;
                return None;
            }
            *at += 1;
        }
        None
    }

    /// Whether the machine is in a string, or an escape in it, which may be due to be handed out in pieces.
    fn is_in_quotes(&self) -> bool {
        matches!(
            self.state,
            State::InQuotes
                | State::AfterEscape
                | State::InNumber { .. }
                | State::AfterEscapedReturn
                | State::AfterEscapedLineFeed
                | State::AmongBlanks
        )
    }

    /// Adds what an escape stands for.
    fn push(&mut self, chunk: &Chunk<'_>, bytes: &[u8]) -> Option<Step> {
        self.keep(bytes).map(|kind| self.fault_at(chunk, kind, self.token, None))
    }

    fn escape_fault(&mut self, chunk: &Chunk<'_>, kind: ErrorKind) -> Option<Step> {
        if self.dropped {
            return None;
        }
        self.drop_atom();
        Some(self.fault_at(chunk, kind, self.part, None))
    }

    // Comments.

    fn after_dispatch(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        self.state = State::Between;
        match self.dispatch(chunk, at, chunk.bytes[*at]) {
            Dispatched::Comment => None,
            Dispatched::Late => Some(self.trailing(chunk)),
            Dispatched::Atom => self.late_dispatch_atom(chunk),
        }
    }

    /// The byte that could have begun a comment, in a chunk that is gone, begins an atom.
    fn late_dispatch_atom(&mut self, chunk: &Chunk<'_>) -> Option<Step> {
        let lead = self.syntax.dispatch.map_or(0, |dispatch| dispatch.lead);
        self.state = State::InAtom(lead);
        self.part = self.token;
        self.keep(&[lead]).map(|kind| self.fault_at(chunk, kind, self.token, None))
    }

    /// What the byte after the dispatch byte, at `token`, makes of both.
    fn dispatch(&mut self, chunk: &Chunk<'_>, at: &mut usize, next: u8) -> Dispatched {
        let dispatch = self.syntax.dispatch;
        let block = dispatch.is_some_and(|dispatch| dispatch.block == Some(next));
        let datum = dispatch.is_some_and(|dispatch| dispatch.datum == Some(next));
        if !block && !datum {
            return if self.complete && !self.discard.active() { Dispatched::Late } else { Dispatched::Atom };
        }
        *at += 1;
        if block {
            self.outer = self.token;
            self.begin_comment(chunk, self.token);
            self.blocks = 1;
            self.state = State::InBlock;
        } else if self.too_deep == 0 {
            self.begin_comment(chunk, self.token);
            self.discard.pending += 1;
            self.note();
        }
        Dispatched::Comment
    }

    /// A comment begins at that place; if it is to be delivered it is gathered.
    fn begin_comment(&mut self, chunk: &Chunk<'_>, place: Position) {
        if !self.options.comments || self.hint != Hint::No || self.too_deep > 0 || self.discard.active() {
            return;
        }
        let from = match place.offset.checked_sub(chunk.base) {
            Some(from) => from as usize,
            None => {
                // Its first byte went with the chunk before.
                self.value.extend(self.syntax.dispatch.map(|dispatch| dispatch.lead));
                0
            }
        };
        self.comment = Some(Comment { place, from, too_large: false });
    }

    /// The comment goes on beyond the chunk.
    fn keep_comment(&mut self, comment: Comment, bytes: &[u8]) {
        let length = (self.value.len() + bytes.len()) as u64;
        let too_large = comment.too_large || self.options.atom.is_some_and(|limit| length > limit);
        if too_large {
            self.value.clear();
        } else {
            self.value.extend_from_slice(bytes);
        }
        self.comment = Some(Comment { from: 0, too_large, ..comment });
    }

    /// A comment is over, before `end`; so many bytes before that belong to the line end. It is delivered if it was gathered.
    fn end_comment(&mut self, chunk: &Chunk<'_>, end: usize, line_end: usize) -> Option<Step> {
        let comment = self.comment.take()?;
        let run = comment.from..end - line_end.min(end - comment.from);
        let length = (self.value.len() + run.len()) as u64;
        if comment.too_large || self.options.atom.is_some_and(|limit| length > limit) {
            self.value.clear();
            return Some(self.fault_at(chunk, ErrorKind::AtomTooLarge, comment.place, None));
        }
        let in_chunk = if self.value.is_empty() {
            Some((run.start, run.end))
        } else {
            self.value.extend_from_slice(&chunk.bytes[run]);
            self.spent = true;
            None
        };
        self.token = comment.place;
        Some(self.found(Kind::Comment, in_chunk, Span { start: comment.place.offset, end: chunk.offset(end) - line_end as u64 }))
    }

    fn in_line_comment(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let rest = &chunk.bytes[*at..];
        let returns = self.syntax.start[b'\r' as usize] == Start::Return;
        let found = if returns { memchr::memchr2(b'\n', b'\r', rest) } else { memchr::memchr(b'\n', rest) };
        let Some(found) = found else {
            *at = chunk.bytes.len();
            return None;
        };
        *at += found;
        if chunk.bytes[*at] == b'\n' {
            self.state = State::Between;
            return self.end_line_comment(chunk, *at, 0);
        }
        self.part = unknown(chunk.offset(*at));
        *at += 1;
        self.state = State::AfterReturnInComment;
        None
    }

    fn after_return_in_comment(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        self.state = State::Between;
        if chunk.bytes[*at] == b'\n' {
            return self.end_line_comment(chunk, *at, 1);
        }
        self.abandon_line_comment();
        Some(self.fault_at(chunk, ErrorKind::ReturnWithoutLineFeed, self.part, None))
    }

    fn abandon_line_comment(&mut self) {
        if !self.discard.active() {
            self.comment = None;
            self.forget_value();
        }
    }

    /// A line comment is over before `end`; so many bytes before that belong to the line end.
    fn end_line_comment(&mut self, chunk: &Chunk<'_>, end: usize, line_end: usize) -> Option<Step> {
        if self.discard.active() { None } else { self.end_comment(chunk, end, line_end) }
    }

    fn in_block(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let Some(Dispatch { lead, block: Some(bar), .. }) = self.syntax.dispatch else {
            unreachable!("no block comment without a delimiter")
        };
        let rest = &chunk.bytes[*at..];
        let found = match self.syntax.quotes.first() {
            Some(quote) => memchr::memchr3(lead, bar, quote.open, rest),
            None => memchr::memchr2(lead, bar, rest),
        };
        let Some(found) = found else {
            *at = chunk.bytes.len();
            return None;
        };
        let byte = rest[found];
        *at += found + 1;
        if byte == lead {
            self.state = State::AfterLeadInBlock;
        } else if byte == bar {
            self.state = State::AfterBarInBlock;
        } else {
            self.quote = 0;
            self.state = State::InQuotes;
        }
        None
    }

    fn after_lead_in_block(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let byte = Some(chunk.bytes[*at]);
        let dispatch = self.syntax.dispatch;
        if byte == dispatch.and_then(|dispatch| dispatch.block) {
            *at += 1;
            self.blocks += 1;
            self.state = State::InBlock;
        } else if byte == dispatch.map(|dispatch| dispatch.lead) {
            *at += 1;
        } else {
            self.state = State::InBlock;
        }
        None
    }

    fn after_bar_in_block(&mut self, chunk: &Chunk<'_>, at: &mut usize) -> Option<Step> {
        let byte = Some(chunk.bytes[*at]);
        let dispatch = self.syntax.dispatch;
        if byte == dispatch.map(|dispatch| dispatch.lead) {
            *at += 1;
            self.blocks -= 1;
            self.state = if self.blocks == 0 { State::Between } else { State::InBlock };
            if self.blocks == 0 && !self.discard.active() {
                return self.end_comment(chunk, *at, 0);
            }
        } else if byte == dispatch.and_then(|dispatch| dispatch.block) {
            *at += 1;
        } else {
            self.state = State::InBlock;
        }
        None
    }

    // The end, and faults.

    /// One step after the input is over: what is unfinished, a fault at a time, and then the end.
    ///
    /// `chunk` has no bytes; it tells where the end is.
    pub(crate) fn end(&mut self, chunk: &Chunk<'_>) -> Step {
        if self.spent {
            self.spent = false;
            self.value.clear();
        }
        loop {
            let step = match self.state {
                State::Ended => return Step::End,
                State::Ignoring => {
                    self.state = State::Ended;
                    return Step::End;
                }
                State::Between | State::AmongIllegal | State::InLargeLength | State::AtStart(0) => return self.end_between(chunk),
                State::AtStart(seen) => self.no_mark(chunk, seen as usize),
                State::InAtom(_) => self.atom_is_whole(chunk, &mut 0, Kind::Bare, 0..0, 0),
                State::AfterDispatch if self.complete && !self.discard.active() => return self.trailing(chunk),
                State::AfterDispatch => self.late_dispatch_atom(chunk),
                State::AfterReturn => {
                    self.state = State::Between;
                    Some(self.fault_at(chunk, ErrorKind::ReturnWithoutLineFeed, self.part, None))
                }
                State::AfterReturnInComment => {
                    self.state = State::Between;
                    self.abandon_line_comment();
                    Some(self.fault_at(chunk, ErrorKind::ReturnWithoutLineFeed, self.part, None))
                }
                State::InLineComment => {
                    self.state = State::Between;
                    self.end_line_comment(chunk, 0, 0)
                }
                State::InLength { .. } => {
                    self.state = State::Between;
                    Some(self.fault_at(chunk, ErrorKind::LengthWithoutBody, self.token, None))
                }
                State::InCounted { .. } => self.unterminated(chunk, ErrorKind::PrematureEnd),
                State::InHex(_) | State::InBase64(_) => self.unterminated(chunk, ErrorKind::UnterminatedOctets),
                State::InBlock | State::AfterLeadInBlock | State::AfterBarInBlock => Some(self.unterminated_comment(chunk)),
                State::InQuotes
                | State::AfterEscape
                | State::InNumber { .. }
                | State::AfterEscapedReturn
                | State::AfterEscapedLineFeed
                | State::AmongBlanks => {
                    if self.blocks > 0 {
                        Some(self.unterminated_comment(chunk))
                    } else {
                        self.unterminated(chunk, ErrorKind::UnterminatedString)
                    }
                }
            };
            if let Some(step) = step {
                return step;
            }
        }
    }

    /// The input ended between lexemes.
    fn end_between(&mut self, chunk: &Chunk<'_>) -> Step {
        let hint = self.hint;
        self.set_hint(Hint::No);
        match hint {
            Hint::Inside | Hint::Held { .. } => {
                self.forget_value();
                return self.fault(chunk, ErrorKind::UnterminatedHint, chunk.base, Some(self.outer));
            }
            Hint::Done => return self.fault(chunk, ErrorKind::MisplacedHint, chunk.base, None),
            Hint::No => {}
        }
        if self.discard.pending > 0 && self.too_deep == 0 {
            return self.comment_without_datum(chunk, chunk.base);
        }
        self.discard.clear();
        self.note();
        self.comment = None;
        let open = self.nesting.depth + self.too_deep;
        if open > 0 {
            let opened = self.nesting.innermost(&mut self.lines, chunk.source, chunk.source_base);
            self.nesting.depth = 0;
            self.too_deep = 0;
            self.note();
            return self.fault(chunk, ErrorKind::UnclosedList(open), chunk.base, opened);
        }
        self.state = State::Ended;
        if self.options.single && !self.any && !self.armoured {
            return self.fault(chunk, ErrorKind::NoForm, chunk.base, None);
        }
        Step::End
    }

    /// The input ended in an atom.
    fn unterminated(&mut self, chunk: &Chunk<'_>, kind: ErrorKind) -> Option<Step> {
        self.state = State::Between;
        let dropped = self.dropped;
        let token = self.token;
        // The comment that drops the atom does not come to its end either.
        self.comment = None;
        self.forget_atom();
        self.forget_value();
        let datum = self.datum_is_whole(chunk, 0);
        debug_assert!(datum.is_none());
        if dropped { None } else { Some(self.fault(chunk, kind, chunk.base, Some(token))) }
    }

    fn unterminated_comment(&mut self, chunk: &Chunk<'_>) -> Step {
        self.state = State::Between;
        self.blocks = 0;
        self.forget_atom();
        if !self.discard.active() {
            self.comment = None;
            self.forget_value();
        }
        self.fault(chunk, ErrorKind::UnterminatedComment, chunk.base, Some(self.outer))
    }

    /// The input goes on beyond its limit, where the chunk ends.
    pub(crate) fn input_too_large(&mut self, chunk: &Chunk<'_>) -> Step {
        self.state = State::Ignoring;
        self.fault(chunk, ErrorKind::InputTooLarge, chunk.offset(chunk.bytes.len()), None)
    }

    /// Something begins, at `token`, after the only form.
    fn trailing(&mut self, chunk: &Chunk<'_>) -> Step {
        self.state = State::Ignoring;
        self.fault_at(chunk, ErrorKind::TrailingData, self.token, None)
    }

    pub(crate) fn fault(&mut self, chunk: &Chunk<'_>, kind: ErrorKind, offset: u64, opened: Option<Position>) -> Step {
        self.fault_at(chunk, kind, unknown(offset), opened)
    }

    #[cold]
    pub(crate) fn fault_at(&mut self, chunk: &Chunk<'_>, kind: ErrorKind, position: Position, opened: Option<Position>) -> Step {
        self.any = true;
        let mut known = |mark: Position| if mark.line == 0 { self.lines.place(chunk.source, chunk.source_base, mark.offset) } else { mark };
        let opened = opened.map(&mut known);
        self.error = Error { kind, position: known(position), opened };
        Step::Error
    }
}

/// What became of a dispatch byte.
enum Dispatched {
    /// A comment begins.
    Comment,
    /// An atom begins.
    Atom,
    /// An atom begins after the only form.
    Late,
}
