//! Checks of the lines before `uciok`.

use std::collections::HashSet;

use lodestone::protocol::{OptionKind, OptionSpec, Reply};

use super::commands::{no_text, short};
use super::positions::Placed;
use super::report::{CheckResult, Finding, Trouble};
use super::session::{BotSession, PATIENCE};
use crate::io::text::printable;
use crate::player::spelled;

/// A line `id name …`.
pub fn id(session: &mut BotSession) -> CheckResult {
    let lines = &session.announced().lines;
    let is_wrong = |line: &&String| match Reply::parse(line) {
        Ok(Reply::IdName(text) | Reply::IdAuthor(text)) => text.trim().is_empty(),
        Ok(_) | Err(_) => line.split_whitespace().next() == Some("id"),
    };
    let names = lines
        .iter()
        .filter(|line| matches!(Reply::parse(line), Ok(Reply::IdName(_))))
        .count();
    let problem = match (lines.iter().find(is_wrong), names) {
        (Some(line), _) => format!(
            "`{}` is neither `id name …` nor `id author …`",
            printable(line, 60)
        ),
        (None, 0) => format!("{} gave no `id name`", session.name()),
        (None, 1) => return Ok(None),
        (None, count) => format!("{} gave {count} lines `id name`", session.name()),
    };
    Err(Finding {
        problem,
        expected: "a line `id name NAME` before `uciok`, and perhaps `id author NAME`".into(),
        hint: "print `id name` and the name of the bot when `uci` comes".into(),
        ..Finding::default()
    }
    .into())
}

/// All `option` lines.
pub fn options(session: &mut BotSession) -> CheckResult {
    let mut names = HashSet::new();
    let mut count = 0;
    for line in &session.announced().lines {
        if line.split_whitespace().next() != Some("option") {
            continue;
        }
        count += 1;
        let problem = match Reply::parse(line) {
            Ok(Reply::Option(option)) if !names.insert(option.name.to_lowercase()) => {
                Some("announces this name twice".to_string())
            }
            Ok(Reply::Option(option)) => flaw(&option, line),
            Ok(_) => Some("is no option".to_string()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem {
            return Err(Finding {
                problem: format!("`{}`: {problem}", printable(line, 100)),
                expected: "`option name N type check default B`, `spin default N min N max N`, \
                           `combo default V var V …`, `string default V` or `button`"
                    .into(),
                hint:
                    "write the words in this order, with a default among the values: other programs may not \
                       understand anything else"
                        .into(),
                ..Finding::default()
            }
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
pub fn option_ranges(session: &mut BotSession) -> CheckResult {
    let options = session.announced().options.specs().to_vec();
    let mut count = 0;
    for option in options {
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
            session.set_option(&option.name, &value);
        }
        session.ready("")?;
        no_text(session, "a value out of range")?;
    }
    if count == 0 {
        return Err(Trouble::Skipped(
            "the bot announces no option with a range".into(),
        ));
    }
    let placed = Placed::startpos(session.variant());
    session.ask_any(&placed, &short(20), PATIENCE)?;
    // It may have accepted a value.
    session.end();
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_the_form_that_other_programs_need() {
        for (line, is_wrong) in [
            ("option name Hash type spin default 16 min 1 max 64", false),
            ("option name Hash type spin default 0 min 1 max 64", true),
            (
                "option name Style type combo default calm var calm var wild",
                false,
            ),
            (
                "option name Style type combo default bold var calm var wild",
                true,
            ),
            ("option name Ponder type check default false", false),
            ("option name Ponder type check default no", true),
            ("option name File type string default x", false),
            ("option name Hash type spin default 16", true),
            ("option name Hash type spin default 0.5 min 0 max 1", true),
            ("option name Hash type spin default 16 min 32 max 8", true),
            ("option name default x type check default true", false),
            ("option name Ponder type check default False", true),
        ] {
            let Ok(Reply::Option(option)) = Reply::parse(line) else {
                panic!("{line}");
            };
            assert_eq!(flaw(&option, line).is_some(), is_wrong, "{line}");
        }
    }
}
