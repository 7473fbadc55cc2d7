//! Inputs made to hurt: deep, large, lying about their length, and garbage. The stack stays flat, memory bounded, and the end is reached.

mod harness;

use allocation_counter::measure;
use harness::Subject;
use sexp_codec::nonblocking::{Decode, Decoder};
use sexp_codec::{ErrorKind, Options, Syntax};

const MIB: usize = 1 << 20;

/// What a decoder came to.
#[derive(Default)]
struct Tally {
    lexemes: u64,
    errors: u64,
    last_error: Option<sexp_codec::Error>,
    last_value: usize,
}

impl Tally {
    fn feed(&mut self, decoder: &mut Decoder, chunk: &[u8]) {
        let mut input = decoder.feed(chunk);
        while self.take(input.decode()) {}
    }

    fn finish(&mut self, decoder: &mut Decoder) {
        let mut input = decoder.finish();
        while self.take(input.decode()) {}
        assert!(matches!(input.decode(), Decode::End), "the end is reached");
    }

    fn take(&mut self, decode: Decode<'_>) -> bool {
        match decode {
            Decode::Lexeme(lexeme) => {
                self.lexemes += 1;
                self.last_value = lexeme.bytes.len();
            }
            Decode::Fragment(fragment) => self.last_value = fragment.bytes.len(),
            Decode::Error(error) => {
                self.errors += 1;
                self.last_error = Some(error);
            }
            Decode::Await | Decode::End => return false,
        }
        true
    }

    fn last(&self) -> (ErrorKind, u64, Option<u64>) {
        let error = self.last_error.expect("an error");
        (error.kind, error.position.offset, error.opened.map(|opened| opened.offset))
    }
}

/// Feeds the same bytes until there were `total`.
fn feed_many(tally: &mut Tally, decoder: &mut Decoder, byte: u8, total: usize, size: usize) {
    let chunk = vec![byte; size];
    for _ in 0..total / size {
        tally.feed(decoder, &chunk);
    }
}

#[test]
fn ten_million_lists() {
    const COUNT: usize = 10_000_000;
    // In WebAssembly's text a parenthesis shows what it is by the byte after it.
    for subject in Subject::all().into_iter().filter(|subject| subject.name != "wat") {
        let mut tally = Tally::default();
        let mut decoder = Decoder::new(subject.syntax);
        let info = measure(|| {
            feed_many(&mut tally, &mut decoder, b'(', COUNT, 50_000);
            assert_eq!(decoder.depth(), COUNT as u64);
            feed_many(&mut tally, &mut decoder, b')', COUNT, 50_000);
        });
        assert_eq!((tally.lexemes, tally.errors, decoder.depth()), (2 * COUNT as u64, 0, 0), "{subject:?}");
        // Where brackets must match, their kinds take two bits a level, in a buffer that doubles.
        let several = ["r6rs", "guile", "scheme", "racket", "elisp", "edn", "clojure"].contains(&subject.name);
        let most = if several { COUNT as u64 } else { 100_000 };
        assert!((info.bytes_max as u64) < most, "{subject:?}: {info:?}");
        tally.finish(&mut decoder);
        assert_eq!(tally.errors, 0);
    }
}

#[test]
fn d32_a_million_lists_that_are_not_closed() {
    for subject in Subject::all() {
        let mut tally = Tally::default();
        let mut decoder = Decoder::new(subject.syntax);
        tally.feed(&mut decoder, &vec![b'('; 1_000_000]);
        tally.finish(&mut decoder);
        assert_eq!((tally.lexemes, tally.errors), (1_000_000, 1));
        // Only the outermost places are remembered.
        assert_eq!(tally.last(), (ErrorKind::UnclosedList(1_000_000), 1_000_000, Some(31)));
    }
}

