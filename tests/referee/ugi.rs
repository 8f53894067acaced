//! Matches by UGI, and wrong answers to UGI queries.

use serde_json::Value;

use crate::matches::assert_follows_rules;
use crate::recorded::line_of;
use crate::support::{Bot, Outcome, Scene, assert_has_all, zoo};

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
    let warnings = outcome
        .stderr
        .lines()
        .filter(|line| line.starts_with("referee: warning: "));
    warnings.collect()
}

/// An animal of the zoo plays by UGI against a built-in player.
fn animal(scene: &Scene, name: &str, more: &str) -> Outcome {
    let zoo = zoo();
    let outcome = scene
        .referee(&format!(
            "match --engine cmd={} args={name} name={name} proto=ugi --engine cmd=random \
         --openings random:2 --out games.jsonl --each st=20 {more}",
            zoo.display()
        ))
        .exits(0);
    scene.records().iter().for_each(assert_follows_rules);
    outcome
}

#[test]
fn ugi_and_uci_engines_play_whole_matches() {
    for (variant, times) in [
        ("magnetic-cave", ["st=0.02", "tc=0.5+0.01"]),
        ("gridlock", ["tc=40/0.5", "st=0.02"]),
    ] {
        let scene = Scene::new();
        let [one, other] = times;
        let outcome = scene.referee(&format!(
            "match --variant {variant} --engine cmd=lodestone name=ugi proto=ugi {one} \
             --engine cmd=lodestone name=uci {other} --engine cmd=plain proto=ugi nodes=100 \
             --each timemargin=5000 --games 2 --openings random:3 --out games.jsonl"
        ));
        // All their claims are correct.
        assert_eq!(
            (outcome.status, outcome.stderr.as_str()),
            (Some(0), ""),
            "{variant}"
        );
        assert!(!outcome.stdout.contains("Answers of"), "{}", outcome.stdout);
        let results = scene.results("games.jsonl");
        let proto = |engine: usize| &results[0]["engines"][engine]["proto"];
        assert_eq!(
            [proto(0), proto(1), proto(2)],
            [&"ugi".into(), &Value::Null, &"ugi".into()]
        );
        assert_eq!(results.len(), 7);
        results[1..].iter().for_each(assert_follows_rules);
    }
}

#[test]
fn ugi_match_follows_the_documented_dialogue() {
    let scene = Scene::new();
    let one = scene.bot("one", ugi_bot(HONEST, "echo bestmove a$thinks"));
    let other = scene.bot("other", ugi_bot(HONEST, "echo bestmove h$thinks"));
    scene
        .referee(&format!(
            "match --engine cmd={one} st=2.5 --engine cmd={other} tc=40/60+0.5 depth=9 nodes=1000 \
         --each proto=ugi --games 1 --quiet"
        ))
        .succeeds();
    let received = scene.received("one");
    let last = "position startpos moves a1 h1 a2 h2 a3 h3 a4 h4 a5";
    assert_eq!(
        received[..12],
        [
            "ugi",
            "isready",
            "uginewgame",
            "isready",
            "position startpos",
            "query gameover",
            "isready",
            "query p1turn",
            "isready",
            "position startpos",
            "go movetime 2500",
            "position startpos moves a1 h1",
        ]
    );
    let end = [
        last,
        "query gameover",
        "isready",
        "query result",
        "isready",
        "query p1turn",
        "isready",
        "quit",
    ];
    assert_eq!(received[received.len() - 8..], end);
    let received = scene.received("other");
    assert_eq!(
        received[9..11],
        [
            "position startpos moves a1",
            "go p1time 2500 p2time 60000 p1inc 0 p2inc 500 movestogo 40 depth 9 nodes 1000",
        ]
    );
    assert_eq!(
        received[received.len() - 8..],
        end,
        "the loser receives queries, too"
    );
}

#[test]
fn wrong_claims_are_reported_and_decide_nothing() {
    for (name, warned, wrong) in [
        ("lies-about-the-result", ["result"].as_slice(), 4),
        ("answers-nonsense", &["gameover", "p1turn", "result"], 20),
    ] {
        let scene = Scene::new();
        let outcome = animal(&scene, name, "--games 4");
        let warnings = warnings(&outcome);
        assert_eq!(warnings.len(), warned.len(), "{warnings:?}");
        for (warning, question) in warnings.iter().zip(warned) {
            let sentence = format!("game 1: {name} answers `query {question}` with `");
            assert!(
                warning.contains(&sentence) && warning.contains("`; by the rules it is `"),
                "{warning}"
            );
        }
        // It tells the truth where the second player has won.
        let truths = scene
            .records()
            .iter()
            .filter(|record| record["result"] == "0-1")
            .count();
        let wrong = if name == "answers-nonsense" {
            wrong
        } else {
            wrong - truths
        };
        let count = line_of(
            &outcome.stdout,
            &format!("Answers of {name} that contradict the rules: "),
        );
        assert_eq!(count, wrong.to_string());
        assert!(!outcome.stdout.contains("did not answer"), "{}", outcome.stdout);
    }
}

