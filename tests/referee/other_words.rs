//! What engines say otherwise than UCI, and what the referee says of them: scores, passes, protocols, last words.

use serde_json::Value;

use crate::recorded::text;
use crate::support::{
    Scene, assert_has, assert_lacks, assert_rows, assert_rows_by, assert_starts, expect, run,
};

/// Rules in which both sides pass once, and then take the cells of a row in turn. `pass` and the cells are arguments.
const ROW: &str = r#"
import sys
from referee.rules import DRAW, run

class Row:
    passing, *cells = sys.argv[1].split(",")

    def start(self):
        return ()

    def turn(self, moves):
        return len(moves) % 2 == 0

    def moves(self, moves):
        if self.passing and len(moves) < 2:
            return [self.passing]
        return [cell for cell in self.cells if cell not in moves]

    def play(self, moves, move):
        return (*moves, move)

    def result(self, moves):
        return "*" if self.moves(moves) else DRAW

    def grid(self, moves):
        return list("abcdefghijkl"), ["1"], ["." for _ in range(12)]

run(Row())
"#;

/// A game by these rules of `./engine`, a Python script, against random moves.
fn game(engine: &str, row: &str, settings: &[&str], is_first: bool) -> (Scene, Value) {
    let scene = Scene::new();
    scene.file("row.py", ROW);
    scene.script("engine", &format!("#!/usr/bin/env python3\n{engine}"));
    let engine = [&["--engine", "cmd=./engine"], settings].concat();
    let random = vec!["--engine", "cmd=random"];
    let players = if is_first {
        [engine, random]
    } else {
        [random, engine]
    };
    let mut command = scene.command("match --games 1 --quiet --out games.jsonl");
    command
        .args(players.concat())
        .args(["--rules", "cmd=python3", &format!("args=row.py {row}")])
        .args(["--each", "timemargin=20000"])
        .env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/../python"));
    run(&mut command, "").exits(0);
    let record = scene.records().remove(0);
    (scene, record)
}

/// An engine of UGI or UAI that takes the first cell left, and only knows `0000` as a pass.
const ZEROS: &str = r#"
import sys
word, *cells = sys.argv[1:]
moves = []
for line in sys.stdin:
    print(line, end="", file=open("engine.received", "a"))
    words = line.split() or [""]
    if words[0] == word: print("id name e\n" + word + "ok", flush=True)
    elif words[0] == "isready": print("readyok", flush=True)
    elif words[0] == "position": moves = [mv for mv in words[3:] if mv in cells or mv == "0000"]
    elif words[0] == "go":
        free = [cell for cell in cells if cell not in moves]
        print("bestmove", "0000" if moves.count("0000") < 2 else free[0], flush=True)
    elif words[0] == "quit": break
"#;

#[test]
fn an_engine_passes_with_zeros_whatever_the_rules_call_a_pass() {
    for (passing, protocol, is_first) in [
        ("pass", "ugi", true),
        ("0000", "ugi", false),
        ("PASS", "uai", false),
        ("0000", "uai", true),
    ] {
        let settings = [
            format!("proto={protocol}"),
            format!("args={protocol} a1 b1 c1 d1"),
        ];
        let settings = settings.each_ref().map(String::as_str);
        let (scene, record) = game(ZEROS, &format!("{passing},a1,b1,c1,d1"), &settings, is_first);
        assert_eq!(text(&record, "reason"), "rules", "{protocol}: {record}");
        assert_eq!(record["moves"][0], passing);
        if protocol == "uai" {
            let received = scene.received("engine");
            let sent = |line: &str| received.iter().any(|known| known == line);
            assert!(sent("uainewgame") && received.iter().any(|line| line.starts_with("go movetime ")));
            assert!(is_first || sent("position startpos moves 0000"), "{received:?}");
        }
    }
}

#[test]
fn who_can_only_pass_is_told_so() {
    let engine = r#"
import sys
for line in sys.stdin:
    if line == "uci\n": print("uciok", flush=True)
    elif line == "isready\n": print("readyok", flush=True)
    elif line.startswith("go"): print("bestmove a1", flush=True)
"#;
    let (_, record) = game(engine, "pass,a1,b1", &[], true);
    let detail = "engine played a1, which is illegal: the position has 1 legal move: pass; it has to pass here, with `pass`";
    assert_eq!(text(&record, "detail"), detail);
}

/// An engine of GTP whose responses end with the next one, and which knows only some commands.
const TERSE: &str = r#"
import sys
cells = sys.argv[1].split(",")
taken = []
for line in sys.stdin:
    print(line, end="", file=open("engine.received", "a"))
    words = line.split()
    answer = ""
    if words[0] == "list_commands": answer = "play\ngenmove\ntime_left\nlevel"
    elif words[0] == "play": taken.append(words[2])
    elif words[0] == "clear_board": taken = []
    elif words[0] == "genmove":
        answer = "pass" if len(taken) < 2 else next(cell for cell in cells if cell not in taken)
        taken.append(answer)
    print("= " + answer, flush=True)
    if words[0] == "quit": break
"#;

#[test]
fn a_response_of_gtp_needs_no_empty_line_and_init_begins_each_game() {
    // Column i is J in GTP.
    let settings = [
        "proto=gtp",
        "option.size=19",
        "option.Init=level 3\\nlevel 4",
        "args=A1,J1",
        "tc=60",
    ];
    let (scene, record) = game(TERSE, "pass,a1,i1", &settings, false);
    assert_eq!(text(&record, "reason"), "rules", "{record}");
    let received = scene.received("engine");
    let from = received
        .iter()
        .position(|line| line.starts_with("boardsize"))
        .unwrap();
    let expected = [
        "boardsize 19",
        "clear_board",
        "level 3",
        "level 4",
        "play b pass",
        "time_left w 60 0",
        "genmove w",
    ];
    assert_eq!(received[from..from + expected.len()], expected);
}

