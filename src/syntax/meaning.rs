//! What prefixes and brackets mean, so that another syntax can say the same: a row for each, in the table of a syntax.

/// What a prefix, or a bracket with or without a prefix before it, makes of what follows.
///
/// A syntax says it of its own in rows ([`Builder::meanings`](super::Builder::meanings)); a [`Converter`](crate::Converter) looks for the
/// row of the other syntax that says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Meaning {
    /// A list.
    List,
    /// A sequence of any data with an index: the `#( )` of Scheme and Common Lisp, the `[ ]` of Emacs Lisp, EDN and Clojure.
    Vector,
    /// A sequence of bytes given as numbers: `#u8( )`, `#vu8( )`.
    Bytes,
    /// A sequence of numbers of that type, as SRFI 4 names it: `#f64( )`.
    Numbers(&'static str),
    /// Keys and values in turn: `{ }`.
    Map,
    /// A set: `#{ }`.
    Set,
    /// `'`.
    Quote,
    /// `` ` ``.
    Quasiquote,
    /// `,`, in Clojure `~`.
    Unquote,
    /// `,@`, in Clojure `~@`.
    UnquoteSplicing,
    /// Scheme's `#'`.
    Syntax,
    /// Scheme's `` #` ``.
    Quasisyntax,
    /// Scheme's `#,`.
    Unsyntax,
    /// Scheme's `#,@`.
    UnsyntaxSplicing,
    /// The `#'` of Common Lisp and Emacs Lisp.
    Function,
    /// `#1=`, whose row leaves out the number. What refers to it, `#1#`, is a bare atom.
    Label,
    /// The tag of a datum, such as `#inst`, whose row has what stands before the name.
    Tag,
}

/// A row: the text of a prefix, of an opening bracket, or of both; and what that means.
pub(crate) type Row = (&'static str, Meaning);

impl super::Syntax {
    /// What an opening bracket means with that prefix directly before it, if that is known.
    pub(crate) fn meaning_of_bracket(&self, prefix: &[u8], open: u8) -> Option<Meaning> {
        let row = self.meanings.iter().find(|(text, _)| text.as_bytes().split_last() == Some((&open, prefix)));
        match row {
            Some(&(_, meaning)) => Some(meaning),
            None if prefix.is_empty() && open == self.pairs[0].0 => Some(Meaning::List),
            None => None,
        }
    }

    /// The row that says what a prefix means by itself, whatever follows it.
    pub(crate) fn row_of_prefix(&self, prefix: &[u8]) -> Option<Row> {
        self.meanings.iter().copied().find(|&(text, meaning)| {
            let text = text.as_bytes();
            match meaning {
                Meaning::Label => label(prefix).is_some_and(|(before, _, after)| text == [before, after]),
                Meaning::Tag => prefix.len() > text.len() && prefix.starts_with(text),
                _ => text == prefix,
            }
        })
    }

    /// Whether a prefix is one with the bracket after it, in a row.
    pub(crate) fn row_begins_with(&self, prefix: &[u8]) -> Option<&'static str> {
        let row = self.meanings.iter().find(|(text, _)| {
            text.as_bytes().split_last().is_some_and(|(last, before)| before == prefix && self.pair_opened_by(*last).is_some())
        });
        row.map(|(text, _)| &text[..text.len() - 1])
    }

    /// How the meaning is written: as the text, if that has it here too, else as the first row that has it.
    pub(crate) fn text_of(&self, meaning: Meaning, text: &str) -> Option<&'static str> {
        let rows = || self.meanings.iter().filter(|row| row.1 == meaning);
        rows().find(|row| row.0 == text).or_else(|| rows().next()).map(|row| row.0)
    }

    /// The number of the pair of brackets that a byte opens.
    pub(crate) fn pair_opened_by(&self, open: u8) -> Option<u8> {
        self.pairs[..self.pair_count].iter().position(|pair| pair.0 == open).map(|pair| pair as u8)
    }
}

/// A label without its number, which is there too: `#12=` is `#`, `12`, `=`.
pub(crate) fn label(prefix: &[u8]) -> Option<(u8, &[u8], u8)> {
    match prefix {
        [before, digits @ .., after] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => Some((*before, digits, *after)),
        _ => None,
    }
}

/// The prefixes of all Lisps but Clojure.
pub(super) const QUOTES: [Row; 4] =
    [("'", Meaning::Quote), ("`", Meaning::Quasiquote), (",", Meaning::Unquote), (",@", Meaning::UnquoteSplicing)];

/// Those of Scheme's macros.
pub(super) const SYNTAXES: [Row; 4] =
    [("#'", Meaning::Syntax), ("#`", Meaning::Quasisyntax), ("#,", Meaning::Unsyntax), ("#,@", Meaning::UnsyntaxSplicing)];

/// Vectors of numbers, as SRFI 4 has them.
pub(super) const NUMBERS: [Row; 11] = [
    ("#s8(", Meaning::Numbers("s8")),
    ("#u16(", Meaning::Numbers("u16")),
    ("#s16(", Meaning::Numbers("s16")),
    ("#u32(", Meaning::Numbers("u32")),
    ("#s32(", Meaning::Numbers("s32")),
    ("#u64(", Meaning::Numbers("u64")),
    ("#s64(", Meaning::Numbers("s64")),
    ("#f32(", Meaning::Numbers("f32")),
    ("#f64(", Meaning::Numbers("f64")),
    ("#c32(", Meaning::Numbers("c32")),
    ("#c64(", Meaning::Numbers("c64")),
];

/// Puts two tables together.
pub(super) const fn rows<const A: usize, const B: usize, const N: usize>(one: [Row; A], other: [Row; B]) -> [Row; N] {
    assert!(A + B == N, "as many rows as there are in both");
    let mut all = [("", Meaning::List); N];
    let mut i = 0;
    while i < N {
        all[i] = if i < A { one[i] } else { other[i - A] };
        i += 1;
    }
    all
}
