//! The prover: can a side, the attacker, win? A search of this one question.

use std::collections::HashMap;
use std::hint::black_box;

use lodestone::game::magnetic_cave::move_policy::{PolicyPosition, move_scores};
use lodestone::game::magnetic_cave::{ProofNode, ProofOrdering};
use lodestone_game::board::{Bitboard, Cell, Side, is_single, is_subset};

use super::board_position::{BoardPosition, BoardRules, BoardValue};
use super::node::{NeedStack, Node, NodeThreats, Options, ProofPlace, question_key};
use super::static_bounds::{held, won};

/// With fewer empty cells than this, the table is not asked about all next positions before the
/// first is searched.
const LOOK_AHEAD_MIN_EMPTY: u32 = 14;

/// Positions with at most this many bricks are replaced by one of their images, the same for
/// all of them.
const SYMMETRY_MAX_BRICKS: u32 = 12;

/// Positions between two calls of [`ProofObserver::on_progress`], and between two looks at the
/// limit.
const PROGRESS_INTERVAL: u64 = 1 << 12;

/// The levels of the tree whose moves are shown as progress.
const TRAIL: usize = 4;

/// Whether the attacker wins, and the cells of the proof: all needs on which it depends, of the side
/// that reaches its goal, lie in `cells`.
#[derive(Clone, Copy, Debug)]
struct Finding {
    wins: bool,
    cells: Bitboard,
}

/// What is known about the progress of a search.
#[derive(Clone, Copy, Debug)]
pub struct ProverProgress<'a> {
    /// Positions searched.
    pub nodes: u64,
    /// From the root on, which of how many moves is searched, both from 1.
    pub trail: &'a [(usize, usize)],
}

/// An answer to a question.
#[derive(Clone, Copy, Debug)]
pub struct ProvenAnswer {
    /// An unfinished position.
    pub position: BoardPosition,
    /// The side of the question.
    pub attacker: Side,
    /// Whether this side wins.
    pub wins: bool,
    /// Positions searched for this answer.
    pub work: u64,
    /// Positions searched so far.
    pub nodes: u64,
}

/// The environment of a prover.
pub trait ProofObserver {
    /// A search begins: does `attacker` win?
    fn on_question(&mut self, attacker: Side);

    /// The question of a search was answered.
    fn on_answer(&mut self, answer: &ProvenAnswer);

    /// A question that arose during the search was answered. Returns whether to continue.
    fn on_proof(&mut self, answer: &ProvenAnswer) -> bool;

    /// A certificate has this number of answers now.
    fn on_certified(&mut self, _answers: u64) {}

    /// Called after every few thousand positions. Returns whether to continue.
    fn on_progress(&mut self, progress: ProverProgress<'_>) -> bool;
}

/// Answers of earlier searches.
#[derive(Debug, Default)]
pub struct KnownAnswers {
    /// By the bricks of a position and the attacker, whether it wins.
    answers: HashMap<([Bitboard; 2], Side), bool>,
    /// The least number of empty cells.
    min_empty: u32,
}

impl KnownAnswers {
    /// Adds the answer for an unfinished position and all its images.
    pub fn add(&mut self, position: &BoardPosition, attacker: Side, wins: bool) {
        let empty = position.empty().count();
        if self.answers.is_empty() || empty < self.min_empty {
            self.min_empty = empty;
        }
        for symmetry in 0..BoardRules::SYMMETRIES {
            let image = |cells| position.rules.image(cells, symmetry);
            self.answers.insert((position.bricks.map(image), attacker), wins);
        }
    }

    /// The answer for an unfinished position.
    pub fn answer(&self, position: &BoardPosition, attacker: Side) -> Option<bool> {
        if self.answers.is_empty() || position.empty().count() < self.min_empty {
            return None;
        }
        self.answers.get(&(position.bricks, attacker)).copied()
    }
}

/// The search of one question at a time.
pub struct Prover<'a, O> {
    /// The side of the current question.
    attacker: Side,
    table: ProofTable,
    known: &'a KnownAnswers,
    observer: &'a mut O,
    nodes: u64,
    /// The search ends before it searches more positions than this.
    limit: u64,
    /// Whether the observer ended a search.
    pub is_ended: bool,
    stack: NeedStack,
    ordering: ProofOrdering,
    /// The positions with several moves on the path.
    level: usize,
    trail: [(usize, usize); TRAIL],
}

