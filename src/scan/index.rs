//! Finds runs of plain lexemes: single delimiters, bare atoms and strings that need no decoding, each whole in the bytes at hand.
//!
//! A block of 64 bytes becomes one bit mask for each flag of its bytes. From these follow, by arithmetic on whole masks, the bits where lexemes
//! start and the bits where they end. Both have the same lexemes in the same order, so the n-th of the one belongs to the n-th of the other.

use super::BLOCK;
use super::classes::{ATOM, CLOSE, Classes, FLAGS, MARKS, OPEN, QUOTE, SECOND, STRINGS, pair_of};
use super::lists::{Lists, nest_pairs, opens_too_many};
use crate::lexeme::Kind;
use core::fmt;
use core::ops::Range;

/// A lexeme in eight bytes, as [`Input::bulk`](crate::nonblocking::Input::bulk) finds them: its kind, and where it stands in the chunk.
///
/// ```
/// use sexp_codec::nonblocking::{Compact, Decoder};
/// use sexp_codec::{Kind, Syntax};
///
/// let chunk = b"(\"a b\" c)";
/// let mut lexemes = [Compact::default(); 128];
/// let mut decoder = Decoder::new(&Syntax::SEXPLIB);
/// let count = decoder.feed(chunk).bulk(&mut lexemes);
/// assert_eq!(count, 4);
/// assert_eq!(lexemes[1].kind(), Kind::String);
/// assert_eq!(lexemes[1].span(), 1..6);
/// assert_eq!(&chunk[lexemes[1].value()], b"a b");
/// ```
// Where its value starts (32 bits), its kind (8 bits) and the length of its value (24 bits).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Compact(u64);

/// The longest lexeme that can be told of in eight bytes.
const LONGEST: u32 = (1 << 24) - 1;

/// The kind of a plain lexeme.
#[inline]
pub(crate) const fn kind_of(number: u8) -> Kind {
    // So that number and kind are the same bits, and nothing is compared.
    match number & 7 {
        0 => Kind::Open,
        1 => Kind::Close,
        2 => Kind::Bare,
        3 => Kind::String,
        4 => Kind::Symbol,
        5 => Kind::Octets,
        6 => Kind::Char,
        _ => Kind::Prefix,
    }
}

impl Compact {
    #[inline]
    pub(crate) const fn new(start: u32, length: u32, kind: u8) -> Self {
        Compact(start as u64 | (kind as u64 & 7) << 32 | (length as u64) << 40)
    }

    /// What it is.
    #[inline]
    pub const fn kind(self) -> Kind {
        kind_of((self.0 >> 32) as u8)
    }

    /// One for a string, and else nothing.
    #[inline]
    const fn quote(self) -> usize {
        // The number of a string is 3, and that of a prefix, which has none, 7.
        (((self.0 >> 32 & 7) + 1) >> 2 & 1) as usize
    }

    /// Its bytes in the chunk, quotes included.
    #[inline]
    pub const fn span(self) -> Range<usize> {
        let (value, quote) = (self.value(), self.quote());
        value.start - quote..value.end + quote
    }

    /// The bytes of its value in the chunk, without quotes.
    #[inline]
    pub const fn value(self) -> Range<usize> {
        let start = self.0 as u32 as usize;
        start..start + (self.0 >> 40) as usize
    }
}

impl fmt::Debug for Compact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}@{:?}", self.kind(), self.span())
    }
}

/// For how many lexemes there is room.
pub(crate) const ROOM: usize = 256;

/// Plain lexemes, as an index finds them: the starts and the ends by themselves, so that a lexeme may go on from block to block.
///
/// When the index is through, they are those of the values: what a step would have to do about quotes is done for many strings at once.
#[derive(Clone)]
pub(crate) struct Plain {
    /// Where the lexemes start.
    starts: [u32; ROOM + BLOCK],
    /// Their numbers: kinds, and pairs of brackets.
    kinds: [u8; ROOM + BLOCK],
    /// The bytes after them.
    ends: [u32; ROOM + BLOCK],
    /// How many there are: never more than there is room for, which [`get`](Plain::get) relies on.
    count: usize,
    /// Whether there are strings among them.
    quoted: bool,
}

