//! Time controls and clocks, and the limits that an engine receives.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use lodestone_game::board::Side;
use lodestone_game::protocol::Limits;

use crate::io::as_text::Text;

/// The default time per move, the assignment's.
pub const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(3);

/// How late an answer may come by default. Stockfish, Fairy-Stockfish, Toga and Glaurung search for exactly the time of
/// `go movetime`, and answer 1 to 55 ms after it.
pub const DEFAULT_MARGIN: Duration = Duration::from_millis(50);

/// The shortest time that can be set.
pub(crate) const SHORTEST: Duration = Duration::from_millis(1);

/// The longest time that can be set.
pub const LONGEST: Duration = Duration::from_secs(1_000_000);

/// A time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// A fixed time per move.
    Move(Duration),
    /// A fixed time per move, and another one for the first.
    FirstMove {
        /// Time for the first move of a game.
        first: Duration,
        /// Time for each of the others.
        each: Duration,
    },
    /// A clock for the game.
    Clock {
        /// Number of moves after which `base` is added again; `None` for never.
        moves: Option<u32>,
        /// Time at the start.
        base: Duration,
        /// Increment per move.
        increment: Duration,
    },
    /// No limit, the default for people.
    Unlimited,
}

/// All limits of one player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// The time control.
    pub time: TimeControl,
    /// Depth limit in plies, beside the time.
    pub depth: Option<u32>,
    /// Node limit, beside the time.
    pub nodes: Option<u64>,
    /// Processor time for one move, of all its processes.
    pub cpu: Option<Duration>,
    /// How late an answer may come.
    pub margin: Duration,
}

impl Default for Control {
    fn default() -> Control {
        Control {
            time: TimeControl::Move(DEFAULT_MOVE_TIME),
            depth: None,
            nodes: None,
            cpu: None,
            margin: DEFAULT_MARGIN,
        }
    }
}

/// One player's clock in one game.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    pub time: TimeControl,
    /// Time for the next move; `None` without a limit.
    pub left: Option<Duration>,
    /// How far a clock for the game is below zero.
    overrun: Duration,
    moves_to_go: Option<u32>,
}

impl Clock {
    /// The clock at the start of a game.
    pub(crate) const fn new(time: TimeControl) -> Clock {
        let (left, moves_to_go) = match time {
            TimeControl::Move(time) | TimeControl::FirstMove { first: time, .. } => (Some(time), None),
            TimeControl::Clock { base, moves, .. } => (Some(base), moves),
            TimeControl::Unlimited => (None, None),
        };
        Clock {
            time,
            left,
            overrun: Duration::ZERO,
            moves_to_go,
        }
    }

    /// How late an answer may be with this `margin`: the margin is there once, not at each move.
    pub(crate) const fn rest_of(&self, margin: Duration) -> Duration {
        margin.saturating_sub(self.overrun)
    }

    /// Time left for the game; `None` with a fixed time per move, or without a limit.
    pub(crate) const fn game_time_left(&self) -> Option<Duration> {
        match self.time {
            TimeControl::Clock { .. } => self.left,
            _ => None,
        }
    }

    /// Deducts the time of a move, below zero if it took longer. Adds the increment and, after the last of the moves that
    /// the time is for, the time for the next ones. Returns whether there was less time than the move took.
    pub(crate) fn spend(&mut self, elapsed: Duration) -> bool {
        let over = elapsed.saturating_sub(self.left.unwrap_or(elapsed));
        let is_over = !(over + self.overrun).is_zero();
        if let TimeControl::FirstMove { each, .. } = self.time {
            self.left = Some(each);
        }
        let (
            TimeControl::Clock {
                moves,
                base,
                increment,
            },
            Some(left),
        ) = (self.time, &mut self.left)
        else {
            return is_over;
        };
        let mut added = increment;
        if let Some(to_go) = &mut self.moves_to_go {
            *to_go -= 1;
            if *to_go == 0 {
                self.moves_to_go = moves;
                added += base;
            }
        }
        let owed = self.overrun + over;
        self.overrun = owed.saturating_sub(added);
        *left = left.saturating_sub(elapsed) + added.saturating_sub(owed);
        is_over
    }

