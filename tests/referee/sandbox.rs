//! Sandboxed engines: attacks, what stays allowed, limits, refusals, result files.
//!
//! docs/sandbox.md has a table of attacks; each is held to its row.

use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::support::{LOCALE, Scene, assert_has, example};

/// The chapter with the table.
const CHAPTER: &str = include_str!("../../docs/sandbox.md");

/// The levels, in the order of the table's columns.
const LEVELS: [&str; 3] = ["off", "on", "strict"];

/// A user without rights on any Linux system.
const NOBODY: u32 = 65534;

/// Whether the tests run as root, which can become any user.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether this system offers a level. Prints why it does not.
pub fn offers(level: &str) -> bool {
    let scene = Scene::new();
    let tried = Command::new(env!("CARGO_BIN_EXE_referee"))
        .args(["match", "--quiet", "--games", "1", "--each", "st=1", "--engine"])
        .args(["cmd=random", "--engine", "cmd=random"])
        .arg(format!("--sandbox={level}"))
        .current_dir(scene.path(""))
        .output()
        .unwrap();
    if tried.status.success() {
        return true;
    }
    let why = String::from_utf8_lossy(&tried.stderr).into_owned();
    println!("SKIPPED: {why}");
    assert_eq!(tried.status.code(), Some(2), "{why}");
    assert!(why.contains("the sandbox needs"), "{why}");
    false
}

/// Victims of attacks: a folder with a key, a process, sockets.
pub struct Victims {
    pub scene: Scene,
    process: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    name: String,
    user: Option<u32>,
    _sockets: [UnixListener; 2],
}

impl Victims {
    /// Prepares them for a user, who is this one by default.
    pub fn new(user: Option<u32>) -> Victims {
        let scene = Scene::new();
        for folder in ["bot", "home", "victim"] {
            scene.folder(folder);
        }
        scene.program("referee", env!("CARGO_BIN_EXE_referee"));
        scene.program("bot/attacks", example("attacks"));
        for file in ["bot/book.txt", "victim/key", "victim/spare"] {
            scene.file(file, "book");
        }
        let name = format!("lodestone-attack-{}", scene.path("").display());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let sockets = [
            UnixListener::bind(scene.path("victim/socket")).unwrap(),
            UnixListener::bind_addr(&address).unwrap(),
        ];
        if let Some(user) = user {
            for path in [
                "",
                "bot",
                "home",
                "victim",
                "bot/attacks",
                "victim/key",
                "victim/spare",
            ] {
                chown(scene.path(path), Some(user), Some(user)).unwrap();
            }
            chown(scene.path("victim/socket"), Some(user), Some(user)).unwrap();
        }
        let process = command_as(user, "sleep").arg("120").spawn().unwrap();
        Victims {
            scene,
            process,
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            name,
            user,
            _sockets: sockets,
        }
    }

    /// The words after `attacks all`.
    pub fn words(&self) -> String {
        format!(
            "{} {} {} {} {}",
            self.scene.path("victim").display(),
            self.process.id(),
            self.tcp.local_addr().unwrap().port(),
            self.udp.local_addr().unwrap().port(),
            self.name
        )
    }

    /// Plays a game of `attacks ARGS` at a level; returns the lines on its stderr.
    fn play(&self, args: &str, level: &str) -> BTreeMap<String, String> {
        let said = self.stderr_of("bot/attacks", args, level);
        let lines = said.lines().filter_map(|line| line.split_once(' '));
        lines
            .map(|(name, outcome)| (name.to_string(), outcome.to_string()))
            .collect()
    }

    /// Plays a game of a bot at a level; returns its stderr.
    pub fn stderr_of(&self, cmd: &str, args: &str, level: &str) -> String {
        // The shell has a file open that is none of the engine's.
        let script = "exec 9<victim/key; exec ./referee \"$@\"";
        let output = command_as(self.user, "sh")
            .args(["-c", script, "sh", "match", "--games", "1", "--quiet", "--engine"])
            .args(["name=bot", "stderr=said", "st=20", "starttime=60"])
            .args([
                format!("cmd={cmd}"),
                format!("args={args}"),
                format!("sandbox={level}"),
            ])
            .args(["--engine", "cmd=random", "st=20"])
            .current_dir(self.scene.path(""))
            .env("ATTACK_SECRET", "key")
            .env("RUST_LOG", "debug")
            .env("HOME", self.scene.path("home"))
            .env("TMPDIR", std::env::temp_dir())
            .envs(LOCALE)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let said = fs::read_to_string(self.scene.path("said")).unwrap();
        fs::remove_file(self.scene.path("said")).unwrap();
        said
    }
}

