//! The games of a schedule by their ids.

mod ladder_rounds;

use std::collections::{HashMap, HashSet};

use lodestone_game::GameResult;

use super::knockout::Bracket;
use super::swiss::History;
use super::{Format, Schedule, ScheduledGame, Shard, pairings, swiss};
use crate::statistics::posterior::{Meetings, Prior};
pub use ladder_rounds::Pairings;

/// A round of a Swiss tournament or a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PairedRound {
    /// The pairings; `None` those of a ladder that are not known yet.
    pairings: Vec<Option<[usize; 2]>>,
    /// The player without an opponent.
    bye: Option<usize>,
    /// Whether all pairings are known.
    is_paired: bool,
}

/// The games of a schedule. A round of a Swiss tournament is paired when all results of the round before
/// are known, and a pairing of a knockout when both players are; the games of other formats are known at
/// once. A round of a ladder is paired by [`Calendar::pair_next`]. Of one that is read, the file says the
/// pairings, in lines of their own or in the records alone.
#[derive(Clone, Debug)]
pub struct Calendar {
    schedule: Schedule,
    /// Whether each player is unfit: its games are void.
    unfit: Vec<bool>,
    /// Whether each player is not in the last stage of a ladder; empty in other formats.
    left: Vec<bool>,
    /// The games of a ladder that were not played before the next stage began.
    unplayed: HashSet<u64>,
    /// The rounds of a Swiss tournament or a ladder.
    rounds: Vec<PairedRound>,
    /// The number of games in the rounds before the last of them, and in all of them.
    paired_games: [u64; 2],
    /// The number of games of the last round without a result.
    missing: u64,
    /// The results of a Swiss tournament or a knockout by game id; of a ladder, those of the last round.
    results: HashMap<u64, GameResult>,
    /// The games of the last round of a ladder that repeat other games move by move.
    repeats: HashSet<u64>,
    /// Whether the last round of a ladder that is over had a game that repeated no other, so that there is
    /// something to learn of new players; also before the first round.
    has_news: bool,
    /// The pairings of a knockout; `None` in other formats.
    bracket: Option<Bracket>,
    /// What is known of the players of a ladder up to the current stage beside the results.
    prior: Prior,
    /// The same before the last round was paired.
    prior_before: Prior,
    /// The games of a ladder before the last round.
    meetings: Meetings,
}

impl Calendar {
    /// The games of a schedule without results. The games of players that are `unfit` are
    /// void; the ids and openings of the others do not change.
    pub(crate) fn new(schedule: Schedule, unfit: Vec<bool>) -> Calendar {
        let bracket = schedule
            .format
            .properties()
            .has_bracket
            .then(|| Bracket::new(schedule.players, schedule.games, &unfit));
        let mut calendar = Calendar {
            left: left(&schedule),
            unplayed: unplayed(&schedule),
            missing: 0,
            prior: Prior::new(&[]),
            prior_before: Prior::new(&[]),
            meetings: Meetings::default(),
            schedule,
            bracket,
            unfit,
            rounds: Vec::new(),
            paired_games: [0; 2],
            results: HashMap::new(),
            repeats: HashSet::new(),
            has_news: true,
        };
        calendar.pair_rounds();
        calendar
    }

    /// Goes on with the schedule of a later run of the same ladder. The last round so far is paired anew if it
    /// was not begun and has other players now.
    ///
    /// # Errors
    /// The results belong to rounds with other players.
    pub(crate) fn go_on(&mut self, schedule: Schedule, unfit: Vec<bool>) -> Result<(), String> {
        let is_same = |&round: &u64| {
            let stages = [&self.schedule, &schedule].map(|schedule| schedule.stage(round));
            let [before, now] = stages.map(|stage| stage.map(|stage| &stage.players));
            before == now
        };
        let rounds = self.rounds.len();
        let kept = (0..rounds as u64).take_while(is_same).count();
        if kept < rounds {
            if kept + 1 < rounds || self.has_begun() {
                return Err(format!(
                    "other players than before in round {} of the ladder",
                    kept + 1
                ));
            }
            self.rounds.truncate(kept);
            self.prior.clone_from(&self.prior_before);
            let [before, _] = self.paired_games;
            self.paired_games = [before; 2];
        }
        self.left = left(&schedule);
        self.unplayed = unplayed(&schedule);
        (self.schedule, self.unfit) = (schedule, unfit);
        self.missing = self.count_missing();
        self.pair_rounds();
        Ok(())
    }

    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The game with this id; `None` if there is none, if its players are not known yet, or if it
    /// is not known to be needed.
    pub fn get(&self, id: u64) -> Option<ScheduledGame> {
        let game = self.schedule.unpaired(id)?;
        let seats = match self.schedule.format {
            Format::Swiss | Format::Ladder => {
                (*self.rounds.get(game.round)?.pairings.get(game.board as usize)?)?
            }
            Format::Knockout => self.bracket.as_ref()?.seats(game.round, game.board, game.game)?,
            Format::RoundRobin | Format::Gauntlet | Format::Pyramid => self.static_seats(game.board),
        };
        Some(game.between(seats))
    }

