//! What a format of tournaments is like: a row of [`FormatProperties`] and, if it follows results, an implementation of
//! [`Rounds`].

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use lodestone_game::GameResult;

use super::{Schedule, ScheduledGame, Shard};

/// What decides about the places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankedBy {
    Points,
    /// The same, and among equals those of the opponents.
    OpponentsPoints,
    /// The share of the points that could be won.
    Share,
    /// The rounds that were passed.
    Rounds,
    Ratings,
}

/// What a format is like. That of a round robin is the usual one.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of a table of yes and no")]
pub struct FormatProperties {
    /// The name that `--format` takes.
    pub name: &'static str,
    /// The tag `Event` of its games in PGN, and its name in titles.
    pub event: &'static str,
    /// What decides about the places.
    pub ranked_by: RankedBy,
    /// Whether pairings depend on earlier results.
    pub follows_results: bool,
    /// Whether the number of rounds is chosen. Such a format balances the colours of each player itself.
    pub has_rounds: bool,
    /// Whether some players meet all others, but not each other.
    pub has_seeds: bool,
    /// Whether losers are out, so that fewer games may be needed than are numbered.
    pub has_bracket: bool,
    /// Whether players come and go, in stages.
    pub has_stages: bool,
    /// The number of pairings in its first round, or in the largest one.
    pub(super) pairings: fn(&Schedule) -> u64,
    /// The number of successive rounds with the same number of pairings, and that number, at this place among such
    /// sections, from 0; `None` after the last one.
    pub(super) section: fn(&Schedule, usize) -> Option<[u64; 2]>,
    /// The most games that a pairing can have, given the number that is always played.
    pub(super) games_of_pairing: fn(u64) -> u64,
    /// Begins a tournament. The games of players that are unfit are void.
    pub(super) begin: fn(Arc<Schedule>, Vec<bool>) -> Box<dyn Rounds>,
}

/// Who meets whom, as far as the results tell.
pub trait Rounds: Any + fmt::Debug + Send + Sync {
    /// The game with this id; `None` if there is none, if its players are not known yet, or if it is not known to be
    /// needed.
    fn get(&self, id: u64) -> Option<ScheduledGame>;

    /// Whether a game is not played, because one of its players is unfit, or because it is not needed so far.
    fn is_void(&self, id: u64) -> bool;

    /// The number of void games in a shard.
    fn void_games(&self, shard: Shard) -> u64;

    /// Continues with the schedule of a later run, which may have other players if it is a ladder.
    fn go_on(&mut self, schedule: Arc<Schedule>, unfit: &[bool]) -> Result<(), String>;

    /// Adds a result, and pairs what now can be paired.
    fn add_result(&mut self, _id: u64, _: GameResult) {}

    /// Whether a void game may be needed after later results.
    fn may_be_needed(&self, _id: u64) -> bool {
        false
    }

    /// A number that grows whenever results may have paired more games.
    fn paired(&self) -> usize {
        0
    }

    /// The first game without a result on which the next pairings depend.
    fn first_missing(&self) -> Option<u64> {
        None
    }

    /// The number of games that count as won by a player because of byes, in the rounds paired so far.
    fn bye_games(&self, _player: usize) -> u64 {
        0
    }

    /// The number of rounds that a player has passed.
    fn rounds_passed(&self, _player: usize) -> usize {
        0
    }
}

/// Pairings that depend on no results.
#[derive(Debug)]
pub(super) struct Fixed {
    pub schedule: Arc<Schedule>,
    pub unfit: Vec<bool>,
    /// The players of a pairing, by its number.
    pub seats: fn(&Schedule, u64) -> [usize; 2],
}

impl Fixed {
    fn is_void_pairing(&self, board: u64) -> bool {
        let seats = (self.seats)(&self.schedule, board);
        seats
            .into_iter()
            .any(|player| self.unfit.get(player) == Some(&true))
    }
}

impl Rounds for Fixed {
    fn get(&self, id: u64) -> Option<ScheduledGame> {
        let game = self.schedule.unpaired(id)?;
        Some(game.between((self.seats)(&self.schedule, game.board)))
    }

    fn is_void(&self, id: u64) -> bool {
        let game = self.schedule.unpaired(id);
        game.is_some_and(|game| self.is_void_pairing(game.board))
    }

    fn go_on(&mut self, schedule: Arc<Schedule>, unfit: &[bool]) -> Result<(), String> {
        (self.schedule, self.unfit) = (schedule, unfit.to_vec());
        Ok(())
    }

    fn void_games(&self, shard: Shard) -> u64 {
        if !self.unfit.contains(&true) {
            return 0;
        }
        let void = (0..self.schedule.pairings()).filter(|&board| self.is_void_pairing(board));
        void.fold(0, |sum: u64, board| {
            sum.saturating_add(shard.games_of(&self.schedule, board))
        })
    }
}
