//! How a lexeme is spelled: bare, in quotes, counted, hexadecimal or in base64; or that the syntax cannot carry it.

use super::{EncodeError, EncodeOptions, Layout};
use crate::lexeme::Kind;
use crate::syntax::{Cont, Number, Quote, Start, Syntax, Write};
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
}

/// What of a bare atom came before the bytes that are looked at.
#[derive(Clone, Copy, Default)]
pub(super) struct Before {
    pub(super) count: u64,
    pub(super) last: u8,
}

/// Spells atoms and hints in a syntax.
#[derive(Clone)]
pub(super) struct Speller {
    pub(super) syntax: &'static Syntax,
    pub(super) options: EncodeOptions,
    /// 1 for the bytes that may be written in a bare atom whatever stands beside them, else 0.
    pub(super) plain: [u8; 256],
    /// 1 for those that may begin one whatever follows them.
    pub(super) plain_first: [u8; 256],
    /// Whether every atom is counted, whatever its kind and bytes.
    counts_all: bool,
    /// The quotes in which every string is written, whatever its bytes, each of which is written as the quotes say.
    quotes_all: Option<&'static Quote>,
    /// 1 for the bytes that are written in them as they are, else 0.
    pub(super) raw: [u8; 256],
}

impl Speller {
    pub(super) fn new(syntax: &'static Syntax, options: EncodeOptions) -> Speller {
        let plain = |byte: usize| syntax.plain[byte] && syntax.cont[byte] == Cont::Atom;
        let plain_first = |byte: usize| plain(byte) && syntax.plain_first(byte as u8) && syntax.start[byte] == Start::Atom;
        let mut speller = Speller {
            syntax,
            options,
            plain: from_fn(|byte| plain(byte).into()),
            plain_first: from_fn(|byte| plain_first(byte).into()),
            counts_all: false,
            quotes_all: None,
            raw: [0; 256],
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
            speller.raw = quote.write.map(|write| (write == Write::Plain).into());
        }
        speller
    }

