//! The program whose instructions are counted: `counted DOCUMENT WORK TIMES` does the work on the document so many times.

#[path = "../../../benches/work/mod.rs"]
mod work;

use std::env;
use std::hint::black_box;
use work::Work;
use work::document::Document;

/// Small: valgrind is fifty times as slow as the processor.
const SIZE: usize = 128 << 10;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [document, name, times] = &arguments[..] else { panic!("counted DOCUMENT WORK TIMES") };
    let document = match &document[..] {
        "random" => Document::random(SIZE),
        "records" => Document::records(SIZE),
        "library" => Document::library(SIZE),
        "script" => Document::script(SIZE),
        "code" => Document::code(SIZE),
        other => panic!("no document {other}"),
    };
    let (_, work) = Work::ALL.into_iter().find(|(work, _)| work == name).unwrap_or_else(|| panic!("no work {name}"));
    let expected = work.expected(&document);
    for _ in 0..times.parse().expect("a number of times") {
        assert_eq!(black_box(work).run(black_box(&document)), expected);
    }
    println!("{}", document.count.lexemes);
}
