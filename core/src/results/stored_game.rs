//! One game from a file, whatever its format, replayed move by move: its positions, the facts of
//! its moves, and the mistakes.
//!
//! # Mistakes
//!
//! If the game has an [analysis](super::Analysis), that decides. Otherwise the scores of the
//! players do. Engines with different units and depths cannot be compared with each other, so
//! each score is compared with the next score of the same player, as
//! [expected points](super::analysis).
//!
//! A move is a mistake if the mover's expected points fall by at least [`MISTAKE`] until
//! its next move, and a blunder from [`BLUNDER`]; these are the limits of lichess. A
//! proven win that is no longer proven is at least a mistake. If the mover reports no
//! scores, the rise of its opponent's expected points counts: from the score before the
//! move to the one after it.

use std::fmt::Write as _;
use std::time::Duration;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::score::Score;

use super::analysis::{Analysis, Assessment, BLUNDER, Judge, MISTAKE, Mistake, MoveAnalysis};
use super::facts::{self, MoveFacts};
use super::header::Header;
use super::record::Record;
use crate::failure::Stop;
use crate::game::clock::{Clock, TimeControl};
use crate::game::{FileGame, Game, GameMove, MoveSequence, Position, Ruleset};
use crate::io::text::{printable, unknown};
use crate::io::untrusted::Untrusted;

/// A game from a file. What its format does not hold is empty or `None`.
#[derive(Clone, Debug)]
pub struct StoredGame {
    /// The number of the game in its match.
    pub id: Option<u64>,
    /// The game that is played.
    pub game: FileGame,
    /// The names of the players, the first player's first.
    pub players: [String; 2],
    /// Who plays when the game is continued by hand, if a saved game says it: `human`, or a level
    /// as a person enters it.
    pub seats: [Option<Untrusted>; 2],
    /// The number of `moves` that belong to the opening.
    pub opening_plies: usize,
    /// The moves in order, the opening's first.
    pub moves: Vec<StoredMove>,
    /// How the game ended; `None` if it did not, or the file does not say.
    pub end: Option<GameEnd>,
    /// The positions: the first one, and the one after each move.
    positions: Vec<Box<dyn Position>>,
    /// The clocks of both players at each position; empty if a time is unknown.
    clocks: Vec<[Option<Duration>; 2]>,
}

/// A move and its facts.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredMove {
    /// The move as text.
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
    /// The fault in whose place the move was drawn at random, as a sentence.
    pub fault: Option<Untrusted>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// Who won.
    pub result: GameResult,
    /// The reason, a word of `docs/results.md`.
    pub reason: Untrusted,
    /// The reason as a sentence.
    pub detail: Untrusted,
}

impl StoredGame {
    /// A game without moves and names.
    pub(super) fn new(game: FileGame, start: Box<dyn Position>) -> StoredGame {
        StoredGame {
            id: None,
            game,
            players: Side::BOTH.map(|side| format!("Player {}", side.index() + 1)),
            seats: [None, None],
            opening_plies: 0,
            moves: Vec::new(),
            end: None,
            positions: vec![start],
            clocks: Vec::new(),
        }
    }

    /// Adds a move, or explains why it cannot be played.
    pub(super) fn push(&mut self, text: &str) -> Result<(), String> {
        let mv = self.last_position().parse_move(text);
        self.play(mv.map_err(|error| error.to_string())?)
    }

    /// The same, with a move that may be in the notation of people.
    pub(super) fn push_written(&mut self, text: &str) -> Result<(), String> {
        let mv = self.last_position().parse_written(text);
        self.play(mv.map_err(|error| error.to_string())?)
    }

    fn play(&mut self, mv: GameMove) -> Result<(), String> {
        let position = self.last_position();
        let after = position.after(&mv).map_err(|stop| stop.to_string())?;
        self.moves.push(StoredMove {
            text: mv.text,
            mover: position.side_to_move(),
            is_opening: false,
            time: None,
            score: None,
            facts: MoveFacts::default(),
            analysis: None,
            mistake: None,
            fault: None,
        });
        self.positions.push(after);
        Ok(())
    }

