//! How a lexeme is spelled: bare, in quotes, counted, hexadecimal or in base64; or that the syntax cannot carry it.

use super::{EncodeError, EncodeOptions, Layout};
use crate::decode;
use crate::lexeme::Kind;
use crate::syntax::{AtomEscape, Cont, LONGEST_ESCAPE, Next, Quote, Start, Syntax, Write};
use core::array::from_fn;

/// How the bytes of a lexeme are written.
#[derive(Clone, Copy)]
pub(super) enum Spelling {
    /// As they are: bare atoms, delimiters, comments.
    AsIs,
    /// Behind their count.
    Counted,
    /// In quotes.
    Quoted(&'static Quote),
    /// In hexadecimal, between two of this byte.
    Hex(u8),
    /// In base64, between two of this byte.
    Base64(u8),
    /// Between two of this byte, which another one escapes, itself too.
    Barred { bar: u8, escape: u8 },
    /// With this byte before the first and before each that needs it.
    Escaped(u8),
    /// With hexadecimal escapes for the first byte and for those that need it.
    HexEscaped(u8),
}

impl Spelling {
    /// The first byte that is written of a lexeme that has `total` bytes in all.
    pub(super) fn first(self, kind: Kind, bytes: &[u8], total: u64, syntax: &Syntax) -> u8 {
        match (self, kind, syntax.hint) {
            (_, Kind::Hint, Some((open, _))) => open,
            (Spelling::Quoted(quote), ..) => quote.after.unwrap_or(quote.open),
            (Spelling::Counted, ..) => Digits::of(total).bytes()[0],
            (Spelling::Hex(byte) | Spelling::Base64(byte), ..) => byte,
            (Spelling::Barred { bar: byte, .. } | Spelling::Escaped(byte) | Spelling::HexEscaped(byte), ..) => byte,
            (Spelling::AsIs, ..) => bytes.first().copied().unwrap_or_default(),
        }
    }

    /// Whether the lead of its quotes is the first byte of the lexeme.
    pub(super) fn keeps_lead(self) -> bool {
        matches!(self, Spelling::Quoted(quote) if quote.keeps_lead)
    }
}

/// A set of kinds that has only this one, which must be one of the first eight.
pub(super) const fn bit(kind: Kind) -> u8 {
    1 << kind as u8
}

/// What came before a piece of an atom: how many bytes, and of these the first and the last two.
#[derive(Clone, Copy, Default)]
pub(super) struct Before {
    pub(super) count: u64,
    pub(super) first: u8,
    last: [u8; 2],
}

impl Before {
    /// What comes before the piece after this one.
    pub(super) fn and(self, bytes: &[u8]) -> Before {
        let [_, last] = self.last;
        Before {
            count: self.count.saturating_add(bytes.len() as u64),
            first: if self.count > 0 { self.first } else { bytes.first().copied().unwrap_or_default() },
            last: match *bytes {
                [] => self.last,
                [byte] => [last, byte],
                [.., one, other] => [one, other],
            },
        }
    }
}

/// Spells atoms and hints in a syntax.
#[derive(Clone)]
pub(super) struct Speller {
    pub(super) syntax: &'static Syntax,
    pub(super) options: EncodeOptions,
    /// In which kinds of lexemes ([`bit`]) each byte stands for itself, whatever is beside it. For strings that is in `quotes_all`.
    pub(super) inside: [u8; 256],
    /// The same for the first four kinds, as sets of these bytes: bit `b % 8` at place `b / 8`.
    pub(super) sets: [[u8; 32]; 4],
    /// Which kinds of lexemes it may begin, whatever follows it; strings only if they end what was written before.
    pub(super) first: [u8; 256],
    /// Whether every atom is counted, whatever its kind and bytes.
    counts_all: bool,
    /// The quotes in which every string is written, whatever its bytes, each of which is written as the quotes say.
    pub(super) quotes_all: Option<&'static Quote>,
}

impl Speller {
    pub(super) fn new(syntax: &'static Syntax, options: EncodeOptions) -> Speller {
        let plain = |byte: usize| syntax.plain[byte] && syntax.cont[byte] == Cont::Atom;
        let plain_first = |byte: usize| plain(byte) && syntax.plain_first(byte as u8) && syntax.start[byte] == Start::Atom;
        let delimiter = |byte: usize| match byte as u8 {
            byte if byte == syntax.pairs[0].0 => bit(Kind::Open),
            byte if byte == syntax.pairs[0].1 => bit(Kind::Close),
            _ => 0,
        };
        let mut speller = Speller {
            syntax,
            options,
            inside: from_fn(|byte| delimiter(byte) | if plain(byte) { bit(Kind::Bare) } else { 0 }),
            first: from_fn(|byte| delimiter(byte) | if plain_first(byte) { bit(Kind::Bare) } else { 0 }),
            sets: [[0; 32]; 4],
            counts_all: false,
            quotes_all: None,
        };
        speller.counts_all = syntax.lengths.is_some()
            && syntax.hex.or(syntax.base64).is_none()
            && syntax.quotes.is_empty()
            && !syntax.bare
            && speller.layout() != Layout::Lines;
        if !options.respell
            && let Some(quote) = speller.string_quote()
            && speller.carries_all(quote)
            && speller.how(quote, b'\n') == quote.write[b'\n' as usize]
        {
            speller.quotes_all = Some(quote);
            let ends = syntax.cont[quote.open as usize] == Cont::End;
            for byte in (0..256).filter(|&byte| quote.write[byte] == Write::Plain) {
                speller.inside[byte] |= bit(Kind::String);
                speller.first[byte] |= if ends { bit(Kind::String) } else { 0 };
            }
        }
        for (kind, byte) in
            [Kind::Open, Kind::Close, Kind::Bare, Kind::String].into_iter().flat_map(|kind| (0..256).map(move |byte| (kind, byte)))
        {
            if speller.inside[byte] & bit(kind) != 0 {
                speller.sets[kind as usize][byte / 8] |= 1 << (byte % 8);
            }
        }
        speller
    }

