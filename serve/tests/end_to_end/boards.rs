//! Games by hand, over the requests of the page, with real programs.

use std::path::Path;
use std::time::Duration;

use crate::support::{Live, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server with the bot of the examples.
fn with_bot(folder: TempDir) -> Server {
    Server::start_in(folder, &[&example("bot.py")])
}

/// Whether the examples in Python can run.
fn has_python() -> bool {
    let version = std::process::Command::new("python3").arg("--version").output();
    let is_there = version.is_ok_and(|output| output.status.success());
    if !is_there {
        println!("SKIPPED: the bot needs python3");
    }
    is_there
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples")
        .join(name);
    path.to_str().unwrap().into()
}

/// Starts a board, and follows it.
fn start(server: &Server, new: &Value) -> Live {
    let answer = server.post("/api/boards", new);
    assert_eq!(answer.status, 200, "{answer:?}");
    server.follow(&format!("board/{}", answer.json()["id"]))
}

fn order(server: &Server, order: &Value) {
    let answer = server.post("/api/boards/1", order);
    assert_eq!(answer.status, 200, "{order}: {answer:?}");
}

fn play(server: &Server, mv: &str, plies: usize) {
    order(server, &json!({"do": "move", "move": mv, "plies": plies}));
}

fn moves(state: &Value) -> usize {
    state["game"]["moves"].as_array().unwrap().len()
}

#[test]
fn a_person_plays_against_a_bot_and_takes_moves_back() {
    if !has_python() {
        return;
    }
    let server = with_bot(TempDir::new().unwrap());
    let mut live = start(
        &server,
        &json!({"players": ["human", "program:bot"], "seconds": 60}),
    );
    play(&server, "a1", 0);
    let state = live.until(|state| moves(state) == 2 && state["side"] == 1);
    let answered = state["game"]["moves"][1].clone();
    assert_eq!(state["game"]["turns"], "121");
    assert_eq!(state["seats"][1]["name"], "bot");
    let legal = state["legal"].as_array().unwrap();
    assert!(
        !legal.contains(&json!("a1")) && !legal.contains(&answered),
        "{state}"
    );

    order(&server, &json!({"do": "undo"}));
    live.until(|state| moves(state) == 0);
    play(&server, "h8", 0);
    live.until(|state| moves(state) == 2);
    order(&server, &json!({"do": "resign"}));
    let state = live.until(|state| !state["over"].is_null());
    assert_eq!(state["over"]["result"], "0-1");
    assert_eq!(state["over"]["reason"], "resign");
    // Undo takes a resignation back, and no move.
    order(&server, &json!({"do": "undo"}));
    let state = live.until(|state| state["over"].is_null());
    assert_eq!(moves(&state), 2);
    order(&server, &json!({"do": "players", "players": ["human", "human"]}));
    live.until(|state| state["seats"][1]["isHuman"] == true);
    order(&server, &json!({"do": "again"}));
    live.until(|state| moves(state) == 0);
}

#[test]
fn a_web_socket_without_news_has_signs_of_life() {
    let server = Server::start(&[]);
    let mut live = start(&server, &json!({"players": ["human", "human"]}));
    live.until(|state| moves(state) == 0);
    for _ in 0..2 {
        while live.frame() != (0x82, b"{}".to_vec()) {}
    }
    play(&server, "a1", 0);
    live.until(|state| moves(state) == 1);
}

#[test]
fn a_board_survives_a_kill() {
    if !has_python() {
        return;
    }
    let server = with_bot(TempDir::new().unwrap());
    let new = json!({"players": ["human", "program:bot"], "seconds": 60, "clock": {"base": 600_000, "increment": 1000}});
    let mut live = start(&server, &new);
    play(&server, "a1", 0);
    live.until(|state| moves(state) == 2 && state["side"] == 1);
    let server = with_bot(server.kill());
    let list = server.get("/api/boards").json();
    assert_eq!(list["boards"][0]["moves"], 2, "{list}");
    assert_eq!(list["boards"][0]["players"][1], "bot", "{list}");
    let mut live = server.follow("board/1");
    let state = live.until(|state| state["side"] == 1 && moves(state) == 2);
    // The increment for the move of the bot, whose clock has not run yet.
    assert!(state["game"]["clocks"][1].as_u64().unwrap() > 590_000, "{state}");
    play(&server, state["legal"][0].as_str().unwrap(), 2);
    live.until(|state| moves(state) == 4);
    // A program that is not there any more leaves its seat to a person.
    let server = Server::start_in(server.kill(), &[]);
    let state = server.follow("board/1").until(|state| moves(state) == 4);
    assert_eq!(state["seats"][1]["isHuman"], true);
}

#[test]
fn a_first_move_has_its_time_and_takes_none_from_the_clock() {
    let server = Server::start(&[]);
    let new = json!({"players": ["human", "human"], "clock": {"base": 600_000, "increment": 1000}});
    let mut live = start(&server, &new);
    live.until(|state| state["side"] == 1);
    std::thread::sleep(Duration::from_millis(50));
    play(&server, "a1", 0);
    let is_right = |state: &Value| {
        let time = state["game"]["ms"][0].as_u64().unwrap();
        assert!(time >= 50, "{state}");
        assert_eq!(state["game"]["clocks"][0], 601_000, "{state}");
    };
    is_right(&live.until(|state| moves(state) == 1));
    let server = Server::start_in(server.kill(), &[]);
    is_right(&server.follow("board/1").until(|state| moves(state) == 1));
}

#[test]
fn a_person_without_time_loses() {
    let server = Server::start(&[]);
    let new = json!({"players": ["human", "human"], "clock": {"base": 1000, "increment": 0}});
    let mut live = start(&server, &new);
    // The clocks start with the second move.
    let state = live.until(|state| state["side"] == 1);
    assert!(state["running"].is_null(), "{state}");
    play(&server, "a1", 0);
    let state = live.until(|state| !state["over"].is_null());
    assert_eq!(
        (&state["over"]["result"], &state["over"]["reason"]),
        (&json!("1-0"), &json!("time"))
    );
    order(&server, &json!({"do": "undo"}));
    live.until(|state| state["over"].is_null());
}

#[test]
fn no_clock_runs_while_a_board_is_paused_or_after_a_restart() {
    let server = Server::start(&[]);
    let new = json!({"players": ["human", "human"], "clock": {"base": 600_000, "increment": 0}});
    let mut live = start(&server, &new);
    play(&server, "a1", 0);
    live.until(|state| state["running"] == 2);
    order(&server, &json!({"do": "pause", "on": true}));
    let paused = live.until(|state| state["isPaused"] == true);
    assert!(paused["running"].is_null(), "{paused}");
    order(&server, &json!({"do": "pause", "on": false}));
    live.until(|state| state["running"] == 2);
    let server = Server::start_in(server.interrupt(), &[]);
    let state = server.follow("board/1").until(|state| moves(state) == 1);
    assert!(state["isPaused"] == true && state["running"].is_null(), "{state}");
}

#[cfg(unix)]
#[test]
fn a_fault_ends_the_game_with_a_transcript() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = TempDir::new().unwrap();
    let bot = folder.path().join("wrong.sh");
    let text = "#!/bin/sh\nwhile read word rest; do case $word in uci) echo uciok;; isready) echo readyok;; \
                go) echo 'bestmove <b>d4</b>';; quit) exit;; esac; done\n";
    std::fs::write(&bot, text).unwrap();
    std::fs::set_permissions(&bot, std::fs::Permissions::from_mode(0o755)).unwrap();
    let server = Server::start_in(folder, &["./wrong.sh"]);
    let mut live = start(&server, &json!({"players": ["program:wrong", "human"]}));
    let state = live.until(|state| !state["over"].is_null());
    assert_eq!(state["over"]["result"], "0-1");
    assert!(
        state["fault"].as_str().unwrap().contains("< bestmove <b>d4</b>"),
        "{state}"
    );
    order(&server, &json!({"do": "retry"}));
    // It fails again, or is still asked: both end here.
    order(&server, &json!({"do": "players", "players": ["human", "human"]}));
    order(&server, &json!({"do": "again"}));
    play(&server, "a1", 0);
    live.until(|state| moves(state) == 1);
    // The games of matches have transcripts, too.
    let form =
        json!({"kind": "match", "name": "games", "players": ["program:wrong", "builtin:random"], "games": 2});
    assert_eq!(server.post("/api/matches", &form).status, 200);
    server
        .follow("match/games")
        .until(|state| state["state"] == "finished");
    let transcript = server.get("/results/games.jsonl/transcript/2");
    assert!(transcript.head.contains("text/plain"), "{transcript:?}");
    assert!(transcript.body.contains("bestmove <b>d4</b>"), "{transcript:?}");
    assert_eq!(server.get("/results/games.jsonl/transcript/3").status, 404);
}

