//! A session with a solver: commands over a pipe, and replies that are mostly forms, but not always.
//!
//!     cargo run --example solver            # takes z3

use bytes::{Buf, BytesMut};
use sexp_codec::forms::{Form, Forms};
use sexp_codec::framing::{Encoder, Framing};
use sexp_codec::{Kind, Lexeme, Syntax};
use std::io::{Error, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A solver at the other end of two pipes.
pub struct Solver {
    child: Child,
    to: Option<ChildStdin>,
    from: ChildStdout,
    /// What was read and is no part of a reply yet.
    buffer: BytesMut,
    forms: Forms,
    /// Whether the line of the last reply has not been read to its end: the reply was complete before.
    line_open: bool,
}

impl Solver {
    /// Starts it. It is to read SMT-LIB from its stdin, and to say nothing unasked.
    pub fn start(command: &mut Command) -> Result<Solver> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (to, from) = (child.stdin.take(), child.stdout.take().ok_or("it has no stdout")?);
        let mut solver = Solver { child, to, from, buffer: BytesMut::new(), forms: Forms::new(&Syntax::SMTLIB), line_open: false };
        // So that every command has a reply.
        solver.ask("(set-option :print-success true)")?;
        Ok(solver)
    }

    /// Sends a command whose reply is a form. Nothing more is waited for than its last byte, or what ends a bare atom.
    pub fn ask(&mut self, command: &str) -> Result<Form> {
        self.send(command.as_bytes())?;
        loop {
            if let Some(form) = self.forms.next(&mut self.buffer)? {
                self.line_open = true;
                return Ok(form);
            }
            self.read()?;
        }
    }

    /// Has the solver echo a text. It does so without quotes, so that its reply may be no form at all: it is a line.
    pub fn echo(&mut self, text: &str) -> Result<String> {
        let mut encoder = Encoder::new(&Framing::FORMS, &Syntax::SMTLIB);
        for lexeme in [Lexeme::open(), Lexeme::bare(b"echo"), Lexeme::string(text.as_bytes()), Lexeme::close()] {
            encoder.encode(lexeme)?;
        }
        encoder.end_of_frame()?;
        self.send(encoder.bytes())?;
        if self.line_open {
            self.line()?;
        }
        let line = self.line()?;
        self.line_open = false;
        Ok(String::from_utf8(line)?)
    }

    fn send(&mut self, command: &[u8]) -> Result<()> {
        let to = self.to.as_mut().ok_or("it has been closed")?;
        to.write_all(command)?;
        if !command.ends_with(b"\n") {
            to.write_all(b"\n")?;
        }
        Ok(to.flush()?)
    }

    /// The next line, whatever is in it. The decoder of forms is told that bytes were taken away before it.
    fn line(&mut self) -> Result<Vec<u8>> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line = self.buffer.split_to(end).to_vec();
                self.buffer.advance(1);
                self.forms.restart();
                return Ok(line);
            }
            self.read()?;
        }
    }

    fn read(&mut self) -> Result<()> {
        let mut chunk = [0; 4096];
        match self.from.read(&mut chunk)? {
            0 => Err(Error::from(ErrorKind::UnexpectedEof).into()),
            count => {
                self.buffer.extend_from_slice(&chunk[..count]);
                Ok(())
            }
        }
    }
}

/// It ends when its input does.
impl Drop for Solver {
    fn drop(&mut self) {
        self.to = None;
        let _ = self.child.wait();
    }
}

/// The terms and values of a reply to `get-value`, as they are written: `((x 6) (y (- 1)))`.
pub fn values(reply: &Form) -> Result<Vec<(String, String)>> {
    let (mut values, mut depth) = (Vec::new(), 0);
    // Where the things of a pair begin and end.
    let mut things: Vec<(u64, u64)> = Vec::new();
    let mut lexemes = reply.lexemes(&Syntax::SMTLIB);
    while let Some(lexeme) = lexemes.next().transpose()? {
        let (start, end) = (lexeme.span.start, lexeme.span.end);
        depth -= u32::from(lexeme.kind == Kind::Close);
        match (depth, lexeme.kind) {
            (2, Kind::Close) => things.last_mut().ok_or("a list ends that did not begin")?.1 = end,
            (2, _) => things.push((start, end)),
            (1, Kind::Close) => {
                let text = |(start, end): (u64, u64)| String::from_utf8_lossy(&reply.bytes[start as usize..end as usize]).into_owned();
                let [term, value] = things[..] else { return Err("no pair".into()) };
                values.push((text(term), text(value)));
                things.clear();
            }
            _ => {}
        }
        depth += u32::from(lexeme.kind == Kind::Open);
    }
    Ok(values)
}

fn main() -> Result<()> {
    let mut z3 = Solver::start(Command::new("z3").args(["-in", "-smt2"]))?;
    for command in ["(declare-const x Int)", "(declare-const |a b| Int)", "(assert (and (> x 5) (< x 7) (= |a b| (- x 8))))"] {
        z3.ask(command)?;
    }
    println!("{}", String::from_utf8_lossy(&z3.ask("(check-sat)")?.bytes));
    for (term, value) in values(&z3.ask("(get-value (x |a b|))")?)? {
        println!("{term} = {value}");
    }
    println!("{}", z3.echo("(: \"no form\"")?);
    Ok(())
}
