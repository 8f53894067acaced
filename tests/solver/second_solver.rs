//! The engine's solver on boards of other sizes: a second solver for the values of
//! `lodestone-solver solve`, with which it shares the order of moves, but no code that decides results.

use std::collections::HashSet;

use crate::boards::{Counter, board_of, endings, rules};
use lodestone::game::magnetic_cave::solver::Solver;
use lodestone::game::magnetic_cave::solver_position::SolverPosition;
use lodestone::game::magnetic_cave::{ProofOrdering, ProofSearch};
use lodestone::search::table::TranspositionTable;
use lodestone_game::board::{Bitboard, Side};
use lodestone_solver::solve::{BoardPosition, BoardValue, KnownAnswers, ProofTable, Prover};
use naive::boards::Minimax;

/// The environment of the engine's solver: a table and an order of moves, without limits.
struct Search {
    table: TranspositionTable,
    ordering: ProofOrdering,
    nodes: u64,
}

impl Search {
    fn new(megabytes: usize) -> Search {
        Search {
            table: TranspositionTable::new(megabytes).unwrap(),
            ordering: ProofOrdering::default(),
            nodes: 0,
        }
    }
}

impl ProofSearch for Search {
    fn enter(&mut self) -> bool {
        self.nodes += 1;
        self.table.grow_proofs(self.nodes);
        true
    }

    fn find(&self, place: u64, tag: impl Fn(Bitboard) -> u64) -> Option<Bitboard> {
        let cells = self.table.find_proof(place, |cells| tag(Bitboard(cells)));
        cells.map(Bitboard)
    }

    fn store(&mut self, place: u64, tag: u64, cells: Bitboard, empty: u32) {
        self.table.store_proof(place, tag, cells.0, empty);
    }

    fn ordering(&mut self) -> &mut ProofOrdering {
        &mut self.ordering
    }
}

/// The engine's solver says whether a side wins an unfinished position. `None` if the board has
/// too many lines for it.
fn wins(position: &BoardPosition, attacker: Side, search: &mut Search) -> Option<bool> {
    let mover = position.side_to_move();
    let bricks = [mover, mover.opponent()].map(|side| position.bricks[side.index()]);
    let root = SolverPosition::with_lines(&position.rules.lines(), position.empty(), bricks)?;
    let attacker = if attacker == mover {
        root.side_to_move()
    } else {
        root.side_to_move().opponent()
    };
    let answer = Solver::new(attacker, search).answer(&root)?;
    Some(answer.attacker_wins)
}

/// The value of an empty board. Of first moves that are mirror images, one is searched.
fn value(size: [usize; 3], search: &mut Search) -> Option<BoardValue> {
    let start = BoardPosition::start(rules(size));
    let mut images = HashSet::new();
    let moves = start.moves().cells().map(|cell| start.play(cell.into()));
    for next in moves.filter(|next| images.insert(next.least_image().bricks.map(|cells| cells.0))) {
        if next.has_line(Side::First) || !next.is_finished() && wins(&next, Side::First, search)? {
            return Some(BoardValue::Win);
        }
    }
    let is_lost = wins(&start, Side::Second, search)?;
    Some(if is_lost {
        BoardValue::Loss
    } else {
        BoardValue::Draw
    })
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn values_of_boards_agree_with_the_solver_of_the_engine() {
        let max_cells = std::env::var("MAX_CELLS").map_or(20, |cells| cells.parse().unwrap());
        let megabytes = if max_cells > 20 { 6144 } else { 16 };
        let mut compared = 0;
        for connect in [3, 4, 5] {
            for (width, height) in (3..=6).flat_map(|width| (3..=6).map(move |height| (width, height))) {
                let size = [width, height, connect];
                if width * height > max_cells {
                    continue;
                }
                let mut search = Search::new(megabytes);
                let Some(found) = value(size, &mut search) else {
                    // The engine's solver knows at most 64 needs, and 6×6 has 80 lines of three.
                    assert_eq!(size, [6, 6, 3]);
                    continue;
                };
                println!(
                    "{width}x{height}, {connect} in line: {} ({} positions)",
                    found.word(),
                    search.nodes
                );
                let known = KnownAnswers::default();
                let mut counter = Counter::default();
                let table = ProofTable::new(megabytes).unwrap();
                let mut prover = Prover::new(table, &known, &mut counter, 0);
                let expected = prover.value(&BoardPosition::start(rules(size)));
                assert_eq!(Some(found), expected, "{size:?}");
                compared += 1;
            }
        }
        assert!(compared >= 24, "{compared}");
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn endings_agree_with_plain_minimax_on_boards_of_all_sizes() {
        let mut counts = [0; 3];
        // One table holds the proofs of all boards: needs do not know which board they are from.
        let mut search = Search::new(1);
        for (round, size, position) in endings(25, 600, 10) {
            let expected = Minimax::new(size).value(&mut board_of(&position));
            let mover = position.side_to_move();
            let [own, other] = [mover, mover.opponent()].map(|side| wins(&position, side, &mut search));
            let (Some(own), Some(other)) = (own, other) else {
                continue;
            };
            let found = i8::from(own) - i8::from(other);
            assert_eq!(found, expected, "{round}: {size:?} {}", position.fen());
            counts[(expected + 1) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
    }
}
