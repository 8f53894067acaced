//! Error messages for wrong FENs and moves.

use lodestone_game::board::Cell;
use lodestone_game::gridlock::Gridlock;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::random::Random;
use lodestone_game::{Game, MoveError, Setup, Variant};
use sentences::{assert_rows, expect};

use super::figures::DRAW;
use super::{after, at, rules};
use naive::Position;

/// A wrong FEN, the character that the error names, and a part of its message.
type BadFen = (&'static str, usize, &'static str);

const BAD_CAVE_FENS: &[BadFen] = &[
    // Fields.
    ("", 1, "the board is missing"),
    ("8/8/8/8/8/8/8/8", 16, "the side to move is missing"),
    (
        "8/8/8/8/8/8/8/8 x 0",
        19,
        "nothing may follow the side to move, found `0`",
    ),
    (
        "8/8/8/8/8/8/8/8 w",
        17,
        "the side to move is `x` or `o`, found `w`",
    ),
    (
        "8/8/8/8/8/8/8/8 X",
        17,
        "the side to move is `x` or `o`, found `X`",
    ),
    // Rows.
    ("8/8/8/8/8/8/8 x", 14, "row 1 is missing: 8 rows are expected"),
    ("8/8/8/8/8/8/8/8/8 x", 16, "the board has 8 rows, found one more"),
    ("8/8/8/8/8/8/8/8/ x", 16, "the board has 8 rows, found one more"),
    ("8/8/8//8/8/8/8 x", 7, "row 5 has 0 of its 8 cells"),
    ("8/8/8/8/8/8/8/7 x", 16, "row 1 has 7 of its 8 cells"),
    ("8/9/8/8/8/8/8/8 x", 3, "row 7 is longer than its 8 cells"),
    ("8/8/7xo/8/8/8/8/8 x", 7, "row 6 is longer than its 8 cells"),
    ("8/44/8/8/8/8/8/8 x", 4, "row 7: two digits in a row"),
    (
        "8/8/0x7/8/8/8/8/8 x",
        5,
        "row 6: expected `x`, `o` or a digit from 1 to 8, found `0`",
    ),
    ("8/X7/8/8/8/8/8/8 o", 3, "found `X`"),
    ("8/8/8/8/8/8/8/é7 x", 15, "found `é`"),
    // Counts and lines.
    (
        "8/8/8/8/8/8/8/8 o",
        17,
        "as many bricks as o and one more; here x has 0 and o has 0",
    ),
    (
        "x7/8/8/8/8/8/8/8 x",
        18,
        "as many bricks as o; here x has 1 and o has 0",
    ),
    ("o7/8/8/8/8/8/8/8 x", 18, "here x has 0 and o has 1"),
    ("xx6/8/8/8/8/8/8/8 o", 19, "here x has 2 and o has 0"),
    (
        "xxxxx3/oo1oo1o1/8/8/8/8/8/8 x",
        1,
        "x has five in line, so x cannot be to move",
    ),
    (
        "ooooo3/xx1xx1xx/8/8/8/8/8/8 o",
        1,
        "o has five in line, so o cannot be to move",
    ),
    ("xxxxx3/ooooo3/8/8/8/8/8/8 x", 1, "x has five in line"),
];

const BAD_GRIDLOCK_FENS: &[BadFen] = &[
    // Fields.
    ("xo5/7/7/7/7/7/5xo", 18, "the side to move is missing"),
    ("xo5/7/7/7/7/7/5xo x", 20, "the number of turns played is missing"),
    ("xo5/7/7/7/7/7/5xo x 0", 22, "the turn limit is missing"),
    (
        "xo5/7/7/7/7/7/5xo x 0 40 1",
        26,
        "nothing may follow the turn limit, found `1`",
    ),
    (
        "xo5/7/7/7/7/7/5xo - 0 40",
        19,
        "the side to move is `x` or `o`, found `-`",
    ),
    // Rows.
    (
        "xo5/7/7/7/7/5xo x 0 40",
        16,
        "row g is missing: 7 rows are expected",
    ),
    ("xo5/7/7/7/7/7/5xo/7 x 0 40", 18, "the board has 7 rows"),
    ("8/7/7/7/7/7/5xo x 0 40", 1, "row a is longer than its 7 cells"),
    ("xo5/6/7/7/7/7/5xo x 0 40", 6, "row b has 6 of its 7 cells"),
    ("xo5/7/7/7/7/7/41xo x 0 40", 16, "row g: two digits in a row"),
    (
        "xo5/7/7/7/7/7/5xz x 0 40",
        17,
        "expected `x`, `o` or a digit from 1 to 7, found `z`",
    ),
    // Counts.
    ("7/7/7/7/7/7/7 x 0 40", 1, "a side has 1 to 24 pieces, here 0"),
    ("xo5/7/7/7/7/7/5x1 x 0 40", 1, "here x has 2 and o has 1"),
    // Turns.
    (
        "xo5/7/7/7/7/7/5xo x -1 40",
        21,
        "turns played is a whole number from 0 to 1000, found `-1`",
    ),
    (
        "xo5/7/7/7/7/7/5xo x +1 40",
        21,
        "turns played is a whole number from 0 to 1000, found `+1`",
    ),
    ("xo5/7/7/7/7/7/5xo x 1.5 40", 21, "found `1.5`"),
    (
        "xo5/7/7/7/7/7/5xo x 0 0",
        23,
        "the turn limit is a whole number from 1 to 1000, found `0`",
    ),
    ("xo5/7/7/7/7/7/5xo x 0 1001", 23, "found `1001`"),
    (
        "xo5/7/7/7/7/7/5xo x 0 99999999999999999999",
        23,
        "found `99999999999999999999`",
    ),
    (
        "xo5/7/7/7/7/7/5xo x 41 40",
        21,
        "41 turns cannot have been played: the turn limit is 40",
    ),
];

