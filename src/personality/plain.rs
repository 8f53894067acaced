//! The player `plain`, the frozen baseline: iterative deepening alpha-beta with a
//! transposition table and a game's [`Yardstick`] evaluation.
//!
//! Strength is measured against `plain`, so its play must never change. It shares no code
//! with `lodestone`'s search, and a test pins its node counts. Do not improve it.

use lodestone_game::board::Move;
use lodestone_game::score::Score;

use crate::game::Yardstick;
use crate::search::{Progress, Searcher, Task};

/// The value of a won position; a win in `n` plies is `WIN - n`.
const WIN: i32 = 30_000;

/// Values beyond this are proven.
const DECISIVE: i32 = 20_000;

/// Greater than any value.
const INFINITE: i32 = 32_000;

/// The depth of the deepest iteration, in plies.
const MAX_DEPTH: u32 = 100;

/// Base-2 logarithm of the number of table entries, 16 bytes each.
const TABLE_BITS: u32 = 18;

/// How a stored value relates to the true value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlainBound {
    Empty,
    Upper,
    Lower,
    Exact,
}

/// A table entry.
#[derive(Clone, Copy)]
struct PlainEntry {
    key: u64,
    best: Option<Move>,
    value: i16,
    depth: u8,
    bound: PlainBound,
}

const EMPTY: PlainEntry = PlainEntry {
    key: 0,
    best: None,
    value: 0,
    depth: 0,
    bound: PlainBound::Empty,
};

/// The player `plain`.
pub struct Plain {
    table: Vec<PlainEntry>,
}

impl Plain {
    /// A player with an empty table.
    pub(crate) fn new() -> Plain {
        Plain {
            table: vec![EMPTY; 1 << TABLE_BITS],
        }
    }
}

impl Default for Plain {
    fn default() -> Plain {
        Plain::new()
    }
}

impl<G: Yardstick> Searcher<G> for Plain {
    fn search(&mut self, root: &G, task: &Task<'_>) -> Move {
        let mut moves = task.moves.to_vec();
        moves.sort_unstable();
        task.observer.publish(&moves[..1]);
        let mut search = PlainSearch {
            table: &mut self.table,
            task,
            nodes: 0,
            stopped: false,
        };
        let max_depth = task
            .limits
            .depth
            .unwrap_or(MAX_DEPTH)
            .min(root.plies_left())
            .clamp(1, MAX_DEPTH);
        for depth in 1..=max_depth {
            let value = search.root(root, &mut moves, depth);
            task.observer.publish(&moves[..1]);
            if search.stopped {
                break;
            }
            task.observer.report(Progress {
                multipv: 1,
                depth,
                seldepth: depth,
                score: score(value),
                nodes: search.nodes,
                hashfull: None,
                line: vec![moves[0]],
            });
            if value.abs() > DECISIVE || task.limits.deadlines.is_soft_past() {
                break;
            }
        }
        moves[0]
    }

    fn new_game(&mut self) {
        self.table.fill(EMPTY);
    }

    fn evaluate(&self, position: &G) -> Option<i32> {
        Some(position.plain_value())
    }
}

/// The score that a value means.
fn score(value: i32) -> Score {
    if value > DECISIVE {
        Score::Win((WIN - value) as u32)
    } else if value < -DECISIVE {
        Score::Loss((WIN + value) as u32)
    } else {
        Score::Cp(value)
    }
}

/// The state of one search.
struct PlainSearch<'a> {
    table: &'a mut Vec<PlainEntry>,
    task: &'a Task<'a>,
    nodes: u64,
    stopped: bool,
}