    /// How an atom is spelled, where a glance tells. Bytes that are written as they are must still be looked at, in [`inside`](Speller::inside).
    #[inline]
    pub(super) fn at_a_glance(&self, kind: Kind, bytes: &[u8]) -> Option<Spelling> {
        let begins_bare = || bytes.first().is_some_and(|&first| self.first[first as usize] & bit(Kind::Bare) != 0);
        match kind {
            Kind::Bare | Kind::String | Kind::Symbol | Kind::Octets if self.counts_all => Some(Spelling::Counted),
            Kind::String if self.quotes_all.is_some() => self.quotes_all.map(Spelling::Quoted),
            Kind::Bare if begins_bare() => Some(Spelling::AsIs),
            Kind::String | Kind::Symbol | Kind::Octets if self.options.respell && begins_bare() => Some(Spelling::AsIs),
            _ => None,
        }
    }

    /// How a whole atom, or what a hint says, is spelled.
    pub(super) fn whole(&self, kind: Kind, bytes: &[u8]) -> Result<Spelling, EncodeError> {
        match kind {
            Kind::Open | Kind::Close | Kind::Comment | Kind::Space | Kind::Prefix => Err(EncodeError::NoSuchKind(kind)),
            Kind::Char | Kind::Escaped | Kind::Template if !self.syntax.touchy => Err(EncodeError::NoSuchKind(kind)),
            Kind::Char | Kind::Escaped | Kind::Template => self.as_written(kind, bytes),
            Kind::Bare | Kind::Hint => self.bare(bytes),
            _ if self.options.respell => self.bare(bytes),
            Kind::String => match self.string_quote() {
                Some(quote) => self.quoted(quote, bytes),
                None => self.octets(bytes),
            },
            Kind::Symbol => match self.symbol(bytes) {
                Some(spelling) => spelling,
                None => self.bare(bytes),
            },
            Kind::Octets => self.octets(bytes),
        }
    }

    /// A lexeme whose text is given: the decoder is asked whether it reads as that.
    fn as_written(&self, kind: Kind, text: &[u8]) -> Result<Spelling, EncodeError> {
        match decode::Machine::only_lexeme(self.syntax, text) {
            Some(read) if read != kind => Err(EncodeError::NotA(kind)),
            None => Err(EncodeError::NotA(kind)),
            Some(_) if self.is_open_block(text) => Err(EncodeError::NotA(kind)),
            Some(_) if self.layout() == Layout::Lines && text.contains(&b'\n') => Err(EncodeError::LineBreak),
            Some(_) => Ok(Spelling::AsIs),
        }
    }

