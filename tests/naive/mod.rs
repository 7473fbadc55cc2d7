//! The oracle: a decoder that is as plain as it can be. It has the whole input in a slice, an index into it, and one function for
//! each thing that can be read. It is slow and keeps everything; what it says is right, the fast decoder has to say too.
//!
//! Reading a byte gives `Err(More)` where the input may still go on; `?` then gives up whatever was being read, and what has been
//! delivered until then is what that prefix completes.

mod armour;
mod atoms;
mod comments;
mod lines;
pub mod rules;
mod strings;
mod tokens;

use atoms::Atom;
use rules::{LETTER, Mark, Rules, What};
use sexp_codec::{Error, ErrorKind, Kind, Options, Position, Span};

/// What a decoder delivers, owned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Lexeme { kind: Kind, value: Vec<u8>, span: Span },
    Error(Error),
    End,
}

/// All events of an input.
pub fn decode(rules: &'static Rules, options: Options, input: &[u8]) -> Vec<Event> {
    run(rules, options, input, true)
}

/// The events that a decoder has delivered when it has seen this much of an input and does not know whether more comes.
pub fn decode_prefix(rules: &'static Rules, options: Options, input: &[u8]) -> Vec<Event> {
    run(rules, options, input, false)
}

fn run(rules: &'static Rules, options: Options, input: &[u8], ends: bool) -> Vec<Event> {
    let allowed = options.total.map_or(input.len(), |total| input.len().min(total as usize));
    let too_large = allowed < input.len();
    let mut naive = Naive {
        rules,
        options,
        tape: Tape { bytes: input[..allowed].to_vec(), places: None, next: 0, ends: ends && !too_large, end: allowed as u64 },
        lines: Lines::of(rules.byte_order_mark, &input[..allowed]),
        lists: Vec::new(),
        brackets: Vec::new(),
        skipped: 0,
        drops: Vec::new(),
        comment: 0,
        hint: Hint::None,
        prefixed: false,
        separate: None,
        quote: b'"',
        names_quote: false,
        in_quotes: false,
        one_line: false,
        formed: false,
        swallows: false,
        events: Vec::new(),
    };
    let done = naive.document();
    if too_large && !naive.swallows {
        naive.error(ErrorKind::InputTooLarge, allowed as u64);
    }
    if ends && (done.is_ok() || too_large) {
        naive.events.push(Event::End);
    }
    naive.events
}

/// The input may go on, and what has been read so far says nothing yet.
struct More;

type Read<T> = Result<T, More>;

type ByteTest = fn(u8) -> bool;

/// What begins with a byte that stands between lexemes.
#[derive(Clone, Copy)]
enum Begins {
    Space,
    Return,
    /// A comment that has no mark, since it depends on what stands before it.
    LineComment,
    Mark(&'static Mark),
    Open,
    Close,
    Atom,
    Hint,
    HintEnd,
    Armour,
    Illegal,
    /// An atom that is one byte, whatever it is.
    Byte,
}

#[derive(Clone)]
enum Hint {
    None,
    /// After `[`, which stands there.
    Inside(u64),
    /// After `[` and an atom.
    Held(u64, Option<Vec<u8>>),
    /// After `]`.
    After,
}

/// A `#;` that waits for data at a depth.
#[derive(Clone)]
struct Drop {
    depth: usize,
    wanted: u64,
    /// Whether a prefix stood before it.
    prefixed: bool,
}

/// What is read, and how far.
#[derive(Clone)]
struct Tape {
    bytes: Vec<u8>,
    /// Where each byte stands in the input, if not at its index.
    places: Option<Vec<u64>>,
    next: usize,
    /// Whether the input is known to end after `bytes`.
    ends: bool,
    /// Where that end is.
    end: u64,
}

#[derive(Clone)]
struct Naive<'a> {
    rules: &'a Rules,
    options: Options,
    tape: Tape,
    lines: Lines,
    /// Where the open lists were opened, those that are dropped included.
    lists: Vec<u64>,
    /// Their delimiters.
    brackets: Vec<u8>,
    /// Lists open beyond the limit.
    skipped: u64,
    drops: Vec<Drop>,
    /// Index of the first `#;`.
    comment: usize,
    hint: Hint,
    /// A prefix waits for its datum.
    prefixed: bool,
    /// Where the last token ended, and what may stand there.
    separate: Option<(u64, ByteTest)>,
    /// Specctra's quote, and whether the next byte names it.
    quote: u8,
    names_quote: bool,
    in_quotes: bool,
    one_line: bool,
    /// A form has been read at the top level.
    formed: bool,
    /// The rest of the input does not matter.
    swallows: bool,
    events: Vec<Event>,
}

