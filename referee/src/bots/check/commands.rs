//! Checks of commands that are not about moves, of options and of all output.

use std::collections::HashSet;
use std::time::Duration;

use lodestone_game::protocol::{OptionKind, OptionSpec, Reply, Response, StateQuery, option_names};
use lodestone_game::random::Random;
use referee_core::io::untrusted::Untrusted;
use referee_core::player::spelled;

use super::positions::{self, PositionKind, play_randomly, play_text, random_position};
use super::report::{CheckResult, Finding, LONG_GAME, OUTPUT, STARTPOS, Trouble};
use super::session::{BotSession, SETTLE};

/// Time for an answer that needs no search.
pub(super) const AT_ONCE: Duration = Duration::from_secs(1);

/// The bot starts, and answers `uci` or `ugi` within its time.
pub(super) fn handshake(bot: &mut BotSession) -> CheckResult {
    bot.start()?;
    let game = bot.ruleset.name();
    Ok(match bot.options.find(option_names::VARIANT) {
        Some(option) if spelled(&option.kind, game).is_none() => {
            Some(format!("its option UCI_Variant does not list `{game}`"))
        }
        Some(_) => None,
        None => bot
            .options
            .unreadable(option_names::VARIANT)
            .map(|why| format!("it {why}")),
    })
}

/// Judges the output of all checks before this one, and of a few moves.
pub(super) fn output(bot: &mut BotSession) -> CheckResult {
    let mut random = Random::new(9);
    if !bot.has_failed(STARTPOS) {
        for _ in 0..3 {
            // Other checks judge the answers themselves.
            let placed = random_position(&bot.starts, PositionKind::Moves, &mut random)?;
            match bot.ask_any(&placed, 20) {
                Ok(()) => {}
                Err(Trouble::Stopped(stop)) => return Err(stop.into()),
                Err(_) => break,
            }
        }
    }
    bot.dialogue.settle(SETTLE)?;
    bot.dialogue.judge_lines(OUTPUT);
    bot.dialogue
        .stray_lines(&bot.spec.name)
        .map_or(Ok(None), |finding| Err(finding.into()))
}

/// `readyok`, twice.
pub(super) fn isready(bot: &mut BotSession) -> CheckResult {
    bot.ready("")?;
    bot.ready("")?;
    Ok(None)
}

/// `ucinewgame` before a game, twice in a row, and in the middle of a game.
pub(super) fn new_game(bot: &mut BotSession) -> CheckResult {
    bot.new_game(None)?;
    bot.new_game(None)?;
    play_two_moves(bot)?;
    bot.ask(&bot.starts.first(), 20)?;
    Ok(None)
}

fn play_two_moves(bot: &mut BotSession) -> Result<(), Trouble> {
    let mut placed = bot.starts.first();
    bot.ask(&placed, 20)?;
    play_randomly(&mut placed, 1, &mut Random::new(8))?;
    bot.ask_any(&placed, 20)
}

/// Unknown commands, and unknown words in `go`.
pub(super) fn unknown_command(bot: &mut BotSession) -> CheckResult {
    bot.ready("hello\nxyzzy 1 2 3\n\n   \ndebug off\n")?;
    no_text(bot, "an unknown command")?;
    bot.ask(&bot.starts.first(), 20)?;
    Ok(None)
}

/// Broken `position` commands change nothing, and do not end the bot.
pub(super) fn broken_position(bot: &mut BotSession) -> CheckResult {
    bot.ready(
        "position\nposition fen nonsense\nposition startpos moves z9\nposition fen\n\
         position startpos moves a8a8a8 ?\n",
    )?;
    no_text(bot, "a broken `position`")?;
    play_two_moves(bot)?;
    Ok(None)
}

/// After wrong input: the bot has written no text that a client could take for an answer.
fn no_text(bot: &mut BotSession, what: &str) -> Result<(), Trouble> {
    let text = bot.dialogue.first_text();
    bot.dialogue.claim_lines();
    let Some(text) = text.filter(|_| !bot.is_never_ready) else {
        return Ok(());
    };
    bot.failure(
        &format!("answered {what} with `{}`", text.cut(60)),
        "no reply, or `info string …`",
        "put `info string` before messages, or write them to standard error: other programs send commands \
         that a match does not, such as `debug`",
    )
}

