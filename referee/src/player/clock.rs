//! Time controls and clocks, and the limits that an engine receives.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use lodestone::board::Side;
use lodestone::protocol::Limits;

use crate::io::as_text::Text;

/// The default time per move, the assignment's.
pub const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(3);

/// The shortest time that can be set.
pub const SHORTEST: Duration = Duration::from_millis(1);

/// The longest time that can be set.
pub const LONGEST: Duration = Duration::from_secs(1_000_000);

/// A time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// A fixed time per move.
    Move(Duration),
    /// A clock for the game, in one or more periods.
    Clock(Periods),
    /// An hourglass with this time at the start: the time that one player uses is added to
    /// the other's.
    Hourglass(Duration),
    /// No limit, the default for people.
    Unlimited,
}

/// The most periods of a clock: tournaments of people have up to three.
const MAX_PERIODS: usize = 4;

/// The periods of a clock, one at least. The last one repeats if it has a number of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periods {
    list: [Period; MAX_PERIODS],
    count: usize,
}

/// A period of a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Period {
    /// Number of moves in it; `None` for the rest of the game.
    moves: Option<u32>,
    /// Time added at its start.
    base: Duration,
    /// Increment per move.
    increment: Duration,
}

impl Periods {
    /// The period with this index, from 0; the last one for a larger index.
    fn get(&self, index: usize) -> Period {
        self.list
            .get(index.min(self.count - 1))
            .copied()
            .unwrap_or_default()
    }
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
    /// How late an answer may come.
    pub margin: Duration,
}

impl Default for Control {
    fn default() -> Control {
        Control {
            time: TimeControl::Move(DEFAULT_MOVE_TIME),
            depth: None,
            nodes: None,
            margin: Duration::ZERO,
        }
    }
}

/// One player's clock in one game.
#[derive(Clone, Debug)]
pub struct Clock {
    time: TimeControl,
    /// `None` without a time limit.
    left: Option<Duration>,
    /// The current period, from 0.
    period: usize,
    moves_to_go: Option<u32>,
}

impl Clock {
    /// The clock at the start of a game.
    #[must_use]
    pub fn new(time: TimeControl) -> Clock {
        let (left, moves_to_go) = match time {
            TimeControl::Move(time) | TimeControl::Hourglass(time) => (Some(time), None),
            TimeControl::Clock(periods) => {
                let first = periods.get(0);
                (Some(first.base), first.moves)
            }
            TimeControl::Unlimited => (None, None),
        };
        Clock {
            time,
            left,
            period: 0,
            moves_to_go,
        }
    }

    /// Its time control.
    #[must_use]
    pub const fn control(&self) -> TimeControl {
        self.time
    }

    /// Time for the next move; `None` without a limit.
    #[must_use]
    pub const fn left(&self) -> Option<Duration> {
        self.left
    }

    /// Time left for the game; `None` with a fixed time per move, or without a limit.
    #[must_use]
    pub const fn game_time_left(&self) -> Option<Duration> {
        match self.time {
            TimeControl::Move(_) | TimeControl::Unlimited => None,
            _ => self.left,
        }
    }

    /// Deducts the time of a move, then adds the increment and, after the last move of a
    /// period, the time of the next one.
    pub fn spend(&mut self, elapsed: Duration) {
        let Some(left) = &mut self.left else { return };
        match self.time {
            TimeControl::Move(_) | TimeControl::Unlimited => {}
            TimeControl::Hourglass(_) => *left = left.saturating_sub(elapsed),
            TimeControl::Clock(periods) => {
                *left = left.saturating_sub(elapsed) + periods.get(self.period).increment;
                let Some(to_go) = &mut self.moves_to_go else {
                    return;
                };
                *to_go -= 1;
                if *to_go == 0 {
                    self.period += 1;
                    let next = periods.get(self.period);
                    self.moves_to_go = next.moves;
                    *left += next.base;
                }
            }
        }
    }

    /// Adds the time of a move of the opponent, on an hourglass.
    pub fn gain(&mut self, elapsed: Duration) {
        if let (TimeControl::Hourglass(_), Some(left)) = (self.time, &mut self.left) {
            *left += elapsed;
        }
    }

