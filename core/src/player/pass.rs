//! Passes: rules and protocols write them in different words.

use crate::game::{GameMove, Position};

/// The words of protocols and rules, in lower case. `OpenSpiel` writes the colour of the mover in front: `BPASS`.
const PASSES: [&str; 6] = ["pass", "bpass", "wpass", "0000", "--", "@@@@"];

/// The pass of UCI, UGI and UAI.
pub(super) const ZEROS: &str = "0000";

/// Whether a move is a pass.
pub fn is_pass(mv: &str) -> bool {
    PASSES.iter().any(|pass| pass.eq_ignore_ascii_case(mv))
}

/// The pass of this position, if the engine has passed in other words and the rules have exactly one.
pub(super) fn pass_among(position: &dyn Position, mv: &str) -> Option<GameMove> {
    if !is_pass(mv) {
        return None;
    }
    let mut passes = position.legal_moves().into_iter().filter(|mv| is_pass(&mv.text));
    passes.next().filter(|_| passes.next().is_none())
}

/// A line `position …` with this pass for each in its moves.
pub(super) fn with_passes(line: &str, pass: &str) -> String {
    let Some((start, moves)) = line.split_once(" moves ") else {
        return line.to_string();
    };
    let moves: Vec<&str> = moves
        .split(' ')
        .map(|mv| if is_pass(mv) { pass } else { mv })
        .collect();
    format!("{start} moves {}", moves.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_moves_become_passes() {
        let line = "position fen pass 0000 moves a1 pass BPASS passant";
        let expected = "position fen pass 0000 moves a1 0000 0000 passant";
        assert_eq!(with_passes(line, ZEROS), expected);
        assert_eq!(with_passes("position startpos", ZEROS), "position startpos");
    }
}