    /// The game of a record. `header` is that of its match; it has the time controls. `rules` are those of the command
    /// (see [`FileGame::new`]).
    pub fn from_record(
        record: &Record,
        header: Option<&Header>,
        rules: Option<Ruleset>,
    ) -> Result<StoredGame, String> {
        let name = record.variant.raw();
        let game = match header {
            Some(header) => header.game_named(name, rules)?,
            None => FileGame::new(name, None, rules)?,
        };
        StoredGame::of_game(game, record, header)
    }

    /// The same, if it is known which game it is.
    pub fn of_game(game: FileGame, record: &Record, header: Option<&Header>) -> Result<StoredGame, String> {
        let start = game.start(record.start.raw(), record.turns()?);
        let start = start.map_err(|error| format!("`start`: {error}"))?;
        let mut game = StoredGame::new(game, start);
        for (ply, text) in record.moves.iter().enumerate() {
            game.push(text.raw())
                .map_err(|error| format!("move {}: {error}", ply + 1))?;
        }
        game.id = Some(record.id);
        game.players = [&record.first, &record.second].map(String::clone);
        game.end = Some(GameEnd {
            result: record.result,
            reason: record.reason.clone(),
            detail: record.detail.clone(),
        });
        game.set_opening(record.opening_plies)?;
        for fault in record.replaced() {
            if let Some(played) = fault
                .number
                .checked_sub(1)
                .and_then(|ply| game.moves.get_mut(ply))
            {
                played.fault = Some(fault.detail.clone());
            }
        }
        game.add_facts(record)?;
        game.run_clocks(header);
        match &record.analysis {
            Some(analysis) => game.set_analysis(analysis)?,
            None => game.find_mistakes(),
        }
        Ok(game)
    }

    /// The moves as people write them; `None` if the rules have no such notation.
    pub fn notation(&self) -> Result<Option<Vec<String>>, Stop> {
        let Some(rules) = self.game.rules() else {
            return Ok(None);
        };
        let moves: Vec<&str> = self.moves.iter().map(|played| played.text.as_str()).collect();
        rules.notation(&self.position(0).fen(), &moves)
    }

    /// Puts in how many of the moves belong to the opening.
    pub(super) fn set_opening(&mut self, plies: usize) -> Result<(), String> {
        let total = self.moves.len();
        let opening = self
            .moves
            .get_mut(..plies)
            .ok_or_else(|| format!("`opening_plies` is {plies}, but the game has only {total} moves"))?;
        for played in opening {
            played.is_opening = true;
        }
        self.opening_plies = plies;
        Ok(())
    }

    /// Adds times, scores and facts to the moves after the opening.
    fn add_facts(&mut self, record: &Record) -> Result<(), String> {
        let played = self.moves.get_mut(self.opening_plies..).unwrap_or_default();
        let lengths = [("ms", record.ms.len()), ("score", record.score.len())];
        let kept = facts::kept(record).map(|(fact, values)| (fact.name, values.len()));
        for (field, length) in lengths.into_iter().chain(kept) {
            if length != 0 && length != played.len() {
                return Err(format!(
                    "`{field}` has {length} values, but {} moves follow the opening",
                    played.len()
                ));
            }
        }
        for (index, played) in played.iter_mut().enumerate() {
            if let Some(&ms) = record.ms.get(index) {
                let time = Duration::try_from_secs_f64(ms / 1000.0);
                played.time = Some(time.map_err(|_| format!("`ms`: {ms} is not a time"))?);
            }
            let score = record.score.get(index).and_then(Option::as_ref);
            let score = score.map(|text| text.raw().parse()).transpose();
            played.score = score.map_err(|why| format!("`score`: {why}"))?;
            played.facts = MoveFacts::of(record, index);
        }
        Ok(())
    }

