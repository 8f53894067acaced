//! The section of a match: its settings and tables. They need no script.

use maud::{Markup, html};
use referee_statistics::Estimate;

use super::charts::result_bar;
use super::history::PageMatch;
use super::html::{column, label, link_prefix, message, player_link, table};
use super::{model, outcome, overview, words};
use crate::report::cells::{for_people, whole};
use crate::report::columns::{Narrow, Row, table_columns};
use crate::report::table::{MAX_PAIRED, references, unconnected_groups, unfit};
use crate::view::drawing::reworded;

/// The cell of a player of whom there is nothing to say.
const NOTHING: &str = "–";

/// The largest number of players among whom nobody has to search.
const MAX_IN_SIGHT: usize = 20;

/// The overview of a match. `number` is that of the match, from 1. The title of one that `is_alone` stands above it
/// already.
pub fn section(one: &PageMatch, number: usize, is_alone: bool) -> Markup {
    let id = format!("match-{number}");
    let result = outcome::result(one);
    let is_pair = outcome::is_pair(one);
    let prefix = link_prefix(number);
    html! {
        section class="match" id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } {
                @if is_alone { (result) } @else { "Match " (number) ": " (one.title()) }
            }
            @if !is_alone { p { strong { (result) } } }
            p { (outcome::facts(one)) }
            (standings(one, number))
            (notes(one))
            (settings(one))
            (rules(one))
            @if !is_pair { (overview::ratings(one)) }
            (overview::history(one))
            @if !is_pair { (crosstable(one, number)) }
            (first_mover(one))
            (overview::openings(one, number))
            (overview::distributions(one))
            (overview::faults(one, number))
            p class="only-script" {
                a href={ "#" (prefix) "games" } { "All games" }
                @if is_pair && !one.summary.meetings.is_empty() {
                    " · "
                    a href={ "#" (prefix) "pairing-1-2" } { "More about this pairing" }
                }
            }
        }
    }
}

fn settings(one: &PageMatch) -> Markup {
    html! {
        details {
            summary { "Settings of the match" }
            dl class="settings" {
                @for [name, value] in model::settings(one) {
                    div { dt { (words::explained(&name)) } dd { (value) } }
                }
            }
        }
    }
}

/// The rules of a built-in game.
fn rules(one: &PageMatch) -> Markup {
    let game = one.header.game(None);
    let info = game.info();
    let names = info.side_names();
    let sides = |word: &str| match word {
        "x" => names[0].clone(),
        "o" => names[1].clone(),
        _ => word.into(),
    };
    html! {
        @if !info.rules.is_empty() {
            details {
                summary { "Rules of " (info.title) }
                ul { @for text in info.rules { li { (reworded(text, sides)) } } }
            }
        }
    }
}

/// Missing games, players that did not start, groups without a common scale.
fn notes(one: &PageMatch) -> Markup {
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
    html! {
        @for note in notes.iter().filter(|note| !note.is_empty()) {
            p class="note" { @for line in note.lines() { (message(line)) "\n" } }
        }
    }
}

