//! Programs made for people in a sandbox: whole games, attacks, limits, refusals, cleaning up.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::adapt::{STYLES, adapter_of, assert_no_fault};
use crate::sandbox::{Victims, command_as, offers, rows, users};
use crate::support::{LOCALE, Outcome, Scene, example, run};

/// The levels of the sandbox that this system offers.
fn levels() -> impl Iterator<Item = &'static str> {
    ["on", "strict"].into_iter().filter(|level| offers(level))
}

/// Submissions, the referee, and a folder for temporary files, which one user owns.
struct Course {
    scene: Scene,
    user: Option<u32>,
}

impl Course {
    fn new(user: Option<u32>) -> Course {
        let scene = Scene::new();
        for folder in ["bots", "tmp"] {
            scene.folder(folder);
        }
        scene.program("referee", env!("CARGO_BIN_EXE_referee"));
        let course = Course { scene, user };
        for path in ["", "bots", "tmp"] {
            course.own(&course.scene.path(path));
        }
        course
    }

    fn own(&self, path: &Path) {
        if self.user.is_some() {
            std::os::unix::fs::chown(path, self.user, self.user).unwrap();
        }
    }

    /// Hands in an example program with its description.
    fn submit(&self, name: &str, program: &str, description: &str) {
        let folder = self.scene.path("bots").join(name);
        fs::create_dir(&folder).unwrap();
        self.scene
            .program(&format!("bots/{name}/{program}"), example(program));
        fs::write(folder.join("adapt.toml"), description).unwrap();
        for path in [folder.clone(), folder.join(program), folder.join("adapt.toml")] {
            self.own(&path);
        }
    }

    fn referee(&self, line: &str) -> Outcome {
        let mut command = command_as(self.user, "./referee");
        let command = command
            .args(shlex::split(line).unwrap())
            .current_dir(self.scene.path(""))
            .env("HOME", self.scene.path(""))
            .env("TMPDIR", self.scene.path("tmp"))
            .envs(LOCALE);
        run(command, "")
    }

    /// Plays the submissions against `random`.
    fn play(&self, options: &str) {
        let line = format!("match --engines bots --engine cmd=random --quiet --out games.jsonl {options}");
        self.referee(&line).exits(0);
    }

    /// Asserts that no process and no scratch folder is left. Waits, because a killed supervisor
    /// may still be at work.
    fn assert_nothing_left(&self) {
        let until = Instant::now() + Duration::from_mins(1);
        let scene = self.scene.path("").canonicalize().unwrap();
        loop {
            let folders: Vec<PathBuf> = fs::read_dir(self.scene.path("tmp"))
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect();
            let processes = fs::read_dir("/proc").unwrap().flatten();
            let processes: Vec<PathBuf> = processes
                .map(|process| process.path())
                .filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&scene)))
                .collect();
            if folders.is_empty() && processes.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "{folders:?} {processes:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Why the first game was lost: the word and the sentence.
    fn loss(&self) -> (String, String) {
        let record = self.scene.first_game();
        let text = |key: &str| record[key].as_str().unwrap().to_string();
        (text("reason"), text("detail"))
    }
}

/// The description of `attacks ARGS`, whose misbehaviour begins with `go`.
fn attacker(args: &str) -> String {
    format!(
        "command = \"./attacks {args}\"\n[start]\nfirst = [\"go\", \"quit\"]\nsecond = [\"go\", \"quit\"]\n\
         [answer]\npattern = \"my move: {{cell}}\"\n"
    )
}

#[test]
fn programs_for_people_play_whole_matches_in_a_sandbox() {
    for level in levels() {
        for user in users() {
            for (variant, setup) in [("magnetic-cave", ""), ("gridlock", "--pieces 5 --turns 30")] {
                let course = Course::new(user);
                let styles = STYLES.iter().filter(|(_, other, _)| *other == variant);
                let names: Vec<&str> = styles.map(|(name, ..)| *name).collect();
                for name in &names {
                    course.submit(name, "people", &adapter_of(Path::new("./people"), name, "child"));
                }
                course.play(&format!(
                    "--variant {variant} {setup} --sandbox={level} --each st=60 starttime=60"
                ));
                let players = names.len() + 1;
                assert_no_fault(&course.scene, players * (players - 1));
                course.assert_nothing_left();
            }
        }
    }
}

#[test]
fn attacks_of_programs_for_people_have_the_outcomes_of_the_table() {
    for (place, level) in [(1, "on"), (2, "strict")] {
        if !offers(level) {
            continue;
        }
        for user in users() {
            let victims = Victims::new(user);
            let tried = |args: &str| {
                victims.scene.file("bot/adapt.toml", &attacker(args));
                // Its dialogue is in the log.
                let said = victims.stderr_of("referee", "adapt bot/adapt.toml", level);
                let lines = said.lines().filter_map(|line| line.split_once("printed: "));
                let lines = lines.filter_map(|(_, line)| line.split_once(' '));
                let lines = lines.filter(|(name, _)| *name != "bestmove");
                lines
                    .map(|(name, outcome)| (name.to_string(), outcome.to_string()))
                    .collect::<std::collections::BTreeMap<_, _>>()
            };
            let outcomes = tried(&format!("all {}", victims.words()));
            for (name, expected) in rows() {
                let outcome = outcomes.get(&name);
                let outcome = outcome.unwrap_or_else(|| panic!("{name} was not tried: {outcomes:?}"));
                assert!(
                    expected[place].contains(outcome),
                    "{name} at {level} as {user:?}: {outcome}, expected {:?}",
                    expected[place]
                );
            }
            let allowed = tried("allowed");
            assert!(allowed.len() >= 15, "{allowed:?}");
            for (name, outcome) in allowed {
                assert_eq!(outcome, "works", "{name} at {level} as {user:?}");
            }
        }
    }
}

