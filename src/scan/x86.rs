//! The kernels for x86-64. What they need of the processor was found to be there before they are called.
#![allow(unsafe_code, reason = "vectors are loaded from and stored to memory by address")]

use super::BLOCK;
use super::classes::{self, Classes, FLAGS};
use super::index::{self, Compact, Index, Masks};
use super::portable;
use crate::lexeme::Kind;
use crate::nesting::Nesting;
use core::arch::x86_64::*;

#[cfg(feature = "std")]
macro_rules! has {
    ($($feature:tt),*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
}
#[cfg(not(feature = "std"))]
macro_rules! has {
    ($($feature:tt),*) => { $(cfg!(target_feature = $feature))&&* };
}

/// Whether the processor has what [`index_avx2`] needs.
pub(super) fn has_avx2() -> bool {
    has!("avx2", "bmi1", "bmi2", "lzcnt", "popcnt", "pclmulqdq")
}

/// Whether the processor has what [`index_avx512`] needs.
#[cfg(has_avx512)]
pub(super) fn has_avx512() -> bool {
    has_avx2() && has!("avx512f", "avx512bw", "avx512vbmi", "avx512vbmi2")
}

/// SSE2 belongs to every x86-64. It has no table look-up: a flag is a few comparisons with the ends of runs of bytes.
#[target_feature(enable = "sse2")]
pub(super) fn index_sse2(classes: &Classes, bytes: &[u8], from: usize, base: u64, records: &mut [Compact], nesting: &mut Nesting) -> Index {
    if classes.ranges.iter().any(|ranges| ranges.count > 8) {
        return portable::index(classes, bytes, from, base, records, nesting);
    }
    let masks = |block: &[u8; BLOCK]| (masks_sse2(classes, block), *block);
    let fill_room = |block, at, starts, ends, room: &mut _| index::records_one_by_one(classes, &block, at, starts, ends, room);
    index::fill(classes, bytes, from, base, records, nesting, masks, portable::prefix_xor, fill_room)
}

/// The bits of the bytes of a block that have each flag.
#[target_feature(enable = "sse2")]
#[inline]
fn masks_sse2(classes: &Classes, block: &[u8; BLOCK]) -> Masks {
    let mut bits = [0; FLAGS];
    for (i, part) in block.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: 16 bytes are read from an array of 16.
        let part = unsafe { _mm_loadu_si128(part.as_ptr().cast()) };
        for (ranges, bits) in classes.ranges.iter().zip(&mut bits) {
            let mut any = _mm_setzero_si128();
            for &(low, high) in &ranges.bounds[..ranges.count.min(8)] {
                let (low, high) = (_mm_set1_epi8(low as i8), _mm_set1_epi8(high as i8));
                let inside = _mm_cmpeq_epi8(_mm_max_epu8(_mm_min_epu8(part, high), low), part);
                any = _mm_or_si128(any, inside);
            }
            *bits |= u64::from(_mm_movemask_epi8(any) as u16) << (16 * i);
        }
    }
    Masks::new(bits)
}

/// AVX2: a byte's flag is a bit that its low half finds in a table, at the place its high half says.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(super) fn index_avx2(classes: &Classes, bytes: &[u8], from: usize, base: u64, records: &mut [Compact], nesting: &mut Nesting) -> Index {
    // SAFETY: 16 bytes are read from an array of 16.
    let table = |bytes: &[u8; 16]| _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) });
    let halves = classes.halves.map(|[low, high]| [table(&low), table(&high)]);
    let places = table(&[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
    let masks = |block: &[u8; BLOCK]| {
        let mut bits = [0; FLAGS];
        for (i, part) in block.as_chunks::<32>().0.iter().enumerate() {
            // SAFETY: 32 bytes are read from an array of 32.
            let part = unsafe { _mm256_loadu_si256(part.as_ptr().cast()) };
            let low = _mm256_and_si256(part, _mm256_set1_epi8(0x8fu8 as i8));
            let other = _mm256_xor_si256(low, _mm256_set1_epi8(0x80u8 as i8));
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(part), _mm256_set1_epi8(0x0f));
            let place = _mm256_shuffle_epi8(places, high);
            for ([below, above], bits) in halves.iter().zip(&mut bits) {
                // A byte whose highest bit is set finds nothing in the lower table, and the other way round.
                let row = _mm256_or_si256(_mm256_shuffle_epi8(*below, low), _mm256_shuffle_epi8(*above, other));
                let has = _mm256_cmpeq_epi8(_mm256_and_si256(row, place), place);
                *bits |= u64::from(_mm256_movemask_epi8(has) as u32) << (32 * i);
            }
        }
        (Masks::new(bits), *block)
    };
    let fill_room = |block, at, starts, ends, room: &mut _| index::records_one_by_one(classes, &block, at, starts, ends, room);
    index::fill(classes, bytes, from, base, records, nesting, masks, |bits| prefix_xor(bits), fill_room)
}

/// Each bit: the sum, modulo 2, of those up to it. A product without carries with all ones.
#[target_feature(enable = "pclmulqdq")]
#[inline]
fn prefix_xor(bits: u64) -> u64 {
    _mm_cvtsi128_si64(_mm_clmulepi64_si128::<0>(_mm_set_epi64x(0, bits as i64), _mm_set1_epi8(-1))) as u64
}

