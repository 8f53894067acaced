// A bot for Magnetic Cave and Gridlock: alpha-beta search with iterative deepening.
// Put your own ideas into `evaluate` and `search`. The rest is rules and protocol.
use std::time::{Duration, Instant};

const STARTS: [&str; 2] = ["8/8/8/8/8/8/8/8 x", "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40"];
const VARIANTS: &str = "type combo default magnetic-cave var magnetic-cave var gridlock";
const WIN: i32 = 1_000_000;
const WEIGHTS: [i32; 6] = [0, 1, 6, 30, 150, WIN]; // of a line of five, by its bricks
const LINES: [usize; 4] = [10, 1, 11, 9]; // steps along the letters, the digits and both diagonals
const X: usize = 1;
const O: usize = 8;

type Move = (usize, usize); // from and to; for a new brick, both are its cell

#[derive(Clone)]
struct Position {
    board: [usize; 150], // cell = 10 * letter + digit, both from 1; 0: empty, 64: a wall around the board
    cave: bool,
    side: usize,
    turns_left: usize,
}

impl Position {
    fn new(fen: &str) -> Option<Position> {
        let fields: Vec<&str> = fen.split_whitespace().collect();
        let number = |i: usize| fields.get(i).map(|word| word.parse::<usize>().unwrap_or(0));
        let cave = fields.len() < 4; // only a FEN of Gridlock has turns played and a turn limit
        let turns_left = number(3).unwrap_or(64) - number(2).unwrap_or(0);
        let mut board = [64; 150];
        for (r, row) in fields.first()?.split('/').enumerate() {
            let (mut cell, step) = if cave { (18 - r, 10) } else { (11 + 10 * r, 1) };
            for c in row.chars() {
                for _ in 0..c.to_digit(10).unwrap_or(1) {
                    *board.get_mut(cell)? = X * usize::from(c == 'x') + O * usize::from(c == 'o');
                    cell += step;
                }
            }
        }
        Some(Position { board, cave, side: if *fields.get(1)? == "x" { X } else { O }, turns_left })
    }

    fn after(&self, (from, to): Move) -> Position {
        let mut board = self.board;
        board[from] = 0;
        board[to] = self.side;
        Position { board, cave: self.cave, side: X + O - self.side, turns_left: self.turns_left - 1 }
    }

    fn name(&self, (from, to): Move) -> String {
        let cell = |c: usize| format!("{}{}", char::from(b"?abcdefgh"[c / 10]), c % 10);
        (cell(from) + &cell(to)).split_off(if self.cave { 2 } else { 0 })
    }

    fn moves(&self) -> Vec<Move> {
        let b = &self.board;
        let is_legal = |&(from, to): &Move| match self.cave {
            true => from == to && b[to - 10] + b[to + 10] != 0, // it sticks to a brick or a wall
            false => b[from] == self.side,
        };
        let moves_to = |c: usize| [c, c + 10, c - 10, c + 1, c - 1].map(|from| (from, c));
        (11..89).filter(|&c| b[c] == 0).flat_map(moves_to).filter(is_legal).collect()
    }

    /// The value for the side to move.
    fn evaluate(&self) -> i32 {
        let b = &self.board;
        let line = |c: usize, step: usize| match (0..5).map(|i| b[c + i * step]).sum() {
            sum @ 0..=5 => WEIGHTS[sum], // only x can complete this line
            sum @ (8 | 16 | 24 | 32 | 40) => -WEIGHTS[sum / O],
            _ => 0,
        };
        // An empty cell beside pieces of a side counts for it at the turn limit.
        let beside = |c: usize, side| i32::from((b[c - 1] | b[c + 1] | b[c - 10] | b[c + 10]) & side != 0);
        let score: i32 = match self.cave {
            true => (11..89).flat_map(|c| LINES.map(|step| line(c, step))).sum(),
            false => (11..89).filter(|&c| b[c] == 0).map(|c| beside(c, X) - beside(c, O)).sum(),
        };
        score * if self.side == X { 1 } else { -1 }
    }

    /// The same by negamax with alpha-beta; none when the time is over. `best` has a good move for each ply.
    fn search(&self, depth: i32, mut alpha: i32, beta: i32, best: &mut [Move], end: Instant) -> Option<i32> {
        let (value, mut moves) = (self.evaluate(), self.moves());
        if value.abs() > WIN / 2 || moves.is_empty() && !self.cave {
            return Some(-WIN - depth); // a line of five, or no move in Gridlock; later is better
        }
        if depth == 0 || moves.is_empty() || self.turns_left == 0 {
            return Some(if self.turns_left == 0 { 1000 * value } else { value });
        }
        moves.sort_by_key(|&mv| mv != best[0]);
        best[0] = moves[0];
        if Instant::now() > end {
            return None;
        }
        for mv in moves {
            let score = -self.after(mv).search(depth - 1, -beta, -alpha, &mut best[1..], end)?;
            if score > alpha {
                (alpha, best[0]) = (score, mv);
            }
            if alpha >= beta {
                break;
            }
        }
        Some(alpha)
    }
}

fn go(root: &Position, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let limit = |name| words.windows(2).find(|pair| pair[0] == name)?[1].parse::<u64>().ok();
    let clock = limit(if root.side == X { "wtime" } else { "btime" }).map(|clock| clock / 20);
    let budget = limit("movetime").or(clock).unwrap_or(if limit("depth").is_some() { 1 << 40 } else { 1000 });
    let budget = budget - (budget / 2).min(100); // a busy machine answers late
    let end = Instant::now() + Duration::from_millis(budget);
    let mut best = [(0, 0); 100];
    for depth in 1..=limit("depth").unwrap_or(64).min(root.turns_left as u64) {
        match root.search(depth as i32, -2 * WIN, 2 * WIN, &mut best, end) {
            Some(score) if score.abs() < WIN / 2 && best[0].1 != 0 => {
                println!("info depth {depth} score cp {score}")
            }
            _ => break, // out of time, or the end of the game is in sight
        }
    }
    println!("bestmove {}", if best[0].1 == 0 { "0000".into() } else { root.name(best[0]) });
}

fn main() {
    let (mut start, mut position) = (STARTS[0], Position::new(STARTS[0]).unwrap());
    for line in std::io::stdin().lines().map_while(Result::ok).take_while(|line| line.trim() != "quit") {
        match line.split_whitespace().next().unwrap_or_default() {
            "uci" => println!("id name Rust bot\nid author you\noption name UCI_Variant {VARIANTS}\nuciok"),
            "isready" => println!("readyok"),
            "setoption" if line.contains("value gridlock") => start = STARTS[1],
            "setoption" if line.contains("value magnetic-cave") => start = STARTS[0],
            "position" => {
                let (setup, played) = line.split_once("moves").unwrap_or((&line, ""));
                let fen = setup.split_once("fen").map_or(start, |(_, fen)| fen);
                position = Position::new(fen).unwrap_or(position);
                for word in played.split_whitespace() {
                    let mv = position.moves().into_iter().find(|&mv| position.name(mv) == word);
                    position = mv.map_or(position.clone(), |mv| position.after(mv));
                }
            }
            "go" => go(&position, &line), // reads nothing before the answer
            _ => {}
        }
    }
}
