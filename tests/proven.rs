//! A proven result is a true one: small endings, searched by lodestone and by
//! plain minimax over the rules alone.

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

/// The true result for the side to move: the sign says who wins, the size how
/// soon, as 1000 minus the plies to the end; 0 is a tie.
fn minimax<G: Game + Hash>(position: &G, known: &mut HashMap<G, i32>) -> i32 {
    if let Some(outcome) = position.outcome() {
        return outcome.points_for(position.side_to_move()) * 1000;
    }
    if let Some(&value) = known.get(position) {
        return value;
    }
    let moves = position.legal_moves();
    let values = moves.iter().map(|&mv| {
        let value = -minimax(&position.play(mv), known);
        value - value.signum()
    });
    let value = values.max().unwrap();
    known.insert(*position, value);
    value
}

/// The result for the side to move, by alpha-beta over the rules alone: 1, 0 or −1
/// where it lies within the window. What is known of a position is the least and
/// the most that its result can be.
fn alpha_beta<G: Game + Hash>(
    position: &G,
    (alpha, beta): (i32, i32),
    known: &mut HashMap<G, (i32, i32)>,
) -> i32 {
    if let Some(outcome) = position.outcome() {
        return outcome.points_for(position.side_to_move());
    }
    let (least, most) = known.get(position).copied().unwrap_or((-1, 1));
    if least >= beta || least == most {
        return least;
    }
    if most <= alpha {
        return most;
    }
    let mut best = -1;
    for &mv in position.legal_moves().iter() {
        let window = (-beta, -alpha.max(best));
        best = best.max(-alpha_beta(&position.play(mv), window, known));
        if best >= beta.min(most) {
            break;
        }
    }
    let bounds = if best <= alpha {
        (least, most.min(best))
    } else if best >= beta {
        (least.max(best), most)
    } else {
        (best, best)
    };
    known.insert(*position, bounds);
    best
}

