//! Cost grows with the input, and no faster: twice the input takes about twice the time, however small the chunks.
//!
//! What counts is the processor time of the thread, the least of several runs; three times as much is still taken for linear, four
//! would be quadratic.

#![cfg(unix)]

mod harness;

use harness::Subject;
use rustix::time::{ClockId, clock_gettime};
use sexp_codec::nonblocking::{Decode, Decoder};
use sexp_codec::{Options, blocking};
use std::hint::black_box;

/// The processor time that this thread has used, in nanoseconds.
fn now() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn best(mut run: impl FnMut()) -> i64 {
    let times = (0..4).map(|_| {
        let start = now();
        run();
        now() - start
    });
    times.min().unwrap_or_default()
}

/// Checks that `run` takes at most three times as long for twice the size. A machine that is busy with other things gets another try.
fn check_linear(what: &str, size: usize, mut run: impl FnMut(usize)) {
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let (once, twice) = (best(|| run(size)), best(|| run(2 * size)));
        let ratio = twice as f64 / once as f64;
        if ratio < 3.0 {
            return;
        }
        ratios.push(ratio);
    }
    panic!("{what}: twice the input takes {ratios:.1?} times as long");
}

fn feed(decoder: &mut Decoder, input: &[u8], size: usize) {
    for chunk in input.chunks(size) {
        let mut input = decoder.feed(chunk);
        while !matches!(black_box(input.decode()), Decode::Await | Decode::End) {}
    }
}

/// An opener, the bytes of the atom over and over, and what ends it.
const ATOMS: [(&str, &[u8], &[u8], &[u8]); 9] = [
    ("se", b"", b"a", b" "),
    ("sexplib", b"", b"a", b" "),
    ("sexplib", b"\"", b"a", b"\""),
    ("sexplib", b"\"", b"\\n", b"\""),
    ("sexplib", b"\"", b"\\\n ", b"\""),
    ("sexplib", b"#|", b"#|x|#", b"|#"),
    ("advanced", b"\"", b"a", b"\""),
    ("advanced", b"#", b"61", b"#"),
    ("advanced", b"|", b"YWJj", b"|"),
];

#[test]
fn d30_large_atom_in_small_feeds() {
    for (name, open, text, close) in ATOMS {
        for chunk in [1, 64] {
            // 64 bytes at once are faster, and want more of them.
            let size = if chunk == 1 { 256 << 10 } else { 1 << 20 };
            check_linear(&format!("{name}: {:?} in chunks of {chunk}", open.escape_ascii().to_string()), size, |size| {
                let input = [open, &text.repeat(size / text.len())[..], close].concat();
                feed(&mut Decoder::new(Subject::named(name).syntax), &input, chunk);
            });
        }
    }
}

#[test]
fn d30_the_sizes_that_were_reported() {
    check_linear("quoted atom in chunks of 64", 4 << 20, |size| {
        let input = [b"\"", &vec![b'a'; size][..], b"\""].concat();
        feed(&mut Decoder::new(Subject::named("sexplib").syntax), &input, 64);
    });
    check_linear("counted atom in chunks of 64", 4 << 20, |size| {
        let input = [format!("{size}:").as_bytes(), &vec![b'a'; size]].concat();
        feed(&mut Decoder::new(Subject::named("canonical").syntax), &input, 64);
    });
}

#[test]
fn d31_a_position_for_each_lexeme() {
    for name in ["se", "sexplib", "advanced"] {
        for chunk in [usize::MAX, 4096, 3] {
            check_linear(&format!("{name} in chunks of {chunk}"), 50_000, |count| {
                let text = b"(a)\n".repeat(count);
                let mut decoder = Decoder::new(Subject::named(name).syntax);
                for chunk in text.chunks(chunk.min(text.len())) {
                    let mut input = decoder.feed(chunk);
                    while let Decode::Lexeme(lexeme) = input.decode() {
                        let span = lexeme.span;
                        black_box((input.location(span.start), input.location(span.end)));
                    }
                }
            });
        }
    }
    check_linear("blocking", 50_000, |count| {
        let text = b"(a)\n".repeat(count);
        let mut decoder = blocking::Decoder::new(&text[..], Subject::named("se").syntax);
        while let Ok(Some(lexeme)) = decoder.decode() {
            let start = lexeme.span.start;
            black_box(decoder.location(start).unwrap());
        }
    });
}

#[test]
fn a_fault_on_each_line() {
    for chunk in [usize::MAX, 64] {
        check_linear(&format!("faults in chunks of {chunk}"), 100_000, |count| {
            let text = b")\n\"\\256\"\n".repeat(count);
            feed(&mut Decoder::new(Subject::named("sexplib").syntax), &text, chunk.min(text.len()));
        });
    }
}

#[test]
fn a_client_that_stops_after_each_lexeme() {
    check_linear("stopping", 20_000, |count| {
        let text = b"(a)\n".repeat(count);
        let mut decoder = Decoder::new(Subject::named("se").syntax);
        let mut left = &text[..];
        loop {
            let mut input = decoder.feed(left);
            if let Decode::Await = input.decode() {
                break;
            }
            let consumed = input.consumed();
            black_box(input.remaining());
            left = &left[consumed..];
        }
    });
}

#[test]
fn fragments_of_a_large_atom() {
    for chunk in [1, 64] {
        check_linear(&format!("fragments in chunks of {chunk}"), 512 << 10, |size| {
            let input = [b"\"", &vec![b'a'; size][..], b"\""].concat();
            feed(&mut Decoder::with_options(Subject::named("sexplib").syntax, Options::default().fragments(100)), &input, chunk);
        });
    }
}

#[test]
fn nested_data_that_are_dropped() {
    for text in [&b"("[..], b"(#;", b"(#;#;#;"] {
        check_linear(&format!("dropped {}", text.escape_ascii()), 400_000, |count| {
            let input = [b"#;", &text.repeat(count)[..]].concat();
            let mut decoder = Decoder::new(Subject::named("sexplib").syntax);
            feed(&mut decoder, &input, 4096);
            feed(&mut decoder, &b"a a a)".repeat(count), 4096);
        });
    }
}
