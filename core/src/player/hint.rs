//! What may have caused a fault, and how messages say it. `diagnosis` finds the cause of a missing answer.

use std::fmt;
use std::time::Duration;

use lodestone_game::board::Side;

use super::pass::is_pass;
use super::protocol::Protocol;
use super::surroundings::{MAX_ERROR, Surroundings};
use crate::game::Game;
use crate::io::text::{counted, printable};
use crate::io::untrusted::Untrusted;
use crate::process::Effort;

/// A likely cause of a fault. `expected` is a clause with an answer that works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// It has never written anything; its output may be stuck in a buffer. With what it did since its start.
    Unflushed(Option<Effort>),
    /// It has written nothing since this request. With what it did since then.
    NothingSince(Untrusted, Option<Effort>),
    /// It has closed its input, so it has not read this request.
    Deaf(&'static str),
    /// It has written only this many `info` lines. With what it did meanwhile.
    OnlyInfo(u64, Option<Effort>),
    /// It waited for a processor most of the time.
    Busy(Effort),
    /// It is late by this little.
    SlightlyLate(Duration),
    /// Its last line, which begins like this, does not end with a newline.
    Unfinished {
        /// The beginning of the line.
        line: Untrusted,
        /// `None` if the line is an answer.
        expected: Option<String>,
    },
    /// A line was meant as the answer, but is none.
    WrongForm {
        /// The line.
        line: Untrusted,
        /// What it should be, for people.
        expected: String,
    },
    /// It wrote this answer to stderr.
    OnStderr(Untrusted),
    /// It reported this error. With what it did meanwhile, if that explains a missing answer.
    Reported(Untrusted, Option<Effort>),
    /// It wrote something else.
    OtherLines {
        /// Number of lines.
        count: u64,
        /// The last of them.
        last: Untrusted,
        /// What was expected, for people.
        expected: String,
        /// What it did meanwhile, if that is clear.
        effort: Option<Effort>,
    },
    /// It has written nothing to standard output since this request, and this line on stderr. With what it did meanwhile.
    OnlyStderr {
        /// What it was asked.
        request: Untrusted,
        /// The line on stderr.
        line: Untrusted,
        /// What it did meanwhile, if that is clear.
        effort: Option<Effort>,
    },
    /// It wrote this line beside its answers, so one of them may belong to an earlier `go`.
    ExtraAnswer(Untrusted),
    /// It wrote this line, and nothing tells more.
    Wrote(Untrusted),
    /// The move was legal earlier in the game. With its protocol.
    LegalEarlier(Protocol),
    /// It could only pass, with this move.
    MustPass(String),
    /// The move is one of the opponent's; this is the engine's own side and its sign.
    OtherSide(Side, char),
    /// It exited as if the match were over.
    EarlyExit,
    /// It has never written anything, and the handshake was UGI, which few programs speak.
    Mute,
    /// It did not end a search in the opponent's time.
    NoStop,
    /// It is built in, and its copy of the rules program failed.
    RulesFailed,
    /// It is built in or an adapter, and the machine is short of something.
    MachineFailed,
    /// What surrounds it: its sandbox, limits, the file that starts it.
    Surroundings(Surroundings),
    /// It answered the handshake with this line, which is one of another protocol.
    OtherProtocol(Untrusted, Protocol),
}

impl Hint {
    /// A likely cause of the illegal move `text` in this game. `extra_answer` is a line
    /// `bestmove …` that the player has written beside its answers.
    pub(super) fn for_illegal(
        game: &Game,
        text: &str,
        protocol: Protocol,
        extra_answer: Option<&Untrusted>,
    ) -> Option<Hint> {
        if let Some(line) = extra_answer {
            return Some(Hint::ExtraAnswer(line.clone()));
        }
        let position = game.position();
        let mover = position.side_to_move();
        if let Some(position) = position.built_in().filter(|position| position.info().slides) {
            let diagram = position.diagram();
            let mut others = diagram.pieces[mover.opponent().index()].cells();
            if others.any(|cell| text.starts_with(&position.cell_text(cell))) {
                return Some(Hint::OtherSide(mover, diagram.signs[mover.index()]));
            }
        }
        if let [only] = position.legal_moves().as_slice()
            && is_pass(&only.text)
        {
            return Some(Hint::MustPass(only.text.clone()));
        }
        let mut earlier = game
            .positions()
            .iter()
            .filter(|earlier| earlier.side_to_move() == mover);
        earlier
            .any(|earlier| earlier.parse_move(text).is_ok())
            .then_some(Hint::LegalEarlier(protocol))
    }

