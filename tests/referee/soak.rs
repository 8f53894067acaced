//! Soak test: one referee plays good and bad bots for a long time. Its resources stay
//! constant, every game has its record, and every record the expected verdict.
//!
//! The short form runs with the other tests. The long form plays about the given number
//! of games and prints what it measured:
//!
//! ```text
//! SOAK_GAMES=3000 cargo test -p referee --test end_to_end -- --ignored soak
//! --nocapture
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::recorded::{assert_complete, complete_lines, games, text};
use crate::support::{Scene, wait_until, zoo};
use crate::zoo_table::Row;

/// The players of every soak: built-in players, and bots of the zoo, which have their fates here, too.
const PLAYERS: &str = "random plain answers-early leaves-a-child-with-a-session exits-thinking leaves-a-child \
    forks-on floods plays-an-illegal-move hangs";

/// Players of the long form only: slow ones, or similar to others.
const MORE_PLAYERS: &str = "squares two-bestmoves writes-byte-by-byte refuses-to-quit floods-stderr answers-late \
    segfaults eats-memory closes-its-output is-no-text never-ends-its-line drips-for-ever stops-itself";

/// It plays, and starts a process with each answer until there are too many.
const BREEDER: &str = "leaves-a-child-with-a-session";

/// The expected outcome of a player's games; it loses with its second answer.
fn verdict(name: &str) -> &'static str {
    match name {
        // With limits on memory and processes.
        "forks-on" | "eats-memory" => "crash",
        _ => Row::of(name).map_or("plays on", |row| row.verdict),
    }
}

/// Games at a time.
const SLOTS: usize = 2;

/// Descriptors per running engine: three pipes, the supervisor's socket, and its
/// duplicate for the exit.
const DESCRIPTORS_AN_ENGINE: i64 = 5;

/// Bytes per game that the referee needs to count distinct games.
const MEMORY_A_GAME: u64 = 60;

/// Tolerated variation of its memory between thirds of the run, in kB: each player has
/// buffers that grow with its worst game, twice if both slots needed it.
const MEMORY_ALLOWANCE: u64 = 1024;

/// The resources of a process at one moment.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Memory not backed by files, in kB.
    memory: u64,
    threads: u64,
    descriptors: i64,
    /// Each is a supervisor with its engine.
    children: i64,
}

impl Sample {
    /// `None` after its exit.
    fn of(process: u32) -> Option<Sample> {
        let folder = PathBuf::from(format!("/proc/{process}"));
        let status = fs::read_to_string(folder.join("status")).ok()?;
        let number = |name: &str| {
            let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
            rest.trim().trim_end_matches(" kB").parse().ok()
        };
        let descriptors = fs::read_dir(folder.join("fd")).ok()?.count() as i64;
        Some(Sample {
            memory: number("RssAnon:")?,
            threads: number("Threads:")?,
            descriptors,
            children: children_of(process),
        })
    }

    /// The descriptors that belong to no engine.
    const fn own_descriptors(&self) -> i64 {
        self.descriptors - DESCRIPTORS_AN_ENGINE * self.children
    }
}

/// The number of children of a process, zombies included.
fn children_of(parent: u32) -> i64 {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let stats = processes.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
    // Format: `PID (NAME) STATE PPID …`; the name may contain anything.
    let is_child = |stat: &String| {
        let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        rest.split(' ').nth(1) == Some(&parent.to_string())
    };
    stats.filter(is_child).count() as i64
}

/// The resources of a referee over its run.
struct Course(Vec<Sample>);

impl Course {
    /// Samples a referee until its exit.
    fn of(referee: &mut Child) -> Course {
        let mut samples = Vec::new();
        while referee.try_wait().unwrap().is_none() {
            samples.extend(Sample::of(referee.id()));
            thread::sleep(Duration::from_millis(20));
        }
        assert!(samples.len() > 100, "{} samples", samples.len());
        Course(samples)
    }

    /// Samples from part `from` to part `to` of `parts`.
    fn part(&self, Range { start, end }: Range<usize>, parts: usize) -> &[Sample] {
        let place = |part: usize| self.0.len() * part / parts;
        &self.0[place(start)..place(end)]
    }

    /// The second and the third third. In the first third, engines needed twice at a time
    /// are started.
    fn early_and_late(&self) -> [&[Sample]; 2] {
        [self.part(1..2, 3), self.part(2..3, 3)]
    }

    /// Asserts that late resources equal early ones.
    fn assert_steady(&self, games: u64, players: usize) {
        let [threads, memory] = [|one: &Sample| one.threads, |one: &Sample| one.memory].map(|of| {
            self.early_and_late()
                .map(|part| part.iter().map(of).max().unwrap())
        });
        assert_eq!(threads[0], threads[1], "threads, early and late");
        let most = memory[0] + MEMORY_ALLOWANCE + games * MEMORY_A_GAME / 1024;
        assert!(memory[1] <= most, "{memory:?} kB of memory, early and late");
        // While an engine starts or exits the numbers differ; mostly none does.
        let own = self
            .early_and_late()
            .map(|part| median(part.iter().map(Sample::own_descriptors)));
        assert_eq!(
            own[0], own[1],
            "descriptors that belong to no engine, early and late"
        );
        let most = self.0.iter().map(|one| one.children).max().unwrap();
        assert!(most <= (SLOTS * players) as i64, "{most} children");
    }

