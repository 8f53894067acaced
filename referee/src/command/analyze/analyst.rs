//! An engine process that searches the positions of finished games.

use std::sync::Arc;
use std::time::Duration;

use lodestone_game::GameResult;
use lodestone_game::score::Score;
use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::game::Game;
use referee_core::game::clock::{Control, TimeControl};
use referee_core::game::{Position, Ruleset};
use referee_core::io::interrupt::Interrupt;
use referee_core::io::untrusted::Untrusted;
use referee_core::player::{Answer, Engine, EngineSpec, NoMove, Player, Turn};
use referee_core::results::{Analysis, EngineEntry, StoredGame};

use crate::config::roster;
use crate::config::settings::Settings;
use crate::matches::engine_entry;

/// How much later than its time an answer is accepted by default. No game is lost by it.
const DEFAULT_MARGIN: Duration = Duration::from_secs(10);

/// How long to wait for an answer if the depth or the nodes limit the search. It bounds the
/// wait for a process that hangs.
const PATIENCE: Duration = Duration::from_mins(10);

/// The engine and its limits.
#[derive(Clone, Debug)]
pub struct AnalystSpec {
    engine: EngineSpec,
    ruleset: Ruleset,
    /// The limits of each search.
    control: Control,
    /// The engine in the results.
    pub entry: EngineEntry,
}

impl AnalystSpec {
    /// The program of these settings, by default the strongest player of the game.
    pub fn new(mut settings: Settings, ruleset: Ruleset) -> Result<AnalystSpec, Failure> {
        settings.cmd.get_or_insert(ruleset.strongest().to_string());
        let (time, margin) = (settings.time, settings.margin);
        let contestant = roster::resolve(&[settings], ruleset)?.pop();
        let mut contestant = contestant.ok_or_else(|| Failure::Usage("no engine is given".into()))?;
        contestant.control.time = time.unwrap_or(TimeControl::Unlimited);
        let entry = engine_entry(&contestant);
        contestant.control.margin = margin.unwrap_or(DEFAULT_MARGIN);
        Ok(AnalystSpec {
            engine: contestant
                .spec
                .ok_or_else(|| Failure::Usage("a human player gives no scores; use a program".into()))?,
            ruleset,
            control: contestant.control,
            entry,
        })
    }
}

/// An engine that analyses one game after the other.
pub struct Analyst {
    spec: AnalystSpec,
    pub engine: Engine,
}

impl Analyst {
    /// Starts the engine.
    pub fn start(spec: AnalystSpec, interrupt: &Arc<Interrupt>) -> Result<Analyst, Failure> {
        let engine = roster::start(&spec.engine, spec.ruleset, interrupt)?;
        Ok(Analyst { spec, engine })
    }

    /// Analyses a game from its end to its beginning; the engine may remember what
    /// follows. Calls `searched` after each position. `label` names the game in warnings.
    ///
    /// After a fault, the positions that are left have no values. `None` if no position has.
    pub fn analyse(
        &mut self,
        game: &StoredGame,
        label: &str,
        searched: &dyn Fn(),
    ) -> Result<Option<Analysis>, Stop> {
        let mut replay = game.replayed(usize::MAX, &[], [TimeControl::Unlimited; 2]);
        let moves = replay.moves().get(game.opening_plies..);
        let moves = moves.unwrap_or_default().to_vec();
        let mut positions = vec![PositionValue::default(); moves.len() + 1];
        let (mut has_begun, mut has_failed) = (false, moves.is_empty());
        for value in positions.iter_mut().rev() {
            if let Some(outcome) = replay.position().outcome() {
                value.score = Some(final_score(outcome.result, replay.position()));
            } else if !has_failed {
                match self.search(&replay, !std::mem::replace(&mut has_begun, true)) {
                    Ok(found) => *value = found,
                    Err(NoMove::Fault { fault, .. }) => {
                        let (plies, why) = (replay.moves().len(), fault.sentence(self.engine.name()));
                        log::warn!("{label}: the positions up to move {plies} are not analysed: {why}");
                        self.engine.reset();
                        has_failed = true;
                    }
                    Err(NoMove::Stopped(stop)) => return Err(stop),
                    // The position has no best move; others may have one.
                    Err(NoMove::Resigned) => {}
                }
            }
            searched();
            replay.take_back();
        }
        self.engine.end_game();
        let has_value = moves.is_empty() || positions[..moves.len()].iter().any(|value| value.best.is_some());
        Ok(has_value.then(|| joined(self.spec.entry.clone(), &moves, positions)))
    }

