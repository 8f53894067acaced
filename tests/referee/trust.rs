//! What strangers may have written, through every command that takes it. Each test is a row of the table in
//! `SECURITY.md`.

use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Bot, Outcome, Scene, assert_has, assert_lacks, expect, for_all, page_data, run};

/// Sets the title of a terminal, writes to its clipboard, changes colours with one byte, turns the direction of text,
/// begins a workflow command, a formula and markup.
const EVIL: &str =
    "\u{1b}]0;owned\u{7}\u{1b}]52;c;eA==\u{7}\u{9b}31m\u{202e}x\n::error::y\r\n=1+1<script>alert(1)</script>";

/// The program under test.
const REFEREE: &str = env!("CARGO_BIN_EXE_referee");

/// What must never be printed.
const FORBIDDEN: [&str; 6] = ["\u{1b}", "\u{7}", "\u{9b}", "\u{202e}", "\n::error", "\r"];

#[track_caller]
fn assert_clean(text: &str, what: &str) {
    for forbidden in FORBIDDEN {
        assert!(!text.contains(forbidden), "{what} has {forbidden:?}: {text:?}");
    }
    assert!(!text.starts_with("::error"), "{what}: {text:?}");
}

/// A command does not panic, and prints nothing dangerous.
#[track_caller]
fn assert_harmless(outcome: &Outcome) {
    let what = format!("{:?}", outcome.words);
    // Lines of CSV end with CR LF.
    assert_clean(&outcome.stdout.replace("\r\n", "\n"), &what);
    assert_clean(&outcome.stderr, &what);
    assert!(
        matches!(outcome.status, Some(0..=5)),
        "{what}: {:?}\n{}",
        outcome.status,
        outcome.stderr
    );
    assert_lacks(&outcome.stderr, "panicked");
}

/// All strings in JSON, with their places.
fn places(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(place.to_string()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{place}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                places(
                    field,
                    &format!("{place}/{}", name.replace('~', "~0").replace('/', "~1")),
                    found,
                );
            }
        }
        _ => {}
    }
}

/// Whether text in the data of a page is safe: markup is added as text by its script.
fn assert_clean_json(value: &Value, what: &str) {
    let mut found = Vec::new();
    places(value, "", &mut found);
    for place in found {
        let text = value.pointer(&place).and_then(Value::as_str).unwrap();
        assert!(
            !text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']),
            "{what}: {place} is {text:?}"
        );
    }
}

/// A folder with result files of a built-in game and of a rules program that have every field.
fn results() -> Scene {
    let scene = Scene::new();
    scene.script("zoo.sh", include_str!("../rules_programs/zoo.sh"));
    scene.bot(
        "a",
        Bot::thinking("echo info depth 3 nodes 7 score cp 5 pv a b; echo bestmove a"),
    );
    scene.bot("b", Bot::thinking("echo oops >&2; exit 3"));
    scene.folder("unfit");
    let options =
        "echo option name UCI_Variant type combo default magnetic-cave var magnetic-cave; echo uciok";
    scene.bot("plain", Bot::greeting(options));
    let rules = "--rules ./zoo.sh option.Length=6 files=zoo.sh";
    scene
        .referee(&format!(
            "match {rules} ./a ./a --games 2 --out rules.jsonl --record all --each st=100 --quiet"
        ))
        .exits(0);
    let engines =
        "--engine cmd=./plain name=x option.UCI_Variant=magnetic-cave args=-x dir=. --engine cmd=./b";
    let all = "--record all --pgn games.pgn event=Cup site=Here --openings random:2 --skip-broken --ponder";
    scene
        .referee(&format!(
            "match {engines} --engine cmd=./missing {all} --games 2 --out cave.jsonl --each st=100 --quiet"
        ))
        .exits(0);
    scene
        .referee("analyze cave.jsonl --out analysed.jsonl --engine nodes=50 st=9")
        .exits(0);
    scene
}

/// The commands that read a result file, without those that would play for long.
const READERS: [&str; 12] = [
    "report FILE --head-to-head --crosstable --times",
    "report FILE --csv",
    "report FILE --json",
    "report FILE --html page.html",
    "report FILE --pgn games-of-file.pgn",
    "show FILE",
    "show FILE --game 1",
    "show FILE --game 2",
    "verify FILE",
    "verify FILE --rules ./zoo.sh option.Length=6",
    "match ./a ./a --games 2 --out FILE --quiet",
    "ladder unfit --out FILE --games 2 --sandbox=off",
];

