//! A round robin of many players, of which each has met some others.

use std::fmt::Write as _;
use std::fs;

use lodestone_game::random::Random;
use serde_json::{Value, json};

use super::measure::{Outcome, Spent, run};

/// The opponents of each player.
const OPPONENTS: usize = 40;

/// The players of a turn of the schedule, which is that of `docs/matches.md`: those at the same distance to both sides
/// of one player of a circle meet. The number of players is odd, so that one of them is free.
fn turn(players: usize, turn: usize) -> impl Iterator<Item = [usize; 2]> {
    (1..=players / 2).map(move |distance| {
        let [one, other] = [turn + distance, turn + players - distance].map(|place| place % players);
        let [low, high] = [one.min(other), one.max(other)];
        if (low + high) % 2 == 1 {
            [low, high]
        } else {
            [high, low]
        }
    })
}

/// Commands that rate the players.
pub fn rate(players: usize) -> Outcome<Vec<Spent>> {
    let players = players | 1;
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let names: Vec<String> = (0..players).map(|player| format!("p{player}")).collect();
    let engine =
        |name: &String| json!({"name": name, "cmd": "random", "st": "3", "depth": 1, "timemargin": 50});
    let engines: Vec<Value> = names.iter().map(engine).collect();
    let schedule = json!({"format": "round-robin", "games": 2});
    let header = json!({"header": 1, "variant": "magnetic-cave", "seed": 1, "schedule": schedule,
        "engines": engines});
    let mut text = format!("{header}\n");
    let mut random = Random::new(1);
    let pairings = (0..OPPONENTS).flat_map(|number| turn(players, number));
    for ([first, second], id) in pairings.zip(1..) {
        let mut moves = vec!["a1", "b1", "c1", "d1", "h8", "h7", "h6", "h5"];
        random.shuffle(&mut moves[4..]);
        let result = match random.below(10) {
            0 | 1 => "1/2-1/2",
            _ if random.below((first + second) as u64) < second as u64 => "1-0",
            _ => "0-1",
        };
        let record = json!({"id": id, "variant": "magnetic-cave", "round": 1, "pair": id,
            "first": names[first], "second": names[second], "start": "8/8/8/8/8/8/8/8 x", "moves": moves,
            "opening_plies": 0, "ms": vec![1.5; 8], "score": vec!["cp 20"; 8], "result": result,
            "reason": "adjudicated", "detail": "a line of the benchmark"});
        writeln!(text, "{record}")?;
    }
    fs::write(folder.join("games.jsonl"), text)?;
    let commands: [&[&str]; 3] = [
        &["referee", "report", "games.jsonl"],
        &["referee", "report", "games.jsonl", "--csv"],
        &["referee", "report", "games.jsonl", "--html", "page.html"],
    ];
    commands.iter().map(|command| run(folder, command)).collect()
}
