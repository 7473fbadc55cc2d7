//! The machine that writes any lexeme, and stops and goes on at any byte.
//!
//! A lexeme is written in three parts, each of which may be empty: what comes before it (a separator, an opening quote, a count), its
//! body, and what comes after it (a closing quote, a line end). [`State`] says which part is under way. The first and the last part are
//! short, so they are made ready in [`Pending`]; so are escapes and the digits of octets. The body is taken from the lexeme the client
//! holds, from the place in it that was reached: nothing of it is kept.
//!
//! A lexeme is looked at as a whole before its first byte is written (that decides its spelling), and everything that may be wrong with it
//! is found then. That is why an error changes nothing.

use super::comment::{Comment, whole_comment};
use super::sink::{Base64, Put, Sink};
use super::spelling::{Before, Speller, Spelling, escape, hex};
use super::{EncodeError, EncodeOptions, Layout};
use crate::lexeme::{Fragment, Kind};
use crate::syntax::{Cont, Start, Syntax, Write};

/// Writes lexemes.
#[derive(Clone)]
pub(super) struct Machine {
    pub(super) speller: Speller,
    /// How many lists are open.
    pub(super) depth: u64,
    pub(super) last: Last,
    /// Whether lexemes may be written without the machine, as long as no list is closed to a depth below `floor`.
    pub(super) short: bool,
    pub(super) floor: i64,
    state: State,
    pending: Pending,
    task: Task,
    pieces: Option<Pieces>,
    base64: Base64,
}

impl Machine {
    pub(super) fn new(syntax: &'static Syntax, options: EncodeOptions) -> Machine {
        let spaces = [b' ', b'\n'].iter().all(|&byte| syntax.start[byte as usize] == Start::Space);
        let layout = if spaces && syntax.armour.is_none() { options.layout } else { Layout::Compact };
        let task = Task { kind: Kind::Open, len: 0, spelling: Spelling::AsIs, at: 0, becomes: Last::Nothing, piece: false, whole: true };
        let mut machine = Machine {
            speller: Speller::new(syntax, EncodeOptions { layout, ..options }),
            depth: 0,
            last: Last::Nothing,
            short: false,
            floor: match layout {
                _ if syntax.armour.is_some() => i64::MAX,
                Layout::Compact => 0,
                Layout::Lines => 1,
                Layout::Indent => i64::MAX,
            },
            state: State::Ready,
            pending: Pending::default(),
            task,
            pieces: None,
            base64: Base64::default(),
        };
        machine.rest();
        machine
    }

    fn layout(&self) -> Layout {
        self.speller.options.layout
    }

    /// Writes a lexeme, or goes on with it; whether it is whole.
    pub(super) fn lexeme(&mut self, kind: Kind, bytes: &[u8], sink: &mut Sink<'_>) -> Result<bool, EncodeError> {
        if self.goes_on(kind, bytes.len(), false)? {
            return Ok(self.run(bytes, sink));
        }
        if self.pieces.is_some() {
            return Err(EncodeError::FragmentExpected);
        }
        if self.last == Last::Hint && !kind.is_atom() {
            return Err(EncodeError::MisplacedHint);
        }
        let syntax = self.speller.syntax;
        let (spelling, becomes) = match kind {
            Kind::Open if bytes != [syntax.open] => return Err(EncodeError::NoSuchDelimiter),
            Kind::Open => (Spelling::AsIs, Last::Open),
            Kind::Close if bytes != [syntax.close] => return Err(EncodeError::NoSuchDelimiter),
            Kind::Close if self.depth == 0 => return Err(EncodeError::UnbalancedClose),
            Kind::Close => (Spelling::AsIs, Last::Whole),
            Kind::Hint if syntax.hint.is_none() => return Err(EncodeError::NoSuchKind(kind)),
            Kind::Hint => (self.speller.whole(kind, bytes)?, Last::Hint),
            Kind::Comment => (Spelling::AsIs, self.comment(bytes)?),
            _ => {
                let spelling = self.speller.whole(kind, bytes)?;
                (spelling, self.atom_becomes(spelling, bytes.len() as u64, bytes.first()))
            }
        };
        let separator = self.separator(kind, self.first_byte(kind, bytes, spelling, bytes.len() as u64));
        let most = bytes.len().saturating_mul(spelling.most_for_a_byte()).saturating_add(separator.len() + MOST_AROUND);
        if most <= sink.free() {
            self.write_at_once(kind, bytes, spelling, becomes, separator, sink);
            return Ok(true);
        }
        self.begin(kind, spelling, bytes.len() as u64, separator, sink);
        self.task = Task { kind, len: bytes.len(), spelling, at: 0, becomes, piece: false, whole: true };
        Ok(self.run(bytes, sink))
    }

