//! `referee tune`: an engine with a known best value, resuming, and refused commands.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::recorded::{assert_complete, games};
use crate::support::{Bot, Scene, assert_has, example, rows};

/// A tuning of the example engine.
fn tuning(options: &str) -> String {
    let engine = example("tunable");
    let engine = engine.display();
    format!("tune --engine cmd={engine} st=60 --openings random:4 --seed 3 {options}")
}

/// A tuning with a file, of 10 iterations in batches of two.
fn saved() -> String {
    tuning(
        "--param Skill=80,0,100,8,0.05 --param Placebo=5,0,9,1,0.05 --iterations 10 --batch 2 --out t.jsonl",
    )
}

/// The last event of `--json`.
fn last_event(stdout: &str) -> Value {
    serde_json::from_str(stdout.lines().last().unwrap()).unwrap()
}

/// The end of the output: the table and the settings.
fn result(stdout: &str) -> &str {
    let start = stdout.find("  Parameter").unwrap_or_else(|| panic!("{stdout}"));
    &stdout[start..]
}

#[test]
fn finds_the_best_value_of_an_engine() {
    let scene = Scene::new();
    let line = tuning("--param skill=80,0,100,10,0.12 --iterations 150 --concurrency 2 --plot t.svg ");
    let outcome = scene.referee(&line).exits(0);
    let (_, settings) = outcome
        .stdout
        .split_once("As settings for `referee match`:\n")
        .unwrap();
    // The name is spelled as the engine announces it.
    let value: i64 = settings
        .trim()
        .strip_prefix("option.Skill=")
        .unwrap()
        .parse()
        .unwrap();
    assert!((15..=45).contains(&value), "{}", outcome.stdout);
    assert!(
        outcome
            .stdout
            .contains("\n150 of 150 iterations, 300 games; plus won ")
    );
    let progress = outcome
        .stdout
        .lines()
        .filter(|line| line.contains(" of 300 games | "));
    let progress: Vec<&str> = progress.collect();
    assert!(
        progress.len() == 29 && progress[0].contains("| Skill "),
        "{}",
        outcome.stdout
    );
    let plot = scene.text("t.svg");
    assert!(plot.starts_with("<svg ") && plot.contains("150 of 150 iterations") && plot.contains(">Skill<"));
    // The settings can be used in a match.
    let engine = format!(
        "match --engine cmd={} name=a {settings}",
        example("tunable").display()
    );
    let line = format!(
        "{} --engine cmd=random --each st=60 --quiet",
        engine.replace('\n', " ")
    );
    scene.referee(&line).exits(0);
}

#[test]
fn values_do_not_depend_on_the_number_of_parallel_games() {
    let [one, other] = [1, 4].map(|slots| {
        let scene = Scene::new();
        let outcome = scene
            .referee(&format!("{} --concurrency {slots} --json", saved()))
            .exits(0);
        let event = last_event(&outcome.stdout);
        assert_eq!(event["event"], "tuned");
        let events = outcome
            .stdout
            .lines()
            .filter(|line| line.starts_with("{\"event\":\"tuning\""));
        assert_eq!(events.count(), 5);
        (event, games(&scene, "t.jsonl"))
    });
    assert_eq!(one, other);
    let values = &one.0["values"];
    assert!(values["Skill"].as_f64().unwrap() < 80.0, "{values}");
}

#[test]
fn resumed_tuning_equals_an_uninterrupted_one() {
    let scene = Scene::new();
    let whole = scene.referee(&saved()).exits(0);
    let expected = games(&scene, "t.jsonl");
    assert_complete(&expected, 20);
    let text = scene.text("t.jsonl");
    // After each number of games; the last line may be torn, as after a crash.
    for (lines, torn) in [(0, ""), (1, "{\"id\":2,"), (4, ""), (7, "{"), (19, "")] {
        let kept: String = text.split_inclusive('\n').take(1 + lines).collect();
        scene.file("t.jsonl", &format!("{kept}{torn}"));
        let resumed = scene.referee(&saved()).exits(0);
        assert_eq!(result(&resumed.stdout), result(&whole.stdout), "{lines}");
        assert_eq!(games(&scene, "t.jsonl"), expected, "{lines}");
    }
    // A finished tuning shows its result again, and other records give other values.
    let again = scene.referee(&saved());
    again.shows("nothing is left to play");
    assert_eq!(result(&again.stdout), result(&whole.stdout));
    scene.file("t.jsonl", &text.replace("\"1-0\"", "\"0-1\""));
    assert_ne!(result(&scene.referee(&saved()).stdout), result(&whole.stdout));
}

