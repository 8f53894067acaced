//! Knockout: the winner of each pairing plays in the next round, until one player is left.
//!
//! The players are seeded in the order of the command. In the bracket, seed 1 can meet seed 2
//! only in the last round, and seeds 1 to 4 each other only in the last two. If the number of
//! players is no power of two, the first seeds have no opponent in the first round. The opponent
//! of an unfit player advances without games.
//!
//! A level pairing plays on, in pairs of games with new openings: first the other half of a half
//! pair, then up to [`EXTRA_PAIRS`] pairs, until one player leads after a pair. If it is level
//! to the end, the higher seed advances. The ids of these games are reserved, and void if they
//! are not needed.

use std::collections::HashMap;
use std::sync::Arc;

use lodestone_game::GameResult;

use super::round_robin::ROUND_ROBIN;
use super::rounds::{FormatProperties, RankedBy, Rounds};
use super::swiss::half_points_of;
use super::{Schedule, ScheduledGame, Shard};

pub(super) const KNOCKOUT: FormatProperties = FormatProperties {
    name: "knockout",
    event: "Knockout",
    ranked_by: RankedBy::Rounds,
    follows_results: true,
    has_bracket: true,
    pairings: |schedule| pairings(schedule.players, 0),
    section: |schedule, place| {
        let pairings = pairings(schedule.players, place as u64);
        (pairings > 0).then_some([1, pairings])
    },
    games_of_pairing: most_games,
    begin: |schedule, unfit| {
        Box::new(KnockoutRounds {
            bracket: Bracket::new(schedule.players, schedule.games, &unfit),
            schedule,
            results: 0,
        })
    },
    ..ROUND_ROBIN
};

/// The bracket with the results so far. A game is void until it is needed.
#[derive(Debug)]
struct KnockoutRounds {
    schedule: Arc<Schedule>,
    bracket: Bracket,
    /// The number of results.
    results: usize,
}

impl Rounds for KnockoutRounds {
    fn get(&self, id: u64) -> Option<ScheduledGame> {
        let game = self.schedule.unpaired(id)?;
        let seats = self.bracket.seats(game.round, game.board, game.game)?;
        Some(game.between(seats))
    }

    fn is_void(&self, id: u64) -> bool {
        let game = self.schedule.unpaired(id);
        game.is_some_and(|game| !self.bracket.is_needed(game.round, game.board, game.game))
    }

    fn void_games(&self, _: Shard) -> u64 {
        self.schedule.total().saturating_sub(self.bracket.needed())
    }

    fn go_on(&mut self, schedule: Arc<Schedule>, _: &[bool]) -> Result<(), String> {
        self.schedule = schedule;
        Ok(())
    }

    fn add_result(&mut self, id: u64, result: GameResult) {
        let Some(game) = self.schedule.unpaired(id) else {
            return;
        };
        let mut half_points = half_points_of(result);
        if game.is_swapped {
            half_points.reverse();
        }
        self.bracket.add(game.round, game.board, game.game, half_points);
        self.results += 1;
    }

    fn may_be_needed(&self, id: u64) -> bool {
        let game = self.schedule.unpaired(id);
        game.is_some_and(|game| self.bracket.may_be_needed(game.round, game.board))
    }

    fn paired(&self) -> usize {
        self.results
    }

    fn rounds_passed(&self, player: usize) -> usize {
        self.bracket.rounds_passed(player)
    }
}

/// The most pairs of games that a level pairing plays after its games.
const EXTRA_PAIRS: u64 = 3;

/// The most games of a pairing, of which `games` are always played.
const fn most_games(games: u64) -> u64 {
    let whole_pairs = games.div_ceil(2).saturating_mul(2);
    whole_pairs.saturating_add(2 * EXTRA_PAIRS)
}

/// The number of pairings in a round, from 0; 0 after the last.
const fn pairings(players: usize, round: u64) -> u64 {
    match (players.next_power_of_two() as u64).checked_shr(round as u32 + 1) {
        Some(pairings) => pairings,
        None => 0,
    }
}