    const fn increment(&self) -> Duration {
        match self.time {
            TimeControl::Clock { increment, .. } => increment,
            _ => Duration::ZERO,
        }
    }
}

/// The limits for `go` of the side to move. An opponent with a fixed time per move
/// shows that time as its clock; one without a limit shows none.
pub(crate) fn limits(clocks: &[Clock; 2], mover: Side, control: &Control) -> Limits {
    let mut limits = Limits {
        depth: control.depth,
        nodes: control.nodes,
        ..Limits::default()
    };
    let own = &clocks[mover.index()];
    if own.time.key() == Some("st") {
        // A program that computes with one thread cannot use more of its time than the processor time.
        limits.movetime = own.left.min(control.cpu.or(own.left)).map(milliseconds);
    }
    if own.game_time_left().is_some() {
        let [first, second] = clocks;
        limits.wtime = first.left.map(milliseconds);
        limits.btime = second.left.map(milliseconds);
        if clocks.iter().any(|clock| !clock.increment().is_zero()) {
            limits.winc = Some(first.increment().as_millis() as i64);
            limits.binc = Some(second.increment().as_millis() as i64);
        }
        limits.movestogo = own.moves_to_go;
    }
    limits
}

/// Deducts time that has passed since the limits were set from those of `mover`.
pub(crate) fn deduct(limits: &mut Limits, mover: Side, elapsed: Duration) {
    let clock = match mover {
        Side::First => &mut limits.wtime,
        Side::Second => &mut limits.btime,
    };
    for time in [clock, &mut limits.movetime].into_iter().flatten() {
        *time = (*time - elapsed.as_millis() as i64).max(1);
    }
}

/// Whole milliseconds, at least 1, because many engines take 0 for "no limit".
fn milliseconds(time: Duration) -> i64 {
    (time.as_millis() as i64).max(1)
}

/// Parses seconds, such as `3` or `0.05`, from [`SHORTEST`] to [`LONGEST`].
///
/// # Errors
/// A sentence that says what is expected.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = decimal(text).filter(|seconds| *seconds >= SHORTEST);
    seconds.ok_or_else(|| {
        let (least, most) = (SHORTEST.as_secs_f64(), LONGEST.as_secs());
        format!("expected seconds from {least} to {most}, such as 3 or 0.05, found `{text}`")
    })
}

/// Parses seconds: digits, perhaps with a decimal point.
fn decimal(text: &str) -> Option<Duration> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = text.parse::<f64>().ok().filter(|_| plain)?;
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    (time <= LONGEST).then_some(time)
}

/// A number of seconds.
impl Text for Duration {
    fn text(&self) -> impl fmt::Display {
        self.as_secs_f64()
    }

    fn read(text: &str) -> Result<Duration, String> {
        parse_seconds(text)
    }
}

impl TimeControl {
    /// A fixed time per move, with another one for the first move of a game if it is given.
    pub fn per_move(each: Duration, first: Option<Duration>) -> TimeControl {
        match first {
            Some(first) if first != each => TimeControl::FirstMove { first, each },
            _ => TimeControl::Move(each),
        }
    }

    /// The time for the first move, if it is another than for each move (`first`).
    pub(crate) const fn first(&self) -> Option<Duration> {
        match self {
            TimeControl::FirstMove { first, .. } => Some(*first),
            _ => None,
        }
    }

    /// The limit of a move, if each one has its own; `is_first` in a game.
    pub const fn of_move(&self, is_first: bool) -> Option<Duration> {
        match *self {
            TimeControl::FirstMove { first, .. } if is_first => Some(first),
            TimeControl::Move(each) | TimeControl::FirstMove { each, .. } => Some(each),
            TimeControl::Clock { .. } | TimeControl::Unlimited => None,
        }
    }

