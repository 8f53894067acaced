//! A folder for one test, and the referee as a child process in it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// How long to wait for an event. Only a failing test waits as long.
const PATIENCE: Duration = Duration::from_mins(2);

/// What Wine 8 says now and then on a busy machine when it starts a process: the new one ended before
/// it had begun.
const WINE_CANNOT_START: &str = "Internal error.";

/// The folder of one test. Deleted when the test ends.
pub struct Scene {
    folder: TempDir,
}

/// The result of a finished command.
#[derive(Debug)]
pub struct Outcome {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Scene {
    pub fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        Scene { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The referee with these words, in this folder, with pipes.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(program());
        command
            .args(words)
            .current_dir(&self.folder)
            .env_remove("RUST_LOG")
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the referee to its end.
    pub fn run(&self, words: &[&str]) -> Outcome {
        self.run_with(words, "")
    }

    /// Runs the referee with these lines as its input; once more if Wine could not start an engine.
    pub fn run_with(&self, words: &[&str], input: &str) -> Outcome {
        let run = || {
            let mut child = self.command(words).stdin(Stdio::piped()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(input.as_bytes()).unwrap();
            drop(stdin);
            outcome_of(child)
        };
        let outcome = run();
        if outcome.stderr.contains(WINE_CANNOT_START) {
            return run();
        }
        outcome
    }

    /// The records of a result file.
    pub fn records(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path(name)).unwrap_or_default();
        let lines = text.lines().filter(|line| line.contains("\"moves\":"));
        lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

impl Outcome {
    /// The output of a command that must succeed.
    pub fn succeeded(self) -> String {
        assert_eq!(self.status, Some(0), "{}{}", self.stdout, self.stderr);
        self.stdout
    }

    /// Asserts that a command failed with this status and message.
    pub fn assert_failed(&self, status: i32, message: &str) {
        assert_eq!(self.status, Some(status), "{}{}", self.stdout, self.stderr);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&self.stderr).contains(message), "{}", self.stderr);
    }
}

fn outcome_of(child: Child) -> Outcome {
    let output = child.wait_with_output().unwrap();
    Outcome {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The words of a command line without quotes.
pub fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Waits for an event.
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < until, "{what} does not happen");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The referee.
pub fn program() -> PathBuf {
    std::path::absolute(env!("CARGO_BIN_EXE_referee")).unwrap()
}

/// The example `zoo`, beside the folder of the tests.
pub fn zoo() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let name = format!("zoo{}", std::env::consts::EXE_SUFFIX);
    let zoo = folder.join("examples").join(name);
    assert!(zoo.is_file(), "`cargo build -p referee --example zoo` builds it");
    zoo
}
