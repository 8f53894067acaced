//! The state of a match for spectators: standings, the last games and the running ones.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use referee::{GameView, ReadEvent};
use referee_core::io::stderr::OWN_ERROR;
use referee_core::player::verdict::FaultKind;
use referee_core::results::{Header, Line, Record, archive};
use referee_core::tournament::Tournament;
use serde_json::{Value, json};

use super::form::Phase;
use crate::live::NamedGame;

/// The number of finished games that are shown.
const LAST: usize = 20;

/// The number of warnings that are shown.
const WARNINGS: usize = 20;

/// The most running games that are shown.
const SHOWN: usize = 16;

#[derive(Debug)]
pub struct JobState {
    /// Its name, with the ending of its file.
    pub name: String,
    /// `match`, `ladder` or `analysis`.
    pub kind: &'static str,
    /// Whether it runs.
    pub phase: Phase,
    /// Why it does not, or what the user should know.
    pub why: Option<String>,
    /// The command as a user would type it.
    pub command: String,
    /// The number of finished games.
    pub played: u64,
    /// The number of games, if known.
    pub games: u64,
    /// Whether the games of the file are in the standings.
    pub is_loaded: bool,
    seconds_left: Option<u64>,
    games_so_far: Games,
    running: BTreeMap<u64, NamedGame>,
    warnings: VecDeque<String>,
}

/// The finished games of a match.
#[derive(Debug, Default)]
pub struct Games {
    /// `None` before the header is known.
    tournament: Option<Tournament>,
    last: VecDeque<Value>,
}

impl JobState {
    /// The state of a job without games.
    pub fn new(name: String, kind: &'static str, phase: Phase, games: u64) -> JobState {
        JobState {
            name,
            kind,
            phase,
            why: None,
            command: String::new(),
            played: 0,
            games,
            is_loaded: false,
            seconds_left: None,
            games_so_far: Games::default(),
            running: BTreeMap::new(),
            warnings: VecDeque::new(),
        }
    }

    /// Begins again: what a command tells anew is dropped.
    pub fn restart(&mut self, command: String) {
        self.phase = Phase::Running;
        self.why = None;
        self.command = command;
        self.warnings.clear();
    }

    /// Ends the run.
    pub fn end(&mut self, phase: Phase, why: Option<String>) {
        self.phase = phase;
        self.why = why;
        self.seconds_left = None;
        self.running.clear();
    }

    /// The number of players, if known.
    pub fn players(&self) -> usize {
        let tournament = self.games_so_far.tournament.as_ref();
        tournament.map_or(0, |tournament| tournament.standings.names.len())
    }

    pub fn take_games(&mut self, games: Games) {
        self.played = games.tournament.as_ref().map_or(0, Tournament::played);
        self.games_so_far = games;
        self.is_loaded = true;
    }

    /// Applies a line of the command's output.
    pub fn apply(&mut self, line: &[u8]) {
        // What is not understood is not shown; the result file has all games.
        match serde_json::from_slice(line) {
            Ok(ReadEvent::Start {
                header,
                games,
                played,
            }) => {
                self.games_so_far.begin(&header);
                self.set_games(games);
                self.played = played;
            }
            Ok(ReadEvent::Begin {
                id, players, game, ..
            }) => {
                let mut game = NamedGame {
                    id,
                    players,
                    view: game,
                };
                drop_boards(&mut game.view);
                self.running.insert(id, game);
            }
            Ok(ReadEvent::Move { id, last, .. }) => {
                if let Some(game) = self.running.get_mut(&id) {
                    game.view.push(last);
                    drop_boards(&mut game.view);
                }
            }
            Ok(ReadEvent::Game(record)) => {
                self.running.remove(&record.id);
                self.played += u64::from(self.games_so_far.add(&record));
            }
            Ok(ReadEvent::Status {
                games,
                played,
                seconds_left,
                ..
            }) => {
                self.set_games(games);
                self.played = played;
                self.seconds_left = seconds_left;
            }
            Ok(_) => {}
            Err(_) => self.apply_analysis(line),
        }
    }

