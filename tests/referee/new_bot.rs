//! `referee new-bot`: a bot to start from, in a folder for `--engines`.

use crate::recorded::column;
use crate::support::{Outcome, Scene, assert_has, assert_has_all, assert_starts, joined, run};

/// The languages, each with its source file.
const LANGUAGES: [(&str, &str); 6] = [
    ("c", "bot.c"),
    ("cpp", "bot.cpp"),
    ("java", "Bot.java"),
    ("javascript", "bot.js"),
    ("python", "bot.py"),
    ("rust", "bot.rs"),
];

/// Runs the referee where no programming language is installed.
fn without_tools(scene: &Scene, line: &str) -> Outcome {
    run(scene.command(line).env("PATH", scene.path("")), "")
}

#[test]
fn writes_a_bot_in_each_language_and_shows_the_next_commands() {
    let scene = Scene::new();
    for (language, file) in LANGUAGES {
        let outcome = scene
            .referee(&format!("new-bot {language} course/{language}"))
            .exits(0);
        let folder = format!("course/{language}");
        let expected = format!(
            "Wrote a bot ({language}) to ./{folder}: {file} and the script run.\n\
             The places to improve are `evaluate` and `search` in {file}.\n\
             \n\
             Start it once; a compiled language is compiled then:\n\
             \x20 echo uci | ./{folder}/run\n\
             Check it:\n\
             \x20 referee check ./{folder}\n\
             Play ten games:\n\
             \x20 referee match ./{folder} random --each st=0.5 --games 10 --openings random:2\n"
        );
        assert_eq!(outcome.stdout, expected);
        assert!(scene.path(&folder).join(file).is_file());
    }
}

/// The test needs no programming language: the script of one submission is replaced.
#[test]
fn folder_is_a_submission_for_a_tournament() {
    let scene = Scene::new();
    for name in ["a", "b"] {
        scene.referee(&format!("new-bot py course/{name}")).exits(0);
        // The file stays executable.
        let script = format!(
            "#!/bin/sh\nexec '{}' builtin random\n",
            env!("CARGO_BIN_EXE_referee")
        );
        scene.file(&format!("course/{name}/run"), &script);
    }
    scene
        .referee("match --engines course --each st=5 --quiet --out games.jsonl")
        .exits(0);
    let records = scene.records();
    assert_eq!(column(&records, "first"), ["a", "b"]);
    assert_eq!(column(&records, "second"), ["b", "a"]);
}

#[test]
fn names_the_missing_tools_in_a_note() {
    let scene = Scene::new();
    let outcome = without_tools(&scene, "new-bot java one").exits(0);
    let note = "`javac` and `java` are not installed here; the bot needs a Java development kit";
    assert_has(joined(&outcome.stderr), note);
    assert_starts(&outcome.stdout, "Wrote a bot (java) to ./one: ");
    scene.script("node", "#!/bin/sh\n");
    without_tools(&scene, "new-bot js two").succeeds();
}

#[test]
fn overwrites_no_file() {
    let scene = Scene::new();
    scene.file("taken", "mine");
    scene.folder("empty");
    scene.referee("new-bot c empty").exits(0);
    let source = scene.text("empty/run");
    for (folder, what) in [("taken", "is a file"), ("empty", "is not empty")] {
        let outcome = scene.referee(&format!("new-bot python {folder}")).exits(2);
        let message = format!("{folder} {what}; name a new folder, so that nothing is overwritten");
        assert_has(joined(&outcome.stderr), message);
        assert_eq!(outcome.stdout, "");
    }
    assert_eq!([scene.text("taken"), scene.text("empty/run")], ["mine", &source]);
    assert!(!scene.path("empty/bot.py").exists());
}

#[test]
fn unknown_language_gets_a_suggestion_and_all_names() {
    let scene = Scene::new();
    let message = joined(&scene.referee("new-bot pyton mybot").exits(2).stderr);
    assert_has(&message, "unknown language `pyton`; did you mean `python`?");
    assert_has_all(&message, LANGUAGES.map(|(language, _)| language));
    assert!(!scene.path("mybot").exists());
}
