//! Ladder pairings: each round pairs the players whose games say most about their ratings.
//!
//! Ratings are the mode of the Bradley–Terry model with a Gaussian prior for each player; their
//! covariances C follow from the curvature there (Laplace's approximation). Elo is 400 per factor ten
//! of the odds.
//!
//! A game gives the information I = p(1 − p) about the difference of its players, in squared
//! log-odds, where p is the expected score. With d = 1 for one player, −1 for the other and 0 for all
//! others, it reduces the sum of all variances by I |Cd|² / (1 + I dᵀCd): most between players of about
//! equal ratings who are uncertain, and whom no games connect yet. This is the A-optimal choice of the
//! theory of experimental designs. A round pairs the most uncertain player first, with the opponent for
//! which this reduction is largest; then opponents are swapped between boards as long as that raises
//! the sum. Everybody plays in every round, except, of an odd number, the player with the most games.

use super::swiss::Round;
use crate::statistics::elo::{LOGIT, expected_score};

/// What is believed of a player before its first game, in Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    pub elo: f64,
    /// The standard deviation, above 0.
    pub deviation: f64,
}

impl Belief {
    /// An unknown player.
    pub const UNKNOWN: Belief = Belief {
        elo: 0.0,
        deviation: 350.0,
    };

    /// The reciprocal of the variance, of log-odds.
    fn precision(&self) -> f64 {
        (LOGIT / self.deviation).powi(2)
    }
}

/// The games of a player against one opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Meeting {
    opponent: usize,
    games: u32,
    /// The points of the player, doubled.
    half_points: u64,
}

/// The games of all players.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meetings {
    players: Vec<Vec<Meeting>>,
    /// The number of games in which each player moved first.
    first_moves: Vec<u32>,
}

impl Meetings {
    /// No games of this number of players.
    pub fn new(players: usize) -> Meetings {
        Meetings {
            players: vec![Vec::new(); players],
            first_moves: vec![0; players],
        }
    }

    /// Adds a game with the half points of both players, 2 in all; `one` moved first.
    pub fn add(&mut self, [one, other]: [usize; 2], half_points: [u64; 2]) {
        if let Some(count) = self.first_moves.get_mut(one) {
            *count += 1;
        }
        for (player, opponent, half_points) in [(one, other, half_points[0]), (other, one, half_points[1])] {
            let Some(meetings) = self.players.get_mut(player) else {
                continue;
            };
            match meetings.iter_mut().find(|meeting| meeting.opponent == opponent) {
                Some(meeting) => {
                    meeting.games += 1;
                    meeting.half_points += half_points;
                }
                None => meetings.push(Meeting {
                    opponent,
                    games: 1,
                    half_points,
                }),
            }
        }
    }

    /// The number of games of a player.
    fn of(&self, player: usize) -> u32 {
        self.players[player].iter().map(|meeting| meeting.games).sum()
    }
}

/// Sweeps over all players until the ratings stand still.
const MAX_SWEEPS: usize = 200;

/// The largest step that ends the search, in log-odds: 0.02 Elo.
const PRECISION: f64 = 1e-4;

/// The ratings after these games, in Elo: the mode of the posterior.
pub fn ratings(before: &[Belief], meetings: &Meetings) -> Vec<f64> {
    let mut ratings: Vec<f64> = before.iter().map(|belief| belief.elo).collect();
    for _ in 0..MAX_SWEEPS {
        let mut largest = 0.0_f64;
        for (player, belief) in before.iter().enumerate() {
            let precision = belief.precision();
            let mut slope = precision * (belief.elo - ratings[player]) / LOGIT;
            let mut curvature = precision;
            for meeting in &meetings.players[player] {
                let games = f64::from(meeting.games);
                let expected = expected_score(ratings[player] - ratings[meeting.opponent]);
                slope += meeting.half_points as f64 / 2.0 - games * expected;
                curvature += games * information(expected);
            }
            let step = (slope / curvature).clamp(-1.0, 1.0);
            ratings[player] += step * LOGIT;
            largest = largest.max(step.abs());
        }
        if largest < PRECISION {
            break;
        }
    }
    ratings
}

