//! Proven results are correct: small endgames, compared with plain minimax over the rules.

use std::collections::HashMap;
use std::hash::Hash;

use lodestone::board::{Move, Side};
use lodestone::game::gridlock::Gridlock;
use lodestone::game::magnetic_cave::MagneticCave;
use lodestone::game::{Evaluate, Forced, Game, Setup, SolverPosition};
use lodestone::random::Random;
use lodestone::score::Score;
use lodestone::search::table::TranspositionTable;
use lodestone::search::{LastReport, Lodestone, SearchLimits, SearchOptions, Searcher, Task};

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
fn search<G: Evaluate>(root: &G, depth: Option<u32>) -> (Score, Move) {
    let last = LastReport::default();
    let task = Task {
        limits: SearchLimits {
            depth,
            ..SearchLimits::default()
        },
        options: SearchOptions::without_contempt(),
        ..Task::new(root.legal_moves(), &last)
    };
    let best = Lodestone::new(TranspositionTable::new(1).unwrap()).search(root, &task);
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
    assert_eq!(progress.line.first(), Some(&best), "{}", root.fen());
    (progress.score, best)
}

/// Searches `root` to `depth` and compares a proven score with minimax. Returns whether the
/// score was proven.
fn check_proven<G: Evaluate + Hash>(root: &G, depth: Option<u32>, results: &mut HashMap<G, i32>) -> bool {
    let (score, best) = search(root, depth);
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

/// The environment variable `ENDGAMES` sets the number, 400 by default.
#[test]
fn proves_correct_results_in_endgames_of_magnetic_cave() {
    let count = std::env::var("ENDGAMES").map_or(400, |text| text.parse().unwrap());
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

/// Endgames from games of the engine, too large for minimax.
#[test]
fn agrees_with_a_second_solver_in_endgames_from_play() {
    let mut random = Random::new(17);
    let mut counts = [0; 3];
    for game in 0..60 {
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
        let truth = alpha_beta(&root, (-1, 1), &mut HashMap::new());
        let (score, best) = search(&root, None);
        let result = match score {
            Score::Win(_) => 1,
            Score::Draw => 0,
            Score::Loss(_) => -1,
            Score::Cp(_) => panic!("{}: {score}", root.fen()),
        };
        assert_eq!(result, truth, "{}", root.fen());
        let after = -alpha_beta(&root.play(best), (-1, 1), &mut HashMap::new());
        assert_eq!(after, truth, "{}: {best:?}", root.fen());
        counts[(truth + 1) as usize] += 1;
    }
    assert!(counts.iter().all(|&count| count > 2), "{counts:?}");
}

/// Positions with the same solver key have the same result, and moves that the solver
/// skips are no better than those that it tries.
#[test]
fn equivalent_positions_have_the_same_result() {
    let mut classes: HashMap<u64, (MagneticCave, i32)> = HashMap::new();
    let (mut merged, mut skipped) = (0, 0);
    for_small_endgames(15, 150, random_endgame, |position, truth, results| {
        let solver_position = position.solver_position();
        let (first, result) = *classes.entry(solver_position.key()).or_insert((*position, truth));
        assert_eq!(truth, result, "{} and {}", first.fen(), position.fen());
        merged += u32::from(first != *position);
        if solver_position.forced() != Forced::Nothing {
            return;
        }
        let (mut best, mut count) = (i32::MIN, 0);
        solver_position.moves(|mv, _| {
            let value = -minimax(&position.play(mv), results);
            best = best.max(value - value.signum());
            count += 1;
        });
        assert_eq!(best, truth, "{}", position.fen());
        skipped += u32::from(count < position.candidates(&position.node_info()).len());
    });
    assert!(merged > 10_000 && skipped > 1_000, "{merged}, {skipped}");
}

#[test]
fn static_bounds_are_correct() {
    let (mut held, mut won) = ([0; 2], [0; 2]);
    for_small_endgames(16, 3000, wide_gaps, |position, truth, _| {
        let solver_position = position.solver_position();
        if solver_position.forced() != Forced::Nothing {
            return;
        }
        for side in Side::BOTH {
            let result = if side == position.side_to_move() {
                truth
            } else {
                -truth
            };
            if solver_position.can_be_held(side) {
                assert!(result <= 0, "{}: {side:?} can be held", position.fen());
                held[side.index()] += 1;
            }
            if solver_position.is_won(side) {
                assert!(result > 0, "{}: {side:?} is won", position.fen());
                won[side.index()] += 1;
            }
        }
    });
    assert!(held.iter().all(|&count| count > 10_000), "{held:?}");
    assert!(won.iter().all(|&count| count > 100), "{won:?}");
}

/// Calls `visit` with each unfinished position reachable from `count` small endgames, its
/// exact result, and the cache of all results.
fn for_small_endgames(
    seed: u64,
    count: u32,
    sample: impl Fn(&mut Random) -> Option<MagneticCave>,
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

/// The reference is the solver, which is compared with minimax above.
#[test]
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
                Score::Win(_) => assert!(matches!(truth, Score::Win(_)), "{}: {score}, {truth}", root.fen()),
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
