//! A referee that stood still blames no bot, and plays the games again that it could have changed.

use std::os::unix::process::CommandExt;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::driver::{Driver, TERMINAL};
use crate::support::{Bot, Outcome, Running, Scene, assert_has, expect, json_lines};

/// Longer than a bot of these tests may take, with the second after its time.
const STANDSTILL: Duration = Duration::from_secs(5);

/// The answer to `go` of a bot that is asked to wait once, which it does for a short time.
const WAITING_ONCE: &str = "[ -e waits ] || { touch waits; sleep 0.3; }; legal";

/// Who gets SIGSTOP.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stopped {
    Referee,
    Group,
    /// The bots, too, and they go on later than the referee.
    Everything,
}

/// Runs a command, and stops these processes for a while when a bot has created the file `waits`.
fn stop(scene: &Scene, line: &str, stopped: Stopped) -> Outcome {
    let mut command = scene.command(line);
    let referee = Running::start({
        command.process_group(0);
        command
    });
    scene.wait_for_file("waits");
    let send = |signal| match stopped {
        Stopped::Group => kill_process_group(Pid::from_child(&referee.child), signal).unwrap(),
        _ => referee.signal(signal),
    };
    let send_bots = |signal| {
        for id in bots(scene) {
            // Each bot is the first process of its group.
            kill_process_group(id, signal).unwrap();
        }
    };
    send(Signal::STOP);
    if stopped == Stopped::Everything {
        send_bots(Signal::STOP);
    }
    thread::sleep(STANDSTILL);
    send(Signal::CONT);
    if stopped == Stopped::Everything {
        thread::sleep(Duration::from_millis(200));
        send_bots(Signal::CONT);
    }
    referee.end()
}

fn bots(scene: &Scene) -> Vec<Pid> {
    let started = ["one", "other"].into_iter();
    let started = started.filter(|name| scene.path(&format!("{name}.pids")).exists());
    let ids = started.filter_map(|name| scene.processes(name).pop());
    ids.filter_map(|id| Pid::from_raw(id.parse().unwrap())).collect()
}

/// The number of lines about a standstill.
fn reports(outcome: &Outcome) -> usize {
    outcome.stderr.matches("the referee was suspended for").count()
}

#[test]
fn each_game_in_play_that_a_standstill_could_have_changed_is_played_again() {
    let scene = Scene::new();
    let waiting = "touch asked.$$; while [ \"$(ls asked.* | wc -l)\" -lt 2 ]; do sleep 0.02; done; \
                   [ -e waits ] || { touch waits; sleep 0.3; }; legal";
    for name in ["one", "other"] {
        scene.bot(name, Bot::thinking(waiting));
    }
    let line = "match ./one ./other --games 2 --max-plies 6 --concurrency 2 --quiet --each st=4 \
                --out games.jsonl";
    let outcome = stop(&scene, line, Stopped::Referee).exits(0);
    outcome.says(expect! {"; game 1 will be replayed, and no bot is penalised"});
    outcome.says(expect! {"; game 2 will be replayed, and no bot is penalised"});
    assert_eq!(scene.records().len(), 2);
    assert_eq!(scene.count("one", "ucinewgame"), 2 + reports(&outcome));
}

#[test]
fn a_game_in_which_no_bot_can_have_been_late_counts() {
    let scene = Scene::new();
    for name in ["one", "other"] {
        scene.bot(name, Bot::thinking(WAITING_ONCE));
    }
    let line = "match ./one ./other --games 1 --max-plies 6 --quiet --each st=60 --out games.jsonl";
    let outcome = stop(&scene, line, Stopped::Everything).exits(0);
    assert_eq!(reports(&outcome), 0, "{outcome:#?}");
    assert_eq!(scene.first_game()["reason"], "limit");
    assert_eq!(scene.count("one", "ucinewgame"), 1);
}

#[test]
fn a_bot_that_computes_out_of_turn_gets_no_other_game_by_it() {
    for (children, games) in [(24, 1), (0, 2)] {
        let scene = Scene::new();
        scene.bot("one", Bot::thinking(WAITING_ONCE));
        let begin =
            format!("if not played: [os.fork() or (compute(20), os._exit(0)) for _ in range({children})]");
        scene.script("eve", &COMPUTING.replace("AFTER", &begin));
        let line = "match ./eve ./one --games 1 --max-plies 4 --quiet --each st=1 --out games.jsonl";
        let referee = Running::start(scene.command(line));
        scene.wait_for_file("waits");
        referee.signal(Signal::STOP);
        thread::sleep(Duration::from_secs(2));
        referee.signal(Signal::CONT);
        let outcome = referee.end().exits(0);
        assert_eq!(scene.count("one", "ucinewgame"), games, "{outcome:#?}");
        assert_eq!(scene.first_game()["reason"], "limit");
    }
}

