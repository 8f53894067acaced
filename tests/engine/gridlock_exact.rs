//! Exact values of Gridlock, from the outside: what the engine says of positions with one and two
//! pieces. The expected values come from a second, plain computation.
//! `tests/solver/tables.rs` makes tables for three.

use crate::client::{Client, points};
use lodestone_game::gridlock::Gridlock;
use lodestone_game::random::Random;
use lodestone_game::{Game, Setup};
use naive::gridlock_values::PlainValues;

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
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
}
