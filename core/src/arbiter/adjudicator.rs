//! Ends games before their end, by the rules of [`game::adjudication`](crate::game::adjudication).
//!
//! The solver works between two moves, while no clock runs. Its limit is a number of
//! nodes and its memory is empty at the start of each game, so the same game is always
//! ended at the same move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::protocol::Limits;
use lodestone_game::score::Score;

use crate::failure::Stop;
use crate::game::Game;
use crate::game::Ruleset;
use crate::game::adjudication::{Adjudication, Rules, claimed_result, recurs_but_for_counters};
use crate::io::interrupt::Interrupt;
use crate::io::text::printable;
use crate::player::{Engine, EngineSpec, NoMove, Player, Turn};
use crate::process::Opponent;

/// The most of a position's text that a message quotes, in characters.
const MAX_TEXT: usize = 200;

/// Ends the games of one slot.
pub struct Adjudicator {
    rules: Rules,
    /// The solver of `--prove`, unless the rules of the game know results themselves.
    prover: Option<Prover>,
}

impl Adjudicator {
    /// An adjudicator whose solver starts with the first game.
    pub fn new(
        rules: Rules,
        solver: Option<&EngineSpec>,
        ruleset: Ruleset,
        interrupt: &Arc<Interrupt>,
    ) -> Adjudicator {
        let prover = rules.prove.zip(solver).map(|(rule, solver)| Prover {
            engine: Engine::new(solver.clone(), ruleset, Arc::clone(interrupt)),
            limits: Limits {
                nodes: rule.nodes,
                movetime: rule.time.map(|time| time.as_millis() as i64),
                ..Limits::default()
            },
            has_failed: false,
        });
        Adjudicator { rules, prover }
    }

    /// Gets ready for a new game.
    pub(crate) fn begin(&mut self) -> Result<(), Stop> {
        self.prover.as_mut().map_or(Ok(()), Prover::begin)
    }

    /// Why the game ends after its last move, although the rules do not end it.
    pub(crate) fn moved(&mut self, game: &Game) -> Result<Option<Adjudication>, Stop> {
        let position = game.position();
        if position.outcome().is_some() {
            return Ok(None);
        }
        if let Some(rule) = self.rules.prove {
            let (result, plies_left) = match &mut self.prover {
                None => (position.proven()?, None),
                Some(prover) => {
                    let left = position.plies_left();
                    let result = if rule.asks(left) {
                        prover.prove(game)?
                    } else {
                        None
                    };
                    (result, Some(left))
                }
            };
            if let Some(result) = result.filter(|&result| rule.accepts(result)) {
                return Ok(Some(Adjudication::Proven { result, plies_left }));
            }
        }
        let plies = game.moves().len();
        if let Some(limit) = self.rules.max_plies.filter(|limit| plies as u64 >= *limit) {
            return Ok(Some(Adjudication::Limit(limit)));
        }
        if let Some(count) = self.rules.repetition.filter(|count| occurrences(game) >= *count) {
            return Ok(Some(Adjudication::Repetition(count)));
        }
        if self.rules.draw.is_none() && self.rules.resign.is_none() {
            return Ok(None);
        }
        let scores = scores_in_turn(game);
        if let Some(rule) = self.rules.draw.filter(|rule| rule.applies(plies, &scores)) {
            return Ok(Some(Adjudication::Draw(rule, plies)));
        }
        let loser = game.mover_before(1).unwrap_or(position.side_to_move().opponent());
        let resigned = self.rules.resign.filter(|rule| rule.applies(&scores));
        Ok(resigned.map(|rule| Adjudication::Resign(rule, loser)))
    }

    /// Looks at a game that has ended.
    pub(crate) fn end(&self, game: &Game) {
        if let Some(count) = self.rules.repetition {
            warn_of_counters(game, count);
        }
    }

    /// The process of the solver, for a shutdown together with others.
    pub fn into_engine(self) -> Option<Engine> {
        self.prover.map(|prover| prover.engine)
    }
}

/// Warns once, after a game with a position that would have occurred `count` times if its text had no
/// number that counts, such as that of the move.
fn warn_of_counters(game: &Game, count: u64) {
    static HAS_WARNED: AtomicBool = AtomicBool::new(false);
    if HAS_WARNED.load(Ordering::Relaxed) {
        return;
    }
    let texts: Vec<String> = game.positions().iter().map(|position| position.fen()).collect();
    let Some(index) = recurs_but_for_counters(&texts, count as usize) else {
        return;
    };
    if !HAS_WARNED.swap(true, Ordering::Relaxed) {
        log::warn!(
            "--repetition {count} cannot detect repetitions in this game: up to move {index}, {count} \
             positions differ only by a counter in their text, such as `{}`; leave the counter out of the \
             answer to `query fen`",
            printable(&texts[index], MAX_TEXT)
        );
    }
}

/// How often the position of the game has occurred.
fn occurrences(game: &Game) -> u64 {
    let fen = game.position().fen();
    let positions = game.positions().iter();
    positions.filter(|position| position.fen() == fen).count() as u64
}

