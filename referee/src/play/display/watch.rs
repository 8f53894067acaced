//! A match on a terminal: the board of the current game with clocks and the engines' search,
//! the results so far, and the status line. Redrawn in place.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lodestone::board::{Move, Side};
use lodestone::protocol::Info;

use super::status::Status;
use crate::game::drawing::{BoardDrawing, BoardStyle, beside, board_columns};
use crate::game::{Game, Observer, TimesLeft};
use crate::io::interrupt::Stop;
use crate::io::progress::{TerminalSize, View};
use crate::io::text::{clock, columns, padded, printable, shortened, speed, time, truncated, wrap};

/// The maximum length of a line of play, in characters.
const MAX_LINE_OF_PLAY: usize = 500;

/// The maximum number of results shown.
const MAX_RESULTS: usize = 12;

/// The columns between the board and the engines beside it.
const GAP: usize = 3;

/// The minimum width of the engines beside the board. On a narrower terminal they are shown
/// below it.
const MIN_SIDE_WIDTH: usize = 34;

/// The width from which clocks are not moved further to the right.
const MAX_WIDTH: usize = 72;

/// Times below this are shown with tenths of a second.
const SHORT_TIME: Duration = Duration::from_secs(20);

/// What a match shows on a terminal.
#[derive(Default)]
pub struct MatchView {
    /// The current or last game, if boards are shown.
    game: Option<WatchedGame>,
    /// The last results, oldest first.
    results: VecDeque<String>,
    status: Option<Status>,
}

/// A game with its board.
struct WatchedGame {
    title: String,
    /// The names with their signs, the first player's first.
    labels: [String; 2],
    style: BoardStyle,
    /// The side to move; `None` until both players are ready.
    mover: Option<Side>,
    /// The lines of the board.
    drawn: Vec<String>,
    /// The last moves, with their numbers.
    moves: VecDeque<String>,
    clocks: TimesLeft,
    /// When the side to move was asked.
    asked: Option<Instant>,
    searches: [Search; 2],
    /// The result as a sentence.
    outcome: Option<String>,
}

/// What an engine last wrote about its search.
#[derive(Clone, Debug, Default)]
struct Search {
    info: Info,
    /// The time of its last move.
    time: Option<Duration>,
}

/// Updates the view with the moves of a game.
pub struct GameWatcher(pub Arc<Mutex<MatchView>>);

impl MatchView {
    pub fn begin_game(&mut self, title: String, labels: [String; 2], style: BoardStyle) {
        self.game = Some(WatchedGame {
            title,
            labels,
            style,
            mover: None,
            drawn: Vec::new(),
            moves: VecDeque::new(),
            clocks: [None; 2],
            asked: None,
            searches: Default::default(),
            outcome: None,
        });
    }

    /// Ends the current game: `outcome` is its result as a sentence, `result` its line in the
    /// list of results.
    pub fn end_game(&mut self, outcome: String, result: String) {
        if let Some(game) = &mut self.game {
            game.asked = None;
            game.outcome = Some(outcome);
        }
        self.results.push_back(result);
        if self.results.len() > MAX_RESULTS {
            self.results.pop_front();
        }
    }

    /// Changes the status line.
    pub fn set_status(&mut self, status: Status) {
        self.status = Some(status);
    }
}

impl View for MatchView {
    fn lines(&mut self, size: TerminalSize) -> Vec<String> {
        let width = size.columns.saturating_sub(1);
        let status = self.status.as_ref().map(|status| status.line(width));
        let Some(game) = &self.game else {
            return status.into_iter().collect();
        };
        let height = size.rows.saturating_sub(1);
        let mut lines = game.lines(width, height.saturating_sub(1));
        let room = height.saturating_sub(lines.len() + 2).min(self.results.len());
        if room > 0 {
            lines.push(String::new());
            let results = self.results.range(self.results.len() - room..);
            lines.extend(results.map(|result| shortened(result, width)));
        }
        lines.extend(status);
        lines
    }
}