    /// Writes a piece of an atom, or goes on with it; whether it is whole.
    pub(super) fn fragment(&mut self, fragment: Fragment<'_>, sink: &mut Sink<'_>) -> Result<bool, EncodeError> {
        let Fragment { kind, bytes, first, last, total, .. } = fragment;
        if self.goes_on(kind, bytes.len(), true)? {
            return Ok(self.run(bytes, sink));
        }
        let mut pieces = match self.pieces {
            Some(pieces) if !first && pieces.kind == kind => pieces,
            Some(_) => return Err(EncodeError::FragmentExpected),
            None if !first => return Err(EncodeError::FirstFragmentExpected),
            None if !kind.is_atom() => return Err(EncodeError::NoSuchKind(kind)),
            None => {
                let spelling = if last { self.speller.whole(kind, bytes)? } else { self.speller.pieces(kind, total)? };
                Pieces { kind, spelling, total, before: Before::default() }
            }
        };
        let Before { count, .. } = pieces.before;
        let sum = count.saturating_add(bytes.len() as u64);
        if pieces.total.is_some_and(|total| sum > total || last && sum < total) {
            return Err(EncodeError::TotalMismatch);
        }
        // An empty piece of a bare atom says nothing, unless the atom ends with it.
        if !(bytes.is_empty() && (count > 0 || !last)) {
            self.speller.check(pieces.spelling, bytes, pieces.before)?;
        }
        let bare = matches!(pieces.spelling, Spelling::AsIs);
        let lead = if count == 0 { bytes.first().copied() } else { Some(pieces.before.last) };
        let becomes = self.atom_becomes(pieces.spelling, sum, lead.as_ref());
        // A bare atom begins with its first byte; anything else, with what comes before it.
        if if bare { count == 0 && !bytes.is_empty() } else { first } {
            let total = pieces.total.unwrap_or(sum);
            let separator = self.separator(kind, self.first_byte(kind, bytes, pieces.spelling, total));
            self.begin(kind, pieces.spelling, total, separator, sink);
        } else {
            self.state = State::Body;
            self.short = false;
        }
        self.task = Task { kind, len: bytes.len(), spelling: pieces.spelling, at: 0, becomes, piece: true, whole: last };
        pieces.before = Before { count: sum, last: bytes.last().copied().unwrap_or(pieces.before.last) };
        self.pieces = if last { None } else { Some(pieces) };
        Ok(self.run(bytes, sink))
    }

    pub(super) fn finish(&self) -> Result<(), EncodeError> {
        match (self.state, self.last, self.depth) {
            (State::Body | State::Tail | State::FormEnd | State::End, ..) => Err(EncodeError::Unfinished),
            _ if self.pieces.is_some() => Err(EncodeError::FragmentExpected),
            (State::Ready, Last::Hint, _) => Err(EncodeError::MisplacedHint),
            (State::Ready, _, 0) => Ok(()),
            (State::Ready, _, depth) => Err(EncodeError::UnclosedList(depth)),
        }
    }

    /// Whether a lexeme is partly written, and must then be this one.
    fn goes_on(&self, kind: Kind, len: usize, piece: bool) -> Result<bool, EncodeError> {
        if self.state == State::Ready {
            Ok(false)
        } else if (self.task.kind, self.task.len, self.task.piece) == (kind, len, piece) {
            Ok(true)
        } else {
            Err(EncodeError::Unfinished)
        }
    }

    /// What a comment is for the lexeme after it.
    fn comment(&self, text: &[u8]) -> Result<Last, EncodeError> {
        let syntax = self.speller.syntax;
        if syntax.line_comment.is_none() && syntax.dispatch.is_none() || syntax.armour.is_some() {
            return Err(EncodeError::NoSuchKind(Kind::Comment));
        }
        let comment = whole_comment(syntax, text).ok_or(EncodeError::NotAComment)?;
        let breaks = comment == Comment::Line && self.depth > 0 || text.contains(&b'\n');
        if self.layout() == Layout::Lines && breaks {
            return Err(EncodeError::LineBreak);
        }
        Ok(match comment {
            _ if self.depth == 0 && (comment == Comment::Line || self.layout() != Layout::Compact) => Last::Nothing,
            Comment::Line => Last::LineEnd,
            Comment::Block => Last::Whole,
        })
    }

