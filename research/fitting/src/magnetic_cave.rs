//! Training of Magnetic Cave's network.

use lodestone::game::magnetic_cave::features::{
    INPUT_GROUPS, INPUTS, OUTPUT_BUCKETS, SYMMETRIES, mirrored_input,
};
use lodestone::game::magnetic_cave::network::{
    HEADS, HIDDEN_LIMIT, HIDDEN_SCALE, HIDDEN_SIZE, INPUT_SCALE, NEUTRAL_HEAD, OUTPUT_SCALE, OUTPUT_WEIGHTS,
    WEIGHTS_BYTES,
};
use lodestone::game::magnetic_cave::network_features;
use lodestone_game::Game;
use lodestone_game::board::Side;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::random::Random;

use crate::adagrad::Weights;
use crate::loss::{cross_entropy, points_of};
use crate::pipeline::{Example, Model, Pipeline, check_size, target};
use crate::sample::Sample;

/// Learning rate of the weights from inputs to the output, relative to the hidden units.
/// Lower, because their gradients sum over all symmetries.
const INPUT_RATE: f32 = 0.25;

/// Learning rate of the output weights, relative to the hidden units. Lower, because every
/// sample changes them.
const OUTPUT_RATE: f32 = 0.3;

/// A training example.
pub struct CaveExample {
    /// The active inputs.
    pub inputs: Vec<u16>,
    /// The counted value for the first player, in units of log-odds.
    pub counted: f32,
    /// The output bucket.
    pub bucket: usize,
    /// The head: [`NEUTRAL_HEAD`], or the index of the stronger side.
    pub head: usize,
    /// The target output, as points of the first player.
    pub target: f32,
    /// The result, as points of the first player.
    pub points: f32,
}

/// The network.
pub struct CaveModel {
    hidden: Weights,
    inputs: Weights,
    output: Weights,
    /// By symmetry and input: the input of the mirrored position.
    mirrored: Vec<Vec<u16>>,
    /// By symmetry: the hidden units for the current example.
    units: [[f32; HIDDEN_SIZE]; SYMMETRIES],
}

/// The index of an output weight.
fn output_index(bucket: usize, head: usize, index: usize) -> usize {
    (bucket * HEADS + head) * OUTPUT_WEIGHTS + index
}

/// With at most this many empty cells, lodestone gets enough nodes for the solver.
/// Otherwise the network would learn from mistakes in the endgame.
const SOLVER_EMPTY: u32 = 24;

/// The node limit with at most [`SOLVER_EMPTY`] empty cells.
const SOLVER_NODES: u64 = 300_000;

/// Positions with fewer empty cells are left out: the solver plays them.
const MIN_EMPTY: u32 = 10;

/// Counted values are clamped to ± this, in the unit of evaluations.
const MAX_COUNTED: f32 = 6000.0;

impl CaveModel {
    /// Sets the weights of some inputs to 0. They stay 0 while no example has these
    /// inputs.
    fn zero_inputs(&mut self, selects: impl Fn(usize) -> bool) {
        for input in (0..INPUTS).filter(|&input| selects(input)) {
            self.hidden.values[input * HIDDEN_SIZE..][..HIDDEN_SIZE].fill(0.0);
            self.inputs.values[input * HEADS..][..HEADS].fill(0.0);
        }
    }

    /// Sets the hidden units and their output weights to 0. Their gradients are then 0,
    /// so they stay 0.
    fn zero_hidden_units(&mut self) {
        self.hidden.values.fill(0.0);
        for unit in 0..HIDDEN_SIZE {
            self.zero_output(unit);
        }
    }

    /// Sets the weight of the counted value to 0. It stays 0 while the counted value
    /// of every example is 0.
    fn zero_counted(&mut self) {
        self.zero_output(HIDDEN_SIZE);
    }

    /// Sets an output weight to 0 in all buckets and heads.
    fn zero_output(&mut self, index: usize) {
        for bucket in 0..OUTPUT_BUCKETS {
            for head in 0..HEADS {
                self.output.values[output_index(bucket, head, index)] = 0.0;
            }
        }
    }

