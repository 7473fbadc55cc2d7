//! The example server, and a client that speaks to it as Emacs does, over a socket, in pieces.

use sexp_codec::framing::{Frame, Frames, Framing};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

#[allow(dead_code, reason = "its `main` is not called")]
#[path = "../examples/swank_server/main.rs"]
mod swank_server;

/// Serves so many clients, and ends.
fn start(clients: usize) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().take(clients) {
            thread::spawn(|| swank_server::serve(stream.unwrap()));
        }
    });
    port
}

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// Sends a request, in pieces of that size, and gives the answer.
fn ask(stream: &mut TcpStream, request: &str, size: usize) -> String {
    let mut bytes = Vec::new();
    Framing::SWANK.frame(request.as_bytes(), &mut bytes).unwrap();
    for piece in bytes.chunks(size) {
        stream.write_all(piece).unwrap();
    }
    let (mut frames, mut buffer) = (Frames::new(&Framing::SWANK), bytes::BytesMut::new());
    let mut chunk = [0; 7];
    loop {
        let count = stream.read(&mut chunk).unwrap();
        assert!(count > 0, "the server left");
        buffer.extend_from_slice(&chunk[..count]);
        if let Some(Frame::Payload(payload)) = frames.next(&mut buffer).unwrap() {
            assert!(buffer.is_empty());
            return String::from_utf8(payload.to_vec()).unwrap();
        }
    }
}

#[test]
fn a_session() {
    let port = start(1);
    let mut stream = connect(port);
    let mut eval = |form: &str, id: u32, size| ask(&mut stream, &format!("(:emacs-rex {form} \"COMMON-LISP-USER\" t {id})\n"), size);
    assert!(eval("(swank:connection-info)", 1, 1).starts_with("(:return(:ok(:style nil"));
    assert_eq!(eval("(swank:eval-and-grab-output \"(+ 1 (* 2 3))\")", 2, 3), r#"(:return(:ok("""7"))2)"#);
    assert_eq!(eval("(swank:eval-and-grab-output \"'(a \\\"hé\\\")\")", 3, 5), r#"(:return(:ok("""(a\"hé\")"))3)"#);
    assert_eq!(eval("(swank:eval-and-grab-output \"(f)\")", 4, 100), "(:return(:abort\"the function f is undefined\")4)");
    assert_eq!(eval("(swank:eval-and-grab-output \"(+ 1\")", 5, 100), "(:return(:abort\"1:5: the list is not closed (opened at 1:1)\")5)");
    assert_eq!(eval("(+ 9223372036854775807 1)", 7, 100), "(:return(:abort\"too large a number\")7)");
    assert!(eval("(swank:eval-and-grab-output \" \")", 6, 100).starts_with("(:return(:abort"));
}

/// Who breaks the protocol is left; others are served as before.
#[test]
fn a_bad_client() {
    let port = start(6);
    let mut good = connect(port);
    for bad in [&b"00000g(a)"[..], b"ffffff(", b"000002((", b"000001)", b"000001 "] {
        let mut stream = connect(port);
        stream.write_all(bad).unwrap();
        assert_eq!(stream.read(&mut [0; 10]).unwrap_or(0), 0, "{}", bad.escape_ascii());
    }
    assert_eq!(ask(&mut good, "(:emacs-rex (+ 1 2) nil t 1)", 2), "(:return(:ok 3)1)");
}
