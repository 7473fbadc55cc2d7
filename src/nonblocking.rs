//! The codec of a client that owns its input and output: it is fed chunks and given windows, and never waits.
//!
//! This is the core of the crate. Whoever reads and writes (a loop over sockets, an async runtime, a test) stays the client's affair;
//! the other drivers of this crate are thin loops over this module.
//!
//! ```
//! use sexp_codec::nonblocking::{Decode, Decoder};
//! use sexp_codec::{Kind, Syntax};
//!
//! let mut decoder = Decoder::new(&Syntax::SEXPLIB);
//! let mut atoms = Vec::new();
//! for chunk in [&b"(hello wo"[..], b"rld)"] {
//!     let mut input = decoder.feed(chunk);
//!     loop {
//!         match input.decode() {
//!             Decode::Lexeme(lexeme) if lexeme.kind == Kind::Bare => atoms.push(lexeme.bytes.to_vec()),
//!             Decode::Lexeme(_) => {}
//!             Decode::Await => break,
//!             other => panic!("{other:?}"),
//!         }
//!     }
//! }
//! assert_eq!(atoms, [b"hello", b"world"]);
//! assert!(matches!(decoder.finish().decode(), Decode::End));
//! ```

pub use crate::encode::{Encode, Encoder, Output};

use crate::decode::{Chunk, Machine, State, Step, Unfinished};
use crate::error::Error;
use crate::lexeme::{Fragment, Kind, Lexeme, Position, Span};
use crate::nesting::Nesting;
use crate::options::Options;
pub use crate::scan::Compact;
use crate::scan::{Kernel, Lists, Plain, Queued, ROOM, Stretch};
use crate::syntax::Syntax;
use crate::transport::Armour;
use core::fmt;
use core::ops::Range;

