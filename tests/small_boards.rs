//! Exact values of small boards: `lodestone solve` against plain minimax with rules of its own,
//! and against the rules of the engine.

mod client;
mod folder;

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use client::engine;
use folder::Folder;
use lodestone::board::{Bitboard, Side};
use lodestone::game::Game;
use lodestone::game::magnetic_cave::MagneticCave;
use lodestone::random::Random;
use lodestone::score::Score;
use lodestone::search::{Lodestone, SearchLimits, best_move};
use lodestone::solve::{
    BoardPosition, BoardRules, BoardValue, KnownAnswers, ProofObserver, ProofTable, ProvenAnswer, Prover,
    ProverProgress, check_certificate, openings,
};

/// Plain minimax of all positions, from the text of the rules: a board is a text of `.`, `x` and
/// `o`, row by row.
struct Minimax {
    width: usize,
    height: usize,
    connect: usize,
    /// 1, 0 or -1 for the side to move.
    values: HashMap<Vec<u8>, i8>,
}

impl Minimax {
    fn new([width, height, connect]: [usize; 3]) -> Minimax {
        Minimax {
            width,
            height,
            connect,
            values: HashMap::new(),
        }
    }

    fn start(&self) -> Vec<u8> {
        vec![b'.'; self.width * self.height]
    }

    fn side_to_move(board: &[u8]) -> u8 {
        let count = |side| board.iter().map(|&cell| u32::from(cell == side)).sum::<u32>();
        if count(b'x') == count(b'o') { b'x' } else { b'o' }
    }

    fn moves(&self, board: &[u8]) -> Vec<usize> {
        let is_legal = |&cell: &usize| {
            let column = cell % self.width;
            let at_wall = column == 0 || column == self.width - 1;
            let beside = |neighbour: usize| board[neighbour] != b'.';
            board[cell] == b'.' && (at_wall || beside(cell - 1) || beside(cell + 1))
        };
        (0..board.len()).filter(is_legal).collect()
    }

    /// Whether the brick on `cell` completes a line.
    fn completes(&self, board: &[u8], cell: usize) -> bool {
        let at = |column: isize, row: isize| {
            let inside =
                (0..self.width as isize).contains(&column) && (0..self.height as isize).contains(&row);
            inside.then(|| board[row as usize * self.width + column as usize])
        };
        let (column, row) = ((cell % self.width) as isize, (cell / self.width) as isize);
        [(1, 0), (0, 1), (1, 1), (1, -1)]
            .into_iter()
            .any(|(across, down)| {
                let run = |sign: isize| {
                    (1..self.connect as isize)
                        .take_while(|step| {
                            at(column + sign * step * across, row + sign * step * down) == Some(board[cell])
                        })
                        .count()
                };
                run(1) + run(-1) + 1 >= self.connect
            })
    }

    fn value(&mut self, board: &mut Vec<u8>) -> i8 {
        if let Some(&value) = self.values.get(board) {
            return value;
        }
        let side = Minimax::side_to_move(board);
        let mut best = None;
        for cell in self.moves(board) {
            board[cell] = side;
            let value = if self.completes(board, cell) {
                1
            } else {
                -self.value(board)
            };
            board[cell] = b'.';
            best = best.max(Some(value));
        }
        let value = best.unwrap_or(0);
        self.values.insert(board.clone(), value);
        value
    }
}

