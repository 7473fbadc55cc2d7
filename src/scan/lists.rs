//! Opens and closes the lists of a block of bytes, by the bits of its delimiters: counted where it can be, and compared where brackets must match.

use super::BLOCK;
use super::classes::{Classes, MARKS, SIMPLE, pair_of};
use crate::nesting::{Brackets, Nesting, REMEMBERED};

/// The lists that are open.
pub(crate) struct Lists<'l> {
    pub(crate) nesting: &'l mut Nesting,
    pub(crate) brackets: &'l mut Brackets,
}

/// Opens and closes the lists of a block. Comes to the bit of a delimiter that must not be passed: one that closes nothing, or opens too much.
#[inline(always)]
pub(super) fn nest<const EFFORT: u8>(nesting: &mut Nesting, open: u64, close: u64, offset: u64) -> Option<u32> {
    let (opens, closes) = (u64::from(open.count_ones()), u64::from(close.count_ones()));
    let depth = nesting.depth;
    if EFFORT == SIMPLE && closes > depth && closes_too_many(depth, open, close) || opens > nesting.limit - depth {
        return nest_one_by_one(nesting, open, close, offset);
    }
    let after = (depth + opens).wrapping_sub(closes);
    let (mut rest, mut level) = (open, depth);
    // The depth is lowest before one is opened, or at the end. The highest bit shows whether it is ever below nothing.
    let mut lowest = after;
    let mut put = |rest: u64, level: u64| {
        let closed = u64::from((close & rest.wrapping_sub(1) & !rest).count_ones());
        let level = level.wrapping_sub(closed);
        lowest |= level;
        nesting.opened[level.min(REMEMBERED as u64) as usize] = offset + u64::from(rest.trailing_zeros());
    };
    // Mostly there are few, how many cannot be foretold: these are put down without asking. One that is not there goes to a level at the depth
    // of the end or beyond, where nobody looks. Files of other dialects than those that are simple have more lists in a block, and come to
    // their outermost level more often: there it is not asked before, either, whether too many are closed.
    for _ in 0..if EFFORT == SIMPLE { 2 } else { 5 } {
        put(rest, level);
        level += 1;
        rest &= rest.wrapping_sub(1);
    }
    while rest != 0 {
        put(rest, level);
        level += 1;
        rest &= rest - 1;
    }
    if EFFORT != SIMPLE && lowest >> 63 == 1 {
        // No list is open before the one that closes nothing: places that were put down too much do not matter.
        return nest_one_by_one(nesting, open, close, offset);
    }
    nesting.depth = after;
    None
}

/// Whether more is closed in a block than is open.
#[inline(always)]
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
        return nest::<MARKS>(nesting, open, close, offset);
    }
    if let Some(word) = match_pairs(nesting, brackets, classes, block, [open, close]) {
        brackets.set_outermost(word);
        return nest::<MARKS>(nesting, open, close, offset);
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
