//! The commonest mistakes of a first bot: the record of the lost game, or the error before
//! the first game, names the cause and an answer that works.

use lodestone_game::Variant;
use serde_json::Value;

use crate::recorded::{assert_by_rules, text};
use crate::support::{Bot, Outcome, Scene, assert_ends, assert_lacks, for_all, joined, rows};

/// The record of the only game of a bot, as first player, against `random`.
fn record(go: &str, settings: &str) -> (Value, Outcome) {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking(go));
    let players = format!("--engine cmd=./bot {settings} --engine cmd=random st=5");
    let line = format!("match {players} --games 1 --quiet --out games.jsonl");
    let outcome = scene.referee(&line).exits(0);
    (scene.records().remove(0), outcome)
}

/// What is said of a bot that waits, on a system that reports processor time.
const IDLE: &str = "it used no processor time, as a program does that waits for input, sleeps, or has not flushed its answer";

/// The answers of bots to `go`; each loses for its reason, with a detail that ends like this.
const DETAILS: &str = r#"
    echo a4 | stall | bot sent no move within 0.200 s; it wrote `a4`; an answer is `bestmove a4`
    echo Bestmove a4 | stall | it wrote `Bestmove a4`; an answer is `bestmove a4`, in lower case
    echo 'bestmove: a4' | stall | it wrote `bestmove: a4`; an answer is `bestmove a4`
    echo '> bestmove a4' | stall | it wrote `> bestmove a4`; an answer is `bestmove a4`
    echo bestmove a4 >&2 | stall
        | it wrote `bestmove a4` to standard error; an answer goes to standard output
    echo '  a b c d'; echo '8 . . . .'; echo My move: A4 | stall
        | it wrote `My move: A4`; an answer is `bestmove a4`
    echo a4; exit 0 | crash | bot ended with exit status 0; it wrote `a4`; an answer is `bestmove a4`

    sleep 60 | stall
        | bot sent no move within 0.200 s; it has written nothing since `go`: IDLE
    echo info depth 1; sleep 60 | stall | ; it wrote 1 `info` line but no `bestmove`: IDLE
    echo info depth 1; echo info depth 2; sleep 60 | stall | ; it wrote 2 `info` lines but no `bestmove`: IDLE
    printf 'Enter move: '; sleep 60 | stall
        | ; its last line, `Enter move: `, does not end with a newline; an answer is a line such as `bestmove a8`
    printf 'bestmove a4'; sleep 60 | stall | ; its last line, `bestmove a4`, does not end with a newline
    echo thinking; echo still thinking; sleep 60 | stall
        | ; it wrote 2 lines, the last of them `still thinking`; an answer is a line such as `bestmove a8`

    echo bestmove 0 3 | garbage | bot wrote `bestmove 0 3`, which is not a move: a move is a cell, such as `a8`
    echo bestmove A 4 | garbage | bot wrote `bestmove A 4`, which is not a move; an answer is `bestmove a4`
    echo 'bestmove (none)' | garbage
        | `bestmove (none)`, which is not a move: 16 legal moves can be played, such as `a8`

    printf 'Traceback (most recent call last):\n  File "bot.py", line 3\nIndexError: list index\n' >&2; exit 1
        | crash | bot ended with exit status 1; on stderr: `IndexError: list index`
    printf 'Exception in thread "main" java.lang.Error: no\n\tat Bot.main(Bot.java:3)\n' >&2; exit 1
        | crash | bot ended with exit status 1; on stderr: `Exception in thread "main" java.lang.Error: no`
    legal; exit 0 | crash | bot ended with exit status 0; it must read commands in a loop until `quit`, as `run` of the Python package does
    echo info string error: line 3 calls exit; exit 0
        | crash | bot ended with exit status 0; it reported `line 3 calls exit`
"#;

