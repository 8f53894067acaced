//! The end of a game: result, reason and the responsible player.

use std::time::Duration;

use super::diagnosis;
use super::hint::{Hint, quoted};
use super::surroundings::{MAX_ERROR, Surroundings};
use crate::failure::Stop;
use crate::game::Position;
use crate::game::adjudication::Adjudication;
pub use crate::game::reason::{AboutKind, FaultKind, OtherEnd, Reason};
use crate::io::stderr::{OWN_ERROR, earlier_error, error_line, excerpt};
use crate::io::text::{milliseconds, printable, time};
use crate::io::untrusted::Untrusted;
use lodestone_game::board::Side;
use lodestone_game::{GameResult, Outcome};

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Decided by the rules.
    Rules {
        /// Result and reason.
        outcome: Outcome,
        /// The reason as a sentence without full stop.
        why: String,
    },
    /// A player lost by a fault.
    Fault {
        /// Who is responsible.
        culprit: Side,
        /// What happened.
        fault: Fault,
    },
    /// Not played: the pairing was given up after repeated faults.
    Forfeit {
        /// Who lost the previous games by faults.
        loser: Side,
        /// How many in a row.
        after: u64,
    },
    /// A player resigned.
    Resigned {
        /// Who resigned.
        loser: Side,
    },
    /// Ended by `--draw`, `--resign`, `--prove`, `--max-plies` or `--repetition`.
    Adjudicated(Adjudication),
}

/// A fault that loses the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The answer came after deadline and margin.
    Time {
        /// Time allowed.
        allowed: Duration,
        /// Time taken, without the wait.
        taken: Duration,
        /// How long the answer waited for a processor that other programs used.
        waited: Duration,
        /// Whether it may have kept the processors busy itself.
        is_own_doing: bool,
        /// A likely cause.
        hint: Option<Box<Hint>>,
    },
    /// More processor time than one move may use.
    Cpu {
        /// Processor time allowed.
        allowed: Duration,
        /// Processor time used, in steps of the system's clock.
        used: Duration,
        /// Whether its answer had come.
        has_answered: bool,
    },
    /// No answer within deadline, margin and [`GRACE`](super::GRACE).
    Stall {
        /// What is missing, such as "`readyok`"; `None` for a move.
        what: Option<String>,
        /// Time allowed.
        allowed: Duration,
        /// Whether it may have kept the processors busy itself.
        is_own_doing: bool,
        /// A likely cause.
        hint: Option<Box<Hint>>,
    },
    /// A well-formed move that is illegal.
    Illegal {
        /// The move.
        text: Untrusted,
        /// Why it is illegal.
        why: String,
        /// A likely cause.
        hint: Option<Box<Hint>>,
    },
    /// A `bestmove` whose argument is no move of the game: a description.
    NoMove(String),
    /// Output that is no answer: a description.
    Garbage(String),
    /// The process exited or closed its output without an answer.
    Crash {
        /// What happened, as a clause that follows the name.
        how: String,
        /// The tail of its stderr.
        stderr: Vec<String>,
        /// A likely cause.
        hint: Option<Box<Hint>>,
    },
}

impl Verdict {
    /// Who won.
    pub const fn result(&self) -> GameResult {
        match self {
            Verdict::Rules { outcome, .. } => outcome.result,
            Verdict::Fault { culprit: loser, .. }
            | Verdict::Forfeit { loser, .. }
            | Verdict::Resigned { loser } => GameResult::Win(loser.opponent()),
            Verdict::Adjudicated(adjudication) => adjudication.result(),
        }
    }

    /// The reason word of result files.
    pub fn reason(&self) -> String {
        match self {
            Verdict::Rules { outcome, .. } => outcome.reason.to_string(),
            Verdict::Fault { fault, .. } => fault.kind().to_string(),
            Verdict::Forfeit { .. } => FaultKind::Forfeit.to_string(),
            Verdict::Resigned { .. } => OtherEnd::Resign.word().to_string(),
            Verdict::Adjudicated(adjudication) => adjudication.reason().word().to_string(),
        }
    }

