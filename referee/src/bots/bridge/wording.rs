//! What each protocol says of a player's limits, as one table: the words, the unit and the rounding. What a template
//! does not have the engine is not told, and [`Wording::notes`] says so before the first game. The manual shows it.

use std::time::Duration;

use lodestone_game::board::Side;
use lodestone_game::protocol::Limits;
use referee_core::game::clock::{Control, TimeControl};
use referee_core::io::text::time;
use referee_core::player::Protocol;

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Milliseconds,
    /// Rounded down, but at least 1.
    Centiseconds,
    /// Whole seconds, rounded down. A time is at least 1, because 0 would be none.
    Seconds,
    /// Minutes and seconds, rounded up.
    Minutes,
    /// Seconds with decimals if there are any.
    Fraction,
}

/// The words for one kind of time control: templates with `{NAME}` for a number in the unit of the protocol, and
/// `{NAME:UNIT}` in another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeWords {
    /// Lines at the first move of a game, and when they change.
    pub settings: &'static [&'static str],
    /// Lines at each move, or words of `go`.
    pub each_move: &'static [&'static str],
}

/// A protocol's row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wording {
    pub protocol: Protocol,
    /// What a program does at its start, as the title of a check.
    pub handshake: &'static str,
    pub unit: Unit,
    pub move_time: TimeWords,
    /// The same for a time that is not whole seconds, if that has other words.
    pub part_of_second: Option<TimeWords>,
    /// A clock for the game.
    pub clock: TimeWords,
    /// A clock for a number of moves.
    pub period: TimeWords,
    /// The words for `depth` and `nodes`; empty without any.
    pub depth: &'static str,
    pub nodes: &'static str,
    /// Whether these may not stand beside a time.
    pub has_one_limit: bool,
}

/// The words of a protocol that has settings at the beginning and lines at each move.
const fn lines(settings: &'static [&'static str], each_move: &'static [&'static str]) -> TimeWords {
    TimeWords { settings, each_move }
}

/// The words of `go`.
const fn go(words: &'static [&'static str]) -> TimeWords {
    lines(&[], words)
}

/// A protocol that has words for all limits but time.
const GO: Wording = Wording {
    protocol: Protocol::Uci,
    handshake: "",
    unit: Unit::Milliseconds,
    move_time: go(&[]),
    part_of_second: None,
    clock: go(&[]),
    period: go(&[]),
    depth: "depth {depth}",
    nodes: "nodes {nodes}",
    has_one_limit: false,
};

pub(super) const GTP: Wording = Wording {
    protocol: Protocol::Gtp,
    handshake: "answers `protocol_version`",
    unit: Unit::Seconds,
    move_time: lines(&["time_settings 0 {move} 1"], &[]),
    clock: lines(&["time_settings {own} 0 0"], &["time_left {colour} {own} 0"]),
    period: lines(
        &["time_settings 0 {own} {moves}"],
        &["time_left {colour} {own} {moves}"],
    ),
    depth: "",
    nodes: "",
    ..GO
};

pub(super) const XBOARD: Wording = Wording {
    protocol: Protocol::Xboard,
    handshake: "starts, and reads `protover 2`",
    unit: Unit::Centiseconds,
    move_time: lines(&["st {move:s}"], &[]),
    // One move in this time, and `time` has the rest.
    part_of_second: Some(lines(&["level 1 {move:m} 0"], &["time {move}", "otim {move}"])),
    clock: lines(&["level 0 {own:m} {inc:f}"], &["time {own}", "otim {other}"]),
    period: lines(
        &["level {moves} {own:m} {inc:f}"],
        &["time {own}", "otim {other}"],
    ),
    depth: "sd {depth}",
    nodes: "",
    ..GO
};

/// `GPSShogi` ends at `binc`, which is younger than the protocol. Each increment so far is in these times.
pub(super) const USI: Wording = Wording {
    protocol: Protocol::Usi,
    handshake: "answers `usi` with `usiok`",
    move_time: go(&["btime 0 wtime 0 byoyomi {move}"]),
    clock: go(&["btime {first} wtime {second} byoyomi 0"]),
    period: go(&["btime {first} wtime {second} byoyomi 0"]),
    ..GO
};

