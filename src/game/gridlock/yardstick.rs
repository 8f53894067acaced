//! The evaluation of `plain`, the frozen baseline. Strength is measured against it, so it
//! must never change.

use lodestone_game::Game;
use lodestone_game::gridlock::Gridlock;
use lodestone_game::random::mix;
use lodestone_game::score::Value;

use crate::game::Yardstick;

impl Yardstick for Gridlock {
    fn plain_value(&self) -> Value {
        let side = self.side_to_move();
        let [own, other] = [side, side.opponent()].map(|side| self.room(side).count() as Value);
        10 * (own - other)
    }

    fn plain_key(&self) -> u64 {
        let [first, second] = self.packed();
        mix(mix(first.wrapping_add(1)).wrapping_add(second))
    }
}
