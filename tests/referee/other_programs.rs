//! Options of other programs, and `referee from-fastchess`.

use std::collections::BTreeSet;

use referee::config::other_programs::OPTIONS;

use crate::support::Scene;

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

#[test]
fn a_printed_command_plays_the_match() {
    let scene = Scene::new();
    let line = "from-fastchess -- fastchess -engine cmd=plain name=new -engine cmd=squares name=old -each st=60 depth=1 \
                -rounds 2 -repeat -srand 3 -pgnout file=games.pgn nodes=true -epdout file=x";
    let outcome = scene.referee(line);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let ours = "match --engine cmd=plain name=new --engine cmd=squares name=old --each st=60 depth=1 --games 4 --seed 3 \
                --pgn games.pgn --record depth,nodes";
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&outcome.stdout), format!("referee {}", words(ours)));
    let stderr = words(&outcome.stderr);
    assert!(
        stderr.contains("warning: left out: -epdout: not available"),
        "{stderr}"
    );
    let played = scene.referee(&format!("{ours} --quiet"));
    assert_eq!(played.status, Some(0), "{played:?}");
    let pgn = std::fs::read_to_string(scene.path("games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event ").count(), 4);
    assert!(pgn.contains(", n="), "{pgn}");
}

#[test]
fn what_is_no_command_of_them_is_refused() {
    let scene = Scene::new();
    for (line, why) in [
        (
            "from-fastchess -- -enigne cmd=a",
            "unknown option `enigne`; did you mean `engine`?",
        ),
        (
            "from-fastchess -- -engine cmd=a -each st=0",
            "expected seconds from 0.001",
        ),
        ("from-fastchess", "required"),
    ] {
        let outcome = scene.referee(line);
        assert_eq!(outcome.status, Some(2), "{line}: {outcome:?}");
        assert!(outcome.stderr.contains(why), "{line}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "");
    }
}
