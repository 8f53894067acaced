//! The games of a match: a pure function of the command and, in Swiss and knockout tournaments and
//! in ladders, of earlier results.
//!
//! Only these decide the id of a game ([`ScheduledGame::id`]), its players, its colours and its
//! opening. Games can therefore be played in any order, in parallel, on several
//! machines, and again. Nothing is kept in memory but pairings that depend on results.
//!
//! * [`Schedule`]: the parameters; [`Calendar`]: the games.
//! * `formats`: what a format is. Each one has a file: `round_robin`, `gauntlet`, `pyramid`, [`swiss`], `knockout`, and
//!   `ladder_rounds` with the pairings of [`ladder`], which say most about the ratings. `paired_rounds`: what the last
//!   two of them share.
//! * [`Shard`]: the part of a schedule that one machine plays.
//!
//! Round robin, gauntlet and pyramid play the first game of every pairing, then the second of
//! every pairing (the same openings with colours swapped), then the third, and so on. More
//! games per pairing (`--games`) therefore do not change the earlier games. In an
//! interrupted tournament all pairings have played about the same number of games. They are
//! played in this order unless there are more players than engines can wait: then both games
//! of a pair follow each other.

mod calendar;
mod formats;
mod gauntlet;
mod knockout;
pub(crate) mod ladder;
mod ladder_rounds;
pub mod openings;
mod paired_rounds;
mod pyramid;
mod round_robin;
mod rounds;
pub mod swiss;

pub(crate) use calendar::Calendar;
pub use formats::Format;
pub use ladder::Stage;
pub use ladder_rounds::{LadderRounds, Pairings};
pub use rounds::{FormatProperties, RankedBy, Rounds};

use std::fmt;
use std::str::FromStr;

