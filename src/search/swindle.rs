//! A line that saves or wins a game if the opponent errs as expected, and how often it did so far.

use crate::board::Move;
use crate::game::{Evaluate, Game};

/// How many of the opponent's last moves, without a gap, are its [`Evaluate::shallow_reply`]: as
/// many as the [limits](Evaluate::SWINDLE_LIMITS) distinguish. Takes the positions of the game with
/// the moves played there; the last one is a move of the opponent.
pub fn shallow_replies<G: Evaluate>(played: &[(G, Move)]) -> u32 {
    let most = G::SWINDLE_LIMITS.map_or(0, |limits| limits.most_expected());
    let replies = played.iter().rev().step_by(2).take(most);
    let expected = replies.take_while(|(position, mv)| position.shallow_reply(&mut 0) == Some(*mv));
    expected.count() as u32
}

/// A line that saves or wins a game if the opponent replies as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swindle {
    /// The result: 1 for a win, 0 for a draw.
    pub(super) points: i32,
    /// The moves of both sides to the end of the game, at least one.
    pub(super) line: Vec<Move>,
}

/// The rest of a swindle after the opponent's reply, for the next search of the same game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwindlePlan {
    /// The key of the position that is expected then.
    key: u64,
    swindle: Swindle,
}

impl Swindle {
    /// The line, of at least one move.
    pub fn line(&self) -> &[Move] {
        &self.line
    }

    /// What is left of it after its first move and the reply to it.
    pub fn plan<G: Game>(&self, root: &G) -> Option<SwindlePlan> {
        let (played, rest) = self.line.split_at_checked(2)?;
        let next = played.iter().fold(*root, |position, &mv| position.play(mv));
        (!rest.is_empty()).then(|| SwindlePlan {
            key: next.key(),
            swindle: Swindle {
                points: self.points,
                line: rest.to_vec(),
            },
        })
    }
}

impl SwindlePlan {
    /// The swindle, if the opponent replied as expected.
    pub fn at<G: Game>(self, root: &G) -> Option<Swindle> {
        (self.key == root.key()).then_some(self.swindle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::gridlock::Gridlock;

    /// The last moves of a game in which the second player made this many other moves, then this
    /// many expected ones.
    fn game(others: usize, expected: usize) -> Vec<(Gridlock, Move)> {
        let mut position = Gridlock::startpos();
        let mut played = Vec::new();
        for number in 0..2 * (others + expected) {
            let reply = position.shallow_reply(&mut 0);
            let moves = position.legal_moves();
            let is_expected = number % 2 == 1 && number >= 2 * others;
            let mut candidates = moves.iter().copied();
            let mv = candidates.find(|&mv| (reply == Some(mv)) == is_expected).unwrap();
            played.push((position, mv));
            position = position.play(mv);
        }
        played
    }

    #[test]
    fn expected_moves_count_from_the_last_one() {
        assert_eq!(shallow_replies::<Gridlock>(&[]), 0);
        let counts = [(0, 1), (1, 0), (3, 2), (2, 4), (0, 9)];
        let counted = counts.map(|(others, expected)| shallow_replies(&game(others, expected)));
        assert_eq!(counted, [1, 0, 2, 4, 5]);
    }
}
