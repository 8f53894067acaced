//! `referee` without arguments: the menu, and the games chosen there.

use super::{install_interrupt, play_by_hand};
use crate::config::cli::StyleArgs;
use crate::interactive::menu;
use crate::interactive::prompt::Prompt;
use crate::io::failure::Failure;

/// Asks what to play, and plays it.
pub fn run(style: StyleArgs) -> Result<(), Failure> {
    let interrupt = install_interrupt()?;
    let mut prompt = Prompt::open(style.board_style(), &interrupt)?;
    let plan = menu::plan_session(&mut prompt).map_err(Into::into);
    play_by_hand(plan, prompt, &interrupt)
}
