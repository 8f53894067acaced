//! What a sandbox means to the commands: two bots at once, the limit on processor time, games by
//! hand, `check`, `tune`.

use std::path::Path;
use std::process::Command;

use crate::recorded::text;
use crate::sandbox::{
    assert_all_work, command_as, folder_of_a_bot, is_root, levels, offers, outcomes, users,
};
use crate::support::{LOCALE, Outcome, Scene, assert_has, example, expect, joined, rows as rows_of, run};

/// Runs `./referee` with these words, and `args`, if there are any, behind them.
fn referee(scene: &Scene, user: Option<u32>, line: &str, args: &str) -> Outcome {
    let mut command = command_as(user, "./referee");
    command.args(line.split_whitespace());
    if !args.is_empty() {
        command.arg(format!("args={args}"));
    }
    run(
        command
            .current_dir(scene.path(""))
            .env("HOME", scene.path(""))
            .envs(LOCALE),
        "",
    )
}

/// Gives the folder of a bot to this user.
fn give(scene: &Scene, user: Option<u32>) {
    let owned = ["", "bot", "bot/attacks", "bot/book.txt", "referee"];
    for path in owned.iter().filter(|_| user.is_some()) {
        std::os::unix::fs::chown(scene.path(path), user, user).unwrap();
    }
}

/// All that a command wrote, without line breaks.
fn said(outcome: &Outcome) -> String {
    joined(&outcome.stdout) + &joined(&outcome.stderr)
}

#[test]
fn bot_with_too_many_threads_loses_and_does_not_starve_its_opponent() {
    /// What the system allows an ordinary user here.
    const USER: u32 = 1600;
    for level in levels() {
        for user in users() {
            let scene = folder_of_a_bot();
            give(&scene, user);
            // Another user may have many threads already.
            let (limit, allowed) = match user {
                Some(_) => (format!("--nproc={USER}"), USER / 4),
                None => ("--core=0".to_string(), 512),
            };
            let bots = "--engine cmd=bot/attacks name=crowd args=crowds stderr=crowd \
                        --engine cmd=bot/attacks name=bot args=allowed-at-go stderr=said";
            let each = "--each st=60 starttime=60 --quiet --games 2 --out games.jsonl";
            let line = format!("match {bots} {each} --sandbox={level}");
            let mut command = command_as(user, "prlimit");
            command.args([&limit, "./referee"]).args(line.split_whitespace());
            run(
                command
                    .current_dir(scene.path(""))
                    .env("HOME", scene.path(""))
                    .envs(LOCALE),
                "",
            )
            .exits(0);
            let records = scene.results("games.jsonl");
            for record in records.iter().filter(|record| record.get("moves").is_some()) {
                let detail = text(record, "detail");
                assert!(detail.starts_with("crowd has "), "{level} as {user:?}: {record}");
                assert_has(detail, format!(" threads, {allowed} are allowed"));
            }
            // The kernel refuses before it is too much, but does not limit root.
            let crowd = scene.text("crowd");
            let threads = crowd.lines().filter_map(|line| line.strip_prefix("threads "));
            for started in threads.filter(|_| user.is_some() || !is_root()) {
                assert!(started.parse::<u32>().unwrap() < allowed + 64, "{crowd}");
            }
            assert_all_work(outcomes(scene.text("said").lines()), level, user);
        }
    }
}

#[test]
fn referee_warns_root() {
    if !offers("on") {
        return;
    }
    let line = "match --quiet --games 1 --sandbox random random --each st=5";
    let outcome = Scene::new().referee(line).exits(0);
    let warns = joined(&outcome.stderr).contains("the referee runs as root");
    assert_eq!(warns, is_root(), "{outcome:?}");
}

#[test]
fn processor_time_is_limited_at_every_level() {
    for level in ["off"].into_iter().chain(levels()) {
        let scene = folder_of_a_bot();
        let bot = format!("--engine cmd=bot/attacks name=bot args=burns cpu-time=1 sandbox={level}");
        let line =
            format!("match {bot} --engine cmd=random --each st=60 --quiet --games 1 --out games.jsonl");
        referee(&scene, None, &line, "").exits(0);
        let record = scene.first_game();
        assert_eq!(record["reason"], "crash", "{level}: {record}");
        assert_has(
            text(&record, "detail"),
            expect! {"s of processor time, 1 s is allowed"},
        );
        let header = scene.text("games.jsonl");
        assert_eq!(header.matches("\"cpu_time\":1").count(), 1, "{header}");
    }
}