impl<'a, O: ProofObserver> Prover<'a, O> {
    /// A prover with an empty history, after a number of positions that were searched before.
    pub fn new(table: ProofTable, known: &'a KnownAnswers, observer: &'a mut O, nodes: u64) -> Prover<'a, O> {
        Prover {
            attacker: Side::First,
            table,
            known,
            observer,
            nodes,
            limit: u64::MAX,
            is_ended: false,
            stack: NeedStack::default(),
            ordering: ProofOrdering::default(),
            level: 0,
            trail: [(0, 0); TRAIL],
        }
    }

    /// The value of a position for the side to move. `None` if the observer ended the search.
    pub fn value(&mut self, position: &BoardPosition) -> Option<BoardValue> {
        let mover = position.side_to_move();
        if position.has_line(mover.opponent()) {
            return Some(BoardValue::Loss);
        }
        let empty = position.empty().count();
        if empty == 0 {
            return Some(BoardValue::Draw);
        }
        for (attacker, value) in [(mover, BoardValue::Win), (mover.opponent(), BoardValue::Loss)] {
            if self.answer(position, attacker)? {
                return Some(value);
            }
        }
        Some(BoardValue::Draw)
    }

    /// Whether a side wins an unfinished position. `None` if the observer ended the search.
    fn answer(&mut self, position: &BoardPosition, attacker: Side) -> Option<bool> {
        let before = self.nodes;
        if let Some(wins) = self.known.answer(position, attacker) {
            return Some(wins);
        }
        let wins = self.wins(position, attacker, None)?;
        let answer = self.proven(position, wins, before);
        self.observer.on_answer(&answer);
        Some(wins)
    }

    /// The legal moves of an unfinished position, those first that seem to decide the question whether
    /// `attacker` wins.
    pub fn ordered_moves(&mut self, position: &BoardPosition, attacker: Side) -> Vec<Cell> {
        self.attacker = attacker;
        let mut node = self.stack.push_position(*position);
        self.stack.remove_paired_rows(&mut node);
        let cells = position.moves();
        let nexts = self.push_all_next(&node, cells);
        let scores = self.move_scores(&node, cells, &nexts);
        self.stack.pop(&node);
        let mut ordered: Vec<Cell> = cells.cells().collect();
        ordered.sort_by_key(|cell| -scores[cell.index()]);
        ordered
    }

    /// The positions searched.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Tells the observer how many answers a certificate has.
    pub fn report_certified(&mut self, answers: u64) {
        self.observer.on_certified(answers);
    }

    /// Whether a side wins an unfinished position. `None` if that takes more than `budget` positions,
    /// or if the observer ended the search.
    pub fn wins(&mut self, position: &BoardPosition, attacker: Side, budget: Option<u64>) -> Option<bool> {
        if let Some(wins) = self.known.answer(position, attacker) {
            return Some(wins);
        }
        self.attacker = attacker;
        self.observer.on_question(attacker);
        self.limit = budget.map_or(u64::MAX, |budget| self.nodes.saturating_add(budget));
        let finding = self.solve_root(position);
        self.limit = u64::MAX;
        finding.map(|finding| finding.wins)
    }

    fn solve_root(&mut self, position: &BoardPosition) -> Option<Finding> {
        let mut node = self.stack.push_position(*position);
        self.stack.remove_paired_rows(&mut node);
        let finding = self.solve(&node, None);
        self.stack.pop(&node);
        self.ordering.pop(0);
        self.level = 0;
        finding
    }

    /// Solves a node after a move on `previous`.
    fn solve(&mut self, node: &Node, previous: Option<Cell>) -> Option<Finding> {
        if self.nodes >= self.limit {
            return None;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(PROGRESS_INTERVAL) {
            let progress = ProverProgress {
                nodes: self.nodes,
                trail: &self.trail[..self.level.min(TRAIL)],
            };
            if !self.observer.on_progress(progress) {
                self.is_ended = true;
                return None;
            }
        }
        let attacker = self.attacker;
        let mover_attacks = node.mover == attacker;
        let found = |wins, cells| Some(Finding { wins, cells });
        if self.stack.needs(node, attacker).is_empty() {
            return found(false, Bitboard::EMPTY);
        }
        let threats = NodeThreats::of(&self.stack, node);
        let (cells, excluded_by) = match threats.options(node) {
            Options::Win(cells) => return found(mover_attacks, cells),
            Options::Moves(cells, excluded_by) => (cells, excluded_by),
        };
        if cells.is_empty() {
            return found(!mover_attacks, excluded_by);
        }
        if is_single(cells) {
            let next = self.solve_next(node, cells.first()?)?;
            let mut finding = self.before(node, cells, next);
            if next.wins != mover_attacks {
                finding.cells |= excluded_by;
            }
            return Some(finding);
        }
        if let Some(cells) = held(&self.stack, node, &threats, attacker) {
            return found(false, cells);
        }
        if let Some(cells) = won(&self.stack, node, &threats, attacker) {
            return found(true, cells);
        }
        if let Some(wins) = self.known.answer(&node.position, attacker) {
            return found(wins, self.stack.needed_cells(node, self.goal_of(wins)));
        }
        self.solve_image(node, (cells, excluded_by), previous)
    }

    /// Solves the image that stands for all images of a node. Positions with many bricks have
    /// few equal images, so they stand for themselves.
    fn solve_image(
        &mut self,
        node: &Node,
        (cells, excluded_by): (Bitboard, Bitboard),
        previous: Option<Cell>,
    ) -> Option<Finding> {
        let rules = node.position.rules;
        let bricks = rules.cells().count() - node.empty.count();
        let mut least = (0, 0);
        if bricks <= SYMMETRY_MAX_BRICKS {
            for symmetry in 0..BoardRules::SYMMETRIES {
                let image = self.stack.push_image(node, symmetry);
                let key = question_key(&self.stack, &image, self.attacker);
                self.stack.pop(&image);
                if symmetry == 0 || key < least.0 {
                    least = (key, symmetry);
                }
            }
        }
        let (_, symmetry) = least;
        if symmetry == 0 {
            return self.solve_by_table(node, (cells, excluded_by), previous);
        }
        let image = self.stack.push_image(node, symmetry);
        let options = (rules.image(cells, symmetry), rules.image(excluded_by, symmetry));
        let previous = previous.and_then(|cell| rules.image(cell.into(), symmetry).first());
        let finding = self.solve_by_table(&image, options, previous);
        self.stack.pop(&image);
        let mut finding = finding?;
        finding.cells = rules.image(finding.cells, symmetry);
        Some(finding)
    }

    fn solve_by_table(
        &mut self,
        node: &Node,
        options: (Bitboard, Bitboard),
        previous: Option<Cell>,
    ) -> Option<Finding> {
        for wins in [false, true] {
            if let Some(cells) = self.find(node, wins) {
                return Some(Finding { wins, cells });
            }
        }
        let before = self.nodes;
        self.level += 1;
        let finding = self.search_moves(node, options, previous);
        self.level -= 1;
        let finding = finding?;
        let place = ProofPlace::of(&self.stack, node, self.attacker, self.goal_of(finding.wins));
        let tag = place.tag(&self.stack, node, finding.cells);
        self.table
            .store(place.index(node), tag, finding.cells, self.nodes - before);
        let answer = self.proven(&node.position, finding.wins, before);
        self.is_ended = !self.observer.on_proof(&answer);
        (!self.is_ended).then_some(finding)
    }

    /// The answer that was found since `before` positions were searched.
    fn proven(&self, position: &BoardPosition, wins: bool, before: u64) -> ProvenAnswer {
        ProvenAnswer {
            position: *position,
            attacker: self.attacker,
            wins,
            work: self.nodes - before,
            nodes: self.nodes,
        }
    }

    fn search_moves(
        &mut self,
        node: &Node,
        (cells, excluded_by): (Bitboard, Bitboard),
        previous: Option<Cell>,
    ) -> Option<Finding> {
        let order = ProofNode {
            attacker: self.attacker,
            mover: node.mover,
            empty: node.empty.count(),
            previous,
        };
        let nexts = if order.empty >= LOOK_AHEAD_MIN_EMPTY {
            self.push_all_next(node, cells)
        } else {
            Vec::new()
        };
        let finding = self.look_ahead(node, &nexts).or_else(|| {
            let scores = self.move_scores(node, cells, &nexts);
            let first = self.ordering.push(order, cells, |cell| scores[cell.index()]);
            let finding = self.try_moves(node, order, (first, &nexts), excluded_by);
            self.ordering.pop(first);
            finding
        });
        if let Some((_, next)) = nexts.first() {
            self.stack.pop(next);
        }
        let mut finding = finding?;
        finding.cells &= self.stack.needed_cells(node, self.goal_of(finding.wins));
        Some(finding)
    }

    /// The finding for a node whose moves stand in order from `first` on. `nexts` are the nodes after
    /// all moves, if they are on the stack.
    fn try_moves(
        &mut self,
        node: &Node,
        order: ProofNode,
        (first, nexts): (usize, &[(Cell, Node)]),
        excluded_by: Bitboard,
    ) -> Option<Finding> {
        let attacks = node.mover == self.attacker;
        let mut cells = excluded_by;
        let mut index = first;
        while let Some(cell) = self.ordering.best(index) {
            if let Some(step) = self.trail.get_mut(self.level - 1) {
                *step = (index - first + 1, self.ordering.count_from(first));
            }
            let next = match nexts.iter().find(|&&(other, _)| other == cell) {
                Some((_, next)) => self.solve(next, Some(cell)),
                None => self.solve_next(node, cell),
            }?;
            let before = self.before(node, cell.into(), next);
            if next.wins == attacks {
                self.ordering.on_decision(order, first, index);
                return Some(before);
            }
            cells |= before.cells;
            index += 1;
        }
        Some(Finding {
            wins: !attacks,
            cells,
        })
    }

    /// A move whose stored proof decides.
    fn look_ahead(&self, node: &Node, nexts: &[(Cell, Node)]) -> Option<Finding> {
        let wins = node.mover == self.attacker;
        let goal = self.goal_of(wins);
        let place = |(_, next): &(Cell, Node)| {
            let place = ProofPlace::of(&self.stack, next, self.attacker, goal);
            (place, place.index(next))
        };
        let places: Vec<(ProofPlace, u64)> = nexts.iter().map(place).collect();
        // So the processor waits for all of these places at once.
        for &(_, index) in &places {
            self.table.touch(index);
        }
        nexts
            .iter()
            .zip(places)
            .find_map(|((cell, next), (place, index))| {
                let cells = self
                    .table
                    .find(index, |cells| place.tag(&self.stack, next, cells))?;
                Some(self.before(node, (*cell).into(), Finding { wins, cells }))
            })
    }

    /// The scores of moves, by cell. They have no influence on the results, so the prover shares them with the
    /// engine's solver.
    fn move_scores(&self, node: &Node, cells: Bitboard, nexts: &[(Cell, Node)]) -> [i32; 64] {
        let count = |(cell, next): &(Cell, Node)| (*cell, NodeThreats::of(&self.stack, next).replies(next));
        let sides = [node.mover, node.mover.opponent()];
        let position = PolicyPosition {
            empty: node.empty,
            playable: BoardRules::playable(node.empty),
            needs: sides.map(|side| self.stack.needs(node, side)),
            attacks: node.mover == self.attacker,
        };
        move_scores(&position, cells, nexts.iter().map(count))
    }

    fn solve_next(&mut self, node: &Node, cell: Cell) -> Option<Finding> {
        let next = self.push_next(node, cell.into());
        let finding = self.solve(&next, Some(cell));
        self.stack.pop(&next);
        finding
    }

    /// Puts the nodes after these moves on the stack.
    fn push_all_next(&mut self, node: &Node, cells: Bitboard) -> Vec<(Cell, Node)> {
        let next = |cell: Cell| (cell, self.push_next(node, cell.into()));
        cells.cells().map(next).collect()
    }

    fn push_next(&mut self, node: &Node, cell: Bitboard) -> Node {
        let mut next = self.stack.push_move(node, cell);
        self.stack.remove_paired_rows(&mut next);
        next
    }

    /// The cells of a stored proof.
    fn find(&self, node: &Node, wins: bool) -> Option<Bitboard> {
        let place = ProofPlace::of(&self.stack, node, self.attacker, self.goal_of(wins));
        self.table
            .find(place.index(node), |cells| place.tag(&self.stack, node, cells))
    }

    /// The side whose goal this answer is.
    fn goal_of(&self, wins: bool) -> Side {
        if wins {
            self.attacker
        } else {
            self.attacker.opponent()
        }
    }

    /// The finding before the move on `cell`, given the finding after it, if this move decides.
    fn before(&self, node: &Node, cell: Bitboard, next: Finding) -> Finding {
        let goal = self.goal_of(next.wins);
        let mut finding = next;
        let allowed = next.cells | cell;
        // A need of which the brick filled a part.
        let needs = self.stack.needs(node, goal);
        if goal == node.mover
            && needs
                .iter()
                .any(|&need| !(need & cell).is_empty() && is_subset(need, allowed))
        {
            finding.cells |= cell;
        }
        finding
    }
}

