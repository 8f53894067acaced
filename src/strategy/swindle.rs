//! Swindles: in a lost position, and sooner against an opponent that has moved as expected so far,
//! play for the mistakes of an opponent that searches a few plies only.
//!
//! The game knows the replies of such opponents ([`PlaysForMistakes::shallow_reply`]). So only the own
//! moves have to be searched: a beam search keeps the positions of the best evaluation after
//! each reply, until the game ends. The beam is widened until the time is over. If it finds a
//! draw or a win that way, the engine plays the first move of that line.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::time::Instant;

use lodestone_game::Game;
use lodestone_game::board::Move;
use lodestone_game::score::{Value, is_decisive};

use crate::game::Evaluate;
use crate::search::{RootState, RootStrategy, SearchThread, ShallowOpponent};

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

/// Iterations before the search for a swindle, in plies.
const SWINDLE_DEPTH: u32 = 5;

/// A game whose strategy plays for mistakes.
pub trait PlaysForMistakes: RootStrategy {
    /// When it does.
    const LIMITS: SwindleLimits;

    /// The number of models of [`shallow_reply`](Self::shallow_reply).
    const MODELS: usize;

    /// The reply of an opponent that searches a few plies only, by the model with this number;
    /// `None` if the game is over. Adds the positions searched to `nodes`.
    fn shallow_reply(&self, model: usize, nodes: &mut u64) -> Option<Move>;

    fn swindles(memory: &Self::Memory) -> &Swindles;

    fn swindles_mut(memory: &mut Self::Memory) -> &mut Swindles;

    /// Whether it is time to look for swindles after this iteration, not before.
    fn is_time_for_swindles(_search: &SearchThread<'_, Self>, _state: &RootState) -> bool {
        true
    }

    /// Whether the draw is proven to be kept by the move to this position.
    fn keeps_draw(_search: &mut SearchThread<'_, Self>, _next: &Self) -> bool {
        true
    }
}

/// What a strategy remembers of swindles.
#[derive(Debug, Default)]
pub struct Swindles {
    /// The best line of play for mistakes found so far.
    swindle: Option<Swindle>,
    /// A line that the search before began, before it is checked.
    planned: Option<Swindle>,
    /// The moves with which a line may begin.
    first_moves: FirstMoves,
    /// Whether this search has looked for swindles.
    has_looked: bool,
    /// What the last search played for, if the opponent replies as expected.
    plan: Option<SwindlePlan>,
    /// The replies of shallow opponents, by model and key of the position, that
    /// searches of this game asked for.
    replies: HashMap<(usize, u64), Option<Move>>,
}

impl Swindles {
    /// Prepares for a new search of the same game.
    pub(crate) fn new_search(&mut self) {
        *self = Swindles {
            plan: self.plan.take(),
            replies: std::mem::take(&mut self.replies),
            ..Swindles::default()
        };
    }
}

/// Below which values of the root the search plays for mistakes of the opponent: by the number of
/// its last moves, without a gap, that were its [`PlaysForMistakes::shallow_reply`]. The last limit
/// holds for more moves, too.
#[derive(Clone, Copy, Debug)]
pub struct SwindleLimits {
    /// Where a mistake saves a draw.
    pub(crate) draw: &'static [Value],
    /// Where a mistake leads to a win.
    pub(crate) win: &'static [Value],
    /// How much less than the best move, by search, the first move of a line may be worth. Then
    /// it also keeps a proven draw. `None`: any first move will do.
    pub(crate) first_move: Option<Value>,
}

impl SwindleLimits {
    /// The limit for these points, 0 for a draw or 1 for a win, after this number of expected
    /// moves.
    fn limit(&self, points: i32, expected: u32) -> Value {
        let limits = if points > 0 { self.win } else { self.draw };
        let limit = limits.get(expected as usize).or(limits.last());
        limit.copied().unwrap_or(Value::MIN)
    }

    /// The number of expected moves from which on the limits stay the same.
    fn most_expected(&self) -> usize {
        self.draw.len().max(self.win.len()).saturating_sub(1)
    }
}

