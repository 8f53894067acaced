//! Transcripts of games lost by a fault, restarts of engines, forfeited pairings,
//! and write errors.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Bot, Outcome, Scene, assert_has, assert_starts, rows, run};

/// Plays a match of the bot `bot` against `random`, with ample time.
fn play(scene: &Scene, options: &str) -> Outcome {
    scene.referee(&format!(
        "match --engine cmd=./bot --engine cmd=random --each st=0.4 timemargin=5000 {options}"
    ))
}

fn transcript(scene: &Scene, name: &str) -> String {
    let path = scene.path(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the files in a folder of the scene.
fn names_in(scene: &Scene, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(scene.path(folder)).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn column(records: &[Value], field: &str) -> Vec<String> {
    let texts = records.iter().map(|record| record[field].as_str().unwrap());
    texts.map(String::from).collect()
}

/// The lines of a transcript without their times.
fn lines_of(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| {
        let (times, rest) = line.split_at_checked(24)?;
        let is_timed = times
            .trim_start()
            .starts_with(|character: char| character.is_ascii_digit());
        is_timed.then(|| rest.to_string())
    });
    lines.collect()
}

#[test]
fn writes_and_names_the_transcript_of_a_lost_game() {
    let scene = Scene::new();
    scene.bot(
        "bot",
        Bot::thinking(
            "[ $games$thinks = 22 ] && { echo 'info string giving up'; echo 'out of ideas' >&2; exit 3; }; legal",
        ),
    );
    let outcome = play(&scene, "--games 2 --openings random:2 --out games.jsonl").exits(0);
    let record = &scene.records()[1];
    assert_eq!(record["reason"], "crash", "{record}");
    assert_eq!(names_in(&scene, "games.faults"), ["game-000002-bot-crash.txt"]);
    let path = "games.faults/game-000002-bot-crash.txt";
    let text = transcript(&scene, path);
    assert_starts(
        &text,
        "Game 2 (round 1) of magnetic-cave: random against bot\n\
             Result: 1-0, crash: bot ended with exit status 3; on stderr: `out of ideas`\nSeed: 1\nStart: 8/8/8/8/8/8/8/8 x\n",
    );
    let moves: Vec<&str> = record["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mv| mv.as_str().unwrap())
        .collect();
    assert_has(&text, &format!("\nOpening: {}\n", moves[..2].join(" ")));
    assert_has(&text, &format!("\nMoves: {}\n", moves[2..].join(" ")));
    assert_has(&text, "\nLast lines of bot on stderr:\n  out of ideas\n");

    let lines = lines_of(&text);
    let upto = |count: usize| format!("position startpos moves {}", moves[..count].join(" "));
    let bots: Vec<&str> = lines
        .iter()
        .filter(|line| line.contains(" bot: "))
        .map(String::as_str)
        .collect();
    let expected = [
        "> bot: ucinewgame".to_string(),
        "> bot: isready".into(),
        "< bot: readyok".into(),
        format!("> bot: {}", upto(3)),
        "> bot: go movetime 400".into(),
        format!("< bot: bestmove {}", moves[3]),
        format!("> bot: {}", upto(5)),
        "> bot: go movetime 400".into(),
        "< bot: info string giving up".into(),
    ];
    assert_eq!(bots, expected);
    // The lines of the opponent are merged by time.
    let index = |line: &str| lines.iter().position(|other| other == line).unwrap();
    let answer = index(&format!("< random: bestmove {}", moves[4]));
    assert!(
        index(&expected[5]) < answer && answer < index(&expected[6]),
        "{text}"
    );

    let named = format!("Transcript: {path}\n");
    assert!(outcome.stdout.contains(&named), "{}", outcome.stdout);
    outcome.shows(&format!("\n  transcript: {path}\n"));
    let report = scene.referee("report games.jsonl");
    assert!(report.stdout.contains(&named), "{report:?}");
    let report = scene.referee("report games.jsonl --json");
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(report["transcripts"], serde_json::json!([path]));

    // A deleted file is not named.
    fs::remove_file(scene.path(path)).unwrap();
    let report = scene.referee("report games.jsonl");
    assert!(!report.stdout.contains("Transcript"), "{report:?}");
}

#[test]
fn transcript_has_only_lines_of_its_game() {
    let scene = Scene::new();
    // The bot moves first in its third game and fails before it, so `random` gets
    // no command in this game.
    scene.bot(
        "bot",
        Bot {
            start: "first_start || exit 7",
            isready: "[ $games = 3 ] && exit 1; echo readyok",
            ..Bot::default()
        },
    );
    play(&scene, "--games 3 --openings random:2 --out games.jsonl").exits(0);
    let text = transcript(&scene, "games.faults/game-000003-bot-crash.txt");
    assert!(text.contains("bot ended with exit status 7"), "{text}");
    assert!(!text.contains("bestmove") && !text.contains("> random"), "{text}");
}

#[test]
fn writes_transcripts_to_the_given_folder_or_not_at_all() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("echo bestmove d4"));
    play(&scene, "--games 1").exits(0);
    let files = names_in(&scene, ".");
    assert!(files.iter().all(|name| name.starts_with("bot")), "{files:?}");

    let outcome = play(&scene, "--games 1 --faults a/b --out games.jsonl").exits(0);
    assert_eq!(names_in(&scene, "a/b"), ["game-000001-bot-illegal.txt"]);
    assert!(!scene.path("games.faults").exists());
    let named = "Transcript: a/b/game-000001-bot-illegal.txt\n";
    assert!(outcome.stdout.contains(named), "{}", outcome.stdout);
    let report = scene.referee("report games.jsonl --faults a/b");
    assert!(report.stdout.contains(named), "{report:?}");
}

#[test]
fn match_continues_if_transcripts_cannot_be_written() {
    let scene = Scene::new();
    // The bot creates a file in place of the folder.
    scene.bot("bot", Bot::thinking(": > games.faults; exit 1"));
    let outcome = play(&scene, "--games 4 --openings random:2 --out games.jsonl").exits(0);
    assert_eq!(column(&scene.records(), "reason"), ["crash"; 4]);
    let warnings = outcome
        .stderr
        .matches("no more transcripts of lost games are written")
        .count();
    assert_eq!(warnings, 1, "{}", outcome.stderr);

    for [options, error] in rows(
        "
        --out games.jsonl | would go to games.faults: Not a directory
        --faults games.faults | --faults games.faults: File exists
        --faults games.faults/x | --faults games.faults/x: Not a directory
    ",
    ) {
        let outcome = play(&scene, &format!("--games 4 --openings random:2 {options}")).exits(2);
        assert!(outcome.stderr.contains(error), "{}", outcome.stderr);
    }
}

#[test]
fn hints_at_unflushed_output() {
    let scene = Scene::new();
    for [go, hint] in rows("
        printf 'bestmove a1'; sleep 60 | ; its last line, `bestmove a1`, has no line end
        sleep 60
            | ; it has written nothing since `go`: its output is not flushed, which is the usual cause, or it is in an endless loop
        echo info depth 1; sleep 60 | ; it wrote 1 `info` line but no `bestmove`: does its search end in time?
    ") {
        let path = scene.bot("bot", Bot::thinking(go));
        let outcome = scene.referee(&format!(
            "match --engine cmd={path} --engine cmd=random timemargin=5000 --each st=0.2 \
             --games 1 --json"
        )).exits(0);
        let detail = format!("\"detail\":\"bot gave no move within 0.200 s{hint}\"");
        assert!(outcome.stdout.contains(&detail), "{}", outcome.stdout);
    }
}

#[test]
fn suggests_flushing_if_a_bot_never_writes() {
    let scene = Scene::new();
    scene.bot("bot", Bot::greeting(":"));
    let outcome = play(&scene, "").exits(3);
    let error = "bot does not complete the handshake: bot gave no `uciok` within 10.000 s; \
                 it has written nothing at all: is its standard output flushed?";
    assert!(outcome.stderr.contains(error), "{}", outcome.stderr);
}

/// A bot whose first process crashes in its first game, and which cannot be
/// restarted.
fn bot_that_cannot_restart(scene: &Scene) {
    scene.bot(
        "bot",
        Bot {
            start: "first_start || exit 9",
            go: "exit 1",
            ..Bot::default()
        },
    );
}

#[test]
fn waits_longer_before_each_failed_restart() {
    let scene = Scene::new();
    bot_that_cannot_restart(&scene);
    let outcome = play(&scene, "--games 5 --openings random:2 --out games.jsonl --quiet").exits(0);
    // The delays before the starts are 0, 0, 0.1, 0.2 and 0.4 seconds.
    assert_eq!(scene.processes("bot").len(), 5);
    assert!(outcome.took >= Duration::from_millis(700), "{:?}", outcome.took);
    let records = scene.records();
    assert_eq!(column(&records, "reason"), ["crash"; 5]);
    assert_eq!(records[1]["detail"], "bot ended with exit status 9");
    outcome.shows("Faults of bot: 5 crash\n");
    let report = scene.referee("report games.jsonl --json");
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    let bot = report["players"]
        .as_array()
        .unwrap()
        .iter()
        .find(|player| player["name"] == "bot");
    assert_eq!(bot.unwrap()["faults"], serde_json::json!({"crash": 5}));
}

#[test]
fn signal_interrupts_the_wait_before_a_restart() {
    let scene = Scene::new();
    bot_that_cannot_restart(&scene);
    let mut command = scene.command(
        "match --engine cmd=./bot --engine cmd=random --games 1000 --openings random:2 \
         --out games.jsonl --quiet",
    );
    let start = Instant::now();
    let mut child = command
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The delay after the sixth start is 1.6 seconds.
    while fs::read_to_string(scene.path("bot.pids")).map_or(0, |text| text.lines().count()) < 6 {
        assert!(start.elapsed() < Duration::from_mins(1));
        thread::sleep(Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let games = scene.records().len();
    assert!((5..7).contains(&games), "{games} games");
}

#[test]
fn forfeits_the_remaining_games_of_a_pairing() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("exit 1"));
    let options = "--games 6 --openings random:2 --forfeit-after 3 --out games.jsonl --pgn games.pgn";
    let outcome = play(&scene, options).exits(0);
    let records = scene.records();
    assert_eq!(
        column(&records, "reason"),
        ["crash", "crash", "crash", "forfeit", "forfeit", "forfeit"]
    );
    assert_eq!(
        column(&records, "result"),
        ["0-1", "1-0", "0-1", "1-0", "0-1", "1-0"]
    );
    for record in &records[3..] {
        assert_eq!(
            record["detail"],
            "bot lost 3 games in a row against random by faults; the rest of the pairing is given up"
        );
        assert_eq!(record["moves"].as_array().unwrap().len(), 2, "{record}");
        assert_eq!(record["opening_plies"], 2);
        assert_eq!(
            (&record["ms"], &record["score"]),
            (&Value::Array(vec![]), &Value::Array(vec![]))
        );
    }
    assert_eq!(records[4]["moves"], records[5]["moves"], "a pair has one opening");
    assert_eq!(scene.processes("bot").len(), 3, "not started for forfeited games");
    let faults = "Faults of bot: 3 crash, 3 forfeit\n";
    assert!(outcome.stdout.contains(faults), "{}", outcome.stdout);
    assert_eq!(
        names_in(&scene, "games.faults").len(),
        3,
        "forfeited games have no transcript"
    );
    let pgn = scene.text("games.pgn");
    assert_eq!(pgn.matches("[Termination \"adjudication\"]").count(), 3, "{pgn}");
    let report = scene.referee("report games.jsonl").exits(0);
    assert!(report.stdout.contains(faults), "{report:?}");

    // Without the option it is another match.
    let other = play(&scene, "--games 6 --openings random:2 --out games.jsonl").exits(2);
    let difference = "schedule.forfeit_after was 3, now not given";
    assert!(other.stderr.contains(difference), "{}", other.stderr);
    // Added games of a forfeited pairing are forfeited too.
    play(&scene, &options.replace("--games 6", "--games 8")).exits(0);
    // The seventh line is the header of the longer match.
    let grown = scene.records().split_off(7);
    assert_eq!(column(&grown, "reason"), ["forfeit"; 2]);
}

#[test]
fn resumed_match_forfeits_the_same_games() {
    let scene = Scene::new();
    let options = "--games 6 --openings random:2 --forfeit-after 3 --out games.jsonl --quiet";
    scene.bot("bot", Bot::thinking("exit 1"));
    assert_eq!(play(&scene, options).status, Some(0));
    let whole = scene.text("games.jsonl");
    let without_times = |text: &str| -> Vec<Value> {
        let objects = text.lines().map(|line| serde_json::from_str(line).unwrap());
        objects
            .map(|mut object: Value| {
                for times in ["ms", "started", "ended"] {
                    object.as_object_mut().unwrap().remove(times);
                }
                object
            })
            .collect()
    };
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 7);
    for kept in 1..lines.len() {
        scene.file("games.jsonl", &lines[..kept].concat());
        play(&scene, options).exits(0);
        let again = scene.text("games.jsonl");
        assert_eq!(
            without_times(&again),
            without_times(&whole),
            "{kept} lines were kept"
        );
    }
}

