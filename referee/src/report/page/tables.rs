//! The section of a match: its settings and tables. They need no script.

use std::fmt::Write as _;

use super::charts::{result_bar, time, whole};
use super::history::PageMatch;
use super::html::{html, label, link_prefix, player_link, table};
use super::{model, overview};
use crate::report::summary::PlayerSummary;
use crate::report::table::{
    MAX_PAIRED, counted_faults, player_columns, references, unconnected_groups, unfit,
};
use crate::statistics::Estimate;

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
    notes.extend(unfit(one.summary));
    notes.extend(references(one.summary));
    notes.extend(unconnected_groups(one.summary));
    notes.extend(one.held.as_ref().map(|held| {
        format!(
            "This page holds {} of {} games: those with an analysis, those to which its tables lead, and the last ones. \
             Its tables count all of them; `referee show FILE --game N` shows any game of the result file.",
            held.len(),
            one.history.games()
        )
    }));
    let notes = notes.iter().filter(|note| !note.is_empty()).map(|note| {
        let lines: Vec<String> = note.lines().map(html).collect();
        format!("<p class=\"note\">{}</p>\n", lines.join("\n"))
    });
    notes.collect()
}

fn standings(one: &PageMatch, number: usize) -> String {
    type Cell<'a> = &'a dyn Fn(&PlayerSummary) -> String;
    let summary = one.summary;
    let mut columns: Vec<(&str, Vec<String>)> = Vec::new();
    let mut add =
        |heading, cell: Cell<'_>| columns.push((heading, summary.players.iter().map(cell).collect()));
    add("Rank", &|player| format!("<td>{}</td>", player.place));
    add("Player", &|player| {
        let link = player_link(number, player.number, &player.name);
        format!("<th scope=\"row\">{link}</th>")
    });
    let mut add = |heading, cell: Cell<'_>| {
        add(heading, &|player| format!("<td>{}</td>", html(&cell(player))));
    };
    let given = |text: Option<String>| text.unwrap_or_else(|| "–".into());
    for ([_, heading], cell) in player_columns(one.header, summary).concat() {
        add(heading, &|player| given(cell(player)).replace('-', "−"));
    }
    if summary.players.iter().any(|player| player.mean_ms.is_some()) {
        add("Time a move", &|player| given(player.mean_ms.map(time)));
        add("Longest", &|player| {
            let at_least = if player.is_longest_open { "≥ " } else { "" };
            given(
                player
                    .longest()
                    .map(|longest| format!("{at_least}{}", time(longest))),
            )
        });
    }
    if summary.players.iter().any(|player| player.over_limit > 0) {
        add("Over the limit", &|player| player.over_limit.to_string());
    }
    add("Faults", &|player| match counted_faults(&player.faults) {
        faults if faults.is_empty() => "0".into(),
        faults => faults,
    });
    if summary.players.iter().any(|player| !player.replaced.is_empty()) {
        add("Random moves after faults", &|player| {
            counted_faults(&player.replaced)
        });
    }
    let rows =
        (0..summary.players.len()).map(|row| columns.iter().map(|(_, cells)| cells[row].as_str()).collect());
    let headings = columns.iter().map(|(heading, _)| (*heading).to_string());
    let name = label("Standings", number);
    // Those of very many players scroll, so that what follows is within reach.
    let region = if summary.players.len() > MAX_PAIRED {
        "scroll rows"
    } else {
        "scroll"
    };
    table([&name, region, "standings"], "Standings", headings, rows)
}

/// The points of each player against each other. A cell has the points, the number of
/// games, and a shade; the shade only repeats the number.
fn crosstable(one: &PageMatch, number: usize) -> String {
    let summary = one.summary;
    let players = &summary.players;
    if players.len() > MAX_PAIRED {
        return format!(
            "<p>The {} players have no crosstable; the name of a player in the table above leads to its opponents.</p>\n",
            players.len()
        );
    }
    let prefix = link_prefix(number);
    let games_by_players = summary.games_by_players();
    let cell = |player: usize, opponent: usize| {
        let Some(&games) = games_by_players.get(&[player, opponent]) else {
            let sign = if player == opponent { "×" } else { "·" };
            return format!("<td>{sign}</td>");
        };
        let (points, count) = (games.points(), games.games());
        let shade = (points / count.max(1) as f64 * 4.0).round();
        let [first, second] = [player.min(opponent) + 1, player.max(opponent) + 1];
        format!(
            "<td class=\"shade-{shade}\"><a href=\"#{prefix}pairing-{first}-{second}\" \
             title=\"{} won, {} drawn, {} lost\">{points}<small>/{count}</small></a></td>",
            games.wins, games.draws, games.losses
        )
    };
    let titles = players
        .iter()
        .zip(1..)
        .map(|(player, column)| format!("<abbr title=\"{}\">{column}</abbr>", html(&player.name)));
    let corner = ["<span class=\"hidden\">Rank</span>", "Player"].map(String::from);
    let rows = players.iter().zip(1..).map(|(player, row)| {
        let link = player_link(number, player.number, &player.name);
        let cells = players
            .iter()
            .map(|opponent| cell(player.number, opponent.number));
        format!(
            "<td>{row}</td><th scope=\"row\">{link}</th>{}",
            cells.collect::<String>()
        )
    });
    table(
        [&label("Crosstable", number), "scroll", "cross"],
        "Crosstable: points of the row against the column, and games",
        corner.into_iter().chain(titles),
        rows,
    )
}

fn first_mover(one: &PageMatch) -> String {
    let games = one.summary.first_mover;
    if games.games() == 0 {
        return String::new();
    }
    format!(
        "<h3>First mover</h3>\n<p>The first player won {}, drew {} and lost {} of {} games: {:.1} % of the points{}.</p>\n{}\n",
        games.wins,
        games.draws,
        games.losses,
        games.games(),
        100.0 * games.points() / games.games() as f64,
        elo_sentence(&one.summary.first_mover_elo),
        result_bar(games, overview::FIRST_WORDS)
    )
}

/// An Elo difference as part of a sentence.
fn elo_sentence(elo: &Estimate) -> String {
    let (Some([low, high]), Some(value)) = (overview::ends(elo), elo.value()) else {
        return String::new();
    };
    let [value, low, high] = [value, low, high].map(whole);
    format!(", {value} Elo (95 % interval {low} to {high})")
}
