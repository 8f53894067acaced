//! Swiss pairings: players with about the same points who have not met yet.
//!
//! Players are ranked by points, and among equals in the order of the command. From the top
//! down, each player is paired with one of the same points, the upper half of the group
//! against the lower half; or with one of fewer points if none is left. Rematches occur only
//! if there is no other way. With an odd number of players, the lowest one without a bye
//! so far gets a bye for the round, which counts as won.
//!
//! These are the ideas of the Dutch system (FIDE Handbook C.04.3) without most of its rules
//! on colours: pairs of games with colours swapped do not need them.

use std::sync::Arc;

use lodestone_game::GameResult;
use lodestone_game::board::Side;

use super::paired_rounds::{PairedRound, PairedRounds};
use super::round_robin::ROUND_ROBIN;
use super::rounds::{FormatProperties, RankedBy, Rounds};
use super::{Schedule, ScheduledGame, Shard};
use crate::io::interrupt;

pub(super) const SWISS: FormatProperties = FormatProperties {
    name: "swiss",
    event: "Swiss tournament",
    ranked_by: RankedBy::OpponentsPoints,
    follows_results: true,
    has_rounds: true,
    pairings: |schedule| (schedule.players / 2) as u64,
    begin: |schedule, unfit| Box::new(SwissRounds::new(schedule, unfit)),
    ..ROUND_ROBIN
};

/// The rounds so far. One is paired when all results of the round before are known.
#[derive(Debug)]
struct SwissRounds {
    schedule: Arc<Schedule>,
    unfit: Vec<bool>,
    paired: PairedRounds,
}

impl SwissRounds {
    fn new(schedule: Arc<Schedule>, unfit: Vec<bool>) -> SwissRounds {
        let mut rounds = SwissRounds {
            schedule,
            unfit,
            paired: PairedRounds::default(),
        };
        rounds.pair();
        rounds
    }

    /// The number of pairings of a round that are played: only players that are not unfit are paired.
    fn boards(&self) -> u64 {
        let unfit = self.unfit.iter().filter(|&&unfit| unfit).count();
        (self.schedule.players.saturating_sub(unfit) / 2) as u64
    }

    /// Whether a game is not played.
    fn void(&self) -> impl Fn(u64) -> bool + use<> {
        let (schedule, boards) = (Arc::clone(&self.schedule), self.boards());
        move |id| schedule.unpaired(id).is_some_and(|game| game.board >= boards)
    }

    /// Pairs all rounds that the results allow.
    fn pair(&mut self) {
        let games = self.schedule.pairings() * self.schedule.games;
        while self.paired.missing == 0 && (self.paired.rounds.len() as u64) < self.schedule.rounds {
            let Some(round) = pair(&self.history(), self.paired.rounds.len()) else {
                return;
            };
            let is_void = self.void();
            let (pairings, bye) = (round.pairings, round.bye);
            self.paired.push(PairedRound { pairings, bye }, games, is_void);
        }
    }

    /// The history of each player in the paired rounds.
    fn history(&self) -> Vec<History> {
        let mut histories = vec![History::default(); self.schedule.players];
        for (player, history) in histories.iter_mut().enumerate() {
            history.half_points = 2 * self.bye_games(player);
            history.had_bye = history.half_points > 0;
            history.is_unfit = self.unfit.get(player) == Some(&true);
        }
        for id in 1..=self.paired.games[1] {
            if let (Some(game), Some(&result)) = (self.get(id), self.paired.results.get(&id)) {
                add_game(&mut histories, game.seats, result);
            }
        }
        histories
    }
}

impl Rounds for SwissRounds {
    fn get(&self, id: u64) -> Option<ScheduledGame> {
        self.paired.get(&self.schedule, id)
    }

    fn is_void(&self, id: u64) -> bool {
        self.void()(id)
    }

    fn void_games(&self, _: Shard) -> u64 {
        let Schedule { games, rounds, .. } = *self.schedule;
        let void = self.schedule.pairings().saturating_sub(self.boards());
        void.saturating_mul(games.saturating_mul(rounds))
    }

    fn go_on(&mut self, schedule: Arc<Schedule>, unfit: &[bool]) -> Result<(), String> {
        (self.schedule, self.unfit) = (schedule, unfit.to_vec());
        let is_void = self.void();
        self.paired.count_missing(is_void);
        self.pair();
        Ok(())
    }

    fn add_result(&mut self, id: u64, result: GameResult) {
        let is_void = self.is_void(id);
        self.paired.add(id, result, is_void);
        self.pair();
    }

    fn paired(&self) -> usize {
        self.paired.rounds.len()
    }

    fn first_missing(&self) -> Option<u64> {
        self.paired.without_result(self.void()).next()
    }

