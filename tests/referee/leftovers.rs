//! No process of an engine survives, not even if the referee is killed.
//! Engines that exceed a resource limit lose.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use referee::process::{Launch, Limits, supervisor};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Bot, Scene, wait_until};

/// An environment variable that marks all processes of a scene's engines.
const MARK: &str = "LODESTONE_TEST_LEFTOVERS";

/// Longer than any of these tests, in seconds.
const LONG: &str = "4000";

/// Shell code that leaves children of one kind behind.
const LITTERS: [(&str, &str); 7] = [
    ("child", "sleep 4000 &"),
    (
        "setsid",
        "setsid sleep 4000 & setsid sh -c 'sleep 4000 & sleep 4000' &",
    ),
    // The leader of its process group has exited.
    ("leaderless", "setsid sh -c 'sleep 4000 &' &"),
    (
        "grandchild",
        "sh -c \"trap '' TERM HUP INT; sleep 4000 & while :; do sleep 0.1; done\" &",
    ),
    (
        "stopped",
        "setsid sh -c 'kill -STOP $$; sleep 4000' & sleep 4000 & kill -STOP $!",
    ),
    // A chain of 300 processes, each of which exits after starting the next.
    ("comet", "setsid ./comet 300 &"),
    // Processes that keep forking, up to 100.
    (
        "loop",
        "(n=0; while [ $n -lt 100 ]; do n=$((n + 1)); setsid sleep 4000 & done) &",
    ),
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
                // Empty for a process that has exited.
                let environment = fs::read(process.path().join("environ")).ok()?;
                let mut variables = environment.split(|byte| *byte == 0);
                variables.find(|variable| *variable == mark.as_bytes())?;
                let words = fs::read(process.path().join("cmdline")).ok()?;
                Some(String::from_utf8_lossy(&words).replace('\0', " "))
            })
            .collect()
    }

    fn assert_no_bot_left(&self, after: &str) {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let left = self.left();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "after {after} there are still {left:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Starts a match with a bot that leaves children and then thinks forever. Returns when
    /// it is thinking.
    fn start(&self, litter: &str) -> Child {
        let bot = self.scene.bot(
            "bot",
            Bot::thinking(&format!("{litter}\nsleep 0.1; : > thinks; sleep {LONG}")),
        );
        let line = format!("match {bot} random --games 1 --each st=60 --quiet");
        let child = self.command(&line).stdout(Stdio::null()).spawn().unwrap();
        wait_until("the bot thinks", || self.scene.path("thinks").exists());
        assert!(!self.left().is_empty());
        child
    }

    /// The record of the only game of this bot, as first player, against `random`.
    fn play(&self, bot: Bot<'_>, options: &str) -> Value {
        let bot = self.scene.bot("bot", bot);
        let line = format!("match {bot} random --games 1 --each st=20 {options} --out games.jsonl");
        let output = self.command(&line).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        self.scene.records()[0].clone()
    }

    /// The record of the only game, in which the test acts on the bot's supervisor once it
    /// prints [`ASK`].
    fn play_while(&self, go: &str, act: impl FnOnce(Pid)) -> Value {
        let bot = self.scene.bot("bot", Bot::thinking(go));
        let line = format!("match {bot} random --games 1 --each st=20 --out games.jsonl --quiet");
        let mut referee = self.command(&line).stdout(Stdio::null()).spawn().unwrap();
        let asks = || fs::read_to_string(self.scene.path("asks")).unwrap_or_default();
        wait_until("the bot asks", || asks().ends_with('\n'));
        act(Pid::from_raw(asks().trim().parse().unwrap()).unwrap());
        self.scene.file("done", "");
        assert!(referee.wait().unwrap().success());
        self.scene.records()[0].clone()
    }
}

