//! Which games there are: a pure function of the command, and in a Swiss
//! tournament of the earlier results.
//!
//! A game's place ([`Fixture::id`]), its players, their colours and the number
//! of its opening depend on nothing else, so games can be played in any order,
//! at the same time, on several machines, and again. Nothing is held in memory
//! but the pairings of a Swiss tournament.
//!
//! * [`Schedule`]: what decides the games; [`Calendar`]: the games themselves.
//! * [`pairings`]: round robin and gauntlet; [`swiss`]: Swiss pairings.
//! * [`Shard`]: the part of a schedule that one machine plays.
//!
//! Round robin and gauntlet go game by game: the first game of every pairing,
//! then the second of every pairing (the same openings with colours swapped),
//! then the third, and so on. So more games a pairing (`--games`) change
//! nothing about those that there were, and a tournament that is cut short has
//! let everybody play about as often.

mod calendar;
pub mod pairings;
mod shard;
pub mod swiss;

pub use calendar::Calendar;
#[cfg(test)]
pub(crate) use calendar::tests::round_robin;
pub use shard::Shard;

/// Who plays whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Everybody against everybody.
    #[default]
    RoundRobin,
    /// The first player against everybody else.
    Gauntlet,
    /// In rounds: whoever has about as many points and has not met yet.
    Swiss,
}

/// What decides who plays whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Who plays whom.
    pub format: Format,
    /// How many players there are, at least two.
    pub players: usize,
    /// How many games a pairing has. Two games make a pair; the last may be
    /// half a pair.
    pub games: u64,
    /// How many rounds a Swiss tournament has; 1 elsewhere.
    pub rounds: u64,
}

/// One game of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its place in the schedule, from 1.
    pub id: u64,
    /// The round, from 1. In a Swiss tournament everybody plays one opponent a
    /// round; elsewhere every pairing plays one pair of games.
    pub round: u64,
    /// The pair, from 1: two games of one opening with colours swapped.
    pub pair: u64,
    /// The numbers of the players, counted from 0, the first player's first.
    pub seats: [usize; 2],
    /// The number of the opening, from 1: the same for both games of a pair,
    /// and for all pairings of a round.
    pub opening: u64,
}

impl Format {
    /// All of them, the default first.
    pub const ALL: [Format; 3] = [Format::RoundRobin, Format::Gauntlet, Format::Swiss];

    /// The name that `--format` takes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::RoundRobin => "round-robin",
            Format::Gauntlet => "gauntlet",
            Format::Swiss => "swiss",
        }
    }

    /// The format of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Schedule {
    /// How many games are played side by side: the pairings, or the boards of
    /// a Swiss round.
    #[must_use]
    pub const fn boards(&self) -> u64 {
        let players = self.players as u64;
        match self.format {
            Format::RoundRobin => players * players.saturating_sub(1) / 2,
            Format::Gauntlet => players.saturating_sub(1),
            Format::Swiss => players / 2,
        }
    }

    /// How many games there are.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.boards()
            .saturating_mul(self.games)
            .saturating_mul(self.rounds)
    }

    /// The number of the pairing, one meeting of two players, that a game belongs
    /// to, and the number of its first game; `None` where there is no such game.
    pub fn pairing_of(&self, id: u64) -> Option<[u64; 2]> {
        let place = self.place(id)?;
        let boards = self.boards();
        let pairing = place.round as u64 * boards + place.board;
        let first = place.round as u64 * boards.saturating_mul(self.games) + place.board + 1;
        Some([pairing, first])
    }

    /// The next game of the same pairing, which stands behind one of every
    /// pairing that plays at the same time; `None` behind the last.
    pub fn next_of_pairing(&self, id: u64) -> Option<u64> {
        let next = id.checked_add(self.boards())?;
        (self.pairing_of(next)? == self.pairing_of(id)?).then_some(next)
    }

    /// How many openings one pairing plays, the last perhaps with one colour
    /// only.
    const fn pairs_a_pairing(&self) -> u64 {
        self.games.div_ceil(2)
    }

    /// Where the game with this number, from 1 to [`Schedule::total`], stands:
    /// its board and everything that does not depend on who plays there.
    pub(crate) fn place(&self, id: u64) -> Option<Place> {
        let index = id.checked_sub(1)?;
        if id > self.total() {
            return None;
        }
        let boards = self.boards();
        let games_a_round = boards.saturating_mul(self.games);
        let (round, index) = (index / games_a_round, index % games_a_round);
        let (game, board) = (index / boards, index % boards);
        // Rounds of a Swiss tournament have different openings.
        let number = round * self.pairs_a_pairing() + game / 2;
        let fixture = Fixture {
            id,
            round: if self.format == Format::Swiss {
                round
            } else {
                game / 2
            } + 1,
            pair: number * boards + board + 1,
            seats: [0, 1],
            opening: number + 1,
        };
        Some(Place {
            fixture,
            round: round as usize,
            board,
            is_swapped: !game.is_multiple_of(2),
        })
    }
}

/// Where a game stands, before it is known who plays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The game, but for its players.
    fixture: Fixture,
    /// The round of a Swiss tournament, from 0.
    round: usize,
    /// Which of the games side by side, from 0.
    board: u64,
    /// Whether the second of the pairing moves first.
    is_swapped: bool,
}

impl Place {
    /// The game between these two, the first of the pairing first.
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
