//! The net: everything that enters or leaves, times everything that goes wrong.
//!
//! * [`places`]: what enters or leaves. Files and folders are those of the command line's definition, so a new option
//!   without a [`places::Way`] fails a test.
//! * [`troubles`]: what goes wrong, and for each way of a place the word that says what has to happen. A pair without
//!   a word means nothing, and is no cell.
//!
//! Each cell runs the referee in a folder of its own. Whatever happens, no file that existed is lost, nothing panics,
//! and a refusal changes nothing and says which file or option is wrong. `NET=ladder` runs the cells whose names
//! contain this text, and `NET_PROGRAM` tests another program.

mod places;
mod troubles;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use rustix::process::{Pid, Signal, kill_process};

use places::{Place, places};
use troubles::{Cell, Expected, SURROUNDINGS, Surroundings, TROUBLES, Trouble};

use crate::driver::Driver;
use crate::support::{Scene, assert_lacks, for_all};

/// The commands that play games, which takes longer than a refusal.
const PLAYING: [&str; 8] = [
    "match", "ladder", "tune", "analyze", "check", "grade", "play", "serve",
];

/// An account that owns nothing, for files that it may not use. Not that of `nobody`, whose processes other tests may
/// kill.
const NOBODY: u32 = 61_807;

/// Files of more bytes are not compared.
const MOST_COMPARED: u64 = 1 << 20;

/// A pair of the two lists, and what has to happen.
enum Pair {
    Place(Place, &'static Trouble, Expected),
    Command(&'static str, &'static Surroundings, Expected),
}

impl Pair {
    /// What it is a pair of.
    fn sides(&self) -> [String; 2] {
        match self {
            Pair::Place(place, trouble, _) => [place.name(), trouble.name.into()],
            Pair::Command(command, around, _) => [(*command).into(), around.name.into()],
        }
    }

    fn name(&self) -> String {
        let (Pair::Place(.., expected) | Pair::Command(.., expected)) = self;
        format!("{}: {expected:?}", self.sides().join(" × "))
    }

    /// Whether games are played.
    fn is_slow(&self) -> bool {
        let (command, expected) = match self {
            Pair::Place(place, _, expected) => (place.command.as_str(), expected),
            Pair::Command(command, _, expected) => (*command, expected),
        };
        let is_large = matches!(self, Pair::Place(_, trouble, _) if trouble.is_large());
        *expected != Expected::Refused && PLAYING.contains(&command) || is_large
    }

