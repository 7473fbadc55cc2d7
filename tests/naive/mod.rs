//! The oracle: a decoder that is as plain as it can be. It has the whole input in a slice, an index into it, and one function for
//! each thing that can be read. It is slow and keeps everything; what it says is right, the fast decoder has to say too.
//!
//! Reading a byte gives `Err(More)` where the input may still go on; `?` then gives up whatever was being read, and what has been
//! delivered until then is what that prefix completes.

pub mod rules;

use rules::{Rules, Strings};
use sexp_codec::{Error, ErrorKind, Kind, Options, Position, Span};

/// What a decoder delivers, owned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Lexeme { kind: Kind, value: Vec<u8>, span: Span },
    Error(Error),
    End,
}

/// All events of an input.
pub fn decode(rules: &Rules, options: Options, input: &[u8]) -> Vec<Event> {
    run(rules, options, input, true)
}

/// The events that a decoder has delivered when it has seen this much of an input and does not know whether more comes.
pub fn decode_prefix(rules: &Rules, options: Options, input: &[u8]) -> Vec<Event> {
    run(rules, options, input, false)
}

fn run(rules: &Rules, options: Options, input: &[u8], ends: bool) -> Vec<Event> {
    let allowed = options.total.map_or(input.len(), |total| input.len().min(total as usize));
    let too_large = allowed < input.len();
    let mut naive = Naive {
        rules,
        options,
        tape: Tape { bytes: input[..allowed].to_vec(), places: None, next: 0, ends: ends && !too_large, end: allowed as u64 },
        lines: Lines::of(rules.byte_order_mark, &input[..allowed]),
        lists: Vec::new(),
        skipped: 0,
        drops: Vec::new(),
        comment: 0,
        hint: Hint::None,
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

/// What begins with a byte that stands between lexemes.
#[derive(Clone, Copy, PartialEq)]
enum Begins {
    Space,
    Return,
    LineComment,
    BlockComment,
    DatumComment,
    Open,
    Close,
    Atom,
    Hint,
    HintEnd,
    Armour,
    Illegal,
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
}

struct Atom {
    kind: Kind,
    /// Nothing where the atom is malformed.
    value: Option<Vec<u8>>,
    start: u64,
    /// Nothing where the input ended in it.
    end: Option<u64>,
}

/// The value of an atom while it is read, until something is wrong with it.
struct Value {
    bytes: Vec<u8>,
    good: bool,
    start: u64,
    limit: u64,
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
    /// Lists open beyond the limit.
    skipped: u64,
    drops: Vec<Drop>,
    /// Index of the first `#;`.
    comment: usize,
    hint: Hint,
    /// A form has been read at the top level.
    formed: bool,
    /// The rest of the input does not matter.
    swallows: bool,
    events: Vec<Event>,
}

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
        if self.skipped == 0 && self.is_wanted() {
            self.error(ErrorKind::CommentWithoutDatum, self.tape.end);
        }
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
        self.drops.clear();
        self.skipped = 0;
        self.hint = Hint::None;
    }

    fn begins(&self, byte: u8) -> Read<Begins> {
        let rules = self.rules;
        Ok(match byte {
            _ if rules.spaces.contains(&byte) => Begins::Space,
            b'\r' if rules.return_needs_line_feed => Begins::Return,
            b'(' => Begins::Open,
            b')' => Begins::Close,
            b';' if rules.comments => Begins::LineComment,
            b'#' if rules.comments => match self.peek_at(1)? {
                Some(b'|') => Begins::BlockComment,
                Some(b';') => Begins::DatumComment,
                _ => Begins::Atom,
            },
            b'"' if rules.strings.is_some() => Begins::Atom,
            b'0'..=b'9' if rules.counted => Begins::Atom,
            b'#' | b'|' if rules.octets => Begins::Atom,
            b'[' if rules.hints => Begins::Hint,
            b']' if rules.hints && matches!(self.hint, Hint::Inside(_) | Hint::Held(..)) => Begins::HintEnd,
            b'{' if rules.armour => Begins::Armour,
            _ if (rules.bare)(byte) => Begins::Atom,
            _ => Begins::Illegal,
        })
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
        if begins == Begins::Close && self.skipped == 0 && self.is_wanted() {
            self.error(ErrorKind::CommentWithoutDatum, at);
            self.drops.pop();
        }
        let passes = matches!(begins, Begins::Space | Begins::Return | Begins::LineComment | Begins::BlockComment | Begins::DatumComment);
        if self.options.single && self.formed && self.drops.is_empty() && !passes {
            self.error(ErrorKind::TrailingData, at);
            self.swallows = true;
            return Ok(());
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
            Begins::BlockComment => self.block_comment()?,
            Begins::DatumComment => self.datum_comment(),
            Begins::Open => self.open(at),
            Begins::Close => self.close(at),
            Begins::Atom => self.whole_atom()?,
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
                    && self.begins(byte)? == Begins::Illegal
                {
                    self.tape.next += 1;
                }
            }
        }
        Ok(())
    }

    fn open(&mut self, at: u64) {
        self.tape.next += 1;
        if self.skipped > 0 {
            self.skipped += 1;
        } else if self.options.depth.is_some_and(|limit| self.lists.len() as u64 >= limit) {
            self.error(ErrorKind::TooDeep, at);
            self.skipped = 1;
        } else {
            self.lists.push(at);
            self.deliver(Kind::Open, b"(".to_vec(), at, at + 1);
        }
    }

    fn close(&mut self, at: u64) {
        self.tape.next += 1;
        if self.skipped > 0 {
            self.skipped -= 1;
            if self.skipped == 0 {
                self.datum(Some(at + 1));
            }
        } else if self.lists.pop().is_some() {
            self.deliver(Kind::Close, b")".to_vec(), at, at + 1);
            self.datum(Some(at + 1));
        } else {
            self.error(ErrorKind::UnbalancedClose(b')'), at);
        }
    }

    fn whole_atom(&mut self) -> Read<()> {
        let Some(atom) = self.atom()? else { return Ok(()) };
        if let Hint::Inside(opened) = self.hint {
            self.hint = Hint::Held(opened, atom.value);
            return Ok(());
        }
        self.hint = Hint::None;
        if let (Some(value), Some(end)) = (atom.value, atom.end) {
            self.deliver(atom.kind, value, atom.start, end);
        }
        self.datum(atom.end);
        Ok(())
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
        if self.skipped > 0 {
            return;
        }
        if let Some(drop) = self.drops.last_mut() {
            if drop.depth == self.lists.len() {
                drop.wanted -= 1;
                if drop.wanted == 0 {
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

    // ---- Comments

    fn line_comment(&mut self) -> Read<()> {
        let start = self.tape.next;
        loop {
            match self.peek()? {
                None | Some(b'\n') => break,
                Some(b'\r') if self.rules.return_needs_line_feed => {
                    if self.peek_at(1)? == Some(b'\n') {
                        break;
                    }
                    self.error(ErrorKind::ReturnWithoutLineFeed, self.place());
                    self.tape.next += 1;
                    return Ok(());
                }
                Some(_) => self.tape.next += 1,
            }
        }
        self.comment(start, self.tape.next);
        Ok(())
    }

    fn block_comment(&mut self) -> Read<()> {
        let start = self.tape.next;
        let mut depth = 0u64;
        loop {
            match (self.peek()?, self.peek_at(1)) {
                (None, _) => {
                    self.error_opened(ErrorKind::UnterminatedComment, self.tape.end, start as u64);
                    return Ok(());
                }
                (Some(b'"'), _) => {
                    let mut value = Value { bytes: Vec::new(), good: true, start: 0, limit: u64::MAX };
                    self.string(&mut value)?;
                }
                (Some(b'#'), second) if second.as_ref().is_ok_and(|byte| *byte == Some(b'|')) => {
                    self.tape.next += 2;
                    depth += 1;
                }
                (Some(b'|'), second) if second.as_ref().is_ok_and(|byte| *byte == Some(b'#')) => {
                    self.tape.next += 2;
                    depth -= 1;
                    if depth == 0 {
                        self.comment(start, self.tape.next);
                        return Ok(());
                    }
                }
                _ => self.tape.next += 1,
            }
        }
    }

    fn datum_comment(&mut self) {
        if self.skipped == 0 {
            if self.drops.is_empty() {
                self.comment = self.tape.next;
            }
            match self.drops.last_mut() {
                Some(drop) if drop.depth == self.lists.len() => drop.wanted += 1,
                _ => self.drops.push(Drop { depth: self.lists.len(), wanted: 1 }),
            }
        }
        self.tape.next += 2;
    }

    /// Hands out a comment, if comments are wanted and it is no part of another.
    fn comment(&mut self, start: usize, end: usize) {
        if self.options.comments && self.drops.is_empty() && self.skipped == 0 {
            if (end - start) as u64 > self.options.atom.unwrap_or(u64::MAX) {
                self.error(ErrorKind::AtomTooLarge, start as u64);
            } else {
                self.deliver(Kind::Comment, self.tape.bytes[start..end].to_vec(), start as u64, end as u64);
            }
        }
    }

    // ---- Atoms

    /// Reads an atom; a length that announces none is nothing at all.
    fn atom(&mut self) -> Read<Option<Atom>> {
        let first = self.tape.bytes[self.tape.next];
        let start = self.place();
        let mut value = Value { bytes: Vec::new(), good: true, start, limit: self.options.atom.unwrap_or(u64::MAX) };
        if first.is_ascii_digit() && self.rules.counted {
            return self.after_length(value);
        }
        let (kind, closed) = self.quoted_or_bare(&mut value)?;
        Ok(Some(Atom { kind, value: value.good.then_some(value.bytes), start, end: closed.then(|| self.behind()) }))
    }

    /// Reads an atom without a length, and says of what kind it is and whether its end was seen.
    fn quoted_or_bare(&mut self, value: &mut Value) -> Read<(Kind, bool)> {
        let (kind, closed) = match self.tape.bytes[self.tape.next] {
            b'"' if self.rules.strings.is_some() => (Kind::String, self.string(value)?),
            b'#' if self.rules.octets => (Kind::Octets, self.hex(value)?),
            b'|' if self.rules.octets => (Kind::Octets, self.base64(value)?),
            _ => {
                self.bare(value)?;
                (Kind::Bare, true)
            }
        };
        if !closed {
            let kind = if kind == Kind::String { ErrorKind::UnterminatedString } else { ErrorKind::UnterminatedOctets };
            if value.good {
                self.error_opened(kind, self.tape.end, value.start);
                value.good = false;
            }
        }
        Ok((kind, closed))
    }

    fn bare(&mut self, value: &mut Value) -> Read<()> {
        let mut last = None;
        while let Some(byte) = self.peek()? {
            if !(self.rules.bare)(byte) {
                break;
            }
            if self.rules.comments && matches!((last, byte), (Some(b'#'), b'|') | (Some(b'|'), b'#')) {
                self.fault(value, ErrorKind::CommentInAtom, self.place() - 1);
            }
            self.push(value, byte);
            last = Some(byte);
            self.tape.next += 1;
        }
        Ok(())
    }

    /// Reads digits and what they announce.
    fn after_length(&mut self, mut value: Value) -> Read<Option<Atom>> {
        let first = self.tape.next;
        let start = value.start;
        let mut length = 0u64;
        while let Some(byte @ b'0'..=b'9') = self.peek()? {
            if self.tape.next == first + 1 && self.tape.bytes[first] == b'0' && !self.rules.leading_zeros {
                self.error(ErrorKind::LeadingZero, start);
            }
            match length.checked_mul(10).and_then(|length| length.checked_add(u64::from(byte - b'0'))) {
                Some(longer) => length = longer,
                None => {
                    self.error(ErrorKind::LengthTooLarge, start);
                    while self.peek()?.is_some_and(|byte| byte.is_ascii_digit()) {
                        self.tape.next += 1;
                    }
                    if self.peek()? == Some(b':') {
                        self.tape.next += 1;
                    }
                    return Ok(None);
                }
            }
            self.tape.next += 1;
        }
        match self.peek()? {
            Some(b':') => {
                self.tape.next += 1;
                self.counted(length, value).map(Some)
            }
            Some(b'"' | b'#' | b'|') if self.rules.octets => {
                let (kind, closed) = self.quoted_or_bare(&mut value)?;
                if value.good && value.bytes.len() as u64 != length {
                    self.fault(&mut value, ErrorKind::LengthMismatch, start);
                }
                Ok(Some(Atom { kind, value: value.good.then_some(value.bytes), start, end: closed.then(|| self.behind()) }))
            }
            _ => {
                self.error(ErrorKind::LengthWithoutBody, start);
                Ok(None)
            }
        }
    }

    fn counted(&mut self, length: u64, mut value: Value) -> Read<Atom> {
        if length > value.limit {
            let start = value.start;
            self.fault(&mut value, ErrorKind::AtomTooLarge, start);
        }
        let left = (self.tape.bytes.len() - self.tape.next) as u64;
        let whole = length <= left;
        if !whole && !self.tape.ends {
            return Err(More);
        }
        if !whole && value.good {
            self.error_opened(ErrorKind::PrematureEnd, self.tape.end, value.start);
            value.good = false;
        }
        let taken = length.min(left) as usize;
        let bytes = self.tape.bytes[self.tape.next..self.tape.next + taken].to_vec();
        self.tape.next += taken;
        Ok(Atom { kind: Kind::Octets, value: value.good.then_some(bytes), start: value.start, end: whole.then(|| self.behind()) })
    }

    /// Reads a string; whether its end was seen.
    fn string(&mut self, value: &mut Value) -> Read<bool> {
        self.tape.next += 1;
        while let Some(byte) = self.peek()? {
            if byte == b'\\' {
                self.escape(value)?;
                continue;
            }
            if byte != b'"' {
                if self.rules.strings == Some(Strings::Rfc9804) && !(0x20..0x7f).contains(&byte) {
                    self.fault(value, ErrorKind::IllegalInString(byte), self.place());
                }
                self.push(value, byte);
            }
            self.tape.next += 1;
            if byte == b'"' {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn escape(&mut self, value: &mut Value) -> Read<()> {
        let lead = self.place();
        let sexplib = self.rules.strings == Some(Strings::Sexplib);
        self.tape.next += 1;
        let Some(byte) = self.peek()? else { return Ok(()) };
        let numeric = |digits, radix| Some((digits, radix));
        let number = match byte {
            b'0'..=b'9' if sexplib => numeric(3, 10),
            b'0'..=b'7' if !sexplib => numeric(3, 8),
            b'x' => numeric(2, 16),
            _ => None,
        };
        if let Some((digits, radix)) = number {
            if byte == b'x' {
                self.tape.next += 1;
            }
            let mut code = 0;
            for _ in 0..digits {
                let Some(byte) = self.peek()? else { return Ok(()) };
                let Some(digit) = (byte as char).to_digit(radix) else {
                    self.fault(value, ErrorKind::IncompleteEscape, lead);
                    return Ok(());
                };
                code = code * radix + digit;
                self.tape.next += 1;
            }
            if code > 255 {
                self.fault(value, ErrorKind::EscapeOutOfRange, lead);
            }
            self.push(value, code as u8);
            return Ok(());
        }
        self.tape.next += 1;
        match byte {
            b'n' => self.push(value, b'\n'),
            b'r' => self.push(value, b'\r'),
            b't' => self.push(value, b'\t'),
            b'b' => self.push(value, 0x08),
            b'\\' | b'"' | b'\'' => self.push(value, byte),
            b'a' if !sexplib => self.push(value, 0x07),
            b'v' if !sexplib => self.push(value, 0x0b),
            b'f' if !sexplib => self.push(value, 0x0c),
            b'?' if !sexplib => self.push(value, b'?'),
            b'\r' if sexplib => match self.peek()? {
                Some(b'\n') => {
                    self.tape.next += 1;
                    self.skip_blanks()?;
                }
                Some(_) => self.push(value, b'\r'),
                None => (),
            },
            b'\n' if sexplib => self.skip_blanks()?,
            b'\n' | b'\r' => {
                let other = if byte == b'\r' { b'\n' } else { b'\r' };
                if self.peek()? == Some(other) {
                    self.tape.next += 1;
                }
            }
            _ if sexplib => {
                self.push(value, b'\\');
                self.push(value, byte);
            }
            _ => self.fault(value, ErrorKind::UnknownEscape(byte), lead),
        }
        Ok(())
    }

    fn skip_blanks(&mut self) -> Read<()> {
        while let Some(b' ' | b'\t') = self.peek()? {
            self.tape.next += 1;
        }
        Ok(())
    }

    /// Reads hexadecimal octets; whether their end was seen.
    fn hex(&mut self, value: &mut Value) -> Read<bool> {
        self.tape.next += 1;
        let mut high = None;
        while let Some(byte) = self.peek()? {
            let at = self.place();
            self.tape.next += 1;
            match (byte as char).to_digit(16) {
                _ if self.rules.spaces.contains(&byte) => (),
                Some(digit) => match high.take() {
                    None => high = Some(digit),
                    Some(high) => self.push(value, (high * 16 + digit) as u8),
                },
                None if byte == b'#' => {
                    if high.is_some() {
                        self.fault(value, ErrorKind::OddHex, at);
                    }
                    return Ok(true);
                }
                None => self.fault(value, ErrorKind::IllegalInOctets(byte), at),
            }
        }
        Ok(false)
    }

    /// Reads base64 octets; whether their end was seen.
    fn base64(&mut self, value: &mut Value) -> Read<bool> {
        self.tape.next += 1;
        let mut digits = Base64::default();
        while let Some(byte) = self.peek()? {
            let at = self.place();
            self.tape.next += 1;
            match byte {
                _ if self.rules.spaces.contains(&byte) => (),
                b'|' => {
                    if !digits.is_whole() {
                        self.fault(value, ErrorKind::BadBase64, at);
                    }
                    return Ok(true);
                }
                _ => match digits.next(byte) {
                    Ok(octet) => {
                        if let Some(octet) = octet {
                            self.push(value, octet);
                        }
                    }
                    Err(kind) => self.fault(value, kind, at),
                },
            }
        }
        Ok(false)
    }

    // ---- Armour

    /// Reads forms in base64 in braces: decodes the base64, and reads the octets as if they were the input.
    fn armour(&mut self) -> Read<()> {
        let opened = self.place();
        self.tape.next += 1;
        let mut octets = Vec::new();
        let mut places = Vec::new();
        let mut digits = Base64::default();
        let mut fault = None;
        let mut closed = None;
        while closed.is_none() && self.tape.next < self.tape.bytes.len() {
            let byte = self.tape.bytes[self.tape.next];
            let at = self.tape.next as u64;
            self.tape.next += 1;
            if byte == b'}' {
                closed = Some(at);
            } else if fault.is_none() && !b" \t\n\x0b\x0c\r".contains(&byte) {
                match digits.next(byte) {
                    Ok(None) => (),
                    Ok(Some(octet)) => {
                        octets.push(octet);
                        places.push(at);
                    }
                    Err(kind) => fault = Some((kind, at)),
                }
            }
        }

        let end = closed.unwrap_or(self.tape.end);
        let octets = Tape { bytes: octets, places: Some(places), next: 0, ends: false, end };
        let outer = std::mem::replace(&mut self.tape, octets);
        let mut complete = self.clone();
        let _ = complete.lexemes();
        if complete.swallows {
            *self = complete;
        } else if closed.is_some() && fault.is_none() {
            // The end of the armour is an end like that of the input.
            self.tape.ends = true;
            let _ = self.lexemes();
            if !digits.is_whole() {
                let position = self.lines.position(end);
                self.events.insert(complete.events.len(), Event::Error(Error { kind: ErrorKind::BadBase64, position, opened: None }));
            }
        } else {
            // The octets break off: what they do not complete is dropped, but for the lists.
            *self = complete;
            if let Some((kind, at)) = fault {
                self.error(kind, at);
            }
            if closed.is_none() && !outer.ends {
                return Err(More);
            }
            if closed.is_none() {
                self.error_opened(ErrorKind::PrematureEnd, end, opened);
            }
            self.close_all();
        }
        self.tape = outer;
        Ok(())
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

    /// Something is wrong with an atom; only the first such thing counts.
    fn fault(&mut self, value: &mut Value, kind: ErrorKind, at: u64) {
        if value.good {
            value.good = false;
            self.error(kind, at);
        }
    }

    fn push(&mut self, value: &mut Value, byte: u8) {
        if value.good {
            value.bytes.push(byte);
            if value.bytes.len() as u64 > value.limit {
                self.fault(value, ErrorKind::AtomTooLarge, value.start);
            }
        }
    }
}

/// Base64 digits, the bits that are not yet an octet, and the pads.
#[derive(Default)]
struct Base64 {
    digits: u64,
    pads: u64,
    bits: u32,
}

impl Base64 {
    /// Takes a digit or pad; gives the octet that it completes.
    fn next(&mut self, byte: u8) -> Result<Option<u8>, ErrorKind> {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                self.pads += 1;
                return Ok(None);
            }
            _ => return Err(ErrorKind::IllegalInOctets(byte)),
        };
        if self.pads > 0 {
            return Err(ErrorKind::BadBase64);
        }
        self.digits += 1;
        self.bits = self.bits << 6 | u32::from(digit);
        Ok(match self.digits % 4 {
            2 => Some((self.bits >> 4) as u8),
            3 => Some((self.bits >> 2) as u8),
            0 => Some(self.bits as u8),
            _ => None,
        })
    }

    /// Whether the digits make whole octets, and there is not more padding than they need.
    fn is_whole(&self) -> bool {
        match self.digits % 4 {
            0 => self.pads == 0,
            2 => self.pads <= 2,
            3 => self.pads <= 1,
            _ => false,
        }
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