    /// Whether the text is a block of lines whose last line ends with the input only: whatever came behind it would belong to it.
    fn is_open_block(&self, text: &[u8]) -> bool {
        let quote = if self.syntax.block_strings { self.syntax.quotes.first() } else { None };
        quote.is_some_and(|quote| matches!(*text, [open, lead, b'|' | b'>', ..] if (open, lead) == (quote.open, quote.lead)))
            && text.last() != Some(&b'\n')
    }

    /// What may follow the prefix that the text is, which is written as it is.
    pub(super) fn prefix(&self, text: &[u8]) -> Result<Follow, EncodeError> {
        match follow(self.syntax, text) {
            _ if !self.syntax.touchy => Err(EncodeError::NoSuchKind(Kind::Prefix)),
            Some(_) if self.layout() == Layout::Lines && text.contains(&b'\n') => Err(EncodeError::LineBreak),
            follow => follow.ok_or(EncodeError::NotA(Kind::Prefix)),
        }
    }

    /// A symbol that is to be told apart from what its text would read as, where the syntax has a way to.
    fn symbol(&self, bytes: &[u8]) -> Option<Result<Spelling, EncodeError>> {
        let syntax = self.syntax;
        if let Some(quote) = self.symbol_quote() {
            return Some(self.quoted(quote, bytes));
        }
        let (bar, escape) = self.bar_and_escape();
        let line_feed = self.layout() == Layout::Lines && bytes.contains(&b'\n');
        let has = |byte| bytes.contains(&byte);
        let spelling = match (bar, escape) {
            (Some(bar), Some(escape)) if bytes.is_empty() || syntax.escapes_in_bars || !has(bar) && !has(escape) => {
                Spelling::Barred { bar, escape }
            }
            (Some(bar), None) if !has(bar) => Spelling::Barred { bar, escape: bar },
            (_, Some(_)) if bytes.is_empty() => return Some(Err(EncodeError::EmptyAtom)),
            (_, Some(escape)) if syntax.atom_escape == AtomEscape::Hex => Spelling::HexEscaped(escape),
            (_, Some(escape)) => Spelling::Escaped(escape),
            _ => return None,
        };
        Some(if line_feed { Err(EncodeError::LineBreak) } else { Ok(spelling) })
    }

    /// What a part of a bare atom in which anything may stand is put between, and what escapes a byte in it.
    fn bar_and_escape(&self) -> (Option<u8>, Option<u8>) {
        let byte = |cont| self.syntax.cont.iter().position(|&own| own == cont).map(|byte| byte as u8);
        (byte(Cont::Bars), byte(Cont::Escape))
    }

    /// Whether a byte of a symbol has to be escaped.
    pub(super) fn needs_escape(&self, byte: u8, first: bool) -> bool {
        first || self.syntax.cont[byte as usize] != Cont::Atom || !self.syntax.plain[byte as usize]
    }

    /// How an atom is spelled of which only the first piece is known.
    pub(super) fn pieces(&self, kind: Kind, total: Option<u64>) -> Result<Spelling, EncodeError> {
        let counted = self.syntax.lengths.is_some() && self.layout() != Layout::Lines;
        let quote = match kind {
            Kind::Symbol if self.syntax.strings_are_apart && self.symbol_quote().is_none() => match self.bar_and_escape() {
                (Some(bar), Some(escape)) if self.syntax.escapes_in_bars && self.layout() != Layout::Lines => {
                    return Ok(Spelling::Barred { bar, escape });
                }
                (None, None) => None,
                _ => return Err(EncodeError::NoSuchKind(kind)),
            },
            Kind::Symbol => self.symbol_quote().or(self.string_quote()),
            Kind::Bare if self.syntax.strings_are_apart => None,
            Kind::Bare | Kind::String | Kind::Octets => self.string_quote(),
            _ => return Err(EncodeError::NoSuchKind(kind)),
        };
        if kind == Kind::Octets && !self.options.respell {
            if counted && total.is_some() {
                return Ok(Spelling::Counted);
            } else if let Some(delimiter) = self.syntax.base64 {
                return Ok(Spelling::Base64(delimiter));
            } else if let Some(delimiter) = self.syntax.hex {
                return Ok(Spelling::Hex(delimiter));
            }
        }
        match quote {
            Some(quote) => Ok(Spelling::Quoted(quote)),
            None if self.syntax.lengths.is_some() && total.is_none() => Err(EncodeError::TotalNeeded),
            None if self.syntax.lengths.is_some() => Ok(Spelling::Counted),
            None => Ok(Spelling::AsIs),
        }
    }

