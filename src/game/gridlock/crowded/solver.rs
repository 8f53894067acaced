//! The two searches of the solver. Both ask one question at a time: does a side get at least
//! these points, 1 for a win or 0 for a draw? A side gets them exactly if the other side does
//! not get at least `1 - points`.

use lodestone_game::board::{Bitboard, Cell, Move};
use lodestone_game::gridlock::{BOARD, NEIGHBOURS};
use lodestone_game::random::mix;

use super::stronghold::holds;

/// The search around the solver.
pub(crate) trait CrowdedSearch {
    /// Counts a position. Returns false if the solver must stop.
    fn enter(&mut self) -> bool;

    /// What was stored under a key.
    fn find(&self, key: u64) -> Option<SolverFact>;

    /// Stores a fact. Facts of greater depth stay longer.
    fn store(&mut self, key: u64, fact: SolverFact);
}

/// What a solver stores of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SolverFact {
    /// The move that decided.
    pub(crate) best: Option<Move>,
    /// The solver's own code of what is known.
    pub(crate) code: u16,
    /// The depth of the search for it, in plies, at most 255.
    pub(crate) depth: u8,
}

/// The proven result of a root position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RootResult {
    /// A move that keeps the result.
    pub(crate) best: Move,
    /// The result for the side to move: 1 for a win, 0 for a draw, −1 for a loss.
    pub(crate) points: i32,
}

/// The pieces of two sides, whose roles the function says.
type Pieces = [Bitboard; 2];

/// The nodes of the first attempt. Each further one has twice as many.
const FIRST_NODES: u64 = 2000;

/// The greatest depth of both searches, in plies.
const MAX_DEPTH: u8 = 250;

/// The greatest number of moves: at most 13 holes with four neighbours.
const MAX_MOVES: usize = 52;

/// What a cell of room is worth in the move order, in units of history.
const ROOM_HINT: i32 = 2000;

/// The order of the move that decided before: before all others.
const FIRST: i32 = i32::MAX;

/// Upper bound on a history value. A bonus moves a value towards ± this.
const HISTORY_LIMIT: i32 = 1 << 13;

/// Upper bound on the history bonus of one cutoff, the square of the depth in plies.
const MAX_BONUS: i32 = 400;

/// Codes of the facts of the search to the turn limit.
const YES: u16 = 1;
const NO: u16 = 2;

/// What is known of a question for any number of turns; a [`SolverFact`] holds it.
#[derive(Clone, Copy)]
struct Depths {
    /// The least depth at which the answer was yes; [`NEVER`] if there was none.
    yes: u8,
    /// One more than the greatest depth at which it was no.
    no: u8,
}

/// More than [`MAX_DEPTH`].
const NEVER: u8 = u8::MAX;

impl Depths {
    const UNKNOWN: Depths = Depths { yes: NEVER, no: 0 };

    /// Whether the answer is yes with this number of turns left.
    fn is_yes(self, turns: u32) -> bool {
        self.yes != NEVER && u32::from(self.yes) <= turns
    }

    fn from_code(code: u16) -> Depths {
        let [yes, no] = code.to_le_bytes();
        Depths { yes, no }
    }

    fn code(self) -> u16 {
        u16::from_le_bytes([self.yes, self.no])
    }
}

/// The moves of a position with their order.
struct Moves {
    moves: [(i32, u8, u8); MAX_MOVES],
    count: usize,
}

impl Moves {
    /// Puts the best move from `next` on there, and returns it.
    fn best(&mut self, next: usize) -> (Cell, Cell) {
        let rest = &self.moves[next..self.count];
        let best = (0..rest.len()).rev().max_by_key(|&index| rest[index].0);
        self.moves.swap(next, next + best.unwrap_or(0));
        self.at(next)
    }

    fn at(&self, index: usize) -> (Cell, Cell) {
        let (_, from, to) = self.moves[index];
        (Cell::from_index(from), Cell::from_index(to))
    }
}

/// The bounds on the points of a root move.
struct RootMove {
    mv: Move,
    pieces: Pieces,
    lower: i32,
    upper: i32,
}

/// The solver of one root.
pub struct Solver<'a, S> {
    search: &'a mut S,
    /// Nodes so far.
    nodes: u64,
    /// The attempt ends at this number of nodes.
    limit: u64,
    /// Whether the search has ended the solver.
    has_ended: bool,
    /// By parity of the turns left or by role, and by move.
    history: Vec<[i32; 64 * 64]>,
}