impl WatchedGame {
    /// The board, the engines and the last moves. On a low terminal the lines of play and the
    /// moves are left out.
    fn lines(&self, width: usize, height: usize) -> Vec<String> {
        let board = self.board();
        let mut lines = self.head(width, height.saturating_sub(board.len()));
        let side_width = width.saturating_sub(board_columns(&board) + GAP).min(MAX_WIDTH);
        if side_width >= MIN_SIDE_WIDTH {
            let [first, second] = Side::BOTH.map(|side| self.engine(side, side_width));
            let mut side: Vec<String> = first.into();
            side.push(String::new());
            side.extend(second);
            side.push(String::new());
            side.push(self.last_moves(side_width));
            lines.extend(beside(&board, &side, GAP));
            return lines;
        }
        lines.extend(board);
        let [first, second] = Side::BOTH.map(|side| self.engine(side, width));
        let room = height.saturating_sub(lines.len());
        if room >= first.len() + second.len() {
            lines.extend(first.into_iter().chain(second));
        } else {
            // Without the lines of play.
            lines.extend(first.into_iter().take(2).chain(second.into_iter().take(2)));
        }
        if lines.len() < height {
            lines.push(self.last_moves(width));
        }
        lines
    }

    /// The title and the result, which ends the last line. Takes more than one line only on a
    /// narrow terminal, and then at most `rows` if these are more than one.
    fn head(&self, width: usize, rows: usize) -> Vec<String> {
        let Some(outcome) = &self.outcome else {
            return vec![shortened(&self.title, width)];
        };
        let line = format!("{}: {outcome}", self.title);
        if columns(&line) <= width {
            return vec![line];
        }
        let mut lines = vec![shortened(&self.title, width)];
        lines.extend(wrap(outcome, width).lines().map(|line| shortened(line, width)));
        // The title and the end of the reason can be missed.
        let excess = lines.len().saturating_sub(rows.max(1));
        lines.drain(..excess.min(1));
        let end = lines.len() - 1;
        lines.drain(end - excess.saturating_sub(1).min(end)..end);
        lines
    }

    fn board(&self) -> Vec<String> {
        match self.mover {
            None => vec!["The players get ready.".into()],
            Some(_) => self.drawn.clone(),
        }
    }

    /// Three lines: name and clock; score, depth and speed; line of play.
    fn engine(&self, side: Side, width: usize) -> [String; 3] {
        let is_thinking = self.asked.is_some() && self.mover == Some(side);
        let marker = if is_thinking { ">" } else { " " };
        let clock = self
            .clock(side)
            .map_or(String::new(), |left| clock(left, SHORT_TIME));
        let name_width = width.saturating_sub(columns(&clock) + 3);
        let name = padded(&shortened(&self.labels[side.index()], name_width), name_width);
        let search = &self.searches[side.index()];
        // The words are the engine's.
        let line = printable(&format!("    {}", search.info.pv.join(" ")), MAX_LINE_OF_PLAY);
        [
            format!("{marker} {name} {clock}").trim_end().to_string(),
            search.facts(width),
            shortened_by_words(line.trim_end(), width),
        ]
    }

    /// The remaining time of a side, now.
    fn clock(&self, side: Side) -> Option<Duration> {
        let left = self.clocks[side.index()]?;
        let spent = self
            .asked
            .filter(|_| self.mover == Some(side))
            .map_or(Duration::ZERO, |asked| asked.elapsed());
        Some(left.saturating_sub(spent))
    }

    /// The last moves that fit, in their order.
    fn last_moves(&self, width: usize) -> String {
        let mut text = String::new();
        for mv in self.moves.iter().rev() {
            let longer = if text.is_empty() {
                mv.clone()
            } else {
                format!("{mv} {text}")
            };
            if columns(&longer) + 2 > width {
                break;
            }
            text = longer;
        }
        if text.is_empty() {
            text
        } else {
            format!("  {text}")
        }
    }
}

impl Search {
    /// Score, depth, speed and time of the last move, as many as fit.
    fn facts(&self, width: usize) -> String {
        let Info {
            depth,
            seldepth,
            score,
            nodes,
            nps,
            time: elapsed,
            ..
        } = &self.info;
        let nps = nps.or_else(|| {
            let milliseconds = elapsed.filter(|&milliseconds| milliseconds > 0)?;
            Some(nodes.as_ref()?.saturating_mul(1000) / milliseconds)
        });
        let depth = depth.map(|depth| match seldepth {
            Some(seldepth) => format!("depth {depth}/{seldepth}"),
            None => format!("depth {depth}"),
        });
        let facts = [
            score.map(|score| score.to_string()),
            depth,
            nps.map(speed),
            self.time.map(|spent| format!("moved in {}", time(spent))),
        ];
        let mut text = String::new();
        for fact in facts.into_iter().flatten() {
            let separator = if text.is_empty() { "    " } else { ", " };
            if columns(&text) + columns(separator) + columns(&fact) <= width {
                text.push_str(separator);
                text.push_str(&fact);
            }
        }
        text
    }
}

