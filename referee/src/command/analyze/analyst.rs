//! An engine process that searches the positions of finished games.

use std::sync::Arc;
use std::time::Duration;

use lodestone::game::{AnyPosition, GameResult, Variant};
use lodestone::score::Score;

use super::values::{PositionValue, joined, shortened};
use crate::config::roster;
use crate::game::Game;
use crate::game::clock::Control;
use crate::io::failure::Failure;
use crate::io::interrupt::{Interrupt, Stop};
use crate::player::{Answer, Engine, EngineSpec, NoMove, Player, Turn};
use crate::results::{Analysis, EngineEntry, StoredGame};

/// How long to wait for an answer if the depth or the nodes limit the search. It bounds the
/// wait for a process that hangs.
const PATIENCE: Duration = Duration::from_mins(10);

/// The restarts of an engine in one game.
const RESTARTS: u32 = 1;

/// The engine and its limits.
#[derive(Clone, Debug)]
pub struct AnalystSpec {
    /// How to start the engine, for this game.
    pub engine: EngineSpec,
    /// The game that it plays.
    pub variant: Variant,
    /// The limits of each search.
    pub control: Control,
    /// The engine in the results.
    pub entry: EngineEntry,
}

/// An engine that analyses one game after the other.
pub struct Analyst {
    pub spec: AnalystSpec,
    pub engine: Engine,
}

impl Analyst {
    /// Starts the engine.
    pub fn start(spec: AnalystSpec, interrupt: &Arc<Interrupt>) -> Result<Analyst, Failure> {
        let engine = roster::start(&spec.engine, spec.variant, interrupt)?;
        Ok(Analyst { spec, engine })
    }

    /// Analyses a game from its end to its beginning; the engine may remember what
    /// follows. Calls `searched` after each position. `label` names the game in warnings.
    ///
    /// After a fault the engine is restarted once. The position of the fault, and all
    /// positions that are left after a second one, have no values. `None` if no position has.
    pub fn analyse(
        &mut self,
        game: &StoredGame,
        label: &str,
        searched: &dyn Fn(),
    ) -> Result<Option<Analysis>, Stop> {
        let mut replay = Game::replayed(&game.opening(), game.played());
        let moves = replay
            .moves()
            .get(game.opening_plies..)
            .unwrap_or_default()
            .to_vec();
        let mut positions = vec![PositionValue::default(); moves.len() + 1];
        let mut restarts = RESTARTS;
        let mut is_ready = !moves.is_empty() && self.begin(label, &mut restarts)?;
        for value in positions.iter_mut().rev().take_while(|_| !moves.is_empty()) {
            if let Some(outcome) = replay.position().outcome() {
                value.score = Some(final_score(outcome.result, replay.position()));
            } else if is_ready {
                match self.search(&replay) {
                    Ok(found) => *value = found,
                    Err(NoMove::Fault { fault, .. }) => {
                        let (plies, why) = (replay.moves().len(), fault.sentence(self.engine.name()));
                        log::warn!("{label}: the position after move {plies} is not analysed: {why}");
                        self.engine.reset();
                        is_ready = restarts > 0;
                        restarts = restarts.saturating_sub(1);
                        is_ready = is_ready && self.begin(label, &mut 0)?;
                    }
                    Err(NoMove::Stopped(stop)) => return Err(stop),
                    // No engine resigns.
                    Err(NoMove::Resigned) => return Err(Stop::Quit),
                }
            }
            searched();
            replay.take_back();
        }
        self.engine.end_game();
        let has_value = moves.is_empty() || positions[..moves.len()].iter().any(|value| value.best.is_some());
        Ok(has_value.then(|| joined(self.spec.entry.clone(), &moves, positions)))
    }

    /// Begins a game, perhaps with a restart. `false` if the engine cannot.
    fn begin(&mut self, label: &str, restarts: &mut u32) -> Result<bool, Stop> {
        loop {
            match self.engine.begin() {
                Ok(()) => return Ok(true),
                Err(NoMove::Stopped(stop)) => return Err(stop),
                Err(NoMove::Resigned) => return Ok(false),
                Err(NoMove::Fault { fault, .. }) => {
                    log::warn!("{label}: {}", fault.sentence(self.engine.name()));
                    self.engine.reset();
                    if *restarts == 0 {
                        return Ok(false);
                    }
                    *restarts -= 1;
                }
            }
        }
    }

    /// Searches the current position.
    fn search(&mut self, game: &Game) -> Result<PositionValue, NoMove> {
        let mut turn = Turn::apart(game, &self.spec.control);
        if turn.time.is_none() {
            (turn.time, turn.margin) = (Some(Duration::ZERO), PATIENCE);
        }
        let answer = self.engine.think(game, &mut turn)?;
        Ok(value(&answer, game.position()))
    }
}

/// What an answer says about the position.
fn value(answer: &Answer, position: &dyn AnyPosition) -> PositionValue {
    let best = position.move_text(answer.mv);
    let thought = &answer.thought;
    // A line of a foreign engine may begin with another move, or hold anything.
    let mut after = position.boxed_clone();
    let legal = thought.line.iter().map_while(|word| {
        let mv = after.parse_move(word).ok()?;
        let text = after.move_text(mv);
        after.play(mv);
        Some(text)
    });
    let mut line: Vec<String> = legal.collect();
    if line.first() != Some(&best) {
        line = vec![best.clone()];
    }
    PositionValue {
        best: Some(best),
        score: thought.score,
        depth: thought.reported.depth,
        pv: Some(shortened(line.iter().map(String::as_str))),
    }
}

/// The score of a finished game for the side to move.
fn final_score(result: GameResult, position: &dyn AnyPosition) -> Score {
    match result {
        GameResult::Draw => Score::Draw,
        GameResult::Win(winner) if winner == position.side_to_move() => Score::Win(0),
        GameResult::Win(_) => Score::Loss(0),
    }
}
