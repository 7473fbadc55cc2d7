//! What the bytes of a syntax mean to a scanner: one set of flags for each byte, in the forms the kernels want them.

use crate::lexeme::Kind;

/// The byte goes on with a bare atom.
pub(crate) const ATOM: u8 = 1 << 0;
/// The byte starts a list, and ends an atom.
pub(crate) const OPEN: u8 = 1 << 1;
/// The byte ends a list, and ends an atom.
pub(crate) const CLOSE: u8 = 1 << 2;
/// The byte starts a string between lexemes and ends it inside.
pub(crate) const QUOTE: u8 = 1 << 3;
/// Outside strings the byte needs the machine.
pub(crate) const STOP: u8 = 1 << 4;
/// As the first byte of an atom the byte needs the machine.
pub(crate) const STOP_FIRST: u8 = 1 << 5;
/// Inside a string the byte needs the machine.
pub(crate) const STOP_IN_STRING: u8 = 1 << 6;

/// How many flags there are.
pub(crate) const FLAGS: usize = 7;

/// The flags of each byte.
#[derive(Clone, Copy)]
pub(crate) struct Classes {
    /// The flags of each byte.
    pub(crate) flags: [u8; 256],
    /// The kind of the lexeme that begins with the byte, if it begins a plain one.
    pub(crate) kinds: [u8; 256],
    /// For each flag and each low half of a byte, one bit for each high half: those of 0 to 7, and those of 8 to 15.
    pub(crate) halves: [[[u8; 16]; 2]; FLAGS],
    /// For each flag the runs of bytes that have it, from and to, as far as there are not more.
    pub(crate) ranges: [Ranges; FLAGS],
    /// Whether runs of plain lexemes are to be expected at all.
    pub(crate) indexable: bool,
}

/// Up to eight runs of bytes.
#[derive(Clone, Copy)]
pub(crate) struct Ranges {
    /// How many there are; more than eight if they are too many.
    pub(crate) count: usize,
    /// The first and the last byte of each.
    pub(crate) bounds: [(u8, u8); 8],
}

impl Classes {
    pub(crate) const fn new(flags: [u8; 256], indexable: bool) -> Self {
        let mut classes = Classes {
            flags,
            kinds: [0; 256],
            halves: [[[0; 16]; 2]; FLAGS],
            ranges: [Ranges { count: 0, bounds: [(0, 0); 8] }; FLAGS],
            indexable,
        };
        let mut byte = 0;
        while byte < 256 {
            let own = flags[byte];
            classes.kinds[byte] = if own & OPEN != 0 {
                Kind::Open as u8
            } else if own & CLOSE != 0 {
                Kind::Close as u8
            } else if own & QUOTE != 0 {
                Kind::String as u8
            } else {
                Kind::Bare as u8
            };
            let mut flag = 0;
            while flag < FLAGS {
                if own >> flag & 1 == 1 {
                    classes.halves[flag][byte >> 7][byte & 15] |= 1 << (byte >> 4 & 7);
                    classes.ranges[flag] = classes.ranges[flag].with(byte as u8);
                }
                flag += 1;
            }
            byte += 1;
        }
        classes
    }

    /// The only byte that has the flag, if it is one.
    pub(crate) fn single(&self, flag: u8) -> Option<u8> {
        let ranges = &self.ranges[flag.trailing_zeros() as usize];
        match ranges.bounds[0] {
            (first, last) if ranges.count == 1 && first == last => Some(first),
            _ => None,
        }
    }
}

impl Ranges {
    /// The same, and a byte greater than all of them.
    const fn with(mut self, byte: u8) -> Self {
        if self.count > 0 && self.count <= 8 && self.bounds[self.count - 1].1 as usize + 1 == byte as usize {
            self.bounds[self.count - 1].1 = byte;
        } else {
            if self.count < 8 {
                self.bounds[self.count] = (byte, byte);
            }
            self.count += 1;
        }
        self
    }
}

impl core::fmt::Debug for Classes {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Classes").field("indexable", &self.indexable).finish_non_exhaustive()
    }
}
