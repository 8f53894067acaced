//! The evaluation of Magnetic Cave: a counted value plus a [network](super::network).
//!
//! The counted value consists of open lines, by their number of bricks, and waiting cells,
//! which decide the endgame (see [`super::zugzwang`]).
//!
//! Source of its weights: logistic regression (400 is one unit of log-odds), before there
//! was a network. The values lie between the fits to 24,000 games of self-play at 2,000
//! nodes a move and to 6,000 games against `groups` and `squares` at 20,000 nodes a move.
//! What the parts are worth in games: `research/notes/evaluation.md`.

use lodestone_game::Game;
use lodestone_game::board::{Bitboard, Cell, Move, MoveList, Side};
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::magnetic_cave::lines::LINES;
use lodestone_game::score::{Value, clamp_eval};

use super::features::{Features, PHASES};
use super::network::NETWORK;
use super::open_lines::{OpenLines, has_open_line};
use super::threats::Threats;
use super::zugzwang::{Outlook, Zugzwang};
use crate::game::{Contempt, Evaluate, Forced};

/// The value of an open line, by direction of [`OpenLines`] and number of bricks, 1 to 3.
/// Horizontal lines have no value: their cells are always playable, so the opponent answers
/// each threat at once. Four bricks count as a waiting cell.
const LINE_VALUES: [[Value; 3]; 3] = [[32, 68, 125], [29, 42, 95], [29, 42, 95]];

/// The value of a waiting cell, by its owner. One is enough for the first player; the
/// second player needs two.
const WAITING_CELL: [Value; 2] = [280, 240];

/// The value for the second player of a waiting cell of both sides.
const SHARED_CELL: Value = 150;

/// The value of winning the zugzwang as it stands, by winner and [`Features::phase`]. With
/// fewer empty cells, less can change.
const WON_ZUGZWANG: [[Value; PHASES]; 2] = [
    [650, 520, 310, 175, 70, 60, 50, 0],
    [350, 280, 150, 85, 40, 20, 20, 0],
];

/// The value of the right to move.
const TEMPO: Value = 65;

/// Contempt in percent that would add the full value of all open lines of both sides. At
/// most 100 percent is possible, which adds a fifth. With many open lines, a weaker
/// opponent has more chances to go wrong.
const OPEN_LINES_PERCENT: Value = 500;

/// At this neutral value and below, contempt has no effect ...
const NO_CONTEMPT: Value = -600;

/// ... and from this one on its full effect; linear in between.
const FULL_CONTEMPT: Value = -300;

impl Evaluate for MagneticCave {
    type NodeInfo = Threats;

    const IS_LEARNED: bool = true;

    const INTERNAL_ITERATIVE_REDUCTION: bool = true;

    fn node_info(&self) -> Threats {
        Threats::of(self)
    }

    fn forced(&self, threats: &Threats) -> Forced {
        threats.forced(self.side_to_move())
    }

    fn candidates(&self, threats: &Threats) -> MoveList {
        threats
            .safe(self.side_to_move())
            .cells()
            .map(Move::place)
            .collect()
    }

    fn table_key(&self) -> u64 {
        if self.occupied().count() < SYMMETRY_BRICKS {
            self.symmetry_key()
        } else {
            self.key()
        }
    }

    fn can_win(&self) -> [bool; 2] {
        Side::BOTH.map(|side| has_open_line(self.pieces(side.opponent())))
    }

    fn evaluate(&self, threats: &Threats, contempt: Option<Contempt>) -> Value {
        let open = open_lines(self);
        let lines = line_values(&open);
        let features = features(self, threats, &open);
        let output = NETWORK.evaluate(&features, counted_value(&features, lines), contempt);
        let bonus = contempt.map_or(0, |Contempt { side, percent }| {
            let chances = (lines[0] + lines[1]) * Value::from(percent) / OPEN_LINES_PERCENT;
            let full = change_view(side, output.contempt) + chances;
            let range = FULL_CONTEMPT - NO_CONTEMPT;
            let weight = (change_view(side, output.neutral) - NO_CONTEMPT).clamp(0, range);
            change_view(side, full * weight / range)
        });
        clamp_eval(change_view(self.side_to_move(), output.neutral + bonus))
    }

    fn order_hint(&self, mv: Move) -> i32 {
        LINES_THROUGH[mv.to().index()]
    }
}

/// The network's features of an unfinished position, and its counted value for the
/// first player.
pub fn network_features(position: &MagneticCave) -> (Features, Value) {
    let open = open_lines(position);
    let features = features(position, &position.node_info(), &open);
    (features, counted_value(&features, line_values(&open)))
}

fn open_lines(position: &MagneticCave) -> OpenLines {
    OpenLines::of(position.pieces(Side::First), position.pieces(Side::Second))
}

