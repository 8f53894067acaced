//! Options and players from files and folders: `--config`, `--save-config`,
//! `--engines`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{Bot, Outcome, Scene, assert_has_all, assert_starts, rows, run};

/// A bot that loses each game with its first move.
const LOSER: Bot<'static> = Bot {
    start: ":",
    uci: "echo uciok",
    isready: "echo readyok",
    query: ":",
    go: "echo bestmove z9",
    quit: "exit 0",
};

/// The score line of a finished match.
fn score(outcome: &Outcome) -> &str {
    assert_eq!(
        (outcome.status, outcome.stderr.as_str()),
        (Some(0), ""),
        "{outcome:?}"
    );
    let lines = outcome.stdout.lines();
    lines
        .into_iter()
        .find(|line| line.starts_with("Score of "))
        .unwrap()
}

/// The error of a wrong command.
fn refused(scene: &Scene, line: &str) -> String {
    let outcome = scene.referee(line);
    assert_eq!(
        (outcome.status, outcome.stdout.as_str()),
        (Some(2), ""),
        "{line}: {outcome:?}"
    );
    outcome.stderr
}

/// The header of `games.jsonl`.
fn header(scene: &Scene) -> serde_json::Value {
    scene.results("games.jsonl").swap_remove(0)
}

#[test]
fn a_file_makes_the_same_match_as_the_command_line() {
    let scene = Scene::new();
    let bot = scene.bot("bot.sh", LOSER);
    scene.file(
        "match.toml",
        &format!(
            "# The final.\ngames = 4\nopenings = 'random:2'\nseed = 7\nquiet = true\nout = 'games.jsonl'\n\
             [each]\nst = 0.5\n\
             [[engine]]\ncmd = '{bot}'\nname = 'my \"bot\"'\n\
             [[engine]]\ncmd = 'random'\noption.Seed = 3\n"
        ),
    );
    let by_file = scene.referee("match --config match.toml");
    assert!(score(&by_file).starts_with("Score of my \"bot\" vs random: "));
    let of_file = header(&scene);
    fs::remove_file(scene.path("games.jsonl")).unwrap();
    let mut typed = scene.command("match --games 4 --openings random:2 --seed 7 --quiet --out games.jsonl");
    typed.args(["--each", "st=0.5", "--engine"]);
    typed.args([
        &format!("cmd={bot}"),
        "name=my \"bot\"",
        "--engine",
        "cmd=random",
        "option.Seed=3",
    ]);
    assert_eq!(score(&run(&mut typed, "")), score(&by_file));
    assert_eq!(header(&scene), of_file);
    assert!(
        scene
            .received("bot.sh")
            .iter()
            .any(|line| line == "go movetime 500")
    );
}

#[test]
fn the_command_line_overrides_the_file() {
    let scene = Scene::new();
    let bot = scene.bot("bot.sh", LOSER);
    scene.file(
        "match.toml",
        "games = 8\nboard = true\n[each]\nst = 20\ndepth = 3\n\
         [[engine]]\ncmd = 'random'\n[[engine]]\ncmd = 'nowhere'\n",
    );
    let line = format!("match {bot} random --quiet --config match.toml --games 2 --each tc=50");
    let outcome = scene.referee(&line);
    assert!(score(&outcome).ends_with(" 2"), "{outcome:?}");
    assert_starts(&outcome.stdout, "Score of bot vs random: ");
    let received = scene.received("bot.sh");
    let go = received.iter().find(|line| line.starts_with("go ")).unwrap();
    assert!(
        go.starts_with("go wtime 50000 ") && go.ends_with(" depth 3"),
        "{go}"
    );
}

