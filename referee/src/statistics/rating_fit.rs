//! The likeliest ratings from one set of results, and who can be compared.

use std::cmp::Ordering;

use super::bradley_terry::{HeadToHead, fit};
use super::elo::LOGIT;
use super::ratings::Rating;
use super::reachability::Reachability;

/// Where all players stand after some results.
#[derive(Clone, Debug)]
pub struct RatingFit {
    /// Who took points from whom, also by way of others.
    took: Reachability,
    /// The players who have ratings, if there are any.
    main: Vec<usize>,
    /// Elo of all players, each on the scale of those who took points from it
    /// and lost points to it.
    elos: Vec<f64>,
}

impl RatingFit {
    /// Where so many players stand after `results`. The main group is the largest
    /// one within `among` whose members can be compared. `start` has guesses of
    /// their Elo.
    pub fn new(among: &[usize], results: &[HeadToHead], start: &[f64]) -> RatingFit {
        let players = start.len();
        let steps = results.iter().flat_map(|result| {
            let [one, other] = result.players;
            let [won, lost] = result.points;
            let steps = [(won, [one, other]), (lost, [other, one])];
            steps.into_iter().filter(|(points, _)| *points > 0.0)
        });
        let took = Reachability::new(players, steps.map(|(_, step)| step));
        let groups = took.components();
        let mut elos = vec![0.0; players];
        for group in groups.iter().filter(|group| group.len() > 1) {
            rate(group, results, start, &mut elos);
        }
        let main = groups
            .into_iter()
            .find(|group| group.iter().any(|player| among.contains(player)));
        RatingFit {
            took,
            main: main.unwrap_or_default(),
            elos,
        }
    }

    /// The rating of each player.
    pub fn ratings(&self) -> Vec<Rating> {
        let rating = |(player, &elo): (usize, &f64)| {
            let Some(&member) = self.main.first() else {
                return Rating::Incomparable;
            };
            match (
                self.took.reaches(player, member),
                self.took.reaches(member, player),
            ) {
                (true, true) => Rating::Finite(elo),
                (true, false) => Rating::AboveAll,
                (false, true) => Rating::BelowAll,
                (false, false) => Rating::Incomparable,
            }
        };
        self.elos.iter().enumerate().map(rating).collect()
    }

    /// Elo of all players. Only those of one group can be compared.
    pub fn elos(&self) -> &[f64] {
        &self.elos
    }

    /// How many players have finite ratings.
    pub fn rated(&self) -> usize {
        self.main.len()
    }

    /// 1 where `one` is stronger than `other`, 0 where it is weaker, ½ where
    /// they are equal or cannot be compared.
    pub fn los(&self, one: usize, other: usize) -> f64 {
        let order = match (self.took.reaches(one, other), self.took.reaches(other, one)) {
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Equal,
            (true, true) => self.elos[one].total_cmp(&self.elos[other]),
        };
        match order {
            Ordering::Greater => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Less => 0.0,
        }
    }
}

/// Rates the members of one group by their games with each other: those with
/// others are certain whatever the ratings are.
fn rate(group: &[usize], results: &[HeadToHead], start: &[f64], elos: &mut [f64]) {
    let mut places = vec![None; elos.len()];
    for (place, &player) in group.iter().enumerate() {
        places[player] = Some(place);
    }
    let within = results.iter().filter_map(|result| {
        let [one, other] = result.players;
        Some(HeadToHead {
            players: [places[one]?, places[other]?],
            points: result.points,
        })
    });
    let start: Vec<f64> = group.iter().map(|&player| start[player] / LOGIT).collect();
    let ratings = fit(&within.collect::<Vec<_>>(), &start);
    for (&player, rating) in group.iter().zip(ratings) {
        elos[player] = rating * LOGIT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(players: usize, results: &[([usize; 2], [f64; 2])]) -> RatingFit {
        let results = results
            .iter()
            .map(|&(players, points)| HeadToHead { players, points });
        let among: Vec<usize> = (0..players).collect();
        RatingFit::new(&among, &results.collect::<Vec<_>>(), &vec![0.0; players])
    }

    #[test]
    fn players_outside_of_the_main_group_are_above_below_or_apart() {
        // 1 and 2 share points; 0 beats both, 3 loses to both, and 4 loses to 0
        // alone, so it may be anywhere below 0.
        let standing = standing(
            5,
            &[
                ([1, 2], [1.5, 0.5]),
                ([0, 1], [2.0, 0.0]),
                ([0, 2], [2.0, 0.0]),
                ([3, 1], [0.0, 2.0]),
                ([0, 4], [2.0, 0.0]),
            ],
        );
        let half = 200.0 * 3.0_f64.log10();
        let ratings = standing.ratings();
        let [Rating::Finite(one), Rating::Finite(other)] = ratings[1..3] else {
            panic!("{ratings:?}");
        };
        assert!(
            (one - half).abs() < 1e-6 && (other + half).abs() < 1e-6,
            "{one} {other}"
        );
        assert_eq!(ratings[0], Rating::AboveAll);
        assert_eq!(ratings[3..], [Rating::BelowAll, Rating::Incomparable]);
        assert_eq!(standing.los(0, 3), 1.0, "by way of 1");
        assert_eq!(standing.los(3, 2), 0.0);
        assert_eq!(standing.los(4, 3), 0.5);
        assert_eq!(standing.los(1, 2), 1.0);
    }

    #[test]
    fn players_of_one_lesser_group_are_compared_too() {
        let standing = standing(
            5,
            &[
                ([0, 1], [1.0, 1.0]),
                ([1, 2], [1.0, 1.0]),
                ([2, 3], [2.0, 0.0]),
                ([3, 4], [0.5, 1.5]),
            ],
        );
        assert_eq!(standing.rated(), 3);
        assert_eq!(standing.ratings()[3..], [Rating::BelowAll; 2]);
        assert_eq!(standing.los(4, 3), 1.0);
        assert_eq!(standing.los(0, 1), 0.5);
    }
}
