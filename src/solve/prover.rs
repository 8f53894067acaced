//! The prover: can a side, the attacker, win? A search of this one question.

use std::collections::HashMap;

use super::board_position::BoardPosition;
use super::board_rules::BoardRules;
use super::node::{NeedStack, Node, NodeThreats, Options, ProofPlace, question_key};
use super::pairs::is_horizontal;
use super::proof_table::ProofTable;
use super::static_bounds::{held, won};
use super::value::{BoardValue, SHORT_HORIZON};
use crate::board::{Bitboard, Cell, Side};
use crate::cell_sets::{is_single, is_subset};

/// With fewer empty cells than this, the table is not asked about all next positions before the
/// first is searched.
const LOOK_AHEAD_MIN_EMPTY: u32 = 12;

/// Positions with at most this many bricks are replaced by one of their images, the same for
/// all of them.
const SYMMETRY_MAX_BRICKS: u32 = 12;

/// Positions between two calls of [`ProofObserver::on_progress`], and between two looks at the
/// limit.
const PROGRESS_INTERVAL: u64 = 1 << 12;

/// The levels of the tree whose moves are shown as progress.
const TRAIL: usize = 4;

/// Upper bound on a history value. A bonus moves a value towards ± this.
const HISTORY_LIMIT: i32 = 1 << 14;

/// Upper bound on the history bonus of one cutoff, which is the square of the number of empty
/// cells.
const MAX_BONUS: u32 = 400;

/// The score of a cell for each need that contains it, divided by 4 for each of the need's
/// cells, in units of history.
const NEED_SCORE: i32 = 1 << 15;

/// The score of the last cell that decided a position with as many empty cells.
const KILLER_SCORE: i32 = 1 << 20;

/// What a search says about a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The attacker wins.
    Wins,
    /// The attacker does not win.
    Holds,
    /// The attacker does not win within the horizon.
    Open,
}

/// A verdict, and the cells of its proof: all needs on which it depends, of the side that
/// reaches its goal, lie in `cells`.
#[derive(Clone, Copy, Debug)]
struct Finding {
    verdict: Verdict,
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
    /// A search begins: does `attacker` win within `horizon` plies?
    fn on_question(&mut self, attacker: Side, horizon: u32);

    /// The question of a search was answered.
    fn on_answer(&mut self, answer: &ProvenAnswer);