    /// The setting of this control, `st` or `tc`; `None` without a limit.
    pub const fn key(&self) -> Option<&'static str> {
        match self {
            TimeControl::Move(_) | TimeControl::FirstMove { .. } => Some("st"),
            TimeControl::Clock { .. } => Some("tc"),
            TimeControl::Unlimited => None,
        }
    }
}

impl FromStr for TimeControl {
    type Err = String;

    /// `[MOVES/]SECONDS[+INC]`.
    fn from_str(text: &str) -> Result<TimeControl, String> {
        clock(text).ok_or_else(|| {
            let hint = if text.contains(':') {
                "several periods are not supported, and minutes are written as seconds".to_string()
            } else if text.starts_with("hg") {
                "an hourglass is not supported".to_string()
            } else {
                let (least, most) = (SHORTEST.as_secs_f64(), LONGEST.as_secs());
                format!(
                    "MOVES is from 1 to {}, SECONDS from {least} to {most}, INC from 0 to {most}",
                    u32::MAX
                )
            };
            format!("expected [MOVES/]SECONDS[+INC] such as 60+0.5 or 40/60, found `{text}`; {hint}")
        })
    }
}

/// Parses `[MOVES/]SECONDS[+INC]`.
fn clock(text: &str) -> Option<TimeControl> {
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => (Some(moves.parse().ok().filter(|moves| *moves > 0)?), rest),
        None => (None, text),
    };
    let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    Some(TimeControl::Clock {
        moves,
        base: parse_seconds(base).ok()?,
        increment: decimal(increment)?,
    })
}

