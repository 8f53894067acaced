//! The summary of a match as text, in the layout of fastchess.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use referee_core::io::text::{counted, milliseconds, printable, wrap};
use referee_core::player::verdict::FaultKind;
use referee_core::results::counted_game::PonderCounts;
use referee_core::results::facts;
use referee_core::results::{Accepted, AnalysisTally, Header, UnfitPlayer};
use referee_core::tournament::Tournament;
use referee_statistics::elo::MIN_OBSERVATIONS;
use referee_statistics::{Estimate, Sprt, Trinomial, format_number};

use super::columns::{Part, Row, TableColumn, counted_faults, table_columns};
use super::summary::{MeetingSummary, PlayerSummary, Summary};
use super::text_table::{Column, TextTable};

/// The largest number of games without statistics.
const MAX_PLAIN_GAMES: u64 = 2;

/// The largest number of players in a crosstable, which must fit a terminal.
const MAX_CROSSTABLE: usize = 12;

/// The largest number of players in a table of all pairs that is asked for: more would have more cells than anybody
/// reads, and a small file could ask for any number.
pub(super) const MAX_PAIRED: usize = 100;

/// The largest number of players of whom the table shows all. Of more, a person reads the [`FIRST`] and the [`LAST`].
const MAX_ROWS: usize = 100;

/// How many of the best players are shown of many.
const FIRST: usize = 30;

/// How many of the last players are shown of many.
const LAST: usize = 5;

/// The largest number of players with remarks of one kind, such as their faults.
const MAX_REMARKS: usize = 20;

/// The largest number of engines that did not start and are listed with the cause.
pub const MAX_UNFIT: usize = 10;

/// The largest length of a list of groups of players, in characters.
const MAX_GROUPS: usize = 300;

/// The largest number of transcripts that are named.
const MAX_TRANSCRIPTS: usize = 5;

/// The maximum width of the line between sections.
const MAX_RULE: usize = 50;

/// The largest length of the cause why a player did not start, in characters.
const MAX_CAUSE: usize = 300;

/// Between words that stay on one line: a space in the end.
const GLUE: &str = "\u{a0}";

/// The complete summary, without a trailing line break. `width` is that of the terminal;
/// without one, the lines have any length.
pub fn summary(header: &Header, tournament: &Tournament, summary: &Summary, width: Option<usize>) -> String {
    let has_statistics = tournament.total() > MAX_PLAIN_GAMES;
    let has_two = header.engines.len() == 2 && header.schedule.stages.is_empty();
    let meeting = summary.meetings.first().filter(|_| has_two);
    let rule = "-".repeat(MAX_RULE.min(width.unwrap_or(MAX_RULE)));
    let mut sections = Vec::new();
    match meeting {
        Some(meeting) if has_statistics => sections.push(block(header, tournament, summary, meeting)),
        None if !has_two => {
            sections.push(format!("{}\n{}", title(header), table(summary, width)));
            sections.extend(unconnected_groups(summary));
            if has_crosstable(summary) {
                sections.push(crosstable(summary, width));
            }
        }
        _ => {}
    }
    let mut lines = Vec::new();
    if !sections.is_empty() {
        let sections = sections.join(&format!("\n{rule}\n"));
        lines.push(format!("{rule}\n{sections}\n{rule}"));
    }
    if has_statistics {
        details(summary, &mut lines);
    }
    if has_two {
        score(header, summary, meeting, &mut lines);
    }
    lines.extend(unfit(summary));
    lines.extend(references(summary));
    remarks(summary, &mut lines);
    wrapped(&lines.join("\n"), width)
}

/// Wraps lines between words to the width of a terminal.
pub fn wrapped(text: &str, width: Option<usize>) -> String {
    let text = width.map_or_else(|| text.into(), |width| wrap(text, width));
    text.replace(GLUE, " ")
}

/// The bounds of a sequential test in fastchess's format.
pub fn bounds(sprt: &Sprt) -> String {
    let bounds = sprt.bounds();
    format!("({:.2}, {:.2})", bounds.low, bounds.high)
}

/// Whether [`summary`] includes a crosstable: for more than two players, if it fits
/// a terminal.
pub fn has_crosstable(summary: &Summary) -> bool {
    (3..=MAX_CROSSTABLE).contains(&summary.players.len())
}

