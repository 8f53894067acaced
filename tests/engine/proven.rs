//! Proven results are correct: small endgames, compared with plain minimax over the rules.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;

use lodestone::game::Evaluate;
use lodestone::game::magnetic_cave::solver_position::{Choice, SolverPosition};
use lodestone::game::magnetic_cave::{ProofOrdering, ProofSearch, proves_win};
use lodestone::search::{LastReport, Lodestone, RootStrategy, SearchLimits, SearchOptions, Searcher, Task};
use lodestone_game::board::{Bitboard, Move, Side};
use lodestone_game::gridlock::Gridlock;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::random::Random;
use lodestone_game::score::Score;
use lodestone_game::with_game;
use lodestone_game::{Game, Setup, Variant};

/// The exact result for the side to move, by minimax: ±(1000 − plies to the end) for a win
/// or loss, 0 for a draw. `results` caches it.
fn minimax<G: Game + Hash>(position: &G, results: &mut HashMap<G, i32>) -> i32 {
    if let Some(outcome) = position.outcome() {
        return outcome.points_for(position.side_to_move()) * 1000;
    }
    if let Some(&value) = results.get(position) {
        return value;
    }
    let moves = position.legal_moves();
    let values = moves.iter().map(|&mv| {
        let value = -minimax(&position.play(mv), results);
        value - value.signum()
    });
    let value = values.max().unwrap();
    results.insert(*position, value);
    value
}

/// The result for the side to move, by alpha-beta over the rules: 1, 0 or −1 if it lies
/// within the window. `results` caches lower and upper bounds.
fn alpha_beta<G: Game + Hash>(
    position: &G,
    (alpha, beta): (i32, i32),
    results: &mut HashMap<G, (i32, i32)>,
) -> i32 {
    if let Some(outcome) = position.outcome() {
        return outcome.points_for(position.side_to_move());
    }
    let (lower, upper) = results.get(position).copied().unwrap_or((-1, 1));
    if lower >= beta || lower == upper {
        return lower;
    }
    if upper <= alpha {
        return upper;
    }
    let mut best = -1;
    for &mv in position.legal_moves().iter() {
        let window = (-beta, -alpha.max(best));
        best = best.max(-alpha_beta(&position.play(mv), window, results));
        if best >= beta.min(upper) {
            break;
        }
    }
    let bounds = if best <= alpha {
        (lower, upper.min(best))
    } else if best >= beta {
        (lower.max(best), upper)
    } else {
        (best, best)
    };
    results.insert(*position, bounds);
    best
}

/// Score and move of a search to `depth`.
fn search<G: RootStrategy>(root: &G, depth: Option<u32>) -> (Score, Move) {
    let limits = SearchLimits {
        depth,
        ..SearchLimits::default()
    };
    search_within(root, limits)
}

/// Score and move of a search with these limits.
fn search_within<G: RootStrategy>(root: &G, limits: SearchLimits) -> (Score, Move) {
    search_with_threads(root, limits, 1)
}

/// Score and move of a search with these limits on this number of threads.
fn search_with_threads<G: RootStrategy>(root: &G, limits: SearchLimits, threads: usize) -> (Score, Move) {
    let last = LastReport::default();
    let is_limited = limits.nodes.is_some();
    let task = Task {
        limits,
        options: SearchOptions {
            threads,
            ..SearchOptions::without_contempt()
        },
        ..Task::new(root.legal_moves(), &last)
    };
    let best = Lodestone::with_hash(1).unwrap().search(root, &task);
    let progress = last.into_inner().unwrap();
    // The principal variation is legal and begins with the move.
    let mut position = *root;
    for &mv in &progress.line {
        assert!(
            position.legal_moves().contains(&mv),
            "{}: {:?}",
            root.fen(),
            progress.line
        );
        position = position.play(mv);
    }
    // A search that a limit stopped can play a move that it has not reported.
    let is_stopped = is_limited && !progress.score.is_proven();
    assert!(
        progress.line.first() == Some(&best) || is_stopped,
        "{}",
        root.fen()
    );
    (progress.score, best)
}

