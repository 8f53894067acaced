//! `--ponder`: engines that think in the opponent's time.

use serde_json::{Value, json};

use crate::driver::Driver;
use crate::recorded::{assert_complete, games};
use crate::support::{Bot, Outcome, Scene, rows};

/// A bot that offers to ponder. It plays the cells of column a from below, and expects its
/// opponent to play those of column h. Each field is the shell code for one command.
struct PonderingBot<'a> {
    /// Its reply to `go ponder`.
    ponder: &'a str,
    go: &'a str,
    hit: &'a str,
    stop: &'a str,
    /// The reply that it expects; `$h` is the next cell of column h.
    expected: &'a str,
}

impl Default for PonderingBot<'_> {
    fn default() -> Self {
        PonderingBot {
            ponder: ":",
            go: "answer",
            hit: "answer",
            stop: "answer",
            expected: "h$h",
        }
    }
}

impl PonderingBot<'_> {
    fn write(&self, scene: &Scene, name: &str) -> String {
        let PonderingBot {
            ponder,
            go,
            hit,
            stop,
            expected,
        } = self;
        scene.script(
            name,
            &format!(
                r#"#!/bin/sh
echo $$ >> "$0.pids"
answer() {{
    a=1; h=1
    for word in $position; do
        case $word in
            a?) a=$((a + 1)) ;;
            h?) h=$((h + 1)) ;;
        esac
    done
    echo "info depth 1 score cp $a"
    echo "bestmove a$a ponder {expected}"
}}
while read -r line; do
    printf "%s\\n" "$line" >> "$0.received"
    case $line in
        uci) echo "option name Ponder type check default false"; echo uciok ;;
        isready) echo readyok ;;
        position*) position=$line ;;
        "go ponder"*) {ponder} ;;
        go*) {go} ;;
        ponderhit) {hit} ;;
        stop) {stop} ;;
        quit) exit 0 ;;
    esac
done
"#
            ),
        )
    }
}

/// A bot that plays the cells of column h, after this shell code.
fn opponent(scene: &Scene, before: &str) -> String {
    scene.bot(
        "other",
        Bot::thinking(&format!("{before} echo bestmove h$thinks")),
    )
}

fn play(scene: &Scene, engines: &str, options: &str) -> Outcome {
    let line = format!("match {engines} --ponder --games 1 --quiet --out games.jsonl {options}");
    let outcome = scene.referee(&line).exits(0);
    scene.assert_no_bot_left();
    outcome
}

/// The counts of `bot` and of `other` in the report of the match.
fn hits_in_report(scene: &Scene) -> [Value; 2] {
    let report = scene.referee("report games.jsonl --json");
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    let players = report["players"].as_array().unwrap();
    ["bot", "other"].map(|name| {
        let player = players.iter().find(|player| player["name"] == name);
        player.unwrap()["ponder"].clone()
    })
}

fn fault_of(record: &Value) -> [&str; 3] {
    ["reason", "result", "detail"].map(|field| record[field].as_str().unwrap())
}

#[test]
fn the_dialogue_of_hits() {
    let scene = Scene::new();
    let bot = PonderingBot::default().write(&scene, "bot");
    let other = opponent(&scene, "");
    play(&scene, &format!("{bot} {other}"), "--each st=60");
    assert_eq!(
        scene.received("bot"),
        [
            "uci",
            "setoption name Ponder value true",
            "isready",
            "ucinewgame",
            "isready",
            "position startpos",
            "go movetime 60000",
            "position startpos moves a1 h1",
            "go ponder movetime 60000",
            "ponderhit",
            "position startpos moves a1 h1 a2 h2",
            "go ponder movetime 60000",
            "ponderhit",
            "position startpos moves a1 h1 a2 h2 a3 h3",
            "go ponder movetime 60000",
            "ponderhit",
            "position startpos moves a1 h1 a2 h2 a3 h3 a4 h4",
            "go ponder movetime 60000",
            "ponderhit",
            "quit",
        ]
    );
    let record = &scene.records()[0];
    assert_eq!(fault_of(record)[..2], ["five", "1-0"]);
    // The score of a line that came after `ponderhit`.
    assert_eq!(record["score"][2], "cp 2");
    assert_eq!(
        record["ponder"],
        json!([null, null, "hit", null, "hit", null, "hit", null, "hit"])
    );
    assert_eq!(
        hits_in_report(&scene),
        [json!({"hits": 4, "misses": 0}), Value::Null]
    );
    let table = scene.referee("report games.jsonl");
    assert!(
        table.stdout.contains("Ponder hits of bot: 4 of 4 (100.0 %)\n")
            && !table.stdout.contains("Ponder hits of other"),
        "{}",
        table.stdout
    );
    let csv = scene.referee("report games.jsonl --csv").stdout;
    let ends = csv
        .lines()
        .map(|line| line.split(',').skip(20).collect::<Vec<_>>());
    assert!(
        ends.eq([["ponder_hits", "ponder_misses"], ["4", "0"], ["", ""]]),
        "{csv}"
    );
    let said = scene.received("other");
    assert!(
        !said.iter().any(|line| line.contains("onder") || line == "stop"),
        "{said:?}"
    );
    assert_eq!(scene.results("games.jsonl")[0]["ponder"], true);
}

