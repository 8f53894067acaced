//! The games of a match: a pure function of the command and, in Swiss and knockout tournaments,
//! of earlier results.
//!
//! Only these decide the id of a game ([`Fixture::id`]), its players, its colours and its
//! opening. Games can therefore be played in any order, in parallel, on several
//! machines, and again. Nothing is kept in memory but pairings that depend on results.
//!
//! * [`Schedule`]: the parameters; [`Fixtures`]: the games.
//! * [`knockout`]: pairings of which the winner plays on.
//! * [`pairings`]: round robin, gauntlet and pyramid; [`swiss`]: Swiss pairings.
//! * [`Shard`]: the part of a schedule that one machine plays.
//!
//! Round robin, gauntlet and pyramid play the first game of every pairing, then the second of
//! every pairing (the same openings with colours swapped), then the third, and so on. More
//! games per pairing (`--games`) therefore do not change the earlier games. In an
//! interrupted tournament all pairings have played about the same number of games.

mod fixtures;
pub(crate) mod knockout;
pub mod openings;
pub(crate) mod pairings;
mod shard;
pub(crate) mod swiss;

pub(crate) use fixtures::Fixtures;
#[cfg(test)]
pub(crate) use fixtures::tests::round_robin;
pub use shard::Shard;

use crate::io::as_text::Text;
use crate::io::suggest::unknown;

/// The format of a tournament.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Every player against every other.
    #[default]
    RoundRobin,
    /// The first players, one by default, against every other.
    Gauntlet,
    /// Every player against all players before it, in this order.
    Pyramid,
    /// In rounds, between players with about the same points who have not met yet.
    Swiss,
    /// In rounds, in which the winner of each pairing plays on.
    Knockout,
}

/// The parameters of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Schedule {
    pub format: Format,
    /// The number of players, at least 2.
    pub players: usize,
    /// The number of games per pairing. Two games are a pair; an odd number leaves half a
    /// pair.
    pub games: u64,
    /// The number of rounds of a Swiss tournament; 1 in other formats.
    pub rounds: u64,
    /// The number of players that meet all others in a gauntlet; 0 counts as 1.
    pub seeds: usize,
    /// Whether each opening is played once, and the first player of a pairing always moves
    /// first.
    pub no_swap: bool,
    /// Whether the players of each pairing change colours in all games.
    pub reverse: bool,
}

/// One game of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fixture {
    /// The id: its place in the schedule, from 1.
    pub id: u64,
    /// The round, from 1. In Swiss and knockout tournaments every player meets one opponent
    /// per round; in other formats every pairing plays one pair of games per round.
    pub round: u64,
    /// The pair, from 1: two games with the same opening and colours swapped. With
    /// [`Schedule::no_swap`], each game has its own number.
    pub pair: u64,
    /// The indices of the players, from 0; the first moves first.
    pub seats: [usize; 2],
    /// The number of the opening, from 1. The same for both games of a pair, and for all
    /// pairings of a round.
    pub opening: u64,
}

impl Format {
    /// All formats, the default first.
    pub(crate) const ALL: [Format; 5] = [
        Format::RoundRobin,
        Format::Gauntlet,
        Format::Swiss,
        Format::Knockout,
        Format::Pyramid,
    ];

    /// Whether pairings depend on earlier results.
    pub(crate) const fn follows_results(self) -> bool {
        matches!(self, Format::Swiss | Format::Knockout)
    }

    /// The name that `--format` takes.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Format::RoundRobin => "round-robin",
            Format::Gauntlet => "gauntlet",
            Format::Swiss => "swiss",
            Format::Pyramid => "pyramid",
            Format::Knockout => "knockout",
        }
    }

    /// The format with this name.
    pub(crate) fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Text for Format {
    fn text(&self) -> impl std::fmt::Display {
        self.name()
    }

    fn read(text: &str) -> Result<Format, String> {
        Format::from_name(text).ok_or_else(|| unknown("format", text, &Format::ALL.map(Format::name)))
    }
}

impl Schedule {
    /// The number of pairings, of boards in a Swiss round, or in the first round of a knockout.
    pub(crate) const fn boards(&self) -> u64 {
        let players = self.players as u64;
        match self.format {
            Format::RoundRobin | Format::Pyramid => players * players.saturating_sub(1) / 2,
            Format::Gauntlet => {
                let seeds = self.gauntlet_seeds();
                seeds * players.saturating_sub(seeds)
            }
            Format::Swiss => players / 2,
            Format::Knockout => knockout::boards(self.players, 0),
        }
    }

