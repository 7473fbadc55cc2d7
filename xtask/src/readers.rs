//! Compares our decoder and encoder with readers that others wrote.
//!
//! What such a reader reads, we must read as the same values; what we write, it must read as the values that were written. Where the two
//! differ for a reason that is known, the reason is in the list of the reader; it is counted, and not followed.

mod forms;
mod list;
mod tokens;

use forms::Random;
use list::{Program, READERS, Reader};
use sexp_codec::blocking::Encoder;

use sexp_codec::{EncodeOptions, Kind, Layout, Lexeme, Syntax, blocking};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tokens::Reading;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// How long a program may take, for all the files it is given at once.
const PATIENCE: Duration = Duration::from_secs(120);
/// How many files a program is given at once.
const BATCH: usize = 100;
/// Files that are larger are left out, in bytes.
const LARGEST: u64 = 1 << 20;
/// How many differences are shown.
const SHOWN: usize = 12;

/// What is to be compared.
pub struct Options {
    names: Vec<String>,
    corpus: Option<PathBuf>,
    documents: usize,
    files: usize,
    seed: u64,
    keep: bool,
    /// Whether only our decoder is compared.
    reading: bool,
}

impl Options {
    pub fn read(arguments: &[&str]) -> Outcome<Options> {
        let mut options = Options { names: Vec::new(), corpus: None, documents: 500, files: 100, seed: 1, keep: false, reading: false };
        let mut arguments = arguments.iter();
        while let Some(&argument) = arguments.next() {
            let mut value = || arguments.next().copied().ok_or_else(|| format!("{argument} wants a value"));
            match argument {
                "--corpus" => options.corpus = Some(value()?.into()),
                "--documents" => options.documents = value()?.parse()?,
                "--files" => options.files = value()?.parse()?,
                "--seed" => options.seed = value()?.parse()?,
                "--keep" => options.keep = true,
                "--reading" => options.reading = true,
                name if READERS.iter().any(|reader| reader.name == name) => options.names.push(name.into()),
                _ => {
                    let names: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
                    return Err(format!("no such reader or option: {argument}; the readers are {}", names.join(", ")).into());
                }
            }
        }
        Ok(options)
    }
}

/// Where a document comes from.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    Generated,
    File,
    Encoded,
}

/// A document, and what it should mean.
struct Document {
    path: PathBuf,
    origin: Origin,
    forms: usize,
    expected: Reading,
}

/// What came out for a reader.
#[derive(Default)]
struct Row {
    generated: usize,
    written: usize,
    files: usize,
    agree: usize,
    known: BTreeMap<&'static str, usize>,
    differ: Vec<String>,
}

/// Compares all readers that are installed, and prints a table; whether there was no difference but known ones.
pub fn run(options: &Options) -> Outcome<bool> {
    // Forms are nested deeply, and put together by recursion.
    std::thread::scope(|scope| {
        let worker =
            std::thread::Builder::new().stack_size(1 << 29).spawn_scoped(scope, || all(options).map_err(|error| error.to_string()))?;
        Ok(worker.join().map_err(|_| "the comparison panicked")??)
    })
}

fn all(options: &Options) -> Outcome<bool> {
    let scratch = std::env::temp_dir().join(format!("sexp-codec-readers-{}", std::process::id()));
    let mut fine = true;
    println!(
        "{:10} {:10} {:12} {:>9} {:>8} {:>6} {:>7} {:>6} {:>7} {:>5}",
        "reader", "syntax", "version", "generated", "written", "files", "agree", "known", "differ", "s"
    );
    for reader in READERS.iter().filter(|reader| options.names.is_empty() || options.names.iter().any(|name| name == reader.name)) {
        let begin = Instant::now();
        std::fs::create_dir_all(&scratch)?;
        let Some((program, version)) = reader.program.prepare(&scratch)? else {
            println!("{:10} skipped: not installed ({})", reader.name, reader.package);
            continue;
        };
        let row = compare(reader, &program, options, &scratch)?;
        println!(
            "{:10} {:10} {version:12} {:>9} {:>8} {:>6} {:>7} {:>6} {:>7} {:>5.0}",
            reader.name,
            reader.syntax.name(),
            row.generated,
            row.written,
            row.files,
            row.agree,
            row.known.values().sum::<usize>(),
            row.differ.len(),
            begin.elapsed().as_secs_f64()
        );
        row.known.iter().for_each(|(reason, count)| println!("    known {count:>5}: {reason}"));
        row.differ.iter().take(SHOWN).for_each(|difference| println!("{difference}"));
        fine &= row.differ.is_empty();
        if options.keep {
            println!("    kept: {}", scratch.display());
        } else {
            std::fs::remove_dir_all(&scratch)?;
        }
    }
    Ok(fine)
}

