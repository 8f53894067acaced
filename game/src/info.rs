//! The facts of a game that do not depend on a position.

use std::fmt;
use std::str::FromStr;

use crate::board::Side;
use crate::score::{Value, win_in};
use crate::text::quoted;

/// The facts of one game. Adding a field forces every game to fill it in.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// The value of `UCI_Variant` and `--variant`: lower case, no spaces.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The rules in one line, for the menu.
    pub summary: &'static str,
    /// The rules for people, a paragraph each, with the assignment's examples. Sides are `x`
    /// and `o`, and cells are lower case.
    pub rules: &'static [&'static str],
    /// A finished game that explains the rules: the FEN of its last position, and a sentence
    /// about it.
    pub example: (&'static str, &'static str),
    /// The label of each column from left to right, one character each.
    pub columns: &'static str,
    /// The label of each row from top to bottom, one character each.
    pub rows: &'static str,
    /// The signs of both sides on a drawn board, the first player's first.
    pub signs: [char; 2],
    /// The colours of both sides, the first player's first. `None` where people
    /// say "player 1" and "player 2".
    pub colours: Option<[&'static str; 2]>,
    /// Whether people read cells and columns in capitals, such as `A6`. Input
    /// takes any letter case, and the protocol writes lower case.
    pub(crate) shows_capitals: bool,
    /// What the text of a move consists of, for messages: "a move is …".
    pub move_form: &'static str,
    /// A move as an example, as the protocol writes it.
    pub sample_move: &'static str,
    /// Whether a move takes a piece from one cell to another. People can then
    /// enter it in two steps, and [`Game::parse_piece`](super::Game::parse_piece)
    /// reads the first one.
    pub slides: bool,
    /// Whether a [`Setup`](super::Setup) applies: pieces on random cells, and a
    /// turn limit.
    pub has_setup: bool,
    /// The built-in player that `lodestone` meets where no opponent is named: a reference player that looks four moves
    /// ahead, as the level `medium` promises, or `random`.
    pub default_opponent: &'static str,
    /// Every reason with which [`Game::outcome`](super::Game::outcome) can end
    /// a game.
    pub end_reasons: &'static [EndReason],
    /// The positions of `lodestone bench`, each a FEN and a depth in plies.
    pub bench: &'static [(&'static str, u32)],
    /// The positions of `referee check`.
    pub samples: Samples,
}

/// Positions in which bots are often wrong.
#[derive(Clone, Copy, Debug)]
pub struct Samples {
    /// FENs that bots often read wrongly, of unfinished games.
    pub fens: &'static [&'static str],
    /// FENs with a single legal move.
    pub only_moves: &'static [&'static str],
    /// Finished games: a FEN, or `startpos`, and the moves after it.
    pub finished: &'static [(&'static str, &'static [&'static str])],
}

impl GameInfo {
    /// The facts of a game of which only its names are known: the short one, and that for people.
    #[must_use]
    pub const fn of_other_game(name: &'static str, title: &'static str) -> GameInfo {
        GameInfo {
            name,
            title,
            summary: "",
            rules: &[],
            example: ("", ""),
            columns: "",
            rows: "",
            signs: ['x', 'o'],
            colours: None,
            shows_capitals: false,
            move_form: "a word",
            sample_move: "",
            slides: false,
            has_setup: false,
            default_opponent: "random",
            end_reasons: &[],
            bench: &[],
            samples: Samples {
                fens: &[],
                only_moves: &[],
                finished: &[],
            },
        }
    }

    /// What people call the pieces of both sides, the first player's first.
    #[must_use]
    pub fn side_names(&self) -> [String; 2] {
        let [first, second] = self.signs;
        self.colours
            .map_or([first.into(), second.into()], |names| names.map(String::from))
    }

    /// The text of a move, cell or column as people read it.
    #[must_use]
    pub fn shown(&self, text: &str) -> String {
        if self.shows_capitals {
            text.to_uppercase()
        } else {
            text.to_string()
        }
    }

    /// Whether `word` is the name of a cell: the labels of a column and a row,
    /// in either order.
    #[must_use]
    pub fn is_cell(&self, word: &str) -> bool {
        let mut labels = word.chars();
        let (Some(one), Some(other), None) = (labels.next(), labels.next(), labels.next()) else {
            return false;
        };
        let is_place = |column, row| self.columns.contains(column) && self.rows.contains(row);
        is_place(one, other) || is_place(other, one)
    }
}

/// What a person chooses before a game with a random start. Games without
/// [`GameInfo::has_setup`](super::GameInfo::has_setup) ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Pieces per side, 1 to [`Setup::MAX_PIECES`].
    pub pieces: u32,
    /// The turn limit in plies, 1 to [`Setup::MAX_TURNS`].
    pub turns: u32,
}

impl Setup {
    /// The most pieces per side: two sides on 49 cells leave one cell empty.
    pub const MAX_PIECES: u32 = 24;

    /// The highest turn limit, in plies.
    pub const MAX_TURNS: u32 = 1000;
}

impl Default for Setup {
    /// Five pieces and forty turns.
    fn default() -> Setup {
        Setup { pieces: 5, turns: 40 }
    }
}

// Outcomes: who won, and by which rule.

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// This side won.
    Win(Side),
    /// A drawn game.
    Draw,
}

impl GameResult {
    /// The side that won; `None` after a draw.
    #[must_use]
    #[inline]
    pub const fn winner(self) -> Option<Side> {
        match self {
            GameResult::Win(side) => Some(side),
            GameResult::Draw => None,
        }
    }
}

impl fmt::Display for GameResult {
    /// `1-0`, `0-1` or `1/2-1/2`, the first player's points first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameResult::Win(Side::First) => "1-0",
            GameResult::Win(Side::Second) => "0-1",
            GameResult::Draw => "1/2-1/2",
        })
    }
}

impl FromStr for GameResult {
    type Err = String;

    /// Parses the text that `Display` writes.
    fn from_str(text: &str) -> Result<GameResult, String> {
        [
            GameResult::Win(Side::First),
            GameResult::Win(Side::Second),
            GameResult::Draw,
        ]
        .into_iter()
        .find(|result| result.to_string() == text)
        .ok_or_else(|| format!("expected 1-0, 0-1 or 1/2-1/2, found {}", quoted(text)))
    }
}

/// The rule that ended a game, as the word of the result files. Each game
/// defines its own; see [`GameInfo::end_reasons`](super::GameInfo::end_reasons).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EndReason(pub &'static str);

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The end of a game by its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Who won.
    pub result: GameResult,
    /// The rule that ended the game.
    pub reason: EndReason,
}

impl Outcome {
    /// `side` won for `reason`.
    #[inline]
    pub const fn win(side: Side, reason: EndReason) -> Outcome {
        Outcome {
            result: GameResult::Win(side),
            reason,
        }
    }

    /// A drawn game, for `reason`.
    #[inline]
    pub(crate) const fn draw(reason: EndReason) -> Outcome {
        Outcome {
            result: GameResult::Draw,
            reason,
        }
    }

    /// 1 where `side` won, −1 where it lost, 0 for a draw.
    #[inline]
    pub fn points_for(self, side: Side) -> i32 {
        match self.result {
            GameResult::Win(winner) if winner == side => 1,
            GameResult::Win(_) => -1,
            GameResult::Draw => 0,
        }
    }

    /// The value for `side` of a game that ended `ply` plies from the root.
    #[inline]
    pub fn value_for(self, side: Side, ply: u32) -> Value {
        self.points_for(side) * win_in(ply)
    }
}