    /// The number of pairings in a round, from 0.
    const fn boards_in(&self, round: u64) -> u64 {
        match self.format {
            Format::Knockout => knockout::boards(self.players, round),
            _ => self.boards(),
        }
    }

    /// The number of games of a pairing, those included that may not be needed.
    const fn games_of_pairing(&self) -> u64 {
        match self.format {
            Format::Knockout => knockout::most_games(self.games),
            _ => self.games,
        }
    }

    /// The number of games, those included that may not be needed.
    pub(crate) const fn total(&self) -> u64 {
        let pairings = match self.format {
            // Each pairing puts one player out.
            Format::Knockout => (self.players.next_power_of_two() as u64).saturating_sub(1),
            _ => self.boards().saturating_mul(self.rounds),
        };
        pairings.saturating_mul(self.games_of_pairing())
    }

    /// The number of the pairing of a game, and the id of its first game. `None` if there
    /// is no such game. In a Swiss tournament each round has its own pairings.
    pub(crate) fn pairing_of(&self, id: u64) -> Option<[u64; 2]> {
        let game = self.unpaired(id)?;
        let pairing = game.round as u64 * self.boards() + game.board;
        let before = self.boards_in(game.round as u64).saturating_mul(game.game);
        Some([pairing, id - before])
    }

    /// The id of the next game of the same pairing; `None` after the last. A game of every
    /// other pairing of the round comes between.
    pub(crate) fn next_of_pairing(&self, id: u64) -> Option<u64> {
        let round = self.unpaired(id)?.round as u64;
        let next = id.checked_add(self.boards_in(round))?;
        (self.pairing_of(next)? == self.pairing_of(id)?).then_some(next)
    }

    /// The number of players that meet all others in a gauntlet.
    const fn gauntlet_seeds(&self) -> u64 {
        if self.seeds == 0 { 1 } else { self.seeds as u64 }
    }

    /// The number of games with the same opening.
    const fn games_per_opening(&self) -> u64 {
        if self.no_swap { 1 } else { 2 }
    }

    /// The number of games of a pairing that begin a pair, and of those that end one.
    const fn games_of_pairs(&self) -> [u64; 2] {
        let games = self.games_of_pairing();
        let begun = games.div_ceil(self.games_per_opening());
        [begun, games - begun]
    }

    /// The game with this id, from 1 to [`Schedule::total`], without its players.
    pub(crate) fn unpaired(&self, id: u64) -> Option<UnpairedFixture> {
        let index = id.checked_sub(1)?;
        if id > self.total() {
            return None;
        }
        let games_in = |round| self.boards_in(round).saturating_mul(self.games_of_pairing());
        let (round, index) = if self.format == Format::Knockout {
            let (mut round, mut index) = (0, index);
            while index >= games_in(round) {
                index -= games_in(round);
                round += 1;
            }
            (round, index)
        } else {
            (index / games_in(0), index % games_in(0))
        };
        let boards = self.boards_in(round);
        let (game, board) = (index / boards, index % boards);
        // Each round that follows results has new openings.
        let [pairs, _] = self.games_of_pairs();
        let place = game / self.games_per_opening();
        let number = round * pairs + place;
        let fixture = Fixture {
            id,
            round: if self.format.follows_results() {
                round
            } else {
                place
            } + 1,
            pair: number * self.boards() + board + 1,
            seats: [0, 1],
            opening: number + 1,
        };
        Some(UnpairedFixture {
            fixture,
            round: round as usize,
            board,
            game,
            is_swapped: self.reverse == game.is_multiple_of(self.games_per_opening()),
        })
    }
}

/// A game before its players are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnpairedFixture {
    /// The game with placeholders as players.
    fixture: Fixture,
    /// The round of a Swiss or knockout tournament, from 0.
    round: usize,
    /// The pairing of the round, from 0.
    board: u64,
    /// The game of the pairing, from 0.
    game: u64,
    /// Whether the second player of the pairing moves first.
    is_swapped: bool,
}

impl UnpairedFixture {
    /// The game between these players, in the order of the pairing.
    fn between(self, mut seats: [usize; 2]) -> Fixture {
        if self.is_swapped {
            seats.reverse();
        }
        Fixture {
            seats,
            ..self.fixture
        }
    }
}
