//! Games and boards for whoever shows them: on a terminal, and as values for pages and scripts.
//!
//! * [`drawing`]: a board as text, with marks and colours.
//! * [`GameView`]: a game as `--json-moves` and the pages of `referee serve` have it.
//! * [`page_games`]: the games of a report's page.
//! * [`BoardEncoder`]: the JSON of boards in both.

mod board_encoder;
pub mod drawing;
mod game_view;
pub mod page_games;

pub use game_view::{GameView, LineView, MoveView, boards};
