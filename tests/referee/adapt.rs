//! `referee adapt`: programs made for people as bots. The example `people` is one, in
//! several styles and with several faults; `tests/adapted` has more in Python, Java and C.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use regex_lite::Regex;

use crate::recorded::{assert_by_rules, text};
use crate::support::{
    Bot, Outcome, Scene, assert_ends, assert_has, assert_has_all, assert_rows, assert_starts, example,
    expect, run,
};

/// The styles of the example: its name, the game, and its file without the command.
pub const STYLES: [(&str, &str, &str); 3] = [
    (
        "menu",
        "magnetic-cave",
        r#"
[start]
first = ["1", "O"]
second = ["1", "X"]
[cells]
columns = "ABCDEFGH"
rows = "12345678"
[move]
prompt = "enter your move:"
refused = "Invalid move"
[answer]
pattern = "Player {player} chose move: {cell}"
over = "Thank you for playing"
"#,
    ),
    (
        "board",
        "magnetic-cave",
        r#"
[start]
first = "n"
second = "y"
[cells]
columns = "ABCDEFGH"
rows = "12345678"
[board]
"#,
    ),
    (
        "slide",
        "gridlock",
        r#"
[start]
first = "2"
second = "1"
[move]
send = ["{from}", { wait = "new position", send = "{to}" }]
[answer]
pattern = "The piece at {from} moves to {to}"
"#,
    ),
];

/// The file for a style of the example, with a fault.
fn adapter(style: &str, fault: &str) -> String {
    adapter_of(&example("people"), style, fault)
}

/// The same for this copy of the example.
pub fn adapter_of(people: &Path, style: &str, fault: &str) -> String {
    let (_, variant, rest) = STYLES.iter().find(|(name, ..)| *name == style).unwrap();
    let fen = if style == "slide" { "\"{fen}\", " } else { "" };
    format!(
        "variant = \"{variant}\"\ncommand = [\"{}\", \"{style}\", {fen}\"{fault}\"]\n{rest}",
        people.display()
    )
}

/// The styles that play a game.
pub fn styles_of(variant: &str) -> Vec<&'static str> {
    let styles = STYLES.iter().filter(|(_, other, _)| *other == variant);
    styles.map(|(name, ..)| *name).collect()
}

/// Writes the file of a submission into the folder `bots`.
fn submit(scene: &Scene, name: &str, text: &str) {
    scene.folder(&format!("bots/{name}"));
    scene.file(&format!("bots/{name}/adapt.toml"), text);
}

/// Plays two games of the submissions in `bots` against `random`.
fn play(scene: &Scene, options: &str) -> Outcome {
    scene.remove("games.jsonl");
    let each = if options.contains("--each") {
        ""
    } else {
        "--each st=60"
    };
    let players = "--engines bots --engine cmd=random";
    scene.referee(&format!(
        "match {players} --out games.jsonl --quiet {each} {options}"
    ))
}

/// Asserts that the rules ended every game.
#[track_caller]
pub fn assert_no_fault(scene: &Scene, count: usize) {
    let mut games = scene.records();
    games.retain(|record| record.get("moves").is_some());
    assert_eq!(games.len(), count);
    games.iter().for_each(assert_by_rules);
}

#[test]
fn adapted_programs_play_whole_games() {
    for (variant, setup) in [("magnetic-cave", ""), ("gridlock", "--pieces 5 --turns 30")] {
        let scene = Scene::new();
        let names = styles_of(variant);
        for name in &names {
            submit(&scene, name, &adapter(name, "child"));
        }
        play(&scene, &format!("--variant {variant} {setup}")).exits(0);
        assert_no_fault(&scene, (names.len() + 1) * names.len());
        scene.assert_no_process_left();
    }
    // Even `--openings` fit a program that is told where the pieces are.
    let scene = Scene::new();
    submit(&scene, "slide", &adapter("slide", ""));
    for plies in [1, 2] {
        play(&scene, &format!("--variant gridlock --openings random:{plies}")).exits(0);
        assert_no_fault(&scene, 2);
    }
}

