//! Whether a text is one comment of a syntax, no more and no less.

use crate::syntax::{Escape, Quote, Start, Syntax, Text};

/// What kind of comment a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comment {
    /// To the end of the line, without it.
    Line,
    /// Between two delimiters.
    Block,
}

/// The comment that the text is, from its first byte to its last. Comments that swallow a datum are not known here.
pub(super) fn whole_comment(syntax: &Syntax, text: &[u8]) -> Option<Comment> {
    let &first = text.first()?;
    if syntax.line_comment == Some(first) {
        return text.iter().all(|byte| !matches!(byte, b'\n' | b'\r')).then_some(Comment::Line);
    }
    let dispatch = syntax.dispatch?;
    let block = dispatch.block?;
    (block_comment(syntax, (dispatch.lead, block), text)? == text.len()).then_some(Comment::Block)
}

/// Where the block comment ends with which the text begins.
fn block_comment(syntax: &Syntax, (lead, block): (u8, u8), text: &[u8]) -> Option<usize> {
    if !text.starts_with(&[lead, block]) {
        return None;
    }
    let (mut depth, mut at) = (1u64, 2);
    while depth > 0 {
        let rest = text.get(at..)?;
        match *rest.first()? {
            byte if byte == lead && rest.get(1) == Some(&block) => {
                depth += 1;
                at += 2;
            }
            byte if byte == block && rest.get(1) == Some(&lead) => {
                depth -= 1;
                at += 2;
            }
            byte => {
                at += match syntax.start[byte as usize] {
                    Start::Quote(index) => string(&syntax.quotes[index as usize], rest)?,
                    _ => 1,
                }
            }
        }
    }
    Some(at)
}

/// The length of the string with which the text begins.
fn string(quote: &Quote, text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match quote.text[*text.get(at)? as usize] {
            Text::Plain => at += 1,
            Text::Close => return Some(at + 1),
            Text::Illegal => return None,
            Text::Escape => at += 1 + escape(quote, &text[at + 1..])?,
        }
    }
}

/// The length of the escape with which the text begins, without the escape character.
fn escape(quote: &Quote, text: &[u8]) -> Option<usize> {
    match quote.escape[*text.first()? as usize] {
        Escape::Byte(_) | Escape::Both | Escape::LineEnd => Some(1),
        Escape::Unknown => None,
        Escape::Number(number) => {
            let first = usize::from(text[0] == b'x');
            let digits = text.get(first..first + number.digits() as usize)?;
            let value =
                digits.iter().try_fold(0, |value, &digit| Some(value * number.radix() + (digit as char).to_digit(number.radix())?))?;
            (value <= 255).then_some(first + digits.len())
        }
    }
}
