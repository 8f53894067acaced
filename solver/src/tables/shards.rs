//! One layer, computed in shards without communication. Each shard computes the positions of
//! some classes of the opponent and writes one file; the next layer reads the files of all
//! shards.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4, 4, 4, 4 | pieces a side, turns left, number of the shard from 0, number of shards |
//! | 16 each | the words, class by class: wins, losses |
//! | 8 | checksum of all words and numbers |
//!
//! All numbers are little-endian.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use lodestone::board::{Bitboard, Side};
use lodestone::game::gridlock::Gridlock;
use lodestone::game::gridlock::exact::layer::{
    ExactValue, Followers, TILE_CLASSES, Word, counts, final_words, in_parallel, next_tile, tile_of,
};
use lodestone::game::gridlock::exact::positions::{Positions, TILE};
use lodestone::game::{Game, Setup};
use lodestone::random::{Random, mix};

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"LODELYR1";

/// Bytes of the buffers of files.
const BUFFER: usize = 1 << 20;

/// A part of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Pieces a side.
    pub pieces: u32,
    /// Turns left.
    pub turns: u32,
    /// The number of this shard, from 0.
    pub index: u32,
    /// The number of shards of this layer.
    pub count: u32,
}

/// The values of a shard.
pub struct ShardValues {
    /// All positions.
    pub positions: Positions,
    classes: Range<usize>,
    words: Vec<Word>,
}

