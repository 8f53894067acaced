//! Shell bots, and the referee as a child process.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::ZlibDecoder;
use rustix::process::{Pid, Signal, kill_process};
pub use sentences::{
    Expect, Part, Script, assert_has, assert_rows, assert_rows_by, expect, rows, sentence_of,
};
use serde_json::Value;
use tempfile::TempDir;

/// The answers to `go` that fill column a and column h.
pub const COLUMN_A: &str = "echo bestmove a$thinks";
pub const COLUMN_H: &str = "echo bestmove h$thinks";

/// The answer to `go` of a bot that waits in its second game until the file `go` exists.
pub const WAITING: &str =
    "[ -e go ] || [ $games != 2 ] || { touch waits; while [ ! -e go ]; do sleep 0.02; done; }; legal";

/// A fixed locale, so that boards look the same for all users.
pub const LOCALE: [(&str, &str); 1] = [("LC_ALL", "C.UTF-8")];

/// How long tests wait for what must happen. Only a failing test waits as long, so it may be far more than a busy
/// machine needs.
pub const PATIENCE: Duration = Duration::from_mins(5);

/// The folder of one test, with its bots and files. Deleted when the test ends.
pub struct Scene {
    folder: TempDir,
}

/// The result of a finished process.
#[derive(Debug)]
pub struct Outcome {
    /// Its arguments, for messages.
    pub words: Vec<OsString>,
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

/// Prints the process id of the referee. On Linux the parent of a bot is its supervisor,
/// whose parent is the referee.
const REFEREE: &str = if cfg!(target_os = "linux") {
    "sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status"
} else {
    "echo $PPID"
};

/// A shell script that speaks UCI or UGI. Each field is the shell code for one command.
///
/// In this code `legal` answers with a move next to a wall, `$games` and `$thinks`
/// count from 1, `$position` is the last `position` line, `first_start` succeeds in the
/// first process of the bot, and `$(referee)` is the process id of the referee.
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
    /// A correct bot, but for its answer to `go`.
    pub fn thinking(go: &'a str) -> Bot<'a> {
        Bot { go, ..Bot::default() }
    }

    /// A correct bot, but for its answer to `uci`.
    pub fn greeting(uci: &'a str) -> Bot<'a> {
        Bot {
            uci,
            ..Bot::default()
        }
    }

    /// The script.
    pub fn text(&self) -> String {
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
    printf "%s\\n" "$line" >> "$0.received"
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

impl Outcome {
    fn of(command: &Command, output: Output, took: Duration) -> Outcome {
        Outcome {
            words: command.get_args().map(OsString::from).collect(),
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            took,
        }
    }

    /// Asserts the exit status.
    #[track_caller]
    pub fn exits(self, status: i32) -> Outcome {
        assert_eq!(self.status, Some(status), "{:?}: {self:#?}", self.words);
        self
    }

    /// Asserts success without a message on stderr.
    #[track_caller]
    pub fn succeeds(self) -> Outcome {
        assert_eq!((self.status, &*self.messages()), (Some(0), ""), "{self:#?}");
        self
    }

    /// The text of stderr without warnings that the referee stood still, as on a very busy machine.
    pub fn messages(&self) -> String {
        let lines = self.stderr.split_inclusive('\n');
        lines
            .filter(|line| !line.contains("the referee was suspended for"))
            .collect()
    }

    /// Asserts that stdout has this part.
    #[track_caller]
    pub fn shows(&self, part: impl Part) -> &Outcome {
        part.assert_in(&self.stdout, &format!("{self:#?}"));
        self
    }

    /// Asserts that stderr has this part.
    #[track_caller]
    pub fn says(&self, part: impl Part) -> &Outcome {
        part.assert_in(&self.stderr, &format!("{self:#?}"));
        self
    }
}

/// A running referee.
pub struct Running {
    pub child: Child,
    command: Command,
    begin: Instant,
}

impl Running {
    /// Starts a command with pipes for its output, and without input.
    pub fn start(mut command: Command) -> Running {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Running {
            child: command.spawn().unwrap(),
            command,
            begin: Instant::now(),
        }
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end.
    pub fn end(self) -> Outcome {
        let output = self.child.wait_with_output().unwrap();
        Outcome::of(&self.command, output, self.begin.elapsed())
    }

    /// Sends a signal, and waits for the end. The time is that since the signal.
    pub fn end_by(mut self, signal: Signal) -> Outcome {
        self.begin = Instant::now();
        self.signal(signal);
        self.end()
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

    /// Writes a bot and returns its path.
    pub fn bot(&self, name: &str, bot: Bot<'_>) -> String {
        self.script(name, &bot.text())
    }

    /// Writes a program.
    pub fn executable(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Writes an executable script and returns its path.
    pub fn script(&self, name: &str, text: &str) -> String {
        self.file(name, text);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path(name), mode).unwrap();
        format!("./{name}")
    }

    /// Copies a program into the folder.
    ///
    /// `cp` writes it: a file that is open for writing cannot be started, and a child that another
    /// test starts meanwhile would have the open file of this process for a moment.
    pub fn program(&self, name: &str, program: impl AsRef<Path>) {
        let copied = Command::new("cp")
            .arg(program.as_ref())
            .arg(self.path(name))
            .status()
            .unwrap();
        assert!(copied.success(), "{name}: {copied}");
    }

    pub fn file(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// The text of a file.
    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Deletes a file, if it exists.
    pub fn remove(&self, name: &str) {
        let _ = fs::remove_file(self.path(name));
    }

    /// Makes a folder and those above it.
    pub fn folder(&self, name: &str) {
        fs::create_dir_all(self.path(name)).unwrap();
    }

    /// Two bots, `one` and `other`, that fill columns a and h: the first player wins with its fifth
    /// move. Returns their paths.
    pub fn columns(&self) -> [String; 2] {
        [("one", COLUMN_A), ("other", COLUMN_H)].map(|(name, go)| self.bot(name, Bot::thinking(go)))
    }

    /// Waits until a bot has created this file.
    #[track_caller]
    pub fn wait_for_file(&self, name: &str) {
        wait_until(&format!("no bot has created the file `{name}`"), || {
            self.path(name).exists()
        });
    }

    /// The lines that a bot has received.
    pub fn received(&self, name: &str) -> Vec<String> {
        lines(&self.path(&format!("{name}.received")))
    }

    /// How often a bot has received this line.
    pub fn count(&self, name: &str, line: &str) -> usize {
        self.received(name)
            .iter()
            .filter(|received| *received == line)
            .count()
    }

    /// The process ids that a bot has had.
    pub fn processes(&self, name: &str) -> Vec<String> {
        lines(&self.path(&format!("{name}.pids")))
    }

    /// The objects of a result file: the header, then the records.
    pub fn results(&self, name: &str) -> Vec<Value> {
        json_lines(&self.text(name))
    }

    /// The records of `games.jsonl`.
    pub fn records(&self) -> Vec<Value> {
        self.results("games.jsonl").split_off(1)
    }

    /// The first record of a game in `games.jsonl`.
    pub fn first_game(&self) -> Value {
        let mut records = self.records().into_iter();
        records.find(|record| record.get("moves").is_some()).unwrap()
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

    /// Starts the referee.
    pub fn start(&self, line: &str) -> Running {
        Running::start(self.command(line))
    }

    /// Runs the referee to its end.
    pub fn referee(&self, line: &str) -> Outcome {
        run(&mut self.command(line), "")
    }

    /// Runs the referee with a wrong command, and checks its status, its error and that it shows
    /// nothing.
    #[track_caller]
    pub fn assert_refused(&self, line: &str, message: impl Part) {
        let error = self.refused(line);
        message.assert_in(&error, &error);
    }

    /// The error of a wrong command, after the same checks.
    #[track_caller]
    pub fn refused(&self, line: &str) -> String {
        let outcome = self.referee(line).exits(2);
        assert_eq!(outcome.stdout, "", "{line}");
        outcome.stderr
    }

    /// Runs the referee with this input.
    pub fn run_with_input(&self, line: &str, input: &str) -> Outcome {
        run(&mut self.command(line), input)
    }

    /// Runs the referee, and interrupts it when a bot has created the file `waits`.
    pub fn interrupted(&self, line: &str) -> Outcome {
        self.remove("waits");
        let referee = self.start(line);
        self.wait_for_file("waits");
        referee.end_by(Signal::INT)
    }

    /// Waits until no process has this working directory, because engines take a while to notice the end of the
    /// referee. Checks nothing except on Linux.
    #[track_caller]
    pub fn assert_no_process_left(&self) {
        let folder = self.folder.path().canonicalize().unwrap();
        wait_for(|| {
            let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
            let left: Vec<String> = processes
                .map(|process| process.path())
                .filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder))
                .map(|process| fs::read(process.join("cmdline")).unwrap_or_default())
                .map(|words| String::from_utf8_lossy(&words).replace('\0', " "))
                .collect();
            if left.is_empty() {
                Ok(())
            } else {
                Err(format!("still there: {left:?}"))
            }
        });
    }

    /// Waits until no process of the bots' groups runs, because killed processes take a while to end.
    #[track_caller]
    pub fn assert_no_bot_left(&self) {
        self.assert_no_bot_left_in("");
    }

    /// The same for bots in a subfolder.
    #[track_caller]
    pub fn assert_no_bot_left_in(&self, folder: &str) {
        for entry in fs::read_dir(self.path(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "pids") {
                continue;
            }
            for group in lines(&path) {
                let what = format!("{} left process group {group}", path.display());
                wait_until(&what, || !is_alive(group.parse().unwrap()));
            }
        }
    }
}

/// The data of a page: compressed JSON in base64.
pub fn page_data(page: &str) -> Value {
    let (_, rest) = page.split_once(" id=\"data\">").unwrap();
    let data = BASE64.decode(rest.split_once("</script>").unwrap().0).unwrap();
    serde_json::from_reader(ZlibDecoder::new(&*data)).unwrap()
}

/// The objects of a file or an output with one a line.
#[track_caller]
pub fn json_lines(text: &str) -> Vec<Value> {
    let objects = text.lines().map(serde_json::from_str);
    objects
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A text that may be wrapped, on one line.
pub fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
pub fn assert_has_all<T: Part>(text: impl AsRef<str>, parts: impl IntoIterator<Item = T>) {
    for part in parts {
        assert_has(&text, part);
    }
}

#[track_caller]
pub fn assert_lacks(text: impl AsRef<str>, part: impl AsRef<str>) {
    let (text, part) = (text.as_ref(), part.as_ref());
    assert!(!text.contains(part), "{part:?} is in {text}");
}

#[track_caller]
pub fn assert_starts(text: impl AsRef<str>, start: impl AsRef<str>) {
    let (text, start) = (text.as_ref(), start.as_ref());
    assert!(text.starts_with(start), "{start:?} does not begin {text}");
}

#[track_caller]
pub fn assert_ends(text: impl AsRef<str>, end: impl AsRef<str>) {
    let (text, end) = (text.as_ref(), end.as_ref());
    assert!(text.ends_with(end), "{end:?} does not end {text}");
}

/// Asserts that a text has these parts one after the other.
#[track_caller]
pub fn assert_in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part);
        let at = at.unwrap_or_else(|| panic!("`{part}` is missing or too early in {text}"));
        rest = &rest[at + part.len()..];
    }
}

/// Does a job for all items, six at a time, because most of them wait.
pub fn for_all<T: Sync>(items: &[T], job: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    // Panics if a job does; the others are finished before.
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    job(item);
                }
            });
        }
    });
}

