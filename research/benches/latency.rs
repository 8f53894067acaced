//! Latency of the answer to `go movetime T`, as measured by the client.
//!
//! In the same run and in turns, it measures a program that only sleeps until the time at
//! which the engine means to answer. Answers that are late there too are caused by the
//! system.
//!
//! ```text
//! cargo bench -p lodestone-engine --bench latency
//! MOVES=200 cargo bench -p lodestone-engine --bench latency
//! ENGINES=old/lodestone,new/lodestone cargo bench -p lodestone-engine --bench latency
//! ```
//!
//! `MOVES` is the number of moves of 10 ms per row; moves of 100 ms are a tenth of that.
//! Half of the rows are measured with four busy processes per core. A proven result is
//! answered early; such answers are counted separately and excluded from the distribution.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use lodestone_game::Variant;
use lodestone_game::board::Side;
use lodestone_game::protocol::{Command as Request, Limits};
use lodestone_game::random::Random;
use lodestone_game::time::{TimeOptions, budget};

/// The default number of moves of 10 ms.
const MOVES: usize = 10_000;

/// Times per move in milliseconds, each with the divisor of the number of moves.
const TIMES: [(u64, usize); 2] = [(10, 1), (100, 10)];

/// Busy processes per core under load.
const BUSY_PER_CORE: usize = 4;

/// Upper bound on the random plies before a searched position. Few, so that few results can
/// be proven in time.
const OPENING_PLIES: u64 = 10;

/// Answers before this fraction of the time are early: the search ended before its
/// deadline.
const EARLY: f64 = 0.4;

/// Number of searches that get `isready` and `stop`.
const STOPS: usize = 1_000;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("sleeper") => sleeper().expect("the output is open"),
        Some("busy") => busy(),
        _ => measure(),
    }
}

/// The engines to compare, as a list of paths in `ENGINES`; by default this package's.
fn engines() -> Vec<String> {
    let own = env!("CARGO_BIN_EXE_lodestone").to_string();
    let listed = std::env::var("ENGINES").map(|list| list.split(',').map(str::to_string).collect());
    listed.unwrap_or(vec![own])
}

