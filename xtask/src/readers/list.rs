//! The readers, how each is run, and where it is known to differ from what we hold to be right.

use super::forms::{self, Style};
use super::tokens::{self, Reading, Token, Values};
use super::{Outcome, bounded};
use sexp_codec::Syntax;
use std::path::Path;
use std::process::{Command, Stdio};

/// A reader that others wrote.
pub struct Reader {
    pub name: &'static str,
    /// What has to be installed.
    pub package: &'static str,
    pub program: Program,
    /// Our syntax for what it reads.
    pub syntax: &'static Syntax,
    pub values: Values,
    pub style: Style,
    /// The syntaxes that are written for it to read.
    pub written: &'static [&'static Syntax],
    /// The folders with files for it.
    pub folders: &'static [&'static str],
    /// Which files of these.
    pub file: fn(&Path) -> bool,
    pub known: &'static [Known],
}

/// How a reader is run. The helper programs are in `xtask/readers`.
pub enum Program {
    /// Reads a form on its input and prints it in the canonical form.
    Canonical { command: &'static [&'static str] },
    /// Reads a document on its input and prints it again, in its own way of writing: what it prints means what it read.
    Formatter { command: &'static [&'static str] },
    /// A helper for an interpreter; the version is asked with the last arguments.
    Script { command: &'static [&'static str], helper: &'static str, version: &'static [&'static str] },
    /// A helper in OCaml, to be compiled with this package.
    Ocaml { package: &'static str },
}

/// A document on which the two did not agree.
pub struct Case<'a> {
    pub text: &'a [u8],
    pub ours: &'a Reading,
    pub theirs: &'a Reading,
    /// The first token that differs; none where only one of the two found a fault.
    pub place: Option<usize>,
}

/// A deviation that is known.
pub struct Known {
    pub reason: &'static str,
    pub holds: fn(&Case<'_>) -> bool,
}

impl Case<'_> {
    fn has(&self, text: &str) -> bool {
        contains(self.text, text.as_bytes())
    }

    /// The values of the first tokens that differ.
    fn differing(&self) -> Option<(&[u8], &[u8])> {
        let place = self.place?;
        Some((&self.ours.tokens.get(place)?.bytes, &self.theirs.tokens.get(place)?.bytes))
    }

    /// Whether all that both read is the same, but for bytes in front of an atom of theirs.
    fn theirs_end_as_ours(&self) -> bool {
        let same = |(ours, theirs): (&Token, &Token)| ours.tag == theirs.tag && theirs.bytes.ends_with(&ours.bytes);
        self.ours.tokens.iter().zip(&self.theirs.tokens).all(same)
    }