/// What a step of the decoder came to.
#[derive(Clone, Copy, Debug)]
pub enum Decode<'a> {
    /// A lexeme.
    Lexeme(Lexeme<'a>),
    /// A piece of a large atom; only where [`Options::fragments`] asks for them.
    Fragment(Fragment<'a>),
    /// The chunk is used up: feed another, or finish.
    Await,
    /// The input is over.
    End,
    /// A fault in the input. The next step goes on after it.
    Error(Error),
}

/// Plain lexemes that were found in the chunk and not delivered yet.
#[derive(Clone)]
struct Queue {
    plain: Plain,
    /// Which is the next.
    head: usize,
    /// The open lists before the first of them.
    before: Nesting,
}

/// Decodes chunks of input as they come.
///
/// It holds a few KiB, and a buffer that grows to the size of the largest atom that was cut by the end of a chunk, or had to be decoded;
/// else it allocates nothing. A clone is a checkpoint: what was done after it can be done again.
///
/// ```
/// use sexp_codec::nonblocking::{Decode, Decoder};
/// use sexp_codec::{Lexeme, Syntax};
///
/// let mut decoder = Decoder::new(&Syntax::CANONICAL);
/// let mut input = decoder.feed(b"(3:ab");
/// assert!(matches!(input.decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::open()));
/// assert!(matches!(input.decode(), Decode::Await));
/// let mut input = decoder.feed(b"c)rest");
/// assert!(matches!(input.decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::octets(b"abc")));
/// assert!(matches!(input.decode(), Decode::Lexeme(lexeme) if lexeme == Lexeme::close()));
/// assert_eq!(input.remaining(), b"rest");
/// ```
#[derive(Clone)]
pub struct Decoder {
    machine: Machine,
    armour: Option<Armour>,
    queue: Queue,
    /// Offset of the chunk's first byte in the input.
    base: u64,
    /// How far the machine is in the chunk.
    at: usize,
    /// How many bytes the input may have.
    total: u64,
    /// Before which offset a chunk has to end for a short step: it is 0 where there is armour, where there are fragments to be delivered, and
    /// after the end.
    short: u64,
    /// Whether that is a limit.
    limited: bool,
    /// Whether the input is over.
    over: bool,
    /// How many steps are to be made by the machine alone, since plain lexemes are rare here.
    alone: u8,
    /// How many it was the last time.
    rare: u8,
    /// Offset of what is no plain lexeme: where the last look ended, if not for lack of room.
    stopped: u64,
    kernel: Kernel,
}

impl Decoder {
    /// A decoder for that syntax, with the default options.
    pub fn new(syntax: &'static Syntax) -> Self {
        Decoder::with_options(syntax, Options::default())
    }

    /// A decoder for that syntax, with these options.
    pub fn with_options(syntax: &'static Syntax, options: Options) -> Self {
        let mut decoder = Decoder {
            machine: Machine::new(syntax, options),
            armour: syntax.armour.map(|(_, close)| Armour::new(close)),
            queue: Queue { plain: Plain::new(), head: 0, before: Nesting::new(options.depth) },
            base: 0,
            at: 0,
            total: options.total.unwrap_or(u64::MAX),
            short: 0,
            limited: options.total.is_some(),
            over: false,
            alone: 0,
            rare: 0,
            stopped: u64::MAX,
            kernel: Kernel::best(),
        };
        decoder.reset();
        decoder
    }

    /// The syntax it decodes.
    pub fn syntax(&self) -> &'static Syntax {
        self.machine.syntax
    }

    /// Hands over a chunk, which is to be decoded until [`Decode::Await`]. An empty chunk does nothing.
    ///
    /// A client that stops before that asks for what is left by [`Input::remaining`]; nothing of it counts as read.
    #[inline]
    pub fn feed<'d, 'c>(&'d mut self, chunk: &'c [u8]) -> Input<'d, 'c> {
        self.leave();
        Input { decoder: self, chunk, head: 0 }
    }

    /// Hands over the first contiguous bytes of a buffer. When they are decoded, `advance` the buffer by [`Input::consumed`].
    ///
    /// ```
    /// use bytes::Buf;
    /// use sexp_codec::nonblocking::{Decode, Decoder};
    /// use sexp_codec::Syntax;
    ///
    /// let mut buffer = (&b"(a"[..]).chain(&b" b)"[..]);
    /// let mut decoder = Decoder::new(&Syntax::SE);
    /// let mut lexemes = 0;
    /// while buffer.has_remaining() {
    ///     let mut input = decoder.feed_buf(&buffer);
    ///     while let Decode::Lexeme(_) = input.decode() {
    ///         lexemes += 1;
    ///     }
    ///     let consumed = input.consumed();
    ///     buffer.advance(consumed);
    /// }
    /// assert_eq!(lexemes, 4);
    /// ```
    pub fn feed_buf<'d, 'c, B: bytes::Buf + ?Sized>(&'d mut self, buffer: &'c B) -> Input<'d, 'c> {
        self.feed(buffer.chunk())
    }

    /// The input is over: what is unfinished is decoded, or reported, until [`Decode::End`].
    pub fn finish(&mut self) -> Input<'_, 'static> {
        self.leave();
        self.over = true;
        self.short = 0;
        Input { decoder: self, chunk: &[], head: 0 }
    }

    /// Ready for a new input, whose positions count from 0 again. Buffers are kept.
    pub fn reset(&mut self) {
        self.machine.reset();
        match &mut self.armour {
            Some(armour) => armour.reset(),
            None if self.machine.syntax.armour.is_some() => self.machine.set_armoured(true),
            None => {}
        }
        self.queue.clear();
        self.base = 0;
        self.at = 0;
        self.over = false;
        self.stopped = u64::MAX;
        let syntax = self.machine.syntax;
        let short = self.armour.is_none() && !self.machine.has_fragments() && syntax.quote_switch.is_none();
        self.short = if short { self.total.saturating_add(1) } else { 0 };
    }

    /// How many bytes were consumed: up to the end of the last lexeme, or of what the last error is about; after [`Decode::Await`], all.
    #[inline]
    pub fn position(&self) -> u64 {
        self.base + self.consumed() as u64
    }

    /// Whether nothing has begun that is not complete: no list, atom, comment or armour is open, no prefix or display hint waits for its datum.
    ///
    /// ```
    /// use sexp_codec::Syntax;
    /// use sexp_codec::nonblocking::{Decode, Decoder};
    ///
    /// let mut decoder = Decoder::new(&Syntax::CANONICAL);
    /// assert!(decoder.is_between_forms());
    /// assert!(matches!(decoder.feed(b"1000:").decode(), Decode::Await));
    /// assert!(!decoder.is_between_forms());
    /// ```
    pub fn is_between_forms(&self) -> bool {
        self.depth() == 0
            && (self.queue.head < self.queue.plain.count() || self.machine.is_between())
            && self.armour.as_ref().is_none_or(Armour::is_outside)
    }

    /// How many lists are open at [`position`](Decoder::position), those in datum comments included.
    ///
    /// It may be asked after each lexeme: the answer costs a few nanoseconds, however deep and however long the chunk.
    pub fn depth(&self) -> u64 {
        let Queue { plain, head, before } = &self.queue;
        let rest = *head..plain.count();
        // From the nearer end of what is queued.
        let depth = if *head < rest.len() {
            before.depth as i64 + plain.deepening(0..*head)
        } else {
            self.machine.nesting.depth as i64 - plain.deepening(rest)
        };
        depth as u64
    }

    /// What is under way where the chunk is used up.
    pub(crate) fn unfinished(&self) -> Unfinished {
        self.machine.unfinished(self.position())
    }

    /// Takes no armour off: what would open one is an illegal byte. To be called before anything is decoded.
    pub(crate) fn refuse_armour(&mut self) {
        self.armour = None;
        self.reset();
    }

    /// Where that begins in which the last fault is, if it is something that would have been delivered.
    pub(crate) fn faulty(&self) -> Option<u64> {
        self.machine.faulty
    }

    #[inline]
    pub(crate) fn consumed(&self) -> usize {
        let last = self.queue.head.checked_sub(1).and_then(|last| self.queue.plain.get(last));
        last.map_or(self.at, |last| last.span().end)
    }

    /// A chunk follows: what was not delivered of the last one was not read.
    #[inline]
    pub(crate) fn leave(&mut self) {
        if self.queue.plain.count() > 0 {
            self.leave_queue();
        }
        self.base += self.at as u64;
        self.at = 0;
        self.machine.next_chunk();
    }

    /// What is left in the queue was not read.
    #[cold]
    #[inline(never)]
    fn leave_queue(&mut self) {
        self.at = self.consumed();
        if self.queue.head < self.queue.plain.count() {
            self.queue.take_back(&mut self.machine);
            self.machine.nesting = self.queue.replay(self.base);
        }
        self.queue.clear();
    }

    /// Goes on with a chunk that was fed already.
    #[inline]
    pub(crate) fn resume<'d, 'c>(&'d mut self, chunk: &'c [u8]) -> Input<'d, 'c> {
        let head = self.queue.head;
        Input { decoder: self, chunk, head }
    }

    /// Takes the next of the plain lexemes that were found, if there is one more. It is that of number `head`, of which the caller has its own
    /// copy: see [`Input`].
    #[inline(always)]
    pub(crate) fn pop(&mut self, head: &mut usize) -> Option<Queued> {
        let queued = self.queue.plain.get(*head)?;
        *head += 1;
        self.queue.head = *head;
        Some(queued)
    }

    /// Whether there are plain lexemes that were found and not delivered.
    #[cfg(any(feature = "futures-io", feature = "tokio"))]
    #[inline(always)]
    pub(crate) fn is_queued(&self) -> bool {
        self.queue.head < self.queue.plain.count()
    }

    /// The number of the next of the plain lexemes.
    #[inline(always)]
    pub(crate) fn head(&self) -> usize {
        self.queue.head
    }

    /// Looks for plain lexemes, where they pay: not in the last bytes of a chunk, and not where there were few.
    fn look_ahead(&mut self, chunk: &[u8]) -> bool {
        if self.alone > 0 {
            self.alone -= 1;
            return false;
        }
        self.look(chunk)
    }

    /// Looks for plain lexemes.
    fn look(&mut self, chunk: &[u8]) -> bool {
        if self.base + self.at as u64 == self.stopped || !self.may_look(chunk) {
            return false;
        }
        self.queue.before = self.machine.nesting;
        let bytes = &chunk[..chunk.len().min(self.at.saturating_add(self.machine.plain_window()))];
        let consumed = self.consumed();
        let stretch = Stretch { classes: &self.machine.syntax.classes, bytes, from: self.at, base: self.base };
        let lists = Lists { nesting: &mut self.machine.nesting, brackets: &mut self.machine.brackets };
        let at = self.kernel.index(stretch, &mut self.queue.plain, lists);
        let count = self.queue.plain.count();
        // Where they are few again and again, more and more steps are left to the machine.
        self.alone = if count >= 4 || at + 64 > bytes.len() { 0 } else { (2 * self.rare + 1).min(8) };
        self.rare = self.alone;
        self.stopped = if count < ROOM { self.base + at as u64 } else { u64::MAX };
        if count == 0 {
            self.at = consumed;
            self.queue.head = 0;
            return false;
        }
        self.machine.delivered();
        self.at = at;
        self.queue.head = 0;
        true
    }

    /// Whether to look for plain lexemes now.
    fn may_look(&mut self, chunk: &[u8]) -> bool {
        let Some(&first) = chunk.get(self.at) else { return false };
        self.machine.begin(first);
        self.machine.syntax.classes.indexable
            && !self.over
            && self.armour.is_none()
            && self.machine.is_plain()
            && chunk.len() <= u32::MAX as usize
            && self.base + (chunk.len() as u64) <= self.total
    }

    /// A step of the machine.
    #[inline(never)]
    fn step(&mut self, bytes: &[u8]) -> Advanced {
        self.queue.clear();
        if self.limited && self.total < self.base + bytes.len() as u64 && !matches!(self.machine.state, State::Ignoring) {
            return Advanced::Step(self.last_steps(bytes));
        }
        Advanced::Step(self.step_within(bytes))
    }

    /// A step of the machine in a chunk that goes on beyond the limit of the input.
    #[cold]
    fn last_steps(&mut self, bytes: &[u8]) -> Step {
        let left = self.total.saturating_sub(self.base) as usize;
        let chunk = Chunk::new(&bytes[..left], self.base);
        match self.step_apart(&chunk) {
            Step::Await => {
                self.at = bytes.len();
                self.machine.input_too_large(&chunk)
            }
            step => step,
        }
    }

    #[inline(always)]
    fn step_within(&mut self, bytes: &[u8]) -> Step {
        let chunk = Chunk::new(bytes, self.base);
        if self.over || self.armour.is_some() { self.step_apart(&chunk) } else { self.machine.step(&chunk, &mut self.at) }
    }

    #[inline(never)]
    fn step_apart(&mut self, chunk: &Chunk<'_>) -> Step {
        match &mut self.armour {
            Some(armour) if self.over => armour.end(&mut self.machine, chunk),
            Some(armour) => armour.step(&mut self.machine, chunk, &mut self.at),
            None if self.over => self.machine.end(chunk),
            None => self.machine.step_out_of_line(chunk, &mut self.at),
        }
    }
}

