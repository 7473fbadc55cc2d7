//! All peers in alternating rounds, and one table: see `README.md`.

use clap::{Arg, ArgAction, Command, value_parser};
use peers::{Document, Failure, Job, Outcome, Run, runs};
use sexp_codec::Syntax;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), Failure> {
    let arguments = command().get_matches();
    let file = arguments.get_one::<PathBuf>("file");
    let document = match file {
        Some(file) => {
            let name = arguments.get_one::<String>("syntax").expect("there is a default");
            let syntax = Syntax::by_name(name).ok_or_else(|| format!("there is no syntax {name}"))?;
            Document::new(std::fs::read(file)?, syntax)?
        }
        None => Document::random(arguments.get_one("size").copied()),
    };
    let only: Vec<_> = arguments.get_many::<String>("only").into_iter().flatten().collect();
    // The first stays: the others are compared with it.
    let rows =
        runs().into_iter().enumerate().filter(|(i, run)| *i == 0 || only.is_empty() || only.iter().any(|name| run.name.contains(*name)));
    let mut rows: Vec<_> = rows.map(|(_, run)| Row { run, times: Vec::new(), last: None }).collect();
    let rounds = arguments.get_one::<usize>("rounds").copied().expect("there is a default");
    for round in 1..=rounds {
        eprint!("\rround {round} of {rounds} ");
        rows.iter_mut().for_each(|row| row.turn(&document));
    }
    eprint!("\r                    \r");
    print(&document, rounds, &rows);
    // A generated document holds nothing that could be read in two ways.
    let wrong = rows.iter().find(|row| file.is_none() && !row.agrees(&document));
    wrong.map_or(Ok(()), |row| Err(format!("{} saw something else in the document", row.run.name).into()))
}

fn command() -> Command {
    Command::new("peers")
        .about("Readers and writers of s-expressions and JSON, compared on one document")
        .arg(Arg::new("file").value_name("FILE").value_parser(value_parser!(PathBuf)).help("S-expressions; without it a random document"))
        .arg(
            Arg::new("syntax")
                .long("syntax")
                .value_name("NAME")
                .default_value(Syntax::SEXPLIB.name())
                .help("The syntax this crate reads FILE in"),
        )
        .arg(
            Arg::new("size")
                .long("size")
                .value_name("BYTES")
                .value_parser(value_parser!(usize))
                .conflicts_with("file")
                .help("How large the random document is to be [default: 33487874, those of the document of 2012]"),
        )
        .arg(
            Arg::new("rounds")
                .long("rounds")
                .value_name("N")
                .default_value("5")
                .value_parser(value_parser!(usize))
                .help("Each runs N times"),
        )
        .arg(
            Arg::new("only")
                .long("only")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Only the rows that have NAME in them; may be repeated"),
        )
}

/// A row of the table.
struct Row {
    run: Run,
    times: Vec<Duration>,
    last: Option<Result<Outcome, String>>,
}

impl Row {
    /// Has its turn in a round, unless it failed before.
    fn turn(&mut self, document: &Document) {
        if matches!(self.last, Some(Err(_))) {
            return;
        }
        let outcome = (self.run.run)(document).map_err(|error| error.to_string());
        if let Ok(outcome) = &outcome {
            self.times.push(outcome.time);
            self.times.sort_unstable();
        }
        self.last = Some(outcome);
    }

    fn median(&self) -> Option<Duration> {
        self.times.get(self.times.len() / 2).copied()
    }

    fn agrees(&self, document: &Document) -> bool {
        match &self.last {
            Some(Ok(outcome)) => outcome.count.is_none_or(|count| count == document.count),
            Some(Err(_)) => false,
            None => true,
        }
    }

    /// Its cells: name, nanoseconds a lexeme, the same of the fastest round, megabytes a second, how many times the pull's, lexemes.
    fn print(&self, document: &Document, pull: Option<Duration>) {
        let name = self.run.name;
        let outcome = match &self.last {
            Some(Ok(outcome)) => outcome,
            Some(Err(error)) => return println!("  {name:<29} cannot: {}", error.lines().next().unwrap_or_default()),
            None => return,
        };
        let (Some(median), Some(best), Some(pull)) = (self.median(), self.times.first(), pull) else { return };
        let lexemes = document.count.lexemes;
        let seen = match outcome.count {
            None => "-".to_owned(),
            Some(count) if count.lexemes == lexemes => "all".to_owned(),
            Some(count) => format!("{:+}", count.lexemes as i64 - lexemes as i64),
        };
        println!(
            "  {name:<29}{:>9.2}{:>9.2}{:>9.0}{:>8.2}  {seen:>10}",
            nanoseconds(median) / lexemes as f64,
            nanoseconds(*best) / lexemes as f64,
            outcome.size as f64 * 1e3 / nanoseconds(median),
            nanoseconds(median) / nanoseconds(pull),
        );
    }
}

fn print(document: &Document, rounds: usize, rows: &[Row]) {
    println!(
        "{} bytes, {} lexemes, {} bytes as JSON; processor time, median of {rounds} rounds\n",
        document.text.len(),
        document.count.lexemes,
        document.json.len()
    );
    println!("  {:<29}{:>9}{:>9}{:>9}{:>8}  {:>10}", "", "ns", "ns, best", "MB/s", "x pull", "lexemes");
    let pull = rows.first().and_then(Row::median);
    for (job, title) in [(Job::Read, "reading"), (Job::ReadJson, "reading the same as JSON"), (Job::Write, "writing")] {
        println!("{title}");
        rows.iter().filter(|row| row.run.job == job).for_each(|row| row.print(document, pull));
    }
}

fn nanoseconds(time: Duration) -> f64 {
    time.as_nanos() as f64
}
