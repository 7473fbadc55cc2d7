//! Any bytes, in any syntax, with any options, over any cuts: all drivers deliver what the naive decoder delivers and reach the end, and
//! hold no more than the input has.
//!
//! | byte of the data | |
//! |---|---|
//! | 0 | the syntax, by its number among the subjects of the tests |
//! | 1 | bits, from the lowest: comments, a single form, limits on depth, atoms and the input |
//! | 2 | the limits on depth (3 bits) and on atoms (5 bits) |
//! | 3 | the limit on the input; and from which size on atoms come in fragments (5 bits) |
//! | 4 | how often the input is repeated (5 bits), and how often it is cut (3 bits) |
//! | 5… | for each cut, how far behind the last one it is |
//! | … | the input |

use crate::harness::drivers::{self, pull_chunk};
use crate::harness::gather::check_fragments;
use crate::harness::{Event, Subject, check_cuts, check_prompt, cut, decode};
use allocation_counter::measure;
use sexp_codec::Options;
use sexp_codec::nonblocking::{Decode, Decoder};

/// An input that is repeated does not become longer than that.
const LONGEST: usize = 600;

/// So many bytes of an input are also fed one by one.
const SHORT: usize = 64;

struct Case {
    subject: Subject,
    options: Options,
    fragments: usize,
    cuts: Vec<usize>,
    input: Vec<u8>,
}

/// Checks what the data says.
pub fn check(data: &[u8]) {
    let Some(case) = Case::read(data) else { return };
    let Case { subject, options, fragments, cuts, input } = &case;
    let expected = decode(subject.rules, *options, input);
    assert_eq!(expected.iter().filter(|event| **event == Event::End).count(), 1);
    let each_byte: Vec<usize> = (1..input.len().min(SHORT)).collect();
    for cuts in [&[], &cuts[..], &each_byte] {
        check_cuts(*subject, *options, input, cuts, &expected);
        check_fragments(*subject, options.fragments(*fragments), input, cuts, &expected);
    }
    if input.len() <= SHORT / 2 {
        check_prompt(*subject, *options, input);
    }
    case.check_copies(&expected);
    #[cfg(fuzzing)]
    case.check_kernels(&expected);
    case.check_memory();
}

impl Case {
    fn read(data: &[u8]) -> Option<Case> {
        let (&[syntax, bits, limits, total, times], rest) = data.split_first_chunk()?;
        let (distances, input) = rest.split_at_checked(usize::from(times >> 5))?;
        let times = (1 + usize::from(times & 31)).min(LONGEST / input.len().max(1)).max(1);
        let input = input.repeat(times);
        // The rest are for the target `dialects`.
        let subjects: Vec<Subject> = Subject::all().into_iter().filter(Subject::is_exact_about_size).collect();
        let mut options = Options::default().comments(bits & 1 != 0).single(bits & 2 != 0);
        options.depth = (bits & 4 != 0).then_some(u64::from(limits & 7));
        options.atom = (bits & 8 != 0).then_some(u64::from(limits >> 3));
        options.total = (bits & 16 != 0).then_some(u64::from(total));
        let mut at = 0;
        let next = |distance: &u8| {
            at = input.len().min(at + usize::from(*distance));
            at
        };
        let cuts = distances.iter().map(next).collect();
        let subject = subjects[usize::from(syntax) % subjects.len()];
        Some(Case { subject, options, fragments: usize::from(total & 31), cuts, input })
    }

    /// A decoder that is reset forgets everything, and a copy goes on as the original would.
    fn check_copies(&self, expected: &[Event]) {
        let mut decoder = Decoder::with_options(self.subject.syntax, self.options);
        let chunks = cut(&self.input, &self.cuts);
        for finished in [false, true] {
            let mut events = Vec::new();
            pull_chunk(&mut decoder, chunks[0], 0, &mut events);
            if finished {
                drivers::finish(&mut decoder, &mut events);
            }
            decoder.reset();
        }
        let (mut base, mut events) = (0, Vec::new());
        for chunk in chunks {
            decoder = decoder.clone();
            pull_chunk(&mut decoder, chunk, base, &mut events);
            base += chunk.len() as u64;
        }
        drivers::finish(&mut decoder, &mut events);
        assert!(events == expected, "after a reset: {events:?}\ninstead of {expected:?}");
    }

    /// In whatever way the processor looks for plain lexemes, it finds the same.
    #[cfg(fuzzing)]
    fn check_kernels(&self, expected: &[Event]) {
        for number in 0.. {
            let mut decoder = Decoder::with_options(self.subject.syntax, self.options);
            if !decoder.use_kernel(number) {
                break;
            }
            let (mut base, mut events) = (0, Vec::new());
            for chunk in cut(&self.input, &self.cuts) {
                drivers::bulk_chunk(&mut decoder, chunk, base, &mut events, 128);
                base += chunk.len() as u64;
            }
            drivers::finish(&mut decoder, &mut events);
            assert!(events == expected, "kernel {number}: {events:?}\ninstead of {expected:?}");
        }
    }

    /// What is kept of the input is no more than there was, than an atom may have, or, where atoms come in fragments, than comes at once.
    fn check_memory(&self) {
        let chunks = cut(&self.input, &self.cuts);
        let mut most = self.input.len();
        if let Some(atom) = self.options.atom {
            most = most.min(atom as usize);
        }
        self.check_allocated(self.options, &chunks, most);
        // Hints and comments always come whole.
        if !self.subject.rules.hints && !self.options.comments {
            let most = most.min(self.fragments + chunks.iter().map(|chunk| chunk.len()).max().unwrap_or(0));
            self.check_allocated(self.options.fragments(self.fragments), &chunks, most);
        }
    }

    fn check_allocated(&self, options: Options, chunks: &[&[u8]], most: usize) {
        let info = measure(|| {
            let mut decoder = Decoder::with_options(self.subject.syntax, options);
            for chunk in chunks {
                let mut input = decoder.feed(chunk);
                while !matches!(input.decode(), Decode::Await | Decode::End) {}
            }
            while !matches!(decoder.finish().decode(), Decode::End) {}
        });
        // A vector that grows has twice the room that it needs, and for a moment the old one beside it.
        assert!(info.bytes_max as usize <= 64 + 4 * most, "{info:?} for {most} bytes, {options:?}");
    }
}
