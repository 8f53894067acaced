//! What the templates of the page share. They escape what they show, so that no text becomes markup.

use maud::{Markup, Render, html};
use referee_core::io::text::printable;

/// Markup as text, in which characters that cannot be shown are spelled out: names and messages come from others.
pub fn printed(markup: Markup) -> String {
    let text = markup.into_string();
    let lines = text.split('\n').map(|line| printable(line, usize::MAX));
    lines.collect::<Vec<_>>().join("\n")
}

/// A message: what it quotes between backticks is code, and it ends with a full stop.
pub fn message(text: &str) -> Markup {
    let mut parts: Vec<&str> = text.split('`').collect();
    // A backtick without its partner stays.
    if parts.len().is_multiple_of(2) {
        parts = vec![text];
    }
    let is_open = !text.is_empty() && !text.ends_with(['.', '!', '?', ':']);
    html! {
        @for (at, part) in parts.into_iter().enumerate() {
            @if at % 2 == 0 { (part) } @else { code { (part) } }
        }
        @if is_open { "." }
    }
}

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

/// A heading of a column. Columns of the class `wide` are left out on a narrow screen.
pub fn column(class: Option<&str>, heading: impl Render) -> Markup {
    html! { th scope="col" class=[class] { (heading) } }
}

/// A table that scrolls sideways on a narrow screen. `name` is that of the match's part; headings and rows are all their
/// cells.
pub fn table(
    [name, region, class]: [&str; 3],
    caption: &str,
    headings: impl IntoIterator<Item = Markup>,
    rows: impl IntoIterator<Item = Markup>,
) -> Markup {
    html! {
        div class=(region) role="region" aria-label=(name) tabindex="0" {
            table class=(class) {
                caption { (caption) }
                thead { tr { @for heading in headings { (heading) } } }
                tbody { @for row in rows { tr { (row) } "\n" } }
            }
        }
    }
}

/// A link to the view of a player.
pub fn player_link(number: usize, player: usize, name: &str) -> Markup {
    html! { a href={ "#" (link_prefix(number)) "player-" (player + 1) } { (name) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_messages_is_shown_as_code() {
        assert_eq!(
            message("`a<b` failed; `sed -i` removes it").into_string(),
            "<code>a&lt;b</code> failed; <code>sed -i</code> removes it."
        );
        assert_eq!(message("a ` alone.").into_string(), "a ` alone.");
        assert_eq!(message("").into_string(), "");
    }

    #[test]
    fn markup_becomes_text() {
        let foreign = "</td><script>alert(\"1\" & '2')</script>";
        assert_eq!(
            printed(html! { b title=(foreign) { (foreign) } }),
            "<b title=\"&lt;/td&gt;&lt;script&gt;alert(&quot;1&quot; &amp; '2')&lt;/script&gt;\">\
             &lt;/td&gt;&lt;script&gt;alert(&quot;1&quot; &amp; '2')&lt;/script&gt;</b>"
        );
        assert!(!printed(html! { ("a\u{202e}b\u{7}") }).contains(['\u{202e}', '\u{7}']));
    }
}
