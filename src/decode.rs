//! The decoder machine: explicit states, one step a lexeme, any cut.
//!
//! A step reads the chunk from where the last one stopped, until a lexeme or a fault is complete or the chunk is used up. What must outlive
//! the chunk is in [`State`] and in the few fields beside it: no byte is ever looked at again. An atom that lies in one chunk and needs no
//! decoding is handed out where it stands; of any other the decoded bytes gather in `value`.

mod annotations;
mod ask;
mod atoms;
mod chars;
mod comments;
mod escapes;
mod faults;
mod here;
mod hints;
mod leads;
mod lists;
mod octets;
mod quotes;
mod short;
mod skips;
mod spaces;
mod templates;
mod tokens;
mod unfinished;
mod utf8;

pub(crate) use octets::{Base64, Digit};
pub(crate) use unfinished::Unfinished;

use chars::Char;
use comments::Comment;
use hints::{Gate, Hint};
use leads::Led;
use tokens::{Text, Token};
use utf8::Utf8;

use crate::discard::Discard;
use crate::error::{Error, ErrorKind};
use crate::lexeme::{Kind, Position, Span};
use crate::nesting::{Brackets, Nesting, Places};
use crate::options::Options;
use crate::place::Lines;
use crate::syntax::{BYTE_ORDER_MARK, Number, Start, Syntax};
use alloc::vec::Vec;

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
    /// After the lead of that number.
    AfterLead(u8),
    /// After a prefix, to which an `@` belongs that follows.
    AfterPrefix,
    /// In the digits after a lead.
    InLabel,
    /// In a token that is delivered as written.
    InToken(Token),
    /// After the escape character of such a token.
    AfterTokenEscape(Token),
    /// In an escape of a bare atom that a semicolon ends, after so many digits.
    InTokenNumber { digits: u8, value: u32 },
    /// In a part of a bare atom in which anything may stand.
    InBars,
    /// After an escape character in that.
    AfterBarsEscape,
    /// Before the code point that a character is.
    BeforeChar(Char),
    /// In the code point that a character is, of which so many bytes are missing.
    InChar { left: u8 },
    /// After the letter of what may be a modifier of a character.
    AfterCharModifier,
    /// In the digits of a character, of which there may be so many more; whether they are octal.
    InCharDigits { left: u8, octal: bool },
    /// In the name of a character; whether the brace that opens it was there.
    InCharName { begun: bool },
    /// After the first byte of a space of two bytes, in a bare atom or a token.
    AfterWideSpace(Option<Token>),
    /// Behind an atom that ended before a space of two bytes, of which the first is gone.
    AfterWideAtom,
    /// After a token that nothing may touch.
    AfterToken,
    /// In white space that is delivered.
    InSpace,
    /// Before the byte that is an atom by itself, and the quote from then on.
    BeforeQuoteSwitch,
    /// After the byte that may begin a variable.
    AfterVariableLead,
    /// In a variable, before its colon or behind it.
    InVariable { payload: bool, any: bool },
    /// In a block of lines, before the byte that must follow its mark; whether escapes are read.
    AfterBlockMark { escapes: bool },
    /// After a mark and a carriage return.
    AfterReturnBehindMark { escapes: bool },
    /// In a line of such a block.
    InBlockLine { escapes: bool },
    /// After a carriage return in such a line.
    AfterReturnInBlockLine { escapes: bool },
    /// Between two lines of such a block, after so many bytes of the next mark.
    BetweenBlockLines { seen: u8 },
    /// After such a block, of whose next mark so many bytes were there; they belong to something else.
    AfterBlock { seen: u8 },
    /// In a comment that ends with the bytes it began with, turned round; whether the first of them was just there.
    InScript { seen: bool },
    /// After the two bytes that may begin one, or a comment to the end of the line.
    BeforeScript { line: bool },
    /// In the number of bytes to be skipped.
    InSkipLength { value: u64, zeros: u8 },
    /// In bytes that are skipped up to the end of the input.
    Skipping,
    /// In bytes that are skipped.
    InSkipped { left: u64 },
    /// After the two bytes that may open an annotation.
    BeforeAnnotation,
    /// In an annotation; whether directly after an illegal byte.
    InAnnotation { illegal: bool },
    /// In an annotation, after a byte that may begin a comment there.
    AfterLeadInAnnotation(u8),
    /// After the second byte that may begin a here-string.
    BeforeHere,
    /// In the name that ends a here-string.
    InHereName,
    /// In a here-string, where the line is its name so far for that many bytes.
    InHereLine { matched: u32 },
    /// In another line of a here-string.
    InHereText,
    /// After a closing quote that may be the first of two bytes.
    AfterQuote,
    /// After a carriage return in quotes, which a line feed may follow.
    AfterReturnInQuotes,
    /// In an escaped line end, among the blanks before it: how many there are, and which of them are tabs.
    BeforeEscapedLineEnd { blanks: u8, tabs: u32 },
    /// In the name of a numeric escape.
    InNumberName { number: Number, seen: u8 },
    /// In codes in a string.
    InCodes { value: u16, any: bool },
    /// In a modifier in a string, before the dash or the character.
    InModifier { modifiers: u8, dash: bool },
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
    InNumber { number: Number, digits: u8, value: u32 },
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

