//! The search tree of `mcts`: the states of positions, statistics of playouts, and proven results.
//!
//! Rewards are those of the first player: 1 for a win, ½ for a draw, 0 for a loss. Each node sees
//! them from its side to move, so sides need not alternate.

use std::f64::consts::SQRT_2;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::random::Random;
use lodestone_game::score::Score;
use referee_core::rules::program::RulesState;

/// The weight of exploration in UCB1, for rewards from 0 to 1.
const EXPLORATION: f64 = SQRT_2;

/// Estimated overhead of a memory allocation, in bytes.
const ALLOCATION: usize = 16;

/// The most moves of a principal variation.
const MAX_LINE: usize = 32;

/// The largest centipawn score.
const MAX_CP: f64 = 2000.0;

/// A position whose state the rules program has told.
#[derive(Debug)]
pub(super) struct Node {
    side: Side,
    /// The legal moves in random order, separated by spaces: one allocation.
    moves: Box<str>,
    move_count: usize,
    /// The positions after the first of these moves.
    children: Vec<Node>,
    visits: u64,
    /// The sum of the rewards of all visits.
    reward: f64,
    proof: Option<Proof>,
    /// The approximate memory of the node and all below it, in bytes.
    size: usize,
}

/// The result with best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proof {
    pub result: GameResult,
    /// The number of moves to the end, at most.
    pub plies: u32,
}

pub(super) const fn reward(result: GameResult) -> f64 {
    match result {
        GameResult::Win(Side::First) => 1.0,
        GameResult::Draw => 0.5,
        GameResult::Win(Side::Second) => 0.0,
    }
}

impl Node {
    pub fn new(mut state: RulesState, random: &mut Random) -> Node {
        random.shuffle(&mut state.moves);
        let moves = state.moves.join(" ").into_boxed_str();
        let result = state.result.filter(|_| state.is_over);
        Node {
            side: state.side_to_move(),
            move_count: state.moves.len(),
            // A vector of children grows by doubling.
            size: 2 * size_of::<Node>() + moves.len() + 2 * ALLOCATION,
            moves,
            children: Vec::new(),
            visits: 0,
            reward: 0.0,
            proof: result.map(|result| Proof { result, plies: 0 }),
        }
    }

    pub const fn side(&self) -> Side {
        self.side
    }

    pub const fn visits(&self) -> u64 {
        self.visits
    }

    pub const fn proof(&self) -> Option<Proof> {
        self.proof
    }

    pub const fn size(&self) -> usize {
        self.size
    }

    pub fn is_over(&self) -> bool {
        self.proof.is_some_and(|proof| proof.plies == 0)
    }

    pub const fn has_one_move(&self) -> bool {
        self.move_count == 1
    }

    /// The move to child number `index`.
    pub fn move_to(&self, index: usize) -> &str {
        self.moves.split(' ').nth(index).unwrap_or_default()
    }

    pub fn random_move(&self, random: &mut Random) -> &str {
        self.move_to(random.below(self.move_count as u64) as usize)
    }

    /// The first move whose position is not in the tree.
    pub fn untried_move(&self) -> Option<&str> {
        (self.children.len() < self.move_count).then(|| self.move_to(self.children.len()))
    }

    /// Adds the position after the untried move, and returns its index.
    pub fn add_child(&mut self, child: Node) -> usize {
        self.size += child.size;
        self.children.push(child);
        self.children.len() - 1
    }

    /// Works on a child, whose size may change.
    pub fn with_child<T>(&mut self, index: usize, work: impl FnOnce(&mut Node) -> T) -> T {
        let child = &mut self.children[index];
        let before = child.size;
        let done = work(child);
        self.size = self.size - before + child.size;
        done
    }

    /// The position after a move; `None` if it is not in the tree.
    pub fn into_child(mut self, mv: &str) -> Option<Node> {
        let index = self.moves.split(' ').position(|known| known == mv)?;
        (index < self.children.len()).then(|| self.children.swap_remove(index))
    }

    /// Counts a visit with this reward. Proves the result if the children suffice.
    pub fn count(&mut self, reward: f64) {
        self.visits += 1;
        self.reward += reward;
        self.prove();
    }

