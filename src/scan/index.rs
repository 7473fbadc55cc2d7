//! Finds runs of plain lexemes: single delimiters, bare atoms and strings that need no decoding, each whole in the bytes at hand.
//!
//! A block of 64 bytes becomes one bit mask for each flag of its bytes. From these follow, by arithmetic on whole masks, the bits where lexemes
//! start and the bits where they end. Both have the same lexemes in the same order, so the n-th of the one belongs to the n-th of the other.

use super::BLOCK;
use super::classes::{self, Classes, FLAGS};
use crate::lexeme::Kind;
use crate::nesting::{Nesting, REMEMBERED};
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
// Where it starts (32 bits), its kind (8 bits) and its length with quotes (24 bits).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Compact(u64);

/// The longest lexeme a compact one can tell of.
const LONGEST: usize = (1 << 24) - 1;

impl Compact {
    #[inline]
    pub(crate) const fn new(start: usize, length: usize, kind: u8) -> Self {
        Compact(start as u64 | (kind as u64) << 32 | (length as u64) << 40)
    }

    /// What it is.
    #[inline]
    pub const fn kind(self) -> Kind {
        match (self.0 >> 32) as u8 {
            0 => Kind::Open,
            1 => Kind::Close,
            2 => Kind::Bare,
            _ => Kind::String,
        }
    }

    #[inline]
    pub(crate) const fn start(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline]
    pub(crate) const fn end(self) -> usize {
        self.start() + (self.0 >> 40) as usize
    }

    /// Its bytes in the chunk, quotes included.
    #[inline]
    pub const fn span(self) -> Range<usize> {
        self.start()..self.end()
    }

    /// The bytes of its value in the chunk, without quotes.
    #[inline]
    pub const fn value(self) -> Range<usize> {
        let quote = ((self.0 >> 32) as u8 == Kind::String as u8) as usize;
        self.start() + quote..self.end() - quote
    }
}

impl fmt::Debug for Compact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}@{:?}", self.kind(), self.span())
    }
}

/// What an index found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Index {
    /// How many lexemes it found.
    pub(crate) count: usize,
    /// Up to where the bytes are done with: nothing is pending there.
    pub(crate) end: usize,
}

/// How much room a block needs: for the lexeme that went on into it, and one for each byte.
const ROOM: usize = 1 + BLOCK;

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
}

impl Masks {
    /// In the order of the flags.
    #[inline(always)]
    pub(crate) fn new([atom, open, close, quote, stop, stop_first, stop_in_string]: [u64; FLAGS]) -> Self {
        Masks { atom, open, close, quote, stop, stop_first, stop_in_string }
    }
}

/// The bits below that one.
#[inline(always)]
fn below(bit: u32) -> u64 {
    !(!0 << (bit & 63))
}

