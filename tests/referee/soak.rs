//! Soak: one referee plays good and bad bots against each other for long. What
//! it holds stays what it held early on, each game of the schedule has its
//! record, and each record the verdict that it must have.
//!
//! The short form is a test like any other. The long one plays about as many
//! games as it is told to, and prints what it saw:
//!
//! ```text
//! SOAK_GAMES=3000 cargo test -p referee --test end_to_end -- --ignored soak --nocapture
//! ```

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::recorded::{assert_complete, complete_lines, games};
use crate::support::{Scene, zoo};

/// What becomes of a player's games.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// They go on to their end by the rules.
    Plays,
    /// It loses with its second answer, for this reason; the detail says this.
    Loses(&'static str, &'static str),
    /// It plays, and starts a process with each answer, until there are too many.
    Breeds,
}

use Fate::{Breeds, Loses, Plays};

/// A player and the settings that it has beside its command.
type Player = (&'static str, &'static str, Fate);

/// Nobody here is late by chance.
const PATIENT: &str = "st=60";
/// The referee waits so long, and a second more.
const SHORT: &str = "st=0.5";

/// Who plays in every soak. The names of the good ones are those of built-in
/// players, the others those of the zoo.
const PLAYERS: &[Player] = &[
    ("random", PATIENT, Plays),
    ("plain", "nodes=100 st=60", Plays),
    ("answers-early", PATIENT, Plays),
    ("leaves-a-child-with-a-session", PATIENT, Breeds),
    ("exits-thinking", PATIENT, Loses("crash", "exit status 3")),
    ("leaves-a-child", PATIENT, Loses("crash", "exit status 0")),
    ("forks-on", PATIENT, Loses("crash", "are allowed")),
    ("floods", PATIENT, Loses("garbage", "more than 8 MiB")),
    ("plays-an-illegal-move", PATIENT, Loses("illegal", "d4")),
    ("hangs", SHORT, Loses("stall", "no move within")),
];

/// Who plays in the long form only, for being slow or much like another one.
const MORE_PLAYERS: &[Player] = &[
    ("squares", "depth=1 st=60", Plays),
    ("answers-twice", PATIENT, Plays),
    ("writes-byte-by-byte", PATIENT, Plays),
    ("refuses-to-quit", PATIENT, Plays),
    ("floods-stderr", PATIENT, Plays),
    ("answers-late", SHORT, Loses("time", "too late")),
    ("segfaults", PATIENT, Loses("crash", "SIGSEGV")),
    ("eats-memory", PATIENT, Loses("crash", "MB are allowed")),
    ("closes-its-output", PATIENT, Loses("crash", "closed its output")),
    ("is-no-text", PATIENT, Loses("garbage", "no move at all")),
    (
        "never-ends-its-line",
        PATIENT,
        Loses("garbage", "longer than 64 KiB"),
    ),
    ("drips-for-ever", SHORT, Loses("stall", "no move within")),
    ("stops-itself", SHORT, Loses("stall", "no move within")),
];

/// How many games are played at a time.
const SLOTS: usize = 2;

/// The referee's descriptors for an engine that runs: three pipes, the socket to
/// its supervisor, and a second one of it that tells of its end.
const DESCRIPTORS_AN_ENGINE: i64 = 5;

/// What the referee remembers of a game to count the distinct ones, in bytes.
const MEMORY_A_GAME: u64 = 60;

/// By so much its memory varies from one third to another, in kB: each player has
/// buffers that grow with its worst game, and twice where both slots needed it.
const MEMORY_ALLOWANCE: u64 = 1024;

/// What a process holds, at one moment.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Memory that does not come from files, in kB.
    memory: u64,
    threads: u64,
    descriptors: i64,
    /// Each is a supervisor with its engine.
    children: i64,
    /// All processes below it.
    descendants: usize,
}

