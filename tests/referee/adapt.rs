//! `referee adapt`: programs made for people as bots. The example `people` is one, in
//! several styles and with several faults; `tests/adapted` has more in Python, Java and C.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Outcome, Scene, assert_ends, assert_has, assert_starts, run, zoo};

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
    adapter_of(&zoo().with_file_name("people"), style, fault)
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

/// Writes the file of a submission into the folder `bots`.
fn submit(scene: &Scene, name: &str, text: &str) {
    fs::create_dir_all(scene.path("bots").join(name)).unwrap();
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
    let line = format!("match --engines bots --engine cmd=random --out games.jsonl --quiet {each} {options}");
    scene.referee(&line)
}

/// Asserts that the rules ended every game.
pub fn assert_no_fault(scene: &Scene, count: usize) {
    let mut games = scene.records();
    games.retain(|record| record.get("moves").is_some());
    assert_eq!(games.len(), count);
    for record in games {
        let reason = record["reason"].as_str().unwrap();
        assert!(
            ["five", "full", "blocked", "mobility"].contains(&reason),
            "{record}"
        );
    }
}

#[test]
fn adapted_programs_play_whole_games() {
    for (variant, setup) in [("magnetic-cave", ""), ("gridlock", "--pieces 5 --turns 30")] {
        let scene = Scene::new();
        let styles = STYLES.iter().filter(|(_, other, _)| *other == variant);
        let names: Vec<&str> = styles.map(|(name, ..)| *name).collect();
        for name in &names {
            submit(&scene, name, &adapter(name, "child"));
        }
        play(&scene, &format!("--variant {variant} {setup}")).exits(0);
        let players = names.len() + 1;
        assert_no_fault(&scene, players * (players - 1));
        scene.assert_no_process_left();
    }
}

/// Even `--openings` fit a program that is told where the pieces are.
#[test]
fn program_that_takes_a_placement_plays_openings() {
    let scene = Scene::new();
    submit(&scene, "slide", &adapter("slide", ""));
    for plies in [1, 2] {
        play(&scene, &format!("--variant gridlock --openings random:{plies}")).exits(0);
        assert_no_fault(&scene, 2);
    }
}

/// The fault of the program in the first game that it loses by one.
fn fault(scene: &Scene, style: &str, fault: &str, options: &str) -> (String, String) {
    submit(scene, "bob", &adapter(style, fault));
    play(scene, options).exits(0);
    let records = scene.records();
    let lost = records.iter().find(|record| {
        !["five", "full", "blocked", "mobility"].contains(&record["reason"].as_str().unwrap())
    });
    let lost = lost.unwrap_or_else(|| panic!("no fault: {records:?}"));
    let text = |key: &str| lost[key].as_str().unwrap().to_string();
    (text("reason"), text("detail"))
}

#[test]
fn faults_of_programs_are_explained() {
    let scene = Scene::new();
    for (style, kind, reason, expected) in [
        (
            "menu",
            "crash",
            "crash",
            "the program ended with exit status 3, without `pattern` of [answer]",
        ),
        (
            "menu",
            "over",
            "crash",
            "the program ends a game that is not over: `Player 1 won!",
        ),
        ("menu", "illegal", "illegal", "bob played "),
        (
            "board",
            "flood",
            "crash",
            "8 MiB of output without a board with a move",
        ),
    ] {
        let (word, detail) = fault(&scene, style, kind, "");
        assert_eq!(word, reason, "{kind}: {detail}");
        assert!(detail.contains(expected), "{kind}: {detail}");
    }
    scene.assert_no_process_left();
}

