//! Whole sessions of the engine in Gridlock: MultiPV, threads, thinking in the opponent's time,
//! `go mate`, `d` and `eval`. The expected results come from the naive rules.

use crate::client::{Client, answers, field};
use lodestone::engine::{Options, converse};
use lodestone::game::gridlock::exact;
use lodestone_game::gridlock::Gridlock;
use lodestone_game::random::Random;
use lodestone_game::{Game, Setup};

/// An engine that plays Gridlock.
fn start() -> Client {
    let mut client = Client::start();
    client.send("setoption name UCI_Variant value gridlock\nsetoption name Hash value 16\n");
    client
}

fn naive(fen: &str) -> naive::Position {
    naive::Position::parse(naive::Rules::Gridlock, fen).unwrap()
}

/// The points of this move by minimax to the end of the game, for the side that plays it.
fn points_of_move(fen: &str, mv: &str, turns: u32) -> i32 {
    -naive(fen).play(mv).unwrap().minimax(turns - 1)
}

/// What an `info` line says: the rank of its line, the points that are proven, and the moves.
#[derive(Debug)]
struct Line {
    rank: u64,
    points: Option<i32>,
    moves: Vec<String>,
}

fn parse(line: &str) -> Option<Line> {
    let (_, score) = line.split_once(" score ")?;
    let points = match score.split(' ').next()? {
        "win" => Some(1),
        "draw" => Some(0),
        "loss" => Some(-1),
        _ => None,
    };
    let moves = line.split_once(" pv ")?.1;
    Some(Line {
        rank: field(line, "multipv").unwrap_or(1),
        points,
        moves: moves.split(' ').map(str::to_string).collect(),
    })
}

/// The last `count` lines before `bestmove`, whose ranks must be 1 to `count`, and the move of
/// `bestmove`.
fn last_lines(replies: &[String], count: usize) -> (Vec<Line>, String) {
    let lines: Vec<Line> = replies.iter().filter_map(|line| parse(line)).collect();
    assert!(lines.len() >= count, "{replies:#?}");
    let last = lines.into_iter().rev().take(count).collect::<Vec<_>>();
    let last: Vec<Line> = last.into_iter().rev().collect();
    let ranks: Vec<u64> = last.iter().map(|line| line.rank).collect();
    assert!(ranks.iter().copied().eq(1..=count as u64), "{replies:#?}");
    let best = replies.last().unwrap().split(' ').nth(1).unwrap();
    (last, best.to_string())
}

/// A random start that is not over, with this many pieces and turns left.
fn random_fen(pieces: u32, turns: u32, random: &mut Random) -> String {
    Gridlock::random_start(Setup { pieces, turns }, random).fen()
}

/// Numbers of pieces and turns left in which the engine knows the result: by its exact values, by
/// a search to the turn limit, and by the solver of crowded boards.
const KNOWN: [(u32, u32); 4] = [(2, 3), (4, 3), (9, 2), (22, 5)];

