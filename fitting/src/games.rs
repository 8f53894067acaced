//! Plays the games that samples come from.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use lodestone::board::{Move, Side};
use lodestone::game::magnetic_cave::MagneticCave;
use lodestone::game::{Evaluate, Forced, Game, GameResult};
use lodestone::personality::{self, DEFAULT, Ingredients};
use lodestone::random::Random;
use lodestone::score::{Score, win_in};
use lodestone::search::{Bounds, LastReport, Task, Thinker};

use crate::sample::Sample;

/// How deep the opponents look, in plies: as the course projects do.
const OPPONENT_DEPTH: u32 = 4;

/// With so many empty cells or fewer, the rest of a game between equals is
/// searched to its end for its result.
const EXACT_FROM: u32 = 20;

/// At most so many positions for that.
const EXACT_NODES: u64 = 300_000;

#[derive(Args)]
pub struct Play {
    /// How many games are played.
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// What the openings are drawn from; a game depends on this and its number.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Positions that lodestone searches for each move.
    #[arg(long, default_value_t = 2000)]
    nodes: u64,
    /// Lodestone's opponents, in turn; itself is an equal.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "lodestone,lodestone,groups,squares,plain"
    )]
    against: Vec<String>,
    /// How many games are played at once.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// The file that samples are written to.
    #[arg(long)]
    out: PathBuf,
}

/// Plays all games. Their samples are written as they end: with more than one
/// thread in another order each time.
pub fn run(play: &Play) -> Result<(), String> {
    for name in &play.against {
        player(name)?;
    }
    let failed = |error: io::Error| format!("{}: {error}", play.out.display());
    let out = Mutex::new(BufWriter::new(File::create(&play.out).map_err(failed)?));
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let worker = || -> Result<(), String> {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= play.games {
                    return Ok(());
                }
                let samples = OneGame::new(play, number)?.play();
                let mut out = out.lock().map_err(|_| "another game failed")?;
                for sample in samples {
                    writeln!(out, "{sample}").map_err(failed)?;
                }
            }
        };
        let workers: Vec<_> = (0..play.threads.max(1)).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "a game failed".to_string())?)
    })?;
    let mut out = out.into_inner().map_err(|_| "a game failed")?;
    out.flush().map_err(failed)
}

fn player(name: &str) -> Result<Box<dyn Thinker<MagneticCave>>, String> {
    let ingredients = Ingredients { hash: 1, seed: 1 };
    personality::thinker::<MagneticCave>(name, ingredients)
        .map_err(|error| error.to_string())?
        .ok_or_else(|| format!("there is no player `{name}`"))
}

/// One game.
struct OneGame {
    random: Random,
    lodestone: Box<dyn Thinker<MagneticCave>>,
    /// The other player and lodestone's side, unless lodestone plays itself.
    weaker: Option<(Box<dyn Thinker<MagneticCave>>, Side)>,
    nodes: u64,
}

impl OneGame {
    fn new(play: &Play, number: u64) -> Result<OneGame, String> {
        let mut random = Random::part(play.seed, number);
        let opponent = &play.against[(number % play.against.len() as u64) as usize];
        let weaker = if opponent == DEFAULT {
            None
        } else {
            // The second player has the harder task, and more to learn.
            let side = if random.below(3) == 0 {
                Side::First
            } else {
                Side::Second
            };
            Some((player(opponent)?, side))
        };
        Ok(OneGame {
            random,
            lodestone: player(DEFAULT)?,
            weaker,
            nodes: play.nodes,
        })
    }

    /// Plays the game; gives the positions in which nothing was forced, from the
    /// last random move on.
    fn play(mut self) -> Vec<Sample> {
        let most = if self.weaker.is_some() { 5 } else { 13 };
        let opening = 2 + self.random.below(most);
        let stray = (self.random.below(3) == 0).then(|| 8 + self.random.below(32));
        let mut samples = Vec::new();
        let mut exact = None;
        let mut position = MagneticCave::startpos();
        for ply in 0.. {
            if let Some(outcome) = position.outcome() {
                give_points(&mut samples, exact, points(outcome.result));
                break;
            }
            if ply < opening || Some(ply) == stray {
                samples.clear();
                exact = None;
                let moves = position.legal_moves();
                position = position.play(*self.random.choose(&moves).unwrap_or(&moves[0]));
                continue;
            }
            if exact.is_none() && self.weaker.is_none() && position.plies_left() <= EXACT_FROM {
                exact = self.result(&position).map(|points| (samples.len(), points));
            }
            let (one, value) = self.choose(&position);
            if position.forced(&position.glance()) == Forced::Nothing {
                samples.push(Sample {
                    position,
                    points: 0.0,
                    thinker: self.weaker.as_ref().map(|(_, side)| *side),
                    value,
                });
            }
            position = position.play(one);
        }
        samples
    }

    /// The move that is played, and what lodestone thinks of the position if it
    /// is its move.
    fn choose(&mut self, position: &MagneticCave) -> (Move, Option<i16>) {
        let mover = position.side_to_move();
        match &mut self.weaker {
            Some((weaker, side)) if *side != mover => {
                let bounds = Bounds {
                    depth: Some(OPPONENT_DEPTH),
                    ..Bounds::default()
                };
                (think(weaker.as_mut(), position, bounds).0, None)
            }
            _ => {
                let bounds = Bounds {
                    nodes: Some(self.nodes),
                    ..Bounds::default()
                };
                let (one, score) = think(self.lodestone.as_mut(), position, bounds);
                (one, score.map(value_of))
            }
        }
    }

    /// What the first player gets from a position in which both play perfectly,
    /// if that can be found out.
    fn result(&mut self, position: &MagneticCave) -> Option<f32> {
        let bounds = Bounds {
            nodes: Some(EXACT_NODES),
            ..Bounds::default()
        };
        let (_, score) = think(self.lodestone.as_mut(), position, bounds);
        let for_mover = match score? {
            Score::Win(_) => 1.0,
            Score::Draw => 0.5,
            Score::Loss(_) => 0.0,
            Score::Judged(_) => return None,
        };
        Some(match position.side_to_move() {
            Side::First => for_mover,
            Side::Second => 1.0 - for_mover,
        })
    }
}

/// Positions before an exact result have that, those behind it the result of
/// the game.
fn give_points(samples: &mut [Sample], exact: Option<(usize, f32)>, points: f32) {
    let (before, exact) = exact.unwrap_or((0, points));
    for (index, sample) in samples.iter_mut().enumerate() {
        sample.points = if index < before { exact } else { points };
    }
}

fn points(result: GameResult) -> f32 {
    match result {
        GameResult::Win(Side::First) => 1.0,
        GameResult::Draw => 0.5,
        GameResult::Win(Side::Second) => 0.0,
    }
}

fn value_of(score: Score) -> i16 {
    (match score {
        Score::Judged(value) => value,
        Score::Win(plies) => win_in(plies),
        Score::Loss(plies) => -win_in(plies),
        Score::Draw => 0,
    }) as i16
}

fn think(
    thinker: &mut dyn Thinker<MagneticCave>,
    position: &MagneticCave,
    bounds: Bounds,
) -> (Move, Option<Score>) {
    let observer = LastReport::default();
    let task = Task {
        bounds,
        ..Task::new(position.legal_moves(), &observer)
    };
    let one = thinker.think(position, &task);
    (one, observer.into_inner().map(|progress| progress.score))
}
