//! `referee check`: each fault of the zoo is found by its check, and the command.

use std::io::{BufRead, BufReader};

use referee::CHECKS;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::driver::Driver;
use crate::rules::{Rules, sized};
use crate::support::{
    Bot, Scene, assert_has, assert_has_all, assert_lacks, assert_rows, expect, for_all, joined, json_lines,
    zoo,
};
use crate::zoo::listed;
use crate::zoo_table::{Row, all};

/// The exit status after Ctrl-C.
const INTERRUPTED: i32 = 130;

/// What `referee check --json` printed.
struct Checked {
    status: Option<i32>,
    /// The objects of the checks, without the summary.
    checks: Vec<Value>,
    summary: Value,
}

impl Checked {
    /// Checks a bot of the zoo.
    fn of(name: &str, options: &str) -> Checked {
        Checked::program(&Checked::words(name, options), false)
    }

    fn words(name: &str, options: &str) -> String {
        format!("{options} -- {} {name}", zoo().display())
    }

    /// Runs `referee check --json` with these words, and asserts that no process is left. If
    /// asked for, interrupts it after the first failed check.
    fn program(words: &str, is_interrupted: bool) -> Checked {
        let scene = Scene::new();
        let mut referee = scene.start(&format!("check --json {words}"));
        let mut checks: Vec<Value> = Vec::new();
        for line in BufReader::new(referee.child.stdout.take().unwrap()).lines() {
            let check: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if is_interrupted && has_failed(&check) && !checks.iter().any(has_failed) {
                referee.signal(Signal::INT);
            }
            checks.push(check);
        }
        let outcome = referee.end();
        scene.assert_no_process_left();
        let stderr = if is_interrupted {
            "referee: interrupted\n"
        } else {
            ""
        };
        assert_eq!(outcome.messages(), stderr, "{words}");
        let summary = checks.pop().unwrap()["summary"].clone();
        Checked {
            status: outcome.status,
            checks,
            summary,
        }
    }

    /// The names of the checks with this status.
    fn with_status(&self, status: &str) -> Vec<&str> {
        let checks = self.checks.iter().filter(|check| check["status"] == status);
        checks.map(|check| check["check"].as_str().unwrap()).collect()
    }

    /// The first failed check of the highest level, and its report.
    fn first_failed(&self) -> Option<(&str, String)> {
        let of_level = |level: &&str| {
            let mut checks = self.checks.iter();
            checks.find(|check| has_failed(check) && check["level"] == *level)
        };
        let levels = ["required", "recommended", "optional"];
        let failed = levels.iter().find_map(of_level)?;
        Some((failed["check"].as_str()?, report(failed)))
    }
}

fn has_failed(check: &Value) -> bool {
    check["status"] == "failed"
}

/// What a failed check says to its reader.
fn report(check: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), String::from);
    let parts = ["problem", "stderr", "expected", "hint"];
    parts
        .map(|part| format!("{part}: {}", text(&check[part])))
        .join("\n")
}

/// The four combinations of game and dialect.
const GAMES: [&str; 4] = [
    "--variant magnetic-cave",
    "--variant gridlock",
    "--variant magnetic-cave --proto ugi",
    "--variant gridlock --proto ugi",
];

/// Asserts that a bot passes all checks but these, which its dialect or it itself lacks.
fn assert_passes(words: &str, checked: &Checked, skipped: &[&str]) {
    if let Some((name, report)) = checked.first_failed() {
        panic!("{words}: {name}\n{report}");
    }
    let is_fit = checked.status == Some(0) && checked.summary["fit"] == true;
    assert!(
        is_fit && checked.with_status("skipped") == skipped && checked.checks.len() == CHECKS.len(),
        "{words}: status {:?}, {}",
        checked.status,
        checked.summary
    );
}

#[test]
fn interrupt_shows_the_results_so_far_and_ends_the_bot() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("touch waits"));
    for options in ["", "--json"] {
        scene
            .interrupted(&format!("check {options} {bot}"))
            .exits(INTERRUPTED);
        scene.assert_no_bot_left();
    }
}