    /// A question that arose during the search was answered. Returns whether to continue.
    fn on_proof(&mut self, answer: &ProvenAnswer) -> bool;

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
    is_ended: bool,
    stack: NeedStack,
    /// The cells of all positions on the path, with their scores.
    moves: Vec<(i32, Cell)>,
    /// By attacker, side to move and cell.
    history: [[[i32; 64]; 2]; 2],
    /// By attacker and number of empty cells.
    killers: [[Option<Cell>; 65]; 2],
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
            moves: Vec::new(),
            history: [[[0; 64]; 2]; 2],
            killers: [[None; 65]; 2],
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
        let mut verdicts = [Verdict::Open; 2];
        for horizon in [SHORT_HORIZON.min(empty), empty] {
            for attacker in [mover, mover.opponent()] {
                let verdict = &mut verdicts[attacker.index()];
                if *verdict == Verdict::Open {
                    *verdict = match self.known.answer(position, attacker) {
                        Some(wins) => verdict_of(wins),
                        None => self.search(position, attacker, horizon)?,
                    };
                }
                if *verdict == Verdict::Wins {
                    return Some(if attacker == mover {
                        BoardValue::Win
                    } else {
                        BoardValue::Loss
                    });
                }
            }
        }
        Some(BoardValue::Draw)
    }

    /// The positions searched.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the observer ended a search.
    pub fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// Whether a side wins an unfinished position. `None` if that takes more than `budget` positions,
    /// or if the observer ended the search.
    pub fn wins(&mut self, position: &BoardPosition, attacker: Side, budget: Option<u64>) -> Option<bool> {
        if let Some(wins) = self.known.answer(position, attacker) {
            return Some(wins);
        }
        let empty = position.empty().count();
        self.attacker = attacker;
        self.observer.on_question(attacker, empty);
        self.limit = budget.map_or(u64::MAX, |budget| self.nodes.saturating_add(budget));
        let finding = self.solve_root(position, empty);
        self.limit = u64::MAX;
        finding.map(|finding| finding.verdict == Verdict::Wins)
    }

    /// Whether a side wins an unfinished position within `horizon` plies. `None` if the observer
    /// ended the search.
    pub fn search(&mut self, position: &BoardPosition, attacker: Side, horizon: u32) -> Option<Verdict> {
        self.attacker = attacker;
        self.observer.on_question(attacker, horizon);
        let before = self.nodes;
        let verdict = self.solve_root(position, horizon)?.verdict;
        if verdict != Verdict::Open {
            let answer = self.answer(position, verdict, before);
            self.observer.on_answer(&answer);
        }
        Some(verdict)
    }

    fn solve_root(&mut self, position: &BoardPosition, horizon: u32) -> Option<Finding> {
        let mut node = self.stack.push_position(*position);
        self.stack.remove_paired_rows(&mut node);
        let finding = self.solve(&node, horizon);
        self.stack.pop(&node);
        self.moves.clear();
        self.level = 0;
        finding
    }

    fn solve(&mut self, node: &Node, horizon: u32) -> Option<Finding> {
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
        let goal_of_mover = self.goal_of_mover(node);
        let found = |verdict, cells| Some(Finding { verdict, cells });
        if self.stack.needs(node, attacker).is_empty() {
            return found(Verdict::Holds, Bitboard::EMPTY);
        }
        let threats = NodeThreats::of(&self.stack, node);
        let (cells, excluded_by) = match threats.options(node) {
            Options::Win(cells) => return found(goal_of_mover, cells),
            Options::Moves(cells, excluded_by) => (cells, excluded_by),
        };
        if cells.is_empty() {
            return found(opposite(goal_of_mover), excluded_by);
        }
        if is_single(cells) {
            if horizon == 0 {
                return found(Verdict::Open, Bitboard::EMPTY);
            }
            let next = self.solve_next(node, cells, horizon)?;
            let mut finding = self.before(node, cells, next);
            if next.verdict != goal_of_mover {
                finding.cells |= excluded_by;
            }
            return Some(finding);
        }
        if let Some(cells) = held(&self.stack, node, &threats, attacker) {
            return found(Verdict::Holds, cells);
        }
        if let Some(cells) = won(&self.stack, node, &threats, attacker) {
            return found(Verdict::Wins, cells);
        }
        if let Some(wins) = self.known.answer(&node.position, attacker) {
            let verdict = verdict_of(wins);
            let goal = self.goal_of(verdict);
            return found(verdict, self.stack.needed_cells(node, goal));
        }
        self.solve_image(node, (cells, excluded_by), horizon)
    }

    /// Solves the image that stands for all images of a node. Positions with many bricks have
    /// few equal images, so they stand for themselves.
    fn solve_image(
        &mut self,
        node: &Node,
        (cells, excluded_by): (Bitboard, Bitboard),
        horizon: u32,
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
            return self.solve_by_table(node, (cells, excluded_by), horizon);
        }
        let image = self.stack.push_image(node, symmetry);
        let options = (rules.image(cells, symmetry), rules.image(excluded_by, symmetry));
        let finding = self.solve_by_table(&image, options, horizon);
        self.stack.pop(&image);
        let mut finding = finding?;
        finding.cells = rules.image(finding.cells, symmetry);
        Some(finding)
    }

    fn solve_by_table(
        &mut self,
        node: &Node,
        options: (Bitboard, Bitboard),
        horizon: u32,
    ) -> Option<Finding> {
        for verdict in [Verdict::Holds, Verdict::Wins] {
            if let Some(cells) = self.find(node, verdict) {
                return Some(Finding { verdict, cells });
            }
        }
        let open = Finding {
            verdict: Verdict::Open,
            cells: Bitboard::EMPTY,
        };
        let open_key = if horizon < node.empty.count() {
            let key = question_key(&self.stack, node, self.attacker) ^ u64::from(horizon + 1) << 1;
            if horizon == 0 || self.table.find(key, |_| key | 1).is_some() {
                return Some(open);
            }
            key
        } else {
            0
        };
        let before = self.nodes;
        self.level += 1;
        let first = self.moves.len();
        let finding = self.search_moves(node, options, horizon);
        self.moves.truncate(first);
        self.level -= 1;
        let finding = finding?;
        let work = self.nodes - before;
        if finding.verdict == Verdict::Open {
            self.table.store(open_key, open_key | 1, Bitboard::EMPTY, work);
            return Some(open);
        }
        let goal = self.goal_of(finding.verdict);
        let place = ProofPlace::of(&self.stack, node, self.attacker, goal);
        let tag = place.tag(&self.stack, node, finding.cells);
        self.table.store(place.index(node), tag, finding.cells, work);
        let answer = self.answer(&node.position, finding.verdict, before);
        self.is_ended = !self.observer.on_proof(&answer);
        (!self.is_ended).then_some(finding)
    }

    /// The answer that was found since `before` positions were searched.
    fn answer(&self, position: &BoardPosition, verdict: Verdict, before: u64) -> ProvenAnswer {
        ProvenAnswer {
            position: *position,
            attacker: self.attacker,
            wins: verdict == Verdict::Wins,
            work: self.nodes - before,
            nodes: self.nodes,
        }
    }

    fn search_moves(
        &mut self,
        node: &Node,
        (cells, excluded_by): (Bitboard, Bitboard),
        horizon: u32,
    ) -> Option<Finding> {
        let goal_of_mover = self.goal_of_mover(node);
        let mut finding = Finding {
            verdict: opposite(goal_of_mover),
            cells: excluded_by,
        };
        let empty = node.empty.count();
        let first = self.moves.len();
        self.push_moves(node, cells);
        if empty >= LOOK_AHEAD_MIN_EMPTY
            && let Some(known) = self.look_ahead(node, first, goal_of_mover)
        {
            return Some(known);
        }
        let end = self.moves.len();
        for index in first..end {
            self.put_best_first(index);
            let (_, cell) = self.moves[index];
            if let Some(step) = self.trail.get_mut(self.level - 1) {
                *step = (index - first + 1, end - first);
            }
            let next = self.solve_next(node, cell.into(), horizon)?;
            let before = self.before(node, cell.into(), next);
            // Within the horizon, the defender needs no more than a position without a proof.
            if next.verdict == goal_of_mover || next.verdict == Verdict::Open && node.mover != self.attacker {
                self.on_decision(node, first, index);
                return Some(before);
            }
            if next.verdict == Verdict::Open {
                finding.verdict = Verdict::Open;
            }
            finding.cells |= before.cells;
        }
        if finding.verdict != Verdict::Open {
            let goal = self.goal_of(finding.verdict);
            finding.cells &= self.stack.needed_cells(node, goal);
        }
        Some(finding)
    }

    /// A move whose stored proof decides, among the moves from `first` on.
    fn look_ahead(&mut self, node: &Node, first: usize, verdict: Verdict) -> Option<Finding> {
        for index in first..self.moves.len() {
            let cell = Bitboard::from(self.moves[index].1);
            let next = self.push_next(node, cell);
            let found = self.find(&next, verdict);
            self.stack.pop(&next);
            if let Some(cells) = found {
                return Some(self.before(node, cell, Finding { verdict, cells }));
            }
        }
        None
    }

    fn solve_next(&mut self, node: &Node, cell: Bitboard, horizon: u32) -> Option<Finding> {
        let next = self.push_next(node, cell);
        let finding = self.solve(&next, horizon - 1);
        self.stack.pop(&next);
        finding
    }

    fn push_next(&mut self, node: &Node, cell: Bitboard) -> Node {
        let mut next = self.stack.push_move(node, cell);
        self.stack.remove_paired_rows(&mut next);
        next
    }

    /// The cells of a stored proof.
    fn find(&self, node: &Node, verdict: Verdict) -> Option<Bitboard> {
        let place = ProofPlace::of(&self.stack, node, self.attacker, self.goal_of(verdict));
        self.table
            .find(place.index(node), |cells| place.tag(&self.stack, node, cells))
    }

    /// The side whose goal this verdict is.
    fn goal_of(&self, verdict: Verdict) -> Side {
        match verdict {
            Verdict::Wins => self.attacker,
            Verdict::Holds | Verdict::Open => self.attacker.opponent(),
        }
    }

    /// The verdict that the side to move wants.
    fn goal_of_mover(&self, node: &Node) -> Verdict {
        verdict_of(node.mover == self.attacker)
    }

    /// The finding before the move on `cell`, given the finding after it, if this move decides.
    fn before(&self, node: &Node, cell: Bitboard, next: Finding) -> Finding {
        let goal = self.goal_of(next.verdict);
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

    /// Puts the moves on the stack with their scores.
    fn push_moves(&mut self, node: &Node, cells: Bitboard) {
        let history = &self.history[self.attacker.index()][node.mover.index()];
        let first = self.moves.len();
        let killer = self.killers[self.attacker.index()][node.empty.count() as usize];
        self.moves.extend(cells.cells().map(|cell| {
            let is_killer = killer == Some(cell);
            (
                if is_killer {
                    KILLER_SCORE
                } else {
                    history[cell.index()]
                },
                cell,
            )
        }));
        let mut scores = [0; 64];
        for side in Side::BOTH {
            for &need in self.stack.needs(node, side) {
                if !is_horizontal(need) {
                    let score = NEED_SCORE >> (2 * need.count()).min(30);
                    for cell in (need & cells).cells() {
                        scores[cell.index()] += score;
                    }
                }
            }
        }
        for (score, cell) in &mut self.moves[first..] {
            *score += scores[cell.index()];
        }
    }

    fn put_best_first(&mut self, first: usize) {
        // `max_by_key` returns the last of equals, hence the reverse.
        let best = (first..self.moves.len())
            .rev()
            .max_by_key(|&index| self.moves[index].0);
        self.moves.swap(first, best.unwrap_or(first));
    }

    /// The move at `best` decided; those from `first` on before it did not.
    fn on_decision(&mut self, node: &Node, first: usize, best: usize) {
        let empty = node.empty.count();
        let bonus = (empty * empty).min(MAX_BONUS) as i32;
        let history = &mut self.history[self.attacker.index()][node.mover.index()];
        for index in first..=best {
            let (_, cell) = self.moves[index];
            let bonus = if index == best { bonus } else { -bonus };
            let value = &mut history[cell.index()];
            *value += bonus - *value * bonus.abs() / HISTORY_LIMIT;
        }
        self.killers[self.attacker.index()][empty as usize] = Some(self.moves[best].1);
    }
}

/// The verdict that a side wins, or that it does not.
fn verdict_of(wins: bool) -> Verdict {
    if wins { Verdict::Wins } else { Verdict::Holds }
}

fn opposite(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Wins => Verdict::Holds,
        Verdict::Holds | Verdict::Open => Verdict::Wins,
    }
}