use crate::io::as_text::Text;
/// The parameters of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Who meets whom.
    pub format: Format,
    /// The number of players, at least 2.
    pub players: usize,
    /// The number of games per pairing. Two games are a pair; an odd number leaves half a
    /// pair.
    pub games: u64,
    /// The number of rounds of a Swiss tournament; 1 in other formats.
    pub rounds: u64,
    /// The rounds of a ladder.
    pub stages: Vec<Stage>,
    /// Of which player each one of a ladder is a new version.
    pub predecessors: Vec<Option<usize>>,
    /// The player of a ladder with the rating 0; without one, 0 is the mean of new players.
    pub anchor: Option<usize>,
    /// The number of players that meet all others in a gauntlet; 0 counts as 1.
    pub seeds: usize,
    /// Whether each opening is played once, and the first player of a pairing always moves
    /// first.
    pub no_swap: bool,
    /// Whether the players of each pairing change colours in all games.
    pub reverse: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledGame {
    /// The id: its place in the schedule, from 1.
    pub id: u64,
    /// The round, from 1. In formats that follow results every player meets one opponent
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

impl Schedule {
    /// The number of pairings in the first round, or in the largest one.
    pub(crate) fn pairings(&self) -> u64 {
        (self.format.properties().pairings)(self)
    }

    /// The numbers of successive rounds with the same number of pairings, and that number.
    fn sections(&self) -> impl Iterator<Item = [u64; 2]> {
        (0..).map_while(|place| (self.format.properties().section)(self, place))
    }

    /// The place of the section of a round, from 0, and the number of its pairings.
    fn section_of(&self, round: u64) -> Option<(usize, u64)> {
        let mut end = 0_u64;
        let mut sections = self.sections().enumerate();
        let (place, [_, pairings]) = sections.find(|(_, [rounds, _])| {
            end = end.saturating_add(*rounds);
            round < end
        })?;
        Some((place, pairings))
    }

    /// The number of pairings in a round, from 0.
    fn pairings_in(&self, round: u64) -> u64 {
        self.section_of(round).map_or(0, |(_, pairings)| pairings)
    }

    /// The stage of a round of a ladder.
    fn stage(&self, round: u64) -> Option<&Stage> {
        self.stages.get(self.section_of(round)?.0)
    }

    /// The number of games of a pairing, those included that may not be needed.
    fn games_of_pairing(&self) -> u64 {
        (self.format.properties().games_of_pairing)(self.games)
    }

    /// The number of games, those included that may not be needed.
    pub fn total(&self) -> u64 {
        let pairings = self.sections().fold(0, |sum: u64, [rounds, pairings]| {
            sum.saturating_add(rounds.saturating_mul(pairings))
        });
        pairings.saturating_mul(self.games_of_pairing())
    }

    /// The number of the pairing of a game, and the id of its first game. `None` if there
    /// is no such game. In a Swiss tournament each round has its own pairings.
    pub(crate) fn pairing_of(&self, id: u64) -> Option<[u64; 2]> {
        let game = self.unpaired(id)?;
        let pairing = game.round as u64 * self.pairings() + game.board;
        let before = self.pairings_in(game.round as u64).saturating_mul(game.game);
        Some([pairing, id - before])
    }

    /// The id of the next game of the same pairing; `None` after the last. A game of every
    /// other pairing of the round comes between.
    pub fn next_of_pairing(&self, id: u64) -> Option<u64> {
        let round = self.unpaired(id)?.round as u64;
        let next = id.checked_add(self.pairings_in(round))?;
        (self.pairing_of(next)? == self.pairing_of(id)?).then_some(next)
    }

    /// The number of games with the same opening.
    const fn games_per_opening(&self) -> u64 {
        if self.no_swap { 1 } else { 2 }
    }

    /// The number of games of a pairing that begin a pair, and of those that end one.
    fn games_of_pairs(&self) -> [u64; 2] {
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
        let (round, index, pairs_before) = self.round_of(index);
        let pairings = self.pairings_in(round);
        let (game, board) = (index / pairings, index % pairings);
        let place = game / self.games_per_opening();
        // The openings of a round are the same for all its pairings.
        let [pairs, _] = self.games_of_pairs();
        // Each round that follows results has new openings.
        let number = round * pairs + place;
        let scheduled = ScheduledGame {
            id,
            round: if self.format.follows_results() {
                round
            } else {
                place
            } + 1,
            pair: pairs_before + place * self.pairs_of(pairings) + board + 1,
            seats: [0, 1],
            opening: number + 1,
        };
        Some(UnpairedFixture {
            scheduled,
            round: round as usize,
            board,
            game,
            is_swapped: self.reverse == game.is_multiple_of(self.games_per_opening()),
        })
    }

    /// How many numbers of pairs are reserved for the first games of the pairings of a round with this many:
    /// in a knockout, those of the first round.
    fn pairs_of(&self, pairings: u64) -> u64 {
        if self.format.properties().has_bracket {
            return self.pairings();
        }
        pairings
    }

    /// The round of the game with this index, from 0; its place in the round; and the number of pairs
    /// in all rounds before.
    fn round_of(&self, mut index: u64) -> (u64, u64, u64) {
        let [pairs, _] = self.games_of_pairs();
        let (mut round, mut before) = (0, 0);
        for [most, pairings] in self.sections() {
            let games = pairings.saturating_mul(self.games_of_pairing());
            let rounds = index.checked_div(games).map_or(most, |rounds| rounds.min(most));
            (index, round) = (index - rounds * games, round + rounds);
            before += rounds * pairs * self.pairs_of(pairings);
            if rounds < most {
                break;
            }
        }
        (round, index, before)
    }
}

/// A game before its players are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnpairedFixture {
    /// The game with placeholders as players.
    scheduled: ScheduledGame,
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
    fn between(self, mut seats: [usize; 2]) -> ScheduledGame {
        if self.is_swapped {
            seats.reverse();
        }
        ScheduledGame {
            seats,
            ..self.scheduled
        }
    }
}

/// Part `index` of `count`, counted from 0. Both games of a pair are in the same part, and
/// more games per pairing do not move the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// All games.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// Whether the part contains this game.
    pub const fn has(self, scheduled: &ScheduledGame) -> bool {
        Shard::index_of(scheduled, self.count) == self.index
    }

    /// The part, from 0, of a game among `count` parts, at least 1.
    pub const fn index_of(scheduled: &ScheduledGame, count: u64) -> u64 {
        scheduled.pair.wrapping_sub(1) % count
    }

    /// The number of games of a schedule in this part. Not for Swiss tournaments and knockouts.
    pub(crate) fn games(self, schedule: &Schedule) -> u64 {
        let pairings = schedule.pairings();
        let [begun, ended] = schedule.games_of_pairs();
        let begun = self.pairs(pairings.saturating_mul(begun));
        begun.saturating_add(self.pairs(pairings.saturating_mul(ended)))
    }

    /// The number of games of one pairing, the one with number `board` from 0, in this part.
    /// Not for Swiss tournaments.
    pub(crate) fn games_of(self, schedule: &Schedule, board: u64) -> u64 {
        let pairings = schedule.pairings();
        let is_here = |pair: u64| pair.wrapping_mul(pairings).wrapping_add(board) % self.count == self.index;
        // Every `period`th pair is in this part, from the first one on.
        let Some(first) = (0..self.count).find(|&pair| is_here(pair)) else {
            return 0;
        };
        let period = self.count / gcd(pairings, self.count);
        let pairs = |all: u64| all.saturating_sub(first).div_ceil(period);
        let [begun, ended] = schedule.games_of_pairs();
        pairs(begun).saturating_add(pairs(ended))
    }

    /// The number of pairs in this part, of all `pairs`.
    const fn pairs(self, pairs: u64) -> u64 {
        pairs.saturating_sub(self.index).div_ceil(self.count)
    }

    /// The index of the part, from 0.
    pub const fn index(self) -> u64 {
        self.index
    }

    /// The number of parts.
    pub const fn count(self) -> u64 {
        self.count
    }
}

