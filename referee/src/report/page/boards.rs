//! The boards of games by a rules program. Each position is asked for once, also for a page that is
//! written again and again.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::game::grid::Grid;
use crate::game::{MoveError, Position, Ruleset};
use crate::results::Record;
use crate::results::record::turn_digit;

/// The bytes from which a match has no further boards on its page: a browser still opens it quickly.
const MAX_BYTES: usize = 8_000_000;

/// The boards of the games of a match.
#[derive(Debug, Default)]
pub struct Boards {
    games: HashMap<u64, GameBoards>,
    /// The bytes of all boards.
    bytes: usize,
    /// No position is asked for after this.
    deadline: Option<Instant>,
    /// The rules program has failed.
    has_failed: bool,
}

/// The boards of the first positions of a game; of all, unless a limit is reached.
#[derive(Debug, Default)]
pub struct GameBoards {
    start: String,
    /// The moves between the positions.
    moves: Vec<String>,
    /// The last position and its grid.
    last: Option<(Box<dyn Position>, Option<Grid>)>,
    /// Each board as the page has it:
    ///
    /// | JSON | board |
    /// |---|---|
    /// | array | a grid: the names of the columns (or their number), those of the rows, all cells |
    /// | string | the grid before with some other cells: pairs of an index and a cell |
    /// | object | `text`: a text |
    /// | null | none |
    pub boards: Vec<Value>,
    /// The side to move in each position, `1` or `2`.
    pub turns: String,
    /// Why the next move cannot be played.
    pub error: Option<String>,
}

/// Why there is no next position.
enum NoPosition {
    /// The record has an error.
    Wrong(String),
    /// The rules program failed.
    Failed(String),
}

impl Boards {
    /// Limits the time of the next questions.
    pub fn ask_for(&mut self, time: Duration) {
        self.deadline = Instant::now().checked_add(time);
    }

    /// The boards of a game; `None` if its rules are not known.
    pub fn of(&mut self, record: &Record) -> Option<&GameBoards> {
        let rules = Ruleset::of_file(&record.variant, true).ok()?;
        if rules.recorded_start(&record.start, Vec::new()).is_some() {
            return None;
        }
        Some(self.by_rules(rules, record))
    }

    fn by_rules(&mut self, rules: Ruleset, record: &Record) -> &GameBoards {
        let is_late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let game = self.games.entry(record.id).or_default();
        if game.start != record.start || !record.moves.starts_with(&game.moves) {
            *game = GameBoards {
                start: record.start.clone(),
                ..GameBoards::default()
            };
        }
        while game.error.is_none()
            && game.boards.len() <= record.moves.len()
            && !self.has_failed
            && self.bytes < MAX_BYTES
            && !is_late()
        {
            match game.next(rules, record) {
                Ok(position) => self.bytes += game.push(position),
                Err(NoPosition::Wrong(why)) => game.error = Some(why),
                Err(NoPosition::Failed(why)) => {
                    log::warn!("the page has no further boards: {why}");
                    self.has_failed = true;
                }
            }
        }
        game
    }
}

impl GameBoards {
    /// The next position of the game.
    fn next(&mut self, rules: Ruleset, record: &Record) -> Result<Box<dyn Position>, NoPosition> {
        let Some((last, _)) = &self.last else {
            let start = rules.parse_fen(&record.start);
            return start.map_err(|error| NoPosition::Wrong(format!("`start`: {error}")));
        };
        let text = &record.moves[self.moves.len()];
        let mv = last.parse_move(text).map_err(|error| match error {
            MoveError::Stopped(stop) => NoPosition::Failed(stop.to_string()),
            error => NoPosition::Wrong(format!("move {}: {error}", self.moves.len() + 1)),
        })?;
        let next = last.after(&mv);
        let next = next.map_err(|stop| NoPosition::Failed(stop.to_string()))?;
        self.moves.push(text.clone());
        Ok(next)
    }

    /// Adds the board of a position. Returns its size in bytes.
    fn push(&mut self, position: Box<dyn Position>) -> usize {
        let grid = Grid::of(position.as_ref());
        let before = self.last.as_ref().and_then(|(_, grid)| grid.as_ref());
        let board = match (&grid, before) {
            (Some(grid), Some(before)) if grid.has_shape_of(before) => {
                let changes = grid.changes(before);
                let changes: Vec<String> = changes.map(|(index, cell)| format!("{index} {cell}")).collect();
                json!(changes.join(" "))
            }
            (Some(grid), _) => json!([names(&grid.columns), names(&grid.rows), grid.cells.join(" ")]),
            (None, _) => match position.board() {
                board if board.is_empty() => Value::Null,
                board => json!({ "text": board }),
            },
        };
        self.turns.push(turn_digit(position.side_to_move()));
        self.last = Some((position, grid));
        let size = board.to_string().len();
        self.boards.push(board);
        size
    }
}

