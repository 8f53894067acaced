//! Games that end before their end: `--draw`, `--resign`, `--prove`; and `--check-claims`.

use lodestone::board::Side;
use lodestone::game::{AnyPosition, GameResult, Variant};
use serde_json::Value;
use std::collections::HashMap;

use crate::recorded::{games, line_of, summary};
use crate::support::{Bot, Outcome, Scene, assert_has_all, rows};

/// Runs a match that must end with status 0.
fn played(scene: &Scene, line: &str) -> Outcome {
    let outcome = scene.referee(line).exits(0);
    outcome
}

/// The position after all moves of a record.
fn end_of(record: &Value) -> Box<dyn AnyPosition> {
    let variant = Variant::from_name(record["variant"].as_str().unwrap()).unwrap();
    let mut position = variant.parse_fen(record["start"].as_str().unwrap()).unwrap();
    for mv in record["moves"].as_array().unwrap() {
        let mv = position.parse_move(mv.as_str().unwrap()).unwrap();
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
    let sign = if position.side_to_move() == Side::First {
        1
    } else {
        -1
    };
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

fn result_of(record: &Value) -> GameResult {
    record["result"].as_str().unwrap().parse().unwrap()
}

/// A bot with this text after `score`.
fn scoring(scene: &Scene, name: &str, score: &str) -> String {
    let go = format!("echo 'info depth 1 {score}'; legal");
    scene.bot(name, Bot::thinking(&go))
}

/// What both bots report, the options, and the expected result, number of moves and
/// sentence; `None` if the game goes on.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    Option<(&'static str, usize, &'static str)>,
);

const ROWS: [Row; 10] = [
    (
        "score cp -700",
        "score cp 10",
        "--resign movecount=3 score=600",
        Some((
            "0-1",
            5,
            "resign rule: the score of a was at most -600 cp for 3 moves in a row",
        )),
    ),
    (
        "score cp -599",
        "score cp 900",
        "--resign movecount=3 score=600",
        None,
    ),
    (
        "score cp 30'; echo 'info depth 2 score cp -900 upperbound pv a1",
        "score cp 0'; echo 'info depth 2 score lowerbound cp 900",
        "--draw movenumber=1 movecount=2 score=30",
        Some((
            "1/2-1/2",
            4,
            "draw rule: both players' scores were within 30 cp of 0 for 2 moves in a row, after 4 plies",
        )),
    ),
    (
        "score cp 10",
        "score loss 8",
        "--resign movecount=2 score=600",
        Some((
            "1-0",
            4,
            "resign rule: the score of b was at most -600 cp for 2 moves in a row",
        )),
    ),
    (
        "score cp -700",
        "score cp 599",
        "--resign movecount=2 score=600 twosided=true",
        None,
    ),
    (
        "score cp -700",
        "score win 9",
        "--resign movecount=2 score=600 twosided=true",
        Some((
            "0-1",
            5,
            "resign rule: the score of a was at most -600 cp for 2 moves in a row, and the score of b was at \
             least 600 cp",
        )),
    ),
    (
        "score cp 10",
        "score draw 0",
        "--draw movenumber=1 movecount=2 score=10",
        Some((
            "1/2-1/2",
            4,
            "draw rule: both players' scores were within 10 cp of 0 for 2 moves in a row, after 4 plies",
        )),
    ),
    (
        "score cp 10",
        "score cp -10",
        "--draw movenumber=4 movecount=1 score=10",
        Some((
            "1/2-1/2",
            8,
            "draw rule: both players' scores were within 10 cp of 0 for 1 move in a row, after 8 plies",
        )),
    ),
    (
        "score cp 10",
        "score cp 11",
        "--draw movenumber=1 movecount=1 score=10",
        None,
    ),
    (
        "string no score",
        "score cp 0",
        "--draw movenumber=1 movecount=1 score=10",
        None,
    ),
];

#[test]
fn resign_and_draw_rules_count_as_in_cutechess() {
    for (one, other, options, expected) in ROWS {
        let scene = Scene::new();
        let (a, b) = (scoring(&scene, "a", one), scoring(&scene, "b", other));
        let outcome = played(
            &scene,
            &format!(
                "match {a} {b} --games 1 --each st=2 {options} --out games.jsonl --pgn games.pgn --quiet"
            ),
        );
        let records = scene.records();
        let record = &records[0];
        let Some((result, plies, detail)) = expected else {
            // The bots have no move any more.
            assert_eq!(record["reason"], "stall", "{options}: {record}");
            assert!(!outcome.stdout.contains("Adjudicated"), "{}", outcome.stdout);
            continue;
        };
        assert_eq!(record["reason"], "adjudicated", "{options}: {record}");
        assert_eq!(record["result"], result, "{options}");
        assert_eq!(record["moves"].as_array().unwrap().len(), plies, "{options}");
        assert_eq!(record["detail"], detail);
        let pgn = scene.text("games.pgn");
        assert_has_all(
            &pgn,
            ["[Termination \"adjudication\"]", "[Reason \"adjudicated\"]"],
        );
        // The engine is ready for its next game, and `show` gives the reason.
        assert_eq!(scene.processes("a").len(), 1);
        let shown = played(&scene, "show games.jsonl").stdout;
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(detail) && shown.contains("adjudicated"), "{shown}");
    }
}

