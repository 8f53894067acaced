//! One game as a file holds it, whatever the format, with its moves checked.

use std::time::Duration;

use lodestone::board::Move;
use lodestone::game::{AnyPosition, GameResult, Variant};
use lodestone::score::Score;

use super::analysis::MoveAnalysis;
use super::facts::Facts;
use super::header::Header;
use super::record::Record;
use super::saved_game::SavedGame;
use crate::game::clock::TimeControl;
use crate::io::as_text::Text;

/// A game from a file. What its format does not hold is empty or `None`.
#[derive(Clone, Debug)]
pub struct StoredGame {
    /// The number of the game in its match.
    pub id: Option<u64>,
    /// The game that is played.
    pub variant: Variant,
    /// The names of the players, the first player's first.
    pub players: Option<[String; 2]>,
    /// Who plays when the game is continued by hand, if a saved game says it.
    pub seats: [Option<String>; 2],
    /// The time controls of the players.
    pub times: [TimeControl; 2],
    /// The position before the first of `moves`.
    pub start: Box<dyn AnyPosition>,
    /// The legal moves from `start`, the opening's first.
    pub moves: Vec<Move>,
    /// The number of `moves` that belong to the opening.
    pub opening_plies: usize,
    /// The time of each move after the opening, where it is known.
    pub move_times: Vec<Option<Duration>>,
    /// The score of each move after the opening, from the mover's point of view, where
    /// it is known.
    pub scores: Vec<Option<Score>>,
    /// What else is recorded of the moves after the opening.
    pub facts: Facts,
    /// What an engine said of the moves after the opening, after the game; empty without an
    /// analysis.
    pub analysis: Vec<MoveAnalysis>,
    /// How the game ended; `None` if the file does not say.
    pub end: Option<GameEnd>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// Who won.
    pub result: GameResult,
    /// The reason, a word of `docs/results.md`.
    pub reason: String,
    /// The reason as a sentence.
    pub detail: String,
}

/// Why a record cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// The index of the move that cannot be played, if that is the reason.
    pub ply: Option<usize>,
    /// The reason, for example "move 3: …".
    pub why: String,
}

impl RecordError {
    fn new(why: String) -> RecordError {
        RecordError { ply: None, why }
    }
}

impl StoredGame {
    /// The game of a record. `header` is that of its match; it has the time controls.
    ///
    /// # Errors
    /// If a field is invalid, or a move cannot be played.
    pub fn from_record(record: &Record, header: Option<&Header>) -> Result<StoredGame, RecordError> {
        let variant = Variant::read(&record.variant).map_err(RecordError::new)?;
        let start = variant
            .parse_fen(&record.start)
            .map_err(|error| RecordError::new(format!("`start`: {error}")))?;
        let moves = replayed(start.as_ref(), &record.moves)?;
        let names = [&record.first, &record.second];
        let time_of = |name: &String| {
            let engines = header.iter().flat_map(|header| &header.engines);
            let mut same = engines.filter(|engine| engine.name == *name);
            same.next().map_or(TimeControl::Unlimited, |engine| engine.time)
        };
        let played = moves.len().checked_sub(record.opening_plies).ok_or_else(|| {
            RecordError::new(format!(
                "`opening_plies` is {}, but the game has only {} moves",
                record.opening_plies,
                moves.len()
            ))
        })?;
        let check_length = |field: &str, length: usize| {
            if length == 0 || length == played {
                Ok(())
            } else {
                Err(RecordError::new(format!(
                    "`{field}` has {length} values, but {played} moves follow the opening"
                )))
            }
        };
        check_length("ms", record.ms.len())?;
        check_length("score", record.score.len())?;
        for (field, length) in record.facts.lengths() {
            check_length(field, length)?;
        }
        let move_times = record.ms.iter().map(|&ms| {
            Duration::try_from_secs_f64(ms / 1000.0)
                .map(Some)
                .map_err(|_| RecordError::new(format!("`ms`: {ms} is not a time")))
        });
        let scores = record.score.iter().map(|score| {
            let score = score.as_ref().map(|text| text.parse::<Score>());
            score
                .transpose()
                .map_err(|why| RecordError::new(format!("`score`: {why}")))
        });
        Ok(StoredGame {
            id: Some(record.id),
            variant,
            players: Some(names.map(String::clone)),
            seats: [None, None],
            times: names.map(time_of),
            opening_plies: record.opening_plies,
            move_times: move_times.collect::<Result<_, _>>()?,
            scores: scores.collect::<Result<_, _>>()?,
            facts: record.facts.clone(),
            analysis: analysis(record, start.as_ref(), &moves)?,
            end: Some(GameEnd {
                result: record.result,
                reason: record.reason.clone(),
                detail: record.detail.clone(),
            }),
            start,
            moves,
        })
    }

    /// The start position and the moves alone, to continue the game by hand.
    pub(crate) fn into_saved_game(self) -> SavedGame {
        SavedGame {
            variant: self.variant,
            start: self.start,
            moves: self.moves,
            players: self.seats,
        }
    }
}

