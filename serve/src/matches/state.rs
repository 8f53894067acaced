//! The state of a match for spectators: standings, the last games and the running ones.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::Path;

use serde::Serialize;

use super::events::{AnalysedGame, EventKind, LastGame, LiveGame, MoveEvent, StartEvent, StatusEvent};
use super::form::Phase;
use super::standings::{Standing, Standings};

use crate::records::{self, GameEntry, Head};

/// The number of finished games that are shown.
const LAST: usize = 20;

/// The number of warnings that are shown.
const WARNINGS: usize = 20;

/// The most running games that are shown.
const SHOWN: usize = 16;

/// The state of a job.
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
    standings: Standings,
    seen: HashSet<u64>,
    last: VecDeque<LastGame>,
    running: BTreeMap<u64, LiveGame>,
    warnings: VecDeque<String>,
}

/// What spectators get.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct View<'a> {
    kind: &'static str,
    job: &'static str,
    name: &'a str,
    state: Phase,
    why: Option<&'a str>,
    played: u64,
    games: u64,
    seconds_left: Option<u64>,
    command: &'a str,
    standings: Vec<&'a Standing>,
    last: &'a VecDeque<LastGame>,
    running: Vec<&'a LiveGame>,
    warnings: &'a VecDeque<String>,
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
            standings: Standings::default(),
            seen: HashSet::new(),
            last: VecDeque::new(),
            running: BTreeMap::new(),
            warnings: VecDeque::new(),
        }
    }

    /// Begins again: what a command tells anew is dropped.
    pub fn restart(&mut self, command: String) {
        self.phase = Phase::Running;
        self.why = None;
        self.command = command;
        self.seconds_left = None;
        self.running.clear();
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
        self.standings.players()
    }

    /// Takes the games of the result file.
    pub fn load(&mut self, path: &Path) {
        self.standings = Standings::default();
        self.seen.clear();
        self.last.clear();
        self.played = 0;
        self.is_loaded = true;
        if let Some(head) = records::head(path) {
            self.add_players(&head);
        }
        // Without a file there are no games.
        let _ = records::each(path, |entry| self.add(entry));
    }

    /// The same job without games.
    #[must_use]
    pub fn without_games(&self) -> JobState {
        JobState::new(String::new(), self.kind, self.phase, 0)
    }

    /// Takes the games of another state of the job.
    pub fn take_games(&mut self, other: JobState) {
        self.standings = other.standings;
        self.seen = other.seen;
        self.last = other.last;
        self.played = other.played;
        self.is_loaded = true;
    }

    /// Applies a line of the command's output.
    pub fn apply(&mut self, line: &[u8]) {
        let Ok(EventKind { event }) = serde_json::from_slice(line) else {
            self.apply_analysis(line);
            return;
        };
        // What is not understood is not shown; the result file has all games.
        match &*event {
            "start" => self.apply_start(line),
            "begin" => {
                if let Ok(mut game) = serde_json::from_slice::<LiveGame>(line) {
                    game.drop_boards();
                    self.running.insert(game.id, game);
                }
            }
            "move" => {
                if let Ok(played) = serde_json::from_slice::<MoveEvent>(line)
                    && let Some(game) = self.running.get_mut(&played.id)
                {
                    game.push(played.last);
                }
            }
            "game" => {
                if let Some(entry) = records::entry(line) {
                    self.running.remove(&entry.id);
                    self.add(&entry);
                }
            }
            "status" => {
                if let Ok(status) = serde_json::from_slice::<StatusEvent>(line) {
                    self.set_games(status.games);
                    self.played = status.played;
                    self.seconds_left = status.seconds_left;
                }
            }
            _ => {}
        }
    }

    /// Keeps a line of the command's error output.
    pub fn warn(&mut self, line: String) {
        if self.warnings.len() == WARNINGS {
            self.warnings.pop_front();
        }
        self.warnings.push_back(line);
    }

    /// Why the command failed: the last message of its error output.
    pub fn failure(&self) -> Option<String> {
        const BEGIN: &str = "referee: ";
        let begin = self
            .warnings
            .iter()
            .rposition(|line| line.starts_with(BEGIN))
            .unwrap_or_default();
        let lines: Vec<&str> = self.warnings.iter().skip(begin).map(|line| line.trim()).collect();
        let text = lines.join(" ");
        let text = text.strip_prefix(BEGIN).unwrap_or(&text);
        (!text.is_empty()).then(|| text.to_string())
    }

    /// The text for spectators.
    pub fn text(&self) -> String {
        let view = View {
            kind: "match",
            job: self.kind,
            name: &self.name,
            state: self.phase,
            why: self.why.as_deref(),
            played: self.played,
            games: self.games,
            seconds_left: self.seconds_left,
            command: &self.command,
            standings: self.standings.sorted(self.kind == "ladder"),
            last: &self.last,
            running: self.running.values().take(SHOWN).collect(),
            warnings: &self.warnings,
        };
        serde_json::to_string(&view).unwrap_or_default()
    }

    fn apply_start(&mut self, line: &[u8]) {
        if let Ok(start) = serde_json::from_slice::<StartEvent>(line) {
            self.add_players(&start.header);
            self.set_games(start.games);
            self.played = start.played;
        }
    }

    /// A ladder has no number of games: it can always go on.
    fn set_games(&mut self, games: u64) {
        if self.kind != "ladder" {
            self.games = games;
        }
    }

    /// `referee analyze` prints one line for each game, those of the file included, and one about all.
    fn apply_analysis(&mut self, line: &[u8]) {
        if let Ok(AnalysedGame { game, .. }) = serde_json::from_slice(line)
            && game.is_none_or(|game| self.seen.insert(game))
        {
            self.played += 1;
        }
    }

    fn add_players(&mut self, head: &Head) {
        for player in &head.engines {
            self.standings.player(&player.name);
        }
    }

    /// Counts a finished game, once.
    fn add(&mut self, entry: &GameEntry<'_>) {
        if !self.seen.insert(entry.id) {
            return;
        }
        self.played += 1;
        if self.kind != "analysis" {
            self.standings.add(entry);
        }
        if self.last.len() == LAST {
            self.last.pop_front();
        }
        self.last.push_back(LastGame::new(entry));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};

    use super::*;

    fn state() -> JobState {
        JobState::new("games.jsonl".into(), "match", Phase::Running, 0)
    }

    fn game(id: u64, result: &str, reason: &str) -> String {
        let record = json!({"event": "game", "id": id, "first": "a", "second": "b", "moves": ["a8"], "result": result,
            "reason": reason, "detail": "why"});
        record.to_string()
    }

    fn seen(state: &JobState) -> Value {
        serde_json::from_str(&state.text()).unwrap()
    }

    #[test]
    fn events_make_standings_and_running_games() {
        let mut state = state();
        let mut apply = |line: &str| state.apply(line.as_bytes());
        apply(
            r#"{"event":"start","header":{"engines":[{"name":"a"},{"name":"b"},{"name":"c"}]},"games":6,"played":0}"#,
        );
        apply(
            r#"{"event":"begin","id":1,"players":["a","b"],"clocks":[null,null],"moves":["a8"],"ms":[],"opening":1,"scores":[],"start":"x","turns":"12"}"#,
        );
        apply(
            r#"{"event":"move","id":1,"board":null,"clocks":[5,null],"move":"h8","ms":3,"score":"cp 12","turn":"1"}"#,
        );
        apply(r#"{"event":"move","id":9,"clocks":[5,null],"move":"h8","ms":3,"score":null,"turn":"1"}"#);
        apply("not JSON");
        apply(&game(2, "0-1", "crash"));
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
        assert_eq!(names, ["b", "a", "c"]);
        let loser =
            json!({"name": "a", "points": 0.5, "played": 2, "won": 0, "drawn": 1, "lost": 1, "faults": 1});
        assert_eq!(shown["standings"][1], loser);
        assert_eq!(
            (&shown["played"], &shown["games"], &shown["secondsLeft"]),
            (&json!(2), &json!(6), &json!(7))
        );
        let running = json!({"id": 1, "players": ["a", "b"], "start": "x", "moves": ["a8", "h8"], "opening": 1, "turns": "121",
            "ms": [3], "scores": ["cp 12"], "clocks": [5, null]});
        assert_eq!(shown["running"], json!([running]));
        assert_eq!(shown["last"].as_array().unwrap().len(), 2);
        state.apply(game(1, "1-0", "five").as_bytes());
        assert_eq!(seen(&state)["running"], json!([]));
    }

    #[test]
    fn a_resumed_match_keeps_its_games() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("games.jsonl");
        let lines = [
            r#"{"header":1,"engines":[{"name":"a"},{"name":"b"}]}"#,
            &game(1, "1-0", "five"),
            &game(2, "1-0", "time"),
        ];
        fs::write(&path, lines.join("\n") + "\n{\"id\":3,\"first\":\"a\",\"sec").unwrap();
        let mut state = state();
        state.load(&path);
        state.restart("referee match".into());
        state.apply(
            br#"{"event":"start","header":{"engines":[{"name":"a"},{"name":"b"}]},"games":4,"played":2}"#,
        );
        state.apply(game(2, "1-0", "time").as_bytes());
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
        state.load(&path);
        assert_eq!(seen(&state)["played"], 2);
    }

    #[test]
    fn a_running_game_has_its_last_boards() {
        let mut state = state();
        state.apply(
            br#"{"event":"begin","id":1,"players":["a","b"],"clocks":[null,null],"moves":["a8"],"ms":[],"opening":1,"scores":[],"start":"x","turns":"12","boards":[{"text":"1"},{"text":"2"}]}"#,
        );
        state.apply(br#"{"event":"move","id":1,"board":{"text":"3"},"clocks":[5,null],"move":"h8","ms":3,"score":null,"turn":"1"}"#);
        assert_eq!(
            seen(&state)["running"][0]["boards"],
            json!([null, {"text": "2"}, {"text": "3"}])
        );
    }

    #[test]
    fn an_analysis_counts_games_of_the_file_once() {
        let mut state = JobState::new("a.jsonl".into(), "analysis", Phase::Running, 2);
        state.apply(br#"{"game":1,"first":"a","analysis":{}}"#);
        state.apply(br#"{"game":1,"first":"a","analysis":{}}"#);
        state.apply(br#"{"game":null,"first":"a","analysis":{}}"#);
        state.apply(br#"{"players":[]}"#);
        assert_eq!(seen(&state)["played"], 2);
    }

    #[test]
    fn only_the_last_games_and_warnings_are_kept() {
        let mut state = state();
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
        assert_eq!(state.failure().as_deref(), Some("two lines of text"));
    }
}