/// Who takes one side of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entrant {
    /// Not known yet.
    Open,
    /// No player: the other side advances.
    Absent,
    Player(usize),
}

#[derive(Clone, Debug)]
struct BracketPairing {
    entrants: [Entrant; 2],
    /// All games before this number, from 0, are finished.
    finished: u64,
    /// Twice the points of both entrants in these games.
    half_points: [u64; 2],
    /// The points of later games that are finished.
    waiting: HashMap<u64, [u64; 2]>,
    winner: Entrant,
}

/// All pairings of a tournament.
#[derive(Clone, Debug)]
struct Bracket {
    games: u64,
    /// By round, then by board.
    rounds: Vec<Vec<BracketPairing>>,
}

impl BracketPairing {
    fn new(entrants: [Entrant; 2]) -> BracketPairing {
        BracketPairing {
            entrants,
            finished: 0,
            half_points: [0; 2],
            waiting: HashMap::new(),
            winner: Entrant::Open,
        }
    }

    /// Both players, the higher seed first.
    fn players(&self) -> Option<[usize; 2]> {
        match self.entrants {
            [Entrant::Player(one), Entrant::Player(other)] => Some([one.min(other), one.max(other)]),
            _ => None,
        }
    }

    /// The number of games that are to be played, as far as the results tell.
    fn needed(&self, games: u64) -> u64 {
        if self.entrants.contains(&Entrant::Absent) {
            0
        } else if self.finished < games {
            games
        } else if self.winner == Entrant::Open {
            (self.finished + 1).next_multiple_of(2)
        } else {
            self.finished
        }
    }

    fn add(&mut self, game: u64, points: [u64; 2], games: u64) {
        self.waiting.insert(game, points);
        while self.winner == Entrant::Open
            && let Some(points) = self.waiting.remove(&self.finished)
        {
            self.finished += 1;
            self.half_points[0] += points[0];
            self.half_points[1] += points[1];
            self.decide(games);
        }
    }

    /// Decides the pairing after its games, and after each further pair.
    fn decide(&mut self, games: u64) {
        let is_decision =
            self.finished == games || (self.finished > games && self.finished.is_multiple_of(2));
        let Some([higher, lower]) = self.players().filter(|_| is_decision) else {
            return;
        };
        let [one, other] = self.half_points;
        if one != other {
            self.winner = Entrant::Player(if one > other { higher } else { lower });
        } else if self.finished >= most_games(games) {
            self.winner = Entrant::Player(higher);
        }
    }
}

impl Bracket {
    /// A bracket without results. The players that are `unfit` play no games.
    pub fn new(players: usize, games: u64, unfit: &[bool]) -> Bracket {
        let entrant = |seed: usize| {
            if seed >= players || unfit.get(seed) == Some(&true) {
                Entrant::Absent
            } else {
                Entrant::Player(seed)
            }
        };
        let seeds = seeds(players.next_power_of_two());
        let first = seeds.as_chunks::<2>().0.iter().map(|pair| pair.map(entrant));
        let mut rounds: Vec<Vec<BracketPairing>> = vec![first.map(BracketPairing::new).collect()];
        let later = (1..).map(|round| pairings(players, round));
        for pairings in later.take_while(|pairings| *pairings > 0) {
            rounds.push(
                (0..pairings)
                    .map(|_| BracketPairing::new([Entrant::Open; 2]))
                    .collect(),
            );
        }
        let mut bracket = Bracket { games, rounds };
        for board in 0..bracket.rounds[0].len() {
            bracket.advance(0, board);
        }
        bracket
    }

    fn pairing(&self, round: usize, board: u64) -> Option<&BracketPairing> {
        self.rounds.get(round)?.get(board as usize)
    }

    fn pairing_mut(&mut self, round: usize, board: usize) -> Option<&mut BracketPairing> {
        self.rounds.get_mut(round)?.get_mut(board)
    }

