//! No process of an engine survives, not even if the referee is killed.
//! Engines that exceed a resource limit lose.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use referee_core::process::supervisor;
use referee_core::samples::shell;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::machine_code;
use crate::recorded::{assert_by_rules, column, moves, text};
use crate::support::{
    Bot, COLUMN_A, COLUMN_H, Outcome, Running, Scene, assert_has, assert_lacks, expect, run, wait_until,
};

/// An environment variable that marks all processes of a scene's engines.
const MARK: &str = "LODESTONE_TEST_LEFTOVERS";

/// Longer than any of these tests, in seconds.
const LONG: &str = "4000";

/// Shell code that leaves children of one kind behind: among them a process group whose leader has
/// exited, a chain of 300 processes, each of which exits after starting the next, processes that keep
/// forking, up to 100, and a process of which the first thread has exited.
const LITTERS: [(&str, &str); 8] = [
    ("child", "sleep 4000 &"),
    (
        "setsid",
        "setsid sleep 4000 & setsid sh -c 'sleep 4000 & sleep 4000' &",
    ),
    ("leaderless", "setsid sh -c 'sleep 4000 &' &"),
    (
        "grandchild",
        "sh -c \"trap '' TERM HUP INT; sleep 4000 & while :; do sleep 0.1; done\" &",
    ),
    (
        "stopped",
        "setsid sh -c 'kill -STOP $$; sleep 4000' & sleep 4000 & kill -STOP $!",
    ),
    ("comet", "setsid ./comet 300 &"),
    (
        "loop",
        "(n=0; while [ $n -lt 100 ]; do n=$((n + 1)); setsid sleep 4000 & done) &",
    ),
    ("headless", "setsid ./headless &"),
];

/// A bot that reports its supervisor's process and waits until the test has acted on
/// it.
const ASK: &str = "echo $PPID > asks; while [ ! -e done ]; do sleep 0.01; done";

/// A referee that may be killed, with its scene.
struct Trial {
    scene: Scene,
    /// The marker of this trial's processes.
    mark: String,
}

impl Trial {
    fn new(name: &str) -> Trial {
        let scene = Scene::new();
        scene.script(
            "comet",
            "#!/bin/sh\n[ $1 -gt 0 ] && setsid \"$0\" $(($1 - 1)) &\n[ $1 -gt 0 ] || sleep 4000\n",
        );
        if cfg!(target_arch = "x86_64") {
            scene.executable("headless", &machine_code::headless());
        } else {
            scene.script("headless", "#!/bin/sh\nexec sleep 4000\n");
        }
        let mark = format!("{name}-{}", std::process::id());
        Trial { scene, mark }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = self.scene.command(line);
        command.env(MARK, &self.mark);
        command
    }

