//! Compares the engine's rules with the naive twin: on thousands of random boards,
//! many of them unreachable, and in random games.

use std::collections::BTreeSet;

use lodestone::game::gridlock::Gridlock;
use lodestone::game::magnetic_cave::MagneticCave;
use lodestone::game::{Game, MoveError, Variant, perft};
use lodestone::with_game;

use super::{at, rules, words};
use naive::positions::{
    TestRandom, crowded, misspelt, random_game, scattered, scattered_bricks, scattered_pieces,
};
use naive::{Position, Rules};

/// Counts what a sample of positions contained, so that a test can assert its
/// coverage.
#[derive(Default)]
struct Coverage {
    allowed: u32,
    rejected: u32,
    outcomes: BTreeSet<String>,
}

impl Coverage {
    /// Asserts that both implementations reject `fen`, or agree on the position.
    fn compare_fen<G: Game>(&mut self, fen: &str) {
        match (G::from_fen(fen), Position::parse(rules::<G>(), fen)) {
            (Ok(position), Some(twin)) => self.compare(&position, &twin),
            (Err(_), None) => self.rejected += 1,
            (Ok(_), None) => panic!("only the twin rejects {fen}"),
            (Err(error), Some(_)) => panic!("the twin accepts {fen}: {error}"),
        }
    }

    /// Asserts that both implementations agree on a position: FEN, side to move,
    /// outcome, moves, the positions after them, and perft.
    fn compare<G: Game>(&mut self, position: &G, twin: &Position) {
        let fen = twin.fen();
        assert_eq!(position.fen(), fen);
        assert_eq!(position.side_to_move().letter(), twin.side_to_move(), "{fen}");
        assert_eq!(position.plies_left() as usize, twin.moves_left(), "{fen}");
        let outcome = twin
            .outcome()
            .map(|(result, reason)| format!("{result} {reason}"));
        assert_eq!(words(position.outcome()), outcome, "{fen}");
        let moves = position.legal_moves();
        assert!(
            moves.windows(2).all(|pair| pair[0] < pair[1]),
            "not in order: {moves:?} in {fen}"
        );
        let mut texts: Vec<String> = moves.iter().map(|&mv| G::move_text(mv)).collect();
        texts.sort();
        assert_eq!(texts, twin.legal_moves(), "{fen}");
        for text in &texts {
            let played = position.play(position.parse_move(text).expect(text));
            assert_eq!(played.fen(), twin.play(text).unwrap().fen(), "{text} in {fen}");
        }
        compare_perft(position, twin);
        self.allowed += 1;
        self.outcomes
            .insert(outcome.unwrap_or_else(|| "unfinished".to_string()));
    }

    /// Compares every position of a random game from `start`.
    fn compare_game<G: Game>(&mut self, start: Position, random: &mut TestRandom) {
        let mut position = at::<G>(&start.fen());
        for pair in random_game(start, random).windows(2) {
            self.compare(&position, &pair[0]);
            let next = pair[1].fen();
            let mv = position
                .legal_moves()
                .iter()
                .copied()
                .find(|&mv| position.play(mv).fen() == next);
            position = position.play(mv.expect(&next));
        }
        self.compare_fen::<G>(&position.fen());
    }
}

/// Compares perft of 1 to 3 plies, up to 300 move sequences: the twin is slow.
fn compare_perft<G: Game>(position: &G, twin: &Position) {
    for depth in 1..=3 {
        let count = perft(position, depth);
        if count > 300 {
            return;
        }
        assert_eq!(count, twin.perft(depth), "perft {depth} of {}", twin.fen());
    }
}

/// Asserts that the engine accepts exactly those of `texts` that the twin calls legal.
fn assert_only_legal_moves<G: Game>(fen: &str, texts: &[String]) {
    let position = at::<G>(fen);
    let legal = Position::parse(rules::<G>(), fen).unwrap().legal_moves();
    for text in texts {
        match position.parse_move(text) {
            Ok(mv) => assert!(
                legal.contains(text) && G::move_text(mv) == *text,
                "{text} in {fen}"
            ),
            Err(MoveError::Illegal(_)) => assert!(!legal.contains(text), "{text} in {fen}"),
            Err(error) => panic!("{text} in {fen}: {error}"),
        }
    }
}

/// The names of all cells, from `a1` to `last_letter` and `last_digit`.
fn cell_names(last_letter: char, last_digit: u32) -> Vec<String> {
    let letters = 'a'..=last_letter;
    letters
        .flat_map(|letter| (1..=last_digit).map(move |digit| format!("{letter}{digit}")))
        .collect()
}

#[test]
fn every_game_matches_its_twin() {
    fn random_games<G: Game>() -> Coverage {
        let (mut random, mut coverage) = (TestRandom::new(7), Coverage::default());
        for _ in 0..20 {
            coverage.compare_game::<G>(Position::start(rules::<G>()), &mut random);
        }
        assert_eq!(Position::start(rules::<G>()).fen(), G::startpos().fen());
        coverage
    }
    for variant in Variant::ALL {
        let coverage = with_game!(variant, G => random_games::<G>());
        assert!(coverage.outcomes.len() > 1, "{variant}");
    }
}

