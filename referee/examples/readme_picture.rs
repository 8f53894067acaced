//! Draws the picture of docs/matches.md: the end of a match as a terminal shows it.
//!
//! ```text
//! cargo build --release --workspace
//! cargo run --example readme_picture >docs/match.svg
//! ```
//!
//! The engines have fixed limits, so the same build plays the same games.

use std::error::Error;
use std::fmt::Write as _;
use std::process::Command;

use anstyle_svg::{Term, WIN10_CONSOLE};

/// The command of the picture, without `--color`.
const ARGUMENTS: &str = "match lodestone squares --each nodes=20000 st=60";

/// Moves shown, from the end of the last game.
const MOVES_SHOWN: usize = 1;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo puts examples into a folder beside the programs.
    let example = std::env::current_exe()?;
    let programs = example
        .ancestors()
        .nth(2)
        .ok_or("the example has no build folder")?;
    let outcome = Command::new(programs.join("referee"))
        .args(ARGUMENTS.split(' '))
        .args(["--color", "always"])
        .output()?;
    if !outcome.status.success() {
        return Err(String::from_utf8_lossy(&outcome.stderr).into());
    }
    let output = String::from_utf8(outcome.stdout)?;

    // An empty line ends each board.
    let blocks: Vec<&str> = output.split("\n\n").collect();
    let is_move = |block: &&str| {
        block
            .split_once(". ")
            .is_some_and(|(n, _)| n.parse::<u32>().is_ok())
    };
    let last_move = blocks
        .iter()
        .rposition(is_move)
        .ok_or("the match shows no move")?;
    let first_shown = (last_move + 1).saturating_sub(MOVES_SHOWN);
    let mut screen = format!("$ referee {ARGUMENTS}\n…\n");
    for block in &blocks[first_shown..] {
        write!(screen, "{}\n\n", block.trim_end())?;
    }
    print!(
        "{}",
        Term::new()
            .palette(WIN10_CONSOLE)
            .min_width_px(600)
            .render_svg(screen.trim_end())
    );
    Ok(())
}
