//! Decodes from a non-blocking socket in an event loop, while the peer is still writing.
//!
//!     cargo run --features mio --example decode_socketpair

#[cfg(unix)]
fn main() -> std::io::Result<()> {
    use sexp_codec::event_loop::Source;
    use sexp_codec::nonblocking::{Decode, Decoder};
    use sexp_codec::{Kind, Syntax};
    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::thread;
    use std::time::Duration;

    let (ours, mut theirs) = UnixStream::pair()?;
    // The peer writes its requests in pieces that have nothing to do with their shape.
    let peer = thread::spawn(move || {
        for piece in ["(get ", "\"a fi", "le\")(put x", " 1)", "(quit)"] {
            theirs.write_all(piece.as_bytes())?;
            thread::sleep(Duration::from_millis(200));
        }
        std::io::Result::Ok(())
    });

    let mut source = Source::new(ours)?;
    let mut decoder = Decoder::new(&Syntax::SEXPLIB);
    let mut chunk = [0; 4096];
    'connection: loop {
        let n = source.read_or_wait(&mut chunk, || Ok(()))?;
        println!("-- {n} bytes");
        let mut input = if n == 0 { decoder.finish() } else { decoder.feed(&chunk[..n]) };
        loop {
            match input.decode() {
                Decode::Lexeme(lexeme) => {
                    println!("{lexeme:?}");
                    if lexeme.kind == Kind::Close && input.depth() == 0 {
                        println!("a request is complete: it can be answered now");
                    }
                }
                Decode::Error(error) => println!("error: {error}"),
                Decode::Await => break,
                Decode::End => break 'connection,
                Decode::Fragment(_) => unreachable!("not asked for"),
            }
        }
    }
    peer.join().expect("the peer does not panic")
}

#[cfg(not(unix))]
fn main() {}
