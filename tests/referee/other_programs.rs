//! Options of other programs.

use std::collections::BTreeSet;

use referee::config::other_programs::OPTIONS;

/// The options that the programs document, and the letters of the programs.
const LISTS: [(char, &str); 3] = [
    ('f', include_str!("other_programs/fastchess.txt")),
    ('c', include_str!("other_programs/cutechess-cli.txt")),
    ('l', include_str!("other_programs/c-chess-cli.txt")),
];

#[test]
fn the_table_has_every_documented_option() {
    for (letter, list) in LISTS {
        let lines = list.lines().filter(|line| !line.starts_with('#'));
        let documented: BTreeSet<&str> = lines.collect();
        let listed = OPTIONS
            .iter()
            .filter(|(_, programs, _)| programs.contains(letter));
        let listed: BTreeSet<&str> = listed.map(|(name, ..)| *name).collect();
        assert!(documented.len() > 20, "{letter}");
        assert_eq!(listed, documented, "{letter}");
    }
    let names: BTreeSet<&str> = OPTIONS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names.len(), OPTIONS.len(), "each once");
}
