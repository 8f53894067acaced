//! Opening books from the outside: `lodestone book`, and the options `OwnBook` and `BookFile`. The
//! naive rules check every line of a book, and a naive negamax every value.

mod client;
mod folder;
mod naive;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use client::{Client, answers, engine};
use folder::Folder;
use lodestone::random::Random;
use naive::{Position, Rules};

/// The book that the program contains.
const EMBEDDED: &str = include_str!("../src/book/magnetic-cave.book");

/// A book that is made in a moment.
const SMALL: &str = "--nodes 300 --positions 80";

/// Runs `lodestone book` with these arguments.
fn book(arguments: &str, out: &Path) -> Output {
    let mut command = engine();
    command.arg("book").args(arguments.split_whitespace());
    command.arg("--out").arg(out).output().unwrap()
}

/// Runs `lodestone book`, which must succeed. Returns the book and the progress.
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

/// A value for the side to move: proven or not, and as a number.
type NaiveValue = (bool, i32);

/// A line of a book.
struct Line {
    position: Position,
    moves: Vec<(String, NaiveValue)>,
}

fn parse_value(text: &str) -> NaiveValue {
    match text {
        "win" => (true, 32_000),
        "draw" => (true, 0),
        "loss" => (true, -32_000),
        number => (false, number.parse().unwrap()),
    }
}

