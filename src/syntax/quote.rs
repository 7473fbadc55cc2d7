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
    /// A line end, which the quotes may not go beyond.
    LineEnd,
    /// A carriage return, which with a line feed after it or without reads as a line feed.
    Return,
    /// It opens a list of codes, up to the same byte.
    Codes,
    /// With an opening brace after it, it begins a variable.
    Variable,
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
    /// A blank, and only blanks up to the end of the line: the line goes on.
    Blank,
    /// The escape stands for nothing.
    Nothing,
    /// It changes the character after it.
    Modifier,
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
    /// By its code.
    Code,
    /// It cannot be.
    Never,
}

/// A numeric escape, as it stands after the escape character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Number {
    /// Three decimal digits: a byte. (sexplib, dune)
    Decimal,
    /// Three octal digits: a byte. (RFC 9804)
    Octal,
    /// Three octal digits, of which the low eight bits count: a byte. (libgcrypt)
    WrappedOctal,
    /// `x` and two hexadecimal digits: a byte. (sexplib, dune, RFC 9804)
    Hex,
    /// Two hexadecimal digits: a byte. (WebAssembly)
    Pair,
    /// One to three octal digits, of which the low eight bits count: a byte. (KiCad)
    ShortOctal,
    /// `x` and up to two hexadecimal digits: a byte; without digits, the `x`. (KiCad)
    ShortHex,
    /// Three octal digits: a code point. (Schemes of any kind)
    LongOctalCode,
    /// One to three octal digits: a code point up to 255. (EDN, Racket)
    OctalCode,
    /// One to three octal digits: a byte up to 255, a code point beyond. (Emacs Lisp)
    EmacsOctal,
    /// `x` and hexadecimal digits, as many as there are: a byte where there are two at most, else a code point. (Emacs Lisp)
    EmacsHex,
    /// `x` and two hexadecimal digits: a code point. (Guile)
    HexCode,
    /// `x` and one or two hexadecimal digits: a code point. (Racket)
    ShortHexCode,
    /// `x`, hexadecimal digits and `;`: a code point. (R6RS, R7RS)
    Terminated,
    /// `x`, hexadecimal digits, and a `;` if there is one: a code point. (Schemes of any kind)
    MaybeTerminated,
    /// `u` and four hexadecimal digits: a code point.
    Unicode4,
    /// `u` and one to four hexadecimal digits: a code point. (Racket)
    ShortUnicode4,
    /// `U` and six hexadecimal digits: a code point. (Guile)
    Unicode6,
    /// `U` and eight hexadecimal digits: a code point.
    Unicode8,
    /// `U` and one to eight hexadecimal digits: a code point. (Racket)
    ShortUnicode8,
    /// `u{`, hexadecimal digits, which `_` may stand between, and `}`: a code point. (WebAssembly)
    Braced,
    /// `u` and four hexadecimal digits, or any number of them in braces: a code point.
    MaybeBraced,
    /// `N{U+`, hexadecimal digits and `}`: a code point. (Emacs Lisp)
    Named,
}

/// What a numeric escape comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A byte; larger numbers are out of range.
    Byte,
    /// The low eight bits.
    Low,
    /// A code point, in UTF-8.
    Code,
    /// A code point up to 255, in UTF-8.
    Latin,
    /// A byte, if there are few digits; else a code point.
    ByteOrCode,
}

/// How a numeric escape is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    /// What begins it; none if that is its first digit.
    pub(crate) name: &'static [u8],
    pub(crate) radix: u8,
    /// How many digits there are at the least and at the most.
    pub(crate) least: u8,
    pub(crate) most: u8,
    /// The byte that ends it, and whether it must be there.
    pub(crate) end: Option<(u8, bool)>,
    pub(crate) value: Value,
}

impl Number {
    pub(crate) const fn digits(self) -> Digits {
        const MANY: u8 = u8::MAX;
        const fn row(name: &'static [u8], radix: u8, (least, most): (u8, u8), end: Option<(u8, bool)>, value: Value) -> Digits {
            Digits { name, radix, least, most, end, value }
        }
        match self {
            Number::Decimal => row(b"", 10, (3, 3), None, Value::Byte),
            Number::Octal => row(b"", 8, (3, 3), None, Value::Byte),
            Number::WrappedOctal => row(b"", 8, (3, 3), None, Value::Low),
            Number::Hex => row(b"x", 16, (2, 2), None, Value::Byte),
            Number::Pair => row(b"", 16, (2, 2), None, Value::Byte),
            Number::ShortOctal => row(b"", 8, (1, 3), None, Value::Low),
            Number::ShortHex => row(b"x", 16, (0, 2), None, Value::Byte),
            Number::LongOctalCode => row(b"", 8, (3, 3), None, Value::Code),
            Number::OctalCode => row(b"", 8, (1, 3), None, Value::Latin),
            Number::EmacsOctal => row(b"", 8, (1, 3), None, Value::ByteOrCode),
            Number::EmacsHex => row(b"x", 16, (1, MANY), None, Value::ByteOrCode),
            Number::HexCode => row(b"x", 16, (2, 2), None, Value::Code),
            Number::ShortHexCode => row(b"x", 16, (1, 2), None, Value::Code),
            Number::Terminated => row(b"x", 16, (1, MANY), Some((b';', true)), Value::Code),
            Number::MaybeTerminated => row(b"x", 16, (1, MANY), Some((b';', false)), Value::Code),
            Number::Unicode4 => row(b"u", 16, (4, 4), None, Value::Code),
            Number::ShortUnicode4 => row(b"u", 16, (1, 4), None, Value::Code),
            Number::Unicode6 => row(b"U", 16, (6, 6), None, Value::Code),
            Number::Unicode8 => row(b"U", 16, (8, 8), None, Value::Code),
            Number::ShortUnicode8 => row(b"U", 16, (1, 8), None, Value::Code),
            Number::Braced => row(b"u{", 16, (1, MANY), Some((b'}', true)), Value::Code),
            Number::MaybeBraced => row(b"u", 16, (4, 4), None, Value::Code),
            Number::Named => row(b"N{U+", 16, (1, MANY), Some((b'}', true)), Value::Code),
        }
    }
}

