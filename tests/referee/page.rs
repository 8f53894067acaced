//! The page of `referee report --html`.

use crate::support::{
    Bot, Scene, assert_has_all, assert_lacks, assert_rows, assert_starts, expect, page_data,
};

/// Ample time: the machine may be busy, and these tests do not test the clock.
const EACH: &str = "--each st=1 timemargin=5000 --quiet --out";

/// The page of a report.
fn page(scene: &Scene, words: &str) -> String {
    scene
        .referee(&format!("report {words} --html page.html"))
        .exits(0);
    scene.text("page.html")
}

#[test]
fn page_has_every_game_beside_the_table() {
    let scene = Scene::new();
    let line = "match random groups squares --games 4 --openings random:2";
    scene.referee(&format!("{line} {EACH} games.jsonl")).exits(0);
    let page = self::page(&scene, "games.jsonl");
    assert_starts(&page, "<!doctype html>\n");
    let data = page_data(&page);
    let one = &data["matches"][0];
    assert_eq!(one["games"].as_array().unwrap().len(), 12);
    assert_eq!(one["match"]["meetings"].as_array().unwrap().len(), 3);
    let parts = ["<table class=\"standings\">", "#player-3", "#pairing-1-2"];
    assert_has_all(&page, parts);
    assert_lacks(&page, "Sandbox");
    assert_has_all(
        &page,
        [expect! {"<h3>Ratings</h3>"}, expect! {"<h3>First mover</h3>"}],
    );
    // A page may be replaced, and two matches share one.
    scene
        .referee(&format!(
            "match random mobility --variant gridlock {EACH} other.jsonl"
        ))
        .exits(0);
    let page = self::page(&scene, "games.jsonl other.jsonl");
    assert_has_all(&page, ["<title>2 matches</title>", "href=\"#match-2-games\""]);
}

#[test]
fn wrong_path_of_a_page_is_found_before_the_files_are_read() {
    let scene = Scene::new();
    scene.file("notes.txt", "mine");
    let table = expect![[r#"
        nowhere/page.html | referee: --html nowhere/page.html: No such file or directory
        . | referee: --html .: is a directory
        notes.txt | referee: --html notes.txt: it is not an HTML report, so it is not overwritten; use a new file
    "#]];
    assert_rows(table, |[path]| {
        scene.refused(&format!("report missing.jsonl --html {path}"))
    });
    assert_eq!(scene.text("notes.txt"), "mine");
    scene.referee("report missing.jsonl --no-transcripts").exits(2);
}

#[test]
fn transcripts_are_on_the_page_unless_left_out() {
    let scene = Scene::new();
    scene.bot("crashing", Bot::thinking("echo 'a <secret> of mine' >&2; exit 3"));
    scene
        .referee(&format!(
            "match ./crashing random --games 2 --openings random:2 {EACH} games.jsonl"
        ))
        .exits(0);
    for (option, count) in [("", 2), ("--no-transcripts", 0)] {
        let page = page(&scene, &format!("games.jsonl {option}"));
        assert_has_all(&page, ["2 games lost by crash", "a &lt;secret&gt; of mine"]);
        assert_lacks(&page, "<secret>");
        assert_eq!(page.matches("<summary>Transcript of game ").count(), count);
    }
}
