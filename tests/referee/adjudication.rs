//! Games that end before their end: `--draw`, `--resign`, `--prove`.

use std::collections::HashMap;

use lodestone_game::board::Side;
use lodestone_game::{AnyPosition, GameResult, Variant};
use serde_json::Value;

use crate::recorded::{games, line_of, moves, summary, text};
use crate::rules::Rules;
use crate::support::{
    Bot, Scene, assert_has, assert_has_all, assert_lacks, assert_rows, expect, joined, rows,
};

/// The position after all moves of a record.
fn end_of(record: &Value) -> Box<dyn AnyPosition> {
    let variant = Variant::from_name(text(record, "variant")).unwrap();
    let mut position = variant.parse_fen(text(record, "start")).unwrap();
    for mv in moves(record) {
        let mv = position.parse_move(mv).unwrap();
        position.play(mv);
    }
    position
}

/// The points of the first player with perfect play, 1, 0 or −1, by plain alpha-beta over
/// the rules. `known` holds the exact values found so far.
fn perfect(position: &dyn AnyPosition, (alpha, beta): (i32, i32), known: &mut HashMap<String, i32>) -> i32 {
    if let Some(outcome) = position.outcome() {
        return points(outcome.result);
    }
    let fen = position.fen();
    if let Some(&value) = known.get(&fen) {
        return value;
    }
    let sign = 1 - 2 * position.side_to_move().index() as i32;
    let (mut low, mut high) = (alpha, beta);
    let mut best = -sign;
    for &mv in position.legal_moves().iter() {
        let mut next = position.boxed_clone();
        next.play(mv);
        let value = perfect(next.as_ref(), (low, high), known);
        if sign * value > sign * best {
            best = value;
        }
        if sign > 0 {
            low = low.max(best);
        } else {
            high = high.min(best);
        }
        if low >= high {
            break;
        }
    }
    if best > alpha && best < beta || best == sign {
        known.insert(fen, best);
    }
    best
}

fn points(result: GameResult) -> i32 {
    match result {
        GameResult::Win(Side::First) => 1,
        GameResult::Draw => 0,
        GameResult::Win(Side::Second) => -1,
    }
}

/// A bot with this text after `score`.
fn scoring(scene: &Scene, name: &str, score: &str) -> String {
    let go = format!("echo 'info depth 1 {score}'; legal");
    scene.bot(name, Bot::thinking(&go))
}

/// What both bots report, the options, and the expected result, number of moves and
/// sentence; none if the game goes on.
const ROWS: &str = "
    score cp -700 | score cp 10 | --resign movecount=3 score=600
        | 0-1 | 5 | resign rule: the score of a was at most -600 cp for 3 moves in a row
    score cp -599 | score cp 900 | --resign movecount=3 score=600 | | |
    score cp 30'; echo 'info depth 2 score cp -900 upperbound pv a1
        | score cp 0'; echo 'info depth 2 score lowerbound cp 900 | --draw movenumber=1 movecount=2 score=30
        | 1/2-1/2 | 4 | draw rule: both players' scores were within 30 cp of 0 for 2 moves in a row, after 4 plies
    score cp 10 | score loss 8 | --resign movecount=2 score=600
        | 1-0 | 4 | resign rule: the score of b was at most -600 cp for 2 moves in a row
    score cp -700 | score cp 599 | --resign movecount=2 score=600 twosided=true | | |
    score cp -700 | score win 9 | --resign movecount=2 score=600 twosided=true | 0-1 | 5
        | resign rule: the score of a was at most -600 cp for 2 moves in a row, and the score of b was at least 600 cp
    score cp 10 | score draw 0 | --draw movenumber=1 movecount=2 score=10
        | 1/2-1/2 | 4 | draw rule: both players' scores were within 10 cp of 0 for 2 moves in a row, after 4 plies
    score cp 10 | score cp -10 | --draw movenumber=4 movecount=1 score=10
        | 1/2-1/2 | 8 | draw rule: both players' scores were within 10 cp of 0 for 1 move in a row, after 8 plies
    score cp 10 | score cp 11 | --draw movenumber=1 movecount=1 score=10 | | |
    string no score | score cp 0 | --draw movenumber=1 movecount=1 score=10 | | |
";

