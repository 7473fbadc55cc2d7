//! The kernels for x86-64. What they need of the processor was found to be there before they are called.
#![allow(unsafe_code, reason = "vectors are loaded from and stored to memory by address")]

use super::BLOCK;
#[cfg(has_avx512)]
use super::classes;
use super::classes::{CLOSE, Classes, FLAGS, MARKS, OPEN, QUOTE};
use super::index::{self, Compact, Masks, Plain, Room, Stretch};
use super::lists::{self, Lists};
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

/// So many flags are enough, but where there are marks.
const FEWER: usize = FLAGS - 1;

/// SSE2 belongs to every x86-64. It has no table look-up: a flag is a few comparisons with the ends of runs of bytes.
#[target_feature(enable = "sse2")]
pub(super) fn index_sse2<const EFFORT: u8>(stretch: Stretch<'_>, plain: &mut Plain, lists: Lists<'_>) -> usize {
    let classes = stretch.classes;
    if classes.ranges.iter().any(|ranges| ranges.count > 8) {
        return portable::index::<EFFORT>(stretch, plain, lists);
    }
    let masks = |block: &[u8; BLOCK]| (masks_sse2(classes, block), *block);
    let put_starts = |block, at, bits, room: &mut _, kinds: &mut _| index::put_starts_one_by_one(classes, &block, at, bits, room, kinds);
    let put_ends = |at, bits, room: &mut _| index::put_one_by_one(at, bits, room);
    let at = index::fill::<EFFORT, _>(stretch, plain, lists, masks, portable::prefix_xor, put_starts, put_ends);
    plain.strip_quotes();
    at
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
pub(super) fn index_avx2<const EFFORT: u8>(stretch: Stretch<'_>, plain: &mut Plain, lists: Lists<'_>) -> usize {
    let classes = stretch.classes;
    match (classes.single(OPEN), classes.single(CLOSE), classes.single(QUOTE)) {
        (Some(open), Some(close), Some(quote)) if EFFORT == MARKS => {
            index_avx2_with::<EFFORT, FLAGS, true>([open, close, quote], stretch, plain, lists)
        }
        (Some(open), Some(close), Some(quote)) => index_avx2_with::<EFFORT, FEWER, true>([open, close, quote], stretch, plain, lists),
        _ if EFFORT == MARKS => index_avx2_with::<EFFORT, FLAGS, false>([0; 3], stretch, plain, lists),
        _ => index_avx2_with::<EFFORT, FEWER, false>([0; 3], stretch, plain, lists),
    }
}

/// List delimiters and quotes are mostly `SINGLE` bytes, which are found by comparison. Only the first `COUNT` flags are looked at.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
#[inline]
fn index_avx2_with<const EFFORT: u8, const COUNT: usize, const SINGLE: bool>(
    singles: [u8; 3],
    stretch: Stretch<'_>,
    plain: &mut Plain,
    lists: Lists<'_>,
) -> usize {
    let classes = stretch.classes;
    // SAFETY: 16 bytes are read from an array of 16.
    let table = |bytes: &[u8; 16]| _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) });
    let halves: [_; COUNT] = core::array::from_fn(|flag| classes.halves[flag].map(|half| table(&half)));
    let places = table(&[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
    let [open, close, quote] = singles;
    let singles = [_mm256_set1_epi8(open as i8), _mm256_set1_epi8(close as i8), _mm256_set1_epi8(quote as i8)];
    let masks = |block: &[u8; BLOCK]| {
        let mut bits = [0; COUNT];
        for (i, part) in block.as_chunks::<32>().0.iter().enumerate() {
            // SAFETY: 32 bytes are read from an array of 32.
            let part = unsafe { _mm256_loadu_si256(part.as_ptr().cast()) };
            let low = _mm256_and_si256(part, _mm256_set1_epi8(0x8fu8 as i8));
            let other = _mm256_xor_si256(low, _mm256_set1_epi8(0x80u8 as i8));
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(part), _mm256_set1_epi8(0x0f));
            let place = _mm256_shuffle_epi8(places, high);
            for (flag, ([below, above], bits)) in halves.iter().zip(&mut bits).enumerate() {
                if SINGLE && (1..=3).contains(&flag) {
                    let has = _mm256_cmpeq_epi8(part, singles[flag - 1]);
                    *bits |= u64::from(_mm256_movemask_epi8(has) as u32) << (32 * i);
                    continue;
                }
                // A byte whose highest bit is set finds nothing in the lower table, and the other way round.
                let row = _mm256_or_si256(_mm256_shuffle_epi8(*below, low), _mm256_shuffle_epi8(*above, other));
                let has = _mm256_cmpeq_epi8(_mm256_and_si256(row, place), place);
                *bits |= u64::from(_mm256_movemask_epi8(has) as u32) << (32 * i);
            }
        }
        let found = Masks::new(core::array::from_fn(|flag| if flag < COUNT { bits[flag] } else { 0 }));
        (found, found)
    };
    // The places of the bits of each byte of the mask come out of a table, eight at once: what is too much is written over.
    let put = |at: u32, bits: u64, room: Room<'_, u32>| {
        let mut count = 0;
        for i in 0..8 {
            let byte = bits >> (8 * i) & 0xff;
            if let Some(eight) = room.get_mut(count..count + 8) {
                let at = _mm256_set1_epi32((at + 8 * i) as i32);
                // SAFETY: eight bytes are read from an array of eight, and 32 bytes are written to eight numbers of four bytes.
                unsafe {
                    let places = _mm_loadl_epi64(PLACES[byte as usize].as_ptr().cast());
                    _mm256_storeu_si256(eight.as_mut_ptr().cast(), _mm256_add_epi32(_mm256_cvtepu8_epi32(places), at));
                }
            }
            count += byte.count_ones() as usize;
        }
    };
    let put_starts = |found: Masks, at: u32, bits: u64, room: Room<'_, u32>, kinds: Room<'_, u8>| {
        put(at, bits, room);
        // The masks' bits at the starts, packed, are spread over bytes again: each kind's number is that of a bare atom, and what differs.
        let (open, close, quote) = (_pext_u64(found.open, bits), _pext_u64(found.close, bits), _pext_u64(found.quote, bits));
        let rounds = (bits.count_ones() as usize).div_ceil(8);
        for (i, eight) in kinds.as_chunks_mut::<8>().0.iter_mut().enumerate().take(rounds) {
            const SPREAD: u64 = 0x0101_0101_0101_0101;
            let open = _pdep_u64(open >> (8 * i), SPREAD);
            let close = _pdep_u64(close >> (8 * i), SPREAD);
            let quote = _pdep_u64(quote >> (8 * i), SPREAD);
            let mut eight_kinds = SPREAD * Kind::Bare as u64;
            if EFFORT == MARKS {
                // Here a prefix has both bits of list delimiters; other brackets are put right later.
                eight_kinds += (open & close) * (Kind::Prefix as u64 + Kind::Bare as u64 - Kind::Open as u64 - Kind::Close as u64);
            }
            eight_kinds = eight_kinds - open * (Kind::Bare as u64 - Kind::Open as u64) - close * (Kind::Bare as u64 - Kind::Close as u64)
                + quote * (Kind::String as u64 - Kind::Bare as u64);
            // SAFETY: eight bytes are written to an array of eight.
            unsafe { eight.as_mut_ptr().cast::<u64>().write_unaligned(eight_kinds) }
        }
    };
    let put_ends = |at: u32, bits: u64, room: Room<'_, u32>| put(at, bits, room);
    let at = index::fill::<EFFORT, _>(stretch, plain, lists, masks, |bits| prefix_xor(bits), put_starts, put_ends);
    plain.strip_quotes();
    at
}