/// The board of a position of `lodestone`, in the form of [`Minimax`].
fn board_of(position: &BoardPosition) -> Vec<u8> {
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

/// Counts proofs, and ends no search.
#[derive(Default)]
struct Counter {
    proofs: u64,
}

impl ProofObserver for Counter {
    fn on_question(&mut self, _: Side, _: u32) {}

    fn on_answer(&mut self, _: &ProvenAnswer) {}

    fn on_proof(&mut self, _: &ProvenAnswer) -> bool {
        self.proofs += 1;
        true
    }

    fn on_progress(&mut self, _: ProverProgress<'_>) -> bool {
        true
    }
}

fn rules([width, height, connect]: [usize; 3]) -> BoardRules {
    let [width, height, connect] = [width, height, connect].map(|size| size as u32);
    BoardRules {
        width,
        height,
        connect,
    }
}

/// Boards with few positions, as width, height and bricks in line.
const PLAIN_BOARDS: [[usize; 3]; 18] = [
    [1, 1, 1],
    [1, 5, 3],
    [2, 2, 2],
    [2, 3, 3],
    [2, 5, 3],
    [3, 2, 2],
    [3, 3, 2],
    [3, 3, 3],
    [3, 4, 3],
    [3, 4, 4],
    [4, 2, 3],
    [4, 3, 3],
    [4, 3, 4],
    [5, 2, 3],
    [5, 2, 5],
    [6, 2, 3],
    [6, 2, 4],
    [6, 2, 6],
];

/// Boards whose positions take minutes, for `LARGE_BOARDS=1`.
const LARGE_BOARDS: [[usize; 3]; 6] = [[3, 5, 3], [3, 5, 4], [3, 5, 5], [5, 3, 3], [5, 3, 4], [7, 2, 4]];

#[test]
fn values_agree_with_plain_minimax_in_every_position() {
    let mut compared = 0;
    let large = if std::env::var_os("LARGE_BOARDS").is_some() {
        &LARGE_BOARDS[..]
    } else {
        &[]
    };
    for &size in PLAIN_BOARDS.iter().chain(large) {
        let mut minimax = Minimax::new(size);
        let mut start = minimax.start();
        minimax.value(&mut start);
        let rules = rules(size);
        let known = KnownAnswers::default();
        let mut counter = Counter::default();
        let mut prover = Prover::new(ProofTable::new(16).unwrap(), &known, &mut counter, 0);
        // All positions up to symmetry, from the end of the game to its start on odd boards, so
        // that both orders occur.
        let plies = (0..rules.cells().count()).collect::<Vec<_>>();
        for index in 0..plies.len() {
            let ply = if plies.len() % 2 == 0 {
                plies[index]
            } else {
                plies[plies.len() - 1 - index]
            };
            for position in openings(&BoardPosition::start(rules), ply) {
                let expected = minimax.values[&board_of(&position)];
                let value = prover.value(&position).map(number_of);
                assert_eq!(value, Some(expected), "{size:?} {}", position.fen());
                compared += 1;
            }
        }
    }
    println!("{compared} positions");
    assert!(compared > 50_000, "{compared}");
}

/// A position with at most `max_empty` empty cells, after random moves that complete no line.
/// `None` if there is none.
fn random_ending(rules: BoardRules, max_empty: u32, random: &mut Random) -> Option<BoardPosition> {
    ending(rules, max_empty, |_| true, random)
}

/// As [`random_ending`], with moves that satisfy `is_candidate` where there are any.
fn ending(
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

#[test]
fn endings_agree_with_plain_minimax_on_boards_of_all_sizes() {
    let mut random = Random::new(24);
    let (mut compared, mut wins) = (0, [0; 3]);
    let rounds = std::env::var("ENDINGS").map_or(400, |count| count.parse().unwrap());
    for round in 0..rounds {
        let size = |random: &mut Random, least| least + random.below(9 - least as u64) as usize;
        let (width, height) = (size(&mut random, 3), size(&mut random, 3));
        let connect = 3 + random.below(3) as usize;
        let rules = rules([width, height, connect]);
        // In every second position a row stays empty until no other move is left.
        let row = Bitboard(0xff << (8 * random.below(height as u64)));
        let kept = if round % 2 == 0 {
            Bitboard::EMPTY
        } else {
            rules.cells() & row
        };
        let leaves_row_empty = |next: &BoardPosition| (kept & !next.empty()).is_empty();
        let Some(position) = ending(rules, 11, leaves_row_empty, &mut random) else {
            continue;
        };
        let mut minimax = Minimax::new([width, height, connect]);
        let known = KnownAnswers::default();
        let mut counter = Counter::default();
        let mut prover = Prover::new(ProofTable::new(1).unwrap(), &known, &mut counter, 0);
        let expected = minimax.value(&mut board_of(&position));
        let value = prover.value(&position).unwrap();
        assert_eq!(
            number_of(value),
            expected,
            "{round}: {rules:?} {}",
            position.fen()
        );
        compared += 1;
        wins[(expected + 1) as usize] += 1;
    }
    println!("{compared} endings: {wins:?}");
    assert!(
        compared > 200 && wins.iter().all(|&count| count > 10),
        "{compared} {wins:?}"
    );
}

fn number_of(value: BoardValue) -> i8 {
    match value {
        BoardValue::Win => 1,
        BoardValue::Draw => 0,
        BoardValue::Loss => -1,
    }
}

/// The rules of the game itself.
const GAME: [usize; 3] = [8, 8, 5];

#[test]
fn rules_agree_with_the_game_in_random_games() {
    let mut random = Random::new(8);
    let mut positions = 0;
    for _ in 0..200 {
        let mut position = BoardPosition::start(rules(GAME));
        loop {
            let game = MagneticCave::from_fen(&position.fen()).unwrap();
            assert_eq!(game.fen(), position.fen());
            assert_eq!(position.is_finished(), game.outcome().is_some(), "{}", game.fen());
            positions += 1;
            if position.is_finished() {
                break;
            }
            let legal = game.legal_moves();
            let cells = legal.iter().map(|mv| Bitboard::from(mv.to()));
            assert_eq!(
                cells.fold(Bitboard::EMPTY, |all, cell| all | cell),
                position.moves()
            );
            let moves: Vec<_> = position.moves().cells().collect();
            position = position.play((*random.choose(&moves).unwrap()).into());
        }
    }
    assert!(positions > 2_000, "{positions}");
}

#[test]
fn endings_agree_with_the_solver_of_the_engine() {
    let mut random = Random::new(7);
    let mut engine = Lodestone::with_hash(4).unwrap();
    let known = KnownAnswers::default();
    let mut counter = Counter::default();
    let mut prover = Prover::new(ProofTable::new(16).unwrap(), &known, &mut counter, 0);
    let mut counts = [0; 3];
    for _ in 0..60 {
        let Some(position) = random_ending(rules(GAME), 20, &mut random) else {
            continue;
        };
        let game = MagneticCave::from_fen(&position.fen()).unwrap();
        let best = best_move(&mut engine, &game, SearchLimits::depth(64)).unwrap();
        let score = best.report.unwrap().score;
        let expected = match score {
            Score::Win(_) => 1,
            Score::Loss(_) => -1,
            _ => 0,
        };
        assert_eq!(
            number_of(prover.value(&position).unwrap()),
            expected,
            "{} {score:?}",
            game.fen()
        );
        counts[(expected + 1) as usize] += 1;
    }
    assert!(counts.iter().sum::<i32>() > 40, "{counts:?}");
}

/// A path as an argument.
fn argument(path: PathBuf) -> String {
    path.into_os_string().into_string().unwrap()
}

/// Runs `lodestone solve` for a board of this size.
fn solve([width, height, connect]: [usize; 3], arguments: &[&str]) -> Output {
    let size = [width, height, connect].map(|size| size.to_string());
    engine()
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

/// The output of `lodestone solve`, which must exit with this status.
fn lines(size: [usize; 3], arguments: &[&str], status: i32) -> Vec<String> {
    let output = solve(size, arguments);
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_string)
        .collect()
}

/// The number behind `nodes: `.
fn nodes(lines: &[String]) -> u64 {
    let line = lines.iter().find_map(|line| line.strip_prefix("nodes: "));
    line.unwrap().parse().unwrap()
}

#[test]
fn prints_value_nodes_and_time() {
    let lines = lines([3, 4, 3], &[], 0);
    assert_eq!(lines[0], "board: 3 columns, 4 rows, 3 in line");
    assert_eq!(lines[1], "value: win");
    assert!(nodes(&lines) > 0);
    let seconds = lines[3]
        .strip_prefix("time: ")
        .and_then(|rest| rest.strip_suffix(" s"))
        .unwrap();
    assert!(seconds.parse::<f64>().unwrap() >= 0.0);
    assert_eq!(lines.len(), 4);
}

#[test]
fn solves_any_position_for_the_side_to_move() {
    for (fen, value) in [
        ("xx1/oo1/3 x", "win"),
        ("xx1/oo1/x2 o", "win"),
        ("xx1/xo1/1o1 o", "loss"),
        ("xox/xox/oxo o", "draw"),
        ("xxx/oo1/3 o", "loss"),
    ] {
        assert_eq!(
            lines([3, 3, 3], &["--fen", fen], 0)[1],
            format!("value: {value}"),
            "{fen}"
        );
    }
}

#[test]
fn bad_input_is_one_error() {
    let size = ["--width", "4", "--height", "4", "--connect", "4"];
    let with = |more: &'static [&'static str]| [&size[..], more].concat();
    for (arguments, error) in [
        (vec![], "--width is missing"),
        (vec!["--width", "4", "--height", "4"], "--connect is missing"),
        (
            vec!["--width", "0"],
            "--width: expected a whole number from 1 to 8, found `0`",
        ),
        (
            vec!["--height", "9"],
            "--height: expected a whole number from 1 to 8, found `9`",
        ),
        (
            vec!["--connect", "9"],
            "--connect: expected a whole number from 1 to 8, found `9`",
        ),
        (
            vec!["--connect", "-1"],
            "--connect: expected a whole number from 1 to 8, found `-1`",
        ),
        (vec!["--width"], "`--width` needs a value"),
        (vec!["6x6"], "expected an option, found `6x6`"),
        (vec!["--depth", "4"], "there is no option `--depth`"),
        (
            vec!["--check", "file", "--width", "3"],
            "--check has no option `--width`",
        ),
        (
            vec!["--check", "file", "--samples", "0"],
            "--samples: expected a whole number from 1 to 18446744073709551615, found `0`",
        ),
        (with(&["--samples", "3"]), "--samples needs --check"),
        (
            with(&["--hash", "0"]),
            "--hash: expected a whole number from 1 to 65536, found `0`",
        ),
        (
            with(&["--fen", "4/4/4 x"]),
            "--fen: FEN, character 6: row 1 is missing: 4 rows are expected",
        ),
        (
            with(&["--fen", "x3/4/4/4 x"]),
            "--fen: FEN, character 10: x and o must have equal numbers of bricks with x to move, and x one \
             more with o to move; here x has 1 and o has 0",
        ),
        (with(&["--shard", "0/2"]), "--shard needs --plies"),
        (
            with(&["--plies", "2", "--shard", "2/2"]),
            "--shard: expected K/N with K from 0 to N - 1 and N from 1 to 1000000, found `2/2`",
        ),
    ] {
        let output = engine().arg("solve").args(&arguments).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {text}");
        assert_eq!(text.lines().next().unwrap(), format!("lodestone solve: {error}"));
        assert!(text.contains("Usage:") && output.stdout.is_empty());
    }
}

#[test]
fn refuses_files_of_other_boards_and_damaged_files() {
    let folder = Folder::new("solve-files");
    let file = argument(folder.file("answers"));
    lines([3, 3, 3], &["--checkpoint", &file], 0);
    let text = fs::read_to_string(&file).unwrap();
    let refuse = |size, arguments: &[&str]| {
        let output = solve(size, arguments);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let error = refuse([4, 3, 3], &["--checkpoint", &file]);
    assert_eq!(
        error,
        format!(
            "lodestone solve: {file}: line 1: expected `lodestone solve 1: 4x3, 3 in line`, \
             found `lodestone solve 1: 3x3, 3 in line`\n"
        )
    );
    for (line, error) in [
        (
            "x maybe 1 2 3 3/3/3 x",
            "line 3: expected `wins` or `holds`, found `maybe`",
        ),
        (
            "x wins 1 many 3 3/3/3 x",
            "line 3: expected a whole number, found `many`",
        ),
        (
            "x wins 1 2 3 3/3/4 x",
            "line 3: FEN, character 5: row 1 is longer than its 3 cells",
        ),
        (
            "x wins 1 2 3 xxx/oo1/3 o",
            "line 3: the game is over in this position",
        ),
    ] {
        fs::write(&file, format!("{text}{line}\n")).unwrap();
        for option in ["--checkpoint", "--read"] {
            let found = refuse([3, 3, 3], &[option, &file]);
            assert_eq!(found, format!("lodestone solve: {file}: {error}\n"));
        }
    }
    fs::write(&file, "other text").unwrap();
    assert!(refuse([3, 3, 3], &["--checkpoint", &file]).contains("it is no file of `lodestone solve`"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "other text");
    assert!(refuse([3, 3, 3], &["--read", "no-such-file"]).contains("no-such-file: it cannot be read"));
}

#[test]
fn a_killed_run_continues() {
    let folder = Folder::new("solve-killed");
    let file = argument(folder.file("answers"));
    let size = ["--width", "5", "--height", "6", "--connect", "5", "--hash", "16"];
    let mut child = engine()
        .arg("solve")
        .args(size)
        .args(["--checkpoint", &file])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Killed (`kill -9`) once there are answers of the search.
    let deadline = Instant::now() + Duration::from_mins(5);
    let answers = || {
        fs::read_to_string(&file)
            .unwrap_or_default()
            .lines()
            .count()
            .saturating_sub(1)
    };
    while answers() < 3 && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(answers() >= 3);
    // A line that was cut off does no harm.
    let mut text = fs::read_to_string(&file).unwrap();
    text.truncate(text.rfind('\n').unwrap() + 1);
    fs::write(&file, format!("{text}x holds 123 4")).unwrap();
    let last = text.lines().last().unwrap();
    let searched: u64 = last.split(' ').nth(3).unwrap().parse().unwrap();
    let limit = (searched + 300_000).to_string();
    let output = solve([5, 6, 5], &["--checkpoint", &file, "--nodes", &limit]);
    let progress = String::from_utf8(output.stderr).unwrap();
    let count = text.lines().count() - 1;
    assert!(
        progress.contains(&format!(": continues from {count} answers\n")),
        "{progress}"
    );
    let after = fs::read_to_string(&file).unwrap();
    let new: Vec<&str> = after.strip_prefix(&text).unwrap().lines().collect();
    assert!(!new.is_empty());
    for line in new {
        let total: u64 = line.split(' ').nth(3).unwrap().parse().unwrap();
        assert!(total > searched, "{line}");
        // What was known is not searched again.
        let question = |line: &str| {
            (
                line[..1].to_string(),
                line.splitn(6, ' ').last().unwrap().to_string(),
            )
        };
        assert!(
            text.lines()
                .skip(1)
                .all(|known| question(known) != question(line)),
            "{line}"
        );
    }
}

#[test]
fn one_run_at_a_time_uses_a_file() {
    let folder = Folder::new("solve-locked");
    let file = argument(folder.file("answers"));
    let held = fs::File::create(&file).unwrap();
    held.lock().unwrap();
    let output = solve([3, 3, 3], &["--checkpoint", &file]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), error.as_str()),
        (
            Some(1),
            &*format!("lodestone solve: {file}: another run uses it\n")
        )
    );
}

#[test]
fn shards_of_the_openings_are_the_openings() {
    let folder = Folder::new("solve-shards");
    let size = [4, 4, 4];
    let openings_of = |lines: &[String]| {
        let mut found: Vec<String> = lines
            .iter()
            .filter(|line| line.starts_with("opening: "))
            .cloned()
            .collect();
        found.sort();
        found
    };
    let whole = lines(size, &["--plies", "3"], 0);
    let mut parts = Vec::new();
    let mut files = Vec::new();
    for shard in 0..3 {
        let file = argument(folder.file(&format!("shard-{shard}")));
        let text = format!("{shard}/3");
        parts.extend(lines(
            size,
            &["--plies", "3", "--shard", &text, "--checkpoint", &file],
            0,
        ));
        files.push(file);
    }
    assert_eq!(openings_of(&whole), openings_of(&parts));
    assert!(openings_of(&whole).len() > 20);
    // The files of all shards together answer the whole board.
    let alone = lines(size, &[], 0);
    let read: Vec<&str> = files.iter().flat_map(|file| ["--read", file]).collect();
    let merged = lines(size, &read, 0);
    assert_eq!(
        (&alone[1], &merged[1]),
        (&"value: draw".to_string(), &"value: draw".to_string())
    );
    assert!(nodes(&merged) * 10 < nodes(&alone), "{merged:?} {alone:?}");
    // A shard that is repeated knows its answers.
    let again = lines(
        size,
        &["--plies", "3", "--shard", "1/3", "--checkpoint", &files[1]],
        0,
    );
    assert_eq!(openings_of(&again).len(), openings_of(&whole).len().div_ceil(3));
}

#[test]
fn stops_at_the_node_limit_and_continues() {
    let folder = Folder::new("solve-limit");
    let file = argument(folder.file("answers"));
    let size = [4, 5, 4];
    let first = lines(size, &["--nodes", "60000", "--checkpoint", &file], 1);
    assert_eq!(first[1], "value: unknown");
    assert!((60_000..65_000).contains(&nodes(&first)), "{first:?}");
    let second = lines(size, &["--checkpoint", &file], 0);
    assert_eq!(second[1], "value: draw");
    // The nodes of all runs are counted, and answers are not searched again.
    let third = lines(size, &["--checkpoint", &file], 0);
    assert_eq!((&third[1], nodes(&third)), (&second[1], nodes(&second)));
    let alone = lines(size, &[], 0);
    assert_eq!(alone[1], "value: draw");
}

#[test]
fn progress_goes_to_standard_error() {
    let mut child = engine()
        .args([
            "solve",
            "--width",
            "8",
            "--height",
            "8",
            "--connect",
            "5",
            "--hash",
            "16",
        ])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let line = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .next()
        .unwrap()
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        line.contains(" million positions; can x win within ") && line.contains(" moves "),
        "{line}"
    );
}

