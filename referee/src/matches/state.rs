//! The state of a match, shared by all slots: the next game, the results, the screen.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use referee_core::arbiter::{self, Finished};
use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::game::{FarStarts, MoveSequence, Observer, Ruleset};
use referee_core::results::pgn::{Appender, Notation};
use referee_core::results::{FactFields, Header, Line, Record, SandboxRun, Store};
use referee_core::schedule::ScheduledGame;
use referee_core::schedule::openings::{OpeningError, Openings};
use referee_core::tournament::Tournament;
use referee_core::tournament::tuner::Tuner;

use crate::matches::display::{Event, MatchDisplay, OutputMode, Pace};
use crate::matches::limit::RunLimit;

/// The state of a match in progress.
pub struct MatchState {
    pub(super) tournament: Tournament,
    openings: Openings,
    pub(super) store: Option<Store>,
    /// Receives every game as PGN if there is no result file.
    pub(super) pgn: Option<Appender>,
    /// What the records keep beside times and scores.
    fields: Option<FactFields>,
    /// Where each finished game is reported, for the page of the match.
    pub(super) finished: Option<Sender<()>>,
    pub(super) screen: MatchDisplay,
    /// The values of the options that the games tune.
    tuner: Option<Tuner>,
    /// All games with smaller ids are played or in play.
    next: u64,
    /// Whether a slot plays both games of a pair one after the other, so that their engines are started once.
    pub(super) keeps_pairs: bool,
    /// The second game of the pair that a slot plays.
    second_games: HashMap<usize, u64>,
    /// Such games that are not before `next`.
    taken: HashSet<u64>,
    /// Number of games in play.
    in_play: u64,
    /// Games finished before this run, and when the run began.
    began: (u64, Instant),
    /// The numbers of lines that the contestants wrote out of turn.
    pub unsolicited: BTreeMap<usize, u64>,
    /// How often a game was played again because of the machine.
    pub replayed: u64,
    /// When this run ends before the match.
    pub(super) limit: RunLimit,
    /// The failure that stops the match.
    failure: Option<Failure>,
    is_closed: bool,
    /// Whether the SPRT has played all distinct openings.
    openings_exhausted: bool,
}

/// What a slot does next.
pub enum NextGame {
    Play(Box<(ScheduledGame, MoveSequence)>),
    /// Asks again: a forfeited game was recorded without being played.
    Retry,
    /// Waits until another game ends.
    Wait,
    /// Ends: no more games.
    Over,
}

/// What becomes of a game that a slot could play.
enum Offer {
    /// It is over, or not played here.
    Passed,
    /// It and all later ones wait for results.
    Waits,
    Taken(NextGame),
}

impl MatchState {
    /// The state of a match before its first game.
    pub fn new(
        tournament: Tournament,
        openings: Openings,
        screen: MatchDisplay,
        tuner: Option<Tuner>,
        fields: Option<FactFields>,
    ) -> MatchState {
        MatchState {
            began: (0, Instant::now()),
            unsolicited: BTreeMap::new(),
            replayed: 0,
            limit: RunLimit::default(),
            tournament,
            openings,
            store: None,
            pgn: None,
            fields,
            finished: None,
            screen,
            tuner,
            next: 1,
            keeps_pairs: false,
            second_games: HashMap::new(),
            taken: HashSet::new(),
            in_play: 0,
            failure: None,
            is_closed: false,
            openings_exhausted: false,
        }
    }

    /// What of the openings an engine may not be able to play.
    pub(super) const fn far_starts(&self) -> &FarStarts {
        self.openings.far_starts()
    }

    /// Enters a game or the pairings of a round from the result file.
    pub(super) fn enter(&mut self, line: &Line) -> Result<(), String> {
        let record = match line {
            Line::Record(record) => record,
            Line::Pairings(pairings) => {
                self.tournament.take_pairings(pairings);
                return Ok(());
            }
            _ => return Ok(()),
        };
        if let Some(tuner) = &mut self.tuner
            && !self.tournament.is_over(record.id)
        {
            tuner.add(record.pair, record.winner());
        }
        self.tournament.add(record)
    }

    /// The values of the options that the games tune.
    pub const fn tuner(&self) -> Option<&Tuner> {
        self.tuner.as_ref()
    }

