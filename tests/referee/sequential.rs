//! Matches that are decided by an SPRT.

use serde_json::{Value, json};

use crate::recorded::{assert_complete, games, line_of, summary};
use crate::support::{Outcome, Scene, assert_ends, assert_has, assert_lacks, expect};

/// Plays until the test ends; returns the output and the verdict.
fn tested(scene: &Scene, line: &str) -> (Outcome, Value) {
    let outcome = scene.referee(&format!("match {line} --out games.jsonl")).exits(0);
    let lines = scene.results("games.jsonl");
    let verdicts: Vec<&Value> = lines.iter().filter_map(|line| line.get("sprt")).collect();
    assert_eq!(verdicts.len(), 1, "{line}: {}", outcome.stdout);
    let verdict = verdicts[0].clone();
    assert_eq!(lines.last().unwrap()["sprt"], verdict, "the last line");
    (outcome, verdict)
}

/// Asserts that the same command prints the same summary and plays no game.
fn assert_finished(scene: &Scene, line: &str, before: &Outcome) {
    let file = scene.text("games.jsonl");
    let (again, _) = tested(scene, line);
    assert_eq!(summary(&again.stdout), summary(&before.stdout));
    again.shows(expect! {"already; nothing is left to play;"});
    assert_lacks(&again.stdout, "Stopped");
    assert_eq!(scene.text("games.jsonl"), file);
}

const STRONGER: &str = "--engine cmd=plain depth=2 --engine cmd=squares depth=1 --each timemargin=60000 \
    --openings random:4 --games 2000 --sprt elo0=0 elo1=100";
const AS_STRONG: &str = "--engine cmd=plain name=one depth=2 --engine cmd=plain name=other depth=2 \
    --each timemargin=60000 --openings random:4 --games 2000 --sprt elo0=0 elo1=100";

#[test]
fn is_inconclusive_without_more_openings() {
    for slots in [1, 2] {
        let scene = Scene::new();
        scene.file("book.txt", "a1\nstartpos moves a1 h1 a2\na3\nh5\n");
        let line = format!(
            "groups plain --each depth=1 timemargin=60000 --openings book.txt --games 2000 \
             --sprt elo0=0 elo1=5 --concurrency {slots}"
        );
        let (outcome, verdict) = tested(&scene, &line);
        let played = games(&scene, "games.jsonl");
        let openings = played.len() as u64 / 2;
        assert!(
            (2..=4).contains(&openings),
            "two openings may be equivalent: {openings}"
        );
        assert_complete(&played, 2 * openings);
        let [accepted, pairs] = ["accepted", "pairs"].map(|field| &verdict[field]);
        assert_eq!([accepted, pairs], [&json!("inconclusive"), &json!(openings)]);
        assert_has(
            line_of(&outcome.stdout, "LLR: "),
            expect! {"inconclusive: no more openings"},
        );
        assert_finished(&scene, &line, &outcome);
    }
}

#[test]
fn test_without_decision_has_no_verdict() {
    let scene = Scene::new();
    for games in [4, 7] {
        let line =
            format!("match groups plain --each depth=1 timemargin=60000 --openings random:4 --games {games}");
        let outcome = scene
            .referee(&format!("{line} --sprt elo0=0 elo1=1 --out games.jsonl"))
            .exits(0);
        assert_complete(&self::games(&scene, "games.jsonl"), games);
        let lines = scene.results("games.jsonl");
        assert!(lines.iter().all(|line| line.get("sprt").is_none()));
        assert_ends(line_of(&outcome.stdout, "LLR: "), " [0.00, 1.00]");
    }
}

#[test]
fn restores_a_missing_verdict() {
    let scene = Scene::new();
    let (outcome, verdict) = tested(&scene, STRONGER);
    let text = scene.text("games.jsonl");
    let end = text.trim_end().rfind('\n').unwrap() + 1;
    for length in [end, end + 7, text.len() - 1] {
        scene.file("games.jsonl", &text[..length]);
        let (again, found) = tested(&scene, STRONGER);
        assert_eq!(found, verdict);
        assert_eq!(summary(&again.stdout), summary(&outcome.stdout));
        assert_eq!(scene.text("games.jsonl"), text);
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn accepts_the_right_hypothesis_at_any_concurrency() {
        for (line, accepted, sign) in [(STRONGER, "H1", 1.0), (AS_STRONG, "H0", -1.0)] {
            let runs = [1, 4].map(|slots| {
                let scene = Scene::new();
                let line = format!("{line} --concurrency {slots}");
                let (outcome, verdict) = tested(&scene, &line);
                let pairs = verdict["pairs"].as_u64().unwrap();
                // Games after the last pair do not count.
                let mut games = games(&scene, "games.jsonl");
                games.retain(|&id, _| id <= 2 * pairs);
                assert_complete(&games, 2 * pairs);
                outcome.shows(format!("\nGames: {}, ", 2 * pairs));
                assert_lacks(&outcome.stdout, "Stopped");
                assert_finished(&scene, &line, &outcome);
                (summary(&outcome.stdout), verdict, games)
            });
            let [(shown, verdict, _), other] = &runs;
            assert_eq!(runs[0], *other, "{line}");
            assert_eq!(verdict["accepted"], accepted);
            // The bounds for error rates of 0.05 are ±ln 19.
            let llr = verdict["llr"].as_f64().unwrap();
            assert!(sign * llr >= 19_f64.ln(), "{verdict}");
            assert!(
                (4..500).contains(&verdict["pairs"].as_u64().unwrap()),
                "{verdict}"
            );
            let end = format!(" (-2.94, 2.94) [0.00, 100.00] {accepted} accepted");
            assert_ends(line_of(shown, "LLR: "), end);
        }
    }
}
