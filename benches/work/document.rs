//! The documents on which the work is done.

#[path = "../../src/bin/setrip/random.rs"]
#[allow(unused_imports, reason = "its test is run with the tool only")]
mod random;

use super::Count;
use random::{Documents, Sizes};
use sexp_codec::{Kind, Lexeme, Syntax, blocking};

/// A document, with all that is in it made ready, so that to hand it to an encoder costs next to nothing.
#[derive(Debug)]
pub struct Document {
    pub name: String,
    pub syntax: &'static Syntax,
    pub text: Vec<u8>,
    pub count: Count,
    /// How many bytes it has when it is written.
    pub written: usize,
    kinds: Vec<Kind>,
    /// Where the bytes of each lexeme end in `values`.
    ends: Vec<u32>,
    values: Vec<u8>,
}

impl Document {
    /// # Errors
    ///
    /// Where it cannot be read in that syntax.
    pub fn new(name: &str, syntax: &'static Syntax, text: Vec<u8>) -> Result<Document, blocking::Error> {
        let (mut count, mut kinds, mut ends, mut values) = (Count::default(), Vec::new(), Vec::new(), Vec::new());
        let mut encoder = blocking::Encoder::new(Vec::new(), syntax);
        let mut decoder = blocking::Decoder::new(&text[..], syntax);
        while let Some(lexeme) = decoder.decode()? {
            count.add(lexeme.kind, lexeme.bytes.len());
            kinds.push(lexeme.kind);
            values.extend_from_slice(lexeme.bytes);
            ends.push(values.len() as u32);
            encoder.encode(lexeme).expect("what was read can be written");
        }
        encoder.finish().expect("no list is open in what was read");
        let written = encoder.into_inner().len();
        Ok(Document { name: name.to_owned(), syntax, text, count, written, kinds, ends, values })
    }

    /// Random atoms in random lists, as the program of 2012 makes them: documents until there are so many bytes.
    pub fn random(size: usize) -> Document {
        let mut documents = Documents::new(1_067_894_368, Sizes::default());
        let (mut text, mut depth, mut after_atom) = (Vec::with_capacity(size + size / 8), 0, false);
        // Written out by hand: the codec that is measured has no part in it.
        while text.len() + depth < size {
            documents.start();
            while let Some(lexeme) = documents.next()
                && text.len() + depth < size
            {
                let atom = lexeme.kind == Kind::Bare;
                if atom && after_atom {
                    text.push(b' ');
                }
                after_atom = atom;
                text.extend_from_slice(lexeme.bytes);
                match lexeme.kind {
                    Kind::Open => depth += 1,
                    Kind::Close => depth -= 1,
                    _ => {}
                }
            }
        }
        text.resize(text.len() + depth, b')');
        Document::new("random", &Syntax::SEXPLIB, text).expect("what is generated is well formed")
    }

    /// Lists of strings, words and numbers on indented lines, as programs write them.
    pub fn records(size: usize) -> Document {
        let (mut text, mut number) = (Vec::with_capacity(size + 1024), 1u32);
        while text.len() < size {
            // A generator of two lines (Numerical Recipes): the numbers only have to differ.
            let mut next = |below: u32| {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (number >> 16) % below
            };
            let (name, x, y, pins) = (next(100_000), next(5000), next(5000), 1 + next(6));
            let mut line = |record: String| text.extend_from_slice(record.as_bytes());
            line(format!("  (part \"Device_{name}\" (in_list yes) (on_board yes)\n"));
            line(format!("    (property \"Reference\" \"U\" (id 0) (at {x}.{y:02} -{y} 0)\n      (effects (font (size 1.27 1.27))))\n"));
            line(format!("    (property \"Description\" \"A part with {pins} pins, 5\\\" apart, of many such\" (id {pins}) hide)\n"));
            for pin in 0..pins {
                line(format!("    (pin passive line (at 0 {pin}.81 270) (length 1.27) (name \"~\") (number \"{pin}\"))\n"));
            }
            line("  )\n".to_owned());
        }
        Document::new("records", &Syntax::SEXPLIB, text).expect("what is generated is well formed")
    }

    /// The lexemes, from the first to the last.
    #[inline]
    pub fn lexemes(&self) -> impl Iterator<Item = Lexeme<'_>> {
        let (mut rest, mut start) = (&self.values[..], 0);
        self.kinds.iter().zip(&self.ends).map(move |(&kind, &end)| {
            let (bytes, after) = rest.split_at((end - start) as usize);
            (rest, start) = (after, end);
            Lexeme::new(kind, bytes)
        })
    }
}
