//! `referee analyze`: real engines go through games whose exact values are known, through games
//! with faults, and through files that were interrupted.

use std::collections::HashMap;

use lodestone_game::random::Random;
use lodestone_game::{AnyPosition, Setup, Variant};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::driver::Driver;
use crate::recorded::{json_report, player};
use crate::support::{Bot, Scene, assert_ends, assert_has, assert_rows, assert_starts, expect, json_lines};

/// The header of a match of `a` and `b`.
fn header(variant: &str, games: u64) -> String {
    format!(
        r#"{{"header":1,"variant":"{variant}","seed":1,"schedule":{{"format":"round-robin","games":{games}}},"engines":[{{"name":"a","cmd":"./a","st":"1","timemargin":0}},{{"name":"b","cmd":"./b","st":"1","timemargin":0}}]}}"#
    )
}

/// A record of a game with these moves. `a` has the first move in odd games.
fn record(id: u64, variant: &str, start: &str, moves: &[String], opening_plies: usize) -> String {
    let (first, second) = if id % 2 == 1 { ("a", "b") } else { ("b", "a") };
    let played = moves.len() - opening_plies;
    json!({
        "id": id, "variant": variant, "round": 1, "pair": id.div_ceil(2), "first": first, "second": second,
        "start": start, "moves": moves, "opening_plies": opening_plies, "ms": vec![1.0; played],
        "score": vec![Value::Null; played], "result": "1/2-1/2", "reason": "adjudicated", "detail": "for a test",
    })
    .to_string()
}

/// The exact result for the side to move by minimax: 1, 0 or −1, and the number of plies to the
/// quickest win or the slowest loss. `results` caches it by FEN.
fn minimax(position: &dyn AnyPosition, results: &mut HashMap<String, (i32, u32)>) -> (i32, u32) {
    if let Some(outcome) = position.outcome() {
        return (outcome.points_for(position.side_to_move()), 0);
    }
    let fen = position.fen();
    if let Some(&known) = results.get(&fen) {
        return known;
    }
    let moves = position.legal_moves();
    let values = moves.iter().map(|&mv| {
        let mut next = position.boxed_clone();
        next.play(mv);
        let (points, plies) = minimax(next.as_ref(), results);
        (-points, plies + 1)
    });
    let best = values.max_by_key(|&(points, plies)| points * (10_000 - plies as i32));
    results.insert(fen, best.unwrap());
    best.unwrap()
}

/// A game that random moves finish, with the exact values before and after each move.
struct Ending {
    start: String,
    moves: Vec<String>,
    values: Vec<[(i32, u32); 2]>,
}

/// Random games from positions with `plies` plies left, in which a result is given away.
fn endings(variant: Variant, setup: Setup, plies: u32, count: usize) -> Vec<Ending> {
    let mut random = Random::new(7);
    let mut endings = Vec::new();
    while endings.len() < count {
        let mut position = variant.random_start(setup, &mut random);
        let step = |position: &mut Box<dyn AnyPosition>, random: &mut Random| {
            let mv = *random.choose(&position.legal_moves()).unwrap();
            let text = position.move_text(mv);
            position.play(mv);
            text
        };
        while position.outcome().is_none() && position.plies_left() > plies {
            step(&mut position, &mut random);
        }
        let mut ending = Ending {
            start: position.fen(),
            moves: Vec::new(),
            values: Vec::new(),
        };
        let mut results = HashMap::new();
        while position.outcome().is_none() {
            let before = minimax(position.as_ref(), &mut results);
            ending.moves.push(step(&mut position, &mut random));
            let (points, plies) = minimax(position.as_ref(), &mut results);
            ending.values.push([before, (-points, plies + 1)]);
        }
        if ending.values.iter().any(|[before, after]| after.0 < before.0) {
            endings.push(ending);
        }
    }
    endings
}

/// The kind and number of a score.
fn parsed(score: &Value) -> (&str, u32) {
    let (kind, number) = score.as_str().unwrap().split_once(' ').unwrap();
    (kind, number.parse().unwrap_or(0))
}