    /// Whether only the other reader found a fault, and says this of it; what it had read by then is the same.
    fn only_they_refuse(&self, saying: &str) -> bool {
        self.ours.fault.is_none() && self.place.is_none() && self.theirs.fault.as_ref().is_some_and(|fault| fault.contains(saying))
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

impl Program {
    /// The command to be run, and the version of the reader; none where it is not installed.
    pub fn prepare(&self, scratch: &Path) -> Outcome<Option<(Vec<String>, String)>> {
        let helpers = Path::new(env!("CARGO_MANIFEST_DIR")).join("readers");
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let asked = |command: &[&str]| -> Outcome<Option<String>> {
            let mut asked = Command::new(command[0]);
            asked.args(&command[1..]).stdin(Stdio::null());
            match bounded(asked) {
                Ok((printed, said, true)) => {
                    let text = String::from_utf8_lossy(&printed).into_owned() + &said;
                    // The first word with a digit in front, or all of the line.
                    let line = text.lines().next().unwrap_or_default();
                    let word = line.split([' ', ')', '(']).find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
                    Ok(Some(word.unwrap_or(line).trim_end_matches(',').to_owned()))
                }
                _ => Ok(None),
            }
        };
        Ok(match self {
            Program::Canonical { command } | Program::Formatter { command } => {
                asked(&[command[0], "--version"])?.map(|version| (owned(command), version))
            }
            Program::Script { command, helper, version } => asked(version)?.map(|version| {
                let mut words = owned(command);
                words.push(helpers.join(helper).display().to_string());
                (words, version)
            }),
            Program::Ocaml { package } => match asked(&["ocamlfind", "query", "-format", "%v", package])? {
                None => None,
                Some(version) => {
                    // By another name than the package's: a file is a module.
                    let source = scratch.join(format!("read_{package}.ml"));
                    std::fs::copy(helpers.join(format!("{package}.ml")), &source)?;
                    let target = scratch.join(package);
                    let mut compile = Command::new("ocamlfind");
                    compile.args(["ocamlopt", "-package", package, "-linkpkg"]).arg(&source).arg("-o").arg(&target).stdin(Stdio::null());
                    let (_, said, well) = bounded(compile)?;
                    if !well {
                        return Err(format!("{package}.ml cannot be compiled: {said}").into());
                    }
                    Some((vec![target.display().to_string()], version))
                }
            },
        })
    }
}

const PARENTHESES: &[(&str, &str)] = &[("(", ")")];

const OCAML: Style = Style {
    document: None,
    atom: forms::sexplib,
    blanks: &[
        " ",
        "\n",
        "\t",
        "\x0c",
        "\r\n",
        "; c (\"\n",
        "#| c #| d |# \"|#\" |#",
        "#;a ",
        "#;(b \"c\" (d)) ",
        "#; #; a b ",
        "#;(a #;b c) ",
    ],
    lists: PARENTHESES,
    prefixes: &[],
    wild: true,
    single: false,
    list: false,
};

const SPACES: &[&str] = &[" ", "\n", "\t", "\r\n"];

/// The readers, those that start fast first.
pub const READERS: &[Reader] = &[
    Reader {
        name: "sexp-conv",
        package: "nettle-bin",
        program: Program::Canonical { command: &["sexp-conv", "-s", "canonical"] },
        syntax: &Syntax::ADVANCED,
        values: Values::ATOMS,
        style: Style {
            document: None,
            atom: forms::advanced,
            blanks: SPACES,
            lists: PARENTHESES,
            prefixes: &[],
            wild: false,
            single: false,
            list: false,
        },
        written: &[&Syntax::CANONICAL, &Syntax::TRANSPORT, &Syntax::ADVANCED],
        folders: &["csexp"],
        file: |_| true,
        known: &[
            Known { reason: "a line end after the armour", holds: |case| case.text.starts_with(b"{") && case.text.ends_with(b"}\n") },
            Known {
                reason: "the byte after an escaped line end in a string is taken as it is, a quote or a backslash too",
                holds: |case| case.has("\\\n") || case.has("\\\r"),
            },
            Known { reason: "\\x in a string ends the program", holds: |case| case.has("\\x") && case.only_they_refuse("") },
            Known { reason: "\\v in a string is v, \\a is a", holds: |case| case.has("\\v") || case.has("\\a") },
        ],
    },
    Reader {
        name: "libgcrypt",
        package: "libgcrypt20 python3",
        program: Program::Script {
            command: &["python3"],
            helper: "libgcrypt.py",
            version: &["python3", concat!(env!("CARGO_MANIFEST_DIR"), "/readers/libgcrypt.py"), "--version"],
        },
        syntax: &Syntax::LIBGCRYPT,
        values: Values::ATOMS,
        style: Style {
            document: None,
            atom: forms::libgcrypt,
            blanks: SPACES,
            lists: PARENTHESES,
            prefixes: &[],
            wild: false,
            single: true,
            list: true,
        },
        written: &[&Syntax::LIBGCRYPT],
        folders: &["csexp"],
        file: |_| true,
        known: &[],
    },
    Reader {
        name: "csexp",
        package: "ocaml-nox ocaml-findlib libcsexp-ocaml-dev",
        program: Program::Ocaml { package: "csexp" },
        syntax: &Syntax::CSEXP,
        values: Values::ATOMS,
        style: Style {
            document: None,
            atom: forms::csexp,
            blanks: &[""],
            lists: PARENTHESES,
            prefixes: &[],
            wild: true,
            single: false,
            list: false,
        },
        written: &[&Syntax::CSEXP, &Syntax::CANONICAL],
        folders: &["csexp"],
        file: |_| true,
        known: &[],
    },
    Reader {
        name: "parsexp",
        package: "ocaml-nox ocaml-findlib libparsexp-ocaml-dev",
        program: Program::Ocaml { package: "parsexp" },
        syntax: &Syntax::SEXPLIB,
        values: Values::ATOMS,
        style: OCAML,
        written: &[&Syntax::SEXPLIB],
        folders: &["dune", "pddl"],
        file: |_| true,
        known: &[],
    },
    Reader {
        name: "sexplib",
        package: "ocaml-nox ocaml-findlib libsexplib-ocaml-dev",
        program: Program::Ocaml { package: "sexplib" },
        syntax: &Syntax::SEXPLIB,
        values: Values::ATOMS,
        style: OCAML,
        written: &[&Syntax::SEXPLIB],
        folders: &["dune", "pddl"],
        file: |_| true,
        known: &[
            Known {
                reason: "strings in a block comment are put in front of the next string",
                holds: |case| case.has("#|") && case.ours.fault.is_some() == case.theirs.fault.is_some() && case.theirs_end_as_ours(),
            },
            Known {
                reason: "fewer digits than an escape wants are text",
                holds: |case| case.ours.fault.as_ref().is_some_and(|fault| fault.contains("too few digits")) && case.theirs_end_as_ours(),
            },
            Known {
                reason: "before CR alone a backslash stays, before a blank it vanishes",
                holds: |case| case.differing().is_some_and(|(ours, theirs)| contains(theirs, b"\\\r") || contains(ours, b"\\ ")),
            },
        ],
    },
    Reader {
        name: "dune",
        package: "ocaml-dune",
        program: Program::Formatter { command: &["dune", "format-dune-file"] },
        syntax: &Syntax::DUNE,
        values: Values { atoms_only: false, ..Values::ATOMS },
        style: Style {
            document: None,
            atom: forms::dune,
            blanks: &[" ", "\n", "\t", "\x0c", "\r\n", "; c (\"\n", ";\r\n"],
            lists: PARENTHESES,
            prefixes: &[],
            wild: true,
            single: false,
            list: false,
        },
        written: &[&Syntax::DUNE],
        folders: &["dune"],
        file: |_| true,
        known: &[
            Known {
                reason: "until 2.9.3, a digit after an escape of digits makes it a bad one",
                holds: |case| {
                    case.only_they_refuse("unterminated hexadecimal escape") || case.only_they_refuse("unterminated decimal escape")
                },
            },
            Known {
                reason: "a template in quotes is printed with other escapes",
                holds: |case| {
                    case.differing().is_some_and(|(ours, theirs)| {
                        case.theirs.fault.is_none() && [ours, theirs].iter().all(|text| text.starts_with(b"\"") && contains(text, b"%{"))
                    })
                },
            },
        ],
    },
    Reader {
        name: "sbcl",
        package: "sbcl",
        program: Program::Script { command: &["sbcl", "--script"], helper: "sbcl.lisp", version: &["sbcl", "--version"] },
        syntax: &Syntax::COMMONLISP,
        values: Values {
            atoms_only: false,
            quotes: &[("'", "QUOTE"), ("`", "QUASIQUOTE"), (",", ","), (",@", ",@"), (",.", ",."), ("#'", "FUNCTION")],
            commas: true,
            dots: true,
            nil: &["NIL", "COMMON-LISP::NIL"],
            vectors: false,
            maps: false,
            told: tokens::all,
        },
        style: Style {
            document: None,
            atom: forms::commonlisp,
            blanks: &[" ", "\n", "\t", "; c (\"\n", "#| c #| \" |# |# "],
            lists: PARENTHESES,
            prefixes: &["'", "#'", "`"],
            wild: false,
            single: false,
            list: false,
        },
        written: &[&Syntax::COMMONLISP],
        folders: &["commonlisp"],
        file: |_| true,
        known: &[
            Known {
                reason: "#h, #a and #@ are made by the program that reads the file",
                holds: |case| case.only_they_refuse("no dispatch function") || case.has("#h\"") && case.only_they_refuse("Array literal"),
            },
            Known {
                reason: "after a dot a datum for each feature, of which a Lisp takes one",
                holds: |case| (case.has("#+") || case.has("#-")) && case.only_they_refuse("More than one object follows . in list"),
            },
            Known {
                reason: "what a feature leaves out need not be Lisp",
                holds: |case| (case.has("#+") || case.has("#-")) && case.only_they_refuse("too many dots"),
            },
            Known { reason: "labels are followed, ours are prefixes and atoms", holds: |case| case.has("#1=") },
            Known {
                reason: "package::( reads the form in that package, an extension of SBCL",
                holds: |case| case.has("::(") || case.has("::\n"),
            },
        ],
    },
    Reader {
        name: "guile",
        package: "guile-3.0",
        program: Program::Script { command: &["guile", "--no-auto-compile", "-s"], helper: "guile.scm", version: &["guile", "--version"] },
        syntax: &Syntax::GUILE,
        values: Values {
            atoms_only: false,
            quotes: &[
                ("'", "quote"),
                ("`", "quasiquote"),
                (",", "unquote"),
                (",@", "unquote-splicing"),
                ("#'", "syntax"),
                ("#`", "quasisyntax"),
                ("#,", "unsyntax"),
                ("#,@", "unsyntax-splicing"),
            ],
            commas: false,
            dots: true,
            nil: &[],
            vectors: false,
            maps: false,
            told: tokens::all,
        },
        style: Style {
            document: None,
            atom: forms::guile,
            blanks: &[" ", "\n", "\t", "; c (\"\n", "#| c #| \" |# |# ", "#;a ", "#;(b #\\)) ", "#! c !# "],
            lists: &[("(", ")"), ("(", ")"), ("[", "]")],
            prefixes: &["'", "`", ",", ",@", "#'", "#`", "#,", "#,@"],
            wild: false,
            single: false,
            list: false,
        },
        written: &[&Syntax::GUILE],
        folders: &["scheme"],
        file: |path| path.to_string_lossy().contains("guile"),
        known: &[],
    },
    Reader {
        name: "emacs",
        package: "emacs-nox",
        program: Program::Script { command: &["emacs", "-Q", "--batch", "-l"], helper: "emacs.el", version: &["emacs", "--version"] },
        syntax: &Syntax::ELISP,
        values: Values {
            atoms_only: false,
            quotes: &[("'", "quote"), ("`", "`"), (",", ","), (",@", ",@"), ("#'", "function")],
            commas: false,
            dots: true,
            nil: &["nil"],
            vectors: true,
            maps: false,
            told: tokens::all,
        },
        style: Style {
            document: None,
            atom: forms::elisp,
            blanks: &[" ", "\n", "\t", "\x0c", "; c (\"\n", "\u{a0}"],
            lists: &[("(", ")"), ("(", ")"), ("[", "]")],
            prefixes: &["'", "`", ",", ",@", "#'"],
            wild: false,
            single: false,
            list: false,
        },
        written: &[&Syntax::ELISP],
        folders: &["elisp"],
        file: |_| true,
        known: &[],
    },
    Reader {
        name: "csexpr",
        package: "csexpr, by pip",
        program: Program::Script {
            command: &["python3"],
            helper: "rfc9804.py",
            version: &["python3", concat!(env!("CARGO_MANIFEST_DIR"), "/readers/rfc9804.py"), "--version"],
        },
        syntax: &Syntax::ADVANCED,
        values: Values::ATOMS,
        style: Style {
            document: None,
            atom: forms::advanced,
            blanks: SPACES,
            lists: PARENTHESES,
            prefixes: &[],
            wild: true,
            single: true,
            list: false,
        },
        written: &[&Syntax::CANONICAL, &Syntax::ADVANCED, &Syntax::TRANSPORT],
        folders: &["csexp"],
        file: |_| true,
        known: &[
            Known { reason: "a line end after the armour", holds: |case| case.text.starts_with(b"{") && case.text.ends_with(b"}\n") },
            Known {
                reason: "base64 with bits that mean nothing, or half of its padding, is refused",
                holds: |case| case.only_they_refuse("does not belong in a base-64 encoding"),
            },
        ],
    },
    Reader {
        name: "chez",
        package: "chezscheme",
        program: Program::Script { command: &["chezscheme", "--script"], helper: "chez.ss", version: &["chezscheme", "--version"] },
        syntax: &Syntax::R6RS,
        values: Values {
            atoms_only: false,
            quotes: &[
                ("'", "quote"),
                ("`", "quasiquote"),
                (",", "unquote"),
                (",@", "unquote-splicing"),
                ("#'", "syntax"),
                ("#`", "quasisyntax"),
                ("#,", "unsyntax"),
                ("#,@", "unsyntax-splicing"),
            ],
            commas: false,
            dots: true,
            nil: &[],
            vectors: false,
            maps: false,
            told: tokens::all,
        },
        style: Style {
            document: None,
            atom: forms::r6rs,
            blanks: &[" ", "\n", "\t", "\r\n", "; c (\"\n", "#| c #| \" |# |# ", "#;a ", "#;(b #\\) ) "],
            lists: &[("(", ")"), ("(", ")"), ("[", "]")],
            prefixes: &["'", "`", ",", ",@", "#'", "#`", "#,", "#,@"],
            wild: false,
            single: false,
            list: false,
        },
        written: &[&Syntax::R6RS],
        folders: &[],
        file: |_| true,
        known: &[],
    },
    Reader {
        name: "clojure",
        package: "clojure",
        program: Program::Script {
            command: &["java", "-Xss256m", "-cp", CLOJURE, "clojure.main"],
            helper: "edn.clj",
            version: &["java", "-cp", CLOJURE, "clojure.main", "-e", "(print (clojure-version))"],
        },
        syntax: &Syntax::EDN,
        values: EDN,
        style: Style { blanks: &[" ", "\n", "\t", ",", "\x1c", "; c (\"\n", "#_a ", "#_(b \\) ) ", "#_ #_ a b "], ..EDN_FORMS },
        written: &[&Syntax::EDN],
        folders: &["edn"],
        file: |path| path.extension().is_some_and(|end| end == "edn"),
        known: &[Known {
            reason: "names, numbers and the names of characters are judged; a lexer does not",
            holds: |case| {
                let sayings = ["Invalid token: ", "Invalid number: ", "Unsupported character: "];
                sayings.into_iter().any(|saying| case.only_they_refuse(saying)) || case.text.starts_with(b"##\n")
            },
        }],
    },
    Reader {
        name: "edn-data",
        package: "edn-data, by npm",
        program: Program::Script {
            command: &["node", "--stack-size=60000"],
            helper: "edn-data.js",
            version: &["node", concat!(env!("CARGO_MANIFEST_DIR"), "/readers/edn-data.js"), "--version"],
        },
        syntax: &Syntax::EDN,
        values: EDN,
        style: Style { atom: forms::edn_data, ..EDN_FORMS },
        written: &[&Syntax::EDN],
        folders: &["edn"],
        file: |path| path.extension().is_some_and(|end| end == "edn"),
        known: &[
            Known {
                reason: "integers are numbers of 53 bits",
                holds: |case| {
                    case.differing()
                        .is_some_and(|(ours, theirs)| ours.len() > 15 && ours.len() == theirs.len() && ours[..15] == theirs[..15])
                },
            },
            Known {
                reason: "what is no EDN is taken all the same",
                holds: |case| case.ours.fault.is_some() && case.theirs.fault.is_none(),
            },
            Known {
                reason: "a character that is a delimiter is none, nor is a symbolic value",
                holds: |case| {
                    let parts = ["\\(", "\\)", "\\[", "\\]", "\\{", "\\}", "\\\"", "\\;", "\\,", "##"];
                    case.theirs.fault.is_some() && parts.iter().any(|part| case.has(part))
                },
            },
            Known {
                reason: "outside of lists, what touches the list after it is lost, or goes into that list",
                holds: |case| {
                    let opens = |reading: &Reading| {
                        case.place.and_then(|place| reading.tokens.get(place)).is_some_and(|token| b"([".contains(&token.tag))
                    };
                    case.theirs.fault.is_none() && (case.theirs.tokens.len() < case.ours.tokens.len() || opens(case.theirs))
                },
            },
        ],
    },
    Reader {
        name: "wabt",
        package: "wabt python3",
        program: Program::Script { command: &["python3"], helper: "wabt.py", version: &["wat2wasm", "--version"] },
        syntax: &Syntax::WAT,
        values: Values { atoms_only: false, told: tokens::data_segments, ..Values::ATOMS },
        style: Style { document: Some(forms::module), ..NO_FORMS },
        written: &[&Syntax::WAT],
        folders: &[],
        file: |_| true,
        known: &[],
    },
    Reader {
        name: "z3",
        package: "z3 python3",
        program: Program::Script { command: &["python3"], helper: "z3.py", version: &["z3", "--version"] },
        syntax: &Syntax::SMTLIB,
        values: Values { atoms_only: false, told: tokens::last_atom, ..Values::ATOMS },
        style: Style { document: Some(forms::command), ..NO_FORMS },
        written: &[&Syntax::SMTLIB],
        folders: &[],
        file: |_| true,
        known: &[],
    },
];

const EDN: Values = Values { atoms_only: false, vectors: true, maps: true, ..Values::ATOMS };

const EDN_FORMS: Style = Style {
    document: None,
    atom: forms::edn,
    blanks: &[" ", "\n", "\t", ",", "\r\n", "; c (\"\n", "#_a ", "#_(b \\c ) ", "#_ [a] "],
    lists: &[("(", ")"), ("[", "]")],
    prefixes: &["#tag ", "#a/b "],
    wild: false,
    single: false,
    list: false,
};

/// Of a dialect whose documents are made as a whole.
const NO_FORMS: Style =
    Style { document: None, atom: |_, _| {}, blanks: SPACES, lists: PARENTHESES, prefixes: &[], wild: false, single: false, list: false };

/// Where Debian puts it, with the specifications it needs.
const CLOJURE: &str = "/usr/share/java/clojure.jar:/usr/share/java/core.specs.alpha.jar:/usr/share/java/spec.alpha.jar";
