//! `--ponder`: engines that think in the opponent's time.

use serde_json::{Value, json};

use crate::driver::Driver;
use crate::recorded::{assert_by_rules, assert_complete, games, json_report, moves, player, text};
use crate::support::{Bot, Outcome, Scene, assert_ends, assert_has, assert_lacks, assert_starts, expect};

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

/// Plays one game of this bot, first, against an opponent.
fn ponders(bot: &PonderingBot<'_>, before: &str, options: &str) -> (Scene, Value, Outcome) {
    let scene = Scene::new();
    let (bot, other) = (bot.write(&scene, "bot"), opponent(&scene, before));
    let outcome = play(&scene, &format!("{bot} {other}"), options);
    let record = scene.records().remove(0);
    (scene, record, outcome)
}

/// The counts of `bot` and of `other` in the report of the match.
fn hits_in_report(scene: &Scene) -> [Value; 2] {
    let report = json_report(scene, "games.jsonl");
    ["bot", "other"].map(|name| player(&report, name)["ponder"].clone())
}

fn fault_of(record: &Value) -> [&str; 3] {
    ["reason", "result", "detail"].map(|field| text(record, field))
}

#[test]
fn the_dialogue_of_hits() {
    let (scene, record, _) = ponders(&PonderingBot::default(), "", "--each st=60");
    assert_eq!(
        scene.received("bot").join("\n"),
        "uci
setoption name Ponder value true
isready
ucinewgame
isready
position startpos
go movetime 60000
position startpos moves a1 h1
go ponder movetime 60000
ponderhit
position startpos moves a1 h1 a2 h2
go ponder movetime 60000
ponderhit
position startpos moves a1 h1 a2 h2 a3 h3
go ponder movetime 60000
ponderhit
position startpos moves a1 h1 a2 h2 a3 h3 a4 h4
go ponder movetime 60000
ponderhit
quit"
    );
    assert_eq!(fault_of(&record)[..2], ["five", "1-0"]);
    // The score of a line that came after `ponderhit`.
    assert_eq!(record["score"][2], "cp 2");
    let hits = json!([null, null, "hit", null, "hit", null, "hit", null, "hit"]);
    assert_eq!(record["ponder"], hits);
    assert_eq!(
        hits_in_report(&scene),
        [json!({"hits": 4, "misses": 0}), Value::Null]
    );
    let table = scene.referee("report games.jsonl").stdout;
    assert_has(&table, expect! {"Ponder hits of bot: 4 of 4 (100.0 %)"});
    assert_lacks(&table, "Ponder hits of other");
    let csv = scene.referee("report games.jsonl --csv").stdout;
    let ends = csv
        .lines()
        .map(|line| line.split(',').skip(20).collect::<Vec<_>>().join(","));
    assert!(ends.eq(["ponder_hits,ponder_misses", "4,0", ","]), "{csv}");
    let said = scene.received("other");
    assert!(
        !said.iter().any(|line| line.contains("onder") || line == "stop"),
        "{said:?}"
    );
    assert_eq!(scene.results("games.jsonl")[0]["ponder"], true);
}

/// A bot that expects another reply than that of its opponent.
const MISSES: PonderingBot<'_> = PonderingBot {
    ponder: ":",
    go: "answer",
    hit: "answer",
    stop: "answer",
    expected: "h8",
};

#[test]
fn the_dialogue_of_misses() {
    let (scene, record, outcome) = ponders(&MISSES, "", "--each tc=600+1");
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
        tail.join("\n"),
        "position startpos
go wtime 600 btime 600 winc 1000 binc 1000
position startpos moves a1 h8
go ponder wtime 601 btime 600 winc 1000 binc 1000
stop
position startpos moves a1 h1
go wtime 601 btime 601 winc 1000 binc 1000"
    );
    assert_eq!(fault_of(&record)[..2], ["five", "1-0"]);
    let misses = json!([null, null, "miss", null, "miss", null, "miss", null, "miss"]);
    assert_eq!(record["ponder"], misses);
    assert_eq!(
        hits_in_report(&scene),
        [json!({"hits": 0, "misses": 4}), Value::Null]
    );
}

