//! Hostile input of the engine: each unusable line gets one error and changes nothing, and
//! memory stays bounded.

use crate::client::Client;

/// The start of an error line.
const ERROR: &str = "info string error: ";

/// Sends a line and returns its errors; checks that the position stays.
fn errors_of(client: &mut Client, line: &[u8]) -> Vec<String> {
    let board = |client: &mut Client| {
        client.send("d\n");
        client.until("Fen: ")
    };
    let before = board(client);
    client.send([line, b"\nisready\n"].concat());
    let mut errors = client.until("readyok");
    errors.pop();
    assert!(
        errors.iter().all(|reply| reply.starts_with(ERROR)),
        "{errors:?} for \"{}\"",
        line.escape_ascii()
    );
    assert_eq!(board(client), before, "after \"{}\"", line.escape_ascii());
    errors
}

#[test]
fn each_bad_line_gets_one_error_and_changes_nothing() {
    let bad: &[&[u8]] = &[
        // No text, or no text that means anything.
        b"\0",
        b"uci\0",
        b"\xff",
        b"position startpos moves a8 \xc3",
        b"\xef\xbb\xbfuci",
        b"\x1b[31muci",
        b"uci\x0bnow",
        // Numbers at the ends of their ranges.
        b"go perft -1",
        b"go perft 4294967296",
        b"setoption name Hash value -1",
        b"setoption name Hash value 99999999999999999999999",
        b"setoption name Move Overhead value 5001",
        b"setoption name Seed value 4294967296",
        // Unknown names with spaces.
        b"setoption name Move  Overhead  Please value 5",
        b"setoption name MoveOverhead value 5",
        b"setoption name Move Overhead",
        b"setoption name   value   value",
        b"setoption name",
        // Whole lines with one thing wrong.
        b"debug maybe",
        b"position fen 8/8/8/8/8/8/8/8 x 0 1",
        b"position fen 8/8/8/8/8/8/8/9 x",
        b"position startpos moves a8\0",
    ];
    let mut client = Client::start();
    client.send("position startpos moves a8 h8 a7\n");
    for line in bad {
        let errors = errors_of(&mut client, line);
        assert_eq!(errors.len(), 1, "{errors:?} for \"{}\"", line.escape_ascii());
        for error in errors {
            assert!(
                error.len() < 300 && !error.contains(char::is_control),
                "{error:?}"
            );
        }
    }
}

/// In each line the first limit is unusable.
#[test]
fn a_go_with_an_unusable_limit_is_answered() {
    let mut client = Client::start();
    for go in [
        "go depth 0",
        "go depth -1 movetime 1",
        "go depth 4294967296 nodes 5",
        "go depth 0x10",
        "go nodes 18446744073709551616",
        "go nodes 0 movetime 1",
        "go mate 4294967296 movetime 1",
        "go movetime 9223372036854775808",
        "go movetime +",
        "go movetime 1.5 movestogo 1",
        "go wtime -9223372036854775809",
        "go wtime 99999999999999999999 btime 10",
        "go wtime abc btime 10",
        "go wtime p1inc 5 btime 10",
        "go movestogo 0 wtime 10 btime -5",
        "go movestogo -5 p1time 10 p2time 10",
        "go searchmoves",
        "go searchmoves movetime 1",
    ] {
        client.send(format!("{go}\n"));
        let replies = client.until("bestmove");
        let errors = replies.iter().filter(|reply| reply.starts_with(ERROR));
        assert_eq!(errors.count(), 1, "{go}: {replies:?}");
        assert!(
            replies[0].contains("unusable in `go`, skipped: `"),
            "{go}: {replies:?}"
        );
    }
    for go in [
        "go movetime -5",
        "go wtime -5 btime -5",
        "go movestogo 5",
        "go winc 5 binc 5",
    ] {
        client.send(format!("{go}\n"));
        let replies = client.until("bestmove");
        assert!(!replies[0].starts_with(ERROR), "{go}: {replies:?}");
    }
    client.send("go ponder depth 0\nponderhit\n");
    client.until("bestmove");
}

