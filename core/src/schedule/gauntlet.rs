//! Gauntlet: the first players against every other.

use super::Schedule;
use super::round_robin::ROUND_ROBIN;
use super::rounds::{Fixed, FormatProperties, RankedBy};

pub(super) const GAUNTLET: FormatProperties = FormatProperties {
    name: "gauntlet",
    event: "Gauntlet",
    // The first player has more games than the others.
    ranked_by: RankedBy::Share,
    has_seeds: true,
    pairings: |schedule| {
        let seeds = (schedule.seeds as u64).max(1);
        seeds * (schedule.players as u64).saturating_sub(seeds)
    },
    begin: |schedule, unfit| {
        let seats = |schedule: &Schedule, number| gauntlet(schedule.seeds, number);
        Box::new(Fixed {
            schedule,
            unfit,
            seats,
        })
    },
    ..ROUND_ROBIN
};

/// The pairing with this number of a gauntlet, from 0. The first `seeds` players meet all
/// others, and move first in the first game of each pairing.
fn gauntlet(seeds: usize, number: u64) -> [usize; 2] {
    let seeds = seeds.max(1);
    let number = number as usize;
    [number % seeds, seeds + number / seeds]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauntlet_pairs_the_seeds_with_all_others() {
        for seeds in [0, 1] {
            assert_eq!(
                [0, 1, 2].map(|number| gauntlet(seeds, number)),
                [[0, 1], [0, 2], [0, 3]]
            );
        }
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|number| gauntlet(2, number)),
            [[0, 2], [1, 2], [0, 3], [1, 3], [0, 4], [1, 4]]
        );
    }
}
