//! Grades by a rubric (`referee grade`), and submissions from an inbox (`referee collect`).

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::{Bot, Scene, assert_has, assert_lacks, expect, json_lines};

const REFEREE: &str = env!("CARGO_BIN_EXE_referee");

const RUBRIC: &str = r#"
[match]
sandbox = "off"
openings = "random:2"
max-plies = 6

[match.each]
st = 0.05
timemargin = 60000
starttime = 60

[fitness]
points = 1
only = ["startpos"]

[[opponent]]
cmd = "random"
games = 2
points = 2.5

[faults]
points = 1
each = 1
"#;

/// A course with submissions of these names, which play.
fn course(names: &[&str]) -> Scene {
    let scene = Scene::new();
    scene.file("rubric.toml", RUBRIC);
    for name in names {
        submit(&scene, name, "exec \"$REFEREE\" builtin random");
    }
    scene
}

/// A submission whose program is this script, in which `$REFEREE` is this program.
fn submit(scene: &Scene, name: &str, script: &str) {
    let script = script.replace("$REFEREE", REFEREE);
    scene.folder(&format!("in/{name}"));
    scene.script(&format!("in/{name}/run"), &format!("#!/bin/sh\n{script}\n"));
}

const GRADE: &str = "grade rubric.toml in --out grades";

/// The rows of grades.csv by name: their cells by column.
fn grades(scene: &Scene) -> BTreeMap<String, BTreeMap<String, String>> {
    let text = scene.text("grades/grades.csv");
    let mut lines = text
        .lines()
        .map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
    let headings = lines.next().unwrap();
    lines
        .map(|cells| (cells[0].clone(), headings.iter().cloned().zip(cells).collect()))
        .collect()
}

/// The games of a submission, with the time of their file.
fn games(scene: &Scene, name: &str) -> (String, std::time::SystemTime) {
    let path = scene.path(&format!("grades/{name}/games/random.jsonl"));
    (
        fs::read_to_string(&path).unwrap(),
        path.metadata().unwrap().modified().unwrap(),
    )
}

#[test]
fn a_folder_is_graded_and_only_changes_are_graded_again() {
    let scene = course(&["ann", "ben"]);
    submit(&scene, "cid", "exit 1");
    scene
        .referee(GRADE)
        .exits(0)
        .says(expect! {"3 submissions, 3 to grade, 2 games each"})
        .says(expect! {"Next: enter the grades of grades/grades.csv, and send each author grades/NAME/feedback.txt."});
    let rows = grades(&scene);
    assert_eq!(rows["ann"]["Plays by the rules (referee check)"], "1");
    assert_eq!(rows["ann"]["Games without a fault"], "1");
    // No number is better than that of a bot that has not played.
    assert_eq!(
        (
            &*rows["cid"]["Points"],
            &*rows["cid"]["Faults"],
            &*rows["cid"]["Slowest move (ms)"]
        ),
        ("0", "", "")
    );
    assert_has(scene.text("grades/cid/feedback.txt"), "FOLDER\n");
    let results: Value = serde_json::from_str(&scene.text("grades/ann/results.json")).unwrap();
    assert_eq!(results["tests"].as_array().unwrap().len(), 3);
    assert_eq!(
        scene.path("grades").metadata().unwrap().permissions().mode() & 0o077,
        0
    );

    let before = games(&scene, "ann");
    scene
        .referee(GRADE)
        .exits(0)
        .says(expect! {"3 submissions, 0 to grade"});
    scene.file("rubric.toml", &RUBRIC.replace("points = 2.5", "points = 5"));
    scene
        .referee(GRADE)
        .exits(0)
        .says(expect! {"3 submissions, 0 to grade"});
    scene.file("in/ben/more", "x");
    scene
        .referee(&format!("{GRADE} --dry-run"))
        .exits(0)
        .says(expect! {"ben: to grade again"});
    scene
        .referee(&format!("{GRADE} -j 2"))
        .exits(0)
        .says(expect! {"3 submissions, 1 to grade"});
    assert_eq!(games(&scene, "ann"), before);
    scene.file("rubric.toml", &RUBRIC.replace("random:2", "random:3"));
    fs::remove_dir_all(scene.path("in/cid")).unwrap();
    let outcome = scene.referee(&format!("{GRADE} --json")).exits(0);
    outcome.says(expect! {"grades/cid: there is no submission with this name any more"});
    assert_eq!(json_lines(&outcome.stdout).len(), 2);
    assert_ne!(games(&scene, "ann"), before);
}

