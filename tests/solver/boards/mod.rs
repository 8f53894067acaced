//! Boards of any size: random endings, and the command
//! `lodestone-solver solve`.

#![allow(dead_code)] // each test binary uses its part

use std::path::PathBuf;
use std::process::{Command, Output};

use lodestone_game::board::{Bitboard, Side};
use lodestone_game::random::Random;
use lodestone_solver::solve::{BoardPosition, BoardRules, ProofObserver, ProvenAnswer, ProverProgress};

/// The program.
pub const SOLVER: &str = env!("CARGO_BIN_EXE_lodestone-solver-under-test");

/// The board of a position of `lodestone`, in the form of [`Minimax`](naive::boards::Minimax).
pub fn board_of(position: &BoardPosition) -> Vec<u8> {
    let fen = position.fen();
    let (rows, _) = fen.split_once(' ').unwrap();
    let mut board = Vec::new();
    for sign in rows.bytes().filter(|&sign| sign != b'/') {
        match sign {
            b'1'..=b'9' => board.extend(std::iter::repeat_n(b'.', usize::from(sign - b'0'))),
            brick => board.push(brick),
        }
    }
    board
}

/// The rules for this width, height and number in line.
pub fn rules([width, height, connect]: [usize; 3]) -> BoardRules {
    let [width, height, connect] = [width, height, connect].map(|size| size as u32);
    BoardRules {
        width,
        height,
        connect,
    }
}

/// A position with at most `max_empty` empty cells, after random moves that complete no line.
/// `None` if there is none.
pub fn random_ending(rules: BoardRules, max_empty: u32, random: &mut Random) -> Option<BoardPosition> {
    ending(rules, max_empty, |_| true, random)
}

/// As [`random_ending`], with moves that satisfy `is_candidate` where there are any.
pub fn ending(
    rules: BoardRules,
    max_empty: u32,
    is_candidate: impl Fn(&BoardPosition) -> bool,
    random: &mut Random,
) -> Option<BoardPosition> {
    let mut position = BoardPosition::start(rules);
    while position.empty().count() > max_empty {
        let next = position.moves().cells().map(|cell| position.play(cell.into()));
        let quiet: Vec<BoardPosition> = next.filter(|next| !next.is_finished()).collect();
        let candidates: Vec<BoardPosition> = quiet.iter().copied().filter(&is_candidate).collect();
        let choice = if candidates.is_empty() {
            &quiet
        } else {
            &candidates
        };
        position = *random.choose(choice)?;
    }
    Some(position)
}

/// A path as an argument.
pub fn argument(path: PathBuf) -> String {
    path.into_os_string().into_string().unwrap()
}

/// Runs `lodestone-solver solve` for a board of this size.
pub fn solve([width, height, connect]: [usize; 3], arguments: &[&str]) -> Output {
    let size = [width, height, connect].map(|size| size.to_string());
    Command::new(SOLVER)
        .args([
            "solve",
            "--width",
            &size[0],
            "--height",
            &size[1],
            "--connect",
            &size[2],
        ])
        .args(["--hash", "16"])
        .args(arguments)
        .output()
        .unwrap()
}

/// The output of `lodestone-solver solve`, which must exit with this status.
pub fn lines(size: [usize; 3], arguments: &[&str], status: i32) -> Vec<String> {
    let output = solve(size, arguments);
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_string)
        .collect()
}

/// The number behind `nodes: `.
pub fn nodes(lines: &[String]) -> u64 {
    let line = lines.iter().find_map(|line| line.strip_prefix("nodes: "));
    line.unwrap().parse().unwrap()
}

/// Endings of random games on boards of all sizes with at most `max_empty` empty cells, as often an even as an
/// odd number, each with its number and the size of its board. In every second one, a row stays empty
/// until no other move is left.
pub fn endings(
    seed: u64,
    rounds: u32,
    max_empty: u32,
) -> impl Iterator<Item = (u32, [usize; 3], BoardPosition)> {
    let mut random = Random::new(seed);
    (0..rounds).filter_map(move |round| {
        let length = |random: &mut Random| 3 + random.below(6) as usize;
        let (width, height) = (length(&mut random), length(&mut random));
        let size = [width, height, 3 + random.below(3) as usize];
        let rules = rules(size);
        let row = Bitboard(0xff << (8 * random.below(height as u64)));
        let kept = if round % 2 == 0 {
            Bitboard::EMPTY
        } else {
            rules.cells() & row
        };
        let leaves_row_empty = |next: &BoardPosition| (kept & !next.empty()).is_empty();
        let position = ending(rules, max_empty - round / 2 % 2, leaves_row_empty, &mut random)?;
        Some((round, size, position))
    })
}

/// Counts proofs, and ends no search.
#[derive(Default)]
pub struct Counter {
    /// The number of proofs.
    pub proofs: u64,
}

impl ProofObserver for Counter {
    fn on_question(&mut self, _: Side) {}

    fn on_answer(&mut self, _: &ProvenAnswer) {}

    fn on_proof(&mut self, _: &ProvenAnswer) -> bool {
        self.proofs += 1;
        true
    }

    fn on_progress(&mut self, _: ProverProgress<'_>) -> bool {
        true
    }
}