    fn run_clocks(&mut self, header: Option<&Header>) {
        let mut clocks = self.players.each_ref().map(|name| {
            let engines = header.iter().flat_map(|header| &header.engines);
            let mut same = engines.filter(|engine| engine.name == *name);
            Clock::new(
                same.next()
                    .map_or(TimeControl::Unlimited, |engine| engine.settings.time()),
            )
        });
        self.clocks.push(clocks.each_ref().map(Clock::game_time_left));
        for played in &self.moves {
            match played.time {
                Some(time) => {
                    clocks[played.mover.index()].spend(time);
                }
                None if played.is_opening => {}
                None => return self.clocks.clear(),
            }
            self.clocks.push(clocks.each_ref().map(Clock::game_time_left));
        }
    }

    /// Puts in an analysis of the moves after the opening. Each best move must be legal.
    pub fn set_analysis(&mut self, analysis: &Analysis) -> Result<(), String> {
        let played = self.moves.get(self.opening_plies..).unwrap_or_default();
        let texts: Vec<&str> = played.iter().map(|played| played.text.as_str()).collect();
        for (ply, found) in (self.opening_plies..).zip(analysis.of_moves(&texts)?) {
            if let Some(best) = &found.best
                && let Err(error) = self.position(ply).parse_move(best.raw())
            {
                return Err(format!("`analysis.best` of move {}: {error}", ply + 1));
            }
            self.moves[ply].analysis = Some(found);
        }
        self.find_mistakes();
        Ok(())
    }

    /// How the rules end the game in its last position.
    pub(super) fn end_by_rules(&self) -> Option<GameEnd> {
        let position = self.last_position();
        let outcome = position.outcome()?;
        Some(GameEnd {
            result: outcome.result,
            reason: outcome.reason.to_string().into(),
            detail: position.explain(outcome).into(),
        })
    }

    /// The game with its first `plies` moves played on these clocks. `ms` has the milliseconds of each move,
    /// if they are known.
    pub fn replayed(&self, plies: usize, ms: &[u64], times: [TimeControl; 2]) -> Game {
        let start = self.positions[0].clone();
        let opening = match self.game.rules() {
            Some(rules) => MoveSequence::new(rules, start),
            None => MoveSequence::placed(start),
        };
        let mut game = Game::new(&opening, times).by_hand();
        let after = self.positions.iter().skip(1);
        for (ply, (played, after)) in self.moves.iter().zip(after).take(plies).enumerate() {
            let mv = GameMove {
                text: played.text.clone(),
            };
            let time = Duration::from_millis(ms.get(ply).copied().unwrap_or(0));
            game.push(mv, after.clone(), time.into());
        }
        game
    }

    /// The position after `plies` moves, or the last one.
    pub fn position(&self, plies: usize) -> &dyn Position {
        // Never empty: the first position is always there.
        self.positions[plies.min(self.moves.len())].as_ref()
    }

    fn last_position(&self) -> &dyn Position {
        self.position(usize::MAX)
    }

    /// The move that led to the position after `plies` moves; `None` for the first one.
    pub fn move_to(&self, plies: usize) -> Option<&StoredMove> {
        self.moves.get(plies.checked_sub(1)?)
    }

    /// The time left on both clocks after `plies` moves; `None` without a game clock.
    pub fn clocks(&self, plies: usize) -> [Option<Duration>; 2] {
        self.clocks.get(plies).copied().unwrap_or_default()
    }

    fn find_mistakes(&mut self) {
        for ply in 0..self.moves.len() {
            self.moves[ply].mistake = self.mistake_at(ply);
        }
    }

    fn mistake_at(&self, ply: usize) -> Option<Mistake> {
        let played = &self.moves[ply];
        let (mover, opponent) = (played.mover, played.mover.opponent());
        if played.is_opening {
            return None;
        }
        if let Some(analysis) = &played.analysis {
            return analysis.mistake(MISTAKE);
        }
        // The mover's assessments with this move and with its next one.
        let own = || Some((mover, played.score?, self.assessment(ply + 2, mover)?));
        // The opponent's assessments with the move before this one and with the one after it.
        let others = || {
            let before = self.move_to(ply)?.score?;
            Some((opponent, before, self.assessment(ply + 1, opponent)?))
        };
        let (judge, before, after) = own().or_else(others)?;
        let before = Assessment::Score(before);
        let change = after.expected_points() - before.expected_points();
        let (fall, lost_a_win) = if judge == mover {
            (-change, before.is_win() && !after.is_win())
        } else {
            (change, before.is_loss() && !after.is_loss())
        };
        (fall >= MISTAKE || lost_a_win).then_some(Mistake {
            is_blunder: fall >= BLUNDER,
            judge: Judge::Player(judge),
            before,
            after,
        })
    }

