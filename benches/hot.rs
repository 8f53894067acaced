//! Benchmarks of the functions in which the search spends its time. Each time is the sum
//! over the same 100 positions of Magnetic Cave.
//!
//! ```text
//! cargo bench -p lodestone --bench hot
//! ```

use std::hint::black_box;

use criterion::Criterion;
use lodestone::board::{Move, Side};
use lodestone::game::magnetic_cave::MagneticCave;
use lodestone::game::{Evaluate, Forced, Game, SolverPosition};
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
        if position.outcome().is_none() && position.solver_position().forced() == Forced::Nothing {
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
    let positions: Vec<_> = positions().iter().map(Evaluate::solver_position).collect();
    let mut each = |name: &str, work: &dyn Fn(&<MagneticCave as Evaluate>::SolverPosition) -> i32| {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                positions
                    .iter()
                    .map(|position| work(black_box(position)))
                    .sum::<i32>()
            });
        });
    };
    each("solver: play each move", &|position| {
        let mut sum = 0;
        position.moves(|mv, hint| sum += hint + position.play(mv).plies_left() as i32);
        sum
    });
    each("solver: forced", &|position| {
        i32::from(position.forced() == Forced::Nothing)
    });
    each("solver: key", &|position| position.key() as i32);
    each("solver: can_be_held", &|position| {
        i32::from(position.can_be_held(Side::First))
    });
    each("solver: is_won", &|position| {
        i32::from(position.is_won(Side::First))
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
