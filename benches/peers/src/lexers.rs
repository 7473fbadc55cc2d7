//! Readers of s-expressions that deliver lexeme by lexeme. All of them want the whole text in memory, and give strings as they are written.

use crate::{Count, Document, Failure, Job, Outcome, Run, read};
use lispexp::TokenKind as Lispexp;
use sise::ParsedItem;
use wast::lexer::{Lexer, TokenKind as Wast};

pub const RUNS: &[Run] = &[
    Run { job: Job::Read, name: "lispexp, lexer", run: lispexp },
    Run { job: Job::Read, name: "wast, lexer", run: wast },
    Run { job: Job::Read, name: "sise, events", run: sise },
];

fn lispexp(document: &Document) -> Result<Outcome, Failure> {
    let options = lispexp::Options::scheme();
    read(document.text.len(), || {
        let mut count = Count::default();
        for token in lispexp::lex(&document.text, &options) {
            match token.kind {
                Lispexp::Whitespace | Lispexp::LineComment | Lispexp::BlockComment => {}
                Lispexp::Open(_) => count.open(),
                Lispexp::Close(_) => count.close(),
                Lispexp::Unterminated(what) => return Err(format!("unterminated {what:?}").into()),
                _ => count.atom(token.span.len() as usize),
            }
        }
        Ok(count)
    })
}

fn wast(document: &Document) -> Result<Outcome, Failure> {
    read(document.text.len(), || {
        let mut count = Count::default();
        for token in Lexer::new(&document.text).iter(0) {
            let token = token?;
            match token.kind {
                Wast::Whitespace | Wast::LineComment | Wast::BlockComment => {}
                Wast::LParen => count.open(),
                Wast::RParen => count.close(),
                _ => count.atom(token.len as usize),
            }
        }
        Ok(count)
    })
}

/// It reads one form.
fn sise(document: &Document) -> Result<Outcome, Failure> {
    read(document.text.len(), || {
        let mut count = Count::default();
        for form in &document.forms {
            let mut parser = sise::Parser::new(&document.text[form.clone()]);
            let mut depth = 0;
            loop {
                match parser.next_item()? {
                    ParsedItem::ListStart(_) => {
                        depth += 1;
                        count.open();
                    }
                    ParsedItem::ListEnd(_) => {
                        depth -= 1;
                        count.close();
                    }
                    ParsedItem::Atom(atom, _) => count.atom(atom.len()),
                }
                if depth == 0 {
                    break;
                }
            }
            parser.finish()?;
        }
        Ok(count)
    })
}
