//! `referee new-bot` and `new-rules`: a bot and a game to start from.

use crate::recorded::column;
use crate::support::{Outcome, Scene, assert_has, assert_has_all, assert_starts, joined, run};

/// The languages, each with its source file.
const LANGUAGES: [(&str, &str); 6] = [
    ("c", "bot.c"),
    ("cpp", "bot.cpp"),
    ("java", "Bot.java"),
    ("javascript", "bot.js"),
    ("python", "bot.py"),
    ("rust", "bot.rs"),
];

/// The sentence about a bot that comes with the module.
const MODULE: &str = "The folder referee is the Python package; leave it unchanged.\n";

/// Runs the referee where no programming language is installed.
fn without_tools(scene: &Scene, line: &str) -> Outcome {
    run(scene.command(line).env("PATH", scene.path("")), "")
}

#[test]
fn writes_a_bot_in_each_language_and_shows_the_next_commands() {
    let scene = Scene::new();
    for (language, file) in LANGUAGES {
        let outcome = scene
            .referee(&format!("new-bot {language} course/{language}"))
            .exits(0);
        let folder = format!("course/{language}");
        let module = if language == "python" { MODULE } else { "" };
        let expected = format!(
            "Wrote a bot ({language}) to ./{folder}: {file} and the script run.\n\
             {module}Improve `evaluate` and `search` in {file}.\n\
             \n\
             Start it once (this compiles it if its language needs that):\n\
             \x20 echo uci | ./{folder}/run\n\
             Check it:\n\
             \x20 referee check ./{folder}\n\
             Play ten games:\n\
             \x20 referee match ./{folder} random --each st=0.5 --games 10 --openings random:2\n"
        );
        assert_eq!(outcome.stdout, expected);
        assert!(scene.path(&folder).join(file).is_file());
    }
}

#[test]
fn bot_in_python_is_a_single_file_on_request() {
    let scene = Scene::new();
    let outcome = scene.referee("new-bot python one --single-file").succeeds();
    assert!(!outcome.stdout.contains(MODULE));
    assert!(!scene.path("one/referee").exists());
    let template = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/bots/python/bot.py");
    assert_eq!(
        scene.text("one/bot.py"),
        std::fs::read_to_string(template).unwrap()
    );
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules/nim.py");
    scene
        .referee(&format!("new-bot python nim --single-file --rules {game}"))
        .succeeds();
    assert_has(
        scene.text("nim/bot.py"),
        "def choose(start, moves, milliseconds):",
    );
    assert!(!scene.path("nim/referee").exists());
    scene.referee("new-bot python both").succeeds();
    if has_python() {
        // Both bots search alike: with other colours, they play the same game again.
        let line = "match ./one ./both --each st=60 depth=2 --openings random:6 --quiet --out games.jsonl";
        scene.referee(line).exits(0);
        let records = scene.records();
        assert_eq!(records[0]["moves"], records[1]["moves"]);
        assert_eq!(records[0]["reason"], "full");
    }
}

/// The test needs no programming language: the script of one submission is replaced.
#[test]
fn folder_is_a_submission_for_a_tournament() {
    let scene = Scene::new();
    for name in ["a", "b"] {
        scene.referee(&format!("new-bot py course/{name}")).exits(0);
        // The file stays executable.
        let script = format!(
            "#!/bin/sh\nexec '{}' builtin random\n",
            env!("CARGO_BIN_EXE_referee")
        );
        scene.file(&format!("course/{name}/run"), &script);
    }
    scene
        .referee("match --engines course --each st=5 --quiet --out games.jsonl")
        .exits(0);
    let records = scene.records();
    assert_eq!(column(&records, "first"), ["a", "b"]);
    assert_eq!(column(&records, "second"), ["b", "a"]);
}

#[test]
fn names_the_missing_tools_in_a_note() {
    let scene = Scene::new();
    let outcome = without_tools(&scene, "new-bot java one").exits(0);
    let note = "`javac` and `java` are not installed here; the bot needs a Java development kit";
    assert_has(joined(&outcome.stderr), note);
    assert_starts(&outcome.stdout, "Wrote a bot (java) to ./one: ");
    scene.script("node", "#!/bin/sh\n");
    without_tools(&scene, "new-bot js two").succeeds();
}

#[test]
fn overwrites_no_file() {
    let scene = Scene::new();
    scene.file("taken", "mine");
    scene.folder("empty");
    scene.referee("new-bot c empty").exits(0);
    let source = scene.text("empty/run");
    for (folder, what) in [("taken", "is a file"), ("empty", "is not empty")] {
        let outcome = scene.referee(&format!("new-bot python {folder}")).exits(2);
        let message = format!("{folder} {what}; choose a new folder, so that nothing is overwritten");
        assert_has(joined(&outcome.stderr), message);
        assert_eq!(outcome.stdout, "");
    }
    assert_eq!([scene.text("taken"), scene.text("empty/run")], ["mine", &source]);
    assert!(!scene.path("empty/bot.py").exists());
}