#[test]
fn opening_moves_have_no_scores() {
    let scene = Scene::new();
    let (a, b) = (
        scoring(&scene, "a", "score cp 0"),
        scoring(&scene, "b", "score cp 0"),
    );
    scene.file("book.txt", "startpos moves h1 a1 h2 a2 h3 a3\n");
    played(
        &scene,
        &format!(
            "match {a} {b} --games 2 --each st=5 --openings book.txt --draw movenumber=4 movecount=2 score=10 \
             --out games.jsonl --quiet"
        ),
    );
    for record in scene.records() {
        // Six plies of opening, and two moves of each player.
        assert_eq!(record["moves"].as_array().unwrap().len(), 10, "{record}");
        assert_eq!(record["reason"], "adjudicated");
    }
}

#[test]
fn match_without_these_options_writes_no_new_field() {
    let scene = Scene::new();
    played(
        &scene,
        "match plain squares --each depth=1 st=60 --games 2 --openings random:4 --out games.jsonl --json",
    );
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
    let report = played(&scene, "report games.jsonl --json").stdout;
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
        (&record["reason"], &record["result"]),
        (&"adjudicated".into(), &"1-0".into())
    );
    assert_eq!(record["moves"], serde_json::json!(["h8", "a1", "h7", "a2"]));
    outcome.shows("the score of bot was at most -600 cp");
}

/// Small proofs of both games, against plain alpha-beta over the rules.
#[test]
fn proven_results_are_right() {
    let (mut adjudicated, mut drawn) = (0, 0);
    for (players, variant, seed) in [
        ("plain squares", "magnetic-cave", 1),
        ("plain lodestone", "magnetic-cave", 2),
        ("plain mobility", "gridlock --pieces 3 --turns 14", 3),
    ] {
        let scene = Scene::new();
        let empty = if variant.starts_with("gridlock") { 6 } else { 11 };
        played(
            &scene,
            &format!(
                "match {players} --variant {variant} --each depth=2 st=60 --games 16 --openings random:6 --seed {seed} \
                 --prove empty={empty} --out games.jsonl --quiet"
            ),
        );
        for record in scene.records() {
            if record["reason"] != "adjudicated" {
                continue;
            }
            let end = end_of(&record);
            assert!(end.outcome().is_none() && end.plies_left() <= empty, "{record}");
            let value = perfect(end.as_ref(), (-1, 1), &mut HashMap::new());
            assert_eq!(value, points(result_of(&record)), "{}: {record}", end.fen());
            let plies = format!("at most {} pl", end.plies_left());
            assert!(record["detail"].as_str().unwrap().contains(&plies), "{record}");
            adjudicated += 1;
            drawn += u32::from(value == 0);
        }
    }
    assert!(adjudicated >= 15 && drawn >= 2, "{adjudicated} {drawn}");
}

