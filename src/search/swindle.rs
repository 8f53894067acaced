//! A line that saves or wins a game if the opponent errs as expected, and how often it did so far.

use std::cmp::Reverse;

use crate::board::Move;
use crate::game::{Evaluate, Game, RootStrategy};
use crate::score::Value;

/// What the opponent's last moves say about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShallowOpponent {
    /// The number of the model of [`RootStrategy::shallow_reply`] that fits best.
    pub model: usize,
    /// How many of the last moves, without a gap, are the replies of this model.
    pub expected: u32,
}

/// The model that fits the opponent's last moves best, the first of equals. Counts as many moves
/// as the [limits](RootStrategy::SWINDLE_LIMITS) distinguish; where several models fit all of these, the
/// moves before decide. Takes the positions of the game with the moves played there; the last one
/// is a move of the opponent.
pub fn shallow_opponent<G: Evaluate>(played: &[(G, Move)]) -> ShallowOpponent {
    let most = G::Root::SWINDLE_LIMITS.map_or(0, |limits| limits.most_expected());
    let expected_of = |model: usize, most: usize| {
        let replies = played.iter().rev().step_by(2).take(most);
        let is_expected =
            |(position, mv): &&(G, Move)| G::Root::shallow_reply(position, model, &mut 0) == Some(*mv);
        replies.take_while(is_expected).count()
    };
    let counts: Vec<_> = (0..G::Root::SHALLOW_MODELS)
        .map(|model| expected_of(model, most))
        .collect();
    let best = counts.iter().copied().max().unwrap_or(0);
    let mut models: Vec<_> = (0..counts.len()).filter(|&model| counts[model] == best).collect();
    if models.len() > 1 && best == most {
        models.sort_by_cached_key(|&model| Reverse(expected_of(model, usize::MAX)));
    }
    ShallowOpponent {
        model: models.first().copied().unwrap_or(0),
        expected: best as u32,
    }
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

/// The first moves of lines, and the search that they are compared with.
#[derive(Debug, Default)]
pub struct FirstMoves {
    /// The value of the best move.
    pub(super) value: Value,
    /// The depth of the iteration, in plies.
    pub(super) depth: u32,
    /// Whether the position is a proven draw.
    pub(super) is_proven: bool,
    /// The moves that were compared, and whether a line may begin with them.
    pub(super) checked: Vec<(Move, bool)>,
}

impl FirstMoves {
    /// Whether no line may begin with this move.
    pub fn is_unsound(&self, mv: Move) -> bool {
        self.checked.contains(&(mv, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::gridlock::{Gridlock, GridlockRoot};
    use crate::game::magnetic_cave::{MagneticCave, MagneticCaveRoot};

    /// The last moves of a game in which the second player made this many other moves, then this
    /// many expected ones.
    fn game(others: usize, expected: usize) -> Vec<(Gridlock, Move)> {
        let mut position = Gridlock::startpos();
        let mut played = Vec::new();
        for number in 0..2 * (others + expected) {
            let reply = GridlockRoot::shallow_reply(&position, 0, &mut 0);
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
    fn the_model_that_fits_the_moves_is_found() {
        for model in 0..MagneticCaveRoot::SHALLOW_MODELS {
            let mut position = MagneticCave::startpos();
            let mut played = Vec::new();
            for number in 0..24 {
                let moves = position.legal_moves();
                let mv = match number % 2 {
                    0 => moves[moves.len() / 2],
                    _ => MagneticCaveRoot::shallow_reply(&position, model, &mut 0).unwrap(),
                };
                played.push((position, mv));
                position = position.play(mv);
            }
            let expected = MagneticCaveRoot::SWINDLE_LIMITS.unwrap().most_expected() as u32;
            assert_eq!(shallow_opponent(&played), ShallowOpponent { model, expected });
        }
    }

    /// Continues a game from this position, with this many replies so far: only the first of these
    /// models expects the first reply, both expect the others. Returns false if there is none.
    fn play_as_both(
        models: [usize; 2],
        replies: usize,
        end: MagneticCave,
        played: &mut Vec<(MagneticCave, Move)>,
    ) -> bool {
        if replies > MagneticCaveRoot::SWINDLE_LIMITS.unwrap().most_expected() {
            return true;
        }
        for &mv in end.legal_moves().iter() {
            let next = end.play(mv);
            let [Some(reply), other] =
                models.map(|model| MagneticCaveRoot::shallow_reply(&next, model, &mut 0))
            else {
                continue;
            };
            if (other == Some(reply)) == (replies > 0) {
                played.extend([(end, mv), (next, reply)]);
                if play_as_both(models, replies + 1, next.play(reply), played) {
                    return true;
                }
                played.truncate(2 * replies);
            }
        }
        false
    }

    #[test]
    fn earlier_moves_decide_between_models_that_fit_the_last_ones() {
        let start = MagneticCave::from_fen("xo6/o7/8/8/8/8/x7/xo6 x").unwrap();
        for models in [[0, 2], [2, 0]] {
            let mut played = Vec::new();
            assert!(play_as_both(models, 0, start, &mut played));
            let expected = MagneticCaveRoot::SWINDLE_LIMITS.unwrap().most_expected() as u32;
            let model = models[0];
            assert_eq!(shallow_opponent(&played), ShallowOpponent { model, expected });
        }
    }

    #[test]
    fn expected_moves_count_from_the_last_one() {
        assert_eq!(shallow_opponent::<Gridlock>(&[]), ShallowOpponent::default());
        let counts = [(0, 1), (1, 0), (3, 2), (2, 4), (0, 9)];
        let counted = counts.map(|(others, expected)| shallow_opponent(&game(others, expected)).expected);
        assert_eq!(counted, [1, 0, 2, 4, 5]);
    }
}