#[test]
fn d33_what_real_benchmarks_have() {
    let text = ["(let ((x y)) ".repeat(20_000), "z".to_owned(), ")".repeat(20_000)].concat();
    for syntax in [&Syntax::SE, &Syntax::SEXPLIB, &Syntax::ADVANCED] {
        let (mut tally, mut decoder) = (Tally::default(), Decoder::new(syntax));
        tally.feed(&mut decoder, text.as_bytes());
        tally.finish(&mut decoder);
        assert_eq!((tally.lexemes, tally.errors), (20_000 * 9 + 1, 0));
    }
}

#[test]
fn ten_million_lists_that_are_dropped_take_some_bits_each() {
    for (text, closes) in [(&b"("[..], &b")"[..]), (b"(#;", b"a)"), (b"(#;#;", b"a a)")] {
        const COUNT: usize = 10_000_000;
        let (mut tally, mut decoder) = (Tally::default(), Decoder::new(&Syntax::SEXPLIB));
        let (opens, closes) = (text.repeat(1000), [closes, b" a"].concat().repeat(1000));
        let info = measure(|| {
            tally.feed(&mut decoder, b"#;");
            (0..COUNT / 1000).for_each(|_| tally.feed(&mut decoder, &opens));
        });
        // At most four bits a level, and what a vector needs to grow.
        assert!(info.bytes_max < (COUNT / 2 * 3) as u64, "{info:?}");
        (0..COUNT / 1000).for_each(|_| tally.feed(&mut decoder, &closes));
        tally.feed(&mut decoder, b" the end ");
        assert_eq!(decoder.depth(), 0);
        assert!(tally.lexemes >= 2, "{} lexemes", tally.lexemes);
    }
}

#[test]
fn block_comments_ten_million_deep() {
    let (mut tally, mut decoder) = (Tally::default(), Decoder::new(&Syntax::SEXPLIB));
    let (opens, closes) = (b"#|".repeat(10_000), b"|#".repeat(10_000));
    let info = measure(|| {
        (0..1000).for_each(|_| tally.feed(&mut decoder, &opens));
        (0..1000).for_each(|_| tally.feed(&mut decoder, &closes));
        tally.feed(&mut decoder, b"a ");
    });
    assert_eq!((tally.lexemes, tally.errors), (1, 0));
    assert!(info.bytes_max < 100_000, "{info:?}");
}

/// 64 MiB of atom in chunks of one byte: each byte is kept once, and the buffer grows with them.
#[test]
fn a_large_atom_in_bytes() {
    const SIZE: usize = 64 * MIB;
    for (syntax, open, close) in [(&Syntax::SEXPLIB, "\"".to_owned(), "\""), (&Syntax::CANONICAL, format!("{SIZE}:"), "")] {
        let (mut tally, mut decoder) = (Tally::default(), Decoder::new(syntax));
        let info = measure(|| {
            tally.feed(&mut decoder, open.as_bytes());
            for _ in 0..SIZE {
                tally.feed(&mut decoder, b"x");
            }
            tally.feed(&mut decoder, close.as_bytes());
        });
        assert_eq!((tally.lexemes, tally.last_value, tally.errors), (1, SIZE, 0));
        // The buffer, and the smaller one that it was copied from.
        assert!(info.bytes_max <= 3 * SIZE as u64, "{info:?}");
    }
}

#[test]
fn a_length_beyond_64_bits() {
    for syntax in [&Syntax::CANONICAL, &Syntax::CSEXP, &Syntax::TRANSPORT, &Syntax::ADVANCED] {
        let (mut tally, mut decoder) = (Tally::default(), Decoder::new(syntax));
        tally.feed(&mut decoder, b"(18446744073709551619:");
        assert_eq!(tally.last(), (ErrorKind::LengthTooLarge, 1, None));
        tally.feed(&mut decoder, b"3:abc)");
        assert_eq!((tally.lexemes, tally.errors), (3, 1));
    }
}

