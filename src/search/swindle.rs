//! A line by which a lost game is saved if the opponent errs as expected.

use crate::board::Move;
use crate::game::Game;

/// A line that saves a lost game if the opponent replies as expected.
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
    /// The replies before it that were expected, without a gap.
    expected_replies: u32,
}

impl Swindle {
    /// The line, of at least one move.
    pub fn line(&self) -> &[Move] {
        &self.line
    }

    /// What is left of it after its first move and the reply to it. This many replies before it
    /// were expected.
    pub fn plan<G: Game>(&self, root: &G, expected_replies: u32) -> Option<SwindlePlan> {
        let (played, rest) = self.line.split_at_checked(2)?;
        let next = played.iter().fold(*root, |position, &mv| position.play(mv));
        (!rest.is_empty()).then(|| SwindlePlan {
            key: next.key(),
            swindle: Swindle {
                points: self.points,
                line: rest.to_vec(),
            },
            expected_replies,
        })
    }
}

impl SwindlePlan {
    /// If the opponent replied as expected: the swindle, and the expected replies up to now.
    pub fn at<G: Game>(self, root: &G) -> Option<(Swindle, u32)> {
        (self.key == root.key()).then_some((self.swindle, self.expected_replies + 1))
    }
}