/// Searches `root` to `depth` and compares a proven score with minimax. Returns whether the
/// score was proven.
fn check_proven<G: RootStrategy + Hash>(root: &G, depth: Option<u32>, results: &mut HashMap<G, i32>) -> bool {
    check_score(root, search(root, depth), results)
}

/// Compares a proven score with minimax. Returns whether it was proven.
fn check_score<G: RootStrategy + Hash>(
    root: &G,
    (score, best): (Score, Move),
    results: &mut HashMap<G, i32>,
) -> bool {
    let truth = minimax(root, results);
    let fen = root.fen();
    let plies = 1000 - truth.abs();
    match score {
        Score::Win(limit) => assert!(
            truth > 0 && plies <= limit as i32,
            "{fen}: win {limit}, minimax {truth}"
        ),
        Score::Loss(_) => assert!(truth < 0, "{fen}: {score}, minimax {truth}"),
        Score::Draw => assert_eq!(truth, 0, "{fen}"),
        Score::Cp(_) => {}
    }
    if score.is_proven() {
        // The move keeps the result.
        let after = -minimax(&root.play(best), results);
        assert_eq!(after.signum(), truth.signum(), "{fen}: {}", G::move_text(best));
    }
    score.is_proven()
}

/// Plays random moves from `start` until at most `plies` are left; `None` if the game ends
/// before.
fn random_play<G: Game>(start: G, plies: u32, random: &mut Random) -> Option<G> {
    let mut position = start;
    while position.plies_left() > plies {
        position = position.play(*random.choose(&position.legal_moves())?);
    }
    position.outcome().is_none().then_some(position)
}

/// Whether `side` can force a win within this number of plies.
fn forces_win<G: Game>(position: &G, side: Side, plies: u32) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome.points_for(side) > 0;
    }
    let moves = position.legal_moves();
    let mut after = moves.iter().map(|&mv| position.play(mv));
    plies > 0
        && if position.side_to_move() == side {
            after.any(|next| forces_win(&next, side, plies - 1))
        } else {
            after.all(|next| forces_win(&next, side, plies - 1))
        }
}

#[test]
fn proves_correct_results_near_the_end_of_every_game() {
    fn check<G: RootStrategy>() {
        let mut random = Random::new(22);
        let mut proven = [0; 2];
        for number in 0..150 {
            let mut game = vec![G::random_start(Setup::default(), &mut random)];
            while let Some(&mv) = random.choose(&game[game.len() - 1].legal_moves()) {
                game.push(game[game.len() - 1].play(mv));
            }
            let root = game[game.len().saturating_sub(2 + number % 3)];
            let (mover, fen) = (root.side_to_move(), root.fen());
            let (score, _) = search(&root, Some(4));
            match score {
                Score::Win(plies @ ..4) => {
                    assert!(forces_win(&root, mover, plies), "{fen}: {score}");
                    proven[0] += 1;
                }
                Score::Loss(plies @ ..4) => {
                    assert!(forces_win(&root, mover.opponent(), plies), "{fen}: {score}");
                    proven[1] += 1;
                }
                _ => assert!(!forces_win(&root, mover, 1), "{fen}: {score}"),
            }
        }
        assert!(proven[0] > 20 && proven[1] > 0, "{}: {proven:?}", G::INFO.name);
    }
    for &variant in Variant::ALL {
        with_game!(variant, G => check::<G>());
    }
}

/// The number of endgames of a test: the environment variable `ENDGAMES`, or a default.
fn endgames(default: u32) -> u32 {
    std::env::var("ENDGAMES").map_or(default, |text| text.parse().unwrap())
}

/// A table of proofs that forgets nothing.
#[derive(Default)]
struct Proofs {
    /// By place, the cells and tags of all proofs.
    by_place: HashMap<u64, Vec<(Bitboard, u64)>>,
    ordering: ProofOrdering,
    found: Cell<u64>,
}

impl ProofSearch for Proofs {
    fn enter(&mut self) -> bool {
        true
    }

    fn find(&self, place: u64, tag: impl Fn(Bitboard) -> u64) -> Option<Bitboard> {
        let proofs = self.by_place.get(&place)?;
        let found = proofs.iter().find(|&&(cells, known)| tag(cells) == known)?;
        self.found.set(self.found.get() + 1);
        Some(found.0)
    }