/// The information of a game about the difference of two players, in squared log-odds.
fn information(expected: f64) -> f64 {
    expected * (1.0 - expected)
}

/// The covariances of the ratings, in squared log-odds: the inverse of the curvature of the
/// posterior at its mode.
fn covariances(before: &[Belief], meetings: &Meetings, ratings: &[f64]) -> Vec<Vec<f64>> {
    let players = ratings.len();
    let mut curvature = vec![vec![0.0; players]; players];
    for (player, belief) in before.iter().enumerate() {
        curvature[player][player] += belief.precision();
        for meeting in &meetings.players[player] {
            let expected = expected_score(ratings[player] - ratings[meeting.opponent]);
            let of_pair = f64::from(meeting.games) * information(expected);
            curvature[player][player] += of_pair;
            curvature[player][meeting.opponent] -= of_pair;
        }
    }
    inverse(curvature)
}

/// The inverse of a symmetric positive definite matrix, by Gauss–Jordan elimination, which needs no
/// pivots then.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for pivot in 0..matrix.len() {
        let scale = 1.0 / matrix[pivot][pivot];
        matrix[pivot][pivot] = 1.0;
        matrix[pivot].iter_mut().for_each(|cell| *cell *= scale);
        let row = matrix[pivot].clone();
        for (number, other) in matrix.iter_mut().enumerate() {
            if number != pivot {
                let factor = std::mem::take(&mut other[pivot]);
                for (cell, of_pivot) in other.iter_mut().zip(&row) {
                    *cell -= factor * of_pivot;
                }
            }
        }
    }
    matrix
}

/// What games between all players would tell.
struct Gains {
    ratings: Vec<f64>,
    covariances: Vec<Vec<f64>>,
}

impl Gains {
    fn new(before: &[Belief], meetings: &Meetings) -> Gains {
        let ratings = ratings(before, meetings);
        let covariances = covariances(before, meetings, &ratings);
        Gains { ratings, covariances }
    }

    fn variance(&self, player: usize) -> f64 {
        self.covariances[player][player]
    }

    /// How much the sum of all variances falls by two games.
    fn of(&self, one: usize, other: usize) -> f64 {
        let information = 2.0 * information(expected_score(self.ratings[one] - self.ratings[other]));
        let (first, second) = (&self.covariances[one], &self.covariances[other]);
        let variance = first[one] + second[other] - 2.0 * first[other];
        let norm = first
            .iter()
            .zip(second)
            .map(|(a, b)| (a - b) * (a - b))
            .sum::<f64>();
        norm * information / (1.0 + variance * information)
    }
}

/// The most passes over all pairs of boards.
const MAX_PASSES: usize = 10;

/// Swaps opponents between two boards wherever that raises the sum of their values, so that nobody is
/// stuck with whoever was left over.
fn exchange(boards: &mut [[usize; 2]], value: impl Fn(usize, usize) -> f64) {
    // Rounding must not exchange boards to and fro.
    const LEAST: f64 = 1e-9;
    for _ in 0..MAX_PASSES {
        let mut has_changed = false;
        for first in 0..boards.len() {
            for second in first + 1..boards.len() {
                let ([a, b], [c, d]) = (boards[first], boards[second]);
                let now = value(a, b) + value(c, d);
                let (straight, crossed) = (value(a, c) + value(b, d), value(a, d) + value(b, c));
                if straight.max(crossed) > now + LEAST {
                    (boards[first], boards[second]) = if straight >= crossed {
                        ([a, c], [b, d])
                    } else {
                        ([a, d], [b, c])
                    };
                    has_changed = true;
                }
            }
        }
        if !has_changed {
            return;
        }
    }
}