    /// Whether the machine may be the cause: memory or a disk was used up, and not by the engine alone.
    pub const fn is_of_machine(&self) -> bool {
        matches!(
            self,
            Hint::Surroundings(Surroundings::Killed { is_own_doing: false } | Surroundings::DiskFull(_))
        )
    }
}

impl Hint {
    /// The hint for people who know neither the protocol nor the settings of a match; `None` if it is about these.
    pub fn plain(&self) -> Option<String> {
        match self {
            Hint::Unflushed(effort)
            | Hint::NothingSince(_, effort)
            | Hint::OnlyInfo(_, effort)
            | Hint::OtherLines { effort, .. }
            | Hint::OnlyStderr { effort, .. } => effort.map(|effort| effort.to_string()),
            Hint::Reported(error, _) => Some(format!("it reported `{}`", error.cut(MAX_ERROR))),
            Hint::LegalEarlier(_) => Some("the move was legal earlier in the game".into()),
            Hint::Surroundings(Surroundings::Refused {
                folder: Some(folder), ..
            }) => {
                let folder = printable(folder, MAX_ERROR);
                Some(format!(
                    "its sandbox does not let it use {folder}; a bot may write to the folder in TMPDIR"
                ))
            }
            Hint::Surroundings(Surroundings::Refused { folder: None, .. }) => Some(
                "its sandbox may have refused something: a bot may write only to the folder in TMPDIR".into(),
            ),
            Hint::Busy(_)
            | Hint::Wrote(_)
            | Hint::MustPass(_)
            | Hint::OtherSide(..)
            | Hint::Surroundings(_) => Some(self.to_string()),
            Hint::Deaf(_)
            | Hint::SlightlyLate(_)
            | Hint::Unfinished { .. }
            | Hint::WrongForm { .. }
            | Hint::OnStderr(_)
            | Hint::ExtraAnswer(_)
            | Hint::EarlyExit
            | Hint::Mute
            | Hint::RulesFailed
            | Hint::MachineFailed
            | Hint::NoStop
            | Hint::OtherProtocol(..) => None,
        }
    }
}

