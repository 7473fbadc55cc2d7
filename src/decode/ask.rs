//! What a text would be read as: the encoder asks, since nobody else knows.

use super::{Chunk, Found, Machine, State, Step};
use crate::lexeme::{Kind, Span};
use crate::options::Options;
use crate::syntax::Syntax;

impl Machine {
    /// The kind of the only lexeme that the text is, if it is one from its first byte to its last.
    pub(crate) fn only_lexeme(syntax: &'static Syntax, text: &[u8]) -> Option<Kind> {
        Machine::silent(syntax).read_only_lexeme(text)
    }

    /// The same for a text that does not stand at the start of its line.
    pub(crate) fn only_lexeme_in_line(syntax: &'static Syntax, text: &[u8]) -> Option<Kind> {
        let mut machine = Machine::silent(syntax);
        machine.blank_line = false;
        machine.read_only_lexeme(text)
    }

    /// Whether the text is a prefix where a list or a string follows.
    pub(crate) fn reads_as_tag(syntax: &'static Syntax, text: &[u8]) -> bool {
        let mut followers = [Some(syntax.pairs[0].0), syntax.quotes.first().map(|quote| quote.open)].into_iter().flatten();
        followers.any(|follower| {
            let mut machine = Machine::silent(syntax);
            if machine.step_out_of_line(&Chunk::new(text, 0), &mut 0) != Step::Await {
                return false;
            }
            machine.next_chunk();
            let step = machine.step_out_of_line(&Chunk::new(&[follower], text.len() as u64), &mut 0);
            step == Step::Lexeme && machine.found_all_of(text) == Some(Kind::Prefix)
        })
    }

    /// A machine at the start of the data that delivers comments and keeps no text.
    fn silent(syntax: &'static Syntax) -> Machine {
        let mut machine = Machine::new(syntax, Options::default().comments(true));
        machine.silent = true;
        machine.note();
        machine.state = State::Between;
        machine
    }

    fn read_only_lexeme(mut self, text: &[u8]) -> Option<Kind> {
        if self.syntax.takes_for_a_mark(text) {
            return None;
        }
        let mut at = 0;
        let mut step = self.step_out_of_line(&Chunk::new(text, 0), &mut at);
        if step == Step::Await {
            self.next_chunk();
            step = self.end(&Chunk::new(&[], text.len() as u64));
        } else if at < text.len() {
            return None;
        }
        if step == Step::Lexeme { self.found_all_of(text) } else { None }
    }

    /// The kind of what was found, if it is all of the text.
    fn found_all_of(&self, text: &[u8]) -> Option<Kind> {
        let Found { kind, span, .. } = self.found;
        (span == Span { start: 0, end: text.len() as u64 }).then_some(kind)
    }
}
