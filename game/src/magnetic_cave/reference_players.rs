//! The evaluations of the two reference players, as the reports of the course projects
//! describe them.

use super::lines::LINES;
use crate::board::Bitboard;

/// The value of five in line: more than all other lines together.
pub const FIVE: i32 = 10_000;

/// Points of the first player minus points of the second. A line with bricks of one side
/// only is worth its number of bricks, or 10,000 for five. The board need not be reachable.
///
/// ```
/// use lodestone_game::board::Bitboard;
/// use lodestone_game::magnetic_cave::reference_players::groups;
///
/// // One brick in a corner is in three lines.
/// assert_eq!(groups(Bitboard::corner(1, 1), Bitboard::EMPTY), 3);
/// ```
pub fn groups(first: Bitboard, second: Bitboard) -> i32 {
    let points = |own: Bitboard, other: Bitboard| -> i32 {
        LINES
            .iter()
            .filter(|&&line| (line & other).is_empty())
            .map(|&line| match (line & own).count() {
                5 => FIVE,
                count => count as i32,
            })
            .sum()
    };
    points(first, second) - points(second, first)
}

/// The sum over all lines of the square of the first player's bricks minus the square of the
/// second player's; ±1,000,000 if one of them has five. The board need not be reachable.
pub fn squares(first: Bitboard, second: Bitboard) -> i32 {
    let mut value = 0;
    for line in LINES {
        let [own, other] = [first, second].map(|bricks| (line & bricks).count() as i32);
        if own == 5 {
            return FIVE * 100;
        }
        if other == 5 {
            return -FIVE * 100;
        }
        value += own * own - other * other;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Cell;

    fn cells(names: &str) -> Bitboard {
        names.split(' ').fold(Bitboard::EMPTY, |cells, name| {
            let name = name.as_bytes();
            cells | Cell::new(b'8' - name[1], name[0] - b'a').into()
        })
    }

    #[test]
    fn groups_matches_the_examples_of_its_report() {
        // The report describes four boards without printing them, from o's point of view:
        // 6 owned groups; 6 against 3; 8 and 4 pairs against 3; 4 and a pair against 5.
        let score = |x: &str, o: &str| {
            let x = if x.is_empty() { Bitboard::EMPTY } else { cells(x) };
            -groups(x, cells(o))
        };
        // d8 lies in four rows, one column and one diagonal.
        assert_eq!(score("", "d8"), 6);
        assert_eq!(score("a1", "d8"), 3);
    }

    #[test]
    fn groups_ignores_mixed_lines() {
        // The row a8–e8 is mixed, which leaves two of a8's three lines and three of b8's
        // four.
        assert_eq!(groups(cells("a8"), cells("b8")), 2 - 3);
        assert_eq!(groups(cells("a8 b8 c8 d8 e8"), Bitboard::EMPTY) / FIVE, 1);
        assert_eq!(groups(Bitboard::EMPTY, cells("a8 a7 a6 a5 a4")) / FIVE, -1);
    }

    #[test]
    fn squares_adds_squares_of_mixed_lines_too() {
        // a8 is in three lines, one of which holds o's b8 as well.
        assert_eq!(squares(cells("a8"), Bitboard::EMPTY), 3);
        // b8: two rows, one column, one diagonal.
        assert_eq!(squares(cells("a8"), cells("b8")), 3 - 4);
        assert_eq!(squares(cells("a8 b8"), Bitboard::EMPTY), 4 + 1 + 2 + 2);
        assert_eq!(squares(Bitboard::EMPTY, cells("h8 h7 h6 h5 h4")), -1_000_000);
    }
}
