//! From one syntax to another: what a lexeme that was read in the one is in the other, or that there is no such thing there.

use crate::decode;
use crate::encode::EncodeOptions;
use crate::lexeme::{Kind, Lexeme, Span};
use crate::nesting::Brackets;
use crate::syntax::{Cont, Meaning, Next, Start, Syntax, label};
use alloc::vec::Vec;
use core::fmt;

/// Turns lexemes that were read in one syntax into those of another: it stands between a decoder and an encoder.
///
/// What means the same in both is carried over, spelled as the other syntax spells it; anything else is refused, and nothing is changed
/// silently. Converted the other way, what was carried over comes back as the same lexeme, or as one that its syntax does not tell from it (a
/// list in `[ ]` where that is one in `( )`, `#\x41` for `#\A`); or is refused there, where the other syntax tells more apart.
///
/// | kind | becomes | refused |
/// |---|---|---|
/// | bare atom | the same text, since case and numbers are a matter of the reader above; where the other syntax cannot write it bare, a symbol, octets, or a string if they are all the same to its own | the dot of a pair where there are no pairs, and a symbol that could only be a string |
/// | string | the same | where a string would become like any other atom, though its own syntax tells them apart |
/// | symbol in bars, escaped atom | a symbol of that [name](Syntax::unescape); where there is none, the bare atom of that name | a name that cannot stand bare, or would then be a number or the like |
/// | octets, hint | the same | a hint where there are none |
/// | character | the same character: as itself where it shows, else by its name, else by its code | one whose name is not known, and where there are none |
/// | prefix, bracket | what has the same [meaning](Meaning) | where nothing has |
/// | template | | always |
/// | comment | one with the same text in the other's delimiters | a datum comment, and where there are none |
/// | white space | nothing: the encoder puts it where it has to be | |
///
/// All is done by tables of the two syntaxes. Between a syntax and itself all lexemes pass as they are.
///
/// No step allocates, but to make room for a longer name, character or comment than any before, and for depth: two bits for each open list.
/// Atoms must come whole: with [`Options::fragments`](crate::Options::fragments) they cannot be converted.
///
/// ```
/// use sexp_codec::{Converter, Lexeme, Syntax, blocking};
///
/// let text = br"(a\.b ?\( [1 ,@c])";
/// let mut decoder = blocking::Decoder::new(&text[..], &Syntax::ELISP);
/// let mut converter = Converter::new(&Syntax::ELISP, &Syntax::R7RS);
/// let mut encoder = blocking::Encoder::new(Vec::new(), &Syntax::R7RS);
/// while let Some(lexeme) = decoder.decode()? {
///     for lexeme in converter.convert(lexeme)? {
///         encoder.encode(lexeme)?;
///     }
/// }
/// encoder.finish()?;
/// assert_eq!(encoder.into_inner(), br"(|a.b|#\( #(1,@c))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Converter {
    from: &'static Syntax,
    to: &'static Syntax,
    /// The kinds whose lexemes are not looked at: bit `kind as u16`.
    passes: u16,
    merges: bool,
    /// The other syntax's pair for each open list; [`REFUSED`] for one that has none.
    open: Brackets,
    depth: u64,
    /// A prefix that is one with the bracket after it, and where it begins.
    held: Option<(&'static str, u64)>,
    buffer: Vec<u8>,
}

/// In the place of a pair of brackets: the list was refused, and so there is nothing to close.
const REFUSED: u8 = 3;

impl Converter {
    /// A converter from the one syntax to the other.
    pub fn new(from: &'static Syntax, to: &'static Syntax) -> Converter {
        let mut converter =
            Converter { from, to, passes: 0, merges: false, open: Brackets::default(), depth: 0, held: None, buffer: Vec::new() };
        converter.passes = converter.kinds_that_pass();
        converter
    }

