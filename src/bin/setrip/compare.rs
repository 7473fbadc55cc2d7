//! `-cmp`: the blocking codec and another, the non-blocking or the async one, side by side on the same input.

use crate::counting::{self, Allocations};
use crate::drive::{Decoded, Lexemes, Stop, Take};
use crate::failure::Failure;
use crate::flags::Flags;
use crate::input::Source;
use crate::progress::{Progress, Unit};
use crate::recode::Recode;
use crate::rounds::{Codec, Each, Job, Nowhere, Once, Tally};
use crate::way::Refusal;
use rustix::time::{ClockId, clock_gettime};
use sexp_codec::blocking::Item;
use sexp_codec::{Kind, Lexeme, blocking};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const WORKS: [&str; 3] = ["decode", "encode", "recode"];

/// How long one measurement lasts at least; a short input is worked on many times.
const AT_LEAST: Duration = Duration::from_millis(10);
/// How long all of them last, where the input is not too long for it.
const ALL: Duration = Duration::from_secs(2);

const MEMORY: &str = "memory can be read";

/// Compares, prints the outcome, and says by the exit code whether the codecs agree on an input that is well-formed.
pub fn compare(flags: &Flags) -> Result<ExitCode, Failure> {
    let input = Source::read_whole(flags)?;
    let job = flags.job(&input);
    let comparison = Comparison::of(&job, flags.codec());
    let text = if flags.json { comparison.json() } else { comparison.table() };
    std::io::stdout().write_all(text.as_bytes()).map_err(Failure::Output)?;
    let clean = comparison.difference.is_none() && comparison.errors == 0;
    Ok(ExitCode::from(if clean { 0 } else { 1 }))
}

/// All that was found out.
struct Comparison<'a> {
    job: Job<'a>,
    codecs: [Codec; 2],
    rounds: usize,
    lexemes: u64,
    errors: u64,
    refused: u64,
    difference: Option<String>,
    /// By work, and by codec.
    measured: [[Measured; 2]; 3],
}

/// What one codec did and needed for one work.
#[derive(Clone, Default)]
struct Measured {
    /// Seconds for the input once, round by round.
    seconds: Vec<f64>,
    tally: Tally,
    /// Allocations a step, after everything has warmed up.
    allocations: f64,
    /// Bytes that were allocated at most at one time.
    peak: u64,
}

impl<'a> Comparison<'a> {
    /// The blocking codec and the other one.
    fn of(job: &Job<'a>, other: Codec) -> Comparison<'a> {
        let codecs = [Codec::Blocking, other];
        let difference = difference(job, codecs);
        let mut measured: [[Measured; 2]; 3] = Default::default();
        for (index, codec) in codecs.into_iter().enumerate() {
            measured[0][index].count(job, codec, false);
            measured[2][index].count(job, codec, true);
        }
        count_encode(job, codecs, &mut measured[1]);
        let once = time(1, || job.decode(other)).max(Duration::from_nanos(1));
        let repeat = (AT_LEAST.as_nanos() / once.as_nanos()).max(1) as u32;
        let started = Instant::now();
        round(job, codecs, [0, 1], repeat, &mut measured);
        let rounds = (ALL.as_nanos() / started.elapsed().as_nanos().max(1)).clamp(5, 25) as usize;
        let mut progress = Progress::start(Unit::Rounds, Some(rounds as u64), false);
        progress.advance(1);
        for number in 1..rounds {
            // Who is first may have an advantage: they take turns.
            round(job, codecs, if number % 2 == 0 { [0, 1] } else { [1, 0] }, repeat, &mut measured);
            progress.advance(1);
        }
        let Tally { lexemes, errors, .. } = measured[0][1].tally;
        let refused = measured[2][1].tally.refused;
        Comparison { job: *job, codecs, rounds, lexemes, errors, refused, difference, measured }
    }

    fn table(&self) -> String {
        let Job { from, to, buffer, input, .. } = self.job;
        let mut text = format!(
            "{} bytes, {} lexemes, {} errors, {} lexemes refused; {} to {}; buffers of {buffer} bytes; medians of {} rounds\n\n",
            input.len(),
            self.lexemes,
            self.errors,
            self.refused,
            from.name(),
            to.name(),
            self.rounds
        );
        text += &format!("{:8}{:24}{:>14}{:>14}{:>9}\n", "", "", "blocking", self.other(), "ratio");
        for (work, pair) in WORKS.iter().zip(&self.measured) {
            for (index, row) in self.rows(pair).iter().enumerate() {
                let head = if index == 0 { work } else { "" };
                text += &format!("{head:8}{:24}{:>14}{:>14}{:>9}\n", row.name, row.cells[0], row.cells[1], row.ratio);
            }
            text.push('\n');
        }
        if let Some(peak) = peak_memory() {
            text += &format!("peak memory of the whole process, the input included: {} KiB\n", peak / 1024);
        }
        text += &match &self.difference {
            None => "lexemes, positions and output are identical\n".to_owned(),
            Some(difference) => format!("THEY DIFFER: {difference}\n"),
        };
        text
    }

    /// The name of the other codec.
    fn other(&self) -> &'static str {
        if self.codecs[1] == Codec::Direct { "async" } else { "non-blocking" }
    }

