//! The flags: one field each, from which clap makes the parser and the help.

use crate::random::Sizes;
use crate::rounds::{Codec, Job};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Parser, error::ErrorKind};
use sexp_codec::{Converter, EncodeOptions, Layout, Options, Syntax};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const WORK: &str = "What to do (without one of these: recode the input to stdout)";
const SYNTAX: &str = "Syntax";
const DRIVER: &str = "How to drive the codec";
const RANDOM: &str = "Random data";
const LIMITS: &str = "Limits and errors";
const COSTS: &str = "What it costs";

const NETWORK: &str = "On the network";
const OTHER: &str = "Other";

/// Flags that mean nothing on the network.
const LOCAL: [&str; 16] =
    ["file", "dec", "enc", "print", "raw", "cmp", "alloc", "profile", "follow", "b", "enb", "unix", "usize", "sin", "sout", "fail_fast"];

const NOTES: &str = "\
Sizes (N) may end in K, M or G, for 1024 and its powers. Flags may have one dash or two.
Exit status: 0 clean, 1 malformed data or a difference, 2 wrong use or input/output error.

Examples:
  setrip -dec file.sexp                           check a file
  setrip -from sexplib -to canonical < in > out   convert
  setrip -follow -layout lines log.sexp           see each form that is written to a file
  nc host port | setrip -print -unix              see each lexeme at once
  setrip -enc -rseed 1067894368 > data            the random data of 2012
  setrip -cmp data                                blocking and non-blocking side by side (-enb: and async)
  setrip -serve 127.0.0.1:4000 -from sexplib -to canonical     recode for whoever connects
  setrip -load 127.0.0.1:4000 -from sexplib -to canonical      and put that under load
  setrip -serve unix:/tmp/socket                               the same at a path
  setrip -grid -figure grid.svg                                event loop and threads side by side";

/// The syntaxes, a line each: name, what it is, and the files that hold it.
fn list_of_syntaxes() -> String {
    let line = |syntax: &&Syntax| {
        let files = if syntax.files().is_empty() { String::new() } else { format!(" ({})", syntax.files().join(" ")) };
        format!("  {:10} {}{files}\n", syntax.name(), syntax.about())
    };
    Syntax::ALL.iter().map(line).collect()
}

/// What stands below the flags in the help.
fn notes() -> String {
    format!("Syntaxes (-list-syntaxes tells the names of their files, too):\n{}\n{NOTES}", names())
}

/// The names of the syntaxes, in lines.
fn names() -> String {
    let mut lines = vec![String::from(" ")];
    for syntax in Syntax::ALL {
        if lines.last().is_some_and(|line| line.len() + syntax.name().len() > 100) {
            lines.push(String::from(" "));
        }
        if let Some(line) = lines.last_mut() {
            line.extend([" ", syntax.name()]);
        }
    }
    lines.join("\n") + "\n"
}

/// A syntax by its name, or by that of the file.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Auto,
    Named(&'static Syntax),
}

/// Recodes, checks, converts, compares and profiles s-expressions
#[derive(Parser, Debug)]
#[command(name = "setrip", version, override_usage = "setrip [FLAGS] [FILE]", after_help = notes())]
#[command(disable_help_flag = true, disable_version_flag = true, term_width = 110)]
pub struct Flags {
    /// The input; without it, or with `-`, stdin
    #[arg(conflicts_with = "enc")]
    pub file: Option<PathBuf>,

    /// Decode only
    #[arg(long, help_heading = WORK)]
    pub dec: bool,
    /// Encode random data only
    #[arg(long, help_heading = WORK, conflicts_with_all = ["dec", "print", "cmp"])]
    pub enc: bool,
    /// Decode only, and print a lexeme a line: offsets, line and column, kind, text
    #[arg(long, help_heading = WORK)]
    pub print: bool,
    /// Recode without any change: white space, comments and spelling stay as they are
    #[arg(long, help_heading = WORK, conflicts_with_all = ["dec", "enc", "print", "cmp", "to", "alloc", "profile"])]
    pub raw: bool,
    /// Compare the blocking codec and the non-blocking one, or with -enb the async one: time, calls, memory, and whether they agree
    #[arg(long, help_heading = WORK, conflicts_with_all = ["dec", "print", "alloc", "profile", "b", "unix", "sin", "sout"])]
    pub cmp: bool,

