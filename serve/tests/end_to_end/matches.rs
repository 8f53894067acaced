//! Matches that the real server starts.

use sentences::{assert_has, expect};
use std::fs;
use std::path::Path;

use crate::support::{Answer, Server, eventually};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The number of games of a match that is interrupted: more than a fast machine plays in the time of a request.
const LONG: u64 = 100_000;

/// What no command line of this server offers, as another program could leave it in the folder.
const PLANTED: &str = r#"{"form":{"kind":"match","players":["builtin:random","cmd=/bin/sh"],"words":"--log x"},"state":"paused","games":2}"#;

#[test]
fn a_match_is_played_and_its_files_are_listed() {
    let server = Server::start(&[]);
    let started = start_match(&server, "games", 4, "--seed 5 --record nodes");
    assert_eq!(
        (started.status, started.json()),
        (200, json!({"name": "games.jsonl"}))
    );
    let found = wait_for(&server, "games.jsonl", |one| one["state"] != "running");
    assert_eq!(
        (&found["state"], &found["played"], &found["games"]),
        (&json!("finished"), &json!(4), &json!(4))
    );
    assert_eq!((&found["kind"], &found["players"]), (&json!("match"), &json!(2)));
    let command = found["command"].as_str().unwrap();
    assert_has(
        command,
        expect! {"referee match --variant magnetic-cave --engine cmd=random name=random"},
    );
    // The list does not wait for its counts.
    let mut file = Value::Null;
    eventually(|| {
        file = server.get("/api/results").json()["files"][0].clone();
        !file["games"].is_null()
    });
    let shown = (
        &file["name"],
        &file["games"],
        &file["players"],
        &file["isRunning"],
    );
    assert_eq!(
        shown,
        (&json!("games.jsonl"), &json!(4), &json!(2), &json!(false))
    );
    let path = server.folder.path().join("results/games.jsonl");
    assert_eq!(
        server.get("/results/games.jsonl/file").body,
        fs::read_to_string(&path).unwrap()
    );
    let state = server.follow("match/games").until(|_| true);
    assert_eq!(
        (&state["kind"], &state["state"]),
        (&json!("match"), &json!("finished"))
    );
    let points: f64 = state["standings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["points"].as_f64().unwrap())
        .sum();
    assert!((points - 4.0).abs() < 1e-9, "{state}");
    let page = server.get("/results/games.jsonl");
    assert!(page.head.contains("frame-ancestors 'none'"), "{}", page.head);
    assert!(
        page.body.ends_with(
            "<script type=\"module\" src=\"../app/report-extra.js\"></script>\n</body>\n</html>\n"
        )
    );
    let analysis = json!({"kind": "analysis", "name": "games-analysis", "file": "games.jsonl",
        "player": "builtin:lodestone", "seconds": 0.001, "game": 2});
    let started = server.post("/api/matches", &analysis);
    assert_eq!(started.json(), json!({"name": "games-analysis.jsonl"}));
    let found = wait_for(&server, "games-analysis.jsonl", |one| one["state"] != "running");
    assert_eq!(
        (&found["state"], &found["played"], &found["games"]),
        (&json!("finished"), &json!(1), &json!(1))
    );
    // A job is taken from the list; its results stay.
    let removed = server.post("/api/matches/games.jsonl", &json!({"do": "remove"}));
    assert_eq!(removed.status, 200, "{removed:?}");
    let listed = server.get("/api/matches").json()["matches"].clone();
    assert_eq!(
        (listed.as_array().unwrap().len(), &listed[0]["name"]),
        (1, &json!("games-analysis.jsonl"))
    );
    assert!(path.is_file());
    let again = server.post("/api/matches/games.jsonl", &json!({"do": "remove"}));
    assert_eq!(again.status, 404, "{again:?}");
}

#[test]
#[cfg(unix)] // the wrapper is a script
fn a_wrapper_starts_the_submissions_of_matches_and_ladders() {
    use std::os::unix::fs::PermissionsExt;

    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    };
    for (name, player) in [("ann", "squares"), ("bob", "random"), ("cem", "random")] {
        write(&format!("hand-in/{name}/player"), player);
    }
    let script = "#!/bin/sh\nexec \"$REFEREE\" builtin \"$(cat \"$1/player\")\"\n";
    let script = script.replace("$REFEREE", env!("CARGO_BIN_EXE_referee-serve"));
    let run = write("wrapper/run", &script);
    fs::set_permissions(run, fs::Permissions::from_mode(0o755)).unwrap();
    let server = Server::start_in(
        folder,
        &["--engines", "hand-in", "--wrapper", "wrapper", "--sandbox=off"],
    );
    for kind in ["match", "ladder"] {
        let form = json!({"kind": kind, "name": kind, "players": ["program:ann", "program:bob"], "games": 2,
            "seconds": 9.0});
        let started = server.post("/api/matches", &form);
        assert_eq!(started.status, 200, "{}", started.body);
        let found = wait_for(&server, &format!("{kind}.jsonl"), |one| one["state"] != "running");
        assert_eq!(found["played"], 2, "{found}");
        let command = found["command"].as_str().unwrap();
        assert_eq!(
            command.contains(" --only=ann --only=bob "),
            kind == "ladder",
            "{command}"
        );
        let path = server.folder.path().join(format!("results/{kind}.jsonl"));
        let header: Value =
            serde_json::from_str(fs::read_to_string(path).unwrap().lines().next().unwrap()).unwrap();
        let names: Vec<&Value> = header["engines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["wrapper"])
            .collect();
        // No others than those that were chosen.
        assert_eq!(names, [&json!("wrapper"); 2], "{header}");
    }
}

#[test]
fn a_match_is_paused_and_resumed() {
    let mut server = Server::start(&[]);
    let path = server.folder.path().join("results/long.jsonl");
    let started = start_match(&server, "long", LONG, "");
    assert_eq!(started.status, 200, "{}", started.body);
    let played = |least: u64| move |one: &Value| one["played"].as_u64().unwrap() >= least;
    wait_for(&server, "long.jsonl", played(3));
    assert_eq!(
        start_match(&server, "long", LONG, "").status,
        422,
        "it is running"
    );
    let act = |server: &Server, what: &str| server.post("/api/matches/long.jsonl", &json!({"do": what}));
    assert_eq!(act(&server, "pause").status, 200);
    let paused = wait_for(&server, "long.jsonl", |one| one["state"] != "running");
    assert_eq!(paused["state"], "paused", "{paused}");
    let before = ids(&path);
    assert_eq!(paused["played"], before.len());
    assert_eq!(
        start_match(&server, "long", LONG, "--seed 9").status,
        422,
        "another command"
    );
    assert_eq!(act(&server, "resume").status, 200);
    let more = before.len() as u64 + 3;
    wait_for(&server, "long.jsonl", played(more));
    // A server that is killed, and one that is interrupted.
    for ends in [Server::kill, Server::kill, Server::interrupt] {
        server = Server::start_in(ends(server), &[]);
        let found = wait_for(&server, "long.jsonl", |one| one["state"] == "paused");
        assert_eq!(found["games"], LONG);
        let least = found["played"].as_u64().unwrap() + 3;
        // The old command may still be ending.
        wait_for(&server, "long.jsonl", |one| {
            let is_over = one["state"] == "paused" || one["state"] == "failed";
            if is_over {
                assert_eq!(act(&server, "resume").status, 200);
            }
            one["played"].as_u64().unwrap() >= least && one["state"] == "running"
        });
    }
    let folder = server.interrupt();
    let path = folder.path().join("results/long.jsonl");
    let all = ids(&path);
    assert!(all.starts_with(&before) && all.len() as u64 >= more + 9);
    let mut once = all.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), all.len(), "no game is played twice");
    let server = Server::start_in(folder, &[]);
    let mut page = server.follow("match/long");
    page.until(|state| state["state"] == "paused");
    assert_eq!(act(&server, "stop").status, 200);
    // Pages see it, though nothing runs.
    page.until(|state| state["state"] == "stopped");
    assert_eq!(act(&server, "resume").status, 422);
    assert_eq!(
        server.get("/api/matches").json()["matches"][0]["state"],
        "stopped"
    );
}