    /// The command lines of the marked running processes.
    fn left(&self) -> Vec<String> {
        let mark = format!("{MARK}={}", self.mark);
        let processes = fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|process| {
                // Empty for a thread that has exited.
                let threads = fs::read_dir(process.path().join("task")).ok()?.flatten();
                let environments = threads.filter_map(|thread| fs::read(thread.path().join("environ")).ok());
                let mut variables = environments.flat_map(|text| {
                    let variables = text.split(|byte| *byte == 0);
                    variables.map(<[u8]>::to_vec).collect::<Vec<_>>()
                });
                variables.find(|variable| variable == mark.as_bytes())?;
                let words = fs::read(process.path().join("cmdline")).ok()?;
                Some(String::from_utf8_lossy(&words).replace('\0', " "))
            })
            .collect()
    }

    /// Asserts that no process is left at this moment.
    #[track_caller]
    fn assert_clean(&self) {
        assert_eq!(self.left(), Vec::<String>::new(), "{}", self.mark);
    }

    /// Starts a match with a bot that leaves children and then thinks forever. Returns when
    /// it is thinking.
    fn start(&self, litter: &str) -> Running {
        let go = format!("{litter}\nsleep 0.1; : > thinks; sleep {LONG}");
        self.scene.bot("bot", Bot::thinking(&go));
        let referee = Running::start(self.command("match ./bot random --games 1 --each st=60 --quiet"));
        self.scene.wait_for_file("thinks");
        assert!(!self.left().is_empty());
        referee
    }

    /// Runs the referee.
    fn referee(&self, line: &str) -> Outcome {
        run(&mut self.command(line), "")
    }

    /// The record of the only game of this bot, as first player, against `random`.
    fn play(&self, bot: Bot<'_>, options: &str) -> Value {
        self.scene.bot("bot", bot);
        let line = format!("match ./bot random --games 1 --each st=20 {options} --out games.jsonl");
        self.referee(&line).exits(0);
        self.scene.records().remove(0)
    }

    /// The record of the only game, in which the test acts on the bot's supervisor once it
    /// prints [`ASK`].
    fn play_while(&self, go: &str, act: impl FnOnce(Pid)) -> Value {
        self.scene.bot("bot", Bot::thinking(go));
        let line = "match ./bot random --games 1 --each st=20 --out games.jsonl --quiet";
        let referee = Running::start(self.command(line));
        let asks = || fs::read_to_string(self.scene.path("asks")).unwrap_or_default();
        wait_until("the bot asks", || asks().ends_with('\n'));
        act(Pid::from_raw(asks().trim().parse().unwrap()).unwrap());
        self.scene.file("done", "");
        assert_lacks(referee.end().exits(0).stderr, "cannot be killed");
        self.scene.records().remove(0)
    }
}

/// The number between these texts in the detail of a game that the first player lost by a crash.
fn number_in_detail(record: &Value, start: &str, end: &str) -> u64 {
    assert_eq!(
        ["result", "reason"].map(|field| text(record, field)),
        ["0-1", "crash"]
    );
    let detail = text(record, "detail");
    let number = detail.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    number.unwrap_or_else(|| panic!("{detail}")).parse().unwrap()
}

#[test]
fn no_process_is_left_after_a_match() {
    for (name, litter) in LITTERS {
        let trial = Trial::new(&format!("end-{name}"));
        let go = format!("[ $thinks = 1 ] && {{ {litter} }}; {COLUMN_A}").replace("& }", "& :; }");
        trial
            .scene
            .bot("bot", Bot::thinking(&go.replace("$! }", "$!; }")));
        trial.scene.bot("other", Bot::thinking(COLUMN_H));
        let outcome = trial.referee("match ./bot ./other --games 2 --each st=20 --out games.jsonl");
        trial.assert_clean();
        outcome.exits(0);
        assert_eq!(
            column(&trial.scene.records(), "reason"),
            ["five", "five"],
            "{name}"
        );
    }
}

#[test]
fn no_process_is_left_after_a_fault() {
    for (name, litter) in LITTERS {
        let trial = Trial::new(&format!("fault-{name}"));
        let record = trial.play(Bot::thinking(&format!("{litter}\nexit 3")), "");
        trial.assert_clean();
        assert_eq!(record["detail"], "bot ended with exit status 3", "{name}");
    }
}

#[test]
fn no_process_is_left_of_an_engine_that_fails_to_start() {
    for (name, uci) in [
        ("silent", "setsid sleep 4000 & exit 5"),
        ("closed", "setsid sleep 4000 & exec >&- 2>&-; sleep 4000"),
    ] {
        let trial = Trial::new(&format!("start-{name}"));
        trial.scene.bot("bot", Bot::greeting(uci));
        trial.referee("match ./bot random").exits(3);
        trial.assert_clean();
    }
}

#[test]
fn no_process_is_left_when_the_referee_is_killed() {
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        for (name, litter) in LITTERS {
            let trial = Trial::new(&format!("signal-{}-{name}", signal.as_raw()));
            trial.start(litter).end_by(signal);
            if signal == Signal::KILL {
                wait_until(&format!("{name} is left"), || trial.left().is_empty());
            }
            trial.assert_clean();
        }
    }
    // Not even of an engine that never reads.
    let trial = Trial::new("never-reads");
    let script = format!("#!/bin/sh\ntrap '' TERM\n: > thinks\nsleep {LONG}\nsleep {LONG}\n");
    trial.scene.script("never-reads", &script);
    let referee = Running::start(trial.command("match ./never-reads random"));
    trial.scene.wait_for_file("thinks");
    referee.end_by(Signal::KILL);
    wait_until("it is left", || trial.left().is_empty());
}