impl Drop for Victims {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A command that runs as this user.
pub fn command_as(user: Option<u32>, program: &str) -> Command {
    let Some(user) = user else {
        return Command::new(program);
    };
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--reuid={user}"))
        .arg(format!("--regid={user}"))
        .args(["--clear-groups", program]);
    command
}

/// The users for whom the tests run: this one, and an ordinary one where this is root.
pub fn users() -> Vec<Option<u32>> {
    let has_setpriv = Command::new("setpriv").arg("--version").output().is_ok();
    if is_root() && has_setpriv {
        vec![None, Some(NOBODY)]
    } else {
        vec![None]
    }
}

/// The rows of the chapter's table: attack, and the outcome at each level. A cell may have
/// two outcomes, of root and of other users.
pub fn rows() -> Vec<(String, [Vec<String>; 3])> {
    let rows = CHAPTER.lines().filter(|line| line.starts_with("| `"));
    rows.filter_map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        let name = cells.next()?.trim_matches('`').to_string();
        let _what = cells.next()?;
        let mut outcome = || {
            let words = cells.next()?.split(" or ");
            Some(words.map(|word| word.trim_matches('`').to_string()).collect())
        };
        Some((name, [outcome()?, outcome()?, outcome()?]))
    })
    .collect()
}

#[test]
fn attacks_have_the_outcomes_of_the_table() {
    let rows = rows();
    assert!(rows.len() >= 30, "{}", rows.len());
    for (place, level) in LEVELS.into_iter().enumerate() {
        if !offers(level) {
            continue;
        }
        for user in users() {
            let victims = Victims::new(user);
            let mut outcomes = victims.play(&format!("all {}", victims.words()), level);
            for (name, expected) in &rows {
                let outcome = outcomes.remove(name);
                let outcome = outcome.unwrap_or_else(|| panic!("{name} was not tried"));
                assert!(
                    expected[place].contains(&outcome),
                    "{name} at {level} as {user:?}: {outcome}, expected {:?}",
                    expected[place]
                );
            }
            assert_eq!(outcomes, BTreeMap::new(), "attacks without a row");
        }
    }
}

#[test]
fn what_a_bot_needs_is_allowed() {
    for level in ["on", "strict"].into_iter().filter(|level| offers(level)) {
        for user in users() {
            let outcomes = Victims::new(user).play("allowed", level);
            assert!(outcomes.len() >= 15);
            for (name, outcome) in outcomes {
                assert_eq!(outcome, "works", "{name} at {level} as {user:?}");
            }
        }
    }
}

/// Plays one game of `attacks NAME` against a built-in player.
fn play(scene: &Scene, args: &str, options: &str) -> Output {
    let folder = scene.path("bot");
    if !folder.exists() {
        fs::create_dir(&folder).unwrap();
        scene.program("bot/attacks", example("attacks"));
    }
    Command::new(env!("CARGO_BIN_EXE_referee"))
        .args([
            "match",
            "--quiet",
            "--games",
            "1",
            "--out",
            "games.jsonl",
            "--engine",
        ])
        .args(["cmd=bot/attacks", "name=bot", "st=60"])
        .arg(format!("args={args}"))
        .args(["--engine", "cmd=random", "st=60"])
        .args(options.split_whitespace())
        .current_dir(scene.path(""))
        .envs(LOCALE)
        .output()
        .unwrap()
}

