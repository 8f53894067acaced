//! What a UGI engine claims of a position, beside what the rules say.
//!
//! Behind each question stands `isready`, so the answer is over with `readyok`:
//! an engine that knows no questions keeps nobody waiting, and nothing is ever
//! taken for the answer to the next question. Nothing that is claimed decides
//! anything.

use std::fmt::Write;
use std::time::{Duration, Instant};

use lodestone::game::AnyPosition;
use lodestone::protocol::{Command, Dialect, Query, Reply, Response, Start};

use super::{Origin, TranscriptBuffer};
use crate::io::interrupt::Signal;
use crate::io::text::printable;
use crate::process::{Channel, Received};

/// How long an engine may take for the answer to one question.
const ANSWER_TIME: Duration = Duration::from_secs(1);

/// What is asked of a game that goes on.
const AT_THE_START: &[Query] = &[Query::GameOver, Query::FirstToMove];

/// What is asked of a game that is over.
const AT_THE_END: &[Query] = &[Query::GameOver, Query::Result, Query::FirstToMove];

/// So much of an answer is repeated, in characters.
const SHOWN: usize = 60;

/// Where a game stands.
#[derive(Debug)]
pub struct Situation<'a> {
    /// The position now.
    pub position: &'a dyn AnyPosition,
    /// Where the game began.
    pub start: &'a Start,
    /// All moves since then.
    pub moves: &'a [String],
}

impl Situation<'_> {
    /// Whether the game is over by the rules.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.position.outcome().is_some()
    }

    fn right_answer(&self, question: Query) -> Response {
        let result = self.position.outcome().map(|outcome| outcome.result);
        Response::to(question, self.position.side_to_move(), result)
    }
}

/// An answer that is not that of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What was asked.
    pub question: Query,
    /// The FEN of the position that it was asked about.
    pub position: String,
    /// The answer of the rules.
    pub rules: Response,
    /// The engine's answer.
    pub answer: Claimed,
}

/// What an engine answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// These words behind `response`.
    Other(String),
    /// Nothing: how that came, as the end of a sentence.
    Nothing(&'static str),
}

impl Claim {
    /// The claim as a sentence about the engine called `name`.
    #[must_use]
    pub fn sentence(&self, name: &str) -> String {
        let (question, position, rules) = (self.question.word(), &self.position, self.rules.word());
        match &self.answer {
            Claimed::Other(answer) => format!(
                "{name} answers `query {question}` with `{answer}`, the rules with `{rules}`: {position}"
            ),
            Claimed::Nothing(why) => format!(
                "{name} does not answer `query {question}` ({why}) and is asked nothing any more; the rules \
                 say `{rules}`: {position}"
            ),
        }
    }
}

/// How an engine is left by questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Ready for whatever comes.
    Ready,
    /// In a state that nobody knows.
    Unknown,
    /// The referee is asked to end.
    Interrupted(Signal),
}

/// Why `readyok` did not come behind a question.
enum NotReady {
    /// What the engine did instead.
    Failed(&'static str),
    /// The referee is asked to end.
    Interrupted(Signal),
}

/// What came of the questions to one engine.
#[derive(Debug, Default)]
pub struct Claims {
    /// Whether it is asked nothing any more.
    pub is_closed: bool,
    /// The answers that are not those of the rules, in their order.
    pub wrong: Vec<Claim>,
    /// The lines that answer no question: how many, and the first of them.
    pub unsolicited: Option<(u64, String)>,
}

impl Claims {
    /// Asks an engine about where a game stands. After a question that it does
    /// not answer it is asked nothing any more.
    pub fn gather(
        &mut self,
        situation: &Situation<'_>,
        channel: &mut Channel,
        transcript: &mut TranscriptBuffer,
    ) -> Left {
        let position = Command::Position {
            start: situation.start.clone(),
            moves: situation.moves.to_vec(),
        };
        let mut request = format!("{position}\n");
        let questions = if situation.is_over() {
            AT_THE_END
        } else {
            AT_THE_START
        };
        for &question in questions {
            for command in [Command::Query(question), Command::IsReady] {
                let _ = writeln!(request, "{}", command.in_dialect(Dialect::Ugi));
            }
            channel.send(&request);
            transcript.push_lines(Origin::Referee, Instant::now(), &request);
            request.clear();
            let (answer, left) = match self.await_answer(channel, transcript) {
                Ok(Some(answer)) => (Claimed::Other(answer), Left::Ready),
                Ok(None) => (Claimed::Nothing("`readyok` came without it"), Left::Ready),
                Err(NotReady::Failed(why)) => (Claimed::Nothing(why), Left::Unknown),
                Err(NotReady::Interrupted(signal)) => return Left::Interrupted(signal),
            };
            self.compare(question, answer, situation, transcript);
            if self.is_closed {
                return left;
            }
        }
        Left::Ready
    }

    /// What stands behind the first `response` before `readyok`, if there is one.
    ///
    /// # Errors
    /// Where `readyok` did not come.
    fn await_answer(
        &mut self,
        channel: &mut Channel,
        transcript: &mut TranscriptBuffer,
    ) -> Result<Option<String>, NotReady> {
        let deadline = Instant::now() + ANSWER_TIME;
        let mut answer = None;
        loop {
            match channel.receive(deadline, None) {
                Received::Line { text, at } => {
                    transcript.push(Origin::Engine, at, &text);
                    match text.split_whitespace().next() {
                        Some("readyok") => return Ok(answer),
                        // Only the first is read in full: an engine may print
                        // thousands of these.
                        Some("response") if answer.is_none() => answer = Some(answered(&text)),
                        Some("response") => self.unsolicited.get_or_insert((0, text)).0 += 1,
                        _ => {}
                    }
                }
                Received::Interrupted(signal) => return Err(NotReady::Interrupted(signal)),
                Received::Deadline => {
                    return Err(NotReady::Failed(
                        "no `readyok` came within 1 s; it is started afresh",
                    ));
                }
                Received::Closed => return Err(NotReady::Failed("it ended; it is started afresh")),
                Received::Overlong | Received::Flood => {
                    return Err(NotReady::Failed("it wrote too much; it is started afresh"));
                }
            }
        }
    }