#[test]
fn json_reports_every_claim() {
    let scene = Scene::new();
    let outcome = animal(&scene, "answers-nonsense", "--games 2 --json");
    let events: Vec<Value> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let claims: Vec<&Value> = events.iter().filter(|event| event["event"] == "claim").collect();
    assert_eq!(claims.len(), 10);
    let keys = ["game", "player", "question", "answer", "rules"].map(|key| &claims[5][key]);
    let expected: [Value; 5] = [
        2.into(),
        "answers-nonsense".into(),
        "gameover".into(),
        "\\u{1b}[31mwho knows".into(),
        "false".into(),
    ];
    assert_eq!(keys, expected.each_ref());
    let opening = &scene.records()[1];
    assert_eq!(opening["opening_plies"], 2);
    assert!(claims[5]["position"].as_str().unwrap().ends_with(" x"));

    let end = events.last().unwrap();
    let player = |name: &str| {
        let players = end["players"].as_array().unwrap();
        players
            .iter()
            .find(|player| player["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(player("answers-nonsense")["wrong_claims"], 10);
    assert_eq!(player("random")["wrong_claims"], Value::Null);

    let scene = Scene::new();
    let outcome = animal(&scene, "answers-no-query", "--games 2 --json");
    let claims = outcome.stdout.matches(r#"{"event":"claim","#).count();
    assert_eq!(claims, 1, "{}", outcome.stdout);
    assert!(outcome.stdout.contains(r#""question":"gameover""#));
    assert!(outcome.stdout.contains(r#""answer":null"#), "{}", outcome.stdout);
    assert!(outcome.stdout.contains(r#""unanswered":1"#), "{}", outcome.stdout);
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
        let warnings = warnings(&outcome);
        let reported: Vec<_> = warnings
            .iter()
            .filter(|line| !line.contains("out of turn"))
            .collect();
        assert_eq!(reported.len(), 1, "{warnings:?}");
        let is_so = |why: &&str| {
            let sentence =
                format!("{name} does not answer `query gameover` ({why}) and receives no more queries");
            reported[0].contains(&sentence)
        };
        assert!(reasons.iter().any(is_so), "{warnings:?}");
        let count = line_of(
            &outcome.stdout,
            &format!("Questions that {name} did not answer: "),
        );
        assert_eq!(count, "1");
        scene.assert_no_process_left();
    }
}

#[test]
fn missing_answer_keeps_the_process() {
    let scene = Scene::new();
    let bot = scene.bot("bot", ugi_bot(":", "echo bestmove a$thinks"));
    let other = scene.bot("other", Bot::thinking("echo bestmove h$thinks"));
    scene
        .referee(&format!(
            "match --engine cmd={bot} proto=ugi --engine cmd={other} --games 2 --quiet"
        ))
        .exits(0);
    let received = scene.received("bot");
    let questions: Vec<&String> = received.iter().filter(|line| line.starts_with("query")).collect();
    assert_eq!(questions, ["query gameover"]);
    assert_eq!(scene.processes("bot").len(), 1);
}

#[test]
fn parallel_games_report_a_claim_once() {
    for name in ["answers-no-query", "lies-about-the-result"] {
        let scene = Scene::new();
        let outcome = animal(&scene, name, "--games 8 --concurrency 2");
        let reported = warnings(&outcome)
            .iter()
            .filter(|line| line.contains("`query "))
            .count();
        assert_eq!(reported, 1, "{}", outcome.stderr);
    }
}

#[test]
fn fresh_process_of_an_engine_without_queries_is_not_asked() {
    let scene = Scene::new();
    let outcome = animal(&scene, "answers-no-query", "restart=on --games 4");
    let count = line_of(
        &outcome.stdout,
        "Questions that answers-no-query did not answer: ",
    );
    assert_eq!(count, "1");
}

#[test]
fn second_answer_is_unsolicited() {
    let scene = Scene::new();
    let outcome = animal(&scene, "answers-questions-twice", "--games 2");
    let lines = line_of(
        &outcome.stdout,
        "Lines that answers-questions-twice wrote out of turn: ",
    );
    assert_eq!(lines, "10");
    assert!(!outcome.stdout.contains("Answers of"), "{}", outcome.stdout);
}

#[test]
fn transcript_contains_queries_and_correct_answers() {
    let scene = Scene::new();
    let bot = scene.bot("bot", ugi_bot("echo response perhaps", "exit 3"));
    scene
        .referee(&format!(
            "match --engine cmd={bot} proto=ugi --engine cmd=random --games 1 --out games.jsonl"
        ))
        .exits(0);
    assert_eq!(scene.records()[0]["reason"], "crash");
    let path = scene.path("games.faults/game-000001-bot-crash.txt");
    let text = std::fs::read_to_string(path).unwrap();
    assert_has_all(
        &text,
        [
            "query gameover",
            "response perhaps",
            "the engine answers `query gameover` with `perhaps`; by the rules it is `false`: 8/8/8/8/8/8/8/8 x",
        ],
    );
}

#[test]
fn handshake_in_the_other_protocol_is_explained() {
    let scene = Scene::new();
    let zoo = zoo();
    let zoo = zoo.display();
    let outcome = scene.referee(&format!(
        "match --engine cmd={zoo} args=greets-in-uci name=other --engine cmd={zoo} args=never-greets name=mute \
         --each proto=ugi --concurrency 2"
    )).exits(3);
    assert_has_all(
        &outcome.stderr,
        [
            "other gave no `ugiok` within 10.000 s; it has written `uciok`: does it want `proto=uci`?",
            "mute gave no `ugiok` within 10.000 s; it has written nothing at all: does it speak UGI, and",
        ],
    );
}

#[test]
fn configuration_file_keeps_the_protocol() {
    let scene = Scene::new();
    let line = "match --engine cmd=random --engine cmd=plain proto=uci --each proto=ugi nodes=50 \
        --games 1 --quiet --save-config match.toml --out games.jsonl";
    scene.referee(line).exits(0);
    let saved = scene.text("match.toml");
    assert!(
        saved.contains("proto = \"ugi\"") && saved.contains("proto = \"uci\""),
        "{saved}"
    );
    scene.referee("match --config match.toml").exits(0);
    let engines = &scene.results("games.jsonl")[0]["engines"];
    assert_eq!(
        [&engines[0]["proto"], &engines[1]["proto"]],
        [&"ugi".into(), &Value::Null]
    );
}
