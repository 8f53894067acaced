//! The match for which a bot is checked: its limits, and what they mean for a single question.

use std::time::Duration;

use lodestone_game::protocol::Limits;
use referee_core::game::Game;
use referee_core::game::clock::{Control, TimeControl};
use referee_core::player::Turn;

use super::report::WHOLE_GAME;

/// The limits of the match for which a bot is checked.
///
/// Only some checks judge the time of an answer. The others ask for quick answers, so that a check takes seconds. They
/// accept a slow one as long as the match does: a bot that ignores a short time may still keep that of the match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    /// The limits of a player in the match.
    control: Control,
    /// Whether the user has set one of them. If not, they are the defaults of a match.
    are_set: bool,
    /// Whether the bot is a program made for people, which comes to a position only by its own games.
    is_adapted: bool,
}

impl Terms {
    /// Longest clock of a question whose time is not judged. A bot that uses its clock then thinks for a fraction of a second.
    const SHORT_CLOCK: Duration = Duration::from_secs(10);

    /// How long an answer is awaited in a match without a limit of time.
    const LONG: Duration = Duration::from_mins(1);

    /// How much longer than in the match an answer is awaited whose time is not judged.
    const EXTRA: Duration = Duration::from_secs(3);

    /// The match of a player with these limits, which the user has set or not.
    pub(crate) const fn new(control: Control, are_set: bool, is_adapted: bool) -> Terms {
        Terms {
            control,
            are_set,
            is_adapted,
        }
    }

    /// Whether the user has set a limit, which bots need not undercut.
    pub(crate) const fn are_set(&self) -> bool {
        self.are_set
    }

    /// Whether the bot comes to a position only by its own games.
    pub(super) const fn is_adapted(&self) -> bool {
        self.is_adapted
    }

    /// How late an answer may come.
    pub(super) const fn margin(&self) -> Duration {
        self.control.margin
    }

    /// The time of a move, if each one has its own.
    pub(super) const fn of_move(&self) -> Option<Duration> {
        self.control.time.of_move(false)
    }

    /// The limits of a question whose time is not judged, with this time if a bot has to be quick. A limit that the user
    /// has set is kept, but for a long clock.
    pub(super) fn question(&self, game: &Game, milliseconds: i64) -> Limits {
        let mut control = self.quick(Duration::from_millis(milliseconds.unsigned_abs()));
        let is_first = game.moves().len() < game.opening_plies() + 2;
        if let Some(time) = control.time.of_move(is_first) {
            control.time = TimeControl::Move(time);
        }
        Turn::apart(game, &control).limits
    }

    /// The limits of a game that is to be short: answers are quick if the bot follows them, and late only if they are
    /// late in the match as well.
    pub(super) fn quick(&self, least: Duration) -> Control {
        let mut quick = self.control.clone();
        match &mut quick.time {
            TimeControl::Move(each) | TimeControl::FirstMove { each, .. } if !self.are_set => {
                quick.margin += each.saturating_sub(least);
                quick.time = TimeControl::Move(least);
            }
            TimeControl::Clock { base, .. } => {
                let short = (*base).min(Terms::SHORT_CLOCK);
                quick.margin += base.saturating_sub(short);
                *base = short;
            }
            TimeControl::Move(_) | TimeControl::FirstMove { .. } | TimeControl::Unlimited => {}
        }
        quick
    }

    /// The limits of a game that is judged as in the match.
    pub(super) fn judged(&self, least: Duration) -> Control {
        if self.are_set {
            self.control.clone()
        } else {
            self.quick(least)
        }
    }

    /// How long an answer is awaited that is not judged by its time.
    pub(super) fn patience(&self) -> Duration {
        match self.control.time {
            TimeControl::Move(time) if !self.are_set => time,
            TimeControl::Move(time) => time + Terms::EXTRA,
            TimeControl::FirstMove { first, each } => first.max(each) + Terms::EXTRA,
            TimeControl::Clock { base, .. } => base + Terms::EXTRA,
            TimeControl::Unlimited => Terms::LONG,
        }
    }

