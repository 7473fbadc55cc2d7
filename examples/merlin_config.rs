//! Asks dune how a file of OCaml is compiled, as Merlin does: canonical forms over the pipes of `dune ocaml-merlin`.
//!
//!     cargo run --example merlin_config -- FILE.ml

use sexp_codec::framing::{Decode, Decoder, Encoder, Framing};
use sexp_codec::{EncodeOptions, Layout, Lexeme, Syntax, nonblocking};
use std::io::{Error, ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// dune, at the other end of two pipes.
pub struct Dune {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    decoder: Decoder,
    encoder: Encoder,
}

impl Dune {
    /// Starts it.
    pub fn start(command: &mut Command) -> Result<Dune> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (to, from) = (child.stdin.take().ok_or("it has no stdin")?, child.stdout.take().ok_or("it has no stdout")?);
        // No byte may stand between two forms: a line end is enough, and dune goes.
        let encoder = Encoder::with_options(&Framing::FORMS, &Syntax::CSEXP, EncodeOptions::default().layout(Layout::Compact));
        Ok(Dune { child, to, from, decoder: Decoder::new(&Framing::FORMS, &Syntax::CSEXP), encoder })
    }

    /// What dune says of that file, in a syntax for people.
    pub fn configuration(&mut self, file: &Path) -> Result<String> {
        let path = file.to_str().ok_or("the path is no text")?.as_bytes();
        self.send(&[Lexeme::open(), Lexeme::octets(b"File"), Lexeme::octets(path), Lexeme::close()])?;
        self.receive()
    }

    /// Ends the session.
    pub fn halt(mut self) -> Result<bool> {
        self.send(&[Lexeme::octets(b"Halt")])?;
        Ok(self.child.wait()?.success())
    }

    fn send(&mut self, lexemes: &[Lexeme<'_>]) -> Result<()> {
        for lexeme in lexemes {
            self.encoder.encode(*lexeme)?;
        }
        self.encoder.end_of_frame()?;
        let mut window = [0; 256];
        loop {
            match self.encoder.fill(&mut window) {
                0 => return Ok(self.to.flush()?),
                count => self.to.write_all(&window[..count])?,
            }
        }
    }

    /// Reads a form, not a byte beyond it is waited for, and writes it in another syntax as it comes.
    fn receive(&mut self) -> Result<String> {
        let options = EncodeOptions::default().layout(Layout::Indent).respell(true);
        let mut encoder = nonblocking::Encoder::with_options(&Syntax::SEXPLIB, options);
        let mut text = Vec::new();
        let mut chunk = [0; 4096];
        loop {
            let count = self.from.read(&mut chunk)?;
            if count == 0 {
                return Err(Error::from(ErrorKind::UnexpectedEof).into());
            }
            let mut input = self.decoder.feed(&chunk[..count]);
            loop {
                match input.decode() {
                    Decode::Lexeme(lexeme) => append(&mut encoder, lexeme, &mut text)?,
                    Decode::EndOfFrame => return Ok(String::from_utf8_lossy(&text).into_owned()),
                    Decode::Await => break,
                    Decode::Error(error) => return Err(error.into()),
                    other => return Err(format!("{other:?}").into()),
                }
            }
        }
    }
}

/// Encodes a lexeme to the end of a text, through a window.
fn append(encoder: &mut nonblocking::Encoder, lexeme: Lexeme<'_>, text: &mut Vec<u8>) -> Result<()> {
    let mut window = [0; 256];
    loop {
        let mut output = encoder.window(&mut window);
        let outcome = output.encode(lexeme);
        text.extend_from_slice(output.bytes());
        match outcome {
            nonblocking::Encode::Ok => return Ok(()),
            nonblocking::Encode::Partial => {}
            nonblocking::Encode::Error(error) => return Err(error.into()),
        }
    }
}

fn main() -> Result<()> {
    let file = std::env::args().nth(1).ok_or("usage: merlin_config FILE.ml")?;
    let file = std::fs::canonicalize(file)?;
    let folder = file.parent().ok_or("the file has no folder")?;
    let mut dune = Dune::start(Command::new("dune").arg("ocaml-merlin").current_dir(folder))?;
    println!("{}", dune.configuration(&file)?);
    dune.halt()?;
    Ok(())
}
