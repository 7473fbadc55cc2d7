//! The encoder allocates nothing, ever: not per lexeme, not when it is made, not for an error. But for the layout for people: the line that
//! it holds is allocated when the encoder is made.

use sexp_codec::nonblocking::{Encode, Encoder};
use sexp_codec::{EncodeOptions, Fragment, Kind, Layout, Lexeme, Span, Syntax};

/// The syntaxes whose every byte is accounted for here; what holds for all is in `dialects.rs`.
const BASE: [&Syntax; 6] = [&Syntax::SE, &Syntax::SEXPLIB, &Syntax::CANONICAL, &Syntax::CSEXP, &Syntax::TRANSPORT, &Syntax::ADVANCED];

/// How many allocations this thread has made for that.
fn allocations(what: impl FnOnce()) -> u64 {
    allocation_counter::measure(what).count_total
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
}

#[test]
fn nothing_is_allocated() {
    let text = [b'x'; 500];
    let mixed: [u8; 256] = std::array::from_fn(|index| index as u8);
    let piece = |bytes, first, last| Fragment { kind: Kind::String, bytes, first, last, total: Some(600), span: Span::default() };
    let mut window = vec![0; 4096];
    let mut steps = 0;
    for syntax in BASE {
        for layout in [Layout::Compact, Layout::Lines, Layout::Indent] {
            for respell in [false, true] {
                for size in [1, 7, 64, 4096] {
                    let mut made = None;
                    let options = EncodeOptions::new().layout(layout).respell(respell).width(if respell { 80 } else { 7 });
                    let count = allocations(|| made = Some(Encoder::with_options(syntax, options)));
                    let holds_a_line = layout == Layout::Indent && !["canonical", "csexp", "transport"].contains(&syntax.name());
                    assert_eq!(count, if holds_a_line { 3 } else { 0 }, "{} {layout:?}", syntax.name());
                    let mut encoder = made.unwrap();
                    let count = allocations(|| {
                        let mut step = |step: &dyn Fn(&mut Encoder, &mut [u8]) -> Encode| {
                            steps += 1;
                            while step(&mut encoder, &mut window[..size]) == Encode::Partial {
                                steps += 1;
                            }
                        };
                        for lexeme in [
                            Lexeme::open(),
                            Lexeme::hint(b"text/plain"),
                            Lexeme::bare(b"abc"),
                            Lexeme::bare(b"a b"),
                            Lexeme::bare(&text),
                            Lexeme::string(&mixed),
                            Lexeme::octets(&mixed),
                            Lexeme::octets(b"abc"),
                            Lexeme::new(Kind::Comment, b"; comment"),
                            Lexeme::new(Kind::Prefix, b"'"),
                        ] {
                            step(&|encoder, window| encoder.window(window).encode(lexeme));
                        }
                        for fragment in [piece(&text, true, false), piece(&text[..100], false, true)] {
                            step(&|encoder, window| encoder.window(window).fragment(fragment));
                        }
                        step(&|encoder, window| encoder.window(window).release());
                        step(&|encoder, window| encoder.window(window).finish());
                        step(&|encoder, window| encoder.window(window).encode(Lexeme::close()));
                        assert_eq!(encoder.window(&mut []).finish(), Encode::Ok);
                    });
                    assert_eq!(count, 0, "{} in windows of {size}", syntax.name());
                }
            }
        }
    }
    assert!(steps > 10_000, "{steps}");
}
