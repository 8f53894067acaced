//! The unfinished positions after a number of plies, one for each class of images.

use std::collections::HashSet;

use super::board_position::BoardPosition;

/// All unfinished positions that arise from `start` after `plies` plies, in a fixed order. Only
/// one image of each is listed.
pub fn openings(start: &BoardPosition, plies: u32) -> Vec<BoardPosition> {
    let mut positions = vec![*start];
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for position in &positions {
            for cell in position.moves().cells() {
                let image = position.play(cell.into()).least_image();
                if !image.is_finished() && seen.insert(image.bricks) {
                    next.push(image);
                }
            }
        }
        positions = next;
    }
    positions
}
