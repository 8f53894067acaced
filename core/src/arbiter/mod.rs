//! Plays one game and decides its result.
//!
//! Before each move the rules decide whether the game is over, even if an engine has
//! failed meanwhile. Then the side to move has to answer, with one deadline for its
//! whole answer. Faults are checked in this order: crash, stall, time, processor time, garbage, illegal move.
//! Only then is the move played.
//!
//! If the referee stood still during a game of programs, and the game could have gone on otherwise without that,
//! nothing in the game counts. The time in which a program waits for a processor is not its own (`player/gauge.rs`).

pub mod adjudicator;
mod on_fault;

use std::time::Duration;

use jiff::Timestamp;
use lodestone_game::board::Side;

use crate::arbiter::adjudicator::Adjudicator;
pub use crate::arbiter::on_fault::{OnFault, Replacement};
use crate::failure::Stop;
use crate::game::MoveSequence;
use crate::game::clock::{Control, TimeControl};
use crate::game::{Game, Observer, ReplacedFault, Thought};
use crate::io::running_clock;
use crate::player::verdict::{Fault, Verdict};
use crate::player::{NoMove, Player, Turn};
use crate::process::Opponent;

/// A player and its limits.
pub struct Seat<'a> {
    pub player: &'a mut dyn Player,
    /// Its limits.
    pub control: &'a Control,
    /// Draws moves for those that it does not make; `None` if each fault loses.
    pub replacement: Option<Replacement>,
}

/// A finished game.
#[derive(Debug)]
pub struct Finished {
    /// The game up to its last move.
    pub game: Game,
    /// How the game ended.
    pub verdict: Verdict,
    /// When the referee began it.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
}