/// The first players that did not start, one line each with the cause, and how many more there are.
pub fn unfit(summary: &Summary) -> impl Iterator<Item = String> {
    let line = |unfit: &UnfitPlayer| {
        let [name, why] = [&unfit.name, &unfit.beside_name()].map(|text| printable(text, MAX_CAUSE));
        format!("Not playing: {name}: {why}")
    };
    let rest = summary.unfit.len().saturating_sub(MAX_UNFIT);
    let rest = (rest > 0).then(|| {
        format!("Not playing: {rest} more; the field `unfit` of `referee report --json` has all of them")
    });
    summary.unfit.iter().take(MAX_UNFIT).map(line).chain(rest)
}

/// What the ranks of reference players mean, if there are any.
pub(super) fn references(summary: &Summary) -> Option<String> {
    let has_some = summary.players.iter().any(|player| player.is_reference);
    has_some.then(|| {
        "Ranks in parentheses: reference players, which do not affect the ranks of the \
            submissions"
            .into()
    })
}

/// The first lines of many, and how many more there are, which the columns of `--csv` have.
fn few(lines: impl Iterator<Item = String>, what: &str, columns: &str) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    let rest = lines.len().saturating_sub(MAX_REMARKS);
    if rest > 0 {
        lines.truncate(MAX_REMARKS);
        lines.push(format!(
            "{what} of {rest} more players: {columns} of `referee report --csv`"
        ));
    }
    lines
}

/// The faults and ponder hits of each player, and the paths of transcripts.
fn remarks(summary: &Summary, lines: &mut Vec<String>) {
    type Kind<'a> = &'a BTreeMap<FaultKind, u64>;
    let players = &summary.players;
    let of_kind = |what: &str, kind: fn(&PlayerSummary) -> Kind<'_>, columns: &str| {
        let faulty = players.iter().filter(|player| !kind(player).is_empty());
        let line =
            |player: &PlayerSummary| format!("{what} of {}: {}", player.name, counted_faults(kind(player)));
        few(faulty.map(line), what, columns)
    };
    lines.extend(of_kind("Faults", |player| &player.faults, "the column `faults`"));
    lines.extend(of_kind(
        "Random moves after faults",
        |player| &player.replaced,
        "the column `random_moves`",
    ));
    let hits = players.iter().filter_map(|player| {
        let PonderCounts { hits, misses } = player.ponder?;
        let (name, searches) = (&player.name, hits + misses);
        let percent = 100.0 * hits as f64 / searches as f64;
        Some(format!(
            "Ponder hits of {name}: {hits} of {searches} ({percent:.1} %)"
        ))
    });
    lines.extend(few(
        hits,
        "Ponder hits",
        "the columns `ponder_hits` and `ponder_misses`",
    ));
    let paths = summary.transcripts.iter().take(MAX_TRANSCRIPTS);
    lines.extend(paths.map(|path| format!("Transcript: {}", printable(path, usize::MAX))));
    let rest = summary.transcripts.len().saturating_sub(MAX_TRANSCRIPTS);
    lines.extend((rest > 0).then(|| format!("Transcripts not listed: {rest}")));
}

/// The players and the format of a match.
fn who(header: &Header) -> String {
    let schedule = &header.schedule;
    let count = header.engines.len();
    let properties = schedule.format.properties();
    let event = properties.event;
    let mut who = match (header.names().as_slice(), schedule.stages.last()) {
        ([one, other], None) => format!("{one} vs {other}"),
        (_, Some(stage)) => format!("{event} of {}", stage.players.len()),
        (names, None) if properties.has_seeds => match schedule.seeds.unwrap_or(1) as usize {
            1 => format!("{event} of {} against {}", names[0], count - 1),
            seeds => format!("{event} of {seeds} against {}", count - seeds.min(count)),
        },
        (_, None) => format!("{event} of {count}"),
    };
    if properties.has_rounds && schedule.stages.is_empty() && count > 2 {
        let rounds = schedule.rounds.unwrap_or_default() as usize;
        let _ = write!(who, ", {}", counted(rounds, "round"));
    }
    let unfit = header.is_unfit().into_iter().filter(|&is_unfit| is_unfit).count();
    if unfit > 0 {
        let _ = write!(who, ", {unfit} not playing");
    }
    who
}

