//! One search with one call, for programs that use the library.

use lodestone_game::Game;
use lodestone_game::board::Move;
use lodestone_game::score::{Value, win_in};

use super::task::{LastReport, Progress, SearchLimits, Searcher, Task};
use crate::game::{Evaluate, Forced};

/// The move that a player chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMove {
    /// A legal move.
    pub mv: Move,
    /// The last report of the search, with score, depth and expected line; `None` if the
    /// player reports nothing, as `random` does.
    pub report: Option<Progress>,
}

/// The move that `player` chooses in `position`; `None` if the game is over. Returns soon
/// after a limit is reached. Without limits it returns only after a proven result, which
/// may take forever. Uses the default options; a [`Task`] has them all.
///
/// ```
/// use lodestone::search::{Lodestone, SearchLimits, best_move};
/// use lodestone_game::Game;
/// use lodestone_game::gridlock::Gridlock;
/// use lodestone_game::score::Score;
///
/// // One turn is left, and a move of x wins.
/// let position = Gridlock::from_fen("xo5/7/7/7/7/7/5xo x 39 40")?;
/// let mut player = Lodestone::with_hash(1)?;
/// let best = best_move(&mut player, &position, SearchLimits::depth(4)).ok_or("game over")?;
/// assert!(position.legal_moves().contains(&best.mv));
/// assert_eq!(best.report.map(|report| report.score), Some(Score::Win(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best_move<G: Game>(
    player: &mut dyn Searcher<G>,
    position: &G,
    limits: SearchLimits,
) -> Option<BestMove> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return None;
    }
    let last = LastReport::default();
    let mv = player.search(
        position,
        &Task {
            limits,
            ..Task::new(moves, &last)
        },
    );
    Some(BestMove {
        mv,
        report: last.into_inner(),
    })
}

/// The static best move: it wins at once, or avoids a loss within two plies, or else has
/// the best static evaluation; the first of equals. `None` if `moves` is empty. Takes a
/// few microseconds.
pub(crate) fn fallback_move<G: Evaluate>(root: &G, moves: &[Move]) -> Option<Move> {
    // `max_by_key` returns the last of equals, hence the reverse.
    let best = moves
        .iter()
        .rev()
        .max_by_key(|&&mv| -static_value(&root.play(mv)));
    best.copied()
}

/// The value of the position after one ply, for its side to move, without search.
fn static_value<G: Evaluate>(next: &G) -> Value {
    if let Some(outcome) = next.outcome() {
        return outcome.value_for(next.side_to_move(), 1);
    }
    let info = next.node_info();
    match next.forced(&info) {
        Forced::Win(_) => win_in(2),
        Forced::Loss(_) => -win_in(3),
        Forced::Only(_) | Forced::Nothing => next.evaluate(&info, None),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use lodestone_game::magnetic_cave::MagneticCave;
    use lodestone_game::players::RANDOM;
    use lodestone_game::score::Score;

    use super::*;
    use crate::personality::{SearcherSettings, make_searcher};
    use crate::search::Lodestone;

    fn position(moves: &str) -> MagneticCave {
        moves
            .split_whitespace()
            .fold(MagneticCave::startpos(), |position, text| {
                position.play(position.parse_move(text).unwrap())
            })
    }

    #[test]
    fn each_limit_ends_the_search() {
        let mut player = Lodestone::with_hash(1).unwrap();
        let root = position("a8 h8");
        let begin = Instant::now();
        let report = |best: Option<BestMove>| best.unwrap().report.unwrap();
        // A busy machine may leave the search no time.
        let mut times = [20, 100, 500, 2500].map(Duration::from_millis).into_iter();
        let mut depth_in = |time| {
            best_move(&mut player, &root, SearchLimits::time(time))?
                .report
                .map(|report| report.depth)
        };
        assert!(times.any(|time| depth_in(time) > Some(1)));
        assert!(begin.elapsed() < Duration::from_secs(20));
        let depth = report(best_move(&mut player, &root, SearchLimits::depth(3))).depth;
        assert_eq!(depth, 3);
        assert!(report(best_move(&mut player, &root, SearchLimits::nodes(500))).nodes <= 500);
    }

    #[test]
    fn a_finished_game_has_no_best_move() {
        let mut player = Lodestone::with_hash(1).unwrap();
        let won = position("a8 h8 a7 h7 a6 h6 a5 h5");
        let best = best_move(&mut player, &won, SearchLimits::default()).unwrap();
        assert_eq!(best.report.unwrap().score, Score::Win(1));
        assert_eq!(
            best_move(&mut player, &won.play(best.mv), SearchLimits::default()),
            None
        );
    }

    #[test]
    fn every_player_can_be_asked() {
        let settings = SearcherSettings { hash: 1, seed: 1 };
        let mut player = make_searcher(RANDOM, settings).unwrap().unwrap();
        let best = best_move(player.as_mut(), &position(""), SearchLimits::depth(1)).unwrap();
        assert_eq!(best.report, None);
    }

    mod slow {
        use super::*;

        /// The iterations prefer the losing move; in the second and third position, those with earlier weights did.
        #[test]
        #[ignore = "slow: .ci/run"]
        fn the_solver_finds_a_losing_move_if_it_is_not_likely_to_finish() {
            for (fen, losing, nodes) in [
                ("7x/6xo/1xoxoxoo/8/oxoxoox1/xox5/xxxoooxx/7o o", "a6", 400_000),
                ("xoxox3/oxxoxo2/1xxoxoox/7o/xxo5/oxooxo2/8/8 x", "g7", 150_000),
                ("8/1xxxoxoo/ox6/oxoxoxox/8/oxoxoxo1/6xo/x7 o", "f2", 150_000),
                ("1ooxoooo/8/2xoxoxo/xooooxxx/xxox4/8/xx1oxxxx/o7 o", "a6", 12_000),
            ] {
                let root = MagneticCave::from_fen(fen).unwrap();
                let mut player = Lodestone::with_hash(16).unwrap();
                let best = best_move(&mut player, &root, SearchLimits::nodes(nodes)).unwrap();
                assert_ne!(best.mv, root.parse_move(losing).unwrap(), "{fen}");
            }
        }
    }
}

#[cfg(test)]
mod fallback_tests {
    use lodestone_game::Game;

    use super::*;
    use crate::game::magnetic_cave::random_positions;

    #[test]
    fn plays_wins_and_forced_replies() {
        let (mut wins, mut replies) = (0, 0);
        for position in random_positions(5, 3000) {
            let Some(mv) = fallback_move(&position, &position.legal_moves()) else {
                assert!(position.outcome().is_some(), "{}", position.fen());
                continue;
            };
            let next = position.play(mv);
            match position.forced(&position.node_info()) {
                Forced::Win(_) => {
                    assert!(next.outcome().is_some(), "{}", position.fen());
                    wins += 1;
                }
                Forced::Only(only) => {
                    assert_eq!(mv, only, "{}", position.fen());
                    replies += 1;
                }
                Forced::Loss(_) | Forced::Nothing => {}
            }
        }
        assert!(wins > 100 && replies > 100, "{wins} wins, {replies} replies");
    }
}
