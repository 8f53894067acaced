//! Dialogues with the program.

use std::io::Write;
use std::process::{Command, Stdio};

/// The answers to these lines, without `response`.
fn answers(lines: &[String]) -> Vec<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_referee-chess"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    let text = lines.join("\n") + "\n";
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = program.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    output
        .lines()
        .map(|line| line.strip_prefix("response").unwrap_or(line).trim().to_string())
        .collect()
}

/// The answers to queries about a position, after these options.
fn ask(options: &[&str], position: &str, queries: &[&str]) -> Vec<String> {
    let options = options.iter().map(|option| format!("setoption name {option}"));
    let position = format!("position {position}");
    let queries = queries.iter().map(|query| format!("query {query}"));
    let lines: Vec<String> = options.chain([position]).chain(queries).collect();
    answers(&lines)
}

const CHESS960: &[&str] = &["UCI_Chess960 value true"];

/// The number of lines with this many moves.
fn perft(options: &[&str], start: &str, depth: usize) -> usize {
    let mut lines = vec![Vec::<String>::new()];
    for ply in 0..depth {
        let positions = lines.iter().map(|line| {
            let moves = if line.is_empty() {
                String::new()
            } else {
                format!(" moves {}", line.join(" "))
            };
            format!("position {start}{moves}\nquery moves")
        });
        let options = options.iter().map(|option| format!("setoption name {option}"));
        let answers = answers(&options.chain(positions).collect::<Vec<_>>());
        assert_eq!(answers.len(), lines.len());
        if ply + 1 == depth {
            return answers.iter().map(|moves| moves.split_whitespace().count()).sum();
        }
        let next = lines.iter().zip(&answers).flat_map(|(line, moves)| {
            moves
                .split_whitespace()
                .map(move |mv| [line.as_slice(), &[mv.to_string()]].concat())
        });
        lines = next.collect();
    }
    lines.len()
}

#[test]
fn counts_the_published_numbers_of_moves() {
    // The start and the positions of chessprogramming.org.
    let positions = [
        ("startpos", 3, 8902),
        (
            "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            2,
            2039,
        ),
        ("fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3, 2812),
        (
            "fen r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            3,
            9467,
        ),
        (
            "fen rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            2,
            1486,
        ),
    ];
    for (start, depth, count) in positions {
        assert_eq!(perft(&[], start, depth), count, "{start}");
    }
    // The first positions of the published list for Chess960.
    let positions = [
        (
            "fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            3,
            12189,
        ),
        (
            "fen 2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
            3,
            18002,
        ),
        (
            "fen b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
            3,
            10471,
        ),
    ];
    for (start, depth, count) in positions {
        assert_eq!(perft(CHESS960, start, depth), count, "{start}");
    }
}

#[test]
fn games_end_with_the_reason_in_words() {
    let back_and_forth = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    let ends = [
        (
            "startpos moves f2f3 e7e5 g2g4 d8h4".to_string(),
            "p2win",
            "checkmate",
        ),
        (
            format!("startpos moves {back_and_forth}"),
            "draw",
            "threefold repetition",
        ),
        ("fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".into(), "draw", "stalemate"),
        (
            "fen 8/8/4k3/8/8/3BK3/8/8 w - - 0 1".into(),
            "draw",
            "insufficient material",
        ),
        (
            "fen 8/8/4k3/8/8/3BK3/8/5b2 w - - 0 1".into(),
            "draw",
            "insufficient material",
        ),
        ("fen 8/8/4k3/8/8/3BK3/8/4b3 w - - 0 1".into(), "none", "none"),
        ("fen 8/8/4k3/8/8/3RK3/8/8 w - - 99 80".into(), "none", "none"),
        (
            "fen 8/8/4k3/8/8/3RK3/8/8 w - - 99 80 moves d3d1".into(),
            "draw",
            "fifty moves",
        ),
        (
            "fen 8/8/4k3/8/8/3RK3/8/8 w - - 150 99".into(),
            "draw",
            "seventyfive moves",
        ),
        // A capture begins the count again.
        (
            "fen 8/8/4k3/8/8/3RK3/8/3n4 w - - 99 80 moves d3d1".into(),
            "none",
            "none",
        ),
        // Mate in the last move counts.
        (
            "fen 7k/8/6K1/8/8/8/8/R7 w - - 99 99 moves a1a8".into(),
            "p1win",
            "checkmate",
        ),
    ];
    for (position, result, reason) in ends {
        assert_eq!(
            ask(&[], &position, &["result", "reason"]),
            [result, reason],
            "{position}"
        );
    }
    // With the right to castle lost, the position is another one.
    let moves = "h1h2 a8a7 h2h1 a7a8 h1h2 a8a7 h2h1 a7a8";
    let start = "fen r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1";
    assert_eq!(ask(&[], &format!("{start} moves {moves}"), &["result"]), ["none"]);
}

#[test]
fn reads_and_writes_positions_of_chess_and_chess960() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let pairs = [
        (format!("{start} w HAha - 0 1"), format!("{start} w KQkq - 0 1")),
        (format!("{start} b"), format!("{start} b - - 0 1")),
        (
            format!("{start} w KQkq - hmvc 3; fmvn 7; id \"a b\";"),
            format!("{start} w KQkq - 3 7"),
        ),
        (
            format!("{start} w KQkq - 4 9 id \"x\";"),
            format!("{start} w KQkq - 4 9"),
        ),
        // No pawn can capture there.
        (
            "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1".into(),
            "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1".into(),
        ),
        (
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1".into(),
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1".into(),
        ),
    ];
    for (text, fen) in pairs {
        assert_eq!(
            ask(&[], &format!("fen {text}"), &["fen"]),
            [fen.as_str()],
            "{text}"
        );
    }
    // The outermost rooks need no file, but an inner rook needs it.
    let outer = "4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1";
    assert_eq!(ask(&[], &format!("fen {outer}"), &["fen"]), [outer]);
    let inner = "1r2k1rr/8/8/8/8/8/8/1R2K1RR w GBgb - 0 1";
    let written = "1r2k1rr/8/8/8/8/8/8/1R2K1RR w GQgq - 0 1";
    assert_eq!(ask(CHESS960, &format!("fen {inner}"), &["fen"]), [written]);
    let errors = [
        ("8/8/8 w - - 0 1", "expected 8 ranks of pieces, found 3"),
        ("9/8/8/8/8/8/8/8 w", "expected 8 squares in rank 8, found `9`"),
        (
            "4k3/8/8/8/8/8/8/4K3 x",
            "expected `w` or `b` for the side to move, found `x`",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w K",
            "castling rights `K`: a rook is missing",
        ),
        (
            inner,
            "castling rights `GBgb`: the position needs `option.UCI_Chess960=true`",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - e9",
            "expected a square or `-` for en passant, found `e9`",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - e6",
            "no pawn can have passed the square for en passant",
        ),
        ("4k3/8/8/8/8/8/8/8 w - -", "expected one king a side"),
        (
            "4k3/4R3/8/8/8/8/8/4K3 w - -",
            "no check to the side that has moved",
        ),
        ("4k3/8/8/8/8/8/8/4K3 w - - x y", "operations of EPD, found `x`"),
    ];
    for (text, expected) in errors {
        let found = ask(&[], &format!("fen {text}"), &[]);
        assert!(
            found[0].starts_with("info string error: FEN") && found[0].contains(expected),
            "{found:?}"
        );
    }
}