/// The heading of a page: players, format and game.
pub fn heading(header: &Header) -> String {
    format!("{}, {}", who(header), header.game(None).title())
}

/// The heading of a summary: players, limits, openings and seed.
pub fn title(header: &Header) -> String {
    let schedule = &header.schedule;
    let is_pair = header.engines.len() == 2 && schedule.stages.is_empty();
    let results = if is_pair { "Results of " } else { "" };
    let mut limits = limits_of(header);
    if limits.len() > 2 {
        limits = vec!["different limits".into()];
    }
    let mut parts = vec![header.game(None).label().to_string(), limits.join(" - ")];
    parts.extend(header.ponder.then(|| "ponder".to_string()));
    parts.push(schedule.openings_text().unwrap_or_else(|| "no openings".into()));
    parts.push(format!("seed {}", header.seed));
    format!("{results}{} ({})", who(header), parts.join(", "))
}

/// The limits of the players, each once where neighbours have the same.
pub fn limits_of(header: &Header) -> Vec<String> {
    let engines = header.engines.iter();
    let mut limits: Vec<String> = engines.map(|engine| engine.settings.limits()).collect();
    limits.dedup();
    limits
}

/// The statistics of two players.
fn block(header: &Header, tournament: &Tournament, summary: &Summary, meeting: &MeetingSummary) -> String {
    let pairs = &meeting.sample.pairs;
    let has_pairs = pairs.pairs() > 0;
    let percent = |share: Option<f64>| match share {
        Some(share) => format!("{:.2} %", share * 100.0),
        None => format_number(None, 2),
    };
    let (count, unit, drawn) = if has_pairs {
        (pairs.pairs(), "pair", pairs.draw_ratio())
    } else {
        (meeting.sample.singles.games(), "game", meeting.games.draw_ratio())
    };
    let mut text = format!("{}:\n", title(header));
    if let Estimate::TooFewGames { .. } = meeting.elo {
        let found = counted(count as usize, unit);
        let _ = writeln!(
            text,
            "Elo: too few games ({found}; an interval needs {MIN_OBSERVATIONS})"
        );
    } else {
        let [elo, normalized] =
            [meeting.elo, meeting.normalized_elo].map(|estimate| format!("{estimate:.2}").replace(' ', GLUE));
        let _ = writeln!(text, "Elo:{GLUE}{elo}, nElo:{GLUE}{normalized}");
        let _ = write!(text, "LOS: {}, ", percent(meeting.los));
    }
    let _ = write!(text, "DrawRatio: {}", percent(drawn));
    // A ratio to no pairs at all is no number.
    let ratio = |name: &str, value: Option<f64>| match value.filter(|value| value.is_finite()) {
        Some(value) => format!(", {name}: {value:.2}"),
        None => String::new(),
    };
    text += &ratio("PairsRatio", pairs.pairs_ratio());
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
            "Ptnml(0-2): {:?}{}",
            pairs.bins(),
            ratio("WL/DD Ratio", pairs.wl_dd_ratio())
        );
    }
    if let (Some(sprt), Some((test, _))) = (&summary.sprt, tournament.test()) {
        let _ = writeln!(text, "{}", sprt_state(test, sprt.llr, sprt.accepted));
    }
    text.truncate(text.trim_end().len());
    text
}

/// The state of a sequential test, as a line.
pub fn sprt_state(test: &Sprt, llr: f64, accepted: Option<Accepted>) -> String {
    let accepted = match accepted {
        None => "",
        Some(Accepted::Inconclusive) => " inconclusive: no more openings",
        Some(Accepted::H0) => " H0 accepted",
        Some(Accepted::H1) => " H1 accepted",
    };
    let [elo0, elo1] = test.elos();
    format!("LLR: {llr:.2} {} [{elo0:.2}, {elo1:.2}]{accepted}", bounds(test))
}