/// The kernel counts timers for each user; a user namespace has its own.
#[test]
fn one_bot_cannot_take_the_timers_of_another() {
    const BOT: &str = r#"#!/usr/bin/env python3
import ctypes, sys
libc, made = ctypes.CDLL(None), 0
timer = ctypes.c_void_p()
for line in sys.stdin:
    if line.startswith("go"):
        while made < MOST and libc.timer_create(1, None, ctypes.byref(timer)) == 0: made += 1
        print("timers", made, file=sys.stderr, flush=True)
        print("bestmove resign" if made == 5 else "bestmove a1", flush=True)
    elif line.startswith("uci\n"): print("uciok", flush=True)
    elif line.startswith("isready"): print("readyok", flush=True)
"#;
    if !offers("strict") {
        return;
    }
    for level in levels() {
        let scene = Scene::new();
        for (name, most) in [("eve", "2000"), ("ann", "5")] {
            scene.folder(name);
            scene.script(&format!("{name}/run"), &BOT.replace("MOST", most));
        }
        let line = format!(
            "match --engine cmd=eve/run name=eve stderr=eve.txt --engine cmd=ann/run name=ann stderr=ann.txt \
             --each st=60 starttime=60 --games 1 --quiet --sandbox={level}"
        );
        scene.referee(&line).exits(0);
        let made = scene
            .text("eve.txt")
            .trim_start_matches("timers ")
            .trim()
            .parse::<u32>();
        assert!((5..=1024).contains(&made.unwrap()), "{level}");
        assert_eq!(scene.text("ann.txt"), "timers 5\n", "{level}");
    }
}

#[test]
fn games_by_hand_and_checks_have_a_sandbox() {
    let scene = folder_of_a_bot();
    scene.folder("books");
    scene.file("books/book", "a1");
    let args = format!("needs-a-book {}", scene.path("books/book").display());
    let folder = scene.path("books").display().to_string();
    let check = |level: &str| {
        let line = format!("check --only startpos cmd=bot/attacks starttime=60 sandbox={level}");
        referee(&scene, None, &line, &args)
    };
    check("off").exits(0);
    for level in levels() {
        let outcome = check(level);
        assert_ne!(outcome.status, Some(0), "{outcome:?}");
        assert_has(said(&outcome), "--sandbox-read");
    }
    if !offers("on") {
        return;
    }
    let play = |options: &str| {
        let (settings, options) = if options.starts_with("--") {
            ("", options)
        } else {
            (options, "")
        };
        let line = format!("play --second random --st 20 {options} --first cmd=bot/attacks {settings}");
        referee(&scene, None, &line, &args)
    };
    let way_out = format!("if it may read there, `--sandbox-read {folder}` allows it");
    for options in ["", &format!("--sandbox --sandbox-read {folder}")] {
        let said = said(&play(options).exits(0));
        assert!(!said.contains(&way_out), "{options}: {said}");
    }
    for options in ["sandbox=on", "--sandbox"] {
        assert_has(said(&play(options)), &way_out);
    }
    let none = play(&format!("--sandbox-read {folder}")).exits(2);
    assert_has(said(&none), expect! {"--sandbox runs all of them in one"});
    assert_has(
        said(&play("sandbox=maybe").exits(2)),
        expect! {"expected `on`, `strict` or `off`"},
    );
}

#[test]
fn tuned_engine_has_a_sandbox() {
    if !offers("on") {
        return;
    }
    let scene = Scene::new();
    let engine = format!("--engine cmd={} st=60", example("tunable").display());
    let line =
        format!("tune --param Skill=80,0,100,8 --iterations 1 --out games.jsonl --sandbox=on {engine}");
    scene.referee(&line).exits(0);
    let header = scene.results("games.jsonl")[0].to_string();
    assert_eq!(header.matches("\"sandbox\":\"on\"").count(), 2, "{header}");
}

/// The folders that the script `run` names are those of the environment and of what it links to.
#[test]
fn a_bot_reads_the_python_of_its_environment() {
    let scene = Scene::new();
    let made = Command::new("python3")
        .args(["-m", "venv", "--without-pip"])
        .arg(scene.path("env"))
        .status();
    assert!(made.unwrap().success());
    scene.folder("bot");
    let python = scene.path("env/bin/python");
    scene.script(
        "bot/run",
        &format!("#!/bin/sh\nexec {} bot.py\n", python.display()),
    );
    scene.file(
        "bot/bot.py",
        "import json, sys\n\
         assert sys.prefix != sys.base_prefix\n\
         for line in sys.stdin:\n    \
             answer = {'uci': 'uciok', 'isready': 'readyok', 'go': 'bestmove a1'}.get(line.split()[0])\n    \
             if answer: print(answer, flush=True)\n",
    );
    for level in levels() {
        let line = format!(
            "match ./bot random --games 1 --each st=60 --sandbox={level} --out {level}.jsonl --quiet"
        );
        scene.referee(&line).exits(0);
        let lines = scene.results(&format!("{level}.jsonl"));
        let game = lines.iter().find(|line| line.get("moves").is_some()).unwrap();
        assert_has(text(game, "detail"), "a1");
        assert_eq!(text(game, "reason"), "illegal", "it plays a1 again: {game}");
    }
}