/// A `#` that is the last byte, where it needs another.
static LONE: Mark = rules::mark(b"#", What::Illegal);

impl Naive<'_> {
    fn document(&mut self) -> Read<()> {
        if self.rules.byte_order_mark {
            let mark = [0xef, 0xbb, 0xbf];
            let mut same = 0;
            while same < 3 && self.peek_at(same)? == Some(mark[same]) {
                same += 1;
            }
            if same == 3 {
                self.tape.next = 3;
            }
        }
        self.lexemes()?;
        if !self.swallows && self.options.single && self.events.iter().all(is_comment) {
            self.error(ErrorKind::NoForm, self.tape.end);
        }
        Ok(())
    }

    // ---- Between lexemes

    /// Reads everything, and says what is missing at the end.
    fn lexemes(&mut self) -> Read<()> {
        while let Some(byte) = self.peek()? {
            let begins = self.begins(byte)?;
            self.one(byte, begins)?;
            if self.swallows {
                self.tape.next = self.tape.bytes.len();
                return if self.tape.ends { Ok(()) } else { Err(More) };
            }
        }
        match self.hint {
            Hint::None => (),
            Hint::Inside(opened) | Hint::Held(opened, _) => self.error_opened(ErrorKind::UnterminatedHint, self.tape.end, opened),
            Hint::After => self.error(ErrorKind::MisplacedHint, self.tape.end),
        }
        self.nothing_follows(self.tape.end);
        self.close_all();
        Ok(())
    }

    /// The end of the input, or of the armour: all lists are left open.
    fn close_all(&mut self) {
        let open = self.lists.len() as u64 + self.skipped;
        if open > 0 {
            let opened = self.lists.get(self.lists.len().min(32).wrapping_sub(1)).map(|&place| self.lines.position(place));
            let position = self.lines.position(self.tape.end);
            self.events.push(Event::Error(Error { kind: ErrorKind::UnclosedList(open), position, opened }));
        }
        self.lists.clear();
        self.brackets.clear();
        self.prefixed = false;
        self.drops.clear();
        self.skipped = 0;
        self.hint = Hint::None;
    }

    fn begins(&self, byte: u8) -> Read<Begins> {
        let rules = self.rules;
        if rules.specctra && self.names_quote && !rules.spaces.contains(&byte) && !matches!(byte, b'(' | b')') {
            return Ok(Begins::Byte);
        }
        Ok(match byte {
            _ if rules.spaces.contains(&byte) => Begins::Space,
            b'\r' if rules.return_needs_line_feed => Begins::Return,
            b'#' if rules.line_start_comments && self.is_first_on_line() => Begins::LineComment,
            b'0'..=b'9' if rules.counted => Begins::Atom,
            b'#' | b'|' if rules.octets => Begins::Atom,
            b'[' if rules.hints => Begins::Hint,
            b']' if rules.hints && matches!(self.hint, Hint::Inside(_) | Hint::Held(..)) => Begins::HintEnd,
            b'{' if rules.armour => Begins::Armour,
            b'-' if rules.specctra && self.follows_something() => Begins::Byte,
            _ if rules.specctra && byte == self.quote => Begins::Atom,
            _ => match self.mark()? {
                Some(mark) => Begins::Mark(mark),
                None if rules.lists.iter().any(|list| list[0] == byte) => Begins::Open,
                None if rules.lists.iter().any(|list| list[1] == byte) => Begins::Close,
                None if byte == b'#' && rules.lone_hash_is_illegal && self.peek_at(1)?.is_none() => Begins::Mark(&LONE),
                None if rules.continues(byte) => Begins::Atom,
                None => Begins::Illegal,
            },
        })
    }

    /// The longest mark that stands here.
    fn mark(&self) -> Read<Option<&'static Mark>> {
        let mut left: Vec<&'static Mark> = self.rules.marks.iter().collect();
        let mut longest = None;
        let mut length = 0;
        while !left.is_empty() {
            let byte = self.peek_at(length)?;
            let same = |wanted: u8| byte.is_some_and(|byte| if wanted == LETTER { byte.is_ascii_alphabetic() } else { byte == wanted });
            left.retain(|mark| same(mark.bytes[length]));
            length += 1;
            longest = left.iter().find(|mark| mark.bytes.len() == length).copied().or(longest);
            left.retain(|mark| mark.bytes.len() > length);
        }
        Ok(longest)
    }

    /// Whether nothing but white space stands before this on its line.
    fn is_first_on_line(&self) -> bool {
        let before = &self.tape.bytes[..self.tape.next];
        let before = before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(before);
        before.iter().rev().take_while(|byte| **byte != b'\n').all(|byte| self.rules.spaces.contains(byte))
    }

    /// Whether something other than a list start stands directly before this.
    fn follows_something(&self) -> bool {
        let before = &self.tape.bytes[..self.tape.next];
        let before = before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(before);
        before.last().is_some_and(|byte| *byte != b'(' && !self.rules.spaces.contains(byte))
    }

    /// A list or the input ends: whatever waits for a datum has waited in vain.
    fn nothing_follows(&mut self, at: u64) {
        if std::mem::take(&mut self.prefixed) {
            self.error(ErrorKind::PrefixWithoutDatum, at);
        }
        if self.skipped == 0 && self.is_wanted() {
            self.error(ErrorKind::CommentWithoutDatum, at);
            if self.drops.pop().is_some_and(|drop| drop.prefixed) {
                self.error(ErrorKind::PrefixWithoutDatum, at);
            }
        }
    }

    /// Reads the one thing that begins here, or finds that it may not stand here.
    fn one(&mut self, byte: u8, begins: Begins) -> Read<()> {
        let at = self.place();
        // A hint wants its end after its atom, and an atom after its end.
        let misplaced = match self.hint {
            Hint::None => false,
            Hint::Held(..) => !matches!(begins, Begins::Space | Begins::HintEnd),
            Hint::Inside(_) | Hint::After => matches!(begins, Begins::Open | Begins::Close | Begins::Hint),
        };
        if misplaced {
            self.error(ErrorKind::MisplacedHint, at);
            self.hint = Hint::None;
        }
        if matches!(begins, Begins::Close) {
            self.nothing_follows(at);
        }
        let passes = match begins {
            Begins::Space | Begins::Return | Begins::LineComment => true,
            Begins::Mark(mark) => match mark.what {
                What::LineComment | What::BlockComment | What::DatumComment => true,
                What::Directive | What::Script | What::Skip | What::Space => true,
                What::Annotation => self.peek_at(2)?.is_some_and(|byte| (self.rules.bare)(byte) || byte == b'"'),
                _ => false,
            },
            _ => false,
        };
        if self.options.single && self.formed && self.drops.is_empty() && !passes {
            self.error(ErrorKind::TrailingData, at);
            self.swallows = true;
            return Ok(());
        }
        if let Some((place, may_follow)) = self.separate.take()
            && place == at
            && !may_follow(byte)
        {
            self.error(ErrorKind::MissingSeparator, at);
        }
        match begins {
            Begins::Space => self.tape.next += 1,
            Begins::Return => {
                if self.peek_at(1)? != Some(b'\n') {
                    self.error(ErrorKind::ReturnWithoutLineFeed, at);
                }
                self.tape.next += 1;
            }
            Begins::LineComment => self.line_comment()?,
            Begins::Mark(mark) => self.marked(mark, byte, at)?,
            Begins::Open | Begins::Close => {
                self.names_quote = false;
                if matches!(begins, Begins::Open) { self.open(byte, at) } else { self.close(byte, at) }
            }
            Begins::Atom if self.rules.specctra && byte == self.quote => {
                let quote = rules::SPECCTRA_STRINGS.iter().find(|quote| quote.close == [byte]);
                let Some(quote) = quote else { unreachable!("no such quote") };
                let atom = self.quoted_atom(quote, 1, self.value())?;
                self.whole_atom(atom);
            }
            Begins::Atom => {
                if let Some(atom) = self.atom()? {
                    self.whole_atom(atom);
                }
            }
            Begins::Byte => {
                if std::mem::take(&mut self.names_quote) && b"\"'$".contains(&byte) {
                    self.quote = byte;
                }
                self.tape.next += 1;
                let mut value = atoms::Value::new(at, self.tape.next - 1, self.options.atom);
                self.push_written(&mut value);
                self.whole_atom(Atom { kind: Kind::Bare, value: value.good.then_some(value.bytes), start: at, end: Some(at + 1) });
            }
            Begins::Hint => {
                self.hint = Hint::Inside(at);
                self.tape.next += 1;
            }
            Begins::HintEnd => self.hint_end(at),
            Begins::Armour
                if self.lists.is_empty() && self.skipped == 0 && self.tape.places.is_none() && matches!(self.hint, Hint::None) =>
            {
                self.armour()?;
            }
            Begins::Armour | Begins::Illegal => {
                self.error(ErrorKind::IllegalByte(byte), at);
                self.tape.next += 1;
                while let Some(byte) = self.peek()?
                    && matches!(self.begins(byte)?, Begins::Illegal)
                {
                    self.tape.next += 1;
                }
            }
        }
        Ok(())
    }

    fn marked(&mut self, mark: &'static Mark, byte: u8, at: u64) -> Read<()> {
        let take = mark.take;
        let atom = match mark.what {
            What::Prefix => {
                self.tape.next += take;
                self.prefix(self.tape.bytes[self.tape.next - take..self.tape.next].to_vec(), at, self.behind());
                return Ok(());
            }
            What::Tag => {
                let mut atom = self.token_atom(Self::token, 0)?;
                atom.kind = Kind::Prefix;
                atom
            }
            What::Token => self.token_atom(Self::token, 0)?,
            What::Whole(kind) => self.token_atom(
                |naive, value| {
                    naive.push_written(value);
                    Ok(kind)
                },
                take,
            )?,
            What::Quote(quote) => self.quoted_atom(quote, take, self.value())?,
            What::Block(escapes) => self.block(escapes)?,
            What::Here => self.here()?,
            What::Character => self.token_atom(Self::character, take)?,
            What::EmacsCharacter => self.token_atom(Self::emacs_character, take)?,
            What::LineComment => return self.line_comment(),
            What::BlockComment => return self.block_comment(),
            What::DatumComment => {
                self.datum_comment(take);
                return Ok(());
            }
            What::Directive => return self.directive(take),
            What::Script => return self.script(),
            What::Annotation => return self.annotation(),
            What::Skip => return self.skip(),
            What::Space => {
                self.tape.next += take;
                return Ok(());
            }
            What::Open => {
                self.open(byte, at);
                return Ok(());
            }
            What::Illegal => {
                self.error(ErrorKind::IllegalDispatch(byte), at);
                self.tape.next += 1;
                return Ok(());
            }
        };
        self.whole_atom(atom);
        Ok(())
    }

    fn prefix(&mut self, text: Vec<u8>, start: u64, end: u64) {
        self.deliver(Kind::Prefix, text, start, end);
        self.prefixed = true;
    }

    fn open(&mut self, byte: u8, at: u64) {
        self.tape.next += 1;
        self.prefixed = false;
        if self.skipped > 0 {
            self.skipped += 1;
        } else if self.options.depth.is_some_and(|limit| self.lists.len() as u64 >= limit) {
            self.error(ErrorKind::TooDeep, at);
            self.skipped = 1;
        } else {
            self.lists.push(at);
            self.brackets.push(byte);
            self.deliver(Kind::Open, vec![byte], at, at + 1);
        }
    }

    fn close(&mut self, byte: u8, at: u64) {
        self.tape.next += 1;
        if self.skipped > 0 {
            self.skipped -= 1;
            if self.skipped == 0 {
                self.datum(Some(at + 1));
            }
        } else if let Some(&open) = self.brackets.last() {
            if !self.rules.lists.contains(&[open, byte]) {
                self.error_opened(ErrorKind::MismatchedClose(byte), at, self.lists[(self.lists.len() - 1).min(31)]);
                return;
            }
            self.lists.pop();
            self.brackets.pop();
            self.deliver(Kind::Close, vec![byte], at, at + 1);
            self.datum(Some(at + 1));
        } else {
            self.error(ErrorKind::UnbalancedClose(byte), at);
        }
    }

    fn whole_atom(&mut self, atom: Atom) {
        let end = atom.end.unwrap_or(self.tape.end);
        if self.rules.separators {
            self.separate = Some((end, self.rules.may_follow));
        }
        if self.rules.specctra && atom.kind == Kind::Bare {
            // One that is too large is not looked at.
            self.names_quote = atom.value.is_some() && self.tape.bytes[atom.start as usize..end as usize] == *b"string_quote";
        }
        if atom.kind == Kind::Prefix {
            if let Some(value) = atom.value {
                self.prefix(value, atom.start, end);
            }
            return;
        }
        if let Hint::Inside(opened) = self.hint {
            self.hint = Hint::Held(opened, atom.value);
            return;
        }
        self.hint = Hint::None;
        if let (Some(value), Some(end)) = (atom.value, atom.end) {
            self.deliver(atom.kind, value, atom.start, end);
        }
        self.datum(atom.end);
    }

    fn hint_end(&mut self, at: u64) {
        self.tape.next += 1;
        match std::mem::replace(&mut self.hint, Hint::None) {
            Hint::Held(opened, Some(value)) => {
                self.deliver(Kind::Hint, value, opened, at + 1);
                self.hint = Hint::After;
            }
            Hint::Held(_, None) => (),
            Hint::Inside(_) => self.error(ErrorKind::MisplacedHint, at),
            Hint::None | Hint::After => unreachable!("`]` is illegal there"),
        }
    }

    /// A datum is over, and ends there if the input did not end in it.
    fn datum(&mut self, end: Option<u64>) {
        self.prefixed = false;
        if self.skipped > 0 {
            return;
        }
        if let Some(drop) = self.drops.last_mut() {
            if drop.depth == self.lists.len() {
                drop.wanted -= 1;
                if drop.wanted == 0 {
                    self.prefixed = drop.prefixed;
                    self.drops.pop();
                    if let Some(end) = end {
                        self.comment(self.comment, end as usize);
                    }
                }
            }
        } else if self.lists.is_empty() {
            self.formed = true;
        }
    }

    /// Whether a `#;` at this very level still wants a datum.
    fn is_wanted(&self) -> bool {
        self.drops.last().is_some_and(|drop| drop.depth == self.lists.len())
    }

    /// Hands out a lexeme, unless it is dropped.
    fn deliver(&mut self, kind: Kind, value: Vec<u8>, start: u64, end: u64) {
        if self.drops.is_empty() && self.skipped == 0 {
            self.events.push(Event::Lexeme { kind, value, span: Span { start, end } });
        }
    }

    // ---- What it all rests on

    /// The next byte, or nothing at the end of the input.
    fn peek(&self) -> Read<Option<u8>> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Read<Option<u8>> {
        match self.tape.bytes.get(self.tape.next + ahead) {
            None if !self.tape.ends => Err(More),
            byte => Ok(byte.copied()),
        }
    }

    /// Where the next byte stands.
    fn place(&self) -> u64 {
        self.tape.places.as_ref().map_or(self.tape.next as u64, |places| places[self.tape.next])
    }

    /// The place behind the last byte.
    fn behind(&self) -> u64 {
        self.tape.places.as_ref().map_or(self.tape.next as u64, |places| places[self.tape.next - 1] + 1)
    }

    fn error(&mut self, kind: ErrorKind, at: u64) {
        self.events.push(Event::Error(Error { kind, position: self.lines.position(at), opened: None }));
    }

    fn error_opened(&mut self, kind: ErrorKind, at: u64, opened: u64) {
        let opened = Some(self.lines.position(opened));
        self.events.push(Event::Error(Error { kind, position: self.lines.position(at), opened }));
    }
}

/// Where the lines of the input begin.
#[derive(Clone)]
pub struct Lines(Vec<u64>);

impl Lines {
    pub fn of(byte_order_mark: bool, input: &[u8]) -> Lines {
        let first = if byte_order_mark && input.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let ends = input.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        Lines(std::iter::once(first).chain(ends.map(|(i, _)| i as u64 + 1)).collect())
    }

    pub fn position(&self, offset: u64) -> Position {
        let line = self.0.partition_point(|start| *start <= offset).max(1);
        Position { offset, line: line as u64, column: offset.saturating_sub(self.0[line - 1]) + 1 }
    }
}

fn is_comment(event: &Event) -> bool {
    matches!(event, Event::Lexeme { kind: Kind::Comment, .. })
}