/// For fewer bytes than that plain lexemes are not looked for.
const LEAST: usize = 64;

impl Queue {
    #[inline(always)]
    fn clear(&mut self) {
        self.head = 0;
        self.plain.clear();
    }

    /// The machine is as it was after the lexemes that were delivered, but for the open lists.
    fn take_back(&self, machine: &mut Machine) {
        let mut level = machine.nesting.depth;
        for number in (self.head..self.plain.count()).rev() {
            match self.plain.delimiter(number) {
                Some((Kind::Open, _)) => {
                    level -= 1;
                    machine.brackets.close(level);
                }
                Some((_, pair)) => {
                    machine.brackets.open(level, pair);
                    level += 1;
                }
                None => {}
            }
        }
        let last = self.head.checked_sub(1).and_then(|last| self.plain.get(last));
        if last.is_some_and(|last| last.kind == Kind::Prefix) {
            machine.lacks_datum_of_prefix();
        }
    }

    /// The open lists after the lexemes that were delivered.
    #[cold]
    fn replay(&self, base: u64) -> Nesting {
        let mut nesting = self.before;
        for Queued { kind, start, .. } in self.plain.range(0..self.head) {
            match kind {
                Kind::Open => nesting.open(base + start as u64),
                Kind::Close => nesting.close(),
                _ => {}
            }
        }
        nesting
    }
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder")
            .field("syntax", &self.machine.syntax)
            .field("state", &self.machine.state)
            .field("position", &self.position())
            .field("depth", &self.depth())
            .finish_non_exhaustive()
    }
}

