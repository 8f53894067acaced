//! The network with real numbers for weights, as it learns.

use std::ops::Index;

use lodestone::game::magnetic_cave::network::{
    HEADS, HIDDEN_LIMIT, HIDDEN_SCALE, HIDDEN_SIZE, INPUT_SCALE, INPUTS, NEUTRAL_HEAD, OUTPUT_BUCKETS,
    OUTPUT_SCALE, OUTPUT_WEIGHTS, SYMMETRIES, WEIGHTS_BYTES, image,
};
use lodestone::random::Random;

/// How fast weights of inputs themselves and last weights learn, compared to
/// those of the hidden units: they sum over all copies, or all samples.
const INPUT_RATE: f32 = 0.25;
const LAST_RATE: f32 = 0.3;

/// A sample as the network sees it.
pub struct Example {
    /// The inputs that are there.
    pub inputs: Vec<u16>,
    /// The counted value in units of log-odds, for the first player.
    pub counted: f32,
    /// The stage of the game.
    pub stage: usize,
    /// The head: [`EQUALS`], or the index of lodestone's side.
    pub head: usize,
    /// What the network should say, as points of the first player.
    pub target: f32,
    /// What the first player got.
    pub points: f32,
}

/// The squares of a weight's gradients begin with this sum, so that its first
/// step is a small one.
const UNTOUCHED: f32 = 1e-3;

/// The same where weights have learned before.
const SETTLED: f32 = 10.0;

/// Weights that learn by `AdaGrad`: each the slower the more it has moved.
struct Weights {
    values: Vec<f32>,
    squares: Vec<f32>,
}

impl Weights {
    fn new(values: Vec<f32>) -> Weights {
        let squares = vec![UNTOUCHED; values.len()];
        Weights { values, squares }
    }

    /// Weights that have learned before.
    fn settled(values: Vec<f32>) -> Weights {
        let squares = vec![SETTLED; values.len()];
        Weights { values, squares }
    }

    /// A weight as it is written: nothing where no sample came by.
    fn learned(&self, index: usize) -> f32 {
        if self.squares[index] > UNTOUCHED {
            self.values[index]
        } else {
            0.0
        }
    }

    fn descend(&mut self, index: usize, gradient: f32, rate: f32) {
        self.squares[index] += gradient * gradient;
        self.values[index] -= rate * gradient / self.squares[index].sqrt();
    }
}

impl Index<usize> for Weights {
    type Output = f32;

    fn index(&self, index: usize) -> &f32 {
        &self.values[index]
    }
}

/// The network.
pub struct Model {
    hidden: Weights,
    inputs: Weights,
    last: Weights,
    /// By symmetry and input, the input of the image.
    images: Vec<Vec<u16>>,
    /// The hidden units of all copies for the example looked at.
    units: [[f32; HIDDEN_SIZE]; SYMMETRIES],
}

/// The index of a last weight.
fn last_index(stage: usize, head: usize, index: usize) -> usize {
    (stage * HEADS + head) * OUTPUT_WEIGHTS + index
}

impl Model {
    /// A network that knows only the counted value.
    pub fn blank() -> Model {
        let mut last = vec![0.0; OUTPUT_BUCKETS * HEADS * OUTPUT_WEIGHTS];
        for stage in 0..OUTPUT_BUCKETS {
            last[last_index(stage, NEUTRAL_HEAD, HIDDEN_SIZE)] = 1.0;
        }
        let images = |symmetry| (0..INPUTS).map(|input| image(input, symmetry) as u16).collect();
        Model {
            hidden: Weights::new(vec![0.0; INPUTS * HIDDEN_SIZE]),
            inputs: Weights::new(vec![0.0; INPUTS * HEADS]),
            last: Weights::new(last),
            images: (0..SYMMETRIES).map(images).collect(),
            units: [[0.0; HIDDEN_SIZE]; SYMMETRIES],
        }
    }

    /// A blank network whose hidden units begin at random, so that each learns
    /// something else.
    pub fn ready_to_learn(random: &mut Random) -> Model {
        let mut model = Model::blank();
        for weight in &mut model.hidden.values {
            *weight = (random.below(2001) as f32 / 1000.0 - 1.0) * 0.1;
        }
        for stage in 0..OUTPUT_BUCKETS {
            for unit in 0..HIDDEN_SIZE {
                model.last.values[last_index(stage, NEUTRAL_HEAD, unit)] =
                    if unit % 2 == 0 { 0.3 } else { -0.3 };
            }
        }
        model
    }