/// The next round of the players that are fit.
pub fn pair(before: &[Belief], meetings: &Meetings, is_unfit: &[bool]) -> Round {
    let gains = Gains::new(before, meetings);
    let mut waiting: Vec<usize> = (0..before.len()).filter(|&player| !is_unfit[player]).collect();
    // The most uncertain first; among equals, in the order of the command.
    waiting.sort_by(|&one, &other| {
        let by_variance = gains.variance(other).total_cmp(&gains.variance(one));
        by_variance.then(one.cmp(&other))
    });
    let bye = if waiting.len().is_multiple_of(2) {
        None
    } else {
        let place = (0..waiting.len()).max_by_key(|&place| (meetings.of(waiting[place]), place));
        place.map(|place| waiting.remove(place))
    };
    let mut boards = Vec::new();
    while waiting.len() >= 2 {
        let player = waiting.remove(0);
        let best = (0..waiting.len()).max_by(|&one, &other| {
            let [one_value, other_value] = [one, other].map(|place| gains.of(player, waiting[place]));
            // Of equal ones the first.
            one_value.total_cmp(&other_value).then(other.cmp(&one))
        });
        boards.push([player, waiting.remove(best.unwrap_or(0))]);
    }
    exchange(&mut boards, |one, other| gains.of(one, other));
    for board in &mut boards {
        // The player who has moved first less often moves first.
        board.sort_by_key(|&player| meetings.first_moves[player]);
    }
    Round { boards, bye }
}

#[cfg(test)]
mod tests {
    use lodestone::random::Random;

    use super::*;
    use crate::schedule::fixtures::round_robin_pairing;
    use crate::schedule::swiss;

    /// Players whose strengths are known, in Elo; the first three beat each other in a circle with
    /// `circle`.
    struct World {
        strengths: Vec<f64>,
        circle: bool,
    }

    const WORLDS: [&str; 4] = ["close", "spread", "hole", "circle"];

    impl World {
        fn new(kind: &str, players: usize) -> World {
            let place = |player: usize| player as f64 / (players - 1) as f64;
            let strength = |player| match kind {
                "close" => 150.0 * place(player),
                "hole" => 300.0 * place(player) + if 2 * player < players { 0.0 } else { 600.0 },
                _ => 1200.0 * place(player),
            };
            World {
                strengths: (0..players).map(strength).collect(),
                circle: kind == "circle",
            }
        }

        /// The half points of both players in a game.
        fn play(&self, [one, other]: [usize; 2], random: &mut Random) -> [u64; 2] {
            let difference = match (one, other) {
                (0, 1) | (1, 2) | (2, 0) if self.circle => 300.0,
                (1, 0) | (2, 1) | (0, 2) if self.circle => -300.0,
                _ => self.strengths[one] - self.strengths[other],
            };
            let expected = expected_score(difference);
            if (random.below(1 << 40) as f64) < expected * (1u64 << 40) as f64 {
                [2, 0]
            } else {
                [0, 2]
            }
        }
    }

    /// Kendall's rank correlation of estimates with the strengths.
    fn correlation(world: &World, meetings: &Meetings) -> f64 {
        let found = ratings(&vec![Belief::UNKNOWN; world.strengths.len()], meetings);
        let (mut sum, mut pairs) = (0.0, 0.0);
        for one in 0..found.len() {
            for other in 0..one {
                let right = world.strengths[one] > world.strengths[other];
                let says = found[one] > found[other];
                sum += if right == says { 1.0 } else { -1.0 };
                pairs += 1.0;
            }
        }
        sum / pairs
    }