    /// Whether strings and other atoms may become one where the other syntax does not tell them apart. Without this call, an atom to
    /// which that would happen is refused.
    ///
    /// ```
    /// use sexp_codec::{ConvertErrorKind, Converter, Lexeme, Syntax};
    ///
    /// let converter = Converter::new(&Syntax::R7RS, &Syntax::CANONICAL);
    /// let error = converter.clone().convert(Lexeme::string(b"a")).unwrap_err();
    /// assert_eq!(error.kind, ConvertErrorKind::StringLikeOtherAtoms);
    /// let mut converter = converter.merge_atoms(true);
    /// assert_eq!(converter.convert(Lexeme::string(b"a")).unwrap().next(), Some(Lexeme::string(b"a")));
    /// ```
    pub fn merge_atoms(mut self, merge: bool) -> Converter {
        self.merges = merge;
        self.passes = self.kinds_that_pass();
        self
    }

    /// What the lexeme is in the other syntax: mostly one lexeme. It is none where it will be one with the next, or is left out; and two
    /// where a bracket becomes a prefix and a bracket.
    ///
    /// The lexemes of the input have to come one after the other, since what closes a list depends on what opened it. They keep their spans.
    ///
    /// # Errors
    ///
    /// The lexeme has no counterpart. The next one can be converted all the same; of a list whose bracket has none, the elements are, and
    /// its end becomes nothing.
    #[inline]
    pub fn convert<'a>(&'a mut self, lexeme: Lexeme<'a>) -> Result<Converted<'a>, ConvertError> {
        if self.passes(lexeme.kind) { Ok(Converted::one(lexeme)) } else { self.look_at(lexeme) }
    }

    /// Whether the next lexeme, if it is of that kind, becomes itself.
    ///
    /// The answer may change with each lexeme that is converted.
    #[inline]
    pub fn passes(&self, kind: Kind) -> bool {
        self.passes >> kind as u16 & 1 != 0 && self.held.is_none()
    }

    /// The decoder reported an error: a prefix that waits for the bracket after it, which may be what was wrong, is dropped.
    pub fn after_error(&mut self) {
        self.held = None;
    }

    /// Options for the encoder that writes what it delivers: atoms of a syntax that has only one kind of them are spelled as suits them best.
    pub fn encode_options(&self) -> EncodeOptions {
        let (from, to) = (self.from, self.to);
        EncodeOptions::default().respell(from.has_one_kind_of_atom() && !to.has_one_kind_of_atom() && to.has_octets())
    }