    /// The options of a player in a game that tunes them.
    pub fn options_of(&self, player: usize, scheduled: &ScheduledGame) -> Vec<(String, String)> {
        let options = self.tuner.as_ref().map(|tuner| tuner.options(scheduled.pair));
        let own = options.and_then(|options| options.into_iter().nth(player));
        own.unwrap_or_default()
    }

    /// Marks the engines that do not start as unfit, before the first game.
    pub fn mark_unfit(&mut self, header: &Header) -> Result<(), Failure> {
        self.tournament = Tournament::new(header).map_err(Failure::Usage)?;
        self.screen.count(&self.tournament);
        match &mut self.store {
            Some(store) => store.replace_header(header).map_err(|error| lost_file(&error)),
            None => Ok(()),
        }
    }

    /// Records what restricts the engines in this run.
    pub fn note_run(&mut self, run: &SandboxRun) -> Result<(), Failure> {
        match &mut self.store {
            Some(store) => store
                .append(&Line::Sandbox(run.clone()))
                .map_err(|error| lost_file(&error)),
            None => Ok(()),
        }
    }

    /// The tournament and the screen.
    pub const fn shown(&mut self) -> (&Tournament, &mut MatchDisplay) {
        (&self.tournament, &mut self.screen)
    }

    /// What shows the moves of a game, with `--board` or `--json-moves`.
    pub fn observer(&mut self, scheduled: &ScheduledGame) -> Result<Box<dyn Observer>, Stop> {
        Ok(self
            .screen
            .game(scheduled.id, self.tournament.names_of(scheduled))?)
    }

    /// Pairs the next round of a ladder, if that is due, and writes its pairings.
    fn pair_next(&mut self) -> Result<(), Failure> {
        match (self.tournament.pair_next(), &mut self.store) {
            (Some(pairings), Some(store)) => store
                .append(&Line::Pairings(pairings))
                .map_err(|error| lost_file(&error)),
            _ => Ok(()),
        }
    }

    /// Begins to play, and to show the progress on a terminal.
    pub fn begin(&mut self) -> Result<(), Failure> {
        self.pair_next()?;
        self.began = (self.tournament.played(), Instant::now());
        if let Some(tuner) = &self.tuner {
            self.screen.set_values(tuner.summary());
        }
        self.screen.begin(&self.tournament);
        Ok(())
    }

    /// The rules of all games.
    pub const fn rules(&self) -> Ruleset {
        self.openings.rules()
    }