/// Proofs with the default limits: both sides play on without a mistake, and the game ends
/// as adjudicated.
#[test]
fn games_played_on_end_as_adjudicated() {
    for variant in ["magnetic-cave", "gridlock"] {
        let scene = Scene::new();
        played(
            &scene,
            &format!(
                "match plain lodestone --variant {variant} --each nodes=3000 st=60 --games 4 --openings random:4 \
                 --prove --out games.jsonl --quiet"
            ),
        );
        let proven: Vec<Value> = scene
            .records()
            .into_iter()
            .filter(|record| record["reason"] == "adjudicated")
            .collect();
        assert!(proven.len() >= 3, "{variant}: {}", proven.len());
        let book: Vec<String> = proven.iter().map(|record| end_of(record).fen() + "\n").collect();
        scene.file("book.txt", &book.concat());
        let games = 2 * proven.len();
        played(
            &scene,
            &format!(
                "match --variant {variant} --engine cmd=lodestone --engine cmd=lodestone name=other \
                 --each nodes=500000 st=600 --games {games} --openings book.txt --out on.jsonl --quiet"
            ),
        );
        let played_on = scene.results("on.jsonl").split_off(1);
        assert_eq!(played_on.len(), games);
        for (record, on) in proven.iter().flat_map(|record| [record, record]).zip(&played_on) {
            assert_eq!(on["start"], end_of(record).fen());
            assert_ne!(on["reason"], "adjudicated");
            assert_eq!(on["result"], record["result"], "{record}\n{on}");
        }
    }
}

#[test]
fn result_selects_which_proofs_end_a_game() {
    let line =
        "match plain squares --each depth=2 st=60 --games 16 --openings random:6 --out games.jsonl --quiet";
    let mut counts = HashMap::new();
    for results in ["both", "win", "draw"] {
        let scene = Scene::new();
        played(&scene, &format!("{line} --prove empty=12 result={results}"));
        for record in scene.records() {
            let is_draw = record["result"] == "1/2-1/2";
            let is_adjudicated = record["reason"] == "adjudicated";
            if is_adjudicated && results != "both" {
                assert_eq!(is_draw, results == "draw", "{results}: {record}");
            }
            *counts.entry((results, is_draw)).or_insert(0) += u32::from(is_adjudicated);
        }
    }
    let count = |results, is_draw| counts[&(results, is_draw)];
    assert!(count("both", false) > 0 && count("win", false) > 0, "{counts:?}");
    assert!(count("both", true) > 0 && count("draw", true) > 0, "{counts:?}");
}

#[test]
fn adjudication_is_reproducible_and_part_of_the_match() {
    let line = "match plain lodestone --each nodes=2000 st=60 --games 8 --openings random:4 --quiet";
    let rules = "--prove empty=30 --resign movecount=4 score=2000";
    let scene = Scene::new();
    let alone = played(&scene, &format!("{line} {rules} --out alone.jsonl"));
    let parallel = played(
        &scene,
        &format!("{line} {rules} --concurrency 2 --out parallel.jsonl"),
    );
    assert_eq!(summary(&alone.stdout), summary(&parallel.stdout));
    assert_eq!(games(&scene, "alone.jsonl"), games(&scene, "parallel.jsonl"));
    let shown = line_of(&alone.stdout, "Adjudicated games: ");
    assert!(shown.ends_with(" of 8") && !shown.starts_with("0 "), "{shown}");
    // Checking claims changes no game.
    played(
        &scene,
        &format!("{line} {rules} --check-claims --out checked.jsonl"),
    );
    let mut checked = games(&scene, "checked.jsonl");
    for record in checked.values_mut() {
        let record = record.as_object_mut().unwrap();
        assert!(record.remove("claims").is_some() && record.remove("illegal_lines").is_some());
    }
    assert_eq!(games(&scene, "alone.jsonl"), checked);
    // A part of the games, then the rest.
    let part = line.replace("--games 8", "--games 4");
    played(&scene, &format!("{part} {rules} --out resumed.jsonl"));
    played(&scene, &format!("{line} {rules} --out resumed.jsonl"));
    assert_eq!(games(&scene, "alone.jsonl"), games(&scene, "resumed.jsonl"));
    for [other, message] in rows("
        --prove empty=29 --resign movecount=4 score=2000 | prove was
        --prove empty=30 --resign movecount=5 score=2000 | resign was
        --prove empty=30 | resign was
        --prove empty=30 --resign movecount=4 score=2000 --draw movenumber=1 movecount=9 score=0 | draw was not given
    ") {
        scene.assert_refused(&format!("{line} {other} --out alone.jsonl"), message);
    }
    scene.assert_no_process_left();
}

#[test]
fn wrong_words_are_refused() {
    let scene = Scene::new();
    for [options, message] in rows(
        "
        --draw movenumber=1 score=1 | `movecount` is missing
        --resign movecount=1 score=x | `score=x`: expected a whole number of at least 1
        --prove emtpy=3 | unknown key `emtpy`; did you mean `empty`?
        --prove st=0 | `st=0`: expected seconds
    ",
    ) {
        scene.assert_refused(&format!("match plain squares {options}"), message);
    }
}