    /// Sets the weight of the counted value to 0. It stays 0 while the counted value
    /// of every example is 0.
    pub fn leave_out_counted(&mut self) {
        for bucket in 0..OUTPUT_BUCKETS {
            for head in 0..HEADS {
                self.last.values[last_index(bucket, head, HIDDEN_SIZE)] = 0.0;
            }
        }
    }

    /// The network of a `weights.bin`.
    pub fn from_bytes(bytes: &[u8; WEIGHTS_BYTES]) -> Model {
        let (by_input, last) = bytes.split_at(INPUTS * (HIDDEN_SIZE + HEADS));
        let (mut hidden, mut inputs) = (Vec::new(), Vec::new());
        for weights in by_input.chunks_exact(HIDDEN_SIZE + HEADS) {
            let mut weights = weights.iter().map(|&byte| f32::from(byte as i8));
            hidden.extend(
                weights
                    .by_ref()
                    .take(HIDDEN_SIZE)
                    .map(|weight| weight / HIDDEN_SCALE),
            );
            inputs.extend(weights.map(|weight| weight / INPUT_SCALE));
        }
        let last = last
            .chunks_exact(2)
            .map(|bytes| f32::from(i16::from_le_bytes([bytes[0], bytes[1]])) / OUTPUT_SCALE);
        Model {
            hidden: Weights::settled(hidden),
            inputs: Weights::settled(inputs),
            last: Weights::settled(last.collect()),
            ..Model::blank()
        }
    }

    /// A last weight as the head of this example sees it.
    fn last(&self, example: &Example, index: usize) -> f32 {
        let of = |head| self.last[last_index(example.stage, head, index)];
        match example.head {
            NEUTRAL_HEAD => of(NEUTRAL_HEAD),
            head => of(NEUTRAL_HEAD) + of(head),
        }
    }

    /// What the first player gets in the eyes of the network, 0 to 1.
    pub fn points(&mut self, example: &Example) -> f32 {
        let mut log_odds = 0.0;
        for (units, images) in self.units.iter_mut().zip(&self.images) {
            *units = [0.0; HIDDEN_SIZE];
            for &input in &example.inputs {
                let input = usize::from(images[usize::from(input)]);
                let weights = &self.hidden.values[input * HIDDEN_SIZE..][..HIDDEN_SIZE];
                for (unit, weight) in units.iter_mut().zip(weights) {
                    *unit += weight;
                }
                log_odds += self.inputs[input * HEADS + NEUTRAL_HEAD];
                if example.head != NEUTRAL_HEAD {
                    log_odds += self.inputs[input * HEADS + example.head];
                }
            }
        }
        for unit in 0..HIDDEN_SIZE {
            let sum: f32 = self
                .units
                .iter()
                .map(|units| units[unit].clamp(0.0, HIDDEN_LIMIT))
                .sum();
            log_odds += sum * self.last(example, unit);
        }
        log_odds += example.counted * self.last(example, HIDDEN_SIZE) + self.last(example, HIDDEN_SIZE + 1);
        points_of(log_odds)
    }

    /// Learns from an example at this rate; gives the loss before.
    pub fn learn(&mut self, example: &Example, rate: f32) -> f32 {
        let points = self.points(example);
        let error = points - example.target;
        let weights: [f32; HIDDEN_SIZE] = std::array::from_fn(|unit| self.last(example, unit));
        self.learn_last(example, error, rate * LAST_RATE);
        for symmetry in 0..SYMMETRIES {
            let gradients: [f32; HIDDEN_SIZE] = std::array::from_fn(|unit| {
                let inside = (0.0..HIDDEN_LIMIT).contains(&self.units[symmetry][unit]);
                if inside { error * weights[unit] } else { 0.0 }
            });
            for &input in &example.inputs {
                let input = usize::from(self.images[symmetry][usize::from(input)]);
                for (unit, gradient) in gradients.into_iter().enumerate() {
                    self.hidden.descend(input * HIDDEN_SIZE + unit, gradient, rate);
                }
                self.inputs
                    .descend(input * HEADS + NEUTRAL_HEAD, error, rate * INPUT_RATE);
                if example.head != NEUTRAL_HEAD {
                    self.inputs
                        .descend(input * HEADS + example.head, error, rate * INPUT_RATE);
                }
            }
        }
        cross_entropy(points, example.target)
    }

