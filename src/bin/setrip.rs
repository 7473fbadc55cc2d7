//! `setrip` recodes, checks, converts, compares and profiles s-expressions. `setrip -help` says how.

#[path = "setrip/brackets.rs"]
mod brackets;
#[path = "setrip/compare.rs"]
mod compare;
#[path = "setrip/counting.rs"]
mod counting;
#[path = "setrip/direct.rs"]
mod direct;
#[path = "setrip/drive.rs"]
mod drive;
#[path = "setrip/failure.rs"]
mod failure;
#[path = "setrip/flags.rs"]
mod flags;
#[path = "setrip/follow.rs"]
mod follow;
#[path = "setrip/grid.rs"]
mod grid;
#[path = "setrip/input.rs"]
mod input;
#[path = "setrip/load.rs"]
mod load;
#[path = "setrip/output.rs"]
mod output;
#[path = "setrip/print.rs"]
mod print;
#[path = "setrip/profile.rs"]
mod profile;
#[path = "setrip/progress.rs"]
mod progress;
#[path = "setrip/random.rs"]
mod random;
#[path = "setrip/raw.rs"]
mod raw;
#[path = "setrip/recode.rs"]
mod recode;
#[path = "setrip/report.rs"]
mod report;
#[path = "setrip/rounds.rs"]
mod rounds;
#[path = "setrip/serve.rs"]
mod serve;
#[path = "setrip/signals.rs"]
mod signals;
#[path = "setrip/way.rs"]
mod way;

use drive::{Check, Work};
use failure::Failure;
use flags::Flags;
use follow::Follow;
use input::Source;
use output::Sink;
use print::Print;
use random::Documents;
use raw::Raw;
use recode::Recode;
use report::{Report, say};
use rounds::Codec;
use sexp_codec::Options;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

fn main() -> ExitCode {
    let flags = match Flags::parse(std::env::args_os()) {
        Ok(flags) => flags,
        Err(code) => return code,
    };
    match run(&flags) {
        Ok(code) => code,
        // Who reads the output has seen enough.
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            say(&format!("setrip: {}\n", failure.message(&input::name(flags.file.as_deref()))));
            ExitCode::from(2)
        }
    }
}

fn run(flags: &Flags) -> Result<ExitCode, Failure> {
    if let Some(address) = &flags.serve {
        return serve::serve(flags, address).map(|()| ExitCode::SUCCESS);
    }
    if let Some(address) = &flags.load {
        return load::load(flags, address);
    }
    if flags.grid {
        return grid::grid(flags);
    }
    if flags.unix && !flags.b {
        signals::restore_on_signals(flags.reads_stdin(), flags.writes_data()).map_err(Failure::Input)?;
    }
    if flags.cmp {
        return compare::compare(flags);
    }
    if flags.alloc {
        brackets::show(flags, seed(flags))?;
    } else if let Some(path) = &flags.profile {
        profile::profile(flags, seed(flags), path)?;
    } else if flags.enc {
        let documents = Documents::new(seed(flags), flags.sizes());
        recode(flags, Sink::open(flags)?).documents(documents, flags.size.unwrap_or(0), flags.usize)?;
    } else if flags.print {
        return decode(flags, flags.options(), |sink| Print::new(sink, flags.usize));
    } else if flags.raw {
        return decode(flags, flags.options().verbatim(true), |sink| Raw::new(sink, flags.usize));
    } else if flags.dec {
        return decode(flags, flags.options().fragments(Check::WHOLE), |_| Check::default());
    } else {
        return decode(flags, flags.options(), |sink| recode(flags, sink));
    }
    Ok(ExitCode::SUCCESS)
}

fn recode(flags: &Flags, sink: Sink) -> Recode<Sink> {
    Recode::new(flags.codec(), flags.converter(), flags.encode_options(), flags.usize, sink)
}

/// Decodes the input and does the work with it.
fn decode<W: Work>(flags: &Flags, options: Options, work_with: impl FnOnce(Sink) -> W) -> Result<ExitCode, Failure> {
    let mut report = Report::new(input::name(flags.file.as_deref()), flags.fail_fast);
    let from = flags.from();
    let mut work;
    let outcome = if flags.follow {
        let mut file = Follow::open(flags)?;
        work = work_with(Sink::open(flags)?);
        drive::follow(&mut file, from, options, &mut work, &mut report)
    } else {
        let mut source = Source::open(flags)?;
        work = work_with(Sink::open(flags)?);
        match flags.codec() {
            Codec::Blocking => drive::pull(&mut source, from, options, &mut work, &mut report),
            Codec::NonBlocking => drive::feed(&mut source, from, options, &mut work, &mut report),
            Codec::Direct => drive::direct(&mut source, from, options, &mut work, &mut report),
        }
    };
    // What was decoded before a failure of the input is not lost.
    work.finish()?;
    outcome?;
    Ok(ExitCode::from(if report.errors() == 0 { 0 } else { 1 }))
}

/// The seed of random data: that of the flags, or one of its own choosing, which is told.
fn seed(flags: &Flags) -> i64 {
    flags.rseed.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seed = i64::from(now.subsec_nanos() ^ std::process::id() << 8 & 0x3fff_ffff);
        if flags.enc {
            say(&format!("setrip: seed {seed}\n"));
        }
        seed
    })
}
