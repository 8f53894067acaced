//! Escaping of untrusted text for the page.

use referee_core::io::text::printable;

/// The text of an element or an attribute value: markup is escaped, and characters that
/// cannot be shown are spelled out.
pub fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable(text, usize::MAX).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A message as HTML: what it quotes between backticks is code, and it ends with a full stop.
pub fn message(text: &str) -> String {
    let mut parts: Vec<&str> = text.split('`').collect();
    // A backtick without its partner stays.
    if parts.len().is_multiple_of(2) {
        parts = vec![text];
    }
    let parts = parts.into_iter().enumerate().map(|(at, part)| match at % 2 {
        0 => html(part),
        _ => format!("<code>{}</code>", html(part)),
    });
    let is_open = !text.is_empty() && !text.ends_with(['.', '!', '?', ':']);
    parts.collect::<String>() + if is_open { "." } else { "" }
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
pub fn column(class: &str, heading: &str) -> String {
    let class = match class {
        "" => String::new(),
        class => format!(" class=\"{class}\""),
    };
    format!("<th scope=\"col\"{class}>{heading}</th>")
}

/// A table that scrolls sideways on a narrow screen. `name` is that of the match's part; the
/// caption, headings and rows are HTML; headings and rows are all their cells.
pub fn table(
    [name, region, class]: [&str; 3],
    caption: &str,
    headings: impl IntoIterator<Item = String>,
    rows: impl IntoIterator<Item = String>,
) -> String {
    let headings: String = headings.into_iter().collect();
    let rows = rows
        .into_iter()
        .flat_map(|row| ["<tr>".into(), row, "</tr>\n".into()]);
    let rows: String = rows.collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_messages_is_shown_as_code() {
        assert_eq!(
            message("`a<b` failed; `sed -i` removes it"),
            "<code>a&lt;b</code> failed; <code>sed -i</code> removes it."
        );
        assert_eq!(message("a ` alone."), "a ` alone.");
        assert_eq!(message(""), "");
    }

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            html("</td><script>alert(\"1\" & '2')</script>"),
            "&lt;/td&gt;&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;"
        );
        assert!(!html("a\u{202e}b\u{7}").contains(['\u{202e}', '\u{7}']));
    }
}