fn compare(reader: &Reader, program: &[String], options: &Options, scratch: &Path) -> Outcome<Row> {
    let mut documents = generated(reader, options, scratch)?;
    if !options.reading {
        written(reader, options, scratch, &mut documents)?;
    }
    if let Some(corpus) = &options.corpus {
        for folder in reader.folders {
            files(reader, &corpus.join(folder), options.files, &mut documents)?;
        }
    }
    let mut row = Row::default();
    for batch in documents.chunks(BATCH) {
        let paths: Vec<&Path> = batch.iter().map(|document| document.path.as_path()).collect();
        let readings = read_all(reader, program, &paths)?;
        for (document, theirs) in batch.iter().zip(&readings) {
            match document.origin {
                Origin::Generated => row.generated += document.forms,
                Origin::Encoded => row.written += document.forms,
                Origin::File => row.files += 1,
            }
            let ours = &document.expected;
            let place = tokens::difference(ours, theirs);
            if place.is_none() && ours.fault.is_some() == theirs.fault.is_some() {
                row.agree += 1;
                continue;
            }
            let text = std::fs::read(&document.path)?;
            if let Some(known) = reader.known.iter().find(|known| (known.holds)(&list::Case { text: &text, ours, theirs, place })) {
                *row.known.entry(known.reason).or_default() += 1;
            } else {
                row.differ.push(tell(&document.path, &text, ours, theirs, place));
            }
        }
    }
    Ok(row)
}

/// A difference, in words.
fn tell(path: &Path, text: &[u8], ours: &Reading, theirs: &Reading, place: Option<usize>) -> String {
    let side = |reading: &Reading| {
        let place = place.unwrap_or(reading.tokens.len());
        let shown: Vec<String> = reading.tokens.iter().skip(place.saturating_sub(3)).take(7).map(ToString::to_string).collect();
        let mut shown = format!("{} ({} tokens)", shown.join(" "), reading.tokens.len());
        if let Some(fault) = &reading.fault {
            shown += &format!(" !{fault}");
        }
        shown.chars().take(600).collect::<String>()
    };
    let mut start = text.escape_ascii().to_string();
    start.truncate(400);
    format!("    differ: {}\n        text   {start}\n        ours   {}\n        theirs {}", path.display(), side(ours), side(theirs))
}

/// What we read.
fn read(reader: &Reader, text: &[u8]) -> Reading {
    // The advanced form has no armour; its readers take it off all the same.
    let armoured = reader.syntax.name() == "advanced" && text.starts_with(b"{");
    let syntax = if armoured { &Syntax::TRANSPORT } else { reader.syntax };
    tokens::ours(text, syntax, &reader.values, reader.style.single)
}

/// Random documents.
fn generated(reader: &Reader, options: &Options, scratch: &Path) -> Outcome<Vec<Document>> {
    let mut random = Random(options.seed);
    (0..options.documents)
        .map(|number| {
            let (text, forms) = reader.style.document(&mut random);
            let path = scratch.join(format!("generated-{number}"));
            std::fs::write(&path, &text)?;
            Ok(Document { path, origin: Origin::Generated, forms, expected: read(reader, &text) })
        })
        .collect()
}

/// What our encoder makes of random lexemes: of any bytes, or, where there are many kinds, of what was decoded.
fn written(reader: &Reader, options: &Options, scratch: &Path, documents: &mut Vec<Document>) -> Outcome<()> {
    for syntax in reader.written {
        let mut random = Random(options.seed ^ 0x5eed);
        for number in 0..options.documents / reader.written.len() {
            let layout = *random.pick(&[Layout::Compact, Layout::Lines, Layout::Indent]);
            let (text, expected, forms) = if reader.values.atoms_only {
                encode(reader, syntax, layout, &mut random)?
            } else {
                let (text, forms) = reader.style.document(&mut random);
                let Some(again) = recode(&text, syntax, layout) else { continue };
                (again, tokens::ours(&text, syntax, &reader.values, false).tokens, forms)
            };
            let path = scratch.join(format!("written-{}-{number}", syntax.name()));
            std::fs::write(&path, &text)?;
            documents.push(Document { path, origin: Origin::Encoded, forms, expected: Reading { tokens: expected, fault: None } });
        }
    }
    Ok(())
}

/// Decodes and encodes; nothing where the syntax cannot carry it.
fn recode(text: &[u8], syntax: &'static Syntax, layout: Layout) -> Option<Vec<u8>> {
    let mut decoder = blocking::Decoder::new(text, syntax);
    let mut encoder = Encoder::with_capacity(Vec::new(), 4096, syntax, EncodeOptions::default().layout(layout));
    while let Some(lexeme) = decoder.decode().ok()? {
        encoder.encode(lexeme).ok()?;
    }
    encoder.finish().ok()?;
    Some(std::mem::take(encoder.get_mut()))
}