/// The adapter as a bot, without a referee.
struct Adapter {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Adapter {
    fn start(scene: &Scene, text: &str) -> Adapter {
        scene.file("adapt.toml", text);
        let mut command = scene.command("adapt adapt.toml");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Adapter {
            input: child.stdin.take(),
            output,
            child,
        }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_string()
    }

    /// The rest of the first line with this beginning.
    fn until(&mut self, beginning: &str) -> String {
        loop {
            let line = self.line();
            if let Some(rest) = line.strip_prefix(beginning) {
                return rest.to_string();
            }
            assert!(!line.is_empty(), "the output ends without `{beginning}`");
        }
    }

    /// The position after the program's first move and a reply.
    fn second_position(&mut self) -> String {
        self.send("position startpos\ngo movetime 60000");
        let first = self.until("bestmove ");
        let reply = if first == "a1" { "h1" } else { "a1" };
        format!("position startpos moves {first} {reply}")
    }

    /// Closes the input. Returns the standard error; the exit status must be 0.
    fn end(mut self) -> String {
        self.input = None;
        let output = self.child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    }
}

/// The processes whose command line contains this text.
fn processes(text: &str) -> Vec<PathBuf> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    let paths = folders.map(|folder| folder.path());
    paths
        .filter(|path| {
            let words = fs::read(path.join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&words).replace('\0', " ").contains(text)
        })
        .collect()
}

#[test]
fn speaks_the_protocol() {
    let scene = Scene::new();
    let mut adapter = Adapter::start(&scene, &adapter("menu", ""));
    adapter.send("uci");
    adapter.until("id name ");
    let option = "option name UCI_Variant type combo default magnetic-cave var magnetic-cave";
    let start_only = "option name UCI_StartOnly type check default true";
    assert_eq!(
        [adapter.line(), adapter.line(), adapter.line()],
        [option, start_only, "uciok"]
    );
    adapter.send("setoption name UCI_Variant value magnetic-cave");
    adapter.send("what is this\r");
    assert_starts(adapter.line(), "info string error: column 1: expected a command");
    adapter.send("ucinewgame\nisready");
    assert_eq!(adapter.line(), "readyok");
    adapter.send("position startpos moves d4");
    assert_has(adapter.line(), expect! {"info string error: move 1: d4 touches"});
    let second = adapter.second_position();
    // The same question has the same answer.
    adapter.send("position startpos\ngo movetime 60000");
    assert_has(&second, format!("moves {} ", adapter.until("bestmove ")));
    // An infinite search answers after `stop`.
    adapter.send(&format!("{second}\ngo infinite\nisready"));
    assert_eq!(adapter.line(), "readyok");
    std::thread::sleep(Duration::from_millis(300));
    adapter.send("isready");
    assert_eq!(adapter.line(), "readyok", "no answer before `stop`");
    adapter.send("stop");
    adapter.until("bestmove ");
    // A finished game.
    adapter.send("position fen xxxxxooo/oooo4/8/8/8/8/8/8 o\ngo movetime 10");
    let line = adapter.line();
    assert!(
        line == "bestmove 0000" || line.starts_with("info string error"),
        "{line}"
    );
    adapter.send("ugi");
    adapter.until("ugiok");
    adapter.send("position startpos\nquery p1turn");
    assert_eq!(adapter.line(), "response true");
    adapter.send("quit");
    assert_eq!(adapter.end(), "");
    scene.assert_no_process_left();
}