    /// An output weight for the head of this example.
    fn output_weight(&self, example: &CaveExample, index: usize) -> f32 {
        let of = |head| self.output[output_index(example.bucket, head, index)];
        match example.head {
            NEUTRAL_HEAD => of(NEUTRAL_HEAD),
            head => of(NEUTRAL_HEAD) + of(head),
        }
    }

    /// The activation of a hidden unit for the current example, summed over all symmetries.
    fn activation(&self, unit: usize) -> f32 {
        let units = self.units.iter();
        units.map(|units| units[unit].clamp(0.0, HIDDEN_LIMIT)).sum()
    }

    /// The value of an example for the first player, in units of log-odds.
    fn log_odds(&mut self, example: &CaveExample) -> f32 {
        let mut log_odds = 0.0;
        for (units, mirrored) in self.units.iter_mut().zip(&self.mirrored) {
            *units = [0.0; HIDDEN_SIZE];
            for &input in &example.inputs {
                let input = usize::from(mirrored[usize::from(input)]);
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
            log_odds += self.activation(unit) * self.output_weight(example, unit);
        }
        log_odds += example.counted * self.output_weight(example, HIDDEN_SIZE)
            + self.output_weight(example, HIDDEN_SIZE + 1);
        log_odds
    }

    /// Trains the output weights of the head of this example.
    fn train_output(&mut self, example: &CaveExample, error: f32, rate: f32) {
        for index in 0..OUTPUT_WEIGHTS {
            let gradient = error
                * match index {
                    HIDDEN_SIZE => example.counted,
                    index if index > HIDDEN_SIZE => 1.0,
                    unit => self.activation(unit),
                };
            self.output
                .descend(output_index(example.bucket, example.head, index), gradient, rate);
        }
    }

    /// Trains the weights from the inputs to the head of this example.
    fn train_inputs(&mut self, example: &CaveExample, error: f32, rate: f32) {
        for mirrored in &self.mirrored {
            for &input in &example.inputs {
                let input = usize::from(mirrored[usize::from(input)]);
                self.inputs.descend(input * HEADS + example.head, error, rate);
            }
        }
    }

    /// Trains the weights of the hidden units. `weights` are their output weights.
    fn train_hidden(&mut self, example: &CaveExample, weights: [f32; HIDDEN_SIZE], error: f32, rate: f32) {
        for (units, mirrored) in self.units.iter().zip(&self.mirrored) {
            let gradients: [f32; HIDDEN_SIZE] = std::array::from_fn(|unit| {
                let inside = (0.0..HIDDEN_LIMIT).contains(&units[unit]);
                if inside { error * weights[unit] } else { 0.0 }
            });
            for &input in &example.inputs {
                let input = usize::from(mirrored[usize::from(input)]);
                for (unit, gradient) in gradients.into_iter().enumerate() {
                    self.hidden.descend(input * HIDDEN_SIZE + unit, gradient, rate);
                }
            }
        }
    }
}

impl Model for CaveModel {
    type Example = CaveExample;

    fn blank() -> CaveModel {
        let mut output = vec![0.0; OUTPUT_BUCKETS * HEADS * OUTPUT_WEIGHTS];
        for bucket in 0..OUTPUT_BUCKETS {
            output[output_index(bucket, NEUTRAL_HEAD, HIDDEN_SIZE)] = 1.0;
        }
        let mirrored = |symmetry| {
            (0..INPUTS)
                .map(|input| mirrored_input(input, symmetry) as u16)
                .collect()
        };
        CaveModel {
            hidden: Weights::new(vec![0.0; INPUTS * HIDDEN_SIZE]),
            inputs: Weights::new(vec![0.0; INPUTS * HEADS]),
            output: Weights::new(output),
            mirrored: (0..SYMMETRIES).map(mirrored).collect(),
            units: [[0.0; HIDDEN_SIZE]; SYMMETRIES],
        }
    }

    fn randomized(random: &mut Random) -> CaveModel {
        let mut model = CaveModel::blank();
        for weight in &mut model.hidden.values {
            *weight = (random.below(2001) as f32 / 1000.0 - 1.0) * 0.1;
        }
        for bucket in 0..OUTPUT_BUCKETS {
            for unit in 0..HIDDEN_SIZE {
                model.output.values[output_index(bucket, NEUTRAL_HEAD, unit)] =
                    if unit % 2 == 0 { 0.3 } else { -0.3 };
            }
        }
        model
    }

