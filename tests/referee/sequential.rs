//! Matches that are decided by an SPRT.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::recorded::{assert_complete, games, line_of, summary};
use crate::support::{Outcome, Scene, assert_ends};

/// Plays until the test ends; returns the output and the verdict.
fn tested(scene: &Scene, line: &str) -> (Outcome, Value) {
    let outcome = scene.referee(&format!("match {line} --out games.jsonl")).exits(0);
    let lines = scene.results("games.jsonl");
    let verdicts: Vec<&Value> = lines.iter().filter_map(|line| line.get("sprt")).collect();
    assert_eq!(verdicts.len(), 1, "{line}: {}", outcome.stdout);
    assert_eq!(
        lines.last().unwrap().get("sprt"),
        Some(verdicts[0]),
        "the last line"
    );
    let verdict = verdicts[0].clone();
    (outcome, verdict)
}

/// Asserts that the same command prints the same summary and plays no game.
fn assert_finished(scene: &Scene, line: &str, before: &Outcome) {
    let file = std::fs::read(scene.path("games.jsonl")).unwrap();
    let (again, _) = tested(scene, line);
    assert_eq!(summary(&again.stdout), summary(&before.stdout));
    again.shows("already; nothing is left to play\n");
    assert!(!again.stdout.contains("Stopped"), "{}", again.stdout);
    assert_eq!(std::fs::read(scene.path("games.jsonl")).unwrap(), file);
}

const STRONGER: &str = "--engine cmd=plain depth=2 --engine cmd=squares depth=1 --each timemargin=60000 \
    --openings random:4 --games 2000 --sprt elo0=0 elo1=100";
const AS_STRONG: &str = "--engine cmd=plain name=one depth=2 --engine cmd=plain name=other depth=2 \
    --each timemargin=60000 --openings random:4 --games 2000 --sprt elo0=0 elo1=100";

#[test]
fn accepts_the_right_hypothesis() {
    for (line, accepted, sign) in [(STRONGER, "H1", 1.0), (AS_STRONG, "H0", -1.0)] {
        let scene = Scene::new();
        let (outcome, verdict) = tested(&scene, line);
        assert_eq!(verdict["accepted"], accepted);
        // The bounds for error rates of 0.05 are ±ln 19.
        assert!(
            sign * verdict["llr"].as_f64().unwrap() >= 19_f64.ln(),
            "{verdict}"
        );
        let pairs = verdict["pairs"].as_u64().unwrap();
        assert_complete(&games(&scene, "games.jsonl"), 2 * pairs);
        assert!((4..500).contains(&pairs), "{verdict}");
        let shown = line_of(&outcome.stdout, "LLR: ");
        assert_ends(
            &shown,
            &format!(" (-2.94, 2.94) [0.00, 100.00] {accepted} accepted"),
        );
        let counted = line_of(&outcome.stdout, "Games: ");
        assert!(counted.starts_with(&format!("{}, ", 2 * pairs)), "{counted}");
        assert!(!outcome.stdout.contains("Stopped"), "{}", outcome.stdout);
        assert_finished(&scene, line, &outcome);
    }
}

#[test]
fn verdict_does_not_depend_on_concurrency() {
    for line in [STRONGER, AS_STRONG] {
        let runs = [1, 4].map(|slots| {
            let scene = Scene::new();
            let (outcome, verdict) = tested(&scene, &format!("{line} --concurrency {slots}"));
            let counted = 2 * verdict["pairs"].as_u64().unwrap();
            let mut games = games(&scene, "games.jsonl");
            games.retain(|&id, _| id <= counted);
            assert_complete(&games, counted);
            // Games after the last pair do not count.
            assert!(line_of(&outcome.stdout, "Games: ").starts_with(&format!("{counted}, ")));
            (summary(&outcome.stdout), verdict, games)
        });
        assert_eq!(runs[1], runs[0], "{line}");
    }
}

#[test]
fn is_inconclusive_without_more_openings() {
    let scene = Scene::new();
    scene.file("book.txt", "a1\nstartpos moves a1 h1 a2\na3\nh5\n");
    for slots in [1, 2] {
        scene.remove("games.jsonl");
        let line = format!(
            "groups plain --each depth=1 timemargin=60000 --openings book.txt --games 2000 \
             --sprt elo0=0 elo1=5 --concurrency {slots}"
        );
        let (outcome, verdict) = tested(&scene, &line);
        let played: BTreeMap<u64, Value> = games(&scene, "games.jsonl");
        let openings = played.len() as u64 / 2;
        assert!(
            (2..=4).contains(&openings),
            "two openings may be equivalent: {openings}"
        );
        assert_complete(&played, 2 * openings);
        assert_eq!(
            (&verdict["accepted"], &verdict["pairs"]),
            (&"inconclusive".into(), &openings.into())
        );
        let shown = line_of(&outcome.stdout, "LLR: ");
        assert!(shown.ends_with(" inconclusive: no more openings"), "{shown}");
        assert_finished(&scene, &line, &outcome);
    }
}

#[test]
fn test_without_decision_has_no_verdict() {
    let scene = Scene::new();
    let line = |games: u64| {
        format!(
            "match groups plain --each depth=1 timemargin=60000 --openings random:4 --games {games} \
             --sprt elo0=0 elo1=1 --out games.jsonl"
        )
    };
    for games in [4, 7] {
        let outcome = scene.referee(&line(games)).exits(0);
        assert_complete(&self::games(&scene, "games.jsonl"), games);
        assert!(
            scene
                .results("games.jsonl")
                .iter()
                .all(|line| line.get("sprt").is_none())
        );
        let shown = line_of(&outcome.stdout, "LLR: ");
        assert!(shown.ends_with(" [0.00, 1.00]"), "no verdict: {shown}");
    }
}

#[test]
fn restores_a_missing_verdict() {
    let scene = Scene::new();
    let (outcome, verdict) = tested(&scene, STRONGER);
    let text = scene.text("games.jsonl");
    let end = text.trim_end().rfind('\n').unwrap() + 1;
    for length in [end, end + 7, text.len() - 1] {
        std::fs::write(scene.path("games.jsonl"), &text[..length]).unwrap();
        let (again, found) = tested(&scene, STRONGER);
        assert_eq!(found, verdict);
        assert_eq!(summary(&again.stdout), summary(&outcome.stdout));
        assert_eq!(scene.text("games.jsonl"), text);
    }
}