#[test]
fn each_game_has_its_own_process_without_descendants() {
    let scene = Scene::new();
    let mut adapter = Adapter::start(&scene, &adapter("menu", "child"));
    let folder = scene.path("").canonicalize().unwrap();
    let own = |text: &str| -> Vec<PathBuf> {
        let is_here = |path: &PathBuf| fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == folder);
        processes(text).into_iter().filter(is_here).collect()
    };
    let mut seen = Vec::new();
    // Another position is another game, even without `ucinewgame`.
    for start in ["ucinewgame\nposition startpos", "position startpos moves a1"]
        .iter()
        .cycle()
        .take(4)
    {
        adapter.send(&format!("{start}\ngo movetime 60000"));
        adapter.until("bestmove ");
        if cfg!(target_os = "linux") {
            let running = own("people menu child");
            assert_eq!(running.len(), 1);
            assert_eq!(own("sleep 300").len(), 3, "a shell and its two children");
            assert!(!seen.contains(&running[0]));
            seen.extend(running);
        }
    }
    adapter.send("quit");
    adapter.end();
    scene.assert_no_process_left();
}

#[test]
fn quit_and_the_end_of_input_end_a_search() {
    let scene = Scene::new();
    for (go, last) in [
        ("go movetime 60000", "quit"),
        ("go infinite", "quit"),
        ("go infinite", ""),
    ] {
        let mut adapter = Adapter::start(&scene, &adapter("menu", "deaf"));
        let second = adapter.second_position();
        adapter.send(&format!("{second}\n{go}\nisready"));
        adapter.until("readyok");
        adapter.send(last);
        let start = Instant::now();
        adapter.end();
        assert!(start.elapsed() < Duration::from_secs(30));
    }
    // A search with a limit still answers.
    scene.file("adapt.toml", &adapter("menu", ""));
    let outcome = scene.run_with_input("adapt adapt.toml", "position startpos\ngo movetime 60000\n");
    assert_starts(&outcome.stdout, "bestmove ");
    scene.assert_no_process_left();
}

