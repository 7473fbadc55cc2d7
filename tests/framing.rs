//! Framings: known streams, whatever the cuts; what is complete comes at once; lies, limits and hostile streams; what was written reads back.

mod framed;

use allocation_counter::measure;
use bytes::{Buf, BytesMut};
use framed::{Event, Piece, check, check_cuts, decode, deframe, frames, naive};
use proptest::prelude::*;
use sexp_codec::framing::{Decode, Decoder, EncodeError, Encoder, ErrorKind, FrameError, Framing, Unit};
use sexp_codec::{ErrorKind as Fault, Kind, Lexeme, Options, Syntax};
use std::fs;

/// The events in short: atoms and brackets as they are, lines in `<>`, the end of a frame `;`, the end `.`, faults as `!kind@offset`.
fn show(events: &[Event]) -> String {
    let each = events.iter().map(|event| match event {
        Event::Lexeme(Kind::String, bytes, _) => format!("\"{}\"", String::from_utf8_lossy(bytes)),
        Event::Lexeme(_, bytes, _) => bytes.escape_ascii().to_string(),
        Event::Octets(bytes) => format!("[{}]", bytes.escape_ascii()),
        Event::Line(line) => format!("<{}>", line.escape_ascii()),
        Event::EndOfFrame => ";".to_string(),
        Event::Error(error) => format!("!{:?}@{}", error.kind, error.offset),
        Event::End => ".".to_string(),
    });
    each.collect::<Vec<_>>().join(" ")
}

fn row(framing: &Framing, syntax: &'static Syntax, input: &[u8], expected: &str) {
    assert_eq!(show(&check(framing, syntax, Options::default(), input)), expected, "{framing:?} {}", input.escape_ascii());
}

#[test]
fn swank() {
    let row = |input: &str, expected| row(&Framing::SWANK, &Syntax::COMMONLISP, input.as_bytes(), expected);
    row("00000e(:return 1 2)\n", "( :return 1 2 ) ; .");
    row("000005(:a)\n", "( :a ) ; .");
    row("00000E(:return 1 2)\n00000E(:return 1 2)\n", "( :return 1 2 ) ; ( :return 1 2 ) ; .");
    row("000014(:write-string \"λ\")", "( :write-string \"λ\" ) ; .");
    row("    05(:a)\n+00005(:a)\n", "( :a ) ; ( :a ) ; .");
    row("00000g(:a)", "!Header@0 .");
    row("-00005(:a)\n", "!Header@0 .");
    row("000000000003(a)", "!EmptyFrame@0 ( a ) ; .");
    // A bare atom ends with its frame.
    row("0000011000004 ab", "1 ; !Truncated@7 .");
    row("000003(a)00", "( a ) ; !Truncated@9 .");
}

/// A header that counts characters where bytes are wanted, or too much, or nothing at all.
#[test]
fn a_header_that_lies() {
    let row = |input: &str, expected| row(&Framing::SWANK, &Syntax::COMMONLISP, input.as_bytes(), expected);
    row("000013(:write-string \"λ\")000003(a)", "( :write-string \"λ\" !InForm(UnclosedList(1))@25 ; !Header@25 ( a ) ; .");
    row("000005(a)000003(b)", "( a ) 00 ; !Header@11 .");
    row("000002(a)000003(b)", "( a !InForm(UnclosedList(1))@8 ; !Header@8 ( b ) ; .");
    row("000004\"ab\"x00003(a)", "\"ab\" ; !Header@10 .");
    row("000003\"ab000003(b)", "!InForm(UnterminatedString)@9 ; ( b ) ; .");
}

/// D130: headers and payloads cut anywhere.
#[test]
fn d130_frames_cut_in_the_header() {
    let expected = "( a ) ; ( b ) ; .";
    for framing in [Framing::SWANK, Framing::IDRIS] {
        let chunks: [&[u8]; 3] = [b"00000", b"3(a)00", b"0003(b)"];
        assert_eq!(show(&decode(&framing, &Syntax::COMMONLISP, Options::default(), &chunks, 0)), expected);
        row(&framing, &Syntax::COMMONLISP, b"000003(a)000003(b)", expected);
    }
}

