//! A game in progress: positions, moves, times and clocks. Players, the arbiter, the screen and the
//! records all read this one value.

pub mod adjudication;
pub mod clock;
pub mod grid;
mod line;
mod move_sequence;
mod position;
pub mod reason;
mod recorded;
mod ruleset;

use std::io;
use std::ops::Deref;
use std::time::Duration;

use lodestone_game::board::Side;
use lodestone_game::protocol::{Info, Limits};
use lodestone_game::score::Score;
use serde::{Deserialize, Serialize};

use crate::failure::Stop;
use crate::io::text::{counted_plies, time};
use clock::{Clock, Control, TimeControl, limits};
pub use line::PositionLine;
pub use move_sequence::{FarStarts, MoveSequence};
pub use position::{GameMove, MoveError, Position};
pub use recorded::FileGame;
pub use ruleset::OTHER_PLAYERS;
pub use ruleset::{ExternalProgram, GameRules, Ruleset};
pub use ruleset::{STARTPOS, title_of};

/// The time that each side has for its next move, or on its clock; `None` without a limit.
pub type TimesLeft = [Option<Duration>; 2];

/// Observes a game: a screen, or the page of the match.
pub trait Observer {
    /// The players are ready; the opening has been played.
    ///
    /// # Errors
    /// The output failed, or the user stops the game.
    fn begins(&mut self, _: &Game) -> Result<(), Stop> {
        Ok(())
    }

    /// A player is asked for its move. Returns whether to call [`Observer::thinking`] if it is an
    /// engine.
    fn asks(&mut self, _: &Game) -> bool {
        false
    }

    /// Called about ten times a second while an engine thinks, and once with its answer.
    /// `elapsed` is the time since `go`; `info` is the last `info` line with an exact score, empty before
    /// the first.
    ///
    /// # Errors
    /// The game stops.
    fn thinking(&mut self, _elapsed: Duration, _info: &Info) -> Result<(), Stop> {
        Ok(())
    }

    /// The last move of the game has just been played.
    ///
    /// # Errors
    /// The output failed; the game stops.
    fn moved(&mut self, _: &Game) -> io::Result<()> {
        Ok(())
    }
}

/// Observes nothing.
pub struct NoObserver;

impl Observer for NoObserver {}

/// The last move of a game.
#[derive(Debug)]
pub struct Played<'a> {
    /// Who moved.
    pub mover: Side,
    /// Number of the move in the game, from 1, the opening's included.
    pub number: usize,
    /// The move as the rules write it.
    pub text: &'a str,
    /// Time, score and line.
    pub thought: &'a Thought,
}

impl Played<'_> {
    /// The move as a line for people; `labels` name the players.
    pub fn line(&self, labels: &[String; 2]) -> String {
        let score = self
            .thought
            .info
            .score
            .map_or(String::new(), |score| format!(", score {}", score_text(score)));
        let label = &labels[self.mover.index()];
        let (number, text, taken) = (self.number, self.text, time(self.thought.time));
        match &self.thought.fault {
            Some(fault) => format!("{number}. {label} plays {text}, a random move: {}", fault.detail),
            None => format!("{number}. {label} plays {text} in {taken}{score}"),
        }
    }
}

/// A score for people, from the point of view of whose score it is.
pub fn score_text(score: Score) -> String {
    match score {
        Score::Cp(value) => format!("{:+.2}", f64::from(value) / 100.0),
        Score::Win(plies) => format!("win in {}", counted_plies(plies as usize)),
        Score::Loss(plies) => format!("loss in {}", counted_plies(plies as usize)),
        Score::Draw => "proven draw".into(),
    }
}

/// Time of a move, and what its player reported of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thought {
    /// Time taken, without the wait for a processor.
    pub time: Duration,
    /// How long the answer waited for a processor that other programs used, where that matters: it came after its
    /// deadline, or there is a game clock.
    pub waited: Duration,
    /// Whether its player may have kept the processors busy itself, so that no standstill of the referee excuses it.
    pub is_own_doing: bool,
    /// What its player reported last with an exact score, from the mover's point of view; empty without that.
    pub info: Info,
    /// Time left on the mover's clock after the move, once the move is played; `None` without
    /// a game clock.
    pub time_left: Option<Duration>,
    /// How its search in the opponent's time ended; `None` without one.
    pub pondered: Option<PonderOutcome>,
    /// The fault in whose place the move was drawn.
    pub fault: Option<Box<ReplacedFault>>,
}

/// A fault of a player in whose place a random move was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedFault {
    /// Its word in result files.
    pub reason: String,
    /// What happened, as a sentence.
    pub detail: String,
    /// The same for people who know no protocol.
    pub plain: String,
    /// The time of a late answer, or the limit if none came.
    pub time: Option<Duration>,
}

impl From<Duration> for Thought {
    /// Nothing but the time is known.
    fn from(time: Duration) -> Thought {
        Thought {
            time,
            ..Thought::default()
        }
    }
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

/// A game in progress, with its history: a [`MoveSequence`] to which moves are added.
#[derive(Clone, Debug)]
pub struct Game {
    played: MoveSequence,
    /// Number of opening moves.
    opening_plies: usize,
    thoughts: Vec<Thought>,
    clocks: [Clock; 2],
    /// Whether the clocks start with the second move.
    first_is_free: bool,
}

impl Deref for Game {
    type Target = MoveSequence;

