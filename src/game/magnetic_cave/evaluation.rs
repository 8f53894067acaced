//! What lodestone thinks of a position of Magnetic Cave.
//!
//! Two things are counted: lines that only one side has bricks in, by the number
//! of those bricks; and waiting cells, which decide the ending, see
//! [`super::zugzwang`]. A [`super::network`] adds what counting cannot see.
//!
//! The counted weights were fitted by logistic regression (400 is one unit of
//! log-odds) to the results of 24 000 games of lodestone against itself, at 2 000
//! positions a move, and of 6 000 games at 20 000 positions against `groups` and
//! `squares`, and set between the two; that was before there was a network.

use super::MagneticCave;
use super::lines::{LINES, has_open_line};
use super::network::{EIGHTHS, Features, NETWORK};
use super::open_lines::OpenLines;
use super::reference_players::{GROUPS, SQUARES};
use super::solver_position::CaveSolverPosition;
use super::threats::Threats;
use super::zugzwang::Standoff;
use crate::board::{Bitboard, Cell, Move, MoveList, Side};
use crate::game::{Contempt, Evaluate, Forced, Game, ReferencePlayer};
use crate::score::{Value, clamp_eval};

/// The worth of an open line with one, two or three bricks, for each direction
/// of [`OpenLines`]. Lines along a row are worth nothing: their cells can always
/// be played, so each threat is answered at once. What four bricks are worth is
/// in the cell that waits for the fifth.
const LINE_VALUES: [[Value; 3]; 3] = [[32, 68, 125], [29, 42, 95], [29, 42, 95]];

/// The worth of a waiting cell, by its owner: the first player is the one whom
/// a single one helps.
const WAITING: [Value; 2] = [280, 240];

/// The worth for the second player of a cell that both wait for.
const SHARED: Value = 150;

/// The worth of winning the zugzwang as things stand, by the winner and by the
/// number of empty cells in eights: the fewer are left, the less can change.
const ZUGZWANG: [[Value; EIGHTHS]; 2] = [
    [650, 520, 310, 175, 70, 60, 50, 0],
    [350, 280, 150, 85, 40, 20, 20, 0],
];

/// The worth of being the one to move.
const TEMPO: Value = 65;

/// With a contempt of so many percent all of the worth of all lines would count for
/// the side that the search thinks for: where both can still hope for something, the
/// other may go wrong.
const HOPE: Value = 500;

/// Where it stands as badly as this between equals, that side counts on no mistakes ...
const DANGER: Value = -600;

/// ... and on all of them where it does not stand worse than this.
const SAFE: Value = -300;

impl Evaluate for MagneticCave {
    type NodeInfo = Threats;
    type SolverPosition = CaveSolverPosition;

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
        if self.occupied().count() < SYMMETRIC {
            self.symmetry_key()
        } else {
            self.key()
        }
    }

    fn solver_cost(&self) -> u64 {
        let (empty, cost) = SOLVER_COST;
        let more = self.empty().count() as i32 - empty;
        (cost * SOLVER_COST_GROWTH.powi(more)) as u64
    }

    fn can_win(&self) -> [bool; 2] {
        Side::BOTH.map(|side| has_open_line(self.pieces(side.opponent())))
    }

    fn solver_position(&self) -> CaveSolverPosition {
        CaveSolverPosition::of(self)
    }

    fn evaluate(&self, threats: &Threats, contempt: Option<Contempt>) -> Value {
        let open = self.open_lines();
        let lines = line_values(&open);
        let view = self.view(threats, &open);
        let worth = NETWORK.evaluate(&view, counted(&view, lines), contempt);
        let sober = worth.between_equals;
        let hope = contempt.map_or(0, |Contempt { side, percent }| {
            let all = for_first(side, worth.contempt) + (lines[0] + lines[1]) * Value::from(percent) / HOPE;
            let safety = (for_first(side, sober) - DANGER).clamp(0, SAFE - DANGER);
            for_first(side, all * safety / (SAFE - DANGER))
        });
        clamp_eval(for_first(self.side_to_move(), sober + hope))
    }

    fn order_hint(&self, mv: Move) -> i32 {
        LINES_THROUGH[mv.to().index()]
    }

    const REFERENCE_PLAYERS: &'static [ReferencePlayer<Self>] = &[GROUPS, SQUARES];
}

