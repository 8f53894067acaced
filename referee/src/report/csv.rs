//! Tables for spreadsheets: comma-separated values (RFC 4180).

use super::summary::{PlayerSummary, Summary};
use crate::io::text::printable;
use crate::results::{Header, UnfitPlayer};

/// A row: one player of one match, with the number of the match.
#[derive(Clone, Copy)]
struct Row<'a>(usize, &'a Summary, &'a PlayerSummary);

/// The name of a column, that of `--json` where it means the same, and the text of a cell.
type Column = (&'static str, fn(Row<'_>) -> String);

/// The columns that every table has.
const COLUMNS: [Column; 20] = [
    ("match", |Row(number, ..)| number.to_string()),
    ("rank", |row| row.2.rank.to_string()),
    ("name", |row| safe_name(&row.2.name)),
    ("points", |row| exact(row.2.points)),
    ("percent", |row| rounded(row.2.percent(), 2)),
    ("games", |row| row.2.games.games().to_string()),
    ("wins", |row| row.2.games.wins.to_string()),
    ("ties", |row| row.2.games.draws.to_string()),
    ("losses", |row| row.2.games.losses.to_string()),
    ("elo", |row| rounded(row.2.elo(), 1)),
    ("elo_low", |row| rounded(row.2.interval().map(|ends| ends[0]), 1)),
    ("elo_high", |row| rounded(row.2.interval().map(|ends| ends[1]), 1)),
    ("opponents_points", |row| exact(row.2.opponents_points)),
    ("points_off", |row| row.2.bye_points.to_string()),
    ("first_moves", |row| row.2.first_moves.to_string()),
    ("mean_ms", |row| rounded(row.2.mean_ms, 3)),
    ("longest_ms", |row| rounded(Some(row.2.longest_ms), 3)),
    ("faults", |row| row.2.faults.values().sum::<u64>().to_string()),
    ("variant", |row| row.1.variant.into()),
    ("format", |row| row.1.format.into()),
];

/// Columns, and whether a player has values of them.
type Group = (fn(&PlayerSummary) -> bool, &'static [Column]);

/// Columns behind them, each group where any player has a value of it.
const OPTIONAL: [Group; 3] = [
    (
        |player| !player.means.is_empty(),
        &[
            ("mean_depth", |row| rounded(row.2.means.mean_depth, 2)),
            ("mean_nps", |row| rounded(row.2.means.mean_nps, 0)),
            ("mean_latency_ms", |row| rounded(row.2.means.mean_latency_ms, 3)),
            ("mean_time_left_ms", |row| {
                rounded(row.2.means.mean_time_left_ms, 3)
            }),
        ],
    ),
    (
        |player| player.ponder.is_some(),
        &[
            ("ponder_hits", |row| count(row.2.ponder, |ponder| ponder.hits)),
            ("ponder_misses", |row| count(row.2.ponder, |ponder| ponder.misses)),
        ],
    ),
    (
        |player| player.analysis.is_some(),
        &[
            ("analysed_moves", |row| {
                count(row.2.analysis.as_ref(), |tally| tally.moves)
            }),
            ("best_moves", |row| {
                count(row.2.analysis.as_ref(), |tally| tally.best_moves)
            }),
            ("mistakes", |row| {
                count(row.2.analysis.as_ref(), |tally| tally.mistakes)
            }),
            ("blunders", |row| {
                count(row.2.analysis.as_ref(), |tally| tally.blunders)
            }),
            ("given_away", |row| {
                count(row.2.analysis.as_ref(), |tally| tally.given_away)
            }),
            ("mean_loss", |row| {
                rounded(row.2.analysis.as_ref().and_then(|tally| tally.mean_loss), 4)
            }),
        ],
    ),
];

/// The players of all matches, the best player of the first match first. The first line is
/// the header; lines end with CR LF.
pub fn csv<'a>(matches: impl IntoIterator<Item = &'a Summary>) -> Result<String, csv::Error> {
    let mut rows = Vec::new();
    for (summary, number) in matches.into_iter().zip(1..) {
        rows.extend(summary.players.iter().map(|player| Row(number, summary, player)));
    }
    let mut columns = COLUMNS.to_vec();
    for (has, more) in OPTIONAL {
        if rows.iter().any(|row| has(row.2)) {
            columns.extend(more);
        }
    }
    let mut writer = writer();
    if !rows.is_empty() {
        writer.write_record(columns.iter().map(|(name, _)| name))?;
    }
    for row in rows {
        writer.write_record(columns.iter().map(|(_, cell)| cell(row)))?;
    }
    text_of(writer)
}

/// Writes lines that end with CR LF.
fn writer() -> csv::Writer<Vec<u8>> {
    let mut builder = csv::WriterBuilder::new();
    builder.terminator(csv::Terminator::CRLF).from_writer(Vec::new())
}

