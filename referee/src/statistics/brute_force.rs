//! Slow, obvious implementations, compared with the fast ones.

use proptest::prelude::*;

use super::elo::{LOGIT, NORMALIZED};
use super::properties::config;
use super::{Bootstrap, Crosstable, Model, Pentanomial, Sample, Sprt, Trinomial};

/// The maximum of Σ p̂ · ln p over all distributions p with this mean and standard
/// deviation; −∞ if there is none. `observed` (p̂) has the frequencies of the 3
/// outcomes of a game or the 5 of a pair.
fn max_log_likelihood(observed: &[f64], mean: f64, deviation: f64) -> f64 {
    let squares = deviation * deviation + mean * mean;
    // The probabilities of 0, ½ and 1 if those of ¼ and ¾ are 0.
    let plain = [
        1.0 - 3.0 * mean + 2.0 * squares,
        4.0 * (mean - squares),
        2.0 * squares - mean,
    ];
    let [none, half, all] = plain;
    if let [losses, draws, wins] = *observed {
        let is_possible = plain.iter().all(|&share| share > 0.0);
        let value = || losses * none.ln() + draws * half.ln() + wins * all.ln();
        return if is_possible { value() } else { f64::NEG_INFINITY };
    }
    // The probabilities of ¼ and ¾ determine the others.
    let value = |quarter: f64, three: f64| -> f64 {
        let shares = [
            none - 0.375 * quarter + 0.125 * three,
            quarter,
            half - 0.75 * quarter - 0.75 * three,
            three,
            all + 0.125 * quarter - 0.375 * three,
        ];
        observed
            .iter()
            .zip(shares)
            .map(|(observed, share)| observed * share.max(1e-300).ln())
            .sum()
    };
    let low = (-8.0 * all).max(0.0);
    let high = (half / 0.75).min(half / 3.0 + 2.0 * none).min(3.0 * none + all);
    if low >= high {
        return f64::NEG_INFINITY;
    }
    maximum(low, high, |quarter| {
        let low = (3.0 * quarter - 8.0 * none).max(0.0);
        let high = (half / 0.75 - quarter).min((8.0 * all + quarter) / 3.0);
        maximum(low, high, |three| value(quarter, three))
    })
}

/// The maximum of a unimodal function, by golden-section search.
fn maximum(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
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

/// A local maximum of a function near a point, on ever finer grids.
fn maximum_near(mut point: f64, mut width: f64, value: impl Fn(f64) -> f64) -> f64 {
    let mut best = value(point);
    for _ in 0..8 {
        let centre = point;
        for step in -20..=20 {
            let tried = (centre + f64::from(step) / 20.0 * width).max(0.0);
            let reached = value(tried);
            if reached > best {
                (best, point) = (reached, tried);
            }
        }
        width /= 10.0;
    }
    best
}

/// The LLR by its definition, maximised over the standard deviation.
fn llr<const N: usize>(counts: [f64; N], model: Model, elos: [f64; 2]) -> f64 {
    let counts = counts.map(|count| count.max(1e-3));
    let size: f64 = counts.iter().sum();
    let observed = counts.map(|count| count / size);
    let [h0, h1] = elos.map(|elo| {
        let value = |deviation: f64| {
            let mean = if model == Model::Logistic {
                1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
            } else {
                let ratio = elo / NORMALIZED * if N == 5 { 2.0_f64.sqrt() } else { 1.0 };
                0.5 + ratio * deviation
            };
            max_log_likelihood(&observed, mean, deviation)
        };
        // A denser grid near 0.
        let points: Vec<f64> = (0..=200)
            .map(|step| 0.5 * (f64::from(step) / 200.0).powi(2))
            .collect();
        let values: Vec<f64> = points.iter().map(|&point| value(point)).collect();
        let peaks = (1..200).filter(|&peak| values[peak] >= values[peak - 1].max(values[peak + 1]));
        peaks
            .map(|peak| maximum_near(points[peak], points[peak + 1] - points[peak], value))
            .fold(f64::NEG_INFINITY, f64::max)
    });
    size * (h1 - h0)
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn llr_matches_its_definition(
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
            (sprt.llr_of_pairs(&pairs), llr(counts.map(|count| count as f64), model, elos)),
            (
                sprt.llr_of_games(&games),
                llr([games.losses, games.draws, games.wins].map(|count| count as f64), model, elos),
            ),
        ] {
            if games.games() > 0 {
                prop_assert!((found - slow).abs() < 1e-5 * (1.0 + slow.abs()), "{} {} {:?}", found, slow, elos);
            }
        }
    }

    /// The ratings satisfy a simple condition: the points of each player, with the virtual
    /// draw, equal the expected points. Bisection solves it for one player at a time.
    #[test]
    fn ratings_match_bisection(
        games in prop::collection::vec((0..6_u64, 0..3_u64, 0..6_u64), 10),
    ) {
        // A round robin of five players; the field has the number 5.
        let pairings = (0..5).flat_map(|one| (one + 1..5).map(move |other| [one, other]));
        let games: Vec<([usize; 2], Trinomial)> = pairings
            .zip(games)
            .map(|(players, (wins, draws, losses))| (players, Trinomial { wins, draws, losses }))
            .collect();
        let mut table = Crosstable::new(5);
        let mut results = Vec::new();
        for &(players, games) in &games {
            table.add(players, Sample { singles: games, ..Sample::default() }).unwrap();
            results.push((players, games.points(), games.games() as f64));
        }
        results.extend((0..5).map(|player| ([player, 5], 0.5, 1.0)));
        let mut ratings = [0.0_f64; 6];
        for _ in 0..20_000 {
            let before = ratings;
            for player in 0..6 {
                let surplus = |rating: f64| -> f64 {
                    results.iter().map(|&([one, other], points, games)| {
                        let (opponent, points) = if one == player {
                            (other, points)
                        } else if other == player {
                            (one, games - points)
                        } else {
                            return 0.0;
                        };
                        points - games / (1.0 + (ratings[opponent] - rating).exp())
                    }).sum()
                };
                let (mut low, mut high) = (-60.0, 60.0);
                for _ in 0..60 {
                    let middle = f64::midpoint(low, high);
                    *(if surplus(middle) > 0.0 { &mut low } else { &mut high }) = middle;
                }
                ratings[player] = low;
            }
            let change = ratings.iter().zip(before).map(|(new, old)| (new - old).abs());
            if change.fold(0.0, f64::max) < 1e-12 {
                break;
            }
        }
        let mean = ratings[..5].iter().sum::<f64>() / 5.0;
        let found = table.ratings(Bootstrap { resamples: 0, seed: 0 });
        for group in found.groups.iter().take(1).filter(|group| group.len() == 5) {
            for &player in group {
                let elo = found.players[player].unwrap().elo;
                let slow = (ratings[player] - mean) * LOGIT;
                prop_assert!((elo - slow).abs() < 1e-5, "{} {}", elo, slow);
            }
        }
    }
}