fn features(position: &MagneticCave, threats: &Threats, open: &OpenLines) -> Features {
    let empty = position.empty();
    let waiting = Side::BOTH.map(|side| threats.waiting(side));
    let zugzwang = Zugzwang::of(position, waiting);
    let threes = Side::BOTH.map(|side| open.threes(side, empty, threats.playable));
    Features {
        empty,
        mover: position.side_to_move(),
        playable: threats.playable,
        waiting,
        zugzwang,
        outlook: Outlook::of(position, waiting, &zugzwang, threes.map(|threes| threes.waiting)),
        threes,
        twos: Side::BOTH.map(|side| open.cells(side, 2) & empty),
    }
}

/// The counted value for the first player. `lines` is the value of each side's open lines.
fn counted_value(features: &Features, lines: [Value; 2]) -> Value {
    lines[0] - lines[1] + waiting_value(features) + change_view(features.mover, TEMPO)
}

/// The value of all waiting cells, for the first player.
fn waiting_value(features: &Features) -> Value {
    let cells = features.waiting;
    if cells == [Bitboard::EMPTY; 2] {
        return 0;
    }
    let [first, second] = cells.map(Bitboard::count).map(|count| count as Value);
    let zugzwang = match features.zugzwang.winner {
        Some(Side::First) => WON_ZUGZWANG[0][features.phase()],
        Some(Side::Second) => -WON_ZUGZWANG[1][features.phase()],
        None => 0,
    };
    let shared = (cells[0] & cells[1]).count() as Value;
    first * WAITING_CELL[0] - second * WAITING_CELL[1] - shared * SHARED_CELL + zugzwang
}

/// Converts a value between the points of view of `side` and of the first player, either
/// way.
fn change_view(side: Side, value: Value) -> Value {
    match side {
        Side::First => value,
        Side::Second => -value,
    }
}

/// By side, the value of its open lines.
fn line_values(open: &OpenLines) -> [Value; 2] {
    Side::BOTH.map(|side| {
        open.counts(side)
            .zip(LINE_VALUES.iter().flatten())
            .map(|(count, value)| count as Value * value)
            .sum()
    })
}

/// With fewer bricks than this, mirrored positions share a table entry. Later, they
/// rarely occur in one search (`research/notes/magnetic-cave.md`).
const SYMMETRY_BRICKS: u32 = 18;

/// The number of lines through each cell: 3 in a corner, 16 in the centre.
const LINES_THROUGH: [i32; 64] = {
    let mut through = [0; 64];
    let mut line = 0;
    while line < LINES.len() {
        let mut cell = 0;
        while cell < 64 {
            if LINES[line].contains(Cell::from_index(cell)) {
                through[cell as usize] += 1;
            }
            cell += 1;
        }
        line += 1;
    }
    through
};

#[cfg(test)]
mod tests {
    use super::super::random_positions;
    use super::*;
    use crate::search::RootStrategy;

    #[test]
    fn contempt_fades_in_bad_positions() {
        let (mut without, mut with) = (0, 0);
        let positions = random_positions(8, 2000);
        for position in positions.iter().filter(|position| position.outcome().is_none()) {
            let info = position.node_info();
            let neutral = position.evaluate(&info, None);
            for side in Side::BOTH {
                let contempt = Some(Contempt { side, percent: 100 });
                let sign = if side == position.side_to_move() { 1 } else { -1 };
                let bonus = sign * (position.evaluate(&info, contempt) - neutral);
                if sign * neutral <= NO_CONTEMPT {
                    assert_eq!(bonus, 0, "{}", position.fen());
                    without += 1;
                } else if sign * neutral >= FULL_CONTEMPT && bonus > 0 {
                    with += 1;
                }
            }
        }
        assert!(
            without > 200 && with > 1000,
            "{without} without contempt, {with} with contempt"
        );
    }

    #[test]
    fn a_clock_lasts_for_four_moves_after_the_solver_takes_over() {
        for position in random_positions(4, 500) {
            let empty = position.empty().count();
            let expected = if empty > 28 { empty - 20 } else { empty.min(8) };
            assert_eq!(position.plies_on_clock(), expected, "{}", position.fen());
        }
        assert_eq!(MagneticCave::startpos().plies_on_clock(), 44);
    }

    #[test]
    fn counted_value_is_symmetric_in_colour() {
        // Positions that equal themselves with colours exchanged: only the tempo is left.
        let counted = |fen| network_features(&MagneticCave::from_fen(fen).unwrap()).1;
        assert_eq!(counted("8/8/8/8/8/8/8/8 x"), TEMPO);
        assert_eq!(counted("x6o/8/8/8/8/8/8/8 x"), TEMPO);
    }
}
