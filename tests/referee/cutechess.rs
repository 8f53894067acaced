//! `--output cutechess`: the lines that scripts for cutechess-cli read.

use crate::support::{Bot, COLUMN_A, COLUMN_H, Scene, assert_ends, assert_has, assert_lacks, expect};

/// Lines in the formats of the source of cutechess-cli 1.3: `enginematch.cpp`, `tournament.cpp`.
const FORMATS: [&str; 8] = [
    "Started game 1 of 4 (one vs two)",
    "Finished game 1 (one vs two): 1-0 {White mates}",
    "Score of one vs two: 1 - 0 - 0  [1.000] 1",
    "Elo difference: 0.0 +/- 0.0, LOS: 50.0 %, DrawRatio: 0.0 %",
    "Elo difference: inf +/- nan, LOS: 97.7 %, DrawRatio: 0.0 %",
    "SPRT: llr 0.0542 (1.8%), lbound -2.94, ubound 2.94",
    "SPRT: llr 2.95 (100.2%), lbound -2.94, ubound 2.94 - H1 was accepted",
    "Finished match",
];

/// The line with `#` in place of each number, `NAME` in place of a player, and `{}` in place of a description. `inf` and
/// `nan` are numbers.
fn shape(line: &str) -> String {
    let line = match (line.find('{'), line.ends_with('}')) {
        (Some(begin), true) => format!("{}{{}}", &line[..begin]),
        _ => line.to_string(),
    };
    let words = line.split(' ').map(|word| {
        let is_result = ["1-0", "0-1", "1/2-1/2"].contains(&word);
        let core = word.trim_matches(['[', ']', '(', ')', ',', '%', ':']);
        let is_number = core.parse::<f64>().is_ok();
        if ["one", "two"].contains(&core) {
            word.replace("one", "NAME").replace("two", "NAME")
        } else if is_number || is_result {
            word.replace(core, "#")
        } else {
            word.to_string()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn lines_have_the_shapes_of_cutechess() {
    let scene = Scene::new();
    scene.bot("one", Bot::thinking(COLUMN_A));
    scene.bot("two", Bot::thinking(COLUMN_H));
    let line = "match ./one ./two --each st=20 --games 4 --output cutechess ";
    let shown = scene.referee(&format!("{line} --sprt elo0=0 elo1=5")).exits(0);
    assert_has(
        shown.messages(),
        expect! {"--openings: 2 of 4 games have an opening of their own, and --sprt then ends without a decision"},
    );
    let shown = shown.stdout;
    let shapes = FORMATS.map(shape);
    let lines: Vec<&str> = shown.lines().collect();
    for line in &lines {
        assert!(shapes.contains(&shape(line)), "{line}\n{shown}");
    }
    // The start position alone is one opening, so the test ends after its pair.
    assert_eq!(
        lines,
        [
            "Started game 1 of 4 (one vs two)",
            "Finished game 1 (one vs two): 1-0 {White wins: x has five in line, a5 to a1}",
            "Score of one vs two: 1 - 0 - 0  [1.000] 1",
            "Started game 2 of 4 (two vs one)",
            "Finished game 2 (two vs one): 1-0 {White wins: x has five in line, h5 to h1}",
            "Score of one vs two: 1 - 1 - 0  [0.500] 2",
            lines[6],
            lines[7],
            "Finished match",
        ]
    );

    // The Elo difference comes after ten games, and at the end.
    let shown = scene.referee(&line.replace("--games 4", "--games 12")).stdout;
    let counts = ["Score of one vs two: ", "Elo difference: ", "Finished game "]
        .map(|begin| shown.lines().filter(|line| line.starts_with(begin)).count());
    assert_eq!(counts, [12, 2, 12], "{shown}");
}

#[test]
fn faults_have_the_words_of_cutechess() {
    let scene = Scene::new();
    for (go, words) in [
        ("echo bestmove e5", "White makes an illegal move: "),
        ("exit 1", "White disconnects"),
        ("sleep 9", "White's connection stalls"),
        ("sleep 0.25; echo bestmove a1", "White loses on time"),
    ] {
        scene.bot("bot", Bot::thinking(go));
        let outcome = scene.referee("match ./bot random --each st=0.2 --games 1 --output cutechess");
        outcome
            .exits(0)
            .shows(format!("Finished game 1 (bot vs random): 0-1 {{{words}"));
    }
}

#[test]
fn a_table_ranks_more_than_two_players() {
    let line =
        "match plain squares random --each depth=1 st=60 --games 2 --openings random:2 --output cutechess";
    let shown = Scene::new().referee(line).exits(0).stdout;
    assert_has(
        &shown,
        expect! {"Rank Name                          Elo     +/-   Games   Score    Draw"},
    );
    assert_lacks(&shown, "Score of");
    assert_ends(&shown, "Finished match\n");
}
