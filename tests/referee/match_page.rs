//! `referee match --html`: the page of a match, which is that of a report.

use std::fs;

use crate::support::{
    Bot, COLUMN_H, Scene, assert_has, assert_lacks, assert_rows, expect, page_data, wait_until,
};

#[test]
fn a_page_is_written_before_the_match_ends() {
    let scene = Scene::new();
    // From its third game on, it waits for a file.
    let go = "while [ $games -gt 2 ] && [ ! -e go ]; do sleep 0.05; done; echo bestmove a$thinks";
    scene.bot("one", Bot::thinking(go));
    scene.bot("other", Bot::thinking(COLUMN_H));
    let line = "match ./one ./other --games 4 --each st=600 --out games.jsonl --html page.html --quiet";
    let referee = scene.start(line);
    wait_until("no page has the first game", || scene.path("page.html").exists());
    let page = scene.text("page.html");
    assert!(page.ends_with("</html>\n"), "{page}");
    assert_has(&page, expect! {"of 4 games are still to be played."});
    scene.file("go", "");
    referee.end().exits(0);
    let page = scene.text("page.html");
    assert_lacks(&page, "still to be played");
    assert_eq!(games(&page), 4);
    let files = fs::read_dir(scene.path("")).unwrap().flatten();
    let drafts = files.filter(|file| file.file_name().to_string_lossy().contains(".tmp"));
    assert_eq!(drafts.count(), 0, "a draft is left");
}

/// The number of games of a page.
fn games(page: &str) -> usize {
    page_data(page)["matches"][0]["games"].as_array().unwrap().len()
}

/// The last page says the same as the page of a report, for every kind of match.
#[test]
fn the_last_page_is_that_of_a_report() {
    for line in [
        "match plain squares random --games 4",
        "match plain squares random --games 4 --shard 1/2",
        "match plain squares random groups --format swiss rounds=2",
        "match plain squares random groups --format knockout",
        "match plain squares --games 3 --no-swap",
        "match plain random --games 200 --sprt elo0=0 elo1=100 --concurrency 2",
        "match plain random --variant gridlock --games 2",
    ] {
        let scene = Scene::new();
        let line = format!("{line} --each depth=1 st=60 --openings random:4 --quiet --html page.html");
        scene.referee(&format!("{line} --out games.jsonl")).exits(0);
        let while_played = scene.text("page.html");
        scene.referee("report games.jsonl --html page.html");
        let report = scene.text("page.html");
        assert!(games(&report) > 0, "{line}");
        assert_eq!(page_data(&while_played), page_data(&report), "{line}");
    }
    // Without a result file the page has all games.
    let scene = Scene::new();
    scene
        .referee("match plain random --games 6 --each depth=1 st=60 --openings random:4 --html page.html")
        .exits(0);
    assert_eq!(games(&scene.text("page.html")), 6);
}

#[test]
fn the_page_of_a_stopped_match_says_so_and_a_resumed_match_has_all_games() {
    let scene = Scene::new();
    let go = "[ $games -gt 2 ] && touch waits && sleep 1; echo bestmove a$thinks";
    scene.bot("one", Bot::thinking(go));
    scene.bot("other", Bot::thinking(COLUMN_H));
    let line = "match ./one ./other --games 4 --each st=60 --out games.jsonl --quiet";
    let with_page = format!("{line} --html page.html");
    scene.interrupted(&with_page).exits(130);
    let page = scene.text("page.html");
    assert_eq!(games(&page), 2);
    assert_has(&page, expect! {"2 of 4 games are still to be played."});
    // The new page takes the place of the old one; it is written again when nothing is left to play.
    for _ in 0..2 {
        scene.referee(&with_page).exits(0);
        let page = scene.text("page.html");
        assert_eq!(games(&page), 4);
        assert_lacks(&page, "still to be played");
        scene.remove("page.html");
    }
    // The option is no part of the match.
    scene.referee(line).exits(0);
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let scene = Scene::new();
    scene.file("notes.html", "my notes");
    let line = "match plain random --games 2 --each depth=1 st=60 --out games.jsonl --quiet --html";
    let table = expect![[r#"
        nowhere/page.html | --html nowhere/page.html:
        notes.html | not an HTML report
        games.jsonl | --html games.jsonl: this is the file of --out
    "#]];
    assert_rows(table, |[path]| {
        let error = scene.refused(&format!("{line} {path}"));
        assert!(!scene.path("games.jsonl").exists(), "{path}");
        error
    });
    assert_eq!(scene.text("notes.html"), "my notes");
    // An engine that does not start leaves no page.
    scene.bot("broken", Bot::greeting("exit 3"));
    scene.referee("match plain ./broken --html page.html").exits(3);
    assert!(!scene.path("page.html").exists());

    // The folder disappears during the match, which goes on.
    scene.folder("pages");
    scene.bot("one", Bot::thinking("rm -rf pages; echo bestmove a$thinks"));
    scene.bot("other", Bot::thinking(COLUMN_H));
    let line = "match ./one ./other --games 4 --each st=60 --out games.jsonl --quiet --html pages/page.html";
    scene
        .referee(line)
        .exits(4)
        .says(expect! {"the page cannot be written: "});
    assert_eq!(scene.records().len(), 4);
}
