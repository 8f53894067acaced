//! Many games of two players, made of a hundred real ones.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use super::measure::{Outcome, Spent, run};

/// Commands that read this number of games, made of a hundred real ones.
pub fn read(games: usize) -> Outcome<Vec<Spent>> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let play = [
        "referee",
        "match",
        "random",
        "random",
        "--games",
        "100",
        "--openings",
        "random:4",
        "--quiet",
    ];
    run(folder, &[&play[..], &["--out", "played.jsonl"]].concat())?;
    let played = fs::read_to_string(folder.join("played.jsonl"))?;
    let mut lines = played.lines();
    let mut header: Value = serde_json::from_str(lines.next().unwrap_or_default())?;
    header["schedule"]["games"] = games.into();
    let records: Vec<Value> = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
    let mut text = format!("{header}\n");
    for id in 1..=games {
        let mut record = records[(id - 1) % records.len()].clone();
        (record["id"], record["pair"], record["round"]) =
            (id.into(), id.div_ceil(2).into(), id.div_ceil(2).into());
        writeln!(text, "{record}")?;
    }
    fs::write(folder.join("games.jsonl"), text)?;
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/../python");
    let python = format!(
        "import sys; sys.path.insert(0, {module:?}); from referee import results; \
                          print(len(results.read('games.jsonl')))"
    );
    let last = games.to_string();
    let commands: [&[&str]; 5] = [
        &["referee", "report", "games.jsonl"],
        &["referee", "report", "games.jsonl", "--html", "page.html"],
        &["referee", "verify", "games.jsonl"],
        &["referee", "show", "games.jsonl", "--game", &last],
        &["python3", "-c", &python],
    ];
    commands.iter().map(|command| run(folder, command)).collect()
}