    /// The assessment of a player with the move at `ply`, or of the result if the game was over
    /// by the rules before that move.
    fn assessment(&self, ply: usize, player: Side) -> Option<Assessment> {
        if let Some(played) = self.moves.get(ply) {
            return played.score.map(Assessment::Score);
        }
        let outcome = self.last_position().outcome()?;
        Some(Assessment::Result(outcome.result, player))
    }
}

/// Maximum length of a quotation in an error message, in characters.
const MAX_QUOTE: usize = 40;

/// The text of a saved game, as [`parse`] reads it. `seats` are its players, the first player's
/// first.
pub fn text(ruleset: Ruleset, start: &dyn Position, moves: &[String], seats: &[Option<String>; 2]) -> String {
    let mut text = format!("# A saved game; `load` continues it.\nvariant: {ruleset}\n");
    for (key, player) in ["first", "second"].into_iter().zip(seats) {
        if let Some(player) = player {
            let _ = writeln!(text, "{key}: {player}");
        }
    }
    let _ = write!(text, "start: {}\nmoves:", start.fen());
    for mv in moves {
        let _ = write!(text, " {mv}");
    }
    text + "\n"
}

/// Parses a saved game. `rules` are those of the command (see [`FileGame::new`]).
pub fn parse(text: &str, rules: Option<Ruleset>) -> Result<StoredGame, String> {
    // The value of each key, and its line number from 1.
    let [mut game, mut start, mut moves, mut first, mut second] = [None::<(&str, usize)>; 5];
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((key, value)) = line.split_once(':') else {
            let line = printable(line, MAX_QUOTE);
            return Err(format!("line {number}: expected `KEY: VALUE`, found `{line}`"));
        };
        let key = key.trim_end();
        let field = match key {
            "variant" => &mut game,
            "start" => &mut start,
            "moves" => &mut moves,
            "first" => &mut first,
            "second" => &mut second,
            _ => {
                let key = printable(key, MAX_QUOTE);
                return Err(format!(
                    "line {number}: unknown key `{key}`; expected variant, first, second, start or moves"
                ));
            }
        };
        if field.replace((value.trim(), number)).is_some() {
            return Err(format!("line {number}: `{key}` appears a second time"));
        }
    }
    let missing = |key: &str| format!("end of file: the line `{key}: …` is missing");
    let (name, number) = game.ok_or_else(|| missing("variant"))?;
    let game = FileGame::new(name, None, rules).map_err(|_| {
        format!(
            "line {number}: {}; for another game, use `--rules`",
            unknown("game", name, &Ruleset::names())
        )
    })?;
    let (fen, number) = start.ok_or_else(|| missing("start"))?;
    let start = game.start(fen, Vec::new());
    let mut game = StoredGame::new(game, start.map_err(|error| format!("line {number}: {error}"))?);
    let (moves, number) = moves.unwrap_or_default();
    for (word, place) in moves.split_whitespace().zip(1..) {
        game.push(word)
            .map_err(|error| format!("line {number}, move {place}: {error}"))?;
    }
    game.seats = [first, second].map(|field| Some(field?.0.into()));
    if let [Some(first), Some(second)] = &game.seats {
        game.players = [first, second].map(|name| name.shown().to_string());
    }
    game.end = game.end_by_rules();
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::analysis;
    use crate::samples::header;
    use crate::samples::{record, recorded};
    use sentences::{Expect, assert_has, expect};

    /// Nine moves, the first of them of the opening; the first player wins.
    fn game(scores: [&str; 8]) -> StoredGame {
        let mut game = record(3, "a", "b");
        game.score = scores
            .map(|score| (!score.is_empty()).then(|| score.into()))
            .into();
        StoredGame::from_record(&game, None, None).unwrap()
    }

    /// The numbers of the moves that are mistakes, with `true` for a blunder.
    fn mistakes(scores: [&str; 8]) -> Vec<(usize, bool)> {
        mistakes_of(&game(scores))
    }

    fn mistakes_of(replay: &StoredGame) -> Vec<(usize, bool)> {
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
        let mut stored = record(3, "a", "b");
        stored.score[1] = Some("cp 10".into());
        let mut header = header();
        header.engines[0].settings = recorded("cmd=a tc=10+1");
        let game = StoredGame::from_record(&stored, Some(&header), None).unwrap();
        assert_eq!((game.id, game.moves.len(), game.opening_plies), (Some(3), 9, 1));
        assert_eq!(game.players, ["a", "b"]);
        assert_eq!(game.position(0).fen(), "8/8/8/8/8/8/8/8 x");
        assert_eq!(game.position(2).fen(), "8/8/8/8/8/8/8/x6o x");
        assert_eq!(game.position(99).fen(), game.position(9).fen());
        assert!(game.move_to(0).is_none());
        assert!(game.move_to(1).unwrap().is_opening);
        let third = game.move_to(3).unwrap();
        assert_eq!((third.text.as_str(), third.mover), ("a2", Side::First));
        assert_eq!(third.time, Some(Duration::from_millis(2)));
        assert_eq!(third.score, Some(Score::Cp(10)));
        assert_eq!(game.clocks(2), [Some(Duration::from_secs(10)), None]);
        assert_eq!(game.clocks(3), [Some(Duration::from_millis(10_998)), None]);
        let end = game.end.unwrap();
        assert_eq!(
            (end.result, end.reason.raw()),
            (GameResult::Win(Side::First), "five")
        );
        let untimed = StoredGame::from_record(&stored, None, None).unwrap();
        assert_eq!(untimed.clocks(3), [None; 2]);
        stored.ms.clear();
        let game = StoredGame::from_record(&stored, Some(&header), None).unwrap();
        assert_eq!(game.clocks(9), [None; 2], "the clock is unknown");
    }

    #[test]
    fn rules_end_a_game() {
        let mut stored = record(3, "a", "b");
        let end = StoredGame::from_record(&stored, None, None)
            .unwrap()
            .end_by_rules();
        assert_eq!(end.unwrap().reason, "five");
        stored.moves.pop();
        (stored.ms, stored.score) = (Vec::new(), Vec::new());
        assert_eq!(
            StoredGame::from_record(&stored, None, None)
                .unwrap()
                .end_by_rules(),
            None
        );
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
        let mut stored = record(3, "a", "b");
        stored.score[6] = Some("cp 50".into());
        stored.moves.pop();
        stored.score.pop();
        stored.ms.pop();
        let game = StoredGame::from_record(&stored, None, None).unwrap();
        assert_eq!(mistakes_of(&game), [], "ended by a fault, not by the rules");
    }

    #[test]
    fn opponent_judges_a_player_without_scores() {
        let scores = ["cp 0", "", "cp 300", "", "cp 300", "", "cp -3000", ""];
        // Move 3 raised the expected points of the second player; move 6 is its own mistake.
        let replay = game(scores);
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
        let mut moves: Vec<_> = game.moves[1..].iter().map(|mv| (mv.raw(), "", "")).collect();
        moves[1] = ("a2", "cp 900", "loss 4");
        moves[4] = ("b1", "win 5", "draw 0");
        moves[5] = ("", "", "");
        game.analysis = Some(Box::new(analysis(&moves)));
        let replay = StoredGame::from_record(&game, None, None).unwrap();
        assert_eq!(replay.moves[0].analysis, None, "an opening move");
        assert!(replay.moves[1].analysis.as_ref().unwrap().is_best);
        assert_eq!(mistakes_of(&replay), [(6, true)]);
        let mistake = replay.moves[5].mistake.unwrap();
        assert_eq!(mistake.judge, Judge::Analysis);
        assert_eq!(mistake.before, Assessment::Score(Score::Win(5)));
    }

    #[test]
    fn invalid_records_are_rejected() {
        fn check(begin: Expect, change: fn(&mut Record)) {
            let mut game = record(3, "a", "b");
            change(&mut game);
            let error = StoredGame::from_record(&game, None, None).unwrap_err();
            assert_has(error, begin);
        }
        fn analysed(game: &mut Record, best: &str, after: &str) {
            let mut moves = [("", "", ""); 8];
            moves[2] = (best, "", after);
            game.analysis = Some(Box::new(analysis(&moves)));
        }
        check(
            expect! {"unknown variant `chess`; the variants are magnetic-cave, "},
            |game| {
                game.variant = "chess".into();
            },
        );
        check(expect! {"`start`: FEN, "}, |game| game.start = "x".into());
        let unsupported = expect! {"move 3: c5 touches neither a wall nor a brick"};
        check(unsupported, |game| game.moves[2] = "c5".into());
        let opening = expect! {"`opening_plies` is 10, but the game has only 9 moves"};
        check(opening, |game| game.opening_plies = 10);
        let few = expect! {"`ms` has 3 values, but 8 moves follow the opening"};
        check(few, |game| game.ms.truncate(3));
        let few = expect! {"`depth` has 1 values, but 8 moves follow the opening"};
        check(few, |game| game.depth = Some(vec![None]));
        check(expect! {"`ms`: -1 is not a time"}, |game| game.ms[0] = -1.0);
        check(expect! {"`score`: expected a score"}, |game| {
            game.score[0] = Some("x".into());
        });
        let unsupported = expect! {"`analysis.best` of move 4: c5 touches neither a wall nor a brick"};
        check(unsupported, |game| analysed(game, "c5", ""));
        check(expect! {"`analysis.after`: expected a score"}, |game| {
            analysed(game, "", "mate 3");
        });
        let few = expect! {"`analysis.best` has 0 values, but 8 moves follow the opening"};
        check(few, |game| game.analysis = Some(Box::new(analysis(&[]))));
    }
}