/// The names, or their number if they are empty.
fn names(names: &[String]) -> Value {
    match names.first() {
        Some(name) if name.is_empty() => json!(names.len()),
        _ => json!(names.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use lodestone::board::Side;
    use lodestone::game::{FenError, GameInfo, Outcome, Setup};
    use lodestone::random::Random;

    use super::*;
    use crate::game::{GameMove, GameRules};
    use crate::io::interrupt::Stop;
    use crate::results::tests::record;

    static ROW: GameInfo = GameInfo::of_other_game("row", "row");

    static RULES: LazyLock<Ruleset> = LazyLock::new(|| Ruleset::new(&Row));

    /// A row of cells. A move is a number, and sets its cell. The first player has all turns.
    #[derive(Debug)]
    struct Row;

    #[derive(Clone, Debug)]
    struct RowPosition(Vec<&'static str>);

    impl GameRules for Row {
        fn info(&self) -> &'static GameInfo {
            &ROW
        }

        fn startpos(&'static self) -> Box<dyn Position> {
            Box::new(RowPosition(vec!["."; 3]))
        }

        fn parse_fen(&'static self, _: &str) -> Result<Box<dyn Position>, FenError> {
            Ok(self.startpos())
        }

        fn random_start(&'static self, _: Setup, _: &mut Random) -> Result<Box<dyn Position>, Stop> {
            Ok(self.startpos())
        }
    }

    impl Position for RowPosition {
        fn info(&self) -> &'static GameInfo {
            &ROW
        }

        fn fen(&self) -> String {
            self.0.join("")
        }

        fn side_to_move(&self) -> Side {
            Side::First
        }

        fn outcome(&self) -> Option<Outcome> {
            None
        }

        fn explain(&self, _: Outcome) -> String {
            String::new()
        }

        fn legal_moves(&self) -> Vec<GameMove> {
            Vec::new()
        }

        fn parse_move(&self, text: &str) -> Result<GameMove, MoveError> {
            match text.parse() {
                Ok(0..3) => Ok(GameMove {
                    text: text.into(),
                    cells: None,
                }),
                Ok(7) => Err(MoveError::Stopped(Stop::Rules("no answer".into()))),
                _ => Err(MoveError::Illegal("there are three cells".into())),
            }
        }

        fn after(&self, mv: &GameMove) -> Result<Box<dyn Position>, Stop> {
            let mut next = self.clone();
            next.0[mv.text.parse::<usize>().unwrap()] = "xK";
            Ok(Box::new(next))
        }

        fn symmetry_key(&self) -> u64 {
            0
        }

        fn board(&self) -> String {
            String::new()
        }

        fn grid(&self) -> Option<String> {
            Some(format!("columns 3 rows 1 cells {}", self.0.join(" ")))
        }

        fn boxed_clone(&self) -> Box<dyn Position> {
            Box::new(self.clone())
        }
    }

    fn game(id: u64, moves: &[&str]) -> Record {
        Record {
            moves: moves.iter().map(ToString::to_string).collect(),
            reason: "running".into(),
            ..record(id, "a", "b")
        }
    }

    #[test]
    fn boards_after_the_first_are_the_cells_that_changed() {
        let mut boards = Boards::default();
        let first = boards.by_rules(*RULES, &game(1, &["2"]));
        assert_eq!(first.boards, [json!([3, "1", ". . ."]), json!("2 xK")]);
        // The game goes on.
        let longer = boards.by_rules(*RULES, &game(1, &["2", "0", "0"]));
        assert_eq!(longer.boards[2..], [json!("0 xK"), json!("")]);
        assert_eq!(longer.turns, "1111");
        // A game with the same number is played again.
        let again = boards.by_rules(*RULES, &game(1, &["0"]));
        assert_eq!(again.boards[1..], [json!("0 xK")]);
    }

    #[test]
    fn a_text_stands_in_place_of_a_grid() {
        let mut boards = Boards::default();
        let game = boards.by_rules(Ruleset::MAGNETIC_CAVE, &record(1, "a", "b"));
        assert_eq!(game.boards.len(), 10);
        assert!(game.boards[9]["text"].as_str().unwrap().contains("8 "));
        assert_eq!(game.turns, "1212121212");
    }

    #[test]
    fn a_move_that_cannot_be_played_ends_the_boards_of_its_game() {
        let mut boards = Boards::default();
        let wrong = boards.by_rules(*RULES, &game(1, &["1", "5", "1"]));
        assert_eq!(wrong.boards.len(), 2);
        assert_eq!(wrong.error.as_deref(), Some("move 2: there are three cells"));
        assert_eq!(boards.by_rules(*RULES, &game(2, &["1"])).boards.len(), 2);
    }

    #[test]
    fn no_question_follows_a_failure_of_the_rules() {
        let mut boards = Boards::default();
        assert_eq!(boards.by_rules(*RULES, &game(1, &["1", "7"])).boards.len(), 2);
        assert_eq!(boards.by_rules(*RULES, &game(2, &["1"])).boards.len(), 0);
    }

    #[test]
    fn time_and_size_of_all_boards_are_limited() {
        let mut boards = Boards::default();
        boards.ask_for(Duration::ZERO);
        assert_eq!(boards.by_rules(*RULES, &game(1, &["1"])).boards.len(), 0);
        boards.deadline = None;
        assert_eq!(boards.by_rules(*RULES, &game(1, &["1"])).boards.len(), 2);
        boards.bytes = MAX_BYTES;
        assert_eq!(boards.by_rules(*RULES, &game(2, &["1"])).boards.len(), 0);
    }

    #[test]
    fn a_game_without_rules_has_no_boards() {
        let mut game = game(1, &["1"]);
        game.variant = "a game without rules".into();
        assert!(Boards::default().of(&game).is_none());
    }
}
