//! A sequential test over the games of a match that was played without one, such as the
//! shards of a match.
//!
//! The test takes the pairs in the order of the schedule, up to the first unfinished one. So
//! its verdict and its number of pairs are those of a run with `--sprt`.

use std::collections::HashSet;

use lodestone::board::Side;

use super::counted_game::CountedGame;
use super::standings::{pair_digest, points_of};
use crate::results::Accepted;
use crate::schedule::Fixture;
use crate::statistics::{Decision, Pentanomial, Points, Sprt};

/// What a test needs of a game.
#[derive(Clone, Copy, Debug)]
struct TestedGame {
    /// The digest of the game.
    content: u64,
    /// The digest of its opening.
    opening: u64,
    /// The points of the player that was named first.
    points: Points,
}

/// The finished games of two players in the order of the schedule.
#[derive(Clone, Debug, Default)]
pub struct OrderedPairs {
    /// The game with the id N has the index N − 1.
    games: Vec<Option<TestedGame>>,
}

/// The state of a test after these games.
#[derive(Clone, Debug, PartialEq)]
pub struct TestState {
    /// The number of tested pairs.
    pub pairs: u64,
    /// The log-likelihood ratio of these pairs.
    pub llr: f64,
    /// The outcome; `None` while the test is undecided.
    pub accepted: Option<Accepted>,
    /// The number of finished games after the tested pairs, if the test is undecided. They do
    /// not count before the games in front of them are finished.
    pub waiting: u64,
}

impl OrderedPairs {
    /// Adds a game. A second record of the same game is ignored.
    pub fn add(&mut self, fixture: &Fixture, record: &CountedGame) {
        let Some(index) = fixture.id.checked_sub(1) else {
            return;
        };
        let index = index as usize;
        if self.games.len() <= index {
            self.games.resize(index + 1, None);
        }
        let side = if fixture.seats[0] == 0 {
            Side::First
        } else {
            Side::Second
        };
        self.games[index].get_or_insert_with(|| TestedGame {
            content: record.content,
            opening: record.opening,
            points: points_of(record.result, side),
        });
    }

    /// The state of this test.
    pub fn test(&self, sprt: &Sprt) -> TestState {
        let mut state = TestState {
            pairs: 0,
            llr: 0.0,
            accepted: None,
            waiting: 0,
        };
        let mut seen = HashSet::new();
        let mut counts = Pentanomial::default();
        state.llr = sprt.llr_of_pairs(&counts);
        let first_opening = self.games.first().copied().flatten().map(|game| game.opening);
        loop {
            // With two players, pair n has the games 2n − 1 and 2n.
            let begin = 2 * state.pairs as usize;
            let [one, other] = [begin, begin + 1].map(|index| self.games.get(index).copied().flatten());
            let opening = one.or(other).map(|game| game.opening);
            if state.pairs > 0 && opening.is_some() && opening == first_opening {
                // Openings repeat from the first after the last distinct one.
                state.accepted = Some(Accepted::Inconclusive);
                return state;
            }
            let (Some(one), Some(other)) = (one, other) else {
                let rest = self.games.get(begin..).unwrap_or_default();
                state.waiting = rest.iter().flatten().count() as u64;
                return state;
            };
            state.pairs += 1;
            if seen.insert(pair_digest([one.content, other.content])) {
                counts += Pentanomial::of_pair([one.points, other.points]);
                state.llr = sprt.llr_of_pairs(&counts);
            }
            state.accepted = match sprt.decision(state.llr) {
                Decision::Continue => continue,
                Decision::AcceptH0 => Some(Accepted::H0),
                Decision::AcceptH1 => Some(Accepted::H1),
            };
            return state;
        }
    }
}

#[cfg(test)]
mod tests {
    use lodestone::random::Random;

    use super::*;
    use crate::results::{Record, SprtVerdict};
    use crate::tournament::Tournament;
    use crate::tournament::tests::{game, tournament};

    /// A test that few pairs decide.
    fn sprt(text: &str) -> Sprt {
        text.parse().unwrap()
    }