#[test]
fn a_game_is_played_again_three_times_at_most() {
    let scene = Scene::new();
    // In each game, the first move of the bot is a standstill longer than its time.
    let waiting = "[ -e $$ ] || { touch $$ waits; sleep 0.3; }; legal";
    for (name, go) in [("one", waiting), ("other", "legal")] {
        scene.bot(name, Bot::thinking(go));
    }
    let line = "match ./one ./other --games 1 --max-plies 4 --quiet --each st=1 restart=on --out games.jsonl";
    let mut command = scene.command(line);
    command.process_group(0);
    let referee = Running::start(command);
    for _ in 0..4 {
        scene.wait_for_file("waits");
        referee.signal(Signal::STOP);
        std::fs::remove_file(scene.path("waits")).unwrap();
        thread::sleep(Duration::from_millis(1200));
        referee.signal(Signal::CONT);
    }
    let outcome = referee.end().exits(0);
    assert_eq!(reports(&outcome), 3, "{outcome:#?}");
    outcome.says(expect! {"game 1 will be replayed for the last time, and no bot is penalised"});
    assert_eq!(scene.count("one", "ucinewgame"), 4);
    assert_eq!(scene.records().len(), 1);
}

#[test]
fn a_bot_that_is_stopped_alone_is_to_blame() {
    let scene = Scene::new();
    scene.bot("one", Bot::thinking("kill -STOP $$"));
    scene.bot("other", Bot::default());
    let outcome = scene.referee("match ./one ./other --games 1 --each st=1 --quiet --out games.jsonl");
    outcome.exits(0);
    let game = scene.first_game();
    assert_eq!(
        (&game["reason"], &game["result"]),
        (&"stall".into(), &"0-1".into())
    );
}

#[test]
fn ctrl_z_during_a_match_without_a_display_loses_no_game() {
    let scene = Scene::new();
    for name in ["one", "other"] {
        scene.bot(name, Bot::thinking(WAITING_ONCE));
    }
    let script = "set -m; $REFEREE match ./one ./other --games 1 --max-plies 8 --output cutechess \
                  --out games.jsonl; touch stopped; sleep 5; fg; exit";
    let mut program = Driver::shell_on_terminal(&scene, script, TERMINAL);
    scene.wait_for_file("waits");
    program.talk("^Z");
    scene.wait_for_file("stopped");
    let text = program.ends(0);
    assert_has(
        &text,
        expect! {"; game 1 will be replayed, and no bot is penalised"},
    );
    assert_eq!(scene.first_game()["reason"], "limit");
}

#[test]
fn a_computer_does_not_lose_a_game_by_hand_because_the_referee_stood_still() {
    let scene = Scene::new();
    scene.bot("other", Bot::thinking(WAITING_ONCE));
    let mut program = Driver::through_pipes(&scene, "play --first human --second ./other --st 3");
    program.enter("a1");
    scene.wait_for_file("waits");
    program.kill(Signal::STOP);
    for id in bots(&scene) {
        kill_process_group(id, Signal::STOP).unwrap();
    }
    thread::sleep(STANDSTILL);
    program.kill(Signal::CONT);
    thread::sleep(Duration::from_millis(200));
    for id in bots(&scene) {
        kill_process_group(id, Signal::CONT).unwrap();
    }
    program.enter("b1");
    program.enter("quit");
    let text = program.ends(0);
    assert!(
        !text.contains("sent no move") && !text.contains("too late"),
        "{text}"
    );
    assert_eq!(scene.count("other", "ucinewgame"), 1);
}

