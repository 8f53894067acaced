//! Time and memory of `referee report` over the files of many shards, with synthetic games.
//!
//! ```text
//! cargo bench -p referee --bench report
//! GAMES=10000000 FILES=10000 cargo bench -p referee --bench report
//! ```
//!
//! A thousandth of the games is in a file twice, and one game is missing. The report must notice.
//! The folder of the files is `FOLDER`, or a temporary one.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use lodestone_game::random::Random;
use serde_json::Value;

/// The most memory that a report may use, in kB.
const MOST_MEMORY: u64 = 1_000_000;

/// The number of parts of games that are combined at random.
const PARTS: u64 = 1000;

/// The number of moves of a part; a game has six parts.
const PLIES: usize = 8;

/// The moves, times and scores of a part of a game, as JSON without brackets.
struct Part {
    moves: String,
    ms: String,
    score: String,
}

impl Part {
    fn new(random: &mut Random) -> Part {
        let mut part = Part {
            moves: String::new(),
            ms: String::new(),
            score: String::new(),
        };
        for ply in 0..PLIES {
            let comma = if ply > 0 { "," } else { "" };
            let (column, row) = (b'a' + random.below(8) as u8, 1 + random.below(8));
            let _ = write!(part.moves, "{comma}\"{}{row}\"", char::from(column));
            let _ = write!(part.ms, "{comma}{}.{:03}", random.below(200), random.below(1000));
            let _ = write!(part.score, "{comma}\"cp {}\"", random.below(400) as i64 - 200);
        }
        part
    }
}

/// The number in a variable of the environment.
fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(default, |text| text.parse().expect("a number"))
}

/// Writes a record.
fn write_game(out: &mut impl Write, id: u64, random: &mut Random, parts: &[Part]) {
    let chosen: Vec<&Part> = (0..6).map(|_| &parts[random.below(PARTS) as usize]).collect();
    let list = |of: fn(&Part) -> &str| {
        let texts: Vec<&str> = chosen.iter().map(|part| of(part)).collect();
        texts.join(",")
    };
    let [first, second] = if id % 2 == 1 { ["a", "b"] } else { ["b", "a"] };
    let result = ["1-0", "0-1", "1/2-1/2"][random.below(3) as usize];
    let pair = id.div_ceil(2);
    writeln!(
        out,
        "{{\"id\":{id},\"variant\":\"magnetic-cave\",\"round\":{pair},\"pair\":{pair},\"first\":\"{first}\",\
         \"second\":\"{second}\",\"start\":\"8/8/8/8/8/8/8/8 x\",\"moves\":[{}],\"opening_plies\":0,\"ms\":[{}],\
         \"score\":[{}],\"result\":\"{result}\",\"reason\":\"five\",\"detail\":\"x has five in line, a5 to a1\"}}",
        list(|part| &part.moves),
        list(|part| &part.ms),
        list(|part| &part.score),
    )
    .expect("the file can be written");
}

/// Writes the files of all shards; returns their size in bytes.
fn write_files(folder: &Path, games: u64, files: u64, missing: u64) -> u64 {
    let mut random = Random::new(1);
    let parts: Vec<Part> = (0..PARTS).map(|_| Part::new(&mut random)).collect();
    let mut size = 0;
    for shard in 0..files {
        let path = folder.join(format!("shard-{shard}.jsonl"));
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&path).expect("a file"));
        writeln!(
            out,
            "{{\"header\":1,\"variant\":\"magnetic-cave\",\"seed\":1,\"schedule\":{{\"format\":\"round-robin\",\
             \"games\":{games},\"openings\":\"random:8\",\"shard\":\"{shard}/{files}\"}},\"engines\":[\
             {{\"name\":\"a\",\"cmd\":\"a\",\"st\":\"0.1\"}},{{\"name\":\"b\",\"cmd\":\"b\",\"st\":\"0.1\"}}]}}\n\
             {{\"run\":{{\"host\":\"node{}\"}}}}",
            shard % 50
        )
        .expect("the file can be written");
        let pairs = (shard + 1..=games.div_ceil(2)).step_by(files as usize);
        for id in pairs.flat_map(|pair| [2 * pair - 1, 2 * pair]) {
            if id > games || id == missing {
                continue;
            }
            // A game that is in the file twice was written by two runs of a shard.
            let copies = if id % 1000 == 0 { 2 } else { 1 };
            for _ in 0..copies {
                write_game(&mut out, id, &mut Random::substream(1, id), &parts);
            }
        }
        out.flush().expect("the file can be written");
        size += fs::metadata(&path).expect("a size").len();
    }
    size
}

/// The peak of the memory of a process, in kB; `None` where the system does not tell.
fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// Runs a report and returns its JSON, its time and its peak memory in kB.
fn report(folder: &Path, files: u64) -> (Value, Duration, u64) {
    let names = (0..files).map(|shard| format!("shard-{shard}.jsonl"));
    let output = File::create(folder.join("report")).expect("a file");
    let begin = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_referee"))
        .args(["report", "--json"])
        .args(names)
        .current_dir(folder)
        .stdout(output)
        .stderr(Stdio::inherit())
        .spawn()
        .expect("the referee starts");
    let mut memory = 0;
    let status = loop {
        memory = peak_memory(child.id()).unwrap_or(0).max(memory);
        if let Some(status) = child.try_wait().expect("the referee runs") {
            break status;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let took = begin.elapsed();
    assert_eq!(status.code(), Some(1), "a game is missing");
    let text = fs::read_to_string(folder.join("report")).expect("a report");
    (serde_json::from_str(&text).expect("one match"), took, memory)
}

fn main() {
    let (games, files) = (number("GAMES", 100_000), number("FILES", 100));
    let missing = games / 3;
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = std::env::var_os("FOLDER").map_or_else(|| temporary.path().into(), std::path::PathBuf::from);
    let size = write_files(&folder, games, files, missing);
    println!("{games} games in {files} files, {} MB", size / 1_000_000);
    let (report, took, memory) = report(&folder, files);
    assert_eq!(report["games"], games - 1, "a game counts once");
    assert_eq!(report["missing"]["runs"], serde_json::json!([[missing, missing]]));
    println!(
        "report: {:.1} s, {:.2} s per million games, {:.0} MB/s, {} MB of memory",
        took.as_secs_f64(),
        took.as_secs_f64() * 1e6 / games as f64,
        size as f64 / 1e6 / took.as_secs_f64(),
        memory / 1000
    );
    assert!(memory < MOST_MEMORY, "at most {MOST_MEMORY} kB");
    if std::env::var_os("FOLDER").is_some() {
        println!("the files are in {}", folder.to_string_lossy());
    }
}