#[test]
fn signal_to_all_processes_leaves_no_process_and_no_wrong_verdict() {
    let trial = Trial::new("everybody");
    let go = format!("[ $thinks = 2 ] && exit 7; {ASK}; legal");
    // Its supervisor receives what a scheduler sends to all processes.
    let record = trial.play_while(&go, |supervisor| {
        for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
            kill_process(supervisor, signal).unwrap();
        }
        thread::sleep(Duration::from_millis(200));
    });
    assert_eq!(record["detail"], "bot ended with exit status 7", "{record}");
    assert_eq!(moves(&record).len(), 2);
    trial.assert_clean();
}

#[test]
fn engine_that_ignores_quit_receives_sigterm() {
    let trial = Trial::new("term");
    trial.scene.bot(
        "bot",
        Bot {
            start: "trap ': > received-term; exit' TERM",
            go: COLUMN_A,
            quit: "while :; do sleep 0.02; done",
            ..Bot::default()
        },
    );
    trial.scene.bot("other", Bot::thinking(COLUMN_H));
    trial
        .referee("match ./bot ./other --games 1 --each st=20")
        .exits(0);
    assert!(trial.scene.path("received-term").exists());
    trial.assert_clean();
}

/// The blocked signals of this thread, as the system prints them.
fn blocked() -> String {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap();
    let mut lines = status.lines().filter(|line| line.starts_with("SigBlk:"));
    lines.next().unwrap().to_string()
}

#[test]
fn ctrl_c_before_the_supervisor_has_its_own_group_does_not_kill_it() {
    let scene = Scene::new();
    // A signal between the fork and the new process group stays pending for the new
    // program.
    let referee = env!("CARGO_BIN_EXE_referee");
    scene.script(
        "supervisor",
        &format!(
            "#!/bin/sh\nfor signal in INT QUIT TSTP HUP TERM; do kill -$signal $$; done\nexec {referee} \"$@\"\n"
        ),
    );
    for signal in ["INT", "QUIT", "HUP", "TERM"] {
        // It still receives them.
        let launch = shell(&format!("kill -{signal} $$; exit 5"));
        let before = blocked();
        let (engine, _pipes) = supervisor::start(&launch, &scene.path("supervisor")).unwrap();
        assert_eq!(blocked(), before);
        wait_until("the engine has ended", || engine.has_exited());
        engine.kill();
        let ending = engine.finish().how.unwrap().to_string();
        assert!(ending.ends_with(&format!("(SIG{signal})")), "{ending}");
    }
}

/// A child in its own session.
const ESCAPE: &str = "setsid sh -c 'sleep 4000 & sleep 4000' > /dev/null 2>&1 & sleep 0.1";

// Where signals are restricted, no engine can do this to its supervisor.

#[test]
fn engine_without_supervisor_loses_and_leaves_no_process() {
    let trial = Trial::new("mutiny");
    let go = format!("{ESCAPE}; {ASK}; sleep 4000");
    let record = trial.play_while(&go, |supervisor| {
        kill_process(supervisor, Signal::KILL).unwrap();
    });
    assert_eq!(record["reason"], "crash");
    expect! {"bot lost its supervisor, which was ended by signal 9 (SIGKILL)"}
        .assert_eq(text(&record, "detail"));
    trial.assert_clean();
}

