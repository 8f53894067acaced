//! What the referee adds to a half-move: its arbiter, engine and pipes with an
//! engine that answers at once, beside a bare loop that writes the same lines to
//! the same engine, polls and reads. Both run in turns, so that the ratio is of
//! the same machine in the same state.
//!
//! ```text
//! cargo bench -p referee --bench relay
//! HALF_MOVES=100000 cargo bench -p referee --bench relay
//! ```
//!
//! `PART=referee` or `PART=bare` runs one of the two alone, so that its system
//! calls can be counted: `PART=referee strace -c -f target/release/deps/relay-…`.

use std::io::{self, BufRead, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command as Program, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lodestone::game::Variant;
use lodestone::protocol::{Command, Start};
use referee::arbiter::{Game, Seat, begin};
use referee::clock::{Control, TimeControl};
use referee::interrupt::Interrupt;
use referee::openings::Opening;
use referee::player::{DEFAULT_START_TIME, Engine, EngineSpec};
use referee::process::{Launch, Limits};
use rustix::event::{PollFd, PollFlags, poll};

/// How many half-moves are measured where `HALF_MOVES` does not say.
const HALF_MOVES: usize = 20_000;

/// How often both are measured.
const ROUNDS: usize = 5;

/// The game that is played.
const VARIANT: Variant = Variant::MagneticCave;

/// What makes this program the engine.
const STUB: &str = "stub";

fn main() {
    if std::env::args().nth(1).as_deref() == Some(STUB) {
        stub().expect("the referee listens");
        return;
    }
    let number = std::env::var("HALF_MOVES")
        .ok()
        .and_then(|text| text.parse().ok());
    let half_moves = number.unwrap_or(HALF_MOVES);
    let interrupt = Arc::new(Interrupt::install().expect("signals can be heard"));
    match std::env::var("PART").as_deref() {
        Ok("referee") => shown("referee", referee(half_moves, &interrupt).0, half_moves),
        Ok("bare") => shown(
            "bare loop",
            bare_loop(&one_game(&interrupt), half_moves),
            half_moves,
        ),
        _ => both(half_moves, &interrupt),
    }
}

/// Measures both in turns and prints the best of each.
fn both(half_moves: usize, interrupt: &Arc<Interrupt>) {
    let game = one_game(interrupt);
    let [mut relayed, mut bare] = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        relayed = relayed.min(referee(half_moves, interrupt).0);
        bare = bare.min(bare_loop(&game, half_moves));
    }
    shown("referee", relayed, half_moves);
    shown("bare loop", bare, half_moves);
    println!("ratio {:.2}", relayed.as_secs_f64() / bare.as_secs_f64());
}

fn shown(what: &str, time: Duration, half_moves: usize) {
    let each = time.as_secs_f64() * 1e6 / half_moves as f64;
    println!("{what:<9} {each:>7.1} µs a half-move");
}

