//! The machine that writes any lexeme, and stops and goes on at any byte.
//!
//! A lexeme is written in three parts, each of which may be empty: what comes before it (a separator, an opening quote, a count), its
//! body, and what comes after it (a closing quote, a line end). [`State`] says which part is under way. The first and the last part are
//! short, so they are made ready in [`Pending`]; so are escapes and the digits of octets. The body is taken from the lexeme the client
//! holds, from the place in it that was reached: nothing of it is kept.
//!
//! A lexeme is looked at as a whole before its first byte is written (that decides its spelling), and everything that may be wrong with it
//! is found then. That is why an error changes nothing.

use super::between::{Last, element};
use super::comment::{Comment, whole_comment};
use super::short::Short;
use super::sink::{Base64, Sink, digits};
use super::spelling::{Before, Digits, Follow, Speller, Spelling, hex, not_plain};
use super::{EncodeError, EncodeOptions, Layout};
use crate::lexeme::{Fragment, Kind};
use crate::nesting::Brackets;
use crate::scan::Kernel;
use crate::syntax::{BYTE_ORDER_MARK, Quote, Start, Syntax, Write};

/// Writes lexemes.
#[derive(Clone)]
pub(super) struct Machine {
    pub(super) speller: Speller,
    /// How many lists are open.
    pub(super) depth: u64,
    pub(super) last: Last,
    /// Whether an atom may be written without the machine, if there is room for it.
    pub(super) at_once: bool,
    pub(super) atoms_at_once: bool,
    pub(super) short: Short,
    state: State,
    pending: Pending,
    task: Task,
    pieces: Option<Pieces>,
    base64: Base64,
    /// The kinds of the open brackets, where there are several.
    pub(super) brackets: Brackets,
    /// Whether a datum must follow, since a prefix was written; and what may follow it directly.
    prefixed: bool,
    pub(super) follow: Follow,
    /// Whether the atom that switches quotes was written, and which quotes are the only ones.
    pub(super) switching: bool,
    only_quote: u8,
    /// Whether anything was written, so that what comes next is not at the start of the text.
    pub(super) begun: bool,
}

impl Machine {
    pub(super) fn new(syntax: &'static Syntax, options: EncodeOptions, kernel: Kernel) -> Machine {
        let spaces = [b' ', b'\n'].iter().all(|&byte| syntax.start[byte as usize] == Start::Space);
        let layout = if spaces && syntax.armour.is_none() { options.layout } else { Layout::Compact };
        let task = Task { kind: Kind::Open, len: 0, spelling: Spelling::AsIs, at: 0, becomes: Last::Nothing, piece: false, whole: true };
        let speller = Speller::new(syntax, EncodeOptions { layout, ..options });
        let floor = match layout {
            _ if syntax.armour.is_some() => i64::MAX,
            Layout::Compact => 0,
            Layout::Lines => 1,
            Layout::Indent => i64::MAX,
        };
        let mut machine = Machine {
            short: Short::new(&speller, floor, kernel),
            speller,
            depth: 0,
            last: Last::Nothing,
            at_once: false,
            atoms_at_once: false,
            state: State::Ready,
            pending: Pending::default(),
            task,
            pieces: None,
            base64: Base64::default(),
            brackets: Brackets::default(),
            prefixed: false,
            follow: Follow::Any,
            switching: false,
            only_quote: 0,
            begun: false,
        };
        machine.rest();
        machine
    }

    pub(super) fn layout(&self) -> Layout {
        self.speller.options.layout
    }