    /// The syntax of the input
    #[arg(long, value_name = "SYNTAX", help_heading = SYNTAX, hide_possible_values = true, value_parser = syntaxes())]
    from: Option<Choice>,
    /// The syntax of the output
    #[arg(long, value_name = "SYNTAX", help_heading = SYNTAX, hide_possible_values = true, value_parser = syntaxes())]
    to: Option<Choice>,
    /// Let strings and other atoms become one where the syntax of the output does not tell them apart
    #[arg(long, help_heading = SYNTAX)]
    pub merge: bool,
    /// The syntax of both; auto: by the name of the file, else plain [default: auto; of random data: sexplib]
    #[arg(long, value_name = "SYNTAX", help_heading = SYNTAX, hide_possible_values = true, value_parser = syntaxes())]
    syntax: Option<Choice>,
    /// List the syntaxes
    #[arg(long, help_heading = SYNTAX)]
    list_syntaxes: bool,
    /// How the output is laid out
    #[arg(long, value_name = "LAYOUT", help_heading = SYNTAX, default_value = "compact", value_parser = layouts())]
    pub layout: Layout,
    /// How wide a line is with `-layout indent`, in columns of a byte each
    #[arg(long, value_name = "COLUMNS", help_heading = SYNTAX, default_value_t = EncodeOptions::new().width)]
    pub width: u16,

    /// Go on with what is written to FILE, be it truncated or replaced, until interrupted (SIGINT)
    #[arg(long, help_heading = DRIVER, requires = "file")]
    #[arg(conflicts_with_all = ["enc", "cmp", "alloc", "profile", "b", "enb", "unix", "sin", "sout"])]
    pub follow: bool,
    /// Use the blocking codec, not the non-blocking one
    #[arg(long, help_heading = DRIVER)]
    pub b: bool,
    /// Use the blocking calls in direct style: the async codec, and an executor
    #[arg(long, help_heading = DRIVER, conflicts_with_all = ["b", "alloc"])]
    pub enb: bool,
    /// Read and write without the standard library's buffers; through the event loop if non-blocking
    #[arg(long, help_heading = DRIVER)]
    pub unix: bool,
    /// How many bytes are read and written at a time
    #[arg(long, value_name = "N", help_heading = DRIVER, default_value = "64K", value_parser = buffer_size)]
    pub usize: usize,
    /// Read all the input first and decode from memory
    #[arg(long, help_heading = DRIVER, conflicts_with = "enc")]
    pub sin: bool,
    /// Encode to memory and write at the end
    #[arg(long, help_heading = DRIVER)]
    pub sout: bool,

    /// The seed [default: one of its own choosing, printed on stderr]
    #[arg(long, value_name = "SEED", help_heading = RANDOM, requires = "enc", allow_negative_numbers = true)]
    pub rseed: Option<i64>,
    /// How deep lists are
    #[arg(long, value_name = "N", help_heading = RANDOM, default_value = "10", value_parser = clap::value_parser!(u32).range(0..1 << 30))]
    maxd: u32,
    /// How many elements a list has
    #[arg(long, value_name = "N", help_heading = RANDOM, default_value = "50", value_parser = clap::value_parser!(u32).range(1..1 << 30))]
    maxl: u32,
    /// How many bytes an atom has
    #[arg(long, value_name = "N", help_heading = RANDOM, default_value = "5", value_parser = clap::value_parser!(u32).range(1..1 << 30))]
    maxa: u32,
    /// Go on with further documents until that many bytes are written
    #[arg(long, value_name = "N", help_heading = RANDOM, requires = "enc", value_parser = size)]
    pub size: Option<u64>,

    /// How deep lists may be
    #[arg(long, value_name = "N", help_heading = LIMITS, value_parser = size)]
    limit_depth: Option<u64>,
    /// How many bytes an atom may have
    #[arg(long, value_name = "N", help_heading = LIMITS, value_parser = size)]
    limit_atom: Option<u64>,
    /// How many bytes the input may have
    #[arg(long, value_name = "N", help_heading = LIMITS, value_parser = size)]
    limit_total: Option<u64>,
    /// Stop at the first error
    #[arg(long, help_heading = LIMITS)]
    pub fail_fast: bool,

