//! Sets of bytes, and a copy that says whether all bytes are in one.
#![allow(unsafe_code, reason = "vectors are loaded from and stored to memory by address")]

use core::arch::x86_64::*;

/// A set of bytes: the byte `b` is in it where bit `b % 8` of place `b / 8` is set.
pub(crate) type Set = [u8; 32];

/// Copies at most 32 bytes; whether all of them are in the set.
///
/// The bytes behind them in `room` are changed as well.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2")]
#[allow(clippy::incompatible_msrv, reason = "the build script leaves this out where the compiler does not have it")]
#[inline]
pub(crate) fn copy_of_set(set: &Set, bytes: &[u8], room: &mut [u8; 32]) -> bool {
    debug_assert!(bytes.len() <= 32);
    let mask = _bzhi_u32(u32::MAX, bytes.len() as u32);
    // SAFETY: only the bytes whose bit is set in the mask are read: as many as there are, or 32, or none.
    let part = unsafe { _mm256_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) };
    // SAFETY: 32 bytes are written to an array of 32.
    unsafe { _mm256_storeu_si256(room.as_mut_ptr().cast(), part) };
    // SAFETY: 32 bytes are read from an array of 32.
    let set = unsafe { _mm256_loadu_si256(set.as_ptr().cast()) };
    let places = _mm256_set1_epi64x(i64::from_le_bytes([1, 2, 4, 8, 16, 32, 64, 128]));
    // Of the number of a place in a table, the upper three bits are not looked at.
    let found = _mm256_permutexvar_epi8(_mm256_srli_epi16::<3>(part), set);
    let bits = _mm256_permutexvar_epi8(part, places);
    _mm256_mask_testn_epi8_mask(mask, found, bits) == 0
}
