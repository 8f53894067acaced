//! Tunes spin options of an engine by games of the engine against itself, with SPSA.
//!
//! A tuning is a match of two players, `plus` and `minus`: the same engine with different values
//! of the options. Pair n of the match is iteration n. Its values follow from the header and the
//! results of earlier pairs alone, so a result file holds all of a tuning.
//!
//! [`Tuner`] has the values so far, from the results so far. The parameters and the gains are part of the header:
//! `results/tuning.rs`.
//!
//! # Simultaneous perturbation stochastic approximation
//!
//! An iteration changes all parameters at once: each by +c or −c, at random. The opposite
//! change gives the other player of a pair of games. The result of the pair estimates the slope
//! in this direction, and all parameters take a step along it.
//!
//! Sources: J. Spall, "Implementation of the Simultaneous Perturbation Algorithm for Stochastic
//! Optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (1998), for the
//! method and the exponents; [fishtest](https://github.com/official-stockfish/fishtest) and
//! [OpenBench](https://github.com/AndyGrant/OpenBench) for the default of `R_END`, and for the
//! rounding.

use std::collections::HashMap;

use lodestone_game::random::{Random, mix};

use crate::results::tuning::{Gains, Parameter, Tuning};

/// The names of the players: all values perturbed in one direction, and in the other.
pub const PLAYERS: [&str; 2] = ["plus", "minus"];

/// The state of a tuning.
#[derive(Clone, Debug)]
pub struct Tuner {
    /// What identifies it.
    pub tuning: Tuning,
    seed: u64,
    /// The number of iterations and the values, at the start and after each batch.
    pub path: Vec<(u64, Vec<f64>)>,
    /// The results of the games of later iterations: 1 if `plus` has won, −1 if `minus` has, 0 for a draw.
    running: HashMap<u64, Vec<i32>>,
}

impl Tuner {
    /// A tuning before its first game.
    pub fn new(tuning: Tuning, seed: u64) -> Tuner {
        let values = tuning.parameters.iter().map(|one| one.start as f64).collect();
        Tuner {
            path: vec![(0, values)],
            tuning,
            seed,
            running: HashMap::new(),
        }
    }

    /// The number of finished iterations, in whole batches.
    pub fn done(&self) -> u64 {
        self.path.last().map_or(0, |(done, _)| *done)
    }

    /// The values after the finished iterations.
    pub fn values(&self) -> &[f64] {
        self.path.last().map_or(&[], |(_, values)| values)
    }

    /// The last iteration of the running batch.
    fn batch_end(&self) -> u64 {
        (self.done() + self.tuning.batch).min(self.tuning.iterations)
    }

    /// Whether the values of an iteration are known.
    pub fn is_ready(&self, iteration: u64) -> bool {
        iteration <= self.batch_end()
    }

    /// The options of both players in an iteration of the running batch, those of `plus` first.
    pub fn options(&self, iteration: u64) -> [Vec<(String, String)>; 2] {
        let at = (iteration, self.tuning.iterations);
        let mut options = [Vec::new(), Vec::new()];
        let parameters = self.tuning.parameters.iter().zip(self.values());
        for ((parameter, &value), draw) in parameters.zip(draws(self.seed, iteration)) {
            let both = self.tuning.gains.perturbed(parameter, value, at, draw);
            for (options, value) in options.iter_mut().zip(both) {
                options.push((parameter.name.clone(), value.to_string()));
            }
        }
        options
    }

    /// Adds a game of this pair; `winner` is `None` after a draw. Returns whether this has ended a batch.
    pub fn add(&mut self, pair: u64, winner: Option<&str>) -> bool {
        let score = match winner {
            None => 0,
            Some(name) if name == PLAYERS[0] => 1,
            Some(_) => -1,
        };
        self.add_score(pair, score)
    }

    /// Adds a game: 1 if `plus` has won, −1 if `minus` has, 0 for a draw.
    pub fn add_score(&mut self, iteration: u64, score: i32) -> bool {
        self.running.entry(iteration).or_default().push(score);
        let before = self.done();
        while self.done() < self.tuning.iterations && self.is_batch_over() {
            self.end_batch();
        }
        self.done() > before
    }

    fn is_batch_over(&self) -> bool {
        let is_over = |iteration| self.running.get(&iteration).is_some_and(|games| games.len() >= 2);
        (self.done() + 1..=self.batch_end()).all(is_over)
    }

    /// Takes the steps of a batch, in the order of its iterations.
    fn end_batch(&mut self) {
        let (n, end) = (self.tuning.iterations, self.batch_end());
        let mut values = self.values().to_vec();
        for k in self.done() + 1..=end {
            let games = self.running.remove(&k).unwrap_or_default();
            let score = f64::from(games.iter().sum::<i32>());
            let parameters = self.tuning.parameters.iter().zip(&mut values);
            for ((parameter, value), (flip, _)) in parameters.zip(draws(self.seed, k)) {
                *value = self.tuning.gains.updated(parameter, *value, (k, n), flip, score);
            }
        }
        self.path.push((end, values));
    }

