//! The counts of analysed moves as a table.

use super::text_table::{Column, TextTable};
use crate::results::AnalysisTally;

/// A row for each player, in the given order, in at most `width` columns.
pub fn analysis_table<'a>(
    players: impl IntoIterator<Item = (&'a str, &'a AnalysisTally)>,
    width: Option<usize>,
) -> String {
    let players: Vec<_> = players.into_iter().collect();
    let column = |heading: &str, cell: &dyn Fn(&AnalysisTally) -> String| {
        Column::new(heading, players.iter().map(|(_, tally)| cell(tally)))
    };
    let best = |tally: &AnalysisTally| match tally.moves {
        0 => "-".into(),
        moves => format!("{:.1} %", 100.0 * tally.best_moves as f64 / moves as f64),
    };
    let loss = |tally: &AnalysisTally| tally.mean_loss.map_or("-".into(), |loss| format!("{loss:.4}"));
    let table = TextTable {
        numbers: Column::new("#", (1..=players.len()).map(|number| number.to_string())),
        names: Column::new("Name", players.iter().map(|(name, _)| (*name).to_string())),
        groups: vec![
            vec![
                column("Games", &|tally| tally.games.to_string()),
                column("Moves", &|tally| tally.moves.to_string()),
                column("Best", &best),
            ],
            vec![
                column("Mistakes", &|tally| tally.mistakes.to_string()),
                column("Blunders", &|tally| tally.blunders.to_string()),
                column("Given away", &|tally| tally.given_away.to_string()),
                column("Mean loss", &loss),
            ],
        ],
    };
    table.fit(width.unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_without_moves_has_no_mean() {
        let tally = AnalysisTally {
            games: 2,
            moves: 40,
            best_moves: 25,
            mistakes: 3,
            blunders: 2,
            given_away: 1,
            mean_loss: Some(0.01234),
        };
        let empty = AnalysisTally::default();
        let table = analysis_table([("alice", &tally), ("bob", &empty)], None);
        assert_eq!(
            table,
            "# Name  Games Moves   Best Mistakes Blunders Given away Mean loss\n\
             1 alice     2    40 62.5 %        3        2          1    0.0123\n\
             2 bob       0     0      -        0        0          0         -"
        );
        let narrow = analysis_table([("alice", &tally)], Some(45));
        assert!(narrow.lines().all(|line| line.chars().count() <= 45), "{narrow}");
    }
}