/// A bot in Python that computes for a number of seconds, its argument, and answers after `AFTER`.
const COMPUTING: &str = r#"#!/usr/bin/env python3
import os, signal, sys, time
def compute(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
def children(seconds):
    for _ in range(8):
        if os.fork() == 0:
            compute(seconds)
            os._exit(0)
def answer():
    AFTER
for line in sys.stdin:
    words = line.split()
    if words[0] == "position": played = words[3:]
    elif words[0] == "go":
        print("asked", file=sys.stderr, flush=True)
        answer()
        print("bestmove", next(c + r for r in "87654321" for c in "ah" if c + r not in played), flush=True)
    elif words[0] in ("uci", "isready"): print({"uci": "uciok"}.get(words[0], "readyok"), flush=True)
    elif words[0] == "quit": break
"#;

/// Runs the referee on one core, which `others` programs keep busy.
fn on_a_busy_core(scene: &Scene, others: u32, line: &str) -> Outcome {
    scene.file("busy", "");
    let busy = format!(
        "i=0; while [ $i -lt {others} ]; do i=$((i + 1)); (while [ -e busy ]; do :; done) & done; {} {line}; \
         status=$?; rm busy; wait; exit $status",
        env!("CARGO_BIN_EXE_referee")
    );
    let mut command = std::process::Command::new("taskset");
    command
        .current_dir(scene.path(""))
        .args(["-c", "0", "sh", "-c", &busy]);
    crate::support::run(&mut command, "")
}

/// What a bot does in a game that it loses, so that it is excused. Each is too late, or ends, by its own doing, whatever
/// other programs do.
const TRICKS: [(&str, &str); 9] = [
    ("none", "os._exit(0)"),
    ("sleep", "time.sleep(5)"),
    ("compute", "compute(0.8)"),
    (
        "children",
        "children(0.6); [os.wait() for _ in range(8)]; compute(0.8)",
    ),
    (
        "children that nobody waits for",
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN); children(0.6); wait_for_none(); compute(0.8)",
    ),
    (
        "children that the system removes",
        "import ctypes, struct; ctypes.CDLL(None).sigaction(17, struct.pack('P128xi4xP', 0, 2, 0), None); \
         children(0.6); wait_for_none(); compute(0.8)",
    ),
    (
        "threads",
        "import threading; [threading.Thread(target=compute, args=[5], daemon=True).start() for _ in range(8)]; \
         compute(5)",
    ),
    ("low priority", "os.nice(19); compute(0.8)"),
    ("killed", "os.kill(os.getpid(), signal.SIGKILL)"),
];

/// Runs a match of four games of a bot that does this in games in which its coin shows tails. Returns the results and
/// how often the coin was flipped.
fn play_with_a_coin(trick: &str, group: Option<&std::path::Path>) -> (Vec<String>, usize, Outcome) {
    let scene = Scene::new();
    let flip = format!(
        "if len(played) > 1: return\n    with open('flips', 'a') as flips: flips.write('x')\n    \
         if os.path.getsize('flips') % 4 in (2, 3): {trick}"
    );
    let waits = "def wait_for_none():\n    try: os.wait()\n    except ChildProcessError: pass\ndef answer():";
    let bot = COMPUTING.replace("AFTER", &flip).replace("def answer():", waits);
    scene.script("bot", &bot);
    let line = "match ./bot random --each st=0.5 --games 4 --max-plies 4 --quiet --out games.jsonl";
    let outcome = match group {
        None => scene.referee(line),
        Some(group) => {
            let enter = format!(
                "echo $$ > {}/cgroup.procs; exec {} {line}",
                group.display(),
                env!("CARGO_BIN_EXE_referee")
            );
            let mut command = std::process::Command::new("sh");
            command.args(["-c", &enter]).current_dir(scene.path(""));
            crate::support::run(&mut command, "")
        }
    };
    let outcome = outcome.exits(0);
    let records = scene.records();
    let results = records.iter().map(|record| record["result"].to_string());
    (results.collect(), scene.text("flips").len(), outcome)
}

/// A group of processes with a limit of memory, if this system lets us make one.
struct MemoryGroup(std::path::PathBuf);

