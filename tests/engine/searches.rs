//! The engine searches as before, move for move. A change that should not alter the search fails here if it does; one
//! that should renews the games.

use std::fmt::Write as _;

use lodestone_game::gridlock::Gridlock;
use lodestone_game::random::Random;
use lodestone_game::{Game, Setup};
use sentences::{expect, expect_file};

use crate::client::{Client, answers, answers_with, field};

/// Games: the start (for Gridlock the pieces of a side, the turns, and a seed), and for each player the nodes a move
/// and the options. They reach the solvers, the proofs and the swindles of both games.
const GAMES: &str = "\
    start | 3000 | 5000
    start | 1 Personality=groups | 4000 Contempt=0 Mate_Scores=true
    start | 4000 MultiPV=2 | 1 Personality=squares
    start | 2000 Personality=plain | 1000
    9 20 1 | 3000 | 5000
    9 30 2 | 1 Personality=mobility | 4000 Contempt=0 Mate_Scores=true
    9 20 3 | 4000 MultiPV=2 | 2000 Personality=plain
    9 20 4 | 1 Personality=random Seed=7 | 1000
    20 20 5 | 10000 | 20000
    22 20 6 | 10000 | 20000 Personality=mobility
    18 12 7 | 10000 | 20000
    3 30 8 | 10000 | 20000
    2 40 9 | 10000 | 20000
    14 20 10 | 10000 Personality=mobility | 20000
    11 20 11 | 10000 Personality=mobility | 20000
    12 20 12 | 20000 | 20000 Personality=mobility
    10 10 13 | 20000 | 20000 Personality=plain
    10 10 14 | 20000 | 20000 Personality=mobility
";

/// An engine with the options of a player, and the command that searches its nodes.
fn player(variant: &str, options: &str) -> (Client, String) {
    let mut words = options.split(' ');
    let search = format!("go nodes {}\n", words.next().unwrap());
    let mut engine = Client::start();
    engine.send(format!(
        "setoption name UCI_Variant value {variant}\nsetoption name Hash value 1\n"
    ));
    for (name, value) in words.map(|option| option.split_once('=').unwrap()) {
        engine.send(format!(
            "setoption name {} value {value}\n",
            name.replace('_', " ")
        ));
    }
    (engine, search)
}

/// A row of [`GAMES`] and its moves, each with the depth, the selective depth, the score and the nodes of the last `info`
/// line before it.
fn game(row: &str) -> String {
    let cells: Vec<&str> = row.split(" | ").collect();
    let (variant, start) = match cells[0].split(' ').collect::<Vec<_>>()[..] {
        [pieces, turns, seed] => {
            let setup = Setup {
                pieces: pieces.parse().unwrap(),
                turns: turns.parse().unwrap(),
            };
            let start = Gridlock::random_start(setup, &mut Random::new(seed.parse().unwrap()));
            ("gridlock", format!("fen {}", start.fen()))
        }
        _ => ("magnetic-cave", "startpos".to_string()),
    };
    let mut players = [cells[1], cells[2]].map(|options| player(variant, options));
    let mut shown = row.to_string();
    let mut position = format!("position {start} moves");
    for ply in 0.. {
        let (engine, search) = &mut players[ply % 2];
        engine.send(format!("{position}\n{search}"));
        let lines = engine.until("bestmove");
        let best = lines.last().unwrap().split(' ').nth(1).unwrap();
        if best == "0000" {
            break;
        }
        let separator = if ply % 6 == 0 { '\n' } else { ' ' };
        write!(shown, "{separator}{best}").unwrap();
        write!(position, " {best}").unwrap();
        if let Some((line, score)) = lines
            .iter()
            .rev()
            .find_map(|line| Some((line, line.split_once(" score ")?.1)))
        {
            let [depth, seldepth, nodes] =
                ["depth", "seldepth", "nodes"].map(|name| field(line, name).unwrap());
            let score = score.split_once(" nodes ").unwrap().0.replace(' ', "");
            write!(shown, ":{depth}/{seldepth},{score},{nodes}").unwrap();
        }
    }
    shown + "\n\n"
}

#[test]
fn every_move_of_these_games_is_as_before() {
    let games: String = GAMES.lines().map(|row| game(row.trim())).collect();
    expect_file!["searches.txt"].assert_eq(&games);
}

/// The node count, by which two builds are compared, is that of before, as a command and as an argument.
#[test]
fn bench_prints_its_figures_last_and_is_deterministic() {
    let nodes = |replies: Vec<String>| {
        let [.., time, nodes, speed] = &replies[..] else {
            panic!("{replies:?}")
        };
        assert!(time.starts_with("Total time (ms): "), "{time}");
        assert!(speed.starts_with("Nodes/second"), "{speed}");
        nodes.clone()
    };
    let from_protocol = nodes(answers("bench\nquit\n"));
    assert_eq!(from_protocol, nodes(answers_with(&["bench"], "")));
    expect!["Nodes searched: 172177"].assert_eq(&from_protocol);
}
