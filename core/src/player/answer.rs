//! Waits for `bestmove`, and classifies a missing or unusable answer.

use std::time::{Duration, Instant};

use lodestone_game::protocol::{Info, Reply};

use super::{Answer, GRACE, Gauge, Origin, TranscriptBuffer};
use crate::failure::Stop;
use crate::game::clock::DEFAULT_MARGIN;
use crate::game::{GameMove, MoveError, Position};
use crate::game::{Observer, Thought};
use crate::io::lines::LONGEST_LINE;
use crate::io::running_clock;
use crate::io::untrusted::Untrusted;
use crate::player::diagnosis::{Expected, Output, State};
use crate::player::hint::{Hint, quoted};
use crate::player::pass::{ZEROS, pass_among};
use crate::player::verdict::{self, Fault};
use crate::process::{Effort, MAX_OUTPUT, Opponent, Process, Received, Work, unforeseen};

/// Interval between two calls of [`Observer::thinking`].
const OBSERVER_INTERVAL: Duration = Duration::from_millis(100);

/// The deadline of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// When the request was sent.
    pub asked: Instant,
    /// Time allowed, from then on.
    pub allowed: Duration,
    /// How much later an answer still counts.
    pub margin: Duration,
    /// Processor time allowed, of all processes.
    pub cpu: Option<Duration>,
    /// Whether the time of the answer is taken off a clock.
    pub is_clock: bool,
}

impl Wait {
    /// The hint about an answer that is so late: with another kind of limits, it might be on time.
    fn slightly_late(&self, late: Duration) -> Option<Hint> {
        (late <= self.margin + DEFAULT_MARGIN).then_some(Hint::SlightlyLate(late))
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.asked + self.allowed + self.margin
    }

    /// The time of an answer whose last byte was read `at` this time, without its wait for a processor, and that wait;
    /// or that it is late: later than allowed, plus the margin, in the full resolution of the clock. `effort` is only
    /// asked if it matters, and `hint` says why one that is this late may be late. A person at the prompt is judged alike
    /// (`interactive/human.rs`).
    ///
    /// The referee has `stood` still meanwhile. That is in the time of an engine that kept the processors busy itself:
    /// the referee may have had none.
    fn taken(
        &self,
        at: Instant,
        stood: Duration,
        effort: impl FnOnce() -> Option<Effort>,
        hint: impl FnOnce(Duration) -> Option<Hint>,
    ) -> Result<Thought, Fault> {
        let (allowed, passed) = (self.allowed, at.saturating_duration_since(self.asked));
        let matters = passed + stood > allowed || self.is_clock && passed >= Gauge::QUICK;
        let effort = if matters { effort() } else { None }.unwrap_or_default();
        let (waited, is_own_doing) = (effort.waited, effort.is_own_doing);
        let own = if is_own_doing { stood } else { Duration::ZERO };
        let taken = (passed + own).saturating_sub(waited);
        if taken > allowed + self.margin {
            let late = taken.saturating_sub(allowed);
            let hint = if verdict::matters(waited, late) {
                None
            } else {
                hint(late)
            };
            return Err(Fault::Time {
                allowed,
                taken,
                waited,
                is_own_doing,
                hint: hint.map(Box::new),
            });
        }
        Ok(Thought {
            time: taken,
            waited,
            is_own_doing,
            ..Thought::default()
        })
    }
}

/// The processor time of one move, if that has a limit: only then is it measured before and after a move.
#[derive(Debug)]
struct Meter {
    allowed: Duration,
    before: Work,
    /// When to look again.
    next: Instant,
}

impl Meter {
    /// The shortest time between two looks. The system counts hundredths of a second.
    const INTERVAL: Duration = Duration::from_millis(35);

    fn new(wait: &Wait, process: &Process) -> Option<Meter> {
        Some(Meter {
            allowed: wait.cpu?,
            before: process.work()?,
            next: wait.asked + unforeseen(Meter::INTERVAL),
        })
    }

    /// The fault of a program that has used more.
    fn excess(&mut self, process: &Process, has_answered: bool) -> Option<Fault> {
        let work = process.work()?;
        let used = work.since(&self.before, Duration::ZERO).computed;
        self.before.note_children(&work);
        (used > self.allowed).then_some(Fault::Cpu {
            allowed: self.allowed,
            used,
            has_answered,
        })
    }

    /// The same of a program that still computes, if it is time for a look.
    fn look(&mut self, process: &Process) -> Option<Fault> {
        let now = running_clock::now();
        if now < self.next {
            return None;
        }
        self.next = now + unforeseen(Meter::INTERVAL);
        self.excess(process, false)
    }
}

