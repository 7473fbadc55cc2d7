//! How characters are written: their names, their codes, and what stands before them.

/// How the characters of a syntax are written.
///
/// A character is its lead (`#\`, `?`, `\`) and one code point, a name, or a code. Source of the rows: R7RS section 6.6, R6RS section
/// 4.2.6, the manuals of Guile and Racket, the Common Lisp standard (section 13.1.7), the manual of Emacs Lisp, the specification of EDN.
///
/// ```
/// use sexp_codec::{Characters, Code};
///
/// // `#\a`, `#\space`, `#\x41`.
/// static SCHEME: Characters = Characters::after("#\\").names(&[("space", ' ')]).codes(&[Code::hex("x", 1, 8)]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Characters {
    pub(crate) lead: &'static str,
    pub(crate) names: &'static [(&'static str, char)],
    pub(crate) other_names: &'static [(&'static str, char)],
    pub(crate) any_case: bool,
    pub(crate) codes: &'static [Code],
    pub(crate) escape: Option<(char, &'static str)>,
    pub(crate) controls: &'static [&'static str],
    pub(crate) last: char,
}

/// A code of a character: digits, and what stands before and after them.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    before: &'static str,
    after: &'static str,
    radix: u32,
    least: usize,
    most: usize,
}

impl Code {
    /// Hexadecimal digits, at least and at most so many, after that text.
    pub const fn hex(before: &'static str, least: usize, most: usize) -> Code {
        Code { before, after: "", radix: 16, least, most }
    }

    /// Octal digits, at least and at most so many, after that text.
    pub const fn octal(before: &'static str, least: usize, most: usize) -> Code {
        Code { radix: 8, ..Code::hex(before, least, most) }
    }

    /// With that text after the digits.
    pub const fn closed_by(mut self, after: &'static str) -> Code {
        self.after = after;
        self
    }

    fn value(&self, text: &str) -> Option<char> {
        let digits = text.strip_prefix(self.before)?.strip_suffix(self.after)?;
        if !(self.least..=self.most).contains(&digits.len()) || !digits.bytes().all(|byte| (byte as char).is_digit(self.radix)) {
            return None;
        }
        u32::from_str_radix(digits, self.radix).ok().and_then(char::from_u32)
    }

    /// Appends the code of a character; whether it has one of this kind.
    fn spell(&self, value: char, text: &mut alloc::vec::Vec<u8>) -> bool {
        let mut digits = [b'0'; 8];
        let (mut rest, mut len) = (u32::from(value), 0);
        while rest > 0 || len < self.least.max(1) {
            digits[7 - len] = b"0123456789abcdef"[(rest % self.radix) as usize];
            rest /= self.radix;
            len += 1;
        }
        if len > self.most {
            return false;
        }
        text.extend_from_slice(self.before.as_bytes());
        text.extend_from_slice(&digits[8 - len..]);
        text.extend_from_slice(self.after.as_bytes());
        true
    }
}

impl Characters {
    /// Characters that begin with that text, and are one code point each so far.
    pub const fn after(lead: &'static str) -> Characters {
        Characters { lead, names: &[], other_names: &[], any_case: false, codes: &[], escape: None, controls: &[], last: char::MAX }
    }

    /// The names that are written. Where a character has several, the first.
    pub const fn names(mut self, names: &'static [(&'static str, char)]) -> Characters {
        self.names = names;
        self
    }

    /// Names that are read, and not written.
    pub const fn other_names(mut self, names: &'static [(&'static str, char)]) -> Characters {
        self.other_names = names;
        self
    }

    /// Names are read in capitals, too.
    pub const fn names_in_any_case(mut self) -> Characters {
        self.any_case = true;
        self
    }

    /// The codes that are read. The first that fits is written.
    pub const fn codes(mut self, codes: &'static [Code]) -> Characters {
        self.codes = codes;
        self
    }

    /// A code point may be escaped, and these are.
    pub(crate) const fn escape(mut self, escape: char, escaped: &'static str) -> Characters {
        self.escape = Some((escape, escaped));
        self
    }

    /// What makes a control character of the ASCII character after it.
    pub(crate) const fn controls(mut self, before: &'static [&'static str]) -> Characters {
        self.controls = before;
        self
    }

    /// There is no character beyond that one.
    pub const fn up_to(mut self, last: char) -> Characters {
        self.last = last;
        self
    }

    /// The character that is written so, if that is known.
    pub(crate) fn value(&self, text: &[u8]) -> Option<char> {
        let text = core::str::from_utf8(text).ok()?.strip_prefix(self.lead)?;
        if let Some(only) = only_char(text) {
            return Some(only);
        }
        let is = |name: &str| if self.any_case { name.eq_ignore_ascii_case(text) } else { name == text };
        let named = self.names.iter().chain(self.other_names).find(|(name, _)| is(name)).map(|&(_, value)| value);
        named
            .or_else(|| self.codes.iter().find_map(|code| code.value(text)))
            .or_else(|| self.controls.iter().find_map(|before| control(only_char(text.strip_prefix(before)?)?)))
            .or_else(|| only_char(text.strip_prefix(self.escape?.0)?).filter(|&value| value != '\n'))
    }

    /// Writes a character: as itself where it shows, else by its name, else by its code. Not every text that comes out need be read as
    /// one: `is_right` decides; whether there is one.
    pub(crate) fn spell(&self, value: char, text: &mut alloc::vec::Vec<u8>, is_right: impl Fn(&[u8]) -> bool) -> bool {
        if value > self.last {
            return false;
        }
        let mut bytes = [0; 4];
        let itself = value.encode_utf8(&mut bytes).as_bytes();
        let name = self.names.iter().find(|row| row.1 == value).map(|row| row.0.as_bytes());
        let begin = |text: &mut alloc::vec::Vec<u8>| {
            text.clear();
            text.extend_from_slice(self.lead.as_bytes());
        };
        begin(text);
        if let Some((escape, escaped)) = self.escape
            && escaped.contains(value)
        {
            text.push(escape as u8);
            text.extend_from_slice(itself);
        } else if let Some(name) = name {
            text.extend_from_slice(name);
        } else if !value.is_control() && !value.is_whitespace() {
            text.extend_from_slice(itself);
        }
        if text.len() > self.lead.len() && is_right(text) {
            return true;
        }
        self.codes.iter().any(|code| {
            begin(text);
            code.spell(value, text) && is_right(text)
        })
    }
}

