//! The output of a match on stdout: text for people, or events for programs.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use lodestone::board::{Move, Side};
use lodestone::game::{AnyPosition, GameResult, Variant};

use super::board::{BoardDrawing, BoardStyle};
use super::event::Event;
use super::status;
use crate::arbiter::{Played, Watcher};
use crate::io::text::{time, truncated};
use crate::player::TimesLeft;
use crate::results::Record;
use crate::tournament::Tournament;

/// What a match prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutputMode {
    /// Only the summary at the end.
    Summary,
    /// The summary, and one line per game.
    Games,
    /// The summary, and every move with its board.
    Boards,
    /// Events for programs, and no text.
    Events,
}

/// Number of games between two status lines, if stdout is not a terminal.
const STATUS_EVERY: u64 = 10;

/// The output of a match.
#[derive(Clone, Debug)]
pub struct MatchDisplay {
    variant: Variant,
    /// The number of games of the match.
    games: u64,
    mode: OutputMode,
    /// How boards are drawn; `None` draws them plainly.
    style: Option<BoardStyle>,
    /// The last line on the terminal is a status line.
    has_status_line: bool,
    is_terminal: bool,
}

/// The output of one game, move by move.
pub struct GameDisplay {
    display: MatchDisplay,
    /// The names with their signs, the first player's first.
    labels: [String; 2],
}

impl MatchDisplay {
    /// The output on stdout of a match with this number of games. Without a `style`,
    /// boards are drawn plainly.
    #[must_use]
    pub fn stdout(variant: Variant, games: u64, mode: OutputMode, style: Option<BoardStyle>) -> MatchDisplay {
        MatchDisplay {
            variant,
            games,
            mode,
            style,
            has_status_line: false,
            is_terminal: io::stdout().is_terminal(),
        }
    }

    /// What the match prints.
    #[must_use]
    pub const fn mode(&self) -> OutputMode {
        self.mode
    }

    /// Prints the start of game number `id` between players of these names. Returns
    /// the display of its moves.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn game(&mut self, id: u64, names: [&str; 2]) -> io::Result<GameDisplay> {
        let labels = self.labels(names);
        if self.mode == OutputMode::Boards {
            let ([first, second], title) = (&labels, self.title(id));
            self.print(&format!("{title}: {first} against {second}"))?;
        }
        Ok(GameDisplay {
            display: self.clone(),
            labels,
        })
    }

    /// Prints the result of a game. `remark` has further lines about a fault.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn game_over(&mut self, record: &Record, remark: &str) -> io::Result<()> {
        let Record {
            result,
            reason,
            detail,
            ..
        } = record;
        let labels = self.labels([&record.first, &record.second]);
        let text = match self.mode {
            OutputMode::Summary => return Ok(()),
            OutputMode::Events => return self.event(&Event::Game(record)),
            OutputMode::Games => {
                let ([first, second], title) = (&labels, self.title(record.id));
                format!("{title}: {first} - {second}: {result}, {reason}: {detail}")
            }
            OutputMode::Boards => match result {
                GameResult::Win(side) => {
                    format!("{} wins: {detail} ({result}, {reason})\n", labels[side.index()])
                }
                GameResult::Draw => format!("A tie: {detail} ({result}, {reason})\n"),
            },
        };
        self.print(&(text + remark))
    }

    /// Prints the progress of the match: in the last line of a terminal, otherwise
    /// every 10 games. `per_game` is the average time of a game.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn status(&mut self, tournament: &Tournament, per_game: Option<Duration>) -> io::Result<()> {
        match self.mode {
            OutputMode::Summary | OutputMode::Boards => Ok(()),
            OutputMode::Events => self.event(&Event::status(tournament, per_game)),
            OutputMode::Games if self.is_terminal => {
                let line = status::line(tournament, per_game);
                let mut out = io::stdout().lock();
                write!(out, "\r{CLEAR_LINE}{}", fit_to_terminal(&line))?;
                self.has_status_line = true;
                out.flush()
            }
            OutputMode::Games => {
                let is_due = tournament.played().is_multiple_of(STATUS_EVERY);
                if is_due && !tournament.is_finished() {
                    self.print(&status::line(tournament, per_game))?;
                }
                Ok(())
            }
        }
    }

    /// Prints an event for programs.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let text = serde_json::to_string(event)?;
        self.print(&text)
    }

    /// Prints whole lines in every mode, and flushes them.
    ///
    /// # Errors
    /// If the output cannot be written.
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

    /// Each name with its sign on the board.
    fn labels(&self, names: [&str; 2]) -> [String; 2] {
        let signs = self.variant.info().signs;
        let signs = self.style.map_or(signs, |style| style.signs(signs));
        Side::BOTH.map(|side| format!("{} ({})", names[side.index()], signs[side.index()]))
    }
}

/// Erases from the cursor to the end of the line (ECMA-48, EL).
const CLEAR_LINE: &str = "\x1b[K";

/// A line truncated to the width of the terminal, so that it can be cleared.
fn fit_to_terminal(line: &str) -> &str {
    let width = rustix::termios::tcgetwinsize(io::stdout()).map_or(80, |size| size.ws_col);
    let width = if width == 0 { 80 } else { usize::from(width) };
    truncated(line, width.saturating_sub(1))
}

impl GameDisplay {
    fn shows_boards(&self) -> bool {
        self.display.mode == OutputMode::Boards
    }

    fn board(&self, position: &dyn AnyPosition, last: Option<Move>) -> String {
        match self.display.style {
            None => position.diagram().to_string(),
            Some(style) => BoardDrawing::new(position, last, style).to_string(),
        }
    }
}

impl Watcher for GameDisplay {
    fn begins(&mut self, position: &dyn AnyPosition, opening: &[String], _: TimesLeft) -> io::Result<()> {
        if !self.shows_boards() {
            return Ok(());
        }
        let opening = match opening {
            [] => String::new(),
            moves => format!("Opening: {}\n", moves.join(" ")),
        };
        let board = self.board(position, None);
        self.display.print(&format!("{opening}{board}\n"))
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
            mv,
            clocks: _,
        } = played;
        let label = &self.labels[mover.index()];
        let score = thought
            .score
            .map_or(String::new(), |score| format!(", score {score}"));
        self.display.print(&format!(
            "{number}. {label} plays {text} in {}{score}\n{}\n",
            time(thought.time),
            self.board(*position, Some(*mv))
        ))
    }
}
