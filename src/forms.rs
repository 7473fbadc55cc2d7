//! Whole forms, taken out of the buffer that a stream is read into.
//!
//! For programs that deal in messages: a [`Form`] is complete, sound, and owns its bytes, so it can go to another thread, or be stored. Where
//! that is not needed, [`nonblocking`](crate::nonblocking) is the shorter way: it waits for no form to be complete.
//!
//! ```
//! use bytes::BytesMut;
//! use sexp_codec::Syntax;
//! use sexp_codec::forms::Forms;
//!
//! let mut forms = Forms::new(&Syntax::SMTLIB);
//! let mut buffer = BytesMut::new();
//! let mut replies = Vec::new();
//! for chunk in [&b"success\n(model (define-f"[..], b"un x () Int 1))unkno", b"wn"] {
//!     buffer.extend_from_slice(chunk);
//!     while let Some(form) = forms.next(&mut buffer)? {
//!         replies.push(form.bytes);
//!     }
//! }
//! while let Some(form) = forms.finish(&mut buffer)? {
//!     replies.push(form.bytes);
//! }
//! assert_eq!(replies, ["success", "(model (define-fun x () Int 1))", "unknown"]);
//! # Ok::<(), sexp_codec::forms::Error>(())
//! ```

use crate::decode::Step;
use crate::error::ErrorKind;
use crate::lexeme::{Kind, Lexeme, Span};
use crate::nonblocking::{Advanced, Decode, Decoder, Input};
use crate::options::Options;
use crate::syntax::Syntax;
use bytes::{Buf, Bytes, BytesMut};
use core::fmt;

/// Takes whole forms out of a buffer.
///
/// * A form is cut out of the buffer, not copied. What follows it stays there, to the byte.
/// * A prefix, a display hint and a datum comment are no forms: they belong to the one after them. White space and comments before a form
///   are dropped, unless [`Options::comments`] or [`Options::verbatim`] ask for them: then they are part of it.
/// * No byte is decoded twice, however often [`next`](Forms::next) is called.
/// * A form in which something is wrong is reported once and dropped, to its end: as [malformed](Error::Malformed) or as
///   [too large](Error::TooLarge), whatever shows first, byte by byte, and however the input is cut. Only an atom with
///   [zeros before its length](crate::ErrorKind::LeadingZero) that is not in a list comes all the same.
/// * Of a form that is not complete yet its bytes are kept, in the buffer; [`Options::limit_frame`] says how many these may be.
///
/// A form's text is what stands in the stream. So forms in the braces of `transport` are refused, brace by brace: what they are does not stand there.
///
/// As long as they are to go on, nothing but they may take bytes out of the front of the buffer. Who did so must [`restart`](Forms::restart).
///
/// ```
/// use bytes::BytesMut;
/// use sexp_codec::forms::{Error, Forms};
/// use sexp_codec::{ErrorKind, Options, Syntax};
///
/// let mut forms = Forms::with_options(&Syntax::SEXPLIB, Options::default().limit_frame(8));
/// let mut buffer = BytesMut::from("(one)) (three and more) (fo");
/// assert_eq!(forms.next(&mut buffer)?.unwrap().bytes, "(one)");
/// assert!(matches!(forms.next(&mut buffer), Err(Error::Malformed(error)) if error.kind == ErrorKind::UnbalancedClose(b')')));
/// assert_eq!(forms.next(&mut buffer), Err(Error::TooLarge(7)));
/// assert_eq!(forms.next(&mut buffer)?, None);
/// assert_eq!((&buffer[..], forms.position()), (&b"(fo"[..], 24));
/// assert!(matches!(forms.finish(&mut buffer), Err(Error::Incomplete(_))));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Forms {
    decoder: Decoder,
    limit: Limit,
    /// Offset in the stream of the buffer's first byte.
    base: u64,
    /// How many bytes of the buffer are decoded.
    seen: usize,
    /// What was decoded before the decoder began anew.
    restarted: u64,
    /// Where the form begins, once a lexeme of it is there.
    start: Option<u64>,
    depth: u64,
    fate: Fate,
    /// Forms that are complete and were not handed out.
    ready: [Span; BATCH],
    head: usize,
    count: usize,
    /// What comes after them.
    fault: Option<Error>,
}

