//! What to play in a proven tie: of the moves that keep it, the one after which
//! the opponent can go wrong most easily.
//!
//! A reply that loses at once is seen by everybody, so only those count that
//! lose later than most programs look.

use super::principal_variation::Search;
use crate::board::Move;
use crate::game::Evaluate;
use crate::score::{Value, WIN, is_decided};

/// Losses within so many plies of the reply are seen by most opponents: the
/// course projects look four plies ahead, the reply included.
const SEEN: u32 = 3;

/// The value of a tie.
const TIE: Value = 0;

impl Search<'_> {
    /// In a position that is a proven tie, puts the most tempting of the moves
    /// that keep it first, as far as time allows.
    pub(super) fn set_trap<G: Evaluate>(&mut self, root: &G, moves: &mut [Move]) {
        let mut most = 0.0;
        for index in 0..moves.len() {
            let part = self.losing_part(&root.play(moves[index]));
            if self.stopped {
                return;
            }
            if part > most {
                most = part;
                moves[..=index].rotate_right(1);
                self.task.observer.publish(moves[0]);
                self.lines[0] = vec![moves[0]];
                self.report(root, root.plies_left(), TIE);
            }
        }
    }

    /// The part of the opponent's replies that lose without its being obvious,
    /// 0 to 1, in a position in which it is to move; 0 if it can win.
    fn losing_part<G: Evaluate>(&mut self, next: &G) -> f64 {
        let depth = next.plies_left();
        if self.node::<G, false>(next, depth, 1, TIE, TIE + 1) > TIE {
            return 0.0;
        }
        let replies = next.legal_moves();
        let mut losing = 0;
        for &reply in replies.iter() {
            let after = next.play(reply);
            let value = self.node::<G, false>(&after, depth - 1, 2, TIE, TIE + 1);
            if self.stopped {
                return 0.0;
            }
            let is_lost = is_decided(value) && value > TIE;
            losing += u32::from(is_lost && (WIN - value) as u32 > 2 + SEEN);
        }
        f64::from(losing) / replies.len().max(1) as f64
    }
}
