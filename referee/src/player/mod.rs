//! The trait [`Player`] and its implementation by an engine process. `interactive`
//! implements it for a person.

pub mod adjudication;
mod answer;
mod backoff;
mod claims;
pub mod clock;
mod diagnosis;
mod engine;
mod hint;
mod prover;
pub mod refused;
mod start;
mod transcript;
pub mod verdict;
mod warnings;

pub use answer::{NoAnswer, Wait, await_answer, describes_the_move};
pub use claims::{Claim, Claimed, Situation};
pub use diagnosis::{Expected, Output};
pub use engine::{DEFAULT_START_TIME, Engine, EngineSpec};
pub use hint::Hint;
pub use prover::{ProofLimits, ProofRequest, Prover};
pub use start::StartError;
pub use transcript::{Origin, Transcript, TranscriptBuffer, TranscriptLine};
pub use warnings::Warnings;

use std::time::{Duration, Instant};

use lodestone::board::Move;
use lodestone::game::AnyPosition;
use lodestone::protocol::{Info, Limits, Start};
use lodestone::score::Score;
use serde::{Deserialize, Serialize};

use crate::io::interrupt::Stop;
use crate::player::verdict::Fault;
use crate::process::{Channel, Opponent, Process};

/// How long the referee waits after the deadline. An answer in this time is `time`,
/// none is `stall`.
pub const GRACE: Duration = Duration::from_secs(1);

/// A player as the arbiter and the match runner see it: an engine or a person.
///
/// `Send`, so that a player can wait in the pool between games.
pub trait Player: Send {
    /// The name in all output.
    fn name(&self) -> &str;

    /// Gets ready for a new game.
    ///
    /// # Errors
    /// The player cannot begin the game.
    fn begin(&mut self) -> Result<(), NoMove> {
        Ok(())
    }

    /// Sends UGI queries about the situation, while no clock runs. The answers do not
    /// affect the result.
    ///
    /// # Errors
    /// The player cannot continue the game.
    fn query(&mut self, _: &Situation<'_>) -> Result<(), NoMove> {
        Ok(())
    }

    /// Asks for a move. The arbiter checks legality.
    ///
    /// # Errors
    /// No move came.
    fn think(&mut self, turn: &mut Turn<'_>) -> Result<Answer, NoMove>;

    /// Lets the player think in the opponent's time, after its own move. The situation is that
    /// of the opponent; `limits` are those of the next move so far.
    fn ponder(&mut self, _: &Situation<'_>, _: Limits) {}

    /// The pipes to an engine, which are drained while the opponent thinks.
    fn channel(&mut self) -> Option<&mut Channel> {
        None
    }

    /// The fault of an engine that has exited or closed its output.
    fn exit_fault(&mut self) -> Option<Fault> {
        None
    }

    /// The first line `bestmove …` of this game that was no answer, because the engine had
    /// answered or had no request.
    fn extra_answer(&self) -> Option<&str> {
        None
    }

    /// Changes options of an engine from its next game on.
    fn configure(&mut self, _: &[(String, String)]) {}

    /// Kills an engine's process. The next game starts a new one.
    fn reset(&mut self) {}

    /// The transcript of the current game; `None` for a person.
    fn transcript(&mut self) -> Option<Transcript> {
        None
    }

    /// Forgets the finished game and returns the notes about it.
    fn end_game(&mut self) -> GameNotes {
        GameNotes::default()
    }

    /// Sends no more queries. Called when another process of the engine left one unanswered.
    fn stop_queries(&mut self) {}

    /// Whether a new player can take this one's place between games.
    fn is_restartable(&self) -> bool {
        false
    }

    /// Gives up the process of an engine, for a shutdown together with others. The next game
    /// starts a new one.
    fn take_process(&mut self) -> Option<Process> {
        None
    }
}

/// Notes about a player in one game that do not affect its result.
#[derive(Debug, Default)]
pub struct GameNotes {
    /// Number of unsolicited lines.
    pub unsolicited: u64,
    /// Wrong and missing answers to queries.
    pub claims: Vec<Claim>,
    /// How its process ended between two games; it was started again.
    pub exit: Option<String>,
    /// Why its stderr could not be copied to a file.
    pub log_error: Option<String>,
}

impl GameNotes {
    /// A sentence about the first of them that is a warning; `name` is the player's.
    #[must_use]
    pub fn warning(&self, name: &str) -> Option<String> {
        let exit = self.exit.as_ref();
        let exit = exit.map(|how| format!("{name} {how} between two games"));
        let claim = || self.claims.first().map(|claim| claim.sentence(name));
        let unsolicited = || (self.unsolicited > 0).then(|| format!("{name} wrote out of turn"));
        exit.or_else(claim).or_else(unsolicited)
    }
}

/// Watches an engine while it thinks, and can stop the game.
pub trait ThinkingObserver {
    /// Called about ten times a second, and once with the answer. `elapsed` is the time since
    /// `go`; `info` is the last `info` line with an exact score, empty before the first.
    ///
    /// # Errors
    /// The game stops.
    fn thinking(&mut self, elapsed: Duration, info: &Info) -> Result<(), Stop>;
}

/// The time that each side has for its next move, or on its clock; `None` without a limit.
pub type TimesLeft = [Option<Duration>; 2];

/// What a player receives when it has to move.
pub struct Turn<'a> {
    /// The current position.
    pub position: &'a dyn AnyPosition,
    /// The start of the game.
    pub start: &'a Start,
    /// All moves so far, the opening's first.
    pub moves: &'a [String],
    /// The last move.
    pub last: Option<Move>,
    /// The arguments of `go`.
    pub limits: Limits,
    /// Time for the move, from the request on; `None` without a clock.
    pub time: Option<Duration>,
    /// How much later an answer still counts.
    pub margin: Duration,
    /// The clocks of both sides.
    pub clocks: TimesLeft,
    /// The opponent, whose output is drained meanwhile.
    pub opponent: Opponent<'a>,
    /// Who watches an engine think; `None` if nothing is shown meanwhile.
    pub observer: Option<&'a mut dyn ThinkingObserver>,
}

/// A move, with its time and score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move, as the player wrote it.
    pub text: String,
    /// Time, score and line.
    pub thought: Thought,
    /// The reply that the player expects, as it wrote it.
    pub expected: Option<String>,
}