#[test]
fn nothing_but_what_the_command_line_offers_is_started() {
    let folder = TempDir::new().unwrap();
    let results = folder.path().join("results");
    fs::create_dir(&results).unwrap();
    fs::write(results.join("planted.serve.json"), PLANTED).unwrap();
    fs::write(results.join("other.jsonl"), "{}\n").unwrap();
    fs::write(folder.path().join("outside.jsonl"), "{}\n").unwrap();
    let server = Server::start_in(folder, &[]);
    let error = |answer: Answer| (answer.status, answer.error());
    let resumed = server.post("/api/matches/planted", &json!({"do": "resume"}));
    let (status, why) = error(resumed);
    assert!(
        status == 422 && why.starts_with("--log cannot be set here: "),
        "{why}"
    );
    let mut form =
        json!({"kind": "match", "name": "x", "players": ["builtin:random", "cmd=/bin/sh"], "words": ""});
    assert_eq!(
        error(server.post("/api/matches", &form)),
        (422, "There is no player `cmd=/bin/sh`".into())
    );
    form["players"] = json!(["builtin:random"]);
    assert_eq!(
        error(server.post("/api/matches", &form)),
        (422, "A match needs two or more players".into())
    );
    form["players"] = json!(["builtin:random", "human"]);
    assert_eq!(error(server.post("/api/matches", &form)).0, 422);
    form["players"] = json!(["builtin:random", "builtin:random"]);
    for (name, words) in [
        ("../x", ""),
        ("x", "--games 0"),
        ("x", "--each tc=1:2"),
        ("other", ""),
    ] {
        form["name"] = name.into();
        form["words"] = words.into();
        assert_eq!(error(server.post("/api/matches", &form)).0, 422, "{name} {words}");
    }
    form["kind"] = "ladder".into();
    assert!(
        error(server.post("/api/matches", &form))
            .1
            .starts_with("A ladder is for a folder")
    );
    form["kind"] = "analysis".into();
    assert_eq!(server.post("/api/matches", &form).status, 422);
    for file in ["../outside.jsonl", "/etc/passwd", "..", "missing.jsonl"] {
        let analysis = json!({"kind": "analysis", "name": "x", "file": file, "player": "builtin:lodestone", "seconds": 1});
        assert_eq!(error(server.post("/api/matches", &analysis)).0, 422, "{file}");
    }
    for name in [
        "..%2Foutside.jsonl",
        "%2Fetc%2Fpasswd",
        "..",
        "missing.jsonl",
        "planted.serve.json",
    ] {
        for path in [
            format!("/results/{name}"),
            format!("/results/{name}/file"),
            format!("/api/matches/{name}x"),
        ] {
            assert_eq!(server.get(&path).status / 100, 4, "{path}");
        }
    }
    let results = server.folder.path().join("results");
    // The two files of this test, and the lock.
    assert_eq!(fs::read_dir(&results).unwrap().count(), 3, "nothing was written");
}

/// Starts a match between two random players.
fn start_match(server: &Server, name: &str, games: u64, words: &str) -> Answer {
    let players = ["builtin:random", "builtin:random"];
    let form = json!({"kind": "match", "name": name, "players": players, "format": "round-robin", "games": games,
        "seconds": 1, "concurrency": 1, "openings": null, "words": words});
    server.post("/api/matches", &form)
}

/// Waits until the match of this name is as expected.
fn wait_for(server: &Server, name: &str, is_expected: impl Fn(&Value) -> bool) -> Value {
    let mut found = Value::Null;
    let is_found = eventually(|| {
        let all = server.get("/api/matches").json();
        let mut all = all["matches"].as_array().unwrap().iter();
        found = all.find(|one| one["name"] == name).unwrap().clone();
        is_expected(&found)
    });
    assert!(is_found, "{found}");
    found
}

/// The ids of the games in a result file.
fn ids(path: &Path) -> Vec<u64> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter_map(|line| line["id"].as_u64()).collect()
}