/// The machine.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) syntax: &'static Syntax,
    options: Options,
    pub(crate) state: State,
    pub(crate) nesting: Nesting,
    places: Places,
    pub(crate) lines: Lines,
    /// The decoded bytes of an atom that could not be handed out where it stood.
    pub(crate) value: Vec<u8>,
    /// The last lexeme or piece.
    pub(crate) found: Found,
    pub(crate) piece: Piece,
    /// The last fault.
    pub(crate) error: Error,
    /// Where that begins in which it is, if that would have been delivered.
    pub(crate) faulty: Option<u64>,
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
    /// The kinds of the open brackets, where there are several.
    pub(crate) brackets: Brackets,
    /// Whether a datum must follow, since a prefix was there.
    prefixed: bool,
    /// The same in what is dropped.
    dropped_prefix: bool,
    /// How many bytes of what was read do not belong to the token any more.
    behind: u64,
    /// Whether the atom is delivered as written.
    raw: bool,
    /// Up to where the text of that atom is in `value`.
    kept: u64,
    /// The first bytes of a token that may be a tag.
    tag: Text,
    /// Whether there was an escape in the string.
    escaped: bool,
    /// Whether there was a variable in the atom.
    variable: bool,
    /// Whether the machine is in quotes, or in a block of lines; and whether that block has escapes.
    in_quotes: bool,
    block_escapes: Option<bool>,
    /// Where the last line of that block ended.
    block_end: u64,
    /// How many annotations and lists in them are open.
    annotations: u64,
    /// Modifiers before the escape that the machine is in.
    modifiers: u8,
    /// What is left of a code point, and whether one was faulty in this comment, where text must be UTF-8.
    utf8: Utf8,
    ill: bool,
    /// Which quote is the only one, where a switch decides.
    only_quote: u8,
    /// Whether the white space stands before the byte that switches quotes.
    switching: bool,
    /// The byte before the chunk.
    before: u8,
    /// Whether the input began with a byte order mark.
    marked: bool,
    /// Whether the line had nothing but blanks before the chunk.
    blank_line: bool,
    /// Whether a line of the here-string was read.
    here_lines: bool,
    /// Whether nothing is kept, since only the kinds of lexemes are of interest.
    silent: bool,
    /// The name that ends a here-string.
    name: Vec<u8>,
    /// Whether there is something to be done for each lexeme beyond delivering it: a limit, a hint, data to be dropped, a single form.
    special: bool,
}