fn read_lines(text: &str) -> Vec<Line> {
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
fn images(position: &Position) -> [Position; 4] {
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
fn canonical(position: &Position) -> String {
    images(position).iter().map(Position::fen).min().unwrap()
}

/// The lines by their canonical position.
fn by_position(lines: &[Line]) -> HashMap<String, &Line> {
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
fn check_lines(text: &str) {
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

#[test]
fn every_line_follows_from_the_rules_and_every_value_from_negamax() {
    check_lines(EMBEDDED);
    assert!(EMBEDDED.len() < 100_000, "{}", EMBEDDED.len());
    let folder = Folder::new("book_lines");
    let (text, _) = make(SMALL, &folder.file("small.book"));
    check_lines(&text);
    let lines = read_lines(&text);
    assert_eq!(lines.len(), 80);
    assert_eq!(lines[0].position.fen(), Rules::MagneticCave.start());
}

/// Minimax by the naive rules: 1 for a win of the side to move, 0 for a draw, −1 for a loss.
fn minimax(position: &Position, known: &mut HashMap<String, i32>) -> i32 {
    if let Some(points) = position.points() {
        return points;
    }
    let fen = position.fen();
    if let Some(&value) = known.get(&fen) {
        return value;
    }
    let moves = position.legal_moves();
    let value = moves
        .iter()
        .map(|mv| -minimax(&position.play(mv).unwrap(), known))
        .max()
        .unwrap();
    known.insert(fen, value);
    value
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

#[test]
fn proven_values_are_those_of_plain_minimax() {
    let folder = Folder::new("book_endings");
    let mut seen = HashMap::new();
    for (index, fen) in endings(12).iter().enumerate() {
        let file = folder.file(&format!("{index}.book"));
        let mut command = engine();
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
                let points = -minimax(&line.position.play(mv).unwrap(), &mut known);
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
fn an_interrupted_run_continues_with_the_same_result() {
    let folder = Folder::new("interrupted_book");
    let (whole, progress) = make(&format!("{SMALL} --threads 1"), &folder.file("whole.book"));
    assert!(progress.contains("80 positions, "), "{progress}");
    let all_searches = fs::read(searches_of(&folder.file("whole.book"))).unwrap();
    for (name, lines) in [("early", 2), ("middle", 60), ("late", 140)] {
        let out = folder.file(name);
        let mut child = engine()
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

fn count_lines(text: &[u8]) -> usize {
    text.split(|&byte| byte == b'\n').count() - 1
}

#[test]
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

/// Starts the engine with this book.
fn with_book(file: &Path) -> Client {
    let mut client = Client::start();
    client.send(format!("setoption name BookFile value {}\n", file.display()));
    client.until("info string BookFile: set OwnBook to true to use it");
    client.send("setoption name OwnBook value true\n");
    client
}

/// The lines of the answer to this input.
fn ask(client: &mut Client, input: &str) -> Vec<String> {
    client.send(format!("{input}\n"));
    client.until("bestmove ")
}

/// The move of the book in the answer to this input.
fn book_move(client: &mut Client, input: &str) -> Option<String> {
    let replies = ask(client, input);
    let note = replies
        .iter()
        .find_map(|line| line.strip_prefix("info string book move "))?;
    let best = replies.last().unwrap().split(' ').nth(1).unwrap();
    assert_eq!(best, note, "{replies:?}");
    Some(best.to_string())
}

#[test]
fn plays_the_best_move_in_every_image_of_a_position() {
    let mut client = Client::start();
    client.send("setoption name OwnBook value true\n");
    let lines = read_lines(EMBEDDED);
    client.until(&format!(
        "info string OwnBook: magnetic-cave, {} positions",
        lines.len()
    ));
    let known = by_position(&lines);
    let mut counts = [0; 2];
    for line in lines.iter().step_by(7) {
        let next = canonical(&line.position.play(&line.moves[0].0).unwrap());
        let is_played = known.contains_key(&next);
        for image in images(&line.position) {
            let fen = image.fen();
            let found = book_move(&mut client, &format!("position fen {fen}\ngo nodes 1"));
            let found = found.map(|mv| canonical(&image.play(&mv).unwrap()));
            assert_eq!(found.as_ref(), is_played.then_some(&next), "{fen}");
        }
        counts[usize::from(is_played)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}

#[test]
fn a_book_move_comes_at_once_with_its_value_and_line() {
    let lines = read_lines(EMBEDDED);
    let (first, (_, value)) = &lines[0].moves[0];
    let mut client = Client::start();
    client.send("setoption name OwnBook value true\n");
    // Each would search for an hour.
    for go in [
        "go movetime 3600000",
        "go wtime 99999999 btime 99999999",
        "go depth 60",
        "go nodes 99999999999",
    ] {
        let replies = ask(&mut client, &format!("position startpos\n{go}"));
        let [.., note, info, best] = &replies[..] else {
            panic!("{replies:?}")
        };
        assert_eq!(note, &format!("info string book move {first}"));
        let score = format!(" score cp {value} nodes 0 time 0 pv {first} ");
        assert!(info.starts_with("info depth ") && info.contains(&score), "{info}");
        let line: Vec<&str> = info.split(" pv ").nth(1).unwrap().split(' ').collect();
        assert_eq!(best, &format!("bestmove {} ponder {}", line[0], line[1]));
        let mut position = Position::start(Rules::MagneticCave);
        for mv in line {
            position = position.play(mv).unwrap_or_else(|| panic!("{mv} in {info}"));
        }
    }
    client.send("ugi\nposition startpos\ngo movetime 3600000\n");
    let replies = client.until("bestmove");
    assert_eq!(replies.last(), Some(&format!("bestmove {first}")));
}

#[test]
fn analysis_and_other_players_use_no_book() {
    let mut client = Client::start();
    assert_eq!(book_move(&mut client, "go depth 2"), None);
    client.send("setoption name OwnBook value true\n");
    assert!(book_move(&mut client, "go depth 2").is_some());
    for go in [
        "go searchmoves a8 depth 2",
        "go mate 1",
        "go infinite\nstop",
        "go\nstop",
    ] {
        assert_eq!(book_move(&mut client, go), None, "{go}");
    }
    // The search for `ponder` goes on after `ponderhit`.
    for go in [
        "go ponder depth 2\nponderhit",
        "go ponder movetime 50\nponderhit",
        "go ponder\nstop",
    ] {
        assert_eq!(book_move(&mut client, go), None, "{go}");
    }
    for (option, off, on) in [
        ("MultiPV", "2", "1"),
        ("Personality", "plain", "lodestone"),
        ("Personality", "random", "lodestone"),
        ("UCI_Variant", "gridlock", "magnetic-cave"),
        ("OwnBook", "false", "true"),
    ] {
        client.send(format!("setoption name {option} value {off}\n"));
        assert_eq!(book_move(&mut client, "go depth 2"), None, "{option}");
        client.send(format!("setoption name {option} value {on}\n"));
        assert!(book_move(&mut client, "go depth 2").is_some(), "{option}");
    }
    // A position outside of the book, and a finished game.
    let fen = "xxxx4/8/8/8/8/8/8/oooo4 x";
    assert_eq!(
        book_move(&mut client, &format!("position fen {fen}\ngo depth 2")),
        None
    );
    let over = "position startpos moves a8 h8 a7 h7 a6 h6 a5 h5 a4\ngo depth 2";
    assert_eq!(ask(&mut client, over), ["bestmove 0000"]);
}

#[test]
fn bench_eval_and_the_board_do_not_depend_on_the_book() {
    let input = "eval\nd\ngo perft 2\nbench\n";
    let without = answers(input);
    let with = answers(format!("setoption name OwnBook value true\n{input}"));
    let is_the_same = |line: &&String| {
        ["Total time", "Nodes/second", "info string OwnBook"]
            .iter()
            .all(|start| !line.starts_with(start))
    };
    let [without, with] = [&without, &with].map(|lines| lines.iter().filter(is_the_same).collect::<Vec<_>>());
    assert!(
        without
            .iter()
            .filter(|line| line.starts_with("Nodes searched"))
            .count()
            == 2
    );
    assert_eq!(without, with);
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
        ("empty", "", "it is no book of lodestone"),
        ("other", "8/8/8/8/8/8/8/8 x\n", "it is no book of lodestone"),
        ("changed", &changed, damaged),
        ("cut", &text[..text.len() / 2], damaged),
        ("without_end", &text[..text.len() - 1], damaged),
        ("longer", &format!("{text}\n"), damaged),
    ] {
        let path = folder.file(name);
        fs::write(&path, text).unwrap();
        cases.push((path, error));
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
            note.starts_with(&start) && note.ends_with("; play goes on by search"),
            "{note}"
        );
        assert_eq!(book_move(&mut client, "position startpos\ngo depth 2"), None);
    }
    // A book for another game, and none.
    client.send(format!("setoption name BookFile value {}\n", file.display()));
    client.until("info string OwnBook: magnetic-cave, 20 positions");
    client.send("setoption name UCI_Variant value gridlock\n");
    client.until(&format!(
        "info string BookFile: {}: it is a book for `magnetic-cave`, not for gridlock; play goes on",
        file.display()
    ));
    client.send("setoption name BookFile value <empty>\n");
    client.until("info string OwnBook: there is no book for gridlock in this program; play goes on");
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
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", limited])
        .arg(engine().get_program())
        .arg(&out);
    let output = command.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    let error = format!(
        "lodestone book: {}: it cannot be written: ",
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
        let start = format!("lodestone book: {}: ", searches.display());
        assert!(
            message.starts_with(&start) && message.contains(error),
            "{message}"
        );
        assert_eq!(fs::read_to_string(&searches).unwrap(), text);
    }
    for (arguments, error) in [
        (
            "--positions 0",
            "--positions: expected a whole number from 1 to 1000000, found `0`",
        ),
        ("--nodes", "`--nodes` needs a value"),
        ("--frob 1", "there is no option `--frob`"),
        ("--fen 8/8", "--fen: "),
    ] {
        let output = engine()
            .args(["book", "-o"])
            .arg(&out)
            .args(arguments.split(' '))
            .output()
            .unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.starts_with(&format!("lodestone book: {error}")),
            "{message}"
        );
    }
    let output = engine().arg("book").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("lodestone book: --out is missing"));
}
