//! Opening books: `lodestone-solver book`, and the engine's options `OwnBook` and `BookFile`. The
//! naive rules check every line of a book, and a naive negamax every value.

use sentences::{assert_rows, expect};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::books::{book_move, check_lines, read_lines};
use crate::client::Client;
use crate::folder::Folder;
use lodestone_game::random::Random;
use naive::{Position, Rules};

/// The program.
const SOLVER: &str = env!("CARGO_BIN_EXE_lodestone-solver-under-test");

/// A book that is made in a moment.
const SMALL: &str = "--nodes 300 --positions 80";

/// Runs `lodestone-solver book` with these arguments.
fn book(arguments: &str, out: &Path) -> Output {
    let mut command = Command::new(SOLVER);
    command.arg("book").args(arguments.split_whitespace());
    command.arg("--out").arg(out).output().unwrap()
}

/// Runs `lodestone-solver book`, which must succeed. Returns the book and the progress.
fn make(arguments: &str, out: &Path) -> (String, String) {
    let output = book(arguments, out);
    let progress = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{progress}");
    (fs::read_to_string(out).unwrap(), progress)
}

/// The file of searches of a book.
fn searches_of(out: &Path) -> PathBuf {
    let mut path = out.as_os_str().to_owned();
    path.push(".searches");
    path.into()
}

#[test]
fn every_line_follows_from_the_rules_and_every_value_from_negamax() {
    let folder = Folder::new("book_lines");
    let (text, _) = make(SMALL, &folder.file("small.book"));
    check_lines(&text);
    let lines = read_lines(&text);
    assert_eq!(lines.len(), 80);
    assert_eq!(lines[0].position.fen(), Rules::MagneticCave.start());
}

/// Positions with nine empty cells from random games.
fn endings(count: usize) -> Vec<String> {
    let mut random = Random::new(5);
    let mut found = Vec::new();
    let mut position = Position::start(Rules::MagneticCave);
    while found.len() < count {
        let moves = position.legal_moves();
        position = match random.choose(&moves) {
            Some(mv) if position.moves_left() > 9 => position.play(mv).unwrap(),
            _ => {
                found.extend(position.points().is_none().then(|| position.fen()));
                Position::start(Rules::MagneticCave)
            }
        };
    }
    found
}

fn count_lines(text: &[u8]) -> usize {
    text.split(|&byte| byte == b'\n').count() - 1
}

/// Starts the engine with this book.
fn with_book(file: &Path) -> Client {
    let mut client = Client::start();
    client.send(format!("setoption name BookFile value {}\n", file.display()));
    client.until("info string BookFile: set OwnBook to true to use it");
    client.send("setoption name OwnBook value true\n");
    client
}

#[test]
fn a_missing_or_damaged_book_does_no_harm() {
    let folder = Folder::new("damaged_book");
    let file = folder.file("small.book");
    let (text, _) = make("--nodes 100 --positions 20", &file);
    let mut cases = vec![(folder.file("none.book"), "it cannot be read: ")];
    let damaged = "it is cut off or damaged: it does not fit its checksum";
    let changed = text.replacen("x7", "7x", 1);
    assert_ne!(changed, text);
    for (name, text, error) in [
        ("empty", "", "it is not an opening book of lodestone"),
        (
            "other",
            "8/8/8/8/8/8/8/8 x\n",
            "it is not an opening book of lodestone",
        ),
        ("changed", &changed, damaged),
        ("cut", &text[..text.len() / 2], damaged),
        ("without_end", &text[..text.len() - 1], damaged),
        ("longer", &format!("{text}\n"), damaged),
    ] {
        let path = folder.file(name);
        fs::write(&path, text).unwrap();
        cases.push((path, error));
    }
    #[cfg(unix)]
    {
        let pipe = folder.file("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        cases.push((
            pipe,
            "it cannot be read: it is a pipe; save what it holds in a file first",
        ));
        cases.push((
            "/dev/zero".into(),
            "it cannot be read: it is a device, not a file",
        ));
        let long = folder.file("long");
        fs::File::create(&long).unwrap().set_len(1 << 40).unwrap();
        cases.push((long, "it is longer than 256 MiB"));
    }
    let mut client = Client::start();
    client.send("setoption name OwnBook value true\n");
    client.until("info string OwnBook: magnetic-cave, ");
    for (path, error) in &cases {
        client.send(format!(
            "setoption name BookFile value {}\nisready\n",
            path.display()
        ));
        let replies = client.until("readyok");
        let [note, _] = &replies[..] else {
            panic!("{replies:?}")
        };
        let start = format!("info string BookFile: {}: {error}", path.display());
        assert!(
            note.starts_with(&start) && note.ends_with("; the engine searches instead"),
            "{note}"
        );
        assert_eq!(book_move(&mut client, "position startpos\ngo depth 2"), None);
    }
    // A book for another game, and none.
    client.send(format!("setoption name BookFile value {}\n", file.display()));
    client.until("info string OwnBook: magnetic-cave, 20 positions");
    client.send("setoption name UCI_Variant value gridlock\n");
    client.until(&format!(
        "info string BookFile: {}: it is a book for `magnetic-cave`, not for gridlock; the engine searches instead",
        file.display()
    ));
    client.send("setoption name BookFile value <empty>\n");
    client.until(
        "info string OwnBook: there is no book for gridlock in this program; the engine searches instead",
    );
    assert_eq!(book_move(&mut client, "go depth 2"), None);
    client.send("setoption name UCI_Variant value magnetic-cave\n");
    client.until("info string OwnBook: magnetic-cave, ");
    assert!(book_move(&mut client, "go depth 2").is_some());
}