/// Lines with a carriage return before the line feed, as from Windows.
pub(super) fn crlf(bot: &mut BotSession) -> CheckResult {
    ask_with_crlf(bot).map_err(|trouble| {
        trouble.map(|finding| {
            finding.expected += ", after lines that end with CR LF";
            finding.hint = "remove the carriage return at the end of a line: `line.strip()` in Python, \
                            `line.trim()` in Java and JavaScript, `line[strcspn(line, \"\\r\\n\")] = 0` in C"
                .into();
        })
    })
}

fn ask_with_crlf(bot: &mut BotSession) -> CheckResult {
    let mut placed = bot.starts.first();
    bot.prepare(&placed)?;
    let limits = bot.terms.question(&placed, 20);
    for _ in 0..3 {
        let request = bot.request(&placed, &limits).replace('\n', "\r\n");
        let answer = bot.ask_with(&[&request], &placed, &limits)?;
        if bot.has_failed(LONG_GAME) {
            break;
        }
        play_text(&mut placed, &answer)?;
    }
    Ok(None)
}

/// A line `id name …`.
pub(super) fn id(bot: &mut BotSession) -> CheckResult {
    let is_wrong = |line: &&Untrusted| match Reply::parse(line.raw()) {
        Ok(Reply::IdName(text) | Reply::IdAuthor(text)) => text.trim().is_empty(),
        Ok(_) | Err(_) => line.raw().split_whitespace().next() == Some("id"),
    };
    let is_name = |line: &&Untrusted| matches!(Reply::parse(line.raw()), Ok(Reply::IdName(_)));
    let names = bot.announced.iter().filter(is_name).count();
    let name = &bot.spec.name;
    let problem = match (bot.announced.iter().find(is_wrong), names) {
        (Some(line), _) => format!("`{}` is neither `id name …` nor `id author …`", line.cut(60)),
        (None, 0) => format!("{name} sent no `id name`"),
        (None, 1) => return Ok(None),
        (None, count) => format!("{name} gave {count} lines `id name`"),
    };
    Err(Finding::new(
        problem,
        "a line `id name NAME` before `uciok`, and perhaps `id author NAME`",
        "print `id name` and the name of the bot when `uci` comes",
    )
    .into())
}

