//! The questions of UGI.

use std::time::Instant;

use lodestone::protocol::{Query, Reply, Response};
use lodestone::random::Random;

use super::answers::kinds;
use super::commands::{AT_ONCE, need_queries};
use super::positions::{self, Placed, random_position};
use super::report::{CheckResult, Finding};
use super::searches::missing;
use super::session::BotSession;

/// `query` at the start, in the middle and after the end of a game.
pub fn queries(session: &mut BotSession) -> CheckResult {
    need_queries(session)?;
    let variant = session.variant();
    let mut random = Random::new(7);
    let mut all = vec![Placed::startpos(variant)];
    for kind in kinds(session) {
        all.push(random_position(variant, kind, &mut random));
    }
    all.extend(positions::finished(variant));
    for placed in all {
        session.dialogue.send(&format!("{}\n", placed.command()));
        let position = placed.position();
        let result = position.outcome().map(|outcome| outcome.result);
        for query in Query::ALL {
            let right = Response::to(query, position.side_to_move(), result);
            let expected = format!("`response {}`", right.word());
            session.dialogue.send(&format!("query {}\n", query.word()));
            let mut answer = None;
            let came = session.dialogue.await_line(Instant::now() + AT_ONCE, |line| {
                if line.split_whitespace().next() == Some("response") {
                    answer = Some(line.trim().to_string());
                }
                answer.is_some()
            })?;
            if let Err(why) = came {
                return Err(missing(
                    session,
                    Some(why),
                    &expected,
                    "answer each `query` with `response`",
                ));
            }
            let answer = answer.unwrap_or_default();
            if Reply::parse(&answer) != Ok(Reply::Response(right)) {
                return Err(Finding {
                    problem: format!(
                        "{} answered `query {}` with `{answer}`",
                        session.name(),
                        query.word()
                    ),
                    expected,
                    hint: "compare with the table of answers in this section".into(),
                    fen: Some(position.fen()),
                    ..Finding::default()
                }
                .into());
            }
        }
    }
    Ok(None)
}