    /// Searches the current position, perhaps the first one of a game.
    fn search(&mut self, game: &Game, is_first: bool) -> Result<PositionValue, NoMove> {
        if is_first {
            self.engine.begin(None)?;
        }
        let mut turn = Turn::apart(game, &self.spec.control);
        if turn.time.is_none() {
            (turn.time, turn.margin) = (Some(Duration::ZERO), PATIENCE);
        }
        let answer = self.engine.think(game, &mut turn)?;
        Ok(value(&answer, game.position()))
    }
}

/// What an answer says about the position.
fn value(answer: &Answer, position: &dyn Position) -> PositionValue {
    let best = answer.mv.text.clone();
    let thought = &answer.thought;
    // A line of a foreign engine may begin with another move, or hold anything.
    let mut after = position.boxed_clone();
    let legal = thought.info.pv.iter().map_while(|word| {
        let mv = after.parse_move(word).ok()?;
        after = after.after(&mv).ok()?;
        Some(mv.text)
    });
    let mut line: Vec<String> = legal.collect();
    if line.first() != Some(&best) {
        line = vec![best.clone()];
    }
    PositionValue {
        best: Some(best),
        score: thought.info.score,
        depth: thought.info.depth,
        pv: Some(shortened(line.iter().map(String::as_str))),
    }
}

/// The score of a finished game for the side to move.
fn final_score(result: GameResult, position: &dyn Position) -> Score {
    match result {
        GameResult::Draw => Score::Draw,
        GameResult::Win(winner) if winner == position.side_to_move() => Score::Win(0),
        GameResult::Win(_) => Score::Loss(0),
    }
}

/// What a search found in one position. Nothing, if the engine sent no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionValue {
    /// The best move, lower case.
    pub best: Option<String>,
    /// The score, from the point of view of the side to move.
    pub score: Option<Score>,
    /// The depth of the search, in plies.
    pub depth: Option<u32>,
    /// The principal variation, beginning with the best move.
    pub pv: Option<String>,
}

/// The analysis of these moves. `positions` has the position before each move, and the one
/// after the last move.
pub fn joined(engine: EngineEntry, moves: &[String], mut positions: Vec<PositionValue>) -> Analysis {
    positions.resize(moves.len() + 1, PositionValue::default());
    conclude_wins(moves, &mut positions);
    conclude_losses(moves, &mut positions);
    let mut after: Vec<Option<Score>> = positions[1..].iter().map(|next| earlier(next.score?)).collect();
    for ((after, mv), position) in after.iter_mut().zip(moves).zip(&positions) {
        let is_best = position.best.as_ref() == Some(mv);
        let proven = position.score.filter(|score| score.is_proven());
        if is_best && proven.is_some() && !after.is_some_and(Score::is_proven) {
            *after = proven;
        }
    }
    positions.truncate(moves.len());
    let text = |score: Option<Score>| score.map(|score| score.to_string().into());
    Analysis {
        engine,
        before: positions.iter().map(|position| text(position.score)).collect(),
        after: after.into_iter().map(text).collect(),
        depth: positions.iter().map(|position| position.depth).collect(),
        pv: positions
            .iter_mut()
            .map(|position| position.pv.take().map(Untrusted::from))
            .collect(),
        best: positions
            .into_iter()
            .map(|position| position.best.map(Untrusted::from))
            .collect(),
    }
}

/// The value of a move to a position with this score, for the mover and in plies from the
/// position before the move.
fn earlier(score: Score) -> Option<Score> {
    Some(match score {
        Score::Cp(value) => Score::Cp(value.checked_neg()?),
        Score::Win(plies) => Score::Loss(plies.checked_add(1)?),
        Score::Loss(plies) => Score::Win(plies.checked_add(1)?),
        Score::Draw => Score::Draw,
    })
}

/// Marks positions as won whose played move leads to a lost position of the opponent.
fn conclude_wins(moves: &[String], positions: &mut [PositionValue]) {
    for index in (0..moves.len()).rev() {
        let Some(win @ Score::Win(_)) = positions[index + 1].score.and_then(earlier) else {
            continue;
        };
        if matches!(positions[index].score, Some(Score::Win(_))) {
            continue;
        }
        let next = positions[index + 1].pv.as_deref();
        let line = [Some(moves[index].as_str()), next].into_iter().flatten();
        positions[index] = PositionValue {
            best: Some(moves[index].clone()),
            score: Some(win),
            depth: positions[index].depth,
            pv: Some(shortened(line.flat_map(|part| part.split(' ')))),
        };
    }
}

