//! Exact values of Gridlock, from the outside: what the engine says of positions with one and two
//! pieces. The expected values come from a second, plain computation in this file.
//! `solver/tests/solver/tables.rs` makes tables for three.

use crate::client::{Client, points};
use lodestone::game::gridlock::Gridlock;
use lodestone::game::{Game, Setup};
use lodestone::random::Random;

/// Values by turns left for all placements of two sides, computed plainly: bytes, one
/// position at a time, no symmetries. The side to move has the first placement.
struct PlainValues {
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
    fn new(pieces: u32, turns: usize) -> PlainValues {
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
    fn value(&self, fen: &str, turns: usize) -> i32 {
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

#[test]
fn scores_are_exact_with_one_and_two_pieces_at_any_number_of_turns_left() {
    let mut random = Random::new(11);
    // Beyond these turns the values repeat every `period` turns (a test of the library proves
    // it from equal layers).
    for (pieces, last, period) in [(1, 12, 1), (2, 40, 4)] {
        let values = PlainValues::new(pieces, last);
        let mut client = Client::start();
        client.send("setoption name UCI_Variant value gridlock\n");
        let mut seen = [0; 3];
        // The first search of the process has a time limit.
        for round in 0..60 {
            let turns = match round % 3 {
                0 => 1 + random.below(8) as u32,
                1 => 1 + random.below(60) as u32,
                _ => 1 + random.below(1000) as u32,
            };
            let start = Gridlock::random_start(Setup { pieces, turns }, &mut random);
            let mut fen = start.fen();
            if random.below(2) == 0 {
                fen = fen.replace(" x ", " o ");
            }
            let mut known = turns as usize;
            while known > last {
                known -= period;
            }
            let expected = values.value(&fen, known);
            let limit = ["movetime 3000", "depth 3", "nodes 100"][round % 3];
            client.send(format!("position fen {fen}\ngo {limit}\n"));
            let replies = client.until("bestmove");
            assert_eq!(points(&replies), Some(expected), "{fen}: {replies:?}");
            client.send("eval\n");
            let word = ["loss", "draw", "win"][(expected + 1) as usize];
            client.until(&format!("Evaluation: {word} (side to move), proven"));
            seen[(expected + 1) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    }
}