    fn rows(&self, pair: &[Measured; 2]) -> Vec<Row> {
        let bytes = self.job.input.len() as f64;
        let lexemes = self.lexemes.max(1) as f64;
        let mut rows = vec![
            Row::new("processor time, ms", pair, |one| format!("{:.*}", if one.median() < 1e-3 { 6 } else { 3 }, one.median() * 1e3)),
            Row::new("MB/s", pair, |one| format!("{:.1}", bytes / one.median() / 1e6)),
            Row::new("ns a lexeme", pair, |one| format!("{:.2}", one.median() * 1e9 / lexemes)),
        ];
        rows[0].ratio = format!("{:.3}", ratio(pair));
        let mut calls = |name, of: fn(&Tally) -> u64| {
            if pair.iter().any(|one| of(&one.tally) > 0) {
                rows.push(Row::new(name, pair, |one| of(&one.tally).to_string()));
            }
        };
        calls("read calls", |tally| tally.reads);
        calls("write calls", |tally| tally.writes);
        calls("Await", |tally| tally.awaits);
        calls("Partial", |tally| tally.partials);
        rows.push(Row::new("allocations a step", pair, |one| format!("{:.6}", one.allocations)));
        rows.push(Row::new("peak heap, KiB", pair, |one| format!("{:.1}", one.peak as f64 / 1024.0)));
        rows
    }

    fn json(&self) -> String {
        let works = WORKS.iter().zip(&self.measured).map(|(work, pair)| {
            let [blocking, other] = pair.each_ref().map(|one| self.json_of(one));
            let both = serde_json::json!({ "blocking": blocking, self.other().replace('-', "_"): other, "ratio": ratio(pair) });
            ((*work).to_owned(), both)
        });
        let mut object = serde_json::json!({
            "bytes": self.job.input.len(),
            "lexemes": self.lexemes,
            "errors": self.errors,
            "refused": self.refused,
            "from": self.job.from.name(),
            "to": self.job.to.name(),
            "buffer": self.job.buffer,
            "rounds": self.rounds,
            "identical": self.difference.is_none(),
            "difference": self.difference,
            "peak_memory_bytes": peak_memory(),
        });
        if let Some(object) = object.as_object_mut() {
            object.extend(works);
        }
        format!("{object:#}\n")
    }

    fn json_of(&self, one: &Measured) -> serde_json::Value {
        let median = one.median();
        serde_json::json!({
            "seconds": median,
            "megabytes_per_second": self.job.input.len() as f64 / median / 1e6,
            "nanoseconds_per_lexeme": median * 1e9 / self.lexemes.max(1) as f64,
            "read_calls": one.tally.reads,
            "write_calls": one.tally.writes,
            "awaits": one.tally.awaits,
            "partials": one.tally.partials,
            "allocations_per_step": one.allocations,
            "peak_heap_bytes": one.peak,
        })
    }
}

/// A line of the table.
struct Row {
    name: &'static str,
    cells: [String; 2],
    ratio: String,
}

impl Row {
    fn new(name: &'static str, pair: &[Measured; 2], cell: impl Fn(&Measured) -> String) -> Row {
        Row { name, cells: pair.each_ref().map(cell), ratio: String::new() }
    }
}

impl Measured {
    fn median(&self) -> f64 {
        median(self.seconds.clone())
    }

    /// Counts what decoding needs, or recoding. The input comes twice; after the first time everything has warmed up.
    fn count(&mut self, job: &Job<'_>, codec: Codec, encode: bool) {
        self.tally = if encode { job.recode(codec) } else { job.decode(codec) };
        let once = job.decode(codec).lexemes;
        let (mut steps, mut warm) = (0, Allocations::so_far());
        let ((), peak) = counting::peak_of(|| {
            let mut encoder = encode.then(|| job.encoder(codec, Nowhere::default()));
            let each = |lexeme: Lexeme<'_>| {
                steps += 1;
                if steps == once {
                    warm = Allocations::so_far();
                }
                if let Some(encoder) = &mut encoder {
                    let _ = encoder.encode(&mut Once(Some(lexeme)));
                }
            };
            job.twice().run(codec, &mut Each(each));
        });
        self.allocations = Allocations::since(warm).calls as f64 / (steps - once).max(1) as f64;
        self.peak = peak;
    }
}

