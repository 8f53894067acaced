//! Ctrl-C saves what is done.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

fn fitting(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fitting"));
    command
        .args(line.split(' '))
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(folder: &Path, line: &str) -> Output {
    let output = fitting(folder, line).output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    output
}

/// Interrupts a program and returns what it wrote on standard error.
fn interrupt(child: Child) -> String {
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn interrupted_games_can_be_completed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let line = "games --nodes 50 --against lodestone,plain --out";
        let child = fitting(folder, &format!("{line} first --games 100000"))
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_mins(1);
        while fs::metadata(folder.join("first")).map_or(0, |file| file.len()) == 0 {
            assert!(Instant::now() < until, "no game is written");
            thread::sleep(Duration::from_millis(20));
        }
        let message = interrupt(child);
        let rest = message.strip_prefix("fitting: interrupted: ").unwrap();
        let (done, rest) = rest.split_once(" of 100000 games are in first; ").unwrap();
        assert!(rest.contains(&format!("`--skip {done}`")), "{message}");
        let games: u64 = done.parse().unwrap();
        assert!((1..100_000).contains(&games), "{message}");

        let total = games + 3;
        run(folder, &format!("{line} second --games {total} --skip {games}"));
        run(folder, &format!("{line} whole --games {total}"));
        let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(text("first") + &text("second"), text("whole"));
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn parts_of_the_games_make_up_the_same_samples() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let line = "games --nodes 50 --games 10 --against lodestone,plain --out";
        run(folder, &format!("{line} whole"));
        let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let mut parts = String::new();
        for shard in 0..3 {
            run(folder, &format!("{line} part-{shard} --shard {shard}/3"));
            let part = text(&format!("part-{shard}"));
            assert!(!part.is_empty());
            parts += &part;
        }
        assert_eq!(parts, text("whole"));
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn interrupted_training_saves_the_weights() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        run(folder, "games --nodes 50 --games 20 --out samples");
        let mut child = fitting(folder, "fit samples --epochs 1000000 --out weights")
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().starts_with("epoch 0: ")));
        let reader = thread::spawn(move || lines.for_each(drop));
        let message = interrupt(child);
        reader.join().unwrap();
        assert!(
            message.contains(" samples are in weights; `--from weights` trains them further"),
            "{message}"
        );
        run(folder, "fit samples --epochs 1 --from weights --out more");
        let size = |name: &str| fs::metadata(folder.join(name)).unwrap().len();
        assert_eq!(size("weights"), size("more"));
    }
}
