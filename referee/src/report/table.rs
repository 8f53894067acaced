//! The summary of a match as text, in the layout of fastchess.

use std::fmt::Write;
use std::time::Duration;

use super::summary::{MeetingSummary, PlayerSummary, Summary};
use crate::io::text::{columns, milliseconds, padded};
use crate::results::{Accepted, EngineEntry, Header};
use crate::schedule::Format;
use crate::statistics::{Rating, Sprt, Trinomial, format_number};
use crate::tournament::Tournament;

/// The largest number of games without statistics.
const MAX_PLAIN_GAMES: u64 = 2;

/// The largest number of players in a crosstable, which must fit a terminal.
const MAX_CROSSTABLE: usize = 12;

/// The largest number of transcripts that are named.
const MAX_TRANSCRIPTS: usize = 5;

/// The line between sections.
const RULE: &str = "--------------------------------------------------";

/// The complete summary, without a trailing line break.
#[must_use]
pub fn summary(header: &Header, tournament: &Tournament, summary: &Summary) -> String {
    let mut text = String::new();
    let has_statistics = tournament.total() > MAX_PLAIN_GAMES;
    let meeting = summary.meetings.first().filter(|_| header.engines.len() == 2);
    match meeting {
        Some(meeting) if has_statistics => text += &block(header, tournament, summary, meeting),
        None if header.engines.len() > 2 => {
            let _ = writeln!(
                text,
                "{RULE}\n{}\n{}\n{RULE}",
                title(header),
                table(header, summary)
            );
            text += &unconnected_groups(summary);
            if has_crosstable(summary) {
                let _ = writeln!(text, "{}\n{RULE}", crosstable(summary));
            }
        }
        _ => {}
    }
    if has_statistics {
        text += &details(summary);
    }
    if header.engines.len() == 2 {
        text += &score(header, summary, meeting);
    }
    text += &faults(summary);
    text += &transcripts(summary);
    text.truncate(text.trim_end().len());
    text
}

/// The bounds of a sequential test in fastchess's format.
pub fn bounds(sprt: &Sprt) -> String {
    let bounds = sprt.bounds();
    format!("({:.2}, {:.2})", bounds.low, bounds.high)
}

/// Whether [`summary`] includes a crosstable: for more than two players, if it fits
/// a terminal.
#[must_use]
pub fn has_crosstable(summary: &Summary) -> bool {
    (3..=MAX_CROSSTABLE).contains(&summary.players.len())
}

/// The faults of each player that has any, one line per player.
fn faults(summary: &Summary) -> String {
    let mut text = String::new();
    for player in summary.players.iter().filter(|player| !player.faults.is_empty()) {
        let faults: Vec<String> = player
            .faults
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        let _ = writeln!(text, "Faults of {}: {}", player.name, faults.join(", "));
    }
    text
}

/// The paths of transcripts.
fn transcripts(summary: &Summary) -> String {
    let mut text = String::new();
    for path in summary.transcripts.iter().take(MAX_TRANSCRIPTS) {
        let _ = writeln!(text, "Transcript: {path}");
    }
    let rest = summary.transcripts.len().saturating_sub(MAX_TRANSCRIPTS);
    if rest > 0 {
        let _ = writeln!(text, "Transcripts not listed: {rest}");
    }
    text
}

/// The heading of a summary: players, limits, openings and seed.
fn title(header: &Header) -> String {
    let schedule = &header.schedule;
    let who = match (header.names().as_slice(), schedule.format) {
        ([one, other], _) => format!("Results of {one} vs {other}"),
        (names, Format::RoundRobin) => format!("Round robin of {}", names.len()),
        (names, Format::Gauntlet) => format!("Gauntlet of {} against {}", names[0], names.len() - 1),
        (names, Format::Swiss) => format!(
            "Swiss tournament of {}, {} rounds",
            names.len(),
            schedule.rounds.unwrap_or_default()
        ),
    };
    let mut limits: Vec<String> = header.engines.iter().map(EngineEntry::limits).collect();
    limits.dedup();
    if limits.len() > 2 {
        limits = vec!["different limits".into()];
    }
    let mut parts = vec![header.variant.to_string(), limits.join(" - ")];
    parts.extend(header.memory.map(|memory| format!("memory {memory} MB")));
    parts.extend(header.max_processes.map(|count| format!("max-processes {count}")));
    parts.push(match &schedule.openings {
        Some(openings) => openings.to_string(),
        None => "no openings".into(),
    });
    parts.push(format!("seed {}", header.seed));
    format!("{who} ({})", parts.join(", "))
}

