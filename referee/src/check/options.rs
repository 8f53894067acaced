//! Checks of the lines before `uciok`.

use std::collections::HashSet;

use lodestone::protocol::{OptionKind, OptionSpec, Reply};

use super::commands::{no_text, short};
use super::positions::Placed;
use super::report::{CheckResult, Finding, Trouble};
use super::session::{BotSession, PATIENCE};
use crate::io::text::printable;

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
            Ok(Reply::Option(option)) => wrong_default(&option, line),
            Ok(_) => Some("is no option".to_string()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem {
            return Err(Finding {
                problem: format!("`{}`: {problem}", printable(line, 100)),
                expected: "`option name N type check default B`, `spin default N min N max N`, \
                           `combo default V var V …`, `string default V` or `button`"
                    .into(),
                hint: "write the words in this order, with a default among the values".into(),
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

/// What is wrong with the default of an option.
fn wrong_default(option: &OptionSpec, line: &str) -> Option<String> {
    match &option.kind {
        OptionKind::Spin { default, min, max } if !(min..=max).contains(&default) => {
            Some(format!("the default {default} is not from {min} to {max}"))
        }
        OptionKind::Combo { default, choices } if !choices.contains(default) => {
            Some(format!("the default `{default}` is none of its values"))
        }
        OptionKind::Check { default: false } if !line.trim_end().ends_with("default false") => {
            Some("the default of a check is `true` or `false`".into())
        }
        _ => None,
    }
}

/// Values outside of the announced ranges: the bot refuses them and plays on.
pub fn option_ranges(session: &mut BotSession) -> CheckResult {
    let options = session.announced().options.clone();
    let mut count = 0;
    for option in options {
        let values = match option.kind {
            OptionKind::Spin { min, max, .. } => vec![
                min.saturating_sub(1).to_string(),
                max.saturating_add(1).to_string(),
                "many".to_string(),
            ],
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
    fn defaults_are_among_the_values() {
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
        ] {
            let Ok(Reply::Option(option)) = Reply::parse(line) else {
                panic!("{line}");
            };
            assert_eq!(wrong_default(&option, line).is_some(), is_wrong, "{line}");
        }
    }
}
