//! An engine that a person may ask for advice: a process of its own, started
//! when it is first asked.

use std::sync::Arc;
use std::time::Duration;

use lodestone::game::Variant;
use lodestone::personality;

use crate::arbiter::Game;
use crate::config::roster;
use crate::config::settings::Settings;
use crate::io::failure::Failure;
use crate::io::interrupt::{Interrupt, Stop};
use crate::player::clock::{Control, TimeControl};
use crate::player::{Answer, Engine, NoMove, Player, StartError};

/// How long it thinks.
const TIME: Duration = Duration::from_secs(1);

/// How much more than its time a built-in engine may take by hand, this one
/// included.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The engine, if it has been asked yet.
pub struct Adviser {
    variant: Variant,
    interrupt: Arc<Interrupt>,
    engine: Option<Engine>,
}

/// Why there is no advice.
#[derive(Debug)]
pub enum NoAdvice {
    /// The engine failed: how, as a sentence.
    Failed(String),
    /// The referee is asked to end.
    Stopped(Stop),
}

impl Adviser {
    /// The name of the player who advises.
    pub const NAME: &str = personality::DEFAULT;

    /// An adviser for this game, who is not there yet.
    pub const fn new(variant: Variant, interrupt: Arc<Interrupt>) -> Adviser {
        Adviser {
            variant,
            interrupt,
            engine: None,
        }
    }

    /// What the adviser would play in a game that goes on.
    ///
    /// # Errors
    /// Where the engine fails, which is started again the next time.
    pub fn ask(&mut self, game: &Game) -> Result<Answer, NoAdvice> {
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.start()?,
        };
        let control = Control {
            time: TimeControl::Move(TIME),
            margin: PATIENCE,
            ..Control::default()
        };
        let answer = engine.think(&mut game.analysis(&control));
        match answer {
            Ok(answer) => {
                self.engine = Some(engine);
                Ok(answer)
            }
            Err(NoMove::Stopped(stop)) => Err(NoAdvice::Stopped(stop)),
            Err(NoMove::Fault { fault, .. }) => Err(NoAdvice::Failed(fault.sentence(Adviser::NAME))),
            Err(NoMove::Resigned) => Err(NoAdvice::Failed(format!("{} has no advice", Adviser::NAME))),
        }
    }

    /// The engine itself, to be dismissed.
    #[must_use]
    pub fn into_engine(self) -> Option<Engine> {
        self.engine
    }

    fn start(&self) -> Result<Engine, NoAdvice> {
        let failed = |failure: &Failure| NoAdvice::Failed(failure.to_string());
        let settings = Settings::of_program(Adviser::NAME);
        let contestant = roster::resolve(&[settings], self.variant).map_err(|failure| failed(&failure))?;
        let spec = contestant
            .into_iter()
            .next()
            .and_then(|contestant| contestant.spec);
        let spec = spec.ok_or_else(|| NoAdvice::Failed("nobody gives advice".into()))?;
        Engine::start(spec, self.variant, Arc::clone(&self.interrupt)).map_err(|error| match error {
            StartError::Interrupted(signal) => NoAdvice::Stopped(signal.into()),
            error => NoAdvice::Failed(error.sentence(Adviser::NAME)),
        })
    }
}
