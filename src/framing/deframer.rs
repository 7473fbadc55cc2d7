//! The deframer: a framed stream to pieces of payload, one step a piece, any cut.
//!
//! As in the decoder, what must outlive a chunk is in [`State`] and the few fields beside it. A piece is handed out where it stands in the
//! chunk; what was read with an earlier chunk and turns out to be payload is text that does not change (the beginning of a key, a carriage
//! return), or a byte that was decoded: both are handed out from constants. So payload is never copied. Only lines that are no payload are
//! gathered; they are short.

mod counted;
mod data_lines;
mod tagged;
mod terminated;

use super::error::{Error, ErrorKind};
use super::{DIGITS, Empty, Framing, Rule};
use crate::options::Options;
use alloc::vec::Vec;
use core::fmt;

/// What a step of the deframer came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deframe<'a> {
    /// The next bytes of the payload. Never empty.
    Payload(&'a [u8]),
    /// The next bytes of a payload that is no s-expression.
    Octets(&'a [u8]),
    /// A line that is no payload, without its end.
    Line(&'a [u8]),
    /// The frame is complete. Not told where there is no framing ([`Framing::FORMS`]).
    EndOfFrame,
    /// The chunk is used up: feed another, or finish.
    Await,
    /// The input is over.
    End,
    /// A fault in the framing. The next step goes on after it.
    Error(Error),
}

/// Takes the framing off, for clients who want the payload as bytes.
///
/// ```
/// use sexp_codec::framing::{Deframe, Deframer, Framing};
///
/// let mut deframer = Deframer::new(&Framing::ASSUAN);
/// let mut payload = Vec::new();
/// for chunk in [&b"S PROGRESS 1\nD (1:"[..], b"%2", b"5)\nOK\n"] {
///     let mut pieces = deframer.feed(chunk);
///     loop {
///         match pieces.deframe() {
///             Deframe::Payload(piece) => payload.extend_from_slice(piece),
///             Deframe::Line(line) => println!("{}", line.escape_ascii()),
///             Deframe::EndOfFrame => assert_eq!(payload, b"(1:%)"),
///             Deframe::Await => break,
///             other => panic!("{other:?}"),
///         }
///     }
/// }
/// assert_eq!(deframer.finish().deframe(), Deframe::End);
/// ```
#[derive(Clone)]
pub struct Deframer {
    framing: Framing,
    /// How many bytes a payload may have.
    limit: u64,
    state: State,
    /// Bytes of what may be a header.
    held: [u8; DIGITS],
    count: u8,
    /// How many bytes of the payload were handed out.
    size: u64,
    /// Where the frame begins.
    start: u64,
    /// Whether lines of data were there, so that an end of the frame must follow.
    begun: bool,
    /// Whether the rest of the frame is to be dropped.
    lost: bool,
    /// Whether the payload is no s-expression.
    pub(super) octets: bool,
    /// How many bytes the line has so far.
    line_length: usize,
    /// The line that is no payload.
    line: Vec<u8>,
    /// Where the last piece stands in the stream.
    pub(super) piece_at: u64,
    /// Offset of the chunk's first byte in the stream.
    base: u64,
    /// How far it is in the chunk.
    pub(super) at: usize,
    over: bool,
}

/// Where it stands between two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between frames; in the header of digits, as many bytes are held as there are.
    Between,
    /// After a bad header, before the next one.
    Searching,
    /// The bytes that are held are payload, from that one on.
    Giving(u8),
    /// In a payload of which so much is missing; how many bytes of the last character are missing.
    InCounted { left: u64, tail: u8 },
    /// In such a payload that is too large.
    Skipping { left: u64, tail: u8 },
    /// In a payload up to its end.
    InLine,
    /// After a carriage return in that.
    AfterReturn,
    /// In the text of a header line, after so many bytes of it.
    InHeader(u8),
    /// In the digits of a header line.
    InLength { value: u64, any: bool },
    /// Before the end of a payload that was announced.
    BeforeEnd,
    /// In a line that is dropped.
    SkippingLine,
    /// In a line of which so many bytes are as those that begin a line of data.
    AtLineStart(u8),
    /// In a line that is no payload.
    InOtherLine,
    /// The frame that the line ends is over, and the line is still to be told.
    AfterLine,
    /// In a line of data.
    InData,
    /// In an escape, after its first digit if one is given.
    InEscape(Option<u8>),
    /// After a carriage return in a line of data.
    AfterReturnInData,
    /// In the tag.
    InTag,
    /// In what follows a tag, after so many bytes of the key.
    InBody(u8),
    /// The frame is complete.
    AtEndOfFrame,
    /// The end was delivered.
    Ended,
}

/// What a step came to, without the bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A piece of the payload in the chunk.
    Payload {
        from: usize,
        to: usize,
    },
    /// A piece of the payload that is not.
    Given(&'static [u8]),
    Line,
    EndOfFrame,
    Await,
    End,
    Error(Error),
}

impl Deframer {
    /// A deframer without limits.
    pub fn new(framing: &Framing) -> Deframer {
        Deframer::with_options(framing, Options::default())
    }

    /// A deframer with the [limit on frames](Options::limit_frame) of these options. The other options are of no concern to it.
    pub fn with_options(framing: &Framing, options: Options) -> Deframer {
        let line = match framing.rule {
            Rule::DataLines(rule) => rule.limit + 1,
            Rule::Tagged(rule) => rule.longest() + 1,
            _ => 0,
        };
        Deframer {
            framing: *framing,
            limit: options.frame.unwrap_or(u64::MAX),
            state: State::Between,
            held: [0; DIGITS],
            count: 0,
            size: 0,
            start: 0,
            begun: false,
            lost: false,
            octets: false,
            line_length: 0,
            line: Vec::with_capacity(line),
            piece_at: 0,
            base: 0,
            at: 0,
            over: false,
        }
    }

    /// Hands over a chunk. An empty chunk does nothing. What a client leaves of the last chunk counts as not read.
    pub fn feed<'d, 'c>(&'d mut self, chunk: &'c [u8]) -> Pieces<'d, 'c> {
        self.leave();
        Pieces { deframer: self, chunk }
    }

    /// The input is over.
    pub fn finish(&mut self) -> Pieces<'_, 'static> {
        self.leave();
        self.over = true;
        Pieces { deframer: self, chunk: &[] }
    }

    /// Ready for a new stream. Buffers are kept.
    pub fn reset(&mut self) {
        self.start_frame();
        self.lost = false;
        (self.base, self.at, self.start, self.piece_at) = (0, 0, 0, 0);
        self.over = false;
    }

    /// The framing that it takes off.
    pub fn framing(&self) -> &Framing {
        &self.framing
    }

    /// How many bytes were consumed.
    pub fn position(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Whether it stands between frames: the end of the input here would cut nothing off.
    pub fn is_between_frames(&self) -> bool {
        matches!(self.state, State::Between | State::Searching | State::Ended) && self.count == 0 && !self.begun
    }

    pub(super) fn leave(&mut self) {
        self.base += self.at as u64;
        self.at = 0;
    }

    /// So many bytes at the end of what was consumed will be handed over again.
    pub(super) fn unread(&mut self, count: usize) {
        self.base -= count as u64;
    }

    /// So many bytes at the start of the chunk were looked at before.
    pub(super) fn pass(&mut self, count: usize) {
        self.at = count;
    }

    pub(super) fn set_over(&mut self) {
        self.over = true;
    }

    pub(super) fn last_line(&self) -> &[u8] {
        &self.line
    }

    /// One step.
    pub(super) fn step(&mut self, chunk: &[u8]) -> Step {
        match self.state {
            State::AtEndOfFrame => {
                self.start_frame();
                return Step::EndOfFrame;
            }
            State::Ended => return Step::End,
            _ => {}
        }
        match self.framing.rule {
            Rule::Bare if self.at < chunk.len() => self.piece(chunk.len() - self.at),
            Rule::Bare => self.wait(),
            Rule::Counted(rule) => self.step_counted(rule, chunk),
            Rule::Terminated(rule) => self.step_terminated(rule, chunk),
            Rule::DataLines(rule) => self.step_data_lines(rule, chunk),
            Rule::Tagged(rule) => self.step_tagged(rule, chunk),
        }
    }

    /// What follows is not part of the frame any more.
    fn start_frame(&mut self) {
        self.state = State::Between;
        self.count = 0;
        self.size = 0;
        self.begun = false;
        self.octets = false;
    }

    /// The chunk is used up where that cuts nothing off.
    fn wait(&mut self) -> Step {
        if !self.over {
            return Step::Await;
        }
        self.state = State::Ended;
        Step::End
    }

    /// The chunk is used up inside a frame.
    fn wait_in_frame(&mut self) -> Step {
        if !self.over {
            return Step::Await;
        }
        self.state = State::Ended;
        if self.lost { Step::End } else { self.error(ErrorKind::Truncated) }
    }

    /// A fault of the frame.
    fn error(&self, kind: ErrorKind) -> Step {
        Step::Error(Error::at(kind, self.start))
    }

    /// The frame is complete. Where an empty one is none, something else is to be done.
    fn end_frame(&mut self) -> Option<Step> {
        let empty = self.size == 0;
        self.start_frame();
        match self.framing.empty {
            Empty::Skipped if empty => None,
            Empty::Error if empty => Some(self.error(ErrorKind::EmptyFrame)),
            _ => Some(Step::EndOfFrame),
        }
    }

    /// How many more bytes the payload may have.
    fn room(&self) -> usize {
        usize::try_from(self.limit - self.size).unwrap_or(usize::MAX)
    }

    /// The next bytes of the chunk are payload.
    fn piece(&mut self, count: usize) -> Step {
        let from = self.at;
        self.piece_at = self.position();
        self.at += count;
        self.size += count as u64;
        Step::Payload { from, to: self.at }
    }

    /// A text that begins so many bytes before this place is payload.
    fn give(&mut self, text: &'static [u8], before: usize) -> Step {
        self.piece_at = self.position() - before as u64;
        self.size += text.len() as u64;
        Step::Given(text)
    }

    /// Passes the rest of a line; whether that is done.
    fn skip_line(&mut self, end: u8, chunk: &[u8]) -> bool {
        match memchr::memchr(end, &chunk[self.at..]) {
            Some(index) => {
                self.at += index + 1;
                true
            }
            None => {
                self.at = chunk.len();
                false
            }
        }
    }
}

impl fmt::Debug for Deframer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deframer")
            .field("framing", &self.framing)
            .field("state", &self.state)
            .field("position", &self.position())
            .finish_non_exhaustive()
    }
}

