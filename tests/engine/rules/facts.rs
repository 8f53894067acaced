//! The facts of each game agree with its rules. These tests run for every game in the
//! list, so a new game needs no change here.

use std::collections::HashSet;

use lodestone_game::board::{Bitboard, MoveList};
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::random::Random;
use lodestone_game::{AnyPosition, Game, MoveError, Setup, Variant};

use super::at;

/// All positions of a random game from a random start, the finished one last.
fn random_game(variant: Variant, random: &mut Random) -> Vec<Box<dyn AnyPosition>> {
    let mut position = variant.random_start(Setup::default(), random);
    let mut positions = vec![position.clone()];
    while let Some(&mv) = random.choose(&position.legal_moves()) {
        position.play(mv);
        positions.push(position.clone());
    }
    positions
}

#[test]
fn names_and_labels_are_usable() {
    let mut names = HashSet::new();
    for variant in Variant::ALL {
        let info = variant.info();
        let is_word = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '-';
        assert!(info.name.chars().all(is_word), "{}", info.name);
        assert!(names.insert(info.name), "two games are called {}", info.name);
        let example = variant.parse_fen(info.example.0).expect(info.example.0);
        assert!(
            example.outcome().is_some(),
            "{variant}: the example is not finished"
        );
        assert!(!info.title.is_empty() && !info.summary.ends_with('.'));
        for labels in [info.columns, info.rows] {
            assert!((1..=8).contains(&labels.len()), "{labels}");
            assert!(labels.bytes().all(|label| label.is_ascii_alphanumeric()));
            assert_eq!(labels.chars().collect::<HashSet<_>>().len(), labels.len());
        }
        assert_ne!(info.signs[0], info.signs[1]);
        let sample = variant.startpos().parse_move(info.sample_move);
        assert!(!matches!(sample, Err(MoveError::Malformed(_))), "{sample:?}");
    }
}

#[test]
fn default_opponents_play_their_game() {
    for variant in Variant::ALL {
        let opponent = variant.info().default_opponent;
        assert!(variant.personalities().contains(&opponent), "{variant}");
        // A reference player, or `random`: the level `medium` promises to look four moves ahead.
        assert!(
            !["lodestone", "plain"].contains(&opponent),
            "{variant}: {opponent}"
        );
    }
}

#[test]
fn only_games_with_a_setup_have_random_starts() {
    for variant in Variant::ALL {
        let starts: HashSet<String> = (0..20)
            .map(|seed| {
                variant
                    .random_start(Setup::default(), &mut Random::new(seed))
                    .fen()
            })
            .collect();
        assert_eq!(starts.len() > 1, variant.info().has_setup, "{variant}");
    }
}

#[test]
fn bench_positions_can_be_searched() {
    for variant in Variant::ALL {
        assert!(!variant.info().bench.is_empty(), "{variant}");
        for &(fen, depth) in variant.info().bench {
            let position = variant.parse_fen(fen).expect(fen);
            assert_eq!(position.outcome(), None, "{fen}");
            assert_eq!(position.fen(), fen);
            assert!(depth > 0, "{fen}");
        }
    }
}

#[test]
fn random_games_agree_with_the_facts() {
    for variant in Variant::ALL {
        let (info, mut random) = (variant.info(), Random::new(3));
        let board = Bitboard::corner(info.rows.len() as u32, info.columns.len() as u32);
        let mut reasons = HashSet::new();
        for _ in 0..100 {
            let positions = random_game(*variant, &mut random);
            for position in &positions {
                let fen = position.fen();
                let side = position.side_to_move().letter().to_string();
                assert_eq!(fen.split(' ').nth(1), Some(side.as_str()), "{fen}");
                let [first, second] = position.diagram().pieces;
                assert!(((first | second) & !board).is_empty(), "{fen}");
                assert!((first & second).is_empty(), "{fen}");
                let moves = position.legal_moves();
                assert!(moves.len() < MoveList::CAPACITY, "{fen}");
                for mv in moves.iter() {
                    assert!(board.contains(mv.from()) && board.contains(mv.to()), "{fen}");
                    assert_eq!(mv.from() != mv.to(), info.slides, "{fen}");
                    assert_eq!(position.move_text(*mv).len(), info.sample_move.len(), "{fen}");
                }
            }
            let end = positions.last().unwrap();
            let outcome = end.outcome().unwrap();
            assert!(info.end_reasons.contains(&outcome.reason), "{}", outcome.reason);
            assert!(!end.explain(outcome).is_empty());
            reasons.insert(outcome.reason);
        }
        let mut words: Vec<&str> = info.end_reasons.iter().map(|reason| reason.0).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(
            words.len(),
            info.end_reasons.len(),
            "{variant}: two reasons share a word"
        );
        assert!(!reasons.is_empty() && reasons.len() <= words.len());
    }
}

#[test]
fn the_winning_line_is_highlighted_whole() {
    // Five and six in a row, five in a column, both diagonals.
    for (fen, cells) in [
        ("xxxxx3/oooo4/8/8/8/8/8/8 o", 0b1_1111),
        ("xxxxxx2/oooo4/8/8/8/8/o7/8 o", 0b11_1111),
        ("x7/x7/x7/x7/x7/o7/o7/oo6 o", 0x1_0101_0101),
        ("xo6/oxo5/2x5/3x4/4x3/8/8/7o o", 0x0010_0804_0201 & 0xff_ffff_ffff),
        ("4x3/o2x4/o1x5/ox6/xo6/8/8/8 o", 0x01_0204_0810),
        ("8/8/8/8/8/8/8/8 x", 0),
    ] {
        assert_eq!(at::<MagneticCave>(fen).highlights(), Bitboard(cells), "{fen}");
    }
}