    /// The values as whole numbers, by name.
    pub fn rounded(&self) -> impl Iterator<Item = (&str, i64)> {
        let named = self.tuning.parameters.iter().zip(self.values());
        named.map(|(parameter, value)| (parameter.name.as_str(), value.round() as i64))
    }

    /// The values in short, such as `Margin 61.2`.
    pub fn summary(&self) -> Vec<String> {
        let named = self.tuning.parameters.iter().zip(self.values());
        named
            .map(|(parameter, value)| format!("{} {value:.1}", parameter.name))
            .collect()
    }
}

impl Gains {
    /// The perturbation c of iteration `k` of `n`, from 1: `c_end · (n / k)^γ`.
    pub(crate) fn perturbation(&self, parameter: &Parameter, k: u64, n: u64) -> f64 {
        parameter.c_end * libm::pow(n as f64 / k as f64, self.gamma)
    }

    /// The step a of iteration `k` of `n`, from 1: `r_end · c_end² · ((A + n) / (A + k))^α`.
    pub(crate) fn step(&self, parameter: &Parameter, k: u64, n: u64) -> f64 {
        let a = self.a_ratio * n as f64;
        let a_end = parameter.r_end * parameter.c_end * parameter.c_end;
        a_end * libm::pow((a + n as f64) / (a + k as f64), self.alpha)
    }

    /// The value after iteration `k` of `n`. `flip` is the sign of the perturbation of the first
    /// player, and `result` its wins minus its losses in the pair of games, from −2 to 2.
    pub(crate) fn updated(
        &self,
        parameter: &Parameter,
        value: f64,
        (k, n): (u64, u64),
        flip: f64,
        result: f64,
    ) -> f64 {
        let c = self.perturbation(parameter, k, n);
        let value = value + self.step(parameter, k, n) / c * result * flip;
        value.clamp(parameter.min as f64, parameter.max as f64)
    }

    /// The values of the option for both players of iteration `k` of `n`: perturbed by `flip` · c
    /// and by −`flip` · c, rounded and clipped.
    ///
    /// Rounding is stochastic, so the expected value is exact: up with a probability equal to the
    /// fraction. Both players use the same random number `uniform`, from 0 to 1.
    pub(crate) fn perturbed(
        &self,
        parameter: &Parameter,
        value: f64,
        (k, n): (u64, u64),
        (flip, uniform): (f64, f64),
    ) -> [i64; 2] {
        let c = self.perturbation(parameter, k, n);
        [flip, -flip].map(|flip| {
            let rounded = libm::floor(value + flip * c + uniform) as i64;
            rounded.clamp(parameter.min, parameter.max)
        })
    }
}

/// The random numbers of an iteration, for each parameter: the sign of the perturbation of the
/// first player, and the number for rounding. A pure function of the seed, so that an iteration
/// does not depend on the others.
pub fn draws(seed: u64, k: u64) -> impl Iterator<Item = (f64, f64)> {
    // Other numbers than those of the openings, which use the seed itself.
    let mut random = Random::substream(mix(seed) ^ STREAM, k);
    std::iter::repeat_with(move || {
        let flip = if random.below(2) == 0 { 1.0 } else { -1.0 };
        let uniform = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        (flip, uniform)
    })
}

