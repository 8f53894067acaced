//! Simultaneous perturbation stochastic approximation (SPSA).
//!
//! An iteration changes all parameters at once: each by +c or −c, at random. The opposite
//! change gives the other player of a pair of games. The result of the pair estimates the slope
//! in this direction, and all parameters take a step along it.
//!
//! Sources: J. Spall, "Implementation of the Simultaneous Perturbation Algorithm for Stochastic
//! Optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (1998), for the
//! method and the exponents; [fishtest](https://github.com/official-stockfish/fishtest) and
//! [OpenBench](https://github.com/AndyGrant/OpenBench) for `C_END` and `R_END`, and for the
//! rounding.

use lodestone::random::{Random, mix};
use serde::{Deserialize, Serialize};

use super::parameter::Parameter;

/// How the steps shrink over the iterations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gains {
    /// The exponent of the steps: Spall's α.
    pub alpha: f64,
    /// The exponent of the perturbations: Spall's γ.
    pub gamma: f64,
    /// Spall's stability constant A, as a share of the iterations: the larger, the smaller the
    /// first steps.
    pub a_ratio: f64,
}

impl Default for Gains {
    /// The values that Spall recommends.
    fn default() -> Gains {
        Gains {
            alpha: 0.602,
            gamma: 0.101,
            a_ratio: 0.1,
        }
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
mod tests {
    use super::*;

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

    /// A player whose strength falls with the distance from 30: each game is won with the
    /// probability that the logistic model gives.
    #[test]
    fn finds_a_known_optimum() {
        let gains = Gains::default();
        let (one, n) = (parameter("M=80,0,100,6,0.1"), 4000);
        let mut value = 80.0;
        let mut games = Random::new(11);
        for k in 1..=n {
            let draw = draws(5, k).next().unwrap();
            let [plus, minus] = gains.perturbed(&one, value, (k, n), draw);
            let strength = |value: i64| -0.5 * (value as f64 - 30.0).powi(2);
            let expected = 1.0 / (1.0 + libm::pow(10.0, (strength(minus) - strength(plus)) / 400.0));
            let mut result = 0.0;
            for _ in 0..2 {
                let chance = (games.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                result += if chance < expected { 1.0 } else { -1.0 };
            }
            value = gains.updated(&one, value, (k, n), draw.0, result);
        }
        assert!((value - 30.0).abs() < 6.0, "{value}");
    }
}