/// A plain lexeme: its kind, and where its value starts and ends in the chunk, without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Queued {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Queued {
    /// Where it stands in the chunk, quotes included.
    #[inline(always)]
    pub(crate) fn span(self) -> Range<usize> {
        let quote = usize::from(self.kind == Kind::String);
        self.start - quote..self.end + quote
    }
}

impl Plain {
    pub(crate) const fn new() -> Self {
        Plain { starts: [0; ROOM + BLOCK], kinds: [0; ROOM + BLOCK], ends: [0; ROOM + BLOCK], count: 0, quoted: false }
    }

    /// How many there are.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// There are none any more.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    /// The one of that number, if there are so many.
    #[inline(always)]
    #[allow(unsafe_code, reason = "it is done for each lexeme, and one comparison is enough")]
    pub(crate) fn get(&self, number: usize) -> Option<Queued> {
        if number >= self.count {
            return None;
        }
        // SAFETY: the number is below the count, which `clear` and `fill` alone set, to no more than the length of each array.
        let (kind, start, end) =
            unsafe { (*self.kinds.get_unchecked(number), *self.starts.get_unchecked(number), *self.ends.get_unchecked(number)) };
        Some(Queued { kind: kind_of(kind), start: start as usize, end: end as usize })
    }

    /// Whether the one of that number starts or ends a list, and of which pair of brackets.
    pub(crate) fn delimiter(&self, number: usize) -> Option<(Kind, u8)> {
        let number = self.kinds[number];
        Some(kind_of(number)).filter(|kind| matches!(kind, Kind::Open | Kind::Close)).map(|kind| (kind, pair_of(number)))
    }

    /// By how much those of these numbers make the nesting deeper.
    pub(crate) fn deepening(&self, numbers: Range<usize>) -> i64 {
        let step = |&number: &u8| i8::from(kind_of(number) == Kind::Open) - i8::from(kind_of(number) == Kind::Close);
        // Sums of a byte each, many at a time.
        self.kinds[numbers].chunks(64).map(|part| i64::from(part.iter().map(step).sum::<i8>())).sum()
    }

    /// The places are those of the values from now on.
    #[inline(always)]
    pub(super) fn strip_quotes(&mut self) {
        if !self.quoted {
            return;
        }
        // In whole vectors; those beyond the count are anything.
        let count = self.count.next_multiple_of(16).min(self.kinds.len());
        let places = self.starts[..count].iter_mut().zip(&mut self.ends[..count]);
        for ((start, end), &kind) in places.zip(&self.kinds[..count]) {
            let quote = u32::from(kind == Kind::String as u8);
            *start = start.wrapping_add(quote);
            *end = end.wrapping_sub(quote);
        }
    }

    /// There are only so many. Comes to where the next one starts.
    ///
    /// It is no string.
    pub(super) fn cut(&mut self, count: usize) -> usize {
        self.count = self.count.min(count);
        self.starts[count] as usize
    }

    /// Where they start, and their numbers, in groups of as many as a word has bits. All places are there, whatever the count.
    #[inline(always)]
    pub(super) fn groups(&self) -> impl Iterator<Item = (&[u32; BLOCK], &[u8; BLOCK])> {
        self.starts.as_chunks::<BLOCK>().0.iter().zip(self.kinds.as_chunks::<BLOCK>().0)
    }

    /// Those of these numbers.
    #[inline(always)]
    pub(crate) fn range(&self, numbers: Range<usize>) -> impl Iterator<Item = Queued> {
        let places = self.starts[numbers.clone()].iter().zip(&self.ends[numbers.clone()]);
        self.kinds[numbers].iter().zip(places).map(|(&kind, (&start, &end))| Queued {
            kind: kind_of(kind),
            start: start as usize,
            end: end as usize,
        })
    }

