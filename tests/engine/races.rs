//! Races: a client sends random commands at random times, and each `go` gets exactly one
//! answer.

use std::time::{Duration, Instant};

use crate::client::Client;
use lodestone_game::random::Random;

/// Commands with their relative frequencies.
const COMMANDS: &[(&str, usize)] = &[
    ("go", 3),
    ("go infinite", 3),
    ("go movetime 3", 3),
    ("go movetime 0", 1),
    ("go wtime 20 btime 20 winc 1 binc 1", 2),
    ("go p1time 5 p2time 5 movestogo 1", 1),
    ("go depth 3", 2),
    ("go nodes 300", 2),
    ("go mate 2 movetime 4", 1),
    ("go ponder movetime 3", 3),
    ("go ponder infinite", 1),
    ("go ponder depth 1", 2),
    ("ponderhit", 6),
    ("go searchmoves 0000 depth 1", 1),
    ("stop", 8),
    ("isready", 3),
    ("position startpos", 2),
    ("position startpos moves a8 h8", 2),
    ("position startpos moves a8 a8", 1),
    ("query result", 1),
    ("query moves", 1),
    ("query board", 1),
    ("d", 1),
    ("eval", 1),
    ("ucinewgame", 2),
    ("setoption name Hash value 2", 1),
    ("setoption name Hash value 1", 1),
    ("setoption name Clear Hash", 1),
    ("setoption name Threads value 2", 1),
    ("setoption name Threads value 1", 2),
    ("setoption name MultiPV value 3", 1),
    ("setoption name MultiPV value 1", 1),
    ("setoption name UCI_Variant value gridlock", 1),
    ("setoption name UCI_Variant value magnetic-cave", 2),
    ("setoption name Personality value plain", 1),
    ("setoption name Personality value mobility", 1),
    ("setoption name Mate Scores value true", 1),
    ("debug on", 1),
    ("setoption name Personality value lodestone", 2),
    ("nonsense", 1),
];

/// Numbers of requests, or of their answers.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    searches: usize,
    pings: usize,
}

/// Sends `length` random commands and reads all replies: each `go` gets a `bestmove` or an
/// error, each `isready` a `readyok`.
fn run_dialogue(arguments: &[&str], seed: u64, length: usize) {
    let mut random = Random::new(seed);
    let weights: Vec<&str> = COMMANDS
        .iter()
        .flat_map(|&(command, weight)| std::iter::repeat_n(command, weight))
        .collect();
    let mut client = Client::start_with(arguments);
    let mut asked = Counts::default();
    let mut sent = Vec::new();
    let mut text = String::new();
    for _ in 0..length {
        let &command = random.choose(&weights).unwrap();
        asked.searches += usize::from(command.starts_with("go"));
        asked.pings += usize::from(command == "isready");
        sent.push(command);
        text += command;
        text.push('\n');
        // Often several lines in one write; otherwise a random pause.
        if random.below(3) == 0 {
            client.send(std::mem::take(&mut text));
            std::thread::sleep(Duration::from_micros(random.below(3000)));
        }
    }
    client.send(text + "stop\nquery gameover\nsetoption name Nonsense\n");
    let end = "info string error: there is no option `Nonsense`";
    let replies = client.until(end);
    let count = |start: &str| replies.iter().filter(|line| line.starts_with(start)).count();
    let refused = count("info string error: a search is running");
    let answered = Counts {
        searches: count("bestmove ") + refused,
        pings: count("readyok"),
    };
    assert_eq!(answered, asked, "seed {seed}: {sent:?}\n{replies:#?}");
    if arguments.is_empty() {
        assert_three_threads(&client);
    }
    client.send("quit\n");
    assert!(client.ends_with_status_0(), "seed {seed}");
}

/// Asserts that three threads are left: session, deadline timer and worker. Stopped
/// searches may take a moment to end.
fn assert_three_threads(client: &Client) {
    let folder = format!("/proc/{}/task", client.id());
    let Ok(_) = std::fs::read_dir(&folder) else {
        return; // Not Linux.
    };
    let threads = || std::fs::read_dir(&folder).map_or(0, Iterator::count);
    let deadline = Instant::now() + Duration::from_secs(20);
    while threads() != 3 {
        assert!(Instant::now() < deadline, "{} threads", threads());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn each_go_is_answered_once_in_a_single_thread() {
    for seed in 1..=6 {
        run_dialogue(&["--single-thread"], seed, 400);
    }
}

#[test]
#[ignore = "slow: the environment variable SEEDS sets the number of dialogues"]
fn each_go_is_answered_once_in_many_dialogues() {
    let seeds = std::env::var("SEEDS").map_or(500, |text| text.parse().unwrap());
    for seed in 1000..1000 + seeds {
        run_dialogue(&[], seed, 1000);
    }
}

/// A search, and a command sent at about the time when the search ends. Without a command,
/// the end of the search and its deadline meet.
const RACES: &[(&str, &str)] = &[
    ("go movetime 1\n", ""),
    ("go movetime 2\n", ""),
    ("go movetime 2\n", "stop\n"),
    ("go nodes 300\n", ""),
    ("go nodes 300\n", "stop\n"),
    ("go ponder nodes 300\n", "ponderhit\n"),
    ("go ponder movetime 1\n", "ponderhit\n"),
    ("go ponder nodes 300\n", "stop\n"),
];

fn bestmove_count(replies: &[String]) -> usize {
    replies
        .iter()
        .filter(|line| line.starts_with("bestmove "))
        .count()
}

#[test]
fn input_may_end_at_any_time() {
    let mut random = Random::new(5);
    for round in 0..60 {
        let mut client = Client::start();
        let &(command, _) = random.choose(&COMMANDS[..12]).unwrap();
        client.send(format!("{command}\n"));
        std::thread::sleep(Duration::from_micros(random.below(4000)));
        if round % 2 == 0 {
            client.send("quit\n");
        } else {
            client.close();
        }
        let replies = client.until("bestmove ");
        assert!(
            replies.iter().all(|line| !line.contains("error")),
            "{command}: {replies:?}"
        );
        assert!(client.ends_with_status_0(), "{command}");
    }
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn each_go_is_answered_once_in_random_dialogues() {
        for seed in 1..=12 {
            run_dialogue(&[], seed, 400);
        }
    }

    #[test]
    #[ignore = "slow: .ci/run"]
    fn thousands_of_stopped_searches_leave_no_thread() {
        let mut client = Client::start();
        for _ in 0..3000 {
            client.send("go infinite\nstop\n");
        }
        client.send("isready\n");
        let replies = client.until("readyok");
        assert_eq!(bestmove_count(&replies), 3000);
        assert_three_threads(&client);
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn search_is_answered_once_when_its_end_meets_a_command() {
        let mut random = Random::new(6);
        let mut client = Client::start();
        for _ in 0..4000 {
            let &(go, then) = random.choose(RACES).unwrap();
            client.send(go);
            std::thread::sleep(Duration::from_micros(random.below(2000)));
            client.send(then);
            let mut replies = client.until("bestmove ");
            // Either read all replies now, or send the next `go` at once; a second answer would
            // show up later.
            if random.below(2) == 0 {
                client.send("isready\n");
                replies.extend(client.until("readyok"));
            }
            assert_eq!(bestmove_count(&replies), 1, "{go}{then}{replies:?}");
            assert!(!replies.iter().any(|line| line.contains("error")), "{replies:?}");
        }
        client.send("isready\n");
        assert_eq!(bestmove_count(&client.until("readyok")), 0);
        assert_three_threads(&client);
    }
}
