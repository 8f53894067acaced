//! The charts and lists of the overview.

use std::collections::BTreeSet;

use maud::{Markup, html};
use referee_core::io::text::counted;
use referee_core::player::verdict::FaultKind;
use referee_core::results::Accepted;
use referee_statistics::Estimate;

use super::charts::{ChartLine, ChartRow, LineChart, Scale, result_bar, row_chart};
use super::history::{FaultTally, HistoryPoint, MAX_OPENINGS, MIN_GAMES, PageMatch, quantiles};
use super::html::{column, label, link_prefix, message, player_link, table};
use crate::report::cells::{short, time, whole, with_interval};

/// The largest number of players in a chart with a row for each of them.
const MAX_ROWS: usize = 100;

/// The largest number of players in the chart of ratings over the games.
const MAX_LINES: usize = 8;

/// The largest number of openings whose table is not folded.
const MAX_OPEN: usize = 8;

/// The largest distance from 0 in a chart of Elo differences.
const MAX_ELO: f64 = 1000.0;

/// The words for the results of the first player.
pub const FIRST_WORDS: [&str; 3] = ["won by the first player", "drawn", "won by the second player"];

/// The ends of the interval of an estimate.
pub fn ends(estimate: &Estimate) -> Option<[f64; 2]> {
    estimate.interval().map(|interval| [interval.low, interval.high])
}

/// Of which of very many players a chart is, as the end of its caption.
fn of_the_first(players: usize) -> String {
    if players > MAX_ROWS {
        format!(", the first {MAX_ROWS} of {players} players")
    } else {
        String::new()
    }
}

/// A chart under its heading, if there is one.
fn headed(heading: &str, chart: Option<Markup>) -> Markup {
    html! { @if let Some(chart) = chart { div class="charted" { h3 { (heading) } (chart) } } }
}

/// Ratings with error bars.
pub fn ratings(one: &PageMatch) -> Markup {
    let players = &one.summary.players;
    let rated = players.iter().take(MAX_ROWS).filter_map(|player| {
        let (name, value, ends) = (player.name.clone(), player.elo()?, player.interval());
        Some(ChartRow {
            title: with_interval(&format!("{name}: {} Elo", whole(value)), ends),
            name,
            value,
            ends: ends.unwrap_or([value; 2]),
            middle: None,
        })
    });
    let caption = format!("Elo with 95 % intervals{}", of_the_first(players.len()));
    let scale = Scale {
        is_log: false,
        has_zero: true,
        format: whole,
    };
    headed("Ratings", row_chart(&caption, &rated.collect::<Vec<_>>(), scale))
}

/// The points of the Elo difference of a pairing, from the first player's view.
pub fn elo_points(points: &[HistoryPoint], is_reversed: bool) -> ChartLine {
    let mut line = ChartLine {
        name: "Elo".into(),
        points: Vec::new(),
        band: Vec::new(),
    };
    for point in points.iter().filter(|point| point.games >= MIN_GAMES) {
        let mut meeting = point.meeting;
        if is_reversed {
            meeting = meeting.reversed();
        }
        let elo = meeting.comparison().elo;
        let games = point.games as f64;
        if let Some(value) = elo.value().filter(|value| value.is_finite()) {
            line.points.push([games, value.clamp(-MAX_ELO, MAX_ELO)]);
        }
        if let Some(ends) = ends(&elo) {
            let [low, high] = ends.map(|end| end.clamp(-MAX_ELO, MAX_ELO));
            line.band.push([games, low, high]);
        }
    }
    line
}