/// No byte takes more bytes than that when it is written: `\U0000001f`.
pub(crate) const LONGEST_ESCAPE: usize = 10;

/// What an escape character at the end of a line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// The line end (LF or CR LF) and the blanks (SP, HT) that begin the next line vanish. Before a lone CR the escape character vanishes.
    SkipBlanks,
    /// The line end (CR, LF, CR LF or LF CR) vanishes.
    LineEnd,
    /// The line end (LF, CR or CR LF) vanishes, and the blanks (SP, HT) before and after it; before it up to 32, where an escaped blank could
    /// stand for itself. (R6RS, R7RS)
    Blanks,
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

/// Whether what is in quotes is delivered as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Never,
    /// Where a variable is in it.
    WithVariable,
    Always,
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
    /// The lead byte before the opening one.
    pub(crate) after: Option<u8>,
    /// A byte that must follow the closing one.
    pub(crate) second: Option<u8>,
    /// Whether the closing byte stands for itself where it is doubled.
    pub(crate) doubled: bool,
    /// Whether characters in UTF-8 are written as they are, though their bytes by themselves are not.
    pub(crate) utf8_stays: bool,
    /// Whether the lead byte before the opening one belongs to the value.
    pub(crate) keeps_lead: bool,
    /// Whether it is delivered as written, always or where there is a variable in it.
    pub(crate) written: Written,
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

    /// How many bytes a byte takes at the most when it is written.
    pub(crate) const fn longest_escape(&self) -> usize {
        match self.number {
            Some(number) => {
                let Digits { name, radix, least, most, end, .. } = number.digits();
                let digits = match radix {
                    16 if least == most => most as usize,
                    16 => 2,
                    _ => 3,
                };
                let length = 1 + name.len() + digits + end.is_some() as usize;
                assert!(length <= LONGEST_ESCAPE);
                if length > 5 { length } else { 5 }
            }
            // A code between two delimiters.
            None => 5,
        }
    }

    /// Decodes the bytes from `from` to `to`, whose escapes are known to be right, to `into`, which is not behind `from`; to where that
    /// went. Only for quotes whose numbers are bytes of fixed length.
    pub(crate) fn decode_in_place(&self, text: &mut [u8], from: usize, to: usize, into: usize) -> usize {
        let (mut read, mut written) = (from, into);
        while read < to {
            let byte = text[read];
            read += 1;
            if byte != self.lead {
                text[written] = byte;
                written += 1;
                continue;
            }
            let name = text[read];
            read += 1;
            match self.escape[name as usize] {
                Escape::Byte(byte) => {
                    text[written] = byte;
                    written += 1;
                }
                Escape::Number(number) => {
                    let digits = number.digits();
                    read -= usize::from(digits.name.is_empty());
                    let value = text[read..read + digits.most as usize]
                        .iter()
                        .fold(0, |value, &digit| value * u32::from(digits.radix) + (digit as char).to_digit(16).unwrap_or_default());
                    text[written] = value as u8;
                    written += 1;
                    read += digits.most as usize;
                }
                Escape::LineEnd => {
                    let line_feed = name == b'\n' || text[read..to].first() == Some(&b'\n');
                    read += usize::from(name == b'\r' && line_feed);
                    if line_feed {
                        read += text[read..to].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                    } else {
                        text[written] = name;
                        written += 1;
                    }
                }
                _ => {}
            }
        }
        written
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
            after: None,
            second: None,
            doubled: false,
            keeps_lead: false,
            utf8_stays: false,
            written: Written::Never,
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

    /// Each pair is an escape that is read, but another way of writing the byte is preferred.
    pub const fn reads_as(mut self, pairs: &[(u8, u8)]) -> Quote {
        let mut i = 0;
        while i < pairs.len() {
            self.escape[pairs[i].0 as usize] = Escape::Byte(pairs[i].1);
            i += 1;
        }
        self
    }

    /// The same between two of another byte, as a symbol.
    pub const fn delimited_by(mut self, delimiter: u8) -> Quote {
        self.text[self.open as usize] = Text::Plain;
        self.write[self.open as usize] = Write::Plain;
        self.kind = Kind::Symbol;
        self.open = delimiter;
        self.close = delimiter;
        self.text[delimiter as usize] = Text::Close;
        self.escapes(&[(delimiter, delimiter)])
    }

    /// The same, but what is in it is a symbol, whose name begins with the lead byte before the opening quote.
    pub(crate) const fn a_symbol_with_its_lead(mut self) -> Quote {
        self.kind = Kind::Symbol;
        self.keeps_lead = true;
        self
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
        let digits = number.digits();
        if let [first, ..] = digits.name {
            self.escape[*first as usize] = Escape::Number(number);
        } else {
            let mut byte = 0;
            while byte < 128 {
                if (byte as u8 as char).is_digit(digits.radix as u32) {
                    self.escape[byte] = Escape::Number(number);
                }
                byte += 1;
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
        if matches!(continuation, Continuation::Blanks) {
            self.escape[b' ' as usize] = Escape::Blank;
            self.escape[b'\t' as usize] = Escape::Blank;
        }
        self
    }

    /// These bytes vanish with the escape character before them.
    pub const fn vanish_escaped(mut self, bytes: &[u8]) -> Quote {
        let mut i = 0;
        while i < bytes.len() {
            self.escape[bytes[i] as usize] = Escape::Nothing;
            i += 1;
        }
        self
    }

    /// Emacs Lisp's `\C-`, `\M-`, `\S-` and `\^` change the character after them.
    pub const fn emacs_modifiers(mut self) -> Quote {
        let names = b"CMS^HAs";
        let mut i = 0;
        while i < 6 {
            self.escape[names[i] as usize] = Escape::Modifier;
            i += 1;
        }
        self
    }

    /// Where the closing quote is doubled, it stands for itself. So a string shows only by the byte after it that it has ended.
    pub const fn doubled(mut self) -> Quote {
        self.doubled = true;
        self.write[self.close as usize] = Write::Escape(self.close);
        self.lead = self.close;
        self.check_carries_all()
    }

    /// The escape character and the quote are escaped by their numbers, as any other byte.
    pub(crate) const fn numbers_only(mut self) -> Quote {
        let mut byte = 0;
        while byte < 256 {
            if matches!(self.escape[byte], Escape::Byte(_)) {
                self.escape[byte] = Escape::Unknown;
                self.write[byte] = Write::Plain;
            }
            byte += 1;
        }
        let lead = self.lead;
        self.write[lead as usize] = Write::Number;
        self
    }

    /// The opening quote is one only after this [`Lead`](super::Lead).
    pub const fn after(mut self, lead: u8) -> Quote {
        self.after = Some(lead);
        self
    }

    /// The closing quote is this byte, with another byte after it, such as `}#` in `#{a b}#`.
    pub const fn closed_by(mut self, close: u8, second: u8) -> Quote {
        self.text[self.close as usize] = Text::Plain;
        self.write[self.close as usize] = Write::Plain;
        self.close = close;
        self.second = Some(second);
        self.text[close as usize] = Text::Close;
        self.write[close as usize] = Write::Never;
        self
    }

    /// The quotes must be closed on the line they are opened on.
    pub const fn on_one_line(self) -> Quote {
        let mut quote = self.illegal(&[(b'\n', b'\n'), (b'\r', b'\r')]);
        quote.text[b'\n' as usize] = Text::LineEnd;
        quote.text[b'\r' as usize] = Text::LineEnd;
        quote
    }

    /// A line end, be it LF, CR or CR LF, reads as LF.
    pub const fn any_line_end_reads_as_line_feed(mut self) -> Quote {
        self.text[b'\r' as usize] = Text::Return;
        self.escape_when_written(&[(b'\r', b'\r')])
    }

    /// Bytes are written by their codes between two of this byte, as EDIF's `%34 35%`.
    pub const fn codes(mut self, delimiter: u8) -> Quote {
        self.text[delimiter as usize] = Text::Codes;
        self.lead = delimiter;
        self.write[delimiter as usize] = Write::Code;
        self.write[self.close as usize] = Write::Code;
        self.check_carries_all()
    }

    /// Characters in UTF-8 are written as they are, though bytes beyond ASCII by themselves are [escaped](Quote::escape_when_written).
    pub const fn utf8_stays(mut self) -> Quote {
        self.utf8_stays = true;
        self
    }

    /// With a variable `%{name}` in it, it is a template and delivered as written.
    pub(crate) const fn variables(mut self) -> Quote {
        self.text[b'%' as usize] = Text::Variable;
        self.write[b'%' as usize] = Write::Escape(b'%');
        self.written = Written::WithVariable;
        self
    }

    /// It is delivered as written, quotes and all.
    pub(crate) const fn as_written(mut self) -> Quote {
        self.written = Written::Always;
        self.kind = Kind::Template;
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
