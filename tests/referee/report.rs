//! Reports on result files.

use std::fs;
use std::io;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::driver::Driver;
use crate::support::{Outcome, Scene, assert_ends, assert_has, assert_has_all, rows};

/// Ample time: the machine may be busy, and these tests do not test the clock.
const EACH: &str = "--each st=1 timemargin=5000 --openings random:2 --quiet";

/// The options of a match between random players.
pub fn between(names: &[&str]) -> String {
    let players = names
        .iter()
        .zip(1..)
        .map(|(name, seed)| format!("--engine cmd=random name={name} option.Seed={seed} "));
    players.collect::<String>() + EACH
}

/// Plays a match into `games.jsonl`; returns its output.
pub fn play(scene: &Scene, options: &str) -> String {
    let outcome = scene
        .referee(&format!("match {options} --out games.jsonl"))
        .succeeds();
    outcome.stdout
}

/// The output of a report without errors and missing games.
pub fn report(scene: &Scene, words: &str) -> String {
    let outcome = scene.referee(&format!("report {words}")).succeeds();
    outcome.stdout
}

/// The JSON of a report, whatever its exit status.
fn json_report(scene: &Scene, words: &str) -> Value {
    serde_json::from_str(&scene.referee(&format!("report --json {words}")).stdout).unwrap()
}

/// Copies a result file. `change` may change each record, and drops it by returning
/// false.
fn rewrite(scene: &Scene, from: &str, to: &str, change: impl Fn(&mut Value) -> bool) {
    let text = scene.text(from);
    let mut kept = String::new();
    for line in text.lines() {
        let mut object: Value = serde_json::from_str(line).unwrap();
        let is_kept = object.get("moves").is_none() || change(&mut object);
        if is_kept {
            kept += &object.to_string();
            kept.push('\n');
        }
    }
    scene.file(to, &kept);
}

/// Copies a result file without the games of these ids.
fn without(scene: &Scene, from: &str, to: &str, ids: &[u64]) {
    rewrite(scene, from, to, |game| {
        !ids.contains(&game["id"].as_u64().unwrap())
    });
}

fn fingerprint(report: &Value) -> u64 {
    u64::from_str_radix(report["fingerprint"].as_str().unwrap(), 16).unwrap()
}

#[test]
fn report_prints_the_summary_of_the_match() {
    for options in [
        between(&["a", "b"]) + " --games 6 --concurrency 2",
        between(&["a", "b", "c", "d"]) + " --games 2",
        between(&["a", "b", "c"]) + " --games 3 --format gauntlet --variant gridlock",
        between(&["a", "b", "c", "d", "e"]) + " --format swiss --rounds 3",
        between(&["a", "b"]) + " --games 5 --sprt elo0=0 elo1=5",
        between(&["a", "b"]),
    ] {
        let scene = Scene::new();
        let printed = play(&scene, &options);
        assert!(printed.contains('a'), "{printed}");
        assert_eq!(report(&scene, "games.jsonl"), printed, "{options}");
    }
}

#[test]
fn merges_shards() {
    let scene = Scene::new();
    let options = between(&["a", "b", "c"]) + " --games 4";
    for shard in 0..3 {
        let line = format!("match {options} --shard {shard}/3 --out {shard}.jsonl");
        scene.referee(&line).exits(0);
    }
    let all = json_report(&scene, "2.jsonl 0.jsonl 1.jsonl");
    assert_eq!(all["files"], json!(["2.jsonl", "0.jsonl", "1.jsonl"]));
    assert_eq!((&all["scheduled"], &all["games"]), (&json!(12), &json!(12)));
    assert_eq!(
        all["missing"],
        json!({"games": 0, "of": 12, "runs": [], "shards": [], "shard_count": null})
    );
    let sum = ["0.jsonl", "1.jsonl", "2.jsonl"]
        .map(|file| fingerprint(&json_report(&scene, file)))
        .into_iter()
        .fold(0, u64::wrapping_add);
    assert_eq!(fingerprint(&all), sum);
    let text = report(&scene, "0.jsonl 1.jsonl 2.jsonl");
    assert!(
        text.contains("\nRound robin of 3 (") && !text.contains("Missing"),
        "{text}"
    );

    let outcome = scene.referee("report 0.jsonl 2.jsonl").exits(1);
    assert_ends(
        &outcome.stdout,
        "\nMissing: 4 of 12 games\n  shard 1/3: no file\n",
    );
    // One file may hold several shards.
    let files = ["0.jsonl", "1.jsonl", "2.jsonl"].map(|file| scene.text(file));
    scene.file("all.jsonl", &files.concat());
    assert_eq!(report(&scene, "all.jsonl"), text);
}

