//! `referee match --html`: a page that follows the match.

use std::fs;

use serde_json::Value;

use crate::support::{Bot, COLUMN_H, Running, Scene, assert_has, assert_lacks, rows, wait_until};

/// The data of a page, and its whole text. The page is complete at any time.
fn read(scene: &Scene) -> Option<(Value, String)> {
    let page = fs::read_to_string(scene.path("page.html")).ok()?;
    assert!(page.ends_with("</html>\n"), "{page}");
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    Some((serde_json::from_str(data).unwrap(), page.clone()))
}

/// Starts the referee, and waits until its page is as wanted.
fn start_until(scene: &Scene, line: &str, what: &str, is_there: impl Fn(&Value) -> bool) -> (Running, Value) {
    let referee = scene.start(line);
    let mut data = None;
    wait_until(what, || {
        data = read(scene).map(|(data, _)| data).filter(&is_there);
        data.is_some()
    });
    (referee, data.unwrap())
}

fn list<'a>(data: &'a Value, field: &str) -> &'a [Value] {
    data["matches"][0][field].as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn the_page_has_the_running_games_and_at_last_all_games() {
    let scene = Scene::new();
    // They think for 0.3 s a move; the first player wins after nine moves.
    scene.bot(
        "one",
        Bot::thinking("echo info depth 1 score cp 7; sleep 0.3; echo bestmove a$thinks"),
    );
    scene.bot("other", Bot::thinking("sleep 0.3; echo bestmove h$thinks"));
    let line = "match ./one ./other --games 3 --concurrency 2 --each tc=60 --out games.jsonl --html page.html --quiet";
    let (referee, data) = start_until(&scene, line, "no running game after a finished one", |data| {
        let has_moved = |game: &Value| game[10].as_str().is_some_and(|moves| moves.len() > 1);
        !list(data, "games").is_empty() && list(data, "running").iter().any(has_moved)
    });
    let [running] = list(&data, "running") else {
        panic!("{data}");
    };
    let text = |index: usize| list(&data, "texts")[running[index].as_u64().unwrap() as usize].clone();
    assert_eq!((&running[0], text(8)), (&3.into(), "running".into()), "{running}");
    assert_eq!(
        running[11].as_str().unwrap().len(),
        3 * running[10].as_str().unwrap().len(),
        "times"
    );
    assert!(!running[12].as_str().unwrap().is_empty(), "scores");
    assert!(!running[13]["clocks"].as_str().unwrap().is_empty(), "{running}");
    assert!(data["live"]["written"].as_u64().unwrap() > 1_600_000_000_000);
    assert!((2000..60_000).contains(&data["live"]["every"].as_u64().unwrap()));
    referee.end().exits(0);
    let (data, _) = read(&scene).unwrap();
    assert_eq!(data["live"], serde_json::json!({"over": true}));
    assert_eq!((list(&data, "games").len(), list(&data, "running").len()), (3, 0));
    let files = fs::read_dir(scene.path("")).unwrap().flatten();
    let drafts = files.filter(|file| file.file_name().to_string_lossy().contains(".tmp"));
    assert_eq!(drafts.count(), 0, "a draft is left");
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
        let (while_played, _) = read(&scene).unwrap();
        scene.referee("report games.jsonl --html page.html");
        let (report, _) = read(&scene).unwrap();
        assert_eq!(report["live"], Value::Null);
        assert!(!list(&report, "games").is_empty(), "{line}");
        assert_eq!(while_played["matches"], report["matches"], "{line}");
    }
    // Without a result file the page has all games.
    let scene = Scene::new();
    scene
        .referee("match plain random --games 6 --each depth=1 st=60 --openings random:4 --html page.html")
        .exits(0);
    assert_eq!(list(&read(&scene).unwrap().0, "games").len(), 6);
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
    let (data, page) = read(&scene).unwrap();
    assert_eq!((list(&data, "games").len(), list(&data, "running").len()), (2, 0));
    assert_eq!(data["live"]["over"], true);
    assert_has(&page, "The match was stopped after 2 of 4 games.");
    // The new page takes the place of the old one; it is written again when nothing is left to play.
    for _ in 0..2 {
        scene.referee(&with_page).exits(0);
        let (data, page) = read(&scene).unwrap();
        assert_eq!(list(&data, "games").len(), 4);
        assert_lacks(&page, "was stopped");
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
    for [path, message] in rows(
        "nowhere/page.html | --html nowhere/page.html:
         notes.html | not a page of the referee
         games.jsonl | --html games.jsonl: this is the file of --out",
    ) {
        scene.assert_refused(&format!("{line} {path}"), message);
        assert!(!scene.path("games.jsonl").exists(), "{path}");
    }
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
    scene.referee(line).exits(4).says("the page cannot be written: ");
    assert_eq!(scene.records().len(), 4);
}
