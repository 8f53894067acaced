//! Plays games and writes samples of their positions.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use lodestone::game::{Evaluate, Forced, Yardstick};
use lodestone::personality::{self, SearcherSettings};
use lodestone::search::{LastReport, RootStrategy, SearchLimits, SearchOptions, Searcher, Task};
use lodestone_game::board::{Move, Side};
use lodestone_game::players::DEFAULT;
use lodestone_game::random::Random;
use lodestone_game::score::{Score, win_in};
use lodestone_game::{Game, Variant};

use referee::ProgressTask;
use referee_core::io::interrupt::Interrupt;
use referee_core::schedule::Shard;

use crate::ending::Ending;
use crate::pipeline::Pipeline;
use crate::prover::Prover;
use crate::sample::{Sample, points};

/// Search depth of the opponents, in plies; that of the reference players.
const OPPONENT_DEPTH: u32 = 4;

/// Lodestone's contempt against weaker opponents, in percent.
const CONTEMPT: u8 = 70;

/// Size of lodestone's transposition table, in megabytes.
const HASH: usize = 16;

/// With `--exact`, games end with this number of empty cells, one at random.
const EXACT_EMPTY: RangeInclusive<u32> = 27..=30;

/// Random moves begin in a position with at most this many empty cells ...
const DEVIATION_EMPTY: u32 = 40;

/// ... this many times a game. The positions with at most one of these numbers of empty cells
/// are solved, ...
const DEVIATIONS: u32 = 3;
const SOLVED_EMPTY: RangeInclusive<u32> = 20..=28;

/// ... this many at most. Between random moves, lodestone plays with this node limit.
const SOLVED_POSITIONS: usize = 4;
const WEAK_NODES: u64 = 60;

#[derive(Args)]
pub struct Play {
    /// The game
    #[arg(long, default_value_t, value_parser = crate::pipeline::variant())]
    pub variant: Variant,
    /// Number of games
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Number of games to leave out at the start, as those of an interrupted command
    #[arg(long, default_value_t = 0)]
    skip: u64,
    /// Play only shard K of N of the games, K from 0 to N−1; the files of all parts, one behind the
    /// other, are the file of all games
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Seed of the random openings; a game depends only on this and its number
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Node limit of lodestone, per move
    #[arg(long, default_value_t = 2000)]
    nodes: u64,
    /// Lodestone's opponents, in turn; `lodestone` is a game between equals. By default,
    /// lodestone,lodestone,groups,squares,plain in Magnetic Cave, and lodestone in Gridlock
    #[arg(long, value_delimiter = ',')]
    against: Vec<String>,
    /// End each game between equals where a solver finds the exact result, with 27 to 30 empty
    /// cells, and add solved positions after random moves from its later positions (Magnetic
    /// Cave)
    #[arg(long, conflicts_with = "against")]
    exact: bool,
    /// Number of concurrent games
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Output file for the samples
    #[arg(long)]
    out: PathBuf,
}

impl Play {
    /// Lodestone's opponents.
    fn opponents<G: Pipeline>(&self) -> Vec<&str> {
        if self.exact {
            vec![DEFAULT]
        } else if self.against.is_empty() {
            G::OPPONENTS.to_vec()
        } else {
            self.against.iter().map(String::as_str).collect()
        }
    }

    /// The numbers of the games to play.
    fn range(&self) -> Range<u64> {
        let (index, count) = self.shard.map_or((0, 1), |shard| (shard.index(), shard.count()));
        let bound = |part: u64| (u128::from(self.games) * u128::from(part) / u128::from(count)) as u64;
        bound(index).max(self.skip)..bound(index + 1)
    }
}