/// D129: the header counts bytes. A reader that counts characters, and a stream for it.
#[test]
fn d129_bytes_or_characters() {
    let text = "((:interpret \"λ→\") 7)\n";
    let mut stream = Vec::new();
    Framing::IDRIS.frame(text.as_bytes(), &mut stream).unwrap();
    assert_eq!(stream, format!("000019{text}").as_bytes());
    let characters = Framing::IDRIS.counting(Unit::Characters);
    stream.clear();
    characters.frame(text.as_bytes(), &mut stream).unwrap();
    assert_eq!(stream, format!("000016{text}").as_bytes());
    let mut decoder = Decoder::new(&characters, &Syntax::COMMONLISP);
    let mut events = Vec::new();
    for byte in &stream {
        framed::events_of(&mut decoder, Some(&[*byte]), 0, &mut events);
    }
    assert_eq!(show(&events), "( ( :interpret \"λ→\" ) 7 ) ;");
}

#[test]
fn idris() {
    let row = |input: &str, expected| row(&Framing::IDRIS, &Syntax::COMMONLISP, input.as_bytes(), expected);
    row("00002a((:load-file \"/home/hannes/empty.idr\") 1)\n", "( ( :load-file \"/home/hannes/empty.idr\" ) 1 ) ; .");
    row("hello world\n000003(a)", "hello world ; ( a ) ; .");
    row("00\n\nabcdeg (x)\n", "00 ; abcdeg ( x ) ; .");
    row("ab", "ab ; .");
}

/// D131: a frame of 100 KB in chunks of 4,096 bytes is one message, and nothing is wrong before it is whole.
#[test]
fn d131_a_large_frame_in_parts() {
    let payload = format!("({})", "abcdefg ".repeat(12_500));
    let mut stream = Vec::new();
    Framing::SWANK.frame(payload.as_bytes(), &mut stream).unwrap();
    let mut decoder = Decoder::new(&Framing::SWANK, &Syntax::COMMONLISP);
    let (mut events, mut ends) = (Vec::new(), 0);
    for chunk in stream.chunks(4096) {
        assert_eq!(ends, 0);
        framed::events_of(&mut decoder, Some(chunk), 0, &mut events);
        ends += events.iter().filter(|event| **event == Event::EndOfFrame).count();
    }
    assert_eq!((events.len(), ends), (12_500 + 3, 1));
}

#[test]
fn lines_and_nul() {
    row(&Framing::LINES, &Syntax::EDN, b"{:a 1}\r\n\n\r\n[2\n3", "{ :a 1 } ; [ 2 !InForm(UnclosedList(1))@13 ; 3 ; .");
    row(&Framing::LINES, &Syntax::EDN, b"a\rb\r\r\n", "a b ; .");
    row(&Framing::NUL, &Syntax::SEXPLIB, b"Ack\0\0(b\n)\0c", "Ack ; ; ( b ) ; c ; .");
}

#[test]
fn serapi() {
    let row = |input: &str, expected| row(&Framing::SERAPI, &Syntax::SEXPLIB, input.as_bytes(), expected);
    row("byte-length: 6\n(Ack)\n", "( Ack ) ; .");
    row("(Ack)\nbyte-length: 8\n(A\nck)\n\n(b)\n", "( Ack ) ; ( A ck ) ; ( b ) ; .");
    row("byte\nbyte-lengthy x\n", "byte ; byte-lengthy x ; .");
    row("byte-length: x\n(a)\n", "!Header@0 ( a ) ; .");
    row("byte-length: 0\n(a)\n", "!Header@0 ( a ) ; .");
    row("byte-length: 99999999999999999999\n(a)\n", "!Header@0 ( a ) ; .");
    row("byte-length: 3\n(abc)\n(d)\n", "( !Terminator@0 ( d ) ; .");
    row("byte-length: 6\n(Ac", "( !Truncated@0 .");
    let zero = Framing::SERAPI.ended_by(0);
    assert_eq!(show(&decode(&zero, &Syntax::SEXPLIB, Options::default(), &[b"(Ack)\0"], 0)), "( Ack ) ; .");
}

