//! What is written in quotes: the bytes it may hold as they are, and its escapes, read and written.

use crate::lexeme::Kind;

/// What a byte does inside quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// It stands for itself.
    Plain,
    /// It closes the quotes.
    Close,
    /// It begins an escape.
    Escape,
    /// It may not stand there as it is.
    Illegal,
}

/// What a byte does after the escape character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    /// The escape stands for this byte.
    Byte(u8),
    /// A number: this byte is its first digit, or announces it.
    Number(Number),
    /// The line goes on.
    LineEnd,
    /// The escape stands for itself, both bytes.
    Both,
    /// There is no such escape.
    Unknown,
}

/// How a byte is written inside quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Write {
    /// As it is.
    Plain,
    /// With the escape character and this byte.
    Escape(u8),
    /// With a numeric escape.
    Number,
    /// It cannot be.
    Never,
}

/// A numeric escape of one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Three decimal digits.
    Decimal,
    /// Three octal digits.
    Octal,
    /// `x` and two hexadecimal digits.
    Hex,
}

impl Number {
    /// How many digits it has.
    pub(crate) const fn digits(self) -> u8 {
        match self {
            Number::Decimal | Number::Octal => 3,
            Number::Hex => 2,
        }
    }

    /// The base.
    pub(crate) const fn radix(self) -> u32 {
        match self {
            Number::Decimal => 10,
            Number::Octal => 8,
            Number::Hex => 16,
        }
    }
}

/// What an escape character at the end of a line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// The line end (LF or CR LF) and the blanks (SP, HT) that begin the next line vanish. Before a lone CR the escape character vanishes.
    SkipBlanks,
    /// The line end (CR, LF, CR LF or LF CR) vanishes.
    LineEnd,
}

/// What an escape that the syntax does not list means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownEscape {
    /// It is an error.
    Error,
    /// It stands for both its bytes.
    KeepBoth,
    /// It stands for the byte after the escape character.
    KeepByte,
}

/// What is written in quotes: a string, or a symbol in bars.
///
/// ```
/// use sexp_codec::{Number, Quote, UnknownEscape};
///
/// const STRING: Quote = Quote::string(b'"')
///     .escape_with(b'\\')
///     .escapes(&[(b'n', b'\n'), (b't', b'\t')])
///     .number(Number::Hex)
///     .unknown(UnknownEscape::Error)
///     .escape_when_written(&[(0x00, 0x1f), (0x7f, 0xff)]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Quote {
    pub(crate) open: u8,
    pub(crate) close: u8,
    pub(crate) kind: Kind,
    pub(crate) lead: u8,
    pub(crate) text: [Text; 256],
    pub(crate) escape: [Escape; 256],
    pub(crate) continuation: Continuation,
    /// How bytes are written; numbers in the form that was named first.
    pub(crate) write: [Write; 256],
    pub(crate) number: Option<Number>,
    /// Whether there is no byte that cannot be written.
    pub(crate) carries_all: bool,
}

impl Quote {
    /// Whether all bytes but these stand for themselves.
    pub(crate) const fn is_plain_but_for(&self, close: u8, lead: u8) -> bool {
        let mut byte = 0;
        while byte < 256 {
            if byte != close as usize && byte != lead as usize && !matches!(self.text[byte], Text::Plain) {
                return false;
            }
            byte += 1;
        }
        true
    }

    /// A string between two of this byte, without any escape yet.
    pub const fn string(delimiter: u8) -> Quote {
        Quote::new(delimiter, delimiter, Kind::String)
    }

    /// A symbol between two of this byte, without any escape yet.
    pub const fn symbol(delimiter: u8) -> Quote {
        Quote::new(delimiter, delimiter, Kind::Symbol)
    }

    const fn new(open: u8, close: u8, kind: Kind) -> Quote {
        let mut quote = Quote {
            open,
            close,
            kind,
            lead: 0,
            text: [Text::Plain; 256],
            escape: [Escape::Unknown; 256],
            continuation: Continuation::LineEnd,
            write: [Write::Plain; 256],
            number: None,
            carries_all: false,
        };
        quote.text[close as usize] = Text::Close;
        quote.write[close as usize] = Write::Never;
        quote
    }

