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

/// A table that scrolls sideways on a narrow screen. `name` is that of the match's part; the
/// caption, headings and rows are HTML, and a row is all its cells.
pub fn table(
    [name, region, class]: [&str; 3],
    caption: &str,
    headings: impl IntoIterator<Item = String>,
    rows: impl IntoIterator<Item = String>,
) -> String {
    let headings = headings.into_iter();
    let headings: String = headings
        .map(|text| format!("<th scope=\"col\">{text}</th>"))
        .collect();
    let rows: String = rows.into_iter().map(|row| format!("<tr>{row}</tr>\n")).collect();
    format!(
        "<div class=\"{region}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table class=\"{class}\">\n\
         <caption>{caption}</caption>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n",
        html(name)
    )
}

/// A link to the view of a player.
pub fn player_link(number: usize, player: usize, name: &str) -> String {
    let prefix = link_prefix(number);
    format!("<a href=\"#{prefix}player-{}\">{}</a>", player + 1, html(name))
}
