//! The boards printed in the course assignments, and their outcomes.

use lodestone_game::board::Side;
use lodestone_game::gridlock::Gridlock;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::random::Random;
use lodestone_game::{Diagram, Game, Setup, Variant};

use super::{after, at, words};
use crate::printed_games::PRINTED_GAMES;
use naive::positions::merge_runs;
use naive::{Position, Rules};

/// Asserts the outcome of a position: result and reason as in a result file, and
/// the sentence for people.
fn assert_ended<G: Game>(position: &G, result: &str, sentence: &str) {
    let outcome = position
        .outcome()
        .unwrap_or_else(|| panic!("{} goes on", position.fen()));
    assert_eq!(
        words(Some(outcome)).as_deref(),
        Some(result),
        "{}",
        position.fen()
    );
    assert_eq!(position.explain(outcome), sentence, "{}", position.fen());
    assert!(position.legal_moves().is_empty(), "{} has moves", position.fen());
}

/// Converts a printed board to a FEN's board field. Each row is a label, then
/// `X`, `O` and `-`.
fn printed(board: &str) -> String {
    let row = |line: &str| {
        let signs = line.split_whitespace().skip(1).collect::<String>();
        merge_runs(&signs.to_lowercase().replace('-', "1"))
    };
    board.trim().lines().map(row).collect::<Vec<String>>().join("/")
}

/// The table with which other languages are tested, too.
#[test]
fn positions_of_the_table() {
    let lines = include_str!("../../lines/rules.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(" | ").collect();
        let &[name, fen, moves, after, result, end] = fields.as_slice() else {
            panic!("{line}");
        };
        let variant = Variant::from_name(name).expect(line);
        let mut position = variant.parse_fen(fen).expect(line);
        let mut twin = Position::parse(Rules::of(name), fen).expect(line);
        for text in moves.split_whitespace() {
            position.play(position.parse_move(text).expect(line));
            twin = twin.play(text).expect(line);
        }
        assert_eq!([position.fen(), twin.fen()], [after; 2], "{line}");
        let mut legal: Vec<String> = position
            .legal_moves()
            .iter()
            .map(|&mv| position.move_text(mv))
            .collect();
        legal.sort();
        assert_eq!(legal, twin.legal_moves(), "{line}");
        let found = match position.outcome() {
            Some(outcome) => (outcome.result.to_string(), position.explain(outcome)),
            None => ("*".to_string(), legal.join(" ")),
        };
        assert_eq!(found, (result.to_string(), end.to_string()), "{line}");
        assert_eq!(
            words(position.outcome()),
            twin.outcome()
                .map(|(result, reason)| format!("{result} {reason}")),
            "{line}"
        );
    }
}

#[test]
fn printed_games_end_as_in_their_report() {
    for game in &PRINTED_GAMES {
        let end = after(MagneticCave::startpos(), game.moves);
        assert_eq!(end.fen().split(' ').next(), Some(printed(game.board).as_str()));
        assert_ended(&end, game.result, game.sentence);
        let twin = game
            .moves
            .split(' ')
            .fold(Position::start(Rules::MagneticCave), |position, text| {
                assert_eq!(position.outcome(), None, "before {text}");
                position.play(text).unwrap()
            });
        assert_eq!(twin.fen(), end.fen());
    }
}

pub const INITIAL: &str = "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40";
pub const DRAW: &str = "xo3ox/ox3ox/6o/7/3x3/7/7 x 40 40";
pub const PLAYER2_WINS: &str = "xxo4/xxo4/oo5/7/5oo/4oxx/4oxx x 10 40";
pub const PLAYER1_WINS: &str = "xo5/ox5/7/7/x6/oox4/xo5 x 40 40";

/// The names of the empty cells next to a side's pieces, in order.
fn room(position: &Gridlock, side: Side) -> String {
    let names: Vec<String> = position.room(side).cells().map(Gridlock::cell_text).collect();
    names.join(" ")
}

#[test]
fn the_initial_picture_is_the_start() {
    assert_eq!(Gridlock::startpos().fen(), INITIAL);
    assert_eq!(Gridlock::from_fen(INITIAL), Ok(Gridlock::startpos()));
}

#[test]
fn a_cell_next_to_two_pieces_counts_once() {
    for (fen, first, second) in [
        (DRAW, "b3 c2 d4 e3 e5 f4", "a3 a5 b5 c1 c6 d7"),
        // The assignment lists six cells of x and omits e2; the winner is the same.
        (PLAYER1_WINS, "b3 c2 d1 e2 e3 f4 g3", "a3 c1 e2 g3"),
    ] {
        let position = at::<Gridlock>(fen);
        assert_eq!(room(&position, Side::First), first);
        assert_eq!(room(&position, Side::Second), second);
    }
}

#[test]
fn random_starts_are_fair_and_reproducible() {
    for pieces in 1..=24 {
        let setup = Setup {
            pieces,
            turns: 40 + pieces,
        };
        let draw = |seed| Gridlock::random_start(setup, &mut Random::new(seed)).fen();
        for seed in 0..20 {
            let twin = Position::parse(Rules::Gridlock, &draw(seed)).expect("an allowed position");
            assert_eq!(
                (twin.count('x'), twin.count('o')),
                (pieces as usize, pieces as usize)
            );
            assert!(twin.room('x') > 0 && twin.room('o') > 0, "{}", twin.fen());
            assert!(twin.fen().ends_with(&format!(" x 0 {}", setup.turns)));
            assert_eq!(draw(seed), draw(seed));
        }
        assert_ne!(draw(1), draw(2));
    }
    assert_eq!(
        MagneticCave::random_start(Setup::default(), &mut Random::new(1)),
        MagneticCave::startpos()
    );
}

#[test]
fn boards_are_drawn_with_labels_on_all_sides() {
    let cave = Diagram::of(&after(MagneticCave::startpos(), "a8 h1"));
    let expected = "  a b c d e f g h
8 ■ · · · · · · · 8
7 · · · · · · · · 7
6 · · · · · · · · 6
5 · · · · · · · · 5
4 · · · · · · · · 4
3 · · · · · · · · 3
2 · · · · · · · · 2
1 · · · · · · · □ 1
  a b c d e f g h";
    assert_eq!(cave.to_string(), expected);
    let grid = Diagram::of(&Gridlock::startpos());
    let expected = "  1 2 3 4 5 6 7
a · · · · O · · a
b · X O · · X · b
c · · · X · · · c
d · · · · · O · d
e · O X · · · · e
f · · · · X · · f
g · · O · · · · g
  1 2 3 4 5 6 7";
    assert_eq!(grid.to_string(), expected);
}