#[test]
fn a_program_that_does_not_start_is_an_error() {
    let server = Server::start(&[]);
    let folder = server.kill();
    std::fs::write(folder.path().join("silent"), "").unwrap();
    let server = Server::start_in(folder, &["--engine", "cmd=cat", "name=cat", "starttime=0.1"]);
    let answer = server.post("/api/boards", &json!({"players": ["program:cat", "human"]}));
    assert_eq!(answer.status, 422, "{answer:?}");
    assert!(answer.error().starts_with("cat "), "{answer:?}");
}

#[test]
fn an_analysis_ends_when_no_page_follows_the_board() {
    let server = Server::start(&[]);
    let live = start(&server, &json!({"players": ["human", "human"]}));
    let analyse = json!({"do": "analyse", "player": "builtin:lodestone", "plies": 0});
    order(&server, &analyse);
    drop(live);
    // Its own time is a minute, after which the answer stays.
    std::thread::sleep(std::time::Duration::from_secs(15));
    server
        .follow("board/1")
        .until(|state| state["analysis"].is_null());
}

#[test]
fn hints_and_analysis_come_from_any_player() {
    let server = Server::start(&[]);
    let mut live = start(&server, &json!({"players": ["human", "human"]}));
    play(&server, "a1", 0);
    order(
        &server,
        &json!({"do": "analyse", "player": "builtin:lodestone", "plies": 0}),
    );
    let state = live.until(|state| !state["analysis"]["score"].is_null());
    assert_eq!(state["analysis"]["plies"], 0);
    assert!(!state["analysis"]["pv"].as_array().unwrap().is_empty());
    order(&server, &json!({"do": "hint", "player": "builtin:squares"}));
    let state = live.until(|state| state["hint"]["isOver"] == true);
    let legal = state["legal"].as_array().unwrap();
    assert!(legal.contains(&state["hint"]["move"]), "{state}");
    order(&server, &json!({"do": "analyse", "player": null, "plies": 0}));
    live.until(|state| state["analysis"].is_null());
    play(&server, "h1", 1);
    live.until(|state| state["hint"].is_null());
    // The analysis of a position that is taken back goes with it.
    order(
        &server,
        &json!({"do": "analyse", "player": "builtin:lodestone", "plies": 2}),
    );
    live.until(|state| !state["analysis"]["score"].is_null());
    order(&server, &json!({"do": "undo"}));
    let state = live.until(|state| moves(state) == 1);
    assert!(state["analysis"].is_null(), "{state}");
}

