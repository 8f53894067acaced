//! The games of a schedule by their ids.

use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::Schedule;
use super::ladder_rounds::LadderRounds;
use super::rounds::Rounds;

/// The games of a schedule, as far as the results tell: its [`Rounds`], by the ids of games.
#[derive(Debug)]
pub struct Calendar {
    schedule: Arc<Schedule>,
    /// Whether each player is unfit: its games are void.
    unfit: Vec<bool>,
    rounds: Box<dyn Rounds>,
}

impl Calendar {
    /// The games of a schedule without results. The games of players that are `unfit` are
    /// void; the ids and openings of the others do not change.
    pub(crate) fn new(schedule: Schedule, unfit: Vec<bool>) -> Calendar {
        let schedule = Arc::new(schedule);
        Calendar {
            rounds: (schedule.format.properties().begin)(Arc::clone(&schedule), unfit.clone()),
            schedule,
            unfit,
        }
    }

    /// Goes on with the schedule of a later run of the same match or ladder.
    pub(crate) fn go_on(&mut self, schedule: Schedule, unfit: Vec<bool>) -> Result<(), String> {
        (self.schedule, self.unfit) = (Arc::new(schedule), unfit);
        self.rounds.go_on(Arc::clone(&self.schedule), &self.unfit)
    }

    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The rounds of a ladder; `None` in other formats.
    pub fn ladder(&self) -> Option<&LadderRounds> {
        (&*self.rounds as &dyn Any).downcast_ref()
    }

    /// The same, to change it.
    pub fn ladder_mut(&mut self) -> Option<&mut LadderRounds> {
        (&mut *self.rounds as &mut dyn Any).downcast_mut()
    }

    /// Whether a player did not start, or has left a ladder.
    pub fn is_unfit(&self, player: usize) -> bool {
        let has_left = |ladder: &LadderRounds| ladder.has_left(player);
        self.unfit.get(player) == Some(&true) || self.ladder().is_some_and(has_left)
    }
}

impl Deref for Calendar {
    type Target = dyn Rounds;

    fn deref(&self) -> &Self::Target {
        &*self.rounds
    }
}

impl DerefMut for Calendar {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.rounds
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::{HashMap, HashSet};

    use lodestone_game::GameResult;
    use lodestone_game::board::Side;

    use super::super::{Format, ScheduledGame, Shard};
    use super::*;

    pub(crate) fn schedule(format: Format, players: usize, games: u64) -> Schedule {
        let rounds = if format == Format::Swiss { 3 } else { 1 };
        Schedule {
            format,
            players,
            games,
            rounds,
            ..Schedule::default()
        }
    }

    pub(crate) fn round_robin(players: usize, games: u64) -> Calendar {
        Calendar::new(schedule(Format::RoundRobin, players, games), Vec::new())
    }

    fn calendar(schedule: &Schedule) -> Vec<ScheduledGame> {
        let calendar = Calendar::new(schedule.clone(), Vec::new());
        (1..=schedule.total())
            .map(|id| calendar.get(id).unwrap())
            .collect()
    }

    /// Plays a tournament with these results.
    fn play(schedule: &Schedule, result: impl Fn([usize; 2]) -> GameResult) -> Calendar {
        let mut calendar = Calendar::new(schedule.clone(), Vec::new());
        for id in 1..=schedule.total() {
            let scheduled = calendar.get(id).unwrap();
            calendar.add_result(id, result(scheduled.seats));
        }
        calendar
    }

    /// The player with the smaller number wins.
    pub(crate) fn by_number(seats: [usize; 2]) -> GameResult {
        GameResult::Win(if seats[0] < seats[1] {
            Side::First
        } else {
            Side::Second
        })
    }