    fn increment(&self) -> Duration {
        match self.time {
            TimeControl::Clock(periods) => periods.get(self.period).increment,
            _ => Duration::ZERO,
        }
    }
}

/// Deducts the time of a move of `mover`, and adds it to an hourglass of the opponent.
pub fn spend(clocks: &mut [Clock; 2], mover: Side, elapsed: Duration) {
    clocks[mover.index()].spend(elapsed);
    clocks[mover.opponent().index()].gain(elapsed);
}

/// The limits for `go` of the side to move. An opponent with a fixed time per move
/// shows that time as its clock; one without a limit shows none.
pub fn limits(clocks: &[Clock; 2], mover: Side, control: &Control) -> Limits {
    let mut limits = Limits {
        depth: control.depth,
        nodes: control.nodes,
        ..Limits::default()
    };
    let own = &clocks[mover.index()];
    match own.time {
        TimeControl::Unlimited => return limits,
        TimeControl::Move(time) => {
            limits.movetime = Some(milliseconds(time));
            return limits;
        }
        TimeControl::Clock(_) | TimeControl::Hourglass(_) => {}
    }
    let [first, second] = clocks;
    limits.wtime = first.left.map(milliseconds);
    limits.btime = second.left.map(milliseconds);
    if clocks.iter().any(|clock| !clock.increment().is_zero()) {
        limits.winc = Some(first.increment().as_millis() as i64);
        limits.binc = Some(second.increment().as_millis() as i64);
    }
    limits.movestogo = own.moves_to_go;
    limits
}

/// Deducts time that has passed since the limits were set from those of `mover`.
pub fn deduct(limits: &mut Limits, mover: Side, elapsed: Duration) {
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
    /// The setting of this control, `st` or `tc`; `None` without a limit.
    #[must_use]
    pub const fn key(&self) -> Option<&'static str> {
        match self {
            TimeControl::Move(_) => Some("st"),
            TimeControl::Clock(_) | TimeControl::Hourglass(_) => Some("tc"),
            TimeControl::Unlimited => None,
        }
    }
}

impl FromStr for TimeControl {
    type Err = String;

    /// `[MOVES/]SECONDS[+INC]`, more periods after colons, or `hgSECONDS`.
    fn from_str(text: &str) -> Result<TimeControl, String> {
        let error = || {
            let (least, most) = (SHORTEST.as_secs_f64(), LONGEST.as_secs());
            format!(
                "expected [MOVES/]SECONDS[+INC] such as 60+0.5 or 40/60, such periods with colons between \
                 them, or hgSECONDS, found `{text}`; MOVES is from 1 to {}, SECONDS from {least} to \
                 {most}, INC from 0 to {most}",
                u32::MAX,
            )
        };
        if let Some(base) = text.strip_prefix("hg") {
            return parse_seconds(base)
                .map(TimeControl::Hourglass)
                .map_err(|_| error());
        }
        let periods: Option<Vec<Period>> = text.split(':').map(period).collect();
        let periods = periods.ok_or_else(error)?;
        if let Some((_, before)) = periods.split_last()
            && before.iter().any(|period| period.moves.is_none())
        {
            return Err(format!(
                "each period but the last needs MOVES/, such as 40/60:30, found `{text}`; minutes are written as \
                 seconds"
            ));
        }
        let mut list = [Period::default(); MAX_PERIODS];
        let places = list.get_mut(..periods.len());
        let places =
            places.ok_or_else(|| format!("expected at most {MAX_PERIODS} periods, found `{text}`"))?;
        places.copy_from_slice(&periods);
        Ok(TimeControl::Clock(Periods {
            list,
            count: periods.len(),
        }))
    }
}

/// Parses `[MOVES/]SECONDS[+INC]`.
fn period(text: &str) -> Option<Period> {
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => (Some(moves.parse().ok().filter(|moves| *moves > 0)?), rest),
        None => (None, text),
    };
    let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    Some(Period {
        moves,
        base: parse_seconds(base).ok()?,
        increment: decimal(increment)?,
    })
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