#[test]
fn the_move_that_ended_a_game_is_taken_back() {
    let server = Server::start(&[]);
    let mut live = start(&server, &json!({"players": ["human", "human"]}));
    let five = ["a1", "h1", "a2", "h2", "a3", "h3", "a4", "h4", "a5"];
    for (plies, mv) in five.into_iter().enumerate() {
        play(&server, mv, plies);
    }
    let state = live.until(|state| !state["over"].is_null());
    assert_eq!(state["over"]["reason"], "five", "{state}");
    order(&server, &json!({"do": "undo"}));
    let state = live.until(|state| moves(state) < five.len());
    assert!(moves(&state) == 8 && state["over"].is_null(), "{state}");
}

#[test]
fn the_clock_of_a_board_is_also_that_of_a_program_with_its_own_time() {
    let server = Server::start(&["--engine", "cmd=random", "name=own", "st=5"]);
    let new = json!({"players": ["human", "program:own"], "clock": {"base": 600_000, "increment": 0}});
    let mut live = start(&server, &new);
    let state = live.until(|state| state["side"] == 1);
    assert_eq!(state["game"]["clocks"], json!([600_000, 600_000]), "{state}");
}

#[test]
fn a_saved_game_can_be_loaded() {
    let server = Server::start(&["--variant", "gridlock"]);
    let mut live = start(
        &server,
        &json!({"players": ["human", "human"], "pieces": 3, "turns": 10}),
    );
    let state = live.until(|state| !state["legal"].as_array().unwrap().is_empty());
    play(&server, state["legal"][0].as_str().unwrap(), 0);
    live.until(|state| moves(state) == 1);
    let saved = server.get("/api/boards/1/file");
    assert!(
        saved.head.contains("attachment; filename=\"gridlock-1.txt\""),
        "{saved:?}"
    );
    let new = json!({"players": ["human", "human"], "saved": saved.body});
    let answer = server.post("/api/boards", &new);
    let id = answer.json()["id"].clone();
    assert_eq!(server.get(&format!("/api/boards/{id}/file")).body, saved.body);
    let new = json!({"players": ["human", "human"], "saved": saved.body, "plies": 0});
    assert_eq!(server.post("/api/boards", &new).status, 200);
    let game = "[White \"a\"]\n[Black \"b\"]\n[Result \"*\"]\n[GameVariant \"gridlock\"]\n\
                [Start \"1xo4/7/4o1x/7/4xxo/o2x3/3o3 x 0 40\"]\n\n{1. a2a1} *\n\n";
    let two_games = game.repeat(2);
    for (text, why) in [
        ("", "the file"),
        ("hello", "expected `KEY: VALUE`"),
        (
            "variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a1\n",
            "it is a game of magnetic-cave",
        ),
        ("variant: gridlock\nstart: nothing\nmoves:\n", "the file"),
        (
            &two_games,
            "the file holds 2 games: choose a file with a single game",
        ),
    ] {
        let answer = server.post(
            "/api/boards",
            &json!({"players": ["human", "human"], "saved": text}),
        );
        assert_eq!(answer.status, 422, "{text}: {answer:?}");
        assert!(answer.error().contains(why), "{text}: {answer:?}");
    }
}