    /// The syntax it converts to.
    pub fn to(&self) -> &'static Syntax {
        self.to
    }

    /// Forgets what is open: ready for another input.
    pub fn reset(&mut self) {
        self.open.clear();
        self.depth = 0;
        self.held = None;
    }

    fn kinds_that_pass(&self) -> u16 {
        let (from, to) = (self.from, self.to);
        let same = core::ptr::eq(from, to) || from.name == to.name;
        let simple =
            |syntax: &Syntax| syntax.pair_count == 1 && syntax.meanings.iter().all(|(text, _)| !text.ends_with(syntax.pairs[0].0 as char));
        let lists = simple(from) && from.pairs[0] == to.pairs[0] && to.text_of(Meaning::List, "(").is_none_or(|text| text == "(");
        let dots = from.dots.is_none() || to.dots.is_none() || from.dots == to.dots;
        let passes = |kind: &Kind| match kind {
            _ if same => true,
            Kind::Open | Kind::Close => lists,
            Kind::Bare => dots && !self.bare_may_change(),
            Kind::Octets => dots,
            Kind::String => !from.strings_are_apart || to.has_quotes_for(Kind::String) || self.merges,
            Kind::Hint => to.hint.is_some(),
            _ => false,
        };
        Kind::ALL.iter().filter(|kind| passes(kind)).fold(0, |all, &kind| all | 1 << kind as u16)
    }

    /// Whether a bare atom that cannot stand bare in the other syntax has to be looked at. Where all atoms mean the same, in either syntax, the
    /// encoder's own choice is right.
    fn bare_may_change(&self) -> bool {
        let (from, to) = (self.from, self.to);
        if to.has_one_kind_of_atom() || self.merges && !to.strings_are_apart {
            return false;
        }
        from.strings_are_apart || to.strings_are_apart && !to.has_symbols() && to.has_quotes_for(Kind::String)
    }

    #[cold]
    fn look_at<'a>(&'a mut self, lexeme: Lexeme<'a>) -> Result<Converted<'a>, ConvertError> {
        let Lexeme { kind, bytes, span } = lexeme;
        if let Some((_, start)) = self.held
            && kind != Kind::Open
        {
            self.held = None;
            return Err(ConvertError { kind: ConvertErrorKind::NoSuchPrefix, span: Span { start, end: span.end } });
        }
        let error = |kind| ConvertError { kind, span };
        match kind {
            Kind::Open => return self.open(lexeme),
            Kind::Close => return Ok(self.close(lexeme)),
            Kind::Space => return Ok(Converted::none()),
            _ => {}
        }
        let kind = match kind {
            Kind::Prefix => return self.prefix(lexeme),
            Kind::Bare | Kind::Octets => self.bare(kind, bytes).map_err(error)?,
            Kind::String if self.passes >> Kind::String as u16 & 1 != 0 => kind,
            Kind::String => return Err(error(ConvertErrorKind::StringLikeOtherAtoms)),
            Kind::Symbol | Kind::Escaped => {
                let kind = self.symbol(kind, bytes).map_err(error)?;
                return Ok(Converted::one(Lexeme { kind, bytes: &self.buffer, span }));
            }
            Kind::Char => {
                self.character(bytes).map_err(error)?;
                return Ok(Converted::one(Lexeme { kind, bytes: &self.buffer, span }));
            }
            Kind::Comment => {
                self.comment(bytes).map_err(error)?;
                return Ok(Converted::one(Lexeme { kind, bytes: &self.buffer, span }));
            }
            Kind::Hint if self.to.hint.is_none() => return Err(error(ConvertErrorKind::NoHints)),
            Kind::Template => return Err(error(ConvertErrorKind::Template)),
            kind => kind,
        };
        Ok(Converted::one(Lexeme { kind, bytes, span }))
    }

    fn open<'a>(&mut self, lexeme: Lexeme<'a>) -> Result<Converted<'a>, ConvertError> {
        let (prefix, start) = self.held.take().unwrap_or(("", lexeme.span.start));
        let bracket = lexeme.bytes.first().copied().unwrap_or_default();
        let level = self.depth;
        self.depth += 1;
        let meaning = self.from.meaning_of_bracket(prefix.as_bytes(), bracket);
        let found = meaning.and_then(|meaning| self.bracket_of(meaning, prefix, bracket));
        let Some((before, pair)) = found else {
            self.open.open(level, REFUSED);
            let kind = if prefix.is_empty() { ConvertErrorKind::NoSuchBracket } else { ConvertErrorKind::NoSuchPrefix };
            return Err(ConvertError { kind, span: Span { start, end: lexeme.span.end } });
        };
        self.open.open(level, pair);
        let open = Lexeme { bytes: core::slice::from_ref(&self.to.pairs[pair as usize].0), ..lexeme };
        Ok(if before.is_empty() {
            Converted::one(open)
        } else {
            Converted::two(Lexeme { kind: Kind::Prefix, bytes: before.as_bytes(), span: Span { start, end: lexeme.span.start } }, open)
        })
    }

    /// The prefix, perhaps none, and the pair of brackets that have the meaning in the other syntax.
    fn bracket_of(&self, meaning: Meaning, prefix: &str, bracket: u8) -> Option<(&'static str, u8)> {
        let rows = || self.to.meanings.iter().filter(|row| row.1 == meaning).map(|row| row.0);
        let same = |text: &&str| text.as_bytes().split_last() == Some((&bracket, prefix.as_bytes()));
        match rows().find(same).or_else(|| rows().next()) {
            Some(text) => {
                let (last, _) = text.as_bytes().split_last()?;
                Some((&text[..text.len() - 1], self.to.pair_opened_by(*last)?))
            }
            None => (meaning == Meaning::List && self.to.pair_count > 0).then_some(("", 0)),
        }
    }

    fn close<'a>(&mut self, lexeme: Lexeme<'a>) -> Converted<'a> {
        if self.depth == 0 {
            return Converted::one(Lexeme { bytes: core::slice::from_ref(&self.to.pairs[0].1), ..lexeme });
        }
        self.depth -= 1;
        let pair = self.open.kind(self.depth);
        self.open.close(self.depth);
        match pair {
            REFUSED => Converted::none(),
            pair => Converted::one(Lexeme { bytes: core::slice::from_ref(&self.to.pairs[pair as usize].1), ..lexeme }),
        }
    }

    fn prefix<'a>(&'a mut self, lexeme: Lexeme<'a>) -> Result<Converted<'a>, ConvertError> {
        let text = lexeme.bytes;
        let other = self.from.row_of_prefix(text).and_then(|(own, meaning)| Some((own, meaning, self.to.text_of(meaning, own)?)));
        if let Some((own, meaning, other)) = other {
            self.buffer.clear();
            match (meaning, label(text)) {
                (Meaning::Label, Some((_, digits, _))) => {
                    let (before, after) = other.split_at(1);
                    [before.as_bytes(), digits, after.as_bytes()].iter().for_each(|part| self.buffer.extend_from_slice(part));
                }
                (Meaning::Tag, _) => {
                    [other.as_bytes(), &text[own.len()..]].iter().for_each(|part| self.buffer.extend_from_slice(part));
                }
                _ => self.buffer.extend_from_slice(other.as_bytes()),
            }
            return Ok(Converted::one(Lexeme { bytes: &self.buffer, ..lexeme }));
        }
        match self.from.row_begins_with(text) {
            Some(prefix) => {
                self.held = Some((prefix, lexeme.span.start));
                Ok(Converted::none())
            }
            None => Err(ConvertError { kind: ConvertErrorKind::NoSuchPrefix, span: lexeme.span }),
        }
    }

    /// What a bare atom is, or octets.
    fn bare(&mut self, kind: Kind, text: &[u8]) -> Result<Kind, ConvertErrorKind> {
        if let (Some(one), Some(other)) = (self.from.dots, self.to.dots)
            && one != other
            && text == b"."
        {
            // Octets are no dot of a pair in any syntax.
            return if other && self.to.has_symbols() { Ok(Kind::Symbol) } else { Err(ConvertErrorKind::Dot) };
        }
        let (from, to) = (self.from, self.to);
        if kind == Kind::Octets || !self.bare_may_change() || self.stands_bare(text) {
            Ok(kind)
        } else if to.has_octets() {
            Ok(Kind::Octets)
        } else if !from.strings_are_apart {
            Ok(Kind::String)
        } else if is_name(text) && !from.takes_for_another(text) && to.has_symbols_named(text) {
            Ok(Kind::Symbol)
        } else if to.strings_are_apart || to.quotes.is_empty() {
            Err(ConvertErrorKind::NoSuchAtom)
        } else {
            Err(ConvertErrorKind::SymbolLikeStrings)
        }
    }

    /// What a symbol is whose name the lexeme has, or the text of its name. Leaves that in the buffer.
    fn symbol(&mut self, kind: Kind, text: &[u8]) -> Result<Kind, ConvertErrorKind> {
        self.buffer.clear();
        if kind == Kind::Escaped {
            self.from.unescape(text, &mut self.buffer);
        } else {
            self.buffer.extend_from_slice(text);
        }
        let (to, name) = (self.to, &self.buffer[..]);
        if name.is_empty()
            && let Some(text) = to.empty_symbol()
        {
            self.buffer.extend_from_slice(&text);
            return Ok(Kind::Escaped);
        }
        if to.has_symbols_named(name) {
            return Ok(Kind::Symbol);
        }
        // As a bare atom it must mean the same in both, to a reader that knows nothing of escapes.
        let another = self.from.takes_for_another(name);
        if (another || !is_name(name)) && !self.merges || to.strings_are_apart && !is_name(name) {
            return Err(ConvertErrorKind::SymbolLikeOthers);
        }
        if to.has_one_kind_of_atom() || self.stands_bare(name) {
            Ok(Kind::Bare)
        } else if to.has_octets() {
            Ok(Kind::Octets)
        } else if to.strings_are_apart || to.quotes.is_empty() {
            Err(ConvertErrorKind::NoSuchAtom)
        } else if self.merges {
            Ok(Kind::Bare)
        } else {
            Err(ConvertErrorKind::SymbolLikeStrings)
        }
    }

    /// Whether a text can be written as a bare atom of the other syntax, and is.
    fn stands_bare(&self, text: &[u8]) -> bool {
        let to = self.to;
        let plain = |&byte: &u8| to.plain[byte as usize] && to.cont[byte as usize] == Cont::Atom;
        let Some(&first) = text.first() else { return false };
        if text.iter().all(plain) && to.plain_first(first) && to.start[first as usize] == Start::Atom {
            return true;
        }
        let leads = to.strings_are_apart && matches!(to.start[first as usize], Start::Lead(_));
        (leads || text.iter().all(|&byte| to.plain[byte as usize])) && decode::Machine::only_lexeme(to, text) == Some(Kind::Bare)
    }

    /// Leaves the character in the buffer, as the other syntax spells it.
    fn character(&mut self, text: &[u8]) -> Result<(), ConvertErrorKind> {
        let value = self.from.characters.and_then(|characters| characters.value(text)).ok_or(ConvertErrorKind::UnknownCharacter)?;
        let Some(characters) = self.to.characters else { return Err(ConvertErrorKind::NoCharacters) };
        let to = self.to;
        if characters.spell(value, &mut self.buffer, |text| decode::Machine::only_lexeme(to, text) == Some(Kind::Char)) {
            Ok(())
        } else {
            Err(ConvertErrorKind::NoSuchCharacter(value))
        }
    }

    /// Leaves the comment in the buffer, in the other syntax's delimiters.
    fn comment(&mut self, text: &[u8]) -> Result<(), ConvertErrorKind> {
        let inside =
            |syntax: &'static Syntax| syntax.block.as_ref().and_then(|block| text.strip_prefix(&block.open)?.strip_suffix(&block.close));
        self.buffer.clear();
        if let (Some(inside), Some(block)) = (inside(self.from), &self.to.block) {
            [&block.open[..], inside, &block.close].iter().for_each(|part| self.buffer.extend_from_slice(part));
        } else if let ((Some(own), own_twice), (Some(other), twice)) = (self.from.opens_line_comments(), self.to.opens_line_comments())
            && text.first() == Some(&own)
        {
            self.buffer.extend_from_slice(&[other, other][..1 + usize::from(twice)]);
            self.buffer.extend_from_slice(&text[1 + usize::from(own_twice)..]);
        }
        if decode::Machine::only_lexeme_in_line(self.to, &self.buffer) == Some(Kind::Comment) {
            Ok(())
        } else {
            Err(ConvertErrorKind::NoSuchComment)
        }
    }
}