fn standings(one: &PageMatch, number: usize) -> Markup {
    let summary = one.summary;
    let players = || summary.players.iter();
    let rows = || players().map(|player| Row::of(number, summary, player));
    let ranks = players().map(|player| html! { td { (player.place) } });
    let names = players().map(|player| {
        html! { th scope="row" { (player_link(number, player.number, &player.name)) } }
    });
    let mut columns: Vec<(Markup, Vec<Markup>)> = vec![
        (column(None, "Rank"), ranks.collect()),
        (column(None, "Player"), names.collect()),
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
        let class = match shown.narrow {
            Narrow::Unrated if !is_rated => None,
            Narrow::Yes => None,
            Narrow::Unrated | Narrow::No => Some("wide"),
        };
        let cells = cells.into_iter().map(|cell| {
            let text = cell.map_or_else(|| NOTHING.into(), |cell| for_people(&cell));
            html! { td class=[class] { (text) } }
        });
        columns.push((column(class, words::explained(heading)), cells.collect()));
    }
    let rows = (0..summary.players.len()).map(|row| html! { @for (_, cells) in &columns { (cells[row]) } });
    let headings = columns.iter().map(|(heading, _)| heading.clone());
    let name = label("Standings", number);
    // Those of very many players scroll, so that what follows is within reach.
    let region = if summary.players.len() > MAX_PAIRED {
        "scroll rows"
    } else {
        "scroll"
    };
    html! {
        @if summary.players.len() > MAX_IN_SIGHT {
            p class="only-script" {
                input type="search" class="find" placeholder="Find a player" aria-label="Find a player";
                " "
                span role="status" {}
            }
        }
        (table([&name, region, "standings"], "Standings", headings, rows))
        @if let Some(line) = references(summary) { p class="help" { (message(&line)) } }
    }
}

/// The points of each player against each other. A cell has the points, the number of
/// games, and a shade; the shade only repeats the number.
fn crosstable(one: &PageMatch, number: usize) -> Markup {
    let summary = one.summary;
    let players = &summary.players;
    if players.len() > MAX_PAIRED {
        return html! {
            p {
                "The " (players.len()) " players have no crosstable; the name of a player in the table above leads to its \
                 opponents."
            }
        };
    }
    let prefix = link_prefix(number);
    let games_by_players = summary.games_by_players();
    let cell = |player: usize, opponent: usize| {
        let Some(&games) = games_by_players.get(&[player, opponent]) else {
            return html! { td { @if player == opponent { "×" } @else { "·" } } };
        };
        let (points, count) = (games.points(), games.games());
        let shade = (points / count.max(1) as f64 * 4.0).round();
        let [first, second] = [player.min(opponent) + 1, player.max(opponent) + 1];
        let title = format!("{} won, {} drawn, {} lost", games.wins, games.draws, games.losses);
        html! {
            td class={ "shade-" (shade) } {
                a href={ "#" (prefix) "pairing-" (first) "-" (second) } title=(title) {
                    (points) small { "/" (count) }
                }
            }
        }
    };
    let titles = players
        .iter()
        .zip(1..)
        .map(|(player, number): (_, usize)| column(None, html! { abbr title=(player.name) { (number) } }));
    let corner = [
        column(None, html! { span class="hidden" { "Rank" } }),
        column(None, "Player"),
    ];
    let rows = players.iter().zip(1..).map(|(player, row): (_, usize)| {
        html! {
            td { (row) }
            th scope="row" { (player_link(number, player.number, &player.name)) }
            @for opponent in players { (cell(player.number, opponent.number)) }
        }
    });
    html! {
        (table(
            [&label("Crosstable", number), "scroll", "cross"],
            "Crosstable",
            corner.into_iter().chain(titles),
            rows,
        ))
        p class="help" {
            "Each cell shows the points of the player in the row against the player in the column, and the number of their \
             games."
        }
    }
}

fn first_mover(one: &PageMatch) -> Markup {
    let games = one.summary.first_mover;
    if games.games() == 0 {
        return Markup::default();
    }
    let percent = 100.0 * games.points() / games.games() as f64;
    html! {
        h3 { "First mover" }
        p {
            "The first player won " (games.wins) ", drew " (games.draws) " and lost " (games.losses) " of " (games.games())
            " games: " (format_args!("{percent:.1}")) " % of the points" (elo_sentence(&one.summary.first_mover_elo)) "."
        }
        (result_bar(games, overview::FIRST_WORDS))
    }
}

/// An Elo difference as part of a sentence.
fn elo_sentence(elo: &Estimate) -> String {
    let (Some([low, high]), Some(value)) = (overview::ends(elo), elo.value()) else {
        return String::new();
    };
    let [value, low, high] = [value, low, high].map(whole);
    format!(", {value} Elo (95 % interval {low} to {high})")
}