#[test]
fn start_that_the_program_cannot_take_is_an_error() {
    let scene = Scene::new();
    scene.file("adapt.toml", &adapter("menu", ""));
    let table = expect![[r#"
        fen x7/8/8/8/8/8/8/o7 x
            | this program plays magnetic-cave only from the start position: its matches need `--openings none`
        startpos moves a8 h8 a7 h7 | this program chooses all its moves itself, but the game has
    "#]];
    assert_rows(table, |[position]| {
        let input = format!("position {position}\ngo movetime 60000\n");
        let mut outcome = scene.run_with_input("adapt adapt.toml", &input);
        if outcome.status == Some(0) {
            // By chance, the program has chosen these moves.
            outcome = scene.run_with_input("adapt adapt.toml", &input);
        }
        let outcome = outcome.exits(3);
        let error = outcome.stderr.strip_prefix("referee: adapt.toml: ").unwrap();
        assert_starts(&outcome.stdout, format!("info string error: {error}"));
        error.into()
    });
    let input = "setoption name UCI_Variant value gridlock\nisready\n";
    let outcome = scene.run_with_input("adapt adapt.toml", input).exits(3);
    outcome
        .says(expect! {"this program plays magnetic-cave, not gridlock; its file says so (key `variant`)"});
    // So no game of a match with openings begins.
    submit(&scene, "bob", &adapter("menu", ""));
    let refused = play(&scene, "--openings random:4").exits(3);
    refused.says(expect! {"referee: bob plays only from the start position, but the games of this match begin elsewhere; `--openings none` lets them begin there"});
    play(&scene, "--openings none").exits(0);
    scene.folder("bots/ann");
    scene.bot("bots/ann/run", Bot::default());
    let ladder = "ladder bots random squares --sandbox=off --games 2 --each st=60 --quiet --out ladder.jsonl";
    scene
        .referee(ladder)
        .says(expect! {"bob: plays only from the start position"});
    let check = "check --only whole-game --openings random:4 bots/bob";
    scene.referee(check).exits(1).shows(expect! {"FAIL  whole-game"});
}

#[test]
fn trial_shows_the_dialogue_and_the_error() {
    let scene = Scene::new();
    for (style, ..) in STYLES {
        scene.file("adapt.toml", &adapter(style, ""));
        let shown = scene.referee("adapt adapt.toml --try").exits(0).stdout;
        assert_ends(&shown, "= no problem in two games\n");
        assert_has_all(&shown, ["\n| ", "\n> ", "\n= the program's move: "]);
    }
    let wrong = adapter("menu", "")
        .replace("chose move", "plays")
        .replace("command", "timeout = 1\ncommand");
    scene.file("adapt.toml", &wrong);
    let outcome = scene.referee("adapt adapt.toml --try").exits(3);
    outcome.shows("\n> 1\n| Which color do you want, X or O? \n> O\n");
    expect![[r#"
        referee: adapt.toml: no match for `pattern` of [answer] (line 15) `Player {player} plays: {cell}` after `O` was typed; its last line is `Player 2, enter your move:`: it asks for a move; does the pattern differ from its text, or are `first` and `second` swapped?
    "#]].assert_eq(&outcome.stderr);
    scene.assert_no_process_left();
}

/// A program that always moves second.
const SECOND: &str = r#"
taken = set()
def free():
    for row in "87654321":
        for column in "abcdefgh":
            near = column in "ah" or chr(ord(column) - 1) + row in taken or chr(ord(column) + 1) + row in taken
            if near and column + row not in taken: return column + row
while True:
    taken.add(input("Your move: ").lower())
    move = free(); taken.add(move); print("I play", move.upper(), flush=True)
"#;

#[test]
fn a_program_of_one_side_is_tried_and_plays_on_that_side() {
    let scene = Scene::new();
    scene.folder("b");
    scene.file("b/second.py", SECOND);
    let text = "command = \"python3 second.py\"\ntimeout = 1\n[move]\nprompt = \"Your move:\"\n[answer]\n\
                pattern = \"I play {cell}\"\n";
    scene.file("b/adapt.toml", text);
    let outcome = scene.referee("adapt b/adapt.toml --try").exits(3);
    outcome
        .shows(expect! {"the program moves second"})
        .shows(expect! {"= the game is over after"});
    outcome.says(expect! {"; as the second player it has no problem: if it plays one side only, add `plays = \"second\"`"});

    scene.file("b/adapt.toml", &format!("plays = \"second\"\n{text}"));
    let outcome = scene.referee("adapt b/adapt.toml --try").exits(0);
    assert!(!outcome.stdout.contains("moves first"), "{}", outcome.stdout);
    outcome.shows(expect! {"no problem in one game"});
    let players = "--each st=9 timemargin=5000 --quiet --out games.jsonl";
    let table = expect![[r#"
        b random --no-swap
            | b plays only as the second player, and in game 1 it would move first; list it after its opponent, and add `--no-swap`
        random b | b plays only as the second player, and in game 2 it would move first
    "#]];
    assert_rows(table, |[players]| {
        scene
            .referee(&format!("match {players} --games 2 --quiet"))
            .exits(3)
            .stderr
    });
    scene
        .referee(&format!("match random b --no-swap --games 2 {players}"))
        .exits(0);
    assert_no_fault(&scene, 2);
    scene
        .referee("check --only startpos --only whole-game --each st=9 -- b")
        .exits(0)
        .shows(expect! {"the bot announces that it can play only the other side"});

    scene.file("b/adapt.toml", &format!("plays = \"both\"\n{text}"));
    scene.referee("adapt b/adapt.toml --try").exits(2).says(
        expect! {"adapt.toml, line 1: expected `first` or `second`, the only side that the program can play"},
    );
}

#[test]
fn wrong_file_is_one_error_with_its_line() {
    let scene = Scene::new();
    let table = expect![[r#"
        [move] | [moves] | , line 10: unknown key `moves`; did you mean `move`? keys: variant, command,
        prompt | promt | , line 11: unknown key `promt`; did you mean `prompt`? The keys are word, send, prompt, refused
        magnetic-cave | magnetic-cav | , line 1: unknown variant `magnetic-cav`; did you mean
        {player} chose | {plaier} chose | , line 14: unknown placeholder `plaier`; did you mean `player`?
        {cell} | (.*) | , line 14: the pattern does not say where the move is; write `{cell}` there
        {cell} | ({cell} | , line 14: the pattern is wrong: found open group without closing ')'
        12345678 | 1234567 | , line 9: `rows` has 7 names, expected 8, from top to bottom
        ABCDEFGH | ABCDEFGA | , line 8: `columns` has the name `A` twice
        second = | # | : [start] has no `second`: what to type so that the program moves second, or []
        [answer] | [answer] [x] | , line 13:
        "menu" | 7 | , line 2: `command` must be a string in quotation marks
        [start] | [start | , line 4:
    "#]];
    assert_rows(table, |[from, to]| {
        let text = adapter("menu", "").replacen(from, to, 1);
        scene.file("adapt.toml", &text);
        let error = scene.referee("adapt adapt.toml").exits(2).stderr;
        assert_starts(&error, "referee: adapt.toml");
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    });
    // The referee shows it before the first game.
    let mut command =
        scene.command("match --engine cmd=random --each st=20 --quiet --engine cmd=referee name=bob");
    let outcome = run(command.arg("args=adapt adapt.toml"), "").exits(3);
    outcome.says(expect! {"bob did not complete the handshake: it ended with exit status 2"});
    outcome.says(expect! {"on stderr: `referee: adapt.toml, line 4:"});
    let text = adapter("menu", "").replace("[answer]", "[answer]\n[board]\n[answer.x]");
    scene.file("adapt.toml", &text);
    scene.assert_refused(
        "adapt adapt.toml",
        expect! {"referee: adapt.toml, line 15: unknown key `x`"},
    );
    scene.assert_refused(
        "adapt nowhere.toml",
        expect! {"referee: `nowhere.toml` cannot be read: No such file"},
    );
}

#[test]
fn program_is_found_relative_to_the_file() {
    let scene = Scene::new();
    scene.folder("deep/er");
    scene.script(
        "deep/er/start",
        &format!("#!/bin/sh\nexec {} menu\n", example("people").display()),
    );
    for (command, error) in [
        ("command = './er/start'", expect! {""}),
        ("command = './start'\ndir = 'er'", expect! {""}),
        (
            "command = 'start'\ndir = 'er'",
            expect! {"line 1: `start` is not a program in PATH; a program in its own folder is `./start`"},
        ),
        ("command = './start'", expect! {"there is no file `deep/./start`"}),
        (
            "command = './start'\ndir = 'eer'",
            expect! {"line 2: `deep/eer` is not a folder"},
        ),
    ] {
        let text = adapter("menu", "");
        let rest = text.split_once("\n[start]").unwrap().1;
        scene.file("deep/adapt.toml", &format!("{command}\n[start]{rest}"));
        let outcome = scene.referee("adapt deep/adapt.toml --try");
        let is_right = error.data().is_empty();
        let outcome = outcome.exits(if is_right { 0 } else { 2 });
        outcome.says(error);
        assert_eq!(outcome.stderr.is_empty(), is_right);
    }
}

/// The folder of a program: that of the manual is an example.
pub fn adapted(name: &str) -> PathBuf {
    let folder = if name == "menu" {
        "examples"
    } else {
        "tests/adapted"
    };
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder)
        .join(name)
}

/// The programs of `tests/adapted` and `examples/menu`, with the tool that each needs and how to build it.
const PROGRAMS: [(&str, &str, &str); 5] = [
    ("menu", "python3", ""),
    ("digits", "python3", ""),
    ("cave", "javac", "javac MagneticCave.java"),
    ("board", "cc", "cc -O2 -o board board.c"),
    ("slide", "cc", "cc -O2 -o slide slide.c"),
];

/// Five programs in a tournament: four of Magnetic Cave among each other and against `random`, one
/// of Gridlock against `random`. A program whose tool is missing is left out by name.
#[test]
#[ignore = "needs Python, Java and C; a step of .ci/run --long"]
fn adapted_programs_in_other_languages_play_a_tournament() {
    let scene = Scene::new();
    let mut ready = Vec::new();
    for (name, tool, build) in PROGRAMS {
        if Command::new(tool).arg("--version").output().is_err() {
            println!("SKIPPED: {name} needs `{tool}`, which is not installed");
            continue;
        }
        let folder = if name == "slide" {
            "grid/slide".to_string()
        } else {
            format!("bots/{name}")
        };
        scene.folder(&folder);
        for file in fs::read_dir(adapted(name)).unwrap().flatten() {
            fs::copy(file.path(), scene.path(&folder).join(file.file_name())).unwrap();
        }
        let mut shell = Command::new("sh");
        run(shell.args(["-c", build]).current_dir(scene.path(&folder)), "").exits(0);
        ready.push(name);
    }
    for (folder, options) in [("bots", ""), ("grid", "--variant gridlock --pieces 6 --turns 40")] {
        let programs = ready
            .iter()
            .filter(|name| (**name == "slide") == (folder == "grid"))
            .count();
        if programs == 0 {
            continue;
        }
        scene.remove("games.jsonl");
        let line = format!("match --engines {folder} --engine cmd=random --each st=20 --games 4 --quiet");
        let outcome = scene
            .referee(&format!("{line} {options} --out games.jsonl"))
            .exits(0);
        println!("{}", outcome.stdout);
        assert_no_fault(&scene, 4 * (programs + 1) * programs / 2);
    }
    scene.assert_no_process_left();
}

/// The examples of the manual are the files that the tournament tests.
#[test]
fn manual_shows_tested_files() {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let chapters = ["any-program.md", "adapt.md"].map(|name| fs::read_to_string(manual.join(name)).unwrap());
    let manual = chapters.concat();
    for name in ["menu", "cave", "board", "slide", "digits", "four"] {
        let file = fs::read_to_string(adapted(name).join("adapt.toml")).unwrap();
        // The manual has its own words for the comment at the beginning.
        let lines = file.lines().skip_while(|line| line.starts_with('#'));
        let body = lines.collect::<Vec<_>>().join("\n");
        assert_has(&manual, &body);
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn faults_of_programs_are_explained() {
        let scene = Scene::new();
        let table = expect![[r#"
            menu | crash | | crash
                | the program ended with exit status 3, without `pattern` of [answer] (line 14) `Player {player} chose move: {cell}`; it wrote `Exception in thread main`
            menu | over | | crash | the program ends a game that is not over: `Player 1 won!
            menu | illegal | | illegal | bob played
            board | flood | | crash | 8 MiB of output without a board with a move
            menu | words | --each st=1 timemargin=100 | stall
                | it reported `no match for `pattern` of [answer] (line 14) `Player {player} chose move: {cell}`; its last line is `Player
            board | words | --each st=1 timemargin=100 | stall
                | it reported `no match for a board with a move of the program; its last line is `I have played`
        "#]];
        assert_rows(table, |[style, fault, options, reason]| {
            // The referee's limit comes first where no answer comes; the detail says what the adapter waits for.
            submit(&scene, "bob", &adapter(style, fault));
            play(&scene, options).exits(0);
            let records = scene.records();
            let by_rules = ["five", "full", "blocked", "mobility"];
            let mut lost = records
                .iter()
                .filter(|record| !by_rules.contains(&text(record, "reason")));
            let lost = lost.next().unwrap_or_else(|| panic!("{style} {fault}: no fault"));
            let detail = text(lost, "detail");
            assert_eq!(lost["reason"], reason, "{style} {fault}: {detail}");
            // What was typed depends on the moves.
            let typed = Regex::new(" after `[^`]*` was typed").unwrap();
            typed.replace(detail, "").into_owned()
        });
        scene.assert_no_process_left();
    }
}