    fn store(&mut self, place: u64, tag: u64, cells: Bitboard, _empty: u32) {
        self.by_place.entry(place).or_default().push((cells, tag));
    }

    fn ordering(&mut self) -> &mut ProofOrdering {
        &mut self.ordering
    }
}

/// One of two threads with a common proof. The other one is simulated: at random it searches a
/// position, or has decided it; then all of its proofs are in the table.
struct OneOfTwo<'a> {
    own: Proofs,
    other: &'a Proofs,
    random: RefCell<Random>,
    is_other_known: Cell<bool>,
    /// How often a move had to wait, and how often the search returned to a decided position.
    waits: Cell<u64>,
    returns: Cell<u64>,
}

impl OneOfTwo<'_> {
    /// Whether an event happens, once in `mean` calls.
    fn happens(&self, mean: u64) -> bool {
        self.random.borrow_mut().below(mean) == 0
    }
}

impl ProofSearch for OneOfTwo<'_> {
    fn enter(&mut self) -> bool {
        true
    }

    fn find(&self, place: u64, tag: impl Fn(Bitboard) -> u64) -> Option<Bitboard> {
        let found = self.own.find(place, &tag);
        found.or_else(|| {
            let is_known = self.is_other_known.get();
            is_known.then(|| self.other.find(place, tag)).flatten()
        })
    }

    fn store(&mut self, place: u64, tag: u64, cells: Bitboard, empty: u32) {
        self.own.store(place, tag, cells, empty);
    }

    fn ordering(&mut self) -> &mut ProofOrdering {
        self.own.ordering()
    }

    fn is_shared(&self, empty: u32) -> bool {
        empty > 2
    }

    fn is_searched(&self, _key: u64) -> bool {
        let is_searched = self.happens(3);
        self.waits.set(self.waits.get() + u64::from(is_searched));
        is_searched
    }

    fn is_decided(&self, _key: u64) -> bool {
        let is_decided = self.happens(8);
        if is_decided {
            self.is_other_known.set(self.happens(2));
        }
        is_decided
    }

    fn set_decided(&self, _key: u64, is_decided: bool) {
        self.returns.set(self.returns.get() + u64::from(!is_decided));
    }
}

/// The result of a position for `side`, given the one for its side to move.
fn result_for(side: Side, position: &MagneticCave, truth: i32) -> i32 {
    if side == position.side_to_move() {
        truth
    } else {
        -truth
    }
}

/// Calls `visit` with each unfinished position reachable from `count` small endgames, its
/// exact result, and the cache of all results.
fn for_small_endgames(
    seed: u64,
    count: u32,
    mut sample: impl FnMut(&mut Random) -> Option<MagneticCave>,
    mut visit: impl FnMut(&MagneticCave, i32, &mut HashMap<MagneticCave, i32>),
) {
    let mut random = Random::new(seed);
    let endgames = std::iter::repeat_with(|| sample(&mut random)).flatten();
    for root in endgames.take(count as usize) {
        let mut results = HashMap::new();
        minimax(&root, &mut results);
        for (position, truth) in results.clone() {
            visit(&position, truth, &mut results);
        }
    }
}

/// An endgame with 7 to 10 empty cells from random play.
fn random_endgame(random: &mut Random) -> Option<MagneticCave> {
    let plies = 7 + random.below(4) as u32;
    random_play(MagneticCave::startpos(), plies, random)
}