impl fmt::Display for TimeControl {
    /// As the settings `st` and `tc` take it; no setting means unlimited.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Move(time) => write!(f, "{}", time.as_secs_f64()),
            TimeControl::Clock(periods) => {
                let mut colon = "";
                for index in 0..periods.count {
                    write!(f, "{colon}{}", periods.get(index))?;
                    colon = ":";
                }
                Ok(())
            }
            TimeControl::Hourglass(time) => write!(f, "hg{}", time.as_secs_f64()),
            TimeControl::Unlimited => f.write_str("unlimited"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lodestone::protocol::Command;

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
        assert_eq!(go("hg10", "hg20", Side::Second), "go wtime 20000 btime 10000");
        assert_eq!(
            go("2/4:1+3", "hg20", Side::First),
            "go wtime 4000 btime 20000 movestogo 2"
        );
    }

    #[test]
    fn periods_follow_each_other_and_the_last_repeats() {
        let mut clocks = ["2/10:1/5+1:2/3", "60"].map(|text| Clock::new(text.parse().unwrap()));
        let mut left = Vec::new();
        for _ in 0..8 {
            spend(&mut clocks, Side::First, Duration::from_secs(1));
            let limits = limits(&clocks, Side::First, &Control::default());
            left.push((limits.wtime.unwrap() / 1000, limits.movestogo, limits.winc));
        }
        let (none, some) = (None, Some(1000));
        assert_eq!(
            left,
            [
                (9, Some(1), none),
                (13, Some(1), some),
                // 13 − 1 + 1 of the increment, and the next three seconds.
                (16, Some(2), none),
                (15, Some(1), none),
                (17, Some(2), none),
                (16, Some(1), none),
                (18, Some(2), none),
                (17, Some(1), none),
            ]
        );
        assert_eq!(clocks[1].left(), Some(Duration::from_mins(1)));
    }

    #[test]
    fn an_hourglass_gains_the_time_of_the_opponent() {
        let mut clocks = ["hg10", "hg10"].map(|text| Clock::new(text.parse().unwrap()));
        spend(&mut clocks, Side::First, Duration::from_secs(3));
        spend(&mut clocks, Side::Second, Duration::from_secs(1));
        let left = clocks.each_ref().map(|clock| clock.left().unwrap().as_secs());
        assert_eq!(left, [8, 12]);
        // The other clock has no glass.
        let mut clocks = ["hg10", "10+1"].map(|text| Clock::new(text.parse().unwrap()));
        spend(&mut clocks, Side::First, Duration::from_secs(3));
        spend(&mut clocks, Side::Second, Duration::from_secs(1));
        let left = clocks.each_ref().map(|clock| clock.left().unwrap().as_secs());
        assert_eq!(left, [8, 10]);
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
    fn clock_runs_down_and_starts_a_new_period() {
        let mut clock = Clock::new("2/10+1".parse().unwrap());
        clock.spend(Duration::from_secs(4));
        assert_eq!(clock.left(), Some(Duration::from_secs(7)));
        clock.spend(Duration::from_micros(7_000_001));
        assert_eq!(
            clock.left(),
            Some(Duration::from_secs(11)),
            "an answer within the margin"
        );
        assert_eq!(clock.moves_to_go, Some(2));

        let mut clock = Clock::new(TimeControl::Move(Duration::from_secs(3)));
        clock.spend(Duration::from_secs(2));
        assert_eq!(clock.left(), Some(Duration::from_secs(3)));
    }

    #[test]
    fn time_controls_survive_a_round_trip() {
        for text in [
            "60",
            "60+0.5",
            "40/60",
            "40/60.25+1",
            "40/60:20/30:10+1",
            "1/1:1/1:1/1:1/1",
            "hg30.5",
        ] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "0",
            "60+",
            "/60",
            "0/60",
            "a",
            "60+-1",
            "1e9",
            "inf",
            "nan",
            "40/",
            "1+2+3",
            "5:30",
            "40/60:",
            ":60",
            "1/1:1/1:1/1:1/1:1",
            "hg",
            "hg0",
            "hg60+1",
            "40/hg60",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
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
