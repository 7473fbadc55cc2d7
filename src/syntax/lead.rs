//! Bytes whose meaning the byte after them decides: `#` in Lisp and Scheme, `(` and `;` in WebAssembly, `,` before `@`.

/// What a lead byte and the byte after it are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The lead begins a bare atom; the byte after it is looked at as any in an atom.
    Atom,
    /// The lead begins a bare atom that is a prefix where a list or a string follows directly, if its text is among the tags.
    Tag,
    /// The lead begins a token that is a prefix, whatever follows.
    Name,
    /// The lead by itself is a prefix; the byte after it is looked at anew.
    PrefixBefore,
    /// Both are a prefix.
    Prefix,
    /// Both are a prefix, and an `@` after them belongs to it.
    PrefixAt,
    /// The lead by itself is a bare atom; the byte after it is looked at anew.
    Alone,
    /// Both are a bare atom, whole.
    Both,
    /// Both are a bare atom with an escape in it, whole.
    BothEscaped,
    /// The lead is followed by digits: a label, or a token as with `Tag`.
    Digits,
    /// Both begin a character.
    Char,
    /// Both open the quotes of that number.
    Quote(u8),
    /// Both open a block comment.
    Block,
    /// Both begin a datum comment.
    Datum,
    /// Both begin a comment to the end of the line.
    Line,
    /// Both begin a directive: a word that counts as a comment.
    Directive,
    /// Both begin a directive where a letter follows, else a comment up to them turned round.
    Script,
    /// Both begin a directive where a letter follows, else a comment to the end of the line.
    Header,
    /// Both are a space.
    Space,
    /// Both are followed by the number of bytes to be skipped.
    Skip,
    /// Both open an annotation where the byte after them can begin its name.
    Annotation,
    /// The first line of a here-string, if the same byte follows again.
    Here,
    /// The lead starts a list.
    Open,
    /// The lead cannot be followed by this byte.
    Illegal,
}

impl Next {
    /// Whether nothing of it can be a datum, or begin or close one.
    pub(crate) const fn is_comment(self) -> bool {
        matches!(
            self,
            Next::Block
                | Next::Datum
                | Next::Line
                | Next::Directive
                | Next::Script
                | Next::Header
                | Next::Skip
                | Next::Space
                | Next::Annotation
        )
    }

    /// Whether the byte after the lead belongs to it for certain.
    pub(crate) const fn takes_both(self) -> bool {
        !matches!(self, Next::Atom | Next::Tag | Next::Name | Next::PrefixBefore | Next::Alone | Next::Digits | Next::Open | Next::Illegal)
    }
}

/// A byte whose meaning the byte after it decides.
///
/// ```
/// use sexp_codec::{Lead, Syntax};
///
/// // Scheme's vectors, characters and comments.
/// const HASH: Lead = Lead::new(b'#').prefix_before(b"(").characters(b"\\").block_comment(b'|').datum_comment(b';');
/// static MINE: Syntax = Syntax::builder("mine", "a little Scheme")
///     .spaces(b" \t\r\n")
///     .list(b'(', b')')
///     .prefixes(b"'`")
///     .leads(&[HASH, Lead::new(b',').alone_a_prefix().prefixes(b"@")])
///     .block_comment([b'#', b'|'], [b'|', b'#'], false)
///     .other_bytes_are_atoms()
///     .build();
/// # use sexp_codec::nonblocking::{Decode, Decoder};
/// # use sexp_codec::{Kind, Lexeme};
/// let mut decoder = Decoder::new(&MINE);
/// let mut input = decoder.feed(b",@x #\\( ");
/// assert!(matches!(input.decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::new(Kind::Prefix, b",@")));
/// assert!(matches!(input.decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::bare(b"x")));
/// assert!(matches!(input.decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::new(Kind::Char, b"#\\(")));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lead {
    pub(crate) byte: u8,
    pub(crate) next: [Next; 256],
    /// What it is at the end of the input.
    pub(crate) alone: Next,
}

impl Lead {
    /// A byte that begins an atom, whatever follows it.
    pub const fn new(byte: u8) -> Lead {
        Lead { byte, next: [Next::Atom; 256], alone: Next::Atom }
    }

    /// Before any byte that is not named otherwise, and at the end, it is that.
    pub(crate) const fn otherwise(mut self, next: Next) -> Lead {
        let was = self.alone;
        let mut byte = 0;
        while byte < 256 {
            if same(self.next[byte], was) {
                self.next[byte] = next;
            }
            byte += 1;
        }
        self.alone = next;
        self
    }

