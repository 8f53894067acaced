//! Systems of equations with a sparse symmetric matrix, several right sides at once.
//!
//! Hestenes and Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems", 1952. Rows and columns are
//! multiplied so that the diagonal is 1, which is the same as a preconditioner.

/// A number of each system; those of one row are next to each other in memory.
pub type Lanes<const COUNT: usize> = [f64; COUNT];

/// A symmetric matrix without negative eigenvalues, whose diagonal is 1.
pub trait Symmetric {
    /// The factor by which each row and column was multiplied.
    fn scale(&self) -> &[f64];

    /// Writes the product with a vector; returns the product of both vectors.
    fn times<const COUNT: usize>(
        &self,
        vector: &[Lanes<COUNT>],
        product: &mut [Lanes<COUNT>],
    ) -> Lanes<COUNT>;
}

/// When a solution is good enough.
#[derive(Clone, Copy)]
pub struct Accuracy {
    /// The largest error relative to the right side.
    pub residual: f64,
    /// The most steps.
    pub iterations: usize,
}

/// The vectors whose product with the matrix, before its rows and columns were multiplied, is `rest`. Of a matrix
/// without an inverse, it is one of them.
///
/// # Errors
/// That of `watch`, which is called before each step.
pub fn solve<const COUNT: usize>(
    matrix: &impl Symmetric,
    mut rest: Vec<Lanes<COUNT>>,
    accuracy: Accuracy,
    watch: &mut dyn FnMut() -> Result<(), String>,
) -> Result<Vec<Lanes<COUNT>>, String> {
    let mut size = [0.0; COUNT];
    for (rest, scale) in rest.iter_mut().zip(matrix.scale()) {
        for lane in 0..COUNT {
            rest[lane] *= scale;
            size[lane] += rest[lane] * rest[lane];
        }
    }
    let enough = size.map(|size| size * accuracy.residual * accuracy.residual);
    let mut solution = vec![[0.0; COUNT]; rest.len()];
    let mut direction = rest.clone();
    let mut product = rest.clone();
    for _ in 0..accuracy.iterations {
        watch()?;
        let step = ratios(size, matrix.times(&direction, &mut product));
        let mut next = [0.0; COUNT];
        let rows = solution.iter_mut().zip(&mut rest).zip(&direction).zip(&product);
        for (((solution, rest), direction), product) in rows {
            for lane in 0..COUNT {
                solution[lane] += step[lane] * direction[lane];
                rest[lane] -= step[lane] * product[lane];
                next[lane] += rest[lane] * rest[lane];
            }
        }
        let is_done = |lane: usize| next[lane] <= enough[lane] || step[lane] == 0.0;
        if (0..COUNT).all(is_done) {
            break;
        }
        let factor = ratios(next, size);
        for (direction, rest) in direction.iter_mut().zip(&rest) {
            for lane in 0..COUNT {
                direction[lane] = rest[lane] + factor[lane] * direction[lane];
            }
        }
        size = next;
    }
    for (solution, scale) in solution.iter_mut().zip(matrix.scale()) {
        *solution = solution.map(|cell| cell * scale);
    }
    Ok(solution)
}

/// The quotients; 0 in the lanes of solved systems, whose numbers are too small to divide by.
fn ratios<const COUNT: usize>(one: Lanes<COUNT>, other: Lanes<COUNT>) -> Lanes<COUNT> {
    let mut ratios = [0.0; COUNT];
    for lane in 0..COUNT {
        if other[lane] > f64::MIN_POSITIVE {
            ratios[lane] = one[lane] / other[lane];
        }
    }
    ratios
}
