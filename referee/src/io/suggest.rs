//! "Did you mean": suggestions for misspelled words.

use lodestone::text::printable;

/// A message repeats a word up to this number of characters.
const MAX_QUOTE: usize = 40;

/// The candidate closest to `word`, if it is close; letter case does not matter.
///
/// Close means at most one typing error, or one per four letters of a long word. A typing
/// error is a letter inserted, omitted or replaced, or two adjacent letters swapped.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    let allowed = (length / 4).max(1).min(length.saturating_sub(1));
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// "; did you mean `x`?" for the end of a message; empty if no candidate is close.
pub fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    closest(word, candidates).map_or(String::new(), |meant| format!("; did you mean `{meant}`?"))
}

/// The message about a word that is not one of `names`: "unknown setting `dpeth`; did
/// you mean `depth`? The settings are …" for the kind "setting". The word may come from
/// anywhere: it is cut, and unprintable characters are escaped.
pub fn unknown(kind: &str, word: &str, names: &[&str]) -> String {
    let hint = hint(word, names.iter().copied());
    let the = if hint.is_empty() { "; the" } else { " The" };
    let word = printable(word, MAX_QUOTE);
    format!(
        "unknown {kind} `{word}`{hint}{the} {kind}s are {}",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_close_words() {
        let keys = ["cmd", "depth", "nodes", "timemargin"];
        for (word, meant) in [
            ("dpeth", Some("depth")),
            ("DEPHT", Some("depth")),
            ("time-margin", Some("timemargin")),
            ("timmargn", Some("timemargin")),
            ("cmf", Some("cmd")),
            ("node", Some("nodes")),
            ("code", None),
            ("colour", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(closest(word, keys), meant, "{word}");
        }
        assert_eq!(hint("cmdd", keys), "; did you mean `cmd`?");
        assert_eq!(hint("x", keys), "");
    }

    #[test]
    fn message_lists_the_known_words() {
        assert_eq!(
            unknown("format", "swis", &["gauntlet", "swiss"]),
            "unknown format `swis`; did you mean `swiss`? The formats are gauntlet, swiss"
        );
        assert_eq!(
            unknown("format", "x", &["gauntlet", "swiss"]),
            "unknown format `x`; the formats are gauntlet, swiss"
        );
        let long = "a".repeat(MAX_QUOTE + 1);
        assert_eq!(
            unknown("format", &format!("\x1b{long}"), &["swiss"]),
            format!("unknown format `\\u{{1b}}{}…`; the formats are swiss", &long[2..])
        );
    }
}
