//! A small neural network that corrects the counted evaluation, trained on games.
//!
//! Layers: binary [inputs](super::features) → [`HIDDEN_SIZE`] hidden units with clipped
//! ReLU → output. The output also adds weights that connect inputs to it directly, and the
//! counted value of `evaluation`. Output weights depend on the
//! [output bucket](Features::output_bucket).
//!
//! The hidden units exist four times, once per symmetry of the board, with shared weights.
//! So a position and its mirror images have the same value.
//!
//! The network has three heads. The neutral head is trained on games between equals. The
//! other two are trained on games against weaker players, one for each side; they add
//! *contempt*: what a position is worth because the opponent may make mistakes.
//!
//! The package `fitting` makes `weights.bin`; `research/magnetic-cave.md` has the commands.

use std::sync::LazyLock;

use lodestone_game::score::Value;

use super::features::{Features, INPUTS, OUTPUT_BUCKETS, SYMMETRIES, mirrored_input};
use crate::game::Contempt;

/// The engine's network.
pub(crate) static NETWORK: LazyLock<Network> = LazyLock::new(|| Network::new(include_bytes!("weights.bin")));

/// Hidden units per symmetry.
pub const HIDDEN_SIZE: usize = 8;

/// Hidden units of all symmetries.
const TOTAL_HIDDEN: usize = HIDDEN_SIZE * SYMMETRIES;

/// Heads: contempt of the first player, contempt of the second player, neutral.
pub const HEADS: usize = 3;

/// The index of the neutral head. The contempt heads hold differences to it.
pub const NEUTRAL_HEAD: usize = 2;

/// Output weights per bucket and head: the hidden units, the counted value, a bias.
pub const OUTPUT_WEIGHTS: usize = HIDDEN_SIZE + 2;

/// Quantization: 1.0 in a hidden unit, in `weights.bin`.
pub const HIDDEN_SCALE: f32 = 64.0;

/// Upper limit of the clipped ReLU.
pub const HIDDEN_LIMIT: f32 = 4.0;

/// [`HIDDEN_LIMIT`], quantized.
const QUANTIZED_HIDDEN_LIMIT: i16 = (HIDDEN_SCALE * HIDDEN_LIMIT) as i16;

/// Quantization: one unit of log-odds in the weights from inputs to the output, in
/// `weights.bin`. Evaluations have the same unit.
pub const INPUT_SCALE: f32 = 400.0;

/// Quantization: one unit of log-odds in the output weights, in `weights.bin`.
pub const OUTPUT_SCALE: f32 = 1600.0;

/// The size of `weights.bin` in bytes. First, by input: an `i8` per hidden unit, then an
/// `i8` per head. Then, by bucket and head: the output weights, little-endian `i16`.
pub const WEIGHTS_BYTES: usize = INPUTS * (HIDDEN_SIZE + HEADS) + OUTPUT_BUCKETS * HEADS * OUTPUT_WEIGHTS * 2;

/// Quantized weights.
#[derive(Debug)]
pub struct Network {
    /// By input: weights to the hidden units of all symmetries, weights to the heads,
    /// padding.
    input_weights: Vec<[i16; WIDTH]>,
    /// By head and output bucket.
    output_layers: [[OutputLayer; OUTPUT_BUCKETS]; HEADS],
}

/// Width of the accumulator: hidden units, heads, and padding to whole SIMD vectors.
const WIDTH: usize = TOTAL_HIDDEN + 8;

/// The end of the heads in the accumulator.
const HEADS_END: usize = TOTAL_HIDDEN + HEADS;

/// The network's value of a position, for the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkOutput {
    /// The value between equals.
    pub neutral: Value,
    /// The contempt to add; negative if the second player has it.
    pub(crate) contempt: Value,
}

/// Output weights of one head and bucket.
#[derive(Clone, Copy, Debug)]
struct OutputLayer {
    hidden: [i16; TOTAL_HIDDEN],
    counted: i32,
    bias: i32,
}