/// A line that saves or wins a game if the opponent replies as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Swindle {
    /// The result: 1 for a win, 0 for a draw.
    points: i32,
    /// The moves of both sides to the end of the game, at least one.
    line: Vec<Move>,
}

/// The rest of a swindle after the opponent's reply, for the next search of the same game.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SwindlePlan {
    /// The key of the position that is expected then.
    key: u64,
    swindle: Swindle,
}

impl Swindle {
    /// What is left of it after its first move and the reply to it.
    fn plan<G: Game>(&self, root: &G) -> Option<SwindlePlan> {
        let (played, rest) = self.line.split_at_checked(2)?;
        let next = played.iter().fold(*root, |position, &mv| position.play(mv));
        (!rest.is_empty()).then(|| SwindlePlan {
            key: next.key(),
            swindle: Swindle {
                points: self.points,
                line: rest.to_vec(),
            },
        })
    }
}

/// The first moves of lines, and the search that they are compared with.
#[derive(Debug, Default)]
struct FirstMoves {
    /// The value of the best move.
    value: Value,
    /// The depth of the iteration, in plies.
    depth: u32,
    /// Whether the position is a proven draw.
    is_proven: bool,
    /// The moves that were compared, and whether a line may begin with them.
    checked: Vec<(Move, bool)>,
}

/// The model that fits the opponent's last moves best, the first of equals. Counts as many moves
/// as the [limits](PlaysForMistakes::LIMITS) distinguish; where several models fit all of these, the
/// moves before decide. Takes the positions of the game with the moves played there; the last one
/// is a move of the opponent.
pub(crate) fn shallow_opponent<G: PlaysForMistakes>(played: &[(G, Move)]) -> ShallowOpponent {
    let most = G::LIMITS.most_expected();
    let expected_of = |model: usize, most: usize| {
        let replies = played.iter().rev().step_by(2).take(most);
        let is_expected = |(position, mv): &&(G, Move)| position.shallow_reply(model, &mut 0) == Some(*mv);
        replies.take_while(is_expected).count()
    };
    let counts: Vec<_> = (0..G::MODELS).map(|model| expected_of(model, most)).collect();
    let best = counts.iter().copied().max().unwrap_or(0);
    let mut models: Vec<_> = (0..counts.len()).filter(|&model| counts[model] == best).collect();
    if models.len() > 1 && best == most {
        models.sort_by_cached_key(|&model| Reverse(expected_of(model, usize::MAX)));
    }
    ShallowOpponent {
        model: models.first().copied().unwrap_or(0),
        expected: best as u32,
    }
}

/// The line to show and play with this value of the best line: a swindle if there is one, and its
/// result is worth more.
pub(crate) fn line<'a, G: PlaysForMistakes>(
    search: &'a SearchThread<'_, G>,
    best: &'a [Move],
    value: Value,
) -> &'a [Move] {
    search
        .swindle_to_play(value)
        .map_or(best, |swindle| &swindle.line)
}

/// Continues the line of the search before. If lines are checked, it waits for that.
pub(crate) fn begin<G: PlaysForMistakes>(search: &mut SearchThread<'_, G>) {
    let root = search.root;
    let swindles = G::swindles_mut(search.memory);
    let plan = swindles.plan.take().filter(|plan| plan.key == root.key());
    let planned = plan.map(|plan| plan.swindle);
    if checks_lines::<G>() {
        swindles.planned = planned;
    } else {
        swindles.swindle = planned;
    }
}

