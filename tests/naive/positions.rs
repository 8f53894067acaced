//! Random positions, the same on every machine: FENs with bricks and pieces on random
//! cells, crowded boards, and random games.

use super::{Position, Rules};

/// A seeded random generator (`SplitMix64`), independent of `lodestone`'s.
pub struct TestRandom(u64);

impl TestRandom {
    /// The generator for a seed.
    pub fn new(seed: u64) -> TestRandom {
        TestRandom(seed)
    }

    /// A number from 0 to `bound` − 1.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// A number from `low` to `high`, inclusive.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// A random item.
    pub fn choose<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// The numbers 0 to `count` − 1 in a random order.
    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            numbers.swap(last, self.below(last + 1));
        }
        numbers
    }
}

/// The board of a FEN with `x` and `o` on the cells with these indices, counted from 0 along
/// the rows from the top.
pub fn board(rules: Rules, xs: &[usize], os: &[usize]) -> String {
    let size = rules.size();
    let mut cells = vec!["1"; size * size];
    for &cell in xs {
        cells[cell] = "x";
    }
    for &cell in os {
        cells[cell] = "o";
    }
    let rows: Vec<String> = cells.chunks(size).map(|row| merge_runs(&row.concat())).collect();
    rows.join("/")
}

/// A FEN with the given numbers of `x` and `o` on random cells. `rest` is the side to move
/// and, in Gridlock, the turns. The position need not be valid.
pub fn scattered(rules: Rules, (xs, os): (usize, usize), rest: &str, random: &mut TestRandom) -> String {
    let cells = random.order(rules.size() * rules.size());
    let board = board(rules, &cells[..xs], &cells[xs..xs + os]);
    format!("{board} {rest}")
}

/// Magnetic Cave: a FEN with any number of bricks on random cells and either side to move.
/// Most are valid; some have wrong counts, and on fuller boards the side to move may have
/// five.
pub fn scattered_bricks(random: &mut TestRandom) -> String {
    let os = random.below(25);
    let (xs, side) = random.choose(&[(os, "x"), (os, "x"), (os + 1, "o"), (os + 1, "o"), (os + 2, "x")]);
    scattered(Rules::MagneticCave, (xs, os), side, random)
}

/// Gridlock: a FEN with 1 to 24 pieces a side on random cells, either side to move, and any
/// number of turns played, often near the turn limit.
pub fn scattered_pieces(random: &mut TestRandom) -> String {
    let count = random.between(1, 24);
    let side = random.choose(&["x", "o"]);
    let longest = random.choose(&[3, 50, 1000]);
    let limit = random.between(1, longest);
    let most_left = random.choose(&[4, limit]).min(limit);
    let left = random.between(0, most_left);
    let rest = format!("{side} {} {limit}", limit - left);
    scattered(Rules::Gridlock, (count, count), &rest, random)
}

/// Magnetic Cave: a position with `bricks` bricks on random cells, supported or not, without
/// a line of five. Has fewer bricks if each further brick would complete a line.
pub fn crowded(bricks: usize, random: &mut TestRandom) -> Position {
    let mut position = Position::start(Rules::MagneticCave);
    for cell in random.order(64) {
        let next = position.with_brick(cell / 8, cell % 8);
        if next.count('.') >= 64 - bricks && !next.has_five('x') && !next.has_five('o') {
            position = next;
        }
    }
    position
}

/// All positions of a random game, from `start` to the final one.
pub fn random_game(start: Position, random: &mut TestRandom) -> Vec<Position> {
    let mut game = vec![start];
    loop {
        let position = game.last().unwrap();
        let moves = position.legal_moves();
        if moves.is_empty() {
            return game;
        }
        let next = position.play(&random.choose(&moves)).unwrap();
        game.push(next);
    }
}

/// `fen` with one mistake: a character changed, deleted or inserted, or a run of empty cells
/// written as two digits.
pub fn misspelt(fen: &str, random: &mut TestRandom) -> String {
    const LIKELY: &[char] = &[
        'x', 'o', '/', ' ', '0', '1', '2', '6', '7', '8', '9', '-', '+', 'X', 'O', '\t', 'é',
    ];
    let mut characters: Vec<char> = fen.chars().collect();
    let index = random.below(characters.len());
    let character = random.choose(LIKELY);
    match (characters[index], random.below(4)) {
        (run @ '2'..='8', 0) => {
            characters[index] = '1';
            characters.insert(index, (run as u8 - 1) as char);
        }
        (_, 0 | 1) => characters[index] = character,
        (_, 2) => characters.insert(index, character),
        _ => drop(characters.remove(index)),
    }
    characters.into_iter().collect()
}

/// Merges runs of empty cells: `1x111o` becomes `1x3o`.
pub fn merge_runs(row: &str) -> String {
    (2..=8).rev().fold(row.to_string(), |row, run| {
        row.replace(&"1".repeat(run), &run.to_string())
    })
}