/// A result file with these lines.
fn file_of(lines: &[Value]) -> String {
    let lines = lines.iter().map(Value::to_string);
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Runs every command on a file with these lines.
fn read_by_all(scene: &Scene, name: &str, lines: &[Value], what: &str) {
    scene.folder(name);
    for reader in READERS {
        let file = format!("{name}/file.jsonl");
        scene.file(&file, &file_of(lines));
        let line = reader
            .replace("FILE", &file)
            .replace("page.html", &format!("{name}/page.html"));
        let outcome = scene.referee(&line.replace("games-of-file", &format!("{name}/games")));
        assert_harmless(&outcome);
        if let Ok(page) = fs::read_to_string(scene.path(&format!("{name}/page.html"))) {
            assert_clean(&page.replace("\r\n", "\n"), what);
            assert_lacks(&page, "<script>alert");
            assert_clean_json(&page_data(&page), what);
        }
        if let Ok(pgn) = fs::read_to_string(scene.path(&format!("{name}/games.pgn"))) {
            assert_clean(&pgn, what);
            assert_harmless(&scene.referee(&format!("show {name}/games.pgn --game 1")));
            scene.remove(&format!("{name}/games.pgn"));
        }
    }
    for log in ["rc", "owned"] {
        assert!(!scene.path(log).exists(), "{what}: a command wrote {log}");
    }
}

/// Settings of the players and of the rules program name files and programs.
#[test]
fn programs_and_paths_in_result_files() {
    let scene = results();
    scene.folder("private");
    scene.file("private/key", "key of the user\n");
    let mut lines = scene.results("rules.jsonl");
    lines[0]["rules"]["cmd"] = json!([
        "cmd=/bin/sh",
        "stderr=rc",
        "dir=private",
        "args=-c 'touch owned; cat key >&2'"
    ]);
    for engine in lines[0]["engines"].as_array_mut().unwrap() {
        let settings = json!({"cmd": "/bin/sh", "args": ["-c", "touch owned"], "dir": "private", "stderr": "rc", "sandbox_read": ["/"]});
        engine
            .as_object_mut()
            .unwrap()
            .extend(settings.as_object().unwrap().clone());
    }
    lines[0]["schedule"]["openings"] = json!("private/key");
    read_by_all(&scene, "case", &lines, "programs");
    scene.file("file.jsonl", &file_of(&lines));
    let outcome = scene.referee("verify file.jsonl").exits(2);
    outcome.says(expect! {"the name in a file is not enough to start a program"});
    assert_lacks(&outcome.stderr, "key of the user");
    // An option is not shown as a part of a command that the user may copy.
    lines[0]["rules"]["cmd"] = json!(["-x"]);
    scene.file("file.jsonl", &file_of(&lines));
    let outcome = scene.referee("verify file.jsonl").exits(2);
    outcome.says(expect! {"; give the program with `--rules`"});
}

/// What lies beside a result file may have come with it.
#[test]
fn files_beside_results() {
    let scene = results();
    scene.file("secret", "key of the user\n");
    let folder = scene.path("cave.faults");
    let transcript = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let page = |scene: &Scene| {
        scene.referee("report cave.jsonl --html page.html").succeeds();
        let page = scene.text("page.html");
        format!("{page}{}", page_data(&page))
    };
    assert_has(page(&scene), "oops");
    // A link, and a pipe without a writer.
    fs::remove_file(&transcript).unwrap();
    symlink(scene.path("secret"), &transcript).unwrap();
    assert_lacks(page(&scene), "key of the user");
    fs::remove_file(&transcript).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&transcript)
            .status()
            .unwrap()
            .success()
    );
    page(&scene);
    // A link in the place of the folder: nothing is read there, and nothing is written.
    let (name, elsewhere) = (transcript.file_name().unwrap(), scene.path("elsewhere"));
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join(name), "key of the user\n").unwrap();
    symlink(&elsewhere, &folder).unwrap();
    assert_lacks(page(&scene), "key of the user");
    scene.remove("cave.jsonl");
    let again = "match ./b ./plain --games 1 --out cave.jsonl --each st=100 --quiet";
    scene.referee(again).exits(2).says(expect! {"it is a link"});
    // A link in the place of a transcript is replaced, and what it leads to stays.
    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    for game in 1..=2 {
        symlink(
            scene.path("secret"),
            folder.join(format!("game-{game:06}-b-crash.txt")),
        )
        .unwrap();
    }
    scene.referee(again).succeeds();
    assert_eq!(scene.text("secret"), "key of the user\n");
    assert_has(
        fs::read_to_string(folder.join("game-000001-b-crash.txt")).unwrap(),
        "oops",
    );
}