    fn bye_games(&self, player: usize) -> u64 {
        let rounds = self.paired.rounds.iter();
        rounds.filter(|round| round.bye == Some(player)).count() as u64 * self.schedule.games
    }
}

/// The history of a player in the rounds so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Its points, times two.
    pub half_points: u64,
    /// The opponents, once per game.
    pub opponents: Vec<usize>,
    /// The number of games as first player minus those as second player.
    pub first_moves: i64,
    /// Whether the player has had a bye.
    pub had_bye: bool,
    /// Whether the player plays no games.
    pub is_unfit: bool,
}

/// The pairings of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The pairings. The first player moves first in the first game.
    pub pairings: Vec<[usize; 2]>,
    /// The player without an opponent, with an odd number of players.
    pub bye: Option<usize>,
}

/// Twice the points of the first and the second player.
pub(crate) const fn half_points_of(result: GameResult) -> [u64; 2] {
    match result {
        GameResult::Win(Side::First) => [2, 0],
        GameResult::Win(Side::Second) => [0, 2],
        GameResult::Draw => [1, 1],
    }
}

/// Adds a game to the history of both players.
pub fn add_game(histories: &mut [History], seats: [usize; 2], result: GameResult) {
    let [first, second] = seats;
    let shares = half_points_of(result);
    for (player, opponent, share, moves) in [(first, second, shares[0], 1), (second, first, shares[1], -1)] {
        let history = &mut histories[player];
        history.half_points += share;
        history.opponents.push(opponent);
        history.first_moves += moves;
    }
}

/// The largest number of rounds without rematches.
pub const fn max_rounds(players: usize) -> u64 {
    let players = players as u64;
    if players.is_multiple_of(2) {
        players - 1
    } else {
        players
    }
}

/// The default number of rounds: log₂ of the number of players, rounded up. Without draws
/// it leaves one player without a loss.
pub const fn default_rounds(players: usize) -> u64 {
    players.next_power_of_two().trailing_zeros() as u64
}

/// The pairings of round number `round`, from 0; `None` after a signal. `histories` has one entry per
/// player.
pub fn pair(histories: &[History], round: usize) -> Option<Round> {
    let mut ranking: Vec<usize> = (0..histories.len())
        .filter(|&player| !histories[player].is_unfit)
        .collect();
    ranking.sort_by_key(|&player| (std::cmp::Reverse(histories[player].half_points), player));
    let bye = take_bye(histories, &mut ranking);
    let mut search = PairingSearch {
        histories,
        steps: MAX_STEPS,
        pairings: Vec::new(),
    };
    let pairs = if search.pair(&mut ranking.clone()) {
        search.pairings
    } else {
        // It may be the signal that has ended the search.
        interrupt::check().ok()?;
        pair_with_rematches(histories, ranking)
    };
    let pairings = pairs.into_iter().enumerate();
    let pairings = pairings
        .map(|(board, pair)| order(histories, pair, board + round))
        .collect();
    Some(Round { pairings, bye })
}

/// Removes the player with the bye from an odd number of players.
fn take_bye(histories: &[History], ranking: &mut Vec<usize>) -> Option<usize> {
    if ranking.len().is_multiple_of(2) {
        return None;
    }
    let place = ranking.iter().rposition(|&player| !histories[player].had_bye);
    Some(ranking.remove(place.unwrap_or(ranking.len() - 1)))
}

/// Orders a pairing: the player with fewer first moves moves first in the first game; if
/// equal, the two alternate by `turn`.
fn order(histories: &[History], [one, other]: [usize; 2], turn: usize) -> [usize; 2] {
    let by_moves = histories[one].first_moves.cmp(&histories[other].first_moves);
    if by_moves.is_gt() || by_moves.is_eq() && !turn.is_multiple_of(2) {
        [other, one]
    } else {
        [one, other]
    }
}

/// Maximum number of pairings to try before rematches are accepted. Far more than needed if
/// the rounds are fewer than half the players, when a solution always exists.
const MAX_STEPS: u32 = 200_000;

/// A depth-first search for pairings without rematches, in order of preference.
struct PairingSearch<'a> {
    histories: &'a [History],
    /// The number of pairings that may still be tried.
    steps: u32,
    pairings: Vec<[usize; 2]>,
}

impl PairingSearch<'_> {
    /// Pairs all players of `ranking`, best first. Returns `false` and restores the ranking
    /// if that is impossible.
    fn pair(&mut self, ranking: &mut Vec<usize>) -> bool {
        if ranking.is_empty() {
            return true;
        }
        let player = ranking.remove(0);
        for opponent in preferred_opponents(self.histories, player, ranking) {
            if self.histories[player].opponents.contains(&opponent) {
                continue;
            }
            if self.steps == 0 || interrupt::check().is_err() {
                break;
            }
            self.steps -= 1;
            let Some(place) = ranking.iter().position(|&other| other == opponent) else {
                continue;
            };
            ranking.remove(place);
            self.pairings.push([player, opponent]);
            if self.pair(ranking) {
                return true;
            }
            self.pairings.pop();
            ranking.insert(place, opponent);
        }
        ranking.insert(0, player);
        false
    }
}

