//! The solver: can a side, the attacker, win? A search of this one question to the end of
//! the game, which keeps with each answer what its proof depends on.
//!
//! Proofs: `research/magnetic-cave.md`.

use lodestone_game::board::{Bitboard, Cell, Side, is_single};
use lodestone_game::magnetic_cave::MagneticCave;

use super::needs::FEW_NEEDS;
use super::proof::{ProofNode, ProofSearch};
use super::solver_position::{Choice, ProofKey, SolverPosition, SolverThreats};

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
    pub(crate) cells: Bitboard,
}

/// Whether `attacker` wins this unfinished position against every defence. `None` if the search
/// stops the solver.
pub fn proves_win(position: &MagneticCave, attacker: Side, search: &mut impl ProofSearch) -> Option<bool> {
    let answer = Solver::new(attacker, search).answer(&SolverPosition::of(position)?)?;
    Some(answer.attacker_wins)
}

/// A position after a move, seen in advance.
struct Next<const N: usize> {
    cell: Cell,
    position: SolverPosition<N>,
    /// The opponent's replies, see [`Choice::replies`].
    replies: u32,
}

/// How a position is searched.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    /// The move that led to it.
    previous: Option<Cell>,
    /// Whether it can wait while another thread searches it.
    may_wait: bool,
    /// Whether it is known that no static bound proves the goal of the side that has moved.
    is_tested: bool,
}

/// Why a search ends without an answer.
enum Unanswered {
    /// The search must stop.
    Stopped,
    /// Another thread searches the position, so it can wait.
    Searched,
    /// Another thread has decided a position on the path, at this place: the search returns to it.
    Decided(usize),
}

/// The solver of one question.
pub struct Solver<'a, S> {
    attacker: Side,
    search: &'a mut S,
    /// The keys of the positions on the current path that several threads search.
    path: Vec<u64>,
    /// Nodes since the last look at these positions.
    unchecked: u32,
}