    /// What an atom is for the lexeme after it.
    fn atom_becomes(&self, spelling: Spelling, len: u64, first: Option<&u8>) -> Last {
        match (spelling, self.speller.syntax.dispatch, first) {
            (Spelling::AsIs, Some(dispatch), Some(&first)) if len == 1 && first == dispatch.lead => Last::Lead,
            (Spelling::AsIs, ..) => Last::Bare,
            _ => Last::Whole,
        }
    }

    /// Makes ready what comes before a lexeme.
    fn begin(&mut self, kind: Kind, spelling: Spelling, total: u64, separator: &'static [u8], sink: &mut Sink<'_>) {
        let mut head = Pending { text: separator, ..Pending::default() };
        self.head(kind, spelling, total, &mut head);
        self.pending = head;
        if self.depth == 0 && self.last != Last::Hint {
            sink.begin_form();
        }
        self.state = State::Body;
        self.short = false;
    }

    /// Writes a lexeme for which there is room whatever its bytes are.
    fn write_at_once(&mut self, kind: Kind, bytes: &[u8], spelling: Spelling, becomes: Last, separator: &[u8], sink: &mut Sink<'_>) {
        sink.put_all(separator);
        self.head(kind, spelling, bytes.len() as u64, sink);
        match spelling {
            Spelling::AsIs | Spelling::Counted => sink.put_all(bytes),
            Spelling::Quoted(quote) => {
                let mut rest = bytes;
                loop {
                    rest = sink.put_while(rest, |byte| self.speller.how(quote, byte) == Write::Plain);
                    let [byte, others @ ..] = rest else { break };
                    let (escape, len) = escape(quote, *byte, self.speller.how(quote, *byte));
                    sink.put_all(&escape[..len]);
                    rest = others;
                }
            }
            Spelling::Hex(_) => bytes.iter().for_each(|&byte| sink.put_all(&hex(byte))),
            Spelling::Base64(_) => bytes.iter().filter_map(|&byte| self.base64.push(byte)).for_each(|digits| sink.put_all(&digits)),
        }
        if self.tail(kind, bytes, spelling, becomes, sink) && self.layout() != Layout::Compact {
            sink.put(b'\n');
            self.last = Last::Nothing;
        }
        self.rest();
    }

    /// The first byte of a lexeme, as it is written.
    fn first_byte(&self, kind: Kind, bytes: &[u8], spelling: Spelling, mut total: u64) -> u8 {
        match (kind, spelling) {
            (Kind::Hint, _) => self.speller.syntax.hint.map_or(0, |hint| hint.0),
            (_, Spelling::AsIs) => bytes.first().copied().unwrap_or_default(),
            (_, Spelling::Quoted(quote)) => quote.open,
            (_, Spelling::Hex(delimiter) | Spelling::Base64(delimiter)) => delimiter,
            (_, Spelling::Counted) => {
                while total > 9 {
                    total /= 10;
                }
                b'0' + total as u8
            }
        }
    }

    /// What comes before the body of a lexeme, without the separator.
    fn head(&self, kind: Kind, spelling: Spelling, total: u64, out: &mut impl Put) {
        if let (Kind::Hint, Some((open, _))) = (kind, self.speller.syntax.hint) {
            out.put(open);
        }
        match spelling {
            Spelling::AsIs => {}
            Spelling::Counted => {
                let mut digits = [0; 20];
                let mut start = digits.len();
                let mut rest = total;
                loop {
                    start -= 1;
                    digits[start] = b'0' + (rest % 10) as u8;
                    rest /= 10;
                    if rest == 0 {
                        break;
                    }
                }
                digits[start..].iter().for_each(|&digit| out.put(digit));
                out.put(b':');
            }
            Spelling::Quoted(quote) => out.put(quote.open),
            Spelling::Hex(delimiter) | Spelling::Base64(delimiter) => out.put(delimiter),
        }
    }