    /// How long these checks, by their names, of `all` take a bot that uses its time up, about; `None` without a set limit
    /// of time.
    pub(crate) fn estimate(&self, selected: &[&str], all: usize) -> Option<Duration> {
        /// The moves of all checks but `whole-game`, those of a game of the bot, and the time of the rest.
        const MOVES: u32 = 60;
        const OF_GAME: u32 = 15;
        const REST: Duration = Duration::from_secs(25);
        if !self.are_set {
            return None;
        }
        let of_move = |time, increment| time / 20 + increment;
        let (question, games) = match self.control.time {
            TimeControl::Move(time) => (time, time * OF_GAME * 4),
            TimeControl::FirstMove { first, each } => (each, (first + each * OF_GAME) * 4),
            TimeControl::Clock { base, increment, .. } => {
                let short = base.min(Terms::SHORT_CLOCK);
                (
                    of_move(short, increment),
                    (base + short + increment * OF_GAME * 2) * 2,
                )
            }
            TimeControl::Unlimited => return None,
        };
        let is_game = |check: &&&str| **check == WHOLE_GAME;
        let games = selected.iter().find(is_game).map_or(Duration::ZERO, |_| games);
        let others = selected.iter().filter(|check| !is_game(check)).count() as u32;
        Some((question * MOVES + REST) * others / (all as u32 - 1) + games)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_awaited_as_long_as_the_longest_move_of_the_match() {
        let [short, long] = [1, 9].map(Duration::from_secs);
        for (first, each) in [(long, short), (short, long)] {
            let control = Control {
                time: TimeControl::FirstMove { first, each },
                ..Control::default()
            };
            let terms = Terms::new(control, true, false);
            assert_eq!(terms.patience(), long + Terms::EXTRA);
        }
        for (are_set, patience) in [(true, long + Terms::EXTRA), (false, long)] {
            let control = Control {
                time: TimeControl::Move(long),
                ..Control::default()
            };
            assert_eq!(Terms::new(control, are_set, false).patience(), patience);
        }
    }

    #[test]
    fn the_time_of_the_checks_is_estimated_from_a_set_limit() {
        let second = Duration::from_secs(1);
        let first = TimeControl::FirstMove {
            first: 9 * second,
            each: 2 * second,
        };
        let clock: TimeControl = "100+1".parse().unwrap();
        // All checks but the game have 60 moves and 25 s, and that has four games of 15 moves.
        for (time, checks, seconds) in [
            (
                TimeControl::Move(3 * second),
                &["fen", "stop"][..],
                Some(180 + 25),
            ),
            (
                TimeControl::Move(3 * second),
                &["fen", "stop", WHOLE_GAME],
                Some(180 + 25 + 180),
            ),
            (first, &[WHOLE_GAME], Some(36 + 120)),
            // A move of the short clock of 10 s takes 1.5 s; one check of two has half of the moves.
            (clock, &["fen"], Some(115 / 2)),
            (clock, &[WHOLE_GAME], Some((100 + 10 + 30) * 2)),
            (TimeControl::Unlimited, &["fen"], None),
        ] {
            let control = Control {
                time,
                ..Control::default()
            };
            let [set, unset] = [true, false].map(|are_set| {
                let terms = Terms::new(control.clone(), are_set, false);
                terms.estimate(checks, 3).map(|estimate| estimate.as_secs())
            });
            assert_eq!((set, unset), (seconds, None), "{time:?} {checks:?}");
        }
    }

    #[test]
    fn quick_questions_have_a_short_clock() {
        let control = Control {
            time: "100+1".parse().unwrap(),
            ..Control::default()
        };
        let quick = Terms::new(control, true, false).quick(Duration::ZERO);
        assert_eq!(quick.time, "10+1".parse().unwrap());
    }
}
