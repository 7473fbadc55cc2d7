//! Frames with a header of digits that counts the payload.

use super::{Deframer, ErrorKind, State, Step, byte, hex};
use crate::framing::{Counted, DIGITS, Unit};

impl Deframer {
    pub(super) fn step_counted(&mut self, rule: Counted, chunk: &[u8]) -> Step {
        loop {
            match self.state {
                State::Between | State::Searching => {
                    let Some(&next) = chunk.get(self.at) else {
                        return if self.state == State::Between && self.count > 0 { self.wait_in_header(rule) } else { self.wait() };
                    };
                    if self.count == 0 {
                        self.start = self.position();
                    }
                    if hex(next).is_none() {
                        if self.state == State::Searching {
                            self.at += 1;
                            self.count = 0;
                            continue;
                        }
                        if rule.or_line {
                            self.state = State::Giving(0);
                            continue;
                        }
                    }
                    self.at += 1;
                    self.held[usize::from(self.count)] = next;
                    self.count += 1;
                    if usize::from(self.count) == DIGITS
                        && let Some(step) = self.header(rule)
                    {
                        return step;
                    }
                }
                State::InCounted { left, tail } => {
                    let rest = &chunk[self.at..];
                    if rest.is_empty() && (left > 0 || tail > 0) {
                        return self.wait_in_frame();
                    }
                    let room = self.room();
                    if room == 0 {
                        self.state = State::Skipping { left, tail };
                        return self.error(ErrorKind::FrameTooLarge);
                    }
                    let (count, left, tail) = rule.unit.pass(left, tail, &rest[..rest.len().min(room)]);
                    self.state = if left == 0 && tail == 0 { State::AtEndOfFrame } else { State::InCounted { left, tail } };
                    if count > 0 {
                        return self.piece(count);
                    }
                    // The last character is cut off by what follows.
                    self.start_frame();
                    return Step::EndOfFrame;
                }
                State::Skipping { left, tail } => {
                    let rest = &chunk[self.at..];
                    if rest.is_empty() {
                        return self.wait();
                    }
                    let (count, left, tail) = rule.unit.pass(left, tail, rest);
                    self.at += count;
                    self.state = State::Skipping { left, tail };
                    if left == 0 && tail == 0 || count == 0 {
                        self.start_frame();
                    }
                }
                // A line without a header.
                State::Giving(index) if index < self.count => {
                    if self.room() == 0 {
                        self.state = State::SkippingLine;
                        return self.error(ErrorKind::FrameTooLarge);
                    }
                    self.state = State::Giving(index + 1);
                    return self.give(byte(self.held[usize::from(index)]), usize::from(self.count - index));
                }
                State::Giving(_) => self.state = State::InLine,
                _ => {
                    if let Some(step) = self.step_in_line(b'\n', false, chunk) {
                        return step;
                    }
                }
            }
        }
    }

    /// The input may be over in a header.
    fn wait_in_header(&mut self, rule: Counted) -> Step {
        if self.over && rule.or_line {
            self.state = State::Giving(0);
            return self.step(&[]);
        }
        self.wait_in_frame()
    }

    /// The header is whole.
    fn header(&mut self, rule: Counted) -> Option<Step> {
        let Some(length) = rule.length(&self.held) else {
            self.state = State::Searching;
            // The next header may have begun in this one.
            let digits = self.held.iter().rev().take_while(|byte| hex(**byte).is_some()).count();
            self.held.copy_within(DIGITS - digits.., 0);
            self.count = digits as u8;
            let error = self.error(ErrorKind::Header);
            self.start = self.position() - digits as u64;
            return Some(error);
        };
        self.count = 0;
        if length > self.limit {
            self.state = State::Skipping { left: length, tail: 0 };
            return Some(self.error(ErrorKind::FrameTooLarge));
        }
        if length == 0 {
            return self.end_frame();
        }
        self.state = State::InCounted { left: length, tail: 0 };
        None
    }
}

impl Counted {
    fn length(self, header: &[u8; DIGITS]) -> Option<u64> {
        let mut digits = &header[..];
        if self.blanks {
            digits = digits.trim_ascii();
            digits = digits.strip_prefix(b"+").unwrap_or(digits);
        }
        let (first, others) = digits.split_first()?;
        let mut length = u64::from(hex(*first)?);
        for &digit in others {
            length = length << 4 | u64::from(hex(digit)?);
        }
        Some(length)
    }
}

impl Unit {
    /// Passes what belongs to a payload: how many bytes that is, how much of the payload is missing then, and how many bytes of a character.
    pub(in crate::framing) fn pass(self, mut left: u64, mut tail: u8, bytes: &[u8]) -> (usize, u64, u8) {
        if self == Unit::Bytes {
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
            return (count, left - count as u64, 0);
        }
        let mut count = 0;
        for &byte in bytes {
            if left == 0 && tail == 0 {
                break;
            }
            if tail > 0 && byte & 0xc0 == 0x80 {
                tail -= 1;
            } else if left > 0 {
                left -= 1;
                tail = match byte {
                    0xc2..=0xdf => 1,
                    0xe0..=0xef => 2,
                    0xf0..=0xf4 => 3,
                    _ => 0,
                };
            } else {
                // What follows cannot belong to the last character.
                tail = 0;
                break;
            }
            count += 1;
        }
        (count, left, tail)
    }
}