    /// What comes after the body of a lexeme, which counts as written from here on; whether it ends a form.
    fn tail(&mut self, kind: Kind, bytes: &[u8], spelling: Spelling, becomes: Last, out: &mut impl Put) -> bool {
        match spelling {
            Spelling::AsIs | Spelling::Counted => {}
            Spelling::Quoted(quote) => out.put(quote.close),
            Spelling::Hex(delimiter) => out.put(delimiter),
            Spelling::Base64(delimiter) => {
                self.base64.end().into_iter().flatten().for_each(|digit| out.put(digit));
                out.put(delimiter);
            }
        }
        self.last = becomes;
        match kind {
            Kind::Open => self.depth += 1,
            Kind::Close => self.depth -= 1,
            Kind::Hint => {
                if let Some((_, close)) = self.speller.syntax.hint {
                    out.put(close);
                }
                return false;
            }
            Kind::Comment => {
                let line = self.speller.syntax.line_comment.is_some_and(|byte| bytes.first() == Some(&byte));
                if line || self.depth == 0 && self.layout() != Layout::Compact {
                    out.put(b'\n');
                }
                return false;
            }
            _ => {}
        }
        self.depth == 0
    }

    /// What has to stand between what was written last and a lexeme of that kind and first byte.
    fn separator(&self, kind: Kind, first: u8) -> &'static [u8] {
        let syntax = self.speller.syntax;
        match (self.layout(), self.last) {
            (Layout::Compact | Layout::Lines, Last::Bare | Last::Lead) if syntax.cont[first as usize] != Cont::End => b" ",
            (Layout::Compact | Layout::Lines, Last::Lead)
                if syntax.dispatch.is_some_and(|dispatch| [dispatch.block, dispatch.datum].contains(&Some(first))) =>
            {
                b" "
            }
            (Layout::Compact | Layout::Lines, _) => b"",
            (Layout::Indent, Last::Open | Last::Hint | Last::Nothing) => b"",
            (Layout::Indent, Last::LineEnd) if kind == Kind::Close => blanks(self.depth - 1),
            (Layout::Indent, Last::LineEnd) => blanks(self.depth),
            (Layout::Indent, Last::Whole | Last::Bare | Last::Lead) => match kind {
                Kind::Close => b"",
                Kind::Open => line_and_blanks(self.depth),
                _ => b" ",
            },
        }
    }

    /// Writes as much as fits; whether that is all.
    fn run(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> bool {
        loop {
            if !self.pending.flush(sink) || !sink.drain() {
                return false;
            }
            match self.state {
                State::Ready => return true,
                State::Body => {
                    if !self.body(bytes, sink) {
                        return false;
                    }
                    self.state = if self.task.whole { State::Tail } else { State::End };
                }
                State::Tail => {
                    let (Task { kind, spelling, becomes, .. }, mut tail) = (self.task, Pending::default());
                    let ends_form = self.tail(kind, bytes, spelling, becomes, &mut tail);
                    self.pending = tail;
                    self.state = if ends_form { State::FormEnd } else { State::End };
                }
                State::FormEnd => {
                    sink.end_form();
                    if self.layout() != Layout::Compact {
                        self.pending.put(b'\n');
                        self.last = Last::Nothing;
                    }
                    self.state = State::End;
                }
                State::End => {
                    self.state = State::Ready;
                    self.rest();
                }
            }
        }
    }

    /// Between lexemes: says whether the next ones may be written without the machine.
    fn rest(&mut self) {
        self.short = self.depth as i64 >= self.floor && self.pieces.is_none() && !matches!(self.last, Last::Hint | Last::Lead);
    }

    /// Writes the body from where it stopped; whether it is whole.
    fn body(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> bool {
        while let Some(rest) = bytes.get(self.task.at..)
            && !rest.is_empty()
        {
            if !self.pending.flush(sink) {
                return false;
            }
            match self.task.spelling {
                Spelling::AsIs | Spelling::Counted => {
                    let count = sink.copy(rest);
                    self.task.at += count;
                    if count < rest.len() {
                        return false;
                    }
                }
                Spelling::Quoted(quote) => {
                    let reach = rest.len().min(sink.limit());
                    let run = rest[..reach].iter().position(|&byte| self.speller.how(quote, byte) != Write::Plain).unwrap_or(reach);
                    let count = sink.copy(&rest[..run]);
                    self.task.at += count;
                    if count < run || reach == 0 {
                        return false;
                    }
                    if run < reach {
                        let (escape, len) = escape(quote, rest[run], self.speller.how(quote, rest[run]));
                        self.pending.set(&escape[..len]);
                        self.task.at += 1;
                    }
                }
                Spelling::Hex(_) => {
                    self.pending.set(&hex(rest[0]));
                    self.task.at += 1;
                }
                Spelling::Base64(_) => {
                    if let Some(digits) = self.base64.triple(rest) {
                        self.pending.set(&digits);
                        self.task.at += 3;
                    } else {
                        if let Some(digits) = self.base64.push(rest[0]) {
                            self.pending.set(&digits);
                        }
                        self.task.at += 1;
                    }
                }
            }
        }
        self.pending.flush(sink)
    }
}

/// What part of a lexeme is under way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// None: the last lexeme is whole.
    Ready,
    /// What comes before it, and its body.
    Body,
    /// All is written but what comes after it.
    Tail,
    /// What comes after the form that it ends.
    FormEnd,
    /// Nothing but what is pending.
    End,
}