    /// The reason as a sentence, without full stop. `names` are those of the first and
    /// the second player.
    pub fn detail(&self, names: [&str; 2]) -> String {
        match self {
            Verdict::Rules { why, .. } => why.clone(),
            Verdict::Fault { culprit, fault } => fault.detail(names[culprit.index()]),
            Verdict::Forfeit { loser, after } => {
                let (loser, winner) = (names[loser.index()], names[loser.opponent().index()]);
                let lost = match after {
                    1 => "a game".to_string(),
                    count => format!("{count} games in a row"),
                };
                format!(
                    "{loser} lost {lost} against {winner} by faults; the rest of the pairing is \
                    forfeited"
                )
            }
            Verdict::Resigned { loser } => format!("{} resigned", names[loser.index()]),
            Verdict::Adjudicated(adjudication) => adjudication.detail(names),
        }
    }

    /// The stderr tail of a crashed engine as indented lines, unless
    /// [`Verdict::detail`] holds all of it.
    pub fn stderr_tail(&self) -> String {
        match self {
            Verdict::Fault { fault, .. } => fault.more_stderr(),
            _ => String::new(),
        }
    }
}

impl Fault {
    /// Its kind, which records and statistics have.
    pub const fn kind(&self) -> FaultKind {
        match self {
            Fault::Time { .. } => FaultKind::Time,
            Fault::Cpu { .. } => FaultKind::Cpu,
            Fault::Stall { .. } => FaultKind::Stall,
            Fault::Illegal { .. } => FaultKind::Illegal,
            Fault::NoMove(_) | Fault::Garbage(_) => FaultKind::Garbage,
            Fault::Crash { .. } => FaultKind::Crash,
        }
    }

    /// The time of the answer if it was late, and the time that had passed at least if none came in
    /// time.
    pub const fn time(&self) -> Option<Duration> {
        match self {
            Fault::Time { taken, .. } => Some(*taken),
            Fault::Stall {
                what: None, allowed, ..
            } => Some(*allowed),
            _ => None,
        }
    }

    /// The stop of the match if this is no fault of a player: the rules program failed, or the machine.
    ///
    /// # Errors
    /// That stop.
    pub fn into_stop(self) -> Result<Fault, Stop> {
        match self {
            Fault::Crash {
                stderr,
                hint: Some(hint),
                ..
            } if *hint == Hint::RulesFailed => Err(Stop::Rules(said(&stderr))),
            Fault::Crash {
                stderr,
                hint: Some(hint),
                ..
            } if *hint == Hint::MachineFailed => Err(Stop::Short(said(&stderr))),
            Fault::Crash { hint: Some(hint), .. }
                if matches!(*hint, Hint::Surroundings(Surroundings::DiskFull(_))) =>
            {
                Err(Stop::Short(format!(
                    "{hint}; this is not a player's fault, and no game is lost because of it"
                )))
            }
            fault => Ok(fault),
        }
    }

    /// Whether the machine may have caused it: memory or a disk was used up.
    pub fn is_starved(&self) -> bool {
        matches!(self, Fault::Crash { hint: Some(hint), .. } if hint.is_of_machine())
    }

    /// Whether a standstill of the referee may have caused it: the answer was late or missing, and the player did not keep
    /// the processors busy itself.
    pub const fn may_be_of_standstill(&self) -> bool {
        matches!(
            self,
            Fault::Time {
                is_own_doing: false,
                ..
            } | Fault::Stall {
                is_own_doing: false,
                ..
            }
        )
    }

    /// Whether the player has answered, and so plays on if another move is played instead.
    pub(crate) const fn has_answered(&self) -> bool {
        match self {
            Fault::Time { .. } | Fault::Illegal { .. } | Fault::NoMove(_) => true,
            Fault::Cpu { has_answered, .. } => *has_answered,
            Fault::Stall { .. } | Fault::Garbage(_) | Fault::Crash { .. } => false,
        }
    }

    /// What an engine wrote to stderr before it ended; nothing of one that runs.
    pub fn stderr(&self) -> &[String] {
        match self {
            Fault::Crash { stderr, .. } => stderr,
            _ => &[],
        }
    }

    /// Whether a player committed it.
    pub(crate) fn is_of_player(&self) -> bool {
        !matches!(self, Fault::Crash { hint: Some(hint), .. } if matches!(
            **hint,
            Hint::RulesFailed | Hint::MachineFailed | Hint::Surroundings(Surroundings::DiskFull(_))
        ))
    }

    /// A sentence about `name`, without full stop.
    pub fn sentence(&self, name: &str) -> String {
        format!("{name} {}", self.clause())
    }

    /// The same without the name in front.
    pub fn clause(&self) -> String {
        match self.parts() {
            (clause, Some(hint)) => format!("{clause}; {hint}"),
            (clause, None) => clause,
        }
    }

