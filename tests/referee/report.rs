//! Reports on result files.

use std::fs::OpenOptions;

use serde_json::{Value, json};

use crate::driver::Driver;
use crate::recorded::{json_report, player};
use crate::support::{
    Scene, assert_ends, assert_has, assert_has_all, assert_lacks, assert_rows, assert_starts, expect,
    json_lines, run_without_stdout,
};

/// Ample time: the machine may be busy, and these tests do not test the clock.
const EACH: &str = "--each st=1 timemargin=5000 --openings random:2 --quiet";

/// The options of a match between random players.
pub fn between(names: &[&str]) -> String {
    let players = names.iter().zip(1..);
    let players = players.map(|(name, seed)| format!("--engine cmd=random name={name} option.Seed={seed} "));
    players.collect::<String>() + EACH
}

/// Plays a match into `games.jsonl`; returns its output.
#[track_caller]
pub fn play(scene: &Scene, options: &str) -> String {
    let outcome = scene.referee(&format!("match {options} --out games.jsonl"));
    outcome.succeeds().stdout
}

/// The output of a report without errors and missing games.
#[track_caller]
pub fn report(scene: &Scene, words: &str) -> String {
    scene.referee(&format!("report {words}")).succeeds().stdout
}

/// The output of a report with missing games.
#[track_caller]
fn incomplete(scene: &Scene, words: &str) -> String {
    let outcome = scene.referee(&format!("report {words}")).exits(1);
    assert_eq!(outcome.stderr, "", "{words}");
    outcome.stdout
}

