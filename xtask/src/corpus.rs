//! Reads a directory of real files, and tells what became of them.

use sexp_codec::blocking::{Encoder, Item};
use sexp_codec::nonblocking::{Decode, Decoder};
use sexp_codec::{EncodeOptions, Error, Kind, Options, Syntax, blocking};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is known of the files of one folder.
#[derive(Default)]
struct Row {
    syntax: &'static str,
    files: usize,
    bytes: u64,
    lexemes: u64,
    faulty: Vec<(PathBuf, Error, u64)>,
    errors: u64,
    /// Files that came back byte for byte from all their text.
    same_text: usize,
    /// Files that, written again, read as the same lexemes.
    same_lexemes: usize,
    other_text: Vec<PathBuf>,
    other_lexemes: Vec<(PathBuf, String)>,
    time: Duration,
}

/// Reads the folders of a directory, each named after a syntax, and prints a table; whether all was well.
pub fn run(directory: &Path, only: Option<&str>) -> Result<bool, Box<dyn std::error::Error>> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut folders: Vec<_> = std::fs::read_dir(directory)?.collect::<Result<_, _>>()?;
    folders.sort_by_key(std::fs::DirEntry::path);
    for folder in folders.iter().filter(|folder| folder.path().is_dir()) {
        let name = folder.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || only.is_some_and(|only| only != name) {
            continue;
        }
        let mut files = Vec::new();
        gather(&folder.path(), &mut files)?;
        files.sort();
        for file in files {
            let Some(syntax) = syntax_of(&name, &file) else { continue };
            let row = rows.entry(format!("{name}\t{}", syntax.name())).or_default();
            row.syntax = syntax.name();
            let bytes = std::fs::read(&file)?;
            check(syntax, &bytes, &file, row);
        }
    }
    show(&rows, directory);
    Ok(rows.values().all(|row| row.other_lexemes.is_empty() && row.other_text.is_empty()))
}

/// The syntax of a file in the folder of that name: what its own name says, if that is of the same family, else the folder's.
fn syntax_of(folder: &str, file: &Path) -> Option<&'static Syntax> {
    let name = file.file_name()?.to_string_lossy();
    let text = file.to_string_lossy();
    match (folder, Syntax::for_file(&name)) {
        ("edn", Some(syntax)) => Some(syntax),
        ("scheme", Some(syntax)) if syntax.name() == "racket" => Some(syntax),
        ("scheme", _) if text.contains("guile") => Syntax::by_name("guile"),
        ("csexp", _) => Syntax::by_name("advanced"),
        _ => Syntax::by_name(folder),
    }
}

/// The files in a folder and all below it.
pub fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Decodes a text in chunks, and hands over what comes of it.
#[inline]
fn decode(syntax: &'static Syntax, options: Options, bytes: &[u8], mut take: impl FnMut(Decode<'_>)) {
    let mut decoder = Decoder::with_options(syntax, options);
    for chunk in bytes.chunks(64 * 1024).chain([&[][..]]) {
        let mut input = if chunk.is_empty() { decoder.finish() } else { decoder.feed(chunk) };
        loop {
            match input.decode() {
                Decode::Await | Decode::End => break,
                decoded => take(decoded),
            }
        }
    }
}

/// The lexemes of a text, as a number, and how many there are.
fn digest(syntax: &'static Syntax, bytes: &[u8]) -> (u64, u64, u64, Option<Error>) {
    let (mut hash, mut lexemes, mut errors, mut first) = (DefaultHasher::new(), 0, 0, None);
    decode(syntax, Options::default(), bytes, |decoded| match decoded {
        Decode::Lexeme(lexeme) => {
            lexemes += 1;
            lexeme.hash(&mut hash);
        }
        Decode::Error(error) => {
            errors += 1;
            first = first.or(Some(error));
        }
        _ => {}
    });
    (hash.finish(), lexemes, errors, first)
}

/// How long it takes to decode a text, and to look at each lexeme: the best of three times.
fn time(syntax: &'static Syntax, bytes: &[u8]) -> Duration {
    (0..3).map(|_| time_once(syntax, bytes)).min().unwrap_or_default()
}

