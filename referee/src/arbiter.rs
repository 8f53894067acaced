//! Plays one game and decides its result.
//!
//! Before each move the rules decide whether the game is over, even if an engine has
//! failed meanwhile. What UGI engines claim about that is only reported (see
//! [`Player::query`]). Then the side to move has to answer, with one deadline for its
//! whole answer. Faults are checked in this order: crash, stall, time, garbage, illegal move.
//! Only then is the move played.

use std::io;

use jiff::Timestamp;
use lodestone::board::{Move, Side};
use lodestone::game::AnyPosition;
use lodestone::protocol::Start;

use crate::adjudicator::{Adjudicator, GameHistory};
use crate::io::interrupt::Stop;
use crate::openings::Opening;
use crate::player::adjudication::ClaimReport;
use crate::player::clock::{Clock, Control, TimeControl, limits, spend};
use crate::player::verdict::{Fault, Verdict};
use crate::player::{Hint, NoMove, Player, Situation, ThinkingObserver, Thought, TimesLeft, Turn};
use crate::process::Opponent;

/// A player and its limits.
pub struct Seat<'a> {
    /// The player.
    pub player: &'a mut dyn Player,
    /// Its limits.
    pub control: &'a Control,
}

/// A finished game.
#[derive(Debug)]
pub struct Finished {
    /// All moves, the opening's first.
    pub moves: Vec<String>,
    /// Time, score and line of each move after the opening.
    pub thoughts: Vec<Thought>,
    /// The verdict.
    pub verdict: Verdict,
    /// The claims of its players, if they are checked.
    pub claims: Option<ClaimReport>,
    /// When the referee began it.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
}

/// An observer of a game, such as the screen.
pub trait Watcher {
    /// The players are ready; the opening has been played.
    ///
    /// # Errors
    /// The output failed, or the user stops the game.
    fn begins(
        &mut self,
        position: &dyn AnyPosition,
        opening: &[String],
        clocks: TimesLeft,
    ) -> Result<(), Stop>;

    /// A player has moved.
    ///
    /// # Errors
    /// The output failed; the game stops.
    fn moved(&mut self, played: &Played<'_>) -> io::Result<()>;

    /// The observer of the next move, if an engine makes it; `None` if nothing is shown
    /// meanwhile.
    fn observer(&mut self) -> Option<&mut dyn ThinkingObserver> {
        None
    }
}

/// A move that has just been played.
#[derive(Debug)]
pub struct Played<'a> {
    /// Who moved.
    pub mover: Side,
    /// Number of the move in the game, from 1, the opening's included.
    pub number: usize,
    /// The move.
    pub mv: Move,
    /// [`Played::mv`] as text.
    pub text: &'a str,
    /// Time, score and line.
    pub thought: &'a Thought,
    /// The position after it.
    pub position: &'a dyn AnyPosition,
    /// The clocks after it.
    pub clocks: TimesLeft,
}

