//! Random documents, in the ways each dialect has to write the same things.

/// Random numbers from a seed (SplitMix64): the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// True one time in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// Up to `most` of the choices, one after the other.
    fn some(&mut self, most: usize, choices: &[&str], out: &mut Vec<u8>) {
        for _ in 0..self.below(most + 1) {
            out.extend_from_slice(self.pick(choices).as_bytes());
        }
    }

    /// At least one of the choices, and up to `most` more.
    fn any(&mut self, most: usize, choices: &[&str], out: &mut Vec<u8>) {
        out.extend_from_slice(self.pick(choices).as_bytes());
        self.some(most, choices, out);
    }
}

/// How documents of a dialect are made up.
pub struct Style {
    /// Writes a document, where it cannot be just any forms.
    pub document: Option<fn(&mut Random, &mut Vec<u8>)>,
    /// Writes an atom.
    pub atom: fn(&mut Random, &mut Vec<u8>),
    /// White space and comments. The first one separates atoms safely.
    pub blanks: &'static [&'static str],
    pub lists: &'static [(&'static str, &'static str)],
    pub prefixes: &'static [&'static str],
    /// Whether anything may touch anything, and single bytes may be changed: where the reader refuses just what we refuse.
    pub wild: bool,
    /// Whether a document is one form.
    pub single: bool,
    /// Whether that form is a list.
    pub list: bool,
}

impl Style {
    /// Writes a document, and tells how many forms it has.
    pub fn document(&self, random: &mut Random) -> (Vec<u8>, usize) {
        let mut out = Vec::new();
        if let Some(document) = self.document {
            document(random, &mut out);
            return (out, 1);
        }
        let forms = if self.single { 1 } else { 1 + random.below(6) };
        let wild = self.wild && random.once_in(3);
        for form in 0..forms {
            if form > 0 {
                self.blank(random, wild, &mut out);
            }
            if random.once_in(40) {
                let depth = 1 + random.below(1000);
                self.nest(random, depth, wild, &mut out);
            } else if self.list {
                self.list_of(random, 5, wild, &mut out);
            } else {
                self.datum(random, 5, wild, &mut out);
            }
        }
        if wild && random.once_in(2) {
            damage(random, &mut out);
        }
        (out, forms)
    }

    fn blank(&self, random: &mut Random, wild: bool, out: &mut Vec<u8>) {
        if !(wild && random.once_in(2)) {
            out.extend_from_slice(self.blanks[0].as_bytes());
            random.some(2, self.blanks, out);
        }
    }

    fn datum(&self, random: &mut Random, depth: usize, wild: bool, out: &mut Vec<u8>) {
        if !self.prefixes.is_empty() && random.once_in(8) {
            out.extend_from_slice(random.pick(self.prefixes).as_bytes());
        }
        if depth > 0 && random.once_in(2) {
            self.list_of(random, depth, wild, out);
        } else {
            (self.atom)(random, out);
        }
    }

    fn list_of(&self, random: &mut Random, depth: usize, wild: bool, out: &mut Vec<u8>) {
        let (open, close) = random.pick(self.lists);
        out.extend_from_slice(open.as_bytes());
        for item in 0..random.below(5) {
            if item > 0 || random.once_in(4) {
                self.blank(random, wild, out);
            }
            self.datum(random, depth - 1, wild, out);
        }
        if random.once_in(4) {
            self.blank(random, wild, out);
        }
        out.extend_from_slice(close.as_bytes());
    }

    /// Lists in lists.
    fn nest(&self, random: &mut Random, depth: usize, wild: bool, out: &mut Vec<u8>) {
        let closes: Vec<&str> = (0..depth)
            .map(|_| {
                let (open, close) = random.pick(self.lists);
                out.extend_from_slice(open.as_bytes());
                if random.once_in(3) {
                    (self.atom)(random, out);
                    self.blank(random, wild, out);
                }
                *close
            })
            .collect();
        for close in closes.iter().rev() {
            out.extend_from_slice(close.as_bytes());
            if random.once_in(5) {
                self.blank(random, wild, out);
            }
        }
        // What was opened last is closed first, and the blanks may have ended a comment that holds no close.
    }
}