    /// Escapes begin with this byte; it escapes itself and the closing quote.
    pub const fn escape_with(mut self, lead: u8) -> Quote {
        self.lead = lead;
        self.text[lead as usize] = Text::Escape;
        self.escapes(&[(lead, lead), (self.close, self.close)])
    }

    /// Each pair is an escape: the byte after the escape character, and the byte it stands for. Bytes that have one are written so.
    pub const fn escapes(mut self, pairs: &[(u8, u8)]) -> Quote {
        let mut i = 0;
        while i < pairs.len() {
            let (name, byte) = pairs[i];
            self.escape[name as usize] = Escape::Byte(byte);
            self.write[byte as usize] = Write::Escape(name);
            i += 1;
        }
        self.check_carries_all()
    }

    /// Each of these bytes may be escaped by the escape character, but is not when it is written.
    pub const fn reads_escaped(mut self, bytes: &[u8]) -> Quote {
        let mut i = 0;
        while i < bytes.len() {
            self.escape[bytes[i] as usize] = Escape::Byte(bytes[i]);
            i += 1;
        }
        self
    }

    /// Bytes may be escaped by this kind of number. Where several are read, the first one named is written.
    pub const fn number(mut self, number: Number) -> Quote {
        if self.number.is_none() {
            self.number = Some(number);
        }
        match number {
            Number::Hex => self.escape[b'x' as usize] = Escape::Number(number),
            Number::Decimal | Number::Octal => {
                let mut digit = 0;
                while digit < number.radix() as u8 {
                    self.escape[(b'0' + digit) as usize] = Escape::Number(number);
                    digit += 1;
                }
            }
        }
        self
    }

    /// What an escape that is not listed means; without this call it is an error. To be called after the escapes are listed.
    pub const fn unknown(mut self, unknown: UnknownEscape) -> Quote {
        let mut byte = 0;
        while byte < 256 {
            if matches!(self.escape[byte], Escape::Unknown) {
                self.escape[byte] = match unknown {
                    UnknownEscape::Error => Escape::Unknown,
                    UnknownEscape::KeepBoth => Escape::Both,
                    UnknownEscape::KeepByte => Escape::Byte(byte as u8),
                };
            }
            byte += 1;
        }
        self
    }

    /// What an escape character at the end of a line does.
    pub const fn continuation(mut self, continuation: Continuation) -> Quote {
        self.continuation = continuation;
        self.escape[b'\n' as usize] = Escape::LineEnd;
        self.escape[b'\r' as usize] = Escape::LineEnd;
        self
    }

    /// These bytes, from the first to the second of each pair, may not stand in the quotes as they are.
    pub const fn illegal(mut self, ranges: &[(u8, u8)]) -> Quote {
        let mut i = 0;
        while i < ranges.len() {
            let mut byte = ranges[i].0 as usize;
            while byte <= ranges[i].1 as usize {
                self.text[byte] = Text::Illegal;
                byte += 1;
            }
            i += 1;
        }
        self.escape_when_written(ranges)
    }

    /// These bytes, from the first to the second of each pair, are written with a numeric escape where they have no other.
    pub const fn escape_when_written(mut self, ranges: &[(u8, u8)]) -> Quote {
        let mut i = 0;
        while i < ranges.len() {
            let mut byte = ranges[i].0 as usize;
            while byte <= ranges[i].1 as usize {
                if !matches!(self.write[byte], Write::Escape(_)) {
                    self.write[byte] = if self.number.is_some() { Write::Number } else { Write::Never };
                }
                byte += 1;
            }
            i += 1;
        }
        self.check_carries_all()
    }

    const fn check_carries_all(mut self) -> Quote {
        self.carries_all = true;
        let mut byte = 0;
        while byte < 256 {
            if matches!(self.write[byte], Write::Never) {
                self.carries_all = false;
            }
            byte += 1;
        }
        self
    }
}
