//! Layers: the values of all positions with the same number of turns left.
//!
//! Layer `t` follows from layer `t - 1` alone. So when a layer equals an earlier one, all further layers
//! repeat with that period, and a few layers answer every turn limit.

use std::sync::{Mutex, PoisonError};
use std::thread;

use lodestone_game::board::Bitboard;
use lodestone_game::gridlock::BOARD;

use super::placements::{IMAGES, apply};
use super::positions::{Index, Positions, TILE, WORD, moves_of};

/// The values of 64 positions. A position with neither bit is a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Wins for the side to move. Set too where both sides would share a cell, and behind the
    /// last class: a move there is illegal, and to ignore it is to let the opponent win.
    pub wins: u64,
    /// Losses for the side to move.
    pub losses: u64,
}

impl Word {
    /// The value of the position in this bit.
    pub fn value(self, bit: usize) -> ExactValue {
        match (self.wins >> bit & 1, self.losses >> bit & 1) {
            (_, 1) => ExactValue::Loss,
            (1, _) => ExactValue::Win,
            _ => ExactValue::Draw,
        }
    }
}

/// Words of a row that are computed together.
type Tile = [Word; TILE];

/// Classes of the opponent whose values are computed together.
pub(crate) const TILE_CLASSES: usize = TILE * WORD;

/// The values of all positions with the same number of turns left, for some classes of the
/// opponent's placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// By class, symmetry and place in the row; see [`Positions`].
    words: Vec<Word>,
}

/// By number of a placement of the side to move, the rows of the positions after its moves.
/// The placement with symmetry `s` and class `c` has the number `s` · classes + `c`.
pub struct Followers {
    rows: Vec<u32>,
    /// By number, where its rows begin.
    starts: Vec<u32>,
}

impl Followers {
    /// The rows for all placements.
    pub fn new(positions: &Positions) -> Followers {
        let mut followers = Followers {
            rows: Vec::new(),
            starts: vec![0],
        };
        for symmetry in 0..IMAGES {
            for &cells in &positions.placements.representatives {
                let moves = moves_of(apply(symmetry, cells));
                let rows = moves.map(|(_, moved)| positions.row_against(moved) as u32);
                followers.rows.extend(rows);
                followers.starts.push(followers.rows.len() as u32);
            }
        }
        followers
    }

