//! What games and training need to know about a game.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use lodestone::game::Yardstick;
use lodestone::search::RootStrategy;
use lodestone_game::Variant;
use lodestone_game::random::Random;

use crate::sample::Sample;

/// A game whose evaluation is trained.
pub trait Pipeline: RootStrategy + Yardstick {
    /// The model to train.
    type Model: Model<Example: From<Sample<Self>>>;

    /// Lodestone's opponents by default.
    const OPPONENTS: &'static [&'static str];

    /// The first position of a game.
    fn first_position(random: &mut Random) -> Self;

    /// The number of random moves at the start of a game.
    fn opening_plies(is_against_weaker: bool, random: &mut Random) -> u64;

    /// Lodestone's node limit in this position, if `nodes` is the usual one.
    fn node_limit(&self, nodes: u64) -> u64;

    /// Whether an unforced position becomes a sample; some games would have too many.
    fn keeps_sample(&self, _random: &mut Random) -> bool {
        true
    }

    /// Whether training uses this position.
    fn is_trained(&self) -> bool;

    /// Names and descriptions of the parts that `--without` can leave out.
    fn parts() -> Vec<(&'static str, &'static str)>;
}

/// An evaluation in training.
pub trait Model: Sized {
    /// A training example.
    type Example: Example;

    /// Neutral weights: the value of the counts.
    fn blank() -> Self;

    /// Weights to start from, in which each hidden unit differs.
    fn randomized(random: &mut Random) -> Self;

    /// Reads a `weights.bin`.
    ///
    /// # Errors
    /// The size is wrong.
    fn from_bytes(bytes: &[u8]) -> Result<Self, String>;

    /// The contents of `weights.bin`.
    fn to_bytes(&self) -> Vec<u8>;

    /// Sets the weights of these [parts](Pipeline::parts) to 0; they stay 0 in training.
    fn leave_out(&mut self, parts: &[String]);

    /// The expected points of the example, 0 to 1.
    fn points(&mut self, example: &Self::Example) -> f32;

    /// One step of gradient descent at this rate. Returns the loss before the step.
    fn train(&mut self, example: &Self::Example, rate: f32) -> f32;
}

/// A training example.
pub trait Example {
    /// The points of the game's result.
    fn result(&self) -> f32;

    /// The points that the counts alone predict.
    fn counted(&self) -> f32;

    /// Removes these [parts](Pipeline::parts).
    fn leave_out(&mut self, parts: &[String]);
}

/// The parser of `--variant`, which takes the games with a [`Pipeline`].
pub fn variant() -> impl TypedValueParser<Value = Variant> {
    PossibleValuesParser::new([Variant::MagneticCave, Variant::Gridlock].map(Variant::name))
        .map(|name| Variant::from_name(&name).unwrap_or_default())
}

/// Whether `weights.bin` has the right size.
///
/// # Errors
/// It has not.
pub fn check_size(bytes: &[u8], expected: usize) -> Result<(), String> {
    if bytes.len() == expected {
        Ok(())
    } else {
        Err(format!(
            "expected weights of {expected} bytes, found {}",
            bytes.len()
        ))
    }
}

/// In games between equals, the weight of the game's result in the target; the rest is the
/// search's value.
const RESULT_WEIGHT: f32 = 0.7;

/// The target of training: the points of the result, mixed with the points that the search
/// expected, if it is known.
pub fn target(points: f32, searched: Option<f32>) -> f32 {
    searched.map_or(points, |searched| {
        RESULT_WEIGHT * points + (1.0 - RESULT_WEIGHT) * searched
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A model after five epochs, which at least halve the loss, and its `weights.bin`, which
    /// reads as it was written.
    pub fn trained<G: Pipeline>(samples: &[Sample<G>]) -> (G::Model, Vec<u8>) {
        let mut model = G::Model::randomized(&mut Random::new(1));
        let mut epoch = || -> f32 {
            samples
                .iter()
                .map(|sample| model.train(&sample.clone().into(), 0.05))
                .sum()
        };
        let losses: [f32; 5] = std::array::from_fn(|_| epoch());
        assert!(losses[4] < 0.5 * losses[0], "training failed: {losses:?}");

        let bytes = model.to_bytes();
        assert!(
            G::Model::from_bytes(&bytes).unwrap().to_bytes() == bytes,
            "weights read and written differ"
        );
        (model, bytes)
    }
}