/// Changes a byte, drops one, or puts one in.
fn damage(random: &mut Random, out: &mut Vec<u8>) {
    const BYTES: &[u8] = b"()\"\\;#|[]{}' \n\r\t\x00\x0b\x0c\x7f\x80\xff01:ax";
    let at = random.below(out.len().max(1)).min(out.len());
    let byte = *random.pick(BYTES);
    match random.below(3) {
        0 => out.insert(at, byte),
        1 if at < out.len() => out[at] = byte,
        _ if at < out.len() => drop(out.remove(at)),
        _ => {}
    }
}

/// A string of these pieces in double quotes.
fn quoted(random: &mut Random, pieces: &[&str], out: &mut Vec<u8>) {
    out.push(b'"');
    random.some(6, pieces, out);
    out.push(b'"');
}

const PLAIN: &[&str] = &[
    "a",
    "b c",
    " ",
    "é",
    "λ",
    "𝄞",
    "(",
    ")",
    ";",
    "'",
    "|",
    "#",
    "[",
    "]",
    "{",
    "}",
    ",",
    "`",
    "0",
    "abcdefghijklmnopqrstuvwxyz0123456789",
];

/// Octets: often none, seldom many.
pub fn octets(random: &mut Random) -> Vec<u8> {
    let most = if random.once_in(20) { 300 } else { 8 };
    let text = random.once_in(2);
    (0..random.below(most)).map(|_| if text { *random.pick(b"abcxyz 09-_()\"\\;#|") } else { random.next() as u8 }).collect()
}

pub fn sexplib(random: &mut Random, out: &mut Vec<u8>) {
    const BARE: &[&str] = &[
        "a", "b", "xyz", "0", "-1.5e3", "'", "[", "]", "{", "}", ":", ",", "`", "\\", "\\n", "é", "#a", "a#b", "|", "\x0b", "\x00", "\x7f",
        "\x01", "=", "~", "!", "@",
    ];
    const IN_STRING: &[&str] = &[
        "\\n",
        "\\r",
        "\\t",
        "\\b",
        "\\\\",
        "\\'",
        "\\\"",
        "\\065",
        "\\000",
        "\\255",
        "\\x41",
        "\\xfF",
        "\\q",
        "\\a",
        "\\(",
        "\\\n   ",
        "\\\r\n\t ",
        "\n",
        "\r\n",
        "\t",
        "\x00",
        "#|",
        "|#",
        "#;",
        "é",
        "\\é",
    ];
    match random.below(8) {
        0..=3 => random.any(3, BARE, out),
        4 | 5 => quoted(random, PLAIN, out),
        6 => quoted(random, IN_STRING, out),
        _ => {
            // Bytes that are no text.
            out.push(b'"');
            out.extend(octets(random).into_iter().filter(|byte| !b"\"\\".contains(byte)));
            out.push(b'"');
        }
    }
}

pub fn dune(random: &mut Random, out: &mut Vec<u8>) {
    const BARE: &[&str] = &[
        "a", "b", "xyz", "0", "-1.5e3", "'", "[", "]", "{", "}", ":", ",", "`", "\\", "\\n", "#a", "a#b", "|", "#|", "|#", "=", "~", "!",
        "@", "%", "$", "*", "&", "\\%{",
    ];
    const IN_STRING: &[&str] = &[
        "\\n",
        "\\r",
        "\\t",
        "\\b",
        "\\\\",
        "\\'",
        "\\\"",
        "\\%",
        "\\%{",
        "\\065",
        "\\000",
        "\\255",
        "\\x41",
        "\\xfF",
        "\\\n   ",
        "\\\r\n\t ",
        "\t",
        "\x01",
        "#|",
        "é",
        "a",
    ];
    const IN_BLOCK: &[&str] = &["\\n", "\\t", "\\\\", "\\065", "\"", "a b", "(", ";", "é", "%", "{"];
    const TEMPLATE: &[&str] = &["%{a}", "%{a:b}", "%{a:b/c.d}", "%{read:x}", "a", "-", "%%{b}", "%{a::}", "%{a:b:c}"];
    match random.below(10) {
        0..=3 => random.any(3, BARE, out),
        4 | 5 => quoted(random, PLAIN, out),
        6 => quoted(random, IN_STRING, out),
        7 => random.any(3, TEMPLATE, out),
        8 => quoted(random, TEMPLATE, out),
        _ => {
            let (begin, pieces) = if random.once_in(2) { ("\"\\|", IN_BLOCK) } else { ("\"\\>", &PLAIN[..9]) };
            for line in 0..1 + random.below(3) {
                out.extend_from_slice(if line == 0 { b"" } else { b"  " });
                out.extend_from_slice(begin.as_bytes());
                if random.below(5) > 0 {
                    out.push(b' ');
                    random.some(3, pieces, out);
                }
                out.push(b'\n');
            }
        }
    }
}

