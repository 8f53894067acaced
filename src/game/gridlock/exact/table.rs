//! Exact values from a file, read class by class on need.
//!
//! A file holds the layers of every second turn, [`GROUP_LAYERS`] of them in a group. The value
//! at an odd number of turns left follows from the positions after each move. In a group the
//! first layer is stored as its changes from a position where all is drawn, except that the
//! first layer of the file follows from the rules. Each other layer is stored as its changes
//! from the one before.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use lodestone_game::board::Bitboard;
use lodestone_game::text::open_regular;

use super::changes::{BitReader, BitWriter, apply_changes, write_changes};
use super::file::{Contents, End, Group, read_chunk, scan};
use super::layer::{ExactValue, Word, final_words, overlap_in};
use super::positions::{Positions, moves_of};

/// Turns between two stored layers.
pub const STRIDE: u32 = 2;

/// Layers in a group.
pub const GROUP_LAYERS: usize = 16;

/// Chunks in memory. With three pieces a side they take at most 42 MB.
const MAX_CHUNKS: usize = 512;

/// The exact values in a file.
pub struct Table {
    file: File,
    /// Pieces a side.
    pub pieces: u32,
    positions: Positions,
    groups: Vec<Group>,
    end: End,
    /// By group and class, the words of all layers of a chunk.
    chunks: HashMap<(usize, usize), Vec<Word>>,
}

impl Table {
    /// Opens a finished table and compares its checksums.
    ///
    /// # Errors
    /// A sentence that says why the file cannot be used.
    pub fn open(path: &Path) -> Result<Table, String> {
        let mut file = open_regular(path).map_err(|error| format!("it cannot be opened: {error}"))?;
        let (contents, defect) = scan(&mut file)?;
        let Contents {
            pieces, groups, end, ..
        } = contents;
        match (defect, end) {
            (None, Some(end)) => Ok(Table {
                file,
                pieces,
                positions: Positions::new(pieces),
                groups,
                end,
                chunks: HashMap::new(),
            }),
            (defect, _) => Err(defect.unwrap_or_default()),
        }
    }

    /// The greatest number of turns left for which values are known; `None` if there is no
    /// limit.
    pub fn max_turns(&self) -> Option<u32> {
        let is_finite = self.end.repeats_at.is_none();
        is_finite.then_some(self.end.layers as u32 * STRIDE - 1)
    }

    /// Turns left after which the values repeat, and a multiple of the period; `None` if no
    /// period is known.
    pub fn period(&self) -> Option<(u32, u32)> {
        let start = self.end.repeats_at?;
        Some((start as u32 * STRIDE, (self.end.layers - start) as u32 * STRIDE))
    }

    /// The value of a position; `None` if the table does not hold it, or if the file can no
    /// longer be read. `pieces` are those of the side to move, then the opponent's.
    pub fn value(&mut self, pieces: [Bitboard; 2], turns_left: u32) -> Option<ExactValue> {
        let [own, other] = pieces;
        if own.count() != self.pieces {
            return None;
        }
        if turns_left.is_multiple_of(STRIDE) {
            return self.stored_value(pieces, turns_left);
        }
        let legal = moves_of(own).filter(|(to, _)| (*to & other).is_empty());
        let mut next = Vec::new();
        for (_, moved) in legal {
            next.push(self.stored_value([other, moved], turns_left - 1)?);
        }
        Some(ExactValue::of_next(next.into_iter()))
    }

    fn stored_value(&mut self, [own, other]: [Bitboard; 2], turns_left: u32) -> Option<ExactValue> {
        let End { layers, repeats_at } = self.end;
        let mut layer = (turns_left / STRIDE) as usize;
        if layer >= layers {
            let start = repeats_at?;
            layer = start + (layer - start) % (layers - start);
        }
        let index = self.positions.index(own, other);
        let key = (layer / GROUP_LAYERS, index.class);
        if !self.chunks.contains_key(&key) {
            let group = self.groups.get(key.0)?;
            let bytes = read_chunk(&mut self.file, group, index.class).ok()?;
            let base = match key.0 {
                0 => final_words(&self.positions, index.class),
                // No one asks for a position in which both sides share a cell.
                _ => vec![Word::default(); self.positions.class_words()],
            };
            let words = read_layers(base, group.layers, &bytes)?;
            if self.chunks.len() >= MAX_CHUNKS {
                self.chunks.clear();
            }
            self.chunks.insert(key, words);
        }
        let first = layer % GROUP_LAYERS * self.positions.class_words();
        let word = self.chunks.get(&key)?.get(first + index.word)?;
        Some(word.value(index.bit))
    }
}

/// The words from which the first layer of a group is coded. Their wins have the positions
/// set in which both sides would share a cell.
pub fn base_words(positions: &Positions, group: usize, class: usize) -> Vec<Word> {
    if group == 0 {
        return final_words(positions, class);
    }
    let all_drawn = |place| Word {
        wins: overlap_in(positions, class, place),
        losses: 0,
    };
    (0..positions.class_words()).map(all_drawn).collect()
}

/// Appends the words of a class to its chunk. `before` are those of the layer before; `None`
/// at the first layer of a group.
pub fn write_layer(
    writer: &mut BitWriter,
    positions: &Positions,
    (group, class): (usize, usize),
    before: Option<&[Word]>,
    words: &[Word],
) {
    match before {
        Some(before) => write_changes(writer, before, words),
        None => write_changes(writer, &base_words(positions, group, class), words),
    }
}

/// The words of a class in all layers of a group, one layer behind the other; `None` if the
/// chunk is damaged. `words` are those from which the first layer is coded.
pub fn read_layers(mut words: Vec<Word>, layers: usize, chunk: &[u8]) -> Option<Vec<Word>> {
    let mut reader = BitReader::new(chunk);
    let mut all = Vec::with_capacity(layers.min(GROUP_LAYERS) * words.len());
    for _ in 0..layers {
        apply_changes(&mut reader, &mut words)?;
        all.extend_from_slice(&words);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_number_of_layers_takes_no_memory() {
        assert_eq!(read_layers(vec![Word::default(); 40], usize::MAX, &[]), None);
    }
}