    #[test]
    fn a_later_run_with_more_rounds_keeps_the_results() {
        for format in [Format::RoundRobin, Format::Gauntlet, Format::Swiss] {
            let mut schedule = schedule(format, 4, 2);
            let mut calendar = play(&schedule, by_number);
            let (last, paired) = (schedule.total(), calendar.paired());
            schedule.rounds += 1;
            calendar.go_on(schedule.clone(), Vec::new()).unwrap();
            assert!(calendar.paired() >= paired, "{format}");
            assert!(
                schedule.total() > last && calendar.get(schedule.total()).is_some(),
                "{format}"
            );
        }
        let schedule = schedule(Format::Knockout, 2, 2);
        let mut calendar = Calendar::new(schedule.clone(), Vec::new());
        for id in 1..=2 {
            let seats = calendar.get(id).unwrap().seats;
            calendar.add_result(id, by_number(seats));
        }
        calendar.go_on(schedule, Vec::new()).unwrap();
        assert_eq!(calendar.rounds_passed(0), 1);
    }

    #[test]
    fn a_later_run_of_a_swiss_tournament_waits_for_no_void_game() {
        let schedule = schedule(Format::Swiss, 4, 2);
        let mut calendar = Calendar::new(schedule.clone(), Vec::new());
        for id in 1..=4 {
            if schedule.unpaired(id).unwrap().board == 0 {
                let seats = calendar.get(id).unwrap().seats;
                calendar.add_result(id, by_number(seats));
            }
        }
        assert_eq!(calendar.paired(), 1);
        calendar.go_on(schedule, vec![false, false, true, true]).unwrap();
        assert_eq!((calendar.paired(), calendar.first_missing()), (2, Some(5)));
    }

    #[test]
    fn a_pair_has_one_opening_and_swaps_the_colours() {
        for (format, players) in [
            (Format::RoundRobin, 2),
            (Format::RoundRobin, 5),
            (Format::Gauntlet, 4),
            (Format::Swiss, 7),
        ] {
            let schedule = schedule(format, players, 4);
            let calendar = play(&schedule, by_number);
            let mut pairs: HashMap<u64, Vec<ScheduledGame>> = HashMap::new();
            for id in 1..=schedule.total() {
                let scheduled = calendar.get(id).unwrap();
                assert_eq!(scheduled.id, id);
                pairs.entry(scheduled.pair).or_default().push(scheduled);
            }
            assert_eq!(pairs.len() as u64, schedule.total() / 2, "{format}");
            assert_eq!(
                pairs.keys().max(),
                Some(&(schedule.total() / 2)),
                "pairs are numbered without gaps"
            );
            for games in pairs.values() {
                let [one, other] = games.as_slice() else {
                    panic!("{games:?}");
                };
                assert_eq!((one.opening, one.round), (other.opening, other.round));
                assert_eq!([one.seats[1], one.seats[0]], other.seats);
            }
        }
    }

    #[test]
    fn counts_the_games_of_unfit_players() {
        for (format, players, unfit) in [
            (Format::RoundRobin, 5, &[1, 3][..]),
            (Format::Gauntlet, 5, &[2]),
            (Format::Gauntlet, 4, &[0]),
            (Format::Swiss, 7, &[0, 6]),
            (Format::Swiss, 6, &[]),
            (Format::Knockout, 6, &[2, 3]),
        ] {
            let schedule = schedule(format, players, 4);
            let is_unfit: Vec<bool> = (0..players).map(|player| unfit.contains(&player)).collect();
            let mut calendar = Calendar::new(schedule.clone(), is_unfit);
            let mut void = 0;
            for id in 1..=schedule.total() {
                if calendar.is_void(id) {
                    void += 1;
                } else {
                    let scheduled = calendar.get(id).unwrap();
                    calendar.add_result(id, by_number(scheduled.seats));
                    let plays_unfit = scheduled.seats.iter().any(|player| unfit.contains(player));
                    assert!(!plays_unfit, "{format}: {scheduled:?}");
                }
            }
            assert_eq!(calendar.void_games(Shard::WHOLE), void, "{format}");
            if !format.follows_results() {
                let shards = (0..3).map(|index| format!("{index}/3").parse().unwrap());
                let sum: u64 = shards.map(|shard| calendar.void_games(shard)).sum();
                assert_eq!(sum, void, "{format}");
            }
        }
    }