/// Whether a name is that of a symbol wherever it can stand bare: it is not begun as a number, a keyword, a dot or something with a `#` is.
fn is_name(name: &[u8]) -> bool {
    match name {
        [] => false,
        [b'+' | b'-', rest @ ..] => !matches!(rest, [b'0'..=b'9' | b'.' | b'i' | b'I' | b'n' | b'N' | b'#', ..]),
        [first, ..] => !first.is_ascii_digit() && !b":#.@,\"'`".contains(first),
    }
}

impl Syntax {
    fn has_quotes_for(&self, kind: Kind) -> bool {
        self.quotes.iter().any(|quote| quote.kind == kind)
    }

    /// Whether a name can be written so that it is a symbol whatever is in it.
    fn has_symbols(&self) -> bool {
        self.has_quotes_for(Kind::Symbol) || self.cont.iter().any(|cont| matches!(cont, Cont::Escape | Cont::Bars))
    }

    fn has_symbols_named(&self, name: &[u8]) -> bool {
        let mut quotes = self.quotes.iter().filter(|quote| quote.kind == Kind::Symbol);
        match quotes.next() {
            Some(quote) => !quote.keeps_lead || name.len() > 1 && name.first().copied() == quote.after,
            None => self.has_symbols() && !name.is_empty() || self.cont.contains(&Cont::Bars),
        }
    }

