//! Training of Gridlock's network.

use lodestone::game::gridlock::features::{COUNT_SCALE, COUNTS, Features, INPUTS, PIECE_BUCKETS};
use lodestone::game::gridlock::network::{
    DIRECT, EVAL_SCALE, FIRST_BIAS, FIRST_OUTPUT, HIDDEN_SIZE, TIMES, WEIGHTS, WEIGHTS_BYTES, first_direct,
    time_factors,
};
use lodestone_game::board::Side;
use lodestone_game::gridlock::Gridlock;
use lodestone_game::random::Random;
use lodestone_game::{Game, Setup};

use crate::adagrad::Weights;
use crate::loss::{cross_entropy, points_of};
use crate::pipeline::{Example, Model, Pipeline, check_size, target};
use crate::sample::Sample;

/// Upper bounds of the turn limits of games, drawn with equal chances.
const TURNS: [u64; 6] = [10, 20, 40, 60, 100, 200];

/// About this many positions of a long game become samples.
const SAMPLES_PER_GAME: u64 = 40;

/// The maximum number of random moves at the start of a game.
const MAX_OPENING_PLIES: u64 = 8;

/// Neutral weights: counts by which the hand-made evaluation of earlier versions judged, and
/// their weights in its unit.
const BLANK: [(usize, f32); 3] = [(0, 92.0), (1, 15.0), (2, 8.0)];

/// Values of `--without`.
const HIDDEN: &str = "hidden";
const DIRECT_WEIGHTS: &str = "direct";
const COUNT_NAMES: [&str; COUNTS] = [
    "room", "private", "moves", "near", "race", "alone", "shut-in", "one-exit", "rim", "corners", "friends",
    "contact",
];

/// The evaluation in training; see [`lodestone::game::gridlock::network`].
pub struct GridlockModel {
    weights: Weights,
    /// The hidden units for the current example, before ReLU.
    units: [f32; HIDDEN_SIZE],
    /// Whether hidden units and direct weights are used.
    uses: [bool; 2],
}

/// A training example, from the view of the side to move.
pub struct GridlockExample {
    inputs: [f32; INPUTS],
    factors: [f32; TIMES],
    bucket: usize,
    target: f32,
    points: f32,
}

impl GridlockModel {
    fn new(weights: Weights) -> GridlockModel {
        GridlockModel {
            weights,
            units: [0.0; HIDDEN_SIZE],
            uses: [true; 2],
        }
    }

    /// The log-odds of a win of the side to move.
    fn log_odds(&mut self, example: &GridlockExample) -> f32 {
        let [uses_hidden, uses_direct] = self.uses;
        let weights = &self.weights.values;
        let mut sum = 0.0;
        if uses_hidden {
            self.units.copy_from_slice(&weights[FIRST_BIAS..FIRST_OUTPUT]);
            for (input, weights) in example.inputs.iter().zip(weights.chunks_exact(HIDDEN_SIZE)) {
                for (unit, weight) in self.units.iter_mut().zip(weights) {
                    *unit += input * weight;
                }
            }
            let outputs = self.units.iter().zip(&weights[FIRST_OUTPUT..]);
            sum += outputs.map(|(unit, weight)| unit.max(0.0) * weight).sum::<f32>();
        }
        if uses_direct {
            for (time, factor) in example.factors.into_iter().enumerate() {
                let direct = &weights[first_direct(example.bucket) + time * DIRECT..][..DIRECT];
                let counted = example.direct_inputs().zip(direct);
                sum += factor * counted.map(|(input, weight)| input * weight).sum::<f32>();
            }
        }
        sum
    }
}

impl GridlockExample {
    /// The counts and a constant.
    fn direct_inputs(&self) -> impl Iterator<Item = f32> {
        self.inputs[..2 * COUNTS].iter().copied().chain([1.0])
    }
}

impl Model for GridlockModel {
    type Example = GridlockExample;

    fn blank() -> Self {
        let mut weights = vec![0.0; WEIGHTS];
        for bucket in 0..PIECE_BUCKETS {
            for (count, value) in BLANK {
                let weight = value * COUNT_SCALE / EVAL_SCALE;
                weights[first_direct(bucket) + count] = weight;
                weights[first_direct(bucket) + COUNTS + count] = -weight;
            }
        }
        GridlockModel::new(Weights::new(weights))
    }