    /// The rounds of a format: the pairings of round `number`.
    fn round(
        format: &str,
        number: usize,
        meetings: &Meetings,
        histories: &[swiss::History],
    ) -> Vec<[usize; 2]> {
        let players = histories.len();
        match format {
            "ladder" => pair(&vec![Belief::UNKNOWN; players], meetings, &vec![false; players]).boards,
            "swiss" => swiss::pair(histories, number).boards,
            _ => {
                let boards = players / 2;
                let first = number % (players - 1) * boards;
                (first..first + boards)
                    .map(|board| round_robin_pairing(players, board as u64))
                    .collect()
            }
        }
    }

    /// The mean correlation over the seeds after each of the numbers of rounds; a pairing is two games.
    fn correlations(format: &str, kind: &str, players: usize, rounds: &[usize], seeds: u64) -> Vec<f64> {
        let world = World::new(kind, players);
        let mut sums = vec![0.0; rounds.len()];
        for seed in 0..seeds {
            let mut random = Random::new(seed);
            // The order of the command says nothing about strength.
            let mut order: Vec<usize> = (0..players).collect();
            for last in (1..players).rev() {
                order.swap(last, random.below(last as u64 + 1) as usize);
            }
            let mut meetings = Meetings::new(players);
            let mut histories = vec![swiss::History::default(); players];
            let mut by_strength = Meetings::new(players);
            let most = rounds.last().copied().unwrap_or_default();
            for number in 0..most {
                for [one, other] in round(format, number, &meetings, &histories) {
                    for seats in [[one, other], [other, one]] {
                        let strengths = seats.map(|player| order[player]);
                        let points = world.play(strengths, &mut random);
                        meetings.add(seats, points);
                        by_strength.add(strengths, points);
                        let result = match points {
                            [2, _] => lodestone::game::GameResult::Win(lodestone::board::Side::First),
                            _ => lodestone::game::GameResult::Win(lodestone::board::Side::Second),
                        };
                        swiss::add_game(&mut histories, seats, result);
                    }
                }
                if let Some(place) = rounds.iter().position(|&rounds| rounds == number + 1) {
                    sums[place] += correlation(&world, &by_strength);
                }
            }
        }
        sums.iter().map(|sum| sum / seeds as f64).collect()
    }

    /// A match of 50 Elo, as in `docs/statistics.md`: the rating and its deviation follow from the
    /// derivative of the logarithm of the posterior, checked here by differences.
    #[test]
    fn ratings_are_the_mode_of_the_posterior() {
        let mut random = Random::new(1);
        let world = World::new("spread", 6);
        let mut meetings = Meetings::new(6);
        for _ in 0..60 {
            let one = random.below(6) as usize;
            let other = (one + 1 + random.below(5) as usize) % 6;
            meetings.add([one, other], world.play([one, other], &mut random));
        }
        let before = vec![Belief::UNKNOWN; 6];
        let elos = ratings(&before, &meetings);
        let posterior = |elos: &[f64]| {
            let prior: f64 = elos.iter().map(|elo| -(elo / 350.0).powi(2) / 2.0).sum();
            let mut sum = 2.0 * prior;
            for (player, meetings) in meetings.players.iter().enumerate() {
                for meeting in meetings {
                    let won = expected_score(elos[player] - elos[meeting.opponent]);
                    let points = meeting.half_points as f64 / 2.0;
                    sum += points * won.ln() + (f64::from(meeting.games) - points) * (1.0 - won).ln();
                }
            }
            // Each game is counted from both sides.
            sum / 2.0
        };
        let best = posterior(&elos);
        for player in 0..6 {
            for step in [-2.0, 2.0] {
                let mut other = elos.clone();
                other[player] += step;
                assert!(posterior(&other) < best, "{player} {step}");
            }
        }
    }

    #[test]
    fn everybody_plays_and_the_most_active_rests() {
        let mut meetings = Meetings::new(5);
        meetings.add([3, 4], [2, 0]);
        let unknown = [Belief::UNKNOWN; 5];
        let round = pair(&unknown, &meetings, &[false; 5]);
        assert_eq!((round.boards.len(), round.bye), (2, Some(4)));
        // Player 3 has moved first already.
        assert!(!round.boards.iter().any(|board| board[0] == 3), "{round:?}");
        let round = pair(&unknown, &meetings, &[false, true, false, false, true]);
        assert_eq!((round.boards, round.bye), (vec![[0, 2]], Some(3)));
        assert_eq!(pair(&[], &Meetings::new(0), &[]).boards, [[0; 2]; 0]);
    }

