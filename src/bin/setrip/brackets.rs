//! `-alloc`: a bracket around each of the first steps, which shows what it allocated. As the profile of 2012 did.

use crate::counting::Allocations;
use crate::drive::Stop;
use crate::failure::Failure;
use crate::flags::Flags;
use crate::input::Source;
use crate::random::Documents;
use crate::recode::Recode;
use crate::rounds::{Codec, Job, Nowhere, Once};
use sexp_codec::blocking::Item;
use sexp_codec::nonblocking::{self, Decode};
use sexp_codec::{Kind, Lexeme};
use std::fmt::Write as _;
use std::io::Write as _;

/// How many steps are shown one by one.
const SHOWN: u64 = 24;

/// Prints what each of the first steps allocated, and what all of them did.
pub fn show(flags: &Flags, seed: i64) -> Result<(), Failure> {
    let mut table = Table::new();
    if flags.enc {
        let job = flags.job(&[]);
        let mut encoder = table.creation("encoder", || job.encoder(flags.codec(), Nowhere::default()));
        let mut documents = Documents::new(seed, flags.sizes());
        documents.start();
        while let Some(lexeme) = documents.next() {
            table.encode(&mut encoder, lexeme);
        }
    } else {
        let input = Source::read_whole(flags)?;
        let job = flags.job(&input);
        let encoder = (!flags.dec).then(|| table.creation("encoder", || job.encoder(flags.codec(), Nowhere::default())));
        decode(&job, flags.codec(), encoder, &mut table);
    }
    std::io::stdout().write_all(table.end().as_bytes()).map_err(Failure::Output)
}

fn decode(job: &Job<'_>, codec: Codec, mut encoder: Option<Recode<Nowhere>>, table: &mut Table) {
    let mut encode = |table: &mut Table, lexeme: Lexeme<'_>| {
        if let Some(encoder) = &mut encoder {
            table.encode(encoder, lexeme);
        }
    };
    if codec == Codec::Blocking {
        let mut decoder = table.creation("decoder", || job.blocking_decoder());
        loop {
            let before = Allocations::so_far();
            let item = decoder.next().expect("memory can be read");
            let used = Allocations::since(before);
            match item {
                Item::Lexeme(lexeme) => {
                    table.step("decode", Given::Lexeme(lexeme), used);
                    encode(table, lexeme);
                }
                Item::End => return table.step("decode", Given::Other("End"), used),
                _ => table.step("decode", Given::Other("Error"), used),
            }
        }
    }
    let mut chunk = table.creation("chunk", || vec![0; job.buffer]);
    let mut decoder = table.creation("decoder", || nonblocking::Decoder::with_options(job.from, job.options));
    let mut memory = job.memory();
    loop {
        let n = memory.fill(&mut chunk);
        let mut input = if n == 0 { decoder.finish() } else { decoder.feed(&chunk[..n]) };
        loop {
            let before = Allocations::so_far();
            let given = input.decode();
            let used = Allocations::since(before);
            match given {
                Decode::Lexeme(lexeme) => {
                    table.step("decode", Given::Lexeme(lexeme), used);
                    encode(table, lexeme);
                }
                Decode::Await => {
                    table.step("decode", Given::Other("Await"), used);
                    break;
                }
                Decode::End => return table.step("decode", Given::Other("End"), used),
                _ => table.step("decode", Given::Other("Error"), used),
            }
        }
    }
}

/// What a step gave, or was given.
enum Given<'a> {
    Lexeme(Lexeme<'a>),
    Other(&'static str),
}

/// The table as text, and the sums under it.
struct Table {
    text: String,
    steps: u64,
    all: Allocations,
    later: Allocations,
}

impl Table {
    fn new() -> Table {
        let text = format!("{:>8}  {:8} {:24} {:>12} {:>10}\n", "step", "call", "lexeme", "allocations", "bytes");
        Table { text, steps: 0, all: Allocations::default(), later: Allocations::default() }
    }

    fn creation<T>(&mut self, what: &str, create: impl FnOnce() -> T) -> T {
        let before = Allocations::so_far();
        let created = create();
        let used = Allocations::since(before);
        self.line("", "create", what, used);
        created
    }

    fn encode(&mut self, encoder: &mut Recode<Nowhere>, lexeme: Lexeme<'_>) {
        let before = Allocations::so_far();
        let encoded = encoder.encode(&mut Once(Some(lexeme)));
        let used = Allocations::since(before);
        match encoded {
            Ok(Stop::End) => self.step("encode", Given::Lexeme(lexeme), used),
            _ => self.step("encode", Given::Other("Error"), used),
        }
    }

    fn step(&mut self, call: &str, given: Given<'_>, used: Allocations) {
        self.steps += 1;
        self.all += used;
        if self.steps > SHOWN {
            self.later += used;
            return;
        }
        let shown = match given {
            Given::Other(name) => name.to_owned(),
            Given::Lexeme(Lexeme { kind: kind @ (Kind::Open | Kind::Close), .. }) => kind.name().to_owned(),
            Given::Lexeme(lexeme) => format!("{} {}", lexeme.kind.name(), lexeme.bytes[..lexeme.bytes.len().min(12)].escape_ascii()),
        };
        self.line(&self.steps.to_string(), call, &shown, used);
    }

    fn line(&mut self, step: &str, call: &str, what: &str, used: Allocations) {
        let _ = writeln!(self.text, "{step:>8}  {call:8} {what:24.24} {:>12} {:>10}", used.calls, used.bytes);
    }

    fn end(mut self) -> String {
        let Table { steps, all, later, .. } = self;
        let _ = writeln!(self.text, "\n{steps} steps: {} allocations, {} bytes", all.calls, all.bytes);
        let _ = writeln!(self.text, "after the first {SHOWN}: {} allocations, {} bytes", later.calls, later.bytes);
        self.text
    }
}
