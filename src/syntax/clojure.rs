//! EDN and Clojure.

use super::meaning::rows;
use super::{Habit, Lead, Meaning, Number, Quote, Row, Syntax, UnknownEscape, characters};

const STRING: Quote = Quote::string(b'"')
    .escape_with(b'\\')
    .escapes(&[(b't', b'\t'), (b'r', b'\r'), (b'n', b'\n'), (b'b', 0x08), (b'f', 0x0c)])
    .number(Number::Unicode4)
    .number(Number::OctalCode);

/// A regular expression is delivered as written: its escapes are its own.
const REGEX: Quote = Quote::string(b'"').after(b'#').escape_with(b'\\').unknown(UnknownEscape::KeepBoth).as_written();

const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

const HASH: Lead = Lead::new(b'#').else_illegal().atoms_before(b"#").names(LETTERS).names(b":").prefix_before(b"{").datum_comment(b'_');

const HASH_CLOJURE: Lead = HASH.prefixes(b"'^=").prefixes_with_at(b"?").prefix_before(b"(").quotes(b'"', 1).line_comments(b"!");

const MEANINGS: [Row; 5] = [("(", Meaning::List), ("[", Meaning::Vector), ("{", Meaning::Map), ("#{", Meaning::Set), ("#", Meaning::Tag)];
const MEANINGS_CLOJURE: [Row; 9] =
    rows([("'", Meaning::Quote), ("`", Meaning::Quasiquote), ("~", Meaning::Unquote), ("~@", Meaning::UnquoteSplicing)], MEANINGS);

const TILDE: Lead = Lead::new(b'~').alone_a_prefix().prefixes(b"@");

const SPACES: &[u8] = b" \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f,";

impl Syntax {
    /// EDN. Source: its specification; for what that leaves open, Clojure's `EdnReader`.
    ///
    /// `,` is white space. `#{` is the prefix `#` and a list; `#inst` and other tags are prefixes; `#_` drops the next datum, with its tag;
    /// `\a` and `\newline` are characters.
    ///
    /// Left to the reader above: numbers, keywords, what a tag means. A number does not end at `#` as it does in Clojure. White space
    /// beyond ASCII belongs to atoms.
    pub const EDN: Syntax = Syntax::builder("edn", "EDN, extensible data notation")
        .spaces(SPACES)
        .list(b'(', b')')
        .list(b'[', b']')
        .list(b'{', b'}')
        .illegal(b"@~`^")
        .quotes(&[STRING])
        .line_comment(b';')
        .return_ends_comments()
        .leads(&[HASH])
        .characters(b'\\')
        .atoms(&[(b'#', b'#')])
        .other_bytes_are_atoms()
        .meanings(&MEANINGS)
        .spells_characters(&characters::EDN)
        .strings_are_apart()
        .byte_order_mark()
        .files(&[".edn"])
        .habit(Habit::new().steps(1).lists_follow_atoms())
        .build();

    /// Clojure's code: EDN and the reader's macros. Source: Clojure's `LispReader`.
    ///
    /// Prefixes are `'`, `` ` ``, `~`, `~@`, `@`, `^`, `#'`, `#^`, `#=`, `#?`, `#?@` and the `#` of sets and functions. A regular expression
    /// `#"\d+"` is a [template](crate::Kind::Template), as written.
    pub const CLOJURE: Syntax = Syntax::builder("clojure", "Clojure")
        .spaces(SPACES)
        .list(b'(', b')')
        .list(b'[', b']')
        .list(b'{', b'}')
        .quotes(&[STRING, REGEX])
        .line_comment(b';')
        .return_ends_comments()
        .prefixes(b"'`@^")
        .leads(&[HASH_CLOJURE, TILDE])
        .characters(b'\\')
        .atoms(&[(b'#', b'#'), (b'\'', b'\'')])
        .other_bytes_are_atoms()
        .meanings(&MEANINGS_CLOJURE)
        .spells_characters(&characters::EDN)
        .strings_are_apart()
        .byte_order_mark()
        .files(&[".clj", ".cljs", ".cljc", ".bb"])
        .habit(Habit::new().steps_of(1, 1).steps_of(2, 1).lists_follow_atoms())
        .build();
}
