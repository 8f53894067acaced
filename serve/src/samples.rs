//! A sample of each message that the server sends to its pages. All fields are there, and none is null.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use referee::{GameView, LineView, Settings};
use referee_core::game::Ruleset;
use serde_json::{Value, json};

use crate::boards::state::{Advice, BoardState, Now, Over, SeatView, SharedState};
use crate::files::{Counts, ResultFile};
use crate::known::{KnownKind, KnownPlayer};
use crate::live::{Feed as _, NamedGame};
use crate::matches::form::{Form, MatchForm, Phase, SavedJob};
use crate::matches::job::Job;
use crate::matches::state::JobState;
use crate::{results, site};

include!("../../tests/lines/sample.rs");

/// The game after one move, or after two.
fn game(moves: usize) -> NamedGame {
    let mut view = GameView::default();
    view.start = "8/8/8/8/8/8/8/8 x".into();
    view.moves = vec!["a1".into(), "h1".into()];
    view.turns = "121".into();
    view.ms = vec![1500, 20];
    view.scores = vec![Some("cp 12".into()), Some("win 3".into())];
    view.clocks = [Some(58_500), Some(60_000)];
    let columns = "columns a h rows 1 cells";
    view.grids = [". .", "x .", "x o"]
        .map(|cells| format!("{columns} {cells}").into())
        .into();
    view.moves.truncate(moves);
    view.turns.truncate(moves + 1);
    view.ms.truncate(moves);
    view.scores.truncate(moves);
    view.grids.truncate(moves + 1);
    view.last.highlights = vec![0];
    view.last.note = "Ten turns are left.".into();
    NamedGame {
        id: 1,
        players: ["Person".into(), "medium".into()],
        view,
    }
}

fn advice() -> Advice {
    Advice {
        player: "builtin:lodestone".into(),
        number: 1,
        plies: 1,
        is_over: true,
        text: Some("h1".into()),
        elapsed: 1000,
        depth: Some(9),
        score: Some("cp -12".into()),
        nodes: Some(12_345),
        pv: vec!["h1".into(), "a2".into()],
        boards: LineView {
            grids: vec!["1 o".into()],
            turns: "1".into(),
        },
        failure: Some("The program has ended.".into()),
    }
}

fn now() -> Now {
    let seat = |id: &str, name: &str, is_human| SeatView {
        id: id.into(),
        name: name.into(),
        is_human,
    };
    Now {
        seats: [
            seat("human", "Person", true),
            seat("level:medium", "medium", false),
        ],
        legal: vec!["h1".into()],
        side: 2,
        thinking: Some(advice()),
        running: Some(2),
        is_paused: false,
        over: Some(Over {
            result: "1-0".into(),
            reason: "resign".into(),
            text: "Black wins: White resigned.".into(),
        }),
        status: "White to move.".into(),
        fault: Some("> go\n< ?".into()),
        hint: Some(advice()),
        analysis: Some(advice()),
        can_undo: true,
    }
}

fn board() -> BoardState {
    BoardState {
        id: 1,
        game: game(1),
        now: now(),
    }
}

#[test]
fn sample_of_a_board_and_its_changes() {
    let shared = SharedState::new(board());
    let mut changes = shared.follow();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut next = || serde_json::from_str::<Value>(&runtime.block_on(changes.next()).unwrap()).unwrap();
    compare_sample("board", &next());
    shared.set_game(game(2), |now| now.side = 1);
    compare_sample("change", &next());
    compare_sample("boards", &json!({"boards": [shared.state().entry()]}));
}

#[test]
fn sample_of_a_match() {
    let mut state = JobState::new("games.jsonl".into(), "match", Phase::Running, 0);
    state.restart("referee match a b".into());
    let engine = |name| json!({"name": name, "cmd": name, "st": "3", "timemargin": 0});
    let header = json!({"header": 1, "variant": "magnetic-cave", "seed": 1,
        "schedule": {"format": "round-robin", "games": 4}, "engines": [engine("a"), engine("b")]});
    let mut begin = json!(game(1));
    begin["event"] = "begin".into();
    begin["players"] = json!(["a", "b"]);
    let record = json!({"event": "game", "id": 2, "variant": "magnetic-cave", "round": 1, "pair": 1, "first": "b",
        "second": "a", "start": "startpos", "moves": ["a8"], "opening_plies": 0, "ms": [1], "score": [null],
        "result": "1-0", "reason": "crash", "detail": "a has ended"});
    for event in [
        json!({"event": "start", "header": header, "games": 4, "played": 0}),
        begin,
        record,
        json!({"event": "status", "games": 4, "played": 1, "seconds_left": 7, "points": [0, 1], "llr": null}),
    ] {
        state.apply(event.to_string().as_bytes());
    }
    state.warn("a does not answer `stop`.".into());
    state.why = Some("The folder is full.".into());
    compare_sample("match", &serde_json::from_str(&state.text()).unwrap());
}

#[test]
fn sample_of_the_lists_of_matches_and_of_results() {
    let saved = SavedJob {
        form: Form::Match(MatchForm::default()),
        state: Phase::Failed,
        games: 4,
    };
    let counts = Counts {
        games: 1,
        players: 2,
        has_rules: false,
    };
    let job = Job::new("games", Path::new("."), saved);
    job.state().why = Some("The folder is full.".into());
    compare_sample(
        "matches",
        &json!({"matches": [job.entry(Some(counts), Some(1_800_000_000_000))]}),
    );
    let file = ResultFile {
        name: "games.jsonl".into(),
        path: "games.jsonl".into(),
        stamp: (1234, UNIX_EPOCH + Duration::from_hours(500_000)),
    };
    compare_sample(
        "results",
        &json!({"files": [results::entry(&file, Some(counts), true)]}),
    );
}

#[test]
fn sample_of_a_site() {
    let known = |id: &str, kind, is_broken| KnownPlayer {
        id: id.into(),
        name: id.split(':').next_back().unwrap().into(),
        about: "some words about it".into(),
        kind,
        is_broken,
        has_time: kind == KnownKind::Level,
        has_protocol: kind != KnownKind::Program,
        settings: Settings::default(),
    };
    let players = [
        known("level:medium", KnownKind::Level, false),
        known("builtin:lodestone", KnownKind::Builtin, false),
        known("program:bot", KnownKind::Program, true),
    ];
    let rules = Ruleset::from_name("gridlock").unwrap();
    compare_sample("site", &site::facts(rules, &players, Path::new("results"), 4));
}