#[test]
fn writes_and_reads_moves_as_people_do() {
    let cases = [
        ("startpos", "g1f3", "Nf3", "Nf3 Ng1f3 g1-f3 g1f3 Nf3! Ngf3"),
        (
            "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "e1g1",
            "O-O",
            "O-O 0-0 o-o",
        ),
        (
            "fen 1n6/P1k5/8/8/8/8/8/4K3 w - - 0 1",
            "a7b8q",
            "axb8=Q+",
            "axb8=Q axb8Q a7b8=q",
        ),
        (
            "fen 4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "e5d6",
            "exd6",
            "exd6 ed6",
        ),
        ("fen 1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1", "Qh4e1"),
        ("fen 3k4/8/8/8/4N3/8/8/K3N3 w - - 0 1", "e1d3", "Nd3", "Nd3 N1d3"),
        ("fen 3k4/8/8/8/8/8/R7/RK6 w - - 0 1", "a2a8", "Ra8+", "Ra8"),
        ("fen 7k/8/6K1/8/8/8/8/R7 w - - 0 1", "a1a8", "Ra8#", "Ra8# Ra8"),
    ];
    for (position, mv, written, read) in cases {
        assert_eq!(
            ask(&[], position, &[&format!("notation {mv}")]),
            [written],
            "{position}"
        );
        for text in read.split(' ') {
            assert_eq!(
                ask(&[], position, &[&format!("parse {text}")]),
                [mv],
                "{text} in {position}"
            );
        }
    }
    assert_eq!(
        ask(&[], "startpos", &["parse Nf4", "parse e1g1", "parse d3d4"]),
        ["none"; 3]
    );
    // A pawn that captures needs its file.
    let position = "fen 4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    assert_eq!(ask(&[], position, &["parse d6"]), ["none"]);
    // The king moves to its rook.
    let position = "fen 4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1";
    assert_eq!(
        ask(CHESS960, position, &["parse O-O", "notation e1b1"]),
        ["e1g1", "O-O-O"]
    );
}

#[test]
fn names_the_tables_that_are_missing() {
    for folders in ["/no/tables", "/no/tables:/none/here:", ":"] {
        let option = format!("SyzygyPath value {folders}");
        let found = ask(&[&option], "startpos", &["p1turn", "proven"]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].starts_with("info string error: option SyzygyPath: "),
            "{found:?}"
        );
        assert_eq!(found[1], "true");
    }
}

#[test]
fn chess960_has_960_starts() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(
        ask(CHESS960, "startpos", &["setup 518", "setup 1478"]),
        [start; 2]
    );
    let answers = ask(&[], "startpos", &["setup 518"]);
    assert!(!answers.contains(&start.to_string()), "{answers:?}");
}
