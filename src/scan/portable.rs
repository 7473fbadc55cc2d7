//! The kernel for any processor: eight bytes are turned into flags by a table, and their flags into bits by a multiplication.

use super::BLOCK;
use super::classes::{Classes, FLAGS};
use super::index::{self, Masks, Plain, Stretch};
use super::lists::Lists;

pub(super) fn index<const EFFORT: u8>(stretch: Stretch<'_>, plain: &mut Plain, lists: Lists<'_>) -> usize {
    let classes = stretch.classes;
    let masks = |block: &[u8; BLOCK]| (masks(classes, block), *block);
    let put_starts = |block, at, bits, room: &mut _, kinds: &mut _| index::put_starts_one_by_one(classes, &block, at, bits, room, kinds);
    let at = index::fill::<EFFORT, _>(stretch, plain, lists, masks, prefix_xor, put_starts, index::put_one_by_one);
    plain.strip_quotes();
    at
}

fn masks(classes: &Classes, block: &[u8; BLOCK]) -> Masks {
    let mut bits = [0; FLAGS];
    for (i, eight) in block.as_chunks::<8>().0.iter().enumerate() {
        let flags = u64::from_le_bytes(eight.map(|byte| classes.flags[byte as usize]));
        for (flag, bits) in bits.iter_mut().enumerate() {
            *bits |= index::gather(flags >> flag & 0x0101_0101_0101_0101) << (8 * i);
        }
    }
    Masks::new(bits)
}

/// Each bit: the sum, modulo 2, of those up to it.
#[inline]
pub(super) fn prefix_xor(bits: u64) -> u64 {
    let bits = bits ^ bits << 1;
    let bits = bits ^ bits << 2;
    let bits = bits ^ bits << 4;
    let bits = bits ^ bits << 8;
    let bits = bits ^ bits << 16;
    bits ^ bits << 32
}
