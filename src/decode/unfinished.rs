//! What the machine is in the middle of, for those who hold the text until it is whole.

use super::{Hint, Machine, State};

/// What is under way between two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// Nothing that is going to be delivered.
    Nothing,
    /// A token that begins at that offset.
    Token(u64),
    /// Something that may become either, or whose beginning is not known.
    Something,
}

impl Machine {
    pub(crate) fn unfinished(&self) -> Unfinished {
        let dropped = self.discard.active() || self.too_deep > 0;
        match self.state {
            // A hint begins before its atom.
            _ if self.options.comments || self.hint != Hint::No => Unfinished::Something,
            _ if dropped => Unfinished::Nothing,
            State::Between
            | State::AmongIllegal
            | State::AfterReturn
            | State::InSkipped { .. }
            | State::Skipping
            | State::InLineComment
            | State::AfterReturnInComment
            | State::InBlock
            | State::AfterLeadInBlock
            | State::AfterBarInBlock
            | State::Ignoring
            | State::Ended => Unfinished::Nothing,
            State::InAtom(_)
            | State::InToken(_)
            | State::InBars
            | State::InQuotes
            | State::InCounted { .. }
            | State::InHex(_)
            | State::InBase64(_)
                if !self.dropped =>
            {
                Unfinished::Token(self.token.offset)
            }
            _ => Unfinished::Something,
        }
    }
}