/// Far from the turn limit only the solver of crowded boards proves results.
#[test]
fn the_solver_of_crowded_boards_proves_all_multipv_lines() {
    let mut random = Random::new(26);
    let mut client = start();
    let mut solved = |fen: &str, count: usize| {
        client.send(format!("ucinewgame\nsetoption name MultiPV value {count}\n"));
        client.send(format!("position fen {fen}\ngo nodes 300000\n"));
        last_lines(&client.until("bestmove"), count)
    };
    let mut checked = 0;
    for _ in 0..20 {
        let fen = random_fen(24, 300, &mut random);
        let moves = naive(&fen).legal_moves();
        let (lines, best) = solved(&fen, moves.len());
        assert_eq!(lines[0].moves[0], best, "{fen}");
        for line in &lines {
            let next = naive(&fen).play(&line.moves[0]).unwrap();
            let (Some(points), None) = (line.points, next.outcome()) else {
                continue;
            };
            let (after, _) = solved(&next.fen(), 1);
            assert_eq!(after[0].points.unwrap_or(-points), -points, "{fen}: {lines:?}");
            checked += usize::from(after[0].points.is_some() && moves.len() > 1);
        }
        let mut firsts: Vec<&str> = lines.iter().map(|line| line.moves[0].as_str()).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), moves.len(), "{fen}: {lines:?}");
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn multipv_lines_of_an_evaluated_position_are_sorted_and_legal() {
    let mut client = start();
    client.send("setoption name MultiPV value 4\nposition startpos moves f5f6\ngo depth 6\n");
    let replies = client.until("bestmove");
    let (lines, best) = last_lines(&replies, 4);
    assert_eq!(lines[0].moves[0], best);
    let scores: Vec<i64> = replies[replies.len() - 5..replies.len() - 1]
        .iter()
        .map(|line| {
            let (_, score) = line.split_once(" score cp ").unwrap();
            score.split(' ').next().unwrap().parse().unwrap()
        })
        .collect();
    assert!(scores.is_sorted_by(|one, next| one >= next), "{replies:#?}");
    let mut firsts: Vec<&str> = lines.iter().map(|line| line.moves[0].as_str()).collect();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 4, "{lines:?}");
    for line in lines {
        client.send(format!(
            "position startpos moves f5f6 {}\nd\n",
            line.moves.join(" ")
        ));
        let shown = client.until("Fen: ");
        assert!(!shown.iter().any(|reply| reply.contains("error")), "{shown:?}");
    }
}

#[test]
fn a_pondering_search_waits_for_ponderhit() {
    let mut random = Random::new(23);
    let mut client = start();
    // By exact values, by search, and by the solver of crowded boards.
    for (pieces, turns) in [(2, 40), (6, 40), (24, 20)] {
        let fen = random_fen(pieces, turns, &mut random);
        client.send(format!("position fen {fen}\ngo ponder movetime 20\n"));
        client.until("info depth ");
        client.send("isready\n");
        let replies = client.until("readyok");
        assert!(
            !replies.iter().any(|line| line.starts_with("bestmove")),
            "{replies:?}"
        );
        client.send("ponderhit\n");
        let replies = client.until("bestmove");
        let words: Vec<&str> = replies.last().unwrap().split(' ').collect();
        let mut position = naive(&fen);
        // The expected reply can be played, too.
        for mv in words.iter().skip(1).step_by(2) {
            position = position.play(mv).unwrap();
        }
        // It thinks on after the opponent's answer.
        if position.outcome().is_none() && words.len() == 4 {
            client.send(format!(
                "position fen {fen} moves {} {}\ngo ponder movetime 20\nponderhit\n",
                words[1], words[3]
            ));
            let reply = client.until("bestmove").pop().unwrap();
            position.play(reply.split(' ').nth(1).unwrap()).unwrap();
        }
    }
}

/// The points that `go mate` proves. A win must be one within its moves.
fn mate(client: &mut Client, fen: &str, moves: u32) -> Option<i32> {
    client.send(format!("ucinewgame\nposition fen {fen}\ngo mate {moves}\n"));
    let replies = client.until("bestmove");
    let line = replies.iter().rev().find(|line| parse(line).is_some())?;
    if let Some(plies) = field(line, "win") {
        assert!(plies < u64::from(2 * moves), "{fen}: {line}");
    }
    parse(line)?.points
}