/// The copies and parts of a ladder may have come with its file.
#[test]
fn folders_of_a_ladder() {
    let scene = Scene::new();
    for name in ["ann", "bob"] {
        scene.folder(&format!("in/{name}"));
        let own = format!("#!/bin/sh\n# {name}\nexec '{REFEREE}' builtin plain\n");
        scene.script(&format!("in/{name}/run"), &own);
    }
    let line = "ladder in --out l.jsonl --sandbox=off --each depth=1 timemargin=60000 --games 2 --quiet";
    let part = line.replace("--games 2", "--shard 0/1");
    scene.referee(line).succeeds();
    let (copies, elsewhere) = (scene.path("l.submissions"), scene.path("elsewhere"));
    let ann = copies.join("ann");
    let own = fs::read(ann.join("run")).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    let evil = format!("#!/bin/sh\n: > '{}'\n", scene.path("owned").display());
    scene.script("elsewhere/run", &evil);
    let replacements: [&dyn Fn(); 5] = [
        &|| fs::write(ann.join("run"), &evil).unwrap(),
        // A file more can be a module that the program reads.
        &|| fs::write(ann.join("sitecustomize.py"), &evil).unwrap(),
        &|| symlink(&elsewhere, &ann).unwrap(),
        &|| fs::write(&ann, "a file").unwrap(),
        &|| symlink(&elsewhere, copies.join(".copy-ann")).unwrap(),
    ];
    for (number, replace) in replacements.iter().enumerate() {
        if (2..=4).contains(&number) {
            fs::remove_dir_all(&ann).unwrap();
        }
        replace();
        scene
            .referee(&part)
            .exits(2)
            .says(expect! {"l.submissions/ann` differs from what was submitted"});
        scene.referee(line).succeeds();
        assert!(ann.symlink_metadata().unwrap().is_dir(), "{number}");
        assert_eq!(fs::read(ann.join("run")).unwrap(), own, "{number}");
        assert!(!ann.join("sitecustomize.py").exists());
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1, "{number}");
    }
    // A player of the file that was not submitted, and a submission with its name.
    let resumed = scene.text("l.jsonl");
    scene.file("l.jsonl", &resumed.replace("\"digest\":\"", "\"digest\":\"0"));
    scene.referee(&part).exits(2);
    scene.file("l.jsonl", &resumed);
    // A link in the place of a part, which leads to a file of the user or to none, and a second name of a file.
    scene.folder("l.parts");
    for target in ["elsewhere/new", "elsewhere/run"] {
        let replaced = scene.path("l.parts/0-of-1.jsonl");
        symlink(scene.path(target), &replaced).unwrap();
        for line in [line, &part] {
            let outcome = scene.referee(line);
            // There is nothing to collect behind a link that leads nowhere.
            assert!(outcome.status == Some(2) || line != part, "{line}");
        }
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1, "{target}");
        assert_eq!(scene.text("elsewhere/run"), evil);
        fs::remove_file(replaced).unwrap();
    }
    scene.file("other.jsonl", "");
    fs::hard_link(scene.path("other.jsonl"), scene.path("l.parts/0-of-1.jsonl")).unwrap();
    assert_has(scene.referee(&part).exits(2).messages(), "hard link");
    assert_eq!(scene.text("other.jsonl"), "");
    let _ = fs::remove_dir_all(scene.path("l.parts"));
    // Links in the place of the folders.
    for name in ["l.submissions", "l.parts", "l.faults"] {
        let _ = fs::remove_dir_all(scene.path(name));
        symlink(&elsewhere, scene.path(name)).unwrap();
        for line in [line, &part] {
            assert_has(scene.referee(line).exits(2).messages(), "link");
        }
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1, "{name}");
        fs::remove_file(scene.path(name)).unwrap();
    }
    assert!(!scene.path("owned").exists());
}

