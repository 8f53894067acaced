//! A game without an end by a rules program.

use std::fs;

use super::measure::{Outcome, Spent, run};

/// A game of this number of half-moves by a rules program that knows one move.
pub fn play(plies: usize) -> Outcome<Vec<Spent>> {
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
    Ok(vec![run(folder, &command)?])
}