#[test]
fn wrong_claims_are_counted() {
    let scene = Scene::new();
    // Claims a win with its first move, and shows a line with a move that hangs in the air.
    let liar = scene.bot(
        "liar",
        Bot::thinking(
            "case $thinks in 1) echo 'info depth 1 score win 5 pv a1 d4' ;; *) echo 'info depth 1 score cp 0' ;; esac; legal",
        ),
    );
    let outcome = played(
        &scene,
        &format!(
            "match {liar} lodestone --each nodes=3000 st=60 --games 4 --openings random:4 --check-claims \
             --out games.jsonl --quiet"
        ),
    );
    let warnings: Vec<&str> = outcome
        .stderr
        .lines()
        .filter(|line| line.contains("liar"))
        .collect();
    assert_eq!(
        warnings,
        ["referee: warning: game 1: liar showed a line with the illegal move `d4` at move 5"]
    );
    let claims = line_of(&outcome.stdout, "Claims of liar: ");
    assert_eq!(
        claims,
        "0 right, 4 wrong, 0 unverified; 4 lines of play with an illegal move"
    );
    let honest = line_of(&outcome.stdout, "Claims of lodestone: ");
    assert!(
        honest.ends_with(" right, 0 wrong, 0 unverified") && !honest.starts_with("0 "),
        "{honest}"
    );
    // With `--strict`, the first wrong claim ends the match.
    let strict = scene.referee(&format!(
        "match {liar} lodestone --each nodes=3000 st=60 --games 4 --openings random:4 --check-claims --strict --quiet"
    ));
    assert_ne!(strict.status, Some(0));
    strict.says("--strict: game 1: liar showed a line");
    // A report computes the same from the file.
    let report = played(&scene, "report games.jsonl --json").stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    let of = |name: &str| {
        let players = report["players"].as_array().unwrap().iter();
        let mut players = players.filter(|player| player["name"] == name);
        players.next().unwrap()["claims"].clone()
    };
    assert_eq!(
        of("liar"),
        serde_json::json!({"right": 0, "wrong": 4, "unverified": 0, "illegal_lines": 4})
    );
    assert_eq!(
        (&of("lodestone")["wrong"], &of("lodestone")["illegal_lines"]),
        (&0.into(), &0.into())
    );
    for record in scene.records() {
        let first_move = if record["first"] == "liar" { 5 } else { 6 };
        assert_eq!(
            record["illegal_lines"],
            serde_json::json!([first_move]),
            "{record}"
        );
        let claims = record["claims"].as_array().unwrap();
        assert_eq!(claims.len(), record["score"].as_array().unwrap().len());
        for (claim, score) in claims.iter().zip(record["score"].as_array().unwrap()) {
            let is_claim = score.as_str().is_some_and(|score| !score.starts_with("cp"));
            assert_eq!(!claim.is_null(), is_claim, "{record}");
        }
    }
}

#[test]
fn solver_decides_on_claims_whatever_the_game_becomes() {
    // The side to move wins at once at e8, but the bots play elsewhere.
    for [said, verdict] in rows(
        "
        score win 1 | right
        score loss 4 | wrong
        score draw 0 | wrong
    ",
    ) {
        let scene = Scene::new();
        let go = format!(
            "case $thinks in 1) echo 'info depth 1 {said}' ;; *) echo 'info depth 1 score cp 0' ;; esac; legal"
        );
        let claimant = scene.bot("claimant", Bot::thinking(&go));
        let other = scoring(&scene, "other", "score cp 0");
        scene.file("book.txt", "xxxx4/oooo4/8/8/8/8/8/8 x\n");
        let outcome = played(
            &scene,
            &format!(
                "match {claimant} {other} --each st=5 --games 1 --openings book.txt --check-claims \
                 --out games.jsonl --quiet"
            ),
        );
        let record = &scene.records()[0];
        assert_ne!(record["moves"][0], "e8");
        assert_eq!(record["claims"][0], verdict, "{said}: {record}");
        assert!(
            record["claims"].as_array().unwrap()[1..]
                .iter()
                .all(Value::is_null)
        );
        let shown = format!(
            "claimant claimed `{}` wrongly at move 1: ",
            said.replace("score ", "")
        );
        assert_eq!(
            outcome.stderr.contains(&shown),
            verdict == "wrong",
            "{}",
            outcome.stderr
        );
    }
}