/// AVX-512: the flags of 64 bytes are looked up at once, and the places of the bits that are set are packed at once.
#[cfg(has_avx512)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
#[expect(clippy::incompatible_msrv, reason = "the build script leaves this out where the compiler does not have it")]
pub(super) fn index_avx512(
    classes: &Classes,
    bytes: &[u8],
    from: usize,
    base: u64,
    records: &mut [Compact],
    nesting: &mut Nesting,
) -> Index {
    // SAFETY: 64 bytes are read from an array of 64.
    let load = |bytes: &[u8; BLOCK]| unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    let (flags, _) = classes.flags.as_chunks::<BLOCK>();
    let flags = [load(&flags[0]), load(&flags[1]), load(&flags[2]), load(&flags[3])];
    let look_up = |table: &[__m512i; 4], part: __m512i| {
        let below = _mm512_permutex2var_epi8(table[0], part, table[1]);
        let above = _mm512_permutex2var_epi8(table[2], part, table[3]);
        _mm512_mask_blend_epi8(_mm512_movepi8_mask(part), below, above)
    };
    let masks = |block: &[u8; BLOCK]| {
        let found = look_up(&flags, load(block));
        let mut bits = [0; FLAGS];
        for (flag, bits) in bits.iter_mut().enumerate() {
            *bits = _mm512_test_epi8_mask(found, _mm512_set1_epi8(1 << flag));
        }
        (Masks::new(bits), found)
    };
    // The kind of a lexeme by the lowest flags of its first byte.
    let mut by_flags = [Kind::Bare as u8; 16];
    by_flags[classes::OPEN as usize] = Kind::Open as u8;
    by_flags[classes::CLOSE as usize] = Kind::Close as u8;
    by_flags[classes::QUOTE as usize] = Kind::String as u8;
    // SAFETY: 16 bytes are read from an array of 16.
    let kinds = _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(by_flags.as_ptr().cast()) });
    let mut places = [0; BLOCK];
    for (i, place) in places.iter_mut().enumerate() {
        *place = i as u8;
    }
    let places = load(&places);
    let first = _mm512_set_epi64(
        0x17_0000_0007,
        0x16_0000_0006,
        0x15_0000_0005,
        0x14_0000_0004,
        0x13_0000_0003,
        0x12_0000_0002,
        0x11_0000_0001,
        0x10_0000_0000,
    );
    let second = _mm512_or_si512(first, _mm512_set1_epi32(8));
    let fill_room = |found: __m512i, at: usize, starts: u64, ends: u64, room: &mut [Compact; BLOCK]| {
        let whole = ends.count_ones() as usize;
        let from = _mm512_maskz_compress_epi8(starts, places);
        let to = _mm512_maskz_compress_epi8(ends, places);
        let kind = _mm512_maskz_compress_epi8(starts, _mm512_shuffle_epi8(kinds, _mm512_and_si512(found, _mm512_set1_epi8(0x0f))));
        // The length of a lexeme in a block fits a byte.
        let length = _mm512_sub_epi8(_mm512_add_epi8(to, _mm512_set1_epi8(1)), from);
        let at = _mm512_set1_epi32(at as i32);
        let sixteen = |from: __m128i, kind: __m128i, length: __m128i, room: &mut [Compact; 16]| {
            let start = _mm512_add_epi32(_mm512_cvtepu8_epi32(from), at);
            let rest = _mm512_or_si512(_mm512_cvtepu8_epi32(kind), _mm512_slli_epi32::<8>(_mm512_cvtepu8_epi32(length)));
            let room = room.as_mut_ptr().cast::<__m512i>();
            // SAFETY: 128 bytes are written to 16 records of eight bytes.
            unsafe {
                _mm512_storeu_si512(room, _mm512_permutex2var_epi32(start, first, rest));
                _mm512_storeu_si512(room.add(1), _mm512_permutex2var_epi32(start, second, rest));
            }
        };
        let (rooms, _) = room.as_chunks_mut::<16>();
        sixteen(_mm512_castsi512_si128(from), _mm512_castsi512_si128(kind), _mm512_castsi512_si128(length), &mut rooms[0]);
        if whole > 16 {
            sixteen(
                _mm512_extracti32x4_epi32::<1>(from),
                _mm512_extracti32x4_epi32::<1>(kind),
                _mm512_extracti32x4_epi32::<1>(length),
                &mut rooms[1],
            );
        }
        if whole > 32 {
            sixteen(
                _mm512_extracti32x4_epi32::<2>(from),
                _mm512_extracti32x4_epi32::<2>(kind),
                _mm512_extracti32x4_epi32::<2>(length),
                &mut rooms[2],
            );
            sixteen(
                _mm512_extracti32x4_epi32::<3>(from),
                _mm512_extracti32x4_epi32::<3>(kind),
                _mm512_extracti32x4_epi32::<3>(length),
                &mut rooms[3],
            );
        }
    };
    index::fill(classes, bytes, from, base, records, nesting, masks, |bits| prefix_xor(bits), fill_room)
}
