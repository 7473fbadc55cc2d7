//! No step allocates: the second pass over an input, in whatever chunks, by whatever driver, makes no allocation at all.

mod harness;

use allocation_counter::measure;
use harness::{Event, Subject, decode, rows};
use sexp_codec::nonblocking::{Compact, Decode, Decoder};
use sexp_codec::{Lexeme, Options, blocking};
use std::hint::black_box;
use std::io::Read;

const CHUNKS: [usize; 7] = [1, 2, 3, 7, 64, 4096, usize::MAX];

/// What a syntax reads, in forms small and large; with what it does not read, if faults are wanted.
fn input(subject: Subject, faults: bool) -> Vec<u8> {
    let mut input = Vec::new();
    for row in rows::all() {
        let sound = || !decode(subject.rules, Options::default(), &row.input).iter().any(|event| matches!(event, Event::Error(_)));
        if row.subjects.iter().any(|(other, _)| other.name == subject.name) && (faults || sound()) {
            input.extend_from_slice(&row.input);
            if matches!(subject.name, "se" | "sexplib" | "advanced") {
                input.push(b'\n');
            }
        }
    }
    let atom: Vec<u8> = match subject.name {
        "se" | "sexplib" => b"abc ".to_vec(),
        "advanced" => b"\"a\\n\" 3:abc |YWJj| #616263# [h]x ".to_vec(),
        "transport" => b"[1:h]3:abc".to_vec(),
        _ => b"3:abc".to_vec(),
    };
    for size in [10, 100, 1000] {
        input.push(b'(');
        input.extend(atom.repeat(size));
        input.push(b')');
    }
    if subject.name == "transport" {
        input.extend_from_slice(b"{KDE6YSk=}");
    }
    input
}

fn drive(decoder: &mut Decoder, input: &[u8], size: usize, pass: impl Fn(&mut Decoder, &[u8])) {
    decoder.reset();
    for chunk in input.chunks(size.min(input.len())) {
        pass(decoder, chunk);
    }
    while !matches!(decoder.finish().decode(), Decode::End) {}
}

fn pull(decoder: &mut Decoder, chunk: &[u8]) {
    let mut input = decoder.feed(chunk);
    while !matches!(black_box(input.decode()), Decode::Await | Decode::End) {}
}

fn for_each(decoder: &mut Decoder, chunk: &[u8]) {
    let mut input = decoder.feed(chunk);
    while !matches!(input.for_each(|lexeme| drop(black_box(lexeme))), Decode::Await | Decode::End) {}
}

fn bulk(decoder: &mut Decoder, chunk: &[u8]) {
    let mut input = decoder.feed(chunk);
    let mut lexemes = [Compact::default(); 128];
    loop {
        if black_box(input.bulk(&mut lexemes)) == 0 && matches!(input.decode(), Decode::Await | Decode::End) {
            break;
        }
    }
}

fn locate(decoder: &mut Decoder, chunk: &[u8]) {
    let mut input = decoder.feed(chunk);
    while let Decode::Lexeme(Lexeme { span, .. }) = input.decode() {
        black_box(input.location(span.start));
    }
    black_box(input.remaining());
}

#[test]
fn the_second_pass_allocates_nothing() {
    let options = [
        Options::default(),
        Options::default().comments(true),
        Options::default().limit_depth(2).limit_atom(20),
        Options::default().fragments(4),
    ];
    for subject in Subject::all() {
        let input = input(subject, true);
        for options in options {
            for size in CHUNKS {
                let passes: [(&str, fn(&mut Decoder, &[u8])); 4] =
                    [("pull", pull), ("for_each", for_each), ("bulk", bulk), ("locate", locate)];
                for (name, pass) in passes {
                    let mut decoder = Decoder::with_options(subject.syntax, options);
                    drive(&mut decoder, &input, size, pass);
                    let info = measure(|| drive(&mut decoder, &input, size, pass));
                    assert_eq!(info.count_total, 0, "{subject:?}, {options:?}, {name}, chunks of {size}");
                }
            }
        }
    }
}

#[test]
fn the_blocking_decoder_allocates_nothing_after_its_first_pass() {
    for subject in Subject::all() {
        let input = input(subject, false);
        for capacity in [1, 7, 64, 4096, 1 << 20] {
            // No read goes beyond a pass, so that each is cut like the first.
            let source = input.chain(&input[..]).chain(&input[..]);
            let mut decoder = blocking::Decoder::from_read_with(source, capacity, subject.syntax, Options::default());
            while decoder.position() < input.len() as u64 {
                let _ = decoder.decode();
            }
            let info = measure(|| while !matches!(black_box(decoder.decode()), Ok(None)) {});
            assert_eq!(info.count_total, 0, "{subject:?}, capacity {capacity}");
        }
    }
}

#[test]
fn an_atom_that_lies_in_one_chunk_is_borrowed_from_it() {
    let inputs: [(&str, &[u8]); 4] =
        [("se", b"(abc) "), ("sexplib", b"(\"abc\")"), ("canonical", b"(3:abc)"), ("advanced", b"(\"abc\" 3:abc)")];
    for (name, input) in inputs {
        let syntax = Subject::named(name).syntax;
        let info = measure(|| {
            let mut decoder = Decoder::new(syntax);
            let mut fed = decoder.feed(input);
            while let Decode::Lexeme(lexeme) = fed.decode() {
                assert!(input.as_ptr_range().contains(&lexeme.bytes.as_ptr()) || lexeme.bytes.len() == 1, "{name}: {lexeme:?}");
            }
        });
        assert_eq!(info.count_total, 0, "{name}");
    }
}
