//! How many games a second the referee plays, beside a bare loop that sends the
//! same lines to the same engines and waits for each answer, but judges,
//! records and shows nothing. Both run in turns, so that the ratio is of the
//! same machine in the same state.
//!
//! ```text
//! cargo bench -p referee --bench throughput
//! GAMES=10000 cargo bench -p referee --bench throughput
//! ```

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

const REFEREE: &str = env!("CARGO_BIN_EXE_referee");

/// How many games are played at a time.
const SLOTS: usize = 2;

/// The bound of the referee's own memory (anonymous pages), in kB: 2 MB, and 0.3 MB a slot.
const MOST_OWN_MEMORY: u64 = 2_000 + 300 * SLOTS as u64;

/// The bound of all its resident memory, in kB. The pages of the executable, which processes
/// share, are about 9 MB of it.
const MOST_MEMORY: u64 = 12_000 + 300 * SLOTS as u64;

/// The most memory that the referee had, in kB; 0 where the system does not tell.
#[derive(Clone, Copy, Default)]
struct PeakMemory {
    /// Anonymous pages.
    own: u64,
    /// All resident pages.
    all: u64,
}

impl PeakMemory {
    /// Adds what `/proc/PID/status` says.
    fn add(&mut self, status: &str) {
        let field = |name: &str| {
            let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
            rest.trim().trim_end_matches(" kB").parse::<u64>().ok()
        };
        self.own = self.own.max(field("RssAnon:").unwrap_or(0));
        self.all = self.all.max(field("VmHWM:").unwrap_or(0));
    }

    fn assert_small(self) {
        assert!(self.own <= MOST_OWN_MEMORY, "{} kB of its own", self.own);
        assert!(self.all <= MOST_MEMORY, "{} kB", self.all);
    }
}

impl std::fmt::Display for PeakMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} kB, {} of them its own", self.all, self.own)
    }
}

/// The engine whose games are played with and without `--record`: it reports everything.
const TALKATIVE: [&str; 4] = ["plain", "plain", "--each", "depth=1"];

/// How often both are measured.
const ROUNDS: usize = 3;

/// An engine that is spoken to with blocking reads and writes.
struct Engine {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
}

impl Engine {
    fn start() -> Engine {
        let mut child = Command::new(REFEREE)
            .args(["builtin", "random"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let stdin = child.stdin.take().expect("its input is a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let mut engine = Engine {
            child,
            stdin,
            stdout,
            line: String::new(),
        };
        engine.ask("uci\n", "uciok");
        engine
    }

    /// Sends lines and reads up to one that begins with `answer`.
    fn ask(&mut self, lines: &str, answer: &str) {
        self.stdin
            .write_all(lines.as_bytes())
            .expect("the engine listens");
        loop {
            self.line.clear();
            let length = self.stdout.read_line(&mut self.line).expect("the engine speaks");
            assert!(length > 0, "the engine ended");
            if self.line.starts_with(answer) {
                return;
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.stdin.write_all(b"quit\n");
        let _ = self.child.wait();
    }
}

/// What an engine hears in one game: for each of its moves, whose it is and
/// the lines.
fn messages(record: &Value) -> Vec<(usize, String)> {
    let moves: Vec<&str> = record["moves"]
        .as_array()
        .expect("a list of moves")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let opening = record["opening_plies"].as_u64().expect("a number") as usize;
    (opening..moves.len())
        .map(|ply| {
            let moves = moves[..ply].join(" ");
            (
                ply % 2,
                format!("position startpos moves {moves}\ngo movetime 3000\n"),
            )
        })
        .collect()
}

/// Sends the messages of all games, `SLOTS` games at a time.
fn bare_loop(games: &[Vec<(usize, String)>]) -> Duration {
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..SLOTS {
            scope.spawn(|| {
                let mut engines = [Engine::start(), Engine::start()];
                while let Some(game) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for engine in &mut engines {
                        engine.ask("ucinewgame\nisready\n", "readyok");
                    }
                    for (side, lines) in game {
                        engines[*side].ask(lines, "bestmove");
                    }
                }
            });
        }
    });
    start.elapsed()
}

/// Lets the referee play; gives back how long it took, and the most memory that it had.
fn referee(players: &[&str], games: usize, out: &Path) -> (Duration, PeakMemory) {
    let start = Instant::now();
    let mut child = Command::new(REFEREE)
        .arg("match")
        .args(players)
        .args(["--openings", "random:4", "--quiet", "--games"])
        .args([
            games.to_string(),
            "--concurrency".into(),
            SLOTS.to_string(),
            "--out".into(),
        ])
        .arg(out)
        .stdout(Stdio::null())
        .spawn()
        .expect("the referee starts");
    let status = format!("/proc/{}/status", child.id());
    let mut memory = PeakMemory::default();
    while child.try_wait().expect("it can be waited for").is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        memory.add(&text);
        thread::sleep(Duration::from_millis(20));
    }
    (start.elapsed(), memory)
}

fn main() {
    let games = std::env::var("GAMES").ok().and_then(|games| games.parse().ok());
    let games: usize = games.unwrap_or(2000);
    let folder = tempfile::tempdir().expect("a folder for results");
    println!("{games} games of `random` against `random`, {SLOTS} at a time");
    for round in 1..=ROUNDS {
        let file = folder.path().join(format!("{round}.jsonl"));
        let (with_referee, memory) = referee(&["random", "random"], games, &file);
        let text = fs::read_to_string(&file).expect("the result file is there");
        let records = text
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let messages: Vec<_> = records.map(|record: Value| messages(&record)).collect();
        assert_eq!(messages.len(), games);
        memory.assert_small();
        let bare = bare_loop(&messages);
        let rate = |time: Duration| games as f64 / time.as_secs_f64();
        println!(
            "referee {:.0} games/s, bare loop {:.0} games/s, ratio of times {:.2}; referee at most {memory}",
            rate(with_referee),
            rate(bare),
            with_referee.as_secs_f64() / bare.as_secs_f64(),
        );
    }
    record_all(games, folder.path());
}

/// Plays the same games with and without `--record all`.
fn record_all(games: usize, folder: &Path) {
    println!("{games} games of `plain` against itself at depth 1, without and with `--record all`");
    for round in 1..=ROUNDS {
        let [little, everything] = [&[][..], &["--record", "all"]].map(|record| {
            let file = folder.join(format!("facts-{round}-{}.jsonl", record.len()));
            let players: Vec<&str> = TALKATIVE.iter().chain(record).copied().collect();
            let (time, memory) = referee(&players, games, &file);
            let text = fs::read_to_string(&file).expect("the result file is there");
            memory.assert_small();
            let records = text.lines().skip(1).map(|line| {
                let record: Value = serde_json::from_str(line).expect("JSON");
                record["ms"].as_array().expect("a list of times").len()
            });
            (time, memory, text.len(), records.sum::<usize>())
        });
        let per_move = |(time, _, bytes, moves): (Duration, PeakMemory, usize, usize)| {
            let moves = moves as f64;
            (time.as_secs_f64() * 1e6 / moves, bytes as f64 / moves)
        };
        let ((time, bytes), (more_time, more_bytes)) = (per_move(little), per_move(everything));
        println!(
            "{:.1} and {:.1} MB, {bytes:.1} and {more_bytes:.1} bytes a half-move; {time:.1} and {more_time:.1} us a \
             half-move, ratio {:.2}; at most {}, and {}",
            little.2 as f64 / 1e6,
            everything.2 as f64 / 1e6,
            more_time / time,
            little.1,
            everything.1,
        );
    }
}
