//! The evaluation of `plain`, the frozen baseline. Strength is measured against it, so it
//! must never change.

use super::Gridlock;
use crate::game::Yardstick;
use crate::random::mix;
use crate::score::Value;

impl Yardstick for Gridlock {
    fn plain_value(&self) -> Value {
        let side = self.side_to_move;
        let [own, other] = [side, side.opponent()].map(|side| self.room(side).count() as Value);
        10 * (own - other)
    }

    fn plain_key(&self) -> u64 {
        let [first, second] = self.packed();
        mix(mix(first.wrapping_add(1)).wrapping_add(second))
    }
}