fn time_once(syntax: &'static Syntax, bytes: &[u8]) -> Duration {
    let mut length = 0;
    let begin = Instant::now();
    decode(syntax, Options::default(), bytes, |decoded| {
        if let Decode::Lexeme(lexeme) = decoded {
            length += lexeme.bytes.len() + lexeme.kind as usize;
        }
    });
    std::hint::black_box(length);
    begin.elapsed()
}

fn check(syntax: &'static Syntax, bytes: &[u8], file: &Path, row: &mut Row) {
    let (hash, lexemes, errors, first) = digest(syntax, bytes);
    row.files += 1;
    row.bytes += bytes.len() as u64;
    row.lexemes += lexemes;
    row.errors += errors;
    row.time += time(syntax, bytes);
    if let Some(error) = first {
        row.faulty.push((file.to_owned(), error, errors));
        return;
    }
    if verbatim(syntax, bytes) == bytes {
        row.same_text += 1;
    } else {
        row.other_text.push(file.to_owned());
    }
    match again(syntax, bytes) {
        Ok(text) => {
            let (other, count, faults, ..) = digest(syntax, &text);
            if (other, count, faults) == (hash, lexemes, 0) {
                row.same_lexemes += 1;
            } else {
                row.other_lexemes.push((file.to_owned(), format!("{count} lexemes for {lexemes}, {faults} errors")));
            }
        }
        Err(why) => row.other_lexemes.push((file.to_owned(), why)),
    }
}

/// All text of the input, put together again.
fn verbatim(syntax: &'static Syntax, bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    decode(syntax, Options::default().verbatim(true), bytes, |decoded| {
        if let Decode::Lexeme(lexeme) = decoded {
            text.extend_from_slice(lexeme.bytes);
        }
    });
    text
}

/// The lexemes of the input, written again.
fn again(syntax: &'static Syntax, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut decoder = blocking::Decoder::new(bytes, syntax);
    let mut encoder = Encoder::with_capacity(Vec::new(), 64 * 1024, syntax, EncodeOptions::default());
    loop {
        match decoder.next().map_err(|error| error.to_string())? {
            Item::Lexeme(lexeme) if lexeme.kind == Kind::Comment => {}
            Item::Lexeme(lexeme) => {
                let start = lexeme.span.start;
                encoder.encode(lexeme).map_err(|error| format!("at byte {start}: {error}"))?;
            }
            Item::End => break,
            _ => return Err("an error".into()),
        }
    }
    encoder.finish().map_err(|error| error.to_string())?;
    Ok(std::mem::take(encoder.get_mut()))
}

fn show(rows: &BTreeMap<String, Row>, directory: &Path) {
    println!(
        "{:11} {:10} {:>6} {:>10} {:>10} {:>7} {:>9} {:>9} {:>8} {:>7}",
        "folder", "syntax", "files", "bytes", "lexemes", "faulty", "raw same", "recode", "MB/s", "ns"
    );
    for (name, row) in rows {
        let folder = name.split('\t').next().unwrap_or_default();
        let sound = row.files - row.faulty.len();
        let seconds = row.time.as_secs_f64().max(1e-9);
        println!(
            "{folder:11} {:10} {:>6} {:>10} {:>10} {:>7} {:>9} {:>9} {:>8.0} {:>7.1}",
            row.syntax,
            row.files,
            row.bytes,
            row.lexemes,
            row.faulty.len(),
            format!("{}/{sound}", row.same_text),
            format!("{}/{sound}", row.same_lexemes),
            row.bytes as f64 / 1e6 / seconds,
            seconds * 1e9 / row.lexemes.max(1) as f64,
        );
    }
    for row in rows.values() {
        let short = |path: &Path| path.strip_prefix(directory).unwrap_or(path).display().to_string();
        for (path, error, errors) in &row.faulty {
            println!("faulty  {}:{error} ({errors} in all) [{}]", short(path), row.syntax);
        }
        for path in &row.other_text {
            println!("raw     {} [{}]", short(path), row.syntax);
        }
        for (path, why) in &row.other_lexemes {
            println!("recode  {}: {why} [{}]", short(path), row.syntax);
        }
    }
}