    /// Makes compact lexemes of those from `head` on, as far as both reach, by that function, which is given starts, ends and kinds and comes
    /// to the greatest length. Stops before one that is too long for it, and comes to how many it was.
    #[inline(always)]
    pub(super) fn pack_by(
        &self,
        head: usize,
        lexemes: &mut [Compact],
        pack: impl FnOnce(&[u32], &[u32], &[u8], &mut [Compact]) -> u32,
    ) -> usize {
        let count = lexemes.len().min(self.count - head);
        let from = head..head + count;
        let (starts, ends) = (&self.starts[from.clone()], &self.ends[from.clone()]);
        let longest = pack(starts, ends, &self.kinds[from], &mut lexemes[..count]);
        if longest > LONGEST { (0..count).find(|&i| ends[i] - starts[i] > LONGEST).unwrap_or(count) } else { count }
    }
}

/// The bits of the lexemes that open and close lists, by their numbers, eight at a time.
pub(super) fn delimiters(kinds: &[u8; BLOCK]) -> [u64; 2] {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut bits = [0; 2];
    for (i, eight) in kinds.as_chunks::<8>().0.iter().enumerate() {
        // 0 and 1: no higher bit of the kind is set.
        let numbers = u64::from_le_bytes(*eight);
        let others = numbers >> 1 | numbers >> 2;
        bits[0] |= gather(!(others | numbers) & ONES) << (8 * i);
        bits[1] |= gather(!others & numbers & ONES) << (8 * i);
    }
    bits
}

/// The lowest bits of eight bytes, in which no others are set, as one byte.
#[inline]
pub(super) fn gather(bytes: u64) -> u64 {
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Makes compact lexemes of plain ones, and comes to the length of the longest.
#[inline(always)]
pub(crate) fn pack(starts: &[u32], ends: &[u32], kinds: &[u8], lexemes: &mut [Compact]) -> u32 {
    let mut longest = 0;
    for (((lexeme, &start), &end), &kind) in lexemes.iter_mut().zip(starts).zip(ends).zip(kinds) {
        let length = end.wrapping_sub(start);
        longest = longest.max(length);
        *lexeme = Compact::new(start, length, kind);
    }
    longest
}

/// Where the bits of a block go: one array's next places.
pub(crate) type Room<'p, T> = &'p mut [T; BLOCK];

/// A bit for each byte of a block, for each flag of [`classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Masks {
    pub(crate) atom: u64,
    pub(crate) open: u64,
    pub(crate) close: u64,
    pub(crate) quote: u64,
    pub(crate) stop: u64,
    pub(crate) stop_first: u64,
    pub(crate) stop_in_string: u64,
    pub(crate) second: u64,
}

impl Masks {
    /// In the order of the flags.
    #[inline(always)]
    pub(crate) fn new([atom, open, close, quote, stop, stop_first, stop_in_string, second]: [u64; FLAGS]) -> Self {
        Masks { atom, open, close, quote, stop, stop_first, stop_in_string, second }
    }
}

/// The bits below that one.
#[inline(always)]
fn below(bit: u32) -> u64 {
    !(!0 << (bit & 63))
}

/// Bytes in which plain lexemes are looked for.
#[derive(Clone, Copy)]
pub(crate) struct Stretch<'b> {
    pub(crate) classes: &'b Classes,
    pub(crate) bytes: &'b [u8],
    /// Where in them nothing is pending.
    pub(crate) from: usize,
    /// Offset of the first of them in the input.
    pub(crate) base: u64,
}