#[test]
fn an_illegal_move_is_quoted_as_the_engine_wrote_it() {
    let (_, record) = game(TERSE, "pass,a1,i1,b1", &["proto=gtp", "args=K1"], true);
    let detail = text(&record, "detail");
    assert_starts(detail, "engine played j1, which is illegal");
    assert!(detail.ends_with("; it wrote `= K1`"), "{detail}");
}

#[test]
fn a_protocol_is_recognised_by_its_answer() {
    let scene = Scene::new();
    let table = expect![[r#"
        gtp ¦ while read x; do printf '? unknown command\n\n'; done
            ¦ it has written `? unknown command`, as programs do that speak GTP: add `proto=gtp`
        xboard ¦ while read x; do echo "Error (unknown command): $x"; done
            ¦ it has written `Error (unknown command): uci`, as programs do that speak XBoard: add `proto=xboard`
        usi ¦ while read x; do [ $x != usi ] || echo usiok; done
            ¦ it has written `usiok`, as programs do that speak USI: add `proto=usi`
        gomocup ¦ while read x; do case $x in ABOUT) echo 'name="Brain"';; *) echo UNKNOWN;; esac; done
            ¦ it has written `name="Brain"`, as programs do that speak Gomocup: add `proto=gomocup`
    "#]];
    assert_rows_by('¦', table, |[name, script]| {
        scene.script(name, &format!("#!/bin/sh\n{script}\n"));
        let line =
            format!("match --engine cmd=./{name} --engine cmd=random --each starttime=1 --games 1 --quiet");
        let error = scene.referee(&line).exits(3).stderr;
        let line = format!("check --only handshake --each starttime=1 -- ./{name}");
        scene
            .referee(&line)
            .exits(1)
            .shows(format!("check it with `--proto {name}`"));
        error
    });
}

#[test]
fn a_message_about_a_bridged_engine_has_the_words_of_its_protocol() {
    let scene = Scene::new();
    scene.script("engine", "#!/bin/sh\nread x; read y\n");
    scene.script("silent", "#!/bin/sh\nsleep 60\n");
    scene.script("begun", "#!/bin/sh\nread x; printf '= 2'; sleep 60\n");
    let table = expect![[r#"
        silent | it sent no answer to `protocol_version` within 1.000 s
        begun | its last line, `= 2`, does not end with a newline
    "#]];
    assert_rows(table, |[name]| {
        let line = format!(
            "match --engine cmd=./{name} proto=gtp --engine cmd=random --each starttime=1 --games 1 --quiet"
        );
        let outcome = scene.referee(&line).exits(3);
        assert_lacks(&outcome.stderr, "uci");
        outcome.stderr
    });
    scene
        .referee("check --only handshake --proto gtp --each starttime=1 -- ./silent")
        .exits(1)
        .shows(expect! {"an answer to `protocol_version` within 1 s"});
}

#[test]
fn the_last_words_of_an_engine_are_quoted_wherever_it_wrote_them() {
    let greet =
        "read x; echo uciok; read x; echo readyok; while read x; do case $x in isready) echo readyok;;";
    let table = expect![[r#"
        echo 'info string ERROR: no net.bin'; echo 'info string ERROR: The engine will be terminated now.'; exit 1 | at its start
            | ended with exit status 1; it reported `no net.bin`
        echo 'PHP Fatal error: no board'; exit 255 | at its start
            | ended with exit status 255; it wrote `PHP Fatal error: no board`
        echo thinking; echo 'KeyError: 3' >&2; exit 1 | at its start
            | ended with exit status 1; on stderr: `KeyError: 3`
        echo 'info string Error: no net.bin'; exit 0 | in a game
            | ended with exit status 0; it reported `no net.bin`
        echo 'Traceback: no board'; exit 1 | in a game | ended with exit status 1; it wrote `Traceback: no board`
        echo thinking; exit 0 | in a game
            | ended with exit status 0; it must read commands in a loop until `quit`, as `run` of the Python package does
    "#]];
    assert_rows(table, |[script, place]| {
        let scene = Scene::new();
        let is_at_start = place == "at its start";
        let body = if is_at_start {
            script.to_string()
        } else {
            format!("{greet} go*) {script};; esac; done")
        };
        scene.script("engine", &format!("#!/bin/sh\n{body}\n"));
        let line = "match ./engine random --each st=9 --games 1 --quiet --out games.jsonl";
        let outcome = scene.referee(line);
        if is_at_start {
            outcome.exits(3).stderr
        } else {
            text(&scene.records()[0], "detail").to_string()
        }
    });
}

/// A program behind a `Bridge` of the Python package that sends its answer without a newline.
#[test]
fn what_a_program_behind_a_bridge_has_begun_is_quoted() {
    let scene = Scene::new();
    scene.file(
        "child.py",
        "import sys\nfor line in sys.stdin: print('{\"move\": \"a8\"}', end='', flush=True)\n",
    );
    scene.script(
        "engine",
        "#!/usr/bin/env python3\nimport sys\nfrom referee import Bridge\nclass Ask(Bridge):\n    \
         command = [sys.executable, 'child.py']\n    def ask(self, position, seconds):\n        \
         self.send('your turn')\n        return self.receive()\nAsk().run()\n",
    );
    let mut command = scene.command("match ./engine random --each st=2 --games 1 --quiet --out games.jsonl");
    command.env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/../python"));
    run(&mut command, "").exits(0);
    let record = scene.records().remove(0);
    let detail = text(&record, "detail");
    assert_has(
        detail,
        expect![[r#"its last line, `{"move": "a8"}`, does not end with a newline"#]],
    );
}
