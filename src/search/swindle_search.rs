//! Swindles: in a lost position, and sooner against an opponent that has moved as expected so far,
//! play for the mistakes of an opponent that searches a few plies only.
//!
//! The game knows the replies of such opponents ([`RootStrategy::shallow_reply`]). So only the own
//! moves have to be searched: a beam search keeps the positions of the best evaluation after
//! each reply, until the game ends. The beam is widened until the time is over. If it finds a
//! draw or a win that way, the engine plays the first move of that line.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::time::Instant;

use super::swindle::{FirstMoves, Swindle, SwindlePlan};
use super::thread::SearchThread;
use crate::board::Move;
use crate::game::{Evaluate, RootStrategy};
use crate::score::{Value, is_decisive};

/// The part of the time or nodes that are left, in percent.
const SHARE: u32 = 75;

/// The width of the first beam, in positions. Each further beam is twice as wide.
const MIN_WIDTH: usize = 4;

/// The width of the last beam.
const MAX_WIDTH: usize = 1 << 12;

/// If more replies than these are kept, the next search begins without them.
const MAX_REPLIES: usize = 1 << 17;

/// Own moves whose replies are searched, for each position of the beam.
const MOVES_PER_POSITION: usize = 2;

/// If lines are checked, the search for them begins once the nodes so far are this part of those
/// that are left.
const READY_DIVISOR: u64 = 3;

/// Iterations before the search for a swindle, in plies.
const SWINDLE_DEPTH: u32 = 5;

/// The proof that a first move keeps a draw may use this part of the nodes that are left.
const CHECK_DIVISOR: u64 = 4;

/// Whether the first moves of lines are compared with the best move.
pub(super) fn checks_lines<G: Evaluate>() -> bool {
    G::Root::SWINDLE_LIMITS.is_some_and(|limits| limits.first_move.is_some())
}

/// When the search for a swindle ends.
struct Budget {
    nodes: Option<u64>,
    time: Option<Instant>,
}

/// A position of the beam, with the side of the search to move.
struct Path<G> {
    position: G,
    line: Vec<Move>,
}

impl<G: Evaluate> Path<G> {
    /// The static evaluation for the side to move.
    fn evaluate(&self) -> Value {
        self.position.evaluate(&self.position.node_info(), None)
    }
}

