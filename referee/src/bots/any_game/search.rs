//! The search of `mcts`: UCT with random playouts.

use lodestone_game::random::Random;
use referee_core::game::PositionLine;
use referee_core::rules::RulesError;
use referee_core::rules::program::RulesState;

use super::tree::{Node, reward};

/// The length of a playout in moves after which it counts as a draw.
const MAX_PLAYOUT: usize = 200;

/// Maximum depth of the tree in moves, because the search is recursive.
const MAX_DEPTH: usize = 500;

/// Maximum size of the tree in bytes, approximately. Then playouts start at its leaves.
const MAX_TREE: usize = 64 << 20;

/// Why a search ends early.
#[derive(Debug)]
pub(super) enum Ended {
    /// The answer is due.
    Due,
    Failed(RulesError),
}

/// What a search needs from the session.
pub(super) trait Host {
    /// The state of a position whose moves the rules program has listed.
    fn state(&mut self, line: &PositionLine) -> Result<RulesState, Ended>;

    /// An error once the answer is due.
    fn check(&mut self) -> Result<(), Ended>;

    /// Hears of the search after each playout.
    fn progress(&mut self, root: &Node, playouts: u64);
}

/// A search in progress.
struct Search<'a, H> {
    host: &'a mut H,
    /// The moves to the current position.
    line: PositionLine,
    random: &'a mut Random,
    tree_size: usize,
}

/// Searches the position `line` until its result is proven, the answer is due, or there were as many
/// playouts as allowed. Returns their number.
pub(super) fn search(
    host: &mut impl Host,
    line: PositionLine,
    root: &mut Node,
    max_playouts: u64,
    random: &mut Random,
) -> Result<u64, RulesError> {
    let mut search = Search {
        host,
        line,
        random,
        tree_size: root.size(),
    };
    let mut playouts = 0;
    match search.run(root, max_playouts, &mut playouts) {
        Ok(()) | Err(Ended::Due) => Ok(playouts),
        Err(Ended::Failed(error)) => Err(error),
    }
}

