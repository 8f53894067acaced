//! The measurements of this benchmark.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use lodestone::random::Random;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use serde_json::{Value, json};

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// The versions of each submission in a ladder, and the rounds that each of them has played.
const VERSIONS: usize = 5;
const ROUNDS: usize = 10;

/// The number in a variable of the environment.
fn number(name: &str, default: usize) -> usize {
    let text = std::env::var(name).ok();
    text.map_or(default, |text| text.parse().expect("a number"))
}

/// The processor time of a command in seconds, with that of its processes, and its output.
fn run(folder: &Path, command: &[&str]) -> Outcome<(f64, String)> {
    let spent = || -> Outcome<f64> {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
        let microseconds = (usage.user_time() + usage.system_time()).num_microseconds();
        Ok(microseconds as f64 / 1e6)
    };
    let (before, [program, arguments @ ..]) = (spent()?, command) else {
        return Err("no command".into());
    };
    let referee = std::env::var("REFEREE").unwrap_or_else(|_| env!("CARGO_BIN_EXE_referee").into());
    let program = if *program == "referee" { &referee } else { *program };
    let ran = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stderr(Stdio::inherit())
        .output()?;
    if !ran.status.success() {
        return Err(format!("{command:?}: {}", ran.status).into());
    }
    Ok((spent()? - before, String::from_utf8(ran.stdout)?))
}

/// Prints a line of times for N, 2N and 4N. The exponent is that of the last doubling.
fn print(what: &str, unit: &str, first: usize, times: [f64; 3]) {
    let seconds = times.map(|time| format!("{time:8.3} s")).join(" ");
    let exponent = (times[2] / times[1]).log2();
    println!("{what:24} {first:>8} {unit:8} × 1, 2, 4: {seconds}   exponent {exponent:.2}");
}

/// A ladder of which only the last versions play.
fn ladder(players: usize) -> Outcome<[f64; 2]> {
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
    run(folder, &command)?;
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
    let read = run(folder, &["referee", "report", "l.jsonl"])?.0;
    let paired = run(folder, &command)?.0;
    let text = fs::read_to_string(&file)?;
    let last = text.lines().last().unwrap_or_default();
    assert!(
        last.contains(&format!("{{\"round\":{},", VERSIONS * ROUNDS + 1)),
        "{last:.200}"
    );
    Ok([read, paired])
}

/// The times of commands that read this number of games, made of a hundred real ones.
fn report(games: usize) -> Outcome<[f64; 4]> {
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
    let commands: [&[&str]; 4] = [
        &["referee", "report", "games.jsonl"],
        &["referee", "report", "games.jsonl", "--html", "page.html"],
        &["referee", "verify", "games.jsonl"],
        &["python3", "-c", &python],
    ];
    let mut times = [0.0; 4];
    for (time, command) in times.iter_mut().zip(commands) {
        *time = run(folder, command)?.0;
    }
    Ok(times)
}

/// A game of this number of half-moves by a rules program that knows one move.
fn moves(plies: usize) -> Outcome<[f64; 1]> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let script = "import sys\nmoves = 0\nfor line in sys.stdin:\n    words = line.split(None, 3)\n    \
        if words[0] == 'ugi' or words[0] == 'uci': print(words[0] + 'ok')\n    \
        elif words[0] == 'isready': print('readyok')\n    \
        elif words[0] == 'quit': break\n    \
        elif words[0] == 'position': moves = line.count('pass')\n    \
        elif words[0] == 'go': print('bestmove pass')\n    \
        elif words[0] == 'query':\n        \
            if words[1] == 'p1turn': print('response', 'false' if moves % 2 else 'true')\n        \
            elif words[1] == 'gameover': print('response false')\n        \
            elif words[1] == 'result': print('response none')\n        \
            elif words[1] == 'moves': print('response pass')\n        \
            elif words[1] == 'fen': print('response board', moves % 2)\n    \
        sys.stdout.flush()\n";
    fs::write(folder.join("game.py"), script)?;
    let limit = plies.to_string();
    let bot = "cmd=python3 args=game.py st=10";
    let [first, second] = ["a", "b"].map(|name| format!("{bot} name={name}"));
    let words = |player: &str| player.split(' ').map(String::from).collect::<Vec<_>>();
    let [first, second] = [first, second].map(|player| words(&player));
    let mut command = vec![
        "referee",
        "match",
        "--rules",
        "cmd=python3",
        "args=game.py",
        "--games",
        "1",
        "--openings",
        "none",
    ];
    command.extend(["--max-plies", &limit, "--quiet", "--engine"]);
    command.extend(first.iter().map(String::as_str));
    command.push("--engine");
    command.extend(second.iter().map(String::as_str));
    Ok([run(folder, &command)?.0])
}

/// Measures a part for N, 2N and 4N.
fn measure<const COUNT: usize>(
    names: [&str; COUNT],
    unit: &str,
    first: usize,
    part: impl Fn(usize) -> Outcome<[f64; COUNT]>,
) -> Outcome<()> {
    let times = [part(first)?, part(2 * first)?, part(4 * first)?];
    for (place, name) in names.into_iter().enumerate() {
        print(name, unit, first, times.map(|times| times[place]));
    }
    Ok(())
}

/// Measures the parts that the command line names.
pub fn run_all() -> Outcome<()> {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let is_wanted = |part: &str| words.is_empty() || words.iter().any(|word| word == part);
    if is_wanted("ladder") {
        let names = ["ladder: report", "ladder: pair a round"];
        measure(names, "players", number("PLAYERS", 100), ladder)?;
    }
    if is_wanted("report") {
        let names = ["report", "report --html", "verify", "results.read"];
        measure(names, "games", number("GAMES", 5000), report)?;
    }
    if is_wanted("moves") {
        measure(["match --rules"], "plies", number("PLIES", 1000), moves)?;
    }
    Ok(())
}
