//! Programs made for people in a sandbox: whole games, attacks, limits, refusals, cleaning up.

use std::fs;
use std::path::Path;

use crate::adapt::{adapter_of, assert_no_fault, styles_of};
use crate::recorded::text;
use crate::sandbox::{
    Victims, assert_all_work, assert_outcomes, command_as, levels, offers, outcomes, users,
};
use crate::support::{
    LOCALE, Outcome, Scene, assert_has, assert_rows, example, expect, joined, rows, run, wait_until,
};

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
        let scene = self.scene.path("").canonicalize().unwrap();
        wait_until("a scratch folder or a process is left", || {
            let mut processes = fs::read_dir("/proc")
                .unwrap()
                .flatten()
                .map(|process| process.path().join("cwd"));
            fs::read_dir(self.scene.path("tmp")).unwrap().count() == 0
                && !processes.any(|cwd| fs::read_link(cwd).is_ok_and(|cwd| cwd.starts_with(&scene)))
        });
    }

    /// Why the first game was lost: the word and the sentence.
    fn loss(&self) -> [String; 2] {
        let record = self.scene.first_game();
        ["reason", "detail"].map(|field| text(&record, field).to_string())
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
fn attacks_of_programs_for_people_have_the_outcomes_of_the_table() {
    for (level, user) in levels().flat_map(|level| users().into_iter().map(move |user| (level, user))) {
        let victims = Victims::new(user);
        let tried = |args: &str| {
            victims.scene.file("bot/adapt.toml", &attacker(args));
            // Its dialogue is in the log.
            let said = victims.stderr_of("referee", "adapt bot/adapt.toml", level);
            let lines = said
                .lines()
                .filter_map(|line| Some(line.split_once("printed: ")?.1));
            outcomes(lines.filter(|line| !line.starts_with("bestmove ")))
        };
        assert_outcomes(tried(&format!("all {}", victims.words())), level, user);
        assert_all_work(tried("allowed"), level, user);
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
        let [reason, detail] = course.loss();
        assert_eq!(reason, "stall", "{level}: {detail}");
        course.assert_nothing_left();
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
    let alice = course.scene.path("bots/alice").canonicalize().unwrap();
    let refused = |line: &str, status: i32| {
        let outcome = course.referee(line).exits(status);
        joined(&outcome.stderr).replace(&*alice.to_string_lossy(), "ALICE")
    };
    let table = expect![[r#"
        adapt bots/bob/adapt.toml --try --sandbox
            | its `dir`, ALICE, is not readable inside the sandbox; `--sandbox-read ALICE` allows it
        match --engine cmd=referee args='adapt bots/bob/adapt.toml' sandbox=on --engine cmd=random
            | its `dir`, ALICE, is not readable inside the sandbox; `--sandbox-read ALICE` allows it
    "#]];
    assert_rows(table, |[line]| refused(line, 3));

    course
        .scene
        .file("adapt.toml", &adapter_of(&example("people"), "menu", ""));
    assert_has(
        refused("adapt adapt.toml --try --sandbox", 3),
        expect! {"which contains other files, too"},
    );
    for option in "--sandbox-read .,--memory 9,--max-processes 9,--cpu-time 9".split(',') {
        let line = format!("adapt bots/alice/adapt.toml {option}");
        fs::write(course.scene.path("bots/alice/adapt.toml"), &description).unwrap();
        assert_has(refused(&line, 2), expect! {"--sandbox puts it into one"});
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
            .shows(expect! {"= no problem in two games"});
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

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn programs_for_people_play_whole_matches_in_a_sandbox() {
        for (level, user) in levels().flat_map(|level| users().into_iter().map(move |user| (level, user))) {
            for (variant, setup) in [("magnetic-cave", ""), ("gridlock", "--pieces 5 --turns 30")] {
                let course = Course::new(user);
                let names = styles_of(variant);
                for name in &names {
                    course.submit(name, "people", &adapter_of(Path::new("./people"), name, "child"));
                }
                course.play(&format!(
                    "--variant {variant} {setup} --sandbox={level} --each st=60 starttime=60"
                ));
                assert_no_fault(&course.scene, (names.len() + 1) * names.len());
                course.assert_nothing_left();
            }
        }
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn program_for_people_that_takes_too_much_loses() {
        for [program, level, options, expected] in rows(
            "forks | on | | processes, 64 are allowed
             forks | strict | | processes, 64 are allowed
             forks | on | max-processes=30 | processes, 30 are allowed
             forks | strict | max-processes=30 | processes, 30 are allowed
             burns | on | cpu-time=1 | s of processor time, 1 s is allowed
             fills-the-disk | on | | MB to its scratch folder, 64 MB are allowed",
        ) {
            if !offers(level) {
                continue;
            }
            let course = Course::new(None);
            course.submit("bob", "attacks", &attacker(program));
            course.play(&format!("--games 1 --each st=60 {options} --sandbox={level}"));
            let [reason, detail] = course.loss();
            assert_eq!(reason, "crash", "{program} at {level}: {detail}");
            assert_has(detail, expected);
            course.assert_nothing_left();
        }
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
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
            let [_, detail] = course.loss();
            let way_out = format!(
                "if it may read there, `--sandbox-read {0}` allows it",
                folder.display()
            );
            assert!(detail.contains(&way_out), "{level}: {detail}");
            fs::remove_file(course.scene.path("games.jsonl")).unwrap();
            course.play(&format!(
                "--games 1 --each st=60 --sandbox={level} --sandbox-read {}",
                folder.display()
            ));
            let [_, detail] = course.loss();
            assert!(!detail.contains("sandbox"), "{level}: {detail}");
        }
    }
}
