//! Compares the engine's rules with the naive twin: on thousands of random boards,
//! many of them unreachable, and in random games.

use std::collections::BTreeSet;

use lodestone_game::board::Cell;
use lodestone_game::gridlock::Gridlock;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::with_game;
use lodestone_game::{Game, MoveError, Variant, perft};

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
            assert!(
                played.plies_left() < position.plies_left(),
                "{text} in {fen}: plies_left"
            );
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
    // A piece can be chosen if it has a move.
    for from in texts.iter().filter(|_| G::INFO.slides).map(|text| &text[..2]) {
        let has_move = legal.iter().any(|text| text.starts_with(from));
        assert_eq!(position.parse_piece(from).is_ok(), has_move, "{from} in {fen}");
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
    fn random_games<G: Game>() {
        let (mut random, mut coverage) = (TestRandom::new(7), Coverage::default());
        for _ in 0..20 {
            coverage.compare_game::<G>(Position::start(rules::<G>()), &mut random);
        }
        assert_eq!(Position::start(rules::<G>()).fen(), G::startpos().fen());
        assert!(coverage.outcomes.len() > 1, "{}", G::INFO.name);
    }
    for variant in Variant::ALL {
        with_game!(variant, G => random_games::<G>());
    }
}

/// The positions that a game names in its facts, with the moves that lead on from them.
fn named_positions<G: Game>() -> Vec<(&'static str, &'static [&'static str])> {
    let info = G::INFO;
    let fens = info.samples.fens.iter().chain(info.samples.only_moves).copied();
    let fens = fens
        .chain(info.bench.iter().map(|&(fen, _)| fen))
        .chain([info.example.0]);
    let fens = fens.map(|fen| (fen, &[] as &[&str]));
    fens.chain(info.samples.finished.iter().copied()).collect()
}

#[test]
fn named_positions_of_every_game_match_its_twin_and_reach_every_end() {
    fn check<G: Game>() {
        let mut coverage = Coverage::default();
        for (start, moves) in named_positions::<G>() {
            let start = if start == "startpos" {
                rules::<G>().start()
            } else {
                start
            };
            let mut twin = Position::parse(rules::<G>(), start).expect(start);
            let mut position = at::<G>(start);
            coverage.compare(&position, &twin);
            for text in moves {
                position = position.play(position.parse_move(text).expect(text));
                twin = twin.play(text).expect(text);
                coverage.compare(&position, &twin);
            }
        }
        for reason in G::INFO.end_reasons {
            let ends = |outcome: &String| outcome.ends_with(&format!(" {reason}"));
            let (name, found) = (G::INFO.name, &coverage.outcomes);
            assert!(
                found.iter().any(ends),
                "{name}: no sample ends by `{reason}`: {found:?}"
            );
        }
    }
    for variant in Variant::ALL {
        with_game!(variant, G => check::<G>());
    }
}

/// All texts that look like a move: each cell, or each two cells.
fn move_texts<G: Game>() -> Vec<String> {
    let (rows, columns) = (G::INFO.rows.len() as u8, G::INFO.columns.len() as u8);
    let cells: Vec<String> = (0..rows)
        .flat_map(|row| (0..columns).map(move |column| G::cell_text(Cell::new(row, column))))
        .collect();
    if !G::INFO.slides {
        return cells;
    }
    cells
        .iter()
        .flat_map(|from| cells.iter().map(move |to| format!("{from}{to}")))
        .collect()
}

#[test]
fn only_legal_moves_of_every_game_can_be_played() {
    fn check<G: Game>() {
        let (mut random, texts) = (TestRandom::new(8), move_texts::<G>());
        for _ in 0..5 {
            let game = random_game(Position::start(rules::<G>()), &mut random);
            // The last position is finished.
            for position in game.iter().rev().step_by(5) {
                assert_only_legal_moves::<G>(&position.fen(), &texts);
            }
        }
        for (fen, _) in named_positions::<G>()
            .iter()
            .filter(|(fen, _)| *fen != "startpos")
        {
            assert_only_legal_moves::<G>(fen, &texts);
        }
    }
    for variant in Variant::ALL {
        with_game!(variant, G => check::<G>());
    }
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

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
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
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
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
    #[ignore = "long: .ci/run --long"]
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
    #[ignore = "long: .ci/run --long"]
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
    #[ignore = "long: .ci/run --long"]
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
}
