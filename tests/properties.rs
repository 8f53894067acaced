//! What holds for every position of a game: texts that survive the way there
//! and back, symmetries, keys, and parsers that never panic.
//!
//! Positions come from the naive twin, which knows how to build them; what is
//! tested is `lodestone`. The random numbers are the same in every run.

mod naive;

use std::collections::HashMap;

use lodestone::board::Move;
use lodestone::game::gridlock::Gridlock;
use lodestone::game::magnetic_cave::MagneticCave;
use lodestone::game::{Game, GameResult, MoveError, Outcome, Variant, Yardstick, perft};
use naive::positions::{Dice, board, crowded, random_game, scattered_pieces};
use naive::{Position, Rules};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

// ---------------------------------------------------------------------------
// Positions
// ---------------------------------------------------------------------------

/// A fixed seed, and no files of failed cases: a failure comes again by itself.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(2),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// The position after some moves, each given by its place among the legal ones.
fn play_choices(start: Position, choices: &[usize]) -> Position {
    choices.iter().fold(start, |position, choice| {
        let moves = position.legal_moves();
        match moves.len() {
            0 => position,
            count => position.play(&moves[choice % count]).unwrap(),
        }
    })
}

/// Positions of Magnetic Cave: half of them from play, half with bricks
/// anywhere.
fn cave_positions() -> impl Strategy<Value = Position> {
    let start = || Position::start(Rules::MagneticCave);
    let played = vec(0..64_usize, 0..64).prop_map(move |choices| play_choices(start(), &choices));
    let floating = (Just((0..64).collect::<Vec<usize>>()).prop_shuffle(), 0..50_usize).prop_map(
        move |(cells, bricks)| {
            cells[..bricks]
                .iter()
                .fold(start(), |position, cell| match position.outcome() {
                    None => position.with_brick(cell / 8, cell % 8),
                    Some(_) => position,
                })
        },
    );
    prop_oneof![played, floating]
}

/// Positions of Gridlock: any number of pieces anywhere, either side to move,
/// most of them not far from the turn limit.
fn gridlock_positions() -> impl Strategy<Value = Position> {
    let cells = Just((0..49).collect::<Vec<usize>>()).prop_shuffle();
    let turns = (0..990_u32, prop_oneof![0..6_u32, 0..=10_u32]);
    (cells, 1..=24_usize, "[xo]", turns).prop_map(|(cells, pieces, side, (played, left))| {
        let board = board(Rules::Gridlock, &cells[..pieces], &cells[pieces..2 * pieces]);
        let fen = format!("{board} {side} {played} {}", (played + left).max(1));
        Position::parse(Rules::Gridlock, &fen).unwrap()
    })
}

fn at<G: Game>(position: &Position) -> G {
    G::from_fen(&position.fen()).unwrap()
}

// ---------------------------------------------------------------------------
// There and back
// ---------------------------------------------------------------------------

fn assert_fen_survives<G: Game>(fen: &str) {
    let position = G::from_fen(fen).unwrap();
    assert_eq!(position.fen(), fen);
    let spaced = format!("  {}\t", fen.replace(' ', "   "));
    assert_eq!(
        G::from_fen(&spaced),
        Ok(position),
        "white space makes no difference"
    );
}

/// `text` with some of its letters in upper case: those whose bit is set.
fn with_capitals(text: &str, bits: u32) -> String {
    let capital = |(place, letter): (u32, char)| match bits >> place & 1 {
        0 => letter,
        _ => letter.to_ascii_uppercase(),
    };
    (0..).zip(text.chars()).map(capital).collect()
}

fn assert_moves_survive<G: Game>(position: &G, capitals: u32) {
    for &mv in position.legal_moves().iter() {
        let text = G::move_text(mv);
        assert_eq!(text, text.to_lowercase());
        assert_eq!(
            position.parse_move(&with_capitals(&text, capitals)),
            Ok(mv),
            "{text}"
        );
        assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
    }
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn a_fen_survives(cave in cave_positions(), gridlock in gridlock_positions()) {
        assert_fen_survives::<MagneticCave>(&cave.fen());
        assert_fen_survives::<Gridlock>(&gridlock.fen());
    }

    #[test]
    fn a_move_survives_in_any_letter_case(
        cave in cave_positions(),
        gridlock in gridlock_positions(),
        capitals in 0..16_u32,
    ) {
        assert_moves_survive(&at::<MagneticCave>(&cave), capitals);
        assert_moves_survive(&at::<Gridlock>(&gridlock), capitals);
    }
}

// ---------------------------------------------------------------------------
// Symmetries
// ---------------------------------------------------------------------------

/// Where the cell in (row, column) takes its content from.
type Rearrangement = fn(usize, usize) -> (usize, usize);