/// The statistics of two players.
fn block(header: &Header, tournament: &Tournament, summary: &Summary, meeting: &MeetingSummary) -> String {
    let (counts, comparison) = (&meeting.meeting, &meeting.comparison);
    let pairs = &counts.sample.pairs;
    let has_pairs = pairs.pairs() > 0;
    let percent = |share: Option<f64>| match share {
        Some(share) => format!("{:.2} %", share * 100.0),
        None => format_number(None, 2),
    };
    let drawn = if has_pairs {
        pairs.draw_ratio()
    } else {
        counts.games.draw_ratio()
    };
    let mut text = String::new();
    let _ = writeln!(text, "{RULE}\n{}:", title(header));
    let _ = writeln!(
        text,
        "Elo: {:.2}, nElo: {:.2}",
        comparison.elo, comparison.normalized_elo
    );
    let _ = write!(
        text,
        "LOS: {}, DrawRatio: {}",
        percent(comparison.los),
        percent(drawn)
    );
    if has_pairs {
        let _ = write!(text, ", PairsRatio: {}", format_number(pairs.pairs_ratio(), 2));
    }
    let Trinomial { wins, draws, losses } = meeting.games;
    let (games, points) = (meeting.games.games(), meeting.games.points());
    let _ = writeln!(
        text,
        "\nGames: {games}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {points:.1} ({})",
        percent((games > 0).then(|| points / games as f64))
    );
    if has_pairs {
        let _ = writeln!(
            text,
            "Ptnml(0-2): {:?}, WL/DD Ratio: {}",
            pairs.bins(),
            format_number(pairs.wl_dd_ratio(), 2)
        );
    }
    if let (Some(sprt), Some((test, _))) = (&summary.sprt, tournament.test()) {
        let accepted = match sprt.accepted {
            None => "",
            Some(Accepted::Inconclusive) => " inconclusive: no more openings",
            Some(Accepted::H0) => " H0 accepted",
            Some(Accepted::H1) => " H1 accepted",
        };
        let [elo0, elo1] = sprt.elo;
        let _ = writeln!(
            text,
            "LLR: {:.2} {} [{elo0:.2}, {elo1:.2}]{accepted}",
            sprt.llr,
            bounds(test)
        );
    }
    text + RULE + "\n"
}

/// The score of two players in two lines, in cutechess's format.
fn score(header: &Header, summary: &Summary, meeting: Option<&MeetingSummary>) -> String {
    let names = header.names();
    let [one, other] = names.as_slice() else {
        return String::new();
    };
    let counts = meeting.map_or(Trinomial::default(), |meeting| meeting.games);
    let Trinomial { wins, draws, losses } = counts;
    let games = counts.games();
    let share = match games {
        0 => "-".to_string(),
        games => format!("{:.3}", counts.points() / games as f64),
    };
    let points = [0, 1].map(|number| summary.player(number).map_or(0.0, |player| player.points));
    format!(
        "Score of {one} vs {other}: {wins} - {losses} - {draws} [{share}] {games}\n\
         Points: {one} {}, {other} {}\n",
        points[0], points[1],
    )
}

