//! What the words of the page mean.

use super::html::html;

/// Words that not everybody knows, in the order of the page.
const WORDS: [(&str, &str); 15] = [
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
        "Faults",
        "Games that a program lost by itself and not on the board: it was late (time), sent no answer \
         (stall), played a move that is not legal (illegal), wrote something else (garbage), or ended (crash).",
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

/// A word as HTML; its meaning is shown when one points at it.
pub fn explained(word: &str) -> String {
    match WORDS.iter().find(|(name, _)| *name == word) {
        Some((_, meaning)) => format!("<abbr title=\"{}\">{}</abbr>", html(meaning), html(word)),
        None => html(word),
    }
}

/// All words, folded, for those who have nothing to point with.
pub fn list() -> String {
    let words = WORDS.iter();
    let words = words.map(|(word, meaning)| format!("<dt>{}</dt><dd>{}</dd>\n", html(word), html(meaning)));
    format!(
        "<details><summary>What the words mean</summary>\n<dl id=\"words\">\n{}</dl>\n</details>\n",
        words.collect::<String>()
    )
}