/// Of an engine that counts milliseconds; others count whole seconds.
pub(super) const UCCI: Wording = Wording {
    protocol: Protocol::Ucci,
    handshake: "answers `ucci` with `ucciok`",
    move_time: go(&["time {move} movestogo 1"]),
    clock: go(&["time {own} increment {inc} opptime {other} oppincrement {otherinc}"]),
    period: go(&["time {own} movestogo {moves} opptime {other}"]),
    has_one_limit: true,
    ..GO
};

/// Black, `x`, moves first in Ataxx.
pub(super) const UAI: Wording = Wording {
    protocol: Protocol::Uai,
    handshake: "answers `uai` with `uaiok`",
    move_time: go(&["movetime {move}"]),
    clock: go(&["btime {first} wtime {second} binc {firstinc} winc {secondinc}"]),
    period: go(&["btime {first} wtime {second} binc {firstinc} winc {secondinc} movestogo {moves}"]),
    ..GO
};

pub(super) const GOMOCUP: Wording = Wording {
    protocol: Protocol::Gomocup,
    handshake: "answers `ABOUT`",
    move_time: lines(&["INFO timeout_turn {move}", "INFO timeout_match 0"], &[]),
    clock: lines(&["INFO timeout_match {own}"], &["INFO time_left {own}"]),
    period: lines(&["INFO timeout_match {own}"], &["INFO time_left {own}"]),
    depth: "",
    nodes: "",
    ..GO
};

/// The whole table.
const ALL: [&Wording; 6] = [&GTP, &XBOARD, &USI, &UCCI, &GOMOCUP, &UAI];

/// The limits of a request in the words of a protocol.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub settings: Vec<String>,
    pub each_move: Vec<String>,
    pub depth: Option<String>,
    pub nodes: Option<String>,
}

impl Told {
    /// The settings that an engine which knows these has to be told. A time for each move begins anew by itself; that
    /// of a clock is told at each move, so its settings are those of the first one.
    pub fn new_settings(&self, known: &mut Vec<String>, limits: &Limits) -> Vec<String> {
        if *known == self.settings || !known.is_empty() && limits.movetime.is_none() {
            return Vec::new();
        }
        known.clone_from(&self.settings);
        self.settings.clone()
    }

    /// The words of `go` with all limits.
    pub fn go(&self) -> String {
        let limits = self.depth.iter().chain(&self.nodes);
        let words = self.each_move.iter().chain(limits);
        words.fold("go".to_string(), |line, words| line + " " + words)
    }
}

/// The time that the mover of a request has, in milliseconds.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Move(u64),
    Clock(u64),
    Nothing,
}

const fn milliseconds(time: Option<i64>) -> u64 {
    match time {
        Some(time) if time > 0 => time.unsigned_abs(),
        _ => 0,
    }
}

fn asked(limits: &Limits, mover: Side) -> Asked {
    match limits.movetime {
        Some(_) => Asked::Move(milliseconds(limits.movetime)),
        None if limits.wtime.or(limits.btime).is_none() => Asked::Nothing,
        None => Asked::Clock(milliseconds(of_side(limits.wtime, limits.btime, mover))),
    }
}

const fn of_side<T: Copy>(first: T, second: T, side: Side) -> T {
    match side {
        Side::First => first,
        Side::Second => second,
    }
}

/// The time of the mover for this move, or on its clock.
pub(super) fn mover_time(limits: &Limits, mover: Side) -> Option<Duration> {
    match asked(limits, mover) {
        Asked::Move(time) | Asked::Clock(time) => Some(Duration::from_millis(time)),
        Asked::Nothing => None,
    }
}