/// The referee's limit comes first. The detail says what the adapter waits for.
#[test]
fn answer_that_never_comes_is_explained() {
    let scene = Scene::new();
    for (style, expected) in [
        (
            "menu",
            [
                "it reported `no match for `pattern` of [answer] (line 14) `Player {player} chose move: {cell}` after `",
                "` was typed; its last line is `Player ",
            ],
        ),
        (
            "board",
            [
                "it reported `no match for a board with a move of the program after `",
                "` was typed; its last line is `I have played`",
            ],
        ),
    ] {
        let (word, detail) = fault(&scene, style, "words", "--each st=1 timemargin=100");
        assert_eq!(word, "stall", "{detail}");
        for part in expected {
            assert!(detail.contains(part), "{detail}");
        }
    }
    scene.assert_no_process_left();
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
        let command = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        Adapter {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
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

    /// The first line with this beginning, and the number of lines before it.
    fn until(&mut self, beginning: &str) -> (String, usize) {
        for count in 0.. {
            let line = self.line();
            if line.starts_with(beginning) {
                return (line, count);
            }
            assert!(!line.is_empty(), "the output ends without `{beginning}`");
        }
        unreachable!()
    }

    /// Closes the input. Returns the exit status and the standard error.
    fn end(mut self) -> (Option<i32>, String) {
        self.input = None;
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
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
    assert_eq!(
        adapter.line(),
        "option name UCI_Variant type combo default magnetic-cave var magnetic-cave"
    );
    assert_eq!(adapter.line(), "uciok");
    adapter.send("setoption name UCI_Variant value magnetic-cave");
    adapter.send("what is this\r");
    assert!(
        adapter
            .line()
            .starts_with("info string error: column 1: expected a command")
    );
    adapter.send("ucinewgame\nisready");
    assert_eq!(adapter.line(), "readyok");
    adapter.send("position startpos moves d4");
    assert!(
        adapter
            .line()
            .starts_with("info string error: move 1: d4 touches")
    );
    adapter.send("position startpos\ngo movetime 60000");
    let (first, _) = adapter.until("bestmove ");
    // The same question has the same answer.
    adapter.send("go movetime 60000");
    assert_eq!(adapter.line(), first);
    // An infinite search answers after `stop`.
    let first = first.strip_prefix("bestmove ").unwrap();
    let reply = if first == "a1" { "h1" } else { "a1" };
    adapter.send(&format!(
        "position startpos moves {first} {reply}\ngo infinite\nisready"
    ));
    assert_eq!(adapter.line(), "readyok");
    std::thread::sleep(Duration::from_millis(300));
    adapter.send("isready");
    assert_eq!(adapter.line(), "readyok", "no answer before `stop`");
    adapter.send("stop");
    adapter.until("bestmove ");
    // A finished game.
    adapter.send("position fen xxxxxooo/oooo4/8/8/8/8/8/8 o\ngo movetime 10");
    let (line, _) = adapter.until("");
    assert!(
        line == "bestmove 0000" || line.starts_with("info string error"),
        "{line}"
    );
    adapter.send("ugi");
    adapter.until("ugiok");
    adapter.send("position startpos\nquery p1turn");
    assert_eq!(adapter.line(), "response true");
    adapter.send("quit");
    let (status, stderr) = adapter.end();
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    scene.assert_no_process_left();
}

#[test]
fn each_game_has_its_own_process_without_descendants() {
    let scene = Scene::new();
    let mut adapter = Adapter::start(&scene, &adapter("menu", "child"));
    let marker = "people menu child";
    let own = |paths: Vec<PathBuf>| {
        let folder = scene.path("").canonicalize().unwrap();
        let is_here = |path: &PathBuf| fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == folder);
        paths.into_iter().filter(is_here).collect::<Vec<_>>()
    };
    let mut seen = Vec::new();
    for _ in 0..3 {
        adapter.send("ucinewgame\nisready\nposition startpos\ngo movetime 60000");
        adapter.until("bestmove ");
        let running = own(processes(marker));
        if cfg!(target_os = "linux") {
            assert_eq!(running.len(), 1);
            assert_eq!(
                own(processes("sleep 300")).len(),
                3,
                "a shell and its two children"
            );
            assert!(!seen.contains(&running[0]));
        }
        seen.extend(running);
    }
    // Another position is another game, even without `ucinewgame`.
    adapter.send("position startpos moves a1\ngo movetime 60000");
    adapter.until("bestmove ");
    if cfg!(target_os = "linux") {
        assert_eq!(own(processes(marker)).len(), 1);
    }
    adapter.send("quit");
    assert_eq!(adapter.end().0, Some(0));
    scene.assert_no_process_left();
}

#[test]
fn quit_and_the_end_of_input_end_a_search() {
    let scene = Scene::new();
    for (go, last) in [
        ("go movetime 60000", Some("quit")),
        ("go infinite", Some("quit")),
        ("go infinite", None),
    ] {
        let mut adapter = Adapter::start(&scene, &adapter("menu", "deaf"));
        adapter.send("position startpos\ngo movetime 60000");
        let (first, _) = adapter.until("bestmove ");
        let first = first.strip_prefix("bestmove ").unwrap().to_string();
        let reply = if first == "a1" { "h1" } else { "a1" };
        adapter.send(&format!("position startpos moves {first} {reply}\n{go}\nisready"));
        adapter.until("readyok");
        if let Some(last) = last {
            adapter.send(last);
        }
        let start = Instant::now();
        assert_eq!(adapter.end().0, Some(0), "{go}");
        assert!(start.elapsed() < Duration::from_secs(30));
    }
    // A search with a limit still answers.
    scene.file("adapt.toml", &adapter("menu", ""));
    let outcome = scene.run_with_input("adapt adapt.toml", "position startpos\ngo movetime 60000\n");
    assert!(outcome.stdout.starts_with("bestmove "), "{outcome:?}");
    scene.assert_no_process_left();
}

#[test]
fn start_that_the_program_cannot_take_is_an_error() {
    let scene = Scene::new();
    scene.file("adapt.toml", &adapter("menu", ""));
    for (position, why) in [
        (
            "fen x7/8/8/8/8/8/8/o7 x",
            "this program plays magnetic-cave only from the start position: a match with it has no `--openings`",
        ),
        (
            "startpos moves a8 h8 a7 h7",
            "this program chooses all its moves itself, but the game has ",
        ),
    ] {
        let input = format!("position {position}\ngo movetime 60000\n");
        let mut outcome = scene.run_with_input("adapt adapt.toml", &input);
        if outcome.status == Some(0) {
            // By chance, the program has chosen these moves.
            outcome = scene.run_with_input("adapt adapt.toml", &input);
        }
        assert_eq!(outcome.status, Some(3), "{outcome:?}");
        assert_starts(&outcome.stdout, &format!("info string error: {why}"));
        outcome.says(&format!("referee: adapt.toml: {why}"));
    }
    scene
        .run_with_input(
            "adapt adapt.toml",
            "setoption name UCI_Variant value gridlock\nisready\n",
        )
        .exits(3)
        .says("this program plays magnetic-cave, not gridlock; its file says so (key `variant`)");
    // In a match, the detail of the lost games says it.
    submit(&scene, "bob", &adapter("menu", ""));
    play(&scene, "--openings random:4");
    let records = scene.records();
    let detail = records[0]["detail"].as_str().unwrap();
    assert!(detail.contains("play without `--openings`"), "{detail}");
}

#[test]
fn trial_shows_the_dialogue_and_the_error() {
    let scene = Scene::new();
    for (style, ..) in STYLES {
        scene.file("adapt.toml", &adapter(style, ""));
        let outcome = scene.referee("adapt adapt.toml --try").exits(0);
        assert_ends(&outcome.stdout, "= no problem in two games\n");
        for mark in ["| ", "> ", "= the program's move: "] {
            assert!(
                outcome.stdout.lines().any(|line| line.starts_with(mark)),
                "{mark}: {outcome:?}"
            );
        }
    }
    let wrong = adapter("menu", "")
        .replace("chose move", "plays")
        .replace("command", "timeout = 1\ncommand");
    scene.file("adapt.toml", &wrong);
    let outcome = scene.referee("adapt adapt.toml --try").exits(3);
    outcome.shows("\n> 1\n| Which color do you want, X or O? \n> O\n");
    assert_eq!(
        outcome.stderr,
        "referee: adapt.toml: no match for `pattern` of [answer] (line 15) \
         `Player {player} plays: {cell}` after `O` was typed; its last line is `Player 2, enter your move:`: \
         it asks for a move; does the pattern differ from its text, or are `first` and `second` swapped?\n"
    );
    scene.assert_no_process_left();
}

/// The command line of a match of one adapted program against `random`.
fn match_with(scene: &Scene, file: &str) -> Outcome {
    let mut command = scene.command("match --engine cmd=referee");
    command.args([
        format!("args=adapt {file}").as_str(),
        "name=bob",
        "--engine",
        "cmd=random",
    ]);
    run(command.args(["--each", "st=20", "--quiet"]), "")
}

#[test]
fn wrong_file_is_one_error_with_its_line() {
    let scene = Scene::new();
    for (from, to, why) in [
        (
            "[move]",
            "[moves]",
            ", line 10: unknown key `moves`; did you mean `move`? The keys are variant, command,",
        ),
        (
            "prompt",
            "promt",
            ", line 11: unknown key `promt`; did you mean `prompt`? The keys are send, prompt, refused",
        ),
        (
            "magnetic-cave",
            "magnetic-cav",
            ", line 1: unknown variant `magnetic-cav`; did you mean",
        ),
        (
            "{player} chose",
            "{plaier} chose",
            ", line 14: unknown placeholder `plaier`; did you mean `player`?",
        ),
        (
            "{cell}",
            "(.*)",
            ", line 14: the pattern does not say where the move is; write `{cell}` there",
        ),
        (
            "{cell}",
            "({cell}",
            ", line 14: the pattern is wrong: unclosed group",
        ),
        (
            "12345678",
            "1234567",
            ", line 9: `rows` has 7 names, expected 8, from top to bottom",
        ),
        (
            "ABCDEFGH",
            "ABCDEFGA",
            ", line 8: `columns` has the name `A` twice",
        ),
        (
            "second =",
            "#",
            ": [start] has no `second`: what to type so that the program moves second, or []",
        ),
        (
            "[answer]",
            "[answer]\n[board]\n[answer.x]",
            ", line 15: unknown key `x`",
        ),
        (
            "\"menu\"",
            "7",
            ", line 2: `command` must be a text in quotation marks",
        ),
        ("[start]", "[start", ", line 4: "),
    ] {
        let text = adapter("menu", "").replacen(from, to, 1);
        scene.file("adapt.toml", &text);
        let outcome = scene.referee("adapt adapt.toml").exits(2);
        assert_starts(&outcome.stderr, &format!("referee: adapt.toml{why}"));
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    }
    // The referee shows it before the first game.
    let outcome = match_with(&scene, "adapt.toml");
    assert_eq!(outcome.status, Some(3));
    outcome.says("bob does not complete the handshake: bob ended with exit status 2");
    outcome.says("stderr: referee: adapt.toml, line 4: ");
    let outcome = scene.referee("adapt nowhere.toml").exits(2);
    assert_starts(&outcome.stderr, "referee: adapt nowhere.toml: No such file");
}

#[test]
fn program_is_found_relative_to_the_file() {
    let scene = Scene::new();
    scene.folder("deep/er");
    let people = zoo().with_file_name("people");
    scene.script(
        "deep/er/start",
        &format!("#!/bin/sh\nexec {} menu\n", people.display()),
    );
    let with = |command: &str| {
        let text = adapter("menu", "");
        let rest = text.split_once("\n[start]").unwrap().1;
        scene.file("deep/adapt.toml", &format!("{command}\n[start]{rest}"));
        let outcome = scene.referee("adapt deep/adapt.toml --try");
        (outcome.status, outcome.stderr)
    };
    assert_eq!(with("command = './er/start'"), (Some(0), String::new()));
    assert_eq!(with("command = './start'\ndir = 'er'"), (Some(0), String::new()));
    let (status, error) = with("command = 'start'\ndir = 'er'");
    assert_eq!(status, Some(2));
    assert_ends(
        &error,
        "line 1: `start` is not a program in PATH; a program in its own folder is `./start`\n",
    );
    assert!(
        with("command = './start'")
            .1
            .contains("there is no file `deep/./start`")
    );
    assert!(
        with("command = './start'\ndir = 'eer'")
            .1
            .contains("line 2: `deep/eer` is not a folder")
    );
}

/// The programs of `tests/adapted`, with the tool that each needs and how to build it.
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
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/adapted");
    let mut ready = Vec::new();
    for (name, tool, build) in PROGRAMS {
        if Command::new(tool)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_err()
        {
            println!("SKIPPED: {name} needs `{tool}`, which is not installed");
            continue;
        }
        let folder = scene
            .path(if name == "slide" { "grid" } else { "bots" })
            .join(name);
        fs::create_dir_all(&folder).unwrap();
        for file in fs::read_dir(source.join(name)).unwrap().flatten() {
            fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
        let mut shell = Command::new("sh");
        assert!(
            shell
                .args(["-c", build])
                .current_dir(&folder)
                .status()
                .unwrap()
                .success(),
            "{build}"
        );
        ready.push(name);
    }
    for (folder, options) in [("bots", ""), ("grid", "--variant gridlock --pieces 6 --turns 40")] {
        let players = ready
            .iter()
            .filter(|name| (**name == "slide") == (folder == "grid"))
            .count()
            + 1;
        if players < 2 {
            continue;
        }
        let line = format!(
            "match --engines {folder} --engine cmd=random --each st=20 --games 4 --out {folder}.jsonl --quiet {options}"
        );
        let outcome = scene.referee(&line).exits(0);
        println!("{}", outcome.stdout);
        fs::rename(scene.path(&format!("{folder}.jsonl")), scene.path("games.jsonl")).unwrap();
        assert_no_fault(&scene, 4 * players * (players - 1) / 2);
    }
    scene.assert_no_process_left();
}

/// The example of the manual is the file that the tournament tests.
#[test]
fn manual_shows_a_tested_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let chapter = fs::read_to_string(root.join("docs/adapt.md")).unwrap();
    for name in ["menu", "cave", "board", "slide", "digits"] {
        let file = fs::read_to_string(root.join(format!("tests/adapted/{name}/adapt.toml"))).unwrap();
        // The chapter has its own words for the comment at the beginning.
        let lines = file.lines().skip_while(|line| line.starts_with('#'));
        let body = lines.collect::<Vec<_>>().join("\n");
        assert_has(&chapter, &body);
    }
}