impl<H: Host> Search<'_, H> {
    fn run(&mut self, root: &mut Node, max_playouts: u64, playouts: &mut u64) -> Result<(), Ended> {
        // First the states after all moves: an immediate win needs no playout.
        while self.expand(root)?.is_some() {}
        root.prove();
        while root.proof().is_none() && *playouts < max_playouts {
            self.host.check()?;
            self.visit(root, 0)?;
            *playouts += 1;
            self.host.progress(root, *playouts);
        }
        Ok(())
    }

    /// Adds a position to the tree. Returns its index; `None` if all positions after a move are known.
    fn expand(&mut self, node: &mut Node) -> Result<Option<usize>, Ended> {
        let Some(mv) = node.untried_move() else {
            return Ok(None);
        };
        let before = self.line.mark();
        self.line.push(mv);
        let state = self.host.state(&self.line)?;
        self.line.take_back(before);
        let child = Node::new(state, self.random);
        self.tree_size += child.size();
        Ok(Some(node.add_child(child)))
    }

    /// One playout through this node. Returns its reward.
    fn visit(&mut self, node: &mut Node, depth: usize) -> Result<f64, Ended> {
        let is_leaf = depth > 0 && node.visits() == 0;
        let found = match node.proof() {
            Some(proof) => reward(proof.result),
            None if is_leaf => self.playout(node)?,
            None => {
                let can_grow = depth < MAX_DEPTH && self.tree_size < MAX_TREE;
                let new = if can_grow { self.expand(node)? } else { None };
                match new.or_else(|| node.selected()) {
                    None => self.playout(node)?,
                    Some(index) => {
                        let before = self.line.mark();
                        self.line.push(node.move_to(index));
                        let found = node.with_child(index, |child| self.visit(child, depth + 1))?;
                        self.line.take_back(before);
                        found
                    }
                }
            }
        };
        node.count(found);
        Ok(found)
    }

    /// Plays random moves from a node. Returns the reward.
    fn playout(&mut self, node: &Node) -> Result<f64, Ended> {
        let before = self.line.mark();
        let mut mv = node.random_move(self.random).to_string();
        let mut result = None;
        for _ in 0..MAX_PLAYOUT {
            self.line.push(&mv);
            let state = self.host.state(&self.line)?;
            if state.is_over {
                result = state.result;
                break;
            }
            mv = self.random.choose(&state.moves).cloned().unwrap_or_default();
        }
        self.line.take_back(before);
        Ok(result.map_or(0.5, reward))
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::GameResult;
    use lodestone_game::board::Side;
    use lodestone_game::score::Score;

    use lodestone_game::protocol::Start;

    use super::*;

    const FIRST_WINS: Option<GameResult> = Some(GameResult::Win(Side::First));
    const SECOND_WINS: Option<GameResult> = Some(GameResult::Win(Side::Second));

    /// What a game says about the moves so far: whether the first player is to move, the result,
    /// and the legal moves.
    type Rules = fn(&[&str]) -> (bool, Option<GameResult>, &'static str);

    /// A game, with the number of questions before the answer is due.
    struct Game {
        rules: Rules,
        questions: usize,
    }

    impl Host for Game {
        fn state(&mut self, line: &PositionLine) -> Result<RulesState, Ended> {
            self.check()?;
            self.questions -= 1;
            let (first_to_move, result, moves) =
                (self.rules)(&line.moves().iter().map(String::as_str).collect::<Vec<_>>());
            Ok(RulesState {
                is_over: result.is_some(),
                first_to_move,
                result,
                moves: moves.split_whitespace().map(str::to_string).collect(),
                ..RulesState::default()
            })
        }

        fn check(&mut self) -> Result<(), Ended> {
            if self.questions == 0 {
                Err(Ended::Due)
            } else {
                Ok(())
            }
        }

        fn progress(&mut self, _: &Node, _: u64) {}
    }

    fn line(moves: &str) -> PositionLine {
        PositionLine::of(
            Start::Startpos,
            moves.split_whitespace().map(str::to_string).collect(),
        )
    }

    /// The tree of a search, with the number of playouts.
    fn searched(rules: Rules, moves: &str, questions: usize, playouts: u64) -> (Node, u64) {
        let mut game = Game {
            rules,
            questions: usize::MAX,
        };
        let mut random = Random::new(1);
        let mut root = Node::new(game.state(&line(moves)).unwrap(), &mut random);
        game.questions = questions;
        let playouts = search(&mut game, line(moves), &mut root, playouts, &mut random).unwrap();
        (root, playouts)
    }

    /// From 7 sticks, take 1, 2 or 3; the last one wins.
    fn sticks(moves: &[&str]) -> (bool, Option<GameResult>, &'static str) {
        let taken: usize = moves.iter().map(|mv| mv.parse::<usize>().unwrap()).sum();
        let is_first = moves.len().is_multiple_of(2);
        match 7_usize.checked_sub(taken).unwrap() {
            0 if is_first => (is_first, SECOND_WINS, ""),
            0 => (is_first, FIRST_WINS, ""),
            1 => (is_first, None, "1"),
            2 => (is_first, None, "1 2"),
            _ => (is_first, None, "1 2 3"),
        }
    }

    #[test]
    fn proves_results_with_their_distance() {
        for (moves, best, score) in [
            ("", "3", Score::Win(3)),
            ("3", "", Score::Loss(2)),
            ("3 1", "3", Score::Win(1)),
            ("1", "2", Score::Win(3)),
        ] {
            let (root, _) = searched(sticks, moves, usize::MAX, 10_000);
            assert_eq!(root.score(), score, "{moves}");
            assert!(best.is_empty() || root.best_move() == Some(best), "{moves}");
            let plies = root.proof().unwrap().plies as usize;
            assert_eq!(root.principal_variation().len(), plies, "{moves}");
        }
    }

    #[test]
    fn immediate_win_needs_no_playout() {
        let (root, playouts) = searched(sticks, "3 2", usize::MAX, 1);
        assert_eq!((root.best_move(), playouts), (Some("2"), 0));
    }

    /// The first player moves twice, then the second; `a b` and two moves `b` of one side win.
    fn two_moves_each(moves: &[&str]) -> (bool, Option<GameResult>, &'static str) {
        let words = moves.to_vec();
        match words.as_slice() {
            ["a", "b"] | [_, _, "a", _] => (true, FIRST_WINS, ""),
            [_, _, _, "a"] => (true, Some(GameResult::Draw), ""),
            [_, _, _, _] => (true, SECOND_WINS, ""),
            moves => (moves.len() < 2, None, "a b"),
        }
    }

    #[test]
    fn sides_need_not_alternate() {
        for (moves, best, score) in [
            ("", "a", Score::Win(2)),
            ("a", "b", Score::Win(1)),
            ("b", "", Score::Loss(3)),
            ("b a", "b", Score::Win(2)),
            ("b b b", "b", Score::Win(1)),
        ] {
            let (root, _) = searched(two_moves_each, moves, usize::MAX, 10_000);
            assert_eq!(root.score(), score, "{moves}");
            assert!(best.is_empty() || root.best_move() == Some(best), "{moves}");
        }
    }

    /// A draw at once, or a loss after 40 moves.
    fn draw_or_loss(moves: &[&str]) -> (bool, Option<GameResult>, &'static str) {
        match moves {
            [] => (true, None, "a b"),
            ["a"] => (false, Some(GameResult::Draw), ""),
            moves if moves.len() < 40 => (true, None, "c"),
            _ => (true, SECOND_WINS, ""),
        }
    }

    #[test]
    fn a_known_draw_is_played_rather_than_what_loses_in_playouts() {
        let (root, _) = searched(draw_or_loss, "", usize::MAX, 20);
        assert_eq!((root.best_move(), root.proof()), (Some("a"), None));
    }

    /// Three moves in each position, without an end.
    fn endless(_: &[&str]) -> (bool, Option<GameResult>, &'static str) {
        (true, None, "a b c")
    }

    /// One move in each position, without an end.
    fn corridor(_: &[&str]) -> (bool, Option<GameResult>, &'static str) {
        (true, None, "a")
    }

    #[test]
    fn there_is_a_move_whenever_the_answer_is_due() {
        for questions in 0..100 {
            let (root, _) = searched(endless, "", questions, u64::MAX);
            assert!(["a", "b", "c"].contains(&root.best_move().unwrap()));
        }
    }

    #[test]
    fn full_tree_does_not_grow() {
        let mut game = Game {
            rules: endless,
            questions: usize::MAX,
        };
        let mut random = Random::new(1);
        let mut root = Node::new(game.state(&line("")).unwrap(), &mut random);
        let mut search = Search {
            host: &mut game,
            line: line(""),
            random: &mut random,
            tree_size: MAX_TREE,
        };
        let mut playouts = 0;
        search.run(&mut root, 30, &mut playouts).ok();
        assert_eq!((playouts, root.visits()), (30, 30));
        assert_eq!(root.size(), 4 * searched(endless, "", 0, 0).0.size());
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn games_without_end_count_as_draws() {
            let (root, playouts) = searched(endless, "", usize::MAX, 50);
            assert_eq!((root.score(), playouts), (Score::Cp(0), 50));
            assert_eq!(root.visits(), 50);
            // The tree stays so flat that a recursion ends.
            let (root, _) = searched(corridor, "", usize::MAX, MAX_DEPTH as u64 + 50);
            let (mut node, mut depth) = (Some(root), 0);
            while let Some(parent) = node {
                depth += 1;
                node = parent.into_child("a");
            }
            assert_eq!(depth, MAX_DEPTH + 1);
        }

        #[test]
        #[ignore = "slow: .ci/run"]
        fn subtree_keeps_its_statistics_and_size() {
            let (root, _) = searched(endless, "", usize::MAX, 300);
            let (total, visits) = (root.size(), root.visits());
            let mut sizes = 0;
            let mut seen = 0;
            for mv in ["a", "b", "c"] {
                let (root, _) = searched(endless, "", usize::MAX, 300);
                let child = root.into_child(mv).unwrap();
                sizes += child.size();
                seen += child.visits();
            }
            let (leaf, _) = searched(endless, "", 0, 0);
            assert_eq!((sizes + leaf.size(), seen), (total, visits));
            assert!(root.into_child("d").is_none());
            assert!(leaf.into_child("a").is_none());
        }
    }
}
