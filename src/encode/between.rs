//! What stands between two lexemes: what the first was, what may follow it, and what keeps them apart.

use super::Layout;
use super::indent::{Element, Gap};
use super::machine::Machine;
use super::spelling::{Follow, Spelling};
use crate::lexeme::Kind;
use crate::syntax::{Cont, Next, Start};

/// What was written last, as far as it matters to what comes next. For [short](super::short) lexemes, the bit of a kind in the number says whether a byte is
/// written before a lexeme of that kind: a space between bare atoms, and the opening quote of strings.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Last {
    /// A list start.
    Open = 0x08,
    /// Something that ends by itself.
    Whole = 0x18,
    /// A bare atom.
    Bare = 0x2c,
    /// A bare atom that is the first byte of a comment, and nothing else.
    Lead = 0x3c,
    /// A hint, which wants an atom.
    Hint = 0x48,
    /// A line end inside a list.
    LineEnd = 0x58,
    /// Nothing, or the line end after a form.
    Nothing = 0x68,
    /// A token that nothing but the end of a list may touch.
    Touchy = 0x78,
    /// A quoted atom, where not everything may touch it.
    Quoted = 0x88,
    /// A prefix.
    Prefix = 0x98,
}

impl Machine {
    /// What an atom is for the lexeme after it.
    pub(super) fn atom_becomes(&self, spelling: Spelling, len: u64, first: Option<&u8>) -> Last {
        let syntax = self.speller.syntax;
        match (spelling, first.map(|&first| syntax.start[first as usize])) {
            (Spelling::AsIs, Some(Start::Lead(_))) if !syntax.tags.is_empty() => Last::Touchy,
            (Spelling::AsIs, Some(Start::Lead(_))) if len == 1 => Last::Lead,
            (Spelling::AsIs, Some(Start::Dash | Start::Quote(_))) if len == 1 => Last::Touchy,
            _ if self.switching => Last::Touchy,
            (Spelling::AsIs, ..) if syntax.separators => Last::Quoted,
            (Spelling::AsIs, ..) => Last::Bare,
            (Spelling::Barred { .. } | Spelling::Escaped(_) | Spelling::HexEscaped(_), _) => Last::Touchy,
            (Spelling::Quoted(quote), _) if syntax.separators || quote.doubled => Last::Quoted,
            _ => Last::Whole,
        }
    }

    /// What has to stand between what was written last and a lexeme of that kind and first byte.
    #[inline]
    pub(super) fn separator(&self, kind: Kind, first: u8) -> &'static [u8] {
        let syntax = self.speller.syntax;
        if syntax.touchy
            && let Some(separator) = self.between_touchy(first)
            && (self.layout() != Layout::Indent || matches!(self.last, Last::Prefix | Last::Open))
        {
            return separator;
        }
        match (self.layout(), self.last) {
            (Layout::Compact | Layout::Lines, Last::Bare | Last::Lead) if syntax.cont[first as usize] != Cont::End => b" ",
            (Layout::Compact | Layout::Lines, Last::Lead)
                if syntax.leads.first().is_some_and(|lead| lead.next[first as usize] != Next::Atom) =>
            {
                b" "
            }
            (Layout::Compact | Layout::Lines, _) => b"",
            // All else is left to the indenter, but for what must not begin a line.
            (Layout::Indent, Last::Open | Last::Hint | Last::Prefix | Last::Nothing | Last::LineEnd) => b"",
            (Layout::Indent, _) if syntax.start[first as usize] == Start::FirstOnLine && kind != Kind::Comment => b" ",
            (Layout::Indent, _) => b"",
        }
    }

    /// What stands between what was written last and a lexeme of that kind and first byte, in the layout for people.
    pub(super) fn gap(&self, kind: Kind, bytes: &[u8], first: u8) -> Gap {
        let start = self.speller.syntax.start[first as usize];
        // A comment that begins with one byte more than it needs is a heading.
        let own_line = start == Start::FirstOnLine || start == Start::LineComment && bytes.get(1) == Some(&first);
        match self.last {
            Last::LineEnd => Gap::Written,
            Last::Nothing => Gap::Touch,
            _ if kind == Kind::Comment && own_line => Gap::Line,
            Last::Open | Last::Hint | Last::Prefix => Gap::Touch,
            _ if kind == Kind::Close || start == Start::FirstOnLine => Gap::Touch,
            _ => Gap::Blank,
        }
    }

    /// Whether that would be read as a comment where it is going to stand, at the start of a line.
    pub(super) fn would_be_a_comment(&self, spelling: Spelling, bytes: &[u8]) -> bool {
        matches!(spelling, Spelling::AsIs)
            && matches!(self.last, Last::Nothing | Last::LineEnd)
            && bytes.first().is_some_and(|&first| self.speller.syntax.start[first as usize] == Start::FirstOnLine)
    }

    /// Whether something with that first byte may follow the prefix that was written last.
    pub(super) fn may_follow(&self, first: u8) -> bool {
        let syntax = self.speller.syntax;
        match self.follow {
            Follow::Any | Follow::Delimiter => true,
            Follow::ListOrString => match syntax.start[first as usize] {
                Start::Quote(quote) => syntax.quotes[quote as usize].kind == Kind::String,
                start => start == Start::Open,
            },
            Follow::Lead(lead) => {
                let next = &syntax.leads[lead as usize].next;
                next[first as usize] == Next::PrefixBefore || next[b' ' as usize] == Next::PrefixBefore
            }
        }
    }

    /// What stands between a prefix and something with that first byte.
    fn after_prefix(&self, first: u8) -> &'static [u8] {
        let syntax = self.speller.syntax;
        let apart = match self.follow {
            Follow::Any => first == b'@',
            Follow::Delimiter => syntax.cont[first as usize] != Cont::End || syntax.start[first as usize] == Start::Char,
            Follow::ListOrString => false,
            Follow::Lead(lead) => syntax.leads[lead as usize].next[first as usize] != Next::PrefixBefore,
        };
        if apart { b" " } else { b"" }
    }

    /// What stands between tokens of which one does not like to be touched; none if others rules hold.
    #[inline(never)]
    fn between_touchy(&self, first: u8) -> Option<&'static [u8]> {
        let syntax = self.speller.syntax;
        let start = syntax.start[first as usize];
        let apart = match self.last {
            Last::Prefix => return Some(self.after_prefix(first)),
            Last::Touchy => start != Start::Close,
            Last::Quoted => {
                syntax.cont[first as usize] != Cont::End
                    || syntax.quotes.iter().any(|quote| quote.open == first && (syntax.separators || quote.doubled))
                    || start == Start::Dash
            }
            // Not every reader ends a name or a number there.
            Last::Bare => matches!(start, Start::Dash | Start::Char) || syntax.tags.iter().any(|tag| tag.first() == Some(&first)),
            Last::Whole => start == Start::Dash,
            Last::Open => {
                matches!(syntax.start[syntax.pairs[0].0 as usize], Start::Lead(lead) if syntax.leads[lead as usize].next[first as usize] != Next::Open)
            }
            _ => false,
        };
        apart.then_some(b" ")
    }
}

/// What a lexeme of that kind is to the layout for people.
pub(super) fn element(kind: Kind) -> Element {
    match kind {
        Kind::Open => Element::List,
        Kind::Close => Element::Close,
        Kind::Prefix | Kind::Hint => Element::Prefix,
        Kind::Comment => Element::Comment,
        _ => Element::Atom,
    }
}
