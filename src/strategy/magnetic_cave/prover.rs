//! The solver at the root: the result of a position, a move that keeps it, and a
//! line that shows it.

use lodestone_game::Game;
use lodestone_game::board::{Bitboard, Move, Side};
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::score::{Value, win_in};

use super::shared_proof::SharedProof;
use crate::game::magnetic_cave::{ProofOrdering, ProofSearch, proves_win};
use crate::game::{Evaluate, Forced};
use crate::search::SearchThread;

/// The line that shows a result costs at most this part of the nodes that proved it ...
const LINE_COST_DIVISOR: u64 = 16;

/// ... and this many nodes more.
const LINE_NODES: u64 = 20_000;

/// Each move of the line may first use this many nodes: another move may be proven already.
const LINE_BUDGET: u64 = 64;

/// If another thread has proven a draw, the own first move gets this many nodes for the proof that
/// it does not lose.
const OWN_MOVE_NODES: u64 = 2000;

/// With a limit, the proof for each root move may first use this part of the nodes that are
/// left: another move may be easier to prove. If the proof is not likely to finish, the first move may
/// use all of them: it is played unless it is proven to fail.
const BUDGET_DIVISOR: u64 = 3;

/// After each round over the undecided moves, the budget grows by this factor.
const BUDGET_GROWTH: u64 = 4;

impl ProofSearch for SearchThread<'_, MagneticCave> {
    fn enter(&mut self) -> bool {
        if !SearchThread::enter(self) {
            return false;
        }
        let shared = self.memory.shared.as_ref();
        let nodes = shared.map_or(self.nodes, |shared| shared.nodes(self.nodes));
        self.table.grow_proofs(nodes);
        self.memory.limit.is_none_or(|limit| self.nodes <= limit) && !self.has_result()
    }

    fn find(&self, place: u64, tag: impl Fn(Bitboard) -> u64) -> Option<Bitboard> {
        self.table
            .find_proof(place, |cells| tag(Bitboard(cells)))
            .map(Bitboard)
    }

    fn touch(&self, place: u64) {
        self.table.touch_proofs(place);
    }

    fn store(&mut self, place: u64, tag: u64, cells: Bitboard, empty: u32) {
        self.table.store_proof(place, tag, cells.0, empty);
    }

    fn ordering(&mut self) -> &mut ProofOrdering {
        &mut self.memory.ordering
    }

    fn is_shared(&self, empty: u32) -> bool {
        self.memory.shared.is_some() && SharedProof::includes(empty)
    }

    fn is_searched(&self, key: u64) -> bool {
        self.memory
            .shared
            .as_ref()
            .is_some_and(|shared| shared.is_searched(key))
    }

    fn begin(&self, key: u64) {
        if let Some(shared) = &self.memory.shared {
            shared.begin(key);
        }
    }

    fn end(&self, key: u64) {
        if let Some(shared) = &self.memory.shared {
            shared.end(key);
        }
    }

    fn is_decided(&self, key: u64) -> bool {
        self.memory
            .shared
            .as_ref()
            .is_some_and(|shared| shared.is_decided(key))
    }

    fn set_decided(&self, key: u64, is_decided: bool) {
        if let Some(shared) = &self.memory.shared {
            shared.set_decided(key, is_decided);
        }
    }
}