const CAVE_SYMMETRIES: [Rearrangement; 3] = [
    |row, column| (7 - row, column),
    |row, column| (row, 7 - column),
    |row, column| (7 - row, 7 - column),
];

const SQUARE_SYMMETRIES: [Rearrangement; 8] = [
    |row, column| (row, column),
    |row, column| (6 - row, column),
    |row, column| (row, 6 - column),
    |row, column| (6 - row, 6 - column),
    |row, column| (column, row),
    |row, column| (6 - column, row),
    |row, column| (column, 6 - row),
    |row, column| (6 - column, 6 - row),
];

/// Perft of one to three plies, and how the game has ended.
fn nature<G: Game>(position: &Position) -> ([u64; 3], Option<Outcome>) {
    let position = at::<G>(position);
    ([1, 2, 3].map(|depth| perft(&position, depth)), position.outcome())
}

/// The same end with the sides exchanged.
fn exchanged(outcome: Outcome) -> Outcome {
    match outcome.result {
        GameResult::Win(side) => Outcome::win(side.opponent(), outcome.reason),
        GameResult::Draw => outcome,
    }
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn a_mirrored_cave_has_the_same_perft(position in cave_positions()) {
        let expected = nature::<MagneticCave>(&position);
        for symmetry in CAVE_SYMMETRIES {
            let image = position.rearranged(symmetry);
            prop_assert_eq!(nature::<MagneticCave>(&image), expected, "{}", image.fen());
        }
    }

    #[test]
    fn gridlock_turned_mirrored_or_with_exchanged_sides_has_the_same_perft(
        position in gridlock_positions(),
    ) {
        let (counts, outcome) = nature::<Gridlock>(&position);
        for symmetry in SQUARE_SYMMETRIES {
            let image = position.rearranged(symmetry);
            prop_assert_eq!(nature::<Gridlock>(&image), (counts, outcome), "{}", image.fen());
            let image = image.exchanged();
            let expected = (counts, outcome.map(exchanged));
            prop_assert_eq!(nature::<Gridlock>(&image), expected, "{}", image.fen());
        }
    }
}

/// The least FEN of a position and its images: the slow, obvious way to tell
/// whether two positions are the same but for symmetry.
fn least_fen(position: &Position, symmetries: &[Rearrangement]) -> String {
    let images = symmetries
        .iter()
        .map(|symmetry| position.rearranged(symmetry).fen());
    let all = images.chain([position.fen()]);
    all.min().unwrap()
}

/// Remembers which positions each symmetry key stands for.
struct SymmetryClasses<'a> {
    symmetries: &'a [Rearrangement],
    class_of: HashMap<u64, String>,
    key_of: HashMap<String, u64>,
}