impl From<SavedGame> for StoredGame {
    fn from(saved_game: SavedGame) -> StoredGame {
        StoredGame {
            id: None,
            variant: saved_game.variant,
            players: match &saved_game.players {
                [Some(first), Some(second)] => Some([first.clone(), second.clone()]),
                _ => None,
            },
            seats: saved_game.players,
            times: [TimeControl::Unlimited; 2],
            start: saved_game.start,
            moves: saved_game.moves,
            opening_plies: 0,
            move_times: Vec::new(),
            scores: Vec::new(),
            facts: Facts::default(),
            analysis: Vec::new(),
            end: None,
        }
    }
}

/// The analysis of the moves of a record, if it has one. Each best move must be legal.
fn analysis(
    record: &Record,
    start: &dyn AnyPosition,
    moves: &[Move],
) -> Result<Vec<MoveAnalysis>, RecordError> {
    let Some(analysis) = &record.analysis else {
        return Ok(Vec::new());
    };
    let played = record.moves.get(record.opening_plies..).unwrap_or_default();
    let analysed = analysis.of_moves(played).map_err(RecordError::new)?;
    let mut position = start.boxed_clone();
    for (ply, &mv) in moves.iter().enumerate() {
        let of_move = ply.checked_sub(record.opening_plies);
        let best = of_move.and_then(|index| analysed.get(index)?.best.as_ref());
        if let Some(Err(error)) = best.map(|best| position.parse_move(best)) {
            let why = format!("`analysis.best` of move {}: {error}", ply + 1);
            return Err(RecordError::new(why));
        }
        position.play(mv);
    }
    Ok(analysed)
}

/// Parses and checks the moves from a position.
fn replayed(start: &dyn AnyPosition, texts: &[String]) -> Result<Vec<Move>, RecordError> {
    let mut position = start.boxed_clone();
    let mut moves = Vec::new();
    for (ply, text) in texts.iter().enumerate() {
        let mv = position.parse_move(text).map_err(|error| RecordError {
            ply: Some(ply),
            why: format!("move {}: {error}", ply + 1),
        })?;
        position.play(mv);
        moves.push(mv);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::analysis::tests::analysis;
    use crate::results::header::tests::header;
    use crate::results::record::tests::record;

    #[test]
    fn record_gives_players_times_and_scores() {
        let mut game = record(3, "a", "b");
        game.score[2] = Some("win 3".into());
        let stored = StoredGame::from_record(&game, Some(&header())).unwrap();
        assert_eq!(stored.id, Some(3));
        assert_eq!(stored.players, Some(["a".to_string(), "b".to_string()]));
        assert_eq!(stored.times, [TimeControl::Move(Duration::from_millis(100)); 2]);
        assert_eq!((stored.moves.len(), stored.opening_plies), (9, 1));
        assert_eq!(stored.move_times[0], Some(Duration::from_micros(1500)));
        assert_eq!(stored.scores[2], Some(Score::Win(3)));
        assert_eq!(stored.end.unwrap().reason, "five");
        let stored = StoredGame::from_record(&game, None).unwrap();
        assert_eq!(stored.times, [TimeControl::Unlimited; 2]);
    }

    #[test]
    fn invalid_records_are_rejected() {
        let error = |change: fn(&mut Record)| {
            let mut game = record(3, "a", "b");
            change(&mut game);
            StoredGame::from_record(&game, None).unwrap_err().why
        };
        assert_eq!(
            error(|game| game.variant = "chess".into()),
            "unknown variant `chess`; the variants are magnetic-cave, gridlock"
        );
        assert!(error(|game| game.start = "x".into()).starts_with("`start`: FEN, "));
        assert_eq!(
            error(|game| game.moves[2] = "c5".into()),
            "move 3: c5 touches neither a wall nor a brick"
        );
        assert_eq!(
            error(|game| game.opening_plies = 10),
            "`opening_plies` is 10, but the game has only 9 moves"
        );
        assert_eq!(
            error(|game| game.ms.truncate(3)),
            "`ms` has 3 values, but 8 moves follow the opening"
        );
        assert_eq!(
            error(|game| game.facts.depth = Some(vec![None])),
            "`depth` has 1 values, but 8 moves follow the opening"
        );
        assert_eq!(
            error(|game| {
                let mut moves = [("", "", ""); 8];
                (moves[1].0, moves[2].0) = ("b1", "c5");
                game.analysis = Some(Box::new(analysis(&moves)));
            }),
            "`analysis.best` of move 4: c5 touches neither a wall nor a brick"
        );
        assert_eq!(
            error(|game| game.analysis = Some(Box::new(analysis(&[])))),
            "`analysis.best` has 0 values, but 8 moves follow the opening"
        );
        assert_eq!(error(|game| game.ms[0] = -1.0), "`ms`: -1 is not a time");
        assert!(error(|game| game.score[0] = Some("x".into())).starts_with("`score`: expected a score"));
    }
}
