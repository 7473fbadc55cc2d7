//! Any stream in any framing, over any cuts, gives what the naive deframer gives, and nothing comes late; any payload that can be framed reads
//! back; whole forms are the same over any cuts, and each is one form by itself. Each framing has a target of its own.
//!
//! | byte of the data | |
//! |---|---|
//! | 0 | the limit on frames and forms; none if it is 0 |
//! | 1 | the syntax (5 bits), and how often the stream is cut (3 bits) |
//! | 2… | for each cut, how far behind the last one it is |
//! | … | the stream; and once more as payloads, with a zero byte between them |

use crate::framed::{self, Piece, check_cuts, check_prompt, deframe};
use sexp_codec::forms::Error;
use sexp_codec::framing::Framing;
use sexp_codec::{ErrorKind, Options, Syntax};

/// A stream does not become longer than that.
const LONGEST: usize = 4_000;

/// So many bytes are also fed one by one, and looked at for what comes late.
const SHORT: usize = 64;

struct Case<'d> {
    syntax: &'static Syntax,
    options: Options,
    cuts: Vec<usize>,
    stream: &'d [u8],
}

impl Case<'_> {
    fn read(data: &[u8]) -> Option<Case<'_>> {
        let (&[limit, syntax], rest) = data.split_first_chunk()?;
        let (distances, stream) = rest.split_at_checked(usize::from(syntax >> 5))?;
        let stream = &stream[..stream.len().min(LONGEST)];
        let mut at = 0;
        let next = |distance: &u8| {
            at = stream.len().min(at + usize::from(*distance));
            at
        };
        let cuts = distances.iter().map(next).collect();
        let mut options = Options::default();
        options.frame = u64::from(limit).checked_sub(1);
        let syntaxes =
            [&Syntax::COMMONLISP, &Syntax::CSEXP, &Syntax::SEXPLIB, &Syntax::GUILE, &Syntax::EDN, &Syntax::ADVANCED, &Syntax::SMTLIB];
        let syntax = syntaxes[usize::from(syntax & 31) % syntaxes.len()];
        Some(Case { syntax, options, cuts, stream })
    }
}

/// Checks the stream in that framing that the data is, and the payloads.
pub fn check(framing: &Framing, data: &[u8]) {
    let Some(case) = Case::read(data) else { return };
    check_stream(framing, &case);
    // Forms have nothing around them.
    if *framing != Framing::FORMS {
        check_payloads(framing, &case);
    }
}

fn check_stream(framing: &Framing, case: &Case<'_>) {
    let Case { syntax, options, stream, .. } = *case;
    check_cuts(framing, syntax, options, stream, &[]);
    check_cuts(framing, syntax, options, stream, &case.cuts);
    let short = &stream[..stream.len().min(SHORT)];
    check_cuts(framing, syntax, options, short, &(1..short.len()).collect::<Vec<_>>());
    check_prompt(framing, syntax, options, short);
}

/// Checks that the payloads are read back, if they can be framed.
fn check_payloads(framing: &Framing, Case { cuts, stream: payloads, .. }: &Case<'_>) {
    let (mut stream, mut expected) = (Vec::new(), Vec::new());
    for payload in payloads.split(|byte| *byte == 0) {
        let before = stream.len();
        if framing.frame(payload, &mut stream).is_err() {
            assert_eq!(stream.len(), before, "what was refused was written");
            continue;
        }
        if *framing == Framing::FESTIVAL {
            expected.push(Piece::Line(b"LP".to_vec()));
        }
        framed::push(&mut expected, Piece::Payload(payload.to_vec()));
        expected.push(Piece::EndOfFrame);
        if *framing == Framing::ASSUAN {
            framing.line(b"OK done", &mut stream).unwrap();
            expected.push(Piece::Line(b"OK done".to_vec()));
        }
    }
    expected.push(Piece::End);
    expected.retain(|piece| *piece != Piece::Payload(Vec::new()));
    let cuts: Vec<usize> = cuts.iter().map(|cut| *cut.min(&stream.len())).collect();
    assert_eq!(deframe(framing, Options::default(), &framed::cut(&stream, &cuts)), expected, "{framing:?} {}", stream.escape_ascii());
}

/// Checks the forms in the stream that the data is.
pub fn check_forms(data: &[u8]) {
    let Some(Case { syntax, options, cuts, stream, .. }) = Case::read(data) else { return };
    let found = |options, chunks: &[&[u8]]| framed::forms(syntax, options, chunks);
    let whole = found(Options::default(), &[stream]);
    assert_eq!(found(Options::default(), &framed::cut(stream, &cuts)), whole, "{syntax:?} {cuts:?} {}", stream.escape_ascii());
    let short = &stream[..stream.len().min(SHORT)];
    let bytes: Vec<&[u8]> = short.chunks(1).collect();
    assert_eq!(found(Options::default(), &bytes), found(Options::default(), &[short]), "{syntax:?} in bytes {}", short.escape_ascii());
    for (form, _) in whole.iter().flatten() {
        let mut again = found(Options::default().single(true), &[form]);
        // The only fault after which an atom at the top comes all the same.
        again.retain(|form| !matches!(form, Err(Error::Malformed(error)) if error.kind == ErrorKind::LeadingZero));
        assert!(matches!(&again[..], [Ok((bytes, _))] if bytes == form), "{syntax:?} {}: {again:?}", form.escape_ascii());
    }
    let cut = framed::cut(stream, &cuts);
    assert_eq!(found(options, &cut), found(options, &[stream]), "{syntax:?} {options:?} {cuts:?} {}", stream.escape_ascii());
}