/// What was written last, as far as it matters to what comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// A list start.
    Open,
    /// Something that ends by itself.
    Whole,
    /// A bare atom.
    Bare,
    /// A bare atom that is the first byte of a comment, and nothing else.
    Lead,
    /// A hint, which wants an atom.
    Hint,
    /// A line end inside a list.
    LineEnd,
    /// Nothing, or the line end after a form.
    Nothing,
}

/// The lexeme that is being written, or the piece of one.
#[derive(Clone, Copy)]
struct Task {
    kind: Kind,
    len: usize,
    spelling: Spelling,
    /// How many bytes of it are written, or in [`Pending`].
    at: usize,
    /// What it is for the lexeme after it.
    becomes: Last,
    /// Whether it is a fragment.
    piece: bool,
    /// Whether nothing of the atom comes after it.
    whole: bool,
}

/// The atom whose pieces are being written.
#[derive(Clone, Copy)]
struct Pieces {
    kind: Kind,
    spelling: Spelling,
    total: Option<u64>,
    before: Before,
}

/// The bytes that come next: text that does not change, and then a few others.
#[derive(Clone, Copy, Default)]
struct Pending {
    text: &'static [u8],
    others: [u8; 24],
    at: u8,
    len: u8,
}

impl Pending {
    fn bytes(&self) -> &[u8] {
        &self.others[self.at as usize..self.len as usize]
    }

    fn set(&mut self, bytes: &[u8]) {
        debug_assert!(self.text.is_empty() && self.bytes().is_empty());
        self.others[..bytes.len()].copy_from_slice(bytes);
        (self.at, self.len) = (0, bytes.len() as u8);
    }

    /// Writes them; whether that is all.
    #[inline]
    fn flush(&mut self, sink: &mut Sink<'_>) -> bool {
        if !self.text.is_empty() {
            let count = sink.copy(self.text);
            self.text = &self.text[count..];
            if !self.text.is_empty() {
                return false;
            }
        }
        if self.at < self.len {
            self.at += sink.copy(self.bytes()) as u8;
            if self.at < self.len {
                return false;
            }
        }
        (self.at, self.len) = (0, 0);
        true
    }
}

impl Put for Pending {
    fn put(&mut self, byte: u8) {
        self.others[self.len as usize] = byte;
        self.len += 1;
    }
}

/// No more bytes than this come before and after a body: a hint's delimiter, a count or a delimiter; the last digits of base64, two
/// delimiters and a line end.
const MOST_AROUND: usize = 32;

/// How many levels are indented; deeper ones are as far to the right as the last of these, so that the output stays linear.
const LEVELS: usize = 64;

const LINE: [u8; 1 + 2 * LEVELS] = {
    let mut line = [b' '; 1 + 2 * LEVELS];
    line[0] = b'\n';
    line
};

fn line_and_blanks(depth: u64) -> &'static [u8] {
    static TEXT: [u8; 1 + 2 * LEVELS] = LINE;
    &TEXT[..1 + 2 * depth.min(LEVELS as u64) as usize]
}

fn blanks(depth: u64) -> &'static [u8] {
    &line_and_blanks(depth)[1..]
}