    /// Whether a piece can be written in that spelling, behind what came before it. `last`: whether the atom ends with it.
    pub(super) fn check_piece(&self, spelling: Spelling, bytes: &[u8], before: Before, last: bool) -> Result<(), EncodeError> {
        match spelling {
            // An empty piece says nothing, unless the atom ends with it.
            _ if bytes.is_empty() && !last => Ok(()),
            Spelling::AsIs => self.check_bare_piece(bytes, before, last),
            Spelling::Quoted(_) if bytes.is_empty() && before.count > 0 => Ok(()),
            Spelling::Quoted(quote) => self.check_quoted(quote, bytes, before.count),
            Spelling::Counted => self.check_counted(bytes, before.count),
            Spelling::Hex(_) | Spelling::Base64(_) | Spelling::Barred { .. } | Spelling::Escaped(_) | Spelling::HexEscaped(_) => Ok(()),
        }
    }

    /// How a byte is written in these quotes. A line feed is escaped where forms are to stay on their line.
    #[inline]
    pub(super) fn how(&self, quote: &Quote, byte: u8) -> Write {
        match quote.write[byte as usize] {
            Write::Plain if byte == b'\n' && self.layout() == Layout::Lines && quote.number.is_some() => Write::Number,
            Write::Plain if byte == b'\n' && self.layout() == Layout::Lines => Write::Never,
            write => write,
        }
    }

    /// Bare where that is possible, else in quotes, else as octets.
    fn bare(&self, bytes: &[u8]) -> Result<Spelling, EncodeError> {
        let Err(mut reason) = self.check_bare(bytes) else { return Ok(Spelling::AsIs) };
        if self.syntax.strings_are_apart
            && let Some(spelling) = self.symbol(bytes)
        {
            return spelling;
        }
        if let Some(quote) = self.syntax.quotes.first()
            && !self.syntax.strings_are_apart
        {
            match self.check_quoted(quote, bytes, 0) {
                Ok(()) if !self.options.respell || !self.has_octets() || is_natural(quote, bytes) => return Ok(Spelling::Quoted(quote)),
                Ok(()) => {}
                Err(other) => reason = other,
            }
        }
        self.any_octets(bytes).unwrap_or(Err(reason))
    }

    /// In these quotes where that is possible, else as octets.
    pub(super) fn quoted(&self, quote: &'static Quote, bytes: &[u8]) -> Result<Spelling, EncodeError> {
        match self.check_quoted(quote, bytes, 0) {
            Ok(()) => Ok(Spelling::Quoted(quote)),
            Err(reason) => self.any_octets(bytes).unwrap_or(Err(reason)),
        }
    }

    /// As octets where the syntax has them, else like a bare atom.
    fn octets(&self, bytes: &[u8]) -> Result<Spelling, EncodeError> {
        self.any_octets(bytes).unwrap_or_else(|| self.bare(bytes))
    }

    /// Text counted, that it stays legible; other octets in hexadecimal where they are few, else in base64. `None` where the syntax
    /// has nothing of the kind.
    fn any_octets(&self, bytes: &[u8]) -> Option<Result<Spelling, EncodeError>> {
        let (hex, base64) = (self.syntax.hex, self.syntax.base64);
        let spelling = match (hex, base64) {
            _ if self.syntax.lengths.is_some_and(|lengths| lengths.zero || !bytes.is_empty())
                && (hex.or(base64).is_none() || is_text(bytes)) =>
            {
                Spelling::Counted
            }
            (Some(delimiter), base64) if bytes.len() <= 4 || base64.is_none() => Spelling::Hex(delimiter),
            (_, Some(delimiter)) => Spelling::Base64(delimiter),
            (Some(delimiter), None) => Spelling::Hex(delimiter),
            (None, None) => return None,
        };
        Some(match spelling {
            Spelling::Counted => self.check_counted(bytes, 0).map(|()| spelling),
            _ => Ok(spelling),
        })
    }

