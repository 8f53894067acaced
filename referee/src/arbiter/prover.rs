//! The solver of the referee: a process of the built-in engine that proves results. It
//! knows nothing of the players, and no clock of theirs runs while it searches.

use std::sync::Arc;
use std::time::Duration;

use lodestone::game::{GameResult, Variant};
use lodestone::protocol::Limits;

use crate::game::Game;
use crate::game::adjudication::claimed_result;
use crate::io::interrupt::{Interrupt, Stop};
use crate::player::{Engine, EngineSpec, NoMove, Player, Turn};
use crate::process::Opponent;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofLimits {
    pub nodes: Option<u64>,
    pub time: Option<Duration>,
}

/// The solver process of one slot.
pub struct Prover {
    engine: Engine,
    limits: ProofLimits,
    /// Whether it failed in this game.
    has_failed: bool,
}

/// How much later than its limit the solver may answer. It bounds the wait for a process
/// that hangs.
const PATIENCE: Duration = Duration::from_mins(10);

impl Prover {
    /// A solver that starts when its first game begins.
    pub fn new(spec: EngineSpec, limits: ProofLimits, variant: Variant, interrupt: Arc<Interrupt>) -> Prover {
        Prover {
            engine: Engine::new(spec, variant, interrupt),
            limits,
            has_failed: false,
        }
    }

    /// Prepares for a new game. The memory of the solver is empty then, so its answers
    /// depend on this game alone.
    pub fn begin(&mut self) -> Result<(), Stop> {
        self.engine.end_game();
        self.has_failed = false;
        match self.engine.begin() {
            Ok(()) => Ok(()),
            Err(miss) => self.failed(miss),
        }
    }

    /// The result of the current position with perfect play, if the solver proves it within its
    /// limits.
    pub fn prove(&mut self, game: &Game) -> Result<Option<GameResult>, Stop> {
        if self.has_failed {
            return Ok(None);
        }
        let mut turn = Turn {
            limits: Limits {
                nodes: self.limits.nodes,
                movetime: self.limits.time.map(|time| time.as_millis() as i64),
                ..Limits::default()
            },
            time: Some(self.limits.time.unwrap_or_default()),
            margin: PATIENCE,
            opponent: Opponent::default(),
            observer: None,
        };
        match self.engine.think(game, &mut turn) {
            Ok(answer) => {
                let mover = game.position().side_to_move();
                let score = answer.thought.score;
                Ok(score.and_then(|score| claimed_result(score, mover)))
            }
            Err(miss) => self.failed(miss).map(|()| None),
        }
    }

    /// A failure of the solver never ends a match: it proves nothing more in this game.
    fn failed(&mut self, miss: NoMove) -> Result<(), Stop> {
        match miss {
            NoMove::Stopped(stop) => return Err(stop),
            NoMove::Fault { fault, .. } => {
                log::warn!(
                    "{}; it proves nothing more in this game",
                    fault.sentence("the solver")
                );
            }
            NoMove::Resigned => {}
        }
        self.has_failed = true;
        self.engine.reset();
        Ok(())
    }

    /// Its process, for a shutdown together with others.
    pub fn into_engine(self) -> Engine {
        self.engine
    }
}