#[test]
fn the_dialogue_of_misses() {
    let scene = Scene::new();
    let bot = PonderingBot {
        expected: "h8",
        ..PonderingBot::default()
    }
    .write(&scene, "bot");
    let other = opponent(&scene, "");
    let outcome = play(&scene, &format!("{bot} {other}"), "--each tc=600+1");
    assert_eq!(outcome.stderr, "", "the discarded answers are no warnings");
    let received = scene.received("bot");
    let tail: Vec<String> = received[5..12]
        .iter()
        .map(|line| {
            // The clocks, without the milliseconds that moves took.
            let words = line.split(' ').map(|word| match word.parse::<u64>() {
                Ok(ms) if ms > 1000 => ((ms + 500) / 1000).to_string(),
                _ => word.to_string(),
            });
            words.collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(
        tail,
        [
            "position startpos",
            "go wtime 600 btime 600 winc 1000 binc 1000",
            "position startpos moves a1 h8",
            "go ponder wtime 601 btime 600 winc 1000 binc 1000",
            "stop",
            "position startpos moves a1 h1",
            "go wtime 601 btime 601 winc 1000 binc 1000",
        ]
    );
    assert_eq!(fault_of(&scene.records()[0])[..2], ["five", "1-0"]);
    assert_eq!(
        scene.records()[0]["ponder"],
        json!([null, null, "miss", null, "miss", null, "miss", null, "miss"])
    );
    assert_eq!(
        hits_in_report(&scene),
        [json!({"hits": 0, "misses": 4}), Value::Null]
    );
}

#[test]
fn only_engines_that_offer_it_and_are_asked_ponder() {
    let scene = Scene::new();
    let bot = PonderingBot::default().write(&scene, "bot");
    let other = opponent(&scene, "");
    let is_asked = |words: &str| {
        let received = scene.received("bot");
        scene.remove("bot.received");
        scene.remove("games.jsonl");
        received.iter().any(|line| line.contains(words))
    };
    scene
        .referee(&format!(
            "match {bot} {other} --games 1 --each st=60 --out games.jsonl --quiet"
        ))
        .exits(0);
    assert_eq!(scene.results("games.jsonl")[0]["ponder"], Value::Null);
    assert_eq!(scene.records()[0].get("ponder"), None);
    assert!(!is_asked("onder"));
    let engine = format!("--engine cmd={bot} option.Ponder=false --engine cmd={other} --each st=60");
    play(&scene, &engine, "");
    assert!(!is_asked("ponder"), "the user's own value");
    let engine = format!("--engine cmd={bot} option.ponder=true --engine cmd={other} --each st=60");
    play(&scene, &engine, "");
    assert_eq!(scene.processes("bot").len(), 3);
    assert!(is_asked("go ponder"));
    // UGI has no pondering.
    let lodestone = "--engine cmd=lodestone proto=ugi depth=2 --engine cmd=plain depth=2 --each st=60";
    play(&scene, lodestone, "");
    scene.assert_refused(
        "match plain squares --ponder --affinity",
        "--affinity gives a game one core",
    );
}

#[test]
fn the_clock_starts_at_ponderhit() {
    let scene = Scene::new();
    let bot = PonderingBot {
        hit: "sleep 0.3; answer",
        ..PonderingBot::default()
    }
    .write(&scene, "bot");
    let other = opponent(&scene, "sleep 1.5;");
    let engines = format!("--engine cmd={bot} st=0.6 timemargin=60000 --engine cmd={other} st=60");
    play(&scene, &engines, "");
    let record = &scene.records()[0];
    assert_eq!(fault_of(record)[..2], ["five", "1-0"]);
    let ms: Vec<f64> = record["ms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ms| ms.as_f64().unwrap())
        .collect();
    for (index, &time) in ms.iter().enumerate().skip(2).step_by(2) {
        // With the opponent's time it would be 1.8 s.
        assert!((300.0..1800.0).contains(&time), "move {index}: {ms:?}");
    }
}

#[test]
fn the_answer_to_stop_is_part_of_the_turn() {
    for [stop, reason, hint] in rows(
        "
        sleep 0.4; answer | five |
        sleep 2.1; answer | time | `stop` was to end that search
        : | stall | `stop` was to end that search
        exit 3 | crash | ended with exit status 3
        head -c 70000 /dev/zero | garbage | a line longer than 64 KiB
    ",
    ) {
        let scene = Scene::new();
        let bot = PonderingBot {
            expected: "h8",
            stop,
            ..PonderingBot::default()
        }
        .write(&scene, "bot");
        let other = opponent(&scene, "");
        play(&scene, &format!("{bot} {other}"), "--each st=2");
        let record = &scene.records()[0];
        let [found, result, detail] = fault_of(record);
        assert_eq!(found, reason, "{stop}: {detail}");
        assert!(detail.contains(hint), "{stop}: {detail}");
        if reason == "five" {
            let first = record["ms"][2].as_f64().unwrap();
            assert!((400.0..2000.0).contains(&first), "{first}");
            let asked = scene.received("bot")[11].clone();
            let time: u64 = asked.strip_prefix("go movetime ").unwrap().parse().unwrap();
            assert!((300..=1600).contains(&time), "what is left: {asked}");
        } else {
            assert_eq!(
                (result, record["moves"].as_array().unwrap().len()),
                ("0-1", 2),
                "{stop}"
            );
        }
    }
}

#[test]
fn an_early_answer_is_none() {
    for expected in ["h$h", "h8"] {
        let scene = Scene::new();
        let bot = PonderingBot {
            ponder: "echo bestmove d4",
            hit: "echo bestmove e5",
            stop: ":",
            expected,
            ..PonderingBot::default()
        }
        .write(&scene, "bot");
        let other = opponent(&scene, "sleep 0.2;");
        let outcome = play(&scene, &format!("{bot} {other}"), "--each st=60");
        assert_eq!(fault_of(&scene.records()[0])[..2], ["five", "1-0"], "{expected}");
        assert_eq!(scene.records()[0].get("ponder"), None, "neither a hit nor a miss");
        outcome.says("bot wrote out of turn: `bestmove d4`");
        outcome.shows("Lines that bot wrote out of turn: 4");
        let received = scene.received("bot");
        assert!(
            !received.iter().any(|line| line == "ponderhit" || line == "stop"),
            "{received:?}"
        );
    }
}

#[test]
fn limits_hold_in_the_opponents_time() {
    for (ponder, reason, detail) in [
        (
            "yes info string nonsense | head -c 9000000",
            "garbage",
            "more than 8 MiB without an answer",
        ),
        ("head -c 70000 /dev/zero", "garbage", "a line longer than 64 KiB"),
        ("echo info depth 1; exit 7", "crash", "ended with exit status 7"),
    ] {
        for expected in ["h$h", "h8"] {
            let scene = Scene::new();
            let bot = PonderingBot {
                ponder,
                expected,
                ..PonderingBot::default()
            }
            .write(&scene, "bot");
            let other = opponent(&scene, "sleep 1;");
            play(&scene, &format!("{bot} {other}"), "--each st=10");
            let record = &scene.records()[0];
            let [found, result, text] = fault_of(record);
            assert_eq!((found, result), (reason, "0-1"), "{ponder}: {text}");
            assert!(text.starts_with("bot ") && text.contains(detail), "{text}");
            assert_eq!(
                record["moves"].as_array().unwrap().len(),
                2,
                "the opponent's move counts"
            );
        }
    }
}

#[test]
fn a_few_megabytes_in_the_opponents_time_are_read() {
    let scene = Scene::new();
    let bot = PonderingBot {
        ponder: "yes info depth 3 score cp 77 | head -c 5000000",
        hit: "answer 2> /dev/null | tail -n 1",
        ..PonderingBot::default()
    }
    .write(&scene, "bot");
    let other = opponent(&scene, "sleep 0.5;");
    play(&scene, &format!("{bot} {other}"), "--each st=10");
    let record = &scene.records()[0];
    assert_eq!(fault_of(record)[..2], ["five", "1-0"]);
    assert_eq!(record["score"][2], "cp 77", "of a line before `ponderhit`");
}

/// The highest memory use of a running program, in KiB.
fn peak_memory(program: &Driver) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let words: Vec<&str> = peak.unwrap().split_whitespace().collect();
    words[0].parse().unwrap()
}

#[test]
fn output_is_read_while_a_person_is_to_move() {
    let line = "match --engine cmd=./bot st=10 --engine cmd=human --games 1 --ponder --out games.jsonl";
    for on_terminal in [false, true] {
        let scene = Scene::new();
        PonderingBot {
            // More than any pipe holds, on both pipes.
            ponder: "yes complaint | head -c 300000 >&2; yes info depth 3 score cp 77 | head -c 5000000; \
                     echo > \"written$h\"",
            ..PonderingBot::default()
        }
        .write(&scene, "bot");
        let mut program = if on_terminal {
            Driver::on_terminal(&scene, line)
        } else {
            Driver::through_pipes(&scene, line)
        };
        for row in 1..=4 {
            program.until("your move: ");
            // Its search has ended before the person moves.
            scene.wait_for_file(&format!("written{row}"));
            program.enter(&format!("h{row}"));
        }
        program.ends(0);
        let record = &scene.records()[0];
        assert_eq!(fault_of(record)[..2], ["five", "1-0"], "{record}");
        let hits = record["ponder"].as_array().unwrap().iter();
        assert_eq!(hits.filter(|outcome| **outcome == "hit").count(), 4, "{record}");
        scene.assert_no_bot_left();
    }
}

#[test]
fn endless_output_while_a_person_is_to_move_is_bounded() {
    let scene = Scene::new();
    PonderingBot {
        ponder: "yes info string nonsense & sleep 2; echo > flooded",
        ..PonderingBot::default()
    }
    .write(&scene, "bot");
    let line = "match --engine cmd=./bot st=10 --engine cmd=human --games 1 --ponder --out games.jsonl";
    let mut program = Driver::through_pipes(&scene, line);
    program.until("your move: ");
    let before = peak_memory(&program);
    scene.wait_for_file("flooded");
    // 8 MiB of output are read, and the last 4096 lines are kept.
    let grown = peak_memory(&program) - before;
    assert!(grown < 16 * 1024, "{grown} KiB more");
    program.enter("h1");
    program.ends(0);
    let record = &scene.records()[0];
    let [reason, result, detail] = fault_of(record);
    assert_eq!([reason, result], ["garbage", "0-1"], "{detail}");
    assert!(detail.contains("more than 8 MiB without an answer"), "{detail}");
    assert_eq!(record["moves"], json!(["a1", "h1"]), "the person's move counts");
    scene.assert_no_bot_left();
}

#[test]
fn the_opponent_is_to_blame_for_its_own_crash() {
    let scene = Scene::new();
    let bot = PonderingBot::default().write(&scene, "bot");
    let other = opponent(&scene, "[ $thinks = 1 ] || exit 9;");
    play(&scene, &format!("{bot} {other}"), "--each st=10");
    let [reason, result, detail] = fault_of(&scene.records()[0]).map(String::from);
    assert_eq!([reason.as_str(), result.as_str()], ["crash", "1-0"]);
    assert!(detail.starts_with("other ended with exit status 9"), "{detail}");
}

#[test]
fn a_search_in_the_opponents_time_ends_with_the_game() {
    // The opponent completes its five while the bot thinks about another move.
    for (stop, processes) in [("answer", 1), (":", 3)] {
        let scene = Scene::new();
        let bot = PonderingBot {
            stop,
            // Everything but the last move.
            expected: "h$([ $h = 5 ] && echo 8 || echo $h)",
            ..PonderingBot::default()
        }
        .write(&scene, "bot");
        let other = opponent(&scene, "");
        let line = format!(
            "match {other} {bot} --no-swap --ponder --games 3 --each st=10 --quiet --out games.jsonl"
        );
        scene.referee(&line).exits(0);
        let games = games(&scene, "games.jsonl");
        assert_complete(&games, 3);
        assert!(games.values().all(|game| game["reason"] == "five"), "{games:?}");
        assert_eq!(scene.processes("bot").len(), processes, "{stop}");
        let stops = scene
            .received("bot")
            .iter()
            .filter(|line| *line == "stop")
            .count();
        assert_eq!(stops, 3);
        scene.assert_no_bot_left();
        scene.assert_no_process_left();
    }
}

#[test]
fn the_engine_ponders_in_both_games() {
    for (variant, players) in [
        ("magnetic-cave", "lodestone squares"),
        ("gridlock --turns 12", "lodestone mobility"),
    ] {
        let scene = Scene::new();
        let line = format!(
            "match {players} --variant {variant} --ponder --each tc=5+0.05 depth=6 timemargin=2000 --games 4 \
             --quiet --out games.jsonl --concurrency 2"
        );
        let outcome = scene.referee(&line).exits(0);
        let games = games(&scene, "games.jsonl");
        assert_complete(&games, 4);
        for game in games.values() {
            let reason = game["reason"].as_str().unwrap();
            assert!(
                ["five", "full", "blocked", "mobility"].contains(&reason),
                "{game}"
            );
        }
        assert!(!outcome.stdout.contains("out of turn"), "{}", outcome.stdout);
        scene.assert_no_process_left();
    }
}