    /// Before one of these bytes it is that.
    pub(crate) const fn before(mut self, bytes: &[u8], next: Next) -> Lead {
        let mut i = 0;
        while i < bytes.len() {
            self.next[bytes[i] as usize] = next;
            i += 1;
        }
        self
    }

    /// Before one of these bytes it begins an atom.
    pub const fn atoms_before(self, bytes: &[u8]) -> Lead {
        self.before(bytes, Next::Atom)
    }

    /// Where nothing else is said, it is a prefix by itself, such as `,`.
    pub const fn alone_a_prefix(self) -> Lead {
        self.otherwise(Next::PrefixBefore)
    }

    /// Before one of these bytes it is a prefix by itself, such as `#` in `#(a b)`.
    pub const fn prefix_before(self, bytes: &[u8]) -> Lead {
        self.before(bytes, Next::PrefixBefore)
    }

    /// With one of these bytes it is a prefix, such as `#'`.
    pub const fn prefixes(self, bytes: &[u8]) -> Lead {
        self.before(bytes, Next::Prefix)
    }

    /// With one of these bytes it is a prefix, to which an `@` belongs that follows, such as `#,@`.
    pub const fn prefixes_with_at(self, bytes: &[u8]) -> Lead {
        self.before(bytes, Next::PrefixAt)
    }

    /// With one of these bytes it begins a token that is a prefix where a list or string follows directly and the token is among the
    /// [tags](super::Builder::tags), such as `#u8` in `#u8(1 2)`.
    pub const fn tags(self, bytes: &[u8]) -> Lead {
        self.before(bytes, Next::Tag)
    }

    /// With one of these bytes it begins a token that is a prefix, whatever follows, such as `#inst`.
    pub const fn names(self, bytes: &[u8]) -> Lead {
        self.before(bytes, Next::Name)
    }

    /// Followed by digits it is a label: `#1=` is a prefix, `#1#` an atom. Followed by digits and something else, it begins a token as
    /// with [`tags`](Lead::tags).
    pub const fn labels(self) -> Lead {
        self.before(b"0123456789", Next::Digits)
    }

    /// With one of these bytes it begins a character: any one code point follows, and then whatever may be in an atom.
    pub const fn characters(self, bytes: &[u8]) -> Lead {
        self.before(bytes, Next::Char)
    }

    /// With this byte it opens the quotes of that number. They must not be opened by a byte of their own.
    pub const fn quotes(self, byte: u8, number: u8) -> Lead {
        self.before(&[byte], Next::Quote(number))
    }

    /// With this byte it opens a block comment; see [`Builder::block_comment`](super::Builder::block_comment).
    pub const fn block_comment(self, byte: u8) -> Lead {
        self.before(&[byte], Next::Block)
    }

    /// With this byte it is a datum comment: the next datum is dropped.
    pub const fn datum_comment(self, byte: u8) -> Lead {
        self.before(&[byte], Next::Datum)
    }

    /// With one of these bytes it begins a comment to the end of the line.
    pub const fn line_comments(self, bytes: &[u8]) -> Lead {
        self.before(bytes, Next::Line)
    }

    /// With this byte and the word after it, it is a directive, which counts as a comment, such as `#!fold-case`.
    pub const fn directives(self, byte: u8) -> Lead {
        self.before(&[byte], Next::Directive)
    }

    /// It cannot be the last byte of the input.
    pub const fn illegal_at_the_end(mut self) -> Lead {
        self.alone = Next::Illegal;
        self
    }

    /// It cannot be followed by one of these bytes.
    pub const fn illegal_before(self, bytes: &[u8]) -> Lead {
        self.before(bytes, Next::Illegal)
    }

    /// Where nothing else is said, it is an error.
    pub const fn else_illegal(self) -> Lead {
        self.otherwise(Next::Illegal)
    }
}

/// Whether two rows say the same, as far as it can be that of most bytes.
pub(super) const fn same(one: Next, other: Next) -> bool {
    matches!(
        (one, other),
        (Next::Atom, Next::Atom)
            | (Next::Tag, Next::Tag)
            | (Next::PrefixBefore, Next::PrefixBefore)
            | (Next::Illegal, Next::Illegal)
            | (Next::Open, Next::Open)
    )
}