    /// What is wrong; `None` if all is well.
    fn wrong(&self) -> Option<String> {
        match self {
            Pair::Place(place, trouble, expected) => {
                let cell = Cell::new(place, trouble);
                let words = place.words(&cell.scene, &cell.path);
                let before = Snapshot::of(&cell.scene);
                let mut command = if place.command == places::PYTHON {
                    python(&cell.scene, &place.id, &words)
                } else {
                    referee(&cell.scene, &words)
                };
                if trouble.is_of_nobody && rustix::process::geteuid().is_root() {
                    command.uid(NOBODY).gid(NOBODY);
                }
                let ended = cell.changing(|| Ended::of(&place.command, &mut command));
                ended.wrong(*expected).or_else(|| {
                    let says = || ended.names(&[cell.path.as_str(), &place.option()]);
                    let is_refused = *expected == Expected::Refused;
                    if is_refused && !says() {
                        return Some(format!("the message has no place: {}", ended.stderr));
                    }
                    (*expected != Expected::Ends)
                        .then(|| before.lost(&cell.scene, &cell.path, is_refused))
                        .flatten()
                })
            }
            Pair::Command(command, around, expected) => {
                let scene = places::scene();
                let before = Snapshot::of(&scene);
                let line = places::base(command, "");
                let words: Vec<String> = line.split(' ').map(String::from).collect();
                let mut shell = Command::new("sh");
                shell.args(["-c", around.script, "sh"]).arg(program()).args(words);
                let ended = Ended::of(command, settled(shell.current_dir(scene.path(""))));
                // What is missing is a folder.
                let is_folder = |words| around.name.contains(words);
                let place = match expected {
                    Expected::Refused => "with `cd`",
                    Expected::Fails if is_folder("temporary files") => "TMPDIR",
                    _ => "",
                };
                if !place.is_empty() && !ended.names(&[place]) {
                    return Some(format!("the message does not name the folder: {}", ended.stderr));
                }
                let lost = || before.lost(&scene, "", false);
                ended.wrong(*expected).or_else(lost)
            }
        }
    }
}

/// All cells.
fn cells() -> Vec<Pair> {
    let chosen = std::env::var("NET").unwrap_or_default();
    let mut cells = Vec::new();
    for place in places() {
        for trouble in &TROUBLES {
            if let Some(expected) = trouble.expected(&place) {
                cells.push(Pair::Place(place.clone(), trouble, expected));
            }
        }
    }
    for command in places::COMMANDS {
        for around in &SURROUNDINGS {
            if let Some(expected) = (around.expected)(command) {
                cells.push(Pair::Command(command, around, expected));
            }
        }
    }
    cells.retain(|cell| cell.name().contains(&chosen));
    cells
}

/// Runs cells in parallel, and lists all that are wrong.
#[track_caller]
fn assert_all_right(cells: &[Pair]) {
    let wrong = Mutex::new(Vec::new());
    for_all(cells, |cell| {
        if let Some(why) = cell.wrong() {
            wrong.lock().unwrap().push(format!("{}: {why}", cell.name()));
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(
        wrong.is_empty(),
        "{} of {} cells are wrong:\n{}",
        wrong.len(),
        cells.len(),
        wrong.join("\n")
    );
}

#[test]
fn some_quick_cells_of_each_place_and_trouble_are_right() {
    let mut cells = cells();
    cells.retain(|cell| !cell.is_slow());
    let mut counts: HashMap<String, usize> = HashMap::new();
    cells.retain(|cell| {
        let sides = cell.sides();
        let is_first = sides
            .iter()
            .any(|side| counts.get(side).is_none_or(|count| *count < 2));
        if is_first {
            for side in sides {
                *counts.entry(side).or_default() += 1;
            }
        }
        is_first
    });
    assert_all_right(&cells);
}

#[test]
fn commands_work_on_a_terminal_of_20_columns() {
    let ending: Vec<&str> = places::COMMANDS
        .into_iter()
        .filter(|name| *name != "serve")
        .collect();
    for_all(&ending, |command| {
        let scene = places::scene();
        let mut terminal = Driver::on_terminal_of_size(&scene, &places::base(command, ""), (24, 20));
        assert_lacks(terminal.ends(0), "panicked");
    });
}

fn program() -> PathBuf {
    std::env::var_os("NET_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_referee").into(), PathBuf::from)
}

/// A command in the folder of a scene, in a fixed locale, and without input.
fn settled(command: &mut Command) -> &mut Command {
    command
        .env("LC_ALL", "C.UTF-8")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
}

fn referee(scene: &Scene, words: &[String]) -> Command {
    let mut command = Command::new(program());
    settled(command.args(words).current_dir(scene.path("")));
    command
}

/// Reads a result file with this function of the Python package.
fn python(scene: &Scene, function: &str, words: &[String]) -> Command {
    const READ: &str = "\
import sys
from referee import results
try:
    getattr(results, sys.argv[1])(sys.argv[2])
except (ValueError, OSError) as error:
    print(f'referee: {error}', file=sys.stderr)
    sys.exit(2)
";
    let mut command = Command::new("python3");
    command.args(["-B", "-c", READ, function]).args(words);
    command.env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/../python"));
    let folders = std::env::var("PATH").unwrap_or_default();
    let beside = program().parent().unwrap().display().to_string();
    command.env("PATH", format!("{beside}:{folders}"));
    settled(command.current_dir(scene.path("")));
    command
}

/// How a command ended.
struct Ended {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ended {
    /// Runs a command to its end; a server until it has printed its address.
    fn of(name: &str, command: &mut Command) -> Ended {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut has_started = false;
        if name == "serve" {
            let mut line = String::new();
            let stdout = child.stdout.take().unwrap();
            BufReader::new(stdout).read_line(&mut line).unwrap();
            has_started = line.starts_with("http");
        }
        if has_started {
            kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ended {
            status: if has_started {
                Some(0)
            } else {
                output.status.code()
            },
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Whether it ended otherwise than expected.
    fn wrong(&self, expected: Expected) -> Option<String> {
        let Ended {
            status,
            stdout,
            stderr,
        } = self;
        let panics = ["panicked", "RUST_BACKTRACE", "Traceback"];
        if panics
            .iter()
            .any(|word| stderr.contains(word) || stdout.contains(word))
        {
            return Some(format!("a panic: {stderr}"));
        }
        let is_right = match (expected, status) {
            (Expected::Works, Some(0))
            | (Expected::Refused, Some(2 | 3 | 5))
            | (Expected::Fails, Some(2 | 4))
            | (Expected::Ends, Some(0..=5)) => true,
            (Expected::Silent, Some(0)) => stderr.is_empty(),
            (Expected::Said, Some(0 | 1)) => ["differ only", "cannot be called"]
                .iter()
                .any(|said| self.names(&[said]) || stdout.contains(said)),
            _ => false,
        };
        let may_be_silent = matches!(status, Some(0 | 1)) || expected == Expected::Said;
        let is_said = may_be_silent || stderr.contains("referee: ");
        (!is_right || !is_said).then(|| format!("status {status:?}: {}", stderr.trim_end()))
    }

    /// Whether a message has one of these places, as it is or as messages write it.
    fn names(&self, places: &[&str]) -> bool {
        let joined = self.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        places
            .iter()
            .any(|place| !place.is_empty() && joined.contains(place))
    }
}

/// The files of a folder.
struct Snapshot(BTreeMap<PathBuf, Vec<u8>>);

impl Snapshot {
    fn of(scene: &Scene) -> Snapshot {
        let mut files = BTreeMap::new();
        add_files(&scene.path(""), &mut files);
        Snapshot(files)
    }

    /// Which file is gone or another one, or is new although the command was refused. An empty one at `path` may have
    /// been written.
    fn lost(&self, scene: &Scene, path: &str, is_refused: bool) -> Option<String> {
        let Snapshot(after) = Snapshot::of(scene);
        let own = scene.path(path);
        for (name, content) in &self.0 {
            let is_written = *name == own && content.is_empty() && !is_refused;
            match after.get(name) {
                None => return Some(format!("{} is gone", name.display())),
                Some(found) if found != content && !is_written => {
                    return Some(format!("{} has changed", name.display()));
                }
                Some(_) => {}
            }
        }
        let new = after
            .keys()
            .find(|name| is_refused && !self.0.contains_key(*name));
        new.map(|name| format!("{} is new", name.display()))
    }
}

/// Adds what is in a folder: the content of files, the targets of links, and for all others their names.
fn add_files(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            add_files(&path, files);
        }
        let content = if kind.is_file() && entry.metadata().unwrap().len() > MOST_COMPARED {
            Vec::new()
        } else if kind.is_file() {
            fs::read(&path).unwrap_or_default()
        } else if kind.is_symlink() {
            fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
        } else {
            Vec::new()
        };
        files.insert(path, content);
    }
}

mod slow {
    use super::*;

    /// A thousand processes.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn quick_cells_of_the_net_are_right() {
        let cells: Vec<Pair> = cells().into_iter().filter(|cell| !cell.is_slow()).collect();
        assert_all_right(&cells);
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn cells_of_the_net_with_games_are_right() {
        let cells: Vec<Pair> = cells().into_iter().filter(Pair::is_slow).collect();
        assert_all_right(&cells);
    }
}
