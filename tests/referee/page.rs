//! The page of `referee report --html`.

use serde_json::Value;

use crate::support::{Bot, Outcome, Scene, assert_has_all, rows};

/// Ample time: the machine may be busy, and these tests do not test the clock.
const EACH: &str = "--each st=1 timemargin=5000 --openings random:2 --quiet --out games.jsonl";

/// Runs a command that succeeds.
fn run(scene: &Scene, line: &str) -> Outcome {
    let outcome = scene.referee(line).exits(0);
    outcome
}

/// The data of a page.
fn data(page: &str) -> Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn page_has_every_game_beside_the_table() {
    let scene = Scene::new();
    run(&scene, &format!("match random groups squares --games 4 {EACH}"));
    let outcome = run(&scene, "report games.jsonl --html page.html");
    assert!(outcome.stdout.contains("Round robin of 3"), "{outcome:?}");
    let page = scene.text("page.html");
    assert!(page.starts_with("<!doctype html>\n"));
    let data = data(&page);
    let one = &data["matches"][0];
    assert_eq!(one["games"].as_array().unwrap().len(), 12);
    assert_eq!(one["match"]["meetings"].as_array().unwrap().len(), 3);
    assert_has_all(
        &page,
        [
            "<table class=\"standings\">",
            "<h3>Ratings</h3>",
            "#player-3",
            "#pairing-1-2",
            "<h3>First mover</h3>",
        ],
    );
    // A page may be replaced, and two matches share one.
    run(
        &scene,
        &format!(
            "match random mobility --variant gridlock --games 2 {} --out other.jsonl",
            EACH.replace("--openings random:2", "")
                .replace("--out games.jsonl", "")
        ),
    );
    run(&scene, "report games.jsonl other.jsonl --html page.html");
    let page = scene.text("page.html");
    assert!(page.contains("<title>2 matches</title>") && page.contains("href=\"#match-2-games\""));
}

#[test]
fn wrong_path_of_a_page_is_found_before_the_files_are_read() {
    let scene = Scene::new();
    scene.file("notes.txt", "mine");
    for [path, why] in rows(
        "
        nowhere/page.html | No such file or directory (os error 2)
        . | is a directory
        notes.txt | it is not a page of the referee, so it is not overwritten; give a new file
    ",
    ) {
        let outcome = scene
            .referee(&format!("report missing.jsonl --html {path}"))
            .exits(2);
        assert_eq!(outcome.stderr, format!("referee: --html {path}: {why}\n"));
    }
    assert_eq!(scene.text("notes.txt"), "mine");
    scene.referee("report missing.jsonl --no-transcripts").exits(2);
}

#[test]
fn transcripts_are_on_the_page_unless_left_out() {
    let scene = Scene::new();
    scene.bot(
        "crashing",
        Bot {
            go: "echo 'a <secret> of mine' >&2; exit 3",
            ..Bot::default()
        },
    );
    run(&scene, &format!("match ./crashing random --games 2 {EACH}"));
    run(&scene, "report games.jsonl --html page.html");
    let page = scene.text("page.html");
    assert!(page.contains("2 games lost by crash"), "{page}");
    let transcripts = page.matches("<summary>Transcript of game ").count();
    assert_eq!(transcripts, 2);
    assert!(page.contains("a &lt;secret&gt; of mine") && !page.contains("<secret>"));
    run(&scene, "report games.jsonl --html page.html --no-transcripts");
    let page = scene.text("page.html");
    assert!(page.contains("2 games lost by crash"));
    assert_eq!(page.matches("<summary>Transcript of game ").count(), 0);
}
