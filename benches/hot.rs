//! Benchmarks of the functions in which the search spends its time. Each time is the sum
//! over the same 100 positions of Magnetic Cave.
//!
//! ```text
//! cargo bench -p lodestone-engine --bench hot
//! ```

use std::hint::black_box;

use criterion::Criterion;
use lodestone::board::{Bitboard, Move, Side};
use lodestone::game::magnetic_cave::MagneticCave;
use lodestone::game::magnetic_cave::solver_position::{Choice, SolverPosition};
use lodestone::game::{Evaluate, Forced, Game};
use lodestone::random::Random;
use lodestone::search::table::{Bound, TableEntry, TranspositionTable};

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

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    normal_search(&mut criterion);
    solver(&mut criterion);
    table(&mut criterion);
    criterion.final_summary();
}

fn normal_search(criterion: &mut Criterion) {
    let positions = positions();
    let mut each = |name: &str, work: &dyn Fn(&MagneticCave) -> i32| {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                positions
                    .iter()
                    .map(|position| work(black_box(position)))
                    .sum::<i32>()
            });
        });
    };
    each("outcome", &|position| i32::from(position.outcome().is_some()));
    each("forced", &|position| {
        i32::from(position.forced(&position.node_info()) == Forced::Nothing)
    });
    each("candidates", &|position| {
        position.candidates(&position.node_info()).len() as i32
    });
    each("evaluate", &|position| {
        position.evaluate(&position.node_info(), None)
    });
    each("table_key", &|position| position.table_key() as i32);
}

fn solver(criterion: &mut Criterion) {
    let positions: Vec<SolverPosition> = positions().iter().filter_map(SolverPosition::of).collect();
    let mut each = |name: &str, work: &dyn Fn(&SolverPosition) -> u32| {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                positions
                    .iter()
                    .map(|position| work(black_box(position)))
                    .sum::<u32>()
            });
        });
    };
    each("solver: play each move", &|position| {
        let cells = match position.choice(&position.threats()) {
            Choice::Win(cells) | Choice::Moves { cells, .. } => cells,
        };
        let after = |cell| position.play(Bitboard::from(cell)).plies_left();
        cells.cells().map(after).sum()
    });
    each("solver: choice", &|position| {
        u32::from(position.choice(&position.threats()) == Choice::Win(Bitboard::EMPTY))
    });
    each("solver: tag", &|position| {
        let key = position.proof_key(Side::First, Side::First);
        position.tag(&key, !Bitboard::EMPTY) as u32
    });
    each("solver: held", &|position| {
        u32::from(position.held(Side::First, &position.threats()).is_some())
    });
    each("solver: won", &|position| {
        u32::from(position.won(Side::First, &position.threats()).is_some())
    });
}

fn table(criterion: &mut Criterion) {
    let table = TranspositionTable::new(64).expect("memory");
    let entry = TableEntry {
        best: None::<Move>,
        value: 1,
        bound: Bound::Exact,
        depth: 5,
    };
    let mut random = Random::new(1);
    criterion.bench_function("table: store and probe at random", |bencher| {
        bencher.iter(|| {
            table.store(random.next_u64(), entry);
            table.probe(random.next_u64())
        });
    });
}
