//! The decoder of framed streams: the deframer, and the codec behind it.

use super::deframer::{Deframer, Step as Taken};
use super::error::{Error, ErrorKind};
use super::{Framing, Rule};
use crate::lexeme::{Fragment, Kind, Lexeme};
use crate::nonblocking::{self, Advanced};
use crate::options::Options;
use crate::scan::Queued;
use crate::syntax::Syntax;
use core::fmt;

/// What a step of the decoder came to.
#[derive(Clone, Copy, Debug)]
pub enum Decode<'a> {
    /// A lexeme. Its span counts from the start of the frame's payload; with [`Framing::FORMS`], of the stream.
    Lexeme(Lexeme<'a>),
    /// A piece of a large atom; only where [`Options::fragments`] asks for them.
    Fragment(Fragment<'a>),
    /// The next bytes of a payload that is no s-expression.
    Octets(&'a [u8]),
    /// A line that is no payload, without its end.
    Line(&'a [u8]),
    /// The frame is complete. With [`Framing::FORMS`]: a form is.
    EndOfFrame,
    /// The chunk is used up: feed another, or finish.
    Await,
    /// The input is over.
    End,
    /// A fault in the stream. The next step goes on after it.
    Error(Error),
}

/// Decodes a framed stream as it comes.
///
/// A frame's end also ends what is in it: a bare atom is complete there, and whatever is left open is an [error](ErrorKind::InForm). The next
/// frame begins anew. [Options] hold for each frame by itself, [`Options::limit_total`] included; [`Options::limit_frame`]
/// is noticed earlier, where the length of a frame is announced.
///
/// It allocates what a [`nonblocking::Decoder`] does, and a buffer for the lines that are no payload; no step does.
///
/// ```
/// use sexp_codec::framing::{Decode, Decoder, ErrorKind, Framing};
/// use sexp_codec::{Options, Syntax};
///
/// let mut decoder = Decoder::with_options(&Framing::SWANK, &Syntax::COMMONLISP, Options::default().limit_frame(1 << 20));
/// let mut input = decoder.feed(b"ffffff(");
/// assert!(matches!(input.decode(), Decode::Error(error) if error.kind == ErrorKind::FrameTooLarge));
/// ```
#[derive(Clone)]
pub struct Decoder {
    deframer: Deframer,
    inner: nonblocking::Decoder,
    doing: Doing,
    /// How many bytes at the start of the next chunk belong to a piece that the client left.
    owed: usize,
    /// How many bytes of the frame's payload came before the piece.
    payload: u64,
    /// Where the payload last stopped to stand in the stream as it is: its offset, and the offset in the stream.
    run: (u64, u64),
    /// Whether the end of each form is to be told, and whether it is the next thing to be told.
    forms: bool,
    form_end: bool,
    /// How many lists of a form are open.
    depth: u64,
    /// Whether the frame is no s-expression.
    octets: bool,
}

/// What is under way.
#[derive(Clone, Copy, Debug)]
enum Doing {
    /// The deframer has the next step.
    Deframing,
    /// A piece in the chunk is being decoded.
    Piece { from: usize, to: usize },
    /// A piece that is not in the chunk is.
    Given(&'static [u8]),
    /// The frame is over, and what is unfinished in it is decoded.
    Ending,
}

/// What comes next, without the bytes.
#[derive(Clone, Copy)]
enum Next {
    Plain(Queued),
    Advanced(Advanced),
    Octets { from: usize, to: usize },
    GivenOctets(&'static [u8]),
    Line,
    EndOfFrame,
    Await,
    End,
    Error(Error),
}

impl Decoder {
    /// A decoder for that framing and the syntax of what it carries, with the default options.
    pub fn new(framing: &Framing, syntax: &'static Syntax) -> Decoder {
        Decoder::with_options(framing, syntax, Options::default())
    }

    /// A decoder for that framing and syntax, with these options.
    pub fn with_options(framing: &Framing, syntax: &'static Syntax, options: Options) -> Decoder {
        Decoder {
            deframer: Deframer::with_options(framing, options),
            inner: nonblocking::Decoder::with_options(syntax, options),
            doing: Doing::Deframing,
            owed: 0,
            payload: 0,
            run: (0, 0),
            forms: framing.rule == Rule::Bare,
            form_end: false,
            depth: 0,
            octets: false,
        }
    }

    /// Hands over a chunk, which is to be decoded until [`Decode::Await`]. An empty chunk does nothing.
    ///
    /// A client that stops before that asks for what is left by [`Input::remaining`]; nothing of it counts as read.
    pub fn feed<'d, 'c>(&'d mut self, chunk: &'c [u8]) -> Input<'d, 'c> {
        self.leave();
        let passed = self.owed.min(chunk.len());
        if passed > 0 {
            self.owed -= passed;
            self.deframer.pass(passed);
            self.inner.leave();
            self.doing = Doing::Piece { from: 0, to: passed };
        }
        Input { decoder: self, chunk }
    }

    /// The input is over: what is unfinished is decoded, or reported, until [`Decode::End`].
    pub fn finish(&mut self) -> Input<'_, 'static> {
        self.leave();
        self.owed = 0;
        self.deframer.set_over();
        Input { decoder: self, chunk: &[] }
    }

    /// Ready for a new stream. Buffers are kept.
    pub fn reset(&mut self) {
        self.deframer.reset();
        self.doing = Doing::Deframing;
        self.owed = 0;
        self.run = (0, 0);
        self.form_end = false;
        self.start_frame();
    }

    /// The framing that it takes off.
    pub fn framing(&self) -> &Framing {
        self.deframer.framing()
    }

    /// The syntax of the payload.
    pub fn syntax(&self) -> &'static Syntax {
        self.inner.syntax()
    }

    /// How many bytes of the stream were consumed: up to the end of the last thing that was delivered; after [`Decode::Await`], all.
    pub fn position(&self) -> u64 {
        self.deframer.position() - self.left() as u64
    }

    /// How many lists are open in the payload.
    pub fn depth(&self) -> u64 {
        self.inner.depth()
    }

    /// Whether it stands between frames: the end of the input here would cut nothing off. Of no meaning without framing, where
    /// [`depth`](Decoder::depth) may help.
    pub fn is_between_frames(&self) -> bool {
        matches!(self.doing, Doing::Deframing) && self.deframer.is_between_frames()
    }

    /// How many bytes of the chunk the deframer is done with, and the codec is not.
    fn left(&self) -> usize {
        match self.doing {
            Doing::Piece { from, to } => to - from - self.inner.consumed(),
            _ => 0,
        }
    }

    /// The chunk goes away: what of a piece was not decoded will come again.
    fn leave(&mut self) {
        let left = self.left();
        self.deframer.leave();
        self.deframer.unread(left);
        self.owed += left;
        match self.doing {
            Doing::Piece { .. } => {
                self.payload += self.inner.consumed() as u64;
                self.doing = Doing::Deframing;
            }
            Doing::Given(text) => {
                self.payload += self.inner.consumed() as u64;
                // As the client does for a piece of its own, so that the lines up to there count.
                self.doing = Doing::Given(self.inner.resume(text).remaining());
                self.inner.leave();
            }
            _ => {}
        }
    }

    /// What follows is another frame.
    fn start_frame(&mut self) {
        self.inner.reset();
        self.payload = 0;
        self.depth = 0;
        self.octets = false;
    }

    /// Goes on to the next thing that is to be delivered.
    fn advance(&mut self, chunk: &[u8]) -> Next {
        if core::mem::take(&mut self.form_end) {
            return Next::EndOfFrame;
        }
        loop {
            let (piece, last) = match self.doing {
                Doing::Piece { from, to } => (&chunk[from..to], false),
                Doing::Given(text) => (text, false),
                Doing::Ending => (&[][..], true),
                Doing::Deframing => match self.take(chunk) {
                    Some(next) => return next,
                    None => continue,
                },
            };
            match self.decode(piece) {
                Next::Await => {
                    self.payload += piece.len() as u64;
                    self.doing = Doing::Deframing;
                }
                Next::End if last => {
                    self.doing = Doing::Deframing;
                    if self.forms {
                        return Next::End;
                    }
                    self.start_frame();
                    return Next::EndOfFrame;
                }
                next => return next,
            }
        }
    }

    /// A step of the deframer; none if there is something to be decoded now.
    fn take(&mut self, chunk: &[u8]) -> Option<Next> {
        let octets = self.deframer.octets;
        Some(match self.deframer.step(chunk) {
            Taken::Payload { from, to } if octets => {
                self.octets = true;
                Next::Octets { from, to }
            }
            Taken::Given(text) if octets => {
                self.octets = true;
                Next::GivenOctets(text)
            }
            Taken::Payload { from, to } => {
                self.begin_piece();
                self.doing = Doing::Piece { from, to };
                return None;
            }
            Taken::Given(text) => {
                self.begin_piece();
                self.doing = Doing::Given(text);
                return None;
            }
            Taken::EndOfFrame if self.octets => {
                self.octets = false;
                Next::EndOfFrame
            }
            Taken::EndOfFrame => {
                self.inner.finish();
                self.doing = Doing::Ending;
                return None;
            }
            Taken::End if self.forms => {
                self.inner.finish();
                self.doing = Doing::Ending;
                return None;
            }
            Taken::Line => Next::Line,
            Taken::Await => Next::Await,
            Taken::End => Next::End,
            Taken::Error(error) => {
                self.start_frame();
                Next::Error(error)
            }
        })
    }

    /// More payload comes.
    fn begin_piece(&mut self) {
        let at = self.deframer.piece_at;
        if self.payload == 0 || self.run.1 + (self.payload - self.run.0) != at {
            self.run = (self.payload, at);
        }
        self.inner.leave();
    }

    /// A step of the codec.
    fn decode(&mut self, piece: &[u8]) -> Next {
        let mut head = self.inner.head();
        let queued = self.inner.pop(&mut head);
        let advanced = if queued.is_some() { Advanced::Queued } else { self.inner.advance(piece) };
        if advanced == Advanced::Queued
            && let Some(queued) = queued.or_else(|| self.inner.pop(&mut self.inner.head()))
        {
            self.note(queued.kind);
            return Next::Plain(queued);
        }
        match self.inner.deliver(piece, advanced) {
            nonblocking::Decode::Await => return Next::Await,
            nonblocking::Decode::End => return Next::End,
            nonblocking::Decode::Error(error) => return Next::Error(self.located(error)),
            nonblocking::Decode::Fragment(Fragment { kind, last: true, .. }) | nonblocking::Decode::Lexeme(Lexeme { kind, .. }) => {
                self.note(kind);
            }
            nonblocking::Decode::Fragment(_) => {}
        }
        Next::Advanced(advanced)
    }

    /// A lexeme of that kind is complete, and a form may be.
    fn note(&mut self, kind: Kind) {
        if !self.forms {
            return;
        }
        match kind {
            Kind::Open => self.depth += 1,
            Kind::Close => self.depth -= 1,
            _ => {}
        }
        self.form_end = self.depth == 0 && (kind == Kind::Close || kind.is_atom());
    }

    /// A fault in the payload.
    fn located(&self, error: crate::Error) -> Error {
        let at_end = matches!(self.doing, Doing::Ending);
        let (payload, stream) = self.run;
        Error {
            kind: if at_end { ErrorKind::InForm(error.kind) } else { ErrorKind::Payload(error.kind) },
            offset: stream + error.position.offset.saturating_sub(payload),
            payload: Some(error.position),
            opened: error.opened,
        }
    }
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("deframer", &self.deframer).field("decoder", &self.inner).finish_non_exhaustive()
    }
}

/// A chunk that is being decoded.
///
/// While it lives the chunk cannot be changed: what is delivered is borrowed from it.
#[derive(Debug)]
pub struct Input<'d, 'c> {
    decoder: &'d mut Decoder,
    chunk: &'c [u8],
}

impl<'c> Input<'_, 'c> {
    /// One step.
    pub fn decode(&mut self) -> Decode<'_> {
        let next = self.decoder.advance(self.chunk);
        let Decoder { deframer, inner, doing, .. } = &mut *self.decoder;
        let piece = match *doing {
            Doing::Piece { from, to } => &self.chunk[from..to],
            Doing::Given(text) => text,
            Doing::Ending | Doing::Deframing => &[],
        };
        match next {
            Next::Plain(queued) => Decode::Lexeme(inner.lexeme(piece, queued)),
            Next::Advanced(advanced) => match inner.deliver(piece, advanced) {
                nonblocking::Decode::Lexeme(lexeme) => Decode::Lexeme(lexeme),
                nonblocking::Decode::Fragment(fragment) => Decode::Fragment(fragment),
                _ => Decode::Await,
            },
            Next::Octets { from, to } => Decode::Octets(&self.chunk[from..to]),
            Next::GivenOctets(text) => Decode::Octets(text),
            Next::Line => Decode::Line(deframer.last_line()),
            Next::EndOfFrame => Decode::EndOfFrame,
            Next::Await => Decode::Await,
            Next::End => Decode::End,
            Next::Error(error) => Decode::Error(error),
        }
    }

    /// As [`Decoder::position`].
    pub fn position(&self) -> u64 {
        self.decoder.position()
    }

    /// As [`Decoder::depth`].
    pub fn depth(&self) -> u64 {
        self.decoder.depth()
    }

    /// What of the chunk is not consumed: what follows the last thing that was delivered. The client may stop here, and has to feed it again
    /// if it is to be decoded after all.
    pub fn remaining(&mut self) -> &'c [u8] {
        if let Doing::Piece { from, to } = self.decoder.doing {
            self.decoder.inner.resume(&self.chunk[from..to]).remaining();
        }
        &self.chunk[self.decoder.deframer.at - self.decoder.left()..]
    }
}
