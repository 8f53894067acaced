//! The protocol of `XBoard`, version 2, and engines of version 1.

use std::time::{Duration, Instant};

use lodestone_game::board::Side;
use lodestone_game::protocol::{Info, Limits, OptionKind, OptionSpec, Reply, Start, option_names};

use super::cells::{Cells, Shape, unsayable};
use super::link::{Link, refused};
use super::scores;
use super::wording::{self, Wording, mover_time};
use super::{BridgeAnswer, BridgeEnd, EngineProtocol, Place};

/// How long an engine of version 1, which says nothing, is waited for.
const OLD_ENGINE_WAIT: Duration = Duration::from_secs(2);

/// How long an engine that reads late is given for a line. GNU Chess waits for input, then reads one line of all that
/// have come, so each line has to come alone.
const PACE: Duration = Duration::from_millis(5);

/// How long an engine without pings says nothing when it has answered everything.
const QUIET: Duration = Duration::from_millis(100);

/// The most lines that wake an engine which says nothing.
const MAX_NUDGES: u32 = 50;

/// The options of UCI for `memory` and `cores`.
const HASH: &str = "Hash";
const THREADS: &str = "Threads";

/// The game that the referee calls `chess`.
const NORMAL: &str = "normal";
const CHESS: &str = "chess";

/// The begin of a line of features.
const FEATURE: &str = "feature ";

/// The most lines of features that are kept.
const MAX_LATE_FEATURES: usize = 100;

/// A pass.
const NULL_MOVE: &str = "@@@@";

#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // what has happened so far, in any order
pub(super) struct Xboard {
    features: Features,
    variant: Option<String>,
    /// Lines of the user before each game.
    init: Vec<String>,
    depth: Option<String>,
    /// The time settings that the engine knows.
    settings: Vec<String>,
    /// Whether it only takes moves, and makes none.
    is_forced: bool,
    /// Whether it reads a line only when another one comes.
    is_late_reader: bool,
    last_move: LastMove,
    /// Whether it has announced features. One that starts slowly does so in its first game.
    has_features: bool,
    /// Lines of features that came while nothing was asked.
    late_features: Vec<String>,
    /// Whether it has given up while nothing was asked.
    has_resigned: bool,
    pings: u32,
}

/// An engine's last move, and the word that began its line.
#[derive(Debug, Default)]
struct LastMove {
    word: String,
    form: String,
}

impl LastMove {
    /// Whether the line with this move is another one. Some engines write a move in the words of both versions; in the
    /// same words, it is the same move at another time.
    fn is_followed_by(&mut self, line: &str, word: &str) -> bool {
        let form = line.split_whitespace().next().unwrap_or_default();
        let form = form.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
        if self.word == word && self.form != form {
            return false;
        }
        (self.word, self.form) = (word.to_string(), form.to_string());
        true
    }
}

/// What the engine announces, or the defaults of the protocol.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a feature of the protocol")]
struct Features {
    name: Option<String>,
    usermove: bool,
    ping: bool,
    setboard: bool,
    time: bool,
    memory: bool,
    smp: bool,
    variants: Vec<String>,
    options: Vec<OptionSpec>,
}

impl Default for Xboard {
    fn default() -> Xboard {
        Xboard {
            features: Features {
                name: None,
                usermove: false,
                ping: false,
                setboard: false,
                time: true,
                memory: false,
                smp: false,
                variants: Vec::new(),
                options: Vec::new(),
            },
            variant: None,
            init: Vec::new(),
            depth: None,
            settings: Vec::new(),
            is_forced: false,
            is_late_reader: false,
            last_move: LastMove::default(),
            has_features: false,
            late_features: Vec::new(),
            has_resigned: false,
            pings: 0,
        }
    }
}

/// The `NAME=VALUE` of a line `feature …`; values may be in double quotes.
fn pairs(line: &str) -> Vec<(String, String)> {
    let mut rest = line;
    let mut pairs = Vec::new();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, end) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        pairs.push((name.trim().to_string(), value.to_string()));
        rest = end.trim_start();
    }
    pairs
}

