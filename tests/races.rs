//! Commands at any moment: a random client says whatever it likes, when it likes,
//! and each `go` is answered once.

mod client;

use std::time::{Duration, Instant};

use client::Client;
use lodestone::random::Random;

/// What a client may say, and how often compared with the others.
const SAYINGS: &[(&str, usize)] = &[
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
    ("stop", 8),
    ("isready", 3),
    ("position startpos", 2),
    ("position startpos moves a8 h8", 2),
    ("position fen x7/8/8/8/8/8/8/8 x", 1),
    ("query result", 1),
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
    ("setoption name Personality value lodestone", 2),
    ("nonsense", 1),
];

/// What was asked and what came back.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    searches: usize,
    questions: usize,
}

/// Says `count` things and reads to the end: each `go` has its answer or its
/// error, each `isready` its `readyok`, and in the order of what was asked.
fn talk(seed: u64, count: usize) {
    let mut random = Random::new(seed);
    let weights: Vec<&str> = SAYINGS
        .iter()
        .flat_map(|&(saying, weight)| std::iter::repeat_n(saying, weight))
        .collect();
    let mut client = Client::start();
    let mut asked = Counts::default();
    let mut said = Vec::new();
    let mut text = String::new();
    for _ in 0..count {
        let &saying = random.choose(&weights).unwrap();
        asked.searches += usize::from(saying.starts_with("go"));
        asked.questions += usize::from(saying == "isready");
        said.push(saying);
        text += saying;
        text.push('\n');
        // Often several lines in one write, else a moment of any length.
        if random.below(3) == 0 {
            client.send(std::mem::take(&mut text));
            std::thread::sleep(Duration::from_micros(random.below(3000)));
        }
    }
    client.send(text + "stop\nquery gameover\nsetoption name Nonsense\n");
    let end = "info string error: there is no option `Nonsense`";
    let heard = client.until(end);
    let starting = |start: &str| heard.iter().filter(|line| line.starts_with(start)).count();
    let refused = starting("info string error: a search is running");
    let answered = Counts {
        searches: starting("bestmove ") + refused,
        questions: starting("readyok"),
    };
    assert_eq!(answered, asked, "seed {seed}: {said:?}\n{heard:#?}");
    assert_only_three_threads_are_left(&client);
    client.send("quit\n");
    assert!(client.ends_with_status_0(), "seed {seed}");
}

/// The session, the watch and the worker. Searches that were stopped may
/// take a moment to notice it.
fn assert_only_three_threads_are_left(client: &Client) {
    let folder = format!("/proc/{}/task", client.id());
    let Ok(_) = std::fs::read_dir(&folder) else {
        return; // Not Linux.
    };
    let threads = || std::fs::read_dir(&folder).map_or(0, Iterator::count);
    let patience = Instant::now() + Duration::from_secs(20);
    while threads() != 3 {
        assert!(Instant::now() < patience, "{} threads", threads());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn whatever_is_said_when_each_go_is_answered_once() {
    for seed in 1..=12 {
        talk(seed, 400);
    }
}

#[test]
#[ignore = "long: as many random conversations as SEEDS says"]
fn whatever_is_said_when_for_long() {
    let seeds = std::env::var("SEEDS").map_or(500, |text| text.parse().unwrap());
    for seed in 1000..1000 + seeds {
        talk(seed, 1000);
    }
}

#[test]
fn thousands_of_searches_are_stopped_and_leave_no_thread() {
    let mut client = Client::start();
    for _ in 0..3000 {
        client.send("go infinite\nstop\n");
    }
    client.send("isready\n");
    let heard = client.until("readyok");
    assert_eq!(answers_among(&heard), 3000);
    assert_only_three_threads_are_left(&client);
}

/// What is asked, and what is said at about the moment at which the search ends; where
/// nothing is said it ends just as its time does, or alone.
const MEETINGS: &[(&str, &str)] = &[
    ("go movetime 1\n", ""),
    ("go movetime 2\n", ""),
    ("go movetime 2\n", "stop\n"),
    ("go nodes 300\n", ""),
    ("go nodes 300\n", "stop\n"),
    ("go ponder nodes 300\n", "ponderhit\n"),
    ("go ponder movetime 1\n", "ponderhit\n"),
    ("go ponder nodes 300\n", "stop\n"),
];

#[test]
fn a_search_is_answered_once_when_its_end_and_the_client_meet() {
    let mut random = Random::new(6);
    let mut client = Client::start();
    for _ in 0..4000 {
        let &(go, then) = random.choose(MEETINGS).unwrap();
        client.send(go);
        std::thread::sleep(Duration::from_micros(random.below(2000)));
        client.send(then);
        let mut heard = client.until("bestmove ");
        // The next `go` is welcome at once; a second answer shows now or later.
        if random.below(2) == 0 {
            client.send("isready\n");
            heard.extend(client.until("readyok"));
        }
        assert_eq!(answers_among(&heard), 1, "{go}{then}{heard:?}");
        assert!(!heard.iter().any(|line| line.contains("error")), "{heard:?}");
    }
    client.send("isready\n");
    assert_eq!(answers_among(&client.until("readyok")), 0);
    assert_only_three_threads_are_left(&client);
}

fn answers_among(heard: &[String]) -> usize {
    heard.iter().filter(|line| line.starts_with("bestmove ")).count()
}

#[test]
fn the_input_may_end_at_any_moment() {
    let mut random = Random::new(5);
    for round in 0..60 {
        let mut client = Client::start();
        let &(saying, _) = random.choose(&SAYINGS[..12]).unwrap();
        client.send(format!("{saying}\n"));
        std::thread::sleep(Duration::from_micros(random.below(4000)));
        if round % 2 == 0 {
            client.send("quit\n");
        } else {
            client.close();
        }
        let heard = client.until("bestmove ");
        assert!(
            heard.iter().all(|line| !line.contains("error")),
            "{saying}: {heard:?}"
        );
        assert!(client.ends_with_status_0(), "{saying}");
    }
}
