//! A small server that speaks Swank's protocol: it knows who it is, and adds, multiplies and quotes.
//!
//! `cargo run --example swank_server` says at which port it listens. Then, in Emacs, `M-x slime-connect`; or by hand:
//!
//! ```sh
//! printf '00003C(:emacs-rex (swank:connection-info) "COMMON-LISP-USER" t 1)\n' | nc -q 1 127.0.0.1 PORT
//! ```
//!
//! The protocol is in [`Connection`], which reads and writes nothing; the loop around it is in [`serve`].

mod tree;

use bytes::{Buf, BytesMut};
use sexp_codec::framing::{Encoder, Frame, Frames, Framing};
use sexp_codec::{Kind, Options, Syntax};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use tree::{Tree, bare, string};

fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    println!("{}", listener.local_addr()?.port());
    for stream in listener.incoming() {
        let stream = stream?;
        std::thread::spawn(move || serve(stream));
    }
    Ok(())
}

/// Serves one client until it leaves. What is to be sent is sent before more is read: a client that does not read is not read from.
pub fn serve(mut stream: TcpStream) -> io::Result<()> {
    let mut connection = Connection::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        connection.receive(&chunk[..count]).map_err(io::Error::other)?;
        while connection.answers.has_remaining() {
            let sent = stream.write(connection.answers.chunk())?;
            connection.answers.advance(sent);
        }
    }
}

/// The protocol, without a socket.
struct Connection {
    frames: Frames,
    buffer: BytesMut,
    answers: Encoder,
}

impl Connection {
    fn new() -> Connection {
        let frames = Frames::with_options(&Framing::SWANK, limits());
        let answers = Encoder::new(&Framing::SWANK.capitals(true), &Syntax::COMMONLISP);
        Connection { frames, buffer: BytesMut::new(), answers }
    }

    /// Takes a chunk as it comes, and answers the requests that are complete. An error is the end: who has lost count does not find it again.
    fn receive(&mut self, chunk: &[u8]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.buffer.extend_from_slice(chunk);
        while let Some(frame) = self.frames.next(&mut self.buffer)? {
            let Frame::Payload(payload) = frame else { continue };
            // `(:emacs-rex FORM PACKAGE THREAD ID)`; nothing else wants an answer.
            let Ok(Tree::List(request)) = Tree::read(&payload) else { return Err("not a request".into()) };
            if let [Tree::Atom(_, word), form, .., id] = &request[..]
                && word == b":emacs-rex"
            {
                let result = match eval(form) {
                    Ok(value) => Tree::List(vec![bare(":ok"), value]),
                    Err(why) => Tree::List(vec![bare(":abort"), string(&why)]),
                };
                Tree::List(vec![bare(":return"), result, id.clone()]).write(&mut self.answers)?;
                self.answers.end_of_frame()?;
            }
        }
        Ok(())
    }
}

/// No request is larger or deeper than that, so what is kept of one is bounded, and a tree may recurse.
fn limits() -> Options {
    Options::default().limit_frame(1 << 20).limit_depth(200)
}

fn eval(form: &Tree) -> Result<Tree, String> {
    let Tree::List(list) = form else { return Ok(form.clone()) };
    let (Some(Tree::Atom(_, name)), arguments) = (list.first(), list.get(1..).unwrap_or_default()) else { return Ok(bare("nil")) };
    let fold = |start: i64, combine: fn(i64, i64) -> Option<i64>| {
        let step = |so_far, argument| combine(so_far, number(&eval(argument)?)?).ok_or_else(|| "too large a number".to_string());
        arguments.iter().try_fold(start, step).map(|number| bare(&number.to_string()))
    };
    match (&name[..], arguments) {
        (b"swank:connection-info", _) => Tree::read(INFO).map_err(|error| error.to_string()),
        (b"swank:eval-and-grab-output", [Tree::Atom(Kind::String, text)]) => {
            let value = eval(&Tree::read(text).map_err(|error| error.to_string())?)?;
            Ok(Tree::List(vec![string(""), string(&value.to_text())]))
        }
        (b"quote", [datum]) => Ok(datum.clone()),
        (b"+", _) => fold(0, i64::checked_add),
        (b"*", _) => fold(1, i64::checked_mul),
        _ => Err(format!("the function {} is undefined", name.escape_ascii())),
    }
}

const INFO: &[u8] = b"(:style nil :lisp-implementation (:type \"example\" :name \"example\" :version \"1\")
    :package (:name \"COMMON-LISP-USER\" :prompt \"CL-USER\") :version \"2.27\")";

fn number(tree: &Tree) -> Result<i64, String> {
    let Tree::Atom(Kind::Bare, text) = tree else { return Err("not a number".into()) };
    String::from_utf8_lossy(text).parse().map_err(|_| format!("not a number: {}", text.escape_ascii()))
}
