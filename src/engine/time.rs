//! How long to think: limits in, a budget out. Pure and saturating; the clock
//! itself is read elsewhere.

use std::time::Duration;

use super::options::Options;
use crate::board::Side;
use crate::protocol::Limits;

/// How long a search may take, counted from the arrival of its `go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Not worth beginning another iteration after this.
    pub soft: Duration,
    /// The answer must be out by then.
    pub hard: Duration,
}

/// Of the time that a clock's share allows, the part after which no new
/// iteration is begun: the next one takes longer than all before it.
const SOFT_PART: f64 = 0.6;

/// How many shares of the clock one move may take at most.
const HARD_SHARES: f64 = 2.5;

/// How many shares of the clock one move may take where the engine also thinks
/// in the opponent's time.
const PONDERING_SHARES: f64 = 1.25;

/// At most this part of the clock goes into one move, however few are left.
const MOST_OF_CLOCK: f64 = 0.5;

/// The part of a time limit by which an answer is aimed earlier still: a busy
/// system wakes a thread late, now and then by several milliseconds.
const WAKE_UP_PART: f64 = 0.03;

/// The most that [`WAKE_UP_PART`] takes.
const LONGEST_WAKE_UP: Duration = Duration::from_millis(10);

/// A budget is never longer: a hundred days, so that it can be added to any
/// instant.
const LONGEST: Duration = Duration::from_hours(100 * 24);

/// The time for one move of `side`, or `None` where the limits set none.
///
/// The option `Move Overhead` is kept back for the way to the other program: a
/// move of `T` ms uses at most `T − min(overhead, T/2)`; the answer is aimed at a
/// little before. `plies_left` is the most that the game can still last. With
/// the option `Ponder` a clock is spent faster, because the opponent's time
/// counts as well.
pub fn budget(limits: &Limits, side: Side, plies_left: u32, options: &Options) -> Option<Budget> {
    if limits.infinite {
        return None;
    }
    let overhead = options.move_overhead;
    let (clock, increment) = match side {
        Side::First => (limits.wtime, limits.winc),
        Side::Second => (limits.btime, limits.binc),
    };
    let by_clock = clock.map(|clock| {
        let left = usable(milliseconds(clock), overhead);
        let moves = limits
            .movestogo
            .unwrap_or(u32::MAX)
            .min(plies_left.div_ceil(2))
            .max(1);
        let mut share = clock_share(left, milliseconds(increment.unwrap_or(0)), moves);
        if options.ponder {
            share = share.mul_f64(PONDERING_SHARES).min(left);
        }
        Budget {
            soft: share.mul_f64(SOFT_PART),
            hard: share.mul_f64(HARD_SHARES).min(most_of(left, moves)),
        }
    });
    let by_move = limits.movetime.map(|time| {
        let time = usable(milliseconds(time), overhead);
        Budget {
            soft: time,
            hard: time,
        }
    });
    match (by_clock, by_move) {
        (Some(one), Some(other)) => Some(Budget {
            soft: one.soft.min(other.soft),
            hard: one.hard.min(other.hard),
        }),
        (one, other) => one.or(other),
    }
}

/// What of the clock belongs to this move when `moves` are still to be made.
fn clock_share(left: Duration, increment: Duration, moves: u32) -> Duration {
    (left / moves).saturating_add(increment).min(left)
}

/// The most that one move may take from a clock: all of it for the last move
/// before the clock is filled again or the game ends.
fn most_of(left: Duration, moves: u32) -> Duration {
    if moves == 1 {
        left
    } else {
        left.mul_f64(MOST_OF_CLOCK)
    }
}

/// Negative times count as none, absurdly long ones as [`LONGEST`].
fn milliseconds(time: i64) -> Duration {
    Duration::from_millis(time.max(0) as u64).min(LONGEST)
}

