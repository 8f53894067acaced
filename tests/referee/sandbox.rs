//! Sandboxed engines: attacks, what stays allowed, limits, refusals, result files.
//!
//! docs/sandbox.md has a table of attacks; each is held to its row.

use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::chown;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

#[cfg(target_arch = "x86_64")]
use crate::machine_code;
use crate::recorded::{assert_by_rules, text};
use crate::support::{
    LOCALE, Outcome, Running, Scene, assert_has, assert_has_all, assert_lacks, example, expect, joined,
    rows as rows_of, run, wait_until,
};

/// The chapter with the table.
const CHAPTER: &str = include_str!("../../docs/notes/sandbox.md");

/// The levels, in the order of the table's columns.
const LEVELS: [&str; 3] = ["off", "on", "strict"];

/// A user that no Linux system has. All processes of `nobody` may be those of a grader, which ends them.
const NOBODY: u32 = 64777;

/// Whether the tests run as root, which can become any user.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether this system offers a level. Prints why it does not.
pub fn offers(level: &str) -> bool {
    let line = format!("match --quiet --games 1 --each st=1 random random --sandbox={level}");
    let tried = Scene::new().referee(&line);
    if tried.status == Some(0) {
        return true;
    }
    println!("SKIPPED: {}", tried.stderr);
    tried.exits(2).says(expect! {"the sandbox needs"});
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
        std::os::unix::fs::symlink("secret", scene.path("victim/link")).unwrap();
        let name = format!("lodestone-attack-{}", scene.path("").display());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let sockets = [
            UnixListener::bind(scene.path("victim/socket")).unwrap(),
            UnixListener::bind_addr(&address).unwrap(),
        ];
        if user.is_some() {
            for path in
                ",bot,home,victim,bot/attacks,bot/book.txt,victim/key,victim/spare,victim/socket".split(',')
            {
                chown(scene.path(path), user, user).unwrap();
            }
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

    /// Asserts that nobody has connected to its port, and nobody has sent anything to the other one.
    fn assert_not_reached(&self, level: &str) {
        self.tcp.set_nonblocking(true).unwrap();
        self.udp.set_nonblocking(true).unwrap();
        let by_tcp = self.tcp.accept().map(drop).map_err(|error| error.kind());
        let by_udp = self.udp.recv(&mut [0; 9]).map(drop).map_err(|error| error.kind());
        let nobody = Err(std::io::ErrorKind::WouldBlock);
        assert_eq!([by_tcp, by_udp], [nobody; 2], "{level}");
    }

    /// Plays a game of `attacks ARGS` at a level; returns the lines on its stderr.
    fn play(&self, args: &str, level: &str) -> BTreeMap<String, String> {
        outcomes(self.stderr_of("bot/attacks", args, level).lines())
    }

    /// Plays a game of a bot at a level; returns its record.
    fn game_of(&self, cmd: &str, args: &str, level: &str) -> Value {
        self.stderr_of(cmd, args, level);
        self.scene.first_game()
    }

    /// Plays a game of a bot at a level; returns its stderr.
    pub fn stderr_of(&self, cmd: &str, args: &str, level: &str) -> String {
        // The shell has a file open that is none of the engine's.
        let script = "exec 9<victim/key; exec ./referee \"$@\"";
        let line = "match --games 1 --quiet --out games.jsonl --engine cmd=random st=20 \
                    --engine name=bot stderr=said st=20 starttime=60";
        let mut command = command_as(self.user, "sh");
        command
            .args(["-c", script, "sh"])
            .args(line.split_whitespace())
            .args([
                format!("cmd={cmd}"),
                format!("args={args}"),
                format!("sandbox={level}"),
            ])
            .current_dir(self.scene.path(""))
            .env("ATTACK_SECRET", "key")
            .env("RUST_LOG", "debug")
            .env("HOME", self.scene.path("home"))
            .env("TMPDIR", std::env::temp_dir())
            .envs(LOCALE);
        if self.scene.path("games.jsonl").exists() {
            self.scene.remove("games.jsonl");
        }
        run(&mut command, "").exits(0);
        let said = self.scene.text("said");
        self.scene.remove("said");
        said
    }
}

/// The names of attacks with their outcomes.
pub fn outcomes<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeMap<String, String> {
    let lines = lines.filter_map(|line| line.split_once(' '));
    lines
        .map(|(name, outcome)| (name.to_string(), outcome.to_string()))
        .collect()
}

/// Asserts that the outcomes at a level are those of the table.
#[track_caller]
pub fn assert_outcomes(mut found: BTreeMap<String, String>, level: &str, user: Option<u32>) {
    let place = LEVELS.iter().position(|other| *other == level).unwrap();
    let rows = rows();
    assert!(rows.len() >= 30, "{}", rows.len());
    for (name, expected) in rows {
        let outcome = found
            .remove(&name)
            .unwrap_or_else(|| panic!("{name} was not tried: {found:?}"));
        // The machine code of some attacks is for one architecture.
        let is_untried = outcome == "untried" && !cfg!(target_arch = "x86_64");
        let is_expected = is_untried || expected[place].contains(&outcome);
        assert!(
            is_expected,
            "{name} at {level} as {user:?}: {outcome}, expected {:?}",
            expected[place]
        );
    }
    assert_eq!(found, BTreeMap::new(), "attacks without a row");
}

/// Asserts that all that a bot needs works.
#[track_caller]
pub fn assert_all_work(found: BTreeMap<String, String>, level: &str, user: Option<u32>) {
    assert!(found.len() >= 15, "{found:?}");
    for (name, outcome) in found {
        assert_eq!(outcome, "works", "{name} at {level} as {user:?}");
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
fn attacks_have_the_outcomes_of_the_table_and_what_a_bot_needs_is_allowed() {
    for level in LEVELS.into_iter().filter(|level| offers(level)) {
        for user in users() {
            let victims = Victims::new(user);
            let found = victims.play(&format!("all {}", victims.words()), level);
            assert_outcomes(found, level, user);
            if level != "off" {
                victims.assert_not_reached(level);
                assert_all_work(victims.play("allowed", level), level, user);
                assert_calls_are_refused(&victims, level);
            }
        }
    }
}

#[test]
fn bots_with_one_port_play_at_the_same_time_in_networks_of_their_own() {
    let scene = folder_of_a_bot();
    let bots = ["one", "two", "three", "four"]
        .map(|name| format!("--engine cmd=bot/attacks args=fixed-port name={name}"))
        .join(" ");
    let line = format!("match --quiet --each st=60 --concurrency 2 --games 2 {bots}");
    if offers("strict") {
        let outcome = scene.referee(&format!("{line} --sandbox=strict")).exits(0);
        assert_lacks(&outcome.stdout, "Faults");
    }
    if offers("on") {
        let said = scene.referee(&format!("{line} --sandbox=on")).exits(3).stderr;
        assert_has(said, expect! {"no port: Operation not permitted"});
    }
}

/// Asserts that each call that the notes refuse has the answer of the notes.
#[cfg(target_arch = "x86_64")]
fn assert_calls_are_refused(victims: &Victims, level: &str) {
    let place = LEVELS.iter().position(|other| *other == level).unwrap();
    let rows = CHAPTER.lines().filter(|line| line.starts_with("| "));
    let rows = rows.map(|row| {
        row.trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect::<Vec<_>>()
    });
    let rows = rows.filter(|cells| cells.len() == 5);
    let expected: BTreeMap<String, String> = rows
        .flat_map(|cells| {
            let answer = cells[2 + place].trim_matches('`').to_string();
            let numbers = cells[1].split(", ").filter_map(|call| call.rsplit_once(' '));
            let numbers = numbers.filter(|(_, number)| number.parse::<u32>().is_ok());
            numbers.map(move |(_, number)| (number.to_string(), answer.clone()))
        })
        .filter(|(_, answer)| !["yes", "some"].contains(&answer.as_str()))
        // No filter sees `uretprobe` and `uprobe`.
        .filter(|(number, _)| !["335", "336"].contains(&number.as_str()))
        // Unknown ones.
        .chain(["500", "999"].map(|number| (number.to_string(), "ENOSYS".to_string())))
        .collect();
    assert!(expected.len() > 150, "{}", expected.len());
    let numbers: Vec<&str> = expected.keys().map(String::as_str).collect();
    let found = victims.play(&format!("calls {}", numbers.join(",")), level);
    assert_eq!(found, expected, "{level}");
}

#[cfg(not(target_arch = "x86_64"))]
fn assert_calls_are_refused(_: &Victims, _: &str) {}

/// The levels of the sandbox that this system offers.
pub fn levels() -> impl Iterator<Item = &'static str> {
    ["on", "strict"].into_iter().filter(|level| offers(level))
}

/// A folder with the bot `attacks`.
pub fn folder_of_a_bot() -> Scene {
    let scene = Scene::new();
    scene.folder("bot");
    scene.program("bot/attacks", example("attacks"));
    scene.program("referee", env!("CARGO_BIN_EXE_referee"));
    scene.file("bot/book.txt", "book");
    scene
}

/// Plays one game of `attacks ARGS` against a built-in player.
fn play(scene: &Scene, args: &str, options: &str) -> Outcome {
    let players = "--engine cmd=random st=60 --engine cmd=bot/attacks name=bot st=60";
    let mut command = scene.command(&format!(
        "match --reverse --quiet --games 1 --out games.jsonl {players}"
    ));
    command
        .arg(format!("args={args}"))
        .args(options.split_whitespace());
    run(&mut command, "")
}

/// A command that runs as on a system without a part of the sandbox.
fn lacking(scene: &Scene, part: &str, words: &str) -> Command {
    let mut command = Command::new(example("lacking"));
    command
        .args([part, env!("CARGO_BIN_EXE_referee")])
        .args(words.split_whitespace())
        .current_dir(scene.path(""))
        .env("TMPDIR", scene.path(""))
        .envs(LOCALE);
    command
}

#[test]
fn without_user_namespaces_a_scratch_folder_is_counted() {
    if !offers("on") {
        return;
    }
    for [bot, detail] in rows_of(
        "fills-the-disk | MB to its scratch folder, 64 MB are allowed
         makes-many-files | files in its scratch folder, 4096 are allowed
         hides-files-deep | MB to its scratch folder, 64 MB are allowed
         maps-deleted-files | files that it deleted, 4 are allowed",
    ) {
        let scene = folder_of_a_bot();
        let line = format!(
            "match --reverse --quiet --games 1 --out games.jsonl --sandbox=on --engine cmd=random st=60 \
             --engine cmd=bot/attacks name=bot st=60 args={bot}"
        );
        run(&mut lacking(&scene, "namespaces", &line), "").exits(0);
        let record = scene.first_game();
        if bot == "maps-deleted-files" && is_root() {
            // Root sees how large they are.
            assert_by_rules(&record);
        } else {
            assert_has(text(&record, "detail"), detail);
        }
    }
}

#[test]
fn without_a_value_the_level_is_the_strongest_or_that_of_the_file() {
    if !offers("strict") {
        return;
    }
    let level = |scene: &Scene| scene.results("games.jsonl")[0]["engines"][0]["sandbox"].clone();
    let line = "match --quiet --each st=5 --out games.jsonl random random";
    let scene = Scene::new();
    scene
        .referee(&format!("{line} --sandbox --games 2"))
        .exits(0)
        .shows("Sandbox: strict (");
    assert_eq!(level(&scene), "strict");
    scene.referee(&format!("{line} --sandbox=on --games 4")).exits(2);

    let scene = Scene::new();
    let words = format!("{line} --sandbox --games 2");
    let outcome = run(&mut lacking(&scene, "namespaces", &words), "").exits(0);
    outcome.shows("Sandbox: on (");
    assert_eq!(level(&scene), "on");
    // Its games stay comparable on a system that has more.
    scene
        .referee(&format!("{line} --sandbox --games 4"))
        .exits(0)
        .shows("Sandbox: on (");
    let is_game = |line: &&Value| line["moves"].is_array();
    assert_eq!(scene.results("games.jsonl").iter().filter(is_game).count(), 4);
}

#[test]
fn no_control_group_is_left() {
    let folders = || {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let mounts = mounts.lines().filter(|line| line.contains(" - cgroup2 "));
        let mounts: Vec<String> = mounts
            .filter_map(|line| Some(line.split(' ').nth(4)?.to_string()))
            .collect();
        let entries = mounts
            .into_iter()
            .flat_map(|mount| fs::read_dir(mount).into_iter().flatten().flatten());
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let is_of = |id: u32| {
        let prefix = format!("referee-{id}-");
        folders()
            .iter()
            .any(|path| path.file_name().unwrap().to_string_lossy().starts_with(&prefix))
    };
    let scene = Scene::new();
    scene.script(
        "bot",
        "#!/bin/sh\ntrap '' TERM\nsetsid sleep 70 &\necho x > started\nexec sleep 60\n",
    );
    let referee =
        Running::start(scene.command("match --quiet --engine cmd=random --engine cmd=./bot starttime=50"));
    wait_until("the bot", || scene.path("started").exists());
    let id = referee.child.id();
    println!("in a group: {}", is_of(id));
    referee.end_by(Signal::KILL);
    wait_until("the group is left", || !is_of(id));
    scene.assert_no_process_left();
}

/// Root may look at every process.
#[test]
fn a_program_that_cannot_be_read_hides_nothing() {
    for level in levels() {
        for user in users() {
            let victims = Victims::new(user);
            let hides = "hides which files it holds";
            let is_refused = user.is_some() || !is_root();
            let record = victims.game_of("bot/attacks", "runs-unreadable-program", level);
            let detail = text(&record, "detail");
            assert_eq!(
                detail.contains(hides),
                is_refused,
                "{level} as {user:?}: {record}"
            );
        }
    }
}

#[test]
fn scratch_folder_goes_with_the_match() {
    if !offers("on") {
        return;
    }
    let scene = Scene::new();
    scene.folder("tmp");
    scene.script(
        "bot",
        "#!/bin/sh\necho x > $HOME/x\nmkdir -p $HOME/a/b\nexec sleep 60\n",
    );
    let line = "match --quiet --sandbox=on --engine cmd=random --engine cmd=./bot starttime=50";
    let mut command = lacking(&scene, "namespaces", line);
    command.env("TMPDIR", scene.path("tmp"));
    let referee = Running::start(command);
    let folders = || fs::read_dir(scene.path("tmp")).unwrap().flatten();
    wait_until("the bot's folder", || {
        folders().any(|entry| entry.path().join("a/b").exists())
    });
    // Not even a killed referee leaves it.
    referee.end_by(Signal::KILL);
    wait_until("the folder is left", || folders().count() == 0);
}

#[test]
fn a_killed_supervisor_leaves_no_scratch_folder() {
    for level in levels() {
        let scene = Scene::new();
        scene.folder("tmp");
        scene.script("bot", "#!/bin/sh\necho up >&2\nexec sleep 60\n");
        let mut command = scene.command(&format!(
            "match --quiet --games 1 --sandbox={level} --engine cmd=random --engine cmd=./bot stderr=up starttime=50"
        ));
        command.env("TMPDIR", scene.path("tmp"));
        let referee = Running::start(command);
        wait_until("the bot", || {
            scene.path("up").exists() && scene.text("up") == "up\n"
        });
        let threads = fs::read_dir(format!("/proc/{}/task", referee.child.id()))
            .unwrap()
            .flatten();
        let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        let children: Vec<i32> = lists
            .flat_map(|list| {
                list.split_whitespace()
                    .map(|id| id.parse().unwrap())
                    .collect::<Vec<_>>()
            })
            .collect();
        assert!(!children.is_empty());
        for child in children {
            kill_process(Pid::from_raw(child).unwrap(), Signal::KILL).unwrap();
        }
        referee.end();
        let left = fs::read_dir(scene.path("tmp")).unwrap().flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        let is_scratch = |name: &&std::ffi::OsString| name.to_string_lossy().starts_with("referee-engine-");
        assert_eq!(left.iter().find(is_scratch), None, "{level}");
    }
}

#[test]
fn level_is_part_of_the_match_and_its_facts_are_recorded() {
    if !offers("on") {
        return;
    }
    let scene = folder_of_a_bot();
    let outcome = play(&scene, "plays", "--sandbox=on").exits(0);
    let lines = scene.results("games.jsonl");
    assert_eq!(lines[0]["engines"][1]["sandbox"], "on");
    let facts = &lines[1]["sandbox"];
    assert_eq!(facts["levels"], json!(["on"]));
    assert!(facts["landlock"].as_u64().unwrap() >= 6, "{facts}");
    assert_eq!(facts["root"], is_root());
    let groups = facts["cgroup"].as_str().unwrap();
    assert!(["none", "counted", "limited"].contains(&groups), "{facts}");
    let shown = format!("Sandbox: on (Landlock {}, Linux", facts["landlock"]);
    outcome.shows(&shown);
    scene.referee("report games.jsonl").shows(&shown);
    for other in ["", "--sandbox=strict"] {
        let refused = play(&scene, "plays", other).exits(2);
        refused.says(expect! {"sandbox of `bot` was on, now "});
    }
    play(&scene, "plays", "--sandbox=on --sandbox-read /usr/share").exits(2);
    play(&scene, "plays", "--sandbox-read /usr/share").says(expect! {"--sandbox runs all of them in one"});
}

#[test]
fn refused_file_is_named_with_the_way_out() {
    for level in levels() {
        let scene = folder_of_a_bot();
        scene.folder("books");
        scene.file("books/book", "a1");
        let (folder, book) = (scene.path("books"), scene.path("books/book"));
        let (folder, book) = (folder.display(), book.display());
        let args = format!("needs-a-book {book}");
        let options = format!("--sandbox={level} --faults faults");
        play(&scene, &args, &options).exits(0);
        let way_out = format!("if it may read there, `--sandbox-read {folder}` allows it");
        assert_has(text(&scene.first_game(), "detail"), way_out);
        let transcript = fs::read_dir(scene.path("faults"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        let transcript = fs::read_to_string(transcript.path()).unwrap();
        let parts = [
            format!("cannot read {book}"),
            format!("sandbox {level}: it may read"),
        ];
        assert_has_all(transcript, parts);
        // Allowed, it plays.
        scene.remove("games.jsonl");
        play(&scene, &args, &format!("{options} --sandbox-read {folder}")).exits(0);
        assert_ne!(scene.first_game()["reason"], "crash");
    }
}

#[test]
fn kernel_without_a_part_is_refused_before_the_match() {
    // What is missing, the level, and a part of the message; none where the match is played.
    for [part, level, message] in rows_of(
        "landlock | on | the sandbox needs Landlock, which this kernel
         landlock-at-boot | on | start it with `lsm=landlock,…`
         seccomp | on | the sandbox needs seccomp filters
         namespaces | on |
         namespaces | strict | the sandbox needs user namespaces
         mounts | strict | the sandbox needs mounts in a user namespace (
         mounts | strict | use --sandbox=on
         landlock | strict | the sandbox needs Landlock, which this kernel",
    ) {
        if !offers(level) {
            continue;
        }
        let scene = Scene::new();
        let line =
            format!("match --quiet --games 1 --out games.jsonl --each st=1 random random --sandbox={level}");
        let mut command = Command::new(example("lacking"));
        command
            .args([part, env!("CARGO_BIN_EXE_referee")])
            .args(line.split(' '));
        let outcome = run(command.current_dir(scene.path("")).envs(LOCALE), "");
        let outcome = outcome.exits(if message.is_empty() { 0 } else { 2 });
        assert_has(joined(&outcome.stderr), message);
        assert_eq!(
            scene.path("games.jsonl").exists(),
            message.is_empty(),
            "{part} {level}"
        );
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn call_of_32_bit_code_is_named() {
    for level in levels() {
        let scene = Scene::new();
        scene.folder("bot");
        // mov eax, 1; int 0x80
        let code = [0xb8, 1, 0, 0, 0, 0xcd, 0x80];
        scene.executable("bot/old", &machine_code::program(&[], &code));
        let line = format!("match --quiet --engine cmd=bot/old --engine cmd=random --sandbox={level}");
        let error = scene.referee(&line).exits(3).stderr;
        assert_has(
            joined(&error),
            expect! {"used a system call that the sandbox forbids"},
        );
    }
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn taking_too_much_loses() {
        for [bot, level, options, reason, detail] in rows_of(
            "fills-the-disk | on | | crash | wrote 65 MB to its scratch folder, 64 MB are allowed
             fills-the-disk | strict | | crash | wrote 65 MB to its scratch folder, 64 MB are allowed
             makes-many-files | on | | crash | has 4097 files in its scratch folder, 4096 are allowed
             makes-many-files | strict | | crash | has 4097 files in its scratch folder, 4096 are allowed
             hides-files-deep | on | | crash | wrote 65 MB to its scratch folder, 64 MB are allowed
             hides-files-deep | strict | | crash | wrote 65 MB to its scratch folder, 64 MB are allowed
             takes-memory-under-a-strange-name | off | --each memory=100 | crash | MB of memory, 100 MB are allowed
             takes-memory-under-a-strange-name | on | --each memory=100 | crash | MB of memory, 100 MB are allowed
             takes-memory-under-a-strange-name | strict | --each memory=100 | crash | MB of memory, 100 MB are allowed
             takes-watches | on | | crash | watches of epoll, 4096 are allowed
             takes-watches | strict | | crash | watches of epoll, 4096 are allowed
             takes-locks | on | | crash | locks of files, 64 are allowed
             takes-locks | strict | | crash | locks of files, 64 are allowed
             writes-one-large-file | on | | crash | was ended by signal 25 (SIGXFSZ)
             forks | on | | crash | processes, 64 are allowed
             forks | strict | | crash | processes, 64 are allowed
             starts-threads | on | | crash | threads, 512 are allowed
             starts-threads | strict | | crash | threads, 512 are allowed
             fills-sockets | on | | crash | sockets, 512 are allowed
             fills-sockets | strict | | crash | sockets, 512 are allowed
             fills-sockets | on | --each memory=100 | crash | MB of memory, 100 MB are allowed
             fills-sockets | strict | --each memory=100 | crash | MB of memory, 100 MB are allowed
             maps-deleted-files | on | | |
             maps-deleted-files | strict | | |
             forks | on | --each max-processes=30 | crash | processes, 30 are allowed
             forks | strict | --each max-processes=30 | crash | processes, 30 are allowed",
        ) {
            if !offers(level) {
                continue;
            }
            let scene = folder_of_a_bot();
            play(&scene, bot, &format!("--sandbox={level} {options}")).exits(0);
            let record = scene.first_game();
            if reason.is_empty() {
                assert_by_rules(&record);
            } else {
                assert_eq!(record["reason"], reason, "{bot} at {level}: {record}");
                assert_has(text(&record, "detail"), detail);
            }
            scene.assert_no_process_left();
            // Scratch folders are made in `TMPDIR`, or else where all tests make their folders.
            let files = fs::read_dir(scene.path("")).unwrap().flatten();
            let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
            let scratch: Vec<String> = names.filter(|name| name.starts_with("referee-engine-")).collect();
            assert_eq!(scratch, [""; 0], "{bot} at {level}");
        }
    }
}
