//! What the overview shows of all games: times and lengths of each player, openings, faults.

use std::collections::BTreeMap;

use lodestone::board::Side;
use lodestone::game::GameResult;

use crate::io::text::printable;
use crate::player::verdict::FaultKind;
use crate::results::Record;

/// The largest number of different messages of a fault that are kept.
const MAX_MESSAGES: usize = 3;

/// The largest number of games of a fault that are listed.
pub const MAX_GAMES: usize = 12;

/// What the games of a match have in common.
#[derive(Debug)]
pub struct Tally {
    /// By player number.
    pub players: Vec<PlayerTally>,
    /// The openings: the start and the moves.
    pub openings: BTreeMap<(String, Vec<String>), OpeningTally>,
    /// The faults by player number and kind.
    pub faults: BTreeMap<(usize, FaultKind), FaultTally>,
}

/// The games of a player.
#[derive(Clone, Debug, Default)]
pub struct PlayerTally {
    /// The time of each move, in milliseconds.
    pub times: Vec<f32>,
    /// The number of moves of each game.
    pub lengths: Vec<f32>,
    /// Wins, draws and losses as first and as second player.
    pub seats: [[u64; 3]; 2],
}

/// The games of an opening.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpeningTally {
    /// The number of the first of its games.
    pub game: u64,
    /// Wins, draws and losses of the first player.
    pub counts: [u64; 3],
}

/// The games that a player lost by one kind of fault.
#[derive(Clone, Debug, Default)]
pub struct FaultTally {
    /// The number of games.
    pub count: u64,
    /// The first games: their numbers and lengths.
    pub games: Vec<(u64, usize)>,
    /// The first different messages.
    pub messages: Vec<String>,
}

impl Tally {
    /// A tally of this number of players, without games.
    pub fn new(players: usize) -> Tally {
        Tally {
            players: vec![PlayerTally::default(); players],
            openings: BTreeMap::new(),
            faults: BTreeMap::new(),
        }
    }

    /// Adds a game between the players with these numbers.
    pub fn add(&mut self, record: &Record, seats: [usize; 2]) {
        let outcome = |side: Side| match record.result {
            GameResult::Win(winner) if winner == side => 0,
            GameResult::Draw => 1,
            GameResult::Win(_) => 2,
        };
        let first = usize::from(record.start.split(' ').nth(1) == Some("o"));
        for (seat, side) in Side::BOTH.into_iter().enumerate() {
            let Some(player) = self.players.get_mut(seats[seat]) else {
                continue;
            };
            player.seats[seat][outcome(side)] += 1;
            player.lengths.push(record.moves.len() as f32);
            // The seat of the first move after the opening.
            let first_seat = (first + record.opening_plies) % 2;
            let times = record.ms.iter().skip((first_seat + seat) % 2).step_by(2);
            player.times.extend(times.map(|&ms| ms as f32));
        }
        let moves = record.moves.iter().take(record.opening_plies).cloned().collect();
        let opening = self
            .openings
            .entry((record.start.clone(), moves))
            .or_insert(OpeningTally {
                game: record.id,
                counts: [0; 3],
            });
        opening.game = opening.game.min(record.id);
        opening.counts[outcome(Side::First)] += 1;
        let fault = record.culprit().zip(FaultKind::from_word(&record.reason));
        if let Some((side, kind)) = fault {
            let fault = self.faults.entry((seats[side.index()], kind)).or_default();
            fault.count += 1;
            fault.games.push((record.id, record.moves.len()));
            fault.games.sort_unstable();
            fault.games.truncate(MAX_GAMES);
            let message = printable(&record.detail, usize::MAX);
            if fault.messages.len() < MAX_MESSAGES && !fault.messages.contains(&message) {
                fault.messages.push(message);
            }
        }
    }
}

/// The values below which these shares of the values lie; `None` without values.
pub fn quantiles<const N: usize>(values: &[f32], shares: [f64; N]) -> Option<[f64; N]> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some(shares.map(|share| f64::from(sorted[((share * sorted.len() as f64) as usize).min(last)])))
}

/// The number of times in steps of a factor of two, with the beginning of each step in
/// milliseconds.
pub fn time_steps(times: &[f32]) -> Vec<(f64, u64)> {
    let step = |time: f32| f64::from(time.max(0.001)).log2().floor() as i32;
    let Some(low) = times.iter().map(|&time| step(time)).min() else {
        return Vec::new();
    };
    let high = times.iter().map(|&time| step(time)).max().unwrap_or(low);
    let mut steps: Vec<(f64, u64)> = (low..=high).map(|step| (2_f64.powi(step), 0)).collect();
    for &time in times {
        if let Some(count) = steps.get_mut((step(time) - low) as usize) {
            count.1 += 1;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::record;

    #[test]
    fn moves_count_for_their_player() {
        let mut tally = Tally::new(2);
        let mut game = record(1, "a", "b");
        // One move of the opening, so the second player moves first after it.
        game.ms = vec![2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0];
        tally.add(&game, [0, 1]);
        assert_eq!(tally.players[0].times, [1.0; 4]);
        assert_eq!(tally.players[1].times, [2.0; 4]);
        assert_eq!(tally.players[0].seats, [[1, 0, 0], [0, 0, 0]]);
        assert_eq!(tally.players[1].seats, [[0, 0, 0], [0, 0, 1]]);
        game.start = "8/8/8/8/8/8/8/x7 o".into();
        tally.add(&game, [1, 0]);
        assert_eq!(tally.players[1].times[4..], [2.0; 4]);
        assert_eq!(tally.openings.len(), 2);
    }

    #[test]
    fn faults_keep_their_first_games_and_messages() {
        let mut tally = Tally::new(2);
        for id in (1..=20).rev() {
            let mut game = record(id, "a", "b");
            game.reason = "crash".into();
            game.detail = format!("message {}", id % 5);
            tally.add(&game, [0, 1]);
        }
        let fault = &tally.faults[&(1, FaultKind::Crash)];
        assert_eq!(
            (fault.count, fault.games.len(), fault.messages.len()),
            (20, MAX_GAMES, MAX_MESSAGES)
        );
        assert_eq!(fault.games[0], (1, 9));
    }

    #[test]
    fn quantiles_and_steps() {
        let values: Vec<f32> = (1..=100_u8).map(f32::from).collect();
        assert_eq!(quantiles(&values, [0.0, 0.5, 1.0]), Some([1.0, 51.0, 100.0]));
        assert_eq!(quantiles(&[], [0.5]), None);
        assert_eq!(
            time_steps(&[1.0, 1.5, 2.0, 9.0]),
            [(1.0, 2), (2.0, 1), (4.0, 0), (8.0, 1)]
        );
        assert_eq!(time_steps(&[]), []);
    }
}
