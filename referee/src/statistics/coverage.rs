//! Simulated tournaments: how often the intervals of ratings contain the true ratings.

use lodestone::random::Random;

use super::elo::expected_score;
use super::{Bootstrap, Crosstable, Pentanomial, Points, Sample};

/// A simulated round robin.
#[derive(Clone, Copy)]
struct Simulation {
    players: usize,
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

    /// The share of intervals that contain the true rating, in this number of tournaments,
    /// for all players, and for those who won or lost every game.
    fn coverage(&self, tournaments: u64, resamples: u64) -> [f64; 2] {
        let (mut all, mut covered) = ([0.0; 2], [0.0; 2]);
        for seed in 0..tournaments {
            let mut random = Random::substream(seed, 1);
            let width = self.spread * 12.0_f64.sqrt();
            let elos: Vec<f64> = (0..self.players).map(|_| width * uniform(&mut random)).collect();
            let mean = elos.iter().sum::<f64>() / self.players as f64;
            let mut table = Crosstable::new(self.players);
            let mut points = vec![0.0; self.players];
            for one in 0..self.players {
                for other in one + 1..self.players {
                    for _ in 0..self.pairs {
                        let games = [0; 2].map(|_| self.game(&mut random, elos[one] - elos[other]));
                        let pairs = Pentanomial::of_pair(games);
                        points[one] += pairs.games().points();
                        points[other] += pairs.reversed().games().points();
                        let sample = Sample {
                            pairs,
                            ..Sample::default()
                        };
                        table.add([one, other], sample).unwrap();
                    }
                }
            }
            let ratings = table.ratings(Bootstrap { resamples, seed });
            let most = (2 * self.pairs * (self.players - 1)) as f64;
            for ((rating, elo), points) in ratings.players.iter().zip(elos).zip(points) {
                let interval = rating.unwrap().interval.unwrap();
                let is_covered = (interval.low..=interval.high).contains(&(elo - mean));
                let is_separated = points == 0.0 || points == most;
                for kind in 0..=usize::from(is_separated) {
                    all[kind] += 1.0;
                    covered[kind] += f64::from(u8::from(is_covered));
                }
            }
        }
        [0, 1].map(|kind| covered[kind] / all[kind])
    }
}

#[test]
fn intervals_contain_the_true_ratings() {
    for (players, pairs, spread, draws) in [(3, 2, 200.0, 0.3), (6, 1, 400.0, 0.0), (6, 3, 200.0, 0.5)] {
        let simulation = Simulation {
            players,
            pairs,
            spread,
            draws,
        };
        let [all, _] = simulation.coverage(60, 200);
        assert!(
            all > 0.88 && all < 0.995,
            "{players} {pairs} {spread} {draws}: {all}"
        );
    }
}

/// `cargo test --release -p referee --lib -- --ignored coverage --nocapture` prints the table
/// of `docs/statistics.md`.
#[test]
#[ignore = "takes minutes: prints a table of docs/statistics.md"]
fn prints_the_coverage() {
    println!("| players | pairs | spread | draws | coverage | of separated players |");
    for (players, pairs) in [(3, 1), (3, 2), (6, 1), (6, 2), (6, 5), (6, 20), (12, 1)] {
        for (spread, draws) in [
            (150.0, 0.0),
            (150.0, 0.3),
            (300.0, 0.0),
            (300.0, 0.3),
            (600.0, 0.0),
        ] {
            let simulation = Simulation {
                players,
                pairs,
                spread,
                draws,
            };
            let [all, separated] = simulation.coverage(400, 400);
            println!(
                "| {players} | {pairs} | {spread} | {:.0} % | {:.1} % | {:.1} % |",
                100.0 * draws,
                100.0 * all,
                // NaN, if no player is separated.
                100.0 * separated
            );
        }
    }
}