#[test]
fn taking_too_much_loses() {
    /// Bot, level, options, reason, and the beginning of the detail behind the name.
    const BOTS: [(&str, &str, &str, &str, &str); 9] = [
        (
            "fills-the-disk",
            "on",
            "",
            "crash",
            "MB to its scratch folder, 64 MB are allowed",
        ),
        ("fills-the-disk", "strict", "", "five", ""),
        (
            "makes-many-files",
            "on",
            "",
            "crash",
            "files in its scratch folder, 4096 are allowed",
        ),
        ("makes-many-files", "strict", "", "five", ""),
        (
            "writes-one-large-file",
            "on",
            "",
            "crash",
            "was ended by signal 25 (SIGXFSZ)",
        ),
        ("forks", "on", "", "crash", "processes, 64 are allowed"),
        ("forks", "strict", "", "crash", "processes, 64 are allowed"),
        (
            "forks",
            "on",
            "--each max-processes=30",
            "crash",
            "processes, 30 are allowed",
        ),
        (
            "forks",
            "strict",
            "--each max-processes=30",
            "crash",
            "processes, 30 are allowed",
        ),
    ];
    for (bot, level, options, reason, detail) in BOTS {
        if !offers(level) {
            continue;
        }
        let scene = Scene::new();
        let output = play(&scene, bot, &format!("{options} --sandbox={level}"));
        assert!(output.status.success(), "{output:?}");
        let record = scene.first_game();
        let found = record["detail"].as_str().unwrap();
        if reason == "five" {
            assert!(
                ["five", "full"].contains(&record["reason"].as_str().unwrap()),
                "{record}"
            );
        } else {
            assert_eq!(record["reason"], reason, "{bot} at {level}: {record}");
            assert!(found.contains(detail), "{bot} at {level}: {found}");
        }
        scene.assert_no_process_left();
        assert_no_scratch_folder(&scene);
    }
}