/// What is known of the form that is under way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Nothing yet that keeps it from being delivered.
    Sound,
    /// It is too large. But the atom that is under way may be too large as well, and that may have been so before.
    Large,
    /// A fault in it was reported.
    Told,
}

/// How large things may be.
#[derive(Clone, Copy)]
struct Limit {
    form: u64,
    atom: Option<u64>,
}

impl Limit {
    /// Of a form that is too large: whether the atom that begins there can have been too large before. That depends on how it is spelled, and
    /// is not known before the atom is whole; a reader of large chunks sees both at once.
    fn may_be_the_atoms(self, form: u64, atom: u64) -> bool {
        self.atom.is_some_and(|limit| (atom - form).saturating_add(limit) < self.form)
    }
}

/// So many forms are looked for at once. The decoder finds small lexemes many at a time; to stop it at each form would waste that.
const BATCH: usize = 16;

/// A complete form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// Its text, from the first byte to the last.
    pub bytes: Bytes,
    /// Where it stands in the stream.
    pub span: Span,
}

/// Why there is no form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// Something is wrong that more input would not mend.
    Malformed(crate::Error),
    /// The input ended inside a form.
    Incomplete(crate::Error),
    /// The form that begins at that offset is larger than the limit.
    TooLarge(u64),
}

impl Forms {
    /// Forms of that syntax, with the default options.
    pub fn new(syntax: &'static Syntax) -> Forms {
        Forms::with_options(syntax, Options::default())
    }

    /// Forms of that syntax, with these options. Fragments make no sense here, and are not asked for.
    pub fn with_options(syntax: &'static Syntax, options: Options) -> Forms {
        let mut decoder = Decoder::with_options(syntax, Options { fragments: None, ..options });
        decoder.refuse_armour();
        Forms {
            decoder,
            limit: Limit { form: options.frame.unwrap_or(u64::MAX), atom: options.atom },
            base: 0,
            seen: 0,
            restarted: 0,
            start: None,
            depth: 0,
            fate: Fate::Sound,
            ready: [Span { start: 0, end: 0 }; BATCH],
            head: 0,
            count: 0,
            fault: None,
        }
    }

