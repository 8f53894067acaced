//! Pairings that are given up: where one player loses game after game by
//! faults, the rest is a loss of time (`--forfeit-after`).
//!
//! The games of a pairing are looked at in the order of the schedule, not in
//! the order in which they ended, and only as far as all of them are over. So
//! the same games are given up when a match goes on after an interruption.
//! What was begun before it was known counts as it was played.

use std::collections::{BTreeMap, HashMap};

use crate::schedule::{Calendar, Shard};

/// The faults of each pairing so far.
#[derive(Clone, Debug)]
pub struct Forfeits {
    /// So many faults of one player in a row are enough.
    after: u64,
    /// The pairings of which a game is over, by their numbers.
    pairings: HashMap<u64, Pairing>,
}

/// The faults of one pairing.
#[derive(Clone, Debug, Default)]
struct Pairing {
    /// The first of its games that is not over; `None` behind the last.
    next: Option<u64>,
    /// Who lost the games before it by faults, and how many in a row.
    row: Option<(usize, u64)>,
    /// Who was at fault, if anybody, in games behind one that is not over.
    waiting: BTreeMap<u64, Option<usize>>,
    /// Who has lost the rest.
    given_up: Option<usize>,
}

impl Forfeits {
    /// No game yet; pairings are given up after so many faults, at least one.
    pub fn new(after: u64) -> Forfeits {
        Forfeits {
            after,
            pairings: HashMap::new(),
        }
    }

    /// How many faults in a row are enough.
    pub const fn after(&self) -> u64 {
        self.after
    }

    /// A game of the calendar is over; `culprit` is the number of the player
    /// who lost it by a fault.
    pub fn enter(&mut self, id: u64, culprit: Option<usize>, calendar: &Calendar, shard: Shard) {
        let is_here = |id: &u64| calendar.fixture(*id).is_some_and(|fixture| shard.has(&fixture));
        let games_from = |first| {
            let next = |id: &u64| calendar.schedule().next_of_pairing(*id);
            std::iter::successors(first, next).find(is_here)
        };
        let Some([number, first]) = calendar.schedule().pairing_of(id) else {
            return;
        };
        let pairing = self.pairings.entry(number).or_insert_with(|| Pairing {
            next: games_from(Some(first)),
            ..Pairing::default()
        });
        if pairing.given_up.is_some() {
            return;
        }
        pairing.waiting.insert(id, culprit);
        while let Some(id) = pairing.next
            && let Some(culprit) = pairing.waiting.remove(&id)
        {
            pairing.next = games_from(calendar.schedule().next_of_pairing(id));
            pairing.row = culprit.map(|culprit| match pairing.row {
                Some((player, count)) if player == culprit => (player, count + 1),
                _ => (culprit, 1),
            });
            if let Some((player, count)) = pairing.row
                && count >= self.after
            {
                pairing.given_up = Some(player);
                pairing.waiting.clear();
                return;
            }
        }
    }

    /// Who loses this game without playing it, if anybody.
    pub fn loser(&self, id: u64, calendar: &Calendar) -> Option<usize> {
        let [number, _] = calendar.schedule().pairing_of(id)?;
        self.pairings.get(&number)?.given_up
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::round_robin as calendar;

    /// Who loses each game after these games, each with its culprit.
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
            forfeits.enter(id, culprit, calendar, shard);
        }
        let ids = 1..=calendar.schedule().total();
        ids.map(|id| forfeits.loser(id, calendar)).collect()
    }

    #[test]
    fn a_pairing_is_given_up_after_faults_in_a_row() {
        let two = calendar(2, 8);
        let all = |loser| vec![loser; 8];
        assert_eq!(losers(&two, 2, &[(1, Some(1)), (2, Some(1))]), all(Some(1)));
        assert_eq!(losers(&two, 1, &[(1, Some(0))]), all(Some(0)));
        assert_eq!(losers(&two, 3, &[(1, Some(1)), (2, Some(1))]), all(None));
        // A game between them that was played, or that the other one lost.
        for between in [None, Some(0)] {
            let mut games = vec![(1, Some(1)), (2, between), (3, Some(1))];
            assert_eq!(losers(&two, 2, &games), all(None));
            games.push((4, Some(1)));
            assert_eq!(losers(&two, 2, &games), all(Some(1)));
        }
    }

    #[test]
    fn the_order_is_that_of_the_schedule() {
        let two = calendar(2, 8);
        // Two faults stand beside each other, but what was before is not known.
        assert_eq!(losers(&two, 2, &[(2, Some(1)), (3, Some(1))]), vec![None; 8]);
        let games = [(2, Some(1)), (3, Some(0)), (1, Some(1)), (4, Some(0))];
        for turn in 0..games.len() {
            let mut turned = games;
            turned.rotate_left(turn);
            assert_eq!(losers(&two, 2, &turned), vec![Some(1); 8]);
        }
    }

    #[test]
    fn one_pairing_says_nothing_of_another() {
        // Of three players there are three pairings: games 1, 4, 7 and so on
        // are of the first.
        let three = calendar(3, 3);
        let seats = three.fixture(1).unwrap().seats;
        let games = [(1, Some(seats[0])), (2, None), (4, Some(seats[0]))];
        let first = Some(seats[0]);
        assert_eq!(
            losers(&three, 2, &games),
            [first, None, None, first, None, None, first, None, None]
        );
    }

    #[test]
    fn a_part_of_the_schedule_is_looked_at_by_itself() {
        // Pairs of games take turns between two parts.
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
