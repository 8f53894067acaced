//! Positions of the prover: the empty cells, and what each side still needs.
//!
//! A line is open for a side while it holds no brick of the other side. A *need* of a side is
//! the set of empty cells of an open line. Needs that contain another need of the same side
//! decide nothing and are left out, and so can those in paired rows be. The result depends only
//! on the needs of both sides, the live cells of the rows that contain parts of them, and the
//! parity of all other empty cells. Proofs: `research/magnetic-cave.md`.

use lodestone_game::board::{Bitboard, Side, first_of, is_single, is_subset, without_first};
use lodestone_game::random::mix;

use super::board_position::{BoardPosition, BoardRules};
use super::idle_rows::{live_cells, paired_rows};

/// A position of the prover. Its needs lie on a [`NeedStack`].
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The position itself.
    pub position: BoardPosition,
    /// Its empty cells.
    pub empty: Bitboard,
    /// The side to move.
    pub mover: Side,
    /// Where the needs of the first player begin, those of the second player begin, and end.
    bounds: [usize; 3],
}

/// The needs of the positions on the path from the root.
#[derive(Debug, Default)]
pub struct NeedStack {
    sets: Vec<Bitboard>,
}

impl NeedStack {
    /// The node of an unfinished position.
    pub fn push_position(&mut self, position: BoardPosition) -> Node {
        let empty = position.empty();
        let lines = position.rules.lines();
        let mut bounds = [self.sets.len(); 3];
        for side in Side::BOTH {
            let other = position.bricks[side.opponent().index()];
            let open = lines.iter().filter(|&&line| (line & other).is_empty());
            let needs: Vec<Bitboard> = open.map(|&line| line & empty).collect();
            for (index, &need) in needs.iter().enumerate() {
                let is_implied = needs
                    .iter()
                    .enumerate()
                    .any(|(place, &smaller)| is_subset(smaller, need) && (smaller != need || place < index));
                if !is_implied {
                    self.sets.push(need);
                }
            }
            bounds[side.index() + 1] = self.sets.len();
        }
        Node {
            position,
            empty,
            mover: position.side_to_move(),
            bounds,
        }
    }

    /// The node after a brick of the side to move on `cell`, which does not complete a line.
    pub fn push_move(&mut self, node: &Node, cell: Bitboard) -> Node {
        let mut bounds = [self.sets.len(); 3];
        for side in Side::BOTH {
            if side == node.mover {
                self.push_needs_after_own(node.range(side), cell);
            } else {
                for index in node.range(side) {
                    let need = self.sets[index];
                    self.push_if((need & cell).is_empty(), need);
                }
            }
            bounds[side.index() + 1] = self.sets.len();
        }
        let mut position = node.position;
        position.bricks[node.mover.index()] |= cell;
        Node {
            position,
            empty: node.empty & !cell,
            mover: node.mover.opponent(),
            bounds,
        }
    }

    /// Removes the needs in paired rows from the node that was pushed last.
    pub fn remove_paired_rows(&mut self, node: &mut Node) {
        let rows = paired_rows(node.empty, Side::BOTH.map(|side| self.needs(node, side)));
        if rows.is_empty() {
            return;
        }
        let mut end = node.bounds[0];
        for side in Side::BOTH {
            let range = node.range(side);
            node.bounds[side.index()] = end;
            for index in range {
                let need = self.sets[index];
                self.sets[end] = need;
                end += usize::from((need & rows).is_empty());
            }
        }
        node.bounds[2] = end;
        self.sets.truncate(end);
    }

    /// The image of a node under a symmetry of the board.
    pub fn push_image(&mut self, node: &Node, symmetry: usize) -> Node {
        let rules = node.position.rules;
        let first = self.sets.len();
        for index in node.bounds[0]..node.bounds[2] {
            let need = rules.image(self.sets[index], symmetry);
            self.sets.push(need);
        }
        let mut position = node.position;
        position.bricks = position.bricks.map(|cells| rules.image(cells, symmetry));
        Node {
            position,
            empty: rules.image(node.empty, symmetry),
            mover: node.mover,
            bounds: node.bounds.map(|bound| first + bound - node.bounds[0]),
        }
    }

    /// Removes the node that was pushed last.
    pub fn pop(&mut self, node: &Node) {
        self.sets.truncate(node.bounds[0]);
    }

    /// The minimal needs of a side.
    pub fn needs(&self, node: &Node, side: Side) -> &[Bitboard] {
        &self.sets[node.range(side)]
    }

    /// The cells of all needs of a side.
    pub fn needed_cells(&self, node: &Node, side: Side) -> Bitboard {
        let needs = self.needs(node, side).iter();
        needs.fold(Bitboard::EMPTY, |cells, &need| cells | need)
    }

    /// The needs of a side after its own brick on `cell`.
    fn push_needs_after_own(&mut self, range: std::ops::Range<usize>, cell: Bitboard) {
        let first = self.sets.len();
        for index in range.clone() {
            let need = self.sets[index];
            self.push_if(!(need & cell).is_empty(), need & !cell);
        }
        // These are minimal; of the others, those that contain none of these.
        let end = self.sets.len();
        for index in range {
            let need = self.sets[index];
            let is_minimal = self.sets[first..end].iter().fold(true, |is_minimal, &smaller| {
                is_minimal & !is_subset(smaller, need)
            });
            self.push_if(is_minimal & (need & cell).is_empty(), need);
        }
    }

    /// Pushes a need if `is_pushed`, without a branch, which would be taken at random.
    fn push_if(&mut self, is_pushed: bool, need: Bitboard) {
        self.sets.push(need);
        self.sets.truncate(self.sets.len() - usize::from(!is_pushed));
    }
}

