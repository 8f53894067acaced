//! Properties of every position: text round trips, symmetries, keys, and parsers that
//! never panic.
//!
//! The naive implementation generates the positions; `lodestone` is tested. Random numbers
//! are the same in every run.

use std::collections::HashMap;

use lodestone::game::Yardstick;
use lodestone_game::board::Move;
use lodestone_game::gridlock::Gridlock;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::random::Random;
use lodestone_game::with_game;
use lodestone_game::{Game, GameResult, MoveError, Outcome, Setup, Variant, perft};
use naive::positions::{TestRandom, board, crowded, random_game, scattered_pieces};
use naive::{Position, Rules};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

// ---------------------------------------------------------------------------
// Positions
// ---------------------------------------------------------------------------

/// A fixed seed makes failures reproducible, so no file of failed cases is needed.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(2),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// The position after some moves, each given by its index among the legal moves.
fn play_choices(start: Position, choices: &[usize]) -> Position {
    choices.iter().fold(start, |position, choice| {
        let moves = position.legal_moves();
        match moves.len() {
            0 => position,
            count => position.play(&moves[choice % count]).unwrap(),
        }
    })
}

/// Positions of Magnetic Cave: half of them reached by play, half with bricks on random
/// cells.
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

/// Positions of Gridlock: any number of pieces on random cells, either side to move, mostly
/// near the turn limit.
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
// Round trips
// ---------------------------------------------------------------------------

fn assert_fen_round_trips<G: Game>(fen: &str) {
    let position = G::from_fen(fen).unwrap();
    assert_eq!(position.fen(), fen);
    let spaced = format!("  {}\t", fen.replace(' ', "   "));
    assert_eq!(
        G::from_fen(&spaced),
        Ok(position),
        "white space makes no difference"
    );
}

/// `text` with some letters in upper case: those whose bit is set.
fn with_capitals(text: &str, bits: u32) -> String {
    let capital = |(index, letter): (u32, char)| match bits >> index & 1 {
        0 => letter,
        _ => letter.to_ascii_uppercase(),
    };
    (0..).zip(text.chars()).map(capital).collect()
}

fn assert_moves_round_trip<G: Game>(position: &G, capitals: u32) {
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
    fn fen_round_trips(cave in cave_positions(), gridlock in gridlock_positions()) {
        assert_fen_round_trips::<MagneticCave>(&cave.fen());
        assert_fen_round_trips::<Gridlock>(&gridlock.fen());
    }

    #[test]
    fn move_round_trips_in_any_letter_case(
        cave in cave_positions(),
        gridlock in gridlock_positions(),
        capitals in 0..16_u32,
    ) {
        assert_moves_round_trip(&at::<MagneticCave>(&cave), capitals);
        assert_moves_round_trip(&at::<Gridlock>(&gridlock), capitals);
    }
}

// ---------------------------------------------------------------------------
// Symmetries
// ---------------------------------------------------------------------------

/// The source of the content of the cell in (row, column).
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

/// Perft of one to three plies, and the outcome.
fn perft_and_outcome<G: Game>(position: &Position) -> ([u64; 3], Option<Outcome>) {
    let position = at::<G>(position);
    ([1, 2, 3].map(|depth| perft(&position, depth)), position.outcome())
}

/// The outcome with the sides exchanged.
fn exchanged(outcome: Outcome) -> Outcome {
    match outcome.result {
        GameResult::Win(side) => Outcome::win(side.opponent(), outcome.reason),
        GameResult::Draw => outcome,
    }
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn symmetric_positions_of_magnetic_cave_have_equal_perft(position in cave_positions()) {
        let expected = perft_and_outcome::<MagneticCave>(&position);
        for symmetry in CAVE_SYMMETRIES {
            let image = position.rearranged(symmetry);
            prop_assert_eq!(perft_and_outcome::<MagneticCave>(&image), expected, "{}", image.fen());
        }
    }

    #[test]
    fn symmetric_positions_of_gridlock_have_equal_perft(
        position in gridlock_positions(),
    ) {
        let (counts, outcome) = perft_and_outcome::<Gridlock>(&position);
        for symmetry in SQUARE_SYMMETRIES {
            let image = position.rearranged(symmetry);
            prop_assert_eq!(perft_and_outcome::<Gridlock>(&image), (counts, outcome), "{}", image.fen());
            let image = image.exchanged();
            let expected = (counts, outcome.map(exchanged));
            prop_assert_eq!(perft_and_outcome::<Gridlock>(&image), expected, "{}", image.fen());
        }
    }
}