/// A chunk that is being decoded.
///
/// While it lives the chunk cannot be changed: the lexemes are borrowed from it.
#[derive(Debug)]
pub struct Input<'d, 'c> {
    decoder: &'d mut Decoder,
    chunk: &'c [u8],
    /// As in the decoder's queue. Here it can stay in a register: nobody else is given its address.
    head: usize,
}

impl<'c> Input<'_, 'c> {
    /// One step.
    ///
    /// A lexeme is delivered by the step that sees its last byte; a bare atom, whose end only the next byte shows, by the step that sees that.
    #[inline(always)]
    pub fn decode(&mut self) -> Decode<'_> {
        // No loop: the client has one, in which the compiler is to see that mostly nothing is called.
        if let Some(queued) = self.decoder.pop(&mut self.head) {
            return Decode::Lexeme(self.decoder.lexeme(self.chunk, queued));
        }
        let advanced = self.advance();
        if advanced == Advanced::Queued
            && let Some(queued) = self.decoder.pop(&mut self.head)
        {
            return Decode::Lexeme(self.decoder.lexeme(self.chunk, queued));
        }
        self.decoder.deliver(self.chunk, advanced)
    }

    /// Has the decoder go on.
    #[inline(always)]
    fn advance(&mut self) -> Advanced {
        let advanced = self.decoder.advance_seldom(self.chunk);
        self.head = self.decoder.head();
        advanced
    }

    /// Internal iteration: hands all lexemes to `each`, up to the first thing that is none, and returns that. Never returns a lexeme.
    ///
    /// ```
    /// use sexp_codec::nonblocking::{Decode, Decoder};
    /// use sexp_codec::Syntax;
    ///
    /// let mut decoder = Decoder::new(&Syntax::SE);
    /// let mut lexemes = 0;
    /// let mut input = decoder.feed(b"(a b c)");
    /// assert!(matches!(input.for_each(|_| lexemes += 1), Decode::Await));
    /// assert_eq!(lexemes, 5);
    /// ```
    #[inline]
    pub fn for_each(&mut self, mut each: impl FnMut(Lexeme<'_>)) -> Decode<'_> {
        loop {
            let Decoder { queue: Queue { plain, head, .. }, base, .. } = &mut *self.decoder;
            for queued in plain.range(*head..plain.count()) {
                // Before, since it may panic.
                self.head += 1;
                *head = self.head;
                each(plain_lexeme(*base, self.chunk, queued));
            }
            match self.advance() {
                Advanced::Queued => {}
                Advanced::Step(Step::Lexeme) => each(self.decoder.found(self.chunk)),
                advanced => return self.decoder.deliver(self.chunk, advanced),
            }
        }
    }

    /// The bulk step: fills a slice with plain lexemes, those that stand in the chunk as they are, and returns how many it was. Where
    /// it is none, [`decode`](Input::decode) has to make the next step; it also tells of errors and of the end.
    ///
    /// Both can be mixed at any lexeme. Slices of 128 lexemes and more are filled best. Their places count from the start of the chunk.
    #[inline]
    pub fn bulk(&mut self, lexemes: &mut [Compact]) -> usize {
        let decoder = &mut *self.decoder;
        let mut count = 0;
        while count < lexemes.len() {
            if decoder.queue.head == decoder.queue.plain.count() && !decoder.look(self.chunk) {
                break;
            }
            let more = decoder.kernel.pack(&decoder.queue.plain, decoder.queue.head, &mut lexemes[count..]);
            if more == 0 {
                break;
            }
            decoder.queue.head += more;
            count += more;
        }
        self.head = decoder.head();
        count
    }

    /// As [`Decoder::position`].
    #[inline]
    pub fn position(&self) -> u64 {
        self.decoder.position()
    }

    /// How many bytes of the chunk are consumed.
    #[inline]
    pub fn consumed(&self) -> usize {
        self.decoder.consumed()
    }

    /// Whether something is under way that belongs to the form after it.
    pub(crate) fn leads_a_form(&self) -> bool {
        self.decoder.machine.leads_a_form()
    }

    /// As [`Decoder::faulty`].
    pub(crate) fn faulty(&self) -> Option<u64> {
        self.decoder.faulty()
    }

    /// As [`Decoder::depth`].
    pub fn depth(&self) -> u64 {
        self.decoder.depth()
    }

    /// What of the chunk is not consumed: what follows the last lexeme. The client may stop here, and has to feed it again if it is to be
    /// decoded after all.
    ///
    /// ```
    /// use sexp_codec::nonblocking::{Decode, Decoder};
    /// use sexp_codec::{Kind, Syntax};
    ///
    /// // One form, then bytes of another protocol.
    /// let mut decoder = Decoder::new(&Syntax::SE);
    /// let mut input = decoder.feed(b"(upgrade raw)\x01\x02");
    /// while let Decode::Lexeme(lexeme) = input.decode() {
    ///     if lexeme.kind == Kind::Close {
    ///         break;
    ///     }
    /// }
    /// let rest = input.remaining();
    /// // The rest is borrowed from the chunk alone: the decoder is free again.
    /// decoder.reset();
    /// assert_eq!(rest, [1, 2]);
    /// ```
    pub fn remaining(&mut self) -> &'c [u8] {
        let decoder = &mut *self.decoder;
        decoder.leave_queue();
        self.head = 0;
        let consumed = decoder.at;
        decoder.machine.stop(&Chunk::new(self.chunk, decoder.base), consumed);
        &self.chunk[consumed..]
    }

    /// Line and column of a place that is not before the last lexeme, or anywhere in the chunk.
    ///
    /// To ask for one place after the other costs as much as reading the chunk once; to go back costs that again.
    pub fn location(&mut self, offset: u64) -> Position {
        self.decoder.machine.location(&Chunk::new(self.chunk, self.decoder.base), offset)
    }
}

