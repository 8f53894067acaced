//! The games of a page of results as JSON, in the form of `referee match --json-moves` and of `referee serve`.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use lodestone_game::board::Side;
use referee_core::failure::Stop;
use referee_core::game::{FileGame, MoveError, Position, Ruleset};
use referee_core::io::text::printable;
use referee_core::io::untrusted::Untrusted;
use referee_core::player::verdict::FaultKind;
use referee_core::results::analysis::{Judge, Mistake};
use referee_core::results::facts::{self, FactValues};
use referee_core::results::record::turn_digit;
use referee_core::results::{Header, Record, StoredGame};
use serde::Serialize;
use serde_json::{Number, Value};

use crate::view::BoardEncoder;

/// The largest length of a recorded line of play, in moves.
const MAX_LINE: usize = 16;

/// The most characters of an error.
const MAX_ERROR: usize = 300;

/// The bytes from which a match has no further boards by a rules program: a browser still opens the
/// page quickly.
const MAX_BOARDS: usize = 8_000_000;

/// A game of the page.
#[derive(Debug, Default, Serialize)]
struct PageGame<'a> {
    id: u64,
    /// The numbers of the players.
    seats: [Option<usize>; 2],
    pair: u64,
    round: u64,
    start: String,
    /// The board of the start (see [`BoardEncoder::next`]), then each move and the board after it, null if it is
    /// not known. Beside each other, moves and boards are compressed best.
    played: Vec<Value>,
    /// The moves as people write them.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<Vec<String>>,
    opening: usize,
    turns: String,
    ms: Vec<Number>,
    scores: &'a [Option<Untrusted>],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    highlights: Vec<usize>,
    /// Whether the rules end a built-in game in its last position.
    #[serde(rename = "isOver")]
    is_over: bool,
    result: String,
    reason: String,
    detail: String,
    /// Whether it was lost by a fault.
    #[serde(rename = "isFault", skip_serializing_if = "std::ops::Not::not")]
    is_fault: bool,
    /// Of each mistake the index, `mistake` or `blunder`, and whose scores were compared: `player`, `opponent` or
    /// `analysis`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<(usize, &'static str, &'static str)>,
    /// The index of each random move, and the fault in whose place it was played.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<(usize, String)>,
    /// The milliseconds of both clocks at the start, then that of the mover of each move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left: Vec<u64>,
    /// The recorded facts of the moves after the opening, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    facts: BTreeMap<&'static str, PageFacts<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis: Option<PageAnalysis<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<String>,
    /// Why the moves of the record cannot be played.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The values of a recorded fact.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum PageFacts<'a> {
    Counts(&'a [Option<u64>]),
    Times(&'a [Option<f64>]),
    Lines(Vec<String>),
}

impl<'a> PageFacts<'a> {
    fn new(values: FactValues<'a>) -> PageFacts<'a> {
        match values {
            FactValues::Counts(values) => PageFacts::Counts(values),
            FactValues::Times(values) => PageFacts::Times(values),
            FactValues::Lines(lines) => {
                PageFacts::Lines(lines.iter().map(|text| line(text.as_ref())).collect())
            }
        }
    }
}

/// The analysis of the moves after the opening.
#[derive(Debug, Serialize)]
struct PageAnalysis<'a> {
    engine: String,
    before: &'a [Option<Untrusted>],
    after: &'a [Option<Untrusted>],
    /// The best moves, each with the line that follows it, if it is known.
    lines: Vec<String>,
}

/// Makes the games of one match.
#[derive(Debug)]
pub struct GameMaker<'a> {
    header: &'a Header,
    /// The number of each player, by its name.
    players: HashMap<&'a str, usize>,
    /// The rules of the game, if they are known.
    rules: Option<Ruleset>,
    boards: RulesBoards,
}

/// What remains for boards by a rules program.
#[derive(Debug, Default)]
struct RulesBoards {
    bytes: usize,
    /// No position is asked for after this.
    deadline: Option<Instant>,
    has_failed: bool,
}

/// The boards of a game, as far as they are known.
#[derive(Debug, Default)]
struct GameBoards {
    grids: Vec<Value>,
    turns: String,
    highlights: Vec<usize>,
    is_over: bool,
    error: Option<String>,
    written: Option<Vec<String>>,
}

