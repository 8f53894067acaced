//! The solver of crowded boards. With 18 pieces a side or more, at most 13 cells are empty,
//! and a move is a hole that changes its place. The solver proves the result of the root by
//! two searches that share what they find:
//!
//! * The search to the turn limit is plain alpha-beta with one question at a time.
//! * The search for any number of turns looks for a stronghold: holes that the opponent can
//!   never reach, and in which the owner can move to and fro for ever (`stronghold`). It finds
//!   results of games that no search can play to their end.

mod solver;
mod stronghold;

pub(crate) use self::solver::{CrowdedSearch, RootResult, SolverFact};

use lodestone_game::Game;
use lodestone_game::board::{Move, Side};
use lodestone_game::gridlock::Gridlock;

use self::solver::Solver;

/// The least number of pieces a side of a crowded board.
pub(crate) const MIN_PIECES: u32 = 18;

/// Up to this number of holes the solver gets half of the nodes, above it a quarter.
const FEW_HOLES: u32 = 7;

/// The part of all nodes, in percent, that [`solve`] gets at this root; 0 if it has no task there.
pub(crate) fn solver_share(position: &Gridlock) -> u32 {
    match position.empty().count() {
        _ if position.pieces(Side::First).count() < MIN_PIECES => 0,
        holes if holes <= FEW_HOLES => 50,
        _ => 25,
    }
}

/// The proven result of a position if only these moves may be played. `None` if the search stops
/// the solver; it finds what it has stored when it is called again.
pub(crate) fn solve(
    position: &Gridlock,
    moves: &[Move],
    search: &mut impl CrowdedSearch,
) -> Option<RootResult> {
    if position.pieces(Side::First).count() < MIN_PIECES || position.outcome().is_some() || moves.is_empty() {
        return None;
    }
    let side = position.side_to_move();
    let pieces = [side, side.opponent()].map(|side| position.pieces(side));
    Solver::new(search).root(pieces, moves, position.plies_left())
}

#[cfg(test)]
pub mod tests {
    use std::collections::HashMap;

    use lodestone_game::Setup;
    use lodestone_game::board::Side;
    use lodestone_game::random::Random;

    use super::*;

    /// Memory without loss, and a limit.
    #[derive(Default)]
    pub struct Memory {
        facts: HashMap<u64, SolverFact>,
        nodes: u64,
        limit: u64,
    }

    impl Memory {
        pub fn new(limit: u64) -> Memory {
            Memory {
                limit,
                ..Memory::default()
            }
        }
    }

    impl CrowdedSearch for Memory {
        fn enter(&mut self) -> bool {
            self.nodes += 1;
            self.nodes <= self.limit
        }

        fn find(&self, key: u64) -> Option<SolverFact> {
            self.facts.get(&key).copied()
        }

        fn store(&mut self, key: u64, fact: SolverFact) {
            self.facts.insert(key, fact);
        }
    }

    /// Plain minimax: 1, 0 or −1 for the side to move.
    fn minimax(position: &Gridlock, known: &mut HashMap<Gridlock, i32>) -> i32 {
        if let Some(outcome) = position.outcome() {
            return outcome.points_for(position.side_to_move());
        }
        if let Some(&points) = known.get(position) {
            return points;
        }
        let mut best = -1;
        for &mv in position.generate_moves().iter() {
            best = best.max(-minimax(&position.play(mv), known));
            if best == 1 {
                break;
            }
        }
        known.insert(*position, best);
        best
    }

    /// A random start, some random moves later; `None` if the game is over then.
    fn random_position(pieces: u32, turns: u32, random: &mut Random) -> Option<Gridlock> {
        let before = random.below(12) as u32;
        let setup = Setup {
            pieces,
            turns: turns + before,
        };
        let mut position = Gridlock::random_start(setup, random);
        if random.below(2) == 0 {
            position = position.with_turns_left(Side::Second, position.plies_left());
        }
        for _ in 0..before {
            position = position.play(*random.choose(&position.legal_moves())?);
        }
        position.outcome().is_none().then_some(position)
    }

