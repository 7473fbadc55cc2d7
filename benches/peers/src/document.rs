//! What all of them work on: one text, prepared for everybody's needs before the clock starts.

use crate::random::{Documents, Sizes};
use crate::{Count, Failure};
use sexp_codec::blocking::Decoder;
use sexp_codec::{Kind, Lexeme, Syntax};
use std::ops::Range;

/// The seed whose document has 33,487,874 bytes and 9,017,524 lexemes.
const SEED: i64 = 1_067_894_368;

/// S-expressions, and the same as JSON.
#[derive(Debug)]
pub struct Document {
    /// The s-expressions.
    pub text: String,
    /// Their syntax.
    pub syntax: &'static Syntax,
    /// Where each of the outermost forms stands, for those who read only one.
    pub forms: Vec<Range<usize>>,
    /// Lists as arrays and atoms as strings, all in one array.
    pub json: String,
    /// Everything that is in it.
    pub lexemes: Lexemes,
    /// How much that is.
    pub count: Count,
}

impl Document {
    /// The random document of the program of 2012; or, where a size is given, as many such documents as make that many bytes.
    pub fn random(size: Option<usize>) -> Document {
        let mut documents = Documents::new(SEED, Sizes::default());
        let mut text = Text::default();
        loop {
            documents.start();
            while let Some(lexeme) = documents.next() {
                text.push(lexeme);
                if size.is_some_and(|size| text.bytes.len() + text.depth >= size) {
                    return text.finish();
                }
            }
            if size.is_none() {
                return text.finish();
            }
        }
    }

    /// A document of one's own.
    ///
    /// # Errors
    ///
    /// Where it cannot be read in that syntax, or is not UTF-8, which most of the peers require.
    pub fn new(text: Vec<u8>, syntax: &'static Syntax) -> Result<Document, Failure> {
        let text = String::from_utf8(text)?;
        let (mut lexemes, mut forms, mut count) = (Lexemes::default(), Vec::new(), Count::default());
        let (mut depth, mut start) = (0, 0);
        let mut json = vec![b'['];
        let mut decoder = Decoder::new(text.as_bytes(), syntax);
        while let Some(lexeme) = decoder.decode()? {
            if depth == 0 {
                start = lexeme.span.start as usize;
            }
            if lexeme.kind != Kind::Close && json.last() != Some(&b'[') {
                json.push(b',');
            }
            match lexeme.kind {
                Kind::Open => {
                    depth += 1;
                    count.open();
                    json.push(b'[');
                }
                Kind::Close => {
                    depth -= 1;
                    count.close();
                    json.push(b']');
                }
                _ => {
                    count.atom(lexeme.bytes.len());
                    serde_json::to_writer(&mut json, &String::from_utf8_lossy(lexeme.bytes))?;
                }
            }
            lexemes.push(lexeme);
            if depth == 0 {
                forms.push(start..lexeme.span.end as usize);
            }
        }
        json.push(b']');
        Ok(Document { json: String::from_utf8(json)?, text, syntax, forms, lexemes, count })
    }
}

/// Lexemes in little room: they are to be had without costing the writer much.
#[derive(Debug, Default)]
pub struct Lexemes {
    kinds: Vec<Kind>,
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

impl Lexemes {
    fn push(&mut self, lexeme: Lexeme<'_>) {
        self.kinds.push(lexeme.kind);
        self.bytes.extend_from_slice(lexeme.bytes);
        self.ends.push(u32::try_from(self.bytes.len()).expect("documents are smaller than 4 GiB"));
    }

    /// From the first to the last.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Lexeme<'_>> {
        let mut rest = &self.bytes[..];
        let mut start = 0;
        self.kinds.iter().zip(&self.ends).map(move |(&kind, &end)| {
            let (bytes, after) = rest.split_at((end - start) as usize);
            (rest, start) = (after, end);
            Lexeme::new(kind, bytes)
        })
    }
}

/// The generated text, so far. It is written out by hand, so that the codec that is measured has no part in it.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    depth: usize,
    after_atom: bool,
}

impl Text {
    fn push(&mut self, lexeme: Lexeme<'_>) {
        let atom = lexeme.kind == Kind::Bare;
        if atom && self.after_atom {
            self.bytes.push(b' ');
        }
        self.after_atom = atom;
        self.bytes.extend_from_slice(lexeme.bytes);
        match lexeme.kind {
            Kind::Open => self.depth += 1,
            Kind::Close => self.depth -= 1,
            _ => {}
        }
    }

    /// Ends the lists that are open.
    fn finish(mut self) -> Document {
        self.bytes.resize(self.bytes.len() + self.depth, b')');
        Document::new(self.bytes, &Syntax::SEXPLIB).expect("what is generated is well formed")
    }
}
