//! What the file system has beside programs and results: folders of others, what desktops leave, limits of file sizes,
//! and mounted files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::support::{Bot, Outcome, Scene, assert_has, assert_lacks, expect, run};

/// A folder `sub` of submissions with these names.
fn submissions(names: &[&str]) -> Scene {
    let scene = Scene::new();
    for name in names {
        scene.folder(&format!("sub/{name}"));
        scene.bot(&format!("sub/{name}/run"), Bot::default());
    }
    scene
}

/// What each command says that reads the submissions of `sub` or starts the one called `ann`.
fn sayings(scene: &Scene, referee: impl Fn(&str) -> Command) -> Vec<String> {
    [
        "match --engines sub --games 2 --each depth=1 --max-plies 2 --quiet",
        "ladder sub --out out/ladder.jsonl --games 2 --each depth=1 --max-plies 2 --sandbox=off --csv out/grades.csv --quiet",
        "check --only startpos sub",
        "check --only startpos sub/ann",
        "match sub/ann random --games 2",
        "match --engine cmd=run dir=sub/ann --engine cmd=random --games 2",
        "match --rules sub/ann/run random random --games 2",
    ]
    .map(|line| {
        let outcome = run(&mut referee(line), "");
        let all = format!("{line}\n{}{}", outcome.stdout, outcome.stderr);
        if line.starts_with("ladder") {
            all + &scene.text("out/grades.csv")
        } else {
            all
        }
    })
    .into()
}

#[test]
fn an_error_of_the_system_is_not_a_missing_program() {
    let scene = submissions(&["bob", "cem"]);
    scene.folder("out");
    scene.folder("sub/ann");
    symlink("run", scene.path("sub/ann/run")).unwrap();
    for said in sayings(&scene, |line| scene.command(line)) {
        assert_has(
            &said,
            expect! {"`sub/ann/run` cannot be read: Too many levels of symbolic links"},
        );
        assert_lacks(&said, "has no file");
        assert_lacks(&said, "does not exist");
    }
}

#[test]
fn a_folder_that_this_account_cannot_read_is_named() {
    let scene = submissions(&["ann", "bob", "cem"]);
    scene.folder("out");
    scene.program("referee", env!("CARGO_BIN_EXE_referee"));
    let mode =
        |name: &str, mode| fs::set_permissions(scene.path(name), fs::Permissions::from_mode(mode)).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    for name in ["", "sub", "sub/bob", "sub/cem"] {
        mode(name, 0o755);
    }
    mode("out", 0o777);
    mode("sub/ann", if is_root { 0o700 } else { 0o000 });
    let referee = |line: &str| {
        let mut command = Command::new(scene.path("referee"));
        command.args(line.split_whitespace()).current_dir(scene.path(""));
        if is_root {
            command.uid(65534).gid(65534);
        }
        command
    };
    for said in sayings(&scene, referee) {
        assert_has(&said, expect! {"`sub/ann` cannot be read: Permission denied"});
        assert_has(&said, "`chmod -R a+rX sub/ann`");
        assert_lacks(&said, "has no file");
    }
    // One program only.
    mode("sub/ann", 0o755);
    mode("sub/ann/run", 0o600 | if is_root { 0o100 } else { 0o011 });
    let said = run(&mut referee("match sub/ann random --games 2"), "").exits(3);
    said.says(expect! {"`sub/ann/run` is not executable for this account; its owner can change that with `chmod a+rx sub/ann/run`"});
    // All of them.
    mode("sub", 0o744 & if is_root { 0o777 } else { 0o444 });
    run(&mut referee("match --engines sub"), "")
        .exits(2)
        .says(expect! {"`sub` cannot be read: Permission denied"});
    mode("sub", 0o755);
}

#[test]
fn what_desktops_leave_is_no_submission() {
    let scene = submissions(&["bob", "cem"]);
    scene.folder("sub/ann/ann-main");
    scene.bot("sub/ann/ann-main/run", Bot::default());
    scene.folder("sub/__MACOSX/ann");
    scene.file("sub/__MACOSX/ann/._run", "x");
    scene.folder("out");
    for said in sayings(&scene, |line| scene.command(line)) {
        assert_lacks(&said, "MACOSX");
        if said.starts_with("match sub/ann") {
            assert_has(
                &said,
                expect! {"`sub/ann` is a folder, not a program; did you mean `sub/ann/ann-main`? Otherwise move it up: `mv sub/ann/ann-main/* sub/ann/`"},
            );
        } else if ["match --engines", "ladder", "check --only startpos sub\n"]
            .iter()
            .any(|line| said.starts_with(line))
        {
            assert_has(
                &said,
                expect! {"sub/ann has no file `run`; the submission is in sub/ann/ann-main, so move it up: `mv sub/ann/ann-main/* sub/ann/`"},
            );
        }
    }
    let moved = Command::new("sh")
        .args(["-c", "mv sub/ann/ann-main/* sub/ann/"])
        .current_dir(scene.path(""))
        .status();
    assert!(moved.unwrap().success());
    scene
        .referee("match sub/ann random --games 1 --max-plies 2 --quiet")
        .exits(0);
}

/// The referee, which may write files of 4 KB.
fn limited(scene: &Scene, line: &str) -> Outcome {
    let mut shell = Command::new("sh");
    shell
        .args([
            "-c",
            "ulimit -f 8; exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_referee"),
        ])
        .args(line.split_whitespace())
        .current_dir(scene.path(""));
    run(&mut shell, "")
}

