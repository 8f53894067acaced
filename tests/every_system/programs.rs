//! Programs as Windows knows them, and what does not exist there.

use std::fs;

use crate::scene::{Scene, program, words};

/// The end of the command for a match of one game between a bot and `random`.
fn against_random<'a>(bot: &[&'a str]) -> Vec<&'a str> {
    let mut words = words("match --games 1 --quiet --out games.jsonl --engine");
    words.extend(bot);
    words.extend(["--engine", "cmd=random", "--each", "st=20"]);
    words
}

#[test]
fn batch_files_are_engines() {
    for name in ["bot.cmd", "bot.bat"] {
        let scene = Scene::new();
        let script = format!("@\"{}\" builtin random\r\n", program().display());
        fs::write(scene.path(name), script).unwrap();
        let by_name = format!("cmd=./{name}");
        scene.run(&against_random(&[&by_name])).succeeded();
        assert_eq!(scene.records("games.jsonl").len(), 1);
        // Without the extension, and with the separator of Windows.
        fs::remove_file(scene.path("games.jsonl")).unwrap();
        scene.run(&against_random(&["cmd=.\\bot"])).succeeded();
        assert_eq!(scene.records("games.jsonl").len(), 1);
    }
}

#[test]
fn arguments_keep_their_backslashes() {
    let scene = Scene::new();
    let script = format!("@\"{}\" builtin %2\r\n", program().display());
    fs::write(scene.path("bot.cmd"), script).unwrap();
    let bot = ["cmd=./bot.cmd", "args=C:\\new\\table random"];
    scene.run(&against_random(&bot)).succeeded();
    let header = fs::read_to_string(scene.path("games.jsonl")).unwrap();
    assert!(header.contains(r"C:\\new\\table"), "{header}");
}

#[test]
fn errors_say_how_to_start_other_files() {
    let scene = Scene::new();
    for (name, content, message) in [
        (
            "bot.py",
            "import sys",
            "is a script, which Windows does not start; start it with `cmd=python args=",
        ),
        (
            "Bot.class",
            "\u{ca}",
            "is a Java class; start it with the settings `cmd=java args=\"-cp . Bot\"`",
        ),
        ("bot.c", "int main;", "-o ./bot.exe"),
        (
            "bot.txt",
            "",
            "is not a program; Windows starts files that end in .exe, .com, .bat or .cmd",
        ),
    ] {
        fs::write(scene.path(name), content).unwrap();
        let bot = format!("cmd=./{name}");
        scene.run(&against_random(&[&bot])).assert_failed(3, message);
    }
    fs::write(scene.path("broken.exe"), "MZ").unwrap();
    scene
        .run(&against_random(&["cmd=./broken.exe"]))
        .assert_failed(3, "cannot be started");
}

#[test]
fn options_that_do_not_exist_here_are_refused() {
    let scene = Scene::new();
    let with = |option: &'static str| {
        let mut words = against_random(&["cmd=random"]);
        words.push(option);
        scene.run(&words)
    };
    with("--sandbox").assert_failed(2, "the sandbox needs Linux");
    with("--affinity").assert_failed(2, "--affinity: it needs Linux");
    fs::write(scene.path("a.toml"), "").unwrap();
    scene
        .run(&["adapt", "a.toml"])
        .assert_failed(2, "`referee adapt` needs pseudo-terminals");
}

#[test]
fn new_bot_is_a_submission_with_a_batch_file() {
    let scene = Scene::new();
    let steps = scene.run(&["new-bot", "python", "my-bot"]).succeeded();
    for command in [
        r"echo uci | .\my-bot\run.cmd",
        r"referee check .\my-bot",
        r"referee match .\my-bot random",
    ] {
        assert!(steps.contains(command), "{steps}");
    }
    // In place of Python.
    fs::write(scene.path("my-bot/python.cmd"), "@echo %1 in %CD%\r\n").unwrap();
    let run = scene.path("my-bot/run.cmd");
    let output = std::process::Command::new(run).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.trim_end().ends_with(r"\my-bot"), "{text}");
    assert!(text.contains("bot.py in "), "{text}");
}
