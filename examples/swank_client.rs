//! Evaluates forms in a running Lisp, by Slime's protocol: a length, a message, and messages that nobody asked for in between.
//!
//!     cargo run --example swank_client -- 127.0.0.1:4005 '(+ 1 2)' '(format t "hé~%")'

use sexp_codec::framing::{Decode, Decoder, Encoder, Framing};
use sexp_codec::{Kind, Lexeme, Options, Syntax};
use std::io::{Error, ErrorKind, Read, Write};
use std::net::TcpStream;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A lexeme that is kept.
pub type Word = (Kind, String);

/// A connection to a Lisp.
pub struct Swank {
    stream: TcpStream,
    decoder: Decoder,
    encoder: Encoder,
    /// What was read, and how far it was decoded: several messages may come at once.
    chunk: Vec<u8>,
    at: usize,
    requests: u32,
    /// Whether the Lisp was asked for a prompt.
    prompt: bool,
    /// What the Lisp has printed.
    pub output: String,
    /// How many messages came that nobody asked for.
    pub unasked: u32,
}

impl Swank {
    /// Takes a connection to the port on which a Lisp listens.
    pub fn new(stream: TcpStream) -> Swank {
        let decoder = Decoder::with_options(&Framing::SWANK, &Syntax::COMMONLISP, Options::default().limit_frame(1 << 24));
        let encoder = Encoder::new(&Framing::SWANK, &Syntax::COMMONLISP);
        Swank { stream, decoder, encoder, chunk: Vec::new(), at: 0, requests: 0, prompt: false, output: String::new(), unasked: 0 }
    }

    /// Evaluates as a user does at the prompt. What is printed, the value included, comes to `output`.
    pub fn eval(&mut self, form: &str) -> Result<()> {
        if !self.prompt {
            self.call("swank:swank-require", &[Lexeme::bare(b":swank-repl")])?;
            self.call("swank-repl:create-repl", &[Lexeme::bare(b"nil")])?;
            self.prompt = true;
        }
        self.call("swank-repl:listener-eval", &[Lexeme::string(form.as_bytes())]).map(drop)
    }

    /// Calls a function of the server, and waits for what it returns. Meanwhile other messages come.
    pub fn call(&mut self, function: &str, arguments: &[Lexeme<'_>]) -> Result<Vec<Word>> {
        self.requests += 1;
        let id = self.requests.to_string();
        let head = [Lexeme::open(), Lexeme::bare(b":emacs-rex"), Lexeme::open(), Lexeme::bare(function.as_bytes())];
        let tail = [Lexeme::close(), Lexeme::string(b"COMMON-LISP-USER"), Lexeme::bare(b"t"), Lexeme::bare(id.as_bytes()), Lexeme::close()];
        self.send(head.iter().chain(arguments).chain(&tail))?;
        loop {
            let message = self.receive()?;
            let words: Vec<&str> = message.iter().map(|(_, text)| &text[..]).collect();
            match &words[..] {
                ["(", ":return", "(", ":ok", .., ")", number, ")"] if *number == id => {
                    return Ok(message[4..message.len() - 3].to_vec());
                }
                ["(", ":reader-error", ..] => return Err(words.join(" ").into()),
                ["(", ":return", .., number, ")"] if *number == id => return Err(words.join(" ").into()),
                ["(", ":write-string", text, ..] => self.output += text,
                ["(", ":ping", thread, tag, ")"] => {
                    let pong = [Lexeme::bare(b":emacs-pong"), Lexeme::bare(thread.as_bytes()), Lexeme::bare(tag.as_bytes())];
                    self.send([Lexeme::open()].iter().chain(&pong).chain(&[Lexeme::close()]))?;
                }
                // The debugger waits for an answer: we have none but to give up.
                ["(", ":debug", thread, ..] => {
                    let abort = format!("(:emacs-rex (swank:throw-to-toplevel) \"COMMON-LISP-USER\" {thread} 0)");
                    self.encoder.frame(abort.as_bytes())?;
                    self.write()?;
                }
                _ => self.unasked += 1,
            }
        }
    }

    fn send<'l>(&mut self, lexemes: impl Iterator<Item = &'l Lexeme<'l>>) -> Result<()> {
        for lexeme in lexemes {
            self.encoder.encode(*lexeme)?;
        }
        self.encoder.end_of_frame()?;
        self.write()
    }

    fn write(&mut self) -> Result<()> {
        let mut window = [0; 4096];
        loop {
            match self.encoder.fill(&mut window) {
                0 => return Ok(()),
                count => self.stream.write_all(&window[..count])?,
            }
        }
    }

    /// The next message.
    fn receive(&mut self) -> Result<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            let mut input = self.decoder.feed(&self.chunk[self.at..]);
            loop {
                match input.decode() {
                    Decode::Lexeme(lexeme) => words.push((lexeme.kind, String::from_utf8_lossy(lexeme.bytes).into_owned())),
                    Decode::EndOfFrame => {
                        self.at = self.chunk.len() - input.remaining().len();
                        return Ok(words);
                    }
                    Decode::Await => break,
                    Decode::Error(error) => return Err(error.into()),
                    other => return Err(format!("{other:?}").into()),
                }
            }
            self.chunk.resize(64 * 1024, 0);
            let count = self.stream.read(&mut self.chunk)?;
            self.chunk.truncate(count);
            self.at = 0;
            if count == 0 {
                return Err(Error::from(ErrorKind::UnexpectedEof).into());
            }
        }
    }
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("usage: swank_client ADDRESS [FORM]...")?;
    let mut swank = Swank::new(TcpStream::connect(address)?);
    for form in arguments {
        swank.eval(&form)?;
        print!("{}", std::mem::take(&mut swank.output));
    }
    println!("\n{} messages that nobody asked for", swank.unasked);
    Ok(())
}
