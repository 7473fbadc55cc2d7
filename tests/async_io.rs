//! The async drivers: what the rows do not show. Cancelled calls of the encoder, faults of readers and sinks, allocations, a real runtime.

mod harness;

use allocation_counter::measure;
use harness::drivers::{AwaitedPieces, owned};
use harness::{Event, Subject};
use sexp_codec::async_io::{EncodeError, Error};
use sexp_codec::{EncodeOptions, ErrorKind, Kind, Layout, Lexeme, Options, Syntax, async_futures, async_tokio, blocking};
use std::future::Future;
use std::hint::black_box;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Polls a future until it is ready.
fn wait<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(outcome) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return outcome;
        }
    }
}

/// Polls it once.
fn once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// A sink that takes one byte at a time, and has to be awaited before each; before every third it is interrupted, too.
#[derive(Default)]
struct Slow {
    taken: Vec<u8>,
    calls: u32,
    flushes: u32,
    /// After so many bytes it fails once.
    fails_at: Option<usize>,
}

impl Slow {
    fn poll_ready(&mut self, context: &Context<'_>) -> Poll<io::Result<()>> {
        self.calls += 1;
        if self.calls % 6 == 3 {
            return Poll::Ready(Err(io::ErrorKind::Interrupted.into()));
        }
        if self.calls % 2 == 1 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.fails_at.take_if(|at| *at == self.taken.len()).is_some() {
            return Poll::Ready(Err(io::ErrorKind::StorageFull.into()));
        }
        Poll::Ready(Ok(()))
    }
}

impl futures_io::AsyncWrite for Slow {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_ready(context))?;
        self.taken.extend(bytes.first());
        Poll::Ready(Ok(bytes.len().min(1)))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_ready(context))?;
        self.flushes += 1;
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

impl tokio::io::AsyncWrite for Slow {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        futures_io::AsyncWrite::poll_write(self, context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        futures_io::AsyncWrite::poll_flush(self, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        futures_io::AsyncWrite::poll_close(self, context)
    }
}

fn lexemes() -> [Lexeme<'static>; 8] {
    [
        Lexeme::open(),
        Lexeme::bare(b"a"),
        Lexeme::string(b"a string\n\"\\ that is longer than the smaller windows"),
        Lexeme::open(),
        Lexeme::bare(b"bcd"),
        Lexeme::close(),
        Lexeme::close(),
        Lexeme::bare(b"e"),
    ]
}

/// What the blocking encoder writes.
fn written(syntax: &'static Syntax, layout: Layout) -> Vec<u8> {
    let mut encoder = blocking::Encoder::with_capacity(Vec::new(), 64, syntax, EncodeOptions::default().layout(layout));
    for lexeme in lexemes() {
        encoder.encode(lexeme).unwrap();
    }
    encoder.finish().unwrap();
    encoder.into_inner()
}

#[test]
fn a_cancelled_call_of_the_encoder_that_is_made_again_goes_on() {
    for syntax in [&Syntax::SEXPLIB, &Syntax::CANONICAL, &Syntax::TRANSPORT] {
        for layout in [Layout::Compact, Layout::Lines] {
            for capacity in [0, 1, 2, 3, 7, 64] {
                let options = EncodeOptions::default().layout(layout);
                let mut encoder = async_futures::Encoder::with_capacity(Slow::default(), capacity, syntax, options);
                let mut cancelled = 0;
                for lexeme in lexemes() {
                    while once(encoder.encode(lexeme)).map(Result::unwrap).is_pending() {
                        cancelled += 1;
                    }
                    while lexeme.kind == Kind::Close && once(encoder.flush()).map(Result::unwrap).is_pending() {
                        cancelled += 1;
                    }
                }
                while once(encoder.finish()).map(Result::unwrap).is_pending() {
                    cancelled += 1;
                }
                assert!(encoder.get_ref().flushes >= 3);
                let expected = written(syntax, layout);
                assert!(cancelled > expected.len());
                assert_eq!(encoder.into_inner().taken.escape_ascii().to_string(), expected.escape_ascii().to_string());
            }
        }
    }
}

#[test]
fn after_an_error_of_the_sink_the_call_is_repeated() {
    for fails_at in 0..written(&Syntax::SEXPLIB, Layout::Compact).len() {
        let sink = Slow { fails_at: Some(fails_at), ..Slow::default() };
        let mut encoder = async_tokio::Encoder::with_capacity(sink, 5, &Syntax::SEXPLIB, EncodeOptions::default());
        let mut failed = 0;
        let mut good = |outcome: Result<(), EncodeError>| match outcome {
            Ok(()) => true,
            Err(EncodeError::Io(error)) if error.kind() == io::ErrorKind::StorageFull => {
                failed += 1;
                false
            }
            Err(error) => panic!("{error}"),
        };
        for lexeme in lexemes() {
            while !good(wait(encoder.encode(lexeme))) {}
        }
        while !good(wait(encoder.finish())) {}
        assert_eq!(failed, 1);
        assert_eq!(encoder.into_inner().taken, written(&Syntax::SEXPLIB, Layout::Compact));
    }
}

#[test]
fn what_cannot_be_written_is_refused_and_changes_nothing() {
    let mut encoder = async_futures::Encoder::new(Vec::new(), &Syntax::SE);
    wait(encoder.encode(Lexeme::bare(b"a"))).unwrap();
    assert!(matches!(wait(encoder.encode(Lexeme::bare(b"b c"))), Err(EncodeError::Refused(_))));
    assert!(matches!(wait(encoder.encode(Lexeme::close())), Err(EncodeError::Refused(_))));
    wait(encoder.encode(Lexeme::open())).unwrap();
    assert!(matches!(wait(encoder.finish()), Err(EncodeError::Refused(_))));
    assert_eq!(encoder.depth(), 1);
    wait(encoder.encode(Lexeme::close())).unwrap();
    wait(encoder.finish()).unwrap();
    assert_eq!(encoder.into_inner(), b"a()");
}

#[test]
fn pieces_of_atoms_pass_through() {
    let input = b"(5:abcde 20:aaaaaaaaaaaaaaaaaaaa)".map(|byte| byte);
    let input: Vec<u8> = input.into_iter().filter(|byte| *byte != b' ').collect();
    let mut decoder = async_futures::Decoder::with_options(&input[..], &Syntax::CANONICAL, Options::default().fragments(8));
    let mut encoder = async_futures::Encoder::new(Vec::new(), &Syntax::CANONICAL);
    wait(async {
        loop {
            match decoder.next().await.unwrap() {
                blocking::Item::Lexeme(lexeme) => encoder.encode(lexeme).await.unwrap(),
                blocking::Item::Fragment(piece) => encoder.fragment(piece).await.unwrap(),
                blocking::Item::End => return encoder.finish().await.unwrap(),
                blocking::Item::Error(error) => panic!("{error}"),
            }
        }
    });
    assert_eq!(encoder.into_inner(), input);
}

/// A reader that fails before each piece.
struct Failing<'a>(AwaitedPieces<'a>, bool);

