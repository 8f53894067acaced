//! Benchmarks of the functions in which the search spends its time. Each time is the sum
//! over the same 100 positions of Magnetic Cave.
//!
//! ```text
//! cargo bench -p tests --bench hot
//! ```

use std::hint::black_box;
use std::iter::Sum;
use std::time::Duration;

use divan::{Bencher, Divan};
use lodestone::game::magnetic_cave::solver_position::{Choice, SolverPosition};
use lodestone::game::{Evaluate, Forced};
use lodestone::search::table::{Bound, TableEntry, TranspositionTable};
use lodestone_game::Game;
use lodestone_game::board::{Bitboard, Move, Side};
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::random::Random;

fn main() {
    // Long enough that a busy moment does not decide.
    Divan::default()
        .min_time(Duration::from_secs(1))
        .config_with_args()
        .main();
}

/// Unfinished positions of random games in which nothing is forced.
fn positions() -> Vec<MagneticCave> {
    let mut random = Random::new(1);
    let mut positions = Vec::new();
    let mut position = MagneticCave::startpos();
    while positions.len() < 100 {
        position = match random.choose(&position.legal_moves()) {
            Some(&mv) => position.play(mv),
            None => MagneticCave::startpos(),
        };
        if position.outcome().is_none() && position.forced(&position.node_info()) == Forced::Nothing {
            positions.push(position);
        }
    }
    positions
}

/// Measures the sum over these positions.
fn each<P: Sync, S: Sum>(bencher: Bencher, positions: &[P], work: impl Fn(&P) -> S + Sync) {
    bencher.bench(|| {
        positions
            .iter()
            .map(|position| work(black_box(position)))
            .sum::<S>()
    });
}

mod search {
    use super::{Bencher, Evaluate, Forced, Game, each, positions};

    #[divan::bench]
    fn outcome(bencher: Bencher) {
        each(bencher, &positions(), |position| {
            i32::from(position.outcome().is_some())
        });
    }

    #[divan::bench]
    fn forced(bencher: Bencher) {
        each(bencher, &positions(), |position| {
            i32::from(position.forced(&position.node_info()) == Forced::Nothing)
        });
    }

    #[divan::bench]
    fn candidates(bencher: Bencher) {
        each(bencher, &positions(), |position| {
            position.candidates(&position.node_info()).len() as i32
        });
    }

    #[divan::bench]
    fn evaluate(bencher: Bencher) {
        each(bencher, &positions(), |position| {
            position.evaluate(&position.node_info(), None)
        });
    }

    #[divan::bench]
    fn table_key(bencher: Bencher) {
        each(bencher, &positions(), |position| position.table_key() as i32);
    }
}

mod solver {
    use super::{Bencher, Bitboard, Choice, Side, SolverPosition, each};

    fn positions() -> Vec<SolverPosition> {
        super::positions().iter().filter_map(SolverPosition::of).collect()
    }

    #[divan::bench]
    fn play_each_move(bencher: Bencher) {
        each(bencher, &positions(), |position| {
            let cells = match position.choice(&position.threats()) {
                Choice::Win(cells) | Choice::Moves { cells, .. } => cells,
            };
            let after = |cell| position.play(Bitboard::from(cell)).plies_left();
            cells.cells().map(after).sum::<u32>()
        });
    }

    #[divan::bench]
    fn choice(bencher: Bencher) {
        each(bencher, &positions(), |position| {
            u32::from(position.choice(&position.threats()) == Choice::Win(Bitboard::EMPTY))
        });
    }

    #[divan::bench]
    fn tag(bencher: Bencher) {
        each(bencher, &positions(), |position| {
            let key = position.proof_key(Side::First, Side::First);
            position.tag(&key, !Bitboard::EMPTY) as u32
        });
    }

    #[divan::bench]
    fn held(bencher: Bencher) {
        each(bencher, &positions(), |position| {
            u32::from(position.held(Side::First, &position.threats()).is_some())
        });
    }

    #[divan::bench]
    fn won(bencher: Bencher) {
        each(bencher, &positions(), |position| {
            u32::from(position.won(Side::First, &position.threats()).is_some())
        });
    }
}

/// One entry, at random places: so many in a sample that all pages of the table are in memory.
#[divan::bench(sample_size = 100_000)]
fn table_store_and_probe(bencher: Bencher) {
    let table = TranspositionTable::new(64).expect("memory");
    let entry = TableEntry {
        best: None::<Move>,
        value: 1,
        bound: Bound::Exact,
        depth: 5,
    };
    let mut random = Random::new(1);
    bencher.bench_local(|| {
        table.store(random.next_u64(), entry);
        table.probe(random.next_u64())
    });
}