/// Analyses these endings and compares every value with the exact one.
fn agrees_with_minimax(variant: &str, endings: &[Ending]) -> Scene {
    let scene = Scene::new();
    let records = endings.iter().zip(1..);
    let records: String = records
        .map(|(ending, id)| record(id, variant, &ending.start, &ending.moves, 0) + "\n")
        .collect();
    scene.file(
        "games.jsonl",
        &format!("{}\n{records}", header(variant, endings.len() as u64)),
    );
    let outcome = scene
        .referee("analyze games.jsonl --engine nodes=300000 --concurrency 2 --out analysed.jsonl")
        .succeeds();
    let analysed = scene.results("analysed.jsonl");
    assert_eq!(analysed.len(), endings.len() + 1);
    for (ending, record) in endings.iter().zip(&analysed[1..]) {
        let analysis = &record["analysis"];
        for (index, exact) in ending.values.iter().enumerate() {
            for ((points, plies), field) in exact.iter().zip(["before", "after"]) {
                let (kind, number) = parsed(&analysis[field][index]);
                let expected = ["loss", "draw", "win"][(points + 1) as usize];
                let place = format!("game {}, move {}, {field}: {analysis}", record["id"], index + 1);
                assert_eq!(kind, expected, "{place}");
                assert!(*points != 1 || number >= *plies, "{place}");
            }
            let gave_away = exact[1].0 < exact[0].0;
            let number = index + 1;
            let mv = &ending.moves[index];
            let sentence = format!("move {number}: {mv} turned a proven ");
            let after = outcome
                .stdout
                .split_once(&format!("Game {}: ", record["id"]))
                .unwrap()
                .1;
            let text = after.split("\nGame ").next().unwrap();
            assert_eq!(text.contains(&sentence), gave_away, "{sentence}: {text}");
        }
    }
    scene
}

#[test]
fn finds_where_a_proven_result_was_given_away() {
    let endings = endings(Variant::MagneticCave, Setup::default(), 9, 12);
    let scene = agrees_with_minimax("magnetic-cave", &endings);
    let shown = scene.referee("show analysed.jsonl --game 1");
    shown
        .shows(expect! {"Blunder: the move turned a proven"})
        .shows("\nAnalysis: ");
}

#[test]
fn values_of_gridlock_are_the_movers() {
    let setup = Setup { pieces: 3, turns: 12 };
    agrees_with_minimax("gridlock", &self::endings(Variant::Gridlock, setup, 4, 12));
}

/// The lines of a match of three games in column a and h, the second of them lost by a fault, with
/// one opening move each.
fn three_games() -> String {
    let moves = ["a1", "h1", "a2", "h2", "a3", "h3", "a4", "h4", "a5"].map(String::from);
    let start = "8/8/8/8/8/8/8/8 x";
    let games = [(1, 9), (2, 5), (3, 1)];
    let games = games.map(|(id, plies)| record(id, "magnetic-cave", start, &moves[..plies], 1));
    format!("{}\n{}\n", header("magnetic-cave", 4), games.join("\n"))
}

/// A bot whose scores depend on the number of moves; with the file `block`, it waits forever in its
/// second game and creates the file `waits`.
const SCORES: &str = r#"
    if [ -e block ] && [ "$games" = 2 ]; then touch waits; sleep 60; fi
    set -- $position
    echo "info depth $# score cp $((100 - 20 * $#)) pv a8"
    legal"#;

fn scene_with_bot(go: &str) -> Scene {
    let scene = Scene::new();
    scene.file("games.jsonl", &three_games());
    scene.bot("bot", Bot::thinking(go));
    scene
}

const ANALYZE: &str = "analyze games.jsonl --engine cmd=./bot nodes=10 --out analysed.jsonl";

#[test]
fn each_position_is_searched_once_from_the_end() {
    let scene = scene_with_bot(SCORES);
    let outcome = scene.referee(ANALYZE).succeeds();
    let received = scene.received("bot");
    let positions = received.iter().filter_map(|line| line.strip_prefix("position "));
    let positions: Vec<&str> = positions.collect();
    // The final position of the first game is over, and the third game has only an opening.
    let counts: Vec<usize> = positions.iter().map(|line| line.split(' ').count() - 2).collect();
    assert_eq!(counts, [8, 7, 6, 5, 4, 3, 2, 1, 5, 4, 3, 2, 1]);
    assert_eq!(positions[0], "startpos moves a1 h1 a2 h2 a3 h3 a4 h4");
    let asked = ["ucinewgame", "go nodes 10"].map(|line| scene.count("bot", line));
    assert_eq!(asked, [2, 13]);
    let records = scene.results("analysed.jsonl");
    let analysis = &records[2]["analysis"];
    assert_eq!(analysis["engine"]["name"], "bot");
    assert_eq!(analysis["engine"]["nodes"], 10);
    // `position startpos moves a1` has four words, and the next position one more.
    assert_eq!(analysis["before"], json!(["cp 20", "cp 0", "cp -20", "cp -40"]));
    assert_eq!(analysis["after"], json!(["cp 0", "cp 20", "cp 40", "cp 60"]));
    assert_eq!(analysis["depth"], json!([4, 5, 6, 7]));
    assert_eq!(analysis["best"], json!(["a2", "a2", "a3", "a3"]));
    assert_eq!(
        analysis["pv"], analysis["best"],
        "the line began with another move"
    );
    assert_eq!(records[1]["analysis"]["after"][7], "win 1", "the game was over");
    assert_eq!(records[3]["analysis"]["best"], json!([]));
    let mut without = records[1].clone();
    without.as_object_mut().unwrap().remove("analysis");
    assert_eq!(without, scene.records()[0], "the record stays as it is");
    assert_starts(&outcome.stdout, "Game 1: a against b, 1/2-1/2 (adjudicated): ");
    outcome.shows("\n# Name Games Moves ");
}