#[test]
fn counts_a_game_in_two_files_once() {
    let scene = Scene::new();
    let printed = play(&scene, &(between(&["a", "b", "c"]) + " --games 2"));
    without(&scene, "games.jsonl", "half.jsonl", &[2, 4, 5]);
    without(&scene, "games.jsonl", "other.jsonl", &[1, 3]);
    assert_eq!(report(&scene, "games.jsonl half.jsonl games.jsonl"), printed);
    let both = json_report(&scene, "other.jsonl half.jsonl");
    assert_eq!(
        (fingerprint(&both), &both["games"]),
        (fingerprint(&json_report(&scene, "games.jsonl")), &json!(6))
    );
    assert_eq!(json_report(&scene, "half.jsonl")["missing"]["games"], json!(3));
}

#[test]
fn names_missing_games() {
    let scene = Scene::new();
    play(&scene, &(between(&["a", "b"]) + " --games 14"));
    without(&scene, "games.jsonl", "few.jsonl", &[3, 7, 8, 9, 12, 14]);
    let outcome = scene.referee("report few.jsonl");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(1), ""));
    assert_ends(
        &outcome.stdout,
        "\nMissing: 6 of 14 games\n  games 3, 7–9, 12, 14\n",
    );
    let missing = &json_report(&scene, "few.jsonl")["missing"];
    assert_eq!(missing["runs"], json!([[3, 3], [7, 9], [12, 12], [14, 14]]));

    // All games are missing.
    without(&scene, "games.jsonl", "none.jsonl", &(1..=14).collect::<Vec<_>>());
    let outcome = scene
        .referee("report none.jsonl --crosstable --head-to-head --times")
        .exits(1);
    assert!(outcome.stdout.ends_with("  games 1–14\n"), "{}", outcome.stdout);
    let json = scene.referee("report none.jsonl --json").stdout;
    assert!(!json.contains("-0.0") && !json.contains("NaN"), "{json}");
}

#[test]
fn unpaired_rounds_are_missing() {
    let scene = Scene::new();
    play(
        &scene,
        &(between(&["a", "b", "c", "d"]) + " --format swiss --rounds 3"),
    );
    without(&scene, "games.jsonl", "few.jsonl", &(6..=12).collect::<Vec<_>>());
    let outcome = scene.referee("report few.jsonl").exits(1);
    assert_ends(&outcome.stdout, "\nMissing: 7 of 12 games\n  games 6–12\n");
    // Without all results of the first round the second cannot be paired.
    without(&scene, "games.jsonl", "few.jsonl", &[2]);
    let outcome = scene.referee("report few.jsonl").exits(1);
    assert_ends(
        &outcome.stdout,
        "  games 2, 5–12\nNote: 8 games do not count: their rounds cannot be paired while a \
             result before them is missing\n",
    );
}