#[test]
fn d_shows_the_board_the_turns_and_the_result() {
    let variant = "setoption name UCI_Variant value gridlock\n";
    let shown = answers(format!("{variant}position startpos moves f5f6\nd\n"));
    let naive = naive("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40")
        .play("f5f6")
        .unwrap();
    assert_eq!(
        shown.last().unwrap(),
        "Fen: 4o2/1xo2x1/3x3/5o1/1ox4/5x1/2o4 o 1 40"
    );
    assert_eq!(naive.fen(), "4o2/1xo2x1/3x3/5o1/1ox4/5x1/2o4 o 1 40");
    let pieces = |letter| {
        shown[..shown.len() - 1]
            .iter()
            .flat_map(|line| line.matches(letter))
            .count()
    };
    assert_eq!([pieces('X'), pieces('O')], [5, 5], "{shown:#?}");
    for (fen, result) in [
        ("o6/7/7/3x3/7/7/7 o 39 40", None),
        (
            "o6/7/7/3x3/7/7/7 x 40 40",
            Some("Result: 1-0 (turn limit 40 reached: x has 4 cells to go to, o has 2)"),
        ),
        (
            "xo5/7/7/7/7/7/5xo x 40 40",
            Some("Result: 1/2-1/2 (turn limit 40 reached: x has 3 cells to go to, o has 3)"),
        ),
        ("xxo4/xo5/o6/7/7/7/7 x 3 40", Some("Result: 0-1 (x has no move)")),
    ] {
        let shown = answers(format!("{variant}position fen {fen}\nd\n"));
        let fen_line = format!("Fen: {fen}");
        let rest: Vec<&str> = shown
            .iter()
            .skip_while(|line| **line != fen_line)
            .map(String::as_str)
            .collect();
        let expected: Vec<&str> = [fen_line.as_str()].into_iter().chain(result).collect();
        assert_eq!(rest, expected, "{shown:#?}");
    }
}

#[test]
fn eval_says_what_it_rests_on() {
    let mut client = start();
    let mut eval = |fen: &str| {
        client.send(format!("position fen {fen}\neval\n"));
        let replies = client.until("Evaluation: ");
        assert_eq!(replies.len(), 1, "{replies:?}");
        replies[0].clone()
    };
    // The same for the image in which both sides are exchanged, and for the mirror image.
    let value = eval("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40");
    assert!(value.ends_with(" (side to move), learned"), "{value}");
    assert_eq!(eval("4x2/1ox2o1/3o3/5x1/1xo4/4o2/2x4 o 0 40"), value);
    assert_eq!(eval("2o4/1x2ox1/3x3/1o5/4xo1/2x4/4o2 x 0 40"), value);
    // More room is better.
    let number = |text: String| -> i32 {
        let text = text.strip_prefix("Evaluation: ").unwrap().to_string();
        text.split(' ').next().unwrap().parse().unwrap()
    };
    let [free, shut_in] =
        ["x", "o"].map(|side| number(eval(&format!("ooo4/ooo4/7/3x3/1x3x1/3x3/x5x {side} 0 6"))));
    assert!(free > 0 && shut_in < 0, "{free} {shut_in}");
    assert_eq!(
        eval("o6/7/7/3x3/7/7/7 x 38 40"),
        "Evaluation: win (side to move), proven"
    );
    assert_eq!(
        eval("o6/7/7/3x3/7/7/7 x 40 40"),
        "Evaluation: none, the game is over"
    );
}

