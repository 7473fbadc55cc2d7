//! Limits: right at each boundary, over all cuts, and at every size of the input. What they mean is in `data/limits.rows`.

mod harness;

use harness::{Event, Subject, check, decode, rows};
use sexp_codec::{ErrorKind, Kind, Options};

fn kinds(events: &[Event]) -> Vec<Option<ErrorKind>> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Lexeme { kind: Kind::Open | Kind::Close, .. } | Event::End => None,
            Event::Lexeme { .. } => Some(None),
            Event::Error(error) => Some(Some(error.kind)),
        })
        .collect()
}

/// Atoms of the form whose value has that many bytes.
fn atoms(name: &str, size: usize) -> Vec<Vec<u8>> {
    let counted = || [format!("{size}:").as_bytes(), &vec![b'x'; size]].concat();
    let string = |text: &str| format!("\"{}\"", text.repeat(size)).into_bytes();
    let bare = || [&vec![b'x'; size][..], b" "].concat();
    match name {
        "se" => vec![bare()],
        "sexplib" => vec![bare(), string("x"), string("\\n"), string("\\065"), string("x\\\n "), string("\\x41")],
        "advanced" => {
            vec![bare(), counted(), string("x"), string("\\n"), string("\\101"), format!("#{}#", "61 ".repeat(size)).into_bytes()]
        }
        "canonical" | "canonical+zeros" | "csexp" | "transport" | "libgcrypt" => vec![counted()],
        _ => vec![bare()],
    }
}

#[test]
fn an_atom_may_be_as_large_as_the_limit() {
    for subject in Subject::all() {
        for size in 1..12 {
            for atom in atoms(subject.name, size) {
                for limit in [size - 1, size, size + 1] {
                    let options = Options::default().limit_atom(limit as u64);
                    let expected = (limit < size).then_some(ErrorKind::AtomTooLarge);
                    let input = [b"(", &atom[..], b")"].concat();
                    assert_eq!(kinds(&check(subject, options, &input)), [expected], "{subject:?}, limit {limit}: {}", input.escape_ascii());
                }
            }
        }
    }
}

#[test]
fn large_atoms_in_long_chunks() {
    for subject in Subject::all() {
        for size in [40, 100, 300] {
            for atom in atoms(subject.name, size) {
                let input = atom.repeat(5);
                for limit in [size - 1, size] {
                    let options = Options::default().limit_atom(limit as u64);
                    let expected = (limit < size).then_some(ErrorKind::AtomTooLarge);
                    assert_eq!(kinds(&decode(subject.rules, options, &input)), [expected; 5]);
                    for cuts in [vec![], vec![1], vec![size], vec![size + 1], vec![input.len() / 2]] {
                        harness::check_cuts(subject, options, &input, &cuts, &decode(subject.rules, options, &input));
                    }
                }
            }
        }
    }
}

#[test]
fn lists_may_be_as_deep_as_the_limit() {
    for subject in Subject::all() {
        for depth in 1..8 {
            let input = ["(".repeat(depth), ")".repeat(depth)].concat();
            for limit in [depth - 1, depth, depth + 1] {
                let events = check(subject, Options::default().limit_depth(limit as u64), input.as_bytes());
                let expected: &[_] = if limit < depth { &[Some(ErrorKind::TooDeep)] } else { &[] };
                assert_eq!(kinds(&events), expected);
            }
        }
    }
}

/// Every row, cut off by the limit at each of its bytes.
#[test]
fn an_input_may_be_as_large_as_the_limit() {
    for row in rows::all() {
        for &(subject, options) in row.subjects.iter().filter(|(subject, _)| subject.is_exact_about_size()) {
            for total in 0..=row.input.len() {
                let options = options.limit_total(total as u64);
                let events = decode(subject.rules, options, &row.input);
                for cuts in [vec![], vec![total], (1..row.input.len()).collect()] {
                    harness::check_cuts(subject, options, &row.input, &cuts, &events);
                }
                let too_large = kinds(&events).contains(&Some(ErrorKind::InputTooLarge));
                let trailing = kinds(&events).contains(&Some(ErrorKind::TrailingData));
                assert_eq!(too_large, total < row.input.len() && !trailing, "{}, {total} bytes", row.place);
            }
        }
    }
}

#[test]
fn limits_far_beyond_the_input_change_nothing() {
    for row in rows::all() {
        for &(subject, options) in &row.subjects {
            let mut far = options;
            far.depth = far.depth.or(Some(u64::MAX));
            far.atom = far.atom.or(Some(u64::MAX));
            far.total = far.total.or(Some(u64::MAX));
            let events = decode(subject.rules, options, &row.input);
            harness::check_cuts(subject, far, &row.input, &[], &events);
            harness::check_cuts(subject, far, &row.input, &[row.input.len() / 2], &events);
        }
    }
}

/// Between an escape and the line end that it takes away there may be any number of blanks, in the syntaxes that allow for them.
#[test]
fn a_line_goes_on_after_any_number_of_blanks() {
    for name in ["r7rs", "r6rs"] {
        for blanks in [1, 31, 32, 33, 34, 100] {
            let blanks = "\t ".repeat(blanks)[..blanks].to_owned();
            let events = check(Subject::named(name), Options::default(), format!("\"a\\{blanks}\n\tb\" c").as_bytes());
            let shown = rows::show(&events);
            assert!(shown.starts_with("S\"ab\"") && kinds(&events) == [None, None], "{shown}");
            check(Subject::named(name), Options::default(), format!("\"a\\{blanks}").as_bytes());
            check(Subject::named(name), Options::default(), format!("\"a\\{blanks}x\"").as_bytes());
        }
    }
}