/// The opponents of `player` among the ranked `rest`, in order of preference: of those with
/// the same points the middle one, then its neighbours; then those with fewer points, best
/// first.
fn preferred_opponents(histories: &[History], player: usize, rest: &[usize]) -> Vec<usize> {
    let points = histories[player].half_points;
    let is_equal = |other: &&usize| histories[**other].half_points == points;
    let equals = rest.iter().take_while(is_equal).count();
    // The group has one more player; its upper half plays the lower half.
    let middle = equals.div_ceil(2).saturating_sub(1);
    let mut order: Vec<usize> = (0..equals).collect();
    order.sort_by_key(|&place| (place.abs_diff(middle), place < middle));
    order.extend(equals..rest.len());
    order.into_iter().map(|place| rest[place]).collect()
}

/// Pairs from the top down, each with the opponent met least often. Used if rematches
/// cannot be avoided.
fn pair_with_rematches(histories: &[History], mut ranking: Vec<usize>) -> Vec<[usize; 2]> {
    let mut pairings = Vec::new();
    while ranking.len() >= 2 {
        let player = ranking.remove(0);
        let met = |opponent: &usize| {
            let opponents = &histories[player].opponents;
            opponents.iter().filter(|other| *other == opponent).count()
        };
        let best = preferred_opponents(histories, player, &ranking)
            .into_iter()
            .min_by_key(met);
        let place = best.and_then(|opponent| ranking.iter().position(|&other| other == opponent));
        let opponent = ranking.remove(place.unwrap_or(0));
        pairings.push([player, opponent]);
    }
    pairings
}

#[cfg(test)]
mod tests {
    use lodestone_game::board::Side;
    use lodestone_game::random::Random;

    use super::super::Format;
    use super::super::calendar::tests::by_number;
    use super::*;

    fn pair(histories: &[History], round: usize) -> Round {
        super::pair(histories, round).unwrap()
    }

    /// Plays rounds in which the lower index wins more often. Returns all pairings and the
    /// histories at the end.
    fn tournament(players: usize, rounds: u64, seed: u64) -> (Vec<Round>, Vec<History>) {
        tournament_with(players, rounds, seed, |_, _| {})
    }

    /// The same; calls `before_game` with the histories before each game.
    fn tournament_with(
        players: usize,
        rounds: u64,
        seed: u64,
        mut before_game: impl FnMut(&[History], [usize; 2]),
    ) -> (Vec<Round>, Vec<History>) {
        let mut random = Random::new(seed);
        let mut histories = vec![History::default(); players];
        let mut all = Vec::new();
        for number in 0..rounds {
            let round = pair(&histories, number as usize);
            if let Some(player) = round.bye {
                histories[player].half_points += 2;
                histories[player].had_bye = true;
            }
            for &seats in &round.pairings {
                before_game(&histories, seats);
                let result = match random.below(4) {
                    0 => GameResult::Draw,
                    1 => GameResult::Win(Side::First),
                    _ => GameResult::Win(if seats[0] < seats[1] {
                        Side::First
                    } else {
                        Side::Second
                    }),
                };
                add_game(&mut histories, seats, result);
            }
            all.push(round);
        }
        (all, histories)
    }

    #[test]
    fn players_play_once_per_round_without_rematches() {
        for players in 2..=61 {
            let rounds = default_rounds(players);
            let (all, histories) = tournament(players, rounds, players as u64);
            for round in &all {
                let mut seated: Vec<usize> = round.pairings.iter().flatten().copied().collect();
                seated.extend(round.bye);
                seated.sort_unstable();
                assert_eq!(seated, (0..players).collect::<Vec<_>>());
            }
            for (player, history) in histories.iter().enumerate() {
                let mut opponents = history.opponents.clone();
                opponents.sort_unstable();
                opponents.dedup();
                assert_eq!(
                    opponents.len(),
                    history.opponents.len(),
                    "{player} of {players} met an opponent twice"
                );
            }
        }
    }