impl MemoryGroup {
    fn new() -> Option<MemoryGroup> {
        let old = std::path::Path::new("/sys/fs/cgroup/memory");
        let (parent, file) = if old.exists() {
            (old, "memory.limit_in_bytes")
        } else {
            (std::path::Path::new("/sys/fs/cgroup"), "memory.max")
        };
        let folder = parent.join(format!("referee-test-{}", std::process::id()));
        std::fs::create_dir(&folder).ok()?;
        let group = MemoryGroup(folder);
        std::fs::write(group.0.join(file), (400 << 20).to_string()).ok()?;
        Some(group)
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

mod slow {
    use super::*;

    /// The bot and other programs have one core together, so that it waits several times as long as it computes.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn the_wait_for_a_processor_is_taken_off_the_time_of_an_answer() {
        let scene = Scene::new();
        scene.script("bot", &COMPUTING.replace("AFTER", "compute(0.15)"));
        for (limit, most) in [("st=0.3", 300.0), ("tc=1.2", 1200.0)] {
            let line = format!(
                "match ./bot random --each {limit} timemargin=0 --games 1 --max-plies 8 --quiet --out {limit}.jsonl"
            );
            let outcome = on_a_busy_core(&scene, 6, &line).exits(0);
            // On a busy machine, the referee itself may be suspended.
            let mut replays = outcome.stderr.lines().filter(|line| line.contains("replayed"));
            assert!(
                replays.all(|line| line.contains("was suspended")),
                "{}",
                outcome.stderr
            );
            let game = scene.results(&format!("{limit}.jsonl")).pop().unwrap();
            assert_eq!(game["reason"], "limit", "{}", game["detail"]);
            let of_bot = game["ms"].as_array().unwrap().iter().step_by(2);
            let times: Vec<f64> = of_bot.map(|time| time.as_f64().unwrap()).collect();
            // What it has computed is its own.
            assert!(
                times.iter().all(|time| (140.0..=most).contains(time)),
                "{times:?}"
            );
        }
    }

    /// Each of them is late by its own doing, whatever other programs do.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_bot_that_makes_itself_late_loses_at_once() {
        let scene = Scene::new();
        for (name, after) in [
            ("sleeps", "time.sleep(2)"),
            ("computes", "compute(0.8)"),
            ("starts-children", "children(0.3); compute(0.8)"),
            (
                "ignores-children",
                "signal.signal(signal.SIGCHLD, signal.SIG_IGN); children(0.2); compute(0.8)",
            ),
            ("yields", "os.nice(19); compute(0.02); time.sleep(1)"),
            (
                "waits-at-last",
                "os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)); compute(0.02); time.sleep(1)",
            ),
        ] {
            scene.script(name, &COMPUTING.replace("AFTER", after));
            let outcome = scene.referee(&format!(
                "match --engine cmd=./{name} stderr={name}.txt --engine cmd=random --each st=0.5 --games 1 --quiet --out \
                 {name}.jsonl"
            ));
            let outcome = outcome.exits(0);
            let game = scene.results(&format!("{name}.jsonl")).pop().unwrap();
            let is_late = ["time", "stall"].iter().any(|reason| game["reason"] == *reason);
            assert!(is_late, "{name}: {}", game["detail"]);
            // The referee itself may have stood still, and what was computed may have taken very long.
            let mut excuses = vec!["was suspended"];
            if after.ends_with("compute(0.8)") {
                excuses.push("because other programs used them; game 1");
            }
            if !excuses.iter().any(|excuse| outcome.stderr.contains(excuse)) {
                let asked = scene.text(&format!("{name}.txt")).matches("asked").count();
                assert_eq!(asked, 1, "{name}: {game} {}", outcome.stderr);
            }
        }
    }

    /// A bot that flips a coin in each game wins as often with a trick as without one.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn no_trick_of_a_bot_replays_its_lost_games() {
        let same = |name: &str, trick: &str, group: Option<&std::path::Path>| {
            // The referee itself may stand still, and then it replays games.
            for _ in 0..5 {
                let (results, flips, outcome) = play_with_a_coin(trick, group);
                if !outcome.stderr.contains("the referee was suspended") {
                    let expected = [r#""1/2-1/2""#, r#""1-0""#, r#""0-1""#, r#""1/2-1/2""#];
                    assert_eq!(
                        (results, flips),
                        (expected.map(String::from).to_vec(), 4),
                        "{name}: {outcome:#?}"
                    );
                    return;
                }
            }
        };
        for (name, trick) in TRICKS {
            same(name, trick, None);
        }
        if let Some(group) = MemoryGroup::new() {
            let fill = "block = []\n    while os.path.getsize('flips') % 4 in (2, 3): block.append(bytearray(b'x') * (50 << 20))";
            same("memory", &format!("pass\n    {fill}"), Some(&group.0));
        }
    }

