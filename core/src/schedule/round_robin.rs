//! Round robin: every player against every other.

use super::Schedule;
use super::rounds::{Fixed, FormatProperties, RankedBy};

pub(super) const ROUND_ROBIN: FormatProperties = FormatProperties {
    name: "round-robin",
    event: "Round robin",
    ranked_by: RankedBy::Points,
    follows_results: false,
    has_rounds: false,
    has_seeds: false,
    has_bracket: false,
    has_stages: false,
    pairings: |schedule| {
        let players = schedule.players as u64;
        players * players.saturating_sub(1) / 2
    },
    section: |schedule, place| (place == 0).then(|| [schedule.rounds, schedule.pairings()]),
    games_of_pairing: |games| games,
    begin: |schedule, unfit| {
        let seats = |schedule: &Schedule, number| round_robin(schedule.players, number);
        Box::new(Fixed {
            schedule,
            unfit,
            seats,
        })
    },
};

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
pub(super) fn round_robin(players: usize, number: u64) -> [usize; 2] {
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
pub(super) const fn berger([low, high]: [usize; 2]) -> [usize; 2] {
    if (low + high) % 2 == 1 {
        [low, high]
    } else {
        [high, low]
    }
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
}
