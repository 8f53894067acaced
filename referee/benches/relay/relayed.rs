//! Two stubs, played by the referee as in a match.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use referee_core::arbiter::{Seat, begin, next_move};
use referee_core::failure::Stop;
use referee_core::game::clock::{Control, TimeControl};
use referee_core::game::{Game, MoveSequence, NoObserver, Ruleset};
use referee_core::io::interrupt::Interrupt;
use referee_core::player::verdict::Verdict;
use referee_core::player::{DEFAULT_START_TIME, Engine, EngineSpec, Protocol};
use referee_core::process::{Launch, ResourceLimits, Sandbox};
use referee_core::system::processes::own_program;

use crate::stub;

/// The time for this many half-moves, with the start of each game, without the start
/// of the engines. They run in a sandbox if there is one.
pub fn measure(
    half_moves: u64,
    sandbox: Option<Sandbox>,
    protocol: Protocol,
    interrupt: &Arc<Interrupt>,
) -> Result<Duration, Box<dyn Error>> {
    let mut engines = [
        start("stub", sandbox.clone(), protocol, interrupt)?,
        start("other stub", sandbox, protocol, interrupt)?,
    ];
    let time = play(&mut engines, half_moves);
    let _ = Engine::dismiss(engines);
    time
}

/// Starts a stub, with GTP behind a bridge.
fn start(
    name: &str,
    sandbox: Option<Sandbox>,
    protocol: Protocol,
    interrupt: &Arc<Interrupt>,
) -> Result<Engine, Box<dyn Error>> {
    let stub = std::env::current_exe()?;
    let mut spec = if protocol.is_bridged() {
        let words = ["bridge", protocol.name(), "--limits=st=3", "--"].map(String::from);
        let engine = [stub.to_string_lossy().into_owned(), stub::GTP.to_string()];
        let args = words.into_iter().chain(engine).collect();
        spec(name, env!("CARGO_BIN_EXE_referee").into(), args, sandbox)
    } else {
        spec(name, stub, vec![stub::ARGUMENT.to_string()], sandbox)
    };
    (spec.protocol, spec.launch.is_own) = (protocol, protocol.is_bridged());
    let started = Engine::start(&spec, stub::VARIANT.into(), interrupt);
    started.map_err(|error| error.sentence(name).into())
}

/// An engine under a supervisor, like one of a match.
pub fn spec(name: &str, program: PathBuf, args: Vec<String>, sandbox: Option<Sandbox>) -> EngineSpec {
    EngineSpec {
        name: name.to_string(),
        launch: Launch {
            program,
            args,
            dir: None,
            stderr: None,
            limits: ResourceLimits::of(sandbox.is_some()),
            sandbox,
            supervisor: own_program().map(|_| PathBuf::from(env!("CARGO_BIN_EXE_referee"))),
            is_own: false,
        },
        protocol: Protocol::Uci,
        options: Vec::new(),
        inherited: 0,
        start_time: DEFAULT_START_TIME,
        ponder: false,
    }
}

fn play(engines: &mut [Engine; 2], half_moves: u64) -> Result<Duration, Box<dyn Error>> {
    let control = Control {
        time: TimeControl::Move(stub::TIME),
        ..Control::default()
    };
    let opening = MoveSequence::new(Ruleset::ALL[0], Ruleset::ALL[0].startpos());
    let mut left = half_moves;
    let start = Instant::now();
    while left > 0 {
        let mut seats = engines.each_mut().map(|player| Seat {
            player,
            control: &control,
            replacement: None,
        });
        let mut game = Game::new(&opening, [control.time; 2]);
        go_on(begin(&mut seats, false))?;
        while left > 0 && game.position().outcome().is_none() {
            go_on(next_move(&mut game, &mut seats, &mut NoObserver, false))?;
            left -= 1;
        }
    }
    Ok(start.elapsed())
}

/// Neither a verdict nor a stop may come here.
fn go_on(ended: Result<Option<Verdict>, Stop>) -> Result<(), Box<dyn Error>> {
    match ended {
        Ok(None) => Ok(()),
        Ok(Some(verdict)) => Err(format!("a stub failed: {verdict:?}").into()),
        Err(stop) => Err(format!("the game stopped: {stop:?}").into()),
    }
}