#[test]
fn whose_fault_it_is() {
    let scene = course(&[]);
    // A wrapper whose compiler is missing, and a submission that does not compile.
    scene.file(
        "rubric.toml",
        &RUBRIC.replace("[match]", "[match]\nwrapper = 'wrap'"),
    );
    scene.folder("wrap");
    scene.script("wrap/run", "#!/bin/sh\nexec \"$2/bot\"\n");
    for name in ["ann", "ben"] {
        scene.folder(&format!("in/{name}"));
        scene.file(&format!("in/{name}/source"), name);
    }
    // What a submission writes does not make a program missing.
    scene.file(
        "in/ben/source",
        "ben\nsource:1: error: odd\nsh: 1: ls: not found\nsh: 1: no-grade-please: not found\n",
    );
    let prepare = |command: &str| {
        let script = "printf '#!/bin/sh\\nexec \"$REFEREE\" builtin random\\n' > bot; chmod +x bot";
        let script = script.replace("$REFEREE", REFEREE);
        let check = "grep -q ben \"$1/source\" && { cat \"$1/source\" >&2; exit 1; }";
        scene.script(
            "wrap/prepare",
            &format!("#!/bin/sh\n{command} || exit\n{check}\n{script}\n"),
        );
    };
    prepare("no-such-compiler");
    let outcome = scene.referee(GRADE).exits(1);
    outcome
        .says(expect! {"ann: no grade, because"})
        .says(expect! {"the program `no-such-compiler` is not installed"});
    outcome
        .says(expect! {"2 submissions did not play for the same reason"})
        .says(expect! {"Submissions without a grade: 2"});
    assert!(!scene.path("grades/grades.csv").exists());
    prepare("true");
    scene.referee(GRADE).exits(0);
    assert_eq!(grades(&scene)["ben"]["Points"], "0");
    assert_has(scene.text("grades/ben/feedback.txt"), "source:1: error: odd");
    assert_eq!(grades(&scene)["ann"]["Games without a fault"], "1");
}

#[test]
fn an_opponent_that_does_not_play_ends_the_command() {
    let scene = course(&["ann"]);
    scene.folder("staff");
    scene.script("staff/run", "#!/bin/sh\necho ill >&2\nexit 1\n");
    scene.file(
        "rubric.toml",
        &RUBRIC.replace("\"random\"\ngames", "\"./staff\"\ngames"),
    );
    scene
        .referee(GRADE)
        .exits(1)
        .says(expect! {"the opponent `staff` cannot play"})
        .says("ill");
    // Alone it plays, and in its games it crashes.
    scene.bot("staff/run", Bot::thinking("first_start && legal || exit 3"));
    let outcome = scene.referee(GRADE).exits(1);
    outcome.says(expect! {"staff ended with exit status 3, see grades/ann/games/again-2/staff.faults/game-000001-staff-crash.txt"});
    assert!(!scene.path("grades/grades.csv").exists());
    scene.file("rubric.toml", &RUBRIC.replace("[faults]", "[[opponent]]\ncmd = 'squares'\nname = 'random_'\ngames = 2\npoints = 1\n[[opponent]]\ncmd = 'plain'\nname = 'random*'\ngames = 2\npoints = 1\n[faults]"));
    scene
        .referee(GRADE)
        .exits(2)
        .says(expect! {"`random_` and `random*` of two opponents"});
}

#[test]
fn a_cause_has_the_names_of_ten_submissions() {
    let scene = course(&[]);
    let submit = |number| submit(&scene, &format!("s{number}"), "echo odd >&2; exit 1");
    (10..20).for_each(submit);
    let outcome = scene.referee(GRADE).exits(0);
    outcome.says(expect! {"10 submissions did not play for the same reason: odd (s10, "});
    outcome.says(", s18, s19)\n");
    submit(20);
    scene.referee(GRADE).exits(0).says(", s18, s19, …)\n");
}

