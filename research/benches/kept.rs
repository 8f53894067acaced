//! How many proven results the player `lodestone` keeps in Magnetic Cave: positions with 20
//! to 32 empty cells from games among good and weak players (`kept.txt`), each with its
//! proven value for the side to move.
//!
//! ```text
//! cargo bench -p lodestone-engine --bench kept
//! NODES=200000 cargo bench -p lodestone-engine --bench kept
//! GENERATE=1000 cargo bench -p lodestone-engine --bench kept > kept.txt
//! ```
//!
//! `TIME` sets the seconds a move, 0.1 by default. `NODES` sets a node limit instead, which
//! does not depend on the load of the machine. `EVERY` takes only each n-th position. Each move
//! is searched with one thread and an empty table of `HASH` megabytes, 16 by default, as after `isready`. The
//! positions whose value the move loses are printed. `GENERATE` makes the positions, from games
//! that begin with `SEED`, 24 by default. `POSITIONS` is a file to use in place of `kept.txt`.

use std::str::FromStr;
use std::time::{Duration, Instant};

use lodestone::personality::{self, SearcherSettings};
use lodestone::search::{LastReport, SearchLimits, SearchOptions, Searcher, Task};
use lodestone_game::Game;
use lodestone_game::board::Move;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::players;
use lodestone_game::random::Random;
use lodestone_game::score::Score;

/// Default time a move, in seconds.
const TIME: f64 = 0.1;

/// Default table size of the player, in megabytes.
const HASH: usize = 16;

/// Table size of the solver, in megabytes.
const SOLVER_HASH: usize = 256;

/// The empty cells of the positions.
const EMPTY: std::ops::RangeInclusive<u32> = 20..=32;

/// The players whose games give the positions, with node limits.
const PLAYERS: [(&str, Option<u64>); 7] = [
    (players::DEFAULT, Some(50_000)),
    (players::DEFAULT, Some(5_000)),
    (players::DEFAULT, Some(200)),
    ("plain", Some(20_000)),
    ("groups", None),
    ("squares", None),
    (players::RANDOM, None),
];

/// Out of this many moves of a game, about one is random.
const RANDOM_EVERY: u64 = 12;

/// Default seed of the games.
const SEED: u64 = 24;

type Player = Box<dyn Searcher<MagneticCave>>;

fn main() {
    if let Some(count) = number("GENERATE") {
        generate(count);
        return;
    }
    let nodes: Option<u64> = number("NODES");
    let time = Duration::from_secs_f64(number("TIME").unwrap_or(TIME));
    let hash = number("HASH").unwrap_or(HASH);
    let text = match std::env::var("POSITIONS") {
        Ok(path) => std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}")),
        Err(_) => include_str!("kept.txt").to_string(),
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let begin = Instant::now();
    let (mut count, mut kept, mut proven, mut searched) = (0, 0, 0, 0);
    let mut solver = player(players::DEFAULT, SOLVER_HASH);
    for line in lines.iter().step_by(number("EVERY").unwrap_or(1)) {
        let (value, fen) = line.split_once(": ").expect("a colon");
        let value: i32 = value.parse().expect("a value");
        let root = MagneticCave::from_fen(fen).expect("a FEN");
        let limits = match nodes {
            Some(nodes) => SearchLimits::nodes(nodes),
            None => SearchLimits::time(time),
        };
        let mut player = player(players::DEFAULT, hash);
        player.prepare();
        let (mv, score, nodes) = search(&mut player, &root, limits);
        count += 1;
        searched += nodes;
        proven += u32::from(score.is_proven());
        let after = if value < 0 {
            value
        } else {
            solver.new_game();
            -exact_value(&mut solver, &root.play(mv))
        };
        assert!(after <= value, "{fen}: {after} is better than {value}");
        if after == value {
            kept += 1;
        } else {
            let empty = root.plies_left();
            println!(
                "{empty}: {value} to {after} by {}: {fen}",
                MagneticCave::move_text(mv)
            );
        }
    }
    println!(
        "{kept} of {count} kept ({:.2} %), {proven} proven, {searched} nodes, {:.1} s",
        100.0 * f64::from(kept) / f64::from(count),
        begin.elapsed().as_secs_f64()
    );
}

/// An environment variable as a number; `None` if it is not set.
fn number<N: FromStr>(name: &str) -> Option<N> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
    )
}

fn player(name: &str, hash: usize) -> Player {
    let settings = SearcherSettings { hash, seed: SEED };
    let player = personality::make_searcher::<MagneticCave>(name, settings);
    player.expect("memory").expect("a player of this game")
}

/// The move, the last score and its nodes.
fn search(player: &mut Player, root: &MagneticCave, limits: SearchLimits) -> (Move, Score, u64) {
    let last = LastReport::default();
    let task = Task {
        limits,
        options: SearchOptions::default(),
        ..Task::new(root.legal_moves(), &last)
    };
    let mv = player.search(root, &task);
    let progress = last.into_inner();
    let (score, nodes) = progress.map_or((Score::Cp(0), 0), |progress| (progress.score, progress.nodes));
    (mv, score, nodes)
}

/// The exact value for the side to move: 1 for a win, 0 for a draw, −1 for a loss.
fn exact_value(solver: &mut Player, position: &MagneticCave) -> i32 {
    if let Some(outcome) = position.outcome() {
        return outcome.points_for(position.side_to_move());
    }
    match search(solver, position, SearchLimits::default()).1 {
        Score::Win(_) => 1,
        Score::Draw => 0,
        Score::Loss(_) => -1,
        score @ Score::Cp(_) => panic!("{}: {score} is not proven", position.fen()),
    }
}

/// Prints `count` positions with their values, one of each game that lasts long enough.
fn generate(count: usize) {
    println!("# Positions with their exact values for the side to move: research/benches/kept.rs.");
    let seed = number("SEED").unwrap_or(SEED);
    let mut players = PLAYERS.map(|(name, nodes)| (player(name, HASH), nodes));
    let mut solver = player(players::DEFAULT, SOLVER_HASH);
    let games = (0..).filter_map(|index| position_of_game(&mut players, &mut Random::substream(seed, index)));
    for position in games.take(count) {
        println!("{}: {}", exact_value(&mut solver, &position), position.fen());
    }
}

/// A position of a game between two players; `None` if the game ends before it.
fn position_of_game(players: &mut [(Player, Option<u64>); 7], random: &mut Random) -> Option<MagneticCave> {
    let mut choose = |bound: usize| random.below(bound as u64) as usize;
    let sides = [choose(PLAYERS.len()), choose(PLAYERS.len())];
    let empty = *EMPTY.start() + choose(EMPTY.count()) as u32;
    let opening = 2 + choose(7) as u32;
    for (player, _) in players.iter_mut() {
        player.new_game();
    }
    let mut position = MagneticCave::startpos();
    while position.plies_left() > empty {
        let is_opening = 64 - position.plies_left() < opening;
        let mv = if is_opening || random.below(RANDOM_EVERY) == 0 {
            *random.choose(&position.legal_moves())?
        } else {
            let (player, nodes) = &mut players[sides[position.side_to_move().index()]];
            let limits = nodes.map_or_else(SearchLimits::default, SearchLimits::nodes);
            search(player, &position, limits).0
        };
        position = position.play(mv);
        if position.outcome().is_some() {
            return None;
        }
    }
    Some(position)
}