fn only_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.as_str().is_empty())
}

fn control(of: char) -> Option<char> {
    match of {
        '?' => Some('\x7f'),
        '@'..='_' | 'a'..='z' => Some((of as u8 & 0x1f) as char),
        _ => None,
    }
}

const SCHEME_CODES: &[Code] = &[Code::hex("x", 1, 8)];

/// R7RS, section 6.6.
pub(super) const R7RS: Characters = Characters::after("#\\")
    .names(&[
        ("alarm", '\x07'),
        ("backspace", '\x08'),
        ("delete", '\x7f'),
        ("escape", '\x1b'),
        ("newline", '\n'),
        ("null", '\0'),
        ("return", '\r'),
        ("space", ' '),
        ("tab", '\t'),
    ])
    .codes(SCHEME_CODES);

/// R6RS, section 4.2.6.
pub(super) const R6RS: Characters = Characters::after("#\\")
    .names(&[
        ("nul", '\0'),
        ("alarm", '\x07'),
        ("backspace", '\x08'),
        ("tab", '\t'),
        ("newline", '\n'),
        ("vtab", '\x0b'),
        ("page", '\x0c'),
        ("return", '\r'),
        ("esc", '\x1b'),
        ("space", ' '),
        ("delete", '\x7f'),
    ])
    .other_names(&[("linefeed", '\n')])
    .codes(SCHEME_CODES);

const ALL_SCHEMES: &[(&str, char)] = &[
    ("null", '\0'),
    ("linefeed", '\n'),
    ("escape", '\x1b'),
    ("altmode", '\x1b'),
    ("backspace", '\x08'),
    ("rubout", '\x7f'),
    ("nl", '\n'),
    ("cr", '\r'),
    ("sp", ' '),
    ("del", '\x7f'),
];

pub(super) const GUILE: Characters =
    R6RS.other_names(ALL_SCHEMES).names_in_any_case().codes(&[Code::hex("x", 1, 8), Code::octal("", 3, 3)]);

/// What all Schemes write; what any of them reads.
pub(super) const SCHEME: Characters = Characters::after("#\\")
    .names(&[("newline", '\n'), ("space", ' '), ("tab", '\t'), ("return", '\r')])
    .other_names(&[
        ("nul", '\0'),
        ("null", '\0'),
        ("alarm", '\x07'),
        ("backspace", '\x08'),
        ("linefeed", '\n'),
        ("vtab", '\x0b'),
        ("page", '\x0c'),
        ("esc", '\x1b'),
        ("escape", '\x1b'),
        ("altmode", '\x1b'),
        ("delete", '\x7f'),
        ("rubout", '\x7f'),
    ])
    .codes(SCHEME_CODES);

pub(super) const RACKET: Characters = Characters::after("#\\")
    .names(&[
        ("nul", '\0'),
        ("backspace", '\x08'),
        ("tab", '\t'),
        ("newline", '\n'),
        ("vtab", '\x0b'),
        ("page", '\x0c'),
        ("return", '\r'),
        ("space", ' '),
        ("rubout", '\x7f'),
    ])
    .other_names(&[("null", '\0'), ("linefeed", '\n')])
    .names_in_any_case()
    .codes(&[Code::hex("u", 1, 4), Code::hex("U", 1, 8), Code::octal("", 3, 3)]);

/// The standard's section 13.1.7: two names that are always there, and six more that are where the character is.
pub(super) const COMMONLISP: Characters = Characters::after("#\\")
    .names(&[
        ("Newline", '\n'),
        ("Space", ' '),
        ("Rubout", '\x7f'),
        ("Page", '\x0c'),
        ("Tab", '\t'),
        ("Backspace", '\x08'),
        ("Return", '\r'),
    ])
    .other_names(&[("Linefeed", '\n')])
    .names_in_any_case();

pub(super) const ELISP: Characters = Characters::after("?")
    .names(&[
        ("\\a", '\x07'),
        ("\\b", '\x08'),
        ("\\t", '\t'),
        ("\\n", '\n'),
        ("\\v", '\x0b'),
        ("\\f", '\x0c'),
        ("\\r", '\r'),
        ("\\e", '\x1b'),
        ("\\s", ' '),
        ("\\d", '\x7f'),
    ])
    .escape('\\', "()[]{}\\\"'`;,#.?|")
    .codes(&[
        Code::hex("\\x", 1, 6),
        Code::hex("\\u", 4, 4),
        Code::hex("\\U", 8, 8),
        Code::hex("\\N{U+", 1, 8).closed_by("}"),
        Code::octal("\\", 1, 3),
    ])
    .controls(&["\\C-", "\\^"]);

/// The names of the specification are written; the codes go up to FFFF, as do characters in Clojure.
pub(super) const EDN: Characters = Characters::after("\\")
    .names(&[("newline", '\n'), ("return", '\r'), ("space", ' '), ("tab", '\t')])
    .other_names(&[("backspace", '\x08'), ("formfeed", '\x0c')])
    .codes(&[Code::hex("u", 4, 4), Code::octal("o", 1, 3)])
    .up_to('\u{ffff}');
