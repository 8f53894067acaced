//! The texts of a game by hand. They follow the course projects where those have one.

use std::fmt::Write as _;
use std::time::Duration;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::score::Score;
use referee_core::game::Ruleset;
use referee_core::game::{Played, Thought};
use referee_core::io::text::printable;
use referee_core::player::verdict::Verdict;

use crate::view::drawing::{BoardStyle, reworded};

/// Maximum number of moves shown of an expected line.
const MAX_LINE_MOVES: usize = 12;

/// The players of a game, as the texts name them.
#[derive(Clone, Debug)]
pub struct Messages {
    /// The game.
    pub ruleset: Ruleset,
    /// How the two sides are drawn.
    pub signs: [char; 2],
    /// Whether cells are in capitals, as in the course projects, in games that people read so. In a match they are
    /// as in its other lines.
    pub in_capitals: bool,
    /// The names of the engines; `None` for people.
    pub engines: [Option<String>; 2],
    /// The levels of the engines, or their names if they have none; `None` for people.
    pub levels: [Option<String>; 2],
}

impl Messages {
    /// The texts of a match, where people and engines have their own names.
    pub fn of_match(ruleset: Ruleset, style: BoardStyle) -> Messages {
        Messages {
            ruleset,
            signs: style.signs(ruleset.info().signs),
            in_capitals: false,
            engines: [None, None],
            levels: [None, None],
        }
    }

    /// A move or a cell.
    pub fn shown(&self, text: &str) -> String {
        if self.in_capitals {
            self.ruleset.info().shown(text)
        } else {
            text.into()
        }
    }

    /// "Player 1".
    pub fn player(side: Side) -> String {
        format!("Player {}", side.index() + 1)
    }

    /// "Player 1 (■)".
    pub fn label(&self, side: Side) -> String {
        format!("{} ({})", Messages::player(side), self.signs[side.index()])
    }

    /// The side of the person in a game against an engine; `None` in other games.
    pub fn human_side(&self) -> Option<Side> {
        match self.engines {
            [None, Some(_)] => Some(Side::First),
            [Some(_), None] => Some(Side::Second),
            _ => None,
        }
    }

    /// Introduces the players at the start of a game.
    pub fn game_start(&self) -> String {
        let title = self.ruleset.info().title;
        let labels = Side::BOTH.map(|side| self.label(side));
        let [first, second] = &labels;
        match (&self.engines, self.human_side()) {
            (_, Some(side)) => {
                let level = self.levels.iter().flatten().next().map_or("", String::as_str);
                let (own, other) = (&labels[side.index()], &labels[side.opponent().index()]);
                format!("{title}: you are {own}, the computer ({level}) is {other}.")
            }
            ([Some(one), Some(other)], _) => format!("{title}: {first} is {one}, {second} is {other}."),
            _ => format!("{title}: {first} against {second}."),
        }
    }

    /// Reports a move, above the board.
    pub fn move_played(&self, played: &Played<'_>) -> String {
        let mover = played.mover;
        let slide = played.text.split_at_checked(played.text.len() / 2);
        let chosen = if let Some((from, to)) = slide.filter(|_| self.ruleset.info().slides) {
            format!("{} moves the piece at {from} to {to}", self.piece_mover(mover))
        } else {
            let text = self.shown(played.text);
            format!("{} chose move: {text}", Messages::player(mover))
        };
        match self.engines[mover.index()] {
            Some(_) => format!("{}\n{chosen}", took(played.thought.time)),
            None => chosen,
        }
    }

    /// "Player" for the person and "Computer" for the engine if one plays against the
    /// other, as in the course project; "Player 1" and "Player 2" otherwise.
    fn piece_mover(&self, mover: Side) -> String {
        match self.human_side() {
            Some(person) if person == mover => "Player".to_string(),
            Some(_) => "Computer".to_string(),
            None => Messages::player(mover),
        }
    }

    /// Says how the game ended.
    pub fn game_over(&self, verdict: &Verdict) -> String {
        let names = Side::BOTH.map(|side| match &self.engines[side.index()] {
            Some(engine) => engine.clone(),
            None => Messages::player(side),
        });
        let names = names.each_ref().map(String::as_str);
        let mut detail = match verdict {
            Verdict::Rules { why, .. } => self.for_people(why),
            _ => verdict.detail(names),
        };
        detail.push_str(&verdict.stderr_tail());
        let end = match verdict.result() {
            GameResult::Win(side) => format!("{} won!", Messages::player(side)),
            GameResult::Draw => "It's a tie!".to_string(),
        };
        format!("{detail}\n{end} Thank you for playing!")
    }