#[test]
fn assuan() {
    let row = |input: &[u8], expected: &str| row(&Framing::ASSUAN, &Syntax::CSEXP, input, expected);
    row(b"D (1:a\nD %0A)\nOK\n", "( a !Payload(IllegalByte(10))@9 ) ; <OK> .");
    row(b"D (3:a%0Ab)\nOK\n", "( a\\nb ) ; <OK> .");
    row(b"D (1:%25)\r\nOK\r\n", "( % ) ; <OK> .");
    row(b"D (4:ab\nD cd)\nOK\n", "( abcd ) ; <OK> .");
    row(
        b"# hi\nS PROGRESS 1\nD (4:ab\nS KEY x\nINQUIRE PIN\nD cd)\nERR 1 no\nOK\n",
        "<# hi> <S PROGRESS 1> ( <S KEY x> <INQUIRE PIN> abcd ) ; <ERR 1 no> <OK> .",
    );
    row(b"OK Pleased\n\nREADKEY 1\nD 1:a\nEND\nD\nOKAY\n", "<OK Pleased> <READKEY 1> a ; <END> <D> <OKAY> .");
    row(b"D (1:%4x)\nD junk\nOK\nD (1:b)\nOK\n", "( !Escape@0 <OK> ( b ) ; <OK> .");
    row(b"D (1:a", "( a !Truncated@0 .");
    row(b"D 2:a\rD\rb\nOK", "a\\r !Payload(IllegalByte(68))@6 !Truncated@0 .");
}

/// A line has up to 1,000 bytes, its end not counted.
#[test]
fn the_longest_assuan_line() {
    for (length, end, fits) in [(1_000, "\n", true), (1_000, "\r\n", true), (1_001, "\n", false), (1_001, "\r\n", false)] {
        for start in ["S ", "D "] {
            let line = format!("{start}{}{end}D 1:a\nOK\n", "x".repeat(length - 2));
            for size in [1, 7, 999, 1_000, 1_001, 1_002, 2_000] {
                let cuts: Vec<usize> = (size..line.len()).step_by(size).collect();
                check_cuts(&Framing::ASSUAN, &Syntax::PLAIN, Options::default(), line.as_bytes(), &cuts);
            }
            let pieces = deframe(&Framing::ASSUAN, Options::default(), &[line.as_bytes()]);
            let is_fault = |piece: &Piece| matches!(piece, Piece::Error(error) if error.kind == ErrorKind::LineTooLong);
            assert_eq!(pieces.iter().any(is_fault), !fits, "{length} {start}");
        }
    }
}

#[test]
fn festival() {
    let row = |input: &[u8], expected| row(&Framing::FESTIVAL, &Syntax::SCHEME, input, expected);
    row(b"LP\n(a \"b\")ft_StUfF_keyOK\n", "<LP> ( a \"b\" ) ; <OK> .");
    row(b"ER\nLP\nhalfft_StUfF_keyOK\n", "<ER> <LP> half ; <OK> .");
    row(b"WV\nRIFF\0ft_StUft_StUfF_keX_ft_StUfF_keyOK\n", "<WV> [RIFF\\x00ft_StUft_StUfF_ke_] ; <OK> .");
    row(b"LP\nft_StUfft_StUfF_keyLP\nft_StUfF_keyOK\n", "<LP> ft_StUf ; <LP> ; <OK> .");
    row(b"XX\nXXX\nOK\n", "!Tag@0 !Tag@3 <OK> .");
    row(b"LP\n(a)ft_StUfF_ke", "<LP> ( a ) !Truncated@0 .");
}

#[test]
fn forms_without_framing() {
    row(&Framing::FORMS, &Syntax::CSEXP, b"(3:foo)3:bar()", "( foo ) ; bar ; ( ) ; .");
    row(&Framing::FORMS, &Syntax::CSEXP, b"(4:File3:a.c)4:Halt", "( File a.c ) ; Halt ; .");
    row(&Framing::FORMS, &Syntax::CSEXP, b"4:Ha", "!InForm(PrematureEnd)@4 .");
    row(
        &Framing::FORMS,
        &Syntax::SEXPLIB,
        b"'a #;b c\n)(d",
        "\\'a ; c ; !Payload(UnbalancedClose(41))@9 ( d !InForm(UnclosedList(1))@12 .",
    );
    row(&Framing::FORMS, &Syntax::GUILE, b"'a #;b #u8(1) x", "\\' a ; #u8 ( 1 ) ; x ; .");
}

