//! Exact results of positions, by the game's own solver.

use std::any::Any;

use lodestone::game::magnetic_cave::{ProofOrdering, ProofSearch, proves_win};
use lodestone::search::table::{NoMemory, TranspositionTable};
use lodestone_game::board::{Bitboard, Side};
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::{Game, GameResult};

use crate::sample::points;

/// Size of the table, in megabytes.
const HASH: usize = 4;

/// The solver gives up after this many nodes per question: can this side win?
const NODES: u64 = 400_000;

/// Proves results.
pub struct Prover {
    table: TranspositionTable,
    ordering: ProofOrdering,
    nodes: u64,
    limit: u64,
}

impl Prover {
    /// A prover with an empty table.
    ///
    /// # Errors
    /// There is no memory for the table.
    pub fn new() -> Result<Prover, NoMemory> {
        Ok(Prover {
            table: TranspositionTable::new(HASH)?,
            ordering: ProofOrdering::default(),
            nodes: 0,
            limit: 0,
        })
    }

    /// The points of the first player with best play of both sides; `None` if the solver does
    /// not find them, or does not know the game.
    pub fn points<G: Game>(&mut self, position: &G) -> Option<f32> {
        if let Some(outcome) = position.outcome() {
            return Some(points(outcome.result));
        }
        let position: &MagneticCave = (position as &dyn Any).downcast_ref()?;
        for side in Side::BOTH {
            self.limit = self.nodes + NODES;
            if proves_win(position, side, self)? {
                return Some(points(GameResult::Win(side)));
            }
        }
        Some(points(GameResult::Draw))
    }
}

impl ProofSearch for Prover {
    fn enter(&mut self) -> bool {
        self.nodes += 1;
        self.table.grow_proofs(self.nodes);
        self.nodes <= self.limit
    }

    fn find(&self, place: u64, tag: impl Fn(Bitboard) -> u64) -> Option<Bitboard> {
        self.table
            .find_proof(place, |cells| tag(Bitboard(cells)))
            .map(Bitboard)
    }

    fn store(&mut self, place: u64, tag: u64, cells: Bitboard, empty: u32) {
        self.table.store_proof(place, tag, cells.0, empty);
    }

    fn ordering(&mut self) -> &mut ProofOrdering {
        &mut self.ordering
    }
}
