//! The games of a schedule, each by its number.

use std::collections::HashMap;

use lodestone::game::GameResult;

use super::swiss::{Past, Round};
use super::{Fixture, Format, Schedule, pairings, swiss};

/// The games of a schedule. All of them are known at once, but for a Swiss
/// tournament, whose rounds are paired one after the other as results come in.
#[derive(Clone, Debug)]
pub struct Calendar {
    schedule: Schedule,
    /// The rounds of a Swiss tournament that are paired.
    rounds: Vec<Round>,
    /// The results of a Swiss tournament so far, by the game's number.
    results: HashMap<u64, GameResult>,
}

impl Calendar {
    /// The games before any has been played.
    #[must_use]
    pub fn new(schedule: Schedule) -> Calendar {
        let mut calendar = Calendar {
            schedule,
            rounds: Vec::new(),
            results: HashMap::new(),
        };
        if schedule.format == Format::Swiss {
            calendar.pair_rounds();
        }
        calendar
    }

    /// What decides the games.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The game with this number; `None` where there is none, or where its
    /// round is not paired yet.
    #[must_use]
    pub fn fixture(&self, id: u64) -> Option<Fixture> {
        let place = self.schedule.place(id)?;
        let seats = match self.schedule.format {
            Format::RoundRobin => pairings::round_robin(self.schedule.players, place.board),
            Format::Gauntlet => pairings::gauntlet(place.board),
            Format::Swiss => *self.rounds.get(place.round)?.boards.get(place.board as usize)?,
        };
        Some(place.between(seats))
    }

    /// Tells of a result. Pairs the next round of a Swiss tournament when it
    /// was the last of its round.
    pub fn enter(&mut self, id: u64, result: GameResult) {
        if self.schedule.format == Format::Swiss {
            self.results.insert(id, result);
            self.pair_rounds();
        }
    }

    /// How many games a player got for nothing, as if won, for want of an
    /// opponent: those of the rounds that are paired.
    #[must_use]
    pub fn games_off(&self, player: usize) -> u64 {
        let rounds = self.rounds.iter().filter(|round| round.bye == Some(player));
        rounds.count() as u64 * self.schedule.games
    }

    /// Pairs as many rounds as the results allow.
    fn pair_rounds(&mut self) {
        while (self.rounds.len() as u64) < self.schedule.rounds
            && let Some(past) = self.past()
        {
            let round = swiss::pair(&past, self.rounds.len());
            self.rounds.push(round);
        }
    }

