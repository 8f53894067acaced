//! A game replayed move by move, with the facts of each move: a pure function of the
//! stored game.
//!
//! # Mistakes
//!
//! If the game has an [analysis](super::Analysis), that decides. Otherwise the scores of the
//! players do. Engines with different units and depths cannot be compared with each other, so
//! each score is compared with the next score of the same player, as
//! [expected points](super::mistakes).
//!
//! A move is a mistake if the mover's expected points fall by at least [`MISTAKE`] until
//! its next move, and a blunder from [`BLUNDER`]; these are the limits of lichess. A
//! proven win that is no longer proven is at least a mistake. If the mover reports no
//! scores, the rise of its opponent's expected points counts: from the score before the
//! move to the one after it.

use std::time::Duration;

use lodestone::board::{Move, Side};
use lodestone::game::{AnyPosition, Variant};
use lodestone::score::Score;

use super::analysis::MoveAnalysis;
use super::facts::MoveFacts;
use super::mistakes::{Assessment, BLUNDER, Judge, MISTAKE, Mistake};
use super::stored_game::{GameEnd, StoredGame};
use crate::game::clock::Clock;

/// A game with its positions and the facts of its moves.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The number of the game in its match.
    pub id: Option<u64>,
    /// The game that is played.
    pub variant: Variant,
    /// The names of the players, the first player's first.
    pub players: [String; 2],
    /// The moves in order.
    pub moves: Vec<ReplayedMove>,
    /// How the game ended; `None` if it did not, or the file does not say.
    pub end: Option<GameEnd>,
    /// The positions: the first one, and the one after each move.
    positions: Vec<Box<dyn AnyPosition>>,
    /// The clocks of both players at each position; `None` without a game clock.
    clocks: Vec<[Option<Duration>; 2]>,
}

/// A move and its facts.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayedMove {
    /// The move.
    pub mv: Move,
    /// The move as text, lower case.
    pub text: String,
    /// The player of the move.
    pub mover: Side,
    /// Whether the move belongs to the opening.
    pub is_opening: bool,
    /// The time of the move.
    pub time: Option<Duration>,
    /// The score that the mover reported, from its point of view.
    pub score: Option<Score>,
    /// What else is recorded of the move.
    pub facts: MoveFacts,
    /// What an engine said of the move after the game.
    pub analysis: Option<MoveAnalysis>,
    /// What the move lost, if it was a mistake.
    pub mistake: Option<Mistake>,
}

impl Replay {
    /// Replays a game.
    pub fn new(game: &StoredGame) -> Replay {
        let mut positions = vec![game.start.clone()];
        let mut clocks = game.times.map(Clock::new);
        let mut clock_times = vec![clocks.each_ref().map(Clock::game_time_left)];
        let mut moves = Vec::with_capacity(game.moves.len());
        for (ply, &mv) in game.moves.iter().enumerate() {
            let mut position = positions[ply].clone();
            let side = position.side_to_move();
            let text = position.move_text(mv);
            position.play(mv);
            let played = ply.checked_sub(game.opening_plies);
            let time = played.and_then(|played| game.move_times.get(played).copied().flatten());
            if let Some(time) = time {
                clocks[side.index()].spend(time);
            }
            clock_times.push(clocks.each_ref().map(Clock::game_time_left));
            positions.push(position);
            moves.push(ReplayedMove {
                mv,
                text,
                mover: side,
                is_opening: played.is_none(),
                time,
                score: played.and_then(|played| game.scores.get(played).copied().flatten()),
                facts: played.map_or_else(MoveFacts::default, |played| game.facts.of_move(played)),
                analysis: played.and_then(|played| game.analysis.get(played).cloned()),
                mistake: None,
            });
        }
        if moves
            .iter()
            .any(|played: &ReplayedMove| !played.is_opening && played.time.is_none())
        {
            clock_times.fill([None; 2]);
        }
        let players = game.players.clone();
        let mut replay = Replay {
            id: game.id,
            variant: game.variant,
            players: players.unwrap_or_else(|| Side::BOTH.map(|side| format!("Player {}", side.index() + 1))),
            end: game
                .end
                .clone()
                .or_else(|| end_by_rules(positions.last()?.as_ref())),
            moves,
            positions,
            clocks: clock_times,
        };
        for ply in 0..replay.moves.len() {
            replay.moves[ply].mistake = replay.mistake_at(ply);
        }
        replay
    }

    /// The position after `plies` moves, or the last one.
    pub fn position(&self, plies: usize) -> &dyn AnyPosition {
        // Never empty: the first position is always there.
        self.positions[plies.min(self.moves.len())].as_ref()
    }