impl Sample {
    /// `None` when it is over.
    fn of(process: u32) -> Option<Sample> {
        let folder = PathBuf::from(format!("/proc/{process}"));
        let status = fs::read_to_string(folder.join("status")).ok()?;
        let number = |name: &str| {
            let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
            rest.trim().trim_end_matches(" kB").parse().ok()
        };
        let descriptors = fs::read_dir(folder.join("fd")).ok()?.count() as i64;
        let family = children_of_all();
        let mut open = vec![process];
        let mut descendants = 0;
        while let Some(children) = open.pop().map(|parent| family.get(&parent)) {
            open.extend(children.into_iter().flatten());
            descendants += children.map_or(0, Vec::len);
        }
        Some(Sample {
            memory: number("RssAnon:")?,
            threads: number("Threads:")?,
            descriptors,
            children: family.get(&process).map_or(0, Vec::len) as i64,
            descendants,
        })
    }

    /// The descriptors that belong to no engine.
    const fn own_descriptors(&self) -> i64 {
        self.descriptors - DESCRIPTORS_AN_ENGINE * self.children
    }
}

/// The children of every process that has any, those included that have ended
/// and that nobody has asked about.
fn children_of_all() -> HashMap<u32, Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for process in fs::read_dir("/proc").unwrap().flatten() {
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // "NUMBER (NAME) STATE PARENT …", and a name may hold anything.
        let Some((number, rest)) = stat.split_once(' ') else {
            continue;
        };
        let parent = rest
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1));
        if let (Ok(number), Some(Ok(parent))) = (number.parse(), parent.map(str::parse)) {
            children.entry(parent).or_default().push(number);
        }
    }
    children
}

/// What a referee held, from its start to its end.
struct Course(Vec<Sample>);

impl Course {
    /// Watches a referee to its end.
    fn of(referee: &mut Child) -> Course {
        let mut samples = Vec::new();
        while referee.try_wait().unwrap().is_none() {
            samples.extend(Sample::of(referee.id()));
            thread::sleep(Duration::from_millis(20));
        }
        assert!(samples.len() > 100, "{} samples", samples.len());
        Course(samples)
    }

    /// The part from `from` to `to` of so many `parts`.
    fn part(&self, Range { start, end }: Range<usize>, parts: usize) -> &[Sample] {
        let place = |part: usize| self.0.len() * part / parts;
        &self.0[place(start)..place(end)]
    }

    /// The second and the third third; in the first one, engines that are needed
    /// twice at a time are started for the first time.
    fn early_and_late(&self) -> [&[Sample]; 2] {
        [self.part(1..2, 3), self.part(2..3, 3)]
    }

    /// What it held late is what it held early on.
    fn assert_steady(&self, games: u64, players: usize) {
        let [threads, memory] = [|one: &Sample| one.threads, |one: &Sample| one.memory].map(|of| {
            self.early_and_late()
                .map(|part| part.iter().map(of).max().unwrap())
        });
        assert_eq!(threads[0], threads[1], "threads, early and late");
        let most = memory[0] + MEMORY_ALLOWANCE + games * MEMORY_A_GAME / 1024;
        assert!(memory[1] <= most, "{memory:?} kB of memory, early and late");
        // While an engine starts or ends there are more or fewer; mostly none does.
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

    /// A line for each tenth of the time.
    fn print(&self) {
        println!("| time | memory | threads | descriptors | of no engine | engines | descendants at most |");
        println!("|---|---|---|---|---|---|---|");
        for tenth in 0..10 {
            let part = self.part(tenth..tenth + 1, 10);
            println!(
                "| {} % | {} kB | {} | {} | {} | {} | {} |",
                10 * (tenth + 1),
                part.iter().map(|one| one.memory).max().unwrap(),
                part.iter().map(|one| one.threads).max().unwrap(),
                median(part.iter().map(|one| one.descriptors)),
                median(part.iter().map(Sample::own_descriptors)),
                median(part.iter().map(|one| one.children)),
                part.iter().map(|one| one.descendants).max().unwrap(),
            );
        }
    }
}

fn median(numbers: impl Iterator<Item = i64>) -> i64 {
    let mut numbers: Vec<i64> = numbers.collect();
    numbers.sort_unstable();
    numbers[numbers.len() / 2]
}

/// A match among these players, and what came of it.
struct Soak {
    scene: Scene,
    players: Vec<Player>,
    /// Games a pairing.
    rounds: u64,
}

impl Soak {
    fn games(&self) -> u64 {
        let players = self.players.len() as u64;
        players * (players - 1) / 2 * self.rounds
    }

