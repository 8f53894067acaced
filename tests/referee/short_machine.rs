//! A machine that is short of something: nobody is to blame, and no game is lost by it.

use std::process::Command;

use crate::support::{Bot, Outcome, Scene, assert_has, assert_lacks, expect, for_all, run};

/// Runs the referee with this limit of open files.
fn with_open_files(scene: &Scene, limit: u32, line: &str) -> Outcome {
    let mut command = Command::new("sh");
    command.current_dir(scene.path("")).arg("-c").arg(format!(
        "ulimit -n {limit}; exec {} {line}",
        env!("CARGO_BIN_EXE_referee")
    ));
    run(&mut command, "")
}

#[test]
fn nobody_is_to_blame_for_too_many_open_files() {
    let scene = Scene::new();
    for name in ["a", "b", "c", "d"] {
        scene.folder(&format!("in/{name}"));
        scene.script(&format!("in/{name}/run"), &Bot::default().text());
    }
    scene.script("zoo.sh", include_str!("../rules_programs/zoo.sh"));
    let limits = "--each st=60 starttime=3 --games 2 --max-plies 4 --quiet --sandbox=off";
    let lines = [
        format!("match --engines in --skip-broken {limits} --out match.jsonl"),
        format!("ladder in {limits} --concurrency 2 --csv grades.csv --out ladder.jsonl"),
        "check --each starttime=3 --only handshake in".to_string(),
        "check --each starttime=3 --only handshake in/a".to_string(),
        format!("match random random --rules ./zoo.sh starttime=3 {limits}"),
        "rules ./zoo.sh starttime=3".to_string(),
    ];
    for_all(&lines, |line| {
        // The most open files with which it does not run.
        let outcome = [20, 14, 11, 9]
            .into_iter()
            .map(|limit| with_open_files(&scene, limit, line))
            .find(|outcome| outcome.status != Some(0))
            .unwrap();
        let said = outcome.exits(4).messages();
        assert_has(&said, expect! {"too many files are open: the limit is"});
        assert_has(&said, "`ulimit -n`");
    });
    for file in ["match.jsonl", "ladder.jsonl", "grades.csv"] {
        let text = std::fs::read_to_string(scene.path(file)).unwrap_or_default();
        assert_lacks(&text, "\"crash\"");
        assert_lacks(&text, "open files");
    }
}

#[test]
#[cfg(target_os = "linux")] // `taskset`
fn one_processor_checks_a_folder_of_submissions() {
    let scene = Scene::new();
    scene.folder("in/a");
    scene.script("in/a/run", &Bot::default().text());
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let (_, allowed) = status.split_once("Cpus_allowed_list:\t").unwrap();
    let first = allowed
        .split(|character: char| !character.is_ascii_digit())
        .next()
        .unwrap();
    let mut command = Command::new("taskset");
    command
        .current_dir(scene.path(""))
        .args(["-c", first, env!("CARGO_BIN_EXE_referee")])
        .args(["check", "--only", "handshake", "in"]);
    run(&mut command, "").exits(0).shows("ok    a  1 check passed");
}