/// The certificate that `lodestone solve` writes with these arguments.
fn certificate(folder: &Folder, size: [usize; 3], arguments: &[&str]) -> String {
    let file = argument(folder.file("certificate"));
    lines(size, &[arguments, &["--certificate", &file]].concat(), 0);
    fs::read_to_string(&file).unwrap()
}

/// The error of a certificate that is wrong.
fn refusal(text: &str) -> String {
    check_certificate(text, None, &mut Random::new(1)).unwrap_err()
}

#[test]
fn certificates_of_all_values_are_verified() {
    let folder = Folder::new("solve-certificate");
    for (size, fen, value, least) in [
        ([4, 4, 4], "4/4/4/4 x", "draw", 100),
        ([4, 4, 3], "4/4/4/4 x", "win", 1),
        ([4, 4, 3], "x3/4/4/4 o", "loss", 1),
        ([3, 5, 3], "3/3/3/3/3 x", "win", 1),
        ([4, 4, 3], "xxx1/oo2/4/4 o", "loss", 0),
    ] {
        let text = certificate(&folder, size, &["--fen", fen]);
        let report = check_certificate(&text, None, &mut Random::new(1)).unwrap();
        assert_eq!(report.size, size);
        assert_eq!(report.values, [format!("{value} {fen}")]);
        assert!(report.answers >= least, "{size:?} {fen}: {}", report.answers);
        assert_eq!(report.verified, report.answers);
        assert!(!folder.file("certificate.part").exists());
    }
    // The command prints the same.
    let text = certificate(&folder, [4, 4, 4], &[]);
    let count = text.lines().last().unwrap().strip_prefix("end ").unwrap();
    let file = argument(folder.file("certificate"));
    for (arguments, checked) in [
        (&[][..], format!("checked: all {count} answers")),
        (
            &["--samples", "7", "--seed", "3"],
            format!("checked: 7 of {count} answers, seed 3"),
        ),
    ] {
        let output = engine()
            .args(["solve", "--check", &file])
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let expected = format!("board: 4 columns, 4 rows, 4 in line\nvalue: draw 4/4/4/4 x\n{checked}\n");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}

#[test]
fn certificates_with_one_change_are_refused() {
    let folder = Folder::new("solve-changed");
    let text = certificate(&folder, [4, 4, 4], &[]);
    let all: Vec<&str> = text.lines().collect();
    let answers = 2..all.len() - 1;
    let joined = |lines: &[&str]| lines.join("\n") + "\n";
    assert!(answers.len() > 100 && refusal(&text.replace("value draw", "value win")).contains("is missing"));
    for index in answers.step_by(23) {
        let changed = |from: &str, to: &str| {
            let line = all[index].replace(from, to);
            let mut changed = all.clone();
            changed[index] = &line;
            joined(&changed)
        };
        // The other answer, for the same or the other side.
        let error = refusal(&changed("holds", "wins"));
        assert!(error.starts_with("line "), "{error}");
        let (side, other) = if all[index].starts_with('x') {
            ("x ", "o ")
        } else {
            ("o ", "x ")
        };
        if !all.contains(&all[index].replacen(side, other, 1).as_str()) {
            let swapped = all[index].replacen(side, other, 1);
            let mut changed = all.clone();
            changed[index] = &swapped;
            assert!(refusal(&joined(&changed)).starts_with("line "));
        }
        // An answer that is left out.
        let mut shorter = all.clone();
        shorter.remove(index);
        let end = format!("end {}", all.len() - 4);
        *shorter.last_mut().unwrap() = &end;
        let error = refusal(&joined(&shorter));
        let question = all[index].split(' ').take(4).collect::<Vec<_>>().join(" ");
        assert!(error.ends_with("is missing"), "{question}: {error}");
    }
    // Cut off anywhere.
    for length in (0..text.len()).step_by(37).chain([text.len() - 1]) {
        let error = refusal(&text[..length]);
        let expected = if length < all[0].len() {
            "line 1: expected `lodestone certificate"
        } else {
            "the certificate is cut off"
        };
        assert!(error.starts_with(expected), "{length}: {error}");
    }
}

#[test]
fn wrong_certificates_are_one_error() {
    let title = "lodestone certificate 1: 3x3, 3 in line, endings of 0 cells\n";
    for (rest, error) in [
        (
            "value draw 3/3/3 x\nend 0\n",
            "line 2: `x holds 3/3/3 x` is missing",
        ),
        (
            "value win xo1/xo1/3 o\nend 0\n",
            "line 2: `xo1/xo1/3 o` is no position of this board",
        ),
        (
            "value loss xxx/oo1/3 o\nend 0\nend 0\n",
            "line 4: nothing may follow the line `end`",
        ),
        (
            "value loss xxx/oo1/3 o\nend 1\n",
            "line 3: expected `end 0`, found `end 1`",
        ),
        (
            "end 0\n",
            "the certificate proves no value: it has no line `value`",
        ),
        (
            "value win 3/3/3 x\nx wins 3/3/3 x\nend 1\n",
            "line 3: the move is missing",
        ),
        (
            "value win 3/3/3 x\nx wins 3/3/3 x b2\nend 1\n",
            "line 3: the move is illegal",
        ),
        (
            "value win 3/3/3 x\nx wins 3/3/3 x a3\nx wins x2/3/3 o a1\nend 2\n",
            "line 4: no move is expected: the answer must hold after all moves",
        ),
        (
            "value win 3/3/3 x\nx wins 3/3/3 x a3\nx wins 3/3/3 x a1\nend 2\n",
            "line 4: this answer is given twice",
        ),
        (
            "value win 3/3/3 x\nx wins 3/3/3 x pairs a1a2\nend 1\n",
            "line 3: pairs cannot prove a win",
        ),
        (
            "value draw 3/3/3 x\nx holds 3/3/3 x pairs a1b2\no holds 3/3/3 x a1\nend 2\n",
            "line 3: the cells of a pair must be playable, or neighbours in a row",
        ),
        (
            "value draw 3/3/3 x\nx holds 3/3/3 x pairs a1a2 a2a3\no holds 3/3/3 x a1\nend 2\n",
            "line 3: the cells of the pairs must be empty, and no two pairs may share a cell",
        ),
        (
            "value draw 3/3/3 x\nx holds 3/3/3 x pairs a1a2\no holds 3/3/3 x a1\nend 2\n",
            "line 3: an open line of x contains no pair",
        ),
        // No move is left, but the game was over before.
        (
            "value draw xox/xox/oxo o\no wins xox/xox/oxo o a1\nend 1\n",
            "line 3: the game is over in this position",
        ),
        (
            "value draw 3/3/3 x\nx holds 3/3/3\nend 1\n",
            "line 3: expected an answer, found `x holds 3/3/3`",
        ),
    ] {
        assert_eq!(refusal(&format!("{title}{rest}")), error, "{rest}");
    }
    for first in [
        "",
        "lodestone certificate 1: 9x3, 3 in line, endings of 0 cells",
        "lodestone solve 1: 3x3, 3 in line",
    ] {
        assert!(
            refusal(first).starts_with("line 1: expected `lodestone certificate 1: "),
            "{first}"
        );
    }
}

#[test]
fn the_checker_searches_endings_as_plain_minimax_does() {
    let mut random = Random::new(11);
    let mut counts = [0; 3];
    for _ in 0..300 {
        let size = [
            3 + random.below(3) as usize,
            3 + random.below(3) as usize,
            3 + random.below(2) as usize,
        ];
        let Some(position) = random_ending(rules(size), 9, &mut random) else {
            continue;
        };
        let value = Minimax::new(size).value(&mut board_of(&position));
        let [width, height, connect] = size;
        for (word, number) in [("win", 1), ("draw", 0), ("loss", -1)] {
            let text = format!(
                "lodestone certificate 1: {width}x{height}, {connect} in line, endings of 9 cells\n\
                 value {word} {}\nend 0\n",
                position.fen()
            );
            let is_right = check_certificate(&text, None, &mut random).is_ok();
            assert_eq!(is_right, number == value, "{text}");
        }
        counts[(value + 1) as usize] += 1;
    }
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}

#[test]
fn the_checker_uses_no_other_code_of_the_solvers() {
    let source = include_str!("../src/solve/checker.rs");
    let imports = source
        .split("crate::")
        .skip(1)
        .map(|rest| rest.split(';').next().unwrap());
    assert_eq!(imports.collect::<Vec<_>>(), ["random::Random", "text::quoted"]);
    assert!(!source.contains("super"));
}

#[test]
fn certificates_of_shards_are_merged() {
    let folder = Folder::new("solve-merged");
    let size = [4, 4, 4];
    let mut files = Vec::new();
    for shard in 0..3 {
        let file = argument(folder.file(&format!("part-{shard}")));
        let text = format!("{shard}/3");
        lines(
            size,
            &["--plies", "3", "--shard", &text, "--certificate", &file],
            0,
        );
        let part = fs::read_to_string(&file).unwrap();
        let report = check_certificate(&part, None, &mut Random::new(1)).unwrap();
        assert!(report.values.len() > 5);
        files.push(file);
    }
    let read: Vec<&str> = files.iter().flat_map(|file| ["--read", file]).collect();
    let merged = certificate(&folder, size, &read);
    let report = check_certificate(&merged, None, &mut Random::new(1)).unwrap();
    assert_eq!(report.values, ["draw 4/4/4/4 x"]);
    // The moves of the parts are copied.
    let alone = lines(size, &["--certificate", &argument(folder.file("alone"))], 0);
    let merged = lines(
        size,
        &[&read[..], &["--certificate", &argument(folder.file("again"))]].concat(),
        0,
    );
    assert!(nodes(&merged) * 5 < nodes(&alone), "{merged:?} {alone:?}");
    // A part that is damaged is refused.
    let text = fs::read_to_string(&files[1]).unwrap();
    fs::write(&files[1], &text[..text.len() / 2]).unwrap();
    let output = solve(size, &read);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        error.contains("part-1: ") && error.lines().count() == 1,
        "{error}"
    );
}