    fn start(&self) -> Child {
        let mut command = self.scene.command("match --openings random:2 --quiet");
        command
            .args(["--out", "games.jsonl", "--faults", "faults"])
            .args(["--memory", "200", "--max-processes", "60"])
            .args(["--concurrency", &SLOTS.to_string()])
            .args(["--games", &self.rounds.to_string()]);
        for (name, settings, _) in &self.players {
            command.args(["--engine", &format!("name={name}")]);
            if lodestone::personality::all_names().contains(name) {
                command.arg(format!("cmd={name}"));
            } else {
                command.args([format!("cmd={}", zoo().display()), format!("args={name}")]);
            }
            command.args(settings.split(' '));
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// A referee that is killed when so many games are over.
    fn kill_after(&self, games: usize) {
        let mut referee = self.start();
        let until = Instant::now() + Duration::from_mins(1);
        while complete_lines(&self.scene.path("games.jsonl")).lines().count() <= games {
            assert!(Instant::now() < until, "no game is written");
            thread::sleep(Duration::from_millis(10));
        }
        referee.kill().unwrap();
        referee.wait().unwrap();
        self.scene.assert_no_process_left();
    }

    /// Plays everything, prints what the referee held meanwhile and gives it back.
    fn play(&self) -> Course {
        let start = Instant::now();
        // In the middle of a hang, most likely.
        self.kill_after(self.players.len());
        let mut referee = self.start();
        let course = Course::of(&mut referee);
        assert_eq!(referee.wait().unwrap().code(), Some(0));
        self.scene.assert_no_process_left();
        println!("{} games in {:.0} s", self.games(), start.elapsed().as_secs_f64());
        course.print();
        course
    }

    fn fate(&self, record: &Value, side: &str) -> Fate {
        let mut players = self.players.iter();
        let player = players.find(|(name, ..)| record[side] == *name);
        player.unwrap_or_else(|| panic!("{record}")).2
    }

    /// Whether this game ended as it must.
    fn is_right(&self, record: &Value) -> bool {
        let text = |field: &str| record[field].as_str().unwrap();
        let (reason, result, detail) = (text("reason"), text("result"), text("detail"));
        let [first, second] = ["first", "second"].map(|side| self.fate(record, side));
        let breeder = if result == "0-1" { first } else { second };
        if reason == "crash" && detail.ends_with(" processes, 60 are allowed") && matches!(breeder, Breeds) {
            return true;
        }
        // Who moves first does first what it is here for.
        match (first, second) {
            (Loses(why, how), _) => (reason, result) == (why, "0-1") && detail.contains(how),
            (_, Loses(why, how)) => (reason, result) == (why, "1-0") && detail.contains(how),
            _ => ["five", "full"].contains(&reason),
        }
    }

    /// Every game has its record, and each the verdict that it must have. Gives
    /// back how many ended for which reason.
    fn assert_records(&self) -> BTreeMap<String, usize> {
        let games = games(&self.scene, "games.jsonl");
        assert_complete(&games, self.games());
        let wrong: Vec<&Value> = games.values().filter(|record| !self.is_right(record)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        let mut reasons = BTreeMap::new();
        for record in games.values() {
            let reason = record["reason"].as_str().unwrap();
            *reasons.entry(reason.to_string()).or_default() += 1;
        }
        let moves: u64 = games.values().filter_map(|record| record["ms"].as_u64()).sum();
        println!("{} games, {moves} moves: {reasons:?}", games.len());
        let report = self.scene.referee("report games.jsonl");
        assert_eq!((report.status, report.stderr.as_str()), (Some(0), ""));
        reasons
    }
}

#[test]
fn a_soak_of_good_and_bad_bots_leaves_nothing_behind() {
    let soak = Soak {
        scene: Scene::new(),
        players: PLAYERS.to_vec(),
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

#[test]
#[ignore = "takes minutes to hours; see CONTRIBUTING.md"]
fn a_long_soak_of_good_and_bad_bots_leaves_nothing_behind() {
    let games = std::env::var("SOAK_GAMES").map_or(1000, |games| games.parse().unwrap());
    let players = [PLAYERS, MORE_PLAYERS].concat();
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
