//! The compact text of a game in the page.
//!
//! A game is a JSON array; `data.js` has the inverse. Its numbers are written with digits of
//! base 64, in the order of `DIGITS`:
//!
//! | what | digits |
//! |---|---|
//! | a move of Magnetic Cave | 1: the cell, `8 * row + column` from the top left |
//! | a move of Gridlock | 2: the cells from and to |
//! | a time | 3: microseconds, exact below 10 ms, otherwise with four significant digits |
//! | a score | 3: 0 for none, then a draw, wins, losses and centipawns |
//! | a mark of a mistake | 3: the index of the move (2 digits) and the kind |
//!
//! A game by a rules program has its moves as a JSON array of texts, and its lines as well.
//!
//! Texts that several games share (starts, reasons, details) are indices into one list,
//! which follows the games.

use std::cell::RefCell;
use std::collections::HashMap;

use lodestone::board::{Move, Side};
use lodestone::game::GameResult;
use lodestone::score::Score;
use serde_json::{Map, Value, json};

use super::boards::Boards;
use crate::game::Ruleset;
use crate::io::text::printable;
use crate::results::analysis::{Judge, Mistake};
use crate::results::{Header, Record, StoredGame};

/// The digits of base 64.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The largest length of a recorded line of play, in moves.
const MAX_LINE: usize = 16;

/// The most characters of an error.
const MAX_ERROR: usize = 300;

/// Times below this number of microseconds are exact.
const EXACT: u64 = 10_000;

/// The number of mantissas of a longer time: 1000 to 9999.
const MANTISSAS: u64 = 9_000;

/// The largest number of plies of a proven result.
const MAX_DISTANCE: u32 = 2_047;

/// The largest evaluation in centipawns; larger ones are clamped.
const MAX_CP: i32 = 120_000;

/// The code of the evaluation 0.
const ZERO_CP: i64 = 2 + 2 * (MAX_DISTANCE as i64 + 1) + MAX_CP as i64;

/// Packs the games of one match.
#[derive(Debug)]
pub struct Packer<'a> {
    header: &'a Header,
    /// Whether the game is one of a rules program.
    pub is_other: bool,
    boards: Option<&'a RefCell<Boards>>,
    /// The number of each player, by its name.
    players: HashMap<&'a str, usize>,
    /// The texts that games share.
    pub texts: Vec<String>,
    indices: HashMap<String, usize>,
}

