//! The engine that gives hints: a separate process, started at the first request.

use std::sync::Arc;
use std::time::Duration;

use lodestone::game::Variant;
use lodestone::personality;

use crate::config::roster;
use crate::config::settings::Settings;
use crate::game::clock::{Control, TimeControl};
use crate::game::{Game, Observer};
use crate::io::failure::Failure;
use crate::io::interrupt::Interrupt;
use crate::player::{Answer, Engine, NoMove, Player, Turn};

/// Time for one hint.
const TIME: Duration = Duration::from_secs(1);

/// Time margin of the adviser and of built-in opponents in a game by hand, for busy
/// machines.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The engine that gives hints.
pub struct Adviser {
    variant: Variant,
    interrupt: Arc<Interrupt>,
    /// `None` before the first request and after a failure.
    engine: Option<Engine>,
}

impl Adviser {
    /// The built-in player that gives hints.
    pub const NAME: &str = personality::DEFAULT;

    /// An adviser for this game. Its engine is not started yet.
    pub const fn new(variant: Variant, interrupt: Arc<Interrupt>) -> Adviser {
        Adviser {
            variant,
            interrupt,
            engine: None,
        }
    }

    /// The move that the engine would play in an unfinished game, with score and line.
    /// `observer` watches it think.
    pub fn ask(&mut self, game: &Game, observer: Option<&mut dyn Observer>) -> Result<Answer, Failure> {
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.start()?,
        };
        let control = Control {
            time: TimeControl::Move(TIME),
            margin: PATIENCE,
            ..Control::default()
        };
        let mut turn = Turn {
            observer,
            ..Turn::apart(game, &control)
        };
        match engine.think(game, &mut turn) {
            Ok(answer) => {
                self.engine = Some(engine);
                Ok(answer)
            }
            Err(NoMove::Stopped(stop)) => Err(stop.into()),
            Err(NoMove::Fault { fault, .. }) => Err(Failure::Start(fault.sentence(Adviser::NAME))),
            Err(NoMove::Resigned) => Err(Failure::Start(format!("{} resigned", Adviser::NAME))),
        }
    }

    /// The engine, if it runs.
    pub fn into_engine(self) -> Option<Engine> {
        self.engine
    }

    fn start(&self) -> Result<Engine, Failure> {
        let settings = Settings::of_program(Adviser::NAME);
        let contestants = roster::resolve(&[settings], self.variant)?;
        let spec = contestants
            .into_iter()
            .find_map(|contestant| contestant.spec)
            .ok_or_else(|| Failure::Start(format!("{} is not an engine", Adviser::NAME)))?;
        roster::start(&spec, self.variant, &self.interrupt)
    }
}
