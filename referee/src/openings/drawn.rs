//! Openings drawn by chance. Which one has which number follows from the
//! variant, the setup, the number of plies and the seed alone.

use std::collections::HashSet;

use lodestone::board::Move;
use lodestone::game::{AnyPosition, Setup, Variant};
use lodestone::random::Random;

use super::opening::{Opening, OpeningError, place_of};

/// When so many draws in a row give nothing new, it is said that there is
/// nothing new.
pub const MOST_DRAWS: u16 = 20_000;

/// The openings that were drawn so far.
///
/// Nothing is kept of an opening but the key of where it leads and which draw
/// of its generator it was, about twenty bytes; who asks for it again gets it
/// drawn again.
#[derive(Clone, Debug)]
pub struct Drawn {
    variant: Variant,
    setup: Setup,
    plies: u32,
    seed: u64,
    /// The symmetry keys of the positions behind the openings.
    ends: HashSet<u64>,
    /// For each opening, which draw it was, from 1. Never empty.
    draws: Vec<u16>,
    /// Nothing new was found the last time.
    used_up: bool,
}

/// One draw in which the game goes on.
struct Draw {
    start: Box<dyn AnyPosition>,
    moves: Vec<Move>,
    end: Box<dyn AnyPosition>,
}

impl Drawn {
    /// Openings of so many random moves from the start, or from a drawn
    /// placement.
    ///
    /// # Errors
    /// Where there seems to be none in which the game goes on.
    pub fn new(variant: Variant, setup: Setup, plies: u32, seed: u64) -> Result<Drawn, OpeningError> {
        let mut drawn = Drawn {
            variant,
            setup,
            plies,
            seed,
            ends: HashSet::new(),
            draws: Vec::new(),
            used_up: false,
        };
        drawn.find_next().ok_or(OpeningError::NoneDrawn { plies })?;
        // There is no chance in it where the start is given.
        drawn.used_up = plies == 0 && !variant.info().has_setup;
        Ok(drawn)
    }

    /// How many there are, once it is known.
    pub fn distinct(&self) -> Option<u64> {
        self.used_up.then_some(self.draws.len() as u64)
    }

    /// Draws all up to this number; `false` where there are not so many.
    pub fn reach(&mut self, number: u64) -> bool {
        while (self.draws.len() as u64) < number {
            if self.find_next().is_none() {
                return false;
            }
        }
        true
    }

    /// The opening with this number; beyond the last the first comes again.
    ///
    /// # Errors
    /// None: the first was found when this was made.
    pub fn get(&mut self, number: u64) -> Result<Opening, OpeningError> {
        self.reach(number.saturating_sub(1));
        if self.draws.len() as u64 == number.saturating_sub(1)
            && let Some(opening) = self.find_next()
        {
            return Ok(opening);
        }
        let again = place_of(number, self.draws.len()).and_then(|place| self.draw_again(place));
        again.ok_or(OpeningError::NoneDrawn { plies: self.plies })
    }

    /// Draws the opening after the last one.
    fn find_next(&mut self) -> Option<Opening> {
        if self.used_up {
            return None;
        }
        let mut random = self.generator(self.draws.len());
        for number in 1..=MOST_DRAWS {
            if let Some(draw) = self.draw(&mut random)
                && self.ends.insert(draw.end.symmetry_key())
            {
                self.draws.push(number);
                return Some(self.opening(draw));
            }
        }
        self.used_up = true;
        None
    }

    /// An opening that was found before.
    fn draw_again(&self, place: usize) -> Option<Opening> {
        let mut random = self.generator(place);
        let draws = (1..=*self.draws.get(place)?).map(|_| self.draw(&mut random));
        draws.last().flatten().map(|draw| self.opening(draw))
    }

    /// The generator of the opening at this place, from 0: each has its own.
    const fn generator(&self, place: usize) -> Random {
        Random::substream(self.seed, place as u64 + 1)
    }

    fn opening(&self, draw: Draw) -> Opening {
        Opening::new(self.variant, draw.start, draw.moves)
    }