impl fmt::Display for Hint {
    /// A clause that ends a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hint::Unflushed(effort) => {
                let said = told(effort.filter(Effort::is_clear), "is its standard output flushed?");
                write!(f, "it has written nothing at all: {said}")
            }
            Hint::NothingSince(request, effort) => {
                write!(f, "it has written nothing since {}", quoted(request))?;
                effort.map_or(Ok(()), |effort| write!(f, ": {effort}"))
            }
            Hint::Deaf(request) => {
                write!(
                    f,
                    "it had closed its standard input, so it has not read `{request}`"
                )
            }
            Hint::OnlyInfo(count, effort) => {
                let lines = counted(*count as usize, "`info` line");
                let said = told(*effort, "does its search end in time?");
                write!(f, "it wrote {lines} but no `bestmove`: {said}")
            }
            Hint::Busy(effort) => write!(f, "{effort}"),
            Hint::SlightlyLate(late) => write!(
                f,
                "stop the search a little earlier, or let the match allow this with `timemargin={}`",
                late.as_millis() / 50 * 50 + 50
            ),
            Hint::Unfinished { line, expected } => {
                write!(f, "its last line, {}, does not end with a newline", quoted(line))?;
                expected
                    .as_ref()
                    .map_or(Ok(()), |expected| write!(f, "; {expected}"))
            }
            Hint::WrongForm { line, expected } => write!(f, "it wrote {}; {expected}", quoted(line)),
            Hint::OnStderr(line) => write!(
                f,
                "it wrote {} to standard error; an answer goes to standard output",
                quoted(line)
            ),
            Hint::Reported(error, effort) => {
                write!(f, "it reported `{}`", error.cut(MAX_ERROR))?;
                effort.map_or(Ok(()), |effort| write!(f, "; meanwhile {effort}"))
            }
            Hint::OtherLines {
                count,
                last,
                expected,
                effort,
            } => match effort {
                Some(effort) => write!(f, "{effort}, and it wrote {}", lines(*count, last)),
                None => write!(f, "it wrote {}; {expected}", lines(*count, last)),
            },
            Hint::OnlyStderr {
                request,
                line,
                effort,
            } => {
                write!(
                    f,
                    "it has written nothing to standard output since {}, and `{}` to standard error",
                    quoted(request),
                    line.cut(MAX_ERROR)
                )?;
                effort.map_or(Ok(()), |effort| write!(f, ": {effort}"))
            }
            Hint::ExtraAnswer(line) => write!(
                f,
                "earlier in the game it wrote {} after its answer, so this may be the answer to an earlier \
                 `go`; send exactly one `bestmove` per `go`",
                quoted(line)
            ),
            Hint::Wrote(line) => write!(f, "it wrote `{}`", line.cut(MAX_ERROR)),
            Hint::LegalEarlier(protocol) => f.write_str(&legal_earlier(*protocol)),
            Hint::MustPass(mv) => write!(f, "it has to pass here, with `{mv}`"),
            Hint::OtherSide(side, sign) => {
                let player = side.ordinal();
                write!(f, "in this game it is the {player} player, {sign}")
            }
            Hint::EarlyExit => f.write_str(
                "it must read commands in a loop until `quit`, as `run` of the Python package does",
            ),
            Hint::Mute => f.write_str(
                "it has written nothing at all: does it speak UGI, and is its standard output flushed?",
            ),
            Hint::RulesFailed => f.write_str("its copy of the rules program failed"),
            Hint::MachineFailed => f.write_str("the machine is short of something"),
            Hint::NoStop => f.write_str(
                "it was pondering and did not answer `stop`; reply to `stop` with `bestmove` at once",
            ),
            Hint::OtherProtocol(line, protocol) => f.write_str(&other_protocol(line, *protocol)),
            Hint::Surroundings(surroundings) => write!(f, "{surroundings}"),
        }
    }
}

fn legal_earlier(protocol: Protocol) -> String {
    let words = protocol.words_of_moves();
    let more = if protocol.is_bridged() {
        "?"
    } else {
        ", and does it write one `bestmove` for each `go`?"
    };
    format!("the move was legal earlier in the game: does the bot play all the moves of {words}{more}")
}

fn other_protocol(line: &Untrusted, protocol: Protocol) -> String {
    let (line, title, name) = (quoted(line), protocol.title(), protocol.name());
    format!("it has written {line}, as programs do that speak {title}: add `proto={name}`")
}

/// What a program did, if that is known; a question otherwise.
fn told(effort: Option<Effort>, question: &str) -> String {
    effort.map_or(question.to_string(), |effort| effort.to_string())
}

/// This number of lines, with the last of them.
fn lines(count: u64, last: &Untrusted) -> String {
    match count {
        1 => quoted(last),
        count => format!("{count} lines, the last of them {}", quoted(last)),
    }
}

/// A quotation from an engine's output.
pub fn quoted(text: &Untrusted) -> String {
    format!("`{}`", text.cut(MAX_QUOTED))
}

/// Maximum length of a quotation from an engine's output, in characters.
const MAX_QUOTED: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::clock::TimeControl;
    use crate::game::{MoveSequence, Ruleset};

    #[test]
    fn a_move_was_legal_earlier_only_if_the_player_could_make_it() {
        let rules = Ruleset::default();
        let mut begun = MoveSequence::new(rules, rules.startpos());
        for mv in ["a1", "b1"] {
            begun.play(begun.position().parse_move(mv).unwrap()).unwrap();
        }
        let game = Game::new(&begun, [TimeControl::Unlimited; 2]);
        let hint = |text: &str| Hint::for_illegal(&game, text, Protocol::Uci, None);
        assert_eq!(hint("a1"), Some(Hint::LegalEarlier(Protocol::Uci)));
        assert_eq!(hint("b1"), None, "the opponent alone could play it");
    }
}