/// Marks positions as lost to which the best move of a won position leads.
fn conclude_losses(moves: &[String], positions: &mut [PositionValue]) {
    for (index, mv) in moves.iter().enumerate() {
        let position = &positions[index];
        if let (Some(Score::Win(plies)), true) = (position.score, position.best.as_ref() == Some(mv))
            && let Some(Score::Cp(_)) = positions[index + 1].score
        {
            positions[index + 1].score = Some(Score::Loss(plies.saturating_sub(1)));
        }
    }
}

/// The first moves of a principal variation.
pub fn shortened<'a>(moves: impl Iterator<Item = &'a str>) -> String {
    let moves: Vec<&str> = moves.take(referee_core::results::MAX_ANALYSIS_LINE).collect();
    moves.join(" ")
}

#[cfg(test)]
mod values_tests {
    use super::*;
    use referee_core::samples::header;

    /// The values before and after the moves a, b, c, …, with these best moves and scores of the
    /// positions, separated by commas.
    fn values(best: &str, scores: &str) -> String {
        let count = scores.matches(',').count();
        let moves: Vec<String> = ["a", "b", "c", "d"]
            .iter()
            .take(count)
            .map(ToString::to_string)
            .collect();
        let mut best = best.split(',');
        let positions = scores.split(',').map(|score| PositionValue {
            best: best.next().map(String::from),
            score: score.parse().ok(),
            depth: Some(5),
            pv: None,
        });
        let analysis = joined(header().engines.remove(0), &moves, positions.collect());
        assert!(
            analysis
                .of_moves(&moves.iter().map(String::as_str).collect::<Vec<_>>())
                .is_ok()
        );
        let values = analysis.before.into_iter().zip(analysis.after);
        let text = |score: Option<String>| score.unwrap_or_default();
        let values = values.map(|(before, after)| {
            format!(
                "{} > {}",
                text(before.map(|text| text.raw().to_string())),
                text(after.map(|text| text.raw().to_string()))
            )
        });
        values.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_next_position_is_the_opponents() {
        assert_eq!(
            values("x,y", "cp 40,cp 30,cp 20"),
            "cp 40 > cp -30, cp 30 > cp -20"
        );
        assert_eq!(values("x", "win 19,draw 0"), "win 19 > draw 0");
        assert_eq!(values("x", "draw 0,win 4"), "draw 0 > loss 5");
        assert_eq!(values("x", "win 3,loss 18"), "win 3 > win 19");
    }

    #[test]
    fn positions_without_an_answer_have_no_values() {
        assert_eq!(values("x", "cp 40,,cp 20"), "cp 40 > ,  > cp -20");
        let analysis = joined(header().engines.remove(0), &["a".to_string()], Vec::new());
        assert_eq!((analysis.best, analysis.after), (vec![None], vec![None]));
    }

    #[test]
    fn a_proof_reaches_the_positions_beside_it() {
        // The played move wins, although the search before it did not see that.
        assert_eq!(values("x", "cp -5,loss 6"), "win 7 > win 7");
        assert_eq!(
            values("x,x", "cp 30,cp -5,loss 6"),
            "cp 30 > loss 8, win 7 > win 7"
        );
        // The best move of a won position was played; the next search did not see the loss.
        assert_eq!(
            values("a,x", "win 9,cp -700,cp 100"),
            "win 9 > win 9, loss 8 > cp -100"
        );
        assert_eq!(values("a", "draw 0,cp 20"), "draw 0 > draw 0");
        // Another move than the best one proves nothing.
        assert_eq!(values("x", "win 9,cp -700"), "win 9 > cp 700");
        assert_eq!(values("x", "draw 0,cp 20"), "draw 0 > cp -20");
    }

    #[test]
    fn a_concluded_win_begins_its_line_with_the_played_move() {
        let positions = vec![
            PositionValue::default(),
            PositionValue {
                score: Some(Score::Loss(2)),
                pv: Some("b c d e f g h i".into()),
                ..PositionValue::default()
            },
        ];
        let analysis = joined(header().engines.remove(0), &["a".to_string()], positions);
        assert_eq!(analysis.best, [Some("a".into())]);
        assert_eq!(analysis.pv, [Some("a b c d e f g h".into())]);
    }
}