#[test]
fn only_the_named_checks_run() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::default());
    let text = scene
        .referee(&format!("check --only quit --only startpos {bot}"))
        .succeeds()
        .stdout;
    assert_has_all(
        &text,
        ["  ok    startpos ", "  ok    quit ", "2 checks: 2 passed.\n"],
    );
    assert!(
        !text.contains("is ready for a match"),
        "not all checks were run: {text}"
    );

    // A recommended check does not change the exit status.
    let lines = json_lines(
        &scene
            .referee(&format!("check --json --only id {bot}"))
            .exits(0)
            .stdout,
    );
    assert_eq!(lines.len(), 2);
    assert_eq!([&lines[0]["check"], &lines[0]["status"]], ["id", "failed"]);
    assert_eq!(lines[1]["summary"]["failed_recommended"], json!(["id"]));
}

#[test]
fn failed_check_shows_the_dialogue() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("echo bestmove d4"));
    let outcome = scene.referee(&format!("check --only startpos {bot}")).exits(1);
    for part in [
        "Checking bot: Magnetic Cave, UCI\n",
        "  FAIL  startpos ",
        "  position startpos\n",
        "  go movetime 100\n",
        "  bestmove d4\n",
    ] {
        outcome.shows(part);
    }
    for sentence in [
        expect! {"        problem   bot played d4, which is illegal: d4 "},
        expect! {"        expected  one of 16 legal moves, such as `bestmove a8`"},
        expect! {"        see       protocol.md, \"For bot authors: the minimum\""},
        expect! {"Failed, required: startpos."},
        expect! {"bot is not ready for a match yet."},
    ] {
        outcome.shows(sentence);
    }
}