    /// Random games of a match of two players. Some pairs repeat an earlier one.
    fn games(random: &mut Random, one: &Tournament, count: u64) -> Vec<Record> {
        let results = ["1-0", "0-1", "1/2-1/2"];
        let mut games: Vec<Record> = Vec::new();
        for id in 1..=count {
            let mut record = game(one, id, results[random.below(3) as usize]);
            if id > 4 && random.below(4) == 0 {
                let old = &games[2 + (id as usize - 1) % 2];
                record.moves.clone_from(&old.moves);
                record.result = old.result;
            } else {
                // Each pair has its opening, which is the first move.
                record.moves[0] = format!("opening {}", id.div_ceil(2));
            }
            games.push(record);
        }
        games
    }

    impl TestState {
        fn verdict(&self) -> Option<SprtVerdict> {
            let &TestState { pairs, llr, .. } = self;
            self.accepted.map(|accepted| SprtVerdict { accepted, pairs, llr })
        }
    }

    #[test]
    fn agrees_with_a_match_that_is_tested() {
        let mut random = Random::new(7);
        let mut outcomes = [0; 2];
        for round in 0..40 {
            let text = [
                "elo0=0 elo1=60",
                "elo0=-50 elo1=100 model=logistic",
                "elo0=0 elo1=5",
            ];
            let sprt = sprt(text[round % text.len()]);
            let (_, mut tested) = tournament(2, 200, |header| header.schedule.sprt = Some(sprt));
            let mut records = games(&mut random, &tested, 60);
            // Gaps in the files.
            if round % 2 == 0 {
                records.retain(|_| random.below(40) > 0);
            }
            for index in (1..records.len()).rev() {
                records.swap(index, random.below(index as u64 + 1) as usize);
            }
            let mut pairs = OrderedPairs::default();
            for record in records {
                let fixture = tested.fixtures().get(record.id).unwrap();
                pairs.add(&fixture, &CountedGame::from(&record));
                // A duplicate.
                pairs.add(&fixture, &CountedGame::from(&record));
                tested.add(record).unwrap();
            }
            let state = pairs.test(&sprt);
            outcomes[usize::from(state.accepted.is_some())] += 1;
            assert_eq!(state.verdict().as_ref(), tested.verdict(), "{round}");
            let (_, llr) = tested.test().unwrap();
            assert!((state.llr - llr).abs() < 1e-12, "{round}: {} {llr}", state.llr);
        }
        assert!(outcomes.iter().all(|&count| count > 5), "{outcomes:?}");
    }

    #[test]
    fn waits_for_the_first_gap() {
        let (_, one) = tournament(2, 10, |_| ());
        let mut pairs = OrderedPairs::default();
        let sprt = sprt("elo0=0 elo1=5");
        assert_eq!(pairs.test(&sprt).pairs, 0);
        for id in [1, 2, 4, 5, 6] {
            let mut record = game(&one, id, "1-0");
            record.moves[0] = format!("opening {}", id.div_ceil(2));
            pairs.add(&one.fixtures().get(id).unwrap(), &CountedGame::from(&record));
        }
        let state = pairs.test(&sprt);
        assert_eq!((state.pairs, state.waiting, state.accepted), (1, 3, None));
        assert_eq!(state.verdict(), None);
    }

    #[test]
    fn is_inconclusive_when_openings_repeat() {
        let (_, one) = tournament(2, 10, |_| ());
        let mut pairs = OrderedPairs::default();
        let sprt = sprt("elo0=0 elo1=5");
        for id in 1..=5 {
            let mut record = game(&one, id, "1-0");
            record.moves[0] = format!("opening {}", id.div_ceil(2) % 2);
            pairs.add(&one.fixtures().get(id).unwrap(), &CountedGame::from(&record));
            let accepted = pairs.test(&sprt).accepted;
            assert_eq!(accepted, (id > 4).then_some(Accepted::Inconclusive));
        }
        assert_eq!(pairs.test(&sprt).pairs, 2);
    }
}