    /// Print the comparison as one JSON object
    #[arg(long, help_heading = COSTS, requires = "cmp")]
    pub json: bool,
    /// Print what each of the first steps allocated
    #[arg(long, help_heading = COSTS, conflicts_with_all = ["print", "profile"])]
    pub alloc: bool,
    /// Write a flame graph of the run, from many rounds if it is short
    #[arg(long, value_name = "OUT.svg", help_heading = COSTS, conflicts_with = "print")]
    pub profile: Option<PathBuf>,

    /// Recode what clients send, a form a line: HOST:PORT, unix:PATH, or a path with a slash. Prints the address; SIGINT and SIGTERM end it
    #[arg(long, value_name = "ADDRESS", help_heading = NETWORK, group = "network", conflicts_with_all = LOCAL)]
    pub serve: Option<String>,
    /// Serve by the blocking codec and a thread a connection, not in the event loop
    #[arg(long, help_heading = NETWORK, requires = "serve")]
    pub serve_threads: bool,
    /// Close a connection after that time without a byte
    #[arg(long, value_name = "SECONDS", help_heading = NETWORK, requires = "serve", conflicts_with = "serve_threads", value_parser = clap::value_parser!(u64).range(1..))]
    pub idle_timeout: Option<u64>,
    /// Close a connection whose form is not complete after that time
    #[arg(long, value_name = "SECONDS", help_heading = NETWORK, requires = "serve", conflicts_with = "serve_threads", value_parser = clap::value_parser!(u64).range(1..))]
    pub message_timeout: Option<u64>,
    /// Put a server under load, and check every answer; -from and -to as the server has them
    #[arg(long, value_name = "ADDRESS", help_heading = NETWORK, group = "network", conflicts_with_all = LOCAL)]
    pub load: Option<String>,
    /// On how many connections
    #[arg(long, value_name = "N", help_heading = NETWORK, default_value = "100", value_parser = count)]
    pub conns: usize,
    /// How many messages on each
    #[arg(long, value_name = "N", help_heading = NETWORK, default_value = "1000", value_parser = clap::value_parser!(u64).range(1..100_000_000))]
    pub msgs: u64,
    /// How many messages of a connection are on their way at once
    #[arg(long, value_name = "N", help_heading = NETWORK, default_value = "16", value_parser = clap::value_parser!(u64).range(1..1 << 20))]
    pub window: u64,
    /// How long a load sends, and all runs of a server in a cell of the grid
    #[arg(long, value_name = "SECONDS", help_heading = NETWORK, default_value = "60", value_parser = clap::value_parser!(u64).range(1..1_000_000))]
    pub seconds: u64,
    /// Compare both servers under 10 to 10,000 connections and messages
    #[arg(long, help_heading = NETWORK, group = "network", conflicts_with_all = LOCAL)]
    pub grid: bool,
    /// In the grid, how many runs of each server a cell has, in turn; the one in the middle is shown
    #[arg(long, value_name = "N", help_heading = NETWORK, default_value = "3", requires = "grid", value_parser = clap::value_parser!(u32).range(1..1000))]
    pub rounds: u32,
    /// In the grid, leave out what has more connections
    #[arg(long, value_name = "N", help_heading = NETWORK, default_value = "10000", requires = "grid", value_parser = count)]
    pub conns_at_most: usize,
    /// In the grid, leave out what has more messages
    #[arg(long, value_name = "N", help_heading = NETWORK, default_value = "10000", requires = "grid")]
    pub msgs_at_most: u64,
    /// Draw the grid
    #[arg(long, value_name = "OUT.svg", help_heading = NETWORK, requires = "grid")]
    pub figure: Option<PathBuf>,

    /// Print this help
    #[arg(long, alias = "h", help_heading = OTHER, action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// Print the version
    #[arg(long, alias = "V", help_heading = OTHER, action = ArgAction::Version)]
    version: Option<bool>,
}