impl<'a> GameMaker<'a> {
    /// `rules` are those of the command, `boards_time` is the time for boards by a rules program.
    pub fn new(header: &'a Header, rules: Option<Ruleset>, boards_time: Option<Duration>) -> GameMaker<'a> {
        let names = header.engines.iter().map(|engine| engine.name.as_str());
        GameMaker {
            header,
            players: names.zip(0..).collect(),
            rules: header.game(rules).rules(),
            boards: RulesBoards {
                deadline: boards_time.and_then(|time| Instant::now().checked_add(time)),
                ..RulesBoards::default()
            },
        }
    }

    /// The game of a record as JSON. If it cannot be replayed, a built-in game has no moves.
    ///
    /// # Errors
    /// None: nothing fails in memory.
    pub fn json(&mut self, record: &Record) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&self.game(record))
    }

    fn game<'g>(&mut self, record: &'g Record) -> PageGame<'g> {
        let (boards, replay) = match self.header.rules {
            Some(_) => self.by_rules(record),
            None => built_in(record, self.header, self.rules),
        };
        let number = |name: &String| self.players.get(name.as_str()).copied();
        let mut game = PageGame {
            id: record.id,
            seats: [number(&record.first), number(&record.second)],
            pair: record.pair,
            round: record.round,
            start: shown(&record.start),
            turns: boards.turns,
            written: boards.written,
            highlights: boards.highlights,
            is_over: boards.is_over,
            result: record.result.to_string(),
            reason: shown(&record.reason),
            is_fault: FaultKind::from_word(record.reason.raw()).is_some(),
            detail: shown(&record.detail),
            points: record.points.as_ref().map(shown),
            error: boards.error,
            ..PageGame::default()
        };
        match replay {
            Ok(replay) => game.add(record, &replay, boards.grids),
            Err(error) => game.error = Some(error),
        }
        game.error = game.error.map(|why| printable(&why, MAX_ERROR));
        game
    }

    /// The boards by a rules program, and the moves as the record has them: of a large match, the
    /// rules are not asked about every game.
    fn by_rules(&mut self, record: &Record) -> (GameBoards, Result<StoredGame, String>) {
        let boards = self.rules.map(|rules| self.boards.by_rules(rules, record));
        let mut boards = boards.unwrap_or_default();
        if boards.turns.len() <= record.moves.len() {
            boards.turns = record.turns.as_ref().map(shown).unwrap_or_default();
        }
        let turns = Some(Untrusted::from(boards.turns.as_str())).filter(|turns| !turns.is_empty());
        let record = Record {
            turns,
            ..record.clone()
        };
        let game = FileGame::Unknown {
            name: shown(&record.variant),
            title: shown(&record.variant),
        };
        let replay = StoredGame::of_game(game, &record, Some(self.header));
        (boards, replay)
    }
}

/// The boards of a built-in game.
fn built_in(
    record: &Record,
    header: &Header,
    rules: Option<Ruleset>,
) -> (GameBoards, Result<StoredGame, String>) {
    let replay = StoredGame::from_record(record, Some(header), rules);
    let (mut boards, mut found) = (BoardEncoder::default(), GameBoards::default());
    if let Ok(game) = &replay {
        let positions = || (0..=game.moves.len()).map(|plies| game.position(plies));
        found.grids = positions().map(|position| boards.next(position)).collect();
        found.turns = positions()
            .map(|position| turn_digit(position.side_to_move()))
            .collect();
        let last = game.position(game.moves.len());
        (found.highlights, found.is_over) = (last.highlights(), last.outcome().is_some());
    }
    (found, replay)
}

impl RulesBoards {
    /// The boards of the first positions of a game; of all, unless a limit is reached.
    fn by_rules(&mut self, rules: Ruleset, record: &Record) -> GameBoards {
        let mut found = GameBoards::default();
        let mut boards = BoardEncoder::default();
        let mut last: Option<Box<dyn Position>> = None;
        while found.grids.len() <= record.moves.len() && !self.is_over() {
            match next(rules, record, last.as_deref(), found.grids.len()) {
                Ok(Ok(position)) => {
                    let board = boards.next(position.as_ref());
                    self.bytes += board.to_string().len();
                    found.grids.push(board);
                    found.turns.push(turn_digit(position.side_to_move()));
                    last = Some(position);
                }
                Ok(Err(why)) => {
                    found.error = Some(why);
                    break;
                }
                Err(stop) => {
                    log::warn!("the page has no further boards: {stop}");
                    self.has_failed = true;
                }
            }
        }
        if found.grids.iter().all(Value::is_null) {
            found.grids.clear();
        }
        if found.error.is_none() && !self.is_over() {
            let moves: Vec<&str> = record.moves.iter().map(Untrusted::raw).collect();
            match rules.notation(record.start.raw(), &moves) {
                Ok(written) => found.written = written,
                Err(stop) => {
                    log::warn!("the page has no further boards: {stop}");
                    self.has_failed = true;
                }
            }
        }
        found
    }

