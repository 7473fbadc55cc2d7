//! The tool, run as its users run it.
#![cfg(unix)]

use rustix::fs::{OFlags, fcntl_getfl};
use rustix::process::{Pid, Signal, kill_process};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Every way of driving the codec.
const DRIVERS: [&str; 12] = [
    "",
    "-b",
    "-unix",
    "-unix -b",
    "-sin",
    "-sin -b",
    "-sout",
    "-sin -sout -unix -b",
    "-enb",
    "-enb -unix",
    "-enb -unix -sin",
    "-enb -unix -sout",
];

struct Run {
    code: Option<i32>,
    out: Vec<u8>,
    err: String,
}

fn command(flags: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_setrip"));
    command.args(flags.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn setrip(flags: &str, input: &[u8]) -> Run {
    let mut child = command(flags).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // The tool may stop before it has read everything.
        scope.spawn(move || drop(stdin.write_all(input)));
        let output = child.wait_with_output().unwrap();
        Run { code: output.status.code(), out: output.stdout, err: String::from_utf8(output.stderr).unwrap() }
    })
}

/// What the tool makes of an input that is clean.
fn out(flags: &str, input: &[u8]) -> String {
    let run = setrip(flags, input);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""), "setrip {flags}");
    String::from_utf8_lossy(&run.out).into_owned()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A path that is nobody else's.
fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("setrip-{}-{name}", std::process::id()))
}

/// The lines of a stream, as they come.
fn lines(stream: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
    receive
}

const SOON: Duration = Duration::from_secs(20);

fn is_nonblocking(fd: impl AsFd) -> bool {
    fcntl_getfl(fd).unwrap().contains(OFlags::NONBLOCK)
}

fn until(mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < SOON, "it does not happen");
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn the_data_of_2012_come_from_every_driver() {
    thread::scope(|scope| {
        for driver in ["", "-b", "-unix", "-unix -b", "-sout", "-enb", "-enb -unix"] {
            scope.spawn(move || {
                let run = setrip(&format!("-enc -rseed 1067894368 {driver}"), b"");
                assert_eq!((run.code, run.out.len()), (Some(0), 33_487_874), "{driver}");
                assert_eq!(sha256(&run.out), "9656f4a096ba4bea948d43823133bb050ba0c6659df3e6087cdb95335e697b4f", "{driver}");
            });
        }
    });
}

#[test]
fn recoding_gives_the_same_by_every_driver_and_buffer_size() {
    let data = out("-enc -rseed 3 -maxl 20 -size 5K", b"");
    assert!(data.len() >= 5 * 1024);
    for driver in DRIVERS {
        for size in ["1", "2", "7", "64K"] {
            assert!(out(&format!("{driver} -usize {size}"), data.as_bytes()) == data, "{driver} {size}");
        }
    }
}

#[test]
fn printing_gives_the_same_by_every_driver_and_buffer_size() {
    let text = b"(a \"b\\n\\\\ \xc3\xa9\\000\"\n\t\t)) #;x ; y\nlast";
    let expected = "\
0-1\t1:1\topen\t(
1-2\t1:2\tbare\ta
3-17\t1:4\tstring\tb\\n\\\\ \\xC3\\xA9\\x00
20-21\t2:3\tclose\t)
21-21\t2:4\terror\t')' without a list to close
31-35\t3:1\tbare\tlast
35-35\t3:5\tend\t
";
    for driver in DRIVERS {
        for size in ["1", "3", "64K"] {
            let run = setrip(&format!("-print -syntax sexplib {driver} -usize {size}"), text);
            assert_eq!(String::from_utf8(run.out).unwrap(), expected, "{driver} {size}");
            assert_eq!((run.code, &run.err[..]), (Some(1), "<stdin>:2:4: error: ')' without a list to close\n"));
        }
    }
}

