//! A ladder in which each player is the fifth version of its submission.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use lodestone_game::random::Random;
use serde_json::{Value, json};

use super::measure::{Outcome, Spent, run};

/// The versions of each submission in a ladder, and the rounds that each of them has played.
const VERSIONS: usize = 5;
const ROUNDS: usize = 10;

/// A ladder of which only the last versions play.
pub fn start_and_pair(players: usize) -> Outcome<Vec<Spent>> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    for player in 0..players {
        let submission = folder.join(format!("hand-in/s{player}"));
        fs::create_dir_all(&submission)?;
        let bot = "#!/bin/sh\nwhile read -r word rest; do case $word in uci) echo uciok;; isready) echo readyok;; \
                   quit) exit;; esac; done\n";
        fs::write(submission.join("run"), bot)?;
        fs::set_permissions(submission.join("run"), fs::Permissions::from_mode(0o755))?;
    }
    let command = [
        "referee",
        "ladder",
        "hand-in",
        "--out",
        "l.jsonl",
        "--games",
        "0",
        "--quiet",
        "--sandbox=off",
    ];
    let first = run(folder, &command)?;
    let file = folder.join("l.jsonl");
    let text = fs::read_to_string(&file)?;
    let mut header: Value = serde_json::from_str(text.lines().next().unwrap_or_default())?;
    let last = header["engines"].as_array().cloned().ok_or("no players")?;
    let version = |number: usize| {
        let of_player = move |mut engine: Value| {
            let name = engine["name"].as_str().unwrap_or_default().to_string();
            let own = match number {
                1 => name.clone(),
                _ => format!("{name} v{number}"),
            };
            for field in ["cmd", "dir"] {
                let path = engine[field].as_str().unwrap_or_default();
                engine[field] = path.replacen(&format!("/{name}"), &format!("/{own}"), 1).into();
            }
            engine["submission"]["version"] = number.into();
            if number < VERSIONS {
                engine["submission"]["digest"] = number.to_string().into();
            }
            engine["name"] = own.into();
            engine
        };
        last.clone().into_iter().map(of_player).collect::<Vec<Value>>()
    };
    let engines: Vec<Value> = (1..=VERSIONS).flat_map(version).collect();
    let names: Vec<&str> = engines
        .iter()
        .filter_map(|engine| engine["name"].as_str())
        .collect();
    let mut text = String::new();
    let mut random = Random::new(1);
    let (mut stages, mut id) = (Vec::new(), 0);
    for version in 0..VERSIONS {
        let mut playing: Vec<usize> = (version * players..(version + 1) * players).collect();
        let mut closed = stages.clone();
        stages.push(json!({"players": playing}));
        header["schedule"]["stages"] = json!(stages);
        header["engines"] = json!(engines[..(version + 1) * players]);
        writeln!(text, "{header}")?;
        closed.push(json!({"players": playing, "rounds": ROUNDS}));
        stages = closed;
        for round in 0..ROUNDS {
            for place in (1..players).rev() {
                playing.swap(place, random.below(place as u64 + 1) as usize);
            }
            let boards: Vec<&[usize]> = playing.chunks_exact(2).collect();
            let round = version * ROUNDS + round + 1;
            let pairings = json!({"round": round, "boards": boards, "deviation": 200});
            writeln!(text, "{}", json!({"pairings": pairings}))?;
            for game in 0..2 {
                for (board, seats) in boards.iter().enumerate() {
                    id += 1;
                    let pair = (round - 1) * boards.len() + board + 1;
                    let [first, second] = [seats[game], seats[1 - game]];
                    let result = if random.below(3) > 0 { "1-0" } else { "0-1" };
                    let moves = format!("{id:08}");
                    let record = json!({"id": id, "variant": "magnetic-cave", "round": round, "pair": pair,
                        "first": names[first], "second": names[second], "start": "8/8/8/8/8/8/8/8 x",
                        "moves": [moves], "opening_plies": 0, "ms": [1.5], "score": ["cp 20"], "result": result,
                        "reason": "five", "detail": "x has five in line, a5 to a1"});
                    writeln!(text, "{record}")?;
                }
            }
        }
    }
    fs::write(&file, text)?;
    let read = run(folder, &["referee", "report", "l.jsonl"])?;
    let paired = run(folder, &command)?;
    let text = fs::read_to_string(&file)?;
    let last = text.lines().last().unwrap_or_default();
    assert!(
        last.contains(&format!("{{\"round\":{},", VERSIONS * ROUNDS + 1)),
        "{last:.200}"
    );
    let again = run(folder, &command)?;
    Ok(vec![first, read, paired, again])
}