#[test]
fn a_stopped_or_killed_analysis_resumes() {
    let whole = scene_with_bot(SCORES);
    let outcome = whole.referee(ANALYZE);
    let expected = whole.text("analysed.jsonl");

    let scene = scene_with_bot(SCORES);
    for signal in [Signal::INT, Signal::KILL] {
        for file in ["waits", "analysed.jsonl"] {
            scene.remove(file);
        }
        scene.file("block", "");
        let referee = scene.start(ANALYZE);
        scene.wait_for_file("waits");
        let status = (signal == Signal::INT).then_some(130);
        assert_eq!(referee.end_by(signal).status, status);
        assert_eq!(scene.results("analysed.jsonl").len(), 2, "header and game 1");
        scene.remove("block");
        assert_eq!(scene.referee(ANALYZE).exits(0).stdout, outcome.stdout);
        assert_eq!(scene.text("analysed.jsonl"), expected);
        scene.assert_no_bot_left();
    }
    // Cut off anywhere, as by SIGKILL while it writes.
    let length = expected.len();
    for cut in [length - 1, length - 40, length / 2, 700, 100, 0] {
        scene.file("analysed.jsonl", &expected[..cut]);
        scene.referee(ANALYZE).exits(0);
        assert_eq!(scene.text("analysed.jsonl"), expected, "{cut}");
    }
    let searched = scene.received("bot").len();
    assert_eq!(scene.referee(ANALYZE).stdout, outcome.stdout);
    assert_eq!(scene.received("bot").len(), searched, "nothing is left to search");
}

#[test]
fn the_built_in_engine_analyses_games_one_or_three_at_a_time() {
    for variant in Variant::ALL {
        let scene = Scene::new();
        let line = format!(
            "match random random --variant {} --openings random:2 --games 6",
            variant.name()
        );
        scene
            .referee(&format!("{line} --out games.jsonl --quiet"))
            .exits(0);
        let outputs = [(1, "one.jsonl"), (3, "three.jsonl")].map(|(slots, file)| {
            let line = format!("analyze games.jsonl --engine nodes=500 --out {file} --concurrency {slots}");
            (scene.referee(&line).succeeds().stdout, scene.text(file))
        });
        assert_eq!(outputs[0], outputs[1]);
        let shown = scene.referee("analyze games.jsonl --st 0.002").succeeds().stdout;
        assert_starts(&shown, "Game 1: random against random-2, ");
        scene.assert_no_process_left();
    }
}