#[test]
fn interrupt_saves_the_games() {
    let scene = Scene::new();
    let whole = scene.referee(&saved());
    fs::rename(scene.path("t.jsonl"), scene.path("whole.jsonl")).unwrap();
    let mut referee = scene
        .command(&saved())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let lines = || fs::read_to_string(scene.path("t.jsonl")).map_or(0, |text| text.lines().count());
    while lines() < 4 {
        assert!(began.elapsed() < Duration::from_mins(1));
        thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&referee), Signal::INT).unwrap();
    assert_eq!(referee.wait().unwrap().code(), Some(130));
    let output = referee.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_has(&stdout, "run the same command again to resume");
    let resumed = scene.referee(&saved());
    assert!(resumed.stdout.contains("resuming"), "{}", resumed.stdout);
    assert_eq!(result(&resumed.stdout), result(&whole.stdout));
    assert_eq!(games(&scene, "t.jsonl"), games(&scene, "whole.jsonl"));
}

#[test]
fn refuses_to_resume_another_tuning() {
    let scene = Scene::new();
    scene.referee(&saved()).exits(0);
    let before = fs::read(scene.path("t.jsonl")).unwrap();
    for [part, replacement, message] in rows(
        "
        --iterations 10 | --iterations 11 | tuning.iterations was 10, now 11
        --batch 2 | --batch 1 | tuning.batch was 2, now 1
        Skill=80, | Skill=70, | tuning.parameters 1 was
        --param Placebo=5,0,9,1,0.05 |  | tuning.parameters was
        --batch 2 | --batch 2 --alpha 0.5 | tuning.alpha was 0.602, now 0.5
        --seed 3 | --seed 4 | seed was 3, now 4
        st=60 | st=61 | st was
    ",
    ) {
        scene.assert_refused(&saved().replace(part, replacement), message);
    }
    let words = format!("{0} {0}", example("tunable").display());
    scene.assert_refused(&format!("match {words} --out t.jsonl"), "it holds another match");
    assert_eq!(fs::read(scene.path("t.jsonl")).unwrap(), before);
}

#[test]
fn wrong_commands_are_refused_before_the_first_game() {
    let scene = Scene::new();
    scene.file("notes.svg", "not a picture");
    let skill = "--param Skill=80,0,100,8";
    for (options, message) in [
        (
            "--param Skil=80,0,100,8",
            "the engine announces no option `Skil`; did you mean `Skill`?",
        ),
        (
            "--param Skill=80,0,101,8",
            "announces `Skill` from 0 to 100, and --param has 0 to 101",
        ),
        (
            "--param Style=1,0,9,1",
            "announces `Style`, but not as a spin option",
        ),
        (
            "--param Skill=80,90,100,8",
            "START (80) is not between MIN (90) and MAX (100)",
        ),
        ("", "--param"),
        (
            &format!("{skill} --param skill=1,0,9,1"),
            "--param skill is given twice",
        ),
        (
            &format!("{skill} --each option.SKILL=4"),
            "is tuned by --param and set by `option.Skill`",
        ),
        (&format!("{skill} --each name=x"), "`name=x` does not apply"),
        (
            &format!("{skill} --games 10"),
            "--games does not apply to `referee tune`; --iterations N",
        ),
        (
            &format!("{skill} --sprt elo0=0 elo1=5"),
            "--sprt does not apply to `referee tune`",
        ),
        (
            &format!("{skill} --engines folder"),
            "--engines does not apply to `referee tune`",
        ),
        (
            &format!("{skill} --engine cmd=random"),
            "one engine is tuned, and 2 are named",
        ),
        (
            &format!("{skill} --iterations 0"),
            "expected a whole number from 1 to 10000000",
        ),
        (
            &format!("{skill} --alpha 0"),
            "expected a number greater than 0 and at most 1",
        ),
        (
            &format!("{skill} --plot notes.svg"),
            "is no SVG file, so it is not overwritten",
        ),
    ] {
        scene.assert_refused(&tuning(&format!("{options} --out t.jsonl")), message);
        assert!(!scene.path("t.jsonl").exists(), "{options}");
    }
    scene.assert_refused("tune human --param A=1,0,9,1", "a person has no options to tune");
    scene.assert_refused("tune --param A=1,0,9,1", "one engine is tuned, and 0 are named");
    assert_eq!(scene.text("notes.svg"), "not a picture");
}