    /// The players of a game of a pairing, the higher seed first; `None` if they are not known,
    /// or if it is not known that the game is needed.
    pub fn seats(&self, round: usize, board: u64, game: u64) -> Option<[usize; 2]> {
        let pairing = self.pairing(round, board)?;
        pairing.players().filter(|_| game < pairing.needed(self.games))
    }

    /// Whether a game is needed, as far as the results tell.
    pub(crate) fn is_needed(&self, round: usize, board: u64, game: u64) -> bool {
        let pairing = self.pairing(round, board);
        pairing.is_some_and(|pairing| game < pairing.needed(self.games))
    }

    /// Whether later results may make a game needed that is not.
    pub fn may_be_needed(&self, round: usize, board: u64) -> bool {
        let pairing = self.pairing(round, board);
        pairing.is_some_and(|pairing| {
            pairing.winner == Entrant::Open && !pairing.entrants.contains(&Entrant::Absent)
        })
    }

    /// The number of games that are needed, as far as the results tell.
    pub fn needed(&self) -> u64 {
        let pairings = self.rounds.iter().flatten();
        pairings.fold(0, |sum: u64, pairing| {
            sum.saturating_add(pairing.needed(self.games))
        })
    }

    /// The number of rounds that a player has passed, those without an opponent included.
    pub(crate) fn rounds_passed(&self, player: usize) -> usize {
        let pairings = self.rounds.iter().flatten();
        pairings
            .filter(|pairing| pairing.winner == Entrant::Player(player))
            .count()
    }

    /// Adds the result of a game: twice the points of the higher and the lower seed.
    pub fn add(&mut self, round: usize, board: u64, game: u64, half_points: [u64; 2]) {
        let games = self.games;
        if let Some(pairing) = self.pairing_mut(round, board as usize) {
            pairing.add(game, half_points, games);
            self.advance(round, board as usize);
        }
    }

    /// Enters the winner of a pairing in the next round.
    fn advance(&mut self, round: usize, board: usize) {
        let Some(pairing) = self.pairing_mut(round, board) else {
            return;
        };
        if let [Entrant::Absent, other] | [other, Entrant::Absent] = pairing.entrants {
            pairing.winner = other;
        }
        let winner = pairing.winner;
        let Some(next) = self.pairing_mut(round + 1, board / 2) else {
            return;
        };
        let entrant = &mut next.entrants[board % 2];
        if *entrant != winner {
            *entrant = winner;
            self.advance(round + 1, board / 2);
        }
    }
}

