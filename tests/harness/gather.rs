//! Atoms in fragments, put together again.

use super::drivers::owned;
use super::{Event, Subject, cut, rows};
use sexp_codec::nonblocking::{Decode, Decoder, Input};
use sexp_codec::{Error, Fragment, Kind, Lexeme, Options, Span};

/// Puts pieces together again, and checks that they say of themselves what is true.
#[derive(Default)]
pub struct Gather {
    pub events: Vec<Event>,
    /// What has been read of an atom.
    open: Option<(Kind, Vec<u8>, Span, Option<u64>)>,
    /// Atoms that came in pieces, and how many pieces.
    pub cut: Vec<usize>,
    most: usize,
}

impl Gather {
    pub fn new(options: Options) -> Gather {
        Gather { most: options.fragments.expect("fragments"), ..Gather::default() }
    }

    pub fn take_all(&mut self, input: &mut Input<'_, '_>) {
        loop {
            match input.decode() {
                Decode::Lexeme(lexeme) => self.lexeme(lexeme),
                Decode::Fragment(fragment) => self.fragment(fragment),
                Decode::Error(error) => self.error(error),
                Decode::Await => return,
                Decode::End => {
                    assert!(self.open.is_none(), "the end between two pieces");
                    // The end comes once, however often the decoder says so.
                    if self.events.last() != Some(&Event::End) {
                        self.events.push(Event::End);
                    }
                    return;
                }
            }
        }
    }

    pub fn lexeme(&mut self, lexeme: Lexeme<'_>) {
        assert!(self.open.is_none(), "{lexeme:?} between two pieces");
        self.events.push(owned(lexeme));
    }

    /// After an error no further piece of its atom comes.
    pub fn error(&mut self, error: Error) {
        self.open = None;
        self.events.push(Event::Error(error));
    }

    pub fn fragment(&mut self, fragment: Fragment<'_>) {
        let Fragment { kind, bytes, first, last, total, span } = fragment;
        assert_eq!(first, self.open.is_none(), "{fragment:?} says whether it is the first");
        if first {
            self.open = Some((kind, Vec::new(), span, total));
            self.cut.push(0);
        }
        *self.cut.last_mut().unwrap() += 1;
        let (open_kind, value, open_span, open_total) = self.open.as_mut().unwrap();
        assert_eq!((kind, span.start, total), (*open_kind, open_span.start, *open_total), "the same in all pieces");
        assert!(span.end >= open_span.end, "the span grows");
        *open_span = span;
        value.extend_from_slice(bytes);
        if last {
            let (kind, value, span, total) = self.open.take().unwrap();
            assert!(value.len() > self.most, "an atom of {} bytes comes whole", value.len());
            assert!(total.is_none_or(|total| total == value.len() as u64), "the length is that which was announced");
            self.events.push(Event::Lexeme { kind, value, span });
        }
    }
}

/// Checks that the pieces of the input, fed with cuts at these offsets, make the events.
pub fn check_fragments(subject: Subject, options: Options, input: &[u8], cuts: &[usize], expected: &[Event]) {
    let mut decoder = Decoder::with_options(subject.syntax, options);
    let mut gather = Gather::new(options);
    for chunk in cut(input, cuts) {
        gather.take_all(&mut decoder.feed(chunk));
        gather.take_all(&mut decoder.feed(&[]));
    }
    gather.take_all(&mut decoder.finish());
    assert!(
        gather.events == expected,
        "{subject:?}, {options:?}, cuts {cuts:?}: {}\n  naive: {}\n  fast:  {}",
        input.escape_ascii(),
        rows::show(expected),
        rows::show(&gather.events)
    );
}