#[test]
fn other_pairings_continue_after_a_forfeit() {
    for format in ["round-robin", "swiss --rounds 3", "round-robin --concurrency 2"] {
        let scene = Scene::new();
        scene.bot("bot", Bot::thinking("echo bestmove d4"));
        scene
            .referee(&format!(
                "match --engine cmd=./bot --engine cmd=random --engine cmd=plain --engine cmd=groups \
             --each st=1 depth=1 timemargin=5000 --games 4 --openings random:2 --forfeit-after 1 \
             --out games.jsonl --quiet --format {format}"
            ))
            .exits(0);
        let records = scene.records();
        assert_eq!(records.len(), 24, "{format}");
        for record in &records {
            let has_bot = record["first"] == "bot" || record["second"] == "bot";
            let is_fault = record["reason"] == "illegal" || record["reason"] == "forfeit";
            assert_eq!(has_bot, is_fault, "{format}: {record}");
        }
        let forfeited = column(&records, "reason")
            .iter()
            .filter(|reason| *reason == "forfeit")
            .count();
        if !format.contains("concurrency") {
            assert_eq!(forfeited, 9, "{format}");
        }
        scene.referee("report games.jsonl").exits(0);
    }
}

#[test]
fn forfeited_games_count_in_an_sprt() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("exit 1"));
    play(
        &scene,
        "--games 200 --openings random:3 --forfeit-after 2 --sprt elo0=0 elo1=400 \
         --out games.jsonl --quiet",
    )
    .exits(0);
    let lines = scene.results("games.jsonl");
    let end = lines.last().unwrap();
    assert_eq!(end["sprt"]["accepted"], "H0", "{end}");
    assert_eq!(scene.processes("bot").len(), 2);
}

