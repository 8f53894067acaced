//! Guessing which word was meant.

/// The candidate that `word` is most likely a slip of, if one is near enough;
/// letter case does not count.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Up to a third of the letters may be wrong.
    let most = word.chars().count() / 3 + 1;
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(distance, _)| distance <= most)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// What could have been said instead of `word`, as the second half of a sentence:
/// the word that was probably meant, and all that there are.
pub fn instead(word: &str, all: &[&str]) -> String {
    let list = all.join(", ");
    match nearest(word, all.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`? There are {list}"),
        None => format!("there are {list}"),
    }
}

/// How many letters must be inserted, removed or replaced to make one word of
/// the other (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.to_lowercase().chars().enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        for (place, &wanted) in row.iter_mut().zip(std::iter::once(&'\0').chain(&other)) {
            let above = *place;
            if wanted != '\0' {
                left = (diagonal + usize::from(letter != wanted))
                    .min(left + 1)
                    .min(above + 1);
                diagonal = above;
            }
            *place = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("Hash", "hash"), 0);
    }

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let keys = ["cmd", "depth", "nodes", "timemargin"];
        assert_eq!(nearest("dpeth", keys), Some("depth"));
        assert_eq!(nearest("time-margin", keys), Some("timemargin"));
        assert_eq!(nearest("colour", keys), None);
    }
}