// The table of proofs: bounded memory, the cheapest proofs are replaced first.

/// A proof: its tag, its cells, and the check and cost of [`ProofTable::store`]. A tag of 0 is
/// an unused place.
type Entry = [u64; 3];

/// The number of entries that share a bucket.
const BUCKET: usize = 4;

/// Proofs by the hash of their place.
#[derive(Debug)]
pub struct ProofTable {
    entries: Vec<Entry>,
    /// The number of buckets, a power of two, minus 1.
    mask: u64,
}

impl ProofTable {
    /// A table of at most this number of megabytes, at least one bucket. `None` if the memory is
    /// not available.
    pub fn new(megabytes: usize) -> Option<ProofTable> {
        let buckets = (megabytes << 20) / (BUCKET * size_of::<Entry>());
        let buckets = 1 << buckets.max(1).ilog2();
        let entries = bytemuck::allocation::try_zeroed_vec(buckets * BUCKET).ok()?;
        Some(ProofTable {
            entries,
            mask: buckets as u64 - 1,
        })
    }

    /// The cells of a proof at this place whose tag is the one that `tag` returns for its
    /// cells.
    pub fn find(&self, place: u64, tag: impl Fn(Bitboard) -> u64) -> Option<Bitboard> {
        let first = (place & self.mask) as usize * BUCKET;
        let mut bucket = self.entries[first..first + BUCKET].iter();
        let found = bucket.find(|&&[known, cells, rest]| {
            rest >> 32 == place >> 32 && known != 0 && known == tag(Bitboard(cells))
        });
        found.map(|&[_, cells, _]| Bitboard(cells))
    }

    /// Reads the entries of a place into the processor's cache.
    pub fn touch(&self, place: u64) {
        let first = (place & self.mask) as usize * BUCKET;
        for entry in [first, first + BUCKET - 1] {
            black_box(self.entries[entry][0]);
        }
    }

    /// Stores a proof that took `work` positions. The entry keeps the upper half of the place, so
    /// that [`find`](Self::find) can compare it.
    pub fn store(&mut self, place: u64, tag: u64, cells: Bitboard, work: u64) {
        let first = (place & self.mask) as usize * BUCKET;
        let bucket = &mut self.entries[first..first + BUCKET];
        let work = u32::try_from(work).unwrap_or(u32::MAX);
        let entry = [tag, cells.0, place >> 32 << 32 | u64::from(work)];
        // The last entry of a bucket takes any proof, the others take more expensive ones.
        let last = BUCKET - 1;
        let cost = |[_, _, rest]: Entry| rest as u32;
        let cheapest = (0..last).min_by_key(|&index| cost(bucket[index])).unwrap_or(last);
        if cost(bucket[cheapest]) <= work {
            bucket[last] = bucket[cheapest];
            bucket[cheapest] = entry;
        } else {
            bucket[last] = entry;
        }
    }
}