impl SearchThread<'_, MagneticCave> {
    /// Proves the result of an unfinished root by the game's own solver, for these moves: a
    /// win, a draw or a loss, in at most as many plies as are left. Puts a move with this
    /// result first, and the line that it begins into the principal variation. `attacks` says
    /// which question comes first: can the side to move win, or can it avoid a loss? `None` if
    /// stopped; then a move that is proven not to lose comes first, if one was found, else one
    /// that is not proven to lose. The first thread that has the result ends the proof of all. The value
    /// of a helper has no meaning.
    pub(super) fn prove_root(&mut self, moves: &mut [Move], attacks: bool) -> Option<Value> {
        let (root, before) = (self.root, self.nodes);
        // The results of other lines are those of fewer moves.
        let shared = self.memory.shared.clone().filter(|_| self.line_index == 0);
        self.memory.awaits_result = shared.is_some();
        let proven = self.prove_points(moves, attacks);
        self.memory.awaits_result = false;
        let points = match proven {
            Some(points) => {
                if let Some(shared) = shared {
                    shared.finish(points, moves[0]);
                }
                points
            }
            None if self.stopped => return None,
            None if self.helper > 0 => 0,
            None => {
                let result = shared?.result()?;
                self.take_result(moves, result)
            }
        };
        if self.helper > 0 {
            // The main thread takes the result, and shows its line.
            return Some(0);
        }
        let nodes = self.nodes - before;
        let side = root.side_to_move();
        if points > 0 {
            self.prove_line(moves[0], Some(side), nodes);
            return Some(win_in(last_win(&root, side)));
        }
        if points == 0 {
            self.prove_line(moves[0], None, nodes);
            return Some(0);
        }
        let winner = side.opponent();
        self.prove_line(moves[0], Some(winner), nodes);
        // A loss is as long as its line, if that reaches the end.
        let end = self.pv[0].iter().fold(root, |position, &mv| position.play(mv));
        let plies = match end.outcome() {
            Some(_) => self.pv[0].len() as u32,
            None => last_win(&root, winner),
        };
        Some(-win_in(plies))
    }

    /// The result of the root for these moves: 1 for a win, 0 for a draw, -1 for a loss. `None` if
    /// stopped, or if another thread has proven it. In a draw, helpers try the best move of the main
    /// thread first, so all threads prove the same move.
    fn prove_points(&mut self, moves: &mut [Move], attacks: bool) -> Option<i32> {
        let side = self.root.side_to_move();
        let best = moves[0];
        let mut wins = None;
        if attacks {
            wins = self.find_move(moves, side, self.first_question_limit(), false);
        }
        if self.stopped || self.has_result() {
            return None;
        }
        if wins == Some(true) {
            return Some(1);
        }
        // It may be proven not to win, but is likelier not to lose than moves of which nothing is known.
        bring_forward(moves, best, 1);
        if self.helper > 0
            && let Some(best) = self.team.main_best()
        {
            bring_forward(moves, best, 0);
        }
        if !self.find_move(moves, side.opponent(), u64::MAX, false)? {
            return Some(-1);
        }
        // The first move does not lose, so it is kept if there is no time for an answer.
        let wins = match wins {
            Some(wins) => wins,
            None => self.find_move(moves, side, u64::MAX, true)?,
        };
        Some(wins.into())
    }

    /// Takes the result that another thread has proven, and its move. In a draw, the own first move
    /// had more iterations, so it is kept if a few nodes prove that it does not lose.
    fn take_result(&mut self, moves: &mut [Move], (points, best): (i32, Move)) -> i32 {
        let next = self.root.play(moves[0]);
        let keeps_own = match points {
            0 => self.is_won_within(&next, next.side_to_move(), OWN_MOVE_NODES) == Some(false),
            _ => points < 0,
        };
        if !keeps_own {
            bring_forward(moves, best, 0);
        }
        points
    }

    /// Whether another thread has proven the result of this search.
    fn has_result(&self) -> bool {
        let shared = self.memory.shared.as_ref();
        self.memory.awaits_result && shared.is_some_and(|shared| shared.is_finished())
    }

    /// Asks of each move whether `winner` wins after it. Finds a move with which the side to move
    /// wins, if it is the winner, or else one that does not lose; puts it first. `None` if stopped;
    /// then the undecided moves come before those that are proven to fail, or all moves stay
    /// where they are if the first one must be kept. The same after `limit` nodes of the thread.
    fn find_move(&mut self, moves: &mut [Move], winner: Side, limit: u64, keeps_first: bool) -> Option<bool> {
        let is_wanted = winner == self.root.side_to_move();
        let before = moves.to_vec();
        let (mut open, mut budget) = (moves.len(), self.first_budget());
        while open > 0 {
            let mut index = 0;
            while index < open {
                let nodes = budget.min(limit.saturating_sub(self.nodes));
                match self.is_won_within(&self.root.play(moves[index]), winner, nodes) {
                    Some(is_won) if is_won == is_wanted => {
                        moves[..=index].rotate_right(1);
                        self.publish_line(vec![moves[0]]);
                        return Some(true);
                    }
                    Some(_) => {
                        moves[index..].rotate_left(1);
                        open -= 1;
                        if index == 0 && open > 0 && !keeps_first {
                            self.publish_line(vec![moves[0]]);
                        }
                    }
                    None if self.stopped
                        || self.has_result()
                        || self.nodes >= limit
                        || budget == u64::MAX =>
                    {
                        if keeps_first {
                            moves.copy_from_slice(&before);
                        }
                        return None;
                    }
                    None => index += 1,
                }
            }
            budget = budget.saturating_mul(BUDGET_GROWTH);
        }
        moves.copy_from_slice(&before);
        Some(false)
    }

    /// The nodes of the thread after which the first question is left for the second one:
    /// a move that does not lose is worth as much as one that wins.
    fn first_question_limit(&self) -> u64 {
        self.node_budget()
            .map_or(u64::MAX, |nodes| self.nodes + nodes / 3 * 2)
    }

    /// The nodes for each move at first, see [`BUDGET_DIVISOR`].
    fn first_budget(&self) -> u64 {
        let divisor = if self.is_likely_to_prove() {
            BUDGET_DIVISOR
        } else {
            1
        };
        self.node_budget().map_or(u64::MAX, |nodes| nodes / divisor + 1)
    }

    /// Whether `side` wins a position, which may be finished. `None` if this takes more nodes
    /// than `budget`, or if stopped.
    pub(super) fn is_won_within(&mut self, position: &MagneticCave, side: Side, budget: u64) -> Option<bool> {
        self.memory.limit = Some(self.nodes.saturating_add(budget));
        let is_won = match position.outcome() {
            Some(outcome) => Some(outcome.points_for(side) > 0),
            None => proves_win(position, side, self),
        };
        self.memory.limit = None;
        is_won
    }

    /// Makes the principal variation: `first`, then moves that keep the result, as long as
    /// they are found with few nodes.
    fn prove_line(&mut self, first: Move, winner: Option<Side>, nodes: u64) {
        let limit = self.nodes + nodes / LINE_COST_DIVISOR + LINE_NODES;
        let mut line = vec![first];
        let mut position = self.root.play(first);
        while let Some(mv) = self.keeping_move(&position, winner, limit) {
            line.push(mv);
            position = position.play(mv);
        }
        self.memory.limit = None;
        // The result is proven already, so a stop in between does not matter to it.
        self.publish_line(line);
    }

    /// Makes and publishes the principal variation.
    fn publish_line(&mut self, line: Vec<Move>) {
        if self.line_index == 0 {
            self.task.observer.publish(&line);
        }
        self.pv[0] = line;
    }

    /// A move that keeps the result, the most promising one for a side that has lost. `None`
    /// after the last move, or if the nodes for it are used up.
    fn keeping_move(&mut self, position: &MagneticCave, winner: Option<Side>, limit: u64) -> Option<Move> {
        if position.outcome().is_some() {
            return None;
        }
        let side = position.side_to_move();
        let info = position.node_info();
        let moves = match position.forced(&info) {
            Forced::Win(mv) | Forced::Only(mv) | Forced::Loss(mv) => return Some(mv),
            Forced::Nothing => position.candidates(&info),
        };
        let mut picker = self.ordering.picker(position, moves, None);
        let (asked, is_wanted) = match winner {
            Some(winner) if winner != side => return picker.next(),
            Some(winner) => (winner, true),
            None => (side.opponent(), false),
        };
        let (mut open, mut budget) = (picker.collect::<Vec<_>>(), LINE_BUDGET);
        while !open.is_empty() {
            let mut undecided = Vec::new();
            for mv in open {
                let nodes = budget.min(limit.saturating_sub(self.nodes));
                let is_won = self.is_won_within(&position.play(mv), asked, nodes);
                match is_won {
                    Some(is_won) if is_won == is_wanted => return Some(mv),
                    Some(_) => {}
                    None if self.stopped || self.nodes >= limit => return None,
                    None => undecided.push(mv),
                }
            }
            open = undecided;
            budget = budget.saturating_mul(BUDGET_GROWTH);
        }
        None
    }
}

