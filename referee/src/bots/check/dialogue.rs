//! The dialogue with a running bot: its pipes, a transcript with times, and the lines on standard
//! output that do not belong there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lodestone_game::protocol::Reply;
use referee_core::failure::Stop;
use referee_core::game::Position;
use referee_core::game::clock::LONGEST;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::running_clock;
use referee_core::io::text::printable;
use referee_core::io::untrusted::Untrusted;
use referee_core::player::verdict::Fault;
use referee_core::player::{
    Answer, Gauge, Hint, NoAnswer, Origin, Output, RECEIVED_BY_BRIDGE, SENT_BY_BRIDGE, State,
    TranscriptBuffer, TranscriptLine, UNFINISHED_BY_BRIDGE, Wait, await_answer, flood, overlong,
};
use referee_core::process::{self, ExitInfo, Launch, Opponent, Process, Received, Work};

use super::report::{DialogueLine, Finding};

/// Most lines of a check that are kept for its report.
const MAX_EVENTS: usize = 200;

/// Most stray lines that are kept.
const MAX_STRAYS: usize = 5;

/// What shows whether an answer is stuck in a buffer. A bridge answers it itself.
const PROBE: &str = "isready";

/// Why no line came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoLine {
    /// The deadline passed.
    Deadline,
    /// The bot exited or closed its output.
    Closed,
    /// It wrote too much.
    Flood(Fault),
}

/// The process of the bot, and the lines of the current check. The memory for both is
/// bounded.
pub(crate) struct BotDialogue {
    interrupt: Arc<Interrupt>,
    /// Whether the process is a bridge, whose dialogue with its program counts.
    is_bridged: bool,
    pub process: Option<Process>,
    transcript: TranscriptBuffer,
    /// When the current check began.
    pub began: Instant,
    /// What the bot does since the last line that was sent.
    gauge: Gauge,
    /// What it had done before the next request, if that is measured.
    before: Option<Work>,
    /// The number of lines of the transcript that have been judged.
    judged: usize,
    strays: Strays,
}

impl BotDialogue {
    /// A dialogue without a process.
    pub fn new(is_bridged: bool, interrupt: Arc<Interrupt>) -> BotDialogue {
        BotDialogue {
            interrupt,
            is_bridged,
            process: None,
            transcript: TranscriptBuffer::default(),
            began: running_clock::now(),
            gauge: Gauge::new(running_clock::now(), LONGEST, None),
            before: None,
            judged: 0,
            strays: Strays::default(),
        }
    }

    /// Forgets the lines of the last check. Times count from now on.
    pub fn begin(&mut self) {
        self.transcript.clear();
        self.judged = 0;
        self.began = running_clock::now();
    }

    /// Starts a process. The last one is killed.
    pub fn start(&mut self, launch: &Launch) -> std::io::Result<()> {
        self.process = None;
        self.process = Some(Process::start(launch, Arc::clone(&self.interrupt))?);
        Ok(())
    }

    /// Shuts the process down as a match does.
    pub fn shut_down(&mut self) {
        process::shut_down(self.process.take().into_iter().collect());
    }

    /// Kills a process that is about to exit, and says how it ended; `None` without a process.
    pub fn reap(&mut self) -> Option<ExitInfo> {
        self.process.take().map(Process::reap)
    }

    /// Whether the bot runs and has not closed its output.
    pub fn is_open(&mut self) -> bool {
        let is_open = |process: &mut Process| !process.channel().is_closed() && !process.has_exited();
        self.process.as_mut().is_some_and(is_open)
    }

    /// Sends lines, each with its line end, in one write.
    pub fn send(&mut self, lines: &str) {
        self.send_as(Origin::Referee, lines);
    }

    /// Sends `isready` to see whether an answer comes then. It is no request of its own in the
    /// report.
    pub fn probe(&mut self) {
        self.send_as(Origin::Remark, &format!("{PROBE}\n"));
    }

    /// Measures what the bot has done before the next request, which is for a move.
    pub fn measure(&mut self) {
        self.before = self.process.as_ref().and_then(Process::work);
    }

    fn send_as(&mut self, origin: Origin, lines: &str) {
        let now = running_clock::now();
        self.gauge = Gauge::new(now, LONGEST, None);
        for line in lines.split_terminator('\n') {
            self.transcript.push(origin, now, line);
        }
        if let Some(process) = &mut self.process {
            process.channel().begin_count();
            process.channel().send(lines);
        }
    }

    /// Ends the input of the bot.
    pub fn close_input(&mut self) {
        self.transcript
            .push(Origin::Remark, running_clock::now(), "end of input");
        if let Some(process) = &mut self.process {
            process.channel().close_stdin();
        }
    }