#[test]
fn a_search_without_a_result_writes_no_certificate() {
    let folder = Folder::new("solve-unfinished");
    let file = argument(folder.file("certificate"));
    let output = lines([5, 5, 4], &["--nodes", "5000", "--certificate", &file], 1);
    assert_eq!(output[1], "value: unknown");
    assert!(fs::read_dir(folder.file("")).unwrap().next().is_none());
}

#[cfg(unix)]
#[test]
fn the_scripts_for_clusters_split_a_proof_and_merge_it() {
    let folder = Folder::new("solve-cluster");
    let parts = argument(folder.file("parts"));
    let scripts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/cluster");
    let run = |script: &str, shard: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new("sh");
        command.arg(scripts.join(script)).args(arguments).arg(&parts);
        command.args(["--width", "3", "--height", "5", "--connect", "4", "--hash", "16"]);
        let lodestone = engine();
        command
            .env("LODESTONE", lodestone.get_program())
            .env("SHARD", shard);
        command.env_remove("SLURM_ARRAY_TASK_ID");
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    assert_eq!(run("solve-shard.sh", "0", &["2", "2"]).0, Some(0));
    let (status, _, error) = run("solve-merge.sh", "", &["2"]);
    let missing = format!("part 1 of 2 is missing: {parts}/part-1.certificate\n");
    assert_eq!((status, error), (Some(1), missing));
    // A part that is complete is not solved again.
    let file = folder.file("parts").join("part-0.txt");
    fs::write(&file, "kept").unwrap();
    for shard in ["0", "1"] {
        assert_eq!(run("solve-shard.sh", shard, &["2", "2"]).0, Some(0));
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    let (status, text, error) = run("solve-merge.sh", "", &["2"]);
    assert_eq!(status, Some(0), "{error}");
    let board = "board: 3 columns, 5 rows, 4 in line\n";
    assert!(
        text.starts_with(&format!("{board}value: draw\ncertificate: ")),
        "{text}"
    );
    assert!(
        text.contains(&format!("{board}value: draw 3/3/3/3/3 x\nchecked: all ")),
        "{text}"
    );
}