/// The rating table, the best player first.
#[must_use]
pub fn table(header: &Header, summary: &Summary) -> String {
    let is_swiss = header.schedule.format == Format::Swiss;
    let width = name_width(summary);
    let mut text = format!(
        "{:>4} {:<width$} {:>7} {:>11} {:>5} {:>5} {:>5} {:>6} {:>7} {:>7}",
        "Rank", "Name", "Elo", "+/-", "Games", "Wins", "Draws", "Losses", "Points", "Score"
    );
    if is_swiss {
        let _ = write!(text, " {:>8}", "Buchholz");
    }
    for (player, rank) in summary.players.iter().zip(1..) {
        let Trinomial { wins, draws, losses } = player.games;
        let games = player.games.games();
        let share = if games == 0 {
            "-".into()
        } else {
            format!("{:.1} %", 100.0 * player.games.points() / games as f64)
        };
        let _ = write!(
            text,
            "\n{rank:>4} {} {:>7} {:>11} {games:>5} {wins:>5} {draws:>5} {losses:>6} {:>7} {share:>7}",
            padded(&player.name, width),
            elo(player),
            error(player),
            format_number(Some(player.points), 1),
        );
        if is_swiss {
            let _ = write!(text, " {:>8.1}", player.opponents_points);
        }
    }
    text
}

fn name_width(summary: &Summary) -> usize {
    let widths = summary.players.iter().map(|player| columns(&player.name));
    widths.max().unwrap_or(0).max(4)
}

fn elo(player: &PlayerSummary) -> String {
    match player.rating.as_ref().map(|rating| rating.elo) {
        Some(Rating::Finite(elo)) => format_number(Some(elo), 1),
        Some(rating) => rating.to_string(),
        None => "-".into(),
    }
}

/// The margin of error, or the interval if an end is infinite.
fn error(player: &PlayerSummary) -> String {
    let interval = player.rating.as_ref().map(|rating| (rating.low.0, rating.high.0));
    match interval {
        Some((Some(low), Some(high))) if (high - low).is_finite() => {
            format_number(Some((high - low) / 2.0), 1)
        }
        Some((low @ Some(_), high @ Some(_))) => {
            format!("{}..{}", format_number(low, 0), format_number(high, 0))
        }
        _ => "-".into(),
    }
}

/// A line that names the groups not connected by games, if there are several.
fn unconnected_groups(summary: &Summary) -> String {
    if summary.groups.is_empty() {
        return String::new();
    }
    let groups: Vec<String> = summary.groups.iter().map(|group| group.join(", ")).collect();
    format!(
        "No games connect these groups, so there is no common scale; the first has ratings: {}\n{RULE}\n",
        groups.join(" | ")
    )
}

/// The crosstable: the points of the player of a row against that of a column.
#[must_use]
pub fn crosstable(summary: &Summary) -> String {
    let width = name_width(summary);
    let cell = |row: usize, column: usize| -> String {
        if row == column {
            return "*".into();
        }
        let meeting = summary
            .meetings
            .iter()
            .find(|meeting| meeting.numbers == [row, column] || meeting.numbers == [column, row]);
        meeting.map_or_else(
            || ".".into(),
            |meeting| {
                let points = meeting.games.points();
                let is_first = meeting.numbers[0] == row;
                let points = if is_first {
                    points
                } else {
                    meeting.games.games() as f64 - points
                };
                format!("{points}")
            },
        )
    };
    let numbers: Vec<usize> = summary.players.iter().map(|player| player.number).collect();
    let cells: Vec<Vec<String>> = numbers
        .iter()
        .map(|&row| numbers.iter().map(|&column| cell(row, column)).collect())
        .collect();
    let widest = cells.iter().flatten().map(String::len).max();
    let column = widest.unwrap_or(1).max(numbers.len().to_string().len()) + 1;
    let mut text = format!("{:>4} {:<width$}", "", "Points against");
    let width = width.max("Points against".len());
    for rank in 1..=numbers.len() {
        let _ = write!(text, " {rank:>column$}");
    }
    for ((player, row), rank) in summary.players.iter().zip(&cells).zip(1..) {
        let _ = write!(text, "\n{rank:>4} {}", padded(&player.name, width));
        for cell in row {
            let _ = write!(text, " {cell:>column$}");
        }
    }
    text
}