/// Plays a game from its opening to its end, or until the adjudicator ends it.
///
/// # Errors
/// The referee stops.
pub fn play(
    opening: &Opening,
    seats: &mut [Seat<'_>; 2],
    watcher: &mut dyn Watcher,
    mut adjudicator: Option<&mut Adjudicator>,
) -> Result<Finished, Stop> {
    let started = Timestamp::now();
    let times = seats.each_ref().map(|seat| seat.control.time);
    let mut game = Game::new(opening, times);
    let verdict = game.play_out(seats, watcher, adjudicator.as_deref_mut())?;
    let ended = Timestamp::now();
    let claims = adjudicator.and_then(|adjudicator| adjudicator.end(&verdict));
    Ok(Finished {
        moves: game.moves,
        thoughts: game.thoughts,
        verdict,
        claims,
        started,
        ended,
    })
}

/// A game that is not played because its pairing was given up `after` this many faults
/// of the loser in a row. It holds only the opening's moves.
pub fn give_up(opening: &Opening, loser: Side, after: u64) -> Finished {
    let game = Game::new(opening, [TimeControl::Unlimited; 2]);
    let now = Timestamp::now();
    Finished {
        moves: game.moves,
        thoughts: game.thoughts,
        verdict: Verdict::Forfeit { loser, after },
        claims: None,
        started: now,
        ended: now,
    }
}

/// Prepares both players for a new game. Returns the verdict if one fails.
///
/// # Errors
/// The referee stops.
pub fn begin(seats: &mut [Seat<'_>; 2]) -> Result<Option<Verdict>, Stop> {
    for side in Side::BOTH {
        let (seat, _) = mover_and_opponent(seats, side);
        if let Err(miss) = seat.player.begin() {
            return verdict_on(side, seat, miss).map(Some);
        }
    }
    Ok(None)
}

/// A game in progress, with its history.
pub struct Game {
    start: Start,
    /// All positions: the first one, and the one after each move.
    positions: Vec<Box<dyn AnyPosition>>,
    /// Number of opening moves.
    opening_plies: usize,
    played: Vec<Move>,
    /// [`Game::played`] as text.
    moves: Vec<String>,
    thoughts: Vec<Thought>,
    clocks: [Clock; 2],
}

impl Game {
    /// A game after its opening; `times` are the time controls of the first and the second
    /// player.
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
        for &mv in &opening.moves {
            game.advance(mv);
        }
        game
    }

    /// The current position.
    #[must_use]
    pub fn position(&self) -> &dyn AnyPosition {
        // Never empty: the first position stays.
        self.positions[self.positions.len() - 1].as_ref()
    }

    /// The position before the first move.
    #[must_use]
    pub fn first_position(&self) -> &dyn AnyPosition {
        self.positions[0].as_ref()
    }

    /// All moves so far, the opening's first.
    #[must_use]
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// [`Game::moves`] as values.
    #[must_use]
    pub fn played(&self) -> &[Move] {
        &self.played
    }

    /// The last move; `None` before the first one after the opening.
    #[must_use]
    pub fn last(&self) -> Option<Played<'_>> {
        let (text, thought) = (self.moves.last()?, self.thoughts.last()?);
        Some(Played {
            mv: *self.played.last()?,
            mover: self.positions[self.positions.len() - 2].side_to_move(),
            number: self.moves.len(),
            text,
            thought,
            position: self.position(),
            clocks: self.clocks(),
        })
    }

    /// The clocks of both sides.
    #[must_use]
    pub fn clocks(&self) -> TimesLeft {
        self.clocks.each_ref().map(Clock::left)
    }

    /// The verdict if the game is over by the rules.
    #[must_use]
    pub fn outcome(&self) -> Option<Verdict> {
        let outcome = self.position().outcome()?;
        let why = self.position().explain(outcome);
        Some(Verdict::Rules { outcome, why })
    }

    /// Plays a legal move of the side to move.
    pub fn play(&mut self, mv: Move, mut thought: Thought) {
        let mover = self.position().side_to_move();
        spend(&mut self.clocks, mover, thought.time);
        thought.time_left = self.clocks[mover.index()].game_time_left();
        self.advance(mv);
        self.thoughts.push(thought);
    }

    /// The side that moved `plies` plies ago; `None` before the first move after the
    /// opening.
    #[must_use]
    pub fn mover_before(&self, plies: usize) -> Option<Side> {
        let index = self.moves.len().checked_sub(plies)?;
        (index >= self.opening_plies).then(|| self.positions[index].side_to_move())
    }

    /// Takes back the last move; `false` if only the opening is left. Clocks keep running.
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

    /// The turn for advice outside the game, with its own clock.
    #[must_use]
    pub fn analysis(&self, control: &Control) -> Turn<'_> {
        let clocks = [Clock::new(control.time), Clock::new(control.time)];
        self.turn(&clocks, control, Opponent::default(), None)
    }

    /// The turn of the side to move.
    fn turn<'a>(
        &'a self,
        clocks: &[Clock; 2],
        control: &Control,
        opponent: Opponent<'a>,
        observer: Option<&'a mut dyn ThinkingObserver>,
    ) -> Turn<'a> {
        let mover = self.position().side_to_move();
        Turn {
            position: self.position(),
            start: &self.start,
            moves: &self.moves,
            last: self.played.last().copied(),
            limits: limits(clocks, mover, control),
            time: clocks[mover.index()].left(),
            margin: control.margin,
            clocks: clocks.each_ref().map(Clock::left),
            opponent,
            observer,
        }
    }

    fn situation(&self) -> Situation<'_> {
        Situation {
            position: self.position(),
            start: &self.start,
            moves: &self.moves,
        }
    }

    /// Asks the side to move. Plays its move, or returns the verdict.
    ///
    /// # Errors
    /// The referee stops.
    pub fn next_move(
        &mut self,
        seats: &mut [Seat<'_>; 2],
        observer: Option<&mut dyn ThinkingObserver>,
    ) -> Result<Option<Verdict>, Stop> {
        let mover = self.position().side_to_move();
        let (seat, opponent) = mover_and_opponent(seats, mover);
        let clock = &mut self.clocks[mover.index()];
        if clock.control() != seat.control.time {
            // By hand, another player may have taken the seat.
            *clock = Clock::new(seat.control.time);
        }
        let mut turn = self.turn(
            &self.clocks,
            seat.control,
            Opponent {
                channel: opponent.player.channel(),
                gone_at: None,
            },
            // Shortens the lifetime.
            observer.map(|observer| observer as &mut dyn ThinkingObserver),
        );
        let answer = seat.player.think(&mut turn);
        let opponent_gone_at = turn.opponent.gone_at;
        let miss = match answer {
            Ok(answer) => match self.position().parse_move(&answer.text) {
                Ok(mv) => {
                    self.play(mv, answer.thought);
                    if self.position().outcome().is_none() {
                        let limits = limits(&self.clocks, mover, seat.control);
                        seat.player.ponder(&self.situation(), limits);
                    }
                    return Ok(None);
                }
                Err(error) => {
                    let mut fault = Fault::unplayable(error, &answer.text, self.position());
                    if let Fault::Illegal { text, hint, .. } = &mut fault {
                        *hint = self
                            .cause_of_illegal(text, seat.player.extra_answer())
                            .map(Box::new);
                    }
                    NoMove::fault(fault)
                }
            },
            Err(miss) => miss,
        };
        // The player whose process failed first loses, even if the opponent was to move.
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

    /// A likely cause of an illegal move of the side to move, whose player has written
    /// `extra_answer` beside its answers.
    fn cause_of_illegal(&self, text: &str, extra_answer: Option<&str>) -> Option<Hint> {
        let position = self.position();
        let mover = position.side_to_move();
        if let Some(line) = extra_answer {
            return Some(Hint::ExtraAnswer(line.to_string()));
        }
        let diagram = position.diagram();
        let mut others = diagram.pieces[mover.opponent().index()].cells();
        if position.info().slides && others.any(|cell| text.starts_with(&position.cell_text(cell))) {
            return Some(Hint::OtherSide(mover, diagram.signs[mover.index()]));
        }
        let mut earlier = self
            .positions
            .iter()
            .filter(|earlier| earlier.side_to_move() == mover);
        earlier
            .any(|earlier| earlier.parse_move(text).is_ok())
            .then_some(Hint::LegalEarlier)
    }

    fn advance(&mut self, mv: Move) {
        let mut position = self.position().boxed_clone();
        self.moves.push(position.move_text(mv));
        self.played.push(mv);
        position.play(mv);
        self.positions.push(position);
    }

    /// Sends the queries of both players. Returns the verdict if one cannot continue.
    ///
    /// # Errors
    /// The referee stops.
    fn query(&self, seats: &mut [Seat<'_>; 2]) -> Result<Option<Verdict>, Stop> {
        let situation = self.situation();
        for side in Side::BOTH {
            let (seat, _) = mover_and_opponent(seats, side);
            if let Err(miss) = seat.player.query(&situation) {
                return verdict_on(side, seat, miss).map(Some);
            }
        }
        Ok(None)
    }

    /// What an adjudicator sees.
    fn history(&self) -> GameHistory<'_> {
        GameHistory {
            start: &self.start,
            moves: &self.moves,
            played: &self.played,
            positions: &self.positions,
            thoughts: &self.thoughts,
        }
    }

    fn play_out(
        &mut self,
        seats: &mut [Seat<'_>; 2],
        watcher: &mut dyn Watcher,
        mut adjudicator: Option<&mut Adjudicator>,
    ) -> Result<Verdict, Stop> {
        if let Some(adjudicator) = adjudicator.as_deref_mut() {
            adjudicator.begin()?;
        }
        if let Some(verdict) = begin(seats)? {
            return Ok(verdict);
        }
        if let Some(verdict) = self.query(seats)? {
            return Ok(verdict);
        }
        watcher.begins(self.position(), &self.moves, self.clocks())?;
        loop {
            if let Some(verdict) = self.outcome() {
                // The game is over; a failure now changes nothing.
                let _ = self.query(seats);
                return Ok(verdict);
            }
            if let Some(verdict) = self.next_move(seats, watcher.observer())? {
                return Ok(verdict);
            }
            if let Some(played) = self.last() {
                watcher.moved(&played)?;
            }
            if let Some(adjudicator) = adjudicator.as_deref_mut()
                && let Some(adjudication) = adjudicator.moved(&self.history())?
            {
                return Ok(Verdict::Adjudicated(adjudication));
            }
        }
    }
}

/// The seat of `side`, and the opponent's.
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

/// The verdict on a missing move of `side`, or the reason to stop.
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
