//! Frames that a byte ends, and those of them that a line before them announces.

use super::{Deframer, ErrorKind, State, Step};
use crate::framing::{Empty, Terminated, Unit};

impl Deframer {
    pub(super) fn step_terminated(&mut self, rule: Terminated, chunk: &[u8]) -> Step {
        loop {
            let next = chunk.get(self.at).copied();
            match self.state {
                State::Between => {
                    let Some(next) = next else { return self.wait() };
                    self.start = self.position();
                    self.state = State::InLine;
                    if rule.header.is_some_and(|text| text[0] == next) {
                        self.at += 1;
                        self.state = State::InHeader(1);
                    }
                }
                State::InHeader(count) => {
                    let text = rule.header.unwrap_or_default();
                    let count = usize::from(count);
                    match next {
                        None if !self.over => return Step::Await,
                        Some(next) if text[count] == next => {
                            self.at += 1;
                            let whole = count + 1 == text.len();
                            self.state = if whole { State::InLength { value: 0, any: false } } else { State::InHeader(count as u8 + 1) };
                        }
                        _ => {
                            self.state = State::InLine;
                            if count > self.room() {
                                self.state = State::SkippingLine;
                                return self.error(ErrorKind::FrameTooLarge);
                            }
                            return self.give(&text[..count], count);
                        }
                    }
                }
                State::InLength { value, any } => {
                    let Some(next) = next else { return self.wait_in_frame() };
                    let digit = next.wrapping_sub(b'0');
                    if digit < 10 {
                        self.at += 1;
                        let more = value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit)));
                        let Some(value) = more else {
                            self.state = State::SkippingLine;
                            return self.error(ErrorKind::Header);
                        };
                        self.state = State::InLength { value, any: true };
                    } else if next == b'\n' && any && value > 0 {
                        self.at += 1;
                        self.state = State::InCounted { left: value - 1, tail: 0 };
                        if value - 1 > self.limit {
                            self.state = State::Skipping { left: value, tail: 0 };
                            return self.error(ErrorKind::FrameTooLarge);
                        }
                    } else {
                        self.state = State::SkippingLine;
                        return self.error(ErrorKind::Header);
                    }
                }
                State::InCounted { left: 0, .. } => self.state = State::BeforeEnd,
                State::InCounted { left, tail } => {
                    let rest = &chunk[self.at..];
                    if rest.is_empty() {
                        return self.wait_in_frame();
                    }
                    let (count, left, _) = Unit::Bytes.pass(left, tail, rest);
                    self.state = State::InCounted { left, tail };
                    return self.piece(count);
                }
                State::Skipping { left, tail } => {
                    let rest = &chunk[self.at..];
                    if rest.is_empty() {
                        return self.wait();
                    }
                    let (count, left, _) = Unit::Bytes.pass(left, tail, rest);
                    self.at += count;
                    self.state = State::Skipping { left, tail };
                    if left == 0 {
                        self.start_frame();
                    }
                }
                State::BeforeEnd => {
                    let Some(next) = next else { return self.wait_in_frame() };
                    if next == rule.end {
                        self.at += 1;
                        if let Some(step) = self.end_frame() {
                            return step;
                        }
                        continue;
                    }
                    self.state = State::SkippingLine;
                    return self.error(ErrorKind::Terminator);
                }
                _ => {
                    if let Some(step) = self.step_in_line(rule.end, rule.returns, chunk) {
                        return step;
                    }
                }
            }
        }
    }

    /// A step in a payload that a byte ends. None if something else is to be done first.
    pub(super) fn step_in_line(&mut self, end: u8, returns: bool, chunk: &[u8]) -> Option<Step> {
        let rest = &chunk[self.at..];
        match self.state {
            State::SkippingLine => {
                if rest.is_empty() {
                    return Some(self.wait());
                }
                if self.skip_line(end, chunk) {
                    self.start_frame();
                }
                None
            }
            State::AfterReturn => {
                match rest.first() {
                    None if !self.over => return Some(Step::Await),
                    Some(&next) if next == end => {
                        self.at += 1;
                        return self.end_frame();
                    }
                    _ => {}
                }
                self.state = State::InLine;
                if self.room() == 0 {
                    self.state = State::SkippingLine;
                    return Some(self.error(ErrorKind::FrameTooLarge));
                }
                Some(self.give(b"\r", 1))
            }
            _ if rest.is_empty() => {
                if self.over && !(self.size == 0 && self.framing.empty == Empty::Skipped) {
                    self.start_frame();
                    return Some(Step::EndOfFrame);
                }
                Some(self.wait())
            }
            _ => {
                let found = memchr::memchr(end, rest);
                let whole = &rest[..found.unwrap_or(rest.len())];
                let text = if returns { whole.strip_suffix(b"\r").unwrap_or(whole) } else { whole };
                let room = self.room();
                if text.len() > room {
                    if room > 0 {
                        return Some(self.piece(room));
                    }
                    self.state = State::SkippingLine;
                    return Some(self.error(ErrorKind::FrameTooLarge));
                }
                // What comes behind the text is left to the next step: the client may leave the chunk before.
                if !text.is_empty() {
                    return Some(self.piece(text.len()));
                }
                self.at += whole.len() + usize::from(found.is_some());
                self.state = if found.is_some() { State::InLine } else { State::AfterReturn };
                found.and_then(|_| self.end_frame())
            }
        }
    }
}
