//! The games of a schedule by their ids.

use std::collections::HashMap;

use lodestone::game::GameResult;
use serde::{Deserialize, Serialize};

use super::knockout::Bracket;
use super::ladder::Stage;
use super::swiss::{History, Round};
use super::{Fixture, Format, Schedule, Shard, ladder, pairings, swiss};
use crate::statistics::posterior::{self, Meetings, Posterior, Prior};

/// The pairings of a round of a ladder, which a result file has before its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pairings {
    /// The number of the round, from 1.
    pub round: u64,
    /// The numbers of the players of each pairing, from 0; the first moves first in the first game.
    pub boards: Vec<[usize; 2]>,
    /// The player without an opponent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bye: Option<usize>,
    /// The standard deviation of new players, in Elo, with which ratings after this pairing are computed.
    pub deviation: f64,
}

/// A round of a Swiss tournament or a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PairedRound {
    /// The pairings; `None` those of a ladder that are not known yet.
    boards: Vec<Option<[usize; 2]>>,
    /// The player without an opponent.
    bye: Option<usize>,
    /// Whether all pairings are known.
    is_paired: bool,
}

/// The games of a schedule. A round of a Swiss tournament is paired when all results of the round before
/// are known, and a pairing of a knockout when both players are; the games of other formats are known at
/// once. A round of a ladder is paired by [`Fixtures::pair_next`]. Of one that is read, the file says the
/// pairings, in lines of their own or in the records alone.
#[derive(Clone, Debug)]
pub(crate) struct Fixtures {
    schedule: Schedule,
    /// Whether each player is unfit: its games are void.
    unfit: Vec<bool>,
    /// Whether each player is not in the last stage of a ladder; empty in other formats.
    left: Vec<bool>,
    /// The rounds of a Swiss tournament or a ladder.
    rounds: Vec<PairedRound>,
    /// The number of games in the rounds before the last of them, and in all of them.
    paired_games: [u64; 2],
    /// The number of games of the last round without a result.
    missing: u64,
    /// The results of a Swiss tournament or a knockout by game id; of a ladder, those of the last round.
    results: HashMap<u64, GameResult>,
    /// The pairings of a knockout; `None` in other formats.
    bracket: Option<Bracket>,
    /// What is known of the players of a ladder up to the current stage beside the results.
    prior: Prior,
    /// The same before the last round was paired.
    prior_before: Prior,
    /// The games of a ladder before the last round.
    meetings: Meetings,
}

impl Fixtures {
    /// The games of a schedule without results. The games of players that are `unfit` are
    /// void; the ids and openings of the others do not change.
    pub(crate) fn new(schedule: Schedule, unfit: Vec<bool>) -> Fixtures {
        let bracket = (schedule.format == Format::Knockout)
            .then(|| Bracket::new(schedule.players, schedule.games, &unfit));
        let mut fixtures = Fixtures {
            left: left(&schedule),
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
        };
        fixtures.pair_rounds();
        fixtures
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
        (self.schedule, self.unfit) = (schedule, unfit);
        self.missing = self.count_missing();
        self.pair_rounds();
        Ok(())
    }

    pub(crate) const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The game with this id; `None` if there is none, if its players are not known yet, or if it
    /// is not known to be needed.
    pub(crate) fn get(&self, id: u64) -> Option<Fixture> {
        let game = self.schedule.unpaired(id)?;
        let seats = match self.schedule.format {
            Format::Swiss | Format::Ladder => {
                (*self.rounds.get(game.round)?.boards.get(game.board as usize)?)?
            }
            Format::Knockout => self.bracket.as_ref()?.seats(game.round, game.board, game.game)?,
            _ => self.static_seats(game.board),
        };
        Some(game.between(seats))
    }

    /// Whether a player did not start, or has left a ladder.
    pub(crate) fn is_unfit(&self, player: usize) -> bool {
        self.unfit.get(player) == Some(&true) || self.has_left(player)
    }

    /// Whether a player is not in the last stage of a ladder.
    pub(crate) fn has_left(&self, player: usize) -> bool {
        self.left.get(player) == Some(&true)
    }

