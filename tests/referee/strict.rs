//! `--strict`: the first warning about an engine ends the match.

use crate::support::{Bot, Outcome, Scene};

/// Plays four games of this bot, which fills column a, against one that fills column h.
fn strict(scene: &Scene, bot: Bot<'_>, options: &str) -> Outcome {
    scene.bot("bot", bot);
    scene.bot("other", Bot::thinking("echo bestmove h$thinks"));
    scene.referee(&format!(
        "match --engine cmd=./bot {options} --engine cmd=./other --each st=20 --games 4 --quiet --out games.jsonl \
         --strict"
    ))
}

#[test]
fn the_first_warning_ends_the_match() {
    let exits = Bot::thinking("echo bestmove a$thinks; [ $thinks -eq 5 ] && exit 0");
    let silent = Bot {
        uci: "echo ugiok",
        query: ":",
        ..Bot::thinking("echo bestmove a$thinks")
    };
    let refusing = Bot {
        uci: "echo option name A type string; echo uciok",
        isready: "echo info string ERROR: no A; echo readyok",
        ..Bot::thinking("echo bestmove a$thinks")
    };
    let unreadable = Bot {
        uci: "echo option name UCI_Variant type list; echo uciok",
        ..Bot::thinking("echo bestmove a$thinks")
    };
    for (bot, options, games, why) in [
        (
            Bot::thinking("echo bestmove e5"),
            "",
            1,
            "game 1: bot played e5, ",
        ),
        (
            Bot::thinking(r"printf 'bestmove a%s\nhello\n' $thinks"),
            "",
            1,
            "game 1: bot wrote out of turn",
        ),
        (
            exits,
            "",
            2,
            "game 2: bot ended with exit status 0 between two games",
        ),
        (silent, "proto=ugi", 1, "game 1: bot "),
        (
            refusing,
            "option.A=1",
            1,
            "game 1: bot answered `setoption` with `info string ERROR: no A`",
        ),
        (
            unreadable,
            "",
            1,
            "game 1: bot announces option `UCI_Variant` in an unreadable line: `option name UCI_Variant type list`, \
             column 30: expected a type of option, found `list`; so it does not receive the game, magnetic-cave",
        ),
    ] {
        let scene = Scene::new();
        let outcome = strict(&scene, bot, options);
        let stderr = outcome.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(outcome.status, Some(1), "{outcome:?}");
        assert!(stderr.contains(&format!("--strict: {why}")), "{why}: {stderr}");
        assert_eq!(scene.records().len(), games, "{outcome:?}");
        let stopped = format!("Stopped after {games} of 4 games.");
        assert!(outcome.stdout.contains(&stopped), "{}", outcome.stdout);
        scene.assert_no_bot_left();
    }
}

#[test]
fn a_match_without_warnings_ends_as_usual() {
    let scene = Scene::new();
    strict(&scene, Bot::thinking("echo bestmove a$thinks"), "").succeeds();
    assert_eq!(scene.records().len(), 4);
}

#[test]
fn a_stopped_match_resumes_behind_the_warning() {
    let scene = Scene::new();
    let bad = Bot::thinking("first_start && echo bestmove e5 || echo bestmove a$thinks");
    assert_eq!(strict(&scene, bad, "").status, Some(1));
    strict(&scene, bad, "").exits(0);
    assert_eq!(scene.records().len(), 4);
}