    /// The next game for this slot.
    pub fn next_game(&mut self, slot: usize) -> NextGame {
        if self.is_closed || self.tournament.is_finished() {
            return NextGame::Over;
        }
        if self
            .limit
            .is_reached(&self.tournament, self.began.0, self.in_play)
        {
            return NextGame::Over;
        }
        match self.find_next(slot) {
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

    fn find_next(&mut self, slot: usize) -> Result<NextGame, Failure> {
        if let Some(&second) = self.second_games.get(&slot) {
            let found = self.offer(second)?;
            if !matches!(found, Offer::Waits) {
                self.second_games.remove(&slot);
            }
            match found {
                Offer::Taken(next) => return Ok(next),
                Offer::Waits => return Ok(NextGame::Over),
                Offer::Passed => {}
            }
        }
        while self.next <= self.tournament.calendar().schedule().total() {
            let id = self.next;
            let found = if self.taken.remove(&id) {
                Offer::Passed
            } else {
                self.offer(id)?
            };
            match found {
                Offer::Passed => self.next += 1,
                Offer::Waits => return Ok(NextGame::Over),
                Offer::Taken(next) => {
                    self.next += 1;
                    self.keep_second(slot, id);
                    return Ok(next);
                }
            }
        }
        Ok(NextGame::Over)
    }

    /// Keeps the second game of a pair for the slot that plays the first one.
    fn keep_second(&mut self, slot: usize, first: u64) {
        let calendar = self.tournament.calendar();
        let pair_of = |id| calendar.get(id).map(|scheduled| scheduled.pair);
        let second = calendar.schedule().next_of_pairing(first);
        let second = second.filter(|&id| {
            self.keeps_pairs
                && pair_of(id) == pair_of(first)
                && !calendar.is_void(id)
                && !self.tournament.is_over(id)
        });
        if let Some(id) = second {
            self.second_games.insert(slot, id);
            self.taken.insert(id);
        }
    }

    /// Whether this game can be played now.
    fn offer(&mut self, id: u64) -> Result<Offer, Failure> {
        let calendar = self.tournament.calendar();
        let is_over = self.tournament.is_over(id);
        if is_over || (calendar.is_void(id) && !calendar.may_be_needed(id)) {
            return Ok(Offer::Passed);
        }
        let Some(scheduled) = calendar.get(id) else {
            // The next round, or a game of a level pairing, waits for results.
            return Ok(Offer::Waits);
        };
        if !self.tournament.shard().has(&scheduled) || !self.limit.has(&scheduled) {
            return Ok(Offer::Passed);
        }
        if self
            .tuner
            .as_ref()
            .is_some_and(|tuner| !tuner.is_ready(scheduled.pair))
        {
            // Its options follow from the results of games in play.
            return Ok(Offer::Waits);
        }
        let failed = |error: OpeningError| error.failure("--openings");
        let tests = self.tournament.is_tested();
        if tests && self.openings.is_repetition(scheduled.opening).map_err(failed)? {
            self.openings_exhausted = true;
            return Ok(Offer::Waits);
        }
        let opening = self.openings.get(scheduled.opening).map_err(failed)?;
        if let Some((loser, after)) = self.tournament.forfeit(&scheduled) {
            let finished = arbiter::give_up(&opening, loser, after);
            let mut record = self.record_of(&scheduled, &finished);
            if self.pgn.is_some() {
                let _ = Notation::default().add(&mut record, self.rules());
            }
            self.record(&record, "")?;
            return Ok(Offer::Taken(NextGame::Retry));
        }
        Ok(Offer::Taken(NextGame::Play(Box::new((scheduled, opening)))))
    }

    /// The record of a finished game.
    pub fn record_of(&self, scheduled: &ScheduledGame, finished: &Finished) -> Record {
        let names = self.tournament.names_of(scheduled);
        Record::new(self.rules(), scheduled, names, finished, self.fields.as_ref())
    }

    /// Ends a game: writes its record first, then shows and counts it. Once an SPRT has
    /// ended the match, the game is dropped. `remark` follows its result.
    pub fn finish(&mut self, record: &Record, remark: &str) -> Result<(), Failure> {
        self.in_play -= 1;
        let time = Duration::try_from_secs_f64(record.ms.iter().sum::<f64>() / 1000.0);
        self.limit.longest = self.limit.longest.max(time.unwrap_or_default());
        if self.tournament.verdict().is_some() {
            return Ok(());
        }
        self.record(record, remark)
    }

    /// Writes, shows and counts a game; `remark` follows its result.
    fn record(&mut self, record: &Record, remark: &str) -> Result<(), Failure> {
        if let Some(store) = &mut self.store {
            store.append_game(record).map_err(|error| lost_file(&error))?;
        }
        if let Some(pgn) = &mut self.pgn {
            pgn.append(record).map_err(|error| {
                Failure::Output(format!("the games cannot be written as PGN any more: {error}"))
            })?;
        }
        if let Some(finished) = &self.finished {
            // The thread of the page has ended only if it failed.
            let _ = finished.send(());
        }
        self.screen.game_over(record, remark)?;
        if let Some(tuner) = &mut self.tuner {
            let is_batch_over = tuner.add(record.pair, record.winner());
            if is_batch_over {
                self.screen.set_values(tuner.summary());
                if self.screen.mode() == OutputMode::Events {
                    MatchDisplay::event(&Event::tuning(tuner))?;
                }
            }
        }
        self.tournament.add(record).map_err(Failure::Usage)?;
        self.pair_next()?;
        self.write_verdict()?;
        let (before, since) = self.began;
        let pace = Pace {
            games: self.tournament.played() - before,
            elapsed: since.elapsed(),
            in_play: self.in_play,
        };
        self.screen.status(&self.tournament, pace).map_err(Failure::from)
    }

    /// Drops an unfinished game.
    pub fn drop_game(&mut self) {
        self.in_play -= 1;
        self.is_closed = true;
    }

    /// Records a failure and starts no more games.
    pub fn fail(&mut self, failure: Failure) {
        self.is_closed = true;
        self.failure.get_or_insert(failure);
    }

    /// Takes the failure that stopped the match.
    pub fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    /// Whether a failure or an SPRT ends the match during running games.
    pub fn is_over_early(&self) -> bool {
        self.is_closed || self.tournament.verdict().is_some()
    }

    /// Ends the match: ends an SPRT without openings, and syncs the result file.
    pub fn close(&mut self) -> Result<(), Failure> {
        self.finished = None;
        // An interrupted match has openings left.
        if self.openings_exhausted && !self.is_closed && !self.tournament.is_finished() {
            self.tournament.end_test_undecided();
            self.write_verdict()?;
        }
        if let Some(pgn) = self.pgn.take() {
            pgn.remove_if_empty();
        }
        self.store
            .as_ref()
            .map_or(Ok(()), Store::sync)
            .map_err(|error| lost_file(&error))
    }

    /// Removes files without games: the match never began.
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
        let end = Line::Sprt(verdict.clone());
        store.append(&end).map_err(|error| lost_file(&error))
    }
}

pub(super) fn lost_file(error: &io::Error) -> Failure {
    let limit = match error.kind() {
        io::ErrorKind::FileTooLarge => "; the limit of the size of a file is reached (`ulimit -f`)",
        _ => "",
    };
    Failure::Output(format!(
        "the result file cannot be written any more: {error}{limit}"
    ))
}

#[cfg(test)]
mod tests {
    use lodestone_game::Setup;
    use lodestone_game::board::Side;