/// Elo and the log-likelihood ratio over the games.
pub fn history(one: &PageMatch) -> Markup {
    const HEADING: &str = "Elo over the games";
    let summary = one.summary;
    if let Some(meeting) = summary.meetings.first()
        && one.header.engines.len() == 2
    {
        let curves = one.history.meetings(one.header.schedule.sprt.as_ref());
        let points = curves.values().next().map_or(&[][..], Vec::as_slice);
        let caption = format!(
            "Elo of {} over {} in the order of the schedule, with its 95 % interval",
            meeting.players[0], meeting.players[1]
        );
        let line = elo_points(points, meeting.numbers[0] > meeting.numbers[1]);
        let chart = LineChart::over_games(&[line], &[], whole).figure(&caption);
        return html! { (headed(HEADING, chart)) (sprt(one, points)) };
    }
    let ratings = one.history.ratings();
    let lines = summary.players.iter().take(MAX_LINES).map(|player| {
        let elo =
            |(games, elos): &(u64, Vec<Option<f64>>)| Some([*games as f64, (*elos.get(player.number)?)?]);
        ChartLine {
            name: player.name.clone(),
            points: ratings.iter().filter_map(elo).collect(),
            band: Vec::new(),
        }
    });
    let lines: Vec<ChartLine> = lines.filter(|line| !line.points.is_empty()).collect();
    let is_part = summary.players.len() > MAX_LINES;
    let who = if is_part {
        "the best eight players"
    } else {
        "all players"
    };
    let caption = format!("Ratings of {who} in the order of the schedule");
    headed(
        HEADING,
        LineChart::over_games(&lines, &[], whole).figure(&caption),
    )
}

/// The state of a sequential test.
pub const fn test_state(accepted: Option<Accepted>) -> &'static str {
    match accepted {
        Some(Accepted::H0) => "H0 accepted",
        Some(Accepted::H1) => "H1 accepted",
        Some(Accepted::Inconclusive) => "inconclusive",
        None => "not decided yet",
    }
}

/// The sequential test.
fn sprt(one: &PageMatch, points: &[HistoryPoint]) -> Markup {
    let Some(test) = &one.summary.sprt else {
        return Markup::default();
    };
    let points = points
        .iter()
        .filter_map(|point| Some([point.games as f64, point.llr?]));
    let line = ChartLine {
        name: "Log-likelihood ratio".into(),
        points: points.collect(),
        band: Vec::new(),
    };
    let state = test_state(test.accepted);
    let caption = format!(
        "Log-likelihood ratio of {} over the pairs: {}, {state}",
        test.test,
        short(test.llr)
    );
    let levels = [(test.bounds[0], "accept H0"), (test.bounds[1], "accept H1")];
    let chart = LineChart::over_games(&[line], &levels, short).figure(&caption);
    html! {
        @if chart.is_none() { p { (caption) } }
        (headed("Sequential test", chart))
    }
}

/// The distribution of times and of lengths for each player.
pub fn distributions(one: &PageMatch) -> Markup {
    let chart = |caption: &str, is_time: bool| {
        let (format, unit): (fn(f64) -> String, _) = if is_time { (time, "") } else { (whole, " moves") };
        let rows = one.summary.players.iter().take(MAX_ROWS).filter_map(|player| {
            let tally = one.history.tally.players.get(player.number)?;
            let values = if is_time { &tally.times } else { &tally.lengths };
            distribution(&player.name, values, format, unit)
        });
        let scale = Scale {
            is_log: is_time,
            has_zero: false,
            format,
        };
        let caption = format!("{caption}{}", of_the_first(one.summary.players.len()));
        row_chart(&caption, &rows.collect::<Vec<_>>(), scale)
    };
    let times = "Time of a move: median, the middle half (box) and 90 % (line)";
    let lengths = "Moves of a game: median, the middle half (box) and 90 % (line)";
    html! { (headed("Time", chart(times, true))) (headed("Game lengths", chart(lengths, false))) }
}

/// The row of a player with these values: the middle half is its box, and 90 % its line.
fn distribution(name: &str, values: &[f32], format: fn(f64) -> String, unit: &str) -> Option<ChartRow> {
    let quantiles = quantiles(values, [0.05, 0.25, 0.5, 0.75, 0.95, 1.0])?;
    let [low, from, value, to, high, _] = quantiles;
    let [_, first, median, last, _, longest] = quantiles.map(format);
    Some(ChartRow {
        name: name.into(),
        value,
        ends: [low, high],
        middle: Some([from, to]),
        title: format!(
            "{name}: median {median}{unit}, half of them from {first} to {last}{unit}, longest {longest}{unit}"
        ),
    })
}

