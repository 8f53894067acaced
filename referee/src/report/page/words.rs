//! What the words of the page mean.

use referee_core::player::verdict::FaultKind;
use referee_core::schedule::RankedBy;

use super::html::html;
use crate::report::columns::{FAULTS, table_columns};

/// Words that not everyone knows, in the order of the page, beside the columns of the players.
const WORDS: [(&str, &str); 7] = [
    (
        "Limits",
        "What the players had: st is seconds for a move, tc is MOVES/SECONDS+INCREMENT on a clock, depth is the number of \
         moves to look ahead, nodes is the number of positions to look at.",
    ),
    (
        "Openings",
        "How the games began. random:4 are four random moves; each opening is played twice, with the sides swapped.",
    ),
    (
        "Seed",
        "The number that chance began with. The same seed gives the same openings.",
    ),
    (
        "Fingerprint",
        "A short code for all games and their results: if it is the same, so are they.",
    ),
    (
        "Elo difference",
        "How much stronger the first player is, see Elo.",
    ),
    (
        "Likelihood of superiority",
        "How likely it is, after these games, that the first player is the stronger one.",
    ),
    (
        "Pairs with 0, ½, 1, 1½, 2 points",
        "The two games of an opening are a pair. Each number counts the pairs in which the first player scored that many points.",
    ),
];

/// The meaning of a word as HTML.
fn meaning((word, meaning): (&str, &str)) -> String {
    if word != FAULTS {
        return html(meaning);
    }
    let [kinds @ .., last] = FaultKind::ALL.map(|kind| format!("{} ({kind})", kind.about().did));
    html(&format!("{meaning} it {}, or {last}.", kinds.join(", ")))
}

/// All words with their meanings: the columns first.
fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    let columns = table_columns(RankedBy::Ratings).into_iter();
    let columns = columns.filter_map(|column| Some((column.headings[1]?, column.help)));
    columns.filter(|(_, help)| !help.is_empty()).chain(WORDS)
}

/// A word as HTML; its meaning is shown when one points at it.
pub fn explained(word: &str) -> String {
    match words().find(|(name, _)| *name == word) {
        Some(known) => format!("<abbr title=\"{}\">{}</abbr>", meaning(known), html(word)),
        None => html(word),
    }
}

/// All words, folded, for those who have nothing to point with.
pub fn list() -> String {
    let words = words().map(|known| format!("<dt>{}</dt><dd>{}</dd>\n", html(known.0), meaning(known)));
    format!(
        "<details><summary>What the words mean</summary>\n<dl id=\"words\">\n{}</dl>\n</details>\n",
        words.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_explained_with_all_kinds() {
        let explained = explained(FAULTS);
        for kind in FaultKind::ALL {
            assert!(explained.contains(&format!("({kind})")), "{kind}: {explained}");
        }
        assert!(explained.contains("(crash), or had lost"), "{explained}");
    }
}