impl MagneticCave {
    /// What the network is shown of an unfinished position, and what is counted
    /// in it, for the first player.
    pub fn network_features(&self) -> (Features, Value) {
        let open = self.open_lines();
        let view = self.view(&self.node_info(), &open);
        (view, counted(&view, line_values(&open)))
    }

    fn open_lines(&self) -> OpenLines {
        OpenLines::of(self.pieces(Side::First), self.pieces(Side::Second))
    }

    fn view(&self, threats: &Threats, open: &OpenLines) -> Features {
        let empty = self.empty();
        let waiting = Side::BOTH.map(|side| threats.waiting(side));
        Features {
            bricks: Side::BOTH.map(|side| self.pieces(side)),
            mover: self.side_to_move(),
            playable: threats.playable,
            waiting,
            standoff: Standoff::of(self, waiting),
            threes: Side::BOTH.map(|side| open.cells(side, 3) & empty),
            twos: Side::BOTH.map(|side| open.cells(side, 2) & empty),
        }
    }
}

/// What counting says, for the first player, given what the lines of both are worth.
fn counted(view: &Features, [first, second]: [Value; 2]) -> Value {
    first - second + waiting_value(view) + for_first(view.mover, TEMPO)
}

/// The worth of all waiting cells, for the first player.
fn waiting_value(view: &Features) -> Value {
    let cells = view.waiting;
    if cells == [Bitboard::EMPTY; 2] {
        return 0;
    }
    let [first, second] = cells.map(Bitboard::count).map(|count| count as Value);
    let zugzwang = match view.standoff.winner() {
        Some(Side::First) => ZUGZWANG[0][view.eighth()],
        Some(Side::Second) => -ZUGZWANG[1][view.eighth()],
        None => 0,
    };
    let shared = (cells[0] & cells[1]).count() as Value;
    first * WAITING[0] - second * WAITING[1] - shared * SHARED + zugzwang
}

/// A value in the eyes of `side` in those of the first player, and the other way
/// round.
fn for_first(side: Side, value: Value) -> Value {
    match side {
        Side::First => value,
        Side::Second => -value,
    }
}

/// By side, the worth of its open lines.
fn line_values(open: &OpenLines) -> [Value; 2] {
    Side::BOTH.map(|side| {
        let worths = LINE_VALUES.iter().flatten();
        let counts = open.counts(side);
        counts
            .zip(worths)
            .map(|(count, worth)| count as Value * worth)
            .sum()
    })
}

/// With fewer bricks than this a position and its images share an entry of the
/// table. They meet in a search only where it begins with hardly any bricks.
const SYMMETRIC: u32 = 18;

/// With so many empty cells, searching a position to its end takes about as long
/// as judging so many positions: half of the endings from games took fewer than
/// 180 000 positions, each of them 0.6 of the time (`docs/magnetic-cave.md`).
const SOLVER_COST: (i32, f64) = (26, 110_000.0);

/// Each further empty cell multiplies that by about this.
const SOLVER_COST_GROWTH: f64 = 1.9;

/// How many lines go through each cell: 3 in the corners, up to 16 in the
/// middle.
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

    #[test]
    fn who_stands_badly_counts_on_no_mistakes() {
        let (mut sober, mut hopeful) = (0, 0);
        let positions = random_positions(8, 2000);
        for position in positions.iter().filter(|position| position.outcome().is_none()) {
            let info = position.node_info();
            let between_equals = position.evaluate(&info, None);
            for side in Side::BOTH {
                let contempt = Some(Contempt { side, percent: 100 });
                let sign = if side == position.side_to_move() { 1 } else { -1 };
                let extra = sign * (position.evaluate(&info, contempt) - between_equals);
                if sign * between_equals <= DANGER {
                    assert_eq!(extra, 0, "{}", position.fen());
                    sober += 1;
                } else if sign * between_equals >= SAFE && extra > 0 {
                    hopeful += 1;
                }
            }
        }
        assert!(
            sober > 200 && hopeful > 1000,
            "{sober} times sober, {hopeful} times hopeful"
        );
    }

    #[test]
    fn counting_is_the_same_for_both_colours() {
        // Colours exchanged in a position without waiting cells: only the
        // tempo is left.
        let counted = |fen| MagneticCave::from_fen(fen).unwrap().network_features().1;
        assert_eq!(counted("8/8/8/8/8/8/8/8 x"), TEMPO);
        assert_eq!(counted("x6o/8/8/8/8/8/8/8 x"), TEMPO);
    }
}
