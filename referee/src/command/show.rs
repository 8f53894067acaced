//! `referee show`: all boards of a game, or the games of a file.

use std::io::{self, Write};

use super::shown;
use crate::config::cli::ShowArgs;
use crate::config::values::Positive;
use crate::interactive::game_text::GameText;
use crate::io::failure::Failure;
use crate::io::terminal::width;
use crate::io::text::{columns, padded, printable, right_aligned, shortened, wrap};
use crate::results::game_file::{self, FileContent, GameEntry};

/// The largest width of sentences, in columns.
const MAX_WIDTH: usize = 80;

/// The width of a list that does not go to a terminal, in columns.
const NO_TERMINAL: usize = 1000;

/// The least width at which two spaces separate the columns.
const ROOMY: usize = 60;

/// The least width of a name, in columns.
const MIN_NAME: usize = 4;

/// Shows a game, or the list of games where none is chosen.
pub fn run(args: &ShowArgs) -> Result<(), Failure> {
    let file = args.file.display().to_string();
    let number = args.game.map(Positive::get);
    let width = width(io::stdout()).unwrap_or(NO_TERMINAL);
    let text = match game_file::read(&args.file, number).map_err(Failure::Usage)? {
        FileContent::Game(game) => {
            GameText::new(*game, &file, args.style.board_style()).all_boards(width.min(MAX_WIDTH))
        }
        FileContent::List(games) => table(&file, &games, width),
    };
    let mut out = io::stdout().lock();
    shown(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// The table of games, and how to choose one; no line is wider than `width` columns.
fn table(file: &str, games: &[GameEntry], width: usize) -> String {
    let file = printable(file, usize::MAX);
    let Some(first) = games.first() else {
        return wrap(&format!("{file} holds no games."), width) + "\n";
    };
    let header = ["id", "first", "second", "result", "reason", "moves"].map(String::from);
    let mut rows = vec![header];
    rows.extend(games.iter().map(cells));
    let widths: [usize; 6] = std::array::from_fn(|column| {
        rows.iter()
            .map(|row| columns(&row[column]))
            .max()
            .unwrap_or_default()
    });
    // Long names make room for the other columns.
    let gap = if width < ROOMY { " " } else { "  " };
    let fixed = widths.iter().sum::<usize>() - widths[1] - widths[2] + gap.len() * (widths.len() - 1);
    let names = width.saturating_sub(fixed);
    let widths: [usize; 6] = std::array::from_fn(|column| match column {
        1 | 2 if widths[1] + widths[2] > names => widths[column].min((names / 2).max(MIN_NAME)),
        _ => widths[column],
    });
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths).enumerate();
        let cells = cells.map(|(column, (cell, width))| match column {
            0 | 5 => right_aligned(cell, width),
            _ => padded(&shortened(cell, width), width),
        });
        let line = cells.collect::<Vec<_>>().join(gap);
        text += line.trim_end();
        text.push('\n');
    }
    let advice = format!(
        "\n`referee show {file} --game {}` shows a game; choose its number with --game.",
        first.id
    );
    text + &wrap(&advice, width) + "\n"
}

fn cells(game: &GameEntry) -> [String; 6] {
    let [first, second] = game.players.each_ref().map(|name| printable(name, usize::MAX));
    let reason = printable(&game.reason, usize::MAX);
    [
        game.id.to_string(),
        first,
        second,
        game.result.clone(),
        reason,
        game.plies.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games() -> Vec<GameEntry> {
        let game = |id, first: &str, second: &str, result: &str, reason: &str| GameEntry {
            id,
            players: [first.into(), second.into()],
            result: result.into(),
            reason: reason.into(),
            plies: 31,
        };
        vec![
            game(4, "lodestone", "mybot", "1-0", "five"),
            game(12, "a-very-long-name-of-a-player", "b", "1/2-1/2", "mobility"),
        ]
    }

    #[test]
    fn lists_games_and_says_how_to_choose() {
        let expected = "\
id  first                         second  result   reason    moves
 4  lodestone                     mybot   1-0      five         31
12  a-very-long-name-of-a-player  b       1/2-1/2  mobility     31

`referee show games.jsonl --game 4` shows a game; choose its number with --game.
";
        assert_eq!(table("games.jsonl", &games(), 80), expected);
        assert_eq!(table("games.jsonl", &[], 80), "games.jsonl holds no games.\n");
    }

    #[test]
    fn fits_narrow_terminals() {
        for width in [50, 60, 80, 200] {
            for line in table("games.jsonl", &games(), width).lines() {
                assert!(columns(line) <= width, "{width}: {line}");
            }
        }
        for width in [40, 50] {
            let text = table("games.jsonl", &games(), width);
            assert!(text.lines().all(|line| columns(line) <= width), "{text}");
            assert!(text.contains('…'), "{text}");
        }
    }
}
