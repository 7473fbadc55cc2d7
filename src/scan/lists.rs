//! Opens and closes the lists of a block of bytes, by the bits of its delimiters: counted where it can be, and compared where brackets must match.

use super::BLOCK;
use super::classes::{Classes, pair_of};
use super::index::{Plain, Queued};
use crate::lexeme::Kind;
use crate::nesting::{Brackets, Nesting, REMEMBERED};

/// The lists that are open.
pub(crate) struct Lists<'l> {
    pub(crate) nesting: &'l mut Nesting,
    pub(crate) brackets: &'l mut Brackets,
}

/// Opens and closes the lists of a block, but for the places, which [`note_places`] puts down. Comes to the bit of a delimiter that must not be
/// passed: one that closes nothing, or opens too much.
#[inline(always)]
pub(super) fn nest(nesting: &mut Nesting, open: u64, close: u64, offset: u64) -> Option<u32> {
    let (opens, closes) = (u64::from(open.count_ones()), u64::from(close.count_ones()));
    let depth = nesting.depth;
    if closes > depth && closes_too_many(depth, open, close) || opens > nesting.limit - depth {
        return nest_one_by_one(nesting, open, close, offset);
    }
    nesting.depth = depth + opens - closes;
    None
}

/// Puts down where the lists of a run of plain lexemes were opened, the first of which stands at the depth `level`; whether no more lists are
/// closed than are open. It is done for a whole run, where most of them are closed again: how many lists a block opens cannot be
/// foretold, and a wrong guess costs more than all else that is done for a block. `delimiters` has the bits of those lexemes that open
/// and close lists.
#[inline(always)]
pub(super) fn note_places(
    plain: &Plain,
    nesting: &mut Nesting,
    mut level: u64,
    base: u64,
    delimiters: impl Fn(&[u8; BLOCK]) -> [u64; 2],
) -> bool {
    let mut left = plain.count();
    // The depth is lowest before a list is opened, or at the end. The highest bit shows whether it is ever below nothing.
    let mut lowest = 0;
    for (starts, kinds) in plain.groups() {
        if left == 0 {
            break;
        }
        let known = if left < BLOCK { !(!0 << left) } else { !0 };
        left = left.saturating_sub(BLOCK);
        let [open, close] = delimiters(kinds).map(|bits| bits & known);
        let (opens, closes) = (u64::from(open.count_ones()), u64::from(close.count_ones()));
        let after = level.wrapping_add(opens).wrapping_sub(closes);
        // Places of lists that are deeper are not remembered.
        if level < REMEMBERED as u64 + closes {
            let mut rest = open;
            while rest != 0 {
                let closed = u64::from((close & rest.wrapping_sub(1) & !rest).count_ones());
                let start = starts[rest.trailing_zeros() as usize % BLOCK];
                let before = level.wrapping_sub(closed);
                lowest |= before;
                nesting.opened[before.min(REMEMBERED as u64) as usize] = base + u64::from(start);
                level = level.wrapping_add(1);
                rest &= rest - 1;
            }
            lowest |= after;
        }
        level = after;
    }
    lowest >> 63 == 0
}

/// Opens and closes the lists of a run of plain lexemes one by one. Comes to the number of the lexeme that must not be passed, if there is one.
#[cold]
#[inline(never)]
pub(super) fn nest_run(plain: &Plain, nesting: &mut Nesting, base: u64) -> Option<usize> {
    (0..plain.count()).find(|&number| {
        let Some(Queued { kind, start, .. }) = plain.get(number) else { return false };
        match kind {
            Kind::Open if nesting.depth >= nesting.limit => return true,
            Kind::Open => nesting.open(base + start as u64),
            Kind::Close if nesting.depth == 0 => return true,
            Kind::Close => nesting.close(),
            _ => {}
        }
        false
    })
}

