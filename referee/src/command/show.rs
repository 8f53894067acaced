//! `referee show`: all boards of a game, or the games of a file.

use std::fmt::Write as _;
use std::io;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use referee_core::failure::Failure;
use referee_core::game::score_text;
use referee_core::io::text::{ShowPath, clock, counted, printable, time, wrap};
use referee_core::results::analysis::{Assessment, Judge, Mistake};
use referee_core::results::game_file::{self, FileContent, ListedGame};
use referee_core::results::{StoredGame, StoredMove};

use super::{check_rules, print};
use crate::config::cli::ShowArgs;
use crate::config::values::Positive;
use crate::report::text_table::{Column, TextTable};
use crate::terminal::width;
use crate::view::drawing::{BoardDrawing, BoardStyle};

/// The largest width of sentences, in columns.
const MAX_WIDTH: usize = 80;

/// The width of a list that does not go to a terminal, in columns.
const NO_TERMINAL: usize = 1000;

/// Shows a game, or the list of games where none is chosen.
pub fn run(args: &ShowArgs) -> Result<(), Failure> {
    let file = args.file.shown();
    let number = args.game.map(Positive::get);
    let width = width(io::stdout()).unwrap_or(NO_TERMINAL);
    let text = match game_file::read(&args.file, number, args.rules.loaded).map_err(Failure::Usage)? {
        FileContent::Game(game) => {
            let (replay, style) = (*game, args.style.board_style());
            check_rules(&args.rules, [replay.game.rules()])?;
            let file = printable(&file, usize::MAX);
            let written = replay.notation()?;
            let text = GameText {
                replay,
                written,
                file,
                style,
            };
            text.all_boards(width.min(MAX_WIDTH))
        }
        FileContent::List(games) => {
            check_rules(&args.rules, games.iter().map(|game| game.built_in))?;
            table(&file, &games, width)
        }
    };
    print(&text)
}

/// The last move of a game before its move `number`, and the board, in plain text.
pub(super) fn before_move(game: StoredGame, number: usize) -> Result<String, Failure> {
    let plies = number.saturating_sub(1).min(game.moves.len());
    let text = GameText {
        written: game.notation()?,
        replay: game,
        file: String::new(),
        style: BoardStyle {
            ascii: true,
            colour: false,
        },
    };
    Ok(text.after(plies, MAX_WIDTH).trim().to_string())
}

/// The table of games, and how to choose one; no line is wider than `width` columns.
fn table(file: &str, games: &[ListedGame], width: usize) -> String {
    let file = printable(file, usize::MAX);
    let Some(first) = games.first() else {
        return wrap(&format!("{file} holds no games."), width) + "\n";
    };
    let column =
        |heading: &str, cell: &dyn Fn(&ListedGame) -> String| Column::new(heading, games.iter().map(cell));
    let table = TextTable {
        numbers: column("id", &|game| game.id.to_string()),
        names: column("first", &|game| game.players[0].clone()),
        groups: vec![
            vec![column("second", &|game| game.players[1].clone())],
            vec![
                column("result", &|game| game.result.clone()),
                column("reason", &|game| game.reason.clone()),
                column("moves", &|game| game.plies.to_string()),
            ],
        ],
    };
    let advice = format!(
        "`referee show {file} --game {}` shows a game; choose its number with --game.",
        first.id
    );
    format!("{}\n\n{}\n", table.fit(width), wrap(&advice, width))
}

/// Maximum length of a player's name, in characters.
const MAX_NAME: usize = 30;

/// A game and the words for it.
#[derive(Clone, Debug)]
struct GameText {
    replay: StoredGame,
    /// The moves as people write them, if the rules have such a notation.
    written: Option<Vec<String>>,
    /// The file's name.
    file: String,
    style: BoardStyle,
}

impl GameText {
    /// The game, its number and its file.
    fn title(&self) -> String {
        let (title, file) = (self.replay.game.title(), &self.file);
        match self.replay.id {
            Some(id) => format!("Game {id} of {file}: {title}"),
            None => format!("{file}: {title}"),
        }
    }

    /// A player's name and sign.
    fn label(&self, side: Side) -> String {
        let signs = self.style.signs(self.replay.game.info().signs);
        let name = printable(&self.replay.players[side.index()], MAX_NAME);
        format!("{name} ({})", signs[side.index()])
    }

