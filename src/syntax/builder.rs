//! Makes syntaxes out of rows, and finds contradictions in them.

use super::{AtomEscape, Block, Characters, Chars, Cont, Habit, Lead, Lengths, Meaning, Next, Quote, Start, Syntax, Text, Written, lead};
use crate::scan::classes::{self, Beside, Classes};

/// Makes a [`Syntax`], when the program is compiled.
///
/// Each call gives a meaning to bytes that have none yet; to give a byte two meanings is an error of compilation.
#[derive(Clone, Copy, Debug)]
pub struct Builder {
    syntax: Syntax,
    given: [bool; 256],
    /// Bytes that begin an atom and go on with none.
    alone: [bool; 256],
}

impl Builder {
    pub(super) const fn new(name: &'static str, about: &'static str) -> Builder {
        Builder {
            syntax: Syntax {
                name,
                about,
                start: [Start::Illegal; 256],
                cont: [Cont::End; 256],
                pairs: [(b'(', b')'); 3],
                pair_count: 0,
                quotes: &[],
                line_comment: None,
                return_ends_comments: false,
                leads: &[],
                block: None,
                tags: &[],
                atom_escape: AtomEscape::Any,
                escapes_in_bars: true,
                chars: Chars::Free,
                separators: false,
                may_touch: &[],
                wide_space: None,
                atoms_turn: false,
                looks_back: false,
                block_strings: false,
                base64_spaces: true,
                quote_switch: None,
                touchy: false,
                writes_at_once: true,
                writes_short: true,
                strings_are_apart: false,
                files: &[],
                meanings: &[],
                characters: None,
                dots: Some(false),
                small_letters_are_capitals: false,
                habit: Habit::new(),
                utf8: false,
                guard: None,
                lengths: None,
                hex: None,
                base64: None,
                hint: None,
                armour: None,
                byte_order_mark: false,
                bare: false,
                plain: [false; 256],
                quote_and_escape: None,
                classes: Classes::new([0; 256], Beside::NOTHING, &[], false),
            },
            given: [false; 256],
            alone: [false; 256],
        }
    }

    /// Gives a byte its meaning between lexemes; inside a bare atom it ends it.
    const fn give(mut self, byte: u8, start: Start) -> Builder {
        assert!(!self.given[byte as usize], "a byte of the syntax has two meanings");
        self.given[byte as usize] = true;
        self.syntax.start[byte as usize] = start;
        self
    }

    /// Makes a byte part of bare atoms.
    const fn atom(mut self, byte: u8) -> Builder {
        self.syntax.bare = true;
        self.syntax.plain[byte as usize] = true;
        if self.alone[byte as usize] {
            return self;
        }
        self.syntax.cont[byte as usize] = Cont::Atom;
        self.syntax.plain[byte as usize] = true;
        if !self.given[byte as usize] {
            self.given[byte as usize] = true;
            self.syntax.start[byte as usize] = Start::Atom;
        }
        self
    }

    /// These bytes are white space.
    pub const fn spaces(mut self, bytes: &[u8]) -> Builder {
        let mut i = 0;
        while i < bytes.len() {
            self = self.give(bytes[i], Start::Space);
            i += 1;
        }
        self
    }

    /// A carriage return is white space before a line feed, and an error elsewhere, line comments included.
    pub const fn return_needs_line_feed(self) -> Builder {
        self.give(b'\r', Start::Return)
    }

    /// These bytes delimit lists. There may be up to three such pairs, whose brackets must then match.
    pub const fn list(mut self, open: u8, close: u8) -> Builder {
        assert!(self.syntax.pair_count < 3, "more than three pairs of brackets");
        self.syntax.pairs[self.syntax.pair_count] = (open, close);
        self.syntax.pair_count += 1;
        // A bracket may be the lead of something else.
        if !self.given[open as usize] {
            self = self.give(open, Start::Open);
        }
        self.give(close, Start::Close)
    }