#[test]
fn a_limit_of_file_sizes_is_like_a_full_disk() {
    let scene = Scene::new();
    let games = "match squares random --each depth=1 --openings random:3 --games 40 --quiet";
    let saved = limited(&scene, &format!("{games} --out games.jsonl")).exits(4);
    saved.says(expect! {"the result file cannot be written any more: File too large"});
    assert!(!scene.records().is_empty());
    for option in ["--pgn games.pgn", "--html page.html", "--log log.txt engines=on"] {
        let outcome = limited(&scene, &format!("{games} {option}")).exits(4);
        outcome
            .says("File too large")
            .shows(expect! {"Score of squares vs random"});
        let is_stopped = outcome.stdout.contains("Stopped after");
        assert!(
            !is_stopped || !option.starts_with("--log"),
            "a full log ended the match"
        );
    }
    scene.referee(&format!("{games} --out games.jsonl")).exits(0);
    limited(&scene, "report games.jsonl --html report.html").exits(4);
    // An engine is ended by the signal, as without the referee.
    let large = "head -c 100000 /dev/zero > large.bin; echo $? > ended; legal";
    scene.bot("large", Bot::thinking(large));
    limited(&scene, "match ./large random --games 1 --max-plies 2 --quiet").exits(0);
    assert_eq!(scene.text("ended"), "153\n", "128 and SIGXFSZ");
}

#[test]
#[cfg(target_os = "linux")] // mounts
fn a_mounted_file_is_written_in_place() {
    let scene = Scene::new();
    let games = "match squares random --each depth=1 --openings random:2 --games 4 --quiet --out games.jsonl";
    let mounted = |line: &str| {
        let flags = if rustix::process::geteuid().is_root() {
            "-m"
        } else {
            "-rm"
        };
        let mount = "for x in html csv pgn toml; do : >> host.$x; : >> cup.$x; mount --bind host.$x cup.$x || exit 99; done; \
                     mount -o remount,bind,ro \"$1\" || exit 99; shift; exec \"$0\" \"$@\"";
        let mut shell = Command::new("unshare");
        shell.args([flags, "sh", "-c", mount, env!("CARGO_BIN_EXE_referee")]);
        run(
            shell.args(line.split_whitespace()).current_dir(scene.path("")),
            "",
        )
    };
    let outputs = "--html cup.html --csv cup.csv --save-config cup.toml";
    // The other one is read-only.
    let outcome = mounted(&format!("cup.pgn {games} {outputs}"));
    if outcome.status == Some(99) || outcome.stderr.contains("unshare") {
        return eprintln!("skipped: no mounts here: {}", outcome.stderr);
    }
    outcome.exits(0);
    let long = ["html", "csv", "toml"].map(|kind| scene.text(&format!("host.{kind}")));
    assert!(long.iter().all(|text| !text.is_empty()), "{long:?}");
    // What is written is the same as in a new file, also if the old content was longer.
    scene.file("host.html", &(long[0].clone() + "more"));
    mounted("cup.pgn report games.jsonl --html cup.html").exits(0);
    scene.referee("report games.jsonl --html new.html").exits(0);
    assert_eq!(scene.text("host.html"), scene.text("new.html"));
    mounted("cup.html report games.jsonl --pgn cup.pgn").exits(0);
    assert_has(scene.text("host.pgn"), "[Event ");
    // A file that cannot be written is refused before the first game.
    scene.remove("games.jsonl");
    for kind in ["html", "csv", "pgn"] {
        let outcome = mounted(&format!("cup.{kind} {games} --{kind} cup.{kind}")).exits(2);
        outcome.says("Read-only file system");
        assert!(!scene.path("games.jsonl").exists(), "{kind}: games were played");
    }
}

#[test]
fn owner_group_and_mode_of_a_replaced_file_stay() {
    use std::os::unix::fs::{MetadataExt, chown};

    let scene = Scene::new();
    scene
        .referee("match random random --games 2 --each depth=1 --quiet --out games.jsonl")
        .exits(0);
    scene.file("page.html", "");
    fs::set_permissions(scene.path("page.html"), fs::Permissions::from_mode(0o640)).unwrap();
    // Only root may give a file away.
    let _ = chown(scene.path("page.html"), Some(65533), Some(65534));
    let about = || {
        let found = fs::metadata(scene.path("page.html")).unwrap();
        (found.uid(), found.gid(), found.mode())
    };
    let before = about();
    for _ in 0..2 {
        scene.referee("report games.jsonl --html page.html").exits(0);
        assert_eq!(about(), before);
    }
    assert_has(scene.text("page.html"), "<!doctype html>");
    // A folder where no file can be created.
    scene.folder("closed");
    let page = scene.path("closed/page.html");
    fs::write(&page, "").unwrap();
    fs::set_permissions(&page, fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(scene.path("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(scene.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    scene.program("referee", env!("CARGO_BIN_EXE_referee"));
    let mut command = Command::new(scene.path("referee"));
    command
        .args("report games.jsonl --html closed/page.html".split(' '))
        .current_dir(scene.path(""));
    if rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    run(&mut command, "").exits(0);
    assert_has(fs::read_to_string(page).unwrap(), "<!doctype html>");
}
