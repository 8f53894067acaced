//! A proven result is a true one: small endings, searched by lodestone and by
//! plain minimax over the rules alone.

use std::cell::RefCell;
use std::collections::HashMap;

use lodestone::board::Move;
use lodestone::game::gridlock::Gridlock;
use lodestone::game::magnetic_cave::MagneticCave;
use lodestone::game::{Evaluate, Game, Setup};
use lodestone::random::Random;
use lodestone::score::Score;
use lodestone::search::table::Table;
use lodestone::search::{Bounds, Lodestone, Observer, Progress, StopToken, Task, Thinker};

/// The true result for the side to move: the sign says who wins, the size how
/// soon, as 1000 minus the plies to the end; 0 is a tie.
fn minimax<G: Game>(position: &G, known: &mut HashMap<String, i32>) -> i32 {
    if let Some(outcome) = position.outcome() {
        return outcome.points_for(position.side_to_move()) * 1000;
    }
    let fen = position.fen();
    if let Some(&value) = known.get(&fen) {
        return value;
    }
    let moves = position.legal_moves();
    let values = moves.iter().map(|&one| {
        let value = -minimax(&position.play(one), known);
        value - value.signum()
    });
    let value = values.max().unwrap();
    known.insert(fen, value);
    value
}

#[derive(Default)]
struct Last(RefCell<Option<Progress>>);

impl Observer for Last {
    fn publish(&self, _: Move) {}
    fn report(&self, progress: Progress) {
        self.0.replace(Some(progress));
    }
}

/// Searches `root` to `depth` and compares what is claimed with the truth.
/// Whether anything was proven.
fn is_proven_and_true<G: Evaluate>(root: &G, depth: Option<u32>, known: &mut HashMap<String, i32>) -> bool {
    let last = Last::default();
    let task = Task {
        moves: root.legal_moves(),
        bounds: Bounds {
            depth,
            ..Bounds::default()
        },
        stop: StopToken::default(),
        observer: &last,
    };
    let best = Lodestone::new(Table::new(1).unwrap()).think(root, &task);
    let truth = minimax(root, known);
    let claim = last.0.take().unwrap().score;
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