impl PlainSearch<'_> {
    /// Searches the root moves and puts the best one first.
    fn root<G: Yardstick>(&mut self, root: &G, moves: &mut [Move], depth: u32) -> i32 {
        let mut alpha = -INFINITE;
        for index in 0..moves.len() {
            let value = -self.node(&root.play(moves[index]), depth - 1, 1, (-INFINITE, -alpha));
            if self.stopped {
                break;
            }
            if value > alpha {
                alpha = value;
                moves[..=index].rotate_right(1);
            }
        }
        alpha
    }

    fn node<G: Yardstick>(
        &mut self,
        position: &G,
        depth: u32,
        ply: i32,
        (mut alpha, beta): (i32, i32),
    ) -> i32 {
        self.stopped |= self.task.must_stop_after(self.nodes);
        if self.stopped {
            return 0;
        }
        self.nodes += 1;
        if let Some(outcome) = position.outcome() {
            return outcome.points_for(position.side_to_move()) * (WIN - ply);
        }
        if depth == 0 {
            return position.plain_value();
        }
        let key = position.plain_key();
        let slot = (key >> (64 - TABLE_BITS)) as usize;
        let entry = self.table[slot];
        let is_hit = entry.bound != PlainBound::Empty && entry.key == key;
        if is_hit && u32::from(entry.depth) >= depth {
            let value = shift(i32::from(entry.value), -ply);
            match entry.bound {
                PlainBound::Exact => return value,
                PlainBound::Lower if value >= beta => return value,
                PlainBound::Upper if value <= alpha => return value,
                _ => {}
            }
        }
        let mut moves = position.generate_moves().to_vec();
        moves.sort_unstable();
        if let Some(index) = moves.iter().position(|&mv| is_hit && entry.best == Some(mv)) {
            moves[..=index].rotate_right(1);
        }
        let first_alpha = alpha;
        let (mut best, mut best_move) = (-INFINITE, None);
        for mv in moves {
            let value = -self.node(&position.play(mv), depth - 1, ply + 1, (-beta, -alpha));
            if self.stopped {
                return 0;
            }
            if value > best {
                best = value;
                best_move = Some(mv);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        self.table[slot] = PlainEntry {
            key,
            best: best_move,
            value: shift(best, ply) as i16,
            depth: depth as u8,
            bound: match best {
                _ if best >= beta => PlainBound::Lower,
                _ if best > first_alpha => PlainBound::Exact,
                _ => PlainBound::Upper,
            },
        };
        best
    }
}

/// Shifts the distance of a proven value by `ply` plies.
fn shift(value: i32, ply: i32) -> i32 {
    if value.abs() > DECISIVE {
        value + value.signum() * ply
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::Variant;
    use lodestone_game::gridlock::Gridlock;
    use lodestone_game::magnetic_cave::MagneticCave;

    use super::*;
    use crate::search::{LastReport, SearchLimits};

    /// Nodes, score and move of a search to `depth`.
    fn searched<G: Yardstick>(fen: &str, depth: u32) -> (u64, String, String) {
        let root = G::from_fen(fen).unwrap();
        let last = LastReport::default();
        let task = Task {
            limits: SearchLimits {
                depth: Some(depth),
                ..SearchLimits::default()
            },
            ..Task::new(root.legal_moves(), &last)
        };
        let best = Plain::new().search(&root, &task);
        let progress = last.into_inner().unwrap();
        (progress.nodes, progress.score.to_string(), G::move_text(best))
    }

    /// `plain` is frozen: these figures never change.
    #[test]
    fn node_counts_are_pinned() {
        let cave = |fen, depth| searched::<MagneticCave>(fen, depth);
        let grid = |fen, depth| searched::<Gridlock>(fen, depth);
        let start = Variant::Gridlock.startpos().fen();
        let found = [
            cave("8/8/8/8/8/8/8/8 x", 5),
            cave("oxooo3/6xx/6xx/8/x6o/7o/x6x/o6o x", 6),
            cave("xo3ooo/x5xx/ooox2xx/ox4xo/x5ox/ooxo1oxx/ooxxxoox/6xo x", 9),
            grid(&start, 4),
            grid("xo5/ox5/7/3x3/x6/oox4/xo4o o 33 40", 5),
        ];
        let pinned: [(u64, &str, &str); 5] = [
            (24_287, "cp 7", "a6"),
            (27_654, "cp 8", "g4"),
            (501_101, "cp 53", "f4"),
            (2_419, "cp 10", "f5f6"),
            (1_309, "cp -20", "f2e2"),
        ];
        assert_eq!(
            found,
            pinned.map(|(nodes, score, best)| (nodes, score.to_string(), best.to_string()))
        );
    }
}
