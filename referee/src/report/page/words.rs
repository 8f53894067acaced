//! What the words of the page mean.

use referee_core::player::verdict::FaultKind;

use super::html::html;

/// The word whose meaning ends with all kinds of faults.
const FAULTS: &str = "Faults";

/// Words that not everybody knows, in the order of the page.
const WORDS: [(&str, &str); 17] = [
    (
        "Elo",
        "A rating. The difference between two players says how many points the stronger one makes on average: with 0 Elo \
         half of them, with 100 Elo 64 %, with 200 Elo 76 %, with 400 Elo 91 %.",
    ),
    (
        "95 % interval",
        "What the games can tell: of 100 such ranges, about 95 contain the true value. More games make it narrower.",
    ),
    ("Buchholz", "The points of all opponents together."),
    ("Time a move", "The average time of a move."),
    (
        "Longest",
        "The time of the longest move; ≥ if no answer came at all.",
    ),
    (
        "Over the limit",
        "Moves that took longer than allowed, but not longer than the margin (timemargin), so they were played.",
    ),
    (
        "Mistakes",
        "Moves that lost at least 0.1 points of the expected result, as the analysis sees it, blunders included.",
    ),
    ("Blunders", "Mistakes that lost at least 0.15 points."),
    (
        FAULTS,
        "Games that a program lost by itself and not on the board:",
    ),
    (
        "Random moves",
        "Moves that were drawn at random in place of an answer with a fault.",
    ),
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
fn meaning((word, meaning): &(&str, &str)) -> String {
    if *word != FAULTS {
        return html(meaning);
    }
    let [kinds @ .., last] = FaultKind::ALL.map(|kind| format!("{} ({kind})", kind.about().did));
    html(&format!("{meaning} it {}, or {last}.", kinds.join(", ")))
}

/// A word as HTML; its meaning is shown when one points at it.
pub fn explained(word: &str) -> String {
    match WORDS.iter().find(|(name, _)| *name == word) {
        Some(known) => format!("<abbr title=\"{}\">{}</abbr>", meaning(known), html(word)),
        None => html(word),
    }
}

/// All words, folded, for those who have nothing to point with.
pub fn list() -> String {
    let words = WORDS.iter();
    let words = words.map(|known| format!("<dt>{}</dt><dd>{}</dd>\n", html(known.0), meaning(known)));
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
