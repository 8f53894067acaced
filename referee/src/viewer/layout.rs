//! The lines of one screen, for any size of the terminal.
//!
//! A wide screen has the board on the left, facts and moves on the right. A narrow one
//! has the facts below the board.

use anstream::adapter::strip_str;
use lodestone::board::Side;

use super::game_text::GameText;
use super::keys;
use crate::display::{self, board_columns};
use crate::io::text::{columns, padded, shortened, wrap};
use crate::progress::TerminalSize;

/// Least width for a board with the facts at its right, in columns.
const WIDE: usize = 60;

/// Rows beside the board that facts have to themselves.
const FACT_ROWS: usize = 4;

/// Columns between the board and the facts.
const GAP: usize = 3;

/// The screen after `plies` moves, with `bottom` in its last line. No line is wider than
/// the terminal, and there are as many lines as rows.
#[must_use]
pub fn screen(game: &GameText, plies: usize, size: TerminalSize, bottom: &str) -> Vec<String> {
    // Terminals differ in what follows a character in the last column.
    let width = size.columns.saturating_sub(1).max(1);
    let rows = size.rows.saturating_sub(1);
    let title = wrapped_lines(&game.title(), width);
    let players = Side::BOTH.map(|side| game.player(side, plies));
    let board = game.board(plies);
    let head = title.len() + players.len();
    let (facts, body_rows) = if width >= WIDE {
        (Vec::new(), board.len())
    } else {
        let facts = fact_lines(game, plies, width);
        let rows = board.len() + facts.len();
        (facts, rows)
    };
    let mut lines = if head + body_rows > rows {
        Vec::new()
    } else {
        title
    };
    lines.extend(players);
    if lines.len() + body_rows + 1 < rows {
        lines.push(String::new());
    }
    let left = rows.saturating_sub(lines.len());
    lines.extend(if width >= WIDE {
        beside(game, plies, &board, width, left)
    } else {
        below(game, plies, board, facts, width, left)
    });
    lines.truncate(rows);
    lines.resize(rows, String::new());
    lines.push(bottom.to_string());
    lines.iter().map(|line| cut(line, width)).collect()
}

/// The help as a screen.
#[must_use]
pub fn help_screen(size: TerminalSize, bottom: &str) -> Vec<String> {
    let width = size.columns.saturating_sub(1).max(1);
    let mut lines = wrapped_lines(keys::HELP, width);
    lines.truncate(size.rows.saturating_sub(1));
    lines.resize(size.rows.saturating_sub(1), String::new());
    lines.push(cut(bottom, width));
    lines
}

/// The board, and facts and moves at its right.
fn beside(game: &GameText, plies: usize, board: &[String], width: usize, rows: usize) -> Vec<String> {
    let right_width = width.saturating_sub(board_columns(board) + GAP);
    let mut right = fact_lines(game, plies, right_width);
    // The list of moves stays where it is from move to move.
    right.resize(right.len().max(FACT_ROWS), String::new());
    let left = rows.max(board.len()).saturating_sub(right.len() + 1);
    if left > 0 {
        right.push(String::new());
        right.extend(move_list(game, plies, right_width, left));
    }
    display::beside(board, &right, GAP)
}

/// The board, and facts and moves below it.
fn below(
    game: &GameText,
    plies: usize,
    board: Vec<String>,
    facts: Vec<String>,
    width: usize,
    rows: usize,
) -> Vec<String> {
    let mut lines = board;
    if lines.len() + facts.len() < rows {
        lines.push(String::new());
    }
    lines.extend(facts);
    let left = rows.saturating_sub(lines.len() + 1);
    if left > 0 {
        lines.push(String::new());
        lines.extend(move_list(game, plies, width, left));
    }
    lines
}

fn fact_lines(game: &GameText, plies: usize, width: usize) -> Vec<String> {
    wrapped_lines(&game.facts(plies).join("\n"), width)
}

/// The moves around the current one in at most `rows` lines. The current one is in
/// brackets; `?` marks a mistake, `??` a blunder.
fn move_list(game: &GameText, plies: usize, width: usize, rows: usize) -> Vec<String> {
    let moves = game.replay().moves.iter().zip(1..);
    let texts: Vec<String> = moves
        .map(|(played, number)| {
            let mark = match played.mistake {
                Some(mistake) if mistake.is_blunder => "??",
                Some(_) => "?",
                None => "",
            };
            let text = format!("{number}.{}{mark}", game.move_text(played));
            if number == plies {
                format!("[{text}]")
            } else {
                format!(" {text} ")
            }
        })
        .collect();
    let cell = texts.iter().map(|text| columns(text)).max().unwrap_or(1);
    let per_line = (width / cell).max(1);
    let lines: Vec<String> = texts
        .chunks(per_line)
        .map(|line| line.iter().map(|text| padded(text, cell)).collect())
        .collect();
    let current = plies.saturating_sub(1) / per_line;
    let first = current
        .saturating_sub(rows / 2)
        .min(lines.len().saturating_sub(rows));
    lines.into_iter().skip(first).take(rows).collect()
}

