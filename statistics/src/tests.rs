//! Slow, obvious implementations compared with the fast ones, properties of arbitrary counts, and
//! simulated tournaments.

use lodestone_game::random::Random;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::elo::{LOGIT, NORMALIZED, expected_score};
use super::ratings::tests::{resampling, stream};
use super::ratings::{Method, Stream};
use super::*;

/// A fixed seed makes failures reproducible, so no regression files are written.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Pairs in fastchess's order: LL, LD, WL, DD, WD, WW.
pub(super) fn pentanomial(counts: [u64; 6]) -> Pentanomial {
    let [loss_loss, loss_draw, win_loss, draw_draw, win_draw, win_win] = counts;
    Pentanomial {
        loss_loss,
        loss_draw,
        win_loss,
        draw_draw,
        win_draw,
        win_win,
    }
}

#[track_caller]
pub(super) fn assert_close(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() < tolerance, "{found}, not {wanted}");
}

#[track_caller]
pub(super) fn assert_all_close(found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len());
    for (&found, &wanted) in found.iter().zip(wanted) {
        assert_close(found, wanted, tolerance);
    }
}

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
            table.add(players, Sample { singles: games, ..Sample::default() });
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
        let found = table.ratings(Sampling::NONE);
        for group in found.groups.iter().take(1).filter(|group| group.len() == 5) {
            for &player in group {
                let elo = found.players[player].unwrap().elo;
                let slow = (ratings[player] - mean) * LOGIT;
                prop_assert!((elo - slow).abs() < 1e-5, "{} {}", elo, slow);
            }
        }
    }
}

/// A count that is 0, small or large.
fn count() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 0..5_u64, 0..=1_000_000_u64]
}

fn games() -> impl Strategy<Value = Trinomial> {
    [count(), count(), count()].prop_map(|[wins, draws, losses]| Trinomial { wins, draws, losses })
}

fn pairs() -> impl Strategy<Value = Pentanomial> {
    prop::array::uniform6(count()).prop_map(pentanomial)
}

fn samples() -> impl Strategy<Value = Sample> {
    (pairs(), games()).prop_map(|(pairs, singles)| Sample { pairs, singles })
}

fn models() -> impl Strategy<Value = Model> {
    prop::sample::select(Model::ALL.to_vec())
}

/// A test, and the same test from the opponent's point of view.
fn mirrored(model: Model, elo0: f64, width: f64) -> [Sprt; 2] {
    let test = |elo0, elo1| Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap();
    [test(elo0, elo0 + width), test(-elo0 - width, -elo0)]
}

fn close(one: f64, other: f64, tolerance: f64) -> bool {
    one == other || (one - other).abs() <= tolerance * (1.0 + one.abs())
}

/// All numbers of an estimate.
fn numbers(estimate: Estimate) -> Vec<f64> {
    let interval = estimate.interval();
    let ends = interval.map(|interval| [interval.low, interval.high]);
    let ends = ends.into_iter().flatten();
    estimate
        .value()
        .into_iter()
        .chain(ends)
        .chain(estimate.error())
        .collect()
}