impl<'a, S: ProofSearch> Solver<'a, S> {
    /// A solver that answers whether `attacker` can win.
    pub fn new(attacker: Side, search: &'a mut S) -> Solver<'a, S> {
        Solver {
            attacker,
            search,
            path: Vec::new(),
            unchecked: 0,
        }
    }

    /// The answer for a position. `None` if the search must stop.
    pub fn answer<const N: usize>(&mut self, position: &SolverPosition<N>) -> Option<Answer> {
        self.solve(position, Visit::default()).ok()
    }

    /// The answer for a position.
    fn solve<const N: usize>(
        &mut self,
        position: &SolverPosition<N>,
        visit: Visit,
    ) -> Result<Answer, Unanswered> {
        if !self.search.enter() {
            return Err(Unanswered::Stopped);
        }
        if let Some(level) = self.decided_level() {
            return Err(Unanswered::Decided(level));
        }
        let attacker = self.attacker;
        let mover = position.side_to_move();
        let attacker_wins = mover == attacker;
        if position.needs(attacker).all().is_empty() {
            return Ok(Answer {
                attacker_wins: false,
                cells: Bitboard::EMPTY,
            });
        }
        let threats = position.threats();
        let (cells, excluded_by) = match position.choice(&threats) {
            Choice::Win(cells) => return Ok(Answer { attacker_wins, cells }),
            Choice::Moves { cells, excluded_by } => (cells, excluded_by),
        };
        if cells.is_empty() {
            return Ok(Answer {
                attacker_wins: !attacker_wins,
                cells: excluded_by,
            });
        }
        if is_single(cells) {
            let next = Visit {
                previous: cells.first(),
                is_tested: false,
                ..visit
            };
            let next = self.solve_next(&position.play(cells), next)?;
            let mut answer = self.before(position, cells, next);
            if next.attacker_wins != attacker_wins {
                answer.cells |= excluded_by;
            }
            return Ok(answer);
        }
        for wins in [false, true] {
            // The goal of the side that has moved.
            if visit.is_tested && wins != attacker_wins {
                continue;
            }
            if let Some(cells) = self.static_proof(position, wins, &threats) {
                return Ok(Answer {
                    attacker_wins: wins,
                    cells,
                });
            }
        }
        let node = ProofNode {
            attacker,
            mover,
            empty: position.plies_left(),
            previous: visit.previous,
        };
        self.find_or_search(position, node, (cells, excluded_by), visit.may_wait)
    }

    /// A static proof that the attacker wins, or that it does not; the waiting cells that it uses.
    fn static_proof<const N: usize>(
        &self,
        position: &SolverPosition<N>,
        attacker_wins: bool,
        threats: &SolverThreats,
    ) -> Option<Bitboard> {
        if attacker_wins {
            position.won(self.attacker, threats)
        } else {
            position.held(self.attacker, threats)
        }
    }

    /// The answer for a position with several moves, from the table or by search.
    fn find_or_search<const N: usize>(
        &mut self,
        position: &SolverPosition<N>,
        node: ProofNode,
        choice: (Bitboard, Bitboard),
        may_wait: bool,
    ) -> Result<Answer, Unanswered> {
        let keys = Side::BOTH.map(|side| position.proof_key(self.attacker, side));
        if let Some(answer) = self.find_answer(position, &keys) {
            return Ok(answer);
        }
        let is_shared = self.search.is_shared(node.empty);
        let shared_key = is_shared.then(|| position.search_key(&keys));
        let answer = match shared_key {
            Some(key) if may_wait && self.search.is_searched(key) => Err(Unanswered::Searched),
            Some(key) => self.search_shared(position, node, choice, (key, &keys)),
            None => self.search_moves(position, node, choice),
        }?;
        let key = &keys[self.side_of(answer.attacker_wins).index()];
        let tag = position.tag(key, answer.cells);
        self.search
            .store(position.place(key), tag, answer.cells, node.empty);
        if let Some(key) = shared_key {
            self.search.set_decided(key, true);
        }
        Ok(answer)
    }

    /// The same by a search of which other threads are told, given the position's key and those of its proofs.
    fn search_shared<const N: usize>(
        &mut self,
        position: &SolverPosition<N>,
        node: ProofNode,
        choice: (Bitboard, Bitboard),
        (key, proof_keys): (u64, &[ProofKey; 2]),
    ) -> Result<Answer, Unanswered> {
        let level = self.path.len();
        self.search.begin(key);
        self.path.push(key);
        let answer = loop {
            match self.search_moves(position, node, choice) {
                Err(Unanswered::Decided(decided)) if decided == level => {
                    self.search.set_decided(key, false);
                    // If the proof is not in the table, the search goes on.
                    if let Some(answer) = self.find_answer(position, proof_keys) {
                        break Ok(answer);
                    }
                }
                answer => break answer,
            }
        };
        self.path.truncate(level);
        self.search.end(key);
        answer
    }

    /// The place on the path of a position that another thread has decided. Looks from time to time.
    fn decided_level(&mut self) -> Option<usize> {
        if self.path.is_empty() {
            return None;
        }
        self.unchecked += 1;
        if self.unchecked < DECIDED_INTERVAL {
            return None;
        }
        self.unchecked = 0;
        self.path.iter().position(|&key| self.search.is_decided(key))
    }

    /// The answer for the position after a move.
    fn solve_next<const N: usize>(
        &mut self,
        next: &SolverPosition<N>,
        visit: Visit,
    ) -> Result<Answer, Unanswered> {
        if N > FEW_NEEDS
            && let Some(next) = next.with_capacity::<FEW_NEEDS>()
        {
            return self.solve(&next, visit);
        }
        self.solve(next, visit)
    }

    /// The answer for a position with several moves, by search.
    fn search_moves<const N: usize>(
        &mut self,
        position: &SolverPosition<N>,
        node: ProofNode,
        (cells, excluded_by): (Bitboard, Bitboard),
    ) -> Result<Answer, Unanswered> {
        let nexts = if node.empty >= LOOK_AHEAD_MIN_EMPTY {
            match self.look_ahead(position, cells) {
                Ok(answer) => return Ok(answer),
                Err(nexts) => nexts,
            }
        } else {
            Vec::new()
        };
        let replies = nexts.iter().map(|next| (next.cell, next.replies));
        let scores = position.move_scores(cells, self.attacker, replies);
        let hint = |cell: Cell| scores[cell.index()];
        let first = self.search.ordering().push(node, cells, hint);
        let answer = self.try_moves(position, node, first, &nexts, excluded_by);
        self.search.ordering().pop(first);
        let mut answer = answer?;
        let cells = position.needs(self.side_of(answer.attacker_wins)).cells();
        answer.cells &= cells;
        Ok(answer)
    }

    /// The answer for a position whose moves stand on the stack from `first` on. `nexts` are
    /// positions after moves, if they are known.
    fn try_moves<const N: usize>(
        &mut self,
        position: &SolverPosition<N>,
        node: ProofNode,
        first: usize,
        nexts: &[Next<N>],
        excluded_by: Bitboard,
    ) -> Result<Answer, Unanswered> {
        let good = node.mover == self.attacker;
        let mut answer = Answer {
            attacker_wins: !good,
            cells: excluded_by,
        };
        let (mut index, mut deferred) = (first, Bitboard::EMPTY);
        while let Some(cell) = self.search.ordering().best(index) {
            let known = nexts.iter().find(|next| next.cell == cell);
            let cell = Bitboard::from(cell);
            let played;
            let next = if let Some(next) = known {
                &next.position
            } else {
                played = position.play(cell);
                &played
            };
            let visit = Visit {
                previous: cell.first(),
                may_wait: index > first && (deferred & cell).is_empty(),
                is_tested: known.is_some(),
            };
            let next = match self.solve_next(next, visit) {
                Err(Unanswered::Searched) => {
                    deferred |= cell;
                    self.search.ordering().defer(index);
                    continue;
                }
                next => next?,
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
        Ok(answer)
    }

    /// Looks at all next positions: a move after which a stored answer or a static bound decides the question,
    /// else these positions.
    fn look_ahead<const N: usize>(
        &self,
        position: &SolverPosition<N>,
        cells: Bitboard,
    ) -> Result<Answer, Vec<Next<N>>> {
        let attacker_wins = position.side_to_move() == self.attacker;
        let side = self.side_of(attacker_wins);
        let mut nexts = Vec::with_capacity(cells.count() as usize);
        let mut keys = Vec::with_capacity(cells.count() as usize);
        for cell in cells.cells() {
            nexts.push(Next {
                cell,
                position: SolverPosition::NONE,
                replies: 0,
            });
        }
        for next in &mut nexts {
            next.position.set_next(position, next.cell.into());
            let key = next.position.proof_key(self.attacker, side);
            keys.push((key, next.position.place(&key)));
        }
        // So the processor waits for these places at the same time, not for one after the other.
        for &(_, place) in &keys {
            self.search.touch(place);
        }
        let answer = |cell: Cell, cells| self.before(position, cell.into(), Answer { attacker_wins, cells });
        for (next, (key, place)) in nexts.iter().zip(&keys) {
            if let Some(cells) = self.search.find(*place, |cells| next.position.tag(key, cells)) {
                return Ok(answer(next.cell, cells));
            }
        }
        for next in &mut nexts {
            let threats = next.position.threats();
            next.replies = next.position.choice(&threats).replies();
            if next.replies > 1
                && let Some(cells) = self.static_proof(&next.position, attacker_wins, &threats)
            {
                return Ok(answer(next.cell, cells));
            }
        }
        Err(nexts)
    }

    /// The stored answer for a position with these keys of its proofs, by side.
    fn find_answer<const N: usize>(
        &self,
        position: &SolverPosition<N>,
        keys: &[ProofKey; 2],
    ) -> Option<Answer> {
        [false, true].into_iter().find_map(|attacker_wins| {
            let key = &keys[self.side_of(attacker_wins).index()];
            let tag = |cells| position.tag(key, cells);
            let cells = self.search.find(position.place(key), tag)?;
            Some(Answer { attacker_wins, cells })
        })
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