    fn has_octets(&self) -> bool {
        self.syntax.lengths.is_some() || self.syntax.hex.is_some() || self.syntax.base64.is_some()
    }

    fn string_quote(&self) -> Option<&'static Quote> {
        self.quote(Kind::String).or(self.syntax.quotes.first())
    }

    fn symbol_quote(&self) -> Option<&'static Quote> {
        self.quote(Kind::Symbol)
    }

    fn quote(&self, kind: Kind) -> Option<&'static Quote> {
        self.syntax.quotes.iter().find(|quote| quote.kind == kind)
    }

    fn layout(&self) -> Layout {
        self.options.layout
    }

    /// A bare atom has a first byte that begins one, is made of plain bytes, and has nothing in it that reads as a comment. Where that
    /// cannot be told byte by byte, the decoder is asked.
    fn check_bare(&self, bytes: &[u8]) -> Result<(), EncodeError> {
        let syntax = self.syntax;
        let refuse = |index: usize| Err(EncodeError::Unrepresentable { byte: bytes[index], index: index as u64 });
        let mut asked = None;
        let mut may_be_bare = || *asked.get_or_insert_with(|| self.may_be_bare(bytes));
        let Some(&first) = bytes.first() else { return Err(EncodeError::EmptyAtom) };
        let lead = match syntax.start[first as usize] {
            Start::Lead(lead) => Some(&syntax.leads[lead as usize]),
            _ => None,
        };
        if lead.is_none() && !syntax.plain[first as usize] || !syntax.plain_first(first) && !may_be_bare() {
            return refuse(0);
        }
        if syntax.strings_are_apart && lead.is_some() {
            return if may_be_bare() { Ok(()) } else { refuse(0) };
        }
        // A lead that cannot go on with an atom can still begin one.
        let begun = usize::from(lead.is_some());
        let rest = &bytes[begun..];
        if let Some(index) = rest.iter().position(|&byte| !syntax.plain[byte as usize]) {
            return refuse(begun + index);
        }
        if let Some(index) = rest.iter().position(|&byte| !matches!(syntax.cont[byte as usize], Cont::Atom | Cont::Guard))
            && !may_be_bare()
        {
            return refuse(begun + index);
        }
        if syntax.guard.is_some()
            && let Some(index) = bytes.windows(2).position(|pair| self.is_guarded([pair[0], pair[1]]))
        {
            return refuse(index + 1);
        }
        match (lead, bytes.get(1)) {
            (Some(lead), Some(&second)) if lead.next[second as usize] != Next::Atom && !may_be_bare() => refuse(1),
            (Some(_), None) if !may_be_bare() => refuse(0),
            _ => Ok(()),
        }
    }

    /// The same for a piece of an atom, whose other pieces the decoder cannot be asked about: what it would have to be asked for is refused.
    fn check_bare_piece(&self, bytes: &[u8], before: Before, last: bool) -> Result<(), EncodeError> {
        let syntax = self.syntax;
        let mut read = before;
        for &byte in bytes {
            let refused = Err(EncodeError::Unrepresentable { byte, index: read.count });
            let (plain, cont) = (syntax.plain[byte as usize], syntax.cont[byte as usize]);
            let [one, other] = read.last;
            let good = match (read.count, syntax.start[byte as usize], syntax.start[read.first as usize]) {
                (0, Start::Atom | Start::FirstOnLine, _) => plain,
                (0, Start::Lead(_), _) => true,
                (0, ..) => false,
                (1, _, Start::Lead(lead)) if syntax.leads[lead as usize].next[byte as usize] != Next::Atom => false,
                (2, ..) if syntax.takes_for_a_mark(&[one, other, byte]) => false,
                _ if syntax.wide_space == Some([other, byte]) || self.is_guarded([other, byte]) => false,
                _ => plain && matches!(cont, Cont::Atom | Cont::Guard | Cont::WideSpace),
            };
            if !good {
                return refused;
            }
            read = read.and(&[byte]);
        }
        match (read.count, syntax.start[read.first as usize]) {
            (0, _) if last => Err(EncodeError::EmptyAtom),
            (1, Start::Lead(lead)) if last && !matches!(syntax.leads[lead as usize].alone, Next::Atom | Next::Alone) => {
                Err(EncodeError::Unrepresentable { byte: read.first, index: 0 })
            }
            _ => Ok(()),
        }
    }

    /// Whether two bytes delimit a block comment, and must not stand side by side in a bare atom.
    fn is_guarded(&self, [one, other]: [u8; 2]) -> bool {
        self.syntax.guard.is_some_and(|guard| (one, other) == guard || (other, one) == guard)
    }

    /// Whether the decoder reads it as a bare atom, though not every byte of it is one whatever stands beside it.
    fn may_be_bare(&self, bytes: &[u8]) -> bool {
        decode::Machine::only_lexeme_in_line(self.syntax, bytes) == Some(Kind::Bare)
    }

    fn check_quoted(&self, quote: &Quote, bytes: &[u8], before: u64) -> Result<(), EncodeError> {
        if quote.keeps_lead && before == 0 && bytes.first().copied() != quote.after {
            return Err(match bytes.first() {
                Some(&byte) => EncodeError::Unrepresentable { byte, index: 0 },
                None => EncodeError::EmptyAtom,
            });
        }
        if self.carries_all(quote) {
            return Ok(());
        }
        match bytes.iter().position(|&byte| self.how(quote, byte) == Write::Never) {
            None => Ok(()),
            Some(index) => Err(EncodeError::Unrepresentable { byte: bytes[index], index: before + index as u64 }),
        }
    }

    /// Whether these quotes can hold every byte.
    fn carries_all(&self, quote: &Quote) -> bool {
        quote.carries_all && self.how(quote, b'\n') != Write::Never
    }

    /// Counted octets can be anything, but for a line feed where a form must stay on its line.
    fn check_counted(&self, bytes: &[u8], before: u64) -> Result<(), EncodeError> {
        if self.layout() == Layout::Lines
            && let Some(index) = memchr::memchr(b'\n', bytes)
        {
            return Err(EncodeError::Unrepresentable { byte: b'\n', index: before + index as u64 });
        }
        Ok(())
    }
}