/// Takes the time of each work by each codec.
fn round(job: &Job<'_>, codecs: [Codec; 2], order: [usize; 2], repeat: u32, measured: &mut [[Measured; 2]; 3]) {
    for index in order {
        let codec = codecs[index];
        let decode = time(repeat, || job.decode(codec));
        let recode = time(repeat, || job.recode(codec));
        measured[0][index].seconds.push((decode / repeat).as_secs_f64());
        measured[2][index].seconds.push((recode / repeat).as_secs_f64());
    }
    for (one, seconds) in measured[1].iter_mut().zip(time_encode(job, codecs, order, repeat)) {
        one.seconds.push(seconds);
    }
}

/// Lexemes to be encoded, that were decoded before.
#[derive(Default)]
struct Block {
    lexemes: Vec<(Kind, usize, usize)>,
    bytes: Vec<u8>,
}

impl Block {
    /// So many lexemes stay in a cache near the processor.
    const LEXEMES: usize = 16 * 1024;
    const BYTES: usize = 128 * 1024;

    /// Decodes the input, block by block.
    fn each(job: &Job<'_>, mut each: impl FnMut(&Block)) {
        let mut block = Block { lexemes: Vec::with_capacity(Block::LEXEMES), bytes: Vec::with_capacity(Block::BYTES) };
        let each_lexeme = |lexeme: Lexeme<'_>| {
            block.lexemes.push((lexeme.kind, block.bytes.len(), block.bytes.len() + lexeme.bytes.len()));
            block.bytes.extend_from_slice(lexeme.bytes);
            if block.lexemes.len() == Block::LEXEMES || block.bytes.len() >= Block::BYTES {
                each(&block);
                block.lexemes.clear();
                block.bytes.clear();
            }
        };
        job.run(Codec::NonBlocking, &mut Each(each_lexeme));
        each(&block);
    }

    /// Encodes its lexemes, and says how many were refused.
    #[inline(never)]
    fn encode(&self, encoder: &mut Recode<Nowhere>) -> u64 {
        let mut refused = 0;
        let mut rest = Rest { block: self, at: 0 };
        while let Ok(Stop::Refused(..)) = encoder.encode(&mut rest) {
            refused += 1;
        }
        refused
    }
}

/// What of a block is not encoded yet.
struct Rest<'a> {
    block: &'a Block,
    at: usize,
}

impl Lexemes for Rest<'_> {
    #[inline(always)]
    fn next(&mut self) -> Result<Lexeme<'_>, Stop> {
        let &(kind, start, end) = self.block.lexemes.get(self.at).ok_or(Stop::End)?;
        self.at += 1;
        Ok(Lexeme::new(kind, &self.block.bytes[start..end]))
    }
}

/// Seconds for encoding the input once, by codec.
fn time_encode(job: &Job<'_>, codecs: [Codec; 2], order: [usize; 2], repeat: u32) -> [f64; 2] {
    let mut encoders = codecs.map(|codec| job.encoder(codec, Nowhere::default()));
    let mut spent = [Duration::ZERO; 2];
    Block::each(job, |block| {
        for index in order {
            spent[index] += time(repeat, || block.encode(&mut encoders[index]));
        }
    });
    spent.map(|spent| (spent / repeat).as_secs_f64())
}

/// Counts what encoding needs, by codec.
fn count_encode(job: &Job<'_>, codecs: [Codec; 2], measured: &mut [Measured; 2]) {
    let lexemes = job.decode(Codec::NonBlocking).lexemes;
    for (one, codec) in measured.iter_mut().zip(codecs) {
        let mut encoder = job.encoder(codec, Nowhere::default());
        Block::each(job, |block| one.tally.refused += block.encode(&mut encoder));
        one.tally.add(encoder);

        let before = counting::live();
        let mut encoder = job.encoder(codec, Nowhere::default());
        let own = counting::live() - before;
        let (mut steps, mut warm) = (0, Allocations::default());
        Block::each(&job.twice(), |block| {
            let then = Allocations::so_far();
            let (_, peak) = counting::peak_of(|| block.encode(&mut encoder));
            one.peak = one.peak.max(own + peak);
            if steps >= lexemes {
                warm += Allocations::since(then);
            }
            steps += block.lexemes.len() as u64;
        });
        one.allocations = warm.calls as f64 / (steps - lexemes).max(1) as f64;
    }
}

/// Where the codecs differ first: in a lexeme or error, in its place, or in the output.
fn difference(job: &Job<'_>, codecs: [Codec; 2]) -> Option<String> {
    let mut lockstep = Lockstep {
        blocking: job.blocking_decoder(),
        outputs: codecs.map(|codec| job.encoder(codec, Vec::new())),
        progress: Progress::start(Unit::Bytes, Some(job.input.len() as u64), false),
        seen: 0,
        step: 0,
        difference: None,
    };
    job.run(codecs[1], &mut lockstep);
    lockstep.difference
}