/// What students may have handed in, and the submissions beside it.
#[test]
fn submissions() {
    let scene = Scene::new();
    scene.folder("secret");
    scene.file("secret/notes", "key of the user\n");
    let good = format!("#!/bin/sh\nexec '{REFEREE}' builtin plain\n");
    let submit = |name: &str| {
        scene.folder(&format!("in/{name}"));
        scene.script(&format!("in/{name}/run"), &good);
        scene.path(&format!("in/{name}"))
    };
    let make_pipe = |path: &std::path::Path| {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    submit("ann");
    submit("bob");
    let [link, pipe, adapter, first_line, names] =
        ["link", "pipe", "adapter", "first-line", "names"].map(submit);
    for (folder, replaced) in [(&link, "run"), (&pipe, "run"), (&adapter, "run")] {
        fs::remove_file(folder.join(replaced)).unwrap();
    }
    symlink(scene.path("in/ann/run"), link.join("run")).unwrap();
    make_pipe(&pipe.join("run"));
    make_pipe(&adapter.join("adapt.toml"));
    make_pipe(&first_line.join("python3"));
    let script = format!("#!{}\n", first_line.join("python3").display());
    fs::write(first_line.join("run"), script).unwrap();
    fs::create_dir(names.join(EVIL.replace('/', ""))).unwrap();
    symlink(scene.path("secret"), names.join("home")).unwrap();
    let twins = ["one", "two"].map(submit);
    fs::remove_file(twins[0].join("run")).unwrap();
    fs::hard_link(twins[1].join("run"), twins[0].join("run")).unwrap();
    symlink(scene.path("in"), scene.path("in/all")).unwrap();
    for level in ["off", "on"] {
        let programs = std::path::Path::new(REFEREE).parent().unwrap();
        let confined = format!("--sandbox=on --sandbox-read {}", programs.display());
        let [sandbox, confined] = match level {
            "off" => ["--sandbox=off", ""],
            _ => [&*confined, &confined],
        };
        let each = "--each depth=1 timemargin=60000 --quiet";
        for line in [
            format!("match --engines in {sandbox} {each} --games 2 --skip-broken --out {level}.jsonl"),
            format!("ladder in {sandbox} {each} --games 8 --out ladder-{level}.jsonl"),
            format!("check {confined} --only handshake --out checks in"),
            format!("check {confined} --only handshake in/pipe"),
            format!("check {confined} --only handshake in/adapter"),
            format!("check {confined} --only handshake in/first-line"),
        ] {
            let outcome = scene.referee(&line);
            assert_harmless(&outcome);
            assert_lacks(outcome.messages(), "key of the user");
        }
        let ladder = scene.text(&format!("ladder-{level}.jsonl"));
        assert_has(&ladder, "\"name\":\"ann\"");
        assert_lacks(
            scene.referee(&format!("report ladder-{level}.jsonl")).messages(),
            "names",
        );
        assert!(!scene.path(&format!("ladder-{level}.submissions/names")).exists());
        let check = scene.text("checks/ann.txt");
        assert_has(check, "1 passed");
    }
}

/// Result files that are no files, and those without an end.
#[test]
fn pipes_and_endless_files() {
    let scene = results();
    assert!(
        Command::new("mkfifo")
            .arg(scene.path("pipe.jsonl"))
            .status()
            .unwrap()
            .success()
    );
    let endless = fs::File::create(scene.path("endless.jsonl")).unwrap();
    endless.set_len(1 << 40).unwrap();
    fs::create_dir(scene.path("folder.jsonl")).unwrap();
    symlink("loop.jsonl", scene.path("loop.jsonl")).unwrap();
    for file in ["pipe.jsonl", "endless.jsonl", "folder.jsonl", "loop.jsonl"] {
        for reader in READERS.iter().filter(|reader| !reader.contains("--out")) {
            let outcome = scene.referee(&reader.replace("FILE", file)).exits(2);
            assert_has(&outcome.stderr, file);
            assert_harmless(&outcome);
        }
    }
}

/// Outputs that are pipes which nobody reads, and those with a reader.
#[test]
fn pipes_as_outputs() {
    let scene = results();
    let pipe = |name: &str| {
        let made = Command::new("mkfifo").arg(scene.path(name)).status();
        assert!(made.unwrap().success());
    };
    let game = "match random random --games 2 --quiet";
    let lines = [
        "report cave.jsonl --html PIPE".into(),
        "report cave.jsonl --pgn PIPE".into(),
        format!("{game} --log PIPE"),
        format!("{game} --out PIPE"),
        format!("{game} --html PIPE"),
        format!("{game} --pgn PIPE"),
    ];
    let numbered: Vec<(usize, &String)> = lines.iter().enumerate().collect();
    for_all(&numbered, |(number, line)| {
        let name = format!("pipe{number}");
        pipe(&name);
        let outcome = scene.referee(&line.replace("PIPE", &name));
        assert!(matches!(outcome.status, Some(2..=4)), "{line}");
        outcome.says(expect! {"no program is reading from this pipe"});
    });
    pipe("read");
    let mut reader = Command::new("cat");
    reader.arg(scene.path("read")).stdout(Stdio::piped());
    let reader = reader.spawn().unwrap();
    scene.referee(&format!("{game} --out read")).succeeds();
    let read = reader.wait_with_output().unwrap().stdout;
    assert_eq!(String::from_utf8(read).unwrap().lines().count(), 3);
    let shown = scene.referee("report cave.jsonl --html /dev/stdout");
    assert_has(&shown.stdout, "</html>");
}

/// The header of a file with this number of players, and a game of the first one against another one.
fn gauntlet(players: usize) -> (Value, impl Fn(usize) -> Value) {
    let engine = |number| json!({"name": format!("e{number}"), "cmd": "squares", "st": "3"});
    let engines: Vec<Value> = (0..players).map(engine).collect();
    let schedule = json!({"format": "gauntlet", "games": 2});
    let header = json!({
        "header": 1, "variant": "magnetic-cave", "seed": 1, "schedule": schedule, "engines": engines,
    });
    let game = |id: usize| {
        json!({
            "id": id, "variant": "magnetic-cave", "round": 1, "pair": id, "first": "e0", "second": format!("e{id}"),
            "start": "8/8/8/8/8/8/8/8 x", "moves": [], "opening_plies": 0, "ms": [], "score": [],
            "result": "1-0", "reason": "crash", "detail": "it crashed",
        })
    };
    (header, game)
}

/// Files that would need more than linear time or memory.
#[test]
fn costly_result_files() {
    let scene = Scene::new();
    // Ratings of many players; tables of all pairs of them.
    let (header, game) = gauntlet(1000);
    let lines: Vec<Value> = [header].into_iter().chain((1..1000).map(&game)).collect();
    scene.file("players.jsonl", &file_of(&lines));
    let outcome = scene.referee("report players.jsonl --html page.html --crosstable");
    outcome.shows(expect! {"No crosstable: 1000 players are more than 100"});
    assert_harmless(&outcome);
    let page = scene.text("page.html");
    assert_has(&page, expect! {"The 1000 players have no crosstable"});
    assert!(page.len() < 2_000_000, "{}", page.len());
    // Games of a ladder that were not played.
    let (mut header, game) = gauntlet(2);
    let unplayed: Vec<usize> = (0..500_000).collect();
    header["schedule"] = json!({"format": "ladder", "games": 2, "stages": [
        {"players": [0, 1], "rounds": 1, "unplayed": unplayed}, {"players": [0, 1]},
    ]});
    scene.file("unplayed.jsonl", &file_of(&[header]));
    assert_harmless(&scene.referee("report unplayed.jsonl"));
    // Many matches.
    let (header, _) = gauntlet(2);
    let seeded = |seed: usize| {
        let mut header = header.clone();
        header["seed"] = json!(seed);
        [header, game(1)]
    };
    let lines: Vec<Value> = (0..5000).flat_map(seeded).collect();
    scene.file("matches.jsonl", &file_of(&lines));
    assert_harmless(&scene.referee("report matches.jsonl"));
}

/// Records that their header rules out, which `verify` names.
#[test]
fn claims_of_result_files() {
    let scene = Scene::new();
    scene
        .referee("match squares random --games 2 --each depth=1 --out good.jsonl --quiet")
        .succeeds();
    scene.referee("verify good.jsonl").succeeds();
    let good = scene.results("good.jsonl");
    let at = good.iter().position(|line| line["id"] == 1).unwrap();
    let changed = |changes: &[(&str, Value)]| {
        let mut lines = good.clone();
        for (field, value) in changes {
            lines[at][field] = value.clone();
        }
        lines
    };
    let ended = |reason: &str, result: &str| {
        changed(&[
            ("moves", json!([])),
            ("ms", json!([])),
            ("score", json!([])),
            ("reason", json!(reason)),
            ("result", json!(result)),
        ])
    };
    let mut twice = good.clone();
    twice.push(good[at].clone());
    let mut tested = good.clone();
    tested[0]["schedule"]["sprt"] = json!("elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized");
    tested[0]["schedule"]["games"] = json!(2000);
    tested.push(json!({"sprt": {"accepted": "H1", "pairs": 1, "llr": 9.9}}));
    let mut won = changed(&[("reason", json!("limit")), ("result", json!("1-0"))]);
    won[0]["max_plies"] = json!(2);
    for (name, lines, why) in [
        ("limit", ended("limit", "1/2-1/2"), "--max-plies"),
        ("won", won, "--max-plies"),
        ("repetition", ended("repetition", "1/2-1/2"), "--repetition"),
        ("adjudicated", ended("adjudicated", "1-0"), "--resign"),
        ("adjudicated-draw", ended("adjudicated", "1/2-1/2"), "--draw"),
        ("forfeit", ended("forfeit", "1-0"), "--forfeit-after"),
        ("resign", ended("resign", "1/2-1/2"), "a loser"),
        ("drawn", ended("crash", "1/2-1/2"), "a loser"),
        ("late", ended("time", "1-0"), "player 1 had the move"),
        (
            "stranger",
            changed(&[("second", json!("nobody"))]),
            "game 1 is between",
        ),
        (
            "swapped",
            changed(&[("first", json!("random")), ("second", json!("squares"))]),
            "game 1 is between",
        ),
        ("twice", twice, "more than once"),
        ("tested", tested, "the games do not decide it so"),
    ] {
        let file = format!("{name}.jsonl");
        scene.file(&file, &file_of(&lines));
        scene.referee(&format!("verify {file}")).exits(1).shows(why);
    }
    let report = scene.referee("report tested.jsonl").exits(1);
    report.shows(expect! {"Missing: 1998 of 2000 games"});
    report.shows(expect! {"the games do not decide it so"});
}

/// Games and books in other formats.
#[test]
fn games_and_books() {
    let scene = Scene::new();
    let moves = "1. a8 h8";
    let evil = EVIL.replace(['\n', '\r'], " ");
    for (name, text) in [
        (
            "tags.pgn",
            format!(
                "[GameVariant \"magnetic-cave\"]\n[White \"{evil}\"]\n[Reason \"{evil}\"]\n[Detail \"{evil}\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n"
            ),
        ),
        (
            "start.pgn",
            format!("[GameVariant \"magnetic-cave\"]\n[Start \"{evil}\"]\n\n{moves} *\n"),
        ),
        ("game.pgn", format!("[GameVariant \"{evil}\"]\n\n{moves} *\n")),
        (
            "plies.pgn",
            format!("[GameVariant \"magnetic-cave\"]\n[OpeningPlies \"{evil}\"]\n\n{moves} *\n"),
        ),
        (
            "move.pgn",
            format!("[GameVariant \"magnetic-cave\"]\n\n1. {evil} *\n"),
        ),
        ("line.pgn", format!("[{evil}\n")),
        (
            "saved-move",
            format!("variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: {evil}\n"),
        ),
        (
            "saved-start",
            format!("variant: magnetic-cave\nstart: {evil}\nmoves:\n"),
        ),
        (
            "saved-game",
            format!("variant: {evil}\nstart: 8/8/8/8/8/8/8/8 x\nmoves:\n"),
        ),
        (
            "saved-player",
            format!(
                "variant: magnetic-cave\nfirst: {evil}\nsecond: human\nstart: 8/8/8/8/8/8/8/8 x\nmoves:\n"
            ),
        ),
        ("saved-key", format!("{evil}: x\n")),
        ("book", format!("startpos moves {evil}\n")),
        ("fen-book", format!("{evil}\n")),
    ] {
        scene.file(name, &text);
        for line in [
            format!("show {name}"),
            format!("show {name} --game 1"),
            format!("match random random --games 2 --openings {name} --quiet"),
        ] {
            assert_harmless(&scene.referee(&line));
        }
        let loaded = scene.run_with_input(
            "play --first human --second random",
            &format!("load {name}\nquit\n"),
        );
        assert_harmless(&loaded);
        let loaded = scene.run_with_input("", &format!("load {name}\nn\nquit\n"));
        assert_harmless(&loaded);
    }
}

/// Names of files and folders, by every command that takes a path.
#[test]
fn names_of_files() {
    let scene = Scene::new();
    let evil = EVIL.replace('/', "");
    for name in [evil.as_bytes(), b"\xff\xfe\x1b]0;x\x07", b"-\n::error::x"] {
        let name = std::ffi::OsString::from_vec(name.to_vec());
        for make in [false, true] {
            let path = scene.path("").join(&name);
            if make {
                fs::write(&path, "{}\n").unwrap();
            }
            for words in [
                &["report"][..],
                &["show"],
                &["verify"],
                &["analyze"],
                &["check"],
                &["adapt"],
                &["rules"],
                &["match", "random"],
                &["match", "random", "random", "--openings"],
                &["match", "random", "random", "--config"],
                &["match", "random", "--engines"],
                &["match", "random", "random", "--quiet", "--games", "2", "--out"],
                &["match", "random", "random", "--quiet", "--games", "2", "--pgn"],
                &["report", "missing.jsonl", "--html"],
                &["ladder", "--out", "x.jsonl"],
                &["play", "--second", "random", "--first"],
                &["new-bot", "python"],
                &["new-rules"],
            ] {
                let mut command = scene.command("");
                // A name that begins with a hyphen is a path only behind `./`.
                let mut argument = std::ffi::OsString::from("./");
                argument.push(&name);
                command.args(words).arg(&argument);
                assert_harmless(&run(&mut command, ""));
            }
            let _ = fs::remove_file(&path);
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// What bots print, through every command that starts them.
#[test]
fn output_of_bots() {
    let scene = Scene::new();
    let evil = EVIL
        .replace('\\', "\\\\")
        .replace('\u{1b}', "\\033")
        .replace('\u{7}', "\\007")
        .replace('\n', "\\n");
    let evil = evil.replace('\r', "\\r").replace('\'', "");
    scene.script(
        "move",
        &Bot::thinking(&format!("printf 'bestmove {evil}\\n'")).text(),
    );
    let lines = format!(
        "printf 'info string {evil}\\n{evil}\\ninfo score cp 3 pv {evil}\\n'; printf '{evil}\\n' >&2; legal"
    );
    scene.script("lines", &Bot::thinking(&lines).text());
    scene.script(
        "crash",
        &Bot::thinking(&format!("printf '{evil}\\n' >&2; exit 3")).text(),
    );
    let greeting = format!(
        "printf 'id name {evil}\\noption name {evil} type spin default 1 min 1 max 2\\n'; echo uciok"
    );
    scene.script("greeting", &Bot::greeting(&greeting).text());
    scene.script(
        "mute",
        &Bot::greeting(&format!("printf '{evil}\\n'; printf '{evil}\\n' >&2; exit 1")).text(),
    );
    for_all(&["move", "lines", "crash", "greeting", "mute"], |bot| {
        for line in [
            format!(
                "match ./{bot} random --games 2 --each st=5 --max-plies 6 --out {bot}.jsonl --html {bot}.html --record all"
            ),
            format!("match ./{bot} random --games 2 --each st=5 --max-plies 6 --json --skip-broken"),
            format!(
                "match ./{bot} random --games 2 --each st=5 --max-plies 6 --output cutechess --pgn {bot}.pgn"
            ),
            format!(
                "match ./{bot} random --games 1 --each st=5 --max-plies 4 --board --log {bot}.log level=debug"
            ),
            format!("check --only startpos --only handshake --only output ./{bot}"),
            format!("check --only startpos --only handshake --only output --json ./{bot}"),
            format!("report {bot}.jsonl --csv"),
            format!("show {bot}.jsonl --game 1"),
        ] {
            let outcome = scene.referee(&line);
            assert_harmless(&outcome);
        }
        for file in [
            format!("{bot}.jsonl"),
            format!("{bot}.html"),
            format!("{bot}.log"),
            format!("{bot}.pgn"),
        ] {
            let text = fs::read_to_string(scene.path(&file)).unwrap_or_default();
            assert_clean(&text.replace("\r\n", "\n"), &file);
            assert!(
                !file.ends_with("html") || !text.contains("<script>alert"),
                "{file}"
            );
        }
        for transcript in fs::read_dir(scene.path(&format!("{bot}.faults")))
            .into_iter()
            .flatten()
        {
            assert_clean(&fs::read_to_string(transcript.unwrap().path()).unwrap(), bot);
        }
        let by_hand = scene.run_with_input(
            &format!("play --first human --second ./{bot} --st 5"),
            "a1\nwhy\nquit\nn\n",
        );
        assert_harmless(&by_hand);
    });
}

/// Settings in TOML, of a submission or of the user.
#[test]
fn settings_files() {
    let scene = Scene::new();
    let text = serde_json::to_string(EVIL).unwrap();
    for toml in [
        format!("{text} = 1\n"),
        format!("event = {text}\n"),
        format!("[[engine]]\ncmd = {text}\n"),
        format!("[[engine]]\ncmd = \"random\"\nname = {text}\n[[engine]]\ncmd = \"random\"\n"),
        format!("command = {text}\n"),
        format!("command = \"cat\"\nmove = {text}\n"),
        format!("a = {}\n", "[".repeat(100_000)),
        EVIL.to_string(),
    ] {
        scene.file("match.toml", &toml);
        scene.folder("bots/ann");
        scene.file("bots/ann/adapt.toml", &toml);
        for line in [
            "match --config match.toml --games 2 --quiet",
            "match --engines match.toml --games 2 --quiet",
            "match random --engines bots --games 2 --quiet --skip-broken",
            "check --only handshake bots",
            "adapt match.toml",
        ] {
            assert_harmless(&scene.referee(line));
        }
    }
}

/// Each test is in a row of the table, and each row names a test.
#[test]
fn the_table_names_every_test() {
    let table = include_str!("../../SECURITY.md");
    let tests = include_str!("trust.rs");
    let rows = table.lines().filter(|line| line.starts_with("| **"));
    let cells: Vec<&str> = rows
        .map(|row| row.trim_end_matches(" |").rsplit(" | ").next().unwrap())
        .collect();
    let named: Vec<&str> = cells
        .iter()
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert!(cells.len() > 9, "{cells:?}");
    for name in named.iter().filter(|name| !name.contains([' ', '/'])) {
        assert!(
            tests.contains(&format!("fn {name}()")),
            "there is no test `{name}`"
        );
    }
    let mut written = tests
        .split("#[test]\n")
        .skip(1)
        .filter_map(|test| test.split_once("fn ")?.1.split_once('('));
    assert!(written.all(|(name, _)| named.contains(&name) || name == "the_table_names_every_test"));
}

/// What rules programs print.
#[test]
fn output_of_rules_programs() {
    let scene = Scene::new();
    let evil = EVIL
        .replace('\u{1b}', "\\033")
        .replace('\u{7}', "\\007")
        .replace('\n', " ")
        .replace('\r', "");
    let zoo = include_str!("../rules_programs/zoo.sh");
    for (number, (from, to)) in [
        ("id name", format!("printf 'id name {evil}\\n'; echo id name")),
        ("say \"after$moves\"", format!("printf 'response {evil}\\n'")),
        ("say \"$n 0\"", format!("printf 'response {evil}\\n'")),
    ]
    .iter()
    .enumerate()
    {
        let changed = zoo.replacen(&format!("echo {from}"), to, 1).replacen(from, to, 1);
        assert_ne!(changed, zoo, "{from}");
        let name = format!("rules{number}.sh");
        scene.script(&name, &changed);
        for line in [
            format!("rules ./{name} --games 2"),
            format!("match random random --rules ./{name} --games 2 --out {number}.jsonl"),
            format!("report {number}.jsonl --html {number}.html"),
            format!("show {number}.jsonl --game 1 --rules ./{name}"),
            format!("verify {number}.jsonl --rules ./{name}"),
            format!("check random --rules ./{name} --only startpos"),
        ] {
            assert_harmless(&scene.referee(&line));
        }
    }
}

mod slow {
    use super::*;

    /// Each field of headers and records in turn holds hostile text.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn fields_of_result_files() {
        let scene = results();
        let mut cases = Vec::new();
        for file in ["rules.jsonl", "analysed.jsonl"] {
            let mut lines = scene.results(file);
            let game = lines.iter().position(|line| line.get("moves").is_some()).unwrap();
            lines[game]["turns"] = json!("12");
            for at in [0, game] {
                let mut found = Vec::new();
                places(&lines[at], "", &mut found);
                // Enough of each list.
                found.retain(|place| {
                    !place
                        .rsplit('/')
                        .next()
                        .unwrap()
                        .parse::<usize>()
                        .is_ok_and(|index| index > 2)
                });
                for place in found {
                    let mut lines = lines.clone();
                    let old = std::mem::replace(lines[at].pointer_mut(&place).unwrap(), json!(EVIL));
                    cases.push((format!("{file}{place} of line {}", at + 1), lines.clone()));
                    // A name that begins a line is everywhere the same.
                    if place.ends_with("/name") {
                        let text = file_of(&lines).replace(&json!(EVIL).to_string(), &old.to_string());
                        let text = text.replace(&old.to_string(), "\"::error::y\"");
                        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
                        cases.push((format!("{file}{place} everywhere"), lines.collect()));
                    }
                }
            }
        }
        assert!(cases.len() > 60, "{}", cases.len());
        let numbered: Vec<(usize, &(String, Vec<Value>))> = cases.iter().enumerate().collect();
        for part in numbered.chunks(8) {
            for_all(part, |(number, (what, lines))| {
                read_by_all(&scene, &format!("case-{number}"), lines, what);
            });
        }
    }

    /// Numbers of headers and records.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn numbers_in_result_files() {
        fn numbers(value: &Value, place: &str, found: &mut Vec<String>) {
            match value {
                Value::Number(_) => found.push(place.to_string()),
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate().take(2) {
                        numbers(item, &format!("{place}/{index}"), found);
                    }
                }
                Value::Object(fields) => {
                    for (name, field) in fields {
                        numbers(field, &format!("{place}/{name}"), found);
                    }
                }
                _ => {}
            }
        }
        let scene = results();
        scene.folder("swiss");
        for (name, words) in [
            ("swiss", "swiss rounds=2"),
            ("knockout", "knockout"),
            ("gauntlet", "gauntlet"),
        ] {
            let line = format!(
                "match random plain squares --format {words} --games 2 --each st=9 depth=1 --out {name}.jsonl --quiet"
            );
            scene.referee(&line).succeeds();
        }
        let mut cases = Vec::new();
        for file in [
            "rules.jsonl",
            "analysed.jsonl",
            "swiss.jsonl",
            "knockout.jsonl",
            "gauntlet.jsonl",
        ] {
            let mut lines = scene.results(file);
            let game = lines.iter().position(|line| line.get("moves").is_some()).unwrap();
            lines[game]["faults"] =
                json!([{"move": 1, "player": 1, "reason": "time", "detail": "late", "ms": 5}]);
            for at in [0, game] {
                let mut found = Vec::new();
                numbers(&lines[at], "", &mut found);
                for place in found {
                    for number in [
                        json!(0),
                        json!(-1),
                        json!(1_u64 << 32),
                        json!(u64::MAX),
                        json!(1e300),
                    ] {
                        let mut lines = lines.clone();
                        *lines[at].pointer_mut(&place).unwrap() = number;
                        cases.push(lines);
                    }
                }
            }
        }
        assert!(cases.len() > 200, "{}", cases.len());
        let numbered: Vec<(usize, &Vec<Value>)> = cases.iter().enumerate().collect();
        for part in numbered.chunks(8) {
            for_all(part, |(number, lines)| {
                let file = format!("case-{number}.jsonl");
                scene.file(&file, &file_of(lines));
                for reader in [
                    "report FILE",
                    "report FILE --html FILE.html",
                    "show FILE --game 1",
                    "verify FILE",
                ] {
                    // A file that needs memory or time without bounds fails.
                    let mut command = Command::new("sh");
                    command.current_dir(scene.path("")).arg("-c").arg(format!(
                        "ulimit -v 2000000; exec timeout -s KILL 60 {} {}",
                        env!("CARGO_BIN_EXE_referee"),
                        reader.replace("FILE", &file)
                    ));
                    assert_harmless(&run(&mut command, ""));
                }
                scene.remove(&file);
            });
        }
    }
}