/// What a search of `root` to `depth` says of it, and its move.
fn searched<G: Evaluate>(root: &G, depth: Option<u32>) -> (Score, Move) {
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
    // The line can be played, and begins with the move.
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

/// Searches `root` to `depth` and compares what is claimed with the truth.
/// Whether anything was proven.
fn is_proven_and_true<G: Evaluate + Hash>(root: &G, depth: Option<u32>, known: &mut HashMap<G, i32>) -> bool {
    let (claim, best) = searched(root, depth);
    let truth = minimax(root, known);
    let fen = root.fen();
    let plies = 1000 - truth.abs();
    match claim {
        Score::Win(most) => assert!(
            truth > 0 && plies <= most as i32,
            "{fen}: win {most}, in truth {truth}"
        ),
        Score::Loss(_) => assert!(truth < 0, "{fen}: {claim}, in truth {truth}"),
        Score::Draw => assert_eq!(truth, 0, "{fen}"),
        Score::Cp(_) => {}
    }
    if claim.is_proven() {
        // The move keeps what was proven.
        let after = -minimax(&root.play(best), known);
        assert_eq!(after.signum(), truth.signum(), "{fen}: {}", G::move_text(best));
    }
    claim.is_proven()
}

/// Random play from `start` until at most `plies` are left; `None` where the
/// game ended before.
fn ending<G: Game>(start: G, plies: u32, random: &mut Random) -> Option<G> {
    let mut position = start;
    while position.plies_left() > plies {
        position = position.play(*random.choose(&position.legal_moves())?);
    }
    position.outcome().is_none().then_some(position)
}

/// `ENDINGS` says how many, 400 where it does not.
#[test]
fn endings_of_magnetic_cave() {
    let count = std::env::var("ENDINGS").map_or(400, |text| text.parse().unwrap());
    let mut random = Random::new(12);
    let (mut exact, mut shallow, mut games) = (0, 0, 0);
    while games < count {
        let root = if games % 2 == 0 {
            let plies = 6 + random.below(6) as u32;
            ending(MagneticCave::startpos(), plies, &mut random)
        } else {
            wide_gaps(&mut random)
        };
        let Some(root) = root else {
            continue;
        };
        games += 1;
        let mut known = HashMap::new();
        exact += u32::from(is_proven_and_true(&root, None, &mut known));
        shallow += u32::from(is_proven_and_true(&root, Some(3), &mut known));
    }
    assert_eq!(exact, games);
    assert!(shallow > 20, "{shallow}");
}

/// Endings as the engine plays into them, larger than minimax can follow.
#[test]
fn endings_from_play_agree_with_a_second_solver() {
    let mut random = Random::new(17);
    let mut results = [0; 3];
    for game in 0..60 {
        let plies = if game % 10 == 0 { 20 } else { 14 + game % 5 };
        let opening = 4 + random.below(6) as u32;
        let Some(mut root) = ending(MagneticCave::startpos(), 64 - opening, &mut random) else {
            continue;
        };
        while root.plies_left() > plies && root.outcome().is_none() {
            root = root.play(searched(&root, Some(3)).1);
        }
        if root.outcome().is_some() {
            continue;
        }
        let truth = alpha_beta(&root, (-1, 1), &mut HashMap::new());
        let (claim, best) = searched(&root, None);
        let claimed = match claim {
            Score::Win(_) => 1,
            Score::Draw => 0,
            Score::Loss(_) => -1,
            Score::Cp(_) => panic!("{}: {claim}", root.fen()),
        };
        assert_eq!(claimed, truth, "{}", root.fen());
        let after = -alpha_beta(&root.play(best), (-1, 1), &mut HashMap::new());
        assert_eq!(after, truth, "{}: {best:?}", root.fen());
        results[(truth + 1) as usize] += 1;
    }
    assert!(results.iter().all(|&count| count > 2), "{results:?}");
}

/// Positions that an exact search does not tell apart have the same result, and
/// the moves that it leaves out are no better than those that it tries.
#[test]
fn what_an_exact_search_does_not_tell_apart_is_the_same() {
    let mut results: HashMap<u64, (MagneticCave, i32)> = HashMap::new();
    let (mut merged, mut left_out) = (0, 0);
    for_small_endings(15, 150, random_ending, |position, truth, known| {
        let ending = position.solver_position();
        let (first, result) = *results.entry(ending.key()).or_insert((*position, truth));
        assert_eq!(truth, result, "{} and {}", first.fen(), position.fen());
        merged += u32::from(first != *position);
        if ending.forced() != Forced::Nothing {
            return;
        }
        let (mut best, mut count) = (i32::MIN, 0);
        ending.moves(|mv, _| {
            let value = -minimax(&position.play(mv), known);
            best = best.max(value - value.signum());
            count += 1;
        });
        assert_eq!(best, truth, "{}", position.fen());
        left_out += u32::from(count < position.candidates(&position.node_info()).len());
    });
    assert!(merged > 10_000 && left_out > 1_000, "{merged}, {left_out}");
}

/// What an exact search sees at a glance is true.
#[test]
fn a_side_that_is_held_does_not_win_and_one_that_has_won_does() {
    let (mut held, mut won) = ([0; 2], [0; 2]);
    for_small_endings(16, 3000, wide_gaps, |position, truth, _| {
        let ending = position.solver_position();
        if ending.forced() != Forced::Nothing {
            return;
        }
        for side in Side::BOTH {
            let result = if side == position.side_to_move() {
                truth
            } else {
                -truth
            };
            if ending.can_be_held(side) {
                assert!(result <= 0, "{}: {side:?} is held", position.fen());
                held[side.index()] += 1;
            }
            if ending.is_won(side) {
                assert!(result > 0, "{}: {side:?} has won", position.fen());
                won[side.index()] += 1;
            }
        }
    });
    assert!(held.iter().all(|&count| count > 10_000), "{held:?}");
    assert!(won.iter().all(|&count| count > 100), "{won:?}");
}

/// Calls `see` with each unfinished position that so many small endings can lead
/// to, its true result, and those of all others.
fn for_small_endings(
    seed: u64,
    count: u32,
    draw: impl Fn(&mut Random) -> Option<MagneticCave>,
    mut see: impl FnMut(&MagneticCave, i32, &mut HashMap<MagneticCave, i32>),
) {
    let mut random = Random::new(seed);
    let endings = std::iter::repeat_with(|| draw(&mut random)).flatten();
    for root in endings.take(count as usize) {
        let mut known = HashMap::new();
        minimax(&root, &mut known);
        for (position, truth) in known.clone() {
            see(&position, truth, &mut known);
        }
    }
}

/// An ending with 7 to 10 empty cells from random play.
fn random_ending(random: &mut Random) -> Option<MagneticCave> {
    let plies = 7 + random.below(4) as u32;
    ending(MagneticCave::startpos(), plies, random)
}

/// An ending with 6 to 10 empty cells, bricks at random, whose empty cells stand
/// together in two or three rows: there are cells in it that nobody wants to open.
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

/// The exact search is compared with minimax above, so it can serve as the truth
/// where minimax would take too long.
#[test]
fn what_a_shallow_search_proves_holds_to_the_end() {
    let mut random = Random::new(14);
    let (mut proven, mut games) = (0, 0);
    while games < 1000 {
        let plies = 14 + random.below(7) as u32;
        let Some(root) = ending(MagneticCave::startpos(), plies, &mut random) else {
            continue;
        };
        games += 1;
        let (truth, _) = searched(&root, None);
        for depth in 2..9 {
            let (claim, _) = searched(&root, Some(depth));
            proven += u32::from(claim.is_proven());
            match claim {
                Score::Win(_) => assert!(matches!(truth, Score::Win(_)), "{}: {claim}, {truth}", root.fen()),
                Score::Loss(_) => assert!(
                    matches!(truth, Score::Loss(_)),
                    "{}: {claim}, {truth}",
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
fn endings_of_gridlock() {
    let mut random = Random::new(13);
    let (mut exact, mut shallow, mut games) = (0, 0, 0);
    while games < 300 {
        let setup = Setup {
            pieces: 1 + random.below(24) as u32,
            turns: 6,
        };
        let start = Gridlock::random_start(setup, &mut random);
        let plies = if setup.pieces > 3 { 3 } else { 4 };
        let Some(root) = ending(start, plies, &mut random) else {
            continue;
        };
        games += 1;
        let mut known = HashMap::new();
        exact += u32::from(is_proven_and_true(&root, None, &mut known));
        shallow += u32::from(is_proven_and_true(&root, Some(2), &mut known));
    }
    assert_eq!(exact, games);
    assert!(shallow > 0);
}
