//! Checks a file and says what is wrong in it, or how much there is.
//!
//!     cargo run --example validate_file -- FILE [SYNTAX]

use sexp_codec::blocking::{Decoder, Error};
use sexp_codec::{Kind, Syntax};
use std::fs::File;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: validate_file FILE [SYNTAX]")?;
    let syntax = arguments.next().map_or(Some(&Syntax::SEXPLIB), |name| Syntax::by_name(&name)).ok_or("no such syntax")?;

    let mut decoder = Decoder::from_read(File::open(&file)?, syntax);
    let (mut lists, mut atoms, mut errors) = (0, 0, 0);
    loop {
        match decoder.decode() {
            Ok(Some(lexeme)) if lexeme.kind == Kind::Open => lists += 1,
            Ok(Some(lexeme)) if lexeme.kind.is_atom() => atoms += 1,
            Ok(Some(_)) => {}
            Ok(None) => break,
            // Decoding goes on after it: all faults are found in one go.
            Err(Error::Malformed(error)) => {
                eprintln!("{file}:{error}");
                errors += 1;
            }
            Err(Error::Io(error)) => return Err(error.into()),
        }
    }
    println!("{lists} lists, {atoms} atoms, {errors} errors");
    Ok(ExitCode::from(if errors == 0 { 0 } else { 1 }))
}