    /// A line per tenth of the run.
    fn print(&self) {
        println!("| time | memory | threads | descriptors | of no engine | engines |");
        println!("|---|---|---|---|---|---|");
        for tenth in 0..10 {
            let part = self.part(tenth..tenth + 1, 10);
            println!(
                "| {} % | {} kB | {} | {} | {} | {} |",
                10 * (tenth + 1),
                part.iter().map(|one| one.memory).max().unwrap(),
                part.iter().map(|one| one.threads).max().unwrap(),
                median(part.iter().map(|one| one.descriptors)),
                median(part.iter().map(Sample::own_descriptors)),
                median(part.iter().map(|one| one.children)),
            );
        }
    }
}

fn median(numbers: impl Iterator<Item = i64>) -> i64 {
    let mut numbers: Vec<i64> = numbers.collect();
    numbers.sort_unstable();
    numbers[numbers.len() / 2]
}

/// A match of these players and its results.
struct Soak {
    scene: Scene,
    players: Vec<&'static str>,
    /// Games per pairing.
    rounds: u64,
}

impl Soak {
    fn games(&self) -> u64 {
        let players = self.players.len() as u64;
        players * (players - 1) / 2 * self.rounds
    }

    fn start(&self) -> Child {
        let limits = format!(
            "--each memory=200 max-processes=60 --concurrency {SLOTS} --games {}",
            self.rounds
        );
        let line = format!("match --openings random:2 --quiet --out games.jsonl --faults faults {limits}");
        let mut command = self.scene.command(&line);
        for name in &self.players {
            command.args(["--engine", &format!("name={name}")]);
            if lodestone_game::players::all_names().contains(name) {
                command.args([&format!("cmd={name}"), "depth=1", "st=60"]);
            } else {
                command.args([format!("cmd={}", zoo().display()), format!("args={name}")]);
                let settings = Row::of(name).map(Row::settings_of_game).unwrap_or_default();
                command.args(settings.split_whitespace());
            }
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().unwrap()
    }

    /// A referee that is killed after this many games.
    fn kill_after(&self, games: usize) {
        let mut referee = self.start();
        wait_until("no game is written", || {
            complete_lines(&self.scene.path("games.jsonl")).lines().count() > games
        });
        referee.kill().unwrap();
        referee.wait().unwrap();
        self.scene.assert_no_process_left();
    }

    /// Plays everything, prints the resources and returns them.
    fn play(&self) -> Course {
        let start = Instant::now();
        // Probably during a hang.
        self.kill_after(self.players.len());
        let mut referee = self.start();
        let course = Course::of(&mut referee);
        assert_eq!(referee.wait().unwrap().code(), Some(0));
        self.scene.assert_no_process_left();
        println!("{} games in {:.0} s", self.games(), start.elapsed().as_secs_f64());
        course.print();
        course
    }

    /// Whether this game ended as expected.
    fn is_right(record: &Value) -> bool {
        let text = |field: &str| text(record, field);
        let (reason, result, detail) = (text("reason"), text("result"), text("detail"));
        let [first, second] = ["first", "second"].map(|side| verdict(text(side)));
        let loser = text(if result == "0-1" { "first" } else { "second" });
        if reason == "crash" && detail.ends_with(" processes, 60 are allowed") && loser == BREEDER {
            return true;
        }
        // The first player misbehaves first.
        match (first, second) {
            ("plays on", "plays on") => ["five", "full"].contains(&reason),
            ("plays on", why) => (reason, result) == (why, "1-0"),
            (why, _) => (reason, result) == (why, "0-1"),
        }
    }

    /// Asserts that every game has its record with the expected verdict. Returns the number
    /// of games by reason.
    fn assert_records(&self) -> BTreeMap<String, usize> {
        let games = games(&self.scene, "games.jsonl");
        assert_complete(&games, self.games());
        let wrong: Vec<&Value> = games.values().filter(|record| !Soak::is_right(record)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        let mut reasons = BTreeMap::new();
        for record in games.values() {
            *reasons.entry(text(record, "reason").to_string()).or_default() += 1;
        }
        let moves: u64 = games.values().filter_map(|record| record["ms"].as_u64()).sum();
        println!("{} games, {moves} moves: {reasons:?}", games.len());
        self.scene.referee("report games.jsonl").succeeds();
        reasons
    }
}

#[test]
#[ignore = "takes minutes to hours; see CONTRIBUTING.md"]
fn long_soak_leaves_nothing_behind() {
    let games = std::env::var("SOAK_GAMES").map_or(1000, |games| games.parse().unwrap());
    let players: Vec<&str> = PLAYERS.split(' ').chain(MORE_PLAYERS.split(' ')).collect();
    let pairings = (players.len() * (players.len() - 1) / 2) as u64;
    let soak = Soak {
        scene: Scene::new(),
        players,
        rounds: u64::max(2, games / pairings),
    };
    let course = soak.play();
    soak.assert_records();
    course.assert_steady(soak.games(), soak.players.len());
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn soak_leaves_nothing_behind() {
        let soak = Soak {
            scene: Scene::new(),
            players: PLAYERS.split(' ').collect(),
            rounds: 2,
        };
        let course = soak.play();
        let reasons = soak.assert_records();
        let by_rules: usize = ["five", "full"]
            .iter()
            .filter_map(|reason| reasons.get(*reason))
            .sum();
        let faults = soak.games() as usize - by_rules;
        let transcripts = fs::read_dir(soak.scene.path("faults")).unwrap().count();
        assert_eq!(transcripts, faults, "a transcript each: {reasons:?}");
        course.assert_steady(soak.games(), soak.players.len());
    }
}
