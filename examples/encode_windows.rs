//! Encodes into fixed windows: no buffer grows, whatever the size of the data.
//!
//! The window here has 16 bytes, and what fills it goes to standard output. In a server it would be a packet, or the free part of a ring
//! buffer; and instead of waiting for the other end one would keep the encoder, and come back with the same lexeme.

use sexp_codec::nonblocking::{Encode, Encoder};
use sexp_codec::{EncodeOptions, Layout, Lexeme, Syntax};
use std::io::{self, Write};

fn main() -> io::Result<()> {
    let lexemes = [
        Lexeme::open(),
        Lexeme::bare(b"message"),
        Lexeme::open(),
        Lexeme::bare(b"from"),
        Lexeme::string(b"Ada \"the first\" Lovelace"),
        Lexeme::close(),
        Lexeme::open(),
        Lexeme::bare(b"text"),
        Lexeme::string(b"Line one.\nLine two, longer than any window."),
        Lexeme::close(),
        Lexeme::close(),
    ];

    let options = EncodeOptions::new().layout(Layout::Lines);
    let mut encoder = Encoder::with_options(&Syntax::SEXPLIB, options);
    let mut window = [0; 16];
    let mut filled = 0;
    let mut out = io::stdout().lock();

    for lexeme in lexemes {
        loop {
            let mut output = encoder.window(&mut window[filled..]);
            let outcome = output.encode(lexeme);
            filled += output.written();
            match outcome {
                Encode::Ok => break,
                Encode::Partial => {
                    // The window is full to its last byte. The encoder goes on with the same lexeme in the next one.
                    out.write_all(&window)?;
                    filled = 0;
                }
                Encode::Error(error) => return Err(io::Error::other(error)),
            }
        }
    }
    match encoder.window(&mut []).finish() {
        Encode::Ok => out.write_all(&window[..filled]),
        outcome => Err(io::Error::other(format!("{outcome:?}"))),
    }
}