/// The scores of both players in turn, up to the last move. Where one of them has moved several
/// times in a row, its earlier moves are compared with earlier ones of the opponent.
fn scores_in_turn(game: &Game) -> Vec<Option<Score>> {
    let thoughts = game.thoughts();
    let movers: Vec<Side> = game.movers().skip(game.opening_plies()).collect();
    let Some(&last) = movers.last() else {
        return Vec::new();
    };
    let of = |side: Side| {
        let own = movers
            .iter()
            .zip(thoughts)
            .rev()
            .filter(move |(mover, _)| **mover == side);
        own.map(|(_, thought)| thought.info.score)
    };
    let mut others = of(last.opponent());
    let in_turn = of(last).flat_map(|own| [Some(own), others.next()]);
    let mut scores: Vec<Option<Score>> = in_turn.map_while(|score| score).collect();
    scores.reverse();
    scores
}

/// A solver of one slot: a process of the built-in engine that proves results. It knows nothing of
/// the players, and no clock of theirs runs while it searches.
struct Prover {
    engine: Engine,
    limits: Limits,
    /// Whether it failed in this game.
    has_failed: bool,
}

/// How much later than its limit the solver may answer. It bounds the wait for a process
/// that hangs.
const PATIENCE: Duration = Duration::from_mins(10);

impl Prover {
    /// Prepares for a new game. The memory of the solver is empty then, so its answers
    /// depend on this game alone.
    fn begin(&mut self) -> Result<(), Stop> {
        self.engine.end_game();
        self.has_failed = false;
        match self.engine.begin(None) {
            Ok(()) => Ok(()),
            Err(miss) => self.failed(miss),
        }
    }

    /// The result of the current position with perfect play, if the solver proves it within its
    /// limits.
    fn prove(&mut self, game: &Game) -> Result<Option<GameResult>, Stop> {
        if self.has_failed {
            return Ok(None);
        }
        let mut turn = Turn {
            limits: self.limits.clone(),
            time: Some(Duration::from_millis(
                self.limits.movetime.unwrap_or_default() as u64
            )),
            margin: PATIENCE,
            cpu: None,
            opponent: Opponent::default(),
            observer: None,
        };
        match self.engine.think(game, &mut turn) {
            Ok(answer) => {
                let mover = game.position().side_to_move();
                let score = answer.thought.info.score;
                Ok(score.and_then(|score| claimed_result(score, mover)))
            }
            Err(miss) => self.failed(miss).map(|()| None),
        }
    }

    /// A failure of the solver never ends a match: it proves nothing more in this game.
    fn failed(&mut self, miss: NoMove) -> Result<(), Stop> {
        match miss {
            NoMove::Stopped(stop) => return Err(stop),
            NoMove::Fault { fault, .. } => {
                log::warn!(
                    "{}; it proves nothing more in this game",
                    fault.sentence("the solver")
                );
            }
            NoMove::Resigned => {}
        }
        self.has_failed = true;
        self.engine.reset();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::FileGame;
    use crate::game::adjudication::ResignRule;
    use crate::game::{MoveSequence, Thought};
    use crate::samples;

    #[test]
    fn the_player_of_the_last_move_resigns_also_if_it_moves_again() {
        use Side::{First, Second};
        let rule = ResignRule {
            count: 2,
            score: 500,
            two_sided: false,
        };
        let rules = Rules {
            resign: Some(rule),
            ..Rules::default()
        };
        let pebbles = FileGame::new("pebbles", Some("Pebbles"), None).unwrap();
        let interrupt = Arc::new(Interrupt::unreachable().unwrap());
        let mut adjudicator = Adjudicator::new(rules, None, Ruleset::default(), &interrupt);
        for (turns, loser) in [
            ([First, Second, First, Second], First),
            ([First, Second, First, First], First),
            ([Second, First, Second, Second], Second),
        ] {
            let start = pebbles.start("startpos", turns.to_vec()).unwrap();
            let mut game = Game::begun(&MoveSequence::placed(start));
            for mover in &turns[..3] {
                let mut thought = Thought::default();
                thought.info.score = Some(Score::Cp(if *mover == loser { -900 } else { 900 }));
                game.play(game.position().parse_move("a1").unwrap(), thought)
                    .unwrap();
            }
            let end = adjudicator.moved(&game).unwrap();
            assert_eq!(end, Some(Adjudication::Resign(rule, loser)), "{turns:?}");
        }
    }

    // The solver is a script for `/bin/sh`.
    #[cfg(unix)]
    #[test]
    fn a_solver_that_has_failed_is_asked_again_in_the_next_game() {
        use crate::player::Protocol;

        let script = "while read -r word; do case $word in uci) echo uciok;; isready) echo readyok;; quit) exit;; esac; done";
        let spec = EngineSpec {
            name: "solver".into(),
            launch: samples::shell(script),
            protocol: Protocol::Uci,
            options: Vec::new(),
            inherited: 0,
            start_time: Duration::from_mins(1),
            ponder: false,
        };
        let interrupt = Arc::new(Interrupt::unreachable().unwrap());
        let mut prover = Prover {
            engine: Engine::new(spec, Ruleset::default(), interrupt),
            limits: Limits::default(),
            has_failed: true,
        };
        assert!(prover.begin().is_ok() && !prover.has_failed);
    }
}