    /// Moves in the notation for people, separated by spaces.
    pub fn move_list<'a>(&self, moves: impl IntoIterator<Item = &'a str>) -> String {
        let moves: Vec<String> = moves.into_iter().map(|text| self.shown(text)).collect();
        moves.join(" ")
    }

    /// All moves of a game, numbered in pairs: `1. A6 B6  2. A7 H1`.
    pub fn numbered(&self, moves: &[String]) -> String {
        if moves.is_empty() {
            return "No moves have been played.".to_string();
        }
        let pairs = moves.chunks(2).zip(1..).map(|(pair, number)| {
            let pair = self.move_list(pair.iter().map(String::as_str));
            // Joined by a space that no line breaks at.
            format!("{number}.\u{a0}{}", pair.replace(' ', "\u{a0}"))
        });
        pairs.collect::<Vec<_>>().join("  ")
    }

    /// Rewrites a message of the rules for people: `x` and `o` become the signs of the
    /// board, and cells are capitalised where the game does so. Text between
    /// backquotes is a quotation and stays.
    pub fn for_people(&self, text: &str) -> String {
        let info = self.ruleset.info();
        reworded(text, |word| match word {
            "x" => self.signs[0].into(),
            "o" => self.signs[1].into(),
            _ if info.is_cell(word) => self.shown(word),
            _ => word.into(),
        })
    }

    /// The score and line that `who` reported for a position with `mover` to move.
    pub fn expectation(&self, who: &str, mover: Side, thought: &Thought) -> String {
        let (own, other) = (self.label(mover), self.label(mover.opponent()));
        let score = match thought.info.score {
            None => return format!("{who} reports no score."),
            Some(Score::Win(1)) => format!("{own} wins with the next move. That is proven."),
            Some(Score::Win(plies)) => {
                format!("{own} wins in at most {plies} plies. That is proven.")
            }
            Some(Score::Loss(1)) => format!("{other} wins with the next move. That is proven."),
            Some(Score::Loss(plies)) => {
                format!("{other} wins in {plies} plies on this line. That is proven.")
            }
            Some(Score::Draw) => "a tie. That is proven.".to_string(),
            Some(Score::Cp(value)) => {
                let score = f64::from(value) / 100.0;
                format!("score {score:+.2} for {own}. That is an estimate.")
            }
        };
        let mut text = format!("{who} expects: {score}");
        if !thought.info.pv.is_empty() {
            let shown = thought.info.pv.iter().take(MAX_LINE_MOVES).map(String::as_str);
            let more = if thought.info.pv.len() > MAX_LINE_MOVES {
                " ..."
            } else {
                ""
            };
            let line = printable(&self.move_list(shown), 10 * MAX_LINE_MOVES);
            let _ = write!(text, "\nLine: {line}{more}");
        }
        text
    }
}

fn took(time: Duration) -> String {
    format!("Took {:.2} seconds to calculate move", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use lodestone_game::protocol::Info;
    use sentences::expect;

    use super::*;

    fn messages(ruleset: Ruleset, engines: [bool; 2]) -> Messages {
        Messages {
            ruleset,
            signs: ['■', '□'],
            in_capitals: true,
            engines: engines.map(|is_engine| is_engine.then(|| "lodestone".to_string())),
            levels: engines.map(|is_engine| is_engine.then(|| "easy".to_string())),
        }
    }

    #[test]
    fn rewrites_messages_of_the_rules() {
        let cave = messages(Ruleset::MAGNETIC_CAVE, [false; 2]);
        for (text, shown) in [
            ("b6 touches neither a wall", "B6 touches neither a wall"),
            ("x has five in line, a5 to e1", "■ has five in line, A5 to E1"),
            (
                "`b2 x` is not a move, such as a6",
                "`b2 x` is not a move, such as A6",
            ),
            ("`` is no `a1`", "`` is no `a1`"),
        ] {
            assert_eq!(cave.for_people(text), shown);
        }
        let grid = messages(Ruleset::GRIDLOCK, [false; 2]);
        assert_eq!(grid.for_people("o: a1 is next to b1"), "□: a1 is next to b1");
    }

    #[test]
    fn names_the_mover_of_a_piece() {
        let mover = |engines| messages(Ruleset::GRIDLOCK, engines).piece_mover(Side::Second);
        assert_eq!(mover([false, true]), "Computer");
        assert_eq!(mover([true, false]), "Player");
        assert_eq!(mover([false, false]), "Player 2");
    }

    #[test]
    fn introduces_the_computer_by_its_level() {
        expect! {"Magnetic Cave: you are Player 1 (■), the computer (easy) is Player 2 (□)."}
            .assert_eq(&messages(Ruleset::MAGNETIC_CAVE, [false, true]).game_start());
    }

    #[test]
    fn numbers_the_moves_in_pairs() {
        let cave = messages(Ruleset::MAGNETIC_CAVE, [false; 2]);
        let moves = ["a6", "b6", "a7"].map(String::from);
        assert_eq!(cave.numbered(&moves).replace('\u{a0}', " "), "1. A6 B6  2. A7");
        assert_eq!(cave.numbered(&[]), "No moves have been played.");
    }

    #[test]
    fn tells_proven_scores_from_estimates() {
        let cave = messages(Ruleset::MAGNETIC_CAVE, [false, true]);
        let expects = |score, line: &[&str]| {
            let thought = Thought {
                info: Info {
                    score,
                    pv: line.iter().map(ToString::to_string).collect(),
                    ..Info::default()
                },
                ..Thought::default()
            };
            cave.expectation("lodestone", Side::Second, &thought)
        };
        let estimate = expects(Some(Score::Cp(-107)), &["a6", "b6"]);
        let scores = [Score::Loss(4), Score::Win(1), Score::Draw].map(Some);
        let others = scores.into_iter().chain([None]).map(|score| expects(score, &[]));
        let shown: Vec<String> = std::iter::once(estimate).chain(others).collect();
        expect![[r#"
            lodestone expects: score -1.07 for Player 2 (□). That is an estimate.
            Line: A6 B6
            lodestone expects: Player 1 (■) wins in 4 plies on this line. That is proven.
            lodestone expects: Player 2 (□) wins with the next move. That is proven.
            lodestone expects: a tie. That is proven.
            lodestone reports no score."#]]
        .assert_eq(&shown.join("\n"));
    }
}
