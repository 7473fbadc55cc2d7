//! The codecs for tokio's framed streams: over all cuts the items of the drivers below them; the end of the stream; faults; cancellation.

mod framed;

use bytes::{Bytes, BytesMut};
use framed::{all_cuts, cut, forms, frames};
use futures_util::{SinkExt, StreamExt};
use sexp_codec::forms::{Error as FormError, Form};
use sexp_codec::framing::{ErrorKind, Frame, Framing};
use sexp_codec::tokio_codec::{Error, FormCodec, FrameCodec};
use sexp_codec::{EncodeError, Lexeme, Options, Syntax};
use std::future::Future;
use std::io::Cursor;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio_util::codec::{Decoder, Encoder, Framed, FramedRead};

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), future).await }).expect("it takes too long")
}

/// All items of a codec that is fed these chunks by hand.
fn items<C: Decoder<Error = Error>>(mut codec: C, chunks: &[&[u8]]) -> Vec<Result<C::Item, Error>> {
    let (mut buffer, mut items) = (BytesMut::new(), Vec::new());
    for chunk in chunks {
        buffer.extend_from_slice(chunk);
        while let Some(item) = codec.decode(&mut buffer).transpose() {
            items.push(item);
        }
    }
    while let Some(item) = codec.decode_eof(&mut buffer).transpose() {
        items.push(item);
    }
    items
}

#[test]
fn items_over_all_cuts() {
    let stream = b"(a \"b c\") d #;x (\"\\999\") '(e) ) f";
    let expected = format!("{:?}", forms(&Syntax::SEXPLIB, Options::default(), &[stream]));
    for cuts in all_cuts(stream.len()) {
        let found: Vec<_> = items(FormCodec::new(&Syntax::SEXPLIB), &cut(stream, &cuts))
            .into_iter()
            .map(|form| match form {
                Ok(Form { bytes, span }) => Ok((bytes.to_vec(), span)),
                Err(Error::Form(error)) => Err(error),
                Err(other) => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(format!("{found:?}"), expected);
    }
    for framing in Framing::ALL.into_iter().filter(|framing| *framing != Framing::FORMS) {
        let mut stream = Vec::new();
        for payload in ["(a)", "b%c", "(d \"e\")"] {
            framing.frame(payload.as_bytes(), &mut stream).unwrap();
            let _ = framing.line(b"OK", &mut stream);
        }
        let expected = format!("{:?}", frames(&framing, Options::default(), &[&stream]));
        for cuts in all_cuts(stream.len()) {
            let found: Vec<_> = items(FrameCodec::new(&framing), &cut(&stream, &cuts))
                .into_iter()
                .map(|frame| match frame {
                    Ok(frame) => Ok(frame),
                    Err(Error::Framing(error)) => Err(error),
                    Err(other) => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(format!("{found:?}"), expected);
        }
    }
}

#[test]
fn the_end_of_the_stream() {
    run(async {
        let mut forms = FramedRead::new(Cursor::new(b"(a) b"), FormCodec::new(&Syntax::SEXPLIB));
        assert_eq!(forms.next().await.unwrap().unwrap().bytes, "(a)");
        assert_eq!(forms.next().await.unwrap().unwrap().bytes, "b");
        assert!(forms.next().await.is_none());

        let mut forms = FramedRead::new(Cursor::new(b"(a) (b"), FormCodec::new(&Syntax::SEXPLIB));
        assert!(forms.next().await.unwrap().is_ok());
        assert!(matches!(forms.next().await, Some(Err(Error::Form(FormError::Incomplete(_))))));
        assert!(forms.next().await.is_none());

        let mut frames = FramedRead::new(Cursor::new(b"000003(a)00000"), FrameCodec::new(&Framing::SWANK));
        assert_eq!(frames.next().await.unwrap().unwrap(), Frame::Payload("(a)".into()));
        assert!(matches!(frames.next().await, Some(Err(Error::Framing(error))) if error.kind == ErrorKind::Truncated));
        assert!(frames.next().await.is_none());
    });
}

/// A fault ends the stream once, and it goes on when it is asked again.
#[test]
fn after_a_fault() {
    run(async {
        let mut forms = FramedRead::new(Cursor::new(b"(a))(b)"), FormCodec::new(&Syntax::SEXPLIB));
        assert!(forms.next().await.unwrap().is_ok());
        assert!(matches!(forms.next().await, Some(Err(Error::Form(FormError::Malformed(_))))));
        assert!(forms.next().await.is_none());
        assert_eq!(forms.next().await.unwrap().unwrap().bytes, "(b)");
    });
}

/// A future that waits for an item is dropped in the middle of one, again and again.
#[test]
fn nothing_is_lost_with_a_future() {
    run(async {
        let (ours, mut theirs) = duplex(16);
        let mut frames = Framed::new(ours, FrameCodec::new(&Framing::SWANK));
        let mut received = Vec::new();
        for byte in b"000003(a)000006(b cd)" {
            theirs.write_all(&[*byte]).await.unwrap();
            let next = pin!(frames.next()).poll(&mut Context::from_waker(Waker::noop()));
            if let std::task::Poll::Ready(Some(frame)) = next {
                received.push(frame.unwrap());
            }
        }
        assert_eq!(received, [Frame::Payload("(a)".into()), Frame::Payload("(b cd)".into())]);
    });
}

#[test]
fn what_is_sent() {
    run(async {
        let (ours, mut theirs) = duplex(1024);
        let mut frames = Framed::new(ours, FrameCodec::new(&Framing::ASSUAN));
        frames.send(Frame::Payload("(1:%)".into())).await.unwrap();
        frames.send(Frame::Line("OK".into())).await.unwrap();
        let refused = frames.send(Frame::Octets(Bytes::new())).await;
        assert!(matches!(refused, Err(Error::Frame(_))));
        drop(frames);
        let mut sent = String::new();
        theirs.read_to_string(&mut sent).await.unwrap();
        assert_eq!(sent, "D (1:%25)\nOK\n");
    });
}

#[test]
fn forms_that_are_sent() {
    let lexemes = [Lexeme::open(), Lexeme::bare(b"a"), Lexeme::string(&[b'x'; 100]), Lexeme::close()];
    for (syntax, expected) in
        [(&Syntax::SEXPLIB, format!("(a\"{0}\")\n(b)\n", "x".repeat(100))), (&Syntax::CSEXP, format!("(1:a100:{})(b)", "x".repeat(100)))]
    {
        let mut codec = FormCodec::new(syntax);
        let mut buffer = BytesMut::new();
        codec.encode(&lexemes[..], &mut buffer).unwrap();
        assert!(matches!(codec.encode(&lexemes[..2], &mut buffer), Err(Error::Refused(EncodeError::UnclosedList(1)))));
        codec.encode(Form { bytes: "(b)".into(), span: Default::default() }, &mut buffer).unwrap();
        assert_eq!(buffer, expected);
    }
}
