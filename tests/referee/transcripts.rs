//! Transcripts of games lost by a fault, restarts of engines, forfeited pairings,
//! and write errors.

use std::fs;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::recorded::{column, json_report, moves, player, text, timeless};
use crate::support::{
    Bot, Outcome, Scene, assert_has, assert_lacks, assert_rows, expect, json_lines, run, wait_until,
};

/// Plays a match of the bot `bot` against `random`, with ample time.
fn play(scene: &Scene, options: &str) -> Outcome {
    let players = "--engine cmd=./bot --engine cmd=random --each st=0.4 timemargin=5000";
    scene.referee(&format!("match {players} {options}"))
}

/// The names of the files in a folder of the scene.
fn names_in(scene: &Scene, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(scene.path(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
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
    let go =
        "[ $games$thinks = 22 ] && { echo 'info string giving up'; echo 'out of ideas' >&2; exit 3; }; legal";
    scene.bot("bot", Bot::thinking(go));
    let outcome = play(&scene, "--games 2 --openings random:2 --out games.jsonl").exits(0);
    let record = &scene.records()[1];
    assert_eq!(record["reason"], "crash", "{record}");
    assert_eq!(names_in(&scene, "games.faults"), ["game-000002-bot-crash.txt"]);
    let path = "games.faults/game-000002-bot-crash.txt";
    let text = scene.text(path);
    let (begin, _) = text.split_once("Opening: ").unwrap();
    expect![[r#"
        Game 2 (round 1) of magnetic-cave: random against bot
        Result: 1-0, crash: bot ended with exit status 3; on stderr: `out of ideas`
        Seed: 1
        Start: 8/8/8/8/8/8/8/8 x
    "#]]
    .assert_eq(begin);
    let moves = moves(record);
    assert_has(&text, format!("\nOpening: {}\n", moves[..2].join(" ")));
    assert_has(&text, format!("\nMoves: {}\n", moves[2..].join(" ")));
    assert_has(&text, "\nLast lines of bot on stderr:\n  out of ideas\n");

    let lines = lines_of(&text);
    let upto = |count: usize| format!("position startpos moves {}", moves[..count].join(" "));
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
    let bots = lines.iter().filter(|line| line.contains(" bot: "));
    assert_eq!(bots.collect::<Vec<_>>(), expected.each_ref());
    // The lines of the opponent are merged by time.
    let index = |line: &str| lines.iter().position(|other| other == line).unwrap();
    let answer = index(&format!("< random: bestmove {}", moves[4]));
    assert!(
        (index(&expected[5])..index(&expected[6])).contains(&answer),
        "{text}"
    );

    let named = format!("Transcript: {path}\n");
    outcome.shows(&named).shows(format!("\n  transcript: {path}\n"));
    scene.referee("report games.jsonl").shows(&named);
    assert_eq!(json_report(&scene, "games.jsonl")["transcripts"], json!([path]));
    // A deleted file is not named.
    scene.remove(path);
    assert_lacks(scene.referee("report games.jsonl").stdout, "Transcript");
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
    let text = scene.text("games.faults/game-000003-bot-crash.txt");
    assert_has(&text, "bot ended with exit status 7");
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
    outcome.shows(named);
    scene.referee("report games.jsonl --faults a/b").shows(named);
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
        .matches("no more transcripts of lost games are written");
    assert_eq!(warnings.count(), 1, "{}", outcome.stderr);

    let table = expect![[r#"
        --out games.jsonl | would go to games.faults: Not a directory
        --faults games.faults | --faults games.faults: File exists
        --faults games.faults/x | --faults games.faults/x: Not a directory
    "#]];
    assert_rows(table, |[options]| {
        let outcome = play(&scene, &format!("--games 4 --openings random:2 {options}"));
        outcome.exits(2).stderr
    });
}

/// A bot whose first process crashes in its first game, and which cannot be
/// restarted.
const CANNOT_RESTART: Bot<'_> = Bot {
    start: "first_start || exit 9",
    uci: "echo uciok",
    isready: "echo readyok",
    query: ":",
    go: "exit 1",
    quit: "exit 0",
};

#[test]
fn waits_longer_before_each_failed_restart() {
    let scene = Scene::new();
    scene.bot("bot", CANNOT_RESTART);
    let outcome = play(&scene, "--games 5 --openings random:2 --out games.jsonl --quiet").exits(0);
    // The delays before the starts are 0, 0, 0.1, 0.2 and 0.4 seconds.
    assert_eq!(scene.processes("bot").len(), 5);
    assert!(outcome.took >= Duration::from_millis(700), "{:?}", outcome.took);
    let records = scene.records();
    assert_eq!(column(&records, "reason"), ["crash"; 5]);
    let details = [1, 9, 9, 9, 9].map(|status| format!("bot ended with exit status {status}"));
    assert_eq!(column(&records, "detail"), details);
    outcome.shows("Faults of bot: 5 crash\n");
    let report = json_report(&scene, "games.jsonl");
    assert_eq!(player(&report, "bot")["faults"], json!({"crash": 5}));
}

#[test]
fn signal_interrupts_the_wait_before_a_restart() {
    let scene = Scene::new();
    scene.bot("bot", CANNOT_RESTART);
    let referee =
        scene.start("match ./bot random --games 1000 --openings random:2 --out games.jsonl --quiet");
    // The delay after the sixth start is 1.6 seconds.
    wait_until("the sixth start", || {
        fs::read_to_string(scene.path("bot.pids")).is_ok_and(|text| text.lines().count() >= 6)
    });
    referee.end_by(Signal::INT).exits(130);
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
    let reasons = ["crash", "crash", "crash", "forfeit", "forfeit", "forfeit"];
    assert_eq!(column(&records, "reason"), reasons);
    assert_eq!(
        column(&records, "result"),
        ["0-1", "1-0", "0-1", "1-0", "0-1", "1-0"]
    );
    for record in &records[3..] {
        expect! {"bot lost 3 games in a row against random by faults; the rest of the pairing is forfeited"}
            .assert_eq(text(record, "detail"));
        assert_eq!((moves(record).len(), &record["opening_plies"]), (2, &json!(2)));
        assert_eq!([&record["ms"], &record["score"]], [&json!([]), &json!([])]);
    }
    assert_eq!(records[4]["moves"], records[5]["moves"], "a pair has one opening");
    assert_eq!(scene.processes("bot").len(), 3, "not started for forfeited games");
    let faults = "Faults of bot: 3 crash, 3 forfeit\n";
    outcome.shows(faults);
    let transcripts = names_in(&scene, "games.faults");
    assert_eq!(transcripts.len(), 3, "forfeited games have no transcript");
    let pgn = scene.text("games.pgn");
    assert_eq!(pgn.matches("[Termination \"adjudication\"]").count(), 3, "{pgn}");
    scene.referee("report games.jsonl").exits(0).shows(faults);

    // A match that was stopped after any game forfeits the same games.
    let whole = scene.text("games.jsonl");
    let records = |text: &str| -> Vec<Value> { json_lines(text).iter().skip(1).map(timeless).collect() };
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 7);
    for kept in 1..lines.len() {
        scene.file("games.jsonl", &lines[..kept].concat());
        play(&scene, options).exits(0);
        assert_eq!(
            records(&scene.text("games.jsonl")),
            records(&whole),
            "{kept} lines"
        );
    }
    // Added games of a forfeited pairing are forfeited too.
    play(&scene, &options.replace("--games 6", "--games 8")).exits(0);
    // The seventh line is the header of the longer match.
    let grown = scene.records().split_off(7);
    assert_eq!(column(&grown, "reason"), ["forfeit"; 2]);
}

#[test]
fn other_pairings_continue_after_a_forfeit() {
    for format in ["round-robin", "swiss rounds=3", "round-robin --concurrency 2"] {
        let scene = Scene::new();
        scene.bot("bot", Bot::thinking("echo bestmove d4"));
        let each = "--each st=1 depth=1 timemargin=5000 --games 4 --openings random:2 --forfeit-after 1";
        let line = format!("match ./bot random plain groups {each} --format {format}");
        scene
            .referee(&format!("{line} --out games.jsonl --quiet"))
            .exits(0);
        let records = scene.records();
        assert_eq!(records.len(), 24, "{format}");
        for record in &records {
            let has_bot = record["first"] == "bot" || record["second"] == "bot";
            let is_fault = record["reason"] == "illegal" || record["reason"] == "forfeit";
            assert_eq!(has_bot, is_fault, "{format}: {record}");
        }
        let forfeited = records.iter().filter(|record| record["reason"] == "forfeit");
        if !format.contains("concurrency") {
            assert_eq!(forfeited.count(), 9, "{format}");
        }
        scene.referee("report games.jsonl").exits(0);
    }
}

#[test]
fn forfeited_games_count_in_an_sprt() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("exit 1"));
    let test = "--games 200 --openings random:3 --forfeit-after 2 --sprt elo0=0 elo1=400";
    play(&scene, &format!("{test} --out games.jsonl --quiet")).exits(0);
    let end = scene.results("games.jsonl").pop().unwrap();
    assert_eq!(end["sprt"]["accepted"], "H0", "{end}");
    assert_eq!(scene.processes("bot").len(), 2);
}

#[test]
fn rejects_unusable_paths_before_the_first_game() {
    let scene = Scene::new();
    scene.folder("folder");
    scene.bot("bot", Bot::default());
    let table = expect![[r#"
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
    "#]];
    assert_rows(table, |[options]| {
        let line = format!("match {options} --engine cmd=./bot --engine cmd=random");
        let error = scene.refused(&line);
        // The configuration has the names of the engines' options.
        let is_started = scene.path("bot.pids").exists();
        assert_eq!(is_started, options.starts_with("--save-config"), "{options}");
        let mut files = names_in(&scene, ".");
        files.retain(|name| !name.starts_with("bot"));
        assert_eq!(files, ["folder"], "{options}");
        scene.remove("bot.pids");
        error
    });
}

/// Runs the referee with a limit on the size of files, in blocks of 512 bytes, to
/// simulate a full disk.
pub fn on_a_full_disk(scene: &Scene, blocks: u64, line: &str) -> Outcome {
    let referee = env!("CARGO_BIN_EXE_referee");
    let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{referee}' {line}");
    let mut command = Command::new("sh");
    command.args(["-c", &limited]).current_dir(scene.path(""));
    run(&mut command, "")
}

#[test]
fn full_disk_is_reported_and_loses_no_data() {
    let scene = Scene::new();
    let outcome = on_a_full_disk(&scene, 0, "match random random --save-config match.toml");
    outcome
        .exits(2)
        .says(expect! {"--save-config match.toml: File too large"});
    let is_there = scene.path("match.toml").exists();
    assert!(!is_there, "a partial file would block the next attempt");

    let line = "match random random --games 1000 --pgn games.pgn --quiet";
    let outcome = on_a_full_disk(&scene, 8, line).exits(4);
    outcome.says(expect! {"the games cannot be written as PGN any more: File too large"});
    let pgn = scene.text("games.pgn");
    let games = pgn.matches("[Event ").count();
    assert!(games > 0 && pgn.ends_with('\n'), "{pgn}");
    outcome.shows(format!("] {games}\n"));
}

#[test]
fn reports_a_failed_copy_of_stderr_at_any_time() {
    // At the start, during a game, with a crash, and at the end.
    let (start, quit) = ("echo hello >&2", "echo bye >&2; exit 0");
    let bots = [
        Bot {
            start,
            ..Bot::default()
        },
        Bot::thinking("echo sorry >&2; echo bestmove d4"),
        Bot::thinking("echo sorry >&2; exit 1"),
        Bot {
            quit,
            ..Bot::default()
        },
    ];
    for (bot, games) in bots.into_iter().zip([1, 1, 1, 2]) {
        let scene = Scene::new();
        scene.bot("bot", bot);
        let players = "--engine cmd=./bot stderr=/dev/full --engine cmd=random --each st=0.4 timemargin=5000";
        let line = format!("match {players} --games 2 --out games.jsonl --quiet");
        let outcome = scene.referee(&line).exits(4);
        outcome.says(expect! {"cannot save the stderr of an engine: No space left on device"});
        assert_eq!(scene.records().len(), games, "{bot:?}: the games are saved");
        scene.assert_no_bot_left();
    }
}

#[test]
fn what_a_program_writes_when_it_is_ended_is_kept() {
    let scene = Scene::new();
    let trap = "trap 'echo the client said: no move >&2; exit' TERM";
    scene.bot(
        "bot",
        Bot {
            start: trap,
            ..Bot::thinking("sleep 60 & wait")
        },
    );
    let line = "match --engine cmd=./bot st=0.2 --engine cmd=random st=60 --games 1 --out games.jsonl";
    // A busy machine may leave a program no processor in this moment.
    let is_kept = (0..20).any(|_| {
        scene.referee(line).exits(0);
        scene.assert_no_bot_left();
        scene.remove("games.jsonl");
        let transcript = scene.text("games.faults/game-000001-bot-stall.txt");
        transcript.contains("Last lines of bot on stderr:\n  the client said: no move\n")
    });
    assert!(is_kept);
}

#[test]
fn the_error_of_a_child_comes_before_the_last_words_of_its_parent() {
    let scene = Scene::new();
    let go = "echo 'IndexError: list index' >&2; for i in 1 2 3 4 5 6 7 8 9; do echo \"  File line $i\" >&2; done; \
              echo 'RuntimeError: the agent has ended' >&2; exit 1";
    scene.bot("bot", Bot::thinking(go));
    scene
        .referee("match ./bot random --games 1 --each st=60 --out games.jsonl")
        .exits(0);
    let record = &scene.records()[0];
    expect! {"bot ended with exit status 1; on stderr: `IndexError: list index`, then `RuntimeError: the agent has ended`"}
        .assert_eq(text(record, "detail"));
    let go = "echo 'OSError: [Errno 98] Address already in use' >&2; exit 1";
    scene.bot("bot", Bot::thinking(go));
    let outcome = scene
        .referee("match ./bot random --games 1 --each st=60")
        .exits(0);
    outcome.shows(expect! {"bot ended with exit status 1; its port is in use, by another program, its opponent or this bot in another game; port 0 is a free one, and `--sandbox=strict` gives each bot its own network"});
}