    use super::*;
    use referee_core::game::Game;
    use referee_core::game::clock::TimeControl;
    use referee_core::player::verdict::Verdict;
    use referee_core::results::Accepted;
    use referee_core::results::Header;
    use referee_core::results::tuning::{Gains, Tuning};
    use referee_core::samples::record;
    use referee_core::schedule::openings::OpeningSource;

    /// A match of two players with an SPRT that a few won pairs decide.
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

    /// A match with these openings, of which `a` has won the first games, and the folder of
    /// its file.
    fn state(openings: Option<&OpeningSource>, games: u64) -> (MatchState, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.jsonl");
        let mut tournament = Tournament::new(&header()).unwrap();
        let (store, _) = Store::open(&path, &header(), |_| Ok(())).unwrap();
        for id in 1..=games {
            let names = if id % 2 == 1 { ["a", "b"] } else { ["b", "a"] };
            let mut one = record(id, names[0], names[1]);
            one.result = if id % 2 == 1 { "1-0" } else { "0-1" }.parse().unwrap();
            one.moves.push(id.to_string().into());
            tournament.add(&one).unwrap();
        }
        let ruleset = Ruleset::default();
        let openings = Openings::new(ruleset, Setup::default(), openings, 1).unwrap();
        let screen = MatchDisplay::new(ruleset, tournament.total(), OutputMode::Summary, None);
        let mut state = MatchState::new(tournament, openings, screen, None, None);
        state.store = Some(store);
        (state, folder)
    }

    fn lines(folder: &tempfile::TempDir) -> usize {
        let text = std::fs::read_to_string(folder.path().join("games.jsonl")).unwrap();
        text.lines().count()
    }

    /// Ends a game that a slot plays.
    fn finish(state: &mut MatchState, next: NextGame) {
        let NextGame::Play(game) = next else {
            panic!("no game to play");
        };
        let (scheduled, opening) = *game;
        let finished = Finished {
            game: Game::new(&opening, [TimeControl::Unlimited; 2]),
            verdict: Verdict::Resigned { loser: Side::First },
            started: jiff::Timestamp::UNIX_EPOCH,
            ended: jiff::Timestamp::UNIX_EPOCH,
        };
        let record = state.record_of(&scheduled, &finished);
        state.finish(&record, "").unwrap();
    }