impl<'a> SymmetryClasses<'a> {
    fn new(symmetries: &'a [Rearrangement]) -> SymmetryClasses<'a> {
        SymmetryClasses {
            symmetries,
            class_of: HashMap::new(),
            key_of: HashMap::new(),
        }
    }

    /// Asserts that exactly the images of this position have its key.
    fn add<G: Game>(&mut self, position: &Position) {
        let (fen, key) = (position.fen(), at::<G>(position).symmetry_key());
        let class = least_fen(position, self.symmetries);
        let known = self.class_of.entry(key).or_insert_with(|| class.clone());
        assert_eq!(*known, class, "{fen} has the key {key:#018x} of another position");
        let known = *self.key_of.entry(class).or_insert(key);
        assert_eq!(known, key, "{fen} has another key than its images");
    }

    /// [`SymmetryClasses::add`] for all positions up to `depth` plies on.
    fn add_tree<G: Game>(&mut self, position: &Position, depth: u32) {
        self.add::<G>(position);
        if depth > 0 {
            for text in position.legal_moves() {
                self.add_tree::<G>(&position.play(&text).unwrap(), depth - 1);
            }
        }
    }
}

#[test]
fn images_and_nothing_else_share_a_symmetry_key_in_magnetic_cave() {
    let mut classes = SymmetryClasses::new(&CAVE_SYMMETRIES);
    classes.add_tree::<MagneticCave>(&Position::start(Rules::MagneticCave), 3);
    let mut dice = Dice::new(21);
    for _ in 0..40 {
        let bricks = dice.below(60);
        classes.add_tree::<MagneticCave>(&crowded(bricks, &mut dice), 2);
    }
    assert!(classes.key_of.len() > 5_000, "{}", classes.key_of.len());
}

#[test]
fn images_and_nothing_else_share_a_symmetry_key_in_gridlock() {
    let mut classes = SymmetryClasses::new(&SQUARE_SYMMETRIES);
    let mut dice = Dice::new(22);
    for _ in 0..40 {
        let start = Position::parse(Rules::Gridlock, &scattered_pieces(&mut dice)).unwrap();
        classes.add_tree::<Gridlock>(&start, 2);
    }
    // One piece each on all cells, and whatever else a FEN says.
    for (x, o) in (0..49)
        .flat_map(|x| (0..49).map(move |o| (x, o)))
        .filter(|(x, o)| x != o)
    {
        for rest in [
            "x 0 40", "o 0 40", "x 1 41", "x 1 40", "o 1 40", "x 40 40", "x 0 256",
        ] {
            let fen = format!("{} {rest}", board(Rules::Gridlock, &[x], &[o]));
            classes.add::<Gridlock>(&Position::parse(Rules::Gridlock, &fen).unwrap());
        }
    }
    assert!(classes.key_of.len() > 5_000, "{}", classes.key_of.len());
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn an_image_has_the_same_symmetry_key(cave in cave_positions(), gridlock in gridlock_positions()) {
        let expected = at::<MagneticCave>(&cave).symmetry_key();
        for symmetry in CAVE_SYMMETRIES {
            let image = cave.rearranged(symmetry);
            prop_assert_eq!(at::<MagneticCave>(&image).symmetry_key(), expected, "{}", image.fen());
        }
        let expected = at::<Gridlock>(&gridlock).symmetry_key();
        for symmetry in SQUARE_SYMMETRIES {
            let image = gridlock.rearranged(symmetry);
            prop_assert_eq!(at::<Gridlock>(&image).symmetry_key(), expected, "{}", image.fen());
            let exchanged = at::<Gridlock>(&image.exchanged());
            prop_assert_ne!(exchanged.symmetry_key(), expected, "{}", exchanged.fen());
        }
    }
}

#[test]
fn exchanging_two_rows_of_the_cave_is_no_symmetry() {
    // Each row offers the same cells, so the first ply cannot tell; but x wins
    // with the column's fifth brick only while the four stand together.
    let together = Position::parse(Rules::MagneticCave, "xo6/xo6/xo6/xo6/8/8/8/8 x").unwrap();
    let apart = together.rearranged(|row, column| {
        (
            if row == 3 {
                7
            } else if row == 7 {
                3
            } else {
                row
            },
            column,
        )
    });
    assert_eq!(apart.fen(), "xo6/xo6/xo6/8/8/8/8/xo6 x");
    let [(together, _), (apart, _)] = [together, apart].map(|position| nature::<MagneticCave>(&position));
    assert_eq!(together[0], apart[0]);
    assert_ne!(together[1], apart[1]);
}

// ---------------------------------------------------------------------------
// Keys
// ---------------------------------------------------------------------------

/// Plays the same moves of both sides in two orders, wherever that is possible
/// within a random game, and returns how often it was.
fn assert_transpositions_share_a_key<G: Game>(game: &[Position]) -> u32 {
    let mut found = 0;
    for position in game {
        let position = at::<G>(position);
        let moves = position.legal_moves();
        let (Some(&first), Some(&last)) = (moves.first(), moves.last()) else {
            continue;
        };
        for &reply in position.play(first).legal_moves().iter() {
            let one_way = play_legal(&position, [first, reply, last]);
            let other_way = play_legal(&position, [last, reply, first]);
            if let (Some(one_way), Some(other_way)) = (one_way, other_way) {
                assert_eq!(one_way, other_way);
                assert_eq!(one_way.key(), other_way.key(), "{}", one_way.fen());
                let read = G::from_fen(&one_way.fen()).unwrap();
                assert_eq!(one_way.key(), read.key(), "{}", one_way.fen());
                found += 1;
            }
        }
    }
    found
}

/// The position after these moves, or `None` where one of them is not legal.
fn play_legal<G: Game>(start: &G, moves: [Move; 3]) -> Option<G> {
    moves.into_iter().try_fold(*start, |position, mv| {
        position.legal_moves().contains(&mv).then(|| position.play(mv))
    })
}

#[test]
fn the_key_does_not_depend_on_the_order_of_moves() {
    let mut dice = Dice::new(11);
    let mut found = [0, 0];
    for _ in 0..60 {
        let start = crowded(dice.below(30), &mut dice);
        found[0] += assert_transpositions_share_a_key::<MagneticCave>(&random_game(start, &mut dice));
        let start = Position::parse(Rules::Gridlock, &scattered_pieces(&mut dice)).unwrap();
        let game = random_game(start, &mut dice);
        found[1] += assert_transpositions_share_a_key::<Gridlock>(&game[..game.len().min(60)]);
    }
    assert!(found.iter().all(|&found| found > 1000), "{found:?}");
}

/// Remembers which position each key stands for, for the key of the search and
/// for that of the yardstick.
struct Keys<G: Yardstick> {
    position_of: [HashMap<u64, G>; 2],
    /// Whether two positions are the same for the key.
    same: fn(&G, &G) -> bool,
}

impl<G: Yardstick> Keys<G> {
    fn new(same: fn(&G, &G) -> bool) -> Keys<G> {
        Keys {
            position_of: [HashMap::new(), HashMap::new()],
            same,
        }
    }

