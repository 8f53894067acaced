//! `referee tune`: an engine with a known best value, resuming, and refused commands.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::recorded::{assert_complete, games};
use crate::support::{
    Bot, Scene, assert_has, assert_has_all, assert_rows, assert_starts, example, expect, joined, json_lines,
    wait_until,
};

/// A tuning of the example engine.
fn tuning(options: &str) -> String {
    let engine = example("tunable");
    let engine = engine.display();
    format!("tune --engine cmd={engine} st=60 --openings random:4 --seed 3 {options}")
}

/// A tuning with a file, of 10 iterations in batches of two.
fn saved() -> String {
    let parameters = "--param Skill=80,0,100,8,0.05 --param Placebo=5,0,9,1,0.05";
    tuning(&format!("{parameters} --iterations 10 --batch 2 --out t.jsonl"))
}

/// The end of the output: the table and the settings.
fn result(stdout: &str) -> &str {
    let start = stdout.find("  Parameter").unwrap_or_else(|| panic!("{stdout}"));
    &stdout[start..]
}

/// The settings of a finished tuning.
fn settings(stdout: &str) -> &str {
    stdout.split_once("As settings for `referee match`:\n").unwrap().1
}

#[test]
fn values_do_not_depend_on_the_number_of_parallel_games() {
    let [one, other] = [1, 5].map(|slots| {
        let scene = Scene::new();
        let outcome = scene
            .referee(&format!("{} --concurrency {slots} --json", saved()))
            .exits(0);
        if slots > 1 {
            outcome.says(
                expect! {"--concurrency 5: a batch has 4 games, so the other slots wait; --batch 3 uses all"},
            );
        }
        let mut events = json_lines(&outcome.stdout);
        let last = events.pop().unwrap();
        assert_eq!(last["event"], "tuned");
        let tunings = events.iter().filter(|event| event["event"] == "tuning");
        assert_eq!(tunings.count(), 5);
        (last, games(&scene, "t.jsonl"))
    });
    assert_eq!(one, other);
    let values = &one.0["values"];
    assert!(values["Skill"].as_f64().unwrap() < 80.0, "{values}");
}