/// Waits until `is_so`; if that never comes, the test fails with `what`.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(|| if is_so() { Ok(()) } else { Err(what.into()) });
}

/// Waits until `look` finds nothing wrong; if that never comes, the test fails with what was wrong last.
#[track_caller]
pub fn wait_for(mut look: impl FnMut() -> Result<(), String>) {
    let until = Instant::now() + PATIENCE;
    while let Err(what) = look() {
        assert!(Instant::now() < until, "after {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The path of the example `zoo`.
pub fn zoo() -> PathBuf {
    example("zoo")
}

/// The path of an example, beside the folder of the tests. `cargo test` builds it, but not with a filter such as
/// `--test end_to_end NAME`, so it is built here if it is missing.
pub fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let example = profile.join("examples").join(name);
    let mut words = vec!["build", "--example", name];
    if profile.ends_with("release") {
        words.push("--release");
    }
    if !example.is_file() {
        // Cargo lets one of several tests build, and the others wait.
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let _ = Command::new(cargo).args(&words).current_dir(root).status();
    }
    assert!(
        example.is_file(),
        "the helper program {name} is missing; `cargo {}` builds it",
        words.join(" ")
    );
    example
}

/// Runs a command whose stdout is closed.
pub fn run_without_stdout(command: &mut Command) -> Outcome {
    // The reader is gone before the command starts, so even its first write fails.
    let (_, stdout) = std::io::pipe().unwrap();
    let begin = Instant::now();
    let output = command.stdin(Stdio::null()).stdout(stdout).output().unwrap();
    Outcome::of(command, output, begin.elapsed())
}

/// Runs a command with this input until it ends.
pub fn run(command: &mut Command, input: &str) -> Outcome {
    run_with_bytes(command, input.as_bytes())
}

/// The same with input that may not be UTF-8.
pub fn run_with_bytes(command: &mut Command, input: &[u8]) -> Outcome {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A thread writes the input: the process may end before it has read everything, or
    // fill its own output pipe first.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Outcome::of(command, output, start.elapsed())
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(String::from).collect()
}

/// Whether a process of this group runs. Zombies do not count.
#[cfg(target_os = "linux")]
fn is_alive(group: i32) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let stats = processes.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
    stats.into_iter().any(|stat| {
        // "NUMBER (NAME) STATE PARENT GROUP …", and a name may contain anything.
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