    fn deref(&self) -> &MoveSequence {
        &self.played
    }
}

impl Game {
    /// A game after its opening; `times` are the time controls of the first and the second
    /// player.
    pub fn new(opening: &MoveSequence, times: [TimeControl; 2]) -> Game {
        Game {
            played: opening.clone(),
            opening_plies: opening.moves().len(),
            thoughts: Vec::new(),
            clocks: times.map(Clock::new),
            first_is_free: false,
        }
    }

    /// The same game, whose clocks start with the second move, as in games by hand.
    #[must_use]
    pub fn by_hand(self) -> Game {
        Game {
            first_is_free: true,
            ..self
        }
    }

    /// A game without clocks, after its opening.
    pub fn begun(opening: &MoveSequence) -> Game {
        Game::new(opening, [TimeControl::Unlimited; 2])
    }

    /// Number of opening moves.
    pub const fn opening_plies(&self) -> usize {
        self.opening_plies
    }

    /// Time, score and line of each move after the opening.
    pub fn thoughts(&self) -> &[Thought] {
        &self.thoughts
    }

    /// The last move; `None` before the first one after the opening.
    pub fn last(&self) -> Option<Played<'_>> {
        let (text, thought) = (self.moves().last()?, self.thoughts.last()?);
        Some(Played {
            mover: self.mover_before(1)?,
            number: self.moves().len(),
            text,
            thought,
        })
    }

    /// Time left on the clocks of both sides.
    pub(crate) fn clocks(&self) -> TimesLeft {
        self.clocks.each_ref().map(|clock| clock.left)
    }

    /// Time left on the clocks of both sides; `None` without a game clock.
    pub fn game_clocks(&self) -> TimesLeft {
        self.clocks.each_ref().map(Clock::game_time_left)
    }

    /// How late the next answer of this side may be, whose player has this control.
    pub(crate) const fn margin(&self, side: Side, control: &Control) -> Duration {
        self.clocks[side.index()].rest_of(control.margin)
    }

    /// The limits of `go` for this side, whose player has this control.
    pub(crate) fn limits(&self, side: Side, control: &Control) -> Limits {
        limits(&self.clocks, side, control)
    }

    /// Gives the side a new clock if its time control has changed: by hand, another player may
    /// take a seat.
    pub fn set_time(&mut self, side: Side, time: TimeControl) {
        let clock = &mut self.clocks[side.index()];
        if clock.time != time {
            *clock = Clock::new(time);
        }
    }

    /// Plays a legal move of the side to move.
    ///
    /// # Errors
    /// The rules sent no answer; nothing is played.
    pub fn play(&mut self, mv: GameMove, thought: Thought) -> Result<(), Stop> {
        let position = self.position().after(&mv)?;
        self.push(mv, position, thought);
        Ok(())
    }

    /// Plays a move that leads to this position.
    pub(crate) fn push(&mut self, mv: GameMove, position: Box<dyn Position>, mut thought: Thought) {
        let mover = self.position().side_to_move();
        let clock = &mut self.clocks[mover.index()];
        let is_free = self.first_is_free && self.played.moves().is_empty();
        clock.spend(if is_free { Duration::ZERO } else { thought.time });
        thought.time_left = clock.game_time_left();
        self.played.push(mv.text, position);
        self.thoughts.push(thought);
    }

    /// The side that moved `plies` plies ago; `None` before the first move after the
    /// opening.
    pub(crate) fn mover_before(&self, plies: usize) -> Option<Side> {
        let index = self.moves().len().checked_sub(plies)?;
        (index >= self.opening_plies).then(|| self.positions()[index].side_to_move())
    }

    /// Takes back the last move; `false` if only the opening is left. Clocks keep running.
    pub fn take_back(&mut self) -> bool {
        let can_take_back = self.thoughts.pop().is_some();
        if can_take_back {
            self.played.pop();
        }
        can_take_back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clock of the first player after a move of four seconds by hand, behind these moves.
    fn left_after(opening: &[&str]) -> Duration {
        let rules = Ruleset::default();
        let mut begun = MoveSequence::new(rules, rules.startpos());
        for mv in opening {
            begun.play(begun.position().parse_move(mv).unwrap()).unwrap();
        }
        let mut game = Game::new(&begun, ["60+1".parse().unwrap(); 2]).by_hand();
        let mv = game.position().parse_move("a2").unwrap();
        game.play(mv, Duration::from_secs(4).into()).unwrap();
        game.game_clocks()[0].unwrap()
    }

    #[test]
    fn only_the_first_move_of_a_game_by_hand_costs_no_time() {
        assert_eq!(left_after(&[]), Duration::from_secs(61));
        assert_eq!(
            left_after(&["a1", "h1"]),
            Duration::from_secs(57),
            "the game has begun"
        );
    }
}