#[test]
fn one_submission_is_graded_for_the_services() {
    let scene = course(&["ann"]);
    let outcome = scene
        .referee("grade rubric.toml in/ann --results results.json")
        .exits(0);
    outcome.shows("ann: ");
    let results: Value = serde_json::from_str(&scene.text("results.json")).unwrap();
    assert!(results["execution_time"].is_u64() && results["extra_data"]["passes"] == true);
    let outcome = scene
        .referee("grade rubric.toml in/ann --results results.json --format classroom")
        .exits(0);
    outcome.shows("| Against random | ");
    let results: Value = serde_json::from_str(&scene.text("results.json")).unwrap();
    assert_eq!(results["max_score"], 4.5);
    symlink("ann", scene.path("in/link")).unwrap();
    scene
        .referee("grade rubric.toml in/link --results results.json")
        .exits(2)
        .says(expect! {"in/link: expected a submission folder, not a link"});
    // Bots never run as root, and only root can run them as another user.
    scene
        .referee("grade rubric.toml in/ann --results results.json --user root")
        .exits(2)
        .says(
            expect! {"--user root: no grade, because this system has no sandbox, and only root starts bots"},
        );
    // Nothing is left of an earlier run.
    scene.file(
        "rubric.toml",
        &RUBRIC.replace("\"random\"\ngames", "\"./staff\"\ngames"),
    );
    scene
        .referee("grade rubric.toml in/ann --results results.json")
        .exits(2)
        .says(expect! {"there is no file or folder ./staff"});
}

#[test]
#[cfg(target_os = "linux")] // the sandbox
fn a_course_without_a_sandbox_says_so_in_its_rubric() {
    let scene = course(&["ann"]);
    scene.file("rubric.toml", &RUBRIC.replace("sandbox = \"off\"\n", ""));
    let mut command = Command::new(crate::support::example("lacking"));
    command
        .current_dir(scene.path(""))
        .args(["landlock", REFEREE])
        .args(GRADE.split(' '));
    let outcome = crate::support::run(&mut command, "").exits(2);
    outcome.says(expect! {"`sandbox=on`: the sandbox needs Landlock"});
}

#[test]
fn a_ladder_with_other_options_starts_nobody() {
    let scene = course(&["ann", "ben"]);
    let ladder = |st: &str| {
        format!(
            "ladder in random --out l.jsonl --games 2 --each st={st} timemargin=60000 --sandbox=off --max-plies 6 --quiet"
        )
    };
    scene.referee(&ladder("0.1")).exits(0);
    submit(
        &scene,
        "new",
        "touch ../../started; exec \"$REFEREE\" builtin random",
    );
    scene.referee(&ladder("0.2")).exits(2).says("other options");
    assert!(!scene.path("started").exists());
}

#[test]
fn feedback_for_those_who_cannot_play_has_a_command() {
    let scene = course(&["ann", "ben"]);
    submit(&scene, "cid", "exit 1");
    scene.referee("ladder in --out l.jsonl --games 2 --each st=0.1 timemargin=60000 --sandbox=off --max-plies 6 --feedback fb --reviews 0 --quiet").exits(0);
    assert_has(
        scene.text("fb/cid.txt"),
        expect! {"referee check --openings random:4 --each st=0.1 timemargin=60000 FOLDER"},
    );
    assert_lacks(scene.text("fb/ann.txt"), "Losses to review");
}

#[test]
fn an_inbox_becomes_submissions() {
    let scene = Scene::new();
    for name in ["ann", "ben", "empty"] {
        scene.folder(&format!("inbox/{name}"));
    }
    scene.script("inbox/ann/run", "#!/bin/sh\n");
    scene.script("inbox/ben/run", "#!/bin/sh\n");
    scene.file("inbox/fay.rar", "Rar!");
    scene.file("inbox/gil.zip", "PK");
    let outcome = scene.referee("collect inbox in --feedback fb").exits(1);
    outcome.shows(expect! {"2 submissions collected (2 new), 3 not"});
    outcome.shows(expect! {"fay           not collected: inbox/fay.rar: it is an archive of RAR"});
    assert_has(
        scene.text("fb/gil.txt"),
        expect! {"the archive is damaged or incomplete"},
    );
    assert_has(scene.text("fb/empty.txt"), "it is empty");
    for name in ["empty", "ben"] {
        fs::remove_dir_all(scene.path(&format!("inbox/{name}"))).unwrap();
    }
    fs::remove_file(scene.path("inbox/fay.rar")).unwrap();
    fs::remove_file(scene.path("inbox/gil.zip")).unwrap();
    let outcome = scene.referee("collect inbox in").exits(0);
    outcome
        .shows("ann           unchanged")
        .shows(expect! {"ben           not in the inbox any more"});
    scene.script("inbox/ann/run", "#!/bin/sh\n# new\n");
    scene
        .referee("collect inbox in")
        .exits(0)
        .shows("ann           replaced");
    assert_has(scene.text("in/ann/run"), "# new");
    scene.folder("wrapper");
    scene.script("wrapper/run", "#!/bin/sh\n# of the course\n");
    scene.referee("collect inbox in --wrapper wrapper").exits(0);
    assert_has(scene.text("in/ann/run"), "# of the course");
    scene
        .referee("collect inbox inbox")
        .exits(2)
        .says(expect! {"this is the inbox"});
}