fn counted(octets: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(octets.len().to_string().as_bytes());
    out.push(b':');
    out.extend_from_slice(octets);
}

pub fn csexp(random: &mut Random, out: &mut Vec<u8>) {
    if random.once_in(10) {
        out.push(b'0');
    }
    counted(&octets(random), out);
}

const TOKENS: &[&str] = &["a", "b", "xyz", "-", ".", "/", "_", ":", "*", "+", "=", "ABC"];

fn hexadecimal(random: &mut Random, octets: &[u8], out: &mut Vec<u8>) {
    out.push(b'#');
    for octet in octets {
        let digits = if random.once_in(2) { format!("{octet:02x}") } else { format!("{octet:02X}") };
        out.extend_from_slice(digits.as_bytes());
        if random.once_in(5) {
            out.extend_from_slice(random.pick(&[" ", "\n", "\t"]).as_bytes());
        }
    }
    out.push(b'#');
}

fn base64(random: &mut Random, octets: &[u8], blanks: bool, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.push(b'|');
    for group in octets.chunks(3) {
        let number = group.iter().enumerate().fold(0u32, |number, (at, &octet)| number | u32::from(octet) << (16 - 8 * at));
        for place in 0..4 {
            out.push(if place > group.len() { b'=' } else { DIGITS[(number >> (18 - 6 * place)) as usize & 63] });
            if blanks && random.once_in(8) {
                out.extend_from_slice(random.pick(&[" ", "\n"]).as_bytes());
            }
        }
    }
    out.push(b'|');
}

/// RFC 9804's advanced form, as sexp-conv reads it.
pub fn advanced(random: &mut Random, out: &mut Vec<u8>) {
    const PIECES: &[&str] = &[
        "a", "b c", " ", "(", ")", "[", "]", "{", "|", "#", "~", "'", "0", "\\n", "\\t", "\\r", "\\b", "\\f", "\\\"", "\\\\", "\\'",
        "\\\n", "\\\r\n",
    ];
    if random.once_in(10) {
        out.push(b'[');
        random.any(3, TOKENS, out);
        out.push(b']');
    }
    let octets = octets(random);
    match random.below(6) {
        0 | 1 => random.any(3, TOKENS, out),
        2 => quoted(random, PIECES, out),
        3 => counted(&octets, out),
        4 => hexadecimal(random, &octets, out),
        _ => base64(random, &octets, true, out),
    }
}

/// As libgcrypt has it: no empty octets but in quotes and `##`, no blanks in base64, any byte in strings.
pub fn libgcrypt(random: &mut Random, out: &mut Vec<u8>) {
    const PIECES: &[&str] = &[
        "a", "b c", " ", "(", ")", "[", "]", "{", "|", "#", "~", "0", "é", "\n", "\t", "\\n", "\\t", "\\r", "\\b", "\\f", "\\v", "\\\"",
        "\\\\", "\\'", "\\\n", "\\\r\n", "\\x41", "\\xfF", "\\101", "\\377", "\\000",
    ];
    let octets = octets(random);
    match random.below(7) {
        0 | 1 => random.any(3, TOKENS, out),
        2 => quoted(random, PIECES, out),
        3 if !octets.is_empty() => counted(&octets, out),
        4 if !octets.is_empty() => base64(random, &octets, false, out),
        5 => {
            let length = random.once_in(4).then(|| (1 + random.below(20)).to_string());
            // A length before a string is not looked at; it must not join the token before it.
            out.extend_from_slice(length.unwrap_or_default().as_bytes());
            quoted(random, PIECES, out);
        }
        _ => hexadecimal(random, &octets, out),
    }
}