/// A game of three moves, which the first player wins, and of which the rules say so after two.
#[test]
fn rules_programs_prove_results() {
    let scene = Scene::new();
    let prove = |proven: &str, options: &str| {
        let other = format!("case $line in *proven) {proven} ;; esac");
        let rules = Rules {
            other: &other,
            ..Rules::default()
        };
        scene.script("game", &rules.script());
        scene.referee(&format!(
            "match random random --rules ./game --games 2 --quiet --out games.jsonl {options}"
        ))
    };
    let after_two = "[ $n -ge 2 ] && say p1win || say none";
    prove(after_two, "--prove").exits(0);
    for record in scene.records() {
        assert_eq!(record["reason"], "adjudicated", "{record}");
        assert_eq!(
            (moves(&record).len(), &record["result"]),
            (2, &"1-0".into()),
            "{record}"
        );
        assert_has(
            text(&record, "detail"),
            expect! {"proof rule: by the tables of the game, the position is a win of random"},
        );
    }
    scene.remove("games.jsonl");
    prove(after_two, "--prove result=draw").exits(0);
    for record in scene.records() {
        assert_eq!(
            (moves(&record).len(), &record["reason"]),
            (3, &"rules".into()),
            "{record}"
        );
    }
    scene.remove("games.jsonl");
    let refused = prove(after_two, "--prove empty=5").exits(2);
    refused.says(expect! {"--prove: `empty`, `nodes` and `st` are limits of a solver"});
    let refused = prove(":", "--prove").exits(2);
    refused.says(
        expect! {"--prove needs a solver, or rules that answer `query proven`, and those of game do not"},
    );
    assert!(!scene.path("games.jsonl").exists());
    // A wrong answer is a fault of the rules, and of no player.
    let wrong = prove("[ $n -ge 2 ] && say perhaps || say none", "--prove").exits(5);
    wrong.says(expect! {"answered `query proven` with `response perhaps`; expected `p1win`, `p2win`, `draw` or `none`"});
}

#[test]
fn opening_moves_have_no_scores() {
    let scene = Scene::new();
    let [a, b] = ["a", "b"].map(|name| scoring(&scene, name, "score cp 0"));
    scene.file("book.txt", "startpos moves h1 a1 h2 a2 h3 a3\n");
    let rule = "--openings book.txt --draw movenumber=4 movecount=2 score=10 --out games.jsonl --quiet";
    scene
        .referee(&format!("match {a} {b} --games 2 --each st=5 {rule}"))
        .exits(0);
    for record in scene.records() {
        // Six plies of opening, and two moves of each player.
        assert_eq!(moves(&record).len(), 10, "{record}");
        assert_eq!(record["reason"], "adjudicated");
    }
}

#[test]
fn match_without_these_options_writes_no_new_field() {
    let scene = Scene::new();
    let line =
        "match plain squares --each depth=1 st=60 --games 2 --openings random:4 --out games.jsonl --json";
    scene.referee(line).exits(0);
    let lines = scene.results("games.jsonl");
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(keys(&lines[0]), "engines header schedule seed variant");
    let expected = "detail ended first id moves ms opening_plies pair reason result round score second start \
                    started variant";
    assert_eq!(keys(&lines[1]), expected);
    let report = scene.referee("report games.jsonl --json").exits(0).stdout;
    assert!(
        !report.contains("claims") && !report.contains("adjudicated"),
        "{report}"
    );
}

#[test]
fn a_person_has_no_scores_and_can_win_by_those_of_its_opponent() {
    let scene = Scene::new();
    scoring(&scene, "bot", "score cp -700");
    let line = "match --engine cmd=human name=Ann --engine cmd=./bot st=5 --games 1 --out games.jsonl";
    let rules = "--resign movecount=2 score=600 --draw movenumber=1 movecount=1 score=1000";
    let outcome = scene
        .run_with_input(&format!("{line} {rules}"), "h8\nh7\nh6\n")
        .exits(0);
    let record = &scene.records()[0];
    assert_eq!(
        ["reason", "result"].map(|field| text(record, field)),
        ["adjudicated", "1-0"]
    );
    assert_eq!(moves(record), ["h8", "a1", "h7", "a2"]);
    outcome.shows(expect! {"the score of bot was at most -600 cp"});
}

/// Small proofs of both games, against plain alpha-beta over the rules.
#[test]
fn proven_results_are_right() {
    let (mut adjudicated, mut drawn) = (0, 0);
    for (players, variant, seed, empty) in [
        ("plain squares", "magnetic-cave", 1, 11),
        ("plain lodestone", "magnetic-cave", 2, 11),
        ("plain mobility", "gridlock --pieces 3 --turns 14", 3, 6),
    ] {
        let scene = Scene::new();
        let line = format!("match {players} --variant {variant} --seed {seed} --prove empty={empty}");
        let each = "--each depth=2 st=60 --games 16 --openings random:6 --out games.jsonl --quiet";
        scene.referee(&format!("{line} {each}")).exits(0);
        for record in scene.records() {
            if record["reason"] != "adjudicated" {
                continue;
            }
            let end = end_of(&record);
            assert!(end.outcome().is_none() && end.plies_left() <= empty, "{record}");
            let value = perfect(end.as_ref(), (-1, 1), &mut HashMap::new());
            let result: GameResult = text(&record, "result").parse().unwrap();
            assert_eq!(value, points(result), "{}: {record}", end.fen());
            assert_has(
                text(&record, "detail"),
                format!("at most {} pl", end.plies_left()),
            );
            adjudicated += 1;
            drawn += u32::from(value == 0);
        }
    }
    assert!(adjudicated >= 15 && drawn >= 2, "{adjudicated} {drawn}");
}

