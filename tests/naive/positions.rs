//! Positions by chance, the same on every machine: FENs with bricks and pieces
//! anywhere, crowded boards, and whole games of random moves.

use super::{Position, Rules};

/// Random numbers from a seed (`SplitMix64`), so that a test that fails today
/// fails tomorrow.
pub struct Dice(u64);

impl Dice {
    /// The numbers that `seed` stands for.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number from 0 to `bound` − 1.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// One of `items`.
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

/// The board field of a FEN with `x` and `o` on the cells with these numbers,
/// counted from 0 along the rows from the top.
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

/// The FEN of a board with `xs` and `os` on random cells and `rest` behind it:
/// the side to move and, in Gridlock, the turns. It need not be an allowed one.
pub fn scattered(rules: Rules, (xs, os): (usize, usize), rest: &str, dice: &mut Dice) -> String {
    let cells = dice.order(rules.size() * rules.size());
    let board = board(rules, &cells[..xs], &cells[xs..xs + os]);
    format!("{board} {rest}")
}

/// Magnetic Cave: a FEN with any number of bricks on random cells and either
/// side to move. Most are allowed; now and then the counts are wrong, and on
/// fuller boards the wrong side has five.
pub fn scattered_bricks(dice: &mut Dice) -> String {
    let os = dice.below(25);
    let (xs, side) = dice.choose(&[(os, "x"), (os, "x"), (os + 1, "o"), (os + 1, "o"), (os + 2, "x")]);
    scattered(Rules::MagneticCave, (xs, os), side, dice)
}

/// Gridlock: a FEN with 1 to 24 pieces a side on random cells, either side to
/// move, whatever number of turns was played, often close to the turn limit.
pub fn scattered_pieces(dice: &mut Dice) -> String {
    let count = dice.between(1, 24);
    let side = dice.choose(&["x", "o"]);
    let longest = dice.choose(&[3, 50, 1000]);
    let limit = dice.between(1, longest);
    let most_left = dice.choose(&[4, limit]).min(limit);
    let left = dice.between(0, most_left);
    let rest = format!("{side} {} {limit}", limit - left);
    scattered(Rules::Gridlock, (count, count), &rest, dice)
}

/// Magnetic Cave: a board filled cell by cell in a random order, supported or
/// not, with as few fives as can be: `bricks` of them, fewer when every further
/// brick would complete a line.
pub fn crowded(bricks: usize, dice: &mut Dice) -> Position {
    let mut position = Position::start(Rules::MagneticCave);
    for cell in dice.order(64) {
        let next = position.with_brick(cell / 8, cell % 8);
        if next.count('.') >= 64 - bricks && !next.has_five('x') && !next.has_five('o') {
            position = next;
        }
    }
    position
}

/// All positions of a random game from `start`, `start` itself first, the
/// finished one last.
pub fn random_game(start: Position, dice: &mut Dice) -> Vec<Position> {
    let mut game = vec![start];
    loop {
        let position = game.last().unwrap();
        let moves = position.legal_moves();
        if moves.is_empty() {
            return game;
        }
        let next = position.play(&dice.choose(&moves)).unwrap();
        game.push(next);
    }
}

/// `fen` with one character changed, left out or put in, or with a run of empty
/// cells written as two: nearly a FEN.
pub fn misspelt(fen: &str, dice: &mut Dice) -> String {
    const LIKELY: &[char] = &[
        'x', 'o', '/', ' ', '0', '1', '2', '6', '7', '8', '9', '-', '+', 'X', 'O', '\t', 'é',
    ];
    let mut characters: Vec<char> = fen.chars().collect();
    let place = dice.below(characters.len());
    let character = dice.choose(LIKELY);
    match (characters[place], dice.below(4)) {
        (run @ '2'..='8', 0) => {
            characters[place] = '1';
            characters.insert(place, (run as u8 - 1) as char);
        }
        (_, 0 | 1) => characters[place] = character,
        (_, 2) => characters.insert(place, character),
        _ => drop(characters.remove(place)),
    }
    characters.into_iter().collect()
}

/// `1x111o` as `1x3o`: one digit for each run of empty cells.
pub fn merge_runs(row: &str) -> String {
    (2..=8).rev().fold(row.to_string(), |row, run| {
        row.replace(&"1".repeat(run), &run.to_string())
    })
}
