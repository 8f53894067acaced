//! What the file system has beside programs and results: folders of others, what desktops leave, limits of file sizes,
//! and mounted files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::support::{Bot, Outcome, Scene, assert_has, assert_lacks, run};

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
        "match --engines sub --games 2 --each depth=1 --quiet",
        "ladder sub --out out/ladder.jsonl --games 2 --each depth=1 --sandbox=off --csv out/grades.csv --quiet",
        "check --only startpos sub",
        "check --only startpos sub/ann",
        "match sub/ann random --games 2",
        "match --engine cmd=run dir=sub/ann --engine cmd=random --games 2",
        "match --rules sub/ann/run random random --games 2",
    ]
    .map(|line| {
        let outcome = run(&mut referee(line), "");
        let all = format!("{line}\n{}{}", outcome.stdout, outcome.stderr);
        match line.starts_with("ladder") {
            true => all + &scene.text("out/grades.csv"),
            false => all,
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
            "`sub/ann/run` cannot be read: Too many levels of symbolic links",
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
        assert_has(&said, "`sub/ann` cannot be read: Permission denied");
        assert_has(&said, "`chmod -R a+rX sub/ann`");
        assert_lacks(&said, "has no file");
    }
    // One program only.
    mode("sub/ann", 0o755);
    mode("sub/ann/run", 0o600 | if is_root { 0o100 } else { 0o011 });
    let said = run(&mut referee("match sub/ann random --games 2"), "").exits(3);
    said.says("`sub/ann/run` is not executable for this account; its owner can change that with `chmod a+rx sub/ann/run`");
    // All of them.
    mode("sub", 0o744 & if is_root { 0o777 } else { 0o444 });
    run(&mut referee("match --engines sub"), "")
        .exits(2)
        .says("`sub` cannot be read: Permission denied");
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
    let up = "sub/ann has no file `run`; the submission is in sub/ann/ann-main, so move it up: \
              `mv sub/ann/ann-main/* sub/ann/`";
    for said in sayings(&scene, |line| scene.command(line)) {
        assert_lacks(&said, "MACOSX");
        if said.starts_with("match sub/ann") {
            assert_has(
                &said,
                "`sub/ann` is a folder, not a program; did you mean `sub/ann/ann-main`?",
            );
        } else if ["match --engines", "ladder", "check --only startpos sub\n"]
            .iter()
            .any(|line| said.starts_with(line))
        {
            assert_has(&said, up);
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
    saved.says("the result file cannot be written any more: File too large");
    assert!(!scene.records().is_empty());
    for option in ["--pgn games.pgn", "--html page.html", "--log log.txt engines=on"] {
        let outcome = limited(&scene, &format!("{games} {option}")).exits(4);
        outcome.says("File too large").shows("Score of squares vs random");
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