    fn randomized(random: &mut Random) -> Self {
        let mut model = GridlockModel::blank();
        for weight in &mut model.weights.values[..FIRST_BIAS] {
            *weight = (random.below(2001) as f32 / 1000.0 - 1.0) * 0.3;
        }
        for unit in 0..HIDDEN_SIZE {
            model.weights.values[FIRST_OUTPUT + unit] = if unit % 2 == 0 { 0.1 } else { -0.1 };
        }
        model
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        check_size(bytes, WEIGHTS_BYTES)?;
        let weights = bytes.chunks_exact(4);
        let weights = weights.map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        Ok(GridlockModel::new(Weights::trained_together(weights.collect())))
    }

    fn to_bytes(&self) -> Vec<u8> {
        let weights = self.weights.values.iter();
        weights.flat_map(|weight| weight.to_le_bytes()).collect()
    }

    fn leave_out(&mut self, parts: &[String]) {
        let leaves_out = |name: &str| parts.iter().any(|part| part == name);
        self.uses = [!leaves_out(HIDDEN), !leaves_out(DIRECT_WEIGHTS)];
        let weights = &mut self.weights.values;
        if leaves_out(HIDDEN) {
            weights[..FIRST_OUTPUT + HIDDEN_SIZE].fill(0.0);
        }
        if leaves_out(DIRECT_WEIGHTS) {
            weights[FIRST_OUTPUT + HIDDEN_SIZE..].fill(0.0);
        }
        for input in left_out_inputs(parts) {
            weights[input * HIDDEN_SIZE..][..HIDDEN_SIZE].fill(0.0);
            for set in 0..PIECE_BUCKETS * TIMES {
                weights[first_direct(0) + set * DIRECT + input] = 0.0;
            }
        }
    }

    fn points(&mut self, example: &GridlockExample) -> f32 {
        points_of(self.log_odds(example))
    }

    fn train(&mut self, example: &GridlockExample, rate: f32) -> f32 {
        let points = self.points(example);
        let error = points - example.target;
        let [uses_hidden, uses_direct] = self.uses;
        if uses_hidden {
            for (index, unit) in self.units.into_iter().enumerate().filter(|(_, unit)| *unit > 0.0) {
                let gradient = error * self.weights[FIRST_OUTPUT + index];
                self.weights.descend(FIRST_OUTPUT + index, error * unit, rate);
                self.weights.descend(FIRST_BIAS + index, gradient, rate);
                for (input, value) in example.inputs.into_iter().enumerate() {
                    self.weights
                        .descend(input * HIDDEN_SIZE + index, gradient * value, rate);
                }
            }
        }
        if uses_direct {
            for (time, factor) in example.factors.into_iter().enumerate() {
                let first = first_direct(example.bucket) + time * DIRECT;
                for (index, input) in example.direct_inputs().enumerate() {
                    self.weights.descend(first + index, error * factor * input, rate);
                }
            }
        }
        cross_entropy(points, example.target)
    }
}

/// The inputs of the counts that are left out, of both sides.
fn left_out_inputs(parts: &[String]) -> impl Iterator<Item = usize> {
    let counts = COUNT_NAMES.iter().enumerate();
    let left_out = counts.filter(move |(_, name)| parts.iter().any(|part| part == *name));
    left_out.flat_map(|(count, _)| [count, COUNTS + count])
}

impl Example for GridlockExample {
    fn result(&self) -> f32 {
        self.points
    }

    fn counted(&self) -> f32 {
        let counts = BLANK.map(|(count, value)| value * (self.inputs[count] - self.inputs[COUNTS + count]));
        points_of(counts.iter().sum::<f32>() * COUNT_SCALE / EVAL_SCALE)
    }

    fn leave_out(&mut self, parts: &[String]) {
        for input in left_out_inputs(parts) {
            self.inputs[input] = 0.0;
        }
    }
}