impl GameWatcher {
    fn view(&self) -> MutexGuard<'_, MatchView> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for GameWatcher {
    fn begins(&mut self, game: &Game) -> Result<(), Stop> {
        if let Some(watched) = &mut self.view().game {
            watched.update(game, None);
            for (number, mv) in (1..).zip(game.moves()) {
                watched.add_move(number, mv);
            }
        }
        Ok(())
    }

    fn asks(&mut self, _: &Game) -> bool {
        true
    }

    fn moved(&mut self, game: &Game) -> io::Result<()> {
        if let (Some(watched), Some(played)) = (&mut self.view().game, game.last()) {
            watched.update(game, played.cells);
            watched.asked = None;
            watched.add_move(played.number, played.text);
            watched.searches[played.mover.index()].time = Some(played.thought.time);
        }
        Ok(())
    }

    fn thinking(&mut self, elapsed: Duration, info: &Info) -> Result<(), Stop> {
        if let Some(game) = &mut self.view().game
            && let Some(mover) = game.mover
        {
            game.asked = Instant::now().checked_sub(elapsed);
            // Until its first line, the last search stays on the screen.
            if info.score.is_some() {
                game.searches[mover.index()].info = info.clone();
            }
        }
        Ok(())
    }
}

impl WatchedGame {
    /// `last` has the cells of the last move of a built-in game.
    fn update(&mut self, game: &Game, last: Option<Move>) {
        self.mover = Some(game.position().side_to_move());
        let drawing = BoardDrawing::of_game(game, last, self.style).to_string();
        self.drawn = drawing.lines().map(String::from).collect();
        self.clocks = game.clocks();
    }

    fn add_move(&mut self, number: usize, text: &str) {
        /// More than fit on a line.
        const KEPT: usize = 40;
        self.moves.push_back(format!("{number}. {text}"));
        if self.moves.len() > KEPT {
            self.moves.pop_front();
        }
    }
}

/// A line of at most `width` columns, cut between two words; `…` stands for the rest.
fn shortened_by_words(line: &str, width: usize) -> String {
    if columns(line) <= width {
        return line.to_string();
    }
    let short = truncated(line, width.saturating_sub(1));
    match short.rfind(' ') {
        Some(end) if !line[short.len()..].starts_with(' ') => format!("{}…", &short[..=end]),
        _ => format!("{short}…"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_play_are_cut_between_moves() {
        assert_eq!(shortened_by_words("    a1 h1 a2", 20), "    a1 h1 a2");
        assert_eq!(shortened_by_words("    a1 h1 a2", 11), "    a1 h1 …");
        assert_eq!(shortened_by_words("    a1 h1 a2", 10), "    a1 h1…");
    }

    #[test]
    fn a_narrow_terminal_shows_the_result_after_a_long_reason() {
        let mut view = MatchView::default();
        let style = BoardStyle {
            ascii: true,
            colour: false,
        };
        view.begin_game("Game 3: a - b".into(), ["a".into(), "b".into()], style);
        let reason = "a gave no move within 1.000 s; is its standard output flushed after each line?";
        view.end_game(format!("b wins: {reason} (0-1, stall)"), String::new());
        let game = view.game.as_mut().unwrap();
        let one_line = format!("Game 3: a - b: b wins: {reason} (0-1, stall)");
        assert_eq!(game.head(columns(&one_line), 1), [one_line.as_str()]);
        let head = |rows| game.head(40, rows);
        let all = [
            "Game 3: a - b",
            "b wins: a gave no move within 1.000 s;",
            "is its standard output flushed after",
            "each line? (0-1, stall)",
        ];
        assert_eq!(head(4), all);
        assert_eq!(head(3), all[1..]);
        assert_eq!(head(2), [all[1], all[3]]);
        assert_eq!(head(1), all[3..]);
        assert_eq!(head(0), all[3..]);
    }

    #[test]
    fn facts_that_do_not_fit_are_left_out() {
        let search = Search {
            info: Info {
                depth: Some(12),
                score: Some(lodestone::score::Score::Cp(34)),
                nodes: Some(500_000),
                time: Some(250),
                ..Info::default()
            },
            time: Some(Duration::from_millis(300)),
        };
        assert_eq!(
            search.facts(80),
            "    cp 34, depth 12, 2.0 Mnps, moved in 0.300 s"
        );
        assert_eq!(search.facts(30), "    cp 34, depth 12, 2.0 Mnps");
        assert_eq!(search.facts(20), "    cp 34, depth 12");
    }
}
