//! The tree of a book, which grows where it matters most.
//!
//! Each position has moves to other positions of the tree, and at most one *alternative*: the best
//! of all other moves by a search. The value of a position is the best of both, by negamax.
//! Symmetric positions and transpositions are the same position.
//!
//! Source of alternatives: Buro, "Toward opening book learning", ICCA Journal 22(2), 1999. Source of
//! the order of growth, drop-out expansion: Lincke, "Strategies for the automatic construction of
//! opening books", Computers and Games 2000, LNCS 2063, 2001.

use std::collections::HashMap;

use lodestone::book::{BookScore, ScoredMove};
use lodestone_game::Game;
use lodestone_game::board::{Move, MoveList};

/// The cost of a ply, in centipawns: a line is one ply longer, or its moves are worse by this.
const PLY_COST: i64 = 10;

/// Positions that one round adds. Their searches run at the same time. It decides which positions
/// a book has, so it does not depend on the number of threads.
const ROUND: usize = 8;

/// A search that the tree needs.
#[derive(Clone, Debug)]
pub struct BookQuestion<G> {
    /// The position.
    pub position: G,
    /// The moves to choose from, at least one.
    pub moves: MoveList,
}

/// The tree of a book.
#[derive(Debug)]
pub struct BookTree<G> {
    nodes: Vec<BookNode<G>>,
    /// The index of each position, by its symmetry key.
    index: HashMap<u64, usize>,
}

#[derive(Debug)]
struct BookNode<G> {
    position: G,
    /// Moves to positions of the tree, with their index.
    moves: Vec<(Move, usize)>,
    /// The best of the other moves; `None` if there is no other.
    alternative: Option<ScoredMove>,
}

impl<G: Game> BookTree<G> {
    /// The tree of this unfinished position alone. `search` answers questions in their order.
    ///
    /// # Errors
    /// That of a search.
    pub fn new<S>(start: G, search: &mut S) -> Result<BookTree<G>, String>
    where
        S: FnMut(&[BookQuestion<G>]) -> Result<Vec<ScoredMove>, String>,
    {
        let mut tree = BookTree {
            nodes: Vec::new(),
            index: HashMap::new(),
        };
        tree.add(start);
        tree.find_alternatives(&[0], search)?;
        Ok(tree)
    }

    /// Adds positions until there are `count`, in rounds. Returns false if there are no positions
    /// left to add.
    ///
    /// # Errors
    /// That of a search.
    pub fn grow<S>(&mut self, count: usize, search: &mut S) -> Result<bool, String>
    where
        S: FnMut(&[BookQuestion<G>]) -> Result<Vec<ScoredMove>, String>,
    {
        let known = self.nodes.len();
        for next in self.cheapest_leaves(ROUND.min(count.saturating_sub(known))) {
            self.add(next);
        }
        if self.nodes.len() == known {
            return Ok(known >= count);
        }
        let mut changed: Vec<usize> = (known..self.nodes.len()).collect();
        while !changed.is_empty() {
            self.find_alternatives(&changed, search)?;
            changed = self.link_alternatives();
        }
        Ok(true)
    }

    /// The number of positions.
    pub fn positions(&self) -> usize {
        self.nodes.len()
    }

    /// The value of the start.
    pub fn value(&self) -> BookScore {
        self.values().first().copied().unwrap_or(BookScore::Draw)
    }

    /// Each position with its moves, the best first, the start first.
    pub fn lines(&self) -> Vec<(G, Vec<ScoredMove>)> {
        let values = self.values();
        let line = |node: &BookNode<G>| {
            let mut moves = node.scored_moves(&values);
            moves.sort_by(|(_, one), (_, other)| other.compare(*one));
            (node.position, moves)
        };
        self.nodes.iter().map(line).collect()
    }

    fn add(&mut self, position: G) {
        self.index.insert(position.symmetry_key(), self.nodes.len());
        self.nodes.push(BookNode {
            position,
            moves: Vec::new(),
            alternative: None,
        });
    }