impl From<Sample<Gridlock>> for GridlockExample {
    fn from(sample: Sample<Gridlock>) -> GridlockExample {
        let position = sample.position;
        let features = Features::of(&position);
        let points = match position.side_to_move() {
            Side::First => sample.points,
            Side::Second => 1.0 - sample.points,
        };
        let searched = sample.value.filter(|_| sample.stronger.is_none());
        let searched = searched.map(|value| points_of(f32::from(value) / EVAL_SCALE));
        GridlockExample {
            inputs: features.inputs(),
            factors: time_factors(&features),
            bucket: features.piece_bucket(),
            target: target(points, searched),
            points,
        }
    }
}

impl Pipeline for Gridlock {
    type Model = GridlockModel;

    const OPPONENTS: &'static [&'static str] = &["lodestone"];

    fn first_position(random: &mut Random) -> Self {
        let pieces = 1 + random.below(Setup::MAX_PIECES.into()) as u32;
        let bound = TURNS[random.below(TURNS.len() as u64) as usize];
        let turns = 1 + random.below(bound) as u32;
        Self::random_start(Setup { pieces, turns }, random)
    }

    fn opening_plies(_: bool, random: &mut Random) -> u64 {
        random.below(MAX_OPENING_PLIES + 1)
    }

    fn node_limit(&self, nodes: u64) -> u64 {
        nodes
    }

    fn keeps_sample(&self, random: &mut Random) -> bool {
        u64::from(self.plies_left()) <= SAMPLES_PER_GAME
            || random.below(self.plies_left().into()) < SAMPLES_PER_GAME
    }

    fn is_trained(&self) -> bool {
        true
    }

    fn parts() -> Vec<(&'static str, &'static str)> {
        let counts = COUNT_NAMES.map(|name| (name, "inputs: this count of both sides"));
        let others = [
            (HIDDEN, "the hidden units"),
            (DIRECT_WEIGHTS, "the direct weights"),
        ];
        counts.into_iter().chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use lodestone::game::gridlock::network::Network;

    use super::*;
    use crate::pipeline::tests::trained;

    /// Random positions; the side with more pieces on the rim wins.
    fn samples() -> Vec<Sample<Gridlock>> {
        let mut random = Random::new(8);
        let mut next = || {
            let position = Gridlock::first_position(&mut random);
            let features = Features::of(&position);
            let [own, other] = features.counts.map(|counts| counts[8]);
            let points = if own > other { 1.0 } else { 0.0 };
            Sample {
                position,
                points,
                stronger: None,
                value: None,
            }
        };
        (0..2000).map(|_| next()).collect()
    }

    #[test]
    fn engine_computes_the_trained_network() {
        let samples = samples();
        let (mut model, bytes) = trained(&samples);
        let bytes: Box<[u8; WEIGHTS_BYTES]> = bytes.into_boxed_slice().try_into().unwrap();
        let network = Network::new(&bytes);
        for sample in samples {
            let features = Features::of(&sample.position);
            let expected = model.log_odds(&sample.clone().into());
            let found = network.log_odds(&features);
            assert!(
                (found - expected).abs() < 1e-3,
                "{found} instead of {expected}: {sample}"
            );
        }
    }

    #[test]
    fn parts_that_are_left_out_stay_zero() {
        let parts: Vec<String> = Gridlock::parts()
            .iter()
            .map(|(part, _)| (*part).to_string())
            .collect();
        for (index, part) in parts.iter().enumerate() {
            let without = std::slice::from_ref(part);
            let mut model = GridlockModel::randomized(&mut Random::new(1));
            model.leave_out(without);
            for sample in samples().into_iter().take(200) {
                let mut example = GridlockExample::from(sample);
                example.leave_out(without);
                model.train(&example, 0.05);
            }
            let weights = &model.weights.values;
            let is_zero = |range: std::ops::Range<usize>| weights[range].iter().all(|&weight| weight == 0.0);
            if index < COUNTS {
                assert!(is_zero(index * HIDDEN_SIZE..(index + 1) * HIDDEN_SIZE), "{part}");
            } else {
                assert_eq!(is_zero(0..first_direct(0)), part == HIDDEN, "{part}");
                assert_eq!(
                    is_zero(first_direct(0)..WEIGHTS),
                    part == DIRECT_WEIGHTS,
                    "{part}"
                );
            }
        }
    }
}
