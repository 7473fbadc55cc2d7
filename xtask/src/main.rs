//! What developers of this crate run.

mod instructions;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask instructions [--bless] [--limit PERCENT]
    Counts the instructions a lexeme with callgrind, and shows the change against benches/instructions.tsv.
    --bless            write what was counted to that file
    --limit PERCENT    exit 1 where any count has grown by more than that
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match &arguments[..] {
        ["instructions", options @ ..] => instructions::Options::read(options).and_then(|options| instructions::run(&options)),
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
