//! The examples, with the real programs that they talk to. Where one is not installed, its test says so and does nothing.
#![cfg(unix)]

#[allow(dead_code, reason = "an example has a main of its own")]
#[path = "../examples/gpg_agent.rs"]
mod gpg_agent;
#[allow(dead_code, reason = "an example has a main of its own")]
#[path = "../examples/merlin_config.rs"]
mod merlin_config;
#[allow(dead_code, reason = "an example has a main of its own")]
#[path = "../examples/solver.rs"]
mod solver;
#[allow(dead_code, reason = "an example has a main of its own")]
#[path = "../examples/swank_client.rs"]
mod swank_client;

use gpg_agent::Agent;
use merlin_config::Dune;
use rustix::process::{Pid, Signal, kill_process};
use sexp_codec::{Kind, Lexeme, Syntax};
use solver::Solver;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use swank_client::{Swank, Word};

/// How long a peer may take for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether the programs are installed; if not, says so.
fn installed(programs: &[&str]) -> bool {
    let is_there = |program: &&str| {
        std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
    };
    // `timeout` ends a peer that outlives its test.
    let missing: Vec<_> = programs.iter().chain(&["timeout"]).filter(|program| !is_there(program)).collect();
    if !missing.is_empty() {
        eprintln!("skipped: not installed: {missing:?}");
    }
    missing.is_empty()
}

/// A command that is ended after so many seconds.
fn bounded(seconds: u32, program: &str) -> Command {
    let mut command = Command::new("timeout");
    command.arg(seconds.to_string()).arg(program);
    command
}

/// A folder of its own, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("sexp-live-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A Lisp that listens, and the port on which it does. One that is asked to end, ends what it started.
struct Lisp(Child, String);

