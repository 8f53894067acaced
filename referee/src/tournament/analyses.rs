//! What the analysed games say about the players.

use fixedbitset::FixedBitSet;
use lodestone::board::Side;

use crate::results::mistakes::MISTAKE;
use crate::results::{AnalysisTally, Record};
use crate::schedule::Fixture;

/// The counts of the players over all games with an analysis. It may come from a second copy
/// of a game, and all games count, also those after the end of a sequential test.
#[derive(Clone, Debug)]
pub(crate) struct Analyses {
    /// The ids of the games.
    games: FixedBitSet,
    players: Vec<AnalysisTally>,
}

impl Analyses {
    /// No games.
    pub(crate) fn new(players: usize) -> Analyses {
        Analyses {
            games: FixedBitSet::new(),
            players: vec![AnalysisTally::default(); players],
        }
    }

    /// Adds the analysis of a game, if the record has one and no other copy had.
    pub(crate) fn add(&mut self, fixture: &Fixture, record: &Record) -> Result<(), String> {
        let Some(analysis) = &record.analysis else {
            return Ok(());
        };
        if self.games.contains(record.id as usize) {
            return Ok(());
        }
        let played = record.moves.get(record.opening_plies..).unwrap_or_default();
        let moves = analysis.of_moves(played)?;
        self.games.grow_and_insert(record.id as usize);
        for player in fixture.seats {
            if let Some(tally) = self.players.get_mut(player) {
                tally.games += 1;
            }
        }
        let mut side = first_mover(record);
        for found in &moves {
            let tally = fixture.seats.get(side.index());
            if let Some(tally) = tally.and_then(|&player| self.players.get_mut(player)) {
                tally.add(found, MISTAKE);
            }
            side = side.opponent();
        }
        Ok(())
    }

    /// The counts of a player; `None` without analysed games.
    pub(crate) fn of_player(&self, player: usize) -> Option<&AnalysisTally> {
        self.players.get(player).filter(|tally| tally.games > 0)
    }

    /// The number of games with an analysis.
    pub(crate) fn games(&self) -> usize {
        self.games.count_ones(..)
    }
}

/// The side of the first move after the opening. The sides alternate in both games.
fn first_mover(record: &Record) -> Side {
    let second_begins = record.start.split(' ').nth(1) == Some("o");
    if second_begins == record.opening_plies.is_multiple_of(2) {
        Side::Second
    } else {
        Side::First
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::analysis_tests::analysis;
    use crate::results::tests::record;

    fn fixture(id: u64) -> Fixture {
        crate::tournament::Tournament::new(&crate::results::header_tests::header())
            .unwrap()
            .fixtures()
            .get(id)
            .unwrap()
    }

    #[test]
    fn the_first_copy_with_an_analysis_counts() {
        let fixture = fixture(1);
        let mut analyses = Analyses::new(2);
        let mut game = record(1, "a", "b");
        analyses.add(&fixture, &game).unwrap();
        assert_eq!((analyses.games(), analyses.of_player(0)), (0, None));
        let mut moves = [("", "", ""); 8];
        // Move 3 is the first player's.
        moves[1] = ("b1", "win 9", "draw 0");
        game.analysis = Some(Box::new(analysis(&moves)));
        analyses.add(&fixture, &game).unwrap();
        analyses.add(&fixture, &game).unwrap();
        assert_eq!(analyses.games(), 1);
        let mistakes = [0, 1].map(|player| analyses.of_player(fixture.seats[player]).unwrap().mistakes);
        assert_eq!(mistakes, [1, 0]);
        game.id = 2;
        game.moves.pop();
        assert!(analyses.add(&fixture, &game).unwrap_err().contains("8 values"));
    }

    #[test]
    fn the_mover_follows_from_start_and_opening() {
        let mut game = record(1, "a", "b");
        assert_eq!(first_mover(&game), Side::Second);
        game.opening_plies = 2;
        assert_eq!(first_mover(&game), Side::First);
        game.start = "8/8/8/8/8/8/8/x7 o".into();
        assert_eq!(first_mover(&game), Side::Second);
        game.opening_plies = 1;
        assert_eq!(first_mover(&game), Side::First);
    }
}