impl Node {
    fn range(&self, side: Side) -> std::ops::Range<usize> {
        self.bounds[side.index()]..self.bounds[side.index() + 1]
    }
}

/// What can be seen of a node without search.
#[derive(Clone, Copy, Debug)]
pub struct NodeThreats {
    /// The playable cells.
    pub playable: Bitboard,
    /// The empty cells that are not waiting moves.
    pub live: Bitboard,
    /// By side, the playable cells that complete a line for it.
    pub completing: [Bitboard; 2],
    /// By side, the cells that will complete a line for it once they are playable.
    pub waiting: [Bitboard; 2],
}

/// What the rules leave the side to move.
#[derive(Clone, Copy, Debug)]
pub enum Options {
    /// It completes a line on this cell.
    Win(Bitboard),
    /// All moves to search, and the waiting cells and threats of the opponent that exclude the
    /// others. No move: the opponent completes a line.
    Moves(Bitboard, Bitboard),
}

impl NodeThreats {
    /// The threats of a node.
    pub fn of(stack: &NeedStack, node: &Node) -> NodeThreats {
        let playable = BoardRules::playable(node.empty);
        let mut live = Bitboard::EMPTY;
        let single = Side::BOTH.map(|side| {
            let mut single = Bitboard::EMPTY;
            for &need in stack.needs(node, side) {
                live |= need;
                single |= if is_single(need) { need } else { Bitboard::EMPTY };
            }
            single
        });
        NodeThreats {
            playable,
            live: live_cells(node.empty, live),
            completing: single.map(|cells| cells & playable),
            waiting: single.map(|cells| cells & !playable),
        }
    }

    /// The number of moves that the rules leave the side to move, 0 if it completes a line.
    pub fn replies(&self, node: &Node) -> u32 {
        match self.options(node) {
            Options::Win(_) => 0,
            Options::Moves(cells, _) => cells.count(),
        }
    }

    /// What the rules leave the side to move. Two waiting moves cancel each other
    /// out, so one of them is enough if there is an odd number of them, and none otherwise.
    pub fn options(&self, node: &Node) -> Options {
        let (own, other) = (node.mover.index(), node.mover.opponent().index());
        let win = self.completing[own];
        if !win.is_empty() {
            return Options::Win(first_of(win));
        }
        let threat = self.completing[other];
        let more = without_first(threat);
        if !more.is_empty() {
            return Options::Moves(Bitboard::EMPTY, first_of(threat) | first_of(more));
        }
        let answers = if threat.is_empty() { self.playable } else { threat };
        let waiting = self.waiting[other];
        let beside = waiting.east() | waiting.west();
        let mut excluded_by = threat;
        for cell in (answers & beside).cells().map(Bitboard::from) {
            let opened = waiting & (cell.east() | cell.west());
            if (opened & excluded_by).is_empty() {
                excluded_by |= first_of(opened);
            }
        }
        let safe = answers & !beside;
        let mut cells = safe & self.live;
        if !(node.empty & !self.live).count().is_multiple_of(2) {
            cells |= first_of(safe & !self.live);
        }
        Options::Moves(cells, excluded_by)
    }
}

/// Different numbers for the needs of the two sides in a hash.
const SIDE_NUMBERS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];

/// The part of a proof's key that is the same for all positions in which the other side has the
/// same needs.
#[derive(Clone, Copy, Debug)]
pub struct ProofPlace {
    /// The side whose goal is proven.
    goal: Side,
    hash: u64,
    /// The cells of the other side's needs.
    cells: Bitboard,
}

impl ProofPlace {
    /// The place of proofs that `goal` reaches its goal: `attacker` wins, or if `goal` is the
    /// other side, `attacker` does not win. They depend on all needs of the other side.
    pub fn of(stack: &NeedStack, node: &Node, attacker: Side, goal: Side) -> ProofPlace {
        let other = goal.opponent();
        let question = (attacker.index() * 4 + goal.index() * 2 + node.mover.index()) as u64 + 1;
        let (mut hash, mut cells) = (mix(question), Bitboard::EMPTY);
        for &need in stack.needs(node, other) {
            cells |= need;
            hash = hash.wrapping_add(mix(need.0 ^ SIDE_NUMBERS[other.index()]));
        }
        ProofPlace { goal, hash, cells }
    }

    /// The place in the table.
    pub fn index(&self, node: &Node) -> u64 {
        mix(self.hash ^ mix(live_cells(node.empty, self.cells).0))
    }

    /// A hash of everything on which a proof depends that uses only those needs of its side
    /// that lie in `used`. Never 0.
    pub fn tag(&self, stack: &NeedStack, node: &Node, used: Bitboard) -> u64 {
        let (mut hash, mut cells) = (self.hash ^ mix(used.0), self.cells);
        for &need in stack.needs(node, self.goal) {
            let is_used = is_subset(need, used);
            let number = mix(need.0 ^ SIDE_NUMBERS[self.goal.index()]);
            cells |= if is_used { need } else { Bitboard::EMPTY };
            hash = hash.wrapping_add(if is_used { number } else { 0 });
        }
        mix(hash ^ !mix(live_cells(node.empty, cells).0)) | 1
    }
}

/// A hash of a question and everything that decides its answer: the same for all positions
/// that the prover does not distinguish.
pub fn question_key(stack: &NeedStack, node: &Node, attacker: Side) -> u64 {
    ProofPlace::of(stack, node, attacker, attacker).tag(stack, node, !Bitboard::EMPTY)
}