    /// The move that led to the position after `plies` moves; `None` for the first one.
    pub(crate) fn move_to(&self, plies: usize) -> Option<&ReplayedMove> {
        self.moves.get(plies.checked_sub(1)?)
    }

    /// The time left on both clocks after `plies` moves; `None` without a game clock.
    pub fn clocks(&self, plies: usize) -> [Option<Duration>; 2] {
        self.clocks.get(plies).copied().unwrap_or_default()
    }

    fn mistake_at(&self, ply: usize) -> Option<Mistake> {
        let mover = self.moves[ply].mover;
        if self.moves[ply].is_opening {
            return None;
        }
        if let Some(analysis) = &self.moves[ply].analysis {
            return analysis.mistake(MISTAKE);
        }
        let by_opponent = || {
            let (before, after) = self.opponent_assessments(ply)?;
            Some((mover.opponent(), before, after))
        };
        let by_mover = self.own_assessments(ply);
        let by_mover = by_mover.map(|(before, after)| (mover, before, after));
        let (judge, before, after) = by_mover.or_else(by_opponent)?;
        let fall = if judge == mover {
            before.expected_points() - after.expected_points()
        } else {
            after.expected_points() - before.expected_points()
        };
        let lost_a_win = if judge == mover {
            before.is_win() && !after.is_win()
        } else {
            before.is_loss() && !after.is_loss()
        };
        (fall >= MISTAKE || lost_a_win).then_some(Mistake {
            is_blunder: fall >= BLUNDER,
            judge: Judge::Player(judge),
            before,
            after,
        })
    }

    /// The mover's assessments with this move and with its next one.
    fn own_assessments(&self, ply: usize) -> Option<(Assessment, Assessment)> {
        let mover = self.moves[ply].mover;
        Some((
            Assessment::Score(self.moves[ply].score?),
            self.assessment(ply + 2, mover)?,
        ))
    }

    /// The opponent's assessments with the move before this one and with the one after it.
    fn opponent_assessments(&self, ply: usize) -> Option<(Assessment, Assessment)> {
        let opponent = self.moves[ply].mover.opponent();
        let before = self.moves[ply.checked_sub(1)?].score?;
        Some((Assessment::Score(before), self.assessment(ply + 1, opponent)?))
    }

    /// The assessment of a player with the move at `ply`, or of the result if the game was over
    /// by the rules before that move.
    fn assessment(&self, ply: usize, player: Side) -> Option<Assessment> {
        if let Some(played) = self.moves.get(ply) {
            return played.score.map(Assessment::Score);
        }
        let outcome = self.positions.last()?.outcome()?;
        Some(Assessment::Result(outcome.result, player))
    }
}

/// The end of a game whose file says nothing about it.
fn end_by_rules(position: &dyn AnyPosition) -> Option<GameEnd> {
    let outcome = position.outcome()?;
    Some(GameEnd {
        result: outcome.result,
        reason: outcome.reason.to_string(),
        detail: position.explain(outcome),
    })
}

#[cfg(test)]
mod tests {
    use lodestone::game::GameResult;

    use super::*;
    use crate::results::analysis::tests::analysis;
    use crate::results::record::tests::record;

    /// Nine moves, the first of them of the opening; the first player wins.
    fn game(scores: [&str; 8]) -> StoredGame {
        let mut game = record(3, "a", "b");
        game.score = scores
            .map(|score| (!score.is_empty()).then(|| score.to_string()))
            .into();
        StoredGame::from_record(&game, None).unwrap()
    }

    /// The numbers of the moves that are mistakes, with `true` for a blunder.
    fn mistakes(scores: [&str; 8]) -> Vec<(usize, bool)> {
        mistakes_of(&Replay::new(&game(scores)))
    }

    fn mistakes_of(replay: &Replay) -> Vec<(usize, bool)> {
        let moves = replay.moves.iter().zip(1..);
        moves
            .filter_map(|(played, number)| Some((number, played.mistake?.is_blunder)))
            .collect()
    }

    /// Scores of the first player for its moves 3 and 5, and constant ones elsewhere.
    fn scores_of_first(one: &'static str, other: &'static str) -> [&'static str; 8] {
        let second = "cp -3000";
        [second, one, second, other, second, other, second, "win 1"]
    }