#[test]
fn a_crash_costs_the_rest_of_the_game() {
    let crash = |when: &str| format!("if {when}; then exit 3; fi; echo info depth 1 score cp 5; legal");
    let scene = scene_with_bot(&crash("first_start && [ $thinks = 3 ]"));
    let outcome = scene.referee(ANALYZE).exits(0);
    expect![[r#"
        referee: warning: Game 1: the positions up to move 6 are not analysed: bot ended with exit status 3
    "#]]
    .assert_eq(&outcome.messages());
    assert_eq!(
        scene.processes("bot").len(),
        2,
        "the next game has another process"
    );
    let analysis = &scene.results("analysed.jsonl")[1]["analysis"];
    let known = |field: &str| -> Vec<usize> {
        let values = analysis[field].as_array().unwrap();
        assert_eq!(values.len(), 8);
        (0..8).filter(|&index| !values[index].is_null()).collect()
    };
    assert_eq!(
        ["best", "before", "after"].map(known),
        [vec![6, 7], vec![6, 7], vec![5, 6, 7]]
    );
    outcome.shows(expect! {": 1 mistake, 6 moves without values"});

    // So has the one after a wrong move.
    let scene = scene_with_bot("first_start && [ $thinks = 3 ] && echo bestmove z9 || legal");
    scene.referee(ANALYZE).exits(0);
    assert_eq!(scene.processes("bot").len(), 2);

    // Games without any value are not saved.
    let scene = scene_with_bot(&crash("true"));
    let stderr = scene.referee(ANALYZE).exits(3).stderr;
    assert_ends(&stderr, "referee: 2 games could not be analysed\n");
    assert_eq!(stderr.matches(" are not analysed: ").count(), 2, "{stderr}");
    assert_eq!(scene.results("analysed.jsonl").len(), 2, "header and game 3");
}

#[test]
fn wrong_commands_are_refused() {
    let scene = scene_with_bot(SCORES);
    scene.file("notes.txt", "some notes\n");
    let other = three_games().replace(r#""seed":1"#, r#""seed":2"#);
    scene.file("other.jsonl", &other);
    scene.file("empty.jsonl", &format!("{}\n", header("magnetic-cave", 4)));
    scene.bot("mute", Bot::greeting("exit 7"));
    let mute = scene.referee("analyze games.jsonl --engine cmd=./mute --out analysed.jsonl");
    mute.exits(3)
        .says(expect! {"mute did not complete the handshake"});
    assert!(!scene.path("analysed.jsonl").exists());
    scene.referee(ANALYZE).exits(0);
    let before = scene.text("analysed.jsonl");
    let table = expect![[r#"
        --threshold 1 | FILE.jsonl
        missing.jsonl | `missing.jsonl` cannot be read: No such file
        notes.txt | notes.txt
        games.jsonl other.jsonl | the files belong to 2 matches; analyse one at a time
        empty.jsonl | the files hold no games
        games.jsonl --game 7 | there is no game 7: the files hold games 1 to 3
        games.jsonl --engine cmd=human | a human player gives no scores
        games.jsonl --engine tc=60 | `tc` is a clock for a whole game
        games.jsonl --engine restart=on | `restart` is for matches
        games.jsonl --st 1 --engine st=2 | use only one of them
        games.jsonl --threshold 2 | expected a number from 0.001 to 1, such as 0.1, found `2`
        games.jsonl --out games.jsonl | this is one of the files to read
        games.jsonl --engine cmd=./bot nodes=20 --out analysed.jsonl
            | line 2: game 1 was analysed with bot (nodes=10), not bot (nodes=20); run that command again
        analysed.jsonl --engine cmd=./bot nodes=20 --out games.jsonl
            | line 2: game 1 has no analysis: this is the file of a match
    "#]];
    assert_rows(table, |[words]| scene.refused(&format!("analyze {words}")));
    assert_eq!(scene.text("analysed.jsonl"), before);
    assert_eq!(scene.text("games.jsonl"), three_games());
}

#[test]
fn reports_use_the_copy_with_an_analysis() {
    let scene = scene_with_bot(SCORES);
    scene.referee(ANALYZE).exits(0);
    for files in ["games.jsonl analysed.jsonl", "analysed.jsonl games.jsonl"] {
        let report = json_report(&scene, files);
        assert_eq!(report["games"], 3, "each game counts once");
        let of = |name: &str| &player(&report, name)["analysis"];
        assert_eq!(
            [&of("a")["games"], &of("a")["moves"], &of("b")["moves"]],
            [3, 6, 6]
        );
        assert!(of("a")["mean_loss"].as_f64().is_some());
    }
    let report = |words: &str| scene.referee(&format!("report {words}")).stdout;
    assert!(!report("games.jsonl").contains("Analysis"));
    assert_has(
        report("games.jsonl analysed.jsonl"),
        "\nAnalysis of 3 games\n# Name ",
    );
    let csv = report("games.jsonl analysed.jsonl --csv");
    let columns = ",analysed_moves,best_moves,mistakes,blunders,given_away,mean_loss\r\n";
    assert_has(csv, columns);
    // The same settings: nothing is searched again, and the mistakes are the same.
    let searched = scene.received("bot").len();
    let shown = scene.referee("analyze games.jsonl analysed.jsonl --engine cmd=./bot nodes=10");
    assert_eq!(shown.stdout, scene.referee(ANALYZE).stdout);
    assert_eq!(scene.received("bot").len(), searched);
}

#[test]
fn one_game_has_a_table_of_its_moves_and_programs_have_json() {
    let scene = scene_with_bot(SCORES);
    let one = scene
        .referee("analyze games.jsonl --game 2 --engine cmd=./bot nodes=10")
        .stdout;
    assert_starts(&one, "Move Player Played");
    let table = one.lines().take_while(|line| !line.is_empty());
    assert_eq!(table.count(), 5, "{one}");
    let text = scene
        .referee("analyze games.jsonl --json --engine cmd=./bot nodes=10")
        .stdout;
    let lines = json_lines(&text);
    assert_eq!(lines.len(), 4);
    assert_eq!((&lines[1]["game"], &lines[1]["first"]), (&json!(2), &json!("b")));
    assert_eq!(lines[1]["analysis"]["before"].as_array().unwrap().len(), 4);
    assert_eq!(lines[3]["players"][0]["name"], "a");
}

#[test]
fn a_terminal_shows_the_progress() {
    let scene = scene_with_bot(SCORES);
    scene.file("block", "");
    let mut program = Driver::on_terminal(&scene, ANALYZE);
    program.until(" of 14 positions");
    program.kill(Signal::INT);
    program.ends(130);
}
