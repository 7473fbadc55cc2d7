//! `setrip` on the network: both servers, a load that checks each answer, and both side by side. All on the loopback, ended by their id.
#![cfg(unix)]

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const SETRIP: &str = env!("CARGO_BIN_EXE_setrip");

/// A server in a process of its own, and its address.
struct Server(Child, String);

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut command = Command::new(SETRIP);
        let mut child = command.arg("-serve").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        assert!(!address.is_empty(), "it does not say where it listens");
        Server(child, address.trim().to_owned())
    }

    /// Ends it as a supervisor would; its exit code, and what it said.
    fn stop(mut self) -> (Option<i32>, String) {
        kill_process(Pid::from_raw(self.0.id() as i32).unwrap(), Signal::TERM).unwrap();
        let begin = Instant::now();
        while self.0.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(30), "the server does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut said = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.0.wait().unwrap().code(), said)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

fn setrip(arguments: &[&str]) -> Output {
    Command::new(SETRIP).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn both_servers_answer_a_load() {
    for flags in [&["127.0.0.1:0"][..], &["127.0.0.1:0", "-serve-threads"]] {
        let server = Server::start(flags);
        let load = setrip(&["-load", &server.1, "-conns", "20", "-msgs", "50"]);
        assert!(load.status.success(), "{flags:?}: {}{}", text(&load.stdout), text(&load.stderr));
        assert!(text(&load.stdout).contains("1000") || text(&load.stdout).contains("1,000"), "{}", text(&load.stdout));
        let (code, said) = server.stop();
        assert_eq!(code, Some(0), "{flags:?}: {said}");
        assert!(said.contains("20 connections, 0 faults"), "{said}");
    }
}

/// What means the same in the other syntax is sent back, by both servers; what has no counterpart is told, and dropped.
#[test]
fn prefixes_and_characters_are_converted() {
    for flags in
        [&["127.0.0.1:0", "-from", "elisp", "-to", "r7rs"][..], &["127.0.0.1:0", "-from", "elisp", "-to", "r7rs", "-serve-threads"]]
    {
        let server = Server::start(flags);
        let mut client = TcpStream::connect(&server.1).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        client.write_all(b"(a\\.b ?\\( [1 ,@c]) ?\\M-a 'x").unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut answers = String::new();
        client.read_to_string(&mut answers).unwrap();
        assert_eq!(answers, "(|a.b|#\\( #(1,@c))\n'x\n");
        let (_, said) = server.stop();
        assert!(said.contains("1 connections, 1 faults"), "{said}");
    }
}

/// A server that takes messages and never answers.
#[test]
fn messages_that_are_not_answered_are_faults() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let peers: Vec<_> = listener.incoming().take(2).collect();
        std::thread::sleep(Duration::from_secs(60));
        drop(peers);
    });
    let load = setrip(&["-load", &address, "-conns", "2", "-msgs", "3", "-seconds", "1"]);
    assert_eq!(load.status.code(), Some(1));
    assert!(text(&load.stderr).contains("connection 0: 3 messages are not answered"), "{}", text(&load.stderr));
    assert!(text(&load.stdout).contains("2 faults"), "{}", text(&load.stdout));
}

/// What the tool would leave aside on the network is not taken.
#[test]
fn flags_of_files_are_refused() {
    for flag in ["-fail-fast", "-unix", "-b", "-usize=4K", "-follow", "-load=127.0.0.1:1"] {
        let output = setrip(&["-serve", "127.0.0.1:0", flag]);
        assert_eq!(output.status.code(), Some(2), "{flag}");
        assert!(text(&output.stderr).contains("cannot be used with"), "{flag}: {}", text(&output.stderr));
    }
}

#[test]
fn a_path_is_a_unix_socket() {
    let path = std::env::temp_dir().join(format!("setrip-{}.socket", std::process::id()));
    let server = Server::start(&[path.to_str().unwrap()]);
    let load = setrip(&["-load", &server.1, "-conns", "3", "-msgs", "5"]);
    assert!(load.status.success(), "{}{}", text(&load.stdout), text(&load.stderr));
    assert_eq!(server.stop().0, Some(0));
    assert!(!path.exists(), "the socket is left behind");
}

/// A client gets its forms in the other syntax, each on a line; what is malformed is told, and what follows it is answered.
#[test]
fn a_client_is_recoded() {
    let server = Server::start(&["127.0.0.1:0", "-from", "sexplib", "-to", "canonical"]);
    let mut client = TcpStream::connect(&server.1).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    client.write_all(b"(a \"b c\") ) (d)").unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut answers = String::new();
    client.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.replace('\n', ""), "(1:a3:b c)(1:d)");
    let (code, said) = server.stop();
    assert_eq!(code, Some(0));
    assert!(said.contains("1:11") && said.contains("1 connections, 1 faults"), "{said}");
}

/// Who sends whole forms all the time is served, though each piece ends in the middle of one; who does not complete a form is left.
#[test]
fn a_form_has_to_be_complete_in_time() {
    let server = Server::start(&["127.0.0.1:0", "-message-timeout", "1"]);
    let [mut busy, mut silent] = [(); 2].map(|()| TcpStream::connect(&server.1).unwrap());
    for client in [&busy, &silent] {
        client.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    }
    silent.write_all(b"(a ").unwrap();
    busy.write_all(b"(a").unwrap();
    for _ in 0..15 {
        std::thread::sleep(Duration::from_millis(100));
        busy.write_all(b" b)(a").unwrap();
    }
    busy.write_all(b")").unwrap();
    busy.shutdown(Shutdown::Write).unwrap();
    let (mut answers, mut nothing) = (String::new(), String::new());
    busy.read_to_string(&mut answers).unwrap();
    silent.read_to_string(&mut nothing).unwrap();
    assert_eq!((answers.matches("(a b)\n").count(), nothing.as_str()), (15, "(a"));
    let (_, said) = server.stop();
    assert!(said.contains("not complete in time") && said.contains("2 connections, 1 faults"), "{said}");
}

#[test]
fn what_cannot_be_used_is_said() {
    let server = Server::start(&["127.0.0.1:0"]);
    for arguments in [["-serve", &server.1[..]], ["-serve", "127.0.0.1:no-port"], ["-load", "127.0.0.1:1"]] {
        let output = setrip(&arguments);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {:?}", output.status);
        assert!(text(&output.stderr).starts_with("setrip: ") || !output.stdout.is_empty(), "{arguments:?}");
    }
    server.stop();
}

#[test]
fn a_small_grid() {
    let figure = std::env::temp_dir().join(format!("setrip-{}.svg", std::process::id()));
    let grid = setrip(&["-grid", "-conns-at-most", "10", "-msgs-at-most", "10", "-seconds", "10", "-figure", figure.to_str().unwrap()]);
    let table = text(&grid.stdout);
    assert!(grid.status.success(), "{table}{}", text(&grid.stderr));
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(table.contains("event loop") && table.contains("threads"), "{table}");
    // Every answer of ten connections with ten messages each.
    assert!(lines[1..].iter().all(|line| line.contains(&"100")), "{table}");
    let drawn = std::fs::read_to_string(&figure).unwrap();
    std::fs::remove_file(&figure).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.contains("event loop") && drawn.contains("threads"));
}
