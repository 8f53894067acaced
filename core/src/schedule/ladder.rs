//! Ladder pairings: each round pairs the players whose games say most about the order of all.
//!
//! A game gives the information I = p(1 − p) about the difference of its players, in squared log-odds,
//! where p is the expected score. With the covariances C of the [ratings](Posterior), and d = 1 for one
//! player, −1 for the other and 0 for all others, it reduces C by `I CddᵀC / (1 + I dᵀCd)`. What counts is the
//! order: if two players are ordered by their ratings, the regret is their true difference where it has the
//! other sign. Its expectation falls with the variance of the difference by half the density w of the
//! difference at 0, so a game is worth `I dᵀC L Cd / (1 + I dᵀCd)`, where L is the Laplacian matrix of the
//! weights w (linear loss, as in Chick and Inoue, "New Two-Stage and Sequential Procedures for Selecting the
//! Best Simulated System", 2001). Games are worth most between players who are uncertain, about equal, and
//! not connected by games yet; where the order is certain, they are worth nothing.
//!
//! Programs without chance play the same game again where the opening is the same. Such a repetition says
//! nothing, so what a pairing is worth is multiplied by the share of its games so far that repeated no other.
//!
//! A round pairs the most uncertain player first, with the opponent for whom the game is worth most; then
//! opponents are swapped between pairings as long as that raises the sum. Everybody plays in every round,
//! except, of an odd number, the player with the most games.
//!
//! The time grows with the cube of the number of players, so large fields are split into groups of similar
//! ratings. Games within a group say most about the order, and only these are weighed.

use serde::{Deserialize, Serialize};

use super::swiss::Round;
use crate::io::interrupt;
use crate::statistics::elo::expected_score;
use crate::statistics::posterior::{Meetings, Posterior, Prior, information, ratings};

/// Rounds of a ladder with the same players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// The numbers of the players.
    pub players: Vec<usize>,
    /// The number of rounds; none in the last stage of a ladder that goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    /// The games of its last round that were not played before the next stage began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unplayed: Vec<u64>,
}

impl Stage {
    /// A stage of these players that goes on.
    pub const fn open(players: Vec<usize>) -> Stage {
        Stage {
            players,
            rounds: None,
            unplayed: Vec::new(),
        }
    }

    /// The number of pairings in each round.
    pub(super) const fn pairings(&self) -> u64 {
        (self.players.len() / 2) as u64
    }
}

/// How much two games between each two of `players` lower the expected regret of the order of all of them:
/// a matrix of their places in `players`. `None` after a signal.
fn gains(posterior: &Posterior, players: &[usize]) -> Option<Vec<Vec<f64>>> {
    let count = players.len();
    // The Laplacian matrix of the weights, multiplied from both sides by the covariances.
    let mut laplacian = vec![vec![0.0; count]; count];
    for (one, &player) in players.iter().enumerate() {
        for (other, &opponent) in players.iter().enumerate().filter(|(other, _)| *other != one) {
            let weight = posterior.density_of_tie(player, opponent);
            laplacian[one][one] += weight;
            laplacian[one][other] -= weight;
        }
    }
    let row = |player: usize| {
        players
            .iter()
            .map(move |&other| posterior.covariance(player, other))
    };
    let covariances: Vec<Vec<f64>> = players.iter().map(|&player| row(player).collect()).collect();
    let regret = product(&product(&covariances, &laplacian)?, &covariances)?;
    let gain = |one: usize, other: usize| {
        let (player, opponent) = (players[one], players[other]);
        let expected = expected_score(posterior.elos[player] - posterior.elos[opponent]);
        let information = 2.0 * information(expected);
        let fall = regret[one][one] + regret[other][other] - 2.0 * regret[one][other];
        fall * information / (1.0 + posterior.variance_of_difference(player, opponent) * information)
    };
    let row = |one| (0..count).map(|other| gain(one, other)).collect();
    Some((0..count).map(row).collect())
}

/// The product of two square matrices; `None` after a signal.
fn product(left: &[Vec<f64>], right: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let mut product = vec![vec![0.0; right.len()]; left.len()];
    for (row, result) in left.iter().zip(&mut product) {
        interrupt::check().ok()?;
        for (factor, other) in row.iter().zip(right) {
            for (cell, value) in result.iter_mut().zip(other) {
                *cell += factor * value;
            }
        }
    }
    Some(product)
}

/// The most passes over all pairs of pairings.
const MAX_PASSES: usize = 10;

