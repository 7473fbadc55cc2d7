//! Writers: they print trees, which were built before the clock starts, to memory.

use crate::{Document, Failure, Job, Outcome, Run, write};

pub const RUNS: &[Run] = &[
    Run { job: Job::Write, name: "lexpr, print tree", run: lexpr },
    Run { job: Job::Write, name: "rsexp, print tree", run: rsexp },
    Run { job: Job::Write, name: "serde_json, print tree", run: serde_json },
    Run { job: Job::Write, name: "sonic-rs, print tree", run: sonic_rs },
];

fn lexpr(document: &Document) -> Result<Outcome, Failure> {
    let mut parser = lexpr::Parser::from_str(&document.text);
    let values = parser.value_iter().collect::<Result<Vec<_>, _>>()?;
    let mut text = memory(document);
    write(|| {
        for value in &values {
            lexpr::to_writer(&mut text, value)?;
        }
        Ok(text.len())
    })
}

fn rsexp(document: &Document) -> Result<Outcome, Failure> {
    let trees = rsexp::from_slice_multi(document.text.as_bytes()).map_err(|error| format!("{error:?}"))?;
    let mut text = memory(document);
    write(|| {
        for tree in &trees {
            tree.write_mach(&mut text)?;
        }
        Ok(text.len())
    })
}

fn serde_json(document: &Document) -> Result<Outcome, Failure> {
    let value: serde_json::Value = serde_json::from_str(&document.json)?;
    let mut text = memory(document);
    write(|| {
        serde_json::to_writer(&mut text, &value)?;
        Ok(text.len())
    })
}

fn sonic_rs(document: &Document) -> Result<Outcome, Failure> {
    let value: sonic_rs::Value = sonic_rs::from_str(&document.json)?;
    let mut text = memory(document);
    write(|| {
        sonic_rs::to_writer(&mut text, &value)?;
        Ok(text.len())
    })
}

/// Room for what is written. It was touched once, so that no time goes into asking the system for it.
fn memory(document: &Document) -> Vec<u8> {
    let mut memory = vec![1; 2 * document.json.len()];
    memory.clear();
    memory
}
