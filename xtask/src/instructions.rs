//! The guard that noise cannot fool: instructions a lexeme, counted by callgrind and compared with a file that is committed.
//!
//! Each work is done once in one run and several times in another; the difference has neither start-up nor the making of the document in
//! it. The figures depend on the compiler, whose version is therefore in the file.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// The works that are counted for documents of other dialects.
const FEW_WORKS: [&str; 4] = ["decode", "bulk", "decode-16", "encode"];

/// The documents, and what is done with each.
const DOCUMENTS: [(&str, &[&str]); 5] =
    [("random", &WORKS), ("records", &WORKS), ("library", &FEW_WORKS), ("script", &FEW_WORKS), ("code", &FEW_WORKS)];

const WORKS: [&str; 10] =
    ["decode", "decode-depth", "for_each", "bulk", "decode-16", "decode-1", "decode-blocking", "encode", "encode-blocking", "recode"];

/// How much more often the work is done in the second run.
const TIMES: u64 = 2;

pub struct Options {
    bless: bool,
    limit: Option<f64>,
}

impl Options {
    pub fn read(arguments: &[&str]) -> Result<Options, Box<dyn Error>> {
        match arguments {
            [] => Ok(Options { bless: false, limit: None }),
            ["--bless", rest @ ..] => Ok(Options { bless: true, ..Options::read(rest)? }),
            ["--limit", percent, rest @ ..] => {
                let limit = percent.parse().map_err(|_| format!("--limit wants a number of percent, not {percent}"))?;
                Ok(Options { limit: Some(limit), ..Options::read(rest)? })
            }
            [other, ..] => Err(format!("there is no {other}; there are --bless and --limit PERCENT").into()),
        }
    }
}

/// Whether no count has grown beyond the limit.
pub fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask is in no workspace")?;
    let file = root.join("benches/instructions.tsv");
    let committed = Table::read(&file)?;
    let program = build(root)?;
    let mut counted = Table { compiler: compiler()?, rows: BTreeMap::new() };
    println!("Instructions a lexeme, by callgrind. It knows no AVX-512: on x86-64 the AVX2 kernel is counted.");
    if counted.compiler != committed.compiler && !committed.rows.is_empty() {
        println!("The committed figures are of another compiler, {}; this is {}.", committed.compiler, counted.compiler);
    }
    println!("{:10} {:16} {:>9} {:>9} {:>8}", "document", "work", "committed", "counted", "change");
    let mut within = true;
    for (document, works) in DOCUMENTS {
        for &work in works {
            let count = instructions_a_lexeme(&program, document, work)?;
            let row = (document.to_owned(), work.to_owned());
            match committed.rows.get(&row) {
                Some(&before) => {
                    let change = 100.0 * (count / before - 1.0);
                    within &= options.limit.is_none_or(|limit| change <= limit);
                    println!("{document:10} {work:16} {before:9.2} {count:9.2} {change:+7.2}%");
                }
                None => println!("{document:10} {work:16} {:>9} {count:9.2}", "-"),
            }
            counted.rows.insert(row, count);
        }
    }
    if options.bless {
        fs::write(&file, counted.text()).map_err(|error| format!("{}: {error}", file.display()))?;
        println!("{} is written anew.", file.display());
        return Ok(true);
    }
    if let (false, Some(limit)) = (within, options.limit) {
        println!("There is growth by more than {limit} %. If it is as it has to be: cargo xtask instructions --bless");
    }
    Ok(within)
}

/// What is in the file.
struct Table {
    compiler: String,
    /// Document and work, and instructions a lexeme.
    rows: BTreeMap<(String, String), f64>,
}

impl Table {
    /// A file that is not there has no rows.
    fn read(file: &Path) -> Result<Table, Box<dyn Error>> {
        let text = if file.exists() { fs::read_to_string(file)? } else { String::new() };
        let mut table = Table { compiler: String::new(), rows: BTreeMap::new() };
        for line in text.lines() {
            if let Some(compiler) = line.strip_prefix("# compiler: ") {
                compiler.clone_into(&mut table.compiler);
            } else if !line.starts_with('#') {
                let mut fields = line.split('\t');
                let (Some(document), Some(work), Some(count)) = (fields.next(), fields.next(), fields.next()) else {
                    return Err(format!("{}: not a row: {line}", file.display()).into());
                };
                table.rows.insert((document.to_owned(), work.to_owned()), count.parse()?);
            }
        }
        Ok(table)
    }

    fn text(&self) -> String {
        let mut text = format!(
            "# Instructions a lexeme: document, work, count. Written by `cargo xtask instructions --bless`.\n# compiler: {}\n",
            self.compiler
        );
        for ((document, work), count) in &self.rows {
            _ = writeln!(text, "{document}\t{work}\t{count:.2}");
        }
        text
    }
}

/// Builds the program that is counted, as it is released.
fn build(root: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["build", "--release", "--package", "xtask", "--bin", "counted", "--message-format=json"];
    let output = Command::new(cargo).current_dir(root).args(arguments).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err("the program to be counted cannot be built".into());
    }
    let messages = String::from_utf8(output.stdout)?;
    let path = messages.rsplit("\"executable\":\"").next().and_then(|rest| rest.split('"').next());
    Ok(path.ok_or("cargo does not say where it is")?.into())
}

fn compiler() -> Result<String, Box<dyn Error>> {
    let output = Command::new("rustc").arg("--version").output()?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn instructions_a_lexeme(program: &Path, document: &str, work: &str) -> Result<f64, Box<dyn Error>> {
    let (once, lexemes) = count(program, document, work, 1)?;
    let (often, _) = count(program, document, work, 1 + TIMES)?;
    Ok((often - once) as f64 / (TIMES * lexemes) as f64)
}

/// How many instructions a run has, and how many lexemes the document.
fn count(program: &Path, document: &str, work: &str, times: u64) -> Result<(u64, u64), Box<dyn Error>> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([document, work, &times.to_string()])
        .output()
        .map_err(|error| format!("valgrind: {error}; it is needed to count instructions"))?;
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{document}, {work}: {messages}").into());
    }
    let collected = messages.lines().find_map(|line| line.split_once("Collected :")).ok_or("callgrind does not say what it counted")?;
    Ok((collected.1.trim().parse()?, String::from_utf8(output.stdout)?.trim().parse()?))
}
