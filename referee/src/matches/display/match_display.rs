//! The output of a match: text for people, or events for programs.

use std::io;
use std::time::Duration;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use referee_core::failure::Stop;
use referee_core::game::Ruleset;
use referee_core::game::{Game, NoObserver, Observer};
use referee_core::io::json;
use referee_core::results::Record;
use referee_core::tournament::Tournament;

use super::cutechess;
use super::event::Event;
use super::status::{Leaders, Pace, Status, forecast};
use crate::terminal::progress::{self, LiveLine, Stream, View as _};
use crate::view::drawing::{BoardDrawing, BoardStyle};
use crate::view::{GameView, boards};

/// What a match prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutputMode {
    /// Only the summary at the end.
    Summary,
    /// The summary, and the progress every few games.
    Progress,
    /// The summary, and one line per game.
    Games,
    /// The summary, and every move with its board.
    Boards,
    /// The lines of cutechess-cli.
    Cutechess,
    /// Events for programs, and no text.
    Events,
    /// Only the last one of these events, which has the summary.
    LastEvent,
}

impl OutputMode {
    /// Whether the output is for programs.
    pub(crate) const fn is_json(self) -> bool {
        matches!(self, OutputMode::Events | OutputMode::LastEvent)
    }
}

/// A match of at most this number of games is shown move by move.
pub const FEW_GAMES: u64 = 2;

/// Games between two ratings: status lines if stdout is not a terminal, or tables of cutechess-cli.
const RATING_INTERVAL: u64 = 10;

/// The output of a match.
pub struct MatchDisplay {
    ruleset: Ruleset,
    /// The number of games of the match.
    games: u64,
    /// The games of the schedule that are not among them, in their order.
    left_out: Vec<u64>,
    /// Whether titles of games name this number.
    pub has_count: bool,
    mode: OutputMode,
    has_forecast: bool,
    /// Whether there are events of moves.
    pub has_moves: bool,
    /// What the progress shows instead of the score.
    values: Vec<String>,
    leaders: Leaders,
    /// How boards are drawn; `None` draws them plainly.
    style: Option<BoardStyle>,
    /// Where the progress is shown if it is a terminal.
    pub stream: Option<Stream>,
    /// The progress there, between [`MatchDisplay::begin`] and [`MatchDisplay::end`].
    line: Option<LiveLine<Status>>,
}

/// The output of one game, move by move.
struct GamePrinter {
    style: Option<BoardStyle>,
    /// The names with their signs, the first player's first.
    labels: [String; 2],
}

/// Prints events of the moves of one game.
struct MoveEvents {
    id: u64,
    names: [String; 2],
    /// The beginning of the game.
    view: GameView,
}

impl MatchDisplay {
    /// The output of a match with this number of games. Without a `style`, boards are drawn
    /// plainly.
    pub fn new(ruleset: Ruleset, games: u64, mode: OutputMode, style: Option<BoardStyle>) -> MatchDisplay {
        MatchDisplay {
            ruleset,
            games,
            left_out: Vec::new(),
            has_count: true,
            mode,
            has_forecast: false,
            has_moves: false,
            values: Vec::new(),
            leaders: Leaders::default(),
            style,
            stream: match mode {
                OutputMode::Summary | OutputMode::LastEvent => Some(Stream::Stderr),
                OutputMode::Progress | OutputMode::Games | OutputMode::Boards => Some(Stream::Stdout),
                OutputMode::Cutechess | OutputMode::Events => None,
            },
            line: None,
        }
    }

    /// Counts the games of a match again.
    pub fn count(&mut self, tournament: &Tournament) {
        self.games = tournament.total();
        if self.has_count {
            self.left_out = tournament.left_out();
        }
    }

    /// Shows these values in the progress instead of the score, the most important first.
    pub fn set_values(&mut self, values: Vec<String>) {
        self.values = values;
    }

    /// What the match prints.
    pub const fn mode(&self) -> OutputMode {
        self.mode
    }

    /// Begins to show the progress on a terminal.
    pub fn begin(&mut self, tournament: &Tournament) {
        let progress = self.progress(tournament, None);
        self.line = self.stream.and_then(|stream| LiveLine::start(stream, progress));
    }

    /// Ends the progress.
    pub fn end(&mut self) {
        self.line = None;
    }

    /// Prints the start of game number `id` between players of these names. Returns what shows its moves.
    pub fn game(&self, id: u64, names: [&str; 2]) -> io::Result<Box<dyn Observer>> {
        match self.mode {
            OutputMode::Events if self.has_moves => {
                return Ok(Box::new(MoveEvents {
                    id,
                    names: names.map(String::from),
                    view: GameView::default(),
                }));
            }
            OutputMode::Boards => {
                let (labels, title) = (self.labels(names), self.title(id));
                let [first, second] = &labels;
                print(&format!("{title}: {first} against {second}"))?;
                return Ok(Box::new(GamePrinter {
                    style: self.style,
                    labels,
                }));
            }
            OutputMode::Cutechess => print(&cutechess::started(id, self.games, names))?,
            _ => {}
        }
        Ok(Box::new(NoObserver))
    }