/// The openings and how they scored.
pub fn openings(one: &PageMatch, number: usize) -> Markup {
    let openings = &one.history.tally.openings;
    if openings.len() < 2 {
        return Markup::default();
    }
    let listed = one.history.tally.listed_openings();
    let prefix = link_prefix(number);
    let rows = listed.iter().map(|(moves, opening)| {
        let name = if moves.is_empty() {
            format!("start of game {}", opening.game)
        } else {
            moves.join(" ")
        };
        let counts = opening.counts;
        let percent = whole(100.0 * counts.points() / counts.games().max(1) as f64);
        html! {
            th scope="row" { a href={ "#" (prefix) "game-" (opening.game) "-move-" (moves.len()) } { (name) } }
            td { (counts.games()) }
            td { (result_bar(counts, ["won", "drawn", "lost"])) }
            td { (percent) " %" }
        }
    });
    let table = table(
        [&label("Openings", number), "scroll rows", "openings"],
        "Openings, from the first player’s view; a link shows the opening in its first game",
        ["Opening", "Games", "Won, drawn, lost", "Points"].map(|heading| column(None, heading)),
        rows,
    );
    let count = match openings.len() {
        all if all > MAX_OPENINGS => format!("{MAX_OPENINGS} of {all} openings"),
        all => format!("{all} openings"),
    };
    html! {
        h3 { "Openings" }
        details open[openings.len() <= MAX_OPEN] { summary { (count) } (table) }
    }
}

/// The faults with what to fix, and transcripts.
pub fn faults(one: &PageMatch, number: usize) -> Markup {
    let faults = &one.history.tally.faults;
    html! {
        @if !faults.is_empty() {
            h3 { "Faults" }
            @for (&(player, kind), fault) in faults { (fault_group(one, number, player, kind, fault)) }
        }
    }
}

/// The faults of one kind of a player.
fn fault_group(one: &PageMatch, number: usize, player: usize, kind: FaultKind, fault: &FaultTally) -> Markup {
    let name = one.tournament.standings.names.get(player);
    let prefix = link_prefix(number);
    let lost = (fault.lost > 0).then(|| format!("{} lost by {kind}", counted(fault.lost as usize, "game")));
    let replaced = (fault.replaced > 0)
        .then(|| format!("{} after {kind}", counted(fault.replaced as usize, "random move")));
    let what: Vec<String> = lost.into_iter().chain(replaced).collect();
    let rest = fault.lost + fault.replaced - fault.games.len() as u64;
    let ids: BTreeSet<u64> = fault.games.iter().map(|(id, _)| *id).collect();
    html! {
        section class="fault-group" data-player=(player) {
            h4 { (player_link(number, player, name.map_or("", String::as_str))) ": " (what.join(", ")) }
            p { (kind.about().advice) }
            ul { @for one in &fault.messages { li { (message(one)) } } }
            p {
                "Games:"
                @for (id, moves) in &fault.games {
                    " " a href={ "#" (prefix) "game-" (id) "-move-" (moves) } { (id) }
                }
                @if rest > 0 { " and " (rest) " more" }
            }
            @for id in ids {
                @if let Some(transcript) = one.transcripts.get(&id) {
                    details {
                        summary { "Transcript of game " (id) }
                        pre tabindex="0" data-game={ (prefix) "game-" (id) } { (transcript) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::expect;

    #[test]
    fn a_distribution_shows_the_middle_half_and_90_percent() {
        let values: Vec<f32> = (0..100_u8).rev().map(f32::from).collect();
        let row = distribution("ann", &values, whole, " moves").unwrap();
        assert_eq!(
            (row.ends, row.middle, row.value),
            ([5.0, 95.0], Some([25.0, 75.0]), 50.0)
        );
        expect! {"ann: median 50 moves, half of them from 25 to 75 moves, longest 99 moves"}
            .assert_eq(&row.title);
        assert_eq!(distribution("ann", &[], whole, ""), None);
    }
}
