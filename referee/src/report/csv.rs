//! Tables for spreadsheets: comma-separated values (RFC 4180).

use referee_core::io::text::printable;
use referee_core::results::{AnalysisTally, Header, UnfitPlayer};

use super::summary::{PlayerSummary, Summary};

/// A row: one player of one match, with the number of the match.
#[derive(Clone, Copy)]
struct Row<'a>(usize, &'a Summary, &'a PlayerSummary);

/// The name of a column, that of `--json` where it means the same, and the text of a cell.
type Column = (&'static str, fn(Row<'_>) -> Option<String>);

/// The columns that every table has.
const COLUMNS: [Column; 20] = [
    ("match", |row| Some(row.0.to_string())),
    ("rank", |row| Some(row.2.rank.to_string())),
    ("name", |row| Some(safe_name(&row.2.name))),
    ("points", |row| Some(exact(row.2.points))),
    ("percent", |row| rounded(row.2.percent(), 2)),
    ("games", |row| Some(row.2.games.games().to_string())),
    ("wins", |row| Some(row.2.games.wins.to_string())),
    ("ties", |row| Some(row.2.games.draws.to_string())),
    ("losses", |row| Some(row.2.games.losses.to_string())),
    ("elo", |row| rounded(row.2.elo(), 1)),
    ("elo_low", |row| rounded(row.2.interval().map(|ends| ends[0]), 1)),
    ("elo_high", |row| rounded(row.2.interval().map(|ends| ends[1]), 1)),
    ("opponents_points", |row| Some(exact(row.2.opponents_points))),
    ("points_off", |row| Some(row.2.bye_points.to_string())),
    ("first_moves", |row| Some(row.2.first_moves.to_string())),
    ("mean_ms", |row| rounded(row.2.mean_ms, 3)),
    ("longest_ms", |row| rounded(Some(row.2.longest_ms), 3)),
    ("faults", |row| Some(faults(row.2).to_string())),
    ("variant", |row| Some(row.1.game.clone())),
    ("format", |row| Some(row.1.format.to_string())),
];

/// Columns behind them, each group where any player has a value of it.
const OPTIONAL: [&[Column]; 6] = [
    &[("random_moves", |row| some(replaced(row.2)))],
    &[("unanswered", |row| some(row.2.unanswered()))],
    &[("over_limit", |row| some(row.2.over_limit))],
    &[
        ("mean_depth", |row| rounded(row.2.means.mean_depth, 2)),
        ("mean_nps", |row| rounded(row.2.means.mean_nps, 0)),
        ("mean_latency_ms", |row| rounded(row.2.means.mean_latency_ms, 3)),
        ("mean_time_left_ms", |row| {
            rounded(row.2.means.mean_time_left_ms, 3)
        }),
    ],
    &[
        ("ponder_hits", |row| Some(row.2.ponder?.hits.to_string())),
        ("ponder_misses", |row| Some(row.2.ponder?.misses.to_string())),
    ],
    &[
        ("analysed_moves", |row| analysed(row, |tally| tally.moves)),
        ("best_moves", |row| analysed(row, |tally| tally.best_moves)),
        ("mistakes", |row| analysed(row, |tally| tally.mistakes)),
        ("blunders", |row| analysed(row, |tally| tally.blunders)),
        ("given_away", |row| analysed(row, |tally| tally.given_away)),
        ("mean_loss", |row| rounded(row.2.analysis.as_ref()?.mean_loss, 4)),
    ],
];

/// What a table of matches begins with.
pub const BEGINNING: &str = "match,rank,name,points";

/// The players of all matches, the best player of the first match first. The first line is
/// the header; lines end with CR LF.
pub fn csv<'a>(matches: impl IntoIterator<Item = &'a Summary>) -> String {
    let mut rows = Vec::new();
    for (summary, number) in matches.into_iter().zip(1..) {
        rows.extend(summary.players.iter().map(|player| Row(number, summary, player)));
    }
    if rows.is_empty() {
        return String::new();
    }
    let is_given = |(_, cell): &Column| rows.iter().any(|row| cell(*row).is_some());
    let more = OPTIONAL.into_iter().filter(|group| group.iter().any(is_given));
    let columns: Vec<&Column> = COLUMNS.iter().chain(more.flatten()).collect();
    let names = line(columns.iter().map(|(name, _)| Some(name.to_string())));
    let lines = rows
        .iter()
        .map(|row| line(columns.iter().map(|(_, cell)| cell(*row))));
    names + &lines.collect::<String>()
}

/// A line of these fields, with quotation marks around those that need them, also where `;` separates cells.
pub(crate) fn line(fields: impl IntoIterator<Item = Option<String>>) -> String {
    let quoted = |field: Option<String>| match field.unwrap_or_default() {
        field if field.contains(['"', ',', ';', '\t', '\r', '\n']) => {
            format!("\"{}\"", field.replace('"', "\"\""))
        }
        field => field,
    };
    let fields: Vec<String> = fields.into_iter().map(quoted).collect();
    fields.join(",") + "\r\n"
}

/// What the standings of a ladder begin with.
pub const GRADES_BEGINNING: &str = "rank,name,version,games,points,rating,low,high,faults,longest_ms,problem";

