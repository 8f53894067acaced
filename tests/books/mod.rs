//! Opening books by the naive rules, and what an engine plays from them.

#![allow(dead_code)] // each test binary uses its part

use std::collections::HashMap;

use crate::client::Client;
use naive::{Position, Rules};

/// A value for the side to move: proven or not, and as a number.
pub type NaiveValue = (bool, i32);

/// A line of a book.
pub struct Line {
    /// The position.
    pub position: Position,
    /// Its moves, the best first.
    pub moves: Vec<(String, NaiveValue)>,
}

fn parse_value(text: &str) -> NaiveValue {
    match text {
        "win" => (true, 32_000),
        "draw" => (true, 0),
        "loss" => (true, -32_000),
        number => (false, number.parse().unwrap()),
    }
}

/// The lines of a book.
pub fn read_lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<&str> = text.lines().collect();
    assert!(
        lines.remove(0).starts_with("lodestone book 1: magnetic-cave, "),
        "{text}"
    );
    assert!(lines.pop().unwrap().starts_with("checksum "), "{text}");
    let line = |line: &&str| {
        let (fen, moves) = line.split_once(": ").unwrap();
        let moves = moves.split(", ").map(|words| {
            let (mv, value) = words.split_once(' ').unwrap();
            (mv.to_string(), parse_value(value))
        });
        Line {
            position: Position::parse(Rules::MagneticCave, fen).unwrap_or_else(|| panic!("{fen}")),
            moves: moves.collect(),
        }
    };
    lines.iter().map(line).collect()
}

/// The position and its mirror images.
pub fn images(position: &Position) -> [Position; 4] {
    [(false, false), (true, false), (false, true), (true, true)].map(|(rows, columns)| {
        position.rearranged(|row, column| {
            (
                if rows { 7 - row } else { row },
                if columns { 7 - column } else { column },
            )
        })
    })
}

/// One FEN for a position and its images.
pub fn canonical(position: &Position) -> String {
    images(position).iter().map(Position::fen).min().unwrap()
}

/// The lines by their canonical position.
pub fn by_position(lines: &[Line]) -> HashMap<String, &Line> {
    let found: HashMap<_, _> = lines
        .iter()
        .map(|line| (canonical(&line.position), line))
        .collect();
    assert_eq!(found.len(), lines.len(), "each position stands there once");
    found
}

/// The value of a position from its moves and their values.
fn best(moves: &[(String, NaiveValue)]) -> NaiveValue {
    let highest = moves.iter().map(|&(_, (_, value))| value).max().unwrap();
    let all_proven = moves.iter().all(|&(_, (is_proven, _))| is_proven);
    let is_win = moves.iter().any(|&(_, value)| value == (true, 32_000));
    (is_win || all_proven, highest)
}

/// Checks every line of a book by the naive rules, and every value by a naive negamax.
pub fn check_lines(text: &str) {
    let lines = read_lines(text);
    let known = by_position(&lines);
    let mut reached = vec![canonical(&lines[0].position)];
    for line in &lines {
        let legal = line.position.legal_moves();
        let after = |mv: &String| canonical(&line.position.play(mv).unwrap());
        let values: Vec<i32> = line.moves.iter().map(|(_, (_, value))| *value).collect();
        assert!(
            values.is_sorted_by(|one, other| one >= other),
            "{}",
            line.position.fen()
        );
        let mut seen = Vec::new();
        for (mv, value) in &line.moves {
            assert!(legal.contains(mv), "{mv} in {}", line.position.fen());
            let next = after(mv);
            assert!(!seen.contains(&next), "{mv} twice in {}", line.position.fen());
            if let Some(child) = known.get(&next) {
                let (is_proven, points) = best(&child.moves);
                assert_eq!(*value, (is_proven, -points), "{mv} in {}", line.position.fen());
                reached.push(next.clone());
            }
            seen.push(next);
        }
        // At most one move of a position leads out of the book.
        let leaves = seen.iter().filter(|next| !known.contains_key(*next));
        assert!(leaves.count() <= 1, "{}", line.position.fen());
    }
    for line in &lines {
        let position = canonical(&line.position);
        assert!(reached.contains(&position), "{position} follows from no line");
    }
}

/// The lines of the answer to this input.
pub fn ask(client: &mut Client, input: &str) -> Vec<String> {
    client.send(format!("{input}\n"));
    client.until("bestmove ")
}

/// The move of the book in the answer to this input.
pub fn book_move(client: &mut Client, input: &str) -> Option<String> {
    let replies = ask(client, input);
    let note = replies
        .iter()
        .find_map(|line| line.strip_prefix("info string book move "))?;
    let best = replies.last().unwrap().split(' ').nth(1).unwrap();
    assert_eq!(best, note, "{replies:?}");
    Some(best.to_string())
}