    /// Keeps a line of the command's error output.
    pub fn warn(&mut self, line: String) {
        if self.warnings.len() == WARNINGS {
            self.warnings.pop_front();
        }
        self.warnings.push_back(line);
    }

    /// Takes the last message of the error output: why the command ended.
    pub fn take_failure(&mut self) -> Option<String> {
        let begin = self.warnings.iter().rposition(|line| line.starts_with(OWN_ERROR));
        let lines = match begin {
            Some(begin) => self.warnings.split_off(begin),
            None => self.warnings.clone(),
        };
        let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
        let text = lines.join(" ");
        let text = text.strip_prefix(OWN_ERROR).unwrap_or(&text);
        (!text.is_empty()).then(|| text.to_string())
    }

    /// The text for spectators.
    pub fn text(&self) -> String {
        let standings = match &self.games_so_far.tournament {
            Some(tournament) if self.kind != "analysis" => tournament.table(),
            _ => Vec::new(),
        };
        let running: Vec<&NamedGame> = self.running.values().take(SHOWN).collect();
        let view = json!({
            "kind": "match", "job": self.kind, "name": self.name, "state": self.phase, "why": self.why,
            "played": self.played, "games": self.games, "secondsLeft": self.seconds_left, "command": self.command,
            "standings": standings, "analysis": self.games_so_far.analysis(), "last": self.games_so_far.last, "running": running, "warnings": self.warnings,
        });
        view.to_string()
    }

    /// A ladder has no number of games: it can always go on.
    fn set_games(&mut self, games: u64) {
        if self.kind != "ladder" {
            self.games = games;
        }
    }

    /// `referee analyze` prints one line for each game, those of the file included, and one about all.
    fn apply_analysis(&mut self, line: &[u8]) {
        let line: Value = serde_json::from_slice(line).unwrap_or_default();
        let is_known = |game: &Value| game.as_u64().is_some_and(|game| self.games_so_far.has(game));
        if line.get("analysis").is_some() && line.get("game").is_some_and(|game| !is_known(game)) {
            self.played += 1;
        }
    }
}

impl Games {
    /// The games of a file; none if it cannot be read.
    pub fn of_file(path: &Path) -> Games {
        let mut games = Games::default();
        for one in archive::read(&[path.to_path_buf()]).unwrap_or_default() {
            games.begin(&one.header);
            // The games before a damaged line count.
            let _ = one.lines(&mut |line, _| {
                match (line, &mut games.tournament) {
                    (Line::Record(record), _) => drop(games.add(&record)),
                    (Line::Pairings(pairings), Some(tournament)) => tournament.take_pairings(&pairings),
                    _ => {}
                }
                Ok(())
            });
        }
        games
    }

    /// A run begins with this header: the first one, or one that goes on with more players.
    fn begin(&mut self, header: &Header) {
        let goes_on = |tournament: &mut Tournament| tournament.go_on(header).is_ok();
        if !self.tournament.as_mut().is_some_and(goes_on) {
            self.tournament = Tournament::new(header).ok();
        }
    }

    /// The counts over the analysed moves of each player.
    fn analysis(&self) -> Vec<Value> {
        let Some(tournament) = &self.tournament else {
            return Vec::new();
        };
        let players = tournament.standings.names.iter().enumerate();
        let row = |(number, name): (usize, &String)| {
            let mut row = json!(tournament.analyses.of_player(number)?);
            row["name"] = name.as_str().into();
            Some(row)
        };
        players.filter_map(row).collect()
    }

    fn has(&self, id: u64) -> bool {
        self.tournament
            .as_ref()
            .is_some_and(|tournament| tournament.is_over(id))
    }

    /// Adds a game; `false` if it has been added before, or is not of the match.
    fn add(&mut self, record: &Record) -> bool {
        if self.has(record.id) {
            return false;
        }
        let last = json!({
            "id": record.id, "first": record.first, "second": record.second, "result": record.result.to_string(),
            "reason": record.reason, "isFault": FaultKind::from_word(record.reason.raw()).is_some(),
            "detail": record.detail,
        });
        let Some(Ok(())) = self.tournament.as_mut().map(|tournament| tournament.add(record)) else {
            return false;
        };
        if self.last.len() == LAST {
            self.last.pop_front();
        }
        self.last.push_back(last);
        true
    }
}