    /// Whether this game is not played, because one of its players is unfit. A Swiss
    /// tournament pairs only the others, so the last boards of each round are void. In a
    /// knockout, games are void until they are needed; see [`Fixtures::may_be_needed`].
    pub(crate) fn is_void(&self, id: u64) -> bool {
        let mut stages = self.schedule.stages.iter();
        if stages.any(|stage| stage.unplayed.contains(&id)) {
            return true;
        }
        let game = self.schedule.unpaired(id);
        game.is_some_and(|game| match &self.bracket {
            Some(bracket) => !bracket.is_needed(game.round, game.board, game.game),
            None => self.is_void_board(game.board),
        })
    }

    /// Whether a void game may be needed after later results.
    pub(crate) fn may_be_needed(&self, id: u64) -> bool {
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
    pub(crate) fn void_games(&self, shard: Shard) -> u64 {
        if let Some(bracket) = &self.bracket {
            return self.schedule.total().saturating_sub(bracket.needed());
        }
        if self.schedule.format == Format::Ladder {
            let unplayed = self
                .schedule
                .stages
                .iter()
                .map(|stage| stage.unplayed.len() as u64);
            return unplayed.sum();
        }
        if !self.unfit.contains(&true) {
            return 0;
        }
        let Schedule { games, rounds, .. } = self.schedule;
        let void = (0..self.schedule.boards()).filter(|&board| self.is_void_board(board));
        void.fold(0, |sum: u64, board| {
            let games = match self.schedule.format {
                Format::Swiss => games.saturating_mul(rounds),
                _ => shard.games_of(&self.schedule, board),
            };
            sum.saturating_add(games)
        })
    }

    fn is_void_board(&self, board: u64) -> bool {
        let seats = match self.schedule.format {
            Format::Ladder => return false,
            Format::Swiss => {
                let unfit = self.unfit.iter().filter(|&&unfit| unfit).count();
                return board >= (self.schedule.players.saturating_sub(unfit) / 2) as u64;
            }
            _ => self.static_seats(board),
        };
        seats.into_iter().any(|player| self.is_unfit(player))
    }

    /// The players of a pairing that depends on no results.
    fn static_seats(&self, board: u64) -> [usize; 2] {
        match self.schedule.format {
            Format::Gauntlet => pairings::gauntlet(self.schedule.seeds, board),
            Format::Pyramid => pairings::pyramid(board),
            _ => pairings::round_robin(self.schedule.players, board),
        }
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

    /// Takes the pairings of the last round of a ladder from its file. They are ignored where they do not fit:
    /// the records decide.
    pub(crate) fn take(&mut self, pairings: &Pairings) {
        let number = self.rounds.len() as u64;
        let (Some(stage), Some(round)) = (self.schedule.stage(number.wrapping_sub(1)), self.rounds.last())
        else {
            return;
        };
        let playing = pairings.boards.iter().flatten().chain(&pairings.bye);
        let mut playing: Vec<usize> = playing.copied().collect();
        let mut expected = stage.players.clone();
        playing.sort_unstable();
        expected.sort_unstable();
        let has_begun = self.has_begun();
        let same =
            |(known, board): (&Option<[usize; 2]>, &[usize; 2])| known.is_none_or(|known| known == *board);
        let fits = pairings.round == number
            && playing == expected
            && pairings.boards.len() == round.boards.len()
            && (!has_begun || !round.is_paired && round.boards.iter().zip(&pairings.boards).all(same));
        if !fits {
            return;
        }
        self.know_all_of(&expected);
        self.prior.set_deviation(pairings.deviation);
        if let Some(round) = self.rounds.last_mut() {
            *round = PairedRound::new(pairings.boards.clone(), pairings.bye);
        }
    }

    /// Takes the players of a game of the last round of a ladder from its record, if its pairing is not known.
    /// `is_player` says whether a player is the first one of the record, and the second one.
    pub(crate) fn seat(&mut self, id: u64, is_player: impl Fn(usize) -> [bool; 2]) {
        let Some(game) = self.schedule.unpaired(id) else {
            return;
        };
        let Some(stage) = self
            .schedule
            .stage(game.round as u64)
            .filter(|_| self.is_in_last_round(id))
        else {
            return;
        };
        let mut seats = [None; 2];
        for &player in &stage.players {
            for (seat, _) in seats
                .iter_mut()
                .zip(is_player(player))
                .filter(|(_, is_player)| *is_player)
            {
                *seat = Some(player);
            }
        }
        let (Some(round), [Some(first), Some(second)]) = (self.rounds.last_mut(), seats) else {
            return;
        };
        let seated = |player: usize| round.boards.iter().flatten().any(|board| board.contains(&player));
        if first == second || seated(first) || seated(second) {
            return;
        }
        if let Some(board @ None) = round.boards.get_mut(game.board as usize) {
            *board = Some(if game.is_swapped {
                [second, first]
            } else {
                [first, second]
            });
            self.know_all_of(&[first, second]);
        }
    }

    /// Pairs the last round of a ladder, if it is not paired yet. Pairings that are known from records stay.
    /// `None` if there is nothing to pair, or after a signal.
    pub(crate) fn pair_next(&mut self) -> Option<Pairings> {
        let number = self.rounds.len() as u64;
        let players = self.schedule.stage(number.checked_sub(1)?)?.players.clone();
        let known = &self.rounds.last().filter(|round| !round.is_paired)?.boards;
        let begun: Vec<(usize, [usize; 2])> = (known.iter().enumerate())
            .filter_map(|(place, board)| Some((place, (*board)?)))
            .collect();
        self.know_all_of(&players);
        let Round { mut boards, mut bye } = ladder::pair(&mut self.prior, &self.meetings, &players)?;
        for (place, seats) in begun {
            for (seat, player) in seats.into_iter().enumerate() {
                let other = boards[place][seat];
                for cell in boards.iter_mut().flatten().chain(&mut bye) {
                    if *cell == player {
                        *cell = other;
                    }
                }
                boards[place][seat] = player;
            }
        }
        let deviation = self.prior.deviation();
        *self.rounds.last_mut()? = PairedRound::new(boards.clone(), bye);
        Some(Pairings {
            round: number,
            boards,
            bye,
            deviation,
        })
    }

    /// A number that grows whenever results may have paired more games.
    pub(crate) fn paired(&self) -> usize {
        match self.schedule.format {
            Format::Knockout => self.results.len(),
            _ => self.rounds.len(),
        }
    }

    /// The number of games that count as won by a player because of byes, in the rounds
    /// paired so far; none in a ladder.
    pub(crate) fn bye_games(&self, player: usize) -> u64 {
        if self.schedule.format == Format::Ladder {
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
                    PairedRound::new(round.boards, round.bye)
                }
                Format::Ladder if self.schedule.boards_in(number) > 0 => {
                    self.end_round();
                    PairedRound {
                        boards: vec![None; self.schedule.boards_in(number) as usize],
                        bye: None,
                        is_paired: false,
                    }
                }
                _ => return,
            };
            self.rounds.push(round);
            let [_, last] = self.paired_games;
            self.paired_games = [last, last + self.schedule.boards_in(number) * self.schedule.games];
            self.missing = self.count_missing();
        }
    }