/// Runs the referee with a limit on the size of files, in blocks of 512 bytes, to
/// simulate a full disk.
fn on_a_full_disk(scene: &Scene, blocks: u64, line: &str) -> Outcome {
    let referee = env!("CARGO_BIN_EXE_referee");
    let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{referee}' {line}");
    let mut command = Command::new("sh");
    command.args(["-c", &limited]).current_dir(scene.path(""));
    run(&mut command, "")
}

#[test]
fn rejects_unusable_paths_before_the_first_game() {
    let scene = Scene::new();
    scene.folder("folder");
    let at_the_end = "--engine cmd=random --engine cmd=random";
    for [options, error] in rows(
        "
        --out folder | --out folder: Is a directory
        --out no/games.jsonl | --out no/games.jsonl: No such file
        --out /dev/full | --out /dev/full: No space left on device
        --pgn folder | --pgn folder: Is a directory
        --pgn no/games.pgn | --pgn no/games.pgn: No such file
        --save-config folder | --save-config folder: Is a directory
        --save-config no/match.toml | --save-config no/match.toml: No such file
        --save-config /dev/full | --save-config /dev/full: No space left on device
        --faults /dev/full | --faults /dev/full: File exists
        --faults /dev/full/x | --faults /dev/full/x: Not a directory
        --each stderr=folder | `stderr=folder`: Is a directory
        --each stderr=no/log | `stderr=no/log`: No such file
    ",
    ) {
        let outcome = scene.referee(&format!("match {options} {at_the_end}")).exits(2);
        assert!(outcome.stderr.contains(error), "{options}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{options}");
        assert_eq!(names_in(&scene, "."), ["folder"], "{options}");
    }
}