    /// Whether a player did not start, or has left a ladder.
    pub fn is_unfit(&self, player: usize) -> bool {
        self.unfit.get(player) == Some(&true) || self.has_left(player)
    }

    /// Whether a player is not in the last stage of a ladder.
    pub(crate) fn has_left(&self, player: usize) -> bool {
        self.left.get(player) == Some(&true)
    }

    /// Whether this game is not played, because one of its players is unfit. A Swiss
    /// tournament pairs only the others, so the last pairings of each round are void. In a
    /// knockout, games are void until they are needed; see [`Calendar::may_be_needed`].
    pub fn is_void(&self, id: u64) -> bool {
        if self.unplayed.contains(&id) {
            return true;
        }
        let game = self.schedule.unpaired(id);
        game.is_some_and(|game| match &self.bracket {
            Some(bracket) => !bracket.is_needed(game.round, game.board, game.game),
            None => self.is_void_pairing(game.board),
        })
    }

    /// Whether a void game may be needed after later results.
    pub fn may_be_needed(&self, id: u64) -> bool {
        let (Some(bracket), Some(game)) = (&self.bracket, self.schedule.unpaired(id)) else {
            return false;
        };
        bracket.may_be_needed(game.round, game.board)
    }

    /// The number of rounds that a player has passed in a knockout.
    pub(crate) fn rounds_passed(&self, player: usize) -> usize {
        self.bracket
            .as_ref()
            .map_or(0, |bracket| bracket.rounds_passed(player))
    }

    /// The number of void games in a shard.
    pub fn void_games(&self, shard: Shard) -> u64 {
        if let Some(bracket) = &self.bracket {
            return self.schedule.total().saturating_sub(bracket.needed());
        }
        if self.schedule.format.properties().has_stages {
            return self.unplayed.len() as u64;
        }
        if !self.unfit.contains(&true) {
            return 0;
        }
        let Schedule { games, rounds, .. } = self.schedule;
        let void = (0..self.schedule.pairings()).filter(|&board| self.is_void_pairing(board));
        void.fold(0, |sum: u64, board| {
            let games = if self.schedule.format.follows_results() {
                games.saturating_mul(rounds)
            } else {
                shard.games_of(&self.schedule, board)
            };
            sum.saturating_add(games)
        })
    }

    fn is_void_pairing(&self, board: u64) -> bool {
        let seats = match self.schedule.format {
            Format::Ladder => return false,
            Format::Swiss => {
                let unfit = self.unfit.iter().filter(|&&unfit| unfit).count();
                return board >= (self.schedule.players.saturating_sub(unfit) / 2) as u64;
            }
            Format::RoundRobin | Format::Gauntlet | Format::Pyramid | Format::Knockout => {
                self.static_seats(board)
            }
        };
        seats.into_iter().any(|player| self.is_unfit(player))
    }

    /// The players of a pairing that depends on no results.
    fn static_seats(&self, board: u64) -> [usize; 2] {
        match self.schedule.format {
            Format::Gauntlet => pairings::gauntlet(self.schedule.seeds, board),
            Format::Pyramid => pairings::pyramid(board),
            Format::RoundRobin | Format::Swiss | Format::Knockout | Format::Ladder => {
                pairings::round_robin(self.schedule.players, board)
            }
        }
    }

    /// Says that a game of the last round of a ladder repeats another game move by move. It then counts like one
    /// without a result in the ratings.
    pub(crate) fn add_repeat(&mut self, id: u64) {
        self.repeats.insert(id);
    }

    /// Adds a result. The last result of a round begins the next one.
    pub(crate) fn add_result(&mut self, id: u64, result: GameResult) {
        if let (Some(bracket), Some(game)) = (&mut self.bracket, self.schedule.unpaired(id)) {
            let [mut first, mut second] = swiss::half_points_of(result);
            if game.is_swapped {
                (first, second) = (second, first);
            }
            bracket.add(game.round, game.board, game.game, [first, second]);
        }
        if self.schedule.format.follows_results() && self.results.insert(id, result).is_none() {
            self.missing -= u64::from(self.is_in_last_round(id) && !self.is_void(id));
        }
        self.pair_rounds();
    }

    /// A number that grows whenever results may have paired more games.
    pub fn paired(&self) -> usize {
        if self.bracket.is_some() {
            return self.results.len();
        }
        self.rounds.len()
    }

    /// The number of games that count as won by a player because of byes, in the rounds
    /// paired so far; none in a ladder.
    pub fn bye_games(&self, player: usize) -> u64 {
        if self.schedule.format.properties().has_stages {
            return 0;
        }
        let rounds = self.rounds.iter().filter(|round| round.bye == Some(player));
        rounds.count() as u64 * self.schedule.games
    }

