//! Tunes spin options of an engine by games of the engine against itself, with SPSA.
//!
//! A tuning is a match of two players, `plus` and `minus`: the same engine with different values
//! of the options. Pair n of the match is iteration n. Its values follow from the header and the
//! results of earlier pairs alone, so a result file holds all of a tuning.
//!
//! * [`Parameter`]: an option with its range and step sizes.
//! * [`spsa`]: the mathematics.
//! * [`Tuner`]: the values so far, from the results so far.
//! * [`plot`]: the values over the iterations, as SVG.

mod parameter;
pub(crate) mod spsa;

pub(crate) use parameter::Parameter;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::spsa::{Gains, draws};

/// The names of the players: all values perturbed in one direction, and in the other.
pub const PLAYERS: [&str; 2] = ["plus", "minus"];

/// What identifies a tuning, beside its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// The number of iterations, each a pair of games.
    pub iterations: u64,
    /// The number of iterations that begin with the same values.
    pub batch: u64,
    /// How the steps shrink.
    #[serde(flatten)]
    pub gains: Gains,
    #[serde(with = "parameters")]
    pub parameters: Vec<Parameter>,
}

/// Parameters as an array of text.
mod parameters {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Parameter;

    pub fn serialize<S: Serializer>(parameters: &[Parameter], serializer: S) -> Result<S::Ok, S::Error> {
        let texts: Vec<String> = parameters.iter().map(Parameter::to_string).collect();
        texts.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Parameter>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        let parameters = texts.iter().map(|text| text.parse());
        parameters
            .collect::<Result<_, String>>()
            .map_err(D::Error::custom)
    }
}

/// The result of a pair of games so far.
#[derive(Clone, Copy, Debug, Default)]
struct PairResult {
    games: u32,
    /// Wins of `plus` minus its losses.
    score: i32,
}

/// The state of a tuning.
#[derive(Clone, Debug)]
pub struct Tuner {
    tuning: Tuning,
    seed: u64,
    /// The number of finished iterations, in whole batches.
    done: u64,
    /// The values after [`Tuner::done`] iterations.
    values: Vec<f64>,
    /// The number of iterations and the values at the start and after each batch.
    path: Vec<(u64, Vec<f64>)>,
    /// Results of later iterations.
    running: BTreeMap<u64, PairResult>,
}

impl Tuner {
    /// A tuning before its first game.
    pub fn new(tuning: Tuning, seed: u64) -> Tuner {
        let values: Vec<f64> = tuning.parameters.iter().map(|one| one.start as f64).collect();
        Tuner {
            path: vec![(0, values.clone())],
            tuning,
            seed,
            done: 0,
            values,
            running: BTreeMap::new(),
        }
    }

    /// What identifies it.
    pub const fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// The number of finished iterations, in whole batches.
    pub const fn done(&self) -> u64 {
        self.done
    }

    /// The values after the finished iterations.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The number of iterations and the values, at the start and after each batch.
    pub fn path(&self) -> &[(u64, Vec<f64>)] {
        &self.path
    }

    /// The last iteration of the running batch.
    fn batch_end(&self) -> u64 {
        (self.done + self.tuning.batch).min(self.tuning.iterations)
    }

    /// Whether the values of an iteration are known.
    pub fn is_ready(&self, iteration: u64) -> bool {
        iteration <= self.batch_end()
    }

    /// The options of both players in an iteration of the running batch, those of `plus` first.
    pub fn options(&self, iteration: u64) -> [Vec<(String, String)>; 2] {
        let at = (iteration, self.tuning.iterations);
        let mut options = [Vec::new(), Vec::new()];
        let parameters = self.tuning.parameters.iter().zip(&self.values);
        for ((parameter, &value), draw) in parameters.zip(draws(self.seed, iteration)) {
            let both = self.tuning.gains.perturbed(parameter, value, at, draw);
            for (options, value) in options.iter_mut().zip(both) {
                options.push((parameter.name.clone(), value.to_string()));
            }
        }
        options
    }

