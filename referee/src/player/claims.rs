//! UGI queries: compares what an engine claims about a position with the rules. Claims
//! do not affect the result. Warnings count them and others that cost a player nothing.
//!
//! `isready` follows each query, so `readyok` ends the answer: an engine that does not
//! know queries causes no delay, and no line can be taken for the answer to the next
//! query.

use std::fmt::Write;
use std::time::Duration;

use lodestone::protocol::{Command, Dialect, Query, Reply, Response, StateQuery};

use super::{Origin, TranscriptBuffer};
use crate::game::Game;
use crate::io::interrupt::Stop;
use crate::io::running_clock;
use crate::io::text::printable;
use crate::process::{Channel, Received};

/// Time limit for the answer to one query.
const ANSWER_TIME: Duration = Duration::from_secs(1);

const DURING_THE_GAME: &[StateQuery] = &[StateQuery::GameOver, StateQuery::FirstToMove];

/// Queries after the end of a game.
const AFTER_THE_GAME: &[StateQuery] = &[StateQuery::GameOver, StateQuery::Result, StateQuery::FirstToMove];

/// Maximum length of a quoted answer, in characters.
const MAX_QUOTED: usize = 60;

/// A wrong or missing answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub query: StateQuery,
    /// The FEN of the position.
    pub position: String,
    /// The correct answer.
    pub rules: Response,
    pub answer: Claimed,
}

/// An engine's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The words behind `response`.
    Other(String),
    /// No answer, with a clause that says why.
    Nothing(&'static str),
}

impl Claim {
    /// A sentence about the engine `name`.
    pub(crate) fn sentence(&self, name: &str) -> String {
        let (query, position, rules) = (self.query.word(), &self.position, self.rules.word());
        match &self.answer {
            Claimed::Other(answer) => format!(
                "{name} answers `query {query}` with `{answer}`; by the rules it is `{rules}`: {position}"
            ),
            Claimed::Nothing(why) => format!(
                "{name} does not answer `query {query}` ({why}) and receives no more queries; by the \
                 rules it is `{rules}`: {position}"
            ),
        }
    }
}

/// The results of all queries to one engine.
#[derive(Debug, Default)]
pub struct Claims {
    /// Whether no more queries are sent.
    pub is_closed: bool,
    /// Wrong and missing answers, in order.
    pub wrong: Vec<Claim>,
    /// Lines that answer no query: their number, and the first of them.
    pub unsolicited: Option<(u64, String)>,
}

impl Claims {
    /// Sends the queries for the current position. After an unanswered query no more are sent.
    /// Returns whether the engine is ready for commands; otherwise it has to be restarted.
    pub fn ask(
        &mut self,
        game: &Game,
        channel: &mut Channel,
        transcript: &mut TranscriptBuffer,
    ) -> Result<bool, Stop> {
        let position = game.position_command();
        let mut request = format!("{position}\n");
        let queries = if game.position().outcome().is_some() {
            AFTER_THE_GAME
        } else {
            DURING_THE_GAME
        };
        for &query in queries {
            for command in [Command::Query(Query::State(query)), Command::IsReady] {
                let _ = writeln!(request, "{}", command.in_dialect(Dialect::Ugi));
            }
            channel.send(&request);
            transcript.push_lines(Origin::Referee, running_clock::now(), &request);
            request.clear();
            let answer = self.await_answer(channel, transcript)?;
            let is_ready = answer.is_ok();
            let answer = match answer {
                Ok(Some(answer)) => Claimed::Other(answer),
                Ok(None) => Claimed::Nothing("`readyok` came without it"),
                Err(why) => Claimed::Nothing(why),
            };
            self.compare(query, answer, game, transcript);
            if self.is_closed {
                return Ok(is_ready);
            }
        }
        Ok(true)
    }