impl futures_io::AsyncRead for Failing<'_> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        self.1 = !self.1;
        if self.1 {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        loop {
            if let Poll::Ready(outcome) = futures_io::AsyncRead::poll_read(Pin::new(&mut self.0), context, buffer) {
                return Poll::Ready(outcome);
            }
        }
    }
}

#[test]
fn after_a_fault_of_the_reader_nothing_is_lost() {
    let input = b"(one \"two\" three) four";
    let pieces: Vec<&[u8]> = input.chunks(3).collect();
    let expected = harness::decode(Subject::named("sexplib").rules, Options::default(), input);
    let source = Failing(AwaitedPieces::new(&pieces), false);
    let mut decoder = async_futures::Decoder::from_read_with(source, 2, &Syntax::SEXPLIB, Options::default());
    let (mut events, mut faults) = (Vec::new(), 0);
    loop {
        match wait(decoder.decode()) {
            Ok(Some(lexeme)) => events.push(owned(lexeme)),
            Ok(None) => break,
            Err(Error::Io(_)) => faults += 1,
            Err(Error::Malformed(error)) => panic!("{error}"),
        }
    }
    events.push(Event::End);
    assert_eq!(events, expected);
    assert!(faults > pieces.len());
}

#[test]
fn faults_of_the_input_come_with_their_place_and_the_rest_after_them() {
    let mut decoder = async_futures::Decoder::new(&b"a\n ) (b"[..], &Syntax::SEXPLIB);
    assert_eq!(wait(decoder.decode()).unwrap(), Some(Lexeme::bare(b"a")));
    let Err(Error::Malformed(error)) = wait(decoder.decode()) else { panic!() };
    assert_eq!((error.kind, error.position.line, error.position.column), (ErrorKind::UnbalancedClose(b')'), 2, 2));
    assert_eq!(wait(decoder.decode()).unwrap(), Some(Lexeme::open()));
    assert_eq!((decoder.position(), decoder.depth()), (6, 1));
    let at = decoder.location(5).unwrap();
    assert_eq!((at.line, at.column), (2, 4));
}

#[test]
fn exactly_what_was_decoded_is_consumed() {
    let mut decoder = async_futures::Decoder::new(&b"(a)rest"[..], &Syntax::SEXPLIB);
    for _ in 0..3 {
        wait(decoder.decode()).unwrap().unwrap();
    }
    assert_eq!(decoder.into_inner(), b"rest");
    let mut decoder = async_tokio::Decoder::from_read(&b"(a)rest"[..], &Syntax::SEXPLIB);
    for _ in 0..3 {
        wait(decoder.decode()).unwrap().unwrap();
    }
    assert_eq!(decoder.into_inner().buffer(), b"rest");
}