    /// The next form, if it is complete; else none, and what is there of it stays in the buffer.
    ///
    /// A list is complete with its last byte, a bare atom with the byte after it.
    ///
    /// # Errors
    ///
    /// A fault in the input. The next call goes on after it.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Result<Option<Form>, Error> {
        loop {
            if let Some(next) = self.take(buffer) {
                return next.map(Some);
            }
            if self.seen == buffer.len() {
                return self.wait(buffer).map(|()| None);
            }
            let from = self.seen;
            let chunk = &buffer[from..];
            let (offset, mut input) = (self.restarted, self.decoder.feed(chunk));
            let mut found = Found {
                start: &mut self.start,
                depth: &mut self.depth,
                fate: &mut self.fate,
                ready: &mut self.ready,
                count: 0,
                limit: self.limit,
                offset,
            };
            self.fault = found.scan(&mut input, Error::Malformed);
            self.count = found.count;
            self.head = 0;
            self.seen = from + chunk.len() - input.remaining().len();
        }
    }

    /// As [`next`](Forms::next), where the buffer holds the last bytes of the input. To be called until there is none.
    ///
    /// # Errors
    ///
    /// As [`next`](Forms::next); and a form that is not complete.
    pub fn finish(&mut self, buffer: &mut BytesMut) -> Result<Option<Form>, Error> {
        if let Some(form) = self.next(buffer)? {
            return Ok(Some(form));
        }
        let (offset, mut input) = (self.restarted, self.decoder.finish());
        let mut found = Found {
            start: &mut self.start,
            depth: &mut self.depth,
            fate: &mut self.fate,
            ready: &mut self.ready,
            count: 0,
            limit: self.limit,
            offset,
        };
        self.fault = found.scan(&mut input, Error::Incomplete);
        self.count = found.count;
        self.head = 0;
        self.take(buffer).transpose()
    }

    /// Forgets what was decoded beyond the last form that was handed out: the buffer may begin with anything now.
    pub fn restart(&mut self) {
        self.decoder.reset();
        self.restarted = self.base;
        (self.seen, self.head, self.count) = (0, 0, 0);
        (self.start, self.depth, self.fate, self.fault) = (None, 0, Fate::Sound, None);
    }

    /// The syntax of the forms.
    pub fn syntax(&self) -> &'static Syntax {
        self.decoder.syntax()
    }

    /// Offset in the stream of the first byte in the buffer.
    pub fn position(&self) -> u64 {
        self.base
    }

    /// What was found already.
    fn take(&mut self, buffer: &mut BytesMut) -> Option<Result<Form, Error>> {
        if self.head == self.count {
            return self.fault.take().map(Err);
        }
        let span = self.ready[self.head];
        self.head += 1;
        self.drop_to(buffer, span.start);
        let bytes = buffer.split_to(span.len() as usize).freeze();
        self.seen -= bytes.len();
        self.base = span.end;
        Some(Ok(Form { bytes, span }))
    }

    /// The buffer is used up: of what cannot be part of a form nothing is kept, and of what is too large.
    fn wait(&mut self, buffer: &mut BytesMut) -> Result<(), Error> {
        let end = self.base + self.seen as u64;
        let unfinished = self.decoder.unfinished();
        let (token, sure) = (self.restarted + unfinished.start, self.restarted + unfinished.sure);
        // In a list whatever was read belongs to the form.
        let sure = if self.depth > 0 { end } else { sure };
        let start = self.start.unwrap_or(token);
        if self.fate == Fate::Sound {
            self.drop_to(buffer, if unfinished.lost { sure } else { start });
            if sure - start <= self.limit.form {
                return Ok(());
            }
        }
        self.drop_to(buffer, sure);
        if self.fate == Fate::Told {
            return Ok(());
        }
        if token < end && self.limit.may_be_the_atoms(start, token) {
            self.fate = Fate::Large;
            return Ok(());
        }
        self.fate = Fate::Told;
        Err(Error::TooLarge(start))
    }

    fn drop_to(&mut self, buffer: &mut BytesMut, offset: u64) {
        let count = offset.saturating_sub(self.base) as usize;
        buffer.advance(count);
        self.base += count as u64;
        self.seen -= count;
    }
}

/// What is known of forms while lexemes pass by.
struct Found<'f> {
    start: &'f mut Option<u64>,
    depth: &'f mut u64,
    fate: &'f mut Fate,
    ready: &'f mut [Span; BATCH],
    count: usize,
    limit: Limit,
    /// What is to be added to the decoder's offsets.
    offset: u64,
}

impl Found<'_> {
    /// Looks for forms until there are many, or something is wrong, which is returned.
    fn scan(&mut self, input: &mut Input<'_, '_>, fault: fn(crate::Error) -> Error) -> Option<Error> {
        while self.count < BATCH {
            match input.decode() {
                Decode::Lexeme(lexeme) => {
                    if let Some(start) = self.lexeme(lexeme.kind, lexeme.span) {
                        return Some(Error::TooLarge(start));
                    }
                }
                Decode::Error(error) => {
                    let seen = if error.kind == ErrorKind::InputTooLarge { error.position.offset } else { input.position() };
                    let (seen, token) = (self.offset + seen, input.faulty().map(|token| self.offset + token));
                    let start = self.start.or(token);
                    // A comment that is to be delivered belongs to the form after it, and a hint.
                    let open = *self.depth > 0 || input.leads_a_form();
                    if !open {
                        *self.start = None;
                    }
                    if core::mem::replace(self.fate, if open { Fate::Told } else { Fate::Sound }) == Fate::Told {
                        continue;
                    }
                    return Some(self.which(start, token, seen, error.kind).map_or(fault(error), Error::TooLarge));
                }
                Decode::Await | Decode::End | Decode::Fragment(_) => return None,
            }
        }
        None
    }

    /// A fault of that kind, which showed when so much was seen, is in a token: whether its form was too large before. If so, where that begins.
    fn which(&self, start: Option<u64>, token: Option<u64>, seen: u64, kind: ErrorKind) -> Option<u64> {
        let start = start.filter(|start| seen - start > self.limit.form)?;
        let first = kind == ErrorKind::AtomTooLarge && token.is_some_and(|token| self.limit.may_be_the_atoms(start, token));
        (!first).then_some(start)
    }

    /// A lexeme passes by. If it ends a form that is too large, where that begins.
    fn lexeme(&mut self, kind: Kind, span: Span) -> Option<u64> {
        let start = *self.start.get_or_insert(self.offset + span.start);
        match kind {
            Kind::Open => *self.depth += 1,
            Kind::Close => *self.depth -= 1,
            _ => {}
        }
        if *self.depth > 0 || kind != Kind::Close && !kind.is_atom() {
            let large = *self.fate == Fate::Large;
            return large.then(|| {
                *self.fate = Fate::Told;
                start
            });
        }
        *self.start = None;
        let form = Span { start, end: self.offset + span.end };
        if core::mem::replace(self.fate, Fate::Sound) == Fate::Told {
            return None;
        }
        if form.len() > self.limit.form {
            return Some(start);
        }
        self.ready[self.count] = form;
        self.count += 1;
        None
    }
}