#[cfg(test)]
mod saved_game_tests {
    use sentences::{assert_rows, expect};

    use super::*;

    fn written(game: &StoredGame) -> String {
        let moves: Vec<String> = game.moves.iter().map(|played| played.text.clone()).collect();
        let seats = game
            .seats
            .each_ref()
            .map(|seat| Some(seat.as_ref()?.raw().to_string()));
        text(game.game.rules().unwrap(), game.position(0), &moves, &seats)
    }

    const GAME: &str = "variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a6 b6 H1\n";

    #[test]
    fn written_games_parse() {
        let game = parse(GAME, None).unwrap();
        assert_eq!(game.moves.len(), 3);
        let text = written(&game);
        assert!(text.ends_with(&GAME.replace("H1", "h1")), "{text}");
        assert_eq!(written(&parse(&text, None).unwrap()), text);

        let text = text.replace("start:", "first: human\nsecond: C:\\bot 0.5\nstart:");
        let game = parse(&text, None).unwrap();
        assert_eq!(game.seats, ["human", "C:\\bot 0.5"].map(|name| Some(name.into())));
        assert_eq!(written(&game), text);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |from: &str, to: &str| parse(&GAME.replace(from, to), None).unwrap_err();
        let table = expect![[r#"
            b6 | c6 | line 3, move 2: c6 touches neither a wall nor a brick
            b6 | b9 | line 3, move 2: `b9` is not a move: expected a column
            8 x | 8 y | line 2: FEN, character 17: the side to move is
        "#]];
        assert_rows(table, |[from, to]| error(from, to));
        let over = "variant: gridlock\nstart: xo3ox/ox3ox/6o/7/3x3/7/7 x 40 40\nmoves: a1b1";
        expect! {"line 3, move 1: a1b1 cannot be played: the game is over"}
            .assert_eq(&parse(over, None).unwrap_err());
    }
}
