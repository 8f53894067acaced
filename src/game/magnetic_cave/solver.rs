//! The solver: can a side, the attacker, win? A search of this one question to the end of
//! the game, which keeps with each answer what its proof depends on.
//!
//! Proofs: `docs/magnetic-cave.md`.

use super::move_policy::move_scores;
use super::needs::FEW_NEEDS;
use super::solver_position::{Choice, SolverPosition};
use crate::board::{Bitboard, Cell, Side};
use crate::cell_sets::is_single;
use crate::game::{ProofNode, ProofSearch};

/// With fewer empty cells than this, the answers of all next positions are not looked up
/// before the first is searched: that costs more than it saves.
const LOOK_AHEAD_MIN_EMPTY: u32 = 16;

/// The answer to the question, and the proof's own cells: the needs of the side that reaches
/// its goal on which the proof depends all lie in `cells`.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Whether the attacker wins.
    pub attacker_wins: bool,
    pub cells: Bitboard,
}

/// The solver of one question.
pub struct Solver<'a, S> {
    attacker: Side,
    search: &'a mut S,
}

impl<'a, S: ProofSearch> Solver<'a, S> {
    /// A solver that answers whether `attacker` can win.
    pub fn new(attacker: Side, search: &'a mut S) -> Solver<'a, S> {
        Solver { attacker, search }
    }

    /// The answer for a position, after a move on `previous`. `None` if the search must stop.
    pub fn solve<const N: usize>(
        &mut self,
        position: &SolverPosition<N>,
        previous: Option<Cell>,
    ) -> Option<Answer> {
        if !self.search.enter() {
            return None;
        }
        let attacker = self.attacker;
        let mover = position.side_to_move();
        let attacker_wins = mover == attacker;
        if position.needs(attacker).all().is_empty() {
            return Some(Answer {
                attacker_wins: false,
                cells: Bitboard::EMPTY,
            });
        }
        let threats = position.threats();
        let (cells, excluded_by) = match position.choice(&threats) {
            Choice::Win(cells) => return Some(Answer { attacker_wins, cells }),
            Choice::Moves { cells, excluded_by } => (cells, excluded_by),
        };
        if cells.is_empty() {
            return Some(Answer {
                attacker_wins: !attacker_wins,
                cells: excluded_by,
            });
        }
        if is_single(cells) {
            let next = self.solve_next(&position.play(cells), cells)?;
            let mut answer = self.before(position, cells, next);
            if next.attacker_wins != attacker_wins {
                answer.cells |= excluded_by;
            }
            return Some(answer);
        }
        if let Some(cells) = position.held(attacker, &threats) {
            return Some(Answer {
                attacker_wins: false,
                cells,
            });
        }
        if let Some(cells) = position.won(attacker, &threats) {
            return Some(Answer {
                attacker_wins: true,
                cells,
            });
        }
        for attacker_wins in [false, true] {
            if let Some(cells) = self.find(position, attacker_wins) {
                return Some(Answer { attacker_wins, cells });
            }
        }
        let answer = self.search_moves(position, (cells, excluded_by), previous)?;
        let side = self.side_of(answer.attacker_wins);
        let key = position.proof_key(attacker, side);
        let tag = position.tag(&key, answer.cells);
        self.search
            .store(position.place(&key), tag, answer.cells, position.plies_left());
        Some(answer)
    }

    /// The answer for the position after a move on `cell`.
    fn solve_next<const N: usize>(&mut self, next: &SolverPosition<N>, cell: Bitboard) -> Option<Answer> {
        if N > FEW_NEEDS
            && let Some(next) = next.with_capacity::<FEW_NEEDS>()
        {
            return self.solve(&next, cell.first());
        }
        self.solve(next, cell.first())
    }

    /// The answer for a position with several moves.
    fn search_moves<const N: usize>(
        &mut self,
        position: &SolverPosition<N>,
        (cells, excluded_by): (Bitboard, Bitboard),
        previous: Option<Cell>,
    ) -> Option<Answer> {
        let node = ProofNode {
            attacker: self.attacker,
            mover: position.side_to_move(),
            empty: position.plies_left(),
            previous,
        };
        let good = node.mover == self.attacker;
        let nexts = if node.empty >= LOOK_AHEAD_MIN_EMPTY {
            match self.look_ahead(position, cells) {
                Ok(answer) => return Some(answer),
                Err(nexts) => nexts,
            }
        } else {
            Vec::new()
        };
        let scores = move_scores(position, cells, self.attacker);
        let hint = |cell: Cell| scores[cell.index()];
        let first = self.search.ordering().push(node, cells, hint);
        let mut answer = Answer {
            attacker_wins: !good,
            cells: excluded_by,
        };
        let mut index = first;
        while let Some(cell) = self.search.ordering().best(index) {
            let cell = Bitboard::from(cell);
            let known = nexts.iter().find(|&&(other, _)| other == cell);
            let next = match known {
                Some((_, next)) => self.solve_next(next, cell),
                None => self.solve_next(&position.play(cell), cell),
            };
            let Some(next) = next else {
                self.search.ordering().pop(first);
                return None;
            };
            let before = self.before(position, cell, next);
            if next.attacker_wins == good {
                self.search.ordering().on_decision(node, first, index);
                answer = before;
                break;
            }
            answer.cells |= before.cells;
            index += 1;
        }
        self.search.ordering().pop(first);
        let cells = position.needs(self.side_of(answer.attacker_wins)).cells();
        answer.cells &= cells;
        Some(answer)
    }

    /// Looks up the answers of all next positions: a move whose stored answer decides the question,
    /// else these positions, with the cells of their moves.
    fn look_ahead<const N: usize>(
        &self,
        position: &SolverPosition<N>,
        cells: Bitboard,
    ) -> Result<Answer, Vec<(Bitboard, SolverPosition<N>)>> {
        let attacker_wins = position.side_to_move() == self.attacker;
        let side = self.side_of(attacker_wins);
        let mut nexts = Vec::with_capacity(cells.count() as usize);
        let mut keys = Vec::with_capacity(cells.count() as usize);
        for cell in cells.cells().map(Bitboard::from) {
            let next = position.play(cell);
            let key = next.proof_key(self.attacker, side);
            keys.push((key, next.place(&key)));
            nexts.push((cell, next));
        }
        // So the processor waits for these places at the same time, not for one after the other.
        for &(_, place) in &keys {
            self.search.touch(place);
        }
        for ((cell, next), (key, place)) in nexts.iter().zip(&keys) {
            if let Some(cells) = self.search.find(*place, |cells| next.tag(key, cells)) {
                return Ok(self.before(position, *cell, Answer { attacker_wins, cells }));
            }
        }
        Err(nexts)
    }

    /// The stored proof of this answer.
    fn find<const N: usize>(&self, position: &SolverPosition<N>, attacker_wins: bool) -> Option<Bitboard> {
        let key = position.proof_key(self.attacker, self.side_of(attacker_wins));
        let tag = |cells| position.tag(&key, cells);
        self.search.find(position.place(&key), tag)
    }

    /// The side whose goal this answer is.
    fn side_of(&self, attacker_wins: bool) -> Side {
        if attacker_wins {
            self.attacker
        } else {
            self.attacker.opponent()
        }
    }

    /// The answer before the move on `cell`, given the answer after it, if this move decides.
    fn before<const N: usize>(&self, position: &SolverPosition<N>, cell: Bitboard, next: Answer) -> Answer {
        let side = self.side_of(next.attacker_wins);
        let mut answer = next;
        // A need of which the brick filled a part.
        if side == position.side_to_move() && position.needs(side).uses(cell, next.cells) {
            answer.cells |= cell;
        }
        answer
    }
}