#[test]
fn several_archives_replace_nothing_and_equal_submissions_are_shown() {
    let scene = Scene::new();
    for name in ["ann", "ben"] {
        scene.folder(&format!("inbox/{name}"));
        scene.script(&format!("inbox/{name}/run"), "#!/bin/sh\n");
    }
    let outcome = scene.referee("collect inbox in").exits(0);
    outcome
        .shows("ann           new\n")
        .shows("ben           new, the same files as ann");
    scene.remove("inbox/ann/run");
    for name in ["old.zip", "new.tar.gz", "README.txt"] {
        scene.file(&format!("inbox/ann/{name}"), "");
    }
    let outcome = scene.referee("collect inbox in --feedback fb").exits(1);
    outcome.shows(expect! {"inbox/ann: it contains several archives: `new.tar.gz`, `old.zip`; delete the older ones; the earlier submission stays in in/ann"});
    assert_has(scene.text("fb/ann.txt"), expect! {"Submit one archive."});
    assert!(scene.path("in/ann/run").is_file());
}

/// Scripts compile what is newer than its program, which a sandbox refuses.
#[test]
fn submissions_keep_the_times_of_their_files() {
    let scene = Scene::new();
    scene.folder("ann");
    scene.script("ann/run", "#!/bin/sh\n");
    scene.file("ann/source", "new");
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    let source = fs::File::options()
        .write(true)
        .open(scene.path("ann/source"))
        .unwrap();
    source.set_modified(time).unwrap();
    scene.folder("inbox");
    let pack = |program: &str, words: &str| {
        let mut command = Command::new(program);
        let status = command
            .args(words.split(' '))
            .current_dir(scene.path("ann"))
            .status();
        assert!(status.unwrap().success());
    };
    pack("tar", "-czf ../inbox/tar.tar.gz .");
    pack("python3", "-m zipfile -c ../inbox/zip.zip run source");
    pack("cp", "-Rp . ../inbox/folder");
    scene.referee("collect inbox in").exits(0);
    for name in ["tar", "zip", "folder"] {
        let of = |file: &str| {
            let path = scene.path(&format!("in/{name}/{file}"));
            path.metadata().unwrap().modified().unwrap()
        };
        // A zip archive has the time of its time zone.
        let day = Duration::from_hours(24);
        assert!(of("source") > time - day && of("source") < time + day, "{name}");
        assert!(of("run") > of("source") + day, "{name}");
    }
}

#[test]
fn folders_of_moodle_are_named_after_the_students() {
    let scene = Scene::new();
    let send = |names: &[&str]| {
        for name in names {
            scene.folder(&format!("inbox/{name}"));
            scene.script(&format!("inbox/{name}/run"), "#!/bin/sh\n");
        }
    };
    let collect = || {
        let outcome = scene.referee("collect inbox in").exits(0);
        let entries = fs::read_dir(scene.path("in")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        (names, outcome)
    };
    send(&[
        "Ann Ash_17_assignsubmission_file",
        "Cy_5_assignsubmission_file_my bot",
    ]);
    assert_eq!(collect().0, ["Ann Ash", "Cy"]);
    // Of students with the same name, each keeps the number, and the earlier submission its name.
    send(&[
        "Bo_8_assignsubmission_file_",
        "Bo_9_assignsubmission_file",
        "x_assignsubmission_file",
        "_1_assignsubmission_file",
    ]);
    let expected = [
        "Ann Ash",
        "Bo_8_assignsubmission_file_",
        "Bo_9_assignsubmission_file",
        "Cy",
        "_1_assignsubmission_file",
        "x_assignsubmission_file",
    ];
    assert_eq!(collect().0, expected);
    fs::remove_dir_all(scene.path("inbox/Bo_9_assignsubmission_file")).unwrap();
    let (names, outcome) = collect();
    assert_eq!(names, expected);
    outcome.shows("Bo_8_assignsubmission_file_  unchanged");
    scene.file("all.zip", "PK");
    scene
        .referee("collect all.zip in")
        .exits(2)
        .says(expect! {"the inbox: all.zip is not a folder; unpack it first"});
}

#[test]
fn a_folder_is_of_one_command_at_a_time() {
    let scene = course(&["ann"]);
    for (command, place) in [("grade", "--out grades"), ("collect", "made")] {
        let words = if command == "grade" {
            GRADE
        } else {
            "collect in made"
        };
        scene.referee(words).exits(0);
        let folder = place.split(' ').next_back().unwrap();
        let lock = fs::File::options()
            .append(true)
            .open(scene.path(&format!("{folder}/.referee-{command}.lock")))
            .unwrap();
        lock.lock().unwrap();
        let outcome = scene.referee(words).exits(2);
        outcome.says(format!("{place}: another `referee {command}` "));
        outcome.says(expect! {"works in this folder; wait until it has ended, or choose another one"});
        if command == "grade" {
            scene.referee(&format!("{words} --dry-run")).exits(0);
        }
        drop(lock);
        scene.referee(words).exits(0);
    }
}

#[test]
fn a_pipe_in_a_submission_is_no_news() {
    let scene = course(&["ann"]);
    let pipe = scene.path("in/ann/pipe");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    scene.referee(GRADE).exits(0);
    scene
        .referee(GRADE)
        .exits(0)
        .says(expect! {"1 submission, 0 to grade"});
}

#[test]
fn names_that_are_printed_alike_have_a_row_each() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scene = course(&["ann"]);
    for name in [&b"M\xfcller"[..], b"M\xf6ller"] {
        fs::create_dir(scene.path("in").join(OsStr::from_bytes(name))).unwrap();
    }
    scene.referee(GRADE).exits(0);
    let grades = grades(&scene);
    assert_eq!(grades.len(), 3, "{grades:?}");
    let alike = grades
        .keys()
        .filter(|name| name.starts_with("M\u{fffd}ller (M_ller-"));
    assert_eq!(alike.count(), 2, "{grades:?}");
}

