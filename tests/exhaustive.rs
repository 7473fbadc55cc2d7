//! Every short input there is: all pairs of bytes, and all words over the bytes that mean something to a syntax.

mod harness;

use harness::drivers::Driver;
use harness::{Event, Subject, cut, decode, rows};
use sexp_codec::Options;

fn agree(subject: Subject, options: Options, input: &[u8], drivers: &[(Driver, bool)]) {
    let expected = decode(subject.rules, options, input);
    for &(driver, in_bytes) in drivers {
        let cuts: Vec<usize> = if in_bytes { (1..input.len()).collect() } else { Vec::new() };
        let events = driver.run(subject.syntax, options, &cut(input, &cuts));
        assert!(
            events == expected,
            "{subject:?}, {options:?}, {driver:?}: {}\n  naive: {}\n  fast:  {}",
            input.escape_ascii(),
            rows::show(&expected),
            rows::show(&events)
        );
    }
    assert!(matches!(expected.last(), Some(Event::End)));
}

#[test]
fn every_pair_of_bytes() {
    for subject in Subject::all() {
        for first in 0..=255 {
            for second in 0..=255 {
                agree(subject, Options::default(), &[first, second], &[(Driver::Pull, false)]);
                agree(subject, Options::default().comments(true), &[b'(', first, second, b')'], &[(Driver::Pull, true)]);
            }
        }
    }
}

/// All words of that length over the letters.
fn words(letters: &[u8], length: u32, mut each: impl FnMut(&[u8])) {
    let mut word = vec![0; length as usize];
    for number in 0..letters.len().pow(length) {
        let mut left = number;
        for letter in &mut word {
            *letter = letters[left % letters.len()];
            left /= letters.len();
        }
        each(&word);
    }
}

#[test]
fn every_short_word() {
    for subject in Subject::all() {
        let (letters, length): (&[u8], u32) = match subject.name {
            "se" => (b"() a\0\n", 6),
            "sexplib" => (b"()\";#|\\\n\ra1 ", 4),
            "advanced" => (b"()\"[]#|\\12:a=\n ", 4),
            "transport" => (b"()[]{}12:aK", 4),
            "canonical" | "canonical+zeros" | "csexp" => (b"()[]102:a", 5),
            "libgcrypt" => (b"()\"#|\\120:a=[ ", 4),
            "dune" => (b"()\"\\|>%{a}: \n", 4),
            "r7rs" | "r6rs" | "guile" => (b"()\"#|;\\!'a1=u ", 4),
            "scheme" | "racket" | "commonlisp" => (b"()[\"#|;\\<,@a1 ", 4),
            "elisp" => (b"()\"#?;\\C-@1a \xc2\xa0", 4),
            "edn" | "clojure" => (b"()[}\"#_;\\~@^a ", 4),
            "smtlib" => (b"()\"|;\\a \n", 5),
            "kicad" | "dsn" => (b"()\"#-\\x1 \n", 4),
            "wat" => (b"()\";@$\\a1 \n", 4),
            "edif" => (b"()\"%1a \n", 5),
            _ => (b"()\"\\;#?a1 \n", 4),
        };
        words(letters, length, |word| {
            let drivers = [(Driver::Pull, true), (Driver::Pull, false), (Driver::Bulk(64), false)];
            agree(subject, Options::default().comments(true), word, &drivers);
        });
        words(letters, length - 1, |word| {
            let limited = Options::default().comments(true).limit_depth(1);
            let limited = if subject.is_exact_about_size() { limited.limit_atom(1) } else { limited };
            agree(subject, limited, word, &[(Driver::Pull, true), (Driver::Bulk(4), false)]);
            agree(subject, Options::default().single(true), word, &[(Driver::Pull, true), (Driver::Stop(1), false)]);
            // With so many bytes after it, plain lexemes are looked for.
            let padded = [word, &b" a".repeat(32)].concat();
            agree(subject, Options::default(), &padded, &[(Driver::Pull, false), (Driver::Stop(1), false)]);
            agree(subject, Options::default(), word, &[(Driver::Bulk(64), true)]);
        });
    }
}