/// An option of a `feature option="NAME -KIND VALUES"`.
fn option(text: &str) -> Option<OptionSpec> {
    let (name, kind) = text.split_once(" -")?;
    let (kind, values) = kind.split_once(' ').unwrap_or((kind, ""));
    let values = values.trim();
    let kind = match kind {
        "check" => OptionKind::Check {
            default: values == "1",
        },
        "spin" | "slider" => {
            let mut numbers = values.split_whitespace().map(String::from);
            let mut next = || numbers.next().unwrap_or_default();
            OptionKind::Spin {
                default: next(),
                min: next(),
                max: next(),
            }
        }
        "combo" => {
            let words: Vec<&str> = values.split(" /// ").map(str::trim).collect();
            let default = words.iter().find(|word| word.starts_with('*'));
            let plain = |word: &&str| word.trim_start_matches('*').to_string();
            OptionKind::Combo {
                default: default.or(words.first()).map(plain).unwrap_or_default(),
                choices: words.iter().map(plain).collect(),
            }
        }
        "string" | "file" | "path" => OptionKind::String {
            default: values.to_string(),
        },
        "button" | "save" | "reset" => OptionKind::Button,
        _ => return None,
    };
    Some(OptionSpec {
        name: name.to_string(),
        kind,
    })
}

impl Xboard {
    /// Sends a line.
    fn tell(&self, line: &str, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        // The answer to the line before is not awaited here: only the last one makes it think.
        if self.is_late_reader {
            let until = Instant::now() + PACE;
            while wire
                .receive_for(until.saturating_duration_since(Instant::now()))?
                .is_some()
            {}
        }
        wire.send(line);
        Ok(())
    }

    /// Takes a line of features. Returns whether they are complete, if it says so.
    fn take_features(&mut self, line: &str, wire: &mut Link<'_>) -> Option<bool> {
        let mut is_done = None;
        let features = &mut self.features;
        for (name, value) in pairs(line) {
            let is_on = value == "1";
            match name.as_str() {
                "done" => is_done = Some(is_on),
                "myname" => features.name = Some(value),
                "usermove" => features.usermove = is_on,
                "ping" => features.ping = is_on,
                "setboard" => features.setboard = is_on,
                "time" => features.time = is_on,
                "memory" => features.memory = is_on,
                "smp" => features.smp = is_on,
                "variants" => {
                    features.variants = value.split(',').map(|name| name.trim().to_string()).collect();
                }
                "option" => features.options.extend(option(&value)),
                "san" if is_on => {
                    wire.send("rejected san");
                    continue;
                }
                _ => {}
            }
            wire.send(&format!("accepted {name}"));
        }
        is_done
    }

    /// Sends a move of the rules.
    fn send_move(&self, mv: &str, cells: &Cells, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let text = match cells.to_engine(mv) {
            (text, Shape::Other) => {
                return Err(unsayable(
                    mv,
                    &text,
                    wording::XBOARD.protocol,
                    "a move such as `e2e4`",
                ));
            }
            (_, Shape::Pass) => NULL_MOVE.to_string(),
            (text, _) => text,
        };
        let text = if self.features.usermove {
            format!("usermove {text}")
        } else {
            text
        };
        self.tell(&text, wire)
    }

    /// Sends a ping. Returns the answer.
    fn ping(&mut self, wire: &mut Link<'_>) -> String {
        self.pings += 1;
        wire.send(&format!("ping {}", self.pings));
        format!("pong {}", self.pings)
    }

    /// Waits until the engine has done everything so far.
    fn settle(&mut self, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        if !self.features.ping {
            return Ok(());
        }
        let pong = self.ping(wire);
        loop {
            let line = wire.receive()?;
            if line == pong {
                return Ok(());
            }
            if let Some(end) = refusal(&line, wire) {
                return Err(end);
            }
        }
    }

