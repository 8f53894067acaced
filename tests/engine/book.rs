//! The opening book in the engine, and the option `OwnBook`. The naive rules check every line of the
//! book, and a naive negamax every value. `tests/solver/book.rs` makes other books.

use crate::books::{ask, book_move, by_position, canonical, check_lines, images, read_lines};
use crate::client::{Client, answers};
use naive::{Position, Rules};

/// The book that the program contains.
const EMBEDDED: &str = include_str!("../../src/book/magnetic-cave.book");

#[test]
fn every_line_follows_from_the_rules_and_every_value_from_negamax() {
    check_lines(EMBEDDED);
    assert!(EMBEDDED.len() < 100_000, "{}", EMBEDDED.len());
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

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn bench_eval_and_the_board_do_not_depend_on_the_book() {
        let input = "eval\nd\ngo perft 2\nbench\n";
        let without = answers(input);
        let with = answers(format!("setoption name OwnBook value true\n{input}"));
        let is_the_same = |line: &&String| {
            ["Total time", "Nodes/second", "info string OwnBook"]
                .iter()
                .all(|start| !line.starts_with(start))
        };
        let [without, with] =
            [&without, &with].map(|lines| lines.iter().filter(is_the_same).collect::<Vec<_>>());
        assert!(
            without
                .iter()
                .filter(|line| line.starts_with("Nodes searched"))
                .count()
                == 2
        );
        assert_eq!(without, with);
    }
}