impl Shard {
    /// The file of this shard.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!(
            "pieces-{}-turns-{}-shard-{}-of-{}.layer",
            self.pieces, self.turns, self.index, self.count
        ))
    }

    /// The tiles of this shard.
    fn tiles(&self, positions: &Positions) -> Range<usize> {
        let tiles = positions.classes().div_ceil(TILE_CLASSES);
        let start = |index: u32| index as usize * tiles / self.count as usize;
        start(self.index)..start(self.index + 1)
    }

    /// The classes of this shard.
    fn classes(&self, positions: &Positions) -> Range<usize> {
        let tiles = self.tiles(positions);
        let [start, end] = [tiles.start, tiles.end].map(|tile| tile * TILE_CLASSES);
        start..end.min(positions.classes())
    }

    /// The bytes of memory that the computation needs.
    pub fn memory(&self, positions: &Positions) -> usize {
        let words = self.classes(positions).len() * positions.class_words();
        let columns = if self.turns > 0 {
            self.tiles(positions).len() * TILE * positions.rows()
        } else {
            0
        };
        (words + columns) * size_of::<Word>()
    }

    /// Computes the values, from all shards of the layer before in `folder`.
    ///
    /// # Errors
    /// A sentence: a file of the layer before is missing or damaged.
    pub fn compute(
        &self,
        positions: Positions,
        folder: &Path,
        threads: usize,
    ) -> Result<ShardValues, String> {
        let classes = self.classes(&positions);
        let mut words = vec![Word::default(); classes.len() * positions.class_words()];
        let tile_words = TILE_CLASSES * positions.class_words();
        if self.turns == 0 {
            let out = words.chunks_mut(positions.class_words());
            in_parallel(classes.clone().zip(out), threads, &|(class, out)| {
                out.copy_from_slice(&final_words(&positions, class));
            });
        } else {
            let tiles = self.tiles(&positions);
            let columns = self.columns(&positions, tiles.clone(), folder)?;
            let followers = Followers::new(&positions);
            let work = tiles.zip(&columns).zip(words.chunks_mut(tile_words));
            in_parallel(work, threads, &|((tile, columns), out)| {
                next_tile(&positions, &followers, columns, tile, out);
            });
        }
        Ok(ShardValues {
            positions,
            classes,
            words,
        })
    }

    /// The rows of the layer before, cut to each of these tiles.
    fn columns(
        &self,
        positions: &Positions,
        tiles: Range<usize>,
        folder: &Path,
    ) -> Result<Vec<Vec<[Word; TILE]>>, String> {
        let mut columns = vec![Vec::with_capacity(positions.rows()); tiles.len()];
        for index in 0..self.count {
            let turns = self.turns - 1;
            let before = Shard {
                turns,
                index,
                ..*self
            };
            before.read(positions, folder, &mut |row| {
                for (tile, columns) in tiles.clone().zip(&mut columns) {
                    columns.push(tile_of(row, tile));
                }
            })?;
        }
        Ok(columns)
    }

    /// Reads the file of this shard, row by row.
    ///
    /// # Errors
    /// A sentence: it is missing, damaged or of another shard.
    pub fn read(
        &self,
        positions: &Positions,
        folder: &Path,
        each_row: &mut dyn FnMut(&[Word]),
    ) -> Result<(), String> {
        let path = self.path(folder);
        let wrong = |error: &io::Error| match error.kind() {
            ErrorKind::NotFound => format!("{}: it is missing; compute it first", path.display()),
            ErrorKind::UnexpectedEof => format!("{}: it is cut off; remove it", path.display()),
            _ => format!("{}: it cannot be read: {error}", path.display()),
        };
        let file = File::open(&path).map_err(|error| wrong(&error))?;
        let mut file = BufReader::with_capacity(BUFFER, file);
        let mut header = [0; 24];
        file.read_exact(&mut header).map_err(|error| wrong(&error))?;
        if header != self.header() {
            return Err(format!("{}: it is another file; remove it", path.display()));
        }
        let mut sum = self.first_sum();
        let mut bytes = vec![0; positions.width() * size_of::<Word>()];
        let mut row = vec![Word::default(); positions.width()];
        let rows = self.classes(positions).len() * (positions.class_words() / positions.width());
        for _ in 0..rows {
            file.read_exact(&mut bytes).map_err(|error| wrong(&error))?;
            for (word, bytes) in row.iter_mut().zip(bytes.chunks_exact(size_of::<Word>())) {
                let (wins, losses) = bytes.split_at(8);
                let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |&eight| u64::from_le_bytes(eight));
                *word = Word {
                    wins: number(wins),
                    losses: number(losses),
                };
                sum = add_to_sum(sum, *word);
            }
            each_row(&row);
        }
        let mut found = [0; 8];
        file.read_exact(&mut found).map_err(|error| wrong(&error))?;
        if sum.to_le_bytes() != found {
            let path = path.display();
            return Err(format!("{path}: it does not fit its checksum; remove it"));
        }
        Ok(())
    }

    /// Writes the file of this shard; it has its name only when it is whole.
    ///
    /// # Errors
    /// A sentence: it cannot be written.
    pub fn write(&self, values: &ShardValues, folder: &Path) -> Result<(), String> {
        let path = self.path(folder);
        let partial = path.with_extension("partial");
        let write = || -> io::Result<()> {
            let mut file = BufWriter::with_capacity(BUFFER, File::create(&partial)?);
            file.write_all(&self.header())?;
            let mut sum = self.first_sum();
            for word in &values.words {
                file.write_all(&word.wins.to_le_bytes())?;
                file.write_all(&word.losses.to_le_bytes())?;
                sum = add_to_sum(sum, *word);
            }
            file.write_all(&sum.to_le_bytes())?;
            file.into_inner()?.sync_data()?;
            fs::rename(&partial, &path)
        };
        write().map_err(|error| format!("{}: it cannot be written: {error}", path.display()))
    }

    fn header(&self) -> [u8; 24] {
        let mut header = [0; 24];
        let numbers = [self.pieces, self.turns, self.index, self.count];
        header[..8].copy_from_slice(&MAGIC);
        header[8..].copy_from_slice(&numbers.map(u32::to_le_bytes).concat());
        header
    }

    fn first_sum(&self) -> u64 {
        mix(u64::from(self.pieces) << 48 | u64::from(self.turns) << 32 | u64::from(self.index) << 16)
            ^ u64::from(self.count)
    }
}

/// A changed word always changes the sum: each step is a bijection of the sum.
fn add_to_sum(sum: u64, word: Word) -> u64 {
    let sum = mix(sum ^ word.wins).wrapping_add(1);
    mix(sum ^ word.losses).wrapping_add(1)
}