impl Flags {
    /// The flags of the command line; or, where there is nothing more to do than to print something, the exit code after it.
    pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Flags, ExitCode> {
        let error = match Flags::try_parse_from(two_dashes(arguments)) {
            Ok(flags) if flags.list_syntaxes => {
                // A reader who has gone away is no reason to complain.
                let _ = std::io::stdout().write_all(list_of_syntaxes().as_bytes());
                return Err(ExitCode::SUCCESS);
            }
            Ok(flags) => return Ok(flags),
            Err(error) => error,
        };
        let help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
        let terminal = if help { std::io::stdout().is_terminal() } else { std::io::stderr().is_terminal() };
        let text = error.render();
        let text = one_dash(&if terminal { text.ansi().to_string() } else { text.to_string() });
        // A reader who has gone away is no reason to complain.
        let _ = if help { std::io::stdout().write_all(text.as_bytes()) } else { std::io::stderr().write_all(text.as_bytes()) };
        Err(ExitCode::from(if help { 0 } else { 2 }))
    }

    /// Whether the input is stdin.
    pub fn reads_stdin(&self) -> bool {
        !self.enc && self.file.as_ref().is_none_or(|path| path == Path::new("-"))
    }

    /// Whether what is written comes from an encoder, and goes to stdout as it comes.
    pub fn streams(&self) -> bool {
        self.writes_data() && !(self.print || self.raw || self.sout)
    }

    /// Whether what the codec makes goes to stdout.
    pub fn writes_data(&self) -> bool {
        !(self.dec && !self.print || self.cmp || self.alloc || self.profile.is_some())
    }

    /// The syntax of the input.
    pub fn from(&self) -> &'static Syntax {
        self.chosen(self.from.or(self.syntax).unwrap_or(Choice::Auto))
    }

    /// The syntax of the output: that of the input, if nothing else is said.
    pub fn to(&self) -> &'static Syntax {
        self.to.or(self.syntax).map_or_else(
            || if self.from.is_some() && self.to.is_none() { self.from() } else { self.chosen(Choice::Auto) },
            |choice| self.chosen(choice),
        )
    }

    fn chosen(&self, choice: Choice) -> &'static Syntax {
        match choice {
            Choice::Named(syntax) => syntax,
            Choice::Auto if self.enc => &Syntax::SEXPLIB,
            Choice::Auto => self
                .file
                .as_deref()
                .and_then(Path::file_name)
                .and_then(|name| Syntax::for_file(&name.to_string_lossy()))
                .unwrap_or(&Syntax::PLAIN),
        }
    }

    /// The limits, as the decoder takes them.
    pub fn options(&self) -> Options {
        let mut options = Options::default();
        options.depth = self.limit_depth;
        options.atom = self.limit_atom;
        options.total = self.limit_total;
        options
    }

    /// How lexemes are written.
    ///
    /// Random data say nothing about it.
    pub fn encode_options(&self) -> EncodeOptions {
        let options = self.converter().encode_options().layout(self.layout).width(self.width);
        if self.enc { options.respell(true) } else { options }
    }

    /// What stands between decoder and encoder. Random data are made for the syntax of the output.
    pub fn converter(&self) -> Converter {
        Converter::new(if self.enc { self.to() } else { self.from() }, self.to()).merge_atoms(self.merge)
    }

    /// The same work in memory.
    pub fn job<'a>(&self, input: &'a [u8]) -> Job<'a> {
        let (options, encode_options) = (self.options(), self.encode_options());
        let merge = self.merge;
        Job { input, from: self.from(), options, to: self.to(), merge, encode_options, buffer: self.usize, passes: 1 }
    }

    /// The codec that the flags choose.
    pub fn codec(&self) -> Codec {
        match (self.b, self.enb) {
            (true, _) => Codec::Blocking,
            (_, true) => Codec::Direct,
            _ => Codec::NonBlocking,
        }
    }

    /// How large random documents become.
    pub fn sizes(&self) -> Sizes {
        Sizes { depth: self.maxd, list: self.maxl, atom: self.maxa }
    }
}

