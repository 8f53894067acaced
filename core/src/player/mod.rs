//! The trait [`Player`] and its implementation by an engine process. `interactive`
//! implements it for a person.

mod answer;
mod diagnosis;
mod effort;
mod engine;
mod gauge;
mod hint;
mod options;
mod pass;
mod protocol;
mod start_error;
mod surroundings;
mod transcript;
pub mod verdict;

pub use answer::{NoAnswer, Wait, await_answer, flood, overlong};
pub(crate) use diagnosis::reported;
pub use diagnosis::{Expected, Output, RECEIVED_BY_BRIDGE, SENT_BY_BRIDGE, State, UNFINISHED_BY_BRIDGE};
pub use engine::lost_stderr;
pub use engine::{BRIDGE_NOTE, DEFAULT_START_TIME, Engine, EngineSpec, StartedRules};
pub use gauge::{GRACE, Gauge};
pub use hint::Hint;
pub use options::{AnnouncedOptions, NO_FEN, OWN_OPTIONS, SIDE, START_ONLY, side_value, spelled};
pub use pass::is_pass;
pub use protocol::Protocol;
pub use start_error::StartError;
pub use surroundings::Surroundings;
pub use transcript::TranscriptBuffer;
pub use transcript::{Origin, Transcript, TranscriptLine};

use std::time::{Duration, Instant};

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::protocol::Limits;

use crate::failure::Failure;
use crate::failure::Stop;
use crate::game::GameMove;
use crate::game::clock::{Clock, Control, limits};
use crate::game::{Game, Observer, Thought};
use crate::io::running_clock;
use crate::player::verdict::Fault;
use crate::process::{Channel, Opponent, Process};

/// A player as the arbiter and the match runner see it: an engine or a person.
///
/// `Send`, so that a player can wait in the pool between games.
pub trait Player: Send {
    /// The name in all output.
    fn name(&self) -> &str;

    /// Gets ready for a new game, in which it plays this side; `None` if it is asked for moves of both.
    ///
    /// # Errors
    /// The player cannot begin the game.
    fn begin(&mut self, _side: Option<Side>) -> Result<(), NoMove> {
        Ok(())
    }

    /// Tells the player how the game has ended.
    fn learn_result(&mut self, _: &Game, _: GameResult) {}

    /// Asks for a move in the current position of the game.
    ///
    /// # Errors
    /// No legal move came.
    fn think(&mut self, game: &Game, turn: &mut Turn<'_>) -> Result<Answer, NoMove>;

    /// Lets the player think in the opponent's time, after its own move. `limits` are those of
    /// its next move so far.
    fn ponder(&mut self, _: &Game, _: Limits) {}

    /// The pipes to an engine, which are drained while the opponent thinks.
    fn channel(&mut self) -> Option<&mut Channel> {
        None
    }

    /// The processor time that an engine has used since its last answer although it does not ponder, as far as that is
    /// known.
    fn computed_out_of_turn(&self) -> Duration {
        Duration::ZERO
    }

    /// The fault of an engine that has exited or closed its output.
    fn exit_fault(&mut self) -> Option<Fault> {
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
    /// How its process ended between two games; it was started again.
    pub exit: Option<String>,
    /// What is wrong with its options, as a sentence.
    pub option_warning: Option<String>,
    /// Why its stderr could not be copied to a file.
    pub log_error: Option<String>,
}

impl GameNotes {
    /// A sentence about the first of them that is a warning; `name` is the player's.
    pub fn warning(&self, name: &str) -> Option<String> {
        let exit = self.exit.as_ref();
        let exit = exit.map(|how| format!("between two games, {name} {how}"));
        let unsolicited = || (self.unsolicited > 0).then(|| format!("{name} wrote unexpected output"));
        let option = self.option_warning.clone();
        option.or(exit).or_else(unsolicited)
    }
}

/// What a player receives when it has to move, beside the game.
pub struct Turn<'a> {
    /// The arguments of `go`.
    pub limits: Limits,
    /// Time for the move, from the request on; `None` without a clock.
    pub time: Option<Duration>,
    /// How much later an answer still counts.
    pub margin: Duration,
    /// Processor time for the move.
    pub cpu: Option<Duration>,
    /// The opponent, whose output is drained meanwhile.
    pub opponent: Opponent<'a>,
    /// Observes an engine that thinks; `None` if nothing is shown meanwhile.
    pub observer: Option<&'a mut dyn Observer>,
}

impl<'a> Turn<'a> {
    /// The turn of an engine that is asked about a position of a game in which it does not play.
    pub fn apart(game: &Game, control: &Control) -> Turn<'a> {
        let clocks = [Clock::new(control.time), Clock::new(control.time)];
        Turn {
            limits: limits(&clocks, game.position().side_to_move(), control),
            time: clocks[0].left,
            margin: control.margin,
            cpu: control.cpu,
            opponent: Opponent::default(),
            observer: None,
        }
    }
}

/// A legal move, with its time and score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move.
    pub mv: GameMove,
    /// Time, score and line.
    pub thought: Thought,
    /// The reply that the player expects, as it wrote it.
    pub expected: Option<String>,
    /// `0000`, if it passed so and the rules call that otherwise.
    pub own_pass: Option<&'static str>,
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
    /// The failure of a command that asks the engine of this name.
    pub fn failure(self, name: &str) -> Failure {
        match self {
            NoMove::Stopped(stop) => stop.into(),
            NoMove::Fault { fault, .. } => {
                Failure::Start(format!("{}{}", fault.sentence(name), fault.stderr_tail()))
            }
            NoMove::Resigned => Failure::Start(format!("{name} resigned instead of making a move")),
        }
    }

    /// A fault found now.
    pub fn fault(fault: Fault) -> NoMove {
        NoMove::Fault {
            fault,
            at: running_clock::now(),
        }
    }
}