#[test]
fn refuses_to_resume_another_tuning() {
    let scene = Scene::new();
    scene.referee(&saved()).exits(0);
    let before = scene.text("t.jsonl");
    let table = expect![[r#"
        --iterations 10 | --iterations 11 | --iterations was 10, now 11
        --batch 2 | --batch 1 | --batch was 2, now 1
        Skill=80, | Skill=70, | --param was Skill=80,
        --param Placebo=5,0,9,1,0.05 | | --param was
        --batch 2 | --batch 2 --alpha 0.5 | --alpha was 0.602, now 0.5
        --seed 3 | --seed 4 | --seed was 3, now 4
        st=60 | st=61 | st of `plus` was 60, now 61
    "#]];
    assert_rows(table, |[part, replacement]| {
        scene.refused(&saved().replace(part, replacement))
    });
    let words = format!("{0} {0}", example("tunable").display());
    scene.assert_refused(
        &format!("match {words} --out t.jsonl"),
        expect! {"it holds another match"},
    );
    assert_eq!(scene.text("t.jsonl"), before);
}

#[test]
fn wrong_commands_are_refused_before_the_first_game() {
    let scene = Scene::new();
    scene.file("notes.svg", "not a picture");
    let table = expect![[r#"
        --param Skil=80,0,100,8 | the engine announces no option `Skil`; did you mean `Skill`?
        --param Skill=80,0,101,8 | announces `Skill` from 0 to 100, but --param has 0 to 101
        --batch 1 | --param
        SKILL --param skill=1,0,9,1 | --param skill is given twice
        SKILL --each option.SKILL=4 | is tuned by --param and set by `option.Skill`
        SKILL --each name=x | `name=x` does not apply
        SKILL --games 10 | --games does not apply to `referee tune`; --iterations N
        SKILL --sprt elo0=0 elo1=5 | --sprt does not apply to `referee tune`
        SKILL --engines folder | --engines does not apply to `referee tune`
        SKILL --engine cmd=random | `tune` takes one engine, which plays against itself, but found 2
        SKILL --iterations 0 | expected a whole number from 1 to 10000000
        SKILL --alpha 0 | expected a number greater than 0 and at most 1
        SKILL --plot notes.svg | is not an SVG file, so it is not overwritten
    "#]];
    assert_rows(table, |[options]| {
        let options = options.replacen("SKILL", "--param Skill=80,0,100,8", 1);
        let error = scene.refused(&tuning(&format!("{options} --out t.jsonl")));
        assert!(!scene.path("t.jsonl").exists(), "{options}");
        error
    });
    scene.assert_refused(
        "tune human --param A=1,0,9,1",
        expect! {"a human player has no options to tune"},
    );
    scene.assert_refused(
        "tune --param A=1,0,9,1",
        expect! {"`tune` takes one engine, which plays against itself, but found 0"},
    );
    assert_eq!(scene.text("notes.svg"), "not a picture");
}

#[test]
fn options_are_set_between_games() {
    for (restart, processes, settings) in [("", 3, 4), ("restart=on", 9, 8)] {
        let scene = Scene::new();
        let uci = "echo option name A type spin default 5 min 0 max 9; echo uciok";
        let go = "echo info depth 1 score cp 0; legal";
        scene.bot(
            "bot",
            Bot {
                uci,
                ..Bot::thinking(go)
            },
        );
        let line =
            format!("tune ./bot --each st=10 {restart} --param A=5,0,9,1,0.1 --iterations 2 --out t.jsonl");
        let outcome = scene.referee(&format!("{line} --draw movenumber=2 movecount=1 score=10"));
        outcome.exits(0).says("without --openings");
        // The first process is asked for its options only.
        assert_eq!(scene.processes("bot").len(), processes, "{restart}");
        let received = scene.received("bot");
        let values: Vec<&String> = received
            .iter()
            .filter(|line| line.starts_with("setoption name A value "))
            .collect();
        // Two players, four games. A process keeps its value for the second game of a pair.
        assert_eq!(
            (scene.count("bot", "ucinewgame"), values.len()),
            (8, settings),
            "{received:?}"
        );
        assert!(values.iter().any(|line| line.ends_with(['6', '7'])), "{values:?}");
        assert!(values.iter().any(|line| line.ends_with(['3', '4'])), "{values:?}");
    }
}

#[test]
fn options_may_come_from_a_file() {
    let scene = Scene::new();
    let engine = example("tunable").display().to_string();
    let file = format!("seed = 7\nopenings = 'random:4'\n[[engine]]\ncmd = '{engine}'\nst = 60\n");
    scene.file("match.toml", &file);
    let line = "tune --config match.toml --param Skill=80,0,100,8 --iterations 1";
    for (name, options, seed) in [("a.jsonl", "", 7), ("b.jsonl", "--seed 8", 8)] {
        scene.referee(&format!("{line} --out {name} {options}")).exits(0);
        let header = &scene.results(name)[0];
        assert_eq!(header["seed"], seed, "{header}");
        assert_eq!(header["engines"][0]["cmd"], Value::from(engine.as_str()));
    }
    scene.file(
        "tune.toml",
        &format!("param = 'Skill=80,0,100,8'\niterations = 1\n{file}"),
    );
    scene.referee("tune --config tune.toml --out c.jsonl").exits(0);
    scene.assert_refused(
        "tune --config match.toml",
        expect! {"--param <NAME=START,MIN,MAX,C_END[,R_END]>"},
    );
    for (name, value) in [
        ("games", "4"),
        ("reverse", "true"),
        ("sprt", "{ elo0 = 0, elo1 = 5 }"),
    ] {
        scene.file("match.toml", &format!("{name} = {value}\n{file}"));
        scene.assert_refused(line, format!("match.toml, line 1: `{name}` "));
        scene.assert_refused(line, expect! {"does not apply to `referee tune`"});
    }
}

#[test]
fn tuning_has_a_page_and_a_report() {
    let scene = Scene::new();
    let shown = scene
        .referee(&format!("{} --html t.html", saved()))
        .exits(0)
        .stdout;
    assert_has_all(scene.text("t.html"), ["plus", "minus"]);
    let expected = format!(
        "Note: this is a tuning (`referee tune`), so its two players are the same engine with different values. \
         After 10 of 10 iterations the values are {}",
        joined(settings(&shown))
    );
    assert_has(joined(&scene.referee("report t.jsonl").stdout), expected);
    let message = "this is the file of --out";
    scene.assert_refused(&format!("{} --html t.jsonl", saved()), message);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn finds_the_best_value_of_an_engine() {
        let scene = Scene::new();
        let options = "--iterations 150 --concurrency 2 --plot t.svg ";
        let line = tuning(&format!("--param skill=80,0,100,10,0.12 {options}"));
        let shown = scene.referee(&line).exits(0).stdout;
        let settings = settings(&shown).trim();
        // The name is spelled as the engine announces it.
        let value: i64 = settings.strip_prefix("option.Skill=").unwrap().parse().unwrap();
        assert!((15..=45).contains(&value), "{shown}");
        assert_has(&shown, expect! {"150 of 150 iterations, 300 games; plus won"});
        let progress: Vec<&str> = shown
            .lines()
            .filter(|line| line.contains(" of 300 games | "))
            .collect();
        assert_eq!(progress.len(), 29, "{shown}");
        assert_has(progress[0], "| Skill ");
        let plot = scene.text("t.svg");
        assert_starts(&plot, "<svg ");
        assert_has_all(&plot, ["150 of 150 iterations", ">Skill: ", ">start<"]);
        // The settings can be used in a match.
        let engine = format!("--engine cmd={} name=a {settings}", example("tunable").display());
        scene
            .referee(&format!(
                "match {engine} --engine cmd=random --each st=60 --quiet"
            ))
            .exits(0);
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn resumed_tuning_equals_an_uninterrupted_one() {
        let scene = Scene::new();
        let whole = scene.referee(&saved()).exits(0).stdout;
        let expected = games(&scene, "t.jsonl");
        assert_complete(&expected, 20);
        let text = scene.text("t.jsonl");
        let resumes = |lines: usize| {
            let resumed = scene.referee(&saved()).exits(0).stdout;
            assert_eq!(result(&resumed), result(&whole), "{lines}");
            assert_eq!(games(&scene, "t.jsonl"), expected, "{lines}");
            resumed
        };
        // After each number of games; the last line may be torn, as after a crash.
        for (lines, torn) in [(0, ""), (1, "{\"id\":2,"), (4, ""), (7, "{"), (19, "")] {
            let kept: String = text.split_inclusive('\n').take(1 + lines).collect();
            scene.file("t.jsonl", &format!("{kept}{torn}"));
            resumes(lines);
        }
        // After an interrupt.
        scene.remove("t.jsonl");
        let referee = scene.start(&saved());
        let lines = || fs::read_to_string(scene.path("t.jsonl")).map_or(0, |text| text.lines().count());
        wait_until("three games", || lines() > 3);
        let outcome = referee.end_by(Signal::INT).exits(130);
        outcome.shows(expect! {"run the same command again to resume"});
        assert_has(resumes(lines()), "resuming");
        // A finished tuning shows its result again, and other records give other values.
        assert_has(resumes(20), "nothing is left to play");
        scene.file("t.jsonl", &text.replace("\"1-0\"", "\"0-1\""));
        assert_ne!(result(&scene.referee(&saved()).stdout), result(&whole));
    }
}