#[test]
fn lost_games_name_the_mistake_and_an_answer_that_works() {
    for_all(&rows(DETAILS), |&[go, reason, end]| {
        let settings = if reason == "stall" {
            "st=0.2"
        } else {
            "st=0.2 timemargin=5000"
        };
        let (record, _) = record(go, settings);
        let detail = text(&record, "detail");
        assert_eq!(record["reason"], reason, "{go}: {detail}");
        let end = end.replace("IDLE", IDLE);
        assert!(detail.ends_with(&end), "{go}: {detail}");
    });
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
    // The first one is read before the next `go`, the second one after it.
    let earlier = "; earlier in the game it wrote `bestmove a2` after its answer, so this may be the answer to an \
                   earlier `go`; send exactly one `bestmove` per `go`";
    let taken = "; the move was legal earlier in the game: does the bot play all the moves of `position`, and does \
                 it write one `bestmove` for each `go`?";
    let reported = "; it reported `I chose a1`";
    let late = "[ $thinks = 2 ] && touch second && sleep 60; echo bestmove a1; \
                (while [ ! -e second ]; do sleep 0.01; done; echo bestmove a1) &";
    for (st, go, reason, cause) in [
        (
            "3",
            "[ $thinks = 2 ] && echo bestmove d4; printf 'bestmove a1\\nbestmove a2\\n'",
            "illegal",
            earlier,
        ),
        (
            "0.4",
            "[ $thinks = 2 ] && sleep 0.5; printf 'bestmove a1\\nbestmove a2\\n'",
            "time",
            earlier,
        ),
        ("3", late, "illegal", taken),
        (
            "3",
            "echo info string error: I chose a1; echo bestmove a1",
            "illegal",
            reported,
        ),
    ] {
        let (record, outcome) = record(go, &format!("st={st}"));
        let detail = text(&record, "detail");
        assert_eq!(record["reason"], reason, "{go}: {detail}");
        assert_ends(detail, cause);
        if cause == earlier {
            outcome.says(
                "unexpected output from bot: `bestmove a2` (ignored). Send exactly one `bestmove` per `go`",
            );
        }
    }
}

#[test]
fn unusual_but_correct_output_is_no_mistake() {
    for go in [
        "echo board:; echo '8 x . . .'; echo debug a1 >&2; legal",
        "legal | tr 'a-h' 'A-H' | sed 's/BEstmovE/bestmove/; s/^.* /bestmove /'",
        "legal | sed 's/$/\\r/'",
        "printf 'Enter move: \\n'; legal",
    ] {
        let (record, outcome) = record(go, "st=5");
        assert_by_rules(&record);
        assert_eq!(outcome.stderr, "", "{go}");
    }
}

#[test]
fn handshake_of_another_program_is_explained() {
    let ready = |isready| Bot {
        isready,
        ..Bot::default()
    };
    let prompt = Bot {
        start: "printf 'Enter move: '",
        ..Bot::greeting(":")
    };
    for (bot, sentence) in [
        (
            Bot::greeting("echo UCIOK"),
            "`uciok` within 0.500 s; it wrote `UCIOK`; the answer is `uciok`",
        ),
        (
            Bot::greeting(":"),
            "`uciok` within 0.500 s; it has written nothing at all: ",
        ),
        (
            prompt,
            "its last line, `Enter move: `, does not end with a newline; the answer is `uciok`",
        ),
        (
            ready("echo bestmove a1"),
            "`readyok` within 0.500 s; it wrote `bestmove a1`; the answer is `readyok`",
        ),
        (
            ready(":"),
            "`readyok` within 0.500 s; it has written nothing since `isready`: ",
        ),
        (
            Bot::greeting("sleep 60"),
            "`starttime=SECONDS` gives a slow starter more time",
        ),
    ] {
        let scene = Scene::new();
        scene.bot("bot", bot);
        scene
            .referee("match ./bot random --each starttime=0.5")
            .exits(3)
            .says(sentence);
    }
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
    for [cmd, message] in rows(
        "Bot.class | `Bot.class` is a Java class; start it with the settings `cmd=java args=\"-cp . Bot\"`
         Bot.java | compile it with `javac Bot.java`, then start it with the settings `cmd=java args=\"-cp . Bot\"`
         Bot.jar | start it with the settings `cmd=java args=\"-jar Bot.jar\"`
         bot.py | start it with the settings `cmd=python3 args=\"bot.py\"`
         bot.cpp | `c++ -O2 -o ./bot bot.cpp`, and use `./bot`
         bot.exe | `bot.exe` is a Windows program; build it for this system
         ./started.py
             | has no shebang line: add `#!/usr/bin/env python3` as its first line, or start it with the settings `cmd=python3 args=
         ./crlf.sh | `./crlf.sh` has Windows line endings (CRLF)
         ./starts.sh | ; `./crlf.sh` has Windows line endings (CRLF)
         squaers | ; did you mean `squares`?",
    ) {
        scene.referee(&format!("match {cmd} random")).exits(3).says(message);
    }
    let shown = joined(&scene.referee("check ./starts.sh").exits(1).stdout);
    assert!(
        shown.contains("try `./crlf.sh` has Windows line endings (CRLF)"),
        "{shown}"
    );
    assert_lacks(scene.referee("match mycleverbot random").stderr, "did you mean");
}
