//! Tables of exact values of Gridlock: `lodestone-solver tables`, and what the engine says of positions
//! in them. The expected values come from the naive rules.

use sentences::{assert_has, expect};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::client::{Client, points};
use crate::folder::Folder;
use lodestone_game::gridlock::Gridlock;
use lodestone_game::random::Random;
use lodestone_game::{Game, Setup};

/// The program.
const SOLVER: &str = env!("CARGO_BIN_EXE_lodestone-solver-under-test");

/// Runs `lodestone-solver tables` with these arguments.
fn tables(arguments: &str, out: &Path) -> Output {
    Command::new(SOLVER)
        .arg("tables")
        .args(arguments.split_whitespace())
        .arg("--out")
        .arg(out)
        .output()
        .unwrap()
}

/// Runs `lodestone-solver tables`, which must succeed. Returns its progress.
fn make(arguments: &str, out: &Path) -> String {
    let output = tables(arguments, out);
    let progress = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{progress}");
    progress
}

/// Runs `lodestone-solver tables`, which must fail with status 1 and one error. Returns the error.
fn refuse(arguments: &str, out: &Path) -> String {
    let output = tables(arguments, out);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{messages}");
    let mut errors = messages
        .lines()
        .filter(|line| line.starts_with("lodestone-solver tables: "));
    let error = errors.next().unwrap().to_string();
    assert_eq!(errors.next(), None, "{messages}");
    error
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
        (foreign, "it is not a table of lodestone"),
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
        ("empty", 0, "it is not a table of lodestone"),
    ] {
        let path = folder.file(name);
        fs::write(&path, &whole[..length]).unwrap();
        cases.push((path, error));
    }
    // A group that is there twice, with all checksums right.
    let length = u64::from_le_bytes(*whole[28..].first_chunk().unwrap()) as usize;
    let behind = 24 + 20 + length;
    let path = folder.file("longer");
    fs::write(&path, [&whole[..behind], &whole[24..]].concat()).unwrap();
    cases.push((path, "its end does not fit its layers"));
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
            note.contains(error) && note.ends_with("; the engine searches instead"),
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
fn wrong_arguments_are_refused() {
    let output = Command::new(SOLVER)
        .args(["tables", "--pieces", "9"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_has(
        &text,
        expect! {"lodestone-solver tables: --pieces: expected a whole number from 1 to 3, found `9`"},
    );
    let output = Command::new(SOLVER).args(["tables", "--help"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_table_answers_positions_with_three_pieces() {
        let folder = Folder::new("table_of_three");
        let file = folder.file("three.table");
        let progress = make("--pieces 3 --turns 4 --check 20", &file);
        // The figures of the table in `research/notes/gridlock.md`.
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
            let expected = naive::Position::parse(naive::Rules::Gridlock, &fen)
                .unwrap()
                .minimax(u32::MAX);
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
    #[ignore = "slow: .ci/run"]
    fn an_interrupted_table_is_continued() {
        let folder = Folder::new("interrupted_table");
        let whole = folder.file("whole.table");
        let progress = make("--pieces 2", &whole);
        assert_has(
            &progress,
            expect! {"from 34 turns left on, the values repeat every 4 turns"},
        );
        let expected = fs::read(&whole).unwrap();
        // Killed after a line of progress.
        let file = folder.file("killed.table");
        for lines in [1, 2, 9, 35] {
            let mut child = Command::new(SOLVER)
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
                "it is not a table of lodestone",
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
}
