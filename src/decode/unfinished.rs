//! What the machine is in the middle of, for those who hold the text until it is whole.

use super::tokens::Token;
use super::{Hint, Machine, State};
use crate::error::ErrorKind;

/// What is under way between two bytes, and is going to be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unfinished {
    /// Where it begins. Nothing before that is of use any more.
    pub(crate) start: u64,
    /// Whether nothing of it is, either, since a fault of it is still to come.
    pub(crate) lost: bool,
    /// Up to where what was read belongs to it, whatever follows.
    pub(crate) sure: u64,
}

impl Machine {
    /// What is under way where `end` bytes were read; if it is nothing, it begins and ends there.
    pub(crate) fn unfinished(&self, end: u64) -> Unfinished {
        if let Some(comment) = self.comment {
            return Unfinished { start: comment.place.offset, lost: comment.too_large, sure: end };
        }
        let useless = self.dropped || self.discard.active() || self.too_deep > 0;
        let token = self.token.offset;
        let (start, sure) = match self.state {
            _ if self.hint == (Hint::Held { whole: false }) => (end, end),
            _ if self.is_in_hint() => (self.outer.offset, end),
            // In a comment that is not wanted.
            _ if self.blocks > 0 || self.annotations > 0 => (end, end),
            State::Between
            | State::AmongIllegal
            | State::AfterReturn
            | State::AfterToken
            | State::BeforeQuoteSwitch
            | State::InScript { .. }
            | State::InSkipLength { .. }
            | State::Skipping
            | State::InSkipped { .. }
            | State::InToken(Token::Directive)
            | State::InLargeLength
            | State::InLineComment
            | State::AfterReturnInComment
            | State::InBlock
            | State::AfterLeadInBlock
            | State::AfterBarInBlock
            | State::InAnnotation { .. }
            | State::AfterLeadInAnnotation(_)
            | State::Ignoring
            | State::Ended => (end, end),
            // They may come to nothing.
            State::AtStart(seen) => (end - u64::from(seen), end - u64::from(seen)),
            State::AfterLead(_) | State::BeforeScript { .. } | State::BeforeAnnotation | State::BeforeHere => (token, token),
            // What was read belongs to the next token.
            State::AfterWideAtom => (end - 1, end - 1),
            State::AfterBlock { seen } => (end - u64::from(seen), end - u64::from(seen)),
            // The last bytes may belong to it.
            State::AfterWideSpace(_) => (token, end - 1),
            State::BetweenBlockLines { .. } => (token, self.block_end),
            _ => (token, end),
        };
        Unfinished { start: if useless { sure } else { start }, lost: false, sure }
    }

    /// Whether something is under way that belongs to the form after it: a comment that is going to be delivered, or a hint.
    pub(crate) fn leads_a_form(&self) -> bool {
        self.comment.is_some() || self.is_in_hint()
    }

    /// Where that begins in which there is a fault of that kind, if it is something that would have been delivered.
    pub(super) fn faulty(&self, kind: ErrorKind) -> Option<u64> {
        if let Some(comment) = self.comment {
            return Some(comment.place.offset);
        }
        let between = matches!(
            kind,
            ErrorKind::UnbalancedClose(_)
                | ErrorKind::MismatchedClose(_)
                | ErrorKind::PrefixWithoutDatum
                | ErrorKind::UnclosedList(_)
                | ErrorKind::TooDeep
                | ErrorKind::TrailingData
                | ErrorKind::NoForm
                | ErrorKind::InputTooLarge
        );
        let in_comment = kind == ErrorKind::UnterminatedComment || self.blocks > 0 || self.annotations > 0;
        if between || in_comment || self.discard.active() || self.too_deep > 0 {
            return None;
        }
        Some(if self.is_in_hint() { self.outer.offset } else { self.token.offset })
    }
}
