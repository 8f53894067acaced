//! Names of players that people take for one.

use std::collections::BTreeMap;

use referee_core::io::text::printable;
use unicode_normalization::UnicodeNormalization;

/// What two names have in common that people take for one.
fn as_seen(name: &str) -> String {
    let letters = name.nfkc().flat_map(char::to_lowercase);
    letters.filter(|letter| !letter.is_whitespace()).collect()
}

/// What to say of names that people take for one.
pub(crate) fn notes<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let mut notes = Vec::new();
    for name in names {
        match seen.insert(as_seen(name), name) {
            Some(other) if other != name => {
                let [other, name] = [other, name].map(|name| printable(name, usize::MAX));
                notes.push(format!(
                    "the names `{other}` and `{name}` differ only in case, blanks or the form of a letter; rename one, \
                     or the tables show two players who look like one"
                ));
            }
            _ => {}
        }
    }
    notes
}

/// Warns about names that people take for one.
pub fn warn<'a>(names: impl IntoIterator<Item = &'a str>) {
    for note in notes(names) {
        log::warn!("{note}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_if_people_see_it() {
        let others = ["ada", "adam", "Zoë", "zoe", "a b"];
        assert_eq!(notes(others), Vec::<String>::new());
        assert_eq!(notes(["ada", "ada"]), Vec::<String>::new());
        for same in [
            ["ada", "Ada"],
            ["ada", "ada "],
            ["Zo\u{eb}", "Zoe\u{308}"],
            ["a b", "a\u{a0}b"],
        ] {
            assert_eq!(notes(same).len(), 1, "{same:?}");
        }
    }
}
