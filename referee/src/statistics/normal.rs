//! The standard normal distribution.

use std::f64::consts::FRAC_1_SQRT_2;

/// The 97.5 % quantile: 95 % of a normal distribution lies within this many
/// standard deviations of its mean.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Φ(z), the cumulative distribution function, with full relative precision in
/// both tails.
pub fn normal_cdf(z: f64) -> f64 {
    libm::erfc(-z * FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cdf_matches_published_tables() {
        for (z, probability) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (2.0, 0.977_249_868_051_820_8),
            (2.999_999, 0.998_650_097_536_514_8),
            (3.0, 0.998_650_101_968_369_9),
            (4.0, 0.999_968_328_758_166_9),
        ] {
            assert!((normal_cdf(z) - probability).abs() < 1e-14, "{z}");
            assert!((normal_cdf(-z) - (1.0 - probability)).abs() < 1e-14, "-{z}");
        }
        assert!((normal_cdf(Z95) - 0.975).abs() < 1e-15);
        let far = 6.220_960_574_271_819e-16;
        assert!(
            (normal_cdf(-8.0) / far - 1.0).abs() < 1e-12,
            "the tail keeps its relative precision"
        );
        assert_eq!(normal_cdf(f64::INFINITY), 1.0);
        assert_eq!(normal_cdf(f64::NEG_INFINITY), 0.0);
    }
}
