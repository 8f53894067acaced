//! Options of other programs.

use std::collections::BTreeSet;

use referee::config::other_programs::options;

/// The options that the programs document, in the order of the table's columns.
const LISTS: [&str; 3] = [
    include_str!("other_programs/fastchess.txt"),
    include_str!("other_programs/cutechess-cli.txt"),
    include_str!("other_programs/c-chess-cli.txt"),
];

#[test]
fn the_table_has_every_documented_option() {
    for (column, list) in LISTS.into_iter().enumerate() {
        let lines = list.lines().filter(|line| !line.starts_with('#'));
        let documented: BTreeSet<&str> = lines.collect();
        let listed = options().filter(|option| option.programs[column]);
        let listed: BTreeSet<&str> = listed.map(|option| option.name).collect();
        assert!(documented.len() > 20, "{column}");
        assert_eq!(listed, documented, "{column}");
    }
    let names: BTreeSet<&str> = options().map(|option| option.name).collect();
    assert_eq!(names.len(), options().count(), "each once");
}