#[test]
fn a_book_of_ones_own_is_played() {
    let folder = Folder::new("own_book");
    let file = folder.file("own.book");
    let (text, _) = make("--nodes 100 --positions 20", &file);
    let mut client = with_book(&file);
    client.until("info string OwnBook: magnetic-cave, 20 positions");
    let best = &read_lines(&text)[0].moves[0].0;
    assert_eq!(book_move(&mut client, "go movetime 3600000").as_ref(), Some(best));
    assert!(client.ends_with_status_0());
}

#[cfg(unix)]
#[test]
fn a_file_of_searches_that_cannot_be_written_is_named() {
    let folder = Folder::new("full_searches");
    let out = folder.file("small.book");
    // A write beyond the limit of one block fails as on a full disk.
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" book --nodes 100 --positions 200 --out \"$1\"";
    let mut command = Command::new("sh");
    command.args(["-c", limited]).arg(SOLVER).arg(&out);
    let output = command.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    let error = format!(
        "lodestone-solver book: {}: it cannot be written: ",
        searches_of(&out).display()
    );
    assert_eq!(output.status.code(), Some(1), "{message}");
    let last = message.lines().last().unwrap();
    assert!(last.starts_with(&error), "{message}");
}

#[test]
fn damaged_searches_are_refused_and_stay() {
    let folder = Folder::new("damaged_searches");
    let out = folder.file("small.book");
    make("--nodes 100 --positions 20", &out);
    let searches = searches_of(&out);
    let whole = fs::read_to_string(&searches).unwrap();
    let header = whole.lines().next().unwrap();
    let changed = whole.replacen("x7", "7x", 1);
    assert_ne!(changed, whole);
    for (arguments, text, error) in [
        (
            "--nodes 100",
            &*changed,
            "is damaged: it does not fit its checksum; remove it",
        ),
        (
            "--nodes 101",
            &whole,
            "line 1: expected `lodestone book searches 1: magnetic-cave, 101 nodes",
        ),
        (
            "--nodes 100",
            "something\n",
            "line 1: expected `lodestone book searches 1: ",
        ),
        ("--nodes 100", "something", "it has no searches of lodestone"),
        ("--nodes 100", &format!("{header}\nx\n"), "line 2 is damaged"),
    ] {
        fs::write(&searches, text).unwrap();
        let output = book(arguments, &out);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        let start = format!("lodestone-solver book: {}: ", searches.display());
        assert!(
            message.starts_with(&start) && message.contains(error),
            "{message}"
        );
        assert_eq!(fs::read_to_string(&searches).unwrap(), text);
    }
    let table = expect![[r#"
        --positions 0 | --positions: expected a whole number from 1 to 1000000, found `0`
        --nodes | `--nodes` needs a value
        --frob 1 | there is no option `--frob`
        --fen 8/8 | --fen:
    "#]];
    assert_rows(table, |[arguments]| {
        let output = Command::new(SOLVER)
            .args(["book", "-o"])
            .arg(&out)
            .args(arguments.split(' '))
            .output()
            .unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with("lodestone-solver book: "), "{message}");
        message
    });
    let output = Command::new(SOLVER).arg("book").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("lodestone-solver book: --out is missing"));
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn proven_values_are_those_of_plain_minimax() {
        let folder = Folder::new("book_endings");
        let mut seen = HashMap::new();
        for (index, fen) in endings(12).iter().enumerate() {
            let file = folder.file(&format!("{index}.book"));
            let mut command = Command::new(SOLVER);
            command.args([
                "book",
                "--nodes",
                "20",
                "--positions",
                "60",
                "--fen",
                fen,
                "--out",
            ]);
            let output = command.arg(&file).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            let text = fs::read_to_string(&file).unwrap();
            check_lines(&text);
            let mut known = HashMap::new();
            for line in read_lines(&text) {
                for (mv, value) in &line.moves {
                    let points = -line.position.play(mv).unwrap().value(&mut known);
                    *seen.entry(*value).or_insert(0) += 1;
                    if let (true, value) = value {
                        assert_eq!(points, value.signum(), "{mv} in {}", line.position.fen());
                    }
                }
            }
        }
        let count = |value: i32| seen.get(&(true, value)).copied().unwrap_or(0);
        assert!(
            [32_000, 0, -32_000].iter().all(|&value| count(value) > 0),
            "{seen:?}"
        );
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn an_interrupted_run_continues_with_the_same_result() {
        let folder = Folder::new("interrupted_book");
        let (whole, progress) = make(&format!("{SMALL} --threads 1"), &folder.file("whole.book"));
        assert!(progress.contains("80 positions, "), "{progress}");
        let all_searches = fs::read(searches_of(&folder.file("whole.book"))).unwrap();
        for (name, lines) in [("early", 2), ("middle", 60), ("late", 140)] {
            let out = folder.file(name);
            let mut child = Command::new(SOLVER)
                .args([
                    "book",
                    "--nodes",
                    "300",
                    "--positions",
                    "80",
                    "--threads",
                    "2",
                    "--out",
                ])
                .arg(&out)
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let begin = Instant::now();
            let written = || fs::read(searches_of(&out)).map_or(0, |text| count_lines(&text));
            while written() < lines && begin.elapsed() < Duration::from_mins(1) {
                thread::yield_now();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(written() >= lines);
            let (text, _) = make(SMALL, &out);
            assert_eq!(text, whole, "{name}");
        }
        // Cut off at any byte.
        let out = folder.file("cut.book");
        for length in [
            0,
            5,
            60,
            61,
            62,
            all_searches.len() / 2,
            all_searches.len() - 1,
            all_searches.len(),
        ] {
            fs::write(searches_of(&out), &all_searches[..length]).unwrap();
            let (text, _) = make(SMALL, &out);
            assert_eq!(text, whole, "{length}");
        }
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_book_grows_from_its_searches_and_those_of_other_runs() {
        let folder = Folder::new("growing_book");
        let (whole, _) = make(SMALL, &folder.file("whole.book"));
        let out = folder.file("growing.book");
        // Rounds of eight positions, so these are the first positions of the larger book.
        let (small, _) = make("--nodes 300 --positions 33", &out);
        assert_eq!(read_lines(&small).len(), 33);
        let (text, progress) = make(SMALL, &out);
        assert_eq!(text, whole);
        assert!(!progress.contains("(0 known before)"), "{progress}");
        let other = folder.file("other.book");
        let searches = searches_of(&out);
        let (text, progress) = make(&format!("{SMALL} --read {}", searches.display()), &other);
        assert_eq!(text, whole);
        let last = progress
            .lines()
            .find(|line| line.starts_with("80 positions"))
            .unwrap();
        let numbers: Vec<&str> = last.split_whitespace().collect();
        assert_eq!(numbers[2], numbers[4].trim_start_matches('('), "{last}");
        // The file of this run has no searches of its own.
        assert_eq!(count_lines(&fs::read(searches_of(&other)).unwrap()), 1);
    }
}