    /// A single hole, so that minimax reaches turn limits that strongholds decide.
    #[test]
    fn agrees_with_minimax_at_high_turn_limits() {
        let mut random = Random::new(6);
        let mut seen = [0; 3];
        for _ in 0..300 {
            let turns = 30 + random.below(20) as u32;
            let Some(position) = random_position(24, turns, &mut random) else {
                continue;
            };
            let expected = minimax(&position, &mut HashMap::new());
            let mut memory = Memory::new(u64::MAX);
            let result = solve(&position, &position.legal_moves(), &mut memory).unwrap();
            assert_eq!(result.points, expected, "{}", position.fen());
            seen[(expected + 1) as usize] += 1;
        }
        assert!(seen[0] > 20 && seen[2] > 20, "{seen:?}");
    }

    #[test]
    fn only_the_given_moves_count() {
        let mut random = Random::new(7);
        let mut checked = 0;
        while checked < 300 {
            let turns = 1 + random.below(6) as u32;
            let Some(position) = random_position(23, turns, &mut random) else {
                continue;
            };
            let moves = position.legal_moves();
            let mv = *random.choose(&moves).unwrap();
            let mut memory = Memory::new(u64::MAX);
            let result = solve(&position, &[mv], &mut memory).unwrap();
            let expected = -minimax(&position.play(mv), &mut HashMap::new());
            assert_eq!(
                result,
                RootResult {
                    best: mv,
                    points: expected
                },
                "{}",
                position.fen()
            );
            checked += 1;
        }
    }

    #[test]
    fn a_second_call_finds_what_the_first_one_stored() {
        let setup = Setup {
            pieces: 22,
            turns: 10,
        };
        let position = Gridlock::random_start(setup, &mut Random::new(3));
        let mut memory = Memory::new(u64::MAX);
        let [first, second] = [(); 2].map(|()| {
            solve(&position, &position.legal_moves(), &mut memory).unwrap();
            std::mem::take(&mut memory.nodes)
        });
        assert!(second < first / 3, "{first}, {second}");
    }

    #[test]
    fn a_limit_ends_the_solver_and_other_boards_are_not_its_task() {
        let mut random = Random::new(8);
        let setup = |pieces| Setup { pieces, turns: 60 };
        let crowded = Gridlock::random_start(setup(18), &mut random);
        let mut memory = Memory::new(5000);
        assert_eq!(solve(&crowded, &crowded.legal_moves(), &mut memory), None);
        assert!((4000..5100).contains(&memory.nodes), "{}", memory.nodes);
        let sparse = Gridlock::random_start(setup(17), &mut random);
        let mut unused = Memory::default();
        assert_eq!(solve(&sparse, &sparse.legal_moves(), &mut unused), None);
        assert_eq!(unused.nodes, 0);
        assert_eq!([&crowded, &sparse].map(solver_share), [25, 0]);
    }

    mod slow {
        use super::*;

        /// The environment variable `CROWDED` sets the number of positions, 3,000 by default.
        #[test]
        #[ignore = "slow: .ci/run"]
        fn agrees_with_minimax() {
            let count = std::env::var("CROWDED").map_or(3000, |text| text.parse().unwrap());
            let mut random = Random::new(5);
            let mut seen = [0; 3];
            // The facts of all positions with the same number of pieces stay, as in a game.
            let mut memories: Vec<Memory> = (0..=24).map(|_| Memory::new(u64::MAX)).collect();
            while seen.iter().sum::<i32>() < count {
                // Few holes allow more turns.
                let (pieces, turns) = match random.below(7) {
                    0 => (24, 14),
                    1 => (23, 9),
                    2 => (22, 7),
                    3 => (21, 6),
                    4 => (20, 5),
                    5 => (19, 4),
                    _ => (18, 4),
                };
                let turns = 1 + random.below(turns) as u32;
                let Some(position) = random_position(pieces, turns, &mut random) else {
                    continue;
                };
                let mut known = HashMap::new();
                let expected = minimax(&position, &mut known);
                let memory = &mut memories[pieces as usize];
                let result = solve(&position, &position.legal_moves(), memory).unwrap();
                assert_eq!(result.points, expected, "{}", position.fen());
                let after = -minimax(&position.play(result.best), &mut known);
                assert_eq!(after, expected, "{} {:?}", position.fen(), result.best);
                seen[(expected + 1) as usize] += 1;
            }
            assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
        }
    }
}