#[test]
#[ignore = "takes long; .ci/run --long runs it"]
fn magnetic_cave_boards_match_the_twin() {
    let (mut random, mut coverage) = (TestRandom::new(1), Coverage::default());
    for _ in 0..4000 {
        coverage.compare_fen::<MagneticCave>(&scattered_bricks(&mut random));
    }
    for _ in 0..1500 {
        let bricks = random.between(20, 64);
        let position = crowded(bricks, &mut random);
        coverage.compare_fen::<MagneticCave>(&position.fen());
    }
    assert!(
        coverage.allowed > 3000 && coverage.rejected > 500,
        "{} {}",
        coverage.allowed,
        coverage.rejected
    );
    let outcomes: Vec<&str> = coverage.outcomes.iter().map(String::as_str).collect();
    assert_eq!(outcomes, ["0-1 five", "1-0 five", "1/2-1/2 full", "unfinished"]);
}

#[test]
#[ignore = "takes long; .ci/run --long runs it"]
fn magnetic_cave_games_match_the_twin() {
    let (mut random, mut coverage) = (TestRandom::new(2), Coverage::default());
    for _ in 0..150 {
        coverage.compare_game::<MagneticCave>(Position::start(Rules::MagneticCave), &mut random);
    }
    for _ in 0..100 {
        let bricks = random.between(4, 60);
        let start = crowded(bricks, &mut random);
        coverage.compare_game::<MagneticCave>(start, &mut random);
    }
    let outcomes: Vec<&str> = coverage.outcomes.iter().map(String::as_str).collect();
    assert_eq!(outcomes, ["0-1 five", "1-0 five", "1/2-1/2 full", "unfinished"]);
}

#[test]
#[ignore = "takes long; .ci/run --long runs it"]
fn gridlock_boards_match_the_twin() {
    let (mut random, mut coverage) = (TestRandom::new(3), Coverage::default());
    for _ in 0..4000 {
        coverage.compare_fen::<Gridlock>(&scattered_pieces(&mut random));
    }
    for _ in 0..300 {
        // Unequal counts, or no pieces.
        let (xs, os) = (random.below(24), random.below(24));
        coverage.compare_fen::<Gridlock>(&scattered(Rules::Gridlock, (xs, os), "o 3 9", &mut random));
    }
    assert!(
        coverage.allowed > 4000 && coverage.rejected > 250,
        "{} {}",
        coverage.allowed,
        coverage.rejected
    );
    let outcomes: Vec<&str> = coverage.outcomes.iter().map(String::as_str).collect();
    let mobility = ["0-1 mobility", "1-0 mobility", "1/2-1/2 mobility"];
    let expected = [
        "0-1 blocked",
        mobility[0],
        "1-0 blocked",
        mobility[1],
        mobility[2],
        "unfinished",
    ];
    assert_eq!(outcomes, expected);
}

#[test]
#[ignore = "takes long; .ci/run --long runs it"]
fn gridlock_games_match_the_twin() {
    let (mut random, mut coverage) = (TestRandom::new(4), Coverage::default());
    for game in 0..240 {
        let pieces = game % 24 + 1;
        let side = random.choose(&["x", "o"]);
        let limit = random.between(1, 60);
        let rest = format!("{side} {} {limit}", random.below(limit + 1));
        let fen = scattered(Rules::Gridlock, (pieces, pieces), &rest, &mut random);
        coverage.compare_game::<Gridlock>(Position::parse(Rules::Gridlock, &fen).unwrap(), &mut random);
    }
    assert_eq!(coverage.outcomes.len(), 6, "{:?}", coverage.outcomes);
}

#[test]
fn only_legal_moves_can_be_played() {
    let mut random = TestRandom::new(5);
    let cells = cell_names('h', 8);
    for _ in 0..400 {
        let bricks = random.below(64);
        assert_only_legal_moves::<MagneticCave>(&crowded(bricks, &mut random).fen(), &cells);
    }
    let cells = cell_names('g', 7);
    let slides: Vec<String> = cells
        .iter()
        .flat_map(|from| cells.iter().map(move |to| format!("{from}{to}")))
        .collect();
    for _ in 0..200 {
        assert_only_legal_moves::<Gridlock>(&scattered_pieces(&mut random), &slides);
    }
}

#[test]
#[ignore = "takes seconds; .ci/run runs it"]
fn rejects_the_misspelt_fens_that_the_twin_rejects() {
    let (mut random, mut coverage) = (TestRandom::new(6), Coverage::default());
    for _ in 0..4000 {
        let bricks = random.below(40);
        coverage.compare_fen::<MagneticCave>(&misspelt(&crowded(bricks, &mut random).fen(), &mut random));
        coverage.compare_fen::<Gridlock>(&misspelt(&scattered_pieces(&mut random), &mut random));
    }
    assert!(
        coverage.allowed > 100 && coverage.rejected > 4000,
        "{} {}",
        coverage.allowed,
        coverage.rejected
    );
}