/// The least FEN of a position and its images: a slow, obvious test of whether two
/// positions are symmetric.
fn least_fen(position: &Position, symmetries: &[Rearrangement]) -> String {
    let images = symmetries
        .iter()
        .map(|symmetry| position.rearranged(symmetry).fen());
    let all = images.chain([position.fen()]);
    all.min().unwrap()
}

/// The positions of each symmetry key.
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

    /// Asserts that the images of this position, and no others, have its symmetry key.
    fn add<G: Game>(&mut self, position: &Position) {
        let (fen, key) = (position.fen(), at::<G>(position).symmetry_key());
        let class = least_fen(position, self.symmetries);
        let known = self.class_of.entry(key).or_insert_with(|| class.clone());
        assert_eq!(*known, class, "{fen} has the key {key:#018x} of another position");
        let known = *self.key_of.entry(class).or_insert(key);
        assert_eq!(known, key, "{fen} has another key than its images");
    }

    /// [`SymmetryClasses::add`] for all positions within `depth` plies.
    fn add_tree<G: Game>(&mut self, position: &Position, depth: u32) {
        self.add::<G>(position);
        if depth > 0 {
            for text in position.legal_moves() {
                self.add_tree::<G>(&position.play(&text).unwrap(), depth - 1);
            }
        }
    }
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn images_have_the_same_symmetry_key(cave in cave_positions(), gridlock in gridlock_positions()) {
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
fn exchanging_two_rows_of_magnetic_cave_is_not_a_symmetry() {
    // Each row has the same playable cells, so perft 1 is equal. But x wins with a fifth
    // brick in the column only if the four bricks are adjacent.
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
    let [(together, _), (apart, _)] =
        [together, apart].map(|position| perft_and_outcome::<MagneticCave>(&position));
    assert_eq!(together[0], apart[0]);
    assert_ne!(together[1], apart[1]);
}

// ---------------------------------------------------------------------------
// Keys
// ---------------------------------------------------------------------------

/// Plays the same moves in two orders from each position of a game, if possible. Returns
/// the number of transpositions.
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

/// The position after these moves; `None` if one of them is illegal.
fn play_legal<G: Game>(start: &G, moves: [Move; 3]) -> Option<G> {
    moves.into_iter().try_fold(*start, |position, mv| {
        position.legal_moves().contains(&mv).then(|| position.play(mv))
    })
}

#[test]
fn key_does_not_depend_on_the_order_of_moves() {
    let mut random = TestRandom::new(11);
    let mut found = [0, 0];
    for _ in 0..60 {
        let start = crowded(random.below(30), &mut random);
        found[0] += assert_transpositions_share_a_key::<MagneticCave>(&random_game(start, &mut random));
        let start = Position::parse(Rules::Gridlock, &scattered_pieces(&mut random)).unwrap();
        let game = random_game(start, &mut random);
        found[1] += assert_transpositions_share_a_key::<Gridlock>(&game[..game.len().min(60)]);
    }
    assert!(found.iter().all(|&found| found > 1000), "{found:?}");
}

/// The position of each key, for the search's key and for `plain`'s.
struct Keys<G: Yardstick> {
    position_of: [HashMap<u64, G>; 2],
}

impl<G: Yardstick> Keys<G> {
    fn new() -> Keys<G> {
        Keys {
            position_of: [HashMap::new(), HashMap::new()],
        }
    }

    /// Asserts that no other position has the keys of this one.
    fn add(&mut self, position: G) {
        for (position_of, key) in self
            .position_of
            .iter_mut()
            .zip([position.key(), position.plain_key()])
        {
            let known = *position_of.entry(key).or_insert(position);
            let (first, second) = (known.fen(), position.fen());
            assert!(
                is_same(&known, &position),
                "{first} and {second} share the key {key:#018x}"
            );
        }
    }

    /// The number of different positions.
    fn count(&self) -> usize {
        self.position_of[0].len()
    }

    /// [`Keys::add`] for all positions within `depth` plies.
    fn add_tree(&mut self, position: G, depth: u32) {
        self.add(position);
        if depth > 0 {
            for &mv in position.legal_moves().iter() {
                self.add_tree(position.play(mv), depth - 1);
            }
        }
    }
}

/// Whether two positions must have the same key: it depends on the turns left, not on the turns played.
fn is_same<G: Game>(position: &G, other: &G) -> bool {
    let parts = |position: &G| {
        let board = position.fen().split(' ').take(2).collect::<String>();
        (board, position.plies_left())
    };
    parts(position) == parts(other)
}

/// Similar positions reveal a weak key: a piece one cell further and one turn more could
/// cancel out.
#[test]
fn similar_positions_of_gridlock_have_different_keys() {
    let mut keys = Keys::<Gridlock>::new();
    let near_the_limit = (0..40).map(|left| (1000 - left, 1000));
    let near_the_start = (1..40).map(|limit| (0, limit));
    let far_apart = [64, 128, 256, 512, 768, 999, 1000].map(|limit| (0, limit));
    let rests: Vec<String> = near_the_limit
        .chain(near_the_start)
        .chain(far_apart)
        .flat_map(|(played, limit)| ["x", "o"].map(|side| format!("{side} {played} {limit}")))
        .collect();
    for fixed in [0, 24, 48] {
        for moving in (0..49).filter(|&cell| cell != fixed) {
            for (x, o) in [(moving, fixed), (fixed, moving)] {
                let board = board(Rules::Gridlock, &[x], &[o]);
                for rest in &rests {
                    keys.add(Gridlock::from_fen(&format!("{board} {rest}")).unwrap());
                }
            }
        }
    }
}

// ---------------------------------------------------------------------------
// All of this for each game
// ---------------------------------------------------------------------------

/// An image of a position that has its symmetry key also has as many moves, and its outcome.
fn assert_images_agree<G: Game>(position: &G) {
    let twin = Position::parse(Rules::of(G::INFO.name), &position.fen()).unwrap();
    let (rows, columns) = (G::INFO.rows.len(), G::INFO.columns.len());
    for mirror in 0..if rows == columns { 3 } else { 2 } {
        let image = twin.rearranged(|row, column| match mirror {
            0 => (rows - 1 - row, column),
            1 => (row, columns - 1 - column),
            _ => (column, row),
        });
        let Ok(image) = G::from_fen(&image.fen()) else {
            continue;
        };
        if image.symmetry_key() == position.symmetry_key() {
            let facts = |position: &G| (position.outcome(), [1, 2].map(|depth| perft(position, depth)));
            assert_eq!(
                facts(&image),
                facts(position),
                "{} and {}",
                image.fen(),
                position.fen()
            );
        }
    }
}

/// The key depends on the side to move, where either side can be.
fn assert_other_side_has_another_key<G: Game>(position: &G) {
    let fen = position.fen();
    let mut fields: Vec<&str> = fen.split(' ').collect();
    fields[1] = if fields[1] == "x" { "o" } else { "x" };
    if let Ok(other) = G::from_fen(&fields.join(" ")) {
        assert_ne!(other.key(), position.key(), "{fen}");
        assert_ne!(other.symmetry_key(), position.symmetry_key(), "{fen}");
    }
}

// ---------------------------------------------------------------------------
// Parsers
// ---------------------------------------------------------------------------

/// Parses `text` with every parser. Errors must point into the text.
fn parse_as_anything(text: &str) {
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
    fn parsers_never_panic_on_text(text in any::<String>()) {
        parse_as_anything(&text);
    }

    #[test]
    fn parsers_never_panic_on_bytes(bytes in vec(any::<u8>(), 0..100)) {
        parse_as_anything(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn parsers_never_panic_on_malformed_moves(text in "[a-iA-I0-9é]{0,5}") {
        parse_as_anything(&text);
    }
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn only_images_share_a_symmetry_key_in_magnetic_cave() {
        let mut classes = SymmetryClasses::new(&CAVE_SYMMETRIES);
        classes.add_tree::<MagneticCave>(&Position::start(Rules::MagneticCave), 3);
        let mut random = TestRandom::new(21);
        for _ in 0..40 {
            let bricks = random.below(60);
            classes.add_tree::<MagneticCave>(&crowded(bricks, &mut random), 2);
        }
        assert!(classes.key_of.len() > 5_000, "{}", classes.key_of.len());
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn only_images_share_a_symmetry_key_in_gridlock() {
        let mut classes = SymmetryClasses::new(&SQUARE_SYMMETRIES);
        let mut random = TestRandom::new(22);
        for _ in 0..40 {
            let start = Position::parse(Rules::Gridlock, &scattered_pieces(&mut random)).unwrap();
            classes.add_tree::<Gridlock>(&start, 2);
        }
        // One piece a side on all pairs of cells, with different sides to move and turns.
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

    #[test]
    #[ignore = "slow: .ci/run"]
    fn every_game_has_round_trips_and_keys() {
        fn check<G: Yardstick>() {
            let (mut random, mut keys) = (Random::new(21), Keys::<G>::new());
            let mut perfts = HashMap::new();
            for _ in 0..30 {
                let mut game = vec![G::random_start(Setup::default(), &mut random)];
                while let Some(&mv) = random.choose(&game[game.len() - 1].legal_moves()) {
                    game.push(game[game.len() - 1].play(mv));
                }
                for position in &game {
                    assert_fen_round_trips::<G>(&position.fen());
                    assert_moves_round_trip(position, 0b101);
                    assert_eq!(G::from_fen(&position.fen()).unwrap().key(), position.key());
                    keys.add_tree(*position, 1);
                    assert_images_agree(position);
                    assert_other_side_has_another_key(position);
                    for &mv in position.legal_moves().iter().take(5) {
                        let next = position.play(mv);
                        let counts = [1, 2].map(|depth| perft(&next, depth));
                        let symmetric = perfts.entry(next.symmetry_key()).or_insert(counts);
                        assert_eq!(*symmetric, counts, "{}", next.fen());
                    }
                }
            }
            assert!(keys.count() > 3000, "{}", G::INFO.name);
        }
        for &variant in Variant::ALL {
            with_game!(variant, G => check::<G>());
        }
    }

    proptest! {
        #![proptest_config(config(2000))]
        #[test]
        #[ignore = "slow: .ci/run"]
        fn parsers_never_panic_on_malformed_fens(text in "([xo1-8]{0,9}/){0,9}[xo0-9é]{0,8}( [xo0-9-]{0,12}){0,4}") {
            parse_as_anything(&text);
        }
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn different_positions_of_magnetic_cave_have_different_keys() {
        let mut keys = Keys::<MagneticCave>::new();
        keys.add_tree(MagneticCave::startpos(), 4);
        let mut random = TestRandom::new(12);
        for _ in 0..40 {
            let bricks = random.below(60);
            keys.add_tree(at(&crowded(bricks, &mut random)), 3);
        }
        assert!(keys.count() > 100_000, "{}", keys.count());
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn different_positions_of_gridlock_have_different_keys() {
        let mut keys = Keys::<Gridlock>::new();
        keys.add_tree(Gridlock::startpos(), 4);
        let mut random = TestRandom::new(13);
        for _ in 0..80 {
            let fen = scattered_pieces(&mut random);
            keys.add_tree(Gridlock::from_fen(&fen).unwrap(), 3);
        }
        assert!(keys.count() > 100_000, "{}", keys.count());
    }
}