    /// Turns alternatives that lead to a position of the tree into moves of it. Returns the
    /// indices of their positions, which need another alternative.
    fn link_alternatives(&mut self) -> Vec<usize> {
        let mut changed = Vec::new();
        for (index, node) in self.nodes.iter_mut().enumerate() {
            if let Some((mv, _)) = node.alternative
                && let Some(&child) = self.index.get(&node.position.play(mv).symmetry_key())
            {
                node.moves.push((mv, child));
                node.alternative = None;
                changed.push(index);
            }
        }
        changed
    }

    /// Searches the alternative of each of these positions.
    fn find_alternatives<S>(&mut self, indices: &[usize], search: &mut S) -> Result<(), String>
    where
        S: FnMut(&[BookQuestion<G>]) -> Result<Vec<ScoredMove>, String>,
    {
        let questions = indices.iter().map(|&index| (index, self.other_moves(index)));
        let (asked, questions): (Vec<usize>, Vec<_>) = questions
            .filter(|(_, moves)| !moves.is_empty())
            .map(|(index, moves)| {
                let position = self.nodes[index].position;
                (index, BookQuestion { position, moves })
            })
            .unzip();
        for (index, answer) in asked.into_iter().zip(search(&questions)?) {
            self.nodes[index].alternative = Some(answer);
        }
        Ok(())
    }

    /// The legal moves that lead to no position that a move of this position leads to; one of
    /// each class of symmetric moves.
    fn other_moves(&self, index: usize) -> MoveList {
        let node = &self.nodes[index];
        let key = |mv: Move| node.position.play(mv).symmetry_key();
        let mut seen: Vec<u64> = node.moves.iter().map(|&(mv, _)| key(mv)).collect();
        let is_new = |mv: &Move| {
            let key = key(*mv);
            let is_new = !seen.contains(&key);
            seen.push(key);
            is_new
        };
        let legal = node.position.legal_moves();
        legal.iter().copied().filter(is_new).collect()
    }

    /// The indices of all positions, those nearest to the end of the game first.
    fn backwards(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&index| self.nodes[index].position.plies_left());
        order
    }

    /// The value of each position, by negamax.
    fn values(&self) -> Vec<BookScore> {
        let mut values = vec![BookScore::Draw; self.nodes.len()];
        for index in self.backwards() {
            let moves = self.nodes[index].scored_moves(&values);
            let scores: Vec<BookScore> = moves.into_iter().map(|(_, score)| score).collect();
            values[index] = BookScore::best(&scores);
        }
        values
    }

    /// The positions behind at most `count` alternatives with the least drop-out cost: the sum over
    /// the moves from the start of [`PLY_COST`] and of what the move is worse than the best one.
    fn cheapest_leaves(&self, count: usize) -> Vec<G> {
        let values = self.values();
        let mut costs = vec![i64::MAX; self.nodes.len()];
        costs[0] = 0;
        let mut leaves = Vec::new();
        for index in self.backwards().into_iter().rev() {
            let (node, value) = (&self.nodes[index], values[index]);
            if costs[index] == i64::MAX || value.is_proven() {
                continue;
            }
            let cost = |score: BookScore| costs[index] + PLY_COST + i64::from(value.value() - score.value());
            if let Some((mv, score)) = node.alternative
                && !score.is_proven()
                && node.position.play(mv).outcome().is_none()
            {
                leaves.push((cost(score), index, node.position.play(mv)));
            }
            let reached: Vec<(usize, i64)> = node
                .moves
                .iter()
                .map(|&(_, child)| (child, cost(values[child].negated())))
                .collect();
            for (child, cost) in reached {
                costs[child] = costs[child].min(cost);
            }
        }
        leaves.sort_by_key(|&(cost, index, _)| (cost, index));
        let mut chosen: Vec<(u64, G)> = Vec::new();
        for (_, _, position) in leaves {
            let key = position.symmetry_key();
            if chosen.len() < count && chosen.iter().all(|&(known, _)| known != key) {
                chosen.push((key, position));
            }
        }
        chosen.into_iter().map(|(_, position)| position).collect()
    }
}

impl<G: Game> BookNode<G> {
    /// All moves with their values, the alternative last.
    fn scored_moves(&self, values: &[BookScore]) -> Vec<ScoredMove> {
        let moves = self
            .moves
            .iter()
            .map(|&(mv, child)| (mv, values[child].negated()));
        moves.chain(self.alternative).collect()
    }
}