/// One line per pairing.
#[must_use]
pub fn head_to_head(summary: &Summary) -> String {
    let lines = summary.meetings.iter().map(|meeting| {
        let [one, other] = &meeting.players;
        let Trinomial { wins, draws, losses } = meeting.games;
        let games = meeting.games.games();
        format!(
            "{one} vs {other}: {wins} - {losses} - {draws} [{:.3}] {games}, Elo {:.1}",
            meeting.games.points() / games as f64,
            meeting.comparison.elo
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// First-move advantage, times, repeated games and fingerprint.
fn details(summary: &Summary) -> String {
    let mut text = String::new();
    let Trinomial { wins, draws, losses } = summary.first_mover;
    let games = summary.first_mover.games();
    if games > 0 {
        let _ = writeln!(
            text,
            "First player: {wins} - {losses} - {draws} [{:.3}], Elo {}",
            summary.first_mover.points() / games as f64,
            first_mover_elo(summary),
        );
    }
    let times: Vec<String> = summary.players.iter().filter_map(time).collect();
    if !times.is_empty() && summary.players.len() <= MAX_CROSSTABLE {
        let _ = writeln!(text, "Time a move: {}", times.join(", "));
    }
    let repeated = summary.games - summary.distinct_games;
    if repeated > 0 {
        let _ = writeln!(
            text,
            "Distinct games: {} of {}; the others are repetitions and do not count in the statistics",
            summary.distinct_games, summary.games
        );
    }
    let _ = writeln!(text, "Fingerprint: {}", summary.fingerprint);
    text
}

/// The average and longest time of a player's moves; `None` without moves.
fn time(player: &PlayerSummary) -> Option<String> {
    let mean = Duration::from_secs_f64(player.mean_ms? / 1000.0);
    let longest = Duration::from_secs_f64(player.longest_ms / 1000.0);
    let (mean, longest) = (milliseconds(mean), milliseconds(longest));
    Some(format!("{} {mean} (longest {longest})", player.name))
}

/// The times of all players, one line each.
pub fn times(summary: &Summary) -> String {
    let times = summary.players.iter().filter_map(time);
    times
        .map(|time| format!("Time a move: {time}"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The first-move advantage in Elo.
fn first_mover_elo(summary: &Summary) -> String {
    let elo = &summary.first_mover_elo;
    match (elo.low.0, elo.high.0) {
        (Some(low), Some(high)) if (high - low).is_finite() => {
            format!(
                "{} +/- {}",
                format_number(elo.value.0, 1),
                format_number(Some((high - low) / 2.0), 1)
            )
        }
        _ => format_number(elo.value.0, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::OpeningSource;
    use crate::tournament::tests::{game, tournament};

    /// The text for a match with these results, in the order of the schedule.
    fn text_of(players: usize, games: u64, results: &[&str]) -> String {
        let (header, mut tournament) = tournament(players, games, |header| {
            header.schedule.openings = Some(OpeningSource::Random(4));
            header.schedule.book = None;
        });
        for (id, result) in (1..).zip(results) {
            let record = game(&tournament, id, result);
            tournament.add(record).unwrap();
        }
        let all = Summary::new(&header, &tournament);
        summary(&header, &tournament, &all)
    }

    #[test]
    fn formats_two_players_as_fastchess_and_cutechess_do() {
        let text = text_of(2, 8, &["1-0", "0-1", "1-0", "1/2-1/2", "1-0", "1-0", "0-1"]);
        // Three pairs (two wins, win and draw, win and loss) and a single game.
        let wanted = "\
--------------------------------------------------
Results of a vs b (magnetic-cave, st=0.1, random:4, seed 1):
Elo: 190.85 +/- 335.90, nElo: 300.89 +/- 278.00
LOS: 98.31 %, DrawRatio: 33.33 %, PairsRatio: inf
Games: 7, Wins: 4, Losses: 2, Draws: 1, Points: 4.5 (64.29 %)
Ptnml(0-2): [0, 0, 1, 1, 1], WL/DD Ratio: inf
--------------------------------------------------
First player: 4 - 2 - 1 [0.643], Elo 102.1 +/- 365.9
Time a move: a 1.295 ms (longest 3.250 ms), b 1.393 ms (longest 3.250 ms)
Fingerprint: c93c9ead715e9212
Score of a vs b: 4 - 2 - 1 [0.643] 7
Points: a 4.5, b 2.5";
        assert_eq!(text, wanted);
    }

    #[test]
    fn title_names_resource_limits() {
        let (mut header, _) = tournament(2, 2, |header| header.schedule.openings = None);
        assert_eq!(
            title(&header),
            "Results of a vs b (magnetic-cave, st=0.1, no openings, seed 1)"
        );
        header.memory = Some(512);
        header.max_processes = Some(64);
        assert_eq!(
            title(&header),
            "Results of a vs b (magnetic-cave, st=0.1, memory 512 MB, max-processes 64, no openings, seed 1)"
        );
    }

    #[test]
    fn never_prints_nan() {
        for (players, games, results) in [
            (2, 2, &[][..]),
            (2, 4, &[]),
            (2, 4, &["1-0"]),
            (2, 4, &["1-0", "0-1"]),
            (2, 4, &["1/2-1/2", "1/2-1/2"]),
            (3, 2, &[]),
            (3, 2, &["1-0"]),
            (5, 2, &["1-0", "0-1"]),
        ] {
            let text = text_of(players, games, results);
            assert!(!text.to_lowercase().contains("nan"), "{text}");
            assert!(!text.is_empty() && !text.ends_with('\n'));
        }
    }

    #[test]
    fn formats_many_players_as_a_table() {
        let text = text_of(3, 2, &["1-0", "1/2-1/2", "0-1", "1-0", "1/2-1/2", "1-0"]);
        let wanted = "\
--------------------------------------------------
Round robin of 3 (magnetic-cave, st=0.1, random:4, seed 1)
Rank Name     Elo         +/- Games  Wins Draws Losses  Points   Score
   1 b      131.4   -inf..inf     4     3     0      1     3.0  75.0 %
   2 c        0.0   -inf..inf     4     1     2      1     2.0  50.0 %
   3 a     -131.4   -inf..inf     4     0     2      2     1.0  25.0 %
--------------------------------------------------
     Points against  1  2  3
   1 b               *  1  2
   2 c               1  *  1
   3 a               0  1  *
--------------------------------------------------
First player: 3 - 1 - 2 [0.667], Elo 120.4 +/- 334.5
Time a move: b 1.344 ms (longest 3.250 ms), c 1.344 ms (longest 3.250 ms), a 1.344 ms (longest 3.250 ms)
Fingerprint: a7b7067744339e28";
        assert_eq!(text, wanted);
    }

    #[test]
    fn columns_line_up_after_wide_names() {
        let (header, mut tournament) = tournament(3, 2, |header| {
            header.engines[0].name = "磁石".into();
            header.engines[1].name = "u\u{308}".into();
        });
        for (id, result) in (1..).zip(["1-0", "1/2-1/2", "0-1", "1-0", "1/2-1/2", "1-0"]) {
            let record = game(&tournament, id, result);
            tournament.add(record).unwrap();
        }
        let summary = Summary::new(&header, &tournament);
        for table in [table(&header, &summary), crosstable(&summary)] {
            let widths: Vec<usize> = table.lines().map(columns).collect();
            assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
        }
    }

    #[test]
    fn names_unconnected_groups() {
        // Two pairings of five players without a common player.
        let text = text_of(5, 2, &["1-0", "0-1"]);
        assert!(
            text.contains("there is no common scale; the first has ratings: b, e | c, d\n"),
            "{text}"
        );
        assert!(text.contains("   3 d    undefined           -     1 "), "{text}");
    }
}