    fn is_over(&self) -> bool {
        let is_late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.has_failed || self.bytes >= MAX_BOARDS || is_late()
    }
}

/// The position after the move number `plies`, or what is wrong in the record. An error if the rules program
/// fails.
fn next(
    rules: Ruleset,
    record: &Record,
    last: Option<&dyn Position>,
    plies: usize,
) -> Result<Result<Box<dyn Position>, String>, Stop> {
    let Some(last) = last else {
        let start = rules.parse_fen(record.start.raw());
        return Ok(start.map_err(|error| format!("`start`: {error}")));
    };
    match last.parse_move(record.moves[plies - 1].raw()) {
        Ok(mv) => last.after(&mv).map(Ok),
        Err(MoveError::Stopped(stop)) => Err(stop),
        Err(error) => Ok(Err(format!("move {plies}: {error}"))),
    }
}

impl<'g> PageGame<'g> {
    /// Adds the moves, and what is recorded of them.
    fn add(&mut self, record: &'g Record, replay: &StoredGame, grids: Vec<Value>) {
        let mut grids = grids.into_iter();
        let mut next = || grids.next().unwrap_or_default();
        self.played.push(next());
        for played in &replay.moves {
            self.played.extend([played.text.as_str().into(), next()]);
        }
        self.opening = replay.opening_plies;
        self.ms = record.ms.iter().filter_map(|&ms| rounded(ms)).collect();
        if record.score.iter().any(Option::is_some) {
            self.scores = &record.score;
        }
        self.faults = record
            .replaced()
            .map(|fault| (fault.number.saturating_sub(1), shown(&fault.detail)))
            .collect();
        let indexed = replay.moves.iter().enumerate();
        self.marks = indexed
            .filter_map(|(index, played)| {
                let (kind, judge) = mark(played.mistake?, played.mover);
                Some((index, kind, judge))
            })
            .collect();
        if replay.clocks(0).iter().any(Option::is_some) {
            let movers = replay
                .moves
                .iter()
                .zip(1..)
                .map(|(played, plies)| replay.clocks(plies)[played.mover.index()]);
            let all = replay.clocks(0).into_iter().chain(movers);
            self.left = all
                .map(|left| left.map_or(0, |left| left.as_millis() as u64))
                .collect();
        }
        let facts = facts::kept(record).filter(|(fact, _)| fact.page.is_some());
        self.facts = facts
            .map(|(fact, values)| (fact.name, PageFacts::new(values)))
            .collect();
        self.analysis = record.analysis.as_ref().map(|analysis| {
            let engine = analysis.engine_with_limits();
            let best = replay.moves[replay.opening_plies..].iter().map(|played| {
                let analysis = played.analysis.as_ref();
                let best = analysis.and_then(|one| one.pv.as_ref().or(one.best.as_ref()));
                line(best)
            });
            PageAnalysis {
                engine: engine.trim_end().into(),
                before: &analysis.before,
                after: &analysis.after,
                lines: best.collect(),
            }
        });
    }
}

/// A text without characters that cannot be shown.
fn shown(text: &Untrusted) -> String {
    text.shown().to_string()
}

/// The beginning of a line of play.
fn line(text: Option<&Untrusted>) -> String {
    let words = text.map_or("", Untrusted::raw).split_whitespace().take(MAX_LINE);
    printable(&words.collect::<Vec<_>>().join(" "), usize::MAX)
}