    /// Waits this long for a line.
    pub fn await_line(
        &mut self,
        time: Duration,
        mut is_wanted: impl FnMut(&str) -> bool,
    ) -> Result<Result<Untrusted, NoLine>, Stop> {
        let deadline = running_clock::now() + time;
        let Some(process) = &mut self.process else {
            return Ok(Err(NoLine::Closed));
        };
        loop {
            let until = self.gauge.next_look(deadline);
            return Ok(Err(match process.channel().receive(until, None) {
                Received::Line { text, at, .. } => {
                    self.transcript.push(Origin::Engine, at, text.raw());
                    if is_wanted(text.raw()) {
                        return Ok(Ok(text));
                    }
                    continue;
                }
                Received::Closed => NoLine::Closed,
                Received::Overlong(beginning) => NoLine::Flood(overlong(&beginning)),
                Received::Flood => NoLine::Flood(flood(None)),
                Received::Deadline if until < deadline => {
                    self.gauge.look(running_clock::now(), process, true);
                    continue;
                }
                Received::Deadline => NoLine::Deadline,
                Received::Stopped(signal) => return Err(signal.into()),
            }));
        }
    }

    /// Reads the output for a time.
    pub fn settle(&mut self, time: Duration) -> Result<(), Stop> {
        self.await_line(time, |_| false).map(|_| ())
    }

    /// Waits for `bestmove` as in a match.
    pub fn await_answer(&mut self, wait: &Wait, position: &dyn Position) -> Result<Answer, NoAnswer> {
        let Some(process) = &mut self.process else {
            return Err(NoAnswer::Closed(None));
        };
        let mut opponent = Opponent::default();
        let gauge = Gauge::new(wait.asked, wait.allowed, self.before.take());
        await_answer(
            process,
            wait,
            gauge,
            position,
            &mut opponent,
            &mut self.transcript,
            None,
        )
    }

    /// A likely cause of a missing word, as a clause; from what the bot has written since the
    /// request.
    pub fn cause(&mut self, request: &'static str, word: &'static str) -> Option<Hint> {
        let output = self.output();
        let process = self.process.as_mut()?;
        let effort = self.gauge.effort(running_clock::now(), process);
        let state = State::of(process.channel(), 0, effort);
        output.hint_of_missing_word(process, self.began, request, word, state)
    }

    /// What the bot has written since the request.
    pub fn output(&self) -> Output {
        let mut output = Output::default();
        for line in self.since_request() {
            output.push(line);
        }
        output
    }

    /// The last line that a bridge has sent to the engine since the last request, quoted.
    pub fn asked_by_bridge(&self) -> Option<String> {
        let lines = self.since_request();
        let asked = lines
            .iter()
            .rev()
            .find_map(|line| line.raw().strip_prefix(SENT_BY_BRIDGE))?;
        Some(format!("`{}`", printable(asked, 60)))
    }

    /// The lines of the bot since the last line that was sent.
    pub fn since_request(&self) -> Vec<Untrusted> {
        let lines = self.transcript.lines();
        let request = lines.iter().rposition(|line| line.origin == Origin::Referee);
        let after = lines.into_iter().skip(request.map_or(0, |place| place + 1));
        of_bot(after).collect()
    }

    /// How often the bot has written a line that begins with this word, in this check.
    pub fn count(&self, word: &str) -> usize {
        let begins = |line: &Untrusted| line.raw().split_whitespace().next() == Some(word);
        of_bot(self.transcript.lines()).filter(begins).count()
    }

    /// The first line in this check that is not one of the protocol.
    pub fn first_text(&self) -> Option<Untrusted> {
        of_bot(self.transcript.lines()).find(|line| !is_protocol(line.raw()))
    }

    /// Looks for lines that do not belong on standard output.
    pub fn judge_lines(&mut self, check: &'static str) {
        let lines = self.transcript.lines();
        let is_cut = self.transcript.lost > 0;
        self.strays.judge(check, &lines, self.judged, self.began, is_cut);
        self.judged = lines.len();
    }

    /// Leaves the lines so far to the current check: [`BotDialogue::judge_lines`] skips them.
    pub fn claim_lines(&mut self) {
        self.judged = self.transcript.lines().len();
    }

    /// The finding about the lines found by [`BotDialogue::judge_lines`].
    pub fn stray_lines(&self, name: &str) -> Option<Finding> {
        self.strays.finding(name)
    }

    /// The last lines of this check.
    pub fn events(&self) -> Vec<DialogueLine> {
        self.events_of(self.transcript.lines())
    }

    /// The last of these lines, with their times in this check.
    pub fn events_of(&self, lines: Vec<TranscriptLine>) -> Vec<DialogueLine> {
        let event = |line: TranscriptLine| {
            let (is_sent, text) = match line.origin {
                Origin::Remark if self.is_bridged && line.text.raw() == PROBE => return None,
                Origin::Remark => (true, format!("({})", line.text.shown()).into()),
                _ if self.is_bridged => behind_bridge(line.text.raw())?,
                origin => (origin == Origin::Referee, line.text),
            };
            Some(DialogueLine {
                is_sent,
                at: line.at.saturating_duration_since(self.began),
                line: text,
            })
        };
        let mut events: Vec<DialogueLine> = lines.into_iter().filter_map(event).collect();
        events.drain(..events.len().saturating_sub(MAX_EVENTS));
        events
    }
}

