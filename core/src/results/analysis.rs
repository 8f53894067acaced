//! What an engine says about the moves of a finished game: the field `analysis` of a record.
//!
//! # Values
//!
//! All scores are from the mover's point of view. `before` is the value of the position with
//! the engine's best move, `after` its value with the move that was played. Both count plies
//! from the position before the move. So `win 19` before and `draw 0` after a move mean that
//! the best move wins in 19 plies and the played move allows a draw.
//!
//! # Mistakes
//!
//! A score becomes expected points, from 0 for a loss to 1 for a win:
//! `1 / (1 + exp(-cp / 400))`. 400 centipawns are one unit of log-odds, as in the scores of
//! `lodestone`; lichess uses 272 in the same formula, for chess. A proven win is 1, a proven
//! draw 0.5, a proven loss 0, and so is the result of a game that ended by the rules.
//!
//! A move loses the difference of the expected points before and after it;
//! the best move loses nothing. A move that loses at least a threshold is a mistake. A move *gives away a proven result* if both values
//! are proven and the result is worse: an evaluation is never the evidence for this.

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::score::Score;
use serde::{Deserialize, Serialize};

use super::engine_entry::EngineEntry;
use crate::game::score_text;
use crate::io::untrusted::Untrusted;

/// The analysis of a game. Its arrays have one value for each move after the opening, like
/// `ms`; a null where the engine sent no answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The engine and its limits.
    pub engine: EngineEntry,
    /// The best move in the position before each move.
    pub best: Vec<Option<Untrusted>>,
    /// The value of that position with the best move, from the mover's point of view.
    pub before: Vec<Option<Untrusted>>,
    /// The value with the move that was played, from the same player's point of view.
    pub after: Vec<Option<Untrusted>>,
    /// The depth of the search for the best move, in plies.
    pub depth: Vec<Option<u32>>,
    /// The principal variation that begins with the best move: up to 8 moves, separated by
    /// spaces.
    pub pv: Vec<Option<Untrusted>>,
}

/// The largest number of moves of a principal variation in an analysis.
pub const MAX_ANALYSIS_LINE: usize = 8;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveAnalysis {
    /// The best move, lower case.
    pub best: Option<Untrusted>,
    /// Whether the best move was played.
    pub is_best: bool,
    /// The value of the best move.
    pub before: Option<Score>,
    /// The value of the move that was played.
    pub after: Option<Score>,
    /// The depth of the search, in plies.
    pub depth: Option<u32>,
    /// The principal variation, beginning with the best move.
    pub pv: Option<Untrusted>,
}

impl Analysis {
    /// The engine and its limits, such as `lodestone st=0.05`.
    pub fn engine_with_limits(&self) -> String {
        format!("{} {}", self.engine.name, self.engine.settings.limits())
    }

    /// The analysis of a game without moves after its opening.
    pub const fn empty(engine: EngineEntry) -> Analysis {
        Analysis {
            engine,
            best: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            depth: Vec::new(),
            pv: Vec::new(),
        }
    }

    /// The analysis of each of `played`, the moves after the opening.
    pub fn of_moves(&self, played: &[&str]) -> Result<Vec<MoveAnalysis>, String> {
        for (field, length) in self.lengths() {
            if length != played.len() {
                return Err(format!(
                    "`analysis.{field}` has {length} values, but {} moves follow the opening",
                    played.len()
                ));
            }
        }
        let score = |field, values: &[Option<Untrusted>], index| {
            let text: Option<Untrusted> = at(values, index);
            let score = text.map(|text| text.raw().parse::<Score>()).transpose();
            score.map_err(|why| format!("`analysis.{field}`: {why}"))
        };
        let moves = played.iter().enumerate().map(|(index, mv)| {
            let best: Option<Untrusted> = at(&self.best, index);
            Ok(MoveAnalysis {
                is_best: best.as_ref().is_some_and(|best| best == mv),
                best,
                before: score("before", &self.before, index)?,
                after: score("after", &self.after, index)?,
                depth: at(&self.depth, index),
                pv: at(&self.pv, index),
            })
        });
        moves.collect()
    }