    /// Begins all rounds that the results allow, in a format of paired rounds; those of a ladder are not paired
    /// yet.
    fn pair_rounds(&mut self) {
        while self.missing == 0 {
            let number = self.rounds.len() as u64;
            let round = match self.schedule.format {
                Format::Swiss if number < self.schedule.rounds => {
                    let Some(round) = swiss::pair(&self.history(), self.rounds.len()) else {
                        return;
                    };
                    PairedRound::new(round.pairings, round.bye)
                }
                Format::Ladder if self.schedule.pairings_in(number) > 0 => {
                    self.end_round();
                    PairedRound {
                        pairings: vec![None; self.schedule.pairings_in(number) as usize],
                        bye: None,
                        is_paired: false,
                    }
                }
                // All rounds are paired, or none is.
                Format::Swiss
                | Format::Ladder
                | Format::RoundRobin
                | Format::Gauntlet
                | Format::Pyramid
                | Format::Knockout => return,
            };
            self.rounds.push(round);
            let [_, last] = self.paired_games;
            self.paired_games = [
                last,
                last + self.schedule.pairings_in(number) * self.schedule.games,
            ];
            self.missing = self.count_missing();
        }
    }

    /// Whether this game is of the last round so far.
    pub(crate) fn is_in_last_round(&self, id: u64) -> bool {
        let [before, last] = self.paired_games;
        (before + 1..=last).contains(&id)
    }

    /// Whether a game of the last round has a result.
    fn has_begun(&self) -> bool {
        let mut known = self.results.keys();
        known.any(|&id| self.is_in_last_round(id) && !self.is_void(id))
    }

    /// The number of games of the last round without a result.
    fn count_missing(&self) -> u64 {
        self.last_round()
            .filter(|id| !self.results.contains_key(id))
            .count() as u64
    }

    /// The first game of the last paired round without a result.
    pub(crate) fn first_missing(&self) -> Option<u64> {
        self.last_round().find(|id| !self.results.contains_key(id))
    }

    /// The number of games in the paired rounds, without those that were not played.
    pub(crate) fn paired_total(&self) -> u64 {
        self.paired_games[1].saturating_sub(self.void_games(Shard::WHOLE))
    }

    /// The games of the last paired round that are played.
    fn last_round(&self) -> impl Iterator<Item = u64> {
        let [before, last] = self.paired_games;
        (before + 1..=last).filter(|&id| !self.is_void(id))
    }

    /// The players and the results of those of these games that have one.
    fn played(&self, games: impl Iterator<Item = u64>) -> impl Iterator<Item = ([usize; 2], GameResult)> {
        games.filter_map(|id| Some((self.get(id)?.seats, *self.results.get(&id)?)))
    }

    /// The history of each player in the paired rounds.
    fn history(&self) -> Vec<History> {
        let mut histories = vec![History::default(); self.schedule.players];
        for (player, history) in histories.iter_mut().enumerate() {
            history.half_points = 2 * self.bye_games(player);
            history.had_bye = history.half_points > 0;
            history.is_unfit = self.is_unfit(player);
        }
        for (seats, result) in self.played(1..=self.paired_games[1]) {
            swiss::add_game(&mut histories, seats, result);
        }
        histories
    }
}

impl PairedRound {
    fn new(pairings: Vec<[usize; 2]>, bye: Option<usize>) -> PairedRound {
        PairedRound {
            pairings: pairings.into_iter().map(Some).collect(),
            bye,
            is_paired: true,
        }
    }
}

/// The games that end their stages of a ladder without a result.
fn unplayed(schedule: &Schedule) -> HashSet<u64> {
    let stages = schedule.stages.iter();
    stages.flat_map(|stage| &stage.unplayed).copied().collect()
}

/// Whether each player of a ladder is not in its last stage.
fn left(schedule: &Schedule) -> Vec<bool> {
    let Some(stage) = schedule.stages.last() else {
        return Vec::new();
    };
    let mut left = vec![true; schedule.players];
    for &player in &stage.players {
        if let Some(left) = left.get_mut(player) {
            *left = false;
        }
    }
    left
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::{HashMap, HashSet};

    use lodestone_game::board::Side;

    use super::*;

    pub(super) fn schedule(format: Format, players: usize, games: u64) -> Schedule {
        let rounds = if format == Format::Swiss { 3 } else { 1 };
        Schedule {
            format,
            players,
            games,
            rounds,
            ..Schedule::default()
        }
    }

    /// The games of a round robin.
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
    pub(super) fn by_number(seats: [usize; 2]) -> GameResult {
        GameResult::Win(if seats[0] < seats[1] {
            Side::First
        } else {
            Side::Second
        })
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

    /// The next round depends on it.
    #[test]
    fn a_bye_is_worth_as_much_as_a_won_pairing() {
        let mut calendar = Calendar::new(schedule(Format::Swiss, 7, 6), Vec::new());
        for id in 1..=18 {
            let seats = calendar.get(id).unwrap().seats;
            calendar.add_result(id, by_number(seats));
        }
        let histories = calendar.history();
        assert_eq!(histories[calendar.rounds[0].bye.unwrap()].half_points, 12);
        // Three won pairings, and the byes of two rounds, the second of which has been paired.
        let sum: u64 = histories.iter().map(|player| player.half_points).sum();
        assert_eq!(sum, 5 * 12);
    }
}