pub fn elisp(random: &mut Random, out: &mut Vec<u8>) {
    const NAME: &[&str] = &[
        "a", "b", "xyz", "-", "+x", "é", "λ", "*", "/", ":", "=", "<", "{", "}", "|", "!", "@", "$", "%", "&", "~", "^", "_", "a.b", "a?",
    ];
    const NUMBERS: &[&str] = &[
        "0",
        "1",
        "-17",
        "123456789",
        "1.5",
        "-0.25e3",
        "1.",
        "+3",
        ".5",
        "1e5",
        "#xff",
        "#b101",
        "#o17",
        "#24r1k",
        "1.0e+INF",
        "0.0e+NaN",
    ];
    const ESCAPED: &[&str] = &["\\ ", "\\(", "\\)", "\\\"", "\\;", "\\'", "\\#", "\\,", "\\1", "\\\\", "\\?", "\\é", "x", "y"];
    const PIECES: &[&str] = &[
        "\\n",
        "\\t",
        "\\a",
        "\\b",
        "\\v",
        "\\f",
        "\\r",
        "\\e",
        "\\d",
        "\\s",
        "\\\\",
        "\\\"",
        "\\ ",
        "\\\n",
        "\n",
        "\t",
        "\\101 ",
        "\\0",
        "\\x41\\ ",
        "\\u00e9",
        "\\U0001F600",
        "\\q",
        "\\(",
        "\\^a",
        "\\C-a",
        "é",
        "\\N{U+e9}",
        "\\x3bb\\ ",
        "\\é",
    ];
    const CHARACTERS: &[&str] = &[
        "?a",
        "?λ",
        "?A",
        "?\\n",
        "?\\t",
        "?\\(",
        "?\\)",
        "?\\\\",
        "?\\\"",
        "?\\;",
        "?\\s",
        "?\\ ",
        "?\\C-a",
        "?\\M-x",
        "?\\C-\\M-b",
        "?\\^I",
        "?\\x41",
        "?\\101",
        "?\\u00e9",
        "?\\S-a",
        "?\\d",
        "? ",
        "?\\C-%",
        "?\\H-x",
        "?\\s-x",
        "?\\A-\\C-q",
    ];
    match random.below(9) {
        0..=2 => random.any(3, NAME, out),
        3 => random.any(0, NUMBERS, out),
        4 => random.any(3, ESCAPED, out),
        5 => quoted(random, PLAIN, out),
        6 => quoted(random, PIECES, out),
        7 => random.any(0, CHARACTERS, out),
        _ => random.any(
            0,
            &["nil", "t", "##", ":key", "#'f", "[]", "()", "[a ?b]", "(a . b)", "(a . (b c))", "(a . 'b)", "(a .b)", "?\\(", "#:x"],
            out,
        ),
    }
}