    /// The names of the arrays, and the numbers of their values.
    fn lengths(&self) -> [(&'static str, usize); 5] {
        [
            ("best", self.best.len()),
            ("before", self.before.len()),
            ("after", self.after.len()),
            ("depth", self.depth.len()),
            ("pv", self.pv.len()),
        ]
    }
}

/// The value of a move.
fn at<T: Clone>(values: &[Option<T>], index: usize) -> Option<T> {
    values.get(index)?.clone()
}

impl MoveAnalysis {
    /// The expected points that the move lost, from 0 to 1; `None` if a value is unknown.
    pub fn loss(&self) -> Option<f64> {
        let (before, after) = (self.before?, self.after?);
        if self.is_best {
            return Some(0.0);
        }
        let points = |score| Assessment::Score(score).expected_points();
        Some((points(before) - points(after)).max(0.0))
    }

    /// Whether the move turned a proven result into a worse proven result.
    pub fn gave_away(&self) -> bool {
        let is_proven = |score: Option<Score>| score.is_some_and(Score::is_proven);
        is_proven(self.before) && is_proven(self.after) && self.loss().is_some_and(|loss| loss > 0.0)
    }

    /// The mistake, if the move lost at least `threshold` expected points or gave away a
    /// proven result.
    pub fn mistake(&self, threshold: f64) -> Option<Mistake> {
        let loss = self.loss()?;
        (!self.is_best && (loss >= threshold || self.gave_away())).then_some(Mistake {
            is_blunder: loss >= BLUNDER,
            judge: Judge::Analysis,
            before: Assessment::Score(self.before?),
            after: Assessment::Score(self.after?),
        })
    }
}

/// Counts over the analysed moves of one player. The names are those of `--json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnalysisTally {
    /// The number of games with an analysis.
    pub games: u64,
    /// The number of moves whose loss is known.
    pub moves: u64,
    /// How many of them were the best move.
    pub best_moves: u64,
    /// How many of them were mistakes, blunders included.
    pub mistakes: u64,
    /// How many of the mistakes were blunders.
    pub blunders: u64,
    /// How many of them turned a proven result into a worse proven result.
    pub given_away: u64,
    /// The mean of the expected points that a move lost; `None` without moves.
    pub mean_loss: Option<f64>,
}

impl AnalysisTally {
    /// Adds a move. `threshold` is the least loss of a mistake, in expected points.
    pub fn add(&mut self, analysis: &MoveAnalysis, threshold: f64) {
        let Some(loss) = analysis.loss() else {
            return;
        };
        let sum = self.mean_loss.unwrap_or(0.0) * self.moves as f64;
        self.moves += 1;
        self.mean_loss = Some((sum + loss) / self.moves as f64);
        self.best_moves += u64::from(analysis.is_best);
        let mistake = analysis.mistake(threshold);
        self.mistakes += u64::from(mistake.is_some());
        self.blunders += u64::from(mistake.is_some_and(|mistake| mistake.is_blunder));
        self.given_away += u64::from(analysis.gave_away());
    }

    /// Adds the counts of other games.
    pub fn merge(&mut self, other: &AnalysisTally) {
        let weighted = |tally: &AnalysisTally| tally.mean_loss.unwrap_or(0.0) * tally.moves as f64;
        let sum = weighted(self) + weighted(other);
        self.games += other.games;
        self.moves += other.moves;
        self.best_moves += other.best_moves;
        self.mistakes += other.mistakes;
        self.blunders += other.blunders;
        self.given_away += other.given_away;
        self.mean_loss = (self.moves > 0).then(|| sum / self.moves as f64);
    }
}

/// The least fall of the expected points with a mistake.
pub const MISTAKE: f64 = 0.1;

/// The least fall of the expected points with a blunder.
pub(crate) const BLUNDER: f64 = 0.15;

