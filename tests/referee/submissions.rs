//! A tournament of six submissions in four languages, one of them hostile, in the sandbox.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::Scene;

/// The submissions: name, source folder in the repository, and the tool that each needs.
const SUBMISSIONS: [(&str, &str, &str); 6] = [
    ("alice", "examples/bots/python", "python3"),
    ("bob", "examples/bots/java", "javac"),
    ("carol", "examples/bots/javascript", "node"),
    ("dave", "examples/bots/c", "cc"),
    ("eve", "tests/submissions/eve", "python3"),
    ("frank", "examples/bots/python", "python3"),
];

/// The attacks of eve.
const ATTACKS: [&str; 7] = [
    "read",
    "change",
    "list",
    "network",
    "signal",
    "environment",
    "secret",
];

/// The reasons of games that end on the board.
const ON_THE_BOARD: [&str; 2] = ["five", "full"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn is_installed(tool: &str) -> bool {
    let mut command = Command::new(tool);
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok()
}

/// A process that eve tries to end. It ends with the test.
struct Victim(Child);

impl Victim {
    fn start() -> Victim {
        Victim(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn is_alive(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Copies the submissions and starts each but eve once, as an instructor does who compiles them.
fn collect(scene: &Scene, targets: &str) {
    for (name, source, _) in SUBMISSIONS {
        let folder = scene.path("submissions").join(name);
        fs::create_dir_all(&folder).unwrap();
        for file in fs::read_dir(repository().join(source)).unwrap().flatten() {
            if file.file_type().unwrap().is_file() {
                fs::copy(file.path(), folder.join(file.file_name())).unwrap();
            }
        }
        if name == "eve" {
            fs::copy(repository().join("examples/bot.py"), folder.join("bot.py")).unwrap();
            fs::write(folder.join("targets"), targets).unwrap();
            continue;
        }
        let compiled = Command::new(folder.join("run")).stdin(Stdio::null()).status();
        assert!(compiled.unwrap().success(), "{name}");
    }
}

/// Checks the games of a tournament, and the transcripts of eve's losses.
fn check_games(scene: &Scene, level: &str) {
    let is_game = |value: &Value| value.get("moves").is_some();
    let records: Vec<Value> = scene
        .records()
        .into_iter()
        .filter(|value| is_game(value))
        .collect();
    assert_eq!(records.len(), 30);
    let (lost, played): (Vec<_>, Vec<_>) = records.iter().partition(|record| record["second"] == "eve");
    assert_eq!(lost.len(), 5);
    for record in played {
        let reason = record["reason"].as_str().unwrap();
        assert!(ON_THE_BOARD.contains(&reason), "{level}: {record}");
    }
    for record in lost {
        // An error of eve's own, while all others played on.
        assert_eq!(
            (&record["reason"], &record["result"]),
            (&"crash".into(), &"1-0".into())
        );
        let id = record["id"].as_u64().unwrap();
        let file = format!("games.faults/game-{id:06}-eve-crash.txt");
        let transcript = scene.text(&file);
        for attack in ATTACKS {
            let begin = format!("eve: {attack}: ");
            let mut outcomes = transcript.lines().filter_map(|line| line.split_once(&begin));
            let (_, outcome) = outcomes
                .next()
                .unwrap_or_else(|| panic!("{attack}: {transcript}"));
            let refusals = [
                "PermissionError(",
                "FileNotFoundError(",
                "ProcessLookupError(",
                "KeyError(",
            ];
            assert!(
                refusals.iter().any(|error| outcome.starts_with(error)),
                "{attack} at {level}: {outcome}"
            );
        }
        let allowed = format!("sandbox {level}: it may read");
        assert!(transcript.contains(&allowed), "{transcript}");
    }
    let transcripts = fs::read_dir(scene.path("games.faults")).unwrap().count();
    assert_eq!(transcripts, 5);
}

#[test]
#[ignore = "needs Python, Java, Node and C; a step of .ci/run --long"]
fn hostile_submission_affects_nobody_else_in_a_sandbox() {
    let missing = SUBMISSIONS.iter().find(|(_, _, tool)| !is_installed(tool));
    if let Some((name, _, tool)) = missing {
        println!("SKIPPED: {name} needs `{tool}`, which is not installed");
        return;
    }
    for level in ["on", "strict"] {
        let scene = Scene::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let mut victim = Victim::start();
        let port = listener.local_addr().unwrap().port();
        collect(&scene, &format!("{port} {}\n", victim.0.id()));
        let alice = || fs::read(scene.path("submissions/alice/bot.py")).unwrap();
        let before = alice();
        let line = format!(
            "match --engines submissions --sandbox={level} --games 2 --each st=0.05 timemargin=20000 \
             --openings random:2 --concurrency 2 --out games.jsonl --quiet"
        );
        let mut command = scene.command(&line);
        command.env("COURSE_SECRET", "key");
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(2) && said.contains("the sandbox needs") {
            println!("SKIPPED: {said}");
            continue;
        }
        assert!(output.status.success(), "{said}");
        println!("{}", String::from_utf8_lossy(&output.stdout));
        check_games(&scene, level);
        assert!(victim.is_alive(), "eve has ended another process");
        assert!(listener.accept().is_err(), "eve has used the network");
        assert_eq!(alice(), before, "eve has changed another submission");
        scene.assert_no_process_left();
    }
}

/// A path with `..` or a linked folder leads to a program in any sandbox.
#[test]
fn programs_behind_links_play_in_a_sandbox() {
    for level in ["on", "strict"] {
        let scene = Scene::new();
        scene.folder("submissions/alice");
        scene.folder("course");
        let shell = repository().join("examples/bot.sh");
        scene.program("submissions/alice/run", shell);
        std::os::unix::fs::symlink("../submissions", scene.path("course/linked")).unwrap();
        for engine in [
            "cmd=../submissions/alice/run",
            "cmd=linked/alice/run",
            "cmd=sh args=../submissions/alice/run",
        ] {
            let line = format!(
                "match --engine {engine} name=alice --engine cmd=random --each st=20 --games 1 --sandbox={level}"
            );
            let output = scene
                .command(&line)
                .current_dir(scene.path("course"))
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            if output.status.code() == Some(2) && said.contains("the sandbox needs") {
                println!("SKIPPED: {said}");
                continue;
            }
            assert!(output.status.success(), "{level}, {engine}: {said}");
        }
    }
}
