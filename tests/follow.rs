//! `setrip -follow`: a file that grows, is truncated and is replaced, as its users see it.
#![cfg(unix)]

use rustix::process::{Pid, Signal, kill_process};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(20);

/// A file in a folder of its own, and the tool that follows it.
struct Followed {
    folder: PathBuf,
    path: PathBuf,
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
    receive
}

impl Followed {
    fn start(name: &str, flags: &str, text: &str) -> Followed {
        let folder = std::env::temp_dir().join(format!("setrip-follow-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("log.sexp");
        std::fs::write(&path, text).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_setrip"))
            .args(flags.split_whitespace())
            .arg("-follow")
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (out, err) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        Followed { folder, path, child, out, err }
    }

    fn append(&self, text: &str) {
        OpenOptions::new().append(true).open(&self.path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    #[track_caller]
    fn prints(&self, line: &str) {
        assert_eq!(self.out.recv_timeout(SOON).as_deref(), Ok(line));
    }

    #[track_caller]
    fn says(&self, part: &str) {
        let line = self.err.recv_timeout(SOON).unwrap();
        assert!(line.contains(part), "{line}");
    }

    /// Waits until an interrupt does not kill it.
    fn heeds_interrupts(&self) {
        let path = format!("/proc/{}/status", self.child.id());
        for _ in 0..1000 {
            let Ok(status) = std::fs::read_to_string(&path) else { break };
            let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default();
            if u64::from_str_radix(mask.trim(), 16).unwrap_or_default() >> (Signal::INT.as_raw() - 1) & 1 == 1 {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_secs(1));
    }

    /// Interrupts it, and says how it ended.
    fn end(mut self) -> Option<i32> {
        if self.child.try_wait().unwrap().is_none() {
            kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        }
        let code = self.child.wait().unwrap().code();
        assert_eq!(self.out.recv_timeout(SOON).ok(), None, "nothing more is printed");
        assert_eq!(self.err.recv_timeout(SOON).ok(), None, "nothing more is said");
        code
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        // Of a test that failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn each_form_comes_as_soon_as_it_is_whole() {
    let followed = Followed::start("grows", "-layout lines -syntax sexplib", "(a b)\n(c");
    followed.prints("(a b)");
    followed.append(" d)");
    followed.prints("(c d)");
    for n in 0..20 {
        followed.append(&format!("(n {n})"));
        followed.prints(&format!("(n {n})"));
    }
    assert_eq!(followed.end(), Some(0));
}

#[test]
fn lexemes_are_printed_as_they_come() {
    let followed = Followed::start("prints", "-print", "(a");
    followed.prints("0-1\t1:1\topen\t(");
    followed.append(" \n");
    followed.prints("1-2\t1:2\tbare\ta");
    followed.append(")");
    followed.prints("4-5\t2:1\tclose\t)");
    assert_eq!(followed.end(), Some(0));
}

#[test]
fn faults_are_reported_as_they_come_and_tell_in_the_end() {
    let followed = Followed::start("checks", "-dec", "(a)");
    followed.append("\n(b))\n");
    followed.says("log.sexp:2:4: error: ')' without a list to close");
    followed.append("(c");
    assert_eq!(followed.end(), Some(1));
}

#[test]
fn a_clean_file_that_is_checked_says_nothing() {
    let followed = Followed::start("clean", "-dec", "(a)");
    followed.append("(b");
    followed.heeds_interrupts();
    assert_eq!(followed.end(), Some(0));
}

#[test]
fn after_a_truncation_it_begins_anew() {
    let followed = Followed::start("truncated", "-print", "(a long line)\n");
    for _ in 0..5 {
        followed.out.recv_timeout(SOON).unwrap();
    }
    File::create(&followed.path).unwrap();
    followed.says("the file was truncated");
    followed.prints("14-14\t2:1\tend\t");
    followed.append("(b)");
    followed.prints("0-1\t1:1\topen\t(");
    followed.prints("1-2\t1:2\tbare\tb");
    followed.prints("2-3\t1:3\tclose\t)");
    assert_eq!(followed.end(), Some(0));
}

#[test]
fn what_was_unfinished_at_a_truncation_is_an_error_and_no_part_of_what_follows() {
    let followed = Followed::start("unfinished", "-syntax sexplib", ")(a (b ");
    followed.says("log.sexp:1:1: error");
    File::create(&followed.path).unwrap().write_all(b"(c))").unwrap();
    followed.says("the file was truncated");
    followed.prints("(a(b");
    followed.says("log.sexp:1:8: error: 2 lists are not closed");
    followed.says("note: opened here");
    followed.says("log.sexp:1:4: error");
    File::create(&followed.path).unwrap();
    followed.prints("(c)");
    followed.says("the file was truncated");
    assert_eq!(followed.end(), Some(1));
}

#[test]
fn a_file_that_takes_its_name_is_read_from_its_start() {
    let followed = Followed::start("rotated", "-layout lines -syntax sexplib", "(a)");
    followed.prints("(a)");
    for n in 0..3 {
        // The last words are written after the file has lost its name.
        let mut old = OpenOptions::new().append(true).open(&followed.path).unwrap();
        std::fs::rename(&followed.path, followed.folder.join("log.old")).unwrap();
        old.write_all(format!("(last {n})").as_bytes()).unwrap();
        followed.prints(&format!("(last {n})"));
        std::fs::write(&followed.path, format!("(first {n})")).unwrap();
        followed.says("another file has its name");
        followed.prints(&format!("(first {n})"));
    }
    assert_eq!(followed.end(), Some(0));
}

#[test]
fn a_file_that_is_replaced_at_once_is_noticed() {
    let followed = Followed::start("replaced", "-syntax canonical", "(1:a)1:b)");
    followed.says("log.sexp:1:9: error");
    let new = followed.folder.join("new");
    std::fs::write(&new, "(1:c)").unwrap();
    std::fs::rename(new, &followed.path).unwrap();
    followed.says("another file has its name");
    // Where the syntax knows no lines, what was printed becomes one when all is over.
    followed.append("(1:d))");
    followed.says("log.sexp:1:11: error");
    kill_process(Pid::from_child(&followed.child), Signal::INT).unwrap();
    followed.prints("(1:a)1:b(1:c)(1:d)");
    assert_eq!(followed.end(), Some(1));
}

#[test]
fn what_is_no_file_is_not_followed() {
    for (path, said) in [("/no/such/file", "No such file or directory"), ("/", "cannot read"), ("/dev/null", "only a regular file")] {
        let output = Command::new(env!("CARGO_BIN_EXE_setrip")).args(["-follow", path]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{path}");
        assert!(String::from_utf8(output.stderr).unwrap().contains(said), "{path}");
    }
}
