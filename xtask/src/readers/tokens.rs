//! What a reader read, in a form that all readers can be brought to.

use sexp_codec::nonblocking::{Decode, Decoder};
use sexp_codec::{Kind, Lexeme, Options, Syntax};
use std::fmt;

/// A piece of what was read. The tags are told in `readers/README.md`; `B` is a bare atom of ours, of which only the reader above knows whether
/// it is a symbol or a number.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    pub tag: u8,
    pub bytes: Vec<u8>,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tag {
            tag @ (b'(' | b')' | b'[' | b']') => write!(f, "{}", char::from(tag)),
            tag => write!(f, "{}\"{}\"", char::from(tag), self.bytes.escape_ascii()),
        }
    }
}

/// All of a document that was read before the first fault, in whole forms, and that fault.
#[derive(Clone, Default)]
pub struct Reading {
    pub tokens: Vec<Token>,
    pub fault: Option<String>,
}

/// What the values of a dialect are, beyond lexemes.
#[derive(Clone, Copy)]
pub struct Values {
    /// Whether all atoms are of one kind.
    pub atoms_only: bool,
    /// Prefixes that stand for a list, and the name at its head.
    pub quotes: &'static [(&'static str, &'static str)],
    /// Whether what a comma makes is an object of its own and not a list; it is shown as a vector.
    pub commas: bool,
    /// Whether `(a . (b))` is `(a b)`.
    pub dots: bool,
    /// Names of the empty list.
    pub nil: &'static [&'static str],
    /// Whether `[a]` is a vector, else a list.
    pub vectors: bool,
    /// Whether `{a b}` is a map; a large one, and a set, are not looked into, since their order is lost.
    pub maps: bool,
    /// What of it the reader tells.
    pub told: fn(Vec<Token>) -> Vec<Token>,
}

impl Values {
    pub const ATOMS: Values =
        Values { atoms_only: true, quotes: &[], commas: false, dots: false, nil: &[], vectors: false, maps: false, told: all };
}

enum Node {
    Atom(Kind, Vec<u8>),
    List(u8, Vec<Node>),
    Prefixed(Vec<u8>, Box<Node>),
}

enum Opener {
    Top,
    List(u8),
    Prefix(Vec<u8>),
}

/// Puts lexemes together to forms.
struct Forms<'v> {
    values: &'v Values,
    syntax: &'static Syntax,
    stack: Vec<(Opener, Vec<Node>)>,
    tokens: Vec<Token>,
}