    #[test]
    fn replays_positions_and_facts() {
        let mut stored = game(["", "cp 10", "", "", "", "", "", ""]);
        stored.times[0] = "10+1".parse().unwrap();
        let replay = Replay::new(&stored);
        assert_eq!(replay.moves.len(), 9);
        assert_eq!(replay.position(0).fen(), "8/8/8/8/8/8/8/8 x");
        assert_eq!(replay.position(2).fen(), "8/8/8/8/8/8/8/x6o x");
        assert_eq!(replay.position(99).fen(), replay.position(9).fen());
        assert!(replay.move_to(0).is_none());
        assert!(replay.move_to(1).unwrap().is_opening);
        let third = replay.move_to(3).unwrap();
        assert_eq!((third.text.as_str(), third.mover), ("a2", Side::First));
        assert_eq!(third.time, Some(Duration::from_millis(2)));
        assert_eq!(third.score, Some(Score::Cp(10)));
        assert_eq!(replay.clocks(2), [Some(Duration::from_secs(10)), None]);
        assert_eq!(replay.clocks(3), [Some(Duration::from_millis(10_998)), None]);
        assert_eq!(replay.end.unwrap().result, GameResult::Win(Side::First));
        stored.move_times.clear();
        assert_eq!(Replay::new(&stored).clocks(9), [None; 2], "the clock is unknown");
    }

    #[test]
    fn game_without_a_recorded_end_ends_by_the_rules() {
        let mut stored = game([""; 8]);
        stored.end = None;
        stored.players = None;
        let replay = Replay::new(&stored);
        assert_eq!(replay.end.unwrap().reason, "five");
        assert_eq!(replay.players, ["Player 1", "Player 2"]);
        stored.moves.pop();
        assert_eq!(Replay::new(&stored).end, None);
    }

    #[test]
    fn mistake_is_a_fall_of_the_movers_own_points() {
        let of_first = |one, other| mistakes(scores_of_first(one, other));
        assert_eq!(of_first("cp 0", "cp -160"), []);
        assert_eq!(of_first("cp 0", "cp -163"), [(3, false)]);
        assert_eq!(of_first("cp 0", "cp -250"), [(3, true)]);
        assert_eq!(of_first("cp -100", "cp 900"), []);
        assert_eq!(of_first("cp 5000", "cp 4000"), [], "still winning");
    }

    #[test]
    fn losing_a_proven_result_is_a_mistake() {
        let of_first = |one, other| mistakes(scores_of_first(one, other));
        assert_eq!(of_first("win 9", "win 11"), [], "a longer win is a win");
        assert_eq!(of_first("win 9", "cp 5000"), [(3, false)]);
        assert_eq!(of_first("win 9", "draw 0"), [(3, true)]);
        assert_eq!(of_first("draw 0", "loss 8"), [(3, true)]);
        assert_eq!(of_first("loss 8", "loss 6"), []);
    }

    #[test]
    fn result_by_the_rules_is_the_last_assessment() {
        let scores = ["", "", "", "", "", "", "cp 50", ""];
        assert_eq!(
            mistakes(scores),
            [(8, true)],
            "the opponent won with the next move"
        );
        let mut stored = game(scores);
        stored.moves.pop();
        stored.scores.pop();
        stored.move_times.pop();
        assert_eq!(
            mistakes_of(&Replay::new(&stored)),
            [],
            "ended by a fault, not by the rules"
        );
    }

    #[test]
    fn opponent_judges_a_player_without_scores() {
        let scores = ["cp 0", "", "cp 300", "", "cp 300", "", "cp -3000", ""];
        // Move 3 raised the expected points of the second player; move 6 is its own mistake.
        let replay = Replay::new(&game(scores));
        let judged = replay.moves[2].mistake.unwrap();
        assert_eq!(
            (judged.judge, judged.is_blunder),
            (Judge::Player(Side::Second), true)
        );
        assert_eq!(judged.before, Assessment::Score(Score::Cp(0)));
        assert_eq!(judged.after, Assessment::Score(Score::Cp(300)));
        assert_eq!(mistakes_of(&replay), [(3, true), (6, true)]);
    }

    #[test]
    fn an_analysis_decides_instead_of_the_scores() {
        let mut game = record(3, "a", "b");
        game.score[1] = Some("cp 900".into());
        game.score[3] = Some("loss 4".into());
        let mut moves: Vec<_> = game.moves[1..].iter().map(|mv| (mv.as_str(), "", "")).collect();
        moves[1] = ("a2", "cp 900", "loss 4");
        moves[4] = ("b1", "win 5", "draw 0");
        moves[5] = ("", "", "");
        game.analysis = Some(Box::new(analysis(&moves)));
        let stored = StoredGame::from_record(&game, None).unwrap();
        let replay = Replay::new(&stored);
        assert_eq!(replay.moves[0].analysis, None, "an opening move");
        assert!(replay.moves[1].analysis.as_ref().unwrap().is_best);
        assert_eq!(mistakes_of(&replay), [(6, true)]);
        let mistake = replay.moves[5].mistake.unwrap();
        assert_eq!(mistake.judge, Judge::Analysis);
        assert_eq!(mistake.before, Assessment::Score(Score::Win(5)));
    }
}
