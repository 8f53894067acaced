//! The bell curve.

use std::f64::consts::TAU;

/// A normal number is this many standard deviations or fewer from its mean with
/// a chance of 95 %.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The chance that a normal number of mean 0 and variance 1 is below `z`,
/// accurate to about 1e-15.
///
/// Near 0 the series of Marsaglia, "Evaluating the Normal Distribution", 2004,
/// whose terms all have one sign; far away Laplace's continued fraction.
pub fn chance_below(z: f64) -> f64 {
    let distance = z.abs();
    let density = (-distance * distance / 2.0).exp() / TAU.sqrt();
    let tail = if distance < 3.0 {
        let (mut term, mut sum) = (distance, distance);
        // 60 terms are more than 3 needs.
        for step in 1..60 {
            term *= distance * distance / (2.0 * f64::from(step) + 1.0);
            sum += term;
        }
        0.5 - density * sum
    } else {
        let fraction = (1..100)
            .rev()
            .fold(distance, |below, step| distance + f64::from(step) / below);
        density / fraction
    };
    if z < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_the_tables() {
        for (z, chance) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (2.0, 0.977_249_868_051_820_8),
            (2.999_999, 0.998_650_097_536_514_8),
            (3.0, 0.998_650_101_968_369_9),
            (4.0, 0.999_968_328_758_166_9),
        ] {
            assert!((chance_below(z) - chance).abs() < 1e-14, "{z}");
            assert!((chance_below(-z) - (1.0 - chance)).abs() < 1e-14, "-{z}");
        }
        assert!((chance_below(Z95) - 0.975).abs() < 1e-15);
        let far = 6.220_960_574_271_819e-16;
        assert!(
            (chance_below(-8.0) / far - 1.0).abs() < 1e-12,
            "tails keep their digits"
        );
        assert_eq!(chance_below(f64::INFINITY), 1.0);
        assert_eq!(chance_below(f64::NEG_INFINITY), 0.0);
    }
}