/// Copies a result file. `change` may change each record, and drops it by returning
/// false.
fn rewrite(scene: &Scene, from: &str, to: &str, change: impl Fn(&mut Value) -> bool) {
    let mut kept = String::new();
    for mut object in scene.results(from) {
        if object.get("moves").is_none() || change(&mut object) {
            kept += &(object.to_string() + "\n");
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
    let book = between(&["a", "b"]).replace("random:2", "book.txt");
    for (options, part) in [
        (between(&["a", "b"]) + " --games 6 --concurrency 2", "a vs b"),
        (between(&["a", "b", "c", "d"]) + " --games 2", "Round robin"),
        (
            between(&["a", "b", "c"]) + " --games 3 --format gauntlet --variant gridlock",
            "Gauntlet",
        ),
        (
            between(&["a", "b", "c", "d", "e"]) + " --format swiss rounds=3",
            "Swiss",
        ),
        (between(&["a", "b"]) + " --games 5 --sprt elo0=0 elo1=5", "LLR"),
        (between(&["a", "b"]), "a vs b"),
        // Games without openings are not missing.
        (book + " --games 100 --sprt elo0=0 elo1=1", "inconclusive"),
    ] {
        let scene = Scene::new();
        scene.file("book.txt", "a1\nh8 a1\n");
        // A test that runs out of openings begins with a warning.
        let outcome = scene.referee(&format!("match {options} --out games.jsonl"));
        let printed = outcome.exits(0).stdout;
        assert_has(&printed, part);
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
    assert_eq!([&all["scheduled"], &all["games"]], [12, 12]);
    let missing = json!({"games": 0, "of": 12, "runs": [], "shards": [], "shard_count": null});
    assert_eq!(all["missing"], missing);
    let files = ["0.jsonl", "1.jsonl", "2.jsonl"];
    let prints = files.map(|file| fingerprint(&json_report(&scene, file)));
    assert_eq!(fingerprint(&all), prints.into_iter().fold(0, u64::wrapping_add));
    let text = report(&scene, "0.jsonl 1.jsonl 2.jsonl");
    assert_has(&text, "\nRound robin of 3 (");

    let missing = incomplete(&scene, "0.jsonl 2.jsonl");
    assert_has(&missing, expect! {"Missing: 4 of 12 games"});
    assert_has(missing, expect! {"  shard 1/3: no file"});
    // One file may hold several shards.
    scene.file("all.jsonl", &files.map(|file| scene.text(file)).concat());
    assert_eq!(report(&scene, "all.jsonl"), text);
}

#[test]
fn merges_files_of_a_match() {
    let scene = Scene::new();
    let players = between(&["a", "b", "c"]);
    let printed = play(&scene, &(players.clone() + " --games 2"));
    // A game in two files counts once.
    without(&scene, "games.jsonl", "half.jsonl", &[2, 4, 5]);
    without(&scene, "games.jsonl", "other.jsonl", &[1, 3]);
    assert_eq!(report(&scene, "games.jsonl half.jsonl games.jsonl"), printed);
    let (both, whole) = (
        json_report(&scene, "other.jsonl half.jsonl"),
        json_report(&scene, "games.jsonl"),
    );
    assert_eq!(
        (fingerprint(&both), &both["games"]),
        (fingerprint(&whole), &json!(6))
    );
    assert_eq!(json_report(&scene, "half.jsonl")["missing"]["games"], json!(3));

    // The match gets more games.
    scene.file("short.jsonl", &scene.text("games.jsonl"));
    let grown = play(&scene, &(players + " --games 4"));
    let printed = report(&scene, "games.jsonl");
    assert_ends(grown, &printed);
    assert_eq!(report(&scene, "short.jsonl games.jsonl"), printed);
    assert_eq!(report(&scene, "games.jsonl short.jsonl"), printed);
}

#[test]
fn names_missing_games() {
    let scene = Scene::new();
    play(&scene, &(between(&["a", "b"]) + " --games 14"));
    without(&scene, "games.jsonl", "few.jsonl", &[3, 7, 8, 9, 12, 14]);
    assert_ends(incomplete(&scene, "few.jsonl"), "\n  games 3, 7–9, 12, 14\n");
    let missing = &json_report(&scene, "few.jsonl")["missing"];
    assert_eq!(missing["runs"], json!([[3, 3], [7, 9], [12, 12], [14, 14]]));

    // All games are missing.
    without(&scene, "games.jsonl", "none.jsonl", &(1..=14).collect::<Vec<_>>());
    let text = incomplete(&scene, "none.jsonl --crosstable --head-to-head --times");
    assert_ends(text, "  games 1–14\n");
    let json = scene.referee("report none.jsonl --json").stdout;
    assert!(!json.contains("-0.0") && !json.contains("NaN"), "{json}");

    // Unpaired rounds are missing.
    let scene = Scene::new();
    play(
        &scene,
        &(between(&["a", "b", "c", "d"]) + " --format swiss rounds=3"),
    );
    without(&scene, "games.jsonl", "few.jsonl", &(6..=12).collect::<Vec<_>>());
    assert_ends(incomplete(&scene, "few.jsonl"), "\n  games 6–12\n");
    // Without all results of the first round the second cannot be paired.
    without(&scene, "games.jsonl", "few.jsonl", &[2]);
    let shown = incomplete(&scene, "few.jsonl");
    assert_has(&shown, "  games 2, 5–12\n");
    assert_has(
        shown,
        expect! {"Note: 8 games do not count: their rounds cannot be paired while a result before them is missing"},
    );
}

#[test]
fn reports_on_a_running_match() {
    let scene = Scene::new();
    let printed = play(&scene, &(between(&["a", "b"]) + " --games 4"));
    let text = scene.text("games.jsonl");
    scene.file("torn.jsonl", &text[..text.len() - 10]);
    let shown = incomplete(&scene, "torn.jsonl");
    assert_has(&shown, "\n  game 4\n");
    assert_has(
        shown,
        expect! {"Note: torn.jsonl: line 5 is incomplete; the match still runs, or was killed"},
    );
    let notes = &json_report(&scene, "torn.jsonl")["notes"];
    assert_eq!(notes.as_array().unwrap().len(), 1);
    // Only the last line break is missing.
    scene.file("whole.jsonl", text.trim_end());
    assert_eq!(report(&scene, "whole.jsonl"), printed);
    // Games in another file are not missing.
    assert_starts(report(&scene, "torn.jsonl games.jsonl"), printed.trim_end());

    // A running referee locks the file.
    let file = OpenOptions::new().append(true).open(scene.path("games.jsonl"));
    let file = file.unwrap();
    file.lock().unwrap();
    assert_eq!(report(&scene, "games.jsonl"), printed);
}

#[test]
fn rejects_files_that_are_not_result_files() {
    let scene = Scene::new();
    play(&scene, &between(&["a", "b"]));
    let text = scene.text("games.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    scene.file("foreign.jsonl", "some notes\n");
    scene.file("wrong.jsonl", &[lines[0], "{\"id\":1,", lines[1], ""].join("\n"));
    let changed = |to: &str, field: &str, value: &Value| {
        rewrite(&scene, "games.jsonl", to, |game| {
            game[field] = value.clone();
            true
        });
    };
    changed("else.jsonl", "first", &json!("c"));
    changed("far.jsonl", "id", &json!(3));
    let table = expect![[r#"
        foreign.jsonl | foreign.jsonl is not a result file (line 1: not JSON: expected value
        wrong.jsonl | wrong.jsonl: line 2: not JSON: EOF while parsing
        else.jsonl | else.jsonl: line 2: game 1 is between a and b (pair 1), not between c and b
        far.jsonl | far.jsonl: line 2: there is no game 3 in the schedule
        nowhere.jsonl | `nowhere.jsonl` cannot be read: No such file or directory
        /dev/null | `/dev/null` cannot be read: it is a device, not a file
    "#]];
    assert_rows(table, |[file]| {
        let alone = scene.refused(&format!("report {file}"));
        let other = scene.refused(&format!("report {file} games.jsonl --pgn games.pgn"));
        assert_eq!(other, alone);
        alone
    });
    assert!(!scene.path("games.pgn").exists());
    scene.referee("report").exits(2);
    scene.referee("report games.jsonl --json --crosstable").exits(2);
}

#[test]
fn prints_one_table_per_match() {
    let scene = Scene::new();
    let players = between(&["a", "b"]);
    let printed = play(&scene, &(players.clone() + " --games 4"));
    let line = format!("match {players} --games 3 --seed 2 --out other.jsonl");
    let other = scene.referee(&line).exits(0).stdout;
    let shown = report(&scene, "games.jsonl other.jsonl games.jsonl");
    expect![[r#"
        The files belong to 2 matches, which are counted separately.

        Match 1 of 2: games.jsonl
        (the first table)

        Match 2 of 2: other.jsonl
        Differs from match 1: --games was 4, now 3; --seed was 1, now 2
        (the second table)
    "#]]
    .assert_eq(
        &shown
            .replace(&printed, "(the first table)\n")
            .replace(&other, "(the second table)\n"),
    );
    // One match is incomplete.
    without(&scene, "other.jsonl", "other.jsonl", &[1]);
    let lines = json_lines(&incomplete(&scene, "--json games.jsonl other.jsonl"));
    let missing = lines.iter().map(|line| &line["missing"]["games"]);
    assert!(missing.eq([0, 1].map(Value::from).iter()), "{lines:?}");
}

#[test]
fn games_after_the_decision_of_an_sprt_are_not_missing() {
    let scene = Scene::new();
    let options = "lodestone random --each nodes=100 st=5 timemargin=5000 --openings random:4 --quiet \
                   --games 1000 --sprt elo0=0 elo1=300 alpha=0.2 beta=0.2";
    let printed = play(&scene, options);
    assert_has(&printed, "H1 accepted");
    assert_eq!(report(&scene, "games.jsonl"), printed);
    let end = scene.results("games.jsonl").pop().unwrap();
    let last = 2 * end["sprt"]["pairs"].as_u64().unwrap();
    assert!((4..200).contains(&last), "{end}");
    let verdict = &json_report(&scene, "games.jsonl")["sprt"]["accepted"];
    assert_eq!(verdict, &json!("H1"));

    // Only a game before the decision can be missing.
    without(&scene, "games.jsonl", "few.jsonl", &[2]);
    assert_ends(
        incomplete(&scene, "few.jsonl"),
        format!(" 1 of {last} games\n  game 2\n"),
    );
    // The verdict follows from the games, without its line.
    let text = scene.text("games.jsonl");
    let lines = text.split_inclusive('\n');
    let games: String = lines.filter(|line| !line.contains("\"sprt\":{")).collect();
    scene.file("games-only.jsonl", &games);
    assert_eq!(report(&scene, "games-only.jsonl"), printed);
}

#[test]
fn options_add_sections() {
    let scene = Scene::new();
    let printed = play(&scene, &(between(&["a", "b", "c"]) + " --games 2"));
    // The summary of a few players includes the crosstable.
    assert_eq!(report(&scene, "games.jsonl --crosstable"), printed);
    assert_eq!(printed.matches("Points against").count(), 1);
    let text = report(&scene, "games.jsonl --head-to-head");
    let lines: Vec<&str> = text.strip_prefix(&printed).unwrap().lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    for line in lines {
        assert_has_all(line, [" vs ", "] 2, too few games for Elo"]);
    }
    let text = report(&scene, "games.jsonl --times");
    let times = text.strip_prefix(&printed).unwrap();
    assert_eq!(times.matches("Time a move: ").count(), 3, "{times}");

    let scene = Scene::new();
    let names: Vec<String> = (0..13).map(|number| format!("p{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let printed = play(&scene, &(between(&names) + " --games 1 --format gauntlet"));
    assert_lacks(&printed, "Points against");
    let text = report(&scene, "games.jsonl --crosstable");
    let table = text.strip_prefix(&printed).unwrap();
    assert_eq!(table.lines().count(), 14, "{table}");
    assert_starts(table, "     Points against");

    let scene = Scene::new();
    play(&scene, &between(&["a", "b"]));
    let text = report(&scene, "games.jsonl --crosstable --head-to-head");
    assert_has_all(text, ["Points against", "\na vs b: "]);
}

#[test]
fn short_matches_have_no_error_bar_and_infinite_ratings() {
    let scene = Scene::new();
    play(&scene, &(between(&["a", "b"]) + " --games 4"));
    let decided = |to: &str, wins: fn(u64) -> bool| {
        rewrite(&scene, "games.jsonl", to, |game| {
            let is_won = (game["first"] == "a") == wins(game["pair"].as_u64().unwrap());
            game["result"] = json!(if is_won { "1-0" } else { "0-1" });
            true
        });
    };
    decided("won.jsonl", |_| true);
    let lines = json_lines(&report(&scene, "--json won.jsonl"));
    let [report_of_won] = &lines[..] else {
        panic!("{lines:?}")
    };
    let meeting = &report_of_won["meetings"][0];
    assert_eq!(meeting["elo"]["value"], json!("inf"));
    assert_eq!(meeting["pentanomial"], json!([0, 0, 0, 0, 2]));
    assert_eq!(report_of_won["players"][0]["points"], json!(4.0));
    assert_eq!(report_of_won["files"], json!(["won.jsonl"]));
    assert_eq!(report_of_won["missing"]["games"], json!(0));
    assert_eq!(report_of_won["notes"], json!([]));

    decided("even.jsonl", |pair| pair == 1);
    let text = report(&scene, "even.jsonl --head-to-head");
    assert_has(
        &text,
        expect! {"Elo: too few games (2 pairs; an interval needs 10)"},
    );
    assert_has(&text, expect! {"Score of a vs b: 2 - 2 - 0 [0.500] 4"});
    assert_has(
        &text,
        expect! {"a vs b: 2 - 2 - 0 [0.500] 4, too few games for Elo"},
    );
    let elo = &json_report(&scene, "even.jsonl")["meetings"][0]["elo"];
    assert_eq!(elo, &json!({"value": 0.0, "low": null, "high": null}));
}

/// A round robin of six in `games.jsonl`: `alice` and `bob` win every game against the
/// others, and draw against each other.
fn separated() -> Scene {
    let scene = Scene::new();
    let names = ["dora", "alice", "emil", "bob", "carol", "fred"];
    play(&scene, &(between(&names) + " --games 2"));
    rewrite(&scene, "games.jsonl", "games.jsonl", |game| {
        let strong = ["first", "second"].map(|side| game[side] == "alice" || game[side] == "bob");
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
fn separated_players_have_finite_ratings_in_every_form() {
    let scene = separated();
    let plain = report(&scene, "games.jsonl");
    assert!(!plain.contains("inf") && !plain.contains("undefined"), "{plain}");
    for row in [
        "\nRank Name  Points Percent Games W D L  Elo 95 % interval\n",
        "\n  1= alice    9.0  90.0 %    10 8 2 0 ",
        "\n  1= bob      9.0  90.0 %    10 8 2 0 ",
        "\n  3= dora     3.0  30.0 %    10 0 6 4 ",
    ] {
        assert_has(&plain, row);
    }
    let json = json_report(&scene, "games.jsonl");
    let players = json["players"].as_array().unwrap();
    let ranks: Vec<u64> = players
        .iter()
        .map(|player| player["rank"].as_u64().unwrap())
        .collect();
    assert_eq!(ranks, [1, 1, 3, 3, 3, 3]);
    for player in players {
        let [elo, low, high] = ["elo", "low", "high"].map(|field| player["rating"][field].as_f64().unwrap());
        assert!(low < elo && elo < high && high - low < 2000.0, "{player}");
    }

    // The table fits the terminal.
    for width in [40, 60, 80, 200] {
        // On a busy machine, even this report shows its progress.
        let script = "$REFEREE report games.jsonl 2>/dev/null";
        let text = Driver::shell_on_terminal(&scene, script, (24, width)).ends(0);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= usize::from(width), "{width}: {text}");
        assert_has_all(
            &text,
            ["alice", "bob", "carol", "dora", "emil", "fred", "95 % interval"],
        );
        if width == 200 {
            assert!(text.split_whitespace().eq(plain.split_whitespace()), "{text}");
        }
    }

    // CSV has the numbers of the table.
    let text = report(&scene, "games.jsonl --csv");
    let lines: Vec<Vec<&str>> = text
        .split_terminator("\r\n")
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(lines.len(), 7, "{text}");
    let columns = "match,rank,name,points,percent,games,wins,ties,losses,elo,elo_low,elo_high";
    assert_eq!(lines[0][..12].join(","), columns);
    for line in &lines[1..] {
        assert_eq!(line.len(), lines[0].len());
        let player = player(&json, line[2]);
        let rating = &player["rating"];
        for (cell, number) in [
            (1, &player["rank"]),
            (3, &player["points"]),
            (6, &player["wins"]),
            (7, &player["ties"]),
            (9, &rating["elo"]),
            (10, &rating["low"]),
            (11, &rating["high"]),
        ] {
            let difference = line[cell].parse::<f64>().unwrap() - number.as_f64().unwrap();
            assert!(difference.abs() <= 0.05, "{line:?} {player}");
        }
    }
    assert_has(&text, "\r\n1,1,alice,9.0,90.0,10,8,2,0,");

    // What the table lacks is a warning, and the exit status says so, too.
    without(&scene, "games.jsonl", "few.jsonl", &[3]);
    let outcome = scene.referee("report few.jsonl --csv").exits(1);
    outcome.says(expect! {"Missing: 1 of 30 games"});
    assert_eq!(outcome.stdout.matches("\r\n").count(), 7);
    for option in ["--json", "--crosstable", "--times", "--head-to-head"] {
        scene.assert_refused(
            &format!("report games.jsonl --csv {option}"),
            expect! {"cannot be used with"},
        );
    }

    // No progress in a pipe.
    let shown = report(&scene, "games.jsonl --pgn games.pgn");
    assert!(!shown.contains('\x1b') && !shown.contains("samples"));
}

/// A gauntlet of many players in `games.jsonl`, whose intervals take seconds.
fn long_report() -> Scene {
    const PLAYERS: usize = 250;
    let scene = Scene::new();
    play(&scene, &(between(&["p0", "p1"]) + " --games 1 --format gauntlet"));
    let lines = scene.results("games.jsonl");
    let [mut header, game] = [0, 1].map(|line: usize| lines[line].clone());
    let engines = header["engines"].as_array_mut().unwrap();
    let mut records = String::new();
    for player in 1..PLAYERS {
        let mut engine = engines[1].clone();
        engine["name"] = json!(format!("p{player}"));
        if player > 1 {
            engines.push(engine);
        }
        let mut game = game.clone();
        for (field, value) in [
            ("id", json!(player)),
            ("pair", json!(player)),
            ("second", json!(format!("p{player}"))),
            ("start", json!(format!("another game {player}"))),
        ] {
            game[field] = value;
        }
        records += &(game.to_string() + "\n");
    }
    scene.file("games.jsonl", &format!("{header}\n{records}"));
    scene
}

#[test]
fn long_report_shows_progress_and_stops_at_once() {
    let scene = long_report();
    let mut program = Driver::on_terminal(&scene, "report games.jsonl");
    program.until(" of 1000 samples for the intervals | about ");
    program.until(" left");
    program.talk("^C");
    assert_lacks(program.ends(130), "Fingerprint");
}

#[test]
fn a_table_is_printed_or_written_to_a_file() {
    let scene = Scene::new();
    play(&scene, &between(&["a", "b"]));
    let printed = scene.referee("report --csv games.jsonl").exits(0).stdout;
    assert_starts(&printed, "match,rank,name,");
    for words in ["--csv=one.csv", "--csv two.csv"] {
        assert_eq!(
            scene
                .referee(&format!("report games.jsonl {words}"))
                .exits(0)
                .stdout,
            ""
        );
    }
    assert_eq!(
        [scene.text("one.csv"), scene.text("two.csv")],
        [printed.clone(), printed]
    );
}

#[test]
fn a_reader_that_ends_early_is_no_error() {
    let scene = Scene::new();
    play(&scene, &between(&["a", "b"]));
    for words in ["", "--json"] {
        let mut command = scene.command(&format!("report games.jsonl {words}"));
        assert_eq!(run_without_stdout(&mut command).exits(0).stderr, "");
    }
}