#[test]
fn a_game_by_a_rules_program_has_grids() {
    if !has_python() {
        return;
    }
    let server = Server::start(&["--rules", &example("rules/breakthrough.py")]);
    let facts = server.get("/api/site").json();
    assert_eq!(facts["game"]["isOther"], true, "{facts}");
    let mut live = start(&server, &json!({"players": ["human", "level:beginner"]}));
    let state = live.until(|state| !state["legal"].as_array().unwrap().is_empty());
    let grid = state["game"]["grids"][0].as_str().unwrap();
    assert!(grid.starts_with("columns a b"), "{state}");
    play(&server, state["legal"][0].as_str().unwrap(), 0);
    let state = live.until(|state| moves(state) == 2);
    assert_eq!(state["game"]["grids"].as_array().unwrap().len(), 3);
    // A page that connects now gets all of what the other one got in pieces.
    assert_eq!(server.follow("board/1").until(|_| true)["game"], state["game"]);
    order(&server, &json!({"do": "undo"}));
    let state = live.until(|state| moves(state) == 0);
    assert_eq!(state["game"]["grids"].as_array().unwrap().len(), 1);
}

#[test]
fn two_programs_are_watched_held_and_replaced() {
    let server = Server::start(&[]);
    let mut live = start(
        &server,
        &json!({"players": ["level:beginner", "builtin:random"], "seconds": 1}),
    );
    live.until(|state| moves(state) >= 2);
    order(&server, &json!({"do": "pause", "on": true}));
    let held = live.until(|state| state["isPaused"] == true);
    order(&server, &json!({"do": "continue", "plies": 1}));
    let state = live.until(|state| moves(state) == 1);
    assert_eq!(state["isPaused"], true);
    assert_eq!(state["game"]["moves"][0], held["game"]["moves"][0]);
    order(&server, &json!({"do": "pause", "on": false}));
    live.until(|state| moves(state) >= 3);
    order(&server, &json!({"do": "close"}));
    live.until(|state| state["kind"] == "closed");
    assert_eq!(server.get("/api/boards").json(), json!({"boards": []}));
}

#[cfg(unix)]
#[test]
fn a_program_starts_again_after_a_crash_and_a_broken_one_leaves_its_board() {
    use std::os::unix::fs::PermissionsExt as _;

    let write = |folder: &TempDir, text: &str| {
        let bot = folder.path().join("bot.sh");
        std::fs::write(&bot, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&bot, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let dialogue = |go: &str| {
        format!(
            "while read word rest; do case $word in uci) echo uciok;; isready) echo readyok;; go) {go};; quit) exit;; esac; done"
        )
    };
    let folder = TempDir::new().unwrap();
    write(&folder, &dialogue("exit 3"));
    let server = Server::start_in(folder, &["./bot.sh"]);
    let mut live = start(&server, &json!({"players": ["program:bot", "human"]}));
    let state = live.until(|state| !state["over"].is_null());
    assert_eq!(state["over"]["reason"], "crash", "{state}");
    // The author mends it.
    write(&server.folder, &dialogue("echo bestmove a1"));
    order(&server, &json!({"do": "retry"}));
    let state = live.until(|state| moves(state) == 1);
    assert!(state["over"].is_null());
    // It hangs at its next start, which holds up neither the board nor others.
    play(&server, "h8", 1);
    live.until(|state| !state["over"].is_null());
    write(&server.folder, "exec sleep 1000");
    let server = Server::start_in(server.kill(), &["./bot.sh"]);
    let state = server.follow("board/1").until(|_| true);
    assert_eq!(moves(&state), 2, "{state}");
    assert_eq!(server.get("/api/boards").json()["boards"][0]["moves"], 2);
    assert_eq!(server.get("/api/boards/1/file").status, 200);
    order(&server, &json!({"do": "undo"}));
    order(&server, &json!({"do": "close"}));
    assert_eq!(server.get("/api/boards").json(), json!({"boards": []}));
    // A board that is closed before it is looked at.
    let mut live = start(&server, &json!({"players": ["human", "human"]}));
    let first = json!({"do": "move", "move": "a1", "plies": 0});
    assert_eq!(server.post("/api/boards/2", &first).status, 200);
    live.until(|state| moves(state) == 1);
    let server = Server::start_in(server.kill(), &[]);
    assert_eq!(server.post("/api/boards/2", &json!({"do": "close"})).status, 200);
    assert_eq!(server.get("/api/boards").json(), json!({"boards": []}));
}