/// Writes random lexemes; those that the syntax cannot carry are left out.
fn encode(reader: &Reader, syntax: &'static Syntax, layout: Layout, random: &mut Random) -> Outcome<(Vec<u8>, Vec<tokens::Token>, usize)> {
    let mut encoder = Encoder::with_capacity(Vec::new(), 4096, syntax, EncodeOptions::default().layout(layout));
    let mut lexemes: Vec<(Kind, Vec<u8>)> = Vec::new();
    let (mut forms, mut depth) = (0, 0);
    let wanted = if reader.style.single { 1 } else { 1 + random.below(6) };
    while forms < wanted {
        let lexeme = match random.below(8) {
            _ if reader.style.list && depth == 0 => (Kind::Open, b"(".to_vec()),
            0 | 1 if depth < 1000 => (Kind::Open, b"(".to_vec()),
            2 | 3 if depth > 0 => (Kind::Close, b")".to_vec()),
            4 | 5 => (Kind::Bare, forms::octets(random)),
            6 => (Kind::Octets, forms::octets(random)),
            _ => (Kind::String, forms::octets(random)),
        };
        if encoder.encode(Lexeme::new(lexeme.0, &lexeme.1)).is_err() {
            continue;
        }
        match lexeme.0 {
            Kind::Open => depth += 1,
            Kind::Close => depth -= 1,
            _ => {}
        }
        forms += usize::from(depth == 0);
        lexemes.push(lexeme);
    }
    encoder.finish()?;
    let expected = tokens::meaning(lexemes.iter().map(|(kind, bytes)| Lexeme::new(*kind, bytes)), syntax, &reader.values);
    Ok((std::mem::take(encoder.get_mut()), expected, forms))
}

/// Files of a folder, as many as wanted, from all of it.
fn files(reader: &Reader, folder: &Path, wanted: usize, documents: &mut Vec<Document>) -> Outcome<()> {
    let mut found = Vec::new();
    if folder.is_dir() {
        crate::corpus::gather(folder, &mut found)?;
    }
    found.retain(|path| (reader.file)(path) && path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST));
    found.sort();
    let step = found.len().div_ceil(wanted.max(1)).max(1);
    for path in found.into_iter().step_by(step) {
        let text = std::fs::read(&path)?;
        let expected = read(reader, &text);
        documents.push(Document { path, origin: Origin::File, forms: 0, expected });
    }
    Ok(())
}

/// What the reader reads in each of the files.
fn read_all(reader: &Reader, program: &[String], paths: &[&Path]) -> Outcome<Vec<Reading>> {
    let mut readings = Vec::new();
    if let Program::Canonical { .. } | Program::Formatter { .. } = reader.program {
        for path in paths {
            let mut command = Command::new(&program[0]);
            command.args(&program[1..]).stdin(std::fs::File::open(path)?);
            let (printed, said, well) = bounded(command)?;
            let fault = (!well).then(|| if said.is_empty() { "it ended badly".into() } else { said });
            let tokens = match reader.program {
                Program::Canonical { .. } => tokens::take_canonical(&printed),
                _ => read(reader, &printed).tokens,
            };
            readings.push(Reading { tokens, fault });
        }
        return Ok(readings);
    }
    while readings.len() < paths.len() {
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).args(&paths[readings.len()..]).stdin(Stdio::null());
        let (printed, said, _) = bounded(command)?;
        let (mut more, whole) = tokens::take_apart(&printed);
        if more.is_empty() {
            return Err(format!("{} printed nothing: {said}", reader.name).into());
        }
        if let Some(last) = more.last_mut().filter(|_| !whole) {
            last.fault = Some(format!("it died: {said}"));
        }
        readings.append(&mut more);
    }
    Ok(readings)
}

/// Runs a program for a bounded time: what it printed, what it said about errors, whether it ended well.
fn bounded(mut command: Command) -> Outcome<(Vec<u8>, String, bool)> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (mut out, mut err) = (child.stdout.take().ok_or("no output")?, child.stderr.take().ok_or("no output")?);
    let printed = std::thread::spawn(move || {
        let mut printed = Vec::new();
        out.read_to_end(&mut printed).map(|_| printed)
    });
    let said = std::thread::spawn(move || {
        let mut said = Vec::new();
        err.read_to_end(&mut said).map(|_| said)
    });
    let begin = Instant::now();
    let mut pause = Duration::from_millis(1);
    let well = loop {
        if let Some(status) = child.try_wait()? {
            break status.success();
        }
        if begin.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            break false;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    let printed = printed.join().map_err(|_| "reading its output panicked")??;
    let said = said.join().map_err(|_| "reading its errors panicked")??;
    Ok((printed, String::from_utf8_lossy(&said).trim().to_owned(), well))
}