#[test]
fn accepts_any_white_space_between_words() {
    let mut client = Client::start();
    for line in [
        "position startpos\r",
        "\tposition\tstartpos \r",
        "",
        "\r",
        " \t ",
        "position  fen \t 8/8/8/8/8/8/8/8  \t x\r",
        "setoption\tname\tMove\tOverhead\tvalue\t20",
        "setoption name  move   OVERHEAD  value  20 ",
    ] {
        assert_eq!(errors_of(&mut client, line.as_bytes()), [""; 0], "{line:?}");
    }
}

#[test]
fn unknown_words_of_go_are_reported_once_and_cut() {
    let mut client = Client::start();
    client.send("go \0 \x1b[31m depth 1\n");
    let replies = client.until("bestmove");
    assert_eq!(
        replies[0],
        "info string error: unknown in `go`, skipped: \\0 \\u{1b}[31m"
    );
    client.send(format!("go{} depth 1\n", " word".repeat(100_000)));
    let replies = client.until("bestmove");
    assert!(replies[0].starts_with("info string error: unknown in `go`, skipped: word word"));
    assert!(replies[0].len() < 200, "{}", replies[0].len());
}

#[test]
fn megabytes_without_a_line_end_are_one_error_in_bounded_memory() {
    const MEGABYTES: usize = 48;
    let mut client = Client::start();
    client.send("position startpos moves a8\nisready\n");
    client.until("readyok");
    let before = client.peak_memory();
    for byte in [b'x', b' ', b'\0', b'\xff'] {
        for _ in 0..MEGABYTES / 4 {
            client.send(vec![byte; 1 << 20]);
        }
    }
    client.send("\nd\nisready\n");
    let replies = client.until("readyok");
    let errors: Vec<&String> = replies.iter().filter(|reply| reply.starts_with(ERROR)).collect();
    assert_eq!(errors, ["info string error: a line has more than 1048576 bytes"]);
    assert!(
        replies.contains(&"Fen: x7/8/8/8/8/8/8/8 o".to_string()),
        "{replies:?}"
    );
    if let (Some(before), Some(after)) = (before, client.peak_memory()) {
        let grown = after - before;
        assert!(grown < 8 * 1024, "{grown} KiB more");
    }
}

#[test]
fn accepts_or_rejects_thousands_of_moves_as_a_whole() {
    let mut client = Client::start();
    client.send("setoption name UCI_Variant value gridlock\n");
    let round = " a1b1 a2a3 b1a1 a3a2";
    let start = "position fen xo5/7/7/7/7/7/5xo x 0 1000 moves";
    client.send(format!("{start}{}\nd\n", round.repeat(249)));
    let shown = client.until("Fen: ");
    assert_eq!(shown.last().unwrap(), "Fen: xo5/7/7/7/7/7/5xo x 996 1000");
    let errors = errors_of(&mut client, format!("{start}{}", round.repeat(5000)).as_bytes());
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].starts_with("info string error: move 1001: "),
        "{errors:?}"
    );
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn lines_that_wait_for_a_count_are_bounded() {
        let mut client = Client::start();
        client.send("go perft 30\n");
        let long = format!("position startpos moves {}\n", "a8 ".repeat(300_000));
        for _ in 0..24 {
            client.send(&long);
        }
        client.send("isready\n");
        let replies = client.until("readyok");
        let dropped = replies
            .iter()
            .filter(|reply| reply.ends_with("this one is dropped"))
            .count();
        // Of lines of 900,025 bytes eighteen fit into 16 MiB.
        assert_eq!(dropped, 6, "{replies:?}");
        client.send("stop\nd\n");
        assert!(
            client
                .until("Fen: ")
                .contains(&"Fen: 8/8/8/8/8/8/8/8 x".to_string())
        );
    }
}