    /// Takes the results of the last round of a ladder as those of earlier games.
    fn end_round(&mut self) {
        let number = self.rounds.len();
        let games: Vec<_> = self.played(self.last_round()).collect();
        for (seats, result) in games {
            self.meetings.add(seats, swiss::half_points_of(result));
        }
        self.results.clear();
        // The file of an earlier version does not have what was learnt. It changes less and less.
        let is_paired = self.rounds.last().is_none_or(|round| round.is_paired);
        if !is_paired && number.is_multiple_of(1 + number / 8) {
            let players = self
                .rounds
                .last()
                .map(|round| round.boards.iter().flatten().flatten());
            let players: Vec<usize> = players.into_iter().flatten().copied().collect();
            let elos = posterior::ratings(&self.prior, &self.meetings);
            let groups: Vec<_> = players.iter().map(|&player| vec![player]).collect();
            let posterior = Posterior::new(&self.prior, &self.meetings, elos, &groups, None);
            self.prior.learn(&posterior, &players);
        }
        self.prior_before.clone_from(&self.prior);
    }

    /// Makes the players of a ladder known up to the last of these. Those who come later must not change earlier
    /// pairings, not even by rounding.
    fn know_all_of(&mut self, players: &[usize]) {
        let known = self.prior.players();
        let players = known.max(players.iter().max().map_or(0, |last| last + 1));
        let more = self.schedule.predecessors.get(known..players);
        self.prior.extend(more.unwrap_or_default());
        self.meetings.extend(players);
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

    /// All players of a ladder, with the results so far.
    fn all_players(&self) -> (Prior, Meetings) {
        let (mut prior, mut meetings) = (self.prior.clone(), self.all_meetings());
        prior.extend(&self.schedule.predecessors[prior.players()..]);
        meetings.extend(self.schedule.players);
        (prior, meetings)
    }

    /// The ratings of a ladder after the results so far, in Elo.
    pub(crate) fn ratings(&self) -> Vec<f64> {
        let (prior, meetings) = self.all_players();
        let mut elos = posterior::ratings(&prior, &meetings);
        if let Some(&zero) = self.schedule.anchor.and_then(|anchor| elos.get(anchor)) {
            for elo in &mut elos {
                *elo -= zero;
            }
        }
        elos
    }

    /// The same with the covariances of the players of each of these groups.
    pub(crate) fn posterior(&self, groups: &[Vec<usize>]) -> Posterior {
        let (prior, meetings) = self.all_players();
        let elos = posterior::ratings(&prior, &meetings);
        Posterior::new(&prior, &meetings, elos, groups, self.schedule.anchor)
    }

    /// The games of all paired rounds so far.
    fn all_meetings(&self) -> Meetings {
        let mut meetings = self.meetings.clone();
        for (seats, result) in self.played(self.last_round()) {
            meetings.add(seats, swiss::half_points_of(result));
        }
        meetings
    }

    /// The stages of a ladder, of which the last one ends here: the number of its rounds so far, and the
    /// games of the last of them without a result.
    pub(crate) fn closed_stages(&self) -> Vec<Stage> {
        let mut stages = self.schedule.stages.clone();
        let before: u64 = stages.iter().filter_map(|stage| stage.rounds).sum();
        if let Some(last) = stages.last_mut().filter(|last| last.rounds.is_none()) {
            let mut rounds = (self.rounds.len() as u64).saturating_sub(before);
            last.unplayed = self
                .last_round()
                .filter(|id| !self.results.contains_key(id))
                .collect();
            if last.unplayed.len() == self.last_round().count() {
                last.unplayed.clear();
                rounds = rounds.saturating_sub(1);
            }
            last.rounds = Some(rounds);
        }
        stages.retain(|stage| stage.rounds != Some(0));
        stages
    }

    /// Whether the rounds of all stages of a ladder but the last are paired.
    pub(crate) fn has_all_closed_stages(&self) -> bool {
        let [stages @ .., _] = &*self.schedule.stages else {
            return true;
        };
        let rounds: u64 = stages.iter().filter_map(|stage| stage.rounds).sum();
        self.rounds.len() as u64 >= rounds
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
    fn new(boards: Vec<[usize; 2]>, bye: Option<usize>) -> PairedRound {
        PairedRound {
            boards: boards.into_iter().map(Some).collect(),
            bye,
            is_paired: true,
        }
    }
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

    use lodestone::board::Side;

    use super::*;

    fn schedule(format: Format, players: usize, games: u64) -> Schedule {
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
    pub(crate) fn round_robin(players: usize, games: u64) -> Fixtures {
        Fixtures::new(schedule(Format::RoundRobin, players, games), Vec::new())
    }

    fn fixtures(schedule: &Schedule) -> Vec<Fixture> {
        let fixtures = Fixtures::new(schedule.clone(), Vec::new());
        (1..=schedule.total())
            .map(|id| fixtures.get(id).unwrap())
            .collect()
    }

    /// Plays a tournament with these results.
    fn play(schedule: &Schedule, result: impl Fn([usize; 2]) -> GameResult) -> Fixtures {
        let mut fixtures = Fixtures::new(schedule.clone(), Vec::new());
        for id in 1..=schedule.total() {
            let fixture = fixtures.get(id).unwrap();
            fixtures.add_result(id, result(fixture.seats));
        }
        fixtures
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
    fn a_pair_has_one_opening_and_swaps_the_colours() {
        for (format, players) in [
            (Format::RoundRobin, 2),
            (Format::RoundRobin, 5),
            (Format::Gauntlet, 4),
            (Format::Swiss, 7),
        ] {
            let schedule = schedule(format, players, 4);
            let fixtures = play(&schedule, by_number);
            let mut pairs: HashMap<u64, Vec<Fixture>> = HashMap::new();
            for id in 1..=schedule.total() {
                let fixture = fixtures.get(id).unwrap();
                assert_eq!(fixture.id, id);
                pairs.entry(fixture.pair).or_default().push(fixture);
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

    /// A ladder while it is played: its games, and what its file has.
    struct Ladder {
        fixtures: Fixtures,
        results: Vec<(u64, GameResult)>,
        /// The pairings, and the number of games before them.
        pairings: Vec<(usize, Pairings)>,
    }

    impl Ladder {
        fn new(schedule: &Schedule) -> Ladder {
            Ladder {
                fixtures: Fixtures::new(schedule.clone(), Vec::new()),
                results: Vec::new(),
                pairings: Vec::new(),
            }
        }

        fn pair(&mut self) {
            let pairings = self.fixtures.pair_next();
            self.pairings
                .extend(pairings.map(|pairings| (self.results.len(), pairings)));
        }

        /// Plays the next games; better players have the smaller numbers.
        fn play(&mut self, games: u64) {
            self.pair();
            for _ in 0..games {
                let id = self.fixtures.first_missing().unwrap();
                let result = by_number(self.fixtures.get(id).unwrap().seats);
                self.fixtures.add_result(id, result);
                self.results.push((id, result));
                self.pair();
            }
        }

        /// The same with this schedule, read from its file, which has no lines of pairings if it is `old`.
        fn read(&self, schedule: &Schedule, is_old: bool) -> Fixtures {
            let mut again = Fixtures::new(schedule.clone(), Vec::new());
            for number in 0..=self.results.len() {
                for (_, pairings) in self
                    .pairings
                    .iter()
                    .filter(|(before, _)| *before == number && !is_old)
                {
                    again.take(pairings);
                }
                if let Some(&(id, result)) = self.results.get(number) {
                    let seats = self.fixtures.get(id).unwrap().seats;
                    again.seat(id, |player| seats.map(|seat| seat == player));
                    assert_eq!(again.get(id), self.fixtures.get(id));
                    again.add_result(id, result);
                }
            }
            again
        }
    }

    #[track_caller]
    fn assert_close(one: &[f64], other: &[f64], most: f64) {
        let mut pairs = one.iter().zip(other);
        let is_close = one.len() == other.len() && pairs.all(|(one, other)| (one - other).abs() < most);
        assert!(is_close, "{one:?} {other:?}");
    }

    #[test]
    fn players_of_a_ladder_come_and_go() {
        let mut schedule = schedule(Format::Ladder, 4, 2);
        schedule.predecessors = vec![None; 4];
        schedule.stages = vec![Stage::open(vec![0, 1, 2, 3])];
        let mut ladder = Ladder::new(&schedule);
        ladder.play(11);
        // Player 5 is a new version of player 3, and player 4 is new; player 0 has left.
        let mut later = schedule;
        later.players = 6;
        later.predecessors.extend([None, Some(3)]);
        later.stages = ladder.fixtures.closed_stages();
        let first = &later.stages[0];
        assert_eq!((first.rounds, &*first.unplayed), (Some(3), &[12][..]));
        later.stages.push(Stage::open(vec![1, 2, 4, 5]));
        ladder.fixtures.go_on(later.clone(), Vec::new()).unwrap();
        let again = &mut ladder.fixtures;
        assert!(again.has_left(0) && again.has_left(3) && !again.has_left(5));
        assert!(again.is_void(12));
        assert_eq!(again.get(13), None);
        ladder.pair();
        let again = &ladder.fixtures;
        let game = again.get(13).unwrap();
        assert_eq!((game.round, game.pair, game.opening), (4, 7, 4));
        let seats = [13, 14].map(|id| again.get(id).unwrap().seats).concat();
        assert!(
            [1, 2, 4, 5].iter().all(|player| seats.contains(player)),
            "{seats:?}"
        );
        // The games of a stage in whose last round none was played go on where it ended.
        ladder.play(4);
        later.stages = ladder.fixtures.closed_stages();
        assert_eq!(
            (later.stages[1].rounds, later.stages[1].unplayed.len()),
            (Some(1), 0)
        );
        assert_eq!(later.total(), 16);
        let ratings = ladder.fixtures.ratings();
        assert!(ratings[5] < ratings[1], "{ratings:?}");
    }

    #[test]
    fn a_ladder_that_goes_on_is_one_that_is_read_again() {
        for seed in 0..30 {
            let mut random = lodestone::random::Random::new(seed);
            let mut schedule = schedule(Format::Ladder, 3, 2);
            schedule.predecessors = vec![None; 3];
            schedule.stages = vec![Stage::open(vec![0, 1, 2])];
            let mut ladder = Ladder::new(&schedule);
            for _ in 0..6 {
                ladder.play(random.below(8));
                let players = schedule.players;
                schedule.players += random.below(3) as usize;
                for player in players..schedule.players {
                    let known = (random.below(2) == 0).then(|| random.below(player as u64) as usize);
                    schedule.predecessors.push(known);
                }
                let mut playing: Vec<usize> = (0..schedule.players).collect();
                // A ladder has two players at least.
                playing.retain(|&player| player < 2 || random.below(4) > 0);
                let fixtures = &mut ladder.fixtures;
                if schedule.stages.last().unwrap().players != playing {
                    schedule.stages = fixtures.closed_stages();
                    schedule.stages.push(Stage::open(playing));
                }
                fixtures.go_on(schedule.clone(), Vec::new()).unwrap();
                ladder.pair();
                let fixtures = &ladder.fixtures;
                let again = ladder.read(&schedule, false);
                assert_eq!(again.rounds, fixtures.rounds);
                assert_close(&[again.prior.deviation()], &[fixtures.prior.deviation()], 1e-12);
                assert_close(&again.ratings(), &fixtures.ratings(), 1e-6);
                assert_eq!(again.paired_total(), fixtures.paired_total());
                // The records alone say who has met.
                let mut old = ladder.read(&schedule, true);
                old.pair_next();
                assert_eq!(old.paired_total(), fixtures.paired_total());
                for &(id, _) in &ladder.results {
                    assert_eq!(old.get(id), fixtures.get(id));
                }
                assert_close(&old.ratings(), &fixtures.ratings(), 150.0);
            }
            let mut other = schedule.clone();
            other.stages = vec![Stage::open(vec![1, 2])];
            let fixtures = &mut ladder.fixtures;
            assert_eq!(
                fixtures.go_on(other, Vec::new()).is_err(),
                fixtures.rounds.len() > 1,
                "{seed}"
            );
        }
    }

    /// Pairings that do not fit are ignored; a player has one game in a round.
    #[test]
    fn takes_only_pairings_that_fit() {
        let mut schedule = schedule(Format::Ladder, 5, 2);
        schedule.predecessors = vec![None; 5];
        schedule.stages = vec![Stage::open(vec![0, 1, 2, 4])];
        let fits = Pairings {
            round: 1,
            boards: vec![[4, 1], [0, 2]],
            bye: None,
            deviation: 200.0,
        };
        let mut wrong = vec![fits.clone(); 4];
        wrong[0].round = 2;
        wrong[1].boards[0] = [3, 1];
        wrong[2].boards[0] = [0, 1];
        wrong[3].boards.truncate(1);
        let mut fixtures = Fixtures::new(schedule.clone(), Vec::new());
        for wrong in &wrong {
            fixtures.take(wrong);
            assert_eq!(fixtures.get(1), None, "{wrong:?}");
        }
        fixtures.take(&fits);
        assert_eq!(fixtures.get(1).unwrap().seats, [4, 1]);
        assert_eq!(fixtures.pair_next(), None);
        let mut fixtures = Fixtures::new(schedule, Vec::new());
        for (id, seats) in [(1, [4, 1]), (2, [1, 2]), (2, [0, 0]), (2, [0, 3]), (4, [2, 0])] {
            fixtures.seat(id, |player| seats.map(|seat| seat == player));
        }
        assert_eq!(fixtures.get(1).unwrap().seats, [4, 1]);
        assert_eq!(fixtures.get(2).unwrap().seats, [0, 2]);
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
            let mut fixtures = Fixtures::new(schedule.clone(), is_unfit);
            let mut void = 0;
            for id in 1..=schedule.total() {
                if fixtures.is_void(id) {
                    void += 1;
                } else {
                    let fixture = fixtures.get(id).unwrap();
                    fixtures.add_result(id, by_number(fixture.seats));
                    let plays_unfit = fixture.seats.iter().any(|player| unfit.contains(player));
                    assert!(!plays_unfit, "{format}: {fixture:?}");
                }
            }
            assert_eq!(fixtures.void_games(Shard::WHOLE), void, "{format}");
            if !format.follows_results() {
                let shards = (0..3).map(|index| format!("{index}/3").parse().unwrap());
                let sum: u64 = shards.map(|shard| fixtures.void_games(shard)).sum();
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
                let few = fixtures(&schedule(format, players, games));
                let more = fixtures(&schedule(format, players, games + 1));
                assert_eq!(few, more[..few.len()], "{format}, {games} games");
            }
        }
    }

    #[test]
    fn no_pairing_repeats_an_opening() {
        for (format, players) in [(Format::RoundRobin, 4), (Format::Gauntlet, 4)] {
            let mut seen = HashSet::new();
            for Fixture { seats, opening, .. } in fixtures(&schedule(format, players, 6)) {
                assert!(seen.insert((seats, opening)), "{seats:?} {opening}");
                assert!((1..=3).contains(&opening));
            }
        }
    }

    #[test]
    fn there_are_no_games_outside_the_schedule() {
        let fixtures = Fixtures::new(schedule(Format::RoundRobin, 3, 2), Vec::new());
        assert_eq!(fixtures.get(0), None);
        assert!(fixtures.get(6).is_some());
        assert_eq!(fixtures.get(7), None);
    }

    #[test]
    fn pairs_a_round_when_the_round_before_is_finished() {
        let schedule = schedule(Format::Swiss, 6, 2);
        let mut fixtures = Fixtures::new(schedule.clone(), Vec::new());
        for id in 1..=6 {
            assert_eq!(fixtures.get(7), None, "before game {id}");
            let seats = fixtures.get(id).unwrap().seats;
            fixtures.add_result(id, by_number(seats));
        }
        assert!(fixtures.get(12).is_some());
        assert_eq!(fixtures.get(13), None);
    }

    #[test]
    fn pairings_do_not_depend_on_the_order_of_results() {
        let schedule = schedule(Format::Swiss, 9, 2);
        let fixtures = play(&schedule, by_number);
        let mut other = Fixtures::new(schedule.clone(), Vec::new());
        for round in 0..3 {
            for id in (1..=8).rev() {
                let id = round * 8 + id;
                let seats = other.get(id).unwrap().seats;
                other.add_result(id, by_number(seats));
            }
        }
        for id in 1..=schedule.total() {
            assert_eq!(fixtures.get(id), other.get(id));
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
                let mut fixtures = Fixtures::new(schedule.clone(), Vec::new());
                let (mut played, mut keys) = (0, HashSet::new());
                for id in 1..=schedule.total() {
                    let Some(fixture) = fixtures.get(id) else {
                        assert!(fixtures.is_void(id) && !fixtures.may_be_needed(id));
                        continue;
                    };
                    assert!(!fixtures.is_void(id));
                    assert!(keys.insert((fixture.pair, fixture.seats)));
                    played += 1;
                    fixtures.add_result(id, result(fixture.seats));
                }
                assert_eq!(played, (players as u64 - 1) * games, "{players} players");
                let void = fixtures.void_games(Shard::WHOLE);
                assert_eq!(void + played, schedule.total());
                let rounds = players.next_power_of_two().trailing_zeros() as usize;
                assert_eq!(fixtures.rounds_passed(0), rounds, "the higher seed wins");
            }
        }
    }

    #[test]
    fn a_bye_counts_as_won_games() {
        let schedule = schedule(Format::Swiss, 3, 2);
        let fixtures = play(&schedule, by_number);
        let byes: Vec<u64> = (0..3).map(|player| fixtures.bye_games(player)).collect();
        assert_eq!(byes, [2, 2, 2], "one bye of two games for each player");
    }
}