#[test]
fn options_are_set_between_games() {
    let scene = Scene::new();
    let bot = Bot {
        uci: "echo option name A type spin default 5 min 0 max 9; echo uciok",
        go: "echo info depth 1 score cp 0; legal",
        ..Bot::default()
    };
    let bot = scene.bot("bot", bot);
    let line = format!(
        "tune {bot} --each st=10 --param A=5,0,9,1,0.1 --iterations 2 --out t.jsonl \
        --draw movenumber=2 movecount=1 score=10"
    );
    for (restart, processes, settings) in [("", 3, 4), ("restart=on", 9, 8)] {
        for file in ["t.jsonl", "bot.received", "bot.pids"] {
            scene.remove(file);
        }
        scene
            .referee(&line.replace("st=10", &format!("st=10 {restart}")))
            .exits(0)
            .says("without --openings");
        // The first process is asked for its options only.
        assert_eq!(scene.processes("bot").len(), processes, "{restart}");
        let received = scene.received("bot");
        let games = received.iter().filter(|line| *line == "ucinewgame").count();
        let values = received
            .iter()
            .filter(|line| line.starts_with("setoption name A value "));
        let values: Vec<&str> = values.map(String::as_str).collect();
        // Two players, four games. A process keeps its value for the second game of a pair.
        assert_eq!((games, values.len()), (8, settings), "{received:?}");
        assert!(values.iter().any(|line| line.ends_with(['6', '7'])), "{values:?}");
        assert!(values.iter().any(|line| line.ends_with(['3', '4'])), "{values:?}");
    }
}

#[test]
fn options_may_come_from_a_file() {
    let scene = Scene::new();
    let engine = example("tunable");
    let file = format!(
        "seed = 7\nopenings = 'random:4'\n[[engine]]\ncmd = '{}'\nst = 60\n",
        engine.display()
    );
    scene.file("match.toml", &file);
    let line = "tune --config match.toml --param Skill=80,0,100,8 --iterations 1";
    for (options, seed) in [("--out a.jsonl", 7), ("--out b.jsonl --seed 8", 8)] {
        scene.referee(&format!("{line} {options}")).exits(0);
        let name = options.split(' ').nth(1).unwrap();
        let header = &scene.results(name)[0];
        assert_eq!(header["seed"], seed, "{header}");
        assert_eq!(header["engines"][0]["cmd"], engine.display().to_string());
    }
    for (name, value) in [
        ("games", "4"),
        ("reverse", "true"),
        ("sprt", "{ elo0 = 0, elo1 = 5 }"),
    ] {
        scene.file("match.toml", &format!("{name} = {value}\n{file}"));
        let message = format!("match.toml, line 1: `{name}` does not apply to `referee tune`");
        scene.assert_refused(line, &message);
    }
}

#[test]
fn tuning_has_a_page_and_a_report() {
    let scene = Scene::new();
    let outcome = scene.referee(&format!("{} --html t.html", saved())).exits(0);
    let page = scene.text("t.html");
    assert!(page.contains("plus") && page.contains("minus"));
    let (_, settings) = outcome
        .stdout
        .split_once("As settings for `referee match`:\n")
        .unwrap();
    let report = scene.referee("report t.jsonl");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = format!(
        "Note: this is a tuning (`referee tune`), so its two players are the same engine with different values. \
         After 10 of 10 iterations the values are {}",
        words(settings)
    );
    assert!(words(&report.stdout).contains(&expected), "{}", report.stdout);
    scene.assert_refused(
        &format!("{} --html t.jsonl", saved()),
        "this is the file of --out",
    );
}
