//! Games as values for programs that draw them: `referee match --json-moves`, and `referee serve`.

use referee_core::game::Position;
use referee_core::game::{Game, TimesLeft};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::board_encoder::BoardEncoder;

/// A game up to its last move.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GameView {
    /// The FEN of the first position.
    pub start: String,
    pub moves: Vec<String>,
    /// The number of moves that belong to the opening.
    pub opening: usize,
    /// The side to move in each position, `1` or `2`.
    pub turns: String,
    /// The time of each move after the opening, in milliseconds.
    pub ms: Vec<u64>,
    /// The score of each move after the opening, from its mover's point of view, such as `cp 12`.
    pub scores: Vec<Option<String>>,
    /// The milliseconds that both sides have; `None` without a game clock.
    pub clocks: [Option<u64>; 2],
    /// The board of each position, see [`BoardEncoder::next`].
    pub grids: Vec<Value>,
    /// The last position.
    #[serde(flatten)]
    pub last: LastView,
    /// The boards so far.
    #[serde(skip)]
    drawn: BoardEncoder,
}

/// What a reader should know of the last position, beside its board.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LastView {
    /// The indices of the cells to mark, such as those of a winning line.
    pub highlights: Vec<usize>,
    /// Sentences, such as of turns that are left.
    pub note: String,
}

/// The last move of a game: what it adds to the lists of [`GameView`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MoveView {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The side to move after it.
    pub turn: String,
    /// Its time in milliseconds.
    pub ms: u64,
    pub score: Option<String>,
    /// The milliseconds that both sides have after it.
    pub clocks: [Option<u64>; 2],
    /// The board after it, see [`BoardEncoder::next`].
    pub grid: Value,
    /// The position after it.
    #[serde(flatten)]
    pub last: LastView,
}

impl LastView {
    fn of(position: &dyn Position) -> LastView {
        LastView {
            highlights: position.highlights(),
            note: position.note(),
        }
    }
}

/// The positions of a line of play.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LineView {
    /// The board after each move, see [`BoardEncoder::next`]; up to the first illegal move, and none in a game by a
    /// rules program, which would be asked about each.
    pub grids: Vec<Value>,
    /// The side to move in each position, `1` or `2`.
    pub turns: String,
}

impl LineView {
    /// A line that begins at a position.
    pub fn of(position: &dyn Position, moves: &[String]) -> LineView {
        let (mut line, mut drawn) = (LineView::default(), BoardEncoder::default());
        if position.built_in().is_none() {
            return line;
        }
        drawn.next(position);
        let mut position = position.boxed_clone();
        for text in moves {
            let Ok(mv) = position.parse_move(text) else { break };
            let Ok(after) = position.after(&mv) else { break };
            line.grids.push(drawn.next(after.as_ref()));
            line.turns += turn(after.as_ref());
            position = after;
        }
        line
    }
}

impl GameView {
    pub fn new(game: &Game) -> GameView {
        let positions = || game.positions().iter().map(AsRef::as_ref);
        let (first, thoughts) = (game.first_position(), game.thoughts());
        let scores = thoughts.iter().map(|thought| thought.info.score);
        let mut drawn = BoardEncoder::default();
        GameView {
            start: first.fen(),
            moves: game.moves().to_vec(),
            opening: game.opening_plies(),
            turns: positions().map(turn).collect(),
            ms: thoughts
                .iter()
                .map(|thought| thought.time.as_millis() as u64)
                .collect(),
            scores: scores.map(|score| Some(score?.to_string())).collect(),
            clocks: milliseconds(game.game_clocks()),
            grids: positions().map(|position| drawn.next(position)).collect(),
            last: LastView::of(game.position()),
            drawn,
        }
    }

    /// Adds a move.
    pub fn push(&mut self, last: MoveView) {
        self.moves.push(last.text);
        self.turns += &last.turn;
        self.ms.push(last.ms);
        self.scores.push(last.score);
        self.clocks = last.clocks;
        self.grids.push(last.grid);
        self.last = last.last;
    }