impl<'a> Packer<'a> {
    /// A packer without games.
    pub fn new(header: &'a Header) -> Packer<'a> {
        let names = header.engines.iter().map(|engine| engine.name.as_str());
        Packer {
            header,
            is_other: header.rules.is_some(),
            boards: None,
            players: names.zip(0..).collect(),
            texts: Vec::new(),
            indices: HashMap::new(),
        }
    }

    /// With the boards of games that are not built in.
    pub fn with_boards(self, boards: &'a RefCell<Boards>) -> Packer<'a> {
        Packer {
            boards: Some(boards),
            ..self
        }
    }

    /// The game of a record: its facts, its moves, their times and scores, and an object with
    /// what only some games have:
    ///
    /// | field | content |
    /// |---|---|
    /// | `marks` | the mistakes |
    /// | `clocks` | the time left: of both players at the start, then of the mover of each move |
    /// | `depth`, `nodes` | of each move after the opening, as JSON numbers or null |
    /// | `lines` | the principal variations of the moves after the opening, with dots between them |
    /// | `analysis` | the `engine`, and of the moves after the opening the scores `before` and `after`, and the `lines` that begin with the best moves |
    /// | `turns` | the side to move in each position, `1` or `2`, unless they move in turn from `1` |
    /// | `boards` | the first boards of a game that is not built in, see [`GameBoards`] |
    /// | `points` | the points of both sides |
    /// | `error` | why the game cannot be replayed; a built-in game has no moves then |
    ///
    /// [`GameBoards`]: super::boards::GameBoards
    pub fn game(&mut self, record: &Record) -> Value {
        let mut extra = Map::new();
        let (mut opening_plies, mut times, mut scores) = Default::default();
        let mut moves = json!("");
        let replay = if self.is_other {
            self.other_game(record, &mut extra)
        } else {
            StoredGame::from_record(record, Some(self.header))
        };
        match replay {
            Ok(game) => {
                opening_plies = game.opening_plies;
                moves = if self.is_other {
                    game.moves
                        .iter()
                        .map(|played| printable(&played.text, usize::MAX))
                        .collect()
                } else {
                    let cells = game.moves.iter().filter_map(|played| played.cells);
                    moves_text(game.variant, cells).into()
                };
                times = times_text(&record.ms);
                scores = scores_text(&record.score);
                add_replay(&mut extra, &game);
                add_facts(&mut extra, record, &game);
                if let Some(analysis) = &record.analysis {
                    let engine = printable(&analysis.engine.name, usize::MAX);
                    let engine = format!("{engine} {}", analysis.engine.limits());
                    add_analysis(&mut extra, engine.trim_end(), &game);
                }
            }
            Err(error) => drop(extra.insert("error".into(), printable(&error, MAX_ERROR).into())),
        }
        let number = |name: &String| self.players.get(name.as_str()).copied();
        let seats = [number(&record.first), number(&record.second)];
        let result = match record.result {
            GameResult::Draw => 0,
            GameResult::Win(Side::First) => 1,
            GameResult::Win(Side::Second) => 2,
        };
        let mut game = json!([
            record.id,
            seats[0],
            seats[1],
            record.pair,
            record.round,
            self.text(&record.start),
            opening_plies,
            result,
            self.text(&record.reason),
            self.text(&record.detail),
            moves,
            times,
            scores,
        ]);
        if let (false, Some(fields)) = (extra.is_empty(), game.as_array_mut()) {
            fields.push(Value::Object(extra));
        }
        game
    }

    /// The game of a record by a rules program, with boards and turns. Its moves are those of the
    /// record: of a large match, the rules are not asked about every game.
    fn other_game(&self, record: &Record, extra: &mut Map<String, Value>) -> Result<StoredGame, String> {
        let mut turns = record.turns.clone();
        if let Some(mut boards) = self.boards.map(RefCell::borrow_mut)
            && let Some(game) = boards.of(record)
        {
            if game.turns.len() > record.moves.len() {
                turns = Some(game.turns.clone());
            }
            if game.boards.iter().any(|board| !board.is_null()) {
                extra.insert("boards".into(), game.boards.clone().into());
            }
            let error = game.error.as_ref().map(|why| printable(why, MAX_ERROR).into());
            extra.extend(error.map(|error| ("error".into(), error)));
        }
        if let Some(turns) = &turns
            && !turns.bytes().eq(b"12".iter().copied().cycle().take(turns.len()))
        {
            extra.insert("turns".into(), turns.as_str().into());
        }
        if let Some(points) = &record.points {
            extra.insert("points".into(), printable(points, MAX_ERROR).into());
        }
        let record = Record {
            turns,
            ..record.clone()
        };
        StoredGame::by_rules(Ruleset::recorded(&record.variant), &record, Some(self.header))
    }

    /// The index of a text.
    fn text(&mut self, text: &str) -> usize {
        let text = printable(text, usize::MAX);
        if let Some(&index) = self.indices.get(&text) {
            return index;
        }
        let index = self.texts.len();
        self.texts.push(text.clone());
        self.indices.insert(text, index);
        index
    }
}

/// Adds mistakes and clocks.
fn add_replay(extra: &mut Map<String, Value>, replay: &StoredGame) {
    let mut marks = String::new();
    for (index, played) in replay.moves.iter().enumerate() {
        if let Some(mistake) = played.mistake {
            push_digits(&mut marks, index as u64, 2);
            push_digits(&mut marks, mark(mistake, played.mover), 1);
        }
    }
    if !marks.is_empty() {
        extra.insert("marks".into(), marks.into());
    }
    let start = replay.clocks(0);
    if start.iter().any(Option::is_some) {
        let mut clocks = String::new();
        let mut push = |left: Option<std::time::Duration>| {
            let left = left.map_or(0, |left| left.as_micros() as u64);
            push_digits(&mut clocks, time_code(left), 3);
        };
        start.into_iter().for_each(&mut push);
        for (played, plies) in replay.moves.iter().zip(1..) {
            push(replay.clocks(plies)[played.mover.index()]);
        }
        extra.insert("clocks".into(), clocks.into());
    }
}

/// The kind of a mistake: bit 0 is set for a blunder, bit 1 if the opponent's scores were
/// compared, bit 2 if an analysis shows it.
fn mark(mistake: Mistake, mover: Side) -> u64 {
    let judge = match mistake.judge {
        Judge::Player(side) => u64::from(side != mover) << 1,
        Judge::Analysis => 4,
    };
    u64::from(mistake.is_blunder) | judge
}

/// Adds the recorded facts of the moves.
fn add_facts(extra: &mut Map<String, Value>, record: &Record, replay: &StoredGame) {
    if let Some(depth) = &record.facts.depth {
        extra.insert("depth".into(), json!(depth));
    }
    if let Some(nodes) = &record.facts.nodes {
        extra.insert("nodes".into(), json!(nodes));
    }
    if record.facts.pv.is_some() {
        let played = replay
            .moves
            .iter()
            .zip(0..)
            .filter(|(played, _)| !played.is_opening);
        let lines = played.map(|(played, plies)| line(replay, plies, played.facts.pv.as_deref()));
        extra.insert("lines".into(), joined(replay, lines.collect()));
    }
}

/// Adds the analysis of the moves.
fn add_analysis(extra: &mut Map<String, Value>, engine: &str, replay: &StoredGame) {
    let [mut before, mut after] = [String::new(), String::new()];
    let mut lines = Vec::new();
    for (played, plies) in replay
        .moves
        .iter()
        .zip(0..)
        .filter(|(played, _)| !played.is_opening)
    {
        let analysis = played.analysis.as_ref();
        let code = |score: Option<Score>| score.map_or(0, score_code);
        push_digits(&mut before, code(analysis.and_then(|one| one.before)), 3);
        push_digits(&mut after, code(analysis.and_then(|one| one.after)), 3);
        let best = analysis.and_then(|one| one.pv.as_ref().or(one.best.as_ref()));
        lines.push(line(replay, plies, best.map(String::as_str)));
    }
    extra.insert(
        "analysis".into(),
        json!({"engine": engine, "before": before, "after": after, "lines": joined(replay, lines)}),
    );
}

/// The lines of all moves.
fn joined(replay: &StoredGame, lines: Vec<String>) -> Value {
    match replay.variant.variant() {
        Some(_) => lines.join(".").into(),
        None => lines.into(),
    }
}

/// A line of play from the position after `plies` moves, up to its first illegal move; in a game by a
/// rules program, as its text.
fn line(replay: &StoredGame, plies: usize, line: Option<&str>) -> String {
    let words = line.unwrap_or_default().split_whitespace().take(MAX_LINE);
    if replay.variant.variant().is_none() {
        return printable(&words.collect::<Vec<_>>().join(" "), usize::MAX);
    }
    let mut position = replay.position(plies).boxed_clone();
    let mut played = Vec::new();
    for text in words {
        let Ok(mv) = position.parse_move(text) else { break };
        let Ok(after) = position.after(&mv) else { break };
        played.extend(mv.cells);
        position = after;
    }
    moves_text(replay.variant, played)
}

fn push_digits(text: &mut String, value: u64, count: u32) {
    for place in (0..count).rev() {
        let digit = (value >> (6 * place)) as usize & 63;
        text.push(char::from(DIGITS[digit]));
    }
}

fn moves_text(variant: Ruleset, moves: impl IntoIterator<Item = Move>) -> String {
    let mut text = String::new();
    for mv in moves {
        if variant.info().slides {
            push_digits(&mut text, mv.from().index() as u64, 1);
        }
        push_digits(&mut text, mv.to().index() as u64, 1);
    }
    text
}

fn times_text(ms: &[f64]) -> String {
    let mut text = String::new();
    for ms in ms {
        push_digits(&mut text, time_code((ms * 1000.0).round() as u64), 3);
    }
    text
}

/// The code of a time in microseconds.
const fn time_code(microseconds: u64) -> u64 {
    let (mut mantissa, mut unit, mut scale) = (microseconds, 1, 0);
    while mantissa >= EXACT {
        unit *= 10;
        scale += 1;
        // Rounds half up, and only once: 10,144,445 is 1014 units, but 1015 digit by digit.
        mantissa = microseconds.saturating_add(unit / 2) / unit;
    }
    if scale == 0 {
        mantissa
    } else {
        EXACT + (scale - 1) * MANTISSAS + (mantissa - EXACT / 10)
    }
}

/// Scores; empty if there are none.
fn scores_text(scores: &[Option<String>]) -> String {
    let mut text = String::new();
    if scores.iter().all(Option::is_none) {
        return text;
    }
    for score in scores {
        let score = score.as_ref().and_then(|score| score.parse().ok());
        push_digits(&mut text, score.map_or(0, score_code), 3);
    }
    text
}

/// The code of a score: 1 for a draw, then wins, losses and evaluations. 0 means none.
fn score_code(score: Score) -> u64 {
    let distances = u64::from(MAX_DISTANCE) + 1;
    match score {
        Score::Draw => 1,
        Score::Win(plies) => 2 + u64::from(plies.min(MAX_DISTANCE)),
        Score::Loss(plies) => 2 + distances + u64::from(plies.min(MAX_DISTANCE)),
        Score::Cp(value) => (ZERO_CP + i64::from(value.clamp(-MAX_CP, MAX_CP))) as u64,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::iter;

    use lodestone::board::Cell;
    use proptest::prelude::*;

    use super::*;
    use crate::results::Analysis;
    use crate::results::header_tests::header;
    use crate::results::tests::record;

    fn digits(text: &str) -> u64 {
        let value = |byte: u8| DIGITS.iter().position(|&digit| digit == byte).unwrap() as u64;
        text.bytes().fold(0, |number, byte| number << 6 | value(byte))
    }

    fn chunks(text: &str, size: usize) -> Vec<u64> {
        let bytes = text.as_bytes().chunks(size);
        bytes
            .map(|chunk| digits(std::str::from_utf8(chunk).unwrap()))
            .collect()
    }

    fn time_of(code: u64) -> u64 {
        if code < EXACT {
            return code;
        }
        let (scale, mantissa) = ((code - EXACT) / MANTISSAS, (code - EXACT) % MANTISSAS);
        (mantissa + EXACT / 10) * 10_u64.pow(scale as u32 + 1)
    }

    fn score_of(code: u64) -> Option<Score> {
        let distances = u64::from(MAX_DISTANCE) + 1;
        Some(match code {
            0 => return None,
            1 => Score::Draw,
            code if code < 2 + distances => Score::Win((code - 2) as u32),
            code if code < 2 + 2 * distances => Score::Loss((code - 2 - distances) as u32),
            code => Score::Cp((code as i64 - ZERO_CP) as i32),
        })
    }

    /// The record of a packed game, as `data.js` reads it. Details of the round trip that are
    /// not packed exactly (times) are within their precision.
    pub(in crate::report::page) fn unpacked(game: &Value, texts: &[String], header: &Header) -> Record {
        let number = |index: usize| game[index].as_u64().unwrap() as usize;
        let name = |index: usize| header.engines[number(index)].name.clone();
        let text = |index: usize| texts[number(index)].clone();
        let mut position = header.variant.variant().unwrap().parse_fen(&text(5)).unwrap();
        let cell = |index: u64| Cell::from_index(index as u8);
        let packed = game[10].as_str().unwrap();
        let played: Vec<Move> = if header.variant.info().slides {
            let pairs = chunks(packed, 1);
            pairs
                .chunks(2)
                .map(|pair| Move::slide(cell(pair[0]), cell(pair[1])))
                .collect()
        } else {
            let cells = chunks(packed, 1);
            cells.iter().map(|&to| Move::place(cell(to))).collect()
        };
        let moves: Vec<String> = played
            .iter()
            .map(|&mv| {
                let text = position.move_text(mv);
                position.play(mv);
                text
            })
            .collect();
        let scores = chunks(game[12].as_str().unwrap(), 3);
        let times = chunks(game[11].as_str().unwrap(), 3);
        let score: Vec<Option<String>> = if scores.is_empty() {
            vec![None; times.len()]
        } else {
            let text = |&code: &u64| score_of(code).map(|score| score.to_string());
            scores.iter().map(text).collect()
        };
        Record {
            id: number(0) as u64,
            variant: header.variant.name().into(),
            round: number(4) as u64,
            pair: number(3) as u64,
            first: name(1),
            second: name(2),
            start: text(5),
            moves,
            opening_plies: number(6),
            ms: times.iter().map(|&code| time_of(code) as f64 / 1000.0).collect(),
            score,
            result: ["1/2-1/2", "1-0", "0-1"][number(7)].parse().unwrap(),
            reason: text(8),
            detail: text(9),
            ..record(1, "", "")
        }
    }

    #[test]
    fn packed_games_unpack_to_their_records() {
        let header = header();
        let mut packer = Packer::new(&header);
        let mut one = record(3, "a", "b");
        one.score[1] = Some("cp -50".into());
        one.score[3] = Some("win 4".into());
        let other = record(4, "b", "a");
        let games = [packer.game(&one), packer.game(&other)];
        assert_eq!(unpacked(&games[0], &packer.texts, &header), one);
        assert_eq!(unpacked(&games[1], &packer.texts, &header), other);
        assert_eq!(packer.texts.len(), 3, "equal texts are packed once");
    }

    #[test]
    fn a_move_of_gridlock_takes_two_digits() {
        let mut header = header();
        header.variant = Ruleset::from_name("gridlock").unwrap();
        let mut game = record(1, "a", "b");
        game.variant = "gridlock".into();
        game.start = "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40".into();
        game.moves = vec!["c4d4".into(), "a5a6".into()];
        game.opening_plies = 0;
        game.ms = vec![1.0, 12.345];
        game.score = vec![None; 2];
        let mut packer = Packer::new(&header);
        let row = packer.game(&game);
        assert_eq!(row[10].as_str().unwrap().len(), 4);
        let mut back = unpacked(&row, &packer.texts, &header);
        assert!((back.ms[1] - 12.345).abs() < 0.01);
        back.ms[1] = 12.345;
        assert_eq!(back, game);
    }

    /// A header of a game by a rules program.
    fn other_header() -> Header {
        let mut header = header();
        header.variant = Ruleset::recorded("pebbles");
        header.rules =
            Some(serde_json::from_value(json!({"name": "pebbles", "cmd": ["./pebbles"]})).unwrap());
        header
    }

    #[test]
    fn moves_of_a_game_by_a_rules_program_are_texts() {
        let header = other_header();
        let mut game = record(1, "a", "b");
        game.variant = "pebbles".into();
        game.moves[1] = "<b>\u{202e}".into();
        game.facts.pv = Some(vec![Some("one two".into()); 8]);
        game.points = Some("3 4".into());
        let packed = Packer::new(&header).game(&game);
        assert_eq!(packed[10].as_array().unwrap().len(), 9);
        assert_eq!(packed[10][1], "<b>\\u{202e}");
        assert_eq!(packed[13]["lines"], json!(vec!["one two"; 8]));
        assert_eq!(packed[13]["points"], "3 4");
        assert_eq!(packed[13].get("turns"), None);
        game.turns = Some("112121212".into());
        assert_eq!(Packer::new(&header).game(&game)[13]["turns"], "112121212");
    }

    #[test]
    fn a_record_that_cannot_be_replayed_says_why() {
        let header = header();
        let mut game = record(1, "a", "b");
        game.moves[2] = "d5".into();
        let packed = Packer::new(&header).game(&game);
        assert_eq!(packed[10], "");
        assert!(
            packed[13]["error"].as_str().unwrap().starts_with("move 3: "),
            "{packed}"
        );
    }

    #[test]
    fn analysis_and_lines_end_at_an_illegal_move() {
        let header = header();
        let mut game = record(1, "a", "b");
        game.facts.pv = Some(vec![Some("h1 a2 d5 a3".into()); 8]);
        game.analysis = Some(Box::new(Analysis {
            engine: header.engines[0].clone(),
            best: iter::once(Some("h1".into())).chain(vec![None; 7]).collect(),
            before: vec![Some("win 5".into()); 8],
            after: vec![Some("cp 7".into()); 8],
            depth: vec![None; 8],
            pv: vec![None; 8],
        }));
        let packed = Packer::new(&header).game(&game);
        let lines = packed[13]["lines"].as_str().unwrap();
        assert!(
            lines.starts_with("_w.") && lines.matches('.').count() == 7,
            "{lines}"
        );
        let scores = packed[13]["analysis"]["before"].as_str().unwrap();
        assert_eq!(scores.len(), 24);
        assert_eq!(score_of(chunks(scores, 3)[0]), Some(Score::Win(5)));
        assert!(
            packed[13]["analysis"]["lines"]
                .as_str()
                .unwrap()
                .starts_with("_.")
        );
    }

    #[test]
    fn mistakes_are_marked() {
        let header = header();
        let mut game = record(1, "a", "b");
        game.score[1] = Some("cp 300".into());
        game.score[3] = Some("cp -300".into());
        let packed = Packer::new(&header).game(&game);
        assert_eq!(packed[13]["marks"], "ACB", "move 3 is a blunder");
    }

    #[test]
    fn times_are_rounded_once() {
        assert_eq!(time_of(time_code(10_144_445)), 10_140_000);
        assert_eq!(time_of(time_code(10_145_000)), 10_150_000);
        assert_eq!(time_of(time_code(99_995)), 100_000);
        assert_eq!(time_of(time_code(99_994)), 99_990);
    }

    proptest! {
        #[test]
        fn times_keep_four_digits(microseconds in 0..10_u64.pow(14)) {
            let code = time_code(microseconds);
            prop_assert!(code < 1 << 18);
            let back = time_of(code);
            let error = back.abs_diff(microseconds) as f64;
            prop_assert!(error <= microseconds as f64 / 2000.0, "{microseconds} {back}");
            prop_assert!(microseconds >= EXACT || error == 0.0);
        }

        #[test]
        fn scores_are_exact(cp in -MAX_CP..=MAX_CP, plies in 0..=MAX_DISTANCE) {
            for score in [Score::Cp(cp), Score::Win(plies), Score::Loss(plies), Score::Draw] {
                let code = score_code(score);
                prop_assert!(code > 0 && code < 1 << 18);
                prop_assert_eq!(score_of(code), Some(score));
            }
        }
    }
}