pub fn commonlisp(random: &mut Random, out: &mut Vec<u8>) {
    const NAME: &[&str] = &[
        "a", "b", "xyz", "-", "+x", "é", "λ", "*", "/", "=", "<", "{", "}", "[", "]", "!", "@", "$", "%", "&", "~", "^", "_", "a.b", "a#b",
        "?",
    ];
    const NUMBERS: &[&str] =
        &["0", "1", "-17", "123456789", "1.5", "-0.25e3", "1.", "+3", ".5", "1/2", "#xff", "#b101", "#o17", "1.5d0", "#*101", "#c(1 2)"];
    const ESCAPED: &[&str] =
        &["\\ ", "\\(", "\\)", "\\\"", "\\;", "\\'", "\\#", "\\,", "\\1", "\\\\", "\\|", "\\é", "x", "y", "|a b|", "|(;|", "||", "|a\\|b|"];
    const PIECES: &[&str] = &["\\n", "\\\\", "\\\"", "\\a", "\n", "\t", "\\(", "é", "\\é", "|", "#|", "\\\n"];
    const CHARACTERS: &[&str] =
        &["#\\a", "#\\λ", "#\\(", "#\\)", "#\\;", "#\\\"", "#\\'", "#\\\\", "#\\Space", "#\\Newline", "#\\ ", "#\\|", "#\\#", "#\\x"];
    match random.below(9) {
        0..=2 => random.any(3, NAME, out),
        3 => random.any(0, NUMBERS, out),
        4 => {
            out.push(b'x');
            random.any(3, ESCAPED, out);
        }
        5 => quoted(random, PLAIN, out),
        6 => quoted(random, PIECES, out),
        7 => random.any(0, CHARACTERS, out),
        _ => random.any(
            0,
            &[
                "NIL",
                "T",
                ":key",
                "#:sym",
                "#'f",
                "#()",
                "()",
                "#(a #\\b)",
                "(a . b)",
                "(a . (b c))",
                "(a .b)",
                "#(a #(b) c)",
                "|x y|",
                "||",
                "\\1",
            ],
            out,
        ),
    }
}

pub fn guile(random: &mut Random, out: &mut Vec<u8>) {
    const NAME: &[&str] = &[
        "a", "b", "xyz", "-", "é", "λ", "*", "/", ":", "=", "<", "{", "}", "|", "!", "@", "$", "%", "&", "~", "^", "_", "a.b", "a#b",
        "a'b", "\\", "?", "a`", "a,",
    ];
    const NUMBERS: &[&str] = &[
        "0",
        "1",
        "-17",
        "123456789",
        "1.5",
        "-0.25e3",
        "1.",
        "+3",
        ".5",
        "1/2",
        "#xff",
        "#b101",
        "#e1.5",
        "1+2i",
        "+inf.0",
        "#t",
        "#f",
        "#true",
    ];
    const PIECES: &[&str] = &[
        "\\n",
        "\\t",
        "\\a",
        "\\b",
        "\\v",
        "\\f",
        "\\r",
        "\\0",
        "\\\\",
        "\\\"",
        "\\|",
        "\\(",
        "\\x41",
        "\\xe9",
        "\\u00e9",
        "\\U01F600",
        "\n",
        "\t",
        "\\\n",
        "é",
        ";",
        "#|",
    ];
    const CHARACTERS: &[&str] = &[
        "#\\a",
        "#\\λ",
        "#\\(",
        "#\\)",
        "#\\;",
        "#\\\"",
        "#\\'",
        "#\\\\",
        "#\\space",
        "#\\newline",
        "#\\ ",
        "#\\|",
        "#\\#",
        "#\\x41",
        "#\\nul",
        "#\\x",
    ];
    match random.below(9) {
        0..=2 => {
            out.push(b'x');
            random.some(3, NAME, out);
        }
        3 => random.any(0, NUMBERS, out),
        4 => random.any(0, &["#{a b}#", "#{}#", "#{x\\x28;y}#", "#{a)b}#", "#{|}#", "#:key", "#:k-2"], out),
        5 => quoted(random, PLAIN, out),
        6 => quoted(random, PIECES, out),
        7 => random.any(0, CHARACTERS, out),
        _ => random.any(
            0,
            &[
                "()",
                "#()",
                "#(a #\\b)",
                "(a . b)",
                "(a . (b c))",
                "(a . 'b)",
                "(a .b)",
                "#(a #(b) c)",
                "[a b]",
                "#vu8(1 2)",
                "#u8(3)",
                "...",
                "+",
                "->x",
            ],
            out,
        ),
    }
}

