//! Exact values of Gridlock, from the outside: what the engine says of positions with few
//! pieces, and the command `lodestone tables`. The expected values come from the naive rules
//! and from a second, plain computation in this file.

mod client;
mod folder;
mod naive;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};

use client::{Client, engine};
use folder::Folder;
use lodestone::game::gridlock::Gridlock;
use lodestone::game::{Game, Setup};
use lodestone::random::Random;

/// Runs `lodestone tables` with these arguments.
fn tables(arguments: &str, out: &Path) -> Output {
    engine()
        .arg("tables")
        .args(arguments.split_whitespace())
        .arg("--out")
        .arg(out)
        .output()
        .unwrap()
}

/// Runs `lodestone tables`, which must succeed. Returns its progress.
fn make(arguments: &str, out: &Path) -> String {
    let output = tables(arguments, out);
    let progress = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{progress}");
    progress
}

/// Runs `lodestone tables`, which must fail with status 1 and one error. Returns the error.
fn refuse(arguments: &str, out: &Path) -> String {
    let output = tables(arguments, out);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{messages}");
    let mut errors = messages
        .lines()
        .filter(|line| line.starts_with("lodestone tables: "));
    let error = errors.next().unwrap().to_string();
    assert_eq!(errors.next(), None, "{messages}");
    error
}

/// Minimax by the naive rules: 1 for a win of the side to move, 0 for a draw, −1 for a loss.
fn minimax(position: &naive::Position) -> i32 {
    if let Some(points) = position.points() {
        return points;
    }
    let moves = position.legal_moves();
    let values = moves.iter().map(|mv| -minimax(&position.play(mv).unwrap()));
    values.max().unwrap()
}

/// The kind of the last score, as points.
fn points(replies: &[String]) -> Option<i32> {
    let line = replies.iter().rev().find(|line| line.contains(" score "))?;
    match line.split(" score ").nth(1)?.split(' ').next()? {
        "win" => Some(1),
        "draw" => Some(0),
        "loss" => Some(-1),
        _ => None,
    }
}

/// Values by turns left for all placements of two sides, computed plainly: bytes, one
/// position at a time, no symmetries. The side to move has the first placement.
struct PlainValues {
    sets: Vec<u64>,
    layers: Vec<Vec<i8>>,
}

/// The neighbours of a set of cells on a board of 7×7, a bit a cell, row by row.
fn neighbours(cells: u64) -> u64 {
    let column = |index: u32| (0..7).fold(0, |all, row| all | 1u64 << (7 * row + index));
    let all = (1u64 << 49) - 1;
    ((cells << 7) | (cells >> 7) | ((cells & !column(0)) >> 1) | ((cells & !column(6)) << 1)) & all
}

impl PlainValues {
    fn new(pieces: u32, turns: usize) -> PlainValues {
        let cells = |count: u32| -> Vec<u64> {
            let singles = (0..49).map(|cell| 1u64 << cell);
            match count {
                1 => singles.collect(),
                _ => singles
                    .flat_map(|one| (0..49).map(move |cell| one | 1u64 << cell))
                    .filter(|set| set.count_ones() == 2)
                    .collect(),
            }
        };
        let mut sets = cells(pieces);
        sets.sort_unstable();
        sets.dedup();
        let mut values = PlainValues {
            sets,
            layers: Vec::new(),
        };
        let moves: Vec<Vec<(u64, usize)>> = values.sets.iter().map(|&own| values.moves(own)).collect();
        for turn in 0..=turns {
            let mut layer = vec![0i8; values.sets.len() * values.sets.len()];
            for (first, &own) in values.sets.iter().enumerate() {
                for (second, &other) in values.sets.iter().enumerate() {
                    if own & other != 0 {
                        continue;
                    }
                    let empty = !(own | other);
                    let room = [own, other].map(|pieces| (neighbours(pieces) & empty).count_ones());
                    let value = match values.layers.last() {
                        _ if room[0] == 0 => -1,
                        None => (room[0] as i8 - room[1] as i8).signum(),
                        Some(before) => moves[first]
                            .iter()
                            .filter(|(to, _)| to & other == 0)
                            .map(|&(_, moved)| -before[second * values.sets.len() + moved])
                            .max()
                            .unwrap(),
                    };
                    layer[first * values.sets.len() + second] = value;
                }
            }
            assert_eq!(values.layers.len(), turn);
            values.layers.push(layer);
        }
        values
    }

    fn moves(&self, own: u64) -> Vec<(u64, usize)> {
        let mut moves = Vec::new();
        for from in (0..49).map(|cell| 1u64 << cell).filter(|cell| own & cell != 0) {
            for to in (0..49).map(|cell| 1u64 << cell) {
                if neighbours(from) & to != 0 && own & to == 0 {
                    let after = self.sets.binary_search(&(own ^ from ^ to)).unwrap();
                    moves.push((to, after));
                }
            }
        }
        moves
    }