/// Whether more is closed in a block than is open.
#[inline(never)]
fn closes_too_many(depth: u64, open: u64, close: u64) -> bool {
    // The depth is lowest before one is opened, or at the end. The highest bit shows whether it is ever below nothing.
    let mut level = depth;
    let mut rest = open;
    let mut lowest = 0;
    while rest != 0 {
        lowest |= level.wrapping_sub(u64::from((close & (rest - 1) & !rest).count_ones()));
        level += 1;
        rest &= rest - 1;
    }
    (lowest | level.wrapping_sub(u64::from(close.count_ones()))) >> 63 == 1
}

/// As [`nest`], where brackets must match. Of the bits the third are those that are not of the first pair.
#[inline(always)]
pub(super) fn nest_pairs(
    nesting: &mut Nesting,
    brackets: &mut Brackets,
    classes: &Classes,
    block: &[u8; BLOCK],
    [open, close, other]: [u64; 3],
    offset: u64,
) -> Option<u32> {
    // Nothing is to be compared where all that is closed is known to be of the first pair.
    if other == 0 && (brackets.bound == 0 || nesting.depth >= brackets.bound + u64::from(close.count_ones())) {
        return nest(nesting, open, close, offset);
    }
    if let Some(word) = match_pairs(nesting, brackets, classes, block, [open, close]) {
        brackets.set_outermost(word);
        return nest(nesting, open, close, offset);
    }
    nest_pairs_one_by_one(nesting, brackets, classes, block, [open, close], offset)
}

/// What is [outermost](Brackets::outermost) after the delimiters of a block, if all match, and no more lists are open than that can tell of. There
/// is no branch for what is opened or closed, which cannot be foretold.
#[inline(never)]
fn match_pairs(nesting: &Nesting, brackets: &Brackets, classes: &Classes, block: &[u8; BLOCK], [open, close]: [u64; 2]) -> Option<u64> {
    let opens = u64::from(open.count_ones());
    if nesting.depth + opens > Brackets::EACH || opens > nesting.limit - nesting.depth {
        return None;
    }
    let mut word = brackets.outermost();
    let mut level = nesting.depth;
    let (mut differs, mut lowest) = (0, 0);
    let mut rest = open | close;
    while rest != 0 {
        let bit = rest.trailing_zeros();
        let pair = u64::from(pair_of(classes.kinds[block[bit as usize] as usize]));
        let closes = close >> bit & 1;
        let closing = closes.wrapping_neg();
        level = level.wrapping_sub(closes);
        // The highest bit shows whether it was ever below nothing.
        lowest |= level;
        let shift = level << 1 & 63;
        differs |= (word >> shift & 3 ^ pair) & closing;
        word = word & !(3 << shift) | (pair & !closing) << shift;
        level = level.wrapping_add(1 - closes);
        rest &= rest - 1;
    }
    (differs == 0 && lowest >> 63 == 0).then_some(word)
}

/// Whether more lists are open at once in a block than may be.
#[cold]
#[inline(never)]
pub(super) fn opens_too_many(depth: u64, open: u64, close: u64, limit: u64) -> bool {
    let mut level = depth;
    let mut rest = open | close;
    while rest != 0 {
        if open & rest & rest.wrapping_neg() == 0 {
            level = level.saturating_sub(1);
        } else if level >= limit {
            return true;
        } else {
            level += 1;
        }
        rest &= rest - 1;
    }
    false
}

#[cold]
#[inline(never)]
fn nest_pairs_one_by_one(
    nesting: &mut Nesting,
    brackets: &mut Brackets,
    classes: &Classes,
    block: &[u8; BLOCK],
    [open, close]: [u64; 2],
    offset: u64,
) -> Option<u32> {
    let mut rest = open | close;
    while rest != 0 {
        let bit = rest.trailing_zeros();
        let pair = pair_of(classes.kinds[block[bit as usize] as usize]);
        if open >> bit & 1 == 1 {
            if nesting.depth >= nesting.limit {
                return Some(bit);
            }
            brackets.open(nesting.depth, pair);
            nesting.open(offset + u64::from(bit));
        } else {
            if nesting.depth == 0 || brackets.kind(nesting.depth - 1) != pair {
                return Some(bit);
            }
            nesting.close();
            brackets.close(nesting.depth);
        }
        rest &= rest - 1;
    }
    None
}

#[cold]
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