/// A chunk that is being taken apart.
///
/// ```
/// use sexp_codec::framing::{Deframe, Deframer, Framing};
///
/// // One frame, and then bytes of another protocol.
/// let mut deframer = Deframer::new(&Framing::SWANK);
/// let mut pieces = deframer.feed(b"000003(a)\x01\x02");
/// assert_eq!(pieces.deframe(), Deframe::Payload(b"(a)"));
/// assert_eq!(pieces.deframe(), Deframe::EndOfFrame);
/// assert_eq!((pieces.consumed(), pieces.remaining()), (9, &b"\x01\x02"[..]));
/// ```
#[derive(Debug)]
pub struct Pieces<'d, 'c> {
    deframer: &'d mut Deframer,
    chunk: &'c [u8],
}

impl<'c> Pieces<'_, 'c> {
    /// One step.
    pub fn deframe(&mut self) -> Deframe<'_> {
        let deframer = &mut *self.deframer;
        let piece = match deframer.step(self.chunk) {
            Step::Payload { from, to } => &self.chunk[from..to],
            Step::Given(text) => text,
            Step::Line => return Deframe::Line(&deframer.line),
            Step::EndOfFrame => return Deframe::EndOfFrame,
            Step::Await => return Deframe::Await,
            Step::End => return Deframe::End,
            Step::Error(error) => return Deframe::Error(error),
        };
        if deframer.octets { Deframe::Octets(piece) } else { Deframe::Payload(piece) }
    }

    /// How many bytes of the chunk are consumed.
    pub fn consumed(&self) -> usize {
        self.deframer.at
    }

    /// What of the chunk is not consumed: what follows the last piece. It has to be fed again if it is to be read after all.
    pub fn remaining(&self) -> &'c [u8] {
        &self.chunk[self.deframer.at..]
    }
}

/// A byte that is handed out although it does not stand in the chunk.
fn byte(byte: u8) -> &'static [u8] {
    static EACH: [u8; 256] = {
        let mut each = [0; 256];
        let mut byte = 0;
        while byte < each.len() {
            each[byte] = byte as u8;
            byte += 1;
        }
        each
    };
    &EACH[usize::from(byte)..=usize::from(byte)]
}

/// The value of a hexadecimal digit.
fn hex(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}