/// What a time limit leaves for thinking.
fn usable(time: Duration, overhead: Duration) -> Duration {
    let wake_up = time.mul_f64(WAKE_UP_PART).min(LONGEST_WAKE_UP);
    time.saturating_sub(overhead.min(time / 2))
        .saturating_sub(wake_up)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    /// The budget of a side with 64 plies left.
    fn budget_of(limits: &Limits, side: Side) -> Option<Budget> {
        let options = Options {
            move_overhead: OVERHEAD,
            ..Options::default()
        };
        budget(limits, side, 64, &options)
    }

    fn clock(wtime: i64, winc: i64, movestogo: Option<u32>) -> Budget {
        let limits = Limits {
            wtime: Some(wtime),
            winc: Some(winc),
            movestogo,
            ..Limits::default()
        };
        budget_of(&limits, Side::First).unwrap()
    }

    fn movetime(time: i64) -> Duration {
        let limits = Limits {
            movetime: Some(time),
            ..Limits::default()
        };
        budget_of(&limits, Side::Second).unwrap().hard
    }

    #[test]
    fn movetime_keeps_the_overhead_or_half_and_a_little_more() {
        assert_eq!(movetime(3000), Duration::from_millis(2980));
        assert_eq!(movetime(100), Duration::from_millis(87));
        assert_eq!(movetime(10), Duration::from_micros(4700));
        assert_eq!(movetime(1), Duration::from_micros(470));
        assert_eq!(movetime(0), Duration::ZERO);
        assert_eq!(movetime(-5), Duration::ZERO);
        assert!(movetime(i64::MAX) <= LONGEST);
    }

    #[test]
    fn a_clock_is_never_overdrawn() {
        for wtime in [i64::MIN, -1, 0, 1, 2, 19, 20, 21, 100, 5_000, i64::MAX] {
            for winc in [i64::MIN, 0, 1, 50, 10_000, i64::MAX] {
                for movestogo in [None, Some(1), Some(2), Some(u32::MAX)] {
                    let budget = clock(wtime, winc, movestogo);
                    let most = usable(milliseconds(wtime), OVERHEAD);
                    assert!(budget.hard <= most, "{wtime} {winc} {movestogo:?}: {budget:?}");
                    assert!(budget.soft <= most);
                }
            }
        }
    }

    #[test]
    fn a_clock_lasts_for_the_moves_that_are_left() {
        let budget = clock(32_020, 0, None);
        assert_eq!(budget.soft, Duration::from_millis(600));
        assert_eq!(budget.hard, Duration::from_millis(2500));
        assert_eq!(clock(1020, 0, Some(1)).hard, Duration::from_secs(1));
    }

    /// A whole game in which each move takes all that it may, and reaches the
    /// other program as late as the overhead allows.
    #[test]
    fn a_clock_lasts_for_a_whole_game() {
        for (start, increment, session) in [
            (0, 0, None),
            (1, 0, None),
            (50, 0, None),
            (1_000, 0, None),
            (60_000, 0, None),
            (100, 20, None),
            (10, 50, None),
            (1_000, 0, Some(40)),
            (100, 5, Some(5)),
            (1, 0, Some(1)),
        ] {
            let mut clock = start;
            for number in 0..500 {
                let limits = Limits {
                    wtime: Some(clock),
                    winc: Some(increment),
                    movestogo: session.map(|moves| moves - number % moves),
                    ..Limits::default()
                };
                let hard = budget_of(&limits, Side::First).unwrap().hard;
                clock -= hard.as_millis() as i64;
                assert!(clock >= 0, "move {number} of {start} + {increment}, {session:?}");
                clock += increment;
                if session.is_some_and(|moves| (number + 1) % moves == 0) {
                    clock += start;
                }
            }
        }
    }

    #[test]
    fn who_ponders_spends_a_clock_faster_but_never_more_than_there_is() {
        let pondering = Options {
            ponder: true,
            ..Options::default()
        };
        for wtime in [0, 1, 100, 10_000, i64::MAX] {
            let limits = Limits {
                wtime: Some(wtime),
                winc: Some(wtime),
                ..Limits::default()
            };
            let [usual, faster] = [Options::default(), pondering.clone()]
                .map(|options| budget(&limits, Side::First, 64, &options).unwrap());
            assert!(faster.soft >= usual.soft && faster.hard >= usual.hard);
            assert!(faster.hard <= usable(milliseconds(wtime), OVERHEAD));
        }
    }

    #[test]
    fn no_time_limit_no_budget() {
        let none = budget_of(&Limits::default(), Side::First);
        assert_eq!(none, None);
        let other_clock = Limits {
            btime: Some(1000),
            ..Limits::default()
        };
        assert_eq!(budget_of(&other_clock, Side::First), None);
        let infinite = Limits {
            infinite: true,
            movetime: Some(5),
            ..Limits::default()
        };
        assert_eq!(budget_of(&infinite, Side::First), None);
    }
}
