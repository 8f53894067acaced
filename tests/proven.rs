//! A proven result is a true one: small endings, searched by lodestone and by
//! plain minimax over the rules alone.

use std::collections::HashMap;
use std::hash::Hash;

use lodestone::board::Move;
use lodestone::game::gridlock::Gridlock;
use lodestone::game::magnetic_cave::MagneticCave;
use lodestone::game::{Evaluate, Forced, Game, Setup};
use lodestone::random::Random;
use lodestone::score::Score;
use lodestone::search::table::Table;
use lodestone::search::{Bounds, LastReport, Lodestone, Task, Thinker};

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
    let values = moves.iter().map(|&one| {
        let value = -minimax(&position.play(one), known);
        value - value.signum()
    });
    let value = values.max().unwrap();
    known.insert(*position, value);
    value
}

/// What a search of `root` to `depth` says of it, and its move.
fn searched<G: Evaluate>(root: &G, depth: Option<u32>) -> (Score, Move) {
    let last = LastReport::default();
    let task = Task {
        bounds: Bounds {
            depth,
            ..Bounds::default()
        },
        ..Task::new(root.legal_moves(), &last)
    };
    let best = Lodestone::new(Table::new(1).unwrap()).think(root, &task);
    let progress = last.into_inner().unwrap();
    // The line can be played, and begins with the move.
    let mut position = *root;
    for &one in &progress.line {
        assert!(
            position.legal_moves().contains(&one),
            "{}: {:?}",
            root.fen(),
            progress.line
        );
        position = position.play(one);
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
        Score::Judged(_) => {}
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

#[test]
fn endings_of_magnetic_cave() {
    let mut random = Random::new(12);
    let (mut exact, mut shallow, mut games) = (0, 0, 0);
    while games < 400 {
        let plies = 6 + random.below(6) as u32;
        let Some(root) = ending(MagneticCave::startpos(), plies, &mut random) else {
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

/// Positions that an exact search does not tell apart have the same result, and
/// the moves that it leaves out are no better than those that it tries.
#[test]
fn what_an_exact_search_does_not_tell_apart_is_the_same() {
    let mut random = Random::new(15);
    let mut results: HashMap<u64, (MagneticCave, i32)> = HashMap::new();
    let (mut merged, mut left_out) = (0, 0);
    for _ in 0..150 {
        let plies = 7 + random.below(4) as u32;
        let Some(root) = ending(MagneticCave::startpos(), plies, &mut random) else {
            continue;
        };
        let mut known = HashMap::new();
        minimax(&root, &mut known);
        for (position, truth) in known.clone() {
            let (glance, outlook) = (position.glance(), position.outlook());
            let (first, result) = *results
                .entry(position.exact_key(&outlook))
                .or_insert((position, truth));
            assert_eq!(truth, result, "{} and {}", first.fen(), position.fen());
            merged += u32::from(first != position);
            if position.forced(&glance) != Forced::Nothing {
                continue;
            }
            let moves = position.exact_candidates(&glance, &outlook);
            let best = moves.iter().map(|&one| {
                let value = -minimax(&position.play(one), &mut known);
                value - value.signum()
            });
            assert_eq!(best.max(), Some(truth), "{}", position.fen());
            left_out += u32::from(moves.len() < position.candidates(&glance).len());
        }
    }
    assert!(merged > 10_000 && left_out > 1_000, "{merged}, {left_out}");
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
                Score::Judged(_) => {}
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
        let start = Gridlock::draw_start(setup, &mut random);
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
