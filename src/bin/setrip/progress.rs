//! The progress bar: on a terminal only, and only for work of more than a second.

use indicatif::{BinaryBytes, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(1);

/// How many units of work go by between two looks at the clock.
const GRAIN: u64 = 64 * 1024;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Bytes,
    Rounds,
}

/// How far the work has come.
pub struct Progress {
    /// None: nobody looks.
    shown: Option<Shown>,
}

struct Shown {
    unit: Unit,
    total: Option<u64>,
    done: u64,
    unseen: u64,
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Begins; `total` is the amount of work where it is known, `quiet` keeps the bar away.
    pub fn start(unit: Unit, total: Option<u64>, quiet: bool) -> Progress {
        let seen = !quiet && std::io::stderr().is_terminal();
        Progress { shown: seen.then(|| Shown { unit, total, done: 0, unseen: 0, started: Instant::now(), bar: None }) }
    }

    /// That much more is done.
    #[inline]
    pub fn advance(&mut self, amount: u64) {
        if let Some(shown) = &mut self.shown {
            shown.unseen += amount;
            if shown.unseen >= GRAIN || shown.unit == Unit::Rounds {
                shown.draw();
            }
        }
    }

    /// Runs `print`, which writes to the terminal, with the bar out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match self.shown.as_ref().and_then(|shown| shown.bar.as_ref()) {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes the bar away.
    pub fn clear(&mut self) {
        if let Some(bar) = self.shown.take().and_then(|shown| shown.bar) {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Shown {
    fn draw(&mut self) {
        self.done += std::mem::take(&mut self.unseen);
        if self.bar.is_none() && self.started.elapsed() >= PATIENCE {
            self.bar = Some(bar(self.unit, self.total, self.started.elapsed()));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }
}

fn bar(unit: Unit, total: Option<u64>, elapsed: Duration) -> ProgressBar {
    let template = match (unit, total) {
        (Unit::Bytes, Some(_)) => "{wide_bar} {bytes} of {total_bytes}, {speed}, {left} left",
        (Unit::Bytes, None) => "{spinner} {bytes}, {speed}",
        (Unit::Rounds, _) => "{wide_bar} round {pos} of {len}, {left} left",
    };
    // The bar comes late, so its own estimates would take all that was done before for the work of a moment.
    let style = ProgressStyle::with_template(template)
        .expect("the templates above are well-formed")
        .with_key("speed", |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{}/s", BinaryBytes((state.pos() as f64 / state.elapsed().as_secs_f64()) as u64));
        })
        .with_key("left", |state: &ProgressState, out: &mut dyn Write| {
            let left = state.len().unwrap_or(0).saturating_sub(state.pos());
            let _ = write!(out, "{:.0} s", left as f64 / state.pos() as f64 * state.elapsed().as_secs_f64());
        });
    ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr()).with_style(style).with_elapsed(elapsed)
}