pub fn r6rs(random: &mut Random, out: &mut Vec<u8>) {
    const NAME: &[&str] = &[
        "a", "b", "xyz", "-", "é", "λ", "*", "/", ":", "=", "<", "!", "@", "$", "%", "&", "~", "^", "_", "a.b", "?", "\\x28;", "\\x65;",
        "\\x3bb;",
    ];
    const NUMBERS: &[&str] =
        &["0", "1", "-17", "123456789", "1.5", "-0.25e3", "1.", "+3", ".5", "1/2", "#xff", "#b101", "#e1.5", "1+2i", "+inf.0", "#t", "#f"];
    const PIECES: &[&str] = &[
        "\\n",
        "\\t",
        "\\a",
        "\\b",
        "\\v",
        "\\f",
        "\\r",
        "\\\\",
        "\\\"",
        "\\x41;",
        "\\xe9;",
        "\\x1F600;",
        "\n",
        "\t",
        "\\\n  ",
        "\\ \t\n \t",
        "\r\n",
        "\r",
        "é",
        ";",
        "#|",
    ];
    const CHARACTERS: &[&str] = &[
        "#\\a",
        "#\\λ",
        "#\\(",
        "#\\)",
        "#\\;",
        "#\\\"",
        "#\\'",
        "#\\\\",
        "#\\space",
        "#\\newline",
        "#\\ ",
        "#\\#",
        "#\\x41",
        "#\\nul",
        "#\\x",
    ];
    match random.below(8) {
        0..=2 => {
            out.push(b'x');
            random.some(3, NAME, out);
        }
        3 => random.any(0, NUMBERS, out),
        4 => quoted(random, PLAIN, out),
        5 => quoted(random, PIECES, out),
        6 => random.any(0, CHARACTERS, out),
        _ => random.any(
            0,
            &[
                "()",
                "#()",
                "#(a #\\b )",
                "(a . b)",
                "(a . (b c))",
                "(a . 'b)",
                "#(a #(b) c)",
                "[a b]",
                "#vu8(1 2)",
                "...",
                "+",
                "->x",
                "a#t",
            ],
            out,
        ),
    }
}

pub fn edn(random: &mut Random, out: &mut Vec<u8>) {
    const NAME: &[&str] = &["a", "b", "xyz", "-", "é", "λ", "*", "=", "<", "!", "$", "%", "&", "_", "a.b", "?", "+x", "'", "#"];
    const NUMBERS: &[&str] =
        &["0", "1", "-17", "123456789", "1.5", "-0.25e3", "1M", "12N", "+3", "1/2", "0xff", "##Inf", "nil", "true", "false"];
    const PIECES: &[&str] =
        &["\\n", "\\t", "\\b", "\\f", "\\r", "\\\\", "\\\"", "\\u00e9", "\\u03bb", "\\101", "\\0 ", "\\377", "\n", "\t", "\r", "é", ";"];
    const CHARACTERS: &[&str] = &[
        "\\a",
        "\\λ",
        "\\(",
        "\\)",
        "\\;",
        "\\\"",
        "\\'",
        "\\\\",
        "\\space",
        "\\newline",
        "\\tab",
        "\\u00e9",
        "\\o101",
        "\\#",
        "\\,",
        "\\{",
        "\\@",
    ];
    match random.below(9) {
        0..=2 => {
            out.extend_from_slice(random.pick(&["x", "y", ":k", ":ns/k", "ns/x"]).as_bytes());
            random.some(3, NAME, out);
        }
        3 => random.any(0, NUMBERS, out),
        4 => quoted(random, PLAIN, out),
        5 => quoted(random, PIECES, out),
        6 | 7 => random.any(0, CHARACTERS, out),
        _ => random.any(
            0,
            &[
                "()",
                "[]",
                "{}",
                "#{}",
                "{:a 1 :b [2]}",
                "#{a b}",
                "#inst \"x\"",
                "#my/tag (a)",
                "#t {:a 1}",
                "/",
                "-",
                "...",
                "#_ #_ a b c",
            ],
            out,
        ),
    }
}