#[test]
fn full_disk_is_reported_and_loses_no_data() {
    let scene = Scene::new();
    let outcome = on_a_full_disk(&scene, 0, "match random random --save-config match.toml");
    assert_eq!(outcome.status, Some(2), "{outcome:?}");
    assert!(
        outcome
            .stderr
            .contains("--save-config match.toml: File too large")
    );
    assert!(
        !scene.path("match.toml").exists(),
        "a partial file would block the next attempt"
    );

    let outcome = on_a_full_disk(
        &scene,
        8,
        "match random random --games 1000 --pgn games.pgn --quiet",
    );
    assert_eq!(outcome.status, Some(4), "{outcome:?}");
    outcome.says("the games cannot be written as PGN any more: File too large");
    let pgn = scene.text("games.pgn");
    let games = pgn.matches("[Event ").count();
    assert!(games > 0 && pgn.ends_with('\n'), "{pgn}");
    outcome.shows(&format!("] {games}\n"));

    let outcome = scene
        .referee("match random random --out games.jsonl --pgn /dev/full --quiet")
        .exits(4);
    assert!(outcome.stderr.contains("/dev/full: No space left on device"));
    assert_eq!(scene.records().len(), 2);
}

#[test]
fn reports_a_failed_copy_of_stderr_at_any_time() {
    // At the start, during a game, with a crash, and at the end.
    for bot in [
        Bot {
            start: "echo hello >&2",
            ..Bot::default()
        },
        Bot::thinking("echo sorry >&2; echo bestmove d4"),
        Bot::thinking("echo sorry >&2; exit 1"),
        Bot {
            quit: "echo bye >&2; exit 0",
            ..Bot::default()
        },
    ] {
        let scene = Scene::new();
        let path = scene.bot("bot", bot);
        let outcome = scene
            .referee(&format!(
                "match --engine cmd={path} stderr=/dev/full --engine cmd=random --each st=0.4 \
             timemargin=5000 --games 1 --out games.jsonl --quiet"
            ))
            .exits(4);
        let error = "cannot save the stderr of an engine: No space left on device";
        assert!(outcome.stderr.contains(error), "{}", outcome.stderr);
        assert_eq!(scene.records().len(), 1, "{bot:?}: the game is saved");
        scene.assert_no_bot_left();
    }
}