/// An endgame with 6 to 10 empty cells, random bricks, and gaps of three or four cells in
/// two or three rows, so that waiting cells and cores occur.
fn wide_gaps(random: &mut Random) -> Option<MagneticCave> {
    let mut gaps = [0; 8];
    for _ in 0..2 + random.below(2) {
        gaps[random.below(8) as usize] = 3 + random.below(2);
    }
    let mut board = String::new();
    let mut left = 64 - gaps.iter().sum::<u64>();
    let mut firsts = left.div_ceil(2);
    let side = if left.is_multiple_of(2) { "x" } else { "o" };
    for (row, gap) in gaps.into_iter().enumerate() {
        let begin = random.below(9 - gap);
        for column in 0..8 {
            if (begin..begin + gap).contains(&column) {
                if column == begin {
                    board.push_str(&gap.to_string());
                }
                continue;
            }
            let first = random.below(left) < firsts;
            firsts -= u64::from(first);
            left -= 1;
            board.push(if first { 'x' } else { 'o' });
        }
        if row < 7 {
            board.push('/');
        }
    }
    let position = MagneticCave::from_fen(&format!("{board} {side}")).ok()?;
    position.outcome().is_none().then_some(position)
}

#[test]
fn proves_correct_results_in_endgames_of_gridlock() {
    let mut random = Random::new(13);
    let (mut solved, mut shallow, mut games) = (0, 0, 0);
    while games < 300 {
        let setup = Setup {
            pieces: 1 + random.below(24) as u32,
            turns: 6,
        };
        let start = Gridlock::random_start(setup, &mut random);
        let plies = if setup.pieces > 3 { 3 } else { 4 };
        let Some(root) = random_play(start, plies, &mut random) else {
            continue;
        };
        games += 1;
        let mut results = HashMap::new();
        solved += u32::from(check_proven(&root, None, &mut results));
        shallow += u32::from(check_proven(&root, Some(2), &mut results));
    }
    assert_eq!(solved, games);
    assert!(shallow > 0);
}

