//! The words of a class in one layer, coded as the positions whose value differs from another
//! layer. Few values change from one layer to the next but one.
//!
//! The distances between changed positions are Rice codes: a distance `d` with the parameter
//! `k` is `d >> k` in unary, then the low `k` bits. A bit tells which of the two other values
//! a position gets. Source: Rice and Plaunt, "Adaptive variable-length coding for efficient
//! compression of spacecraft television data", 1971.

use super::layer::Word;
use super::positions::WORD;

/// Bits of the parameter of a Rice code.
const PARAMETER_BITS: u32 = 5;

/// Bits of the number of changes.
const COUNT_BITS: u32 = 32;

/// Collects bits, the lowest bit of a byte first.
#[derive(Debug, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    buffer: u64,
    used: u32,
}

impl BitWriter {
    /// Appends the low `bits` bits of a value, at most 32.
    fn write(&mut self, value: u64, bits: u32) {
        self.buffer |= (value & ((1 << bits) - 1)) << self.used;
        self.used += bits;
        while self.used >= u8::BITS {
            self.bytes.push(self.buffer as u8);
            self.buffer >>= u8::BITS;
            self.used -= u8::BITS;
        }
    }

    fn write_unary(&mut self, mut ones: u64) {
        while ones >= 32 {
            self.write(u64::MAX, 32);
            ones -= 32;
        }
        self.write((1 << ones) - 1, ones as u32 + 1);
    }

    /// The bytes; unused bits of the last one are 0.
    pub fn finish(mut self) -> Vec<u8> {
        if self.used > 0 {
            self.bytes.push(self.buffer as u8);
        }
        self.bytes
    }
}

/// Reads what a [`BitWriter`] wrote.
#[derive(Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    buffer: u64,
    available: u32,
}

impl<'a> BitReader<'a> {
    /// A reader of these bytes.
    pub(crate) fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader {
            bytes,
            buffer: 0,
            available: 0,
        }
    }

    /// Fills the buffer with at least 49 bits, if there are any.
    fn fill(&mut self) {
        while self.available <= 48
            && let Some((&byte, rest)) = self.bytes.split_first()
        {
            self.buffer |= u64::from(byte) << self.available;
            self.available += u8::BITS;
            self.bytes = rest;
        }
    }

    fn skip(&mut self, bits: u32) {
        self.buffer >>= bits;
        self.available -= bits;
    }

    /// The next bits, at most 32; `None` behind the end.
    fn read(&mut self, bits: u32) -> Option<u64> {
        if self.available < bits {
            self.fill();
        }
        if self.available < bits {
            return None;
        }
        let value = self.buffer & ((1 << bits) - 1);
        self.skip(bits);
        Some(value)
    }

    fn read_unary(&mut self) -> Option<u64> {
        let mut total = 0;
        loop {
            if self.available == 0 {
                self.fill();
            }
            if self.available == 0 {
                return None;
            }
            let ones = self.buffer.trailing_ones().min(self.available);
            self.skip(ones);
            total += u64::from(ones);
            if self.available > 0 {
                self.skip(1);
                return Some(total);
            }
        }
    }
}

/// Writes the changes that turn the words `before` into `after`.
pub(crate) fn write_changes(writer: &mut BitWriter, before: &[Word], after: &[Word]) {
    let mut changes = Vec::new();
    for (place, (before, after)) in before.iter().zip(after).enumerate() {
        let mut open = (before.wins ^ after.wins) | (before.losses ^ after.losses);
        while open != 0 {
            let bit = open.trailing_zeros() as usize;
            open &= open - 1;
            let step = (after.value(bit) as u64 + 3 - before.value(bit) as u64) % 3;
            changes.push(((place * WORD + bit) as u64, step - 1));
        }
    }
    let mean = ((before.len() * WORD) / changes.len().max(1)) as u64;
    // The best parameter for a geometric distribution of this mean is near
    // log₂(mean · ln 2).
    let parameter = (mean * 7 / 10).max(1).ilog2();
    writer.write(changes.len() as u64, COUNT_BITS);
    writer.write(u64::from(parameter), PARAMETER_BITS);
    let mut next = 0;
    for (place, step) in changes {
        let distance = place - next;
        writer.write_unary(distance >> parameter);
        writer.write(distance, parameter);
        writer.write(step, 1);
        next = place + 1;
    }
}

/// Applies changes to words. `None` if the bits hold no changes of as many words.
pub(crate) fn apply_changes(reader: &mut BitReader<'_>, words: &mut [Word]) -> Option<()> {
    let count = reader.read(COUNT_BITS)?;
    let parameter = reader.read(PARAMETER_BITS)? as u32;
    let mut next = 0;
    for _ in 0..count {
        let distance = reader.read_unary()?.checked_shl(parameter)? | reader.read(parameter)?;
        let step = reader.read(1)? + 1;
        let place = distance.checked_add(next)?;
        let bit = place as usize % WORD;
        let word = words.get_mut(place as usize / WORD)?;
        let value = (word.value(bit) as u64 - 1 + step) % 3;
        let mask = 1 << bit;
        word.losses = if value == 0 {
            word.losses | mask
        } else {
            word.losses & !mask
        };
        word.wins = if value == 2 {
            word.wins | mask
        } else {
            word.wins & !mask
        };
        next = place + 1;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use lodestone_game::random::Random;

    use super::*;

    /// Words in which one position in `rarity` is decided.
    fn random_words(random: &mut Random, rarity: u64) -> Vec<Word> {
        let mut words = vec![Word::default(); 40];
        for place in 0..words.len() * WORD {
            let word = &mut words[place / WORD];
            match random.below(2 * rarity) {
                0 => word.wins |= 1 << (place % WORD),
                1 => word.losses |= 1 << (place % WORD),
                _ => {}
            }
        }
        words
    }

    #[test]
    fn changes_turn_one_row_into_another() {
        let mut random = Random::new(5);
        let rows: Vec<Vec<Word>> = [1, 2, 9, 100, 3000, 1 << 40, 5]
            .map(|rarity| random_words(&mut random, rarity))
            .into();
        let mut writer = BitWriter::default();
        for pair in rows.windows(2) {
            write_changes(&mut writer, &pair[0], &pair[1]);
        }
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes);
        let mut words = rows[0].clone();
        for row in &rows[1..] {
            assert_eq!(apply_changes(&mut reader, &mut words), Some(()));
            assert_eq!(words, *row);
        }
        // Wrong bytes are an error or other words, never a panic.
        for end in 0..bytes.len().min(300) {
            let mut reader = BitReader::new(&bytes[..end]);
            assert_eq!(apply_changes(&mut reader, &mut rows[0].clone()), None);
        }
        for _ in 0..1000 {
            let noise: Vec<u8> = (0..50).map(|_| random.next_u64() as u8).collect();
            let _ = apply_changes(&mut BitReader::new(&noise), &mut rows[0].clone());
        }
    }
}
