//! `-profile`: a flame graph of the work, done in memory over and over until there is enough to see.

use crate::drive::Stop;
use crate::failure::Failure;
use crate::flags::Flags;
use crate::input::Source;
use crate::random::Documents;
use crate::report::say;
use crate::rounds::{Codec, Job, Nowhere, Tally};
use std::fs::File;
use std::hint::black_box;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Samples a second. Not a round number, so as not to keep step with anything.
const FREQUENCY: i32 = 997;

/// How long the work goes on at least.
const AT_LEAST: Duration = Duration::from_secs(2);

/// Profiles the work that the flags choose, and writes the flame graph.
pub fn profile(flags: &Flags, seed: i64, path: &Path) -> Result<(), Failure> {
    // First, so that a path that cannot be written is not noticed last.
    let file = File::create(path).map_err(|error| output(path, error))?;
    let input = if flags.enc { Vec::new() } else { Source::read_whole(flags)? };
    let (job, codec) = (flags.job(&input), flags.codec());
    let guard = pprof::ProfilerGuardBuilder::default()
        .frequency(FREQUENCY)
        .blocklist(&["libc", "libgcc", "pthread", "vdso"])
        .build()
        .map_err(|error| output(path, error))?;
    let (start, mut rounds) = (Instant::now(), 0);
    while rounds == 0 || start.elapsed() < AT_LEAST {
        black_box(match (flags.enc, flags.dec) {
            (true, _) => encode(&job, codec, Documents::new(seed, flags.sizes())),
            (_, true) => job.decode(codec),
            _ => job.recode(codec),
        });
        rounds += 1;
    }
    let elapsed = start.elapsed();
    let report = guard.report().build().map_err(|error| output(path, error))?;
    let samples: isize = report.data.values().sum();
    report.flamegraph(file).map_err(|error| output(path, error))?;
    say(&format!("{}: {samples} samples at {FREQUENCY} Hz, {rounds} rounds in {:.2} s\n", path.display(), elapsed.as_secs_f64()));
    Ok(())
}

#[inline(never)]
fn encode(job: &Job<'_>, codec: Codec, mut documents: Documents) -> Tally {
    let mut encoder = job.encoder(codec, Nowhere::default());
    documents.start();
    // What cannot be encoded is not: the work is the same each time.
    while let Ok(Stop::Refused(..)) = encoder.encode(&mut documents) {}
    let mut tally = Tally::default();
    tally.add(encoder);
    tally
}

fn output(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::Output(io::Error::other(format!("{}: {error}", path.display())))
}