    /// The same for people who know neither the protocol nor the settings of a match.
    pub fn plain_sentence(&self, name: &str) -> String {
        let (clause, hint) = self.parts();
        let clause = match self {
            Fault::Stall {
                what: Some(_),
                allowed,
                ..
            } => format!("was not ready within {}", time(*allowed)),
            _ => clause,
        };
        match hint.as_deref().and_then(Hint::plain) {
            Some(hint) => format!("{name} {clause}; {hint}"),
            None => format!("{name} {clause}"),
        }
    }

    /// What happened, as a clause that follows the name, and its likely cause.
    fn parts(&self) -> (String, &Option<Box<Hint>>) {
        match self {
            Fault::Time {
                allowed,
                taken,
                waited,
                hint,
                ..
            } => {
                let late = taken.saturating_sub(*allowed);
                let begin = if matters(*waited, late) {
                    let waited = milliseconds(*waited);
                    format!(
                        "waited {waited} for a processor, because other programs used them; without that, it \
                         answered"
                    )
                } else {
                    "answered".to_string()
                };
                let clock = if allowed.is_zero() {
                    "; its clock and `timemargin` were used up"
                } else {
                    ""
                };
                let (taken, late) = (milliseconds(*taken), milliseconds(late));
                (format!("{begin} after {taken}, {late} too late{clock}"), hint)
            }
            Fault::Cpu { allowed, used, .. } => {
                let [used, allowed] = [used, allowed].map(|time| format!("{:.2} s", time.as_secs_f64()));
                let clause = format!("used {used} of processor time for a move; the limit is {allowed}");
                (clause, &None)
            }
            Fault::Stall {
                what, allowed, hint, ..
            } => {
                let what = what.as_deref().unwrap_or("move");
                (format!("sent no {what} within {}", time(*allowed)), hint)
            }
            Fault::Illegal { text, why, hint } => (
                format!("played {}, which is illegal: {why}", text.cut(MAX_MOVE)),
                hint,
            ),
            Fault::NoMove(what) | Fault::Garbage(what) => (format!("wrote {what}"), &None),
            Fault::Crash { how, hint, .. } => (how.clone(), hint),
        }
    }

    /// The sentence, and the error in the stderr of a crashed engine.
    pub fn detail(&self, name: &str) -> String {
        let (sentence, stderr) = (self.sentence(name), self.stderr());
        let shown = |line: &str| printable(line, MAX_ERROR);
        match (earlier_error(stderr), error_line(stderr)) {
            (_, None) => sentence,
            (Some(earlier), Some(line)) => {
                format!("{sentence}{ON_STDERR}{}`, then `{}`", shown(earlier), shown(line))
            }
            (None, Some(line)) => format!("{sentence}{ON_STDERR}{}`", shown(line)),
        }
    }

    /// The stderr tail unless [`Fault::detail`] holds all of it.
    pub(crate) fn more_stderr(&self) -> String {
        match self.stderr() {
            [_] => String::new(),
            _ => self.stderr_tail(),
        }
    }

    /// What a crashed engine wrote to stderr, indented, one line each; empty for other
    /// faults.
    pub fn stderr_tail(&self) -> String {
        let lines = excerpt(self.stderr(), MAX_STDERR_LINES);
        lines.iter().fold(String::new(), |text, line| {
            text + "\n  stderr: " + &printable(line, MAX_ERROR)
        })
    }

    /// The same, of a player whose opponent could not begin the game either.
    pub(crate) fn with_failed_opponent(mut self, opponent: &str) -> Fault {
        if let Fault::Crash { how, .. } = &mut self {
            how.push_str("; ");
            how.push_str(opponent);
            how.push_str(" did not begin the game either");
        }
        self
    }

    /// The same of a player that has reported an error before its answer.
    pub(super) fn with_report(mut self, report: Option<Hint>) -> Fault {
        match (&mut self, report) {
            (Fault::Illegal { hint, .. }, report) => *hint = report.map(Box::new),
            (Fault::NoMove(what), Some(report)) => *what = format!("{what}; {report}"),
            _ => {}
        }
        self
    }

    /// The fault of a process that is not there. `how` is a clause that follows the name.
    pub(crate) const fn crash(how: String) -> Fault {
        Fault::Crash {
            how,
            stderr: Vec::new(),
            hint: None,
        }
    }

