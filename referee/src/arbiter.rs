//! One game: who is asked, what is played, who is to blame.
//!
//! Before each move the rules are asked first: a game that is over is over,
//! whatever state the players are in; what they claim of that (see
//! [`Player::query`]) is told and changes nothing. Then the side to move is asked, with one
//! deadline for its whole answer. Its faults are looked at in this order: it
//! is gone, it is silent, it is late, it wrote what is no move, it wrote a
//! move that cannot be played. Only then the move is played.

use std::io;

use lodestone::board::{Move, Side};
use lodestone::game::{AnyPosition, MoveError};
use lodestone::protocol::Start;

use crate::io::interrupt::Stop;
use crate::openings::Opening;
use crate::player::clock::{Clock, Control, TimeControl, limits};
use crate::player::verdict::{Fault, Verdict};
use crate::player::{NoMove, Player, Situation, Thought, Turn};
use crate::process::Opponent;

/// One side of a game.
pub struct Seat<'a> {
    /// Who plays it.
    pub player: &'a mut dyn Player,
    /// What bounds the thinking.
    pub control: &'a Control,
}

/// A game that ended.
#[derive(Debug)]
pub struct Finished {
    /// Every move, those of the opening first.
    pub moves: Vec<String>,
    /// For each move behind the opening, how it came about.
    pub thoughts: Vec<Thought>,
    /// How it ended.
    pub verdict: Verdict,
}

/// Somebody who looks on.
pub trait Watcher {
    /// The players are ready, the moves of the opening are played.
    ///
    /// # Errors
    /// Where that cannot be shown; the game stops.
    fn begins(&mut self, position: &dyn AnyPosition, opening: &[String]) -> io::Result<()>;

    /// A player moved.
    ///
    /// # Errors
    /// Where that cannot be shown; the game stops.
    fn moved(&mut self, played: &Played<'_>) -> io::Result<()>;
}

/// A move that was just played.
#[derive(Debug)]
pub struct Played<'a> {
    /// Whose move it was.
    pub mover: Side,
    /// Which move of the game, those of the opening included, from 1.
    pub number: usize,
    /// The move.
    pub one: Move,
    /// The same as text.
    pub text: &'a str,
    /// How it came about.
    pub thought: &'a Thought,
    /// The position behind it.
    pub position: &'a dyn AnyPosition,
}