impl ShardValues {
    /// The number of losses, draws and wins for the side to move, before the symmetries.
    pub fn counts(&self) -> [u64; 3] {
        let words = self.words.chunks_exact(self.positions.class_words());
        let each = self.classes.clone().zip(words);
        let counts = each.map(|(class, words)| counts(&self.positions, class, words));
        counts.fold([0; 3], |sum, counts| {
            std::array::from_fn(|value| sum[value] + counts[value])
        })
    }

    /// Compares random positions of this shard with a plain search to the end of the game;
    /// `samples` positions are drawn. Returns how many belong to this shard.
    ///
    /// # Errors
    /// A sentence that names a position whose value differs.
    pub fn check(&self, turns: u32, samples: u32, seed: u64) -> Result<u32, String> {
        let mut random = Random::new(seed);
        let pieces = self.positions.placements.representatives()[0].count();
        let mut checked = 0;
        for _ in 0..samples {
            let setup = Setup {
                pieces,
                turns: turns.max(1),
            };
            let start = Gridlock::random_start(setup, &mut random);
            let position = start.with_turns_left(Side::First, turns);
            let [own, other] = Side::BOTH.map(|side| position.pieces(side));
            if self.value(own, other).is_some() {
                checked += 1;
                // Only the position itself comes from the shard; the search needs no values.
                compare_one(&position, turns + 1, &mut |[own, other], _| {
                    self.value(own, other)
                })?;
            }
        }
        Ok(checked)
    }

    /// The value of a position; `None` if it belongs to another shard. `own` are the pieces of
    /// the side to move.
    pub fn value(&self, own: Bitboard, other: Bitboard) -> Option<ExactValue> {
        let index = self.positions.index(own, other);
        let class = index.class.checked_sub(self.classes.start)?;
        let word = self
            .words
            .get(class * self.positions.class_words() + index.word)?;
        Some(word.value(index.bit))
    }
}

// Compares exact values with a plain search.

/// Where the values beyond the depth of the search come from: the pieces of the side to move
/// and of the opponent, and the turns left.
pub type Source<'a> = dyn FnMut([Bitboard; 2], u32) -> Option<ExactValue> + 'a;

/// Compares this many random positions with up to `max_turns` turns left with a plain search
/// of `depth` plies, which uses the values of `source` where the game goes on.
///
/// # Errors
/// A sentence that names a position whose value differs or is missing.
pub fn compare(
    (pieces, max_turns): (u32, u32),
    depth: u32,
    samples: u32,
    random: &mut Random,
    source: &mut Source<'_>,
) -> Result<(), String> {
    for _ in 0..samples {
        let turns = 1 + random.below(u64::from(max_turns.clamp(1, Setup::MAX_TURNS))) as u32;
        let mut position = Gridlock::random_start(Setup { pieces, turns }, random);
        if random.below(2) == 0 {
            position = position.with_turns_left(Side::Second, turns);
        }
        compare_one(&position, depth, source)?;
    }
    Ok(())
}

/// Compares one position with a plain search.
///
/// # Errors
/// As [`compare`].
pub fn compare_one(position: &Gridlock, depth: u32, source: &mut Source<'_>) -> Result<(), String> {
    let found = value_in(position, source);
    let expected = search(position, depth, source);
    if found.is_some() && found == expected {
        return Ok(());
    }
    Err(format!(
        "{}: the value is {found:?}, a plain search finds {expected:?}",
        position.fen()
    ))
}

fn value_in(position: &Gridlock, source: &mut Source<'_>) -> Option<ExactValue> {
    let side = position.side_to_move();
    let pieces = [side, side.opponent()].map(|side| position.pieces(side));
    source(pieces, position.plies_left())
}

/// Plain minimax by the rules, with values of the source after `depth` plies.
fn search(position: &Gridlock, depth: u32, source: &mut Source<'_>) -> Option<ExactValue> {
    if let Some(outcome) = position.outcome() {
        return Some(match outcome.points_for(position.side_to_move()) {
            1 => ExactValue::Win,
            0 => ExactValue::Draw,
            _ => ExactValue::Loss,
        });
    }
    if depth == 0 {
        return value_in(position, source);
    }
    let mut next = Vec::new();
    for &mv in position.generate_moves().iter() {
        next.push(search(&position.play(mv), depth - 1, source)?);
    }
    Some(ExactValue::of_next(next.into_iter()))
}