#[test]
fn a_search_in_the_opponents_time_has_the_clock_of_its_own_player() {
    let scene = Scene::new();
    let stop = "[ -e slept ] || { touch slept; sleep 0.3; }; answer";
    let (bot, other) = (
        PonderingBot { stop, ..MISSES }.write(&scene, "bot"),
        opponent(&scene, ""),
    );
    let engines = format!("--engine cmd={bot} tc=40/600+1 --engine cmd={other} st=60");
    play(&scene, &engines, "");
    let received = scene.received("bot");
    let (pondering, asked) = (&received[8], &received[11]);
    assert_starts(pondering, "go ponder wtime ");
    assert_ends(pondering, " btime 60000 winc 1000 binc 0 movestogo 39");
    // The wait for the answer to `stop` is part of its turn.
    let clock = |line: &str| -> u64 {
        let mut words = line.split(' ').skip_while(|word| *word != "wtime");
        words.nth(1).unwrap().parse().unwrap()
    };
    assert_starts(asked, "go wtime ");
    assert!(clock(asked) + 300 <= clock(pondering), "{received:#?}");
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
    let line = format!("match {bot} {other} --games 1 --each st=60 --out games.jsonl --quiet");
    scene.referee(&line).exits(0);
    assert_eq!(scene.results("games.jsonl")[0]["ponder"], Value::Null);
    assert_eq!(scene.records()[0].get("ponder"), None);
    assert!(!is_asked("onder"));
    for (option, is_right) in [("Ponder=false", false), ("ponder=true", true)] {
        let engine = format!("--engine cmd={bot} option.{option} --engine cmd={other} --each st=60");
        play(&scene, &engine, "");
        let words = if is_right { "go ponder" } else { "ponder" };
        assert_eq!(is_asked(words), is_right, "the user's own value: {option}");
    }
    assert_eq!(scene.processes("bot").len(), 3);
    // UGI has no pondering.
    let lodestone = "--engine cmd=lodestone proto=ugi depth=2 --engine cmd=plain depth=2 --each st=60";
    play(&scene, lodestone, "");
}

#[test]
fn the_clock_starts_at_ponderhit() {
    let scene = Scene::new();
    let hit = "sleep 0.3; answer";
    let bot = PonderingBot {
        hit,
        ..PonderingBot::default()
    }
    .write(&scene, "bot");
    let other = opponent(&scene, "sleep 1.5;");
    let engines = format!("--engine cmd={bot} st=0.6 timemargin=60000 --engine cmd={other} st=60");
    play(&scene, &engines, "");
    let record = &scene.records()[0];
    assert_eq!(fault_of(record)[..2], ["five", "1-0"]);
    for time in record["ms"].as_array().unwrap().iter().skip(2).step_by(2) {
        // With the opponent's time it would be 1.8 s.
        assert!((300.0..1800.0).contains(&time.as_f64().unwrap()), "{record}");
    }
}

#[test]
fn the_answer_to_stop_is_part_of_the_turn() {
    for (stop, reason, hint) in [
        ("sleep 0.4; answer", "five", ""),
        // On a busy machine the record says for how long it waited for a processor instead.
        ("sleep 2.1; answer", "time", ""),
        (":", "stall", "did not answer `stop`"),
        ("exit 3", "crash", "ended with exit status 3"),
        ("head -c 70000 /dev/zero", "garbage", "a line longer than 64 KiB"),
    ] {
        let (scene, record, _) = ponders(&PonderingBot { stop, ..MISSES }, "", "--each st=2");
        let [found, result, detail] = fault_of(&record);
        assert_eq!(found, reason, "{stop}: {detail}");
        assert_has(detail, hint);
        if reason == "five" {
            let first = record["ms"][2].as_f64().unwrap();
            assert!((400.0..2000.0).contains(&first), "{first}");
            let asked = scene.received("bot")[11].clone();
            let time: u64 = asked.strip_prefix("go movetime ").unwrap().parse().unwrap();
            assert!((300..=1600).contains(&time), "what is left: {asked}");
        } else {
            assert_eq!((result, moves(&record).len()), ("0-1", 2), "{stop}");
        }
    }
}

#[test]
fn an_early_answer_is_none() {
    for expected in ["h$h", "h8"] {
        let bot = PonderingBot {
            ponder: "echo bestmove d4; touch early",
            hit: "echo bestmove e5",
            stop: ":",
            expected,
            ..PonderingBot::default()
        };
        let after = "until [ -e early ]; do sleep 0.02; done; rm early; sleep 0.2;";
        let (scene, record, outcome) = ponders(&bot, after, "--each st=60");
        assert_eq!(fault_of(&record)[..2], ["five", "1-0"], "{expected}");
        assert_eq!(record.get("ponder"), None, "neither a hit nor a miss");
        outcome.says(expect! {"unexpected output from bot: `bestmove d4`"});
        outcome.shows(expect! {"Unexpected lines from bot: 4"});
        assert_eq!(["ponderhit", "stop"].map(|line| scene.count("bot", line)), [0, 0]);
    }
}

/// The highest memory use of a running program, in KiB.
fn peak_memory(program: &Driver) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.unwrap().trim().trim_end_matches(" kB").parse().unwrap()
}