impl Network {
    /// Reads the weights of a `weights.bin`.
    pub fn new(weights: &[u8; WEIGHTS_BYTES]) -> Network {
        let (by_input, output) = weights.split_at(INPUTS * (HIDDEN_SIZE + HEADS));
        let weight =
            |input: usize, index: usize| i16::from(by_input[input * (HIDDEN_SIZE + HEADS) + index] as i8);
        let input_weights = |input: usize| {
            let mirrored: [usize; SYMMETRIES] =
                std::array::from_fn(|symmetry| mirrored_input(input, symmetry));
            std::array::from_fn(|index| match index {
                0..TOTAL_HIDDEN => weight(mirrored[index / HIDDEN_SIZE], index % HIDDEN_SIZE),
                TOTAL_HIDDEN..HEADS_END => mirrored
                    .iter()
                    .map(|&input| weight(input, HIDDEN_SIZE + index - TOTAL_HIDDEN))
                    .sum(),
                _ => 0,
            })
        };
        let output_weight = |head: usize, bucket: usize, index: usize| {
            let at = 2 * ((bucket * HEADS + head) * OUTPUT_WEIGHTS + index);
            i16::from_le_bytes([output[at], output[at + 1]])
        };
        let output_layers = std::array::from_fn(|head| {
            std::array::from_fn(|bucket| OutputLayer {
                hidden: std::array::from_fn(|unit| output_weight(head, bucket, unit % HIDDEN_SIZE)),
                counted: i32::from(output_weight(head, bucket, HIDDEN_SIZE)),
                bias: i32::from(output_weight(head, bucket, HIDDEN_SIZE + 1)),
            })
        });
        Network {
            input_weights: (0..INPUTS).map(input_weights).collect(),
            output_layers,
        }
    }

    /// Evaluates a position. `counted` is its counted value.
    pub fn evaluate(&self, features: &Features, counted: Value, contempt: Option<Contempt>) -> NetworkOutput {
        let mut accumulator = [0i16; WIDTH];
        features.active_inputs(|input| {
            for (sum, weight) in accumulator.iter_mut().zip(self.input_weights[input]) {
                *sum = sum.saturating_add(weight);
            }
        });
        let activations = accumulator.map(|unit| unit.clamp(0, QUANTIZED_HIDDEN_LIMIT));
        let value = |head: usize| {
            let layer = &self.output_layers[head][features.output_bucket()];
            let sum: i32 = activations
                .iter()
                .zip(&layer.hidden)
                .map(|(&unit, &weight)| i32::from(unit) * i32::from(weight))
                .sum();
            let scaled = sum / HIDDEN_SCALE as i32 + layer.bias;
            i32::from(accumulator[TOTAL_HIDDEN + head])
                + scaled * INPUT_SCALE as i32 / OUTPUT_SCALE as i32
                + counted * layer.counted / OUTPUT_SCALE as i32
        };
        NetworkOutput {
            neutral: value(NEUTRAL_HEAD),
            contempt: contempt.map_or(0, |Contempt { side, percent }| {
                value(side.index()) * i32::from(percent) / 100
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::Game;
    use lodestone_game::board::Side;
    use lodestone_game::magnetic_cave::MagneticCave;

    use super::*;
    use crate::game::Evaluate;
    use crate::game::magnetic_cave::{mirrored_position, network_features, random_positions};

    /// No contempt, and full contempt of each side.
    fn contempts() -> [Option<Contempt>; 3] {
        [None, Some(Side::First), Some(Side::Second)]
            .map(|side| side.map(|side| Contempt { side, percent: 100 }))
    }

    #[test]
    fn mirrored_positions_have_equal_values() {
        for position in random_positions(3, 300) {
            for contempt in contempts() {
                let value = |position: &MagneticCave| position.evaluate(&position.node_info(), contempt);
                for symmetry in 0..SYMMETRIES {
                    assert_eq!(
                        value(&mirrored_position(&position, symmetry)),
                        value(&position),
                        "{}",
                        position.fen()
                    );
                }
            }
        }
    }

    #[test]
    fn trained_weights_change_the_counted_value() {
        let positions = random_positions(3, 300);
        let changed = positions.iter().filter(|position| {
            let (features, counted) = network_features(position);
            let outputs = contempts().map(|contempt| NETWORK.evaluate(&features, counted, contempt));
            outputs[0].neutral != counted && outputs[1].contempt > 0 && outputs[2].contempt < 0
        });
        assert!(changed.count() > 200);
    }
}
