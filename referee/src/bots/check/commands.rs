//! Checks of commands that are not about moves.

use std::time::Duration;

use lodestone::engine::Options;
use lodestone::protocol::{Dialect, Limits};
use lodestone::random::Random;

use super::info::LONG_GAME;
use super::positions::Placed;
use super::report::{CheckResult, Finding, Trouble};
use super::session::{BotSession, PATIENCE};
use crate::io::text::printable;
use crate::player::spelled;

/// The limits of a short search.
pub(super) fn short(milliseconds: i64) -> Limits {
    Limits {
        movetime: Some(milliseconds),
        ..Limits::default()
    }
}

/// The bot starts, and answers `uci` or `ugi` within its time.
pub fn handshake(session: &mut BotSession) -> CheckResult {
    session.start()?;
    let variant = session.variant().name();
    let options = &session.announced().options;
    Ok(match options.find(Options::VARIANT) {
        Some(option) if spelled(&option.kind, variant).is_none() => {
            Some(format!("its option UCI_Variant does not list `{variant}`"))
        }
        Some(_) => None,
        None => options
            .unreadable(Options::VARIANT)
            .map(|why| format!("it {why}")),
    })
}

/// `readyok`, twice.
pub fn isready(session: &mut BotSession) -> CheckResult {
    session.ready("")?;
    session.ready("")?;
    Ok(None)
}

/// `ucinewgame` before a game, twice in a row, and in the middle of a game.
pub fn new_game(session: &mut BotSession) -> CheckResult {
    let variant = session.variant();
    session.new_game()?;
    session.new_game()?;
    let mut placed = Placed::startpos(variant);
    session.ask(&placed, &short(20), PATIENCE)?;
    placed.play_randomly(1, &mut Random::new(8));
    session.ask_any(&placed, &short(20), PATIENCE)?;
    session.ask(&Placed::startpos(variant), &short(20), PATIENCE)?;
    Ok(None)
}

/// Unknown commands, and unknown words in `go`.
pub fn unknown_command(session: &mut BotSession) -> CheckResult {
    let placed = Placed::startpos(session.variant());
    session.ready("hello\nxyzzy 1 2 3\n\n   \ndebug off\n")?;
    no_text(session, "an unknown command")?;
    session.ask(&placed, &short(20), PATIENCE)?;
    Ok(None)
}

/// After wrong input: the bot has written no text that a client could take for an answer.
pub(super) fn no_text(session: &mut BotSession, what: &str) -> Result<(), Trouble> {
    let text = session.dialogue.first_text();
    session.dialogue.claim_lines();
    let Some(text) = text.filter(|_| !session.is_never_ready()) else {
        return Ok(());
    };
    let text = printable(&text, 60);
    Err(Finding {
        problem: format!("{} answered {what} with `{text}`", session.name()),
        expected: "no reply, or `info string …`".into(),
        hint: "put `info string` before messages, or write them to standard error: other programs send commands \
               that a match does not, such as `debug`"
            .into(),
        ..Finding::default()
    }
    .into())
}

/// Lines with a carriage return before the line feed, as from Windows.
pub fn crlf(session: &mut BotSession) -> CheckResult {
    ask_with_crlf(session).map_err(|trouble| match trouble {
        Trouble::Failed(mut finding) => {
            finding.expected += ", after lines that end with CR LF";
            finding.hint = "remove the carriage return at the end of a line: `line.strip()` in Python, \
                            `line.trim()` in Java and JavaScript, `line[strcspn(line, \"\\r\\n\")] = 0` in C"
                .into();
            Trouble::Failed(finding)
        }
        trouble => trouble,
    })
}

fn ask_with_crlf(session: &mut BotSession) -> CheckResult {
    let mut placed = Placed::startpos(session.variant());
    session.prepare(&placed)?;
    let limits = short(20);
    for _ in 0..3 {
        let request = session.request(&placed, &limits).replace('\n', "\r\n");
        let answer = session.ask_with(&[&request], &placed, &limits, PATIENCE);
        if session.has_failed(LONG_GAME) {
            return answer.map(|_| None);
        }
        placed.play_text(&answer?.text);
    }
    Ok(None)
}

/// Broken `position` commands change nothing, and do not end the bot.
pub fn broken_position(session: &mut BotSession) -> CheckResult {
    let variant = session.variant();
    let mut placed = Placed::startpos(variant);
    let before = "position\nposition fen nonsense\nposition startpos moves z9\nposition fen\n\
                  position startpos moves a8a8a8 ?\n";
    session.ready(before)?;
    no_text(session, "a broken `position`")?;
    session.ask(&placed, &short(20), PATIENCE)?;
    placed.play_randomly(1, &mut Random::new(8));
    session.ask_any(&placed, &short(20), PATIENCE)?;
    Ok(None)
}

/// Whether the dialect has `query`.
pub(super) fn need_queries(session: &BotSession) -> Result<(), Trouble> {
    if session.dialect() == Dialect::Ugi {
        return Ok(());
    }
    let why = "`query` is part of UGI; `--proto ugi` checks it";
    Err(Trouble::Skipped(why.into()))
}

/// Time for an answer that needs no search.
pub(super) const AT_ONCE: Duration = Duration::from_secs(1);