/// The index, but for what depends on the processor: `masks` has the bits of the bytes of a block that have each flag, and what it saw
/// besides; `prefix_xor` has, for each bit, the sum modulo 2 of those up to it; `put_starts` and `put_ends` put down the places of bits.
/// `EFFORT` is that of the classes. Comes to where nothing is pending.
///
/// Brackets are matched here, where there are marks. Else lists are only counted: the depth after it is right where no more are closed than are
/// open, and the greatest number where too many are opened or closed.
#[inline(always)]
pub(crate) fn fill<const EFFORT: u8, Seen: Copy>(
    stretch: Stretch<'_>,
    plain: &mut Plain,
    lists: Lists<'_>,
    masks: impl Fn(&[u8; BLOCK]) -> (Masks, Seen),
    prefix_xor: impl Fn(u64) -> u64,
    put_starts: impl Fn(Seen, u32, u64, Room<'_, u32>, Room<'_, u8>),
    put_ends: impl Fn(u32, u64, Room<'_, u32>),
) -> usize {
    let Stretch { classes, bytes, from, base } = stretch;
    let Lists { nesting, brackets } = lists;
    let beside = classes.beside;
    // How many lexemes have started, and how many have ended: the same number, or one more.
    let (mut started, mut ended) = (0, 0);
    let mut at = from;
    // What goes on into the block: an atom (one bit), a string (all bits), what ended with the last byte before it (one bit), or a prefix that
    // has no datum yet (one bit).
    let (mut in_atom, mut in_string, mut at_end, mut in_prefix) = (0, 0, 0, 0);
    // The depth, and for how many blocks it is not known whether it was ever below nothing.
    let (mut depth, limit) = (nesting.depth, nesting.limit);
    let (mut wrong, mut doubtful, mut in_doubt) = (false, false, 0);
    let mut quotes = 0;
    let mut tail = [0; BLOCK];
    let mut rest = bytes.get(from..).unwrap_or_default();
    while let Some(starts_room) = plain.starts[started..].first_chunk_mut::<BLOCK>()
        && let Some(kinds_room) = plain.kinds[started..].first_chunk_mut::<BLOCK>()
        && let Some(ends_room) = plain.ends[ended..].first_chunk_mut::<BLOCK>()
    {
        let (block, after, beyond) = match rest.split_first_chunk::<BLOCK>() {
            Some((block, after)) => (block, after, 0),
            None => (pad(rest, &mut tail), &[][..], !0 << rest.len()),
        };
        let (found, seen) = masks(block);
        let (quote, other, prefix) = match EFFORT {
            MARKS => (found.quote & !(found.open | found.close), found.quote & (found.open | found.close), found.open & found.close),
            _ => (found.quote, 0, 0),
        };
        // From an opening quote to before the closing one.
        let string = prefix_xor(quote) ^ in_string;
        let outside = !(string | quote);
        let (opening, closing) = (quote & string, quote & !string);
        // What is beyond the end could go on with an atom.
        let mut atom = found.atom & outside | beyond;
        let before = atom << 1 | in_atom;
        let first = atom & !before;
        let (open, close, prefix) = (found.open & outside & !prefix, found.close & outside & !prefix, prefix & outside);
        let mut stop = found.stop & outside | found.stop_first & first | found.stop_in_string & string & !quote | beyond;
        if EFFORT >= STRINGS {
            // So that the atom does not end there.
            let touched = opening & before & beside.quote_after_atom;
            atom |= touched;
            // What is beyond the end could be anything.
            let next = after.first().map_or(QUOTE | ATOM | SECOND, |&next| classes.flags[next as usize]);
            let followed = |bits: u64, by: bool| (bits | beyond) >> 1 | u64::from(by) << 63;
            let by_quote = followed(quote, next & (OPEN | CLOSE | QUOTE) == QUOTE) & beside.quote_after_string;
            let by_atom = followed(found.atom, next & ATOM != 0) & beside.atom_after_string;
            stop |= touched | closing & (by_quote | by_atom);
            if EFFORT == MARKS {
                let before_second =
                    open & beside.second_after_open | prefix & beside.second_after_prefix | first & beside.second_after_first;
                stop |= before_second & followed(found.second, next & SECOND != 0);
            }
        }
        let starting = first | open | close | opening | prefix;
        if EFFORT == MARKS {
            // The first lexeme after a prefix, be it far away, must not be the end of a list: a carry runs through the bits where none starts.
            let after = prefix << 1 | in_prefix;
            let (sum, far) = (!starting).overflowing_add(after & !starting);
            stop |= (sum & starting | after) & close;
            in_prefix = prefix >> 63 | u64::from(far);
        }
        // The bits below the first that stops.
        let mut valid = stop.wrapping_sub(1) & !stop;
        let offset = base + at as u64;
        if EFFORT == MARKS {
            let brackets_of_block = [open & valid, close & valid, other & outside & valid];
            if let Some(bit) = nest_pairs(nesting, brackets, classes, block, brackets_of_block, offset) {
                valid = below(bit);
            }
        } else {
            // Whether each list that is closed was open is seen when the run is complete: mostly it was, and to ask for each block costs more.
            // Only what is wrong for sure ends the run, and what may be wrong does so before much has been read in vain.
            let (opens, closes) = (u64::from((open & valid).count_ones()), u64::from((close & valid).count_ones()));
            let opened = depth + opens;
            doubtful |= closes > depth;
            in_doubt += usize::from(doubtful);
            wrong = closes > opened || opened > limit && opens_too_many(depth, open & valid, close & valid, limit);
            depth = opened.wrapping_sub(closes);
        }
        // Each end is at the bit after the last byte: only then an atom shows that it ended.
        let starts = starting & valid;
        let lasts = (open | close | closing | prefix) & valid;
        let ends = (before & !atom | lasts << 1 | at_end) & (valid << 1 | 1);
        put_starts(seen, at as u32, starts, starts_room, kinds_room);
        put_ends(at as u32, ends, ends_room);
        if EFFORT == MARKS {
            put_pairs(classes, block, other & starts, starts, kinds_room);
        }
        quotes |= closing & valid;
        started += starts.count_ones() as usize;
        ended += ends.count_ones() as usize;
        if valid != !0 {
            at += valid.trailing_ones() as usize;
            at_end = 0;
            break;
        }
        at_end = lasts >> 63;
        at += BLOCK;
        if wrong || in_doubt > DOUBTFUL {
            break;
        }
        in_atom = atom >> 63;
        in_string = ((string as i64) >> 63) as u64;
        rest = after;
    }
    if at_end == 1 {
        plain.ends[ended] = at as u32;
        ended += 1;
    }
    let mut count = ended.min(ROOM + BLOCK);
    let mut end = if started > ended { plain.starts[ended] as usize } else { at };
    // A prefix without its datum is left out.
    while EFFORT == MARKS && count > 0 && kind_of(plain.kinds[count - 1]) == Kind::Prefix {
        count -= 1;
        end = plain.starts[count] as usize;
    }
    plain.count = count;
    plain.quoted = quotes != 0;
    if EFFORT != MARKS {
        nesting.depth = if wrong { u64::MAX } else { depth };
    }
    end
}

/// In how many blocks lexemes are looked for, at most, where it is not known whether each list that is closed was open.
const DOUBTFUL: usize = 64;

/// Puts down the numbers of brackets that are not of the first pair.
#[inline(always)]
fn put_pairs(classes: &Classes, block: &[u8; BLOCK], mut others: u64, starts: u64, kinds: Room<'_, u8>) {
    while others != 0 {
        let bit = others.trailing_zeros();
        kinds[(starts & below(bit)).count_ones() as usize] = classes.kinds[block[bit as usize] as usize];
        others &= others - 1;
    }
}

/// Makes a block of fewer bytes.
#[inline(never)]
fn pad<'t>(rest: &[u8], tail: &'t mut [u8; BLOCK]) -> &'t [u8; BLOCK] {
    tail[..rest.len()].copy_from_slice(rest);
    tail
}