    /// Each of these bytes is a prefix of the datum after it, such as `'`. Inside a bare atom it ends it.
    pub const fn prefixes(mut self, bytes: &[u8]) -> Builder {
        let mut i = 0;
        while i < bytes.len() {
            self = self.give(bytes[i], Start::Prefix);
            i += 1;
        }
        self
    }

    /// Bytes whose meaning the byte after them decides. Inside a bare atom they end it, unless [`atoms`](Builder::atoms) names them.
    pub const fn leads(mut self, leads: &'static [Lead]) -> Builder {
        self.syntax.leads = leads;
        let mut i = 0;
        while i < leads.len() {
            self = self.give(leads[i].byte, Start::Lead(i as u8));
            i += 1;
        }
        self
    }

    /// The delimiters of the block comment that a [`Lead`] begins, such as `#|` and `|#`. It nests; with `strings`, strings in it are read
    /// as strings, in which delimiters mean nothing.
    pub const fn block_comment(mut self, open: [u8; 2], close: [u8; 2], strings: bool) -> Builder {
        self.syntax.block = Some(Block { open, close, strings });
        self
    }

    /// Neither delimiter of the block comment may stand inside a bare atom, where its bytes belong.
    pub const fn guard_block_comment(mut self) -> Builder {
        if let Some(Block { open: [one, other], .. }) = self.syntax.block {
            self = self.atom(one).atom(other);
            self.syntax.guard = Some((one, other));
            self.syntax.cont[one as usize] = Cont::Guard;
            self.syntax.cont[other as usize] = Cont::Guard;
        }
        self
    }