/// Centipawns in one unit of log-odds.
const UNIT: f64 = 400.0;

/// A move that cost its player much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mistake {
    /// Whether the expected points fell by [`BLUNDER`] or more.
    pub is_blunder: bool,
    /// Whose scores are compared.
    pub judge: Judge,
    /// The judge's assessment before the move.
    pub before: Assessment,
    /// The judge's assessment after the move.
    pub after: Assessment,
}

impl Mistake {
    /// Whether the judge's expected points rose, as they do if it is the opponent.
    pub fn is_rise(&self) -> bool {
        self.after.expected_points() > self.before.expected_points()
    }

    /// What the move did, for people.
    pub fn change(&self) -> String {
        let proven = |assessment| match assessment {
            Assessment::Score(Score::Win(_)) => Some("win"),
            Assessment::Score(Score::Draw) => Some("draw"),
            Assessment::Score(Score::Loss(_)) => Some("loss"),
            _ => None,
        };
        if let (Some(before), Some(after)) = (proven(self.before), proven(self.after)) {
            return format!("turned a proven {before} into a {after}");
        }
        let loss = self.before.expected_points() - self.after.expected_points();
        let [before, after] = [self.before, self.after].map(Assessment::text);
        format!("lost {loss:.2} expected points, from {before} to {after}")
    }
}

/// Whose scores show a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// A player: the mover, or its opponent if the mover reports no scores.
    Player(Side),
    /// The engine of an analysis, from the mover's point of view.
    Analysis,
}

/// What a player thinks of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assessment {
    /// The score that it reported.
    Score(Score),
    /// The game is over, with this result, and the player had this side.
    Result(GameResult, Side),
}

impl Assessment {
    /// The assessment for people.
    pub fn text(self) -> String {
        match self {
            Assessment::Score(score) => score_text(score),
            Assessment::Result(GameResult::Draw, _) => "a tie".into(),
            Assessment::Result(GameResult::Win(winner), player) if winner == player => "a won game".into(),
            Assessment::Result(GameResult::Win(_), _) => "a lost game".into(),
        }
    }

    /// The expected points, from 0 for a loss to 1 for a win.
    pub(crate) fn expected_points(self) -> f64 {
        match self {
            Assessment::Score(Score::Cp(value)) => 1.0 / (1.0 + (-f64::from(value) / UNIT).exp()),
            _ if self.is_win() => 1.0,
            _ if self.is_loss() => 0.0,
            _ => 0.5,
        }
    }

    /// Whether the player has won or has a proven win.
    pub(crate) fn is_win(self) -> bool {
        match self {
            Assessment::Score(score) => matches!(score, Score::Win(_)),
            Assessment::Result(result, player) => result == GameResult::Win(player),
        }
    }