    /// The board of the last position as an object; null for a built-in game.
    pub fn board(&self, game: &Game, last: &MoveView) -> Value {
        match game.position().built_in() {
            Some(_) => Value::Null,
            None => self.drawn.object(&last.grid),
        }
    }

    /// The last move of the game, which this view lacks; `None` before the first one after the opening.
    pub fn next(&mut self, game: &Game) -> Option<MoveView> {
        let played = game.last()?;
        Some(MoveView {
            text: played.text.to_string(),
            turn: turn(game.position()).to_string(),
            ms: played.thought.time.as_millis() as u64,
            score: played.thought.info.score.map(|score| score.to_string()),
            clocks: milliseconds(game.game_clocks()),
            grid: self.drawn.next(game.position()),
            last: LastView::of(game.position()),
        })
    }

    /// What has come since this number of moves: the rest of all lists, and what is of the last position.
    pub fn since(&self, moves: usize) -> Value {
        let own = moves.saturating_sub(self.opening);
        json!({
            "moves": self.moves.get(moves..),
            "turns": self.turns.get(moves + 1..),
            "ms": self.ms.get(own..),
            "scores": self.scores.get(own..),
            "grids": self.grids.get(moves + 1..),
            "clocks": self.clocks,
            "highlights": self.last.highlights,
            "note": self.last.note,
        })
    }

    /// Keeps the moves that the game still has. The clocks stay.
    pub fn truncate(&mut self, game: &Game) {
        let moves = game.moves().len();
        let own = moves.saturating_sub(self.opening);
        self.moves.truncate(moves);
        self.turns.truncate(moves + 1);
        self.ms.truncate(own);
        self.scores.truncate(own);
        self.grids.truncate(moves + 1);
        self.last = LastView::of(game.position());
        // The next board is a whole one.
        self.drawn = BoardEncoder::default();
    }
}

/// The board of each position as an object; `None` for a built-in game.
pub fn boards(game: &Game) -> Option<Vec<Value>> {
    if game.first_position().built_in().is_some() {
        return None;
    }
    let mut drawn = BoardEncoder::default();
    let positions = game.positions().iter();
    Some(
        positions
            .map(|position| drawn.next_object(position.as_ref()))
            .collect(),
    )
}

/// The side to move: 1 or 2.
fn turn(position: &dyn Position) -> &'static str {
    ["1", "2"][position.side_to_move().index()]
}

fn milliseconds(clocks: TimesLeft) -> [Option<u64>; 2] {
    clocks.map(|left| left.map(|left| left.as_millis() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::game::clock::TimeControl;
    use referee_core::game::{MoveSequence, Ruleset};

    #[test]
    fn what_has_come_since_leaves_out_the_opening_where_it_has_no_values() {
        let view = GameView {
            moves: ["a1", "h1", "a2", "h2", "a3"].map(String::from).to_vec(),
            opening: 2,
            turns: "121212".into(),
            ms: vec![30, 31, 32],
            scores: ["cp 3", "cp 4", "cp 5"]
                .map(|score| Some(score.to_string()))
                .to_vec(),
            grids: (0..6).map(Value::from).collect(),
            ..GameView::default()
        };
        for (moves, list, turns, ms, scores, grids) in [
            (
                1,
                json!(["h1", "a2", "h2", "a3"]),
                "1212",
                json!([30, 31, 32]),
                3,
                json!([2, 3, 4, 5]),
            ),
            (4, json!(["a3"]), "2", json!([32]), 1, json!([5])),
        ] {
            let since = view.since(moves);
            assert_eq!((&since["moves"], &since["turns"]), (&list, &json!(turns)));
            assert_eq!((&since["ms"], &since["grids"]), (&ms, &grids));
            assert_eq!(since["scores"].as_array().unwrap().len(), scores);
        }
        let start = MoveSequence::placed(Ruleset::MAGNETIC_CAVE.startpos());
        let mut view = view;
        view.truncate(&Game::new(&start, [TimeControl::Unlimited; 2]));
        assert!(view.moves.is_empty() && view.ms.is_empty() && view.scores.is_empty());
        assert_eq!((&*view.turns, view.grids.len()), ("1", 1));
    }
}