    /// What has happened in all rounds that are paired; `None` where a game of
    /// them is still to be played.
    fn past(&self) -> Option<Vec<Past>> {
        let mut past = vec![Past::default(); self.schedule.players];
        for (player, past) in past.iter_mut().enumerate() {
            past.half_points = 2 * self.games_off(player);
            past.had_bye = past.half_points > 0;
        }
        let games = self.rounds.len() as u64 * self.schedule.boards() * self.schedule.games;
        for id in 1..=games {
            let (fixture, result) = (self.fixture(id)?, self.results.get(&id)?);
            swiss::remember(&mut past, fixture.seats, *result);
        }
        Some(past)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::{HashMap, HashSet};

    use lodestone::board::Side;

    use super::*;

    fn schedule(format: Format, players: usize, games: u64) -> Schedule {
        let rounds = if format == Format::Swiss { 3 } else { 1 };
        Schedule {
            format,
            players,
            games,
            rounds,
        }
    }

    /// The games of a round robin.
    pub(crate) fn round_robin(players: usize, games: u64) -> Calendar {
        Calendar::new(schedule(Format::RoundRobin, players, games))
    }

    fn fixtures(schedule: Schedule) -> Vec<Fixture> {
        let calendar = Calendar::new(schedule);
        (1..=schedule.total())
            .map(|id| calendar.fixture(id).unwrap())
            .collect()
    }

    /// Plays a Swiss tournament; `result` says how the game between two players
    /// ends.
    fn play(schedule: Schedule, result: impl Fn([usize; 2]) -> GameResult) -> Calendar {
        let mut calendar = Calendar::new(schedule);
        for id in 1..=schedule.total() {
            let fixture = calendar.fixture(id).unwrap();
            calendar.enter(id, result(fixture.seats));
        }
        calendar
    }

    /// The player with the smaller number wins.
    fn by_number(seats: [usize; 2]) -> GameResult {
        GameResult::Win(if seats[0] < seats[1] {
            Side::First
        } else {
            Side::Second
        })
    }

    #[test]
    fn a_pair_is_one_opening_with_colours_swapped() {
        for (format, players) in [
            (Format::RoundRobin, 2),
            (Format::RoundRobin, 5),
            (Format::Gauntlet, 4),
            (Format::Swiss, 7),
        ] {
            let schedule = schedule(format, players, 4);
            let calendar = play(schedule, by_number);
            let mut pairs: HashMap<u64, Vec<Fixture>> = HashMap::new();
            for id in 1..=schedule.total() {
                let fixture = calendar.fixture(id).unwrap();
                assert_eq!(fixture.id, id);
                pairs.entry(fixture.pair).or_default().push(fixture);
            }
            assert_eq!(pairs.len() as u64, schedule.total() / 2, "{format}");
            assert_eq!(
                pairs.keys().max(),
                Some(&(schedule.total() / 2)),
                "numbers without gaps"
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
    fn more_games_change_nothing_about_those_that_there_were() {
        for (format, players) in [
            (Format::RoundRobin, 2),
            (Format::RoundRobin, 4),
            (Format::Gauntlet, 3),
        ] {
            for games in 1..=5 {
                let few = fixtures(schedule(format, players, games));
                let more = fixtures(schedule(format, players, games + 1));
                assert_eq!(few, more[..few.len()], "{format}, {games} games");
            }
        }
    }

    #[test]
    fn no_pairing_sees_an_opening_twice() {
        for (format, players) in [(Format::RoundRobin, 4), (Format::Gauntlet, 4)] {
            let mut seen = HashSet::new();
            for Fixture { seats, opening, .. } in fixtures(schedule(format, players, 6)) {
                assert!(seen.insert((seats, opening)), "{seats:?} {opening}");
                assert!((1..=3).contains(&opening));
            }
        }
    }

    #[test]
    fn shards_share_the_pairs_among_them() {
        let fixtures = fixtures(schedule(Format::RoundRobin, 3, 5));
        let shards: Vec<super::super::Shard> = ["0/4", "1/4", "2/4", "3/4"]
            .map(|text| text.parse().unwrap())
            .into();
        for fixture in &fixtures {
            assert_eq!(shards.iter().filter(|shard| shard.has(fixture)).count(), 1);
            assert!(super::super::Shard::WHOLE.has(fixture));
        }
        for shard in &shards {
            let pairs: Vec<u64> = fixtures
                .iter()
                .filter(|fixture| shard.has(fixture))
                .map(|fixture| fixture.pair)
                .collect();
            assert!(!pairs.is_empty(), "{shard}");
        }
    }

    #[test]
    fn nothing_lies_outside_the_schedule() {
        let calendar = Calendar::new(schedule(Format::RoundRobin, 3, 2));
        assert_eq!(calendar.fixture(0), None);
        assert!(calendar.fixture(6).is_some());
        assert_eq!(calendar.fixture(7), None);
    }

    #[test]
    fn a_round_is_paired_when_the_last_is_over() {
        let schedule = schedule(Format::Swiss, 6, 2);
        let mut calendar = Calendar::new(schedule);
        for id in 1..=6 {
            assert_eq!(calendar.fixture(7), None, "before game {id}");
            let seats = calendar.fixture(id).unwrap().seats;
            calendar.enter(id, by_number(seats));
        }
        assert!(calendar.fixture(12).is_some());
        assert_eq!(calendar.fixture(13), None);
    }

    #[test]
    fn the_order_of_results_does_not_matter() {
        let schedule = schedule(Format::Swiss, 9, 2);
        let calendar = play(schedule, by_number);
        let mut other = Calendar::new(schedule);
        for round in 0..3 {
            for id in (1..=8).rev() {
                let id = round * 8 + id;
                let seats = other.fixture(id).unwrap().seats;
                other.enter(id, by_number(seats));
            }
        }
        for id in 1..=schedule.total() {
            assert_eq!(calendar.fixture(id), other.fixture(id));
        }
    }

    #[test]
    fn whoever_has_no_opponent_has_won() {
        let schedule = schedule(Format::Swiss, 3, 2);
        let calendar = play(schedule, by_number);
        let off: Vec<u64> = (0..3).map(|player| calendar.games_off(player)).collect();
        assert_eq!(off, [2, 2, 2], "three rounds, everybody once");
    }
}