/// Puts a move at this place, if it stands behind it.
fn bring_forward(moves: &mut [Move], mv: Move, place: usize) {
    if let Some(found) = moves.iter().position(|&other| other == mv)
        && found > place
    {
        moves[place..=found].rotate_right(1);
    }
}

/// The number of plies after which `side` can win at the latest.
fn last_win(root: &MagneticCave, side: Side) -> u32 {
    let left = root.plies_left();
    // The side to move makes the moves with odd numbers.
    let is_odd = left % 2 == 1;
    if is_odd == (side == root.side_to_move()) {
        left
    } else {
        left.saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lodestone_game::score::Score;

    use super::super::solver_cost;
    use super::*;
    use crate::game::magnetic_cave::solver::{Answer, Solver};
    use crate::game::magnetic_cave::solver_position::SolverPosition;
    use crate::search::{BestMove, Lodestone, SearchLimits, best_move, with_thread};

    fn search(root: &MagneticCave, limits: SearchLimits) -> BestMove {
        best_move(&mut Lodestone::with_hash(16).unwrap(), root, limits).unwrap()
    }

    /// h4 wins for x.
    const WON: &str = "6ox/ooxxoxox/oxo5/xxoxoxoo/8/oxxox3/3oxoxx/7o x";

    /// The order of the moves if the nodes end before it is known whether one wins.
    fn order_after(root: &MagneticCave, nodes: u64, keeps_first: bool) -> Option<Vec<Move>> {
        let mut moves = root.legal_moves().to_vec();
        let side = root.side_to_move();
        let answer = with_thread(root, SearchLimits::nodes(nodes), |search| {
            search.find_move(&mut moves, side, u64::MAX, keeps_first)
        });
        answer.is_none().then_some(moves)
    }

    #[test]
    fn moves_proven_not_to_win_come_last_when_the_nodes_end() {
        let root = MagneticCave::from_fen(WON).unwrap();
        let win = root.parse_move("h4").unwrap();
        let before = root.legal_moves().to_vec();
        let place = |moves: &[Move]| moves.iter().position(|&mv| mv == win);
        let mut changed = 0;
        for nodes in (0..7).map(|doublings| 1000 << doublings) {
            if let Some(after) = order_after(&root, nodes, false) {
                assert!(place(&after) <= place(&before), "{nodes}: {after:?}");
                changed += u32::from(after != before);
            }
            if let Some(after) = order_after(&root, nodes, true) {
                assert_eq!(after, before);
            }
        }
        assert!(changed > 0);
    }

    #[test]
    fn the_first_move_gets_all_nodes_if_they_are_likely_to_be_too_few() {
        let root = MagneticCave::from_fen(WON).unwrap();
        let budget = |limits| with_thread(&root, limits, |search| search.first_budget());
        let cost = solver_cost(&root);
        assert_eq!(budget(SearchLimits::nodes(cost)), cost / 3 + 1);
        assert_eq!(budget(SearchLimits::nodes(cost - 1)), cost);
        assert_eq!(budget(SearchLimits::default()), u64::MAX);
    }

    /// The value of the root, the best move and the nodes, if this thread proves it with an empty
    /// table and this first move; `result` is what another thread has proven.
    fn prove(root: &MagneticCave, first: &str, result: Option<(i32, &str)>) -> (Value, Move, u64) {
        let shared = Arc::new(SharedProof::new(2));
        if let Some((points, best)) = result {
            shared.finish(points, root.parse_move(best).unwrap());
        }
        let mut moves = root.legal_moves().to_vec();
        bring_forward(&mut moves, root.parse_move(first).unwrap(), 0);
        let (value, nodes) = with_thread(root, SearchLimits::default(), |search| {
            search.memory.shared = Some(Arc::clone(&shared));
            (search.prove_root(&mut moves, true).unwrap(), search.nodes)
        });
        let points = value.signum();
        assert_eq!(shared.result().map(|(points, _)| points), Some(points));
        (value, moves[0], nodes)
    }

    #[test]
    fn takes_the_win_that_another_thread_has_proven() {
        let root = MagneticCave::from_fen(WON).unwrap();
        let win = root.parse_move("h4").unwrap();
        let (value, best, nodes) = prove(&root, "a4", None);
        assert!(value > 0 && best == win);
        let (same, best, fewer) = prove(&root, "a4", Some((1, "h4")));
        assert_eq!((same, best), (value, win));
        assert!(fewer < nodes / 2, "{fewer} of {nodes}");
    }

    #[test]
    fn a_thread_knows_what_others_search_far_from_the_end() {
        let root = MagneticCave::from_fen(WON).unwrap();
        let shared = Arc::new(SharedProof::new(2));
        with_thread(&root, SearchLimits::default(), |search| {
            assert!(!search.is_shared(64), "a single thread");
            search.memory.shared = Some(shared);
            search.begin(7);
            assert_eq!([7, 8].map(|key| search.is_searched(key)), [true, false]);
            assert_eq!([12, 11].map(|empty| search.is_shared(empty)), [true, false]);
        });
    }

    #[test]
    fn a_proof_does_not_depend_on_a_reply_without_a_need() {
        // x must play e8; then o has no open line.
        let fen = "oooo4/xxooxxoo/ooxxooxx/xxxoxxxo/ooxxooxx/xxooxxoo/ooxxooxx/xxooxxoo x";
        let root = MagneticCave::from_fen(fen).unwrap();
        let answer = with_thread(&root, SearchLimits::default(), |search| {
            Solver::new(Side::Second, search).answer(&SolverPosition::of(&root).unwrap())
        });
        let Answer { attacker_wins, cells } = answer.unwrap();
        assert_eq!((attacker_wins, cells), (false, Bitboard::EMPTY));
    }

    #[test]
    fn a_win_ends_with_the_last_move_of_its_side_and_a_loss_with_its_line() {
        let root = MagneticCave::from_fen(WON).unwrap();
        let (value, best, _) = prove(&root, "h4", None);
        // x plays the first of the moves that are left, and every second one.
        let last = (root.plies_left() - 1) / 2 * 2 + 1;
        assert_eq!(value, win_in(last));
        let after = root.play(best);
        let progress = search(&after, SearchLimits::default()).report.unwrap();
        let end = progress
            .line
            .iter()
            .fold(after, |position, &mv| position.play(mv));
        assert!(end.outcome().is_some(), "the line goes to the end of the game");
        assert_eq!(progress.score, Score::Loss(progress.line.len() as u32));
    }

    #[test]
    fn takes_the_draw_that_another_thread_has_proven() {
        let root = MagneticCave::from_fen("x5xx/1oooxoxx/oxoxoxoo/x6o/oxoxxxox/xoxoxoxo/xox3oo/8 o").unwrap();
        // The first move is kept if it does not lose.
        for (first, expected) in [("b5", "g5"), ("b8", "b8"), ("g5", "g5")] {
            let (value, best, nodes) = prove(&root, first, None);
            assert_eq!(value, 0);
            assert_ne!(best, root.parse_move("b5").unwrap());
            let (value, best, fewer) = prove(&root, first, Some((0, "g5")));
            assert_eq!((value, best), (0, root.parse_move(expected).unwrap()));
            assert!(fewer < nodes, "{first}: {fewer} of {nodes}");
        }
    }

    /// Most moves of the line are in proofs of the table, but often not the first one tried.
    #[test]
    fn the_line_of_a_draw_goes_to_its_end() {
        let root = MagneticCave::from_fen("x6o/8/xo6/ooxoxox1/1xoxoxoo/8/xx2oxox/o4oxx x").unwrap();
        let progress = search(&root, SearchLimits::default()).report.unwrap();
        assert_eq!(progress.score, Score::Draw);
        let end = progress.line.iter().fold(root, |position, &mv| position.play(mv));
        assert!(end.outcome().is_some(), "{} plies", progress.line.len());
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn a_win_that_is_not_found_in_time_does_not_cost_the_draw() {
            // x wins, but with these nodes no win is proven, and g7 loses.
            let root = MagneticCave::from_fen("xooox3/oxxoxo1x/xoxo3x/xxoxooxo/8/oxooxoox/8/x7 x").unwrap();
            let best = |root: &MagneticCave, nodes| search(root, SearchLimits::nodes(nodes));
            let next = root.play(best(&root, 150_000).mv);
            let score = best(&next, 1_000_000).report.unwrap().score;
            assert!(matches!(score, Score::Draw | Score::Loss(_)), "{score:?}");
        }

        /// f3 draws. It is soon proven not to win; then nothing is known of many other moves, of which most lose.
        #[test]
        #[ignore = "slow: .ci/run"]
        fn the_best_move_is_tried_early_when_no_win_is_found_in_time() {
            let moves =
                "a4 b4 h1 a6 c4 d4 e4 f4 g4 b6 c6 d6 e6 f6 a2 b2 g6 c2 d2 a1 e2 f2 g2 h4 h6 g1 f1 h2 h3 g3";
            let root = moves.split(' ').fold(MagneticCave::startpos(), |position, mv| {
                position.play(position.parse_move(mv).unwrap())
            });
            let draw = root.parse_move("f3").unwrap();
            for nodes in [60_000, 80_000, 100_000, 120_000] {
                let mut moves = root.legal_moves().to_vec();
                bring_forward(&mut moves, draw, 0);
                with_thread(&root, SearchLimits::nodes(nodes), |search| {
                    search.prove_root(&mut moves, true)
                });
                assert_eq!(moves[0], draw, "{nodes}");
            }
        }
    }
}
