//! Lines on standard output that do not belong there.

use std::time::{Duration, Instant};

use lodestone::protocol::Reply;

use super::report::{DialogueLine, Finding};
use crate::io::text::printable;
use crate::player::{Origin, TranscriptLine};

/// Most lines that are kept.
const MAX_KEPT: usize = 5;

/// The lines that nothing asked for, or that are no protocol lines.
#[derive(Clone, Debug, Default)]
pub struct Strays {
    /// The number of lines.
    count: u64,
    /// The first of them.
    first: Vec<Stray>,
}

#[derive(Clone, Debug)]
struct Stray {
    check: &'static str,
    at: Duration,
    line: String,
    is_extra: bool,
}

impl Strays {
    /// Judges the lines of one check, of which the first `known` have been judged. Answers are
    /// not counted if the first lines are missing.
    pub fn judge(
        &mut self,
        check: &'static str,
        lines: &[TranscriptLine],
        known: usize,
        began: Instant,
        is_cut: bool,
    ) {
        // The number of open requests for each kind of answer.
        let (mut searches, mut readies) = (0_i64, 0_i64);
        for (place, line) in lines.iter().enumerate() {
            let word = line.text.split_whitespace().next();
            if line.origin != Origin::Engine {
                searches += i64::from(word == Some("go"));
                readies += i64::from(word == Some("isready"));
                continue;
            }
            let open = match word {
                Some("bestmove") => {
                    searches -= 1;
                    searches
                }
                Some("readyok") => {
                    readies -= 1;
                    readies
                }
                _ => 0,
            };
            let is_extra = open < 0 && !is_cut;
            // Each surplus answer counts once.
            (searches, readies) = (searches.max(0), readies.max(0));
            if place < known || !is_extra && is_protocol(&line.text) {
                continue;
            }
            self.count += 1;
            if self.first.len() < MAX_KEPT {
                self.first.push(Stray {
                    check,
                    at: line.at.saturating_duration_since(began),
                    line: printable(&line.text, 200),
                    is_extra,
                });
            }
        }
    }

    /// The finding about these lines, if there are any.
    pub fn finding(&self, name: &str) -> Option<Finding> {
        let first = self.first.first()?;
        let Stray { check, line, .. } = first;
        let at = first.at.as_millis();
        let line = printable(line, 60);
        let more = self.count.saturating_sub(1);
        let others = match more {
            0 => String::new(),
            1 => ", and 1 other line".to_string(),
            more => format!(", and {more} other lines"),
        };
        let (problem, expected, hint) = if first.is_extra {
            (
                format!("{name} wrote `{line}` without a request, {at} ms into the check `{check}`{others}"),
                "one `bestmove` for each `go`, and one `readyok` for each `isready`",
                "print the answer in one place only, and nothing after `stop` if the search has ended",
            )
        } else {
            (
                format!("{name} wrote `{line}`, {at} ms into the check `{check}`{others}"),
                "only protocol lines on standard output",
                "write text for people to standard error (`print(…, file=sys.stderr)`, `System.err.println`, \
                 `fprintf(stderr, …)`), or put `info string` before it",
            )
        };
        let event = |stray: &Stray| DialogueLine {
            is_sent: false,
            at: stray.at,
            line: stray.line.clone(),
        };
        Some(Finding {
            evidence: self.first.iter().map(event).collect(),
            problem,
            expected: expected.into(),
            hint: hint.into(),
            ..Finding::default()
        })
    }
}

/// Whether a line is one of the protocol, or empty.
pub fn is_protocol(line: &str) -> bool {
    match Reply::parse(line) {
        // The check `id` judges those.
        Ok(Reply::Text(text)) => matches!(text.split_whitespace().next(), None | Some("id")),
        // An unusable `bestmove` or `option` is judged where it is the answer.
        Ok(_) | Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(lines: &[&str]) -> Option<String> {
        let now = Instant::now();
        let lines: Vec<TranscriptLine> = lines
            .iter()
            .map(|line| {
                let sent = line.strip_prefix("> ");
                TranscriptLine {
                    origin: if sent.is_some() {
                        Origin::Referee
                    } else {
                        Origin::Engine
                    },
                    at: now,
                    text: sent.unwrap_or(line).to_string(),
                    cut: 0,
                }
            })
            .collect();
        let mut strays = Strays::default();
        strays.judge("fen", &lines, 0, now, false);
        strays.finding("bot").map(|finding| finding.problem)
    }

    #[test]
    fn protocol_lines_belong_on_standard_output() {
        let lines = [
            "> uci",
            "id name x",
            "option name Hash type spin",
            "uciok",
            "> isready",
            "readyok",
            "",
            "> go",
            "info string anything",
            "info depth 3",
            "bestmove a8 ponder h8",
            "response true",
        ];
        assert_eq!(finding(&lines), None);
    }

    #[test]
    fn names_the_first_line_that_does_not_belong() {
        assert_eq!(
            finding(&["> go", "thinking…", "depth 3", "bestmove a8", "8 . . x"]).unwrap(),
            "bot wrote `thinking…`, 0 ms into the check `fen`, and 2 other lines"
        );
        assert_eq!(
            finding(&["> isready", "readyok", "> go", "bestmove a8", "bestmove a8"]).unwrap(),
            "bot wrote `bestmove a8` without a request, 0 ms into the check `fen`"
        );
        assert_eq!(
            finding(&["readyok", "> isready", "readyok"]).unwrap(),
            "bot wrote `readyok` without a request, 0 ms into the check `fen`"
        );
    }
}