#[test]
fn what_is_mounted_in_a_bots_folder_is_read_only() {
    if !offers("strict") {
        return;
    }
    let scene = folder_of_a_bot();
    scene.folder("bot/disk");
    scene.script(
        "bot/run",
        "#!/bin/sh\n\
         chmod 600 disk/file && echo changed >&2\n\
         echo more >> disk/file && echo written >&2\n\
         cat disk/file >&2\n\
         exec ./attacks plays\n",
    );
    let script = "mount -t tmpfs tmpfs bot/disk && echo text > bot/disk/file && exec ./referee \"$@\"";
    let line = "match --games 1 --quiet --engine cmd=random --engine cmd=bot/run stderr=said \
                --each st=20 --sandbox=strict";
    let mut command = Command::new("unshare");
    command
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"])
        .args(line.split_whitespace());
    run(command.current_dir(scene.path("")).envs(LOCALE), "").exits(0);
    let said = scene.text("said");
    assert_eq!(said.matches("Read-only file system").count(), 2, "{said}");
    assert!(said.ends_with("\ntext\n"), "{said}");
}

/// What bots of several languages use beside the protocol. A bot that is refused any of it exits.
#[test]
#[ignore = "needs Java, Node, C++, Python and NumPy; a step of .ci/run --long"]
fn languages_have_what_they_need() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/runtimes");
    let works = |line: &str, folder: &Path| {
        let mut command = Command::new("sh");
        let tried = command
            .args(["-c", line])
            .current_dir(folder)
            .env("TMPDIR", folder);
        tried.output().is_ok_and(|output| output.status.success())
    };
    for [language, installed, build, start] in rows_of(
        "Java | javac -version | javac Pool.java | java -cp . Pool
         JavaScript | node --version | true | node features.js
         Python | python3 -c 'import sqlite3' | true | python3 features.py
         NumPy | python3 -c 'import numpy' | true | python3 matrices.py
         C++ | c++ --version | c++ -pthread -fopenmp threads.cpp -o threads | ./threads",
    ) {
        let scene = Scene::new();
        scene.folder("bot");
        for file in std::fs::read_dir(&source).unwrap().flatten() {
            std::fs::copy(file.path(), scene.path("bot").join(file.file_name())).unwrap();
        }
        scene.program("bot/bot.sh", source.join("../../examples/bot.sh"));
        // The Python that runs here, and not a wrapper of a version manager.
        let start = start.replace("python3", &python());
        scene.script(
            "bot/run",
            &format!("#!/bin/sh\n{start} || exit 9\nexec ./bot.sh\n"),
        );
        if !works(installed, &scene.path("bot")) {
            println!("SKIPPED: {language} is not installed");
            continue;
        }
        assert!(works(build, &scene.path("bot")), "{build}");
        for level in levels() {
            let line =
                format!("match bot random --games 1 --each st=20 starttime=60 --quiet --sandbox={level}");
            let outcome = scene.referee(&line);
            assert_eq!(outcome.status, Some(0), "{language} at {level}: {outcome:?}");
        }
    }
}

/// The path of the Python in PATH.
fn python() -> String {
    let mut command = Command::new("python3");
    let asked = command.args(["-c", "import sys; print(sys.executable)"]).output();
    asked.map_or("python3".to_string(), |output| {
        String::from_utf8_lossy(&output.stdout).trim().to_string()
    })
}

mod slow {
    use super::*;

    /// The kernel forgets the time of a child whose parent ignores its end.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn processor_time_of_forgotten_children_is_limited() {
        let ignoring = ["--ignore-signal=CHLD", "true"];
        if !Command::new("env")
            .args(ignoring)
            .status()
            .is_ok_and(|status| status.success())
        {
            println!("SKIPPED: `env` cannot ignore signals");
            return;
        }
        let cases = [
            (
                "burns-in-children",
                "cpu-time=3",
                " s of processor time, 3 s are allowed",
            ),
            (
                "burns-in-short-children",
                "cpu-time=3",
                " s of processor time, 3 s are allowed",
            ),
            (
                "burns-in-short-children",
                "cpu-move=2",
                "for a move; the limit is 2.00 s",
            ),
        ];
        // An ordinary user has no control groups.
        let user = users().pop().flatten();
        for level in ["off"].into_iter().chain(levels()) {
            for (bot, limit, detail) in cases {
                let scene = folder_of_a_bot();
                give(&scene, user);
                let line = format!(
                    "match --each st=600 --quiet --games 1 --out games.jsonl --engine cmd=random \
                     --engine cmd=env name=bot {limit} sandbox={level}"
                );
                let args = format!("--ignore-signal=CHLD bot/attacks {bot}");
                referee(&scene, user, &line, &args).exits(0);
                assert_has(text(&scene.first_game(), "detail"), detail);
            }
        }
    }
}