    /// The board after `plies` moves.
    fn board(&self, plies: usize) -> BoardDrawing {
        let before = plies.checked_sub(1).map(|before| self.replay.position(before));
        BoardDrawing::new(self.replay.position(plies), self.style).after(before)
    }

    /// The facts of the position after `plies` moves and of its last move.
    fn facts(&self, plies: usize) -> Vec<String> {
        let total = self.replay.moves.len();
        let mut facts = Vec::new();
        match self.replay.move_to(plies) {
            None => facts.push(format!("Start of a game of {}", counted(total, "move"))),
            Some(played) => {
                let mover = self.label(played.mover);
                let written = self.written.as_ref().and_then(|written| written.get(plies - 1));
                let text = match written {
                    Some(written) => printable(written, MAX_NAME),
                    None => played.text.clone(),
                };
                let who = if played.is_opening {
                    format!("the opening plays {text} for {mover}")
                } else {
                    format!("{mover} plays {text}")
                };
                facts.push(format!("Move {plies} of {total}: {who}"));
                facts.extend(details(played));
                let lines = played.facts.iter().filter(|(_, value)| value.is_line());
                facts.extend(lines.map(|(fact, line)| (fact.shown)(line)));
                facts.extend(analysis(played));
                facts.extend(played.mistake.map(|mistake| self.mistake(mistake)));
            }
        }
        facts
    }

    fn mistake(&self, mistake: Mistake) -> String {
        let kind = if mistake.is_blunder { "Blunder" } else { "Mistake" };
        let player = match mistake.judge {
            Judge::Player(side) => self.label(side),
            Judge::Analysis => return format!("{kind}: the move {}", mistake.change()),
        };
        let verb = if mistake.is_rise() { "rose" } else { "fell" };
        let [before, after] = [mistake.before, mistake.after].map(Assessment::text);
        format!("{kind}: the score of {player} {verb} from {before} to {after}")
    }

    /// How the game ended.
    fn end(&self) -> String {
        let Some(end) = &self.replay.end else {
            return "The game is not finished".into();
        };
        let winner = match end.result {
            GameResult::Win(side) => format!("{} wins", self.label(side)),
            GameResult::Draw => "A tie".into(),
        };
        let detail = end.detail.shown().to_string();
        let detail = self
            .style
            .ending(self.replay.game.info(), end.reason.raw(), &detail);
        let after = |sign: &str, text: &str| match text {
            "" => String::new(),
            text => format!("{sign} {text}"),
        };
        let reason = after(",", &end.reason.cut(MAX_NAME).to_string());
        format!("{winner}{} ({}{reason})", after(":", &detail), end.result)
    }

    /// The whole game: players, then each board below its facts, and the end. Wrapped to
    /// `width` columns.
    fn all_boards(&self, width: usize) -> String {
        let [first, second] = Side::BOTH.map(|side| self.label(side));
        let mut text = wrap(&format!("{}\n{first} against {second}\n", self.title()), width);
        for plies in 0..=self.replay.moves.len() {
            text += &self.after(plies, width);
        }
        text + &wrap(&format!("\n{}\n", self.end()), width)
    }

    /// What there is to say of the position after `plies` moves, and its board.
    fn after(&self, plies: usize, width: usize) -> String {
        let mut facts = self.facts(plies);
        facts.extend(self.clocks(plies));
        let mut text = wrap(&format!("\n{}\n", facts.join("\n")), width);
        let board = self.board(plies);
        if !board.is_empty() {
            text += &board.to_string();
            text.push('\n');
        }
        text
    }

    /// Both clocks in one line, if there are any.
    fn clocks(&self, plies: usize) -> Option<String> {
        let clocks = self.replay.clocks(plies);
        let text = |side: Side| {
            let left = clock(clocks[side.index()]?);
            Some(format!("{} {left}", self.label(side)))
        };
        let texts: Vec<String> = Side::BOTH.into_iter().filter_map(text).collect();
        (!texts.is_empty()).then(|| format!("Clocks: {}", texts.join(", ")))
    }
}

