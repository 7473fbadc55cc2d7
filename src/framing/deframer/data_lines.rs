//! Frames whose payload comes in lines of data, escaped, among other lines.

use super::{Deframer, ErrorKind, State, Step, byte, hex};
use crate::framing::DataLines;

impl Deframer {
    pub(super) fn step_data_lines(&mut self, rule: DataLines, chunk: &[u8]) -> Step {
        loop {
            let next = chunk.get(self.at).copied();
            match self.state {
                State::Between => {
                    let Some(_) = next else { return self.wait_at_line_start() };
                    if !self.begun {
                        self.start = self.position();
                    }
                    self.line.clear();
                    self.line_length = 0;
                    self.state = State::AtLineStart(0);
                }
                State::AtLineStart(count) => {
                    let Some(next) = next else { return self.wait_in_frame() };
                    if next != rule.data[usize::from(count)] {
                        self.line.extend_from_slice(&rule.data[..usize::from(count)]);
                        self.state = State::InOtherLine;
                        continue;
                    }
                    self.at += 1;
                    self.state = State::AtLineStart(count + 1);
                    if usize::from(count) + 1 == rule.data.len() {
                        self.line_length = rule.data.len();
                        self.begun = true;
                        self.state = State::InData;
                    }
                }
                State::InOtherLine => {
                    if next.is_none() {
                        return self.wait_in_frame();
                    }
                    if let Some(step) = self.step_in_other_line(rule, chunk) {
                        return step;
                    }
                }
                State::AfterLine => {
                    self.start_frame();
                    return Step::Line;
                }
                State::InData => {
                    if next.is_none() {
                        return self.wait_in_frame();
                    }
                    if let Some(step) = self.step_in_data(rule, chunk) {
                        return step;
                    }
                }
                State::AfterReturnInData => match next {
                    Some(b'\n') => {
                        self.at += 1;
                        self.state = State::Between;
                    }
                    None => return self.wait_in_frame(),
                    Some(_) => {
                        self.state = State::InData;
                        if let Some(step) = self.data(rule, 1, b"\r", 1) {
                            return step;
                        }
                    }
                },
                State::InEscape(first) => {
                    let Some(next) = next else { return self.wait_in_frame() };
                    let Some(digit) = hex(next) else {
                        return self.lose(ErrorKind::Escape, State::SkippingLine);
                    };
                    self.at += 1;
                    let Some(first) = first else {
                        self.state = State::InEscape(Some(digit));
                        continue;
                    };
                    self.state = State::InData;
                    if let Some(step) = self.data(rule, 3, byte(first << 4 | digit), 3) {
                        return step;
                    }
                }
                // A line that is dropped.
                _ => {
                    if next.is_none() {
                        return self.wait_at_line_start();
                    }
                    if self.skip_line(b'\n', chunk) {
                        self.state = State::Between;
                    }
                }
            }
        }
    }

    /// In a line that is no payload: gathers it.
    fn step_in_other_line(&mut self, rule: DataLines, chunk: &[u8]) -> Option<Step> {
        let rest = &chunk[self.at..];
        let found = memchr::memchr(b'\n', rest);
        let text = &rest[..found.unwrap_or(rest.len())];
        // One more may be the carriage return of its end.
        let room = rule.limit + 1 - self.line.len();
        let taken = text.len().min(room);
        self.line.extend_from_slice(&text[..taken]);
        self.at += taken;
        let beyond = self.line.len() > rule.limit && self.line.last() != Some(&b'\r');
        if beyond || taken < text.len() {
            self.lost = self.begun;
            self.state = State::SkippingLine;
            let error = super::Error::at(ErrorKind::LineTooLong, self.position() - self.line.len() as u64);
            return Some(Step::Error(error));
        }
        found?;
        self.at += 1;
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        self.state = State::Between;
        if self.line.is_empty() {
            return None;
        }
        let word = self.line.split(|byte| *byte == b' ').next().unwrap_or_default();
        if !rule.ends.contains(&word) {
            return Some(Step::Line);
        }
        let complete = self.begun && !self.lost;
        self.lost = false;
        self.state = State::AfterLine;
        complete.then_some(Step::EndOfFrame)
    }

    /// In a line of data: what of it stands there as it is.
    fn step_in_data(&mut self, rule: DataLines, chunk: &[u8]) -> Option<Step> {
        let rest = &chunk[self.at..];
        let found = memchr::memchr3(b'%', b'\r', b'\n', rest);
        let count = found.unwrap_or(rest.len());
        if count > 0 {
            let count = count.min(rule.limit - self.line_length).min(if self.lost { usize::MAX } else { self.room() });
            if count == 0 {
                return Some(self.too_much(rule));
            }
            self.line_length += count;
            if self.lost {
                self.at += count;
                return None;
            }
            return Some(self.piece(count));
        }
        self.at += 1;
        self.state = match rest[0] {
            b'\n' => State::Between,
            b'\r' => State::AfterReturnInData,
            _ => State::InEscape(None),
        };
        None
    }

    /// A text of the payload that takes so many bytes in its line, and begins so many before this place.
    fn data(&mut self, rule: DataLines, length: usize, text: &'static [u8], before: usize) -> Option<Step> {
        if self.line_length + length > rule.limit || !self.lost && self.room() == 0 {
            return Some(self.too_much(rule));
        }
        self.line_length += length;
        (!self.lost).then(|| self.give(text, before))
    }

    /// The line or the payload is too large.
    fn too_much(&mut self, rule: DataLines) -> Step {
        if !self.lost && self.room() == 0 && self.line_length < rule.limit {
            return self.lose(ErrorKind::FrameTooLarge, State::SkippingLine);
        }
        self.lose(ErrorKind::LineTooLong, State::SkippingLine)
    }

    /// The rest of the frame is dropped.
    fn lose(&mut self, kind: ErrorKind, state: State) -> Step {
        self.lost = true;
        self.state = state;
        self.error(kind)
    }

    /// The chunk is used up between two lines.
    fn wait_at_line_start(&mut self) -> Step {
        if self.begun && !self.lost { self.wait_in_frame() } else { self.wait() }
    }
}