#[test]
fn repeatedly_stopped_supervisor_does_not_delay_the_match() {
    let trial = Trial::new("stopped");
    let go = format!("{ESCAPE}; {ASK}; exit 4");
    let record = trial.play_while(&go, |supervisor| {
        // After its exit there is nothing left to stop.
        thread::spawn(move || {
            while kill_process(supervisor, Signal::STOP).is_ok() {
                thread::sleep(Duration::from_micros(200));
            }
        });
        thread::sleep(Duration::from_millis(50));
    });
    assert_eq!(record["reason"], "crash", "{record}");
    trial.assert_clean();
}

/// Whether this system restricts an engine's signals to its own processes.
fn signals_are_restricted() -> bool {
    use landlock::{CompatLevel, Compatible, Ruleset, RulesetAttr, Scope};
    let strict = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    strict.scope(Scope::Signal).is_ok()
}

#[test]
fn engine_can_signal_only_its_own_processes() {
    if !signals_are_restricted() {
        return eprintln!("SKIPPED: this system does not keep signals in");
    }
    let trial = Trial::new("fence");
    // It may signal itself and its children.
    let own = "sleep 4000 & kill -STOP $! && kill -KILL $! && kill -CONT $$ || exit 5";
    let others = "for other in $PPID $(referee) $(cat other.pids); do \
                  for signal in STOP KILL 0; do kill -$signal $other && exit 6; done; done";
    let go = format!("{own}; {others}; {COLUMN_A}");
    trial.scene.bot("bot", Bot::thinking(&go));
    trial.scene.bot("other", Bot::thinking(COLUMN_H));
    trial
        .referee("match ./bot ./other --games 2 --each st=20 --out games.jsonl")
        .exits(0);
    assert_eq!(column(&trial.scene.records(), "reason"), ["five"; 2]);
    trial.assert_clean();
}

#[test]
fn memory_limit_covers_the_whole_process_tree() {
    // `tail` holds a line of 100 MB; no other process uses more.
    let eat = "setsid sh -c '{ head -c 100000000 /dev/zero; sleep 4000; } | tail' & \
               { head -c 100000000 /dev/zero; sleep 4000; } | tail";
    let trial = Trial::new("memory");
    let record = trial.play(Bot::thinking(eat), "memory=150");
    let used = number_in_detail(&record, "bot used ", " MB of memory, 150 MB are allowed");
    assert!((151..400).contains(&used), "{record}");
    trial.assert_clean();

    // A program that is called `java`.
    let trial = Trial::new("java");
    let eat = "link=$(mktemp -d)/java; ln -s \"$(command -v tail)\" $link; \
               { head -c 200000000 /dev/zero; sleep 4000; } | $link";
    let record = trial.play(Bot::thinking(eat), "memory=150");
    assert_has(
        record["detail"].as_str().unwrap(),
        expect! {" MB of memory, 150 MB are allowed; Java does not see this limit, so start it with one of its own, such as `-Xmx75m`"},
    );
    trial.assert_clean();

    // Reserved memory does not count: it reserves more than 150 MB and uses less than 10 MB.
    let trial = Trial::new("reserved");
    let line = "match --engine cmd=lodestone option.Hash=1 --engine cmd=random \
                --each st=0.02 timemargin=60000 memory=100 --games 1 --out games.jsonl";
    trial.referee(line).exits(0);
    assert_by_rules(&trial.scene.records()[0]);
}

#[test]
fn process_limit_covers_all_sessions() {
    let breed = "n=0; while [ $n -lt 40 ]; do n=$((n + 1)); setsid sleep 4000 & done; sleep 4000";
    let trial = Trial::new("processes");
    let record = trial.play(Bot::thinking(breed), "max-processes=20");
    let found = number_in_detail(&record, "bot has ", " processes, 20 are allowed");
    assert!((21..=42).contains(&found), "{record}");
    trial.assert_clean();

    // The allowed number is no fault.
    let trial = Trial::new("few-processes");
    let few = "[ $thinks = 2 ] && exit 6; setsid sleep 4000 & setsid sleep 4000 & sleep 0.5; legal";
    let record = trial.play(Bot::thinking(few), "max-processes=4 memory=1000");
    assert_eq!(record["detail"], "bot ended with exit status 6", "{record}");
}
