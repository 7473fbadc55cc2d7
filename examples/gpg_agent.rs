//! Asks a gpg-agent for a public key: Assuan's lines over a Unix socket, and in their data the key, in the canonical form of RFC 9804.
//!
//!     cargo run --example gpg_agent -- "$(gpgconf --list-dirs agent-socket)" KEYGRIP

use sexp_codec::framing::{Decode, Decoder, Encoder, Framing};
use sexp_codec::{EncodeOptions, Kind, Lexeme, Options, Syntax, blocking};
use std::io::{Error, ErrorKind, Read, Write};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A connection to an agent: over its socket, or whatever else reads and writes.
pub struct Agent<S> {
    socket: S,
    decoder: Decoder,
}

/// A public key.
#[derive(Debug)]
pub struct Key {
    /// `ecc`, `rsa` and so on.
    pub algorithm: String,
    /// The names of its parameters, and the value of each.
    pub parameters: Vec<(String, Vec<u8>)>,
    /// The whole key in the advanced form, for people.
    pub advanced: String,
}

impl<S: Read + Write> Agent<S> {
    /// Takes a connection on which the agent has said nothing yet, and waits for its greeting.
    pub fn greet(socket: S) -> Result<Agent<S>> {
        // A key has some kilobytes: what claims to have more is no key.
        let options = Options::default().limit_frame(1 << 20);
        let decoder = Decoder::with_options(&Framing::ASSUAN, &Syntax::CANONICAL, options);
        let mut agent = Agent { socket, decoder };
        agent.reply(|_| Ok(()))?;
        Ok(agent)
    }

    /// The public key with that keygrip.
    pub fn read_key(&mut self, keygrip: &str) -> Result<Key> {
        self.send(&format!("READKEY {keygrip}"))?;
        let mut key = Key { algorithm: String::new(), parameters: Vec::new(), advanced: String::new() };
        let mut encoder = blocking::Encoder::with_capacity(Vec::new(), 4096, &Syntax::ADVANCED, EncodeOptions::default().respell(true));
        // The names of the open lists, as far as they are known: (public-key (ecc (curve Ed25519) (q ...)))
        let mut names: Vec<Option<String>> = Vec::new();
        self.reply(|lexeme| {
            encoder.encode(lexeme)?;
            match (lexeme.kind, &mut names[..]) {
                (Kind::Open, _) => names.push(None),
                (Kind::Close, _) => drop(names.pop()),
                (_, [.., name @ None]) => *name = Some(String::from_utf8_lossy(lexeme.bytes).into_owned()),
                (_, [_, _, Some(name)]) => key.parameters.push((name.clone(), lexeme.bytes.to_vec())),
                _ => {}
            }
            if let ([_, Some(algorithm)], true) = (&names[..], key.algorithm.is_empty()) {
                key.algorithm.clone_from(algorithm);
            }
            Ok(())
        })?;
        encoder.finish()?;
        key.advanced = String::from_utf8(encoder.into_inner())?;
        Ok(key)
    }

    /// Sends a command, and waits until it is done.
    pub fn command(&mut self, line: &str) -> Result<()> {
        self.send(line)?;
        self.reply(|_| Ok(()))
    }

    fn send(&mut self, line: &str) -> Result<()> {
        let mut encoder = Encoder::new(&Framing::ASSUAN, &Syntax::CANONICAL);
        encoder.line(line.as_bytes())?;
        Ok(self.socket.write_all(encoder.bytes())?)
    }

    /// Hands over the lexemes of the data, up to the line that says how it went.
    fn reply(&mut self, mut each: impl FnMut(Lexeme<'_>) -> Result<()>) -> Result<()> {
        let mut chunk = [0; 1024];
        loop {
            let count = self.socket.read(&mut chunk)?;
            if count == 0 {
                return Err(Error::from(ErrorKind::UnexpectedEof).into());
            }
            let mut input = self.decoder.feed(&chunk[..count]);
            loop {
                match input.decode() {
                    Decode::Lexeme(lexeme) => each(lexeme)?,
                    Decode::Line(line) if line.starts_with(b"OK") => return Ok(()),
                    Decode::Line(line) if line.starts_with(b"ERR") => return Err(String::from_utf8_lossy(line).into()),
                    // The end of the data, and lines of status or comment.
                    Decode::EndOfFrame | Decode::Line(_) => {}
                    Decode::Await => break,
                    Decode::Error(error) => return Err(error.into()),
                    other => return Err(format!("{other:?}").into()),
                }
            }
        }
    }
}

#[cfg(unix)]
fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [socket, keygrip] = &arguments[..] else { return Err("usage: gpg_agent SOCKET KEYGRIP".into()) };
    let key = Agent::greet(std::os::unix::net::UnixStream::connect(socket)?)?.read_key(keygrip)?;
    println!("{}: {} parameters", key.algorithm, key.parameters.len());
    println!("{}", key.advanced);
    Ok(())
}

#[cfg(not(unix))]
fn main() {}