/// As edn-data has it, which knows no octal escapes, no character that is a delimiter, and no symbolic values.
pub fn edn_data(random: &mut Random, out: &mut Vec<u8>) {
    const UNKNOWN: &[&str] = &["\\0", "\\1", "\\3", "\\o", "\\(", "\\)", "\\;", "\\,", "\\{", "##", "#_"];
    let start = out.len();
    loop {
        edn(random, out);
        let text = String::from_utf8_lossy(&out[start..]);
        if !UNKNOWN.iter().any(|part| text.contains(part)) && text != "\\\"" {
            return;
        }
        out.truncate(start);
    }
}

/// A module with data segments, and identifiers that have to be found again.
pub fn module(random: &mut Random, out: &mut Vec<u8>) {
    const BLANKS: &[&str] = &[" ", "\n", "\t", "\r\n", ";; c (\"\n", "(; c \" ) ;)", "(;(; ;) c ;)", "(;;)"];
    const NAME: &[&str] = &[
        "a", "b", "1", "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "/", ":", "<", "=", ">", "?", "@", "\\", "^", "_", "`", "|", "~",
    ];
    const PIECES: &[&str] = &[
        "\\t",
        "\\n",
        "\\r",
        "\\\"",
        "\\'",
        "\\\\",
        "\\00",
        "\\41",
        "\\ff",
        "\\C3",
        "\\u{e9}",
        "\\u{1F600}",
        "\\u{41}",
        "\\0d",
        "(",
        ")",
        ";;",
        "(;",
        ";)",
        "é",
        "λ",
        "a",
        " ",
        "'",
    ];
    let blank = |random: &mut Random, out: &mut Vec<u8>| {
        out.push(b' ');
        random.some(2, BLANKS, out);
    };
    blank(random, out);
    out.extend_from_slice(b"(module");
    blank(random, out);
    out.extend_from_slice(b"(memory 1)");
    for number in 0..random.below(6) {
        let mut name = b"$".to_vec();
        random.some(4, NAME, &mut name);
        name.extend_from_slice(number.to_string().as_bytes());
        for part in [&b"(global"[..], &name, b"i32", b"(i32.const", b"0x10", b"))", b"(export", b"\""] {
            blank(random, out);
            out.extend_from_slice(part);
        }
        out.extend_from_slice(number.to_string().as_bytes());
        out.extend_from_slice(b"\"(global ");
        out.extend_from_slice(&name);
        out.extend_from_slice(b"))(data");
        blank(random, out);
        out.extend_from_slice(b"(i32.const");
        blank(random, out);
        out.extend_from_slice(b"0)");
        for _ in 0..random.below(3) {
            blank(random, out);
            quoted(random, PIECES, out);
        }
        blank(random, out);
        out.push(b')');
    }
    out.push(b')');
    blank(random, out);
}

/// A command that makes a solver print a string, or a symbol.
pub fn command(random: &mut Random, out: &mut Vec<u8>) {
    const BLANKS: &[&str] = &[" ", "\n", "\t", "\r\n", "; c (\"|\n", ";\n"];
    const PIECES: &[&str] = &["\"\"", "\\", "\\n", "\n", "\t", "|", ";", "(", ")", "a", " ", "é", "λ", "\\x41", "\\u{41}"];
    const NAME: &[&str] = &["a", "B", "7", "~", "!", "@", "$", "%", "^", "&", "*", "_", "-", "+", "=", "<", ">", ".", "?", "/"];
    const IN_BARS: &[&str] = &["a", "b", " ", "\n", "\"", ";", "(", ")", "#", "'", ",", "{", "0", "é", "λ", ":"];
    let mut datum = Vec::new();
    let string = random.once_in(2);
    if string {
        quoted(random, PIECES, &mut datum);
    } else if random.once_in(2) {
        datum.push(b'x');
        random.some(5, NAME, &mut datum);
    } else {
        datum.push(b'|');
        random.some(5, IN_BARS, &mut datum);
        datum.push(b'|');
    }
    let parts: &[&[u8]] = if string {
        &[b"(", b"echo", &datum, b")"]
    } else {
        &[b"(", b"declare-const", &datum, b"Bool", b")", b"(", b"simplify", &datum, b")"]
    };
    for part in parts {
        random.any(2, BLANKS, out);
        out.extend_from_slice(part);
    }
    random.some(2, BLANKS, out);
}
