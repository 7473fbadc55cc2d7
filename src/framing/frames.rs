//! Whole frames, taken out of the buffer that a stream is read into.

use super::deframer::{Deframer, Step};
use super::error::Error;
use super::{Framing, Rule};
use crate::options::Options;
use bytes::{Buf, Bytes, BytesMut};

/// A whole frame, or what stands between frames.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Frame {
    /// The payload of a frame.
    Payload(Bytes),
    /// A payload that is no s-expression.
    Octets(Bytes),
    /// A line that is no payload, without its end.
    Line(Bytes),
}

/// Takes whole frames out of a buffer.
///
/// A payload that stands in the stream as it is, in one piece, is not copied: it is cut out of the buffer. What follows a frame is left there.
/// No byte is looked at twice, so long as nothing but [`next`](Frames::next) takes bytes out of the front of the buffer.
///
/// With [`Framing::FORMS`] there are no frames: whatever is in the buffer is handed out. To get forms, use [`forms`](crate::forms).
///
/// ```
/// use bytes::BytesMut;
/// use sexp_codec::framing::{Frame, Framing, Frames};
///
/// let mut frames = Frames::new(&Framing::SWANK);
/// let mut buffer = BytesMut::from(&b"000003(a)00"[..]);
/// assert_eq!(frames.next(&mut buffer)?, Some(Frame::Payload("(a)".into())));
/// assert_eq!(frames.next(&mut buffer)?, None);
/// buffer.extend_from_slice(b"0003(b)rest");
/// assert_eq!(frames.next(&mut buffer)?, Some(Frame::Payload("(b)".into())));
/// assert_eq!(buffer, "rest");
/// # Ok::<(), sexp_codec::framing::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Frames {
    deframer: Deframer,
    /// How many bytes of the buffer were looked at.
    seen: usize,
    /// Where in it the payload stands, as long as it is in one piece.
    run: Option<(usize, usize)>,
    /// The payload so far that is not.
    gathered: BytesMut,
    octets: bool,
}

impl Frames {
    /// Frames of any size.
    pub fn new(framing: &Framing) -> Frames {
        Frames::with_options(framing, Options::default())
    }

    /// Frames up to the [limit](Options::limit_frame) of these options. The other options are of no concern.
    pub fn with_options(framing: &Framing, options: Options) -> Frames {
        Frames { deframer: Deframer::with_options(framing, options), seen: 0, run: None, gathered: BytesMut::new(), octets: false }
    }

    /// The next frame, if it is whole; else none, and what is there of it stays in the buffer.
    ///
    /// # Errors
    ///
    /// A fault in the framing. The next call goes on after it.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, Error> {
        self.deframer.feed(&[]);
        self.advance(buffer)
    }

    /// As [`next`](Frames::next), where the buffer holds the last bytes of the input. To be called until there is none.
    ///
    /// # Errors
    ///
    /// As [`next`](Frames::next); and a frame that is not whole.
    pub fn finish(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, Error> {
        if let Some(frame) = self.next(buffer)? {
            return Ok(Some(frame));
        }
        self.deframer.finish();
        self.advance(buffer)
    }

    /// Whether it stands between frames: the end of the input here would cut nothing off.
    pub fn is_between_frames(&self) -> bool {
        self.deframer.is_between_frames()
    }

    fn advance(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, Error> {
        let from_seen = self.seen;
        loop {
            let octets = self.deframer.octets;
            let step = self.deframer.step(&buffer[from_seen..]);
            let consumed = from_seen + self.deframer.at;
            match step {
                Step::Payload { from, to } => {
                    self.octets = octets;
                    let (from, to) = (from_seen + from, from_seen + to);
                    self.run = match self.run {
                        Some((start, end)) if end == from => Some((start, to)),
                        None if self.gathered.is_empty() => Some((from, to)),
                        _ => {
                            self.gather(buffer);
                            self.gathered.extend_from_slice(&buffer[from..to]);
                            None
                        }
                    };
                    if self.deframer.framing().rule == Rule::Bare {
                        return Ok(Some(self.frame(buffer, consumed)));
                    }
                }
                Step::Given(text) => {
                    self.octets = octets;
                    self.gather(buffer);
                    self.gathered.extend_from_slice(text);
                }
                Step::EndOfFrame => return Ok(Some(self.frame(buffer, consumed))),
                Step::Line => {
                    let line = Bytes::copy_from_slice(self.deframer.last_line());
                    // In the middle of a payload the line breaks the piece.
                    self.gather(buffer);
                    self.drop_seen(buffer, consumed);
                    return Ok(Some(Frame::Line(line)));
                }
                Step::Await => {
                    // What stands before the payload is of no use any more.
                    let useless = self.run.map_or(consumed, |(start, _)| start);
                    buffer.advance(useless);
                    self.run = self.run.map(|(start, end)| (0, end - start));
                    self.seen = consumed - useless;
                    return Ok(None);
                }
                Step::End => return Ok(None),
                Step::Error(error) => {
                    self.run = None;
                    self.gathered.clear();
                    self.octets = false;
                    self.drop_seen(buffer, consumed);
                    return Err(error);
                }
            }
        }
    }

    /// The payload does not go on in one piece.
    fn gather(&mut self, buffer: &BytesMut) {
        if let Some((start, end)) = self.run.take() {
            self.gathered.extend_from_slice(&buffer[start..end]);
        }
    }

    fn drop_seen(&mut self, buffer: &mut BytesMut, consumed: usize) {
        buffer.advance(consumed);
        self.seen = 0;
    }

    /// The payload is whole.
    fn frame(&mut self, buffer: &mut BytesMut, consumed: usize) -> Frame {
        let payload = match self.run.take() {
            Some((start, end)) => buffer.split_to(consumed).freeze().slice(start..end),
            None => {
                buffer.advance(consumed);
                self.gathered.split().freeze()
            }
        };
        self.seen = 0;
        if core::mem::take(&mut self.octets) { Frame::Octets(payload) } else { Frame::Payload(payload) }
    }
}
