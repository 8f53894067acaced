//! Who plays: an engine here, a person in [`crate::interactive`], alike to the arbiter.

mod answer;
mod backoff;
mod claims;
pub mod clock;
mod engine;
mod journal;
mod remarks;
mod start;
pub mod verdict;

pub use answer::{NoAnswer, Wait, await_answer};
pub use claims::{Claim, Claimed, Standing};
pub use engine::{DEFAULT_START_TIME, Engine, EngineSpec};
pub use journal::{Conversation, Journal, Said, Voice};
pub use remarks::Remarks;
pub use start::StartError;

use std::time::{Duration, Instant};

use lodestone::board::Move;
use lodestone::game::AnyPosition;
use lodestone::protocol::{Limits, Start};
use lodestone::score::Score;

use crate::io::interrupt::Stop;
use crate::player::verdict::Fault;
use crate::process::{Channel, Rival};

/// How long the referee waits for a late answer, to tell late from silent.
pub const GRACE: Duration = Duration::from_secs(1);

/// Somebody who is asked for moves.
pub trait Player {
    /// What this player is called in all output.
    fn name(&self) -> &str;

    /// Gets ready for a new game.
    ///
    /// # Errors
    /// Where there will be no game, or it is lost before the first move.
    fn begin(&mut self) -> Result<(), Miss> {
        Ok(())
    }

    /// Is asked, while nobody's time runs, what it makes of where the game stands.
    /// Nothing that it answers decides anything.
    ///
    /// # Errors
    /// Where it cannot go on with the game after that.
    fn consult(&mut self, _: &Standing<'_>) -> Result<(), Miss> {
        Ok(())
    }

    /// Answers with a move. Whether it can be played is not this player's word.
    ///
    /// # Errors
    /// Where no move came.
    fn think(&mut self, turn: &mut Turn<'_>) -> Result<Answer, Miss>;

    /// The pipes to this player, to be overheard while the other one thinks.
    fn channel(&mut self) -> Option<&mut Channel> {
        None
    }

    /// What became of a player whose pipes were seen to close.
    fn post_mortem(&mut self) -> Option<Fault> {
        None
    }

    /// Whatever state this player is in, as after a fault: it begins afresh.
    fn reset(&mut self) {}
}

/// All that a player is told when it is its turn.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The position now.
    pub position: &'a dyn AnyPosition,
    /// Where the game began.
    pub start: &'a Start,
    /// All moves since then, those of the opening first.
    pub moves: &'a [String],
    /// The last of them.
    pub last: Option<Move>,
    /// What bounds the thinking, as an engine is told.
    pub limits: Limits,
    /// The time for the move, counted from when the player was asked; `None`
    /// where nobody counts it.
    pub time: Option<Duration>,
    /// How much later the answer may come.
    pub margin: Duration,
    /// The other player, overheard meanwhile.
    pub rival: Rival<'a>,
}

/// A player's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move as the player wrote it.
    pub text: String,
    /// How it came about.
    pub thought: Thought,
}

/// What is known of a move beside the move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thought {
    /// How long it took.
    pub time: Duration,
    /// What its player last said of it.
    pub score: Option<Score>,
    /// The line that its player then expected, this move first.
    pub line: Vec<String>,
}

/// Why a player did not answer.
#[derive(Debug)]
pub enum Miss {
    /// The player's own fault; it loses the game.
    Fault {
        /// What happened.
        fault: Fault,
        /// When, for it may be that the other one failed first.
        at: Instant,
    },
    /// The player gives the game up.
    Resigned,
    /// The game ends here, through no fault of a player.
    Stopped(Stop),
}

impl<S: Into<Stop>> From<S> for Miss {
    fn from(stop: S) -> Miss {
        Miss::Stopped(stop.into())
    }
}

impl Miss {
    /// A fault that was found just now.
    #[must_use]
    pub fn fault(fault: Fault) -> Miss {
        Miss::Fault {
            fault,
            at: Instant::now(),
        }
    }
}
