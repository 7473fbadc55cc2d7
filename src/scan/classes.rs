//! What the bytes of a syntax mean to a scanner: one set of flags for each byte, in the forms the kernels want them.

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

/// The flags of each byte.
#[derive(Clone, Copy)]
pub(crate) struct Classes {
    /// The flags of each byte.
    pub(crate) flags: [u8; 256],
    /// Whether runs of plain lexemes are to be expected at all.
    pub(crate) indexable: bool,
}

impl Classes {
    pub(crate) const fn new(flags: [u8; 256], indexable: bool) -> Self {
        Classes { flags, indexable }
    }
}

impl core::fmt::Debug for Classes {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Classes").field("indexable", &self.indexable).finish_non_exhaustive()
    }
}
