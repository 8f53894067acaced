//! Pyramid: every player against all players before it.

use super::round_robin::{ROUND_ROBIN, berger};
use super::rounds::{Fixed, FormatProperties};

pub(super) const PYRAMID: FormatProperties = FormatProperties {
    name: "pyramid",
    event: "Pyramid",
    begin: |schedule, unfit| {
        let seats = |_: &_, number| pyramid(number);
        Box::new(Fixed {
            schedule,
            unfit,
            seats,
        })
    },
    ..ROUND_ROBIN
};

/// The pairing with this number of a pyramid, from 0: the second player meets the first, the
/// third meets the first and the second, and so on. Colours are those of a round robin.
fn pyramid(number: u64) -> [usize; 2] {
    // Player p begins at p × (p − 1) / 2. The root is exact enough for a first guess.
    let mut player = f64::midpoint(1.0, (1.0 + 8.0 * number as f64).sqrt()) as u64;
    while player * (player - 1) / 2 > number {
        player -= 1;
    }
    while (player + 1) * player / 2 <= number {
        player += 1;
    }
    let opponent = number - player * (player - 1) / 2;
    berger([opponent as usize, player as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pyramid_pairs_each_player_with_all_before_it() {
        let expected = [[0, 1], [2, 0], [1, 2], [0, 3], [3, 1], [2, 3], [4, 0]];
        let found: Vec<[usize; 2]> = (0..7).map(pyramid).collect();
        assert_eq!(found, expected);
        let mut numbers = 0..;
        for player in 1..200 {
            for opponent in 0..player {
                let mut pairing = pyramid(numbers.next().unwrap());
                pairing.sort_unstable();
                assert_eq!(pairing, [opponent, player]);
            }
        }
    }
}
