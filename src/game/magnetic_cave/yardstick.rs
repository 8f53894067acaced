//! The evaluation of `plain`, the frozen baseline. Strength is measured against it, so it
//! must never change.

use lodestone_game::Game;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::magnetic_cave::lines::LINES;
use lodestone_game::random::mix;
use lodestone_game::score::Value;

use crate::game::Yardstick;

/// The value of a line with bricks of one side only, by number of bricks.
const LINE_VALUES: [Value; 6] = [0, 1, 3, 9, 27, 0];

impl Yardstick for MagneticCave {
    fn plain_value(&self) -> Value {
        let (own, other) = self.own_and_other();
        LINES
            .iter()
            .map(|&line| match ((line & own).count(), (line & other).count()) {
                (count, 0) => LINE_VALUES[count as usize],
                (0, count) => -LINE_VALUES[count as usize],
                _ => 0,
            })
            .sum()
    }

    fn plain_key(&self) -> u64 {
        let [first, second] = lodestone_game::board::Side::BOTH.map(|side| self.pieces(side).0);
        mix(mix(first.wrapping_add(1)).wrapping_add(second))
    }
}
