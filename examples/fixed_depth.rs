//! A bot for Gridlock that searches to a fixed depth with the difference in room as its
//! evaluation: the strongest public programs for this game work so. Strength is measured
//! against it (`research/gridlock.md`).
//!
//! ```sh
//! cargo build --release --example fixed_depth
//! referee match --engine cmd=lodestone st=0.1 --engine cmd=target/release/examples/fixed_depth st=1 --variant gridlock
//! ```
//!
//! The argument is the depth in plies, 9 by default. The bot deepens one ply at a time and plays
//! the move of the last finished depth if its time ends.

use std::io::{self, BufRead};
use std::time::{Duration, Instant};

use lodestone_game::Game;
use lodestone_game::board::Move;
use lodestone_game::gridlock::Gridlock;

/// The depth in plies without an argument.
const DEPTH: u32 = 9;

/// The time for a move without `movetime`.
const MOVE_TIME: Duration = Duration::from_secs(3);

/// The part of its time that the bot searches.
const SEARCH_TIME: f64 = 0.95;

/// Entries of the table: 2²⁰, 24 MB.
const TABLE_BITS: u32 = 20;

/// The value of a win at once; a win in `n` plies is worth `n` less.
const WIN: i32 = 1000;

/// A search result: a lower bound, an upper bound, or both.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    /// 0 for an empty entry.
    depth: u8,
    lower: i16,
    upper: i16,
    best: Option<Move>,
}

/// A search of one position.
struct FixedDepthBot {
    table: Vec<Entry>,
    deadline: Instant,
    nodes: u64,
    is_late: bool,
}

impl FixedDepthBot {
    fn new() -> FixedDepthBot {
        FixedDepthBot {
            table: vec![Entry::default(); 1 << TABLE_BITS],
            deadline: Instant::now(),
            nodes: 0,
            is_late: false,
        }
    }

    /// The move of the deepest search that ends in time.
    fn best_move(&mut self, root: &Gridlock, depth: u32, time: Duration) -> Option<Move> {
        self.deadline = Instant::now() + time.mul_f64(SEARCH_TIME);
        (self.nodes, self.is_late) = (0, false);
        self.table.fill(Entry::default());
        let mut best = root.legal_moves().first().copied();
        for depth in 1..=depth.min(root.plies_left()) {
            let (value, mv) = self.search(root, depth, 0, (-WIN, WIN));
            if self.is_late {
                break;
            }
            best = mv.or(best);
            println!("info depth {depth} score cp {value} nodes {}", self.nodes);
        }
        best
    }