    /// Waits for the features, if there are any.
    fn await_features(&mut self, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let mut until = Instant::now() + OLD_ENGINE_WAIT;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match wire.receive_for(left)? {
                // From now on the engine says when they are complete.
                Some(line) if line.starts_with(FEATURE) => {
                    return self.complete_features(vec![line], wire);
                }
                Some(_) => {}
                // A line that does no harm wakes an engine that reads late.
                None if !self.is_late_reader => {
                    self.is_late_reader = true;
                    until += OLD_ENGINE_WAIT / 4;
                    wire.send("force");
                }
                None => {
                    self.is_late_reader = false;
                    return Ok(());
                }
            }
        }
    }

    /// Takes the first lines of features, and waits for the others.
    fn complete_features(&mut self, first: Vec<String>, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        self.has_features = true;
        let mut first = first.into_iter();
        loop {
            let line = match first.next() {
                Some(line) => line,
                None => wire.receive()?,
            };
            if let Some(features) = line.strip_prefix(FEATURE)
                && self.take_features(features, wire) == Some(true)
            {
                return Ok(());
            }
        }
    }

    /// Takes the features that came while nothing was asked. Returns whether there are any.
    fn take_late_features(&mut self, wire: &mut Link<'_>) -> Result<bool, BridgeEnd> {
        let late = std::mem::take(&mut self.late_features);
        let is_late = !late.is_empty();
        if is_late {
            self.complete_features(late, wire)?;
        }
        Ok(is_late)
    }

    /// Ends what the engine does, and skips its answers so far.
    fn forget_answers(&mut self, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        wire.send("force");
        if self.features.ping {
            let pong = self.ping(wire);
            while wire.receive()? != pong {}
        } else {
            while wire.receive_for(QUIET)?.is_some() {}
        }
        Ok(())
    }

    /// Whether this is the first line of features of an engine that was taken for one of version 1.
    fn is_late_feature(&self, line: &str) -> bool {
        !self.has_features && line.starts_with(FEATURE)
    }

    /// The limits of the game in the engine's words, and the clocks of this move.
    fn send_time(&mut self, limits: &Limits, mover: Side, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let told = wording::XBOARD.told(limits, mover);
        for line in told.new_settings(&mut self.settings, limits) {
            self.tell(&line, wire)?;
        }
        if told.depth != self.depth {
            self.tell(told.depth.as_deref().unwrap_or("sd 127"), wire)?;
            self.depth = told.depth;
        }
        for line in told.each_move.iter().filter(|_| self.features.time) {
            self.tell(line, wire)?;
        }
        Ok(())
    }

    /// Waits for the engine's move. With `post` it writes what it thinks, so after this time without a line it may
    /// not have read all of its input: a line that does no harm wakes it.
    fn answer(
        &mut self,
        place: &Place,
        limits: &Limits,
        cells: &Cells,
        wire: &mut Link<'_>,
    ) -> Result<BridgeAnswer, BridgeEnd> {
        let patience = patience(limits, place.mover());
        let (mut has_thought, mut nudges) = (false, 0);
        loop {
            let line = if has_thought || nudges == MAX_NUDGES {
                wire.receive()?
            } else {
                let is_late = self.is_late_reader || nudges > 0;
                let mut line = wire.receive_for(if is_late { 4 * PACE } else { patience })?;
                if line.is_none() {
                    nudges += 1;
                    line = nudge(wire)?;
                }
                let Some(line) = line else { continue };
                line
            };
            if self.is_late_feature(&line) {
                // It may not have understood what it was told so far.
                self.complete_features(vec![line], wire)?;
                self.is_late_reader = false;
                self.forget_answers(wire)?;
                self.set_up(place, wire)?;
                return self.ask(place, &place.moves, limits, cells, wire);
            }
            has_thought |= thinking(&line).is_some();
            self.is_late_reader |= has_thought && nudges > 0;
            if is_resignation(&line, place.mover()) {
                self.is_forced = false;
                return Ok(BridgeAnswer::Resigns);
            }
            if let Some(end) = refusal(&line, wire) {
                return Err(end);
            }
            if let Some(info) = thinking(&line) {
                wire.client.responder.add(&info);
                continue;
            }
            let Some(word) = move_of(&line) else { continue };
            if !self.last_move.is_followed_by(&line, word) {
                continue;
            }
            let word = castling(word, place.mover()).unwrap_or(word);
            let (mv, shape) = cells.to_rules(word, place.mover());
            if !SHAPES.contains(&shape) {
                return Err(refused(
                    &wire.engine_request(),
                    &line,
                    ", which is not a move such as `e2e4`",
                ));
            }
            return Ok(BridgeAnswer::Move(mv));
        }
    }
}