#[test]
fn a_saved_match_is_the_same_when_it_is_loaded() {
    let scene = Scene::new();
    let bot = scene.bot(
        "odd bot's.sh",
        Bot {
            uci: "echo 'option name Clear Hash type button'; echo 'option name Note type string default x'; echo uciok",
            ..LOSER
        },
    );
    scene.file("base.toml", "games = 2\nquiet = true\n[each]\nst = 9\n");
    let save = |line: &str, engines: &[&str]| {
        let mut command = scene.command(line);
        run(command.args(engines), "")
    };
    let cmd = format!("cmd={bot}");
    let engines = [
        "--engine",
        &cmd,
        "args=-v 'two \"words\"' \\\\",
        "name=the \"odd\" one",
        "option.Clear Hash=",
        "option.Note=a = b # c",
        "starttime=12",
        "--engine",
        "cmd=random",
        "--each",
        "st=0.50",
    ];
    let first = save(
        "match --config base.toml --seed 5 --save-config saved.toml",
        &engines,
    );
    assert!(score(&first).starts_with("Score of the \"odd\" one vs random: "));
    let saved = scene.text("saved.toml");
    assert_eq!(
        saved,
        "# A match. `referee match --config` and the path of this file play it.\n\
         seed = 5\n\
         quiet = true\n\
         games = 2\n\
         \n\
         [[engine]]\n\
         cmd = \"./odd bot's.sh\"\n\
         args = [\"-v\", 'two \"words\"', '\\']\n\
         name = 'the \"odd\" one'\n\
         starttime = 12\n\
         \n\
         [engine.option]\n\
         \"Clear Hash\" = \"\"\n\
         Note = \"a = b # c\"\n\
         \n\
         [[engine]]\n\
         cmd = \"random\"\n\
         \n\
         [each]\n\
         st = 0.5\n"
    );
    let again = scene.referee("match --config saved.toml --save-config again.toml");
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(scene.text("again.toml"), saved);
    let half = scene.received("odd bot's.sh").len() / 2;
    let received = scene.received("odd bot's.sh");
    assert_eq!(
        received[..half],
        received[half..],
        "the same options, times and games"
    );
    assert!(received.contains(&"setoption name Clear Hash".to_string()));
}

