//! Matches on several machines: shards, and what is made of their files.

use std::fs;

use serde_json::{Value, json};

use crate::recorded::summary;
use crate::support::Scene;

/// Two deterministic players of different strength.
const STRONGER: &str = "--engine cmd=plain depth=2 --engine cmd=squares depth=1 --each timemargin=60000 \
    --openings random:4 --quiet --concurrency 2";
const AS_STRONG: &str = "--engine cmd=plain name=one depth=2 --engine cmd=plain name=other depth=2 \
    --each timemargin=60000 --openings random:4 --quiet --concurrency 2";

/// Plays all shards of a match; returns their files.
fn play_shards(scene: &Scene, options: &str, count: u64) -> String {
    let mut files = Vec::new();
    for shard in 0..count {
        let file = format!("shard-{shard}.jsonl");
        let line = format!("match {options} --shard {shard}/{count} --out {file}");
        let outcome = scene.referee(&line);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{line}");
        files.push(file);
    }
    files.join(" ")
}

#[test]
fn shards_decide_a_sequential_test_like_one_process() {
    let book = "a1\nstartpos moves a1 h1 a2\na3\nh5\n";
    for (options, test, games, accepted) in [
        (STRONGER.to_string(), "elo0=0 elo1=60", 80, Some("H1")),
        (AS_STRONG.to_string(), "elo0=0 elo1=60", 200, Some("H0")),
        (
            STRONGER.replace("random:4", "book.txt"),
            "elo0=0 elo1=60",
            20,
            Some("inconclusive"),
        ),
        (AS_STRONG.to_string(), "elo0=0 elo1=5 alpha=0.01 model=logistic", 12, None),
    ] {
        let scene = Scene::new();
        scene.file("book.txt", book);
        let line = format!("match {options} --games {games} --sprt {test} --out whole.jsonl");
        assert_eq!(scene.referee(&line).status, Some(0), "{line}");
        let end = scene.results("whole.jsonl").pop().unwrap();
        let verdict = accepted.map(|_| end);

        let files = play_shards(&scene, &format!("{options} --games {games}"), 3);
        let decide = |files: &str| scene.referee(&format!("report --sprt-decide {test} {files} --json"));
        let outcome = decide(&files);
        assert_eq!(outcome.stderr, "");
        let found: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(found["sprt"]["accepted"], json!(accepted), "{found}");
        if let Some(verdict) = verdict {
            assert_eq!((outcome.status, found), (Some(0), verdict.clone()), "{options}");
            // A gap stops the test in front of it.
            let last = 2 * verdict["sprt"]["pairs"].as_u64().unwrap();
            let name = format!("shard-{}.jsonl", (last / 2 - 1) % 3);
            let text = fs::read_to_string(scene.path(&name)).unwrap();
            let gap = format!("{{\"id\":{last},");
            let rest: Vec<&str> = text.lines().filter(|line| !line.starts_with(&gap)).collect();
            assert_eq!(rest.len() + 1, text.lines().count());
            scene.file(&name, &(rest.join("\n") + "\n"));
            let outcome = decide(&files);
            let found: Value = serde_json::from_str(&outcome.stdout).unwrap();
            assert_eq!(
                (outcome.status, &found["sprt"]["accepted"], &found["sprt"]["pairs"]),
                (Some(10), &Value::Null, &json!(last / 2 - 1))
            );
        } else {
            assert_eq!((outcome.status, &found["sprt"]["pairs"]), (Some(10), &json!(games / 2)));
        }
    }
}

#[test]
fn a_decision_is_printed_for_people() {
    let scene = Scene::new();
    let files = play_shards(&scene, &format!("{STRONGER} --games 30"), 2);
    let decided = scene.referee(&format!("report --sprt-decide elo0=0 elo1=300 {files}"));
    assert_eq!(decided.status, Some(0), "{}", decided.stdout);
    let lines: Vec<&str> = decided.stdout.lines().collect();
    assert!(
        lines[0].starts_with("LLR: ") && lines[0].ends_with(" (-2.94, 2.94) [0.00, 300.00] H1 accepted"),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("Decided by ") && lines.len() == 2, "{lines:?}");

    // Without the other shard, only the pairs before its first one count.
    let undecided = scene.referee("report --sprt-decide elo0=0 elo1=300 shard-0.jsonl");
    assert_eq!(undecided.status, Some(10));
    assert!(
        undecided.stdout.ends_with(
            "\nNot decided by 1 pair; 14 later games do not count before games 3 and 4 are finished\n"
        ),
        "{}",
        undecided.stdout
    );
}

#[test]
fn refuses_files_that_a_sequential_test_cannot_use() {
    let scene = Scene::new();
    let players = "--each st=1 timemargin=5000 --openings random:2 --quiet";
    for (line, file) in [
        ("random plain", "a.jsonl"),
        ("random groups", "b.jsonl"),
        ("random plain groups", "three.jsonl"),
        ("random plain --no-swap", "single.jsonl"),
    ] {
        let line = format!("match {line} {players} --out {file}");
        assert_eq!(scene.referee(&line).status, Some(0), "{line}");
    }
    for (words, why) in [
        ("elo0=0 elo1=5 a.jsonl b.jsonl", "--sprt-decide: the files are of 2 matches; name those of one"),
        ("elo0=0 elo1=5 three.jsonl", "--sprt-decide: the test compares two players; the match has 3"),
        ("elo0=0 elo1=5 single.jsonl", "and --no-swap played none"),
        ("elo0=5 elo1=5 a.jsonl", "--sprt-decide: `elo0=5` must be less than `elo1=5`"),
        ("elo0=5 a.jsonl", "--sprt-decide: `elo1` is missing"),
        ("elo0=0 elo1=5 elo2=7 a.jsonl", "--sprt-decide: "),
        ("elo0=0 elo1=5 a.jsonl --csv", "cannot be used with"),
    ] {
        scene.assert_refused(&format!("report --sprt-decide {words}"), why);
    }
    let whole = scene.referee("report a.jsonl");
    assert!(!summary(&whole.stdout).contains("LLR"));
}