/// What an engine said of the move after the game: its value, and the best move.
fn analysis(played: &StoredMove) -> Option<String> {
    let analysis = played.analysis.as_ref()?;
    let before = analysis.before.map(score_text);
    let best = analysis.best.as_ref().map(|best| best.shown().to_string());
    let (Some(before), Some(best)) = (before, best) else {
        return Some("Analysis: the engine sent no answer".into());
    };
    let depth = analysis.depth.map(|depth| format!(", depth {depth}"));
    let depth = depth.unwrap_or_default();
    if analysis.is_best {
        return Some(format!("Analysis: the best move, {before}{depth}"));
    }
    let after = analysis.after.map(|after| format!("{}; ", score_text(after)));
    let after = after.unwrap_or_default();
    let line = analysis
        .pv
        .as_ref()
        .map(|line| format!("\nBest line: {}", line.shown()));
    let line = line.unwrap_or_default();
    Some(format!("Analysis: {after}best is {best}, {before}{depth}{line}"))
}

/// The time and score of a move.
fn details(played: &StoredMove) -> Option<String> {
    if let Some(fault) = &played.fault {
        return Some(format!("A random move: {}", fault.shown()));
    }
    let score = played.score.map(|score| format!("score {}", score_text(score)));
    let mut parts: Vec<String> = played.time.map(time).into_iter().chain(score).collect();
    let mut before = "";
    for (fact, value) in played.facts.iter().filter(|(_, value)| !value.is_line()) {
        match parts.last_mut() {
            Some(depth) if (before, fact.name) == ("depth", "seldepth") => {
                let _ = write!(depth, "/{value}");
            }
            _ => parts.push((fact.shown)(value)),
        }
        before = fact.name;
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::io::text::columns;
    use referee_core::results::{Record, StoredGame};
    use referee_core::samples::analysis;
    use referee_core::samples::{record, recorded};
    use sentences::expect;

    fn games() -> Vec<ListedGame> {
        let game = |id, first: &str, second: &str, result: &str, reason: &str| ListedGame {
            id,
            players: [first.into(), second.into()],
            result: result.into(),
            reason: reason.into(),
            plies: 31,
            built_in: None,
        };
        vec![
            game(4, "lodestone", "mybot", "1-0", "five"),
            game(12, "a-very-long-name-of-a-player", "b", "1/2-1/2", "mobility"),
        ]
    }

    #[test]
    fn lists_games_and_says_how_to_choose() {
        let expected = "\
id first                        second  result   reason moves
 4 lodestone                     mybot     1-0     five    31
12 a-very-long-name-of-a-player      b 1/2-1/2 mobility    31

`referee show games.jsonl --game 4` shows a game; choose its number with --game.
";
        assert_eq!(table("games.jsonl", &games(), 80), expected);
        assert_eq!(table("games.jsonl", &[], 80), "games.jsonl holds no games.\n");
    }

    #[test]
    fn fits_narrow_terminals() {
        for width in [30, 40, 50, 60, 80, 200] {
            let text = table("games.jsonl", &games(), width);
            assert!(text.lines().all(|line| columns(line) <= width), "{text}");
            assert_eq!(text.contains('…'), width < 37, "{text}");
        }
    }

    fn text_of(game: &Record, file: &str, ascii: bool) -> GameText {
        let colour = false;
        let stored = StoredGame::from_record(game, None, None).unwrap();
        GameText {
            replay: stored,
            written: None,
            file: printable(file, usize::MAX),
            style: BoardStyle { ascii, colour },
        }
    }

    /// A game of nine moves, the first of the opening, with scores and clocks.
    fn text() -> GameText {
        let mut game = record(3, "a", "b");
        game.score[1] = Some("cp 50".into());
        game.score[3] = Some("loss 4".into());
        game.score[7] = Some("win 1".into());
        let mut header = referee_core::samples::header();
        header.engines[0].settings = recorded("cmd=a tc=60+1");
        GameText {
            replay: StoredGame::from_record(&game, Some(&header), None).unwrap(),
            ..text_of(&game, "games.jsonl", false)
        }
    }

    #[test]
    fn recorded_facts_stand_beside_time_and_score() {
        let mut game = record(3, "a", "b");
        game.depth = Some(vec![Some(7), None, None, None, None, None, None, None]);
        game.seldepth = Some(vec![Some(12); 8]);
        game.nodes = Some(vec![Some(1); 8]);
        game.nps = Some(vec![Some(81_200); 8]);
        game.hashfull = Some(vec![Some(15); 8]);
        game.latency = Some(vec![Some(-0.25); 8]);
        game.timeleft = Some(vec![Some(1500.0); 8]);
        game.pv = Some(vec![Some("h1 a2".into()); 8]);
        let text = text_of(&game, "games.jsonl", false);
        expect![[r#"
            0.002 s, depth 7/12, 1 node, 81 knps, table 1.5 % full, latency -0.250 ms, 1.500 s left
            Line: h1 a2"#]]
        .assert_eq(&text.facts(2)[1..].join("\n"));
        assert!(text.facts(3)[1].contains(", selective depth 12, "));
    }

    #[test]
    fn an_analysis_names_the_best_move() {
        let mut game = record(3, "a", "b");
        game.score[1] = Some("cp 50".into());
        let mut moves = [("", "", ""); 8];
        moves[0] = ("h1", "cp 20", "cp 20");
        moves[1] = ("b1", "win 19", "draw 0");
        moves[2] = ("h2", "cp 20", "cp -300");
        moves[3] = ("b1", "cp 20", "cp -300");
        game.analysis = Some(Box::new(analysis(&moves)));
        let text = text_of(&game, "games.jsonl", false);
        let facts = |plies| text.facts(plies)[2..].to_vec();
        assert_eq!(text.facts(1).len(), 1, "an opening move");
        expect! {"Analysis: the best move, +0.20, depth 7"}.assert_eq(&text.facts(2)[2]);
        expect![[r#"
            Analysis: proven draw; best is b1, win in 19 plies, depth 7
            Best line: b1
            Blunder: the move turned a proven win into a draw"#]]
        .assert_eq(&facts(3).join("\n"));
        assert_eq!(facts(4).len(), 1, "the best move is no mistake");
        expect! {"Blunder: the move lost 0.19 expected points, from +0.20 to -3.00"}.assert_eq(&facts(5)[1]);
        expect! {"Analysis: the engine sent no answer"}.assert_eq(&facts(6).join("\n"));
        assert!(text.all_boards(80).contains("\nBest line: b1\nBlunder: "));
    }

    #[test]
    fn facts_of_each_move() {
        let text = text();
        let facts: Vec<String> = [0, 1, 3, 9].iter().flat_map(|&plies| text.facts(plies)).collect();
        expect![[r#"
            Game 3 of games.jsonl: Magnetic Cave
            Start of a game of 9 moves
            Move 1 of 9: the opening plays a1 for a (■)
            Move 3 of 9: a (■) plays a2
            0.002 s, score +0.50
            Blunder: the score of a (■) fell from +0.50 to loss in 4 plies
            Move 9 of 9: a (■) plays a5
            0.001 s, score win in 1 ply"#]]
        .assert_eq(&format!("{}\n{}", text.title(), facts.join("\n")));
    }

    #[test]
    fn the_board_before_a_move_is_that_after_the_last_one() {
        for (number, facts) in [
            (1, "Start of a game of 9 moves"),
            (4, "Move 3 of 9: a (X) plays a2"),
            // A fault after the last move.
            (10, "Move 9 of 9: a (X) plays a5"),
            (99, "Move 9 of 9: a (X) plays a5"),
        ] {
            let shown = before_move(text().replay, number).unwrap();
            assert_eq!(shown.lines().next(), Some(facts), "{shown}");
        }
    }

    #[test]
    fn all_boards_follow_each_other() {
        let all = text().all_boards(80);
        let (begin, _) = all.split_once("\n  a b c").unwrap();
        expect![[r#"
            Game 3 of games.jsonl: Magnetic Cave
            a (■) against b (□)

            Start of a game of 9 moves
            Clocks: a (■) 1:00"#]]
        .assert_eq(begin);
        assert_eq!(all.matches("\n8 · ").count(), 10);
        assert!(all.contains("\n1[■]· · · · · · · 1\n"), "{all}");
        let (_, end) = all.rsplit_once("  a b c d e f g h\n\n").unwrap();
        expect![[r#"
            a (■) wins: ■ has five in line, a5 to a1 (1-0, five)
        "#]]
        .assert_eq(end);
        assert!(!all.contains('\x1b'));
    }

    #[test]
    fn foreign_text_cannot_control_the_terminal() {
        let mut game = record(3, "a\x1b[2J", "b");
        game.detail = "gone\x07".into();
        game.reason = "x\x1b".into();
        let text = text_of(&game, "f\x1b", true);
        assert!(!text.all_boards(80).contains(['\x1b', '\x07']));
        assert!(text.label(Side::First).ends_with(" (X)"));
    }
}
