//! The curvature of a posterior: a sparse symmetric matrix, whose inverse has the covariances of the ratings.

use std::num::NonZero;
use std::thread;

use super::sparse::{self, Accuracy, Lanes, Symmetric};

/// How many systems of equations are solved at once: their numbers are side by side in the memory.
pub const LANES: usize = 8;

/// A covariance is right to six digits.
const ACCURACY: Accuracy = Accuracy {
    residual: 1e-7,
    iterations: 10_000,
};

/// The curvature of the posterior at some ratings: a sparse symmetric matrix, since most players have never
/// met. Its inverse has the covariances of the ratings, of which only some columns are needed. Rows and columns
/// are multiplied so that the diagonal is 1.
#[derive(Default)]
pub struct Curvature {
    /// The weight of the own part of each player.
    pub own: Vec<f64>,
    /// The factor of each row and column.
    pub scale: Vec<f64>,
    /// The columns and values of the other cells, row by row.
    pub cells: Vec<(u32, f64)>,
    /// Where the cells of each row end.
    pub ends: Vec<usize>,
}

impl Curvature {
    /// A matrix from one row per player: the precision of the player's own prior, and for other players the information
    /// about the difference of the two ratings, which must be in the rows of both.
    pub fn new<R: IntoIterator<Item = (usize, f64)>>(rows: impl Iterator<Item = (f64, R)>) -> Curvature {
        let mut curvature = Curvature::default();
        for (own, row) in rows {
            let mut diagonal = own;
            for (other, weight) in row {
                diagonal += weight;
                curvature.cells.push((other as u32, -weight));
            }
            curvature.own.push(own);
            curvature.scale.push(diagonal.sqrt().recip());
            curvature.ends.push(curvature.cells.len());
        }
        let mut start = 0;
        for (own, &end) in curvature.scale.iter().zip(&curvature.ends) {
            for (other, value) in &mut curvature.cells[start..end] {
                *value *= own * curvature.scale[*other as usize];
            }
            start = end;
        }
        curvature
    }

    /// The column of a player of the inverse.
    pub fn column(&self, player: usize) -> Vec<f64> {
        self.covariances(&[player]).iter().map(|row| row[0]).collect()
    }

    /// The columns of up to [`LANES`] players of the inverse.
    pub fn covariances(&self, players: &[usize]) -> Vec<Lanes<LANES>> {
        let mut right = vec![[0.0; LANES]; self.scale.len()];
        for (lane, &player) in players.iter().enumerate() {
            right[player][lane] = 1.0;
        }
        self.solve(right)
    }

    /// For each group the matrix of the covariances of its players, until `watch` fails; with `zero`, of the
    /// differences to this player.
    pub fn covariances_of<E: Send>(
        &self,
        groups: &[Vec<usize>],
        zero: Option<usize>,
        watch: impl Fn() -> Result<(), E> + Sync,
    ) -> Result<Vec<Vec<Vec<f64>>>, E> {
        let with_zero = zero.map(|zero| self.column(zero));
        let columns: Vec<(&[usize], usize)> = groups
            .iter()
            .flat_map(|group| group.iter().map(|&player| (&**group, player)))
            .collect();
        let solve = |columns: &&[(&[usize], usize)]| {
            watch()?;
            let players: Vec<usize> = columns.iter().map(|&(_, player)| player).collect();
            let found = self.covariances(&players);
            let column = |(lane, &(group, player)): (usize, &(&[usize], usize))| {
                let moved = |other: usize| match (&with_zero, zero) {
                    (Some(with), Some(zero)) => with[zero] - with[player] - with[other],
                    _ => 0.0,
                };
                let cells = group.iter().map(|&other| found[other][lane] + moved(other));
                cells.collect::<Vec<f64>>()
            };
            Ok(columns.iter().enumerate().map(column).collect::<Vec<_>>())
        };
        let mut solved = in_threads(&columns.chunks(LANES).collect::<Vec<_>>(), solve)?
            .into_iter()
            .flatten();
        Ok(groups
            .iter()
            .map(|group| solved.by_ref().take(group.len()).collect())
            .collect())
    }

    /// The vectors whose product with the curvature is `right`.
    pub fn solve<const COUNT: usize>(&self, right: Vec<Lanes<COUNT>>) -> Vec<Lanes<COUNT>> {
        sparse::solve(self, right, ACCURACY, &mut || Ok(())).unwrap_or_default()
    }
}

impl Symmetric for Curvature {
    fn scale(&self) -> &[f64] {
        &self.scale
    }

    fn times<const COUNT: usize>(
        &self,
        vector: &[Lanes<COUNT>],
        product: &mut [Lanes<COUNT>],
    ) -> Lanes<COUNT> {
        let (mut start, mut along) = (0, [0.0; COUNT]);
        for ((product, own), &end) in product.iter_mut().zip(vector).zip(&self.ends) {
            let mut sum = *own;
            for &(column, value) in &self.cells[start..end] {
                let other = &vector[column as usize];
                for lane in 0..COUNT {
                    sum[lane] += value * other[lane];
                }
            }
            for lane in 0..COUNT {
                along[lane] += own[lane] * sum[lane];
            }
            (*product, start) = (sum, end);
        }
        along
    }
}

/// The results of `work` for each of the tasks, in their order, from as many threads as the machine has cores.
pub fn in_threads<T: Sync, R: Send, E: Send>(
    tasks: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = tasks.len().div_ceil(threads).max(1);
    let run = |tasks: &[T]| tasks.iter().map(&work).collect::<Result<Vec<R>, E>>();
    let (run, mut shares) = (&run, tasks.chunks(share));
    let own = shares.next().unwrap_or_default();
    thread::scope(|scope| {
        let others: Vec<_> = shares
            .map(|tasks| {
                (
                    tasks,
                    thread::Builder::new().spawn_scoped(scope, move || run(tasks)),
                )
            })
            .collect();
        let mut results = run(own)?;
        for (tasks, other) in others {
            let other = other.ok().and_then(|other| other.join().ok());
            // A thread that could not be started.
            results.extend(other.unwrap_or_else(|| run(tasks))?);
        }
        Ok(results)
    })
}