/// Plays a game from its opening to its end.
///
/// # Errors
/// Where the game did not end, through no fault of a player.
pub fn play(
    opening: &Opening,
    seats: &mut [Seat<'_>; 2],
    watcher: &mut dyn Watcher,
) -> Result<Finished, Stop> {
    let times = seats.each_ref().map(|seat| seat.control.time);
    let mut game = Game::new(opening, times);
    let verdict = game.play_out(seats, watcher)?;
    Ok(Finished {
        moves: game.moves,
        thoughts: game.thoughts,
        verdict,
    })
}

/// A game that is not played because its pairing is given up, after so many
/// faults of the loser in a row: it holds the moves of its opening only.
pub fn give_up(opening: &Opening, loser: Side, after: u64) -> Finished {
    let game = Game::new(opening, [TimeControl::Unlimited; 2]);
    Finished {
        moves: game.moves,
        thoughts: game.thoughts,
        verdict: Verdict::Forfeit { loser, after },
    }
}

/// Gets both players ready for a game; says how it ends where one fails.
///
/// # Errors
/// Where there will be no game, through no fault of a player.
pub fn begin(seats: &mut [Seat<'_>; 2]) -> Result<Option<Verdict>, Stop> {
    for side in Side::BOTH {
        let (seat, _) = mover_and_opponent(seats, side);
        if let Err(miss) = seat.player.begin() {
            return verdict_on(side, seat, miss).map(Some);
        }
    }
    Ok(None)
}

/// A game and all that has happened in it.
pub struct Game {
    start: Start,
    /// Each position so far: the one before the first move, then the one
    /// behind each move.
    positions: Vec<Box<dyn AnyPosition>>,
    /// Where the moves of the opening end.
    opening_plies: usize,
    played: Vec<Move>,
    /// The same as text.
    moves: Vec<String>,
    thoughts: Vec<Thought>,
    clocks: [Clock; 2],
}

impl Game {
    /// The game behind its opening; `times` are those of the first and the
    /// second player.
    pub fn new(opening: &Opening, times: [TimeControl; 2]) -> Game {
        let mut game = Game {
            start: opening.start.clone(),
            positions: vec![opening.position.clone()],
            opening_plies: opening.moves.len(),
            played: Vec::new(),
            moves: Vec::new(),
            thoughts: Vec::new(),
            clocks: times.map(Clock::new),
        };
        for &one in &opening.moves {
            game.advance(one);
        }
        game
    }

    /// Where the game stands.
    #[must_use]
    pub fn position(&self) -> &dyn AnyPosition {
        // There is always one: the first is never taken away.
        self.positions[self.positions.len() - 1].as_ref()
    }

    /// Where the game began.
    #[must_use]
    pub fn first_position(&self) -> &dyn AnyPosition {
        self.positions[0].as_ref()
    }

    /// Every move so far, those of the opening first.
    #[must_use]
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// The same as [`Game::moves`], without text.
    #[must_use]
    pub fn played(&self) -> &[Move] {
        &self.played
    }

    /// The last move with its side, its number from 1, and how it came about;
    /// `None` before the first behind the opening.
    #[must_use]
    pub fn last(&self) -> Option<Played<'_>> {
        let (text, thought) = (self.moves.last()?, self.thoughts.last()?);
        Some(Played {
            one: *self.played.last()?,
            mover: self.positions[self.positions.len() - 2].side_to_move(),
            number: self.moves.len(),
            text,
            thought,
            position: self.position(),
        })
    }

    /// How the game ended by its rules, if it did.
    #[must_use]
    pub fn outcome(&self) -> Option<Verdict> {
        let outcome = self.position().outcome()?;
        let why = self.position().explain(outcome);
        Some(Verdict::Rules { outcome, why })
    }

    /// Plays a legal move of the side to move.
    pub fn play(&mut self, one: Move, thought: Thought) {
        let mover = self.position().side_to_move();
        self.clocks[mover.index()].spend(thought.time);
        self.advance(one);
        self.thoughts.push(thought);
    }

    /// Who was to move so many moves ago; `None` where that is before the first
    /// move behind the opening.
    #[must_use]
    pub fn mover_before(&self, plies: usize) -> Option<Side> {
        let index = self.moves.len().checked_sub(plies)?;
        (index >= self.opening_plies).then(|| self.positions[index].side_to_move())
    }

    /// Takes the last move back; `false` where there is none behind the
    /// opening. Clocks are not turned back.
    pub fn take_back(&mut self) -> bool {
        if self.moves.len() <= self.opening_plies {
            return false;
        }
        self.positions.pop();
        self.played.pop();
        self.moves.pop();
        self.thoughts.pop();
        true
    }

    /// What somebody is told who is asked for a move outside the game, with a
    /// clock of its own.
    #[must_use]
    pub fn analysis(&self, control: &Control) -> Turn<'_> {
        let clocks = [Clock::new(control.time), Clock::new(control.time)];
        self.turn(&clocks, control, Opponent::default())
    }

    /// All that the side to move is told.
    fn turn<'a>(&'a self, clocks: &[Clock; 2], control: &Control, opponent: Opponent<'a>) -> Turn<'a> {
        let mover = self.position().side_to_move();
        Turn {
            position: self.position(),
            start: &self.start,
            moves: &self.moves,
            last: self.played.last().copied(),
            limits: limits(clocks, mover, control),
            time: clocks[mover.index()].left(),
            margin: control.margin,
            opponent,
        }
    }

    /// Asks the side to move, and plays its move or says how the game ended.
    ///
    /// # Errors
    /// Where neither is possible, through no fault of a player.
    pub fn next_move(&mut self, seats: &mut [Seat<'_>; 2]) -> Result<Option<Verdict>, Stop> {
        let mover = self.position().side_to_move();
        let (seat, opponent) = mover_and_opponent(seats, mover);
        let clock = &mut self.clocks[mover.index()];
        if clock.control() != seat.control.time {
            // Somebody else sits there now.
            *clock = Clock::new(seat.control.time);
        }
        let mut turn = self.turn(
            &self.clocks,
            seat.control,
            Opponent {
                channel: opponent.player.channel(),
                gone_at: None,
            },
        );
        let answer = seat.player.think(&mut turn);
        let opponent_gone_at = turn.opponent.gone_at;
        let miss = match answer {
            Ok(answer) => match self.position().parse_move(&answer.text) {
                Ok(one) => {
                    self.play(one, answer.thought);
                    return Ok(None);
                }
                Err(MoveError::Malformed(_)) => NoMove::fault(Fault::no_move(&answer.text)),
                Err(MoveError::Illegal(why)) => NoMove::fault(Fault::Illegal {
                    text: answer.text.to_lowercase(),
                    why,
                }),
            },
            Err(miss) => miss,
        };
        // Whose process failed first is to blame, whoever was to move.
        if let (NoMove::Fault { at, .. }, Some(gone_at)) = (&miss, opponent_gone_at)
            && gone_at <= *at
            && let Some(fault) = opponent.player.exit_fault()
        {
            seat.player.reset();
            let culprit = mover.opponent();
            return Ok(Some(Verdict::Fault { culprit, fault }));
        }
        verdict_on(mover, seat, miss).map(Some)
    }

    fn advance(&mut self, one: Move) {
        let mut position = self.position().boxed_clone();
        self.moves.push(position.move_text(one));
        self.played.push(one);
        position.play(one);
        self.positions.push(position);
    }

    /// Asks both players what they make of where the game stands; says how it
    /// ends where one cannot go on after that.
    ///
    /// # Errors
    /// Where it cannot go on, through no fault of a player.
    fn query(&self, seats: &mut [Seat<'_>; 2]) -> Result<Option<Verdict>, Stop> {
        let situation = Situation {
            position: self.position(),
            start: &self.start,
            moves: &self.moves,
        };
        for side in Side::BOTH {
            let (seat, _) = mover_and_opponent(seats, side);
            if let Err(miss) = seat.player.query(&situation) {
                return verdict_on(side, seat, miss).map(Some);
            }
        }
        Ok(None)
    }

    fn play_out(&mut self, seats: &mut [Seat<'_>; 2], watcher: &mut dyn Watcher) -> Result<Verdict, Stop> {
        if let Some(verdict) = begin(seats)? {
            return Ok(verdict);
        }
        if let Some(verdict) = self.query(seats)? {
            return Ok(verdict);
        }
        watcher.begins(self.position(), &self.moves)?;
        loop {
            if let Some(verdict) = self.outcome() {
                // The game is over, whatever becomes of who is asked now.
                let _ = self.query(seats);
                return Ok(verdict);
            }
            if let Some(verdict) = self.next_move(seats)? {
                return Ok(verdict);
            }
            if let Some(played) = self.last() {
                watcher.moved(&played)?;
            }
        }
    }
}

/// The seat of `side` and the other one.
fn mover_and_opponent<'s, 'a>(
    seats: &'s mut [Seat<'a>; 2],
    side: Side,
) -> (&'s mut Seat<'a>, &'s mut Seat<'a>) {
    let [first, second] = seats;
    match side {
        Side::First => (first, second),
        Side::Second => (second, first),
    }
}

/// What the failure of `side` to answer means; it stops the game where it is
/// nobody's fault.
fn verdict_on(side: Side, seat: &mut Seat<'_>, miss: NoMove) -> Result<Verdict, Stop> {
    match miss {
        NoMove::Fault { fault, .. } => {
            seat.player.reset();
            Ok(Verdict::Fault { culprit: side, fault })
        }
        NoMove::Resigned => Ok(Verdict::Resigned { loser: side }),
        NoMove::Stopped(stop) => Err(stop),
    }
}