impl Forms<'_> {
    fn add(&mut self, lexeme: Lexeme<'_>) {
        match lexeme.kind {
            Kind::Open => self.stack.push((Opener::List(lexeme.bytes[0]), Vec::new())),
            Kind::Close => {
                if let Some((Opener::List(open), items)) = self.stack.pop() {
                    self.datum(Node::List(open, items));
                }
            }
            Kind::Prefix => self.stack.push((Opener::Prefix(lexeme.bytes.to_vec()), Vec::new())),
            Kind::Comment | Kind::Space => {}
            kind => self.datum(Node::Atom(kind, lexeme.bytes.to_vec())),
        }
    }

    fn datum(&mut self, mut node: Node) {
        while let Some((Opener::Prefix(_), _)) = self.stack.last() {
            if let Some((Opener::Prefix(prefix), _)) = self.stack.pop() {
                node = Node::Prefixed(prefix, Box::new(node));
            }
        }
        match self.stack.last_mut() {
            Some((Opener::List(_), items)) => items.push(node),
            _ => self.show(&node),
        }
    }

    fn token(&mut self, tag: u8, bytes: &[u8]) {
        self.tokens.push(Token { tag, bytes: bytes.to_vec() });
    }

    fn show(&mut self, node: &Node) {
        match node {
            Node::Atom(Kind::Hint, bytes) => self.token(b'H', bytes),
            Node::Atom(_, bytes) if self.values.atoms_only => self.token(b'A', bytes),
            Node::Atom(kind, bytes) => match kind {
                Kind::Bare if self.values.nil.iter().any(|nil| nil.as_bytes() == bytes) => {
                    self.token(b'(', b"");
                    self.token(b')', b"");
                }
                Kind::Bare => self.token(b'B', bytes),
                Kind::Symbol => self.token(b'Y', bytes),
                Kind::Escaped => {
                    let mut name = Vec::new();
                    self.syntax.unescape(bytes, &mut name);
                    self.token(b'Y', &name);
                }
                Kind::Char => self.token(b'C', bytes),
                Kind::Template => self.token(b'T', bytes),
                _ => self.token(b'S', bytes),
            },
            Node::List(b'{', items) if self.values.maps && items.len() > 16 => self.token(b'N', b"{}"),
            Node::List(open, items) => self.list(*open == b'[' && self.values.vectors, items),
            Node::Prefixed(prefix, datum) => {
                let quote = self.values.quotes.iter().find(|(text, _)| text.as_bytes() == prefix);
                match (quote, &**datum) {
                    (None, _) if self.values.maps && prefix.len() > 1 => {
                        self.token(b'(', b"");
                        self.token(b'Y', prefix);
                        self.show(datum);
                        self.token(b')', b"");
                    }
                    (Some((_, name)), _) => {
                        let own = self.values.commas && prefix.starts_with(b",");
                        self.token(if own { b'[' } else { b'(' }, b"");
                        self.token(b'Y', name.as_bytes());
                        self.show(datum);
                        self.token(if own { b']' } else { b')' }, b"");
                    }
                    // In Emacs, a string and its properties.
                    (_, Node::List(b'(', items)) if prefix == b"#" && self.values.vectors => {
                        items.iter().take(1).for_each(|item| self.show(item))
                    }
                    (_, Node::List(b'(', items)) if prefix == b"#" => self.list(true, items),
                    _ => self.token(b'N', prefix),
                }
            }
        }
    }

    fn list(&mut self, vector: bool, items: &[Node]) {
        self.token(if vector { b'[' } else { b'(' }, b"");
        let dotted = self.values.dots && !vector;
        match items {
            [front @ .., Node::Atom(Kind::Bare, dot), tail] if dotted && dot == b"." && !front.is_empty() => {
                front.iter().for_each(|item| self.show(item));
                let start = self.tokens.len();
                self.token(b'Y', b".");
                self.show(tail);
                if self.tokens[start + 1].tag == b'(' {
                    self.tokens.drain(start..start + 2);
                    self.tokens.pop();
                }
            }
            _ => items.iter().for_each(|item| self.show(item)),
        }
        self.token(if vector { b']' } else { b')' }, b"");
    }
}

/// What lexemes mean.
pub fn meaning<'a>(lexemes: impl Iterator<Item = Lexeme<'a>>, syntax: &'static Syntax, values: &Values) -> Vec<Token> {
    let mut forms = Forms { values, syntax, stack: vec![(Opener::Top, Vec::new())], tokens: Vec::new() };
    lexemes.for_each(|lexeme| forms.add(lexeme));
    forms.tokens
}

/// What our decoder reads, up to its first fault: whole forms only. If it is to be a single form, more is a fault.
pub fn ours(bytes: &[u8], syntax: &'static Syntax, values: &Values, single: bool) -> Reading {
    let mut forms = Forms { values, syntax, stack: vec![(Opener::Top, Vec::new())], tokens: Vec::new() };
    let mut decoder = Decoder::with_options(syntax, Options::default().single(single));
    for chunk in bytes.chunks(64 * 1024).chain([&[][..]]) {
        let mut input = if chunk.is_empty() { decoder.finish() } else { decoder.feed(chunk) };
        loop {
            match input.decode() {
                Decode::Lexeme(lexeme) => forms.add(lexeme),
                Decode::Error(error) => return Reading { tokens: forms.tokens, fault: Some(error.to_string()) },
                Decode::Await | Decode::End => break,
                Decode::Fragment(_) => {}
            }
        }
    }
    Reading { tokens: (values.told)(forms.tokens), fault: None }
}

/// Everything is told.
pub fn all(tokens: Vec<Token>) -> Vec<Token> {
    tokens
}

