//! Which players can be compared with which.
//!
//! A player who took points from another is not infinitely weaker. Where such a
//! chain leads from each of two players to the other, both have finite ratings
//! on one scale. Where it leads one way only, the one is above the other by any
//! distance; where it leads neither way, nothing is known. Source of the
//! condition: Zermelo, 1929; Ford, "Solution of a Ranking Problem from Binary
//! Comparisons", 1957.

/// Which player is reached from which by steps of some kind.
#[derive(Clone, Debug)]
pub struct Reach {
    players: usize,
    /// For each player one row of bits, in so many words.
    rows: Vec<Vec<u64>>,
}

impl Reach {
    /// Everything that such steps, from one player to another, lead to; each
    /// player is reached from itself. Players are numbered from 0.
    pub fn new(players: usize, steps: impl IntoIterator<Item = [usize; 2]>) -> Reach {
        let mut rows = vec![vec![0; players.div_ceil(64)]; players];
        let itself = (0..players).map(|player| [player; 2]);
        for [from, to] in itself.chain(steps) {
            if let Some(word) = rows.get_mut(from).and_then(|row| row.get_mut(to / 64)) {
                *word |= 1 << (to % 64);
            }
        }
        // Warshall: whoever reaches `over` reaches all that `over` does.
        for over in 0..players {
            let beyond = rows[over].clone();
            for row in rows.iter_mut().filter(|row| has(row, over)) {
                for (word, more) in row.iter_mut().zip(&beyond) {
                    *word |= more;
                }
            }
        }
        Reach { players, rows }
    }

    /// Whether steps lead from one player to the other.
    pub fn leads(&self, from: usize, to: usize) -> bool {
        self.rows.get(from).is_some_and(|row| has(row, to))
    }

    /// The players in groups within which steps lead from each to each: the
    /// largest group first, groups of one size by their lowest number; the
    /// players of a group in the order of their numbers.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for player in 0..self.players {
            let own = groups.iter_mut().find(|group| {
                group
                    .first()
                    .is_some_and(|&first| self.leads(first, player) && self.leads(player, first))
            });
            match own {
                Some(group) => group.push(player),
                None => groups.push(vec![player]),
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        groups
    }
}

fn has(row: &[u64], player: usize) -> bool {
    row.get(player / 64)
        .is_some_and(|word| word >> (player % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_on() {
        let reach = Reach::new(4, [[0, 1], [1, 2]]);
        assert!(reach.leads(0, 2));
        assert!(!reach.leads(2, 0));
        assert!(!reach.leads(0, 3));
        assert!(reach.leads(3, 3));
    }

    #[test]
    fn groups_are_those_that_lead_back() {
        let reach = Reach::new(6, [[1, 2], [2, 4], [4, 1], [1, 0], [5, 3], [3, 5]]);
        assert_eq!(reach.groups(), [vec![1, 2, 4], vec![3, 5], vec![0]]);
        let lonely = Reach::new(3, []);
        assert_eq!(lonely.groups(), [[0], [1], [2]]);
        assert!(Reach::new(0, []).groups().is_empty());
    }

    #[test]
    fn more_players_than_bits_of_a_word() {
        let circle = (0..150).map(|player| [player, (player + 1) % 150]);
        assert_eq!(Reach::new(150, circle).groups().len(), 1);
        let line = (0..149).map(|player| [player, player + 1]);
        let reach = Reach::new(150, line);
        assert_eq!(reach.groups().len(), 150);
        assert!(reach.leads(3, 140));
        assert!(!reach.leads(140, 3));
    }
}