/// Swaps opponents between two pairings wherever that raises the sum of their values: the last players to be
/// paired had no choice.
fn exchange(pairings: &mut [[usize; 2]], value: impl Fn(usize, usize) -> f64) {
    // Rounding must not exchange pairings to and fro.
    const LEAST: f64 = 1e-9;
    for _ in 0..MAX_PASSES {
        let mut has_changed = false;
        for first in 0..pairings.len() {
            for second in first + 1..pairings.len() {
                let ([a, b], [c, d]) = (pairings[first], pairings[second]);
                let now = value(a, b) + value(c, d);
                let (straight, crossed) = (value(a, c) + value(b, d), value(a, d) + value(b, c));
                if straight.max(crossed) > now + LEAST {
                    (pairings[first], pairings[second]) = if straight >= crossed {
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

/// The most players whose games are weighed together.
const MAX_GROUP: usize = 256;

/// The players in groups of about equal size and ratings.
fn groups(players: &[usize], elos: &[f64]) -> Vec<Vec<usize>> {
    if players.len() <= MAX_GROUP {
        return vec![players.to_vec()];
    }
    let mut sorted = players.to_vec();
    sorted.sort_by(|&one, &other| elos[other].total_cmp(&elos[one]).then(one.cmp(&other)));
    let size = players.len().div_ceil(players.len().div_ceil(MAX_GROUP));
    sorted.chunks(size).map(<[usize]>::to_vec).collect()
}

/// Digits of a rating in Elo that do not depend on where the search for it began: a run that goes on begins
/// elsewhere than the one that was interrupted, and players with equal results must be ordered alike in both.
const STEP: f64 = 1e-6;

fn rounded(mut elos: Vec<f64>) -> Vec<f64> {
    for elo in &mut elos {
        // No negative zero, which `total_cmp` tells from zero.
        *elo = (*elo / STEP).round() * STEP + 0.0;
    }
    elos
}

/// The next round of these players; `None` after a signal.
pub fn pair(prior: &Prior, meetings: &Meetings, players: &[usize]) -> Option<Round> {
    let elos = rounded(ratings(prior, meetings));
    let groups = groups(players, &elos);
    let posterior = Posterior::until(prior, meetings, elos, &groups, None, interrupt::check).ok()?;
    let gains: Option<Vec<_>> = groups.iter().map(|group| gains(&posterior, group)).collect();
    Some(best_round(meetings, players, &posterior, &gains?))
}

/// The round whose pairings gain most, found greedily and then by exchanges. The gains are those of the groups of
/// the posterior.
fn best_round(
    meetings: &Meetings,
    players: &[usize],
    posterior: &Posterior,
    gains: &[Vec<Vec<f64>>],
) -> Round {
    let mut waiting = players.to_vec();
    // The most uncertain first; among equals, in the order of the command.
    waiting.sort_by(|&one, &other| {
        let by_variance = posterior.variance(other).total_cmp(&posterior.variance(one));
        by_variance.then(one.cmp(&other))
    });
    let bye = if waiting.len().is_multiple_of(2) {
        None
    } else {
        let place = (0..waiting.len()).max_by_key(|&place| (meetings.of(waiting[place]), place));
        place.map(|place| waiting.remove(place))
    };
    let value = |one: usize, other: usize| match (posterior.place(one), posterior.place(other)) {
        (Some((group, row)), Some((same, column))) if group == same => {
            gains[group][row][column] * meetings.share_of_new(one, other)
        }
        // Only those meet another group who are left over in their own.
        _ => 0.0,
    };
    let mut pairings = Vec::new();
    while waiting.len() >= 2 {
        let player = waiting.remove(0);
        let best = (0..waiting.len()).max_by(|&one, &other| {
            let [one_value, other_value] = [one, other].map(|place| value(player, waiting[place]));
            // Of equal ones the first.
            one_value.total_cmp(&other_value).then(other.cmp(&one))
        });
        pairings.push([player, waiting.remove(best.unwrap_or(0))]);
    }
    exchange(&mut pairings, value);
    for board in &mut pairings {
        // The player who has moved first less often moves first.
        board.sort_by_key(|&player| meetings.first_moves(player));
    }
    Round { pairings, bye }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use lodestone_game::random::Random;

    use super::*;
    use crate::schedule::round_robin::round_robin;
    use crate::schedule::swiss;

    fn pair(prior: &Prior, meetings: &Meetings, players: &[usize]) -> Round {
        super::pair(prior, meetings, players).unwrap()
    }

    fn learn(prior: &mut Prior, meetings: &Meetings) {
        let Ok(()) = prior.learn(meetings, &ratings(prior, meetings), || Ok::<(), Infallible>(()));
    }

    fn posterior(prior: &Prior, meetings: &Meetings, players: &[usize]) -> Posterior {
        let elos = ratings(prior, meetings);
        Posterior::new(prior, meetings, elos, &[players.to_vec()], None)
    }

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
        let mut prior = Prior::new(&vec![None; world.strengths.len()]);
        for _ in 0..3 {
            learn(&mut prior, meetings);
        }
        let found = ratings(&prior, meetings);
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

    /// The pairings of round `number`. In a ladder, `prior` is that of the round.
    fn round(
        format: &str,
        number: usize,
        meetings: &Meetings,
        histories: &[swiss::History],
        prior: &mut Prior,
    ) -> Vec<[usize; 2]> {
        let players = histories.len();
        match format {
            "ladder" => {
                let all: Vec<usize> = (0..players).collect();
                let round = pair(prior, meetings, &all);
                learn(prior, meetings);
                round.pairings
            }
            "swiss" => swiss::pair(histories, number).unwrap().pairings,
            _ => {
                let pairings = players / 2;
                let first = number % (players - 1) * pairings;
                (first..first + pairings)
                    .map(|board| round_robin(players, board as u64))
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
            let mut prior = Prior::new(&vec![None; players]);
            let most = rounds.last().copied().unwrap_or_default();
            for number in 0..most {
                for [one, other] in round(format, number, &meetings, &histories, &mut prior) {
                    for seats in [[one, other], [other, one]] {
                        let strengths = seats.map(|player| order[player]);
                        let points = world.play(strengths, &mut random);
                        meetings.add(seats, points);
                        by_strength.add(strengths, points);
                        let result = match points {
                            [2, _] => lodestone_game::GameResult::Win(lodestone_game::board::Side::First),
                            _ => lodestone_game::GameResult::Win(lodestone_game::board::Side::Second),
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

    /// A run that goes on reads the deviation from the file, and its search for ratings begins at 0.
    #[test]
    fn a_run_that_goes_on_pairs_players_with_equal_results_alike() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut meetings = Meetings::new(4);
            for _ in 0..2 + random.below(20) {
                // Two pairs of players whose results are the same.
                let won = random.below(3);
                for players in [[0, 1], [0, 3], [2, 1], [2, 3]] {
                    meetings.add(players, [won, 2 - won]);
                }
            }
            let mut prior = Prior::new(&[None; 4]);
            learn(&mut prior, &meetings);
            let mut again = Prior::new(&[None; 4]);
            again.set_deviation(prior.deviation());
            let [pairings, same] =
                [&prior, &again].map(|prior| pair(prior, &meetings, &[0, 1, 2, 3]).pairings);
            assert_eq!(pairings, same, "{seed}");
        }
    }

    #[test]
    fn everybody_plays_and_the_most_active_rests() {
        let mut meetings = Meetings::new(5);
        meetings.add([3, 4], [2, 0]);
        let unknown = Prior::new(&[None; 5]);
        let round = pair(&unknown, &meetings, &[0, 1, 2, 3, 4]);
        assert_eq!((round.pairings.len(), round.bye), (2, Some(4)));
        // Player 3 has moved first already.
        assert!(!round.pairings.iter().any(|board| board[0] == 3), "{round:?}");
        let round = pair(&unknown, &meetings, &[0, 2, 3]);
        assert_eq!((round.pairings, round.bye), (vec![[0, 2]], Some(3)));
        let round = pair(&Prior::new(&[]), &Meetings::new(0), &[]);
        assert!(round.pairings.is_empty());
    }

    /// The fall of the variance of each difference, weighed with the density of a tie.
    #[test]
    fn gain_is_the_fall_of_the_regret() {
        let mut meetings = Meetings::new(5);
        for seats in [[0, 1], [1, 2], [3, 4], [0, 4], [1, 2]] {
            meetings.add(seats, [2, 0]);
        }
        let prior = Prior::new(&[None, None, None, Some(0), Some(1)]);
        for players in [&[0, 1, 2, 3, 4][..], &[3, 1, 2, 4]] {
            let posterior = posterior(&prior, &meetings, players);
            let gains = gains(&posterior, players).unwrap();
            for (one, &player) in players.iter().enumerate() {
                for (other, &opponent) in players[..one].iter().enumerate() {
                    let score = expected_score(posterior.elos[player] - posterior.elos[opponent]);
                    let information = 2.0 * information(score);
                    let variance = posterior.variance_of_difference(player, opponent);
                    let share = information / (1.0 + information * variance);
                    let with = |other: usize| {
                        posterior.covariance(player, other) - posterior.covariance(opponent, other)
                    };
                    let mut expected = 0.0;
                    for (place, &first) in players.iter().enumerate() {
                        for &second in &players[..place] {
                            let fall = share * (with(first) - with(second)).powi(2);
                            expected += posterior.density_of_tie(first, second) * fall;
                        }
                    }
                    let gain = gains[one][other];
                    assert!(gain > 0.0 && (gain - expected).abs() < 1e-7, "{gain} {expected}");
                    assert!((gain - gains[other][one]).abs() < 1e-7);
                }
            }
        }
    }

    /// Among equals, two more draws leave the ratings as they are, and the variances fall by the gain.
    #[test]
    fn gain_is_what_two_draws_teach() {
        let mut meetings = Meetings::new(4);
        for seats in [[0, 1], [1, 2], [1, 2]] {
            meetings.add(seats, [1, 1]);
        }
        let (prior, players) = (Prior::new(&[None; 4]), [0, 1, 2, 3]);
        let posterior = posterior(&prior, &meetings, &players);
        let gains = gains(&posterior, &players).unwrap();
        for (one, gains) in gains.iter().enumerate() {
            for (other, gain) in gains[..one].iter().enumerate() {
                let mut more = meetings.clone();
                more.add([one, other], [1, 1]);
                more.add([one, other], [1, 1]);
                let after = self::posterior(&prior, &more, &players);
                let mut expected = 0.0;
                for first in players {
                    for second in 0..first {
                        let variances =
                            [&posterior, &after].map(|one| one.variance_of_difference(first, second));
                        expected += posterior.density_of_tie(first, second) * (variances[0] - variances[1]);
                    }
                }
                assert!(*gain > 0.0 && (gain - expected).abs() < 1e-7, "{gain} {expected}");
            }
        }
    }

    /// Games whose results are certain say nothing about the order.
    #[test]
    fn those_meet_whose_order_is_uncertain() {
        let mut meetings = Meetings::new(4);
        // Two pairs of about equal players, far apart; many games between the pairs.
        for game in 0..60 {
            meetings.add([0, 2], [2, 0]);
            meetings.add([1, 3], [2, 0]);
            let won = 2 * (game % 2);
            meetings.add([0, 1], [won, 2 - won]);
            meetings.add([2, 3], [won, 2 - won]);
        }
        let round = pair(&Prior::new(&[None; 4]), &meetings, &[0, 1, 2, 3]);
        let mut pairings = round.pairings;
        for board in &mut pairings {
            board.sort_unstable();
        }
        pairings.sort_unstable();
        assert_eq!(pairings, [[0, 1], [2, 3]]);
    }

    #[test]
    fn pairings_exchange_players_when_both_say_more() {
        for (best, expected) in [
            ([0, 1], [[0, 1], [2, 3]]),
            ([0, 2], [[0, 2], [1, 3]]),
            ([0, 3], [[0, 3], [1, 2]]),
        ] {
            let mut pairings = [[0, 1], [2, 3]];
            exchange(&mut pairings, |one, other| {
                f64::from(u8::from([one, other] == best))
            });
            assert_eq!(pairings, expected);
        }
    }

    #[test]
    fn those_meet_who_have_not_met() {
        let mut meetings = Meetings::new(4);
        for _ in 0..6 {
            meetings.add([0, 1], [1, 1]);
            meetings.add([2, 3], [1, 1]);
        }
        let round = pair(&Prior::new(&[None; 4]), &meetings, &[0, 1, 2, 3]);
        assert_eq!(round.pairings, [[0, 2], [1, 3]]);
    }

    /// Programs without chance that begin alike play one game again and again.
    #[test]
    fn those_meet_whose_games_do_not_repeat_others() {
        let mut meetings = Meetings::new(4);
        // The other pairings are certain: without the repetitions, these are the best.
        for _ in 0..20 {
            for seats in [[0, 2], [0, 3], [1, 2], [1, 3]] {
                meetings.add(seats, [2, 0]);
            }
        }
        for seats in [[0, 1], [2, 3]] {
            meetings.add(seats, [1, 1]);
        }
        let pairings = |meetings: &Meetings| {
            let mut pairings = pair(&Prior::new(&[None; 4]), meetings, &[0, 1, 2, 3]).pairings;
            for board in &mut pairings {
                board.sort_unstable();
            }
            pairings.sort_unstable();
            pairings
        };
        assert_eq!(pairings(&meetings), [[0, 1], [2, 3]]);
        for seats in [[0, 1], [2, 3]] {
            (0..1000).for_each(|_| meetings.add_repeat(seats));
        }
        assert_ne!(pairings(&meetings), [[0, 1], [2, 3]]);
    }

    /// Run in a release build: `cargo test --release -p referee-core --lib prints_the_simulation -- --ignored
    /// --nocapture`.
    #[test]
    #[ignore = "takes minutes: prints a table of docs/notes"]
    fn prints_the_simulation() {
        const ROUNDS: [usize; 5] = [3, 5, 10, 20, 40];
        println!(
            "| players | strengths | format | {} |",
            ROUNDS.map(|rounds| rounds.to_string()).join(" | ")
        );
        for players in [20, 60, 200] {
            for kind in WORLDS {
                for format in ["round-robin", "swiss", "ladder"] {
                    let found = correlations(format, kind, players, &ROUNDS, 200);
                    let found = found
                        .iter()
                        .map(|value| format!("{value:.3}"))
                        .collect::<Vec<_>>();
                    println!("| {players} | {kind} | {format} | {} |", found.join(" | "));
                }
            }
        }
    }

    /// The covariances of more than 512 players are sampled: what the pairings are then worth, compared with those
    /// that follow from solved ones. `cargo test -p referee-core --lib sampled_covariances -- --ignored --nocapture`
    #[test]
    #[ignore = "an experiment of four minutes"]
    fn sampled_covariances_pair_almost_as_well() {
        let watch = || Ok::<(), Infallible>(());
        let players: Vec<usize> = (0..600).collect();
        let world = World::new("spread", players.len());
        let mut random = Random::new(1);
        let mut meetings = Meetings::new(players.len());
        let mut prior = Prior::new(&vec![None; players.len()]);
        for number in 1..=12 {
            let elos = rounded(ratings(&prior, &meetings));
            let groups = groups(&players, &elos);
            let solved: Vec<_> = groups
                .iter()
                .map(|group| {
                    let group = [group.clone()];
                    let Ok(solved) = Posterior::until(&prior, &meetings, elos.clone(), &group, None, watch);
                    gains(&solved, &group[0]).unwrap()
                })
                .collect();
            let Ok(sampled) = Posterior::until(&prior, &meetings, elos, &groups, None, watch);
            let from_samples: Vec<_> = groups
                .iter()
                .map(|group| gains(&sampled, group).unwrap())
                .collect();
            let rounds =
                [&solved, &from_samples].map(|gains| best_round(&meetings, &players, &sampled, gains));
            let worth = |&[one, other]: &[usize; 2]| match (sampled.place(one), sampled.place(other)) {
                (Some((group, row)), Some((same, column))) if group == same => solved[group][row][column],
                _ => 0.0,
            };
            let [of_solved, of_sampled] = rounds
                .each_ref()
                .map(|round| round.pairings.iter().map(worth).sum::<f64>());
            println!("round {number}: {:.4}", of_sampled / of_solved);
            assert!(of_sampled > 0.95 * of_solved, "{number}");
            for &[one, other] in &rounds[0].pairings {
                for seats in [[one, other], [other, one]] {
                    meetings.add(seats, world.play(seats, &mut random));
                }
            }
            learn(&mut prior, &meetings);
        }
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn many_players_are_paired_in_groups() {
            let count = 3 * MAX_GROUP + 1;
            let mut meetings = Meetings::new(count);
            // Each beats the next one, so the ratings fall.
            (1..count).for_each(|player| meetings.add([player - 1, player], [2, 0]));
            let all: Vec<usize> = (0..count).collect();
            let round = pair(&Prior::new(&vec![None; count]), &meetings, &all);
            let mut playing: Vec<usize> = round.pairings.iter().flatten().copied().collect();
            playing.extend(round.bye);
            playing.sort_unstable();
            assert_eq!(playing, all);
            let elos = rounded(ratings(&Prior::new(&vec![None; count]), &meetings));
            let groups = groups(&all, &elos);
            assert!(
                groups.iter().all(|group| group.len() <= MAX_GROUP),
                "{}",
                groups.len()
            );
            let group = |player: usize| groups.iter().position(|group| group.contains(&player));
            let apart = round
                .pairings
                .iter()
                .filter(|board| group(board[0]) != group(board[1]));
            assert!(apart.count() < groups.len());
        }

        /// With the same number of games, the order of a ladder is nearer to the truth than that of a
        /// round robin in which most pairs have not met yet.
        #[test]
        #[ignore = "slow: .ci/run"]
        fn ladder_orders_better_than_a_round_robin() {
            let [ladder, robin] =
                ["ladder", "round-robin"].map(|format| correlations(format, "spread", 20, &[8], 20)[0]);
            assert!(ladder > robin + 0.01, "{ladder} {robin}");
        }
    }
}