    #[test]
    fn first_round_pairs_upper_half_with_lower_half() {
        let pairings = |players| {
            let mut pairings = pair(&vec![History::default(); players], 0).pairings;
            for board in &mut pairings {
                board.sort_unstable();
            }
            pairings
        };
        assert_eq!(pairings(6), [[0, 3], [1, 4], [2, 5]]);
        assert_eq!(pairings(8), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(pairings(7), [[0, 3], [1, 4], [2, 5]], "the last has a bye");
    }

    #[test]
    fn pairs_players_with_equal_points() {
        let mut histories = vec![History::default(); 8];
        for (winner, loser) in [(4, 0), (1, 5), (2, 6), (7, 3)] {
            add_game(&mut histories, [winner, loser], GameResult::Win(Side::First));
        }
        for [one, other] in pair(&histories, 1).pairings {
            assert_eq!(
                histories[one].half_points, histories[other].half_points,
                "{one} {other}"
            );
        }
    }

    #[test]
    fn gives_the_bye_to_the_lowest_player_without_one() {
        let mut histories = vec![History::default(); 5];
        for (winner, loser) in [(4, 0), (3, 1)] {
            add_game(&mut histories, [winner, loser], GameResult::Win(Side::First));
        }
        histories[2].half_points = 2;
        histories[2].had_bye = true;
        assert_eq!(
            pair(&histories, 1).bye,
            Some(1),
            "the last of those without points"
        );
        histories[1].had_bye = true;
        assert_eq!(pair(&histories, 1).bye, Some(0));
        histories[0].had_bye = true;
        assert_eq!(pair(&histories, 1).bye, Some(4));
    }

    #[test]
    fn pairs_players_with_similar_points() {
        let mut widest = 0;
        tournament_with(60, 7, 1, |histories, [one, other]| {
            widest = widest.max(histories[one].half_points.abs_diff(histories[other].half_points));
        });
        assert!(widest <= 4, "two points, in the smallest groups: {widest}");
    }

    #[test]
    fn a_game_changes_the_history_of_both_players() {
        let mut histories = vec![History::default(); 3];
        add_game(&mut histories, [2, 0], GameResult::Draw);
        add_game(&mut histories, [2, 1], GameResult::Win(Side::Second));
        let history = |half_points, opponents: &[usize], first_moves| History {
            half_points,
            opponents: opponents.to_vec(),
            first_moves,
            had_bye: false,
            is_unfit: false,
        };
        assert_eq!(
            histories,
            [history(1, &[2], -1), history(2, &[2], -1), history(1, &[0, 1], 2)]
        );
    }

    #[test]
    fn the_player_with_fewer_first_moves_moves_first() {
        // In round 1 the first board would be swapped and the second would not, if the
        // players had equally many first moves.
        let mut histories = vec![History::default(); 4];
        add_game(&mut histories, [2, 0], GameResult::Draw);
        add_game(&mut histories, [3, 1], GameResult::Draw);
        assert_eq!(pair(&histories, 1).pairings, [[0, 3], [1, 2]]);

        let mut histories = vec![History::default(); 4];
        add_game(&mut histories, [0, 2], GameResult::Draw);
        add_game(&mut histories, [1, 3], GameResult::Draw);
        assert_eq!(pair(&histories, 1).pairings, [[3, 0], [2, 1]]);
        assert_eq!(pair(&histories, 2).pairings, [[3, 0], [2, 1]], "for any round");

        // Equal numbers alternate by board and round.
        let histories = vec![History::default(); 4];
        assert_eq!(pair(&histories, 0).pairings, [[0, 2], [3, 1]]);
        assert_eq!(pair(&histories, 1).pairings, [[2, 0], [1, 3]]);
    }

    #[test]
    fn default_numbers_of_rounds() {
        assert_eq!([2, 3, 4, 5, 8, 9, 60].map(default_rounds), [1, 2, 2, 3, 3, 4, 6]);
    }

    /// The next round depends on it.
    #[test]
    fn a_bye_is_worth_as_much_as_a_won_pairing() {
        let schedule = Schedule {
            format: Format::Swiss,
            players: 7,
            games: 6,
            rounds: 3,
            ..Schedule::default()
        };
        let mut rounds = SwissRounds::new(Arc::new(schedule), Vec::new());
        for id in 1..=18 {
            let seats = rounds.get(id).unwrap().seats;
            rounds.add_result(id, by_number(seats));
        }
        let histories = rounds.history();
        let bye = rounds.paired.rounds[0].bye.unwrap();
        assert_eq!(histories[bye].half_points, 12);
        // Three won pairings, and the byes of two rounds, the second of which has been paired.
        let sum: u64 = histories.iter().map(|player| player.half_points).sum();
        assert_eq!(sum, 5 * 12);
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn pairs_the_largest_number_of_rounds() {
            for players in [4, 6, 7, 20, 30] {
                let (all, histories) = tournament(players, max_rounds(players), 5);
                assert!(all.iter().all(|round| round.pairings.len() == players / 2));
                let byes = histories.iter().filter(|history| history.had_bye).count();
                assert_eq!(byes, if players % 2 == 1 { players } else { 0 });
            }
        }
    }
}