    /// The value of a FEN with its turns left replaced.
    fn value(&self, fen: &str, turns: usize) -> i32 {
        let mut words = fen.split(' ');
        let (board, to_move) = (words.next().unwrap(), words.next().unwrap());
        let mut pieces = [0u64; 2];
        let mut cell = 0;
        for letter in board.chars() {
            match letter {
                '/' => {}
                'x' | 'o' => {
                    pieces[usize::from(letter == 'o')] |= 1 << cell;
                    cell += 1;
                }
                digit => cell += digit.to_digit(10).unwrap(),
            }
        }
        if to_move == "o" {
            pieces.swap(0, 1);
        }
        let [own, other] = pieces.map(|set| self.sets.binary_search(&set).unwrap());
        self.layers[turns][own * self.sets.len() + other].into()
    }
}

#[test]
fn scores_are_exact_with_one_and_two_pieces_at_any_number_of_turns_left() {
    let mut random = Random::new(11);
    // Beyond these turns the values repeat every `period` turns (a test of the library proves
    // it from equal layers).
    for (pieces, last, period) in [(1, 12, 1), (2, 40, 4)] {
        let values = PlainValues::new(pieces, last);
        let mut client = Client::start();
        client.send("setoption name UCI_Variant value gridlock\n");
        let mut seen = [0; 3];
        // The first search of the process has a time limit.
        for round in 0..60 {
            let turns = match round % 3 {
                0 => 1 + random.below(8) as u32,
                1 => 1 + random.below(60) as u32,
                _ => 1 + random.below(1000) as u32,
            };
            let start = Gridlock::random_start(Setup { pieces, turns }, &mut random);
            let mut fen = start.fen();
            if random.below(2) == 0 {
                fen = fen.replace(" x ", " o ");
            }
            let mut known = turns as usize;
            while known > last {
                known -= period;
            }
            let expected = values.value(&fen, known);
            let limit = ["movetime 3000", "depth 3", "nodes 100"][round % 3];
            client.send(format!("position fen {fen}\ngo {limit}\n"));
            let replies = client.until("bestmove");
            assert_eq!(points(&replies), Some(expected), "{fen}: {replies:?}");
            client.send("eval\n");
            let word = ["loss", "draw", "win"][(expected + 1) as usize];
            client.until(&format!("Evaluation: {word} (side to move), proven"));
            seen[(expected + 1) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    }
}

#[test]
fn a_table_answers_positions_with_three_pieces() {
    let folder = Folder::new("table_of_three");
    let file = folder.file("three.table");
    let progress = make("--pieces 3 --turns 4 --check 20", &file);
    // The figures of the table in `docs/notes/gridlock.md`.
    for line in [
        "turns left 0: 110354980 wins, 58966360 draws, 110354980 losses;",
        "turns left 3: 156741232 wins, 72278136 draws, 50656952 losses;",
        "turns left 4: 97401508 wins, 93356140 draws, 88918672 losses;",
        "gridlock with 3 pieces a side, up to 5 turns left;",
    ] {
        assert!(progress.contains(line), "{progress}");
    }
    let mut client = Client::start();
    client.send("setoption name UCI_Variant value gridlock\n");
    client.send(format!("setoption name TablePath value {}\n", file.display()));
    client.until("info string TablePath: gridlock with 3 pieces a side, up to 5 turns left");
    let mut random = Random::new(3);
    let mut seen = [0; 3];
    for round in 0..30 {
        let turns = 1 + round % 3;
        let start = Gridlock::random_start(Setup { pieces: 3, turns }, &mut random);
        let fen = start.fen();
        let expected = minimax(&naive::Position::parse(naive::Rules::Gridlock, &fen).unwrap());
        client.send(format!("position fen {fen}\ngo depth 1\n"));
        let replies = client.until("bestmove");
        assert_eq!(points(&replies), Some(expected), "{fen}: {replies:?}");
        seen[(expected + 1) as usize] += 1;
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    // Beyond the table the engine searches.
    client.send("position fen x6/7/2x4/7/4o2/7/xo4o x 0 60\neval\ngo depth 2\n");
    let replies = client.until("bestmove");
    assert!(
        replies.iter().any(|line| line.contains(" score cp ")),
        "{replies:?}"
    );
    // Without the file it searches everything.
    client.send("setoption name TablePath value <empty>\n");
    client.send("position fen x6/7/2x4/7/4o2/7/xo4o x 0 5\neval\n");
    let replies = client.until("Evaluation: ");
    assert!(replies.last().unwrap().ends_with(", learned"), "{replies:?}");
}

#[test]
fn a_missing_or_damaged_table_does_no_harm() {
    let folder = Folder::new("damaged_table");
    let file = folder.file("two.table");
    make("--pieces 2 --check 100", &file);
    let whole = fs::read(&file).unwrap();
    let foreign = folder.file("foreign.table");
    fs::write(&foreign, "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40\n").unwrap();
    let mut cases = vec![
        (folder.file("none.table"), "it cannot be opened"),
        (foreign, "it is no table of lodestone"),
    ];
    for (name, at, error) in [
        ("header", 9, "its header is damaged"),
        ("group", 5000, "is cut off or damaged"),
        ("end", whole.len() - 3, "is cut off or damaged"),
    ] {
        let mut bytes = whole.clone();
        bytes[at] ^= 16;
        let path = folder.file(name);
        fs::write(&path, bytes).unwrap();
        cases.push((path, error));
    }
    for (name, length, error) in [
        ("short", whole.len() - 1, "is cut off or damaged"),
        ("endless", whole.len() - 28, "its end is missing"),
        ("empty", 0, "it is no table of lodestone"),
    ] {
        let path = folder.file(name);
        fs::write(&path, &whole[..length]).unwrap();
        cases.push((path, error));
    }
    let mut client = Client::start();
    client.send("setoption name UCI_Variant value gridlock\n");
    for (path, error) in &cases {
        client.send(format!(
            "setoption name TablePath value {}\nisready\n",
            path.display()
        ));
        let replies = client.until("readyok");
        let [note, _] = &replies[..] else {
            panic!("{replies:?}")
        };
        assert!(note.starts_with("info string TablePath: "), "{note}");
        assert!(
            note.contains(error) && note.ends_with("; play goes on by search"),
            "{note}"
        );
        client.send("position fen x6/7/2x4/7/4o2/7/xo4o x 0 5\ngo depth 2\n");
        client.until("bestmove");
        // The command refuses the same files and changes nothing.
        if path.exists() {
            let before = fs::read(path).unwrap();
            let message = refuse("--pieces 2", path);
            assert!(message.contains(error), "{message}");
            assert_eq!(fs::read(path).unwrap(), before);
        }
    }
    let message = refuse("--pieces 1", &file);
    assert!(
        message.contains("it holds gridlock with 2 pieces a side"),
        "{message}"
    );
}

#[test]
fn an_interrupted_table_is_continued() {
    let folder = Folder::new("interrupted_table");
    let whole = folder.file("whole.table");
    let progress = make("--pieces 2", &whole);
    assert!(
        progress.contains("from 34 turns left on, the values repeat every 4 turns"),
        "{progress}"
    );
    let expected = fs::read(&whole).unwrap();
    // Killed after a line of progress.
    let file = folder.file("killed.table");
    for lines in [1, 2, 9, 35] {
        let mut child = engine()
            .args(["tables", "--pieces", "2", "--out"])
            .arg(&file)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let progress = BufReader::new(child.stderr.take().unwrap());
        assert_eq!(progress.lines().take(lines).count(), lines);
        child.kill().unwrap();
        child.wait().unwrap();
        make("--pieces 2", &file);
        assert!(fs::read(&file).unwrap() == expected);
        fs::remove_file(&file).unwrap();
    }
    // Cut off at any byte, or damaged behind the first group.
    let partial = folder.file("killed.table.partial");
    let end = expected.len();
    let mut continued = 0;
    for length in [0, 10, 24, 30, end / 2, end - 29, end - 28, end - 1, end] {
        let mut bytes = expected[..length].to_vec();
        if length == end - 1 {
            bytes[length - 40] ^= 1;
        }
        fs::write(&partial, bytes).unwrap();
        continued += usize::from(make("--pieces 2", &file).contains("continues behind turn 31"));
        assert!(fs::read(&file).unwrap() == expected, "{length}");
        assert!(!partial.exists());
        fs::remove_file(&file).unwrap();
    }
    assert!(continued > 1);
    for (bytes, error) in [
        (
            b"another program's file, which is long enough".as_slice(),
            "it is no table of lodestone",
        ),
        (&expected, "it has 2 pieces a side"),
    ] {
        fs::write(&partial, bytes).unwrap();
        let message = refuse("--pieces 1", &file);
        assert!(
            message.contains(error) && message.ends_with("; remove it"),
            "{message}"
        );
        assert_eq!(fs::read(&partial).unwrap(), bytes);
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let output = engine().args(["tables", "--pieces", "9"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.starts_with("lodestone tables: --pieces: expected a whole number from 1 to 3, found `9`\n"),
        "{text}"
    );
    let output = engine().args(["tables", "--help"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
}
