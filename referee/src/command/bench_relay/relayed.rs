//! Two stubs, played by the referee as in a match.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lodestone::protocol::Dialect;

use super::stub;
use crate::arbiter::{Game, Seat, begin};
use crate::config::roster;
use crate::io::failure::Failure;
use crate::io::interrupt::{Interrupt, Stop};
use crate::openings::Opening;
use crate::player::clock::{Control, TimeControl};
use crate::player::verdict::Verdict;
use crate::player::{DEFAULT_START_TIME, Engine, EngineSpec};
use crate::process::{Launch, Limits, own_program};

/// More than a stub ever takes.
pub const TIME: Duration = Duration::from_secs(3);

/// How long so many half-moves take, the beginnings of games included, the start
/// of the engines not.
///
/// # Errors
/// Where an engine fails, or a signal comes.
pub fn measure(half_moves: u64, interrupt: &Arc<Interrupt>) -> Result<Duration, Failure> {
    let mut engines = [start("stub", interrupt)?, start("other stub", interrupt)?];
    let time = play(&mut engines, half_moves);
    Engine::dismiss(engines);
    time
}

/// A stub that is started and supervised as an engine of a match is.
fn start(name: &str, interrupt: &Arc<Interrupt>) -> Result<Engine, Failure> {
    let spec = EngineSpec {
        name: name.to_string(),
        launch: Launch {
            program: roster::own_path()?,
            args: vec![stub::COMMAND.to_string()],
            dir: None,
            stderr: None,
            limits: Limits::default(),
            supervisor: own_program(),
        },
        dialect: Dialect::Uci,
        options: Vec::new(),
        start_time: DEFAULT_START_TIME,
    };
    roster::start(&spec, stub::VARIANT, interrupt)
}

fn play(engines: &mut [Engine; 2], half_moves: u64) -> Result<Duration, Failure> {
    let control = Control {
        time: TimeControl::Move(TIME),
        ..Control::default()
    };
    let opening = Opening::new(stub::VARIANT, stub::VARIANT.startpos(), Vec::new());
    let mut left = half_moves;
    let start = Instant::now();
    while left > 0 {
        let mut seats = engines.each_mut().map(|player| Seat {
            player,
            control: &control,
        });
        let mut game = Game::new(&opening, [control.time; 2]);
        go_on(begin(&mut seats))?;
        while left > 0 && game.outcome().is_none() {
            go_on(game.next_move(&mut seats))?;
            left -= 1;
        }
    }
    Ok(start.elapsed())
}

/// Nobody may fail here.
fn go_on(ended: Result<Option<Verdict>, Stop>) -> Result<(), Failure> {
    match ended {
        Ok(None) => Ok(()),
        Ok(Some(verdict)) => Err(Failure::Start(format!("a stub failed: {verdict:?}"))),
        Err(stop) => Err(stop.into()),
    }
}
