//! Values of Gridlock with one or two pieces a side.

/// Values by turns left for all placements of two sides, computed plainly: bytes, one
/// position at a time, no symmetries. The side to move has the first placement.
pub struct PlainValues {
    sets: Vec<u64>,
    layers: Vec<Vec<i8>>,
}

/// The neighbours of a set of cells on a board of 7×7, a bit a cell, row by row.
fn neighbours(cells: u64) -> u64 {
    let column = |index: u32| (0..7).fold(0, |all, row| all | 1u64 << (7 * row + index));
    let all = (1u64 << 49) - 1;
    ((cells << 7) | (cells >> 7) | ((cells & !column(0)) >> 1) | ((cells & !column(6)) << 1)) & all
}

impl PlainValues {
    /// Values of positions with this number of pieces (1 or 2) a side and up to `turns` turns left.
    pub fn new(pieces: u32, turns: usize) -> PlainValues {
        let cells = |count: u32| -> Vec<u64> {
            let singles = (0..49).map(|cell| 1u64 << cell);
            match count {
                1 => singles.collect(),
                _ => singles
                    .flat_map(|one| (0..49).map(move |cell| one | 1u64 << cell))
                    .filter(|set| set.count_ones() == 2)
                    .collect(),
            }
        };
        let mut sets = cells(pieces);
        sets.sort_unstable();
        sets.dedup();
        let mut values = PlainValues {
            sets,
            layers: Vec::new(),
        };
        let moves: Vec<Vec<(u64, usize)>> = values.sets.iter().map(|&own| values.moves(own)).collect();
        for turn in 0..=turns {
            let mut layer = vec![0i8; values.sets.len() * values.sets.len()];
            for (first, &own) in values.sets.iter().enumerate() {
                for (second, &other) in values.sets.iter().enumerate() {
                    if own & other != 0 {
                        continue;
                    }
                    let empty = !(own | other);
                    let room = [own, other].map(|pieces| (neighbours(pieces) & empty).count_ones());
                    let value = match values.layers.last() {
                        _ if room[0] == 0 => -1,
                        None => (room[0] as i8 - room[1] as i8).signum(),
                        Some(before) => moves[first]
                            .iter()
                            .filter(|(to, _)| to & other == 0)
                            .map(|&(_, moved)| -before[second * values.sets.len() + moved])
                            .max()
                            .unwrap(),
                    };
                    layer[first * values.sets.len() + second] = value;
                }
            }
            assert_eq!(values.layers.len(), turn);
            values.layers.push(layer);
        }
        values
    }

    fn moves(&self, own: u64) -> Vec<(u64, usize)> {
        let mut moves = Vec::new();
        for from in (0..49).map(|cell| 1u64 << cell).filter(|cell| own & cell != 0) {
            for to in (0..49).map(|cell| 1u64 << cell) {
                if neighbours(from) & to != 0 && own & to == 0 {
                    let after = self.sets.binary_search(&(own ^ from ^ to)).unwrap();
                    moves.push((to, after));
                }
            }
        }
        moves
    }

    /// The value of a FEN with its turns left replaced.
    pub fn value(&self, fen: &str, turns: usize) -> i32 {
        let mut words = fen.split(' ');
        let (board, to_move) = (words.next().unwrap(), words.next().unwrap());
        let mut pieces = [0u64; 2];
        let mut cell = 0;
        for letter in board.chars() {
            match letter {
                '/' => {}
                'x' | 'o' => {
                    pieces[usize::from(letter == 'o')] |= 1 << cell;
                    cell += 1;
                }
                digit => cell += digit.to_digit(10).unwrap(),
            }
        }
        if to_move == "o" {
            pieces.swap(0, 1);
        }
        let [own, other] = pieces.map(|set| self.sets.binary_search(&set).unwrap());
        self.layers[turns][own * self.sets.len() + other].into()
    }
}