#[test]
fn unknown_language_gets_a_suggestion_and_all_names() {
    let scene = Scene::new();
    let message = joined(&scene.referee("new-bot pyton mybot").exits(2).stderr);
    assert_has(&message, "unknown language `pyton`; did you mean `python`?");
    assert_has_all(&message, LANGUAGES.map(|(language, _)| language));
    assert!(!scene.path("mybot").exists());
}

/// Whether this machine has Python.
fn has_python() -> bool {
    let version = std::process::Command::new("python3").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

/// What a program writes for these lines.
fn dialogue(scene: &Scene, program: &str, lines: &str) -> Vec<String> {
    let mut command = std::process::Command::new(scene.path(program));
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    let outcome = run(&mut command, lines).exits(0);
    outcome.stdout.lines().map(str::to_string).collect()
}

#[test]
fn new_rules_is_a_game_with_a_bot() {
    let scene = Scene::new();
    let outcome = scene.referee("new-rules mygame").exits(0);
    let commands = "Check the rules:\n\
         \x20 referee rules ./mygame/game.py\n\
         Check the bot:\n\
         \x20 referee check --rules ./mygame/game.py ./mygame\n\
         Play ten games:\n\
         \x20 referee match ./mygame random --each st=0.5 --games 10 --rules ./mygame/game.py\n";
    let expected = format!(
        "Wrote a game to ./mygame: game.py with the rules, referee for the protocol, bot.py and its script run, \
         and README.md.\nChange the rules in game.py, and `choose` in bot.py.\n\n{commands}"
    );
    assert_eq!(outcome.stdout, expected);
    assert_has(scene.text("mygame/README.md"), "\n  referee rules ./game.py\n");
    let outcome = scene.referee("new-rules mygame").exits(2);
    assert_has(
        joined(&outcome.stderr),
        "mygame is not empty; choose a new folder",
    );
    if !has_python() {
        return;
    }
    scene
        .referee("rules mygame/game.py --games 10")
        .succeeds()
        .shows("perft           9 72 504 3024\n");
    // The bot completes its line.
    let lines = "uci\nposition startpos moves a1 b1 a2 b2\ngo movetime 100\nquit\n";
    let answers = dialogue(&scene, "mygame/run", lines);
    let author = "id author unknown";
    let ponder = "option name Ponder type check default false";
    let side = "option name UCI_Side type combo default none var none var p1 var p2";
    assert_eq!(
        answers,
        ["id name MyBot", author, ponder, side, "uciok", "bestmove a3"]
    );
}

#[test]
fn new_rules_in_rust_compile_without_warnings_and_pass_the_checks() {
    let scene = Scene::new();
    let outcome = scene.referee("new-rules mygame --language rust").exits(0);
    assert_has(
        &outcome.stdout,
        "  cargo build --release --manifest-path ./mygame/Cargo.toml\n",
    );
    assert_has(
        scene.text("mygame/README.md"),
        "\n  referee rules ./target/release/mygame\n",
    );
    scene.assert_refused(
        "new-rules other --language java",
        "the languages are python, rust",
    );
    let mut build = std::process::Command::new("cargo");
    build.args([
        "build",
        "--offline",
        "--target-dir",
        "mygame/target",
        "--manifest-path",
        "mygame/Cargo.toml",
    ]);
    build.current_dir(scene.path("")).env("RUSTFLAGS", "-D warnings");
    run(&mut build, "").exits(0);
    scene
        .referee("rules mygame/target/debug/mygame --games 10")
        .succeeds()
        .shows("perft           9 72 504 3024\n");
}

#[test]
fn bot_in_python_has_a_copy_of_the_rules() {
    let scene = Scene::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules");
    let game = format!("{folder}/hex.py");
    let outcome = scene
        .referee(&format!("new-bot python hexbot --rules {game} option.size=3"))
        .exits(0);
    let rules = format!("--rules {game} option.size=3");
    let commands = [
        &format!("{MODULE}game.py is a copy of the rules.\nImprove `choose` in bot.py.\n"),
        &format!("\n  referee check {rules} ./hexbot\n"),
        &format!("\n  referee match ./hexbot random --each st=0.5 --games 10 {rules}\n"),
    ];
    assert_has_all(&outcome.stdout, commands);
    assert_eq!(
        scene.text("hexbot/game.py"),
        std::fs::read_to_string(&game).unwrap()
    );
    if has_python() {
        let lines = "setoption name size value 2\nposition startpos moves a1 b1\ngo\nquit\n";
        assert_eq!(dialogue(&scene, "hexbot/run", lines), ["bestmove a2"]);
    }
}

#[test]
fn bot_in_python_finds_the_game_of_any_file() {
    let scene = Scene::new();
    let rules = "import sys
from referee.rules import WIN, run

class Sticks:
    def __init__(self, sticks):        self.sticks = int(sticks)
    def start(self):                   return self.sticks, True
    def turn(self, position):          return position[1]
    def moves(self, position):         return [str(n) for n in (1, 2, 3) if n <= position[0]]
    def play(self, position, move):    return position[0] - int(move), not position[1]
    def result(self, position):        return '*' if position[0] else WIN[not position[1]]

if __name__ == '__main__':
    game = Sticks(*sys.argv[1:])
    run(game)
";
    scene.file("my-sticks.py", rules);
    scene.file("none.py", "import referee\n");
    let imports = "from board.cells import Cell\nimport sys, help as h\n";
    scene.file("more.py", imports);
    scene.file("help.py", "");
    std::fs::create_dir(scene.path("board")).unwrap();
    scene
        .referee("new-bot python three --rules cmd=./my-sticks.py args=3")
        .succeeds();
    scene.referee("new-bot python none --rules ./none.py").succeeds();
    let outcome = scene.referee("new-bot python more --rules ./more.py").exits(0);
    let note = "game.py imports `board/` and `help.py`: copy them from the folder of the rules, too";
    assert_has(outcome.stderr, note);
    if has_python() {
        assert_eq!(
            dialogue(&scene, "three/run", "position startpos\ngo\nquit\n"),
            ["bestmove 3"]
        );
        let outcome = run(&mut std::process::Command::new(scene.path("none/run")), "").exits(1);
        assert_has(outcome.stderr, "game.py must end with `run(Game())`");
    }
}

/// A course has its own package `referee`, and the folder of a submission gets both.
#[test]
fn package_of_the_name_of_the_module_is_named() {
    if !has_python() {
        return;
    }
    let scene = Scene::new();
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules/nim.py");
    let name = "give the package for bots another name: rename its folder to, for example, `refereebot`";
    for (folder, options) in [("both", ""), ("nim", &*format!(" --rules {game}"))] {
        scene
            .referee(&format!("new-bot python {folder}{options}"))
            .exits(0);
        scene.file(
            &format!("{folder}/referee/__init__.py"),
            "from .run import play\n",
        );
        scene.file(&format!("{folder}/referee/run.py"), "def play(): pass\n");
        let found = format!(
            "Python found another package `referee`, {}",
            scene.path(folder).display()
        );
        for line in [
            format!("check{options} --only startpos ./{folder}"),
            format!("match{options} ./{folder} random"),
        ] {
            let outcome = scene.referee(&line);
            let said = joined(&(outcome.stdout + &outcome.stderr));
            assert_has(&said, name);
            assert_has(said.replace(' ', ""), found.replace(' ', ""));
        }
    }
    // Rules that import the module find the other package, too.
    let rules = scene.text("nim/game.py");
    scene.script("nim/game.py", &rules);
    for line in ["rules ./nim/game.py", "match random random --rules ./nim/game.py"] {
        let outcome = scene.referee(line).exits(3);
        assert_has(joined(&outcome.stderr), "there are two packages 'referee': ");
    }
}

#[test]
fn bot_for_rules_that_it_cannot_import_has_the_protocol() {
    let scene = Scene::new();
    scene.script("x", "#!/bin/sh\n");
    for (language, file) in LANGUAGES {
        let line = format!("new-bot {language} {language} --rules cmd=./x");
        let outcome = run(scene.command(&line).arg("args=-v 3"), "").exits(0);
        let place = "Add the rules of the game and the choice of a move to `choose`";
        assert_has(&outcome.stdout, format!("{place} in {file}.\n"));
        assert_has(
            &outcome.stdout,
            format!("referee check --rules cmd=./x 'args=-v 3' ./{language}\n"),
        );
        let note = "note: `cmd=./x args=-v 3` is not a file in Python, so the bot does not import the rules";
        assert_eq!(joined(&outcome.stderr).contains(note), language == "python");
        assert_has(
            scene.text(&format!("{language}/{file}")),
            "your ideas into `choose`",
        );
    }
    let outcome = scene.referee("new-bot c none --rules missing.py").exits(2);
    assert_eq!(outcome.stderr, "referee: --rules: `missing.py` is not a file\n");
    assert!(!scene.path("none").exists());
    if has_python() {
        let lines = "uci\nisready\nposition fen a b moves c d\ngo movetime 10\nquit\n";
        let expected = [
            "id name python",
            "id author you",
            "uciok",
            "readyok",
            "bestmove 0000",
        ];
        assert_eq!(dialogue(&scene, "python/run", lines), expected);
    }
}