/// For each byte the places of its bits, packed to the front.
const PLACES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

#[target_feature(enable = "avx2")]
pub(super) fn pack_avx2(starts: &[u32], ends: &[u32], kinds: &[u8], lexemes: &mut [Compact]) -> u32 {
    index::pack(starts, ends, kinds, lexemes)
}

#[cfg(has_avx512)]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn pack_avx512(starts: &[u32], ends: &[u32], kinds: &[u8], lexemes: &mut [Compact]) -> u32 {
    index::pack(starts, ends, kinds, lexemes)
}

/// As [`lists::note_places`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn note_places_avx2(plain: &Plain, nesting: &mut Nesting, depth: u64, base: u64) -> bool {
    lists::note_places(plain, nesting, depth, base, |kinds: &[u8; BLOCK]| {
        let mut bits = [0; 2];
        for (i, part) in kinds.as_chunks::<32>().0.iter().enumerate() {
            // SAFETY: 32 bytes are read from an array of 32.
            let part = unsafe { _mm256_loadu_si256(part.as_ptr().cast()) };
            let part = _mm256_and_si256(part, _mm256_set1_epi8(7));
            for (kind, bits) in [Kind::Open, Kind::Close].into_iter().zip(&mut bits) {
                let has = _mm256_cmpeq_epi8(part, _mm256_set1_epi8(kind as i8));
                *bits |= u64::from(_mm256_movemask_epi8(has) as u32) << (32 * i);
            }
        }
        bits
    })
}

