//! The boards printed in the course assignments, and their outcomes.

use lodestone::board::Side;
use lodestone::game::gridlock::Gridlock;
use lodestone::game::magnetic_cave::MagneticCave;
use lodestone::game::{Diagram, Game, Setup};
use lodestone::random::Random;

use crate::naive::positions::merge_runs;
use crate::naive::{Position, Rules};
use crate::printed_games::PRINTED_GAMES;
use crate::{after, at, words};

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

#[test]
fn a_brick_on_b6_needs_a_neighbour() {
    let start = MagneticCave::startpos();
    assert!(start.parse_move("b6").is_err());
    // Bricks above and below do not support it; one on either side does.
    let stacked = at::<MagneticCave>("8/1x6/8/1o6/8/8/8/8 x");
    assert!(stacked.parse_move("b6").is_err());
    assert!(after(start, "a6").parse_move("b6").is_ok());
    assert!(at::<MagneticCave>("8/8/2x5/8/8/8/8/8 o").parse_move("b6").is_ok());
}

#[test]
fn a_bridge_from_d7_to_h7_wins() {
    let end = after(MagneticCave::startpos(), "h7 a1 g7 a2 f7 a3 e7 a5 d7");
    assert_eq!(end.fen(), "8/3xxxxx/8/o7/8/o7/o7/o7 o");
    assert_ended(&end, "1-0 five", "x has five in line, d7 to h7");
}

#[test]
fn a_bridge_from_a3_to_e7_wins() {
    let end = after(
        MagneticCave::startpos(),
        "a4 a3 a5 b4 b5 c5 a6 b6 c6 d6 h7 g7 f7 e7",
    );
    assert_eq!(end.fen(), "8/4oxox/xoxo4/xxo5/xo6/o7/8/8 x");
    assert_ended(&end, "0-1 five", "o has five in line, e7 to a3");
}

#[test]
fn more_than_five_in_line_win() {
    let end = after(at::<MagneticCave>("xxx1xxxx/ooo1oooo/8/8/8/8/8/8 x"), "d8");
    assert_ended(&end, "1-0 five", "x has eight in line, a8 to h8");
}

#[test]
fn a_full_board_is_a_draw_unless_the_last_brick_makes_five() {
    let tie = "xxooxxoo/ooxxooxx/xxooxxoo/ooxxooxx/xxooxxoo/ooxxooxx/xxooxxoo/1oxxooxx o";
    let end = after(at::<MagneticCave>(tie), "a1");
    assert_ended(
        &end,
        "1/2-1/2 full",
        "the board is full and neither side has five in line",
    );
    let five = "xxoxxxoo/ooxxooxx/xxooxxoo/ooxxooxx/xxooxxoo/ooxxooxx/xxooxxoo/1ooooxxx o";
    let end = after(at::<MagneticCave>(five), "a1");
    assert_ended(&end, "0-1 five", "o has five in line, a1 to e1");
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
    assert_eq!(Gridlock::startpos().outcome(), None);
}

#[test]
fn a_cell_next_to_two_pieces_counts_once() {
    let position = at::<Gridlock>(DRAW);
    assert_eq!(room(&position, Side::First), "b3 c2 d4 e3 e5 f4");
    assert_eq!(room(&position, Side::Second), "a3 a5 b5 c1 c6 d7");
    let sentence = "turn limit 40 reached: x has 6 cells to go to, o has 6";
    assert_ended(&position, "1/2-1/2 mobility", sentence);
}

#[test]
fn the_side_without_a_move_loses() {
    let position = at::<Gridlock>(PLAYER2_WINS);
    assert_eq!(room(&position, Side::First), "");
    assert_ended(&position, "0-1 blocked", "x has no move");
    // With o to move the game continues, although x has no move.
    assert_eq!(
        at::<Gridlock>("xxo4/xxo4/oo5/7/5oo/4oxx/4oxx o 10 40").outcome(),
        None
    );
}

#[test]
fn more_free_cells_win_at_the_turn_limit() {
    let position = at::<Gridlock>(PLAYER1_WINS);
    // The assignment lists six cells and omits e2; the winner is the same.
    assert_eq!(room(&position, Side::First), "b3 c2 d1 e2 e3 f4 g3");
    assert_eq!(room(&position, Side::Second), "a3 c1 e2 g3");
    let sentence = "turn limit 40 reached: x has 7 cells to go to, o has 4";
    assert_ended(&position, "1-0 mobility", sentence);
    assert_eq!(at::<Gridlock>("xo5/ox5/7/7/x6/oox4/xo5 x 39 40").outcome(), None);
}

#[test]
fn a_blocked_side_loses_even_at_the_turn_limit() {
    let picture = |rest| at::<Gridlock>(&format!("xxo4/xxo4/oo5/7/5oo/4oxx/4oxx {rest}"));
    assert_ended(&picture("x 40 40"), "0-1 blocked", "x has no move");
    let sentence = "turn limit 40 reached: x has 0 cells to go to, o has 10";
    assert_ended(&picture("o 40 40"), "0-1 mobility", sentence);
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