    /// The first `response` before `readyok`, if there is one; or why `readyok` did not come.
    fn await_answer(
        &mut self,
        channel: &mut Channel,
        transcript: &mut TranscriptBuffer,
    ) -> Result<Result<Option<String>, &'static str>, Stop> {
        let deadline = running_clock::now() + ANSWER_TIME;
        let mut answer = None;
        loop {
            match channel.receive(deadline, None) {
                Received::Line { text, at } => {
                    transcript.push(Origin::Engine, at, &text);
                    match text.split_whitespace().next() {
                        Some("readyok") => return Ok(Ok(answer)),
                        // Only the first is parsed: an engine may print thousands.
                        Some("response") if answer.is_none() => answer = Some(answered(&text)),
                        Some("response") => self.unsolicited.get_or_insert((0, text)).0 += 1,
                        _ => {}
                    }
                }
                Received::Stopped(signal) => return Err(signal.into()),
                Received::Deadline => return Ok(Err("no `readyok` came within 1 s; it is restarted")),
                Received::Closed => return Ok(Err("it ended; it is restarted")),
                Received::Overlong | Received::Flood => {
                    return Ok(Err("it wrote too much; it is restarted"));
                }
            }
        }
    }

    /// Records an answer that differs from the rules.
    fn compare(
        &mut self,
        query: StateQuery,
        answer: Claimed,
        game: &Game,
        transcript: &mut TranscriptBuffer,
    ) {
        let rules = right_answer(game, query);
        match &answer {
            Claimed::Other(words) if words == rules.word() => return,
            Claimed::Other(_) => {}
            Claimed::Nothing(_) => self.is_closed = true,
        }
        let claim = Claim {
            query,
            position: game.position().fen(),
            rules,
            answer,
        };
        transcript.push(
            Origin::Remark,
            running_clock::now(),
            &claim.sentence("the engine"),
        );
        self.wrong.push(claim);
    }
}

fn right_answer(game: &Game, query: StateQuery) -> Response {
    let position = game.position();
    let result = position.outcome().map(|outcome| outcome.result);
    Response::to(query, position.side_to_move(), result)
}

/// The argument of `response`; if it is not a known one, all words of it.
fn answered(line: &str) -> String {
    if let Ok(Reply::Response(response)) = Reply::parse(line) {
        return response.word().to_string();
    }
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    printable(&words.join(" "), MAX_QUOTED)
}

/// Warnings about one player, over all of its processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// Number of unsolicited lines.
    pub unsolicited: u64,
    /// Number of wrong answers to queries.
    pub wrong_claims: u64,
    /// Number of unanswered queries. The first one stops the queries, but several games may
    /// be running.
    pub unanswered: u64,
    /// Whether the user was warned of a wrong claim about a result, or of an illegal line.
    pub has_false_claims: bool,
    /// One claim of each kind that was shown to the user.
    shown: Vec<Claim>,
}

impl Warnings {
    /// Whether queries are still sent to the player.
    pub const fn answers_queries(&self) -> bool {
        self.unanswered == 0
    }

    /// Counts a claim. Returns whether it is the first of its kind.
    pub fn count(&mut self, claim: &Claim) -> bool {
        match &claim.answer {
            Claimed::Other(_) => self.wrong_claims += 1,
            Claimed::Nothing(_) => self.unanswered += 1,
        }
        let is_new = !self.shown.iter().any(|shown| is_same_kind(shown, claim));
        if is_new {
            self.shown.push(claim.clone());
        }
        is_new
    }
}

/// Wrong answers to the same query are one kind, missing answers another.
fn is_same_kind(one: &Claim, other: &Claim) -> bool {
    match (&one.answer, &other.answer) {
        (Claimed::Other(_), Claimed::Other(_)) => one.query == other.query,
        (Claimed::Nothing(_), Claimed::Nothing(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(query: StateQuery, answer: Claimed) -> Claim {
        Claim {
            query,
            position: "8/8/8/8/8/8/8/8 x".into(),
            rules: Response::False,
            answer,
        }
    }

    #[test]
    fn counts_all_and_reports_one_of_each_kind() {
        let mut warnings = Warnings::default();
        let wrong = |question, text: &str| claim(question, Claimed::Other(text.into()));
        assert!(warnings.count(&wrong(StateQuery::GameOver, "true")));
        assert!(!warnings.count(&wrong(StateQuery::GameOver, "perhaps")));
        assert!(warnings.count(&wrong(StateQuery::Result, "draw")));
        assert!(warnings.answers_queries());
        assert!(warnings.count(&claim(StateQuery::GameOver, Claimed::Nothing("it ended"))));
        assert!(!warnings.count(&claim(StateQuery::Result, Claimed::Nothing("it slept"))));
        assert!(!warnings.answers_queries());
        assert_eq!((warnings.wrong_claims, warnings.unanswered), (3, 2));
    }
}
