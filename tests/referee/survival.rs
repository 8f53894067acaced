//! Matches that are killed at any moment, any number of times, end like uninterrupted
//! ones: no game is lost or duplicated, and the summary is the same.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use lodestone_game::random::Random;
use serde_json::Value;

use crate::recorded::{assert_complete, complete_lines, games, headers, summary, timeless};
use crate::support::{PATIENCE, Scene, expect, json_lines, run};

/// SIGKILL, and SIGXFSZ for a file that would exceed its size limit.
const KILLED: i32 = 9;
const FILE_TOO_LONG: i32 = if cfg!(target_os = "linux") { 25 } else { 31 };

// Timing does not matter here, and the machine may be busy: hence `timemargin`.

/// Three deterministic players.
const ROUND_ROBIN: &str = "match squares plain groups --openings random:4 --concurrency 2 \
    --each depth=2 timemargin=60000";

const SWISS: &str = "match --engine cmd=plain depth=2 --engine cmd=plain name=plain-1 depth=1 \
    --engine cmd=groups depth=2 --engine cmd=groups name=groups-1 depth=1 --engine cmd=squares depth=2 \
    --engine cmd=squares name=squares-1 depth=1 --engine cmd=lodestone nodes=200 --format swiss rounds=6 \
    --openings random:4 --concurrency 2 --each timemargin=60000";

const SPRT: &str = "match groups plain --openings random:4 --concurrency 2 --games 20000 \
    --sprt elo0=0 elo1=40 --each depth=2 timemargin=60000";

const TWO_PLAYERS: &str = "match squares plain --openings random:4 --each depth=1 timemargin=60000";

/// A match that is killed repeatedly.
struct Victim {
    scene: Scene,
    /// The command without its result file.
    line: String,
    /// Summary and games of an uninterrupted run.
    summary: String,
    games: Vec<Value>,
    /// The last line of a complete file.
    lines: usize,
    bytes: u64,
    random: Random,
    /// The unit of the shell's file size limit, in bytes.
    block: u64,
}

/// The result of one run.
enum Ended {
    /// It finished before the kill.
    ByItself(String),
    /// Killed with some but not all games in the file.
    Killed,
    /// Killed before the first game was written, or too early to matter.
    Otherwise,
}

impl Victim {
    fn new(line: &str) -> Victim {
        let scene = Scene::new();
        let whole = scene.referee(&format!("{line} --out whole.jsonl")).succeeds();
        let file = scene.text("whole.jsonl");
        Victim {
            summary: summary(&whole.stdout),
            games: games(&scene, "whole.jsonl").into_values().collect(),
            lines: file.lines().count(),
            bytes: file.len() as u64,
            line: line.to_string(),
            random: Random::new(11),
            block: block(&scene),
            scene,
        }
    }

    fn file(&self) -> PathBuf {
        self.scene.path("games.jsonl")
    }

    fn length(&self) -> u64 {
        fs::metadata(self.file()).map_or(0, |metadata| metadata.len())
    }