impl Lisp {
    fn start(folder: &Path) -> Lisp {
        let port = folder.join("port");
        let loader = "/usr/share/common-lisp/source/slime/swank-loader.lisp";
        let child = bounded(180, "sbcl")
            // What it compiles is kept for the next time.
            .env("HOME", env!("CARGO_TARGET_TMPDIR"))
            .args(["--noinform", "--no-sysinit", "--no-userinit", "--disable-debugger", "--load", loader])
            .args(["--eval", "(swank-loader:init)"])
            .args(["--eval", &format!("(swank:start-server {:?} :style :spawn)", port.to_str().unwrap())])
            .args(["--eval", "(loop (sleep 1))"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lisp = Lisp(child, String::new());
        let start = Instant::now();
        // The file is there before it is written.
        while !lisp.1.ends_with('\n') {
            assert!(start.elapsed() < 2 * PATIENCE && lisp.0.try_wait().unwrap().is_none(), "it does not listen");
            std::thread::sleep(Duration::from_millis(20));
            lisp.1 = std::fs::read_to_string(&port).unwrap_or_default();
        }
        lisp
    }

    fn connect(&self) -> Swank {
        let stream = TcpStream::connect(format!("127.0.0.1:{}", self.1.trim())).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Swank::new(stream)
    }
}

impl Drop for Lisp {
    fn drop(&mut self) {
        // To `timeout`, which passes it on.
        let _ = kill_process(Pid::from_child(&self.0), Signal::TERM);
        let _ = self.0.wait();
    }
}

#[test]
fn a_lisp_is_asked_by_swank() {
    if !installed(&["sbcl"]) {
        return;
    }
    if !Path::new("/usr/share/common-lisp/source/slime/swank-loader.lisp").exists() {
        return eprintln!("skipped: not installed: cl-swank");
    }
    let folder = Folder::new("swank");
    let lisp = Lisp::start(&folder.0);
    let mut swank = lisp.connect();
    let info = swank.call("swank:connection-info", &[]).unwrap();
    let at = info.iter().position(|(_, text)| text.eq_ignore_ascii_case(":lisp-implementation")).unwrap();
    assert!(info[at..].contains(&(Kind::String, "SBCL".to_owned())), "{info:?}");

    swank.eval("(list (+ 1 2) \"hé 世界\" #\\a)").unwrap();
    assert!(std::mem::take(&mut swank.output).contains("(3 \"hé 世界\" #\\a)"));
    swank.eval("(progn (format t \"λ ~a~%\" (length \"世界\")) (values))").unwrap();
    assert!(swank.output.starts_with("λ 2\n"), "{:?}", swank.output);
    assert!(swank.unasked > 0, "there are messages that nobody asked for");

    // An error ends in the debugger, and the session goes on.
    swank.eval("(error \"boom λ\")").unwrap_err();
    swank.output.clear();
    swank.eval("(* 6 7)").unwrap();
    assert!(swank.output.contains("42"));
    let grabbed: Vec<Word> = swank.call("swank:eval-and-grab-output", &[Lexeme::string("(progn (princ \"é)(\") :k)".as_bytes())]).unwrap();
    let texts: Vec<&str> = grabbed.iter().map(|(_, text)| &text[..]).collect();
    assert_eq!(texts, ["(", "é)(", ":K", ")"]);
}

/// An agent of its own, with a key.
struct Keys(Folder);

impl Keys {
    fn gpg(&self, arguments: &[&str]) -> String {
        let output = bounded(60, "gpg")
            .env("GNUPGHOME", &self.0.0)
            .args(["--batch", "--quiet", "--with-colons", "--with-keygrip"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn connect(&self) -> Option<Agent<UnixStream>> {
        let socket = UnixStream::connect(self.0.0.join("S.gpg-agent")).ok()?;
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Agent::greet(socket).ok()
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // The agent that listens there ends itself.
        if let Some(mut agent) = self.connect() {
            let _ = agent.command("KILLAGENT");
        }
    }
}

#[test]
fn an_agent_is_asked_for_its_keys() {
    use std::os::unix::fs::PermissionsExt;
    if !installed(&["gpg", "gpg-agent"]) {
        return;
    }
    let folder = Folder::new("gpg");
    std::fs::set_permissions(&folder.0, std::fs::Permissions::from_mode(0o700)).unwrap();
    let keys = Keys(folder);
    for (user, algorithm) in [("e@example.org", "ed25519"), ("r@example.org", "rsa2048")] {
        keys.gpg(&["--passphrase", "", "--quick-gen-key", user, algorithm, "sign", "never"]);
    }
    let mut agent = keys.connect().expect("the agent listens");
    for (user, algorithm, parameters) in [("e@example.org", "ecc", &["curve", "flags", "q"][..]), ("r@example.org", "rsa", &["n", "e"])] {
        let listed = keys.gpg(&["-K", user]);
        let keygrip = listed.lines().find_map(|line| line.strip_prefix("grp:")).unwrap().trim_matches(':');
        // A grip that no key has is an error, and the connection goes on.
        assert!(agent.read_key(&"0".repeat(40)).unwrap_err().to_string().starts_with("ERR"));
        let key = agent.read_key(keygrip).unwrap();
        assert_eq!(key.algorithm, algorithm);
        assert_eq!(key.parameters.iter().map(|(name, _)| &name[..]).collect::<Vec<_>>(), parameters);
        assert!(key.advanced.starts_with(&format!("(public-key({algorithm}(")), "{}", key.advanced);
        let (name, largest) = key.parameters.iter().max_by_key(|(_, value)| value.len()).unwrap();
        assert!(largest.len() >= 32, "{name}");
        if algorithm == "ecc" {
            assert_eq!(key.parameters[0].1, b"Ed25519");
        }
    }
}

#[test]
fn dune_is_asked_how_a_file_is_compiled() {
    if !installed(&["dune"]) {
        return;
    }
    let folder = Folder::new("dune");
    let root = std::fs::canonicalize(&folder.0).unwrap();
    for (name, text) in
        [("dune-project", "(lang dune 2.8)"), ("dune", "(library (name foo) (flags (:standard -w +a)))"), ("foo.ml", "let x = 1")]
    {
        std::fs::write(root.join(name), text).unwrap();
    }
    let mut command = bounded(60, "dune");
    command.arg("ocaml-merlin").current_dir(&root).stderr(Stdio::null());
    // Of what was not built it says so, in a form as well.
    let mut dune = Dune::start(&mut command).unwrap();
    let answer = dune.configuration(&root.join("foo.ml")).unwrap();
    assert!(answer.contains("ERROR") && answer.contains("foo.ml"), "{answer}");
    assert_eq!(dune.configuration(&root.join("foo.ml")).unwrap(), answer, "one question after the other");
    assert!(dune.halt().unwrap());

    if !installed(&["ocamlc"]) {
        return;
    }
    let built = bounded(60, "dune").args(["build", "@check"]).current_dir(&root).stderr(Stdio::null()).status().unwrap();
    assert!(built.success());
    let mut dune = Dune::start(&mut command).unwrap();
    let answer = dune.configuration(&root.join("foo.ml")).unwrap();
    assert!(answer.contains("(B") && answer.contains(".foo.objs/byte"), "{answer}");
    assert!(dune.halt().unwrap());
}

#[test]
fn a_solver_is_asked() {
    if !installed(&["z3"]) {
        return;
    }
    let mut z3 = Solver::start(bounded(60, "z3").args(["-in", "-smt2"])).unwrap();
    for command in ["(declare-const x Int)", "(declare-const |a b| Int)", "(assert (and (> x 5) (< x 7) (= |a b| (- x 8))))"] {
        assert_eq!(z3.ask(command).unwrap().bytes, "success");
    }
    assert_eq!(z3.ask("(check-sat)").unwrap().bytes, "sat");
    let values = solver::values(&z3.ask("(get-value (x |a b| (+ x 1)))").unwrap()).unwrap();
    let expected = [("x", "6"), ("|a b|", "(- 2)"), ("(+ x 1)", "7")];
    assert_eq!(values, expected.map(|(term, value)| (term.to_owned(), value.to_owned())));

    // What is no form survives, and what comes after it does.
    for text in ["he said \"hi\"", "(: \"no form\"", ")", "", "; |", "é"] {
        assert_eq!(z3.echo(text).unwrap(), text);
        assert_eq!(z3.ask("(check-sat)").unwrap().bytes, "sat");
    }
    assert_eq!(z3.echo("a").unwrap() + &z3.echo("b").unwrap(), "ab");
    let error = z3.ask("(get-value (unknown))").unwrap();
    let mut lexemes = error.lexemes(&Syntax::SMTLIB);
    assert_eq!(lexemes.next().unwrap().unwrap().kind, Kind::Open);
    assert_eq!(lexemes.next().unwrap().unwrap().bytes, b"error");
    let model = z3.ask("(get-model)").unwrap();
    assert!(model.bytes.starts_with(b"(") && model.bytes.ends_with(b")"));
}