/// Time, score and expected line of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thought {
    /// Time taken.
    pub time: Duration,
    /// The last exact score that its player reported, from the mover's point of view.
    pub score: Option<Score>,
    /// The principal variation, starting with this move.
    pub line: Vec<String>,
    /// What else its player reported.
    pub reported: Reported,
    /// Time left on the mover's clock after the move, once the move is played; `None` without
    /// a game clock.
    pub time_left: Option<Duration>,
    /// How its search in the opponent's time ended; `None` without one.
    pub pondered: Option<PonderOutcome>,
}

/// How a search in the opponent's time ended. A search that answered before its turn has no
/// outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PonderOutcome {
    /// The opponent played the expected move: `ponderhit`.
    Hit,
    /// It played another one: `stop`.
    Miss,
}

/// The numbers in the last `info` line with an exact score, for each move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// Depth of the search, in plies.
    pub depth: Option<u32>,
    /// Length of the deepest line, in plies.
    pub seldepth: Option<u32>,
    /// Number of nodes.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Fill level of the transposition table, in thousandths.
    pub hashfull: Option<u32>,
    /// Time since `go`, in milliseconds.
    pub time: Option<u64>,
}

impl From<&Info> for Reported {
    fn from(info: &Info) -> Reported {
        Reported {
            depth: info.depth,
            seldepth: info.seldepth,
            nodes: info.nodes,
            nps: info.nps,
            hashfull: info.hashfull,
            time: info.time,
        }
    }
}

/// Why no move came.
#[derive(Debug)]
pub enum NoMove {
    /// The player's fault; it loses the game.
    Fault {
        /// What it did.
        fault: Fault,
        /// When. If the opponent's process failed earlier, the opponent loses.
        at: Instant,
    },
    /// The player resigns.
    Resigned,
    /// The game stops without a result.
    Stopped(Stop),
}

impl<S: Into<Stop>> From<S> for NoMove {
    fn from(stop: S) -> NoMove {
        NoMove::Stopped(stop.into())
    }
}

impl NoMove {
    /// A fault found now.
    #[must_use]
    pub fn fault(fault: Fault) -> NoMove {
        NoMove::Fault {
            fault,
            at: Instant::now(),
        }
    }
}
