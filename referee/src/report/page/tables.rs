//! The section of a match: its settings and tables. They need no script.

use std::fmt::Write as _;

use super::escape::html;
use super::page_match::PageMatch;
use super::parts::{label, link_prefix, player_link, scrolling};
use super::{model, overview};
use crate::io::text::milliseconds;
use crate::report::summary::{EstimateSummary, PlayerSummary};
use crate::report::table::unfit;
use crate::schedule::Format;
use crate::statistics::format_number;

/// The overview of a match, as HTML. `number` is that of the match, from 1.
pub fn section(one: &PageMatch, number: usize) -> String {
    let id = format!("match-{number}");
    let mut text = format!("<section class=\"match\" id=\"{id}\" aria-labelledby=\"{id}-title\">\n");
    let _ = writeln!(text, "<h2 id=\"{id}-title\">{}</h2>", html(&one.title()));
    text += &settings(one);
    text += &notes(one);
    text += &standings(one, number);
    text += &overview::ratings(one);
    text += &crosstable(one, number);
    text += &overview::history(one);
    text += &first_mover(one);
    text += &overview::openings(one, number);
    text += &overview::distributions(one);
    text += &overview::faults(one, number);
    let link = format!("{}games", link_prefix(number));
    let _ = writeln!(
        text,
        "<p class=\"only-script\"><a href=\"#{link}\">All games</a></p>"
    );
    text + "</section>\n"
}

fn settings(one: &PageMatch) -> String {
    let mut text = String::from("<dl class=\"settings\">\n");
    for [name, value] in model::settings(one) {
        let _ = writeln!(
            text,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            html(&name),
            html(&value)
        );
    }
    text + "</dl>\n"
}

/// Missing games, players that did not start, groups without a common scale.
fn notes(one: &PageMatch) -> String {
    let mut notes: Vec<String> = one.notes.clone();
    notes.extend(unfit(one.summary).lines().map(String::from));
    if !one.summary.groups.is_empty() {
        let groups: Vec<String> = one.summary.groups.iter().map(|group| group.join(", ")).collect();
        notes.push(format!(
            "No games connect these groups, so only the first has ratings: {}",
            groups.join(" | ")
        ));
    }
    let mut text = String::new();
    for note in notes.iter().filter(|note| !note.is_empty()) {
        let lines: Vec<String> = note.lines().map(html).collect();
        text += "<p class=\"note\">";
        text += &lines.join("\n");
        text += "</p>\n";
    }
    text
}

/// A number as text; a dash where there is none.
fn or_dash(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(
        || "–".into(),
        |value| format_number(Some(value), decimals).replace('-', "−"),
    )
}

/// A column of the standings: its heading, and the text of a player.
type PlayerColumn<'a> = (&'a str, Box<dyn Fn(&PlayerSummary) -> String + 'a>);

fn standings(one: &PageMatch, number: usize) -> String {
    let summary = one.summary;
    let mut columns: Vec<PlayerColumn> = vec![("Points", Box::new(|player| format!("{:.1}", player.points)))];
    columns.push(("Percent", Box::new(|player| or_dash(player.percent(), 1))));
    if one.header.schedule.format == Format::Swiss {
        columns.push((
            "Buchholz",
            Box::new(|player| format!("{:.1}", player.opponents_points)),
        ));
    }
    columns.push(("Games", Box::new(|player| player.games.games().to_string())));
    columns.push(("Won", Box::new(|player| player.games.wins.to_string())));
    columns.push(("Drawn", Box::new(|player| player.games.draws.to_string())));
    columns.push(("Lost", Box::new(|player| player.games.losses.to_string())));
    if summary.players.iter().any(|player| player.elo().is_some()) {
        columns.push(("Elo", Box::new(|player| or_dash(player.elo(), 0))));
        columns.push((
            "95 % interval",
            Box::new(|player| {
                player.interval().map_or_else(
                    || "–".into(),
                    |[low, high]| format!("{} to {}", or_dash(Some(low), 0), or_dash(Some(high), 0)),
                )
            }),
        ));
    }
    if summary.players.iter().any(|player| player.mean_ms.is_some()) {
        columns.push(("Time a move", Box::new(|player| time(player.mean_ms))));
        columns.push((
            "Longest",
            Box::new(|player| time(player.mean_ms.map(|_| player.longest_ms))),
        ));
    }
    columns.push((
        "Faults",
        Box::new(|player| {
            let faults = player
                .faults
                .iter()
                .map(|(kind, count)| format!("{count} {kind}"));
            let faults: Vec<String> = faults.collect();
            if faults.is_empty() {
                "0".into()
            } else {
                faults.join(", ")
            }
        }),
    ));
    let mut text = String::from("<table class=\"standings\">\n<caption>Standings</caption>\n<thead><tr>");
    text += "<th scope=\"col\">Rank</th><th scope=\"col\">Player</th>";
    for (heading, _) in &columns {
        let _ = write!(text, "<th scope=\"col\">{heading}</th>");
    }
    text += "</tr></thead>\n<tbody>\n";
    for player in &summary.players {
        let link = player_link(number, player.number, &player.name);
        let _ = write!(text, "<tr><td>{}</td><th scope=\"row\">{link}</th>", player.place);
        for (_, cell) in &columns {
            let _ = write!(text, "<td>{}</td>", html(&cell(player)));
        }
        text += "</tr>\n";
    }
    scrolling(
        &label("Standings", number),
        "scroll",
        &(text + "</tbody>\n</table>\n"),
    )
}