/// Takes the result of an iteration: lines must fit it from now on. Reports it, and looks for
/// swindles if it is time.
pub(crate) fn after_iteration<G: PlaysForMistakes>(search: &mut SearchThread<'_, G>, state: &RootState) {
    let value = state.lines[0].value;
    let looks = search.looks_for_swindles(value);
    if looks && checks_lines::<G>() {
        let is_solved = state.depth >= search.root.plies_left() && state.selective == 0;
        let swindles = G::swindles_mut(search.memory);
        swindles.first_moves = FirstMoves {
            value,
            depth: state.depth + state.selective,
            is_proven: is_solved && value == 0,
            checked: Vec::new(),
        };
        // A known line that does not fit is dropped.
        if let Some(swindle) = swindles.swindle.take()
            && search.is_sound(swindle.line[0])
        {
            G::swindles_mut(search.memory).swindle = Some(swindle);
        }
        G::swindles_mut(search.memory).has_looked &= !is_solved;
    }
    search.report_lines(&state.lines);
    if looks
        && !G::swindles(search.memory).has_looked
        && state.depth >= SWINDLE_DEPTH
        && G::is_time_for_swindles(search, state)
    {
        let has_looked = search.find_swindle();
        G::swindles_mut(search.memory).has_looked = has_looked;
    }
}

/// The move to play: that of a swindle, or the best one.
pub(crate) fn finish<G: PlaysForMistakes>(search: &mut SearchThread<'_, G>, state: &RootState) -> Move {
    let value = state.lines[0].value;
    if !search.stopped && !G::swindles(search.memory).has_looked && search.looks_for_swindles(value) {
        search.find_swindle();
        if G::swindles(search.memory).swindle.is_some() {
            search.report(&state.lines[0], 1);
        }
    }
    let (best, plan) = match search.swindle_to_play(value) {
        Some(swindle) => (swindle.line[0], swindle.plan(&search.root)),
        None => (state.best(), None),
    };
    G::swindles_mut(search.memory).plan = plan;
    best
}