/// The index, but for what depends on the processor: `masks` has the bits of the bytes of a block that have each flag, and what it saw
/// besides; `prefix_xor` has, for each bit, the sum modulo 2 of those up to it; `fill_room` makes records of the start and end bits of the block at
/// a place, and may write to what room is not needed.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "it is the body of each kernel")]
pub(crate) fn fill<Seen: Copy>(
    classes: &Classes,
    bytes: &[u8],
    from: usize,
    base: u64,
    records: &mut [Compact],
    nesting: &mut Nesting,
    masks: impl Fn(&[u8; BLOCK]) -> (Masks, Seen),
    prefix_xor: impl Fn(u64) -> u64,
    fill_room: impl Fn(Seen, usize, u64, u64, &mut [Compact; BLOCK]),
) -> Index {
    let mut count = 0;
    let mut at = from;
    // The lexeme that goes on into the block: where it starts, and its kind.
    let mut pending = false;
    let (mut start, mut kind) = (from, 0);
    // Whether that is an atom (one bit), or a string (all bits).
    let mut in_atom = 0;
    let mut in_string = 0;
    let mut tail = [0; BLOCK];
    while let Some(room) = records.get_mut(count..).and_then(|records| records.first_chunk_mut::<ROOM>()) {
        let rest = bytes.get(at..).unwrap_or_default();
        let (block, beyond) = match rest.first_chunk::<BLOCK>() {
            Some(block) => (block, 0),
            None => {
                tail[..rest.len()].copy_from_slice(rest);
                (&tail, !0 << rest.len())
            }
        };
        let (found, seen) = masks(block);
        // From an opening quote to before the closing one.
        let string = prefix_xor(found.quote) ^ in_string;
        let outside = !(string | found.quote);
        // What is beyond the end could go on with an atom.
        let atom = found.atom & outside | beyond;
        let first = atom & !(atom << 1 | in_atom);
        let next = rest.get(BLOCK).is_none_or(|&byte| classes.flags[byte as usize] & classes::ATOM != 0);
        let last = atom & !(atom >> 1 | u64::from(next) << 63);
        let stop = found.stop & outside | found.stop_first & first | found.stop_in_string & string & !found.quote | beyond;
        let mut valid = if stop == 0 { !0 } else { below(stop.trailing_zeros()) };
        let (open, close) = (found.open & outside, found.close & outside);
        if let Some(bit) = nest(nesting, open & valid, close & valid, base + at as u64) {
            valid = below(bit);
        }
        let starts = (first | open | close | found.quote & string) & valid;
        let mut ends = (last | open | close | found.quote & !string) & valid;

        // What is pending ends at the first end.
        let carried = usize::from(pending && ends != 0);
        room[0] = Compact::new(start, (at + ends.trailing_zeros() as usize + 1).wrapping_sub(start), kind);
        if carried == 1 {
            ends &= ends - 1;
        }
        if let Some(room) = room[carried..].first_chunk_mut::<BLOCK>() {
            fill_room(seen, at, starts, ends, room);
        }
        let whole = ends.count_ones();
        count += carried + whole as usize;
        if starts.count_ones() > whole {
            let bit = 63 - starts.leading_zeros() as usize;
            (pending, start, kind) = (true, at + bit, classes.kinds[block[bit % BLOCK] as usize]);
        } else if carried == 1 {
            pending = false;
        }
        if valid != !0 {
            at += valid.trailing_ones() as usize;
            break;
        }
        in_atom = atom >> 63;
        in_string = ((string as i64) >> 63) as u64;
        at += BLOCK;
        if pending && at - start > LONGEST - BLOCK {
            break;
        }
    }
    Index { count, end: if pending { start } else { at } }
}

/// Opens and closes the lists of a block. Comes to the bit of a delimiter that must not be passed: one that closes nothing, or opens too much.
#[inline(always)]
fn nest(nesting: &mut Nesting, open: u64, close: u64, offset: u64) -> Option<u32> {
    let (opens, closes) = (u64::from(open.count_ones()), u64::from(close.count_ones()));
    let depth = nesting.depth;
    if closes > depth || opens > nesting.limit - depth {
        return nest_one_by_one(nesting, open, close, offset);
    }
    let mut level = depth;
    let mut rest = open;
    while rest != 0 {
        let bit = rest.trailing_zeros();
        let closed = u64::from((close & below(bit)).count_ones());
        nesting.opened[(level - closed).min(REMEMBERED as u64) as usize] = offset + u64::from(bit);
        level += 1;
        rest &= rest - 1;
    }
    nesting.depth = depth + opens - closes;
    None
}

#[inline(never)]
fn nest_one_by_one(nesting: &mut Nesting, open: u64, close: u64, offset: u64) -> Option<u32> {
    let mut rest = open | close;
    while rest != 0 {
        let bit = rest.trailing_zeros();
        if open >> bit & 1 == 1 {
            if nesting.depth >= nesting.limit {
                return Some(bit);
            }
            nesting.open(offset + u64::from(bit));
        } else {
            if nesting.depth == 0 {
                return Some(bit);
            }
            nesting.close();
        }
        rest &= rest - 1;
    }
    None
}

