//! `--strict`: the first warning about an engine ends the match.

use crate::support::{Bot, COLUMN_A, COLUMN_H, Outcome, Scene, assert_has, joined};

/// Plays four games of this bot, which fills column a, against one that fills column h.
fn strict(scene: &Scene, bot: Bot<'_>, options: &str) -> Outcome {
    scene.bot("bot", bot);
    scene.bot("other", Bot::thinking(COLUMN_H));
    let players = format!("--engine cmd=./bot {options} --engine cmd=./other --each st=20");
    scene.referee(&format!(
        "match {players} --games 4 --quiet --out games.jsonl --strict"
    ))
}

#[test]
fn the_first_warning_ends_the_match() {
    let greeting = |uci| Bot {
        uci,
        ..Bot::thinking(COLUMN_A)
    };
    let refusing = Bot {
        isready: "echo info string ERROR: no A; echo readyok",
        ..greeting("echo option name A type string; echo uciok")
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
            "game 1: bot wrote unexpected output",
        ),
        (
            Bot::thinking("echo bestmove a$thinks; [ $thinks -eq 5 ] && exit 0"),
            "",
            2,
            "game 2: between two games, bot ended with exit status 0",
        ),
        (
            refusing,
            "option.A=1",
            1,
            "game 1: bot answered `setoption` with `info string ERROR: no A`",
        ),
        (
            greeting("echo option name UCI_Variant type list; echo uciok"),
            "",
            1,
            "game 1: bot announces option `UCI_Variant` in an unreadable line: `option name UCI_Variant type list`, \
             column 30: expected a type of option, found `list`; so it does not receive the game, magnetic-cave",
        ),
        (
            greeting("echo option name UCI_Chess960 type check default false; echo uciok"),
            "",
            1,
            "game 1: bot announces `UCI_Chess960`, so it plays chess and not magnetic-cave; give the rules of chess \
             with `--rules`",
        ),
    ] {
        let scene = Scene::new();
        let outcome = strict(&scene, bot, options).exits(1);
        assert_has(joined(&outcome.stderr), format!("--strict: {why}"));
        assert_eq!(scene.records().len(), games, "{outcome:?}");
        outcome.shows(format!("Stopped after {games} of 4 games."));
        scene.assert_no_bot_left();
    }
}

#[test]
fn a_match_without_warnings_ends_as_usual_and_a_stopped_one_resumes() {
    let scene = Scene::new();
    strict(&scene, Bot::thinking(COLUMN_A), "").succeeds();
    assert_eq!(scene.records().len(), 4);

    let scene = Scene::new();
    let bad = Bot::thinking("first_start && echo bestmove e5 || echo bestmove a$thinks");
    strict(&scene, bad, "").exits(1);
    strict(&scene, bad, "").exits(0);
    assert_eq!(scene.records().len(), 4);
}