const fn unknown(offset: u64) -> Position {
    Position { offset, line: 0, column: 0 }
}

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
            places: Places::new(),
            lines: Lines::new(),
            value: Vec::new(),
            found: Found { kind: Kind::Open, run: None, span: Span { start: 0, end: 0 } },
            piece: Piece::default(),
            error: Error { kind: ErrorKind::NoForm, position: Position { offset: 0, line: 1, column: 1 }, opened: None },
            faulty: None,
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
            brackets: Brackets::default(),
            prefixed: false,
            dropped_prefix: false,
            behind: 0,
            raw: false,
            kept: 0,
            tag: Text::default(),
            escaped: false,
            variable: false,
            in_quotes: false,
            block_escapes: None,
            block_end: 0,
            annotations: 0,
            modifiers: 0,
            utf8: Utf8::default(),
            ill: false,
            only_quote: 0,
            switching: false,
            before: b'\n',
            blank_line: true,
            marked: false,
            here_lines: false,
            silent: false,
            name: Vec::new(),
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
        self.raw = self.options.verbatim;
        self.kept = 0;
        self.in_quotes = false;
        self.block_escapes = None;
        self.variable = false;
        self.here_lines = false;
        self.brackets.clear();
        self.prefixed = false;
        self.dropped_prefix = false;
        self.annotations = 0;
        self.utf8 = Utf8::default();
        self.ill = false;
        self.only_quote = 0;
        self.switching = false;
        self.before = b'\n';
        self.blank_line = true;
        self.marked = false;
        self.note();
    }

    /// To be called where what makes lexemes special changes.
    pub(crate) fn note(&mut self) {
        self.special = self.options.single
            || self.options.atom.is_some()
            || self.hint != Hint::No
            || self.too_deep > 0
            || self.discard.active()
            || self.prefixed
            || self.raw
            || self.silent
            || self.syntax.separators;
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
            self.places.leave(&self.nesting, &mut self.lines, chunk.source, chunk.source_base);
            self.lines.leave(chunk.source, chunk.source_base, chunk.offset(at));
        }
        if self.syntax.looks_back {
            self.look_back(chunk, at);
        }
    }

    /// Works out the places that may have to be told later, and keeps what was read of a comment.
    #[inline(never)]
    fn stop_unfinished(&mut self, chunk: &Chunk<'_>, at: usize) {
        self.keep_text(chunk, at);
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
            let line_end = matches!(self.state, State::AfterReturnInComment) && !self.discard.active() && at > comment.from;
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
        if matches!(self.state, State::AtStart(0)) && byte != BYTE_ORDER_MARK[0] {
            self.state = State::Between;
        }
    }

    /// Whether it is between lexemes, and nothing before them waits for one.
    pub(crate) fn is_between(&self) -> bool {
        matches!(self.state, State::AtStart(_) | State::Between | State::AmongIllegal | State::Ignoring)
            && self.hint == Hint::No
            && !self.discard.active()
            && !self.prefixed
    }

    /// Whether plain lexemes may be handed out as they come: between lexemes, and nothing asked for or pending that concerns each.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.state, State::Between)
            && (!self.special
                || self.hint == Hint::No
                    && self.too_deep == 0
                    && !self.options.single
                    && !self.discard.active()
                    && !self.prefixed
                    && !self.raw)
    }

    /// How far plain lexemes may be looked for at once, so that no atom in it is beyond the limit.
    pub(crate) fn plain_window(&self) -> usize {
        self.options.atom.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
    }

    /// Whether large atoms are delivered in fragments.
    pub(crate) fn has_fragments(&self) -> bool {
        self.options.fragments.is_some()
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
        if *at >= chunk.bytes.len() && !matches!(self.state, State::Ended | State::InToken(Token::Over { .. })) {
            return if self.is_in_quotes() { self.pause(chunk, self.rules().kind, *at..*at) } else { self.pause_elsewhere(chunk, *at) };
        }
        match self.state {
            State::Between | State::InAtom(_) => None,
            State::InQuotes => self.in_quotes(chunk, at),
            State::InCounted { left } => self.in_counted(chunk, at, left),
            State::AtStart(seen) => self.at_start(chunk, at, seen),
            State::AmongIllegal => self.among_illegal(chunk, at),
            State::AfterReturn => self.after_return(chunk, at),
            State::AfterLead(lead) => self.after_lead(chunk, at, lead),
            State::AfterPrefix => self.after_prefix(chunk, at),
            State::InLabel => self.in_label(chunk, at),
            State::InToken(token) => self.in_token(chunk, at, token),
            State::AfterTokenEscape(token) => self.after_token_escape(chunk, at, token),
            State::InTokenNumber { digits, value } => self.in_token_number(chunk, at, digits, value),
            State::InBars => self.in_bars(chunk, at),
            State::AfterBarsEscape => self.after_bars_escape(at),
            State::BeforeChar(char) => self.before_char(chunk, at, char),
            State::InChar { left } => self.in_char(chunk, at, left),
            State::AfterCharModifier => self.after_char_modifier(chunk, at),
            State::InCharDigits { left, octal } => self.in_char_digits(chunk, at, left, octal),
            State::InCharName { begun } => self.in_char_name(chunk, at, begun),
            State::AfterWideSpace(token) => self.after_wide_space(chunk, at, token),
            State::AfterWideAtom => self.after_wide_atom(chunk, *at),
            State::AfterToken => self.after_token(chunk, at),
            State::InSpace => self.in_space(chunk, at),
            State::BeforeQuoteSwitch => self.before_quote_switch(chunk, at),
            State::AfterVariableLead => self.after_variable_lead(chunk, at),
            State::InVariable { payload, any } => self.in_variable(chunk, at, payload, any),
            State::AfterBlockMark { escapes } => self.after_block_mark(chunk, at, escapes),
            State::AfterReturnBehindMark { escapes } => self.after_return_behind_mark(chunk, at, escapes),
            State::InBlockLine { escapes } => self.in_block_line(chunk, at, escapes),
            State::AfterReturnInBlockLine { escapes } => self.after_return_in_block_line(chunk, at, escapes),
            State::BetweenBlockLines { seen } => self.between_block_lines(chunk, at, seen),
            State::AfterBlock { seen } => self.after_block(chunk, *at, seen),
            State::BeforeScript { line } => self.before_script(chunk, at, line),
            State::InScript { seen } => self.in_script(chunk, at, seen),
            State::InSkipLength { value, zeros } => self.in_skip_length(chunk, at, value, zeros),
            State::InSkipped { left } => self.in_skipped(chunk, at, left),
            State::BeforeAnnotation => self.before_annotation(chunk, at),
            State::InAnnotation { illegal } => self.in_annotation(chunk, at, illegal),
            State::AfterLeadInAnnotation(byte) => self.after_lead_in_annotation(chunk, at, byte),
            State::BeforeHere => self.before_here(chunk, at),
            State::InHereName => self.in_here_name(chunk, at),
            State::InHereLine { matched } => self.in_here_line(chunk, at, matched),
            State::InHereText => self.in_here_text(chunk, at),
            State::AfterQuote => self.after_quote(chunk, at),
            State::AfterReturnInQuotes => self.after_return_in_quotes(chunk, at),
            State::BeforeEscapedLineEnd { blanks, tabs } => self.before_escaped_line_end(chunk, at, blanks, tabs),
            State::InNumberName { number, seen } => self.in_number_name(chunk, at, number, seen),
            State::InCodes { value, any } => self.in_codes(chunk, at, value, any),
            State::InModifier { modifiers, dash } => self.in_modifier(chunk, at, modifiers, dash),
            State::InLength { value, first_zero } => self.in_length(chunk, at, value, first_zero),
            State::InLargeLength => self.in_large_length(chunk, at),
            State::AfterEscape => self.after_escape(chunk, at),
            State::InNumber { number, digits, value } => self.in_number(chunk, at, number, digits, value),
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
            State::Ignoring | State::Skipping => {
                *at = chunk.bytes.len();
                None
            }
            State::Ended => Some(Step::End),
        }
    }

    #[inline(always)]
    fn between(&mut self, chunk: &Chunk<'_>, at: &mut usize, from: &mut usize) -> Option<Step> {
        let bytes = chunk.bytes;
        while let Some(&byte) = bytes.get(*at) {
            let start = self.syntax.start[byte as usize];
            if start == Start::Space && !self.shows_space() {
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
                    if self.syntax.quote_switch.is_some() && quote != self.only_quote {
                        self.begin_token(chunk.offset(here));
                        self.state = State::InAtom(0);
                        *from = here;
                        return None;
                    }
                    self.begin_token(chunk.offset(here));
                    self.begin_quotes(quote);
                }
                Start::Length => {
                    self.begin_token(chunk.offset(here));
                    self.state = State::InLength { value: u64::from(byte - b'0'), first_zero: byte == b'0' };
                    if byte == b'0' && self.syntax.lengths.is_some_and(|lengths| !lengths.zero) {
                        self.state = State::InLength { value: 0, first_zero: false };
                        return Some(self.fault_at(chunk, ErrorKind::LeadingZero, self.token, None));
                    }
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
                    self.kept = chunk.offset(here);
                    if self.options.verbatim {
                        // What is left of a faulty token.
                        self.forget_value();
                    }
                    self.set_hint(Hint::Inside);
                    continue;
                }
                Start::LineComment => {
                    self.begin_comment(chunk, unknown(chunk.offset(here)));
                    self.state = State::InLineComment;
                }
                Start::Lead(lead) => {
                    self.begin_token(chunk.offset(here));
                    self.tag.clear();
                    let Some(&next) = bytes.get(*at) else {
                        self.state = State::AfterLead(lead);
                        return None;
                    };
                    match self.lead(chunk, at, lead, Some(next)) {
                        Led::On => {}
                        Led::Atom => {
                            self.state = State::InAtom(0);
                            *from = here;
                        }
                        Led::Step(step) => return step,
                    }
                }
                Start::Prefix | Start::Char | Start::Escape | Start::Bars | Start::Variable | Start::FirstOnLine | Start::Dash => {
                    self.begin_token(chunk.offset(here));
                    match self.begin_other(chunk, at, here, start) {
                        Led::On => {}
                        Led::Atom => {
                            self.state = State::InAtom(0);
                            *from = here;
                        }
                        Led::Step(step) => return step,
                    }
                }
                Start::Return if self.shows_space() => {
                    self.begin_token(chunk.offset(here));
                    self.begin_text();
                    self.state = State::InSpace;
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
                    self.token = unknown(chunk.offset(here));
                    self.state = State::AmongIllegal;
                    return Some(self.fault(chunk, ErrorKind::IllegalByte(byte), chunk.offset(here), None));
                }
                Start::Space => {
                    self.begin_token(chunk.offset(here));
                    self.begin_text();
                    self.state = State::InSpace;
                }
            }
            if !matches!(self.state, State::Between) {
                return None;
            }
        }
        Some(Step::Await)
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
        self.token = self.part;
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
            self.marked = true;
            self.state = State::Between;
            if self.options.verbatim {
                self.token = Position::default();
                self.value.extend_from_slice(&BYTE_ORDER_MARK);
                self.spent = true;
                return Some(self.found(Kind::Space, None, Span { start: 0, end: 3 }));
            }
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
                self.kept = matched as u64;
                if self.raw && self.stores() {
                    self.value.extend_from_slice(&BYTE_ORDER_MARK[..matched]);
                }
                self.keep(&BYTE_ORDER_MARK[..matched]).map(|kind| self.fault_at(chunk, kind, self.token, None))
            }
            Start::Illegal => {
                self.state = State::AmongIllegal;
                Some(self.fault_at(chunk, ErrorKind::IllegalByte(BYTE_ORDER_MARK[0]), self.token, None))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::collections::BTreeMap;
    use std::vec::Vec;

    /// A number for each state; a new one does not compile until it has its own.
    fn number(state: State) -> usize {
        match state {
            State::AtStart(_) => 0,
            State::Between => 1,
            State::AmongIllegal => 2,
            State::AfterReturn => 3,
            State::InAtom(_) => 4,
            State::AfterLead(_) => 5,
            State::AfterPrefix => 6,
            State::InLabel => 7,
            State::InToken(_) => 8,
            State::AfterTokenEscape(_) => 9,
            State::InTokenNumber { .. } => 10,
            State::InBars => 11,
            State::AfterBarsEscape => 12,
            State::BeforeChar(_) => 13,
            State::InChar { .. } => 14,
            State::InCharDigits { .. } => 15,
            State::InCharName { .. } => 16,
            State::AfterWideSpace(_) => 17,
            State::AfterWideAtom => 18,
            State::AfterToken => 19,
            State::InSpace => 20,
            State::BeforeQuoteSwitch => 21,
            State::AfterVariableLead => 22,
            State::InVariable { .. } => 23,
            State::AfterBlockMark { .. } => 24,
            State::AfterReturnBehindMark { .. } => 25,
            State::InBlockLine { .. } => 26,
            State::AfterReturnInBlockLine { .. } => 27,
            State::BetweenBlockLines { .. } => 28,
            State::AfterBlock { .. } => 29,
            State::InScript { .. } => 30,
            State::BeforeScript { .. } => 31,
            State::InSkipLength { .. } => 32,
            State::Skipping => 33,
            State::InSkipped { .. } => 34,
            State::BeforeAnnotation => 35,
            State::InAnnotation { .. } => 36,
            State::AfterLeadInAnnotation(_) => 37,
            State::BeforeHere => 38,
            State::InHereName => 39,
            State::InHereLine { .. } => 40,
            State::InHereText => 41,
            State::AfterQuote => 42,
            State::AfterReturnInQuotes => 43,
            State::BeforeEscapedLineEnd { .. } => 44,
            State::InNumberName { .. } => 45,
            State::InCodes { .. } => 46,
            State::InModifier { .. } => 47,
            State::InLength { .. } => 48,
            State::InLargeLength => 49,
            State::InCounted { .. } => 50,
            State::InQuotes => 51,
            State::AfterEscape => 52,
            State::InNumber { .. } => 53,
            State::AfterEscapedReturn => 54,
            State::AfterEscapedLineFeed => 55,
            State::AmongBlanks => 56,
            State::InHex(_) => 57,
            State::InBase64(_) => 58,
            State::InLineComment => 59,
            State::AfterReturnInComment => 60,
            State::InBlock => 61,
            State::AfterLeadInBlock => 62,
            State::AfterBarInBlock => 63,
            State::Ignoring => 64,
            State::Ended => 65,
            State::AfterCharModifier => 66,
        }
    }

    const STATES: usize = 67;

    /// Inputs, byte by byte to the end: which state follows which.
    fn transitions() -> BTreeMap<usize, Vec<usize>> {
        let single = Options::default().single(true);
        let verbatim = Options::default().verbatim(true);
        let inputs: &[(&'static Syntax, Options, &[u8])] = &[
            (&Syntax::SE, Options::default(), b"a \x00\x00b"),
            (&Syntax::SEXPLIB, Options::default(), b"a\r\n\rb # c \"\\n\\065\\\r\n  \\\nx\\\rz\" ;d\r\n;e\n;f\rg"),
            (&Syntax::SEXPLIB, Options::default(), b"#|a#|b|#\"c\"#x|y|#z #;a b"),
            (&Syntax::SEXPLIB, Options::default(), b"\xef\xbb\xbfa"),
            (&Syntax::CANONICAL, Options::default(), b"12:abcdefghijkl99999999999999999999:1:a"),
            (&Syntax::ADVANCED, Options::default(), b"#61 62# |YWJj| \"\\\n\r\\\r\n\\x41\" 2\"ab\""),
            (&Syntax::TRANSPORT, Options::default(), b"3:abc"),
            (&Syntax::SE, single, b"a b c"),
            (&Syntax::SE, Options::default(), b""),
            (&Syntax::SEXPLIB, verbatim, b" a"),
            (&Syntax::DUNE, Options::default(), b"%{a:b} a%b\n\"\\|\r\n\n\"\\| a\r\n \"\\> b\r\n\"c\" x"),
            (&Syntax::R7RS, Options::default(), b"#1=(,@a #1#) \"a\\ \n b\rc\\x41;\" #\\a #\\\xc3\xa9 "),
            (&Syntax::R6RS, Options::default(), b"a\\x41;b #\\a #\\(a #,@a"),
            (&Syntax::GUILE, Options::default(), b"#!x y!#a #!/a!#b #{a}b}# "),
            (&Syntax::RACKET, Options::default(), b"#<<A\nb\nA\n#<a a|b c|d"),
            (&Syntax::COMMONLISP, Options::default(), b"a|b\\|c|d"),
            (&Syntax::ELISP, Options::default(), b"a\xc2\xa0b\xc2c #@2 xx #@1a #@00 xxx"),
            (&Syntax::ELISP, Options::default(), b"\"\\C-a\\^b\\N{U+41}\" ?a ?\\C-a ?\\x41 ?\\N{a} \\ab "),
            (&Syntax::SMTLIB, Options::default(), b"\"a\"\"b\" c"),
            (&Syntax::DSN, Options::default(), b"(string_quote ') 'a'"),
            (&Syntax::WAT, Options::default(), b"(@a (;b;) ;;c\n (d) \"e\") (@ a"),
            (&Syntax::EDIF, Options::default(), b"\"%34 35%\""),
        ];
        let mut after: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &(syntax, options, input) in inputs {
            let mut machine = Machine::new(syntax, options);
            let mut last = number(machine.state);
            let mut note = |state: State| {
                let now = number(state);
                after.entry(last).or_default().push(now);
                last = now;
            };
            for (offset, byte) in input.iter().enumerate() {
                let mut at = 0;
                while machine.step_out_of_line(&Chunk::new(core::slice::from_ref(byte), offset as u64), &mut at) != Step::Await {
                    note(machine.state);
                }
                note(machine.state);
                machine.next_chunk();
            }
            while machine.end(&Chunk::new(&[], input.len() as u64)) != Step::End {
                note(machine.state);
            }
            note(machine.state);
        }
        after
    }

    #[test]
    fn every_state_is_entered_and_left() {
        let after = transitions();
        let ended = number(State::Ended);
        for state in 0..STATES {
            let entered = state == 0 || after.iter().any(|(&from, to)| from != state && to.contains(&state));
            let left = state == ended || after.get(&state).is_some_and(|to| to.iter().any(|&to| to != state));
            assert!(entered, "state {state} is never entered");
            assert!(left, "state {state} is never left");
        }
    }
}