    /// Asserts that no other position has this one's keys.
    fn add(&mut self, position: G) {
        for (position_of, key) in self
            .position_of
            .iter_mut()
            .zip([position.key(), position.plain_key()])
        {
            let known = *position_of.entry(key).or_insert(position);
            let (one, other) = (known.fen(), position.fen());
            assert!(
                (self.same)(&known, &position),
                "{one} and {other} share the key {key:#018x}"
            );
        }
    }

    /// How many positions there are.
    fn count(&self) -> usize {
        self.position_of[0].len()
    }

    /// [`Keys::add`] for all positions up to `depth` plies on.
    fn add_tree(&mut self, position: G, depth: u32) {
        self.add(position);
        if depth > 0 {
            for &mv in position.legal_moves().iter() {
                self.add_tree(position.play(mv), depth - 1);
            }
        }
    }
}

/// Gridlock's future depends on the turns left, not on those played.
fn same_gridlock(one: &Gridlock, other: &Gridlock) -> bool {
    let parts = |position: &Gridlock| {
        let board = position.fen().split(' ').take(2).collect::<String>();
        (board, position.plies_left())
    };
    parts(one) == parts(other)
}

#[test]
fn different_positions_of_magnetic_cave_have_different_keys() {
    let mut keys = Keys::new(|one: &MagneticCave, other| one == other);
    keys.add_tree(MagneticCave::startpos(), 4);
    let mut dice = Dice::new(12);
    for _ in 0..40 {
        let bricks = dice.below(60);
        keys.add_tree(at(&crowded(bricks, &mut dice)), 3);
    }
    assert!(keys.count() > 100_000, "{}", keys.count());
}

#[test]
fn different_positions_of_gridlock_have_different_keys() {
    let mut keys = Keys::new(same_gridlock);
    keys.add_tree(Gridlock::startpos(), 4);
    let mut dice = Dice::new(13);
    for _ in 0..80 {
        let fen = scattered_pieces(&mut dice);
        keys.add_tree(Gridlock::from_fen(&fen).unwrap(), 3);
    }
    assert!(keys.count() > 100_000, "{}", keys.count());
}

/// Positions that differ in little are where a careless key fails: a piece one
/// cell further and a turn more may cancel out.
#[test]
fn neither_cells_nor_turns_nor_sides_cancel_out_in_the_keys_of_gridlock() {
    let mut keys = Keys::new(same_gridlock);
    let near_the_limit = (0..40).map(|left| (1000 - left, 1000));
    let near_the_start = (1..40).map(|limit| (0, limit));
    let far_apart = [64, 128, 256, 512, 768, 999, 1000].map(|limit| (0, limit));
    let rests: Vec<String> = near_the_limit
        .chain(near_the_start)
        .chain(far_apart)
        .flat_map(|(played, limit)| ["x", "o"].map(|side| format!("{side} {played} {limit}")))
        .collect();
    for still in [0, 24, 48] {
        for moving in (0..49).filter(|&cell| cell != still) {
            for (x, o) in [(moving, still), (still, moving)] {
                let board = board(Rules::Gridlock, &[x], &[o]);
                for rest in &rests {
                    keys.add(Gridlock::from_fen(&format!("{board} {rest}")).unwrap());
                }
            }
        }
    }
}

// ---------------------------------------------------------------------------
// Parsers
// ---------------------------------------------------------------------------

/// Reads `text` in every way that there is; the errors point into the text.
fn read_as_anything(text: &str) {
    let characters = text.chars().count();
    let _ = Variant::from_name(text);
    for variant in Variant::ALL {
        if let Err(error) = variant.parse_fen(text) {
            assert!(
                (1..=characters + 1).contains(&error.character),
                "{error} in {text:?}"
            );
        }
        let start = variant.startpos();
        match start.parse_move(text) {
            Ok(mv) => assert_eq!(start.move_text(mv), text.to_lowercase()),
            Err(MoveError::Malformed(why) | MoveError::Illegal(why)) => assert!(!why.is_empty()),
        }
    }
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn no_text_makes_a_parser_panic(text in any::<String>()) {
        read_as_anything(&text);
    }

    #[test]
    fn no_bytes_make_a_parser_panic(bytes in vec(any::<u8>(), 0..100)) {
        read_as_anything(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn nothing_like_a_fen_makes_a_parser_panic(text in "([xo1-8]{0,9}/){0,9}[xo0-9é]{0,8}( [xo0-9-]{0,12}){0,4}") {
        read_as_anything(&text);
    }

    #[test]
    fn nothing_like_a_move_makes_a_parser_panic(text in "[a-iA-I0-9é]{0,5}") {
        read_as_anything(&text);
    }
}