    /// Whether a reader of the syntax takes a bare atom for a symbol of another name, and so a symbol of that name for another atom.
    fn takes_for_another(&self, text: &[u8]) -> bool {
        self.small_letters_are_capitals && text.iter().any(|byte| byte.is_ascii_lowercase() || !byte.is_ascii())
    }

    /// The symbol without a name, where it is written by itself.
    fn empty_symbol(&self) -> Option<[u8; 2]> {
        self.leads.iter().find_map(|lead| {
            let other = lead.next.iter().position(|&next| next == Next::BothEscaped)?;
            Some([lead.byte, other as u8])
        })
    }

    /// The byte that begins comments to the end of the line, and whether it has to be there twice.
    fn opens_line_comments(&self) -> (Option<u8>, bool) {
        let twice = self.line_comment.is_some_and(|byte| matches!(self.start[byte as usize], Start::Lead(_)));
        (self.line_comment, twice)
    }
}

/// What a lexeme has become: none, one or two, in the order in which they are to be encoded.
#[derive(Clone, Debug)]
pub struct Converted<'a> {
    lexemes: [Lexeme<'a>; 2],
    at: u8,
    len: u8,
}

impl<'a> Converted<'a> {
    #[inline]
    fn one(lexeme: Lexeme<'a>) -> Converted<'a> {
        Converted { lexemes: [lexeme; 2], at: 0, len: 1 }
    }

    fn two(one: Lexeme<'a>, other: Lexeme<'a>) -> Converted<'a> {
        Converted { lexemes: [one, other], at: 0, len: 2 }
    }