fn time(ms: Option<f64>) -> String {
    let time = ms.and_then(|ms| std::time::Duration::try_from_secs_f64(ms / 1000.0).ok());
    time.map_or_else(|| "–".into(), milliseconds)
}

/// The points of each player against each other. A cell has the points, the number of
/// games, and a shade; the shade only repeats the number.
fn crosstable(one: &PageMatch, number: usize) -> String {
    let summary = one.summary;
    let players = &summary.players;
    let prefix = link_prefix(number);
    let mut text = String::from(
        "<table class=\"cross\">\n<caption>Crosstable: points of the row against the column, and games</caption>\n",
    );
    text +=
        "<thead><tr><th scope=\"col\"><span class=\"hidden\">Rank</span></th><th scope=\"col\">Player</th>";
    for (player, column) in players.iter().zip(1..) {
        let _ = write!(
            text,
            "<th scope=\"col\"><abbr title=\"{}\">{column}</abbr></th>",
            html(&player.name)
        );
    }
    text += "</tr></thead>\n<tbody>\n";
    for (player, row) in players.iter().zip(1..) {
        let link = player_link(number, player.number, &player.name);
        let _ = write!(text, "<tr><td>{row}</td><th scope=\"row\">{link}</th>");
        for opponent in players {
            let pair = [player.number, opponent.number];
            let reversed = [opponent.number, player.number];
            let meeting = summary
                .meetings
                .iter()
                .find(|meeting| meeting.numbers == pair || meeting.numbers == reversed);
            let Some(meeting) = meeting else {
                let sign = if player.number == opponent.number {
                    "×"
                } else {
                    "·"
                };
                let _ = write!(text, "<td>{sign}</td>");
                continue;
            };
            let games = if meeting.numbers == pair {
                meeting.games
            } else {
                meeting.games.reversed()
            };
            let (points, count) = (games.points(), games.games());
            let shade = (points / count.max(1) as f64 * 4.0).round();
            let [one, other] = [pair[0].min(pair[1]) + 1, pair[0].max(pair[1]) + 1];
            let _ = write!(
                text,
                "<td class=\"shade-{shade}\"><a href=\"#{prefix}pairing-{one}-{other}\" \
                 title=\"{} won, {} drawn, {} lost\">{points}<small>/{count}</small></a></td>",
                games.wins, games.draws, games.losses
            );
        }
        text += "</tr>\n";
    }
    scrolling(
        &label("Crosstable", number),
        "scroll",
        &(text + "</tbody>\n</table>\n"),
    )
}

fn first_mover(one: &PageMatch) -> String {
    let games = one.summary.first_mover;
    if games.games() == 0 {
        return String::new();
    }
    format!(
        "<h3>First mover</h3>\n<p>The first player won {}, drew {} and lost {} of {} games: {:.1} % of the points{}.</p>\n{}",
        games.wins,
        games.draws,
        games.losses,
        games.games(),
        100.0 * games.points() / games.games() as f64,
        elo_sentence(&one.summary.first_mover_elo),
        overview::first_bar(one)
    )
}

/// An Elo difference as part of a sentence.
fn elo_sentence(elo: &EstimateSummary) -> String {
    let (Some(low), Some(high)) = (elo.low.0, elo.high.0) else {
        return String::new();
    };
    format!(
        ", {} Elo (95 % interval {} to {})",
        or_dash(elo.value.0, 0),
        or_dash(Some(low), 0),
        or_dash(Some(high), 0)
    )
}