/// Plays all games and writes their samples in order of the game numbers, so the same
/// command always makes the same file. After a signal, the file has the first games.
pub fn run<G: Pipeline>(play: &Play, interrupt: &Interrupt) -> Result<Ending, String> {
    if play.exact && G::INFO.name != Variant::MagneticCave.name() {
        return Err("--exact: only Magnetic Cave has the solver for it".to_string());
    }
    let opponents = play.opponents::<G>();
    for name in &opponents {
        player::<G>(name)?;
    }
    let failed = |error: io::Error| format!("{}: {error}", play.out.display());
    let Range { start, end } = play.range();
    let out = Mutex::new(InOrder::new(File::create(&play.out).map_err(failed)?, start));
    let next = AtomicU64::new(start);
    let task = ProgressTask::start("games", start, end);
    std::thread::scope(|scope| {
        let worker = || -> Result<(), String> {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end || interrupt.is_stopped() {
                    return Ok(());
                }
                let game = OneGame::<G>::new(play, &opponents, number)?;
                let samples = if play.exact {
                    let prover = Prover::new().map_err(|error| error.to_string())?;
                    game.play_exact(prover)
                } else {
                    game.play()
                };
                let mut out = out.lock().map_err(|_| "another game failed")?;
                out.write(number, samples).map_err(failed)?;
                task.set(out.next);
            }
        };
        let workers: Vec<_> = (0..play.threads.max(1)).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "a game failed".to_string())?)
    })?;
    drop(task);
    let mut out = out.into_inner().map_err(|_| "a game failed")?;
    out.file.flush().map_err(failed)?;
    let done = out.next;
    Ok(match interrupt.caught() {
        Some(signal) if done < end => {
            let (games, file) = (end, play.out.display());
            let saved = format!(
                "{done} of {games} games are in {file}; the same command with `--skip {done}` and another `--out` \
                 plays the others"
            );
            Ending::Interrupted(signal, saved)
        }
        _ => Ending::Complete,
    })
}

/// Writes the samples of concurrent games in order; holds back those that are early.
struct InOrder<G> {
    file: BufWriter<File>,
    next: u64,
    waiting: BTreeMap<u64, Vec<Sample<G>>>,
}

impl<G: Game> InOrder<G> {
    /// Waits for the game with the number `next` first.
    fn new(file: File, next: u64) -> InOrder<G> {
        InOrder {
            file: BufWriter::new(file),
            next,
            waiting: BTreeMap::new(),
        }
    }

    fn write(&mut self, number: u64, samples: Vec<Sample<G>>) -> io::Result<()> {
        self.waiting.insert(number, samples);
        while let Some(samples) = self.waiting.remove(&self.next) {
            for sample in samples {
                writeln!(self.file, "{sample}")?;
            }
            self.next += 1;
        }
        Ok(())
    }
}

/// The player with this name.
fn player<G: RootStrategy + Yardstick>(name: &str) -> Result<Box<dyn Searcher<G>>, String> {
    let settings = SearcherSettings { hash: HASH, seed: 1 };
    personality::make_searcher::<G>(name, settings)
        .map_err(|error| error.to_string())?
        .ok_or_else(|| format!("there is no player `{name}`"))
}

/// One game, with its players.
struct OneGame<G> {
    random: Random,
    lodestone: Box<dyn Searcher<G>>,
    /// The weaker opponent and lodestone's side; `None` if lodestone plays itself.
    weaker: Option<(Box<dyn Searcher<G>>, Side)>,
    nodes: u64,
}