/// D26, D27, D25: a frame is told with the last byte that belongs to it.
#[test]
fn what_is_complete_comes_at_once() {
    let ends = |framing: &Framing, syntax, input: &[u8]| {
        let mut events = Vec::new();
        framed::events_of(&mut Decoder::new(framing, syntax), Some(input), 0, &mut events);
        show(&events)
    };
    assert_eq!(ends(&Framing::FORMS, &Syntax::SMTLIB, b"(check-sat)"), "( check-sat ) ;");
    assert_eq!(ends(&Framing::FORMS, &Syntax::SMTLIB, b"exit"), "");
    assert_eq!(ends(&Framing::FORMS, &Syntax::SMTLIB, b"\"hi\""), "");
    // The end of the frame decides what the syntax alone cannot.
    assert_eq!(ends(&Framing::LINES, &Syntax::SMTLIB, b"\"hi\"\n"), "\"hi\" ;");
    assert_eq!(ends(&Framing::LINES, &Syntax::SMTLIB, b"exit\n"), "exit ;");
    assert_eq!(ends(&Framing::SWANK, &Syntax::COMMONLISP, b"000004quit"), "quit ;");
    assert_eq!(ends(&Framing::SWANK, &Syntax::COMMONLISP, b"000005quit"), "");
}

#[test]
fn limits() {
    let options = Options::default().limit_frame(4);
    let row = |framing: &Framing, syntax, input: &[u8], expected: &str| {
        assert_eq!(show(&check(framing, syntax, options, input)), expected, "{}", input.escape_ascii());
    };
    row(&Framing::SWANK, &Syntax::SE, b"000004(ab)000005(abc)000003(b)", "( ab ) ; !FrameTooLarge@10 ( b ) ; .");
    row(&Framing::LINES, &Syntax::SE, b"(ab)\n(abc)\n(b)\n", "( ab ) ; ( !FrameTooLarge@5 ( b ) ; .");
    row(&Framing::LINES, &Syntax::SE, b"(ab)\r\n(a\r)\r\n", "( ab ) ; ( a ) ; .");
    row(&Framing::NUL, &Syntax::SE, b"(abc)\0a\0", "( !FrameTooLarge@0 a ; .");
    row(
        &Framing::SERAPI,
        &Syntax::SE,
        b"byte-length: 5\n(ab)\nbyte-length: 6\n(abc)\nbyte-lx\na\n",
        "( ab ) ; !FrameTooLarge@20 !FrameTooLarge@41 a ; .",
    );
    row(
        &Framing::ASSUAN,
        &Syntax::SE,
        b"D (ab)\nOK\nD (a\nD %61b)\nD x\nOK\nD a\nOK\n",
        "( ab ) ; <OK> ( !FrameTooLarge@10 <OK> a ; <OK> .",
    );
    row(
        &Framing::FESTIVAL,
        &Syntax::SE,
        b"LP\n(ab)ft_StUfF_keyLP\nft_StUx ft_StUfF_keyOK\n",
        "<LP> ( ab ) ; <LP> !FrameTooLarge@19 <OK> .",
    );
    row(&Framing::IDRIS, &Syntax::SE, b"abcde f\n000005(abc)a\n", "!FrameTooLarge@0 !FrameTooLarge@8 a ; .");
}

/// Sixteen megabytes that are only announced take no memory, and neither do lines and headers without end.
#[test]
fn what_is_announced_reserves_nothing() {
    for (framing, start, piece, most) in [
        (Framing::SWANK, &b"ffffff("[..], &b"a "[..], 1_000),
        (Framing::IDRIS, b"ffffff(", b"a ", 1_000),
        (Framing::SERAPI, b"byte-length: 18446744073709551615\n", b"a ", 1_000),
        (Framing::ASSUAN, b"S ", b"aaaaaaaaaa", 3_000),
        (Framing::FESTIVAL, b"", b"a ", 1_000),
        (Framing::SWANK, b"x", b"x", 1_000),
    ] {
        let mut decoder = Decoder::new(&framing, &Syntax::SE);
        let info = measure(|| {
            let mut feed = |chunk: &[u8]| {
                let mut input = decoder.feed(chunk);
                while !matches!(input.decode(), Decode::Await) {}
            };
            feed(start);
            (0..10_000).for_each(|_| feed(piece));
        });
        assert!(info.bytes_max < most, "{framing:?} {info:?}");
    }
}