impl Wording {
    /// The row of a protocol; `None` without a bridge.
    pub(crate) fn of(protocol: Protocol) -> Option<&'static Wording> {
        ALL.into_iter().find(|wording| wording.protocol == protocol)
    }

    /// The limits of a request of this player.
    pub(super) fn told(&self, limits: &Limits, mover: Side) -> Told {
        let asked = asked(limits, mover);
        let words = self.words(asked, limits.movestogo.is_some());
        let fill = |template: &&str| self.filled(template, limits, mover);
        let is_alone = !self.has_one_limit || matches!(asked, Asked::Nothing);
        let limit = |template: &str, limit: Option<u64>| {
            limit
                .filter(|_| is_alone && !template.is_empty())
                .map(|_| self.filled(template, limits, mover))
        };
        Told {
            settings: words.settings.iter().map(fill).collect(),
            each_move: words.each_move.iter().map(fill).collect(),
            depth: limit(self.depth, limits.depth.map(u64::from)),
            // Of two limits that exclude each other, the first one.
            nodes: limit(
                self.nodes,
                limits
                    .nodes
                    .filter(|_| !self.has_one_limit || limits.depth.is_none()),
            ),
        }
    }

    fn words(&self, asked: Asked, is_period: bool) -> TimeWords {
        match (asked, self.part_of_second) {
            (Asked::Move(time), Some(words)) if time % 1000 != 0 => words,
            (Asked::Move(_), _) => self.move_time,
            (Asked::Clock(_), _) if is_period => self.period,
            (Asked::Clock(_), _) => self.clock,
            (Asked::Nothing, _) => go(&[]),
        }
    }

    fn filled(&self, template: &str, limits: &Limits, mover: Side) -> String {
        let (mut text, mut rest) = (String::new(), template);
        while let Some((before, after)) = rest.split_once('{') {
            let (name, behind) = after.split_once('}').unwrap_or((after, ""));
            text += before;
            text += &self.number(name, limits, mover);
            rest = behind;
        }
        text + rest
    }

    /// The number, or the word, of a placeholder.
    fn number(&self, name: &str, limits: &Limits, mover: Side) -> String {
        let (name, unit) = match name.split_once(':') {
            Some((name, "s")) => (name, Unit::Seconds),
            Some((name, "m")) => (name, Unit::Minutes),
            Some((name, _)) => (name, Unit::Fraction),
            None => (name, self.unit),
        };
        let (times, increments) = ((limits.wtime, limits.btime), (limits.winc, limits.binc));
        let other = mover.opponent();
        let of = |(first, second), side| milliseconds(of_side(first, second, side));
        let time = match name {
            "colour" => return of_side("b", "w", mover).to_string(),
            "moves" => return limits.movestogo.unwrap_or_default().to_string(),
            "depth" => return limits.depth.unwrap_or_default().to_string(),
            "nodes" => return limits.nodes.unwrap_or_default().to_string(),
            "move" => milliseconds(limits.movetime),
            "own" => of(times, mover),
            "other" => of(times, other),
            "first" => of(times, Side::First),
            "second" => of(times, Side::Second),
            "inc" => of(increments, mover),
            "otherinc" => of(increments, other),
            "firstinc" => of(increments, Side::First),
            _ => of(increments, Side::Second),
        };
        written(time, unit, name.ends_with("inc"))
    }

    /// What the protocol cannot say of these limits: clauses that follow the engine's name.
    pub fn notes(&self, control: &Control) -> Vec<String> {
        let mut unsaid = Vec::new();
        let protocol = self.protocol.title();
        let has_time = control.time != TimeControl::Unlimited;
        let is_unsaid = |template: &str| template.is_empty() || self.has_one_limit && has_time;
        let (depth, nodes) = (is_unsaid(self.depth), is_unsaid(self.nodes));
        if control.depth.is_some() && depth || control.nodes.is_some() && nodes {
            let (what, limits) = match (depth, nodes) {
                (true, true) => ("`depth` and `nodes`", "no such limits"),
                (true, false) => ("`depth`", "no such limit"),
                _ => ("`nodes`", "no such limit"),
            };
            let beside = if self.has_one_limit { " beside a time" } else { "" };
            unsaid.push(format!("is not told {what}: {protocol} has {limits}{beside}"));
        }
        let rounded = |what: &str, exact: Duration, is_increment: bool| {
            let sent = written(exact.as_millis() as u64, self.unit, is_increment);
            let is_exact = self.unit != Unit::Seconds || exact.subsec_nanos() == 0;
            (!is_exact).then(|| {
                format!(
                    "is told {sent} s for {what} of {}: {protocol} counts whole seconds",
                    time(exact)
                )
            })
        };
        match control.time {
            TimeControl::Move(each) => unsaid.extend(rounded("a move", each, false)),
            TimeControl::FirstMove { first, each } => {
                unsaid.extend(rounded("the first move", first, false));
                unsaid.extend(rounded("a move", each, false));
            }
            TimeControl::Clock {
                moves,
                base,
                increment,
            } => {
                let words = if moves.is_some() { self.period } else { self.clock };
                let has = |name: &str| {
                    let mut templates = words.settings.iter().chain(words.each_move);
                    templates.any(|template| template.contains(name))
                };
                let is_told_increment = increment.is_zero() || has("inc");
                if !is_told_increment || moves.is_some() && !has("{moves") {
                    unsaid.push(format!(
                        "is told the time on its clock, but not what is added later: {protocol} cannot express it"
                    ));
                }
                unsaid.extend(rounded("a clock", base, false));
                if is_told_increment {
                    unsaid.extend(rounded("an increment", increment, true));
                }
            }
            TimeControl::Unlimited => {}
        }
        unsaid
    }
}