/// The move of a line, if it has one: `move e2e4`, or of version 1 `My move is: e2e4` and `1. ... e2e4`.
fn move_of(line: &str) -> Option<&str> {
    if let Some(mv) = line.strip_prefix("move ") {
        return mv.split_whitespace().next();
    }
    if let Some(rest) = line.to_ascii_lowercase().strip_prefix("my move is") {
        return line[line.len() - rest.len()..]
            .trim_start_matches([':', ' '])
            .split_whitespace()
            .next();
    }
    let (number, mv) = line.split_once(". ... ")?;
    mv.split_whitespace()
        .next()
        .filter(|_| number.parse::<u32>().is_ok())
}

/// The moves of an engine.
const SHAPES: [Shape; 6] = [
    Shape::Cell,
    Shape::Step,
    Shape::Promotion,
    Shape::Steps,
    Shape::Drop,
    Shape::Pass,
];

/// Wakes an engine that waits for input while lines of it are in its buffer: it reads one for each piece. Returns a
/// line that came meanwhile.
fn nudge(wire: &mut Link<'_>) -> Result<Option<String>, BridgeEnd> {
    let mut line = None;
    for piece in ["p", "o", "s", "t"] {
        wire.send_piece(piece);
        if line.is_none() {
            line = wire.receive_for(PACE)?;
        }
    }
    wire.send("");
    Ok(line)
}

/// How long an engine with these limits may say nothing.
fn patience(limits: &Limits, mover: Side) -> Duration {
    let time = mover_time(limits, mover).unwrap_or_default();
    let share = if limits.movetime.is_some() { 4 } else { 40 };
    (time / share).clamp(Duration::from_millis(100), Duration::from_secs(1))
}

/// The move of the king that some engines write as castling.
fn castling(word: &str, mover: Side) -> Option<&'static str> {
    match (word, mover) {
        ("O-O", Side::First) => Some("e1g1"),
        ("O-O", Side::Second) => Some("e8g8"),
        ("O-O-O", Side::First) => Some("e1c1"),
        ("O-O-O", Side::Second) => Some("e8c8"),
        _ => None,
    }
}

/// Whether the side to move gives up: `resign`, or the result of such an end.
fn is_resignation(line: &str, mover: Side) -> bool {
    let lower = line.to_ascii_lowercase();
    let lost = match mover {
        Side::First => "0-1",
        Side::Second => "1-0",
    };
    lower == "resign" || lower == "tellics resign" || lower.starts_with(lost) && lower.contains("resign")
}

/// The end of the bridge, if the line says that the engine did not take what it needs.
fn refusal(line: &str, wire: &Link<'_>) -> Option<BridgeEnd> {
    let lower = line.to_ascii_lowercase();
    if lower.starts_with("illegal move") {
        let (request, why) = (wire.engine_request(), ", but the move is legal");
        return Some(refused(&request, line, why));
    }
    let needed = ["usermove", "go", "force", "new", "setboard"];
    let error = lower.strip_prefix("error (")?;
    let (_, command) = error.split_once("):")?;
    let command = command.split_whitespace().next()?;
    needed.contains(&command).then(|| refused(command, line, ""))
}

/// The line `info …` of thinking output: depth, score, time in centiseconds, nodes, and moves.
fn thinking(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let depth = words
        .next()?
        .trim_end_matches(|sign: char| !sign.is_ascii_digit());
    let mut number = || words.next()?.parse::<i64>().ok();
    let (depth, score, time, nodes) = (depth.parse().ok()?, number()?, number()?, number()?);
    let info = Reply::Info(Info {
        depth: Some(depth),
        score: Some(scores::of_xboard(score)),
        nodes: u64::try_from(nodes).ok(),
        time: u64::try_from(time).ok().map(|time| time * 10),
        ..Info::default()
    });
    Some(info.to_string())
}

impl EngineProtocol for Xboard {
    fn wording(&self) -> &Wording {
        &wording::XBOARD
    }