impl fmt::Display for TimeControl {
    /// As the settings `st` and `tc` take it; no setting means unlimited.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Move(time) | TimeControl::FirstMove { each: time, .. } => {
                write!(f, "{}", time.as_secs_f64())
            }
            TimeControl::Clock {
                moves,
                base,
                increment,
            } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                write!(f, "{}", base.as_secs_f64())?;
                if !increment.is_zero() {
                    write!(f, "+{}", increment.as_secs_f64())?;
                }
                Ok(())
            }
            TimeControl::Unlimited => f.write_str("unlimited"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lodestone_game::protocol::Command;
    use sentences::{assert_rows, expect};

    fn go(own: &str, other: &str, mover: Side) -> String {
        let parse = |text: &str| {
            text.parse()
                .unwrap_or_else(|_| TimeControl::Move(parse_seconds(&text[1..]).unwrap()))
        };
        let mut clocks = [Clock::new(parse(own)), Clock::new(parse(other))];
        if mover == Side::Second {
            clocks.reverse();
        }
        Command::Go(limits(&clocks, mover, &Control::default())).to_string()
    }

    #[test]
    fn go_carries_the_time_control() {
        assert_eq!(go("=0.05", "10", Side::First), "go movetime 50");
        assert_eq!(go("10", "20", Side::First), "go wtime 10000 btime 20000");
        assert_eq!(
            go("40/60+0.5", "20", Side::Second),
            "go wtime 20000 btime 60000 winc 0 binc 500 movestogo 40"
        );
        assert_eq!(go("10", "=3", Side::First), "go wtime 10000 btime 3000");
        assert_eq!(go("=0.0014", "=3", Side::First), "go movetime 1");
    }

    #[test]
    fn deducts_time_from_the_mover() {
        let clocks = ["10", "20"].map(|text| Clock::new(text.parse().unwrap()));
        let mut limits = limits(&clocks, Side::Second, &Control::default());
        deduct(&mut limits, Side::Second, Duration::from_millis(1500));
        assert_eq!((limits.wtime, limits.btime), (Some(10_000), Some(18_500)));
        let mut fixed = Limits {
            movetime: Some(30),
            ..Limits::default()
        };
        deduct(&mut fixed, Side::First, Duration::from_millis(40));
        assert_eq!(fixed.movetime, Some(1));
    }

    #[test]
    fn depth_and_nodes_follow_the_time() {
        let control = Control {
            depth: Some(4),
            nodes: Some(1000),
            ..Control::default()
        };
        let clock = Clock::new(control.time);
        let limits = limits(&[clock.clone(), clock], Side::First, &control);
        assert_eq!(
            Command::Go(limits).to_string(),
            "go movetime 3000 depth 4 nodes 1000"
        );
    }

    #[test]
    fn a_move_is_told_its_processor_time_if_that_is_less() {
        let told = |cpu: u64| {
            let control = Control {
                cpu: Some(Duration::from_secs(cpu)),
                ..Control::default()
            };
            let clock = Clock::new(control.time);
            limits(&[clock.clone(), clock], Side::First, &control).movetime
        };
        assert_eq!([told(1), told(9)], [Some(1000), Some(3000)]);
    }

    #[test]
    fn clock_runs_down_and_starts_a_new_period() {
        let mut clock = Clock::new("2/10+1".parse().unwrap());
        assert!(!clock.spend(Duration::from_secs(4)));
        assert_eq!(clock.left, Some(Duration::from_secs(7)));
        assert!(clock.spend(Duration::from_micros(7_000_001)));
        let after = Some(Duration::from_micros(10_999_999));
        assert_eq!(clock.left, after, "an answer within the margin");
        assert_eq!(clock.moves_to_go, Some(2));

        let mut clock = Clock::new(TimeControl::Move(Duration::from_secs(3)));
        assert!(!clock.spend(Duration::from_secs(2)));
        assert_eq!(clock.left, Some(Duration::from_secs(3)));
        assert!(clock.spend(Duration::from_millis(3001)));
        assert_eq!(
            clock.rest_of(DEFAULT_MARGIN),
            DEFAULT_MARGIN,
            "each move has its own time"
        );
    }

    #[test]
    fn what_is_overrun_stays_on_the_clock() {
        let [margin, none] = [100, 0].map(Duration::from_millis);
        let mut clock = Clock::new("1+0.02".parse().unwrap());
        let mut spend = |elapsed| {
            let is_over = clock.spend(Duration::from_millis(elapsed));
            (
                is_over,
                clock.left.unwrap().as_millis(),
                clock.rest_of(margin).as_millis(),
            )
        };
        assert_eq!(spend(1000), (false, 20, 100));
        assert_eq!(spend(70), (true, 0, 70));
        assert_eq!(spend(0), (true, 0, 90), "it is still below zero");
        assert_eq!(spend(5), (true, 5, 100));
        assert_eq!(spend(5), (false, 20, 100));
        assert_eq!(spend(900), (true, 0, 0));
        assert_eq!(clock.rest_of(none), none);
    }

    #[test]
    fn time_controls_survive_a_round_trip() {
        for text in ["60", "60+0.5", "40/60", "40/60.25+1"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        for text in [
            "", "0", "60+", "/60", "0/60", "a", "60+-1", "1e9", "inf", "nan", "40/", "1+2+3",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
        let table = expect![[r#"
            40/60:20/30 | several periods are not supported
            5:30 | minutes are written as seconds
            hg60 | an hourglass is not supported
        "#]];
        assert_rows(table, |[text]| text.parse::<TimeControl>().unwrap_err());
        for text in ["0+1", "60000000", "0/10", "10+60000000"] {
            let error = text.parse::<TimeControl>().unwrap_err();
            let range =
                "; MOVES is from 1 to 4294967295, SECONDS from 0.001 to 1000000, INC from 0 to 1000000";
            assert!(error.ends_with(range), "{error}");
        }
        assert_eq!(parse_seconds("0.05"), Ok(Duration::from_millis(50)));
        for text in ["", "0", ".", "-1", "0.0001", "1e-2", "99999999999"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }
}