    /// The fault of a line `bestmove …` whose argument is not a move of the game.
    pub(crate) fn no_move(line: &Untrusted, position: &dyn Position) -> Fault {
        let why = diagnosis::malformed_move(position, line.raw());
        Fault::NoMove(format!(
            "{}, which is not a move{why}",
            quoted(&line.raw().trim().into())
        ))
    }
}

/// Whether a wait for a processor is worth a word about an answer that was this late even without the wait.
pub(super) fn matters(waited: Duration, late: Duration) -> bool {
    !waited.is_zero() && waited >= late / 10
}

/// What the referee, as a player, has written to standard error.
fn said(stderr: &[String]) -> String {
    stderr.join("\n").trim_start_matches(OWN_ERROR).to_string()
}

/// Maximum length of an illegal move in a message, in characters.
const MAX_MOVE: usize = 60;

/// Number of stderr lines in a message.
const MAX_STDERR_LINES: usize = 8;

/// What precedes a line of stderr in the sentence about a fault.
const ON_STDERR: &str = "; on stderr: `";

/// The sentence about a fault without its line of stderr, for people who may not see it.
pub fn without_stderr(sentence: &str) -> &str {
    sentence.split(ON_STDERR).next().unwrap_or_default()
}

/// The reason words of all games.
#[cfg(test)]
pub(crate) fn all_reasons() -> Vec<&'static str> {
    use crate::game::Ruleset;
    use crate::rules::external::RULES;

    let of_rules = Ruleset::ALL.iter().flat_map(|ruleset| ruleset.info().end_reasons);
    let faults = FaultKind::ALL.map(|kind| kind.about().word);
    let others = OtherEnd::ALL.map(OtherEnd::word);
    let of_rules = of_rules.map(|reason| reason.0).chain([RULES.0]);
    faults.into_iter().chain(others).chain(of_rules).collect()
}

#[cfg(test)]
mod tests {
    use sentences::{assert_rows, expect};
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_short_wait_is_not_named_as_the_cause_of_a_late_answer() {
        let sentence = |allowed, taken, waited| {
            let [allowed, taken, waited] = [allowed, taken, waited].map(Duration::from_micros);
            let fault = Fault::Time {
                allowed,
                taken,
                waited,
                is_own_doing: false,
                hint: (taken < allowed * 2).then(|| Hint::SlightlyLate(taken.saturating_sub(allowed)).into()),
            };
            fault.sentence("a")
        };
        let table = expect![[r#"
            0 | a answered after 300.000 ms, 200.000 ms too late
            57 | a answered after 300.000 ms, 200.000 ms too late
            19999 | a answered after 300.000 ms, 200.000 ms too late
            20000 | a waited 20.000 ms for a processor, because other programs used them; without that, it answered after
        "#]];
        assert_rows(table, |[waited]| {
            sentence(100_000, 300_000, waited.parse().unwrap())
        });
        expect! {"a answered after 351.105 ms, 351.105 ms too late; its clock and `timemargin` were used up"}
            .assert_eq(&sentence(0, 351_105, 57));
        expect! {"a answered after 130.000 ms, 30.000 ms too late; stop the search a little earlier, or let the match allow this with `timemargin=50`"}
            .assert_eq(&sentence(100_000, 130_000, 0));
    }

    #[test]
    fn a_player_does_not_answer_for_the_rules_and_the_machine() {
        let is_of_player = |hint| {
            let fault = Fault::Crash {
                how: "ended".into(),
                stderr: Vec::new(),
                hint: Some(Box::new(hint)),
            };
            fault.is_of_player()
        };
        let hints = [Hint::RulesFailed, Hint::MachineFailed, Hint::EarlyExit];
        assert_eq!(hints.map(is_of_player), [false, false, true]);
    }

    #[test]
    fn a_plain_sentence_has_no_hint_about_settings() {
        let fault = Fault::Time {
            allowed: Duration::from_millis(100),
            taken: Duration::from_millis(130),
            waited: Duration::ZERO,
            is_own_doing: false,
            hint: Some(Hint::SlightlyLate(Duration::from_millis(30)).into()),
        };
        expect! {"a answered after 130.000 ms, 30.000 ms too late"}.assert_eq(&fault.plain_sentence("a"));
    }

    /// Otherwise a report would count an end by the rules as a fault, or the other way round.
    #[test]
    fn each_word_of_a_reason_has_one_meaning() {
        let mut seen = BTreeSet::from([""]);
        for word in all_reasons() {
            assert!(seen.insert(word), "`{word}` has two meanings");
        }
    }
}