/// Scratch folders are made in `TMPDIR`, or else where all tests make their folders.
fn assert_no_scratch_folder(scene: &Scene) {
    let mine = |path: &std::path::Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("referee-engine-")
    };
    let found: Vec<_> = fs::read_dir(scene.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| mine(path))
        .collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn scratch_folder_goes_with_the_match() {
    if !offers("on") {
        return;
    }
    let scene = Scene::new();
    scene.folder("tmp");
    let script = scene.script(
        "bot",
        "#!/bin/sh\necho x > $HOME/x\nmkdir -p $HOME/a/b\nexec sleep 60\n",
    );
    let mut referee = Command::new(env!("CARGO_BIN_EXE_referee"))
        .args([
            "match",
            "--quiet",
            "--sandbox",
            "--engine",
            "cmd=random",
            "--engine",
        ])
        .args([format!("cmd={script}"), "starttime=50".into()])
        .current_dir(scene.path(""))
        .env("TMPDIR", scene.path("tmp"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let folders = || fs::read_dir(scene.path("tmp")).unwrap().count();
    let file_is_there = || {
        let entries = fs::read_dir(scene.path("tmp")).unwrap().flatten();
        entries.into_iter().any(|entry| entry.path().join("a/b").exists())
    };
    wait_until(file_is_there);
    // Not even a killed referee leaves it.
    referee.kill().unwrap();
    referee.wait().unwrap();
    wait_until(|| folders() == 0);
}

/// Waits for a condition, at most ten seconds.
fn wait_until(is_so: impl Fn() -> bool) {
    for _ in 0..1000 {
        if is_so() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("it did not happen within 10 s");
}

#[test]
fn level_is_part_of_the_match_and_its_facts_are_recorded() {
    if !offers("on") {
        return;
    }
    let scene = Scene::new();
    let output = play(&scene, "plays", "--sandbox");
    assert!(output.status.success(), "{output:?}");
    let text = scene.text("games.jsonl");
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(header["engines"][0]["sandbox"], "on");
    let facts: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    assert_eq!(facts["sandbox"]["levels"], serde_json::json!(["on"]));
    assert!(facts["sandbox"]["landlock"].as_u64().unwrap() >= 6, "{facts}");
    assert_eq!(facts["sandbox"]["root"], is_root());
    let shown = format!("Sandbox: on (Landlock {}, Linux", facts["sandbox"]["landlock"]);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains(&shown),
        "{output:?}"
    );
    let report = Command::new(env!("CARGO_BIN_EXE_referee"))
        .args(["report", "games.jsonl"])
        .current_dir(scene.path(""))
        .output()
        .unwrap();
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains(&shown), "{report}");
    for other in ["", "--sandbox=strict"] {
        let refused = play(&scene, "plays", other);
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{message}");
        assert!(
            message.contains("sandbox") && message.contains("\"on\""),
            "{message}"
        );
    }
    let read = play(&scene, "plays", "--sandbox --sandbox-read /usr/share");
    assert_eq!(read.status.code(), Some(2), "{read:?}");
    let none = play(&scene, "plays", "--sandbox-read /usr/share");
    let message = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(message.contains("--sandbox puts all into one"), "{message}");
}

#[test]
fn refused_file_is_named_with_the_way_out() {
    for level in ["on", "strict"].into_iter().filter(|level| offers(level)) {
        let scene = Scene::new();
        scene.folder("books");
        scene.file("books/book", "a1");
        let book = scene.path("books/book");
        let args = format!("needs-a-book {}", book.display());
        let options = format!("--sandbox={level} --faults faults");
        let output = play(&scene, &args, &options);
        assert!(output.status.success(), "{output:?}");
        let record = scene.first_game();
        let folder = scene.path("books").display().to_string();
        let detail = record["detail"].as_str().unwrap();
        assert_has(&detail, &format!("`--sandbox-read {folder}` lets it read there"));
        let transcript = fs::read_dir(scene.path("faults"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        let transcript = fs::read_to_string(transcript.path()).unwrap();
        assert_has(&transcript, &format!("cannot read {}", book.display()));
        assert_has(&transcript, &format!("sandbox {level}: it may read"));
        // Allowed, it plays.
        fs::remove_file(scene.path("games.jsonl")).unwrap();
        let output = play(&scene, &args, &format!("{options} --sandbox-read {folder}"));
        assert!(output.status.success(), "{output:?}");
        assert_ne!(scene.first_game()["reason"], "crash");
    }
}

#[test]
fn kernel_without_a_part_is_refused_before_the_match() {
    /// What is missing, the level, and a part of the message; no message where the match is
    /// played.
    const PARTS: [(&str, &str, Option<&str>); 7] = [
        (
            "landlock",
            "on",
            Some("the sandbox needs Landlock, which this kernel"),
        ),
        ("landlock-at-boot", "on", Some("start it with `lsm=landlock,…`")),
        ("seccomp", "on", Some("the sandbox needs seccomp filters")),
        ("namespaces", "on", None),
        ("namespaces", "strict", Some("the sandbox needs user namespaces")),
        ("mounts", "strict", Some("use --sandbox=on")),
        (
            "landlock",
            "strict",
            Some("the sandbox needs Landlock, which this kernel"),
        ),
    ];
    for (part, level, message) in PARTS {
        if !offers(level) {
            continue;
        }
        let scene = Scene::new();
        let output = Command::new(example("lacking"))
            .args([
                part,
                env!("CARGO_BIN_EXE_referee"),
                "match",
                "--quiet",
                "--games",
                "1",
            ])
            .args([
                "--out",
                "games.jsonl",
                "--each",
                "st=1",
                "--engine",
                "cmd=random",
                "--engine",
            ])
            .args(["cmd=random".to_string(), format!("--sandbox={level}")])
            .current_dir(scene.path(""))
            .envs(LOCALE)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        match message {
            Some(message) => {
                assert_eq!(output.status.code(), Some(2), "{part} {level}: {said}");
                assert!(said.contains(message), "{part} {level}: {said}");
                assert!(!scene.path("games.jsonl").exists());
            }
            None => assert!(output.status.success(), "{part} {level}: {said}"),
        }
    }
}

/// An x86-64 program that makes a 32-bit system call: ELF header, one segment, and
/// `mov eax, 1; int 0x80`.
#[cfg(target_arch = "x86_64")]
fn program_with_a_32_bit_call() -> Vec<u8> {
    const BASE: u64 = 0x40_0000;
    const CODE: [u8; 7] = [0xb8, 1, 0, 0, 0, 0xcd, 0x80];
    const HEADERS: u64 = 64 + 56;
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend([2u16, 62].map(u16::to_le_bytes).concat());
    file.extend(1u32.to_le_bytes());
    file.extend([BASE + HEADERS, 64, 0].map(u64::to_le_bytes).concat());
    file.extend(0u32.to_le_bytes());
    file.extend([64u16, 56, 1, 64, 0, 0].map(u16::to_le_bytes).concat());
    file.extend([1u32, 5].map(u32::to_le_bytes).concat());
    let size = HEADERS + CODE.len() as u64;
    file.extend([0, BASE, BASE, size, size, 0x1000].map(u64::to_le_bytes).concat());
    file.extend(CODE);
    file
}

#[test]
#[cfg(target_arch = "x86_64")]
fn call_of_32_bit_code_is_named() {
    for level in ["on", "strict"].into_iter().filter(|level| offers(level)) {
        let scene = Scene::new();
        scene.folder("bot");
        let path = scene.path("bot/old");
        fs::write(&path, program_with_a_32_bit_call()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_referee"))
            .args([
                "match",
                "--quiet",
                "--engine",
                "cmd=bot/old",
                "--engine",
                "cmd=random",
            ])
            .arg(format!("--sandbox={level}"))
            .current_dir(scene.path(""))
            .envs(LOCALE)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert_has(&said, "used a system call that the sandbox forbids");
    }
}
