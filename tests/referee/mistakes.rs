//! Mistakes of a first bot that depend on its game or its file; the zoo has the others. What is said names the cause, and
//! what works.

use expect_test::expect;
use lodestone_game::Variant;
use serde_json::Value;

use crate::recorded::text;
use crate::support::{Bot, Outcome, Scene, assert_ends, joined};
use crate::zoo::redacted;

/// The record of the only game of a bot, as first player, against `random`.
fn record(go: &str, settings: &str) -> (Value, Outcome) {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking(go));
    let players = format!("--engine cmd=./bot {settings} --engine cmd=random st=5");
    let line = format!("match {players} --games 1 --quiet --out games.jsonl");
    let outcome = scene.referee(&line).exits(0);
    (scene.records().remove(0), outcome)
}

#[test]
fn bot_for_the_other_game_learns_what_a_move_is() {
    let scene = Scene::new();
    scene.file("book", "startpos\n");
    let line = "match ./bot random --variant gridlock --games 1 --openings book --out games.jsonl --quiet";
    let play = |mv: &str| {
        scene.bot("bot", Bot::thinking(&format!("echo bestmove {mv}")));
        scene.remove("games.jsonl");
        scene.referee(line).exits(0);
        text(&scene.records()[0], "detail").to_string()
    };
    let detail = play("b2");
    let known = "bot wrote `bestmove b2`, which is not a move: a move is two cells, from and to, such as `";
    let example = detail.strip_prefix(known).expect(&detail).trim_end_matches('`');
    let is_legal = Variant::Gridlock.startpos().parse_move(example).is_ok();
    assert!(example.starts_with("b2") && is_legal, "{detail}");

    let expected = "bot wrote `bestmove b2-b1`, which is not a move; an answer is `bestmove b2b1`";
    assert_eq!(play("b2-b1"), expected);
    assert_ends(play("a5a6"), "; in this game it is the first player, X");
}

#[test]
fn second_answer_is_named_where_it_hurts() {
    let late = "[ $thinks = 2 ] && touch second && sleep 60; echo bestmove a1; \
                (while [ ! -e second ]; do sleep 0.01; done; echo bestmove a1) &";
    let two = "printf 'bestmove a1\\nbestmove a2\\n'";
    let mut said = String::new();
    for (st, go, reason) in [
        (
            "3",
            &*format!("[ $thinks = 2 ] && echo bestmove d4; {two}"),
            "illegal",
        ),
        ("0.4", &*format!("[ $thinks = 2 ] && sleep 0.5; {two}"), "time"),
        ("3", late, "illegal"),
    ] {
        let (record, outcome) = record(go, &format!("st={st}"));
        assert_eq!(record["reason"], reason, "{go}: {record}");
        let detail = redacted(text(&record, "detail"));
        let cause = &detail[detail.find("; ").unwrap()..];
        said += &[reason, cause, "\n", &outcome.messages()].concat();
    }
    expect![[r#"
        illegal; earlier in the game it wrote `bestmove a2` after its answer, so this may be the answer to an earlier `go`; send exactly one `bestmove` per `go`
        referee: warning: unexpected output from bot: `bestmove a2` (ignored). Send exactly one `bestmove` per `go`
        time; earlier in the game it wrote `bestmove a2` after its answer, so this may be the answer to an earlier `go`; send exactly one `bestmove` per `go`
        referee: warning: unexpected output from bot: `bestmove a2` (ignored). Send exactly one `bestmove` per `go`
        illegal; the move was legal earlier in the game: does the bot play all the moves of `position`, and does it write one `bestmove` for each `go`?
    "#]].assert_eq(&said);
}

#[test]
fn file_that_is_not_a_program_is_explained() {
    let scene = Scene::new();
    for (name, content) in [
        ("Bot.class", "\u{ca}\u{fe}"),
        ("Bot.java", "class Bot {}"),
        ("Bot.jar", "PK"),
        ("bot.py", "import sys\n"),
        ("bot.cpp", "int main() {}\n"),
        ("bot.exe", "MZ\0"),
    ] {
        scene.file(name, content);
    }
    scene.script("started.py", "import sys\n");
    scene.script("crlf.sh", "#!/bin/sh\r\necho uciok\r\n");
    scene.script("starts.sh", "#!/bin/sh\nexec \"./crlf.sh\"\n");
    let mut said = String::new();
    for cmd in "Bot.class Bot.java Bot.jar bot.py bot.cpp bot.exe ./started.py ./crlf.sh squaers mycleverbot"
        .split(' ')
    {
        let outcome = scene.referee(&format!("match {cmd} random")).exits(3);
        said += &redacted(&outcome.stderr);
    }
    expect![[r#"
        referee: Bot cannot be started: `Bot.class` is a Java class; start it with the settings `cmd=java args="-cp . Bot"`
        referee: Bot cannot be started: `Bot.java` is Java source code; compile it with `javac Bot.java`, then start it with the settings `cmd=java args="-cp . Bot"`
        referee: Bot cannot be started: `Bot.jar` is a Java archive; start it with the settings `cmd=java args="-jar Bot.jar"`
        referee: bot cannot be started: `bot.py` has no shebang line: add `#!/usr/bin/env python3` as its first line, or start it with the settings `cmd=python3 args="bot.py"`
        referee: bot cannot be started: `bot.cpp` is C++ source code; compile it, for example with `c++ -O2 -o ./bot bot.cpp`, and use `./bot`
        referee: bot cannot be started: `bot.exe` is a Windows program; build it for this system
        referee: started cannot be started: `started.py` has no shebang line: add `#!/usr/bin/env python3` as its first line, or start it with the settings `cmd=python3 args="started.py"`
        referee: crlf cannot be started: `./crlf.sh` has Windows line endings (CRLF), so the system cannot find the interpreter in its shebang line; `sed -i 's/\r$//' ./crlf.sh` removes them
        referee: squaers cannot be started: `squaers` is neither a file nor a program in PATH nor a built-in player; did you mean `squares`?
          built-in players: lodestone, groups, squares, random, plain, mobility, mcts
        referee: mycleverbot cannot be started: `mycleverbot` is neither a file nor a program in PATH nor a built-in player
          built-in players: lodestone, groups, squares, random, plain, mobility, mcts
    "#]].assert_eq(&said);
    let shown = joined(&scene.referee("check ./starts.sh").exits(1).stdout);
    assert!(
        shown.contains("try `./crlf.sh` has Windows line endings (CRLF)"),
        "{shown}"
    );
}