    /// Whether the player has lost or has a proven loss.
    pub(crate) fn is_loss(self) -> bool {
        match self {
            Assessment::Score(score) => matches!(score, Score::Loss(_)),
            Assessment::Result(result, player) => result == GameResult::Win(player.opponent()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::analysis::MISTAKE;
    use crate::samples::analysis;

    fn one(best: &str, before: &str, after: &str) -> MoveAnalysis {
        let moves = analysis(&[(best, before, after)]).of_moves(&["a1"]);
        moves.unwrap().remove(0)
    }

    #[test]
    fn a_record_keeps_it_as_arrays() {
        let kept = analysis(&[("a1", "cp 12", "cp 12"), ("", "", "")]);
        let text = serde_json::to_string(&kept).unwrap();
        assert!(
            text.starts_with(r#"{"engine":{"name":"a","cmd":"./a","#),
            "{text}"
        );
        let arrays = r#""best":["a1",null],"before":["cp 12",null],"after":["cp 12",null],"depth":[7,7],"pv":["a1",null]}"#;
        assert!(text.ends_with(arrays), "{text}");
        assert_eq!(serde_json::from_str::<Analysis>(&text).unwrap(), kept);
    }

    #[test]
    fn a_move_loses_expected_points() {
        let loss = |best, before, after| one(best, before, after).loss();
        assert_eq!(loss("b1", "win 19", "draw 0"), Some(0.5));
        assert_eq!(loss("b1", "draw 0", "loss 8"), Some(0.5));
        assert_eq!(
            loss("b1", "cp 0", "cp 30"),
            Some(0.0),
            "the engine saw too little"
        );
        assert_eq!(loss("a1", "cp 50", "cp -50"), Some(0.0), "the best move");
        assert_eq!(loss("b1", "cp 50", ""), None);
        let evaluated = loss("b1", "cp 400", "cp -400").unwrap();
        assert!((evaluated - 0.4621).abs() < 1e-4, "{evaluated}");
    }

    #[test]
    fn only_proofs_show_that_a_result_was_given_away() {
        let gave_away = |before, after| one("b1", before, after).gave_away();
        assert!(gave_away("win 19", "draw 0"));
        assert!(gave_away("win 19", "loss 2"));
        assert!(gave_away("draw 0", "loss 2"));
        assert!(!gave_away("win 19", "win 35"), "a longer win is a win");
        assert!(!gave_away("win 19", "cp -900"));
        assert!(!gave_away("cp 900", "draw 0"));
        assert!(!gave_away("loss 5", "loss 3"));
        assert!(!one("a1", "win 19", "draw 0").gave_away(), "the best move");
    }

    #[test]
    fn a_mistake_exceeds_the_threshold() {
        let mistake = |before, after, threshold| one("b1", before, after).mistake(threshold);
        assert_eq!(mistake("cp 0", "cp -160", MISTAKE), None);
        let small = mistake("cp 0", "cp -163", MISTAKE).unwrap();
        assert!(!small.is_blunder);
        assert_eq!(mistake("cp 0", "cp -163", 0.2), None);
        let proven = mistake("win 19", "draw 0", 0.9).unwrap();
        assert!(proven.is_blunder, "a proven result has no threshold");
        assert_eq!(
            mistake("win 19", "cp 5000", MISTAKE),
            None,
            "not proven, not lost"
        );
        assert_eq!(one("a1", "cp 0", "cp -900").mistake(0.0), None, "the best move");
    }

    #[test]
    fn tallies_count_moves_with_a_known_loss() {
        let mut tally = AnalysisTally::default();
        for (best, before, after) in [
            ("a1", "cp 10", "cp 5"),
            ("b1", "win 19", "draw 0"),
            ("b1", "cp 0", "cp -163"),
            ("b1", "cp 0", ""),
        ] {
            tally.add(&one(best, before, after), MISTAKE);
        }
        let counts = [
            tally.moves,
            tally.best_moves,
            tally.mistakes,
            tally.blunders,
            tally.given_away,
        ];
        assert_eq!(counts, [3, 1, 2, 1, 1]);
        let loss = tally.mean_loss.unwrap();
        assert!((loss - 0.2002).abs() < 1e-3, "{loss}");
        let mut sum = AnalysisTally::default();
        sum.merge(&AnalysisTally::default());
        assert_eq!(sum.mean_loss, None);
        sum.merge(&tally);
        assert_eq!(sum, tally);
        sum.merge(&AnalysisTally {
            games: 1,
            moves: 9,
            best_moves: 10,
            mistakes: 20,
            blunders: 30,
            given_away: 40,
            mean_loss: Some(0.4),
        });
        let counts = [
            sum.games,
            sum.moves,
            sum.best_moves,
            sum.mistakes,
            sum.blunders,
            sum.given_away,
        ];
        assert_eq!(counts, [1, 12, 11, 22, 31, 41]);
        let mean = sum.mean_loss.unwrap();
        let expected = (3.0 * loss + 9.0 * 0.4) / 12.0;
        assert!((mean - expected).abs() < 1e-9, "{mean}");
    }
}