    fn learn_last(&mut self, example: &Example, error: f32, rate: f32) {
        let mut seen = [0.0; OUTPUT_WEIGHTS];
        for (unit, seen) in seen.iter_mut().take(HIDDEN_SIZE).enumerate() {
            *seen = self
                .units
                .iter()
                .map(|units| units[unit].clamp(0.0, HIDDEN_LIMIT))
                .sum();
        }
        seen[HIDDEN_SIZE] = example.counted;
        seen[HIDDEN_SIZE + 1] = 1.0;
        for (index, seen) in seen.into_iter().enumerate() {
            self.last
                .descend(last_index(example.stage, NEUTRAL_HEAD, index), error * seen, rate);
            if example.head != NEUTRAL_HEAD {
                self.last
                    .descend(last_index(example.stage, example.head, index), error * seen, rate);
            }
        }
    }

    /// The contents of `weights.bin`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let byte = |value: f32| (value.round() as i8).to_le_bytes();
        let mut bytes = Vec::with_capacity(WEIGHTS_BYTES);
        for input in 0..INPUTS {
            let hidden =
                (0..HIDDEN_SIZE).map(|unit| self.hidden.learned(input * HIDDEN_SIZE + unit) * HIDDEN_SCALE);
            let own = (0..HEADS).map(|head| self.inputs.learned(input * HEADS + head) * INPUT_SCALE);
            bytes.extend(hidden.chain(own).flat_map(byte));
        }
        let last = self
            .last
            .values
            .iter()
            .map(|value| (value * OUTPUT_SCALE).round() as i16);
        bytes.extend(last.flat_map(i16::to_le_bytes));
        bytes
    }
}

/// The points that these log-odds stand for, 0 to 1.
pub fn points_of(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// How surprising `target` is for somebody who expected `points`.
pub fn cross_entropy(points: f32, target: f32) -> f32 {
    let points = points.clamp(1e-6, 1.0 - 1e-6);
    -(target * points.ln() + (1.0 - target) * (1.0 - points).ln())
}

#[cfg(test)]
mod tests {
    use lodestone::board::Side;
    use lodestone::game::Game;
    use lodestone::game::magnetic_cave::MagneticCave;
    use lodestone::game::magnetic_cave::network::Network;

    use super::*;
    use crate::fit::example;
    use crate::sample::Sample;

    /// Random games; the first player wins those in which it has no brick on a8.
    fn samples() -> Vec<Sample> {
        let mut random = Random::new(8);
        let mut samples = Vec::new();
        let mut position = MagneticCave::startpos();
        while samples.len() < 2000 {
            let moves = position.legal_moves();
            let Some(&mv) = random.choose(&moves) else {
                position = MagneticCave::startpos();
                continue;
            };
            samples.push(Sample {
                position,
                points: if position.pieces(Side::First).0 & 1 == 0 {
                    1.0
                } else {
                    0.0
                },
                thinker: None,
                value: None,
            });
            position = position.play(mv);
        }
        samples
    }

    #[test]
    fn the_engine_computes_what_was_learned() {
        let samples = samples();
        let mut model = Model::ready_to_learn(&mut Random::new(1));
        let mut epoch = || -> f32 {
            samples
                .iter()
                .map(|sample| model.learn(&example(sample), 0.05))
                .sum()
        };
        let losses: [f32; 5] = std::array::from_fn(|_| epoch());
        assert!(losses[4] < 0.5 * losses[0], "little was learned: {losses:?}");

        let bytes: Box<[u8; WEIGHTS_BYTES]> = model.to_bytes().into_boxed_slice().try_into().unwrap();
        assert!(
            Model::from_bytes(&bytes).to_bytes() == *bytes,
            "weights read and written differ"
        );

        let network = Network::new(&bytes);
        for sample in &samples {
            let example = example(sample);
            let points = model.points(&example);
            let expected = (points / (1.0 - points)).ln() * INPUT_SCALE;
            let (view, _) = sample.position.network_features();
            let counted = (example.counted * INPUT_SCALE) as i32;
            let value = network.evaluate(&view, counted, None).between_equals as f32;
            // Each of some forty inputs is rounded, in four images.
            let rounded = 60.0 + 0.02 * expected.abs();
            assert!(
                (value - expected).abs() < rounded,
                "{value} instead of {expected}: {sample}"
            );
        }
    }
}