#[test]
fn what_the_bot_reported_before_its_fault_is_quoted() {
    let scene = Scene::new();
    let table = expect![[r#"
        exit 0 | bot ended with exit status 0; it reported `line 3`
        echo bestmove A 4 | a4`; it reported `line 3`
        echo bestmove d4 | it reported `line 3`
    "#]];
    assert_rows(table, |[go]| {
        let go = format!("echo info string error: line 3; {go}");
        let bot = scene.bot("bot", Bot::thinking(&go));
        let outcome = scene.referee(&format!("check --only startpos {bot}")).exits(1);
        let text = joined(&outcome.stdout);
        assert_lacks(&text, "read lines in a loop");
        text
    });
}

#[test]
fn slow_bot_that_has_answered_does_flush() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("sleep 2; legal"));
    let outcome = scene.referee(&format!("check --only startpos --only movetime-50 {bot}"));
    outcome.shows(expect! {"bot sent no move within 0.050 s"});
}

#[test]
fn an_answer_to_an_idle_stop_is_reported_by_one_check_only() {
    let only = "--only startpos --only stop-idle --only output";
    // On a busy machine the answer may be late.
    let mut checks = (0..10).map(|_| Checked::of("answers-idle-stop", only));
    assert!(checks.any(|checked| checked.with_status("failed") == ["stop-idle"]));
}

#[test]
fn a_bot_is_asked_more_than_once_and_for_a_move_as_long_as_in_a_match() {
    let scene = Scene::new();
    let once = Bot {
        isready: "[ \"$asked\" ] && exit 3; asked=1; echo readyok",
        ..Bot::default()
    };
    let bot = scene.bot("once", once);
    let outcome = scene.referee(&format!("check --only isready {bot}")).exits(1);
    outcome.shows(expect! {"once ended with exit status 3"});
    let go = "case $line in *depth*) ;; *) legal ;; esac";
    let bot = scene.bot("endless", Bot::thinking(go));
    scene
        .referee(&format!("check --only startpos --only depth {bot}"))
        .shows(expect! {"endless sent no move within 3.000 s"});
}

#[test]
fn wrong_commands_are_rejected() {
    let scene = Scene::new();
    let table = expect![[r#"
        --only fenn lodestone | 2 | unknown check `fenn`; did you mean `fen`?
        --variant chess lodestone | 2 | `chess`
        --proto uxi lodestone | 2 | uxi
        human | 2 | a human player cannot be checked
        ./no-such-bot | 3 | no-such-bot
        -- ./no-such-bot --json | 3 | no-such-bot
        --rules ./no-such-game random | 5 | the rules program: `./no-such-game` does not exist
        --rules cmd=false -- random | 5 | the rules program: false did not complete the handshake
        cmd=false | 1 | FAIL  handshake
        --variant gridlock | 2 | Usage
        --only handshake cmd=lodestone option.Hash=0 | 1 | does not take `option.Hash=0`
    "#]];
    assert_rows(table, |[words, status]| {
        let outcome = scene
            .referee(&format!("check {words}"))
            .exits(status.parse().unwrap());
        outcome.stdout + &outcome.stderr
    });
}

#[test]
fn folder_of_submissions_is_checked_whole() {
    let scene = Scene::new();
    for (name, bot) in [
        ("good", Bot::default()),
        (
            "late",
            Bot {
                go: "echo out of luck >&2; exit 3",
                ..Bot::default()
            },
        ),
    ] {
        let path = scene.bot(name, bot);
        std::fs::create_dir_all(scene.path("all").join(name)).unwrap();
        std::fs::rename(scene.path(&path), scene.path("all").join(name).join("run")).unwrap();
    }
    std::fs::create_dir(scene.path("all/empty")).unwrap();
    scene.script("game", &Rules::default().script());
    let outcome = scene.referee("check --only startpos --only quit -j 2 --out reports all");
    let outcome = outcome.exits(1);
    outcome.shows("ok    good   2 checks passed\nFAIL  late   failed, required: startpos; first: ended with exit status 3 (out of luck)\n");
    outcome.shows(
        "3 submissions: 2 not ready for a match; for the others, some required checks were not \
        run\nNext: send the authors their reports, such as reports/empty.txt.\n",
    );
    outcome.shows(expect! {"FAIL  empty  all/empty has no "});
    assert!(scene.text("reports/late.txt").contains("try       "));
    assert!(
        scene
            .text("reports/good.txt")
            .starts_with("Checking good: Magnetic Cave, UCI\n")
    );
    let mut program = Driver::on_terminal(&scene, "check -j 2 all");
    program.until_screen("which bot is being checked", |screen| {
        let is_named = |line: &String| line.contains("of 3 submissions") && line.contains("good");
        screen.iter().any(is_named)
    });
    program.talk("^C");
    program.ends(130);
    scene.assert_refused(
        "check --out reports ./all/good",
        expect! {"--out is for a folder of submissions"},
    );
    // A folder has no arguments, so options may follow it.
    for line in [
        "check --only quit --json all",
        "check all --only quit --json",
        "check --only quit ./all/ --json --out more",
        "check --json --only quit -- all",
    ] {
        let bots = scene.referee(line).exits(1);
        assert_eq!((bots.stdout.lines().count(), &*bots.stderr), (3, ""), "{line}");
    }
    assert!(scene.path("more/good.txt").exists());
    let table = expect![[r#"
        check all other
            | `all` is a folder of submissions, which has no arguments; found `other`; only options may follow it
        check --rules ./game all st=2 | found `st=2`; a setting of all bots is `--each st=2`
        check all late | found `late`; to check one of them, write `referee check all/late`
        check all all | found `all`; only options
        check all --only quit all | found `all`; only options
        check all --jsn | a similar argument exists: '--json'
        check all -json | -json: --json
        check all --out | a value is required for '--out <DIR>'
        check -- all --json | `all` is a folder of submissions, which has no arguments; found `--json`
    "#]];
    assert_rows(table, |[line]| scene.refused(line));
}

#[test]
fn a_bot_never_runs_without_the_sandbox_that_was_meant() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::default());
    for word in ["sandbox=on", "--sandbox", "--sandbox=strict", "--sandbox-read"] {
        scene.assert_refused(
            &format!("check {bot} {word}"),
            format!("`{word}` would be an argument of "),
        );
    }
}

#[test]
fn arguments_after_the_program_are_its_own() {
    let scene = Scene::new();
    let start = "echo \"$@\" >> arguments";
    let bot = scene.bot(
        "bot",
        Bot {
            start,
            ..Bot::default()
        },
    );
    for dashes in ["", "--"] {
        scene.remove("arguments");
        let line = format!("check --only isready {dashes} {bot} --only fen --json");
        let outcome = scene.referee(&line).exits(0);
        outcome.says(expect! {"warning: `--only` is an argument of"});
        assert_eq!(scene.text("arguments"), "--only fen --json\n");
    }
}

/// An agent that uses the time of its course is fit at that time; it knows no shorter one. The same holds for a clock
/// and for a search to a depth.
#[test]
fn a_bot_is_checked_at_the_time_of_its_course() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("sleep 0.3; legal"));
    let only = "--only startpos --only movetime --only movetime-200";
    let fast = scene
        .referee(&format!("check --each st=0.1 {only} ./bot"))
        .exits(1);
    fast.shows(expect! {"Failed, required: movetime."});
    let line = format!("check --each st=0.8 {only}");
    let slow = scene.referee(&format!("{line} ./bot")).exits(0);
    slow.shows(expect! {"With these limits, this takes about a minute if a bot always uses all its time."});
    slow.shows(expect! {"ok    movetime           answers within the time of a move"});
    slow.shows("\nRecommended\n  FAIL  movetime-200 ");
    assert!(
        scene.count("bot", "go movetime 800") >= 4,
        "the other check gives this time, too"
    );
    // Of a folder, too.
    scene.folder("all");
    scene.folder("all/bot");
    scene.bot("all/bot/run", Bot::thinking("sleep 0.3; legal"));
    let all = scene.referee(&format!("{line} all")).exits(0);
    all.shows(expect! {"ok    bot  ready, but see recommended: movetime-200"});
    // By default, the time of a move is that of a match.
    let usual = scene.referee(&format!("check {only} ./bot")).exits(0);
    usual.shows(expect! {"Failed, recommended: movetime-200."});
    let slow = "./slow";
    scene.script(
        slow,
        &format!(
            "#!/bin/sh\nwhile read -r line; do case $line in go*) sleep 0.05 ;; esac; echo \"$line\"; done |\n\
             exec '{}' builtin random\n",
            env!("CARGO_BIN_EXE_referee")
        ),
    );
    let games = "--only movetime --only whole-game";
    for limits in ["tc=60+1", "depth=3"] {
        let line = format!("check --each {limits} {games} {slow}");
        scene.referee(&line).exits(0).shows(expect! {"ok    whole-game "});
    }
    let line = format!("check --each tc=0.5 {games} {slow}");
    scene
        .referee(&line)
        .exits(1)
        .shows(expect! {"Failed, required: whole-game."});
}

#[test]
fn a_game_with_a_late_answer_is_played_again_against_the_same_moves() {
    let scene = Scene::new();
    // It fills row after row, so it always has a move.
    let late = "echo >> asked; [ $(wc -l < asked) = 4 ] && sleep 2; for row in 1 2 3 4 5 6 7 8; do
        for column in a b c d e f g h; do
            case \" $position \" in *\" $column$row \"*) ;; *) echo bestmove $column$row; break 2 ;; esac
        done
    done";
    let bot = scene.bot("bot", Bot::thinking(late));
    let check = format!("check --each st=1 --only whole-game {bot}");
    scene.referee(&check).exits(0);
    let received = scene.received("bot").join("\n");
    let games = received.split("ucinewgame").map(|game| {
        let lines = game.lines().filter(|line| line.starts_with("position"));
        lines.collect::<Vec<_>>()
    });
    let games: Vec<Vec<&str>> = games.filter(|game| !game.is_empty()).collect();
    assert_eq!(games[0].len(), 4, "the answer to the fourth question was late");
    assert_eq!(games[1][..4], games[0]);
    assert_eq!(games.len(), 5);
}

#[test]
fn a_second_answer_is_found_also_after_other_lines() {
    let scene = Scene::new();
    let answers = "echo bestmove a1; echo info string again; echo bestmove a1";
    let bot = scene.bot("bot", Bot::thinking(answers));
    let outcome = scene.referee(&format!("check --only startpos {bot}")).exits(1);
    outcome.shows(expect! {"wrote 2 lines `bestmove` for one `go`"});
}

#[test]
fn a_bot_that_follows_the_time_of_its_match_is_asked_once_for_a_quicker_answer() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("sleep 0.5; echo bestmove a1"));
    let line = format!("check --each st=2 timemargin=0 --only movetime-50 {bot}");
    let shown = joined(&scene.referee(&line).stdout);
    assert_has(&shown, "too late");
    assert_lacks(&shown, "more answers");
}

#[test]
fn a_bot_that_resigns_at_once_fails_whatever_the_opening() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("echo bestmove resign"));
    for openings in ["", "--openings random:2"] {
        let line = format!("check --each st=1 --only whole-game {openings} {bot}");
        scene
            .referee(&line)
            .exits(1)
            .shows(expect! {"resigned all games without a move"});
    }
}

#[test]
fn games_of_a_check_begin_where_those_of_a_match_do() {
    let scene = Scene::new();
    scene.script("game", &sized(Rules::default().moves).script());
    let bot = scene.bot("bot", Bot::thinking("echo bestmove a"));
    let positions = |options: &str| -> Vec<String> {
        scene.remove("bot.received");
        scene.remove("seeds");
        let only = "--only startpos --only long-game --only random-positions --only whole-game";
        scene
            .referee(&format!("check --rules ./game {only} {options} {bot}"))
            .succeeds();
        let received = scene.received("bot").into_iter();
        received.filter(|line| line.starts_with("position")).collect()
    };
    let asked = positions("");
    // The first seed belongs to the question whether there are starts.
    let seed = scene.text("seeds").lines().nth(1).unwrap().to_string();
    assert_eq!(asked[0], format!("position fen {seed}:0"));
    let is_of_setup = |line: &String| line.starts_with("position fen ") && !line.contains("fen 5:");
    assert!(asked.iter().all(is_of_setup), "{asked:?}");
    let is_opening = |line: &String| line.contains(" moves ") || !line.contains(":0");
    assert!(!asked.iter().all(is_opening));
    let asked = positions("--openings random:1");
    assert!(asked.iter().all(is_opening), "{asked:?}");
    scene
        .referee(&format!("check --rules ./game --openings random:9 {bot}"))
        .exits(2)
        .says(expect! {"referee: --openings: 9 random moves from the start always end the game"});
}

#[test]
fn advice_on_illegal_moves_of_other_games_does_not_name_the_engine() {
    let scene = Scene::new();
    scene.script("game", &sized(Rules::default().moves).script());
    let bot = scene.bot("bot", Bot::thinking("echo bestmove z"));
    let outcome = scene
        .referee(&format!("check --json --rules ./game --only startpos {bot}"))
        .exits(1);
    outcome.shows(expect! {"compare the position above with that of the bot after the same `position` line"});
    assert!(!outcome.stdout.contains("`lodestone`"), "{outcome:?}");
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn each_fault_fails_its_check_first() {
        for_all(&all(), |&row| {
            let Row { name, check, .. } = row;
            let is_slow = ["always-half-second", "hundred-ms-late", "long-minimum"].contains(&name);
            let words = Checked::words(name, &format!("{} --proto {}", row.game(), row.proto()));
            let checked = Checked::program(&words, is_slow);
            let (failed, report) = checked.first_failed().unwrap_or(("-", String::new()));
            let mut checks = checked.checks.iter();
            let is_unfit = checks.any(|check| has_failed(check) && check["level"] == "required");
            let status = if is_slow { INTERRUPTED } else { i32::from(is_unfit) };
            assert!(
                failed == check && checked.status == Some(status),
                "{name}: status {:?}, failed {:?}, expected {check}\n{report}",
                checked.status,
                checked.with_status("failed"),
            );
        });
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn correct_bots_pass_all_checks_in_both_games_and_dialects() {
        for_all(&GAMES, |options| {
            let skipped: &[&str] = if options.contains("ugi") {
                &[]
            } else {
                &["queries"]
            };
            assert_passes(options, &Checked::of("correct", options), skipped);
            let words = format!("{options} lodestone");
            assert_passes(&words, &Checked::program(&words, false), skipped);
        });
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn unusual_but_correct_bots_pass_all_checks() {
        let habits: Vec<String> = listed("habit");
        assert!(habits.len() > 10);
        for_all(&habits, |habit| {
            let skipped: &[&str] = match habit.as_str() {
                "no-options" => &["options", "option-ranges", "queries"],
                _ => &["queries"],
            };
            assert_passes(habit, &Checked::of(habit, ""), skipped);
        });
    }
}
