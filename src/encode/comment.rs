//! Whether a text is one comment of a syntax, no more and no less.

use super::between::Last;
use crate::decode::Machine;
use crate::lexeme::Kind;
use crate::syntax::{Next, Start, Syntax};

/// What kind of comment a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Comment {
    /// To the end of the line, without it.
    Line,
    /// Between two delimiters.
    Block,
    /// A word, or together with a datum; what that ends with is given.
    Datum(Last),
}

/// The comment that the text is, from its first byte to its last. The decoder is asked, since it knows.
pub(super) fn whole_comment(syntax: &'static Syntax, text: &[u8]) -> Option<Comment> {
    if Machine::only_lexeme(syntax, text)? != Kind::Comment {
        return None;
    }
    let lead = match syntax.start[text[0] as usize] {
        Start::Lead(lead) => syntax.leads[lead as usize].next[*text.get(1)? as usize],
        _ => Next::Line,
    };
    let is_word = text.get(2).is_some_and(u8::is_ascii_alphabetic);
    Some(match lead {
        Next::Datum => Comment::Datum(last_of(syntax, text)),
        Next::Directive => Comment::Datum(Last::Touchy),
        Next::Header | Next::Script if is_word => Comment::Datum(Last::Touchy),
        Next::Line | Next::Header => Comment::Line,
        _ => Comment::Block,
    })
}

/// What the datum in a datum comment ends with: what may not be touched, if in doubt.
fn last_of(syntax: &Syntax, text: &[u8]) -> Last {
    match text.last() {
        _ if syntax.touchy => Last::Touchy,
        Some(&byte) if matches!(syntax.start[byte as usize], Start::Close | Start::Quote(_)) => Last::Whole,
        Some(&byte) if matches!(syntax.start[byte as usize], Start::Lead(_)) => Last::Lead,
        _ => Last::Bare,
    }
}