/// The score of two players in two lines, in cutechess's format.
fn score(header: &Header, summary: &Summary, meeting: Option<&MeetingSummary>, lines: &mut Vec<String>) {
    let [one, other] = [0, 1].map(|number| &header.engines[number].name);
    let games = meeting.map_or(Trinomial::default(), |meeting| meeting.games);
    let share = match games.games() {
        0 => "-".to_string(),
        count => format!("{:.3}", games.points() / count as f64),
    };
    let [points, others] = [0, 1].map(|number| summary.player(number).map_or(0.0, |player| player.points));
    lines.push(format!(
        "Score of {one} vs {other}: {} - {} - {} [{share}] {}",
        games.wins,
        games.losses,
        games.draws,
        games.games()
    ));
    lines.push(format!("Points: {one} {points}, {other} {others}"));
}

/// The table of more than two players, the best first. Of very many, it has the first and the last, and a line says
/// where the others are.
fn table(summary: &Summary, width: Option<usize>) -> String {
    let players = &summary.players;
    let left_out = if players.len() > MAX_ROWS {
        FIRST..players.len() - LAST
    } else {
        0..0
    };
    let shown = |place: &usize| !left_out.contains(place) || *place == left_out.start;
    let column = |heading: &str, gap: &str, cell: &dyn Fn(&PlayerSummary) -> Option<String>| {
        let cells = players.iter().enumerate().filter(|(place, _)| shown(place));
        let cells = cells.map(|(place, player)| {
            if left_out.contains(&place) {
                gap.into()
            } else {
                cell(player).unwrap_or_else(|| "-".into())
            }
        });
        Column::new(heading, cells)
    };
    let rows = || players.iter().map(|player| Row::of(1, summary, player));
    let columns = table_columns(summary.ranked_by).into_iter();
    let columns = columns.filter(|column| column.is_for(rows()));
    let columns: Vec<_> = columns
        .filter_map(|column| Some((column.headings[0]?, column)))
        .collect();
    // Each mean may be in a part of the table of its own.
    let is_together = |(_, one): &(&str, TableColumn), (_, other): &(&str, TableColumn)| {
        one.part == other.part && one.part != Part::Means
    };
    let text = |(heading, shown): &(&str, TableColumn)| {
        column(heading, "", &|player| {
            shown.cell.text(Row::of(1, summary, player))
        })
    };
    let groups = columns.chunk_by(is_together);
    let groups = groups.map(|group| group.iter().map(text).collect()).collect();
    let count = left_out.len();
    let table = TextTable {
        numbers: column("Rank", "…", &|player| Some(player.place.to_string())),
        names: column("Name", &format!("{count} more"), &|player| {
            Some(player.name.clone())
        }),
        groups,
    };
    let mut text = table.fit(width.unwrap_or(usize::MAX));
    if count > 0 {
        let _ = write!(
            text,
            "\nAll {} players are in the tables of `referee report --csv` and `referee report --html`.",
            players.len()
        );
    }
    text
}

/// Names the groups not connected by games, if there are several; of very many, it counts them.
pub(super) fn unconnected_groups(summary: &Summary) -> Option<String> {
    let (first, others) = summary.groups.split_first()?;
    let groups: Vec<String> = summary.groups.iter().map(|group| group.join(", ")).collect();
    let groups = groups.join(" | ");
    Some(if groups.len() <= MAX_GROUPS {
        format!(
            "No games connect these groups, so there is no common scale; only the first has ratings: {groups}"
        )
    } else {
        format!(
            "No games connect the largest group, which has ratings ({}), with {} ({}), so there is no common scale; \
             the field `groups` of `referee report --json` names them",
            counted(first.len(), "player"),
            counted(others.len(), "other group"),
            counted(others.iter().map(Vec::len).sum(), "player"),
        )
    })
}

/// The crosstable: the points of the player of a row against that of a column.
pub fn crosstable(summary: &Summary, width: Option<usize>) -> String {
    let players = &summary.players;
    if players.len() > MAX_PAIRED {
        return format!("{}\n", too_many_for_crosstable(players.len()));
    }
    let games = summary.games_by_players();
    let cell = |row: usize, column: usize| match games.get(&[row, column]) {
        Some(games) => games.points().to_string(),
        None if row == column => "*".into(),
        None => ".".into(),
    };
    let columns = players.iter().zip(1..).map(|(opponent, number)| {
        let cells = players.iter().map(|player| cell(player.number, opponent.number));
        vec![Column::new(format!(" {number}"), cells)]
    });
    let table = TextTable {
        numbers: Column::new("", (1..=players.len()).map(|number| format!("{number:>4}"))),
        names: Column::new("Points against", players.iter().map(|player| player.name.clone())),
        groups: columns.collect(),
    };
    table.fit(width.unwrap_or(usize::MAX))
}

