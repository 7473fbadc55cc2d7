//! A form as a value: what a server that looks at whole requests makes of the lexemes.

use super::limits;
use sexp_codec::framing::{EncodeError, Encoder, Framing};
use sexp_codec::nonblocking::{Decode, Decoder};
use sexp_codec::{Error, Kind, Lexeme, Syntax};

/// A form as a value.
#[derive(Clone)]
pub enum Tree {
    Atom(Kind, Vec<u8>),
    List(Vec<Tree>),
}

pub fn bare(text: &str) -> Tree {
    Tree::Atom(Kind::Bare, text.into())
}

pub fn string(text: &str) -> Tree {
    Tree::Atom(Kind::String, text.into())
}

impl Tree {
    /// The one form that the bytes are.
    pub fn read(bytes: &[u8]) -> Result<Tree, Error> {
        let mut decoder = Decoder::with_options(&Syntax::COMMONLISP, limits().single(true));
        // The open lists, each with whether its end also ends a quoted form.
        let (mut open, mut quoted) = (vec![(Vec::new(), false)], false);
        for last in [false, true] {
            let mut input = if last { decoder.finish() } else { decoder.feed(bytes) };
            loop {
                let (datum, was_quoted) = match input.decode() {
                    Decode::Lexeme(Lexeme { kind: Kind::Open, .. }) => {
                        open.push((Vec::new(), std::mem::take(&mut quoted)));
                        continue;
                    }
                    Decode::Lexeme(Lexeme { kind: Kind::Prefix, bytes, .. }) => {
                        quoted |= bytes == b"'";
                        continue;
                    }
                    Decode::Lexeme(Lexeme { kind: Kind::Close, .. }) => {
                        let (list, was_quoted) = open.pop().expect("lists are balanced");
                        (Tree::List(list), was_quoted)
                    }
                    Decode::Lexeme(lexeme) => (Tree::Atom(lexeme.kind, lexeme.bytes.to_vec()), std::mem::take(&mut quoted)),
                    Decode::Error(error) => return Err(error),
                    _ => break,
                };
                let datum = if was_quoted { Tree::List(vec![bare("quote"), datum]) } else { datum };
                open.last_mut().expect("there is the outermost").0.push(datum);
            }
        }
        Ok(open.swap_remove(0).0.swap_remove(0))
    }

    pub fn write(&self, encoder: &mut Encoder) -> Result<(), EncodeError> {
        match self {
            Tree::Atom(kind, bytes) => encoder.encode(Lexeme::new(*kind, bytes)),
            Tree::List(list) => {
                encoder.encode(Lexeme::open())?;
                list.iter().try_for_each(|tree| tree.write(encoder))?;
                encoder.encode(Lexeme::close())
            }
        }
    }

    pub fn to_text(&self) -> String {
        let mut encoder = Encoder::new(&Framing::FORMS, &Syntax::COMMONLISP);
        let written = self.write(&mut encoder).and_then(|()| encoder.end_of_frame());
        written.map_or_else(|error| error.to_string(), |()| String::from_utf8_lossy(encoder.bytes()).trim_end().into())
    }
}