/// Takes the lexemes of the other codec, and for each one of the blocking codec.
struct Lockstep<R> {
    blocking: blocking::Decoder<R>,
    outputs: [Recode<Vec<u8>>; 2],
    progress: Progress,
    seen: u64,
    step: u64,
    difference: Option<String>,
}

/// After so many steps the outputs are compared.
const STEPS: u64 = 4096;

impl<R: BufRead> Take for Lockstep<R> {
    fn take(&mut self, lexemes: &mut impl Decoded) -> Result<Stop, Failure> {
        loop {
            let ours = lexemes.next();
            if matches!(ours, Err(Stop::Await)) {
                return Ok(Stop::Await);
            }
            self.step += 1;
            let (outcome, stop) = match (ours, self.blocking.next().expect(MEMORY)) {
                (Ok(ours), Item::Lexeme(theirs)) if ours == theirs && ours.span == theirs.span => {
                    let same = refusal(&mut self.outputs[0], theirs) == refusal(&mut self.outputs[1], ours);
                    (if same { Ok(Some(ours.span.start)) } else { Err(format!("only one encoder refuses {ours:?}")) }, None)
                }
                (Err(Stop::Malformed(ours)), Item::Error(theirs)) if ours == theirs => (Ok(None), Some(Stop::Malformed(ours))),
                (Err(Stop::End), Item::End) => (Ok(None), Some(Stop::End)),
                (Ok(ours), theirs) => (Err(format!("one reads {ours:?}, blocking {theirs:?}")), None),
                (Err(Stop::Malformed(ours)), theirs) => (Err(format!("one says {ours}, blocking {theirs:?}")), None),
                (Err(_), theirs) => (Err(format!("one stops, blocking {theirs:?}")), None),
            };
            let outcome = outcome.and_then(|place| self.check(place, stop.is_some(), lexemes));
            if let Err(difference) = outcome {
                self.difference = Some(format!("step {}: {difference}", self.step));
                return Ok(Stop::End);
            }
            if let Some(stop) = stop {
                return Ok(stop);
            }
        }
    }
}

impl<R: BufRead> Lockstep<R> {
    /// Compares where both are, and from time to time what they have written.
    fn check(&mut self, place: Option<u64>, always: bool, lexemes: &mut impl Decoded) -> Result<(), String> {
        if let Some(place) = place {
            let (Ok(theirs), Ok(ours)) = (self.blocking.location(place), lexemes.location(place)) else { unreachable!("{MEMORY}") };
            if theirs != ours || self.blocking.position() != lexemes.position() {
                return Err(format!("blocking at {theirs}, the other at {ours}"));
            }
        }
        self.progress.advance(lexemes.position() - std::mem::replace(&mut self.seen, lexemes.position()));
        if always || self.step.is_multiple_of(STEPS) {
            return difference_of(&mut self.outputs);
        }
        Ok(())
    }
}

/// Why the encoder does not write the lexeme.
fn refusal(encoder: &mut Recode<Vec<u8>>, lexeme: Lexeme<'_>) -> Option<Refusal> {
    match encoder.encode(&mut Once(Some(lexeme))) {
        Ok(Stop::Refused(_, why)) => Some(why),
        _ => None,
    }
}

/// Whether the output up to here is the same. If so, it is forgotten.
fn difference_of(outputs: &mut [Recode<Vec<u8>>; 2]) -> Result<(), String> {
    for output in outputs.iter_mut() {
        output.flush().expect(MEMORY);
    }
    let [theirs, ours] = outputs;
    if theirs.sink() != ours.sink() {
        return Err("the output before it differs".to_owned());
    }
    theirs.sink().clear();
    ours.sink().clear();
    Ok(())
}

/// Processor time of this thread: whatever else goes on in the machine is not counted.
fn time<T>(repeat: u32, mut work: impl FnMut() -> T) -> Duration {
    let start = clock_gettime(ClockId::ThreadCPUTime);
    for _ in 0..repeat {
        black_box(work());
    }
    let spent = clock_gettime(ClockId::ThreadCPUTime) - start;
    Duration::try_from(spent).unwrap_or_default()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

/// Non-blocking to blocking: the median of the rounds' ratios, in each of which both had the same machine.
fn ratio(pair: &[Measured; 2]) -> f64 {
    median(pair[0].seconds.iter().zip(&pair[1].seconds).map(|(blocking, non_blocking)| non_blocking / blocking).collect())
}

/// Bytes of memory that the process had at most.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}
