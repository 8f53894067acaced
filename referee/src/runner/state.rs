//! Who plays next, and what came of it: the one place that all slots share.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::Instant;

use lodestone::game::Variant;

use crate::arbiter::{self, Finished};
use crate::display::{Event, MatchDisplay, OutputMode};
use crate::io::failure::Failure;
use crate::openings::{Opening, Openings};
use crate::player::Claim;
use crate::player::verdict::Verdict;
use crate::report::pgn_file::Appender;
use crate::results::{Record, SprtEnd, Store};
use crate::schedule::Fixture;
use crate::tournament::Tournament;

/// The books of a match that is being played.
pub struct MatchState {
    pub(super) tournament: Tournament,
    openings: Openings,
    store: Option<Store>,
    /// Gets every game as PGN, where no result file keeps them.
    pgn: Option<Appender>,
    pub(super) screen: MatchDisplay,
    /// No game with a smaller number waits to be played.
    next: u64,
    /// How many games are being played.
    in_play: u64,
    /// How many were over before, and when the first of the others began.
    began: (u64, Instant),
    /// Why no more games begin, if that is a failure.
    failure: Option<Failure>,
    is_closed: bool,
    /// Whether no more games begin because a test has no openings left.
    is_used_up: bool,
}

/// What a slot is to do.
pub enum NextGame {
    /// Play this.
    Play(Box<(Fixture, Opening)>),
    /// Ask again: a game was given up, and its record is written.
    Retry,
    /// Wait until another game is over.
    Wait,
    /// Nothing more.
    Over,
}

impl MatchState {
    /// The books of this match, in which some games may be over.
    #[must_use]
    pub fn new(
        tournament: Tournament,
        openings: Openings,
        store: Option<Store>,
        screen: MatchDisplay,
    ) -> MatchState {
        MatchState {
            began: (tournament.played(), Instant::now()),
            tournament,
            openings,
            store,
            pgn: None,
            screen,
            next: 1,
            in_play: 0,
            failure: None,
            is_closed: false,
            is_used_up: false,
        }
    }

    /// Every game goes to this file as well.
    #[must_use]
    pub fn with_pgn(mut self, pgn: Option<Appender>) -> MatchState {
        self.pgn = pgn;
        self
    }

    /// The match, and where it is shown.
    pub const fn shown(&mut self) -> (&Tournament, &mut MatchDisplay) {
        (&self.tournament, &mut self.screen)
    }