#[test]
fn a_saved_file_is_not_overwritten() {
    let scene = Scene::new();
    let line = "match random random --quiet --each st=1 --save-config saved.toml";
    score(&scene.referee(line));
    let saved = fs::read(scene.path("saved.toml")).unwrap();
    score(&scene.referee(line));
    assert_eq!(fs::read(scene.path("saved.toml")).unwrap(), saved);
    let message = refused(&scene, &format!("{line} --seed 3"));
    assert!(
        message.contains("--save-config saved.toml: File exists")
            && message.contains("other content is never overwritten"),
        "{message}"
    );
    assert_eq!(fs::read(scene.path("saved.toml")).unwrap(), saved);
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
fn errors_in_a_file_name_the_line() {
    let scene = Scene::new();
    for (text, message) in [
        (
            "games = 2\n\ngmaes = 3\n",
            "referee: match.toml, line 3: unknown key `gmaes`; did you mean `games`? The keys are engine, each, ",
        ),
        (
            "[[engine]]\ncmd = 'random'\ndpeth = 3\n",
            "referee: match.toml, line 3: unknown setting `dpeth`; did you mean `depth`?",
        ),
        (
            "seed = 1\ngames = 0\n",
            "referee: match.toml, line 2: `0`: expected a whole number of at least 1\n",
        ),
        (
            "seed = 1\nseed = 2\n",
            "referee: match.toml, line 2: duplicate key\n",
        ),
        (
            "seed = [1]\n",
            "referee: match.toml, line 1: expected a string, a number or a boolean\n",
        ),
        (
            "config = 'a'\n",
            "referee: match.toml, line 1: `config` is not allowed in a file",
        ),
        (
            "quiet = true\nboard = true\n",
            "referee: match.toml: `board` cannot be used with `quiet`\n",
        ),
        ("\n[[engine]\n", "referee: match.toml, line 2: "),
        (
            "out = \"a\\u0000b\"\n",
            "referee: match.toml, line 1: a control character (`\\0`) is not allowed",
        ),
    ] {
        scene.file("match.toml", text);
        let error = refused(&scene, "match --config match.toml");
        assert!(
            error.starts_with(message) && error.lines().count() == 1,
            "{text}\n{error}"
        );
    }
    fs::write(scene.path("match.toml"), b"seed = 1\nout = '\xff'\n").unwrap();
    let error = refused(&scene, "match --config match.toml");
    assert_eq!(error, "referee: match.toml, line 2: the text is not UTF-8\n");
    scene.file("match.toml", &"#".repeat((1 << 20) + 1));
    let error = refused(&scene, "match --config match.toml");
    assert_eq!(error, "referee: match.toml: the file is longer than 1 MiB\n");
    let error = refused(&scene, "match --config nowhere.toml");
    assert_eq!(
        error,
        "referee: --config nowhere.toml: No such file or directory (os error 2)\n"
    );
    assert!(refused(&scene, "match --config .").starts_with("referee: --config .: Is a directory"));
    scene.file("match.toml", "games = 2\n");
    let error = refused(&scene, "match --config match.toml --gmaes 3");
    assert!(error.contains("a similar argument exists: '--games'"), "{error}");
}

/// Makes a folder `course` with these submissions.
fn course(scene: &Scene, names: &[&str]) {
    for name in names {
        fs::create_dir_all(scene.path("course").join(name)).unwrap();
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
    assert!(
        warnings[0].starts_with(
            "referee: warning: not in the match: `run` in course/carol is not executable; \
             `chmod +x course/carol/run` makes it so"
        ),
        "{warnings:?}"
    );
    assert!(
        warnings[1].contains("course/tools has no file `run`; "),
        "{warnings:?}"
    );
}

#[test]
fn submissions_and_named_players_play_together() {
    let scene = Scene::new();
    course(&scene, &["alice"]);
    scene.file(
        "more.toml",
        "[each]\nst = 3\n[[engine]]\ncmd = 'random'\nname = 'r'\n",
    );
    for [line, players] in rows(
        "
        --engines course --engine cmd=random | random vs alice
        --engines course random | random vs alice
        random --engines course | random vs alice
        --engines course --engines more.toml | alice vs r
        --engines more.toml --engines course/ | r vs alice
    ",
    ) {
        let outcome = scene.referee(&format!("match {line} --quiet --each st=2"));
        assert!(
            score(&outcome).starts_with(&format!("Score of {players}: ")),
            "{line}: {outcome:?}"
        );
    }
    scene.file("match.toml", "engines = ['more.toml', 'course']\nquiet = true\n");
    let outcome = scene.referee("match --config match.toml");
    assert!(
        score(&outcome).starts_with("Score of r vs alice: "),
        "{outcome:?}"
    );
}

#[test]
fn rejects_a_folder_or_file_without_players() {
    let scene = Scene::new();
    scene.folder("empty");
    scene.file("none.toml", "");
    scene.file(
        "typo.toml",
        "[[engine]]\ncmd = 'random'\n[[engnie]]\ncmd = 'plain'\n",
    );
    let bot = scene.bot("bot.sh", LOSER);
    for (source, message) in [
        (
            "empty",
            "referee: --engines empty: no submission; each is a folder",
        ),
        ("nowhere", "referee: --engines nowhere: No such file or directory"),
        ("none.toml", "referee: none.toml: there is no player;"),
        (
            "typo.toml",
            "referee: typo.toml, line 3: unknown key `engnie`; did you mean `engine`? The keys are engine, each\n",
        ),
        (&bot, "a program is named with `--engine cmd=./bot.sh`"),
    ] {
        let error = refused(&scene, &format!("match --engines {source} random plain"));
        assert!(error.contains(message), "{source}: {error}");
    }
}

#[test]
fn help_lists_the_options_for_files() {
    let output = Command::new(env!("CARGO_BIN_EXE_referee"))
        .args(["match", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    assert_has_all(
        &help,
        [
            "--config <FILE.toml>",
            "--save-config <FILE.toml>",
            "--engines <DIR|FILE.toml>",
        ],
    );
}