/// With one or two pieces a side, every result is exact, for any turn limit: a move keeps the
/// value, and the value after a move is that of the next position.
#[test]
fn exact_results_with_few_pieces_are_consistent() {
    let mut random = Random::new(14);
    let mut seen = [0; 3];
    for _ in 0..60 {
        let setup = Setup {
            pieces: 1 + random.below(2) as u32,
            turns: 1 + random.below(120) as u32,
        };
        let root = Gridlock::random_start(setup, &mut random);
        let sign = |position: &Gridlock| match position.outcome() {
            Some(outcome) => outcome.points_for(position.side_to_move()),
            None => match search(position, None).0 {
                Score::Win(_) => 1,
                Score::Draw => 0,
                Score::Loss(_) => -1,
                Score::Cp(value) => panic!("{}: cp {value} is not exact", position.fen()),
            },
        };
        let (value, best) = (sign(&root), search(&root, None).1);
        let after = |mv| -sign(&root.play(mv));
        assert_eq!(after(best), value, "{}", root.fen());
        let moves = root.legal_moves();
        assert_eq!(
            moves.iter().map(|&mv| after(mv)).max(),
            Some(value),
            "{}",
            root.fen()
        );
        seen[(value + 1) as usize] += 1;
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

/// A lost position's line ends with the loss that the score announces.
#[test]
fn an_exact_line_ends_as_its_score_says() {
    let mut random = Random::new(15);
    let mut decided = 0;
    while decided < 10 {
        let root = Gridlock::random_start(Setup { pieces: 2, turns: 9 }, &mut random);
        let last = LastReport::default();
        let task = Task::new(root.legal_moves(), &last);
        Lodestone::with_hash(1).unwrap().search(&root, &task);
        let progress = last.into_inner().unwrap();
        let end = progress.line.iter().fold(root, |position, &mv| position.play(mv));
        let points = end.outcome().unwrap().points_for(root.side_to_move());
        match progress.score {
            Score::Win(limit) => assert!(points == 1 && progress.line.len() <= limit as usize),
            Score::Loss(plies) => assert!(points == -1 && progress.line.len() == plies as usize),
            score => assert_eq!((points, score), (0, Score::Draw), "{}", root.fen()),
        }
        decided += points.abs();
    }
}

/// A move back to an earlier position of the game is no progress: among moves of about equal
/// value the engine plays another one, and its score is as if there had been no repetition.
#[test]
fn gridlock_avoids_repetitions_if_another_move_is_about_as_good() {
    let mut random = Random::new(16);
    let mut avoided = 0;
    for _ in 0..20 {
        let root = Gridlock::random_start(Setup { pieces: 4, turns: 60 }, &mut random);
        let search = |earlier: Vec<u64>| {
            let last = LastReport::default();
            let task = Task {
                earlier,
                limits: SearchLimits::depth(4),
                ..Task::new(root.legal_moves(), &last)
            };
            let best = Lodestone::with_hash(1).unwrap().search(&root, &task);
            (best, last.into_inner().unwrap())
        };
        let (best, report) = search(Vec::new());
        let repeated = root.play(best).repetition_key().unwrap();
        let (second_best, second_report) = search(vec![repeated; 3]);
        avoided += u32::from(second_best != best);
        if second_best == best {
            assert_eq!(second_report.score, report.score, "{}", root.fen());
        }
        // A repetition of another position changes nothing.
        let other = root.repetition_key().unwrap();
        let (third_best, third_report) = search(vec![other; 3]);
        assert_eq!(
            (third_best, third_report.score),
            (best, report.score),
            "{}",
            root.fen()
        );
    }
    assert!((5..20).contains(&avoided), "{avoided}");
}

mod slow {
    use super::*;

    /// Moves wait for another thread, and the search returns to positions that it has decided.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn threads_that_share_a_proof_find_the_same_answers() {
        let mut random = Random::new(23);
        let (mut games, mut waits, mut returns) = (0, 0, 0);
        while games < 400 {
            let plies = 18 + random.below(5) as u32;
            let Some(root) = random_play(MagneticCave::startpos(), plies, &mut random) else {
                continue;
            };
            games += 1;
            for attacker in Side::BOTH {
                let mut other = Proofs::default();
                let answer = proves_win(&root, attacker, &mut other);
                let mut one = OneOfTwo {
                    own: Proofs::default(),
                    other: &other,
                    random: RefCell::new(Random::new(games)),
                    is_other_known: Cell::new(false),
                    waits: Cell::new(0),
                    returns: Cell::new(0),
                };
                assert_eq!(
                    proves_win(&root, attacker, &mut one),
                    answer,
                    "{}: {attacker:?}",
                    root.fen()
                );
                waits += one.waits.get();
                returns += one.returns.get();
            }
        }
        assert!(waits > 1000 && returns > 100, "{waits} {returns}");
    }

    /// Positions whose proofs share a tag have the same result, and the moves that the solver
    /// skips are no better than those that it tries.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn equivalent_positions_have_the_same_result() {
        let mut classes: HashMap<u64, (MagneticCave, bool)> = HashMap::new();
        let (mut merged, mut skipped, mut lost) = (0, 0, 0);
        for_small_endgames(15, 150, random_endgame, |position, truth, results| {
            let solver_position = SolverPosition::of(position).unwrap();
            for attacker in Side::BOTH {
                let wins = result_for(attacker, position, truth) > 0;
                let key = solver_position.proof_key(attacker, attacker);
                let tag = solver_position.tag(&key, !Bitboard::EMPTY);
                let (first, won) = *classes.entry(tag).or_insert((*position, wins));
                assert_eq!(wins, won, "{} and {}", first.fen(), position.fen());
                merged += u32::from(first != *position);
            }
            let threats = solver_position.threats();
            let Choice::Moves { cells, .. } = solver_position.choice(&threats) else {
                assert!(truth > 0, "{}", position.fen());
                return;
            };
            let mut values = Vec::new();
            for cell in cells.cells() {
                values.push(-minimax(&position.play(Move::place(cell)), results).signum());
            }
            // Without moves, no side wins if no needs are left.
            let is_decided = Side::BOTH
                .iter()
                .all(|&side| solver_position.needs(side).all().is_empty());
            let best = values.iter().copied().max();
            let expected = if is_decided { 0 } else { -1 };
            assert_eq!(best.unwrap_or(expected), truth.signum(), "{}", position.fen());
            lost += u32::from(values.is_empty() && !is_decided);
            skipped += u32::from(values.len() < position.candidates(&position.node_info()).len());
        });
        assert!(
            merged > 10_000 && skipped > 1_000 && lost > 100,
            "{merged}, {skipped}, {lost}"
        );
    }

    /// Without the nodes for a proof, the search reaches the end of the game with reductions. It
    /// then sees most draws, and results that it calls proven are correct.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_selective_search_reaches_the_end_of_gridlock() {
        let mut random = Random::new(17);
        let (mut seen, mut drawn) = (0, 0);
        for _ in 0..40 {
            let setup = Setup {
                pieces: 5 + random.below(8) as u32,
                turns: 8,
            };
            let root = Gridlock::random_start(setup, &mut random);
            let search = |nodes| {
                let last = LastReport::default();
                let task = Task {
                    limits: SearchLimits {
                        nodes,
                        ..SearchLimits::default()
                    },
                    ..Task::new(root.legal_moves(), &last)
                };
                Lodestone::with_hash(16).unwrap().search(&root, &task);
                last.into_inner().unwrap()
            };
            let (exact, limited) = (search(None).score, search(Some(15_000)));
            assert!(limited.depth <= root.plies_left(), "{}", root.fen());
            match limited.score {
                Score::Cp(value) => {
                    drawn += u32::from(exact == Score::Draw);
                    seen += u32::from(exact == Score::Draw && value == 0);
                }
                score => assert_eq!(score, exact, "{}", root.fen()),
            }
        }
        assert!(drawn > 5 && 2 * seen > drawn, "{seen} of {drawn}");
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn proves_correct_results_in_endgames_of_magnetic_cave() {
        let count = endgames(400);
        let mut random = Random::new(12);
        let (mut solved, mut shallow, mut games) = (0, 0, 0);
        while games < count {
            let root = if games % 2 == 0 {
                let plies = 6 + random.below(6) as u32;
                random_play(MagneticCave::startpos(), plies, &mut random)
            } else {
                wide_gaps(&mut random)
            };
            let Some(root) = root else {
                continue;
            };
            games += 1;
            let mut results = HashMap::new();
            solved += u32::from(check_proven(&root, None, &mut results));
            shallow += u32::from(check_proven(&root, Some(3), &mut results));
        }
        assert_eq!(solved, games);
        assert!(shallow > 20, "{shallow}");
    }

    /// With a node limit, the root moves share the nodes that are left.
    #[test]
    #[ignore = "long: .ci/run --long"]
    fn proves_correct_results_with_a_node_limit() {
        let mut random = Random::new(18);
        let (mut proven, mut games) = (0, 0);
        while games < 500 {
            let plies = 9 + random.below(2) as u32;
            let Some(root) = random_play(MagneticCave::startpos(), plies, &mut random) else {
                continue;
            };
            games += 1;
            let found = search_within(&root, SearchLimits::nodes(10 + random.below(300)));
            proven += u32::from(check_score(&root, found, &mut HashMap::new()));
        }
        assert!((100..500).contains(&proven), "{proven}");
    }

    /// Endgames from games of the engine, too large for minimax.
    #[test]
    #[ignore = "long: .ci/run --long"]
    fn agrees_with_a_second_solver_in_endgames_from_play() {
        let mut random = Random::new(17);
        let mut counts = [0; 3];
        for game in 0..endgames(60) {
            let plies = if game % 10 == 0 { 20 } else { 14 + game % 5 };
            let opening = 4 + random.below(6) as u32;
            let Some(mut root) = random_play(MagneticCave::startpos(), 64 - opening, &mut random) else {
                continue;
            };
            while root.plies_left() > plies && root.outcome().is_none() {
                root = root.play(search(&root, Some(3)).1);
            }
            if root.outcome().is_some() {
                continue;
            }
            let mut results = HashMap::new();
            let truth = alpha_beta(&root, (-1, 1), &mut results);
            for threads in [1, 2, 4] {
                let (score, best) = search_with_threads(&root, SearchLimits::default(), threads);
                let result = match score {
                    Score::Win(_) => 1,
                    Score::Draw => 0,
                    Score::Loss(_) => -1,
                    Score::Cp(_) => panic!("{}: {score}", root.fen()),
                };
                assert_eq!(result, truth, "{}: {threads} threads", root.fen());
                let after = -alpha_beta(&root.play(best), (-1, 1), &mut results);
                assert_eq!(after, truth, "{}: {best:?}, {threads} threads", root.fen());
            }
            // With a node limit, the root moves share the nodes that are left.
            for nodes in [1000, 2000, 4000, 8000] {
                let (score, _) = search_within(&root, SearchLimits::nodes(nodes));
                let result = match score {
                    Score::Win(_) => 1,
                    Score::Draw => 0,
                    Score::Loss(_) => -1,
                    Score::Cp(_) => continue,
                };
                assert_eq!(result, truth, "{}: {score} with {nodes} nodes", root.fen());
            }
            counts[(truth + 1) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| count > 2), "{counts:?}");
    }

    /// The answer of the solver to whether `attacker` wins, for each position of small endgames.
    /// One table holds the proofs of all endgames, so a proof that says more than it should is
    /// found in a position where it is wrong.
    #[test]
    #[ignore = "long: .ci/run --long"]
    fn proofs_hold_wherever_they_are_found() {
        let count = endgames(1000);
        let mut proofs = Proofs::default();
        let mut answers = [[0; 2]; 2];
        let mut random_or_wide = {
            let mut is_wide = false;
            move |random: &mut Random| {
                is_wide = !is_wide;
                if is_wide {
                    wide_gaps(random)
                } else {
                    random_endgame(random)
                }
            }
        };
        for_small_endgames(18, count, &mut random_or_wide, |position, truth, _| {
            for attacker in Side::BOTH {
                let wins = result_for(attacker, position, truth) > 0;
                let answer = proves_win(position, attacker, &mut proofs);
                assert_eq!(answer, Some(wins), "{}: {attacker:?}", position.fen());
                answers[attacker.index()][usize::from(wins)] += 1;
            }
        });
        let found = proofs.found.get();
        println!("{answers:?} answers, {found} proofs found in the table");
        assert!(
            answers.as_flattened().iter().all(|&count| count > 1000),
            "{answers:?}"
        );
        assert!(found > 10_000, "{found}");
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn static_bounds_are_correct() {
        let (mut held, mut won) = ([0; 2], [0; 2]);
        for_small_endgames(16, endgames(3000), wide_gaps, |position, truth, _| {
            let solver_position = SolverPosition::of(position).unwrap();
            let threats = solver_position.threats();
            match solver_position.choice(&threats) {
                Choice::Moves { cells, .. } if cells.count() > 1 => {}
                _ => return,
            }
            for side in Side::BOTH {
                let result = result_for(side, position, truth);
                if solver_position.held(side, &threats).is_some() {
                    assert!(result <= 0, "{}: {side:?} can be held", position.fen());
                    held[side.index()] += 1;
                }
                if solver_position.won(side, &threats).is_some() {
                    assert!(result > 0, "{}: {side:?} is won", position.fen());
                    won[side.index()] += 1;
                }
            }
        });
        assert!(held.iter().all(|&count| count > 10_000), "{held:?}");
        assert!(won.iter().all(|&count| count > 100), "{won:?}");
    }

    /// The reference is the solver, which is compared with minimax above.
    #[test]
    #[ignore = "long: .ci/run --long"]
    fn shallow_searches_prove_correct_results() {
        let mut random = Random::new(14);
        let (mut proven, mut games) = (0, 0);
        while games < 1000 {
            let plies = 14 + random.below(7) as u32;
            let Some(root) = random_play(MagneticCave::startpos(), plies, &mut random) else {
                continue;
            };
            games += 1;
            let (truth, _) = search(&root, None);
            for depth in 2..9 {
                let (score, _) = search(&root, Some(depth));
                proven += u32::from(score.is_proven());
                match score {
                    Score::Win(_) => {
                        assert!(matches!(truth, Score::Win(_)), "{}: {score}, {truth}", root.fen());
                    }
                    Score::Loss(_) => assert!(
                        matches!(truth, Score::Loss(_)),
                        "{}: {score}, {truth}",
                        root.fen()
                    ),
                    Score::Draw => assert_eq!(truth, Score::Draw, "{}", root.fen()),
                    Score::Cp(_) => {}
                }
            }
        }
        assert!(proven > 1000, "{proven}");
    }
}
