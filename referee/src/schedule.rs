//! Which games a match has: a pure function of the command. A game depends on
//! nothing but the schedule and its place in it, so games can be played in any
//! order and again.

use lodestone::game::{Setup, Variant};

use crate::openings::{Opening, OpeningError, OpeningSource, Openings};

/// What decides the games between two players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The game that is played.
    pub variant: Variant,
    /// How many games. Two games make a pair; the last may be half a pair.
    pub games: u64,
    /// Pieces and turns where the variant asks for them.
    pub setup: Setup,
    /// What is played before the players are asked.
    pub openings: Option<OpeningSource>,
    /// Decides everything that is drawn by chance.
    pub seed: u64,
}

/// One game of a schedule.
#[derive(Clone, Debug)]
pub struct Game {
    /// Its place in the schedule, from 1.
    pub id: u64,
    /// The round of the tournament, from 1: two players meet in the first.
    pub round: u64,
    /// The pair, from 1: two games of one opening with colours swapped.
    pub pair: u64,
    /// Which player of the match has which side, the first player's number
    /// first, counted from 0.
    pub seats: [usize; 2],
    /// How it begins.
    pub opening: Opening,
}

impl Schedule {
    /// The openings of its pairs.
    ///
    /// # Errors
    /// Where the book is wrong or nothing can be drawn.
    pub fn openings(&self) -> Result<Openings, OpeningError> {
        Openings::new(self.variant, self.setup, self.openings.as_ref(), self.seed)
    }

    /// The game with this number, from 1 to [`Schedule::games`]; `openings`
    /// are those of the schedule.
    ///
    /// # Errors
    /// Where it has no opening.
    pub fn game(&self, id: u64, openings: &mut Openings) -> Result<Game, OpeningError> {
        let index = id.saturating_sub(1);
        let pair = index / 2 + 1;
        Ok(Game {
            id,
            round: 1,
            pair,
            seats: if index.is_multiple_of(2) { [0, 1] } else { [1, 0] },
            opening: openings.get(pair)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEDULE: Schedule = Schedule {
        variant: Variant::Gridlock,
        games: 6,
        setup: Setup { pieces: 5, turns: 40 },
        openings: Some(OpeningSource::Random(4)),
        seed: 1,
    };

    fn game(schedule: &Schedule, id: u64) -> Game {
        schedule.game(id, &mut schedule.openings().unwrap()).unwrap()
    }

    fn opening(schedule: &Schedule, id: u64) -> String {
        let Opening { position, moves, .. } = game(schedule, id).opening;
        let moves: Vec<String> = moves.iter().map(|&one| position.move_text(one)).collect();
        format!("{} {}", position.fen(), moves.join(" "))
    }

    #[test]
    fn a_pair_is_one_opening_with_colours_swapped() {
        for pair in 0..3 {
            let [one, other] = [2 * pair + 1, 2 * pair + 2].map(|id| game(&SCHEDULE, id));
            assert_eq!((one.pair, other.pair), (pair + 1, pair + 1));
            assert_eq!((one.seats, other.seats), ([0, 1], [1, 0]));
            assert_eq!(opening(&SCHEDULE, one.id), opening(&SCHEDULE, other.id));
        }
        assert_ne!(opening(&SCHEDULE, 1), opening(&SCHEDULE, 3));
    }

    #[test]
    fn the_same_command_gives_the_same_games_for_ever() {
        // Drawn once and written down: whatever is resumed or merged relies
        // on it.
        assert_eq!(
            opening(&SCHEDULE, 3),
            "o3o2/7/o5x/x2x3/o1x4/2x4/5o1 x 0 40 f3f4 a5a6 f4e4 g6f6"
        );
        let other = Schedule { seed: 2, ..SCHEDULE };
        assert_ne!(opening(&SCHEDULE, 1), opening(&other, 1));
    }
}