    #[test]
    fn game_that_ends_after_the_sprt_is_dropped() {
        let source = OpeningSource::Random(2);
        let (mut state, folder) = state(Some(&source), 2);
        let (one, other) = (state.next_game(0), state.next_game(1));
        finish(&mut state, one);
        assert_eq!((lines(&folder), state.tournament.played()), (2, 3));
        state.tournament.end_test_undecided();
        finish(&mut state, other);
        assert_eq!((lines(&folder), state.tournament.played()), (2, 3));
        state.close().unwrap();
        assert_eq!(lines(&folder), 2);
    }

    #[test]
    fn a_slot_plays_both_games_of_a_pair_and_each_game_is_played_once() {
        let mut header = header();
        (header.schedule.sprt, header.schedule.games) = (None, 3);
        for name in ["c", "d"] {
            let mut engine = header.engines[0].clone();
            engine.name = name.into();
            header.engines.push(engine);
        }
        let played = |keeps_pairs: bool, known: &[u64]| {
            let mut tournament = Tournament::new(&header).unwrap();
            for &id in known {
                let scheduled = tournament.calendar().get(id).unwrap();
                let [first, second] = scheduled.seats.map(|seat| header.engines[seat].name.clone());
                let mut one = record(id, &first, &second);
                one.pair = scheduled.pair;
                tournament.add(&one).unwrap();
            }
            let openings = Openings::new(Ruleset::default(), Setup::default(), None, 1).unwrap();
            let screen = MatchDisplay::new(Ruleset::default(), 18, OutputMode::Summary, None);
            let mut state = MatchState::new(tournament, openings, screen, None, None);
            state.keeps_pairs = keeps_pairs;
            let mut games = [Vec::new(), Vec::new()];
            'all: loop {
                for (slot, games) in games.iter_mut().enumerate() {
                    let next = state.next_game(slot);
                    let NextGame::Play(game) = &next else { break 'all };
                    games.push(game.0.id);
                    finish(&mut state, next);
                }
            }
            let mut all = [&games.concat(), known].concat();
            all.sort_unstable();
            assert_eq!(all, (1..=18).collect::<Vec<_>>());
            games
        };
        let [one, other] = played(true, &[]);
        assert_eq!(one, [1, 7, 3, 9, 5, 11, 13, 15, 17]);
        assert_eq!(other, [2, 8, 4, 10, 6, 12, 14, 16, 18]);
        // Of what is played already, the rest.
        let [one, other] = played(true, &[7, 2, 3]);
        assert_eq!(one, [1, 5, 11, 8, 9, 14, 16, 18]);
        assert_eq!(other, [4, 10, 6, 12, 13, 15, 17]);
        assert_eq!(played(false, &[])[0], [1, 3, 5, 7, 9, 11, 13, 15, 17]);
    }

    #[test]
    fn a_second_record_of_a_game_moves_no_tuned_value() {
        let (mut state, _folder) = state(None, 0);
        let tuning = Tuning {
            iterations: 5,
            batch: 1,
            gains: Gains::default(),
            parameters: vec!["A=50,0,100,4,0.02".parse().unwrap()],
        };
        state.tuner = Some(Tuner::new(tuning, 1));
        let done = |state: &MatchState| state.tuner().map(Tuner::done);
        let [first, second] = [record(1, "a", "b"), record(2, "b", "a")]
            .map(Box::new)
            .map(Line::Record);
        state.enter(&first).unwrap();
        state.enter(&first).unwrap();
        assert_eq!(done(&state), Some(0), "the pair has one game");
        state.enter(&second).unwrap();
        assert_eq!(done(&state), Some(1));
    }

    #[test]
    fn only_an_sprt_without_openings_is_inconclusive() {
        // The start position alone is one opening, for one pair.
        for (played, verdict) in [(0, None), (1, None), (2, Some(Accepted::Inconclusive))] {
            let (mut state, folder) = state(None, played);
            if played == 2 {
                assert!(matches!(state.next_game(0), NextGame::Over));
            }
            state.close().unwrap();
            let found = state.tournament.verdict();
            assert_eq!(found.map(|verdict| verdict.accepted), verdict, "{played}");
            assert_eq!(lines(&folder), 1 + usize::from(verdict.is_some()));
        }
        // A signal arrived before a slot asked for a game.
        let (mut state, folder) = state(None, 2);
        state.close().unwrap();
        assert_eq!((lines(&folder), state.tournament.verdict()), (1, None));
    }
}
