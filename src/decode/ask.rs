//! What a text would be read as: the encoder asks, since nobody else knows.

use super::{Chunk, Found, Machine, State, Step};
use crate::lexeme::{Kind, Span};
use crate::options::Options;
use crate::syntax::Syntax;

impl Machine {
    /// The kind of the only lexeme that the text is, if it is one from its first byte to its last.
    pub(crate) fn only_lexeme(syntax: &'static Syntax, text: &[u8]) -> Option<Kind> {
        Machine::only_lexeme_of(Machine::new(syntax, Options::default().comments(true)), text)
    }

    /// The same for a text that does not stand at the start of its line.
    pub(crate) fn only_lexeme_in_line(syntax: &'static Syntax, text: &[u8]) -> Option<Kind> {
        let mut machine = Machine::new(syntax, Options::default().comments(true));
        machine.blank_line = false;
        Machine::only_lexeme_of(machine, text)
    }

    fn only_lexeme_of(mut machine: Machine, text: &[u8]) -> Option<Kind> {
        machine.silent = true;
        machine.note();
        machine.state = State::Between;
        let (chunk, mut at) = (Chunk::new(text, 0), 0);
        let mut step = machine.step_out_of_line(&chunk, &mut at);
        let end = Chunk::new(&[], text.len() as u64);
        if step == Step::Await {
            machine.next_chunk();
            step = machine.end(&end);
        } else if at < text.len() {
            return None;
        }
        let Found { kind, span, .. } = machine.found;
        (step == Step::Lexeme && span == Span { start: 0, end: text.len() as u64 }).then_some(kind)
    }

    /// Whether the text is a prefix where a list or a string follows.
    pub(crate) fn reads_as_tag(syntax: &'static Syntax, text: &[u8]) -> bool {
        let mut followers = [Some(syntax.pairs[0].0), syntax.quotes.first().map(|quote| quote.open)].into_iter().flatten();
        followers.any(|follower| {
            let mut machine = Machine::new(syntax, Options::default());
            machine.silent = true;
            machine.note();
            machine.state = State::Between;
            let (first, mut at) = (Chunk::new(text, 0), 0);
            if machine.step_out_of_line(&first, &mut at) != Step::Await {
                return false;
            }
            machine.next_chunk();
            let follower = [follower];
            let step = machine.step_out_of_line(&Chunk::new(&follower, text.len() as u64), &mut 0);
            let Found { kind, span, .. } = machine.found;
            step == Step::Lexeme && kind == Kind::Prefix && span == Span { start: 0, end: text.len() as u64 }
        })
    }
}
