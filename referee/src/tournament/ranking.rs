//! The ranks of players.

use std::fmt;

/// A player's place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The player's number.
    pub player: usize,
    /// The rank: 1 plus the number of players above.
    pub rank: usize,
    /// Whether another player has the same rank.
    pub is_shared: bool,
}

impl fmt::Display for Place {
    /// Such as `3`, or `2=` for a shared rank.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}{}", self.rank, if self.is_shared { "=" } else { "" }))
    }
}

/// Ranks players by their scores, the highest first. Players with equal scores share a
/// rank, and the ranks after them are left out: 1, 2, 2, 4. They stay in the order of their
/// numbers.
pub fn ranked<S: PartialOrd>(scores: &[S]) -> Vec<Place> {
    let above = |score: &S| scores.iter().filter(|other| *other > score).count();
    let mut places: Vec<Place> = scores
        .iter()
        .enumerate()
        .map(|(player, score)| Place {
            player,
            rank: above(score) + 1,
            is_shared: scores.iter().filter(|other| *other == score).count() > 1,
        })
        .collect();
    places.sort_by_key(|place| place.rank);
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_scores_share_a_rank() {
        let places = ranked(&[1.0, 3.0, 2.5, 3.0, 0.5, 0.5]);
        let texts: Vec<String> = places
            .iter()
            .map(|place| format!("{place} {}", place.player))
            .collect();
        assert_eq!(texts, ["1= 1", "1= 3", "3 2", "4 0", "5= 4", "5= 5"]);
        assert_eq!(format!("{:>4}", places[0]), "  1=");
        assert!(ranked::<f64>(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn ranks_follow_the_scores(half_points in prop::collection::vec(0..8_u8, 0..12)) {
            let places = ranked(&half_points);
            prop_assert_eq!(places.len(), half_points.len());
            for one in &places {
                for other in &places {
                    let scores = [half_points[one.player], half_points[other.player]];
                    prop_assert_eq!(scores[0] > scores[1], one.rank < other.rank);
                    prop_assert!(one.player == other.player || scores[0] != scores[1] || one.is_shared);
                }
            }
            prop_assert!(places.windows(2).all(|pair| pair[0].rank <= pair[1].rank));
        }
    }
}
