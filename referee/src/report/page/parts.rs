//! Parts of HTML that several tables share.

use super::escape::html;

/// The beginning of links to the views of a match: `match-2-` for the second one.
pub fn link_prefix(number: usize) -> String {
    match number {
        1 => String::new(),
        _ => format!("match-{number}-"),
    }
}

/// The name of a part of a match. It differs from that of the same part of other matches.
pub fn label(part: &str, number: usize) -> String {
    match number {
        1 => part.into(),
        _ => format!("{part} of match {number}"),
    }
}

/// A table that scrolls sideways on a narrow screen.
pub fn scrolling(label: &str, class: &str, table: &str) -> String {
    let label = html(label);
    format!("<div class=\"{class}\" role=\"region\" aria-label=\"{label}\" tabindex=\"0\">\n{table}</div>\n")
}

/// A link to the view of a player.
pub fn player_link(number: usize, player: usize, name: &str) -> String {
    let prefix = link_prefix(number);
    format!("<a href=\"#{prefix}player-{}\">{}</a>", player + 1, html(name))
}