#[test]
fn what_is_decoded_is_shown_before_more_input_is_waited_for() {
    for driver in ["-unix", "-unix -b", "", "-b", "-unix -usize 1", "-enb", "-enb -unix", "-enb -unix -usize 1"] {
        let mut child = command(&format!("-print {driver}")).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let lines = lines(child.stdout.take().unwrap());
        stdin.write_all(b"(a)").unwrap();
        for kind in ["open", "bare", "close"] {
            assert!(lines.recv_timeout(SOON).unwrap().contains(kind), "{driver}");
        }
        drop(stdin);
        assert!(lines.recv_timeout(SOON).unwrap().contains("end"));
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn what_is_recoded_is_written_before_more_input_is_waited_for() {
    for driver in ["-unix", "-unix -b", "", "-b", "-enb", "-enb -unix"] {
        let mut child = command(&format!("-layout lines {driver}")).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let lines = lines(child.stdout.take().unwrap());
        stdin.write_all(b"( a  b )").unwrap();
        assert_eq!(lines.recv_timeout(SOON).unwrap(), "(a b)", "{driver}");
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_clean_input_exits_with_0_and_says_nothing() {
    for driver in DRIVERS {
        assert_eq!(out(&format!("-dec {driver}"), b"(a (b) \"c\") ; d"), "");
        assert_eq!(out(&format!("-dec {driver}"), b""), "");
    }
}

#[test]
fn errors_name_the_place_and_decoding_goes_on() {
    for driver in DRIVERS {
        let run = setrip(&format!("-syntax sexplib {driver}"), b"(a))\n(b \"\\400\" c");
        assert_eq!(run.code, Some(1), "{driver}");
        assert_eq!(String::from_utf8(run.out).unwrap(), "(a)(b c", "nothing that was decoded is lost: {driver}");
        assert_eq!(
            run.err,
            "<stdin>:1:4: error: ')' without a list to close\n\
             <stdin>:2:5: error: the numeric escape is beyond 255\n\
             <stdin>:2:12: error: the list is not closed\n\
             <stdin>:2:1: note: opened here\n",
            "{driver}"
        );
    }
}

#[test]
fn the_first_error_stops_where_that_is_wanted() {
    for driver in DRIVERS {
        let run = setrip(&format!("-fail-fast {driver}"), b"(a)) (b))");
        assert_eq!((run.code, &run.out[..]), (Some(1), &b"(a)"[..]), "{driver}");
        assert_eq!(run.err, "<stdin>:1:4: error: ')' without a list to close\n", "{driver}");
    }
}

#[test]
fn files_are_named_in_errors() {
    let path = temporary("bad.sexp");
    std::fs::write(&path, "(a\n b").unwrap();
    for driver in DRIVERS {
        let run = setrip(&format!("-dec {driver} {}", path.display()), b"");
        let path = path.display();
        let expected = format!("{path}:2:3: error: the list is not closed\n{path}:1:1: note: opened here\n");
        assert_eq!((run.code, run.err), (Some(1), expected), "{driver}");
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn what_cannot_be_read_or_written_exits_with_2() {
    for driver in DRIVERS {
        let run = setrip(&format!("{driver} /no/such/file"), b"");
        assert_eq!(run.code, Some(2));
        assert_eq!(run.err, "setrip: /no/such/file: cannot read: No such file or directory (os error 2)\n");
        assert_eq!(setrip(&format!("{driver} /"), b"").code, Some(2), "a directory: {driver}");
    }
    for flags in ["", "-b", "-unix", "-sout", "-print", "-enc -rseed 3", "-cmp", "-enb", "-enb -unix"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut child = command(flags).stdout(full).spawn().unwrap();
        // Who reads no input may be gone before it is there.
        let _ = child.stdin.take().unwrap().write_all(b"(a)");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags}");
        assert!(String::from_utf8(output.stderr).unwrap().starts_with("setrip: cannot write: "), "{flags}");
    }
}

#[test]
fn wrong_flags_exit_with_2_and_say_what_would_be_right() {
    for (flags, said) in [
        ("-frm se", "unexpected argument '-frm' found\n\n  tip: a similar argument exists: '-from'"),
        ("-from sexplb", "'sexplb' for '-from <SYNTAX>'\n  [possible values: auto, plain, se, sexplib"),
        ("-usize 0", "a buffer needs at least 1 byte"),
        ("-usize many", "expected a number such as 4096, 64K, 32M or 1G"),
        ("-rseed 3", "not provided:\n  -enc"),
        ("-dec -enc", "'-dec' cannot be used with '-enc'"),
        ("-maxa 0 -enc", "0 is not in 1..1073741824"),
        ("a b", "unexpected argument 'b'"),
    ] {
        let run = setrip(flags, b"");
        assert_eq!((run.code, run.out.is_empty()), (Some(2), true), "{flags}");
        assert!(run.err.contains(said), "{flags}: {}", run.err);
    }
}

#[test]
fn help_and_version_are_output() {
    assert!(out("-help", b"").contains("Examples:\n  setrip -dec file.sexp"));
    assert_eq!(out("--help", b""), out("-h", b""));
    assert_eq!(out("-version", b""), format!("setrip {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_closed_pipe_is_no_error() {
    for flags in ["-enc -rseed 3 -size 1G", "-enc -rseed 3 -size 1G -b", "-enc -rseed 3 -size 1G -unix", "-enc -rseed 3 -size 1G -unix -b"]
    {
        let mut child = command(flags).spawn().unwrap();
        let mut some = [0; 100];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut some).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]), "{flags}");
    }
}

#[test]
fn syntaxes_are_converted() {
    for (flags, input, output) in [
        ("-from sexplib -to sexplib", "( a  \"b\" )", "(a\"b\")"),
        ("-from canonical -to advanced", "(1:a3:b c0:)", "(a\"b c\"\"\")"),
        ("-from canonical -to sexplib", "(1:a3:b c)", "(a\"b c\")"),
        ("-from canonical", "(1:a)", "(1:a)"),
        ("-from canonical -to plain", "(1:a)", "(a)"),
        ("", "(a \"b\" ; c\n)", "(a\"b\")"),
        ("-from transport -to canonical", "{KDE6YSk=}", "(1:a)"),
        ("-from canonical -to csexp", "(1:a)", "(1:a)"),
        ("-syntax canonical", "(1:a[1:t]1:b)", "(1:a[1:t]1:b)"),
        ("-syntax se", "(a) b c", "(a)b c"),
    ] {
        for driver in ["", "-b", "-usize 1", "-enb"] {
            assert_eq!(out(&format!("{flags} {driver}"), input.as_bytes()), output, "{flags} {driver}");
        }
    }
}

/// Text that passes through unchanged, whatever the driver; and the syntax that the name of the file tells.
#[test]
fn raw_text_is_not_changed() {
    let text = "; a comment\n( a  \"b\\n\" #;(c)\n d )\n\n";
    for driver in ["", "-b", "-usize 1", "-unix", "-unix -b", "-enb -unix"] {
        assert_eq!(out(&format!("-raw -syntax sexplib {driver}"), text.as_bytes()), text, "{driver}");
    }
    assert!(out("-list-syntaxes", b"").contains("kicad"));
}

#[test]
fn the_name_of_a_file_tells_its_syntax() {
    let folder = std::env::temp_dir().join(format!("setrip-syntax-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text, recoded) in
        [("a.el", "(a ?\\( [b])", "(a ?\\( [b])"), ("a.smt2", "(a |b c|)", "(a|b c|)"), ("a.txt", "(a |b c|)", "(a |b c|)")]
    {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        assert_eq!(out(path.to_str().unwrap(), b""), recoded, "{name}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_a_syntax_cannot_carry_is_an_error_and_the_rest_is_written() {
    for driver in ["", "-b", "-usize 1", "-enb"] {
        let run = setrip(&format!("-to se {driver}"), b"(a\n \"b c\" d)");
        assert_eq!((run.code, &run.out[..]), (Some(1), &b"(a d)"[..]), "{driver}");
        assert!(run.err.starts_with("<stdin>:2:2: error: "), "{}", run.err);
        let run = setrip(&format!("-from advanced -to sexplib {driver}"), b"(a [t] b)");
        assert_eq!((run.code, &run.out[..]), (Some(1), &b"(a b)"[..]), "{driver}");
    }
}

#[test]
fn what_means_the_same_is_converted_and_anything_else_is_an_error_with_its_place() {
    for driver in DRIVERS.into_iter().chain(["-usize 1"]) {
        assert_eq!(out(&format!("-from elisp -to r7rs {driver}"), br"('a\.b [?\( 1] (c . d))"), r"('|a.b|#(#\( 1)(c . d))", "{driver}");
        for (flags, input, output, place, reason) in [
            ("-from elisp -to edn", "(a\n (b . 1))", "(a(b 1))", "2:5", "a dot alone means something else in the other syntax"),
            ("-from edn -to elisp", "{:a [1]} b", ":a[1]b", "1:1", "the other syntax has no brackets with this meaning"),
            ("-from r7rs -to edn", "(a #u8(1) c)", "(a 1 c)", "1:4", "the other syntax has no prefix with this meaning"),
            ("-from r7rs -to canonical", "(a \"b\")", "(1:a)", "1:4", "the other syntax does not tell strings from other atoms"),
        ] {
            let run = setrip(&format!("{flags} {driver}"), input.as_bytes());
            assert_eq!((run.code, &run.out[..]), (Some(1), output.as_bytes()), "{flags} {driver}");
            assert_eq!(run.err, format!("<stdin>:{place}: error: {reason}\n"), "{flags} {driver}");
            let run = setrip(&format!("{flags} {driver} -fail-fast"), input.as_bytes());
            assert_eq!(run.code, Some(1), "{flags} {driver}");
        }
        assert_eq!(out(&format!("-from r7rs -to canonical -merge {driver}"), b"(a \"b\")"), "(1:a1:b)", "{driver}");
    }
}

/// A prefix whose datum is missing, malformed or refused is left out with it, so that lists are closed.
#[test]
fn a_prefix_is_not_written_without_its_datum() {
    for driver in ["", "-b", "-usize 1"] {
        for (flags, input, output) in [
            ("-syntax r7rs", "(a ') b", "(a)b"),
            ("-syntax r7rs", "(a '\"\\q\" b)", "(a b)"),
            ("-from elisp -to r7rs", "(a '?\\M-a b `(c ,d))", "(a b`(c,d))"),
            ("-from elisp -to r7rs", "(a ',?\\M-a) b", "(a)b"),
            ("-from elisp -to edn", "('a b)", "(a b)"),
        ] {
            let run = setrip(&format!("{flags} {driver}"), input.as_bytes());
            assert_eq!((run.code, String::from_utf8_lossy(&run.out).as_ref()), (Some(1), output), "{flags} {driver}: {}", run.err);
        }
    }
}

/// A prefix that waits for its bracket is forgotten where the bracket is in error.
#[test]
fn what_waits_for_a_lexeme_does_not_outlive_an_error() {
    for driver in ["", "-b", "-usize 1"] {
        let run = setrip(&format!("-from r7rs -to elisp -limit-depth 0 {driver}"), b"#(a) b");
        assert_eq!((run.code, &run.out[..]), (Some(1), &b"b"[..]), "{driver}: {}", run.err);
    }
}

#[test]
fn a_misplaced_hint_leaves_nothing_behind() {
    for driver in ["", "-b", "-enb"] {
        let run = setrip(&format!("-syntax advanced {driver}"), b"(a [t](b) [u] c)");
        assert_eq!((run.code, &run.out[..]), (Some(1), &b"(a(b)[u]c)"[..]), "{driver}");
    }
}

#[test]
fn limits_are_errors() {
    for (flags, input, output) in
        [("-limit-depth 1", "(a (b) c)", "(a c)"), ("-limit-atom 2", "(a bcd e)", "(a e)"), ("-limit-total 3", "(a) b", "(a)")]
    {
        let run = setrip(flags, input.as_bytes());
        assert_eq!((run.code, &run.out[..]), (Some(1), output.as_bytes()), "{flags}");
        assert!(run.err.contains("the limit"), "{flags}");
    }
}

#[test]
fn a_seed_of_its_own_is_told_and_gives_the_same_again() {
    let run = setrip("-enc -maxl 5", b"");
    let seed = run.err.trim().strip_prefix("setrip: seed ").unwrap();
    assert_eq!(out(&format!("-enc -maxl 5 -rseed {seed}"), b"").as_bytes(), run.out);
}

#[test]
fn further_documents_follow_until_the_size_is_reached() {
    for flags in ["", "-b", "-layout lines", "-layout indent", "-layout indent -width 20", "-to canonical", "-to advanced", "-usize 1"] {
        let run = setrip(&format!("-enc -rseed 5 -maxl 3 -size 5000 {flags}"), b"");
        assert!(run.out.len() >= 5000 && run.out.len() < 6000, "{flags}: {}", run.out.len());
        let syntax = if flags.starts_with("-to") { flags.replace("-to", "-from") } else { String::new() };
        assert_eq!(out(&format!("-dec {syntax}"), &run.out), "");
    }
}

/// Lines are as wide as was asked for, whatever drives the codec.
#[test]
fn lines_have_the_width_that_was_asked_for() {
    let text = b"(a (b c) (d e)) f";
    for driver in DRIVERS {
        for (width, expected) in [
            ("", "(a (b c) (d e))\nf\n"),
            ("-width 10", "(a\n (b c)\n (d e))\nf\n"),
            ("-width 4 -usize 1", "(a\n (b\n  c)\n (d\n  e))\nf\n"),
        ] {
            assert_eq!(out(&format!("-syntax sexplib -layout indent {width} {driver}"), text), expected, "{width} {driver}");
        }
        // What is held when the input ends inside a list is written.
        let run = setrip(&format!("-syntax sexplib -layout indent {driver}"), b"(a (b");
        assert_eq!((run.code, &run.out[..]), (Some(1), &b"(a\n (b"[..]), "{driver}");
    }
    assert_eq!(out("-syntax kicad -layout indent", b"(a (b c))"), "(a\n\t(b c)\n)\n");
    let run = setrip("-layout indent -width 70000", b"");
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("-width <COLUMNS>"), "{}", run.err);
}

/// Where lines end does not depend on when the input comes.
#[test]
fn a_pause_in_the_input_does_not_change_the_layout() {
    for driver in ["", "-b", "-unix", "-unix -b"] {
        let mut child = command(&format!("-syntax sexplib -layout indent {driver}")).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"(x) (a (b").unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut first = [0; 4];
        stdout.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"(x)\n", "{driver}");
        stdin.write_all(b" c) d)").unwrap();
        drop(stdin);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "(a (b c) d)\n", "{driver}");
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn the_codecs_are_compared_and_agree() {
    let data = out("-enc -rseed 3 -maxl 20 -size 5K", b"");
    let table = out("-cmp", data.as_bytes());
    assert!(table.contains("lexemes, positions and output are identical"), "{table}");
    for buffer in ["1", "64K"] {
        let json: serde_json::Value = serde_json::from_str(&out(&format!("-cmp -json -usize {buffer}"), data.as_bytes())).unwrap();
        assert_eq!((&json["identical"], &json["bytes"]), (&true.into(), &data.len().into()));
        for work in ["decode", "encode", "recode"] {
            for codec in ["blocking", "non_blocking"] {
                let one = &json[work][codec];
                assert_eq!(one["allocations_per_step"], 0.0, "{work} {codec}");
                assert!(one["nanoseconds_per_lexeme"].as_f64().unwrap() > 0.0);
            }
            assert!(json[work]["ratio"].as_f64().unwrap() > 0.0);
        }
    }
    let table = out("-cmp -enb -usize 7", data.as_bytes());
    assert!(table.contains("async") && table.contains("lexemes, positions and output are identical"), "{table}");
    let json: serde_json::Value = serde_json::from_str(&out("-cmp -enb -json", data.as_bytes())).unwrap();
    assert_eq!((&json["identical"], &json["decode"]["async"]["allocations_per_step"]), (&true.into(), &0.0.into()));
    for flags in ["-cmp -to advanced", "-cmp -enb -to advanced"] {
        let malformed = setrip(flags, b"(a [ \"b\\q\" c)) (");
        assert_eq!(malformed.code, Some(1));
        assert!(String::from_utf8(malformed.out).unwrap().contains("are identical"), "{flags}");
    }
}

#[test]
fn the_first_steps_show_what_they_allocate() {
    for flags in ["-alloc", "-alloc -b", "-alloc -dec", "-alloc -enc -rseed 3"] {
        let table = out(flags, &b"(a b)".repeat(20));
        assert!(table.contains("after the first 24: 0 allocations, 0 bytes"), "{flags}: {table}");
        assert_eq!(
            table.contains("decode   open                                0          0"),
            !flags.contains("-enc"),
            "{flags}: {table}"
        );
    }
}

#[test]
fn a_flame_graph_is_written() {
    let path = temporary("graph.svg");
    let run = setrip(&format!("-profile {}", path.display()), b"(a b)");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("samples at 997 Hz"), "{}", run.err);
    assert!(std::fs::read_to_string(&path).unwrap().contains("<svg"));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn sockets_and_files_can_be_stdin_and_stdout() {
    let data = out("-enc -rseed 3 -size 200K", b"");
    for driver in ["", "-b", "-unix", "-unix -b", "-enb", "-enb -unix"] {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let both = OwnedFd::from(theirs);
        let mut child = command(driver).stdin(both.try_clone().unwrap()).stdout(both).spawn().unwrap();
        let mut writer = ours.try_clone().unwrap();
        let mut recoded = String::new();
        thread::scope(|scope| {
            scope.spawn(|| {
                writer.write_all(data.as_bytes()).unwrap();
                writer.shutdown(std::net::Shutdown::Write).unwrap();
            });
            ours.read_to_string(&mut recoded).unwrap();
        });
        assert!(child.wait().unwrap().success(), "{driver}");
        assert!(recoded == data, "socket: {driver}");

        let (from, to) = (temporary(&format!("from{driver}")), temporary(&format!("to{driver}")));
        std::fs::write(&from, &data).unwrap();
        let status = command(driver).stdin(File::open(&from).unwrap()).stdout(File::create(&to).unwrap()).status().unwrap();
        assert!(status.success() && std::fs::read_to_string(&to).unwrap() == data, "file: {driver}");
        std::fs::remove_file(from).unwrap();
        std::fs::remove_file(to).unwrap();
    }
}

/// A run on a socket that we hold as well.
fn on_shared_socket() -> (Child, UnixStream, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let child = command("-print -unix").stdin(OwnedFd::from(theirs.try_clone().unwrap())).spawn().unwrap();
    (child, ours, theirs)
}

#[test]
fn the_flags_of_a_shared_stdin_are_put_back() {
    let (mut child, mut ours, theirs) = on_shared_socket();
    until(|| is_nonblocking(&theirs));
    ours.write_all(b"(a)").unwrap();
    drop(ours);
    assert!(child.wait().unwrap().success());
    assert!(!is_nonblocking(&theirs));

    for signal in [Signal::INT, Signal::TERM, Signal::HUP].into_iter().filter(|signal| !is_ignored(*signal)) {
        let (mut child, ours, theirs) = on_shared_socket();
        until(|| is_nonblocking(&theirs));
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(signal.as_raw()), "it dies by the signal");
        assert!(!is_nonblocking(&theirs), "{signal:?}");
        drop(ours);
    }
}

/// Whether a signal is ignored by this process, and so by those that it starts: a shell may have wanted it so.
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    u64::from_str_radix(mask.trim(), 16).unwrap_or_default() >> (signal.as_raw() - 1) & 1 == 1
}

#[test]
fn a_wait_that_is_interrupted_goes_on() {
    let (mut child, mut ours, theirs) = on_shared_socket();
    until(|| is_nonblocking(&theirs));
    // To stop and to go on interrupts the wait.
    for signal in [Signal::STOP, Signal::CONT] {
        kill_process(Pid::from_child(&child), signal).unwrap();
        thread::sleep(Duration::from_millis(20));
    }
    ours.write_all(b"(a)").unwrap();
    drop(ours);
    assert!(child.wait().unwrap().success());
}

/// What the tool is to need at most. A build for debugging has larger code.
#[cfg(target_os = "linux")]
const MEMORY: u64 = if cfg!(debug_assertions) { 10 * 1024 } else { 6 * 1024 };

/// The most memory that the process has had, in KiB.
#[cfg(target_os = "linux")]
fn peak_memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn memory_stays_small_however_much_is_streamed() {
    let piece = b"(define (f x) \"a string\\n\" (g x 12345))\n".repeat(1000);
    for flags in ["-dec", "-dec -b -unix", "-unix", "-b", "-print", "-print -unix -b", "-enb -unix", "-enb -print"] {
        let mut child = command(flags).stdout(File::create("/dev/null").unwrap()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for _ in 0..200 {
            stdin.write_all(&piece).unwrap();
        }
        let peak = peak_memory(&child);
        assert!(peak <= MEMORY, "{flags}: {peak} KiB");
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_atom_of_any_size_is_checked_in_little_memory() {
    let piece = vec![b'a'; 1 << 20];
    for driver in ["-unix", "-b", "-enb"] {
        let mut child = command(&format!("-dec {driver}")).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for _ in 0..20 {
            stdin.write_all(&piece).unwrap();
        }
        let peak = peak_memory(&child);
        assert!(peak <= MEMORY, "{driver}: {peak} KiB");
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}
