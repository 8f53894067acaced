//! What a sandbox means to the commands: two bots at once, the limit on processor time, games by
//! hand, `check`, `tune`.

use std::process::{Command, Output};

use crate::sandbox::{command_as, is_root, offers, users};
use crate::support::{LOCALE, Scene, assert_has, example};

/// A folder with the bot `attacks`, which this user may read.
fn folder_of_a_bot() -> Scene {
    let scene = Scene::new();
    scene.folder("bot");
    scene.program("bot/attacks", example("attacks"));
    scene.program("referee", env!("CARGO_BIN_EXE_referee"));
    scene.file("bot/book.txt", "book");
    scene
}

/// Runs `./referee` with these arguments.
fn run(scene: &Scene, user: Option<u32>, args: &[&str]) -> Output {
    command_as(user, "./referee")
        .args(args)
        .current_dir(scene.path(""))
        .env("HOME", scene.path(""))
        .envs(LOCALE)
        .output()
        .unwrap()
}

/// What a program wrote, without line breaks.
fn joined(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn bot_at_its_limit_does_not_starve_its_opponent() {
    for level in ["on", "strict"].into_iter().filter(|level| offers(level)) {
        for user in users() {
            let scene = folder_of_a_bot();
            let owned = ["", "bot", "bot/attacks", "bot/book.txt", "referee"];
            for path in owned.iter().filter(|_| user.is_some()) {
                std::os::unix::fs::chown(scene.path(path), user, user).unwrap();
            }
            let sandbox = format!("--sandbox={level}");
            let output = run(
                &scene,
                user,
                &[
                    "match",
                    "--quiet",
                    "--games",
                    "1",
                    "--out",
                    "games.jsonl",
                    &sandbox,
                    "--each",
                    "st=60",
                    "starttime=60",
                    "--engine",
                    "cmd=bot/attacks",
                    "name=crowd",
                    "args=crowds",
                    "stderr=crowd",
                    "--engine",
                    "cmd=bot/attacks",
                    "name=bot",
                    "args=allowed-at-go",
                    "stderr=said",
                ],
            );
            assert!(output.status.success(), "{output:?}");
            let crowd = scene.text("crowd");
            let threads: u32 = crowd
                .trim()
                .strip_prefix("threads ")
                .unwrap_or(&crowd)
                .parse()
                .unwrap();
            // Root and a user without a namespace of its own have no limit on threads.
            let is_refused = level == "strict" && (user.is_some() || !is_root());
            assert!(
                if is_refused { threads < 512 } else { threads > 400 },
                "{threads} at {level} as {user:?}"
            );
            let said = scene.text("said");
            assert!(said.lines().count() >= 15, "{said}");
            for line in said.lines() {
                assert!(line.ends_with(" works"), "{line} at {level} as {user:?}");
            }
            let record = scene.first_game();
            assert!(
                ["five", "full"].contains(&record["reason"].as_str().unwrap()),
                "{record}"
            );
        }
    }
}

#[test]
fn referee_warns_root() {
    if !offers("on") {
        return;
    }
    let scene = folder_of_a_bot();
    let args = [
        "match",
        "--quiet",
        "--games",
        "1",
        "--sandbox",
        "random",
        "random",
        "--each",
        "st=5",
    ];
    let output = run(&scene, None, &args);
    assert!(output.status.success(), "{output:?}");
    let warns = joined(&output.stderr).contains("the referee runs as root");
    assert_eq!(warns, is_root(), "{output:?}");
}

#[test]
fn processor_time_is_limited_at_every_level() {
    for level in ["off", "on", "strict"].into_iter().filter(|level| offers(level)) {
        let scene = folder_of_a_bot();
        let sandbox = format!("sandbox={level}");
        let output = run(
            &scene,
            None,
            &[
                "match",
                "--quiet",
                "--games",
                "1",
                "--out",
                "games.jsonl",
                "--each",
                "st=60",
                "--engine",
                "cmd=bot/attacks",
                "name=bot",
                "args=burns",
                "cpu-time=1",
                &sandbox,
                "--engine",
                "cmd=random",
            ],
        );
        assert!(output.status.success(), "{output:?}");
        let record = scene.first_game();
        assert_eq!(record["reason"], "crash", "{level}: {record}");
        let detail = record["detail"].as_str().unwrap();
        assert_has(&detail, " s of processor time, 1 s is allowed");
        let header = scene.text("games.jsonl");
        assert_eq!(header.matches("\"cpu_time\":1").count(), 1, "{header}");
    }
}

#[test]
fn game_by_hand_has_a_sandbox() {
    if !offers("on") {
        return;
    }
    let scene = folder_of_a_bot();
    scene.folder("books");
    scene.file("books/book", "a1");
    let book = scene.path("books/book");
    let args = format!("args=needs-a-book {}", book.display());
    let folder = book.parent().unwrap().display().to_string();
    let way_out = format!("`--sandbox-read {folder}` lets it read there");
    let play = |options: &[&str]| {
        let first = [
            "play",
            "--second",
            "random",
            "--st",
            "20",
            "--first",
            "cmd=bot/attacks",
            &args,
        ];
        let output = run(&scene, None, &[&first, options].concat());
        (
            output.status.code(),
            joined(&output.stdout) + &joined(&output.stderr),
        )
    };
    let (status, free) = play(&[]);
    assert_eq!(status, Some(0), "{free}");
    assert!(!free.contains(&way_out), "{free}");
    for options in [&["sandbox=on"][..], &["--sandbox"]] {
        let (_, refused) = play(options);
        assert!(refused.contains(&way_out), "{refused}");
    }
    let (status, allowed) = play(&["--sandbox", "--sandbox-read", &folder]);
    assert_eq!(status, Some(0), "{allowed}");
    assert!(!allowed.contains(&way_out), "{allowed}");
    let (status, none) = play(&["--sandbox-read", &folder]);
    assert_eq!(status, Some(2), "{none}");
    assert!(none.contains("--sandbox puts all into one"), "{none}");
    let (status, wrong) = play(&["sandbox=maybe"]);
    assert_eq!(status, Some(2), "{wrong}");
    assert!(wrong.contains("expected `on`, `strict` or `off`"), "{wrong}");
}

#[test]
fn check_has_a_sandbox() {
    let scene = folder_of_a_bot();
    scene.folder("books");
    scene.file("books/book", "a1");
    let args = format!("args=needs-a-book {}", scene.path("books/book").display());
    let check = |level: &str| {
        let sandbox = format!("sandbox={level}");
        let output = run(
            &scene,
            None,
            &[
                "check",
                "--only",
                "startpos",
                "cmd=bot/attacks",
                &args,
                "starttime=60",
                &sandbox,
            ],
        );
        (
            output.status.success(),
            joined(&output.stdout) + &joined(&output.stderr),
        )
    };
    let (passes, said) = check("off");
    assert!(passes, "{said}");
    for level in ["on", "strict"].into_iter().filter(|level| offers(level)) {
        let (passes, said) = check(level);
        assert!(!passes && said.contains("--sandbox-read"), "{level}: {said}");
    }
}

#[test]
fn tuned_engine_has_a_sandbox() {
    if !offers("on") {
        return;
    }
    let scene = Scene::new();
    let engine = format!("cmd={}", example("tunable").display());
    let tuning = [
        "tune",
        "--param",
        "Skill=80,0,100,8",
        "--iterations",
        "1",
        "--out",
        "games.jsonl",
        "--sandbox",
    ];
    let output = Command::new(env!("CARGO_BIN_EXE_referee"))
        .args(tuning)
        .args(["--engine", &engine, "st=60"])
        .current_dir(scene.path(""))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let header = scene.text("games.jsonl");
    assert_eq!(
        header
            .lines()
            .next()
            .unwrap()
            .matches("\"sandbox\":\"on\"")
            .count(),
        2,
        "{header}"
    );
}