    #[test]
    fn more_games_do_not_change_the_earlier_ones() {
        for (format, players) in [
            (Format::RoundRobin, 2),
            (Format::RoundRobin, 4),
            (Format::Gauntlet, 3),
        ] {
            for games in 1..=5 {
                let few = calendar(&schedule(format, players, games));
                let more = calendar(&schedule(format, players, games + 1));
                assert_eq!(few, more[..few.len()], "{format}, {games} games");
            }
        }
    }

    #[test]
    fn no_pairing_repeats_an_opening() {
        for (format, players) in [(Format::RoundRobin, 4), (Format::Gauntlet, 4)] {
            let mut seen = HashSet::new();
            for ScheduledGame { seats, opening, .. } in calendar(&schedule(format, players, 6)) {
                assert!(seen.insert((seats, opening)), "{seats:?} {opening}");
                assert!((1..=3).contains(&opening));
            }
        }
    }

    #[test]
    fn there_are_no_games_outside_the_schedule() {
        let calendar = Calendar::new(schedule(Format::RoundRobin, 3, 2), Vec::new());
        assert_eq!(calendar.get(0), None);
        assert!(calendar.get(6).is_some());
        assert_eq!(calendar.get(7), None);
    }

    #[test]
    fn pairs_a_round_when_the_round_before_is_finished() {
        let schedule = schedule(Format::Swiss, 6, 2);
        let mut calendar = Calendar::new(schedule.clone(), Vec::new());
        for id in 1..=6 {
            assert_eq!(calendar.get(7), None, "before game {id}");
            let seats = calendar.get(id).unwrap().seats;
            calendar.add_result(id, by_number(seats));
        }
        assert!(calendar.get(12).is_some());
        assert_eq!(calendar.get(13), None);
    }

    #[test]
    fn pairings_do_not_depend_on_the_order_of_results() {
        let schedule = schedule(Format::Swiss, 9, 2);
        let calendar = play(&schedule, by_number);
        let mut other = Calendar::new(schedule.clone(), Vec::new());
        for round in 0..3 {
            for id in (1..=8).rev() {
                let id = round * 8 + id;
                let seats = other.get(id).unwrap().seats;
                other.add_result(id, by_number(seats));
            }
        }
        for id in 1..=schedule.total() {
            assert_eq!(calendar.get(id), other.get(id));
        }
    }

    #[test]
    fn a_knockout_has_the_same_ids_whatever_its_results() {
        for players in 2..=9 {
            let schedule = schedule(Format::Knockout, players, 2);
            let all_draws = |_: [usize; 2]| GameResult::Draw;
            for (result, games) in [
                (&by_number as &dyn Fn([usize; 2]) -> GameResult, 2),
                (&all_draws, 8),
            ] {
                let mut calendar = Calendar::new(schedule.clone(), Vec::new());
                let (mut played, mut keys) = (0, HashSet::new());
                for id in 1..=schedule.total() {
                    let Some(scheduled) = calendar.get(id) else {
                        assert!(calendar.is_void(id) && !calendar.may_be_needed(id));
                        continue;
                    };
                    assert!(!calendar.is_void(id));
                    assert!(keys.insert((scheduled.pair, scheduled.seats)));
                    played += 1;
                    calendar.add_result(id, result(scheduled.seats));
                }
                assert_eq!(played, (players as u64 - 1) * games, "{players} players");
                let void = calendar.void_games(Shard::WHOLE);
                assert_eq!(void + played, schedule.total());
                let rounds = players.next_power_of_two().trailing_zeros() as usize;
                assert_eq!(calendar.rounds_passed(0), rounds, "the higher seed wins");
            }
        }
    }

    #[test]
    fn a_bye_counts_as_won_games() {
        let schedule = schedule(Format::Swiss, 3, 2);
        let calendar = play(&schedule, by_number);
        let byes: Vec<u64> = (0..3).map(|player| calendar.bye_games(player)).collect();
        assert_eq!(byes, [2, 2, 2], "one bye of two games for each player");
    }
}
