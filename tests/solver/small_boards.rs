//! Exact values of small boards: `lodestone-solver solve` against plain minimax with rules of its own,
//! and against the rules of the engine.

use sentences::{assert_has, assert_rows, expect};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::boards::{
    Counter, SOLVER, argument, board_of, endings, lines, nodes, random_ending, rules, solve,
};
use crate::folder::Folder;
use lodestone::search::{Lodestone, SearchLimits, best_move};
use lodestone_game::Game;
use lodestone_game::board::Bitboard;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::random::Random;
use lodestone_game::score::Score;
use lodestone_solver::solve::{BoardPosition, BoardValue, KnownAnswers, ProofTable, Prover, openings};
use naive::boards::Minimax;

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
        (
            vec!["--check", "file", "--samples", "3", "--shard", "0/2"],
            "--samples and --shard cannot be combined",
        ),
        (
            with(&["--certificate", "file", "--endings", "17"]),
            "--endings: expected a whole number from 0 to 16, found `17`",
        ),
        (with(&["--endings", "12"]), "--endings needs --certificate"),
        (with(&["--shard", "0/2"]), "--shard needs --plies"),
        (
            with(&["--plies", "2", "--shard", "2/2"]),
            "--shard: expected K/N with K from 0 to N - 1 and N from 1 to 1000000, found `2/2`",
        ),
    ] {
        let output = Command::new(SOLVER)
            .arg("solve")
            .args(&arguments)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {text}");
        assert_eq!(
            text.lines().next().unwrap(),
            format!("lodestone-solver solve: {error}")
        );
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
            "lodestone-solver solve: {file}: line 1: expected `lodestone solve 1: 4x3, 3 in line`, \
             found `lodestone solve 1: 3x3, 3 in line`\n"
        )
    );
    let table = expect![[r#"
        x maybe 1 2 3 3/3/3 x | line 3: expected `wins` or `holds`, found `maybe`
        x wins 1 many 3 3/3/3 x | line 3: expected a whole number, found `many`
        x wins 1 2 3 3/3/4 x | line 3: FEN, character 5: row 1 is longer than its 3 cells
        x wins 1 2 3 xxx/oo1/3 o | line 3: the game is over in this position
    "#]];
    assert_rows(table, |[line]| {
        fs::write(&file, format!("{text}{line}\n")).unwrap();
        let errors = ["--checkpoint", "--read"].map(|option| refuse([3, 3, 3], &[option, &file]));
        assert_eq!(errors[0], errors[1]);
        errors.concat()
    });
    fs::write(&file, "other text").unwrap();
    assert_has(
        refuse([3, 3, 3], &["--checkpoint", &file]),
        expect! {"it is not a file of `lodestone-solver solve`"},
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "other text");
    assert!(refuse([3, 3, 3], &["--read", "no-such-file"]).contains("no-such-file: it cannot be read"));
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
            &*format!("lodestone-solver solve: {file}: another run uses it\n")
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
    let first = lines(size, &["--nodes", "10000", "--checkpoint", &file], 1);
    assert_eq!(first[1], "value: unknown");
    assert!((10_000..15_000).contains(&nodes(&first)), "{first:?}");
    let second = lines(size, &["--checkpoint", &file], 0);
    assert_eq!(second[1], "value: draw");
    // The nodes of all runs are counted, and answers are not searched again.
    let third = lines(size, &["--checkpoint", &file], 0);
    assert_eq!((&third[1], nodes(&third)), (&second[1], nodes(&second)));
    // So is their time: here, the last answer came after an hour.
    let answers = fs::read_to_string(&file).unwrap();
    let (before, last) = answers.trim_end().rsplit_once('\n').unwrap();
    let mut words: Vec<&str> = last.splitn(6, ' ').collect();
    words[4] = "3600000";
    fs::write(&file, format!("{before}\n{}\n", words.join(" "))).unwrap();
    let fourth = lines(size, &["--checkpoint", &file], 0);
    let time = fourth
        .iter()
        .find_map(|line| line.strip_prefix("time: "))
        .unwrap();
    let seconds: f64 = time.strip_suffix(" s").unwrap().parse().unwrap();
    assert!(seconds >= 3600.0, "{time}");
    let alone = lines(size, &[], 0);
    assert_eq!(alone[1], "value: draw");
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
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

    #[test]
    #[ignore = "slow: .ci/run"]
    fn endings_agree_with_plain_minimax_on_boards_of_all_sizes() {
        let (mut compared, mut wins) = (0, [0; 3]);
        let rounds = std::env::var("ENDINGS").map_or(400, |count| count.parse().unwrap());
        for (round, size, position) in endings(24, rounds, 11) {
            let mut minimax = Minimax::new(size);
            let known = KnownAnswers::default();
            let mut counter = Counter::default();
            let mut prover = Prover::new(ProofTable::new(1).unwrap(), &known, &mut counter, 0);
            let expected = minimax.value(&mut board_of(&position));
            let value = prover.value(&position).unwrap();
            assert_eq!(number_of(value), expected, "{round}: {size:?} {}", position.fen());
            compared += 1;
            wins[(expected + 1) as usize] += 1;
        }
        println!("{compared} endings: {wins:?}");
        assert!(
            compared > 200 && wins.iter().all(|&count| count > 10),
            "{compared} {wins:?}"
        );
    }

    #[test]
    #[ignore = "slow: .ci/run"]
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

    #[test]
    #[ignore = "slow: .ci/run"]
    fn a_killed_run_continues() {
        let folder = Folder::new("solve-killed");
        let file = argument(folder.file("answers"));
        let size = ["--width", "5", "--height", "6", "--connect", "5", "--hash", "16"];
        let mut child = Command::new(SOLVER)
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
    #[ignore = "slow: .ci/run"]
    fn progress_goes_to_standard_error() {
        let mut child = Command::new(SOLVER)
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
        assert!(line.contains(" million positions; can x win? moves "), "{line}");
    }
}