impl<G: Pipeline> OneGame<G> {
    fn new(play: &Play, opponents: &[&str], number: u64) -> Result<OneGame<G>, String> {
        let mut random = Random::substream(play.seed, number);
        let opponent = opponents[(number % opponents.len() as u64) as usize];
        let weaker = if opponent == DEFAULT {
            None
        } else {
            // Two of three games as the second player, the more difficult side.
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

    /// Plays the game. Returns the positions after the last random move in which nothing
    /// was forced.
    fn play(mut self) -> Vec<Sample<G>> {
        let mut position = G::first_position(&mut self.random);
        let opening = G::opening_plies(self.weaker.is_some(), &mut self.random);
        // In a third of the games, one more random move later.
        let random_ply = (self.random.below(3) == 0).then(|| 8 + self.random.below(32));
        let mut samples: Vec<Sample<G>> = Vec::new();
        for ply in 0.. {
            if let Some(outcome) = position.outcome() {
                let points = points(outcome.result);
                for sample in &mut samples {
                    sample.points = points;
                }
                break;
            }
            if ply < opening || Some(ply) == random_ply {
                samples.clear();
                let moves = position.legal_moves();
                position = position.play(*self.random.choose(&moves).unwrap_or(&moves[0]));
                continue;
            }
            let (mv, value) = self.choose(&position);
            if is_unforced(&position) && position.keeps_sample(&mut self.random) {
                samples.push(Sample {
                    position,
                    points: 0.0,
                    stronger: self.weaker.as_ref().map(|(_, side)| *side),
                    value,
                });
            }
            position = position.play(mv);
        }
        samples
    }

    /// Plays the game until the solver finds its result. Returns its unforced positions after the
    /// random moves, and solved positions that random moves lead to.
    fn play_exact(mut self, mut prover: Prover) -> Vec<Sample<G>> {
        let mut position = G::first_position(&mut self.random);
        let opening = G::opening_plies(false, &mut self.random);
        let end = self.number_in(EXACT_EMPTY);
        let mut samples = Vec::new();
        for ply in 0.. {
            if position.outcome().is_some() || position.plies_left() <= end {
                break;
            }
            if ply < opening {
                let moves = position.legal_moves();
                position = position.play(*self.random.choose(&moves).unwrap_or(&moves[0]));
                continue;
            }
            let (mv, value) = self.choose(&position);
            if is_unforced(&position) {
                samples.push(sample(position, value));
            }
            position = position.play(mv);
        }
        let Some(points) = prover.points(&position) else {
            return Vec::new();
        };
        for sample in &mut samples {
            sample.points = points;
        }
        let late = |sample: &&Sample<G>| sample.position.plies_left() <= DEVIATION_EMPTY;
        let starts: Vec<G> = samples
            .iter()
            .filter(late)
            .map(|sample| sample.position)
            .collect();
        if !starts.is_empty() {
            for _ in 0..DEVIATIONS {
                let start = *self.random.choose(&starts).unwrap_or(&starts[0]);
                self.deviate(start, &mut prover, &mut samples);
            }
        }
        samples
    }

    /// A random number in a range.
    fn number_in(&mut self, range: RangeInclusive<u32>) -> u32 {
        let count = range.end() - range.start() + 1;
        range.start() + self.random.below(count.into()) as u32
    }

    /// Plays on with random and weak moves. Adds the first positions that the solver can solve
    /// fast.
    fn deviate(&mut self, mut position: G, prover: &mut Prover, samples: &mut Vec<Sample<G>>) {
        let solved = self.number_in(SOLVED_EMPTY);
        let moves_per_random_move = 2 + self.random.below(5);
        let end = samples.len() + SOLVED_POSITIONS;
        while position.outcome().is_none() && samples.len() < end {
            let info = position.node_info();
            let forced = position.forced(&info);
            if forced == Forced::Nothing && position.plies_left() <= solved {
                let Some(points) = prover.points(&position) else {
                    return;
                };
                samples.push(Sample {
                    points,
                    ..sample(position, None)
                });
            }
            let candidates = position.candidates(&info);
            let random_move = match forced {
                Forced::Win(mv) | Forced::Only(mv) | Forced::Loss(mv) => Some(mv),
                Forced::Nothing if self.random.below(moves_per_random_move) == 0 => {
                    self.random.choose(&candidates).copied()
                }
                Forced::Nothing => None,
            };
            let mv = random_move.unwrap_or_else(|| {
                let limits = SearchLimits {
                    nodes: Some(WEAK_NODES),
                    ..SearchLimits::default()
                };
                search(self.lodestone.as_mut(), &position, limits, 0).0
            });
            position = position.play(mv);
        }
    }

    /// The move to play, and its value if lodestone is to move.
    fn choose(&mut self, position: &G) -> (Move, Option<i16>) {
        let mover = position.side_to_move();
        match &mut self.weaker {
            Some((weaker, side)) if *side != mover => {
                let limits = SearchLimits {
                    depth: Some(OPPONENT_DEPTH),
                    ..SearchLimits::default()
                };
                (search(weaker.as_mut(), position, limits, 0).0, None)
            }
            _ => {
                let limits = SearchLimits {
                    nodes: Some(position.node_limit(self.nodes)),
                    ..SearchLimits::default()
                };
                let contempt = if self.weaker.is_some() { CONTEMPT } else { 0 };
                let (mv, score) = search(self.lodestone.as_mut(), position, limits, contempt);
                (mv, score.map(value_of))
            }
        }
    }
}

fn is_unforced<G: Evaluate>(position: &G) -> bool {
    position.forced(&position.node_info()) == Forced::Nothing
}

/// A sample of a game between equals. Its result is not known yet.
fn sample<G>(position: G, value: Option<i16>) -> Sample<G> {
    Sample {
        position,
        points: 0.0,
        stronger: None,
        value,
    }
}

fn value_of(score: Score) -> i16 {
    (match score {
        Score::Cp(value) => value,
        Score::Win(plies) => win_in(plies),
        Score::Loss(plies) => -win_in(plies),
        Score::Draw => 0,
    }) as i16
}

fn search<G: Game>(
    searcher: &mut dyn Searcher<G>,
    position: &G,
    limits: SearchLimits,
    contempt: u8,
) -> (Move, Option<Score>) {
    let observer = LastReport::default();
    let task = Task {
        limits,
        options: SearchOptions {
            contempt,
            ..SearchOptions::default()
        },
        ..Task::new(position.legal_moves(), &observer)
    };
    let mv = searcher.search(position, &task);
    (mv, observer.into_inner().map(|progress| progress.score))
}

#[cfg(test)]
mod tests {
    use lodestone_game::GameResult;
    use lodestone_game::magnetic_cave::MagneticCave;

    use super::*;

    /// Points in units of half a point.
    fn halves(points: f32) -> usize {
        (2.0 * points) as usize
    }

    /// The half points of the first player, by a search that proves them.
    fn searched_halves(searcher: &mut dyn Searcher<MagneticCave>, position: &MagneticCave) -> usize {
        let limits = SearchLimits {
            nodes: Some(3_000_000),
            ..SearchLimits::default()
        };
        let mover = position.side_to_move();
        let result = match search(searcher, position, limits, 0).1 {
            Some(Score::Win(_)) => GameResult::Win(mover),
            Some(Score::Loss(_)) => GameResult::Win(mover.opponent()),
            Some(Score::Draw) => GameResult::Draw,
            score => panic!("{}: {score:?} is no proof", position.fen()),
        };
        halves(points(result))
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn exact_samples_have_the_result_of_best_play() {
            let play = Play {
                variant: Variant::MagneticCave,
                games: 12,
                skip: 0,
                shard: None,
                seed: 5,
                nodes: 100,
                against: Vec::new(),
                exact: true,
                threads: 1,
                out: PathBuf::new(),
            };
            let mut searcher = player::<MagneticCave>(DEFAULT).unwrap();
            let mut counts = [0; 3];
            for number in 0..play.games {
                let game =
                    OneGame::<MagneticCave>::new(&play, &play.opponents::<MagneticCave>(), number).unwrap();
                let samples = game.play_exact(Prover::new().unwrap());
                let (played, solved): (Vec<_>, Vec<_>) =
                    samples.iter().partition(|sample| sample.value.is_some());
                for sample in &solved {
                    let expected = searched_halves(searcher.as_mut(), &sample.position);
                    assert_eq!(halves(sample.points), expected, "{sample}");
                    counts[expected] += 1;
                }
                assert!(
                    played
                        .windows(2)
                        .all(|pair| halves(pair[0].points) == halves(pair[1].points))
                );
                assert!(
                    played
                        .iter()
                        .all(|sample| sample.position.plies_left() > *EXACT_EMPTY.start())
                );
                assert!(
                    solved
                        .iter()
                        .all(|sample| sample.position.plies_left() <= *SOLVED_EMPTY.end())
                );
            }
            assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
        }
    }
}