/// What a line of a bridge says of the dialogue with its program: whether it was sent, and its text. `None` if it says
/// nothing of that.
fn behind_bridge(line: &str) -> Option<(bool, Untrusted)> {
    let begins = [
        (SENT_BY_BRIDGE, true),
        (RECEIVED_BY_BRIDGE, false),
        (UNFINISHED_BY_BRIDGE, false),
    ];
    let mut found = begins
        .into_iter()
        .filter_map(|(begin, is_sent)| Some((is_sent, line.strip_prefix(begin)?.into())));
    found.next()
}

/// The texts of the lines of the bot.
fn of_bot(lines: impl IntoIterator<Item = TranscriptLine>) -> impl Iterator<Item = Untrusted> {
    let lines = lines.into_iter().filter(|line| line.origin == Origin::Engine);
    lines.map(|line| line.text)
}

/// The lines that nothing asked for, or that are no protocol lines.
#[derive(Clone, Debug, Default)]
struct Strays {
    /// The number of lines.
    count: u64,
    /// The first of them.
    lines: Vec<DialogueLine>,
    /// The check of the first one, and whether it is an answer without a request.
    first: (&'static str, bool),
}

impl Strays {
    /// Judges the lines of one check, of which the first `known` have been judged. Answers are
    /// not counted if the first lines are missing.
    fn judge(
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
            let word = line.text.raw().split_whitespace().next();
            if line.origin != Origin::Engine {
                searches += i64::from(word == Some("go"));
                readies += i64::from(word == Some("isready"));
                continue;
            }
            searches -= i64::from(word == Some("bestmove"));
            readies -= i64::from(word == Some("readyok"));
            let is_extra = searches.min(readies) < 0 && !is_cut;
            // Each surplus answer counts once.
            (searches, readies) = (searches.max(0), readies.max(0));
            if place < known || !is_extra && is_protocol(line.text.raw()) {
                continue;
            }
            if self.count == 0 {
                self.first = (check, is_extra);
            }
            self.count += 1;
            if self.lines.len() < MAX_STRAYS {
                self.lines.push(DialogueLine {
                    is_sent: false,
                    at: line.at.saturating_duration_since(began),
                    line: line.text.cut(200).to_string().into(),
                });
            }
        }
    }

    /// The finding about these lines, if there are any.
    fn finding(&self, name: &str) -> Option<Finding> {
        let first = self.lines.first()?;
        let (check, is_extra) = self.first;
        let (line, at) = (first.line.cut(60), first.at.as_millis());
        let others = match self.count - 1 {
            0 => String::new(),
            1 => ", and 1 other line".to_string(),
            more => format!(", and {more} other lines"),
        };
        let (unasked, expected, hint) = if is_extra {
            (
                " without a request",
                "one `bestmove` for each `go`, and one `readyok` for each `isready`",
                "print the answer in one place only, and nothing after `stop` if the search has ended",
            )
        } else {
            (
                "",
                "only protocol lines on standard output",
                "write debug output to standard error (`print(…, file=sys.stderr)`, `System.err.println`, \
                 `fprintf(stderr, …)`), or put `info string` before it",
            )
        };
        let problem = format!("wrote `{line}`{unasked}, {at} ms into the check `{check}`{others}");
        Some(Finding {
            evidence: self.lines.clone(),
            ..Finding::of(name, problem, expected, hint)
        })
    }
}

/// Whether a line is one of the protocol, or empty.
fn is_protocol(line: &str) -> bool {
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
    use sentences::{assert_rows_by, expect};

    fn finding(lines: &str) -> Option<String> {
        let now = Instant::now();
        let line = |line: &str| {
            let sent = line.strip_prefix("> ");
            TranscriptLine {
                origin: if sent.is_some() {
                    Origin::Referee
                } else {
                    Origin::Engine
                },
                at: now,
                text: sent.unwrap_or(line).into(),
                cut: 0,
            }
        };
        let lines: Vec<TranscriptLine> = lines.split('|').map(line).collect();
        let mut strays = Strays::default();
        strays.judge("fen", &lines, 0, now, false);
        strays.finding("bot").map(|finding| finding.sentence())
    }

    #[test]
    fn names_the_first_line_that_does_not_belong() {
        let good = "> uci|id name x|option name Hash type spin|uciok|> isready|readyok||> go|\
                    info string anything|info depth 3|bestmove a8 ponder h8|response true";
        assert_eq!(finding(good), None);
        let table = expect![[r#"
            > go|thinking…|depth 3|bestmove a8|8 . . x
                ¦ bot wrote `thinking…`, 0 ms into the check `fen`, and 2 other lines
            > isready|readyok|> go|bestmove a8|bestmove a8
                ¦ bot wrote `bestmove a8` without a request, 0 ms into the check `fen`
            readyok|> isready|readyok ¦ bot wrote `readyok` without a request, 0 ms into the check `fen`
        "#]];
        assert_rows_by('¦', table, |[lines]| finding(lines).unwrap());
    }
}