    /// How an atom is spelled, where a glance tells. Bytes that are written as they are must still be [plain](Speller::plain).
    #[inline]
    pub(super) fn at_a_glance(&self, kind: Kind, bytes: &[u8]) -> Option<Spelling> {
        let begins_bare = || bytes.first().is_some_and(|&first| self.plain_first[first as usize] != 0);
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
            Kind::Open | Kind::Close | Kind::Char | Kind::Prefix | Kind::Comment | Kind::Escaped | Kind::Template | Kind::Space => {
                Err(EncodeError::NoSuchKind(kind))
            }
            Kind::Bare | Kind::Hint => self.bare(bytes),
            _ if self.options.respell => self.bare(bytes),
            Kind::String => match self.string_quote() {
                Some(quote) => self.quoted(quote, bytes),
                None => self.octets(bytes),
            },
            Kind::Symbol => match self.symbol_quote() {
                Some(quote) => self.quoted(quote, bytes),
                None => self.bare(bytes),
            },
            Kind::Octets => self.octets(bytes),
        }
    }

    /// How an atom is spelled of which only the first piece is known.
    pub(super) fn pieces(&self, kind: Kind, total: Option<u64>) -> Result<Spelling, EncodeError> {
        let counted = self.syntax.lengths.is_some() && self.layout() != Layout::Lines;
        let quote = match kind {
            Kind::Symbol => self.symbol_quote().or(self.string_quote()),
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

    /// Whether the bytes can be written in that spelling, behind those before them.
    pub(super) fn check(&self, spelling: Spelling, bytes: &[u8], before: Before) -> Result<(), EncodeError> {
        match spelling {
            Spelling::AsIs => self.check_bare(bytes, before),
            Spelling::Quoted(quote) => self.check_quoted(quote, bytes, before.count),
            Spelling::Counted => self.check_counted(bytes, before.count),
            Spelling::Hex(_) | Spelling::Base64(_) => Ok(()),
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
        let Err(mut reason) = self.check_bare(bytes, Before::default()) else { return Ok(Spelling::AsIs) };
        if bytes.is_empty() {
            reason = EncodeError::EmptyAtom;
        }
        if let Some(quote) = self.syntax.quotes.first() {
            match self.check_quoted(quote, bytes, 0) {
                Ok(()) if !self.options.respell || !self.has_octets() || is_natural(quote, bytes) => return Ok(Spelling::Quoted(quote)),
                Ok(()) => {}
                Err(other) => reason = other,
            }
        }
        self.any_octets(bytes).unwrap_or(Err(reason))
    }

    /// In these quotes where that is possible, else as octets.
    fn quoted(&self, quote: &'static Quote, bytes: &[u8]) -> Result<Spelling, EncodeError> {
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
            _ if self.syntax.lengths.is_some() && (hex.or(base64).is_none() || is_text(bytes)) => Spelling::Counted,
            (Some(delimiter), base64) if bytes.len() <= 4 || base64.is_none() => Spelling::Hex(delimiter),
            (_, Some(delimiter)) => Spelling::Base64(delimiter),
            (Some(delimiter), None) => Spelling::Hex(delimiter),
            (None, None) => return None,
        };
        Some(self.check(spelling, bytes, Before::default()).map(|()| spelling))
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

    /// A bare atom has a first byte that begins one, is made of plain bytes, and has nothing in it that reads as a comment.
    fn check_bare(&self, bytes: &[u8], before: Before) -> Result<(), EncodeError> {
        let syntax = self.syntax;
        let refuse = |index: usize| Err(EncodeError::Unrepresentable { byte: bytes[index], index: before.count + index as u64 });
        if before.count == 0 {
            match bytes.first() {
                None => return Err(EncodeError::EmptyAtom),
                Some(&byte) if !syntax.plain_first(byte) => return refuse(0),
                Some(_) => {}
            }
        }
        if let Some(index) = bytes.iter().position(|&byte| !syntax.plain[byte as usize]) {
            return refuse(index);
        }
        let previous = |index: usize| if index > 0 { bytes[index - 1] } else { before.last };
        if let Some(guard) = syntax.guard
            && let Some(index) = (usize::from(before.count == 0)..bytes.len()).find(|&index| {
                let pair = (previous(index), bytes[index]);
                pair == guard || pair == (guard.1, guard.0)
            })
        {
            return refuse(index);
        }
        if let Some(dispatch) = syntax.dispatch {
            let second = 1usize.wrapping_sub(before.count as usize);
            if before.count <= 1
                && second < bytes.len()
                && previous(second) == dispatch.lead
                && [dispatch.block, dispatch.datum].contains(&Some(bytes[second]))
            {
                return refuse(second);
            }
        }
        Ok(())
    }

    fn check_quoted(&self, quote: &Quote, bytes: &[u8], before: u64) -> Result<(), EncodeError> {
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

/// The escape of a byte, and its length.
pub(super) fn escape(quote: &Quote, byte: u8, write: Write) -> ([u8; 4], usize) {
    let digit = |value: u8| hex(value)[1];
    match (write, quote.number) {
        (Write::Escape(name), _) => ([quote.lead, name, 0, 0], 2),
        (Write::Number, Some(Number::Decimal)) => ([quote.lead, digit(byte / 100), digit(byte / 10 % 10), digit(byte % 10)], 4),
        (Write::Number, Some(Number::Octal)) => ([quote.lead, digit(byte >> 6), digit(byte >> 3 & 7), digit(byte & 7)], 4),
        (Write::Number, Some(Number::Hex)) => ([quote.lead, b'x', digit(byte >> 4), digit(byte)], 4),
        (Write::Plain | Write::Never, _) | (Write::Number, None) => ([byte, 0, 0, 0], 1),
    }
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
                    let speller = Speller::new(syntax, EncodeOptions { layout, respell });
                    for kind in [Kind::Bare, Kind::String, Kind::Symbol, Kind::Octets] {
                        for bytes in (0..=255u8).flat_map(|byte| [[byte, b'x'], [b'x', byte]]) {
                            match speller.at_a_glance(kind, &bytes) {
                                Some(Spelling::AsIs) if speller.plain[bytes[1] as usize] == 0 => {}
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
