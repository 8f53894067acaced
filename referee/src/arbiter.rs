//! One game: who is asked, what is played, who is to blame.
//!
//! Before each move the rules are asked first: a game that is over is over,
//! whatever state the players are in. Then the side to move is asked, with one
//! deadline for its whole answer. Its faults are looked at in this order: it
//! is gone, it is silent, it is late, it wrote what is no move, it wrote a
//! move that cannot be played. Only then the move is played.

use std::io;
use std::time::{Duration, Instant};

use lodestone::board::Side;
use lodestone::game::{AnyPosition, MoveError};
use lodestone::score::Score;

use crate::clock::{Clock, Control, limits};
use crate::interrupt::Signal;
use crate::openings::Opening;
use crate::player::{Miss, Player, Turn};
use crate::process::Rival;
use crate::verdict::{Fault, Verdict};

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

/// What is known of a move beside the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thought {
    /// How long it took.
    pub time: Duration,
    /// What its player last said of it.
    pub score: Option<Score>,
}

/// Why a game did not end. It leaves no record.
#[derive(Debug)]
pub enum Stopped {
    /// The referee is asked to end.
    Interrupted(Signal),
    /// The person at the keyboard left.
    Quit,
    /// The referee cannot read or write what it has to.
    Broken(io::Error),
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
    pub text: &'a str,
    /// How it came about.
    pub thought: Thought,
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
) -> Result<Finished, Stopped> {
    let mut game = Running::new(opening, seats);
    let verdict = game.play_out(opening, seats, watcher)?;
    Ok(Finished {
        moves: game.moves,
        thoughts: game.thoughts,
        verdict,
    })
}

/// A game that goes on.
struct Running {
    position: Box<dyn AnyPosition>,
    moves: Vec<String>,
    thoughts: Vec<Thought>,
    clocks: [Clock; 2],
}

impl Running {
    fn new(opening: &Opening, seats: &[Seat<'_>; 2]) -> Running {
        let mut position = opening.position.clone();
        let mut moves = Vec::new();
        for &one in &opening.moves {
            moves.push(position.move_text(one));
            position.play(one);
        }
        let [first, second] = seats;
        Running {
            position,
            moves,
            thoughts: Vec::new(),
            clocks: [first, second].map(|seat| Clock::new(seat.control.time)),
        }
    }

    fn play_out(
        &mut self,
        opening: &Opening,
        seats: &mut [Seat<'_>; 2],
        watcher: &mut dyn Watcher,
    ) -> Result<Verdict, Stopped> {
        for side in Side::BOTH {
            let (seat, _) = mover_and_rival(seats, side);
            if let Err(miss) = seat.player.begin() {
                let (fault, _) = fault_of(miss)?;
                seat.player.reset();
                return Ok(Verdict::Fault { culprit: side, fault });
            }
        }
        watcher
            .begins(self.position.as_ref(), &self.moves)
            .map_err(Stopped::Broken)?;
        loop {
            if let Some(outcome) = self.position.outcome() {
                let why = self.position.explain(outcome);
                return Ok(Verdict::Rules { outcome, why });
            }
            if let Some(verdict) = self.next_move(opening, seats, watcher)? {
                return Ok(verdict);
            }
        }
    }

    /// Asks the side to move, and plays its move or says how the game ended.
    fn next_move(
        &mut self,
        opening: &Opening,
        seats: &mut [Seat<'_>; 2],
        watcher: &mut dyn Watcher,
    ) -> Result<Option<Verdict>, Stopped> {
        let mover = self.position.side_to_move();
        let (seat, rival) = mover_and_rival(seats, mover);
        let mut turn = Turn {
            position: self.position.as_ref(),
            start: &opening.start,
            moves: &self.moves,
            limits: limits(&self.clocks, mover, seat.control),
            time: self.clocks[mover.index()].left(),
            margin: seat.control.margin,
            rival: Rival {
                channel: rival.player.channel(),
                gone_at: None,
            },
        };
        let answer = seat.player.think(&mut turn);
        let rival_gone_at = turn.rival.gone_at;
        let miss = match answer {
            Ok(answer) => match self.position.parse_move(&answer.text) {
                Ok(one) => {
                    self.clocks[mover.index()].spend(answer.time);
                    let text = self.position.move_text(one);
                    self.position.play(one);
                    self.moves.push(text);
                    self.thoughts.push(Thought {
                        time: answer.time,
                        score: answer.score,
                    });
                    self.show_last(mover, watcher).map_err(Stopped::Broken)?;
                    return Ok(None);
                }
                Err(MoveError::Malformed(_)) => Miss::fault(Fault::no_move(&answer.text)),
                Err(MoveError::Illegal(why)) => Miss::fault(Fault::Illegal {
                    text: answer.text.to_lowercase(),
                    why,
                }),
            },
            Err(miss) => miss,
        };
        let (fault, at) = fault_of(miss)?;
        seat.player.reset();
        // Whose process failed first is to blame, whoever was to move.
        if rival_gone_at.is_some_and(|gone_at| gone_at <= at)
            && let Some(fault) = rival.player.post_mortem()
        {
            let culprit = mover.opponent();
            return Ok(Some(Verdict::Fault { culprit, fault }));
        }
        let culprit = mover;
        Ok(Some(Verdict::Fault { culprit, fault }))
    }

    fn show_last(&self, mover: Side, watcher: &mut dyn Watcher) -> io::Result<()> {
        let (Some(text), Some(&thought)) = (self.moves.last(), self.thoughts.last()) else {
            return Ok(());
        };
        watcher.moved(&Played {
            mover,
            number: self.moves.len(),
            text,
            thought,
            position: self.position.as_ref(),
        })
    }
}

/// The seat of `side` and the other one.
fn mover_and_rival<'s, 'a>(seats: &'s mut [Seat<'a>; 2], side: Side) -> (&'s mut Seat<'a>, &'s mut Seat<'a>) {
    let [first, second] = seats;
    match side {
        Side::First => (first, second),
        Side::Second => (second, first),
    }
}

/// A player's fault and when it happened; anything else stops the game.
fn fault_of(miss: Miss) -> Result<(Fault, Instant), Stopped> {
    match miss {
        Miss::Fault { fault, at } => Ok((fault, at)),
        Miss::Interrupted(signal) => Err(Stopped::Interrupted(signal)),
        Miss::Quit => Err(Stopped::Quit),
        Miss::Broken(error) => Err(Stopped::Broken(error)),
    }
}
