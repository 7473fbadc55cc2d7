//! What developers of this crate run.

mod corpus;
mod instructions;
mod readers;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask instructions [--bless] [--limit PERCENT]
    Counts the instructions a lexeme with callgrind, and shows the change against benches/instructions.tsv.
    --bless            write what was counted to that file
    --limit PERCENT    exit 1 where any count has grown by more than that
cargo xtask corpus DIR [FOLDER]
    Reads the real files in the folders of DIR, or in the one named, each folder named after a syntax, and prints a table: how many files, bytes
    and lexemes, how many files are faulty, how many come back byte for byte from their text and how many, written again, read as the same.
cargo xtask readers [NAME...] [--corpus DIR] [--documents N] [--files N] [--seed N] [--reading] [--keep]
    Compares us with the readers that others wrote, or with those named, as far as they are installed (xtask/readers/install), and prints a
    table. Exit 1 where one reads anything else, for a reason that is not known.
    --corpus DIR       real files as well, in folders named after syntaxes
    --documents N      how many documents are made up (500), and as many are written
    --files N          how many files of each folder, at most (100)
    --seed N           other documents
    --reading          only what we read, not what we write
    --keep             leave the documents and the compiled helpers in place
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match &arguments[..] {
        ["instructions", options @ ..] => instructions::Options::read(options).and_then(|options| instructions::run(&options)),
        ["corpus", directory] => corpus::run(directory.as_ref(), None),
        ["corpus", directory, folder] => corpus::run(directory.as_ref(), Some(folder)),
        ["readers", options @ ..] => readers::Options::read(options).and_then(|options| readers::run(&options)),
        ["help" | "-h" | "-help" | "--help"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => Err(HELP.into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::from(2)
        }
    }
}