    fn greet(&mut self, wire: &mut Link<'_>) -> Result<(Option<String>, Vec<OptionSpec>), BridgeEnd> {
        wire.send("xboard");
        wire.send("protover 2");
        self.await_features(wire)?;
        let mut options = self.features.options.clone();
        let spin = |name: &str, default: &str, max: &str| OptionSpec {
            name: name.to_string(),
            kind: OptionKind::Spin {
                default: default.to_string(),
                min: "1".to_string(),
                max: max.to_string(),
            },
        };
        if self.features.memory {
            options.push(spin(HASH, "16", "1048576"));
        }
        if self.features.smp {
            options.push(spin(THREADS, "1", "1024"));
        }
        if !self.features.variants.is_empty() {
            let own = |name: &String| if name == NORMAL { CHESS } else { name }.to_string();
            let choices: Vec<String> = self.features.variants.iter().map(own).collect();
            options.push(OptionSpec {
                name: option_names::VARIANT.to_string(),
                kind: OptionKind::Combo {
                    default: choices.first().cloned().unwrap_or_default(),
                    choices,
                },
            });
        }
        Ok((self.features.name.clone(), options))
    }

    fn takes_positions(&self) -> bool {
        self.features.setboard
    }

    fn set_option(&mut self, name: &str, value: Option<&str>, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let text = value.unwrap_or_default();
        let own = self
            .features
            .options
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name));
        if let Some(option) = own {
            let value = match (&option.kind, text) {
                (OptionKind::Button, _) => String::new(),
                (OptionKind::Check { .. }, text) => format!("={}", u8::from(text == "true")),
                (_, text) => format!("={text}"),
            };
            wire.send(&format!("option {}{value}", option.name));
        } else if name.eq_ignore_ascii_case(HASH) {
            wire.send(&format!("memory {text}"));
        } else if name.eq_ignore_ascii_case(THREADS) {
            wire.send(&format!("cores {text}"));
        } else {
            self.variant = Some(text.to_string()).filter(|name| ![CHESS, NORMAL].contains(&name.as_str()));
        }
        Ok(())
    }

    fn set_init(&mut self, lines: Vec<String>) -> Result<(), BridgeEnd> {
        self.init = lines;
        Ok(())
    }

    fn new_game(&mut self, _: &Cells, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        self.take_late_features(wire)?;
        self.start_over(wire)?;
        (self.is_forced, self.has_resigned) = (true, false);
        self.settle(wire)
    }

    fn go(
        &mut self,
        place: &Place,
        limits: &Limits,
        cells: &Cells,
        wire: &mut Link<'_>,
    ) -> Result<BridgeAnswer, BridgeEnd> {
        if std::mem::take(&mut self.has_resigned) {
            return Ok(BridgeAnswer::Resigns);
        }
        if self.take_late_features(wire)? {
            self.set_up(place, wire)?;
            return self.ask(place, &place.moves, limits, cells, wire);
        }
        let mover = place.mover();
        if let (false, Some(_), [mv]) = (self.is_forced, place.known, place.new_moves()) {
            // The reply to the engine's last move makes it think.
            self.send_time(limits, mover, wire)?;
            self.send_move(mv, cells, wire)?;
            return self.answer(place, limits, cells, wire);
        }
        if place.known.is_none() {
            self.set_up(place, wire)?;
        } else if !self.is_forced {
            self.tell("force", wire)?;
        }
        self.ask(place, place.new_moves(), limits, cells, wire)
    }

    fn idle(&mut self, line: &str) {
        self.has_resigned |= line.trim().eq_ignore_ascii_case("resign");
        if self.is_late_feature(line) && self.late_features.len() < MAX_LATE_FEATURES {
            self.late_features.push(line.trim().to_string());
        }
    }

    fn stop(&self) -> Option<&'static str> {
        Some("?")
    }
}

impl Xboard {
    /// Sends these moves and the limits, and waits for the answer.
    fn ask(
        &mut self,
        place: &Place,
        moves: &[String],
        limits: &Limits,
        cells: &Cells,
        wire: &mut Link<'_>,
    ) -> Result<BridgeAnswer, BridgeEnd> {
        for mv in moves {
            self.send_move(mv, cells, wire)?;
        }
        self.send_time(limits, place.mover(), wire)?;
        self.tell("go", wire)?;
        self.is_forced = false;
        self.answer(place, limits, cells, wire)
    }

