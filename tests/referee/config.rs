//! Options and players from files and folders: `--config`, `--save-config`,
//! `--engines`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::recorded::line_of;
use crate::support::{
    Bot, Outcome, Scene, assert_ends, assert_has, assert_rows, assert_starts, expect, rows, run,
};

/// A bot that loses each game with its first move.
const LOSER: Bot<'static> = Bot {
    start: ":",
    uci: "echo uciok",
    isready: "echo readyok",
    query: ":",
    go: "echo bestmove z9",
    quit: "exit 0",
};

/// The score of a finished match.
#[track_caller]
fn score(outcome: Outcome) -> String {
    line_of(&outcome.succeeds().stdout, "Score of ").to_string()
}

/// The error of a wrong command.
#[track_caller]
fn refused(scene: &Scene, line: &str) -> String {
    let outcome = scene.referee(line).exits(2);
    assert_eq!(outcome.stdout, "", "{line}");
    outcome.stderr
}

/// The header of `games.jsonl`.
fn header(scene: &Scene) -> serde_json::Value {
    scene.results("games.jsonl").swap_remove(0)
}

#[test]
fn a_file_makes_the_same_match_as_the_command_line() {
    let scene = Scene::new();
    scene.bot("bot.sh", LOSER);
    scene.file(
        "match.toml",
        "# The final.\ngames = 4\nopenings = 'random:2'\nseed = 7\nquiet = true\nout = 'games.jsonl'\n\
         [each]\nst = 0.5\n\
         [[engine]]\ncmd = './bot.sh'\nname = 'my \"bot\"'\n\
         [[engine]]\ncmd = 'random'\noption.Seed = 3\n",
    );
    let by_file = score(scene.referee("match --config match.toml"));
    assert_starts(&by_file, "my \"bot\" vs random: ");
    let of_file = header(&scene);
    scene.remove("games.jsonl");
    let mut typed = scene.command("match --games 4 --openings random:2 --seed 7 --quiet --out games.jsonl");
    typed.args(["--each", "st=0.5", "--engine", "cmd=./bot.sh", "name=my \"bot\""]);
    typed.args(["--engine", "cmd=random", "option.Seed=3"]);
    assert_eq!(score(run(&mut typed, "")), by_file);
    assert_eq!(header(&scene), of_file);
    assert!(scene.count("bot.sh", "go movetime 500") > 0);
}

#[test]
fn a_match_has_what_the_command_line_sets_instead_of_the_file() {
    let scene = Scene::new();
    let bot = scene.bot("bot.sh", LOSER);
    scene.file(
        "match.toml",
        "games = 8\nboard = true\n[each]\nst = 20\ndepth = 3\n\
         [[engine]]\ncmd = 'random'\n[[engine]]\ncmd = 'nowhere'\n",
    );
    let line = format!("match {bot} random --quiet --config match.toml --games 2 --each tc=50");
    let outcome = scene.referee(&line).succeeds();
    // No boards, and the players of the command line.
    assert_starts(&outcome.stdout, "Score of bot vs random: ");
    assert_ends(score(outcome), " 2");
    let received = scene.received("bot.sh");
    let go = received.iter().find(|line| line.starts_with("go ")).unwrap();
    assert_starts(go, "go wtime 50000 ");
    assert_ends(go, " depth 3");
}

