//! `referee ladder`: submissions that change, runs that go on, and what disturbs them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use lodestone_game::random::Random;
use rustix::process::Signal;
use serde_json::Value;

use crate::recorded::{games, headers, json_report, player};
use crate::support::{
    Bot, Running, Scene, assert_has, assert_has_all, assert_lacks, assert_rows, expect, joined, run,
    wait_until,
};

/// Depth 1 makes all games the same on every machine. A busy machine must lose none.
const LADDER: &str = "ladder hand-in --out ladder.jsonl --sandbox=off --each depth=1 timemargin=60000";

/// A submission that plays like a built-in player. `comment` makes it another version.
fn submit(scene: &Scene, name: &str, player: &str, comment: &str) {
    scene.folder(&format!("hand-in/{name}"));
    let referee = env!("CARGO_BIN_EXE_referee");
    scene.script(
        &format!("hand-in/{name}/run"),
        &format!("#!/bin/sh\n# {comment}\nexec '{referee}' builtin {player}\n"),
    );
}

/// Four submissions.
fn course() -> Scene {
    let scene = Scene::new();
    for (name, player) in [
        ("ann", "squares"),
        ("bob", "plain"),
        ("cem", "groups"),
        ("dan", "plain"),
    ] {
        submit(&scene, name, player, name);
    }
    scene
}

/// The rows of the file of `--csv` by name, each with its fields.
fn grades(scene: &Scene) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(scene.path("grades.csv")).unwrap();
    let rows = reader.deserialize::<BTreeMap<String, String>>();
    let rows: Vec<BTreeMap<String, String>> = rows.map(Result::unwrap).collect();
    rows.into_iter().map(|row| (row["name"].clone(), row)).collect()
}

/// The names in the table of a summary.
fn ranked(stdout: &str) -> Vec<&str> {
    let table = stdout.split("\nRank Name").nth(1).unwrap();
    let rows = table.lines().skip(1).take_while(|line| !line.starts_with("---"));
    rows.map(str::trim).collect()
}

/// The points of a version in all its games, by its line `6 games of this version: 3 won, 1 drawn, 2 lost`.
fn points_by_feedback(scene: &Scene, name: &str) -> f64 {
    let text = joined(&scene.text(&format!("feedback/{name}.txt")));
    let (_, counts) = text.split_once(" of this version: ").unwrap();
    let mut numbers = counts
        .split_whitespace()
        .step_by(2)
        .map(|count| count.parse::<f64>().unwrap());
    numbers.next().unwrap() + numbers.next().unwrap() / 2.0
}