/// All kinds of streams, sound and not.
fn streams() -> Vec<(Framing, &'static Syntax, Vec<u8>)> {
    let long = "(abc \"d e\" 12) ".repeat(40);
    let mut all = Vec::new();
    for framing in Framing::ALL {
        let mut stream = Vec::new();
        for payload in ["(a \"b\\n\" c)", "x", long.trim_end(), "(a", "a%b"] {
            framing.frame(payload.as_bytes(), &mut stream).unwrap();
            if framing.line(b"OK", &mut stream).is_err() && framing == Framing::FORMS {
                stream.push(b' ');
            }
        }
        if framing == Framing::FESTIVAL {
            framing.octets(b"ft_StUfF_key\0\xff", &mut stream).unwrap();
        }
        all.push((framing, &Syntax::COMMONLISP, stream));
    }
    all
}

#[test]
fn no_step_allocates() {
    for (framing, syntax, stream) in streams() {
        let mut decoder = Decoder::new(&framing, syntax);
        for size in [1, 2, 3, 7, 64, 4096] {
            let mut pass = || {
                decoder.reset();
                for chunk in stream.chunks(size) {
                    let mut input = decoder.feed(chunk);
                    while !matches!(input.decode(), Decode::Await) {}
                }
                while !matches!(decoder.finish().decode(), Decode::End) {}
            };
            pass();
            let info = measure(pass);
            assert_eq!(info.count_total, 0, "{framing:?} in chunks of {size}: {info:?}");
        }
    }
}

#[test]
fn the_encoder_keeps_its_buffers() {
    for framing in Framing::ALL {
        let mut encoder = Encoder::new(&framing, &Syntax::COMMONLISP);
        let mut window = [0; 100];
        let mut pass = || {
            for lexeme in [Lexeme::open(), Lexeme::bare(b"a"), Lexeme::string(b"b% c"), Lexeme::close()] {
                encoder.encode(lexeme).unwrap();
            }
            encoder.end_of_frame().unwrap();
            while encoder.fill(&mut window) > 0 {}
        };
        pass();
        assert_eq!(measure(pass).count_total, 0, "{framing:?}");
    }
}

/// A megabyte byte by byte: would a byte be looked at again for each cut, this would not end.
#[test]
fn linear_in_the_smallest_chunks() {
    let payload = format!("({})", "abcdefg \"x%f\" ".repeat(70_000));
    for framing in Framing::ALL {
        let mut stream = Vec::new();
        framing.frame(payload.as_bytes(), &mut stream).unwrap();
        let mut decoder = Decoder::new(&framing, &Syntax::PLAIN);
        let (mut atoms, mut ends) = (0, 0);
        for byte in stream.chunks(1) {
            let mut input = decoder.feed(byte);
            loop {
                match input.decode() {
                    Decode::Lexeme(lexeme) => atoms += u32::from(lexeme.kind.is_atom()),
                    Decode::EndOfFrame => ends += 1,
                    Decode::Await => break,
                    Decode::Line(_) => {}
                    other => panic!("{other:?}"),
                }
            }
        }
        assert_eq!((atoms, ends), (140_000, u32::from(framing != Framing::ASSUAN)), "{framing:?}");
    }
}

