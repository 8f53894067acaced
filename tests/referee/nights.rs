//! `referee ladder`, night after night: a run does what is new, and says what it does.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::driver::{Driver, TERMINAL};
use crate::support::{Bot, Scene, assert_has, assert_lacks, expect};

/// Depth 1 makes all games the same on every machine. A busy machine must lose none.
const LADDER: &str = "ladder hand-in --out ladder.jsonl --sandbox=off --each depth=1 timemargin=60000";

/// A submission whose `run` is this script.
fn submit(scene: &Scene, name: &str, script: &str) {
    scene.folder(&format!("hand-in/{name}"));
    scene.script(&format!("hand-in/{name}/run"), script);
}

/// A script that plays like a built-in player, behind other lines.
fn player(name: &str, before: &str) -> String {
    format!(
        "#!/bin/sh\n{before}\nexec '{}' builtin {name}\n",
        env!("CARGO_BIN_EXE_referee")
    )
}

/// Three submissions, and one that does not start. Each writes its name to `starts`.
fn course(scene: &Scene) {
    for (name, plays) in [("ann", "squares"), ("bob", "plain"), ("cem", "random")] {
        submit(scene, name, &player(plays, &note(scene, name)));
    }
    submit(
        scene,
        "eve",
        &format!("#!/bin/sh\n{}\nexit 3\n", note(scene, "eve")),
    );
}

fn note(scene: &Scene, name: &str) -> String {
    format!("echo {name} >> '{}'", scene.path("starts").display())
}

/// The programs that a run without games starts.
fn started(scene: &Scene, options: &str) -> Vec<String> {
    scene.file("starts", "");
    scene
        .referee(&format!("{LADDER} --quiet --games 0 {options}"))
        .exits(0);
    let mut names: Vec<String> = scene.text("starts").lines().map(String::from).collect();
    names.sort();
    names
}

#[test]
fn what_does_not_start_is_tried_again_once_something_has_changed() {
    let scene = Scene::new();
    course(&scene);
    let none: [&str; 0] = [];
    assert_eq!(started(&scene, ""), ["ann", "bob", "cem", "eve"]);
    let outcome = scene
        .referee(&format!(
            "{LADDER} --quiet --games 0 --csv grades.csv --feedback feedback"
        ))
        .exits(0);
    outcome.says(expect! {"not in this run: eve: did not complete the handshake:"});
    assert_has(
        scene.text("grades.csv"),
        expect! {"eve did not complete the handshake:"},
    );
    assert_has(
        scene.text("feedback/eve.txt"),
        expect! {"tried again when its files change"},
    );
    assert_eq!(started(&scene, ""), none);
    assert_eq!(started(&scene, "--accept"), ["eve"]);
    assert_eq!(started(&scene, ""), none);
    // Another referee.
    let text = scene.text("ladder.jsonl");
    let (before, key) = text.rsplit_once("\"tried\":\"").unwrap();
    scene.file("ladder.jsonl", &format!("{before}\"tried\":\"0{}", &key[1..]));
    let is_same = key.starts_with('0');
    assert_eq!(started(&scene, "").len(), usize::from(!is_same));
    // Other files.
    let run = scene.text("hand-in/eve/run");
    submit(&scene, "eve", &(run + "# again\n"));
    assert_eq!(started(&scene, ""), ["eve"]);
    assert_eq!(started(&scene, ""), none);
    submit(&scene, "eve", &player("plain", &note(&scene, "eve")));
    assert_eq!(started(&scene, ""), ["eve"]);
    assert_lacks(scene.text("ladder.jsonl").lines().last().unwrap(), "\"tried\"");
}

#[test]
fn what_the_machine_may_have_caused_is_tried_again() {
    let scene = Scene::new();
    course(&scene);
    // Its interpreter may be installed later.
    submit(&scene, "eve", "#!/opt/no/such/interpreter\n");
    for _ in 0..2 {
        started(&scene, "");
        let header = scene.text("ladder.jsonl");
        assert_has(&header, expect! {"needs `/opt/no/such/interpreter`"});
        assert_lacks(&header, "\"tried\"");
    }
}

#[test]
fn a_changed_wrapper_starts_all_again() {
    let scene = Scene::new();
    scene.folder("wrapper");
    let wrapper = format!(
        "#!/bin/sh\n{}\nexec \"$1/bot\"\n",
        note(&scene, "$(basename \"$1\")")
    );
    scene.script("wrapper/run", &wrapper);
    for (name, bot) in [
        ("ann", player("squares", "")),
        ("bob", player("plain", "")),
        ("eve", "#!/bin/sh\nexit 3\n".into()),
    ] {
        scene.folder(&format!("hand-in/{name}"));
        scene.script(&format!("hand-in/{name}/bot"), &bot);
    }
    assert_eq!(started(&scene, "--wrapper wrapper"), ["ann", "bob", "eve"]);
    assert!(started(&scene, "--wrapper wrapper").is_empty());
    scene.script("wrapper/run", &(wrapper + "# mended\n"));
    assert_eq!(started(&scene, "--wrapper wrapper"), ["eve"]);
}

