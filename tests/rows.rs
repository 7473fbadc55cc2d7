//! The rows of test data: what the naive decoder and all drivers of the decoder make of each, over all cuts.

mod harness;

use harness::{check, check_cuts, cut, decode, drivers, rows};
use sexp_codec::nonblocking::Decoder;

#[test]
fn the_naive_decoder_reads_the_rows() {
    let mut wrong = Vec::new();
    for row in rows::every() {
        for &(subject, options) in &row.subjects {
            wrong.extend(row.differs(subject, &decode(subject.rules, options, &row.input)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_drivers_read_the_rows_over_all_cuts() {
    for row in rows::all() {
        for &(subject, options) in &row.subjects {
            let events = check(subject, options, &row.input);
            check_cuts(subject, options, &row.input, &row.cuts, &events);
        }
    }
}

#[test]
fn what_stands_before_a_cut_is_delivered_before_the_next_piece() {
    for row in rows::all().into_iter().filter(|row| !row.cuts.is_empty()) {
        for &(subject, options) in &row.subjects {
            let mut decoder = Decoder::with_options(subject.syntax, options);
            let mut events = Vec::new();
            let mut base = 0;
            let before = row.before_cuts();
            assert_eq!(before.len(), row.cuts.len(), "{}: as many cuts in EXPECTED as in INPUT", row.place);
            for (piece, before) in cut(&row.input, &row.cuts).into_iter().zip(before) {
                drivers::pull_chunk(&mut decoder, piece, base, &mut events);
                base += piece.len() as u64;
                assert_eq!(events.len(), before, "{}, {}: {}", row.place, subject.name, rows::show(&events));
            }
        }
    }
}

#[test]
fn every_case_has_a_number() {
    for row in rows::file("cases.rows") {
        assert!(row.number.is_some_and(|number| number.starts_with('D')), "{}", row.place);
    }
}