#[test]
fn no_process_is_left_after_a_match() {
    for (name, litter) in LITTERS {
        let trial = Trial::new(&format!("end-{name}"));
        let column = "echo bestmove a$thinks";
        let go = format!("[ $thinks = 1 ] && {{ {litter} }}; {column}").replace("& }", "& :; }");
        let go = go.replace("$! }", "$!; }");
        let bot = trial.scene.bot("bot", Bot::thinking(&go));
        let other = trial.scene.bot("other", Bot::thinking("echo bestmove h$thinks"));
        let line = format!("match {bot} {other} --games 2 --each st=20 --out games.jsonl");
        let output = trial.command(&line).output().unwrap();
        // No process is left at the moment when the referee exits.
        assert_eq!(trial.left(), Vec::<String>::new(), "{name}");
        assert!(output.status.success(), "{name}: {output:?}");
        let reasons: Vec<Value> = trial
            .scene
            .records()
            .iter()
            .map(|record| record["reason"].clone())
            .collect();
        assert_eq!(reasons, ["five", "five"], "{name}");
    }
}

#[test]
fn no_process_is_left_after_a_fault() {
    for (name, litter) in LITTERS {
        let trial = Trial::new(&format!("fault-{name}"));
        let record = trial.play(Bot::thinking(&format!("{litter}\nexit 3")), "");
        assert_eq!(trial.left(), Vec::<String>::new(), "{name}");
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
        let bot = trial.scene.bot(
            "bot",
            Bot {
                uci,
                ..Bot::default()
            },
        );
        let output = trial.command(&format!("match {bot} random")).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert_eq!(trial.left(), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn no_process_is_left_when_the_referee_is_killed() {
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        for (name, litter) in LITTERS {
            let trial = Trial::new(&format!("signal-{}-{name}", signal.as_raw()));
            let mut referee = trial.start(litter);
            kill_process(Pid::from_child(&referee), signal).unwrap();
            referee.wait().unwrap();
            if signal == Signal::KILL {
                trial.assert_no_bot_left(&format!("SIGKILL, {name}"));
            } else {
                assert_eq!(trial.left(), Vec::<String>::new(), "{name}");
            }
        }
    }
}

#[test]
fn engine_that_never_reads_is_killed() {
    let trial = Trial::new("never-reads");
    let bot = trial.scene.script(
        "never-reads",
        &format!("#!/bin/sh\ntrap '' TERM\n: > thinks\nsleep {LONG}\nsleep {LONG}\n"),
    );
    let mut referee = trial.command(&format!("match {bot} random")).spawn().unwrap();
    wait_until("it runs", || trial.scene.path("thinks").exists());
    kill_process(Pid::from_child(&referee), Signal::KILL).unwrap();
    referee.wait().unwrap();
    trial.assert_no_bot_left("SIGKILL");
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
    assert_eq!(record["moves"].as_array().unwrap().len(), 2);
    assert_eq!(trial.left(), Vec::<String>::new());
}

#[test]
fn engine_that_ignores_quit_receives_sigterm() {
    let trial = Trial::new("term");
    let bot = trial.scene.bot(
        "bot",
        Bot {
            start: "trap ': > received-term; exit' TERM",
            go: "echo bestmove a$thinks",
            quit: "while :; do sleep 0.02; done",
            ..Bot::default()
        },
    );
    let other = trial.scene.bot("other", Bot::thinking("echo bestmove h$thinks"));
    let line = format!("match {bot} {other} --games 1 --each st=20");
    let output = trial.command(&line).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(trial.scene.path("received-term").exists());
    assert_eq!(trial.left(), Vec::<String>::new());
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
        let launch = Launch {
            program: "/bin/sh".into(),
            // It still receives them.
            args: vec!["-c".into(), format!("kill -{signal} $$; exit 5")],
            dir: None,
            stderr: None,
            limits: Limits::default(),
            sandbox: None,
            supervisor: None,
        };
        let before = blocked();
        let (engine, _pipes) = supervisor::start(&launch, &scene.path("supervisor")).unwrap();
        assert_eq!(blocked(), before);
        wait_until("the engine has ended", || engine.has_exited());
        engine.kill();
        let ending = engine.finish().how.unwrap();
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
    assert_eq!(
        (&record["reason"], &record["detail"]),
        (
            &"crash".into(),
            &"bot lost its supervisor, which was ended by signal 9 (SIGKILL)".into()
        )
    );
    assert_eq!(trial.left(), Vec::<String>::new());
}

#[test]
fn repeatedly_stopped_supervisor_does_not_delay_the_match() {
    let trial = Trial::new("stopped");
    let go = format!("{ESCAPE}; {ASK}; exit 4");
    let record = trial.play_while(&go, |supervisor| {
        // After its exit there is nothing left to stop.
        thread::spawn(move || while kill_process(supervisor, Signal::STOP).is_ok() {});
        thread::sleep(Duration::from_millis(50));
    });
    assert_eq!(record["reason"], "crash", "{record}");
    assert_eq!(trial.left(), Vec::<String>::new());
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
    let bot = trial.scene.bot(
        "bot",
        Bot::thinking(&format!("{own}; {others}; echo bestmove a$thinks")),
    );
    let other = trial.scene.bot("other", Bot::thinking("echo bestmove h$thinks"));
    let line = format!("match {bot} {other} --games 2 --each st=20 --out games.jsonl");
    let output = trial.command(&line).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    for record in trial.scene.records() {
        assert_eq!(record["reason"], "five", "{record}");
    }
    assert_eq!(trial.left(), Vec::<String>::new());
}

#[test]
fn memory_limit_covers_the_whole_process_tree() {
    // `tail` holds a line of 100 MB; no other process uses more.
    let eat = "setsid sh -c '{ head -c 100000000 /dev/zero; sleep 4000; } | tail' & \
               { head -c 100000000 /dev/zero; sleep 4000; } | tail";
    let trial = Trial::new("memory");
    let record = trial.play(Bot::thinking(eat), "memory=150");
    assert_eq!(
        (&record["result"], &record["reason"]),
        (&"0-1".into(), &"crash".into())
    );
    let detail = record["detail"].as_str().unwrap();
    let used: u64 = detail
        .strip_prefix("bot used ")
        .and_then(|rest| rest.strip_suffix(" MB of memory, 150 MB are allowed"))
        .unwrap_or_else(|| panic!("{detail}"))
        .parse()
        .unwrap();
    assert!((151..400).contains(&used), "{detail}");
    assert_eq!(trial.left(), Vec::<String>::new());
}

#[test]
fn reserved_memory_does_not_count() {
    // It reserves more than 150 MB and uses less than 10 MB.
    let trial = Trial::new("reserved");
    let line = "match --engine cmd=lodestone option.Hash=1 --engine cmd=random \
                --each st=0.02 timemargin=60000 memory=100 --games 1 --out games.jsonl";
    let output = trial.command(line).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let record = &trial.scene.records()[0];
    assert_ne!(record["reason"], "crash", "{record}");
}

#[test]
fn process_limit_covers_all_sessions() {
    let breed = "n=0; while [ $n -lt 40 ]; do n=$((n + 1)); setsid sleep 4000 & done; sleep 4000";
    let trial = Trial::new("processes");
    let record = trial.play(Bot::thinking(breed), "max-processes=20");
    assert_eq!(
        (&record["result"], &record["reason"]),
        (&"0-1".into(), &"crash".into())
    );
    let detail = record["detail"].as_str().unwrap();
    let found: u64 = detail
        .strip_prefix("bot has ")
        .and_then(|rest| rest.strip_suffix(" processes, 20 are allowed"))
        .unwrap_or_else(|| panic!("{detail}"))
        .parse()
        .unwrap();
    assert!((21..=42).contains(&found), "{detail}");
    assert_eq!(trial.left(), Vec::<String>::new());

    // The allowed number is no fault.
    let trial = Trial::new("few-processes");
    let few = "[ $thinks = 2 ] && exit 6; setsid sleep 4000 & setsid sleep 4000 & sleep 0.5; legal";
    let record = trial.play(Bot::thinking(few), "max-processes=4 memory=1000");
    assert_eq!(record["detail"], "bot ended with exit status 6", "{record}");
}