    /// Processor time tells what a bot without an answer did.
    #[test]
    #[ignore = "slow: .ci/run"]
    fn processor_time_tells_computing_from_waiting() {
        let scene = Scene::new();
        for (name, go, what) in [
            ("idle", "sleep 60", "it used no processor time"),
            ("child", "sh -c 'while :; do :; done'", " of processor time in "),
            ("busy", "while :; do :; done", " of processor time in "),
        ] {
            scene.bot(name, Bot::thinking(go));
            let line = format!("match ./{name} random --each st=1 --games 1 --quiet --out {name}.jsonl");
            scene.referee(&line).exits(0);
            let game = scene.results(&format!("{name}.jsonl")).pop().unwrap();
            let detail = game["detail"].as_str().unwrap();
            let is_so = detail.contains("it has written nothing since `go`: ") && detail.contains(what);
            // On a busy machine it waits for a processor.
            assert!(is_so || detail.contains("for a processor"), "{detail}");
        }
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn a_game_in_which_the_referee_stood_still_is_played_again() {
        for stopped in [Stopped::Referee, Stopped::Group, Stopped::Everything] {
            let scene = Scene::new();
            for name in ["one", "other"] {
                scene.bot(name, Bot::thinking(WAITING_ONCE));
            }
            let line = "match ./one ./other --games 2 --max-plies 8 --quiet --out games.jsonl";
            let outcome = stop(&scene, line, stopped).exits(0);
            outcome.says(expect! {"; game 1 will be replayed, and no bot is penalised"});
            // A very busy machine adds others.
            let reports = reports(&outcome);
            assert!(reports >= 1);
            let records = scene.records();
            let reasons: Vec<_> = records.iter().map(|record| &record["reason"]).collect();
            assert_eq!(reasons, ["limit", "limit"], "{stopped:?}: {outcome:#?}");
            assert_eq!(scene.count("one", "ucinewgame"), 2 + reports, "{stopped:?}");
            for ms in records.iter().flat_map(|record| record["ms"].as_array().unwrap()) {
                assert!(ms.as_f64().unwrap() < STANDSTILL.as_millis() as f64);
            }
            // A second run has nothing to do.
            let before = scene.text("games.jsonl");
            scene.referee(line).exits(0);
            assert_eq!(scene.text("games.jsonl"), before);
        }
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn a_start_during_a_standstill_is_no_failure() {
        let scene = Scene::new();
        scene.bot(
            "one",
            Bot::greeting("touch waits; sleep 0.3; echo id name one; sleep 0.3; echo uciok"),
        );
        scene.bot("other", Bot::default());
        let line = "match ./one ./other --games 1 --max-plies 4 --each starttime=3 --quiet --out games.jsonl";
        stop(&scene, line, Stopped::Everything).exits(0);
        assert_eq!(scene.first_game()["reason"], "limit");
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn a_check_during_a_standstill_is_repeated() {
        // The second one fails, but when the check is repeated.
        for go in [
            WAITING_ONCE,
            "[ -e waits ] && legal || { touch waits; sleep 0.3; echo bestmove d4; }",
        ] {
            let scene = Scene::new();
            scene.bot("one", Bot::thinking(go));
            let outcome = stop(&scene, "check --json --only startpos ./one", Stopped::Everything).exits(0);
            let lines = json_lines(&outcome.stdout);
            let startpos = lines.iter().find(|line| line["check"] == "startpos").unwrap();
            assert_eq!(startpos["status"], "passed", "{outcome:#?}");
            outcome.says(expect! {"; the check `startpos` is repeated"});
            assert!(scene.processes("one").len() > 1, "{outcome:#?}");
        }
    }

    /// Nobody loses, and nobody wins. The bot has one core together with other programs, and the referee does not need it.
    #[test]
    #[ignore = "long: .ci/run --long"]
    fn a_game_is_not_played_where_waits_do_not_end() {
        let scene = Scene::new();
        let compute = "os.sched_setaffinity(0, {0}); compute(60)";
        scene.script("bot", &COMPUTING.replace("AFTER", compute));
        scene.file("busy", "");
        let busy = "i=0; while [ $i -lt 30 ]; do i=$((i + 1)); (while [ -e busy ]; do :; done) & done; wait";
        let mut others = std::process::Command::new("taskset");
        others
            .current_dir(scene.path(""))
            .args(["-c", "0", "sh", "-c", busy]);
        let mut others = others.spawn().unwrap();
        let line = "match ./bot random --each st=0.1 timemargin=60000 --games 1 --quiet --out games.jsonl";
        let outcome = scene.referee(line);
        scene.remove("busy");
        others.wait().unwrap();
        let outcome = outcome.exits(4);
        outcome.says(expect! {"for a processor, because other programs used them; game 1 will be replayed, and no bot is penalised"});
        outcome.says(expect! {"because other programs used them; game 1 was not played"});
        assert!(scene.records().is_empty());
    }
}
