//! Conversion between syntaxes: what carries over, what is refused, and that nothing changes silently.

use sexp_codec::{Converter, Kind, Lexeme, Options, Syntax, blocking};

/// What a text becomes in another syntax; or why not.
fn convert(from: &'static Syntax, to: &'static Syntax, text: &[u8], merge: bool) -> Result<Vec<u8>, String> {
    let mut decoder = blocking::Decoder::with_options(text, from, Options::default().comments(true));
    let mut converter = Converter::new(from, to).merge_atoms(merge);
    let mut encoder = blocking::Encoder::with_capacity(Vec::new(), 64, to, converter.encode_options());
    while let Some(lexeme) = decoder.decode().map_err(|error| format!("not read: {error}"))? {
        for lexeme in converter.convert(lexeme).map_err(|error| format!("{:?}@{}", error.kind, error.span.start))? {
            encoder.encode(lexeme).map_err(|error| format!("not written: {error}"))?;
        }
    }
    encoder.finish().map_err(|error| error.to_string())?;
    Ok(encoder.into_inner())
}

/// FROM, INPUT, TO and OUTPUT a line; after `!`, why it is refused and where.
const ROWS: &str = r##"
# Symbols
elisp | a\.b \1 \, a\ b ## | r7rs | |a.b||1||,||a b||| 
elisp | a\.b \1 ## | commonlisp | |a.b| |1| ||
elisp | a\.b \1 ## | scheme | #{a.b}##{1}##{}#
elisp | a\ b | guile | #{a b}#
elisp | a\ b | r6rs | \x61;\x20;b
elisp | a\ b | smtlib | |a b|
elisp | a\.b | edn | a.b
elisp | a\.b | sexplib | a.b
elisp | a\ b | sexplib | !SymbolLikeStrings@0
elisp | a\ b | edn | !NoSuchAtom@0
elisp | a\ b | canonical | 3:a b
elisp | a\ b | advanced | 3:a b
elisp | x \1 | edn | !SymbolLikeOthers@2
elisp | x \1 | sexplib | !SymbolLikeOthers@2
elisp | \:a | edn | !SymbolLikeOthers@0
elisp | \-1 | plain | !SymbolLikeOthers@0
elisp | \- | plain | -
elisp | ## | plain | !SymbolLikeOthers@0
r7rs | |a b| || |1| abc | elisp | \a\ b ## \1 abc
r7rs | |a b| | commonlisp | |a b|
r7rs | |a| | edn | a
commonlisp | |A| FOO foo | sexplib | A FOO foo
commonlisp | |a| | sexplib | !SymbolLikeOthers@0
commonlisp | |a| a\ b | r7rs | |a||a b|
smtlib | |a b| c | elisp | \a\ b c
wat | $"a b" $x | r7rs | |$a b|$x
r7rs | |$a b| |$x| |a| | wat | $"a b" $"x" a
r7rs | |a b| | wat | !NoSuchAtom@0
# Atoms that could only be strings
elisp | a'b | sexplib | !NoSuchPrefix@1
r7rs | é | sexplib | !SymbolLikeStrings@0
elisp | a{ 1 é | sexplib | !SymbolLikeStrings@5
elisp | 1 a{ | advanced | 1:12:a{
sexplib | a{b "c" 'd , . | edn | "a{b""c"'d",".
sexplib | a'b 'c , #t "d" | commonlisp | |a'b| |'c| |,| #t "d"
sexplib | a'b 'c , | elisp | \a\'b \'c \,
sexplib | a'b , | r7rs | |a'b||,|
kicad | a"b" | sexplib | "a\"b\""
kicad | a;b #c | sexplib | "a;b"#c
treebank | (. .) | r7rs | (|.||.|)
# Strings
elisp | "a" | sexplib | "a"
elisp | "a" | canonical | !StringLikeOtherAtoms@0
elisp | "a" | se | !StringLikeOtherAtoms@0
sexplib | "a" | canonical | 1:a
sexplib | "a" b | se | a b
canonical | 3:a b1:c | r7rs | |a b|c
canonical | 1:.1:11:' | elisp | \. 1 \'
advanced | "a" b #00ff# | sexplib | "a"b"\000\255"
# Dots
elisp | (a . b) | r7rs | (a . b)
elisp | (a . b) | edn | !Dot@3
elisp | (a . b) | plain | (a . b)
elisp | (a . b) | canonical | !Dot@3
clojure | (. a b) | elisp | (\. a b)
# Prefixes
elisp | '(a `(b ,c ,@d)) | clojure | '(a`(b~c~@d))
clojure | '(a `(b ~c ~@d)) | r7rs | '(a`(b,c,@d))
elisp | 'a | edn | !NoSuchPrefix@0
elisp | 'a | sexplib | !NoSuchPrefix@0
elisp | #'a | commonlisp | #'a
elisp | #'a | racket | !NoSuchPrefix@0
clojure | #'a | r6rs | !NoSuchPrefix@0
racket | #'a #`(b #,c #,@d) | r6rs | #'a #`(b #,c #,@d)
commonlisp | ,.a | elisp | !NoSuchPrefix@0
commonlisp | #12=(a #12#) | elisp | #12=(a #12#)
commonlisp | #1=(a #1#) | guile | !NoSuchPrefix@0
edn | #inst "x" #a/b c | clojure | #inst"x"#a/b c
edn | #inst "x" | r7rs | !NoSuchPrefix@0
racket | (a #"b" c) | scheme | !NoSuchPrefix@3
# Brackets
elisp | [a (b) [c]] | r7rs | #(a(b)#(c))
r7rs | #(a (b) #(c)) | elisp | [a(b)[c]]
r7rs | #(a) | edn | [a]
edn | [a {b c} #{d}] | clojure | [a{b c}#{d}]
edn | {a b} | elisp | !NoSuchBracket@0
edn | #{a} | elisp | !NoSuchPrefix@0
r6rs | [a (b)] #vu8(1) | r7rs | (a(b))#u8(1)
racket | [a {b}] | scheme | [a{b}]
racket | [a {b}] #[c] | r7rs | (a(b))#(c)
racket | [a] | elisp | (a)
guile | #f64(1 2) #u8(1) | scheme | #f64(1 2)#u8(1)
guile | #f64(1 2) | r7rs | !NoSuchPrefix@0
elisp | #s(a) | commonlisp | !NoSuchPrefix@0
# Characters
elisp | (?a ?\( ?\n ?\s ?\t ?\x41 ?\101 ?\C-a ?\d ?é ?\u00e9 ?\N{U+41}) | r7rs | (#\a #\( #\newline #\space #\tab #\A #\A #\x1 #\delete #\é #\é #\A)
r7rs | (#\a #\( #\) #\; #\x41 #\null #\x #\λ #\space #\' #\\ #\x1) | elisp | (?a ?\( ?\) ?\; ?A ?\x0 ?x ?λ ?\s ?\' ?\\ ?\x1)
r7rs | (#\a #\space #\null #\x7f) | edn | (\a \space \u0000 \u007f)
edn | (\a \newline \u0041 \( \o101) | commonlisp | (#\a #\Newline #\A #\( #\A)
commonlisp | (#\SPACE #\rubout #\A) | r6rs | (#\space #\delete #\A)
commonlisp | #\foo | r6rs | !UnknownCharacter@0
r7rs | #\null | commonlisp | !NoSuchCharacter('\0')@0
r7rs | #\x1F600 | edn | !NoSuchCharacter('😀')@0
r7rs | #\a | sexplib | !NoCharacters@0
elisp | ?\M-a | r7rs | !UnknownCharacter@0
elisp | ?\C-\M-a | r7rs | !UnknownCharacter@0
# The rest
dune | %{a} | sexplib | !Template@0
clojure | #"a" | edn | !Template@0
advanced | [a]b | canonical | [1:a]1:b
advanced | [a]b | sexplib | !NoHints@0
elisp | a ;b⏎c | wat | a;;b⏎c
wat | a ;;b⏎(;c;)d | r7rs | a;b⏎#|c|#d
r7rs | #|a|# | elisp | !NoSuchComment@0
r7rs | #;a b | edn | !NoSuchComment@0
"##;

#[test]
fn what_carries_over_does_and_what_does_not_is_refused() {
    let mut wrong = Vec::new();
    for row in ROWS.lines().filter(|row| !row.is_empty() && !row.starts_with("# ")) {
        let [from, input, to, output]: [&str; 4] = {
            let (from, rest) = row.split_once(" | ").unwrap();
            let (rest, output) = rest.rsplit_once(" | ").unwrap();
            let (input, to) = rest.rsplit_once(" | ").unwrap();
            [from, input, to, output.trim()]
        };
        let syntax = |name| Syntax::by_name(name).unwrap_or_else(|| panic!("no syntax {name}"));
        let text = input.replace('⏎', "\n");
        let outcome = match convert(syntax(from), syntax(to), text.as_bytes(), false) {
            Ok(text) => String::from_utf8_lossy(&text).replace('\n', "⏎"),
            Err(why) => format!("!{why}"),
        };
        if outcome != output {
            wrong.push(format!("{from}, {to}: {input}\n  wanted {output}\n  got    {outcome}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// With leave to do so, atoms become one where the other syntax does not tell them apart.
#[test]
fn atoms_are_merged_on_request() {
    for (from, input, to, output) in [
        (&Syntax::R7RS, "(a \"b\" |c d| é)", &Syntax::CANONICAL, "(1:a1:b3:c d2:é)"),
        (&Syntax::ELISP, r#"(a\ b \1 "c")"#, &Syntax::SEXPLIB, r#"("a b"1"c")"#),
        (&Syntax::COMMONLISP, "(|a| b)", &Syntax::SE, "(a b)"),
    ] {
        let text = convert(from, to, input.as_bytes(), true).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), output, "{input}");
    }
    assert_eq!(convert(&Syntax::ELISP, &Syntax::EDN, br"\1", true), Err("SymbolLikeOthers@0".into()), "it would be a number");
}

/// A small generator, so that each run tries the same inputs.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }
}

const TOKENS: &[&str] = &[
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "a",
    "bc ",
    "a.b",
    "-1",
    "1",
    ". ",
    "nil",
    "é",
    "'",
    "`",
    ",",
    ",@",
    "~",
    "~@",
    "#'",
    "#(",
    "#u8(",
    "#vu8(",
    "#f64(",
    "#{",
    "#1=",
    "#1#",
    "#inst ",
    "\"\"",
    "\"a b\"",
    "\"é\\n\"",
    "|a b|",
    "|1|",
    "||",
    "|FOO|",
    "|foo|",
    "\\a",
    "a\\ b",
    "\\1",
    "##",
    "#{a b}#",
    "$\"a b\"",
    "$x",
    "#\\a",
    "#\\space",
    "#\\x41",
    "#\\(",
    "?a",
    "?\\(",
    "?\\n",
    "\\newline",
    "\\u0041",
    "3:a b",
    "1:.",
    "0:",
    "#6162#",
    "|YWI=|",
    "[1:a]",
    "a;b",
    "a'b",
    "#b",
    "%{a}",
    "#\"a\"",
    "a#",
    "#t",
    ":a",
    "@",
    "^a",
    "#:a",
    "string_quote ' ",
    "-",
];

fn document(random: &mut Random) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..1 + random.below(6) {
        text.extend_from_slice(TOKENS[random.below(TOKENS.len())].as_bytes());
        if random.below(2) == 0 {
            text.push(b' ');
        }
    }
    text
}

type Owned = (Kind, Vec<u8>);

fn read(syntax: &'static Syntax, text: &[u8]) -> Option<Vec<Owned>> {
    let mut decoder = blocking::Decoder::new(text, syntax);
    let mut lexemes = Vec::new();
    while let Some(lexeme) = decoder.decode().ok()? {
        lexemes.push((lexeme.kind, lexeme.bytes.to_vec()));
    }
    Some(lexemes)
}

/// Lexemes without what the syntax itself does not tell apart.
fn meaning(syntax: &'static Syntax, lexemes: &[Owned]) -> Vec<Owned> {
    let name = syntax.name();
    let apart = ![
        "plain",
        "se",
        "sexplib",
        "dune",
        "canonical",
        "csexp",
        "transport",
        "advanced",
        "libgcrypt",
        "kicad",
        "dsn",
        "gimprc",
        "pddl",
        "treebank",
    ]
    .contains(&name);
    let scheme = ["r6rs", "guile", "scheme", "racket"].contains(&name);
    let each = |(kind, bytes): &Owned| match kind {
        Kind::String | Kind::Octets | Kind::Symbol if !apart => (Kind::Bare, bytes.clone()),
        Kind::Symbol => (Kind::Escaped, bytes.clone()),
        Kind::Escaped => {
            let mut value = Vec::new();
            syntax.unescape(bytes, &mut value);
            (Kind::Escaped, value)
        }
        Kind::Open if scheme => (Kind::Open, b"(".to_vec()),
        Kind::Close if scheme => (Kind::Close, b")".to_vec()),
        Kind::Prefix if bytes == b"#u8" && scheme => (Kind::Prefix, b"#vu8".to_vec()),
        // The same in all spellings.
        Kind::Char => {
            let mut converter = Converter::new(syntax, if name == "r7rs" { &Syntax::SCHEME } else { &Syntax::R7RS });
            let same = converter
                .convert(Lexeme::new(Kind::Char, bytes))
                .ok()
                .and_then(|mut lexemes| lexemes.next().map(|char| char.bytes.to_vec()));
            (Kind::Char, same.unwrap_or_else(|| bytes.clone()))
        }
        _ => (*kind, bytes.clone()),
    };
    lexemes.iter().map(each).collect()
}

/// A symbol with an escape that could as well stand without is the same as a bare atom, where case does not matter.
fn same(syntax: &'static Syntax, one: &Owned, other: &Owned) -> bool {
    let plain = |bytes: &[u8]| {
        let begins_otherwise = bytes.first().is_some_and(|first| first.is_ascii_digit() || b".:#".contains(first))
            || bytes.len() > 1 && b"+-".contains(&bytes[0]) && bytes[1].is_ascii_digit();
        let is_folded = syntax.name() == "commonlisp" && bytes.iter().any(u8::is_ascii_lowercase);
        bytes == b"." || !(begins_otherwise || is_folded)
    };
    one == other
        || matches!((one.0, other.0), (Kind::Escaped, Kind::Bare) | (Kind::Bare, Kind::Escaped)) && one.1 == other.1 && plain(&one.1)
}

#[test]
fn nothing_changes_on_the_way_there_and_back() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut there, mut back) = (0, 0);
    for &from in Syntax::ALL {
        let documents: Vec<_> = (0..4_000).map(|_| document(&mut random)).filter(|text| read(from, text).is_some()).take(400).collect();
        for (&to, text) in Syntax::ALL.iter().flat_map(|to| documents.iter().map(move |text| (to, text))) {
            let Ok(converted) = convert(from, to, text, false) else { continue };
            there += 1;
            let context = || format!("{} {} as {} {}", from.name(), text.escape_ascii(), to.name(), converted.escape_ascii());
            assert!(read(to, &converted).is_some(), "it does not read: {}", context());
            let Ok(again) = convert(to, from, &converted, false) else { continue };
            back += 1;
            let [before, after] = [text, &again].map(|text| meaning(from, &read(from, text).unwrap()));
            assert!(
                before.len() == after.len() && before.iter().zip(&after).all(|(one, other)| same(from, one, other)),
                "{} and back as {}",
                context(),
                again.escape_ascii()
            );
        }
    }
    assert!(there > 20_000 && back * 10 > there * 8, "{there} there, {back} back");
}

/// Each lexeme by itself, whatever it is, in any order: no panic, and between a syntax and itself nothing is touched.
#[test]
fn any_lexeme_can_be_handed_over() {
    let mut random = Random(2012);
    for &from in Syntax::ALL {
        for &to in Syntax::ALL {
            let mut converter = Converter::new(from, to);
            for _ in 0..200 {
                let kind = Kind::ALL[random.below(Kind::ALL.len())];
                let bytes = TOKENS[random.below(TOKENS.len())].trim().as_bytes();
                let bytes = &bytes[..bytes.len() - random.below(bytes.len().min(2))];
                let lexeme = Lexeme::new(kind, bytes);
                match converter.convert(lexeme) {
                    Ok(lexemes) if from.name() == to.name() => assert_eq!(lexemes.collect::<Vec<_>>(), [lexeme]),
                    Ok(lexemes) => assert!(lexemes.len() <= 2),
                    Err(error) => assert!(!error.to_string().is_empty() && from.name() != to.name()),
                }
                if random.below(20) == 0 {
                    converter.reset();
                }
            }
        }
    }
}

/// The second time the same lexemes come, nothing is allocated.
#[test]
fn no_step_allocates() {
    let mut random = Random(9804);
    for &from in Syntax::ALL {
        let documents: Vec<Vec<Owned>> = (0..300).filter_map(|_| read(from, &document(&mut random))).collect();
        for &to in Syntax::ALL {
            let mut converter = Converter::new(from, to);
            let mut pass = || {
                for (kind, bytes) in documents.iter().flatten() {
                    if let Ok(lexemes) = converter.convert(Lexeme::new(*kind, bytes)) {
                        lexemes.for_each(|lexeme| assert!(std::hint::black_box(lexeme).span.is_empty()));
                    }
                }
                converter.reset();
            };
            pass();
            let count = allocation_counter::measure(pass).count_total;
            assert_eq!(count, 0, "{} to {}", from.name(), to.name());
        }
    }
}
