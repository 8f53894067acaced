//! The section of a match: its settings and tables. They need no script.

use std::fmt::Write as _;

use referee_statistics::Estimate;

use super::charts::result_bar;
use super::history::PageMatch;
use super::html::{column, html, label, link_prefix, message, player_link, table};
use super::{model, outcome, overview, words};
use crate::report::cells::{for_people, whole};
use crate::report::columns::{Narrow, Row, table_columns};
use crate::report::table::{MAX_PAIRED, references, unconnected_groups, unfit};
use crate::view::drawing::reworded;

/// The cell of a player of whom there is nothing to say.
const NOTHING: &str = "–";

/// The largest number of players among whom nobody has to search.
const MAX_IN_SIGHT: usize = 20;

/// The overview of a match, as HTML. `number` is that of the match, from 1. The title of one that `is_alone` stands
/// above it already.
pub fn section(one: &PageMatch, number: usize, is_alone: bool) -> String {
    let id = format!("match-{number}");
    let mut text = format!("<section class=\"match\" id=\"{id}\" aria-labelledby=\"{id}-title\">\n");
    let result = html(&outcome::result(one));
    let (title, result) = if is_alone {
        (result, String::new())
    } else {
        (
            html(&format!("Match {number}: {}", one.title())),
            format!("<p><strong>{result}</strong></p>\n"),
        )
    };
    let _ = writeln!(
        text,
        "<h2 id=\"{id}-title\">{title}</h2>\n{result}<p>{}</p>",
        html(&outcome::facts(one))
    );
    text += &standings(one, number);
    text += &notes(one);
    text += &settings(one);
    text += &rules(one);
    let is_pair = outcome::is_pair(one);
    if !is_pair {
        text += &overview::ratings(one);
    }
    text += &overview::history(one);
    if !is_pair {
        text += &crosstable(one, number);
    }
    text += &first_mover(one);
    text += &overview::openings(one, number);
    text += &overview::distributions(one);
    text += &overview::faults(one, number);
    let prefix = link_prefix(number);
    let mut links = vec![format!("<a href=\"#{prefix}games\">All games</a>")];
    if is_pair && !one.summary.meetings.is_empty() {
        links.push(format!(
            "<a href=\"#{prefix}pairing-1-2\">More about this pairing</a>"
        ));
    }
    let _ = writeln!(text, "<p class=\"only-script\">{}</p>", links.join(" · "));
    text + "</section>\n"
}

/// Names and values.
fn list(pairs: impl IntoIterator<Item = [String; 2]>) -> String {
    let pairs = pairs
        .into_iter()
        .map(|[name, value]| format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n"));
    format!("<dl class=\"settings\">\n{}</dl>\n", pairs.collect::<String>())
}

fn settings(one: &PageMatch) -> String {
    let pairs = model::settings(one).into_iter();
    let pairs = pairs.map(|[name, value]| [words::explained(&name), html(&value)]);
    format!(
        "<details><summary>Settings of the match</summary>\n{}</details>\n",
        list(pairs)
    )
}

/// The rules of a built-in game.
fn rules(one: &PageMatch) -> String {
    let info = one.header.game(None).info();
    if info.rules.is_empty() {
        return String::new();
    }
    let rules = info.rules.iter();
    let names = info.side_names();
    let sides = |word: &str| match word {
        "x" => names[0].clone(),
        "o" => names[1].clone(),
        _ => word.into(),
    };
    let rules = rules.map(|text| format!("<li>{}</li>\n", html(&reworded(text, sides))));
    format!(
        "<details><summary>Rules of {}</summary>\n<ul>\n{}</ul>\n</details>\n",
        html(info.title),
        rules.collect::<String>()
    )
}

/// Missing games, players that did not start, groups without a common scale.
fn notes(one: &PageMatch) -> String {
    let mut notes: Vec<String> = one.notes.clone();
    notes.extend(unfit(one.summary));
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
        let lines: Vec<String> = note.lines().map(message).collect();
        format!("<p class=\"note\">{}</p>\n", lines.join("\n"))
    });
    notes.collect()
}

fn standings(one: &PageMatch, number: usize) -> String {
    let summary = one.summary;
    let players = || summary.players.iter();
    let rows = || players().map(|player| Row::of(number, summary, player));
    let ranks = players().map(|player| format!("<td>{}</td>", player.place));
    let names = players().map(|player| {
        let link = player_link(number, player.number, &player.name);
        format!("<th scope=\"row\">{link}</th>")
    });
    let mut columns: Vec<(String, Vec<String>)> = vec![
        (column("", "Rank"), ranks.collect()),
        (column("", "Player"), names.collect()),
    ];
    let is_rated = players().any(|player| player.elo().is_some());
    for shown in table_columns(summary.ranked_by) {
        let Some(heading) = shown.headings[1].filter(|_| shown.is_for(rows())) else {
            continue;
        };
        let cells: Vec<Option<String>> = rows().map(|row| shown.cell.text(row)).collect();
        // No empty column.
        if cells.iter().all(Option::is_none) {
            continue;
        }
        let (class, attribute) = match shown.narrow {
            Narrow::Unrated if !is_rated => ("", ""),
            Narrow::Yes => ("", ""),
            Narrow::Unrated | Narrow::No => ("wide", " class=\"wide\""),
        };
        let cells = cells.into_iter().map(|cell| {
            let text = cell.map_or_else(|| NOTHING.into(), |cell| for_people(&cell));
            format!("<td{attribute}>{}</td>", html(&text))
        });
        columns.push((column(class, &words::explained(heading)), cells.collect()));
    }
    let rows =
        (0..summary.players.len()).map(|row| columns.iter().map(|(_, cells)| cells[row].as_str()).collect());
    let headings = columns.iter().map(|(heading, _)| heading.clone());
    let name = label("Standings", number);
    // Those of very many players scroll, so that what follows is within reach.
    let region = if summary.players.len() > MAX_PAIRED {
        "scroll rows"
    } else {
        "scroll"
    };
    let mut text = String::new();
    if summary.players.len() > MAX_IN_SIGHT {
        text += "<p class=\"only-script\"><input type=\"search\" class=\"find\" placeholder=\"Find a player\" \
                 aria-label=\"Find a player\"> <span role=\"status\"></span></p>\n";
    }
    text += &table([&name, region, "standings"], "Standings", headings, rows);
    if let Some(line) = references(summary) {
        let _ = writeln!(text, "<p class=\"help\">{}</p>", message(&line));
    }
    text
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
    let titles = players.iter().zip(1..).map(|(player, number)| {
        let (name, number) = (html(&player.name), number.to_string());
        column("", &format!("<abbr title=\"{name}\">{number}</abbr>"))
    });
    let corner = [
        column("", "<span class=\"hidden\">Rank</span>"),
        column("", "Player"),
    ];
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
    let table = table(
        [&label("Crosstable", number), "scroll", "cross"],
        "Crosstable",
        corner.into_iter().chain(titles),
        rows,
    );
    table
        + "<p class=\"help\">Each cell shows the points of the player in the row against the player in the column, and the number of their games.</p>\n"
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