/// Waits for the `bestmove` that answers `stop`, whatever its move.
pub(crate) fn await_stop(
    process: &mut Process,
    wait: &Wait,
    gauge: &mut Gauge,
    opponent: &mut Opponent<'_>,
    transcript: &mut TranscriptBuffer,
) -> Result<(), NoAnswer> {
    let last = wait.deadline() + GRACE;
    let mut end = last;
    loop {
        let fault = match process.channel().receive(end, Some(opponent)) {
            Received::Line { text, at, .. } => {
                transcript.push(Origin::Engine, at, text.raw());
                if text.raw().split_whitespace().next() != Some("bestmove") {
                    continue;
                }
                let effort = || gauge.effort(at, process);
                return match wait.taken(at, gauge.stood(), effort, |_| Some(Hint::NoStop)) {
                    Ok(_) => Ok(()),
                    Err(fault) => Err(NoAnswer::Fault(fault)),
                };
            }
            Received::Stopped(signal) => return Err(NoAnswer::Stopped(signal.into())),
            Received::Closed => return Err(NoAnswer::Closed(None)),
            Received::Deadline => {
                let extended = gauge.extended(last, running_clock::now(), process);
                if let Some(later) = extended.map_err(NoAnswer::Stopped)? {
                    end = later;
                    continue;
                }
                Fault::Stall {
                    what: None,
                    allowed: wait.allowed,
                    is_own_doing: false,
                    hint: Some(Box::new(Hint::NoStop)),
                }
            }
            Received::Overlong(beginning) => overlong(&beginning),
            Received::Flood => flood(None),
        };
        return Err(NoAnswer::Fault(fault));
    }
}

/// Why no answer came.
#[derive(Debug)]
pub enum NoAnswer {
    /// A fault of the engine.
    Fault(Fault),
    /// Its process exited or closed its output. Perhaps with a line that was meant as the
    /// answer.
    Closed(Option<Box<Hint>>),
    /// It gives up, which is no fault.
    Resigned,
    /// The referee stops.
    Stopped(Stop),
}