#[test]
fn d38_a_declared_length_reserves_nothing() {
    for syntax in [&Syntax::CANONICAL, &Syntax::CSEXP, &Syntax::TRANSPORT, &Syntax::ADVANCED] {
        for length in ["67108864", "1000000000", "18446744073709551615"] {
            let (mut tally, mut decoder) = (Tally::default(), Decoder::new(syntax));
            let info = measure(|| {
                tally.feed(&mut decoder, length.as_bytes());
                tally.feed(&mut decoder, b":");
                tally.feed(&mut decoder, b"a");
                tally.feed(&mut decoder, b"bc");
                tally.finish(&mut decoder);
            });
            assert_eq!(tally.last(), (ErrorKind::PrematureEnd, length.len() as u64 + 4, Some(0)));
            assert!(info.bytes_max < 1000, "{info:?}");
        }
    }
}

/// What is skipped is not kept: an atom beyond the limit costs no memory, and offsets go beyond 32 bits.
#[test]
fn five_gigabytes_beyond_the_limit() {
    let options = Options::default().limit_atom(1000);
    let (mut tally, mut decoder) = (Tally::default(), Decoder::with_options(&Syntax::CANONICAL, options));
    let chunk = vec![0; 64 * MIB];
    let info = measure(|| {
        tally.feed(&mut decoder, b"(5368709120:");
        assert_eq!(tally.last(), (ErrorKind::AtomTooLarge, 1, None));
        (0..80).for_each(|_| tally.feed(&mut decoder, &chunk));
        tally.feed(&mut decoder, b"1:a))");
    });
    assert_eq!(tally.last(), (ErrorKind::UnbalancedClose(b')'), 5_368_709_120 + 12 + 4, None));
    assert_eq!((tally.lexemes, tally.errors), (3, 2));
    assert!(info.bytes_max < 10_000, "{info:?}");
}

#[test]
fn limits_bound_memory() {
    let options = Options::default().limit_atom(1000).limit_depth(10).comments(true);
    for subject in Subject::all() {
        let mut decoder = Decoder::with_options(subject.syntax, options);
        let mut tally = Tally::default();
        let info = measure(|| {
            for byte in [b'(', b'a', b'"', b'x', b' ', b'"', b'#', b';', b'#', b'|', b'6', b'[', b'1', b':'] {
                feed_many(&mut tally, &mut decoder, byte, MIB, 1024);
                tally.feed(&mut decoder, b" \n");
            }
            tally.finish(&mut decoder);
        });
        assert!(info.bytes_max < 10_000, "{subject:?}: {info:?}");
    }
}

#[test]
fn garbage_of_all_bytes() {
    let all: Vec<u8> = (0..=255).collect();
    // Neighbours of every kind: each pair of bytes once.
    let pairs: Vec<u8> = (0..=255).flat_map(|a| (0..=255).flat_map(move |b| [a, b])).collect();
    for subject in Subject::all() {
        for input in [&all, &pairs] {
            for size in [1, 3, 1000, input.len()] {
                for options in [Options::default(), Options::default().comments(true).limit_atom(100).limit_depth(3)] {
                    let (mut tally, mut decoder) = (Tally::default(), Decoder::with_options(subject.syntax, options));
                    let info = measure(|| {
                        input.chunks(size).for_each(|chunk| tally.feed(&mut decoder, chunk));
                        tally.finish(&mut decoder);
                    });
                    assert_eq!(decoder.position(), input.len() as u64);
                    assert!(info.bytes_max <= 4 * input.len() as u64, "{subject:?}: {info:?}");
                }
            }
        }
    }
}

#[test]
fn a_million_faults() {
    for subject in Subject::all() {
        let (mut tally, mut decoder) = (Tally::default(), Decoder::new(subject.syntax));
        let info = measure(|| feed_many(&mut tally, &mut decoder, b')', 1_000_000, 10_000));
        assert_eq!((tally.lexemes, tally.errors), (0, 1_000_000));
        assert!(info.bytes_max < 20_000, "{info:?}");
    }
}
