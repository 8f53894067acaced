//! A tournament of six submissions in four languages, one of them hostile, in the sandbox.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::recorded::assert_by_rules;
use crate::sandbox::levels;
use crate::support::{Scene, assert_has, assert_has_all, expect, joined, run};

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
const ATTACKS: &str = "read change list network signal environment secret";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn is_installed(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok()
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
    let mut records = scene.records();
    records.retain(|value| value.get("moves").is_some());
    assert_eq!(records.len(), 30);
    let (lost, played): (Vec<_>, Vec<_>) = records.iter().partition(|record| record["second"] == "eve");
    assert_eq!(lost.len(), 5);
    played.into_iter().for_each(assert_by_rules);
    for record in lost {
        // An error of eve's own, while all others played on.
        assert_eq!([&record["reason"], &record["result"]], ["crash", "1-0"]);
        let id = record["id"].as_u64().unwrap();
        let transcript = scene.text(&format!("games.faults/game-{id:06}-eve-crash.txt"));
        for attack in ATTACKS.split(' ') {
            let begin = format!("eve: {attack}: ");
            let outcome = transcript.split(&begin).nth(1);
            let outcome = outcome.unwrap_or_else(|| panic!("{attack}: {transcript}"));
            let errors = [
                "PermissionError(",
                // In a network of its own.
                "ConnectionRefusedError(",
                "FileNotFoundError(",
                "ProcessLookupError(",
                "KeyError(",
            ];
            let is_refused = errors.iter().any(|error| outcome.starts_with(error));
            assert!(is_refused, "{attack} at {level}: {outcome:.200}");
        }
        assert_has(&transcript, format!("sandbox {level}: it may read"));
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
    for level in levels() {
        let scene = Scene::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let mut victim = Victim::start();
        let port = listener.local_addr().unwrap().port();
        collect(&scene, &format!("{port} {}\n", victim.0.id()));
        let before = scene.text("submissions/alice/bot.py");
        let line = format!(
            "match --engines submissions --sandbox={level} --games 2 --each st=0.05 timemargin=20000"
        );
        let mut command = scene.command(&format!(
            "{line} --openings random:2 --concurrency 2 --out games.jsonl"
        ));
        let outcome = run(command.arg("--quiet").env("COURSE_SECRET", "key"), "").exits(0);
        println!("{}", outcome.stdout);
        check_games(&scene, level);
        assert!(victim.is_alive(), "eve has ended another process");
        assert!(listener.accept().is_err(), "eve has used the network");
        assert_eq!(
            scene.text("submissions/alice/bot.py"),
            before,
            "eve has changed another submission"
        );
        scene.assert_no_process_left();
    }
}

/// Names that folders of an installation have.
const NAMES: [&str; 9] = [
    "bin",
    "conf",
    "include",
    "lib",
    "lib64",
    "pyvenv.cfg",
    "release",
    "shims",
    "versions",
];

/// Submissions with these names, of which each looks for the secret of each other one, and exits if it finds
/// one. One of them looks like a Python to the others, and has one.
fn submissions_with_names_of_folders(scene: &Scene) {
    let root = scene.path("submissions");
    let root = root.display();
    for name in NAMES {
        let others = NAMES.into_iter().filter(|other| *other != name);
        let secrets =
            others.map(|other| format!("../{other}/secret {root}/{other}/secret ../{other}/venv/lib/secret"));
        let secrets = secrets.collect::<Vec<_>>().join(" ");
        scene.folder(&format!("submissions/{name}/venv/lib"));
        scene.folder(&format!("submissions/{name}/venv/bin"));
        for file in [
            "secret",
            "venv/lib/secret",
            "venv/pyvenv.cfg",
            "python3",
            "libpython3.so",
        ] {
            scene.file(&format!("submissions/{name}/{file}"), "secret");
        }
        for program in ["python3", "venv/bin/python"] {
            scene.script(&format!("submissions/{name}/{program}"), "#!/bin/sh\n");
        }
        scene.program(
            &format!("submissions/{name}/bot.sh"),
            repository().join("examples/bot.sh"),
        );
        scene.script(
            &format!("submissions/{name}/run"),
            &format!(
                "#!/bin/sh\n\
                 # {root}/bin/python3 {root}/shims/python3 {root}/bin/venv/bin/python {root}/lib/venv/bin/python\n\
                 for secret in {secrets}; do cat \"$secret\" && exit 9; done 2>/dev/null\n\
                 exec ./bot.sh\n"
            ),
        );
    }
}

#[test]
fn names_of_submissions_show_a_bot_no_other_files() {
    let scene = Scene::new();
    submissions_with_names_of_folders(&scene);
    let single = |name: &str| format!("match submissions/{name} random --games 1 --each st=20 --quiet");
    let path = |name: &str| {
        let engine = format!("--engine cmd=submissions/{name}/run --engine cmd=random");
        format!("match {engine} --games 1 --each st=20 --quiet")
    };
    // Without a sandbox, each finds a secret.
    scene.referee(&single("bin")).exits(3);
    for level in levels() {
        let all = "--games 1 --each st=20 --quiet --openings random:2";
        for line in [
            format!("match --engines submissions {all}"),
            format!("ladder submissions --out {level}.jsonl {all}"),
            "check submissions --only startpos --each starttime=60".to_string(),
            single("bin"),
            single("shims"),
            path("bin"),
            path("shims"),
        ] {
            scene.referee(&format!("{line} --sandbox={level}")).exits(0);
        }
    }
}

/// A program in `~/.local/bin` does not show a bot what is in `~/.local/share`.
#[test]
fn programs_of_the_user_do_not_show_private_files() {
    for level in levels() {
        let scene = Scene::new();
        for folder in ["bot", ".local/bin", ".local/lib", ".local/share"] {
            scene.folder(folder);
        }
        scene.file(".local/share/secret", "secret");
        scene.file(".local/lib/library", "text");
        scene.program(".local/bin/shell", "/bin/sh");
        scene.program("bot/bot.sh", repository().join("examples/bot.sh"));
        let local = scene.path(".local");
        let local = local.display();
        scene.script(
            "bot/run",
            &format!(
                "#!/usr/bin/env shell\ncat {local}/share/secret && exit 9\ncat {local}/lib/library || exit 8\n\
                 exec ./bot.sh\n"
            ),
        );
        let mut command = scene.command(&format!(
            "match bot random --games 1 --each st=20 --quiet --sandbox={level}"
        ));
        let path = std::env::var("PATH").unwrap();
        command
            .env("HOME", scene.path(""))
            .env("PATH", format!("{local}/bin:{path}"));
        run(&mut command, "").exits(0);
    }
}

/// A path with `..` or a linked folder leads to a program in any sandbox.
#[test]
fn programs_behind_links_play_in_a_sandbox() {
    for level in levels() {
        let scene = Scene::new();
        scene.folder("submissions/alice");
        scene.folder("course");
        scene.program("submissions/alice/run", repository().join("examples/bot.sh"));
        std::os::unix::fs::symlink("../submissions", scene.path("course/linked")).unwrap();
        for engine in [
            "cmd=../submissions/alice/run",
            "cmd=linked/alice/run",
            "cmd=sh args=../submissions/alice/run",
        ] {
            let players = format!("--engine {engine} name=alice --engine cmd=random --each st=20");
            let mut command = scene.command(&format!("match {players} --games 1 --sandbox={level}"));
            run(command.current_dir(scene.path("course")), "").exits(0);
        }
    }
}

/// No command plays another student's files in the name of a student, and one bad submission costs nobody else.
#[test]
fn submissions_with_files_of_others_are_left_out() {
    let scene = Scene::new();
    let play = format!(
        "#!/bin/sh\nexec '{}' builtin random\n",
        env!("CARGO_BIN_EXE_referee")
    );
    for name in ["ann", "bob", "eve", "fay", "gil"] {
        scene.folder(&format!("course/{name}"));
        scene.script(&format!("course/{name}/run"), &play);
    }
    let long = "n".repeat(255);
    scene.folder(&format!("course/{long}"));
    scene.script(&format!("course/{long}/run"), &play);
    scene.folder(&format!("course/gil/{}", ["d"; 100].join("/")));
    fs::remove_file(scene.path("course/eve/run")).unwrap();
    std::os::unix::fs::symlink("../ann/run", scene.path("course/eve/run")).unwrap();
    std::os::unix::fs::symlink(scene.path("secret"), scene.path("course/fay/key")).unwrap();
    std::os::unix::fs::symlink("ann", scene.path("course/zoe")).unwrap();
    let reasons = [
        ("eve", "`course/eve/run`: this is a link to `../ann/run`"),
        ("fay", "`course/fay/key`: this is a link to `"),
        ("gil", "`course/gil`: more than 100 folders in each other"),
        ("zoe", "`course/zoe` is a link to `"),
        (&long, "has a name of more than 200 bytes; rename it"),
    ];
    let game = "--each depth=1 timemargin=60000 --max-plies 4 --games 2 --quiet --sandbox=off";
    let played = scene
        .referee(&format!("match --engines course {game} --out games.jsonl"))
        .exits(0);
    assert_has_all(joined(&played.stderr), reasons.map(|(_, why)| why));
    assert_eq!(names_of_players(&scene, "games.jsonl"), ["ann", "bob"]);
    let ladder = "ladder course --out ladder.jsonl --csv grades.csv --feedback feedback --reviews 0";
    scene.referee(&format!("{ladder} {game}")).exits(0);
    assert_eq!(names_of_players(&scene, "ladder.jsonl"), ["ann", "bob"]);
    let grades = scene.text("grades.csv");
    let checked = scene
        .referee("check --only startpos --out checks course")
        .exits(1);
    for (name, why) in reasons {
        assert!(
            grades
                .lines()
                .any(|row| row.contains(&format!(",{name},")) && row.contains(why)),
            "{grades}"
        );
        assert!(
            checked
                .stdout
                .lines()
                .any(|line| line.starts_with("FAIL") && line.contains(why)),
            "{why}"
        );
    }
    checked.shows(
        expect! {"7 submissions: 5 not ready for a match; for the others, some required checks were not run"},
    );
    assert_eq!(fs::read_dir(scene.path("checks")).unwrap().count(), 7);
}

/// The names of the players in a result file.
fn names_of_players(scene: &Scene, file: &str) -> Vec<String> {
    let header = &scene.results(file)[0];
    let engines = header["engines"].as_array().unwrap();
    engines
        .iter()
        .map(|engine| engine["name"].as_str().unwrap().into())
        .collect()
}
