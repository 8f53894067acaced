//! The protocol of a bot for any game. Put the rules of your game and your ideas into `choose`.

/// Returns a move within this time. The game began at `start`: "startpos", or the text of a position.
/// `moves` are all moves since then.
fn choose(_start: &str, _moves: &[String], _milliseconds: u64) -> String {
    "0000".into() // not a move: the bot loses its games
}

fn main() {
    let (mut start, mut moves) = ("startpos".to_string(), Vec::new());
    for line in std::io::stdin().lines().map_while(Result::ok).take_while(|line| line.trim() != "quit") {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().copied().unwrap_or_default() {
            "uci" => println!("id name Rust bot\nid author you\nuciok"),
            "isready" => println!("readyok"),
            // position startpos moves …, or position fen TEXT moves …
            "position" => {
                let end = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
                start = words[1..end].join(" ").replacen("fen ", "", 1);
                moves = words.iter().skip(end + 1).map(|word| word.to_string()).collect();
            }
            // go movetime N, or go wtime N btime N …
            "go" => {
                let limit = |name| words.windows(2).find(|pair| pair[0] == name)?[1].parse::<u64>().ok();
                let clock = limit("wtime").unwrap_or(30_000).min(limit("btime").unwrap_or(30_000));
                let milliseconds = limit("movetime").unwrap_or(clock / 30);
                println!("bestmove {}", choose(&start, &moves, milliseconds));
            }
            _ => {}
        }
    }
}
