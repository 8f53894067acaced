//! Matches by UGI, and wrong answers to UGI queries.

use serde_json::{Value, json};

use crate::matches::assert_follows_rules;
use crate::recorded::{line_of, player};
use crate::support::{
    Bot, COLUMN_A, COLUMN_H, Outcome, Scene, assert_has_all, assert_lacks, json_lines, run, zoo,
};

/// Answers all questions about the game of columns a and h.
const HONEST: &str = "case $line:$position in
    *gameover:*a5*) echo response true ;;
    *gameover:*) echo response false ;;
    *result:*) echo response p1win ;;
    *p1turn:*a5*) echo response false ;;
    *p1turn:*) echo response true ;;
    esac";

/// A bot that plays this and speaks UGI.
fn ugi_bot<'a>(query: &'a str, go: &'a str) -> Bot<'a> {
    Bot {
        uci: "echo ugiok",
        query,
        go,
        ..Bot::default()
    }
}

/// Every line of stderr that warns.
fn warnings(outcome: &Outcome) -> Vec<&str> {
    let lines = outcome.stderr.lines();
    lines
        .filter(|line| line.starts_with("referee: warning: "))
        .collect()
}

/// An animal of the zoo plays by UGI against a built-in player.
fn animal(scene: &Scene, name: &str, more: &str) -> Outcome {
    let engine = format!(
        "--engine cmd={} args={name} name={name} proto=ugi",
        zoo().display()
    );
    let line = format!("match {engine} --engine cmd=random --openings random:2 --out games.jsonl");
    let outcome = scene.referee(&format!("{line} --each st=20 {more}")).exits(0);
    scene.records().iter().for_each(assert_follows_rules);
    outcome
}

#[test]
fn ugi_and_uci_engines_play_whole_matches() {
    for (variant, [one, other]) in [
        ("magnetic-cave", ["st=0.02", "tc=0.5+0.01"]),
        ("gridlock", ["tc=40/0.5", "st=0.02"]),
    ] {
        let scene = Scene::new();
        // All their claims are correct.
        let outcome = scene.referee(&format!(
            "match --variant {variant} --engine cmd=lodestone name=ugi proto=ugi {one} \
             --engine cmd=lodestone name=uci {other} --engine cmd=plain proto=ugi nodes=100 \
             --each timemargin=5000 --games 2 --openings random:3 --out games.jsonl"
        ));
        assert_lacks(&outcome.succeeds().stdout, "Answers of");
        let results = scene.results("games.jsonl");
        let proto = [0, 1, 2].map(|engine| results[0]["engines"][engine]["proto"].clone());
        assert_eq!(proto, [json!("ugi"), Value::Null, json!("ugi")]);
        assert_eq!(results.len(), 7);
        results[1..].iter().for_each(assert_follows_rules);
    }
}

#[test]
fn ugi_match_follows_the_documented_dialogue() {
    let scene = Scene::new();
    scene.bot("one", ugi_bot(HONEST, COLUMN_A));
    scene.bot("other", ugi_bot(HONEST, COLUMN_H));
    let players = "--engine cmd=./one st=2.5 --engine cmd=./other tc=40/60+0.5 depth=9 nodes=1000";
    scene
        .referee(&format!("match {players} --each proto=ugi --games 1 --quiet"))
        .succeeds();
    let one = scene.received("one");
    assert_eq!(
        one[..12].join("\n"),
        "ugi
isready
uginewgame
isready
position startpos
query gameover
isready
query p1turn
isready
position startpos
go movetime 2500
position startpos moves a1 h1"
    );
    let other = scene.received("other");
    assert_eq!(
        other[9..11].join("\n"),
        "position startpos moves a1
go p1time 2500 p2time 60000 p1inc 0 p2inc 500 movestogo 40 depth 9 nodes 1000"
    );
    // The loser receives queries, too.
    for received in [one, other] {
        assert_eq!(
            received[received.len() - 8..].join("\n"),
            "position startpos moves a1 h1 a2 h2 a3 h3 a4 h4 a5
query gameover
isready
query result
isready
query p1turn
isready
quit"
        );
    }
}