/// The columns behind them.
const GRADES_END: &str = "random_moves,unanswered,over_limit";

/// The standings of a ladder for a grade book: the players in their order, then the submissions that cannot
/// play, with their problem.
pub fn grades(header: &Header, summary: &Summary) -> String {
    let mut lines = format!("{GRADES_BEGINNING},{GRADES_END}\r\n");
    for player in &summary.players {
        let entry = header.engines.get(player.number);
        let submission = entry.and_then(|engine| engine.submission.as_ref());
        let name = submission.map_or(&player.name, |submission| &submission.name);
        lines += &line([
            Some(player.rank.to_string()),
            Some(safe_name(name)),
            submission.map(|submission| submission.version.to_string()),
            Some(player.games.games().to_string()),
            Some(exact(player.points)),
            rounded(player.elo(), 1),
            rounded(player.interval().map(|ends| ends[0]), 1),
            rounded(player.interval().map(|ends| ends[1]), 1),
            Some(faults(player).to_string()),
            rounded(player.longest(), 3),
            None,
            Some(replaced(player).to_string()),
            Some(player.unanswered().to_string()),
            Some(player.over_limit.to_string()),
        ]);
    }
    for UnfitPlayer { name, why, .. } in &header.unfit {
        let [name, problem] =
            [printable(name, usize::MAX), why.first_line()].map(|text| Some(safe_name(&text)));
        let cells = GRADES_BEGINNING.split(',').chain(GRADES_END.split(','));
        lines += &line(cells.map(|column| match column {
            "name" => name.clone(),
            "problem" => problem.clone(),
            _ => None,
        }));
    }
    lines
}

/// The number of games that a player lost by faults.
fn faults(player: &PlayerSummary) -> u64 {
    player.faults.values().sum()
}

/// The number of random moves after its other faults.
fn replaced(player: &PlayerSummary) -> u64 {
    player.replaced.values().sum()
}

/// A count that is not 0.
fn some(count: u64) -> Option<String> {
    (count > 0).then(|| count.to_string())
}

/// A count over the analysed moves.
fn analysed(row: Row<'_>, count: fn(&AnalysisTally) -> u64) -> Option<String> {
    Some(count(row.2.analysis.as_ref()?).to_string())
}

/// A number with at least one decimal.
fn exact(number: f64) -> String {
    format!("{number:?}")
}

/// A number with at most this number of decimals; never −0.
fn rounded(number: Option<f64>, decimals: i32) -> Option<String> {
    let scale = 10.0_f64.powi(decimals);
    Some(exact((number? * scale).round() / scale + 0.0))
}

/// A name that a spreadsheet does not take for a formula: an apostrophe precedes `=`, `+`,
/// `-`, `@`, a tab or a carriage return at its beginning.
pub(crate) fn safe_name(name: &str) -> String {
    if name.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']) {
        format!("'{name}")
    } else {
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_a_formula() {
        let cells = ["a;=1+2;b", "＝1+1", "ann"].map(|name| Some(safe_name(name)));
        assert_eq!(line(cells), "\"a;=1+2;b\",'＝1+1,ann\r\n");
    }
    use referee_core::samples::{game, play, tournament};

    /// Scripts cut columns by their number, so the manual lists them as they come.
    #[test]
    fn the_manual_lists_the_columns_in_their_order() {
        let manual = include_str!("../../../docs/reports.md");
        let (_, section) = manual.split_once("\n## CSV\n").unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        let rows = section
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
        let listed: Vec<&str> = rows
            .flat_map(|names| names.split(", "))
            .map(|name| name.trim_matches('`'))
            .collect();
        let columns = COLUMNS.iter().chain(OPTIONAL.into_iter().flatten());
        assert_eq!(listed, columns.map(|(name, _)| *name).collect::<Vec<_>>());
    }

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
        let text = csv([&summary, &summary]);
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
    fn a_grade_book_has_each_number_in_its_column() {
        let (header, mut tournament) = tournament(3, 2, |_| ());
        play(
            &mut tournament,
            &["1-0", "1/2-1/2", "0-1", "1-0", "1/2-1/2", "1-0"],
        );
        let summary = Summary::new(&header, &tournament);
        let text = grades(&header, &summary);
        let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let names = rows.next().unwrap();
        for (row, player) in rows.zip(&summary.players) {
            let cell = |name: &str| row[names.iter().position(|known| *known == name).unwrap()];
            let [low, high] = player.interval().unwrap();
            assert!(low < player.elo().unwrap() && player.elo().unwrap() < high);
            for (name, expected) in [("rating", player.elo()), ("low", Some(low)), ("high", Some(high))] {
                assert_eq!(cell(name), rounded(expected, 1).unwrap(), "{name}: {text}");
            }
            assert_eq!(cell("points"), exact(player.points), "{text}");
            assert_eq!(cell("games"), player.games.games().to_string(), "{text}");
        }
    }

    #[test]
    fn ponder_hits_are_columns_at_the_end() {
        use referee_core::game::PonderOutcome::{Hit, Miss};

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
        let ponder_only = csv([&Summary::new(&header, &tournament)]);
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
        let text = csv([&Summary::new(&header, &tournament)]);
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
        assert_eq!(rounded(Some(-0.04), 1).unwrap(), "0.0");
    }
}