    /// Notes an answer that is not that of the rules.
    fn compare(
        &mut self,
        question: Query,
        answer: Claimed,
        situation: &Situation<'_>,
        transcript: &mut TranscriptBuffer,
    ) {
        let rules = situation.right_answer(question);
        match &answer {
            Claimed::Other(words) if words == rules.word() => return,
            Claimed::Other(_) => {}
            Claimed::Nothing(_) => self.is_closed = true,
        }
        let claim = Claim {
            question,
            position: situation.position.fen(),
            rules,
            answer,
        };
        transcript.push(Origin::Remark, Instant::now(), &claim.sentence("the engine"));
        self.wrong.push(claim);
    }
}

/// The word behind `response` in this line; of an answer that there is not, all of them.
fn answered(line: &str) -> String {
    if let Ok(Reply::Response(response)) = Reply::parse(line) {
        return response.word().to_string();
    }
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    printable(&words.join(" "), SHOWN)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Seek, Write as _};
    use std::os::fd::OwnedFd;
    use std::process::ChildStdout;

    use lodestone::game::Variant;

    use super::*;
    use crate::io::interrupt::Interrupt;

    /// The pipes to an engine that has written this.
    fn channel(output: &str) -> Channel {
        let mut file: File = tempfile::tempfile().unwrap();
        file.write_all(output.as_bytes()).unwrap();
        file.rewind().unwrap();
        let stdout = ChildStdout::from(OwnedFd::from(file));
        Channel::new((None, Some(stdout), None), None, None, Interrupt::idle())
    }

    /// What comes of asking it behind these moves of Magnetic Cave.
    fn asked(moves: &[&str], output: &str) -> (Claims, Left) {
        let mut position = Variant::MagneticCave.startpos();
        for text in moves {
            let one = position.parse_move(text).unwrap();
            position.play(one);
        }
        let moves: Vec<String> = moves.iter().map(|text| (*text).to_string()).collect();
        let situation = Situation {
            position: position.as_ref(),
            start: &Start::Startpos,
            moves: &moves,
        };
        let mut claims = Claims::default();
        let left = claims.gather(&situation, &mut channel(output), &mut TranscriptBuffer::default());
        (claims, left)
    }

    /// The questions and answers that are not those of the rules.
    fn wrong(claims: &Claims) -> Vec<(Query, Claimed)> {
        let pair = |claim: &Claim| (claim.question, claim.answer.clone());
        claims.wrong.iter().map(pair).collect()
    }

    const OVER: [&str; 9] = ["a8", "h8", "a7", "h7", "a6", "h6", "a5", "h5", "a4"];

    #[test]
    fn right_answers_are_nothing_to_tell_of() {
        let start = "response false\nreadyok\ninfo string so\nresponse  true \nreadyok\n";
        let end = "response true\nreadyok\nresponse p1win\nreadyok\nresponse false\nreadyok\n";
        for (moves, output) in [(&[][..], start), (&OVER, end)] {
            let (claims, left) = asked(moves, output);
            assert_eq!((wrong(&claims), left), (Vec::new(), Left::Ready), "{moves:?}");
            assert_eq!((claims.is_closed, claims.unsolicited), (false, None));
        }
    }

    #[test]
    fn wrong_answers_are_kept_and_the_questions_go_on() {
        let (claims, left) = asked(
            &OVER,
            "response false\nreadyok\nresponse\nreadyok\nresponse perhaps  it is\nreadyok\n",
        );
        let other = |text: &str| Claimed::Other(text.to_string());
        let expected = [
            (Query::GameOver, other("false")),
            (Query::Result, other("")),
            (Query::FirstToMove, other("perhaps it is")),
        ];
        assert_eq!((wrong(&claims).as_slice(), left), (&expected[..], Left::Ready));
        assert!(!claims.is_closed);
        assert_eq!(
            claims.wrong[0].sentence("bot"),
            "bot answers `query gameover` with `false`, the rules with `true`: \
             x6o/x6o/x6o/x6o/x7/8/8/8 o"
        );
    }

    #[test]
    fn a_second_answer_to_one_question_is_out_of_turn() {
        let (claims, _) = asked(
            &[],
            "response false\nresponse true\nresponse x\nreadyok\nresponse true\nreadyok\n",
        );
        assert_eq!(wrong(&claims), []);
        assert_eq!(claims.unsolicited, Some((2, "response true".into())));
    }

    #[test]
    fn who_answers_nothing_is_asked_nothing_more() {
        let (claims, left) = asked(&[], "readyok\nresponse true\nreadyok\n");
        assert_eq!(wrong(&claims).len(), 1);
        assert!(matches!(claims.wrong[0].answer, Claimed::Nothing(_)));
        assert_eq!((claims.is_closed, left), (true, Left::Ready));

        let (claims, left) = asked(&[], "response false\n");
        assert_eq!(wrong(&claims).len(), 1);
        assert_eq!((claims.is_closed, left), (true, Left::Unknown));
    }
}