    /// Writes a lexeme, or goes on with it; whether it is whole.
    #[inline(never)]
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
        if self.prefixed && kind == Kind::Close {
            return Err(EncodeError::MisplacedPrefix);
        }
        // Its first byte would be taken for the atom that says which the quotes are.
        if self.switching && kind == Kind::Comment {
            return Err(EncodeError::NoSuchKind(kind));
        }
        let syntax = self.speller.syntax;
        let mut follows = None;
        let (spelling, becomes) = match kind {
            Kind::Open if !syntax.pairs[..syntax.pair_count].iter().any(|&(open, _)| bytes == [open]) => {
                return Err(EncodeError::NoSuchDelimiter);
            }
            Kind::Open => (Spelling::AsIs, Last::Open),
            Kind::Close if !syntax.pairs[..syntax.pair_count].iter().any(|&(_, close)| bytes == [close]) => {
                return Err(EncodeError::NoSuchDelimiter);
            }
            Kind::Close if self.depth == 0 => return Err(EncodeError::UnbalancedClose),
            Kind::Close if syntax.pair_count > 1 && syntax.pairs[self.brackets.kind(self.depth - 1) as usize].1 != bytes[0] => {
                return Err(EncodeError::MismatchedClose);
            }
            Kind::Close => (Spelling::AsIs, Last::Whole),
            Kind::Hint if syntax.hint.is_none() => return Err(EncodeError::NoSuchKind(kind)),
            Kind::Hint => (self.speller.whole(kind, bytes)?, Last::Hint),
            Kind::Comment => (Spelling::AsIs, self.comment(bytes)?),
            Kind::Prefix => {
                follows = Some(self.speller.prefix(bytes)?);
                (Spelling::AsIs, Last::Prefix)
            }
            // A block of lines would go on with a block on the next line.
            Kind::Template if bytes.ends_with(b"\n") => (self.speller.whole(kind, bytes)?, Last::LineEnd),
            Kind::Char | Kind::Escaped | Kind::Template => (self.speller.whole(kind, bytes)?, Last::Touchy),
            _ => {
                let spelling = self.spell(kind, bytes)?;
                (spelling, self.atom_becomes(spelling, bytes.len() as u64, bytes.first()))
            }
        };
        self.begin(kind, bytes, spelling, bytes.len() as u64, follows, sink)?;
        if let Some(word) = syntax.quote_switch
            && kind != Kind::Comment
        {
            if self.switching
                && kind == Kind::Bare
                && let Start::Quote(quote) = syntax.start[bytes[0] as usize]
            {
                self.only_quote = quote;
            }
            self.switching = kind == Kind::Bare && matches!(spelling, Spelling::AsIs) && bytes == word && !self.switching;
        }
        // The lead of its quotes may be its first byte.
        let at = usize::from(spelling.keeps_lead());
        self.task = Task { kind, len: bytes.len(), spelling, at, becomes, piece: false, whole: true };
        Ok(self.run(bytes, sink))
    }

    /// How a whole atom is spelled where it is going to stand: what would be a comment at the start of a line is not written bare there.
    fn spell(&self, kind: Kind, bytes: &[u8]) -> Result<Spelling, EncodeError> {
        let syntax = self.speller.syntax;
        if self.switching {
            return match *bytes {
                // Those would stand for themselves.
                [byte] if matches!(syntax.start[byte as usize], Start::Space | Start::Open | Start::Close) => {
                    Err(EncodeError::Unrepresentable { byte, index: 0 })
                }
                [_] if kind == Kind::Bare => Ok(Spelling::AsIs),
                _ => Err(EncodeError::NoSuchKind(kind)),
            };
        }
        let spelling = self.speller.whole(kind, bytes)?;
        if let Some(quote) = self.switched_quote()
            && (matches!(spelling, Spelling::Quoted(_)) || bytes.first() == Some(&quote.open))
        {
            return self.speller.quoted(quote, bytes);
        }
        match self.switched_quote().or(syntax.quotes.first()) {
            _ if !self.would_be_a_comment(spelling, bytes) => Ok(spelling),
            Some(quote) if !syntax.strings_are_apart => self.speller.quoted(quote, bytes),
            _ => Err(EncodeError::Unrepresentable { byte: bytes[0], index: 0 }),
        }
    }

    /// How an atom is spelled of which only the first piece is at hand.
    fn spell_pieces(&self, kind: Kind, total: Option<u64>) -> Result<Spelling, EncodeError> {
        let spelling = self.speller.pieces(kind, total)?;
        match self.switched_quote() {
            _ if self.switching => Err(EncodeError::NoSuchKind(kind)),
            // Announced as empty, it is known as a whole.
            _ if total == Some(0) => self.spell(kind, &[]),
            Some(quote) if matches!(spelling, Spelling::Quoted(_)) => Ok(Spelling::Quoted(quote)),
            _ => Ok(spelling),
        }
    }

    /// The only quotes, where an atom may have said which these are.
    fn switched_quote(&self) -> Option<&'static Quote> {
        self.speller.syntax.quote_switch.map(|_| &self.speller.syntax.quotes[self.only_quote as usize])
    }

    /// Writes a piece of an atom, or goes on with it; whether it is whole.
    pub(super) fn fragment(&mut self, fragment: Fragment<'_>, sink: &mut Sink<'_>) -> Result<bool, EncodeError> {
        let Fragment { kind, bytes, first, last, total, .. } = fragment;
        if first && last && kind.is_atom() && total.is_none_or(|total| total == bytes.len() as u64) {
            return self.lexeme(kind, bytes, sink);
        }
        if self.goes_on(kind, bytes.len(), true)? {
            return Ok(self.run(bytes, sink));
        }
        let Pieces { spelling, total, before, .. } = match self.pieces {
            Some(pieces) if !first && pieces.kind == kind => pieces,
            Some(_) => return Err(EncodeError::FragmentExpected),
            None if !first => return Err(EncodeError::FirstFragmentExpected),
            None => Pieces { kind, spelling: self.spell_pieces(kind, total)?, total, before: Before::default() },
        };
        let after = before.and(bytes);
        if total.is_some_and(|total| after.count > total || last && after.count < total) {
            return Err(EncodeError::TotalMismatch);
        }
        self.speller.check_piece(spelling, bytes, before, last)?;
        let becomes = self.atom_becomes(spelling, after.count, (after.count > 0).then_some(&after.first));
        // What shows its own first byte begins with that; anything else, with what comes before it.
        let shows = matches!(spelling, Spelling::AsIs) || spelling.keeps_lead();
        let begins = before.count == 0 && !bytes.is_empty();
        if if shows { begins } else { first } {
            if self.would_be_a_comment(spelling, bytes) {
                return Err(EncodeError::Unrepresentable { byte: bytes[0], index: 0 });
            }
            self.begin(kind, bytes, spelling, total.unwrap_or(after.count), None, sink)?;
        } else {
            self.state = State::Body;
            self.rest();
        }
        let at = usize::from(spelling.keeps_lead() && begins);
        self.task = Task { kind, len: bytes.len(), spelling, at, becomes, piece: true, whole: last };
        self.pieces = if last { None } else { Some(Pieces { kind, spelling, total, before: after }) };
        Ok(self.run(bytes, sink))
    }

    pub(super) fn finish(&self) -> Result<(), EncodeError> {
        match (self.state, self.last, self.depth) {
            (State::Body | State::Tail | State::FormEnd | State::End, ..) => Err(EncodeError::Unfinished),
            _ if self.pieces.is_some() => Err(EncodeError::FragmentExpected),
            (State::Ready, Last::Hint, _) => Err(EncodeError::MisplacedHint),
            _ if self.prefixed => Err(EncodeError::MisplacedPrefix),
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

    /// Whether what begins with these bytes would be taken for a byte order mark, or might be, at the start of the text. A blank before it
    /// shows that it is none.
    #[cold]
    #[inline(never)]
    fn would_be_a_mark(&self, spelling: Spelling, bytes: &[u8]) -> bool {
        let shows = matches!(spelling, Spelling::AsIs | Spelling::HexEscaped(_));
        shows
            && self.last == Last::Nothing
            && self.speller.syntax.byte_order_mark
            && bytes.first() == Some(&BYTE_ORDER_MARK[0])
            && bytes.iter().zip(&BYTE_ORDER_MARK).all(|(byte, mark)| byte == mark)
    }

    /// What a comment is for the lexeme after it.
    fn comment(&self, text: &[u8]) -> Result<Last, EncodeError> {
        let syntax = self.speller.syntax;
        if syntax.line_comment.is_none() && syntax.leads.is_empty() || syntax.armour.is_some() {
            return Err(EncodeError::NoSuchKind(Kind::Comment));
        }
        let comment = whole_comment(syntax, text).ok_or(EncodeError::NotAComment)?;
        let in_form = self.depth > 0 || self.prefixed;
        let breaks = comment == Comment::Line && in_form || text.contains(&b'\n');
        if self.layout() == Layout::Lines && breaks {
            return Err(EncodeError::LineBreak);
        }
        Ok(match comment {
            _ if !in_form && (comment == Comment::Line || self.layout() != Layout::Compact) => Last::Nothing,
            Comment::Line => Last::LineEnd,
            Comment::Block => Last::Whole,
            Comment::Datum(last) => last,
        })
    }

    /// Makes ready what comes before a lexeme, unless it may not follow the prefix before it. With what may follow it, if it is one itself.
    fn begin(
        &mut self,
        kind: Kind,
        bytes: &[u8],
        spelling: Spelling,
        total: u64,
        follows: Option<Follow>,
        sink: &mut Sink<'_>,
    ) -> Result<(), EncodeError> {
        let first = spelling.first(kind, bytes, total, self.speller.syntax);
        if self.last == Last::Prefix && !self.may_follow(first) {
            return Err(EncodeError::MisplacedPrefix);
        }
        self.pending.clear();
        let is_on_line = !matches!(self.last, Last::Nothing | Last::LineEnd);
        self.pending.text = match self.speller.syntax.start[first as usize] {
            Start::FirstOnLine if kind == Kind::Comment && is_on_line && self.layout() != Layout::Indent => b"\n",
            _ if !self.begun && self.would_be_a_mark(spelling, bytes) => b" ",
            _ => self.separator(kind, first),
        };
        self.begun = true;
        if let Some(indenter) = &mut sink.indenter {
            let (element, gap) = (element(kind), self.gap(kind, bytes, first));
            let pairs = &self.speller.syntax.pairs;
            let pair = pairs.iter().position(|&(open, close)| matches!(*bytes, [byte] if byte == open || byte == close));
            indenter.element(gap, element, pair.unwrap_or_default());
        }
        if let (Kind::Hint, Some((open, _))) = (kind, self.speller.syntax.hint) {
            self.pending.push(open);
        }
        match spelling {
            Spelling::AsIs | Spelling::Escaped(_) | Spelling::HexEscaped(_) => {}
            Spelling::Counted => {
                self.pending.extend(Digits::of(total).bytes());
                self.pending.push(b':');
            }
            Spelling::Quoted(quote) => {
                if let Some(lead) = quote.after {
                    self.pending.push(lead);
                }
                self.pending.push(quote.open);
            }
            Spelling::Hex(delimiter) | Spelling::Base64(delimiter) => self.pending.push(delimiter),
            Spelling::Barred { bar, .. } => self.pending.push(bar),
        }
        if self.depth == 0 && !matches!(self.last, Last::Hint | Last::Prefix) {
            sink.begin_form();
        }
        if kind != Kind::Comment {
            self.prefixed = follows.is_some();
            self.follow = follows.unwrap_or(self.follow);
        }
        self.state = State::Body;
        self.rest();
        Ok(())
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
                State::Tail => self.state = if self.tail(bytes) { State::FormEnd } else { State::End },
                State::FormEnd => {
                    sink.end_form();
                    // What shows only by the byte after it that it is whole is shown to be so.
                    let doubled = matches!(self.task.spelling, Spelling::Quoted(quote) if quote.doubled);
                    if self.layout() != Layout::Compact || doubled {
                        self.pending.push(b'\n');
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

    /// Says how the next lexeme may be written.
    pub(super) fn rest(&mut self) {
        let syntax = self.speller.syntax;
        self.at_once = self.state == State::Ready
            && self.pieces.is_none()
            && self.short.floor < i64::MAX
            && !self.prefixed
            && !matches!(self.last, Last::Hint | Last::Lead | Last::Prefix)
            && syntax.writes_at_once;
        // An atom outside of lists is a form, after which there may be more to write.
        self.atoms_at_once = self.at_once && self.depth as i64 >= self.short.floor;
        self.short.allow(self.atoms_at_once && !matches!(self.last, Last::Touchy | Last::Quoted) && syntax.writes_short);
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
                        let (text, len, taken) = not_plain(quote, &rest[run..], self.speller.how(quote, rest[run]));
                        self.pending.extend(&text[..len]);
                        self.task.at += taken;
                    }
                }
                Spelling::Barred { bar, escape } => {
                    if rest[0] == bar || rest[0] == escape {
                        self.pending.push(escape);
                    }
                    self.pending.push(rest[0]);
                    self.task.at += 1;
                }
                Spelling::Escaped(escape) => {
                    if self.speller.needs_escape(rest[0], self.task.at == 0) {
                        self.pending.push(escape);
                    }
                    self.pending.push(rest[0]);
                    self.task.at += 1;
                }
                Spelling::HexEscaped(escape) => {
                    if self.speller.needs_escape(rest[0], self.task.at == 0 && rest[0] < 0x80) {
                        self.pending.extend(&[escape, b'x']);
                        self.pending.extend(&hex(rest[0]));
                        self.pending.push(b';');
                    } else {
                        self.pending.push(rest[0]);
                    }
                    self.task.at += 1;
                }
                Spelling::Hex(_) => {
                    self.pending.extend(&hex(rest[0]));
                    self.task.at += 1;
                }
                Spelling::Base64(_) => {
                    let taken = match rest {
                        [a, b, c, ..] if self.base64.is_empty() => {
                            self.pending.extend(&digits([*a, *b, *c]));
                            3
                        }
                        _ => {
                            if let Some(digits) = self.base64.push(rest[0]) {
                                self.pending.extend(&digits);
                            }
                            1
                        }
                    };
                    self.task.at += taken;
                }
            }
        }
        self.pending.flush(sink)
    }

    /// Makes ready what comes after a lexeme, which counts as written from here on; whether it ends a form.
    fn tail(&mut self, bytes: &[u8]) -> bool {
        let Task { kind, spelling, becomes, .. } = self.task;
        match spelling {
            Spelling::AsIs | Spelling::Counted => {}
            Spelling::Quoted(quote) => {
                self.pending.push(quote.close);
                if let Some(second) = quote.second {
                    self.pending.push(second);
                }
            }
            Spelling::Barred { bar, .. } => self.pending.push(bar),
            Spelling::Escaped(_) | Spelling::HexEscaped(_) => {}
            Spelling::Hex(delimiter) => self.pending.push(delimiter),
            Spelling::Base64(delimiter) => {
                if let Some(digits) = self.base64.end() {
                    self.pending.extend(&digits);
                }
                self.pending.push(delimiter);
            }
        }
        self.last = becomes;
        if matches!(becomes, Last::LineEnd | Last::Nothing) {
            self.pending.push(b'\n');
        }
        match kind {
            Kind::Open => {
                let pairs = &self.speller.syntax.pairs[..self.speller.syntax.pair_count];
                if pairs.len() > 1 {
                    self.brackets.open(self.depth, pairs.iter().position(|&(open, _)| bytes == [open]).unwrap_or_default() as u8);
                }
                self.depth += 1;
            }
            Kind::Close => {
                if self.speller.syntax.pair_count > 1 {
                    self.brackets.close(self.depth - 1);
                }
                self.depth -= 1;
            }
            Kind::Prefix => return false,
            Kind::Hint => {
                if let Some((_, close)) = self.speller.syntax.hint {
                    self.pending.push(close);
                }
                return false;
            }
            Kind::Comment => return false,
            _ => {}
        }
        self.depth == 0
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

    fn clear(&mut self) {
        self.text = &[];
        (self.at, self.len) = (0, 0);
    }

    fn push(&mut self, byte: u8) {
        self.others[self.len as usize] = byte;
        self.len += 1;
    }

    fn extend(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.push(byte));
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
