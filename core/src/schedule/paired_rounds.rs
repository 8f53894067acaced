//! Rounds that are paired one after the other: those of a Swiss tournament and of a ladder.

use std::collections::HashMap;

use lodestone_game::GameResult;

use super::{Schedule, ScheduledGame};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PairedRound {
    /// The pairings; none of a ladder's round that is not paired yet.
    pub pairings: Vec<[usize; 2]>,
    /// The player without an opponent.
    pub bye: Option<usize>,
}

/// The rounds so far.
#[derive(Clone, Debug, Default)]
pub(super) struct PairedRounds {
    pub rounds: Vec<PairedRound>,
    /// The number of games in the rounds before the last of them, and in all of them.
    pub games: [u64; 2],
    /// The number of games of the last round without a result.
    pub missing: u64,
    /// The results by game id; of a ladder, those of the last round.
    pub results: HashMap<u64, GameResult>,
}

impl PairedRounds {
    /// A game of the rounds so far.
    pub fn get(&self, schedule: &Schedule, id: u64) -> Option<ScheduledGame> {
        let game = schedule.unpaired(id)?;
        let seats = *self.rounds.get(game.round)?.pairings.get(game.board as usize)?;
        Some(game.between(seats))
    }

    /// Adds a round with this number of games; void games are not played.
    pub fn push(&mut self, round: PairedRound, games: u64, is_void: impl Fn(u64) -> bool) {
        self.rounds.push(round);
        let [_, last] = self.games;
        self.games = [last, last + games];
        self.count_missing(is_void);
    }

    pub fn count_missing(&mut self, is_void: impl Fn(u64) -> bool) {
        self.missing = self.without_result(is_void).count() as u64;
    }

    /// The games of the last round without a result.
    pub fn without_result(&self, is_void: impl Fn(u64) -> bool) -> impl Iterator<Item = u64> {
        self.last_round()
            .filter(move |id| !is_void(*id) && !self.results.contains_key(id))
    }

    pub fn add(&mut self, id: u64, result: GameResult, is_void: bool) {
        if self.results.insert(id, result).is_none() {
            self.missing -= u64::from(self.is_in_last_round(id) && !is_void);
        }
    }

    /// Whether this game is of the last round so far.
    pub fn is_in_last_round(&self, id: u64) -> bool {
        let [before, last] = self.games;
        (before + 1..=last).contains(&id)
    }

    /// The games of the last round.
    pub fn last_round(&self) -> impl Iterator<Item = u64> + use<> {
        let [before, last] = self.games;
        before + 1..=last
    }
}