    /// The sum of the variances with and without two more games.
    #[test]
    fn gain_is_the_fall_of_the_variances() {
        let mut meetings = Meetings::new(5);
        for seats in [[0, 1], [1, 2], [3, 4], [0, 4], [1, 2]] {
            meetings.add(seats, [2, 0]);
        }
        let before = [80.0, 200.0, 350.0, 350.0, 20.0].map(|deviation| Belief { elo: 0.0, deviation });
        let gains = Gains::new(&before, &meetings);
        let sum = |covariances: &[Vec<f64>]| (0..5).map(|player| covariances[player][player]).sum::<f64>();
        for (one, other) in [(0, 1), (0, 2), (2, 3), (1, 4)] {
            let mut more = meetings.clone();
            (0..2).for_each(|_| more.add([one, other], [1, 1]));
            let after = covariances(&before, &more, &gains.ratings);
            let fall = sum(&gains.covariances) - sum(&after);
            let gain = gains.of(one, other);
            assert!(
                gain > 0.0 && (gain - fall).abs() < 1e-9,
                "{one} {other}: {gain} {fall}"
            );
        }
    }

    #[test]
    fn boards_exchange_players_when_both_say_more() {
        for (best, expected) in [
            ([0, 1], [[0, 1], [2, 3]]),
            ([0, 2], [[0, 2], [1, 3]]),
            ([0, 3], [[0, 3], [1, 2]]),
        ] {
            let mut boards = [[0, 1], [2, 3]];
            exchange(&mut boards, |one, other| {
                f64::from(u8::from([one, other] == best))
            });
            assert_eq!(boards, expected);
        }
    }

    #[test]
    fn those_meet_who_have_not_met() {
        let mut meetings = Meetings::new(4);
        for _ in 0..6 {
            meetings.add([0, 1], [1, 1]);
            meetings.add([2, 3], [1, 1]);
        }
        let round = pair(&[Belief::UNKNOWN; 4], &meetings, &[false; 4]);
        assert_eq!(round.boards, [[0, 2], [1, 3]]);
    }

    /// With the same number of games, the order of a ladder is nearer to the truth than that of a
    /// round robin in which most pairs have not met yet.
    #[test]
    fn ladder_orders_better_than_a_round_robin() {
        let [ladder, robin] =
            ["ladder", "round-robin"].map(|format| correlations(format, "spread", 20, &[8], 20)[0]);
        assert!(ladder > robin + 0.01, "{ladder} {robin}");
    }

    /// Run in a release build: `cargo test --release -p referee --lib prints_the_simulation -- --ignored
    /// --nocapture`.
    #[test]
    #[ignore = "takes minutes: prints a table of docs/notes"]
    fn prints_the_simulation() {
        const ROUNDS: [usize; 5] = [3, 5, 10, 20, 40];
        println!(
            "| players | strengths | format | {} |",
            ROUNDS.map(|rounds| rounds.to_string()).join(" | ")
        );
        for (players, seeds) in [(20, 200), (60, 40), (200, 20)] {
            for kind in WORLDS {
                for format in ["round-robin", "swiss", "ladder"] {
                    if format == "swiss" && players == 200 {
                        continue;
                    }
                    let found = correlations(format, kind, players, &ROUNDS, seeds);
                    let found = found
                        .iter()
                        .map(|value| format!("{value:.3}"))
                        .collect::<Vec<_>>();
                    println!("| {players} | {kind} | {format} | {} |", found.join(" | "));
                }
            }
        }
    }
}