/// Puts down the places of bits one by one, in groups of eight: what is too much of the last group is written over later.
#[inline(always)]
pub(crate) fn put_one_by_one(at: u32, mut bits: u64, room: Room<'_, u32>) {
    let groups = (bits.count_ones() as usize).div_ceil(8);
    for group in &mut room.as_chunks_mut::<8>().0[..groups] {
        for place in group {
            *place = at + bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
        }
    }
}

/// As [`put_one_by_one`], with the kinds of the lexemes that start there.
#[inline(always)]
pub(crate) fn put_starts_one_by_one(
    classes: &Classes,
    block: &[u8; BLOCK],
    at: u32,
    mut bits: u64,
    room: Room<'_, u32>,
    kinds: Room<'_, u8>,
) {
    let groups = (bits.count_ones() as usize).div_ceil(8);
    let rooms = room.as_chunks_mut::<8>().0.iter_mut().zip(kinds.as_chunks_mut::<8>().0);
    for (places, kinds) in rooms.take(groups) {
        for (place, kind) in places.iter_mut().zip(kinds) {
            let bit = bits.trailing_zeros();
            *place = at + bit;
            *kind = classes.kinds[block[bit as usize % BLOCK] as usize];
            bits &= bits.wrapping_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::nesting::{Brackets, Nesting};
    use crate::scan::Kernel;
    use crate::scan::classes;
    use crate::syntax::Syntax;
    use std::vec::Vec;

    /// What the index is to find, a byte at a time, and the pairs of the brackets that are open after it.
    fn naive(classes: &Classes, bytes: &[u8], from: usize, limit: u64) -> (Vec<(usize, usize, Kind)>, usize, Vec<u8>) {
        let flag = |at: usize| classes.flags[bytes[at] as usize];
        let token = |at: usize| flag(at) & (OPEN | CLOSE | QUOTE);
        let beside = &classes.beside;
        // Whether what stands at a place, which may be anything beyond the end, has to be looked at by the machine.
        let is = |at: usize, rule: u64, flags: u8| rule != 0 && (at >= bytes.len() || flag(at) & flags != 0);
        let is_quote = |at: usize, rule: u64| rule != 0 && (at >= bytes.len() || token(at) == QUOTE);
        let mut found: Vec<(usize, usize, Kind)> = Vec::new();
        let mut open = Vec::new();
        let mut at = from;
        while at < bytes.len() {
            let begin = at;
            let own = flag(at);
            let pair = pair_of(classes.kinds[bytes[at] as usize]);
            let after_prefix = found.last().is_some_and(|last| last.2 == Kind::Prefix);
            let kind = match token(at) {
                QUOTE => {
                    at += 1;
                    while at < bytes.len() && token(at) != QUOTE && flag(at) & classes::STOP_IN_STRING == 0 {
                        at += 1;
                    }
                    let whole = at < bytes.len() && token(at) == QUOTE;
                    if !whole || is_quote(at + 1, beside.quote_after_string) || is(at + 1, beside.atom_after_string, ATOM) {
                        at = begin;
                        break;
                    }
                    at += 1;
                    Kind::String
                }
                classes::PREFIX if !is(at + 1, beside.second_after_prefix, SECOND) => {
                    at += 1;
                    Kind::Prefix
                }
                OPEN | classes::OTHER_OPEN if open.len() < limit as usize && !is(at + 1, beside.second_after_open, SECOND) => {
                    open.push(pair);
                    at += 1;
                    Kind::Open
                }
                CLOSE | classes::OTHER_CLOSE if open.last() == Some(&pair) && !after_prefix => {
                    open.pop();
                    at += 1;
                    Kind::Close
                }
                0 if own & ATOM != 0 => {
                    if own & classes::STOP_FIRST != 0 || is(at + 1, beside.second_after_first, SECOND) {
                        break;
                    }
                    while at < bytes.len() && flag(at) & (ATOM | classes::STOP | QUOTE) == ATOM {
                        at += 1;
                    }
                    let ended = at < bytes.len() && flag(at) & (ATOM | QUOTE) != ATOM && flag(at) & (ATOM | QUOTE) != ATOM | QUOTE;
                    if !ended || is_quote(at, beside.quote_after_atom) {
                        at = begin;
                        break;
                    }
                    Kind::Bare
                }
                0 if own & classes::STOP == 0 => {
                    at += 1;
                    continue;
                }
                _ => break,
            };
            found.push((begin, at, kind));
        }
        while let Some(&(start, _, Kind::Prefix)) = found.last() {
            found.pop();
            at = start;
        }
        (found, at, open)
    }

    /// Bytes that are mostly plain, from a small generator.
    fn some_bytes(seed: u64, length: usize) -> Vec<u8> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let common: &[u8] = match seed % 3 {
            0 => b"ab cd(ef)gh \"ij\" k",
            1 => b"ab 'c (d) [e] {f} \"g\" ('h)",
            _ => b"(a \"b\" (c \"d e\")) (f [g])",
        };
        let rare = b";#|\\\r\x00\x7f\xff'[]{}0:\t\n\"\",@.?$`~^-";
        let rarity = [4, 40, 400, 4000][seed as usize % 4];
        (0..length)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let pick = (state >> 20) as usize;
                if pick.is_multiple_of(rarity) { rare[pick / rarity % rare.len()] } else { common[pick / rarity % common.len()] }
            })
            .collect()
    }

    #[test]
    fn all_kernels_find_what_a_naive_reader_finds() {
        for syntax in Syntax::ALL {
            for length in 0..=200 {
                for seed in 0..24 {
                    let bytes = some_bytes(seed * 1000 + length as u64, length);
                    for from in [0, 1, 3, 17, 63, 64, 65].into_iter().filter(|&from| from <= length) {
                        let limit = if seed % 3 == 0 { 2 } else { u64::MAX };
                        let (expected, end, open) = naive(&syntax.classes, &bytes, from, limit);
                        for kernel in Kernel::available() {
                            let mut plain = Plain::new();
                            let (found, nesting, brackets) = index(kernel, syntax, &bytes, from, limit, &mut plain);
                            let got: Vec<_> =
                                plain.range(0..plain.count).map(|lexeme| (lexeme.span().start, lexeme.span().end, lexeme.kind)).collect();
                            let context = std::format!("{kernel:?} {} from {from}: {:?}", syntax.name, bytes.escape_ascii().to_string());
                            assert_eq!(got, expected, "{context}");
                            assert_eq!((found, nesting.depth), (end, open.len() as u64), "{context}");
                            let pairs: Vec<_> = (0..nesting.depth).map(|level| brackets.kind(level)).collect();
                            assert_eq!(pairs, open, "{context}");
                            assert_eq!(brackets.kind(nesting.depth), 0, "{context}");
                            let numbers = (0..plain.count).filter_map(|i| plain.delimiter(i).map(|(_, pair)| (plain.starts[i], pair)));
                            for (start, pair) in numbers {
                                assert_eq!(pair, pair_of(syntax.classes.kinds[bytes[start as usize] as usize]), "{context}");
                            }
                        }
                    }
                }
            }
        }
    }

    /// Has a kernel look at all bytes.
    fn index(kernel: Kernel, syntax: &Syntax, bytes: &[u8], from: usize, limit: u64, plain: &mut Plain) -> (usize, Nesting, Brackets) {
        let (mut nesting, mut brackets) = (Nesting::new(Some(limit)), Brackets::default());
        let stretch = Stretch { classes: &syntax.classes, bytes, from, base: 0 };
        let at = kernel.index(stretch, plain, Lists { nesting: &mut nesting, brackets: &mut brackets });
        (at, nesting, brackets)
    }

    #[test]
    fn all_kernels_see_the_same_bits_of_every_byte() {
        for syntax in Syntax::ALL {
            for byte in 0..=255 {
                let mut bytes = std::vec![b' '; 130];
                bytes[1] = byte;
                bytes[70] = byte;
                let found = Kernel::available().map(|kernel| {
                    let mut plain = Plain::new();
                    let (found, nesting, _) = index(kernel, syntax, &bytes, 0, u64::MAX, &mut plain);
                    let opened = nesting.opened[..nesting.depth as usize].to_vec();
                    (
                        found,
                        plain.starts[..plain.count].to_vec(),
                        plain.kinds[..plain.count].to_vec(),
                        plain.ends[..plain.count].to_vec(),
                        opened,
                    )
                });
                let found: Vec<_> = found.collect();
                assert!(found.iter().all(|one| *one == found[0]), "{} {byte:#x}", syntax.name);
            }
        }
    }

    #[test]
    fn what_finds_no_room_is_found_later() {
        let bytes = b"(a bc \"d\")".repeat(100);
        for kernel in Kernel::available() {
            let mut nesting = Nesting::new(None);
            let (mut at, mut total) = (0, 0);
            loop {
                let mut plain = Plain::new();
                let stretch = Stretch { classes: &Syntax::SEXPLIB.classes, bytes: &bytes, from: at, base: 0 };
                at = kernel.index(stretch, &mut plain, Lists { nesting: &mut nesting, brackets: &mut Brackets::default() });
                if plain.count == 0 {
                    break;
                }
                total += plain.count;
            }
            assert_eq!((at, total, nesting.depth), (1000, 500, 0), "{kernel:?}");
        }
    }
}