/// As [`lists::note_places`].
#[cfg(has_avx512)]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw")]
#[allow(clippy::incompatible_msrv, reason = "the build script leaves this out where the compiler does not have it")]
pub(super) fn note_places_avx512(plain: &Plain, nesting: &mut Nesting, depth: u64, base: u64) -> bool {
    lists::note_places(plain, nesting, depth, base, |kinds: &[u8; BLOCK]| {
        // SAFETY: 64 bytes are read from an array of 64.
        let kinds = unsafe { _mm512_loadu_si512(kinds.as_ptr().cast()) };
        let kinds = _mm512_and_si512(kinds, _mm512_set1_epi8(7));
        [Kind::Open, Kind::Close].map(|kind| _mm512_cmpeq_epi8_mask(kinds, _mm512_set1_epi8(kind as i8)))
    })
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
#[allow(clippy::incompatible_msrv, reason = "the build script leaves this out where the compiler does not have it")]
pub(super) fn index_avx512<const EFFORT: u8>(stretch: Stretch<'_>, plain: &mut Plain, lists: Lists<'_>) -> usize {
    let classes = stretch.classes;
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
        let (fewer, last) = bits.split_at_mut(FEWER);
        for (flag, bits) in fewer.iter_mut().enumerate() {
            *bits = _mm512_test_epi8_mask(found, _mm512_set1_epi8(1 << flag));
        }
        if EFFORT == MARKS {
            last[0] = _mm512_test_epi8_mask(found, _mm512_set1_epi8(classes::SECOND as i8));
        }
        (Masks::new(bits), found)
    };
    // The kind of a lexeme by the lowest flags of its first byte.
    let mut by_flags = [Kind::Bare as u8; 16];
    by_flags[classes::OPEN as usize] = Kind::Open as u8;
    by_flags[classes::CLOSE as usize] = Kind::Close as u8;
    by_flags[classes::QUOTE as usize] = Kind::String as u8;
    by_flags[(classes::QUOTE | classes::ATOM) as usize] = Kind::String as u8;
    by_flags[classes::PREFIX as usize] = Kind::Prefix as u8;
    // SAFETY: 16 bytes are read from an array of 16.
    let kinds = _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(by_flags.as_ptr().cast()) });
    let mut places = [0; BLOCK];
    for (i, place) in places.iter_mut().enumerate() {
        *place = i as u8;
    }
    let places = load(&places);
    // The places of up to 64 bits that were packed to the front: mostly there are no more than 32.
    let put = |at: u32, bits: u64, room: Room<'_, u32>| {
        let packed = _mm512_maskz_compress_epi8(bits, places);
        let at = _mm512_set1_epi32(at as i32);
        let sixteen = |places: __m128i, room: &mut [u32; 16]| {
            // SAFETY: 64 bytes are written to 16 numbers of four bytes.
            unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), _mm512_add_epi32(_mm512_cvtepu8_epi32(places), at)) }
        };
        let (rooms, _) = room.as_chunks_mut::<16>();
        sixteen(_mm512_castsi512_si128(packed), &mut rooms[0]);
        sixteen(_mm512_extracti32x4_epi32::<1>(packed), &mut rooms[1]);
        if bits.count_ones() > 32 {
            sixteen(_mm512_extracti32x4_epi32::<2>(packed), &mut rooms[2]);
            sixteen(_mm512_extracti32x4_epi32::<3>(packed), &mut rooms[3]);
        }
    };
    let put_starts = |found: __m512i, at: u32, bits: u64, room: Room<'_, u32>, kinds_room: Room<'_, u8>| {
        put(at, bits, room);
        let found = _mm512_shuffle_epi8(kinds, _mm512_and_si512(found, _mm512_set1_epi8(0x0f)));
        // SAFETY: 64 bytes are written to an array of 64.
        unsafe { _mm512_storeu_si512(kinds_room.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(bits, found)) }
    };
    let put_ends = |at: u32, bits: u64, room: Room<'_, u32>| put(at, bits, room);
    let at = index::fill::<EFFORT, _>(stretch, plain, lists, masks, |bits| prefix_xor(bits), put_starts, put_ends);
    plain.strip_quotes();
    at
}