/// Large atoms may come in pieces, and go in pieces.
#[test]
fn fragments() {
    let text = vec![b'x'; 1_000];
    let mut stream = Vec::new();
    Framing::SWANK.frame(&[b"(1000:", &text[..], b"3:end)"].concat(), &mut stream).unwrap();
    for size in [1, 7, 100, 2_000] {
        let mut decoder = Decoder::with_options(&Framing::SWANK, &Syntax::CANONICAL, Options::default().fragments(10));
        let mut encoder = Encoder::new(&Framing::SWANK, &Syntax::CANONICAL);
        let mut pieces = 0;
        for chunk in stream.chunks(size) {
            let mut input = decoder.feed(chunk);
            loop {
                match input.decode() {
                    Decode::Lexeme(lexeme) => encoder.encode(lexeme).unwrap(),
                    Decode::Fragment(fragment) => {
                        pieces += 1;
                        encoder.fragment(fragment).unwrap();
                    }
                    Decode::EndOfFrame => encoder.end_of_frame().unwrap(),
                    Decode::Await => break,
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(size == 2_000 || pieces > 1, "{size}: {pieces} pieces");
        assert!(encoder.bytes() == stream);
    }
}

/// Streams of many frames, byte by byte.
#[test]
fn many_frames_in_bytes() {
    for (framing, syntax, stream) in streams() {
        let stream = stream.repeat(20);
        let cuts: Vec<usize> = (1..stream.len()).collect();
        check_cuts(&framing, syntax, Options::default(), &stream, &cuts);
    }
}

#[test]
fn every_cut_of_every_stream() {
    for (framing, syntax, stream) in streams() {
        check(&framing, syntax, Options::default(), &stream);
        check(&framing, syntax, Options::default().limit_frame(100), &stream);
    }
}

#[test]
fn what_cannot_be_framed() {
    let mut stream = Vec::new();
    let mut refused = |framing: Framing, payload: &[u8]| framing.frame(payload, &mut stream).unwrap_err();
    assert_eq!(refused(Framing::SWANK, b""), FrameError::Empty);
    assert_eq!(refused(Framing::SWANK, &vec![b' '; 1 << 24]), FrameError::TooLarge);
    assert_eq!(refused(Framing::LINES, b"a\nb"), FrameError::Terminator(1));
    assert_eq!(refused(Framing::LINES, b"a\r"), FrameError::Terminator(1));
    assert_eq!(refused(Framing::NUL, b"\0"), FrameError::Terminator(0));
    assert_eq!(refused(Framing::SERAPI, b"byte-length: 3"), FrameError::Terminator(13));
    assert!(stream.is_empty());
    for line in [&b""[..], b"a\nb", b"D x", b"S \r", &[b'x'; 1_001]] {
        assert_eq!(Framing::ASSUAN.line(line, &mut stream), Err(FrameError::Line), "{}", line.escape_ascii());
    }
    assert_eq!(Framing::FESTIVAL.line(b"LP", &mut stream), Err(FrameError::Line));
    assert_eq!(Framing::SWANK.line(b"OK", &mut stream), Err(FrameError::Line));
    for line in [&b"abcdef"[..], b"abcdefg", b"000003(a)"] {
        assert_eq!(Framing::IDRIS.line(line, &mut stream), Err(FrameError::Line));
    }
    assert_eq!(Framing::SWANK.octets(b"OK", &mut stream), Err(FrameError::Octets));
    assert!(stream.is_empty());
    let mut encoder = Encoder::new(&Framing::ASSUAN, &Syntax::CSEXP);
    encoder.encode(Lexeme::open()).unwrap();
    assert_eq!(encoder.line(b"OK"), Err(EncodeError::Unfinished));
    assert!(matches!(encoder.end_of_frame(), Err(EncodeError::Refused(_))));
    encoder.drop_frame();
    encoder.line(b"OK").unwrap();
    assert_eq!(encoder.bytes(), b"OK\n");
}

/// A line that begins like a header, and is shorter than one, is a line.
#[test]
fn short_idris_lines() {
    for line in [&b"a"[..], b"abcde", b"abcdeg", b"(a)"] {
        let mut stream = Vec::new();
        Framing::IDRIS.line(line, &mut stream).unwrap();
        let pieces = deframe(&Framing::IDRIS, Options::default(), &[&stream]);
        assert_eq!(pieces, [Piece::Payload(line.to_vec()), Piece::EndOfFrame, Piece::End]);
    }
}

/// Lines of data are broken where they are full, and never inside an escape.
#[test]
fn long_assuan_data() {
    for size in [997, 998, 999, 1_996, 10_000] {
        for byte in [b"a", b"%"] {
            let payload = byte.repeat(size);
            let mut stream = Vec::new();
            Framing::ASSUAN.frame(&payload, &mut stream).unwrap();
            Framing::ASSUAN.line(b"OK", &mut stream).unwrap();
            assert!(stream.split(|byte| *byte == b'\n').all(|line| line.len() <= 1_000));
            let pieces = deframe(&Framing::ASSUAN, Options::default(), &[&stream]);
            assert_eq!(pieces, [Piece::Payload(payload), Piece::EndOfFrame, Piece::Line(b"OK".to_vec()), Piece::End]);
        }
    }
}

/// The bytes that wait are given in order, whatever the windows, and a slow peer costs no more than what waits.
#[test]
fn windows_of_any_size() {
    let mut encoder = Encoder::new(&Framing::SWANK, &Syntax::COMMONLISP);
    let (mut sent, mut expected) = (Vec::new(), Vec::new());
    for round in 0..200_usize {
        let payload = vec![b'a'; round % 50 + 1];
        encoder.frame(&payload).unwrap();
        Framing::SWANK.frame(&payload, &mut expected).unwrap();
        let mut window = vec![0; round % 37];
        let count = encoder.fill(&mut window);
        sent.extend_from_slice(&window[..count]);
        assert_eq!(encoder.remaining(), expected.len() - sent.len());
    }
    let mut rest = BytesMut::new();
    encoder.append_to(&mut rest);
    sent.extend_from_slice(&rest);
    assert!(sent == expected && !encoder.has_remaining());
}

fn capture(name: &str) -> Vec<u8> {
    fs::read(format!("{}/tests/data/captures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Real streams: read over many cuts, and written again, byte for byte, from the payload and from the lexemes with all text.
#[test]
fn captures() {
    let server = Framing::SWANK.capitals(true);
    for (framing, syntax, name, frames) in [
        (Framing::SWANK, &Syntax::COMMONLISP, "emacs-slime.client-to-server.bin", 8),
        (server, &Syntax::COMMONLISP, "emacs-slime.server-to-client.bin", 0),
        (Framing::LINES, &Syntax::CLOJURE, "prepl-server.bin", 0),
        (Framing::FORMS, &Syntax::CSEXP, "dune-describe.csexp", 1),
        (Framing::FORMS, &Syntax::SMTLIB, "smt-cvc5.out", 0),
    ] {
        let stream = capture(name);
        let events = decode(&framing, syntax, Options::default(), &[&stream], 0);
        assert!(!events.iter().any(|event| matches!(event, Event::Error(_))), "{name}");
        let ends = events.iter().filter(|event| **event == Event::EndOfFrame).count();
        assert!(if frames > 0 { ends == frames } else { ends > 3 }, "{name}: {ends} frames");
        let each_byte: Vec<usize> = (1..stream.len()).collect();
        check_cuts(&framing, syntax, Options::default(), &stream, &each_byte);
        let pieces = naive::deframe(&framing, Options::default(), &stream);
        for cut in (1..stream.len()).step_by(1 + stream.len() / 4_000) {
            assert_eq!(deframe(&framing, Options::default(), &[&stream[..cut], &stream[cut..]]), pieces);
        }
        for cut in (1..stream.len()).step_by(1 + stream.len() / 200) {
            check_cuts(&framing, syntax, Options::default(), &stream, &[cut]);
        }
        let (mut again, mut from_text) = (Vec::new(), Vec::new());
        for piece in &pieces {
            if let Piece::Payload(payload) = piece {
                framing.frame(payload, &mut again).unwrap();
            }
        }
        assert!(again == stream, "{name}");
        let mut text = Vec::new();
        for event in decode(&framing, syntax, Options::default().verbatim(true), &[&stream], 0) {
            match event {
                Event::Lexeme(_, bytes, _) => text.extend(bytes),
                Event::EndOfFrame => framing.frame(&std::mem::take(&mut text), &mut from_text).unwrap(),
                Event::End => from_text.append(&mut text),
                other => panic!("{other:?}"),
            }
        }
        assert!(from_text == stream, "{name}, from its lexemes");
    }
}

/// Real binary values, in lines of data, with every byte in them.
#[test]
fn gpg_values_in_data_lines() {
    for name in ["gpg-pksign.csexp", "gpg-readkey-0.csexp", "gpg-readkey-1.csexp", "gpg-readkey-2.csexp"] {
        let value = capture(name);
        let mut stream = Vec::new();
        Framing::ASSUAN.frame(&value, &mut stream).unwrap();
        Framing::ASSUAN.line(b"OK", &mut stream).unwrap();
        assert_eq!(deframe(&Framing::ASSUAN, Options::default(), &[&stream])[0], Piece::Payload(value), "{name}");
        check(&Framing::ASSUAN, &Syntax::LIBGCRYPT, Options::default(), &stream);
    }
}

/// After a stray close the frame goes on, and its end is told.
#[test]
fn faults_in_the_payload_do_not_end_the_frame() {
    let events = check(&Framing::SWANK, &Syntax::COMMONLISP, Options::default(), b"000007)(a)\n(b000003(c)");
    assert_eq!(show(&events), "!Payload(UnbalancedClose(41))@6 ( a ) ( b !InForm(UnclosedList(1))@13 ; ( c ) ; .");
    let Event::Error(error) = &events[0] else { panic!() };
    assert_eq!(error.kind, ErrorKind::Payload(Fault::UnbalancedClose(b')')));
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "000003", "(a)", "000000", "00000", "ffffff", "\n", "\r\n", "\r", "\0", "byte-length: ", "4\n", "12", "D ", "D", "%0A", "%25", "%",
            "OK\n", "ERR 1\n", "S x\n", "LP\n", "WV\n", "ft_StUfF_key", "ft_StUfF_keX", "ft_StUf", "ft_", "f", "(", ")", "\"", " ", "λ",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// Framings as protocols change them.
const CHANGED: [Framing; 5] = [
    Framing::SWANK.counting(Unit::Characters),
    Framing::IDRIS.counting(Unit::Characters).capitals(true),
    Framing::SERAPI.ended_by(0),
    Framing::LINES.ended_by(b'('),
    Framing::NUL.ended_by(b'\n'),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_stream_over_any_cuts(stream in bytes(), which in 0..Framing::ALL.len(), limit in prop::option::of(0_u64..12), cuts in prop::collection::vec(0_usize..60, 0..4)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
        cuts.sort_unstable();
        let options = limit.map_or(Options::default(), |limit| Options::default().limit_frame(limit));
        let each_byte: Vec<usize> = (1..stream.len()).collect();
        for syntax in [&Syntax::COMMONLISP, &Syntax::CSEXP] {
            check_cuts(&Framing::ALL[which], syntax, options, &stream, &cuts);
            check_cuts(&Framing::ALL[which], syntax, options, &stream, &each_byte);
        }
    }

    /// Framings that were changed, which the naive deframer does not know: whatever the cuts, what one chunk gives; and text reads back.
    #[test]
    fn changed_framings(
        stream in bytes(),
        text in bytes(),
        which in 0..CHANGED.len(),
        limit in prop::option::of(0_u64..12),
        cuts in prop::collection::vec(0_usize..60, 0..4),
    ) {
        let framing = CHANGED[which];
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
        cuts.sort_unstable();
        let options = limit.map_or(Options::default(), |limit| Options::default().limit_frame(limit));
        let syntax = &Syntax::COMMONLISP;
        let pieces = deframe(&framing, options, &[&stream]);
        let events = decode(&framing, syntax, options, &[&stream], 0);
        let whole = frames(&framing, options, &[&stream]);
        for cuts in [&cuts, &(1..stream.len()).collect()] {
            let chunks = framed::cut(&stream, cuts);
            prop_assert_eq!(&deframe(&framing, options, &chunks), &pieces);
            prop_assert_eq!(&frames(&framing, options, &chunks), &whole);
            prop_assert_eq!(&decode(&framing, syntax, options, &chunks, 1), &events);
        }
        let payload = String::from_utf8_lossy(&text);
        let mut stream = Vec::new();
        if framing.frame(payload.as_bytes(), &mut stream).is_ok() {
            let expected = [Piece::Payload(payload.as_bytes().to_vec()), Piece::EndOfFrame, Piece::End];
            let skipped = usize::from(payload.is_empty());
            prop_assert_eq!(&deframe(&framing, Options::default(), &[&stream])[..], &expected[skipped..]);
        }
    }

    #[test]
    fn any_payload_reads_back(payload in bytes(), which in 0..Framing::ALL.len()) {
        let framing = Framing::ALL[which];
        let mut stream = Vec::new();
        if framing != Framing::FORMS && framing.frame(&payload, &mut stream).is_ok() {
            if framing == Framing::ASSUAN {
                framing.line(b"OK", &mut stream).unwrap();
            }
            let pieces = deframe(&framing, Options::default(), &[&stream]);
            let read: Vec<u8> = pieces.iter().filter_map(|piece| match piece { Piece::Payload(bytes) => Some(&bytes[..]), _ => None }).collect::<Vec<_>>().concat();
            prop_assert_eq!(read, payload);
            prop_assert_eq!(pieces.iter().filter(|piece| **piece == Piece::EndOfFrame).count(), 1);
        }
    }
}
