//! The pairings of formats that do not depend on results, by their numbers.

/// The pairing with this number of a round robin, from 0 to one less than
/// `players` × (`players` − 1) / 2. The first player of the pairing moves first in its first
/// game.
///
/// The circle method: the players stand in a circle, with the last of an even number in
/// its centre. In each turn one player of the circle meets the centre, and those at the
/// same distance to its left and right meet each other. So no player occurs twice in
/// `players` / 2 successive pairings.
///
/// Colours follow the Berger tables: if the sum of the indices is odd, the smaller one
/// moves first, otherwise the larger one. With one game per pairing, the numbers of games as
/// first and as second player differ by at most 1.
pub(crate) fn round_robin(players: usize, number: u64) -> [usize; 2] {
    let is_even = players.is_multiple_of(2);
    let circle = players - usize::from(is_even);
    let pairings = (players / 2) as u64;
    let turn = (number / pairings) as usize;
    let board = (number % pairings) as usize;
    let [one, other] = if is_even && board == 0 {
        [turn, players - 1]
    } else {
        let distance = board + usize::from(!is_even);
        [(turn + distance) % circle, (turn + circle - distance) % circle]
    };
    berger([one.min(other), one.max(other)])
}

/// The colours of a pairing; `low` < `high`.
const fn berger([low, high]: [usize; 2]) -> [usize; 2] {
    if (low + high) % 2 == 1 {
        [low, high]
    } else {
        [high, low]
    }
}

/// The pairing with this number of a gauntlet, from 0. The first `seeds` players meet all
/// others, and move first in the first game of each pairing.
pub fn gauntlet(seeds: usize, number: u64) -> [usize; 2] {
    let seeds = seeds.max(1);
    let number = number as usize;
    [number % seeds, seeds + number / seeds]
}

/// The pairing with this number of a pyramid, from 0: the second player meets the first, the
/// third meets the first and the second, and so on. Colours are those of a round robin.
pub fn pyramid(number: u64) -> [usize; 2] {
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
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn round_robin_pairs_all_players_once() {
        for players in 2..=13 {
            let count = (players * (players - 1) / 2) as u64;
            let pairings: Vec<[usize; 2]> = (0..count).map(|number| round_robin(players, number)).collect();
            let met: HashSet<[usize; 2]> = pairings
                .iter()
                .map(|&[one, other]| [one.min(other), one.max(other)])
                .collect();
            assert_eq!(met.len() as u64, count, "{players} players");
            assert!(met.iter().all(|&[low, high]| low < high && high < players));

            for turn in pairings.chunks(players / 2) {
                let seated: HashSet<usize> = turn.iter().flatten().copied().collect();
                assert_eq!(seated.len(), 2 * turn.len(), "{players} players: {turn:?}");
            }
            for player in 0..players {
                let first = pairings.iter().filter(|pairing| pairing[0] == player).count();
                let second = pairings.iter().filter(|pairing| pairing[1] == player).count();
                assert!(first.abs_diff(second) <= 1, "{players} players: {player}");
            }
        }
        assert_eq!(round_robin(2, 0), [0, 1]);
    }

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