#[test]
fn a_saved_match_is_the_same_when_it_is_loaded() {
    let scene = Scene::new();
    let uci = "echo 'option name Clear Hash type button'; echo 'option name Note type string default x'; echo uciok";
    scene.bot("odd bot's.sh", Bot { uci, ..LOSER });
    scene.file("base.toml", "games = 2\nquiet = true\n[each]\nst = 9\n");
    let line = "match --config base.toml --seed 5 --save-config saved.toml";
    let mut command = scene.command(line);
    command.args([
        "--engine",
        "cmd=./odd bot's.sh",
        "args=-v 'two \"words\"' \\\\",
        "name=the \"odd\" one",
    ]);
    command.args(["option.Clear Hash=", "option.Note=a = b # c", "starttime=12"]);
    command.args(["--engine", "cmd=random", "--each", "st=0.50"]);
    let first = run(&mut command, "").succeeds();
    first.shows(expect! {"Score of the \"odd\" one vs random:"});
    let saved = scene.text("saved.toml");
    expect![[r#"
        # A match. `referee match --config` and the path of this file play it.
        seed = 5
        quiet = true
        games = 2

        [[engine]]
        cmd = "./odd bot's.sh"
        args = ["-v", 'two "words"', '\']
        name = 'the "odd" one'
        starttime = 12

        [engine.option]
        "Clear Hash" = ""
        Note = "a = b # c"

        [[engine]]
        cmd = "random"

        [each]
        st = 0.5
    "#]]
    .assert_eq(&saved);
    let again = scene.referee("match --config saved.toml --save-config again.toml");
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(scene.text("again.toml"), saved);
    let received = scene.received("odd bot's.sh");
    let (once, twice) = received.split_at(received.len() / 2);
    assert_eq!(once, twice, "the same options, times and games");
    assert!(
        scene.count("odd bot's.sh", "setoption name Clear Hash") > 0,
        "{received:?}"
    );
}

#[test]
fn a_saved_file_is_not_overwritten() {
    let scene = Scene::new();
    let line = "match random random --quiet --each st=1 --save-config saved.toml";
    score(scene.referee(line));
    let saved = scene.text("saved.toml");
    score(scene.referee(line));
    assert_eq!(scene.text("saved.toml"), saved);
    let message = refused(&scene, &format!("{line} --seed 3"));
    assert_has(&message, expect! {"--save-config saved.toml: File exists"});
    assert_has(&message, expect! {"other content is never overwritten"});
    assert_eq!(scene.text("saved.toml"), saved);
    refused(
        &scene,
        "match nowhere.toml random --each st=x --save-config other.toml",
    );
    assert!(
        !scene.path("other.toml").exists(),
        "an invalid match is not saved"
    );
}

#[test]
fn an_error_in_a_file_names_the_file_and_the_line() {
    let scene = Scene::new();
    scene.file("match.toml", "games = 2\n\ngmaes = 3\n");
    let error = refused(&scene, "match --config match.toml");
    let start =
        "referee: match.toml, line 3: unknown key `gmaes`; did you mean `games`? keys: engine, each, ";
    assert_starts(&error, start);
    assert_eq!(error.lines().count(), 1, "{error}");
    fs::write(scene.path("match.toml"), b"seed = 1\nout = '\xff'\n").unwrap();
    let error = refused(&scene, "match --config match.toml");
    expect![[r#"
        referee: match.toml, line 2: the text is not UTF-8
    "#]]
    .assert_eq(&error);
    let error = refused(&scene, "match --config nowhere.toml");
    expect![[r#"
        referee: `nowhere.toml` cannot be read: No such file or directory
    "#]]
    .assert_eq(&error);
    assert_has(
        refused(&scene, "match --config ."),
        expect! {"referee: `.` cannot be read: it is a folder, not a file"},
    );
    scene.file("match.toml", "games = 2\n");
    let error = refused(&scene, "match --config match.toml --gmaes 3");
    assert_has(error, expect! {"a similar argument exists: '--games'"});
}

/// Makes a folder `course` with these submissions.
fn course(scene: &Scene, names: &[&str]) {
    for name in names {
        scene.folder(&format!("course/{name}"));
        scene.bot(&format!("course/{name}/run"), LOSER);
    }
}

#[test]
fn plays_the_submissions_of_a_folder() {
    let scene = Scene::new();
    course(&scene, &["bob", "Alice 2", "carol", ".git"]);
    scene.script("course/bob/run", "#!/bin/sh\npwd > seen\nexec ../tools/bot\n");
    scene.folder("course/tools");
    fs::rename(scene.path("course/carol/run"), scene.path("course/tools/bot")).unwrap();
    scene.script("course/carol/run", "");
    fs::set_permissions(scene.path("course/carol/run"), fs::Permissions::from_mode(0o644)).unwrap();
    scene.file("course/README", "A plain file.");
    let outcome = scene
        .referee("match --engines course --quiet --each st=2")
        .exits(0);
    assert_starts(&outcome.stdout, "Score of Alice 2 vs bob: ");
    let seen = scene.text("course/bob/seen");
    assert!(
        seen.trim_end().ends_with("/course/bob"),
        "it runs in its folder: {seen}"
    );
    let warnings: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert_has(
        warnings[0],
        expect! {"referee: warning: not in the match: `run` in course/carol is not executable; run `chmod +x course/carol/run`"},
    );
    assert_has(warnings[1], expect! {"course/tools has no file `run`;"});
}

#[test]
fn submissions_and_named_players_play_together() {
    let scene = Scene::new();
    course(&scene, &["alice"]);
    scene.file(
        "more.toml",
        "[each]\nst = 3\n[[engine]]\ncmd = 'random'\nname = 'r'\n",
    );
    scene.file("match.toml", "engines = ['more.toml', 'course']\nquiet = true\n");
    for [line, players] in rows(
        "--engines course --engine cmd=random | random vs alice
         --engines course random | random vs alice
         random --engines course | random vs alice
         --engines course --engines more.toml | alice vs r
         --engines more.toml --engines course/ | r vs alice
         --config match.toml | r vs alice",
    ) {
        let outcome = scene.referee(&format!("match {line} --quiet --each st=2"));
        assert_starts(score(outcome), format!("{players}: "));
    }
}

#[test]
fn rejects_a_folder_or_file_without_players() {
    let scene = Scene::new();
    scene.folder("empty");
    scene.folder("nested/course/ann");
    scene.bot("nested/course/ann/run", LOSER);
    scene.file("none.toml", "");
    scene.file(
        "typo.toml",
        "[[engine]]\ncmd = 'random'\n[[engnie]]\ncmd = 'plain'\n",
    );
    scene.bot("bot.sh", LOSER);
    let table = expect![[r#"
        empty | referee: --engines empty: no submissions found; a submission is a subfolder
        nested | `adapt.toml`; did you mean `nested/course`?
        nowhere | referee: `nowhere` cannot be read: No such file or directory
        none.toml | referee: none.toml: there is no player;
        typo.toml
            | referee: typo.toml, line 3: unknown key `engnie`; did you mean `engine`? The keys are engine, each
        ./bot.sh | for a program, use `--engine cmd=./bot.sh`
    "#]];
    assert_rows(table, |[source]| {
        scene.refused(&format!("match --engines {source} random plain"))
    });
}

/// The options and players of other programs make the same match as those of a command line.
#[test]
fn files_of_cutechess_and_fastchess_are_read() {
    let scene = Scene::new();
    scene.file(
        "engines.json",
        r#"[{"name": "a", "command": "squares", "protocol": "uci", "options": [{"name": "Hash", "value": 2}]},
            {"name": "b", "command": "groups", "ponder": true}]"#,
    );
    let line = "match --each depth=1 --games 2 --quiet --out games.jsonl";
    let outcome = scene.referee(&format!("{line} --engines engines.json")).exits(0);
    outcome.says(expect! {"--engines engines.json: not used: `ponder` of b"});
    let from_json = header(&scene);
    scene.remove("games.jsonl");
    let players = "--engine cmd=squares name=a proto=uci option.Hash=2 --engine cmd=groups name=b";
    scene.referee(&format!("{line} {players}")).succeeds();
    assert_eq!(from_json["engines"], header(&scene)["engines"]);

    let config = r#"{"games": 2, "rounds": 2, "concurrency": 1, "opening": {"file": "book.txt", "order": 0, "plies": -1},
        "sprt": {"enabled": false}, "resign": {"enabled": true, "move_count": 3, "score": 600, "twosided": true}, "engines": [
        {"name": "a", "cmd": "squares", "options": [["Hash", "2"]], "limit": {"tc": {"time": 60000, "increment": 100}, "plies": 1}},
        {"name": "b", "cmd": "groups", "limit": {"tc": {"fixed_time": 60000}, "plies": 1}}]}"#;
    scene.file("config.json", config);
    scene.file("book.txt", "a1\na2\n");
    scene.remove("games.jsonl");
    scene
        .referee("match --config config.json --quiet --out games.jsonl")
        .succeeds();
    let from_json = header(&scene);
    scene.remove("games.jsonl");
    let players = "--engine cmd=squares name=a option.Hash=2 tc=60+0.1 depth=1 --engine cmd=groups name=b st=60 depth=1";
    let line = format!(
        "match {players} --games 4 --openings book.txt order=random --resign movecount=3 score=600 twosided=true"
    );
    scene
        .referee(&format!("{line} --quiet --out games.jsonl"))
        .succeeds();
    assert_eq!(from_json, header(&scene));

    scene.file(
        "config.json",
        &config
            .replace("60000, \"inc", "\"x\", \"inc")
            .replace("\"fixed_time\": 60000", "\"fixed_time\": 1e99"),
    );
    let error = refused(&scene, "match --config config.json");
    assert_has(&error, "the file was read as this TOML:\n\ngames = 4\n");
    assert_has(
        refused(&scene, "match --engines book.json"),
        expect! {"referee: `book.json` cannot be read: No such file"},
    );
    scene.file("book.json", "[{\"name\": 3}]");
    assert_has(
        refused(&scene, "match --engines book.json"),
        expect! {"expected `engines.json` of cutechess"},
    );
}