    /// The command with its result file.
    fn command(&self) -> Command {
        let mut command = self.scene.command(&format!("{} --out games.jsonl", self.line));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command until the file has grown by a random part of its final size, waits
    /// a little, and kills it.
    fn kill_while_playing(&mut self, step: u64) -> Ended {
        let wanted = self.length() + self.random.below(step);
        let pause = Duration::from_micros(self.random.below(12_000));
        let mut child = self.command().spawn().unwrap();
        let pipe = child.stdout.take().unwrap();
        let reader = thread::spawn(move || std::io::read_to_string(pipe).unwrap());
        let begin = Instant::now();
        while self.length() < wanted && child.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < PATIENCE, "no game is written");
            thread::sleep(Duration::from_micros(500));
        }
        thread::sleep(pause);
        // No effect on a process that has exited.
        child.kill().unwrap();
        let status = child.wait().unwrap();
        self.ended(status, KILLED, reader.join().unwrap())
    }

    /// Runs the command with a file size limit that lies within the next records.
    fn kill_while_writing(&mut self) -> Ended {
        let limit = self.length() / self.block + 1 + self.random.below(4);
        let mut command = self.under_limit(limit, "");
        let output = command.output().unwrap();
        let ended = self.ended(
            output.status,
            FILE_TOO_LONG,
            String::from_utf8(output.stdout).unwrap(),
        );
        if let Ended::ByItself(_) = ended {
            return ended;
        }
        if output.status.code() == Some(4) {
            // The referee has seen the error, and cut the line off.
            assert!(fs::read(self.file()).unwrap().ends_with(b"\n"));
            return ended;
        }
        assert_eq!(self.length(), limit * self.block, "it fills what is allowed");
        let is_torn = !fs::read(self.file()).unwrap().ends_with(b"\n");
        if is_torn { ended } else { Ended::Otherwise }
    }

    /// The command in a shell that limits file sizes.
    fn under_limit(&self, limit: u64, before: &str) -> Command {
        let command = self.command();
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<&str> = words.map(|word| word.to_str().unwrap()).collect();
        let words = words.join("' '");
        let mut shell = Command::new("sh");
        let script = format!("ulimit -c 0; {before} ulimit -f {limit}; exec '{words}'");
        shell.args(["-c", &script]).current_dir(self.scene.path(""));
        shell
    }

    fn ended(&self, status: ExitStatus, signal: i32, stdout: String) -> Ended {
        if status.code() == Some(0) {
            return Ended::ByItself(stdout);
        }
        // The limit of a file is an error of the referee; no signal ends it.
        let is_full = signal == FILE_TOO_LONG && status.code() == Some(4);
        assert!(is_full || status.signal() == Some(signal), "{status}");
        let file = complete_lines(&self.file());
        // Every game that was reported is saved.
        for line in stdout.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let id = line.strip_prefix("Game ").and_then(|rest| rest.split(' ').next());
            assert!(
                id.is_none_or(|id| file.contains(&format!("\n{{\"id\":{id},"))),
                "it is not in the file: {line}"
            );
        }
        if (2..self.lines).contains(&file.lines().count()) {
            Ended::Killed
        } else {
            Ended::Otherwise
        }
    }

    /// Asserts that a finished match equals the uninterrupted one.
    fn assert_as_undisturbed(&self, stdout: &str) {
        assert_eq!(summary(stdout), self.summary);
        assert_eq!(headers(&self.scene, "games.jsonl").len(), 1);
        let played = games(&self.scene, "games.jsonl");
        let is_tested = self.line.contains("--sprt");
        if !is_tested {
            assert_complete(&played, self.games.len() as u64);
            assert!(
                played.values().eq(&self.games),
                "the same games with the same moves"
            );
            return;
        }
        let [whole, again] = ["whole.jsonl", "games.jsonl"].map(|name| {
            let lines = self.scene.results(name);
            let verdicts = lines.iter().filter(|line| line.get("sprt").is_some()).count();
            assert_eq!(verdicts, 1, "{name}");
            lines.last().unwrap().clone()
        });
        assert_eq!(again, whole, "the verdict is the last line");
        // Games beyond the last pair depend on timing.
        let counted = 2 * whole["sprt"]["pairs"].as_u64().unwrap() as usize;
        assert!(counted > 0 && self.games.len() >= counted);
        assert!(played.values().take(counted).eq(self.games.iter().take(counted)));
    }

    /// Kills the match this many times while it plays, by SIGKILL, and in the middle of writing a record,
    /// by the system, and asserts the same result each time. Starts a new
    /// match when one finishes too early.
    fn survives(&mut self, most: [usize; 2]) {
        let (mut playing, mut writing) = (0, 0);
        // On average half a match is played at the last kill.
        let step = self.bytes / (most[0] + most[1]) as u64;
        for trial in 0.. {
            assert!(trial < 10, "only {playing} + {writing} kills came in time");
            let _ = fs::remove_file(self.file());
            let stdout = loop {
                let before = complete_lines(&self.file());
                let is_done = playing >= most[0] && writing >= most[1];
                let in_writing = writing < most[1]
                    && before.lines().count() > 1
                    && (playing >= most[0] || self.random.below(3) == 0);
                let ended = if is_done {
                    let output = self.command().output().unwrap();
                    assert_eq!(output.status.code(), Some(0), "{output:?}");
                    Ended::ByItself(String::from_utf8(output.stdout).unwrap())
                } else if in_writing {
                    self.kill_while_writing()
                } else {
                    self.kill_while_playing(step)
                };
                let now = complete_lines(&self.file());
                assert!(now.starts_with(&before), "what was written is still there");
                match ended {
                    Ended::ByItself(stdout) => break stdout,
                    Ended::Killed if in_writing => writing += 1,
                    Ended::Killed => playing += 1,
                    Ended::Otherwise => {}
                }
            };
            self.assert_as_undisturbed(&stdout);
            if playing >= most[0] && writing >= most[1] {
                break;
            }
        }
        println!("killed {playing} times while playing, {writing} times while writing");
        self.scene.assert_no_process_left();
    }
}

