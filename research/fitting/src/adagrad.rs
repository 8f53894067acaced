//! Weights trained with `AdaGrad`.

use std::ops::Index;

/// `AdaGrad`: the initial sum of squared gradients of a new weight. Positive, so that the
/// first step is small.
const INITIAL_SQUARES: f32 = 1e-3;

/// The same for a weight that was trained before.
const TRAINED_SQUARES: f32 = 10.0;

/// Weights trained with `AdaGrad`.
pub struct Weights {
    /// The weights.
    pub values: Vec<f32>,
    /// The sum of squared gradients of each weight.
    squares: Vec<f32>,
}

impl Weights {
    /// New weights.
    pub fn new(values: Vec<f32>) -> Weights {
        let squares = vec![INITIAL_SQUARES; values.len()];
        Weights { values, squares }
    }

    /// Weights that were all trained before.
    pub fn trained_together(values: Vec<f32>) -> Weights {
        let squares = vec![TRAINED_SQUARES; values.len()];
        Weights { values, squares }
    }

    /// Weights that were trained before, `group` of them for each input. An input whose weights
    /// are all 0 is new.
    pub fn trained(values: Vec<f32>, group: usize) -> Weights {
        let squares = values.chunks(group).flat_map(|weights| {
            let is_new = weights.iter().all(|&weight| weight == 0.0);
            let squares = if is_new { INITIAL_SQUARES } else { TRAINED_SQUARES };
            weights.iter().map(move |_| squares)
        });
        let squares = squares.collect();
        Weights { values, squares }
    }

    /// The weight to write: 0 if no sample has changed it.
    pub fn final_value(&self, index: usize) -> f32 {
        if self.squares[index] > INITIAL_SQUARES {
            self.values[index]
        } else {
            0.0
        }
    }

    /// One step of gradient descent.
    pub fn descend(&mut self, index: usize, gradient: f32, rate: f32) {
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