/// Makes records one by one, in groups of eight: what is too much of the last group is written over later.
#[inline(always)]
pub(crate) fn records_one_by_one(
    classes: &Classes,
    block: &[u8; BLOCK],
    at: usize,
    mut starts: u64,
    mut ends: u64,
    room: &mut [Compact; BLOCK],
) {
    let whole = ends.count_ones() as usize;
    for eight in &mut room.as_chunks_mut::<8>().0[..whole.div_ceil(8)] {
        for record in eight {
            let (start, end) = (starts.trailing_zeros() as usize, ends.trailing_zeros() as usize);
            let kind = classes.kinds[block[start % BLOCK] as usize];
            *record = Compact::new(at + start, (end + 1).wrapping_sub(start), kind);
            starts &= starts.wrapping_sub(1);
            ends &= ends.wrapping_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::scan::Kernel;
    use crate::syntax::Syntax;
    use std::vec::Vec;

    /// What the index is to find, a byte at a time.
    fn naive(classes: &Classes, bytes: &[u8], from: usize, limit: u64) -> (Vec<(usize, usize, Kind)>, usize, u64) {
        let flag = |at: usize| classes.flags[bytes[at] as usize];
        let mut found = Vec::new();
        let (mut at, mut depth) = (from, 0);
        while at < bytes.len() {
            let begin = at;
            let own = flag(at);
            let kind = if own & classes::ATOM != 0 {
                if own & classes::STOP_FIRST != 0 {
                    break;
                }
                while at < bytes.len() && flag(at) & (classes::ATOM | classes::STOP) == classes::ATOM {
                    at += 1;
                }
                if at == bytes.len() || flag(at) & classes::ATOM != 0 {
                    at = begin;
                    break;
                }
                Kind::Bare
            } else if own & classes::OPEN != 0 && depth < limit {
                depth += 1;
                at += 1;
                Kind::Open
            } else if own & classes::CLOSE != 0 && depth > 0 {
                depth -= 1;
                at += 1;
                Kind::Close
            } else if own & classes::QUOTE != 0 {
                at += 1;
                while at < bytes.len() && flag(at) & (classes::QUOTE | classes::STOP_IN_STRING) == 0 {
                    at += 1;
                }
                if at == bytes.len() || flag(at) & classes::QUOTE == 0 {
                    at = begin;
                    break;
                }
                at += 1;
                Kind::String
            } else if own & (classes::STOP | classes::OPEN | classes::CLOSE) == 0 {
                at += 1;
                continue;
            } else {
                break;
            };
            found.push((begin, at, kind));
        }
        (found, at, depth)
    }

    /// Bytes that are mostly plain, from a small generator.
    fn some_bytes(seed: u64, length: usize) -> Vec<u8> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let common = b"ab cd(ef)gh \"ij\" k";
        let rare = b";#|\\\r\x00\x7f\xff'[]{}0:\t\n";
        let rarity = [4, 40, 400, 4000][seed as usize % 4];
        (0..length)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let pick = (state >> 20) as usize;
                if pick % rarity == 0 { rare[pick / rarity % rare.len()] } else { common[pick / rarity % common.len()] }
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
                        let (expected, end, depth) = naive(&syntax.classes, &bytes, from, limit);
                        for kernel in Kernel::available() {
                            let mut records = [Compact::default(); 512];
                            let mut nesting = Nesting::new(Some(limit));
                            let found = kernel.index(&syntax.classes, &bytes, from, 0, &mut records, &mut nesting);
                            let got: Vec<_> =
                                records[..found.count].iter().map(|record| (record.start(), record.end(), record.kind())).collect();
                            let context = std::format!("{kernel:?} {} from {from}: {:?}", syntax.name, bytes.escape_ascii().to_string());
                            assert_eq!(got, expected, "{context}");
                            assert_eq!((found.end, nesting.depth), (end, depth), "{context}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn all_kernels_see_the_same_bits_of_every_byte() {
        for syntax in Syntax::ALL {
            for byte in 0..=255 {
                let mut bytes = std::vec![b' '; 130];
                bytes[1] = byte;
                bytes[70] = byte;
                let found = Kernel::available().map(|kernel| {
                    let mut records = [Compact::default(); 256];
                    let mut nesting = Nesting::new(None);
                    let found = kernel.index(&syntax.classes, &bytes, 0, 0, &mut records, &mut nesting);
                    (found, records[..found.count].to_vec(), nesting.opened)
                });
                let found: Vec<_> = found.collect();
                assert!(
                    found.iter().all(|one| one.0 == found[0].0 && one.1 == found[0].1 && one.2 == found[0].2),
                    "{} {byte:#x}",
                    syntax.name
                );
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
                let mut records = [Compact::default(); 70];
                let found = kernel.index(&Syntax::SEXPLIB.classes, &bytes, at, 0, &mut records, &mut nesting);
                if found.count == 0 {
                    break;
                }
                total += found.count;
                at = found.end;
            }
            assert_eq!((at, total, nesting.depth), (1000, 500, 0), "{kernel:?}");
        }
    }
}
