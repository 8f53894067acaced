//! Bots made of a few lines of shell, and the referee as a child process.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// What boards look like does not depend on who runs the tests.
pub const LOCALE: [(&str, &str); 1] = [("LC_ALL", "C.UTF-8")];

/// Where one test keeps its bots and files; gone when the test ends.
pub struct Scene {
    folder: TempDir,
}

/// What came of running the referee.
#[derive(Debug)]
pub struct Outcome {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

/// On Linux the parent of a bot is its supervisor, whose parent is the referee.
const REFEREE: &str = if cfg!(target_os = "linux") {
    "sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status"
} else {
    "echo $PPID"
};

/// A bot that speaks UCI, or UGI, in the shell. What it does when asked for a move,
/// and elsewhere, is the test's.
///
/// In its code `legal` answers with a move on a wall, `$games` and `$thinks`
/// count from 1, `$position` is the last position line, and `first_start`
/// tells whether this is the first process of this bot; `$(referee)` is the
/// number of the referee's process.
#[derive(Clone, Copy, Debug)]
pub struct Bot<'a> {
    pub start: &'a str,
    pub uci: &'a str,
    pub isready: &'a str,
    pub query: &'a str,
    pub go: &'a str,
    pub quit: &'a str,
}

impl Default for Bot<'_> {
    fn default() -> Self {
        Bot {
            start: ":",
            uci: "echo uciok",
            isready: "echo readyok",
            query: ":",
            go: "legal",
            quit: "exit 0",
        }
    }
}

impl<'a> Bot<'a> {
    /// A bot that is well-behaved until it is asked for a move.
    pub fn thinking(go: &'a str) -> Bot<'a> {
        Bot { go, ..Bot::default() }
    }

    fn script(&self) -> String {
        let Bot {
            start,
            uci,
            isready,
            query,
            go,
            quit,
        } = self;
        format!(
            r#"#!/bin/sh
echo $$ >> "$0.pids"
referee() {{ {REFEREE}; }}
first_start() {{ [ "$(wc -l < "$0.pids")" -eq 1 ]; }}
legal() {{
    for cell in a1 a2 a3 a4 a5 a6 a7 a8 h1 h2 h3 h4 h5 h6 h7 h8; do
        case " $position " in
            *" $cell "*) ;;
            *) echo "bestmove $cell"; return ;;
        esac
    done
}}
games=0
{start}
while read -r line; do
    printf "%s\\n" "$line" >> "$0.heard"
    case $line in
        uci|ugi) {uci} ;;
        isready) {isready} ;;
        query*) {query} ;;
        ucinewgame|uginewgame) games=$((games + 1)); thinks=0 ;;
        position*) position=$line ;;
        go*) thinks=$((thinks + 1)); {go} ;;
        quit) {quit} ;;
    esac
done
"#
        )
    }
}