/// The data segments of WebAssembly are told; in each, strings that follow each other are one.
pub fn data_segments(tokens: Vec<Token>) -> Vec<Token> {
    let mut segments: Vec<Token> = Vec::new();
    let mut inside = false;
    for token in tokens {
        match (token.tag, &token.bytes[..]) {
            (b'B', b"data") => (inside, _) = (true, segments.push(Token { tag: b'S', bytes: Vec::new() })),
            (b'B', b"export") => inside = false,
            (b'S', string) if inside => {
                segments.iter_mut().next_back().into_iter().for_each(|segment| segment.bytes.extend_from_slice(string))
            }
            _ => {}
        }
    }
    segments
}

/// The last atom is told.
pub fn last_atom(tokens: Vec<Token>) -> Vec<Token> {
    tokens.into_iter().rfind(|token| !b"()".contains(&token.tag)).into_iter().collect()
}

/// The place where two readings differ, if they do.
///
/// Where both ended in a fault, one may have been told later than the other.
pub fn difference(ours: &Reading, theirs: &Reading) -> Option<usize> {
    let place = ours.tokens.iter().zip(&theirs.tokens).position(|(ours, theirs)| !same(ours, theirs));
    let shorter = ours.tokens.len().min(theirs.tokens.len());
    match place {
        Some(place) => Some(place),
        None if ours.tokens.len() > shorter && theirs.fault.is_none() => Some(shorter),
        None if theirs.tokens.len() > shorter && ours.fault.is_none() => Some(shorter),
        None => None,
    }
}

/// Whether a token of ours can be what the other reader says it is.
fn same(ours: &Token, theirs: &Token) -> bool {
    let (text, value) = (&ours.bytes[..], &theirs.bytes[..]);
    match (ours.tag, theirs.tag) {
        (b'B' | b'Y', b'Y') => text == value || without_package(text) == value,
        (b'B', b'N') if text == value => true,
        (b'B', b'N') if is_plain_integer(text) => text == value,
        (b'B', b'N') => text.starts_with(b"#") || text.iter().any(u8::is_ascii_digit),
        (b'C', b'C' | b'N') => code_point(text).is_none_or(|code| code.to_string().as_bytes() == value),
        (b'N', b'N') => true,
        _ => ours == theirs,
    }
}

/// The name of a symbol, as some tell it: without its package, or the mark that it is in none.
fn without_package(text: &[u8]) -> &[u8] {
    let colon = text.iter().rposition(|&byte| byte == b':').filter(|&colon| colon > 0 && !text.starts_with(b":"));
    colon.map_or(text, |colon| &text[colon + 1..])
}

/// Whether all dialects print an integer as it stands there.
fn is_plain_integer(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    digits.iter().all(u8::is_ascii_digit) && !digits.is_empty() && (digits[0] != b'0' || text == b"0")
}

/// The code point of a character that stands for itself: `?a`, `#\a`.
fn code_point(text: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(text).ok()?;
    let name = text.strip_prefix("#\\").or_else(|| text.strip_prefix('?')).or_else(|| text.strip_prefix('\\'))?;
    let mut characters = name.chars();
    let first = characters.next()?;
    (characters.next().is_none() && (first != '\\' || !text.starts_with('?'))).then_some(first as u32)
}

/// Takes apart what a helper printed: the reading of each file it came to, and whether it finished with the last.
pub fn take_apart(printed: &[u8]) -> (Vec<Reading>, bool) {
    let (mut readings, mut rest, mut whole): (Vec<Reading>, _, _) = (Vec::new(), printed, true);
    while let [tag, after @ ..] = rest {
        rest = after;
        let mut bytes = &[][..];
        if !b"()[].\n".contains(tag) {
            let Some(colon) = rest.iter().position(|&byte| byte == b':') else { break };
            let length = std::str::from_utf8(&rest[..colon]).ok().and_then(|digits| digits.parse::<usize>().ok());
            let Some(end) = length.map(|length| colon + 1 + length).filter(|&end| end <= rest.len()) else { break };
            (bytes, rest) = (&rest[colon + 1..end], &rest[end..]);
        }
        match (tag, readings.last_mut()) {
            (b'\n', _) => {}
            (b'F', _) => (whole, _) = (false, readings.push(Reading::default())),
            (b'.', _) => whole = true,
            (b'!', Some(reading)) => (whole, reading.fault) = (true, Some(String::from_utf8_lossy(bytes).into_owned())),
            (_, Some(reading)) => reading.tokens.push(Token { tag: *tag, bytes: bytes.to_vec() }),
            (_, None) => break,
        }
    }
    (readings, whole)
}