    fn none() -> Converted<'a> {
        Converted { lexemes: [Lexeme::open(); 2], at: 0, len: 0 }
    }
}

impl<'a> Iterator for Converted<'a> {
    type Item = Lexeme<'a>;

    #[inline]
    fn next(&mut self) -> Option<Lexeme<'a>> {
        if self.at == self.len {
            return None;
        }
        self.at += 1;
        Some(self.lexemes[self.at as usize - 1])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::from(self.len - self.at);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Converted<'_> {}

/// A lexeme that has no counterpart in the other syntax.
///
/// ```
/// use sexp_codec::{Converter, Kind, Lexeme, Syntax};
///
/// let mut converter = Converter::new(&Syntax::COMMONLISP, &Syntax::EDN);
/// let error = converter.convert(Lexeme::new(Kind::Prefix, b"#.")).unwrap_err();
/// assert_eq!(error.to_string(), "the other syntax has no prefix with this meaning");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConvertError {
    /// Why it has none.
    pub kind: ConvertErrorKind,
    /// Where it was read.
    pub span: Span,
}

/// Why a lexeme has no counterpart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConvertErrorKind {
    /// No prefix there means the same.
    NoSuchPrefix,
    /// No brackets there mean the same.
    NoSuchBracket,
    /// The dot of a pair, where a dot is an atom; or the other way round, where there is no way to write it.
    Dot,
    /// A symbol with an escape, which without it would be something else: a number, another symbol.
    SymbolLikeOthers,
    /// There is no way to write this atom.
    NoSuchAtom,
    /// A symbol that could only be written as a string.
    SymbolLikeStrings,
    /// A string, where all atoms are of one kind.
    StringLikeOtherAtoms,
    /// It is not known which character is meant.
    UnknownCharacter,
    /// There are no characters.
    NoCharacters,
    /// There is no way to write this character.
    NoSuchCharacter(char),
    /// There are no display hints.
    NoHints,
    /// What is to be filled in, or read by others, means something in its own syntax only.
    Template,
    /// No comment there can have this text.
    NoSuchComment,
}

impl fmt::Display for ConvertErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConvertErrorKind::NoSuchPrefix => "the other syntax has no prefix with this meaning",
            ConvertErrorKind::NoSuchBracket => "the other syntax has no brackets with this meaning",
            ConvertErrorKind::Dot => "a dot alone means something else in the other syntax",
            ConvertErrorKind::SymbolLikeOthers => {
                "without its escapes, which the other syntax does not have, this symbol would be something else"
            }
            ConvertErrorKind::NoSuchAtom => "the other syntax has no way to write this atom",
            ConvertErrorKind::SymbolLikeStrings => "the other syntax could write this symbol only as it writes strings",
            ConvertErrorKind::StringLikeOtherAtoms => "the other syntax does not tell strings from other atoms",
            ConvertErrorKind::UnknownCharacter => "it is not known which character this is",
            ConvertErrorKind::NoCharacters => "the other syntax has no characters",
            ConvertErrorKind::NoSuchCharacter(value) => {
                return write!(f, "the other syntax cannot write the character U+{:04X}", u32::from(*value));
            }
            ConvertErrorKind::NoHints => "the other syntax has no display hints",
            ConvertErrorKind::Template => "a template means something in its own syntax only",
            ConvertErrorKind::NoSuchComment => "the other syntax has no comment like this",
        })
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl core::error::Error for ConvertError {}