/// The seeds, from 0, of `size` places of a bracket, a power of two.
fn seeds(size: usize) -> Vec<usize> {
    let mut seeds = vec![0];
    while seeds.len() < size {
        let last = 2 * seeds.len() - 1;
        seeds = seeds.iter().flat_map(|&seed| [seed, last - seed]).collect();
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIN: [u64; 2] = [2, 0];
    const LOSS: [u64; 2] = [0, 2];
    const DRAW: [u64; 2] = [1, 1];

    #[test]
    fn the_first_seeds_meet_last() {
        assert_eq!(seeds(1), [0]);
        assert_eq!(seeds(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        for size in [2, 4, 16, 64] {
            let mut left = seeds(size);
            while left.len() > 1 {
                let rest = left.as_chunks::<2>().0;
                assert!(rest.iter().all(|[one, other]| one + other == left.len() - 1));
                left = rest.iter().map(|[one, other]| *one.min(other)).collect();
            }
        }
    }

    #[test]
    fn the_first_seeds_have_no_opponent_in_the_first_round() {
        let bracket = Bracket::new(5, 2, &[]);
        let players = |round, board| bracket.seats(round, board, 0);
        assert_eq!(
            [0, 1, 2, 3].map(|board| players(0, board)),
            [None, Some([3, 4]), None, None]
        );
        assert_eq!([0, 1].map(|board| players(1, board)), [None, Some([1, 2])]);
        assert_eq!(bracket.needed(), 8, "four pairings");
        assert_eq!(
            [0, 1, 2, 3, 4].map(|player| bracket.rounds_passed(player)),
            [1, 1, 1, 0, 0]
        );
    }

    #[test]
    fn unfit_players_are_passed_over() {
        let unfit = [true, false, false, false, true, true, false, true];
        let bracket = Bracket::new(8, 2, &unfit);
        // 0–7 and 3–4 leave player 3, 1–6 is played, 2–5 leaves player 2.
        assert_eq!(bracket.seats(0, 2, 0), Some([1, 6]));
        assert_eq!(bracket.needed(), 6);
        assert_eq!(bracket.rounds_passed(3), 2);
        assert!(!bracket.may_be_needed(1, 0) && bracket.may_be_needed(1, 1));
        let empty = Bracket::new(3, 2, &[true; 3]);
        assert_eq!(empty.needed(), 0);
        assert_eq!(Bracket::new(2, 2, &[false, true]).rounds_passed(0), 1);
    }

    /// The winner of a pairing of seeds 0 and 1 with these results, and how many games it needs.
    fn outcome(games: u64, results: &[[u64; 2]]) -> (Option<usize>, u64) {
        let mut bracket = Bracket::new(2, games, &[]);
        // In any order of their ends.
        for (game, points) in results.iter().enumerate().rev() {
            bracket.add(0, 0, game as u64, *points);
        }
        let winner = [0, 1]
            .into_iter()
            .find(|&player| bracket.rounds_passed(player) > 0);
        (winner, bracket.needed())
    }

    #[test]
    fn level_pairings_play_on() {
        for (games, results, expected) in [
            (2, &[][..], (None, 2)),
            (2, &[WIN], (None, 2)),
            (2, &[WIN, DRAW], (Some(0), 2)),
            (2, &[LOSS, DRAW], (Some(1), 2)),
            (2, &[WIN, LOSS], (None, 4)),
            (2, &[WIN, LOSS, LOSS], (None, 4)),
            (2, &[WIN, LOSS, LOSS, DRAW], (Some(1), 4)),
            (2, &[DRAW; 7], (None, 8)),
            (2, &[DRAW; 8], (Some(0), 8)),
            // The other half of the pair comes first.
            (1, &[DRAW], (None, 2)),
            (1, &[DRAW, LOSS], (Some(1), 2)),
            (1, &[DRAW; 2], (None, 4)),
            (1, &[DRAW; 8], (Some(0), 8)),
            (1, &[LOSS], (Some(1), 1)),
        ] {
            assert_eq!(outcome(games, results), expected, "{games} {results:?}");
        }
        assert_eq!([1, 2, 3, 4].map(most_games), [8, 8, 10, 10]);
        assert_eq!(Bracket::new(2, u64::MAX, &[]).needed(), u64::MAX);
    }

    #[test]
    fn winners_meet_in_the_next_round() {
        let mut bracket = Bracket::new(4, 1, &[]);
        assert_eq!(
            (bracket.seats(0, 0, 0), bracket.seats(0, 1, 0)),
            (Some([0, 3]), Some([1, 2]))
        );
        bracket.add(0, 1, 0, LOSS);
        assert_eq!(bracket.seats(1, 0, 0), None);
        bracket.add(0, 0, 0, LOSS);
        assert_eq!(bracket.seats(1, 0, 0), Some([2, 3]));
        assert_eq!(bracket.seats(1, 0, 1), None, "not needed yet");
        assert!(bracket.may_be_needed(1, 0));
        bracket.add(1, 0, 0, WIN);
        assert_eq!(
            [0, 1, 2, 3].map(|player| bracket.rounds_passed(player)),
            [0, 0, 2, 1]
        );
        assert!(!bracket.may_be_needed(1, 0));
        assert_eq!(bracket.needed(), 3);
    }
}