    /// The game that is played.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        self.tournament.variant()
    }

    /// The next game for a slot.
    pub fn next_game(&mut self) -> NextGame {
        if self.is_closed || self.tournament.is_finished() {
            return NextGame::Over;
        }
        match self.find_next() {
            Ok(NextGame::Over) if self.in_play > 0 => NextGame::Wait,
            Ok(next) => {
                if matches!(next, NextGame::Play(_)) {
                    self.in_play += 1;
                }
                next
            }
            Err(failure) => {
                self.fail(failure);
                NextGame::Over
            }
        }
    }

    fn find_next(&mut self) -> Result<NextGame, Failure> {
        let calendar = self.tournament.calendar();
        while self.next <= calendar.schedule().total() {
            let id = self.next;
            if self.tournament.is_over(id) {
                self.next += 1;
                continue;
            }
            let Some(fixture) = calendar.fixture(id) else {
                // A Swiss round that waits for the last one.
                return Ok(NextGame::Over);
            };
            if !self.tournament.shard().has(&fixture) {
                self.next += 1;
                continue;
            }
            let opening = |error: &dyn std::error::Error| Failure::Usage(format!("--openings: {error}"));
            if self.tournament.is_tested()
                && self
                    .openings
                    .is_used_up(fixture.opening)
                    .map_err(|error| opening(&error))?
            {
                self.is_used_up = true;
                return Ok(NextGame::Over);
            }
            self.next += 1;
            let opening = self
                .openings
                .get(fixture.opening)
                .map_err(|error| opening(&error))?;
            if let Some((loser, after)) = self.tournament.forfeit(&fixture) {
                let finished = arbiter::give_up(&opening, loser, after);
                if let Some(record) = self.record_of(&fixture, &opening, &finished) {
                    self.enter(record, "")?;
                }
                return Ok(NextGame::Retry);
            }
            return Ok(NextGame::Play(Box::new((fixture, opening))));
        }
        Ok(NextGame::Over)
    }

    /// The record of a game that is over; `None` where it will leave no trace,
    /// because a test has ended the match.
    pub fn record_of(&self, fixture: &Fixture, opening: &Opening, finished: &Finished) -> Option<Record> {
        let names = self.tournament.names_of(fixture);
        let is_wanted = self.tournament.verdict().is_none();
        is_wanted.then(|| Record::new(self.variant(), fixture, opening, names, finished))
    }

    /// A game is over: its record is written before anything else happens. Once
    /// a test has ended the match, a game leaves no trace: what the test found
    /// is the last line of the file. What was said in a game that was lost by a
    /// fault stands in the file `transcript`.
    ///
    /// # Errors
    /// Where it cannot be written or shown.
    pub fn finish(
        &mut self,
        fixture: &Fixture,
        opening: &Opening,
        finished: &Finished,
        transcript: Option<&Path>,
    ) -> Result<(), Failure> {
        self.in_play -= 1;
        let Some(record) = self.record_of(fixture, opening, finished) else {
            return Ok(());
        };
        let mut remark = last_words(&finished.verdict);
        if let Some(path) = transcript {
            let _ = write!(remark, "\n  transcript: {}", path.display());
        }
        self.enter(record, &remark)
    }

    /// Tells programs that a player claimed in a game what the rules do not say.
    ///
    /// # Errors
    /// Where it cannot be shown.
    pub fn show_claim(&mut self, game: u64, player: &str, claim: &Claim) -> Result<(), Failure> {
        if self.screen.mode() != OutputMode::Events {
            return Ok(());
        }
        let event = Event::claim(game, player, claim);
        self.screen.event(&event).map_err(Failure::from)
    }

    /// Writes, shows with a remark, and counts a game.
    fn enter(&mut self, record: Record, remark: &str) -> Result<(), Failure> {
        if let Some(store) = &mut self.store {
            store.append_game(&record).map_err(|error| lost_file(&error))?;
        }
        if let Some(pgn) = &mut self.pgn {
            pgn.append(&record).map_err(|error| {
                Failure::Output(format!("the games cannot be written as PGN any more: {error}"))
            })?;
        }
        self.screen.game_over(&record, remark)?;
        self.tournament.enter(record).map_err(Failure::Usage)?;
        self.write_verdict()?;
        let (before, since) = self.began;
        let played = self.tournament.played() - before;
        self.screen
            .status(
                &self.tournament,
                (played > 0).then(|| since.elapsed().div_f64(played as f64)),
            )
            .map_err(Failure::from)
    }

    /// A game was not played to its end; it leaves no trace.
    pub fn drop_game(&mut self) {
        self.in_play -= 1;
        self.is_closed = true;
    }

    /// No more games begin.
    pub fn fail(&mut self, failure: Failure) {
        self.is_closed = true;
        self.failure.get_or_insert(failure);
    }

    /// Why no more games began, if that was a failure.
    pub fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    /// Whether a failure or a test has ended the match while games are played.
    #[must_use]
    pub fn is_over_early(&self) -> bool {
        self.is_closed || self.tournament.verdict().is_some()
    }

    /// All slots have stopped: what is left to be counted is counted, and what
    /// was written is on the disk.
    ///
    /// # Errors
    /// Where the result file cannot be written.
    pub fn close(&mut self) -> Result<(), Failure> {
        // A match that was cut short is closed, or did not get that far.
        if self.is_used_up && !self.is_closed && !self.tournament.is_finished() {
            self.tournament.give_up_test();
            self.write_verdict()?;
        }
        self.tournament.close();
        if let Some(pgn) = self.pgn.take() {
            pgn.remove_if_empty();
        }
        self.store
            .as_ref()
            .map_or(Ok(()), Store::sync)
            .map_err(|error| lost_file(&error))
    }

    /// The match never began: files that hold no game are taken away.
    pub fn abandon(&mut self) {
        if let Some(store) = self.store.take() {
            store.remove_if_empty();
        }
        if let Some(pgn) = self.pgn.take() {
            pgn.remove_if_empty();
        }
    }

    fn write_verdict(&mut self) -> Result<(), Failure> {
        let (Some(verdict), Some(store)) = (self.tournament.verdict(), &mut self.store) else {
            return Ok(());
        };
        let end = SprtEnd {
            sprt: verdict.clone(),
        };
        store.append(&end).map_err(|error| lost_file(&error))
    }
}