fn written(time: u64, unit: Unit, is_increment: bool) -> String {
    match unit {
        Unit::Milliseconds => time.to_string(),
        Unit::Centiseconds => (time / 10).max(1).to_string(),
        Unit::Seconds => (time / 1000).max(u64::from(!is_increment)).to_string(),
        Unit::Minutes => {
            let seconds = time.div_ceil(1000);
            format!("{}:{:02}", seconds / 60, seconds % 60)
        }
        Unit::Fraction if time.is_multiple_of(1000) => (time / 1000).to_string(),
        Unit::Fraction => format!("{:.3}", time as f64 / 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::samples;

    /// Of an engine that does not count milliseconds.
    const SLOW_UCCI: Wording = Wording {
        unit: Unit::Seconds,
        ..UCCI
    };

    fn control(words: &str) -> Control {
        samples::settings(words).control()
    }

    /// All words of a request. The clocks of both sides differ in all numbers.
    fn told(wording: &Wording, limits: &Limits, mover: Side) -> String {
        let told = wording.told(limits, mover);
        let lines = told.settings.iter().chain(&told.each_move);
        let lines = lines.chain(told.depth.iter().chain(&told.nodes));
        lines.map(String::as_str).collect::<Vec<_>>().join(" | ")
    }

    fn clocks(is_period: bool) -> Limits {
        Limits {
            wtime: Some(60_900),
            btime: Some(50_900),
            winc: Some(1500),
            binc: Some(2000),
            movestogo: is_period.then_some(40),
            ..Limits::default()
        }
    }

    #[test]
    fn each_side_is_told_its_own_clock() {
        let [first, second] = Side::BOTH;
        for (wording, is_period, mover, words) in [
            (&GTP, false, first, "time_settings 60 0 0 | time_left b 60 0"),
            (&GTP, false, second, "time_settings 50 0 0 | time_left w 50 0"),
            (&GTP, true, second, "time_settings 0 50 40 | time_left w 50 40"),
            (
                &XBOARD,
                false,
                first,
                "level 0 1:01 1.500 | time 6090 | otim 5090",
            ),
            (&XBOARD, true, second, "level 40 0:51 2 | time 5090 | otim 6090"),
            (&USI, false, first, "btime 60900 wtime 50900 byoyomi 0"),
            (&USI, true, second, "btime 60900 wtime 50900 byoyomi 0"),
            (
                &UCCI,
                false,
                first,
                "time 60900 increment 1500 opptime 50900 oppincrement 2000",
            ),
            (
                &UCCI,
                false,
                second,
                "time 50900 increment 2000 opptime 60900 oppincrement 1500",
            ),
            (&UCCI, true, second, "time 50900 movestogo 40 opptime 60900"),
            (
                &SLOW_UCCI,
                false,
                first,
                "time 60 increment 1 opptime 50 oppincrement 2",
            ),
            (
                &GOMOCUP,
                false,
                second,
                "INFO timeout_match 50900 | INFO time_left 50900",
            ),
            (&UAI, false, second, "btime 60900 wtime 50900 binc 1500 winc 2000"),
            (
                &UAI,
                true,
                first,
                "btime 60900 wtime 50900 binc 1500 winc 2000 movestogo 40",
            ),
        ] {
            let title = wording.protocol.title();
            assert_eq!(
                told(wording, &clocks(is_period), mover),
                words,
                "{title} {mover:?}"
            );
        }
    }

    /// An engine may take 0 for no limit, or divide by it.
    #[test]
    fn a_clock_without_time_is_not_told_as_0() {
        let limits = Limits {
            wtime: Some(1),
            btime: Some(9),
            ..Limits::default()
        };
        for (wording, words) in [
            (&XBOARD, "level 0 0:01 0 | time 1 | otim 1"),
            (&GTP, "time_settings 1 0 0 | time_left b 1 0"),
            (&GOMOCUP, "INFO timeout_match 1 | INFO time_left 1"),
        ] {
            assert_eq!(told(wording, &limits, Side::First), words);
        }
    }

    #[test]
    fn a_time_for_each_move_is_rounded_as_the_protocol_counts() {
        for (wording, time, words) in [
            (&GTP, 3000, "time_settings 0 3 1"),
            (&GTP, 1999, "time_settings 0 1 1"),
            (&GTP, 400, "time_settings 0 1 1"),
            (&XBOARD, 3000, "st 3"),
            (&XBOARD, 1500, "level 1 0:02 0 | time 150 | otim 150"),
            (&USI, 1500, "btime 0 wtime 0 byoyomi 1500"),
            (&UCCI, 1500, "time 1500 movestogo 1"),
            (&SLOW_UCCI, 1500, "time 1 movestogo 1"),
            (&SLOW_UCCI, 500, "time 1 movestogo 1"),
            (&GOMOCUP, 1500, "INFO timeout_turn 1500 | INFO timeout_match 0"),
            (&UAI, 1500, "movetime 1500"),
        ] {
            let limits = Limits {
                movetime: Some(time),
                ..Limits::default()
            };
            assert_eq!(told(wording, &limits, Side::Second), words, "{time}");
        }
    }

    #[test]
    fn other_limits_are_told_where_the_protocol_has_words() {
        let limits = |movetime| Limits {
            movetime,
            depth: Some(8),
            nodes: Some(900),
            ..Limits::default()
        };
        for (wording, alone, with_time) in [
            (&GTP, "", "time_settings 0 3 1"),
            (&XBOARD, "sd 8", "st 3 | sd 8"),
            (
                &USI,
                "depth 8 | nodes 900",
                "btime 0 wtime 0 byoyomi 3000 | depth 8 | nodes 900",
            ),
            (&UCCI, "depth 8", "time 3000 movestogo 1"),
            (&GOMOCUP, "", "INFO timeout_turn 3000 | INFO timeout_match 0"),
            (&UAI, "depth 8 | nodes 900", "movetime 3000 | depth 8 | nodes 900"),
        ] {
            assert_eq!(told(wording, &limits(None), Side::First), alone);
            assert_eq!(told(wording, &limits(Some(3000)), Side::First), with_time);
        }
    }

    #[test]
    fn what_is_not_told_is_noted() {
        let added = "is told the time on its clock, but not what is added later";
        let whole = "counts whole seconds";
        for (wording, limits, notes) in [
            (&GTP, "st=3", vec![]),
            (&GTP, "tc=60", vec![]),
            (
                &GTP,
                "st=3 first=1.5",
                vec![format!("is told 1 s for the first move of 1.500 s: GTP {whole}")],
            ),
            (
                &GTP,
                "tc=0.9+0.5",
                vec![
                    format!("{added}: GTP cannot express it"),
                    format!("is told 1 s for a clock of 0.900 s: GTP {whole}"),
                ],
            ),
            (
                &GTP,
                "depth=3",
                vec!["is not told `depth` and `nodes`: GTP has no such limits".into()],
            ),
            (&XBOARD, "tc=40/60+0.5 depth=3", vec![]),
            (
                &XBOARD,
                "nodes=900",
                vec!["is not told `nodes`: XBoard has no such limit".into()],
            ),
            (&USI, "tc=60+1", vec![format!("{added}: USI cannot express it")]),
            (&USI, "tc=40/60", vec![format!("{added}: USI cannot express it")]),
            (&USI, "st=0.5 depth=3 nodes=900", vec![]),
            (&UCCI, "tc=60+0.5", vec![]),
            (
                &UCCI,
                "tc=40/60+1",
                vec![format!("{added}: UCCI cannot express it")],
            ),
            (
                &UCCI,
                "depth=3",
                vec!["is not told `depth` and `nodes`: UCCI has no such limits beside a time".into()],
            ),
            (
                &SLOW_UCCI,
                "st=0.5",
                vec![format!("is told 1 s for a move of 0.500 s: UCCI {whole}")],
            ),
            (
                &SLOW_UCCI,
                "tc=60+0.5",
                vec![format!("is told 0 s for an increment of 0.500 s: UCCI {whole}")],
            ),
            (&GOMOCUP, "tc=60", vec![]),
            (
                &GOMOCUP,
                "tc=60+1",
                vec![format!("{added}: Gomocup cannot express it")],
            ),
            (
                &GOMOCUP,
                "tc=40/60",
                vec![format!("{added}: Gomocup cannot express it")],
            ),
            (
                &GOMOCUP,
                "nodes=900",
                vec!["is not told `depth` and `nodes`: Gomocup has no such limits".into()],
            ),
            (&UAI, "tc=40/60+0.5 depth=3 nodes=900", vec![]),
        ] {
            assert_eq!(
                wording.notes(&control(limits)),
                notes,
                "{} {limits}",
                wording.protocol.title()
            );
        }
    }

    /// The table of the manual is this one.
    #[test]
    fn the_manual_shows_what_is_told() {
        let manual = include_str!("../../../../docs/bridges.md");
        let words = |wording: &Wording, limits: &Limits| {
            let told = told(wording, limits, Side::First);
            told.split(" | ")
                .map(|line| format!("`{line}`"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let move_time = Limits {
            movetime: Some(3000),
            ..Limits::default()
        };
        let clock = |increment, movestogo| Limits {
            wtime: Some(60_000),
            btime: Some(60_000),
            winc: Some(increment),
            binc: Some(increment),
            movestogo,
            ..Limits::default()
        };
        let mut missing = Vec::new();
        for wording in ALL {
            let unsaid: Vec<&str> = [
                ("tc=60+1", "increments"),
                ("tc=40/60", "the time after 40 moves"),
                ("st=1.5", "parts of a second"),
                ("depth=3", "`depth`"),
                ("nodes=900", "`nodes`"),
            ]
            .into_iter()
            .filter(|(limits, _)| !wording.notes(&control(limits)).is_empty())
            .map(|(_, what)| what)
            .collect();
            let unsaid = if unsaid.is_empty() {
                "–".to_string()
            } else {
                unsaid.join(", ")
            };
            let row = format!(
                "| `{}` | {} | {} | {} | {unsaid} |",
                wording.protocol.name(),
                words(wording, &move_time),
                words(wording, &clock(1000, None)),
                words(wording, &clock(0, Some(40))),
            );
            if !manual.contains(&row) {
                missing.push(row);
            }
        }
        assert_eq!(missing.join("\n"), "", "rows that docs/bridges.md needs");
    }
}