/// Waits for an engine's `bestmove` in this position. Its output goes to the transcript; the opponent's
/// output is discarded meanwhile. `observer` is called about ten times a second. Does not
/// check legality.
///
/// # Errors
/// No move came in time.
pub fn await_answer(
    process: &mut Process,
    wait: &Wait,
    mut gauge: Gauge,
    position: &dyn Position,
    opponent: &mut Opponent<'_>,
    transcript: &mut TranscriptBuffer,
    mut observer: Option<&mut (dyn Observer + '_)>,
) -> Result<Answer, NoAnswer> {
    let expected = Expected::BestMove(position);
    let stderr_before = process.channel().stderr_total();
    let mut output = Output::default();
    let (mut last_info, mut cut_off): (Option<Untrusted>, Option<Untrusted>) = (None, None);
    let mut meter = Meter::new(wait, process);
    let last = wait.deadline() + GRACE;
    let mut end = last;
    let mut next_call = running_clock::now();
    loop {
        if let Some(fault) = meter.as_mut().and_then(|meter| meter.look(process)) {
            return Err(NoAnswer::Fault(fault));
        }
        if let Some(observer) = observer.as_deref_mut()
            && running_clock::now() >= next_call
        {
            let elapsed = running_clock::elapsed(wait.asked);
            let info = parse_info(last_info.as_ref());
            observer.thinking(elapsed, &info).map_err(NoAnswer::Stopped)?;
            next_call = running_clock::now() + OBSERVER_INTERVAL;
        }
        let until = if observer.is_some() {
            end.min(next_call)
        } else {
            end
        };
        let until = gauge.next_look(until);
        let until = meter.as_ref().map_or(until, |meter| until.min(meter.next));
        let received = process.channel().receive(until, Some(opponent));
        let fault = match received {
            Received::Line { text, at, is_ended } => {
                transcript.push(Origin::Engine, at, text.raw());
                match text.raw().split_whitespace().next() {
                    Some("bestmove") => {
                        let effort = || gauge.effort(at, process);
                        let taken = wait.taken(at, gauge.stood(), effort, |late| wait.slightly_late(late));
                        let taken = taken.map_err(NoAnswer::Fault)?;
                        if let Some(fault) = excess(process, meter.as_mut(), &taken) {
                            return Err(NoAnswer::Fault(fault));
                        }
                        let (mv, expected, own_pass) = match parse_bestmove(&text, position) {
                            // It ended in the middle of its answer.
                            Err(NoAnswer::Fault(_)) if !is_ended => {
                                cut_off = Some(text);
                                continue;
                            }
                            Err(NoAnswer::Fault(fault)) => return Err(reported(fault, &output)),
                            answer => answer?,
                        };
                        let info = parse_info(last_info.as_ref());
                        if let Some(observer) = observer {
                            observer.thinking(taken.time, &info).map_err(NoAnswer::Stopped)?;
                        }
                        let thought = Thought { info, ..taken };
                        return Ok(Answer {
                            mv,
                            thought,
                            expected,
                            own_pass,
                        });
                    }
                    // Parsed only when the move has come: an engine may print thousands of them.
                    Some("info") if describes_the_move(text.raw()) => {
                        output.count_info();
                        last_info = Some(text);
                    }
                    _ => output.push(text),
                }
                // Lines may come without a pause.
                gauge.look(at, process, false);
                continue;
            }
            Received::Stopped(signal) => return Err(NoAnswer::Stopped(signal.into())),
            Received::Closed => {
                let stderr = process.channel().stderr_since(stderr_before);
                let unfinished = cut_off.map(|line| Hint::Unfinished { line, expected: None });
                let cause = unfinished
                    .or_else(|| output.wrong_form(expected, &stderr))
                    .or_else(|| output.last_words());
                return Err(NoAnswer::Closed(cause.map(Box::new)));
            }
            Received::Deadline if running_clock::now() < end => {
                gauge.look(running_clock::now(), process, true);
                continue;
            }
            Received::Deadline => {
                let now = running_clock::now();
                let extended = gauge.extended(last, now, process);
                if let Some(later) = extended.map_err(NoAnswer::Stopped)? {
                    end = later;
                    continue;
                }
                let effort = gauge.effort(now, process);
                let state = State::of(process.channel(), stderr_before, effort);
                stall(wait, effort, output.hint("go", expected, state))
            }
            Received::Overlong(beginning) => overlong(&beginning),
            Received::Flood => flood(output.last()),
        };
        return Err(NoAnswer::Fault(fault));
    }
}

/// The limit that an engine exceeded during this answer.
fn excess(process: &mut Process, meter: Option<&mut Meter>, taken: &Thought) -> Option<Fault> {
    if let Some(fault) = meter.and_then(|meter| meter.excess(process, true)) {
        return Some(fault);
    }
    // Quick answers write less than that, or the kernel refuses the rest. The supervisor looks, too.
    if taken.time + taken.waited < Gauge::QUICK {
        return None;
    }
    process.excess_of_files().map(Fault::crash)
}

/// The fault of an engine that has not answered.
fn stall(wait: &Wait, effort: Option<Effort>, hint: Option<Hint>) -> Fault {
    Fault::Stall {
        what: None,
        allowed: wait.allowed,
        is_own_doing: effort.is_some_and(|effort| effort.is_own_doing),
        hint: hint.map(Box::new),
    }
}

/// The fault of an answer, with what the engine has reported before.
fn reported(fault: Fault, output: &Output) -> NoAnswer {
    let report = output.reported().or_else(|| match &fault {
        Fault::Illegal { text, .. } => output.written_as(text.raw()),
        _ => None,
    });
    NoAnswer::Fault(fault.with_report(report))
}

/// What an engine writes in place of a move to give up.
const RESIGNATION: &str = "resign";

/// The move and the expected reply of a line that begins with `bestmove`, and `0000` if that is a pass which the rules call
/// otherwise.
fn parse_bestmove(
    line: &Untrusted,
    position: &dyn Position,
) -> Result<(GameMove, Option<String>, Option<&'static str>), NoAnswer> {
    let Ok(Reply::BestMove { best, ponder }) = Reply::parse(line.raw()) else {
        return Err(NoAnswer::Fault(Fault::no_move(line, position)));
    };
    let found = position.parse_move(&best);
    if matches!(found, Err(MoveError::Malformed(_) | MoveError::Illegal(_)))
        && let Some(pass) = pass_among(position, &best)
    {
        return Ok((pass, ponder, (best == ZEROS).then_some(ZEROS)));
    }
    Err(NoAnswer::Fault(match found {
        Ok(mv) => return Ok((mv, ponder, None)),
        Err(MoveError::Malformed(_) | MoveError::Illegal(_)) if best.eq_ignore_ascii_case(RESIGNATION) => {
            return Err(NoAnswer::Resigned);
        }
        Err(MoveError::Stopped(stop)) => return Err(NoAnswer::Stopped(stop)),
        Err(MoveError::Malformed(_)) => Fault::no_move(line, position),
        Err(MoveError::Illegal(why)) => Fault::Illegal {
            text: best.to_lowercase().into(),
            why,
            hint: None,
        },
    }))
}

/// Whether an `info` line describes the move that will be played: it has an exact score, and
/// is the only line or MultiPV line 1.
pub(crate) fn describes_the_move(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (mut has_score, mut is_best) = (false, true);
    while let Some(word) = words.next() {
        match word {
            // Moves or free text follow.
            "pv" | "string" => break,
            "score" => has_score = true,
            "lowerbound" | "upperbound" => return false,
            "multipv" => is_best = words.next() == Some("1"),
            _ => {}
        }
    }
    has_score && is_best
}

/// Parses an `info` line; no facts if there is none.
fn parse_info(line: Option<&Untrusted>) -> Info {
    match line.map(|line| Reply::parse(line.raw())) {
        Some(Ok(Reply::Info(info))) => info,
        _ => Info::default(),
    }
}

/// The fault of [`Received::Overlong`].
pub fn overlong(beginning: &Untrusted) -> Fault {
    Fault::Garbage(format!(
        "a line longer than {} KiB; it begins with {}",
        LONGEST_LINE / 1024,
        quoted(beginning)
    ))
}

/// The fault of [`Received::Flood`], with the last line before it.
pub fn flood(last: Option<&Untrusted>) -> Fault {
    let mebibytes = MAX_OUTPUT / (1024 * 1024);
    let what = match last {
        Some(line) if line.raw().starts_with("bestmove") => "of answers to no `go`",
        _ => "without an answer",
    };
    let last = last.map_or(String::new(), |line| {
        format!("; its last line is {}", quoted(line))
    });
    Fault::Garbage(format!("more than {mebibytes} MiB {what}{last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_margin_is_proposed_for_little_more_than_any_margin() {
        for margin in [0, 50, 100, 5000].map(Duration::from_millis) {
            let wait = Wait {
                asked: Instant::now(),
                allowed: Duration::ZERO,
                margin,
                cpu: None,
                is_clock: false,
            };
            let hint = |more: u64| wait.slightly_late(margin + Duration::from_millis(more));
            assert!(hint(1).is_some() && hint(1000).is_none(), "{margin:?}");
        }
    }

    #[test]
    fn an_answer_at_the_end_of_the_margin_is_in_time() {
        let [allowed, margin, waited, rest, more] = [1000, 50, 400, 600, 1].map(Duration::from_millis);
        let none = Duration::ZERO;
        let asked = Instant::now();
        let wait = |is_clock| Wait {
            asked,
            allowed,
            margin,
            cpu: None,
            is_clock,
        };
        let effort = |waited| Effort {
            waited,
            ..Effort::default()
        };
        let times = |taken: Result<Thought, Fault>| taken.map(|thought| [thought.time, thought.waited]);
        let taken = |time: Duration, waited| {
            let effort = || Some(effort(waited));
            times(wait(false).taken(asked + time, none, effort, |_| None))
        };
        for time in [none, allowed, allowed + margin] {
            assert_eq!(taken(time, none), Ok([time, none]));
        }
        let late = |waited| Fault::Time {
            allowed,
            taken: allowed + margin + more,
            waited,
            is_own_doing: false,
            hint: None,
        };
        assert_eq!(taken(allowed + margin + more, none), Err(late(none)));
        // The wait is taken off where it matters.
        assert_eq!(
            taken(allowed + margin + waited, waited),
            Ok([allowed + margin, waited])
        );
        assert_eq!(taken(allowed + margin + waited + more, waited), Err(late(waited)));
        assert_eq!(taken(allowed, waited), Ok([allowed, none]));
        let on_clock = wait(true).taken(asked + allowed, none, || Some(effort(waited)), |_| None);
        assert_eq!(times(on_clock), Ok([rest, waited]));
        // The referee stood still, perhaps because it had no processor.
        for is_own_doing in [false, true] {
            let effort = Effort {
                is_own_doing,
                ..Effort::default()
            };
            let at = asked + margin + more;
            match wait(false).taken(at, allowed, || Some(effort), |_| None) {
                Ok(thought) => assert_eq!((thought.time, is_own_doing), (margin + more, false)),
                Err(fault) => assert_eq!(
                    (fault.time(), is_own_doing),
                    (Some(allowed + margin + more), true)
                ),
            }
        }
    }

    #[test]
    fn only_an_exact_score_of_multipv_1_describes_the_move() {
        for (line, tells) in [
            ("info depth 3 score cp 5 pv a8 h8", true),
            ("info depth 3 multipv 1 score cp 5", true),
            ("info depth 3 multipv 2 score cp 5 pv a8", false),
            ("info score cp 5 multipv 3", false),
            ("info depth 3 multipv 1 nodes 7", false),
            ("info score cp 5 pv multipv 2", true),
            ("info string score of multipv 1", false),
            ("info depth 6 score cp -900 upperbound nodes 7", false),
            ("info depth 6 score lowerbound cp 5 pv a8", false),
            ("info score cp 5 pv a8 string lowerbound", true),
        ] {
            assert_eq!(describes_the_move(line), tells, "{line}");
        }
    }
}
