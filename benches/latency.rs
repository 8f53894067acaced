//! How long after `go movetime T` the answer comes, as the one who asks counts
//! it; beside it, in the same run and in turns, a program that only sleeps until
//! the moment at which the engine means to answer. What comes too late there as
//! well is the system's doing.
//!
//! ```text
//! cargo bench -p lodestone --bench latency
//! MOVES=200 cargo bench -p lodestone --bench latency
//! ```
//!
//! `MOVES` is the number of moves of 10 ms for each row; of 100 ms there are a
//! tenth. Half of the rows are measured beside four busy processes a core. A
//! proven result is answered early; such answers are counted apart, and so are not
//! in the distribution.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use lodestone::board::Side;
use lodestone::engine::Options;
use lodestone::engine::time::budget;
use lodestone::game::Variant;
use lodestone::protocol::{Command as Request, Limits};
use lodestone::random::Random;

/// Moves of 10 ms where `MOVES` does not say.
const MOVES: usize = 10_000;

/// The two times for a move, in milliseconds, and which part of the moves has it.
const TIMES: [(u64, usize); 2] = [(10, 1), (100, 10)];

/// Busy processes for each core in the loaded rows.
const BUSY: usize = 4;

/// Random plies before a position that is searched: few, so that hardly any
/// result can be proven in time.
const OPENING_PLIES: u64 = 10;

/// Answers before this part of the time are not the clock's doing.
const EARLY: f64 = 0.4;

/// How often a search is asked `isready` and then stopped.
const STOPS: usize = 1_000;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("sleeper") => sleeper().expect("somebody listens"),
        Some("busy") => busy(),
        _ => measure(),
    }
}

fn measure() {
    let moves = std::env::var("MOVES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(MOVES);
    println!("| game | T | load | who | late | p50 | p99 | p99.9 | max | early |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for is_loaded in [false, true] {
        let _load = is_loaded.then(Load::start);
        for &variant in Variant::ALL {
            for (time, part) in TIMES {
                rows(variant, time, (moves / part).max(1), is_loaded);
            }
        }
    }
    println!();
    println!("| game | what | p50 | p99 | max |");
    println!("|---|---|---|---|---|");
    for &variant in Variant::ALL {
        interruptions(variant, STOPS.min(moves));
    }
}

/// The rows of the engine and of the sleeper.
fn rows(variant: Variant, time: u64, moves: usize, is_loaded: bool) {
    let mut engine = Asked::engine(variant);
    let mut sleeper = Asked::start(own_program().arg("sleeper"));
    let mut random = Random::new(time);
    let mut answers = [Vec::new(), Vec::new()];
    for _ in 0..moves {
        let position = position(variant, &mut random);
        let go = format!("go movetime {time}");
        engine.say(&position);
        engine.ask("isready", "readyok");
        answers[0].push(engine.ask(&go, "bestmove"));
        answers[1].push(sleeper.ask(&go, "bestmove"));
    }
    let limit = Duration::from_millis(time);
    let load = if is_loaded { "4 a core" } else { "idle" };
    for (who, answers) in ["lodestone", "sleeper"].into_iter().zip(answers) {
        let (early, mut full): (Vec<Duration>, Vec<Duration>) = answers
            .into_iter()
            .partition(|&answer| answer < limit.mul_f64(EARLY));
        full.sort_unstable();
        let late = full.iter().filter(|&&answer| answer > limit).count();
        let [median, p99, p999, most] =
            [0.5, 0.99, 0.999, 1.0].map(|part| milliseconds(quantile(&full, part)));
        println!(
            "| {variant} | {time} ms | {load} | {who} | {late} of {moves} | {median} | {p99} | {p999} | {most} | {} |",
            early.len()
        );
    }
}

/// How long `isready` and `stop` take during a search.
fn interruptions(variant: Variant, count: usize) {
    let mut engine = Asked::engine(variant);
    let mut random = Random::new(3);
    let mut answers = [Vec::new(), Vec::new()];
    for _ in 0..count {
        engine.say(&position(variant, &mut random));
        engine.say("go infinite");
        thread::sleep(Duration::from_micros(random.below(5_000)));
        answers[0].push(engine.ask("isready", "readyok"));
        answers[1].push(engine.ask("stop", "bestmove"));
    }
    for (what, mut answers) in ["isready", "stop"].into_iter().zip(answers) {
        answers.sort_unstable();
        let [median, p99, most] = [0.5, 0.99, 1.0].map(|part| milliseconds(quantile(&answers, part)));
        println!("| {variant} | `{what}` | {median} | {p99} | {most} |");
    }
}

/// The smallest value that at least this part of them does not exceed.
fn quantile(sorted: &[Duration], part: f64) -> Duration {
    let place = (sorted.len() as f64 * part).ceil() as usize;
    sorted.get(place.max(1) - 1).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

/// A random position early in a game, as a command.
fn position(variant: Variant, random: &mut Random) -> String {
    loop {
        let mut position = variant.startpos();
        for _ in 0..random.below(OPENING_PLIES) {
            let moves = position.legal_moves();
            let Some(&mv) = random.choose(&moves) else { break };
            position.play(mv);
        }
        if position.legal_moves().len() > 1 {
            return format!("position fen {}", position.fen());
        }
    }
}

/// A process that answers lines.
struct Asked {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Asked {
    fn engine(variant: Variant) -> Asked {
        let mut engine = Asked::start(&mut Command::new(env!("CARGO_BIN_EXE_lodestone")));
        engine.say(&format!("setoption name UCI_Variant value {variant}"));
        engine
    }

    fn start(command: &mut Command) -> Asked {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        Asked {
            input: child.stdin.take().expect("its input is a pipe"),
            output: BufReader::new(child.stdout.take().expect("its output is a pipe")),
            line: String::new(),
            child,
        }
    }

    fn say(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.input.write_all(line.as_bytes()).expect("it listens");
    }

    /// From before this is written to after the answer is read.
    fn ask(&mut self, line: &str, answer: &str) -> Duration {
        let begin = Instant::now();
        self.say(line);
        loop {
            self.line.clear();
            let length = self.output.read_line(&mut self.line).expect("it speaks");
            assert!(length > 0, "it has ended");
            if self.line.starts_with(answer) {
                return begin.elapsed();
            }
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Answers each `go` when the engine means to, and does nothing until then.
fn sleeper() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let arrival = Instant::now();
        let Ok(Request::Go(limits)) = Request::parse(&line?) else {
            continue;
        };
        thread::sleep(aim(&limits).saturating_sub(arrival.elapsed()));
        output.write_all(b"bestmove a8\n")?;
        output.flush()?;
    }
    Ok(())
}

/// When the engine means to answer, from the arrival of `go`.
fn aim(limits: &Limits) -> Duration {
    let share = budget(limits, Side::First, 64, &Options::default());
    share.map_or(Duration::ZERO, |share| share.hard)
}

fn own_program() -> Command {
    Command::new(std::env::current_exe().expect("this program has a path"))
}

/// Busy processes, for as long as this lives.
struct Load(Vec<Child>);

impl Load {
    fn start() -> Load {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let busy = |_| own_program().arg("busy").spawn().expect("it starts");
        Load((0..cores * BUSY).map(busy).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn busy() {
    let mut number = 1_u64;
    loop {
        number = std::hint::black_box(number.wrapping_mul(3));
    }
}
