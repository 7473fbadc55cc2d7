//! What every test of the decoder goes through: [`check`] compares all drivers, over all cuts, with the naive decoder.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod drivers;
pub mod gather;
#[path = "../naive/mod.rs"]
pub mod naive;
pub mod round_trip;
pub mod rows;

use drivers::Driver;
use naive::rules::{self, Rules};
pub use naive::{Event, decode, decode_prefix};
use sexp_codec::nonblocking::Decoder;
use sexp_codec::{Options, Syntax};

/// `canonical`, but for zeros before lengths.
static CANONICAL_WITH_LEADING_ZEROS: Syntax = Syntax::CANONICAL.with_leading_zeros();

/// A syntax, and its rules for the naive decoder.
#[derive(Clone, Copy)]
pub struct Subject {
    pub name: &'static str,
    pub syntax: &'static Syntax,
    pub rules: &'static Rules,
}

impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Subject {
    pub fn named(name: &str) -> Subject {
        let name = rules::NAMES.iter().find(|known| **known == name).unwrap_or_else(|| panic!("no syntax {name}"));
        let zeros = *name == "canonical+zeros";
        let syntax =
            if zeros { &CANONICAL_WITH_LEADING_ZEROS } else { Syntax::by_name(name).unwrap_or_else(|| panic!("no syntax {name}")) };
        Subject { name, syntax, rules: rules::named(name) }
    }

    /// Whether the naive decoder says of a token with two faults, of which one is that it is too large, the same one as the others do. Of a token
    /// that is delivered as written, that depends on how far its text counts; that cuts do not matter to it is tested for all syntaxes.
    pub fn is_exact_about_size(&self) -> bool {
        ["se", "sexplib", "canonical", "canonical+zeros", "csexp", "transport", "advanced"].contains(&self.name)
    }

    pub fn all() -> Vec<Subject> {
        rules::NAMES.iter().map(|name| Subject::named(name)).collect()
    }
}

/// Checks that all drivers deliver what the naive decoder delivers, however the input is cut, and no event later than it can be. Gives
/// the events.
pub fn check(subject: Subject, options: Options, input: &[u8]) -> Vec<Event> {
    let expected = decode(subject.rules, options, input);
    for cuts in all_cuts(input.len()) {
        check_cuts(subject, options, input, &cuts, &expected);
    }
    check_prompt(subject, options, input);
    expected
}

/// Checks all drivers over one way to cut the input: `cuts` are offsets in ascending order.
pub fn check_cuts(subject: Subject, options: Options, input: &[u8], cuts: &[usize], expected: &[Event]) {
    let chunks = cut(input, cuts);
    for driver in Driver::ALL.iter().filter(|driver| cuts.is_empty() || driver.sees_cuts()) {
        let events = driver.run(subject.syntax, options, &chunks);
        assert!(
            events == expected,
            "{driver:?} and the naive decoder differ\n{}\n  cuts: {cuts:?}\n  naive: {}\n  fast:  {}",
            describe(subject, options, input),
            rows::show(expected),
            rows::show(&events)
        );
    }
}

/// Checks that for each prefix of the input exactly the events that it completes have been delivered: fed in one chunk and in bytes.
pub fn check_prompt(subject: Subject, options: Options, input: &[u8]) {
    // There the naive decoder looks further than is needed before it says what begins, or not as far.
    if ["dune", "wat"].contains(&subject.name) || (options.single || options.atom.is_some()) && !subject.is_exact_about_size() {
        return;
    }
    let mut decoder = Decoder::with_options(subject.syntax, options);
    let mut events = Vec::new();
    for len in 0..=input.len() {
        let expected = decode_prefix(subject.rules, options, &input[..len]);
        let mut once = Vec::new();
        drivers::pull_chunk(&mut Decoder::with_options(subject.syntax, options), &input[..len], 0, &mut once);
        if len > 0 {
            drivers::pull_chunk(&mut decoder, &input[len - 1..len], len as u64 - 1, &mut events);
        }
        for (how, events) in [("in one chunk", &once), ("in bytes", &events)] {
            assert!(
                without_end(events) == expected,
                "after a prefix, {how}, not the events that it completes\n{}\n  naive: {}\n  fast:  {}",
                describe(subject, options, &input[..len]),
                rows::show(&expected),
                rows::show(events)
            );
        }
    }
}

/// An input that has become too large may end before it is finished.
fn without_end(events: &[Event]) -> &[Event] {
    match events {
        [rest @ .., Event::End] => rest,
        all => all,
    }
}

/// The ways to cut an input of that length that are tried: not at all, chunks of some sizes, each 2-way and, for short ones, each 3-way cut.
pub fn all_cuts(len: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    all.extend([1, 2, 3, 7, 64].iter().filter(|size| **size < len).map(|size| (*size..len).step_by(*size).collect()));
    all.extend((0..=len).map(|first| vec![first]));
    if len <= 24 {
        all.extend((1..len).flat_map(|first| (first..len).map(move |second| vec![first, second])));
    }
    all
}

/// The pieces of an input. A cut at the ends or twice at the same place makes an empty piece.
pub fn cut<'a>(input: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([input.len()]);
    starts.zip(ends).map(|(start, end)| &input[start..end]).collect()
}

fn describe(subject: Subject, options: Options, input: &[u8]) -> String {
    format!("  syntax: {}, {options:?}\n  input: {} bytes: {}", subject.name, input.len(), input.escape_ascii())
}
