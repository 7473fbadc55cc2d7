//! Whether a text is one comment of a syntax, no more and no less.

use super::machine::Last;
use crate::syntax::{Cont, Dispatch, Escape, Quote, Start, Syntax, Text};

/// What kind of comment a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Comment {
    /// To the end of the line, without it.
    Line,
    /// Between two delimiters.
    Block,
    /// Together with a datum, the last part of which is given.
    Datum(Last),
}

/// The comment that the text is, from its first byte to its last.
pub(super) fn whole_comment(syntax: &Syntax, text: &[u8]) -> Option<Comment> {
    let &first = text.first()?;
    if syntax.line_comment == Some(first) {
        return text.iter().all(|byte| !matches!(byte, b'\n' | b'\r')).then_some(Comment::Line);
    }
    let dispatch = syntax.dispatch.filter(|dispatch| dispatch.lead == first)?;
    let &second = text.get(1)?;
    if dispatch.block == Some(second) {
        (block_comment(syntax, dispatch, text)? == text.len()).then_some(Comment::Block)
    } else if dispatch.datum == Some(second) {
        datum_comment(syntax, dispatch, text).map(Comment::Datum)
    } else {
        None
    }
}

/// Up to this depth in the datum of a comment, further comments that swallow a datum are known.
const LEVELS: usize = 32;

/// Whether the text, which begins like a comment that swallows a datum, is one such comment; and how it ends.
fn datum_comment(syntax: &Syntax, dispatch: Dispatch, text: &[u8]) -> Option<Last> {
    // How many data are still to be swallowed, at each depth.
    let (mut wanted, mut depth) = ([0u32; LEVELS], 0);
    wanted[0] = 1;
    let (mut at, mut last) = (2, Last::Whole);
    while depth > 0 || wanted[0] > 0 {
        let rest = text.get(at..)?;
        let &first = rest.first()?;
        let complete = match syntax.start[first as usize] {
            Start::Space => None,
            Start::Return if rest.get(1) == Some(&b'\n') => None,
            Start::LineComment => {
                let end = memchr::memchr(b'\n', rest)?;
                if rest[..end - usize::from(rest[end - 1] == b'\r')].contains(&b'\r') {
                    return None;
                }
                at += end;
                None
            }
            Start::Dispatch if dispatch.block.is_some() && rest.get(1) == dispatch.block.as_ref() => {
                at += block_comment(syntax, dispatch, rest)? - 1;
                None
            }
            Start::Dispatch if dispatch.datum.is_some() && rest.get(1) == dispatch.datum.as_ref() => {
                *wanted.get_mut(depth)? += 1;
                at += 1;
                None
            }
            Start::Open => {
                depth += 1;
                if let Some(wanted) = wanted.get_mut(depth) {
                    *wanted = 0;
                }
                None
            }
            Start::Close if depth > 0 && wanted.get(depth).is_none_or(|&wanted| wanted == 0) => {
                depth -= 1;
                Some(Last::Whole)
            }
            Start::Quote(index) => {
                at += string(&syntax.quotes[index as usize], rest)? - 1;
                Some(Last::Whole)
            }
            Start::Atom | Start::Dispatch => {
                let end = rest.iter().position(|&byte| syntax.cont[byte as usize] == Cont::End).unwrap_or(rest.len());
                let guarded = |pair: &[u8]| syntax.guard.is_some_and(|(one, other)| pair == [one, other] || pair == [other, one]);
                if rest[..end].windows(2).any(guarded) {
                    return None;
                }
                at += end - 1;
                Some(if rest[..end] == [dispatch.lead] { Last::Lead } else { Last::Bare })
            }
            _ => return None,
        };
        at += 1;
        if let Some(end) = complete {
            last = end;
            if let Some(wanted) = wanted.get_mut(depth) {
                *wanted = wanted.saturating_sub(1);
            }
        }
    }
    (at == text.len()).then_some(last)
}

/// The length of the block comment with which the text begins.
fn block_comment(syntax: &Syntax, dispatch: Dispatch, text: &[u8]) -> Option<usize> {
    let (lead, block) = (dispatch.lead, dispatch.block?);
    let (mut depth, mut at) = (1u64, 2);
    while depth > 0 {
        let rest = text.get(at..)?;
        at += match (*rest.first()?, rest.get(1).copied()) {
            pair if pair == (lead, Some(block)) => {
                depth += 1;
                2
            }
            pair if pair == (block, Some(lead)) => {
                depth -= 1;
                2
            }
            (byte, _) => match syntax.start[byte as usize] {
                Start::Quote(index) => string(&syntax.quotes[index as usize], rest)?,
                _ => 1,
            },
        };
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