fn check_comparison(comparison: &Comparison, reversed: &Comparison) -> Result<(), TestCaseError> {
    let Comparison {
        score,
        standard_error,
        elo,
        normalized_elo,
        los,
    } = *comparison;
    for number in [score, standard_error, los].into_iter().flatten() {
        prop_assert!((0.0..=1.0).contains(&number), "{comparison:?}");
    }
    for estimate in [elo, normalized_elo] {
        let numbers = numbers(estimate);
        prop_assert!(numbers.iter().all(|number| !number.is_nan()), "{comparison:?}");
        if let [value, low, high, ..] = numbers[..] {
            prop_assert!(low <= value && value <= high, "{comparison:?}");
        }
    }
    for (own, other) in [(elo, reversed.elo), (normalized_elo, reversed.normalized_elo)] {
        prop_assert_eq!(own.value().is_some(), other.value().is_some());
        if let (
            Estimate::Known { value, interval },
            Estimate::Known {
                value: negative,
                interval: turned,
            },
        ) = (own, other)
        {
            prop_assert!(close(value, -negative, 1e-6), "{value} {negative}");
            prop_assert!(close(interval.low, -turned.high, 1e-6), "{interval} {turned}");
            prop_assert!(close(interval.high, -turned.low, 1e-6), "{interval} {turned}");
        }
    }
    if let (Some(own), Some(other)) = (los, reversed.los) {
        prop_assert!(close(own, 1.0 - other, 1e-9), "{own} {other}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn comparison_is_antisymmetric(games in games(), pairs in pairs()) {
        check_comparison(&games.comparison(), &games.reversed().comparison())?;
        check_comparison(&pairs.comparison(), &pairs.reversed().comparison())?;
        if let (Some(of_pairs), Some(of_games)) = (pairs.comparison().score, pairs.games().comparison().score) {
            prop_assert!(close(of_pairs, of_games, 1e-12), "{of_pairs} {of_games}");
        }
    }

}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn ratings_are_finite_and_independent_of_order(
        results in prop::collection::vec((0..6_usize, 1..6_usize, samples()), 0..12),
        seed in any::<u64>(),
    ) {
        let mut table = Crosstable::new(6);
        let mut shuffled = Crosstable::new(6);
        let mut results: Vec<_> = results
            .into_iter()
            .map(|(one, offset, sample)| ([one, (one + offset) % 6], sample))
            .collect();
        for &(players, sample) in &results {
            table.add(players, sample);
        }
        Random::new(seed).shuffle(&mut results);
        for &([one, other], sample) in &results {
            shuffled.add([other, one], sample.reversed());
        }
        let random = |index| stream(seed, index);
        let bootstrap = resampling(20, &random);
        let ratings = table.ratings(bootstrap);
        prop_assert_eq!(&shuffled.ratings(bootstrap), &ratings);

        let mut sum = 0.0;
        for Rating { elo, interval } in ratings.players.iter().flatten() {
            prop_assert!(elo.is_finite(), "{elo}");
            sum += elo;
            let Interval { low, high } = interval.unwrap();
            prop_assert!(low.is_finite() && high.is_finite() && low <= high, "{low} {high}");
        }
        prop_assert!(sum.abs() < 1e-6, "{sum}");
        let rated = ratings.players.iter().flatten().count();
        let connected = ratings.groups.first().map_or(0, Vec::len);
        prop_assert_eq!(rated, if connected > 1 { connected } else { 0 });
        for one in 0..6 {
            for other in 0..6 {
                if let (Some(above), Some(below)) = (ratings.superiority(one, other), ratings.superiority(other, one)) {
                    prop_assert!(close(above + below, 1.0, 1e-12), "{above} {below}");
                }
            }
        }
    }
}

/// A simulated round robin.
#[derive(Clone, Copy)]
struct Simulation {
    players: usize,
    /// The largest difference of the numbers of players who meet.
    opponents: usize,
    /// Pairs of games of each pairing.
    pairs: usize,
    /// The true ratings are uniform, with this standard deviation in Elo.
    spread: f64,
    /// The share of draws between equal players.
    draws: f64,
}

/// A uniform random number between 0 and 1.
fn uniform(random: &mut Random) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

impl Simulation {
    /// The result of one game between players of this difference in Elo.
    fn game(&self, random: &mut Random, difference: f64) -> Points {
        let expected = expected_score(difference);
        let drawn = self.draws * 2.0 * expected.min(1.0 - expected);
        let number = uniform(random);
        if number < expected - drawn / 2.0 {
            Points::Win
        } else if number < expected + drawn / 2.0 {
            Points::Draw
        } else {
            Points::Loss
        }
    }

    /// The ratings of a tournament around their mean, and its games.
    fn play(&self, random: &mut Random) -> (Vec<f64>, Crosstable, Vec<f64>) {
        let width = self.spread * 12.0_f64.sqrt();
        let elos: Vec<f64> = (0..self.players).map(|_| width * uniform(random)).collect();
        let mean = elos.iter().sum::<f64>() / self.players as f64;
        let mut table = Crosstable::new(self.players);
        let mut points = vec![0.0; self.players];
        for one in 0..self.players {
            for other in (one + 1..self.players).filter(|other| other - one <= self.opponents) {
                for _ in 0..self.pairs {
                    let games = [0; 2].map(|_| self.game(random, elos[one] - elos[other]));
                    let pairs = Pentanomial::of_pair(games);
                    points[one] += pairs.games().points();
                    points[other] += pairs.reversed().games().points();
                    let sample = Sample {
                        pairs,
                        ..Sample::default()
                    };
                    table.add([one, other], sample);
                }
            }
        }
        (elos.iter().map(|elo| elo - mean).collect(), table, points)
    }

    /// The share of intervals that contain the true rating, in this number of tournaments,
    /// for all players, and for those who won or lost every game.
    fn coverage(&self, tournaments: u64, method: Method, samples: u64) -> [f64; 2] {
        let (mut all, mut covered) = ([0.0; 2], [0.0; 2]);
        for seed in 0..tournaments {
            let (elos, table, points) = self.play(&mut Random::substream(seed, 1));
            let ratings = table.ratings(Sampling {
                method,
                samples,
                random: &|index| stream(seed, index),
            });
            let games = |player: usize| {
                let others =
                    (0..self.players).filter(|other| (1..=self.opponents).contains(&other.abs_diff(player)));
                2.0 * (self.pairs * others.count()) as f64
            };
            for (player, (elo, points)) in elos.into_iter().zip(points).enumerate() {
                let interval = ratings.players[player].unwrap().interval.unwrap();
                let is_covered = (interval.low..=interval.high).contains(&elo);
                let is_separated = points == 0.0 || points == games(player);
                for kind in 0..=usize::from(is_separated) {
                    all[kind] += 1.0;
                    covered[kind] += f64::from(u8::from(is_covered));
                }
            }
        }
        [0, 1].map(|kind| covered[kind] / all[kind])
    }
}