impl SearchThread<'_> {
    /// Whether this thread looks for swindles at a root of this value.
    pub(super) fn looks_for_swindles<G: Evaluate>(&self, value: Value) -> bool {
        [0, 1]
            .into_iter()
            .any(|points| self.plays_for_mistakes::<G>(value, points))
    }

    /// Whether a swindle for these points is played at a root of this value: the more moves of the
    /// opponent were expected, the sooner.
    pub(super) fn plays_for_mistakes<G: Evaluate>(&self, value: Value, points: i32) -> bool {
        let expected = self.task.opponent.expected;
        let is_low = G::Root::SWINDLE_LIMITS.is_some_and(|limits| value < limits.limit(points, expected));
        is_low && self.helper == 0 && self.contempt.is_some() && self.task.limits.mate.is_none()
    }

    /// Continues the line of the search before. If lines are checked, it waits for that.
    pub(super) fn adopt_plan<G: Evaluate>(&mut self, root: &G, plan: SwindlePlan) {
        let place = if checks_lines::<G>() {
            &mut self.planned
        } else {
            &mut self.swindle
        };
        *place = plan.at(root);
    }

    /// Whether it is time to look for swindles after an iteration of this depth. If lines are
    /// [checked](FirstMoves), a good search comes first.
    pub(super) fn is_time_for_swindles<G: Evaluate>(&self, depth: u32, is_last: bool) -> bool {
        let is_ready = || {
            is_last
                || self
                    .node_budget()
                    .is_none_or(|left| self.nodes >= left / READY_DIVISOR)
        };
        depth >= SWINDLE_DEPTH && (!checks_lines::<G>() || is_ready())
    }

    /// Takes the result of an iteration: lines must fit it from now on. A known one that does not
    /// is dropped.
    pub(super) fn set_first_moves<G: Evaluate>(
        &mut self,
        root: &G,
        value: Value,
        depth: u32,
        is_proven: bool,
    ) {
        if !checks_lines::<G>() {
            return;
        }
        self.first_moves = FirstMoves {
            value,
            depth,
            is_proven,
            checked: Vec::new(),
        };
        if let Some(swindle) = self.swindle.take() {
            let is_sound = self.is_sound(root, swindle.line()[0]);
            self.swindle = Some(swindle).filter(|_| is_sound);
        }
    }

    /// Whether a line may begin with this move, see [`SwindleLimits::first_move`](crate::game::SwindleLimits::first_move).
    fn is_sound<G: Evaluate>(&mut self, root: &G, mv: Move) -> bool {
        let Some(margin) = G::Root::SWINDLE_LIMITS.and_then(|limits| limits.first_move) else {
            return true;
        };
        let FirstMoves {
            value,
            depth,
            is_proven,
            ref checked,
        } = self.first_moves;
        if is_decisive(value) {
            return true;
        }
        if let Some(&(_, is_sound)) = checked.iter().find(|&&(other, _)| other == mv) {
            return is_sound;
        }
        let next = root.play(mv);
        let is_sound = if is_proven {
            let budget = self.node_budget().map_or(u64::MAX, |left| left / CHECK_DIVISOR);
            self.is_won_within(&next, next.side_to_move(), budget) == Some(false)
        } else {
            let least = value - margin;
            self.child(&next, (depth.saturating_sub(1), 0), 1, (least - 1, least), true) >= least
        };
        let is_sound = is_sound && !self.stopped;
        self.first_moves.checked.push((mv, is_sound));
        is_sound
    }

    /// Looks for a swindle with [`SHARE`] of the time or nodes that are left; returns false
    /// without such a limit. A better one than known so far is kept and published.
    pub(super) fn find_swindle<G: Evaluate>(&mut self, root: &G) -> bool {
        let Some(budget) = self.swindle_budget() else {
            return false;
        };
        if let Some(planned) = self.planned.take()
            && self.is_sound(root, planned.line()[0])
        {
            self.task.observer.publish(planned.line());
            self.swindle = Some(planned);
        }
        if checks_lines::<G>() && self.swindle.as_ref().is_some_and(|swindle| swindle.points > 0) {
            return true;
        }
        if self.ordering.shallow_replies.len() > MAX_REPLIES {
            self.ordering.shallow_replies.clear();
        }
        let mut width = MIN_WIDTH;
        while width <= MAX_WIDTH && self.beam_search(root, width, &budget) {
            width *= 2;
        }
        true
    }

    /// When to end, with [`SHARE`] of the time or nodes that are left; `None` without such a limit,
    /// or if the search shares its thread.
    fn swindle_budget(&self) -> Option<Budget> {
        let limits = &self.task.limits;
        let now = Instant::now();
        let budget = Budget {
            nodes: limits
                .nodes
                .map(|limit| self.nodes + limit.saturating_sub(self.nodes) / 100 * u64::from(SHARE)),
            time: limits
                .deadlines
                .hard()
                .map(|hard| now + hard.saturating_duration_since(now) / 100 * SHARE),
        };
        let is_limited = budget.nodes.is_some() || budget.time.is_some();
        (is_limited && self.task.pause.is_none()).then_some(budget)
    }

    /// One beam search of this width. Returns whether a wider one may find more: there is time
    /// left, and no win is known.
    fn beam_search<G: Evaluate>(&mut self, root: &G, width: usize, budget: &Budget) -> bool {
        let mut beam = vec![Path {
            position: *root,
            line: Vec::new(),
        }];
        while !beam.is_empty() {
            let mut next = Vec::new();
            for Path { position, mut line } in self.own_moves(root, &beam, width) {
                let is_late = budget.time.is_some_and(|time| Instant::now() >= time)
                    || budget.nodes.is_some_and(|nodes| self.nodes >= nodes)
                    || self.task.must_stop();
                if is_late {
                    return false;
                }
                let nodes = &mut self.nodes;
                let model = self.task.opponent.model;
                let reply = *self
                    .ordering
                    .shallow_replies
                    .entry((model, position.key()))
                    .or_insert_with(|| G::Root::shallow_reply(&position, model, nodes));
                let Some(reply) = reply else {
                    continue;
                };
                let position = position.play(reply);
                line.push(reply);
                if !self.note_end(root, &position, &line) {
                    next.push(Path { position, line });
                }
            }
            let mut seen = HashSet::new();
            next.retain(|path| seen.insert(path.position.key()));
            next.sort_by_cached_key(|path| Reverse(path.evaluate()));
            next.truncate(width);
            beam = next;
        }
        self.swindle.as_ref().is_none_or(|swindle| swindle.points < 1)
    }

    /// The positions after the moves that look best in a beam of this width.
    fn own_moves<G: Evaluate>(&mut self, root: &G, beam: &[Path<G>], width: usize) -> Vec<Path<G>> {
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        for path in beam {
            if path
                .line
                .first()
                .is_some_and(|&first| self.first_moves.is_unsound(first))
            {
                continue;
            }
            let moves = if path.line.is_empty() {
                self.task.moves.clone()
            } else {
                path.position.legal_moves()
            };
            for &mv in moves.iter() {
                if path.line.is_empty() && self.first_moves.is_unsound(mv) {
                    continue;
                }
                let position = path.position.play(mv);
                let line = [&path.line[..], &[mv]].concat();
                if seen.insert(position.key()) && !self.note_end(root, &position, &line) {
                    all.push(Path { position, line });
                }
            }
        }
        all.sort_by_cached_key(Path::evaluate);
        all.truncate(MOVES_PER_POSITION * width);
        all
    }

    /// Keeps and publishes a line to the end of the game if its result is better than known so
    /// far. Returns whether the game has ended.
    fn note_end<G: Evaluate>(&mut self, root: &G, end: &G, line: &[Move]) -> bool {
        let Some(outcome) = end.outcome() else {
            return false;
        };
        let points = outcome.points_for(root.side_to_move());
        let known = self.swindle.as_ref().map_or(-1, |swindle| swindle.points);
        if points > known && self.is_sound(root, line[0]) {
            let line = line.to_vec();
            self.task.observer.publish(&line);
            self.swindle = Some(Swindle { points, line });
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::SearchLimits;
    use super::super::lodestone::Lodestone;
    use super::super::options::SearchOptions;
    use super::super::swindle::{ShallowOpponent, shallow_opponent};
    use super::super::task::{LastReport, Progress, Searcher, Task};
    use crate::board::Side;
    use crate::game::Game;
    use crate::game::gridlock::Gridlock;
    use crate::game::magnetic_cave::MagneticCave;
    use crate::personality::FixedDepth;
    use crate::score::Score;

    use super::*;

    /// The points of the first player, with this contempt and limit, from a placement that is lost
    /// for it, against the player that searches four plies.
    fn points_against_mobility(contempt: u8, limits: &SearchLimits) -> i32 {
        let mut engine = Lodestone::with_hash(4).unwrap();
        let mut opponent = FixedDepth::new(&Gridlock::REFERENCE_PLAYERS[0]);
        let mut position = Gridlock::from_fen(LOST).unwrap();
        let mut played = Vec::new();
        let last = LastReport::default();
        loop {
            if let Some(outcome) = position.outcome() {
                return outcome.points_for(Side::First);
            }
            let task = Task {
                limits: limits.clone(),
                opponent: shallow_opponent(&played),
                options: SearchOptions {
                    contempt,
                    ..SearchOptions::default()
                },
                ..Task::new(position.legal_moves(), &last)
            };
            let mv = match position.side_to_move() {
                Side::First => engine.search(&position, &task),
                Side::Second => {
                    let limits = SearchLimits::depth(4);
                    opponent.search(
                        &position,
                        &Task {
                            limits,
                            ..Task::new(position.legal_moves(), &last)
                        },
                    )
                }
            };
            played.push((position, mv));
            position = position.play(mv);
        }
    }

    /// With one million nodes a move, the second player wins against 100,000 nodes.
    const LOST: &str = "xx1x2x/4o1o/1x5/ox4o/4o2/1ox4/1x1o2o x 0 20";

    #[test]
    fn a_lost_game_is_saved_against_a_shallow_opponent() {
        let nodes = SearchLimits::nodes(100_000);
        assert_eq!(points_against_mobility(0, &nodes), -1);
        assert!(points_against_mobility(30, &nodes) >= 0);
    }

    /// The result of the line that the engine shows here after this number of expected moves; `None`
    /// if the line does not reach the end.
    fn points_shown(root: &Gridlock, expected: u32) -> Option<i32> {
        let mut player = Lodestone::with_hash(4).unwrap();
        let last = LastReport::default();
        let task = Task {
            limits: SearchLimits::nodes(60_000),
            opponent: ShallowOpponent { model: 0, expected },
            ..Task::new(root.legal_moves(), &last)
        };
        player.search(root, &task);
        let line = last.into_inner().unwrap().line;
        let end = line.iter().fold(*root, |position, &mv| position.play(mv));
        end.outcome()
            .map(|outcome| outcome.points_for(root.side_to_move()))
    }

    #[test]
    fn an_opponent_that_moved_as_expected_is_beaten_from_an_even_position() {
        let root = Gridlock::from_fen("7/7/1o1xx1x/oo1o2x/2x3x/o3oo1/x3xo1 x 0 20").unwrap();
        assert_eq!(
            [0, 3].map(|replies| points_shown(&root, replies)),
            [None, Some(1)]
        );
    }

    /// A drawn position of Magnetic Cave.
    const DRAWN: &str = "oxo3ox/6xo/xxxoxoxo/oxoxoxox/2ooxoxx/xooxoxox/6ox/5oxo x";

    /// The move and the last report after this number of moves of `groups`.
    fn report_against_groups(
        fen: &str,
        expected: u32,
        limits: SearchLimits,
    ) -> (MagneticCave, Move, Progress) {
        let root = MagneticCave::from_fen(fen).unwrap();
        let last = LastReport::default();
        let task = Task {
            limits,
            opponent: ShallowOpponent { model: 0, expected },
            ..Task::new(root.legal_moves(), &last)
        };
        let mv = Lodestone::with_hash(4).unwrap().search(&root, &task);
        (root, mv, last.into_inner().unwrap())
    }

    #[test]
    fn a_drawn_position_is_won_against_an_opponent_that_moved_as_expected() {
        let ends = [0, 9].map(|expected| {
            let (root, mv, progress) = report_against_groups(DRAWN, expected, SearchLimits::nodes(100_000));
            assert_eq!(progress.score, Score::Draw);
            assert_eq!(progress.line.first(), Some(&mv));
            let end = progress.line.iter().fold(root, |position, &mv| position.play(mv));
            end.outcome()
                .map(|outcome| outcome.points_for(root.side_to_move()))
        });
        assert_eq!(ends[1], Some(1));
        assert_ne!(ends[0], Some(1));
    }

    /// A draw in which the first line that wins against `groups` begins with a move that loses.
    const TEMPTING: &str = "7x/xoxoxoo1/1xxoxoxo/2xoxoxo/ooxoxox1/8/xoxox3/ooxo2xx o";

    #[test]
    fn no_line_gives_away_a_proven_draw() {
        let positions = include_str!("../../benches/kept.txt").lines();
        let drawn = positions.filter_map(|line| line.strip_prefix("0: "));
        let (mut lines, mut drawn_games) = (0, 0);
        for fen in [TEMPTING].into_iter().chain(drawn.step_by(8)) {
            let (root, mv, progress) = report_against_groups(fen, 9, SearchLimits::nodes(40_000));
            if progress.score != Score::Draw {
                continue;
            }
            drawn_games += 1;
            let end = progress.line.iter().fold(root, |position, &mv| position.play(mv));
            let wins = end
                .outcome()
                .is_some_and(|outcome| outcome.points_for(root.side_to_move()) > 0);
            if wins {
                lines += 1;
                let next = root.play(mv);
                let last = LastReport::default();
                let task = Task::new(next.legal_moves(), &last);
                Lodestone::with_hash(16).unwrap().search(&next, &task);
                assert_eq!(
                    last.into_inner().map(|report| report.score),
                    Some(Score::Draw),
                    "{fen}"
                );
            }
        }
        assert!(lines > 3, "{lines} lines in {drawn_games} draws");
    }

    #[test]
    fn the_moves_of_a_swindle_are_the_line_that_is_shown() {
        let root = Gridlock::from_fen(LOST).unwrap();
        let mut player = Lodestone::with_hash(4).unwrap();
        let last = LastReport::default();
        let task = Task {
            limits: SearchLimits::nodes(100_000),
            ..Task::new(root.legal_moves(), &last)
        };
        let mv = player.search(&root, &task);
        let report = last.into_inner().unwrap();
        assert_eq!(report.line.first(), Some(&mv));
        let end = report.line.iter().fold(root, |position, &mv| {
            assert!(position.legal_moves().contains(&mv));
            position.play(mv)
        });
        let points = end.outcome().map(|outcome| outcome.points_for(Side::First));
        assert!(points.is_some_and(|points| points >= 0), "{points:?}");
    }

    #[test]
    fn analysis_plays_for_no_mistakes() {
        let root = Gridlock::from_fen(LOST).unwrap();
        let lines = [0, 100].map(|contempt| {
            let mut player = Lodestone::with_hash(4).unwrap();
            let last = LastReport::default();
            let task = Task {
                limits: SearchLimits::depth(8),
                options: SearchOptions {
                    contempt,
                    ..SearchOptions::default()
                },
                ..Task::new(root.legal_moves(), &last)
            };
            player.search(&root, &task);
            last.into_inner()
        });
        assert_eq!(lines[0], lines[1]);
    }
}