impl<'a, S: CrowdedSearch> Solver<'a, S> {
    /// A solver that has learned nothing.
    pub(crate) fn new(search: &'a mut S) -> Solver<'a, S> {
        Solver {
            search,
            nodes: 0,
            limit: 0,
            has_ended: false,
            history: vec![[0; 64 * 64]; 2],
        }
    }

    /// The result of a position with these `turns` left, at least 1, if only these moves may be
    /// played; `pieces` are those of the side to move, then the opponent's. `None` if the
    /// search ended the solver before.
    pub(crate) fn root(&mut self, [own, other]: Pieces, moves: &[Move], turns: u32) -> Option<RootResult> {
        let mut root_moves: Vec<RootMove> = moves
            .iter()
            .map(|&mv| RootMove {
                mv,
                pieces: [after(own, (mv.from(), mv.to())), other],
                lower: -1,
                upper: 1,
            })
            .collect();
        let mut nodes = FIRST_NODES;
        let mut depth = 0;
        loop {
            self.limit = self.nodes + nodes;
            while depth < MAX_DEPTH && u32::from(depth) < turns {
                self.search_any_turns(&mut root_moves, depth);
                if let Some(result) = result(&root_moves) {
                    return Some(result);
                }
                if self.is_over() {
                    break;
                }
                depth += 1;
            }
            if turns <= u32::from(MAX_DEPTH) {
                self.limit = self.nodes + nodes;
                self.search_to_the_limit(&mut root_moves, turns - 1);
                if let Some(result) = result(&root_moves) {
                    return Some(result);
                }
            } else if depth == MAX_DEPTH {
                return None;
            }
            if self.has_ended {
                return None;
            }
            nodes *= 2;
        }
    }

    /// Improves the bounds of the root moves by the search for any number of turns.
    fn search_any_turns(&mut self, moves: &mut [RootMove], depth: u8) {
        for points in [1, 0] {
            for index in open_moves(moves, points) {
                let [own, other] = moves[index].pieces;
                if self.gets([own, other], false, depth, points) {
                    moves[index].lower = points;
                    break;
                }
            }
            for index in open_moves(moves, 1 - points) {
                let [own, other] = moves[index].pieces;
                if self.gets([other, own], true, depth, points) {
                    moves[index].upper = -points;
                }
            }
        }
    }

    /// Improves the bounds of the root moves by the search to the turn limit.
    fn search_to_the_limit(&mut self, moves: &mut [RootMove], turns: u32) {
        for points in [1, 0] {
            for index in open_moves(moves, points) {
                let [own, other] = moves[index].pieces;
                let other_gets = self.gets_within([other, own], turns, 1 - points);
                if self.is_over() {
                    return;
                }
                if !other_gets {
                    moves[index].lower = points;
                    break;
                }
                moves[index].upper = points - 1;
            }
        }
    }

    fn is_over(&self) -> bool {
        self.has_ended || self.nodes >= self.limit
    }

    /// Counts a node. Returns false if the attempt is over; all further answers are
    /// meaningless then.
    fn enter(&mut self) -> bool {
        if self.is_over() {
            return false;
        }
        self.nodes += 1;
        self.has_ended = !self.search.enter();
        !self.has_ended
    }

    /// Whether a side is known to get these points with any number of turns left that is at
    /// least `depth`. `pieces` are those of this side, then the opponent's; the side or its
    /// opponent is to move.
    fn gets(&mut self, pieces: Pieces, is_to_move: bool, depth: u8, points: i32) -> bool {
        if !self.enter() {
            return false;
        }
        let [own, other] = pieces;
        let holes = BOARD & !(own | other);
        let beside_other = other.neighbours();
        let sides = if is_to_move { [own, other] } else { [other, own] };
        if (sides[0].neighbours() & holes).is_empty() {
            return !is_to_move;
        }
        if !(holes & !beside_other).is_empty() && holds(own, other, points) {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let key = any_turns_key(pieces, is_to_move, points);
        let fact = self.search.find(key);
        let mut known = fact.map_or(Depths::UNKNOWN, |fact| Depths::from_code(fact.code));
        if known.is_yes(depth.into()) {
            return true;
        }
        if known.no > depth {
            return false;
        }
        let role = usize::from(is_to_move);
        let first = fact.and_then(|fact| fact.best);
        let mut moves = self.moves(sides, role, first);
        let mut answer = !is_to_move;
        let mut best = None;
        for next in 0..moves.count {
            let mv = moves.best(next);
            let pieces = if is_to_move {
                [after(own, mv), other]
            } else {
                [own, after(other, mv)]
            };
            let gets = self.gets(pieces, !is_to_move, depth - 1, points);
            if self.is_over() {
                return false;
            }
            if gets == is_to_move {
                answer = is_to_move;
                best = Some(Move::slide(mv.0, mv.1));
                self.learn(role, u32::from(depth), &moves, next);
                break;
            }
        }
        if answer {
            known.yes = known.yes.min(depth);
        } else {
            known.no = known.no.max(depth + 1);
        }
        let code = known.code();
        self.search.store(key, SolverFact { best, code, depth });
        answer
    }

    /// Whether the side to move gets these points with this number of turns left. `pieces` are
    /// its own, then the opponent's.
    fn gets_within(&mut self, pieces: Pieces, turns: u32, points: i32) -> bool {
        if !self.enter() {
            return false;
        }
        let [own, other] = pieces;
        let holes = BOARD & !(own | other);
        let (room, other_room) = (own.neighbours() & holes, other.neighbours() & holes);
        if room.is_empty() {
            return false;
        }
        if turns == 0 {
            return room.count() as i32 - other_room.count() as i32 >= points;
        }
        if turns == 1 {
            return last_move_gets(pieces, points);
        }
        if let Some(answer) = self.known_for_any_turns(pieces, turns, points) {
            return answer;
        }
        let key = key(pieces, u64::from(turns) << 1 | points as u64);
        let fact = self.search.find(key);
        if let Some(fact) = fact
            && fact.code != 0
        {
            return fact.code == YES;
        }
        let role = (turns % 2) as usize;
        let mut moves = self.moves(pieces, role, None);
        let mut best = None;
        for next in 0..moves.count {
            let mv = moves.best(next);
            let other_gets = self.gets_within([other, after(own, mv)], turns - 1, 1 - points);
            if self.is_over() {
                return false;
            }
            if !other_gets {
                best = Some(Move::slide(mv.0, mv.1));
                self.learn(role, turns, &moves, next);
                break;
            }
        }
        let fact = SolverFact {
            best,
            code: if best.is_some() { YES } else { NO },
            depth: turns.min(255) as u8,
        };
        self.search.store(key, fact);
        best.is_some()
    }

    /// What the search for any number of turns, or counting, says.
    fn known_for_any_turns(&self, pieces: Pieces, turns: u32, points: i32) -> Option<bool> {
        let [own, other] = pieces;
        let holes = BOARD & !(own | other);
        let has_found = |pieces, is_to_move, points| {
            let fact = self.search.find(any_turns_key(pieces, is_to_move, points));
            fact.is_some_and(|fact| Depths::from_code(fact.code).is_yes(turns))
        };
        let is_held = |[own, other]: Pieces, points| {
            !(holes & !other.neighbours()).is_empty() && holds(own, other, points)
        };
        if is_held(pieces, points) || has_found(pieces, true, points) {
            return Some(true);
        }
        let swapped = [other, own];
        (is_held(swapped, 1 - points) || has_found(swapped, false, 1 - points)).then_some(false)
    }

    /// The moves of a position, `first` before all others. `pieces` are those of the side to
    /// move, then the opponent's.
    fn moves(&self, [own, other]: Pieces, role: usize, first: Option<Move>) -> Moves {
        let holes = BOARD & !(own | other);
        let beside_other = other.neighbours();
        let mut moves = Moves {
            moves: [(0, 0, 0); MAX_MOVES],
            count: 0,
        };
        for to in holes.cells() {
            for from in (NEIGHBOURS[to.index()] & own).cells() {
                let both = Bitboard::from(from) | to.into();
                let holes = holes ^ both;
                let room = ((own ^ both).neighbours() & holes).count() as i32;
                let other_room = (beside_other & holes).count() as i32;
                let order = if first == Some(Move::slide(from, to)) {
                    FIRST
                } else {
                    ROOM_HINT * (room - other_room) + self.history[role][history_index((from, to))]
                };
                if let Some(slot) = moves.moves.get_mut(moves.count) {
                    *slot = (order, from.index() as u8, to.index() as u8);
                    moves.count += 1;
                }
            }
        }
        moves
    }

    /// The move at `best` decided the question; those before it did not.
    fn learn(&mut self, role: usize, depth: u32, moves: &Moves, best: usize) {
        let bonus = (depth.saturating_mul(depth) as i32).min(MAX_BONUS);
        let history = &mut self.history[role];
        for index in 0..=best {
            let bonus = if index == best { bonus } else { -bonus };
            let value = &mut history[history_index(moves.at(index))];
            *value += bonus - *value * bonus.abs() / HISTORY_LIMIT;
        }
    }
}

/// [`Solver::gets_within`] with one turn left, without playing the moves.
fn last_move_gets([own, other]: Pieces, points: i32) -> bool {
    let holes = BOARD & !(own | other);
    let beside_other = other.neighbours();
    let gets = |mv| {
        let (own, both) = (after(own, mv), Bitboard::from(mv.0) | mv.1.into());
        let holes = holes ^ both;
        let other_room = (beside_other & holes).count() as i32;
        other_room == 0 || (own.neighbours() & holes).count() as i32 - other_room >= points
    };
    holes.cells().any(|to| {
        let pieces = NEIGHBOURS[to.index()] & own;
        pieces.cells().any(|from| gets((from, to)))
    })
}

fn history_index((from, to): (Cell, Cell)) -> usize {
    from.index() << 6 | to.index()
}

/// The pieces after a move of one of them.
fn after(pieces: Bitboard, (from, to): (Cell, Cell)) -> Bitboard {
    pieces ^ (Bitboard::from(from) | to.into())
}

fn key([first, second]: Pieces, question: u64) -> u64 {
    // The keys of the search itself do not have this constant.
    mix(first.0 ^ mix(second.0 ^ mix(question.wrapping_add(0x9e37_79b9_7f4a_7c15))))
}

/// The key of a question for any number of turns; see [`Solver::gets`].
fn any_turns_key(pieces: Pieces, is_to_move: bool, points: i32) -> u64 {
    key(pieces, 1 << 32 | u64::from(is_to_move) << 1 | points as u64)
}

/// The moves for which it is open whether the side to move gets these points, and matters.
fn open_moves(moves: &[RootMove], points: i32) -> Vec<usize> {
    let lower = moves.iter().map(|mv| mv.lower).max().unwrap_or(1);
    let is_open = |&index: &usize| lower < points && moves[index].upper >= points;
    (0..moves.len()).filter(is_open).collect()
}

/// The result, once it is known.
fn result(moves: &[RootMove]) -> Option<RootResult> {
    let lower = moves.iter().map(|mv| mv.lower).max()?;
    let upper = moves.iter().map(|mv| mv.upper).max()?;
    let best = moves.iter().find(|mv| mv.lower == lower)?;
    (lower == upper).then_some(RootResult {
        best: best.mv,
        points: lower,
    })
}

#[cfg(test)]
mod tests {
    use lodestone_game::Game;
    use lodestone_game::board::Side;
    use lodestone_game::gridlock::Gridlock;

    use super::super::tests::Memory;
    use super::*;

    #[test]
    fn an_open_question_stays_open_at_any_number_of_turns() {
        let fen = "ooxx1oo/oxx1ooo/xxoxxx1/oxxxooo/xoxoxox/oox1x1x/xooxoxo x 0 1000";
        let position = Gridlock::from_fen(fen).unwrap();
        let pieces = Side::BOTH.map(|side| position.pieces(side));
        let mut memory = Memory::new(u64::MAX);
        let mut solver = Solver::new(&mut memory);
        solver.limit = u64::MAX;
        assert!(!solver.gets(pieces, true, 3, 1));
        for turns in [2, 200, 254, 255, 1000] {
            assert_eq!(solver.known_for_any_turns(pieces, turns, 1), None, "{turns}");
        }
    }

    #[test]
    fn an_answer_holds_from_its_depth_on() {
        // A win of x after 11 plies.
        let fen = "oxoxx1o/o1ooooo/xxxoxxo/xxxooxx/o1oooox/xox1xxx/xoooxx1 x 0 1000";
        let position = Gridlock::from_fen(fen).unwrap();
        let pieces = Side::BOTH.map(|side| position.pieces(side));
        let mut memory = Memory::new(u64::MAX);
        let mut solver = Solver::new(&mut memory);
        solver.limit = u64::MAX;
        assert!(!solver.gets(pieces, true, 10, 1) && solver.gets(pieces, true, 11, 1));
        let known = [2, 10, 11, 255, 1000].map(|turns| solver.known_for_any_turns(pieces, turns, 1));
        assert_eq!(known, [None, None, Some(true), Some(true), Some(true)]);
    }

    #[test]
    fn history_stays_within_its_limit() {
        let mut memory = Memory::new(0);
        let mut solver = Solver::new(&mut memory);
        let moves = Moves {
            moves: [(0, 0, 1); MAX_MOVES],
            count: 1,
        };
        for _ in 0..1000 {
            solver.learn(0, 20, &moves, 0);
        }
        let value = solver.history[0][history_index(moves.at(0))];
        assert!((HISTORY_LIMIT / 2..=HISTORY_LIMIT).contains(&value), "{value}");
    }
}