/// The widths of the intervals of random tournaments from resampling and from the curvature are equal within a tenth.
#[test]
fn curvature_and_resampling_agree() {
    for (players, opponents, pairs, spread, draws) in [
        (10, 9, 20, 150.0, 0.3),
        (20, 19, 4, 200.0, 0.5),
        (25, 5, 20, 100.0, 0.0),
    ] {
        let simulation = Simulation {
            players,
            opponents,
            pairs,
            spread,
            draws,
        };
        let (_, table, _) = simulation.play(&mut Random::new(players as u64));
        let random: &dyn Fn(u64) -> Stream = &|index| stream(1, index);
        let of_method = |method| {
            table.ratings(Sampling {
                method,
                samples: 1000,
                random,
            })
        };
        let [resampled, curved] = [Method::Resampling, Method::Curvature].map(of_method);
        for (player, (one, other)) in resampled.players.iter().zip(&curved.players).enumerate() {
            let [one, other] =
                [one, other].map(|rating| rating.unwrap().interval.unwrap().half_width().unwrap());
            assert!(
                (one / other - 1.0).abs() < 0.1,
                "{players} {player}: {one} {other}"
            );
        }
        for (better, worse) in [(0, 1), (2, 9), (5, 3)] {
            let [one, other] =
                [&resampled, &curved].map(|ratings| ratings.superiority(better, worse).unwrap());
            assert!((one - other).abs() < 0.05, "{players}: {one} {other}");
        }
    }
}

/// `cargo test --release -p referee --lib -- --ignored coverage --nocapture` prints the table
/// of `docs/notes/statistics.md`.
#[test]
#[ignore = "takes minutes: prints a table of docs/notes/statistics.md"]
fn prints_the_coverage() {
    println!("| players | opponents | pairs | spread | draws | coverage | of separated players |");
    let few = [(3, 1), (3, 2), (6, 1), (6, 2), (6, 5), (6, 20), (12, 1)];
    let few = few.map(|(players, pairs)| (players, players - 1, pairs, Method::Resampling, 400));
    let many = [(60, 1, 1), (60, 2, 1), (60, 4, 1), (60, 59, 1)]
        .map(|(players, opponents, pairs)| (players, opponents, pairs, Method::Curvature, 40));
    for (players, opponents, pairs, method, tournaments) in few.into_iter().chain(many) {
        for (spread, draws) in [
            (150.0, 0.0),
            (150.0, 0.3),
            (300.0, 0.0),
            (300.0, 0.3),
            (600.0, 0.0),
        ] {
            let simulation = Simulation {
                players,
                opponents,
                pairs,
                spread,
                draws,
            };
            let [all, separated] = simulation.coverage(tournaments, method, 400);
            println!(
                "| {players} | {opponents} | {pairs} | {spread} | {:.0} % | {:.1} % | {:.1} % |",
                100.0 * draws,
                100.0 * all,
                // NaN, if no player is separated.
                100.0 * separated
            );
        }
    }
}

mod slow {
    use super::*;

    proptest! {
        #![proptest_config(config(12))]
        #[test]
        #[ignore = "slow: .ci/run"]
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
            let pairs = pentanomial([loss_loss, loss_draw, win_loss, 0, win_draw, win_win]);
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
    }

    proptest! {
        #![proptest_config(config(200))]
        #[test]
        #[ignore = "slow: .ci/run"]
        fn llr_is_antisymmetric(
            games in games(),
            pairs in pairs(),
            model in models(),
            elo0 in -200.0..200.0_f64,
            width in 0.01..200.0_f64,
        ) {
            let [sprt, turned] = mirrored(model, elo0, width);
            for (own, other) in [
                (sprt.llr_of_games(&games), turned.llr_of_games(&games.reversed())),
                (sprt.llr_of_pairs(&pairs), turned.llr_of_pairs(&pairs.reversed())),
            ] {
                prop_assert!(own.is_finite() && close(own, -other, 1e-6), "{own} {other}");
            }
        }
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn intervals_contain_the_true_ratings() {
        for (players, pairs, spread, draws) in [(3, 2, 200.0, 0.3), (6, 1, 400.0, 0.0), (6, 3, 200.0, 0.5)] {
            let simulation = Simulation {
                players,
                opponents: players,
                pairs,
                spread,
                draws,
            };
            let [all, _] = simulation.coverage(60, Method::Resampling, 200);
            assert!(
                all > 0.88 && all < 0.995,
                "{players} {pairs} {spread} {draws}: {all}"
            );
        }
    }
}