/// For fuzzing only.
#[cfg(fuzzing)]
impl Decoder {
    /// Has it look for plain lexemes by the kernel of that number; whether the processor has so many.
    #[doc(hidden)]
    pub fn use_kernel(&mut self, number: usize) -> bool {
        let kernel = Kernel::available().nth(number);
        self.kernel = kernel.unwrap_or(self.kernel);
        kernel.is_some()
    }
}

/// A plain lexeme of the chunk that begins at `base`.
#[inline(always)]
fn plain_lexeme(base: u64, chunk: &[u8], queued: Queued) -> Lexeme<'_> {
    let Range { start, end } = queued.span();
    let span = Span { start: base + start as u64, end: base + end as u64 };
    Lexeme { kind: queued.kind, bytes: &chunk[queued.start..queued.end], span }
}

/// How the decoder came on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Advanced {
    /// There are plain lexemes.
    Queued,
    /// The machine made a step.
    Step(Step),
}

impl Decoder {
    /// As [`advance`](Decoder::advance), for a loop that mostly pops: what it holds is to stay in registers, and be saved only here.
    #[cold]
    #[inline(never)]
    pub(crate) fn advance_seldom(&mut self, chunk: &[u8]) -> Advanced {
        self.advance(chunk)
    }

    /// Finds more plain lexemes, or has the machine make a step. To be called when all that were found are delivered.
    #[inline(never)]
    pub(crate) fn advance(&mut self, chunk: &[u8]) -> Advanced {
        if chunk.len() >= self.at + LEAST { self.advance_far(chunk) } else { self.advance_short(chunk) }
    }

