//! A match as it is shown on standard output, for people or as events for
//! programs.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use lodestone::board::{Move, Side};
use lodestone::game::{AnyPosition, GameResult, Variant};

use super::board::{Drawing, Look};
use super::events::Event;
use super::status;
use crate::arbiter::{Played, Watcher};
use crate::io::text::{time, truncated};
use crate::results::Record;
use crate::tournament::Tournament;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Only what is said at the end of the match.
    Summary,
    /// One line a game, too.
    Games,
    /// Every move with its board, too.
    Boards,
    /// Nothing for people, but events for programs.
    Events,
}

/// In a file, the state of the match stands after each so many games.
const STATUS_EVERY: u64 = 10;

/// Where a match is shown.
#[derive(Clone, Debug)]
pub struct Screen {
    variant: Variant,
    /// How many games there are.
    games: u64,
    detail: Detail,
    /// How boards are drawn for people who play; plainly where none do.
    look: Option<Look>,
    /// Whether the last line of the terminal says how far the match is.
    has_status_line: bool,
    is_terminal: bool,
}

/// One game of it that is shown move by move.
pub struct GameView {
    screen: Screen,
    /// How the two players are called, the first player's name first.
    labels: [String; 2],
}

impl Screen {
    /// A screen on standard output for a match of so many games; `look` is how
    /// boards are drawn for people who play.
    #[must_use]
    pub fn stdout(variant: Variant, games: u64, detail: Detail, look: Option<Look>) -> Screen {
        Screen {
            variant,
            games,
            detail,
            look,
            has_status_line: false,
            is_terminal: io::stdout().is_terminal(),
        }
    }

    /// How much is shown.
    #[must_use]
    pub const fn detail(&self) -> Detail {
        self.detail
    }

    /// Shows the start of game number `id` between players of these names, and
    /// gives back who shows its moves.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn game(&mut self, id: u64, names: [&str; 2]) -> io::Result<GameView> {
        let labels = self.labels(names);
        if self.detail == Detail::Boards {
            let ([first, second], title) = (&labels, self.title(id));
            self.print(&format!("{title}: {first} against {second}"))?;
        }
        Ok(GameView {
            screen: self.clone(),
            labels,
        })
    }

    /// Shows how a game ended; `remark` is what else is
    /// known of a fault, in lines of its own.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn game_over(&mut self, record: &Record, remark: &str) -> io::Result<()> {
        let Record {
            result,
            reason,
            detail,
            ..
        } = record;
        let labels = self.labels([&record.first, &record.second]);
        let text = match self.detail {
            Detail::Summary => return Ok(()),
            Detail::Events => return self.event(&Event::Game(record)),
            Detail::Games => {
                let ([first, second], title) = (&labels, self.title(record.id));
                format!("{title}: {first} - {second}: {result}, {reason}: {detail}")
            }
            Detail::Boards => match result {
                GameResult::Win(side) => {
                    format!("{} wins: {detail} ({result}, {reason})\n", labels[side.index()])
                }
                GameResult::Draw => format!("A tie: {detail} ({result}, {reason})\n"),
            },
        };
        self.print(&(text + remark))
    }

    /// Shows how far the match is: on a terminal in its last line, in a file
    /// now and then. `per_game` is how long a game takes.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn status(&mut self, tournament: &Tournament, per_game: Option<Duration>) -> io::Result<()> {
        match self.detail {
            Detail::Summary | Detail::Boards => Ok(()),
            Detail::Events => self.event(&Event::status(tournament, per_game)),
            Detail::Games if self.is_terminal => {
                let line = status::line(tournament, per_game);
                let mut out = io::stdout().lock();
                write!(out, "\r{CLEAR_LINE}{}", fitting(&line))?;
                self.has_status_line = true;
                out.flush()
            }
            Detail::Games => {
                let is_due = tournament.played().is_multiple_of(STATUS_EVERY);
                if is_due && !tournament.is_finished() {
                    self.print(&status::line(tournament, per_game))?;
                }
                Ok(())
            }
        }
    }

    /// Writes an event for programs.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let text = serde_json::to_string(event)?;
        self.print(&text)
    }

    /// Shows whole lines, at whatever detail, at once.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn print(&mut self, lines: &str) -> io::Result<()> {
        let mut text = String::new();
        if std::mem::take(&mut self.has_status_line) {
            text.push('\r');
            text.push_str(CLEAR_LINE);
        }
        text.push_str(lines);
        text.push('\n');
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    fn title(&self, id: u64) -> String {
        format!("Game {id} of {}", self.games)
    }

    /// How players are called on the board: each name with its sign.
    fn labels(&self, names: [&str; 2]) -> [String; 2] {
        let signs = self.variant.info().signs;
        let signs = self.look.map_or(signs, |look| look.signs(signs));
        Side::BOTH.map(|side| format!("{} ({})", names[side.index()], signs[side.index()]))
    }
}

/// Takes away everything from the cursor to the end of the line (ECMA-48, EL).
const CLEAR_LINE: &str = "\x1b[K";

/// A line truncated to the width of the terminal, so that it can be cleared.
fn fitting(line: &str) -> &str {
    let width = rustix::termios::tcgetwinsize(io::stdout()).map_or(80, |size| size.ws_col);
    let width = if width == 0 { 80 } else { usize::from(width) };
    truncated(line, width.saturating_sub(1))
}

impl GameView {
    fn shows_boards(&self) -> bool {
        self.screen.detail == Detail::Boards
    }

    fn board(&self, position: &dyn AnyPosition, last: Option<Move>) -> String {
        match self.screen.look {
            None => position.diagram().to_string(),
            Some(look) => Drawing::new(position, last, look).to_string(),
        }
    }
}

impl Watcher for GameView {
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