    /// The value of a position for its side to move, and its best move; alpha-beta, fail-soft.
    fn search(
        &mut self,
        position: &Gridlock,
        depth: u32,
        ply: i32,
        (mut alpha, beta): (i32, i32),
    ) -> (i32, Option<Move>) {
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024) && Instant::now() >= self.deadline {
            self.is_late = true;
        }
        let side = position.side_to_move();
        if let Some(outcome) = position.outcome() {
            return (outcome.points_for(side) * (WIN - ply), None);
        }
        let room = |position: &Gridlock, side| position.room(side).count() as i32;
        if depth == 0 || self.is_late {
            return (room(position, side) - room(position, side.opponent()), None);
        }
        let key = position.key();
        let index = (key >> (64 - TABLE_BITS)) as usize;
        let entry = self.table[index];
        let mut first = None;
        if entry.depth > 0 && entry.key == key {
            first = entry.best;
            let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
            if u32::from(entry.depth) == depth && (lower >= beta || upper <= alpha || lower == upper) {
                return (if lower >= beta { lower } else { upper }, first);
            }
        }
        let mut moves: Vec<(i32, Move, Gridlock)> = Vec::new();
        for &mv in position.legal_moves().iter() {
            let next = position.play(mv);
            let hint = room(&next, side) - room(&next, side.opponent());
            let order = if first == Some(mv) { WIN } else { hint };
            moves.push((-order, mv, next));
        }
        moves.sort_by_key(|&(order, mv, _)| (order, mv));
        let first_alpha = alpha;
        let (mut best, mut best_move) = (-WIN, None);
        for (_, mv, next) in moves {
            let value = -self.search(&next, depth - 1, ply + 1, (-beta, -alpha)).0;
            if value > best || best_move.is_none() {
                (best, best_move) = (value, Some(mv));
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        if !self.is_late {
            let bounds = [best > first_alpha, best < beta];
            self.table[index] = Entry {
                key,
                depth: depth as u8,
                lower: if bounds[0] { best as i16 } else { -WIN as i16 },
                upper: if bounds[1] { best as i16 } else { WIN as i16 },
                best: best_move,
            };
        }
        (best, best_move)
    }
}

/// The position of a line `position startpos|fen F [moves …]`.
fn position_of(words: &[&str]) -> Option<Gridlock> {
    let moves = words.iter().position(|&word| word == "moves");
    let mut position = match words.first() {
        Some(&"fen") => Gridlock::from_fen(&words[1..moves.unwrap_or(words.len())].join(" ")).ok()?,
        _ => Gridlock::startpos(),
    };
    for text in words.iter().skip(moves.map_or(words.len(), |index| index + 1)) {
        position = position.play(position.parse_move(text).ok()?);
    }
    Some(position)
}

fn main() {
    let depth = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let depth = depth.unwrap_or(DEPTH).clamp(1, 200);
    let mut bot = FixedDepthBot::new();
    let mut position = Gridlock::startpos();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["uci", ..] => {
                println!("id name fixed-depth {depth}");
                println!("option name UCI_Variant type combo default gridlock var gridlock");
                println!("uciok");
            }
            ["isready", ..] => println!("readyok"),
            ["position", rest @ ..] => position = position_of(rest).unwrap_or(position),
            ["go", rest @ ..] => {
                let time = rest.iter().skip_while(|&&word| word != "movetime").nth(1);
                let time = time.and_then(|text| text.parse().ok()).map(Duration::from_millis);
                let best = bot.best_move(&position, depth, time.unwrap_or(MOVE_TIME));
                println!("bestmove {}", best.map_or("0000".into(), Gridlock::move_text));
            }
            ["quit", ..] => return,
            _ => {}
        }
    }
}

/// The value of minimax to this depth, over the rules.
#[cfg(test)]
fn minimax(position: &Gridlock, depth: u32, ply: i32) -> i32 {
    let side = position.side_to_move();
    let [own, other] = [side, side.opponent()].map(|side| position.room(side).count() as i32);
    match position.outcome() {
        Some(outcome) => outcome.points_for(side) * (WIN - ply),
        None if depth == 0 => own - other,
        None => {
            let moves = position.legal_moves();
            let values = moves
                .iter()
                .map(|&mv| -minimax(&position.play(mv), depth - 1, ply + 1));
            values.max().unwrap_or(-WIN)
        }
    }
}

#[test]
fn finds_the_value_of_minimax() {
    let mut random = lodestone_game::random::Random::new(3);
    let mut bot = FixedDepthBot::new();
    for pieces in [1, 3, 8, 23] {
        let setup = lodestone_game::Setup { pieces, turns: 4 };
        let root = Gridlock::random_start(setup, &mut random);
        for depth in [1, 3] {
            bot.table.fill(Entry::default());
            bot.deadline = Instant::now() + Duration::from_mins(10);
            let (value, best) = bot.search(&root, depth, 0, (-WIN, WIN));
            assert_eq!(value, minimax(&root, depth, 0), "{} {depth}", root.fen());
            let after = best.map(|mv| -minimax(&root.play(mv), depth - 1, 1));
            assert_eq!(after, Some(value), "{} {depth}", root.fen());
        }
    }
}
