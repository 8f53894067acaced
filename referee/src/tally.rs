//! What a match came to: points and faults of two players.

use std::collections::BTreeMap;
use std::fmt;

use lodestone::game::GameResult;

use crate::verdict::{FaultKind, Verdict};

/// The counts of a match between two players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    names: [String; 2],
    wins: [u64; 2],
    ties: u64,
    faults: [BTreeMap<FaultKind, u64>; 2],
}

impl Tally {
    /// No game yet.
    pub const fn new(names: [String; 2]) -> Tally {
        Tally {
            names,
            wins: [0; 2],
            ties: 0,
            faults: [BTreeMap::new(), BTreeMap::new()],
        }
    }

    /// Counts a game; `seats` are the numbers of the first and the second
    /// player, as in [`crate::schedule::Game::seats`].
    pub fn add(&mut self, seats: [usize; 2], verdict: &Verdict) {
        match verdict.result() {
            GameResult::Win(side) => self.wins[seats[side.index()]] += 1,
            GameResult::Draw => self.ties += 1,
        }
        if let Verdict::Fault { culprit, fault } = verdict {
            let faults = &mut self.faults[seats[culprit.index()]];
            *faults.entry(fault.kind()).or_default() += 1;
        }
    }

    /// How many games have been counted.
    pub fn games(&self) -> u64 {
        self.wins.iter().sum::<u64>() + self.ties
    }

    /// A win is a point, a tie half of one.
    fn points(&self, player: usize) -> f64 {
        self.wins[player] as f64 + self.ties as f64 / 2.0
    }
}

impl fmt::Display for Tally {
    /// The first line is laid out as other referees do it: wins, losses and
    /// ties of the first engine, its share of the points, the games.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([one, other], games) = (&self.names, self.games());
        let share = match games {
            0 => "-".to_string(),
            games => format!("{:.3}", self.points(0) / games as f64),
        };
        let ([wins, losses], ties) = (self.wins, self.ties);
        writeln!(
            f,
            "Score of {one} vs {other}: {wins} - {losses} - {ties} [{share}] {games}"
        )?;
        write!(f, "Points: {one} {}, {other} {}", self.points(0), self.points(1))?;
        for (name, faults) in self.names.iter().zip(&self.faults) {
            if !faults.is_empty() {
                let faults: Vec<String> = faults
                    .iter()
                    .map(|(kind, count)| format!("{count} {kind}"))
                    .collect();
                write!(f, "\nFaults of {name}: {}", faults.join(", "))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use lodestone::board::Side;
    use lodestone::game::{EndReason, Outcome};

    use super::*;
    use crate::verdict::Fault;

    #[test]
    fn points_and_faults_go_to_the_right_player() {
        let mut tally = Tally::new(["a".into(), "b".into()]);
        assert_eq!(
            tally.to_string(),
            "Score of a vs b: 0 - 0 - 0 [-] 0\nPoints: a 0, b 0"
        );

        let rules = |outcome| Verdict::Rules {
            outcome,
            why: String::new(),
        };
        let fault = |culprit, fault| Verdict::Fault { culprit, fault };
        tally.add([0, 1], &rules(Outcome::win(Side::First, EndReason::Five)));
        tally.add([1, 0], &rules(Outcome::win(Side::First, EndReason::Five)));
        tally.add([0, 1], &rules(Outcome::draw(EndReason::Full)));
        tally.add([1, 0], &fault(Side::First, Fault::no_move("x")));
        tally.add([0, 1], &fault(Side::Second, Fault::no_move("x")));
        assert_eq!(
            tally.to_string(),
            "Score of a vs b: 3 - 1 - 1 [0.700] 5\nPoints: a 3.5, b 1.5\nFaults of b: 2 garbage"
        );
    }
}
