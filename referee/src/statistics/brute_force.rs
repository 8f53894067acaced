//! The same numbers once more, found in slow and obvious ways: the two must
//! agree.

use proptest::prelude::*;

use super::bradley_terry::{HeadToHead, fit};
use super::elo::{LOGIT, NORMALIZED};
use super::properties::config;
use super::{Model, Pentanomial, Sprt, Trinomial};

/// Σ seen · ln p of the likeliest shares with this mean and deviation, or less
/// than any number. Values are those of a pair, or of a game where the shares of
/// ¼ and ¾ are fixed at 0.
fn with_moments(seen: &[f64], mean: f64, deviation: f64) -> f64 {
    let squares = deviation * deviation + mean * mean;
    // The shares of 0, ½ and 1, if those of ¼ and ¾ were 0.
    let plain = [
        1.0 - 3.0 * mean + 2.0 * squares,
        4.0 * (mean - squares),
        2.0 * squares - mean,
    ];
    let [none, half, all] = plain;
    if let [lost, tied, won] = *seen {
        let is_possible = plain.iter().all(|&share| share > 0.0);
        let value = || lost * none.ln() + tied * half.ln() + won * all.ln();
        return if is_possible { value() } else { f64::NEG_INFINITY };
    }
    // What any share of ¼ and ¾ takes from them, without making one negative.
    let value = |quarter: f64, three: f64| -> f64 {
        let shares = [
            none - 0.375 * quarter + 0.125 * three,
            quarter,
            half - 0.75 * quarter - 0.75 * three,
            three,
            all + 0.125 * quarter - 0.375 * three,
        ];
        seen.iter()
            .zip(shares)
            .map(|(seen, share)| seen * share.max(1e-300).ln())
            .sum()
    };
    let low = (-8.0 * all).max(0.0);
    let high = (half / 0.75).min(half / 3.0 + 2.0 * none).min(3.0 * none + all);
    if low >= high {
        return f64::NEG_INFINITY;
    }
    highest(low, high, |quarter| {
        let low = (3.0 * quarter - 8.0 * none).max(0.0);
        let high = (half / 0.75 - quarter).min((8.0 * all + quarter) / 3.0);
        highest(low, high, |three| value(quarter, three))
    })
}

/// The highest value of a function that rises and then falls (golden section).
fn highest(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let inner = |low: f64, high: f64| [high - golden * (high - low), low + golden * (high - low)];
    let [mut left, mut right] = inner(low, high);
    let (mut at_left, mut at_right) = (value(left), value(right));
    for _ in 0..45 {
        if at_left < at_right {
            (low, left, at_left) = (left, right, at_right);
            right = inner(low, high)[1];
            at_right = value(right);
        } else {
            (high, right, at_right) = (right, left, at_left);
            left = inner(low, high)[0];
            at_left = value(left);
        }
    }
    at_left.max(at_right)
}

/// The highest value of a function near a place, by trying ever closer ones.
fn highest_near(mut place: f64, mut width: f64, value: impl Fn(f64) -> f64) -> f64 {
    let mut best = value(place);
    for _ in 0..8 {
        let centre = place;
        for step in -20..=20 {
            let tried = (centre + f64::from(step) / 20.0 * width).max(0.0);
            let reached = value(tried);
            if reached > best {
                (best, place) = (reached, tried);
            }
        }
        width /= 10.0;
    }
    best
}

/// The log-likelihood ratio, as its definition has it: every deviation is tried.
fn slow_ratio<const N: usize>(counts: [f64; N], model: Model, elos: [f64; 2]) -> f64 {
    let counts = counts.map(|count| count.max(1e-3));
    let size: f64 = counts.iter().sum();
    let seen = counts.map(|count| count / size);
    let [zero, one] = elos.map(|elo| {
        let value = |deviation: f64| {
            let mean = if model == Model::Logistic {
                1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
            } else {
                let ratio = elo / NORMALIZED * if N == 5 { 2.0_f64.sqrt() } else { 1.0 };
                0.5 + ratio * deviation
            };
            with_moments(&seen, mean, deviation)
        };
        // Closer together near 0, where less can be moved.
        let places: Vec<f64> = (0..=200)
            .map(|step| 0.5 * (f64::from(step) / 200.0).powi(2))
            .collect();
        let values: Vec<f64> = places.iter().map(|&place| value(place)).collect();
        let peaks = (1..200).filter(|&peak| values[peak] >= values[peak - 1].max(values[peak + 1]));
        peaks
            .map(|peak| highest_near(places[peak], places[peak + 1] - places[peak], value))
            .fold(f64::NEG_INFINITY, f64::max)
    });
    size * (one - zero)
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn ratios_are_what_their_definition_says(
        counts in prop::array::uniform5(prop_oneof![Just(0_u64), 1..30_u64, 1..3000_u64]),
        elo0 in -300.0..300.0_f64,
        width in 0.5..300.0_f64,
        model in prop_oneof![Just(Model::Normalized), Just(Model::Logistic)],
    ) {
        prop_assume!(counts.iter().any(|&count| count > 0));
        let elos = [elo0, elo0 + width];
        let sprt = Sprt::new(elos[0], elos[1], 0.05, 0.05, model).unwrap();
        let [loss_loss, loss_draw, win_loss, win_draw, win_win] = counts;
        let pairs = Pentanomial {
            loss_loss, loss_draw, win_loss, draw_draw: 0, win_draw, win_win,
        };
        let games = Trinomial { wins: counts[0], draws: counts[1], losses: counts[2] };
        for (found, slow) in [
            (sprt.llr_of_pairs(&pairs), slow_ratio(counts.map(|count| count as f64), model, elos)),
            (
                sprt.llr_of_games(&games),
                slow_ratio([games.losses, games.draws, games.wins].map(|count| count as f64), model, elos),
            ),
        ] {
            if games.games() > 0 {
                prop_assert!((found - slow).abs() < 1e-5 * (1.0 + slow.abs()), "{} {} {:?}", found, slow, elos);
            }
        }
    }

    #[test]
    fn ratings_are_where_gradient_ascent_ends(
        points in prop::collection::vec((1..20_u32, 1..20_u32), 10),
    ) {
        // Five players, each against each.
        let meetings = (0..5).flat_map(|one| (one + 1..5).map(move |other| [one, other]));
        let results: Vec<HeadToHead> = meetings
            .zip(points)
            .map(|(players, (won, lost))| HeadToHead { players, points: [f64::from(won) / 2.0, f64::from(lost) / 2.0] })
            .collect();
        let mut ratings = [0.0_f64; 5];
        for _ in 0..20_000 {
            let mut slope = [0.0; 5];
            for HeadToHead { players: [one, other], points: [won, lost] } in &results {
                let expected = (won + lost) / (1.0 + (ratings[*other] - ratings[*one]).exp());
                slope[*one] += won - expected;
                slope[*other] -= won - expected;
            }
            for (rating, slope) in ratings.iter_mut().zip(slope) {
                *rating += 0.02 * slope;
            }
        }
        for (found, slow) in fit(&results, &[0.0; 5]).iter().zip(ratings) {
            prop_assert!((found - slow).abs() * LOGIT < 1e-6, "{} {}", found, slow);
        }
    }
}