/// The unit of the shell's file size limit: 512 or 1024 bytes.
fn block(scene: &Scene) -> u64 {
    let script = "trap '' XFSZ; ulimit -f 1; head -c 5000 /dev/zero > block 2> /dev/null";
    let mut shell = Command::new("sh");
    run(shell.args(["-c", script]).current_dir(scene.path("")), "");
    let length = fs::metadata(scene.path("block")).unwrap().len();
    assert!([512, 1024].contains(&length), "{length}");
    length
}

#[test]
#[ignore = "takes some twenty seconds; a step of .ci/run --long"]
fn round_robin_survives_fifty_kills() {
    Victim::new(&format!("{ROUND_ROBIN} --games 300")).survives([40, 10]);
}

#[test]
fn match_stopped_by_a_full_disk_resumes_later() {
    let victim = Victim::new(&format!("{ROUND_ROBIN} --games 20"));
    let step = victim.bytes / victim.block / 4;
    for part in 1..4 {
        // A write beyond the limit fails as on a full disk.
        let mut command = victim.under_limit(part * step, "trap '' XFSZ;");
        let outcome = run(&mut command, "").exits(4);
        outcome.says(expect! {"the result file cannot be written any more: File too large"});
        let text = fs::read_to_string(victim.file()).unwrap();
        assert!(text.ends_with("}\n"), "whole lines only");
        let played = games(&victim.scene, "games.jsonl");
        assert!(!played.is_empty() && played.len() < victim.games.len());
        for (id, game) in &played {
            assert_eq!(*game, victim.games[*id as usize - 1]);
        }
        let stopped = format!("Stopped after {} of 60 games. ", played.len());
        outcome.shows(stopped);
    }
    let outcome = run(&mut victim.command(), "").exits(0);
    victim.assert_as_undisturbed(&outcome.stdout);
    victim.scene.assert_no_process_left();
}

#[test]
fn a_torn_last_line_is_no_error_and_its_game_is_played_again() {
    let scene = Scene::new();
    let line = format!("{TWO_PLAYERS} --games 4 --out games.jsonl");
    scene.referee(&line).exits(0);
    let text = scene.text("games.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let kept = lines[..3].concat();
    let records = |text: &str| -> Vec<Value> { json_lines(text).iter().skip(1).map(timeless).collect() };
    for torn in [&lines[3][..40], &"\0".repeat(500)] {
        scene.file("games.jsonl", &(kept.clone() + torn));
        scene.referee(&line).exits(0);
        let again = scene.text("games.jsonl");
        assert!(again.starts_with(&kept), "{torn:?}");
        assert_eq!(records(&again), records(&text), "{torn:?}");
    }
}

#[test]
fn damage_in_the_middle_of_a_file_is_reported_and_left_alone() {
    let scene = Scene::new();
    let line = format!("{TWO_PLAYERS} --games 4 --out games.jsonl");
    scene.referee(&line).exits(0);
    let text = scene.text("games.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    let until_detail = lines[2].split_inclusive(r#""detail":""#).next().unwrap();
    for (garbage, why) in [
        ("\0".repeat(lines[2].len()), "not JSON: expected value, column 1"),
        (
            until_detail.to_string(),
            "not JSON: EOF while parsing a string, column ",
        ),
        (
            lines[2].replace("squares", "circles"),
            "game 2 is between plain and squares",
        ),
        (
            lines[2].replace(r#""id":2"#, r#""id":9"#),
            "there is no game 9 in the schedule",
        ),
    ] {
        assert_ne!(garbage, lines[2]);
        let mut spoilt = lines.clone();
        spoilt[2] = &garbage;
        let spoilt = spoilt.join("\n") + "\n";
        scene.file("games.jsonl", &spoilt);
        scene.assert_refused(&line, format!("referee: --out games.jsonl: line 3: {why}"));
        assert_eq!(scene.text("games.jsonl"), spoilt);
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn round_robin_survives_kills() {
        Victim::new(&format!("{ROUND_ROBIN} --games 40")).survives([6, 3]);
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn swiss_tournament_survives_kills() {
        Victim::new(&format!("{SWISS} --games 4")).survives([4, 2]);
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn sprt_survives_kills() {
        Victim::new(SPRT).survives([4, 2]);
    }
}
