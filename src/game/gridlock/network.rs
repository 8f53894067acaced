//! A small neural network that evaluates positions, trained on games.
//!
//! Layers: [inputs](super::features) → [`HIDDEN_SIZE`] hidden units with ReLU → output.
//! The output also adds direct weights of the counts: one set for each
//! [group of numbers of pieces](Features::piece_bucket), and in it one for any time, one that
//! grows towards the turn limit, and one that also depends on which side moves last.
//!
//! All numbers are `f32`, added in a fixed order, so a position has the same value on every
//! machine. The package `fitting` makes `weights.bin`; `research/gridlock.md` has the commands.

use std::sync::LazyLock;

use lodestone_game::Setup;
use lodestone_game::score::{Value, clamp_eval};

use super::features::{COUNT_SCALE, COUNTS, Features, INPUTS, MAX_TURNS, PIECE_BUCKETS};

/// The engine's network.
pub(crate) static NETWORK: LazyLock<Network> = LazyLock::new(|| Network::new(include_bytes!("weights.bin")));

/// Hidden units.
pub const HIDDEN_SIZE: usize = 16;

/// Times with direct weights of their own: any time, near the turn limit, and near it for
/// the side that moves last.
pub const TIMES: usize = 3;

/// Direct inputs: the counts of both sides, and a constant.
pub const DIRECT: usize = 2 * COUNTS + 1;

/// The number of weights. First, by input: a weight to each hidden unit. Then the biases of
/// the hidden units and their output weights. Then, by group of pieces, time and direct
/// input: the direct weights.
pub const WEIGHTS: usize = (INPUTS + 2) * HIDDEN_SIZE + PIECE_BUCKETS * TIMES * DIRECT;

/// The size of `weights.bin` in bytes: little-endian `f32`.
pub const WEIGHTS_BYTES: usize = 4 * WEIGHTS;

/// One unit of log-odds in an evaluation.
pub const EVAL_SCALE: f32 = 400.0;

/// The network.
#[derive(Clone, Debug)]
pub struct Network {
    /// By count: weights to the hidden units.
    counts: Vec<[f32; HIDDEN_SIZE]>,
    /// The output weights of the hidden units.
    outputs: [f32; HIDDEN_SIZE],
    /// By number of pieces and turns left: what does not depend on where the pieces stand.
    stages: Vec<Stage>,
}

/// The part of the network that is the same for all positions with the same number of
/// pieces and turns left.
#[derive(Clone, Debug)]
struct Stage {
    /// The hidden units without counts.
    hidden: [f32; HIDDEN_SIZE],
    /// The direct weight of each count.
    direct: [f32; 2 * COUNTS],
    /// The direct weight of the constant.
    constant: f32,
}

/// The index of the first bias of the hidden units.
pub const FIRST_BIAS: usize = INPUTS * HIDDEN_SIZE;

/// The index of the first output weight of the hidden units.
pub const FIRST_OUTPUT: usize = FIRST_BIAS + HIDDEN_SIZE;

/// The index of the first direct weight of a group of pieces.
pub const fn first_direct(bucket: usize) -> usize {
    FIRST_OUTPUT + HIDDEN_SIZE + bucket * TIMES * DIRECT
}

impl Network {
    /// Reads the weights of a `weights.bin`.
    pub fn new(bytes: &[u8; WEIGHTS_BYTES]) -> Network {
        let weights = bytes.chunks_exact(4);
        let weights = weights.map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        let weights: Vec<f32> = weights.collect();
        let row = |input: usize, scale: f32| -> [f32; HIDDEN_SIZE] {
            std::array::from_fn(|unit| weights[input * HIDDEN_SIZE + unit] / scale)
        };
        let pieces = 1..=Setup::MAX_PIECES;
        let stages =
            pieces.flat_map(|pieces| (0..=MAX_TURNS).map(move |turns| Features::empty(pieces, turns)));
        Network {
            counts: (0..2 * COUNTS).map(|input| row(input, COUNT_SCALE)).collect(),
            outputs: std::array::from_fn(|unit| weights[FIRST_OUTPUT + unit]),
            stages: stages.map(|features| Stage::new(&weights, &features)).collect(),
        }
    }

    /// The value of a position for the side to move.
    pub(crate) fn evaluate(&self, features: &Features) -> Value {
        clamp_eval((self.log_odds(features) * EVAL_SCALE) as i32)
    }

    /// The log-odds of a win of the side to move.
    #[inline]
    pub fn log_odds(&self, features: &Features) -> f32 {
        let stage = (features.pieces - 1) * (MAX_TURNS + 1) + features.turns_left;
        let stage = &self.stages[stage as usize];
        let mut counts = [0.0; 2 * COUNTS];
        for (value, &count) in counts.iter_mut().zip(features.counts.iter().flatten()) {
            *value = count as f32;
        }
        let mut hidden = stage.hidden;
        for (count, weights) in counts.iter().zip(&self.counts) {
            for (unit, weight) in hidden.iter_mut().zip(weights) {
                *unit += count * weight;
            }
        }
        // Eight sums at a time, so that the compiler can use vectors.
        let mut sums = [0.0; 8];
        for (units, weights) in hidden.chunks_exact(8).zip(self.outputs.chunks_exact(8)) {
            for (sum, (unit, weight)) in sums.iter_mut().zip(units.iter().zip(weights)) {
                *sum += unit.max(0.0) * weight;
            }
        }
        for (counts, weights) in counts.chunks_exact(8).zip(stage.direct.chunks_exact(8)) {
            for (sum, (count, weight)) in sums.iter_mut().zip(counts.iter().zip(weights)) {
                *sum += count * weight;
            }
        }
        sums.iter().sum::<f32>() + stage.constant
    }
}

impl Stage {
    /// The stage of these features, whose counts are 0.
    fn new(weights: &[f32], features: &Features) -> Stage {
        let mut hidden: [f32; HIDDEN_SIZE] = std::array::from_fn(|unit| weights[FIRST_BIAS + unit]);
        for (input, value) in features.inputs().into_iter().enumerate() {
            for (unit, sum) in hidden.iter_mut().enumerate() {
                *sum += value * weights[input * HIDDEN_SIZE + unit];
            }
        }
        let first = first_direct(features.piece_bucket());
        let direct = |index: usize| -> f32 {
            let factors = time_factors(features).into_iter().enumerate();
            factors
                .map(|(time, factor)| factor * weights[first + time * DIRECT + index])
                .sum()
        };
        Stage {
            hidden,
            direct: std::array::from_fn(|index| direct(index) / COUNT_SCALE),
            constant: direct(2 * COUNTS),
        }
    }
}

/// By [time](TIMES), the factor of the direct weights.
pub fn time_factors(features: &Features) -> [f32; TIMES] {
    let near = features.nearness();
    [1.0, near, near * features.last_mover()]
}