#[test]
fn program_for_people_that_takes_too_much_loses() {
    for (program, level, options, expected) in [
        ("forks", "on", "", "processes, 64 are allowed"),
        ("forks", "strict", "", "processes, 64 are allowed"),
        ("forks", "on", "max-processes=30", "processes, 30 are allowed"),
        ("forks", "strict", "max-processes=30", "processes, 30 are allowed"),
        (
            "burns",
            "on",
            "cpu-time=1",
            " s of processor time, 1 s is allowed",
        ),
        (
            "fills-the-disk",
            "on",
            "",
            "MB to its scratch folder, 64 MB are allowed",
        ),
    ] {
        if !offers(level) {
            continue;
        }
        let course = Course::new(None);
        course.submit("bob", "attacks", &attacker(program));
        course.play(&format!("--games 1 --each st=60 {options} --sandbox={level}"));
        let (reason, detail) = course.loss();
        assert_eq!(reason, "crash", "{program} at {level}: {detail}");
        assert!(detail.contains(expected), "{program} at {level}: {detail}");
        course.assert_nothing_left();
    }
}

/// The referee kills the adapter, which cannot clean up then.
#[test]
fn program_for_people_that_never_answers_leaves_nothing() {
    for level in levels() {
        let course = Course::new(None);
        course.submit(
            "bob",
            "people",
            &adapter_of(Path::new("./people"), "menu", "deaf"),
        );
        course.play(&format!("--games 1 --each st=1 starttime=60 --sandbox={level}"));
        let (reason, detail) = course.loss();
        assert_eq!(reason, "stall", "{level}: {detail}");
        course.assert_nothing_left();
    }
}

#[test]
fn program_for_people_learns_what_is_refused() {
    for level in levels() {
        let course = Course::new(None);
        let (book, folder) = (course.scene.path("books/book"), course.scene.path("books"));
        fs::create_dir(&folder).unwrap();
        course.scene.file("books/book", "a1");
        course.submit(
            "bob",
            "attacks",
            &attacker(&format!("needs-a-book {}", book.display())),
        );
        course.play(&format!("--games 1 --each st=60 --sandbox={level}"));
        let (_, detail) = course.loss();
        let way_out = format!("`--sandbox-read {0}` lets it read there", folder.display());
        assert!(detail.contains(&way_out), "{level}: {detail}");
        fs::remove_file(course.scene.path("games.jsonl")).unwrap();
        course.play(&format!(
            "--games 1 --each st=60 --sandbox={level} --sandbox-read {}",
            folder.display()
        ));
        let (_, detail) = course.loss();
        assert!(!detail.contains("sandbox"), "{level}: {detail}");
    }
}

/// The author of a description must not choose what the program may read.
#[test]
fn description_cannot_open_the_sandbox() {
    if !offers("on") {
        return;
    }
    let course = Course::new(None);
    course.submit("alice", "people", "");
    let description = adapter_of(Path::new("./people"), "menu", "");
    course.submit("bob", "people", &format!("dir = \"../alice\"\n{description}"));
    let refused = |line: &str, status: i32, sentence: &str| {
        let outcome = course.referee(line).exits(status);
        let said = outcome.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(sentence), "{line}: {said}");
    };
    let alice = course.scene.path("bots/alice").canonicalize().unwrap();
    let sentence = format!(
        "its `dir`, {0}, is not readable inside the sandbox; `--sandbox-read {0}` allows it",
        alice.display()
    );
    refused("adapt bots/bob/adapt.toml --try --sandbox", 3, &sentence);
    let engine = "--engine cmd=referee args='adapt bots/bob/adapt.toml' sandbox=on";
    refused(&format!("match {engine} --engine cmd=random"), 3, &sentence);

    course
        .scene
        .file("adapt.toml", &adapter_of(&example("people"), "menu", ""));
    refused(
        "adapt adapt.toml --try --sandbox",
        3,
        "which holds other files, too",
    );
    for option in [
        "--sandbox-read .",
        "--memory 9",
        "--max-processes 9",
        "--cpu-time 9",
    ] {
        let line = format!("adapt bots/alice/adapt.toml {option}");
        fs::write(course.scene.path("bots/alice/adapt.toml"), &description).unwrap();
        refused(&line, 2, "--sandbox puts it into one");
    }
}

#[test]
fn trial_shows_what_the_sandbox_refuses() {
    for level in levels() {
        let course = Course::new(None);
        course.submit("bob", "people", &adapter_of(Path::new("./people"), "menu", ""));
        course
            .referee(&format!("adapt bots/bob/adapt.toml --try --sandbox={level}"))
            .exits(0)
            .shows("= no problem in two games");
        let secret = course.scene.path("secret");
        fs::write(&secret, "x").unwrap();
        let description = attacker(&format!("needs-a-book {}", secret.display()));
        course.submit("eve", "attacks", &description);
        let outcome = course
            .referee(&format!("adapt bots/eve/adapt.toml --try --sandbox={level}"))
            .exits(3);
        assert!(outcome.stdout.contains("| cannot read"), "{outcome:?}");
        course.assert_nothing_left();
    }
}