fn measure() {
    let moves = std::env::var("MOVES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(MOVES);
    println!("| game | T | load | program | late | p50 | p99 | p99.9 | max | early |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for is_loaded in [false, true] {
        let _load = is_loaded.then(Load::start);
        for &variant in Variant::ALL {
            for (time, divisor) in TIMES {
                rows(variant, time, (moves / divisor).max(1), is_loaded);
            }
        }
    }
    println!();
    println!("| game | command | p50 | p99 | max |");
    println!("|---|---|---|---|---|");
    for &variant in Variant::ALL {
        interruptions(variant, STOPS.min(moves));
    }
}

/// Prints the rows of the engines and of the sleeper. They take turns, with another one first
/// in each move. For two engines it also counts the moves in which only one was late.
fn rows(variant: Variant, time: u64, moves: usize, is_loaded: bool) {
    let names = engines();
    let mut programs: Vec<ChildProgram> = names
        .iter()
        .map(|path| ChildProgram::engine(path, variant))
        .collect();
    programs.push(ChildProgram::start(this_program().arg("sleeper")));
    let mut random = Random::new(time);
    let mut answers = vec![Vec::new(); programs.len()];
    for number in 0..moves {
        let position = position(variant, &mut random);
        let go = format!("go movetime {time}");
        for turn in 0..programs.len() {
            let index = (number + turn) % programs.len();
            let program = &mut programs[index];
            if index < names.len() {
                program.send(&position);
                program.ask("isready", "readyok");
            }
            answers[index].push(program.ask(&go, "bestmove"));
        }
    }
    let limit = Duration::from_millis(time);
    let load = if is_loaded { "4 per core" } else { "idle" };
    if let [first, second, _] = &answers[..] {
        let only = |one: &[Duration], other: &[Duration]| {
            let pairs = one.iter().zip(other);
            pairs
                .filter(|&(&one, &other)| one > limit && other <= limit)
                .count()
        };
        let [first, second] = [only(first, second), only(second, first)];
        eprintln!("{variant}, {time} ms, {load}: late alone: {first} and {second} of {moves}");
    }
    let shown = |path: &String| match std::env::var("ENGINES") {
        Ok(_) => path.clone(),
        Err(_) => "lodestone".to_string(),
    };
    let programs = names.iter().map(shown).chain(["sleeper".to_string()]);
    for (program, answers) in programs.zip(answers) {
        let (early, mut full): (Vec<Duration>, Vec<Duration>) = answers
            .into_iter()
            .partition(|&answer| answer < limit.mul_f64(EARLY));
        full.sort_unstable();
        let late = full.iter().filter(|&&answer| answer > limit).count();
        let [median, p99, p999, most] =
            [0.5, 0.99, 0.999, 1.0].map(|fraction| milliseconds(quantile(&full, fraction)));
        println!(
            "| {variant} | {time} ms | {load} | {program} | {late} of {moves} | {median} | {p99} | {p999} | {most} | {} |",
            early.len()
        );
    }
}

/// Prints the latency of `isready` and `stop` during a search.
fn interruptions(variant: Variant, count: usize) {
    let mut engine = ChildProgram::engine(&engines()[0], variant);
    let mut random = Random::new(3);
    let mut answers = [Vec::new(), Vec::new()];
    for _ in 0..count {
        engine.send(&position(variant, &mut random));
        engine.send("go infinite");
        thread::sleep(Duration::from_micros(random.below(5_000)));
        answers[0].push(engine.ask("isready", "readyok"));
        answers[1].push(engine.ask("stop", "bestmove"));
    }
    for (command, mut answers) in ["isready", "stop"].into_iter().zip(answers) {
        answers.sort_unstable();
        let [median, p99, most] = [0.5, 0.99, 1.0].map(|fraction| milliseconds(quantile(&answers, fraction)));
        println!("| {variant} | `{command}` | {median} | {p99} | {most} |");
    }
}

/// The smallest value that at least this fraction of the values does not exceed.
fn quantile(sorted: &[Duration], fraction: f64) -> Duration {
    let rank = (sorted.len() as f64 * fraction).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

/// The `position` command of a random position early in a game.
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
struct ChildProgram {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl ChildProgram {
    fn engine(path: &str, variant: Variant) -> ChildProgram {
        let mut engine = ChildProgram::start(&mut Command::new(path));
        engine.send(&format!("setoption name UCI_Variant value {variant}"));
        engine
    }

    fn start(command: &mut Command) -> ChildProgram {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        ChildProgram {
            input: child.stdin.take().expect("stdin is a pipe"),
            output: BufReader::new(child.stdout.take().expect("stdout is a pipe")),
            line: String::new(),
            child,
        }
    }

    fn send(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.input.write_all(line.as_bytes()).expect("stdin is open");
    }

    /// The time from before the line is written until after the answer is read.
    fn ask(&mut self, line: &str, answer: &str) -> Duration {
        let start = Instant::now();
        self.send(line);
        loop {
            self.line.clear();
            let length = self.output.read_line(&mut self.line).expect("stdout is readable");
            assert!(length > 0, "the program has ended");
            if self.line.starts_with(answer) {
                return start.elapsed();
            }
        }
    }
}

impl Drop for ChildProgram {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Answers each `go` at the time at which the engine means to answer.
fn sleeper() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let arrival = Instant::now();
        let Ok(Request::Go(limits)) = Request::parse(&line?) else {
            continue;
        };
        thread::sleep(answer_time(&limits).saturating_sub(arrival.elapsed()));
        output.write_all(b"bestmove a8\n")?;
        output.flush()?;
    }
    Ok(())
}

/// The time from the arrival of `go` at which the engine means to answer.
fn answer_time(limits: &Limits) -> Duration {
    let share = budget(limits, Side::First, 64, TimeOptions::default());
    share.map_or(Duration::ZERO, |share| share.hard)
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().expect("the path of this program"))
}

/// Busy processes, ended when dropped.
struct Load(Vec<Child>);

impl Load {
    fn start() -> Load {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let busy = |_| this_program().arg("busy").spawn().expect("the program starts");
        Load((0..cores * BUSY_PER_CORE).map(busy).collect())
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
