//! Waits for `bestmove`, and classifies a missing or unusable answer.

use std::time::{Duration, Instant};

use lodestone::protocol::{Info, Reply};

use super::{Answer, GRACE, Gauge, Origin, TranscriptBuffer};
use crate::failure::Stop;
use crate::game::{GameMove, MoveError, Position};
use crate::game::{Observer, Thought};
use crate::io::lines::LONGEST_LINE;
use crate::io::running_clock;
use crate::io::untrusted::Untrusted;
use crate::player::diagnosis::{Expected, Output, State};
use crate::player::hint::{Hint, quoted};
use crate::player::pass::{ZEROS, pass_among};
use crate::player::verdict::Fault;
use crate::process::{Channel, Effort, MAX_OUTPUT, Opponent, Process, Received, Work};

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
}

impl Wait {
    pub(crate) fn deadline(&self) -> Instant {
        self.asked + self.allowed + self.margin
    }

    /// The time of an answer whose last byte was read `at` this time, or that it is late: later than allowed, plus the
    /// margin, in the full resolution of the clock. `hint` says why one that is this late may be late. A person at the
    /// prompt is judged alike (`interactive/human.rs`).
    fn taken(&self, at: Instant, hint: impl FnOnce(Duration) -> Option<Hint>) -> Result<Duration, Fault> {
        let (allowed, taken) = (self.allowed, at.saturating_duration_since(self.asked));
        if taken > allowed + self.margin {
            return Err(Fault::Time {
                allowed,
                taken,
                hint: hint(taken.saturating_sub(allowed)).map(Box::new),
            });
        }
        Ok(taken)
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
    /// Time between two looks. The system counts hundredths of a second.
    const INTERVAL: Duration = Duration::from_millis(50);

    fn new(wait: &Wait, process: &Process) -> Option<Meter> {
        Some(Meter {
            allowed: wait.cpu?,
            before: process.work()?,
            next: wait.asked + Meter::INTERVAL,
        })
    }

    /// The fault of a program that has used more.
    fn excess(&self, process: &Process, has_answered: bool) -> Option<Fault> {
        let used = process.work()?.since(&self.before, Duration::ZERO).computed;
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
        self.next = now + Meter::INTERVAL;
        self.excess(process, false)
    }
}

/// Waits for the `bestmove` that answers `stop`, whatever its move.
pub(crate) fn await_stop(
    channel: &mut Channel,
    wait: &Wait,
    opponent: &mut Opponent<'_>,
    transcript: &mut TranscriptBuffer,
) -> Result<(), NoAnswer> {
    let end = wait.deadline() + GRACE;
    loop {
        let fault = match channel.receive(end, Some(opponent)) {
            Received::Line { text, at, .. } => {
                transcript.push(Origin::Engine, at, text.raw());
                if text.raw().split_whitespace().next() != Some("bestmove") {
                    continue;
                }
                return match wait.taken(at, |_| Some(Hint::NoStop)) {
                    Ok(_) => Ok(()),
                    Err(fault) => Err(NoAnswer::Fault(fault)),
                };
            }
            Received::Stopped(signal) => return Err(NoAnswer::Stopped(signal.into())),
            Received::Closed => return Err(NoAnswer::Closed(None)),
            Received::Deadline => Fault::Stall {
                what: None,
                allowed: wait.allowed,
                hint: Some(Box::new(Hint::NoStop)),
            },
            Received::Overlong => overlong(),
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
    position: &dyn Position,
    opponent: &mut Opponent<'_>,
    transcript: &mut TranscriptBuffer,
    mut observer: Option<&mut (dyn Observer + '_)>,
) -> Result<Answer, NoAnswer> {
    let expected = Expected::BestMove(position);
    let stderr_before = process.channel().stderr_total();
    let mut output = Output::default();
    let (mut last_info, mut cut_off): (Option<Untrusted>, Option<Untrusted>) = (None, None);
    let mut gauge = Gauge::new(wait.asked, wait.allowed);
    let mut meter = Meter::new(wait, process);
    let end = wait.deadline() + GRACE;
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
                gauge.look(at, process);
                transcript.push(Origin::Engine, at, text.raw());
                match text.raw().split_whitespace().next() {
                    Some("bestmove") => {
                        let why_late = |late| why_late(late, wait.margin, gauge.effort(process));
                        let taken = wait.taken(at, why_late).map_err(NoAnswer::Fault)?;
                        if let Some(fault) = meter.as_ref().and_then(|meter| meter.excess(process, true)) {
                            return Err(NoAnswer::Fault(fault));
                        }
                        let (mv, expected, own_pass) = match parse_bestmove(&text, position) {
                            // It ended in the middle of its answer.
                            Err(NoAnswer::Fault(_)) if !is_ended => {
                                cut_off = Some(text);
                                continue;
                            }
                            Err(NoAnswer::Fault(Fault::Illegal { text, why, .. })) => {
                                let hint = output.written_as(text.raw()).map(Box::new);
                                return Err(NoAnswer::Fault(Fault::Illegal { text, why, hint }));
                            }
                            answer => answer?,
                        };
                        let info = parse_info(last_info.as_ref());
                        if let Some(observer) = observer {
                            observer.thinking(taken, &info).map_err(NoAnswer::Stopped)?;
                        }
                        let thought = thought(taken, info);
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
                continue;
            }
            Received::Stopped(signal) => return Err(NoAnswer::Stopped(signal.into())),
            Received::Closed => {
                let stderr = process.channel().stderr_since(stderr_before);
                let cause = match cut_off {
                    Some(line) => Some(Hint::Unfinished { line, expected: None }),
                    None => output
                        .wrong_form(expected, &stderr)
                        .or_else(|| output.last_words()),
                };
                return Err(NoAnswer::Closed(cause.map(Box::new)));
            }
            Received::Deadline if running_clock::now() < end => {
                gauge.look(running_clock::now(), process);
                continue;
            }
            Received::Deadline => {
                let effort = gauge.effort(process);
                let state = State::of(process.channel(), stderr_before, effort);
                Fault::Stall {
                    what: None,
                    allowed: wait.allowed,
                    hint: output.hint("go", expected, state).map(Box::new),
                }
            }
            Received::Overlong => overlong(),
            Received::Flood => flood(output.last()),
        };
        return Err(NoAnswer::Fault(fault));
    }
}

/// Why an answer is this late that may be late by `margin`.
fn why_late(late: Duration, margin: Duration, effort: Option<Effort>) -> Option<Hint> {
    // It might have been in time without the wait: that before the gauge began is not known.
    let may_be_cause = |waited: &Duration| *waited * 2 >= late && *waited + margin + Gauge::AFTER > late;
    let waited = effort.and_then(|effort| effort.waited).filter(may_be_cause);
    match waited {
        Some(waited) => Some(Hint::Starved(waited)),
        None => (late <= SMALL).then_some(Hint::SlightlyLate(late)),
    }
}

/// An answer that is at most this late may be on time with another kind of limits.
const SMALL: Duration = Duration::from_millis(100);

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

/// Time, score and line of a move, from the last `info` line with an exact score.
fn thought(time: Duration, info: Info) -> Thought {
    Thought {
        time,
        info,
        ..Thought::default()
    }
}

/// Parses an `info` line; no facts if there is none.
fn parse_info(line: Option<&Untrusted>) -> Info {
    match line.map(|line| Reply::parse(line.raw())) {
        Some(Ok(Reply::Info(info))) => info,
        _ => Info::default(),
    }
}

/// The fault of [`Received::Overlong`].
pub(super) fn overlong() -> Fault {
    Fault::Garbage(format!("a line longer than {} KiB", LONGEST_LINE / 1024))
}

/// The fault of [`Received::Flood`], with the last line before it.
pub(super) fn flood(last: Option<&Untrusted>) -> Fault {
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
    fn an_answer_at_the_end_of_the_margin_is_in_time() {
        let [allowed, margin, more] = [1000, 50, 1].map(Duration::from_millis);
        let asked = Instant::now();
        let wait = Wait {
            asked,
            allowed,
            margin,
            cpu: None,
        };
        let taken = |time: Duration| wait.taken(asked + time, |_| None);
        for time in [Duration::ZERO, allowed, allowed + margin] {
            assert_eq!(taken(time), Ok(time));
        }
        let late = Fault::Time {
            allowed,
            taken: allowed + margin + more,
            hint: None,
        };
        assert_eq!(taken(allowed + margin + more), Err(late));
    }

    #[test]
    fn a_wait_for_a_processor_explains_an_answer_that_would_have_been_in_time() {
        let [margin, tenth] = [50, 100].map(Duration::from_millis);
        let hint = |late, waited| {
            let effort = Effort {
                computed: tenth,
                waited: Some(Duration::from_millis(waited)),
                time: tenth,
                is_stopped: false,
            };
            why_late(Duration::from_millis(late), margin, Some(effort))
        };
        for (late, waited) in [(60, 30), (200, 100), (900, 751)] {
            let starved = Some(Hint::Starved(Duration::from_millis(waited)));
            assert_eq!(hint(late, waited), starved, "{late}");
        }
        assert_eq!(hint(60, 29), Some(Hint::SlightlyLate(Duration::from_millis(60))));
        for (late, waited) in [(200, 99), (900, 749)] {
            assert_eq!(hint(late, waited), None, "{late}");
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
