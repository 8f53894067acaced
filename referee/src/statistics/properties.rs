//! Property tests: invariants for arbitrary counts.

use lodestone::random::Random;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::counts::tests::pairs as pentanomial;
use super::*;

/// A fixed seed makes failures reproducible, so no regression files are written.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
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

fn points() -> impl Strategy<Value = Points> {
    prop::sample::select(vec![Points::Loss, Points::Draw, Points::Win])
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

    #[test]
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

    #[test]
    fn counts_of_shards_add_up(played in prop::collection::vec((points(), points()), 0..60), cut in 0..60_usize) {
        let count = |played: &[(Points, Points)]| {
            let mut sample = Sample::default();
            for &(one, other) in played {
                sample.pairs += Pentanomial::of_pair([one, other]);
                sample.singles += Trinomial::from(one);
            }
            sample
        };
        let (one, other) = played.split_at(cut.min(played.len()));
        let whole = count(&played);
        prop_assert_eq!(count(one) + count(other), whole);
        prop_assert_eq!(whole.pairs.pairs(), played.len() as u64);
        let all = played.iter().flat_map(|&(one, other)| [one, other]);
        let games = all.map(Trinomial::from).fold(Trinomial::default(), |sum, game| sum + game);
        prop_assert_eq!(whole.pairs.games(), games);
        prop_assert_eq!(whole.reversed().games(), whole.games().reversed());
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
            table.add(players, sample).unwrap();
        }
        Random::new(seed).shuffle(&mut results);
        for &([one, other], sample) in &results {
            shuffled.add([other, one], sample.reversed()).unwrap();
        }
        let bootstrap = Bootstrap { resamples: 20, seed };
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

    #[test]
    fn ratings_do_not_depend_on_the_numbers_of_the_players(
        results in prop::collection::vec((0..6_usize, 1..6_usize, samples()), 1..12),
        seed in any::<u64>(),
    ) {
        let mut numbers: Vec<usize> = (0..6).collect();
        Random::new(seed).shuffle(&mut numbers);
        let mut table = Crosstable::new(6);
        let mut renamed = Crosstable::new(6);
        for (one, offset, sample) in results {
            let other = (one + offset) % 6;
            table.add([one, other], sample).unwrap();
            renamed.add([numbers[one], numbers[other]], sample).unwrap();
        }
        let bootstrap = Bootstrap { resamples: 0, seed };
        let [ratings, renamed] = [table, renamed].map(|table| table.ratings(bootstrap));
        // Among groups of equal size, the numbers decide.
        let sizes: Vec<usize> = ratings.groups.iter().map(Vec::len).collect();
        prop_assume!(sizes.len() < 2 || sizes[0] > sizes[1]);
        for (player, &number) in numbers.iter().enumerate() {
            match (ratings.players[player], renamed.players[number]) {
                (Some(one), Some(other)) => prop_assert!(close(one.elo, other.elo, 1e-6)),
                (one, other) => prop_assert_eq!(one, other),
            }
        }
    }

    #[test]
    fn more_points_against_the_same_opponents_are_a_higher_rating(
        games in prop::collection::vec((0..5_u64, 0..3_u64, 0..5_u64), 10),
    ) {
        // A round robin of five players, four games each.
        let pairings = (0..5).flat_map(|one| (one + 1..5).map(move |other| [one, other]));
        let mut table = Crosstable::new(5);
        let mut points = [0.0; 5];
        for ([one, other], (wins, draws, _)) in pairings.zip(games) {
            let wins = wins.min(4);
            let draws = draws.min(4 - wins);
            let games = Trinomial { wins, draws, losses: 4 - wins - draws };
            points[one] += games.points();
            points[other] += games.reversed().points();
            table.add([one, other], Sample { singles: games, ..Sample::default() }).unwrap();
        }
        let ratings = table.ratings(Bootstrap { resamples: 0, seed: 0 });
        let elos: Vec<f64> = ratings.players.iter().map(|rating| rating.unwrap().elo).collect();
        for one in 0..5 {
            for other in 0..5 {
                if points[one] > points[other] {
                    prop_assert!(elos[one] > elos[other], "{points:?} {elos:?}");
                } else if points[one] == points[other] {
                    prop_assert!(close(elos[one], elos[other], 1e-9), "{points:?} {elos:?}");
                }
            }
        }
    }
}