/// Plays a game from its opening to its end, or until the adjudicator ends it. With `may_repeat`, a standstill of
/// the referee that could have changed a game of programs ends it, and so does the end of a program of which the machine
/// may be the cause.
///
/// # Errors
/// The referee stops, or [`Stop::Standstill`], [`Stop::Starved`] or [`Stop::Busy`].
pub fn play(
    opening: &MoveSequence,
    seats: &mut [Seat<'_>; 2],
    observer: &mut dyn Observer,
    mut adjudicator: Option<&mut Adjudicator>,
    may_repeat: bool,
) -> Result<Finished, Stop> {
    let started = Timestamp::now();
    // A person's game goes on: the clock stood still, too.
    let may_repeat = may_repeat && seats.iter().all(|seat| seat.player.is_restartable());
    let times = seats.each_ref().map(|seat| seat.control.time);
    let mut game = Game::new(opening, times);
    let verdict = play_out(&mut game, seats, observer, adjudicator.as_deref_mut(), may_repeat)?;
    let ended = Timestamp::now();
    for seat in seats {
        seat.player.learn_result(&game, verdict.result());
    }
    if let Some(adjudicator) = adjudicator {
        adjudicator.end(&game);
    }
    Ok(Finished {
        game,
        verdict,
        started,
        ended,
    })
}

/// A game that is not played because its pairing was given up `after` this many faults
/// of the loser in a row. It holds only the opening's moves.
pub fn give_up(opening: &MoveSequence, loser: Side, after: u64) -> Finished {
    let now = Timestamp::now();
    Finished {
        game: Game::new(opening, [TimeControl::Unlimited; 2]),
        verdict: Verdict::Forfeit { loser, after },
        started: now,
        ended: now,
    }
}

/// Prepares both players for a new game. Returns the verdict if one fails.
///
/// # Errors
/// The referee stops, or with `may_repeat`, [`Stop::Starved`], also if both fail: what both need may be missing.
pub fn begin(seats: &mut [Seat<'_>; 2], may_repeat: bool) -> Result<Option<Verdict>, Stop> {
    let [first, second] = seats;
    let begun = first.player.begin(Some(Side::First));
    // If the first one fails, the second one is asked only where it has to be started, too.
    let is_asked = begun.is_ok() || second.player.channel().is_none();
    let other = if is_asked {
        second.player.begin(Some(Side::Second))
    } else {
        Ok(())
    };
    let (side, seat, miss, has_company) = match (begun, other) {
        (Ok(()), Ok(())) => return Ok(None),
        (Err(NoMove::Stopped(stop)), _) | (_, Err(NoMove::Stopped(stop))) => return Err(stop),
        (Ok(()), Err(miss)) => (Side::Second, second, miss, None),
        (Err(miss), Ok(())) => (Side::First, first, miss, None),
        (Err(miss), Err(other)) => {
            verdict_on(Side::Second, second, other)?;
            (Side::First, first, miss, Some(second.player.name()))
        }
    };
    match verdict_on(side, seat, miss)? {
        Verdict::Fault { culprit, fault } => {
            let is_void = may_repeat && (has_company.is_some() || fault.is_starved());
            let fault = match has_company {
                Some(other) => fault.with_failed_opponent(other),
                None => fault,
            };
            if is_void {
                return Err(Stop::Starved(fault.sentence(seat.player.name())));
            }
            Ok(Some(Verdict::Fault { culprit, fault }))
        }
        verdict => Ok(Some(verdict)),
    }
}

/// The verdict if the game is over by the rules.
pub fn outcome(game: &Game) -> Option<Verdict> {
    let outcome = game.position().outcome()?;
    let why = game.position().explain(outcome);
    Some(Verdict::Rules { outcome, why })
}

/// Asks the side to move. Plays its move, or returns the verdict.
///
/// # Errors
/// The referee stops, or [`Stop::Busy`], or with `may_repeat`, [`Stop::Starved`].
pub fn next_move(
    game: &mut Game,
    seats: &mut [Seat<'_>; 2],
    observer: &mut dyn Observer,
    may_repeat: bool,
) -> Result<Option<Verdict>, Stop> {
    let mover = game.position().side_to_move();
    let (seat, opponent) = mover_and_opponent(seats, mover);
    if seat.replacement.is_some() && seat.player.is_restartable() && seat.player.channel().is_none() {
        // Its process ended with its last fault, which did not lose.
        if let Err(miss) = seat.player.begin(Some(mover)) {
            return verdict_on(mover, seat, miss).map(Some);
        }
    }
    let asked = running_clock::now();
    game.set_time(mover, seat.control.time);
    let mut turn = Turn {
        limits: game.limits(mover, seat.control),
        time: game.clocks()[mover.index()],
        margin: game.margin(mover, seat.control),
        cpu: seat.control.cpu,
        opponent: Opponent {
            channel: opponent.player.channel(),
            gone_at: None,
        },
        observer: observer.asks(game).then_some(observer),
    };
    let answer = seat.player.think(game, &mut turn);
    let opponent_gone_at = turn.opponent.gone_at;
    let miss = match answer {
        Ok(answer) => {
            game.play(answer.mv, answer.thought)?;
            let position = game.position();
            if position.outcome().is_none() && position.side_to_move() != mover {
                let limits = game.limits(mover, seat.control);
                seat.player.ponder(game, limits);
            }
            return Ok(None);
        }
        Err(miss) => miss,
    };
    if let NoMove::Fault { fault, at } = &miss {
        if may_repeat && fault.is_starved() {
            let why = fault.sentence(seat.player.name());
            // Its search may go on.
            seat.player.reset();
            return Err(Stop::Starved(why));
        }
        let taken = fault
            .time()
            .unwrap_or_else(|| at.saturating_duration_since(asked));
        if play_instead(game, seat, fault, taken)? {
            return Ok(None);
        }
    }
    // The player whose process failed first loses, even if the opponent was to move.
    if let (NoMove::Fault { at, .. }, Some(gone_at)) = (&miss, opponent_gone_at)
        && gone_at <= *at
        && let Some(fault) = opponent.player.exit_fault()
    {
        seat.player.reset();
        let culprit = mover.opponent();
        return lost_by(culprit, fault).map(Some);
    }
    verdict_on(mover, seat, miss).map(Some)
}

fn play_out(
    game: &mut Game,
    seats: &mut [Seat<'_>; 2],
    observer: &mut dyn Observer,
    mut adjudicator: Option<&mut Adjudicator>,
    may_repeat: bool,
) -> Result<Verdict, Stop> {
    if let Some(adjudicator) = adjudicator.as_deref_mut() {
        adjudicator.begin()?;
    }
    let mut known = running_clock::standstills();
    if let Some(verdict) = begin(seats, may_repeat)? {
        return if may_repeat && is_late(&verdict) && known != running_clock::standstills() {
            Err(Stop::Standstill)
        } else {
            Ok(verdict)
        };
    }
    observer.begins(game)?;
    loop {
        if let Some(verdict) = outcome(game) {
            return Ok(verdict);
        }
        let mover = game.position().side_to_move();
        let margin = game.margin(mover, seats[mover.index()].control);
        let deadline = game.clocks()[mover.index()].map(|time| time + margin);
        let verdict = next_move(game, seats, observer, may_repeat)?;
        if may_repeat && (verdict.is_some() || running_clock::noticed_standstills() != known.count) {
            let before = std::mem::replace(&mut known, running_clock::standstills());
            let stood = known.time.saturating_sub(before.time);
            // Without a verdict, the last thought is that of this move.
            let last = game.thoughts().last().filter(|thought| !thought.is_own_doing);
            let is_disturbed = if let Some(verdict) = &verdict {
                is_late(verdict) && !stood.is_zero()
            } else {
                let is_long = |(last, deadline): (&Thought, _)| last.time + stood > deadline;
                let opponent = &seats[mover.opponent().index()].player;
                // A bot that computes out of turn does not get another game by that. A bot that waits needs less.
                last.zip(deadline).is_some_and(is_long) && opponent.computed_out_of_turn() < stood / 10
            };
            if is_disturbed {
                return Err(Stop::Standstill);
            }
        }
        if let Some(verdict) = verdict {
            return Ok(verdict);
        }
        observer.moved(game)?;
        if let Some(adjudicator) = adjudicator.as_deref_mut()
            && let Some(adjudication) = adjudicator.moved(game)?
        {
            return Ok(Verdict::Adjudicated(adjudication));
        }
    }
}

/// Whether a player lost by a fault that a standstill may have caused.
const fn is_late(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Fault { fault, .. } if fault.may_be_of_standstill())
}

/// Plays a random move instead of the one that is missing. Returns whether it did; otherwise the fault
/// loses.
fn play_instead(game: &mut Game, seat: &mut Seat<'_>, fault: &Fault, taken: Duration) -> Result<bool, Stop> {
    let Some(replacement) = seat.replacement.as_mut().filter(|_| fault.is_of_player()) else {
        return Ok(false);
    };
    let Some(mv) = replacement.draw(game.position()) else {
        return Ok(false);
    };
    // A program that has answered plays on; nothing is known of any other.
    if !fault.has_answered() {
        seat.player.reset();
    }
    let thought = Thought {
        time: taken,
        fault: Some(Box::new(ReplacedFault {
            reason: fault.kind().to_string(),
            detail: fault.detail(seat.player.name()),
            plain: fault.plain_sentence(seat.player.name()),
            time: fault.time(),
        })),
        ..Thought::default()
    };
    game.play(mv, thought)?;
    Ok(true)
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
            lost_by(side, fault)
        }
        NoMove::Resigned => Ok(Verdict::Resigned { loser: side }),
        NoMove::Stopped(stop) => Err(stop),
    }
}

/// The verdict on a fault of a player. A failure of the rules or of the machine is none.
fn lost_by(culprit: Side, fault: Fault) -> Result<Verdict, Stop> {
    let fault = fault.into_stop()?;
    Ok(Verdict::Fault { culprit, fault })
}