    /// Prints the result of a game. `remark` has further lines about a fault.
    pub fn game_over(&mut self, record: &Record, remark: &str) -> io::Result<()> {
        let Record {
            result,
            reason,
            detail,
            ..
        } = record;
        let style = self.style.unwrap_or_default();
        let detail = style.ending(self.ruleset.info(), reason.raw(), &detail.shown().to_string());
        let reason = reason.shown();
        let [first, second] = self.labels([&record.first, &record.second]);
        let title = self.title(record.id);
        let line = format!("{title}: {first} - {second}: {result}, {reason}: {detail}");
        let outcome = match result {
            GameResult::Win(side) => {
                let winner = [&first, &second][side.index()];
                format!("{winner} wins: {detail} ({result}, {reason})")
            }
            GameResult::Draw => format!("A tie: {detail} ({result}, {reason})"),
        };
        match self.mode {
            OutputMode::Summary | OutputMode::Progress | OutputMode::LastEvent => Ok(()),
            OutputMode::Cutechess => print(&cutechess::finished(record)),
            OutputMode::Events => MatchDisplay::event(&Event::Game(record)),
            OutputMode::Games => print(&(line + remark)),
            OutputMode::Boards => print(&format!("{outcome}\n{remark}")),
        }
    }

    /// Shows the progress of the match: in the last line of a terminal, otherwise
    /// every few games, and the expected duration of the match once.
    pub fn status(&mut self, tournament: &Tournament, pace: Pace) -> io::Result<()> {
        let per_game = pace.per_game();
        if self.line.is_some() {
            let progress = self.progress(tournament, per_game);
            if let Some(line) = &self.line {
                line.change(|status| *status = progress);
            }
            return Ok(());
        }
        match self.mode {
            OutputMode::Cutechess => {
                let ranking = MatchDisplay::is_rated(tournament).then(|| cutechess::ranking(tournament));
                for lines in [cutechess::score(tournament), ranking].into_iter().flatten() {
                    print(&lines)?;
                }
                Ok(())
            }
            OutputMode::Events => MatchDisplay::event(&Event::status(tournament, per_game)),
            OutputMode::Progress | OutputMode::Games => {
                if !self.has_forecast
                    && let Some(line) = forecast(tournament, pace)
                {
                    self.has_forecast = true;
                    print(&line)?;
                }
                if MatchDisplay::is_rated(tournament) {
                    print(&self.progress(tournament, per_game).line(usize::MAX))?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Prints the ranking of a match that has ended or was stopped, in the format of
    /// cutechess-cli.
    pub fn match_over(tournament: &Tournament) -> io::Result<()> {
        let ranking = cutechess::ranking(tournament);
        let end = if tournament.is_finished() {
            "\nFinished match"
        } else {
            ""
        };
        print(&format!("{ranking}{end}"))
    }

    /// Prints an event for programs.
    pub fn event(event: &Event<'_>) -> io::Result<()> {
        print(&json::line(event)?)
    }

    fn title(&self, id: u64) -> String {
        if !self.has_count {
            return format!("Game {id}");
        }
        // Its place among those that are played.
        let before = self.left_out.partition_point(|&other| other < id);
        let text = format!("Game {} of {}", id - before as u64, self.games);
        if self.left_out.is_empty() {
            text
        } else {
            format!("{text} (number {id})")
        }
    }

    /// Each name with its sign on the board.
    fn labels(&self, names: [&str; 2]) -> [String; 2] {
        let signs = self.ruleset.info().signs;
        let signs = self.style.map_or(signs, |style| style.signs(signs));
        Side::BOTH.map(|side| format!("{} ({})", names[side.index()], signs[side.index()]))
    }

    fn progress(&mut self, tournament: &Tournament, per_game: Option<Duration>) -> Status {
        Status::new(tournament, per_game, &self.values, &mut self.leaders)
    }

    /// Whether the rating is printed after this number of games.
    fn is_rated(tournament: &Tournament) -> bool {
        tournament.played().is_multiple_of(RATING_INTERVAL) && !tournament.is_finished()
    }
}

/// Prints whole lines in every mode, above the progress on a terminal.
pub(crate) fn print(lines: &str) -> io::Result<()> {
    progress::print(Stream::Stdout, &format!("{lines}\n"))
}

impl Observer for MoveEvents {
    fn begins(&mut self, game: &Game) -> Result<(), Stop> {
        let players = self.names.each_ref().map(String::as_str);
        self.view = GameView::new(game);
        let begin = Event::Begin {
            id: self.id,
            players,
            game: &self.view,
            boards: boards(game),
        };
        Ok(print(&json::line(&begin).map_err(io::Error::from)?)?)
    }

    fn moved(&mut self, game: &Game) -> io::Result<()> {
        let Some(last) = self.view.next(game) else {
            return Ok(());
        };
        let board = self.view.board(game, &last);
        print(&json::line(&Event::Move {
            id: self.id,
            last,
            board,
        })?)
    }
}

impl GamePrinter {
    /// Prints a text, and the board with an empty line below it; each only if there is one.
    fn print(&self, text: Option<String>, game: &Game) -> io::Result<()> {
        let board = Some(self.board(game)).filter(|board| !board.is_empty());
        let board = board.map(|board| board + "\n");
        let parts: Vec<String> = text.into_iter().chain(board).collect();
        if parts.is_empty() {
            Ok(())
        } else {
            print(&parts.join("\n"))
        }
    }

    fn board(&self, game: &Game) -> String {
        match self.style {
            None if game.position().built_in().is_some() => game.position().board(),
            style => BoardDrawing::of_game(game, style.unwrap_or_default()).to_string(),
        }
    }
}

impl Observer for GamePrinter {
    fn begins(&mut self, game: &Game) -> Result<(), Stop> {
        let moves = game.moves();
        let opening = (!moves.is_empty()).then(|| format!("Opening: {}", moves.join(" ")));
        Ok(self.print(opening, game)?)
    }

    fn moved(&mut self, game: &Game) -> io::Result<()> {
        let Some(played) = game.last() else { return Ok(()) };
        self.print(Some(played.line(&self.labels)), game)
    }
}