/// Whether the first moves of lines are compared with the best move.
fn checks_lines<G: PlaysForMistakes>() -> bool {
    G::LIMITS.first_move.is_some()
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

impl<G: PlaysForMistakes> SearchThread<'_, G> {
    /// Whether this thread looks for swindles at a root of this value.
    fn looks_for_swindles(&self, value: Value) -> bool {
        [0, 1]
            .into_iter()
            .any(|points| self.plays_for_mistakes(value, points))
    }

    /// Whether a swindle for these points is played at a root of this value: the more moves of the
    /// opponent were expected, the sooner.
    fn plays_for_mistakes(&self, value: Value, points: i32) -> bool {
        value < G::LIMITS.limit(points, self.task.opponent.expected)
            && self.helper == 0
            && self.contempt.is_some()
            && self.task.limits.mate.is_none()
    }

    fn swindle_to_play(&self, value: Value) -> Option<&Swindle> {
        let swindle = G::swindles(self.memory).swindle.as_ref();
        swindle.filter(|swindle| self.plays_for_mistakes(value, swindle.points))
    }

    /// Whether a line may begin with this move, see [`SwindleLimits::first_move`].
    fn is_sound(&mut self, mv: Move) -> bool {
        let Some(margin) = G::LIMITS.first_move else {
            return true;
        };
        let FirstMoves {
            value,
            depth,
            is_proven,
            ref checked,
        } = G::swindles(self.memory).first_moves;
        if is_decisive(value) {
            return true;
        }
        if let Some(&(_, is_sound)) = checked.iter().find(|&&(other, _)| other == mv) {
            return is_sound;
        }
        let next = self.root.play(mv);
        let is_sound = if is_proven {
            G::keeps_draw(self, &next)
        } else {
            let least = value - margin;
            self.child(&next, (depth.saturating_sub(1), 0), 1, (least - 1, least), true) >= least
        };
        let is_sound = is_sound && !self.stopped;
        G::swindles_mut(self.memory)
            .first_moves
            .checked
            .push((mv, is_sound));
        is_sound
    }

    /// Whether no line may begin with this move.
    fn is_unsound(&self, mv: Move) -> bool {
        let first_moves = &G::swindles(self.memory).first_moves;
        first_moves.checked.contains(&(mv, false))
    }

    /// Looks for a swindle with [`SHARE`] of the time or nodes that are left; returns false
    /// without such a limit. A better one than known so far is kept and published.
    fn find_swindle(&mut self) -> bool {
        let Some(budget) = self.swindle_budget() else {
            return false;
        };
        if let Some(planned) = G::swindles_mut(self.memory).planned.take()
            && self.is_sound(planned.line[0])
        {
            self.task.observer.publish(&planned.line);
            G::swindles_mut(self.memory).swindle = Some(planned);
        }
        let swindles = G::swindles_mut(self.memory);
        if checks_lines::<G>()
            && swindles
                .swindle
                .as_ref()
                .is_some_and(|swindle| swindle.points > 0)
        {
            return true;
        }
        if swindles.replies.len() > MAX_REPLIES {
            swindles.replies.clear();
        }
        let mut width = MIN_WIDTH;
        while width <= MAX_WIDTH && self.beam_search(width, &budget) {
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
    fn beam_search(&mut self, width: usize, budget: &Budget) -> bool {
        let mut beam = vec![Path {
            position: self.root,
            line: Vec::new(),
        }];
        while !beam.is_empty() {
            let mut next = Vec::new();
            for Path { position, mut line } in self.own_moves(&beam, width) {
                let is_late = budget.time.is_some_and(|time| Instant::now() >= time)
                    || budget.nodes.is_some_and(|nodes| self.nodes >= nodes)
                    || self.task.must_stop();
                if is_late {
                    return false;
                }
                let nodes = &mut self.nodes;
                let model = self.task.opponent.model;
                let replies = &mut G::swindles_mut(self.memory).replies;
                let reply = *replies
                    .entry((model, position.key()))
                    .or_insert_with(|| position.shallow_reply(model, nodes));
                let Some(reply) = reply else {
                    continue;
                };
                let position = position.play(reply);
                line.push(reply);
                if !self.note_end(&position, &line) {
                    next.push(Path { position, line });
                }
            }
            let mut seen = HashSet::new();
            next.retain(|path| seen.insert(path.position.key()));
            next.sort_by_cached_key(|path| Reverse(path.evaluate()));
            next.truncate(width);
            beam = next;
        }
        G::swindles(self.memory)
            .swindle
            .as_ref()
            .is_none_or(|swindle| swindle.points < 1)
    }

    /// The positions after the moves that look best in a beam of this width.
    fn own_moves(&mut self, beam: &[Path<G>], width: usize) -> Vec<Path<G>> {
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        for path in beam {
            if path.line.first().is_some_and(|&first| self.is_unsound(first)) {
                continue;
            }
            let moves = if path.line.is_empty() {
                self.task.moves.clone()
            } else {
                path.position.legal_moves()
            };
            for &mv in moves.iter() {
                if path.line.is_empty() && self.is_unsound(mv) {
                    continue;
                }
                let position = path.position.play(mv);
                let line = [&path.line[..], &[mv]].concat();
                if seen.insert(position.key()) && !self.note_end(&position, &line) {
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
    fn note_end(&mut self, end: &G, line: &[Move]) -> bool {
        let Some(outcome) = end.outcome() else {
            return false;
        };
        let points = outcome.points_for(self.root.side_to_move());
        let known = G::swindles(self.memory)
            .swindle
            .as_ref()
            .map_or(-1, |swindle| swindle.points);
        if points > known && self.is_sound(line[0]) {
            let line = line.to_vec();
            self.task.observer.publish(&line);
            G::swindles_mut(self.memory).swindle = Some(Swindle { points, line });
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::Game;
    use lodestone_game::board::Side;
    use lodestone_game::gridlock::Gridlock;
    use lodestone_game::magnetic_cave::MagneticCave;
    use lodestone_game::score::Score;

    use crate::personality::FixedDepth;
    use crate::search::{LastReport, Lodestone, Progress, SearchLimits, Searcher, Task};

    use super::*;

    /// The move and the last report with these limits and this contempt, after this number of moves
    /// of the opponent that its first model expects.
    fn search<G: RootStrategy>(
        root: &G,
        limits: SearchLimits,
        contempt: u8,
        expected: u32,
    ) -> (Move, Progress) {
        let last = LastReport::default();
        let mut task = Task::new(root.legal_moves(), &last);
        (task.limits, task.opponent.expected) = (limits, expected);
        task.options.contempt = contempt;
        let mv = Lodestone::with_hash(4).unwrap().search(root, &task);
        (mv, last.into_inner().unwrap())
    }

    /// The result of a line, which is legal, for the side to move; `None` if it does not reach the end.
    fn points_of<G: Game>(root: &G, line: &[Move]) -> Option<i32> {
        let end = line.iter().fold(*root, |position, &mv| {
            assert!(position.legal_moves().contains(&mv));
            position.play(mv)
        });
        end.outcome()
            .map(|outcome| outcome.points_for(root.side_to_move()))
    }

    /// The points of the first player, with this contempt and 100,000 nodes, from a placement that is
    /// lost for it, against the player that searches four plies.
    fn points_against_mobility(contempt: u8) -> i32 {
        let mut engine = Lodestone::with_hash(4).unwrap();
        let mut opponent = FixedDepth::new(&Gridlock::REFERENCE_PLAYERS[0]);
        let mut position = Gridlock::from_fen(LOST).unwrap();
        let mut played = Vec::new();
        let last = LastReport::default();
        while position.outcome().is_none() {
            let mut task = Task::new(position.legal_moves(), &last);
            let to_move: &mut dyn Searcher<Gridlock> = match position.side_to_move() {
                Side::First => {
                    task.opponent = shallow_opponent(&played);
                    task.limits = SearchLimits::nodes(100_000);
                    task.options.contempt = contempt;
                    &mut engine
                }
                Side::Second => &mut opponent,
            };
            let mv = to_move.search(&position, &task);
            played.push((position, mv));
            position = position.play(mv);
        }
        position.outcome().unwrap().points_for(Side::First)
    }

    /// With one million nodes a move, the second player wins against 100,000 nodes.
    const LOST: &str = "xx1x2x/4o1o/1x5/ox4o/4o2/1ox4/1x1o2o x 0 20";

    #[test]
    fn an_opponent_that_moved_as_expected_is_beaten_from_an_even_position() {
        let root = Gridlock::from_fen("7/7/1o1xx1x/oo1o2x/2x3x/o3oo1/x3xo1 x 0 20").unwrap();
        let points = [0, 3].map(|expected| {
            let (_, report) = search(&root, SearchLimits::nodes(60_000), 30, expected);
            points_of(&root, &report.line)
        });
        assert_eq!(points, [None, Some(1)]);
    }

    #[test]
    fn a_drawn_position_is_won_against_an_opponent_that_moved_as_expected() {
        let fen = "oxo3ox/6xo/xxxoxoxo/oxoxoxox/2ooxoxx/xooxoxox/6ox/5oxo x";
        let root = MagneticCave::from_fen(fen).unwrap();
        let points = [0, 9].map(|expected| {
            let (mv, report) = search(&root, SearchLimits::nodes(100_000), 30, expected);
            assert_eq!((report.score, report.line[0]), (Score::Draw, mv));
            points_of(&root, &report.line)
        });
        assert_eq!(points[1], Some(1));
        assert_ne!(points[0], Some(1));
    }

    /// A draw in which the first line that wins against `groups` begins with a move that loses.
    const TEMPTING: &str = "7x/xoxoxoo1/1xxoxoxo/2xoxoxo/ooxoxox1/8/xoxox3/ooxo2xx o";

    #[test]
    fn the_moves_of_a_swindle_are_the_line_that_is_shown() {
        let root = Gridlock::from_fen(LOST).unwrap();
        let (mv, report) = search(&root, SearchLimits::nodes(100_000), 30, 0);
        assert_eq!(report.line.first(), Some(&mv));
        let points = points_of(&root, &report.line);
        assert!(points.is_some_and(|points| points >= 0), "{points:?}");
    }

    #[test]
    fn analysis_plays_for_no_mistakes() {
        let root = Gridlock::from_fen(LOST).unwrap();
        let [none, full] = [0, 100].map(|contempt| search(&root, SearchLimits::depth(8), contempt, 0));
        assert_eq!(none, full);
    }

    /// The last moves of a game in which the second player made this many other moves, then this
    /// many expected ones.
    fn game(others: usize, expected: usize) -> Vec<(Gridlock, Move)> {
        let mut position = Gridlock::startpos();
        let mut played = Vec::new();
        for number in 0..2 * (others + expected) {
            let reply = position.shallow_reply(0, &mut 0);
            let moves = position.legal_moves();
            let is_expected = number % 2 == 1 && number >= 2 * others;
            let mut candidates = moves.iter().copied();
            let mv = candidates.find(|&mv| (reply == Some(mv)) == is_expected).unwrap();
            played.push((position, mv));
            position = position.play(mv);
        }
        played
    }

    #[test]
    fn the_model_that_fits_the_moves_is_found() {
        for model in 0..MagneticCave::MODELS {
            let mut position = MagneticCave::startpos();
            let mut played = Vec::new();
            for number in 0..24 {
                let moves = position.legal_moves();
                let mv = match number % 2 {
                    0 => moves[moves.len() / 2],
                    _ => position.shallow_reply(model, &mut 0).unwrap(),
                };
                played.push((position, mv));
                position = position.play(mv);
            }
            let expected = MagneticCave::LIMITS.most_expected() as u32;
            assert_eq!(shallow_opponent(&played), ShallowOpponent { model, expected });
        }
    }

    /// Continues a game from this position, with this many replies so far: only the first of these
    /// models expects the first reply, both expect the others. Returns false if there is none.
    fn play_as_both(
        models: [usize; 2],
        replies: usize,
        end: MagneticCave,
        played: &mut Vec<(MagneticCave, Move)>,
    ) -> bool {
        if replies > MagneticCave::LIMITS.most_expected() {
            return true;
        }
        for &mv in end.legal_moves().iter() {
            let next = end.play(mv);
            let [Some(reply), other] = models.map(|model| next.shallow_reply(model, &mut 0)) else {
                continue;
            };
            if (other == Some(reply)) == (replies > 0) {
                played.extend([(end, mv), (next, reply)]);
                if play_as_both(models, replies + 1, next.play(reply), played) {
                    return true;
                }
                played.truncate(2 * replies);
            }
        }
        false
    }

    #[test]
    fn earlier_moves_decide_between_models_that_fit_the_last_ones() {
        let start = MagneticCave::from_fen("xo6/o7/8/8/8/8/x7/xo6 x").unwrap();
        for models in [[0, 2], [2, 0]] {
            let mut played = Vec::new();
            assert!(play_as_both(models, 0, start, &mut played));
            let expected = MagneticCave::LIMITS.most_expected() as u32;
            let model = models[0];
            assert_eq!(shallow_opponent(&played), ShallowOpponent { model, expected });
        }
    }

    #[test]
    fn expected_moves_count_from_the_last_one() {
        assert_eq!(shallow_opponent::<Gridlock>(&[]), ShallowOpponent::default());
        let counts = [(0, 1), (1, 0), (3, 2), (2, 4), (0, 9)];
        let counted = counts.map(|(others, expected)| shallow_opponent(&game(others, expected)).expected);
        assert_eq!(counted, [1, 0, 2, 4, 5]);
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn a_lost_game_is_saved_against_a_shallow_opponent() {
            assert_eq!(points_against_mobility(0), -1);
            assert!(points_against_mobility(30) >= 0);
        }

        #[test]
        #[ignore = "slow: .ci/run"]
        fn no_line_gives_away_a_proven_draw() {
            let positions = include_str!("../../research/benches/kept.txt").lines();
            let drawn = positions.filter_map(|line| line.strip_prefix("0: "));
            let mut lines = 0;
            for fen in [TEMPTING].into_iter().chain(drawn.step_by(8)) {
                let root = MagneticCave::from_fen(fen).unwrap();
                let (mv, report) = search(&root, SearchLimits::nodes(40_000), 30, 9);
                if report.score == Score::Draw && points_of(&root, &report.line) == Some(1) {
                    lines += 1;
                    let (_, next) = search(&root.play(mv), SearchLimits::default(), 30, 0);
                    assert_eq!(next.score, Score::Draw, "{fen}");
                }
            }
            assert!(lines > 3, "{lines}");
        }
    }
}