#[test]
fn reports_on_a_running_match() {
    let scene = Scene::new();
    play(&scene, &(between(&["a", "b"]) + " --games 4"));
    let text = scene.text("games.jsonl");
    scene.file("torn.jsonl", &text[..text.len() - 10]);
    let outcome = scene.referee("report torn.jsonl");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(1), ""));
    assert_ends(
        &outcome.stdout,
        "\nMissing: 1 of 4 games\n  game 4\nNote: torn.jsonl: line 5 is incomplete; the match still \
             runs, or was killed\n",
    );
    assert_eq!(
        json_report(&scene, "torn.jsonl")["notes"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    // Only the last line break is missing.
    scene.file("whole.jsonl", text.trim_end());
    let printed = report(&scene, "games.jsonl");
    assert_eq!(report(&scene, "whole.jsonl"), printed);
    // Games in another file are not missing.
    assert!(report(&scene, "torn.jsonl games.jsonl").starts_with(printed.trim_end()));

    // A running referee locks the file.
    let file = fs::OpenOptions::new()
        .append(true)
        .open(scene.path("games.jsonl"))
        .unwrap();
    file.lock().unwrap();
    assert_eq!(report(&scene, "games.jsonl"), printed);
}

#[test]
fn merges_files_of_a_match_with_more_games() {
    let scene = Scene::new();
    let players = between(&["a", "b", "c"]);
    play(&scene, &(players.clone() + " --games 2"));
    fs::copy(scene.path("games.jsonl"), scene.path("short.jsonl")).unwrap();
    let outcome = scene
        .referee(&format!("match {players} --games 4 --out games.jsonl"))
        .exits(0);
    let printed = report(&scene, "games.jsonl");
    assert!(outcome.stdout.ends_with(&printed), "{} {printed}", outcome.stdout);
    assert_eq!(report(&scene, "short.jsonl games.jsonl"), printed);
    assert_eq!(report(&scene, "games.jsonl short.jsonl"), printed);
}

#[test]
fn rejects_files_that_are_not_result_files() {
    let scene = Scene::new();
    play(&scene, &between(&["a", "b"]));
    let text = scene.text("games.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    scene.file("foreign.jsonl", "some notes\n");
    scene.file("empty.jsonl", "");
    scene.file("begun.jsonl", &lines[0][..20]);
    scene.file("wrong.jsonl", &[lines[0], "{\"id\":1,", lines[1], ""].join("\n"));
    rewrite(&scene, "games.jsonl", "else.jsonl", |game| {
        game["first"] = json!("c");
        true
    });
    rewrite(&scene, "games.jsonl", "far.jsonl", |game| {
        game["id"] = json!(3);
        true
    });
    for [file, why] in rows(
        "
        foreign.jsonl | not a result file (line 1: expected value
        empty.jsonl | not a result file (the file is empty)
        begun.jsonl | not a result file (line 1 is cut off)
        wrong.jsonl | line 2: EOF while parsing
        else.jsonl | line 2: game 1 is between a and b (pair 1), not between c and b
        far.jsonl | line 2: there is no game 3 in the schedule
        nowhere.jsonl | No such file or directory
        . | a result file is read twice, so this must be a regular file
        /dev/null | a result file is read twice, so this must be a regular file
    ",
    ) {
        for words in [file.to_string(), format!("{file} games.jsonl --pgn games.pgn")] {
            let Outcome {
                status,
                stdout,
                stderr,
                ..
            } = scene.referee(&format!("report {words}"));
            assert_eq!((status, stdout.as_str()), (Some(2), ""), "{words}");
            assert!(stderr.starts_with(&format!("referee: {file}: {why}")), "{stderr}");
        }
    }
    assert!(!scene.path("games.pgn").exists());
    scene.referee("report").exits(2);
    scene.referee("report games.jsonl --json --crosstable").exits(2);
}

#[test]
fn prints_one_table_per_match() {
    let scene = Scene::new();
    let players = between(&["a", "b"]);
    let printed = play(&scene, &(players.clone() + " --games 4"));
    let other = scene
        .referee(&format!("match {players} --games 3 --seed 2 --out other.jsonl"))
        .exits(0);
    let text = report(&scene, "games.jsonl other.jsonl games.jsonl");
    assert_eq!(
        text,
        format!(
            "The files are of 2 matches, which are not counted together.\n\n\
             Match 1 of 2: games.jsonl\n{printed}\n\
             Match 2 of 2: other.jsonl\nNot match 1: schedule.games was 4, now 3; seed was 1, now 2\n{}",
            other.stdout
        )
    );
    without(&scene, "other.jsonl", "other.jsonl", &[1]);
    let outcome = scene.referee("report --json games.jsonl other.jsonl").exits(1);
    let lines: Vec<Value> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        lines
            .iter()
            .map(|line| &line["missing"]["games"])
            .collect::<Vec<_>>(),
        [&json!(0), &json!(1)]
    );
}

#[test]
fn games_after_the_decision_of_an_sprt_are_not_missing() {
    let scene = Scene::new();
    let options = "lodestone random --each nodes=100 st=5 timemargin=5000 --openings random:4 --quiet \
                   --games 1000 --sprt elo0=0 elo1=300 alpha=0.2 beta=0.2";
    let printed = play(&scene, options);
    assert!(printed.contains("H1 accepted"), "{printed}");
    assert_eq!(report(&scene, "games.jsonl"), printed);
    let end = scene.results("games.jsonl").pop().unwrap();
    let last = 2 * end["sprt"]["pairs"].as_u64().unwrap();
    assert!((4..200).contains(&last), "{end}");
    let verdict = &json_report(&scene, "games.jsonl")["sprt"]["accepted"];
    assert_eq!(verdict, &json!("H1"));

    // Only a game before the decision can be missing.
    without(&scene, "games.jsonl", "few.jsonl", &[2]);
    let outcome = scene.referee("report few.jsonl").exits(1);
    assert_ends(
        &outcome.stdout,
        &format!("\nMissing: 1 of {last} games\n  game 2\n"),
    );
    // The verdict follows from the games, without its line.
    rewrite(&scene, "games.jsonl", "games-only.jsonl", |_| true);
    let text = scene.text("games-only.jsonl");
    let games: Vec<&str> = text.lines().filter(|line| !line.contains("\"sprt\":{")).collect();
    scene.file("games-only.jsonl", &(games.join("\n") + "\n"));
    assert_eq!(report(&scene, "games-only.jsonl"), printed);
}

#[test]
fn games_without_openings_are_not_missing_in_an_sprt() {
    let scene = Scene::new();
    scene.file("book.txt", "a1\nh8 a1\n");
    let options = between(&["a", "b"]).replace("random:2", "book.txt");
    let printed = play(&scene, &(options + " --games 100 --sprt elo0=0 elo1=1"));
    assert!(printed.contains("inconclusive"), "{printed}");
    assert_eq!(report(&scene, "games.jsonl"), printed);
}

#[test]
fn options_add_sections() {
    let scene = Scene::new();
    let printed = play(&scene, &(between(&["a", "b", "c"]) + " --games 2"));
    // The summary of a few players includes the crosstable.
    assert_eq!(report(&scene, "games.jsonl --crosstable"), printed);
    assert_eq!(printed.matches("Points against").count(), 1);
    let text = report(&scene, "games.jsonl --head-to-head");
    let meetings = text.strip_prefix(&printed).unwrap();
    let lines: Vec<&str> = meetings.lines().collect();
    assert_eq!(lines.len(), 3, "{meetings}");
    assert!(
        lines
            .iter()
            .all(|line| line.contains(" vs ") && line.contains("] 2, too few games for Elo"))
    );
    let text = report(&scene, "games.jsonl --times");
    let times = text.strip_prefix(&printed).unwrap();
    assert_eq!(times.matches("Time a move: ").count(), 3, "{times}");

    let scene = Scene::new();
    let names: Vec<String> = (0..13).map(|number| format!("p{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let printed = play(&scene, &(between(&names) + " --games 1 --format gauntlet"));
    assert!(!printed.contains("Points against"), "{printed}");
    let text = report(&scene, "games.jsonl --crosstable");
    let table = text.strip_prefix(&printed).unwrap();
    assert_eq!(table.lines().count(), 14, "{table}");
    assert!(table.starts_with("     Points against"), "{table}");

    let scene = Scene::new();
    play(&scene, &between(&["a", "b"]));
    let text = report(&scene, "games.jsonl --crosstable --head-to-head");
    assert!(
        text.contains("Points against") && text.contains("\na vs b: "),
        "{text}"
    );
}

#[test]
fn json_has_numbers_and_infinity_as_text() {
    let scene = Scene::new();
    play(&scene, &(between(&["a", "b"]) + " --games 4"));
    rewrite(&scene, "games.jsonl", "won.jsonl", |game| {
        let is_first = game["first"] == json!("a");
        game["result"] = json!(if is_first { "1-0" } else { "0-1" });
        true
    });
    let outcome = scene.referee("report --json won.jsonl").succeeds();
    assert_eq!(outcome.stdout.lines().count(), 1);
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["meetings"][0]["elo"]["value"], json!("inf"));
    assert_eq!(report["meetings"][0]["pentanomial"], json!([0, 0, 0, 0, 2]));
    assert_eq!(report["players"][0]["points"], json!(4.0));
    assert_eq!(report["files"], json!(["won.jsonl"]));
    assert_eq!(report["missing"]["games"], json!(0));
    assert_eq!(report["notes"], json!([]));
}

/// A round robin of six in `games.jsonl`: `alice` and `bob` win every game against the
/// others, and draw against each other.
fn separated() -> Scene {
    let scene = Scene::new();
    let names = ["dora", "alice", "emil", "bob", "carol", "fred"];
    play(&scene, &(between(&names) + " --games 2"));
    rewrite(&scene, "games.jsonl", "games.jsonl", |game| {
        let strong = ["first", "second"].map(|side| ["alice", "bob"].contains(&game[side].as_str().unwrap()));
        game["result"] = json!(match strong {
            [true, false] => "1-0",
            [false, true] => "0-1",
            _ => "1/2-1/2",
        });
        true
    });
    scene
}

#[test]
fn separated_players_have_finite_ratings_and_equal_points_share_a_rank() {
    let scene = separated();
    let text = report(&scene, "games.jsonl");
    assert!(!text.contains("inf") && !text.contains("undefined"), "{text}");
    assert_has(
        &text,
        "\nRank Name  Points Percent Games W D L  Elo 95 % interval\n",
    );
    assert_has_all(
        &text,
        [
            "\n  1= alice    9.0  90.0 %    10 8 2 0 ",
            "\n  1= bob      9.0  90.0 %    10 8 2 0 ",
            "\n  3= dora     3.0  30.0 %    10 0 6 4 ",
        ],
    );
    let report = json_report(&scene, "games.jsonl");
    let players = report["players"].as_array().unwrap();
    let ranks: Vec<u64> = players
        .iter()
        .map(|player| player["rank"].as_u64().unwrap())
        .collect();
    assert_eq!(ranks, [1, 1, 3, 3, 3, 3]);
    for player in players {
        let [elo, low, high] = ["elo", "low", "high"].map(|field| player["rating"][field].as_f64().unwrap());
        assert!(low < elo && elo < high && high - low < 2000.0, "{player}");
    }
}

#[test]
fn a_short_match_has_no_error_bar() {
    let scene = Scene::new();
    play(&scene, &(between(&["a", "b"]) + " --games 4"));
    rewrite(&scene, "games.jsonl", "even.jsonl", |game| {
        game["result"] = json!(if game["first"] == json!("a") { "1-0" } else { "0-1" });
        if game["pair"] == json!(2) {
            game["result"] = json!(if game["first"] == json!("a") { "0-1" } else { "1-0" });
        }
        true
    });
    let text = report(&scene, "even.jsonl --head-to-head");
    assert_has(&text, "\nElo: too few games (2 pairs; an interval needs 10)\n");
    assert_has(&text, "\nScore of a vs b: 2 - 2 - 0 [0.500] 4\n");
    assert_ends(&text, "\na vs b: 2 - 2 - 0 [0.500] 4, too few games for Elo\n");
    let elo = &json_report(&scene, "even.jsonl")["meetings"][0]["elo"];
    assert_eq!(elo, &json!({"value": 0.0, "low": null, "high": null}));
}

#[test]
fn tables_fit_the_terminal() {
    let scene = separated();
    let plain = report(&scene, "games.jsonl");
    for width in [40, 60, 80, 200] {
        // On a busy machine, even this report shows its progress.
        let script = "$REFEREE report games.jsonl 2>/dev/null";
        let mut program = Driver::shell_on_terminal(&scene, script, (24, width));
        let text = program.ends(0);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= usize::from(width), "{width}: {text}");
        assert_has_all(&text, ["alice", "bob", "carol", "dora", "emil", "fred"]);
        assert!(text.contains("95 % interval"), "{width}: {text}");
        if width == 200 {
            let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
            assert_eq!(words(&text), words(&plain));
        }
    }
}

#[test]
fn csv_has_the_numbers_of_the_table() {
    let scene = separated();
    let text = report(&scene, "games.jsonl --csv");
    let lines: Vec<Vec<&str>> = text
        .split_terminator("\r\n")
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(lines.len(), 7, "{text}");
    assert_eq!(
        lines[0][..12],
        [
            "match", "rank", "name", "points", "percent", "games", "wins", "ties", "losses", "elo",
            "elo_low", "elo_high"
        ]
    );
    let report = json_report(&scene, "games.jsonl");
    for (line, player) in lines[1..].iter().zip(report["players"].as_array().unwrap()) {
        assert_eq!(line.len(), lines[0].len());
        assert_eq!(line[2], player["name"]);
        for (cell, number) in [
            (1, &player["rank"]),
            (3, &player["points"]),
            (6, &player["wins"]),
            (7, &player["ties"]),
            (9, &player["rating"]["elo"]),
            (10, &player["rating"]["low"]),
            (11, &player["rating"]["high"]),
        ] {
            let difference = line[cell].parse::<f64>().unwrap() - number.as_f64().unwrap();
            assert!(difference.abs() <= 0.05, "{line:?} {player}");
        }
    }
    assert!(
        lines[1].starts_with(&["1", "1", "alice", "9.0", "90.0", "10", "8", "2", "0"]),
        "{text}"
    );

    // What the table lacks is a warning, and the exit status says so, too.
    without(&scene, "games.jsonl", "few.jsonl", &[3]);
    let outcome = scene.referee("report few.jsonl --csv").exits(1);
    outcome.says("Missing: 1 of 30 games");
    assert_eq!(outcome.stdout.matches("\r\n").count(), 7);
    for option in ["--json", "--crosstable", "--times", "--head-to-head"] {
        let outcome = scene.referee(&format!("report games.jsonl --csv {option}"));
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (Some(2), ""),
            "{option}"
        );
    }
}

/// A gauntlet of many players in `games.jsonl`, whose intervals take seconds.
fn long_report() -> Scene {
    const PLAYERS: usize = 250;
    let scene = Scene::new();
    play(&scene, &(between(&["p0", "p1"]) + " --games 1 --format gauntlet"));
    let lines = scene.results("games.jsonl");
    let [mut header, game] = [0, 1].map(|line: usize| lines[line].clone());
    let engine = header["engines"][1].clone();
    let mut text = String::new();
    for player in 2..PLAYERS {
        let mut engine = engine.clone();
        engine["name"] = json!(format!("p{player}"));
        header["engines"].as_array_mut().unwrap().push(engine);
    }
    text.extend([header.to_string().as_str(), "\n"]);
    for player in 1..PLAYERS {
        let mut game = game.clone();
        game["id"] = json!(player);
        game["pair"] = json!(player);
        game["second"] = json!(format!("p{player}"));
        game["start"] = json!(format!("another game {player}"));
        text.extend([game.to_string().as_str(), "\n"]);
    }
    scene.file("games.jsonl", &text);
    scene
}

#[test]
fn long_report_shows_progress_and_stops_at_once() {
    let scene = long_report();
    let mut program = Driver::on_terminal(&scene, "report games.jsonl");
    program.until(" of 1000 samples for the intervals | about ");
    program.until(" left");
    program.type_keys("\x03");
    let text = program.ends(130);
    assert!(!text.contains("Fingerprint"), "{text}");
}

#[test]
fn report_shows_no_progress_in_a_pipe() {
    let scene = separated();
    let outcome = scene.referee("report games.jsonl --pgn games.pgn").succeeds();
    assert!(!outcome.stdout.contains('\x1b') && !outcome.stdout.contains("samples"));
}

#[test]
fn closed_stdout_is_an_error() {
    let scene = Scene::new();
    play(&scene, &between(&["a", "b"]));
    for words in ["", "--json"] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut command = scene.command(&format!("report games.jsonl {words}"));
        let output = command.stdin(Stdio::null()).stdout(writer).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{stderr}");
        assert!(stderr.starts_with("referee: the terminal or standard output failed: "));
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}