/// Any constant: it separates these random numbers from those of the openings.
const STREAM: u64 = 0x5350_5341;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn tuner(iterations: u64, batch: u64) -> Tuner {
        let tuning = Tuning {
            iterations,
            batch,
            gains: Gains::default(),
            parameters: vec![
                "A=50,0,100,4,0.02".parse().unwrap(),
                "B=5,0,9,1,0.1".parse().unwrap(),
            ],
        };
        Tuner::new(tuning, 1)
    }

    #[test]
    fn iterations_of_a_batch_begin_with_the_same_values() {
        let mut tuner = tuner(5, 2);
        assert!(tuner.is_ready(2) && !tuner.is_ready(3));
        let second = tuner.options(2);
        assert!(!tuner.add_score(1, 1) && !tuner.add_score(1, 1));
        assert_eq!((tuner.done(), tuner.options(2)), (0, second));
        // Games of a batch end in any order.
        assert!(!tuner.add_score(2, 0));
        assert!(tuner.add_score(2, -1));
        assert_eq!(tuner.done(), 2);
        assert!(tuner.is_ready(4) && !tuner.is_ready(5));
        for k in [4, 3, 3] {
            assert!(!tuner.add_score(k, 0));
        }
        assert!(tuner.add_score(4, 0));
        // The last batch is shorter.
        assert!(tuner.is_ready(5) && !tuner.add_score(5, 1) && tuner.add_score(5, 1));
        assert_eq!(tuner.done(), 5);
        let ends: Vec<u64> = tuner.path.iter().map(|(k, _)| *k).collect();
        assert_eq!(ends, [0, 2, 4, 5]);
    }

    /// The options of `plus` are those that its results count for.
    #[test]
    fn values_move_towards_the_winner() {
        for score in [1, -1] {
            let mut tuner = tuner(20, 1);
            for k in 1..=20 {
                let [plus, minus] = tuner.options(k).map(|options| {
                    let values = options.iter().map(|(_, value)| value.parse::<f64>().unwrap());
                    values.collect::<Vec<f64>>()
                });
                let before = tuner.values().to_vec();
                tuner.add_score(k, score);
                assert!(tuner.add_score(k, score));
                for (index, &old) in before.iter().enumerate() {
                    let winner = if score > 0 {
                        plus[index] - minus[index]
                    } else {
                        minus[index] - plus[index]
                    };
                    let moved = tuner.values()[index] - old;
                    assert!(winner != 0.0 && moved != 0.0, "{k}");
                    assert_eq!(winner > 0.0, moved > 0.0, "{k} {index}");
                }
            }
        }
    }

    #[test]
    fn header_entry_is_read_as_written() {
        let tuning = tuner(7, 2).tuning.clone();
        let text = serde_json::to_string(&tuning).unwrap();
        assert_eq!(
            text,
            "{\"iterations\":7,\"batch\":2,\"alpha\":0.602,\"gamma\":0.101,\"a_ratio\":0.1,\
             \"parameters\":[\"A=50,0,100,4,0.02\",\"B=5,0,9,1,0.1\"]}"
        );
        assert_eq!(serde_json::from_str::<Tuning>(&text).unwrap(), tuning);
    }

    fn parameter(text: &str) -> Parameter {
        text.parse().unwrap()
    }

    fn close(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 1e-9 * expected.abs().max(1.0),
            "{found} {expected}"
        );
    }

    /// Values computed by hand: with n = 100, A is 10.
    #[test]
    fn gains_are_those_of_spall() {
        let gains = Gains::default();
        let one = parameter("M=50,0,100,4,0.02");
        // 4 · 100^0.101 = 4 · e^(0.101 · 4.605170186)
        close(gains.perturbation(&one, 1, 100), 6.368_834_908_205);
        close(gains.perturbation(&one, 100, 100), 4.0);
        // 0.02 · 4² · (110 / 11)^0.602 = 0.32 · 10^0.602
        close(gains.step(&one, 1, 100), 0.32 * 3.999_447_497_611);
        close(gains.step(&one, 100, 100), 0.32);
    }

    /// At the last iteration, c = 4 and a / c = 0.32 / 4 = 0.08 for each point.
    #[test]
    fn step_follows_the_better_player() {
        let gains = Gains::default();
        let one = parameter("M=50,0,100,4,0.02");
        for (flip, result, expected) in [
            (1.0, 2.0, 50.16),
            (-1.0, 2.0, 49.84),
            (1.0, -1.0, 49.92),
            (-1.0, -1.0, 50.08),
            (1.0, 0.0, 50.0),
        ] {
            close(gains.updated(&one, 50.0, (100, 100), flip, result), expected);
        }
        close(gains.updated(&one, 99.95, (100, 100), 1.0, 2.0), 100.0);
        close(gains.updated(&one, 0.05, (100, 100), 1.0, -2.0), 0.0);
    }

    #[test]
    fn rounding_is_stochastic_and_clipped() {
        let gains = Gains::default();
        let one = parameter("M=50,0,100,4,0.02");
        for (value, flip, uniform, expected) in [
            (50.25, 1.0, 0.0, [54, 46]),
            (50.25, 1.0, 0.74, [54, 46]),
            (50.25, 1.0, 0.76, [55, 47]),
            (50.25, -1.0, 0.76, [47, 55]),
            (98.0, 1.0, 0.0, [100, 94]),
            (1.0, 1.0, 0.5, [5, 0]),
        ] {
            let found = gains.perturbed(&one, value, (100, 100), (flip, uniform));
            assert_eq!(found, expected, "{value} {flip} {uniform}");
        }
        // The mean of many is the value itself.
        let draws = (1..=20_000).filter_map(|k| draws(7, k).next());
        let sum: i64 = draws
            .map(|draw| {
                gains.perturbed(&one, 50.25, (100, 100), draw)[0]
                    + gains.perturbed(&one, 50.25, (100, 100), draw)[1]
            })
            .sum();
        assert!((sum as f64 / 40_000.0 - 50.25).abs() < 0.02, "{sum}");
    }

    #[test]
    fn signs_are_balanced_and_independent() {
        let signs: Vec<(f64, f64)> = (1..=10_000)
            .map(|k| {
                let mut draws = draws(3, k).map(|(flip, _)| flip);
                (draws.next().unwrap(), draws.next().unwrap())
            })
            .collect();
        let sum = |sign: fn(&(f64, f64)) -> f64| signs.iter().map(sign).sum::<f64>().abs();
        // Five standard deviations are 500.
        for total in [sum(|one| one.0), sum(|one| one.1), sum(|one| one.0 * one.1)] {
            assert!(total < 500.0, "{total}");
        }
    }
}