    fn from_bytes(bytes: &[u8]) -> Result<CaveModel, String> {
        check_size(bytes, WEIGHTS_BYTES)?;
        let (by_input, output) = bytes.split_at(INPUTS * (HIDDEN_SIZE + HEADS));
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
        let output = output
            .chunks_exact(2)
            .map(|bytes| f32::from(i16::from_le_bytes([bytes[0], bytes[1]])) / OUTPUT_SCALE);
        Ok(CaveModel {
            hidden: Weights::trained(hidden, HIDDEN_SIZE),
            inputs: Weights::trained(inputs, HEADS),
            output: Weights::trained_together(output.collect()),
            ..CaveModel::blank()
        })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let byte = |value: f32| (value.round() as i8).to_le_bytes();
        let mut bytes = Vec::with_capacity(WEIGHTS_BYTES);
        for input in 0..INPUTS {
            let hidden = (0..HIDDEN_SIZE)
                .map(|unit| self.hidden.final_value(input * HIDDEN_SIZE + unit) * HIDDEN_SCALE);
            let direct = (0..HEADS).map(|head| self.inputs.final_value(input * HEADS + head) * INPUT_SCALE);
            bytes.extend(hidden.chain(direct).flat_map(byte));
        }
        let output = self
            .output
            .values
            .iter()
            .map(|value| (value * OUTPUT_SCALE).round() as i16);
        bytes.extend(output.flat_map(i16::to_le_bytes));
        bytes
    }

    fn leave_out(&mut self, parts: &[String]) {
        self.zero_inputs(|input| leaves_out_input(parts, input));
        if parts.iter().any(|part| part == HIDDEN) {
            self.zero_hidden_units();
        }
        if parts.iter().any(|part| part == COUNTED) {
            self.zero_counted();
        }
    }

    fn points(&mut self, example: &CaveExample) -> f32 {
        points_of(self.log_odds(example))
    }

    /// Games against weaker players train the contempt heads only: they hold the difference to
    /// the neutral head.
    fn train(&mut self, example: &CaveExample, rate: f32) -> f32 {
        let points = self.points(example);
        let error = points - example.target;
        let weights: [f32; HIDDEN_SIZE] = std::array::from_fn(|unit| self.output_weight(example, unit));
        self.train_output(example, error, rate * OUTPUT_RATE);
        self.train_inputs(example, error, rate * INPUT_RATE);
        if example.head == NEUTRAL_HEAD {
            self.train_hidden(example, weights, error, rate);
        }
        cross_entropy(points, example.target)
    }
}

/// Parts beside the names of the groups of inputs.
const HIDDEN: &str = "hidden";
const COUNTED: &str = "counted";

fn leaves_out_input(parts: &[String], input: usize) -> bool {
    let group = INPUT_GROUPS.iter().find(|group| group.inputs.contains(&input));
    group.is_some_and(|group| parts.iter().any(|part| part == group.name))
}

impl Example for CaveExample {
    fn result(&self) -> f32 {
        self.points
    }

    fn counted(&self) -> f32 {
        points_of(self.counted)
    }

    fn leave_out(&mut self, parts: &[String]) {
        self.inputs
            .retain(|&input| !leaves_out_input(parts, input.into()));
        if parts.iter().any(|part| part == COUNTED) {
            self.counted = 0.0;
        }
    }
}

impl From<Sample<MagneticCave>> for CaveExample {
    fn from(sample: Sample<MagneticCave>) -> CaveExample {
        let (features, counted) = network_features(&sample.position);
        let mut inputs = Vec::new();
        features.active_inputs(|input| inputs.push(input as u16));
        let searched = sample.value.filter(|_| sample.stronger.is_none()).map(|value| {
            let value = f32::from(match sample.position.side_to_move() {
                Side::First => value,
                Side::Second => -value,
            });
            points_of(value / INPUT_SCALE)
        });
        CaveExample {
            inputs,
            counted: (counted as f32).clamp(-MAX_COUNTED, MAX_COUNTED) / INPUT_SCALE,
            bucket: features.output_bucket(),
            head: sample.stronger.map_or(NEUTRAL_HEAD, Side::index),
            target: target(sample.points, searched),
            points: sample.points,
        }
    }
}

impl Pipeline for MagneticCave {
    type Model = CaveModel;

