//! Maximum likelihood ratings from one set of results.

use std::cmp::Ordering;

use super::bradley_terry::{HeadToHead, fit};
use super::elo::LOGIT;
use super::rating::Rating;
use super::reachability::Reachability;

/// The ratings of all players, and which of them are comparable.
#[derive(Clone, Debug)]
pub struct RatingFit {
    /// The closure of "took points from".
    graph: Reachability,
    /// The members of the main component; empty without games.
    main: Vec<usize>,
    /// The Elo of all players, each on the scale of its own component.
    elos: Vec<f64>,
}

impl RatingFit {
    /// Fits ratings to `results`. The main component is the largest strongly
    /// connected component with a player of `candidates`. `start` is an initial
    /// guess of each player's Elo.
    pub fn new(candidates: &[usize], results: &[HeadToHead], start: &[f64]) -> RatingFit {
        let players = start.len();
        let edges = results.iter().flat_map(|result| {
            let [one, other] = result.players;
            let [won, lost] = result.points;
            let edges = [(won, [one, other]), (lost, [other, one])];
            edges.into_iter().filter(|(points, _)| *points > 0.0)
        });
        let graph = Reachability::new(players, edges.map(|(_, edge)| edge));
        let components = graph.components();
        let mut elos = vec![0.0; players];
        for component in components.iter().filter(|component| component.len() > 1) {
            rate(component, results, start, &mut elos);
        }
        let main = components
            .into_iter()
            .find(|component| component.iter().any(|player| candidates.contains(player)));
        RatingFit {
            graph,
            main: main.unwrap_or_default(),
            elos,
        }
    }

    /// The rating of each player relative to the main component.
    pub fn ratings(&self) -> Vec<Rating> {
        let rating = |(player, &elo): (usize, &f64)| {
            let Some(&member) = self.main.first() else {
                return Rating::Incomparable;
            };
            match (
                self.graph.reaches(player, member),
                self.graph.reaches(member, player),
            ) {
                (true, true) => Rating::Finite(elo),
                (true, false) => Rating::AboveAll,
                (false, true) => Rating::BelowAll,
                (false, false) => Rating::Incomparable,
            }
        };
        self.elos.iter().enumerate().map(rating).collect()
    }

    /// The Elo of each player. Only players of one component are comparable.
    pub fn elos(&self) -> &[f64] {
        &self.elos
    }

    /// The number of players with finite ratings.
    pub fn rated(&self) -> usize {
        self.main.len()
    }

    /// 1 if `one` is rated above `other`, 0 if below, ½ if they are equal or not
    /// comparable.
    pub fn is_above(&self, one: usize, other: usize) -> f64 {
        let order = match (self.graph.reaches(one, other), self.graph.reaches(other, one)) {
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

/// Rates the members of one component by the games between them. Games against
/// other players have a certain result under any ratings.
fn rate(component: &[usize], results: &[HeadToHead], start: &[f64], elos: &mut [f64]) {
    let mut indices = vec![None; elos.len()];
    for (index, &player) in component.iter().enumerate() {
        indices[player] = Some(index);
    }
    let within = results.iter().filter_map(|result| {
        let [one, other] = result.players;
        Some(HeadToHead {
            players: [indices[one]?, indices[other]?],
            points: result.points,
        })
    });
    let start: Vec<f64> = component.iter().map(|&player| start[player] / LOGIT).collect();
    let ratings = fit(&within.collect::<Vec<_>>(), &start);
    for (&player, rating) in component.iter().zip(ratings) {
        elos[player] = rating * LOGIT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(players: usize, results: &[([usize; 2], [f64; 2])]) -> RatingFit {
        let results = results
            .iter()
            .map(|&(players, points)| HeadToHead { players, points });
        let candidates: Vec<usize> = (0..players).collect();
        RatingFit::new(&candidates, &results.collect::<Vec<_>>(), &vec![0.0; players])
    }

    #[test]
    fn players_outside_the_main_component_are_above_below_or_incomparable() {
        // 1 and 2 share points, 0 beats both, 3 loses to both. 4 loses to 0 only,
        // so it is somewhere below 0.
        let fit = fit(
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
        let ratings = fit.ratings();
        let [Rating::Finite(one), Rating::Finite(other)] = ratings[1..3] else {
            panic!("{ratings:?}");
        };
        assert!(
            (one - half).abs() < 1e-6 && (other + half).abs() < 1e-6,
            "{one} {other}"
        );
        assert_eq!(ratings[0], Rating::AboveAll);
        assert_eq!(ratings[3..], [Rating::BelowAll, Rating::Incomparable]);
        assert_eq!(fit.is_above(0, 3), 1.0, "through 1");
        assert_eq!(fit.is_above(3, 2), 0.0);
        assert_eq!(fit.is_above(4, 3), 0.5);
        assert_eq!(fit.is_above(1, 2), 1.0);
    }

    #[test]
    fn players_of_a_minor_component_are_comparable() {
        let fit = fit(
            5,
            &[
                ([0, 1], [1.0, 1.0]),
                ([1, 2], [1.0, 1.0]),
                ([2, 3], [2.0, 0.0]),
                ([3, 4], [0.5, 1.5]),
            ],
        );
        assert_eq!(fit.rated(), 3);
        assert_eq!(fit.ratings()[3..], [Rating::BelowAll; 2]);
        assert_eq!(fit.is_above(4, 3), 1.0);
        assert_eq!(fit.is_above(0, 1), 0.5);
    }
}