/// What was written.
fn text_of(writer: csv::Writer<Vec<u8>>) -> Result<String, csv::Error> {
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What the standings of a ladder begin with.
pub const GRADES_BEGINNING: &[u8] =
    b"rank,name,version,games,points,rating,low,high,faults,longest_ms,problem";

/// The standings of a ladder for a grade book: the players in their order, then the submissions that cannot
/// play, with their problem.
pub fn grades(header: &Header, summary: &Summary) -> Result<String, csv::Error> {
    let mut writer = writer();
    writer.write_record(String::from_utf8_lossy(GRADES_BEGINNING).split(','))?;
    for player in &summary.players {
        let entry = header.engines.get(player.number);
        let submission = entry.and_then(|engine| engine.submission.as_ref());
        let name = submission.map_or(&player.name, |submission| &submission.name);
        let [low, high] = player.interval().map_or([None; 2], |ends| ends.map(Some));
        writer.write_record([
            player.rank.to_string(),
            safe_name(name),
            submission.map_or_else(String::new, |submission| submission.version.to_string()),
            player.games.games().to_string(),
            exact(player.points),
            rounded(player.elo(), 1),
            rounded(low, 1),
            rounded(high, 1),
            player.faults.values().sum::<u64>().to_string(),
            rounded(player.mean_ms.map(|_| player.longest_ms), 3),
            String::new(),
        ])?;
    }
    for UnfitPlayer { name, why } in &header.unfit {
        let empty = std::iter::repeat_n(String::new(), 8);
        let problem = why.lines().next().unwrap_or_default();
        let name = printable(name, usize::MAX);
        let row = [String::new(), safe_name(&name)].into_iter().chain(empty);
        writer.write_record(row.chain([safe_name(&printable(problem, usize::MAX))]))?;
    }
    text_of(writer)
}

fn count<T>(counts: Option<T>, count: fn(T) -> u64) -> String {
    counts.map_or_else(String::new, |counts| count(counts).to_string())
}

/// A number with at least one decimal.
fn exact(number: f64) -> String {
    format!("{number:?}")
}

/// A number with at most this number of decimals; never −0.
fn rounded(number: Option<f64>, decimals: i32) -> String {
    let scale = 10.0_f64.powi(decimals);
    number.map_or_else(String::new, |number| {
        exact((number * scale).round() / scale + 0.0)
    })
}

/// A name that a spreadsheet does not take for a formula: an apostrophe precedes `=`, `+`,
/// `-`, `@`, a tab or a carriage return at its beginning.
fn safe_name(name: &str) -> String {
    if name.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{name}")
    } else {
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::tests::{game, play, tournament};

    #[test]
    fn quotes_names_and_rounds_numbers() {
        let names = ["a,b", "say \"so\"", "=1+1"];
        let (header, mut tournament) = tournament(3, 2, |header| {
            for (engine, name) in header.engines.iter_mut().zip(names) {
                engine.name = name.into();
            }
        });
        play(
            &mut tournament,
            &["1-0", "1/2-1/2", "0-1", "1-0", "1/2-1/2", "1-0"],
        );
        let summary = Summary::new(&header, &tournament);
        let text = csv([&summary, &summary]).unwrap();
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert_eq!(lines.len(), 8, "{text}");
        assert_eq!(
            lines[0],
            "match,rank,name,points,percent,games,wins,ties,losses,elo,elo_low,elo_high,\
             opponents_points,points_off,first_moves,mean_ms,longest_ms,faults,variant,format"
        );
        assert!(
            lines[1].starts_with("1,1,\"say \"\"so\"\"\",3.0,75.0,4,3,0,1,"),
            "{text}"
        );
        assert!(lines[2].starts_with("1,2,'=1+1,2.0,50.0,4,1,2,1,"), "{text}");
        assert!(lines[3].starts_with("1,3,\"a,b\",1.0,25.0,4,0,2,2,-"), "{text}");
        assert!(lines[4].starts_with("2,1,"), "{text}");
        assert!(lines[1].ends_with(",0,magnetic-cave,round-robin"), "{text}");
        assert_eq!(lines[7], "");
    }

    #[test]
    fn ponder_hits_are_columns_at_the_end() {
        use crate::game::PonderOutcome::{Hit, Miss};

        let (header, mut tournament) = tournament(2, 4, |_| ());
        let mut record = game(&tournament, 1, "1-0");
        // After an opening of one move, `b` makes the first move.
        record.ponder = Some(vec![
            None,
            None,
            None,
            Some(Hit),
            None,
            Some(Hit),
            None,
            Some(Miss),
        ]);
        tournament.add(&record).unwrap();
        let ponder_only = csv([&Summary::new(&header, &tournament)]).unwrap();
        let ending = |text: &str| -> Vec<String> {
            let lines = text.lines().map(|line| line.rsplit("format").next().unwrap());
            lines
                .map(|line| line.rsplit("round-robin").next().unwrap().to_string())
                .collect()
        };
        assert_eq!(ending(&ponder_only), [",ponder_hits,ponder_misses", ",2,1", ",,"]);
    }

    #[test]
    fn missing_numbers_are_empty() {
        let (header, tournament) = tournament(2, 4, |_| ());
        let text = csv([&Summary::new(&header, &tournament)]).unwrap();
        assert!(
            text.contains("\r\n1,1,a,0.0,,0,0,0,0,,,,0.0,0,0,,0.0,0,"),
            "{text}"
        );
    }

    #[test]
    fn names_are_not_formulas() {
        for name in ["=a", "+a", "-a", "@a", "\ta", "\ra"] {
            assert_eq!(safe_name(name), format!("'{name}"));
        }
        assert_eq!(safe_name("a=b"), "a=b");
        assert_eq!(rounded(Some(-0.04), 1), "0.0");
    }
}
