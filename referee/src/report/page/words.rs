//! What the words of the page mean.

use maud::{Markup, html};
use referee_core::player::verdict::FaultKind;
use referee_core::schedule::RankedBy;

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

/// The meaning of a word.
fn meaning((word, meaning): (&str, &str)) -> String {
    if word != FAULTS {
        return meaning.into();
    }
    let [kinds @ .., last] = FaultKind::ALL.map(|kind| format!("{} ({kind})", kind.about().did));
    format!("{meaning} it {}, or {last}.", kinds.join(", "))
}

/// All words with their meanings: the columns first.
fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    let columns = table_columns(RankedBy::Ratings).into_iter();
    let columns = columns.filter_map(|column| Some((column.headings[1]?, column.help)));
    columns.filter(|(_, help)| !help.is_empty()).chain(WORDS)
}

/// A word; its meaning is shown when one points at it.
pub fn explained(word: &str) -> Markup {
    html! {
        @if let Some(known) = words().find(|(name, _)| *name == word) {
            abbr title=(meaning(known)) { (word) }
        } @else {
            (word)
        }
    }
}

/// All words, folded, for those who have nothing to point with.
pub fn list() -> Markup {
    html! {
        details {
            summary { "What the words mean" }
            dl id="words" {
                @for known in words() { dt { (known.0) } dd { (meaning(known)) } "\n" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_explained_with_all_kinds() {
        let explained = explained(FAULTS).into_string();
        for kind in FaultKind::ALL {
            assert!(explained.contains(&format!("({kind})")), "{kind}: {explained}");
        }
        assert!(explained.contains("(crash), or had lost"), "{explained}");
    }
}