    fn of(&self, number: usize) -> &[u32] {
        &self.rows[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

impl Layer {
    /// The layer without turns left.
    pub fn first(positions: &Positions, threads: usize) -> Layer {
        let compute = |tile: usize, out: &mut [Word]| final_tile(positions, tile, out);
        Layer {
            words: by_tile(positions, threads, &compute),
        }
    }

    /// The layer with one more turn left.
    #[must_use]
    pub fn next(&self, positions: &Positions, followers: &Followers, threads: usize) -> Layer {
        let compute = |tile: usize, out: &mut [Word]| {
            let rows = self.words.chunks_exact(positions.width);
            let columns = rows.map(|row| tile_of(row, tile)).collect::<Vec<Tile>>();
            next_tile(positions, followers, &columns, tile, out);
        };
        Layer {
            words: by_tile(positions, threads, &compute),
        }
    }

    /// A layer with these words, class by class.
    pub fn of_words(words: Vec<Word>) -> Layer {
        Layer { words }
    }

    /// The value of a position.
    pub(crate) fn value(&self, positions: &Positions, index: Index) -> ExactValue {
        self.class(positions, index.class)[index.word].value(index.bit)
    }

    /// The words of one class.
    pub fn class(&self, positions: &Positions, class: usize) -> &[Word] {
        &self.words[class * positions.class_words()..][..positions.class_words()]
    }
}

/// How many positions of a class have each value, before the symmetries: losses, draws and
/// wins.
pub fn counts(positions: &Positions, class: usize, words: &[Word]) -> [u64; 3] {
    let sizes = &positions.placements.sizes;
    let mut counts = [0; 3];
    for (place, word) in words.iter().enumerate() {
        let first = place % positions.width * WORD;
        let overlap = overlap_in(positions, class, place);
        for (count, mut bits) in
            counts
                .iter_mut()
                .zip([word.losses, !(word.wins | word.losses), word.wins & !overlap])
        {
            while bits != 0 {
                *count += u64::from(sizes[first + bits.trailing_zeros() as usize]);
                bits &= bits - 1;
            }
        }
    }
    // Each placement of the side to move appears once per symmetry that keeps it.
    counts.map(|count| count * u64::from(sizes[class]) / IMAGES as u64)
}

/// The positions of a word in which both sides would share a cell, and the bits behind the
/// last class.
pub(crate) fn overlap_in(positions: &Positions, class: usize, word: usize) -> u64 {
    let representative = positions.placements.representatives[class];
    let mut overlap = !0;
    for (bit, own) in positions.placements_in(word).enumerate() {
        if (own & representative).is_empty() {
            overlap &= !(1 << bit);
        }
    }
    overlap
}

/// The words of one class without turns left.
pub(crate) fn final_words(positions: &Positions, class: usize) -> Vec<Word> {
    let other = positions.placements.representatives[class];
    let word = |place: usize| {
        let overlap = overlap_in(positions, class, place);
        let mut word = Word {
            wins: overlap,
            losses: 0,
        };
        for (bit, own) in positions.placements_in(place).enumerate() {
            if overlap >> bit & 1 == 0 {
                let [wins, losses] = final_value(own, other);
                word.wins |= u64::from(wins) << bit;
                word.losses |= u64::from(losses) << bit;
            }
        }
        word
    };
    (0..positions.class_words()).map(word).collect()
}

/// Whether the side to move wins and whether it loses, without turns left.
fn final_value(own: Bitboard, other: Bitboard) -> [bool; 2] {
    let empty = BOARD & !(own | other);
    let room = (own.neighbours() & empty).count();
    let others_room = (other.neighbours() & empty).count();
    let is_loss = room == 0 || room < others_room;
    [!is_loss && room > others_room, is_loss]
}

fn final_tile(positions: &Positions, tile: usize, out: &mut [Word]) {
    let classes = out.chunks_exact_mut(positions.class_words());
    for (class, out) in (tile * TILE_CLASSES..).zip(classes) {
        out.copy_from_slice(&final_words(positions, class));
    }
}

/// The words of a row that belong to a tile.
pub(crate) fn tile_of(row: &[Word], tile: usize) -> [Word; TILE] {
    std::array::from_fn(|index| row[tile * TILE + index])
}

/// Computes the words of the classes of a tile from the layer with one turn less. `columns`
/// are its rows, cut to the tile.
///
/// A move wins if the position after it is a loss for the opponent. The side to move loses if
/// the positions after all moves are wins for the opponent. So a bit operation computes a
/// move in 64 positions. The results have the classes of the opponent in their bits and are
/// transposed.
pub(crate) fn next_tile(
    positions: &Positions,
    followers: &Followers,
    columns: &[[Word; TILE]],
    tile: usize,
    out: &mut [Word],
) {
    let class_words = positions.class_words();
    for place in 0..class_words {
        let symmetry = place / positions.width;
        let first = place % positions.width * WORD;
        let mut wins = [[!0; WORD]; TILE];
        let mut losses = [[0; WORD]; TILE];
        for (bit, own) in positions.placements_in(place).enumerate() {
            let mut any_loss = [0; TILE];
            let mut all_wins = [!0; TILE];
            for &row in followers.of(symmetry * positions.classes() + first + bit) {
                let next = &columns[row as usize];
                for index in 0..TILE {
                    any_loss[index] |= next[index].losses;
                    all_wins[index] &= next[index].wins;
                }
            }
            for index in 0..TILE {
                let legal = positions.disjoint(own, tile * TILE + index);
                wins[index][bit] = any_loss[index] | !legal;
                losses[index][bit] = all_wins[index] & legal;
            }
        }
        for (index, (wins, losses)) in wins.iter_mut().zip(&mut losses).enumerate() {
            transpose(wins);
            transpose(losses);
            let classes = out.chunks_exact_mut(class_words).skip(index * WORD);
            for (class, (&wins, &losses)) in classes.zip(wins.iter().zip(losses.iter())) {
                class[place] = Word { wins, losses };
            }
        }
    }
}

/// Transposes a matrix of bits: bit `j` of word `i` goes to bit `i` of word `j`.
///
/// Source: Warren, "Hacker's Delight", 7-3.
fn transpose(matrix: &mut [u64; WORD]) {
    let (mut half, mut mask) = (WORD / 2, u64::MAX >> (WORD / 2));
    while half > 0 {
        let mut index = 0;
        while index < WORD {
            let swapped = (matrix[index] >> half ^ matrix[index | half]) & mask;
            matrix[index] ^= swapped << half;
            matrix[index | half] ^= swapped;
            index = ((index | half) + 1) & !half;
        }
        half /= 2;
        mask ^= mask << half;
    }
}

/// The words of all classes, computed tile by tile on this number of threads, or fewer where
/// the system refuses some.
fn by_tile(
    positions: &Positions,
    threads: usize,
    compute: &(dyn Fn(usize, &mut [Word]) + Sync),
) -> Vec<Word> {
    let mut words = vec![Word::default(); positions.classes() * positions.class_words()];
    let tiles = words.chunks_mut(TILE_CLASSES * positions.class_words());
    in_parallel(tiles.enumerate(), threads, &|(tile, out)| compute(tile, out));
    words
}

/// Calls `work` for each item, on this number of threads. If the system refuses a thread, the
/// others do its work.
pub fn in_parallel<T: Send>(
    items: impl Iterator<Item = T> + Send,
    threads: usize,
    work: &(dyn Fn(T) + Sync),
) {
    let items = Mutex::new(items);
    let run = || {
        loop {
            let item = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            match item {
                Some(item) => work(item),
                None => break,
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
}

/// The value of a position for the side to move, with best play of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExactValue {
    /// A loss.
    Loss = 1,
    /// A draw.
    Draw = 2,
    /// A win.
    Win = 3,
}

impl ExactValue {
    /// The value of the same result for the other side.
    #[must_use]
    pub(crate) fn reversed(self) -> ExactValue {
        match self {
            ExactValue::Loss => ExactValue::Win,
            ExactValue::Draw => ExactValue::Draw,
            ExactValue::Win => ExactValue::Loss,
        }
    }

    /// The value of a position by the values of the positions after its moves, each for its
    /// own side to move. Without a move it is a loss.
    pub fn of_next(next: impl Iterator<Item = ExactValue>) -> ExactValue {
        next.min().map_or(ExactValue::Loss, ExactValue::reversed)
    }
}

/// The exact values of all positions with a fixed number of pieces, as far as they are
/// computed.
pub struct Layers {
    positions: Positions,
    followers: Followers,
    /// By turns left, from 0.
    by_turns: Vec<Layer>,
    /// The layer that follows the last one, once the layers repeat.
    repeats_at: Option<usize>,
}

impl Layers {
    /// No layers yet, for 1 to 3 pieces a side.
    pub(crate) fn new(pieces: u32) -> Layers {
        let positions = Positions::new(pieces);
        Layers {
            followers: Followers::new(&positions),
            positions,
            by_turns: Vec::new(),
            repeats_at: None,
        }
    }

    /// Whether the values for this many turns left are known.
    pub(crate) fn covers(&self, turns_left: u32) -> bool {
        self.layer_index(turns_left).is_some()
    }

    /// Computes the next layer. Does nothing once the layers repeat.
    pub(crate) fn extend(&mut self) {
        if self.repeats_at.is_some() {
            return;
        }
        let layer = match self.by_turns.last() {
            Some(last) => last.next(&self.positions, &self.followers, 1),
            None => Layer::first(&self.positions, 1),
        };
        self.repeats_at = self.by_turns.iter().position(|earlier| *earlier == layer);
        if self.repeats_at.is_none() {
            self.by_turns.push(layer);
        }
    }

    /// The value of a position; `None` if its layer is not computed yet. `pieces` are those of
    /// the side to move, then the opponent's.
    pub(crate) fn value(&self, [own, other]: [Bitboard; 2], turns_left: u32) -> Option<ExactValue> {
        let layer = &self.by_turns[self.layer_index(turns_left)?];
        Some(layer.value(&self.positions, self.positions.index(own, other)))
    }

    fn layer_index(&self, turns_left: u32) -> Option<usize> {
        let (turns, count) = (turns_left as usize, self.by_turns.len());
        match self.repeats_at {
            _ if turns < count => Some(turns),
            Some(start) => Some(start + (turns - start) % (count - start)),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::random::Random;

    use super::*;

    #[test]
    fn transposes_bits() {
        let mut random = Random::new(1);
        let matrix: [u64; WORD] = std::array::from_fn(|_| random.next_u64());
        let mut transposed = matrix;
        transpose(&mut transposed);
        for (row, word) in matrix.iter().enumerate() {
            for (column, other) in transposed.iter().enumerate() {
                assert_eq!(word >> column & 1, other >> row & 1, "{row} {column}");
            }
        }
    }

    /// The slow twin: each position of a layer from the positions after its moves, one by one.
    #[test]
    fn a_layer_follows_from_the_one_before() {
        for (pieces, threads) in [(1, 1), (2, 3)] {
            let positions = Positions::new(pieces);
            let followers = Followers::new(&positions);
            let mut previous = Layer::first(&positions, threads);
            for _ in 0..3 {
                let layer = previous.next(&positions, &followers, threads);
                let mut seen = [0; 3];
                for class in 0..positions.classes() {
                    let other = positions.placements.representatives[class];
                    for place in 0..positions.class_words() {
                        let overlap = overlap_in(&positions, class, place);
                        for (bit, own) in positions.placements_in(place).enumerate() {
                            if overlap >> bit & 1 == 1 {
                                continue;
                            }
                            let legal = moves_of(own).filter(|(to, _)| (*to & other).is_empty());
                            let next = legal
                                .map(|(_, moved)| previous.value(&positions, positions.index(other, moved)));
                            let expected = ExactValue::of_next(next);
                            let word = layer.class(&positions, class)[place];
                            assert_eq!(word.value(bit), expected, "{own:?} {other:?}");
                            assert_eq!(
                                layer.value(&positions, positions.index(own, other)),
                                expected,
                                "{own:?} {other:?}"
                            );
                            seen[expected as usize - 1] += 1;
                        }
                    }
                }
                assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
                previous = layer;
            }
        }
    }

    #[test]
    fn counts_all_positions() {
        let positions = Positions::new(2);
        let layer = Layer::first(&positions, 1);
        let sum = (0..positions.classes()).fold([0; 3], |sum, class| {
            let counts = counts(&positions, class, layer.class(&positions, class));
            std::array::from_fn(|value| sum[value] + counts[value])
        });
        // The figures of the table in `research/notes/gridlock.md`.
        assert_eq!(sum, [459_268, 352_720, 459_268]);
        // 49 · 48 / 2 placements of one side, 47 · 46 / 2 of the other.
        assert_eq!(sum.iter().sum::<u64>(), 1176 * 1081);
    }
}

#[cfg(test)]
mod layers_tests {
    use super::*;

    /// Turns left after which the values repeat, and the period; `None` until it is found.
    fn period_of(layers: &Layers) -> Option<(usize, usize)> {
        layers
            .repeats_at
            .map(|start| (start, layers.by_turns.len() - start))
    }
    use lodestone_game::board::Side;
    use lodestone_game::gridlock::Gridlock;
    use lodestone_game::random::Random;
    use lodestone_game::{Game, Setup};

    /// Plain minimax.
    fn minimax(position: &Gridlock) -> ExactValue {
        if let Some(outcome) = position.outcome() {
            return match outcome.points_for(position.side_to_move()) {
                1 => ExactValue::Win,
                0 => ExactValue::Draw,
                _ => ExactValue::Loss,
            };
        }
        let moves = position.generate_moves();
        let values = moves.iter().map(|&mv| minimax(&position.play(mv)));
        values.min().map_or(ExactValue::Loss, ExactValue::reversed)
    }

    fn value(layers: &Layers, position: &Gridlock) -> Option<ExactValue> {
        let side = position.side_to_move();
        let pieces = [side, side.opponent()].map(|side| position.pieces(side));
        layers.value(pieces, position.plies_left())
    }

    #[test]
    fn agrees_with_minimax() {
        let mut random = Random::new(7);
        let mut seen = [0; 3];
        for (pieces, turns) in [(1, 9), (2, 5u32)] {
            let mut layers = Layers::new(pieces);
            for _ in 0..=turns {
                layers.extend();
            }
            for _ in 0..400 {
                let setup = Setup {
                    pieces,
                    turns: 1 + random.below(u64::from(turns)) as u32,
                };
                let start = Gridlock::random_start(setup, &mut random);
                let after = start.play(start.generate_moves()[0]);
                for position in [start, after] {
                    let expected = minimax(&position);
                    assert_eq!(value(&layers, &position), Some(expected), "{}", position.fen());
                    seen[expected as usize - 1] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
    }

    #[test]
    fn layers_repeat() {
        // The figures of the table in `research/gridlock.md`.
        for (pieces, period) in [(1, (4, 1)), (2, (34, 4))] {
            let mut layers = Layers::new(pieces);
            while period_of(&layers).is_none() {
                layers.extend();
            }
            assert_eq!(period_of(&layers), Some(period));
            assert!(layers.covers(1000));
        }
    }

    #[test]
    fn a_period_answers_every_turn_limit() {
        let mut layers = Layers::new(2);
        let mut random = Random::new(3);
        let starts: Vec<Gridlock> = (0..100)
            .map(|_| Gridlock::random_start(Setup { pieces: 2, turns: 40 }, &mut random))
            .collect();
        while period_of(&layers).is_none() {
            layers.extend();
        }
        // A layer beyond those that are stored, one step of minimax from its predecessor.
        for start in starts {
            let pieces = Side::BOTH.map(|side| start.pieces(side));
            for turns in [38, 39, 61, 200, 999] {
                let children = start.generate_moves();
                let values = children.iter().map(|&mv| {
                    let next = start.play(mv);
                    let pieces = [Side::Second, Side::First].map(|side| next.pieces(side));
                    layers.value(pieces, turns - 1)
                });
                let best = values.min().flatten().map(ExactValue::reversed);
                assert_eq!(layers.value(pieces, turns), best, "{} {turns}", start.fen());
            }
        }
    }
}