/// The greatest common divisor (Euclid).
const fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if index < count => Ok(Shard { index, count }),
            _ => Err("expected K/N with K from 0 to N − 1, such as 0/8".into()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl Text for Shard {
    fn text(&self) -> impl fmt::Display {
        self
    }

    fn read(text: &str) -> Result<Shard, String> {
        text.parse().map_err(|why| format!("shard: {why}"))
    }
}

#[cfg(test)]
pub(crate) use calendar::tests::round_robin;

#[cfg(test)]
mod tests {
    use super::*;

    /// They cannot ask the compiler.
    #[test]
    fn python_the_match_form_and_the_help_know_every_format() {
        let python = include_str!("../../../python/referee/results.py");
        let form = include_str!("../../../serve/page/index.html");
        let estimate = include_str!("../../../serve/page/match-form.js");
        let help = include_str!("../../../referee/src/config/cli/match_args.rs");
        let others = include_str!("../../../referee/src/config/other_programs.md");
        let known = python
            .lines()
            .find_map(|line| line.strip_prefix("FOLLOW_RESULTS = "));
        for format in Format::ALL {
            let is_listed = known.unwrap_or_default().contains(&format!("\"{format}\""));
            assert_eq!(is_listed, format.follows_results(), "results.py: {format}");
            assert!(
                form.contains(&format!("<option value=\"{format}\">")),
                "index.html: {format}"
            );
            let has_estimate = ["", "\""].map(|quote| format!("{quote}{format}{quote}: (players)"));
            assert!(
                format == Format::Ladder || has_estimate.iter().any(|key| estimate.contains(key)),
                "match-form.js: {format}"
            );
            assert!(help.contains(&format!("`{format}`: ")), "match_args.rs: {format}");
            let row = others.lines().find(|line| line.starts_with("| `-tournament`"));
            assert!(
                row.unwrap_or_default().contains(format.name()),
                "other_programs.md: {format}"
            );
        }
    }

    #[test]
    fn games_of_all_pairings_make_up_the_shard() {
        for (players, games) in [(2, 1), (2, 8), (3, 5), (5, 4), (6, 3)] {
            for (format, no_swap) in [
                (Format::RoundRobin, false),
                (Format::Gauntlet, false),
                (Format::Pyramid, true),
            ] {
                let schedule = Schedule {
                    format,
                    players,
                    games,
                    rounds: 1,
                    no_swap,
                    ..Schedule::default()
                };
                for count in [1, 2, 3, 4, 6, 10, 64] {
                    for index in 0..count {
                        let shard = Shard { index, count };
                        let pairings = 0..schedule.pairings();
                        let games: u64 = pairings.map(|board| shard.games_of(&schedule, board)).sum();
                        assert_eq!(
                            games,
                            shard.games(&schedule),
                            "{format} {players} {games} {shard}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn parses_and_writes_a_shard() {
        assert_eq!("3/8".parse::<Shard>().unwrap().to_string(), "3/8");
        for text in ["", "1", "8/8", "-1/8", "0/0", "1/2/3", "a/b"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn counts_the_games_of_a_part() {
        for (format, seeds, no_swap) in [
            (Format::RoundRobin, 0, false),
            (Format::Gauntlet, 0, false),
            (Format::Gauntlet, 2, false),
            (Format::Pyramid, 0, true),
        ] {
            for (players, games, count) in [(2, 1, 2), (3, 3, 2), (4, 5, 7), (5, 4, 3), (2, 2, 9)] {
                let schedule = Schedule {
                    format,
                    players,
                    games,
                    rounds: 1,
                    seeds: seeds.min(players - 1),
                    no_swap,
                    reverse: no_swap,
                    ..Schedule::default()
                };
                let calendar = Calendar::new(schedule.clone(), Vec::new());
                let mut sum = 0;
                for index in 0..count {
                    let shard = Shard { index, count };
                    let calendar = (1..=schedule.total()).filter_map(|id| calendar.get(id));
                    let counted = calendar.filter(|scheduled| shard.has(scheduled)).count();
                    assert_eq!(shard.games(&schedule), counted as u64, "{shard} of {schedule:?}");
                    sum += counted as u64;
                }
                assert_eq!(sum, schedule.total(), "each game is in one part");
            }
        }
    }
}