fn wrapped_lines(text: &str, width: usize) -> Vec<String> {
    let wrapped = wrap(text, width);
    wrapped.lines().map(String::from).collect()
}

/// A line cut to the width. A line that is too wide loses its colours.
fn cut(line: &str, width: usize) -> String {
    let text = strip_str(line).to_string();
    if columns(&text) <= width {
        return line.to_string();
    }
    shortened(&text, width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::BoardStyle;
    use crate::results::StoredGame;
    use crate::results::replay::Replay;
    use crate::results::tests::record;
    use crate::viewer::game_text::tests::text;

    fn lines(plies: usize, rows: usize, columns: usize) -> Vec<String> {
        screen(&text(), plies, TerminalSize { rows, columns }, "bottom")
    }

    fn is_narrower(lines: &[String], width: usize) -> bool {
        lines.iter().all(|line| columns(line) < width)
    }

    #[test]
    fn help_fits_twenty_rows_of_forty_columns() {
        let size = TerminalSize {
            rows: 20,
            columns: 40,
        };
        let help = help_screen(size, "bottom").join("\n");
        let last = keys::HELP.lines().last().unwrap();
        assert!(help.contains(last.split(' ').next_back().unwrap()), "{help}");
    }

    #[test]
    fn every_screen_fits_the_terminal() {
        for columns in [20, 40, 50, 59, 60, 61, 80, 200] {
            for rows in [5, 12, 20, 24, 60] {
                for shown in (0..=9).map(|plies| lines(plies, rows, columns)) {
                    assert_eq!(shown.len(), rows);
                    assert_eq!(shown[rows - 1], "bottom");
                    assert!(is_narrower(&shown, columns), "{columns}: {shown:#?}");
                }
                let help = help_screen(TerminalSize { rows, columns }, "bottom");
                assert_eq!(help.len(), rows);
                assert!(
                    columns < 40 || is_narrower(&help, columns),
                    "{columns}: {help:#?}"
                );
            }
        }
    }

    #[test]
    fn twenty_rows_of_forty_columns_show_board_and_end() {
        let shown = lines(9, 20, 40).join("\n");
        for part in [
            "Game 3 of games.jsonl: Magnetic Cave\na (■), clock 1:0",
            "\nb (□)\n",
            "\n5(■)· · · · · · · 5\n",
            "\n  A B C D E F G H\n\nMove 9 of 9: a (■) plays A5\n0.001 s, score win in 1 move\n",
            "\na (■) wins: ■ has five in line, A5 to\nA1 (1-0, five)\n",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn long_reason_takes_the_place_of_the_title() {
        let mut game = record(3, "a", "b");
        game.moves.pop();
        game.ms.pop();
        game.score.pop();
        game.reason = "time".into();
        game.detail = "a gave no move within 1.000 s; it has written nothing since `go`: is its standard \
                       output flushed after each line? That is the usual cause, so look there first"
            .into();
        let stored = StoredGame::from_record(&game, None).unwrap();
        let style = BoardStyle {
            ascii: false,
            colour: false,
        };
        let game = GameText::new(Replay::new(&stored), "games.jsonl", style);
        let size = TerminalSize {
            rows: 20,
            columns: 40,
        };
        let shown = screen(&game, 8, size, "bottom").join("\n");
        assert!(shown.starts_with("a (■)\nb (□)\n  A B C"), "{shown}");
        assert!(shown.contains("there first (1-0, time)"), "{shown}");
    }

    #[test]
    fn wide_screen_has_facts_and_moves_beside_the_board() {
        let shown = lines(3, 24, 80);
        assert_eq!(
            shown[4..11],
            [
                "  A B C D E F G H     Move 3 of 9: a (■) plays A2",
                "8 · · · · · · · · 8   0.002 s, score +0.50",
                "7 · · · · · · · · 7   Blunder: the score of a (■) fell from +0.50 to loss in 4",
                "6 · · · · · · · · 6   moves",
                "5 · · · · · · · · 5",
                "4 · · · · · · · · 4    1.A1    2.H1   [3.A2??] 4.H2    5.A3    6.H3    7.A4",
                "3 · · · · · · · · 3    8.H4    9.A5",
            ]
        );
    }

    #[test]
    fn move_list_follows_the_current_move() {
        let game = text();
        let shown = |plies| move_list(&game, plies, 20, 2);
        assert_eq!(shown(1)[0].trim_end(), "[1.A1]   2.H1");
        assert_eq!(shown(9)[1].trim_end(), "[9.A5]");
        assert_eq!(shown(9).len(), 2);
    }
}