#[test]
fn a_ladder_goes_on_with_what_is_there() {
    let scene = course();
    submit(&scene, "eve", "plain", "");
    fs::set_permissions(scene.path("hand-in/eve/run"), fs::Permissions::from_mode(0o644)).unwrap();
    let line = format!("{LADDER} --csv grades.csv --feedback feedback --reviews 0 --html page.html --quiet");
    let first = scene.referee(&format!("{line} --games 8")).exits(0);
    first.says(expect! {"not in this run: eve: `run` in hand-in/eve is not executable"});
    first.shows(expect! {"Ladder of 4 (magnetic-cave, "});
    first.shows(
        expect! {"8 games so far. They are saved in ladder.jsonl; run the same command again to resume"},
    );
    let rows = grades(&scene);
    assert_eq!(rows.len(), 5);
    assert_eq!((&*rows["ann"]["version"], &*rows["ann"]["games"]), ("1", "4"));
    assert_has(&rows["eve"]["problem"], "is not executable");
    assert_eq!(rows["eve"]["rank"], "");
    let text = scene.text("feedback/ann.txt");
    assert_has_all(
        &text,
        [
            "ann, version 1\n",
            " of 4 submissions. Rating ",
            "4 games of this version",
            "No game was lost by a fault",
        ],
    );
    assert_has(scene.text("feedback/eve.txt"), "eve: not in the last run");
    let before = ["ann", "cem"].map(|name| points_by_feedback(&scene, name));
    assert!(before.iter().any(|points| *points > 0.0), "{before:?}");

    // A new version, a mended one, one that has left, and files that do not count.
    submit(&scene, "bob", "squares", "better");
    fs::set_permissions(scene.path("hand-in/eve/run"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_dir_all(scene.path("hand-in/dan")).unwrap();
    scene.folder("hand-in/ann/__pycache__");
    scene.file("hand-in/ann/__pycache__/bot.pyc", "x");
    let second = scene.referee(&format!("{line} --games 12")).succeeds();
    second.shows(expect! {"20 games so far"});
    let names = ranked(&second.stdout).join("\n");
    assert_has_all(&names, ["ann ", "bob v2 ", "cem ", "eve "]);
    assert_lacks(&names, "dan");
    let rows = grades(&scene);
    assert_eq!((&*rows["bob"]["version"], &*rows["ann"]["version"]), ("2", "1"));
    assert_eq!(rows["ann"]["games"], "10");
    assert_lacks(scene.text("grades.csv"), "dan");
    let ann = joined(&scene.text("feedback/ann.txt"));
    assert!(
        ann.contains("In the last run, it got ") && ann.contains(" in 6 games, and was rated "),
        "{ann}"
    );
    for (name, before) in ["ann", "cem"].into_iter().zip(before) {
        let text = joined(&scene.text(&format!("feedback/{name}.txt")));
        let got = points_by_feedback(&scene, name) - before;
        assert_has(text, format!("In the last run, it got {got} point"));
    }
    let text = scene.text("feedback/bob.txt");
    assert_lacks(&text, "In the last run");
    assert_has_all(
        &text,
        [
            "bob, version 2\n",
            "Rating over versions\n  version 1: ",
            "\n  version 2: ",
        ],
    );

    // All games are there, and other commands read the file as one match.
    let all = games(&scene, "ladder.jsonl");
    assert_eq!(
        all.keys().copied().collect::<Vec<_>>(),
        (1..=20).collect::<Vec<_>>()
    );
    let dan = all
        .values()
        .filter(|game| game["first"] == "dan" || game["second"] == "dan");
    assert_eq!(dan.count(), 4);
    let report = scene.referee("report ladder.jsonl --html report.html").succeeds();
    assert_eq!(ranked(&report.stdout), ranked(&second.stdout));
    scene.referee("show ladder.jsonl --game 20").succeeds();
    scene.referee("verify ladder.jsonl").succeeds();
    let page = scene.text("page.html");
    assert_has_all(&page, ["bob v2", "<dt>Games</dt><dd>20</dd>"]);
    assert_lacks(&page, "was stopped after");

    // Nothing has changed: the stage goes on.
    let count = headers(&scene, "ladder.jsonl").len();
    scene.referee(&format!("{line} --games 1")).succeeds();
    assert_eq!(headers(&scene, "ladder.jsonl").len(), count);
    let texts = ["ann", "bob", "cem", "eve"].map(|name| scene.text(&format!("feedback/{name}.txt")));
    let played = texts
        .iter()
        .filter(|text| joined(text).contains(" in 1 game, and was rated "));
    assert_eq!(played.count(), 2);
    scene.assert_no_process_left();
}

#[test]
fn a_version_that_only_fails_is_last_and_a_reference_player_takes_no_place() {
    let scene = course();
    let line = format!("{LADDER} random --csv grades.csv --quiet");
    scene.referee(&format!("{line} --games 20")).succeeds();
    let line = format!("{line} --feedback feedback --reviews 0");
    scene.bot("hand-in/ann/run", Bot::thinking("exit 3"));
    let outcome = scene.referee(&format!("{line} --games 8")).succeeds();
    let rows = grades(&scene);
    let mut ranks = ["bob", "cem", "dan", "ann"].map(|name| &*rows[name]["rank"]);
    assert_eq!(
        (ranks[3], &*rows["ann"]["rating"]),
        ("4", ""),
        "{}",
        outcome.stdout
    );
    ranks.sort_unstable();
    assert_eq!(ranks, ["1", "2", "3", "4"]);
    assert_eq!(
        (&*rows["random"]["version"], &*rows["random"]["rating"]),
        ("", "0.0")
    );
    let names = ranked(&outcome.stdout);
    assert_has(names[4], "4 ann v2 ");
    assert!(
        names
            .iter()
            .any(|row| row.starts_with('(') && row.contains(") random ")),
        "{names:?}"
    );
    assert_has(
        scene.text("feedback/ann.txt"),
        expect! {"Place 4 of 4 submissions. No rating:"},
    );
    let report = json_report(&scene, "ladder.jsonl");
    assert_eq!(player(&report, "random")["reference"], true);
    assert_eq!(player(&report, "ann v2")["rating"]["elo"], "undefined");
    let ratings = report["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|player| &player["rating"]);
    let stronger: Vec<f64> = ratings
        .filter_map(|rating| rating["stronger_than_next"].as_f64())
        .collect();
    assert!(
        stronger.len() >= 2 && stronger.iter().all(|share| *share >= 0.5),
        "{report}"
    );
}

#[test]
fn feedback_and_page_keep_what_others_may_not_see() {
    let scene = course();
    scene.folder("hand-in/mia");
    scene.bot(
        "hand-in/mia/run",
        Bot::thinking("echo 'Error: SECRET of mia' >&2; exit 3"),
    );
    let line = format!("{LADDER} --feedback feedback --html page.html --quiet --games 12");
    scene.referee(&line).succeeds();
    let own = scene.text("feedback/mia.txt");
    assert_has_all(
        &own,
        [
            "crash: ",
            "SECRET of mia",
            "      > go movetime 3000 depth 1\n      Error: SECRET of mia\n",
        ],
    );
    for name in ["ann", "bob", "cem", "dan"] {
        assert_lacks(scene.text(&format!("feedback/{name}.txt")), "SECRET");
    }
    let page = scene.text("page.html");
    assert_has(&page, "mia");
    assert_lacks(&page, "SECRET");
    let folder = fs::read_dir(scene.path("ladder.faults")).unwrap();
    assert!(folder.count() > 0);
}

#[test]
fn a_ladder_that_is_killed_goes_on_exactly() {
    const GAMES: usize = 32;
    let whole = course();
    whole
        .referee(&format!("{LADDER} --games {GAMES} -j 2 --quiet"))
        .succeeds();
    let expected = games(&whole, "ladder.jsonl");

    let scene = course();
    let mut random = Random::new(5);
    let mut kills = 0;
    loop {
        let text = fs::read_to_string(scene.path("ladder.jsonl")).unwrap_or_default();
        let played = text
            .lines()
            .filter(|line| line.contains("\"moves\"") && line.ends_with('}'))
            .count();
        let left = GAMES - played;
        if left == 0 {
            break;
        }
        let mut running = scene.start(&format!("{LADDER} --games {left} -j 2 --quiet"));
        let wanted = text.len() as u64 + 2000 + random.below(4000);
        wait_until("the file does not grow", || {
            let length = fs::metadata(scene.path("ladder.jsonl")).map_or(0, |file| file.len());
            length > wanted || running.child.try_wait().unwrap().is_some()
        });
        thread::sleep(Duration::from_micros(random.below(10_000)));
        running.child.kill().unwrap();
        kills += usize::from(running.end().status.is_none());
    }
    assert!(kills > 1, "{kills}");
    assert_eq!(games(&scene, "ladder.jsonl"), expected);
    scene.assert_no_process_left();
}

#[test]
fn a_second_run_at_the_same_time_is_refused() {
    let scene = course();
    // Its games do not end.
    scene.folder("hand-in/slow");
    scene.bot("hand-in/slow/run", Bot::thinking("touch ../../thinks"));
    let first = scene.start(&format!("{LADDER} --quiet -j 4"));
    wait_until("it does not think", || scene.path("thinks").exists());
    submit(&scene, "ann", "plain", "another");
    let before = fs::read_dir(scene.path("ladder.submissions")).unwrap().count();
    scene.assert_refused(
        LADDER,
        expect! {"--out ladder.jsonl: another referee is writing to it"},
    );
    assert_eq!(
        fs::read_dir(scene.path("ladder.submissions")).unwrap().count(),
        before
    );
    assert!(!scene.path("ladder.submissions/ann v2").exists());
    let ended = first.end_by(Signal::TERM);
    assert_eq!(ended.status, Some(143), "{ended:?}");
    scene.assert_no_process_left();
}

#[test]
fn a_full_disk_ends_a_run_and_the_next_goes_on() {
    let scene = course();
    scene.referee(&format!("{LADDER} --games 4 --quiet")).succeeds();
    let before = games(&scene, "ladder.jsonl");
    let length = || fs::metadata(scene.path("ladder.jsonl")).unwrap().len();
    // A write beyond the limit, in blocks of 512 bytes, fails as on a full disk.
    let with_room = |blocks: u64| {
        let command = scene.command(&format!("{LADDER} --games 40 --quiet"));
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<&str> = words.map(|word| word.to_str().unwrap()).collect();
        let limit = length().div_ceil(512) + blocks;
        let script = format!("trap '' XFSZ; ulimit -f {limit}; exec '{}'", words.join("' '"));
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(scene.path(""));
        let outcome = run(&mut shell, "").exits(4);
        outcome.says(expect! {"the result file cannot be written any more"});
    };
    with_room(8);
    let text = scene.text("ladder.jsonl");
    assert!(text.ends_with("}\n"), "whole lines only");
    let played = games(&scene, "ladder.jsonl");
    assert!(played.len() > before.len());
    scene.referee(&format!("{LADDER} --games 2 --quiet")).succeeds();
    let after = games(&scene, "ladder.jsonl");
    assert_eq!(after.len(), played.len() + 2);
    assert!(played.iter().all(|(id, game)| after[id] == *game));

    // There is no room for the header with a new version.
    submit(&scene, "ann", "plain", "another");
    fs::copy(scene.path("ladder.jsonl"), scene.path("before.jsonl")).unwrap();
    with_room(0);
    assert_eq!(scene.text("ladder.jsonl"), scene.text("before.jsonl"));
}

#[test]
fn a_certain_order_ends_a_run() {
    let scene = Scene::new();
    submit(&scene, "best", "squares", "");
    submit(&scene, "worst", "random", "");
    let line = format!("{LADDER} --quiet");
    let settled = scene
        .referee(&format!("{line} --settle 1 --games 400"))
        .succeeds();
    settled.shows("\nThe first place: settled at 9");
    let played = games(&scene, "ladder.jsonl").len();
    assert!((6..400).contains(&played), "{played}");
    let again = scene.referee(&format!("{line} --settle 1")).succeeds();
    again.shows(format!("\n{played} games so far"));
}

/// Moves the clock of the day.
#[cfg(target_os = "linux")]
const CLOCK: &str = include_str!("../ladder/clock.c");

/// For a process, a machine that slept is one whose clock of the day has jumped, and no other.
#[test]
#[cfg(target_os = "linux")]
fn clocks_that_jump_and_machines_that_sleep_are_survived() {
    let scene = course();
    scene.file("clock.c", CLOCK);
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-o", "clock.so", "clock.c", "-ldl"])
        .current_dir(scene.path(""));
    run(&mut compiler, "").succeeds();
    let set = |offset: i64| {
        // At once: a reader sees a whole number.
        scene.file("new", &offset.to_string());
        fs::rename(scene.path("new"), scene.path("offset")).unwrap();
    };
    let now = jiff::Zoned::now();
    let later = now.checked_add(jiff::Span::new().hours(5)).unwrap();
    let start = |limit: &str| {
        let mut command = scene.command(&format!("{LADDER} --quiet --csv grades.csv {limit}"));
        command
            .env("LD_PRELOAD", scene.path("clock.so"))
            .env("OFFSET", scene.path("offset"));
        Running::start(command)
    };
    let count = || {
        fs::read_to_string(scene.path("ladder.jsonl"))
            .unwrap_or_default()
            .lines()
            .count()
    };
    let plays_on = || {
        let before = count();
        wait_until("it does not play on", || count() > before + 4);
    };
    set(0);
    let running = start(&format!("--until {}", later.strftime("%H:%M")));
    plays_on();
    set(-86_400);
    plays_on();
    // The clock is right again, and the time is over after a sleep.
    set(0);
    plays_on();
    set(6 * 3600);
    running.end().succeeds();
    // Hours are those in which it was awake.
    let running = start("--hours 1");
    plays_on();
    set(40 * 3600);
    plays_on();
    running.end_by(Signal::TERM).exits(143);
    let all = games(&scene, "ladder.jsonl");
    let faults = all
        .values()
        .filter(|game| ["time", "stall", "crash"].contains(&game["reason"].as_str().unwrap()));
    assert_eq!(faults.count(), 0);
    scene.referee("report ladder.jsonl").succeeds();
}

#[test]
fn only_the_submissions_that_are_named_are_rated() {
    let scene = course();
    let rated = |words: &str| {
        let line = format!("{LADDER} {words} --games 2 --quiet");
        let run = scene.referee(&line).exits(0);
        let rows = ranked(&run.stdout).into_iter();
        let mut names: Vec<String> = rows
            .filter_map(|row| Some(row.split_whitespace().nth(1)?.to_string()))
            .collect();
        names.sort();
        names
    };
    assert_eq!(rated("--only bob --only dan"), ["bob", "dan"]);
    assert_eq!(rated(""), ["ann", "bob", "cem", "dan"]);
    assert_eq!(rated("--only ann --only cem"), ["ann", "cem"]);
    let wrong = scene.referee(&format!("{LADDER} --only Ann")).exits(2);
    wrong.says(expect! {"--only Ann: there is no such submission in hand-in; give the name of its folder"});
}

#[test]
fn wrong_commands_say_what_would_be_right() {
    let scene = course();
    scene.file("other.txt", "text\n");
    scene
        .referee("match plain groups --games 2 --each depth=1 --out match.jsonl --quiet")
        .succeeds();
    let table = expect![[r#"
        ladder hand-in | --out <FILE.jsonl>
        ladder nowhere --out a.jsonl | nowhere: this is not a folder
        ladder hand-in --out a.jsonl --hours -1 | expected a number of hours above 0
        LADDER --settle 4 | --settle 4: there are 4 players
        LADDER --html a.html --csv a.html | --csv a.html: this is the file of --html
        LADDER --feedback hand-in | --feedback hand-in: this is the folder of the submissions
        ladder hand-in --out a.jsonl --hours 0 | expected a number of hours above 0 and up to 8784, such as 8 or 0.5
        ladder hand-in --out a.jsonl --until 6pm | expected a time from 00:00 to 23:59, such as 06:00
        ladder hand-in --out a.jsonl --format swiss | --format does not apply to `referee ladder`
        ladder hand-in human --out a.jsonl --sandbox=off | a ladder is for programs
        LADDER --csv other.txt | --csv other.txt: it has no standings of a ladder
        ladder hand-in --sandbox=off --out other.txt | --out other.txt: it is not a result file
        ladder hand-in --sandbox=off --out match.jsonl
            | --out match.jsonl: line 1: it holds a match, not a ladder; use a new file
    "#]];
    assert_rows(table, |[line]| scene.refused(&line.replace("LADDER", LADDER)));
    assert_eq!(scene.text("other.txt"), "text\n");
    assert!(!scene.path("a.jsonl").exists());
    scene.referee(&format!("{LADDER} --games 2 --quiet")).succeeds();
    scene.assert_refused(
        &LADDER.replace("depth=1", "depth=2"),
        expect! {"--out ladder.jsonl: the ladder was played with other options: depth of `ann` was 1, now 2"},
    );

    let lonely = Scene::new();
    submit(&lonely, "ann", "plain", "");
    let outcome = lonely.referee(LADDER).exits(3);
    outcome.says(expect! {"a ladder needs at least two players that start; found 1"});
    assert!(!lonely.path("ladder.jsonl").exists());
}

#[test]
fn damaged_files_are_refused_with_their_reason() {
    let scene = course();
    scene.referee(&format!("{LADDER} --games 8 --quiet")).succeeds();
    let whole = scene.text("ladder.jsonl");
    let table = expect![[r#"
        "id":2, | game 2 is missing, and later games depend on its result
        "id":3, | game 3 is missing
    "#]];
    assert_rows(table, |[line]| {
        let rest: Vec<&str> = whole.lines().filter(|other| !other.contains(line)).collect();
        scene.file("ladder.jsonl", &(rest.join("\n") + "\n"));
        scene.refused(LADDER)
    });
    let header = whole.lines().next().unwrap();
    let other = header.replace("\"depth\":1", "\"depth\":2");
    scene.file("ladder.jsonl", &format!("{whole}{other}\n"));
    scene.assert_refused(LADDER, expect! {"it holds several matches; use a new file"});
    for wrong in ["-5", "1e300"] {
        let (before, after) = whole.split_once("\"ms\":[").unwrap();
        let after = after.split_once(',').unwrap().1;
        scene.file("ladder.jsonl", &format!("{before}\"ms\":[{wrong},{after}"));
        scene.assert_refused(LADDER, expect! {"is not the time of a move in milliseconds"});
        scene.assert_refused(
            "report ladder.jsonl",
            expect! {"is not the time of a move in milliseconds"},
        );
    }
    scene.file("ladder.jsonl", &whole);
    scene.referee(&format!("{LADDER} --games 0 --quiet")).succeeds();
}

#[test]
fn names_that_others_have_are_refused_and_no_text_is_lost() {
    let scene = Scene::new();
    // A name as long as a file system allows has no room for the file of a text.
    let long = "x".repeat(250);
    for (name, player) in [
        ("squares", "plain"),
        ("a\\b", "plain"),
        ("a_b", "groups"),
        (&long, "plain"),
    ] {
        submit(&scene, name, player, name);
    }
    let line = format!("{LADDER} --quiet --feedback feedback --reviews 0 --csv grades.csv --games 4");
    let ladder = line.replace("hand-in", "hand-in squares");
    let outcome = scene.referee(&ladder).exits(0);
    outcome.says(expect! {"not in this run: squares: another player is called `squares`; rename the folder"});
    let texts = fs::read_dir(scene.path("feedback")).unwrap();
    let texts: Vec<String> = texts
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    for name in ["squares: not in", "a\\b, version 1", "a_b, version 1", &long] {
        assert_eq!(
            texts.iter().filter(|text| text.starts_with(name)).count(),
            1,
            "{name}"
        );
    }

    // Other files stay.
    scene.file("feedback/a_b.txt", "mine\n");
    let outcome = scene.referee(&ladder.replace("--games 4", "--games 0")).exits(4);
    outcome.says(expect! {"a_b.txt: this file is not feedback on the submission, so it is not overwritten"});
    assert_eq!(scene.text("feedback/a_b.txt"), "mine\n");
    // Who has left reads that.
    fs::remove_dir_all(scene.path("hand-in/a\\b")).unwrap();
    submit(&scene, "new", "plain", "");
    scene.referee(&ladder).exits(4);
    assert_has(
        scene.text("feedback/a\\b.txt"),
        "not in the last run\n\nThe submission was deleted.",
    );
}

/// What a kernel without a sandbox says, and what the default is.
#[test]
fn the_sandbox_is_on() {
    let scene = Scene::new();
    let course = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/course/submissions");
    let course = course.display();
    let outcome = scene.referee(&format!(
        "ladder {course} --out ladder.jsonl --games 2 --each st=1 --quiet"
    ));
    if outcome.status == Some(2) {
        outcome.says(expect! {"with `--sandbox=off` it runs them without"});
    } else {
        outcome.exits(0).shows("\nSandbox: ");
    }
}

#[test]
fn only_versions_that_may_not_start_are_started_before_the_games() {
    let scene = Scene::new();
    let starts = scene.path("starts");
    // One that exits in its first game, and one that does not start.
    for (name, go) in [("ann", "legal"), ("bob", "legal"), ("cem", "exit 3")] {
        let note = format!("echo {name} >> '{}'", starts.display());
        let bot = Bot {
            start: &note,
            go,
            ..Bot::default()
        };
        let path = scene.bot(name, bot);
        scene.folder(&format!("hand-in/{name}"));
        fs::rename(scene.path(&path), scene.path(&format!("hand-in/{name}/run"))).unwrap();
    }
    let started = |games: u32| {
        scene.remove("starts");
        let line = format!("{LADDER} --max-plies 8 --concurrency 2 --quiet --games {games}");
        scene.referee(&line).exits(0);
        let mut names: Vec<String> = scene.text("starts").lines().map(String::from).collect();
        names.sort();
        names
    };
    assert_eq!(started(0), ["ann", "bob", "cem"]);
    scene.file("starts", "");
    // Everybody has played.
    started(6);
    assert_eq!(started(0), ["cem"]);
    let run = scene.text("hand-in/bob/run");
    scene.file("hand-in/bob/run", &(run + "# better\n"));
    assert_eq!(started(0), ["bob", "cem"]);
    scene.file("hand-in/bob/run", "#!/bin/sh\nexit 3\n");
    let outcome = scene
        .referee(&format!("{LADDER} --max-plies 8 --quiet --games 0"))
        .exits(0);
    outcome.says(expect! {"not in this run: bob: did not complete the handshake"});
}

/// The columns of the grade book that games change, by name.
fn ratings(scene: &Scene) -> BTreeMap<String, [String; 4]> {
    let columns = ["rank", "rating", "low", "high"];
    let row =
        |(name, row): (String, BTreeMap<String, String>)| (name, columns.map(|column| row[column].clone()));
    grades(scene).into_iter().map(row).collect()
}

#[test]
fn ratings_move_by_games_alone() {
    let scene = course();
    submit(&scene, "eve", "random", "");
    scene.folder("hand-in/kim");
    scene.bot("hand-in/kim/run", Bot::thinking("exit 3"));
    let line = format!("{LADDER} --csv grades.csv --quiet");
    // The last round is not over.
    scene.referee(&format!("{line} --games 27")).succeeds();
    let before = ratings(&scene);
    assert_eq!(before["kim"], ["6", "", "", ""].map(String::from));
    for (name, player) in [
        ("bob", "squares"),
        ("cem", "plain"),
        ("dan", "random"),
        ("kim", "plain"),
    ] {
        submit(&scene, name, player, "version 2");
    }
    scene.referee(&format!("{line} --games 0")).succeeds();
    let after = ratings(&scene);
    for (name, [rank, rating, low, high]) in &before {
        let now = &after[name];
        assert_eq!([&now[0], &now[1]], [rank, rating], "{before:?} {after:?}");
        let has_changed = ["bob", "cem", "dan"].contains(&name.as_str());
        assert_eq!(
            [&now[2], &now[3]] != [low, high],
            has_changed,
            "{before:?} {after:?}"
        );
    }
}

#[test]
fn games_that_repeat_others_move_no_rating() {
    const WARNING: &str = "all games of this run repeat earlier games move by move";
    let scene = course();
    let line = format!("{LADDER} --openings none --csv grades.csv --quiet");
    let first = scene.referee(&format!("{line} --games 40")).succeeds();
    assert_lacks(&first.stderr, WARNING);
    // Each of the six pairings has two games.
    first.shows(expect! {"Distinct games: 12 of 40; "});
    let before = ratings(&scene);
    let second = scene.referee(&format!("{line} --games 12")).exits(0);
    second.says(WARNING);
    second.shows(expect! {"Distinct games: 12 of 52; "});
    assert_eq!(ratings(&scene), before);
}

#[test]
fn a_ladder_with_another_name_differs_in_few_words() {
    let scene = course();
    scene
        .referee(&format!("{LADDER} --games 1 --quiet"))
        .succeeds()
        .shows("\n1 game so far. ");
    fs::rename(scene.path("ladder.jsonl"), scene.path("other.jsonl")).unwrap();
    let line = LADDER.replace("ladder.jsonl", "other.jsonl");
    // The program and the folder of each of the four.
    scene.assert_refused(
        &line,
        expect! {"; and 4 more. Use the same options, or a new file"},
    );
}

#[test]
fn a_part_of_a_round_writes_only_its_games_to_its_own_file() {
    let scene = course();
    let line = format!("{LADDER} --quiet");
    let part = format!("{line} --shard 0/3");
    scene.assert_refused(&part, expect! {"--shard 0/3: the ladder has not begun"});
    scene.referee(&format!("{line} --games 2")).succeeds();
    submit(&scene, "eve", "plain", "");
    scene.referee(&format!("{line} --games 0")).succeeds();
    for more in ["--csv grades.csv", "--html page.html", "--feedback feedback"] {
        scene.assert_refused(
            &format!("{part} {more}"),
            expect! {"--shard 0/3: a shard writes only its games"},
        );
    }
    let before = scene.text("ladder.jsonl");
    scene.referee(&part).succeeds();
    assert_eq!(scene.text("ladder.jsonl"), before);
    assert!(!games(&scene, "ladder.parts/0-of-3.jsonl").is_empty());
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn parts_of_a_round_give_the_same_file_in_any_order() {
        let line = format!("{LADDER} --quiet");
        let files = [[0, 1, 2], [2, 0, 1]].map(|order| {
            let scene = course();
            // It is left out by every part.
            scene.folder("hand-in/eve");
            scene.script("hand-in/eve/run", "#!/bin/sh\nexit 1\n");
            scene.referee(&format!("{line} --games 0")).exits(0);
            for _ in 0..3 {
                for part in order {
                    scene.referee(&format!("{line} --shard {part}/3")).succeeds();
                }
                // Each part has played its games of the round only.
                scene.referee(&format!("{line} --shard 1/3")).succeeds();
                scene.referee(&format!("{line} --games 0")).exits(0);
                assert!(!scene.path("ladder.parts").exists());
            }
            let ids: Vec<Value> = scene
                .results("ladder.jsonl")
                .iter()
                .map(|line| line["id"].clone())
                .collect();
            (ids, games(&scene, "ladder.jsonl"))
        });
        assert_eq!(files[0], files[1]);
        let whole = course();
        whole.referee(&format!("{line} --games 12")).succeeds();
        assert_eq!(games(&whole, "ladder.jsonl"), files[0].1);
    }
}