fn assert_bad_fens<G: Game>(table: &[BadFen]) {
    for &(fen, character, part) in table {
        let error = G::from_fen(fen).expect_err(fen);
        assert_eq!(error.character, character, "{fen}: {error}");
        assert!(error.message.contains(part), "{fen}: {error}");
        assert!(
            error
                .to_string()
                .starts_with(&format!("FEN, character {character}: "))
        );
        assert_eq!(Position::parse(rules::<G>(), fen), None, "the twin accepts {fen}");
    }
}

#[test]
fn errors_in_fens_name_the_character_and_the_reason() {
    assert_bad_fens::<MagneticCave>(BAD_CAVE_FENS);
    assert_bad_fens::<Gridlock>(BAD_GRIDLOCK_FENS);
}

/// Asserts that each of `texts` is malformed.
fn assert_malformed<G: Game>(position: &G, texts: &[&str], expected: &str) {
    for text in texts {
        // A message is one line.
        let shown = text.replace('\n', "\\n");
        let message = format!("`{shown}` is not a move: {expected}");
        assert_eq!(position.parse_move(text), Err(MoveError::Malformed(message)));
    }
}

/// Asserts that `text` is an illegal move.
fn assert_illegal<G: Game>(position: &G, text: &str, message: &str) {
    assert_eq!(
        position.parse_move(text),
        Err(MoveError::Illegal(message.to_string()))
    );
}

#[test]
fn magnetic_cave_distinguishes_malformed_and_illegal_moves() {
    let position = after(MagneticCave::startpos(), "a8 h1");
    assert_malformed(
        &position,
        &[
            "", "a", "6a", "a0", "a9", "i1", "a66", "a6a7", " a6", "a6\n", "é1", "0000", "resign",
        ],
        "expected a column from a to h and a rank from 1 to 8, such as a6",
    );
    assert_illegal(&position, "a8", "a8 holds a brick already");
    assert_illegal(&position, "H1", "h1 holds a brick already");
    assert_illegal(&position, "D4", "d4 touches neither a wall nor a brick");
    let end = at::<MagneticCave>("8/4oxox/xoxo4/xxo5/xo6/o7/8/8 x");
    assert_illegal(&end, "a8", "a8 cannot be played: the game is over");
    assert_malformed(
        &end,
        &["z9"],
        "expected a column from a to h and a rank from 1 to 8, such as a6",
    );
}

#[test]
fn gridlock_distinguishes_malformed_and_illegal_moves() {
    let position = Gridlock::startpos();
    assert_malformed(
        &position,
        &[
            "", "g4", "g4g", "h1h2", "a8a7", "a0a1", "g4g55", "g4 g5", "g4-g5", "é1a1", "0000",
        ],
        "expected two cells, each a row from a to g and a column from 1 to 7, such as g4g5",
    );
    assert_illegal(&position, "b3b4", "the piece on b3 is the opponent's");
    assert_illegal(&position, "A1A2", "there is no piece on a1");
    assert_illegal(&position, "b2c3", "c3 is not next to b2");
    assert_illegal(&position, "b2b2", "b2 is not next to b2");
    assert_illegal(&position, "b6b1", "b1 is not next to b6");
    assert_illegal(&position, "b2b3", "b3 is occupied");
    assert_illegal(
        &at::<Gridlock>(DRAW),
        "a1b1",
        "a1b1 cannot be played: the game is over",
    );
}

#[test]
fn errors_about_pieces_name_the_reason() {
    let position = Gridlock::startpos();
    let table = expect![[r#"
        | `` is not a cell: expected a row from a to g and a column from 1 to 7, such as g4
        h1 | `h1` is not a cell: expected a row from a to g and a column from 1 to 7, such as g4
        é | `é` is not a cell: expected a row from a to g and a column from 1 to 7, such as g4
        B3 | the piece on b3 is the opponent's
        a1 | there is no piece on a1
    "#]];
    assert_rows(table, |[text]| {
        position.parse_piece(text).unwrap_err().to_string()
    });
    assert_eq!(
        position.parse_piece("B2").map(Gridlock::cell_text),
        Ok("b2".into())
    );
    let shut = at::<Gridlock>("xo5/o6/7/7/7/7/6x x 0 40");
    expect! {"the piece on a1 has no empty neighbour to go to"}
        .assert_eq(&shut.parse_piece("a1").unwrap_err().to_string());
    assert!(MagneticCave::startpos().parse_piece("a1").is_err());
}

#[test]
fn only_pieces_with_a_move_can_be_chosen() {
    let mut random = Random::new(1);
    for pieces in 1..=24 {
        let mut position = Gridlock::random_start(Setup { pieces, turns: 30 }, &mut random);
        while let Some(&mv) = random.choose(&position.legal_moves()) {
            let moves = position.legal_moves();
            for (row, column) in (0..7).flat_map(|row| (0..7).map(move |column| (row, column))) {
                let cell = Cell::new(row, column);
                let has_moves = moves.iter().any(|mv| mv.from() == cell);
                let chosen = position.parse_piece(&Gridlock::cell_text(cell));
                assert_eq!(chosen.is_ok(), has_moves, "{cell:?} in {}", position.fen());
            }
            position = position.play(mv);
        }
    }
}

#[test]
fn names_of_games_ignore_case() {
    assert_eq!(Variant::from_name("Magnetic-Cave"), Some(Variant::MagneticCave));
    assert_eq!(Variant::from_name("gridlock"), Some(Variant::Gridlock));
    assert_eq!(Variant::from_name("grid lock"), None);
    assert_eq!(Variant::default(), Variant::MagneticCave);
}