#[test]
fn wrong_claims_are_reported_and_decide_nothing() {
    for (name, warned, claims) in [
        ("lies-about-the-result", ["result"].as_slice(), 4),
        ("answers-nonsense", &["gameover", "p1turn", "result"], 20),
    ] {
        let scene = Scene::new();
        let outcome = animal(&scene, name, "--games 4");
        let warnings = warnings(&outcome);
        assert_eq!(warnings.len(), warned.len(), "{warnings:?}");
        for (warning, question) in warnings.iter().zip(warned) {
            let sentence = format!("game 1: {name} answers `query {question}` with `");
            assert_has_all(warning, [&sentence, "`; by the rules it is `"]);
        }
        // A liar tells the truth where the second player has won.
        let records = scene.records();
        let truths = records.iter().filter(|record| record["result"] == "0-1").count();
        let wrong = if name == "answers-nonsense" {
            claims
        } else {
            claims - truths
        };
        let count = format!("Answers of {name} that contradict the rules: ");
        assert_eq!(line_of(&outcome.stdout, &count), wrong.to_string());
        assert_lacks(&outcome.stdout, "did not answer");
    }
}

#[test]
fn json_reports_every_claim() {
    let scene = Scene::new();
    let events = json_lines(&animal(&scene, "answers-nonsense", "--games 2 --json").stdout);
    let claims: Vec<&Value> = events.iter().filter(|event| event["event"] == "claim").collect();
    assert_eq!(claims.len(), 10);
    let keys = ["game", "player", "question", "answer", "rules"].map(|key| claims[5][key].clone());
    let expected = json!([2, "answers-nonsense", "gameover", "\\u{1b}[31mwho knows", "false"]);
    assert_eq!(json!(keys), expected);
    assert_eq!(scene.records()[1]["opening_plies"], 2);
    assert!(claims[5]["position"].as_str().unwrap().ends_with(" x"));
    let end = events.last().unwrap();
    assert_eq!(player(end, "answers-nonsense")["wrong_claims"], 10);
    assert_eq!(player(end, "random")["wrong_claims"], Value::Null);

    let scene = Scene::new();
    let outcome = animal(&scene, "answers-no-query", "--games 2 --json");
    let claims = outcome.stdout.matches(r#"{"event":"claim","#).count();
    assert_eq!(claims, 1, "{}", outcome.stdout);
    assert_has_all(
        &outcome.stdout,
        [
            r#""question":"gameover""#,
            r#""answer":null"#,
            r#""unanswered":1"#,
        ],
    );
}

#[test]
fn engine_without_queries_plays_and_is_not_asked_again() {
    const HANGS: &str = "no `readyok` came within 1 s; it is restarted";
    for (name, reasons) in [
        ("answers-no-query", &["`readyok` came without it"][..]),
        ("exits-at-a-query", &["it ended; it is restarted"]),
        ("hangs-at-a-query", &[HANGS]),
        // A busy machine may not read enough within 1 s.
        (
            "floods-at-a-query",
            &["it wrote too much; it is restarted", HANGS],
        ),
    ] {
        let scene = Scene::new();
        let outcome = animal(&scene, name, "--games 4");
        let mut warnings = warnings(&outcome);
        warnings.retain(|line| !line.contains("out of turn"));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        let is_so = |why: &&str| {
            let why = format!("{name} does not answer `query gameover` ({why}) and receives no more queries");
            warnings[0].contains(&why)
        };
        assert!(reasons.iter().any(is_so), "{warnings:?}");
        let count = format!("Questions that {name} did not answer: ");
        assert_eq!(line_of(&outcome.stdout, &count), "1");
        scene.assert_no_process_left();
    }
}

#[test]
fn missing_answer_keeps_the_process() {
    let scene = Scene::new();
    scene.bot("bot", ugi_bot(":", COLUMN_A));
    scene.bot("other", Bot::thinking(COLUMN_H));
    scene
        .referee("match --engine cmd=./bot proto=ugi --engine cmd=./other --games 2 --quiet")
        .exits(0);
    let received = scene.received("bot");
    let questions: Vec<&String> = received.iter().filter(|line| line.starts_with("query")).collect();
    assert_eq!(questions, ["query gameover"]);
    assert_eq!(scene.processes("bot").len(), 1);
}

#[test]
fn parallel_games_report_a_claim_once() {
    for name in ["answers-no-query", "lies-about-the-result"] {
        let outcome = animal(&Scene::new(), name, "--games 8 --concurrency 2");
        let warnings = warnings(&outcome);
        let reported = warnings.iter().filter(|line| line.contains("`query "));
        assert_eq!(reported.count(), 1, "{}", outcome.stderr);
    }
}

/// More than the processes that wait for a game, so each is started again for it.
#[test]
fn fresh_process_of_an_engine_without_queries_is_not_asked() {
    let scene = Scene::new();
    let mut command =
        scene.command("match --format gauntlet --games 2 --concurrency 4 --json --each st=20 proto=ugi");
    command.args(["--engine", "cmd=random"]);
    for number in 0..66 {
        command.args(["--engine", &format!("cmd={}", zoo().display())]);
        command.args(["args=answers-no-query", &format!("name=bot-{number}")]);
    }
    let events = json_lines(&run(&mut command, "").exits(0).stdout);
    let end = events.last().unwrap();
    for number in 0..66 {
        assert_eq!(
            player(end, &format!("bot-{number}"))["unanswered"],
            1,
            "bot-{number}"
        );
    }
}

#[test]
fn second_answer_is_unsolicited() {
    let outcome = animal(&Scene::new(), "answers-questions-twice", "--games 2");
    let lines = line_of(
        &outcome.stdout,
        "Lines that answers-questions-twice wrote out of turn: ",
    );
    assert_eq!(lines, "10");
    assert_lacks(&outcome.stdout, "Answers of");
}

#[test]
fn transcript_contains_queries_and_correct_answers() {
    let scene = Scene::new();
    scene.bot("bot", ugi_bot("echo response perhaps", "exit 3"));
    let line = "match --engine cmd=./bot proto=ugi --engine cmd=random --games 1 --out games.jsonl";
    scene.referee(line).exits(0);
    assert_eq!(scene.records()[0]["reason"], "crash");
    let claim =
        "the engine answers `query gameover` with `perhaps`; by the rules it is `false`: 8/8/8/8/8/8/8/8 x";
    let text = scene.text("games.faults/game-000001-bot-crash.txt");
    assert_has_all(text, ["query gameover", "response perhaps", claim]);
}

#[test]
fn handshake_in_the_other_protocol_is_explained() {
    let scene = Scene::new();
    let cmd = format!("--engine cmd={}", zoo().display());
    let players = format!("{cmd} args=greets-in-uci name=other {cmd} args=never-greets name=mute");
    let line = format!("match {players} --each proto=ugi starttime=1 --concurrency 2");
    let outcome = scene.referee(&line).exits(3);
    outcome.says("other gave no `ugiok` within 1.000 s; it has written `uciok`: does it want `proto=uci`?");
    outcome
        .says("mute gave no `ugiok` within 1.000 s; it has written nothing at all: does it speak UGI, and");
}

#[test]
fn configuration_file_keeps_the_protocol() {
    let scene = Scene::new();
    let line = "match --engine cmd=random --engine cmd=plain proto=uci --each proto=ugi nodes=50 \
        --games 1 --quiet --save-config match.toml --out games.jsonl";
    scene.referee(line).exits(0);
    assert_has_all(scene.text("match.toml"), ["proto = \"ugi\"", "proto = \"uci\""]);
    scene.referee("match --config match.toml").exits(0);
    let engines = &scene.results("games.jsonl")[0]["engines"];
    assert_eq!(
        [&engines[0]["proto"], &engines[1]["proto"]],
        [&json!("ugi"), &Value::Null]
    );
}