/// The engine: the first legal move of the position, at once.
fn stub() -> io::Result<()> {
    let mut position = VARIANT.startpos();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        match Command::parse(&line?) {
            Ok(Command::Uci) => out.write_all(b"uciok\n")?,
            Ok(Command::IsReady) => out.write_all(b"readyok\n")?,
            Ok(Command::Position { start, moves }) => {
                position = match start {
                    Start::Startpos => VARIANT.startpos(),
                    Start::Fen(fen) => VARIANT.parse_fen(&fen).expect("a position of the game"),
                };
                for one in moves {
                    position.play(position.parse_move(&one).expect("a move of the game"));
                }
            }
            Ok(Command::Go(_)) => {
                let moves = position.legal_moves();
                let first = moves.iter().copied().next().expect("the game goes on");
                let answer = format!("bestmove {}\n", position.move_text(first));
                out.write_all(answer.as_bytes())?;
            }
            Ok(Command::Quit) => return Ok(()),
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}

/// What the referee takes for so many half-moves, and the moves of a game.
fn referee(half_moves: usize, interrupt: &Arc<Interrupt>) -> (Duration, Vec<String>) {
    let mut engines = ["one", "other"].map(|name| {
        let spec = EngineSpec {
            name: name.to_string(),
            launch: Launch {
                program: std::env::current_exe().expect("this program has a path"),
                args: vec![STUB.to_string()],
                dir: None,
                stderr: None,
                limits: Limits::default(),
                // The supervisor is the referee, and is not on the way of moves.
                supervisor: None,
            },
            options: Vec::new(),
            start_time: DEFAULT_START_TIME,
        };
        Engine::start(spec, VARIANT, Arc::clone(interrupt)).expect("the engine starts")
    });
    let control = Control {
        time: TimeControl::Move(Duration::from_secs(3)),
        ..Control::default()
    };
    let opening = Opening::new(VARIANT, VARIANT.startpos(), Vec::new());
    let mut moves = Vec::new();
    let mut played = 0;
    let start = Instant::now();
    while played < half_moves {
        let mut seats = engines.each_mut().map(|player| Seat {
            player,
            control: &control,
        });
        let mut game = Game::new(&opening, [control.time; 2]);
        assert!(begin(&mut seats).is_ok_and(|fault| fault.is_none()));
        while game.outcome().is_none() && played < half_moves {
            let fault = game.next_move(&mut seats);
            assert!(fault.is_ok_and(|fault| fault.is_none()));
            played += 1;
        }
        if game.outcome().is_some() {
            moves = game.moves().to_vec();
        }
    }
    let time = start.elapsed();
    Engine::dismiss(engines);
    (time, moves)
}

/// What the engines hear in a whole game, a message for each half-move.
fn one_game(interrupt: &Arc<Interrupt>) -> Vec<String> {
    let (_, moves) = referee(200, interrupt);
    assert!(!moves.is_empty(), "no game is longer");
    (0..moves.len())
        .map(|ply| {
            let position = Command::Position {
                start: Start::Startpos,
                moves: moves[..ply].to_vec(),
            };
            format!("{position}\ngo movetime 3000\n")
        })
        .collect()
}

/// An engine that is written to, polled and read, and no more.
struct Bare {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl Bare {
    fn start() -> Bare {
        let program = std::env::current_exe().expect("this program has a path");
        let mut child = Program::new(program)
            .arg(STUB)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let stdin = child.stdin.take().expect("its input is a pipe");
        let stdout = child.stdout.take().expect("its output is a pipe");
        Bare { child, stdin, stdout }
    }

    /// Sends lines and reads up to the end of a line.
    fn ask(&mut self, lines: &str) {
        let mut buffer = [0; 4096];
        self.stdin
            .write_all(lines.as_bytes())
            .expect("the engine listens");
        loop {
            poll(&mut [PollFd::new(&self.stdout, PollFlags::IN)], None).expect("it can be waited for");
            let length = self.stdout.read(&mut buffer).expect("the engine speaks");
            assert!(length > 0, "the engine ended");
            if buffer[length - 1] == b'\n' {
                return;
            }
        }
    }
}

/// What the bare loop takes for so many half-moves.
fn bare_loop(game: &[String], half_moves: usize) -> Duration {
    let mut engines = [Bare::start(), Bare::start()];
    for engine in &mut engines {
        engine.ask("uci\n");
    }
    let start = Instant::now();
    let mut played = 0;
    while played < half_moves {
        for engine in &mut engines {
            engine.ask("ucinewgame\nisready\n");
        }
        for (ply, lines) in game.iter().take(half_moves - played).enumerate() {
            engines[ply % 2].ask(lines);
            played += 1;
        }
    }
    let time = start.elapsed();
    for mut engine in engines {
        engine.stdin.write_all(b"quit\n").expect("the engine listens");
        engine.child.wait().expect("the engine ends");
    }
    time
}