/// Keeps only the last board of those that the rules draw as text, which would be most of what is sent.
fn drop_boards(view: &mut GameView) {
    let texts = view.grids.iter_mut().rev().skip(1);
    texts
        .filter(|board| board.is_object())
        .for_each(|board| *board = Value::Null);
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn state() -> JobState {
        JobState::new("games.jsonl".into(), "match", Phase::Running, 0)
    }

    /// A match of players a and b.
    fn header() -> Value {
        let engine = |name| json!({"name": name, "cmd": name, "st": "3", "timemargin": 0});
        json!({"header": 1, "variant": "gridlock", "seed": 1, "schedule": {"format": "round-robin", "games": 100},
            "engines": [engine("a"), engine("b")]})
    }

    fn start(games: u64, played: u64) -> String {
        json!({"event": "start", "header": header(), "games": games, "played": played}).to_string()
    }

    /// A game; a is the first player of those with odd numbers.
    fn game(id: u64, result: &str, reason: &str) -> String {
        let [first, second] = if id % 2 == 1 { ["a", "b"] } else { ["b", "a"] };
        let record = json!({"event": "game", "id": id, "variant": "gridlock", "round": 1, "pair": id.div_ceil(2),
            "first": first, "second": second, "start": "startpos", "moves": ["a8"], "opening_plies": 0, "ms": [1],
            "score": [null], "result": result, "reason": reason, "detail": "why"});
        record.to_string()
    }

    fn seen(state: &JobState) -> Value {
        serde_json::from_str(&state.text()).unwrap()
    }

    #[test]
    fn events_make_standings_and_running_games() {
        let mut state = state();
        let mut apply = |line: &str| state.apply(line.as_bytes());
        apply(&start(6, 0));
        apply(
            r#"{"event":"begin","id":1,"players":["a","b"],"clocks":[null,null],"moves":["a8"],"ms":[],"opening":1,"scores":[],"start":"x","turns":"12","grids":["columns a","0 x"],"highlights":[],"note":""}"#,
        );
        apply(
            r#"{"event":"move","id":1,"board":null,"clocks":[5,null],"move":"h8","ms":3,"score":"cp 12","turn":"1","grid":"1 o","highlights":[1],"note":"n"}"#,
        );
        apply(r#"{"event":"move","id":9,"clocks":[5,null],"move":"h8","ms":3,"score":null,"turn":"1"}"#);
        apply("not JSON");
        apply(&game(2, "1-0", "crash"));
        apply(&game(3, "1/2-1/2", "full"));
        apply(&game(3, "1/2-1/2", "full"));
        apply(r#"{"event":"status","games":6,"played":2,"seconds_left":7,"points":[0.5,1.5,0],"llr":null}"#);
        let shown = seen(&state);
        let names: Vec<_> = shown["standings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["name"].clone())
            .collect();
        assert_eq!(names, ["b", "a"]);
        assert_eq!(shown["standings"][0]["place"], "1");
        let loser = json!({"place": "2", "name": "a", "points": 0.5, "played": 2, "won": 0, "drawn": 1, "lost": 1, "faults": 1});
        assert_eq!(shown["standings"][1], loser);
        assert_eq!(
            (&shown["played"], &shown["games"], &shown["secondsLeft"]),
            (&json!(2), &json!(6), &json!(7))
        );
        let running = json!({"id": 1, "players": ["a", "b"], "start": "x", "moves": ["a8", "h8"], "opening": 1, "turns": "121",
            "ms": [3], "scores": ["cp 12"], "clocks": [5, null], "grids": ["columns a", "0 x", "1 o"],
            "highlights": [1], "note": "n"});
        assert_eq!(shown["running"], json!([running]));
        assert_eq!(shown["last"].as_array().unwrap().len(), 2);
        state.apply(game(1, "1-0", "blocked").as_bytes());
        assert_eq!(seen(&state)["running"], json!([]));
    }

    #[test]
    fn a_resumed_match_keeps_its_games() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("games.jsonl");
        let lines = [
            &header().to_string(),
            &game(1, "1-0", "blocked"),
            &game(2, "0-1", "time"),
        ];
        fs::write(
            &path,
            lines.map(String::as_str).join("\n") + "\n{\"id\":3,\"first\":\"a\",\"sec",
        )
        .unwrap();
        let mut state = state();
        state.take_games(Games::of_file(&path));
        state.warn("referee: error: of the run before".into());
        state.restart("referee match".into());
        assert_eq!(
            (seen(&state)["warnings"].clone(), state.take_failure()),
            (json!([]), None)
        );
        state.apply(start(4, 2).as_bytes());
        state.apply(game(2, "0-1", "time").as_bytes());
        state.apply(game(3, "0-1", "illegal").as_bytes());
        let shown = seen(&state);
        let points = |place: usize| {
            (
                shown["standings"][place]["points"].clone(),
                shown["standings"][place]["faults"].clone(),
            )
        };
        assert_eq!(points(0), (json!(2.0), json!(1)));
        assert_eq!(points(1), (json!(1.0), json!(1)));
        assert_eq!(shown["played"], 3);
        // A second look at the file counts nothing twice.
        state.take_games(Games::of_file(&path));
        assert_eq!(seen(&state)["played"], 2);
    }

    #[test]
    fn players_with_equal_results_share_a_place() {
        let mut state = state();
        state.apply(start(2, 0).as_bytes());
        state.apply(game(1, "1/2-1/2", "full").as_bytes());
        let shown = seen(&state);
        let places = [0, 1].map(|at| shown["standings"][at]["place"].clone());
        assert_eq!(places, ["1=", "1="]);
    }

    #[test]
    fn a_running_game_has_its_last_board() {
        let mut state = state();
        state.apply(
            br#"{"event":"begin","id":1,"players":["a","b"],"clocks":[null,null],"moves":["a8"],"ms":[],"opening":1,"scores":[],"start":"x","turns":"12","grids":[{"text":"1"},{"text":"2"}],"highlights":[],"note":""}"#,
        );
        state.apply(br#"{"event":"move","id":1,"board":{"text":"3"},"clocks":[5,null],"move":"h8","ms":3,"score":null,"turn":"1","grid":{"text":"3"},"highlights":[],"note":""}"#);
        assert_eq!(
            seen(&state)["running"][0]["grids"],
            json!([null, null, {"text": "3"}])
        );
    }

    #[test]
    fn an_analysis_counts_games_of_the_file_once() {
        let mut state = JobState::new("a.jsonl".into(), "analysis", Phase::Running, 2);
        state.apply(start(2, 0).as_bytes());
        let mut record: Value = serde_json::from_str(&game(1, "1-0", "blocked")).unwrap();
        record["analysis"] = json!({"engine": header()["engines"][0], "best": ["a8"], "before": ["cp 5"],
            "after": ["cp 5"], "depth": [7], "pv": ["a8"]});
        state.apply(record.to_string().as_bytes());
        state.apply(br#"{"game":1,"first":"a","analysis":{}}"#);
        state.apply(br#"{"game":2,"first":"a","analysis":{}}"#);
        state.apply(br#"{"game":null,"first":"a","analysis":{}}"#);
        state.apply(br#"{"players":[]}"#);
        let shown = seen(&state);
        assert_eq!(shown["played"], 3);
        let names = [0, 1].map(|player| shown["analysis"][player]["name"].clone());
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn only_the_last_games_and_warnings_are_kept() {
        let mut state = state();
        state.apply(start(100, 0).as_bytes());
        for id in 1..=100 {
            state.apply(game(id, "1-0", "five").as_bytes());
            state.warn(format!("warning {id}"));
        }
        let shown = seen(&state);
        let last = shown["last"].as_array().unwrap();
        assert_eq!((last.len(), &last[LAST - 1]["id"]), (LAST, &json!(100)));
        assert_eq!(shown["warnings"].as_array().unwrap().len(), WARNINGS);
        state.warn("referee: two lines".into());
        state.warn("  of text".into());
        assert_eq!(state.take_failure().as_deref(), Some("two lines of text"));
        assert_eq!(seen(&state)["warnings"].as_array().unwrap().len(), WARNINGS - 2);
    }
}
