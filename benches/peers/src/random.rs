//! Random documents: the very ones that the program of 2012 makes from the same seed.

use md5::{Digest, Md5};
use sexp_codec::{Kind, Lexeme};

/// The generator of OCaml 4's `Random`: an additive one over 55 numbers of 30 bits.
pub struct Random {
    state: [u32; 55],
    index: usize,
}

const BITS_30: u32 = (1 << 30) - 1;

impl Random {
    pub fn new(seed: i64) -> Random {
        let mut state = std::array::from_fn(|i| i as u32);
        let mut accumulator = b"x".to_vec();
        for i in 0..110 {
            accumulator.extend_from_slice(seed.to_string().as_bytes());
            accumulator = Md5::digest(&accumulator).to_vec();
            let word = u32::from_le_bytes([accumulator[0], accumulator[1], accumulator[2], accumulator[3]]);
            let slot: &mut u32 = &mut state[i % 55];
            *slot = (*slot ^ word) & BITS_30;
        }
        Random { state, index: 0 }
    }

    /// 30 random bits.
    fn bits(&mut self) -> u32 {
        self.index = if self.index == 54 { 0 } else { self.index + 1 };
        let other = if self.index < 31 { self.index + 24 } else { self.index - 31 };
        let current = self.state[self.index];
        let bits = self.state[other].wrapping_add(current ^ ((current >> 25) & 31)) & BITS_30;
        self.state[self.index] = bits;
        bits
    }

    /// A number from 0 to `n` - 1, each as likely; `n` is from 1 to 2^30.
    #[inline]
    fn below(&mut self, n: u32) -> u32 {
        loop {
            let bits = self.bits();
            let value = bits % n;
            // What is drawn from the incomplete last group of n would favour small numbers.
            if bits - value <= BITS_30 + 1 - n {
                return value;
            }
        }
    }

    fn coin(&mut self) -> bool {
        self.bits() & 1 == 0
    }
}

/// How large random documents may become. Each is below 2^30.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub depth: u32,
    pub list: u32,
    pub atom: u32,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { depth: 10, list: 50, atom: 5 }
    }
}

/// A sequence of elements that is not finished.
struct Frame {
    /// How many elements are to come.
    left: u32,
    /// How deep each of them may be; 0: an atom.
    depth: u32,
}

/// Random documents, lexeme by lexeme.
///
/// A document is a sequence of elements; an element is an atom or a list; a list holds a sequence of elements of its own, less deep.
pub struct Documents {
    random: Random,
    sizes: Sizes,
    open: Vec<Frame>,
    atom: Vec<u8>,
}

impl Documents {
    pub fn new(seed: i64, sizes: Sizes) -> Documents {
        Documents { random: Random::new(seed), sizes, open: Vec::new(), atom: Vec::new() }
    }

    /// Begins the next document.
    pub fn start(&mut self) {
        self.elements(self.sizes.depth);
    }

    fn elements(&mut self, depth: u32) {
        let left = self.random.below(self.sizes.list + 1);
        self.open.push(Frame { left, depth });
    }

    /// The next lexeme of the document; none at its end.
    #[inline]
    pub fn next(&mut self) -> Option<Lexeme<'_>> {
        let frame = self.open.last_mut()?;
        if frame.left == 0 {
            self.open.pop();
            return if self.open.is_empty() { None } else { Some(Lexeme::close()) };
        }
        frame.left -= 1;
        let depth = frame.depth;
        if depth == 0 || self.random.coin() {
            let length = 1 + self.random.below(self.sizes.atom);
            self.atom.clear();
            self.atom.extend((0..length).map(|_| b'a' + self.random.below(26) as u8));
            return Some(Lexeme::new(Kind::Bare, &self.atom));
        }
        let depth = self.random.below(depth);
        self.elements(depth);
        Some(Lexeme::open())
    }
}