    const OPPONENTS: &'static [&'static str] = &["lodestone", "lodestone", "groups", "squares", "plain"];

    fn first_position(_: &mut Random) -> Self {
        Self::startpos()
    }

    fn opening_plies(is_against_weaker: bool, random: &mut Random) -> u64 {
        2 + random.below(if is_against_weaker { 5 } else { 13 })
    }

    fn node_limit(&self, nodes: u64) -> u64 {
        if self.plies_left() <= SOLVER_EMPTY {
            SOLVER_NODES
        } else {
            nodes
        }
    }

    fn is_trained(&self) -> bool {
        self.plies_left() >= MIN_EMPTY
    }

    fn parts() -> Vec<(&'static str, &'static str)> {
        let inputs = INPUT_GROUPS.iter().map(|group| (group.name, group.description));
        let others = [
            (HIDDEN, "the hidden units, which leaves a weighted sum of inputs"),
            (COUNTED, "the counted value"),
        ];
        inputs.chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use lodestone::game::magnetic_cave::network::Network;
    use lodestone_game::board::Bitboard;

    use super::*;
    use crate::pipeline::tests::trained;

    /// Random games; the first player wins where the second one has more cells in lines of two bricks.
    fn samples() -> Vec<Sample<MagneticCave>> {
        let mut random = Random::new(8);
        let mut samples = Vec::new();
        let mut position = MagneticCave::startpos();
        while samples.len() < 2000 {
            let moves = position.legal_moves();
            let Some(&mv) = random.choose(&moves) else {
                position = MagneticCave::startpos();
                continue;
            };
            let (features, _) = network_features(&position);
            let [first, second] = features.twos.map(Bitboard::count);
            samples.push(Sample {
                position,
                points: if first < second { 1.0 } else { 0.0 },
                stronger: None,
                value: None,
            });
            position = position.play(mv);
        }
        samples
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn games_against_weaker_players_change_only_their_contempt_head() {
            let (mut model, _) = trained(&samples());
            let weights = |model: &CaveModel, head: usize| -> Vec<f32> {
                let inputs = model.inputs.values.iter().skip(head).step_by(HEADS);
                let output = model.output.values.chunks(OUTPUT_WEIGHTS);
                let output = output.skip(head).step_by(HEADS).flatten();
                inputs.chain(output).copied().collect()
            };
            let heads = [Side::First.index(), Side::Second.index(), NEUTRAL_HEAD];
            let before = heads.map(|head| weights(&model, head));
            let hidden = model.hidden.values.clone();
            for sample in samples() {
                let sample = Sample {
                    stronger: Some(Side::Second),
                    ..sample
                };
                model.train(&CaveExample::from(sample), 0.05);
            }
            let is_same = heads.map(|head| weights(&model, head) == before[head]);
            assert_eq!(is_same, [true, false, true]);
            assert!(model.hidden.values == hidden);
        }

        #[test]
        #[ignore = "slow: .ci/run"]
        fn engine_computes_the_trained_network() {
            let samples = samples();
            let (mut model, bytes) = trained(&samples);
            let bytes: Box<[u8; WEIGHTS_BYTES]> = bytes.into_boxed_slice().try_into().unwrap();
            let network = Network::new(&bytes);
            for sample in &samples {
                let example = CaveExample::from(sample.clone());
                let expected = model.log_odds(&example) * INPUT_SCALE;
                let (features, _) = network_features(&sample.position);
                let counted = (example.counted * INPUT_SCALE) as i32;
                let value = network.evaluate(&features, counted, None).neutral as f32;
                // Quantization rounds each of about forty inputs, in four symmetries.
                let rounded = 60.0 + 0.02 * expected.abs();
                assert!(
                    (value - expected).abs() < rounded,
                    "{value} instead of {expected}: {sample}"
                );
            }
        }
    }
}
