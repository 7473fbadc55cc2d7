//! Short lexemes, with room in the window: nine in ten, and so the ones that decide how fast it goes.
//!
//! All kinds and lengths take the same way: what comes next cannot be foretold, so a branch on it would cost more than all the rest. The
//! bytes are copied before it is known whether they may be written like that. If not, nothing is counted as written, and the lexeme is left
//! to [`write_at_once`](Machine::write_at_once), which may leave it to the [machine](super::machine).

use super::between::Last;
use super::machine::Machine;
use super::spelling::Speller;
use crate::lexeme::Kind;
use crate::scan::Kernel;

/// How a short lexeme is written: see [`Machine::write_short`].
type WriteShort = unsafe fn(&mut Machine, Kind, &[u8], &mut [u8]) -> usize;

/// What is known about short lexemes before they come. They are of the first four kinds; the tables go by the number of the kind.
#[derive(Clone)]
#[cfg_attr(not(all(target_arch = "x86_64", has_avx512)), allow(dead_code, reason = "strings are short with AVX-512 only"))]
pub(super) struct Short {
    write: WriteShort,
    /// The most bytes a lexeme of each kind may have for it, at any time and now.
    longest: [u8; Kind::ALL.len()],
    most: [u8; Kind::ALL.len()],
    /// No list may be closed to a depth below that.
    pub(super) floor: i64,
    deeper: [i8; 4],
    becomes: [Last; 4],
    /// What is written before a lexeme, if anything is: a space, or the opening quote.
    before: [u8; 4],
    /// How many quotes are written behind it, and which.
    closes: [u8; 4],
    close: u8,
}

impl Short {
    /// For a layout in which `floor` is the depth that is reached without more than a delimiter.
    pub(super) fn new(speller: &Speller, floor: i64, kernel: Kernel) -> Short {
        let (write, bare, string): (WriteShort, u8, u8) = match kernel {
            #[cfg(all(target_arch = "x86_64", has_avx512))]
            Kernel::Avx512 if speller.first == speller.inside => (Machine::write_short_wide::<false>, 32, 32),
            #[cfg(all(target_arch = "x86_64", has_avx512))]
            Kernel::Avx512 => (Machine::write_short_wide::<true>, 32, 32),
            _ => (Machine::write_short_narrow, 5, 0),
        };
        let (open, close) = speller.quotes_all.map_or((0, 0), |quote| (quote.open, quote.close));
        Short {
            write,
            longest: [1, 1, bare, string, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            most: [0; Kind::ALL.len()],
            floor,
            deeper: [1, -1, 0, 0],
            becomes: [Last::Open, Last::Whole, Last::Bare, Last::Whole],
            before: [b' ', b' ', b' ', open],
            closes: [0, 0, 0, 1],
            close,
        }
    }

    /// Whether anything may be written like that.
    #[inline]
    pub(super) fn is_allowed(&self) -> bool {
        self.most[Kind::Open as usize] > 0
    }

    /// Says whether anything may be written like that.
    pub(super) fn allow(&mut self, allowed: bool) {
        self.most = if allowed { self.longest } else { [0; Kind::ALL.len()] };
    }
}

impl Machine {
    /// Writes a lexeme that is short, or can be written at once, if nothing about it needs a closer look; how many bytes that took, or none.
    ///
    /// A short one that is refused is not tried otherwise here: what was handed over would have to be kept until then, and there are not
    /// registers enough.
    #[inline]
    #[allow(unsafe_code, reason = "functions for certain processors can only be called where those were detected")]
    pub(super) fn write_short(&mut self, kind: Kind, bytes: &[u8], window: &mut [u8]) -> usize {
        // SAFETY: a function that needs something of the processor was only chosen for a kernel that needs as much.
        unsafe { (self.short.write)(self, kind, bytes, window) }
    }

    /// Delimiters, and bare atoms of at most five bytes.
    ///
    /// Five places are looked at and written, of which some are the same where the lexeme is shorter.
    fn write_short_narrow(&mut self, kind: Kind, bytes: &[u8], window: &mut [u8]) -> usize {
        let len = bytes.len();
        let Some(room) = window.first_chunk_mut::<6>() else { return 0 };
        if len.wrapping_sub(1) >= 5 || len > usize::from(self.short.most[kind as usize]) {
            return self.write_at_once(kind, bytes, window);
        }
        let before = self.last.is_followed_by_one_before(kind);
        room[0] = b' ';
        let room = &mut room[before..][..5];
        let Speller { first, inside, .. } = &self.speller;
        room[0] = bytes[0];
        let mut good = first[bytes[0] as usize];
        for place in [len / 4, len / 2, (len / 2 + len / 4).min(len - 1), len - 1] {
            room[place] = bytes[place];
            good &= inside[bytes[place] as usize];
        }
        if u32::from(good) >> kind as u32 & 1 == 0 || !self.advance(kind as usize & 3) {
            return 0;
        }
        before + len
    }

    /// Delimiters, and bare atoms and strings of at most 32 bytes; `FIRST` where not every byte that may be in them may come first.
    #[cfg(all(target_arch = "x86_64", has_avx512))]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2")]
    fn write_short_wide<const FIRST: bool>(&mut self, kind: Kind, bytes: &[u8], window: &mut [u8]) -> usize {
        let len = bytes.len();
        let Some(room) = window.first_chunk_mut::<64>() else { return 0 };
        if len.wrapping_sub(1) >= usize::from(self.short.most[kind as usize]) {
            return self.write_at_once(kind, bytes, window);
        }
        let number = kind as usize & 3;
        let before = self.last.is_followed_by_one_before(kind);
        room[0] = self.short.before[number];
        let Some(part) = room[before..].first_chunk_mut() else { return 0 };
        if !crate::scan::copy_of_set(&self.speller.sets[number], bytes, part)
            || FIRST && u32::from(self.speller.first[bytes[0] as usize]) >> kind as u32 & 1 == 0
            || !self.advance(number)
        {
            return 0;
        }
        // What the length is known to be here, the compiler does not know.
        room[(before + len) % 64] = self.short.close;
        before + len + usize::from(self.short.closes[number])
    }

    /// Notes that a lexeme of the kind with that number is written, unless it closes a list whose end takes more than the delimiter.
    #[inline]
    fn advance(&mut self, number: usize) -> bool {
        let depth = self.depth as i64 + i64::from(self.short.deeper[number]);
        if depth < self.short.floor {
            return false;
        }
        self.depth = depth as u64;
        self.last = self.short.becomes[number];
        true
    }
}

impl Last {
    /// How many bytes are written before a lexeme of the first four kinds: one or none.
    #[inline]
    fn is_followed_by_one_before(self, kind: Kind) -> usize {
        (self as u32 >> kind as u32 & 1) as usize
    }
}
