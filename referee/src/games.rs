//! What the referee knows of single games beyond their rules.

use lodestone::board::{Bitboard, Cell};
use lodestone::game::magnetic_cave::lines::longest_line;
use lodestone::game::{Diagram, Variant};

/// Whether games of this variant begin with a placement that a
/// [`lodestone::game::Setup`] describes.
#[must_use]
pub const fn has_setup(variant: Variant) -> bool {
    match variant {
        Variant::MagneticCave => false,
        Variant::Gridlock => true,
    }
}

/// Against whom `lodestone` shows what it can where no engine is named.
#[must_use]
pub const fn sparring_partner(variant: Variant) -> &'static str {
    match variant {
        Variant::MagneticCave => "squares",
        Variant::Gridlock => "mobility",
    }
}

/// What people call the game.
#[must_use]
pub const fn title(variant: Variant) -> &'static str {
    match variant {
        Variant::MagneticCave => "Magnetic Cave",
        Variant::Gridlock => "Gridlock",
    }
}

/// What the game is about, in a line.
#[must_use]
pub const fn pitch(variant: Variant) -> &'static str {
    match variant {
        Variant::MagneticCave => "bricks stick to walls and bricks; five in line win",
        Variant::Gridlock => "slide a piece; who cannot loses, at the end more room wins",
    }
}

/// A move as people are shown one.
#[must_use]
pub const fn sample_move(variant: Variant) -> &'static str {
    match variant {
        Variant::MagneticCave => "A6",
        Variant::Gridlock => "g4g5",
    }
}

/// Whether a move takes a piece from one cell to another, so that it can be
/// said in two steps.
#[must_use]
pub const fn moves_pieces(variant: Variant) -> bool {
    match variant {
        Variant::MagneticCave => false,
        Variant::Gridlock => true,
    }
}

/// Whether people write the letter of a cell as a capital, as the assignment
/// of the game does.
#[must_use]
pub const fn writes_capitals(variant: Variant) -> bool {
    match variant {
        Variant::MagneticCave => true,
        Variant::Gridlock => false,
    }
}

/// The cells of the line that won, where the game is won by one.
pub fn winning_line(variant: Variant, diagram: &Diagram) -> Bitboard {
    match variant {
        Variant::Gridlock => Bitboard::EMPTY,
        Variant::MagneticCave => {
            let line = diagram.pieces.into_iter().find_map(longest_line);
            line.map_or(Bitboard::EMPTY, |line| {
                let (from, to) = (line.from.index(), line.to.index());
                let step = (to - from) / (line.length as usize - 1);
                let cells = (from..=to).step_by(step);
                cells.fold(Bitboard::EMPTY, |cells, index| {
                    cells | Cell::from_index(index as u8).into()
                })
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sparring_partner_plays_the_game() {
        for variant in Variant::ALL {
            assert!(variant.personalities().contains(&sparring_partner(*variant)));
        }
    }

    #[test]
    fn the_winning_line_is_whole() {
        let winning = |fen: &str| {
            let position = Variant::MagneticCave.parse_fen(fen).unwrap();
            winning_line(Variant::MagneticCave, &position.diagram())
        };
        // Five and six in a row, five up and down, both diagonals.
        for (fen, cells) in [
            ("xxxxx3/oooo4/8/8/8/8/8/8 o", 0b1_1111),
            ("xxxxxx2/oooo4/8/8/8/8/o7/8 o", 0b11_1111),
            ("x7/x7/x7/x7/x7/o7/o7/oo6 o", 0x1_0101_0101),
            ("xo6/oxo5/2x5/3x4/4x3/8/8/7o o", 0x0010_0804_0201 & 0xff_ffff_ffff),
        ] {
            assert_eq!(winning(fen), Bitboard(cells), "{fen}");
        }
        assert!(winning("8/8/8/8/8/8/8/8 x").is_empty());
    }
}