/// What an engine that failed last wrote to stderr.
fn last_words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Fault { fault, .. } => fault.last_words(),
        _ => String::new(),
    }
}

fn lost_file(error: &io::Error) -> Failure {
    Failure::Output(format!("the result file cannot be written any more: {error}"))
}

#[cfg(test)]
mod tests {
    use lodestone::board::Side;
    use lodestone::game::Setup;

    use super::*;
    use crate::openings::OpeningSource;
    use crate::results::Accepted;
    use crate::results::Header;
    use crate::results::tests::record;

    /// A match of two with a test that a few won pairs decide.
    fn header() -> Header {
        serde_json::from_value(serde_json::json!({
            "header": 1,
            "variant": "magnetic-cave",
            "seed": 1,
            "schedule": {"format": "round-robin", "games": 100, "sprt": "elo0=0 elo1=200"},
            "engines": [{"name": "a", "cmd": "a"}, {"name": "b", "cmd": "b"}],
        }))
        .unwrap()
    }

    /// The books of a match with these openings in which `a` has won the first
    /// games, and the folder of its file.
    fn state(openings: Option<&OpeningSource>, games: u64) -> (MatchState, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.jsonl");
        let mut tournament = Tournament::new(&header()).unwrap();
        let (store, _) = Store::open(&path, &header(), |_| Ok(())).unwrap();
        for id in 1..=games {
            let names = if id % 2 == 1 { ["a", "b"] } else { ["b", "a"] };
            let mut one = record(id, names[0], names[1]);
            one.result = if id % 2 == 1 { "1-0" } else { "0-1" }.parse().unwrap();
            one.moves.push(id.to_string());
            tournament.enter(one).unwrap();
        }
        let variant = tournament.variant();
        let openings = Openings::new(variant, Setup::default(), openings, 1).unwrap();
        let screen = MatchDisplay::stdout(variant, tournament.total(), OutputMode::Summary, None);
        (MatchState::new(tournament, openings, Some(store), screen), folder)
    }

    fn lines(folder: &tempfile::TempDir) -> usize {
        let text = std::fs::read_to_string(folder.path().join("games.jsonl")).unwrap();
        text.lines().count()
    }

    /// Ends the game that a slot was given.
    fn finish(state: &mut MatchState, next: NextGame) {
        let NextGame::Play(game) = next else {
            panic!("there is a game");
        };
        let finished = Finished {
            moves: Vec::new(),
            thoughts: Vec::new(),
            verdict: Verdict::Resigned { loser: Side::First },
        };
        state.finish(&game.0, &game.1, &finished, None).unwrap();
    }

    #[test]
    fn a_game_that_ends_after_its_test_leaves_no_trace() {
        let source = OpeningSource::Random(2);
        let (mut state, folder) = state(Some(&source), 2);
        let (one, other) = (state.next_game(), state.next_game());
        finish(&mut state, one);
        assert_eq!((lines(&folder), state.tournament.played()), (2, 3));
        state.tournament.give_up_test();
        finish(&mut state, other);
        assert_eq!((lines(&folder), state.tournament.played()), (2, 3));
        state.close().unwrap();
        assert_eq!(lines(&folder), 2);
    }

    #[test]
    fn only_a_test_without_openings_is_inconclusive() {
        // The start alone is one opening, for one pair.
        for (played, verdict) in [(0, None), (1, None), (2, Some(Accepted::Inconclusive))] {
            let (mut state, folder) = state(None, played);
            if played == 2 {
                assert!(matches!(state.next_game(), NextGame::Over));
            }
            state.close().unwrap();
            let found = state.tournament.verdict();
            assert_eq!(found.map(|verdict| verdict.accepted), verdict, "{played}");
            assert_eq!(lines(&folder), 1 + usize::from(verdict.is_some()));
        }
        // A signal came before anybody asked for a game.
        let (mut state, folder) = state(None, 2);
        state.close().unwrap();
        assert_eq!((lines(&folder), state.tournament.verdict()), (1, None));
    }
}
