//! Games and boards as they are shown: as text on a terminal, and as JSON for pages and scripts.
//!
//! * [`drawing`]: a board as text, with marks and colours.
//! * [`GameView`]: a game as `--json-moves` and the pages of `referee serve` have it.
//! * [`BoardEncoder`]: boards as JSON, here and in the page of a report.

mod board_encoder;
pub mod drawing;
mod game_view;

pub(crate) use board_encoder::BoardEncoder;
pub use game_view::{GameView, LineView, MoveView, boards};
