//! Frames that a tag begins and a key ends.

use super::{Deframer, ErrorKind, State, Step};
use crate::framing::{Body, Tagged};

impl Tagged {
    /// How long the longest tag is.
    pub(super) fn longest(self) -> usize {
        self.tags.iter().map(|(name, _)| name.len()).max().unwrap_or(0)
    }

    /// A byte follows so many bytes of the key that does not go on with it: how many bytes of the key are the last ones then.
    fn again(self, count: usize, next: u8) -> usize {
        let ends_so = |length: &usize| {
            let before = length - 1;
            self.key[before] == next && self.key[..count].ends_with(&self.key[..before])
        };
        (1..=count).rev().find(ends_so).unwrap_or(0)
    }
}

impl Deframer {
    pub(super) fn step_tagged(&mut self, rule: Tagged, chunk: &[u8]) -> Step {
        loop {
            let Some(&next) = chunk.get(self.at) else {
                return match self.state {
                    State::Between | State::SkippingLine => self.wait(),
                    _ => self.wait_in_frame(),
                };
            };
            match self.state {
                State::Between => {
                    self.start = self.position();
                    self.line.clear();
                    self.state = State::InTag;
                }
                State::InTag if next != b'\n' => {
                    if self.line.len() == rule.longest() {
                        self.state = State::SkippingLine;
                        return self.error(ErrorKind::Tag);
                    }
                    self.line.push(next);
                    self.at += 1;
                }
                State::InTag => {
                    self.at += 1;
                    self.state = State::Between;
                    let Some((_, body)) = rule.tags.iter().find(|(name, _)| *name == self.line) else {
                        return self.error(ErrorKind::Tag);
                    };
                    if *body != Body::Nothing {
                        self.state = State::InBody(0);
                        self.octets = *body == Body::Octets;
                    }
                    return Step::Line;
                }
                State::InBody(count) => {
                    if let Some(step) = self.step_in_body(rule, usize::from(count), chunk) {
                        return step;
                    }
                }
                _ => {
                    if self.skip_line(b'\n', chunk) {
                        self.state = State::Between;
                    }
                }
            }
        }
    }

    /// In what follows a tag, after so many bytes of the key.
    fn step_in_body(&mut self, rule: Tagged, count: usize, chunk: &[u8]) -> Option<Step> {
        let (rest, next) = (&chunk[self.at..], chunk[self.at]);
        if count == 0 {
            // Up to a key but for its last byte, or to what may be the beginning of one.
            let almost = &rule.key[..rule.key.len() - 1];
            let (text, key) = match memchr::memmem::find(rest, almost) {
                Some(index) => (index, almost.len()),
                None => {
                    let key = (1..almost.len()).rev().find(|&count| rest.ends_with(&almost[..count])).unwrap_or(0);
                    (rest.len() - key, key)
                }
            };
            if text > 0 && !self.lost {
                // The key is left to the next step: the client may leave the chunk before.
                let room = self.room();
                return Some(if room > 0 { self.piece(text.min(room)) } else { self.lose_body(0) });
            }
            self.at += text + key;
            self.state = State::InBody(key as u8);
            return None;
        }
        if next == rule.key[count] {
            self.at += 1;
            self.state = State::InBody(count as u8 + 1);
            if count + 1 < rule.key.len() {
                return None;
            }
            let lost = self.lost;
            self.lost = false;
            self.start_frame();
            return (!lost).then_some(Step::EndOfFrame);
        }
        let stuffed = count + 1 == rule.key.len() && next == rule.stuffing;
        let again = if stuffed { 0 } else { rule.again(count, next) };
        // What was read of the key is payload, but for what begins a key again, to which the next byte belongs.
        let payload = if again > 0 { count + 1 - again } else { count };
        let room = self.room();
        if !self.lost && payload > room {
            return Some(if room > 0 { self.give(&rule.key[..room], count) } else { self.lose_body(count) });
        }
        let step = if self.lost { None } else { Some(self.give(&rule.key[..payload], count)) };
        self.at += usize::from(stuffed || again > 0);
        self.state = State::InBody(again as u8);
        step
    }

    /// The rest of what follows the tag is dropped.
    fn lose_body(&mut self, count: usize) -> Step {
        self.lost = true;
        self.state = State::InBody(count as u8);
        self.error(ErrorKind::FrameTooLarge)
    }
}