/// How a text goes on in quotes whose first byte does not stand there as it is by itself: what is written, how long that is, and how many
/// bytes it stands for.
pub(super) fn not_plain(quote: &Quote, bytes: &[u8], write: Write) -> ([u8; LONGEST_ESCAPE], usize, usize) {
    if quote.utf8_stays
        && let Some(char) = first_char(bytes)
    {
        let mut text = [0; LONGEST_ESCAPE];
        text[..char.len()].copy_from_slice(char);
        return (text, char.len(), char.len());
    }
    let (text, len) = escape(quote, bytes[0], write);
    (text, len, 1)
}

/// The first character beyond ASCII, if there is one in UTF-8.
fn first_char(bytes: &[u8]) -> Option<&[u8]> {
    let len = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    bytes.get(..len).filter(|char| core::str::from_utf8(char).is_ok())
}

/// The escape of a byte, and its length.
fn escape(quote: &Quote, byte: u8, write: Write) -> ([u8; LONGEST_ESCAPE], usize) {
    let mut text = [0; LONGEST_ESCAPE];
    let mut len = 0;
    let mut put = |bytes: &[u8]| {
        text[len..len + bytes.len()].copy_from_slice(bytes);
        len += bytes.len();
    };
    match (write, quote.number) {
        (Write::Escape(name), _) => put(&[quote.lead, name]),
        (Write::Code, _) => {
            put(&[quote.lead]);
            put(Digits::of(u64::from(byte)).bytes());
            put(&[quote.lead]);
        }
        (Write::Number, Some(number)) => {
            let rule = number.digits();
            put(&[quote.lead]);
            put(rule.name);
            let digits: u8 = match rule.radix {
                16 if rule.least == rule.most => rule.most,
                16 => 1 + u8::from(byte > 15),
                _ => 3,
            };
            for place in (0..digits).rev() {
                let value = u64::from(byte) / u64::from(rule.radix).pow(u32::from(place)) % u64::from(rule.radix);
                put(&[b"0123456789abcdef"[value as usize]]);
            }
            if let Some((end, _)) = rule.end {
                put(&[end]);
            }
        }
        _ => put(&[byte]),
    }
    (text, len)
}