impl Form {
    /// Its lexemes, one after the other.
    ///
    /// ```
    /// use bytes::BytesMut;
    /// use sexp_codec::forms::Forms;
    /// use sexp_codec::{Kind, Syntax};
    ///
    /// let form = Forms::new(&Syntax::EDN).next(&mut BytesMut::from("{:tag :ret, :val \"3\"}"))?.unwrap();
    /// let mut lexemes = form.lexemes(&Syntax::EDN);
    /// let mut strings = 0;
    /// while let Some(lexeme) = lexemes.next() {
    ///     strings += u32::from(lexeme.unwrap().kind == Kind::String);
    /// }
    /// assert_eq!(strings, 1);
    /// # Ok::<(), sexp_codec::forms::Error>(())
    /// ```
    pub fn lexemes(&self, syntax: &'static Syntax) -> Lexemes<'_> {
        self.lexemes_with(syntax, Options::default())
    }

    /// Its lexemes, decoded with these options. To walk over many forms, one [`Decoder`] can be used for all: `reset` it, `feed` it with
    /// [`bytes`](Form::bytes), and `finish` it.
    pub fn lexemes_with(&self, syntax: &'static Syntax, options: Options) -> Lexemes<'_> {
        Lexemes { decoder: Decoder::with_options(syntax, options), bytes: &self.bytes }
    }
}

/// The lexemes of a form.
#[derive(Debug)]
pub struct Lexemes<'f> {
    decoder: Decoder,
    bytes: &'f [u8],
}

impl Lexemes<'_> {
    /// The next lexeme, or none after the last. Faults can only come where the syntax or the options are not those that the form was found with.
    #[expect(clippy::should_implement_trait, reason = "what it gives is borrowed, which an iterator cannot")]
    pub fn next(&mut self) -> Option<Result<Lexeme<'_>, crate::Error>> {
        let mut head = self.decoder.head();
        if let Some(queued) = self.decoder.pop(&mut head) {
            return Some(Ok(self.decoder.lexeme(self.bytes, queued)));
        }
        let mut advanced = self.decoder.advance(self.bytes);
        if advanced == Advanced::Step(Step::Await) {
            self.bytes = &[];
            self.decoder.finish();
            advanced = self.decoder.advance(self.bytes);
        }
        if advanced == Advanced::Queued
            && let Some(queued) = self.decoder.pop(&mut 0)
        {
            return Some(Ok(self.decoder.lexeme(self.bytes, queued)));
        }
        match self.decoder.deliver(self.bytes, advanced) {
            Decode::Lexeme(lexeme) => Some(Ok(lexeme)),
            Decode::Error(error) => Some(Err(error)),
            _ => None,
        }
    }
}

impl fmt::Debug for Forms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forms").field("decoder", &self.decoder).field("position", &self.base).finish_non_exhaustive()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Malformed(error) => error.fmt(f),
            Error::Incomplete(error) => write!(f, "the input ends inside a form: {error}"),
            Error::TooLarge(offset) => write!(f, "the form at byte {offset} is larger than the limit"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Error::Malformed(error) | Error::Incomplete(error) => Some(error),
            Error::TooLarge(_) => None,
        }
    }
}
