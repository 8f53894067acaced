//! Tables for spreadsheets: comma-separated values (RFC 4180).

use referee_core::io::text::printable;
use referee_core::results::{Header, UnfitPlayer};

use super::cells::safe_name;
use super::columns::{CsvColumn, Row, columns, grade_columns};
use super::summary::Summary;

/// What a table of matches begins with.
pub const BEGINNING: &str = "match,rank,name,points";

/// The players of all matches, the best player of the first match first. The first line is
/// the header; lines end with CR LF.
pub fn csv<'a>(matches: impl IntoIterator<Item = &'a Summary>) -> String {
    let mut rows = Vec::new();
    for (summary, number) in matches.into_iter().zip(1..) {
        rows.extend(
            summary
                .players
                .iter()
                .map(|player| Row::of(number, summary, player)),
        );
    }
    if rows.is_empty() {
        return String::new();
    }
    let columns = columns().filter_map(|column| column.csv);
    let columns: Vec<CsvColumn> = columns
        .filter(|column| rows.iter().any(|row| (column.when)(*row)))
        .collect();
    let names = line(columns.iter().map(|column| Some(column.name.to_string())));
    let lines = rows
        .iter()
        .map(|row| line(columns.iter().map(|column| column.cell.text(*row))));
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

/// The standings of a ladder for a grade book: the players in their order, then the submissions that cannot
/// play, with their problem.
pub fn grades(header: &Header, summary: &Summary) -> String {
    let columns = grade_columns();
    let mut lines = line(columns.iter().map(|column| Some(column.name.to_string())));
    for player in &summary.players {
        let entry = header.engines.get(player.number);
        let row = Row {
            submission: entry.and_then(|engine| engine.submission.as_ref()),
            ..Row::of(1, summary, player)
        };
        lines += &line(columns.iter().map(|column| (column.cell)(row)));
    }
    for UnfitPlayer { name, why, .. } in &header.unfit {
        let [name, problem] =
            [printable(name, usize::MAX), why.first_line()].map(|text| Some(safe_name(&text)));
        lines += &line(columns.iter().map(|column| match column.name {
            "name" => name.clone(),
            "problem" => problem.clone(),
            _ => None,
        }));
    }
    lines
}

#[cfg(test)]
mod tests {
    use referee_core::player::verdict::FaultKind;
    use referee_core::results::AnalysisTally;
    use referee_core::results::counted_game::PonderCounts;
    use referee_core::samples::{game, means, play, tournament};

    use super::super::cells::rounded;
    use super::*;

    /// The names in the first cells of the first table in this section of a chapter.
    fn listed<'a>(chapter: &'a str, section: &str) -> Vec<&'a str> {
        let (_, section) = chapter.split_once(section).unwrap();
        let rows = section.lines().skip_while(|line| !line.starts_with('|'));
        let rows = rows.take_while(|line| line.starts_with('|'));
        let cells = rows.filter_map(|row| row.strip_prefix("| `")?.split(" |").next());
        let names = cells.flat_map(|names| names.split(", "));
        names.map(|name| name.trim_matches('`')).collect()
    }

    /// Scripts cut columns by their number, so the manual lists them as they come.
    #[test]
    fn the_manual_lists_the_columns_in_their_order() {
        let names = columns().filter_map(|column| Some(column.csv?.name));
        let manual = include_str!("../../../docs/reports.md");
        assert_eq!(listed(manual, "\n## CSV\n"), names.collect::<Vec<_>>());
        let grades = grade_columns();
        let names: Vec<&str> = grades.iter().map(|column| column.name).collect();
        let manual = include_str!("../../../docs/ladder.md");
        assert_eq!(listed(manual, "\n## The grade book\n"), names);
        assert!(names.join(",").starts_with(GRADES_BEGINNING));
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

    /// No two numbers are equal, so that none can be in the column of another one.
    #[test]
    fn each_number_is_in_its_column() {
        let (header, mut tournament) = tournament(3, 2, |_| ());
        play(
            &mut tournament,
            &["1-0", "1/2-1/2", "0-1", "1-0", "1/2-1/2", "1-0"],
        );
        let mut summary = Summary::new(&header, &tournament);
        let player = &mut summary.players[0];
        (player.bye_points, player.opponents_points, player.first_moves) = (21, 2.5, 22);
        (player.mean_ms, player.longest_ms, player.over_limit) = (Some(1.5), 9.25, 7);
        player.faults = [(FaultKind::Crash, 4), (FaultKind::Stall, 6)].into();
        player.replaced = [(FaultKind::Time, 20), (FaultKind::Stall, 30)].into();
        player.ponder = Some(PonderCounts { hits: 41, misses: 42 });
        player.means = means(&[
            ("mean_depth", 11.0),
            ("mean_nps", 12.0),
            ("mean_latency_ms", 13.0),
            ("mean_time_left_ms", 14.0),
        ]);
        player.analysis = Some(AnalysisTally {
            games: 1,
            moves: 31,
            best_moves: 32,
            mistakes: 33,
            blunders: 34,
            given_away: 35,
            mean_loss: Some(0.125),
        });
        let player = &summary.players[0];
        let [low, high] = player.interval().unwrap();
        let [elo, low, high] =
            [player.elo().unwrap(), low, high].map(|number| rounded(Some(number), 1).unwrap());
        let games =
            "games 4, points 3.0, faults 10, longest_ms 9.25, random_moves 50, unanswered 36, over_limit 7";
        let more = "percent 75.0, wins 3, ties 0, losses 1, points_off 21, opponents_points 2.5, first_moves 22, \
                    mean_ms 1.5, mean_depth 11.0, mean_nps 12.0, mean_latency_ms 13.0, mean_time_left_ms 14.0, \
                    ponder_hits 41, ponder_misses 42, analysed_moves 31, best_moves 32, mistakes 33, blunders 34, \
                    given_away 35, mean_loss 0.125";
        for (text, expected) in [
            (
                csv([&summary]),
                format!("{games}, {more}, elo {elo}, elo_low {low}, elo_high {high}"),
            ),
            (
                grades(&header, &summary),
                format!("{games}, rating {elo}, low {low}, high {high}"),
            ),
        ] {
            let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
            let (names, row) = (rows.next().unwrap(), rows.next().unwrap());
            for (name, cell) in expected.split(", ").filter_map(|pair| pair.split_once(' ')) {
                let column = names.iter().position(|known| *known == name).unwrap();
                assert_eq!(row[column], cell, "{name}: {text}");
            }
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
}