/// Takes the canonical form apart, which `sexp-conv` prints: with lists, counted atoms and hints.
pub fn take_canonical(printed: &[u8]) -> Vec<Token> {
    let (mut tokens, mut rest, mut hint) = (Vec::new(), printed, false);
    while let [byte, after @ ..] = rest {
        match byte {
            b'(' | b')' => (rest, _) = (after, tokens.push(Token { tag: *byte, bytes: Vec::new() })),
            b'[' | b']' | b'\n' => (rest, hint) = (after, *byte == b'['),
            _ => {
                let Some(colon) = rest.iter().position(|&byte| byte == b':') else { break };
                let length = std::str::from_utf8(&rest[..colon]).ok().and_then(|digits| digits.parse::<usize>().ok());
                let Some(end) = length.map(|length| colon + 1 + length).filter(|&end| end <= rest.len()) else { break };
                tokens.push(Token { tag: if hint { b'H' } else { b'A' }, bytes: rest[colon + 1..end].to_vec() });
                rest = &rest[end..];
            }
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISP: Values = Values {
        atoms_only: false,
        quotes: &[("'", "quote")],
        commas: false,
        dots: true,
        nil: &["nil"],
        vectors: true,
        maps: false,
        told: all,
    };

    fn shown(reading: &Reading) -> String {
        reading.tokens.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn values_are_brought_to_one_form() {
        let read = |text: &[u8]| shown(&ours(text, &Syntax::ELISP, &LISP, false));
        assert_eq!(read(b"(a . (b . nil)) 'c"), r#"( B"a" B"b" ) ( Y"quote" B"c" )"#);
        assert_eq!(read(b"(a . 'b) [\\1] (. a)"), r#"( B"a" Y"quote" B"b" ) [ Y"1" ] ( B"." B"a" )"#);
        assert_eq!(read(b"(a (b) (c"), "");
    }

    #[test]
    fn what_is_printed_is_taken_apart() {
        let (readings, whole) = take_apart(b"F1:a\n(Y3:a)bS0:\n).\nF1:b\nN2:12\n!4:oops\nF1:c\n(Y9:cut");
        let shown: Vec<String> = readings.iter().map(shown).collect();
        assert_eq!(shown, [r#"( Y"a)b" S"" )"#, r#"N"12""#, "("]);
        assert_eq!((readings[0].fault.as_deref(), readings[1].fault.as_deref(), whole), (None, Some("oops"), false));
    }

    #[test]
    fn differences_are_seen() {
        let reading = |printed: &[u8]| take_apart(printed).0.remove(0);
        let ours = |text: &[u8]| ours(text, &Syntax::ELISP, &LISP, false);
        assert_eq!(difference(&ours(b"(a 1.5 12 \"s\" ?a)"), &reading(b"F0:(Y1:aN3:1.5N2:12S1:sN2:97).")), None);
        for printed in [&b"F0:(Y1:b)."[..], b"F0:(S1:a).", b"F0:(N1:a)).", b"F0:(Y1:a)Y1:b.", b"F0:.", b"F0:[Y1:a]."] {
            assert!(difference(&ours(b"(a)"), &reading(printed)).is_some(), "{}", printed.escape_ascii());
        }
        assert_eq!(difference(&ours(b"12"), &reading(b"F0:N2:13.")), Some(0));
        assert_eq!(difference(&ours(b"?a"), &reading(b"F0:N2:98.")), Some(0));
        // Up to the fault of one, and no further.
        assert_eq!(difference(&ours(b"a (b"), &reading(b"F0:Y1:a!1:x")), None);
        assert_eq!(difference(&ours(b"a b"), &reading(b"F0:Y1:a!1:x")), None);
        assert_eq!(difference(&ours(b"a b"), &reading(b"F0:Y1:a.")), Some(1));
    }
}
