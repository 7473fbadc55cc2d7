//! Finds the next interesting byte, fast. It knows no dialect: what the bytes mean is handed to it.
//!
//! [`index`] says once how plain lexemes are found in blocks of 64 bytes. What depends on the processor is how a block is turned into bit
//! masks, and how bits are turned into records: that is a kernel. The best one is chosen once, at run time.

pub(crate) mod classes;
mod index;
mod lists;
mod portable;
#[cfg(all(target_arch = "x86_64", has_avx512))]
mod set;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use index::Compact;
#[cfg(all(target_arch = "x86_64", has_avx512))]
pub(crate) use set::copy_of_set;

pub(crate) use index::{Plain, Queued, ROOM, Stretch};
pub(crate) use lists::Lists;

use crate::nesting::Nesting;

/// How many bytes are looked at at once: as many as a word has bits.
pub(crate) const BLOCK: usize = 64;

/// A way to look at a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Words and tables, for any processor.
    Portable,
    /// 16 bytes at once.
    #[cfg(target_arch = "x86_64")]
    Sse2,
    /// 32 bytes at once.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 64 bytes at once.
    #[cfg(all(target_arch = "x86_64", has_avx512))]
    Avx512,
}

impl Kernel {
    /// Those that this processor has, the best one last.
    pub(crate) fn available() -> impl Iterator<Item = Kernel> {
        [
            Some(Kernel::Portable),
            #[cfg(target_arch = "x86_64")]
            Some(Kernel::Sse2),
            #[cfg(target_arch = "x86_64")]
            x86::has_avx2().then_some(Kernel::Avx2),
            #[cfg(all(target_arch = "x86_64", has_avx512))]
            x86::has_avx512().then_some(Kernel::Avx512),
        ]
        .into_iter()
        .flatten()
    }

    /// The best one for this processor.
    pub(crate) fn best() -> Kernel {
        Kernel::available().last().unwrap_or(Kernel::Portable)
    }

    /// Finds the plain lexemes of a stretch, and stops before anything else, or when there is no more room. Comes to where it stopped: nothing is
    /// pending there either.
    #[inline]
    pub(crate) fn index(self, stretch: Stretch<'_>, plain: &mut Plain, Lists { nesting, brackets }: Lists<'_>) -> usize {
        let before = nesting.depth;
        let lists = Lists { nesting: &mut *nesting, brackets };
        let at = match stretch.classes.effort {
            classes::SIMPLE => self.index_with::<{ classes::SIMPLE }>(stretch, plain, lists),
            classes::STRINGS => self.index_with::<{ classes::STRINGS }>(stretch, plain, lists),
            _ => self.index_with::<{ classes::MARKS }>(stretch, plain, lists),
        };
        if nesting.depth != u64::MAX && self.note_places(plain, nesting, before, stretch.base) {
            return at;
        }
        nesting.depth = before;
        lists::nest_run(plain, nesting, stretch.base).map_or(at, |number| plain.cut(number))
    }

    /// Puts down where the lists of plain lexemes were opened, the first of which stands at that depth; whether no more are closed than are open.
    #[inline]
    #[allow(unsafe_code, reason = "functions for certain processors can only be called where those were detected")]
    fn note_places(self, plain: &Plain, nesting: &mut Nesting, depth: u64, base: u64) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is made only by `available`, after the processor was found to have what it needs.
            Kernel::Avx2 => unsafe { x86::note_places_avx2(plain, nesting, depth, base) },
            #[cfg(all(target_arch = "x86_64", has_avx512))]
            // SAFETY: as above.
            Kernel::Avx512 => unsafe { x86::note_places_avx512(plain, nesting, depth, base) },
            _ => lists::note_places(plain, nesting, depth, base, index::delimiters),
        }
    }

    #[inline]
    #[allow(unsafe_code, reason = "functions for certain processors can only be called where those were detected")]
    fn index_with<const EFFORT: u8>(self, stretch: Stretch<'_>, plain: &mut Plain, lists: Lists<'_>) -> usize {
        match self {
            Kernel::Portable => portable::index::<EFFORT>(stretch, plain, lists),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: SSE2 belongs to every x86-64.
            Kernel::Sse2 => unsafe { x86::index_sse2::<EFFORT>(stretch, plain, lists) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is made only by `available`, after the processor was found to have what it needs.
            Kernel::Avx2 => unsafe { x86::index_avx2::<EFFORT>(stretch, plain, lists) },
            #[cfg(all(target_arch = "x86_64", has_avx512))]
            // SAFETY: as above.
            Kernel::Avx512 => unsafe { x86::index_avx512::<EFFORT>(stretch, plain, lists) },
        }
    }

    /// Makes compact lexemes of plain ones, from `head` on, as far as both reach, up to one that is too long for it. Comes to how many.
    #[inline]
    #[allow(unsafe_code, reason = "functions for certain processors can only be called where those were detected")]
    pub(crate) fn pack(self, plain: &Plain, head: usize, lexemes: &mut [Compact]) -> usize {
        plain.pack_by(head, lexemes, |starts, ends, kinds, lexemes| match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is made only by `available`, after the processor was found to have what it needs.
            Kernel::Avx2 => unsafe { x86::pack_avx2(starts, ends, kinds, lexemes) },
            #[cfg(all(target_arch = "x86_64", has_avx512))]
            // SAFETY: as above.
            Kernel::Avx512 => unsafe { x86::pack_avx512(starts, ends, kinds, lexemes) },
            _ => index::pack(starts, ends, kinds, lexemes),
        })
    }
}
