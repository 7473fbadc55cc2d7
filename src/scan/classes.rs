//! What the bytes of a syntax mean to a scanner: one set of flags for each byte, in the forms the kernels want them, and what neighbours
//! have to be like.

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
/// Some lexemes that this byte follows directly need the machine.
pub(crate) const SECOND: u8 = 1 << 7;

/// How many flags there are.
pub(crate) const FLAGS: usize = 8;

/// What flags mean together: the byte is a prefix, and ends an atom.
pub(crate) const PREFIX: u8 = OPEN | CLOSE;
/// The byte starts a list of another than the first pair of brackets.
pub(crate) const OTHER_OPEN: u8 = OPEN | QUOTE;
/// The byte ends such a list.
pub(crate) const OTHER_CLOSE: u8 = CLOSE | QUOTE;

/// How much a kernel has to look at: a lexeme is what it is, whatever stands beside it.
pub(crate) const SIMPLE: u8 = 0;
/// What stands beside a string matters.
pub(crate) const STRINGS: u8 = 1;
/// There are prefixes, other brackets and second bytes, too.
pub(crate) const MARKS: u8 = 2;

/// What a lexeme's neighbours have to be like, that it be plain: all bits are set, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside {
    /// A bare atom that a quote follows directly needs the machine.
    pub(crate) quote_after_atom: u64,
    /// A string that a quote follows directly needs the machine.
    pub(crate) quote_after_string: u64,
    /// A string that a bare atom follows directly needs the machine.
    pub(crate) atom_after_string: u64,
    /// The start of a list before a second byte needs the machine.
    pub(crate) second_after_open: u64,
    /// A prefix before such a byte does.
    pub(crate) second_after_prefix: u64,
    /// A bare atom does whose first byte stands before such a byte.
    pub(crate) second_after_first: u64,
}

impl Beside {
    /// It does not matter.
    pub(crate) const NOTHING: Beside = Beside {
        quote_after_atom: 0,
        quote_after_string: 0,
        atom_after_string: 0,
        second_after_open: 0,
        second_after_prefix: 0,
        second_after_first: 0,
    };
}

/// The flags of each byte.
#[derive(Clone, Copy)]
pub(crate) struct Classes {
    /// The flags of each byte.
    pub(crate) flags: [u8; 256],
    /// The number of the lexeme that begins with the byte, if it begins a plain one: its kind and, above that, its pair of brackets.
    pub(crate) kinds: [u8; 256],
    /// For each flag and each low half of a byte, one bit for each high half: those of 0 to 7, and those of 8 to 15.
    pub(crate) halves: [[[u8; 16]; 2]; FLAGS],
    /// For each flag the runs of bytes that have it, from and to, as far as there are not more.
    pub(crate) ranges: [Ranges; FLAGS],
    /// What stands beside lexemes.
    pub(crate) beside: Beside,
    /// How much there is to be looked at: [`SIMPLE`], [`STRINGS`] or [`MARKS`].
    pub(crate) effort: u8,
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

/// The pair of brackets of a lexeme's number.
#[inline]
pub(crate) const fn pair_of(number: u8) -> u8 {
    number >> 4
}

impl Classes {
    /// `pairs` are the pairs of brackets.
    pub(crate) const fn new(flags: [u8; 256], beside: Beside, pairs: &[(u8, u8)], indexable: bool) -> Self {
        let mut classes = Classes {
            flags,
            kinds: [0; 256],
            halves: [[[0; 16]; 2]; FLAGS],
            ranges: [Ranges { count: 0, bounds: [(0, 0); 8] }; FLAGS],
            beside,
            effort: SIMPLE,
            indexable,
        };
        if beside.quote_after_atom | beside.quote_after_string | beside.atom_after_string != 0 {
            classes.effort = STRINGS;
        }
        let mut byte = 0;
        while byte < 256 {
            let own = flags[byte];
            classes.kinds[byte] = match own & (OPEN | CLOSE | QUOTE) {
                PREFIX => Kind::Prefix as u8,
                OPEN | OTHER_OPEN => Kind::Open as u8,
                CLOSE | OTHER_CLOSE => Kind::Close as u8,
                QUOTE => Kind::String as u8,
                _ => Kind::Bare as u8,
            };
            let mut pair = 0;
            while pair < pairs.len() {
                if byte == pairs[pair].0 as usize || byte == pairs[pair].1 as usize {
                    classes.kinds[byte] |= (pair as u8) << 4;
                }
                pair += 1;
            }
            if matches!(own & (OPEN | CLOSE | QUOTE), PREFIX | OTHER_OPEN | OTHER_CLOSE) || own & SECOND != 0 {
                classes.effort = MARKS;
            }
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