#[test]
fn feedback_analyses_a_game_once() {
    let scene = Scene::new();
    course(&scene);
    let line = format!("{LADDER} --quiet --feedback feedback");
    let analyses = || scene.text("ladder.analyses");
    let texts = || ["ann", "bob", "cem"].map(|name| scene.text(&format!("feedback/{name}.txt")));
    scene.referee(&format!("{line} --games 12")).exits(0);
    let (first, told) = (analyses(), texts());
    assert!(
        told.iter()
            .any(|text| text.contains("Mistakes that lodestone st=0.05 finds:"))
    );
    assert!(first.lines().count() > 2, "{first}");
    let modified = || {
        fs::metadata(scene.path("feedback/cem.txt"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = modified();
    scene.referee(&format!("{line} --games 0")).exits(0);
    assert_eq!((analyses(), texts()), (first.clone(), told.clone()));
    assert_eq!(modified(), before, "a text that is the same is not written again");
    // A line that is damaged, and one of another game, are not trusted.
    let lines: Vec<&str> = first.lines().collect();
    let key = |line: &str| line.split('"').nth(3).unwrap().to_string();
    let swapped = lines[1].replace(&key(lines[1]), &key(lines[0]));
    let damaged = format!("{swapped}\n{}\n", &lines[1][..lines[1].len() / 2]);
    scene.file("ladder.analyses", &damaged);
    scene.referee(&format!("{line} --games 0")).exits(0);
    let again = analyses();
    assert!(again.lines().count() > 2, "{again}");
    assert!(
        texts()
            .iter()
            .any(|text| text.contains("Mistakes that lodestone st=0.05 finds:"))
    );
    // A file that cannot be used is none.
    scene.remove("ladder.analyses");
    std::os::unix::fs::symlink(scene.path("starts"), scene.path("ladder.analyses")).unwrap();
    let outcome = scene.referee(&format!("{line} --games 0")).exits(0);
    outcome.says(expect! {"ladder.analyses: no analysis is kept for the next run: it is a link"});
    assert_lacks(scene.text("starts"), "analysis");
}

#[test]
fn the_time_of_a_run_holds_for_starts_and_analyses() {
    let scene = Scene::new();
    course(&scene);
    scene.referee(&format!("{LADDER} --quiet --games 12")).exits(0);
    submit(&scene, "new", &player("plain", &note(&scene, "new")));
    scene.file("starts", "");
    // A run whose time is up from its first moment.
    let line = format!("{LADDER} --quiet --feedback feedback");
    let outcome = scene.referee(&format!("{line} --hours 0.000000001")).exits(0);
    outcome.shows("\n12 games so far");
    outcome.says(expect! {"not in this run: new: it was not tried, because the time of the run ran out"});
    outcome.says(expect! {"--feedback: the time of the run ran out; the next run analyses"});
    assert_eq!(scene.text("starts"), "");
    let later = expect! {"The time of the run ran out; the next run analyses this game."};
    let words = String::from(later.data());
    assert_has(scene.text("feedback/cem.txt"), later);
    scene.referee(&format!("{line} --games 0")).exits(0);
    assert_eq!(scene.text("starts"), "new\n");
    assert_lacks(scene.text("feedback/cem.txt"), words);
}

#[test]
fn a_terminal_shows_what_is_tried() {
    let scene = Scene::new();
    course(&scene);
    submit(&scene, "slow", "#!/bin/sh\nsleep 600\n");
    let line = format!("{LADDER} starttime=2 --games 0 -j 2");
    for quiet in ["", " --quiet"] {
        let mut program = Driver::on_terminal_of_size(&scene, &(line.clone() + quiet), TERMINAL);
        let shown = |screen: &[String]| {
            screen
                .iter()
                .any(|line| line.contains("4 of 5 new players tried"))
        };
        if quiet.is_empty() {
            program.until_screen("the count", shown);
        }
        assert_has(program.ends(0), "0 games so far");
        assert!(!shown(&program.screen()));
        scene.remove("ladder.jsonl");
    }
}

#[test]
fn a_run_goes_on_with_what_failed_last_night_only() {
    let scene = Scene::new();
    course(&scene);
    let fails = scene.bot("fails", Bot::thinking("exit 3"));
    let script = scene
        .text(&fails)
        .replacen('\n', &format!("\n{}\n", note(&scene, "fails")), 1);
    submit(&scene, "fails", &script);
    let mode = fs::metadata(scene.path(&fails)).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    started(&scene, "");
    scene.referee(&format!("{LADDER} --quiet --games 8")).exits(0);
    assert_eq!(started(&scene, ""), ["fails"]);
    // A new header begins a run, as does a line about the sandbox.
    submit(&scene, "new", &player("plain", &note(&scene, "new")));
    assert_eq!(started(&scene, ""), ["fails", "new"]);
    let none: [&str; 0] = [];
    assert_eq!(started(&scene, ""), none);
}