/// Flags have one dash, as in 2012; clap wants two.
fn two_dashes(arguments: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut flags = true;
    arguments.map(move |argument| {
        flags &= argument != "--";
        match argument.as_encoded_bytes() {
            [b'-', letter, ..] if flags && letter.is_ascii_alphabetic() => {
                let mut two = OsString::from("-");
                two.push(argument);
                two
            }
            _ => argument,
        }
    })
}

/// And shows two.
fn one_dash(text: &str) -> String {
    let mut parts = text.split("--");
    let mut one = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        one.push_str(if part.starts_with(|c: char| c.is_ascii_alphabetic()) { "-" } else { "--" });
        one.push_str(part);
    }
    one
}

fn syntaxes() -> impl TypedValueParser<Value = Choice> {
    let auto = PossibleValue::new("auto").help("by the name of the file");
    let named = Syntax::ALL.iter().map(|syntax| PossibleValue::new(syntax.name()).help(syntax.about()));
    PossibleValuesParser::new([auto].into_iter().chain(named)).map(|name| Syntax::by_name(&name).map_or(Choice::Auto, Choice::Named))
}

fn layouts() -> impl TypedValueParser<Value = Layout> {
    let compact = PossibleValue::new("compact").help("no white space that is not needed");
    let lines = PossibleValue::new("lines").help("compact, a top-level form a line");
    let indent = PossibleValue::new("indent").help("for people, in lines of `-width`, as is the habit of the syntax");
    PossibleValuesParser::new([compact, lines, indent]).map(|name| match &name[..] {
        "compact" => Layout::Compact,
        "lines" => Layout::Lines,
        _ => Layout::Indent,
    })
}

/// A number, and K, M or G after it.
fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 1 << 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| "expected a number such as 4096, 64K, 32M or 1G".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "the number is too large".to_owned())
}

/// A number of connections.
fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1_000_000) => Ok(count),
        _ => Err("expected a number from 1 to 1000000".to_owned()),
    }
}

fn buffer_size(text: &str) -> Result<usize, String> {
    match size(text)? {
        0 => Err("a buffer needs at least 1 byte".to_owned()),
        bytes @ 1..=0x4000_0000 => Ok(bytes as usize),
        _ => Err("a buffer has at most 1G".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Flags, clap::Error> {
        Flags::try_parse_from(two_dashes(line.split(' ').map(OsString::from)))
    }

    #[test]
    fn clap_finds_no_contradiction() {
        Flags::command().debug_assert();
    }

    #[test]
    fn one_dash_and_two_are_the_same() {
        for line in ["setrip -dec -usize 4K -b", "setrip --dec --usize=4K --b", "setrip -dec -usize=4096 -b"] {
            let flags = parse(line).unwrap();
            assert!(flags.dec && flags.b, "{line}");
            assert_eq!(flags.usize, 4096, "{line}");
        }
        assert_eq!(parse("setrip -enc -rseed -12").unwrap().rseed, Some(-12));
        assert_eq!(parse("setrip -").unwrap().file, Some(PathBuf::from("-")));
        assert_eq!(parse("setrip -- -dec").unwrap().file, Some(PathBuf::from("-dec")));
    }

    #[test]
    fn what_is_wrong_is_said_with_one_dash() {
        let text = one_dash(&parse("setrip -frm se").unwrap_err().to_string());
        assert!(text.contains("unexpected argument '-frm'") && text.contains("'-from'"), "{text}");
        let text = one_dash(&parse("setrip -from sexpilb").unwrap_err().to_string());
        assert!(text.contains("'sexpilb'") && text.contains("similar value exists: 'sexplib'"), "{text}");
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("32M"), Ok(32 << 20));
        assert_eq!(size("0"), Ok(0));
        for wrong in ["", "K", "1.5M", "-1", "1T", "99999999999G"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert!(buffer_size("0").is_err());
    }

    #[test]
    fn every_flag_stands_in_the_help_with_one_dash() {
        let help = one_dash(&Flags::command().render_help().to_string());
        assert!(!help.contains("--"), "{help}");
        for argument in Flags::command().get_arguments() {
            if let Some(long) = argument.get_long() {
                assert!(help.contains(&format!(" -{long}")), "{long}");
            }
        }
    }
}