    /// One draw; `None` where the game ends in it.
    fn draw(&self, random: &mut Random) -> Option<Draw> {
        let start = self.variant.random_start(self.setup, random);
        let mut end = start.boxed_clone();
        let mut moves = Vec::new();
        for _ in 0..self.plies {
            let &one = random.choose(&end.legal_moves())?;
            end.play(one);
            moves.push(one);
        }
        end.outcome().is_none().then_some(Draw { start, moves, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three pieces a side.
    fn drawn(variant: Variant, plies: u32, turns: u32) -> Result<Drawn, OpeningError> {
        Drawn::new(variant, Setup { pieces: 3, turns }, plies, 1)
    }

    fn text(drawn: &mut Drawn, number: u64) -> String {
        drawn.get(number).unwrap().to_string()
    }

    #[test]
    fn the_game_goes_on_behind_an_opening() {
        for variant in Variant::ALL {
            for plies in [0, 1, 8, 30] {
                let opening = drawn(*variant, plies, 40).unwrap().get(1).unwrap();
                assert_eq!(opening.moves.len(), plies as usize);
                let mut position = opening.position;
                for one in opening.moves {
                    assert!(position.legal_moves().contains(&one));
                    position.play(one);
                }
                assert_eq!(position.outcome(), None);
            }
        }
    }

    #[test]
    fn an_opening_that_cannot_be_is_an_error() {
        assert_eq!(
            drawn(Variant::Gridlock, 6, 6).unwrap_err().to_string(),
            "6 random moves from the start end the game"
        );
        assert!(drawn(Variant::Gridlock, 5, 6).is_ok());
        assert!(drawn(Variant::MagneticCave, 64, 40).is_err());
    }

    #[test]
    fn a_number_stands_for_the_same_opening_whatever_was_asked_before() {
        for (variant, plies) in [
            (Variant::MagneticCave, 2),
            (Variant::Gridlock, 1),
            (Variant::Gridlock, 0),
        ] {
            let fresh = || drawn(variant, plies, 40).unwrap();
            let mut forwards = fresh();
            let in_order: Vec<String> = (1..=60).map(|number| text(&mut forwards, number)).collect();
            let mut backwards = fresh();
            let reversed: Vec<String> = (1..=60)
                .rev()
                .map(|number| text(&mut backwards, number))
                .collect();
            assert!(in_order.iter().eq(reversed.iter().rev()), "{variant}");
            assert_eq!(text(&mut fresh(), 37), in_order[36]);
        }
    }

    #[test]
    fn drawn_openings_stay_what_they_are() {
        // Drawn once and written down: whatever is resumed or merged relies on
        // it. The thirteenth of Magnetic Cave is the first that was drawn twice,
        // the fortieth was drawn twelve times.
        let mut cave = drawn(Variant::MagneticCave, 2, 40).unwrap();
        let cave: Vec<String> = [1, 2, 4, 13, 40].map(|number| text(&mut cave, number)).into();
        assert_eq!(
            cave,
            [
                "startpos moves a4 h2",
                "startpos moves a3 a6",
                "startpos moves a4 h6",
                "startpos moves a6 h4",
                "startpos moves a3 a1"
            ]
        );
        let mut gridlock = drawn(Variant::Gridlock, 1, 40).unwrap();
        let gridlock: Vec<String> = [1, 2, 9].map(|number| text(&mut gridlock, number)).into();
        assert_eq!(
            gridlock,
            [
                "1x5/7/6x/7/4ox1/3o3/3o3 x 0 40 moves a2b2",
                "o6/7/6x/x2o3/2x4/2o4/7 x 0 40 moves e3e2",
                "1o1x3/3x3/7/7/6o/7/o2x3 x 0 40 moves b4b3"
            ]
        );
    }

    /// The least of a FEN's board and its images in Magnetic Cave, with rows
    /// and their signs as text.
    fn least_board(fen: &str) -> String {
        let board = fen.split(' ').next().unwrap();
        let whole = (1..=8).fold(board.to_string(), |text, run: usize| {
            text.replace(&run.to_string(), &"-".repeat(run))
        });
        let rows: Vec<&str> = whole.split('/').collect();
        let mirrored: Vec<String> = rows.iter().map(|row| row.chars().rev().collect()).collect();
        let mirrored: Vec<&str> = mirrored.iter().map(String::as_str).collect();
        let upside_down = |rows: &[&str]| rows.iter().rev().copied().collect::<Vec<_>>().concat();
        let images = [
            rows.concat(),
            mirrored.concat(),
            upside_down(&rows),
            upside_down(&mirrored),
        ];
        images.into_iter().min().unwrap()
    }

    /// The boards behind all openings of so many plies in Magnetic Cave, one
    /// for each class of images.
    fn all_boards(position: &dyn AnyPosition, plies: u32, boards: &mut HashSet<String>) {
        if plies == 0 {
            boards.insert(least_board(&position.fen()));
            return;
        }
        for &one in position.legal_moves().iter() {
            let mut next = position.boxed_clone();
            next.play(one);
            all_boards(next.as_ref(), plies - 1, boards);
        }
    }

    #[test]
    fn all_there_are_are_drawn_and_none_twice() {
        for plies in [1, 2, 3] {
            let mut expected = HashSet::new();
            all_boards(Variant::MagneticCave.startpos().as_ref(), plies, &mut expected);
            let count = expected.len() as u64;
            let mut cave = drawn(Variant::MagneticCave, plies, 40).unwrap();
            assert!(cave.reach(count));
            assert_eq!(cave.distinct(), None, "nobody has looked for another one yet");
            let found: HashSet<String> = (1..=count)
                .map(|number| least_board(&cave.get(number).unwrap().end().fen()))
                .collect();
            assert_eq!(found, expected);
            assert!(!cave.reach(count + 1));
            assert_eq!(cave.distinct(), Some(count));
            for (again, number) in [(1, count + 1), (count, 2 * count), (3, 5 * count + 3)] {
                assert_eq!(text(&mut cave, number), text(&mut cave, again));
            }
            // The numbers behind the last are no different for who asks at once.
            let mut impatient = drawn(Variant::MagneticCave, plies, 40).unwrap();
            assert_eq!(text(&mut impatient, 5 * count + 3), text(&mut cave, 3));
        }
    }

    #[test]
    fn where_nothing_is_drawn_there_is_one_opening_or_one_a_placement() {
        let mut cave = drawn(Variant::MagneticCave, 0, 40).unwrap();
        assert_eq!(cave.distinct(), Some(1));
        assert_eq!(
            [1, 2, 1000].map(|number| text(&mut cave, number)),
            ["startpos"; 3]
        );
        assert!(cave.reach(1) && !cave.reach(2));

        let mut gridlock = drawn(Variant::Gridlock, 0, 40).unwrap();
        let keys: HashSet<u64> = (1..=500)
            .map(|number| gridlock.get(number).unwrap().end().symmetry_key())
            .collect();
        assert_eq!((keys.len(), gridlock.distinct()), (500, None));
    }
}