/// A time in milliseconds as exactly as it is shown: three digits below a second, then hundredths of a
/// second.
fn rounded(ms: f64) -> Option<Number> {
    let unit = match ms {
        ..1.0 => 0.001,
        ..10.0 => 0.01,
        ..100.0 => 0.1,
        ..1000.0 => 1.0,
        _ => 10.0,
    };
    let steps = (ms / unit).round();
    if unit >= 1.0 {
        return Some(((steps * unit) as u64).into());
    }
    // Divided, it is the nearest number, with few digits.
    Number::from_f64(steps / (1.0 / unit).round())
}

/// The kind of a mistake, and its judge.
fn mark(mistake: Mistake, mover: Side) -> (&'static str, &'static str) {
    let judge = match mistake.judge {
        Judge::Player(side) if side == mover => "player",
        Judge::Player(_) => "opponent",
        Judge::Analysis => "analysis",
    };
    let kind = if mistake.is_blunder { "blunder" } else { "mistake" };
    (kind, judge)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use lodestone_game::random::Random;
    use lodestone_game::{FenError, GameInfo, Outcome, Setup};
    use serde_json::json;

    use super::*;
    use referee_core::game::grid::Grid;
    use referee_core::game::{GameMove, GameRules};
    use referee_core::samples::header;
    use referee_core::samples::{record, recorded};

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
                Ok(0..3) => Ok(GameMove { text: text.into() }),
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

        fn grid(&self) -> Option<Grid> {
            Grid::read(&format!("columns 3 rows 1 cells {}", self.0.join(" "))).ok()
        }

        fn boxed_clone(&self) -> Box<dyn Position> {
            Box::new(self.clone())
        }
    }

    fn row_game(moves: &[&str]) -> Record {
        Record {
            moves: moves.iter().map(|&mv| mv.into()).collect(),
            ..record(1, "a", "b")
        }
    }

    fn value(header: &Header, record: &Record) -> Value {
        serde_json::to_value(GameMaker::new(header, None, None).game(record)).unwrap()
    }

    /// The last board, from the first one and the cells that changed.
    fn last_board(game: &Value) -> String {
        let boards: Vec<&str> = game["played"]
            .as_array()
            .unwrap()
            .iter()
            .step_by(2)
            .map(|board| board.as_str().unwrap())
            .collect();
        let (names, cells) = boards[0].split_once(" cells ").unwrap();
        let mut cells: Vec<&str> = cells.split(' ').collect();
        for board in &boards[1..] {
            let words: Vec<&str> = board.split(' ').collect();
            for pair in words.chunks(2) {
                cells[pair[0].parse::<usize>().unwrap()] = pair[1];
            }
        }
        format!("{names} cells {}", cells.join(" "))
    }

    #[test]
    fn boards_are_those_of_the_rules() {
        let header = header();
        let one = record(3, "b", "a");
        let gridlock = Record {
            variant: "gridlock".into(),
            start: "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40".into(),
            moves: vec!["c4d4".into(), "a5a6".into()],
            opening_plies: 0,
            ms: vec![1.0, 12.345],
            score: vec![None; 2],
            ..one.clone()
        };
        for record in [one, gridlock] {
            let game = value(&header, &record);
            let replay = StoredGame::from_record(&record, None, None).unwrap();
            let last = replay.position(record.moves.len()).built_in().unwrap();
            assert_eq!(last_board(&game), last.diagram().grid());
            let moves: Vec<&Value> = game["played"]
                .as_array()
                .unwrap()
                .iter()
                .skip(1)
                .step_by(2)
                .collect();
            assert_eq!(json!(moves), json!(record.moves));
            assert_eq!(game["seats"], json!([1, 0]));
            assert_eq!(game["isOver"], last.outcome().is_some());
        }
    }

    #[test]
    fn a_record_that_cannot_be_replayed_says_why() {
        let mut game = record(1, "a", "b");
        game.moves[2] = "d5".into();
        let game = value(&header(), &game);
        assert_eq!(game["played"], json!([]));
        assert!(game["error"].as_str().unwrap().starts_with("move 3: "), "{game}");
    }

    #[test]
    fn mistakes_and_lines_are_recorded() {
        let mut game = record(1, "a", "b");
        game.score[1] = Some("cp 300".into());
        game.score[3] = Some("cp -300".into());
        game.pv = Some(vec![Some("h1 a2".into()); 8]);
        let game = value(&header(), &game);
        assert_eq!(
            game["marks"],
            json!([[2, "blunder", "player"]]),
            "move 3 is a blunder"
        );
        assert_eq!(game["facts"]["pv"][7], "h1 a2");
    }

    #[test]
    fn each_move_has_the_clock_of_its_mover() {
        let mut header = header();
        header.engines[0].settings = recorded("cmd=a tc=10+1");
        header.engines[1].settings = recorded("cmd=a tc=20+2");
        let times = |start: &str, moves: [&str; 4]| {
            let game = Record {
                start: start.into(),
                ms: vec![100.0, 200.0, 300.0],
                score: vec![None; 3],
                moves: moves.map(Untrusted::from).to_vec(),
                ..record(1, "a", "b")
            };
            value(&header, &game)["left"].clone()
        };
        // Of both at the start, after the opening's move, and then after 100, 200 and 300 ms.
        assert_eq!(
            times("8/8/8/8/8/8/8/8 x", ["a1", "h1", "a2", "h2"]),
            json!([10_000, 20_000, 10_000, 21_900, 10_800, 23_600])
        );
        assert_eq!(
            times("8/8/8/8/8/8/8/x7 o", ["h1", "a2", "h2", "a3"]),
            json!([10_000, 20_000, 20_000, 10_900, 21_800, 11_600])
        );
    }

    #[test]
    fn a_random_move_is_marked_at_its_own_place() {
        let mut game = record(1, "a", "b");
        let fault = json!({"move": 3, "player": 1, "reason": "illegal", "detail": "a played z9"});
        game.faults = vec![serde_json::from_value(fault).unwrap()];
        let game = value(&header(), &game);
        assert_eq!(game["faults"], json!([[2, "a played z9"]]), "the third move");
    }

    #[test]
    fn times_are_as_exact_as_they_are_shown() {
        for (ms, shown) in [
            (0.0, "0.0"),
            (0.123, "0.123"),
            (1.2345, "1.23"),
            (12.345, "12.3"),
            (123.45, "123"),
            (10_144.4, "10140"),
            (10_145.0, "10150"),
        ] {
            assert_eq!(rounded(ms).unwrap().to_string(), shown);
        }
    }

    #[test]
    fn moves_of_a_rules_program_are_texts() {
        let mut header = header();
        header.variant = "pebbles".into();
        header.rules =
            Some(serde_json::from_value(json!({"name": "pebbles", "cmd": ["./pebbles"]})).unwrap());
        let mut game = record(1, "a", "b");
        game.variant = "pebbles".into();
        game.moves[1] = "<b>\u{202e}".into();
        game.points = Some("3 4".into());
        game.turns = Some("112121212".into());
        let game = value(&header, &game);
        assert_eq!(game["played"].as_array().unwrap().len(), 19);
        assert_eq!(game["played"][3], "<b>\\u{202e}");
        assert_eq!(game["played"][4], Value::Null);
        assert_eq!([&game["points"], &game["turns"]], ["3 4", "112121212"]);
    }

    #[test]
    fn boards_of_a_rules_program_end_at_a_wrong_move_and_at_a_failure() {
        let mut rules = RulesBoards::default();
        let wrong = rules.by_rules(*RULES, &row_game(&["1", "5", "1"]));
        assert_eq!(
            wrong.grids,
            [json!("columns 3 rows 1 cells . . ."), json!("1 xK")]
        );
        assert_eq!(wrong.error.as_deref(), Some("move 2: there are three cells"));
        assert_eq!(
            rules.by_rules(*RULES, &row_game(&["2", "0", "0"])).grids[2..],
            [json!("0 xK"), json!("")]
        );
        // After a failure, no question follows.
        assert_eq!(rules.by_rules(*RULES, &row_game(&["1", "7"])).grids.len(), 2);
        assert_eq!(rules.by_rules(*RULES, &row_game(&["1"])).grids.len(), 0);
    }

    #[test]
    fn time_and_size_of_all_boards_are_limited() {
        let late = RulesBoards {
            deadline: Some(Instant::now()),
            ..RulesBoards::default()
        };
        let full = RulesBoards {
            bytes: MAX_BOARDS,
            ..RulesBoards::default()
        };
        for (mut rules, boards) in [(late, 0), (full, 0), (RulesBoards::default(), 2)] {
            assert_eq!(rules.by_rules(*RULES, &row_game(&["1"])).grids.len(), boards);
        }
    }
}