#[test]
fn each_student_has_a_file_of_feedback() {
    let scene = Scene::new();
    let long = "n".repeat(70);
    for end in ["a", "b"] {
        scene.folder(&format!("inbox/{long}{end}"));
    }
    scene.referee("collect inbox in --feedback fb").exits(1);
    let files = fs::read_dir(scene.path("fb")).unwrap().count();
    assert_eq!(files, 2);
}

/// A bot that never makes a move.
const RESIGNS: &str = r"while read -r word rest; do case $word in
uci) echo uciok ;; isready) echo readyok ;; go) echo bestmove resign ;; quit) exit ;;
esac; done";

#[test]
fn a_bot_that_only_resigns_gets_no_points() {
    let scene = course(&[]);
    submit(&scene, "ann", RESIGNS);
    for check in ["startpos", "whole-game"] {
        scene
            .referee(&format!("check in/ann/run --only {check}"))
            .exits(1)
            .shows("resigned");
    }
    scene.referee(GRADE).exits(0).says("ann: 0 points");
    let feedback = scene.text("grades/ann/feedback.txt");
    assert_has(&feedback, "startpos: failed");
    assert_has(&feedback, expect! {"it resigned all its games at once"});
}

#[test]
fn a_python_package_stays_in_its_folder() {
    let scene = Scene::new();
    for (name, around) in [("ann", ""), ("ben", "hw3/")] {
        let package = format!("{name}/{around}agent");
        scene.folder(&package);
        scene.file(&format!("{package}/__init__.py"), "from .core import Agent\n");
        scene.file(&format!("{package}/core.py"), "");
        scene.folder("inbox");
        let (folder, archive) = (scene.path(name), scene.path(&format!("inbox/{name}.tar")));
        let mut packed = Command::new("tar");
        packed.arg("-cf").arg(archive).arg("-C").arg(folder).arg(".");
        assert!(packed.status().unwrap().success());
    }
    scene.referee("collect inbox in").exits(0);
    for name in ["ann", "ben"] {
        assert!(
            scene.path(&format!("in/{name}/agent/core.py")).is_file(),
            "{name}"
        );
    }
}

#[test]
fn a_program_that_prepares_and_prints_without_end_is_stopped() {
    let scene = Scene::new();
    scene.folder("w");
    scene.script("w/run", "#!/bin/sh\n");
    scene.script("w/prepare", "#!/bin/sh\nexec yes $(printf %04000d 0)\n");
    scene.folder("in/ann");
    scene.file("in/ann/agent.txt", "");
    scene
        .referee("check in/ann --wrapper w --only startpos")
        .exits(3)
        .says(expect! {"the wrapper's `prepare` wrote more than 8 MiB"});
}

#[test]
fn a_folder_without_a_submission_is_no_bot() {
    let scene = Scene::new();
    scene.folder("s/ann");
    scene.script("s/ann/run.py", "");
    scene
        .referee("check s --only startpos")
        .exits(3)
        .says(expect! {"`s`: no submissions found"})
        .says(
            expect! {"s/ann has no file `run`, but a file `run.py`; rename it: `mv s/ann/run.py s/ann/run`"},
        );
}