impl Scene {
    pub fn new() -> Scene {
        Scene {
            folder: TempDir::new().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a bot, and gives back its path as the referee takes it here.
    pub fn bot(&self, name: &str, bot: Bot<'_>) -> String {
        self.script(name, &bot.script())
    }

    /// Writes an executable script.
    pub fn script(&self, name: &str, text: &str) -> String {
        self.file(name, text);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path(name), mode).unwrap();
        format!("./{name}")
    }

    pub fn file(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// What a bot has heard, line by line.
    pub fn heard(&self, name: &str) -> Vec<String> {
        lines(&self.path(&format!("{name}.heard")))
    }

    /// The numbers of the processes that a bot was.
    pub fn processes(&self, name: &str) -> Vec<String> {
        lines(&self.path(&format!("{name}.pids")))
    }

    /// The objects of a result file: the header, then the records.
    pub fn results(&self, name: &str) -> Vec<Value> {
        let lines = lines(&self.path(name));
        lines
            .iter()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The records of `games.jsonl`.
    pub fn records(&self) -> Vec<Value> {
        self.results("games.jsonl").split_off(1)
    }

    /// The referee with the words of `line` as its arguments.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
        command
            .args(line.split_whitespace())
            .current_dir(self.folder.path())
            .env_remove("RUST_LOG")
            .envs(LOCALE);
        command
    }

    /// Runs the referee to its end.
    pub fn referee(&self, line: &str) -> Outcome {
        run(&mut self.command(line), "")
    }

    /// Runs the referee with this input.
    pub fn type_in(&self, line: &str, input: &str) -> Outcome {
        run(&mut self.command(line), input)
    }

    /// Runs the referee and interrupts it when a bot has made the file `waits`; its
    /// exit status.
    pub fn interrupted(&self, line: &str) -> Option<i32> {
        let _ = std::fs::remove_file(self.path("waits"));
        let mut referee = self
            .command(line)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(20);
        while !self.path("waits").exists() {
            assert!(Instant::now() < until, "no bot waits");
            std::thread::sleep(Duration::from_millis(10));
        }
        kill_process(Pid::from_child(&referee), Signal::INT).unwrap();
        referee.wait().unwrap().code()
    }

    /// No process works in this folder any more, after the time that an engine
    /// needs to notice that its referee is gone. Only Linux can tell.
    pub fn assert_no_process_left(&self) {
        let until = Instant::now() + Duration::from_secs(10);
        let folder = self.folder.path().canonicalize().unwrap();
        loop {
            let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
            let left: Vec<String> = processes
                .map(|process| process.path())
                .filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder))
                .map(|process| fs::read(process.join("cmdline")).unwrap_or_default())
                .map(|words| String::from_utf8_lossy(&words).replace('\0', " "))
                .collect();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "still there: {left:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// No process of the bots' groups is left, after the moment that the
    /// system needs to end what was killed.
    pub fn assert_nobody_left(&self) {
        self.assert_nobody_left_in("");
    }

    /// The same for bots in a folder of the scene.
    pub fn assert_nobody_left_in(&self, folder: &str) {
        let until = Instant::now() + Duration::from_secs(2);
        for entry in fs::read_dir(self.path(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "pids") {
                continue;
            }
            for group in lines(&path) {
                while is_alive(group.parse().unwrap()) {
                    assert!(
                        Instant::now() < until,
                        "{} left process group {group}",
                        path.display()
                    );
                    thread::sleep(Duration::from_millis(10));
                }
            }
        }
    }
}

/// Where Cargo put the zoo: beside the folder of the tests.
pub fn zoo() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let zoo = folder.join("examples/zoo");
    assert!(
        zoo.is_file(),
        "`cargo test` alone builds it, or `cargo build --examples`"
    );
    zoo
}

/// The exit status of a command whose standard output nobody reads.
pub fn unheard(command: &mut Command) -> Option<i32> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.wait().unwrap().code()
}

/// Runs a command with this input to its end.
pub fn run(command: &mut Command, input: &str) -> Outcome {
    run_bytes(command, input.as_bytes())
}

/// The same with input that may be no text.
pub fn run_bytes(command: &mut Command, input: &[u8]) -> Outcome {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // It may end before it has read everything, and it may write more than a
    // pipe holds before that.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Outcome {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        took: start.elapsed(),
    }
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(String::from).collect()
}

/// Whether a process of this group runs. One that has ended but that nobody
/// has asked about does not count.
#[cfg(target_os = "linux")]
fn is_alive(group: i32) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let stats = processes.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
    stats.into_iter().any(|stat| {
        // "NUMBER (NAME) STATE PARENT GROUP …", and a name may hold anything.
        let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let fields: Vec<&str> = rest.split(' ').collect();
        fields[0] != "Z" && fields[2] == group.to_string()
    })
}

#[cfg(not(target_os = "linux"))]
fn is_alive(group: i32) -> bool {
    let group = rustix::process::Pid::from_raw(group).unwrap();
    rustix::process::test_kill_process_group(group).is_ok()
}