#[test]
fn result_selects_which_proofs_end_a_game() {
    let line =
        "match plain squares --each depth=2 st=60 --games 16 --openings random:6 --out games.jsonl --quiet";
    for (results, ends) in [
        ("both", [true, true]),
        ("win", [true, false]),
        ("draw", [false, true]),
    ] {
        let scene = Scene::new();
        scene
            .referee(&format!("{line} --prove empty=12 result={results}"))
            .exits(0);
        let mut records = scene.records();
        records.retain(|record| record["reason"] == "adjudicated");
        let found = [false, true].map(|is_draw| {
            let mut records = records.iter();
            records.any(|record| (record["result"] == "1/2-1/2") == is_draw)
        });
        assert_eq!(found, ends, "{results}");
    }
}

#[test]
fn adjudication_is_reproducible_and_part_of_the_match() {
    let line = "match plain lodestone --each nodes=2000 st=60 --games 8 --openings random:4 --quiet";
    let rules = "--prove empty=30 --resign movecount=4 score=2000";
    let scene = Scene::new();
    let play = |line: &str, options: &str, file: &str| {
        let outcome = scene
            .referee(&format!("{line} {rules} {options} --out {file}"))
            .exits(0);
        (summary(&outcome.stdout), games(&scene, file))
    };
    let alone = play(line, "", "alone.jsonl");
    assert_eq!(play(line, "--concurrency 2", "parallel.jsonl"), alone);
    let shown = line_of(&alone.0, "Adjudicated games: ");
    assert!(shown.ends_with(" of 8") && !shown.starts_with("0 "), "{shown}");
    // A part of the games, then the rest.
    play(&line.replace("--games 8", "--games 4"), "", "resumed.jsonl");
    assert_eq!(play(line, "", "resumed.jsonl").1, alone.1);
    let table = expect![[r#"
        --prove empty=29 --resign movecount=4 score=2000 | prove was
        --prove empty=30 --resign movecount=5 score=2000 | resign was
        --prove empty=30 | resign was
        --prove empty=30 --resign movecount=4 score=2000 --draw movenumber=1 movecount=9 score=0 | --draw was not given
    "#]];
    assert_rows(table, |[other]| {
        scene.refused(&format!("{line} {other} --out alone.jsonl"))
    });
    scene.assert_no_process_left();
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn resign_and_draw_rules_count_as_in_cutechess() {
        for [one, other, options, result, plies, detail] in rows(ROWS) {
            let scene = Scene::new();
            let (a, b) = (scoring(&scene, "a", one), scoring(&scene, "b", other));
            let files = "--out games.jsonl --pgn games.pgn --quiet";
            let outcome = scene.referee(&format!("match {a} {b} --games 1 --each st=2 {options} {files}"));
            let outcome = outcome.exits(0);
            let records = scene.records();
            let record = &records[0];
            if result.is_empty() {
                // The bots have no move any more.
                assert_eq!(record["reason"], "stall", "{options}: {record}");
                assert_lacks(&outcome.stdout, "Adjudicated");
                continue;
            }
            assert_eq!(record["reason"], "adjudicated", "{options}: {record}");
            let end = (text(record, "result"), moves(record).len().to_string());
            assert_eq!(end, (result, plies.to_string()), "{options}");
            assert_eq!(record["detail"], detail);
            let tags = ["[Termination \"adjudication\"]", "[Reason \"adjudicated\"]"];
            assert_has_all(scene.text("games.pgn"), tags);
            // The engine is ready for its next game, and `show` gives the reason.
            assert_eq!(scene.processes("a").len(), 1);
            let shown = joined(&scene.referee("show games.jsonl").exits(0).stdout);
            assert_has_all(shown, [detail, "adjudicated"]);
        }
    }

    /// Proofs with the default limits: both sides play on without a mistake, and the game ends
    /// as adjudicated.
    #[test]
    #[ignore = "long: .ci/run --long"]
    fn games_played_on_end_as_adjudicated() {
        for variant in ["magnetic-cave", "gridlock"] {
            let scene = Scene::new();
            let line = format!("match plain lodestone --variant {variant} --each nodes=3000 st=60 --games 4");
            let prove = "--openings random:4 --prove --out games.jsonl --quiet";
            scene.referee(&format!("{line} {prove}")).exits(0);
            let mut proven = scene.records();
            proven.retain(|record| record["reason"] == "adjudicated");
            assert!(proven.len() >= 3, "{variant}: {}", proven.len());
            let book: String = proven.iter().map(|record| end_of(record).fen() + "\n").collect();
            scene.file("book.txt", &book);
            let games = 2 * proven.len();
            let line =
                format!("match --variant {variant} --games {games} --openings book.txt --out on.jsonl");
            let players =
                "--engine cmd=lodestone --engine cmd=lodestone name=other --each nodes=500000 st=600";
            scene.referee(&format!("{line} {players} --quiet")).exits(0);
            let played_on = scene.results("on.jsonl").split_off(1);
            assert_eq!(played_on.len(), games);
            for (record, on) in proven.iter().flat_map(|record| [record, record]).zip(&played_on) {
                assert_eq!(on["start"], end_of(record).fen());
                assert_ne!(on["reason"], "adjudicated");
                assert_eq!(on["result"], record["result"], "{record}\n{on}");
            }
        }
    }
}