    /// Tokens that are prefixes where a list or string follows directly, such as `#u8`. The digits after the first byte (or two, if the
    /// second is no letter) are to be left out: `#A` is for `#2A`, too.
    pub const fn tags(mut self, tags: &'static [&'static [u8]]) -> Builder {
        self.syntax.tags = tags;
        self
    }

    /// Such a byte begins a character: any code point after it, and then what may be in an atom.
    pub const fn characters(self, byte: u8) -> Builder {
        self.give(byte, Start::Char)
    }

    /// In a bare atom such a byte escapes the one after it.
    pub const fn escape_in_atoms(mut self, byte: u8) -> Builder {
        self.syntax.cont[byte as usize] = Cont::Escape;
        self.give(byte, Start::Escape)
    }

    /// In a bare atom such a byte begins and ends a part in which anything may stand.
    pub const fn bars_in_atoms(mut self, byte: u8) -> Builder {
        self.syntax.cont[byte as usize] = Cont::Bars;
        self.give(byte, Start::Bars)
    }

    /// How escapes in bare atoms are written.
    pub(crate) const fn escapes_in_atoms_are(mut self, escape: AtomEscape) -> Builder {
        self.syntax.atom_escape = escape;
        self
    }

    /// Between bars there are no escapes.
    pub const fn no_escapes_in_bars(mut self) -> Builder {
        self.syntax.escapes_in_bars = false;
        self
    }

    /// What may follow a character.
    pub(crate) const fn characters_are(mut self, chars: Chars) -> Builder {
        self.syntax.chars = chars;
        self
    }

    /// What belongs to atoms may nevertheless follow a character directly.
    pub(crate) const fn may_touch(mut self, bytes: &'static [u8]) -> Builder {
        self.syntax.may_touch = bytes;
        self
    }

    /// These two bytes are a space, though the first has a [`Lead`] and belongs to atoms where the second does not follow.
    pub(crate) const fn wide_space(mut self, bytes: [u8; 2]) -> Builder {
        self = self.atom(bytes[0]);
        self.syntax.cont[bytes[0] as usize] = Cont::WideSpace;
        self.syntax.wide_space = Some(bytes);
        self
    }

    /// What stands in strings and comments must be UTF-8: bytes that are not are an error. What escapes stand for need not be.
    pub const fn utf8(mut self) -> Builder {
        self.syntax.utf8 = true;
        self
    }

    /// Atoms and strings must not touch each other.
    pub const fn separators(mut self) -> Builder {
        self.syntax.separators = true;
        self
    }

    /// These bytes may stand nowhere but in quotes and comments.
    pub const fn illegal(mut self, bytes: &[u8]) -> Builder {
        let mut i = 0;
        while i < bytes.len() {
            self = self.give(bytes[i], Start::Illegal);
            i += 1;
        }
        self
    }

    /// Such a byte begins an atom, and ends one that has begun.
    pub const fn begins_atoms(mut self, byte: u8) -> Builder {
        self = self.give(byte, Start::Atom);
        self.alone[byte as usize] = true;
        self
    }

    /// Where such a byte is the first of a line but for blanks, it opens a comment to the end of the line.
    pub const fn comment_at_line_start(mut self, byte: u8) -> Builder {
        self.syntax.line_comment = Some(byte);
        self.syntax.looks_back = true;
        self.give(byte, Start::FirstOnLine).atom(byte)
    }

    /// A comment to the end of the line begins with two of this byte, which is a [`Lead`].
    pub const fn line_comment_by_lead(mut self, byte: u8) -> Builder {
        self.syntax.line_comment = Some(byte);
        self
    }

    /// After this atom the next byte is one, too, and from then on its quotes, if it opens any, are the only ones. Before, the first are.
    pub(crate) const fn quote_switch(mut self, atom: &'static [u8]) -> Builder {
        self.syntax.quote_switch = Some(atom);
        self
    }

    /// Directly after another token such a byte is an atom of its own.
    pub(crate) const fn dash(mut self, byte: u8) -> Builder {
        self.syntax.looks_back = true;
        self.give(byte, Start::Dash).atom(byte)
    }

    /// A bare atom with a variable `%{name}` in it is a template.
    pub(crate) const fn variables(mut self) -> Builder {
        self = self.atom(b'%');
        self.syntax.cont[b'%' as usize] = Cont::Variable;
        self.syntax.start[b'%' as usize] = Start::Variable;
        self
    }

    /// A string may be written as a block of lines, each of which begins with `"\|` or `"\>`.
    pub(crate) const fn block_strings(mut self) -> Builder {
        self.syntax.block_strings = true;
        self
    }

    /// A length may not begin with 0, not even to be 0.
    pub(crate) const fn lengths_without_zero(mut self) -> Builder {
        if let Some(lengths) = &mut self.syntax.lengths {
            lengths.zero = false;
            lengths.checked = false;
        }
        self
    }

    /// Base64 holds no white space.
    pub(crate) const fn base64_without_spaces(mut self) -> Builder {
        self.syntax.base64_spaces = false;
        self
    }

    /// Line comments end at a carriage return, too.
    pub const fn return_ends_comments(mut self) -> Builder {
        self.syntax.return_ends_comments = true;
        self
    }

    /// Strings mean something else than bare atoms: an atom that cannot be written bare is not written as a string.
    pub const fn strings_are_apart(mut self) -> Builder {
        self.syntax.strings_are_apart = true;
        self
    }

    /// What prefixes and opening brackets mean, for a [`Converter`](crate::Converter): each row has the text of a prefix, of a bracket, or of
    /// both. A meaning that has several rows is written as the first of them. The first pair of brackets is of lists, if no row says otherwise.
    ///
    /// ```
    /// use sexp_codec::{Meaning, Syntax};
    ///
    /// static MINE: Syntax = Syntax::builder("mine", "lists, vectors and '")
    ///     .spaces(b" \t\r\n")
    ///     .list(b'(', b')')
    ///     .list(b'[', b']')
    ///     .prefixes(b"'")
    ///     .meanings(&[("[", Meaning::Vector), ("'", Meaning::Quote)])
    ///     .other_bytes_are_atoms()
    ///     .build();
    /// # let _ = &MINE;
    /// ```
    pub const fn meanings(mut self, rows: &'static [(&'static str, Meaning)]) -> Builder {
        self.syntax.meanings = rows;
        self
    }

    /// How the characters that the syntax has are spelled, for a [`Converter`](crate::Converter).
    pub const fn spells_characters(mut self, characters: &'static Characters) -> Builder {
        self.syntax.characters = Some(characters);
        self
    }

    /// A lone dot in a list belongs to a pair, such as `(a . b)`, and is no atom. Without this call it is one like any other.
    pub const fn pairs_have_dots(mut self) -> Builder {
        self.syntax.dots = Some(true);
        self
    }

    /// Whether a lone dot belongs to a pair is left to the reader above.
    pub(crate) const fn dots_are_left_open(mut self) -> Builder {
        self.syntax.dots = None;
        self
    }

    /// A reader takes the small letters of a bare atom for capitals, unless they are escaped.
    pub const fn small_letters_are_capitals(mut self) -> Builder {
        self.syntax.small_letters_are_capitals = true;
        self
    }

    /// Files with these names, or names that end so if there is a dot first, hold it.
    pub const fn files(mut self, files: &'static [&'static str]) -> Builder {
        self.syntax.files = files;
        self
    }

    /// How people lay it out.
    pub const fn habit(mut self, habit: Habit) -> Builder {
        self.syntax.habit = habit;
        self
    }

    /// These bytes, from the first to the second of each pair, make bare atoms. One that has a meaning between lexemes already keeps
    /// it there, and belongs to an atom once that has begun.
    pub const fn atoms(mut self, ranges: &[(u8, u8)]) -> Builder {
        let mut i = 0;
        while i < ranges.len() {
            let mut byte = ranges[i].0 as usize;
            while byte <= ranges[i].1 as usize {
                self = self.atom(byte as u8);
                byte += 1;
            }
            i += 1;
        }
        self
    }

    /// All bytes without a meaning so far make bare atoms.
    pub const fn other_bytes_are_atoms(mut self) -> Builder {
        let mut byte = 0;
        while byte < 256 {
            if !self.given[byte] {
                self = self.atom(byte as u8);
            }
            byte += 1;
        }
        self
    }

    /// Strings and the like: what is written in quotes.
    pub const fn quotes(mut self, quotes: &'static [Quote]) -> Builder {
        self.syntax.quotes = quotes;
        let mut i = 0;
        while i < quotes.len() {
            if quotes[i].after.is_none() && !self.given[quotes[i].open as usize] {
                self = self.give(quotes[i].open, Start::Quote(i as u8));
            }
            i += 1;
        }
        self
    }

    /// A comment from this byte to the end of the line.
    pub const fn line_comment(mut self, byte: u8) -> Builder {
        self.syntax.line_comment = Some(byte);
        self.give(byte, Start::LineComment)
    }

    /// Octets may be counted: digits, a colon, and that many octets. With `before_others`, a length may also stand before a string,
    /// hexadecimal and base64 octets, and is checked. (RFC 9804, sections 4.1, 4.2, 4.4 and 4.5.)
    pub const fn lengths(mut self, before_others: bool) -> Builder {
        self.syntax.lengths = Some(Lengths { leading_zeros: false, before_others, checked: true, zero: true });
        let mut digit = b'0';
        while digit <= b'9' {
            self = self.give(digit, Start::Length);
            digit += 1;
        }
        self
    }

    /// Octets may be written in hexadecimal between two of this byte. (RFC 9804, section 4.4.)
    pub const fn hex(mut self, delimiter: u8) -> Builder {
        self.syntax.hex = Some(delimiter);
        self.give(delimiter, Start::Hex)
    }

    /// Octets may be written in base64 between two of this byte. (RFC 9804, section 4.5.)
    pub const fn base64(mut self, delimiter: u8) -> Builder {
        self.syntax.base64 = Some(delimiter);
        self.give(delimiter, Start::Base64)
    }

    /// An atom may have a display hint before it, between these bytes. (RFC 9804, section 4.6.)
    pub const fn hints(mut self, open: u8, close: u8) -> Builder {
        self.syntax.hint = Some((open, close));
        self.give(open, Start::Hint)
    }

    /// At the top level a whole form may be written in base64 between these bytes. (RFC 9804, section 6.1.)
    pub const fn armour(mut self, open: u8, close: u8) -> Builder {
        self.syntax.armour = Some((open, close));
        self.give(open, Start::Armour)
    }

    /// A byte order mark (EF BB BF) at the very start of the input is skipped.
    pub const fn byte_order_mark(mut self) -> Builder {
        self.syntax.byte_order_mark = true;
        self
    }

    /// These bytes, from the first to the second of each pair, are read in bare atoms, but an atom that has one is written in quotes.
    pub const fn quote_when_written(mut self, ranges: &[(u8, u8)]) -> Builder {
        let mut i = 0;
        while i < ranges.len() {
            let mut byte = ranges[i].0 as usize;
            while byte <= ranges[i].1 as usize {
                self.syntax.plain[byte] = false;
                byte += 1;
            }
            i += 1;
        }
        self
    }

    /// The syntax.
    ///
    /// # Panics
    ///
    /// Where the parts contradict each other; in a `const` or `static` that is an error of compilation.
    pub const fn build(mut self) -> Syntax {
        let mut flags = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            flags[byte] = self.flags(byte);
            if matches!(self.syntax.cont[byte], Cont::Escape | Cont::Bars | Cont::Variable) {
                self.syntax.atoms_turn = true;
            }
            byte += 1;
        }
        self.check_leads_that_are_no_atoms();
        self.syntax.atoms_turn |= self.syntax.quote_switch.is_some();
        let doubled = matches!(self.syntax.quotes, [first, ..] if first.doubled);
        let lead_opens = !matches!(self.syntax.start[self.syntax.pairs[0].0 as usize], Start::Open);
        let dash = self.syntax.has_start(Start::Dash);
        self.syntax.writes_at_once = !(lead_opens || dash || self.syntax.quote_switch.is_some());
        self.syntax.writes_short = self.syntax.writes_at_once && self.syntax.pair_count == 1 && !(self.syntax.separators || doubled);
        self.syntax.touchy = self.syntax.atoms_turn
            || self.syntax.separators
            || doubled
            || lead_opens
            || dash
            || !self.syntax.tags.is_empty()
            || self.syntax.has_start(Start::Char)
            || self.syntax.has_start(Start::Prefix);
        let indexable = self.syntax.bare && self.is_plain_enough();
        let pairs = self.syntax.pairs.split_at(self.syntax.pair_count).0;
        self.syntax.classes = Classes::new(flags, self.beside(), pairs, indexable);
        if let [first, ..] = self.syntax.quotes
            && first.is_plain_but_for(first.close, first.lead)
        {
            self.syntax.quote_and_escape = Some((first.close, first.lead));
        }
        self.syntax
    }

    /// What is no atom at the end of the input is none before what ends an atom, either.
    const fn check_leads_that_are_no_atoms(&self) {
        let mut lead = 0;
        while lead < self.syntax.leads.len() {
            let Lead { alone, next, .. } = &self.syntax.leads[lead];
            let mut byte = 0;
            while byte < 256 && matches!(alone, Next::Illegal) {
                let ends = matches!(self.syntax.cont[byte], Cont::End) && matches!(next[byte], Next::Atom);
                assert!(!ends, "a lead that is no atom at the end of the input is one before a byte that ends atoms");
                byte += 1;
            }
            lead += 1;
        }
    }

    /// Whether what the scanner takes for plain lexemes is so, if what stands beside it is as it has to be.
    const fn is_plain_enough(&self) -> bool {
        let quotes = match self.syntax.quotes {
            [] => true,
            [first, ..] => first.second.is_none() && matches!(first.written, Written::Never | Written::WithVariable),
        };
        quotes && self.syntax.quote_switch.is_none()
    }

    /// What has to stand beside plain lexemes.
    const fn beside(&self) -> Beside {
        const fn all(condition: bool) -> u64 {
            if condition { !0 } else { 0 }
        }
        let syntax = &self.syntax;
        let (in_atoms, doubled) = match syntax.quotes {
            [first, ..] => (!matches!(syntax.cont[first.open as usize], Cont::End), first.doubled),
            [] => (false, false),
        };
        let mut beside = Beside::NOTHING;
        beside.quote_after_atom = all(in_atoms || syntax.separators);
        beside.quote_after_string = all(doubled || syntax.separators);
        beside.atom_after_string = all(syntax.separators);
        let mut i = 0;
        while i < syntax.leads.len() {
            match self.usually(&syntax.leads[i]) {
                Some(Next::Open) => beside.second_after_open = !0,
                Some(Next::PrefixBefore) => beside.second_after_prefix = !0,
                Some(_) if self.counts_seconds(&syntax.leads[i]) > 0 => beside.second_after_first = !0,
                _ => {}
            }
            i += 1;
        }
        beside
    }

    /// What a lead is, but before few bytes, if the scanner knows it: the start of a list, a prefix, or the first byte of an atom.
    const fn usually(&self, lead: &Lead) -> Option<Next> {
        let in_atoms = matches!(self.syntax.cont[lead.byte as usize], Cont::Atom);
        match lead.alone {
            Next::Open | Next::PrefixBefore if !in_atoms => Some(lead.alone),
            Next::Atom if in_atoms && self.counts_seconds(lead) <= 1 => Some(Next::Atom),
            _ => None,
        }
    }

    /// How many bytes make something else of the lead, but for a quote that the scanner does not pass after an atom.
    const fn counts_seconds(&self, lead: &Lead) -> usize {
        let (mut count, mut byte) = (0, 0);
        while byte < 256 {
            count += self.is_second(lead, byte) as usize;
            byte += 1;
        }
        count
    }

    const fn is_second(&self, lead: &Lead, byte: usize) -> bool {
        let quote = self.syntax.separators && matches!(self.syntax.start[byte], Start::Quote(0));
        !(lead::same(lead.next[byte], lead.alone) || quote && matches!(lead.alone, Next::Atom))
    }

    const fn flags(&self, byte: usize) -> u8 {
        let syntax = &self.syntax;
        let in_atoms = !matches!(syntax.cont[byte], Cont::End);
        // Where nothing else is said the machine is needed: for the first byte of an atom, or for any.
        let machine = match syntax.cont[byte] {
            Cont::Atom | Cont::Guard => classes::STOP_FIRST,
            Cont::End | Cont::Escape | Cont::Bars | Cont::Variable | Cont::WideSpace => classes::STOP,
        };
        let of_first_pair = syntax.pairs[0].0 as usize == byte || syntax.pairs[0].1 as usize == byte;
        let mut flags = match syntax.start[byte] {
            Start::Atom if !in_atoms => classes::STOP,
            Start::Space | Start::Atom => 0,
            Start::Open if of_first_pair => classes::OPEN,
            Start::Open => classes::OTHER_OPEN,
            Start::Close if of_first_pair => classes::CLOSE,
            Start::Close => classes::OTHER_CLOSE,
            Start::Quote(0) if syntax.quotes[0].open == syntax.quotes[0].close => classes::QUOTE,
            Start::Prefix if !in_atoms => classes::PREFIX,
            Start::Lead(lead) => match self.usually(&syntax.leads[lead as usize]) {
                Some(Next::Open) => classes::OPEN,
                Some(Next::PrefixBefore) => classes::PREFIX,
                Some(_) => 0,
                None => machine,
            },
            _ => machine,
        };
        if in_atoms {
            assert!(flags & (classes::OPEN | classes::CLOSE) == 0, "a delimiter inside bare atoms");
            flags |= classes::ATOM;
        }
        if !matches!(syntax.cont[byte], Cont::Atom | Cont::Guard | Cont::End) {
            flags |= classes::STOP;
        }
        if let Some((_, second)) = syntax.guard
            && second as usize == byte
        {
            flags |= classes::STOP;
        }
        let mut i = 0;
        while i < syntax.leads.len() {
            if self.usually(&syntax.leads[i]).is_some() && self.is_second(&syntax.leads[i], byte) {
                flags |= classes::SECOND;
            }
            i += 1;
        }
        if !syntax.quotes.is_empty() && (!matches!(syntax.quotes[0].text[byte], Text::Plain | Text::Close) || syntax.utf8 && byte >= 0x80) {
            flags |= classes::STOP_IN_STRING;
        }
        flags
    }
}
