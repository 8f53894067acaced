//! Time management: limits in, a time budget out. Pure: reads no clock.

use std::time::Duration;

use crate::board::Side;
use crate::protocol::Limits;

/// The options that decide how much time is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOptions {
    /// Time per move that is reserved for communication.
    pub overhead: Duration,
    /// Whether the client lets the engine think in the opponent's time.
    pub ponder: bool,
}

impl Default for TimeOptions {
    fn default() -> TimeOptions {
        TimeOptions {
            overhead: Duration::from_millis(10),
            ponder: false,
        }
    }
}

/// The time of a search, counted from the arrival of its `go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub struct Budget {
    /// No new iteration starts after this.
    pub soft: Duration,
    /// The answer must be written by then.
    pub hard: Duration,
}

/// The soft limit as a part of a move's share of the clock. The next iteration usually
/// takes longer than all iterations before it.
const SOFT_PART: f64 = 0.6;

/// The hard limit in shares of the clock.
const HARD_SHARES: f64 = 2.5;

/// The factor on a move's share with the option `Ponder`, because the opponent's time is
/// search time as well.
const PONDER_FACTOR: f64 = 1.25;

/// Upper bound of one move's part of the clock, unless it is the last move before the next
/// time control.
const MAX_CLOCK_PART: f64 = 0.5;

/// The part of a time limit that is reserved because a busy system wakes a thread late,
/// sometimes by several milliseconds.
const WAKE_UP_PART: f64 = 0.03;

/// Upper bound of the time that [`WAKE_UP_PART`] reserves.
const MAX_WAKE_UP: Duration = Duration::from_millis(10);

/// Upper bound of a budget, 100 days: can be added to any instant without overflow.
const MAX_BUDGET: Duration = Duration::from_hours(100 * 24);

/// The time for one move of `side`; `None` without a time limit.
///
/// A move of `T` ms takes at most `T − min(overhead, T/2)`, where `overhead` is the option
/// `Move Overhead`, less a small reserve for a late wake-up. `plies` are those for
/// which a clock must last. With the option `Ponder` a clock is spent faster. The
/// opponent's clock counts if there is no clock of `side`.
pub fn budget(limits: &Limits, side: Side, plies: u32, options: TimeOptions) -> Option<Budget> {
    if limits.infinite {
        return None;
    }
    let overhead = options.overhead;
    let clocks = [(limits.wtime, limits.winc), (limits.btime, limits.binc)];
    let (own, other) = match side {
        Side::First => (clocks[0], clocks[1]),
        Side::Second => (clocks[1], clocks[0]),
    };
    let (clock, increment) = if own.0.is_some() { own } else { other };
    let by_clock = clock.map(|clock| {
        let left = usable(milliseconds(clock), overhead);
        let moves = limits.movestogo.unwrap_or(u32::MAX).min(plies.div_ceil(2)).max(1);
        let mut share = clock_share(left, milliseconds(increment.unwrap_or(0)), moves);
        if options.ponder {
            share = share.mul_f64(PONDER_FACTOR).min(left);
        }
        Budget {
            soft: share.mul_f64(SOFT_PART),
            hard: share.mul_f64(HARD_SHARES).min(max_of_clock(left, moves)),
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

/// The share of this move in a clock that must last for `moves` moves.
fn clock_share(left: Duration, increment: Duration, moves: u32) -> Duration {
    (left / moves).saturating_add(increment).min(left)
}

/// Upper bound of the time for one move: the whole clock for the last move before the next
/// time control or the end of the game.
fn max_of_clock(left: Duration, moves: u32) -> Duration {
    if moves == 1 {
        left
    } else {
        left.mul_f64(MAX_CLOCK_PART)
    }
}

/// A time from 0 to [`MAX_BUDGET`].
fn milliseconds(time: i64) -> Duration {
    Duration::from_millis(time.max(0) as u64).min(MAX_BUDGET)
}

/// The search time in a time limit: less overhead and wake-up reserve.
fn usable(time: Duration, overhead: Duration) -> Duration {
    let wake_up = time.mul_f64(WAKE_UP_PART).min(MAX_WAKE_UP);
    time.saturating_sub(overhead.min(time / 2))
        .saturating_sub(wake_up)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    /// The budget if the clock must last for 64 plies.
    fn budget_of(limits: &Limits, side: Side) -> Option<Budget> {
        let options = TimeOptions {
            overhead: OVERHEAD,
            ..TimeOptions::default()
        };
        budget(limits, side, 64, options)
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
    fn movetime_keeps_overhead_and_wake_up_reserve() {
        assert_eq!(movetime(3000), Duration::from_millis(2980));
        assert_eq!(movetime(100), Duration::from_millis(87));
        assert_eq!(movetime(10), Duration::from_micros(4700));
        assert_eq!(movetime(1), Duration::from_micros(470));
        assert_eq!(movetime(0), Duration::ZERO);
        assert_eq!(movetime(-5), Duration::ZERO);
        assert!(movetime(i64::MAX) <= MAX_BUDGET);
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

    /// In this game each move takes its whole budget and overhead.
    #[test]
    fn a_clock_lasts_for_a_whole_game() {
        for (start, increment, time_control) in [
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
                    movestogo: time_control.map(|moves| moves - number % moves),
                    ..Limits::default()
                };
                let hard = budget_of(&limits, Side::First).unwrap().hard;
                clock -= hard.as_millis() as i64;
                assert!(
                    clock >= 0,
                    "move {number} of {start} + {increment}, {time_control:?}"
                );
                clock += increment;
                if time_control.is_some_and(|moves| (number + 1) % moves == 0) {
                    clock += start;
                }
            }
        }
    }

    #[test]
    fn pondering_spends_a_clock_faster_without_overdraft() {
        let pondering = TimeOptions {
            ponder: true,
            ..TimeOptions::default()
        };
        for wtime in [0, 1, 100, 10_000, i64::MAX] {
            let limits = Limits {
                wtime: Some(wtime),
                winc: Some(wtime),
                ..Limits::default()
            };
            let [normal, faster] = [TimeOptions::default(), pondering]
                .map(|options| budget(&limits, Side::First, 64, options).unwrap());
            assert!(faster.soft >= normal.soft && faster.hard >= normal.hard);
            assert!(faster.hard <= usable(milliseconds(wtime), OVERHEAD));
        }
    }

    #[test]
    fn the_opponents_clock_counts_if_it_is_the_only_one() {
        let only = |wtime, btime| Limits {
            wtime,
            winc: Some(5),
            btime,
            binc: Some(7),
            ..Limits::default()
        };
        let [first, second] = [only(Some(1000), None), only(None, Some(1000))];
        for limits in [&first, &second] {
            let budget = budget_of(limits, Side::First);
            assert!(budget.is_some());
            assert_eq!(budget, budget_of(limits, Side::Second));
        }
        assert!(budget_of(&first, Side::First) < budget_of(&second, Side::First));
        let both = only(Some(1000), Some(500));
        assert!(budget_of(&both, Side::Second) < budget_of(&both, Side::First));
    }

    #[test]
    fn no_budget_without_a_time_limit() {
        let none = budget_of(&Limits::default(), Side::First);
        assert_eq!(none, None);
        let infinite = Limits {
            infinite: true,
            movetime: Some(5),
            ..Limits::default()
        };
        assert_eq!(budget_of(&infinite, Side::First), None);
    }
}
