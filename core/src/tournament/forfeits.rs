//! Forfeited pairings: after a number of faults in a row by one player, the rest of the
//! pairing is not played (`--forfeit-after`).
//!
//! The games of a pairing are taken in the order of the schedule, not of their ends, and
//! only up to the first unfinished one. A resumed match therefore forfeits the same games.
//! Games that were already running count as they end.

use std::collections::HashMap;

use crate::schedule::{Calendar, Shard};

/// The faults of each pairing so far.
#[derive(Clone, Debug)]
pub struct Forfeits {
    /// The number of faults in a row that forfeits a pairing.
    pub after: u64,
    /// The pairings with a finished game, by number.
    pairings: HashMap<u64, PairingFaults>,
}

#[derive(Clone, Debug, Default)]
struct PairingFaults {
    /// Its first unfinished game; `None` if all are finished.
    next: Option<u64>,
    /// The player who lost the games before it by faults, and how many in a row.
    streak: Option<(usize, u64)>,
    /// The culprit, if any, of finished games after an unfinished one.
    waiting: HashMap<u64, Option<usize>>,
    /// The loser of the remaining games.
    loser: Option<usize>,
}

impl Forfeits {
    /// No games yet. `after` is the number of faults that forfeits a pairing, at least 1.
    pub fn new(after: u64) -> Forfeits {
        Forfeits {
            after,
            pairings: HashMap::new(),
        }
    }

    /// Adds a finished game. `culprit` is the player who lost it by a fault.
    pub fn add(&mut self, id: u64, culprit: Option<usize>, calendar: &Calendar, shard: Shard) {
        let is_here = |id: &u64| calendar.get(*id).is_some_and(|scheduled| shard.has(&scheduled));
        let games_from = |first| {
            let next = |id: &u64| calendar.schedule().next_of_pairing(*id);
            std::iter::successors(first, next).find(is_here)
        };
        let Some([number, first]) = calendar.schedule().pairing_of(id) else {
            return;
        };
        let pairing = self.pairings.entry(number).or_insert_with(|| PairingFaults {
            next: games_from(Some(first)),
            ..PairingFaults::default()
        });
        if pairing.loser.is_some() {
            return;
        }
        pairing.waiting.insert(id, culprit);
        while let Some(id) = pairing.next
            && let Some(culprit) = pairing.waiting.remove(&id)
        {
            pairing.next = games_from(calendar.schedule().next_of_pairing(id));
            pairing.streak = culprit.map(|culprit| match pairing.streak {
                Some((player, count)) if player == culprit => (player, count + 1),
                _ => (culprit, 1),
            });
            if let Some((player, count)) = pairing.streak
                && count >= self.after
            {
                pairing.loser = Some(player);
                pairing.waiting.clear();
                return;
            }
        }
    }

    /// The loser of this game, if its pairing is forfeited.
    pub fn loser(&self, id: u64, calendar: &Calendar) -> Option<usize> {
        let [number, _] = calendar.schedule().pairing_of(id)?;
        self.pairings.get(&number)?.loser
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::round_robin as calendar;

    /// The loser of each game by forfeit, after these games with their culprits.
    fn losers(calendar: &Calendar, after: u64, games: &[(u64, Option<usize>)]) -> Vec<Option<usize>> {
        losers_in(Shard::WHOLE, calendar, after, games)
    }

    fn losers_in(
        shard: Shard,
        calendar: &Calendar,
        after: u64,
        games: &[(u64, Option<usize>)],
    ) -> Vec<Option<usize>> {
        let mut forfeits = Forfeits::new(after);
        for &(id, culprit) in games {
            forfeits.add(id, culprit, calendar, shard);
        }
        let ids = 1..=calendar.schedule().total();
        ids.map(|id| forfeits.loser(id, calendar)).collect()
    }

    #[test]
    fn forfeits_a_pairing_after_faults_in_a_row() {
        let two = calendar(2, 8);
        let all = |loser| vec![loser; 8];
        assert_eq!(losers(&two, 2, &[(1, Some(1)), (2, Some(1))]), all(Some(1)));
        assert_eq!(losers(&two, 1, &[(1, Some(0))]), all(Some(0)));
        assert_eq!(losers(&two, 3, &[(1, Some(1)), (2, Some(1))]), all(None));
        // A game without a fault, or with a fault of the opponent, breaks the streak.
        for between in [None, Some(0)] {
            let mut games = vec![(1, Some(1)), (2, between), (3, Some(1))];
            assert_eq!(losers(&two, 2, &games), all(None));
            games.push((4, Some(1)));
            assert_eq!(losers(&two, 2, &games), all(Some(1)));
        }
    }

    #[test]
    fn follows_the_order_of_the_schedule() {
        let two = calendar(2, 8);
        // Two faults in a row, but game 1 is unfinished.
        assert_eq!(losers(&two, 2, &[(2, Some(1)), (3, Some(1))]), vec![None; 8]);
        let games = [(2, Some(1)), (3, Some(0)), (1, Some(1)), (4, Some(0))];
        for turn in 0..games.len() {
            let mut turned = games;
            turned.rotate_left(turn);
            assert_eq!(losers(&two, 2, &turned), vec![Some(1); 8]);
        }
    }

    #[test]
    fn shards_are_independent() {
        // The pairs alternate between the two shards.
        let two = calendar(2, 8);
        let first: Shard = "0/2".parse().unwrap();
        let games = [(1, None), (2, Some(1)), (5, Some(1))];
        assert_eq!(losers_in(first, &two, 2, &games), vec![Some(1); 8]);
        assert_eq!(losers(&two, 2, &games), vec![None; 8]);
        let second: Shard = "1/2".parse().unwrap();
        assert_eq!(
            losers_in(second, &two, 2, &[(3, Some(1)), (4, Some(1))]),
            vec![Some(1); 8]
        );
    }
}