#[test]
fn no_step_allocates() {
    let text = b"(define (f x) \"a string\\n\" (g x 12345))\n".repeat(100);
    let pieces: Vec<&[u8]> = text.chunks(5).collect();
    let twice: Vec<&[u8]> = pieces.iter().chain(&pieces).copied().collect();
    let mut decoder = async_futures::Decoder::from_read_with(AwaitedPieces::new(&twice), 64, &Syntax::SEXPLIB, Options::default());
    let mut encoder = async_futures::Encoder::with_capacity(futures_sink(), 64, &Syntax::SEXPLIB, EncodeOptions::default());
    while decoder.position() < text.len() as u64 {
        let lexeme = wait(decoder.decode()).unwrap().unwrap();
        wait(encoder.encode(lexeme)).unwrap();
    }
    let info = measure(|| {
        while let Some(lexeme) = black_box(wait(decoder.decode())).unwrap() {
            wait(encoder.encode(lexeme)).unwrap();
        }
        wait(encoder.finish()).unwrap();
    });
    assert_eq!(info.count_total, 0);
}

/// A sink that keeps nothing, and has to be awaited now and then.
fn futures_sink() -> impl futures_io::AsyncWrite + Unpin {
    struct Nowhere(bool);
    impl futures_io::AsyncWrite for Nowhere {
        fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            self.0 = !self.0;
            if self.0 { Poll::Pending } else { Poll::Ready(Ok(bytes.len())) }
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }
    Nowhere(false)
}

/// A runtime of this thread, and no test that hangs.
fn bounded<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(20), future).await }).expect("it hangs")
}

#[test]
fn question_and_answer_over_a_narrow_pipe() {
    bounded(async {
        let (client, server) = tokio::io::duplex(3);
        // It answers each form with itself, as soon as it is whole.
        let server = tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(server);
            let mut decoder = async_tokio::Decoder::from_read(reader, &Syntax::SEXPLIB);
            let mut encoder = async_tokio::Encoder::new(writer, &Syntax::CANONICAL);
            while let Some(lexeme) = decoder.decode().await.unwrap() {
                encoder.encode(lexeme).await.unwrap();
                if encoder.depth() == 0 {
                    encoder.flush().await.unwrap();
                }
            }
            encoder.finish().await.unwrap();
            encoder.into_inner().shutdown().await.unwrap();
        });
        let (reader, mut writer) = tokio::io::split(client);
        let mut decoder = async_tokio::Decoder::from_read(reader, &Syntax::CANONICAL);
        for _ in 0..100 {
            let (asked, answered) = tokio::join!(writer.write_all(b"(get \"a file\" 1)"), async {
                let mut bytes = Vec::new();
                loop {
                    bytes.extend_from_slice(decoder.decode().await.unwrap().unwrap().bytes);
                    if decoder.depth() == 0 {
                        return bytes;
                    }
                }
            });
            asked.unwrap();
            assert_eq!(answered, b"(geta file1)");
        }
        writer.shutdown().await.unwrap();
        assert!(decoder.decode().await.unwrap().is_none());
        server.await.unwrap();
    });
}

#[test]
fn a_timeout_that_cancels_loses_nothing() {
    bounded(async {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let mut decoder = async_tokio::Decoder::from_read(ours, &Syntax::SEXPLIB);
        let mut seen = Vec::new();
        for piece in [&b"(ab"[..], b"c \"d", b"\\", b"n\")"] {
            theirs.write_all(piece).await.unwrap();
            // Each round takes all that is there, and ends in a call that is cancelled.
            while let Ok(lexeme) = tokio::time::timeout(Duration::from_millis(5), decoder.decode()).await {
                seen.push(owned(lexeme.unwrap().unwrap()));
            }
        }
        seen.push(Event::End);
        drop(theirs);
        assert!(decoder.decode().await.unwrap().is_none());
        assert_eq!(seen, harness::decode(Subject::named("sexplib").rules, Options::default(), b"(abc \"d\\n\")"));
    });
}

#[test]
fn both_worlds_are_at_home_on_other_threads() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let mut decoder = async_futures::Decoder::new(&b"(a)"[..], &Syntax::SE);
    assert_eq!(wait(is_send(decoder.decode())).unwrap(), Some(Lexeme::open()));
    let mut encoder = async_tokio::Encoder::new(Vec::new(), &Syntax::SE);
    wait(is_send(encoder.encode(Lexeme::open()))).unwrap();
    drop(is_send(encoder.flush()));
}

#[test]
fn the_encoder_reads_to_the_end_what_the_decoder_gives() {
    let mut out = Vec::new();
    bounded(async {
        let (ours, mut theirs) = tokio::io::duplex(16);
        let text = b"(a (b \"c d\") e)".repeat(1000);
        let (written, read) = tokio::join!(
            async {
                let mut decoder = async_tokio::Decoder::new(&text[..], &Syntax::SEXPLIB);
                let mut encoder = async_tokio::Encoder::with_capacity(ours, 10, &Syntax::SEXPLIB, EncodeOptions::default());
                while let Some(lexeme) = decoder.decode().await? {
                    encoder.encode(lexeme).await.unwrap();
                }
                encoder.finish().await.unwrap();
                drop(encoder);
                Ok::<(), Error>(())
            },
            theirs.read_to_end(&mut out)
        );
        written.unwrap();
        assert_eq!(read.unwrap(), out.len());
    });
    assert_eq!(out, b"(a(b\"c d\")e)".repeat(1000));
}