    /// As [`advance`](Decoder::advance), where there are enough bytes to look ahead.
    #[inline(never)]
    fn advance_far(&mut self, chunk: &[u8]) -> Advanced {
        if self.look_ahead(chunk) { Advanced::Queued } else { self.advance_short(chunk) }
    }

    /// Has the machine make a step, a short one if it can.
    #[inline(always)]
    fn advance_short(&mut self, chunk: &[u8]) -> Advanced {
        if self.base + chunk.len() as u64 >= self.short {
            return self.step(chunk);
        }
        self.queue.clear();
        match self.machine.short_step(chunk, self.base, &mut self.at) {
            Some(step) => Advanced::Step(step),
            None => self.step(chunk),
        }
    }

    #[inline]
    pub(crate) fn lexeme<'c>(&self, chunk: &'c [u8], queued: Queued) -> Lexeme<'c> {
        plain_lexeme(self.base, chunk, queued)
    }

    #[inline(always)]
    pub(crate) fn deliver<'a>(&'a mut self, chunk: &'a [u8], advanced: Advanced) -> Decode<'a> {
        match advanced {
            Advanced::Step(Step::Lexeme) => Decode::Lexeme(self.found(chunk)),
            Advanced::Step(Step::Fragment) => Decode::Fragment(self.piece(chunk)),
            Advanced::Queued | Advanced::Step(Step::Await | Step::Armour) => Decode::Await,
            Advanced::Step(Step::End) => Decode::End,
            Advanced::Step(Step::Error) => Decode::Error(self.machine.error),
        }
    }

    /// The lexeme that the machine found.
    #[inline]
    pub(crate) fn found<'a>(&'a self, chunk: &'a [u8]) -> Lexeme<'a> {
        let found = &self.machine.found;
        Lexeme { kind: found.kind, bytes: self.bytes(chunk), span: found.span }
    }

    /// The piece of an atom that the machine found.
    fn piece<'a>(&'a self, chunk: &'a [u8]) -> Fragment<'a> {
        let (found, piece) = (&self.machine.found, &self.machine.piece);
        Fragment { kind: found.kind, bytes: self.bytes(chunk), first: piece.first, last: piece.last, total: piece.total, span: found.span }
    }

    #[inline]
    fn bytes<'a>(&'a self, chunk: &'a [u8]) -> &'a [u8] {
        match self.machine.found.run {
            Some((from, to)) => &chunk[from..to],
            None => &self.machine.value,
        }
    }
}