/// All `option` lines.
pub(super) fn options(bot: &mut BotSession) -> CheckResult {
    let mut names = HashSet::new();
    let mut count = 0;
    for line in &bot.announced {
        if line.raw().split_whitespace().next() != Some("option") {
            continue;
        }
        count += 1;
        let problem = match Reply::parse(line.raw()) {
            Ok(Reply::Option(option)) if !names.insert(option.name.to_lowercase()) => {
                Some("announces this name twice".to_string())
            }
            Ok(Reply::Option(option)) => flaw(&option, line.raw()),
            Ok(_) => Some("is no option".to_string()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem {
            return Err(Finding::new(
                format!("`{}`: {problem}", line.cut(100)),
                "`option name N type check default B`, `spin default N min N max N`, \
                 `combo default V var V …`, `string default V` or `button`",
                "write the words in this order, with a default among the values: other programs may not \
                 understand anything else",
            )
            .into());
        }
    }
    if count == 0 {
        return Err(Trouble::Skipped("the bot announces no options".into()));
    }
    Ok(None)
}

/// What other programs may not accept in an option that the referee can read.
fn flaw(option: &OptionSpec, line: &str) -> Option<String> {
    let is_whole = |number: &String| number.parse::<i128>().is_ok();
    let words: Vec<&str> = line.split_whitespace().collect();
    match &option.kind {
        OptionKind::Spin { default, min, max } if ![default, min, max].into_iter().all(is_whole) => {
            Some("a spin has a whole number after each of `default`, `min` and `max`".into())
        }
        OptionKind::Spin { default, min, max } if spelled(&option.kind, default).is_none() => {
            Some(format!("the default {default} is not from {min} to {max}"))
        }
        OptionKind::Combo { default, choices } if !choices.contains(default) => {
            Some(format!("the default `{default}` is none of its values"))
        }
        OptionKind::Check { .. } if !matches!(words[..], [.., "default", "true" | "false"]) => {
            Some("the default of a check is `true` or `false`".into())
        }
        _ => None,
    }
}

/// Values outside of the announced ranges: the bot refuses them and plays on.
pub(super) fn option_ranges(bot: &mut BotSession) -> CheckResult {
    let mut count = 0;
    for option in bot.options.specs().to_vec() {
        let values = match option.kind {
            OptionKind::Spin { min, max, .. } => {
                let beyond =
                    |bound: &str, by| Some(bound.parse::<i128>().ok()?.saturating_add(by).to_string());
                let outside = [beyond(&min, -1), beyond(&max, 1), Some("many".to_string())];
                outside.into_iter().flatten().collect()
            }
            OptionKind::Combo { .. } => vec!["no-such-value".to_string()],
            OptionKind::Check { .. } => vec!["perhaps".to_string()],
            OptionKind::Button | OptionKind::String { .. } => continue,
        };
        for value in values {
            count += 1;
            let command = format!("setoption name {} value {value}\n", option.name);
            bot.dialogue.send(&command);
        }
        bot.ready("")?;
        no_text(bot, "a value out of range")?;
    }
    if count == 0 {
        return Err(Trouble::Skipped(
            "the bot announces no option with a range".into(),
        ));
    }
    bot.ask_any(&bot.starts.first(), 20)?;
    // It may have accepted a value.
    bot.end();
    Ok(None)
}

/// `query` at the start, in the middle and after the end of a game.
pub(super) fn queries(bot: &mut BotSession) -> CheckResult {
    bot.need_queries()?;
    let mut random = Random::new(7);
    let mut all = vec![bot.starts.first()];
    for kind in [PositionKind::Moves, PositionKind::Fen, PositionKind::FenAndMoves] {
        all.push(random_position(&bot.starts, kind, &mut random)?);
    }
    all.extend(positions::finished(&bot.starts)?);
    for placed in all {
        bot.dialogue.send(&format!("{}\n", placed.line()));
        let position = placed.position();
        let result = position.outcome().map(|outcome| outcome.result);
        for query in StateQuery::ALL {
            let right = Response::to(query, position.side_to_move(), result);
            let expected = format!("`response {}`", right.word());
            bot.dialogue.send(&format!("query {}\n", query.word()));
            let is_response = |line: &str| line.split_whitespace().next() == Some("response");
            let hint = "answer each `query` with `response`";
            let answer = bot.expect(AT_ONCE, is_response, &expected, hint)?;
            if Reply::parse(answer.raw().trim()) != Ok(Reply::Response(right)) {
                let problem = format!("answered `query {}` with `{}`", query.word(), answer.cut(60));
                let hint = "compare with the table of answers in this section";
                let fen = Some(position.fen());
                return Err(Finding {
                    fen,
                    ..bot.finding(&problem, &expected, hint)
                }
                .into());
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_the_form_that_other_programs_need() {
        for (line, is_wrong) in [
            ("Hash type spin default 16 min 1 max 64", false),
            ("Hash type spin default 0 min 1 max 64", true),
            ("Style type combo default calm var calm var wild", false),
            ("Style type combo default bold var calm var wild", true),
            ("Ponder type check default false", false),
            ("Ponder type check default no", true),
            ("File type string default x", false),
            ("Hash type spin default 16", true),
            ("Hash type spin default 0.5 min 0 max 1", true),
            ("Hash type spin default 16 min 32 max 8", true),
            ("default x type check default true", false),
            ("Ponder type check default False", true),
        ] {
            let line = format!("option name {line}");
            let Ok(Reply::Option(option)) = Reply::parse(&line) else {
                panic!("{line}");
            };
            assert_eq!(flaw(&option, &line).is_some(), is_wrong, "{line}");
        }
    }
}
