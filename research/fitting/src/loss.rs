//! The loss that training minimises.

/// The expected points, 0 to 1, for these log-odds (the logistic function).
pub fn points_of(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// The cross-entropy loss of predicted points.
pub fn cross_entropy(points: f32, target: f32) -> f32 {
    let points = points.clamp(1e-6, 1.0 - 1e-6);
    -(target * points.ln() + (1.0 - target) * (1.0 - points).ln())
}