/// A match of a bot and a person.
const WITH_A_PERSON: &str =
    "match --engine cmd=./bot st=10 --engine cmd=human --games 1 --ponder --out games.jsonl";

#[test]
fn output_is_read_while_a_person_is_to_move() {
    for on_terminal in [false, true] {
        let scene = Scene::new();
        // More than any pipe holds, on both pipes.
        let ponder = "yes complaint | head -c 300000 >&2; yes info depth 3 score cp 77 | head -c 5000000; \
                      echo > \"written$h\"";
        PonderingBot {
            ponder,
            ..PonderingBot::default()
        }
        .write(&scene, "bot");
        let mut program = if on_terminal {
            Driver::on_terminal(&scene, WITH_A_PERSON)
        } else {
            Driver::through_pipes(&scene, WITH_A_PERSON)
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
    // All of it, 4 KiB more than 8 MiB, is ahead of the answer, and any pipe holds the 4 KiB.
    let ponder = "yes info string nonsense | head -c 8392704; echo > flooded; yes info string nonsense &";
    PonderingBot {
        ponder,
        ..PonderingBot::default()
    }
    .write(&scene, "bot");
    let mut program = Driver::through_pipes(&scene, WITH_A_PERSON);
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
    assert_has(detail, expect! {"more than 8 MiB without an answer"});
    assert_eq!(moves(record), ["a1", "h1"], "the person's move counts");
    scene.assert_no_bot_left();
}

#[test]
fn the_opponent_is_to_blame_for_its_own_crash() {
    let before = "[ $thinks = 1 ] || exit 9;";
    let (_, record, _) = ponders(&PonderingBot::default(), before, "--each st=10");
    let [reason, result, detail] = fault_of(&record);
    assert_eq!([reason, result], ["crash", "1-0"]);
    assert_starts(detail, "other ended with exit status 9");
}

#[test]
fn a_search_in_the_opponents_time_ends_with_the_game() {
    // The opponent completes its five while the bot thinks about another move.
    for (stop, processes) in [("answer", 1), (":", 3)] {
        let scene = Scene::new();
        // Everything but the last move.
        let expected = "h$([ $h = 5 ] && echo 8 || echo $h)";
        let bot = PonderingBot {
            stop,
            expected,
            ..PonderingBot::default()
        }
        .write(&scene, "bot");
        let other = opponent(&scene, "");
        let line = format!("match {other} {bot} --no-swap --ponder --games 3 --each st=10 --quiet");
        scene.referee(&format!("{line} --out games.jsonl")).exits(0);
        let games = games(&scene, "games.jsonl");
        assert_complete(&games, 3);
        assert!(games.values().all(|game| game["reason"] == "five"), "{games:?}");
        assert_eq!(scene.processes("bot").len(), processes, "{stop}");
        assert_eq!(scene.count("bot", "stop"), 3);
        scene.assert_no_bot_left();
        scene.assert_no_process_left();
    }
}

#[test]
fn the_engine_ponders_in_both_games() {
    for game in [
        "lodestone squares",
        "lodestone mobility --variant gridlock --turns 12",
    ] {
        let scene = Scene::new();
        let line = format!("match {game} --ponder --each tc=5+0.05 depth=6 timemargin=2000 --games 4");
        let outcome = scene.referee(&format!("{line} --quiet --out games.jsonl --concurrency 2"));
        let outcome = outcome.exits(0);
        let games = games(&scene, "games.jsonl");
        assert_complete(&games, 4);
        games.values().for_each(assert_by_rules);
        assert_lacks(&outcome.stdout, "Unexpected lines");
        scene.assert_no_process_left();
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
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
                let bot = PonderingBot {
                    ponder,
                    expected,
                    ..PonderingBot::default()
                };
                let (_, record, _) = ponders(&bot, "sleep 1;", "--each st=10");
                let [found, result, text] = fault_of(&record);
                assert_eq!((found, result), (reason, "0-1"), "{ponder}: {text}");
                assert!(text.starts_with("bot ") && text.contains(detail), "{text}");
                assert_eq!(moves(&record).len(), 2, "the opponent's move counts");
            }
        }
        let bot = PonderingBot {
            ponder: "yes info depth 3 score cp 77 | head -c 5000000",
            hit: "answer 2> /dev/null | tail -n 1",
            ..PonderingBot::default()
        };
        let (_, record, _) = ponders(&bot, "sleep 0.5;", "--each st=10");
        assert_eq!(
            fault_of(&record)[..2],
            ["five", "1-0"],
            "a few megabytes are read"
        );
        assert_eq!(record["score"][2], "cp 77", "of a line before `ponderhit`");
    }
}
