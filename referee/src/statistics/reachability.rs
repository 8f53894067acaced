//! Which players can be rated on one scale.
//!
//! Draw an edge from each player to every player it took points from. Maximum
//! likelihood ratings are finite exactly within a strongly connected component
//! of this graph. Where a path leads from one component to another and none
//! back, the first is infinitely stronger; where no path leads either way, the
//! two cannot be compared. Sources: Zermelo, 1929; Ford, "Solution of a Ranking
//! Problem from Binary Comparisons", 1957.

use fixedbitset::FixedBitSet;

/// The reflexive transitive closure of a directed graph of players.
#[derive(Clone, Debug)]
pub struct Reachability {
    /// For each player, the set of players that it reaches.
    rows: Vec<FixedBitSet>,
}

impl Reachability {
    /// The closure of `edges`, each from one player to another, in a graph of
    /// `players` nodes numbered from 0. Edges to unknown players are ignored.
    pub fn new(players: usize, edges: impl IntoIterator<Item = [usize; 2]>) -> Reachability {
        let mut rows = vec![FixedBitSet::with_capacity(players); players];
        let loops = (0..players).map(|player| [player; 2]);
        for [from, to] in loops.chain(edges) {
            if let Some(row) = rows.get_mut(from).filter(|_| to < players) {
                row.insert(to);
            }
        }
        // Warshall's algorithm.
        for middle in 0..players {
            let reached = rows[middle].clone();
            for row in rows.iter_mut().filter(|row| row.contains(middle)) {
                row.union_with(&reached);
            }
        }
        Reachability { rows }
    }

    /// Whether a path leads from one player to the other.
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        self.rows.get(from).is_some_and(|row| row.contains(to))
    }

    /// The strongly connected components: the largest first, those of equal size
    /// by their lowest player number, the members of each in ascending order.
    pub fn components(&self) -> Vec<Vec<usize>> {
        let mut components: Vec<Vec<usize>> = Vec::new();
        for player in 0..self.rows.len() {
            let own = components.iter_mut().find(|component| {
                component
                    .first()
                    .is_some_and(|&first| self.reaches(first, player) && self.reaches(player, first))
            });
            match own {
                Some(component) => component.push(player),
                None => components.push(vec![player]),
            }
        }
        components.sort_by_key(|component| std::cmp::Reverse(component.len()));
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reachability_is_reflexive_and_transitive() {
        let graph = Reachability::new(4, [[0, 1], [1, 2]]);
        assert!(graph.reaches(0, 2));
        assert!(!graph.reaches(2, 0));
        assert!(!graph.reaches(0, 3));
        assert!(graph.reaches(3, 3));
    }

    #[test]
    fn components_are_strongly_connected() {
        let graph = Reachability::new(6, [[1, 2], [2, 4], [4, 1], [1, 0], [5, 3], [3, 5]]);
        assert_eq!(graph.components(), [vec![1, 2, 4], vec![3, 5], vec![0]]);
        let no_edges = Reachability::new(3, []);
        assert_eq!(no_edges.components(), [[0], [1], [2]]);
        assert!(Reachability::new(0, []).components().is_empty());
    }

    #[test]
    fn handles_more_players_than_bits_in_a_word() {
        let circle = (0..150).map(|player| [player, (player + 1) % 150]);
        assert_eq!(Reachability::new(150, circle).components().len(), 1);
        let line = (0..149).map(|player| [player, player + 1]);
        let graph = Reachability::new(150, line);
        assert_eq!(graph.components().len(), 150);
        assert!(graph.reaches(3, 140));
        assert!(!graph.reaches(140, 3));
    }
}