/// What may follow a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    /// Anything.
    Any,
    /// What does not go on with it.
    Delimiter,
    /// A list start or a string, directly.
    ListOrString,
    /// What the lead of that number can stand before.
    Lead(u8),
}

/// What may follow the prefix that the text is; none if it is no prefix.
fn follow(syntax: &'static Syntax, text: &[u8]) -> Option<Follow> {
    if let [byte] = *text {
        match syntax.start[byte as usize] {
            Start::Prefix => return Some(Follow::Any),
            Start::Lead(lead) => return syntax.leads[lead as usize].next.contains(&Next::PrefixBefore).then_some(Follow::Lead(lead)),
            _ => {}
        }
    }
    if decode::Machine::only_lexeme(syntax, text) == Some(Kind::Prefix) {
        let is_name = text.last().is_some_and(|&byte| syntax.cont[byte as usize] != Cont::End)
            && matches!(syntax.start[text[0] as usize], Start::Lead(lead) if text.get(1).is_some_and(|&byte| syntax.leads[lead as usize].next[byte as usize] == Next::Name));
        return Some(if is_name { Follow::Delimiter } else { Follow::Any });
    }
    decode::Machine::reads_as_tag(syntax, text).then_some(Follow::ListOrString)
}

/// A number in decimal.
pub(super) struct Digits {
    text: [u8; 20],
    start: usize,
}

impl Digits {
    #[inline]
    pub(super) fn of(mut number: u64) -> Digits {
        let mut digits = Digits { text: [b'0'; 20], start: 20 };
        if number < 10 {
            digits.start = 19;
            digits.text[19] += number as u8;
            return digits;
        }
        loop {
            digits.start -= 1;
            digits.text[digits.start] += (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return digits;
            }
        }
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.text[self.start..]
    }
}

/// A byte in hexadecimal.
#[inline]
pub(super) fn hex(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[digit as usize])
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, 0x20..=0x7e))
}

/// Whether no byte needs a number.
fn is_natural(quote: &Quote, bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| quote.write[byte as usize] != Write::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Number;

    #[test]
    fn digits_are_decimal() {
        for number in [0, 1, 9, 10, 99, 100, 12_345, u64::MAX - 1, u64::MAX] {
            assert_eq!(Digits::of(number).bytes(), alloc::format!("{number}").as_bytes());
        }
    }

    /// Each byte in each numeric escape.
    #[test]
    fn escapes_have_all_their_digits() {
        for byte in 0..=255u8 {
            let text = |number| {
                let quote = Quote::string(b'"').escape_with(b'\\').number(number);
                let (text, len) = escape(&quote, byte, Write::Number);
                alloc::string::String::from_utf8(text[..len].to_vec()).unwrap()
            };
            assert_eq!(text(Number::Decimal), alloc::format!("\\{byte:03}"));
            assert_eq!(text(Number::Octal), alloc::format!("\\{byte:03o}"));
            assert_eq!(text(Number::Hex), alloc::format!("\\x{byte:02x}"));
        }
    }

    /// What a glance says is what a closer look says.
    #[test]
    fn a_glance_does_not_deceive() {
        for &syntax in Syntax::ALL {
            for layout in [Layout::Compact, Layout::Lines] {
                for respell in [false, true] {
                    let speller = Speller::new(syntax, EncodeOptions::new().layout(layout).respell(respell));
                    for kind in [Kind::Bare, Kind::String, Kind::Symbol, Kind::Octets] {
                        for bytes in (0..=255u8).flat_map(|byte| [[byte, b'x'], [b'x', byte]]) {
                            match speller.at_a_glance(kind, &bytes) {
                                Some(Spelling::AsIs) if speller.inside[bytes[1] as usize] & bit(Kind::Bare) == 0 => {}
                                Some(spelling) => {
                                    let closer = speller.whole(kind, &bytes).unwrap();
                                    assert_eq!(core::mem::discriminant(&spelling), core::mem::discriminant(&closer), "{kind:?} {bytes:?}");
                                }
                                None => {}
                            }
                        }
                    }
                }
            }
        }
    }
}