    /// Begins at another position, or another game.
    fn set_up(&mut self, place: &Place, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        self.start_over(wire)?;
        if let Start::Fen(fen) = &place.start {
            self.tell(&format!("setboard {fen}"), wire)?;
        }
        Ok(())
    }

    /// A new game in which the engine makes no moves yet.
    fn start_over(&mut self, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        self.tell("new", wire)?;
        if let Some(variant) = &self.variant {
            self.tell(&format!("variant {variant}"), wire)?;
        }
        for line in &self.init {
            self.tell(line, wire)?;
        }
        for command in ["force", "easy", "post"] {
            self.tell(command, wire)?;
        }
        self.settings.clear();
        self.depth = None;
        self.last_move = LastMove::default();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_in_the_words_of_both_versions_is_one_and_may_come_again_later() {
        let mut last = LastMove::default();
        for (line, is_new) in [
            ("move e2e4", true),
            ("My move is: e2e4", false),
            ("move e2e4", true),
            ("12. ... e2e4", false),
            ("move d2d4", true),
        ] {
            let word = move_of(line).unwrap();
            assert_eq!(last.is_followed_by(line, word), is_new, "{line}");
        }
        assert!(last.is_followed_by("1. ... a2a3", "a2a3"));
        assert!(last.is_followed_by("2. ... a2a3", "a2a3"));
    }

    #[test]
    fn reads_moves_of_both_versions_and_no_others() {
        for (line, found) in [
            ("move e2e4", Some("e2e4")),
            ("My move is: e7e8q", Some("e7e8q")),
            ("My move is : e7e5", Some("e7e5")),
            ("1. ... d7d5", Some("d7d5")),
            ("Move ordering : 89.9%", None),
            ("tellopponent move it", None),
            ("9 25 100 3000 e2e4", None),
        ] {
            assert_eq!(move_of(line), found, "{line}");
        }
    }

    #[test]
    fn reads_features_with_quoted_values() {
        let found = pairs("myname=\"A b 1\" ping=1 option=\"Hash -spin 4 1 64\" done=1");
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["myname", "ping", "option", "done"]);
        assert_eq!(found[0].1, "A b 1");
        let spec = option(&found[2].1).unwrap();
        assert_eq!(spec.name, "Hash");
        assert!(matches!(spec.kind, OptionKind::Spin { max, .. } if max == "64"));
        let spec = option("Style -combo Solid /// *Normal /// Risky").unwrap();
        assert!(matches!(spec.kind, OptionKind::Combo { default, .. } if default == "Normal"));
    }

    #[test]
    fn castling_and_patience_are_those_of_the_side_to_move() {
        let limits = Limits {
            wtime: Some(8_000),
            btime: Some(20_000),
            ..Limits::default()
        };
        for (mover, moves, wait) in [
            (Side::First, ["e1g1", "e1c1"], 200),
            (Side::Second, ["e8g8", "e8c8"], 500),
        ] {
            assert_eq!(
                ["O-O", "O-O-O"].map(|word| castling(word, mover)),
                moves.map(Some)
            );
            assert_eq!(patience(&limits, mover), Duration::from_millis(wait));
        }
    }

    #[test]
    fn a_result_resigns_only_for_the_side_to_move() {
        for (line, mover, resigns) in [
            ("resign", Side::First, true),
            ("0-1 {White resigns}", Side::First, true),
            ("0-1 {White resigns}", Side::Second, false),
            ("1-0 {Black resigns}", Side::Second, true),
            ("1-0 {Black resigns}", Side::First, false),
            ("1-0 {White mates}", Side::Second, false),
            ("1/2-1/2 {Stalemate}", Side::First, false),
        ] {
            assert_eq!(is_resignation(line, mover), resigns, "{line}");
        }
    }

    #[test]
    fn an_engine_may_resign_while_nothing_is_asked() {
        let mut engine = Xboard::default();
        engine.idle("resign \r");
        assert!(engine.has_resigned);
    }
}