    /// Proves the result if the children suffice: a win by one of them, or else all are proven.
    pub fn prove(&mut self) {
        let proofs = || self.children.iter().filter_map(|child| child.proof);
        let after = |proof: Proof| Proof {
            plies: proof.plies + 1,
            ..proof
        };
        if self.proof.is_some() || self.children.is_empty() {
            return;
        }
        let best = proofs().max_by_key(|proof| self.rank(*proof));
        let is_won = best.is_some_and(|proof| proof.result == GameResult::Win(self.side));
        if is_won || proofs().count() == self.move_count {
            self.proof = best.map(after);
        }
    }

    /// The order of results for the side to move: quick wins, then draws, then slow losses.
    fn rank(&self, proof: Proof) -> (u8, i64) {
        let plies = i64::from(proof.plies);
        match proof.result {
            GameResult::Win(side) if side == self.side => (2, -plies),
            GameResult::Draw => (1, plies),
            GameResult::Win(_) => (0, plies),
        }
    }

    /// The mean reward of `side`, or that of the proven result.
    fn value_for(&self, side: Side) -> f64 {
        let first = match self.proof {
            Some(proof) => reward(proof.result),
            None if self.visits == 0 => 0.5,
            None => self.reward / self.visits as f64,
        };
        match side {
            Side::First => first,
            Side::Second => 1.0 - first,
        }
    }

    /// The child to visit next by UCB1. Children without a visit come first, lost ones never; a
    /// node without a proof has another.
    pub fn selected(&self) -> Option<usize> {
        let log = (self.visits.max(1) as f64).ln();
        let bound = |child: &Node| match child.visits {
            0 => f64::INFINITY,
            visits => child.value_for(self.side) + EXPLORATION * (log / visits as f64).sqrt(),
        };
        let open = self.children.iter().enumerate().filter(|(_, child)| {
            let proof = child.proof.map(|proof| self.rank(proof).0);
            proof != Some(0)
        });
        let best = open.max_by(|(_, one), (_, other)| bound(one).total_cmp(&bound(other)));
        best.map(|(index, _)| index)
    }

    /// The child to play: the quickest proven win, else the most visited one that is not lost, else
    /// the slowest loss.
    fn best(&self) -> Option<usize> {
        let key = |child: &Node| match child.proof.map(|proof| self.rank(proof)) {
            Some(rank) if rank.0 != 1 => rank,
            _ => (1, i64::try_from(child.visits).unwrap_or(i64::MAX)),
        };
        let children = self.children.iter().enumerate();
        children
            .max_by_key(|(_, child)| key(child))
            .map(|(index, _)| index)
    }

    /// The move to play; `None` after the end.
    pub fn best_move(&self) -> Option<&str> {
        let index = self.best().unwrap_or(0);
        (index < self.move_count).then(|| self.move_to(index))
    }

    /// The expected line: the best moves.
    pub fn principal_variation(&self) -> Vec<String> {
        let (mut node, mut line) = (self, Vec::new());
        while let Some(index) = node.best() {
            line.push(node.move_to(index).to_string());
            node = &node.children[index];
            if node.visits == 0 || line.len() == MAX_LINE {
                break;
            }
        }
        line
    }

    /// The score of the side to move: the proven result, or else 400·log₁₀(p / (1 − p)) centipawns
    /// for the chance p of the best move, by Laplace's rule of succession (w + 1) / (n + 2) of its rewards w in
    /// n playouts: five wins in five are no certainty. So 400 means about ten times as many wins as losses.
    pub fn score(&self) -> Score {
        match self.proof {
            Some(Proof {
                result: GameResult::Draw,
                ..
            }) => Score::Draw,
            Some(Proof { result, plies }) if result == GameResult::Win(self.side) => Score::Win(plies),
            Some(Proof { plies, .. }) => Score::Loss(plies),
            None => {
                let best = self.best().and_then(|index| self.children.get(index));
                let (value, visits) = best.map_or((0.5, 0.0), |child| {
                    (child.value_for(self.side), child.visits as f64)
                });
                let chance = (value * visits + 1.0) / (visits + 2.0);
                let cp = 400.0 * (chance / (1.0 - chance)).log10();
                Score::Cp(cp.clamp(-MAX_CP, MAX_CP) as i32)
            }
        }
    }
}