#[test]
fn isready_computes_the_exact_values_of_few_pieces() {
    // Whether the values are there. Nothing else in this process computes them.
    let knows = |pieces| {
        let setup = Setup { pieces, turns: 1000 };
        let start = Gridlock::random_start(setup, &mut Random::new(25));
        exact::exact_moves(&start, &start.legal_moves(), 0, &|| false).is_some()
    };
    assert_eq!([1, 2].map(knows), [false, false]);
    let lines = b"setoption name UCI_Variant value gridlock\nisready\n";
    converse(Options::default(), &lines[..], std::io::sink()).unwrap();
    assert_eq!([1, 2].map(knows), [true, true]);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn each_multipv_line_is_the_best_of_the_moves_that_are_left() {
        let mut random = Random::new(21);
        let mut client = start();
        let mut seen = [0; 3];
        for (pieces, turns) in KNOWN {
            for _ in 0..8 {
                let fen = random_fen(pieces, turns, &mut random);
                client.send(format!("ucinewgame\nposition fen {fen}\n"));
                client.send("setoption name MultiPV value 1\ngo infinite\n");
                let alone = loop {
                    let line = parse(&client.next_line("a proven result"));
                    if let Some(line) = line.filter(|line| line.points.is_some()) {
                        break line;
                    }
                };
                client.send("stop\n");
                client.until("bestmove");
                let count = naive(&fen).legal_moves().len();
                client.send(format!(
                    "setoption name MultiPV value {count}\ngo depth {turns}\n"
                ));
                let replies = client.until("bestmove");
                let (lines, best) = last_lines(&replies, count);
                assert_eq!(lines[0].moves[0], best, "{fen}");
                assert_eq!(lines[0].points, alone.points, "{fen}: {replies:#?}");
                let mut moves: Vec<&str> = lines.iter().map(|line| line.moves[0].as_str()).collect();
                for line in &lines {
                    let expected = points_of_move(&fen, &line.moves[0], turns);
                    assert_eq!(line.points, Some(expected), "{fen}: {line:?}");
                    seen[(expected + 1) as usize] += 1;
                }
                assert!(
                    lines.is_sorted_by(|one, next| one.points >= next.points),
                    "{fen}: {lines:?}"
                );
                moves.sort_unstable();
                moves.dedup();
                assert_eq!(moves.len(), count, "{fen}: {lines:?}");
            }
        }
        assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn threads_change_no_result_and_share_the_node_limit() {
        let mut random = Random::new(22);
        let mut client = start();
        for threads in [2, 4] {
            client.send(format!("setoption name Threads value {threads}\n"));
            for (pieces, turns) in KNOWN {
                for _ in 0..4 {
                    let fen = random_fen(pieces, turns, &mut random);
                    client.send(format!("position fen {fen}\ngo depth {turns}\n"));
                    let (lines, best) = last_lines(&client.until("bestmove"), 1);
                    let expected = naive(&fen).minimax(turns);
                    assert_eq!(lines[0].points, Some(expected), "{threads} threads, {fen}");
                    assert_eq!(points_of_move(&fen, &best, turns), expected, "{fen}");
                }
            }
            let fen = random_fen(8, 60, &mut random);
            client.send(format!("position fen {fen}\ngo nodes 30000\n"));
            let replies = client.until("bestmove");
            let nodes = field(&replies[replies.len() - 2], "nodes").unwrap();
            assert!((1000..=30_000).contains(&nodes), "{replies:?}");
        }
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn go_mate_finds_exactly_the_wins_within_its_moves() {
        let mut random = Random::new(24);
        let mut client = start();
        let mut seen = [0; 2];
        // The opponent is shut in, far from the turn limit.
        for round in 0..120 {
            let fen = random_fen(23 + round % 2, 300, &mut random);
            let is_won = naive(&fen).minimax(3) == 1;
            assert_eq!(mate(&mut client, &fen, 2) == Some(1), is_won, "{fen}");
            seen[usize::from(is_won)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
        // The exact values and the solver of crowded boards know no distance.
        for (pieces, turns, moves) in [(2, 5, 2), (24, 300, 5)] {
            for _ in 0..20 {
                let fen = random_fen(pieces, turns, &mut random);
                let is_won = naive(&fen).minimax(2 * moves - 1) == 1;
                assert_eq!(mate(&mut client, &fen, moves) == Some(1), is_won, "{fen}");
            }
        }
        // A win at the turn limit counts: then every result within the moves is known.
        let mut results = [0; 3];
        for (pieces, turns) in KNOWN {
            for _ in 0..4 {
                let fen = random_fen(pieces, turns, &mut random);
                let expected = naive(&fen).minimax(turns);
                assert_eq!(mate(&mut client, &fen, 3), Some(expected), "{fen}");
                results[(expected + 1) as usize] += 1;
            }
        }
        assert!(results.iter().all(|&count| count > 0), "{results:?}");
    }
}
