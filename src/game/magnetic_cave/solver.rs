//! The solver: can a side, the attacker, win? A search of this one question to the end of
//! the game, which keeps with each answer what its proof depends on.
//!
//! Proofs: `docs/magnetic-cave.md`.

use super::needs::FEW_NEEDS;
use super::solver_position::{Choice, SolverPosition};
use crate::board::{Bitboard, Cell, Side};
use crate::cell_sets::is_single;
use crate::game::{ProofNode, ProofSearch};

/// With fewer empty cells than this, the answers of all next positions are not looked up
/// before the first is searched: that costs more than it saves.
const LOOK_AHEAD_MIN_EMPTY: u32 = 16;

/// After this many nodes, a thread looks whether another one has decided a position on its path.
const DECIDED_INTERVAL: u32 = 32;

/// The answer to the question, and the proof's own cells: the needs of the side that reaches
/// its goal on which the proof depends all lie in `cells`.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Whether the attacker wins.
    pub attacker_wins: bool,
    /// These cells.
    pub cells: Bitboard,
}

/// The solver of one question.
pub struct Solver<'a, S> {
    attacker: Side,
    search: &'a mut S,
    /// The keys of the positions on the current path that several threads search.
    path: Vec<u64>,
    /// Nodes since the last look at these positions.
    unchecked: u32,
    /// The place on the path of a position that another thread has decided: the search returns
    /// to it.
    decided: Option<usize>,
}

impl<'a, S: ProofSearch> Solver<'a, S> {
    /// A solver that answers whether `attacker` can win.
    pub fn new(attacker: Side, search: &'a mut S) -> Solver<'a, S> {
        Solver {
            attacker,
            search,
            path: Vec::new(),
            unchecked: 0,
            decided: None,
        }
    }

    /// The answer for a position, after a move on `previous`. `None` if the search must stop, or
    /// must return to a position that is decided.
    pub fn solve<const N: usize>(
        &mut self,
        position: &SolverPosition<N>,
        previous: Option<Cell>,
    ) -> Option<Answer> {
        if !self.search.enter() || self.is_path_decided() {
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
        if let Some(answer) = self.find_answer(position) {
            return Some(answer);
        }
        let answer = self.search_moves(position, (cells, excluded_by), previous)?;
        let side = self.side_of(answer.attacker_wins);
        let key = position.proof_key(attacker, side);
        let tag = position.tag(&key, answer.cells);
        self.search
            .store(position.place(&key), tag, answer.cells, position.plies_left());
        if self.search.is_shared(position.plies_left()) {
            self.search.set_decided(position.search_key(attacker), true);
        }
        Some(answer)
    }

    /// Whether another thread has decided a position on the path. Looks from time to time.
    fn is_path_decided(&mut self) -> bool {
        if self.path.is_empty() {
            return false;
        }
        self.unchecked += 1;
        if self.unchecked < DECIDED_INTERVAL {
            return false;
        }
        self.unchecked = 0;
        let search = &self.search;
        self.decided = self.path.iter().position(|&key| search.is_decided(key));
        self.decided.is_some()
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
        let nexts = if node.empty >= LOOK_AHEAD_MIN_EMPTY {
            match self.look_ahead(position, cells) {
                Ok(answer) => return Some(answer),
                Err(nexts) => nexts,
            }
        } else {
            Vec::new()
        };
        let replies = nexts.iter().map(|(cell, next)| (*cell, next.replies()));
        let scores = position.move_scores(cells, self.attacker, replies);
        let hint = |cell: Cell| scores[cell.index()];
        let first = self.search.ordering().push(node, cells, hint);
        let level = self.path.len();
        if self.search.is_shared(node.empty) {
            self.path.push(position.search_key(self.attacker));
        }
        let answer = self.try_moves(position, node, first, &nexts, excluded_by);
        self.path.truncate(level);
        self.search.ordering().pop(first);
        let mut answer = answer?;
        let cells = position.needs(self.side_of(answer.attacker_wins)).cells();
        answer.cells &= cells;
        Some(answer)
    }

    /// The answer for a position whose moves stand on the stack from `first` on. `nexts` are
    /// positions after moves, if they are known.
    fn try_moves<const N: usize>(
        &mut self,
        position: &SolverPosition<N>,
        node: ProofNode,
        first: usize,
        nexts: &[(Cell, SolverPosition<N>)],
        excluded_by: Bitboard,
    ) -> Option<Answer> {
        let good = node.mover == self.attacker;
        let is_shared = self.search.is_shared(node.empty);
        let mut answer = Answer {
            attacker_wins: !good,
            cells: excluded_by,
        };
        let (mut index, mut deferred) = (first, Bitboard::EMPTY);
        while let Some(cell) = self.search.ordering().best(index) {
            let known = nexts.iter().find(|&&(other, _)| other == cell);
            let cell = Bitboard::from(cell);
            let played;
            let next = if let Some((_, next)) = known {
                next
            } else {
                played = position.play(cell);
                &played
            };
            let next = if is_shared {
                let key = next.search_key(self.attacker);
                let may_wait = index > first && (deferred & cell).is_empty();
                if may_wait && self.search.is_searched(key) {
                    deferred |= cell;
                    self.search.ordering().defer(index);
                    continue;
                }
                self.search.begin(key);
                let next = self.solve_next(next, cell);
                self.search.end(key);
                if next.is_none() && self.is_decided_here() {
                    let answer = self.find_answer(position);
                    if answer.is_some() {
                        return answer;
                    }
                    continue;
                }
                next?
            } else {
                self.solve_next(next, cell)?
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
        Some(answer)
    }

    /// Whether the search returns to the last position on the path, because it is decided.
    /// If its proof is not in the table, the search goes on.
    fn is_decided_here(&mut self) -> bool {
        let is_here = self.decided.is_some() && self.decided == self.path.len().checked_sub(1);
        if is_here {
            self.decided = None;
            if let Some(&key) = self.path.last() {
                self.search.set_decided(key, false);
            }
        }
        is_here
    }

    /// Looks up the answers of all next positions: a move whose stored answer decides the question,
    /// else these positions, with the cells of their moves.
    fn look_ahead<const N: usize>(
        &self,
        position: &SolverPosition<N>,
        cells: Bitboard,
    ) -> Result<Answer, Vec<(Cell, SolverPosition<N>)>> {
        let attacker_wins = position.side_to_move() == self.attacker;
        let side = self.side_of(attacker_wins);
        let mut nexts = Vec::with_capacity(cells.count() as usize);
        let mut keys = Vec::with_capacity(cells.count() as usize);
        for cell in cells.cells() {
            let next = position.play(cell.into());
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
                return Ok(self.before(position, (*cell).into(), Answer { attacker_wins, cells }));
            }
        }
        Err(nexts)
    }

    /// The stored answer for a position.
    fn find_answer<const N: usize>(&self, position: &SolverPosition<N>) -> Option<Answer> {
        let mut answers = [false, true].into_iter();
        answers.find_map(|attacker_wins| {
            let cells = self.find(position, attacker_wins)?;
            Some(Answer { attacker_wins, cells })
        })
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