/// Why there is no crosstable.
fn too_many_for_crosstable(players: usize) -> String {
    format!(
        "No crosstable: {players} players are more than {MAX_PAIRED}; `referee report --head-to-head` has a line for \
         each pairing."
    )
}

/// One line per pairing.
pub fn head_to_head(summary: &Summary) -> String {
    let lines = summary.meetings.iter().map(|meeting| {
        let [one, other] = &meeting.players;
        let Trinomial { wins, draws, losses } = meeting.games;
        let games = meeting.games.games();
        format!(
            "{one} vs {other}: {wins} - {losses} - {draws} [{:.3}] {games}, {}",
            meeting.games.points() / games as f64,
            elo(&meeting.elo)
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// First-move advantage, times, repeated games and fingerprint.
fn details(summary: &Summary, lines: &mut Vec<String>) {
    let Trinomial { wins, draws, losses } = summary.first_mover;
    let games = summary.first_mover.games();
    if games > 0 {
        lines.push(format!(
            "First player: {wins} - {losses} - {draws} [{:.3}], {}",
            summary.first_mover.points() / games as f64,
            elo(&summary.first_mover_elo),
        ));
    }
    let players = &summary.players;
    let mut add = |heading: &str, values: Vec<String>| {
        if !values.is_empty() {
            lines.push(format!("{heading}: {}", values.join(", ")));
        }
    };
    if players.len() <= MAX_CROSSTABLE {
        add("Time a move", players.iter().filter_map(time).collect());
    }
    let late = players.iter().filter(|player| player.over_limit > 0);
    let late = late.map(|player| format!("{} {}", player.name, player.over_limit));
    let late = late.collect::<Vec<_>>();
    let (shown, rest) = late.split_at(late.len().min(MAX_REMARKS));
    let rest = (!rest.is_empty()).then(|| format!("and {} more", counted(rest.len(), "player")));
    add(
        "Moves over the limit, within timemargin",
        shown.iter().cloned().chain(rest).collect(),
    );
    if players.len() == 2 {
        for mean in facts::means() {
            let values = players.iter().filter_map(|player| {
                let value = (mean.text)(player.means.get(mean)?).replace(' ', GLUE);
                Some(format!("{} {value}", player.name))
            });
            add(mean.heading, values.collect());
        }
    }
    let (games, distinct) = (summary.games, summary.distinct_games);
    if games > distinct {
        lines.push(format!(
            "Distinct games: {distinct} of {games}; the others are repetitions and do not count in the statistics"
        ));
    }
    if summary.adjudicated > 0 {
        lines.push(format!("Adjudicated games: {} of {games}", summary.adjudicated));
    }
    lines.push(format!("Fingerprint: {}", summary.fingerprint));
}

/// The average and longest time of a player's moves; `None` without moves.
fn time(player: &PlayerSummary) -> Option<String> {
    let text = |ms: f64| milliseconds(Duration::from_secs_f64(ms / 1000.0)).replace(' ', GLUE);
    let longest = text(player.longest()?);
    let mean = player
        .mean_ms
        .map_or_else(String::new, |ms| format!(" {}", text(ms)));
    let at_least = if player.is_longest_open { "≥" } else { "" };
    Some(format!(
        "{}{mean} (longest{GLUE}{at_least}{longest})",
        player.name
    ))
}

/// The times of all players, one line each.
pub fn times(summary: &Summary) -> String {
    let times = summary.players.iter().filter_map(time);
    let lines: Vec<String> = times.map(|time| format!("Time a move: {time}")).collect();
    lines.join("\n")
}

/// An Elo difference with its interval, as part of a line.
fn elo(estimate: &Estimate) -> String {
    match estimate {
        Estimate::TooFewGames { .. } => "too few games for Elo".into(),
        Estimate::Undefined | Estimate::Known { .. } => format!("Elo {estimate:.1}").replace(' ', GLUE),
    }
}

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
                column("Thrown away", &|tally| tally.given_away.to_string()),
                column("Mean loss", &loss),
            ],
        ],
    };
    table.fit(width.unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::results::EngineEntry;
    use referee_core::samples::{enter, game, play, recorded, tournament};
    use referee_core::schedule::openings::OpeningSource;
    use sentences::{assert_has, expect};

    /// The text for a match with these results, in the order of the schedule.
    fn text_of(players: usize, games: u64, results: &[&str]) -> String {
        let (header, mut tournament) = tournament(players, games, |header| {
            header.schedule.openings = Some(OpeningSource::Random(4));
            header.schedule.book = None;
        });
        play(&mut tournament, results);
        let all = Summary::new(&header, &tournament);
        summary(&header, &tournament, &all, None)
    }

    #[test]
    fn formats_two_players_as_fastchess_and_cutechess_do() {
        let text = text_of(2, 8, &["1-0", "0-1", "1-0", "1/2-1/2", "1-0", "1-0", "0-1"]);
        // Three pairs (two wins, win and draw, win and loss) and a single game.
        let wanted = "\
--------------------------------------------------
Results of a vs b (magnetic-cave, st=0.1, random:4, seed 1):
Elo: too few games (3 pairs; an interval needs 10)
DrawRatio: 33.33 %
Games: 7, Wins: 4, Losses: 2, Draws: 1, Points: 4.5 (64.29 %)
Ptnml(0-2): [0, 0, 1, 1, 1]
--------------------------------------------------
First player: 4 - 2 - 1 [0.643], too few games for Elo
Time a move: a 1.295 ms (longest 3.250 ms), b 1.393 ms (longest 3.250 ms)
Fingerprint: c93c9ead715e9212
Score of a vs b: 4 - 2 - 1 [0.643] 7
Points: a 4.5, b 2.5";
        assert_eq!(text, wanted);
    }

    #[test]
    fn the_first_movers_elo_leaves_out_games_that_repeat_others() {
        let (header, mut tournament) = tournament(2, 30, |_| {});
        for id in 1..=30 {
            let mut record = game(&tournament, id, if id % 3 == 0 { "0-1" } else { "1-0" });
            if id > 24 {
                // The moves of game 1, which the first player has won; of both players, they are new once.
                record.result = "1-0".parse().unwrap();
                record.moves = game(&tournament, 1, "1-0").moves;
            }
            tournament.add(&record).unwrap();
        }
        let summary = Summary::new(&header, &tournament);
        let first = summary.first_mover;
        assert_eq!((first.wins, first.losses), (22, 8), "all games");
        let distinct = Trinomial {
            wins: 17,
            draws: 0,
            losses: 8,
        };
        assert_eq!(summary.first_mover_elo, distinct.comparison().elo);
    }

    #[test]
    fn title_names_resource_limits() {
        let (mut header, _) = tournament(2, 2, |header| header.schedule.openings = None);
        expect! {"Results of a vs b (magnetic-cave, st=0.1, no openings, seed 1)"}.assert_eq(&title(&header));
        for engine in &mut header.engines {
            engine.settings = recorded("cmd=x st=0.1 memory=512 max-processes=64");
        }
        expect! {"Results of a vs b (magnetic-cave, st=0.1 memory=512 max-processes=64, no openings, seed 1)"}
            .assert_eq(&title(&header));
    }

    #[test]
    fn the_title_of_a_ladder_counts_its_players_of_now_and_no_rounds() {
        let (mut header, _) = tournament(4, 2, |_| ());
        header.schedule = serde_json::from_str(
            r#"{"format":"ladder","games":2,"rounds":9,"stages":[{"players":[0,1],"rounds":3},{"players":[0,1,3]}]}"#,
        )
        .unwrap();
        expect! {"Ladder of 3, Magnetic Cave"}.assert_eq(&heading(&header));
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
            assert_eq!(text.contains("Rank"), players > 2, "{text}");
            assert!(!text.is_empty() && !text.ends_with('\n'));
        }
    }

    #[test]
    fn formats_many_players_as_a_table() {
        let text = text_of(3, 2, &["1-0", "1/2-1/2", "0-1", "1-0", "1/2-1/2", "1-0"]);
        let wanted = "\
--------------------------------------------------
Round robin of 3 (magnetic-cave, st=0.1, random:4, seed 1)
Rank Name Points Percent Games W D L  Elo 95 % interval
   1 b       3.0  75.0 %     4 3 0 1  107   -115 to 527
   2 c       2.0  50.0 %     4 1 2 1    0   -284 to 291
   3 a       1.0  25.0 %     4 0 2 2 -107   -530 to 120
--------------------------------------------------
     Points against  1  2  3
   1 b               *  1  2
   2 c               1  *  1
   3 a               0  1  *
--------------------------------------------------
First player: 3 - 1 - 2 [0.667], too few games for Elo
Time a move: b 1.344 ms (longest 3.250 ms), c 1.344 ms (longest 3.250 ms), a 1.344 ms (longest 3.250 ms)
Fingerprint: a7b7067744339e28";
        assert_eq!(text, wanted);
    }

    #[test]
    fn pairings_tests_and_ponder_hits_have_their_numbers() {
        let (header, mut tournament) = tournament(3, 2, |_| ());
        play(
            &mut tournament,
            &["1-0", "1/2-1/2", "0-1", "1-0", "1/2-1/2", "1-0"],
        );
        let mut all = Summary::new(&header, &tournament);
        let meetings = all.meetings.iter();
        let meetings = meetings.map(|meeting| (meeting.players.join(" "), meeting.pentanomial));
        assert_eq!(
            meetings.collect::<Vec<_>>(),
            [
                ("b c".to_string(), [0, 0, 1, 0, 0]),
                ("b a".to_string(), [0, 0, 0, 0, 1]),
                ("c a".to_string(), [0, 0, 1, 0, 0]),
            ]
        );
        let stronger = all
            .players
            .iter()
            .map(|player| player.rating.as_ref()?.stronger_than_next);
        let stronger: Vec<Option<f64>> = stronger.collect();
        assert!(
            stronger[..2]
                .iter()
                .all(|share| share.is_some_and(|share| share > 0.5))
                && stronger[2].is_none(),
            "{stronger:?}"
        );
        all.players[1].ponder = Some(PonderCounts { hits: 3, misses: 1 });
        let text = summary(&header, &tournament, &all, None);
        assert!(text.contains("\nPonder hits of c: 3 of 4 (75.0 %)"), "{text}");

        let sprt = referee_core::results::sprt::read("elo0=1 elo1=5 alpha=0.05 beta=0.1").unwrap();
        let (header, tested) = referee_core::samples::tournament(2, 20, |header| {
            header.schedule.sprt = Some(sprt);
        });
        let found = Summary::new(&header, &tested).sprt.unwrap();
        let [low, high] = found.bounds.map(|bound| format!("{bound:.2}"));
        assert_eq!((found.elo, &*low, &*high), ([1.0, 5.0], "-2.25", "2.89"));
    }

    #[test]
    fn names_unconnected_groups() {
        // Two pairings of five players without a common player.
        let text = text_of(5, 2, &["1-0", "0-1"]);
        assert_has(
            &text,
            expect! {"no common scale; only the first has ratings: b, e | c, d"},
        );
        assert!(
            text.contains("  1= d       1.0 100.0 %     1 1 0 0    -             -\n"),
            "{text}"
        );
    }

    #[test]
    fn very_many_players_are_counted() {
        let text = text_of(150, 2, &["1-0"; 75]);
        assert!(text.lines().count() < 60, "{text}");
        assert!(text.contains("\n   … 115 more "), "{text}");
        assert_has(
            &text,
            expect! {"All 150 players are in the tables of `referee report --csv` and `referee report --html`."},
        );
        // 75 pairings without a common player.
        assert_has(
            &text,
            expect! {"No games connect the largest group, which has ratings (2 players), with 74 other groups (148 players), so there is no common scale"},
        );
    }

    #[test]
    fn very_many_unfit_players_are_counted() {
        let (header, tournament) = tournament(MAX_UNFIT + 3, 2, |header| {
            let unfit = |engine: &EngineEntry| UnfitPlayer::new(&*engine.name, "it does not start");
            header.unfit = header.engines.iter().skip(2).map(unfit).collect();
        });
        let all = Summary::new(&header, &tournament);
        let lines: Vec<String> = unfit(&all).collect();
        assert_eq!(lines.len(), MAX_UNFIT + 1);
        assert_has(&lines[MAX_UNFIT], expect! {"Not playing: 1 more; "});
    }

    #[test]
    fn a_sentence_that_begins_with_the_name_of_a_player_stays_whole() {
        let (header, tournament) = tournament(4, 2, |header| {
            let taken = "another player is called `bob`; rename the folder";
            let not_started = UnfitPlayer {
                clause: Some("cannot be started: it is empty".into()),
                ..UnfitPlayer::new("bob", "bob v2 cannot be started: it is empty\n  stderr: x")
            };
            header.unfit = vec![UnfitPlayer::new("another", taken), not_started];
        });
        let lines: Vec<String> = unfit(&Summary::new(&header, &tournament)).collect();
        expect![[r#"
            Not playing: another: another player is called `bob`; rename the folder
            Not playing: bob: cannot be started: it is empty"#]]
        .assert_eq(&lines.join("\n"));
    }

    /// A round robin of six, two games for each pairing: a and b win all games against the
    /// others.
    fn separated(width: Option<usize>) -> String {
        let (header, mut tournament) = tournament(6, 2, |header| {
            let names = ["anna", "berta", "christopher-robin", "dora", "emil", "f"];
            for (engine, name) in header.engines.iter_mut().zip(names) {
                engine.name = name.into();
            }
        });
        for id in 1..=tournament.total() {
            let [first, second] = tournament.calendar().get(id).unwrap().seats;
            let result = match (first < 2, second < 2) {
                (true, false) => "1-0",
                (false, true) => "0-1",
                _ => "1/2-1/2",
            };
            enter(&mut tournament, id, result);
        }
        let all = Summary::new(&header, &tournament);
        summary(&header, &tournament, &all, width)
    }

    #[test]
    fn error_bars_stay_on_one_line() {
        let results = ["1-0", "0-1", "1-0", "1/2-1/2", "1-0", "1-0", "0-1", "1-0"].repeat(5);
        let (header, mut tournament) = tournament(2, 40, |_| ());
        play(&mut tournament, &results);
        let all = Summary::new(&header, &tournament);
        let plain = summary(&header, &tournament, &all, None);
        let elo = plain.split("Elo: ").nth(1).unwrap().split(',').next().unwrap();
        assert!(elo.contains(" +/- "), "{plain}");
        for width in 40..80 {
            let text = summary(&header, &tournament, &all, Some(width));
            assert!(text.contains(&format!("Elo: {elo},")), "{width}: {text}");
            assert_eq!(text.lines().next().unwrap().len(), width.min(MAX_RULE), "{text}");
        }
    }

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
        expect![[r#"
            # Name  Games Moves   Best Mistakes Blunders Thrown away Mean loss
            1 alice     2    40 62.5 %        3        2           1    0.0123
            2 bob       0     0      -        0        0           0         -"#]]
        .assert_eq(&table);
        let narrow = analysis_table([("alice", &tally)], Some(45));
        assert!(narrow.lines().all(|line| line.chars().count() <= 45), "{narrow}");
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn summary_fits_any_width() {
            for width in 40..120 {
                let text = separated(Some(width));
                let widest = text.lines().map(referee_core::io::text::columns).max().unwrap();
                assert!(widest <= width, "{width}: {text}");
                assert!(text.contains("christopher-robin"), "{width}: {text}");
            }
            let plain = separated(None);
            assert_eq!(separated(Some(300)), plain);
            let first_words =
                |text: &str| -> Vec<String> { text.split_whitespace().map(String::from).collect() };
            // Nothing is left out at 40 columns; the second part repeats ranks and names.
            let narrow = first_words(&separated(Some(40)));
            for word in first_words(&plain) {
                let is_rule = word.starts_with("--");
                assert!(is_rule || narrow.contains(&word), "{word}");
            }
        }
    }
}
