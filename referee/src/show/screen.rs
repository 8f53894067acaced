//! A match as it is shown on standard output.

use std::io::{self, BufWriter, Write};

use lodestone::board::{Move, Side};
use lodestone::game::{AnyPosition, GameResult, Variant};

use super::board::{Drawing, Look};
use super::time;
use crate::arbiter::{Finished, Played, Watcher};
use crate::verdict::Verdict;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Only what is said at the end of the match.
    Summary,
    /// One line a game, too.
    Games,
    /// Every move with its board, too.
    Boards,
}

/// Where a match is shown.
pub struct Screen {
    out: BufWriter<Box<dyn Write>>,
    detail: Detail,
    /// How boards are drawn for people who play; plainly where none do.
    look: Option<Look>,
}

/// One game of it.
pub struct GameView<'a> {
    screen: &'a mut Screen,
    /// The game's place in the match, such as "Game 1 of 2".
    title: String,
    variant: Variant,
    /// How the two players are called, the first player's name first.
    labels: [String; 2],
}

impl Screen {
    /// A screen on standard output; `look` is how boards are drawn for people
    /// who play.
    pub fn stdout(detail: Detail, look: Option<Look>) -> Screen {
        Screen {
            out: BufWriter::new(Box::new(io::stdout())),
            detail,
            look,
        }
    }

    /// Shows the start of a game of `variant` between players of these names.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn game(&mut self, title: String, variant: Variant, names: [&str; 2]) -> io::Result<GameView<'_>> {
        let signs = variant.startpos().diagram().signs;
        let signs = self.look.map_or(signs, |look| look.signs(signs));
        let labels = labels(names, signs);
        if self.detail == Detail::Boards {
            let [first, second] = &labels;
            self.print(&format!("{title}: {first} against {second}"))?;
        }
        Ok(GameView {
            screen: self,
            title,
            variant,
            labels,
        })
    }

    /// Shows whole lines, at whatever detail, at once.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn print(&mut self, lines: &str) -> io::Result<()> {
        writeln!(self.out, "{lines}")?;
        self.out.flush()
    }
}

impl GameView<'_> {
    /// Shows how the game ended.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn ends(self, finished: &Finished, names: [&str; 2]) -> io::Result<()> {
        let verdict = &finished.verdict;
        let (result, reason, detail) = (verdict.result(), verdict.reason(), verdict.detail(names));
        let mut text = match self.screen.detail {
            Detail::Summary => return Ok(()),
            Detail::Games => {
                let ([first, second], title) = (&self.labels, &self.title);
                format!("{title}: {first} - {second}: {result}, {reason}: {detail}")
            }
            Detail::Boards => match result {
                GameResult::Win(side) => {
                    format!(
                        "{} wins: {detail} ({result}, {reason})\n",
                        self.labels[side.index()]
                    )
                }
                GameResult::Draw => format!("A tie: {detail} ({result}, {reason})\n"),
            },
        };
        if let Verdict::Fault { fault, .. } = verdict {
            text.push_str(&fault.last_words());
        }
        self.screen.print(&text)
    }

    fn shows_boards(&self) -> bool {
        self.screen.detail == Detail::Boards
    }

    fn board(&self, position: &dyn AnyPosition, last: Option<Move>) -> String {
        match self.screen.look {
            None => position.diagram().to_string(),
            Some(look) => Drawing::new(self.variant, position, last, look).to_string(),
        }
    }
}

impl Watcher for GameView<'_> {
    fn begins(&mut self, position: &dyn AnyPosition, opening: &[String]) -> io::Result<()> {
        if !self.shows_boards() {
            return Ok(());
        }
        let opening = match opening {
            [] => String::new(),
            moves => format!("Opening: {}\n", moves.join(" ")),
        };
        let board = self.board(position, None);
        self.screen.print(&format!("{opening}{board}\n"))
    }

    fn moved(&mut self, played: &Played<'_>) -> io::Result<()> {
        if !self.shows_boards() {
            return Ok(());
        }
        let Played {
            mover,
            number,
            text,
            thought,
            position,
            one,
        } = played;
        let label = &self.labels[mover.index()];
        let score = thought
            .score
            .map_or(String::new(), |score| format!(", score {score}"));
        self.screen.print(&format!(
            "{number}. {label} plays {text} in {}{score}\n{}\n",
            time(thought.time),
            self.board(*position, Some(*one))
        ))
    }
}

/// How players are called on the board: each name with its sign.
fn labels(names: [&str; 2], signs: [char; 2]) -> [String; 2] {
    Side::BOTH.map(|side| format!("{} ({})", names[side.index()], signs[side.index()]))
}
