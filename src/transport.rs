//! The armour of a whole form: its bytes in base64 between braces. (RFC 9804, section 6.1.)
//!
//! A layer between the chunk and the machine: where the machine comes to an armour the layer takes it off, and hands the machine one
//! byte at a time, whose place in the input is that of the base64 digit that completed it. White space behind it, which the grammar does not have
//! but files do, is skipped.

use crate::decode::{self, Base64, Chunk, Digit, Machine, Step};
use crate::error::ErrorKind;
use crate::lexeme::Position;

/// Where the layer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Outside: the machine reads the chunk.
    Outside,
    /// In the armour.
    Inside(Base64),
    /// In the armour, with a byte for the machine, decoded from the byte before.
    Decoded(Base64, u8),
    /// In the armour, whose base64 is faulty: the rest is skipped.
    AfterFault,
    /// After the closing brace: what is unfinished inside comes to its end, a fault at a time.
    Closing,
    /// Directly behind the armour, or behind white space after it.
    Behind,
}

/// The layer.
#[derive(Clone, Debug)]
pub(crate) struct Armour {
    close: u8,
    state: State,
    /// Where it was opened.
    opened: Position,
}

impl Armour {
    pub(crate) fn new(close: u8) -> Self {
        Armour { close, state: State::Outside, opened: Position::default() }
    }

    /// Whether no brace is open.
    pub(crate) fn is_outside(&self) -> bool {
        self.state == State::Outside
    }

    pub(crate) fn reset(&mut self) {
        self.state = State::Outside;
    }

    /// A step, as [`Machine::step`].
    pub(crate) fn step(&mut self, machine: &mut Machine, chunk: &Chunk<'_>, at: &mut usize) -> Step {
        loop {
            if machine.state == decode::State::Ignoring {
                self.state = State::Outside;
            }
            match self.state {
                State::Outside => match machine.step_out_of_line(chunk, at) {
                    Step::Armour => {
                        let offset = machine.outer.offset;
                        self.opened = machine.location(chunk, offset);
                        machine.set_armoured(true);
                        self.state = State::Inside(Base64::default());
                    }
                    step => return step,
                },
                State::Decoded(base64, byte) => {
                    if let Some(step) = self.hand_over(machine, chunk, chunk.base + *at as u64 - 1, base64, byte) {
                        return step;
                    }
                }
                State::Closing => {
                    let end = chunk.decoded(&[], chunk.base + *at as u64 - 1);
                    match machine.end(&end) {
                        Step::End => {
                            machine.set_armoured(false);
                            self.state = State::Behind;
                        }
                        step => return step,
                    }
                }
                State::Behind => {
                    *at += chunk.bytes[*at..].iter().take_while(|&&byte| is_space(byte)).count();
                    if *at == chunk.bytes.len() {
                        machine.stop(chunk, *at);
                        return Step::Await;
                    }
                    self.state = State::Outside;
                }
                State::Inside(_) | State::AfterFault => {
                    let Some(&byte) = chunk.bytes.get(*at) else {
                        machine.stop(chunk, chunk.bytes.len());
                        return Step::Await;
                    };
                    *at += 1;
                    let State::Inside(base64) = self.state else {
                        if byte == self.close {
                            self.state = State::Closing;
                        }
                        continue;
                    };
                    if let Some(kind) = self.take(base64, byte) {
                        if self.state == State::AfterFault {
                            machine.set_armoured(true);
                        }
                        return machine.fault(chunk, kind, chunk.base + *at as u64 - 1, None);
                    }
                }
            }
        }
    }

    /// Hands the machine a decoded byte, which stands for the byte of the input at that offset.
    fn hand_over(&mut self, machine: &mut Machine, chunk: &Chunk<'_>, offset: u64, base64: Base64, byte: u8) -> Option<Step> {
        let bytes = [byte];
        let mut used = 0;
        let step = machine.step_out_of_line(&chunk.decoded(&bytes, offset), &mut used);
        if used == 1 || step == Step::Await {
            self.state = State::Inside(base64);
        }
        match step {
            Step::Await => return None,
            Step::Lexeme | Step::Fragment => machine.own(&bytes),
            _ => {}
        }
        Some(step)
    }

    /// Takes a byte of the armour, and goes on to the next state.
    fn take(&mut self, mut base64: Base64, byte: u8) -> Option<ErrorKind> {
        let (state, fault) = match base64.take(byte) {
            Digit::Octet(octet) => (State::Decoded(base64, octet), None),
            Digit::Nothing => (State::Inside(base64), None),
            Digit::AfterPad => (State::AfterFault, Some(ErrorKind::BadBase64)),
            Digit::Other if byte == self.close => (State::Closing, if base64.whole() { None } else { Some(ErrorKind::BadBase64) }),
            Digit::Other if is_space(byte) => (State::Inside(base64), None),
            Digit::Other => (State::AfterFault, Some(ErrorKind::IllegalInOctets(byte))),
        };
        self.state = state;
        fault
    }

    /// A step after the input is over, as [`Machine::end`].
    pub(crate) fn end(&mut self, machine: &mut Machine, chunk: &Chunk<'_>) -> Step {
        if matches!(self.state, State::Outside | State::Behind) || machine.state == decode::State::Ignoring {
            self.state = State::Outside;
            return machine.end(chunk);
        }
        // A client that stopped in mid-chunk may have left a decoded byte behind.
        if let State::Decoded(base64, byte) = self.state
            && let Some(step) = self.hand_over(machine, chunk, chunk.base.saturating_sub(1), base64, byte)
        {
            return step;
        }
        if self.state == State::Closing {
            match machine.end(&chunk.decoded(&[], chunk.base.saturating_sub(1))) {
                Step::End => {}
                step => return step,
            }
        }
        let closed = self.state == State::Closing;
        self.state = State::Outside;
        machine.set_armoured(false);
        if closed { machine.end(chunk) } else { machine.fault(chunk, ErrorKind::PrematureEnd, chunk.base, Some(self.opened)) }
    }
}

/// White space as in RFC 9804, section 3.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}