    /// Adds a game: 1 if `plus` has won, −1 if `minus` has, 0 for a draw. Returns whether this
    /// has ended a batch.
    pub fn add(&mut self, iteration: u64, score: i32) -> bool {
        let pair = self.running.entry(iteration).or_default();
        pair.games += 1;
        pair.score += score;
        let before = self.done;
        while self.done < self.tuning.iterations && self.is_batch_over() {
            self.end_batch();
        }
        self.done > before
    }

    fn is_batch_over(&self) -> bool {
        let is_over = |iteration| self.running.get(&iteration).is_some_and(|pair| pair.games >= 2);
        (self.done + 1..=self.batch_end()).all(is_over)
    }

    /// Takes the steps of a batch, in the order of its iterations.
    fn end_batch(&mut self) {
        let n = self.tuning.iterations;
        for k in self.done + 1..=self.batch_end() {
            let pair = self.running.remove(&k).unwrap_or_default();
            let parameters = self.tuning.parameters.iter().zip(&mut self.values);
            for ((parameter, value), (flip, _)) in parameters.zip(draws(self.seed, k)) {
                let score = f64::from(pair.score);
                *value = self.tuning.gains.updated(parameter, *value, (k, n), flip, score);
            }
        }
        self.done = self.batch_end();
        self.path.push((self.done, self.values.clone()));
    }

    /// The values as whole numbers, by name.
    pub fn rounded(&self) -> impl Iterator<Item = (&str, i64)> {
        let names = self
            .tuning
            .parameters
            .iter()
            .map(|parameter| parameter.name.as_str());
        names.zip(self.values.iter().map(|value| value.round() as i64))
    }

    /// The values in short, such as `Margin 61.2`.
    pub fn summary(&self) -> Vec<String> {
        let named = self.tuning.parameters.iter().zip(&self.values);
        named
            .map(|(parameter, value)| format!("{} {value:.1}", parameter.name))
            .collect()
    }
}

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
        assert!(!tuner.add(1, 1) && !tuner.add(1, 1));
        assert_eq!((tuner.done(), tuner.options(2)), (0, second));
        // Games of a batch end in any order.
        assert!(!tuner.add(2, 0));
        assert!(tuner.add(2, -1));
        assert_eq!(tuner.done(), 2);
        assert!(tuner.is_ready(4) && !tuner.is_ready(5));
        for k in [4, 3, 3] {
            assert!(!tuner.add(k, 0));
        }
        assert!(tuner.add(4, 0));
        // The last batch is shorter.
        assert!(tuner.is_ready(5) && !tuner.add(5, 1) && tuner.add(5, 1));
        assert_eq!(tuner.done(), 5);
        let ends: Vec<u64> = tuner.path().iter().map(|(k, _)| *k).collect();
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
                tuner.add(k, score);
                assert!(tuner.add(k, score));
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
    fn order_of_games_within_a_batch_does_not_matter() {
        let (mut one, mut other) = (tuner(4, 4), tuner(4, 4));
        let games = [(1, 1), (1, 0), (2, -1), (2, -1), (3, 1), (3, 1), (4, 0), (4, 1)];
        for (k, score) in games {
            one.add(k, score);
        }
        for (k, score) in games.into_iter().rev() {
            other.add(k, score);
        }
        assert_eq!(one.values(), other.values());
        assert_ne!(one.values(), [50.0, 5.0]);
    }

    #[test]
    fn header_entry_is_read_as_written() {
        let tuning = tuner(7, 2).tuning().clone();
        let text = serde_json::to_string(&tuning).unwrap();
        assert_eq!(
            text,
            "{\"iterations\":7,\"batch\":2,\"alpha\":0.602,\"gamma\":0.101,\"a_ratio\":0.1,\
             \"parameters\":[\"A=50,0,100,4,0.02\",\"B=5,0,9,1,0.1\"]}"
        );
        assert_eq!(serde_json::from_str::<Tuning>(&text).unwrap(), tuning);
    }
}
